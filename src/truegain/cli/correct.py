"""The command `truegain correct`: what the scores would be without the judge's errors."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from truegain.cli.compare import Jobs, NameBy, Output, OutputFormat
from truegain.cli.eval_ import Judgments, RunFiles
from truegain.cli.output import write_table
from truegain.tables.sources import expand

Gold = Annotated[str, typer.Option("--gold", help="Labels of the trusted judge for some of the same pairs.")]
DesignName = Literal["random", "by-bronze", "topics", "by-gold", "elsewhere"]
Design = Annotated[
    DesignName | None,
    typer.Option(
        "--design",
        help="How gold was sampled: random pairs; by-bronze label; whole topics; by-gold label; or elsewhere.",
    ),
]
GoldLevel = Annotated[
    float | None, typer.Option("--gold-level", help="Smallest relevant gold label (default: the measure's own).")
]
Missing = Annotated[
    Literal["refuse", "drop"], typer.Option("--missing", help="Gold pairs without a bronze label: stop, or leave out.")
]
Method = Literal["default", "lang-reiczigel", "fieller", "delta", "bootstrap", "rectify"]
Clusters = Annotated[
    Literal["topics", "none"], typer.Option("--clusters", help="Topics are the clusters; none: pairs are independent.")
]
Accuracy = Annotated[
    Literal["system", "lists", "given"] | None,
    typer.Option("--accuracy", help="Judge measured on gold pairs each system retrieved, any did, or all of them."),
]


def correct_command(
    judgments: Judgments,
    runs: RunFiles,
    gold: Gold,
    measure: Annotated[
        list[str] | None, typer.Option("-m", "--measure", help="A measure linear in gain, such as P@10 or DCG@10.")
    ] = None,
    design: Design = None,
    method: Annotated[Method, typer.Option("--method", help="The interval (default: the one right for --design).")] = (
        "default"
    ),
    gold_level: GoldLevel = None,
    accuracy: Accuracy = None,
    clusters: Clusters = "topics",
    missing: Missing = "refuse",
    confidence: Annotated[float, typer.Option("--confidence", help="Level of intervals.")] = 0.95,
    trials: Annotated[int, typer.Option("--trials", min=100, help="Replicates, where the method resamples.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same answer.")] = 0,
    name_by: NameBy = "file",
    jobs: Jobs = None,
    output_format: OutputFormat = None,
    output: Output = "-",
) -> None:
    """Correct scores for the errors of a cheap judge (crowd, LLM), measured on a sample of gold labels."""
    from truegain.inference.judges.correct import correct

    found = correct(
        expand(runs), judgments, gold, measure or ["P@10"], design=design, method=method, confidence=confidence,
        clusters=clusters, accuracy=accuracy, gold_level=gold_level, missing=missing, trials=trials, seed=seed,
        name_by=name_by, jobs=jobs,
    )  # fmt: skip
    write_table(found.table(), output_format, output)
