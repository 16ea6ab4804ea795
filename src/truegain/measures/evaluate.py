"""From runs and judgments to scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truegain.config import Scoring
from truegain.data.alignment import aligned, unchecked_labels_note
from truegain.data.intents import Intents, with_intents
from truegain.data.judgments import JudgmentsLike
from truegain.data.pool import RankedGains
from truegain.data.runs import RunsLike
from truegain.data.scores import Scores
from truegain.errors import TruegainError
from truegain.io.memory import MemoryLike, cores, needs_batches, streams_copied
from truegain.measures.parse import MeasuresLike, NamedMeasure, parse_measures
from truegain.measures.scoring import matching_for, measures_for, score

if TYPE_CHECKING:
    from truegain.text.corpus import CorpusLike

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
                    return replace(scores, caveats=(*unchecked_labels_note(None), *scores.caveats))
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
        raise TruegainError("a corpus of judged documents needs a corpus of retrieved documents; give corpus, too")
    if corpus is None or ranked.top is None:
        return ranked
    from truegain.text.divergence import RankedText

    return RankedText.of(ranked, corpus, judged_corpus)


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
