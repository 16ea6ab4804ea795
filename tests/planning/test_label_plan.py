"""Plans of gold labels: the ordered list, how many of it, the cheapest mix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.flat import flat_plan
from tests.worlds import Labels, Runs
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.label_lists import GoldList
from truegain.measures.catalogue import parse_measure
from truegain.planning.gold_sample import draw_list, errors_of, sizes_of
from truegain.study.precision import CurrentPrecision, cheapest, fewest_gold

P5 = parse_measure("P@5")


def world(seed: int = 0, topics: int = 20, systems: int = 2) -> tuple[Runs, Labels, Labels]:
    """Systems that share most documents, a judge that errs, and all gold labels, 0 to 2."""
    rng = np.random.default_rng(seed)
    gold: Labels = {str(t): {f"d{i}": int(rng.integers(0, 3)) for i in range(15)} for t in range(topics)}
    bronze = {
        t: {d: g if rng.random() < 0.75 else int(rng.integers(0, 3)) for d, g in row.items()} for t, row in gold.items()
    }
    runs: Runs = {
        f"s{k}": {t: {d: -i + 14 * rng.random() + 1.5 * k * g for i, (d, g) in enumerate(row.items())}
                  for t, row in gold.items()}
        for k in range(systems)
    }  # fmt: skip
    return runs, bronze, gold


def judged(listed: GoldList, gold: Labels, n: int) -> GoldList:
    """The list with its first n labels."""
    rows = zip(listed.topics, listed.docs, strict=True)
    return listed.with_labels(np.array([float(gold[t][d]) if i < n else np.nan for i, (t, d) in enumerate(rows)]))


def ranked_of(runs: Runs, bronze: Labels) -> Any:
    """Runs in line with labels."""
    return aligned(runs, bronze, Scoring())


# ---------------------------------------------------------------------- the list


def test_a_pairs_list_has_what_differs_and_nothing_else() -> None:
    """Guards the sizes for two systems: documents among the first five of one and not of the other, all alike."""
    runs, bronze, _ = world()
    listed = draw_list(ranked_of(runs, bronze), P5)
    tops = {s: {(t, d) for t, row in lists.items() for d in sorted(row, key=lambda d: -row[d])[:5]}
            for s, lists in runs.items()}  # fmt: skip
    assert set(zip(listed.topics, listed.docs, strict=True)) == tops["s0"] ^ tops["s1"]
    assert np.ptp(listed.size) == pytest.approx(0, abs=1e-9)
    assert listed.design == "ordered"
    assert listed.scale == (0.0, 2.0)


def test_sizes_of_a_family_are_the_spread_of_weights() -> None:
    """Guards the sizes for more systems, by hand: the sd over systems of what a document counts."""
    runs, bronze, _ = world(systems=3)
    ranked = ranked_of(runs, bronze)
    sizes = sizes_of(ranked, P5)
    docs, topics = ranked.pool.docs.strings(), ranked.topics
    for i in range(0, len(docs), 17):
        t = topics[ranked.pool.topic[i]]
        weight = [0.2 * (docs[i] in sorted(row[t], key=lambda d: -row[t][d])[:5]) for row in runs.values()]
        assert sizes[i] == pytest.approx(np.std(weight) / 0.2, abs=1e-12)  # relative to the first rank


def test_known_errors_change_the_order_and_have_a_floor() -> None:
    """Guards the judge's error: a label that erred more has larger sizes, one that never erred a quarter of them."""
    runs, bronze, _ = world()
    ranked = ranked_of(runs, bronze)
    plain, sizes = sizes_of(ranked, P5), sizes_of(ranked, P5, {0.0: 0.0, 1.0: 0.4, 2.0: 0.2})
    there = plain > 0
    ratio = (sizes[there] / plain[there]).round(9)
    label = ranked.item_gain[there]
    assert set(ratio[label == 0]) == {0.1}
    assert set(ratio[label == 1]) == {0.4}
    assert set(ratio[label == 2]) == {0.2}


