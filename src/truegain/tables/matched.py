"""Whether the documents of runs are those that were judged: ids that do not match are refused, or told of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median
from typing import Literal, NamedTuple

import numpy as np

from truegain.errors import InputError, some
from truegain.message import NEXT_TO_JUDGE, UNJUDGED, Message, by_surface
from truegain.tables.columns import Bools, Ints
from truegain.tables.id_causes import Cause, KnownIds, Lists, in_other_topics, likely_cause
from truegain.tables.notice import counted, warn

TOP = 10  # ranks by which systems are held against one another: further down fewer documents are judged, in any run
TOPICS = 40  # lists of which ids are kept that have no judgment
FAR = 0.5  # of the share that the other systems have: so far below, it is told whatever the cause
BELOW = 0.9  # and so far below, where a change of the ids makes them match
MOST_BY_CHANCE = 3.1  # standard errors, p .001
ENOUGH = 500  # judged documents that are looked at for why a system has fewer
LEAST_TRIED = 20  # and documents of the system, where it has so many
TOLD = 5  # systems that are told one by one
DOUBT, FEW = "ids in doubt", "few judged documents"  # a change of the ids makes them match; none does
Unmatched = Literal["refuse", "tell", "ignore"]
JudgedIds = Callable[[Iterable[str]], Mapping[str, Sequence[str]]]


@dataclass(frozen=True)
class Matching:
    """Which ranks count, the first so many or all; and what happens to a system without a judged document there.

    unmatched: 'refuse' it; 'tell' of it, where unjudged documents are what is asked about, and refuse only where no
    system has one; or 'ignore' it, where nothing that is asked for needs a judged document.  as_zero: whether an
    unjudged document counts 0, or else is left out.  shallow: cutoffs of measures that look at fewer ranks, and such
    a measure.
    """

    deepest: int | None = None
    unmatched: Unmatched = "refuse"
    as_zero: bool = True
    shallow: tuple[tuple[int, str], ...] = ()

    @property
    def top(self) -> int:
        """The ranks by which systems are held against one another."""
        return TOP if self.deepest is None else min(TOP, self.deepest)


EVERY_RANK = Matching()
UNCHECKED = Matching(unmatched="ignore")


@dataclass(frozen=True)
class Matched:
    """How many documents of a run were judged, and, topic by topic, some that were not."""

    shown: int = 0  # documents in the ranks that count
    judged: int = 0
    below: int = 0  # judged further down
    first: int = 0  # documents in the first TOP of these ranks
    first_judged: int = 0
    unknown: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of lists with fewer than BELOW of the first judged
    uppermost: int | None = None  # the best rank of a judged document in any list
    negative: int = 0  # in the ranks that count, with a label below 0

    @property
    def unjudged(self) -> int:
        """How many of the first are not judged."""
        return self.first - self.first_judged

    def __add__(self, other: Matched) -> Matched:
        """Those of both, whose topics come behind these."""
        return Matched(
            self.shown + other.shown, self.judged + other.judged, self.below + other.below,
            self.first + other.first, self.first_judged + other.first_judged, (*self.unknown, *other.unknown)[:TOPICS],
            min((x.uppermost for x in (self, other) if x.uppermost), default=None), self.negative + other.negative,
        )  # fmt: skip

    @classmethod
    def of(
        cls, topics: Sequence[str], retrieved: Ints, rank: Ints, per_list: Ints, known: Bools, deepest: int | None,
        ids: Callable[[int, Ints], list[str]],
    ) -> Matched:  # fmt: skip
        """From the ranks of documents of the pool, topic by topic, and which of these are judged.

        `ids` names those at some ranks (from 0) of a list.
        """
        negative, pooled, pooled_begin = 0, rank, np.append(0, np.cumsum(per_list))
        if not known.all():
            negative = int(np.count_nonzero(~known if deepest is None else ~known & (rank <= deepest)))
            per_list = np.diff(np.append(0, np.cumsum(known))[np.append(0, np.cumsum(per_list))])
            rank = rank[known]
        there = np.maximum(retrieved, 0)
        most = Matching(deepest).top
        judged = len(rank) if deepest is None else int(np.count_nonzero(rank <= deepest))
        near, begin = np.flatnonzero(rank <= most), np.cumsum(per_list) - per_list
        first = np.minimum(there, most)
        found = np.diff(np.searchsorted(near, np.append(begin, len(rank))))
        few = np.flatnonzero(found < BELOW * first)[:TOPICS]
        unknown = []
        for t in few.tolist():
            open_ = np.ones(int(first[t]), np.bool_)
            own = pooled[pooled_begin[t] : pooled_begin[t + 1]]  # with a label below 0 an id is known, too
            open_[own[own <= most] - 1] = False
            if open_.any():
                unknown.append((topics[t], tuple(ids(t, np.flatnonzero(open_)))))
        shown = int(there.sum()) if deepest is None else int(np.minimum(there, deepest).sum())
        uppermost = int(rank.min()) if len(rank) else None
        return cls(
            shown, judged, len(rank) - judged, int(first.sum()), len(near), tuple(unknown), uppermost, negative
        )  # fmt: skip


class Doubt(NamedTuple):
    """A system whose documents may not be those that were judged, and why; DOUBT or FEW says what is known of it."""

    system: str
    kind: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.why}"


class Seen(NamedTuple):
    """What is known of a system's documents."""

    system: str
    matched: Matched


