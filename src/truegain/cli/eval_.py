"""The command `truegain eval`: what the scores are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from truegain.cli.output import Format, format_of, write_scores
from truegain.cli.progress import Progress
from truegain.measures.evaluate import at_level, evaluate
from truegain.measures.parse import parse_measure, parse_measures
from truegain.tables.sources import expand

Judgments = Annotated[
    str, typer.Argument(help="Judgments: TREC qrels, subtopic qrels, CSV, JSONL or Parquet; - is stdin.")
]
RunFiles = Annotated[list[str], typer.Argument(help="Runs: files, folders or globs; - is stdin.", metavar="RUN...")]

USUAL = ["AP", "nDCG@10", "P@10", "RR"]


def eval_command(
    judgments: Judgments,
    runs: RunFiles,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="A measure, such as nDCG@10 or map; may be given several times."),
    ] = None,
    topics: Annotated[bool, typer.Option("-q", "--topics", help="Also print each topic.")] = False,
    no_summary: Annotated[bool, typer.Option("-n", "--no-summary", help="Leave out the means.")] = False,
    complete: Annotated[
        bool, typer.Option("-c", "--complete", help="All judged topics count; one that a run lacks counts 0.")
    ] = False,
    level: Annotated[
        float | None, typer.Option("-l", "--level", help="Smallest label that is relevant (default 1).")
    ] = None,
    depth: Annotated[int | None, typer.Option("-M", "--depth", help="Keep the first so many documents.")] = None,
    judged_only: Annotated[
        bool, typer.Option("-J", "--judged-only", help="Drop unjudged documents from the lists first.")
    ] = False,
    output_format: Annotated[
        Format | None, typer.Option("--format", help="How to print (default table, or by the ending of --output).")
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="Where to print; - is stdout.")] = "-",
    sort: Annotated[str | None, typer.Option("--sort", help="Best system first by this measure.")] = None,
    name_by: Annotated[
        Literal["file", "tag"], typer.Option("--name-by", help="Name systems by file or by run tag.")
    ] = "file",
    no_relevant: Annotated[
        Literal["zero", "skip"],
        typer.Option("--no-relevant", help="A topic with nothing to find counts 0, or is left out."),
    ] = "zero",
    trec_eval: Annotated[
        Literal["9", "10"],
        typer.Option("--trec-eval", help="Whose rules: 9 compares scores as float32, 10 as double."),
    ] = "10",
    intents: Annotated[
        Path | None, typer.Option("--intents", help="File of 'topic subtopic probability [inf|nav]'.")
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Threads (default: all cores).")] = None,
) -> None:
    """Score runs against judgments: means, and with -q every topic."""
    chosen = format_of(output_format, output)
    asked = parse_measures(measure or (["official"] if chosen == "trec" else USUAL))
    files = expand(runs)
    with Progress(len(files), "runs scored") as progress:
        scores = evaluate(
            files,
            judgments,
            asked,
            intents=str(intents) if intents else None,
            name_by=name_by,
            jobs=jobs,
            progress=progress.advance,
            complete=complete,
            level=level,
            depth=depth,
            judged_only=judged_only,
            no_relevant=no_relevant,
            trec_eval=trec_eval,
        )
    if sort is not None:
        scores = scores.sorted_by(sort if sort in scores.asked else at_level(parse_measure(sort), level))
    names = [a.name for a in asked]
    write_scores(scores, chosen, output, names, topics=topics, summary=not no_summary, inputs=[judgments, *files])
