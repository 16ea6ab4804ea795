"""Any measure on collections that lack one document each: how far each topic moves, all systems together.

A document that is left out of a list lets those below it rise by a rank.  Documents without a gain between two that
have one move a score alike, so one of each such gap is tried; AP has a closed form (`jackknife`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truegain.engine import Engine, Progress, engine_for
from truegain.inference.collection.expansion import least_relevant, on_scale
from truegain.measures.base import Measure
from truegain.sampling.documents import TopicLists, lists_of_topic
from truegain.sampling.jackknife import ListMoves, topic_spread
from truegain.sampling.spread import TopicSpread
from truegain.tables.columns import Bools, Floats, Ints, frozen
from truegain.tables.pool import Pool
from truegain.tables.ranked import ABSENT, RankedGains, earlier

ENTRIES = 2_000_000  # of lists that are scored at a time; no score depends on it
BEHIND = np.iinfo(np.int64).max  # the rank of a document that a list does not hold


def left_out_spreads(
    ranked: RankedGains,
    measure: Measure,
    *,
    pairs: bool = False,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> list[TopicSpread]:
    """The spread of every topic by leaving each document out (see `topic_spread`); no draws, hence no seed."""
    view = ranked.condensed if getattr(measure, "judged_only", False) else ranked
    cutoff = getattr(measure, "cutoff", None)
    near = view if cutoff is None else view.cut(cutoff + 1)
    near.found(least_relevant(measure))  # shared by all pieces: made once
    now = on_scale(measure, np.asarray(measure.score(near), np.float64))
    found = (engine or engine_for()).run(
        _topic, range(len(near.topics)), shared=(near, measure, now, pairs), progress=progress,
        name=lambda topic: f"{measure}, topic {near.topics[topic]}",
    )  # fmt: skip
    return list(found)


def _topic(shared: tuple[RankedGains, Measure, Floats, bool], topic: int, _: np.random.SeedSequence) -> TopicSpread:
    ranked, measure, now, pairs = shared
    systems = len(ranked.systems)
    lists = lists_of_topic(ranked, topic, least_relevant(measure), to_last=False)
    if lists.relevant and len(lists.systems):
        moves = _Without(ranked, measure, lists, topic).moves(now[lists.systems, topic])
        return topic_spread(lists, systems, pairs, moves)
    still = np.zeros((systems,) * (1 + pairs))
    return TopicSpread(lists.relevant, ranked.present.reshape(systems, -1)[:, topic], still, still)


@dataclass(frozen=True, eq=False)
class _Without:
    """The lists of one topic, and all that can be left out of them.

    A *place* is a rank of a list, a *kind* the label of an item and whether it was judged: an item is as good as
    another of its kind, so the pool lacks one of each kind, or none where the document was not in it.
    """

    ranked: RankedGains
    measure: Measure
    lists: TopicLists
    topic: int

    def moves(self, now: Floats) -> Callable[[int], ListMoves]:
        """What leaving documents out does to each list, whose scores are `now`."""
        some, which = self._listed()
        scores = self._scores(some)
        of_place = np.zeros(len(self._list))
        of_place[self._apart] = scores[which]
        rise = np.zeros(len(self._list))
        rise[self._apart] = of_place[self._apart] - now[self._list[self._apart]]
        good = np.flatnonzero(self.lists.entry < self.lists.relevant)
        rise[good] = 0.0
        without = np.zeros((self.lists.relevant, len(self.lists.systems)))
        without[self.lists.entry[good], self._list[good]] = of_place[good]
        lacks = np.ones(without.shape, np.bool_)
        lacks[self.lists.entry[good], self._list[good]] = False
        missing, lacked = self._missed(lacks)
        without[lacks] = self._scores(missing)[lacked]
        begin = self.lists.begin
        return lambda number: ListMoves(without[:, number], rise[begin[number] : begin[number + 1]])

    # ------------------------------------------------------------------ what there is

    @cached_property
    def _pooled(self) -> slice:
        return slice(int(self.ranked.pool.begin[self.topic]), int(self.ranked.pool.begin[self.topic + 1]))

    @cached_property
    def _rows(self) -> tuple[Ints, Ints, Ints]:
        """The entries of the lists: where each list begins, their items within the topic, their ranks."""
        rows = self.lists.systems * len(self.ranked.topics) + self.topic
        first, sizes = self.ranked.begin[rows], np.diff(self.ranked.begin)[rows]
        begin = np.concatenate([[0], np.cumsum(sizes)])
        at = np.repeat(first - begin[:-1], sizes) + np.arange(begin[-1])
        return begin, self.ranked.item[at].astype(np.int64) - self._pooled.start, self.ranked.rank[at]

    @cached_property
    def _list(self) -> Ints:
        """The list of each place."""
        return np.repeat(np.arange(len(self.lists.systems)), np.diff(self.lists.begin))

    @cached_property
    def _entry(self) -> Ints:
        """The entry at each place, -1 where an item is not of the pool."""
        begin, item, rank = self._rows
        of_place = np.full(len(self._list), -1)
        of_place[np.repeat(self.lists.begin[:-1], np.diff(begin)) + rank - 1] = np.arange(len(item))
        return of_place

    @cached_property
    def _kinds(self) -> tuple[Ints, Ints]:
        """The kind of each item of the pool, and the first item of each kind."""
        labels = np.stack([self.ranked.item_gain[self._pooled], self.ranked.item_judged[self._pooled]], axis=1)
        _, first, kind = np.unique(labels, axis=0, return_index=True, return_inverse=True)
        return kind.ravel(), first

    @cached_property
    def _telling(self) -> Bools:
        """Which places hold a document that has a gain, or is relevant."""
        _, item, _ = self._rows
        gain, judged = self.ranked.item_gain[self._pooled], self.ranked.item_judged[self._pooled]
        has, here = self.lists.entry < self.lists.relevant, self._entry >= 0
        has[here] |= ((gain != 0) & judged)[item[self._entry[here]]]
        return np.asarray(has)

    @cached_property
    def _apart(self) -> Ints:
        """The places that matter: all that the measure looks at, and all with a gain."""
        place = np.arange(len(self._list)) - self.lists.begin[self._list]
        return np.flatnonzero(self.measure.within(place + 1) | self._telling)

    def _listed(self) -> tuple[_LeftOut, Ints]:
        """One place for all that move their list alike, and which of these stands for each place that matters."""
        kind, first_of_kind = self._kinds
        _, item, _ = self._rows
        apart, none = self._apart, len(first_of_kind)
        entry = self._entry[apart]
        of_item = np.append(item, -1)[entry]  # entry -1: none
        kinds = np.append(kind, none)[of_item]
        gap = 2 * np.cumsum(self._telling)[apart] + self._telling[apart]  # of its own where a document has a gain
        key = (gap * len(self.lists.systems) + self._list[apart]) * (none + 1) + kinds
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        return _LeftOut(self._list[apart[first]], kinds[first], of_item[first], apart[first]), which

    def _missed(self, lacks: Bools) -> tuple[_LeftOut, Ints]:
        """Relevant documents that lists lack, one of each kind, and which stands for each, by document and list."""
        kind, _ = self._kinds
        gain, judged = self.ranked.item_gain[self._pooled], self.ranked.item_judged[self._pooled]
        good = np.flatnonzero((gain >= least_relevant(self.measure)) & judged)
        number, system = np.nonzero(lacks)
        item = good[number]
        _, first, which = np.unique(kind[item] * lacks.shape[1] + system, return_index=True, return_inverse=True)
        return _LeftOut(system[first], kind[item[first]], item[first], np.full(len(first), -1)), which

    # ------------------------------------------------------------------ scores

    def _scores(self, out: _LeftOut) -> Floats:
        """The score of each list without the document."""
        begin, _, _ = self._rows
        ends = np.cumsum(np.diff(begin)[out.list] + 1) // ENTRIES
        pieces = np.split(np.arange(len(ends)), np.flatnonzero(np.diff(ends)) + 1)
        return np.concatenate([self._scored(out.some(at)) for at in pieces if len(at)] or [np.empty(0)])

    def _scored(self, out: _LeftOut) -> Floats:
        """The same for some, as lists of a collection: a topic for every kind of item that its pool lacks."""
        begin, items, ranks = self._rows
        kinds, lacking = np.unique(out.kind, return_inverse=True)
        turn = earlier(lacking)  # the system of a list: its number among those of its topic
        order = np.lexsort((lacking, turn))
        out, lacking, turn = out.some(order), lacking[order], turn[order]
        sizes = np.diff(begin)[out.list]
        made = np.repeat(np.arange(len(order)), sizes)
        entry = np.repeat(begin[out.list] - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        gone = np.where(out.place < 0, BEHIND, out.place - self.lists.begin[out.list] + 1)[made]
        kept = ranks[entry] != gone
        made, entry, gone = made[kept], entry[kept], gone[kept]
        pool, pool_item, lost = self._pools(kinds)
        item, lost_item = items[entry], lost[lacking][made]
        item = np.where(item == lost_item, out.item[made], item)  # which takes the name of the one that is lost
        topics = len(kinds) + 1
        row, lists = turn * topics + lacking, (int(turn.max()) + 1) * topics
        retrieved, held = np.full(lists, ABSENT), np.zeros(lists, np.int64)
        depth = self.ranked.retrieved[self.lists.systems * len(self.ranked.topics) + self.topic]
        retrieved[row] = depth[out.list] - (out.place >= 0)
        held[row] = np.bincount(made, minlength=len(order))
        collection = replace(
            self.ranked, systems=tuple(map(str, range(lists // topics))), pool=pool,
            gains=frozen(self.ranked.item_gain[pool_item]), judged_items=frozen(self.ranked.item_judged[pool_item]),
            retrieved=frozen(retrieved), begin=frozen(np.concatenate([[0], np.cumsum(held)])),
            rank=frozen(ranks[entry] - (ranks[entry] > gone)),
            item=frozen((pool.begin[lacking[made]] + item - (item > lost_item)).astype(np.int32)), top=None, keys=None,
        )  # fmt: skip
        scores = np.empty(len(order))
        values = on_scale(self.measure, np.asarray(self.measure.score(collection), np.float64))
        scores[order] = values.ravel()[row]
        return scores

    def _pools(self, kinds: Ints) -> tuple[Pool, Ints, Ints]:
        """A pool without one item of each kind, as topics; which items these are; and the one that each lacks.

        A topic more, without lists, has the highest label of all: a measure may read its scale off the labels.
        """
        size = self._pooled.stop - self._pooled.start
        lost = np.append(self._kinds[1], size)[kinds]
        there = np.arange(size)[None, :] != lost[:, None]
        item = self._pooled.start + np.nonzero(there)[1]
        highest = int(np.argmax(np.where(self.ranked.item_judged, self.ranked.item_gain, -np.inf)))
        sizes = np.append(there.sum(axis=1), 1)
        pool = replace(
            self.ranked.pool, topics=tuple(map(str, range(len(sizes)))),
            begin=frozen(np.concatenate([[0], np.cumsum(sizes)])),
            topic=frozen(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)),
        )  # fmt: skip
        return pool, np.append(item, highest), lost


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """Documents that are left out of lists: of which list, of what kind, which item, at what place (-1: not there)."""

    list: Ints
    kind: Ints
    item: Ints
    place: Ints

    def some(self, at: Ints) -> _LeftOut:
        """Only these."""
        return _LeftOut(self.list[at], self.kind[at], self.item[at], self.place[at])
