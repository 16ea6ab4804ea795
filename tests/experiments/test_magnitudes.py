"""Magnitudes as gains: units, numbers, profiles, and what they do to systems."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

import truegain as tg
from truegain.aggregation.magnitudes import normalized
from truegain.cli.app import main
from truegain.cli.experiment_magnitudes import Show
from truegain.data.judgments import Judgments
from truegain.data.runs import Runs
from truegain.experiments.magnitude_levels import levels_table, profile_table, ratios_table
from truegain.experiments.magnitude_rankings import (
    MAPPINGS,
    MEASURES,
    RankingRules,
    _shared,
    magnitude_systems,
    mapped_gains,
)
from truegain.experiments.magnitude_units import (
    Units,
    extremes_table,
    figures_at_most,
    magnitudes,
    numbers_table,
    units_table,
)
from truegain.experiments.worlds import Magnitudes, magnitude_ratings, runs_over
from truegain.report.experiment_figures import _edges, combinations_chart, systems_chart

NDCG, ERR = MEASURES


@pytest.fixture(scope="module")
def world() -> Magnitudes:
    """People's magnitudes of 24 documents on 12 topics."""
    return magnitude_ratings(topics=12, docs=26, workers=5, seed=2)


@pytest.fixture(scope="module")
def runs(world: Magnitudes) -> Runs:
    """Seven systems over the same documents."""
    return runs_over(world.truth, systems=7, seed=4)


def rated(rows: list[tuple[str, str, float, str]], **more: list[str]) -> Judgments:
    """Ratings of topic 1 from (doc, assessor, score, anchor)."""
    columns = dict(zip(("doc", "assessor", "label", "anchor"), map(list, zip(*rows, strict=True)), strict=True))
    return tg.read_ratings(pl.DataFrame({"topic": ["1"] * len(rows), **columns, **more}))


def said(table: Judgments) -> list[tuple[str, str, str, float]]:
    """Topic, document, assessor and score of every row."""
    assert table.assessor is not None
    who = [table.assessor.values[c] for c in table.assessor.code]
    topics = [table.topic.values[c] for c in table.topic.code]
    return list(zip(topics, table.docs.strings(), who, table.label.tolist(), strict=True))


def agreement_by_hand(rows: list[tuple[str, float]], level: dict[str, float]) -> float:
    """Share of pairs on different levels that the scores put in the same order, equal counted as agreement."""
    pairs = [(a, b) for a in rows for b in rows if level[a[0]] > level[b[0]]]
    return sum(a[1] >= b[1] for a, b in pairs) / len(pairs) if pairs else math.nan


# ---------------------------------------------------------------------- units


def test_the_three_best_units_by_hand(world: Magnitudes) -> None:
    """Guards top3 against plain loops: agreement with experts, then judged documents, then the order of the file."""
    half = world.expert.take(np.arange(0, len(world.expert), 2))  # so that judged counts differ
    level = dict(zip(half.docs.strings(), half.label.tolist(), strict=True))
    rows = said(world.ratings)
    unit: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for topic, doc, who, score in rows:
        unit.setdefault((topic, who), []).append((doc, score))
    quality = {}
    for key, its in unit.items():
        judged = [(d, s) for d, s in its if d in level]
        share = agreement_by_hand(judged, level)
        quality[key] = (-1.0 if math.isnan(share) else share, len(judged))
    best: dict[tuple[str, str], list[int]] = {}
    for at, (topic, doc, _, _) in enumerate(rows):
        best.setdefault((topic, doc), []).append(at)
    want = set()
    for its_rows in best.values():
        its_rows.sort(key=lambda r: (*(-q for q in quality[rows[r][0], rows[r][2]]), r))
        want |= set(its_rows[:3])
    found = Units.of(world.ratings, half)
    assert set(found.rows("top3").tolist()) == want
    assert len(want) < len(rows)
    assert len({q for _, q in quality.values()}) > 1  # ties by judged count do occur


def test_narrow_and_wide_units() -> None:
    """Guards the split at the median Hk/Nk, and that a document without such a unit takes its three best."""
    rows = []
    for who, high in (("a", 2.0), ("b", 4.0), ("c", 8.0), ("d", 16.0)):
        rows += [("H", who, high, "high"), ("N", who, 1.0, "low"), ("x", who, 1.5, "")]
    rows.append(("only-d", "d", 3.0, ""))
    expert = Judgments.of({"1": {"H": 3, "N": 0, "x": 1, "only-d": 2}})
    table = rated(rows)
    found = Units.of(table, expert)
    assert found.median_ratio == 6
    named = {s: {(doc, who) for _, doc, who, _ in said(table.take(found.rows(s)))} for s in ("narrow", "wide")}
    assert named["narrow"] == {(d, w) for d in "HNx" for w in "ab"} | {("only-d", "d")}
    assert named["wide"] == {(d, w) for d in "HNx" for w in "cd"} | {("only-d", "d")}
    kinds = [(r["assessor"], r["Hk/Nk"], r["kind"]) for r in units_table(found).records()]
    assert kinds == [("a", 2, "narrow"), ("b", 4, "narrow"), ("c", 8, "wide"), ("d", 16, "wide")]


