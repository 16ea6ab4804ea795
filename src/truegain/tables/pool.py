"""The pool: every judged (topic, document) pair, found by id in constant time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError
from truegain.message import AGGREGATE_FIRST
from truegain.tables import _scan
from truegain.tables.columns import Bools, Coded, Codes, Floats, Ids, Ints, frozen
from truegain.tables.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Pool:
    """Items are distinct (topic, document) pairs, topic by topic: topic t has items begin[t] to begin[t + 1].

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
        ends = {topic: (int(self.begin[place[topic]]), int(self.begin[place[topic] + 1])) for topic in topics}
        return {topic: sorted(self.docs.take(np.arange(*both)).strings()) for topic, both in ends.items()}

    @cached_property
    def judged(self) -> Bools:
        """Which items have a label that is not below 0, which would mean unjudged; gains may have any sign."""
        known = np.zeros(len(self), np.bool_)
        known[self.row_item[(self.judgments.label >= 0) | self.judgments.are_gains]] = True
        return frozen(known)

    @cached_property
    def labels(self) -> Floats:
        """One label per item; an error where a pair has several, saying what would settle it."""
        if len(self.row_item) != len(self):
            raise self._several_labels()
        label = np.empty(len(self))
        label[self.row_item] = self.judgments.label
        return frozen(label)

    def _several_labels(self) -> InputError:
        first, second = self.first_rows_of_an_item()
        j = self.judgments
        pair = f"topic {j.topic.values[j.topic.code[first]]}, document {j.docs[first]}"
        place = j.where(second)
        if j.assessor is not None:
            again = j.assessor.code[first] == j.assessor.code[second]
            who = f"assessor {j.assessor.values[j.assessor.code[first]]} twice" if again else "several assessors"
            return InputError(
                f"{who} labelled {pair}: these are ratings, and a gain rule is needed",
                **place,  # type: ignore[arg-type]
                hint="make one gain of a document's ratings by a rule (mean, majority, unanimity ...): "
                f"{AGGREGATE_FIRST}",
            )
        if j.subtopic.code[first] != j.subtopic.code[second]:
            return InputError(
                f"two subtopics for {pair}: these are subtopic judgments",
                **place,  # type: ignore[arg-type]
                hint="use a measure for subtopics, such as alpha_nDCG@20, ERR_IA@20, AP_IA or D#-nDCG@10",
            )
        labels = f"{j.label[first]:g} and {j.label[second]:g}"
        return InputError(
            f"two labels ({labels}) for {pair}",
            **place,  # type: ignore[arg-type]
            hint="keep one; if several assessors judged it these are ratings, and a gain rule is needed",
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
        found = np.empty(len(docs), np.int32)
        _scan.match(*self.docs.arrays, self.begin, self.slots, *docs.arrays, topic.onto(self.topics), found)
        return found

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
                **j.where(second),  # type: ignore[arg-type]
                hint="keep one; if several assessors judged it these are ratings, and a gain rule is needed",
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
