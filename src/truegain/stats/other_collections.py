"""Any measure on other collections of the same kind: documents drawn, or one document left out at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypedDict

import numpy as np

from truegain.data.alignment import of_systems
from truegain.data.pool import ABSENT, Pool, RankedGains, earlier
from truegain.errors import MeasureError, TruegainError, warn
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.measures.base import FLOOR, Measure
from truegain.measures.dcg import gains_of, nDCG
from truegain.parallel.jobs import Engine, Progress, engine_for
from truegain.sampling.documents import RankSums, TopicLists, depth_needed, lists_of_topic, replicate
from truegain.sampling.jackknife import DrawnSums, ListMoves, TopicSpread, topic_spread

# ---- Any measure on other collections: documents are drawn, the same for all systems, and lists scored again.
#
# Measures that are a sum over ranks, and nDCG, are scored topic by topic from the copies alone; others copy by copy.
# Measures of the first k documents only look at what can reach the first k.

BLOCK = 20  # replicates in one piece of work


class DrawWords(TypedDict, total=False):
    """Keywords of `drawn_scores` that others hand on to it: how collections are drawn, and where."""

    replicates: int
    seed: int
    engine: Engine | None
    progress: Progress | None


@dataclass(frozen=True, eq=False)
class Drawn:
    """A measure in drawn collections: the summary of each system in each, and how far each topic moves."""

    summaries: Floats
    spreads: list[TopicSpread]
    redrawn: int


def drawn_scores(
    ranked: RankedGains,
    measure: Measure,
    *,
    pairs: bool = False,
    replicates: int = 2000,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Drawn:
    """Draw collections and score every system in each; with `pairs` also how systems move together."""
    check_drawable(measure)
    view = ranked.condensed if getattr(measure, "judged_only", False) else ranked
    cutoff = getattr(measure, "cutoff", None)
    near = view if cutoff is None else view.cut(depth_needed(cutoff))
    tell_shallow(near, measure)
    kernel = rank_sums(measure, near)
    runner = engine or engine_for()
    gathered = DrawnSums(on_scale(measure, np.asarray(measure.score(near), np.float64)), replicates, pairs)
    relevant = near.pool_relevant(least_relevant(measure))
    if kernel is not None:
        near.relevant_entries(least_relevant(measure))  # shared by all pieces: made once
        by_topic = runner.run(
            _drawn_topic, range(len(near.topics)), shared=(near, kernel, replicates, seed), progress=progress,
            name=lambda topic: f"{measure}, topic {near.topics[topic]}",
        )  # fmt: skip
        for topic, (values, again) in enumerate(by_topic):
            gathered.add(slice(topic, topic + 1), slice(None), on_scale(measure, values[:, None, :]), again)
        return _drawn(gathered, measure, relevant)
    pieces = [(first, min(first + BLOCK, replicates)) for first in range(0, replicates, BLOCK)]
    blocks = runner.run(
        _block, pieces, shared=(near, measure, seed), progress=progress,
        name=lambda piece: f"{measure}, replicates {piece[0] + 1} to {piece[1]}",
    )  # fmt: skip
    for piece, (values, again) in zip(pieces, blocks, strict=True):
        gathered.add(slice(None), slice(*piece), on_scale(measure, values), again)
    return _drawn(gathered, measure, relevant)


def check_drawable(measure: Measure) -> None:
    """Refuse measures that have no value on a drawn collection."""
    if measure.of_subtopics:
        raise TruegainError(f"{measure} uses subtopics, which cannot be resampled over the collection; use topics")
    if measure.reads_text:
        raise TruegainError(f"{measure} reads text, which is not resampled; use intervals over topics")
    if measure.mean == "none":
        raise TruegainError(f"{measure} has no mean over topics; choose a measure that has")


def tell_shallow(ranked: RankedGains, measure: Measure) -> None:
    """Warn of lists that end between k and 2k for a measure of the first k: drawn, they leave ranks empty."""
    cutoff = getattr(measure, "cutoff", None)
    if cutoff is None:
        return
    shallow = int((ranked.present & (ranked.depth >= cutoff) & (ranked.depth < 2 * cutoff)).sum())
    if shallow:
        warn(
            f"{shallow} of {int(ranked.present.sum())} rankings have {cutoff} or more but fewer than {2 * cutoff} "
            f"documents: resampled, they leave some of the first {cutoff} ranks empty, which overstates the variance "
            f"of {measure}; give rankings of {2 * cutoff} or more"
        )


def least_relevant(measure: Measure) -> float:
    """The least label that is relevant to a measure."""
    return float(getattr(measure, "rel", None) or np.nextafter(0, 1))


def keys_needed(measures: Sequence[Measure]) -> int:
    """How many documents of each list must be known to draw collections: all, or what can reach the first k."""
    cutoffs = [None if getattr(m, "judged_only", False) else getattr(m, "cutoff", None) for m in measures]
    return max(sys.maxsize if k is None else depth_needed(k) for k in cutoffs)


def rank_sums(measure: Measure, ranked: RankedGains) -> RankSums | None:
    """A measure as a sum over ranks for these lists; None where it is none."""
    share = isinstance(measure, nDCG)
    if not (share or measure.linear_in_gains) or ranked.entry_gains is not None:
        return None
    level = least_relevant(measure)
    depth = getattr(measure, "cutoff", None) or depth_needed(int(ranked.depth.max(initial=1)))
    try:
        worth = measure.worth(ranked.item_gain, ranked.item_judged)
    except MeasureError:  # its scale depends on the labels of the collection
        return None
    relevant = (ranked.item_gain >= level) & ranked.item_judged
    if (worth < 0).any() or ((worth != 0) != relevant).any():
        return None
    rank = np.arange(1, depth + 1)
    weights = 1 / measure.discount(rank) if isinstance(measure, nDCG) else measure.rank_weights(depth)
    return RankSums(level, weights, worth, share)


def _drawn_topic(
    shared: tuple[RankedGains, RankSums, int, int], topic: int, _: np.random.SeedSequence
) -> tuple[Floats, int]:
    """One topic of all systems in all replicates."""
    ranked, sums, replicates, seed = shared
    return sums.drawn(ranked, topic, replicates, seed)


def _block(
    shared: tuple[RankedGains, Measure, int], piece: tuple[int, int], _: np.random.SeedSequence
) -> tuple[Floats, int]:
    """Some replicates of all systems and topics."""
    ranked, measure, seed = shared
    values, redrawn = [], 0
    for number in range(*piece):
        drawn, again = replicate(ranked, least_relevant(measure), seed, number)
        values.append(np.asarray(measure.score(drawn), np.float64))
        redrawn += again
    return np.stack(values, axis=2), redrawn


def _drawn(sums: DrawnSums, measure: Measure, relevant: Ints) -> Drawn:
    """What all draws say."""
    counts = sums.there.sum(axis=1)[:, None] if measure.mean != "total" else 1
    with np.errstate(invalid="ignore", divide="ignore"):  # a system without a topic has no mean
        summaries = sums.total / counts
    if measure.mean == "geometric":
        summaries = np.exp(summaries)
    return Drawn(summaries, sums.spreads(relevant), sums.redrawn)


def on_scale(measure: Measure, values: Floats) -> Floats:
    """Values on the scale their summary is a mean (or sum) of: logarithms where it is a geometric mean."""
    return np.log(np.maximum(values, FLOOR)) if measure.mean == "geometric" else values


# ---- Any measure on collections that lack one document each: how far each topic moves, all systems together.
#
# A document that is left out of a list lets those below it rise by a rank. Documents without a gain between two that
# have one move a score alike, so one of each such gap is tried; AP has a closed form (`jackknife`).

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
    near.relevant_entries(least_relevant(measure))  # shared by all pieces: made once
    now = on_scale(measure, np.asarray(measure.score(near), np.float64))
    spreads = (engine or engine_for()).run(
        _topic_without_each, range(len(near.topics)), shared=(near, measure, now, pairs), progress=progress,
        name=lambda topic: f"{measure}, topic {near.topics[topic]}",
    )  # fmt: skip
    return list(spreads)


def _topic_without_each(
    shared: tuple[RankedGains, Measure, Floats, bool], topic: int, _: np.random.SeedSequence
) -> TopicSpread:
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
        label, judged = self.ranked.item_gain[self._pooled], self.ranked.item_judged[self._pooled]
        gain = gains_of(label, judged, getattr(self.measure, "gains", None))
        has, here = self.lists.entry < self.lists.relevant, self._entry >= 0
        has[here] |= (gain != 0)[item[self._entry[here]]]
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
        """Scores of some of the lists, as of a collection: a topic for every kind of item that its pool lacks."""
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
        retrieved, entries = np.full(lists, ABSENT), np.zeros(lists, np.int64)
        depth = self.ranked.retrieved[self.lists.systems * len(self.ranked.topics) + self.topic]
        retrieved[row] = depth[out.list] - (out.place >= 0)
        entries[row] = np.bincount(made, minlength=len(order))
        collection = replace(
            self.ranked, systems=tuple(map(str, range(lists // topics))), pool=pool,
            gains=frozen(self.ranked.item_gain[pool_item]), judged_items=frozen(self.ranked.item_judged[pool_item]),
            retrieved=frozen(retrieved), begin=frozen(np.concatenate([[0], np.cumsum(entries)])),
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


# ---- Two systems on collections that lack one document each: which documents their difference hangs on.

NEAR = 20  # ranks in which non-relevant documents are left out too, where a measure has no cutoff


def without_each(ranked: RankedGains, measure: Measure, systems: tuple[int, int]) -> tuple[list[str], Floats]:
    """Judged documents as 'topic document', and how far each moves the mean scores of two systems by being there.

    (score - score of the same topic without the document in lists and judgments) / T: of every relevant document, and
    of those that are not relevant and stand where the measure looks (without a cutoff, in the first 20 of a list).
    """
    two, cutoff = replace(of_systems(ranked, systems), keys=None), getattr(measure, "cutoff", None)
    if getattr(measure, "judged_only", False):
        two = two.condensed
    if cutoff is not None:
        two = two.cut(cutoff + 1)
    matters = (two.item_gain >= least_relevant(measure)) & two.item_judged
    matters[two.item[two.rank <= (cutoff or NEAR)]] = True
    listed = np.zeros(len(two.pool), np.bool_)
    listed[two.item] = True
    now, names, moved = np.asarray(measure.score(two), np.float64), [], []
    for topic in range(len(two.topics)):
        first, last = int(two.pool.begin[topic]), int(two.pool.begin[topic + 1])
        left_out = first + np.flatnonzero(matters[first:last])
        if len(left_out):
            alike = np.where(listed[left_out], -1.0 - left_out, two.item_gain[left_out])  # unlisted ones, by their gain
            _, some, which = np.unique(alike, return_index=True, return_inverse=True)
            then = np.asarray(measure.score(_without(two, topic, left_out[some])), np.float64)[:, which]
            moved.append((now[:, [topic]] - then).T / len(two.topics))
            names += [f"{two.topics[topic]} {doc}" for doc in two.pool.docs.take(left_out).strings()]
    return names, np.concatenate(moved) if moved else np.zeros((0, 2))


def _without(two: RankedGains, topic: int, left_out: Ints) -> RankedGains:
    """One topic as often as documents are left out of it, each time without one of them."""
    first, last, n = int(two.pool.begin[topic]), int(two.pool.begin[topic + 1]), len(left_out)
    kept = np.ones((n, last - first), np.bool_)
    kept[np.arange(n), left_out - first] = False
    number = np.cumsum(kept.ravel()).reshape(kept.shape) - 1  # of each item among all that are kept
    items = np.tile(np.arange(first, last), n)[kept.ravel()]
    ranks, entries, sizes, retrieved = [], [], [], []
    for at in range(len(two.systems)):
        row = at * len(two.topics) + topic
        begin, end = int(two.begin[row]), int(two.begin[row + 1])
        item, rank, depth = two.item[begin:end] - first, two.rank[begin:end], int(two.retrieved[row])
        there: Bools = kept[:, item]
        gone = np.full(n, end - begin)  # the place of the document that is left out; behind all where it is not listed
        which, place = np.nonzero(~there)
        gone[which] = place
        shifted = rank[None, :] - (np.arange(end - begin)[None, :] > gone[:, None])
        ranks.append(shifted[there])
        entries.append(number[:, item][there])
        sizes.append(there.sum(axis=1))
        retrieved.append(np.where(depth == ABSENT, ABSENT, depth - (gone < end - begin)))
    pool = replace(
        two.pool, topics=tuple(map(str, range(n))), begin=frozen(np.arange(n + 1) * (last - first - 1)),
        topic=frozen(np.repeat(np.arange(n, dtype=np.int32), last - first - 1)),
    )  # fmt: skip
    return replace(
        two, pool=pool, gains=frozen(two.item_gain[items]), judged_items=frozen(two.item_judged[items]),
        retrieved=frozen(np.concatenate(retrieved)),
        begin=frozen(np.concatenate([[0], np.cumsum(sizes)])),
        rank=frozen(np.concatenate(ranks)), item=frozen(np.concatenate(entries).astype(np.int32)),
    )  # fmt: skip
