"""A study that reads an ordered list of gold labels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest

import truegain as tg
from tests.flat import flat_study
from tests.planning.test_label_plan import P5, judged, ranked_of, world
from tests.worlds import Labels, Runs
from truegain.data.label_lists import GoldList
from truegain.errors import InputError
from truegain.experiments.spending_again import Labeled, looked
from truegain.planning.gold_sample import draw_list
from truegain.sampling.gold import OrderedDraws
from truegain.stats.contrasts import Contrasts, Variance
from truegain.study.anytime import at_every_look, sequence_half
from truegain.study.gold_lists import ByList
from truegain.study.next_steps import STUCK
from truegain.study.precision import fewest_gold

PAIR = Contrasts.of([(0, 1)])


def test_the_interval_is_that_of_the_formula() -> None:
    """Guards value and limits against study.md's formulas written out: theta, X_t, s2, its floor, t."""
    runs, bronze, gold = world()
    listed = judged(draw_list(ranked_of(runs, bronze), P5), gold, 60)
    study = tg.Study(runs, bronze, "P@5", population="fixed", gold=listed)
    found = study.compare("s0", "s1")[0]
    draws, n, topics = OrderedDraws(listed.size, 60), 60, 20
    tops = {s: {(t, d) for t, row in lists.items() for d in sorted(row, key=lambda d: -row[d])[:5]}
            for s, lists in runs.items()}  # fmt: skip
    pairs = list(zip(listed.topics, listed.docs, strict=True))
    w = np.array([0.2 * ((p in tops["s1"]) - (p in tops["s0"])) / topics for p in pairs])
    g = np.array([float(gold[t][d] >= 1) for t, d in pairs])
    k = draws.expansion
    e = k / k.mean()
    m = np.empty(len(pairs))
    for i, (t, _) in enumerate(pairs):
        other = np.array([pairs[r][0] != t for r in range(n)])
        gbar = ((e * g[:n])[other].sum() + 0.5) / (e[other].sum() + 1)
        same = other & (listed.bronze[:n] == listed.bronze[i])
        m[i] = ((e * g[:n])[same].sum() + gbar) / (e[same].sum() + 1)
    value = w @ m + (k * w[:n] * (g - m)[:n]).sum()
    y = w[:n] * (g - m)[:n]
    x = np.cumsum(y) - y + y / draws.chance
    mean = draws.share @ x
    s2 = (draws.worth * (x - mean) ** 2).sum() / (n - 1)
    floor = 0.0
    for c in np.unique(listed.bronze):
        at = listed.bronze[:n] == c
        count = e[at].sum() + 1
        first = ((e * g[:n])[at].sum() + 0.5) / count
        second = ((e * g[:n] ** 2)[at].sum() + 0.5) / count
        mine = listed.bronze == c
        floor += listed.size.sum() * (w[mine] ** 2 * (second - first**2) / listed.size[mine]).sum()
    variance = max(s2, floor) / draws.information
    assert found.difference == pytest.approx(value, abs=1e-9)
    from scipy.stats import t as student

    assert found.high == pytest.approx(value + student.ppf(0.975, n - 1) * np.sqrt(variance), abs=1e-9)


def test_with_all_labels_it_is_exact_for_these_topics() -> None:
    """Guards the end of a list: the difference of gold, without an interval; over topics that of the paired t test."""
    runs, bronze, gold = world()
    listed = draw_list(ranked_of(runs, bronze), P5)
    whole = judged(listed, gold, len(listed))
    verdict = tg.Study(runs, bronze, "P@5", population="fixed", gold=whole).verdict("s0", "s1")
    truth = tg.Study(runs, gold, "P@5").compare("s0", "s1")[0]
    assert verdict.comparison.difference == pytest.approx(truth.difference, abs=1e-12)
    assert "exact, because all labels are gold" in verdict.sentence
    over = tg.Study(runs, bronze, "P@5", gold=whole).compare("s0", "s1")[0]
    assert over.low == pytest.approx(truth.low)
    assert over.high == pytest.approx(truth.high)


def test_scores_are_not_told_by_a_list_of_differences() -> None:
    """Guards what a list leaves out: documents that both have are never judged, so the scores are not known."""
    runs, bronze, gold = world()
    listed = judged(draw_list(ranked_of(runs, bronze), P5), gold, 60)
    found = tg.Study(runs, bronze, "P@5", population="fixed", gold=listed).estimates()
    assert all(e.refused for e in found)
    assert "not in the list of gold labels, which was drawn for differences" in found[0].notes[0]


