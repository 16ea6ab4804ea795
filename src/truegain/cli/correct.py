"""The command `truegain correct`: what the scores would be without the judge's errors."""

from __future__ import annotations

from typing import Annotated

import typer

from truegain.cli.label_options import Correcting, Gold, Labelling
from truegain.cli.options import (
    Confidence,
    Jobs,
    Judgments,
    NameBy,
    Output,
    OutputFormat,
    RelevantFrom,
    RunFiles,
    Seed,
    advanced,
    takes,
)
from truegain.cli.output import write_table
from truegain.config import Gold as GoldLabels
from truegain.config import Ratings, Resampling, Scoring
from truegain.data.runs import RunPaths


@takes(labelling=Labelling, correcting=Correcting)
def correct_command(
    judgments: Judgments,
    runs: RunFiles,
    gold: Gold,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="Measure linear in the gain, such as P@10 or DCG@10. Repeatable."),
    ] = None,
    relevant_from: RelevantFrom = None,
    confidence: Confidence = 0.95,
    resamples: Annotated[int, advanced("--resamples", min=100, help="Number of resamples.")] = 2000,
    seed: Seed = 0,
    name_by: NameBy = "file",
    jobs: Jobs = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    labelling: Labelling,
    correcting: Correcting,
) -> None:
    """Correct scores for the errors of a cheap judge (LLM or crowd), measured on gold labels.

    Examples:
        truegain correct demo/llm.qrels demo/runs --gold demo/gold_sample.qrels --design random
        truegain correct demo/llm.qrels demo/runs --gold demo/gold_topics.qrels --design topics -m DCG@10

    """
    from truegain.study.corrected_scores import correct

    trusted, design = labelling.trusted(gold)
    found = correct(
        RunPaths.of(runs, name_by), labelling.bronze(judgments), measure or ["P@10"],
        GoldLabels(trusted, design, labelling.gold_relevant_from), confidence=confidence,
        ratings=Ratings(labelling.aggregate, labelling.scale if labelling.aggregate is None else None),
        unmatched=labelling.unmatched, scoring=Scoring(relevant_from), resampling=Resampling(resamples, seed, jobs),
        **vars(correcting),
    )  # fmt: skip
    write_table(found.table(), output_format, output)