def check_matched(systems: Sequence[Seen], judged_ids: JudgedIds, how: Matching) -> tuple[Doubt, ...]:
    """Refuse systems that have no judged document in the ranks that count; warn of those that have far fewer.

    judged_ids: the judged documents of some topics, asked for only where something is wrong.
    """
    if how.unmatched == "ignore":
        return ()
    known = _Known(judged_ids)
    none = [s for s in systems if s.matched.shown and not s.matched.judged]
    if none and how.unmatched == "refuse":
        raise _refusal(none, systems, known, how)
    if none and not any(s.matched.judged or s.matched.below for s in systems):
        raise _refusal(none, systems, known, how)
    found = tuple(doubt for s in systems if (doubt := _doubt(s, systems, known, how)) is not None)
    for said in (*doubts_told(found), *_shallow_told(systems, how)):
        warn(said)
    return found


def _shallow_told(systems: Sequence[Seen], how: Matching) -> list[str]:
    """Which systems have judged documents, but none in the ranks that some of several measures look at."""
    said = []
    for cutoff, measure in how.shallow:
        none = [s for s in systems if s.matched.uppermost is not None and s.matched.uppermost > cutoff]
        if none:
            said.append(
                f"{measure} of {some([s.system for s in none])} is 0 since none of the documents in the first "
                f"{'rank' if cutoff == 1 else counted(cutoff, 'rank')} is judged: it says nothing; have some of them "
                "judged"
            )
    return said


def doubts_told(doubts: Sequence[Doubt]) -> list[str]:
    """Doubts in words, those of the first TOLD systems one by one."""
    said = [doubt.why for doubt in doubts[:TOLD]]
    if more := [doubt.system for doubt in doubts[TOLD:]]:
        said.append(f"the same of {counted(len(more), 'more system')}: {some(more)}")
    return said


