"""Intervals over collections at the edges: lone relevant documents, nothing that moves, topics without any."""

from __future__ import annotations

import ast
import itertools
import math
import statistics
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.coverage import collection as worlds
from scipy import stats

import truegain as tg
from tests.stats.small_lists import SEED, lists
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.id_matching import UNCHECKED
from truegain.data.pool import RankedGains
from truegain.io.columns import Floats
from truegain.measures.catalogue import parse_measure
from truegain.sampling.documents import average_precisions, lists_of_topic
from truegain.stats import collection_ap, collection_intervals
from truegain.stats import collection_ap as pairs_by_topic
from truegain.stats.collection_ap import CollectionDifference, collection_differences, combined_comparisons
from truegain.stats.collection_intervals import FEW_TOPICS, Pooled, few_relevant, score_estimates, two_sided
from truegain.stats.collection_pairs import mean_differences
from truegain.stats.multiple_testing import adjust, adjust_asked
from truegain.stats.results import Comparison

Lists = dict[str, dict[str, dict[str, float]]]


def view(orders: dict[str, list[str]], labels: dict[str, dict[str, int]]) -> RankedGains:
    """Every system with the same order of documents on all topics."""
    runs: Lists = {s: {t: {d: float(-i) for i, d in enumerate(docs)} for t in labels} for s, docs in orders.items()}
    return aligned(runs, labels, Scoring(), keep_keys=sys.maxsize, matching=UNCHECKED)  # some have no judged document


GOOD, BAD = [f"d{i}" for i in range(3)], [f"x{i}" for i in range(40)]


@pytest.mark.parametrize("relevant", [[1] * 20 + [2], [1] * 20 + [2] * 2, [1] * 9 + [3], [1] * 5 + [2] * 5, [2] * 5])
def test_degrees_of_freedom_hold_on_normal_data(relevant: list[int]) -> None:
    """Guards df where the truth is exact: normal documents, means of topics; it was .72, .83, .85, .93 and .98."""
    rng = np.random.default_rng(3)
    studies = 12_000
    pooled, away = Pooled(studies), np.zeros(studies)
    for r in relevant:
        x = rng.normal(size=(studies, r))
        away += x.mean(axis=1)
        own = x.var(axis=1, ddof=1) / r if r > 1 else np.zeros(studies)
        pooled.add(r, own, np.zeros(studies), np.ones(studies, np.bool_))
    variance, freedom = pooled.total()
    inside = np.abs(away) <= stats.t(freedom).ppf(0.975) * np.sqrt(variance)
    assert inside.mean() == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("name", ["P@5", "RBP(rel=1)", "DCG@5", "nDCG@5"])
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_a_judged_topic_that_no_run_answers(name: str) -> None:
    """Guards sums over ranks of no lists: the topic is left out, as by evaluate, and nothing breaks."""
    labels = {str(t): dict.fromkeys(GOOD, 1) for t in range(8)}
    docs = ["d0", "x0", "d1", *BAD[1:], "d2"]
    runs = {"a": {t: {d: float(-i) for i, d in enumerate(docs)} for t in labels if t != "3"}}
    whole = tg.intervals(runs, labels, name, population="collection", resampling=tg.Resampling(n=200))[0]
    without = tg.intervals(
        runs,
        {t: x for t, x in labels.items() if t != "3"},
        name,
        population="collection",
        resampling=tg.Resampling(n=200),
    )[0]
    assert (whole.low, whole.value, whole.high, whole.n) == (without.low, without.value, without.high, 7)


@pytest.mark.parametrize("name", ["num_rel_ret", "DCG@5", "GMAP"])
def test_what_no_document_moves_is_refused(name: str) -> None:
    """Guards intervals without width: nothing relevant retrieved gave [0, 0]; a mean from 0 to 1 has Wilson's."""
    ranked = view({"a": BAD}, {str(t): dict.fromkeys(GOOD, 1) for t in range(8)})
    with pytest.raises(tg.TruegainError, match="no resampled collection changes it"):
        score_estimates(ranked, tg.parse_measure(name), replicates=50)
    share = score_estimates(ranked, tg.parse_measure("P@5"), replicates=50)[0]
    assert share.low == 0 < share.high
    assert "Wilson" in share.method


