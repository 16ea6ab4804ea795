"""The commands `truegain judge ...`: how good a cheap judge is, and labels by language models."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from truegain import config
from truegain.cli.gold_options import Gold, Labeling
from truegain.cli.judge_run import run_command
from truegain.cli.options import (
    AnswerOptions,
    JudgmentsOrAnswers,
    NameBy,
    RelevantFrom,
    SeedAndJobs,
    advanced,
    changed,
    measure_of_answers,
    refuse_for_answers,
    refuse_preferences,
    with_options,
)
from truegain.cli.output import TableOutput
from truegain.cli.streams import tell
from truegain.cli.study_files import is_from_study_file
from truegain.config import Gold as GoldConfig
from truegain.data.items import Items
from truegain.data.judgments import Judgments as LabelTable
from truegain.data.runs import RunPaths
from truegain.errors import TruegainError
from truegain.io.files import expand
from truegain.measures.catalogue import MeasuresLike
from truegain.message import option
from truegain.results.base import Table

judge = typer.Typer(name="judge", no_args_is_help=True)


@judge.callback()
def judge_root() -> None:
    """Check a cheap judge, such as an LLM or a crowd, against gold labels; or label with LLM judges.

    Examples:
        truegain judge check demo/llm.qrels --gold demo/gold_sample.qrels --design random
        truegain judge check demo/leaning.qrels demo/runs --gold demo/gold_sample.qrels --design random

    """


@judge.command("check")
@with_options(answers=AnswerOptions, labeling=Labeling, compute=SeedAndJobs, table=TableOutput)
def check_command(
    judgments: JudgmentsOrAnswers,
    gold: Gold,
    runs: Annotated[
        list[str] | None,
        typer.Argument(help="Runs, to test whether the judge favors some systems.", metavar="[RUN...]"),
    ] = None,
    show: Annotated[
        Literal["labels", "topics", "systems", "assessors"] | None,
        typer.Option(
            "--show",
            help="Accuracy by gold label, topic, system or assessor (default: the last of these that the data allow).",
        ),
    ] = None,
    measure: Annotated[
        str,
        typer.Option(
            "-m", "--measure", help="Measure that weights the documents of the runs and says which are relevant."
        ),
    ] = "P@10",
    relevant_from: RelevantFrom = None,
    resamples: Annotated[
        int, advanced("--resamples", min=100, help="Number of permutations for the test over systems.")
    ] = 2000,
    name_by: NameBy = "file",
    *,
    answers: AnswerOptions,
    labeling: Labeling,
    compute: SeedAndJobs,
    table: TableOutput,
) -> None:
    """Measure how accurate a judge is, against gold labels.

    Shows its accuracy by label, topic, system or assessor, checks whether the data fit together and, with runs, whether
    the judge favors some systems. For scores in logs or tables (--score), shows the judge's mean error and its
    correlation with people's values.

    Examples:
        truegain judge check demo/llm.qrels --gold demo/gold_sample.qrels --design random
        truegain judge check demo/leaning.qrels demo/runs --gold demo/gold_sample.qrels --design random --show systems

    """
    from truegain.judge_error.judge_quality import bronze_of, judge_quality
    from truegain.measures.catalogue import parse_measure
    from truegain.measures.scoring import at_level
    from truegain.report.gather import judges_by_list
    from truegain.study.gold import gold_and_design

    refuse_preferences("judge check", judgments)
    items = answers.items([judgments, *expand(runs or [])])
    if items is not None:
        refuse_for_answers(
            changed(labeling, leave_out=("design", "columns"))
            | ({"relevant_from": "--relevant-from"} if relevant_from is not None else {})
            | ({"name_by": "--name-by"} if name_by != "file" else {})
        )
        measures = answers.chosen_measures(items, measure_of_answers(items, measure, "P@10"))
        table.write(_of_answers(items, measures, labeling, gold, show))
        return
    if show == "assessors" and labeling.aggregate is not None:
        raise TruegainError(
            f"{option('--aggregate')} makes one judge of all assessors, {option('--show')} assessors rates each; "
            "give one"
        )
    measure = _weighing(measure) if runs and is_from_study_file("measure") else measure
    files = RunPaths.of(runs, name_by) if runs else None
    bronze, (trusted, design, listed) = labeling.bronze(judgments), gold_and_design(GoldConfig(gold, labeling.design))
    if listed is not None and listed.design == "ordered":
        if show in ("topics", "assessors"):
            raise TruegainError(
                f"{option('--show')} {show}: labels sampled for differences show accuracy by label or system only"
            )
        if show == "systems" and files is None:
            raise TruegainError("accuracy by system needs the runs; give them after the gold labels")
        parsed = at_level(parse_measure(measure), relevant_from)
        bronze, gold_from = bronze_of(bronze, labeling.aggregate)[0], labeling.gold_relevant_from
        table.write(
            judges_by_list(listed, bronze, files, parsed, show, gold_from, resamples, compute.seed, compute.jobs)
        )
        return
    quality = judge_quality(
        bronze,
        gold=config.Gold(labeling.on_scale(LabelTable.of(trusted)), design, labeling.gold_relevant_from),
        runs=files,
        measure=measure,
        scoring=config.Scoring(relevant_from),
        show=show,
        aggregate=labeling.aggregate,
        scale=labeling.labels,
        unmatched=labeling.unmatched,
        resampling=config.Resampling(resamples, **vars(compute)),
    )
    table.write(quality)


def _of_answers(items: Items, measures: MeasuresLike | None, labeling: Labeling, gold: str, show: str | None) -> Table:
    """The judge's values of answers beside those of people; by label only where these are pass and fail."""
    from truegain.judge_error.label_tables import label_table
    from truegain.study.judge_by_system import value_errors
    from truegain.study.study import Study

    if show in ("topics", "assessors"):
        raise TruegainError(f"{option('--show')} {show}: values of answers are shown for each system; leave it out")
    study = Study(items, measures=measures, gold=GoldConfig(gold, labeling.design))
    values = value_errors(study)
    if show != "labels":
        return values.table()
    if not values.is_binary or study.judge is None:
        raise TruegainError(f"{option('--show')} labels needs values of 0 and 1, as of pass and fail; leave it out")
    return label_table(study.judge.confusion)


def _weighing(measure: str) -> str:
    """A study's measure; where its ranks have no weights of their own, the precision at its cutoff."""
    from truegain.measures.catalogue import parse_measure

    parsed = parse_measure(measure)
    cutoff = getattr(parsed, "cutoff", None)
    if parsed.linear_in_gains or cutoff is None:
        return measure
    tell(f"{parsed} does not weigh ranks: `judge check` uses P@{cutoff}; choose another with -m", "note")
    return f"P@{cutoff}"


judge.command("run")(run_command)
