"""The command `truegain correct`: what the scores would be without the judge's errors."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

import typer

from truegain.cli.gold_options import Correcting, Gold, Labeling
from truegain.cli.options import (
    AnswerOptions,
    Confidence,
    JudgmentsOrAnswers,
    NameBy,
    RelevantFrom,
    RunFiles,
    SeedAndJobs,
    advanced,
    refuse_for_answers,
    refuse_preferences,
    with_options,
)
from truegain.cli.output import TableOutput
from truegain.cli.study_files import is_from_study_file
from truegain.config import LEAST_RESAMPLES, RESAMPLES, Ratings, Resampling, Scoring
from truegain.config import Gold as GoldLabels
from truegain.data.runs import RunPaths
from truegain.io.files import expand


@dataclass(frozen=True, kw_only=True)
class Resamples(SeedAndJobs):
    """How often is drawn, for methods that resample."""

    resamples: Annotated[int, advanced("--resamples", min=LEAST_RESAMPLES, help="Number of resamples.")] = RESAMPLES


_OF_ANSWERS = ("design",)  # options of a study file that are heeded for answers, too


def _typed(options: Any) -> Any:
    """The options without what a study file says of runs, for other commands."""
    of_file = [f for f in fields(options) if f.name not in _OF_ANSWERS and is_from_study_file(f.name)]
    return replace(options, **{f.name: f.default for f in of_file})


@with_options(answers=AnswerOptions, labeling=Labeling, correcting=Correcting, compute=Resamples, table=TableOutput)
def correct_command(
    judgments: JudgmentsOrAnswers,
    runs: RunFiles,
    gold: Gold,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="Measure linear in the gain, such as P@10 or DCG@10; with gold labels of whole topics, any mean "
            "over topics, such as nDCG@10 or AP; for nuggets, V_strict and others. Repeatable, or with commas "
            "(default: P@10; V_strict for nuggets).",
        ),
    ] = None,
    relevant_from: RelevantFrom = None,
    confidence: Confidence = 0.95,
    name_by: NameBy = "file",
    *,
    answers: AnswerOptions,
    labeling: Labeling,
    correcting: Correcting,
    compute: Resamples,
    table: TableOutput,
) -> None:
    """Correct scores for the errors of a cheap judge (LLM or crowd), measured on gold labels.

    Works on scores of runs, scores of answers in logs and tables (--score), and scores of nuggets.

    Examples:
        truegain correct demo/llm.qrels demo/runs --gold demo/gold_sample.qrels --design random
        truegain correct demo/llm.qrels demo/runs --gold demo/gold_topics.qrels --design topics -m DCG@10

    """
    from truegain.study.corrected_scores import correct

    refuse_preferences("correct", judgments)
    items = answers.items([judgments, *expand(runs)])
    if items is not None:
        refuse_for_answers({"name_by": "--name-by"} if name_by != "file" else {})
        typed = measure if items.are_nuggets or not is_from_study_file("measure") else None
        measures = answers.chosen_measures(items, typed)
        labeling, correcting, compute = _typed(labeling), _typed(correcting), _typed(compute)
        resamples = None if compute.resamples == Resamples.resamples else compute.resamples
        estimates = correct(  # which refuses the options that mean nothing of answers
            items,
            None,
            measures,
            GoldLabels(gold, labeling.design, labeling.gold_relevant_from),
            confidence=confidence,
            ratings=Ratings(
                labeling.aggregate, labeling.scale, repeated=labeling.repeated, out_of_range=labeling.out_of_range
            ),
            unmatched=labeling.unmatched,
            scoring=Scoring(None if is_from_study_file("relevant_from") else relevant_from),
            resampling=Resampling(resamples, compute.seed, compute.jobs),
            **vars(correcting),
        )
        table.write(estimates.table())
        return
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
        resampling=Resampling(compute.resamples, compute.seed, compute.jobs),
        **vars(correcting),
    )
    table.write(estimates.table())
