"""The command `truegain agree`: do the assessors agree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.cli.options import Confidence, Seed, advanced, with_options
from truegain.cli.output import FigureOutput
from truegain.cli.rating_options import NormalizeOption, RatingOptions, RatingsFile, WeightOption
from truegain.errors import TruegainError
from truegain.message import option
from truegain.results.base import Table

if TYPE_CHECKING:
    from truegain.reliability.agree import AgreementReport

MOST = 50  # assessors that people are shown
DRAWN = ("all", "topics", "assessors", "documents")


@with_options(reading=RatingOptions, printing=FigureOutput)
def agree_command(
    ratings: RatingsFile,
    expert: Annotated[
        str | None,
        typer.Option("--expert", help="Judgments of an expert: a file, or column:NAME or assessor:NAME of RATINGS."),
    ] = None,
    show: Annotated[
        Literal["all", "overall", "topics", "assessors", "experts", "documents"],
        typer.Option("--show", help="Tables to print; CSV and JSON contain the first only."),
    ] = "all",
    normalize: NormalizeOption = None,
    weight_assessors: WeightOption = None,
    units: Annotated[
        Literal["items", "items+assessors"],
        advanced("--units", help="What alpha should generalize to: items like these, or also assessors like these."),
    ] = "items",
    method: Annotated[
        Literal["jackknife", "bootstrap"],
        advanced("--method", help="Interval method; bootstrap takes at least 100 resamples."),
    ] = "jackknife",
    resamples: Annotated[
        int, advanced("--resamples", min=0, help="Resamples of the bootstrap; 0: no intervals.")
    ] = 1000,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    *,
    reading: RatingOptions,
    printing: FigureOutput,
) -> None:
    """Measure how well assessors agree: overall, by topic and by assessor, and with experts.

    Examples:
        truegain agree demo/ratings.csv --scale 0:3
        truegain agree demo/magnitudes.csv --scale ratio --expert demo/expert.qrels --show assessors

    """
    from truegain.reliability.agree import agreement

    if printing.figure is not None and show not in DRAWN:
        raise TruegainError(f"{option('--show')} {show} has no figure; use one of {', '.join(DRAWN)}")
    report = agreement(
        replace(reading, drop_assessors=None, first=None).load(ratings, words=True),
        expert,
        scale=reading.scale,
        normalize=normalize,
        units=units,
        method=method,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        weight_assessors=weight_assessors,
        drop_assessors=reading.drop_assessors,
        first=reading.first,
    )
    table = report.overall if show == "all" else getattr(report, show)
    if table is None:
        raise TruegainError(f"{option('--show')} experts needs {option('--expert')}, the judgments of experts")
    printing.draw(lambda: _chart(report, show, confidence))
    if printing.format == "table":
        tables = report.tables() if show == "all" else [table]
        printing.write_texts(_first(t) if t is report.assessors else t for t in tables)
    else:
        printing.write(table)


def _chart(report: AgreementReport, show: str, confidence: float) -> Any:
    from truegain.report.agreement_figures import agreement_chart, documents_chart

    if show == "documents":
        if "max/min" not in report.documents.columns:
            raise TruegainError(
                f"{option('--show')} documents has a figure for magnitudes alone: give {option('--scale')} ratio"
            )
        return documents_chart(report.documents)
    tables = {name: getattr(report, name) if show in ("all", name) else None for name in ("topics", "assessors")}
    return agreement_chart(**tables, title=f"{report.overall.title}, {100 * confidence:g}% intervals")


def _first(people: Table) -> Table:
    """The first assessors of a long table, those worth a second look before others; how many are left out is told."""
    if len(people.rows) <= MOST:
        return people
    note = f"{len(people.rows) - MOST:,} more of {len(people.rows):,} assessors: --show assessors --format csv has all"
    return Table(people.columns, people.rows[:MOST], people.provenance, people.title, (note, *people.notes))