def test_rules_that_are_not_the_papers() -> None:
    """Guards the border of wide units and how many are behind a gain: by hand, with what is refused."""
    rows = [("H", who, high, "high") for who, high in (("a", 2.0), ("b", 5.0), ("c", 8.0))]
    rows += [("N", who, 1.0, "low") for who in "abc"] + [("x", who, 3.0, "") for who in "ab"]
    expert = Judgments.of({"1": {"H": 3, "N": 0, "x": 1}})
    table = rated(rows)
    found = Units.of(table, expert, best=1, wide_from=4)
    assert (found.median_ratio, found.cut, found.sources) == (5, 4, ("all", "top1", "narrow", "wide"))
    named = {s: {(doc, who) for _, doc, who, _ in said(table.take(found.rows(s)))} for s in found.sources[1:]}
    assert named["narrow"] == {("H", "a"), ("N", "a"), ("x", "a")}
    assert named["wide"] == {("H", "b"), ("N", "b"), ("x", "b")}  # b before c, whose unit has fewer judged documents
    assert (found.lacking("narrow"), found.lacking("wide")) == (0.0, 0.0)
    assert Units.of(table, expert, wide_from=6).lacking("wide") == pytest.approx(1 / 3)  # x, which c did not rate
    assert [r["kind"] for r in units_table(found).records()] == ["narrow", "wide", "wide"]
    assert units_table(found).notes == ("narrow: Hk/Nk below 4; the median of 3 units is 5",)
    with pytest.raises(tg.TruegainError, match="top1, narrow, wide; best= says how many are the best"):
        found.rows("top3")
    with pytest.raises(tg.TruegainError, match="no unit is wide: Hk/Nk lies between 2 and 8"):
        Units.of(table, expert, wide_from=9).rows("wide")
    for rules in ({"best": 0}, {"wide_from": 0.0}, {"wide_from": math.inf}):
        with pytest.raises(tg.TruegainError, match=next(iter(rules))):
            Units.of(table, expert, **rules)


def test_units_that_are_not_there_are_told(world: Magnitudes) -> None:
    """Guards mistakes: unknown units, and narrow ones without anchors."""
    bare = tg.read_ratings(pl.DataFrame({"topic": "1", "doc": ["a", "b"], "assessor": "x", "label": [1.0, 2.0]}))
    expert = Judgments.of({"1": {"a": 0, "b": 1}})
    with pytest.raises(tg.InputError, match="no unit has its known documents marked"):
        Units.of(bare, expert).rows("narrow")
    with pytest.raises(tg.TruegainError, match="no 'top4' units"):
        Units.of(world.ratings, world.expert).rows("top4")
    with pytest.raises(tg.InputError, match="known documents marked"):
        profile_table(bare, expert)
    with pytest.raises(tg.InputError, match="experts use 2 levels"):
        ratios_table(bare, expert)


# ---------------------------------------------------------------------- numbers


def test_significant_figures_against_decimal_writing() -> None:
    """Guards the count of figures against exact decimals: a number is short where its written digits are."""
    rng = np.random.default_rng(1)
    whole = rng.integers(1, 10**4, 500)
    scale = rng.integers(-4, 5, 500)
    values = np.array([float(Fraction(int(w)) * Fraction(10) ** int(s)) for w, s in zip(whole, scale, strict=True)])
    for figures in (1, 2, 3):
        want = [len(str(w).rstrip("0")) <= figures for w in whole]
        assert figures_at_most(values, figures).tolist() == want
    assert figures_at_most(np.array([float(f"1e{k}") for k in range(-12, 13)]), 1).all()


def test_ratios_of_units_by_hand() -> None:
    """Guards the paper's criterion: each score has a simple ratio with one before it, in the order they were given."""
    rows = [("a", "x", 54.0, ""), ("b", "x", 76.0, ""), ("a", "y", 10.0, ""), ("b", "y", 30.0, ""),
            ("c", "y", 12.0, "")]  # fmt: skip
    shares = {r["what"]: (r["share"], r["of"]) for r in numbers_table(rated(rows)).records()}
    # ratios: 76/54; 3; 1.2; 12/30 = 0.4, or 2.5
    assert shares["ratios of more than 1 figure"] == (0.5, 4)
    assert shares["ratios of more than 2 figures"] == (0.25, 4)
    assert shares["units that follow ratios of 1 figure"] == (0.5, 2)
    assert shares["multiples of 10"] == (0.4, 5)
    assert shares["whole numbers"] == (1.0, 5)
    assert shares["powers of ten"] == (0.2, 5)
    # c given before b: 12 after 10 alone needs two figures
    ordered = rated(rows, order=["1", "2", "1", "3", "2"])
    shares = {r["what"]: (r["share"], r["of"]) for r in numbers_table(ordered).records()}
    assert shares["units that follow ratios of 1 figure"] == (0.0, 2)
    assert shares["units that follow ratios of 2 figures"] == (0.5, 2)


