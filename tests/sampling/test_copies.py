"""Drawn collections: the fast way against plain replication, exact moments, and one stream per document."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest
from scipy import stats

from truegain.data.alignment import align
from truegain.data.judgments import Judgments
from truegain.data.pool import Pool, RankedGains
from truegain.data.runs import Runs
from truegain.io.columns import Floats
from truegain.measures.average_precision import AP
from truegain.measures.catalogue import parse_measure
from truegain.sampling import _copies
from truegain.sampling.documents import TopicLists, average_precisions, lists_of_topic, replicate, weighted_sums
from truegain.sampling.streams import stream_key, stream_keys, streams

SEED = 7
Lists = dict[str, dict[str, dict[str, float]]]


def of_dicts(runs: Lists, labels: dict[str, dict[str, int]]) -> RankedGains:
    """Lists aligned with the keys of all their documents."""
    parts = Runs.of(runs).parts
    ranked, _ = align(Pool.of(Judgments.of(labels)), [lambda: parts], keep_keys=sys.maxsize)
    return ranked


def aligned(run: str, missed: int = 1) -> RankedGains:
    """A list such as '1001' of relevant and other documents, and so many relevant ones that were not retrieved."""
    docs = {f"d{i}": float(len(run) - i) for i in range(len(run))}
    labels = {f"d{i}": int(c) for i, c in enumerate(run) if c != "x"} | {f"m{i}": 1 for i in range(missed)}
    return of_dicts({"s": {"1": docs}}, {"1": labels})


def random_lists(systems: int = 3, topics: int = 4, depth: int = 60, seed: int = 1) -> RankedGains:
    """Lists that share documents, judged and not, with graded labels; topic 0 has one relevant document."""
    rng = np.random.default_rng(seed)
    labels = {
        str(t): {f"d{i}": int(rng.integers(-1, 4)) if t else 3 * int(i == 4) for i in range(0, depth, 2)}
        for t in range(topics)
    }
    runs: Lists = {
        f"s{s}": {str(t): {f"d{i}": float(rng.normal()) for i in range(depth)} for t in range(topics)}
        for s in range(systems)
    }
    return of_dicts(runs, labels)


def plain(run: str, missed: int, replicates: int, seed: int) -> Floats:
    """AP of whole lists replicated document by document, as the paper says it."""
    rng = np.random.default_rng(seed)
    relevant = np.array([c == "1" for c in run])
    found: list[float] = []
    while len(found) < replicates:
        drawn = np.repeat(relevant, rng.poisson(1, len(run)))
        possible = drawn.sum() + rng.poisson(1, missed).sum()
        if possible:
            rank = np.flatnonzero(drawn) + 1
            found.append(float((np.arange(1, len(rank) + 1) / rank).sum() / possible))
    return np.array(found)


LISTS = [("1", 0), ("0001", 2), ("1101001000", 3), ("0" * 30 + "1" + "0" * 20 + "11", 5), ("10x1x00x1", 0)]


@pytest.mark.parametrize(("run", "missed"), LISTS)
def test_the_distribution_is_that_of_plain_replication(run: str, missed: int) -> None:
    """Guards the draws by a two-sample test with a fixed seed."""
    fast, _ = average_precisions(lists_of_topic(aligned(run, missed), 0, 1), 4000, SEED)
    slow = plain(run.replace("x", "0"), missed, 4000, 3)
    assert stats.ks_2samp(fast[0], slow).pvalue > 0.001
    assert fast[0].mean() == pytest.approx(slow.mean(), abs=5 * slow.std() / math.sqrt(2000) + 1e-12)


@pytest.mark.parametrize(("run", "missed"), [("11", 0), ("01", 1), ("101", 0), ("1", 2)])
def test_exact_moments_of_tiny_lists(run: str, missed: int) -> None:
    """Guards mean and variance against the whole distribution, enumerated."""
    most, documents = 9, len(run) + missed
    weight = total = square = 0.0
    for copies in itertools.product(range(most), repeat=documents):
        drawn = "".join(c * k for c, k in zip(run, copies, strict=False))
        possible = sum(k for c, k in zip(run + "1" * missed, copies, strict=True) if c == "1")
        if not possible:
            continue
        rank = [i + 1 for i, c in enumerate(drawn) if c == "1"]
        ap = sum((i + 1) / r for i, r in enumerate(rank)) / possible
        p = math.prod(math.exp(-1) / math.factorial(k) for k in copies)
        weight, total, square = weight + p, total + p * ap, square + p * ap * ap
    mean = total / weight
    variance = square / weight - mean**2
    drawn_ap, _ = average_precisions(lists_of_topic(aligned(run, missed), 0, 1), 200_000, SEED)
    assert drawn_ap.mean() == pytest.approx(mean, abs=5 * math.sqrt(variance / 200_000) + 1e-9)
    assert drawn_ap.var() == pytest.approx(variance, rel=0.03, abs=1e-9)


def test_draws_without_a_relevant_document_are_repeated_and_counted() -> None:
    """Guards R' = 0: with one relevant document a draw fails with probability 1/e."""
    _, redrawn = average_precisions(lists_of_topic(aligned("1", 0), 0, 1), 50_001, SEED)
    assert redrawn / (redrawn + 50_001) == pytest.approx(math.exp(-1), abs=0.01)


