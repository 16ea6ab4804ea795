"""What is asked: the items of a pool with their texts, the calls that judge them, and what these will take."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from truegain.errors import InputError, TruegainError, an, counted, some, warn
from truegain.io import formats
from truegain.io.columns import RawTable, plain_name
from truegain.io.files import PathLike, read_bytes, shown_path
from truegain.io.frames import Frame, Rows, is_rows, opened
from truegain.io.named_tables import is_guarded, unguarded
from truegain.io.trec import loaded
from truegain.judging.study.files import (
    DOC,
    DOC_COLUMNS,
    DOC_TEXT,
    TOPIC,
    TOPIC_ID,
    FileRow,
    read_documents,
    read_pool,
    read_topics,
    refuse,
    rows_of,
    word,
)
from truegain.judging.tasks.base import Topic
from truegain.llm.client import host_alias
from truegain.llm.prompts import Prompt, Way, about_tokens, cut_to
from truegain.llm.store import in_json, key_of
from truegain.message import arg, argname

PAIRS = (("a", "b"), ("system_a", "system_b"), ("doc_a", "doc_b"), ("left", "right"), ("first", "second"))
SYSTEM = ("system", "run", "run_id")
ANSWER = ("answer", "answer_text", "response", "output", "prediction", *DOC_TEXT)
SEEDS = 1_000_003  # between the seeds of attempts
OVERHEAD = 8  # tokens of the form of a message
REASONING = 30  # tokens of an answer without reasoning, about


@dataclass(frozen=True)
class Asking:
    """What a judge is asked, and how.

    Parameters
    ----------
    repeat : int, default 1
        How many times each model is asked about each item; each time has a seed of its own.
    temperature : float, optional
        By default 0 where each model is asked once, 1 where it is asked several times.
    max_tokens : int, default 4096
        The most tokens of an answer, with room for a model that reasons before it answers.
    text_tokens : int, default 4000
        The most tokens, about, of each text; longer ones are cut and counted.
    soft : bool, default False
        Take the expected label under the probabilities of the answer's token.
    one_order : bool, default False
        Show each pair in one order, chosen by its digest, in place of both.
    seed : int, default 0
        Where the seeds of replicates begin.

    Examples
    --------
    >>> Asking(repeat=3).heat, Asking().heat
    (1.0, 0.0)
    """

    repeat: int = 1
    temperature: float | None = None
    max_tokens: int = 4096
    text_tokens: int = 4000
    soft: bool = False
    one_order: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("repeat", "max_tokens", "text_tokens"):
            if getattr(self, name) < 1:
                raise TruegainError(f"{argname(name, getattr(self, name))}: give a number of at least 1")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise TruegainError(f"{argname('temperature', self.temperature)}: give a number from 0 to 2")

    @property
    def heat(self) -> float:
        """The temperature that is asked for."""
        return (0.0 if self.repeat == 1 else 1.0) if self.temperature is None else self.temperature


class JudgedItem(NamedTuple):
    """One thing to judge: its columns in the output, and its texts by field; None where one is missing."""

    ids: Mapping[str, str]
    texts: Mapping[str, str] | None
    missing: tuple[str, ...] = ()  # the fields without a text


class Call(NamedTuple):
    """One item judged by one model at one time, in one order."""

    item: JudgedItem
    model: str
    replicate: int
    first: str  # of a pair: which is shown first, a or b; else empty

    @property
    def name(self) -> str:
        """What it is about, for people who look into the store."""
        return " | ".join((self.model, *self.item.ids.values(), str(self.replicate), *filter(None, [self.first])))


# ---- The items of a pool, with their texts.


PoolLike = PathLike | Mapping[str, Iterable[str]] | Sequence[tuple[str, ...]] | Rows  # {topic: docs}, or rows
TextsLike = PathLike | Mapping[str, str] | Mapping[tuple[str, str], str]  # by id; answers by topic and system
ROWS: dict[str, tuple[tuple[str, ...], ...]] = {  # the columns of rows that are given as tuples
    "documents": (("topic", "doc"),),
    "preferences": (("topic", "a", "b"),),
    "nuggets": (("topic", "nugget"), ("topic", "system", "nugget")),
    "claims": (("topic", "claim", "doc"), ("topic", "system", "claim", "doc")),
}


def read_items(pool: PoolLike, topics: TextsLike, docs: TextsLike, prompt: Prompt, depth: int = 10) -> list[JudgedItem]:
    """The items of a pool in its order, each once, with the texts that the prompt has fields for."""
    for name, texts, form in (("topics", topics, "{topic: text}"), ("docs", docs, "{doc: text}")):
        if not isinstance(texts, str | os.PathLike | Mapping):
            raise InputError(f"cannot read {an(texts)} as texts", file=name, hint=f"give a path, or a dict {form}")
    text_of = _topics(topics)
    if prompt.task == "documents" and isinstance(pool, str | os.PathLike):
        items = _documents(_pool_rows(pool, depth), text_of, docs)
    else:
        table = _Table.of(pool, prompt.task)
        if prompt.task == "documents":
            pairs = zip(table.ids(TOPIC, "topic"), table.ids(DOC, "doc"), strict=True)
            items = _documents(list(dict.fromkeys(pairs)), text_of, docs)
        else:
            make = {"preferences": _pairs, "nuggets": _nuggets, "claims": _claims}[prompt.task]
            items = make(table, text_of if "topic" in prompt.fields else None, docs)
    if not items:
        raise InputError("nothing to judge", file=_shown(pool, "pool"), hint="give at least one item")
    _tell_missing(items, topics, docs)
    return items


def _shown(source: PoolLike | TextsLike, name: str) -> str:
    """What messages call something that was given: its file, or the name of the argument."""
    return shown_path(source) if isinstance(source, str | os.PathLike) else name


def _topics(topics: TextsLike) -> Mapping[str, str]:
    """By topic its text."""
    if isinstance(topics, Mapping):
        return {str(name): text for name, text in topics.items()}
    faults: list[str] = []
    rows = [row.topic for row in read_topics(topics, faults)]
    refuse(faults)
    return {t.id: "\n".join(filter(None, [t.title, t.text, _what_counts(t)])) for t in rows}


def _what_counts(topic: Topic) -> str:
    """What a topic says of what counts as relevant, as a narrative does."""
    criteria = {"What counts": topic.counts, "What does not": topic.counts_not}
    return "\n".join(f"{what}: {text}" for what, text in criteria.items() if text)


def _tell_missing(items: Sequence[JudgedItem], topics: TextsLike, docs: TextsLike) -> None:
    lacking = [item for item in items if item.texts is None]
    if not lacking:
        return
    no_topic = list(dict.fromkeys(i.ids["topic"] for i in lacking if "topic" in i.missing))
    others = [(i.ids, field) for i in lacking for field in i.missing if field != "topic"]
    no_doc = list(
        dict.fromkeys(ids["doc" if field == "document" else field] for ids, field in others if field != "answer")
    )
    no_answer = list(dict.fromkeys(f"{ids['system']} to {ids['topic']}" for ids, field in others if field == "answer"))
    named = (("topics", no_topic, topics), ("documents or answers", no_doc, docs), ("answers of", no_answer, docs))
    where = ", ".join(
        f"{what} {some(names)} have none in {_shown(file, 'topics' if file is topics else 'docs')}"
        for what, names, file in named
        if names
    )
    first = ", ".join(f"{name} {value}" for name, value in lacking[0].ids.items())
    verb = "has" if len(lacking) == 1 else "have"
    problem = f"{counted(len(lacking), 'item')} of {len(items):,} {verb} no text (first: {first}); {where}"
    if len(lacking) == len(items):
        raise InputError(problem, hint="check that ids are written the same way in all files")
    warn(f"{problem}. They are not judged: their labels are empty, not 0")


def _item(ids: Mapping[str, str], texts: Mapping[str, str | None]) -> JudgedItem:
    there = {name: text for name, text in texts.items() if text}
    missing = tuple(name for name in texts if name not in there)
    return JudgedItem(ids, None if missing else there, missing)


def _topic_text(topics: Mapping[str, str] | None, topic: str) -> dict[str, str | None]:
    """The text of a topic; nothing where the prompt has no field for it."""
    return {} if topics is None else {"topic": topics.get(topic)}


def _pool_rows(pool: PathLike, depth: int) -> list[tuple[str, str]]:
    """The topics and documents of a file: of qrels, runs, lists and tables."""
    if formats.format_of_ending(os.fspath(pool)) is not None:
        table = _Table.of(pool, "documents")
        docs_named = {*DOC, *itertools.chain(*PAIRS)} & set(table.columns)
        if not set(TOPIC) & set(table.columns) or not docs_named:
            raise table.lacks("topic and doc", "name the columns topic and doc")
    try:
        rows = read_pool([pool], depth=depth).rows
    except InputError as error:
        if error.hint is None or "columns" not in error.hint:
            raise
        raise InputError(  # a pool needs no labels, and its columns are named in the file alone
            "this is neither a line of qrels or of a run nor a table that names its columns", file=error.file,
            line=error.line, row=error.row, text=error.text,
            hint="give qrels, a run, or a table with the columns topic and doc",
        ) from None  # fmt: skip
    if any(len(row.item.docs) != 1 for row in rows):
        raise InputError(
            "this pool has pairs of documents", file=shown_path(pool),
            hint=f"give a prompt for preferences ({arg('prompt', 'pairwise')}), or a pool of topic and doc",
        )  # fmt: skip
    return [(row.topic, row.item.docs[0]) for row in rows]


def _documents(rows: Sequence[tuple[str, str]], topics: Mapping[str, str], docs: TextsLike) -> list[JudgedItem]:
    texts = _texts(docs, {doc for _, doc in rows})
    return [
        _item({"topic": topic, "doc": doc}, {"topic": topics.get(topic), "document": texts.get(doc)})
        for topic, doc in rows
    ]


def _pairs(table: _Table, topics: Mapping[str, str] | None, docs: TextsLike) -> list[JudgedItem]:
    names = next((pair for pair in PAIRS if set(pair) <= set(table.columns)), None)
    if names is None:
        raise table.lacks("columns for a pair", "name them topic, a and b", "are")
    topic, a, b = table.ids(TOPIC, "topic"), table.ids(names[:1], names[0]), table.ids(names[1:], names[1])
    rows = list(dict.fromkeys(zip(topic, a, b, strict=True)))
    for t, x, y in rows:
        if x == y:
            raise InputError(f"topic {t} compares {x} with itself", file=table.file, hint="name two")
    answers = _by_system(docs)
    texts = {} if answers else _texts(docs, {*a, *b})

    def text(t: str, name: str) -> str | None:
        return answers.get((t, name)) if answers else texts.get(name)

    return [
        _item({"topic": t, "a": x, "b": y}, {**_topic_text(topics, t), "a": text(t, x), "b": text(t, y)})
        for t, x, y in rows
    ]


def _nuggets(table: _Table, topics: Mapping[str, str] | None, docs: TextsLike) -> list[JudgedItem]:
    table = table.one_a_row("nuggets", "nugget")
    topic, nugget = table.ids(TOPIC, "topic"), table.ids(("nugget", "nugget_text", "text"), "nugget")
    answers = _by_system(docs)
    if not answers:
        raise InputError(
            "answers need the columns topic, system and answer", file=_shown(docs, "docs"), hint="name them so"
        )
    if any(name in table.columns for name in SYSTEM):
        rows = list(zip(topic, table.ids(SYSTEM, "system"), nugget, strict=True))
    else:  # every answer is checked for every nugget of its topic
        systems: dict[str, list[str]] = {}
        for t, s in answers:
            systems.setdefault(t, []).append(s)
        rows = [(t, s, n) for t, n in zip(topic, nugget, strict=True) for s in systems.get(t, ())]
        if without := [t for t in topic if t not in systems]:
            warn(
                f"{counted(len(without), 'nugget')} of {len(topic):,} are not judged: {_shown(docs, 'docs')} has no "
                f"answer to topics {some(list(dict.fromkeys(without)))}"
            )
    return [
        _item({"topic": t, "system": s, "nugget": n},
              {**_topic_text(topics, t), "answer": answers.get((t, s)), "nugget": n})
        for t, s, n in dict.fromkeys(rows)
    ]  # fmt: skip


def _claims(table: _Table, topics: Mapping[str, str] | None, docs: TextsLike) -> list[JudgedItem]:
    columns = {"topic": table.ids(TOPIC, "topic")}
    if any(name in table.columns for name in SYSTEM):
        columns["system"] = table.ids(SYSTEM, "system")
    columns |= {"claim": table.ids(("claim", "statement"), "claim"), "doc": table.ids(DOC, "doc")}
    texts = _texts(docs, set(columns["doc"]))
    rows = dict.fromkeys(zip(*columns.values(), strict=True))
    made = [dict(zip(columns, row, strict=True)) for row in rows]
    return [
        _item(ids, {**_topic_text(topics, ids["topic"]), "claim": ids["claim"], "document": texts.get(ids["doc"])})
        for ids in made
    ]


@dataclass(frozen=True)
class _Table:
    """A pool with named columns."""

    columns: Mapping[str, list[Any]]
    file: str

    @classmethod
    def of(cls, pool: PoolLike, task: str) -> _Table:
        """From a file, or from rows that are given."""
        if is_rows(pool):
            return cls._of_table(opened(pool), "pool")
        if not isinstance(pool, str | os.PathLike):
            return cls._of_rows(pool, task)
        known = formats.format_of_ending(os.fspath(pool))
        text, kind, file = loaded(pool) if known is None else (read_bytes(pool), known.name, shown_path(pool))
        if kind in (None, "nested"):
            raise InputError("the columns are not named", file=file, hint="give a table: CSV, TSV or JSONL")
        return cls._of_table(formats.read(text, kind, file), file)

    @classmethod
    def _of_table(cls, table: RawTable | Frame, file: str) -> _Table:
        columns: dict[str, list[Any]] = {}
        for at, name in enumerate(table.columns):
            cells = table.column(at)
            columns.setdefault(plain_name(str(name)), unguarded(table, cells) if is_guarded(table) else list(cells))
        return cls(columns, file)

    @classmethod
    def _of_rows(cls, pool: Mapping[str, Iterable[str]] | Sequence[Any], task: str) -> _Table:
        rows = [(t, d) for t, docs in pool.items() for d in docs] if isinstance(pool, Mapping) else list(pool)
        cells = [row if isinstance(row, list | tuple) else () for row in rows]
        names = next((names for names in ROWS[task] if all(len(row) == len(names) for row in cells)), None)
        if names is None:
            wanted = " or ".join(f"({', '.join(names)})" for names in ROWS[task])
            raise InputError(
                f"rows for {task} should be {wanted}", file="pool", hint="give a file, a list of dicts, or such tuples"
            )
        return cls({name: [row[at] for row in rows] for at, name in enumerate(names)}, "pool")

    def one_a_row(self, several: str, one: str) -> _Table:
        """The table with a row for each of several that a cell lists, as {"text": ...} or as text."""
        if several not in self.columns or one in self.columns:
            return self
        cells = [x if isinstance(x, list) else [x] for x in self.columns[several]]
        at = [row for row, listed in enumerate(cells) for _ in listed]
        texts = [x.get("text") if isinstance(x, Mapping) else x for listed in cells for x in listed]
        others = {name: [column[row] for row in at] for name, column in self.columns.items() if name != several}
        return _Table({**others, one: texts}, self.file)

    def ids(self, names: Iterable[str], ours: str) -> list[str]:
        """A column by any of its names; every row must have something in it."""
        name = next((n for n in names if n in self.columns), None)
        if name is None:
            raise self.lacks(f"column {ours}", f"name one {ours}")
        cells = [word(x) for x in self.columns[name]]
        if "" in cells:
            raise InputError(f"{ours} is missing", file=self.file, row=cells.index("") + 1, hint="fill in the cell")
        return cells

    def lacks(self, what: str, hint: str, verb: str = "is") -> InputError:
        """The error on a column that is not there."""
        return InputError(f"there {verb} no {what} among {', '.join(self.columns)}", file=self.file, hint=hint)


def _texts(docs: TextsLike, wanted: set[str]) -> dict[str, str]:
    """By document its text, with its title above it."""
    if isinstance(docs, Mapping):
        return {str(name): text for name, text in docs.items()}
    faults: list[str] = []
    documents = read_documents(docs, faults, wanted)
    refuse(faults)
    return {d.id: "\n".join(filter(None, [d.title, d.text])) for d in documents.values()}


def _by_system(docs: TextsLike) -> dict[tuple[str, str], str]:
    """By topic and system its answer; nothing where rows name no systems."""
    if isinstance(docs, Mapping):
        return {(str(key[0]), str(key[1])): text for key, text in docs.items() if isinstance(key, tuple)}
    faults: list[str] = []
    answers: dict[tuple[str, str], str] = {}
    nameless, first = 0, None
    for row in rows_of(docs, faults, names=DOC_COLUMNS):
        values = {plain_name(name): value for name, value in row.values.items()}
        system = next((word(values[n]) for n in SYSTEM if word(values.get(n))), "")
        topic = next((word(values[n]) for n in (*TOPIC, *TOPIC_ID) if word(values.get(n))), "")
        if not system:
            nameless, first = nameless + 1, first or row
        elif not topic:
            faults.append(str(_place("an answer without a topic", docs, row)))
        elif (topic, system) in answers:
            faults.append(str(_place(f"a second answer of {system} to topic {topic}", docs, row)))
        else:
            answers[topic, system] = next((t for t in (_answer(values.get(n)) for n in ANSWER) if t), "")
    if answers and first is not None:  # else they are documents
        faults.insert(0, str(_place(f"{counted(nameless, 'answer')} without a system, the first here", docs, first)))
    refuse(faults)
    return answers


def _place(problem: str, docs: PathLike, row: FileRow) -> InputError:
    return InputError(problem, file=shown_path(docs), line=row.line, hint="give each one topic, system and answer once")


def _answer(value: Any) -> str:
    """The text of an answer, which may come in sentences."""
    if isinstance(value, list):
        return " ".join(filter(None, (word(x.get("text") if isinstance(x, Mapping) else x) for x in value)))
    return word(value)


# ---- Calls: every item, model, time of asking and order.


@dataclass(frozen=True)
class CallPlan:
    """All calls of a run, in the order of the output."""

    items: Sequence[JudgedItem]
    prompt: Prompt
    models: Sequence[str]
    url: str
    asking: Asking = field(default_factory=Asking)

    def __post_init__(self) -> None:
        if len(set(self.models)) < len(self.models) or not all(self.models):
            raise TruegainError(f"{argname('model')}: name each model once")
        if self.asking.soft and self.prompt.numbers is None:
            raise TruegainError(
                f"{argname('soft')}: soft labels are expected numbers, and the labels of the prompt {self.prompt.name} "
                f"are words; leave it out, or give a prompt such as {arg('prompt', 'graded')}"
            )

    def __len__(self) -> int:
        return len(self.items) * len(self.models) * self.asking.repeat * self.orders

    @property
    def orders(self) -> int:
        """In how many orders a pair is shown."""
        return 2 if self.prompt.task == "preferences" and not self.asking.one_order else 1

    def calls(self) -> Iterator[Call]:
        """Item after item; of each every model, every time of asking, every order."""
        times = range(1, self.asking.repeat + 1)
        for item, model, replicate in itertools.product(self.items, self.models, times):
            for first in self._orders(item):
                yield Call(item, model, replicate, first)

    def requests(self) -> Iterator[tuple[int, Call]]:
        """The calls with their places, without those that say the same as one before: these take its answer."""
        return ((at, call) for at, call in enumerate(self.calls()) if self.first_alike(at) == at)

    @property
    def distinct(self) -> int:
        """How many calls say what none before them says."""
        return sum(at == first for at, first in enumerate(self._alike)) * len(self.models) * self.asking.repeat

    def first_alike(self, at: int) -> int:
        """The place of the first call with the same request as the call at a place, often its own."""
        of_item, order = len(self.models) * self.asking.repeat * self.orders, at % self.orders
        item = at // of_item
        first_item, first_order = divmod(self._alike[item * self.orders + order], self.orders)
        return at + (first_item - item) * of_item + first_order - order

    @cached_property
    def _alike(self) -> Sequence[int]:
        """By item and order the first that says the same, as where two systems make one claim of one document."""
        first: dict[tuple[str | bytes, ...], int] = {}
        shown = [Call(item, "", 1, order) for item in self.items for order in self._orders(item)]
        return [at if c.item.texts is None else first.setdefault(self._said(c), at) for at, c in enumerate(shown)]

    def _said(self, call: Call) -> tuple[str | bytes, ...]:
        """What identifies the messages of a call, however it is asked: the texts in them, or digests of these."""
        said = list[str | bytes]()
        for name, text in self._texts(call).items():
            if name in self.prompt.fields:
                cut = cut_to(text, self.asking.text_tokens)
                said.append(text if cut is text and text.isascii() else key_of(cut))
        return tuple(said)

    def _orders(self, item: JudgedItem) -> tuple[str, ...]:
        if self.prompt.task != "preferences":
            return ("",)
        if self.asking.one_order:  # by its digest, so that neither side is first by habit
            return ("a",) if key_of(*item.ids.values())[0] % 2 else ("b",)
        return ("a", "b")

    def messages(self, call: Call, way: Way) -> tuple[list[dict[str, str]], int]:
        """What a call says, and how many of its texts were cut."""
        return self.prompt.render(self._texts(call), way, self.asking.text_tokens)

    def _texts(self, call: Call) -> Mapping[str, str]:
        """The texts of a call by field, of a pair in the order of the call."""
        texts = call.item.texts or {}
        return {**texts, "a": texts["b"], "b": texts["a"]} if call.first == "b" else texts

    def body(self, call: Call, way: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
        """The body of a request, and how many of its texts were cut.

        way: as it was tried out; 'way' says how the answer is asked for, 'without' which parameters the model does not
        take, 'limit' what it calls the limit of tokens, 'most' a lower limit where it takes no higher one.
        """
        messages, cuts = self.messages(call, way["way"])
        labels = list(self.prompt.labels)
        parameters: dict[str, Any] = {
            "temperature": self.asking.heat,
            way.get("limit", "max_tokens"): way.get("most", self.asking.max_tokens),
            "seed": self.asking.seed + call.replicate,
        }
        if way["way"] == "schema":
            schema = {
                "type": "object", "properties": {"label": {"type": "string", "enum": labels}}, "required": ["label"],
                "additionalProperties": False,
            }  # fmt: skip
            named = {"name": "judgment", "strict": True, "schema": schema}
            parameters["response_format"] = {"type": "json_schema", "json_schema": named}
        if way["way"] == "choice":
            parameters |= only(labels)
        if self.asking.soft:
            parameters |= {"logprobs": True, "top_logprobs": way.get("top", 20)}
        without = way.get("without", ())
        kept = {name: value for name, value in parameters.items() if name not in without}
        return {"model": call.model, "messages": messages, **kept}, cuts

    @cached_property
    def host(self) -> str:
        """The server's name in keys of answers."""
        return host_alias(self.url)

    def key(self, call: Call, body: Mapping[str, Any]) -> bytes:
        """What identifies a call in the store; model, parameters and messages are in the body."""
        return self.key_of_text(call, in_json(body))

    def key_of_text(self, call: Call, text: bytes) -> bytes:
        """What identifies a call in the store, by its body as JSON."""
        return key_of(self.host, self.prompt.digest, call.replicate, text)

    def ways(self) -> tuple[Way, ...]:
        """How an answer may be asked for, the best first."""
        return ("choice", "word") if self.asking.soft else ("schema", "choice", "line")

    def way_name(self, model: str) -> str:
        """What the way of a model is kept under."""
        kind = "soft label" if self.asking.soft else "label"
        return " ".join((host_alias(self.url), model, self.prompt.digest, kind, str(self.asking.max_tokens)))


def only(labels: Sequence[str]) -> dict[str, Any]:
    r"""What has a server answer with nothing but a label, under every name that servers have for it.

    vLLM calls it `structured_outputs` (before 0.12 `guided_choice`), llama.cpp takes a grammar; each leaves out names
    that it does not know, and a server that refuses them is asked in another way.

    >>> only(["1", "0"])["structured_outputs"], only(["1", "0"])["grammar"]
    ({'choice': ['1', '0']}, 'root ::= "1" | "0"')
    """
    quoted = " | ".join(json.dumps(label, ensure_ascii=False) for label in labels)
    return {
        "structured_outputs": {"choice": list(labels)}, "guided_choice": list(labels), "grammar": f"root ::= {quoted}",
    }  # fmt: skip


def tokens_in(body: Mapping[str, Any]) -> int:
    """About how many tokens a request has."""
    return sum(about_tokens(m["content"]) + OVERHEAD for m in body["messages"])


def attempt_body(body: Mapping[str, Any], attempt: int) -> Mapping[str, Any]:
    """The body of a request that is asked again, with a seed of its own."""
    return {**body, "seed": body["seed"] + SEEDS * attempt} if attempt and "seed" in body else body
