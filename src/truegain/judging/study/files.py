"""The files of a study, as people have them: topics, documents, and the pool of what is judged."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from truegain.data.judgments import CHOSEN, NEXT, Judgments
from truegain.data.label_list_reading import MARKS, gold_list_of
from truegain.data.run import ordered_columns
from truegain.data.runs import Runs, read_runs
from truegain.errors import InputError, TruegainError
from truegain.io import named_tables
from truegain.io.columns import BEIR, COLUMNS, is_number, plain_name
from truegain.io.files import PathLike, expand, read_bytes, read_failures, shown_path
from truegain.io.formats import ending, format_of_ending, read
from truegain.io.json_files import STRICT, RepeatedKeyError, repeated
from truegain.io.named_tables import Columns, is_guarded, unguarded
from truegain.io.plain_text import TO_UTF8, TOLD_BY, unpacking
from truegain.io.separated import check_spread, separator_of
from truegain.io.table_format import first_line
from truegain.io.trec import loaded
from truegain.judging.tasks.base import FORMATS, TEXT, Document, Format, Item, Question, Topic
from truegain.message import with_marks

TEXTS = ("query", "document")  # names of ids that are names of texts, too
LONGEST = 1 << 26  # bytes of a line
_TOP = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_PART = re.compile(r"<(num|title|desc|narr)>(.*?)(?=<(?:num|title|desc|narr|/top)>|\Z)", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(r"^\s*(Number|Topic|Description|Narrative)\s*:?", re.IGNORECASE)
IDS = ("id", "_id", "number", "num", *(name for o in ("topic", "doc") for name in COLUMNS[o] if name not in TEXTS))


class FileRow(NamedTuple):
    """Named values, and the line that they begin on."""

    line: int
    values: Mapping[str, Any]


@contextmanager
def collecting(faults: list[str]) -> Iterator[None]:
    """Add what is wrong to the faults and go on."""
    try:
        yield
    except TruegainError as error:
        faults.append(error.message)


def refuse(faults: Sequence[str], rest: str = "") -> None:
    """End with the first thing that is wrong and how many more there are, if anything is.

    rest: where the others are told.
    """
    if faults:
        raise InputError(f"{with_marks(faults[0])}{f'; and {len(faults) - 1} more{rest}' if faults[1:] else ''}")


def word(value: Any) -> str:
    """A value as a text without white space around; a whole number that JSON made a float is none of one.

    >>> word(7.0), word(" a "), word(None), word(math.nan), word(["a"])
    ('7', 'a', '', '', '')
    """
    if value is None or isinstance(value, Mapping | list) or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value).strip()


def rows_of(path: PathLike, faults: list[str], *, names: Mapping[int, Sequence[str]]) -> Iterator[FileRow]:
    """The rows of a file, one at a time; lines that cannot be read are faults.

    names: of the columns of a TSV that does not name them, by how many there are, as in {2: ("id", "text")}.
    """
    with collecting(faults), _lines(path) as lines:
        first, file, suffix = next(lines, ""), shown_path(path), ending(str(path))
        if not first.strip() and suffix != ".json":
            first = next((line for line in lines if line.strip()), "")
        if not first:
            raise InputError("the file is empty", file=file, hint="check the path")
        if suffix == ".json" or first.lstrip().startswith("["):
            yield from _json_list(first + "".join(lines), file)
        elif first.lstrip().startswith("{"):
            yield from _json_lines(first, lines, file, faults)
        elif first.lstrip().lower().startswith("<top"):
            yield from _trec(first + "".join(lines))
        else:
            yield from _cells(first, lines, file, "\t" if "\t" in first else separator_of(first), names, faults)


@contextmanager
def _lines(path: PathLike) -> Iterator[Iterator[str]]:
    """The lines of a file, unpacked, as text."""
    file = shown_path(path)
    with read_failures(file), Path(path).open("rb") as stream:
        source = unpacking(stream.peek(TOLD_BY), stream) or stream

        def decoded() -> Iterator[str]:
            number = 0
            while line := source.readline(LONGEST + 1):
                number += 1
                if len(line) > LONGEST:
                    raise InputError(
                        f"a line of more than {LONGEST >> 20} MB", file=file, line=number, hint="split the document"
                    )
                try:
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError:
                    raise InputError(
                        "not UTF-8 text", file=file, line=number, text=line.decode(errors="replace"), hint=TO_UTF8
                    ) from None

        yield decoded()


def _json_lines(first: str, lines: Iterator[str], file: str, faults: list[str]) -> Iterator[FileRow]:
    for number, line in enumerate(chain([first], lines), 1):
        text = line.strip()
        if not text:
            continue
        try:
            value = STRICT.decode(line)
        except RepeatedKeyError:
            faults.append(str(repeated(line.encode(), file, number)))
            continue
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield FileRow(number, value)
        else:
            hint = "write one object per line"
            faults.append(str(InputError("not a JSON object", file=file, line=number, text=text, hint=hint)))


def _json_list(text: str, file: str) -> Iterator[FileRow]:
    try:
        whole = STRICT.decode(text)
    except RepeatedKeyError:
        raise repeated(text.encode(), file) from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"not readable JSON: {error.msg}", file=file, line=error.lineno, hint="correct that line"
        ) from None
    if not isinstance(whole, list) or not all(isinstance(x, dict) for x in whole):
        hint = "write one object per line, or a list of objects"
        raise InputError("not a list of JSON objects", file=file, hint=hint)
    for number, row in enumerate(whole, 1):
        yield FileRow(number, row)


def _trec(text: str) -> Iterator[FileRow]:
    """Topics as TREC has them: <top> <num> <title> <desc> <narr>."""
    for match in _TOP.finditer(text):
        parts = {m[1].lower(): " ".join(_LABEL.sub("", m[2]).split()) for m in _PART.finditer(match[1])}
        yield FileRow(text.count("\n", 0, match.start()) + 1, parts)


def _cells(
    first: str, lines: Iterator[str], file: str, separator: str, names: Mapping[int, Sequence[str]], faults: list[str]
) -> Iterator[FileRow]:
    """Rows of cells under the names of the first line, or under those that so many columns have."""
    every = chain([first], lines)
    top = [cell.strip().strip('"').lower() for cell in first.rstrip("\r\n").split(separator)]
    named = bool({plain_name(name) for name in top} & set(IDS)) and not any(map(is_number, top))
    if not named and separator == "\t" and len(top) in names:
        reader: Any = csv.reader(every, delimiter="\t", quoting=csv.QUOTE_NONE)
        columns = list(names[len(top)])
    elif named:
        reader = csv.reader(every, delimiter=separator, strict=True)
        columns = [cell.strip().lower() for cell in next(reader)]
    else:
        hint = "begin the table with a header, such as id,title,text"
        raise InputError("the columns are not named", file=file, line=1, text=first.strip(), hint=hint)
    csv.field_size_limit(LONGEST)
    begin = reader.line_num + 1
    try:
        for row in reader:
            if row and len(row) == len(columns):
                if reader.line_num > begin:
                    ids = [at for at, name in enumerate(columns) if plain_name(name) in IDS]
                    check_spread(row, ids, separator, file, begin, reader.line_num)
                yield FileRow(begin, dict(zip(columns, row, strict=True)))
            elif row:
                problem = f"{len(row)} fields, not {len(columns)}"
                faults.append(str(InputError(problem, file=file, line=begin, text=separator.join(row))))
            begin = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"not a readable table: {error}", file=file, line=reader.line_num, hint="save it as CSV or TSV in UTF-8"
        ) from None


# ---------------------------------------------------------------------- topics and documents


TOPIC_ID = ("id", *(name for name in COLUMNS["topic"] if name != "query"), "_id", "number", "num")
TOPIC_TEXT = ("text", "description", "desc", "question", "query")
COUNTS = ("counts", "narrative", "narr")
DOC_ID = ("id", *COLUMNS["doc"], "_id")
DOC_TEXT = ("text", "contents", "content", "body", "passage", "segment", "abstract")
SOURCE = ("source", "url", "site")
OPTIONS = 4
TOPIC_COLUMNS = {2: ("id", "query")}
DOC_COLUMNS = {2: ("id", "text"), 4: ("id", "url", "title", "body")}  # MS MARCO's passages and documents


@dataclass(frozen=True)
class TopicRow:
    """A topic as a file has it: also the ids of its Hk and Nk, where they are named, and the line it stands on."""

    topic: Topic
    high: str
    low: str
    place: str


def read_topics(path: PathLike, faults: list[str]) -> list[TopicRow]:
    """The topics of a file; what is wrong with any of them is added to the faults.

    An object has `id`, `title`, `text`, and where known `counts`, `counts_not`, `question` (`asked`, `options`, and as
    `right` the text of the right one), `high`, `low`; description, narrative, query, qid and the like are read, too.
    """
    file = shown_path(path)
    topics: list[TopicRow] = []
    first: dict[str, int] = {}
    for row in rows_of(path, faults, names=TOPIC_COLUMNS):
        name = _first(row, TOPIC_ID)
        if not name:
            faults.append(_fault("a topic without an id", file, row, f"give it one of {', '.join(TOPIC_ID)}"))
        elif name in first:
            faults.append(_fault(f"topic {name} appears twice, first on line {first[name]}", file, row, "keep one"))
        else:
            first[name] = row.line
            topics.append(_topic(name, row, file, faults))
    return topics


def _topic(name: str, row: FileRow, file: str, faults: list[str]) -> TopicRow:
    question = _question(name, row, file, faults)
    values = {k: v for k, v in row.values.items() if k != "question" or question is None}
    text = next((t for t in (word(values.get(n)) for n in TOPIC_TEXT) if t), "")
    title = word(values.get("title")) or word(values.get("query")) or text
    topic = Topic(
        name, title, "" if text == title else text, _first(row, COUNTS), word(values.get("counts_not")), question
    )
    if not title:
        faults.append(_fault(f"topic {name} has no text", file, row, "give it title, text, description or query"))
    return TopicRow(topic, word(values.get("high")), word(values.get("low")), f"{file}:{row.line}")


def _question(name: str, row: FileRow, file: str, faults: list[str]) -> Question | None:
    """The question on a topic: an object, or a text beside `options` and `right`."""
    value: Any = row.values.get("question")
    if not isinstance(value, Mapping):
        if row.values.get("options") in (None, ""):
            return None
        value = {"asked": value, "options": row.values["options"], "right": row.values.get("right")}
    text, right = word(value.get("asked") or value.get("text")), word(value.get("right"))
    listed = value.get("options")
    if isinstance(listed, str):
        listed = listed.split("|")
    options = tuple(word(x) for x in listed) if isinstance(listed, Sequence) else ()
    problem = ""
    if not text:
        problem = "is empty (give it `asked`)"
    elif len(options) != OPTIONS or not all(options):
        problem = f"has {sum(map(bool, options))} options, not {OPTIONS}"
    elif len(set(options)) < OPTIONS:
        problem = "has the same option twice"
    elif right not in options:
        problem = f"has the right option {right!r}, which is none of its options (write its text)"
    if problem:
        faults.append(_fault(f"the question of topic {name} {problem}", file, row))
        return None
    return Question(text, options, options.index(right))


def read_documents(
    path: PathLike, faults: list[str], only: Collection[str] | None = None, usual: Format = TEXT
) -> dict[str, Document]:
    """The documents of a file by id, of those that are wanted; what is wrong with any of them is added to the faults.

    An object has `id`, `title`, `text`, `source`, and where it is not the `usual` one its `format`, text or html;
    BEIR's corpus.jsonl and MS MARCO's collection.tsv are read as well.
    """
    file = shown_path(path)
    documents: dict[str, Document] = {}
    first: dict[str, int] = {}
    for row in rows_of(path, faults, names=DOC_COLUMNS):
        name = _first(row, DOC_ID)
        if not name:
            faults.append(_fault("a document without an id", file, row, f"give it one of {', '.join(DOC_ID)}"))
        elif only is not None and name not in only:
            continue
        elif name in documents:
            faults.append(_fault(f"document {name} appears twice, first on line {first[name]}", file, row, "keep one"))
        else:
            first[name] = row.line
            text = next((t for t in (str(row.values.get(n) or "").strip() for n in DOC_TEXT) if t), "")
            about = word(row.values.get("title")), _first(row, SOURCE), _format(name, row, file, usual, faults)
            documents[name] = Document(name, text, *about)
    return documents


def _format(name: str, row: FileRow, file: str, usual: Format, faults: list[str]) -> Format:
    name_in_file = word(row.values.get("format")).lower()
    format_ = next((known for known in FORMATS if known == name_in_file), None)
    if name_in_file and format_ is None:
        what = f"document {name} has the format {name_in_file!r}"
        faults.append(_fault(what, file, row, f"give {' or '.join(FORMATS)}, or leave it out"))
    return format_ or usual


def _first(row: FileRow, names: Sequence[str]) -> str:
    """The first of some fields that has something in it."""
    first_text = next((text for text in (word(row.values.get(name)) for name in names) if text), "")
    if first_text or not any(set("- ") & set(name) or name != name.lower() for name in row.values):
        return first_text
    plain = {plain_name(name): value for name, value in row.values.items()}  # query-id is query_id
    return next((text for text in (word(plain.get(name)) for name in names) if text), "")


def _fault(problem: str, file: str, row: FileRow, hint: str | None = None) -> str:
    return str(InputError(problem, file=file, line=row.line, hint=hint))


# ---------------------------------------------------------------------- the pool


TOPIC = named_tables.COLUMNS["topic"]
DOC = (*named_tables.COLUMNS["doc"], "docs", "passage", "cited")
PAIRS = (("doc_a", "doc_b"), ("left", "right"), ("first", "second"))
LABEL = named_tables.COLUMNS["label"]


@dataclass(frozen=True)
class PoolRow:
    """An item of a topic, and the label that it has, if it has one."""

    topic: str
    item: Item
    label: float | None = None

    def line(self) -> str:
        """As it stands in `pool.jsonl`."""
        item = self.item
        docs: dict[str, Any] = {"doc": item.docs[0]} if len(item.docs) == 1 else {"docs": list(item.docs)}
        fields: dict[str, Any] = {"topic": self.topic, **docs}
        if item.probability != 1:
            fields["probability"] = item.probability
        fields |= {"label": self.label} if self.label is not None else {}
        more = {"claim": item.claim, "answer": item.answer, CHOSEN: item.chosen}
        fields |= {name: value for name, value in more.items() if value}
        return json.dumps(fields, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class JudgingPool:
    """Rows in the order to judge; `gold_list` is the file of a list that knows its design, where that was given."""

    rows: tuple[PoolRow, ...]
    gold_list: str = ""

    def by_topic(self) -> dict[str, list[PoolRow]]:
        """The rows of each topic."""
        rows: dict[str, list[PoolRow]] = {}
        for row in self.rows:
            rows.setdefault(row.topic, []).append(row)
        return rows


def read_pool(paths: Sequence[PathLike], *, depth: int = 10) -> JudgingPool:
    r"""All pairs of some files; what several of them have stands once, with the label that one of them gives it.

    depth: to which runs are read, best ranks first.  What one file has drawn and another has whole is certain to be
    judged: the larger probability is kept.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".qrels") as file:
    ...     _ = file.write("1 0 a 2\n1 0 b 0\n")
    ...     file.flush()
    ...     [row.item.docs for row in read_pool([file.name]).rows]
    [('a',), ('b',)]
    """
    rows: list[PoolRow] = []
    lists: list[str] = []
    runs: list[str] = []
    for path in paths:
        name = os.fspath(path)
        if Path(name).is_dir() or (any(c in name for c in "*?[") and not Path(name).exists()):
            runs += expand([name])
        elif (rows_of_file := _file(name, lists)) is None:
            runs.append(name)
        else:
            rows += rows_of_file
    if runs:
        rows += _of_runs(read_runs(runs), depth)
    if len(lists) > 1:
        raise InputError(f"{lists[0]} and {lists[1]} are both sampled lists", hint="give one of them")
    return JudgingPool(tuple(_once(rows)), lists[0] if lists else "")


def _file(name: str, lists: list[str]) -> list[PoolRow] | None:
    """The rows of one file; None where it is a run."""
    pairs = _names_pairs(name)
    text, kind, file = loaded(name) if pairs is None else (read_bytes(name), pairs, shown_path(name))
    if kind is None:
        return None if len(first_line(text).split()) >= 6 else _of_judgments(Judgments.of(name))
    if kind == "nested":
        return _of_judgments(Judgments.of(name))
    table = read(text, kind, file)
    names = [plain_name(str(n)) for n in table.columns]
    if set(names) == BEIR and Columns(table, file).matches["label"]:
        return _of_judgments(Judgments.of(name))
    if sum(mark in names for mark in MARKS) >= 2 and (listed := gold_list_of(name)) is not None:
        lists.append(name)
        return [
            PoolRow(topic, Item((doc,), probability), None if math.isnan(label) else label)
            for topic, doc, probability, label in zip(
                listed.topics, listed.docs, listed.probability.tolist(), listed.label.tolist(), strict=True
            )
        ]
    is_run = not set(names) & {*LABEL, "claim", "probability", "order"} and set(names) & {"score", "rank"}
    if is_run:
        return None
    places = table.places if isinstance(table, named_tables.RawTable) else None
    columns = {n: table.column(i) for i, n in enumerate(names)}
    if is_guarded(table):
        ids = {*TOPIC, *DOC, *(n for pair in PAIRS for n in pair)}
        columns |= {n: unguarded(table, column) for n, column in columns.items() if n in ids}
    count = len(next(iter(columns.values()), []))
    return [
        _row(
            {n: column[at] for n, column in columns.items()},
            {"file": file, **(places.of(at) if places else {"row": at + 1})},
        )
        for at in range(count)
    ]


def _names_pairs(name: str) -> str | None:
    """The kind of a table whose first line names two documents; None for all else."""
    table = format_of_ending(name)
    if table is None or not table.named_first:
        return None
    top = {cell.strip().strip('"').lower() for cell in re.split("[,;\t]", first_line(read_bytes(name)))}
    return table.name if any(set(pair) <= top for pair in PAIRS) else None


def _row(values: Mapping[str, Any], where: Mapping[str, Any]) -> PoolRow:
    """A row of a table with named columns."""
    topic = next((word(values[n]) for n in TOPIC if word(values.get(n))), "")
    docs: tuple[str, ...] = ()
    for pair in PAIRS:
        if all(word(values.get(n)) for n in pair):
            docs = tuple(word(values[n]) for n in pair)
    if not docs:
        value = next((values[n] for n in DOC if values.get(n) not in (None, "")), "")
        docs = tuple(map(word, value)) if isinstance(value, list) else tuple(filter(None, [word(value)]))
    if not topic or not docs or not all(docs):
        raise InputError("a row without topic or document", **where, hint="give both, or take the row out")
    label = next((values[n] for n in LABEL if word(values.get(n))), None)
    number = _number("probability", values.get("probability", 1), where)
    probability = 1.0 if number is None else number
    if not 0 < probability <= 1:
        raise InputError(f"probability is {probability:g}", **where, hint="give a number above 0 and at most 1")
    chosen = NEXT if word(values.get(CHOSEN)) == NEXT else ""
    item = Item(docs, probability, word(values.get("claim")), word(values.get("answer")), chosen)
    return PoolRow(topic, item, _number("label", label, where))


def _number(name: str, value: Any, where: Mapping[str, Any]) -> float | None:
    if not word(value):
        return None
    number = named_tables.number_of(value)
    if number is None or not math.isfinite(number):
        raise InputError(f"{name} is not a number", **{**where, "text": str(value)}, hint="write a number")
    return number


def _of_judgments(table: Judgments) -> list[PoolRow]:
    rows = zip(table.topic.strings(), table.docs.strings(), table.label.tolist(), strict=True)
    return [PoolRow(topic, Item((doc,)), label) for topic, doc, label in rows]


def _of_runs(runs: Runs, depth: int) -> list[PoolRow]:
    """Documents down to a depth of any run, those of the best ranks first."""
    ranked: list[tuple[int, int, str, str]] = []
    for number, part in enumerate(runs.parts):
        columns = ordered_columns(part)
        rows = zip(columns["rank"].tolist(), columns["topic"], columns["doc"], strict=True)
        ranked += [(rank, number, topic, doc) for rank, topic, doc in rows if rank <= depth]
    return [PoolRow(topic, Item((doc,))) for _, _, topic, doc in sorted(ranked, key=lambda x: x[:2])]


def _once(rows: Iterable[PoolRow]) -> list[PoolRow]:
    """Each item of a topic once, at its first place, with the larger probability; labels that differ are refused."""
    first_rows: dict[tuple[str, str], PoolRow] = {}
    for row in rows:
        key = row.topic, row.item.key
        first = first_rows.setdefault(key, row)
        if first is row:
            continue
        if first.label is not None and row.label not in (None, first.label):
            raise InputError(
                f"topic {row.topic}, document {row.item.key} has the labels {first.label:g} and {row.label:g}",
                hint="decide which one counts",
            )
        probability = max(first.item.probability, row.item.probability)
        item = replace(first.item, probability=probability, chosen=first.item.chosen if row.item.chosen else "")
        first_rows[key] = replace(first, item=item, label=row.label if first.label is None else first.label)
    return list(first_rows.values())


def write_pool(rows: Iterable[PoolRow]) -> bytes:
    """Rows as `pool.jsonl` has them."""
    return "".join(row.line() for row in rows).encode()
