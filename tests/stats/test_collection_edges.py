"""Intervals over collections at the edges: lone relevant documents, nothing that moves, topics without any."""

from __future__ import annotations

import ast
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.coverage import collection as worlds
from scipy import stats

import truegain as tg
from truegain.config import Scoring
from truegain.data.id_matching import UNCHECKED
from truegain.data.pool import RankedGains
from truegain.measures.evaluate import aligned
from truegain.stats.collection_intervals import FEW_TOPICS, Pooled, score_estimates, two_sided
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
    with pytest.raises(tg.TruegainError, match="no other collection of these documents moves it"):
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
    with pytest.raises(tg.TruegainError, match=f"share {telling} topics with relevant documents"):
        mean_differences(ranked, tg.parse_measure("AP"), [(0, 1)])
    with pytest.raises(tg.TruegainError, match=f"{telling} topics with relevant documents are too few"):
        score_estimates(ranked, tg.parse_measure("DCG@5"), replicates=50)


def test_why_a_difference_has_no_interval_is_true() -> None:
    """Guards the two reasons: nothing moves (perfect against empty, R = 3), and one relevant document everywhere."""
    orders = {"none": BAD, "perfect": [*GOOD, *BAD], "some": ["x0", "d0", *BAD[1:]]}
    for count, why, other in ((3, "no document left out moves", "one relevant document only"),
                              (1, "one relevant document only", "no document left out moves")):  # fmt: skip
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


@pytest.mark.filterwarnings("ignore:.*lists hold fewer")
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