def unjudged_told(systems: Sequence[Seen], how: Matching, but: Sequence[Doubt] = ()) -> list[str]:
    """That unjudged documents count as not relevant, where some systems have many more of them than others.

    Many more: less than BELOW of the best judged system's first documents are judged, and not by chance.  Of the 129
    runs of TREC-8 these are 5, of the 37 of DL 2019 none.  but: systems of which is told that their ids are in doubt.
    """
    if how.unmatched == "ignore" or not how.as_zero:
        return []
    best = max((s.matched for s in systems), key=_share)
    few = [s for s in systems if _share(s.matched) < BELOW * _share(best) and _is_no_chance(s.matched, best)]
    told = sorted((s for s in few if all(s.system != d.system for d in but)), key=lambda s: _share(s.matched))
    if not told:
        return []
    each = [
        f"{s.system} {s.matched.unjudged:,} of {s.matched.first:,} ({1 - _share(s.matched):.0%})" for s in told[:TOLD]
    ]
    each += [counted(len(told) - TOLD, "more system")] if len(told) > TOLD else []
    most = max(-(-100 * m.unjudged // m.first) for s in systems if s not in few and (m := s.matched).first)
    return [
        Message(
            "unjudged documents count as not relevant, and systems differ in how many stand in their first "
            f"{counted(how.top, 'rank')}: {', '.join(each)}, others {f'at most {most}%' if most else 'none'}; scores "
            "and tests take them so, "
            f"{by_surface('`verdict` of tg.Study says', '`truegain verdict` and `truegain gate` say')} what holds "
            "whatever they are"
        )
    ]


def _share(matched: Matched) -> float:
    return matched.first_judged / matched.first if matched.first else 0.0


def _cause(own: Matched, known: _Known, usual: float, most: int | None = None) -> tuple[Cause | None, Lists]:
    """What makes its ids match, and the lists looked at: all, or until they hold `most` judged documents."""
    lists, tried, seen = [], 0, 0
    for topic, ids in own.unknown:
        lists.append((ids, known[topic]))
        tried, seen = tried + len(ids), seen + len(known[topic].ids)
        if most is not None and seen >= most and tried >= LEAST_TRIED:
            break
    return likely_cause(lists, FAR * usual), lists


class _Known(dict[str, KnownIds]):
    """The judged documents of topics, fetched where they are asked for."""

    def __init__(self, judged_ids: JudgedIds) -> None:
        super().__init__()
        self.judged_ids = judged_ids

    def __missing__(self, topic: str) -> KnownIds:
        self[topic] = KnownIds(self.judged_ids([topic])[topic])
        return self[topic]


# ---------------------------------------------------------------------- not one is judged


def _refusal(none: Sequence[Seen], systems: Sequence[Seen], known: _Known, how: Matching) -> InputError:
    """Why a system cannot be scored: its ids, and what makes them match; or that they match, but are unjudged."""
    first, own = none[0].system, none[0].matched
    others = "" if len(none) == 1 else f" (and so for {some([s.system for s in none[1:]])})"
    said = f"{first}: none of the {counted(own.shown, 'document')} {_ranks(how.deepest)} is judged{others}"
    if own.negative:
        return InputError(
            f"{said}: {own.negative:,} {'has a label' if own.negative == 1 else 'have labels'} below 0, which says "
            "that nobody judged it",
            hint="give labels of 0 or more to what was judged, or have some of these judged",
        )
    if own.below:
        return InputError(
            f"{said}, while {own.below:,} further down are: the ids match, but all that would be scored is unjudged",
            hint=f"have some of these judged: {UNJUDGED} tells how many there are"
            + (f", {NEXT_TO_JUDGE} which come first" if len(systems) > 1 else ""),
        )
    usual = median([_share(s.matched) for s in systems if s.matched.judged] or [0.0])
    cause, lists = _cause(own, known, usual)
    if cause is not None:
        beside = _beside([ran for ran, _ in cause.examples], [judged for _, judged in cause.examples])
        return InputError(f"{said}, and {cause}: {beside}", hint=cause.remedy)
    ids, judged = next(((ids, judged.ids) for ids, judged in lists if ids), ((), ()))
    tried = sum(len(ids) for ids, _ in lists)
    if (elsewhere := in_other_topics(lists)) >= max(1, tried // 2):
        return InputError(
            f"{said}, but {elsewhere:,} of {tried:,} tried are judged for other topics: {_beside(ids, judged)}",
            hint="check that topics have the same ids in run and judgments",
        )
    return InputError(
        f"{said}, and no simple change of the ids makes them match: {_beside(ids, judged)}",
        hint="check that run and judgments are of the same collection; if so, have "
        + (
            f"some of these documents judged: {NEXT_TO_JUDGE} lists them"
            if len(systems) > 1
            else "its first ones judged"
        ),
    )


def _ranks(deepest: int | None) -> str:
    return "in its lists" if deepest is None else f"in its first {counted(deepest, 'rank')}"


def _beside(ran: Sequence[str], judged: Sequence[str]) -> str:
    return f"it has {_quoted(ran[:3])}, and judged are {_quoted(judged[:3])}"


def _quoted(ids: Iterable[str]) -> str:
    """Ids as they are, quoted where blanks or quotes would not be seen.

    >>> _quoted(["d1", " d2"])
    "d1, ' d2'"
    """
    return ", ".join(name if name.isprintable() and name.strip(" \"'") == name else repr(name) for name in ids)


# ---------------------------------------------------------------------- far fewer than of the others


def _doubt(own: Seen, systems: Sequence[Seen], known: _Known, how: Matching) -> Doubt | None:
    """Why its ids are in doubt, in words; None where they are not.

    Far fewer are judged than of the other systems' first documents; or fewer, and a simple change of those that are
    not makes them match.
    """
    matched, share = own.matched, _share(own.matched)
    if not matched.unknown or share >= BELOW:
        return None
    others = [s.matched for s in systems if s is not own and s.matched.first_judged]
    none = not matched.judged and not matched.below
    best = max(others, key=_share, default=None)
    if not none and best is not None and not (share < BELOW * _share(best) and _is_no_chance(matched, best)):
        return None
    usual = median([_share(m) for m in others]) if others else 0.0
    nearest = min(others, key=lambda m: abs(_share(m) - usual), default=None)
    far = nearest is not None and share < FAR * usual and _is_no_chance(matched, nearest)
    cause, lists = _cause(matched, known, usual, ENOUGH)
    if cause is None and not (far and (none or how.unmatched == "refuse")):
        return None
    beside = f", {'the other system' if len(others) == 1 else 'other systems'} {usual:.0%}" if others else ""
    said = (
        f"of the {counted(matched.first, 'document')} in the first {counted(how.top, 'rank')} of {own.system} "
        f"{matched.first_judged:,} are judged ({share:.0%}{beside}); "
    )
    if cause is not None:
        why = f"{said}{_quoted(name for name, _ in cause.examples)} are not, and {cause}: {cause.remedy}"
        return Doubt(own.system, DOUBT, why)
    ids = list(dict.fromkeys(name for several, _ in lists for name in several[:1]))[:3]
    return Doubt(
        own.system, FEW,
        f"{said}{_quoted(ids)} are not, and no simple change of the ids makes them match: check them; if they are "
        "right, `unjudged` tells what unjudged documents could do",
    )  # fmt: skip


def _is_no_chance(few: Matched, many: Matched) -> bool:
    """Whether two shares differ by more than chance: p of a test of two proportions below .001."""
    total, judged = few.first + many.first, few.first_judged + many.first_judged
    if not few.first or not many.first:
        return False
    p = judged / total
    error = sqrt(p * (1 - p) * (1 / few.first + 1 / many.first))
    return _share(many) - _share(few) > MOST_BY_CHANCE * error
