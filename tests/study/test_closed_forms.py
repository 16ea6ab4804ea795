"""Where a closed form's assumptions hold, the study is that closed form."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.study.judged import Crowd, Table, bronze_of, labels_of, names_of, ratings_of, runs_of
from benchmarks.study.nature import Lists, any_kinds
from scipy import stats

import truegain as tg
from tests.flat import flat_study
from tests.judge_error.test_topic_fit import by_hand
from truegain.data.pool import RankedGains
from truegain.errors import TruegainError
from truegain.measures.catalogue import parse_measure
from truegain.stats.collection_pairs import mean_differences

TOPICS = 24
MEASURES = ("P@10", "nDCG@10", "AP")


@pytest.fixture(scope="module")
def lists() -> Lists:
    """Lists of three systems."""
    rng = np.random.default_rng(3)
    return Lists.draw(any_kinds(TOPICS, rng), rng)


@pytest.fixture(scope="module")
def names(lists: Lists) -> list[list[str]]:
    """Names of their documents."""
    return names_of(lists)


@pytest.fixture(scope="module")
def runs(lists: Lists, names: list[list[str]]) -> dict[str, Table]:
    """As runs."""
    return runs_of(lists, names)


@pytest.fixture(scope="module")
def labels(lists: Lists, names: list[list[str]]) -> Table:
    """Their right labels."""
    return labels_of(lists.right, names)


@pytest.mark.parametrize("measure", MEASURES)
def test_over_topics_it_is_the_paired_t_test(measure: str, lists: Lists, runs: dict[str, Table], labels: Table) -> None:
    """Guards moves, degrees of freedom and p of plain topics by scipy, and Wilson's limits of scores by their roots."""
    x = lists.measured(lists.right)[MEASURES.index(measure)]
    study = tg.Study(runs, labels, measure)
    found = study.compare("a", "c")[0]
    right = stats.ttest_rel(x[2], x[0])
    low, high = right.confidence_interval(0.95)
    assert found.difference == pytest.approx(float((x[2] - x[0]).mean()), abs=1e-9)
    assert found.p == pytest.approx(float(right.pvalue), abs=1e-9)
    assert (found.low, found.high) == pytest.approx((float(low), float(high)), abs=1e-9)
    for one, same in zip(study.estimates(), tg.intervals(runs, labels, measure), strict=True):
        assert (one.value, one.low, one.high, one.se) == pytest.approx((same.value, same.low, same.high, same.se))
    one = study.estimates()[1]
    mean, n = float(x[1].mean()), x.shape[1]
    far = stats.t.ppf(0.975, n - 1) ** 2 * float(stats.sem(x[1])) ** 2 / (mean * (1 - mean))
    roots = np.roots([1 + far, -(2 * mean + far), mean**2])  # (mean - x)^2 = t^2 x (1 - x) se^2/(mean (1 - mean))
    assert (one.low, one.high) == pytest.approx((float(roots.min()), float(roots.max())), abs=1e-9)


@pytest.mark.parametrize("over", ["topics", "these"])
@pytest.mark.parametrize("gold", [8, 15, 21])
def test_whole_gold_topics_are_rectified_topics(
    gold: int, over: str, lists: Lists, names: list[list[str]], runs: dict[str, Table], labels: Table
) -> None:
    """Guards value, limits and Wilson's share in them: scores within their bounds, differences by t alone."""
    bronze = bronze_of(lists, np.random.default_rng(4), 0.1)
    said, right = (lists.measured(x)[1] for x in (bronze, lists.right))
    right[:, gold:] = np.nan
    whole = {t: labels[t] for t in list(labels)[:gold]}
    study = tg.Study(
        runs,
        labels_of(bronze, names),
        "nDCG@10",
        population=["topics"] if over == "topics" else [],
        gold=tg.Gold(whole, design="topics"),
    )
    these, system_models = over != "topics", True
    pair = study.compare("a", "c")[0]
    value, half = _wider_half(said, right, (2, 0), system_models, these)
    assert (pair.difference, pair.low, pair.high) == pytest.approx((value, value - half, value + half), abs=1e-9)
    one = next(e for e in study.estimates() if e.system == "c")
    alone, half = _wider_half(said, right, (2, None), system_models, these)
    assert one.value == pytest.approx(alone, abs=1e-9)
    assert one.low <= alone - half + 1e-9
    assert one.high >= min(1.0, alone + half) - 1e-9
    assert (one.low, one.high) != pytest.approx((alone - half, alone + half), abs=1e-6), "Wilson's must count"


