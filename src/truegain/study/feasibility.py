"""What files can and cannot support: a study of each kind is asked for, and its refusal is the answer."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from truegain.config import StudyConfig
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.pool import Pool, RankedGains
from truegain.data.run import Run
from truegain.data.runs import Runs
from truegain.errors import DataWarning, TruegainError
from truegain.io.columns import Coded, Ints
from truegain.measures.base import Measure
from truegain.message import UNJUDGED, Message, Phrase, unjudged_of, with_marks
from truegain.pooling.bounds import has_bounds
from truegain.pooling.first_ranks import unjudged_down_to
from truegain.study.study import Study

GRADED = ("nDCG@10", "P@10", "AP")
IN_WORDS = {
    "topics": "other topics like these",
    "topics,collection": "other topics and other collections",
    "topics,assessors": "other topics and other assessors",
}
LONG = 250  # characters of a reason that are told in full
BINARY = ("P@10", "nDCG@10", "AP")
MOST_ASKED = "nDCG@10"
DEEP = 100  # ranks looked at for unjudged documents where a measure has no cutoff
TOP = 10  # and for ties; the cutoff of usual measures
UNJUDGED_SHARE = 0.01  # share of a system's documents from which on it is told
TIES = 0.1  # share of a system's lists


@dataclass(frozen=True)
class Support:
    """What can be answered for one population: measures that can, and why others cannot."""

    population: str
    measures: tuple[str, ...]
    refused: Mapping[str, tuple[str, ...]]  # measures by the reason
    alone: Mapping[str, str] = field(default_factory=dict)  # of a measure: for which pairs, where not for all
    caveats: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # measures by what stands in the way of them

    def __str__(self) -> str:
        return "\n".join(lines_of([self]))

    def named(self, measure: str) -> str:
        """A measure, with the pairs it can tell where these are not all."""
        return f"{measure} ({self.alone[measure]})" if measure in self.alone else measure


def lines_of(supports: Sequence[Support]) -> list[str]:
    """What is supported, a line each; what stands in the way, and a refusal, once for all they are met in.

    >>> why = {"too few": ("P@10",)}
    >>> lines_of([Support("these", ("AP",), why), Support("others", (), why | {"no pool": ("AP",)})])
    ['yes  for these: AP', 'no   for these, and for others: P@10: too few', 'no   for others: AP: no pool']
    >>> lines_of([Support("these", ("AP", "RR"), {}, caveats={"few topics": ("AP", "RR"), "unjudged": ("AP",)})])
    ['yes  for these: AP, RR', 'but  few topics', 'but  AP: unjudged']
    """
    possible = list(dict.fromkeys(m for one in supports for m in one.measures))
    lines = [
        f"yes  for {one.population}: {', '.join(map(one.named, one.measures))}" for one in supports if one.measures
    ]
    caveats: dict[str, dict[str, None]] = {}
    for one in supports:
        for what, names in one.caveats.items():
            caveats.setdefault(what, {}).update(dict.fromkeys(names))
    for what, over in caveats.items():
        about = "" if set(over) == set(possible) else f"{', '.join(over)}: "
        lines.append(Message(f"but  {about}{with_marks(what)}"))
    met: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for one in supports:
        for why, names in one.refused.items():
            met.setdefault((why, names), []).append(one.population)
    return lines + [
        Message(f"no   {', and '.join(f'for {where}' for where in where_met)}: {', '.join(names)}: {_short(why)}")
        for (why, names), where_met in met.items()
    ]


def _short(why: str) -> str:
    """A long reason up to its first stop; a verdict gives the whole."""
    kept = ""
    for part in Message(why).parts if len(why) > LONG else ():
        text = part.marked if isinstance(part, Phrase) else part
        ends = [] if isinstance(part, Phrase) else [at for stop in ("; ", ". ") if (at := part.find(stop)) >= 0]
        if ends and (kept or min(ends)):
            return f"{kept}{text[: min(ends)]} ..."
        kept += text
    return with_marks(why)


def usual_measures(runs: Runs, judgments: Judgments, gold: bool, design: str | None) -> tuple[str, ...]:
    """Measures in the order that labels call for: graded ones nDCG first; gold pairs set right what is linear.

    Where no list has 10 documents, as of retrievers that feed an LLM, they look at as many as the longest list has.
    """
    label = np.asarray(judgments.label)
    usual: tuple[str, ...] = GRADED if len(np.unique(label[label > 0])) > 1 else BINARY
    if gold and design != "topics":
        usual = ("P@10", "DCG@10")
    return tuple(at_depth_of(runs, measure) for measure in usual)


def at_depth_of(runs: Runs, measure: str) -> str:
    """A measure of the first 10 documents, or of as many as the longest list has.

    Where all systems order the same few documents, the whole list has the same P for each: then of half of it.

    >>> one = {"1": {"d": 2.0, "e": 1.0}, "2": {"d": 1.0}}
    >>> at_depth_of(Runs.of({"a": one}), "P@10"), at_depth_of(Runs.of({"a": one, "b": one}), "P@10")
    ('P@2', 'P@1')
    """
    deepest = max((int(np.bincount(part.topic.code).max()) for part in runs.parts if len(part.topic.code)), default=TOP)
    if measure.startswith("P@") and deepest <= TOP and _order_the_same(runs):
        deepest = max(1, deepest // 2)
    return measure.replace("@10", f"@{min(TOP, deepest)}")


def _order_the_same(runs: Runs) -> bool:
    """Whether several systems rank the same documents of every topic, as rerankers do."""
    ranked = [{*zip(part.topic.strings(), part.docs.strings(), strict=True)} for part in runs.parts]
    return len(ranked) > 1 and all(one == ranked[0] for one in ranked)


def whole_topics(judgments: Judgments, gold: Judgments) -> bool:
    """Whether gold labels cover all that is judged of every topic they are of, and not of all topics."""
    pool, trusted = Pool.of(judgments), Pool.of(gold)
    seen = trusted.find(_topics(pool), pool.docs) >= 0
    has = np.bincount(pool.topic[seen], minlength=len(pool.topics)) > 0
    return bool(has.any() and not has.all() and seen[has[pool.topic]].all())


def _topics(pool: Pool) -> Coded:
    return Coded(pool.topics, pool.topic)


def supported(runs: Runs, judgments: JudgmentsLike, config: StudyConfig, measures: Sequence[str]) -> list[Support]:
    """What a study of these files can say, by measure and by what it shall hold for.

    config: what the files call for, such as gold labels and their design, or ratings.
    """
    over = ["topics", "topics,collection"]
    if config.ratings.are_aggregated or (config.gold is not None and config.gold.aggregate is not None):
        over.append("topics,assessors")
    return [_for(population, runs, judgments, config, measures) for population in over]


def _for(
    population: str, runs: Runs, judgments: JudgmentsLike, config: StudyConfig, measures: Sequence[str]
) -> Support:
    possible, refused, alone = [], dict[str, tuple[str, ...]](), dict[str, str]()
    caveats: dict[str, tuple[str, ...]] = {}
    for measure in measures:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", DataWarning)
            try:
                study = Study.configured(runs, judgments, measure, replace(config, population=population))
                study.variance_model(measure)
                if left_out := study.left_out(measure):
                    raise TruegainError(left_out.removesuffix("."))
                some_pairs = _some_pairs(study)
            except TruegainError as error:
                refused[error.message] = (*refused.get(error.message, ()), measure)
                continue
        possible.append(measure)
        alone |= {measure: some_pairs} if some_pairs else {}
        warned = [w.message.message for w in heard if isinstance(w.message, DataWarning)]
        doubt = f"no person has checked {study.unchecked}: verdicts are 'unchecked' until there are gold labels"
        reasons = [*warned, unjudged_in_words(study.ranked, study.measures[0]), ties_in_words(runs, study.measures[0])]
        reasons += [doubt] if study.unchecked else []
        for what in dict.fromkeys(filter(None, reasons)):
            caveats[what] = (*caveats.get(what, ()), measure)
    return Support(IN_WORDS[population], tuple(possible), refused, alone, caveats)


def _some_pairs(study: Study) -> str:
    """How many pairs of systems have an answer, where a list of gold labels tells some of them alone."""
    if study.gold_list is None or len(study.systems) < 2:
        return ""
    pairs = study.compare(measure=study.measures[0])
    known = sum(c.low is not None for c in pairs)
    if not known:
        raise TruegainError(
            f"no pair of systems has enough gold labels: {with_marks(pairs[0].notes[0])}",
            remedy="label more gold documents",
        )
    return "" if known == len(pairs) else f"{known:,} of {len(pairs):,} pairs of systems"


def unjudged_in_words(ranked: RankedGains, measure: Measure) -> str:
    """Who has unjudged documents where a measure looks, from 1 in 100 of a system's on; empty where nobody has.

    >>> import truegain as tg
    >>> runs = {"a": {str(t): {"x": 2.0, "y": 1.0} for t in range(10)}}
    >>> unjudged_in_words(tg.Study(runs, {str(t): {"x": 1} for t in range(10)}, "P@2").ranked, tg.parse_measure("P@2"))
    '50% of the top 2 of a are unjudged (10 of 20), and 1% or more for 1 of 1 system: see tg.unjudged'
    """
    depth = _cutoff(measure) or DEEP
    open_, there = (x.sum(axis=1) for x in unjudged_down_to(ranked, depth))
    share = open_ / np.maximum(there, 1)
    most, many = int(share.argmax()), int((share >= UNJUDGED_SHARE).sum())
    if not many:
        return ""
    see = UNJUDGED if has_bounds(measure) else unjudged_of(f"nDCG@{depth}")  # whose bounds are known, of the same ranks
    return Message(
        f"{share[most]:.0%} of the top {depth} of {ranked.systems[most]} are unjudged ({open_[most]:,} of "
        f"{there[most]:,}), and {UNJUDGED_SHARE:.0%} or more for {_of(many, len(share))}: see {see}"
    )


def ties_in_words(runs: Runs, measure: Measure) -> str:
    """Who has equal scores where a measure looks, from a tenth of a system's lists on; empty where nobody has.

    >>> import truegain as tg
    >>> runs = Runs.of({"a": {"1": {"x": 1.0, "y": 1.0}, "2": {"x": 2.0, "y": 1.0}}})
    >>> print(ties_in_words(runs, tg.parse_measure("AP")).partition(":")[0])
    50% of the topics of a have tied scores in the top 10 (1 of 2), and 10% or more for 1 of 1 system
    """
    depth = _cutoff(measure) or TOP
    tied, lists = dict.fromkeys(runs.systems, 0), dict.fromkeys(runs.systems, 0)
    for part in runs.parts:
        here, of = tied_lists(part, depth)
        tied[part.system] += here
        lists[part.system] += of
    share = {s: tied[s] / max(1, lists[s]) for s in runs.systems}
    most, many = max(share, key=lambda s: share[s]), sum(x >= TIES for x in share.values())
    if not many:
        return ""
    return Message(
        f"{share[most]:.0%} of the topics of {most} have tied scores in the top {depth} ({tied[most]:,} of "
        f"{lists[most]:,}), and {TIES:.0%} or more for {_of(many, len(share))}: document ids break the ties"
    )


def tied_lists(run: Run, depth: int) -> tuple[int, int]:
    """In how many lists of a run equal scores reach into the first ranks, and how many lists there are."""
    topic, score = run.topic.code, run.score
    lower = (topic[1:] == topic[:-1]) & (score[1:] <= score[:-1])
    if not np.all((topic[1:] > topic[:-1]) | lower):  # most files are in order
        order: Ints = np.lexsort((-score, topic))
        topic, score = topic[order], score[order]
    first = np.flatnonzero(np.r_[True, np.diff(topic) != 0])
    rank = np.arange(len(topic)) - np.repeat(first, np.diff(np.r_[first, len(topic)]))
    same = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1]) & (rank[:-1] < depth)
    return len(np.unique(topic[:-1][same])), len(first)


def _cutoff(measure: Measure) -> int | None:
    return getattr(measure, "cutoff", None)


def _of(some: int, every: int) -> str:
    return f"{some:,} of {every:,} {'system' if every == 1 else 'systems'}"
