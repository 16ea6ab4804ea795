"""Whether the documents of runs are those that were judged: ids that do not match, and why."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Literal, NamedTuple
from urllib.parse import unquote

import numpy as np

from truegain.errors import InputError, counted, some, warn
from truegain.io.columns import Bools, Ints
from truegain.message import NEXT_TO_JUDGE, UNJUDGED, Message, by_surface

# ---- Why ids of runs and of judgments do not match: which simple change of them makes them match, tried on some.

LEAST, LEAST_SHARE = 3, 0.05  # ids that a change must make match, and of those tried
MOST_ALIKE = 0.8  # of what is cut off: from so many alike on it is quoted as it is
FEWEST = 20  # ids that may be parts of one document, on average
AROUND = " \t\r\n\xa0\ufeff\u200b\"'`"
NUMBER = "<number>"
# Patterns begin with what is rare in an id, and look behind it then: a search for that is many times faster.
_ZEROS = re.compile(r"0(?<![\d.]0)0*(?=\d)")
_PIECES = re.compile(r"[^\W\d_]+|\d+|.", re.DOTALL)


@dataclass(frozen=True)
class Way:
    """One way to write all ids: in words, what to do about it, whether it changes an id of a text, and how.

    says_side: whether to say which side has what it takes away.  at_once: whether many ids, one a line, can be written
    as one id is, which is faster.
    """

    words: str
    remedy: str
    changes: Callable[[str], object]
    write: Callable[[str], str]
    says_side: bool = False
    at_once: bool = False


_Cut = tuple[str, tuple[tuple[str, str, str], ...]]  # an id of the run; what stands in front, behind, the judged one


class TopicIds:
    """The judged ids of a topic, and how they are looked up; what is made of them is made once."""

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids, self.all = ids, frozenset(ids)
        self._written: dict[str, dict[str, str]] = {}
        self._changed: dict[str, bool] = {}

    def changed(self, way: Way) -> bool:
        """Whether a way of writing changes an id; looked for once, since every system in doubt asks."""
        if way.words not in self._changed:
            self._changed[way.words] = bool(way.changes(self.text))
        return self._changed[way.words]

    def written(self, way: Way) -> dict[str, str]:
        """The ids by how they would be written; made only where it changes one."""
        if way.words not in self._written:
            if not self.changed(way):
                names: Iterable[str] = self.ids
            elif way.at_once and self.text.count("\n") == len(self.ids) + 1:  # no id has a line break of its own
                names = way.write(self.text).split("\n")[1:-1]
            else:
                names = map(way.write, self.ids)
            self._written[way.words] = dict(zip(names, self.ids, strict=True))
        return self._written[way.words]

    @cached_property
    def text(self) -> str:
        """One id a line."""
        return "\n".join(["", *self.ids, ""])

    def around(self, name: str) -> Iterator[tuple[str, str]]:
        """What stands in front of an id and behind it, where it is a part of a known one: whole words and numbers."""
        at = self.text.find(name)
        while name and at >= 0:
            begin, end = self.text.rfind("\n", 0, at) + 1, self.text.find("\n", at)
            front, behind = self.text[begin:at], self.text[at + len(name) : end]
            if (front or behind) and _is_edge(front[-1:], name[:1]) and _is_edge(name[-1:], behind[:1]):
                yield front, behind
            at = self.text.find(name, at + 1)


Lists = Sequence[tuple[Sequence[str], TopicIds]]  # topic by topic: ids of the run, and those judged


@dataclass(frozen=True)
class Cause:
    """A change of ids that makes them match, in words, what to do, how many it makes match, and three of either."""

    words: str
    remedy: str
    matched: int
    tried: int
    examples: tuple[tuple[str, str], ...]  # of the run, and judged

    def __str__(self) -> str:
        return f"the ids match {self.words} ({self.matched:,} of {self.tried:,} tried)"


@dataclass(frozen=True)
class _Change:
    """What a change makes match: ids of the run with the judged ones."""

    words: str
    remedy: str
    examples: tuple[tuple[str, str], ...]
    matched: int


def likely_cause(lists: Lists, least: float = 0.0) -> Cause | None:
    """The change that makes most ids match, if it is more than a few of them: LEAST, or half, and a share `least`.

    >>> print(likely_cause([(["a#0", "b#0", "c#0"], TopicIds(["a", "b", "x"]))]))
    the ids match after removing "#0" at the end of the run's ids (2 of 3 tried)
    >>> print(likely_cause([(["7.0", "12.0"], TopicIds(["7", "12"]))]))
    the ids match as whole numbers, such as 7.0 and 7 (2 of 2 tried)
    >>> likely_cause([(["a", "b", "c"], TopicIds(["x", "y"]))]) is None
    True
    """
    tried = sum(len(ids) for ids, _ in lists)
    best: _Change | None = None
    for change in _changes(lists):
        if best is None or change.matched > best.matched:
            best = change
    matched = 0 if best is None else best.matched
    if best is None or (matched < LEAST and 2 * matched < tried) or matched < max(LEAST_SHARE, least) * tried:
        return None
    return Cause(best.words, best.remedy, matched, tried, best.examples)


def in_other_topics(lists: Lists) -> int:
    """How many ids are judged, but for other topics than their own."""
    everywhere = frozenset().union(*(judged.all for _, judged in lists))
    return sum(doc in everywhere for ids, _ in lists for doc in ids)


# ---------------------------------------------------------------------- both sides written in one way


def _whole(name: str) -> str:
    """A number without its decimal point, where there is nothing behind it."""
    try:
        value = float(name)
    except ValueError:
        return name
    return str(int(value)) if value.is_integer() and re.search(r"[.eE]", name) else name


def _no_zeros(name: str) -> str:
    """Numbers without leading zeros, wherever they stand."""
    return _ZEROS.sub("", name)


AS_TEXT = "keep ids as text when tables are read and written: numbers"
SAME_WAY = (
    Way("without spaces, quotes or a byte order mark around them", "write them without these",
        lambda text: any(mark in text for mark in AROUND if mark != "\n"), lambda name: name.strip(AROUND)),
    Way("as whole numbers", f"{AS_TEXT} with gaps become 12.0", re.compile(r"[.eE](?<=\d[.eE])").search, _whole),
    Way("without leading zeros", f"{AS_TEXT} lose their zeros", re.compile(r"0(?<![\d.]0)\d").search, _no_zeros,
        says_side=True, at_once=True),
    Way("ignoring case", "write both in the same case", re.compile(r"[^\Wa-z\d_]").search, str.casefold, at_once=True),
    Way("in one form of Unicode (NFC)", "write both in that form", lambda text: not text.isascii(),
        lambda name: unicodedata.normalize("NFC", name), at_once=True),
    Way("where %20 and the like are decoded", "write both in the same way", re.compile("%[0-9a-fA-F]{2}").search,
        unquote),
)  # fmt: skip


def _changes(lists: Lists) -> Iterator[_Change]:
    """All that is tried; of those that make the same number match the first is taken."""
    for way in SAME_WAY:
        pairs = tuple(_written_alike(lists, way))
        if pairs:
            words = f"{way.words}{_who_has(way, pairs)}, such as {pairs[0][0]} and {pairs[0][1]}"
            yield _Change(words, way.remedy, _first(pairs), len(pairs))
    cut: list[_Cut] = []
    grown: list[_Cut] = []
    for ids, judged in lists:
        for name in ids:
            parts = ((name[:begin], name[end:], name[begin:end]) for begin, end in _core(name, judged.all))
            wholes = ((front, behind, front + name + behind) for front, behind in judged.around(name))
            cut.append((name, tuple(parts)))
            grown.append((name, tuple(wholes)))
    yield from _cut_off(cut, "the run's ids", "remove {what} in the run")
    yield from _cut_off(grown, "the judged ids", "remove {what} in the judgments, or add it in the run")


def _who_has(way: Way, pairs: Sequence[tuple[str, str]]) -> str:
    """Which side has what a way takes away, where only one has."""
    run, judged = (any(way.write(both[side]) != both[side] for both in pairs) for side in (0, 1))
    return "" if not way.says_side or run == judged else f", which the {'run has' if run else 'judgments have'}"


def _first(pairs: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Three that differ."""
    return tuple(dict.fromkeys(pairs))[:3]