def test_copies_are_poisson_and_unrelated() -> None:
    """Guards the table of draws: frequencies of 0, 1, 2 ... copies, and no two documents or replicates alike."""
    document = np.random.default_rng(1).integers(1 << 63, size=1000).astype(np.uint64)
    out = np.empty((1000, 1000), np.int32)
    for b in range(1000):
        stream = streams(stream_keys(SEED, "documents", ["1"]), b, np.zeros(1, np.int64))
        _copies.draw(document, np.repeat(stream, 1000), out[b])
    seen = np.bincount(out.ravel(), minlength=9)[:9]
    expected = 1e6 * stats.poisson(1).pmf(np.arange(9))
    assert (((seen - expected) ** 2 / expected).sum()) < stats.chi2(8).ppf(0.999)
    near = np.arange(1000, dtype=np.uint64)  # ids whose keys differ by a bit
    drawn = np.empty((2000, 1000), np.int32)
    for b in range(2000):
        _copies.draw(near, np.repeat(streams(np.zeros(1, np.uint64), b, np.zeros(1, np.int64)), 1000), drawn[b])
    for values in (out, drawn):
        for lag in ((1, 0), (0, 1), (2, 0), (0, 2)):
            x, y = values[lag[0] :, lag[1] :], values[: values.shape[0] - lag[0], : values.shape[1] - lag[1]]
            assert abs(np.corrcoef(x.ravel(), y.ravel())[0, 1]) < 0.004, lag


def test_a_list_does_not_depend_on_its_neighbours() -> None:
    """Guards the order and number of systems: each list has the same bits alone and beside others."""
    ranked = random_lists()
    for topic in range(4):
        together, _ = average_precisions(lists_of_topic(ranked, topic, 1), 100, SEED)
        for system in range(3):
            alone, _ = average_precisions(lists_of_topic(ranked, topic, 1, range(system, system + 1)), 100, SEED)
            assert (alone[0] == together[system]).all()


def test_the_same_document_has_the_same_copies_in_every_list() -> None:
    """Guards pairing, judged documents and others: equal lists score equally in every collection; others do not."""
    docs = {f"d{i}": float(-i) for i in range(40)}
    runs = {"a": {"1": docs}, "b": {"1": docs}, "c": {"1": {d: (s - 9.5 if d == "d3" else s) for d, s in docs.items()}}}
    ranked = of_dicts(runs, {"1": {"d3": 1, "d8": 2, "missed": 1}})
    drawn, _ = average_precisions(lists_of_topic(ranked, 0, 1), 500, SEED)
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] != drawn[2]).any()
    for number in range(50):
        whole, _ = replicate(ranked, 1, SEED, number)
        for name in ("nDCG@10", "AP", "RR", "NumRet"):
            values = parse_measure(name).score(whole)[:, 0]
            assert values[0] == values[1], name


@pytest.mark.parametrize(
    "name", ["AP", "P@5", "P(rel=2)@10", "DCG@10", "nDCG@10", "nDCG(dcg='exp-log2')@5", "RBP(rel=1)"]
)
def test_both_roads_draw_the_same_collections(name: str) -> None:
    """Guards the compiled sums: the same collections as whole lists copied and scored, redrawn ones too."""
    ranked, measure = random_lists(), parse_measure(name)
    level = float(getattr(measure, "rel", None) or 1)
    whole = [replicate(ranked, level, SEED, number) for number in range(40)]
    slow = np.array([measure.score(drawn) for drawn, _ in whole])
    fast, redrawn = np.empty_like(slow), 0
    for topic in range(4):
        lists = lists_of_topic(ranked, topic, level)
        if name == "AP":
            values, again = average_precisions(lists, 40, SEED)
        else:
            values, again = _summed(lists, ranked, topic, measure, level)
        fast[:, :, topic], redrawn = values.T, redrawn + again
    assert fast == pytest.approx(slow, abs=1e-12)
    assert redrawn == sum(again for _, again in whole)
    assert redrawn > 5  # topic 0 has one relevant document


def _summed(lists: TopicLists, ranked: RankedGains, topic: int, measure: object, level: float) -> tuple[Floats, int]:
    from truegain.stats.other_collections import rank_sums

    kernel = rank_sums(measure, ranked)  # type: ignore[arg-type]
    assert kernel is not None
    assert kernel.level == pytest.approx(level) or level == 1
    assert lists.relevant
    return kernel.drawn(ranked, topic, 40, SEED)


