"""From runs and judgments to scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truegain.config import Scoring
from truegain.cores import cores
from truegain.errors import TruegainError
from truegain.measures.direct import measures_for
from truegain.measures.parse import MeasuresLike, NamedMeasure, parse_measures
from truegain.measures.scoring import at_level as at_level
from truegain.measures.scoring import heeded as heeded
from truegain.measures.scoring import matching_for as matching_for
from truegain.measures.scoring import score as score
from truegain.measures.scoring import view_of as view_of
from truegain.tables.align import align
from truegain.tables.checks import check_documents, check_labels, check_order, check_overlap, check_scores
from truegain.tables.header import told
from truegain.tables.intents import Intents, with_intents
from truegain.tables.judgments import Judgments
from truegain.tables.matched import EVERY_RANK, Matching
from truegain.tables.memory import MemoryLike, check_aligned, needs_batches, streams_copied
from truegain.tables.models_used import by_unchecked, unchecked_in
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains
from truegain.tables.runs import Run, Runs, run_loaders
from truegain.tables.scores import Scores

if TYPE_CHECKING:
    from truegain.tables.likes import JudgmentsLike, RunsLike
    from truegain.text.corpus import CorpusLike


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
    asked, how = parse_measures(measures), scoring or Scoring()
    workers = jobs or cores()
    with ExitStack() as copies:
        if intents is None and corpus is None:
            copies.enter_context(streams_copied(runs, judgments, memory))
            if needs_batches(runs, judgments, workers, memory):
                from truegain.measures.in_batches import evaluate_in_batches

                scores = evaluate_in_batches(
                    runs, judgments, asked, how, jobs=workers, progress=progress, memory=memory
                )
                if scores is not None:
                    return replace(scores, caveats=(*by_whom(None), *scores.caveats))
        ranked = aligned_for(
            asked, runs, judgments, how, corpus=corpus, judged_corpus=judged_corpus, jobs=jobs, progress=progress,
            memory=memory,
        )  # fmt: skip
    return score(with_intents(ranked, intents), measures_for(ranked, asked), how)


def aligned_for(
    asked: Sequence[NamedMeasure],
    runs: object,
    judgments: object,
    scoring: Scoring,
    *,
    corpus: object = None,
    judged_corpus: object = None,
    **reading: Any,
) -> RankedGains:
    """Runs matched with judgments, with as much text as the measures read; further keywords are those of `aligned`."""
    keep = max((getattr(a.measure, "cutoff", 0) for a in asked if a.measure.reads_text), default=0)
    matching = matching_for([a.measure for a in asked], scoring)
    ranked = aligned(runs, judgments, scoring, keep_top=keep, matching=matching, **reading)
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
) -> RankedGains:
    """Read, order and match runs with judgments, warning about what is suspicious.

    matching: which ranks count for the measures asked for (`matching_for`; by default all), and whether a system
    without a judged document there is refused.  What takes more than `memory`, or than is there, is refused before it
    is read.
    """
    check_aligned(runs, judgments, jobs or cores(), memory)
    table = Judgments.of(judgments)
    check_labels(table)
    ranked, systems = align(
        Pool.of(table),
        loaders_of(runs, table, jobs or cores()),
        trec_eval=int(scoring.trec_eval),
        jobs=jobs or cores(),
        progress=progress,
        keep_top=keep_top,
        keep_keys=keep_keys,
        ties=scoring.ties,
        deepest=matching.deepest,
    )
    Runs.check_names(ranked.systems, [s.source for s in systems])
    check_overlap(ranked.topics, systems, all_topics=scoring.all_topics)
    doubts, said = check_documents(systems, ranked.pool.ids_of, matching)
    check_scores(systems, ranked.trec_eval, scoring.ties)
    return replace(ranked, doubts=doubts, caveats=(*by_whom(table), *said))


def by_whom(judgments: Judgments | None) -> list[str]:
    """That a model gave the labels, and that nobody checked them; nothing where no model is named.

    judgments: None where they are read in batches, and so have nothing but what the command line says of them.
    """
    labels_by = unchecked_in(judgments, told().judge_model)
    if labels_by and told().unused_gold:
        return [f"by {labels_by} as they are: {told().unused_gold}"]
    return [by_unchecked(labels_by)] if labels_by else []


def loaders_of(runs: object, judgments: Judgments, jobs: int) -> list[Callable[[], Sequence[Run]]]:
    """Functions that give the runs; files are read only when their turn comes."""
    paths = isinstance(runs, str | os.PathLike) or (
        isinstance(runs, list | tuple) and runs and all(isinstance(r, str | os.PathLike) for r in runs)
    )
    if paths:
        return run_loaders(runs, jobs=jobs)  # type: ignore[arg-type]
    given = Runs.of(runs)
    check_order(given, judgments)
    return [lambda part=part: [part] for part in given.parts]  # type: ignore[misc]
