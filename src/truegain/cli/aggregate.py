"""The command `truegain aggregate`: ratings of each document combined into one label."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from truegain.aggregation.aggregate import rule_forms
from truegain.aggregation.magnitudes import normalized
from truegain.cli.options import advanced, refuse_answers, with_options
from truegain.cli.rating_options import NormalizeOption, RatingOptions, RatingsFile, WeightOption, gains_of
from truegain.data.judgments import Judgments
from truegain.data.writing import kind_to_write, write_judgments
from truegain.errors import TruegainError
from truegain.message import option

RULES = "; ".join(rule_forms())


@with_options(reading=RatingOptions)
def aggregate_command(
    ratings: RatingsFile,
    aggregate: Annotated[
        str | None,
        typer.Option(
            "--aggregate",
            help=f"Rule, with parameters in parentheses (default: mean; median of normalized ratings): {RULES}.",
        ),
    ] = None,
    normalize: NormalizeOption = None,
    weight_assessors: WeightOption = None,
    units: Annotated[
        Literal["all", "top3", "narrow", "wide"],
        advanced(
            "--units",
            help="For magnitudes: units that give a document's label. top3: the three that agree best with --expert; "
            "narrow, wide: the same among units with a narrow or wide scale. --normalize is then geometric by "
            "default.",
        ),
    ] = "all",
    expert: Annotated[
        str | None,
        advanced("--expert", help="Judgments of an expert, for --units: a file, column:NAME or assessor:NAME."),
    ] = None,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Judgments to write, by their ending .qrels, .csv, ...; - for stdout.")
    ] = "-",
    *,
    reading: RatingOptions,
) -> None:
    """Combine the ratings of each document into one label, and write them as judgments.

    Examples:
        truegain aggregate demo/ratings.csv --aggregate majority -o majority.csv
        truegain aggregate demo/magnitudes.csv --normalize geometric --aggregate median -o magnitudes.csv

    """
    kind_to_write(output)  # now, not when the work is done
    refuse_answers("aggregate", ratings)
    if units != "all" and weight_assessors is not None:
        raise TruegainError(
            f"{option('--units')} {units} chooses whose ratings count; leave out {option('--weight-assessors')}"
        )
    usual = normalize or ("geometric" if units != "all" else None)
    table = reading.load(ratings, normalize=usual, expert=expert)
    scale = reading.scale
    if units != "all":
        if expert is None:
            raise TruegainError(
                f"{option('--units')} {units} needs {option('--expert')}, the judgments to choose units by"
            )
        table = _of_units(table, units, expert, usual or "geometric")
        normalize, scale = None, "ratio"  # both are done with
        aggregate = aggregate or "median"
    gains = gains_of(table, aggregate, scale=scale, normalize=normalize, weight_assessors=weight_assessors)
    write_judgments(gains, output)


def _of_units(table: Judgments, units: str, expert: str, normalize: str) -> Judgments:
    """The ratings of some units, normalized by all."""
    from truegain.experiments.magnitude_units import Units, read_magnitudes

    moved = normalized(read_magnitudes(table), normalize)
    return moved.take(Units.of(moved, Judgments.of(expert)).rows(units))