def test_a_list_for_other_runs_tells_nothing() -> None:
    """Guards against documents without a chance: another system's, or another measure's."""
    runs, bronze, gold = world(systems=3)
    two = {s: runs[s] for s in ("s0", "s1")}
    listed = judged(draw_list(ranked_of(two, bronze), P5), gold, 60)
    others = {s: runs[s] for s in ("s0", "s2")}
    with pytest.raises(tg.InputError, match=r"sampled for other runs or another measure \(P@5\): .* such as topic"):
        tg.Study(others, bronze, "P@5", population="fixed", gold=listed).compare()
    with pytest.raises(tg.InputError, match="sampled for other runs or another measure"):
        tg.Study(two, bronze, "P@8", population="fixed", gold=listed).compare()
    verdict = tg.Study(runs, bronze, "P@5", population="fixed", gold=listed).verdict("s0", "s2")
    assert verdict.outcome == "inconclusive"
    assert "sampled for other runs or another measure" in verdict.sentence


def test_a_list_for_other_judgments_is_refused() -> None:
    """Guards the strata: a bronze label that is not that of the list is named."""
    runs, bronze, gold = world()
    listed = judged(draw_list(ranked_of(runs, bronze), P5), gold, 60)
    other = {t: dict(row) for t, row in bronze.items()}
    said = other[listed.topics[70]]
    said[listed.docs[70]] = (said[listed.docs[70]] + 1) % 3
    with pytest.raises(tg.InputError, match=r"sampled from other judgments: topic .* has the bronze label"):
        tg.Study(runs, other, "P@5", population="fixed", gold=listed).compare()


def test_a_list_knows_its_design() -> None:
    """Guards against a design that is given beside."""
    runs, bronze, gold = world()
    listed = judged(draw_list(ranked_of(runs, bronze), P5), gold, 60)
    with pytest.raises(tg.TruegainError, match=r"knows its design \(ordered\); leave design='random' out"):
        tg.Study(runs, bronze, "P@5", gold=tg.Gold(listed, design="random"))


def test_ndcg_stands_for_dcg_over_one_constant() -> None:
    """Guards nDCG from single labels: DCG over the mean ideal, said so; AP is refused."""
    runs, bronze, gold = world()
    ranked = ranked_of(runs, bronze)
    by_dcg = tg.Study(runs, bronze, "DCG@5", gold=judged(draw_list(ranked, tg.parse_measure("DCG@5")), gold, 80))
    by_ndcg = tg.Study(runs, bronze, "nDCG@5", gold=judged(draw_list(ranked, tg.parse_measure("nDCG@5")), gold, 80))
    discount = np.log2(np.arange(2, 7))
    constant = np.mean([(sorted(row.values(), reverse=True)[:5] / discount).sum() for row in bronze.values()])
    one, two = by_dcg.compare("s0", "s1")[0], by_ndcg.compare("s0", "s1")[0]
    assert two.difference == pytest.approx(one.difference / constant, rel=1e-9)
    assert any("is replaced by DCG@5 divided by" in note for note in by_ndcg.verdict("s0", "s1").notes)


def test_looking_often_widens() -> None:
    """Guards the formula of the sequence, by hand, and that p is not told."""
    h = sequence_half(np.array([0.3]), 80.0, 0.05)
    rho2 = (-2 * np.log(0.05) + np.log(1 - 2 * np.log(0.05))) / 150
    by_hand = np.sqrt(0.3) * np.sqrt((80 * rho2 + 1) / (80**2 * rho2) * np.log((80 * rho2 + 1) / 0.05**2))
    assert h[0] == pytest.approx(by_hand)
    runs, bronze, gold = world()
    listed = judged(draw_list(ranked_of(runs, bronze), P5), gold, 60)
    plain, often = (
        tg.Study(runs, bronze, "P@5", population="fixed", gold=tg.Gold(listed, sequential=x)).compare("s0", "s1")[0]
        for x in (False, True)
    )
    assert often.p is None
    assert plain.low is not None
    assert often.low is not None
    assert often.difference == plain.difference
    assert 1.3 < (often.difference - often.low) / (plain.difference - plain.low) < 1.8


