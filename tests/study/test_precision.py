"""Precision with more units: the quantile of the degrees of freedom there will be, not of those now."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.flat import flat_study
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import quantile_of, satterthwaite
from truegain.study.next_steps import StepPlanner
from truegain.study.precision import CurrentPrecision, _mixed, _needed, cheapest, steps_of


@pytest.mark.parametrize("topics", [3, 5, 25])
def test_more_topics_of_a_paired_t_test(topics: int) -> None:
    """Guards the closed form t(2T - 1) sqrt(V/2): with today's quantile 3 topics promised half as much again."""
    now = CurrentPrecision(
        {"topics": 0.01}, topics, quantile=quantile_of(0.95, topics - 1), confidence=0.95, df=topics - 1.0
    )
    assert now.half == pytest.approx(quantile_of(0.95, topics - 1) * 0.1)
    assert now.after(topics=2) == pytest.approx(quantile_of(0.95, 2 * topics - 1) * np.sqrt(0.01 / 2))


def test_more_assessors_beside_topics() -> None:
    """Guards a sum of two variances: assessors free the interval of their own few, topics stay as they are."""
    now = CurrentPrecision(
        {"topics": 1e-9, "assessors": 0.01}, 50, assessors=4, quantile=quantile_of(0.95, 3), confidence=0.95, df=3.0
    )
    assert now.after(assessors=4) == pytest.approx(quantile_of(0.95, 15) * np.sqrt(0.01 / 4), rel=1e-3)
    assert now.after(topics=4) == pytest.approx(now.half, rel=1e-3)


def test_no_step_is_predicted_wider_than_a_smaller_one() -> None:
    """Guards 150 more topics that made it wider than none: with 4 assessors left alone, t has 3 degrees of freedom."""
    df = satterthwaite([(0.02, 49.0), (0.1, 3.0)])
    now = CurrentPrecision(
        {"topics": 0.02, "assessors": 0.1}, 50, assessors=4, quantile=quantile_of(0.95, df), confidence=0.95, df=df
    )
    assert now.after(topics=4) > now.half  # else it tries nothing
    for aim in (0.0, 0.1):
        steps = steps_of(now, aim)
        for kind in ("topics", "assessors"):
            halves = [now.half, *(s.half for s in steps if s.what == kind)]
            assert halves == sorted(set(halves), reverse=True)
    assert [s.more for s in steps_of(now, 0.0) if s.what == "assessors"] == [4, 12]


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_steps_are_cut_where_the_interval_is() -> None:
    """Guards more data that 'widens' the interval: its limits are cut at -1 and 1, and were not after a step."""
    new = {f"q{t}": {"x": float(t < 2), "y": float(t >= 2)} for t in range(3)}  # P@1: 1, 1, 0 against 0, 0, 1
    old = {topic: {doc: 1 - score for doc, score in docs.items()} for topic, docs in new.items()}
    study = tg.Study({"old": old, "new": new}, {topic: {"x": 1, "y": 0} for topic in new}, "P@1")
    verdict, now = study.verdict("old", "new"), study.precision("old", "new")
    assert (verdict.low, verdict.high) == (-1.0, 1.0)
    half = {n: quantile_of(0.95, n - 1) * np.sqrt(4 / 9 / (n / 3)) for n in (6, 12)}  # of 1, 1, -1 the mean has V 4/9
    assert 4 / 3 > half[6] > half[12] > 2 / 3  # else it tries nothing: the upper limit is cut, the lower is not
    assert [s.more for s in verdict.steps] == [3, 9]
    assert [s.half for s in verdict.steps] == pytest.approx([(2 / 3 + x) / 2 for x in half.values()])
    assert now.cut_after() == pytest.approx(1.0)  # as the interval of now
    assert "(now +-1.0000):\n  3 more topics (6 in total): +-0.9" in str(verdict)


