"""How scores are made of ranked gains, of labels or of ratings: options, refusals, and means over topics."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain._version import __version__
from truegain.config import Scoring, checked_config
from truegain.data.checks import check_grades
from truegain.data.id_matching import UNCHECKED, Matching, Unmatched
from truegain.data.pool import RankedGains
from truegain.data.scores import Declared, Scores
from truegain.errors import InputError, MeasureError, TruegainError, counted, some, warn
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.base import FLOOR, Measure, mean_of_rows
from truegain.measures.catalogue import NamedMeasure
from truegain.message import FILL_OF_EVALUATE, SAMPLE_UNJUDGED, UNJUDGED_SAMPLE_OF_STUDY, argname
from truegain.settings import changed_fields

# ---- Judgments that were chosen to tell systems apart: unjudged documents must not count as not relevant beside
# them.


def refuse_chosen(ranked: RankedGains, measure: Measure) -> None:
    """Refuse to count unjudged documents as not relevant where a list of what to judge next chose the judged ones.

    It asks for documents that tell systems apart, and so more of some systems than of others: on TREC-8 800 judgments
    in this order rank systems hardly better than none (tau .68 after .63), with predicted labels .94.  Such labels are
    known by their mark (`Judgments.chosen_rows`), or by the columns of the list; copied without, they are not.
    """
    if not measure.leaves_out_unjudged and ranked.pool.judgments.chosen_rows.any():
        ChosenLabels.of(ranked, measure).refuse(measure)


@dataclass(frozen=True)
class ChosenLabels:
    """How many labels were chosen, and how many documents that a measure looks at are unjudged; batches add up."""

    chosen: int = 0
    labels: int = 0
    shown: int = 0
    unjudged: int = 0
    source: str = ""

    @classmethod
    def of(cls, ranked: RankedGains, measure: Measure) -> ChosenLabels:
        """Those of some topics."""
        table, cutoff = ranked.pool.judgments, getattr(measure, "cutoff", None)
        depth = ranked.depth if cutoff is None else np.minimum(ranked.depth, cutoff)
        shown = int(depth.sum())
        unjudged = shown - int((measure.within(ranked.rank) & ranked.judged).sum())
        return cls(int(table.chosen_rows.sum()), len(table), shown, unjudged, table.source)

    def __add__(self, other: ChosenLabels) -> ChosenLabels:
        return ChosenLabels(
            self.chosen + other.chosen, self.labels + other.labels, self.shown + other.shown,
            self.unjudged + other.unjudged, self.source or other.source,
        )  # fmt: skip

    def refuse(self, measure: Measure) -> None:
        """Refuse them where unjudged documents would count as not relevant."""
        if not self.chosen or not self.unjudged or measure.leaves_out_unjudged:
            return
        raise InputError(
            f"a list of what to judge next chose {self.chosen:,} of the {self.labels:,} labels (marked chosen=next), "
            f"and {self.unjudged:,} of the {self.shown:,} documents that {measure} counts are unjudged: counted as "
            "not relevant they would mislead",
            file=self.source,
            hint=f"{_predicted(measure)}, or leave unjudged documents out (judged_only=True as a parameter of the "
            f"measure); for an interval have a random sample of the rest judged, which {SAMPLE_UNJUDGED} draws, and "
            f"give it as {UNJUDGED_SAMPLE_OF_STUDY}",
        )


def _predicted(measure: Measure) -> str:
    """How to score with predicted labels, by another measure where this one has no formula."""
    from truegain.measures.expected import check_expected  # most commands never come here

    try:
        check_expected(measure)
    except MeasureError:
        return f"score P@10, nDCG@10 or AP with {FILL_OF_EVALUATE}, which does not support this measure"
    return f"score with {FILL_OF_EVALUATE}"


# ---- How scores are made of ranked gains.


def score(ranked: RankedGains, measures: Sequence[NamedMeasure], scoring: Scoring | None = None) -> Scores:
    """Scores of ranked gains that are already aligned."""
    how = scoring or Scoring()
    chosen = [at_level(a.measure, how.relevant_from) for a in measures]
    if any(not m.of_subtopics for m in chosen):
        check_grades(ranked, levels_of(chosen), how.no_relevant == "skip")
    for measure in chosen:
        refuse_chosen(view_of(ranked, measure, how), measure)
    return scored(ranked, measures, how)


def levels_of(measures: Sequence[Measure]) -> list[float]:
    """The levels from which on measures take documents as relevant."""
    return [float(level) for m in measures if not m.of_subtopics and (level := getattr(m, "rel", None)) is not None]


def matching_for(measures: Sequence[Measure], scoring: Scoring, unmatched: Unmatched = "refuse") -> Matching:
    """The ranks that count for measures, the deepest of them; none where they need no judged document.

    >>> from truegain.measures.catalogue import parse_measure
    >>> measures = [parse_measure(name) for name in ("P@10", "nDCG@20", "Judged@100")]
    >>> matching_for(measures, Scoring()).deepest, matching_for(measures[2:], Scoring()).unmatched
    (20, 'ignore')
    """
    needing = [m for m in measures if m.needs_judged]
    if not needing:
        return UNCHECKED
    cutoffs = [None if scoring.judged_only or m.leaves_out_unjudged else getattr(m, "cutoff", None) for m in needing]
    limits = [c for c in cutoffs if c is not None]
    deepest = max(limits) if len(limits) == len(cutoffs) else None
    if scoring.depth is not None:
        deepest = scoring.depth if deepest is None else min(deepest, scoring.depth)
    left_out = scoring.judged_only or all(m.leaves_out_unjudged for m in needing)
    shallow = {c: str(m) for c, m in zip(cutoffs, needing, strict=True) if c is not None and (deepest or c + 1) > c}
    return Matching(deepest, unmatched, not left_out, tuple(sorted(shallow.items())))


def scored(ranked: RankedGains, measures: Sequence[NamedMeasure], scoring: Scoring) -> Scores:
    """Scores of ranked gains, without a look at what is suspicious in them."""
    chosen = [at_level(a.measure, scoring.relevant_from) for a in measures]
    values: dict[str, npt.NDArray[Any]] = {}
    summaries: dict[str, npt.NDArray[np.float64]] = {}
    for measure in chosen:
        view = view_of(ranked, measure, scoring)
        matrix = _one(measure, view, scoring)
        values[str(measure)] = matrix
        if matrix.dtype == object:
            summaries[str(measure)] = np.full(len(ranked.systems), np.nan)
        else:
            summaries[str(measure)] = measure.summarize(matrix, view, scoring.all_topics)
    provenance = {"truegain": __version__, "measures": [str(m) for m in chosen], **vars(scoring)}
    names = {name: str(m) for a, m in zip(measures, chosen, strict=True) for name in (str(a.measure), a.name)}
    return Scores(
        ranked.systems, ranked.topics, values, summaries, {str(m): m for m in chosen}, provenance, names,
        caveats=ranked.caveats,
    )  # fmt: skip


def view_of(ranked: RankedGains, measure: Measure, scoring: Scoring) -> RankedGains:
    """The lists as a measure is to see them."""
    view = ranked.cut(scoring.depth)
    if not scoring.judged_only:
        return view
    return view.condensed_facets if measure.of_subtopics else view.condensed


def refuse_depth(depth: int | None, measures: Sequence[Measure], why: str) -> None:
    """Refuse lists that are cut before anything is asked of them; a measure with a cutoff looks no deeper either.

    why: what is wrong with it here.

    >>> from truegain.measures.catalogue import parse_measure
    >>> refuse_depth(10, [parse_measure("AP")], "a study looks at whole lists")
    Traceback (most recent call last):
    truegain.errors.TruegainError: depth 10: a study looks at whole lists; give the cutoff in the measure, as in AP@10
    """
    if depth is None:
        return
    deep = [m for m in measures if (getattr(m, "cutoff", None) or depth + 1) > depth]
    remedy = f"leave it out, since {measures[0]} counts no deeper"
    if deep:
        takes = next((m for m in deep if m.AT == "cutoff" and any(f.name == "cutoff" for f in fields(m))), None)
        remedy = "leave it out, or cut the runs"
        if takes is not None:
            remedy = f"give the cutoff in the measure, as in {replace(takes, cutoff=depth)}"  # type: ignore[call-arg]
    raise TruegainError(f"{argname('depth', depth)}: {why}; {remedy}")


def _one(measure: Measure, ranked: RankedGains, scoring: Scoring) -> npt.NDArray[Any]:
    matrix = measure.score(ranked)
    if matrix.dtype == object:
        return matrix
    if scoring.all_topics:
        matrix = np.where(np.isnan(matrix), measure.absent(ranked), matrix)
    if scoring.no_relevant == "skip":
        matrix = np.where(measure.defined(ranked), matrix, np.nan)
    return matrix


def at_level(measure: Measure, level: float | None) -> Measure:
    """The measure at another level of relevance, unless it names its own or has none.

    Refused where its text names 1: a measure prints without it, as one that names none.

    >>> from truegain.measures.catalogue import parse_measure
    >>> at_level(parse_measure("P@10"), 2), at_level(parse_measure("P(rel=3)@10"), 2)
    (P(rel=2)@10, P(rel=3)@10)
    >>> at_level(parse_measure("P(rel=1)@10"), 2)
    Traceback (most recent call last):
    truegain.errors.MeasureError: P(rel=1)@10 sets rel=1, and relevant_from is 2; give one of them
    """
    if level is None or getattr(measure, "rel", None) != 1:
        return measure
    leveled = replace(measure, rel=int(level) if float(level).is_integer() else level)  # type: ignore[call-arg]
    leveled = leveled.with_own_rel(measure.has_own_rel)
    if measure.has_own_rel and level != 1:
        typed = str(leveled).replace(f"rel={leveled.rel}", "rel=1", 1)  # type: ignore[attr-defined]
        raise MeasureError(
            f"{typed} sets rel=1, and {argname('relevant_from')} is {level:g}; give one of them",
            value=level,
            remedy="give one of them",
        )
    return leveled


def heeded(scoring: Scoring | None, *names: str) -> Scoring:
    """How scores are made, where only some of it means something; what else is asked for is refused.

    >>> heeded(Scoring(relevant_from=2), "relevant_from").relevant_from
    2
    >>> heeded(Scoring(depth=5), "relevant_from")
    Traceback (most recent call last):
    truegain.errors.TruegainError: depth: does not apply here; leave it out
    """
    how = checked_config(Scoring, scoring) or Scoring()
    if odd := changed_fields(how, names):
        raise TruegainError(f"{', '.join(map(argname, odd))}: does not apply here; leave it out")
    return how


# ---- Measures fed with gains that come from ratings, where there are no levels of relevance.


def measures_for(ranked: RankedGains, measures: Sequence[NamedMeasure]) -> list[NamedMeasure]:
    """The measures as they take these labels: fed directly where they are gains; where that is doubtful it is told."""
    if ranked.pool.judgments.are_gains:
        return measures_for_gains(measures)
    label = ranked.pool.judgments.label
    tell_fractions(measures, fractions_in(label), len(label))
    return list(measures)


def fractions_in(label: Floats) -> int:
    """How many labels are not whole numbers."""
    return int((label != np.floor(label)).sum())


def tell_fractions(measures: Sequence[NamedMeasure], parts: int, labels: int) -> None:
    """Warn where so many of the labels are not whole numbers, and a measure takes them as levels."""
    doubtful = [str(a.measure) for a in measures if _for_gains(a).measure != a.measure]
    if parts and doubtful:
        warn(
            f"{parts} of {counted(labels, 'label')} are not whole numbers, and {doubtful[0]} takes them as levels; "
            "if they are gains, name their column 'gain', or write max_rel='topic',rule='gain'"
        )


def measures_for_gains(measures: Sequence[NamedMeasure]) -> list[NamedMeasure]:
    """The measures as NTCIREVAL computes them from gains: a cascade's highest gain is that of the topic.

    p = gain / (highest gain of the topic + 1), unless the measure says otherwise.  The measure prints
    what it does.  Sakai and Song 2011, SIGIR; Sakai 2017, EVIA.

    >>> from truegain.measures.catalogue import parse_measures
    >>> [str(a.measure) for a in measures_for_gains(parse_measures(["nG@1", "nERR@10", "ERR(max_rel='scale')"]))]
    ['nG@1', "nERR(max_rel='topic',rule='gain')@10", "ERR(max_rel='scale')"]
    """
    return [_for_gains(a) for a in measures]


def _for_gains(named: NamedMeasure) -> NamedMeasure:
    chosen = named.measure
    if not chosen.cascades or {"max_rel", "rule"} & set(getattr(chosen, "_written", ())):
        return named
    return replace(named, measure=replace(chosen, max_rel="topic", rule="gain"))  # type: ignore[call-arg]


# ---- Scores as means over topics: the per-topic values whose mean is the summary of a measure.


def check_mean(measure: Declared) -> str:
    """What mean over topics a measure is; refused where it is none."""
    if measure.mean not in ("arithmetic", "geometric"):
        raise TruegainError(f"{measure} is not a mean over topics; choose one that is")
    return measure.mean


@dataclass(frozen=True, eq=False)
class TopicMeans:
    """Systems by topics, such that a system's summary is `back(mean over its topics)`; NaN where missing."""

    measure: str
    systems: tuple[str, ...]
    topics: Sequence[str]
    values: Floats
    back: Callable[[Floats], Floats]
    bounds: tuple[float, float]  # the least and the greatest summary there can be

    @classmethod
    def of(cls, scores: Scores, measure: Any = None) -> TopicMeans:
        """The values of a measure, in logs where its summary is a geometric mean; an error where it is no mean.

        >>> import truegain as tg
        >>> run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
        >>> scores = tg.evaluate(run, {"1": {"b": 1}, "2": {"a": 1}}, "AP")
        >>> TopicMeans.of(scores).means()
        array([0.75])
        """
        scores.check_judged()
        matrix = scores.matrix(measure)
        name = next(m for m, v in scores.values.items() if v is matrix)
        kind = check_mean(scores.objects[name])
        scores.check_range(name)
        values = np.asarray(matrix, np.float64)
        least, greatest = scores.objects[name].bounds()
        if kind == "geometric":
            logs = np.log(np.maximum(values, FLOOR))
            return cls(name, scores.systems, scores.topics, logs, np.exp, (max(least, FLOOR), greatest))
        return cls(name, scores.systems, scores.topics, values, np.asarray, (least, greatest))

    def on(self, topics: Sequence[str]) -> TopicMeans:
        """These values on some topics, in the order given."""
        at = {topic: place for place, topic in enumerate(self.topics)}
        return replace(self, topics=tuple(topics), values=self.values[:, [at[t] for t in topics]])

    @property
    def in_logs(self) -> bool:
        """Whether the values are logarithms."""
        return self.back is np.exp

    @property
    def there(self) -> Bools:
        """Which values are not missing."""
        return ~np.isnan(self.values)

    def means(self, topics: Ints | None = None) -> Floats:
        """The summary of each system over all topics, or over some; an error where a system has none of them."""
        values = self.values if topics is None else self.values[:, topics]
        means = mean_of_rows(values)
        if np.isnan(means).any():
            lost = [s for s, m in zip(self.systems, means, strict=True) if np.isnan(m)]
            raise TruegainError(f"{some(lost)}: no value of {self.measure} on any of these topics; leave them out")
        return settled(np.asarray(self.back(means)))


def settled(means: Floats) -> Floats:
    """Means without the rounding of their sums, so that systems that are equal tie.

    The same values added in another order may differ in the last bit; 12 decimals are kept.

    >>> settled(np.array([0.1 + 0.2, 0.3])).tolist()
    [0.3, 0.3]
    """
    return np.round(means, 12)


# ---- Which unjudged documents are in question.

DEPTH = 100  # down to which documents are in question, unless the cutoff is lower down


def in_question(measure: Measure, options: Scoring) -> int | None:
    """Down to which rank documents are in question; None: to the end of the lists."""
    cutoff = options.depth or getattr(measure, "cutoff", None)
    return max(cutoff, DEPTH) if cutoff else None


def keys_in_question(measures: Sequence[Measure], first: Sequence[Measure] = ()) -> int:
    """How many documents of each list must be known by key for `Filled.by_key`; of some measures the first alone."""
    deepest = max((in_question(m, Scoring()) or sys.maxsize for m in measures), default=0)
    return max(deepest, DEPTH if first else 0)
