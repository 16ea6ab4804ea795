"""The command `truegain eval`: scores of runs, with --intervals their confidence intervals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegain.cli.options import (
    AnswerOptions,
    Confidence,
    Figure,
    Inputs,
    JudgeModel,
    JudgmentsOrAnswers,
    Measures,
    RunFiles,
    Seed,
    advanced,
    changed,
    refuse_for_answers,
    with_options,
)
from truegain.cli.output import (
    ScoresPrinting,
    Writing,
    check_topics,
    check_wide,
    format_of,
    table_format_of,
    write_scores,
    write_table,
)
from truegain.cli.rating_options import GainOptions, RatingOptions
from truegain.cli.scored import Filling
from truegain.cli.streams import Progress
from truegain.config import RESAMPLES, Resampling, Scoring
from truegain.data.runs import RunPaths
from truegain.errors import TruegainError
from truegain.io.files import expand
from truegain.measures.catalogue import MeasuresLike, NamedMeasure, is_trec_name, parse_measure, parse_measures
from truegain.measures.scoring import at_level
from truegain.message import option
from truegain.pooling.evaluate import evaluate
from truegain.results.formats import FORMATS

if TYPE_CHECKING:
    from truegain.data.items import Items
    from truegain.data.judgments import JudgmentsLike
    from truegain.stats.results import Estimate, ResultList


@dataclass(frozen=True, kw_only=True)
class EvalInputs(Inputs):
    """What is read beside judgments, and who made these."""

    intents: Annotated[
        Path | None,
        advanced("--intents", help="File of intents: topic, subtopic, probability and, optionally, inf or nav."),
    ] = None
    judge_model: JudgeModel = None


# ---- What `truegain eval --intervals` prints: every mean with how far it would move.


@dataclass(frozen=True, kw_only=True)
class IntervalOptions:
    """How far means move, and how that is told."""

    intervals: Annotated[
        str | None,
        typer.Option(
            "--intervals",
            help="Confidence intervals of the means, over topics, collection or topics+collection; fixed: these "
            "topics only, with --unjudged-sample.",
        ),
    ] = None
    method: Annotated[
        str | None,
        advanced(
            "--method",
            help="Interval method: wilson, t, studentized, logit, percentile, bca, bootstrap, parametric, ...",
        ),
    ] = None
    resamples: Annotated[int, advanced("--resamples", min=2, help="Number of resamples.")] = RESAMPLES
    confidence: Confidence = 0.95
    seed: Seed = 0
    figure: Figure = None


def write_intervals(
    runs: RunPaths,
    judgments: JudgmentsLike,
    measures: Sequence[NamedMeasure],
    moving: IntervalOptions,
    scoring: Scoring,
    inputs: Inputs,
    printing: ScoresPrinting,
    writing: Writing,
) -> None:
    """Print estimates over topics, collection or topics+collection, by commas."""
    from truegain.study.intervals import IntervalSettings, made_intervals

    check_format(printing.output_format)
    chosen = table_format_of(printing.output_format, printing.output)  # type: ignore[arg-type]
    if writing.is_wide(chosen, else_shown=printing.by_topic) and printing.by_topic:
        raise TruegainError(f"{option('--wide')} shows systems by measures, and -q shows topics; give one of them")
    with Progress(len(runs), "runs read") as progress, Progress(None, "pieces drawn") as drawn:
        settings = IntervalSettings(
            tuple(part.strip() for part in str(moving.intervals).split(",")),
            scoring,
            moving.method,
            moving.confidence,
            printing.by_topic,
            Resampling(moving.resamples, moving.seed, inputs.jobs),
            drawn.advance,
        )
        estimates = made_intervals(
            runs,
            judgments,
            list(measures),
            settings,
            progress=progress.advance,
            corpus=inputs.corpus,
            judged_corpus=inputs.judged_corpus,
        )
    write_estimates(writing.renamed(estimates), measures, moving.figure, printing, writing)


def check_format(chosen: str | None) -> None:
    """Refuse formats of scores that estimates do not have."""
    if chosen is not None and chosen not in FORMATS:
        raise TruegainError(f"intervals cannot be printed as {chosen}; choose from {', '.join(FORMATS)}")


def write_estimates(
    estimates: ResultList[Estimate],
    measures: Sequence[NamedMeasure],
    figure: str | None,
    printing: ScoresPrinting,
    writing: Writing,
) -> None:
    """Print estimates, sorted as asked, and draw them."""
    from truegain.stats.results import table_of

    rows: Sequence[Estimate] = estimates
    if (sort := printing.sort) is not None:
        names = {a.name: str(a.measure) for a in measures}
        first = {e.system: e.value for e in reversed(rows) if e.measure == names.get(sort, sort)}
        if not first:
            raise TruegainError(f"which measure? There are {', '.join(dict.fromkeys(e.measure for e in rows))}")
        rows = sorted(rows, key=lambda e: -first[e.system])
    left_out = ("notes", "confidence") if printing.by_topic else ("notes", "confidence", "topic")
    table = table_of(rows, provenance=estimates.provenance, leave_out=left_out)
    table = replace(table, notes=(*table.notes, *estimates.notes))
    if figure is not None:
        from truegain.report.charts import save
        from truegain.report.figures import intervals_chart

        save(intervals_chart(rows), figure)
    chosen = table_format_of(printing.output_format, printing.output)  # type: ignore[arg-type]
    if writing.is_wide(chosen, else_shown=printing.by_topic):
        table = replace(estimates, items=tuple(rows)).paper(**writing.style)
    write_table(table, chosen, printing.output)


def write_rectified(
    runs: RunPaths,
    judgments: JudgmentsLike,
    measures: Sequence[NamedMeasure],
    filling: Filling,
    moving: IntervalOptions,
    scoring: Scoring,
    inputs: EvalInputs,
    printing: ScoresPrinting,
    writing: Writing,
) -> None:
    """Print scores with a sample of unjudged documents: over topics (usual), or for these topics only."""
    from truegain.config import UnjudgedSample
    from truegain.data.judgments import read_judgments
    from truegain.study.reading import FIXED
    from truegain.study.study import Study

    if moving.intervals not in (None, "topics", FIXED):
        raise TruegainError(
            f"{option('--intervals')} {moving.intervals}: with a sample of the unjudged documents give topics (topics "
            "like these, the usual), or fixed (these topics only)"
        )
    check_format(printing.output_format)
    study = Study(
        runs,
        read_judgments(judgments, model=inputs.judge_model),
        list(measures),
        population=moving.intervals or "topics",
        unjudged=UnjudgedSample(str(filling.unjudged_sample), predicted=filling.fill is not None),
        confidence=moving.confidence,
        scoring=Scoring(relevant_from=scoring.relevant_from),
        resampling=Resampling(jobs=inputs.jobs),
    )
    write_estimates(writing.renamed(study.estimates()), measures, moving.figure, printing, writing)


# ---- The command `truegain eval`: what the scores are.

USUAL = ["AP", "nDCG@10", "P@10", "RR"]


@with_options(
    answers=AnswerOptions,
    scoring=Scoring,
    inputs=EvalInputs,
    filling=Filling,
    gains=GainOptions,
    reading=RatingOptions,
    moving=IntervalOptions,
    printing=ScoresPrinting,
    writing=Writing,
)
def eval_command(
    judgments: JudgmentsOrAnswers,
    runs: RunFiles,
    measure: Measures = None,
    *,
    answers: AnswerOptions,
    scoring: Scoring,
    inputs: EvalInputs,
    filling: Filling,
    gains: GainOptions,
    reading: RatingOptions,
    moving: IntervalOptions,
    printing: ScoresPrinting,
    writing: Writing,
) -> None:
    """Score runs against relevance judgments, as trec_eval does.

    Prints the mean of each measure; -q adds every topic, --intervals confidence intervals. With --aggregate, the
    judgments are ratings by several assessors. For logs of evaluation tools, prints the means of their scores.

    Examples:
        truegain eval demo/gold.qrels demo/runs -m nDCG@10 -m P@10
        truegain eval demo/gold.qrels demo/runs -m AP --intervals topics --sort AP

    """
    if (moving.intervals or "").startswith("-"):  # another option, taken for its value
        raise TruegainError(
            f"{option('--intervals')}: give topics, collection, topics+collection or fixed, not {moving.intervals}"
        )
    chosen = format_of(printing.output_format, printing.output)
    items = answers.items([judgments, *expand(runs)], writing.called)
    if items is not None:
        refuse_for_answers(changed(scoring, inputs, filling, gains, leave_out=("jobs", "judge_model")))
        measures = answers.chosen_measures(items, measure)
        _write_answers(items, measures, [judgments, *expand(runs)], moving, printing, writing)
        return
    if moving.intervals is None:
        check_wide(chosen, writing, topics=printing.by_topic, summary=not printing.no_summary)
    elif printing.output_format is None:
        table_format_of(None, printing.output)  # now, not when the work is done
    measures = parse_measures(measure or (["official"] if chosen == "trec" else USUAL))
    files, table = inputs.files(runs), gains.of(judgments, reading)
    if filling.unjudged_sample is not None:
        _check_plain(scoring, inputs, filling, gains, moving, printing)
        write_rectified(files, judgments, measures, filling, moving, scoring, inputs, printing, writing)
    elif moving.intervals is not None:
        if filling.fill is not None:
            raise TruegainError(
                f"{option('--fill')} predicted: predictions rank systems and have no interval (nominal 95% intervals "
                f"cover 57% to 85%); leave {option('--intervals')} out, or have a sample of the unjudged documents "
                f"judged (truegain unjudged --show sample --fill predicted) and give {option('--unjudged-sample')}"
            )
        write_intervals(files, table, measures, moving, scoring, inputs, printing, writing)
    elif moving.figure is not None:
        raise TruegainError(f"{option('--figure')} draws intervals; give {option('--intervals')} topics as well")
    else:
        _write_scores(files, judgments, table, measures, scoring, inputs, filling, printing, writing)


def _write_answers(
    items: Items,
    measures: MeasuresLike | None,
    files: Sequence[str],
    moving: IntervalOptions,
    printing: ScoresPrinting,
    writing: Writing,
) -> None:
    """Print scores of answers: means and topics, or means with intervals over topics or their clusters."""
    from truegain.measures.items import scores_of_items
    from truegain.study.item_inputs import answer_scores
    from truegain.study.study import Study

    if moving.intervals is None:
        if moving.figure is not None:
            raise TruegainError(f"{option('--figure')} draws intervals; give {option('--intervals')} topics as well")
        names = None if measures is None else [measures]
        plain = measures is None or isinstance(measures, str)  # scores by their names, or measures of nuggets
        scores = scores_of_items(items, names) if plain else answer_scores(items, measures)  # type: ignore[arg-type]
        scores = scores if printing.sort is None else scores.sorted_by(printing.sort)
        chosen = format_of(printing.output_format, printing.output)
        whole = {"topics": printing.by_topic, "summary": not printing.no_summary}
        write_scores(scores, chosen, printing.output, scores.measures, **whole, inputs=files, writing=writing)
        return
    if moving.intervals != "topics" or moving.method is not None or printing.by_topic:
        raise TruegainError(
            f"{option('--intervals')} of values of answers are by t over topics; give {option('--intervals')} topics "
            f"alone, and {option('--cluster')} where topics were sampled in clusters"
        )
    check_format(printing.output_format)
    each = list(measures) if isinstance(measures, Collection) and not isinstance(measures, str) else [measures]
    studies = [Study(items, measures=one, confidence=moving.confidence).estimates() for one in each]  # own topics each
    write_estimates(_with_own_notes(studies), (), moving.figure, printing, writing)


def _with_own_notes(estimates: Sequence[ResultList[Estimate]]) -> ResultList[Estimate]:
    """Estimates by several measures, each note with the measures that it is about where others have another one."""
    from truegain.stats.results import ResultList

    joined = ResultList.joined(estimates)
    if len(estimates) == 1:
        return estimates[0]
    about = {note: [e[0].measure for e in estimates if note in e.notes] for note in joined.notes}
    notes = (note if len(of) == len(estimates) else f"{', '.join(of)}: {note}" for note, of in about.items())
    return replace(joined, notes=tuple(notes))


def _write_scores(
    files: RunPaths,
    judgments: str,
    table: JudgmentsLike,
    measures: list[NamedMeasure],
    scoring: Scoring,
    inputs: EvalInputs,
    filling: Filling,
    printing: ScoresPrinting,
    writing: Writing,
) -> None:
    """Print scores; `table` is what the judgments are made into."""
    chosen = format_of(printing.output_format, printing.output)
    if printing.by_topic:
        check_topics(table, chosen, len(files), len(measures))
    with Progress(len(files), "runs scored") as progress:
        scores = evaluate(
            files,
            table,
            measures,
            scoring=scoring,
            fill=filling.fill,
            llm=filling.llm,
            intents=str(inputs.intents) if inputs.intents else None,
            progress=progress.advance,
            **inputs.for_scores,
        )
    sort = printing.sort
    if sort is not None:
        scores = scores.sorted_by(
            sort if sort in scores.aliases else at_level(parse_measure(sort), scoring.relevant_from)
        )
    names = [a.name if is_trec_name(a.name) else str(a.measure) for a in measures]
    write_scores(
        writing.renamed(scores),
        chosen,
        printing.output,
        names,
        topics=printing.by_topic,
        summary=not printing.no_summary,
        inputs=[judgments, *files],
        writing=writing,
    )


def _check_plain(
    scoring: Scoring,
    inputs: EvalInputs,
    filling: Filling,
    gains: GainOptions,
    moving: IntervalOptions,
    printing: ScoresPrinting,
) -> None:
    """Refuse what a study of sampled unjudged documents does not know."""
    others: dict[str, Any] = {
        "--llm": filling.llm,
        "--method": moving.method,
        "--aggregate": gains.aggregate or gains.normalize,
        "--by-topic": printing.by_topic,
    }
    names = [*changed(scoring, inputs, leave_out=("relevant_from", "name_by", "jobs", "judge_model")).values()]
    if names := names + [name for name, value in others.items() if value]:
        raise TruegainError(
            f"{', '.join(map(option, names))} cannot be combined with {option('--unjudged-sample')}, which scores as "
            "`truegain verdict` does and includes the predictions; leave it out"
        )
