"""Items: values that judges gave to answers, or to their claims, citations and nuggets; a row each."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from truegain.data.rating_columns import says_missing
from truegain.data.scores import ALL_TOPICS
from truegain.errors import InputError, TruegainError, counted, some, there_are
from truegain.io import formats, named_tables
from truegain.io.columns import Coded, Floats, Ints, frozen
from truegain.io.files import PathLike, can_be_read_again, pieces_of, shown_path
from truegain.io.frames import TableLike, is_frame, opened
from truegain.io.logs.log import OK, Log, Row, ScoreRange, ToolMean
from truegain.io.named_tables import Columns, is_missing
from truegain.io.nugget_files import MODEL_COLUMNS
from truegain.io.warnings import warn
from truegain.message import arg, argname
from truegain.results.base import Lines

COLUMNS = ("system", "topic", "item", "score", "value", "weight", "judge", "replicate", "status")
# Names of columns in tables that are no log of a tool, the first one ours.
NAMES: dict[str, tuple[str, ...]] = {
    "system": ("system", "run", "run_id", "system_id", "model_name", "pipeline", "variant"),
    "topic": ("topic", "topic_id", "query_id", "qid", "sample", "sample_id", "question_id", "id", "query", "question",
              "user_input", "input"),
    "item": ("item", "claim", "claim_id", "nugget", "nugget_id", "citation", "statement"),
    "score": ("score_name", "measure", "metric", "scorer"),
    "value": ("value", "score", "label", "rating", "gain"),
    "weight": ("weight", "importance"),
    "judge": ("judge", "assessor", "annotator", "judge_model", "grader"),
    "replicate": ("replicate", "epoch", "repeat", "trial"),
}  # fmt: skip
NUMBERS_MAY_BE_SCORES = ("claim", "nugget", "citation", "statement")  # columns of items, unless of numbers
LOG_ENDINGS = (".eval", ".json", ".jsonl", ".ndjson", ".csv")  # of files that may be logs
UNEQUAL, P_UNEQUAL = 0.02, 0.05  # a difference between shares of missing values that is told, and a p-value of one
SAME = 1e-9  # by which a mean may differ from the tool's own


@dataclass(frozen=True, eq=False, repr=False)
class Items(Lines):
    """Values of answers, or of their claims, citations and nuggets: one row for each system, topic, item and judge.

    An answer that was scored as a whole has one item, without a name.  Items belong to one system: the label of an
    answer is never shared between systems.  A value that failed is missing, never 0.  Make one with `read_items`.

    Attributes
    ----------
    system, topic, score : Coded
        Of each row: whose answer, to which sample or question, and which score; ``.strings()`` lists them.
    item : Coded
        The claim, citation or nugget; empty for the answer as a whole.
    value : ndarray of float
        NaN where there is none.
    weight : ndarray of float
        What the item counts among those of its answer.
    judge : Coded
        The model or person who gave the value; empty for a rule, or where nobody says.
    replicate : ndarray of int
        The epoch, repeat or trial, from 1.
    status : Coded
        'ok', or why there is no value.
    clusters : mapping of str to mapping of str to str
        By column, such as 'metadata.topic', what each topic has there.
    scales : mapping of str to ScoreRange
        Between which values a score lies, and whether less is better, where that is known.
    means : tuple of ToolMean
        What the tools themselves printed.
    source : str
        The files.
    notes : tuple of str
        What must be said of the files.
    models : frozenset of str
        The judges that are language models.
    cluster : mapping of str to str or None
        The cluster of each topic, where these are sampled in clusters; see `clustered`.
    are_nuggets : bool
        Whether items are nuggets, weights their importance, and values how far answers support them.
    no_clusters : mapping of str to str
        Why other columns group no topics.
    made : mapping
        Tools, versions, judges: how the values were made.

    Notes
    -----
    Columns of `frame`: those of a row.

    Examples
    --------
    >>> import truegain as tg
    >>> items = tg.read_items({"faithfulness": {"old": {"q1": 0.5, "q2": 1.0}, "new": {"q1": 1.0, "q2": None}}})
    >>> items.scores, items.systems, items.missing("faithfulness")
    (('faithfulness',), ('old', 'new'), {'new': {'missing': 1}})
    """

    system: Coded
    topic: Coded
    item: Coded
    score: Coded
    value: Floats
    weight: Floats
    judge: Coded
    replicate: Ints
    status: Coded
    clusters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    scales: Mapping[str, ScoreRange] = field(default_factory=dict)
    means: tuple[ToolMean, ...] = ()
    source: str = "items"
    notes: tuple[str, ...] = ()
    models: frozenset[str] = frozenset()
    cluster: Mapping[str, str] | None = None
    made: Mapping[str, object] = field(default_factory=dict)
    are_nuggets: bool = False
    no_clusters: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.value)

    def in_short(self) -> str:
        """How many values, of how many systems, topics and scores."""
        parts = [(self.systems, "system"), (self.topics, "topic"), (self.scores, "score")]
        return ", ".join([counted(len(self), "value"), *(counted(len(names), unit) for names, unit in parts)])

    def columns_of(self, most: int | None = None) -> Mapping[str, Any]:
        """The columns by name.

        Parameters
        ----------
        most : int, optional
            Only the first so many rows.

        Returns
        -------
        mapping of str to sequence
            One value a row; None where a value is missing.
        """
        part = self if most is None else self.take(np.arange(min(most, len(self))))
        columns: dict[str, Any] = {}
        for name in COLUMNS:
            column = getattr(part, name)
            columns[name] = column.strings() if isinstance(column, Coded) else column.tolist()
        columns["value"] = [None if math.isnan(value) else value for value in columns["value"]]
        return columns

    @property
    def provenance(self) -> Mapping[str, object]:
        """The files, and what their tools say of how the values were made."""
        return {"source": self.source, **self.made}

    @classmethod
    def of_rows(cls, rows: Sequence[Row], **about: Any) -> Items:
        """From rows, each with its system.

        Parameters
        ----------
        rows : sequence of Row
            In the order in which systems, topics and scores shall stand.
        **about
            Other attributes: `clusters`, `scales`, `means`, `source`, `notes`, `made`.

        Returns
        -------
        Items
            The table.
        """
        if not rows:
            raise InputError("there are no values", file=about.get("source"), hint="give a log with samples")
        of = {name: [getattr(row, name) for row in rows] for name in Row._fields}
        text: dict[str, Any] = {
            name: Coded.of(of[name]) for name in ("system", "topic", "item", "score", "judge", "status")
        }
        value, weight = (frozen(np.array(of[name], np.float64)) for name in ("value", "weight"))
        return cls(**text, value=value, weight=weight, replicate=frozen(np.array(of["replicate"], np.int64)), **about)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order in which they were read."""
        return self.system.values

    @property
    def topics(self) -> tuple[str, ...]:
        """The samples or questions."""
        return self.topic.values

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of the scores."""
        return self.score.values

    def judged_by(self, model: str) -> Items:
        """The same values, all given by one language model.

        Parameters
        ----------
        model : str
            The model.

        Returns
        -------
        Items
            A study of it claims nothing until people have checked some values.
        """
        return replace(self, judge=Coded.of([model] * len(self)), models=frozenset([model]))

    @property
    def judges(self) -> tuple[str, ...]:
        """Who gave values, where that is known."""
        return tuple(filter(None, self.judge.values))

    def chosen(self, names: Sequence[str] | None) -> tuple[str, ...]:
        """The scores that are meant: these, or the only one there is.

        Parameters
        ----------
        names : sequence of str or None
            Names of scores; the last part of one, such as 'faith' of 'rag/faith', will do where it is unique.

        Returns
        -------
        tuple of str
            The scores.
        """
        if not names:
            if len(self.scores) == 1:
                return self.scores
            raise TruegainError(
                f"which score? {self.source} has {some(self.scores, 10)}; choose by {arg('score', self.scores[0])}"
            )
        return tuple(dict.fromkeys(self._score_named(name) for name in names))

    def _score_named(self, name: str) -> str:
        alike = [s for s in self.scores if s == name] or [
            s for s in self.scores if s.casefold() == name.casefold() or s.rpartition("/")[2] == name
        ]
        if len(alike) == 1:
            return alike[0]
        raise TruegainError(
            f"{argname('score', name)} names no score of {self.source}; {there_are([name], self.scores, 10)}"
        )

    def missing(self, score: str) -> dict[str, dict[str, int]]:
        """How many values are missing, by system and reason.

        Parameters
        ----------
        score : str
            The score.

        Returns
        -------
        dict
            ``{system: {reason: count}}``, of the systems that lack some.
        """
        lost = np.flatnonzero(np.isnan(self.value) & (self.score.code == self.scores.index(score)))
        counts: dict[str, Counter[str]] = {}
        for row in lost.tolist():
            system, why = (column.values[column.code[row]] for column in (self.system, self.status))
            counts.setdefault(system, Counter())[why] += 1
        return {system: dict(reasons) for system, reasons in counts.items()}

    def of_score(self, score: str) -> Items:
        """The rows of one score.

        Parameters
        ----------
        score : str
            The score.

        Returns
        -------
        Items
            The same table with fewer rows; `models` are those that gave this score.
        """
        part = self.take(np.flatnonzero(self.score.code == self.scores.index(score)))
        return replace(part, models=self.models & {*part.judge.strings()})

    def take(self, rows: Ints) -> Items:
        """Some rows of the table.

        Parameters
        ----------
        rows : ndarray of int
            Their numbers.

        Returns
        -------
        Items
            The same table with fewer rows.
        """
        text = ("system", "topic", "item", "score", "judge", "status")
        columns: dict[str, Any] = {name: getattr(self, name).take(rows) for name in text}
        columns |= {name: frozen(getattr(self, name)[rows]) for name in ("value", "weight", "replicate")}
        return replace(self, **columns)

    @cached_property
    def by_item(self) -> Items:
        """One row for each system, topic, item and score: the mean of its judges and replicates, each judge alike.

        Rows without a value count only where all of an item's are so: then the item has none either.
        """
        key = self._numbered(self.system, self.topic, self.item, self.score)
        first, inverse = np.unique(key, return_index=True, return_inverse=True)[1:]
        order = np.argsort(first)  # as they were read
        place = np.empty(len(first), np.int64)
        place[order] = np.arange(len(first))
        item = place[inverse]
        judge = item * max(1, len(self.judge.values)) + self.judge.code
        known = ~np.isnan(self.value)
        judged, at = np.unique(judge[known], return_inverse=True)
        sums, n = np.bincount(at, self.value[known], len(judged)), np.bincount(at, minlength=len(judged))
        of = judged // max(1, len(self.judge.values))
        total, judges = np.bincount(of, sums / np.maximum(n, 1), len(first)), np.bincount(of, minlength=len(first))
        value = np.divide(total, judges, out=np.full(len(first), np.nan), where=judges > 0)
        one = self.take(first[order])
        fine = Coded.of([OK if v == v else s for v, s in zip(value.tolist(), one.status.strings(), strict=True)])
        return replace(one, value=frozen(value), replicate=frozen(np.ones(len(first), np.int64)), status=fine)

    @staticmethod
    def _numbered(*columns: Coded) -> Ints:
        key = np.zeros(len(columns[0].code), np.int64)
        for column in columns:
            key = key * max(1, len(column.values)) + column.code
        return key

    def matrix(self, score: str) -> Floats:
        """The score of each system on each topic, by the weighted mean of its items; NaN where there is none.

        Parameters
        ----------
        score : str
            The score.

        Returns
        -------
        ndarray of float
            Systems by topics.
        """
        one = self.by_item
        rows = np.flatnonzero((one.score.code == self.scores.index(score)) & ~np.isnan(one.value))
        cell = one.system.onto(self.systems)[rows].astype(np.int64) * len(self.topics) + one.topic.code[rows]
        shape = (len(self.systems), len(self.topics))
        size = shape[0] * shape[1]
        whole = np.bincount(cell, one.weight[rows], size)
        total = np.bincount(cell, one.weight[rows] * one.value[rows], size)
        scores: Floats = np.divide(total, whole, out=np.full(size, np.nan), where=whole > 0)
        return scores.reshape(shape)

    def tell_missing(self, score: str) -> None:
        """Warn of missing values, and of values that are missing more in one system than in another.

        Parameters
        ----------
        score : str
            The score.
        """
        lost = self.missing(score)
        rows = np.flatnonzero(self.score.code == self.scores.index(score))
        system, topic = (np.unique(column.code[rows], return_inverse=True) for column in (self.system, self.topic))
        has_row = np.zeros((len(system[0]), len(topic[0])), np.bool_)
        has_row[system[1], topic[1]] = True
        for s, without in zip(system[0].tolist(), (~has_row).sum(axis=1).tolist(), strict=True):
            if without:
                lost.setdefault(self.systems[s], {})["not there"] = without
        if not lost:
            return
        parts = [f"{s} {some([f'{n} {why}' for why, n in reasons.items()])}" for s, reasons in lost.items()]
        message = f"{score}: values are missing ({'; '.join(parts)}); they are left out, not counted as 0"
        there = ~np.isnan(self.matrix(score))[np.ix_(system[0], topic[0])]
        names = [self.systems[s] for s in system[0].tolist()]
        shares = 1 - there.mean(axis=1)
        most, least = int(shares.argmax()), int(shares.argmin())
        only_most, only_least = int((there[least] & ~there[most]).sum()), int((there[most] & ~there[least]).sum())
        if shares[most] - shares[least] > UNEQUAL or _unlike(only_most, only_least):
            message += (
                f". {names[most]} has no value for {shares[most]:.1%} of the topics, {names[least]} for "
                f"{shares[least]:.1%}: failures are rarely random, so the topics that both have may favor one of them"
            )
        warn(message)

    def check_means(self) -> tuple[str, ...]:
        """Where a tool's own mean is not that of its values: a sentence each, with the reason where it is known.

        Returns
        -------
        tuple of str
            Nothing where all agree.
        """
        told = []
        for printed in self.means:
            if printed.score not in self.scores or printed.system not in self.systems:
                continue
            values = self.matrix(printed.score)[self.systems.index(printed.system)]
            known = values[~np.isnan(values)]
            ours = float(known.mean()) if len(known) else math.nan
            if not (abs(ours - printed.mean) <= SAME or (math.isnan(ours) and math.isnan(printed.mean))):
                why = f" ({printed.reason})" if printed.reason else ""
                told.append(
                    f"{printed.score} of {printed.system}: the tool printed {printed.mean:.4f}, the mean of its values "
                    f"is {ours:.4f} over {counted(len(known), 'topic')}{why}"
                )
        return tuple(told)

    def clustered(self, column: str) -> Items:
        """The same values of topics that were sampled in clusters, such as questions written from the same document.

        Parameters
        ----------
        column : str
            The column that names the cluster of each topic, such as 'metadata.topic'; its last part will do.

        Returns
        -------
        Items
            A study of it generalizes to other clusters.
        """
        alike = [c for c in self.clusters if c == column] or [
            c for c in self.clusters if c.rpartition(".")[2] == column
        ]
        why = next((w for c, w in self.no_clusters.items() if column in (c, c.rpartition(".")[2])), None)
        if not alike and why is not None:
            raise TruegainError(f"{argname('cluster', column)} groups no topics of {self.source}: {why}")
        if len(alike) != 1:
            there = there_are([column], tuple(self.clusters), 10) if self.clusters else "its samples have no metadata"
            raise TruegainError(f"{argname('cluster', column)} is not a column of {self.source}; {there}")
        of = self.clusters[alike[0]]
        if lost := [topic for topic in self.topics if not of.get(topic)]:
            raise TruegainError(
                f"{argname('cluster', column)}: {len(lost)} of {counted(len(self.topics), 'topic')} have no value "
                f"there ({some(lost)}); fill it in, or choose another column"
            )
        return replace(self, cluster={topic: of[topic] for topic in self.topics})


def _unlike(one: int, other: int) -> bool:
    """Whether topics that only one of two systems lacks are on one side more than chance allows, by the exact test."""
    n = one + other
    if n == 0:
        return False
    tail = sum(math.comb(n, k) for k in range(max(one, other), n + 1))
    return bool(2 * tail < P_UNEQUAL * 2**n)


# ---- Reading: logs of tools, tables and frames; files of one system each are named by what differs between them.

ItemsLike = TableLike | Sequence[PathLike] | Mapping[str, Any] | Items


def read_items(
    data: ItemsLike, *, scales: Mapping[str, ScoreRange] | None = None, names: Sequence[str] | None = None
) -> Items:
    """Read values of answers: logs of evaluation tools, tables, frames or dicts.

    Parameters
    ----------
    data : path-like, list of path-like, frame or mapping
        Logs of inspect_ai, deepeval, ragas, promptfoo, phoenix or mlflow; tables with a column for the topic and one
        for each score, or with the columns topic, score_name and value; a column system where a file has several;
        or ``{score: {system: {topic: value}}}``.
    scales : mapping of str to ScoreRange, optional
        Between which values scores lie, and which are better where they are less.
    names : sequence of str, optional
        The system of each file, where a file is about one.

    Returns
    -------
    Items
        What `Study` takes in place of runs.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"system": ["a", "b"], "topic": ["q1", "q1"], "faithfulness": [0.5, None]}
    >>> read_items(pl.DataFrame(rows)).matrix("faithfulness").tolist()
    [[0.5], [nan]]
    """
    if isinstance(data, Items):
        return data if not scales else replace(data, scales={**data.scales, **scales})
    if isinstance(data, Mapping) and not is_frame(data):
        columns = Columns(named_tables.long_rows(data, ("score", "system", "topic", "value"), "items"), "items")
        logs = [_long(columns, {"score": "score", "system": "system", "topic": "topic", "value": "value"})]
    elif is_frame(data):
        logs = [table_log(Columns(opened(data), "items"))]
    else:
        paths: list[PathLike] = (
            [data] if isinstance(data, str | os.PathLike) else list(cast("Sequence[PathLike]", data))
        )
        logs = [_file_log(path) for path in paths]
    items = joined(logs, names)
    return items if not scales else replace(items, scales={**items.scales, **scales})


def is_log(path: PathLike) -> bool:
    """Whether a file is a log that a known evaluation tool wrote."""
    name = os.fspath(path)
    if formats.ending(name) not in LOG_ENDINGS or not can_be_read_again(name):
        return False
    from truegain.io.logs.catalogue import log_format  # all readers: for those who give such a file

    return log_format(next(pieces_of(path), b""), shown_path(path)) is not None


def _file_log(path: PathLike) -> Log:
    """A file as its tool wrote it, or as a table."""
    from truegain.io.logs.catalogue import log_in

    log = log_in(path)
    return table_log(Columns(*formats.read_file(path))) if log is None else log


def joined(logs: Sequence[Log], names: Sequence[str] | None = None) -> Items:
    """One table of several files; those about one system each are named by the first thing that differs.

    >>> one, other = (Log(f, "t", [Row("q1", "s", 1.0)], {"model": "m", "file": f}) for f in ("a", "b"))
    >>> joined([one, other]).systems
    ('a', 'b')
    """
    called = _systems(logs, names)
    rows: list[Row] = []
    seen: dict[tuple[str, ...], tuple[str, int]] = {}
    scales: dict[str, ScoreRange] = {}
    clusters: dict[str, dict[str, str]] = {}
    unlike: dict[str, str] = {}  # columns that say different things of a topic, so they group none
    for log, system in zip(logs, called, strict=True):
        for row in log.rows:
            named = row._replace(system=row.system or system, status=_status(row))
            key = (named.system, row.topic, row.item, row.score, row.judge, str(row.replicate))
            if key in seen:
                file, line = seen[key]
                before = f"line {line} of {file}" if line else file
                item = f", item {row.item}" if row.item else ""
                raise InputError(
                    f"{row.score} of system {named.system}, topic {row.topic}{item} appears twice; the first is in "
                    f"{before}", file=log.file, line=row.line or None,
                    hint="keep one; where an answer was judged again, number the replicates in a column 'replicate'; "
                    "where two files are about different systems, name these",
                )  # fmt: skip
            seen[key] = (log.file, row.line)
            rows.append(named)
        for score in dict.fromkeys(row.score for row in log.rows):
            scale = log.scales.get(score, ScoreRange())
            scales[score] = _wider(scales[score], scale, score, log.file) if score in scales else scale
        for column, of in log.clusters.items():
            into = clusters.setdefault(column, {})
            for topic, value in of.items():
                if (before := into.setdefault(topic, value)) != value:
                    unlike.setdefault(column, f"topic {topic} has {before!r} and {value!r} there")
        for column, why in log.no_clusters.items():
            unlike.setdefault(column, why)
    means = tuple(
        replace(m, system=m.system or system) for log, system in zip(logs, called, strict=True) for m in log.means
    )
    tools = tuple(dict.fromkeys(log.tool for log in logs if log.tool))
    made = {"tools": list(tools), "logs": {log.file: dict(log.provenance) for log in logs if log.provenance}}
    known = {name: scale for name, scale in scales.items() if scale != ScoreRange()}
    return Items.of_rows(
        rows, clusters={c: of for c, of in clusters.items() if c not in unlike}, scales=known, means=means,
        source=some([log.file for log in logs]),
        notes=tuple(dict.fromkeys(note for log in logs for note in log.notes)), made=made, no_clusters=unlike,
        models=frozenset().union(*(_models(log) for log in logs)),
    )  # fmt: skip


def _wider(one: ScoreRange, other: ScoreRange, score: str, file: str) -> ScoreRange:
    """What two files say of a score: the direction that either knows, and the widest ends."""
    known = {scale.lower_is_better for scale in (one, other)} - {None}
    if len(known) > 1:
        raise InputError(
            f"{score}: less is better here, and more in another file, or the other way round", file=file,
            hint="read them apart, or give the score of one another name",
        )  # fmt: skip
    return ScoreRange(min(one.low, other.low), max(one.high, other.high), known.pop() if known else None)


def _models(log: Log) -> frozenset[str]:
    """The judges of a log that are language models."""
    judges = frozenset(row.judge for row in log.rows if row.judge)
    return judges if log.models is None else judges & log.models


def _status(row: Row) -> str:
    if row.value == row.value:
        return OK
    return "missing" if row.status == OK else row.status


def _systems(logs: Sequence[Log], names: Sequence[str] | None) -> list[str]:
    """The system of each file that is about one; empty for a file that names its own."""
    alone = [log for log in logs if any(not row.system for row in log.rows)]
    if names is not None:
        if len(names) != len(alone):
            raise TruegainError(
                f"{argname('names')}: {counted(len(names), 'name')} for {counted(len(alone), 'file')} about one system"
            )
        given = dict(zip(map(id, alone), names, strict=True))
        return [given.get(id(log), "") for log in logs]
    if not alone:
        return ["" for _ in logs]
    keys = [key for key in alone[0].names if all(key in log.names for log in alone)]
    telling = next((key for key in keys if len({log.names[key] for log in alone}) == len(alone)), None)
    if telling is None and len(alone) > 1:
        values = {key: ", ".join(dict.fromkeys(log.names[key] for log in alone)) for key in keys}
        choices = "; ".join(f"{key}: {value}" for key, value in values.items()) or "nothing in them names it"
        raise InputError(
            f"{len(alone)} files give the same name to their system ({choices})", file=alone[1].file,
            hint="give each system one log, or rename one of the files",
        )  # fmt: skip
    return [log.names[telling] if telling and any(not row.system for row in log.rows) else "" for log in logs]


def table_log(columns: Columns) -> Log:
    """A table that no tool wrote: long, with a column of names of scores, or wide, with a column for each score."""
    named = {ours: next((n for n in theirs if n in columns.names), None) for ours, theirs in NAMES.items()}
    roles = {ours: name for ours, name in named.items() if name is not None}
    if "score" not in roles and roles.get("value") == "value" and "score" in columns.names:
        roles["score"] = "score"  # beside values it names them, as in our own tables
    if "topic" not in roles:
        others = ", ".join(NAMES["topic"][1:6])
        raise InputError(
            f"there is no column 'topic' (or {others}, ...) among {', '.join(columns.all_written)}",
            file=columns.file,
            hint="name the samples in a column 'topic', and the scores in columns of their own or in 'score_name' and "
            "'value'",
        )
    roles = _with_scores(columns, roles)
    return _long(columns, roles) if "value" in roles else _wide(columns, roles)


def _with_scores(columns: Columns, roles: dict[str, str]) -> dict[str, str]:
    """What columns are, less those that are scores of their own beside others, whatever they are called."""
    if roles.get("item") in NUMBERS_MAY_BE_SCORES and _is_score(columns._column(roles["item"])):
        keys = [_text(columns, roles[n]) for n in ("system", "topic", "score", "replicate") if n in roles]
        keys += [_text(columns, roles["judge"], needed=False)] if "judge" in roles else []
        rows = list(zip(*keys, strict=True))
        if len(set(rows)) == len(rows):  # one a row: no answer has several items
            roles = {ours: name for ours, name in roles.items() if ours != "item"}
    if "value" in roles and "score" not in roles:
        taken = set(roles.values())
        if any(n not in taken and _is_score(columns._column(n)) for n in dict.fromkeys(columns.names)):
            roles = {ours: name for ours, name in roles.items() if ours != "value"}
    return roles


def _long(columns: Columns, roles: Mapping[str, str]) -> Log:
    cells = _cells(columns, roles)
    values = columns._column(roles["value"])
    score = _text(columns, roles["score"]) if "score" in roles else [_alone(columns, roles)] * len(values)
    rows = [
        Row(score=score[at], value=_number(columns, roles["value"], at, cell), line=_line(columns, at), **of)
        for at, (of, cell) in enumerate(zip(cells, values, strict=True))
    ]
    of_topics = [row for row in rows if row.topic != ALL_TOPICS]
    if "score" not in roles or not of_topics:
        return _table(columns, rows, roles)
    means = [ToolMean(row.score, row.value, row.system) for row in rows if row.topic == ALL_TOPICS]
    return replace(_table(columns, of_topics, roles), means=means)


def _alone(columns: Columns, roles: Mapping[str, str]) -> str:
    """What the only score of a table is called: as its column, unless that says no more than 'value'."""
    name = columns.written(roles["value"])
    return name if roles["value"] not in NAMES["value"] else "score"


def _wide(columns: Columns, roles: Mapping[str, str]) -> Log:
    taken = set(roles.values())
    names = [n for n in dict.fromkeys(columns.names) if n not in taken and _is_score(columns._column(n))]
    if not names:
        raise InputError(
            f"no column of numbers among {', '.join(columns.all_written)}", file=columns.file,
            hint="give the scores in columns of their own, or in a column 'value'",
        )  # fmt: skip
    cells, rows = _cells(columns, roles), []
    for name in names:
        for at, (of, cell) in enumerate(zip(cells, columns._column(name), strict=True)):
            rows.append(
                Row(score=columns.written(name), value=_number(columns, name, at, cell), line=_line(columns, at), **of)
            )
    return _table(columns, rows, roles)


def _cells(columns: Columns, roles: Mapping[str, str]) -> list[dict[str, Any]]:
    """What each row says of system, topic, item, judge, weight and replicate."""
    topics = _text(columns, roles["topic"])
    of: dict[str, list[Any]] = {"topic": topics}
    for name in ("system", "item", "judge"):
        if name in roles:
            of[name] = _text(columns, roles[name], needed=name == "system")
    for name in _model_columns(columns, roles):  # a model's row may name nobody else
        given = _text(columns, name, needed=False)
        of["judge"] = [judge or model for judge, model in zip(of.get("judge", given), given, strict=True)]
    if "weight" in roles:
        of["weight"] = [
            _weight(columns, roles["weight"], at, c) for at, c in enumerate(columns._column(roles["weight"]))
        ]
    if "replicate" in roles:
        numbers = {text: at for at, text in enumerate(dict.fromkeys(_text(columns, roles["replicate"])), 1)}
        of["replicate"] = [numbers[text] for text in _text(columns, roles["replicate"])]
    return [dict(zip(of, row, strict=True)) for row in zip(*of.values(), strict=True)]


def _model_columns(columns: Columns, roles: Mapping[str, str]) -> list[str]:
    """The columns that name the model which gave a value.

    Beside a judge, 'model' is that of the judge; without one it may be that of the system, unless all have the same.
    """
    there = [
        name
        for name in MODEL_COLUMNS
        if name in columns.names and name not in set(roles.values()) - {roles.get("judge")}
    ]
    if "model" in there and "judge" not in roles and len({*_text(columns, "model", needed=False)}) > 1:
        there.remove("model")
    return there


def _models_in(columns: Columns, roles: Mapping[str, str]) -> frozenset[str]:
    """The judges that are models: those of rows that name one."""
    judges = [str(of.get("judge", "")) for of in _cells(columns, roles)]
    given = [_text(columns, name, needed=False) for name in _model_columns(columns, roles)]
    return frozenset(judge for column in given for judge, model in zip(judges, column, strict=True) if model)


def _text(columns: Columns, name: str, needed: bool = True) -> list[str]:
    cells = columns._column(name)
    for at, cell in enumerate(cells) if needed else ():
        if is_missing(cell) or not str(cell).strip():
            raise columns._fault(f"{columns.written(name)} is missing", at, cell, "every row needs one")
    return ["" if is_missing(cell) else str(cell).strip() for cell in cells]


def _weight(columns: Columns, name: str, at: int, cell: object) -> float:
    number = named_tables.number_of(cell)
    if number is None or not (math.isfinite(number) and number >= 0):
        raise columns._fault(f"{columns.written(name)} is not a weight", at, cell, "give a number of at least 0")
    return float(number)


def _number(columns: Columns, name: str, at: int, cell: object) -> float:
    if says_missing(cell):
        return math.nan
    if named_tables.is_bool(cell):
        return float(bool(cell))
    number = named_tables.number_of(cell)
    if number is None or math.isinf(number):
        raise columns._fault(
            f"{columns.written(name)} is not a number", at, cell, "give a number, or nothing where there is none"
        )
    return float(number)


def _is_score(cells: Iterable[object]) -> bool:
    """Whether a column holds numbers or nothing, and some number."""
    known = [cell for cell in cells if not says_missing(cell)]
    return bool(known) and all(named_tables.is_bool(c) or named_tables.number_of(c) is not None for c in known)


def _line(columns: Columns, at: int) -> int:
    return int(next(iter(columns.places.of(at).values()))) if columns.places is not None else at + 1


def _table(columns: Columns, rows: Sequence[Row], roles: Mapping[str, str]) -> Log:
    topics = _text(columns, roles["topic"])
    scored = {row.score for row in rows}
    others = [n for n in dict.fromkeys(columns.names) if n not in roles.values() and columns.written(n) not in scored]
    clusters: dict[str, dict[str, str]] = {}
    no_clusters: dict[str, str] = {}
    for name in others:  # a column that says one thing of each topic may group them
        cells = ["" if is_missing(c) else str(c).strip() for c in columns._column(name)]
        of = dict(zip(topics, cells, strict=True))
        two = next(((t, c) for t, c in zip(topics, cells, strict=True) if of[t] != c), None)
        if two is not None:
            no_clusters[columns.written(name)] = f"topic {two[0]} has {two[1]!r} and {of[two[0]]!r} there"
        elif 1 < len({*of.values()}) < len(of):
            clusters[columns.written(name)] = of
        elif {*of.values()} == {""}:
            no_clusters[columns.written(name)] = "it is empty"
    names = {"file": formats.system_name(shown_path(columns.file))}
    return Log(columns.file, "", rows, names, clusters, models=_models_in(columns, roles), no_clusters=no_clusters)