@pytest.mark.parametrize(
    ("better", "worse", "min_effect", "outcome", "aim"),
    [(6, 3, 0.1, "inconclusive", 0.1), (6, 3, 0.25, "inconclusive", 0.125), (12, 0, 0.5, "inconclusive", 0.0)],
)
def test_an_open_question_has_a_next_step(better: int, worse: int, min_effect: float, outcome: str, aim: float) -> None:
    """Guards silence: half a width of .20 below .25 is not enough while no gain and one of .25 are both possible."""
    gold = {str(t): {"x": 1, "y": 0} for t in range(30)}
    first = ["yx"] * better + ["xy"] * worse + ["xx"] * (30 - better - worse)
    runs = {s: {t: {d: float(d == best[k]) for d in "xy"} for t, best in zip(gold, first, strict=True)}
            for k, s in enumerate("ab")}  # fmt: skip
    verdict = tg.Study(runs, gold, "P@1", min_effect=min_effect).verdict("a", "b", costs={"topic": 5})
    assert (verdict.outcome, verdict.settled, verdict.aim) == (outcome, False, aim)
    if aim:
        [step] = verdict.steps
        assert step.enough
        assert 0.97 * aim < step.half <= aim
        assert f"Cheapest for +-{aim:g}: {step.more} more topics" in str(verdict)
    else:
        assert [s.more for s in verdict.steps] == [30, 90]
        assert "alone" not in str(verdict)


def test_a_step_without_an_aim_beside_one_that_has_it() -> None:
    """Guards the half-width that steps aim at: one of them that has none does not take it from the others."""
    gold = {str(t): {"x": 1, "y": 0} for t in range(30)}
    wrong = {"a": 3, "b": 4}
    runs = {s: {t: {d: float((d == "x") == (int(t) % k > 0)) for d in "xy"} for t in gold} for s, k in wrong.items()}
    verdict = tg.Study(runs, gold, "P@1", min_effect=0.1).verdict("a", "b")
    step = verdict.steps[0]
    assert (step.enough, verdict.aim) == (True, 0.1)
    without = replace(step, enough=None, aim=0.0)
    assert replace(verdict, steps=(without, step)).aim == 0.1
    assert replace(verdict, steps=(without, without)).aim == 0.0


def test_four_times_as_many_where_no_number_is_enough() -> None:
    """Guards what is told of a kind that never reaches the aim, of which there is no end."""
    now = CurrentPrecision(
        {"topics": 0.01, "assessors": 0.0001}, 50, assessors=4, quantile=quantile_of(0.95, 30), confidence=0.95, df=30.0
    )
    assert _needed(now, "assessors", 0.01, math.inf) == 4.0
    assert _needed(now, "assessors", 0.01, 2.5) == 2.5


@pytest.mark.parametrize(
    ("value", "half", "min_effect", "aim"),
    [
        (0.3, 0.2, 0.0, 0.0),  # no gain was named
        (0.3, 0.2, 0.1, 0.1),
        (0.3, 0.08, 0.1, 0.1),  # settled: as large, too small
        (-0.05, 0.08, 0.1, 0.1),
        (0.12, 0.08, 0.1, 0.05),  # as large, or none
        (0.07, 0.06, 0.1, 0.05),
        (0.12, 0.04, 0.1, 0.0),  # a gain, as large or not
        (0.12, 0.05, 0.1, 0.0),
        (0.02, 0.08, -0.1, 0.1),  # not worse, worse, open
        (-0.3, 0.08, -0.1, 0.1),
        (-0.05, 0.08, -0.1, 0.05),
        (-0.12, 0.04, -0.1, 0.0),
        (-0.12, 0.2, -0.1, 0.1),
    ],
)
def test_the_width_that_steps_aim_at(value: float, half: float, min_effect: float, aim: float) -> None:
    """Guards what is bought for: the gain that matters, half of it where the interval is as narrow, then anything."""
    estimator = SimpleNamespace(values=lambda _: np.array([value]))
    model: Any = SimpleNamespace(estimator=estimator)
    planner = StepPlanner(cast("Any", None), model, 0.95, min_effect, bound=True)
    now = CurrentPrecision({"topics": (half / 1.96) ** 2}, 30)
    assert planner._aim(now, Contrasts.of([(0, 1)])) == aim


