"""Drawn collections put together by plain loops over documents, from the copies that each is drawn."""

from __future__ import annotations

import sys
from functools import lru_cache

import numpy as np
import pytest
from scipy import stats

from truegain.data.alignment import align
from truegain.data.judgments import Judgments
from truegain.data.pool import Pool, RankedGains
from truegain.data.runs import Runs
from truegain.io.columns import Ids
from truegain.measures.catalogue import parse_measure
from truegain.sampling import _copies
from truegain.sampling.documents import (
    TopicLists,
    average_precisions,
    depth_needed,
    lists_of_topic,
    replicate,
    weighted_sums,
)
from truegain.sampling.streams import stream_key, streams


def test_depth_needed_is_seven_standard_deviations_and_twenty() -> None:
    """Guards how deep lists are kept for a measure of the first k: copies are Poisson, one in a billion is lost."""
    assert depth_needed(100) == 190
    for k in (1, 10, 100):
        assert stats.poisson.cdf(k - 1, depth_needed(k)) < 1e-9


SEED = 11


LABELS = {
    "1": {"a": 2, "b": 0, "c": -1, "d": 1, "lost": 3, "lost too": 0},
    "2": {"a": 0, "c": 0, "e": 0},  # nothing to find
    "3": {"e": 1, "f": 0, "a": 0},  # one relevant document: often drawn again
    "4": {"b": 1, "f": 2, "g": 1},
}


LISTS = {
    "s": {"1": "xbadyc", "3": "fe", "4": "gxfby"},
    "t": {"1": "daz", "2": "cax", "3": "xyz", "4": "yb"},
    "u": {"2": "e", "4": "bgf"},
}


@lru_cache
def lists() -> RankedGains:
    """Three systems and four topics; s lacks topic 2, u lacks 1 and 3."""
    runs = {s: {t: {d: -float(i) for i, d in enumerate(docs)} for t, docs in rows.items()} for s, rows in LISTS.items()}
    parts = Runs.of(runs).parts
    return align(Pool.of(Judgments.of(LABELS)), [lambda: parts], keep_keys=sys.maxsize)[0]


def copies(topic: str, number: int, attempt: int) -> dict[str, int]:
    """How often every document of a topic is drawn."""
    docs = sorted({*LABELS[topic], *(d for rows in LISTS.values() for d in rows.get(topic, ""))})
    key = np.array([stream_key(SEED, "documents", topic)], np.uint64)
    stream = streams(key, number, np.array([attempt]))
    out = np.empty(len(docs), np.int32)
    _copies.draw(np.ascontiguousarray(Ids.of(docs).hash), np.repeat(stream, len(docs)), out)
    return dict(zip(docs, out.tolist(), strict=True))


def drawn(topic: str, number: int, level: int) -> tuple[dict[str, int], int]:
    """The copies that count, and how often a topic was drawn again because nothing relevant was left."""
    good = [d for d, g in LABELS[topic].items() if g >= level]
    for attempt in range(1000):
        found = copies(topic, number, attempt)
        if not good or any(found[d] for d in good):
            return found, attempt
    raise AssertionError


@pytest.mark.parametrize("level", [1, 2])
def test_a_drawn_collection_holds_every_document_as_often_as_drawn(level: int) -> None:
    """Guards lists, ranks, labels, lengths and the pool of 30 collections, document by document."""
    ranked, again = lists(), 0
    for number in range(30):
        whole, redrawn = replicate(ranked, level, SEED, number)
        for t, topic in enumerate(ranked.topics):
            found, attempts = drawn(topic, number, level)
            again += attempts
            redrawn -= attempts
            pool = np.flatnonzero(np.asarray(whole.pool.topic) == t)
            want = sorted((g, found[d]) for d, g in LABELS[topic].items() if found[d])
            assert sorted(whole.item_gain[pool].tolist()) == [g for g, many in want for _ in range(many)]
            assert whole.pool.begin[t + 1] - whole.pool.begin[t] == len(pool)
            judged = [g >= 0 for g in whole.item_gain[pool].tolist()]
            assert whole.item_judged[pool].tolist() == judged
            for s, system in enumerate(ranked.systems):
                number_of_list = s * len(ranked.topics) + t
                docs = [d for d in LISTS[system].get(topic, "") for _ in range(found[d])]
                assert bool(whole.present[number_of_list]) == (topic in LISTS[system])
                assert whole.depth[number_of_list] == len(docs)
                at = slice(int(whole.begin[number_of_list]), int(whole.begin[number_of_list + 1]))
                pooled = [(i, d) for i, d in enumerate(docs, 1) if d in LABELS[topic]]
                assert whole.rank[at].tolist() == [i for i, _ in pooled]
                assert whole.gain[at].tolist() == [LABELS[topic][d] for _, d in pooled]
                names = whole.pool.docs.take(whole.item[at]).strings()
                assert list(names) == [d for _, d in pooled]
                assert len(set(whole.item[at].tolist())) == len(pooled)  # every copy is a document of its own
        assert redrawn == 0
    assert again > 5


