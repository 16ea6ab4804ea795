"""The experiments on ratings: what unanimity changes, and which way from magnitudes to gains is best."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.reliability.test_alpha import alpha
from truegain.aggregation.magnitudes import normalized
from truegain.cli.app import main
from truegain.experiments.magnitude_rankings import RankingRules, magnitude_systems
from truegain.experiments.magnitude_units import magnitudes
from truegain.experiments.unanimity_gains import _Near, _tested, unanimity
from truegain.experiments.worlds import World, magnitude_ratings, simulate, uniform_ratings
from truegain.measures.catalogue import parse_measures
from truegain.measures.scoring import measures_for_gains
from truegain.stats.multiple_testing import Trials
from truegain.stats.significance.anova import Tukey, randomized_tukey_hsd, square

pytestmark = pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")


@pytest.fixture(scope="module")
def world() -> World:
    """Six systems on 25 topics."""
    return simulate(topics=25, systems=6, docs=120, depth=30, pool_depth=15, seed=3)


def test_without_weight_nothing_changes(world: World) -> None:
    """Guards p = 0, where UG is RawG: tau 1, equal top sets, no pair changes sides."""
    ratings = uniform_ratings(world.gold, assessors=5, highest=2, seed=1)
    found = unanimity(ratings, world.runs, scale="0:2", ps=[0.0], replicates=200)
    for row in found.rankings.records():
        assert row["tau"] == pytest.approx(1)
        assert (row["top sets"], row["changed"]) == (1.0, 0)
    assert not found.changed.rows
    assert "no pair of systems changes sides" in str(found)


def test_changed_pairs_are_those_of_the_two_tests(world: World) -> None:
    """Guards table 3: exactly the pairs significant by one gain only, with p, |d|, |d|/sd and |d|/V of each test."""
    ratings = uniform_ratings(world.gold, assessors=3, highest=2, seed=2)
    answer = unanimity(ratings, world.runs, scale="0:2", ps=[1.0], measures=["nG@1", "P+"], replicates=400, seed=5,
                       most_replicates=400)  # fmt: skip
    asked = [a.measure for a in measures_for_gains(parse_measures(["nG@1", "P+"]))]
    gains = [tg.aggregate(ratings, "sum"), tg.aggregate(ratings, "unanimity(p=1.0)", scale="0:2")]
    scores = [tg.evaluate(world.runs, g, asked) for g in gains]
    want = {}
    for measure in scores[0].measures:
        tests = [randomized_tukey_hsd(s.matrix(measure), Trials(trials=400, seed=5)) for s in scores]
        for i, one in enumerate(scores[0].systems):
            for j, two in enumerate(scores[0].systems):
                ps = [float(t.p[i, j]) for t in tests]
                if tests[0].anova.means[i] > tests[0].anova.means[j] and (ps[0] < 0.05) != (ps[1] < 0.05):
                    apart = [abs(float(t.anova.means[i] - t.anova.means[j])) for t in tests]
                    v = [t.anova.v_e for t in tests]
                    sizes = [d / x**power for power in (0.5, 1) for d, x in zip(apart, v, strict=True)]
                    want[measure, one, two] = [*ps, *sizes]
    found = {
        (str(r["measure"]), r["better"], r["worse"]): [
            r[c] for c in ("p RawG", "p UG", "ES RawG", "ES UG", "|d|/V RawG", "|d|/V UG")
        ]
        for r in answer.changed.records()
    }
    assert want  # the test would say nothing otherwise
    assert found.keys() == want.keys()
    for key, values in want.items():
        assert found[key] == pytest.approx(values)


def test_ratings_outside_the_scale_are_refused_or_dropped(world: World) -> None:
    """Guards what the error advises: with out_of_range='drop' the answer is that of the ratings on the scale."""
    ratings = uniform_ratings(world.gold, assessors=3, highest=3, seed=2)
    with pytest.raises(tg.InputError, match="out_of_range='drop'"):
        unanimity(ratings, world.runs, scale="0:2", replicates=50)
    kept = ratings.take(np.flatnonzero(ratings.label <= 2))
    one, two = (
        unanimity(r, world.runs, scale="0:2", out_of_range="drop", ps=[0.2], measures=["P+"], replicates=50)
        for r in (ratings, kept)
    )
    assert one.rankings.rows == two.rankings.rows


def test_near_p_values_are_counted() -> None:
    """Guards the notes: pairs with any p-value within two errors of alpha, listed or not; exact tests have none."""
    anova = randomized_tukey_hsd([[0.1, 0.2], [0.2, 0.4], [0.3, 0.1]], Trials(trials=10)).anova

    def test(ab: float, ac: float, bc: float, exact: bool = False) -> Tukey:
        return Tukey("", anova, square(np.array([ab, ac, bc]), 3), trials=5000, exact=exact)

    near = _Near(0.05)
    near.count(test(0.2, 0.049, 0.001), test(0.0490, 0.0501, 0.001))
    assert (near.listed, near.others) == (2, 0)
    assert near.notes(2)[0].startswith("in 2 of 2 pairs a p-value lies within 0.0062 of 0.05, two standard errors")
    near.count(test(0.2, 0.2, 0.049), test(0.2, 0.2, 0.001))
    assert near.notes(2)[1].startswith("1 pair(s) not listed have a p-value within 0.0062")
    exact = _Near(0.05)
    exact.count(test(0.2, 0.049, 0.001, True), test(0.0490, 0.0501, 0.001, True))
    assert exact.notes(2) == ()
    assert exact.notes(0) == ("no pair of systems changes sides",)


def test_tests_near_alpha_are_drawn_again(world: World) -> None:
    """Guards the trials: raised where some p-value is near alpha, to that of the larger draw, and else left alone."""
    scores = tg.evaluate(world.runs, world.gold, ["nDCG@10"])
    matrix = scores.matrix("nDCG@10")
    plain = randomized_tukey_hsd(matrix, Trials(trials=200, seed=5))
    upper = plain.p[np.triu_indices(len(plain.p), 1)]
    alpha_near = float(upper[(upper > 0.02) & (upper < 0.9)][0])
    again = _tested(matrix, alpha_near, (200, 3200), 5, None)
    assert again.trials in (800, 3200)
    assert np.array_equal(again.p, randomized_tukey_hsd(matrix, Trials(trials=again.trials, seed=5)).p)
    assert _tested(matrix, alpha_near, (200, 200), 5, None).trials == 200
    gaps = np.sort(np.append(upper, [0.0, 1.0]))
    widest = int(np.diff(gaps).argmax())
    far = float(gaps[widest : widest + 2].mean())
    assert np.diff(gaps).max() > 6 * (0.25 / 20_000) ** 0.5  # the test would say nothing otherwise
    assert _tested(matrix, far, (20_000, 80_000), 5, None).trials == 20_000


@pytest.mark.parametrize("alpha", [0.0, 1.0, 5.0, -0.1, float("nan")])
def test_a_level_of_significance_lies_between_0_and_1(world: World, alpha: float) -> None:
    """Guards alpha in both experiments: 5 is not 5%."""
    with pytest.raises(tg.TruegainError, match="is not a significance level"):
        unanimity(uniform_ratings(world.gold), world.runs, scale="0:2", alpha=alpha)
    people = magnitude_ratings(topics=2, docs=14, workers=3, seed=1)
    with pytest.raises(tg.TruegainError, match="is not a significance level"):
        magnitude_systems(people.ratings, people.expert, world.runs, rules=RankingRules(alpha=alpha))


def test_tied_systems_have_no_tau_and_that_is_said(world: World) -> None:
    """Guards rankings in which every system is equal: no tau, and the note says which gain ties them."""
    ratings = uniform_ratings(world.gold, assessors=3, highest=2, seed=2)
    same = tg.Runs(tuple(replace(world.runs.parts[0], system=f"s{i}") for i in range(3)))
    found = unanimity(ratings, same, scale="0:2", ps=[0.2], measures=["P+"], replicates=50)
    assert found.rankings.records()[0]["tau"] is None
    assert "tau is undefined for P+: all systems are tied by RawG" in found.rankings.notes


def test_equal_magnitudes_have_no_fit() -> None:
    """Guards people who all say 3: no spread and no distance made of rounding, agreement by ties, and reasons."""
    rows = [(t, f"{t}{d}", w, 3.0) for t in "ab" for d in range(7) for w in ("x", "y", "z")[: 2 + d % 2]]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    expert = {t: {f"{t}{d}": d % 3 for d in range(7)} for t in "ab"}
    answer = magnitudes(frame, expert)
    for row in answer.habits.records():
        assert (row["sd of ln"], row["D of log-normal"], row["max/min"]) == (0.0, None, 1.0)
    assert "no log-normal fit in 3 rows whose ratings are all equal" in answer.habits.notes
    assert {row["all pairs"] for row in answer.combinations.records()} == {1.0}
    found = alpha(normalized(tg.read_ratings(frame)), "ratio", trials=0)
    assert found.why == "all ratings are 3"


def test_experts_on_one_level_leave_nothing_to_order() -> None:
    """Guards combinations without pairs: undefined, with the reason."""
    people = magnitude_ratings(topics=2, docs=14, workers=3, seed=1)
    found = magnitudes(people.ratings, {t: dict.fromkeys(people.expert.docs.strings(), 1) for t in ("1", "2")})
    assert {row["all pairs"] for row in found.combinations.records()} == {None}
    assert "no topic has two rated documents that experts put on different levels" in str(found.combinations.notes)


def test_magnitudes_too_far_apart_are_refused() -> None:
    """Guards ratios that overflow: refused with the place, not printed as infinite."""
    frame = pl.DataFrame({"topic": "1", "doc": list("ab"), "assessor": "x", "label": [1e308, 1e-308]})
    with pytest.raises(tg.InputError, match="from 1e-308 to 1e\\+308 are too far apart"):
        magnitudes(frame, {"1": {"a": 1, "b": 0}})


def test_unanimity_matters_less_with_more_assessors(world: World) -> None:
    """Guards the simulation of the paper: with many uniform ratings the range is the scale, and UG tends to RawG."""
    few, many = (
        tg.aggregate(uniform_ratings(world.gold, assessors=n, highest=2, seed=4), "unanimity", scale="0:2").label.sum()
        / tg.aggregate(uniform_ratings(world.gold, assessors=n, highest=2, seed=4), "sum").label.sum()
        for n in (5, 40)
    )
    assert few > 1.05
    assert many == pytest.approx(1, abs=1e-3)


def shares_of(worlds: range, **settings: float) -> tuple[list[float], dict[tuple[object, object], list[list[float]]]]:
    """Alpha of each world, and for every combination the shares in the true and in the experts' order."""
    alphas: list[float] = []
    shares: dict[tuple[object, object], list[list[float]]] = {}
    for seed in worlds:
        world = magnitude_ratings(seed=seed, **settings)  # type: ignore[arg-type]
        alphas.append(alpha(normalized(world.ratings), "ratio", trials=0).value)
        for kind, order in enumerate((world.truth, world.expert)):
            for row in magnitudes(world.ratings, order).combinations.records():
                assert isinstance(row["mean over topics"], float)
                both = shares.setdefault((row["normalize"], row["aggregate"]), [[], []])
                both[kind].append(row["mean over topics"])
    return alphas, shares


