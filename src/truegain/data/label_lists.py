"""Lists of pairs to be judged, in the order in which they were drawn, and the sheets that people fill in.

The file knows how it was made, and no new list is written over labels that a person wrote.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from truegain.data.judgments import NO_SUBTOPIC, Judgments
from truegain.data.writing import kind_to_write, table_bytes
from truegain.errors import InputError, TruegainError, counted, warn
from truegain.io import formats, named_tables
from truegain.io.columns import Bools, Coded, Floats, Ids, Ints, Places, frozen, number_of
from truegain.io.files import STANDARD_INPUT, PathLike, shown_path, write_bytes
from truegain.io.named_tables import harmless, is_missing, unguarded
from truegain.io.overwrite import guarded
from truegain.io.plain_text import COMPRESSED
from truegain.io.remote import is_remote
from truegain.io.trec import loaded
from truegain.message import ANOTHER_FILE, FILL_LIST, arg, argname, by_surface
from truegain.results.base import Result, Table

# ---- Lists for people: a sheet without the judge's labels, and a key with them that nobody who judges need see.

KEY = ".key"  # before the ending: gold_list.csv has its key in gold_list.key.csv
TEXTS = ("question", "passage")  # columns of a sheet that people read
CELL = 32_767  # characters that a cell of a spreadsheet holds
MOST_KEYS = 100  # that are looked at


def key_path(path: PathLike) -> str:
    """Where the key of a list stands, beside its sheet.

    >>> key_path("a/gold_list.csv"), key_path("sample.v2.jsonl.gz")
    ('a/gold_list.key.csv', 'sample.v2.key.jsonl.gz')
    """
    name = os.fspath(path)
    packed = next((end for end in COMPRESSED if name.lower().endswith(end)), "")
    bare = name[: len(name) - len(packed)]
    ending = formats.ending(bare)
    return f"{bare[: len(bare) - len(ending)]}{KEY}{bare[len(bare) - len(ending) :]}{packed}"


def list_of_key(path: PathLike) -> str:
    """The list whose key a file is by its name; empty where it is none.

    >>> list_of_key("a/gold_list.key.csv"), list_of_key("sample.v2.jsonl.gz")
    ('a/gold_list.csv', '')
    """
    name = os.fspath(path)
    before, key, after = name.rpartition(KEY)
    return f"{before}{after}" if key and key_path(f"{before}{after}") == name else ""


def key_beside(path: PathLike, digest: str) -> str:
    """The file beside a sheet that is its key, told by the digest: the one of its name, or any other key there."""
    for other in _keys(path):
        try:
            text, kind, file = loaded(other)
            table = None if kind in (None, "nested") else formats.read(text, kind, file)
        except TruegainError:
            continue
        if table is not None and digest_in(table) == digest:
            return other
    name, own = shown_path(path), Path(key_path(path))
    stray = f"; {own.name} belongs to another list" if not is_remote(os.fspath(path)) and own.is_file() else ""
    raise InputError(
        f"the key of this list, {digest}, is not in its folder{stray}", file=name,
        hint=f"put its key file there (LIST{KEY}{formats.ending(own.name)}, by the name that the list was "
            f"written with); or put its labels into the key by {FILL_LIST}",
    )  # fmt: skip


def _keys(path: PathLike) -> Iterator[str]:
    own = key_path(path)
    if is_remote(own):
        yield own
        return
    if Path(own).is_file():
        yield own
    folder = Path(os.fspath(path)).parent
    others = sorted(p for p in folder.glob(f"*{KEY}.*") if p.is_file() and p != Path(own))
    yield from map(str, others[:MOST_KEYS])


def digest_in(table: Any) -> str | None:
    """The digest that a list names, None where it names none."""
    names = [str(name).strip().lower() for name in table.columns]
    column = table.column(names.index("digest")) if "digest" in names else []
    return str(column[0]).strip() if len(column) else None


def keep_key(path: PathLike, digest: str) -> None:
    """Refuse to write over the key of another list: without it labels of that list would count for nothing."""
    if is_remote(os.fspath(path)) or not Path(path).is_file() or not Path(path).stat().st_size:
        return
    try:
        with guarded(()):  # what is to be written is looked at, not taken for an input
            text, kind, file = loaded(path)
        stored = None if kind in (None, "nested") else digest_in(formats.read(text, kind, file))
    except TruegainError:
        stored = None
    if stored != digest:
        raise InputError(
            "this file exists and is the key of another list, whose labels would be lost without it",
            file=shown_path(path), hint=ANOTHER_FILE,
        )  # fmt: skip


def texts_there(path: PathLike, digest: str, rows: int) -> dict[str, list[str]]:
    """The texts in a sheet of the same list that is there already, in the order of the list; none where it has none."""
    if is_remote(os.fspath(path)) or not Path(path).is_file() or not Path(path).stat().st_size:
        return {}
    try:
        with guarded(()):
            text, kind, file = loaded(path)
        table = None if kind in (None, "nested") else formats.read(text, kind, file)
    except TruegainError:
        return {}
    if table is None or digest_in(table) != digest:
        return {}
    names = [str(name).strip().lower() for name in table.columns]
    order = table.column(names.index("order")) if "order" in names else []
    place = {number_of(value): row for row, value in enumerate(order)}
    if any(at not in place for at in range(1, rows + 1)):
        return {}
    columns = {name: table.column(names.index(name)) for name in TEXTS if name in names}
    cells = {name: unguarded(table, ["" if is_missing(x) else x for x in column]) for name, column in columns.items()}
    return {name: [column[place[at]] for at in range(1, rows + 1)] for name, column in cells.items()}


def for_people(columns: Mapping[str, Sequence[Any]], kind: str) -> dict[str, list[Any]]:
    """Columns of a sheet; in CSV and TSV no cell is a formula to a spreadsheet."""
    if kind not in ("csv", "tsv"):
        return {name: list(values) for name, values in columns.items()}
    long = sum(len(str(text)) > CELL for name in TEXTS for text in columns.get(name, ()))
    if long:
        warn(f"{long:,} texts have more than {CELL:,} characters, which spreadsheets cut off; write .jsonl for them")
    return {name: [harmless(value) for value in values] for name, values in columns.items()}


def same_id(there: object, known: str) -> bool:
    """Whether an id of a sheet is that of the key: a spreadsheet makes 1 of 001, and a formula has a quote before it.

    >>> same_id("1", "001"), same_id("'=a", "=a"), same_id(7.0, "7"), same_id("b", "a")
    (True, True, True, False)
    """
    text = str(there).strip()
    if text in (known, known.strip(), f"'{known}"):
        return True
    numbers = number_of(text), number_of(known)
    return numbers[0] is not None and numbers[0] == numbers[1]


def labels_by_order(table: Any, file: str, topics: Sequence[str], docs: Sequence[str]) -> dict[int, tuple[int, Any]]:
    """Of each row of a list that a sheet has a label for: the sheet's own row, and the label as it stands there.

    Rows may be sorted otherwise, and those without a label may be gone; a row is known by its order, and its topic and
    document are held against those of the key.
    """
    names = [str(name).strip().lower() for name in table.columns]
    columns = {n: table.column(names.index(n)) for n in ("order", "topic", "doc", "label") if n in names}
    if "label" not in columns:
        raise InputError("there is no column label", file=file, hint="fill in the column label of the sheet")
    labels: dict[int, tuple[int, Any]] = {}
    for row, value in enumerate(columns["order"]):
        if is_missing(value) and all(is_missing(column[row]) for column in columns.values()):
            continue  # a row that is empty
        where: dict[str, Any] = table.places.of(row) if hasattr(table, "places") else {"row": row + 1}
        number = number_of(value)
        at = int(number) - 1 if number is not None and number.is_integer() else -1
        if not 0 <= at < len(topics):
            raise InputError(
                f"order {value} is not in the list, which has 1 to {len(topics):,}",
                file=file,
                **where,
                hint="keep the column order as it was written",
            )
        for name, known in (("topic", topics[at]), ("doc", docs[at])):
            if name in columns and not same_id(columns[name][row], known):
                raise InputError(
                    f"order {at + 1} is {name} {known} in the key, and {columns[name][row]} here", file=file, **where,
                    hint="sort whole rows, not single columns; take the sheet as it was written",
                )  # fmt: skip
        if is_missing(columns["label"][row]) or not str(columns["label"][row]).strip():
            continue
        if at in labels:
            raise InputError(f"order {at + 1} appears twice", file=file, **where, hint="keep one")
        labels[at] = row, columns["label"][row]
    return labels


# ---- Labels that a person wrote into a list: no new list is written over them.

ASIDE = ANOTHER_FILE


def keep_labels(path: PathLike, new: Mapping[tuple[str, str], float | str | None] | None = None) -> None:
    """Refuse to write over a table whose column `label` holds what is not written again.

    new: labels by topic and document that the new file will hold.
    """
    if os.fspath(path) == STANDARD_INPUT or not Path(path).is_file() or not Path(path).stat().st_size:
        return
    try:
        with guarded(()):  # what is to be written is looked at, not taken for an input
            present = _labels(path)
    except TruegainError:
        raise InputError("this file exists and may hold labels", file=shown_path(path), hint=ASIDE) from None
    if lost := sum(1 for pair, label in present.items() if label != _label_as_read((new or {}).get(pair))):
        raise InputError(
            f"this file exists and has {lost:,} {'label' if lost == 1 else 'labels'} that would be lost",
            file=shown_path(path), hint=ASIDE,
        )  # fmt: skip


def _label_as_read(label: float | str | None) -> float | str | None:
    """A label as it is read back."""
    return label if label is None or (number := named_tables.number_of(label)) is None else number


def _labels(path: PathLike) -> dict[tuple[str, str], float | str]:
    """By topic and document, or by row where these are not named; none where no column is called label."""
    if formats.ending(os.fspath(path)) == ".qrels":
        judged_file = Judgments.of(path)
        judged = zip(judged_file.topic.strings(), judged_file.docs.strings(), judged_file.label.tolist(), strict=True)
        return {(topic, doc): label for topic, doc, label in judged if label >= 0}
    text, kind, file = loaded(path)
    if kind in (None, "nested"):
        return {}
    table = formats.read(text, kind, file)
    names = [str(name).strip().lower() for name in table.columns]
    if "label" not in names:
        return {}
    columns = {name: table.column(names.index(name)) for name in ("topic", "doc", "label") if name in names}
    rows = range(len(columns["label"]))
    pairs = zip(*(unguarded(table, columns.get(name, rows)) for name in ("topic", "doc")), strict=True)
    return {
        pair: (str(x) if (number := named_tables.number_of(x)) is None else number)
        for pair, x in zip(pairs, columns["label"], strict=True)
        if not is_missing(x) and str(x).strip()
    }


# ---- Lists of pairs to be gold-judged, in the order in which they were drawn: the file knows how it was made.

COLUMNS = ("order", "topic", "doc", "bronze", "size", "probability", "design", "measure", "scale", "digest")
SHEET = ("order", "topic", "doc", "label", "scale", "digest")  # of the file that people fill in
SCALE_OF = by_surface(
    "scale= of tg.sample_gold or Study.settle", "--scale of `truegain plan labels` or `truegain settle`"
)
MEND = f"correct the label, or sample the list with the labels in use ({SCALE_OF})"
NOT_LISTED = f"give labels of its pairs alone, or say how many rows ({arg('rows')})"
NO_GAP = "label the list from the top without a gap: later sampling probabilities depend on the earlier labels"
CANNOT = "cannot"  # in place of a label: people could not judge the document
DIGITS = 9  # of sizes and probabilities

SEEN = 20  # rows that a person sees


@dataclass(frozen=True, eq=False, repr=False)
class GoldList(Result):
    """Pairs to be judged, in the order in which they were drawn, with the gold labels so far.

    `sample_gold` and `sample_unjudged` draw such a list.  People judge it from the top, to any point.  A document that
    they could not judge has 'cannot' for a label, and holds up none of those below it.

    Attributes
    ----------
    topics : tuple of str
        The topic of each row.
    docs : tuple of str
        The document of each row.
    bronze : ndarray of float
        The cheap judge's label of each row; in a list of unjudged documents its predicted worth.
    size : ndarray of float
        Each row's share of all sizes; a pair is drawn with a chance in proportion to it.
    label : ndarray of float
        The gold label of each row, NaN where there is none yet.
    design : {'ordered', 'random', 'by-bronze', 'topics', 'unjudged'}
        'ordered': each next pair drawn in proportion to its size.  'random': all sizes alike.  'by-bronze': all sizes
        of one bronze label alike.  'topics': whole topics, one after another.  'unjudged': unjudged documents, ordered.
    measure : str
        The measure that it was drawn for.
    scale : (float, float)
        The lowest and the highest label that a judge may give.
    source : str
        The file that it was read from.
    places : Places or None
        The line of each row in its file, for errors.
    arguments : mapping
        What the function that drew it was called with.
    texts : mapping of str to sequence of str
        'question' and 'passage' of each row, where people shall read them.
    cannot : frozenset of int
        Rows, from 0, that people looked at and could not judge.

    Notes
    -----
    Columns of `frame`: `order` (from 1), `topic`, `doc`, `label`, `bronze`, `size` and `probability` (the
    chance of the row to be drawn at its turn).

    Examples
    --------
    >>> bronze, size = np.array([1.0, 0.0]), np.array([3.0, 1.0])
    >>> made = GoldList.of(["1", "2"], ["a", "b"], bronze, size, "ordered", "P@10", (0, 1))
    >>> made.size.tolist(), made.probability.tolist(), made.judged
    ([0.75, 0.25], [0.75, 1.0], 0)
    """

    topics: tuple[str, ...]  # of each row
    docs: tuple[str, ...]
    bronze: Floats
    size: Floats  # share of all
    label: Floats
    design: str
    measure: str
    scale: tuple[float, float]
    source: str = "gold list"
    places: Places | None = None
    arguments: Mapping[str, object] = field(default_factory=dict)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)  # 'question' and 'passage' of each row
    cannot: frozenset[int] = frozenset()  # rows that people looked at and could not judge, from 0

    @classmethod
    def of(
        cls,
        topics: Sequence[str],
        docs: Sequence[str],
        bronze: Floats,
        size: Floats,
        design: str,
        measure: str,
        scale: tuple[float, float],
    ) -> GoldList:
        """A list of rows in their drawn order, with nothing judged.

        Parameters
        ----------
        topics, docs : sequence of str
            The topic and the document of each row.
        bronze : ndarray of float
            The cheap judge's label of each row.
        size : ndarray of float
            The size of each row; they become shares of their sum.
        design : str
            How the rows were drawn.
        measure : str
            The measure that they were drawn for.
        scale : (float, float)
            The lowest and the highest label that a judge may give.

        Returns
        -------
        GoldList
            Without labels.
        """
        share = np.array([_rounded(x) for x in (size / size.sum()).tolist()])
        label = np.full(len(docs), np.nan)
        return cls(tuple(topics), tuple(docs), frozen(bronze), frozen(share), frozen(label), design, measure, scale)

    def __len__(self) -> int:
        return len(self.docs)

    def in_short(self) -> str:
        """How many pairs there are and how many are judged, and the digest."""
        cannot = f" ({len(self.cannot):,} could not be)" if self.cannot else ""
        return f"{self.judged:,} of {len(self):,} pairs judged{cannot}; {self.design}, {self.measure}, {self.digest}"

    @property
    def provenance(self) -> dict[str, object]:
        """How it was made."""
        return {**self.arguments, **self._of_all}

    @property
    def _of_all(self) -> dict[str, object]:
        """What all rows have in common."""
        return {"design": self.design, "measure": self.measure, "scale": self.labels, "digest": self.digest}

    def table(self) -> Table:
        """The pairs, a row each, in the order to judge."""
        columns = self._columns()
        names = tuple(name for name in columns if name not in self._of_all)
        rows = list(zip(*(columns[name] for name in names), strict=True))
        return Table(names, rows, self.provenance, notes=("judge from the top, to any point",))

    def tables(self) -> list[Table]:
        """The first rows, and how many more there are; `table` and `write` have all."""
        whole = self.table()
        if len(whole.rows) <= SEEN:
            return [whole]
        more = f"and {counted(len(whole.rows) - SEEN, 'more row')}; write(path) has all"
        return [replace(whole, rows=whole.rows[:SEEN], title=self.in_short(), notes=(more, *whole.notes))]

    @property
    def judged(self) -> int:
        """How many rows people have judged, or could not: the first so many."""
        return int(self._labeled_rows(self.label, self.cannot).sum())

    @staticmethod
    def _labeled_rows(label: Floats, cannot: Iterable[int]) -> Bools:
        """Rows with a label, or with the word that there can be none."""
        judged = ~np.isnan(label)
        judged[list(cannot)] = True
        return judged

    @cached_property
    def probability(self) -> Floats:
        """The chance of each row to be drawn at its turn: its size over those of all rows from it on."""
        left = np.cumsum(self.size[::-1])[::-1]
        return frozen(np.array([_rounded(x) for x in (self.size / left).tolist()]))

    @cached_property
    def digest(self) -> str:
        """A digest of topics, documents and bronze labels in their order, which tells this list from another.

        Sizes and probabilities, which a spreadsheet rounds, are held against one another instead.
        """
        rows = zip(self.topics, self.docs, self.bronze.tolist(), strict=True)
        lines = [f"{t}\t{d}\t{b:g}" for t, d, b in rows]
        text = "\n".join([self.design, self.measure, self.labels, *lines])
        return f"sha-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"

    @property
    def labels(self) -> str:
        """The labels that a judge may give; in words, since a spreadsheet takes 0:3 for a time and 0-3 for a date."""
        return f"{self.scale[0]:g} to {self.scale[1]:g}"

    def with_labels(self, label: Floats) -> GoldList:
        """The list with these labels in place of its own.

        Parameters
        ----------
        label : ndarray of float
            One a row, NaN where there is none.

        Returns
        -------
        GoldList
            Checked, as by `checked`.
        """
        labels = np.asarray(label, np.float64)
        return replace(self, label=frozen(labels), cannot=self._still(labels, self.cannot)).checked()

    @staticmethod
    def _still(label: Floats, cannot: Iterable[int]) -> frozenset[int]:
        """Rows that nobody could judge, less those that have a label by now."""
        return frozenset(row for row in cannot if math.isnan(label[row]))

    def filled(self, labels: object, rows: int | None = None, cannot: Iterable[tuple[str, str]] = ()) -> GoldList:
        """The list with further labels beside those it has.

        Parameters
        ----------
        labels : path-like, frame, mapping, Judgments or None
            Judgments of its pairs.  Other pairs, and labels that differ from those there, are refused.  None where
            there are only pairs that people could not judge.
        rows : int, optional
            Take labels of the first so many rows and skip all others.
        cannot : iterable of (str, str), optional
            Topics and documents that people could not judge.

        Returns
        -------
        GoldList
            With the labels filled in.
        """
        if rows is not None and rows < 1:
            raise TruegainError(f"{argname('rows', rows, '')}: give a number of rows of at least 1")
        place = {pair: i for i, pair in enumerate(zip(self.topics, self.docs, strict=True))}
        unjudged = [*cannot]
        if rows is None and (other := next((pair for pair in unjudged if pair not in place), None)):
            raise InputError(self._not_listed(other), hint=NOT_LISTED)
        stuck = {place[pair] for pair in unjudged if pair in place and (rows is None or place[pair] < rows)}
        if labels is None:
            return self._with_cannot(self.label, stuck)
        table = Judgments.of(labels)
        label, copied = self.label.copy(), 0
        for row, pair in enumerate(zip(table.topic.strings(), table.docs.strings(), strict=True)):
            if rows is not None and place.get(pair, rows) >= rows:
                continue
            if pair not in place:
                raise InputError(self._not_listed(pair), **table.where(row), hint=NOT_LISTED)
            before, new = float(label[place[pair]]), float(table.label[row])
            if not math.isnan(before) and before != new:
                raise InputError(
                    f"topic {pair[0]}, document {pair[1]} has the label {before:g} already, and {new:g} here",
                    **table.where(row), hint="decide which one counts",
                )  # fmt: skip
            if not self.scale[0] <= new <= self.scale[1]:
                raise InputError(self._off_scale(place[pair], new), **table.where(row), hint=MEND)
            label[place[pair]] = new
            copied += 1
        if not copied and not stuck:
            of = f"the first {rows:,} rows of " if rows is not None else ""
            raise InputError(f"no label here is of {of}the list {self.source}", file=table.source,
                             hint="check that both use the same topic and document ids")  # fmt: skip
        if gap := _gap(self._labeled_rows(label, self.cannot | stuck)):
            raise InputError(self._open(*gap), file=table.source, hint=NO_GAP)
        return self._with_cannot(label, stuck)

    def _not_listed(self, pair: tuple[str, str]) -> str:
        return f"topic {pair[0]}, document {pair[1]} is not on the list {self.source}"

    def _with_cannot(self, label: Floats, stuck: Iterable[int]) -> GoldList:
        every = self._still(label, self.cannot.union(stuck))
        return replace(self, label=frozen(np.asarray(label, np.float64)), cannot=every).checked()

    def judgments(self) -> Judgments:
        """The gold labels so far.

        Returns
        -------
        Judgments
            One row a labeled pair.
        """
        rows = self.labeled
        if not len(rows):
            raise InputError("no row of this list has a label yet", file=self.source, hint="have its first rows judged")
        topics, docs = ([names[i] for i in rows.tolist()] for names in (self.topics, self.docs))
        return Judgments(
            Coded.of(topics), Ids.of(docs), frozen(self.label[rows]),
            Coded((NO_SUBTOPIC,), frozen(np.zeros(len(rows), np.int32))), source=self.source,
        )  # fmt: skip

    @property
    def labeled(self) -> Ints:
        """The rows that have a label."""
        return np.flatnonzero(~np.isnan(self.label))

    def checked(self) -> GoldList:
        """Check that the labels have no gap and lie on the scale.

        Returns
        -------
        GoldList
            The list itself; an error names the row that is wrong.
        """
        if gap := _gap(self._labeled_rows(self.label, self.cannot)):
            raise self._fault(gap[0], self._open(*gap), NO_GAP)
        outside = np.flatnonzero((self.label < self.scale[0]) | (self.label > self.scale[1]))
        if len(outside):
            row = int(outside[0])
            raise self._fault(row, self._off_scale(row, float(self.label[row])), MEND)
        return self

    def _open(self, row: int, later: int) -> str:
        of = f"topic {self.topics[row]}, document {self.docs[row]}"
        return f"order {row + 1} ({of}) has no label, and order {later + 1} has one"

    def _off_scale(self, row: int, label: float) -> str:
        of = f"topic {self.topics[row]}, document {self.docs[row]}"
        return f"label {label:g} of {of} is not on the scale {self.labels}"

    def _fault(self, row: int, problem: str, hint: str) -> InputError:
        place: dict[str, Any] = (self.places or Places.rows(len(self))).of(row)
        return InputError(problem, file=self.source, **place, hint=hint)

    def with_texts(self, questions: Mapping[str, str] | None, passages: Mapping[str, str] | None) -> GoldList:
        """The list with the questions and passages that people read.

        Parameters
        ----------
        questions : mapping of str to str, or None
            The question of each topic.
        passages : mapping of str to str, or None
            The text of each document.

        Returns
        -------
        GoldList
            With the texts.
        """
        sources = zip(TEXTS, (questions, passages), (self.topics, self.docs), strict=True)
        texts = {name: [known.get(i, "") for i in ids] for name, known, ids in sources if known is not None}
        return replace(self, texts={**self.texts, **texts})

    def with_texts_of(self, path: PathLike) -> GoldList:
        """The list with the texts of a sheet of it that was written before.

        Parameters
        ----------
        path : str or path-like
            The sheet; a file that is none of this list adds nothing.

        Returns
        -------
        GoldList
            Its own texts stay.
        """
        return replace(self, texts={**texts_there(path, self.digest, len(self)), **self.texts})

    def write(self, path: PathLike, key: PathLike | None = None) -> None:
        """Write the list as two files: a sheet for people, with an empty column `label`, and its key.

        The sheet has no bronze label, nor what tells it: who sees another judge's label tends to agree with it, and the
        errors that gold labels shall find would stay hidden.  `read_gold_list` joins the two again.  Labels that this
        list does not have, and the key of another list, are never overwritten; texts in a sheet of it stay.

        Parameters
        ----------
        path : str or path-like
            The sheet: a .csv, .tsv, .jsonl or .parquet file.
        key : str or path-like, optional
            The key; by default beside the sheet, as list.key.csv of list.csv.
        """
        beside = key_path(path) if key is None else key
        kinds = {name: kind_to_write(name) for name in (path, beside)}
        if lines := [os.fspath(name) for name, kind in kinds.items() if kind is None]:
            raise TruegainError(f"{lines[0]}: a gold list has named columns; end the path in .csv, .tsv or .jsonl")
        pairs = zip(self.topics, self.docs, strict=True)
        keep_labels(path, dict(zip(pairs, self._cells(), strict=True)))
        keep_key(beside, self.digest)
        whole, people = self._columns(), {n: list(texts) for n, texts in self.with_texts_of(path).texts.items()}
        sheet = for_people({name: whole[name] for name in SHEET if name in whole} | people, str(kinds[path]))
        order = [name for name in (*SHEET[:1], "topic", "question", "doc", "passage", *SHEET[3:]) if name in sheet]
        write_bytes(beside, table_bytes({n: whole[n] for n in COLUMNS}, kinds[beside], os.fspath(beside)))  # type: ignore[arg-type]
        write_bytes(path, table_bytes({n: sheet[n] for n in order}, kinds[path], os.fspath(path)))  # type: ignore[arg-type]

    def _cells(self) -> list[Any]:
        """What stands in the column `label`: text in all rows where one has a word in place of a number."""
        cells: list[Any] = [None if math.isnan(x) else x for x in self.label.tolist()]
        if not self.cannot:
            return cells
        return [CANNOT if i in self.cannot else None if x is None else f"{x:.17g}" for i, x in enumerate(cells)]

    def _columns(self) -> dict[str, Any]:
        """What a file of it holds; what is the same for all pairs stands in every row."""
        n = len(self)
        return {
            "order": list(range(1, n + 1)), "topic": list(self.topics), "doc": list(self.docs),
            "label": self._cells(),
            "bronze": [_whole_or_float(x) for x in self.bronze.tolist()], "size": self.size.tolist(),
            "probability": self.probability.tolist(), **{name: [value] * n for name, value in self._of_all.items()},
        }  # fmt: skip


def _gap(labeled: Bools) -> tuple[int, int] | None:
    """The first row without a label above one that has one, and the last that has one."""
    missing = ~labeled
    if not missing[: int((~missing).sum())].any():
        return None
    return int(np.flatnonzero(missing)[0]), int(np.flatnonzero(~missing)[-1])


def _rounded(x: float) -> float:
    return float(f"{x:.{DIGITS}g}")


def _whole_or_float(x: float) -> int | float:
    return int(x) if x.is_integer() else x
