"""What stands in the way of an answer that can be given: unjudged documents and tied scores where a measure looks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truegain.errors import some
from truegain.inference.holes.first_ranks import unjudged_down_to
from truegain.measures.base import Measure
from truegain.message import UNJUDGED, Message
from truegain.tables.columns import Ints
from truegain.tables.ranked import RankedGains
from truegain.tables.run import Run
from truegain.tables.runs import Runs

DEEP = 100  # ranks looked at for unjudged documents where a measure has no cutoff
TOP = 10  # and for ties, and where nothing bounds what unjudged documents could do: they matter most there
HOLES = 0.01  # share of a system's documents from which on it is told
OPEN = 0.05  # share of a system's first documents from which on nothing is claimed of it where nothing bounds them
TIES = 0.1  # share of a system's lists


def holes_in_words(ranked: RankedGains, measure: Measure) -> str:
    """Who has unjudged documents where a measure looks, from 1 in 100 of a system's on; empty where nobody has.

    >>> import truegain as tg
    >>> runs = {"a": {str(t): {"x": 2.0, "y": 1.0} for t in range(10)}}
    >>> holes_in_words(tg.Study(runs, {str(t): {"x": 1} for t in range(10)}, "P@2").ranked, tg.parse_measure("P@2"))
    '50% of the top 2 of a are unjudged (10 of 20), and 1% or more for 1 of 1 system: see tg.unjudged'
    """
    depth = _cutoff(measure) or DEEP
    open_, there = (x.sum(axis=1) for x in unjudged_down_to(ranked, depth))
    share = open_ / np.maximum(there, 1)
    most, many = int(share.argmax()), int((share >= HOLES).sum())
    if not many:
        return ""
    return Message(
        f"{share[most]:.0%} of the top {depth} of {ranked.systems[most]} are unjudged ({open_[most]:,} of "
        f"{there[most]:,}), and {HOLES:.0%} or more for {_of(many, len(share))}: see {UNJUDGED}"
    )


def open_at_the_top(ranked: RankedGains, systems: Sequence[int]) -> str:
    """Whose first ten documents lack labels, from 1 in 20 on, in words; empty where nobody's do.

    >>> import truegain as tg
    >>> runs = {"a": {str(t): {"x": 2.0, "y": 1.0} for t in range(10)}}
    >>> open_at_the_top(tg.Study(runs, {str(t): {"x": 1} for t in range(10)}, "P@1").ranked, [0])
    '10 of the 20 documents in the first 10 ranks of a have no label'
    """
    open_, there = (x.sum(axis=1) for x in unjudged_down_to(ranked, TOP))
    who = [s for s in systems if open_[s] >= OPEN * there[s] > 0]
    if not who:
        return ""
    return (
        f"{int(open_[who].sum()):,} of the {int(there[who].sum()):,} documents in the first {TOP} ranks of "
        f"{some([ranked.systems[s] for s in who])} have no label"
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
