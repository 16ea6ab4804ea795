"""The command `truegain eval`: what the scores are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegain.cli.bundles import changed, takes
from truegain.cli.intervals import IntervalOptions, write_intervals, write_rectified
from truegain.cli.options import Inputs, JudgeModel, Judgments, Measures, RunFiles
from truegain.cli.output import ScoresPrinting, check_topics, check_wide, format_of, table_format_of, write_scores
from truegain.cli.progress import Progress
from truegain.cli.ratings import GainOptions, Reading
from truegain.cli.scored import Filling
from truegain.cli.writing import Writing
from truegain.config import Scoring
from truegain.errors import TruegainError
from truegain.inference.holes.evaluate import evaluate
from truegain.measures.evaluate import at_level
from truegain.measures.parse import NamedMeasure, parse_measure, parse_measures
from truegain.measures.trec_names import is_trec_name
from truegain.message import option
from truegain.tables.runs import RunPaths

if TYPE_CHECKING:
    from truegain.tables.likes import JudgmentsLike

USUAL = ["AP", "nDCG@10", "P@10", "RR"]


@takes(
    scoring=Scoring, inputs=Inputs, filling=Filling, gains=GainOptions, reading=Reading, moving=IntervalOptions,
    printing=ScoresPrinting, writing=Writing,
)  # fmt: skip
def eval_command(
    judgments: Judgments,
    runs: RunFiles,
    measure: Measures = None,
    intents: Annotated[
        Path | None, typer.Option("--intents", help="File of 'topic subtopic probability', 'inf' or 'nav' behind.")
    ] = None,
    judge_model: JudgeModel = None,
    *,
    scoring: Scoring,
    inputs: Inputs,
    filling: Filling,
    gains: GainOptions,
    reading: Reading,
    moving: IntervalOptions,
    printing: ScoresPrinting,
    writing: Writing,
) -> None:
    """Score runs against judgments: means, and with -q every topic; with --aggregate, against the gains of ratings."""
    chosen = format_of(printing.output_format, printing.output)
    if moving.intervals is None:
        check_wide(chosen, writing, topics=printing.by_topic, summary=not printing.no_summary)
    elif printing.output_format is None:
        table_format_of(None, printing.output)  # now, not when the work is done
    asked = parse_measures(measure or (["official"] if chosen == "trec" else USUAL))
    files, table = inputs.files(runs), gains.of(judgments, reading)
    if filling.unjudged_sample is not None:
        _check_plain(scoring, inputs, filling, gains, moving, printing, intents)
        write_rectified(files, judgments, asked, judge_model, filling, moving, scoring, inputs, printing, writing)
    elif moving.intervals is not None:
        if filling.fill is not None:
            raise TruegainError(
                f"{option('--fill')} predicted: predictions rank systems and have no interval of their own (what is "
                f"called 95% holds in 57% to 85%); leave {option('--intervals')} out, or have a sample of the unjudged "
                f"documents judged (truegain unjudged --show sample --fill predicted) and give "
                f"{option('--unjudged-sample')}"
            )
        write_intervals(files, table, asked, moving, scoring, inputs, printing, writing)
    elif moving.figure is not None:
        raise TruegainError(f"{option('--figure')} draws intervals; give {option('--intervals')} topics as well")
    else:
        _write_scores(files, judgments, table, asked, intents, scoring, inputs, filling, printing, writing)


def _write_scores(
    files: RunPaths,
    judgments: str,
    table: JudgmentsLike,
    asked: list[NamedMeasure],
    intents: Path | None,
    scoring: Scoring,
    inputs: Inputs,
    filling: Filling,
    printing: ScoresPrinting,
    writing: Writing,
) -> None:
    """Print scores; `table` is what the judgments are made into."""
    chosen = format_of(printing.output_format, printing.output)
    if printing.by_topic:
        check_topics(table, chosen, len(files), len(asked))
    with Progress(len(files), "runs scored") as progress:
        scores = evaluate(
            files, table, asked, scoring=scoring, fill=filling.fill, llm=filling.llm,
            intents=str(intents) if intents else None, corpus=inputs.corpus, judged_corpus=inputs.judged_corpus,
            jobs=inputs.jobs, progress=progress.advance,
        )  # fmt: skip
    sort = printing.sort
    if sort is not None:
        scores = scores.sorted_by(
            sort if sort in scores.asked else at_level(parse_measure(sort), scoring.relevant_from)
        )
    names = [a.name if is_trec_name(a.name) else str(a.measure) for a in asked]
    write_scores(
        writing.renamed(scores), chosen, printing.output, names,
        topics=printing.by_topic, summary=not printing.no_summary, inputs=[judgments, *files], writing=writing,
    )  # fmt: skip


def _check_plain(
    scoring: Scoring,
    inputs: Inputs,
    filling: Filling,
    gains: GainOptions,
    moving: IntervalOptions,
    printing: ScoresPrinting,
    intents: Path | None,
) -> None:
    """Refuse what a study of sampled holes does not know."""
    others: dict[str, Any] = {
        "--intents": intents, "--llm": filling.llm, "--method": moving.method,
        "--aggregate": gains.aggregate or gains.normalize, "--by-topic": printing.by_topic,
    }  # fmt: skip
    about = changed(scoring, inputs, leave_out=("relevant_from", "name_by", "jobs"))
    given = [*about.values(), *(o for o, v in others.items() if v)]
    if given:
        raise TruegainError(
            f"{', '.join(map(option, given))} has no place beside {option('--unjudged-sample')}, which scores as "
            "`truegain "
            "verdict` does and holds the predictions itself; leave it out"
        )