def test_errors_are_read_from_an_earlier_list() -> None:
    """Guards `--errors`: the sd of what gold labels are worth at each bronze label, by hand."""
    runs, bronze, gold = world()
    listed = judged(draw_list(ranked_of(runs, bronze), P5), gold, 60)
    found = errors_of(listed, P5)
    for label, sd in found.items():
        mine = listed.bronze[:60] == label
        assert sd == pytest.approx(np.std(P5.worth(listed.label[:60][mine])))


@pytest.mark.parametrize("design", ["random", "by-bronze", "topics"])
def test_older_designs_are_lists_too(design: str) -> None:
    """Guards the one file format: all labeled pairs, and a study reads the design from the list."""
    runs, bronze, gold = world(topics=24)
    listed = draw_list(ranked_of(runs, bronze), P5, design=design, seed=3)
    assert len(listed) == 24 * 15
    if design == "topics":
        topics = list(listed.topics)
        assert len(list(dict.fromkeys(topics))) == sum(a != b for a, b in zip(["", *topics], topics, strict=False))
    if design == "by-bronze":
        assert sorted(listed.bronze[:3].tolist()) == [0.0, 1.0, 2.0]
    study = tg.Study(runs, bronze, "P@5", gold=judged(listed, gold, 180))
    assert study.judge is not None
    assert study.judge.design == design


def test_unknown_designs_are_refused() -> None:
    """Guards the word."""
    runs, bronze, _ = world()
    with pytest.raises(tg.TruegainError, match="draw 'best' is not known; give one of ordered, random"):
        draw_list(ranked_of(runs, bronze), P5, design="best")


# ---------------------------------------------------------------------- before any gold label


def test_what_labels_can_be_worth_at_most() -> None:
    """Guards the plan before gold, by hand: 1.96 sqrt(S_1 sum w^2/4/size / tau), and exact with all of them."""
    runs, bronze, _ = world()
    listed = tg.sample_gold(runs, bronze, "P@5")
    plan = tg.plan_labels(runs, bronze, "P@5", config=tg.StudyConfig(population="fixed", gold=tg.Gold(listed)))
    n_all = len(listed)
    w = 0.2 / 20
    rows = {int(str(row["gold labels"])): float(str(row["half width"])) for row in plan.details.records()}
    n = 25
    tau = sum((n_all / (n_all - t)) ** 2 for t in range(n))
    assert rows[n] == pytest.approx(1.959964 * math.sqrt(n_all * n_all * w**2 / 4 / tau), rel=1e-6)
    assert rows[n_all] == 0
    assert plan.details.provenance["most"] == n_all


def test_no_plan_asks_for_more_than_every_pair_that_differs() -> None:
    """Guards against 795 labels where 577 settle everything: however small the difference, at most all that differ."""
    runs, bronze, gold = world()
    gl = tg.sample_gold(runs, bronze, "P@5")
    most = tg.plan_labels(
        runs, bronze, "P@5", config=tg.StudyConfig(population="fixed", gold=tg.Gold(gl), min_effect=1e-6)
    )
    assert most.needed["gold labels"] <= int(str(most.details.provenance["most"]))
    listed = draw_list(ranked_of(runs, bronze), P5, design="random", seed=1)
    some = tg.plan_labels(
        runs,
        bronze,
        "P@5",
        config=tg.StudyConfig(population="fixed", gold=tg.Gold(judged(listed, gold, 120)), min_effect=0.01),
    )
    assert some.needed["gold labels"] <= int(str(most.details.provenance["most"]))
    assert "label the pairs that differ" in " ".join(some.details.notes)


