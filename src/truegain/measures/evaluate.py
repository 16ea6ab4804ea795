"""From runs and judgments to scores: all at once, or some topics at a time where memory does not hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from truegain.config import Scoring
from truegain.data.alignment import Lists, align, aligned, unchecked_labels_note
from truegain.data.batches import Batches, batches_of, first_fault, first_fault_of_files
from truegain.data.checks import Grades, LargeLabels, check_documents, check_overlap, check_scores, tell_grades
from truegain.data.id_matching import Matched, Matching
from truegain.data.intents import Intents, with_intents
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.pool import Pool, RankedGains
from truegain.data.runs import Runs, RunsLike
from truegain.data.scores import Scores
from truegain.errors import InputError, TruegainError
from truegain.io.columns import Floats, Names
from truegain.io.memory import MemoryLike, cores, needs_batches, streams_copied
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasuresLike, NamedMeasure, parse_measures
from truegain.measures.scoring import (
    ChosenLabels,
    at_level,
    fractions_in,
    levels_of,
    matching_for,
    measures_for,
    score,
    scored,
    tell_fractions,
    view_of,
)

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


# ---- Scores of some topics at a time, put together: the same as if all were scored at once.

Summarize = Callable[[Measure, Floats], Floats]


def is_of_topics_alone(measure: Measure) -> bool:
    """Whether a topic's value depends on nothing but the topic: no text is read, and no label of another topic.

    >>> from truegain.measures.catalogue import parse_measure
    >>> [is_of_topics_alone(parse_measure(name)) for name in ("nDCG@10", "ERR@10", "ERR(max_rel='scale')@10")]
    [True, True, False]
    """
    if measure.reads_text:
        return False
    values = [getattr(measure, field.name) for field in fields(measure)]
    return "scale" not in values and all(is_of_topics_alone(v) for v in values if isinstance(v, Measure))


@dataclass(frozen=True)
class SeenSystem:
    """What was noticed of a run over all batches; see `SeenRun` of `data.checks`."""

    system: str
    missing: int
    noticed: Mapping[str, int]
    unjudged_topics: Names
    matched: Matched


class BatchScores:
    """What batches gave, one after the other: scores of their topics, and what is to be told of the data."""

    def __init__(self, systems: int) -> None:
        self.parts: list[Scores] = []
        self.topics: list[Names] = []
        self.unjudged: list[Names] = []
        self.unjudged_by_system: list[list[Names]] = [[] for _ in range(systems)]
        self.missing, self.lists = [0] * systems, [0] * systems
        self.noticed: list[Counter[str]] = [Counter() for _ in range(systems)]
        self.matched, self.judged_ids = [Matched()] * systems, dict[str, Sequence[str]]()
        self.labels, self.fractions = LargeLabels(), 0
        self.grades: Grades | None = None

    def look_at_labels(self, judgments: Judgments) -> None:
        """The labels of a batch."""
        self.labels += LargeLabels.of(judgments)
        self.fractions += fractions_in(judgments.label)

    def look_at_runs(self, systems: Sequence[Lists], pool: Pool) -> None:
        """The runs of a batch, matched with its judgments."""
        for number, seen in enumerate(systems):
            self.missing[number] += seen.missing
            self.lists[number] += seen.lists
            self.noticed[number].update(seen.noticed)
            self.matched[number] += seen.matched
            self.unjudged_by_system[number].append(Names.of(seen.unjudged_topics))
        self.unjudged.append(Names.of(sorted({t for seen in systems for t in seen.unjudged_topics})))
        kept = {topic for matched in self.matched for topic, _ in matched.unknown} - self.judged_ids.keys()
        self.judged_ids |= pool.ids_of(kept)  # why ids do not match is told at the end

    def add(self, scores: Scores, grades: Grades | None) -> None:
        """The scores of a batch, whose topics come behind all that were there, and its labels."""
        self.topics.append(Names.of(scores.topics))
        self.parts.append(replace(scores, topics=()))
        if grades is not None:
            self.grades = grades if self.grades is None else self.grades + grades

    def tell(
        self, systems: Sequence[str], measures: Sequence[NamedMeasure], levels: Sequence[float], options: Scoring,
        matching: Matching,
    ) -> tuple[str, ...]:  # fmt: skip
        """What is suspicious in all batches together, told in the order in which it is of data read at once.

        Given is what is to be said wherever scores are shown.
        """
        self.labels.tell()
        seen = [
            SeenSystem(name, missing, noticed, Names.joined(unjudged), matched)
            for name, missing, noticed, unjudged, matched in zip(
                systems, self.missing, self.noticed, self.unjudged_by_system, self.matched, strict=True
            )
        ]
        check_overlap(Names.joined(self.topics), seen, Names.joined(self.unjudged), all_topics=options.all_topics)
        _, caveats = check_documents(seen, lambda topics: {topic: self.judged_ids[topic] for topic in topics}, matching)
        check_scores(seen, int(options.trec_eval), options.ties)
        tell_fractions(measures, self.fractions, self.labels.labels)
        if self.grades is not None:
            tell_grades(self.grades, levels, options.no_relevant == "skip")
        return caveats

    def scores(self, systems: Sequence[str], chosen: Sequence[Measure], summarize: Summarize) -> Scores:
        """All scores, with the summaries of all topics."""
        values: dict[str, npt.NDArray[Any]] = {}
        summaries: dict[str, Floats] = {}
        first = self.parts[0]
        for name, measure in {str(m): m for m in chosen}.items():  # one may be asked for by several names
            pieces = [part.values[name] for part in self.parts]
            totals = [part.summaries[name] for part in self.parts]
            for part in self.parts:
                del part.values[name]  # type: ignore[attr-defined]  # lest all stand in memory twice
            values[name] = np.concatenate(pieces, axis=1)
            del pieces
            added = measure.mean == "total" or values[name].dtype == object  # counts, which add up, and texts
            summaries[name] = np.sum(totals, axis=0) if added else summarize(measure, values[name])
        return replace(
            first, systems=tuple(systems), topics=Names.joined(self.topics), values=values, summaries=summaries
        )


# ---- Scores of runs and judgments that do not fit into memory.


def evaluate_in_batches(
    runs: object,
    judgments: object,
    measures: Sequence[NamedMeasure],
    scoring: Scoring,
    *,
    jobs: int,
    progress: Callable[[int], None] | None,
    memory: MemoryLike | None,
) -> Scores | None:
    """Scores, some topics at a time; None where files or measures do not allow it: tables, or the text of documents.

    They are those of `evaluate` to the last bit: a topic's value depends on the topic alone, topics come in the order
    of their bytes, and means are made of all of them at the end.
    """
    if not all(is_of_topics_alone(a.measure) for a in measures):
        return None
    with ExitStack() as open_files:
        try:
            batches = batches_of(runs, judgments, jobs=jobs, memory=memory, open_files=open_files)
        except InputError as error:
            if error.line is None:  # no fault of a line
                raise
            raise first_fault_of_files(runs, judgments, error, jobs, scoring.ties) from None
        return None if batches is None else _in_batches(batches, measures, scoring, jobs, progress)


def _in_batches(
    batches: Batches,
    measures: Sequence[NamedMeasure],
    scoring: Scoring,
    jobs: int,
    progress: Callable[[int], None] | None,
) -> Scores:
    """The scores of topics that do not all fit into memory."""
    chosen = [at_level(a.measure, scoring.relevant_from) for a in measures]
    levels, runs = levels_of(chosen), len(batches.runs)
    gathered, graded = BatchScores(runs), any(not m.of_subtopics for m in chosen)
    marked = {str(m): ChosenLabels() for m in chosen}
    trec_eval, matching = int(scoring.trec_eval), matching_for(chosen, scoring)
    try:
        for number, batch in enumerate(batches):
            gathered.look_at_labels(batch.judgments)
            ranked, systems = align(
                Pool.of(batch.judgments), batch.loaders, trec_eval=trec_eval, jobs=jobs, ties=scoring.ties,
                deepest=matching.deepest,
            )  # fmt: skip
            if graded:
                ranked.pool.check_one_label()
            gathered.look_at_runs(systems, ranked.pool)
            if ranked.topics:
                grades = Grades.of(ranked, min(levels, default=None)) if graded else None
                gathered.add(scored(ranked, measures, scoring), grades)
                for m in chosen if batches.chosen_from is not None else ():
                    marked[str(m)] += ChosenLabels.of(view_of(ranked, m, scoring), m)
            if progress is not None:
                progress(runs * (number + 1) // len(batches) - runs * number // len(batches))
        batches.check_unchanged()
        batches.check_rows([bool(gathered.topics), *gathered.lists])
    except InputError as error:
        raise first_fault(batches, error, scoring.ties) from None
    Runs.check_names(batches.systems, [lines.file.file for lines in batches.runs])
    caveats = gathered.tell(batches.systems, measures, levels, scoring, matching)
    for m in chosen:
        marked[str(m)].refuse(m)
    scores = gathered.scores(batches.systems, chosen, lambda m, values: m.summarize(values, ranked, scoring.all_topics))
    return replace(scores, caveats=caveats)
