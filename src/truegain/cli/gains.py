"""The command `truegain gains`: what each document is worth."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from truegain.cli.ratings import (
    NormaliseOption,
    POption,
    RatingsFile,
    Reading,
    RuleOption,
    SpreadOption,
    ToleranceOption,
    WeightOption,
    gains_of,
    given,
    reads_ratings,
)
from truegain.errors import TruegainError
from truegain.gains.magnitudes import normalised
from truegain.message import option
from truegain.tables.judgments import Judgments
from truegain.tables.write import kind_to_write, write_judgments


@reads_ratings
def gains_command(
    ratings: RatingsFile,
    rule: RuleOption = None,
    p: POption = None,
    spread: SpreadOption = None,
    trim: Annotated[
        float | None, typer.Option("--trim", help="--spread trimmed: the share left out at either end (default 0.2).")
    ] = None,
    share: Annotated[
        float | None, typer.Option("--supermajority", help="Rule supermajority: the share needed (default 2/3).")
    ] = None,
    ties: Annotated[
        Literal["low", "high", "mean"] | None,
        typer.Option("--winner", help="Rule majority: which of several labels wins."),
    ] = None,
    n_iter: Annotated[
        int | None, typer.Option("--n-iter", min=1, help="Rules dawid-skene, glad, mace: the most steps of the fit.")
    ] = None,
    tolerance: ToleranceOption = None,
    normalise: NormaliseOption = None,
    weight_assessors: WeightOption = None,
    aggregate: Annotated[
        Literal["median", "geometric", "arithmetic"] | None,
        typer.Option("--aggregate", help="Magnitudes: how the normalised ones become a gain (default median)."),
    ] = None,
    units: Annotated[
        Literal["all", "top3", "narrow", "wide"],
        typer.Option(
            "--units",
            help="Magnitudes: only the three units a document that order best as --expert does; "
            "--normalise is then geometric by default.",
        ),
    ] = "all",
    expert: Annotated[
        str | None,
        typer.Option(
            "--expert", help="Judgments of experts, for --units, flagged: a file, column:NAME, assessor:NAME."
        ),
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="Where to write the gains; - is stdout.")] = "-",
    *,
    reading: Reading,
) -> None:
    """Make one gain of each document's ratings, and write them as judgments (qrels, or by the ending of --output)."""
    kind_to_write(output)  # now, not when the work is done
    if rule is not None and aggregate is not None:
        raise TruegainError(
            f"{option('--rule')} and {option('--aggregate')} both say how ratings become a gain; give one"
        )
    if units != "all" and weight_assessors is not None:
        raise TruegainError(
            f"{option('--units')} {units} chooses whose ratings count; leave out {option('--weight-assessors')}"
        )
    usual = normalise or ("geometric" if units != "all" else None)
    table = reading.load(ratings, normalise=usual, expert=expert)
    scale = reading.scale
    if units != "all":
        if expert is None:
            raise TruegainError(
                f"{option('--units')} {units} needs {option('--expert')}, the judgments to choose units by"
            )
        table = _of_units(table, units, expert, usual or "geometric")
        normalise, scale = None, "ratio"  # both are done with
        aggregate = None if rule else aggregate or "median"
    parameters = given(
        p=p,
        spread=spread,
        trim=trim,
        share=share,
        ties=ties,
        n_iter=n_iter,
        tolerance=tolerance,
        weight_assessors=weight_assessors,
    )
    gains = gains_of(table, rule or aggregate, scale=scale, normalise=normalise, **parameters)
    write_judgments(gains, output)


def _of_units(table: Judgments, units: str, expert: str, normalise: str) -> Judgments:
    """The ratings of some units, normalised by all."""
    from truegain.experiments.magnitude_units import Units, read_magnitudes

    moved = normalised(read_magnitudes(table), normalise)
    return moved.take(Units.of(moved, Judgments.of(expert)).rows(units))