def test_sums_over_ranks_by_hand() -> None:
    """Guards worth (W[s + c] - W[s]) where every draw is known: equal weights at all ranks count copies."""
    ranked = random_lists(systems=1, topics=2)
    lists = lists_of_topic(ranked, 1, 1, to_last=False)
    worth = np.arange(1.0, len(lists.document) + 1)
    values, _ = weighted_sums(lists, worth, np.ones(500), 30, SEED)
    key = np.array([stream_key(SEED, "documents", "1")], np.uint64)
    for number in range(30):
        stream = streams(key, number, np.zeros(1, np.int64))
        copies = np.empty(len(lists.document), np.int32)
        _copies.draw(lists.document, np.repeat(stream, len(copies)), copies)
        assert values[0, number] == pytest.approx(float((worth * copies)[lists.entry].sum()))


def test_deep_lists_are_counted_right() -> None:
    """Guards sums of 16 bits: the rank of a document below 70,000 others has their mean and variance."""
    depth = 70_000
    document = np.concatenate([[5], np.random.default_rng(1).integers(1 << 62, size=depth)]).astype(np.uint64)
    entry = np.concatenate([np.arange(1, depth + 1), [0]]).astype(np.int32)
    lists = TopicLists("1", 1, document, np.array([0]), np.array([0, depth + 1]), entry)
    drawn, _ = average_precisions(lists, 600, SEED)
    rng = np.random.default_rng(5)
    copies = rng.poisson(1, 4000)
    k = copies[copies > 0][:600]
    before = rng.poisson(depth, 600)
    slow = np.array([sum((c + 1) / (b + c + 1) for c in range(n)) / n for b, n in zip(before, k, strict=True)])
    assert stats.ks_2samp(drawn[0], slow).pvalue > 0.001
    alone = 1 / drawn[0][drawn[0] < 1.25 / depth]  # one copy: its rank
    assert alone.mean() == pytest.approx(depth, abs=5 * math.sqrt(depth / len(alone)))


@pytest.mark.few(2)
@pytest.mark.parametrize(("run", "missed"), LISTS[1:])
def test_whole_lists_drawn_for_any_measure(run: str, missed: int) -> None:
    """Guards the expansion that serves every measure: its AP has the right distribution, its lists are sound."""
    ranked = aligned(run, missed)
    drawn = [replicate(ranked, 1, 3, b) for b in range(1500)]
    values = np.array([float(AP().score(r)[0, 0]) for r, _ in drawn])
    assert stats.ks_2samp(values, plain(run.replace("x", "0"), missed, 3000, 4)).pvalue > 0.001
    depth = np.array([int(r.depth[0]) for r, _ in drawn])
    assert depth.mean() == pytest.approx(len(run), abs=5 * math.sqrt(len(run) / 1500))
    assert all((np.diff(r.rank) > 0).all() and r.rank.max(initial=0) <= r.depth[0] for r, _ in drawn)


def test_streams_differ_by_seed_source_unit_replicate_and_attempt() -> None:
    """Guards the names of streams: any part that differs gives another stream, and nothing else does."""
    keys = {stream_key(seed, source, unit) for seed in (0, 1) for source in ("a", "b") for unit in ("1", "2", "12")}
    assert len(keys) == 12
    assert stream_keys(0, "a", ["2", "1"]).tolist() == [stream_key(0, "a", "2"), stream_key(0, "a", "1")]
    one = np.array([stream_key(0, "a", "1")], np.uint64)
    all_of = [int(streams(one, b, np.array([k]))[0]) for b in range(50) for k in range(50)]
    assert len(set(all_of)) == 2500


def test_lists_without_keys_are_refused() -> None:
    """Guards unjudged documents without a name: they cannot be drawn, and this is said."""
    from truegain.errors import TruegainError

    parts = Runs.of({"s": {"1": {"a": 1.0}}}).parts
    ranked, _ = align(Pool.of(Judgments.of({"1": {"a": 1}})), [lambda: parts])
    with pytest.raises(TruegainError, match="keep_keys"):
        replicate(ranked, 1, 0, 0)


@pytest.mark.parametrize("scale", ["ap", "logit"])
def test_spreads_of_a_difference_are_those_of_lists_copied(scale: str) -> None:
    """Guards both spreads of the paper's differences: whole lists copied, scored and subtracted have exactly these."""
    from truegain.stats.collection_ap import EPSILON, collection_differences

    ranked = random_lists()
    (found,) = collection_differences(ranked, [(0, 1)], scale=scale, replicates=40, seed=SEED)
    drawn = np.array([AP().score(replicate(ranked, 1, SEED, number)[0])[:2] for number in range(40)])
    plain = AP().score(ranked)[:2]
    if scale == "logit":
        drawn, plain = _logit(drawn, EPSILON), _logit(plain, EPSILON)
    assert found.difference == pytest.approx(plain[1] - plain[0], abs=1e-12)
    assert found.paired == pytest.approx((drawn[:, 1] - drawn[:, 0]).std(axis=0, ddof=1), abs=1e-12)
    apart = np.sqrt(drawn[:, 0].var(axis=0, ddof=1) + drawn[:, 1].var(axis=0, ddof=1))
    assert found.independent == pytest.approx(apart, abs=1e-12)
    assert (found.paired > 0.001).any()


def _logit(x: Floats, epsilon: float) -> Floats:
    inside = np.clip(x, epsilon, 1 - epsilon)
    return np.asarray(np.log(inside / (1 - inside)))