@pytest.mark.parametrize("telling", [1, FEW_TOPICS - 1, FEW_TOPICS])
def test_topics_without_relevant_documents_do_not_make_few_many(telling: int) -> None:
    """Guards FEW_TOPICS: topics that cannot move do not count, for scores and differences alike."""
    labels = {str(t): dict.fromkeys(GOOD, 1 if t < telling else 0) for t in range(8)}
    mixed = ["x0", "d0", "x1", "d1", *BAD[2:]]
    ranked = view({"a": mixed, "b": [*GOOD, *BAD]}, labels)
    found = score_estimates(ranked, tg.parse_measure("AP"))[0]
    assert found.n == 8
    if telling >= FEW_TOPICS:
        assert found.method == "t, documents left out"
        assert mean_differences(ranked, tg.parse_measure("AP"), [(0, 1)]).comparisons()[0].p is not None
        return
    assert "Wilson" in found.method
    with pytest.raises(tg.TruegainError, match=f"share {telling} of the topics with relevant documents"):
        mean_differences(ranked, tg.parse_measure("AP"), [(0, 1)])
    with pytest.raises(tg.TruegainError, match=f"{telling} topics with relevant documents are too few"):
        score_estimates(ranked, tg.parse_measure("DCG@5"), replicates=50)


def test_why_a_difference_has_no_interval_is_true() -> None:
    """Guards the two reasons: nothing moves (perfect against empty, R = 3), and one relevant document everywhere."""
    orders = {"none": BAD, "perfect": [*GOOD, *BAD], "some": ["x0", "d0", *BAD[1:]]}
    still, lone = "no document left out changes", "only topics with one relevant document"
    for count, why, other in ((3, still, lone), (1, lone, still)):
        ranked = view(orders, {str(t): dict.fromkeys(GOOD[:count], 1) for t in range(8)})
        (found,) = mean_differences(ranked, tg.parse_measure("AP"), [(0, 1)]).comparisons()
        assert (found.difference, found.low, found.high, found.p) == (1.0, None, None, None)
        notes = " ".join(found.notes)
        assert why in notes
        assert other not in notes
    assert np.isnan(two_sided(np.zeros(1), np.array([np.nan]), np.ones(1)))[0]


def test_pairs_without_an_answer_stay_in_the_family() -> None:
    """Guards adjustment: three pairs asked for are three, also where one has no p; worked by hand for Holm."""
    ranked = view(
        {"none": BAD, "perfect": [*GOOD, *BAD], "some": ["x0", "d0", "x1", "d1", *BAD[2:]]},
        {str(t): dict.fromkeys(GOOD, 1) for t in range(8)},
    )
    found = mean_differences(ranked, tg.parse_measure("AP"), [(0, 1), (0, 2), (1, 2)]).comparisons("bonferroni")
    assert found[0].p is found[0].p_adjusted is None
    for c in found[1:]:
        assert c.p is not None
        assert c.p_adjusted == pytest.approx(min(1.0, 3 * c.p))
    shown = adjust_asked([0.01, math.nan, 0.02, math.nan], "holm")
    assert shown[[0, 2]] == pytest.approx([0.04, 0.06])
    assert np.isnan(shown[[1, 3]]).all()
    assert adjust_asked([0.01, 0.2], "bh") == pytest.approx(adjust([0.01, 0.2], "bh"))


@pytest.mark.filterwarnings("ignore:.*rankings have")
def test_differences_stay_within_what_is_possible() -> None:
    """Guards the limits of a difference: of perfect against none high was 1.19, and no two P@3 are so far apart."""
    labels = {str(t): dict.fromkeys(GOOD, 1) for t in range(8)}
    ranked = view({"none": BAD, "perfect": [*GOOD, *BAD]}, labels)
    for pair, (least, greatest) in (((0, 1), (-1, 1)), ((1, 0), (-1, 1))):
        (found,) = mean_differences(ranked, tg.parse_measure("P@3"), [pair], replicates=300).comparisons()
        assert found.low is not None
        assert found.high is not None
        assert abs(found.difference) == 1
        assert least <= found.low < found.high <= greatest


@pytest.mark.slow
def test_the_benchmark_counts_refusals_as_refusals() -> None:
    """Guards the worlds: a pair without an interval was [0, 0], which holds the truth of an equal pair."""
    refused = Comparison("a", "b", "AP", 0.5, 0.5, 0.1, None, None, None)
    assert worlds.told(refused, 0.0) is None
    seen = worlds.told(Comparison("a", "b", "AP", 0.5, 0.5, 0.1, 0.05, 0.15, 0.01), 0.1)
    assert seen is not None
    assert seen.inside
    assert "AP equal pair of three topics" in worlds.one_topic("R about 10", np.random.default_rng(1))