def test_asking_the_judge_again() -> None:
    """Guards the closed form of a mean answer, topics fixed: t(T (k - 1)) s/sqrt(k); and the step, with its price."""
    rng = np.random.default_rng(3)
    runs = {s: {str(t): {f"d{i}": float(rng.random()) for i in range(20)} for t in range(4)} for s in "ab"}
    rows = [(t, d, "llm", float(x)) for t, row in runs["a"].items() for d in row for x in rng.integers(0, 3, 2)]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    with pytest.warns(tg.DataWarning, match="all ratings count"):
        study = tg.Study(runs, frame, "CG@5", population="replicates", ratings=tg.Ratings("mean", repeated="all"))
    said = {(t, d): x.to_list() for (t, d), x in ((key, g["label"]) for key, g in frame.group_by("topic", "doc"))}
    apart = np.zeros((4, 2))  # b - a on each topic, by the first answers and by the second
    for sign, run in ((1, runs["b"]), (-1, runs["a"])):
        for t, row in run.items():
            apart[int(t)] += sign * np.sum([said[t, d] for d in sorted(row, key=lambda x: -row[x])[:5]], axis=0)
    now = study.precision("a", "b")
    assert now.parts["replicates"] == pytest.approx(((apart[:, 0] - apart[:, 1]) ** 2).sum() / 4 / 4**2)
    for times in (1, 2, 4):
        wanted = quantile_of(0.95, 4 * (2 * times - 1)) * np.sqrt(now.parts["replicates"] / times)
        assert now.after(replicates=times) == pytest.approx(wanted)
    first, second = study.next_steps("a", "b", costs="rating=0.1")
    assert (
        str(first) == f"2 more answers of the judge to each pair (4 in total): +-{now.after(replicates=2):.4f}, cost 16"
    )
    assert second.cost == pytest.approx(48)
    assert (second.more, second.to_dict()["what"]) == (6, "times of asking")


def test_rules_that_take_steps_are_told_of() -> None:
    """Guards majorities of few answers, topics fixed: half of their noise is seen, so the reader is warned."""
    runs = {s: {str(t): {"x": float(s == "a"), "y": 0.5} for t in range(4)} for s in "ab"}
    rows = [(str(t), d, "llm", int((t + i) % 3 == 0)) for t in range(4) for d in "xy" for i in range(3)]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    words: dict[str, Any] = {"aggregate": "majority", "repeated": "all"}
    for over, told in (("replicates", 1), ("topics,replicates", 0)):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            flat_study(runs, frame, "P@1", population=over, **words)
        assert sum("the rule majority of 3 answers each" in str(w.message) for w in heard) == told


def test_a_quantile_that_is_given_stays() -> None:
    """Guards plans that fix it, and normal limits."""
    for more in ({}, {"confidence": 0.95}):
        now = CurrentPrecision({"topics": 0.01}, 4, quantile=1.96, **more)  # type: ignore[arg-type]
        assert now.after(topics=4) == pytest.approx(1.96 * 0.05)


def test_gold_labels_within_topics_leave_the_freedom_of_topics() -> None:
    """Guards all gold labels bought: what topics leave, by Student's quantile of these topics, not of one or two."""
    parts = {"topics": 0.0001, "gold": 0.01}
    now = CurrentPrecision(parts, 80, gold=150, pairs=1000, quantile=quantile_of(0.95, 79), confidence=0.95, df=79.0)
    assert now.after(gold=1000 / 150) == pytest.approx(quantile_of(0.95, 79) * 0.01)
    whole = CurrentPrecision(
        parts, 43, gold=8, pairs=43, quantile=quantile_of(0.95, 7), confidence=0.95, df=7.0, whole=True
    )
    assert whole.after(gold=43 / 8) == pytest.approx(quantile_of(0.95, 42) * 0.01, rel=0.01)