@pytest.mark.parametrize("topics", ["fixed", "sampled"])
def test_limits_of_all_looks_are_met(topics: str) -> None:
    """Guards limits that hold at every look: of the bets; topics sampled, t at half of the error, bets at a quarter."""
    from scipy.stats import t as student

    runs, bronze, gold = world(2, topics=60)
    drawn, contrasts = draw_list(ranked_of(runs, bronze), P5), Contrasts.of([(0, 1)])
    study = tg.Study(
        runs,
        bronze,
        "P@5",
        population="fixed" if topics == "fixed" else "topics",
        gold=tg.Gold(judged(drawn, gold, 140), sequential=True),
    )
    estimator = study.variance_model("P@5").estimator
    assert isinstance(estimator, ByList)
    game = estimator.game(contrasts)
    assert game is not None
    value = float(estimator.values(contrasts)[0])
    low, high = (float(x[0]) for x in game.limits(0.05 if topics == "fixed" else 0.0125))
    if topics == "sampled":
        whole, own = estimator.over_topics(contrasts), estimator.over_gold(contrasts).value
        far = student.ppf(1 - 0.0125, whole.df[0]) ** 2 * max(float(whole.value[0] - own[0]), 0)
        low, high = value - math.sqrt((value - low) ** 2 + far), value + math.sqrt((high - value) ** 2 + far)
    found, verdict = study.compare("s0", "s1")[0], study.verdict("s0", "s1")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    whole_source = next(x for x in verdict.by_source if x.source == ("topics" if topics == "sampled" else "gold"))
    assert (whole_source.low, whole_source.high) == (found.low, found.high)


def test_looks_that_exclude_one_another() -> None:
    """Guards against a guess: judges who turn round after 60 labels leave no difference within all limits."""
    runs, bronze, _ = world(topics=60)
    drawn = draw_list(ranked_of(runs, bronze), P5)
    turned: dict[str, dict[str, int]] = {}
    for i, (t, d) in enumerate(zip(drawn.topics, drawn.docs, strict=True)):
        row = runs["s1"][t]
        turned.setdefault(t, {})[d] = int((d in sorted(row, key=lambda x: -row[x])[:5]) == (i < 60))
    study = tg.Study(
        runs, bronze, "P@5", population="fixed", gold=tg.Gold(judged(drawn, turned, len(drawn) - 40), sequential=True)
    )
    found = study.compare("s0", "s1")[0]
    assert (found.low, found.high) == (None, None)
    assert "do not overlap" in found.notes[0]
    said = study.verdict("s0", "s1")
    assert said.outcome == "inconclusive"
    assert "less than 5% of lists" in said.sentence


def test_topics_share_the_error() -> None:
    """Guards the sampled case, by hand: sqrt(t^2 own + h^2), t at half of the error, h at a quarter."""
    gold, whole = Variance(np.array([0.001]), np.array([50.0])), Variance(np.array([0.003]), np.array([30.0]))
    found = at_every_look(gold, whole, 100.0, 0.95)
    from scipy.stats import norm
    from scipy.stats import t as student

    h = sequence_half(np.array([0.1]), 100.0, 0.0125)[0]
    half = np.sqrt(student.ppf(1 - 0.0125, 30) ** 2 * 0.002 + h**2)
    assert norm.ppf(0.975) * np.sqrt(found.value[0]) == pytest.approx(half, rel=1e-6)


def test_looking_often_needs_an_order() -> None:
    """Guards against anytime where the order of labels is not known, or beside other sources."""
    runs, bronze, gold = world(topics=24)
    some = {t: row for t, row in gold.items() if int(t) % 3 == 0}
    with pytest.raises(tg.TruegainError, match="in the order of a list"):
        tg.Study(runs, bronze, "P@5", gold=tg.Gold(some, design="topics", sequential=True)).compare()


def test_how_many_more_labels_are_expected() -> None:
    """Guards what the verdict says of more labels: the number that would decide it, or that none will."""
    runs, bronze, gold = world(2, topics=30)
    listed = judged(draw_list(ranked_of(runs, bronze), P5), gold, 25)
    for a, b, min_effect in (("s0", "s1", 0.0), ("s1", "s0", 0.02)):
        study = tg.Study(runs, bronze, "P@5", population="fixed", gold=listed, min_effect=min_effect)
        verdict = study.verdict(a, b)
        d = verdict.comparison.difference
        needed = fewest_gold(study.precision(a, b), max(abs(d), min_effect - d))
        assert needed is not None
        assert f"about {needed - 25} more gold labels would settle it with 50% power ({needed} in total)" in " ".join(
            verdict.notes
        )