def _wider_half(
    said: np.ndarray, right: np.ndarray, at: tuple[int, int | None], system_models: bool, these: bool
) -> tuple[float, float]:
    """Value and half width by hand; over topics no less than for these topics only."""
    forms = [by_hand(said, right, at, system_models, False, fixed) for fixed in ((True,) if these else (False, True))]
    return forms[0][0], max(float(stats.t.ppf(0.975, df)) * float(np.sqrt(v)) for _, v, df in forms)


@pytest.mark.parametrize("measure", MEASURES)
def test_over_collections_it_is_the_mean_difference_there(measure: str, runs: dict[str, Table], labels: Table) -> None:
    """Guards that topics held fixed leave the collection's interval as it is."""
    study = tg.Study(runs, labels, measure, population=["collection"], resampling=tg.Resampling(n=100, seed=5))
    ranked: RankedGains = study.ranked
    every = [(0, 1), (0, 2), (1, 2)]
    right = mean_differences(ranked, parse_measure(measure), every, replicates=100, seed=5).comparisons()
    for pair in right:
        found = study.compare(pair.a, pair.b)[0]
        assert pair.low is not None
        assert (found.difference, found.low, found.high) == pytest.approx(
            (pair.difference, pair.low, pair.high), abs=1e-9
        )


@pytest.mark.parametrize("over", [["topics"], ["topics", "collection"], ["collection"], ["topics", "assessors"]])
def test_identical_runs_differ_by_exactly_nothing(
    over: list[str], lists: Lists, names: list[list[str]], runs: dict[str, Table], labels: Table
) -> None:
    """Guards that every source moves both systems by the same documents: no difference, no variance, no interval."""
    twins = {"a": runs["a"], "b": runs["a"], "c": runs["c"]}
    rng = np.random.default_rng(6)
    ratings = ratings_of(names, *Crowd.draw(6, rng).votes(lists.relevant, rng))
    given, rule = (ratings, "mean") if "assessors" in over else (labels, None)
    study = tg.Study(
        twins, given, ["CG@10", "nDCG@10"], population=over, ratings=tg.Ratings(rule), resampling=tg.Resampling(n=100)
    )
    for measure in ("CG@10", "nDCG@10"):
        twin = study.compare("a", "b", measure)[0]
        assert (twin.difference, twin.low, twin.high, twin.p) == (0.0, None, None, None)
        assert study.compare("a", "c", measure)[0].low is not None


def test_identical_runs_differ_by_nothing_with_gold_pairs(
    lists: Lists, names: list[list[str]], runs: dict[str, Table]
) -> None:
    """Guards the correction: the same gold labels set both scores right."""
    bronze = bronze_of(lists, np.random.default_rng(7), 0.1)
    kept = np.random.default_rng(8).random(bronze.shape) < 0.3
    twins = {"a": runs["a"], "b": runs["a"], "c": runs["c"]}
    gold = labels_of(lists.right, names, kept)
    study = tg.Study(twins, labels_of(bronze, names), "P@10", gold=tg.Gold(gold, design="random"))
    twin = study.compare("a", "b")[0]
    assert (twin.difference, twin.low) == (0.0, None)


def test_ratings_of_two_kinds_at_once_are_refused(names: list[list[str]], lists: Lists, runs: dict[str, Table]) -> None:
    """Guards that 'assessors' means one crowd only."""
    rng = np.random.default_rng(9)
    ratings = ratings_of(names, *Crowd.draw(6, rng).votes(lists.relevant, rng))
    with pytest.raises(TruegainError, match=r"aggregate and Gold\.aggregate"):
        tg.Study(runs, ratings, "CG@10", gold=tg.Gold(ratings, design="random", aggregate="mean"), ratings="mean")
    with pytest.raises(TruegainError, match="give them with gold="):
        flat_study(runs, labels_of(lists.right, names), "CG@10", gold_aggregate="mean")
