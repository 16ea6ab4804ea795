"""Legal but suspicious: told once, with counts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from truegain.errors import DataWarning, InputError, some
from truegain.tables.align import Lists
from truegain.tables.ranked import RankedGains
from truegain.tables.runs import ALL_TIED, FLOAT32_TIES, RANKS_CONTRADICT


def warn(message: str) -> None:
    """Tell the user about suspicious data."""
    warnings.warn(message, DataWarning, stacklevel=3)


def check_overlap(ranked: RankedGains, systems: Sequence[Lists]) -> None:
    """Topics that stand on one side only; an error where nothing is in common."""
    judged = len(ranked.topics)
    missing = {s.system: int((s.retrieved < 0).sum()) for s in systems}
    lost = [name for name, n in missing.items() if n == judged]
    if lost:
        theirs = next(s for s in systems if s.system == lost[0])
        raise InputError(
            f"{some(lost)}: no topic of the run has judgments "
            f"(run topics {some(theirs.unjudged_topics)}; judged topics {some(ranked.topics)})",
            hint="check that run and judgments belong together",
        )
    short = [name for name, n in missing.items() if n]
    if short:
        warn(
            f"{_of(len(short), len(systems), 'run', 'lacks', 'lack')} judged topics "
            f"(most: {max(missing.values())} of {judged}, in {some(short)}); "
            "they are left out of the mean unless all topics must count (-c)"
        )
    extra = [s for s in systems if s.unjudged_topics]
    if extra:
        topics = sorted({t for s in extra for t in s.unjudged_topics})
        warn(
            f"{_of(len(extra), len(systems), 'run', 'has', 'have')} topics without judgments, which are not scored: "
            f"{counted(len(topics), 'topic')} ({some(topics)})"
        )


def check_scores(systems: Sequence[Lists], trec_eval: int) -> None:
    """Scores that do not order, and rank columns that say otherwise."""

    def told(flag: int) -> str:
        hit = [s for s in systems if s.flags[flag]]
        lists = sum(s.flags[flag] for s in hit)
        named = some([s.system for s in hit])
        return f"{counted(lists, 'list')} of {counted(len(hit), 'run')} ({named})" if lists else ""

    if where := told(ALL_TIED):
        warn(f"all scores are tied in {where}; their order is that of document ids")
    if where := told(RANKS_CONTRADICT):
        warn(f"the rank column contradicts the scores in {where}; scores decide, as in trec_eval")
    if trec_eval >= 10 and (where := told(FLOAT32_TIES)):
        warn(
            f"scores differ only beyond float32 in {where}; trec_eval 9 and "
            "pytrec_eval see ties there and may differ (truegain eval --trec-eval 9 does as they do)"
        )


def check_grades(ranked: RankedGains, levels: Sequence[float], skip: bool) -> None:
    """Levels of relevance that no label reaches, and topics with nothing to find."""
    highest = float(np.max(ranked.item_gain))
    for level in sorted(set(levels)):
        if highest < level:
            warn(f"no label reaches {level:g} (the highest is {highest:g}); measures at that level are all 0")
    empty = int((ranked.pool_relevant(min(levels)) == 0).sum()) if levels else 0
    if empty and highest >= min(levels):
        warn(
            f"{_of(empty, len(ranked.topics), 'topic', 'has', 'have')} no relevant document; such topics "
            + ("are left out" if skip else "count as 0, as in trec_eval (no_relevant='skip' leaves them out)")
        )


def _of(n: int, total: int, noun: str, singular: str, plural: str) -> str:
    return f"{n} of {counted(total, noun)} {singular if n == 1 else plural}"


def counted(n: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "topic"), counted(1200, "topic")
    ('1 topic', '1200 topics')
    """
    return f"{n} {noun}{'' if n == 1 else 's'}"