@pytest.mark.parametrize("spread", [0.5, 1.6])
def test_all_topics_gold_leave_the_spread_of_gold_scores(spread: float) -> None:
    """Guards the forecast of whole gold topics: what bronze scores spread, more or less than gold, says nothing of it.

    Their own spread stood in for it once, and promised .72 to 1.17 of what came.
    """
    rng = np.random.default_rng(5)
    topics, gold, docs = 40, 12, 10
    right = {f"{t:02d}": {f"d{i}": int(rng.random() < 0.5) for i in range(docs)} for t in range(topics)}
    hits = np.array([rng.permutation(docs) for _ in range(topics)])
    runs = {
        s: {t: {f"d{d}": float(-i) for i, d in enumerate(np.roll(hits[n], s == "b"))} for n, t in enumerate(right)}
        for s in "ab"
    }
    said = {
        t: {d: g if rng.random() < 0.5 * spread else int(rng.random() < 0.5) for d, g in row.items()}
        for t, row in right.items()
    }
    some = {t: right[t] for t in list(right)[:gold]}
    study = tg.Study(runs, said, "P@3", gold=tg.Gold(some, design="topics"))
    estimator = study.variance_model().estimator
    left, now = estimator.were_all_gold(Contrasts.of([(0, 1)])), estimator.over_topics(Contrasts.of([(0, 1)])).value
    assert left is not None
    y = np.array([sum(right[t][d] for d in list(runs["b"][t])[:3]) / 3 for t in some])
    y -= [sum(right[t][d] for d in list(runs["a"][t])[:3]) / 3 for t in some]
    f = np.array([[sum(said[t][d] for d in list(runs[s][t])[:3]) / 3 for t in right] for s in "ab"])
    apart = f[1] - f[0]
    used = estimator.fit.slopes(Contrasts.of([(0, 1)]))[0]  # type: ignore[attr-defined]
    missed = used**2 * (apart.var(ddof=1) - apart[:gold].var(ddof=1))
    assert left[0] == pytest.approx((y.var(ddof=1) + missed) / topics * (gold - 1) / (gold - 1.5))
    then = quantile_of(0.95, topics - 1.0) * np.sqrt(min(left[0], 0.9 * now[0]))
    assert study.precision("a", "b").after(gold=topics / gold) == pytest.approx(then, rel=1e-9)
    assert study.precision("a", "b").half == pytest.approx(quantile_of(0.95, gold - 1.0) * np.sqrt(now[0]))


@pytest.mark.parametrize("priced", ["topics", "gold", "assessors", "topics,gold", "gold,assessors"])
def test_the_cheapest_mix_of_what_has_a_price(priced: str) -> None:
    """Guards the mix against every number of topics and assessors with the fewest gold labels: nothing comes free.

    A topic comes with the gold labels and ratings of the others, paid where these have a price; no more gold labels
    than pairs.
    """
    every = {"topics": 7.0, "gold": 1.5, "assessors": 0.04}
    prices = {kind: every[kind] for kind in priced.split(",")}
    topics, gold, pairs, people, ratings = 40, 90, 700, 6, 50
    parts = {"topics": 0.0004, "gold": 0.0003, "assessors": 0.0002}
    now = CurrentPrecision(parts, topics, gold, pairs, people, ratings)
    aim = {"topics": 0.049, "gold": 0.052, "assessors": 0.055}.get(priced, 0.045)
    found = cheapest(now, aim, prices)
    assert found is not None
    assert set(found.more) <= set(prices)

    def cost_of(t: float, labels: float, a: float) -> float:
        of_ratings = prices.get("assessors", 0.0) * ratings * ((people + a) * (topics + t) / topics - people)
        return prices.get("topics", 0.0) * t + prices.get("gold", 0.0) * labels + of_ratings

    def half_of(times: float, labels: Any, a: float) -> Any:
        of_gold = parts["gold"] * gold / (pairs - gold) / times * (pairs * times - labels) / labels
        return 1.96 * np.sqrt(parts["topics"] / times + of_gold + parts["assessors"] * people / (people + a))

    t, a = found.more.get("topics", 0), found.more.get("assessors", 0)
    labels = gold + found.more["gold"] if "gold" in prices else gold * (topics + t) / topics
    assert found.cost == pytest.approx(cost_of(t, found.more.get("gold", 0), a))
    assert found.half == pytest.approx(half_of((topics + t) / topics, labels, a))
    assert found.half <= aim * (1 + 1e-9)
    best = np.inf
    for t in range(41 if "topics" in prices else 1):
        times = (topics + t) / topics
        for a in range(31 if "assessors" in prices else 1):
            least = gold * times  # as many as the new topics bring
            most = pairs * times if "gold" in prices else least
            if half_of(times, most, a) <= aim:
                enough = np.linspace(least, most, 500)
                labels = float(enough[np.argmax(half_of(times, enough, a) <= aim)])
                best = min(best, cost_of(t, labels - gold, a))
    assert 0.99 * best <= found.cost <= 1.15 * best  # topics and assessors grow by steps of 5%


