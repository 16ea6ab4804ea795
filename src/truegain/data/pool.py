"""The pool of judged documents, and the ranked gains of every system and topic against it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.data.id_matching import Doubt
from truegain.data.judgments import Judgments
from truegain.errors import InputError, TruegainError
from truegain.io import _scan
from truegain.io.columns import Bools, Coded, Codes, Floats, Ids, Ints, frozen, place_in_words
from truegain.message import AGGREGATE_FIRST

# ---- The pool: every judged (topic, document) pair, found by id in constant time.


@dataclass(frozen=True, eq=False)
class Pool:
    """Items are distinct (topic, document) pairs, not items of answers; topic t has begin[t] to begin[t + 1].

    `row_item` tells which item each row of the judgments is about.
    """

    judgments: Judgments
    topics: tuple[str, ...]
    begin: Ints
    topic: Codes
    docs: Ids
    row_item: Ints

    def __len__(self) -> int:
        return len(self.topic)

    @classmethod
    def of(cls, judgments: Judgments) -> Pool:
        """Gather the rows of the judgments by topic and document."""
        topic = judgments.topic.in_byte_order()
        doc, documents = judgments.docs.numbered()
        key = topic.code.astype(np.int64) * max(1, len(documents)) + doc
        _, first, row_item = np.unique(key, return_index=True, return_inverse=True)
        item_topic = topic.code[first]
        begin = np.searchsorted(item_topic, np.arange(len(topic.values) + 1))
        return cls(
            judgments,
            topic.values,
            frozen(begin.astype(np.int64)),
            frozen(item_topic),
            judgments.docs.take(first),
            frozen(row_item.astype(np.int64)),
        )

    def names(self, items: Ints) -> tuple[list[str], list[str]]:
        """The topics of some items, and their documents."""
        return [self.topics[t] for t in self.topic[items].tolist()], self.docs.take(items).strings()

    def ids_of(self, topics: Iterable[str]) -> dict[str, list[str]]:
        """The documents of some topics, sorted: the order of items depends on what else was read with them."""
        place = {topic: at for at, topic in enumerate(self.topics)}
        bounds = {topic: (int(self.begin[place[topic]]), int(self.begin[place[topic] + 1])) for topic in topics}
        return {topic: sorted(self.docs.take(np.arange(*both)).strings()) for topic, both in bounds.items()}

    @cached_property
    def judged(self) -> Bools:
        """Which items have a label that is not below 0, which would mean unjudged; gains may have any sign."""
        has_label = np.zeros(len(self), np.bool_)
        has_label[self.row_item[(self.judgments.label >= 0) | self.judgments.are_gains]] = True
        return frozen(has_label)

    @cached_property
    def labels(self) -> Floats:
        """One label per item; an error where a pair has several, saying what would settle it."""
        self.check_one_label()
        label = np.empty(len(self))
        label[self.row_item] = self.judgments.label
        return frozen(label)

    def check_one_label(self) -> None:
        """Refuse a pair that has several labels, before anything else is said of the judgments."""
        if len(self.row_item) != len(self):
            raise self._several_labels()

    def _several_labels(self) -> InputError:
        first, second = self.first_rows_of_an_item()
        j = self.judgments
        pair = f"topic {j.topic.values[j.topic.code[first]]}, document {j.docs[first]}"
        place = j.where(second)
        if j.assessor is not None:
            again = j.assessor.code[first] == j.assessor.code[second]
            who = f"assessor {j.assessor.values[j.assessor.code[first]]} twice" if again else "several assessors"
            return InputError(
                f"{who} labeled {pair}: these are ratings",
                **place,
                hint=f"combine them into one label a document, by mean, majority or another rule: {AGGREGATE_FIRST}",
            )
        if j.subtopic.code[first] != j.subtopic.code[second]:
            return InputError(
                f"two subtopics for {pair}: these are subtopic judgments",
                **place,
                hint="use a measure for subtopics, such as alpha_nDCG@20, ERR_IA@20, AP_IA or D#-nDCG@10",
            )
        labels = f"{j.label[first]:g} and {j.label[second]:g}"
        either = f", this or {place_in_words(j.where(first))}" if "entry" in place else ""
        return InputError(
            f"two labels ({labels}) for {pair}",
            **place,
            hint=f"keep one{either}; if several assessors judged it, these are ratings and must be aggregated",
        )

    def first_rows_of_an_item(self) -> tuple[int, int]:
        """Two rows about the first item that has more than one."""
        order = np.argsort(self.row_item, kind="stable")
        again = order[1:][self.row_item[order][1:] == self.row_item[order][:-1]]
        second = int(again.min())
        first = int(np.flatnonzero(self.row_item == self.row_item[second])[0])
        return first, second

    @cached_property
    def slots(self) -> npt.NDArray[np.uint64]:
        """The hash tables behind `find`, one a topic."""
        slots = np.empty(2 * len(self), np.uint64)
        _scan.index(*self.docs.arrays, self.begin, slots)
        return frozen(slots)

    def find(self, topic: Coded, docs: Ids) -> Codes:
        """For every (topic, document) its item, or -1."""
        items = np.empty(len(docs), np.int32)
        _scan.match(*self.docs.arrays, self.begin, self.slots, *docs.arrays, topic.onto(self.topics), items)
        return items

    def find_listed(self, docs: Ids, order: Ints, begin: Ints, list_of: Ints) -> tuple[Ints, Codes, Ints]:
        """What the lists of a run hold of the pool, topic by topic: ranks and items, best first, and how many.

        List l has rows order[begin[l]:begin[l + 1]] of the documents; list_of tells the list of each topic, -1: none.
        """
        rank, item = np.empty(len(docs), np.int64), np.empty(len(docs), np.int32)
        count = np.empty(len(self.topics), np.int64)
        n = _scan.found(
            *self.docs.arrays, self.begin, self.slots, *docs.arrays, order, begin, list_of, rank, item, count
        )
        return rank[:n].copy(), item[:n].copy(), count  # copies, so that the long arrays are given back

    @cached_property
    def facets(self) -> Facets:
        """The judgments by subtopic; an error where a (topic, subtopic, document) stands twice."""
        j = self.judgments
        key = self.row_item * max(1, len(j.subtopic.values)) + j.subtopic.code
        order = np.argsort(key, kind="stable")
        twice = np.flatnonzero(key[order][1:] == key[order][:-1])
        if len(twice):
            first, second = sorted((int(order[twice[0]]), int(order[twice[0] + 1])))
            pair = f"topic {j.topic.values[j.topic.code[first]]}, document {j.docs[first]}"
            subtopic = j.subtopic.values[j.subtopic.code[first]]
            raise InputError(
                f"two labels for {pair}, subtopic {subtopic}",
                **j.where(second),
                hint="keep one; if several assessors judged it, these are ratings and must be aggregated",
            )
        item = self.row_item[order]
        begin = np.searchsorted(item, np.arange(len(self) + 1)).astype(np.int64)
        return Facets(
            j.subtopic.values,
            frozen(item),
            frozen(j.subtopic.code[order]),
            frozen(j.label[order]),
            frozen(begin),
        )


@dataclass(frozen=True, eq=False)
class Facets:
    """Labels by subtopic, item by item: item i has rows begin[i] to begin[i + 1]."""

    subtopics: tuple[str, ...]
    item: Ints
    subtopic: Codes
    label: Floats
    begin: Ints


# ---- RankedGains: for every system and topic the judged documents in rank order, and what the pool holds.

ABSENT = -1


@dataclass(frozen=True, eq=False)
class Tops:
    """The first documents of each list, judged or not: list l has doc[begin[l]:begin[l + 1]], numbers into `docs`."""

    docs: Ids
    doc: Codes
    begin: Ints

    def cut(self, k: int) -> Tops:
        """Only the first k of each list."""
        at, begin = first_rows(self.begin, k)
        return Tops(self.docs, frozen(self.doc[at]), frozen(begin))


@dataclass(frozen=True, eq=False)
class DocKeys:
    """A key for the documents of each list, judged or not: list l has key[begin[l]:begin[l + 1]], best first.

    Equal ids have equal keys (the 64-bit hash of the id), whatever list they stand in.
    """

    key: npt.NDArray[np.uint64]
    begin: Ints

    def cut(self, k: int) -> DocKeys:
        """Only the first k of each list."""
        at, begin = first_rows(self.begin, k)
        return DocKeys(frozen(self.key[at]), frozen(begin))


def first_rows(begin: Ints, k: int) -> tuple[Ints, Ints]:
    """The rows of the first k of each stretch, and where each stretch begins among them.

    >>> first_rows(np.array([0, 3, 4]), 2)
    (array([0, 1, 3]), array([0, 2, 3]))
    """
    kept = np.minimum(np.diff(begin), k)
    at = np.repeat(begin[:-1] - np.cumsum(kept) + kept, kept) + np.arange(int(kept.sum()))
    return at, np.concatenate([[0], np.cumsum(kept)])


@dataclass(frozen=True, eq=False)
class RankedGains:
    """The aligned heart: built once, read by every measure and every resample.

    A *list* is one system's answer to one topic; list number = system * topics + topic.  Only judged documents
    are kept, each with its rank; every rank that is not named is an unjudged document, so unjudged never turns
    into a gain of 0 by itself.  Whether a document that is named was judged is told by `judged`, a mask: a negative
    *label* means pooled but not judged, as in trec_eval; a gain that was worked out may well be negative.
    """

    systems: tuple[str, ...]
    pool: Pool
    gains: Floats | None  # per item of the pool; None where there is one label per subtopic only
    retrieved: Ints  # documents per list, ABSENT where the system has no answer to the topic
    begin: Ints  # list l has entries begin[l] to begin[l + 1]
    rank: Ints  # of each entry, from 1
    item: Codes  # of each entry, into the pool
    trec_eval: int = 10
    intents: Floats | None = None  # probability of each facet row's subtopic, given its topic
    navigational: Bools | None = None  # whether each facet row's subtopic is navigational
    entry_gains: Floats | None = None  # per entry, where a document's gain depends on those above it
    top: Tops | None = None  # the first documents by name, where a measure reads their text
    judged_items: Bools | None = None  # per item; None where `gains` are labels as given, whose sign tells
    keys: DocKeys | None = None  # the documents by key, where collections are drawn
    doubts: tuple[Doubt, ...] = ()  # systems whose documents may not be those that were judged
    caveats: tuple[str, ...] = ()  # what is to be said beside any number that is made of it

    # ------------------------------------------------------------------ what there is

    @property
    def topics(self) -> tuple[str, ...]:
        """Judged topics, sorted as bytes."""
        return self.pool.topics

    @property
    def lists(self) -> int:
        """Number of lists."""
        return len(self.retrieved)

    @cached_property
    def present(self) -> Bools:
        """Which lists exist."""
        return frozen(self.retrieved != ABSENT)

    @cached_property
    def depth(self) -> Ints:
        """Documents per list, 0 where absent."""
        return frozen(np.maximum(self.retrieved, 0))

    @cached_property
    def list_topic(self) -> Ints:
        """The topic of each list."""
        return frozen(np.tile(np.arange(len(self.topics)), len(self.systems)))

    @cached_property
    def list(self) -> Ints:
        """The list of each entry."""
        return frozen(np.repeat(np.arange(self.lists), np.diff(self.begin)))

    @cached_property
    def gain(self) -> Floats:
        """The gain of each entry, as judged, unless it depends on the list."""
        return frozen(self.item_gain[self.item]) if self.entry_gains is None else self.entry_gains

    @property
    def item_gain(self) -> Floats:
        """The gain of each item of the pool; an error where it has one per subtopic or assessor only."""
        return self.pool.labels if self.gains is None else self.gains

    @cached_property
    def item_judged(self) -> Bools:
        """Which items of the pool were judged: the one place where the sign of a label is read; gains have any."""
        if self.judged_items is not None:
            return self.judged_items
        return frozen((self.item_gain >= 0) | self.pool.judgments.are_gains)

    @cached_property
    def judged(self) -> Bools:
        """Which entries were judged."""
        return frozen(self.item_judged[self.item])

    @cached_property
    def counted_gain(self) -> Floats:
        """The gain of each entry that was judged, whatever its sign, and 0 for the others."""
        return frozen(np.where(self.judged, self.gain, 0.0))

    @property
    def known_keys(self) -> DocKeys:
        """The documents of each list by key; an error where lists were aligned without them."""
        if self.keys is None:
            raise TruegainError("these lists were aligned without their unjudged documents; give keep_keys=True")
        return self.keys

    @property
    def facets(self) -> Facets:
        """The judgments by subtopic."""
        return self.pool.facets

    # ------------------------------------------------------------------ other views of it

    def cut(self, k: int | None) -> RankedGains:
        """Only the first k documents of each list."""
        if k is None:
            return self
        retrieved = np.where(self.present, np.minimum(self.retrieved, k), ABSENT)
        top = None if self.top is None else self.top.cut(k)
        return self._only(self.rank <= k, retrieved, top, None if self.keys is None else self.keys.cut(k))

    def one(self, number: int) -> RankedGains:
        """Only one list; all others are absent."""
        is_list = np.arange(self.lists) == number
        return self._only(is_list[self.list], np.where(is_list, self.retrieved, ABSENT), self.top, self.keys)

    @cached_property
    def condensed(self) -> RankedGains:
        """The lists without unjudged documents."""
        return self._only(self.judged, None)

    @cached_property
    def condensed_facets(self) -> RankedGains:
        """The lists without documents that no subtopic has a judgment for."""
        return self._only(np.ones(len(self.item), np.bool_), None)

    def _only(
        self, keep: Bools, retrieved: Ints | None, top: Tops | None = None, keys: DocKeys | None = None
    ) -> RankedGains:
        kept_per_list = np.bincount(self.list[keep], minlength=self.lists)
        begin = np.concatenate([[0], np.cumsum(kept_per_list)])
        rank = self.rank[keep]
        if retrieved is None:  # close the ranks up
            retrieved = np.where(self.present, kept_per_list, ABSENT)
            rank = np.arange(1, len(rank) + 1) - np.repeat(begin[:-1], kept_per_list)
            if self.top is not None:
                top = Tops(self.pool.docs, frozen(self.item[keep]), frozen(begin))
            if self.keys is not None:
                keys = DocKeys(frozen(self.pool.docs.hash[self.item[keep]]), frozen(begin))
        return replace(
            self,
            retrieved=frozen(retrieved),
            begin=frozen(begin),
            rank=frozen(rank),
            item=frozen(self.item[keep]),
            entry_gains=None if self.entry_gains is None else frozen(self.entry_gains[keep]),
            top=top,
            keys=keys,
        )

    def with_gains(self, gains: Floats, entry_gains: Floats | None = None) -> RankedGains:
        """These lists with another gain for each item of the pool, and for each entry where that differs.

        A gain may be any number; NaN means unjudged.
        """
        new = np.asarray(gains, np.float64)
        judged = ~np.isnan(new)
        return replace(
            self,
            gains=frozen(np.where(judged, new, 0.0)),
            entry_gains=None if entry_gains is None else frozen(np.asarray(entry_gains, np.float64)),
            judged_items=frozen(judged),
        )

    # ------------------------------------------------------------------ arithmetic over lists

    def total(self, values: npt.NDArray[Any], entries: Ints | None = None) -> Floats:
        """Sum of one value per entry (or per entry of some) over each list, in rank order."""
        return _sums(self.list if entries is None else self.list[entries], values, self.lists)

    def running(self, values: npt.NDArray[Any]) -> Floats:
        """Sum of the values of each list up to and including each entry."""
        return running(np.add, values, self.begin)

    def running_product_before(self, values: npt.NDArray[Any]) -> Floats:
        """Product of the values of each list before each entry."""
        return product_before(values, self.begin)

    def highest(self, values: npt.NDArray[Any]) -> Floats:
        """Highest value per entry of each list, at least 0."""
        return _maxima(self.list, values, self.lists)

    def per_list(self, per_topic: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A value per topic, repeated for every system."""
        return np.tile(per_topic, len(self.systems))

    def pool_total(self, values: npt.NDArray[Any]) -> Floats:
        """Sum of one value per item over each topic."""
        return _sums(self.pool.topic, values, len(self.topics))

    def pool_highest(self, values: npt.NDArray[Any]) -> Floats:
        """Highest value per item of each topic, at least 0."""
        return _maxima(self.pool.topic, values, len(self.topics))

    def relevant_entries(self, level: float) -> RelevantEntries:
        """The relevant entries at a level, each with how many relevant ones its list has so far."""
        if level not in self._entries_by_level:
            at = np.flatnonzero(self.relevant(level))
            lists = self.list[at]
            first = np.searchsorted(at, self.begin[:-1])
            count = np.arange(1, len(at) + 1) - first[lists]
            self._entries_by_level[level] = RelevantEntries(lists, self.rank[at], self.item[at], count, self.lists)
        return self._entries_by_level[level]

    @cached_property
    def _entries_by_level(self) -> dict[float, RelevantEntries]:
        return {}

    def relevant(self, level: float) -> Bools:
        """Which entries are relevant at a level; never an unjudged one."""
        return (self.gain >= level) & self.judged

    def pool_relevant(self, level: float) -> Ints:
        """Relevant documents per topic (R)."""
        good = (self.item_gain >= level) & self.item_judged
        return np.bincount(self.pool.topic[good], minlength=len(self.topics))

    def pool_nonrelevant(self, level: float) -> Ints:
        """Documents judged, and not relevant, per topic (N)."""
        bad = (self.item_gain < level) & self.item_judged
        return np.bincount(self.pool.topic[bad], minlength=len(self.topics))

    def ideal(self, item_value: Floats) -> Ideal:
        """The best order of the pool by a value per item."""
        order = np.lexsort((-item_value, self.pool.topic))
        topic = self.pool.topic[order]
        rank = np.arange(1, len(order) + 1) - self.pool.begin[topic]
        return Ideal(item_value[order], topic, rank, len(self.topics))

    def dense(self, values: npt.NDArray[Any], depth: int, lists: slice) -> Floats:
        """A matrix of some lists by rank, `values` at the ranks of judged documents and 0 elsewhere."""
        first, last = int(self.begin[lists.start]), int(self.begin[lists.stop])
        matrix = np.zeros((lists.stop - lists.start, depth))
        inside = self.rank[first:last] <= depth
        rows = self.list[first:last][inside] - lists.start
        matrix[rows, self.rank[first:last][inside] - 1] = values[first:last][inside]
        return matrix