def test_rows_of_topics_that_are_left_out_keep_their_turn() -> None:
    """Guards chances: a run lacks a topic, its rows stay in the list, and the truth of the others is still held."""
    runs, bronze, gold = world(topics=21)
    ranked = ranked_of(runs, bronze)
    listed = judged(draw_list(ranked, P5), gold, 80)
    short = {"s0": runs["s0"], "s1": {t: row for t, row in runs["s1"].items() if t != "20"}}
    with pytest.warns(tg.DataWarning):
        study = tg.Study(short, bronze, "P@5", population="fixed", gold=listed)
    estimator = study.variance_model().estimator
    assert isinstance(estimator, ByList)
    assert estimator.draws.n == 80
    assert len(estimator.turn) == sum(t != "20" for t in listed.topics[:80])
    assert np.isfinite(study.compare("s0", "s1")[0].high or np.nan)


@pytest.mark.parametrize(("fixed", "least", "most"), [(True, 0.92, 0.99), (False, 0.91, 0.985)])
def test_intervals_hold_the_truth(fixed: bool, least: float, most: float) -> None:
    """Guards the promise of 95% by simulation: 60 of about 120 labels, for these topics and for topics like these."""
    holds, ever = [], []
    rng = np.random.default_rng(20261115)
    base = Labeled.of(*world(11, topics=40), "P@5")
    truth = base.truth(0, 1)
    for _ in range(250):
        known = base
        if not fixed:
            rows = [np.flatnonzero(base.topic == t) for t in rng.integers(0, 40, 40).tolist()]
            at = np.concatenate(rows)
            known = replace(base, topic=np.repeat(np.arange(40), [len(r) for r in rows]), stratum=base.stratum[at],
                            gold=base.gold[at], weight=base.weight[:, at])  # fmt: skip
        sizes = known.sizes("ordered", 0, 1)
        looks = (20, 40, 60) if fixed else (60,)
        value, half, every = looked(known, 0, 1, sizes, known.order(sizes, rng), looks, fixed=fixed)
        holds.append(abs(value[-1] - truth) <= half[-1])
        ever.append(bool((np.abs(value - truth) > every).any()))
    assert least <= np.mean(holds) <= most
    assert np.mean(ever) <= 0.06


def test_a_ranking_claims_no_pair_that_the_list_leaves_out() -> None:
    """Guards `best`: systems that a list was not drawn for keep every rank they may have against others."""
    runs, bronze, gold = world(systems=3, topics=40)
    two = {s: runs[s] for s in ("s0", "s1")}
    listed = draw_list(ranked_of(two, bronze), P5)
    best = tg.Study(runs, bronze, "P@5", population="fixed", gold=judged(listed, gold, len(listed))).best()
    place = {row["system"]: (row["rank low"], row["rank high"]) for row in best.table().records()}
    assert place["s2"] == (1, 3)
    assert place["s0"] != place["s1"]


def test_a_short_list_that_is_judged_whole_is_enough() -> None:
    """Guards few pairs: where all that differs is judged nothing is asked beyond, for these topics and others."""
    runs, bronze, gold = world(topics=12)
    near = {t: dict(row) for t, row in runs["s0"].items()}
    for t in list(near)[:6]:
        order = sorted(near[t], key=lambda d, t=t: -near[t][d])  # type: ignore[misc]
        near[t][order[4]], near[t][order[5]] = near[t][order[5]], near[t][order[4]]
    pair = {"s0": runs["s0"], "near": near}
    listed = draw_list(ranked_of(pair, bronze), P5)
    assert len(listed) == 12
    eight = draw_list(ranked_of({"s0": runs["s0"], "near": {**near, **{t: runs["s0"][t] for t in list(near)[4:]}}},
                                bronze), P5)  # fmt: skip
    assert len(eight) == 8
    whole = judged(eight, gold, 8)
    runs = {"s0": runs["s0"], "near": {**near, **{t: runs["s0"][t] for t in list(near)[4:]}}}
    fixed = tg.Study(runs, bronze, "P@5", population="fixed", gold=whole).verdict("s0", "near")
    assert "exact, because all labels are gold" in fixed.sentence
    assert tg.Study(runs, bronze, "P@5", gold=whole).compare("s0", "near")[0].low is not None


