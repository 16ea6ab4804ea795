"""Any measure on drawn collections: which road it takes, what counts, and limits written out."""

from __future__ import annotations

import math
import statistics
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from tests.stats.small_lists import SEED, lists
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.pool import RankedGains
from truegain.io.columns import Floats
from truegain.measures.base import Measure
from truegain.measures.catalogue import parse_measure
from truegain.sampling.documents import depth_needed, replicate
from truegain.stats.collection_ap import collection_spread
from truegain.stats.collection_intervals import (
    FEW_TOPICS,
    Scored,
    drawn_estimates,
    left_out_of,
    score_estimates,
    spread_rule,
)
from truegain.stats.other_collections import drawn_scores, keys_needed, least_relevant, rank_sums


def test_which_measures_are_sums_over_ranks() -> None:
    """Guards the fast road: sums over ranks and nDCG, but where labels of 0 gain or scale is read off."""
    ranked = lists()
    for name in ("P@5", "DCG@5", "CG", "RBP(rel=1)", "nDCG@5", "nDCG", "INSQ(max_rel=3)"):
        assert rank_sums(parse_measure(name), ranked) is not None, name
    for name in (
        "AP@5",
        "RR",
        "nDCG(gains={0:1})@5",
        "CG(gains={0:-1})",
        "RBP(max_rel='topic')",
        "P(rel=0)@5",
        "CG(gains={1:0})",
    ):
        assert rank_sums(parse_measure(name), ranked) is None, name
    kernel = rank_sums(parse_measure("nDCG(dcg='jk',base=3)@4"), ranked)
    assert kernel is not None
    assert kernel.weights.tolist() == pytest.approx([1, 1, 1, math.log(3) / math.log(4)])
    assert kernel.shared
    whole = rank_sums(parse_measure("DCG"), ranked)
    assert whole is not None
    assert len(whole.weights) == depth_needed(25)
    assert not whole.shared


def test_how_deep_lists_must_be_known() -> None:
    """Guards keys: what can reach the first k, the most of several measures, all where lists are condensed."""
    p5, p9, ap, condensed = (parse_measure(n) for n in ("P@5", "nDCG@9", "AP", "P(judged_only=True)@5"))
    assert keys_needed([p5]) == depth_needed(5) == 40
    assert keys_needed([p5, p9]) == depth_needed(9)
    assert keys_needed([p5, ap]) == keys_needed([condensed]) == sys.maxsize
    assert least_relevant(parse_measure("nDCG")) == least_relevant(parse_measure("P(rel=0)@5")) == np.nextafter(0, 1)
    assert least_relevant(parse_measure("AP(rel=2)")) == 2


@pytest.mark.parametrize("name", ["P@5", "RR", "GMAP", "NumRet(rel=1)", "nDCG@5"])
def test_drawn_limits_written_out(name: str) -> None:
    """Guards linear and percentile limits from drawn summaries, in logarithms for a geometric mean."""
    ranked, measure, z = lists(), parse_measure(name), statistics.NormalDist().inv_cdf(0.95)
    draws = drawn_scores(ranked, measure, replicates=60, seed=SEED)
    value = np.asarray(measure.summarize(measure.score(ranked), ranked, False), np.float64)
    for method in ("linear", "percentile"):
        found = drawn_estimates(ranked, measure, draws, method, 0.9)
        if method == "percentile":
            low, high = np.quantile(draws.summaries, [0.05, 0.95], axis=1)
            low, high = np.minimum(low, value), np.maximum(high, value)
        elif name == "GMAP":
            step = np.exp(z * np.log(draws.summaries).std(axis=1, ddof=1))
            low, high = value / step, value * step
        else:
            step = z * draws.summaries.std(axis=1, ddof=1)
            low, high = value - step, value + step
        top = math.inf if measure.mean == "total" else 1.0
        assert [e.low for e in found] == pytest.approx(np.maximum(low, 0).tolist())
        assert [e.high for e in found] == pytest.approx(np.minimum(high, top).tolist())
        assert [e.se for e in found] == pytest.approx(draws.summaries.std(axis=1, ddof=1).tolist())
        assert [e.n for e in found] == [7, 7, 5]