@dataclass(frozen=True, eq=False)
class Ideal:
    """The pool in its best order: value, topic and rank of each item."""

    value: Floats
    topic: Codes
    rank: Ints
    topics: int

    def total(self, values: npt.NDArray[Any]) -> Floats:
        """Sum of one value per item over each topic, best item first."""
        return _sums(self.topic, values, self.topics)

    @cached_property
    def begin(self) -> Ints:
        """Topic t has items begin[t] to begin[t + 1]."""
        return frozen(np.searchsorted(self.topic, np.arange(self.topics + 1)).astype(np.int64))

    def running_product_before(self, values: npt.NDArray[Any]) -> Floats:
        """Product of the values of each topic before each item."""
        return product_before(values, self.begin)

    def total_to(self, topic: npt.NDArray[Any], rank: npt.NDArray[Any]) -> Floats:
        """Sum of the best `rank` values, at least one, of each `topic` asked for."""
        sums = np.concatenate([[0.0], running(np.add, self.value, self.begin)])
        size = np.diff(self.begin)[topic]
        return np.where(size > 0, sums[self.begin[topic] + np.minimum(rank, size)], 0.0)


@dataclass(frozen=True, eq=False)
class RelevantEntries:
    """The relevant documents of all lists: list, rank, item, and how many relevant ones the list has up to there."""

    list: Ints
    rank: Ints
    item: Codes
    count: Ints
    lists: int

    def total(self, values: npt.NDArray[Any]) -> Floats:
        """Sum of one value per relevant entry over each list, in rank order."""
        return _sums(self.list, values, self.lists)