@pytest.mark.filterwarnings("ignore:P@5. 9")
def test_pairs_that_were_pooled_and_not_judged_do_not_count() -> None:
    """Guards labels below 0 in the judgments: the list leaves them out, and so does the study that reads it."""
    runs, bronze, gold = world(topics=20)
    some = {t: {d: -1 if i % 9 == 4 else x for i, (d, x) in enumerate(row.items())} for t, row in bronze.items()}
    absent = {t: {d: x for d, x in row.items() if x >= 0} for t, row in some.items()}
    found = []
    for labels in (some, absent):
        listed = tg.sample_gold(runs, labels, "P@5", seed=2)
        study = tg.Study(runs, labels, "P@5", population="fixed", gold=judged(listed, gold, 40))
        found.append(study.compare("s0", "s1")[0])
    assert (found[0].difference, found[0].low) == (found[1].difference, found[1].low)


def test_topics_that_one_run_lacks_are_not_on_a_list() -> None:
    """Guards money: pairs of topics that the study leaves out are not to be judged."""
    runs, bronze, gold = world(topics=20)
    short = {"s0": runs["s0"], "s1": {t: row for t, row in runs["s1"].items() if int(t) < 12}}
    with pytest.warns(tg.DataWarning, match="8 of 20 judged topics"):
        listed = tg.sample_gold(short, bronze, "P@5")
    assert set(map(int, listed.topics)) <= set(range(12))
    labels = judged(listed, gold, len(listed))
    with pytest.warns(tg.DataWarning), pytest.raises(tg.TruegainError, match=r"^all_topics and an ordered list.*leave"):
        tg.Study(short, bronze, "P@5", gold=labels, scoring=tg.Scoring(all_topics=True))
    answered = {t: row for t, row in bronze.items() if int(t) < 12}
    with pytest.warns(tg.DataWarning, match="8 topics"):  # of a run, without judgments: every judged one is answered
        assert len(tg.Study(short, answered, "P@5", gold=labels, scoring=tg.Scoring(all_topics=True)).topics) == 12


def test_sources_that_a_list_cannot_tell_are_refused() -> None:
    """Guards anytime, and nDCG's stand-in, beside other collections."""
    runs, bronze, gold = world(topics=20)
    listed = judged(tg.sample_gold(runs, bronze, "P@5"), gold, 40)
    with pytest.raises(tg.TruegainError, match="sequential and population 'collection': cannot be combined"):
        tg.Study(runs, bronze, "P@5", population=["collection"], gold=tg.Gold(listed, sequential=True)).compare()
    listed = judged(tg.sample_gold(runs, bronze, "nDCG@5"), gold, 40)
    with pytest.raises(tg.TruegainError, match="is replaced by DCG@5 divided by"):
        tg.Study(runs, bronze, "nDCG@5", gold=listed, population=["topics", "collection"]).compare()
    notes = tg.Study(runs, bronze, "nDCG@5", population="fixed", gold=listed).compare().notes
    assert any("is replaced by DCG@5 divided by" in note for note in notes)


def test_a_list_is_no_sample() -> None:
    """Guards corrections that take gold for a sample: a list is refused there, whatever design is given."""
    runs, bronze, gold = world(topics=20)
    listed = judged(tg.sample_gold(runs, bronze, "P@5"), gold, 40)
    for call in (
        lambda: tg.correct(runs, bronze, "P@5", gold=tg.Gold(listed, design="random")),
        lambda: tg.compare(runs, bronze, "P@5", gold=tg.Gold(listed, design="random")),
        lambda: tg.Judge.fit(bronze, listed, design="random"),
    ):
        with pytest.raises(tg.TruegainError, match="this is a gold list, sampled for differences"):
            call()


def test_older_lists_are_held_against_the_bronze_labels_too() -> None:
    """Guards chances by bronze label: a list drawn by other labels is refused."""
    runs, bronze, gold = world(topics=24)
    listed = judged(tg.sample_gold(runs, bronze, "P@5", draw="by-bronze"), gold, 180)
    other = {t: {d: (x + 1) % 3 for d, x in row.items()} for t, row in bronze.items()}
    with pytest.raises(tg.InputError, match="sampled from other judgments"):
        tg.Study(runs, other, "P@5", gold=listed)


def stuck_at(listed: GoldList, rows: Sequence[int], label: float | None = None) -> GoldList:
    """The same list with rows that nobody could judge, or with a label for all of them."""
    told = listed.label.copy()
    told[list(rows)] = np.nan if label is None else label
    return replace(listed, label=told, cannot=frozenset(rows) if label is None else frozenset())