def test_extreme_ratios_show_the_raw_unit(world: Magnitudes) -> None:
    """Guards the list of extremes: the greatest max/min first, with both documents and all raw scores."""
    by: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for topic, doc, who, score in said(world.ratings):
        by.setdefault((topic, who), []).append((score, doc))
    want = max(by.items(), key=lambda item: max(item[1])[0] / min(item[1])[0])
    first = extremes_table(world.ratings).records()[0]
    assert (first["topic"], first["assessor"]) == want[0]
    assert (first["lowest"], first["highest"]) == (min(want[1])[1], max(want[1])[1])
    assert first["max/min"] == pytest.approx(max(want[1])[0] / min(want[1])[0])
    assert first["scores"] == " ".join(f"{s:g}" for s, _ in want[1])


def test_log_normal_fit_against_scipy(world: Magnitudes) -> None:
    """Guards mean, sd and Kolmogorov and Smirnov's distance of the fit, by topic and over all."""
    stats = pytest.importorskip("scipy.stats")
    rows = magnitudes(world.ratings, world.expert).habits.records()
    assert rows[-1]["topic"] == "all"
    first = world.ratings.topic.values.index(str(rows[0]["topic"]))
    for row, values in (
        (rows[0], world.ratings.label[world.ratings.topic.code == first]),
        (rows[-1], world.ratings.label),
    ):
        logs = np.log(values)
        fitted = stats.norm(logs.mean(), logs.std(ddof=1))
        assert (row["mean of ln"], row["sd of ln"]) == pytest.approx((logs.mean(), logs.std(ddof=1)))
        assert row["D of log-normal"] == pytest.approx(stats.kstest(logs, fitted.cdf).statistic)


# ---------------------------------------------------------------------- figure 8


def test_boxes_of_figure_8_by_hand(world: Magnitudes) -> None:
    """Guards the spread over topics: each topic's share by plain loops, its quartiles, and what the chart draws."""
    found = magnitudes(world.ratings, world.expert)
    level = dict(zip(world.expert.docs.strings(), world.expert.label.tolist(), strict=True))
    gains = tg.aggregate(world.ratings, "arithmetic", normalize="median")
    by_topic: dict[str, list[tuple[str, float]]] = {}
    for topic, doc, gain in zip(gains.topic.strings(), gains.docs.strings(), gains.label.tolist(), strict=True):
        by_topic.setdefault(topic, []).append((doc, gain))
    want = {topic: agreement_by_hand(its, level) for topic, its in by_topic.items()}
    mine = {r["topic"]: r["share"] for r in found.by_topic.records()
            if (r["normalize"], r["aggregate"]) == ("median", "arithmetic")}  # fmt: skip
    assert mine == pytest.approx(want)
    row = next(r for r in found.combinations.records() if (r["normalize"], r["aggregate"]) == ("median", "arithmetic"))
    shares = np.array(list(want.values()))
    assert [row[c] for c in ("mean over topics", "least", "25%", "median", "75%", "greatest")] == pytest.approx(
        [shares.mean(), *np.quantile(shares, (0, 0.25, 0.5, 0.75, 1))]
    )
    assert row["topics"] == len(want)
    chart = combinations_chart(found.by_topic).to_dict()
    boxes = chart["layer"][0]["data"]["values"]
    assert len(boxes) == len(found.combinations.rows)
    outside = sum(len(layer["data"]["values"]) for layer in chart["layer"][-1:])
    q1, q3 = np.quantile(shares, (0.25, 0.75))
    box = next(b for b in boxes if (b["normalize"], b["aggregate"]) == ("median", "arithmetic"))
    inside = shares[(shares >= q1 - 1.5 * (q3 - q1)) & (shares <= q3 + 1.5 * (q3 - q1))]
    assert (box["low"], box["high"], box["q1"]) == pytest.approx((inside.min(), inside.max(), q1))
    assert outside == sum(not b["low"] <= r["share"] <= b["high"] for r in found.by_topic.records() for b in boxes
                          if (b["normalize"], b["aggregate"]) == (r["normalize"], r["aggregate"]))  # fmt: skip


# ---------------------------------------------------------------------- profiles


