"""Topics and documents from files, under the names that people have for their fields."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from truegain.errors import InputError
from truegain.judging.study.rows import FileRow, rows_of, word
from truegain.judging.tasks.material import TEXT, Document, Format, Question, Topic
from truegain.tables.raw import COLUMNS, plain_name
from truegain.tables.sources import PathLike, shown_path

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
    found: list[TopicRow] = []
    first: dict[str, int] = {}
    for row in rows_of(path, faults, names=TOPIC_COLUMNS):
        name = _first(row, TOPIC_ID)
        if not name:
            faults.append(_said("a topic without an id", file, row, f"give it one of {', '.join(TOPIC_ID)}"))
        elif name in first:
            faults.append(_said(f"topic {name} stands twice, first on line {first[name]}", file, row, "keep one"))
        else:
            first[name] = row.line
            found.append(_topic(name, row, file, faults))
    return found


def _topic(name: str, row: FileRow, file: str, faults: list[str]) -> TopicRow:
    asked = _question(name, row, file, faults)
    values = {k: v for k, v in row.values.items() if k != "question" or asked is None}
    text = next((t for t in (word(values.get(n)) for n in TOPIC_TEXT) if t), "")
    title = word(values.get("title")) or word(values.get("query")) or text
    topic = Topic(
        name, title, "" if text == title else text, _first(row, COUNTS), word(values.get("counts_not")), asked
    )
    if not title:
        faults.append(_said(f"topic {name} has no text", file, row, "give it title, text, description or query"))
    return TopicRow(topic, word(values.get("high")), word(values.get("low")), f"{file}:{row.line}")


def _question(name: str, row: FileRow, file: str, faults: list[str]) -> Question | None:
    """The question on a topic: an object, or a text beside `options` and `right`."""
    said: Any = row.values.get("question")
    if not isinstance(said, Mapping):
        if row.values.get("options") in (None, ""):
            return None
        said = {"asked": said, "options": row.values["options"], "right": row.values.get("right")}
    asked, right = word(said.get("asked") or said.get("text")), word(said.get("right"))
    given = said.get("options")
    if isinstance(given, str):
        given = given.split("|")
    options = tuple(word(x) for x in given) if isinstance(given, Sequence) else ()
    problem = ""
    if not asked:
        problem = "is empty (give it `asked`)"
    elif len(options) != OPTIONS or not all(options):
        problem = f"has {sum(map(bool, options))} options, not {OPTIONS}"
    elif len(set(options)) < OPTIONS:
        problem = "has the same option twice"
    elif right not in options:
        problem = f"has the right option {right!r}, which is none of its options (write its text)"
    if problem:
        faults.append(_said(f"the question of topic {name} {problem}", file, row))
        return None
    return Question(asked, options, options.index(right))


def read_documents(
    path: PathLike, faults: list[str], only: Collection[str] | None = None, usual: Format = TEXT
) -> dict[str, Document]:
    """The documents of a file by id, of those that are wanted; what is wrong with any of them is added to the faults.

    An object has `id`, `title`, `text`, `source`, and where it is not the `usual` one its `format`, text or html;
    BEIR's corpus.jsonl and MS MARCO's collection.tsv are read as well.
    """
    file = shown_path(path)
    found: dict[str, Document] = {}
    first: dict[str, int] = {}
    for row in rows_of(path, faults, names=DOC_COLUMNS):
        name = _first(row, DOC_ID)
        if not name:
            faults.append(_said("a document without an id", file, row, f"give it one of {', '.join(DOC_ID)}"))
        elif only is not None and name not in only:
            continue
        elif name in found:
            faults.append(_said(f"document {name} stands twice, first on line {first[name]}", file, row, "keep one"))
        else:
            first[name] = row.line
            text = next((t for t in (str(row.values.get(n) or "").strip() for n in DOC_TEXT) if t), "")
            about = word(row.values.get("title")), _first(row, SOURCE), _format(name, row, file, usual, faults)
            found[name] = Document(name, text, *about)
    return found


def _format(name: str, row: FileRow, file: str, usual: Format, faults: list[str]) -> Format:
    said = word(row.values.get("format")).lower()
    known = next((one for one in get_args(Format) if one == said), None)
    if said and known is None:
        what = f"document {name} has the format {said!r}"
        faults.append(_said(what, file, row, f"give {' or '.join(get_args(Format))}, or leave it out"))
    return known or usual


def _first(row: FileRow, names: Sequence[str]) -> str:
    """The first of some fields that has something in it."""
    found = next((text for text in (word(row.values.get(name)) for name in names) if text), "")
    if found or not any(set("- ") & set(name) or name != name.lower() for name in row.values):
        return found
    plain = {plain_name(name): value for name, value in row.values.items()}  # query-id is query_id
    return next((text for text in (word(plain.get(name)) for name in names) if text), "")


def _said(problem: str, file: str, row: FileRow, hint: str | None = None) -> str:
    return str(InputError(problem, file=file, line=row.line, hint=hint))
