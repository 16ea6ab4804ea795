"""The command `truegain agree`: do the assessors agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.cli.options import Confidence, ScoreName, Seed, advanced, changed, refuse_scores_in, with_options
from truegain.cli.output import FigureOutput
from truegain.cli.rating_options import (
    MoreAnswers,
    NormalizeOption,
    RatingOptions,
    RatingsFile,
    WeightOption,
    rated_answers,
    refuse_more,
)
from truegain.data.items import Items
from truegain.data.judgments import Judgments
from truegain.errors import InputError, TruegainError, warn
from truegain.message import option
from truegain.results.base import Table

if TYPE_CHECKING:
    from truegain.reliability.agree import AgreementReport

MOST = 50  # assessors that people are shown
DRAWN = ("all", "topics", "assessors", "documents")


@dataclass(frozen=True, kw_only=True)
class AlphaInterval:
    """How the interval of alpha is made, and what it generalizes over."""

    units: Annotated[
        Literal["items", "items+assessors"],
        advanced("--units", help="What alpha should generalize to: items like these, or also assessors like these."),
    ] = "items"
    method: Annotated[
        Literal["jackknife", "bootstrap"],
        advanced("--method", help="Interval method; bootstrap takes at least 100 resamples."),
    ] = "jackknife"
    resamples: Annotated[int, advanced("--resamples", min=0, help="Resamples of the bootstrap; 0: no intervals.")] = (
        1000
    )
    confidence: Confidence = 0.95
    seed: Seed = 0


@with_options(alpha=AlphaInterval, reading=RatingOptions, printing=FigureOutput)
def agree_command(
    context: typer.Context,
    ratings: RatingsFile,
    files: MoreAnswers = None,
    score: ScoreName = None,
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
    *,
    alpha: AlphaInterval,
    reading: RatingOptions,
    printing: FigureOutput,
) -> None:
    """Measure how well assessors agree: overall, by topic and by assessor, and with experts.

    Also reads values of answers by several judges or in several repeats, in logs of evaluation tools, tables (--score)
    or nuggets, and preferences of several assessors.

    Examples:
        truegain agree demo/ratings.csv --scale 0:3
        truegain agree demo/magnitudes.csv --scale ratio --expert demo/expert.qrels --show assessors

    """
    from truegain.reliability.agree import agreement

    if printing.figure is not None and show not in DRAWN:
        raise TruegainError(f"{option('--show')} {show} has no figure; use one of {', '.join(DRAWN)}")
    named = files or context.meta.get("runs") or []
    table_of, scale = _read([ratings, *named], score, expert, reading, typed=bool(files))
    report = agreement(
        table_of,
        expert,
        scale=scale,
        normalize=normalize,
        **vars(alpha),
        weight_assessors=weight_assessors,
        drop_assessors=reading.drop_assessors,
        first=reading.first,
    )
    table = report.overall if show == "all" else getattr(report, show)
    if table is None:
        raise TruegainError(f"{option('--show')} experts needs {option('--expert')}, the judgments of experts")
    printing.draw(lambda: _chart(report, show, alpha.confidence))
    if printing.format == "table":
        tables = report.tables() if show == "all" else [table]
        printing.write_texts(_first(t) if t is report.assessors else t for t in tables)
    else:
        printing.write(table)


def _read(
    files: Sequence[str], score: str | None, expert: str | None, reading: RatingOptions, *, typed: bool
) -> tuple[Items | Judgments, str | None]:
    """Values of answers, preferences as ratings, or ratings; and their scale.

    typed: whether files beside the first were named, and not by a study file, whose runs are no matter of ratings.
    """
    from truegain.io.file_roles import columns_in
    from truegain.preferences.table import holds_preferences, read_preferences

    first = files[0]
    items = rated_answers(files, score, reading)
    if items is not None:
        return items, reading.scale
    refuse_more(first, files[1:] if typed else ())
    # what `annotate export` writes of preferences has a column of labels, too, which a scale is about
    if holds_preferences(first) and (reading.scale is None or "label" not in columns_in(first)):
        if expert is not None:
            raise TruegainError(
                f"{option('--expert')} applies to ratings of documents, not to preferences; leave it out"
            )
        refuse = changed(reading, leave_out=("drop_assessors", "first"))
        for name in refuse.values():
            raise TruegainError(f"{option(name)} does not apply to preferences; leave it out")
        return read_preferences(first).ratings(), "nominal"
    try:
        read = replace(reading, drop_assessors=None, first=None).load(first, words=True)
    except InputError:
        refuse_scores_in(first)
        raise
    if read.assessor is not None and len(read.assessor.values) == 1 and "replicate" in columns_in(first):
        warn(
            f"{first}: every label is by {read.assessor.values[0]}, so there is nobody to agree with; replicates are "
            f"compared by {option('--columns')} assessor=replicate"
        )
    return read, reading.scale


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
