"""Items: values that judges gave to answers, or to their claims, citations and nuggets; a row each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from truegain.errors import InputError, TruegainError, counted, meant, some, there_are, warn
from truegain.io.columns import Bools, Coded, Floats, Ints, frozen
from truegain.io.logs.log import OK, Row, ScoreRange, ToolMean
from truegain.message import arg, argname
from truegain.results.base import Lines

COLUMNS = ("system", "topic", "item", "score", "value", "weight", "judge", "replicate", "status")
UNEQUAL, P_UNEQUAL = 0.02, 0.05  # a difference between shares of missing values that is told, and a p-value of one
LEAST_JUDGED = 0.9  # of the answers; a judge of fewer, beside others of all, is told
VALUES = ("value", "score", "label", "rating", "gain")  # names of the column of a table that holds all values
UNNAMED = ("score",)  # the score of a table that has values and no name of theirs
VALUE = "value"  # the column of a table that nothing else beside it can be meant by
SAME = 1e-9  # by which a mean may differ from the tool's own, beside what printing may have moved it


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
    no_scores : mapping of str to str
        Why columns of numbers are no scores: which cell is no number.
    rules : frozenset of str
        The scores that a rule gave, such as an exact match, and no judge.
    made : mapping
        Tools, versions, judges: how the values were made.

    Notes
    -----
    Columns of `frame`: those of a row.  Where topics come in clusters, name the column: ``items.clustered("COLUMN")``.

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
    no_scores: Mapping[str, str] = field(default_factory=dict)
    rules: frozenset[str] = frozenset()

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
        """These values, all given by one language model.

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
    def who_is_unknown(self) -> str:
        """What is to be said where nothing tells who gave the values, as in a table without a judge; else empty.

        A tool's log without a judge has values by a rule.
        """
        if any(self.judge.strings()) or self.made.get("tools"):
            return ""
        how = arg("judge_model", "NAME", python="items.judged_by('NAME')")
        return f"Nothing says who gave {some(self.scores)}. If a model did, add {how}."

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
            if VALUE in self.scores and not self.made.get("tools"):  # a table of system, topic and value, and more
                return (VALUE,)
            raise TruegainError(
                f"which score of {self.source}? There are {some(self.scores, 10)}; choose by "
                f"{arg('score', self.scores[0], python=f'measures={self.scores[0]!r}')}"
            )
        return tuple(dict.fromkeys(self._score_named(name) for name in names))

    def _score_named(self, name: str) -> str:
        alike = [s for s in self.scores if s == name] or [
            s for s in self.scores if s.casefold() == name.casefold() or s.rpartition("/")[2] == name
        ]
        if len(alike) == 1:
            return alike[0]
        by_column = VALUES if self.scores[0] in VALUES else (VALUE,)
        if name.casefold() in by_column and len(self.scores) == 1:  # by the column that holds it
            return self.scores[0]
        if name in self.no_scores:
            raise TruegainError(self.no_scores[name])
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

    def without(self, systems: Collection[str]) -> Items:
        """The table without some systems.

        Parameters
        ----------
        systems : collection of str
            Their names.

        Returns
        -------
        Items
            The rows of the others.
        """
        names = self.system.strings()
        rows = np.flatnonzero([name not in systems for name in names])
        return replace(self.take(rows), system=Coded.of([names[row] for row in rows.tolist()]))

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

    def tell_partial_judges(self, score: str) -> None:
        """Warn of a judge who gave values of few of the answers that others judged: these may be people's, to check it.

        Parameters
        ----------
        score : str
            The score.

        Examples
        --------
        >>> import warnings
        >>> from truegain import read_items
        >>> rows = [{"system": "a", "topic": t, "faith": 0.5, "judge": "gpt"} for t in "1234"]
        >>> items = read_items([*rows, {"system": "a", "topic": "1", "faith": 0.2, "judge": "ann"}])
        >>> with warnings.catch_warnings(record=True, action="always") as found:
        ...     items.tell_partial_judges("faith")
        >>> print(found[0].message)  # doctest: +ELLIPSIS
        faith: ann gave values of 1 of 4 answers, which are averaged with those of gpt; if they are gold values, ...
        """
        rows = self.of_score(score)
        rows = rows.take(np.flatnonzero(~np.isnan(rows.value)))
        item = np.unique(self._numbered(rows.system, rows.topic, rows.item), return_inverse=True)[1]
        pairs = np.unique(np.stack([item, rows.judge.code]), axis=1)
        judged, whole = np.bincount(pairs[1], minlength=len(rows.judge.values)), int(item.max(initial=-1)) + 1
        shared = np.bincount(pairs[0], minlength=whole) > 1
        few = [j for j in np.flatnonzero(judged).tolist() if judged[j] < LEAST_JUDGED * whole
               and 2 * shared[pairs[0][pairs[1] == j]].sum() > judged[j]]  # fmt: skip
        if not few or len(few) == np.count_nonzero(judged):  # a panel in which each judged some
            return
        who = [name or "somebody without a name" for name in rows.judge.values]
        part = some([f"{who[j]} gave values of {judged[j]:,} of {whole:,} answers" for j in few])
        most = some([who[j] for j in np.flatnonzero(judged).tolist() if j not in few])
        warn(
            f"{score}: {part}, which are averaged with those of {most}; if they are gold values, give them apart "
            f"({arg('gold', 'FILE')}, or {arg('gold', 'assessor:NAME')})"
        )

    def tell_missing(self, score: str, in_common: bool = False) -> None:
        """Warn of missing values, and of values that are missing more in one system than in another.

        Parameters
        ----------
        score : str
            The score.
        in_common : bool
            Whether topics that not all systems have a value for are left out, so that this is told, too.
        """
        lost = self.missing(score)
        rows = np.flatnonzero(self.score.code == self.scores.index(score))
        system, topic = (np.unique(column.code[rows], return_inverse=True) for column in (self.system, self.topic))
        has_row = np.zeros((len(system[0]), len(topic[0])), np.bool_)
        has_row[system[1], topic[1]] = True
        for s, without in zip(system[0].tolist(), (~has_row).sum(axis=1).tolist(), strict=True):
            if without:
                lost.setdefault(self.systems[s], {})["absent"] = without
        absent = [s for at, s in enumerate(self.systems) if at not in system[0]] if in_common else []
        if absent:
            near = [f"{s} has {name}; did you mean that?" for s in absent if (name := self.likely_name(score, s))]
            have = "has" if len(absent) == 1 else "have"
            warn(". ".join([f"{score}: {some(absent)} {have} no value and cannot be compared", *near[:1]]))
        if not lost:
            return
        parts = [f"{s} {some([f'{n} {why}' for why, n in reasons.items()])}" for s, reasons in lost.items()]
        message = f"{score}: values are missing ({'; '.join(parts)}); they are left out, not counted as 0"
        message += f"; {left}" if in_common and (left := self.left_out(score)) else ""
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

    def left_out(self, score: str) -> str:
        """Which topics not all systems have a value for, and who has none; empty where there are none.

        Systems without any value are not compared, so they leave nothing out.

        Parameters
        ----------
        score : str
            The score.

        Returns
        -------
        str
            A clause.

        Examples
        --------
        >>> import truegain as tg
        >>> items = tg.read_items({"f": {"a": {"q1": 1, "q2": 1, "q3": 1}, "b": {"q1": 1}, "c": {"q1": 1, "q3": 1}}})
        >>> items.left_out("f")
        '2 of 3 topics (q2, q3) are left out, because b has no value for 2 of them, c for 1'
        >>> items.without(["b"]).left_out("f")
        '1 of 3 topics (q2) is left out, because c has no value there'
        """
        rows = self.of_score(score)
        here = np.unique(rows.topic.code)
        known: Bools = np.asarray(~np.isnan(rows.matrix(score)[:, here]))
        has_value = {s: of for s, of in zip(self.systems, known, strict=True) if of.any()}
        left = ~np.logical_and.reduce([*has_value.values(), np.ones(len(here), np.bool_)])
        if not (n := int(left.sum())):
            return ""
        lacking = {s: int((~of).sum()) for s, of in has_value.items() if not of.all()}
        most, *others = sorted(lacking, key=lambda s: -lacking[s])
        where = "there" if not others else f"for {lacking[most]} of them"
        who = some([f"{most} has no value {where}", *(f"{s} for {lacking[s]}" for s in others)])
        if others and n == 1:
            who = f"{' and '.join([some([most, *others])])} have no value there"
        topics = some([self.topics[t] for t in here[left].tolist()])
        are = "is" if n == 1 else "are"
        return f"{n} of {counted(len(here), 'topic')} ({topics}) {are} left out, because {who}"

    def likely_name(self, score: str, system: str) -> str:
        """What a system without any value of a score may call it: a like score that only others lack; else empty.

        Parameters
        ----------
        score, system : str
            The score, and the system.

        Returns
        -------
        str
            The name of the other score.
        """
        at = self.systems.index(system)
        has_value: dict[str, Bools] = {}
        for name in self.scores:
            has_value[name] = np.asarray(np.isfinite(self.matrix(name)).any(axis=1))
        if has_value[score][at]:
            return ""
        own = [name for name, has in has_value.items() if has[at] and not (has & has_value[score]).any()]
        return meant(score, own) or ""

    def tell_means(self, score: str) -> None:
        """Warn where a tool's own mean of a score is not that of its values.

        Parameters
        ----------
        score : str
            The score.
        """
        if messages := self.check_means(score):
            warn("; ".join(messages))

    def check_means(self, score: str | None = None) -> tuple[str, ...]:
        """Where a tool's own mean is not that of its values: a sentence each, with the reason where it is known.

        Parameters
        ----------
        score : str, optional
            Of this score alone.

        Returns
        -------
        tuple of str
            Nothing where all agree.
        """
        messages = []
        for printed in self.means:
            if printed.score not in self.scores or printed.system not in self.systems:
                continue
            if score is not None and printed.score != score:
                continue
            values = self.matrix(printed.score)[self.systems.index(printed.system)]
            known = values[~np.isnan(values)]
            ours = float(known.mean()) if len(known) else math.nan
            near = SAME + printed.rounding
            if not (abs(ours - printed.mean) <= near or (math.isnan(ours) and math.isnan(printed.mean))):
                known_why = printed.reason and (not printed.of_failed or self._by_failures(printed, near))
                why = f" ({printed.reason})" if known_why else ""
                does = "the tool printed" if printed.printed else "the tool makes it"
                tools, own = _told_apart(printed.mean, ours)
                messages.append(
                    f"{printed.score} of {printed.system}: {does} {tools}, the mean of its values is {own} "
                    f"over {counted(len(known), 'topic')}{why}"
                )
        return tuple(messages)

    def _by_failures(self, printed: ToolMean, near: float) -> bool:
        """Whether a mean in which failures count 0 can be the one that a tool printed."""
        mine = self.score.code == self.scores.index(printed.score)
        values = self.value[mine & (self.system.code == self.systems.index(printed.system))]
        known = values[~np.isnan(values)]
        if len(known) in (0, len(values)):
            return False
        limits = sorted((known.sum() / len(values), known.mean()))
        return bool(limits[0] - near <= printed.mean <= limits[1] + near)

    def clustered(self, column: str) -> Items:
        """These values, of topics that were sampled in clusters, such as questions written from the same document.

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
            raise TruegainError(
                f"{argname('cluster', column)} groups no topics of {self.source}: {why}; name another column"
            )
        if len(alike) != 1:
            there = (
                there_are([column], tuple(self.clusters), 10)
                if self.clusters
                else f"its samples have no metadata, so leave {arg('cluster', python='`clustered`')} out"
            )
            raise TruegainError(f"{argname('cluster', column)} is not a column of {self.source}; {there}")
        of = self.clusters[alike[0]]
        if lost := [topic for topic in self.topics if not of.get(topic)]:
            raise TruegainError(
                f"{argname('cluster', column)}: {len(lost)} of {counted(len(self.topics), 'topic')} have no value "
                f"there ({some(lost)}); fill it in, or choose another column"
            )
        if len({of[topic] for topic in self.topics}) == 1 < len(self.topics):
            raise TruegainError(
                f"{argname('cluster', column)}: all {counted(len(self.topics), 'topic')} have one value; leave it out"
            )
        return replace(self, cluster={topic: of[topic] for topic in self.topics})


def _told_apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with 4 digits, or as many as tell them apart.

    >>> _told_apart(0.5, 0.25), _told_apart(0.6111111111, 0.6111121111)
    (('0.5000', '0.2500'), ('0.611111', '0.611112'))
    """
    digits = next((n for n in range(4, 17) if f"{one:.{n}f}" != f"{other:.{n}f}"), 17)
    return f"{one:.{digits}f}", f"{other:.{digits}f}"


def _unlike(one: int, other: int) -> bool:
    """Whether topics that only one of two systems lacks are on one side more than chance allows, by the exact test."""
    n = one + other
    if n == 0:
        return False
    tail = sum(math.comb(n, k) for k in range(max(one, other), n + 1))
    return bool(2 * tail < P_UNEQUAL * 2**n)