def test_how_many_topics_tell_something() -> None:
    """Guards the line of five topics with relevant documents, and the units that a mean rests on."""
    ranked = lists()
    scored = Scored.of(ranked, parse_measure("AP"), 0.95)
    assert [scored.telling(s) for s in range(3)] == [6, 6, 4]
    assert scored.telling(0, 2) == 4
    assert FEW_TOPICS == 5
    assert [e.method[:6] for e in score_estimates(ranked, parse_measure("AP"))] == ["t, doc", "t, doc", "Wilson"]
    assert scored.sizes(2).tolist() == [5, 1, 7, 2, 1]
    assert Scored.of(ranked, parse_measure("nDCG@3"), 0.95).sizes(2).tolist() == [3, 1, 3, 2, 1]
    (weight,) = set(Scored.of(ranked, parse_measure("RBP(p=0.5,rel=1)"), 0.95).sizes(2).tolist())
    assert weight == pytest.approx(0.25 / (0.25 / 0.75) / 0.25)
    assert Scored.of(ranked, parse_measure("P@4"), 0.95).sizes(0).tolist() == pytest.approx([4] * 7)
    kinds = {
        n: (left_out_of(parse_measure(n)), spread_rule(parse_measure(n)).how, spread_rule(parse_measure(n)).lone)
        for n in ("AP", "AP@5", "GMAP", "P@5", "NumRet", "nDCG@10", "R@10", "RR", "ERR@10", "SetP", "SetR", "SetF")
    }
    assert kinds == {
        "AP": (True, "left out", "all"), "AP@5": (False, "drawn", "near"), "GMAP": (False, "drawn", "near"),
        "P@5": (False, "drawn", "own"), "NumRet": (False, "drawn", "own"), "nDCG@10": (False, "drawn", "near"),
        "R@10": (False, "drawn", "near"), "RR": (False, "resampled and left out", "near"),
        "ERR@10": (False, "resampled and left out", "near"), "SetP": (False, "drawn", "own"),
        "SetR": (False, "left out", "all"), "SetF": (False, "resampled and left out", "near"),
    }  # fmt: skip


def test_what_does_not_move_has_no_spread_at_all() -> None:
    """Guards rounding: a geometric mean of nothing found is ln 0.00001 in every draw, and its variance exactly 0."""
    runs = {"a": {str(t): {"x": 2.0, "y": 1.0} for t in range(3)}}
    ranked = aligned(runs, {str(t): {"x": 0, "lost": 1, "lost too": 1} for t in range(3)}, Scoring(), keep_keys=9)
    for replicates in (20, 33, 47):
        for pairs in (False, True):
            drawn = drawn_scores(ranked, parse_measure("GMAP"), replicates=replicates, pairs=pairs)
            assert [float(s.of_systems()[0][0]) for s in drawn.spreads] == [0.0] * 3


@dataclass(frozen=True, kw_only=True, repr=False)
class Balance(Measure):
    """A total of values from -2 to 1."""

    AT = None
    mean = "total"

    def bounds(self) -> tuple[float, float]:
        """Of one topic."""
        return -2.0, 1.0

    def per_topic(self, ranked: RankedGains) -> Floats:
        """1 everywhere."""
        return np.ones(ranked.lists)


def test_a_total_is_bounded_by_that_of_its_topics() -> None:
    """Guards limits of a sum: as many times the least and the greatest value of a topic as there are topics."""
    scored = Scored.of(lists(), Balance(), 0.95)
    for system, topics in enumerate((7, 7, 5)):
        found = scored.estimate(system, -100.0, 100.0, "t", None)
        assert (found.low, found.high, found.n) == (-2 * topics, topics, topics)


@pytest.mark.parametrize("name", ["P@5", "nDCG@5", "RR", "AP@10"])
def test_topics_drawn_again_are_counted(name: str) -> None:
    """Guards the count on both roads: that of the collections one by one."""
    ranked, measure = lists(), parse_measure(name)
    want = sum(replicate(ranked, least_relevant(measure), SEED, number)[1] for number in range(45))
    assert drawn_scores(ranked, measure, replicates=45, seed=SEED).redrawn == want > 10
    spread = collection_spread(ranked, replicates=45, seed=SEED)
    assert spread.redrawn == want