def test_profile_and_ratios_by_hand() -> None:
    """Guards scores over Nk by level, and H/R with M ignored, with R, and with R among H."""
    rows = [("h", "x", 40.0, "high"), ("r", "x", 20.0, ""), ("m", "x", 10.0, ""), ("n", "x", 2.0, "low"),
            ("h", "y", 9.0, "high"), ("r", "y", 3.0, ""), ("n", "y", 1.0, "low")]  # fmt: skip
    expert = Judgments.of({"1": {"h": 3, "r": 2, "m": 1, "n": 0}})
    profile = {r["level"]: (r["median"], r["linear"], r["exponential"])
               for r in profile_table(rated(rows), expert).records()}  # fmt: skip
    assert profile == {0: (1.0, 1, 2), 1: (5.0, 2, 4), 2: (6.5, 3, 8), 3: (14.5, 4, 16)}
    ratios = {r["ratio"]: (r["pairs"], r["units"], r["median"], r["mean"], r["above 3.5"])
              for r in ratios_table(rated(rows), expert).records()}  # fmt: skip
    assert ratios["H / R"] == (2, 2, 2.5, 2.5, 0)
    assert ratios["H / (R, M)"] == (2, 1, 3.0, 3.0, 1)  # the second unit holds no M
    assert ratios["(H, R) / M"] == (2, 1, 3.0, 3.0, 1)
    boxes = levels_table(rated(rows), expert, "none").records()
    assert [(b["level"], b["scores"], b["median"]) for b in boxes] == [(0, 2, 1.5), (1, 1, 10), (2, 2, 11.5),
                                                                        (3, 2, 24.5)]  # fmt: skip


# ---------------------------------------------------------------------- systems


def test_rankings_are_those_of_eval(world: Magnitudes, runs: Runs) -> None:
    """Guards the system level against eval on written gains, scipy's tau, and Wilcoxon's test by all signs."""
    stats = pytest.importorskip("scipy.stats")
    found = magnitude_systems(world.ratings, world.expert, runs, replicates=5)
    gains = tg.aggregate(world.ratings, "median", normalize="geometric")
    one, two = tg.evaluate(runs, gains, list(MEASURES)), tg.evaluate(runs, world.expert, list(MEASURES))
    rows = {(r["units"], r["measure"]): r for r in found.rankings.records()}
    for measure in MEASURES:
        a, b = one.matrix(measure), two.matrix(measure)
        assert found.ranked["all", measure].means == pytest.approx(a.mean(axis=1))
        row = rows["all", measure]
        assert row["tau"] == pytest.approx(stats.kendalltau(a.mean(axis=1), b.mean(axis=1)).statistic)
        tops = []
        for matrix in (a, b):
            best = int(matrix.mean(axis=1).argmax())
            p = []
            for row_of in matrix:
                z = row_of - matrix[best]
                ranks = stats.rankdata(np.abs(z[z != 0]))
                every = np.array(list(product((0, 1), repeat=len(ranks)))) @ ranks  # all signs, also with ties
                seen = ranks @ (z[z != 0] > 0)
                p.append(min(1.0, 2 * min((every <= seen).mean(), (every >= seen).mean())))
            tops.append({runs.systems[s] for s in range(len(matrix)) if s == best or p[s] >= 0.05})
        assert row["overlap"] == pytest.approx(len(tops[0] & tops[1]) / len(tops[1]))  # of the experts' set
        assert row["jaccard"] == pytest.approx(len(tops[0] & tops[1]) / len(tops[0] | tops[1]))
        assert (row["top magnitudes"], row["top expert"]) == (len(tops[0]), len(tops[1]))


@pytest.mark.parametrize("rule", ["geometric", "arithmetic"])
def test_another_aggregation_ranks_by_its_gains(world: Magnitudes, runs: Runs, rule: str) -> None:
    """Guards the aggregation behind `systems`: scores are those of eval on gains that `aggregate` makes by the rule."""
    rules = RankingRules(aggregate=rule, best=2)
    found = magnitude_systems(world.ratings, world.expert, runs, sources=["all", "top2"], replicates=1, rules=rules)
    moved = normalized(world.ratings)
    best = moved.take(Units.of(world.ratings, world.expert, best=2).rows("top2"))
    for source, rows in (("all", moved), ("top2", best)):
        want = tg.evaluate(runs, tg.aggregate(rows, rule), NDCG).matrix(NDCG).mean(axis=1)
        assert found.ranked[source, NDCG].means == pytest.approx(want)


@pytest.mark.parametrize("test", ["paired-t", "tukey-hsd"])
def test_another_test_of_the_top_set(world: Magnitudes, runs: Runs, test: str) -> None:
    """Guards the test behind top sets against scipy's p of each system and the best."""
    stats = pytest.importorskip("scipy.stats")
    rules = RankingRules(test=test, alpha=0.2)
    found = magnitude_systems(world.ratings, world.expert, runs, sources=["all"], replicates=1, rules=rules)
    matrix = tg.evaluate(runs, world.expert, NDCG).matrix(NDCG)
    best = int(matrix.mean(axis=1).argmax())
    k, n = matrix.shape
    rest = matrix - matrix.mean(axis=0) - matrix.mean(axis=1, keepdims=True) + matrix.mean()
    error = math.sqrt((rest**2).sum() / ((k - 1) * (n - 1)) / n)  # of a mean, topics as blocks
    inside = set()
    for s, row in enumerate(matrix):
        if test == "paired-t":
            p = 1.0 if s == best else float(stats.ttest_rel(matrix[best], row).pvalue)
        else:
            far = abs(float(row.mean() - matrix[best].mean())) / error
            p = float(stats.studentized_range.sf(far, k, (k - 1) * (n - 1)))
        inside |= {runs.systems[s]} if p >= 0.2 else set()
    assert set(found.ranked["expert", NDCG].top) == inside
    assert 0 < len(inside) < k
    assert f"by {test} at 0.2" in found.rankings.notes[0]