def test_what_nobody_could_judge_is_told_by_all_its_labels() -> None:
    """Guards exact limits: with the whole list judged they are the least and the most over all labels it could have."""
    runs, bronze, gold = world()
    listed = draw_list(ranked_of(runs, bronze), P5)
    whole, rows = judged(listed, gold, len(listed)), (2, 5, 11)

    def difference(labels: Sequence[float]) -> float:
        told = whole.label.copy()
        told[list(rows)] = labels
        with_all = replace(whole, label=told)
        return float(tg.Study(runs, bronze, "P@5", population="fixed", gold=with_all).compare("s0", "s1")[0].difference)

    every = [difference(labels) for labels in itertools.product((0.0, whole.scale[1]), repeat=3)]
    verdict = tg.Study(runs, bronze, "P@5", population="fixed", gold=stuck_at(whole, rows)).verdict("s0", "s1")
    found = verdict.comparison
    assert found.low == pytest.approx(min(every))
    assert found.high == pytest.approx(max(every))
    assert found.p is None
    assert verdict.sentence.endswith("; the interval allows for any label of 3 documents that people could not judge.")
    assert "exact" not in verdict.sentence


@pytest.mark.parametrize(
    "words", [{"population": "fixed"}, {}, {"population": "fixed", "sequential": True}, {"sequential": True}]
)
def test_limits_hold_those_of_the_worst_and_the_best_labels(words: dict[str, Any]) -> None:
    """Guards the promise: the lower limit is no higher than that of a list with the worst labels; so above."""
    runs, bronze, gold = world()
    listed = judged(draw_list(ranked_of(runs, bronze), P5), gold, 60)
    rows = (1, 7, 20, 33, 41)
    tops = {s: {(t, d) for t, row in lists.items() for d in sorted(row, key=lambda d: -row[d])[:5]}
            for s, lists in runs.items()}  # fmt: skip
    pairs = list(zip(listed.topics, listed.docs, strict=True))
    for side, better in (("low", "s0"), ("high", "s1")):
        end = listed.label.copy()
        end[list(rows)] = [listed.scale[1] if pairs[i] in tops[better] else 0.0 for i in rows]
        sure = flat_study(runs, bronze, "P@5", gold=replace(listed, label=end), **words).compare("s0", "s1")[0]
        open_ = flat_study(runs, bronze, "P@5", gold=stuck_at(listed, rows), **words).compare("s0", "s1")[0]
        limit, wide = getattr(sure, side), getattr(open_, side)
        assert wide <= limit + 1e-12 if side == "low" else wide >= limit - 1e-12
        assert abs(wide - limit) < 0.02, "no wider than that needs"
    if open_.p is not None:
        assert open_.low is not None
        assert open_.high is not None
        assert (open_.p < 0.05) == (open_.low > 0 or open_.high < 0)


def test_cannot_is_counted_and_buys_nothing() -> None:
    """Guards what is said: so many that move this pair, no label that brings more, and none from a random list."""
    runs, bronze, gold = world()
    listed = judged(draw_list(ranked_of(runs, bronze), P5), gold, 60)
    study = tg.Study(runs, bronze, "P@5", gold=stuck_at(listed, (1, 7)))
    verdict = study.verdict("s0", "s1")
    assert verdict.not_judgeable <= 2
    assert verdict.to_dict()["not_judgeable"] == verdict.not_judgeable
    drawn = judged(draw_list(ranked_of(runs, bronze), P5, design="by-bronze"), gold, 60)
    with pytest.raises(InputError, match="people could not judge 2 documents of this list"):
        tg.Study(runs, bronze, "P@5", gold=stuck_at(drawn, (1, 7)))


@pytest.mark.few(1)
@pytest.mark.parametrize("topics", ["fixed", "sampled"])
def test_a_random_list_goes_on_past_what_nobody_could_judge(topics: Literal["fixed", "sampled"]) -> None:
    """Guards lists drawn at random: limits hold those of all labels that such documents may have, and the truth."""
    held, studies = 0, 8
    for seed in range(studies):
        runs, bronze, gold = world(seed, topics=30)
        drawn = judged(draw_list(ranked_of(runs, bronze), P5, design="random", seed=seed), gold, 250)
        truth = tg.Study(runs, gold, "P@5").compare("s0", "s1")[0]
        study = tg.Study(
            runs,
            bronze,
            "P@5",
            population="fixed" if topics == "fixed" else "topics",
            gold=stuck_at(drawn, range(0, 250, 10)),
        )
        verdict = study.verdict("s0", "s1")
        assert verdict.low is not None
        assert verdict.high is not None
        assert "allows for any label of" in verdict.sentence
        for end in (0.0, 2.0):
            ends = tg.Study(
                runs,
                bronze,
                "P@5",
                population="fixed" if topics == "fixed" else "topics",
                gold=stuck_at(drawn, range(0, 250, 10), end),
            )
            other = ends.verdict("s0", "s1")
            assert verdict.low <= other.difference <= verdict.high
        held += verdict.low <= truth.difference <= verdict.high
    assert held >= studies - 1