def test_a_list_for_other_pairs_is_not_planned_with() -> None:
    """Guards the plan before gold: a list for two systems plans neither for others nor for all."""
    runs, bronze, _ = world(systems=3)
    two = {s: runs[s] for s in ("s0", "s1")}
    listed = tg.sample_gold(two, bronze, "P@5")
    with pytest.raises(tg.InputError, match="sampled for other runs"):
        tg.plan_labels({s: runs[s] for s in ("s0", "s2")}, bronze, "P@5", config=tg.StudyConfig(gold=tg.Gold(listed)))
    with pytest.raises(tg.InputError, match="was not drawn for all 3 pairs of systems: documents that affect 2 of 3"):
        tg.plan_labels(runs, bronze, "P@5", config=tg.StudyConfig(gold=tg.Gold(listed)))
    assert tg.plan_labels(
        runs, bronze, "P@5", pair=("s0", "s1"), config=tg.StudyConfig(gold=tg.Gold(listed))
    ).details.rows


def test_rows_of_topics_left_out_count_for_nothing() -> None:
    """Guards the plan before gold where a run lacks topics of the list: their rows take turns, and move nothing."""
    runs, bronze, _ = world(topics=20)
    listed = tg.sample_gold(runs, bronze, "P@5")
    short = {"s0": runs["s0"], "s1": {t: row for t, row in runs["s1"].items() if int(t) < 10}}
    with pytest.warns(tg.DataWarning, match="10 of 20 judged topics"):
        plan = tg.plan_labels(short, bronze, "P@5", config=tg.StudyConfig(population="fixed", gold=tg.Gold(listed)))
    rows = {int(str(r["gold labels"])): float(str(r["half width"])) for r in plan.details.records()}
    n_all, here = len(listed), sum(int(t) < 10 for t in listed.topics)
    tau = sum((n_all / (n_all - t)) ** 2 for t in range(25))
    assert rows[25] == pytest.approx(1.959964 * math.sqrt(n_all * here * (0.2 / 10) ** 2 / 4 / tau), rel=1e-6)


def test_topics_that_differ_too_much_are_told() -> None:
    """Guards a plan that labels cannot reach: no number of them is named."""
    runs, bronze, _ = world(topics=12)
    plan = tg.plan_labels(
        runs, bronze, "P@5", config=tg.StudyConfig(gold=tg.Gold(tg.sample_gold(runs, bronze, "P@5")), min_effect=0.001)
    )
    assert plan.needed == {}
    assert "No number of gold labels detects" in " ".join(plan.details.notes)


# ---------------------------------------------------------------------- with gold labels


@pytest.mark.slow
def test_planned_widths_come_true() -> None:
    """Guards the plan with some labels: after 60 more, predicted over actual half width is .85-1.15 on average."""
    ratios = []
    for seed in range(25):
        runs, bronze, gold = world(seed, topics=30)
        listed = draw_list(ranked_of(runs, bronze), P5, seed=seed)
        plan = tg.plan_labels(
            runs, bronze, "P@5", config=tg.StudyConfig(population="fixed", gold=tg.Gold(judged(listed, gold, 60)))
        )
        row = next(row for row in plan.details.records() if row["gold labels"] == 100)
        found = tg.Study(runs, bronze, "P@5", population="fixed", gold=judged(listed, gold, 100)).compare()[0]
        assert found.low is not None
        assert found.high is not None
        ratios.append(float(str(row["half width"])) / ((found.high - found.low) / 2))
    assert 0.85 < np.mean(ratios) < 1.15


@pytest.mark.filterwarnings("ignore:all 100 gold pairs have exactly the bronze label")
def test_what_bronze_labels_are_worth() -> None:
    """Guards the sign and size: a judge without errors is worth many gold labels, one that guesses none or few."""
    runs, _, gold = world(3, topics=40)
    rng = np.random.default_rng(0)
    coin = {t: {d: int(rng.integers(0, 3)) for d in row} for t, row in gold.items()}
    worth = []
    for said in (gold, coin):
        listed = judged(draw_list(ranked_of(runs, said), P5), gold, 100)
        worth.append(
            int(
                str(
                    tg.plan_labels(
                        runs, said, "P@5", config=tg.StudyConfig(population="fixed", gold=tg.Gold(listed))
                    ).details.provenance["bronze_worth"]
                )
            )
        )
    assert worth[0] > 60
    assert worth[1] < 25


