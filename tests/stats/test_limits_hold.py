"""Every interval holds its estimate, whatever road it came by; scores that a measure cannot have are refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truegain as tg
from tests.flat import flat_study
from tests.judge_error.matrices import scores_of
from tests.worlds import Labels, Runs
from truegain.measures.scoring import TopicMeans
from truegain.stats.contrasts import holding, within
from truegain.stats.intervals import TOPIC_METHODS, topic_intervals
from truegain.stats.multiple_testing import METHODS as ADJUSTMENTS
from truegain.stats.results import Comparison, Estimate
from truegain.stats.significance import TESTS

pytestmark = pytest.mark.filterwarnings("ignore::truegain.DataWarning")
LEVELS = (0.2, 0.5, 0.8, 0.95)
MEASURES = (
    "AP", "GMAP", "P@5", "nDCG@5", "RR", "DCG@5", "RBP(p=0.5)", "Rprec", "ERR", "R@5", "YAAP", "num_rel_ret", "infAP",
    "Success@1", "Judged@5",
)  # fmt: skip


class Watched:
    """Answers that were made, and those whose limits miss their value."""

    def __init__(self) -> None:
        self.seen = 0
        self.missed: list[str] = []

    def look(self, one: Any, value: float | None) -> None:
        """At one answer."""
        numbers = (one.low, value, one.high)
        if any(x is None or math.isnan(x) for x in numbers):
            return
        self.seen += 1
        if not one.low <= value <= one.high:
            self.missed.append(str(one))


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    """Every estimate and comparison that is made, anywhere, is looked at."""
    found = Watched()
    for kind, name in ((Estimate, "value"), (Comparison, "difference")):
        made = kind.__init__

        def init(self: Any, *given: Any, made: Any = made, name: str = name, **words: Any) -> None:
            made(self, *given, **words)
            found.look(self, getattr(self, name))

        monkeypatch.setattr(kind, "__init__", init)
    yield found
    assert not found.missed
    assert found.seen


def asked(*roads: Callable[[], Any]) -> None:
    """Answers by all roads; what cannot be told is refused."""
    for road in roads:
        try:
            found = road()
        except tg.TruegainError:
            continue
        for one in found if hasattr(found, "__iter__") else ():
            str(one)


def world(rng: np.random.Generator) -> tuple[Labels, Labels, Runs]:
    """Gold and bronze labels and runs, few of all: systems alike or apart, perfect or poor."""
    topics, docs, top = int(rng.choice([3, 4, 6, 12])), int(rng.integers(4, 14)), int(rng.integers(1, 4))
    share, right = rng.choice([0.1, 0.4, 0.9]), rng.choice([0.7, 0.95])
    gold: Labels = {
        str(t): {f"d{i}": int(rng.integers(1, top + 1)) if i == 0 or rng.random() < share else 0 for i in range(docs)}
        for t in range(topics)
    }
    bronze = {
        t: {d: g if rng.random() < right else int(rng.integers(0, top + 1)) for d, g in row.items()}
        for t, row in gold.items()
    }
    far, pull = float(rng.choice([0.5, 3, 14])), float(rng.choice([0, 1, 20]))
    runs: Runs = {
        f"s{k}": {t: {d: -i + far * rng.random() + (k + 1) * pull * g for i, (d, g) in enumerate(row.items())}
                  for t, row in gold.items()}
        for k in range(int(rng.integers(2, 4)))
    }  # fmt: skip
    return gold, bronze, runs


def some_gold(rng: np.random.Generator, gold: Labels, bronze: Labels, runs: Runs, measure: str) -> dict[str, Any]:
    """Gold labels of one of the designs, or none."""
    design = str(rng.choice(["none", "random", "by-bronze", "topics", "by-gold", "list", "list"]))
    if design == "none":
        return {}
    if design == "topics":
        return {"gold": {t: gold[t] for t in list(gold)[: int(rng.integers(3, len(gold) + 1))]}, "design": design}
    if design == "list":
        listed = tg.sample_gold(runs, bronze, measure)
        n = int(rng.integers(1, len(listed) + 1))
        rows = enumerate(zip(listed.topics, listed.docs, strict=True))
        labels = [float(gold[t][d]) if i < n else math.nan for i, (t, d) in rows]
        return {"gold": listed.with_labels(np.array(labels)), "sequential": bool(rng.random() < 0.5)}
    pairs = [(t, d) for t, row in gold.items() for d in row]
    some: Labels = {}
    for i in rng.permutation(len(pairs))[: int(rng.integers(4, len(pairs) + 1))].tolist():
        t, d = pairs[i]
        some.setdefault(t, {})[d] = gold[t][d]
    return {"gold": some, "design": design}


@pytest.mark.few(5)
@pytest.mark.parametrize("seed", range(10))
def test_scores_and_differences_lie_in_their_intervals(seed: int, watched: Watched) -> None:
    """Guards intervals over topics and collections by all methods, and comparisons by all tests."""
    rng = np.random.default_rng([16, seed])
    gold, _, runs = world(rng)
    m, c = str(rng.choice(MEASURES)), float(rng.choice(LEVELS))
    few: Any = {"confidence": c, "resampling": tg.Resampling(n=200)}
    asked(
        *(lambda x=x: tg.intervals(runs, gold, m, method=x, **few) for x in TOPIC_METHODS),
        *(
            lambda x=x: tg.intervals(runs, gold, m, population="collection", method=x, **few)
            for x in ("t", "bootstrap", "percentile", "parametric", "linear")
        ),
        lambda: tg.intervals(runs, gold, m, population="collection", by_topic=True, **few),
        lambda: tg.intervals(runs, gold, m, population="topics+collection", **few),
        *(
            lambda x=x: tg.compare(runs, gold, m, test=x, adjust=str(rng.choice(list(ADJUSTMENTS))), **few)
            for x in TESTS
        ),
        lambda: tg.compare(runs, gold, m, population="collection", **few),
    )


@pytest.mark.few(10)
@pytest.mark.parametrize("seed", range(30))
def test_studies_and_corrections_lie_in_their_intervals(seed: int, watched: Watched) -> None:
    """Guards a study's estimates, comparisons and verdicts, and corrections, for all designs and at every look."""
    rng = np.random.default_rng([17, seed])
    gold, bronze, runs = world(rng)
    m, c = str(rng.choice(["P@5", "RBP(p=0.5)", "DCG@5", "nDCG@5"])), float(rng.choice(LEVELS))
    given_gold: dict[str, Any] = {}
    asked(lambda: given_gold.update(some_gold(rng, gold, bronze, runs, m)))
    asked(lambda: tg.intervals(runs, gold, "P@5", method="t"))  # so that something is seen
    over: dict[str, Any] = {"population": str(rng.choice(["topics", "fixed"])), "confidence": c}
    made: list[tg.Study] = []
    asked(lambda: made.append(flat_study(runs, bronze, m, **given_gold, **over)))
    for study in made:
        asked(study.estimates, partial(study.compare, "s0", "s1"), partial(study.verdict, "s0", "s1"))
    if "design" in given_gold:
        for method in ("default", "lang-reiczigel", "fieller", "delta", "bootstrap", "rectify"):
            chosen: Any = method
            trusted, few = tg.Gold(given_gold["gold"], design=given_gold["design"]), tg.Resampling(n=200)
            how = tg.PublishedTest(method=chosen)
            asked(
                partial(tg.correct, runs, bronze, m, trusted, method=chosen, confidence=c, resampling=few),
                partial(tg.compare, runs, bronze, m, gold=trusted, test=how, confidence=c),
            )


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(6))
def test_agreement_and_ranks_lie_in_their_intervals(seed: int, watched: Watched) -> None:
    """Guards alpha by all scales and methods, tau by all methods, RBO, and a study over assessors."""
    rng = np.random.default_rng([18, seed])
    gold, bronze, runs = world(rng)
    c, top = float(rng.choice(LEVELS)), max(g for row in gold.values() for g in row.values())
    rows = [
        (t, d, f"w{w}", float(g if rng.random() < 0.6 else rng.integers(0, top + 1)))
        for t, row in gold.items()
        for d, g in row.items()
        for w in range(4)
        if rng.random() < 0.8
    ]
    ratings = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    more: Runs = {**runs, **{f"q{k}": {t: {d: float(rng.random()) for d in row} for t, row in gold.items()}
                             for k in range(4)}}  # fmt: skip
    asked(
        *(
            lambda s=s, x=x, o=o: tg.agreement(ratings, scale=s, method=x, units=o, confidence=c, resamples=200)
            for s in ("nominal", "ordinal", "interval")
            for x in ("jackknife", "bootstrap")
            for o in ("items", "items+assessors")
        ),
        *(
            lambda x=x: tg.correlate(
                more, gold, "AP", against=bronze, method=x, confidence=c, resampling=tg.Resampling(200)
            )
            for x in ("wilson", "hollander-wolfe", "long-cliff", "bootstrap")
        ),
        lambda: tg.Study(runs, ratings, "P@5", population="topics,assessors", ratings="mean").estimates(),
    )