def every_fourth(listed: GoldList) -> list[int]:
    """Rows of what is judged."""
    return list(range(0, listed.judged, 4))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "words", [{}, {"population": "fixed"}, {"sequential": True}, {"population": "fixed", "sequential": True}]
)
def test_the_best_is_none_that_differences_leave_open(words: dict[str, Any]) -> None:
    """Guards `best`, at every look, too: it named one as best where documents nobody could judge left it open."""
    open_ = 0
    for seed in range(4):
        rng = np.random.default_rng([5, seed])
        gold: Labels = {str(t): {f"d{i}": int(rng.random() < 0.4) for i in range(16)} for t in range(40)}
        bronze: Labels = {t: {d: x if rng.random() < 0.85 else 1 - x for d, x in r.items()} for t, r in gold.items()}
        runs: Runs = {s: {t: {d: by * x + rng.normal() for d, x in r.items()} for t, r in gold.items()}
                      for s, by in (("a", 0.3), ("b", 1.6))}  # fmt: skip
        listed = draw_list(ranked_of(runs, bronze), P5)
        most = judged(listed, gold, len(listed) * 4 // 5)
        assert flat_study(runs, bronze, "P@5", gold=most, **words).best("P@5").best == ("b",)
        study = flat_study(runs, bronze, "P@5", gold=stuck_at(most, every_fourth(most)), **words)
        found = study.compare("a", "b")[0]
        assert found.low is not None
        open_ += found.low <= 0
        assert found.low > 0 or len(study.best("P@5").best) == 2
    assert open_, "a test of what is left open"


@pytest.mark.parametrize("topics", ["fixed", "sampled"])
def test_what_more_labels_bring_knows_what_nobody_could_judge(topics: Literal["fixed", "sampled"]) -> None:
    """Guards next steps: all labels leave what cannot be judged open; half a width of 0 was promised."""
    runs, bronze, gold = world(topics=40)
    listed = draw_list(ranked_of(runs, bronze), P5)
    some, whole = judged(listed, gold, len(listed) // 3), judged(listed, gold, len(listed))
    verdict, then = (
        tg.Study(
            runs,
            bronze,
            "P@5",
            population="fixed" if topics == "fixed" else "topics",
            gold=stuck_at(x, every_fourth(x)),
        ).verdict("s0", "s1")
        for x in (some, whole)
    )
    last = max((s for s in verdict.steps if s.what == "gold"), key=lambda s: s.more)
    assert then.low is not None
    assert then.high is not None
    assert (then.high - then.low) / 2 == pytest.approx(last.half, rel=0.15)
    assert STUCK in then.notes
    assert STUCK in verdict.notes


@pytest.mark.slow
def test_limits_hold_where_what_cannot_be_judged_is_not_at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards coverage: of what speaks against the second system 40% cannot be judged; left out, most limits fail."""
    held = {"at worst and at best": 0, "left out": 0}
    studies = 20
    for seed in range(studies):
        rng = np.random.default_rng([11, seed])
        n, docs = 30, [f"d{i}" for i in range(16)]
        gold = {str(t): dict(zip(docs, (rng.random(16) < 0.4).astype(float).tolist(), strict=True)) for t in range(n)}
        bronze = {t: {d: x if rng.random() < 0.75 else 1 - x for d, x in row.items()} for t, row in gold.items()}
        runs = {s: {t: {d: by * x + rng.normal() for d, x in row.items()} for t, row in gold.items()}
                for s, by in (("a", 0.6), ("b", 0.9))}  # fmt: skip
        top = {s: {(t, d) for t, row in lists.items() for d in sorted(row, key=row.__getitem__)[-5:]}
               for s, lists in runs.items()}  # fmt: skip
        truth = sum(gold[t][d] for t, d in top["b"]) / 150 - sum(gold[t][d] for t, d in top["a"]) / 150
        listed = tg.sample_gold(runs, bronze, "P@5", seed=seed)
        pairs = list(zip(listed.topics, listed.docs, strict=True))[: len(listed) // 2]
        full = listed.filled({t: {d: gold[t][d] for u, d in pairs if u == t} for t in {t for t, _ in pairs}})
        against = [gold[t][d] == 1 if (t, d) in top["a"] else gold[t][d] == 0 for t, d in pairs]
        open_ = stuck_at(full, [i for i, bad in enumerate(against) if bad and rng.random() < 0.4])
        for how in held:
            with monkeypatch.context() as only:
                if how == "left out":
                    only.setattr(ByList, "stuck", lambda _, asked: np.zeros(len(asked), np.int64))
                c = tg.Study(runs, bronze, "P@5", population="fixed", gold=open_).compare("a", "b")[0]
            assert c.low is not None
            assert c.high is not None
            held[how] += c.low <= truth <= c.high
    assert held["at worst and at best"] >= studies - 3
    assert held["left out"] <= 0.8 * studies


@pytest.mark.parametrize("n", [12, 61])
def test_a_gross_error_among_exact_values_leaves_little_freedom(n: int) -> None:
    """Guards the freedom of a list of values by hand: X_t of each label, their kurtosis, and a quarter of n - 1."""
    values = np.random.default_rng(2).random((2, 50))
    names = ("a", "b")
    items = tg.read_items({"faith": {s: {str(t): float(values[i, t]) for t in range(50)} for i, s in enumerate(names)}})
    listed = tg.sample_gold(items, measure="faith")
    label = np.full(100, np.nan)
    for at, (topic, system) in enumerate(zip(listed.topics[:n], listed.docs[:n], strict=True)):
        label[at] = values[names.index(system), int(topic)] + (0.9 if at == 5 else 0.0)
    filled = replace(listed, scale=(0.0, 2.0)).with_labels(label)
    estimator = tg.Study(items, measures="faith", gold=filled, population="fixed").variance_model("faith").estimator
    assert isinstance(estimator, ByList)
    fit, draws = estimator.fit, estimator.draws
    error = fit.gold - fit.expected[fit.item]
    y = (fit.coefficient[1] - fit.coefficient[0])[fit.item] * error
    x = np.cumsum(y) - y + y * (100 - np.arange(n))  # each next one of those left has the same chance
    moves = np.sqrt(draws.share) * (x - draws.share @ x)
    kurtosis = n * (moves**4).sum() / (moves**2).sum() ** 2
    by_tails = 2 * n / (kurtosis - 1)
    wanted = max(by_tails, (n - 1) / 4)
    assert wanted == (by_tails if n == 12 else 15.0)
    assert wanted < n - 1
    assert estimator.over_gold(PAIR).df == pytest.approx(wanted)


@pytest.mark.parametrize("sequential", [False, True])
def test_a_scale_whose_labels_are_all_relevant_is_refused(sequential: bool) -> None:
    """Guards the bets, which divided by 0: of a scale 1 to 3 every label is relevant for P@5, so none tells."""
    runs, bronze, gold = world()
    listed = tg.sample_gold(runs, bronze, "P@5", scale="1:3")
    few = judged(listed, {t: {d: 1 + x for d, x in row.items()} for t, row in gold.items()}, 40)
    study = tg.Study(runs, bronze, "P@5", gold=tg.Gold(few, sequential=sequential), population="fixed")
    with pytest.raises(InputError, match=r"every label of the scale 1 to 3 is relevant for P@5 \(give") as refused:
        study.compare("s0", "s1")
    assert refused.value.argument == "gold_relevant_from"
    two = tg.Gold(few, sequential=sequential, relevant_from=2)
    found = tg.Study(runs, bronze, "P@5", gold=two, population="fixed").compare("s0", "s1")[0]
    assert found.low is not None
    for rel, scale, said in ((1, "1:3", "relevant"), (2, "0:1", "not relevant")):
        wide = {t: {d: 2 * x for d, x in row.items()} for t, row in bronze.items()}
        listed = tg.sample_gold(runs, wide, f"P(rel={rel})@5", scale=scale)
        config = tg.StudyConfig(gold=tg.Gold(listed), min_effect=0.1)
        with pytest.raises(InputError, match=f"every label of the scale {scale[0]} to {scale[2]} is {said} for P"):
            tg.plan_labels(runs, wide, f"P(rel={rel})@5", config=config)
