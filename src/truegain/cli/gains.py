"""The command `truegain gains`: what each document is worth."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from truegain.cli.ratings import (
    AssessorsOption,
    ColumnsOption,
    NormaliseOption,
    OutsideOption,
    POption,
    RatingsFile,
    RepeatedOption,
    RuleOption,
    ScaleOption,
    SeparatorOption,
    SpreadOption,
    ValuesOption,
    given,
    load,
)
from truegain.errors import TruegainError
from truegain.gains.magnitudes import normalised
from truegain.gains.make import to_gains
from truegain.tables.judgments import Judgments
from truegain.tables.write import write_judgments


def gains_command(
    ratings: RatingsFile,
    rule: RuleOption = None,
    p: POption = None,
    spread: SpreadOption = None,
    trim: Annotated[
        float | None, typer.Option("--trim", help="--spread trimmed: the share left out at either end (default 0.2).")
    ] = None,
    share: Annotated[
        float | None, typer.Option("--share", help="Rule supermajority: the share needed (default 2/3).")
    ] = None,
    ties: Annotated[
        Literal["low", "high", "mean"] | None, typer.Option("--ties", help="Rule majority: which of several wins.")
    ] = None,
    scale: ScaleOption = None,
    normalise: NormaliseOption = None,
    aggregate: Annotated[
        Literal["median", "geometric", "arithmetic"] | None,
        typer.Option("--aggregate", help="Magnitudes: how the normalised ones become a gain (default median)."),
    ] = None,
    units: Annotated[
        Literal["all", "top3", "narrow", "wide"],
        typer.Option("--units", help="Magnitudes: only the three units a document that order best as --expert does."),
    ] = "all",
    expert: Annotated[str | None, typer.Option("--expert", help="Judgments of experts, for --units.")] = None,
    outside: OutsideOption = "error",
    repeated: RepeatedOption = "error",
    assessors: AssessorsOption = None,
    columns: ColumnsOption = None,
    separator: SeparatorOption = None,
    values: ValuesOption = None,
    output: Annotated[str, typer.Option("-o", "--output", help="Where to write the gains; - is stdout.")] = "-",
) -> None:
    """Make one gain of each document's ratings, and write them as judgments (qrels, or by the ending of --output)."""
    if rule is not None and aggregate is not None:
        raise TruegainError("--rule and --aggregate both say how ratings become a gain; give one")
    table = load(
        ratings,
        scale=scale,
        outside=outside,
        repeated=repeated,
        assessors=assessors,
        columns=columns,
        separator=separator,
        values=values,
    )
    if units != "all":
        if expert is None:
            raise TruegainError(f"--units {units} needs --expert, the judgments to choose units by")
        table, normalise, aggregate = (
            _of_units(table, units, expert, normalise),
            None,
            None if rule else aggregate or "median",
        )
    parameters = given(p=p, spread=spread, trim=trim, share=share, ties=ties)
    write_judgments(to_gains(table, rule or aggregate, scale=scale, normalise=normalise, **parameters), output)


def _of_units(table: Judgments, units: str, expert: str, normalise: str | None) -> Judgments:
    """The ratings of some units, normalised by all."""
    from truegain.studies.magnitude_units import Units, read_magnitudes

    moved = normalised(read_magnitudes(table), normalise or "none")
    return moved.take(Units.of(moved, Judgments.of(expert)).rows(units))