def _written_alike(lists: Lists, way: Way) -> Iterator[tuple[str, str]]:
    for ids, judged in lists:
        if judged.changed(way) or any(map(way.changes, ids)):
            known = judged.written(way)
            yield from ((name, known[new]) for name in ids if (new := way.write(name)) in known)


# ---------------------------------------------------------------------- something in front or behind


def _cut_off(tried: Sequence[_Cut], whose: str, remedy: str) -> Iterator[_Change]:
    """What stands in front of ids or behind them, and mostly the same: as it is, but for its numbers, or its mark."""
    affixed = [cuts for cuts in tried if cuts[1]]
    for key in (_as_it_is, _without_numbers, _by_mark):
        times = Counter(both for _, ways in affixed for both in {key(front, behind) for front, behind, _ in ways})
        most, count = next(iter(times.most_common(1)), (("", ""), 0))
        if not count or count < MOST_ALIKE * len(affixed):
            continue
        pairs = [(name, core) for name, ways in affixed for front, behind, core in ways if key(front, behind) == most]
        if (key is _by_mark and 2 * count < len(tried)) or len(set(pairs)) > FEWEST * len({j for _, j in pairs}):
            return  # some would match by chance, or all are of one document
        what, words = _in_words(*most, whose, marks=key is _by_mark)
        best = "" if key is _as_it_is else "; of several parts of one document keep the best"
        yield _Change(f"after removing {words}", remedy.format(what=what) + best, _first(pairs), count)
        return


