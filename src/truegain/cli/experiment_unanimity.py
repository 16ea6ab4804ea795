"""The command `truegain experiment unanimity`: what changes where gains know whether the assessors agreed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegain.cli.bundles import takes
from truegain.cli.counting import CountingOption
from truegain.cli.options import Figure, Jobs, Output, OutputFormat, RunFiles, Seed
from truegain.cli.options import Judgments as Judged
from truegain.cli.output import in_commands, table_format_of, write_table
from truegain.cli.progress import Progress
from truegain.cli.ratings import RatingsFile, Reading, reads_ratings
from truegain.errors import TruegainError
from truegain.message import option
from truegain.tables.checks import warn
from truegain.tables.scale import Scale

if TYPE_CHECKING:
    from truegain.experiments.unanimity_cells import UnanimityGrid
    from truegain.experiments.unanimity_panels import UnanimityExperiment
    from truegain.tables.judgments import Judgments


@dataclass(frozen=True, kw_only=True)
class Conclusions:
    """What is tested under both gains, and where the answer goes."""

    measure: Annotated[list[str] | None, typer.Option("-m", "--measure", help="A measure; may be repeated.")] = None
    replicates: Annotated[int, typer.Option("--resamples", min=1, help="Permutations of each Tukey test.")] = 5000
    counting: CountingOption = "plus-one"
    alpha: Annotated[float, typer.Option("--alpha", help="Level of significance.")] = 0.05
    seed: Seed = 0
    jobs: Jobs = None
    changed: Annotated[bool, typer.Option("--changed", help="For programs: the pairs, not the rankings.")] = False
    figure: Figure = None
    output_format: OutputFormat = None
    output: Output = "-"

    def tests(self) -> dict[str, Any]:
        """What both experiments are told of the tests."""
        from truegain.experiments.unanimity_panels import MEASURES

        return {
            "measures": self.measure or MEASURES, "replicates": self.replicates, "alpha": self.alpha,
            "seed": self.seed, "jobs": self.jobs, "counting": self.counting,
        }  # fmt: skip

    def check(self) -> None:
        """Refuse a figure that cannot be saved, before anything is computed."""
        if self.figure is not None:
            from truegain.report.saving import check_ending

            check_ending(self.figure)

    def write(self, found: UnanimityExperiment | UnanimityGrid, chart: Callable[[], Any]) -> None:
        """Write the answer, and draw its figure."""
        from truegain.tables.targets import write_bytes

        if table_format_of(self.output_format, self.output) == "table":
            shown = "\n\n".join(str(in_commands(table)) for table in found.tables())
            write_bytes(self.output, f"{shown}\n".encode())
        else:
            write_table(found.changed if self.changed else found.rankings, self.output_format, self.output)
        if self.figure is not None:
            from truegain.report.saving import save

            save(chart(), self.figure)


@takes(conclusions=Conclusions)
@reads_ratings
def unanimity_command(
    ratings: RatingsFile,
    runs: RunFiles,
    p: Annotated[
        list[float] | None, typer.Option("--p", help="Weight of unanimity; may be given several times.")
    ] = None,
    *,
    reading: Reading,
    conclusions: Conclusions,
) -> None:
    """Tell which conclusions change between the sum of ratings and the unanimity-aware gain."""
    from truegain.experiments.unanimity_panels import PS, unanimity
    from truegain.report.unanimity import unanimity_chart
    from truegain.tables.sources import expand

    conclusions.check()
    table, scale = from_0(reading, ratings)
    found = unanimity(table, expand(runs), scale=scale, ps=p or PS, **conclusions.tests())
    conclusions.write(found, lambda: unanimity_chart(found.panels))


@takes(conclusions=Conclusions)
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
    *,
    conclusions: Conclusions,
) -> None:
    """What unanimity changes for simulated assessors: a grid of scales and numbers of assessors (Sakai 2017)."""
    from truegain.experiments.unanimity_cells import unanimity_grid
    from truegain.report.unanimity import grid_chart
    from truegain.tables.sources import expand

    conclusions.check()
    sizes, counts = _whole("--dmax", dmax), _whole("--simulated-assessors", simulated_assessors)
    with Progress(len(sizes) * len(counts), "cells") as progress:
        found = unanimity_grid(
            expand(runs), judgments, highest=sizes, assessors=counts, p=p, progress=progress.advance,
            **conclusions.tests(),
        )  # fmt: skip
    conclusions.write(found, lambda: grid_chart(found.rankings))


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
        raise TruegainError(
            f"no rating is above {low:g}; declare the scale they were given on, as in {option('--scale')} 0:3"
        )
    warn(
        f"the limits of the ratings are not declared, and taken to be {low:g} and {high:g} (the highest there is); "
        f"if it could have been higher, declare them, as in --scale 0:{high + 1:g}"
        if declared.high is None
        else f"the lowest rating is not declared, and taken to be {low:g}; declare it, as in --scale {low:g}:{high:g}"
    )
    return table, replace(declared, low=low, high=high)
