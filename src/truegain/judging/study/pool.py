"""What is to be judged: pairs of topic and document from qrels, runs, lists of `plan labels` and `holes`, or our own.

The order is kept, and with it the probability with which each was drawn.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from truegain.errors import InputError
from truegain.judging.study.rows import word
from truegain.judging.tasks.material import Item
from truegain.tables import tabular
from truegain.tables.gold_list_read import MARKS, gold_list_of
from truegain.tables.judgments import CHOSEN, NEXT, Judgments
from truegain.tables.named import Columns, is_guarded, unguarded
from truegain.tables.raw import BEIR, plain_name
from truegain.tables.read import loaded
from truegain.tables.run import ordered_columns
from truegain.tables.runs import Runs, read_runs
from truegain.tables.separated import first_line
from truegain.tables.sources import PathLike, expand, read_bytes, shown_path

TOPIC = tabular.COLUMNS["topic"]
DOC = (*tabular.COLUMNS["doc"], "docs", "passage", "cited")
PAIRS = (("doc_a", "doc_b"), ("left", "right"), ("first", "second"))
LABEL = tabular.COLUMNS["label"]


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
        said: dict[str, Any] = {"topic": self.topic, **docs}
        if item.probability != 1:
            said["probability"] = item.probability
        more = {
            "label": self.label, "claim": item.claim or None, "answer": item.answer or None,
            CHOSEN: item.chosen or None,
        }  # fmt: skip
        said |= {name: value for name, value in more.items() if value is not None}
        return json.dumps(said, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class JudgingPool:
    """Rows in the order to judge; `gold_list` is the file of a list that knows its design, where that was given."""

    rows: tuple[PoolRow, ...]
    gold_list: str = ""

    def by_topic(self) -> dict[str, list[PoolRow]]:
        """The rows of each topic."""
        found: dict[str, list[PoolRow]] = {}
        for row in self.rows:
            found.setdefault(row.topic, []).append(row)
        return found


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
        elif (found := _file(name, lists)) is None:
            runs.append(name)
        else:
            rows += found
    if runs:
        rows += _of_runs(read_runs(runs), depth)
    if len(lists) > 1:
        raise InputError(f"{lists[0]} and {lists[1]} are both lists that were drawn", hint="give one of them")
    return JudgingPool(tuple(_once(rows)), lists[0] if lists else "")


def _file(name: str, lists: list[str]) -> list[PoolRow] | None:
    """The rows of one file; None where it is a run."""
    pairs: tabular.Kind | None = _names_pairs(name)
    text, kind, file = loaded(name) if pairs is None else (read_bytes(name), pairs, shown_path(name))
    if kind is None:
        return None if len(first_line(text).split()) >= 6 else _of_judgments(Judgments.of(name))
    if kind == "nested":
        return _of_judgments(Judgments.of(name))
    table = tabular.read(text, kind, file)
    names = [plain_name(str(n)) for n in table.columns]
    if set(names) == BEIR and Columns(table, file).found["label"]:
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
    places = table.places if isinstance(table, tabular.RawTable) else None
    columns = {n: table.column(i) for i, n in enumerate(names)}
    if is_guarded(table):
        ids = {*TOPIC, *DOC, *(n for pair in PAIRS for n in pair)}
        columns |= {n: unguarded(table, column) for n, column in columns.items() if n in ids}
    count = len(next(iter(columns.values()), []))
    made = []
    for at in range(count):
        where: dict[str, Any] = {"file": file, **(places.of(at) if places else {"row": at + 1})}
        made.append(_row({n: column[at] for n, column in columns.items()}, where))
    return made


def _names_pairs(name: str) -> tabular.Kind | None:
    """The kind of a table whose first line names two documents; None for all else."""
    suffix = tabular.ending(name)
    if suffix not in (".csv", ".tsv"):
        return None
    top = {cell.strip().strip('"').lower() for cell in re.split("[,;\t]", first_line(read_bytes(name)))}
    return ("csv" if suffix == ".csv" else "tsv") if any(set(pair) <= top for pair in PAIRS) else None


def _row(values: Mapping[str, Any], where: Mapping[str, Any]) -> PoolRow:
    """A row of a table with named columns."""
    topic = next((word(values[n]) for n in TOPIC if word(values.get(n))), "")
    docs: tuple[str, ...] = ()
    for pair in PAIRS:
        if all(word(values.get(n)) for n in pair):
            docs = tuple(word(values[n]) for n in pair)
    if not docs:
        one = next((values[n] for n in DOC if values.get(n) not in (None, "")), "")
        docs = tuple(map(word, one)) if isinstance(one, list) else tuple(filter(None, [word(one)]))
    if not topic or not docs or not all(docs):
        raise InputError("a row without topic or document", **where, hint="give both, or take the row out")
    label = next((values[n] for n in LABEL if word(values.get(n))), None)
    probability = _number("probability", values.get("probability", 1), where)
    if probability is None:
        probability = 1.0
    if not 0 < probability <= 1:
        raise InputError(f"probability is {probability:g}", **where, hint="give a number above 0 and at most 1")
    asked = NEXT if word(values.get(CHOSEN)) == NEXT else ""
    item = Item(docs, probability, word(values.get("claim")), word(values.get("answer")), asked)
    return PoolRow(topic, item, _number("label", label, where))


def _number(name: str, value: Any, where: Mapping[str, Any]) -> float | None:
    if not word(value):
        return None
    found = tabular.number_of(value)
    if found is None or not math.isfinite(found):
        raise InputError(f"{name} is not a number", **{**where, "text": str(value)})
    return found


def _of_judgments(table: Judgments) -> list[PoolRow]:
    rows = zip(table.topic.strings(), table.docs.strings(), table.label.tolist(), strict=True)
    return [PoolRow(topic, Item((doc,)), label) for topic, doc, label in rows]


def _of_runs(runs: Runs, depth: int) -> list[PoolRow]:
    """Documents down to a depth of any run, those of the best ranks first."""
    found: list[tuple[int, int, str, str]] = []
    for number, part in enumerate(runs.parts):
        columns = ordered_columns(part)
        rows = zip(columns["rank"].tolist(), columns["topic"], columns["doc"], strict=True)
        found += [(rank, number, topic, doc) for rank, topic, doc in rows if rank <= depth]
    return [PoolRow(topic, Item((doc,))) for _, _, topic, doc in sorted(found, key=lambda x: x[:2])]


def _once(rows: Iterable[PoolRow]) -> list[PoolRow]:
    """Each item of a topic once, at its first place, with the larger probability; labels that differ are refused."""
    found: dict[tuple[str, str], PoolRow] = {}
    for row in rows:
        key = row.topic, row.item.key
        there = found.setdefault(key, row)
        if there is row:
            continue
        if there.label is not None and row.label not in (None, there.label):
            raise InputError(
                f"topic {row.topic}, document {row.item.key} has the labels {there.label:g} and {row.label:g}",
                hint="decide which one counts",
            )
        item = replace(
            there.item, probability=max(there.item.probability, row.item.probability),
            chosen=there.item.chosen if row.item.chosen else "",
        )  # fmt: skip
        found[key] = replace(there, item=item, label=row.label if there.label is None else there.label)
    return list(found.values())


def write_pool(rows: Iterable[PoolRow]) -> bytes:
    """Rows as `pool.jsonl` has them."""
    return "".join(row.line() for row in rows).encode()