def test_all_pairs_at_once() -> None:
    """Guards a plan for many systems: the widest pair decides, and half of the pairs need no more than it."""
    runs, bronze, gold = world(systems=4, topics=30)
    listed = tg.sample_gold(runs, bronze, "P@5")
    plan = tg.plan_labels(
        runs, bronze, "P@5", config=tg.StudyConfig(population="fixed", gold=tg.Gold(listed), min_effect=0.1)
    )
    assert "all 6 pairs" in plan.aim
    more = tg.plan_labels(
        runs,
        bronze,
        "P@5",
        config=tg.StudyConfig(population="fixed", gold=tg.Gold(judged(listed, gold, 60)), min_effect=0.1),
    )
    assert 0 < more.needed["gold labels"] < plan.needed["gold labels"]
    two = ("s0", "s3")
    alone = tg.sample_gold(runs, bronze, "P@5", pair=two)
    one = tg.plan_labels(
        runs, bronze, "P@5", pair=two, config=tg.StudyConfig(population="fixed", gold=tg.Gold(alone), min_effect=0.1)
    )
    assert one.needed["gold labels"] < plan.needed["gold labels"]


def test_the_cheapest_mix_is_the_cheapest() -> None:
    """Guards the search against every number of topics and gold labels one by one."""
    now = CurrentPrecision({"topics": 0.0008, "gold": 0.0006}, topics=30, gold=60, pairs=600)
    prices = {"topics": 4.0, "gold": 1.0}
    found = cheapest(now, 0.05, prices)
    assert found is not None
    best = math.inf
    for t in range(90):
        for g in range(0, 1200, 5):
            times = (30 + t) / 30
            share = (60 + g) / 60 / times
            if share >= 1 and now.after(topics=times, gold=share) <= 0.05:
                best = min(best, 4.0 * t + g)
                break
    assert best < math.inf
    assert found.cost == pytest.approx(best, rel=0.08)
    assert found.half <= 0.05 * (1 + 1e-6)
    assert cheapest(now, 0.001, {"gold": 1.0}) is None
    topics = cheapest(now, 0.05, {"topics": 4.0})  # gold grows with the topics, unpriced
    assert topics is not None
    assert list(topics.more) == ["topics"]
    assert topics.half <= 0.05
    rated = CurrentPrecision({"topics": 0.0008, "assessors": 0.0006}, topics=30, assessors=5, ratings=60)
    mix = cheapest(rated, 0.05, {"topics": 4.0, "assessors": 0.1})
    assert mix is not None
    more, factor = mix.more, 1 + mix.more.get("assessors", 0) / 5
    by_hand = 4.0 * more["topics"] + 0.1 * 60 * (more.get("assessors", 0) + 5 * factor * more["topics"] / 30)
    assert mix.cost == pytest.approx(by_hand)


def test_fewest_labels_are_the_fewest() -> None:
    """Guards the search: one label fewer is not enough."""
    tau = np.concatenate([[0.0], np.cumsum((200 / (200 - np.arange(199.0))) ** 2), [np.inf]])
    now = CurrentPrecision({"gold": 0.002}, topics=30, gold=50, pairs=200, information=tau)
    n = fewest_gold(now, 0.04)
    assert n is not None
    assert now.after(gold=n / 50) <= 0.04 < now.after(gold=(n - 1) / 50)
    assert fewest_gold(now, 0.0) == 200
    assert fewest_gold(now, 1.0) == 50


def test_between_two_rows_of_a_list_what_is_known_grows_evenly() -> None:
    """Guards sizes of a list that are no whole rows: a quarter of the way has a quarter of the next row's step."""
    tau = np.concatenate([[0.0], np.cumsum((200 / (200 - np.arange(199.0))) ** 2), [np.inf]])
    now = CurrentPrecision({"gold": 0.002}, topics=30, gold=50, pairs=200, information=tau)
    known = tau[80] + 0.25 * (tau[81] - tau[80])
    wanted = now.after() * math.sqrt(float(tau[50]) / float(known))
    assert now.after(gold=80.25 / 50) == pytest.approx(wanted, rel=1e-9)


