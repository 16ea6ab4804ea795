"""The command `truegain agree`: do the assessors agree."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import typer

from truegain.cli.label_options import NormalizeOption, RatingsFile, Reading, WeightOption, reads_ratings
from truegain.cli.options import Confidence, Figure, Output, OutputFormat, Seed, advanced
from truegain.cli.output import table_format_of, write_table
from truegain.errors import TruegainError
from truegain.io.files import write_bytes
from truegain.message import option
from truegain.results.base import Table

MOST = 50  # assessors that people are shown
DRAWN = ("all", "topics", "assessors", "documents")


@reads_ratings
def agree_command(
    ratings: RatingsFile,
    expert: Annotated[
        str | None,
        typer.Option("--expert", help="Judgments of an expert: a file, or column:NAME or assessor:NAME of RATINGS."),
    ] = None,
    show: Annotated[
        Literal["all", "overall", "topics", "assessors", "experts", "documents"],
        typer.Option("--show", help="Tables to print; of all, CSV and JSON hold the first."),
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
    figure: Figure = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    reading: Reading,
) -> None:
    """Measure how well assessors agree: overall, by topic and by assessor, and with experts.

    Examples:
        truegain agree demo/ratings.csv --scale 0:3
        truegain agree demo/magnitudes.csv --scale ratio --expert demo/expert.qrels --show assessors

    """
    from truegain.reliability.agree import agreement

    if figure is not None:
        from truegain.report.charts import check_ending

        check_ending(figure)
        if show not in DRAWN:
            raise TruegainError(f"{option('--show')} {show} has no figure; {', '.join(DRAWN)} have")
    table = replace(reading, drop_assessors=None, first=None).load(ratings, words=True)
    asked = {
        "units": units, "method": method, "resamples": resamples, "confidence": confidence, "seed": seed,
        "weight_assessors": weight_assessors, "drop_assessors": reading.drop_assessors, "first": reading.first,
    }  # fmt: skip
    found = agreement(table, expert, scale=reading.scale, normalize=normalize, **asked)  # type: ignore[arg-type]
    wanted = found.overall if show == "all" else getattr(found, show)
    if wanted is None:
        raise TruegainError(f"{option('--show')} experts needs {option('--expert')}, the judgments of experts")
    if figure is not None:
        from truegain.report.agreement_figures import agreement_chart, documents_chart
        from truegain.report.charts import save

        if show == "documents":
            if "max/min" not in found.documents.columns:
                raise TruegainError(
                    f"{option('--show')} documents has a figure for magnitudes alone: give {option('--scale')} ratio"
                )
            save(documents_chart(found.documents), figure)
        else:
            drawn = {name: getattr(found, name) if show in ("all", name) else None for name in ("topics", "assessors")}
            title = f"{found.overall.title}, {100 * confidence:g}% intervals"
            save(agreement_chart(**drawn, title=title), figure)
    if table_format_of(output_format, output) == "table":
        shown = found.tables() if show == "all" else [wanted]
        text = "\n\n".join(str(_first(t) if t is found.assessors else t) for t in shown)
        write_bytes(output, f"{text}\n".encode())
    else:
        write_table(wanted, output_format, output)


def _first(people: Table) -> Table:
    """The first assessors of a long table, those worth a second look before others; how many are left out is told."""
    if len(people.rows) <= MOST:
        return people
    note = f"{len(people.rows) - MOST:,} more of {len(people.rows):,} assessors: --show assessors --format csv has all"
    return Table(people.columns, people.rows[:MOST], people.provenance, people.title, (note, *people.notes))
