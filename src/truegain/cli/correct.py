"""The command `truegain correct`: what the scores would be without the judge's errors."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from truegain.cli.gold_options import Correcting, Gold, Labeling
from truegain.cli.options import (
    Confidence,
    Judgments,
    NameBy,
    RelevantFrom,
    RunFiles,
    SeedAndJobs,
    advanced,
    with_options,
)
from truegain.cli.output import TableOutput
from truegain.config import Gold as GoldLabels
from truegain.config import Ratings, Resampling, Scoring
from truegain.data.runs import RunPaths
from truegain.errors import TruegainError
from truegain.message import option


@with_options(labeling=Labeling, correcting=Correcting, compute=SeedAndJobs, table=TableOutput)
def correct_command(
    judgments: Judgments,
    runs: RunFiles,
    gold: Gold,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="Measure linear in the gain, such as P@10 or DCG@10; with gold labels of whole topics any mean over "
            "topics, such as nDCG@10 or AP. Repeatable (default: P@10).",
        ),
    ] = None,
    relevant_from: RelevantFrom = None,
    confidence: Confidence = 0.95,
    resamples: Annotated[int, advanced("--resamples", min=100, help="Number of resamples.")] = 2000,
    name_by: NameBy = "file",
    *,
    labeling: Labeling,
    correcting: Correcting,
    compute: SeedAndJobs,
    table: TableOutput,
) -> None:
    """Correct scores for the errors of a cheap judge (LLM or crowd), measured on gold labels.

    Examples:
        truegain correct demo/llm.qrels demo/runs --gold demo/gold_sample.qrels --design random
        truegain correct demo/llm.qrels demo/runs --gold demo/gold_topics.qrels --design topics -m DCG@10

    """
    from truegain.study.corrected_scores import correct
    from truegain.study.file_kinds import scores_in

    if scores := scores_in(judgments):
        score_option = f"{option('--score')} {shlex.quote(scores[0])}"
        raise TruegainError(
            f"{judgments} has values of answers, which `correct` does not read; `truegain verdict` and `report` "
            f"correct them by {option('--gold')} (with {score_option}), and `truegain doctor` shows the commands"
        )
    trusted, design = labeling.trusted(gold)
    estimates = correct(
        RunPaths.of(runs, name_by),
        labeling.bronze(judgments),
        measure or ["P@10"],
        GoldLabels(trusted, design, labeling.gold_relevant_from),
        confidence=confidence,
        ratings=Ratings(labeling.aggregate, labeling.scale if labeling.aggregate is None else None),
        unmatched=labeling.unmatched,
        scoring=Scoring(relevant_from),
        resampling=Resampling(resamples, **vars(compute)),
        **vars(correcting),
    )
    table.write(estimates.table())