def test_one_system_and_unknown_ones_are_refused() -> None:
    """Guards what a plan is about."""
    runs, bronze, _ = world()
    with pytest.raises(tg.TruegainError, match="needs at least 2 systems; there is 1"):
        tg.plan_labels(
            {"s0": runs["s0"]}, bronze, "P@5", config=tg.StudyConfig(gold=tg.Gold(tg.sample_gold(runs, bronze, "P@5")))
        )
    with pytest.raises(tg.TruegainError, match="pair 'x' is not a system here"):
        tg.sample_gold(runs, bronze, "P@5", pair=("s0", "x"))
    with pytest.raises(tg.MeasureError, match="AP cannot be corrected from scattered gold labels"):
        tg.sample_gold(runs, bronze, "AP")
    with pytest.raises(tg.TruegainError, match="cannot begin one"):
        tg.sample_gold(runs, bronze, "P@5", gold=bronze)


# ---------------------------------------------------------------------- small sets


def small(seed: int) -> tuple[Any, Runs, Labels, Labels]:
    """Four to eight topics of six to twelve documents, some gold labels of them drawn at random."""
    rng = np.random.default_rng(seed)
    docs = int(rng.integers(6, 13))
    gold: Labels = {str(t): {f"d{i}": int(rng.integers(0, 2)) for i in range(docs)} for t in range(rng.integers(4, 9))}
    bronze = {t: {d: g if rng.random() < 0.8 else 1 - g for d, g in row.items()} for t, row in gold.items()}
    far = float(rng.choice([3.0, 9.0]))
    runs: Runs = {
        f"s{k}": {t: {d: -i + far * rng.random() + k * g for i, (d, g) in enumerate(row.items())}
                  for t, row in gold.items()}
        for k in range(2)
    }  # fmt: skip
    pairs = [(t, d) for t, row in gold.items() for d in row]
    some: Labels = {}
    for i in rng.permutation(len(pairs))[: int(rng.integers(4, len(pairs) + 1))].tolist():
        t, d = pairs[i]
        some.setdefault(t, {})[d] = gold[t][d]
    return rng, runs, bronze, some