@pytest.mark.slow
def test_figure_8_on_a_known_truth() -> None:
    """Guards the paper's finding on the simulated world: geometric averaging with the median recovers the order best.

    Beyond chance: ahead of every other combination by more than two standard errors of the difference over worlds, in
    the true order and in the experts', where people agree as little as the paper's workers did (alpha 0.32).
    """
    alphas, shares = shares_of(range(20))
    assert np.mean(alphas) == pytest.approx(0.323, abs=0.02)
    assert len(shares) == 15
    for kind in (0, 1):
        best = np.array(shares["geometric", "median"][kind])
        for name, each in shares.items():
            if name != ("geometric", "median"):
                lead = best - np.array(each[kind])
                assert lead.mean() > 2 * lead.std(ddof=1) / np.sqrt(len(lead)), name


@pytest.mark.slow
def test_the_geometric_mean_is_best_for_log_normal_noise() -> None:
    """Guards the reason: where nobody is careless or slips, the mean of logarithms beats the median, as theory says."""
    _, shares = shares_of(range(6), careless=0, slip=0)
    lead = np.array(shares["geometric", "geometric"][0]) - np.array(shares["geometric", "median"][0])
    assert lead.mean() > 4 * lead.std(ddof=1) / np.sqrt(len(lead))


@pytest.mark.slow
def test_careless_numbers_range_widely_and_slips_are_zeros() -> None:
    """Guards the simulator: the spread of careless units, and an extra or missing zero in the share of rows asked."""
    world = magnitude_ratings(topics=20, careless=0.5, careless_spread=4, habit=0, scales=0, slip=0, seed=1)
    assert world.ratings.assessor is not None
    who = np.array(world.ratings.assessor.strings())
    careless = np.isin(who, world.careless)
    assert careless.mean() == pytest.approx(0.5, abs=0.05)
    assert np.log(world.ratings.label[careless]).std() == pytest.approx(4, rel=0.03)
    assert np.log(world.ratings.label[~careless]).std() < 2
    clean = magnitude_ratings(topics=20, careless=0, noise=0, habit=0, scales=0, slip=0.2, seed=1)
    worth = dict(zip(clean.truth.docs.strings(), clean.truth.label.tolist(), strict=True))
    times = clean.ratings.label / np.array([worth[d] for d in clean.ratings.docs.strings()]) / np.exp(2)
    power = np.log10(times)
    assert power == pytest.approx(np.round(power), abs=1e-9)
    assert [(np.round(power) == k).mean() for k in (-1, 0, 1)] == pytest.approx([0.1, 0.8, 0.1], abs=0.01)