def _core(name: str, known: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where the longest part of an id that is a known one begins and ends, if any: whole words and numbers."""
    ends = [0]
    for piece in _PIECES.findall(name):
        ends.append(ends[-1] + len(piece))
    parts = [(a, b) for i, a in enumerate(ends) for b in ends[i + 1 :] if b - a < len(name) and name[a:b] in known]
    if parts:
        yield max(parts, key=lambda part: part[1] - part[0])


def _is_edge(before: str, after: str) -> bool:
    """Whether a word or a number ends between two characters; always at the end of an id.

    >>> _is_edge("", "a"), _is_edge("d", "1"), _is_edge("1", "2"), _is_edge("_", "a")
    (True, True, False, True)
    """
    return len(_PIECES.findall(before + after)) == len(before + after)


def _as_it_is(front: str, behind: str) -> tuple[str, str]:
    return front, behind


def _without_numbers(front: str, behind: str) -> tuple[str, str]:
    return re.sub(r"\d+", NUMBER, front), re.sub(r"\d+", NUMBER, behind)


def _by_mark(front: str, behind: str) -> tuple[str, str]:
    """The character next to the id, on either side."""
    return front[-1:], behind[:1]


def _in_words(front: str, behind: str, whose: str, marks: bool) -> tuple[str, str]:
    """What is cut off, and where it stands.

    >>> print(*_in_words("doc_", "", "the run's ids", False), sep=": ")
    "doc_": "doc_" at the beginning of the run's ids
    >>> print(*_in_words("/", "#", "the judged ids", True), sep=": ")
    it: all up to "/" and all from "#" on in the judged ids
    """
    if marks:
        ends = [f'all up to "{front}"' if front else "", f'all from "{behind}" on' if behind else ""]
        return "it", f"{' and '.join(filter(None, ends))} in {whose}"
    places = [f'"{front}" at the beginning' if front else "", f'"{behind}" at the end' if behind else ""]
    what = " and ".join(f'"{text}"' for text in (front, behind) if text)
    return what, f"{' and '.join(filter(None, places))} of {whose}"


# ---- Whether the documents of runs are those that were judged: ids that do not match are refused, or told of.

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
        ids: Callable[[Ints, Ints], list[str]],
    ) -> Matched:  # fmt: skip
        """From the ranks of documents of the pool, topic by topic, and which of these are judged.

        `ids` names those of some lists, each at a rank (from 0).
        """
        lengths, deep, most = np.maximum(retrieved, 0), deepest or sys.maxsize, Matching(deepest).top
        top = np.flatnonzero(rank <= most)
        list_of, place = np.searchsorted(np.cumsum(per_list), top, side="right"), rank[top] - 1
        first, counts = np.minimum(lengths, most), np.bincount(list_of[known[top]], minlength=len(per_list))
        few = np.flatnonzero(counts < BELOW * first)[:TOPICS]
        unknown = np.arange(most) < first[few, None]  # list x rank
        row = np.full(len(per_list), -1)
        row[few] = np.arange(len(few))
        row = row[list_of]
        unknown[row[row >= 0], place[row >= 0]] = False  # with a label below 0 an id is known, too
        which, place = np.nonzero(unknown)
        names, ends = ids(few[which], place), np.cumsum(unknown.sum(axis=1)).tolist()
        of_list = zip(few.tolist(), [0, *ends][:-1], ends, strict=True)
        labeled = rank if known.all() else rank[known]
        judged = int(np.count_nonzero(labeled <= deep))
        return cls(
            shown=int(np.minimum(lengths, deep).sum()),
            judged=judged,
            below=len(labeled) - judged,
            first=int(first.sum()),
            first_judged=int(counts.sum()),
            unknown=tuple((topics[t], tuple(names[begin:end])) for t, begin, end in of_list if begin < end),
            uppermost=int(labeled.min()) if len(labeled) else None,
            negative=int(np.count_nonzero(rank <= deep)) - judged,
        )


class Doubt(NamedTuple):
    """A system whose documents may not be those that were judged, and why; DOUBT or FEW says what is known of it."""

    system: str
    kind: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.why}"


class SystemMatch(NamedTuple):
    """How the documents of a system match the judged ones."""

    system: str
    matched: Matched


def check_matched(systems: Sequence[SystemMatch], judged_ids: JudgedIds, how: Matching) -> tuple[Doubt, ...]:
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
    suspects = [s for s in systems if _has_fewer(s.matched, _others(s, systems))]
    known.often.update(topic for s in suspects for topic, _ in s.matched.unknown)
    doubts = tuple(doubt for s in suspects if (doubt := _doubt(s, _others(s, systems), known, how)) is not None)
    for message in (*doubt_messages(doubts), *_shallow_messages(systems, how)):
        warn(message)
    return doubts


def _shallow_messages(systems: Sequence[SystemMatch], how: Matching) -> list[str]:
    """Which systems have judged documents, but none in the ranks that some of several measures look at."""
    sentences = []
    for cutoff, measure in how.shallow:
        none = [s for s in systems if s.matched.uppermost is not None and s.matched.uppermost > cutoff]
        if none:
            sentences.append(
                f"{measure} of {some([s.system for s in none])} is 0 because none of the documents in the first "
                f"{'rank' if cutoff == 1 else counted(cutoff, 'rank')} is judged, so it is meaningless; have some of "
                "them judged"
            )
    return sentences


def doubt_messages(doubts: Sequence[Doubt]) -> list[str]:
    """Doubts in words, those of the first TOLD systems one by one."""
    sentences = [doubt.why for doubt in doubts[:TOLD]]
    if more := [doubt.system for doubt in doubts[TOLD:]]:
        sentences.append(f"the same of {counted(len(more), 'more system')}: {some(more)}")
    return sentences


def unjudged_messages(systems: Sequence[SystemMatch], how: Matching, but: Sequence[Doubt] = ()) -> list[str]:
    """That unjudged documents count as not relevant, where some systems have many more of them than others.

    Many more: less than BELOW of the best judged system's first documents are judged, and not by chance.  Of the 129
    runs of TREC-8 these are 5, of the 37 of DL 2019 none.  but: systems of which is told that their ids are in doubt.
    """
    if how.unmatched == "ignore" or not how.as_zero:
        return []
    best = max((s.matched for s in systems), key=_share)
    few = [s for s in systems if _share(s.matched) < BELOW * _share(best) and _is_no_chance(s.matched, best)]
    listed = sorted((s for s in few if all(s.system != d.system for d in but)), key=lambda s: _share(s.matched))
    if not listed:
        return []
    each = [
        f"{s.system} {s.matched.unjudged:,} of {s.matched.first:,} ({1 - _share(s.matched):.0%})" for s in listed[:TOLD]
    ]
    each += [counted(len(listed) - TOLD, "more system")] if len(listed) > TOLD else []
    most = max(-(-100 * m.unjudged // m.first) for s in systems if s not in few and (m := s.matched).first)
    return [
        Message(
            "unjudged documents count as not relevant, and systems differ in how many they have in their first "
            f"{counted(how.top, 'rank')}: {', '.join(each)}, others {f'at most {most}%' if most else 'none'}; so "
            "scores and tests count them; "
            f"{by_surface('`verdict` of tg.Study says', '`truegain verdict` and `truegain gate` say')} what holds "
            "whatever their labels are"
        )
    ]


def _share(matched: Matched) -> float:
    return matched.first_judged / matched.first if matched.first else 0.0


def _cause(own: Matched, known: _Known, usual: float, most: int | None = None) -> tuple[Cause | None, Lists]:
    """What makes its ids match, and the lists looked at: all, or until they hold `most` judged documents.

    Topics that many systems are looked at for come first: what is made of their judged ids is made once.
    """
    lists, tried, seen = [], 0, 0
    for topic, ids in sorted(own.unknown, key=lambda one: -known.often[one[0]]):
        lists.append((ids, known[topic]))
        tried, seen = tried + len(ids), seen + len(known[topic].ids)
        if most is not None and seen >= most and tried >= LEAST_TRIED:
            break
    return likely_cause(lists, FAR * usual), lists


class _Known(dict[str, TopicIds]):
    """The judged documents of topics, fetched where they are asked for."""

    def __init__(self, judged_ids: JudgedIds) -> None:
        super().__init__()
        self.judged_ids = judged_ids
        self.often = Counter[str]()  # topics, by how many systems are looked at for them

    def __missing__(self, topic: str) -> TopicIds:
        self[topic] = TopicIds(self.judged_ids([topic])[topic])
        return self[topic]


# ---------------------------------------------------------------------- not one is judged


def _refusal(none: Sequence[SystemMatch], systems: Sequence[SystemMatch], known: _Known, how: Matching) -> InputError:
    """Why a system cannot be scored: its ids, and what makes them match; or that they match, but are unjudged."""
    first, own = none[0].system, none[0].matched
    others = "" if len(none) == 1 else f" (and so for {some([s.system for s in none[1:]])})"
    problem = f"{first}: none of the {counted(own.shown, 'document')} {_ranks(how.deepest)} is judged{others}"
    if own.negative:
        return InputError(
            f"{problem}: {own.negative:,} {'has a label' if own.negative == 1 else 'have labels'} below 0, which means "
            "not judged",
            hint="give judged documents labels of 0 or more, or have some of these judged",
        )
    if own.below:
        return InputError(
            f"{problem}, although {own.below:,} further down are: the ids match, but all that would be scored is "
            "unjudged",
            hint=f"have some of these judged: {UNJUDGED} counts them"
            + (f", {NEXT_TO_JUDGE} lists which to judge first" if len(systems) > 1 else ""),
        )
    usual = float(np.median([_share(s.matched) for s in systems if s.matched.judged] or [0.0]))
    cause, lists = _cause(own, known, usual)
    if cause is not None:
        beside = _beside([ran for ran, _ in cause.examples], [judged for _, judged in cause.examples])
        return InputError(f"{problem}, and {cause}: {beside}", hint=cause.remedy)
    ids, judged = next(((ids, judged.ids) for ids, judged in lists if ids), ((), ()))
    tried = sum(len(ids) for ids, _ in lists)
    if (elsewhere := in_other_topics(lists)) >= max(1, tried // 2):
        return InputError(
            f"{problem}, but {elsewhere:,} of {tried:,} tried are judged for other topics: {_beside(ids, judged)}",
            hint="check that topics have the same ids in run and judgments",
        )
    return InputError(
        f"{problem}, and no simple change of the ids makes them match: {_beside(ids, judged)}",
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


def _others(own: SystemMatch, systems: Sequence[SystemMatch]) -> list[Matched]:
    """The other systems that have judged documents."""
    return [s.matched for s in systems if s is not own and s.matched.first_judged]


def _has_fewer(own: Matched, others: Sequence[Matched]) -> bool:
    """Whether fewer of its first documents are judged than of the best other system's, and not by chance."""
    if not own.unknown or _share(own) >= BELOW:
        return False
    best = max(others, key=_share, default=None)
    none = not own.judged and not own.below
    return none or best is None or (_share(own) < BELOW * _share(best) and _is_no_chance(own, best))


def _doubt(own: SystemMatch, others: Sequence[Matched], known: _Known, how: Matching) -> Doubt | None:
    """Why the ids of a system that has fewer judged documents are in doubt, in words; None where they are not.

    Far fewer are judged than of the other systems' first documents; or fewer, and a simple change of those that are
    not makes them match.
    """
    matched, share = own.matched, _share(own.matched)
    none = not matched.judged and not matched.below
    usual = float(np.median([_share(m) for m in others])) if others else 0.0
    nearest = min(others, key=lambda m: abs(_share(m) - usual), default=None)
    far = nearest is not None and share < FAR * usual and _is_no_chance(matched, nearest)
    cause, lists = _cause(matched, known, usual, ENOUGH)
    if cause is None and not (far and (none or how.unmatched == "refuse")):
        return None
    beside = f", {'the other system' if len(others) == 1 else 'other systems'} {usual:.0%}" if others else ""
    start = (
        f"of the {counted(matched.first, 'document')} in the first {counted(how.top, 'rank')} of {own.system} "
        f"{matched.first_judged:,} are judged ({share:.0%}{beside}); "
    )
    if cause is not None:
        why = f"{start}{_quoted(name for name, _ in cause.examples)} are not, and {cause}: {cause.remedy}"
        return Doubt(own.system, DOUBT, why)
    ids = list(dict.fromkeys(name for several, _ in lists for name in several[:1]))[:3]
    return Doubt(
        own.system, FEW,
        f"{start}{_quoted(ids)} are not, and no simple change of the ids makes them match: check them; if they are "
        "right, `unjudged` shows what unjudged documents could change",
    )  # fmt: skip


def _is_no_chance(few: Matched, many: Matched) -> bool:
    """Whether two shares differ by more than chance: p of a test of two proportions below .001."""
    total, judged = few.first + many.first, few.first_judged + many.first_judged
    if not few.first or not many.first:
        return False
    p = judged / total
    error = sqrt(p * (1 - p) * (1 / few.first + 1 / many.first))
    return _share(many) - _share(few) > MOST_BY_CHANCE * error