def test_collection_does_not_need_intervals() -> None:
    """Guards the folders of inference: `intervals` imports `collection`, never the other way."""
    folder = Path(tg.__file__).parent / "inference" / "collection"
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("truegain.stats"), path.name


def drawn_ap(replicates: int = 60) -> Floats:
    """AP by system, topic and replicate, NaN where absent or where nothing is relevant."""
    ranked = lists()
    out = np.full((3, 7, replicates), np.nan)
    for t in range(6):
        one = lists_of_topic(ranked, t, 1)
        out[one.systems, t] = average_precisions(one, replicates, SEED)[0]
    return out


def made(difference: list[float], sd: list[float]) -> CollectionDifference:
    """Differences with given spreads."""
    many = len(difference)
    ap = np.array([np.zeros(many), difference])
    names = tuple(str(i) for i in range(many))
    spread = np.array(sd)
    apart = np.where(spread > 1e-12, 2 * spread, spread)
    return CollectionDifference(
        ("a", "b"), names, ap, np.array(difference), spread, apart, np.full(many, 8), "ap", 50, 0.95, 0
    )


def test_topics_that_do_not_move_are_left_out() -> None:
    """Guards the line: one moving topic is refused, two are put together; the note counts the others."""
    with pytest.raises(tg.TruegainError, match=r"1 of [0-9]+ topics vary"):
        made([0.1, 0.2], [0.1, 1e-12]).combined()
    found = made([0.1, 0.3, 0.9], [0.1, 0.2, 1e-12])
    one = found.comparison("fixed")
    assert one.difference == pytest.approx((0.1 / 0.01 + 0.3 / 0.04) / (1 / 0.01 + 1 / 0.04))
    assert [n for n in one.notes if "do not vary" in n] == [
        "b - a: 1 of 3 topics do not vary when documents are resampled and are left out."
    ]
    assert one.notes[-1] == (
        "b - a: with the same resampled collections for both systems, the standard deviation of the difference is 0.50 "
        "times that with independent collections."
    )
    sure = sum(d / (math.sqrt(2) * s) for d, s in ((0.1, 0.1), (0.3, 0.2)))
    assert found.one_sided_p() == pytest.approx(float(stats.norm.sf(sure)))
    assert found.one_sided_p("independent") == pytest.approx(float(stats.norm.sf(sure / 2)))


@pytest.mark.parametrize(("far", "told"), [(0.00004, False), (0.00006, True)])
def test_a_weighted_difference_is_told_where_it_shows(far: float, told: bool) -> None:
    """Guards the note: of four decimals printed, 0.00005 is the least that shows."""
    found = made([0.1, 0.1 + 2 * far], [0.1, 1e-4]).comparison("fixed")  # nearly all weight on the second
    assert any("weighs topics by 1/variance" in n for n in found.notes) == told


@pytest.mark.parametrize("scale", ["ap", "logit"])
def test_differences_are_of_topics_that_both_have(scale: str) -> None:
    """Guards pairs in which one system lacks topics, values by hand, and p adjusted for the number of pairs."""
    ranked = lists()
    found = collection_differences(ranked, [(0, 1), (0, 2), (2, 1)], scale=scale, replicates=80, seed=SEED)
    assert [d.topics for d in found] == [tuple("012345"), tuple("0134"), tuple("0134")]
    ap = np.asarray(parse_measure("AP").score(ranked), np.float64)
    draws = drawn_ap(80)
    if scale == "logit":
        ap, draws = (np.log(np.clip(x, 1e-4, 1 - 1e-4) / (1 - np.clip(x, 1e-4, 1 - 1e-4))) for x in (ap, draws))
    at = [0, 1, 3, 4]
    assert found[1].difference == pytest.approx((ap[2] - ap[0])[at])
    assert found[1].paired == pytest.approx((draws[2] - draws[0]).std(axis=1, ddof=1)[at])
    apart = np.sqrt(draws[2].var(axis=1, ddof=1) + draws[0].var(axis=1, ddof=1))
    assert found[1].independent == pytest.approx(apart[at])
    assert found[1].relevant.tolist() == [5, 1, 7, 2]
    told = combined_comparisons(found, "random", "paired", "bonferroni")
    assert [c.p_adjusted for c in told] == pytest.approx([min(1, 3 * (c.p or 0)) for c in told])
    assert combined_comparisons(found[:1], "random", "paired", "holm")[0].p_adjusted is None
    assert [c.n for c in told] == [6, 4, 4]
    with pytest.raises(tg.TruegainError, match="scale 'x' is not known"):
        collection_differences(ranked, [(0, 1)], scale="x")
    with pytest.raises(tg.TruegainError, match="share 0 of the topics with relevant documents; two or more"):
        collection_differences(ranked, [(0, 1)], level=99)
    assert pairs_by_topic.SCALES == ("ap", "logit")