def test_unpriced_steps_beside_nothing_to_buy() -> None:
    """Guards mixes that cannot be had: what has no price is not bought, however far it would go."""
    now = CurrentPrecision({"topics": 0.0004, "gold": 0.0003, "assessors": 0.0002}, 40, 90, 700, 6, 50)
    assert now.after(assessors=1e6) > 0.05 > now.after(topics=1e6, assessors=1e6)
    assert cheapest(now, 0.05, {"assessors": 0.04}) is None
    assert cheapest(now, 0.052, {"gold": 1.5}) is not None
    assert cheapest(now, 0.99 * now.half, {}) is None
    none = cheapest(now, now.half, {"topics": 7.0, "gold": 1.5})
    assert none is not None
    assert (none.more, none.cost) == ({}, 0.0)
    assert none.half == pytest.approx(now.half)
    unlimited = replace(now, pairs=0)  # gold drawn from pairs of unknown number
    few = cheapest(unlimited, 0.0513, {"gold": 1.5})
    assert few is not None
    assert few.more["gold"] == np.ceil(90 * (0.0003 / ((0.0513 / 1.96) ** 2 - 0.0006) - 1))


@pytest.mark.parametrize(
    ("differ", "open_", "gold", "all_of_them"),
    [(None, 0, 180, False), (331, 300, 180, False), (60, 150, 180, True), (31, 25, 41, True)],
)
def test_a_mix_written_out(differ: int | None, open_: int, gold: int, all_of_them: bool) -> None:
    """Guards 1.5 times the topics, 2.5 times the assessors, gold on twice the share of pairs: counts, price, width.

    With 41 pairs left that differ, 25 now and 16 on the new topics, their labels are worth those of all pairs.
    """
    parts = {"topics": 0.0004, "gold": 0.0003, "assessors": 0.0002}
    now = CurrentPrecision(parts, 40, 90, 700, 6, 50, labels=3.0, differ=differ, open=open_)
    mix = _mixed(now, 1.5, 2.0, 2.5, {"topics": 7.0, "gold": 1.5, "assessors": 0.04})
    assert mix.more == {"topics": 20, "gold": gold, "assessors": 9}
    assert mix.cost == pytest.approx(7.0 * 20 + 1.5 * 3 * gold + 0.04 * (50 * 15 * 1.5 - 50 * 6))
    assert mix.half == pytest.approx(now.after(topics=1.5, gold=700 / 90 if all_of_them else 2.0, assessors=2.5))
    alone = _mixed(replace(now, assessors=0, away=True), 1.5, 2.0, 1.0, {"topics": 7.0, "gold": 1.5, "assessors": 0.04})
    assert alone.more == {"topics": 20, "gold": min(gold, 90)}
    assert alone.cost == pytest.approx(7.0 * 20 + 1.5 * 3 * min(gold, 90))