VALUES = st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 0.7, 1.0])
MATRICES = st.integers(3, 9).flatmap(
    lambda n: st.lists(st.lists(VALUES, min_size=n, max_size=n), min_size=2, max_size=3)
)


@settings(max_examples=60, deadline=None)
@given(MATRICES, st.sampled_from(TOPIC_METHODS), st.sampled_from(sorted(TESTS)), st.sampled_from(LEVELS))
def test_any_matrix_of_scores(rows: list[list[float]], method: Any, test: str, confidence: float) -> None:
    """Guards means and differences of scores at the ends of their range, in ties, and without any spread."""
    scores = scores_of(np.array(rows))
    for one in topic_intervals(scores, method=method, confidence=confidence, replicates=200):
        assert one.low <= one.value <= one.high
    try:
        found = tg.compare(scores, confidence=confidence, test=test, resampling=tg.Resampling(n=200))
    except tg.TruegainError:
        return
    for pair in found:
        assert pair.low is None or pair.high is None or pair.low <= pair.difference <= pair.high
    for mean in found.means:
        assert mean.low <= mean.value <= mean.high


def test_limits_that_hold_and_limits_that_are_cut() -> None:
    """Guards the two functions by hand: a value outside of limits, at their end, missing; and limits without one."""
    low, high = holding([0.5, 0.1, 0.9, math.nan], [0.2] * 4, [0.8] * 4)
    assert (low.tolist(), high.tolist()) == ([0.2, 0.1, 0.2, 0.2], [0.8, 0.8, 0.9, 0.8])
    low, high = within([-0.5, -0.5], [1.5, 1.5], (0.0, 1.0), value=[0.5, 1.2])
    assert (low.tolist(), high.tolist()) == ([0.0, 0.0], [1.0, 1.2])


