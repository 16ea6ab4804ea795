"""The command `truegain experiment unanimity`: what changes where gains know whether the assessors agreed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from truegain.cli.counting import CountingOption
from truegain.cli.options import Figure, Jobs, Output, OutputFormat, RunFiles, Seed
from truegain.cli.options import Judgments as Judged
from truegain.cli.output import table_format_of, write_table
from truegain.cli.progress import Progress
from truegain.cli.ratings import RatingsFile, Reading, reads_ratings
from truegain.errors import TruegainError
from truegain.tables.checks import warn
from truegain.tables.scale import Scale

if TYPE_CHECKING:
    from truegain.tables.judgments import Judgments


@reads_ratings
def unanimity_command(
    ratings: RatingsFile,
    runs: RunFiles,
    p: Annotated[
        list[float] | None, typer.Option("--p", help="Weight of unanimity; may be given several times.")
    ] = None,
    measure: Annotated[list[str] | None, typer.Option("-m", "--measure", help="A measure; may be repeated.")] = None,
    trials: Annotated[
        int, typer.Option("--replicates", "--trials", min=1, help="Permutations of the Tukey test.")
    ] = 5000,
    counting: CountingOption = "plus-one",
    alpha: Annotated[float, typer.Option("--alpha", help="Level of significance.")] = 0.05,
    seed: Seed = 0,
    jobs: Jobs = None,
    changed: Annotated[bool, typer.Option("--changed", help="For programs: the pairs, not the rankings.")] = False,
    figure: Figure = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    reading: Reading,
) -> None:
    """Tell which conclusions change between the sum of ratings and the unanimity-aware gain."""
    from truegain.experiments.unanimity import MEASURES, PS, unanimity
    from truegain.tables.sources import expand, write_bytes

    if figure is not None:
        from truegain.report.saving import check_ending

        check_ending(figure)
    table, scale = from_0(reading, ratings)
    files, ps, measures = expand(runs), p or PS, measure or MEASURES
    found = unanimity(
        table,
        files,
        scale=scale,
        ps=ps,
        measures=measures,
        trials=trials,
        alpha=alpha,
        seed=seed,
        jobs=jobs,
        counting=counting,
    )
    if table_format_of(output_format, output) == "table":
        write_bytes(output, f"{found}\n".encode())
    else:
        write_table(found.changed if changed else found.rankings, output_format, output)
    if figure is not None:
        from truegain.report.saving import save
        from truegain.report.unanimity import unanimity_chart

        save(unanimity_chart(found.panels), figure)


def grid_command(
    judgments: Judged,
    runs: RunFiles,
    dmax: Annotated[
        str, typer.Option("--dmax", help="Highest ratings of the simulated scales, with commas.")
    ] = "2,4,8",
    simulated_assessors: Annotated[
        str, typer.Option("--simulated-assessors", help="Numbers of simulated assessors, with commas.")
    ] = "5,10,20,40,80",
    p: Annotated[float, typer.Option("--p", help="Weight of unanimity.")] = 0.2,
    measure: Annotated[list[str] | None, typer.Option("-m", "--measure", help="A measure; may be repeated.")] = None,
    trials: Annotated[
        int, typer.Option("--replicates", "--trials", min=1, help="Permutations of each Tukey test.")
    ] = 5000,
    counting: CountingOption = "plus-one",
    alpha: Annotated[float, typer.Option("--alpha", help="Level of significance.")] = 0.05,
    seed: Seed = 0,
    jobs: Jobs = None,
    changed: Annotated[bool, typer.Option("--changed", help="For programs: the pairs, not the rankings.")] = False,
    figure: Figure = None,
    output_format: OutputFormat = None,
    output: Output = "-",
) -> None:
    """What unanimity changes for simulated assessors: a grid of scales and numbers of assessors (Sakai 2017)."""
    from truegain.experiments.unanimity import MEASURES
    from truegain.experiments.unanimity_grid import unanimity_grid
    from truegain.report.saving import check_ending, save
    from truegain.report.unanimity import grid_chart
    from truegain.tables.sources import expand, write_bytes

    if figure is not None:
        check_ending(figure)
    sizes, counts = _whole("--dmax", dmax), _whole("--simulated-assessors", simulated_assessors)
    with Progress(len(sizes) * len(counts), "cells") as progress:
        found = unanimity_grid(
            judgments, expand(runs), highest=sizes, assessors=counts, p=p, measures=measure or MEASURES,
            trials=trials, alpha=alpha, seed=seed, jobs=jobs, counting=counting, progress=progress.advance,
        )  # fmt: skip
    if table_format_of(output_format, output) == "table":
        write_bytes(output, f"{found}\n".encode())
    else:
        write_table(found.changed if changed else found.rankings, output_format, output)
    if figure is not None:
        save(grid_chart(found.rankings), figure)


def _whole(option: str, text: str) -> list[int]:
    try:
        return [int(n) for n in text.split(",")]
    except ValueError:
        raise TruegainError(f"{option} {text}: not whole numbers with commas, such as 2,4,8") from None


def from_0(reading: Reading, path: str) -> tuple[Judgments, Scale]:
    """Ratings and their scale, which goes from 0 to the highest rating there is where the user declares no limits."""
    declared = Scale.of(reading.scale)
    low = 0.0 if declared.low is None else declared.low
    table = reading.load(path, scale=replace(declared, low=low))
    if declared.width is not None:
        return table, declared
    high = float(table.label.max()) if declared.high is None else declared.high
    if high <= low:
        raise TruegainError(f"no rating is above {low:g}; declare the scale they were given on, as in --scale 0:3")
    warn(
        f"the limits of the ratings are not declared, and taken to be {low:g} and {high:g} (the highest there is); "
        f"if it could have been higher, declare them, as in --scale 0:{high + 1:g}"
        if declared.high is None
        else f"the lowest rating is not declared, and taken to be {low:g}; declare it, as in --scale {low:g}:{high:g}"
    )
    return table, replace(declared, low=low, high=high)