def test_mappings_that_people_write(world: Magnitudes, runs: Runs) -> None:
    """Guards formulas of C: ordinary arithmetic, nothing else is run, gains are finite and not negative."""
    levels = np.array([0.0, 1.0, 2.0, 3.0])
    for formula, want in (
        ("C", levels),
        ("100 C", 100 * levels),
        ("2 (1 + C)", 2 + 2 * levels),
        ("C^2 / 4", levels**2 / 4),
        ("3^C - 1", 3.0**levels - 1),
        ("2*C(C + 1)", 2 * levels * (levels + 1)),
        ("7", np.full(4, 7.0)),
    ):
        assert mapped_gains(formula, levels) == pytest.approx(want), formula
    for formula in ("", "D", "C +", "__import__('os')", "C.real", "C if C else 1", "[C]", "C" * 200, "C()", "True"):
        with pytest.raises(tg.TruegainError, match="not a formula of the level C"):
            mapped_gains(formula, levels)
    for formula, fault in (
        ("C - 1", "a gain of -1 of level 0"),
        ("1/C", "a gain of inf of level 0"),
        ("9^9^9^C", "inf"),
    ):
        with pytest.raises(tg.TruegainError, match=fault):
            mapped_gains(formula, levels)
    rules = RankingRules(mappings=("C^2", "100 C"))
    found = magnitude_systems(world.ratings, world.expert, runs, sources=["all"], replicates=1, rules=rules)
    assert [r["gain"] for r in found.mappings.records()] == ["C^2", "100 C"] * 2
    squared = world.expert.frame().select("topic", "doc", pl.col("label") ** 2)
    one, two = (tg.evaluate(runs, j, NDCG).matrix(NDCG).mean(axis=1) for j in (world.expert, squared))
    signs = [np.sign(v[:, None] - v[None, :]) for v in (one, two)]
    want = (signs[0] * signs[1]).sum() / math.sqrt(abs(signs[0]).sum() * abs(signs[1]).sum())
    assert found.mappings.records()[0]["tau"] == pytest.approx(want)


def test_err_of_huge_magnitudes_is_exact() -> None:
    """Guards ERR with gains to 1000 against rational arithmetic: R(G) = (2^G - 1)/2^Gmax for whole G."""
    gain = {"a": 998, "b": 1000, "c": 999, "d": 3}
    orders = ["abcd", "badc", "dcba", "cabd"]
    rows = [(d, "x", float(g), "") for d, g in gain.items()]
    expert = Judgments.of({"1": {"a": 1, "b": 3, "c": 2, "d": 0}})
    runs = {o: {"1": {d: float(9 - i) for i, d in enumerate(o)}} for o in orders}
    ranks = magnitude_systems(rated(rows), expert, runs, normalize="none", sources=["all"], replicates=2)
    for order, found in zip(ranks.ranked["all", ERR].systems, ranks.ranked["all", ERR].means, strict=True):
        want, going = Fraction(0), Fraction(1)
        for rank, doc in enumerate(order, 1):
            p = Fraction(2 ** gain[doc] - 1, 2**1000)
            want += going * p / rank
            going *= 1 - p
        assert found == pytest.approx(float(want), abs=1e-15)


def test_resampled_tau_without_disagreement(runs: Runs) -> None:
    """Guards the drawing: where all scores of a document are equal, every draw gives the tau of their median."""
    quiet = magnitude_ratings(topics=12, docs=26, workers=3, noise=0, habit=0, slip=0, careless=0, scales=0, seed=2)
    over = runs_over(quiet.truth, systems=7, seed=4)
    found = magnitude_systems(quiet.ratings, quiet.expert, over, normalize="none", sources=["all"], replicates=60)
    for row in found.rankings.records():
        taus = found.draws[str(row["measure"])]
        assert len(taus) == 60
        assert taus == pytest.approx(np.full(60, row["tau"]))


