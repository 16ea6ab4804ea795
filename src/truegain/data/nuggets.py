"""Nuggets: which facts each answer supports, as `Items` whose weights tell how important they are."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from truegain.data.item_reading import joined
from truegain.data.items import Items
from truegain.errors import InputError, an, counted, some, warn
from truegain.io import formats
from truegain.io.columns import frozen
from truegain.io.files import PathLike, file_name
from truegain.io.logs.log import OK, Log, Row, ScoreRange
from truegain.io.logs.records import UNNAMED
from truegain.io.nugget_files import OKAY, SCORE, UNKNOWN, VITAL, NuggetFile, NuggetRow, read_nugget_file

WORDS = {VITAL: "vital", OKAY: "okay", UNKNOWN: "unknown"}
NOT_ASSIGNED = "not assigned"
NuggetsLike = PathLike | Iterable[PathLike]


@dataclass(eq=False)
class NuggetBank:
    """The nuggets of each topic, by all their names, and how important each is.

    Attributes
    ----------
    nuggets : dict
        By topic, the names of its nuggets and what each weighs: 1 for vital, .5 for okay, 0 where that is unknown.
    """

    nuggets: dict[str, dict[str, float]] = field(default_factory=dict)
    _names: dict[tuple[str, str], str] = field(default_factory=dict)  # of a nugget by its id or its text
    _told: dict[tuple[str, str], str] = field(default_factory=dict)  # where its importance was read

    def add(self, file: str, row: NuggetRow) -> str:
        """Put in a nugget, and what is known of its importance; its name."""
        name = self._names.get((row.topic, row.nugget)) or self._names.get((row.topic, row.other)) or row.nugget
        for text in (row.nugget, row.other):
            self._names.setdefault((row.topic, text), name)
        known = self.nuggets.setdefault(row.topic, {})
        if row.weight is None or (row.weight == UNKNOWN and name in known):
            known.setdefault(name, UNKNOWN)
            return name
        before = self._told.setdefault((row.topic, name), f"line {row.line} of {file}")
        if known.setdefault(name, row.weight) != row.weight and known[name] != UNKNOWN:
            raise InputError(
                f"nugget {name!r} of topic {row.topic} is {WORDS[row.weight]} here and {WORDS[known[name]]} in "
                f"{before}",
                file=file, line=row.line or None, hint="a nugget has one importance; keep one of the two",
            )  # fmt: skip
        known[name] = row.weight
        return name

    def name_of(self, file: str, row: NuggetRow) -> str:
        """The name of a nugget that must be known."""
        name = self._names.get((row.topic, row.nugget)) or self._names.get((row.topic, row.other))
        if name is None:
            there = list(self.nuggets.get(row.topic, ()))
            have = f"it has {some(there)}" if there else "it has none"
            raise InputError(
                f"{row.nugget!r} is not a nugget of topic {row.topic}; {have}", file=file, line=row.line or None,
                hint="use the same names of nuggets and topics in all files",
            )  # fmt: skip
        return name


def read_nuggets(data: NuggetsLike, *, names: Sequence[str] | None = None) -> Items:
    """Read nuggets and which of them each answer supports.

    Parameters
    ----------
    data : path-like or iterable of path-like
        Tables with the columns qid, nugget and importance (vital or okay), and with qid, system, nugget, assignment
        (support, partial_support or not_support) and assessor; or files that nuggetizer wrote, a record an answer,
        which have both, and whose assignments are a model's unless they name an assessor.  JSONL, JSON, CSV, TSV or
        Parquet.
    names : sequence of str, optional
        The system of each file of assignments that does not name it.

    Returns
    -------
    Items
        The score is 'support': 1, .5 for partial support, 0.  Weights are 1 for vital and .5 for okay nuggets, 0 where
        importance is unknown.  What a judge failed to assign is missing.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> record = {"qid": "q1", "run_id": "a", "nuggets": [
    ...     {"text": "it rains", "importance": "vital", "assignment": "partial_support"},
    ...     {"text": "it snows", "importance": "okay", "assignment": "failed"}]}
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.jsonl"
    >>> _ = path.write_text(json.dumps(record))
    >>> items = read_nuggets(path)
    >>> items.value.tolist(), items.weight.tolist(), items.missing("support")
    ([0.5, nan], [1.0, 0.5], {'a': {'failed': 1}})
    """
    several = isinstance(data, Iterable) and not isinstance(data, str | os.PathLike | Mapping)
    paths: list[Any] = list(cast("Iterable[Any]", data)) if several else [data]
    if not paths or not all(isinstance(path, str | os.PathLike) for path in paths):
        what = an(data) if paths else "an empty list"
        raise InputError(f"cannot read {what} as nuggets", hint="give a path, or a list of paths")
    files = [read_nugget_file(os.fspath(path)) for path in paths]
    banks, assigned = [f for f in files if not f.assigns], [f for f in files if f.assigns]
    if not assigned:
        raise InputError(
            "these files list the nuggets, but not which of them the answers support",
            file=some([f.file for f in files]),
            hint="add the assignments: a table with the columns qid, system, nugget and assignment",
        )  # fmt: skip
    bank = NuggetBank()
    for file in banks or assigned:
        for row in file.rows:
            bank.add(file.file, row)
    logs = [_log(file, bank, bool(banks)) for file in assigned]
    items = replace(joined(logs, names), are_nuggets=True)
    _tell_unknown(bank, items)
    return items


def _log(file: NuggetFile, bank: NuggetBank, is_given: bool) -> Log:
    """The assignments of a file, and as missing those that an answer lacks."""
    rows: list[Row] = []
    there: dict[tuple[str, str], set[str]] = {}
    for row in file.rows:  # importance first: what a nugget weighs does not depend on the order of rows
        bank.name_of(file.file, row)
        if is_given and row.weight is not None:
            bank.add(file.file, row)
    for row in file.rows:
        name = bank.name_of(file.file, row)
        seen = there.setdefault((row.system, row.topic), set())
        if row.support is None:
            continue
        seen.add(name)
        by_model = file.is_nuggetizers and not row.judge
        rows.append(_row(row._replace(judge=UNNAMED) if by_model else row, name, bank))
    for (system, topic), seen in there.items():
        for name in bank.nuggets[topic]:
            if name not in seen:
                blank = NuggetRow(topic, name, name, system=system, support=math.nan)
                rows.append(_row(blank, name, bank, NOT_ASSIGNED))
    named = {"file": formats.system_name(file.file)}
    models = file.models | {UNNAMED} if file.is_nuggetizers else file.models
    return Log(file.file, "", rows, named, scales={SCORE: ScoreRange(0.0, 1.0)}, models=models)


def _row(row: NuggetRow, name: str, bank: NuggetBank, why: str = "failed") -> Row:
    assert row.support is not None
    return Row(
        row.topic, SCORE, row.support, row.system, name, bank.nuggets[row.topic][name], row.judge, row.replicate,
        OK if row.support == row.support else why, row.line,
    )  # fmt: skip


def _tell_unknown(bank: NuggetBank, items: Items) -> None:
    weights = [weight for topic in items.topics for weight in bank.nuggets[topic].values()]
    unknown = weights.count(UNKNOWN)
    if 0 < unknown < len(weights):
        warn(
            f"{items.source}: the importance of {counted(unknown, 'nugget')} of {len(weights)} is unknown: they count "
            "in A, and are left out of V and W"
        )


def gold_nuggets(data: Any, items: Items) -> tuple[Items, bool]:
    """What people assigned to some of the same nuggets, and whether they judged their importance again.

    Parameters
    ----------
    data : path-like, list of path-like or Items
        As `read_nuggets` takes it; importance may be left out.
    items : Items
        What the judge assigned.

    Returns
    -------
    gold : Items
        With the importance that people gave; where they gave none, that of the judge.
    again : bool
        Whether the importance of some nugget is another one.
    """
    ours = weights_of(items)
    if isinstance(data, Items):
        keys = zip(data.topic.strings(), data.item.strings(), strict=True)
        theirs = weights_of(data)
        again = any(ours.get(key, weight) != weight for key, weight in theirs.items() if weight != UNKNOWN)
        weights = np.array([theirs[key] or ours.get(key, UNKNOWN) for key in keys], np.float64)
        return replace(data, weight=frozen(weights)), again
    several = isinstance(data, Iterable) and not isinstance(data, str | os.PathLike)
    paths = list(data) if several else [data]
    if not paths or not all(isinstance(path, str | os.PathLike) for path in paths):
        raise InputError(f"cannot read {an(data)} as gold labels of nuggets", hint="give a path, or a list of paths")
    files = [read_nugget_file(file_name(path)) for path in paths]
    bank = NuggetBank()
    for (topic, name), weight in ours.items():
        bank.add(items.source, NuggetRow(topic, name, name, weight))
    people, logs = NuggetBank(), []
    for file in files:
        rows = []
        for row in file.rows:
            if row.topic not in bank.nuggets:
                raise InputError(
                    f"topic {row.topic} is not in {items.source}", file=file.file, line=row.line or None,
                    hint=f"use the same topic names: {some(items.topics)}",
                )  # fmt: skip
            name = bank.name_of(file.file, row)
            if row.weight is not None:
                people.add(file.file, row._replace(nugget=name, other=name))
            if row.support is not None:
                rows.append(_row(row, name, bank))
        logs.append(Log(file.file, "", rows, {"file": formats.system_name(file.file)}, models=frozenset()))
    is_theirs = len(items.systems) == len(logs) == 1 and any(not row.system for row in logs[0].rows)
    gold = joined(logs, list(items.systems) if is_theirs else None)  # rows without a system are of the only one
    theirs = {(topic, name): weight for topic, of in people.nuggets.items() for name, weight in of.items()}
    keys = zip(gold.topic.strings(), gold.item.strings(), strict=True)
    weights = np.array([theirs.get(key, ours[key]) for key in keys], np.float64)
    again = any(ours[key] != weight for key, weight in theirs.items() if weight != UNKNOWN)
    return replace(gold, weight=frozen(weights)), again


def weights_of(items: Items) -> Mapping[tuple[str, str], float]:
    """What each nugget weighs, by topic and name."""
    keys = zip(items.topic.strings(), items.item.strings(), strict=True)
    return dict(zip(keys, items.weight.tolist(), strict=True))
