"""The commands `truegain plan ...`: what to buy next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from truegain.cli.compare import (
    Complete,
    Depth,
    Jobs,
    JudgedOnly,
    Level,
    NameBy,
    NoRelevant,
    Output,
    OutputFormat,
    TrecEval,
    scored,
)
from truegain.cli.eval_ import Judgments, RunFiles
from truegain.cli.gold import (
    Columns,
    Design,
    Gold,
    GoldLevel,
    Labels,
    Missing,
    Outside,
    Repeated,
    Rule,
    both_labels,
)
from truegain.cli.output import table_format_of, write_table
from truegain.errors import TruegainError
from truegain.tables.sources import expand

plan = typer.Typer(name="plan", help="What to buy next: topics, labels, assessors.", no_args_is_help=True)


@plan.callback()
def plan_root() -> None:
    """What to buy next: topics, labels, assessors."""


@plan.command("topics")
def topics_command(
    judgments: Judgments,
    runs: RunFiles,
    detect: Annotated[
        float, typer.Option("--detect", help="The smallest difference worth finding; for width, the widest interval.")
    ],
    measure: Annotated[str, typer.Option("-m", "--measure", help="A measure, such as nDCG@10 or map.")] = "AP",
    power: Annotated[float, typer.Option("--power", help="Chance to find that difference.")] = 0.8,
    alpha: Annotated[float, typer.Option("--alpha", help="Chance to find one that is not there.")] = 0.05,
    design: Annotated[
        Literal["paired-t", "anova", "width"],
        typer.Option("--design", help="Two systems on the same topics, best against worst of all, or interval width."),
    ] = "paired-t",
    method: Annotated[
        Literal["exact", "approximate"],
        typer.Option("--method", help="Noncentral distributions, or the published approximations."),
    ] = "exact",
    complete: Complete = False,
    level: Level = None,
    depth: Depth = None,
    judged_only: JudgedOnly = False,
    no_relevant: NoRelevant = "zero",
    trec_eval: TrecEval = "10",
    name_by: NameBy = "file",
    jobs: Jobs = None,
    output_format: OutputFormat = None,
    output: Output = "-",
) -> None:
    """How many topics are needed to detect a difference, with the variance of the runs at hand."""
    from truegain.inference.differences.topic_plan import plan_topics

    scores = scored(
        judgments, runs, [measure], name_by=name_by, jobs=jobs, complete=complete, level=level, depth=depth,
        judged_only=judged_only, no_relevant=no_relevant, trec_eval=trec_eval,
    )  # fmt: skip
    found = plan_topics(scores, detect=detect, power=power, alpha=alpha, design=design, method=method)
    write_table(found.table, output_format, output)


@plan.command("labels")
def labels_command(
    judgments: Judgments,
    runs: RunFiles,
    gold: Gold,
    cost_bronze: Annotated[float, typer.Option("--cost-bronze", help="Price of a bronze label.")],
    cost_gold: Annotated[float, typer.Option("--cost-gold", help="Price of a gold label, in the same currency.")],
    measure: Annotated[str, typer.Option("-m", "--measure", help="A measure, such as P@10.")] = "P@10",
    design: Design = None,
    detect: Annotated[
        float | None,
        typer.Option("--detect", help="The difference worth finding (default: the corrected one so far)."),
    ] = None,
    power: Annotated[float, typer.Option("--power", help="Chance to find that difference.")] = 0.8,
    confidence: Annotated[float, typer.Option("--confidence", help="1 - alpha of the test.")] = 0.95,
    rule: Rule = None,
    gold_level: GoldLevel = None,
    labels: Labels = None,
    outside: Outside = "error",
    repeated: Repeated = "error",
    columns: Columns = None,
    missing: Missing = "refuse",
    batch: Annotated[
        int | None, typer.Option("--batch", min=1, help="Size of the next batch (default: what the plan wants).")
    ] = None,
    figure: Annotated[
        str | None, typer.Option("--figure", help="Also draw cost against difference: FILE.svg, .png or .html.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same batch.")] = 0,
    name_by: NameBy = "file",
    jobs: Jobs = None,
    output_format: OutputFormat = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Where to write the pairs to send to the gold judge next.")
    ] = None,
    table: Annotated[str, typer.Option("--table", help="Where to print the table; - is stdout.")] = "-",
) -> None:
    """How many bronze and gold labels show a difference at least cost, and which pairs to have gold-judged next."""
    from truegain.inference.judges.judge import Judge
    from truegain.inference.labels.report import plan as plan_of_labels
    from truegain.report.label_costs import cost_chart, with_bars
    from truegain.report.saving import check_ending, save
    from truegain.tables.write import kind_to_write, write_judgments

    if output is not None:
        kind_to_write(output)  # now, not when the work is done
    if figure is not None:
        check_ending(figure)
    if output == table == "-":
        raise TruegainError(
            "the table and the next batch cannot both go to standard output; give --table FILE or -o FILE"
        )
    read = both_labels(
        judgments, gold, rule=rule, labels=labels, outside=outside, repeated=repeated, columns=columns
    )  # fmt: skip
    judge = Judge.fit(
        read.bronze, read.gold, design, measure, gold_level=gold_level, missing=missing, scale=read.labels
    )
    found = plan_of_labels(
        expand(runs), read.bronze, judge, measure, cost_bronze=cost_bronze, cost_gold=cost_gold, design=design,
        detect=detect, power=power, confidence=confidence, gold_level=gold_level, missing=missing, batch=batch,
        seed=seed, name_by=name_by, jobs=jobs,
    )  # fmt: skip
    if found.batch is not None and output is not None:
        write_judgments(found.batch, output)
    elif output is not None:
        typer.echo(_not_written(output, found.about_batch), err=True)
    if figure is not None:
        save(cost_chart(found), figure)
    shown = replace(found.table, notes=(*read.said, *found.table.notes))
    plain = table_format_of(output_format, table) == "table"
    write_table(with_bars(shown) if plain else shown, output_format, table)


def _not_written(output: str, why: str) -> str:
    """That there is no batch to write, and that an older file of that name is not one."""
    old = f"; the {output} that is there is an older one" if Path(output).exists() else ""
    return f"note: {output} was not written{old}. {why}"


@plan.command("assessors")
def assessors_command(
    sigma: Annotated[float, typer.Option("--sigma", help="Standard deviation of the ratings of a document.")],
    error: Annotated[float, typer.Option("--error", help="How far the mean may lie from that of all assessors.")],
    confidence: Annotated[float, typer.Option("--confidence", help="How sure to be of that.")] = 0.95,
    output_format: OutputFormat = None,
    output: Output = "-",
) -> None:
    """How many assessors a document needs for its mean rating to be this close to that of all."""
    from truegain.inference.agreement.plan import assessors_needed

    write_table(assessors_needed(sigma, error, confidence).table, output_format, output)