def test_habits_of_simulated_people() -> None:
    """Guards the diagnostics: planted round numbers are counted, log-normal data lies near its fit."""
    never, always = (magnitude_ratings(topics=3, docs=26, workers=6, habit=h, seed=7) for h in (0.0, 1.0))
    for world, share in ((never, 0.0), (always, 1.0)):
        for row in magnitudes(world.ratings, world.expert).habits.records():
            assert row["round numbers"] == pytest.approx(share, abs=0.02)
            assert isinstance(row["D of log-normal"], float)
            assert row["D of log-normal"] < 0.15


def test_mistakes_are_told(world: World) -> None:
    """Guards magnitudes of 0, and rankings of two."""
    with pytest.raises(tg.InputError, match="not above 0"):
        magnitudes(uniform_ratings(world.gold), world.gold)
    two = tg.Runs(world.runs.parts[:2])
    with pytest.raises(tg.TruegainError, match="at least 3 runs"):
        unanimity(uniform_ratings(world.gold), two, scale="0:2")


def test_the_commands(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards `truegain experiment unanimity` and `experiment magnitudes` as a user runs them."""
    monkeypatch.chdir(tmp_path)
    tg.write_judgments(uniform_ratings(world.gold, seed=1), "ratings.csv")
    tg.write_runs(world.runs, "runs/")
    people = magnitude_ratings(topics=2, docs=14, workers=3, seed=1)
    tg.write_judgments(people.ratings, "magnitudes.csv")
    tg.write_judgments(people.expert, "expert.qrels")
    for words, said in (
        (["unanimity", "ratings.csv", "runs", "--scale", "0:2", "--resamples", "100"], "RawG against UG"),
        (["magnitudes", "magnitudes.csv", "--expert", "expert.qrels"], "Documents ordered as experts do"),
    ):
        monkeypatch.setattr(sys, "argv", ["truegain", "experiment", *words])
        with contextlib.suppress(SystemExit):
            main()
        assert said in capsys.readouterr().out