@pytest.mark.parametrize("systems", [None, range(3), range(1, 3), range(2)])
@pytest.mark.parametrize("to_last", [True, False])
def test_lists_of_a_topic_are_the_lists(systems: range | None, to_last: bool) -> None:
    """Guards numbers of documents: relevant ones first, equal documents alike; lists of those asked for only."""
    ranked = lists()
    for t, topic in enumerate(ranked.topics):
        good = sorted(d for d, g in LABELS[topic].items() if g >= 1)
        found = lists_of_topic(ranked, t, 1, systems, to_last=to_last)
        asked = [s for s in systems or range(3) if topic in LISTS[ranked.systems[s]]]
        assert (found.topic, found.relevant, found.systems.tolist()) == (topic, len(good), asked)
        key = {int(k): d for d, k in _keys().items()}
        assert {key[int(k)] for k in found.document[: found.relevant]} == set(good)
        for i, s in enumerate(asked):
            docs = LISTS[ranked.systems[s]][topic]
            last = max((r for r, d in enumerate(docs, 1) if d in good), default=0)
            entry = found.entry[found.begin[i] : found.begin[i + 1]]
            assert [key[int(k)] for k in found.document[entry]] == list(docs[:last] if to_last else docs)
            assert found.ranks(i).tolist() == [r for r, d in enumerate(docs, 1) if d in good]
            assert all((e < found.relevant) == (key[int(found.document[e])] in good) for e in entry.tolist())


def _keys() -> dict[str, int]:
    docs = sorted({*(d for row in LABELS.values() for d in row), *"xyz", *"abcdefg"})
    return dict(zip(docs, Ids.of(docs).hash.tolist(), strict=True))


def test_sums_and_precisions_of_lists_put_together_by_hand() -> None:
    """Guards both compiled sums against the copies: AP by its definition, and weight x worth rank by rank."""
    ranked, weights = lists(), np.array([1.0, 0.5, 0.25, 0.1, 0.05])
    for t, topic in enumerate(ranked.topics):
        if topic == "2":
            continue
        one = lists_of_topic(ranked, t, 1)
        worth = np.concatenate([np.arange(2.0, 2 + one.relevant), np.full(len(one.document) - one.relevant, -1.0)])
        value = {int(k): float(w) for k, w in zip(one.document[::-1], worth[::-1], strict=True)}  # relevant ones first
        precisions, again = average_precisions(one, 25, SEED)
        sums, twice = weighted_sums(one, worth, weights, 25, SEED)
        assert again == twice == sum(drawn(topic, n, 1)[1] for n in range(25))
        good = {d for d, g in LABELS[topic].items() if g >= 1}
        keys = _keys()
        for i, s in enumerate(one.systems.tolist()):
            docs = LISTS[ranked.systems[s]][topic]
            last = max((r for r, d in enumerate(docs, 1) if d in good), default=0)
            for n in range(25):
                found, _ = drawn(topic, n, 1)
                row = [d for d in docs[:last] for _ in range(found[d])]
                hits = [r for r, d in enumerate(row, 1) if d in good]
                ap = sum((k + 1) / r for k, r in enumerate(hits)) / sum(found[d] for d in good)
                assert precisions[i, n] == pytest.approx(ap, rel=1e-12)
                total = sum(w * value[keys[d]] for w, d in zip(weights, row, strict=False))
                assert sums[i, n] == pytest.approx(total, abs=1e-12)


def test_nothing_asked_for_is_nothing_drawn() -> None:
    """Guards topics that no system answers, and no replicates."""
    none = np.empty(0, np.int64)
    empty = TopicLists("1", 1, np.array([5], np.uint64), none, np.zeros(1, np.int64), none.astype(np.int32))
    values, again = average_precisions(empty, 4, SEED)
    assert (values.shape, again) == ((0, 4), 0)
    sums, again = weighted_sums(empty, np.ones(1), np.ones(3), 4, SEED)
    assert (sums.shape, again) == ((0, 4), 0)


@pytest.mark.parametrize("name", ["RR", "P@2", "Bpref", "nDCG@3", "Judged@3", "infAP"])
def test_any_measure_on_a_drawn_collection_is_that_of_its_lists_written_out(name: str) -> None:
    """Guards views of a drawn collection: scored again from dicts in which every copy has an id of its own."""
    ranked, measure = lists(), parse_measure(name)
    for number in range(8):
        scored = measure.score(replicate(ranked, 1, SEED, number)[0])
        for t, topic in enumerate(ranked.topics):
            found, _ = drawn(topic, number, 1)
            labels = {f"{d}#{i}": g for d, g in LABELS[topic].items() for i in range(found[d])}
            for s, system in enumerate(ranked.systems):
                if topic not in LISTS[system]:
                    assert np.isnan(scored[s, t])
                    continue
                order = [f"{d}#{i}" for d in LISTS[system][topic] for i in range(found[d])]
                if not order or not labels:
                    assert scored[s, t] == 0
                    continue
                parts = Runs.of({"s": {"1": {d: -float(i) for i, d in enumerate(order)}}}).parts
                plain = align(Pool.of(Judgments.of({"1": labels})), [lambda parts=parts: parts])[0]  # type: ignore[misc]
                assert scored[s, t] == pytest.approx(float(measure.score(plain)[0, 0]), rel=1e-12)