def test_limits_for_few_relevant_documents_by_enumeration() -> None:
    """Guards AP at 0: documents found at distinct ranks, all places of them gone through; one document gives u."""
    u, n, r = 1 - 0.1 ** (1 / 3), 4, 3
    total = 0.0
    for found in range(r + 1):
        chance = math.comb(r, found) * u**found * (1 - u) ** (r - found)
        places = list(itertools.combinations(range(1, n + 1), found))
        ap = [sum((j + 1) / rank for j, rank in enumerate(ranks)) / r for ranks in places]
        total += chance * statistics.fmean(ap)
    assert float(collection_ap.limit_at_zero(np.array(r), np.array(n), 0.9)) == pytest.approx(total, rel=1e-12)
    assert float(collection_ap.limit_at_zero(np.array(2), np.array(1), 0.9)) == pytest.approx(1 - 0.1**0.5)
    nothing, one = (float(collection_ap.limit_at_zero(np.array(r), np.array(7), 0.9)) for r in (0, 1))
    assert nothing == one, "no relevant document counts as one that may be there"
    assert collection_ap._harmonic(np.array([1.0, 3.0])).tolist() == pytest.approx([1.0, 11 / 6])


def test_intervals_are_widened_only_beyond_those_limits() -> None:
    """Guards where limits apply: at or beyond them, never narrower, and 0 and 1 are ends of their own."""
    relevant, depth = np.full(5, 4), np.full(5, 1000)
    bottom = float(collection_ap.limit_at_one(np.array(4)))
    top = float(collection_ap.limit_at_zero(np.array(4), np.array(1000)))
    value = np.array([0.0, top, 0.3, bottom, 1.0])
    low, high = collection_ap.widened(value, np.full(5, 0.2), np.full(5, 0.4), relevant, depth, 0.95)
    assert low.tolist() == pytest.approx([0.0, 0.2, 0.2, min(0.2, bottom), min(0.2, bottom)])
    assert high.tolist() == pytest.approx([0.4, 0.4, 0.4, 0.4, 1.0])
    low, high = collection_ap.widened(value, value.copy(), value.copy(), relevant, depth, 0.95)
    assert low.tolist() == pytest.approx([0.0, top, 0.3, bottom, bottom])
    assert high.tolist() == pytest.approx([top, top, 0.3, bottom, 1.0])


def test_two_sided_p_of_differences_over_collections() -> None:
    """Guards p by t, 1 where nothing differs nor moves, and none where it differs without moving."""
    found = collection_intervals.two_sided(
        np.array([-0.2, 0.0, 0.1, 0.1]), np.array([0.1, 0.0, 0.0, np.nan]), np.full(4, 6.0)
    )
    assert found[:2].tolist() == pytest.approx([2 * stats.t.sf(2.0, 6), 1.0])
    assert np.isnan(found[2:]).all()


def test_notes_where_relevant_documents_are_few() -> None:
    """Guards the line: a median of 6 relevant documents is enough, topics without any do not count."""
    assert few_relevant(np.array([0, 0, 5, 6, 7]), "logit") == ()
    assert "have 5 relevant" in few_relevant(np.array([0, 4, 5, 7]), "logit")[0]
    assert few_relevant(np.zeros(2, np.int64), "logit") != ()


@pytest.mark.parametrize("lone", ["all", "near", "own"])
def test_where_no_topic_borrows_and_none_lends(lone: str) -> None:
    """Guards 0/0: topics without relevant documents do not move, and lone ones that have their own lend nothing."""
    still = Pooled(2, lone)  # type: ignore[arg-type]
    still.add(0, np.ones(2), np.ones(2), np.ones(2, np.bool_))
    still.add(3, np.full(2, 0.5), np.full(2, 0.25), np.array([False, True]))  # the first system is not of this topic
    variance, freedom = still.total()
    assert (variance[0], freedom[0]) == (0.0, math.inf)
    assert variance[1] == 0.75
    alone = Pooled(1, "own")
    alone.add(1, np.array([0.5]), np.array([0.25]), np.ones(1, np.bool_))
    assert np.ravel(alone.total()).tolist() == pytest.approx([0.75, 0.75**2 / ((0.5**2 + 0.25**2) / 3) - 2])
