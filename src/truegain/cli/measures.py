"""The command `truegain measures`: what measures there are."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Annotated

import typer

from truegain.cli.commands import measures as completed
from truegain.errors import MeasureError
from truegain.measures.base import Measure
from truegain.measures.catalogue import ALIASES, CATALOGUE, NUMBERED, OF_NUGGETS, PLAIN, parse_measures


def measures_command(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Measure to explain.", autocompletion=completed)
    ] = None,
) -> None:
    """List all measures, or explain one: formula, source and parameters.

    Examples:
        truegain measures
        truegain measures nDCG

    """
    if name is None:
        width = max(map(len, CATALOGUE))
        for measure in CATALOGUE.values():
            typer.echo(f"{measure.NAME:<{width}}  {_first_line(measure)}")
        typer.echo("\n`truegain measures NAME` explains one; trec_eval's names (map, ndcg_cut_10, P_10) work too.")
        typer.echo(f"Measures of nuggets: {', '.join(OF_NUGGETS)}.")
        return
    if name in OF_NUGGETS:
        from truegain.measures.nuggets import NUGGET_MEASURES

        typer.echo(_explained(NUGGET_MEASURES[name]))
        return
    kind = CATALOGUE.get(name) or type(parse_measures(name)[0].measure)
    if kind not in CATALOGUE.values():
        raise MeasureError(f"{name} is not in the catalogue; `truegain measures` lists those that are")
    typer.echo(_explained(kind))


def _first_line(measure: type[Measure]) -> str:
    return inspect.getdoc(measure).split("\n\n")[0].replace("\n", " ")  # type: ignore[union-attr]


def _explained(kind: type[Measure]) -> str:
    text = inspect.getdoc(kind) or ""
    params = [f"{f.name} = {f.default!r}" for f in fields(kind) if f.name != kind.AT]
    form = kind.NAME + (f"@{kind.AT}" if kind.AT else "")
    others = [alias for alias, ours in ALIASES.items() if ours.split("(")[0] == kind.NAME]
    others += [trec for trec, ours in PLAIN.items() if ours.split("(")[0].split("@")[0] == kind.NAME]
    others += [f"{trec}_{kind.AT or 'x'}" for trec, (ours, _) in NUMBERED.items() if _name_of(ours) == kind.NAME]
    lines = [form, "", text.split(">>>")[0].rstrip(), ""]
    lines.append(f"parameters: {', '.join(params) or 'none'}")
    if others:
        lines.append(f"also called: {', '.join(dict.fromkeys(others))}")
    return "\n".join(lines)


def _name_of(form: str) -> str:
    return form.split("(")[0].split("@")[0]
