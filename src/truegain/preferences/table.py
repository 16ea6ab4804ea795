"""Preferences: which of two systems' answers to a topic a person or a judge liked better, read from tables."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from truegain.data.judgments import Judgments, judgments_of_columns
from truegain.errors import InputError, an, counted, some, warn
from truegain.io import formats
from truegain.io.columns import COLUMNS, Bools, Floats, Ints, frozen, number_of, plain_name
from truegain.io.files import PathLike, can_be_read_again, pieces_of, shown_path
from truegain.io.frames import FrameLike, is_frame, opened
from truegain.io.named_tables import Columns, is_missing, unguarded
from truegain.io.separated import separated, separator_of
from truegain.io.table_format import first_line
from truegain.message import by_surface
from truegain.preferences.fit import PairCells, total
from truegain.results.base import Lines

ROLES: dict[str, tuple[str, ...]] = {
    "topic": (*COLUMNS["topic"], "prompt_id", "sample_id", "sample", "prompt", "question"),
    "a": ("a", "system_a", "model_a", "run_a", "left"),
    "b": ("b", "system_b", "model_b", "run_b", "right"),
    "winner": ("winner", "preference", "preferred", "choice", "outcome"),
    "first": ("first", "first_shown", "shown_first", "first_system"),
    "assessor": (*COLUMNS["assessor"], "judge_id", "user"),
    "replicate": ("replicate", "repeat", "repetition", "epoch", "trial"),
    "model": ("model", "judge_model"),
}
NEEDED = ("topic", "a", "b", "winner")
APP = ("doc_a", "doc_b", "label")  # columns of what the judging app exports
TIE = ("tie", "tied", "draw", "same", "equal", "none", "c")
BOTH_BAD = ("both bad", "both_bad", "bothbad", "tie (bothbad)", "tie (both bad)", "both-bad")
BETWEEN = "-_/:#|.@ "  # what may stand between a topic and a system in the name of an answer
_HINT = "name the columns topic, a, b and winner (a, b, tie, both bad, or the system's name)"


@dataclass(frozen=True, eq=False, repr=False)
class Preferences(Lines):
    """Votes on pairs of systems: one row a vote.

    Parameters
    ----------
    topics, systems, assessors : tuple of str
        Names; no assessors where nobody is named.
    topic, a, b, assessor : ndarray of int
        By vote, into these; assessor 0 where nobody is named.
    wins : ndarray of float
        Half-wins of `a`: 1, 0, or 1/2 where neither won.
    both_bad : ndarray of bool
        Ties in which both answers were called bad; they count as ties.
    first : ndarray of int
        1 where `a` was shown first, -1 where `b` was, 0 where that is not known.
    models : tuple of str
        The language models that voted, where known.
    by_models : int
        How many votes are theirs.
    source : str
        Where they were read, for messages.

    Notes
    -----
    Columns of `frame`, one row a vote: `topic`; `a` and `b`, the systems; `winner`, the name of one of them, 'tie' or
    'both bad'; where known `first`, who was shown first, and `assessor`.

    Examples
    --------
    >>> votes = read_preferences([{"topic": "1", "a": "old", "b": "new", "winner": "new"},
    ...                           {"topic": "2", "a": "new", "b": "old", "winner": "both bad"}])
    >>> votes.systems, votes.wins.tolist(), int(votes.both_bad.sum())
    (('old', 'new'), [0.0, 0.5], 1)
    """

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    topic: Ints
    a: Ints
    b: Ints
    wins: Floats
    both_bad: Bools
    first: Ints
    assessors: tuple[str, ...] = ()
    assessor: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    models: tuple[str, ...] = ()
    by_models: int = 0
    source: str = "preferences"

    def __len__(self) -> int:
        return len(self.topic)

    def in_short(self) -> str:
        """How many votes, of how many systems and topics."""
        return ", ".join(
            counted(n, unit)
            for n, unit in ((len(self), "vote"), (len(self.systems), "system"), (len(self.topics), "topic"))
        )

    def columns_of(self, most: int | None = None) -> Mapping[str, Any]:
        """The columns topic, a, b, winner, and where known first and assessor; or the first rows of them.

        Parameters
        ----------
        most : int, optional
            So many rows from the first on; by default all.

        Returns
        -------
        mapping of str to array or list
            The columns by their names.
        """
        rows = range(len(self) if most is None else min(most, len(self)))
        a, b = ([self.systems[codes[i]] for i in rows] for codes in (self.a, self.b))
        win = {1.0: a, 0.0: b}
        tie = ["both bad" if self.both_bad[i] else "tie" for i in rows]
        columns: dict[str, Any] = {"topic": [self.topics[self.topic[i]] for i in rows], "a": a, "b": b}
        columns["winner"] = [win.get(float(self.wins[i]), tie)[i] for i in rows]
        if self.first.any():
            columns["first"] = [{1: a[i], -1: b[i]}.get(int(self.first[i])) for i in rows]
        if self.assessors:
            columns["assessor"] = [self.assessors[self.assessor[i]] for i in rows]
        return columns

    @property
    def provenance(self) -> Mapping[str, object]:
        """The file, or what else they came from."""
        return {"source": self.source}

    @property
    def ties(self) -> Bools:
        """Which votes call neither better."""
        return np.asarray(self.wins == 0.5)

    def ratings(self) -> Judgments:
        """What each assessor prefers of each pair of systems on each topic, as ratings on a nominal scale.

        Several votes of an assessor on one pair, as of both orders, become one: a tie where neither won more.

        Returns
        -------
        Judgments
            The documents are pairs; labels are 1 where the first of the pair won, 0 where the second did, 1/2 for ties.

        Examples
        --------
        >>> import truegain as tg
        >>> votes = [{"topic": t, "a": "old", "b": "new", "winner": w, "assessor": who}
        ...          for who, won in (("ann", "abb"), ("bob", "aba")) for t, w in zip("123", won)]
        >>> report = tg.agreement(read_preferences(votes).ratings(), scale="nominal", resamples=0)
        >>> report.overall.rows[0][:2]
        ('alpha nominal', 0.4444444444444444)
        """
        if len(self.assessors) < 2:
            one = f"all votes are by {some(self.assessors)}" if self.assessors else "no column tells whose each vote is"
            raise InputError(
                f"{one}, so there is nobody to agree with", file=self.source,
                hint="give the votes of several assessors, named in a column 'assessor'",
            )  # fmt: skip
        pair, wins, _ = self._oriented
        n, people = len(self.systems), len(self.assessors)
        _, first, at = np.unique((self.cell * people) + self.assessor, return_index=True, return_inverse=True)
        ahead = np.bincount(at, wins - 0.5)
        order = np.argsort(first)  # as they were read
        rows = first[order]
        docs = [f"{self.systems[p // n]} and {self.systems[p % n]}" for p in pair[rows].tolist()]
        return judgments_of_columns(
            [self.topics[t] for t in self.topic[rows].tolist()], docs, (np.sign(ahead[order]) + 1) / 2, self.source,
            assessors=[self.assessors[who] for who in self.assessor[rows].tolist()],
        )  # fmt: skip

    # ------------------------------------------------------------------ votes become cells

    @cached_property
    def _oriented(self) -> tuple[Ints, Floats, Ints]:
        """By vote the pair (lower system * systems + higher), the half-win of the lower, and who was first."""
        n, flip = len(self.systems), self.a > self.b
        low, high = np.minimum(self.a, self.b), np.maximum(self.a, self.b)
        return low * n + high, np.where(flip, 1 - self.wins, self.wins), np.where(flip, -self.first, self.first)

    @property
    def cell(self) -> Ints:
        """By vote its topic and pair, as one number."""
        return self.topic * len(self.systems) ** 2 + self._oriented[0]

    def weights(self, kept: Bools | None = None) -> Floats:
        """What each vote counts in its topic and pair: assessors alike, their orders alike, repetitions alike.

        Parameters
        ----------
        kept : ndarray of bool, optional
            The votes that count; by default all.

        Returns
        -------
        ndarray of float
            One weight a vote; those of a topic and pair sum to 1.
        """
        there = np.ones(len(self), np.bool_) if kept is None else kept
        cell, order = self.cell[there], self._oriented[2][there] + 1
        who = self.assessor[there] if self.assessors else np.zeros(len(cell), np.int64)
        people = max(1, len(self.assessors))
        by_order = (cell * people + who) * 3 + order
        out = np.zeros(len(self))
        out[there] = 1 / (_size(by_order) * _parts(cell * people + who, by_order) * _parts(cell, cell * people + who))
        return out

    @property
    def in_one_order(self) -> Bools:
        """By topic and pair whether one order was shown more than the other; not where none is known."""
        shown = np.bincount(np.unique(self.cell, return_inverse=True)[1], self.weights() * self._oriented[2])
        return np.asarray(np.abs(shown) >= 1e-9)

    @property
    def is_balanced(self) -> bool:
        """Whether every pair was shown in both orders on every topic, or no order is known."""
        return not self.in_one_order.any()

    @property
    def flips(self) -> tuple[int, int, int]:
        """How many comparisons of one assessor are in both orders; how many went to what was first, or second, in both.

        >>> both = [{"topic": "1", "a": "x", "b": "y", "winner": side, "first": side} for side in "ab"]
        >>> read_preferences(both).flips
        (1, 1, 0)
        """
        first, second = self._ahead
        return len(first), int(((first > 0) & (second < 0)).sum()), int(((first < 0) & (second > 0)).sum())

    @property
    def tied_in_one_order(self) -> int:
        """How many comparisons of one assessor have a winner in one order, and are a tie in the other.

        >>> both = [{"topic": "1", "a": "x", "b": "y", "winner": w, "first": w} for w in "ab"]
        >>> read_preferences(both).tied_in_one_order
        0
        >>> read_preferences([both[0], {**both[1], "winner": "tie"}]).tied_in_one_order
        1
        """
        first, second = self._ahead
        return int(((first == 0) != (second == 0)).sum())

    @cached_property
    def _ahead(self) -> tuple[Floats, Floats]:
        """By comparison of one assessor in both orders, how far the lower system is ahead shown first, and second."""
        _, wins, order = self._oriented
        who = self.assessor if self.assessors else np.zeros(len(self), np.int64)
        code = np.unique(self.cell * max(1, len(self.assessors)) + who, return_inverse=True)[1]
        count = int(code.max(initial=-1)) + 1
        ahead = []
        for side in (1, -1):  # the lower system shown first, then the higher
            there = order == side
            votes, won = np.bincount(code[there], minlength=count), total(code[there], wins[there], count)
            ahead.append(np.where(votes > 0, won - votes / 2, np.nan))
        in_both = ~np.isnan(ahead[0]) & ~np.isnan(ahead[1])
        return ahead[0][in_both], ahead[1][in_both]

    def cells(self, *, position: bool = False, kept: Bools | None = None) -> PairCells:
        """The votes by topic and pair, each with weight 1.

        Parameters
        ----------
        position : bool, default False
            Whether orders of showing stand apart.
        kept : ndarray of bool, optional
            The votes that count; by default all.

        Returns
        -------
        PairCells
            What the fits take.
        """
        n = len(self.systems)
        pair, wins, order = self._oriented
        weight = self.weights(kept)
        order = order if position else np.zeros_like(order)
        there = weight > 0
        kinds, kind = np.unique(pair[there] * 3 + order[there] + 1, return_inverse=True)
        cells, cell = np.unique(self.topic[there] * len(kinds) + kind, return_inverse=True)
        sums = [total(cell, weight[there] * x, len(cells)) for x in (1.0, wins[there], self.ties[there])]
        return PairCells(
            self.systems, self.topics, frozen(kinds // 3 // n), frozen(kinds // 3 % n),
            frozen((kinds % 3 - 1).astype(np.float64)), frozen(cells // len(kinds)), frozen(cells % len(kinds)),
            *map(frozen, sums),
        )  # fmt: skip

    def onto(self, systems: Sequence[str], topics: Sequence[str]) -> Preferences:
        """The votes on some systems and topics alone, numbered as these are.

        Parameters
        ----------
        systems, topics : sequence of str
            Their names.

        Returns
        -------
        Preferences
            Their votes.
        """
        system, topic = (
            np.array([place.get(name, -1) for name in names] or [-1], np.int64)
            for place, names in (
                ({s: i for i, s in enumerate(systems)}, self.systems),
                ({t: i for i, t in enumerate(topics)}, self.topics),
            )
        )
        a, b, t = system[self.a], system[self.b], topic[self.topic]
        rows = np.flatnonzero((a >= 0) & (b >= 0) & (t >= 0))
        return replace(
            self, systems=tuple(systems), topics=tuple(topics), topic=frozen(t[rows]), a=frozen(a[rows]),
            b=frozen(b[rows]), wins=frozen(self.wins[rows]), both_bad=frozen(self.both_bad[rows]),
            first=frozen(self.first[rows]), assessor=frozen(self.assessor[rows]) if self.assessors else self.assessor,
        )  # fmt: skip


def _size(groups: Ints) -> Floats:
    """By row how many rows its group has."""
    _, code, count = np.unique(groups, return_inverse=True, return_counts=True)
    return count[code].astype(np.float64)


def _parts(groups: Ints, parts: Ints) -> Floats:
    """By row how many distinct parts its group has."""
    distinct, first, code = np.unique(parts, return_index=True, return_inverse=True)
    _, group = np.unique(groups, return_inverse=True)
    count = np.bincount(group[first], minlength=int(group.max(initial=-1)) + 1)
    return count[group[first]][code].astype(np.float64) if len(distinct) else np.zeros(0)


# ---- Reading.

VoteRow = Mapping[str, str | int | float | bool | None]
PreferencesLike = PathLike | FrameLike | Sequence[VoteRow] | Preferences


def holds_preferences(path: str) -> bool:
    """Whether a file is a table of preferences, by the names of its columns."""
    columns = _columns_of(path)
    return columns is not None and (_is_export(columns) or all(_named(columns, role) for role in NEEDED[1:]))


def _columns_of(path: str) -> Columns | None:
    """The columns of a table, of lines those of the first alone, whatever its size; None where it cannot be read."""
    kind = formats.ending(path)
    if not can_be_read_again(path) or kind not in formats.endings():
        return None
    try:
        if kind in (".csv", ".tsv"):
            head = first_line(next(pieces_of(path), b""))
            separator = "\t" if "\t" in head else separator_of(head)
            return Columns(separated(f"{head}\n".encode(), separator, shown_path(path)), shown_path(path))
        return Columns(*formats.read_file(path))
    except InputError:
        return None


def refuse_without_winner(path: str) -> None:
    """Refuse a table that names topics and two systems in each row, and not which of them was preferred."""
    columns = _columns_of(path)
    if columns is None:
        return
    if all(_named(columns, role) for role in NEEDED[:-1]) and not _named(columns, "winner"):
        there = ", ".join(columns.all_written)
        raise InputError(f"there is no column winner among {there}", file=columns.file, hint=_HINT)


def read_preferences(
    data: PreferencesLike,
    *,
    columns: Mapping[str, str] | None = None,
    systems: Mapping[str, str] | None = None,
    model: str | None = None,
) -> Preferences:
    r"""Read votes on pairs of systems.

    Parameters
    ----------
    data : path-like, frame, or list of dict
        A table with the columns topic, a, b (two systems) and winner ('a', 'b', 'tie', 'both bad', or the name of the
        winning system); where known also first (who was shown first), assessor (or judge), replicate and model.  Or
        what the judging app exports for the task preference: there `a` and `b` are the systems behind doc_a and
        doc_b.
    columns : mapping of str to str, optional
        Names of your columns: ``{"topic": "prompt", "winner": "chosen"}``.
    systems : mapping of str to str, optional
        The system behind each answer, where `a` and `b` name answers.  By default they are systems; where all of
        them contain their topic, as in 'q1-prod', the rest is the system.
    model : str, optional
        The language model that voted, where it was one.

    Returns
    -------
    Preferences
        One row a vote.  Rows without a winner are left out, with one warning.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "votes.csv").write_text("topic,a,b,winner\n1,prod,new,b\n2,prod,new,tie\n")
    ...     read_preferences(f"{folder}/votes.csv")
    Preferences(2 votes, 2 systems, 2 topics)
    """
    if isinstance(data, Preferences):
        return data if model is None else replace(data, models=(model,), by_models=len(data))
    table = _table(data)
    for ours, theirs in (columns or {}).items():
        if ours not in ROLES:
            raise InputError(f"truegain has no column of preferences named {ours}", hint=f"it has {', '.join(ROLES)}")
        if theirs.strip().lower() not in table.names:
            there = ", ".join(table.all_written)
            raise InputError(f"there is no column '{theirs}' among {there}", file=table.file, hint="check its name")
    own = {ours: theirs.strip().lower() for ours, theirs in (columns or {}).items()}
    rows = _exported(table) if _is_export(table) and not own else _rows(table, own)
    rows = rows.of_systems(systems)
    for row, (a, b) in enumerate(zip(rows.a, rows.b, strict=True)):
        _check_row(table, row, rows.topic[row], a, b)  # two answers may be of one system
    votes = rows.preferences(table.file)
    return votes if model is None else replace(votes, models=(model,), by_models=len(votes))


@dataclass(frozen=True)
class _Rows:
    """Columns of text: topic, two answers, the half-win of the first, and what else is known; and where they stand."""

    topic: list[str]
    a: list[str]
    b: list[str]
    wins: list[float | None]
    both_bad: list[bool]
    first: list[int]
    assessor: list[str]
    model: list[str]
    replicate: list[str]

    def of_systems(self, systems: Mapping[str, str] | None) -> _Rows:
        """These rows with systems in place of answers."""
        if systems is not None:
            lost = sorted({x for x in (*self.a, *self.b) if x not in systems})
            if lost:
                raise InputError(f"{counted(len(lost), 'answer')} without a system: {some(lost)}", hint="name it")
            return replace(self, a=[systems[x] for x in self.a], b=[systems[x] for x in self.b])
        for end in ("prefix", "suffix"):
            a, b = (_without_topic(self.topic, names, end) for names in (self.a, self.b))
            if a is not None and b is not None and len({*a, *b}) < len({*self.a, *self.b}):
                return replace(self, a=a, b=b)
        return self

    def _tell_contradictions(self, kept: Sequence[int], file: str) -> None:
        """Warn where someone gave two answers to one question; votes of nobody in particular may be of several people.

        An order that is not known may be that of a and b as they stand, so that these are two questions then.
        """
        answers: dict[tuple[str, ...], set[float]] = {}
        for i in kept:
            a, b, order, wins = self.a[i], self.b[i], self.first[i], self.wins[i]
            who = self.assessor[i] or self.model[i]
            if not who or wins is None:
                continue
            if order < 0:
                a, b, wins = b, a, 1 - wins
            key = (who, self.topic[i], a, b, "" if order else "unknown", self.replicate[i])
            answers.setdefault(key, set()).add(wins)
        if both := [key for key, wins in answers.items() if len(wins) > 1]:
            who, topic, a, b, *_ = both[0]
            warn(
                f"{file}: {counted(len(both), 'comparison')} with several answers of one assessor in one order, which "
                f"differ and are averaged ({who} on {a} and {b}, topic {topic}); number them in a column replicate if "
                "the question was asked again, else drop the wrong ones"
            )

    def preferences(self, file: str) -> Preferences:
        """The votes; those without a winner are left out."""
        kept = [i for i, w in enumerate(self.wins) if w is not None]
        if lost := len(self.wins) - len(kept):
            whose = Counter(x for i, w in enumerate(self.wins) if w is None for x in (self.a[i], self.b[i]))
            by = ", ".join(f"{s} {n}" for s, n in whose.most_common(4))
            warn(f"{file}: {lost} of {len(self.wins)} comparisons have no winner and are left out (of {by})")
        if not kept:
            raise InputError("no row has a winner", file=file, hint=_HINT)
        self._tell_contradictions(kept, file)
        topics, systems = (
            tuple(dict.fromkeys(x[i] for i in kept for x in columns)) for columns in ((self.topic,), (self.a, self.b))
        )
        people = tuple(dict.fromkeys(self.assessor[i] for i in kept)) if any(self.assessor) else ()
        place = {name: i for i, name in enumerate(systems)}
        at, who = {t: i for i, t in enumerate(topics)}, {name: i for i, name in enumerate(people)}
        return Preferences(
            topics,
            systems,
            _ints(at[self.topic[i]] for i in kept),
            _ints(place[self.a[i]] for i in kept),
            _ints(place[self.b[i]] for i in kept),
            frozen(np.array([self.wins[i] for i in kept], np.float64)),
            frozen(np.array([self.both_bad[i] for i in kept], np.bool_)),
            _ints(self.first[i] for i in kept),
            people,
            _ints(who[self.assessor[i]] for i in kept) if people else frozen(np.zeros(0, np.int64)),
            tuple(dict.fromkeys(m for i in kept if (m := self.model[i]))),
            sum(bool(self.model[i]) for i in kept),
            file,
        )


def _ints(values: Iterable[int]) -> Ints:
    return frozen(np.fromiter(values, np.int64))


def _without_topic(topics: Sequence[str], names: Sequence[str], end: str) -> list[str] | None:
    """Names without the topic that each begins (or ends) with; None where one does not, or nothing would be left.

    >>> _without_topic(["q1", "q2"], ["q1-prod", "q2-new"], "prefix"), _without_topic(["q1"], ["prod"], "suffix")
    (['prod', 'new'], None)
    """
    out = []
    for topic, name in zip(topics, names, strict=True):
        rest = name.removeprefix(topic) if end == "prefix" else name.removesuffix(topic)
        rest = rest.lstrip(BETWEEN) if end == "prefix" else rest.rstrip(BETWEEN)
        if rest == name or not rest:
            return None
        out.append(rest)
    return out


def _table(data: object) -> Columns:
    if is_frame(data):
        return Columns(opened(data), "preferences")
    if isinstance(data, list | tuple) and not data:
        raise InputError("there are no rows", file="preferences", hint=_HINT)
    if not isinstance(data, str | os.PathLike):
        raise InputError(f"cannot read {an(data)} as preferences", hint="give a path, a frame or a list of dicts")
    return Columns(*formats.read_file(data))


def _named(table: Columns, role: str) -> str | None:
    """The column that has one of the names of a role, the first of them first."""
    plain = [plain_name(name) for name in table.names]
    return next((table.names[plain.index(name)] for name in ROLES[role] if name in plain), None)


def _is_export(table: Columns) -> bool:
    return set(APP) <= set(table.names)


def _cells(table: Columns, name: str | None, rows: int) -> list[str]:
    """A column as text, empty where there is nothing, or no such column."""
    if name is None:
        return [""] * rows
    values = ["" if is_missing(x) else x for x in table._column(name)]
    return [x.strip() for x in unguarded(table.frame, values)]


def _rows(table: Columns, own: Mapping[str, str]) -> _Rows:
    """A table with a column for the winner."""
    named = {role: own.get(role) or _named(table, role) for role in ROLES}
    if lost := [role for role in NEEDED if named[role] is None]:
        there = ", ".join(table.all_written)
        renames = by_surface(f", or give columns={{{lost[0]!r}: ...}} to tg.read_preferences", "")
        raise InputError(f"there is no column {some(lost)} among {there}", file=table.file, hint=f"{_HINT}{renames}")
    size = len(table._column(str(named["winner"])))
    cells = {role: _cells(table, name, size) for role, name in named.items()}
    words = {
        side: {side, f"system_{side}", f"model_{side}", f"run_{side}", plain_name(str(named[side]))} for side in "ab"
    }
    wins: list[float | None] = []
    bad, first = [], []
    for row in range(size):
        a, b, topic = (cells[role][row] for role in ("a", "b", "topic"))
        _check_row(table, row, topic, a, b)
        word = cells["winner"][row]
        win, both = _winner(table, row, word, a, b, words)
        wins.append(win)
        bad.append(both)
        shown = cells["first"][row]
        side = "" if not shown else _side(table, row, shown, a, b, words)
        if shown and not side:
            raise table._fault("first names neither system", row, shown, f"write a, b, {a} or {b}, or leave it empty")
        first.append({"a": 1, "b": -1}.get(side, 0))
    optional = (cells[role] for role in ("assessor", "model", "replicate"))
    return _Rows(cells["topic"], cells["a"], cells["b"], wins, bad, first, *optional)


def _check_row(table: Columns, row: int, topic: str, a: str, b: str) -> None:
    """Refuse a row without a topic or a system, and one that compares a system with itself."""
    for role, value in (("topic", topic), ("a", a), ("b", b)):
        if not value:
            raise table._fault(f"{role} is missing", row, None, "every row needs one")
    if a == b:
        raise table._fault(f"{a} is compared with itself (topic {topic})", row, a, "name two systems")


def _side(table: Columns, row: int, word: str, a: str, b: str, words: Mapping[str, set[str]]) -> str:
    """Which of the two a word names: 'a', 'b', or neither ''."""
    plain = plain_name(word)
    by_name = "a" if word == a else "b" if word == b else ""
    by_place = next((side for side in "ab" if plain in words[side]), "")
    if by_name and by_place and by_name != by_place:
        raise table._fault(
            f"{word!r} is ambiguous: it names a system and also means the {'first' if by_place == 'a' else 'second'} "
            "column",
            row,
            word,
            "rename the system",
        )
    return by_name or by_place


def _winner(
    table: Columns, row: int, word: str, a: str, b: str, words: Mapping[str, set[str]]
) -> tuple[float | None, bool]:
    """The half-win of a, and whether both were called bad; None where nobody said."""
    if not word:
        return None, False
    if side := _side(table, row, word, a, b, words):
        return (1.0 if side == "a" else 0.0), False
    lower = " ".join(word.lower().split())
    if lower in BOTH_BAD:
        return 0.5, True
    if lower in TIE:
        return 0.5, False
    raise table._fault(
        "winner is neither of the two systems nor a tie", row, word,
        f"write a, b, tie, both bad, {a} or {b}; leave it empty if there was no choice",
    )  # fmt: skip


def _exported(table: Columns) -> _Rows:
    """What the judging app exports: 1 where doc_a is better, 0 where doc_b, 1/2 where neither."""
    size = len(table._column("doc_a"))
    topic, a, b = (_cells(table, name, size) for name in (_named(table, "topic"), "doc_a", "doc_b"))
    left, who, kind = (
        _cells(table, name if name in table.names else None, size) for name in ("left", "assessor", "kind")
    )
    wins: list[float | None] = []
    for row, value in enumerate(table._column("label")):
        _check_row(table, row, topic[row], a[row], b[row])
        number = None if is_missing(value) else number_of(value)
        if not is_missing(value) and number not in (0.0, 0.5, 1.0):
            raise table._fault("label is not 1, 0 or 0.5", row, value, "give the export of the annotation app")
        wins.append(number)
    first = [1 if x == one else -1 if x == two else 0 for x, one, two in zip(left, a, b, strict=True)]
    models = [name if k == "model" else "" for name, k in zip(who, kind, strict=True)]
    return _Rows(topic, a, b, wins, [False] * size, first, who, models, [""] * size)
