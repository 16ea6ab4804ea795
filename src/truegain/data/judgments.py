"""Judgments: who said what about which document."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from truegain.data.rating_columns import answered_rows, labeled, labeled_rows
from truegain.errors import ORDER, EmptyError, InputError, an, check_one_of, some, warn
from truegain.io import formats, trec
from truegain.io.columns import Bools, Coded, Floats, Ids, Ints, Places, check_unicode, frozen
from truegain.io.file_options import (
    ASSESSOR,
    COLUMN,
    ColumnNames,
    Header,
    Missing,
    file_options,
    label_of,
    read_with,
    values_of,
)
from truegain.io.files import PathLike, shown_path
from truegain.io.frames import LabelRow, Numbers, RanxLike, TableLike, is_frame, is_rows, opened
from truegain.io.json_files import nested
from truegain.io.memory import cores
from truegain.io.named_tables import Columns, is_missing, renamed
from truegain.io.python_tables import an_id, flat, header_of, is_kind, is_ranx, numbers, refuse_columns, tuples
from truegain.io.remote import DatasetLike, is_dataset, rows_of, subtopic_of
from truegain.io.separated import read_unnamed
from truegain.io.trec import layout_of, loaded
from truegain.keywords import checked_keywords
from truegain.message import FILL_LIST, GOLD_OF_STUDY, argname
from truegain.results.base import Lines

NO_SUBTOPIC = "0"
CHOSEN, NEXT = "chosen", "next"  # the column, and what it says of labels that a list of what to judge next asked for
MARK = f"# truegain: {CHOSEN}={NEXT}\n"  # the same in a file of lines, of the lines below
FEWEST_SWAPPED = 5  # topics a document; judgments of so many topics of one document each, the same few, are rare
_OF_SHEETS = {"digest": re.compile(r"sha-[0-9a-f]{16}"), "scale": re.compile(r"-?[\d.]+ to -?[\d.]+")}  # their cells
_MARK = re.compile(rb"^[ \t]*#[ \t]*truegain:[ \t]*chosen[ \t]*=[ \t]*next\b", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, eq=False, repr=False)
class Judgments(Lines):
    """A long table of labels: topic, document, label, and where known subtopic and assessor.

    A qrels file, a subtopic qrels file and a table of ratings are all read as this.  Make one with `read_judgments`,
    `read_ratings` or `Judgments.of`.

    Attributes
    ----------
    topic : Coded
        The topic of each row; ``topic.strings()`` lists them, ``topic.values`` are the different ones.
    docs : Ids
        The document of each row; ``docs.strings()`` lists them.
    label : ndarray of float
        The label of each row; a negative one counts as unjudged.
    subtopic : Coded
        The subtopic of each row ('0' where there is none).
    assessor : Coded or None
        Who gave each label, where that is known.
    extra : mapping of str to sequence
        Other columns of the table.
    source : str
        The file, or what else the labels came from.
    from_lines : bool
        Whether they were read from TREC lines, so that errors can name these.
    places : Places or None
        The line or row of each label in its file, for errors.
    bare : bool
        Whether they came as a plain dict: only their place among the arguments says that they are labels.
    are_gains : bool
        Labels are gains, made of ratings, and not levels of a scale whose top is known.
    turned : bool
        Whether they are values of answers that count negative, as less is better.
    model : str or None
        The language model that gave all labels; a column 'model' says it where several did.

    Notes
    -----
    Columns of `frame`: `topic`, `subtopic`, `doc`, `label` (or `gain` where they are gains), `assessor`
    where known, and those of `extra`.

    Examples
    --------
    >>> Judgments.of({"1": {"a": 2, "b": 0}})
    Judgments(2 labels, 1 topic)
    """

    topic: Coded
    docs: Ids
    label: Floats
    subtopic: Coded
    assessor: Coded | None = None
    extra: Mapping[str, Sequence[object]] = field(default_factory=dict)
    source: str = "judgments"
    from_lines: bool = False
    places: Places | None = None
    bare: bool = False  # a dict: only its place among the arguments says that it holds labels
    are_gains: bool = False
    turned: bool = False
    model: str | None = None  # that gave all labels, where no column says so

    def __len__(self) -> int:
        return len(self.label)

    def in_short(self) -> str:
        """How many labels, of how many topics, subtopics and assessors."""
        parts = [_counted(len(self), "label"), _counted(len(self.topic.values), "topic")]
        if self.has_subtopics:
            parts.append(_counted(len(self.subtopic.values), "subtopic name"))
        if self.assessor is not None:
            parts.append(_counted(len(self.assessor.values), "assessor"))
        return ", ".join(parts)

    @property
    def provenance(self) -> Mapping[str, object]:
        """The file, or what else they came from."""
        return {"source": self.source}

    @classmethod
    def of(cls, data: object, what: str = "judgments") -> Judgments:
        """Judgments from any known kind of object.

        Parameters
        ----------
        data : path-like, frame, list of dict, mapping, Judgments, ir_measures tuples or ranx Qrels
            The labels; a mapping is ``{topic: {document: label}}``.
        what : str, default 'judgments'
            What errors call them.

        Returns
        -------
        Judgments
            The object itself where it is one.
        """
        return data if isinstance(data, Judgments) else _of_object(data, what=what)

    @cached_property
    def has_subtopics(self) -> bool:
        """Whether the subtopic column (the 'iteration' of plain qrels) holds more than one value."""
        return len(self.subtopic.values) > 1

    @cached_property
    def chosen_rows(self) -> Bools:
        """Labels that were asked for to tell systems apart, not to find what is relevant: column `chosen` is next.

        In qrels a line `# truegain: chosen=next` says it of the lines below.

        >>> Judgments.of({"1": {"a": 2, "b": 0}}).chosen_rows.tolist()
        [False, False]
        """
        if CHOSEN not in self.extra:
            return np.zeros(len(self), np.bool_)
        return np.array([str(x).strip().casefold() == NEXT for x in self.extra[CHOSEN]], np.bool_)

    @property
    def label_name(self) -> str:
        """What the column of labels is called in tables, so that reading it back tells gains from levels."""
        return "gain" if self.are_gains else "label"

    def marked(self, rows: Bools) -> Judgments:
        """These judgments, with some rows marked as chosen by `next_to_judge`.

        Parameters
        ----------
        rows : ndarray of bool
            Which rows.

        Returns
        -------
        Judgments
            With 'next' in these rows of the column `chosen`.
        """
        if not rows.any():
            return self
        old = self.extra.get(CHOSEN, [""] * len(self))
        return replace(self, extra={**self.extra, CHOSEN: [NEXT if x else y for x, y in zip(rows, old, strict=True)]})

    def check_drawn(self, what: str) -> None:
        """Refuse labels that `next_to_judge` chose where a random sample is needed.

        Parameters
        ----------
        what : str
            What the error calls the labels.
        """
        if chosen := int(self.chosen_rows.sum()):
            raise InputError(
                f"{chosen:,} of the {len(self):,} {what} are marked chosen=next: a list of what to judge next asked "
                "for them because they separate the systems, so they are no random sample",
                file=self.source, hint="leave these out, or have a random sample of documents judged",
            )  # fmt: skip

    def take(self, rows: Ints) -> Judgments:
        """Some rows of the judgments.

        Parameters
        ----------
        rows : ndarray of int
            Their numbers, from 0.

        Returns
        -------
        Judgments
            In that order.
        """
        return replace(
            self,
            topic=self.topic.take(rows),
            docs=self.docs.take(rows),
            label=frozen(self.label[rows]),
            subtopic=self.subtopic.take(rows),
            assessor=None if self.assessor is None else self.assessor.take(rows),
            extra={name: [column[r] for r in rows.tolist()] for name, column in self.extra.items()},
            places=None if self.places is None else self.places.take(rows),
        )

    def by(self, assessor: str) -> Judgments:
        """The labels of one assessor, as judgments of one judge.

        Parameters
        ----------
        assessor : str
            The name.

        Returns
        -------
        Judgments
            Without the column of assessors.
        """
        return replace(self._some(np.flatnonzero(self._is(assessor))), assessor=None, model="")

    def without(self, assessor: str) -> Judgments:
        """The labels of all assessors but one.

        Parameters
        ----------
        assessor : str
            The name of the one to leave out.

        Returns
        -------
        Judgments
            The other rows.
        """
        rest = np.flatnonzero(~self._is(assessor))
        if not len(rest):
            raise InputError(f"there is no assessor but {assessor}", file=self.source, hint="give other ratings, too")
        return self._some(rest)

    def _some(self, rows: Ints) -> Judgments:
        """Some rows, without the names of topics and assessors that have none of them."""
        selected = self.take(rows)
        people = None if selected.assessor is None else Coded.of(selected.assessor.strings())
        topic, subtopic = Coded.of(selected.topic.strings()), Coded.of(selected.subtopic.strings())
        return replace(selected, topic=topic, subtopic=subtopic, assessor=people)

    def _is(self, assessor: str) -> Bools:
        names = () if self.assessor is None else self.assessor.values
        if self.assessor is None or assessor not in names:
            present = f"there are {some(names)}" if names else "the judgments do not name assessors"
            raise InputError(f"there is no assessor {assessor}", file=self.source, hint=present)
        return np.asarray(self.assessor.code == names.index(assessor))

    def gold(self) -> Judgments:
        """The labels in the column 'gold', one for each document that has one.

        Returns
        -------
        Judgments
            Two different gold labels of a document are refused.
        """
        if "gold" not in self.extra:
            raise InputError("there is no column 'gold'", file=self.source, hint="name the column of gold labels")
        rows = np.array([row for row, x in enumerate(self.extra["gold"]) if not is_missing(x)], np.int64)
        label = np.empty(len(rows))
        first: dict[tuple[str, str, str], int] = {}
        for at, row in enumerate(rows.tolist()):
            where = self.where(row)
            number = label_of(self.extra["gold"][row])
            if number is None or not np.isfinite(number):
                raise InputError(
                    "gold is not a number",
                    **{**where, "text": str(self.extra["gold"][row])},
                    hint="write a number, or leave the cell empty",
                )
            label[at] = number
            topic, subtopic = self.topic.values[self.topic.code[row]], self.subtopic.values[self.subtopic.code[row]]
            one = first.setdefault((topic, subtopic, self.docs[row]), at)
            if label[one] != number:
                raise InputError(
                    f"topic {topic}, document {self.docs[row]} has the gold labels {label[one]:g} and {number:g}",
                    **where, hint="decide which one counts",
                )  # fmt: skip
        if not first:
            raise InputError("no row has a gold label", file=self.source, hint="fill in the column 'gold'")
        at_first = np.array(list(first.values()), np.int64)
        merged = replace(self._some(rows[at_first]), label=frozen(label[at_first]), assessor=None)
        return replace(merged, extra={}, are_gains=False, model="")

    def columns_of(self, most: int | None = None) -> Mapping[str, Any]:
        """The columns topic, subtopic, doc, label (or gain), and what else is known; or the first rows of them.

        Parameters
        ----------
        most : int, optional
            So many rows from the first on; by default all.

        Returns
        -------
        mapping of str to array or list
            The columns by their names.
        """
        if most is not None and len(self) > most:
            return self.take(np.arange(most)).columns_of()
        columns: dict[str, Any] = {
            "topic": self.topic.strings(),
            "subtopic": self.subtopic.strings(),
            "doc": self.docs.strings(),
            self.label_name: self.label,
        }
        if self.assessor is not None:
            columns["assessor"] = self.assessor.strings()
        return {**columns, **self.extra}

    def where(self, row: int) -> dict[str, Any]:
        """The place of a row, for an error message.

        Parameters
        ----------
        row : int
            Its number, from 0.

        Returns
        -------
        dict
            Keywords of `InputError`.
        """
        if self.from_lines:
            return {
                "file": self.source,
                "line": trec.line_of_row(self.docs, row),
                "text": trec.text_of_row(self.docs, row),
            }
        return {"file": self.source, **(self.places or Places.rows(len(self))).of(row)}


JudgmentsLike = Judgments | TableLike | Numbers | RanxLike | Iterable[LabelRow] | DatasetLike


@checked_keywords()
def read_judgments(
    data: JudgmentsLike,
    *,
    jobs: int | None = None,
    columns: ColumnNames | None = None,
    missing: Missing | None = None,
    values: Mapping[str, float] | str | None = None,
    model: str | None = None,
) -> Judgments:
    r"""Read relevance judgments: TREC qrels, tables with named columns, nested JSON, frames or dicts.

    The content decides the kind of a file.  A header that names `topic` and `doc` (or a known other name) makes a
    table: CSV with commas or semicolons, TSV, JSONL, a JSON list of objects, or Parquet.  ``{topic: {document:
    label}}`` is read as ranx and pytrec_eval write it, everything else as TREC lines.  Files may be compressed; '-' is
    standard input.

    Parameters
    ----------
    data : path-like, frame, list of dict, mapping, Judgments, ir_measures tuples, ranx Qrels or dataset
        The labels; 'irds:NAME' or a Dataset are those of ir_datasets, and a Dataset of Hugging Face is a frame.
    jobs : int, optional
        Threads that read; by default one for each core.  The result is the same for any number.
    columns : str, list of str or mapping, optional
        The names of all columns where no line has them, such as ``"topic,doc,label"`` ('-' for one to skip); or other
        names than ours, such as ``{"label": "grade"}``.
    missing : {'refuse', 'drop'}, default 'refuse'
        Rows without a label are refused, or left out and counted.
    values : mapping of str to float, or str, optional
        Numbers for labels that are words, such as ``{"relevant": 2}`` or ``"relevant=2,irrelevant=0"``.
    model : str, optional
        The language model that gave the labels.  What such labels decide is 'unchecked' until there are gold labels.

    Returns
    -------
    Judgments
        One row a label.

    Examples
    --------
    >>> import tempfile, truegain as tg
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "small.qrels").write_text("1 0 a 1\n1 0 b 0\n")
    ...     tg.read_judgments(f"{folder}/small.qrels")
    Judgments(2 labels, 1 topic)
    """
    if model is not None:
        read = read_judgments(data, jobs=jobs, columns=columns, missing=missing, values=values)
        return replace(read, model=model.strip() or None)  # an empty name is none
    if values is not None:
        with read_with(replace(file_options(), values=values_of(values))):
            return read_judgments(data, jobs=jobs, columns=columns, missing=missing)
    if not isinstance(data, str | os.PathLike):
        return _of_object(data, columns, missing or "refuse")
    context, path = file_options(), os.fspath(data)
    if context.gold is not None and path == context.gold and context.judgments is not None:
        if context.gold not in context.gold_from_judgments:
            read_judgments(context.judgments, jobs=jobs)
        return cast("Judgments", context.gold_from_judgments[context.gold])
    ours = context.is_judgments(path)
    header = Header.of(columns) if columns is not None else context.header_of(path)
    drop = missing or context.missing
    read = _read(path, header, drop, jobs or cores(), context.gold if ours else None)
    return without_gold(read) if ours and context.gold is not None else read


def _read(path: PathLike, header: Header, missing: Missing, jobs: int, gold: str | None) -> Judgments:
    """Judgments from a file; `gold` names the column of gold labels, where they stand in one."""
    check_one_of("missing", missing, ("refuse", "drop"))
    if shards := formats.shards_in(path):
        return _of_frame(formats.read_shards(shards), shown_path(path), header, missing)
    text, kind, file = loaded(path, header)
    if gold is not None and gold.startswith(COLUMN):
        header = replace(header, renamed={**header.renamed, "gold": gold.removeprefix(COLUMN)})
    if kind == "nested":
        labels_of = nested(text, file) if missing == "refuse" else labeled(nested(text, file), file)
        topics, docs, labels = flat(labels_of, file, labels=True, text=text)
        return replace(judgments_of_columns(topics, docs, labels, file), bare=True)
    if kind:
        return _of_frame(formats.read(text, kind, file), file, header, missing)
    if not header.names and header.unnamed and not trec.looks_like(text, trec.JUDGMENTS):
        header = replace(header, names=header.unnamed)  # as the judgments are, which name no columns either
    layout = judgments_layout(text, header)
    if layout is None:
        return _of_frame(read_unnamed(text, header.names, file), file, header, missing)
    return judgments_of_lines(text, layout, file, jobs)


def judgments_layout(text: bytes, header: Header) -> trec.Layout | None:
    """How the lines of judgments are cut; None where these are no lines without names of columns."""
    return layout_of(header, text, "judgments", ("label",)) if header.names else trec.JUDGMENTS


def judgments_of_lines(text: bytes, layout: trec.Layout, file: str, jobs: int) -> Judgments:
    """Judgments from lines without names of columns."""
    rows = trec.scan(text, layout, file, jobs)
    if not np.isfinite(rows.value).all():
        row = int(np.flatnonzero(~np.isfinite(rows.value))[0])
        raise InputError(
            "label is infinite",
            file=file,
            line=trec.line_of_row(rows.docs, row),
            text=trec.text_of_row(rows.docs, row),
            hint="a label must be a finite number",
        )
    subtopic = _constant(NO_SUBTOPIC, len(rows.value)) if layout.second == layout.topic else rows.second
    judgments = Judgments(rows.topic, rows.docs, rows.value, subtopic, source=file, from_lines=True)
    mark = marked_at(text)
    return judgments if mark is None else judgments.marked(judgments.docs.start > mark)


def marked_at(text: bytes) -> int | None:
    r"""Where lines begin that a list of what to judge next asked for; None: none does.

    >>> marked_at(b"1 0 a 1\n# truegain: chosen=next\n1 0 b 0\n"), marked_at(b"# 1 0 a 1\n")
    (8, None)
    """
    mark = _MARK.search(text) if b"truegain:" in text else None
    return None if mark is None else mark.start()


def _of_object(
    data: object, names: ColumnNames | None = None, missing: Missing = "refuse", what: str = "judgments"
) -> Judgments:
    """Judgments from any known kind of object; `what` they are called in messages."""
    check_one_of("missing", missing, ("refuse", "drop"))
    if names is None and isinstance(data, Judgments):
        return data
    if names is None and isinstance(data, str | os.PathLike):
        return read_judgments(data)
    if is_frame(data) or is_rows(data, named=names is not None):
        return _of_frame(opened(data), what, header_of(names, what), missing)
    refuse_columns(names is not None, data)
    if is_kind(data, "Run", "Runs"):
        raise InputError(f"this is {an(data)}, not judgments", file=what, hint=ORDER)
    if is_ranx(data):
        data = data.to_dict()  # type: ignore[attr-defined]
    if is_dataset(data):
        rows_or_frame = rows_of(data, "qrels", what)
        return _of_object(rows_or_frame, names, missing, what)
    if isinstance(data, Mapping) and (splits := [str(name) for name, part in data.items() if is_frame(part)]):
        raise InputError(
            f"this holds {_counted(len(splits), 'table')}, {some(splits)}", file=what,
            hint=f"give one of them, such as data[{splits[0]!r}]",
        )  # fmt: skip
    if isinstance(data, Mapping):
        kept = data if missing == "refuse" else labeled(data, what)
        topics, docs, labels = flat(kept, what, labels=True)
        return replace(judgments_of_columns(topics, docs, labels, what), bare=True)
    rows = tuples(data, "relevance", what)
    return judgments_of_columns(
        [an_id(r.query_id, "topic", what) for r in rows],
        [an_id(r.doc_id, "document", what) for r in rows],
        numbers([r.relevance for r in rows], what, labels=True),
        what,
        subtopics=[subtopic_of(r) for r in rows],
    )


def _of_frame(frame: Any, source: str, header: Header | None = None, missing: Missing = "refuse") -> Judgments:
    """Judgments from a frame with named columns."""
    columns = renamed(Columns(frame, source, "judgments" if header is None else header.role), header)
    _refuse_list(columns)
    columns = answered_rows(columns)
    if missing == "drop":
        columns = labeled_rows(columns, values=file_options().values)
    judgments = judgments_of_columns(
        columns.ids("topic"),
        columns.ids("doc"),
        columns.numbers("label"),
        source,
        subtopics=columns.ids("subtopic") if "subtopic" in columns else None,
        assessors=columns.ids("assessor") if "assessor" in columns else None,
        extra=columns.extra(),
        places=columns.places,
    )
    if header is not None and {"topic", "doc"} & header.renamed.keys():
        _warn_if_swapped(judgments)
    gains = columns.matches["label"][0] == "gain" and judgments.assessor is None
    return replace(judgments, are_gains=gains).marked(asked_for_by_next(columns, len(judgments)))


def _warn_if_swapped(judgments: Judgments) -> None:
    """Warn of columns that somebody named and may have swapped: one document a topic, not all of them relevant."""
    topics = len(judgments.topic.values)
    if len(judgments) != topics or not judgments.label.min() <= 0 < judgments.label.max():
        return
    docs = len(set(judgments.docs.strings()))
    if docs > 1 and topics >= FEWEST_SWAPPED * docs:
        warn(
            f"{judgments.source}: {topics:,} topics have one judged document each, and there are only {docs:,} "
            f"documents; check that topic and doc are not swapped in {argname('columns')}"
        )


def _refuse_list(columns: Columns) -> None:
    """Refuse a list of pairs to be gold-judged, also its sheet that lost a column: its rows are no plain sample."""
    names = set(columns.names)
    if {"order", "digest"} <= names:
        raise InputError(
            "a list of pairs for gold labels, not judgments: its labels were sampled for a difference",
            file=columns.file, hint=f"a study reads it: {GOLD_OF_STUDY}",
        )  # fmt: skip
    ours = {name for name, cell in _OF_SHEETS.items() if _all_are(cell, columns, name)}
    if "digest" in ours or ("scale" in ours and "order" in names):
        lost = " and ".join(name for name in ("order", "digest") if name not in names)
        raise InputError(
            f"this is the sheet of a gold list, and its column {lost} is missing: without it, truegain cannot know "
            "how its rows were sampled",
            file=columns.file,
            hint=f"put the labels into the list by {FILL_LIST}, or put the column back",
        )


def _all_are(cell: re.Pattern[str], columns: Columns, name: str) -> bool:
    """Whether a column has such cells alone, and any; a sheet that people filled in may have empty rows at its end."""
    cells = columns._column(name) if columns.names.count(name) == 1 else []
    present = [str(x).strip() for x in cells if not is_missing(x)]
    return bool(present) and all(map(cell.fullmatch, present))


def asked_for_by_next(columns: Columns, rows: int) -> Bools:
    """Rows of a list of what to judge next beside the first documents by depth, told by its columns."""
    if not {"round", "why", "predicted"} <= set(columns.names):
        return np.zeros(rows, np.bool_)
    return np.array([str(x) in ("newcomer", "ranking", "pair") for x in columns._column("why")], np.bool_)


def without_gold(judgments: Judgments) -> Judgments:
    """The judgments without the gold labels that the command was told are among them, which are kept for it."""
    context = file_options()
    if context.gold is None:
        return judgments
    if context.gold.startswith(COLUMN):
        context.gold_from_judgments[context.gold] = judgments.gold()
        return judgments
    name = context.gold.removeprefix(ASSESSOR)
    context.gold_from_judgments[context.gold] = judgments.by(name)
    return judgments.without(name)


def judgments_of_columns(
    topics: Sequence[str],
    docs: Sequence[str],
    label: Floats,
    source: str,
    *,
    subtopics: Sequence[str] | None = None,
    assessors: Sequence[str] | None = None,
    extra: Mapping[str, Sequence[object]] | None = None,
    places: Places | None = None,
) -> Judgments:
    """Judgments from plain columns."""
    place = places or Places.rows(len(label))
    if not np.isfinite(label).all():
        row = int(np.flatnonzero(~np.isfinite(label))[0])
        problem = "label is missing or NaN" if np.isnan(label[row]) else "label is infinite"
        raise InputError(
            problem,
            file=source,
            **place.of(row),
            hint="a label must be a finite number; leave unjudged documents out",
        )
    if not len(label):
        raise EmptyError("there are no judgments", file=source, hint="give at least one label")
    columns = {"topic": topics, "document": docs, "subtopic": subtopics or (), "assessor": assessors or ()}
    for name, column in columns.items():
        check_unicode(column, name, source, place)
    subtopic = Coded.of(subtopics) if subtopics is not None else _constant(NO_SUBTOPIC, len(label))
    return Judgments(
        Coded.of(topics),
        Ids.of(docs),
        frozen(label),
        subtopic,
        Coded.of(assessors) if assessors is not None else None,
        dict(extra or {}),
        source,
        places=places,
    )


def _constant(value: str, rows: int) -> Coded:
    return Coded((value,), frozen(np.zeros(rows, np.int32)))


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
