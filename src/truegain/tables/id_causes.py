"""Why ids of runs and of judgments do not match: which simple change of them makes them match, tried on some."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

LEAST, LEAST_SHARE = 3, 0.05  # ids that a change must make match, and of those tried
MOST_ALIKE = 0.8  # of what is cut off: from so many alike on it is quoted as it is
FEWEST = 20  # ids that may be parts of one document, on average
AROUND = " \t\r\n\xa0\ufeff\u200b\"'`"
NUMBER = "<number>"
_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")
_PIECES = re.compile(r"[^\W\d_]+|\d+|.", re.DOTALL)


@dataclass(frozen=True)
class Way:
    """One way to write all ids: in words, what to do about it, what it changes, and how.

    told: whether to say which side has what it takes away.
    """

    words: str
    remedy: str
    where: re.Pattern[str]
    write: Callable[[str], str]
    told: bool = False


_Cut = tuple[str, tuple[tuple[str, str, str], ...]]  # an id of the run; what stands in front, behind, the judged one


class KnownIds:
    """The judged ids of a topic, and how they are looked up; what is made of them is made once."""

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids, self.all = ids, frozenset(ids)
        self._written: dict[str, dict[str, str]] = {}

    def written(self, way: Way) -> dict[str, str]:
        """The ids by how they would be written; made only where it changes one."""
        if way.words not in self._written:
            names = map(way.write, self.ids) if way.where.search(self.text) else self.ids
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


Lists = Sequence[tuple[Sequence[str], KnownIds]]  # topic by topic: ids of the run, and those judged


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

    >>> print(likely_cause([(["a#0", "b#0", "c#0"], KnownIds(["a", "b", "x"]))]))
    the ids match after removing "#0" at the end of the run's ids (2 of 3 tried)
    >>> print(likely_cause([(["7.0", "12.0"], KnownIds(["7", "12"]))]))
    the ids match as whole numbers, such as 7.0 and 7 (2 of 2 tried)
    >>> likely_cause([(["a", "b", "c"], KnownIds(["x", "y"]))]) is None
    True
    """
    tried = sum(len(ids) for ids, _ in lists)
    best: _Change | None = None
    for change in _changes(lists):
        if best is None or change.matched > best.matched:
            best = change
    found = 0 if best is None else best.matched
    if best is None or (found < LEAST and 2 * found < tried) or found < max(LEAST_SHARE, least) * tried:
        return None
    return Cause(best.words, best.remedy, found, tried, best.examples)


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


def _bare(name: str) -> str:
    return name.strip(AROUND)


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


AS_TEXT = "keep ids as text when tables are read and written: numbers"
SAME_WAY = (
    Way("without what stands around them (spaces, quotes, a byte order mark)", "write them without it",
        re.compile(f"[{AROUND.replace(chr(10), '')}]"), _bare),
    Way("as whole numbers", f"{AS_TEXT} with gaps become 12.0", re.compile(r"\d[.eE]"), _whole),
    Way("without leading zeros", f"{AS_TEXT} lose their zeros", re.compile(r"(?<![\d.])0\d"), _no_zeros,
        told=True),
    Way("where upper and lower case are the same", "write both in the same case", re.compile(r"[^\Wa-z\d_]"),
        str.casefold),
    Way("in one form of Unicode (NFC)", "write both in that form", re.compile(r"[^\x00-\x7f]"), _composed),
    Way("where %20 and the like are written out", "write both in the same way", re.compile("%[0-9a-fA-F]{2}"), unquote),
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
    return "" if not way.told or run == judged else f", which the {'run has' if run else 'judgments have'}"


def _first(pairs: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Three that differ."""
    return tuple(dict.fromkeys(pairs))[:3]


def _written_alike(lists: Lists, way: Way) -> Iterator[tuple[str, str]]:
    for ids, judged in lists:
        if any(map(way.where.search, ids)) or way.where.search(judged.text):
            known = judged.written(way)
            yield from ((name, known[new]) for name in ids if (new := way.write(name)) in known)


# ---------------------------------------------------------------------- something in front or behind


def _cut_off(tried: Sequence[_Cut], whose: str, remedy: str) -> Iterator[_Change]:
    """What stands in front of ids or behind them, and mostly the same: as it is, but for its numbers, or its mark."""
    found = [one for one in tried if one[1]]
    for key in (_as_it_is, _without_numbers, _by_mark):
        times = Counter(both for _, ways in found for both in {key(front, behind) for front, behind, _ in ways})
        most, count = next(iter(times.most_common(1)), (("", ""), 0))
        if not count or count < MOST_ALIKE * len(found):
            continue
        pairs = [(name, core) for name, ways in found for front, behind, core in ways if key(front, behind) == most]
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
