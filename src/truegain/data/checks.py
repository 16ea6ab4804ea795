"""Legal but suspicious: told once, with counts."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from truegain.data.id_matching import (
    Doubt,
    JudgedIds,
    Matched,
    Matching,
    SystemMatch,
    TopicIds,
    check_matched,
    doubt_messages,
    likely_cause,
    unjudged_messages,
)
from truegain.data.judgments import Judgments
from truegain.data.pool import RankedGains
from truegain.data.runs import Runs
from truegain.errors import InputError, PeerWarning, counted, some, warn
from truegain.io.columns import Codes, Floats, distinct
from truegain.message import arg, by_surface

WHOLE = 2.0**53  # beyond it a float is no longer every whole number
LARGEST = 1e100  # sums of the products of such labels overflow
FEWEST = 10  # rows from which on the values of a table tell what it is
LEVELS = 20  # grades of a scale
MOST_TRIED = 400  # topics of a run for which a cause is looked for


class SeenRun(Protocol):
    """What is noticed of a run, all of it or some topics of it."""

    @property
    def system(self) -> str:
        """Its name."""

    @property
    def missing(self) -> int:
        """Judged topics that it lacks."""

    @property
    def unjudged_topics(self) -> Sequence[str]:
        """Its topics that have no judgments."""

    @property
    def noticed(self) -> Mapping[str, int]:
        """How many of its lists have each of FLAGS, and lines that are infinite or wider."""

    @property
    def matched(self) -> Matched:
        """How many of its documents are judged."""


def check_documents(
    systems: Sequence[SeenRun], judged_ids: JudgedIds, matching: Matching
) -> tuple[tuple[Doubt, ...], tuple[str, ...]]:
    """Runs without a judged document, which are refused; those with far fewer than the others: see `matched`.

    Beside the doubts all that is to be said of documents, wherever scores are shown.
    """
    seen = [SystemMatch(s.system, s.matched) for s in systems]
    doubts = check_matched(seen, judged_ids, matching)
    return doubts, (*doubt_messages(doubts), *unjudged_messages(seen, matching, doubts))


def check_overlap(
    topics: Sequence[str],
    systems: Sequence[SeenRun],
    unjudged: Sequence[str] | None = None,
    *,
    all_topics: bool = False,
) -> None:
    """Topics that stand on one side only; an error where nothing is in common.

    topics: those judged; unjudged: those of any run that are not, sorted, where they are known already; all_topics:
    whether a judged topic counts that a run lacks.
    """
    judged = len(topics)
    missing = {s.system: s.missing for s in systems}
    lost = [name for name, n in missing.items() if n == judged]
    if lost:
        theirs = sorted(next(s for s in systems if s.system == lost[0]).unjudged_topics)
        cause = likely_cause([(theirs[:MOST_TRIED], TopicIds(topics))])
        raise InputError(
            f"{some(lost)}: no topic of the run has judgments "
            f"(run topics {some(theirs)}; judged topics {some(topics)})" + ("" if cause is None else f": {cause}"),
            hint="check that run and judgments belong together" if cause is None else cause.remedy,
        )
    short = [name for name, n in missing.items() if n]
    if short:
        warn(
            f"{_of(len(short), len(systems), 'run', 'lacks', 'lack')} judged topics "
            f"(most: {max(missing.values())} of {judged}, in {some(short)}); "
            + (
                f"they count 0, as all topics must count ({arg('all_topics', True)})"
                if all_topics
                else "they are left out of the "
                f"mean{arg('all_topics', True, within=' unless all topics must count ({})')}"
            )
        )
    extra = [s for s in systems if len(s.unjudged_topics)]
    if extra:
        extra_topics = sorted({t for s in extra for t in s.unjudged_topics}) if unjudged is None else unjudged
        warn(
            f"{_of(len(extra), len(systems), 'run', 'has', 'have')} topics without judgments, which are not scored: "
            f"{counted(len(extra_topics), 'topic')} ({some(extra_topics)})"
        )


def check_scores(systems: Sequence[SeenRun], trec_eval: int, ties: str = "descending") -> None:
    """Scores that do not order, and rank columns that say otherwise."""

    def where_seen(what: str, unit: str = "list") -> str:
        hit = [s for s in systems if s.noticed[what]]
        units = sum(s.noticed[what] for s in hit)
        named = some([s.system for s in hit])
        return f"{counted(units, unit)} of {counted(len(hit), 'run')} ({named})" if units else ""

    if where := where_seen("wider", "line"):
        warn(f"more than six fields in {where}; what follows the tag is not read, as in trec_eval")
    if where := where_seen("infinite", "line"):
        warn(f"the score is infinite in {where}; such documents rank first or last, tied with one another")

    if where := where_seen("like ranks"):
        warn(
            f"scores rise 1, 2, 3, ... as ranks do in {where}; the last document is taken as the best, and if they are "
            "ranks, name the column rank"
        )
    if where := where_seen("all tied"):
        warn(f"all scores are tied in {where}; their order is that of {'rows' if ties == 'input' else 'document ids'}")
    if where := where_seen("ranks contradict"):
        warn(f"the rank column contradicts the scores in {where}; scores decide, as in trec_eval")
    if trec_eval >= 10 and (where := where_seen("float32 ties")):
        warn(
            f"scores differ only beyond float32 in {where}; trec_eval 9 and pytrec_eval see ties there and may differ "
            f"({by_surface('scoring=tg.Scoring(trec_eval=9)', '`truegain eval --trec-eval 9`')} does as they do)",
            PeerWarning,
        )


@dataclass(frozen=True)
class Grades:
    """What labels there are: the highest, those of judged documents, and topics without one that reaches `level`."""

    highest: float
    values: frozenset[float]  # of judged documents: all of them, or LEVELS + 1 where there are more
    least: float
    greatest: float
    empty: int
    topics: int

    @classmethod
    def of(cls, ranked: RankedGains, level: float | None) -> Grades:
        """The labels of a pool; `level` is the lowest that some measure takes as relevant."""
        gains = ranked.item_gain[ranked.item_judged]
        empty = 0 if level is None else int((ranked.pool_relevant(level) == 0).sum())
        limits = (float(gains.min()), float(gains.max())) if len(gains) else (np.inf, -np.inf)
        values = frozenset(distinct(gains)[: LEVELS + 1].tolist())
        return cls(float(np.max(ranked.item_gain)), values, *limits, empty, len(ranked.topics))

    def __add__(self, other: Grades) -> Grades:
        """The labels of both, which share no topic."""
        return Grades(
            max(self.highest, other.highest), frozenset(sorted(self.values | other.values)[: LEVELS + 1]),
            min(self.least, other.least), max(self.greatest, other.greatest), self.empty + other.empty,
            self.topics + other.topics,
        )  # fmt: skip


def check_grades(ranked: RankedGains, levels: Sequence[float], skip: bool) -> None:
    """Levels of relevance that no label reaches, and topics with nothing to find."""
    tell_grades(Grades.of(ranked, min(levels, default=None)), levels, skip)


def tell_levels(grades: Grades, levels: Sequence[float], skip: bool = False) -> bool:
    """Tell of levels of relevance that no label reaches, and that all do; whether all reach one of 0 or less.

    Where all reach a level above 0, only what is relevant may have been listed, as BEIR does.
    """
    all_do = [level for level in sorted(set(levels)) if level <= 0 and grades.values and grades.least >= level]
    for level in all_do:
        warn(
            f"every label is relevant from {level:g} on (the lowest is {grades.least:g}); measures at that level do "
            "not tell labels apart"
        )
    for level in sorted(set(levels)):
        if grades.highest < level:
            what = "have no value" if skip else "are all 0"
            warn(f"no label reaches {level:g} (the highest is {grades.highest:g}); measures at that level {what}")
    return bool(all_do)


def tell_grades(grades: Grades, levels: Sequence[float], skip: bool) -> None:
    """Tell what is suspicious in labels, at the levels of relevance that measures ask for."""
    told = tell_levels(grades, levels, skip)
    if levels and grades.values and grades.least >= min(levels) and len(grades.values) > LEVELS and not told:
        warn(
            f"every judged document counts as relevant: labels are {grades.least:g} to {grades.greatest:g}, more than "
            f"{LEVELS} different ones, and those of {min(levels):g} or more are relevant; if they are magnitudes, say "
            f"where relevance begins ({arg('relevant_from')}), or use a graded measure"
        )
    if levels and grades.empty and grades.highest >= min(levels):
        warn(
            f"{_of(grades.empty, grades.topics, 'topic', 'has', 'have')} no relevant document; such topics "
            + (
                "are left out"
                if skip
                else f"count as 0, as in trec_eval ({arg('no_relevant', 'skip')} leaves them out)"
            )
        )


@dataclass(frozen=True)
class LargeLabels:
    """Labels too large to be told apart: how many of all, and the first of them with its place in the file."""

    count: int = 0
    labels: int = 0
    first: tuple[int, float] = (sys.maxsize, 0.0)

    @classmethod
    def of(cls, judgments: Judgments) -> LargeLabels:
        """Those of judgments; an error where one is too large to be added up."""
        size = np.abs(judgments.label)
        if (size > LARGEST).any():
            row = int(np.flatnonzero(size > LARGEST)[0])
            raise InputError(
                f"label {judgments.label[row]:g} is too large to be summed",
                **judgments.where(row),
                hint="check that this is the label's column, or scale the labels down",
            )
        beyond = np.flatnonzero(size > WHOLE)
        if not len(beyond):
            return cls(labels=len(judgments))
        where = judgments.where(row := int(beyond[0]))
        place = next(n for unit in ("line", "row") if isinstance(n := where.get(unit), int))
        return cls(len(beyond), len(judgments), (place, float(judgments.label[row])))

    def __add__(self, other: LargeLabels) -> LargeLabels:
        return LargeLabels(self.count + other.count, self.labels + other.labels, min(self.first, other.first))

    def tell(self) -> None:
        """Warn of labels so large that floating-point numbers cannot hold every whole number."""
        if self.count:
            warn(
                f"{_of(self.count, self.labels, 'label', 'is', 'are')} beyond 2^53 (the first is {self.first[1]:g}), "
                "where floating-point numbers cannot hold every whole number; check that these are labels"
            )


def check_labels(judgments: Judgments) -> None:
    """Labels too large to be told apart, or to be added up."""
    LargeLabels.of(judgments).tell()


def check_order(runs: Runs, judgments: Judgments) -> None:
    """Refuse a run and judgments that were swapped, where nothing but their order told which is which.

    Scores are many numbers, mostly fractional and seldom tied within a topic; labels are few whole numbers, many of
    them tied.  Where it is the other way round in both, they look swapped, unless the run stands in descending order,
    as runs do, and the labels do not.
    """
    run = runs.parts[0]
    if not (run.bare and judgments.bare) or min(len(run), len(judgments)) < FEWEST:
        return
    topic, label = judgments.topic.code, judgments.label
    levels, labels = np.unique(run.score), len(np.unique(label))
    deep = len(label) >= 2 * len(np.unique(topic))  # as runs are, and labels of one document a topic are not
    tied = len(levels) <= LEVELS and _untied(run.topic.code, run.score) <= 0.75
    graded = deep if len(levels) == 1 else tied
    scored = labels > min(LEVELS, len(label) // 2) and _untied(topic, label) >= 0.5
    if not (graded and scored) or (run.score % 1 != 0).any() or np.mean(label % 1 != 0) < 0.9:
        return
    if len(levels) > 1 and _descends(run.topic.code, run.score) and not _descends(topic, label):
        return
    raise InputError(
        f"runs and judgments look swapped: the run holds {counted(len(levels), 'whole number')} "
        f"({some([f'{v:g}' for v in levels.tolist()])}), the judgments {labels} numbers, nearly all fractional",
        hint="in Python the runs come first, then the judgments; if they do, name the run: {'name': run}",
    )


def _untied(topic: Codes, value: Floats) -> float:
    """How many different values topics have, as a share of the rows."""
    order = np.lexsort((value, topic))
    new = (np.diff(topic[order]) != 0) | (np.diff(value[order]) != 0)
    return float(1 + np.count_nonzero(new)) / len(value)


def _descends(topic: Codes, value: Floats) -> bool:
    """Whether values never rise from row to row within a topic."""
    order = np.argsort(topic, kind="stable")
    return bool(((np.diff(value[order]) <= 0) | (np.diff(topic[order]) != 0)).all())


def _of(n: int, total: int, noun: str, singular: str, plural: str) -> str:
    return f"{n} of {counted(total, noun)} {singular if n == 1 else plural}"
