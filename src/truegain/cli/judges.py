"""The command `truegain judges`: how good a cheap judge is, where, and whether the data fit together."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from truegain.cli.compare import Jobs, NameBy, Output, OutputFormat
from truegain.cli.correct import Design, Gold, GoldLevel, Missing
from truegain.cli.eval_ import Judgments
from truegain.cli.output import write_table
from truegain.tables.sources import expand
from truegain.tables.table import Table


def judges_command(
    judgments: Judgments,
    gold: Gold,
    runs: Annotated[
        list[str] | None, typer.Argument(help="Runs, to see whether the judge favours some.", metavar="[RUN...]")
    ] = None,
    design: Design = None,
    show: Annotated[
        Literal["labels", "topics", "systems"] | None,
        typer.Option("--show", help="Accuracy by gold label, by topic, or by system (default: systems with runs)."),
    ] = None,
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="Which documents of the runs count, and what is relevant.")
    ] = "P@10",
    gold_level: GoldLevel = None,
    missing: Missing = "refuse",
    trials: Annotated[int, typer.Option("--trials", min=100, help="Permutations of the test over systems.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same answer.")] = 0,
    name_by: NameBy = "file",
    jobs: Jobs = None,
    output_format: OutputFormat = None,
    output: Output = "-",
) -> None:
    """Tell how good the judge is, where, whether the data fit together, and whether it favours some systems."""
    from truegain.inference.judges.report import judge_report

    table: Table = judge_report(
        judgments, gold, expand(runs) if runs else None, design=design, measure=measure, gold_level=gold_level,
        missing=missing, show=show, trials=trials, seed=seed, name_by=name_by, jobs=jobs,
    )  # fmt: skip
    write_table(table, output_format, output)