# ---------------------------------------------------------------------- scores from elsewhere

PERCENT = {"AP": {"a": {"1": 20.0, "2": 30.0, "3": 25.0}, "b": {"1": 25.0, "2": 33.0, "3": 31.0}}}


def test_scores_in_percent_are_refused(tmp_path: Path) -> None:
    """Guards the issue's case, a difference of 4.60 in [.951, 1.0]: the file, line, value, range and what to do."""
    with pytest.raises(tg.TruegainError, match=r"row 1: AP of system a, topic 1 is out of its range, 0 to 1: '20.0'"):
        tg.read_scores(PERCENT)
    path = tmp_path / "scores.csv"
    path.write_text("system,topic,measure,value\na,1,AP,0.2\na,2,AP,30\n")
    with pytest.raises(tg.TruegainError, match=r"scores.csv:3: AP of system a, topic 2 .*divide percentages by 100"):
        tg.read_scores(path)
    path.write_text("system,topic,measure,value\na,1,AP,0.2\na,all,AP,20\n")
    with pytest.raises(tg.TruegainError, match=r"scores.csv:3: AP of system a, topic all"):
        tg.read_scores(path)
    made = scores_of(np.array([[20.0, 0.3, 0.2], [0.1, 0.2, -0.4]]))
    for call in (tg.compare, topic_intervals, TopicMeans.of, lambda s: tg.plan_topics(s, min_effect=0.1)):
        with pytest.raises(
            tg.TruegainError, match=r"AP of system s0, topic 0 is 20, out of its range, 0 to 1, as are 2 of 6"
        ):
            call(made)


def test_what_a_measure_can_be_is_taken(tmp_path: Path) -> None:
    """Guards against refusing too much: counts and gains without a top, totals, rounding, missing values."""
    rows = {"DCG@5": 4.5, "num_rel_ret": 7.0, "YAAP": -3.0, "AP": 1.0 + 1e-12, "P@10": math.nan}
    given_rows = {m: {"a": {"1": v, "2": v}, "b": {"1": v, "2": v}} for m, v in rows.items()}
    found = tg.read_scores(given_rows)
    assert found.mean("a", "DCG@5") == 4.5
    path = tmp_path / "scores.csv"
    path.write_text("system,topic,measure,value\na,1,num_rel_ret,7\na,2,num_rel_ret,8\na,all,num_rel_ret,15\n")
    assert tg.read_scores(path).mean("a", "num_rel_ret") == 15
    with pytest.raises(tg.TruegainError, match=r"num_rel_ret of system a, topic 1 is out of its range, 0 or more"):
        tg.read_scores({"num_rel_ret": {"a": {"1": -1.0}}})


def test_a_corrected_score_is_cut_where_its_limits_are() -> None:
    """Guards a score of gold labels beyond all that its lists can have: it is told as the greatest they can."""
    beyond = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        gold: Labels = {str(t): {f"d{i}": int(rng.random() < 0.97) for i in range(9)} for t in range(12)}
        bronze: Labels = {t: {d: g if rng.random() < 0.8 else 1 - g for d, g in row.items()} for t, row in gold.items()}
        runs: Runs = {s: {t: {d: float(rng.random()) for d in row} for t, row in gold.items()} for s in ("x", "y")}
        some = {t: {d: g for d, g in row.items() if rng.random() < 0.4} for t, row in gold.items()}
        study = tg.Study(runs, bronze, "RBP(p=0.5)", gold=tg.Gold(some, design="random"), confidence=0.5)
        known = study.variance_model().estimator.near_bounds()
        assert known is not None
        plain = study.variance_model().estimator.value
        for value, one in zip(plain, study.estimates(), strict=True):
            if value > known[1][1]:
                beyond += 1
                assert one.value == known[1][1]
            assert one.low <= one.value <= one.high
    assert beyond
