"""From runs and judgments to scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truegain.config import Scoring
from truegain.data.alignment import align
from truegain.data.checks import check_documents, check_labels, check_order, check_overlap, check_scores
from truegain.data.id_matching import EVERY_RANK, Matching
from truegain.data.intents import Intents, with_intents
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.models import by_unchecked, unchecked_in
from truegain.data.pool import Pool, RankedGains
from truegain.data.run import Run
from truegain.data.runs import Runs, RunsLike, run_loaders
from truegain.data.scores import Scores
from truegain.errors import TruegainError
from truegain.io.file_options import file_options
from truegain.io.memory import MemoryLike, check_aligned, needs_batches, streams_copied
from truegain.io.threads import cores
from truegain.measures.parse import MeasuresLike, NamedMeasure, parse_measures
from truegain.measures.scoring import matching_for, measures_for, score

if TYPE_CHECKING:
    from truegain.text.corpus import CorpusLike

FEW_ROWS = 20_000  # of runs in memory: fewer are matched sooner than threads start

# ---- From runs and judgments to scores.


def evaluate(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: MeasuresLike,
    *,
    scoring: Scoring | None = None,
    intents: Intents | Mapping[str, Mapping[str, float]] | str | None = None,
    corpus: CorpusLike | None = None,
    judged_corpus: CorpusLike | None = None,
    jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
    memory: MemoryLike | None = None,
) -> Scores:
    """Score runs against judgments as they are, unjudged documents counting 0; `tg.evaluate` says what is taken."""
    parsed, how = parse_measures(measures), scoring or Scoring()
    workers = jobs or cores()
    with ExitStack() as copies:
        if intents is None and corpus is None:
            copies.enter_context(streams_copied(runs, judgments, memory))
            if needs_batches(runs, judgments, workers, memory):
                from truegain.measures.batches import evaluate_in_batches

                scores = evaluate_in_batches(
                    runs, judgments, parsed, how, jobs=workers, progress=progress, memory=memory
                )
                if scores is not None:
                    return replace(scores, caveats=(*by_whom(None), *scores.caveats))
        ranked = aligned_for(
            parsed, runs, judgments, how, corpus=corpus, judged_corpus=judged_corpus, jobs=jobs, progress=progress,
            memory=memory,
        )  # fmt: skip
    return score(with_intents(ranked, intents), measures_for(ranked, parsed), how)


def aligned_for(
    measures: Sequence[NamedMeasure],
    runs: object,
    judgments: object,
    scoring: Scoring,
    *,
    corpus: object = None,
    judged_corpus: object = None,
    **reading: Any,
) -> RankedGains:
    """Runs matched with judgments, with as much text as the measures read; further keywords are those of `aligned`."""
    keep = max((getattr(a.measure, "cutoff", 0) for a in measures if a.measure.reads_text), default=0)
    matching = matching_for([a.measure for a in measures], scoring)
    graded = any(not a.measure.of_subtopics for a in measures)
    ranked = aligned(runs, judgments, scoring, keep_top=keep, matching=matching, graded=graded, **reading)
    return with_text(ranked, corpus, judged_corpus)


def with_text(ranked: RankedGains, corpus: object, judged_corpus: object = None) -> RankedGains:
    """Ranked gains that know the text of their documents, where some measure reads it."""
    if corpus is None and judged_corpus is not None:
        raise TruegainError("a corpus of judged documents needs one of retrieved documents beside it; give corpus too")
    if corpus is None or ranked.top is None:
        return ranked
    from truegain.text.divergence import RankedText

    return RankedText.of(ranked, corpus, judged_corpus)


def aligned(
    runs: object,
    judgments: object,
    scoring: Scoring,
    *,
    jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
    keep_top: int = 0,
    keep_keys: int = 0,
    memory: MemoryLike | None = None,
    matching: Matching = EVERY_RANK,
    graded: bool = False,
) -> RankedGains:
    """Read, order and match runs with judgments, warning about what is suspicious.

    matching: which ranks count for the measures asked for (`matching_for`; by default all), and whether a system
    without a judged document there is refused.  graded: some measure needs one label a document, so that a second one
    is refused before anything else is said of the ids.  What takes more than `memory`, or than is there, is refused
    before it is read.
    """
    check_aligned(runs, judgments, jobs or cores(), memory)
    table = Judgments.of(judgments)
    check_labels(table)
    loaders, rows = _loaders(runs, table, jobs or cores())
    ranked, systems = align(
        Pool.of(table),
        loaders,
        trec_eval=int(scoring.trec_eval),
        jobs=1 if rows is not None and rows < FEW_ROWS else jobs or cores(),
        progress=progress,
        keep_top=keep_top,
        keep_keys=keep_keys,
        ties=scoring.ties,
        deepest=matching.deepest,
    )
    if graded:
        ranked.pool.check_one_label()
    Runs.check_names(ranked.systems, [s.source for s in systems])
    check_overlap(ranked.topics, systems, all_topics=scoring.all_topics)
    doubts, notes = check_documents(systems, ranked.pool.ids_of, matching)
    check_scores(systems, ranked.trec_eval, scoring.ties)
    return replace(ranked, doubts=doubts, caveats=(*by_whom(table), *notes))


def by_whom(judgments: Judgments | None) -> list[str]:
    """That a model gave the labels, and that nobody checked them; nothing where no model is named.

    judgments: None where they are read in batches, and so have nothing but what the command line says of them.
    """
    labels_by = unchecked_in(judgments, file_options().judge_model)
    if labels_by and file_options().unused_gold:
        return [f"by {labels_by} as they are: {file_options().unused_gold}"]
    return [by_unchecked(labels_by)] if labels_by else []


def loaders_of(runs: object, judgments: Judgments, jobs: int) -> list[Callable[[], Sequence[Run]]]:
    """Functions that give the runs; files are read only when their turn comes."""
    return _loaders(runs, judgments, jobs)[0]


def _loaders(runs: object, judgments: Judgments, jobs: int) -> tuple[list[Callable[[], Sequence[Run]]], int | None]:
    """The same, and how many rows they give; None of files, which nobody has read yet."""
    paths = isinstance(runs, str | os.PathLike) or (
        isinstance(runs, list | tuple) and runs and all(isinstance(r, str | os.PathLike) for r in runs)
    )
    if paths:
        return run_loaders(runs, jobs=jobs), None  # type: ignore[arg-type]
    loaded = Runs.of(runs)
    check_order(loaded, judgments)
    return [lambda part=part: [part] for part in loaded.parts], len(loaded)  # type: ignore[misc]


# ---- Scores: those that are given, or made of runs and judgments.


def scores_of(
    runs: RunsLike | Scores, judgments: JudgmentsLike | None, measure: Any, options: Mapping[str, Any]
) -> Scores:
    """Scores as they are given, or of runs and judgments with the options of `evaluate`."""
    if isinstance(runs, Scores):
        if judgments is not None or options.keys() - {"jobs"}:
            raise TruegainError(
                "these are scores already: judgments and options of evaluate do not apply; leave them out"
            )
        runs.check_judged()
        return runs
    if judgments is None:
        raise TruegainError("judgments are missing; give them after the runs, or give Scores")
    if measure is None:
        raise TruegainError("which measure? Give one, such as 'AP'")
    return evaluate(runs, judgments, measure, **options)