def _sums(group: npt.NDArray[Any], values: npt.NDArray[Any], groups: int) -> Floats:
    sums: Floats = np.bincount(group, weights=values, minlength=groups)  # type: ignore[assignment]
    return sums.astype(np.float64, copy=False)


def _maxima(group: npt.NDArray[Any], values: npt.NDArray[Any], groups: int) -> Floats:
    maxima = np.zeros(groups)
    np.maximum.at(maxima, group, values)
    return maxima


def running(ufunc: np.ufunc, values: npt.NDArray[Any], begin: Ints) -> Floats:
    """Accumulate along each stretch of `values`, in order, so that the last digit is that of a plain loop.

    Goes position by position over all stretches at once, longest first.
    """
    if ufunc is np.add and values.dtype.kind in "biu":  # exact in any order
        sums = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
        return np.asarray(sums[1:] - np.repeat(sums[begin[:-1]], np.diff(begin)), np.float64)
    out = np.array(values, np.float64)
    lengths = np.diff(begin)
    longest_first = np.argsort(-lengths, kind="stable")
    starts, alive = begin[:-1][longest_first], np.sort(lengths)
    for position in range(1, int(lengths.max(initial=0))):
        at = starts[: len(alive) - int(np.searchsorted(alive, position, side="right"))] + position
        out[at] = ufunc(out[at - 1], out[at])
    return out


def product_before(values: npt.NDArray[Any], begin: Ints) -> Floats:
    """Product of the values of each stretch before each position; 1 at the first."""
    product = running(np.multiply, values, begin)
    before = np.ones(len(product))
    before[1:] = product[:-1]
    before[begin[:-1][np.diff(begin) > 0]] = 1.0
    return before


def earlier(key: npt.NDArray[Any]) -> Ints:
    """For each row the number of rows before it with the same key.

    >>> earlier(np.array([7, 3, 7, 7]))
    array([0, 0, 1, 2])
    """
    order = np.argsort(key, kind="stable")
    first = np.ones(len(key), np.bool_)
    first[1:] = key[order][1:] != key[order][:-1]
    position = np.arange(len(key))
    out = np.empty(len(key), np.int64)
    out[order] = position - np.maximum.accumulate(np.where(first, position, 0))
    return out