@pytest.mark.slow
def test_resampled_tau_by_brute_force() -> None:
    """Guards the distribution: with two scores a document, draws have the mean of all 2^4 choices, each scored."""
    rows = [(d, w, s, "") for d, pair in zip("abcd", ((9, 1), (2, 7), (3, 5), (8, 1)), strict=True)
            for w, s in zip("xy", map(float, pair), strict=True)]  # fmt: skip
    level = {"a": 3, "b": 2, "c": 1, "d": 0}
    runs = {o: {"1": {d: float(9 - i) for i, d in enumerate(o)}} for o in ("abcd", "dbca", "cadb", "bdac")}
    measure = [NDCG]
    expert = tg.evaluate(runs, {"1": level}, measure).matrix(NDCG)[:, 0]
    choices = []
    for bits in range(16):
        drawn = {d: rows[2 * i + (bits >> i & 1)][2] for i, d in enumerate("abcd")}
        scores = tg.evaluate(runs, {"1": drawn}, measure).matrix(NDCG)[:, 0]
        signs = [np.sign(v[:, None] - v[None, :]) for v in (expert, scores)]
        choices.append((signs[0] * signs[1]).sum() / math.sqrt(abs(signs[0]).sum() * abs(signs[1]).sum()))
    found = magnitude_systems(rated(rows), {"1": level}, runs, normalize="none", sources=["all"], measures=measure,
                              replicates=2000, seed=3)  # fmt: skip
    taus = found.draws[NDCG]
    assert set(np.round(taus, 9)) == set(np.round(choices, 9))
    error = float(np.std(choices)) / math.sqrt(2000)
    assert abs(float(taus.mean()) - float(np.mean(choices))) < 4 * error


@pytest.mark.slow
def test_draws_do_not_depend_on_workers(world: Magnitudes, runs: Runs) -> None:
    """Guards the seed: one thread and three give the same bits, another seed others."""
    one, three, other = (
        magnitude_systems(world.ratings, world.expert, runs, sources=["all"], replicates=120, seed=s, jobs=j).draws[
            NDCG
        ]
        for s, j in ((1, 1), (1, 3), (2, 1))
    )
    assert one.tobytes() == three.tobytes()
    assert one.tobytes() != other.tobytes()


def test_mappings_of_table_3(world: Magnitudes, runs: Runs) -> None:
    """Guards table III: C itself and 100 C leave nDCG alone; each mapping is eval on mapped labels."""
    found = magnitude_systems(world.ratings, world.expert, runs, sources=["all"], replicates=1)
    rows = {(r["measure"], r["gain"]): r for r in found.mappings.records()}
    assert len(rows) == 2 * len(MAPPINGS)
    for measure, gain in ((NDCG, "C"), (NDCG, "100 C"), (ERR, "C")):
        assert (rows[measure, gain]["tau"], rows[measure, gain]["overlap"]) == pytest.approx((1.0, 1.0))
    plain = tg.evaluate(runs, world.expert, list(MEASURES))
    docs, topics = world.expert.docs.strings(), [world.expert.topic.values[c] for c in world.expert.topic.code]
    for gain, power in (("2^(1 + C)", 2.0), ("10^(1 + C)", 10.0)):
        labels = pl.DataFrame({"topic": topics, "doc": docs, "label": power ** (1 + world.expert.label)})
        other = tg.evaluate(runs, labels, list(MEASURES))
        for measure in MEASURES:
            a, b = (s.matrix(measure).mean(axis=1) for s in (plain, other))
            signs = [np.sign(v[:, None] - v[None, :]) for v in (a, b)]
            want = (signs[0] * signs[1]).sum() / math.sqrt(abs(signs[0]).sum() * abs(signs[1]).sum())
            assert rows[measure, gain]["tau"] == pytest.approx(want)


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_merged_systems_take_whole_lists(world: Magnitudes, runs: Runs) -> None:
    """Guards simulated systems: each topic's score is that of some run, only fully judged lists are drawn."""
    kept = world.expert.take(np.flatnonzero(world.expert.topic.code != 0))
    ranks = magnitude_systems(world.ratings, kept, runs, sources=["all"], replicates=1, simulated=20, seed=1)
    found = ranks.ranked["expert", NDCG]
    assert found.systems == tuple(f"merged-{i + 1}" for i in range(20))
    matrix = tg.evaluate(runs, kept, NDCG).matrix(NDCG)
    matrix = matrix[:, matrix.any(axis=0)]  # without the topic that has no judgments
    assert matrix.shape[1] == 11
    assert matrix.min(axis=0).mean() - 1e-12 <= found.means.min()
    assert found.means.max() <= matrix.max(axis=0).mean() + 1e-12
    assert len(set(found.means.tolist())) > 5
    holes = world.expert.take(np.arange(0, len(world.expert), 2))  # half the documents: no list is fully judged
    with pytest.raises(tg.TruegainError, match="simulated systems need at least 2"):
        magnitude_systems(world.ratings, holes, runs, replicates=1, simulated=5)


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_only_shared_documents_have_gains(world: Magnitudes, runs: Runs) -> None:
    """Guards the comparison: documents that one side lacks have no gain on either, and that is told.

    Units are normalized whole, with the documents that experts did not judge; only then are gains left out.
    """
    half = world.expert.take(np.arange(0, len(world.expert), 2))
    with pytest.warns(tg.DataWarning, match="rated documents have no expert label"):
        found = magnitude_systems(world.ratings, half, runs, sources=["all"], replicates=1)
    kept = set(half.docs.strings())
    gains = tg.aggregate(world.ratings, "median", normalize="geometric")
    gains = gains.take(np.array([i for i, d in enumerate(gains.docs.strings()) if d in kept]))
    want = tg.evaluate(runs, gains, NDCG).matrix(NDCG).mean(axis=1)
    assert found.ranked["all", NDCG].means == pytest.approx(want)