@pytest.mark.few(20)
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_a_small_set_has_a_plan_or_a_reason(seed: int) -> None:
    """Guards small sets, which once ended in an IndexError: rows, narrower the more labels; more for less; or why."""
    rng, runs, bronze, some = small(seed)
    words: Any = {
        "population": str(rng.choice(["topics", "fixed"])),
        "design": str(rng.choice(["random", "by-bronze"])),
    }
    measure = str(rng.choice(["P@2", "P@4", "DCG@3", "RBP"]))
    needed = []
    for min_effect in (0.02, 0.1, 0.4):
        try:
            plan = flat_plan(runs, bronze, measure, gold=some, min_effect=min_effect, **words)
        except tg.TruegainError:
            return
        halves = [float(str(row[1])) for row in plan.details.rows]
        assert halves
        assert halves == sorted(halves, reverse=True)
        needed.append(plan.needed.get("gold labels", math.inf))
    assert needed == sorted(needed, reverse=True)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_small_sets_have_both_ends() -> None:
    """Guards the case that failed (limits only once all that differ are judged), and too few that differ at all."""
    rows, gold = 12, {str(t): {f"d{i}": (i + t) % 2 for i in range(8)} for t in range(4)}
    bronze = {t: {**row, "d0": 1 - row["d0"]} for t, row in gold.items()}
    a: dict[str, dict[str, float]] = {t: {d: -float(i) for i, d in enumerate(row)} for t, row in gold.items()}
    b = {t: {**row, "d4": 1.0, "d5": 2.0} for t, row in a.items()}
    few: Labels = {t: {d: row[d] for d in ("d0", "d5", "d7")} for t, row in gold.items()}
    plan = tg.plan_labels(
        {"a": a, "b": b}, bronze, "P@4", config=tg.StudyConfig(gold=tg.Gold(few, design="random"), min_effect=0.05)
    )
    differ = 16  # d2, d3 and d4, d5 in every topic, 4 of them judged
    assert plan.provenance["most"] == differ
    assert [row[0] for row in plan.details.rows] == [rows + differ - 4]
    c = {t: {**row, "d4": 1.0} if t in "12" else row for t, row in a.items()}
    with pytest.raises(
        tg.TruegainError,
        match=r"only 4 labeled documents can change the difference c - a on P@4.*needs 10.*sample_gold",
    ):
        tg.plan_labels(
            {"a": a, "c": c}, bronze, "P@4", config=tg.StudyConfig(gold=tg.Gold(few, design="random"), min_effect=0.05)
        )
    whole = tg.plan_labels(
        {"a": a, "c": c},
        bronze,
        "P@4",
        config=tg.StudyConfig(population="fixed", gold=tg.Gold(gold, design="random"), min_effect=0.05),
    )
    assert whole.details.rows[0][1] == 0
    listed = tg.sample_gold({"a": a, "c": c}, bronze, "P@4")
    done = tg.plan_labels(
        {"a": a, "c": c}, bronze, "P@4", config=tg.StudyConfig(gold=tg.Gold(judged(listed, gold, 4)), min_effect=0.05)
    )
    assert "4 of the 4 gold labels affect this difference." in done.details.notes
    with pytest.raises(tg.TruegainError, match="no labeled document can change the difference b - a on P@4"):
        tg.plan_labels(
            {"a": a, "b": a}, bronze, "P@4", config=tg.StudyConfig(gold=tg.Gold(few, design="random"), min_effect=0.05)
        )


def test_a_plan_without_an_aim_prints_its_table() -> None:
    """Guards print(plan_labels(...)): a plan that is no number is its table, as on the command line."""
    runs, bronze, _ = world(4, topics=30)
    plan = tg.plan_labels(runs, bronze, "P@5", pair=("s0", "s1"))
    assert plan.needed == {}
    assert str(plan) == str(plan.details)
    assert "half width" in str(plan)
    assert "half width" not in plan.in_short()


def test_whoever_has_labeled_everything_has_a_plan() -> None:
    """Guards drawn pairs that are all gold: the verdict answers, and the plan said that too few labels move it."""
    docs = "wxyz"
    bronze: Labels = {str(t): {d: (t + i) % 2 for i, d in enumerate(docs)} for t in range(30)}
    gold: Labels = {t: {d: x if int(t) % 3 else 1 for d, x in row.items()} for t, row in bronze.items()}
    others = [("w", "y") if t < 4 else ("w", "x") for t in range(30)]
    runs: Runs = {
        "a": {str(t): {"w": 2.0, "x": 1.0} for t in range(30)},
        "b": {str(t): {d: 2.0 - at for at, d in enumerate(pair)} for t, pair in enumerate(others)},
    }
    judge = tg.Gold(gold, "random")
    study = tg.Study(runs, bronze, "P@2", gold=judge)
    assert study.compare("a", "b")[0].low is not None
    assert study.verdict("a", "b").sizes["gold"] == "8 gold labels that affect this difference (of 120)"
    plan = tg.plan_labels(runs, bronze, "P@2", pair=("a", "b"), config=tg.StudyConfig(gold=judge))
    assert "8 of the 120 gold labels affect this difference." in plan.details.notes, "not the 10 that limits need"
    rng = np.random.default_rng(1)
    some = {t: {d: x for d, x in row.items() if int(t) < 4 or rng.random() < 0.8} for t, row in gold.items()}
    with pytest.raises(
        tg.TruegainError, match=r"only 8 labeled documents can change the difference b - a on P@2, and an"
    ):
        tg.plan_labels(runs, bronze, "P@2", pair=("a", "b"), config=tg.StudyConfig(gold=tg.Gold(some, "random")))
