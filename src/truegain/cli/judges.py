"""The command `truegain judges`: how good a cheap judge is, where, and whether the data fit together."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import typer

from truegain.cli.bundles import takes
from truegain.cli.gold import Gold, Labelling
from truegain.cli.options import Jobs, Judgments, NameBy, Output, OutputFormat, Seed
from truegain.cli.output import write_table
from truegain.errors import TruegainError
from truegain.tables.judgments import Judgments as LabelTable
from truegain.tables.sources import expand
from truegain.tables.table import Table


@takes(labelling=Labelling)
def judges_command(
    judgments: Judgments,
    gold: Gold,
    runs: Annotated[
        list[str] | None, typer.Argument(help="Runs, to see whether the judge favours some.", metavar="[RUN...]")
    ] = None,
    show: Annotated[
        Literal["labels", "topics", "systems", "assessors"] | None,
        typer.Option(
            "--show",
            help="Accuracy by gold label, topic, system or assessor (default: what the data allow, the last first).",
        ),
    ] = None,
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="Which documents of the runs count, and what is relevant.")
    ] = "P@10",
    trials: Annotated[
        int, typer.Option("--replicates", "--trials", min=100, help="Permutations of the test over systems.")
    ] = 2000,
    seed: Seed = 0,
    name_by: NameBy = "file",
    jobs: Jobs = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    labelling: Labelling,
) -> None:
    """Tell how good the judge is, where, whether the data fit together, and whether it favours some systems."""
    from truegain.inference.judges.assessors import assessor_table, bronze_of, is_ratings
    from truegain.inference.judges.label_weights import levels_of
    from truegain.inference.judges.report import judge_report

    rule, design, gold_level = labelling.rule, labelling.design, labelling.gold_level
    if show == "assessors" and rule is not None:
        raise TruegainError("--rule makes one judge of all assessors, --show assessors keeps them apart; give one")
    read = labelling.bronze(judgments)
    trusted = labelling.held(LabelTable.of(gold))
    if show == "assessors" or (show is None and rule is None and is_ratings(read)):
        levels = levels_of(measure, gold_level)
        write_table(assessor_table(read, trusted, design=design, levels=levels), output_format, output)
        return
    bronze, said = bronze_of(read, rule)
    table: Table = judge_report(
        bronze, trusted, expand(runs) if runs else None, design=design, measure=measure, gold_level=gold_level,
        missing=labelling.unmatched, labels=labelling.labels, show=show, trials=trials, seed=seed, name_by=name_by,
        jobs=jobs,
    )  # fmt: skip
    write_table(replace(table, notes=(*said, *table.notes)), output_format, output)