def test_what_lacks_nothing_is_not_told(world: Magnitudes) -> None:
    """Guards the warning: it names the side on which something is missing, and no side with 0."""
    half = world.expert.take(np.arange(0, len(world.expert), 2))
    kept = set(half.docs.strings())
    part = world.ratings.take(np.array([i for i, d in enumerate(world.ratings.docs.strings()) if d in kept]))
    for ratings, expert, said, unsaid in (
        (world.ratings, half, "rated documents have no expert label", "magnitude"),
        (part, world.expert, "expert labels have no magnitude", "rated"),
    ):
        with pytest.warns(tg.DataWarning) as caught:
            _shared(ratings, expert)
        (message,) = (str(one.message) for one in caught)
        assert said in message
        assert unsaid not in message


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_anchors_without_a_level_still_split_units(world: Magnitudes, runs: Runs) -> None:
    """Guards narrow and wide units where experts did not judge the anchors: Hk/Nk is of the unit, not of experts."""
    anchors = {d for d, a in zip(world.ratings.docs.strings(), world.ratings.extra["anchor"], strict=True) if a}
    rest = [i for i, d in enumerate(world.expert.docs.strings()) if d not in anchors]
    expert = world.expert.take(np.array(rest))
    found = Units.of(world.ratings, expert)
    ranks = magnitude_systems(world.ratings, expert, runs, replicates=1)
    assert [r["units"] for r in ranks.rankings.records()][::2] == ["all", "top3", "narrow", "wide"]
    moved = normalized(world.ratings)
    kept = set(expert.docs.strings())
    for source in ("top3", "narrow", "wide"):
        gains = tg.aggregate(moved.take(found.rows(source)), "median")
        gains = gains.take(np.array([i for i, d in enumerate(gains.docs.strings()) if d in kept]))
        want = tg.evaluate(runs, gains, NDCG).matrix(NDCG).mean(axis=1)
        assert ranks.ranked[source, NDCG].means == pytest.approx(want)
    middle = Units.of(world.ratings, world.expert).median_ratio
    assert f"Hk/Nk below {middle:g}, the median of {len(found)} units" in str(ranks.rankings.notes)


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_draws_come_from_whole_units(runs: Runs) -> None:
    """Guards resampling with a partial expert: one score a document, normalized by the unit, gives its own."""
    world = magnitude_ratings(topics=12, docs=26, workers=1, careless=0, seed=2)
    one = {}  # anchors have several scores; take them out of the experts' judgments so that every draw is the same
    for row, (doc, mark) in enumerate(zip(world.ratings.docs.strings(), world.ratings.extra["anchor"], strict=True)):
        one[doc] = row if not mark else -1
    rest = [i for i, d in enumerate(world.expert.docs.strings()) if one[d] >= 0]
    found = magnitude_systems(world.ratings, world.expert.take(np.array(rest)), runs, sources=["all"], replicates=5)
    assert found.draws[NDCG] == pytest.approx(np.full(5, found.rankings.records()[0]["tau"]))


@pytest.mark.parametrize("n", [5, 8, 30])
def test_bars_of_tau_hold_whole_steps(n: int) -> None:
    """Guards the histogram of tau: values that n systems can give lie in the middle of bars, equally many in each."""
    rng = np.random.default_rng(n)
    taus = np.array([stats_tau(rng.permutation(n)) for _ in range(400)])
    step = 4 / (n * (n - 1))
    for systems in (None, n):
        edges = _edges(taus, taus, systems)
        steps = np.diff(edges) / step
        assert steps == pytest.approx(np.round(steps))
        assert len(set(np.round(steps))) == 1
        assert len(edges) <= 41
        assert edges[0] < taus.min() < taus.max() < edges[-1]
        assert (edges[0] + 1) / step % 1 == pytest.approx(0.5)
    scattered = rng.random(50)
    assert len(_edges(scattered, scattered, None)) == 41


def stats_tau(order: npt.NDArray[np.int64]) -> float:
    """Kendall's tau of an order with the identity, by going through pairs."""
    pairs = [np.sign(b - a) for i, a in enumerate(order) for b in order[i + 1 :]]
    return float(np.mean(pairs))


def test_systems_of_the_top_sets_are_named() -> None:
    """Guards the scatter of systems: those of either top set carry their names, others do not."""
    chart = systems_chart([("nDCG@10", ["a", "b", "c"], [0.5, 0.4, 0.1], [0.6, 0.7, 0.2], ["a"], ["b"])]).to_dict()
    rows = chart["data"]["values"] if "data" in chart else next(iter(chart["datasets"].values()))
    assert {r["system"]: r["above"] + r["below"] for r in rows} == {"a": "a", "b": "b", "c": ""}
    assert sum(layer["mark"]["type"] == "text" for layer in chart["hconcat"][0]["layer"]) == 2


def test_mistakes_are_told(world: Magnitudes, runs: Runs) -> None:
    """Guards rankings of two, no draw, measures without a cutoff, and experts of other documents."""
    with pytest.raises(tg.TruegainError, match="at least 3 runs"):
        magnitude_systems(world.ratings, world.expert, Runs(runs.parts[:2]))
    with pytest.raises(tg.TruegainError, match="0 replicates"):
        magnitude_systems(world.ratings, world.expert, runs, replicates=0)
    with pytest.raises(tg.TruegainError, match="with a cutoff"):
        magnitude_systems(world.ratings, world.expert, runs, measures=["nDCG"])
    with pytest.raises(tg.InputError, match="none of the rated documents"):
        magnitude_systems(world.ratings, {"x": {"y": 1}}, runs)


# ---------------------------------------------------------------------- the command


@pytest.mark.slow
def test_the_command(
    world: Magnitudes, runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards every table and figure of `experiment magnitudes` as a user asks for it, and its mistakes."""
    monkeypatch.chdir(tmp_path)
    tg.write_judgments(world.ratings, "magnitudes.csv")
    tg.write_judgments(world.expert, "expert.qrels")
    Path("runs").mkdir()
    tg.write_runs(runs, "runs")

    def run(*words: str) -> tuple[int, str, str]:
        line = ["truegain", "experiment", "magnitudes", "magnitudes.csv", "--expert", "expert.qrels", *words]
        monkeypatch.setattr(sys, "argv", line)
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    code, out, _ = run("runs", "--resamples", "20")
    assert code == 0
    titles = ["Documents ordered", "How people used", "How numbers were made", "Extreme ratios", "Gain profile",
              "Ratios within units", "Systems by magnitudes", "Tau with one", "mapped to other gains"]  # fmt: skip
    for title in titles:
        assert title in out
    for show in get_args(Show)[1:]:
        asked = ["--resamples", "20", "--show", show, "--second", "expert.qrels"]
        drawn = [] if show == "collected" else ["--figure", f"{show}.svg"]
        code, out, _ = run("runs", *asked, "--format", "csv", *drawn)
        assert code == 0
        assert out.count("\n") > 2
        assert not drawn or Path(f"{show}.svg").read_text().startswith("<svg")
    code, out, _ = run("runs", "--units", "top3", "--resamples", "20", "--show", "systems", "--format", "csv")
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["top3", "top3"]
    rules = ["--best", "2", "--wide-from", "9", "--aggregate", "arithmetic", "--test", "paired-t", "--mapping", "C^2"]
    code, out, _ = run("runs", *rules, "--resamples", "20", "--show", "mappings", "--format", "csv")
    assert [line.split(",")[-8] for line in out.splitlines()[1:]] == ["C^2", "C^2"]
    code, out, _ = run("runs", *rules, "--resamples", "20", "--show", "systems")
    assert "top2 " in out
    assert "narrow units: Hk/Nk below 9;" in out
    for words, fault in (
        (["runs", "--mapping", "C -"], "--mapping 'C -': not a formula"),
        (["runs", "--test", "z"], "--test z is not known"),
        (["--all"], "--all writes a folder of every table and figure; name it, as in --output paper"),
        (["--all", "-o", "paper", "--show", "means"], "leave --show out"),
        (["--show", "systems"], "give runs after the magnitudes"),
        (["--show", "numbers", "--figure", "x.jpg"], "a figure is written as .svg"),
        (["runs", "--units", "top4"], "no 'top4' units"),
    ):
        code, _, err = run(*words)
        assert code == 2
        assert fault in err


def test_gains_of_the_best_units(
    world: Magnitudes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards `gains --units top3 --expert`: medians of three normalized scores, as the experiment ranks by."""
    monkeypatch.chdir(tmp_path)
    tg.write_judgments(world.ratings, "magnitudes.csv")
    tg.write_judgments(world.expert, "expert.qrels")
    line = ["truegain", "aggregate", "magnitudes.csv", "--normalize", "geometric", "--units", "top3"]
    monkeypatch.setattr(sys, "argv", [*line, "--expert", "expert.qrels", "-o", "gains.csv"])
    main()
    moved = normalized(world.ratings)
    scores: dict[str, list[float]] = {}
    for _, doc, _, score in said(moved.take(Units.of(world.ratings, world.expert).rows("top3"))):
        scores.setdefault(doc, []).append(score)
    found = tg.read_judgments("gains.csv")
    want = {doc: float(np.median(values)) for doc, values in scores.items()}
    assert dict(zip(found.docs.strings(), found.label.tolist(), strict=True)) == pytest.approx(want)
    assert {len(v) for v in scores.values()} == {3}
    monkeypatch.setattr(sys, "argv", line)
    with pytest.raises(SystemExit):
        main()
    assert "--units top3 needs --expert" in capsys.readouterr().err
