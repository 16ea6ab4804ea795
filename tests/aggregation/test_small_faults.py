"""Small faults in gains that other tests let pass: limits between scales, strata, rates at their ends, half pairs.

Guards against a wrong constant, a limit moved by one, a dropped term; oracles are values by hand, loops over the
definition and numerical derivatives.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from scipy import stats

import truegain as tg
from truegain.aggregation.consensus import Mace
from truegain.aggregation.magnitudes import normalized, units
from truegain.aggregation.rules import Supermajority
from truegain.aggregation.unanimity import Unanimity, Weighted
from truegain.data.judgments import Judgments
from truegain.data.pool import Pool
from truegain.judge_error.confusion import Confusion, bounded, corrected_mean
from truegain.judge_error.gold_pairs import OffScaleLabels, Pairs, apart, pair_up, scale_of, tell_scales
from truegain.judge_error.pair_estimators import strata_of
from truegain.sampling.designs import expansion_of
from truegain.stats.influence import Variance
from truegain.study.variance import joined_with_wilson


def pool_of(labels: list[float]) -> Pool:
    """One topic with these labels."""
    return Pool.of(Judgments.of({"1": {f"d{i}": x for i, x in enumerate(labels)}}))


def told(bronze: list[float], gold: list[float]) -> str | None:
    """What is said of two judges' scales where nobody told the levels."""
    pool, given = pool_of(bronze), np.array(gold)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        tell_scales(OffScaleLabels.of(pool, given), pool, given, levels_given=False)
    return str(said[0].message) if said else None


# ------------------------------------------------------------------ scales


def test_the_longest_and_the_shortest_scale() -> None:
    """Guards 0:N: from two labels to a thousand."""
    longest = scale_of("0:999")
    assert longest is not None
    assert (len(longest), longest[-1]) == (1000, 999.0)
    assert scale_of("1:2") == (1.0, 2.0)
    for wrong in ("0:1000", "0:0", "1,1", "-1,0", "0,inf"):
        with pytest.raises(tg.TruegainError, match="labels"):
            scale_of(wrong)


def test_few_strays_are_slips_and_more_are_a_scale() -> None:
    """Guards 5%: five of a hundred labels beyond gold's are slips, six are another scale."""
    for count, said in ((5, "If they are slips"), (6, "seem to use different scales")):
        message = told([9.0] * count + [0.0, 1.0] * 10 + [0.0] * (80 - count), [0.0, 1.0])
        assert message is not None
        assert said in message


@pytest.mark.parametrize(
    ("bronze", "gold", "differ"),
    [
        ([0, 10], [0, 15], True),  # half as high again
        ([0, 10], [0, 14], False),
        ([0, 2], [0, 2], False),
        ([0, 2], [0, 1.5], True),  # whole numbers and fractions
        ([0, 0.5, 1], [0, 0.5, 1], False),
        ([0, 0], [0, 3], False),  # all 0: nothing to compare
    ],
)
def test_when_two_scales_differ(bronze: list[float], gold: list[float], differ: bool) -> None:
    """Guards both reasons for two scales, to the limit, and that a judge who says 0 alone is no scale."""
    message = told(bronze, gold)
    assert (message is not None and "different scales" in message) == differ


@pytest.mark.parametrize(
    ("bronze", "gold", "differ"),
    [
        ([0, 1], [0, 2], True),
        ([0, 2], [0, 1], True),
        ([0, 10], [0, 19], False),
        ([0, 0], [0, 2], False),
        ([0, 1], [0, 0.5, 1], True),
        ([0, 0.5, 1], [0, 0.25, 1], False),
    ],
)
def test_when_labels_are_no_gains_of_one_scale(bronze: list[float], gold: list[float], differ: bool) -> None:
    """Guards twice as high, to the limit, and fractions beside whole numbers."""
    assert (apart(np.array(bronze, float), np.array(gold, float)) is not None) == differ


def test_how_labels_are_listed() -> None:
    """Guards six labels one by one, and seven as a range."""
    six, seven = np.arange(6.0), np.arange(7.0)
    assert apart(six, six / 2) == "bronze labels are 0, 1, 2, 3, 4, 5, gold labels 0, 0.5, 1, 1.5, 2, 2.5"
    assert apart(seven, seven / 2) == "bronze labels are 0 to 6 (7 different), gold labels 0 to 3 (7 different)"


def test_strays_are_beyond_gold_and_the_rarest_are_shown() -> None:
    """Guards labels, counts, share and examples by hand: gold's highest is none, three examples, the rarest first."""
    found = OffScaleLabels.of(pool_of([3, 3, 4, 4, 4, 5, 0, -1, 1.5, 6, 6]), np.array([0.0, 3.0]))
    assert (found.labels, found.counts, found.total) == ((1.5, 4.0, 5.0, 6.0), (1, 3, 1, 2), 10)
    assert found.share == pytest.approx(0.7)
    assert [e.split(":")[0] for e in found.examples] == ["5", "1.5", "6"]
    assert OffScaleLabels((), (), (), 0).share == 0


# ------------------------------------------------------------------ pairs and the matrix


def test_weights_of_gold_drawn_by_bronze_label() -> None:
    """Guards the weights by hand: share among all bronze labels over share among the gold pairs; unjudged count not."""
    bronze = {"1": {"a": 1, "b": 0, "c": 0, "d": 0, "e": 0, "f": 1, "u": -1}}
    pairs = tg.Judge.fit(bronze, {"1": {"a": 1, "b": 1, "f": 0}}, design="by-bronze").pairs
    assert pairs is not None
    assert pairs.share == pytest.approx({0.0: 4 / 6, 1.0: 2 / 6})
    by_label = dict(zip(pairs.bronze.tolist(), pairs.weight.tolist(), strict=True))
    assert by_label == pytest.approx({1.0: (2 / 6) / (2 / 3), 0.0: (4 / 6) / (1 / 3)})
    given = tg.Judge.fit(bronze, {"1": {"a": 1, "b": 1, "f": 0}}, design="by-bronze", weights=[1, 2, 3]).pairs
    assert given is not None
    assert (given.weight.tolist(), given.weighted, pairs.weighted) == ([1, 2, 3], True, False)


@pytest.mark.parametrize(("pairs", "warned"), [(50, True), (49, False)])
def test_from_how_many_pairs_on_a_perfect_judge_is_suspicious(pairs: int, warned: bool) -> None:
    """Guards 50 pairs, and that a judge who had only one label to give is not suspected."""
    labels = {"1": {f"d{i}": i % 2 for i in range(pairs)}}
    alike = {"1": {f"d{i}": 1 for i in range(pairs)}}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        pair_up(labels, labels)
        pair_up(alike, alike)
    assert [f"all {pairs} gold pairs have exactly" in str(w.message) for w in said] == [True] * warned


def test_pairs_without_bronze_are_named_up_to_three() -> None:
    """Guards the list of what is missing, and how many were dropped; negative gold labels are no pairs."""
    gold = {"1": {"a": 1, "b": 0, "w": 1, "x": 1, "y": 0, "n": -1}}
    with pytest.raises(tg.InputError, match=r"3 of 6 gold pairs have no .*document w;.*document x;.*document y\)"):
        pair_up({"1": {"a": 1, "b": 0}}, gold)
    with pytest.raises(tg.InputError, match=r"4 of 6 .*document b;.*document w;.*document x and 1 more\)"):
        pair_up({"1": {"a": 1}}, gold)
    with pytest.warns(tg.DataWarning, match="1 of 6 gold pairs have a gold label below 0"):
        found = pair_up({"1": {"a": 1, "b": 0}}, gold, missing="drop")
    assert (len(found), found.unmatched, found.unjudged) == (2, 3, 0)
    assert found.items_in(pool_of([1.0])).tolist() == [-1, -1]


def some_pairs() -> Pairs:
    """Three topics, three labels, weights that are not whole."""
    rng = np.random.default_rng(4)
    n = 60
    topic, gold = rng.integers(0, 3, n), rng.integers(0, 3, n).astype(float)
    bronze = np.where(rng.random(n) < 0.7, gold, rng.integers(0, 3, n))
    return Pairs(("x", "y", "z"), topic, bronze, gold, rng.uniform(0.5, 2, n), {0.0: 0.3, 1.0: 0.3, 2.0: 0.4})


def test_the_matrix_pair_by_pair() -> None:
    """Guards counts, squares of weights and Kish's sizes against a loop, of all labels and cut at a level each."""
    pairs = some_pairs()
    whole = Confusion.fit(pairs)
    for made, g, b in (
        (whole, pairs.gold.astype(int), pairs.bronze.astype(int)),
        (whole.square(), pairs.gold.astype(int), pairs.bronze.astype(int)),
        (whole.binary(2, 1), (pairs.gold >= 1).astype(int), (pairs.bronze >= 2).astype(int)),
    ):
        counts, squares = np.zeros(made.counts.shape), np.zeros(made.counts.shape)
        for i, w in enumerate(pairs.weight):
            counts[g[i], b[i]] += w
            squares[g[i], b[i]] += w**2
        assert made.counts == pytest.approx(counts)
        assert made.squares == pytest.approx(squares)
        assert made.effective == pytest.approx(counts.sum(axis=1) ** 2 / squares.sum(axis=1))
        assert made.matrix.sum(axis=1) == pytest.approx(np.ones(len(counts)))
    assert whole.effective.sum() < len(pairs)
    assert (whole.clustered, Confusion.of_counts([[1, 2], [3, 4]]).clustered) == (True, False)


def test_twelve_labels_make_a_matrix_and_thirteen_are_too_many() -> None:
    """Guards the most classes, and counts that are none."""
    assert len(Confusion.of_counts(np.eye(12)).square().gold) == 12
    with pytest.raises(tg.TruegainError, match="13 different labels"):
        Confusion.of_counts(np.eye(13)).square()
    assert Confusion.of_counts([[1, 0], [0, 1]]).matrix.tolist() == [[1, 0], [0, 1]]
    wrong: npt.ArrayLike
    for wrong in (np.ones(2), np.array([[1, -1], [0, 1]]), np.array([[1, math.nan], [0, 1]])):
        with pytest.raises(tg.TruegainError, match="table of numbers"):
            Confusion.of_counts(wrong)


def test_a_gold_pair_pulls_as_the_derivative_says() -> None:
    """Guards the influence of every cell at 1e-6 against 1 + epsilon pairs there, and with more thought there."""
    counts, f, v = np.array([[70.0, 20, 10], [15, 60, 25], [5, 15, 80]]), [0.5, 0.3, 0.2], [0.0, 1, 3]
    made = corrected_mean(Confusion.of_counts(counts), f, v)
    for g in range(3):
        for b in range(3):
            step = np.zeros((3, 3))
            step[g, b] = 1e-4
            ends = [corrected_mean(Confusion.of_counts(counts + s * step), f, v).value for s in (1, -1)]
            assert made.influence()[g, b] == pytest.approx((ends[1] - ends[0]) / 2e-4, rel=1e-6)
    more = np.array([1.0, 2.0, 0.5])
    found = made.influence(more)
    for g in range(3):
        there = counts[g] + more[g]
        mean = float(there @ made.worth) / there.sum()
        by_hand = [made.shares[g] * (a - mean) / there.sum() for a in made.worth]
        assert found[g] == pytest.approx(by_hand)


def test_rates_at_their_ends() -> None:
    """Guards the constrained estimates by hand below, above and exactly at both ends."""
    low = bounded(5, 100, 30, 40, 60, 80)
    both = (5 + 20) / (100 + 80)
    assert (low.j, low.m_r, low.m_n, low.value, low.at) == pytest.approx((both, 0.75, 1 - both, 0, "zero"))
    high = bounded(90, 100, 30, 40, 60, 80)
    both = (90 + 30) / (100 + 40)
    assert (high.j, high.m_r, high.m_n, high.value, high.at) == pytest.approx((both, both, 0.75, 1, "one"))
    assert (bounded(75, 100, 30, 40, 60, 80).at, bounded(75, 100, 30, 40, 60, 80).value) == ("inside", 1.0)
    assert (bounded(25, 100, 30, 40, 60, 80).at, bounded(25, 100, 30, 40, 60, 80).value) == ("inside", 0.0)
    assert bounded(40, 100, 30, 40, 60, 80).value == pytest.approx((0.4 - 0.25) / 0.5)


# ------------------------------------------------------------------ gold pairs that set scores right


def joined(labels: list[int], sampled: list[bool], least: int) -> list[int]:
    """The strata by plain steps: labels upwards, a new stratum once the last has enough; the top joins down."""
    least = max(least, sum(sampled) // 20)
    groups: list[list[int]] = [[]]

    def held(group: list[int]) -> int:
        return sum(s for x, s in zip(labels, sampled, strict=True) if x in group)

    for value in sorted(set(labels)):
        if held(groups[-1]) >= least:
            groups.append([])
        groups[-1].append(value)
    if len(groups) > 1 and held(groups[-1]) < least:
        top = groups.pop()
        groups[-1] += top
    return [next(i for i, g in enumerate(groups) if x in g) for x in labels]


def test_strata_by_plain_steps() -> None:
    """Guards how labels are joined, with few gold pairs and with so many that a twentieth of them is the least."""
    rng = np.random.default_rng(8)
    for n, least in [(12, 2), (30, 5), (60, 5), (200, 5), (400, 5)] * 8:
        labels, sampled = rng.integers(0, 6, n), rng.random(n) < rng.choice([0.1, 0.5, 0.9])
        sampled[0] = True
        found = strata_of(labels.astype(float), sampled, least)
        assert found.tolist() == joined(labels.tolist(), sampled.tolist(), least)
    assert strata_of(np.repeat([0.0, 1.0], 5), np.ones(10, bool)).tolist() == [0] * 5 + [1] * 5
    assert strata_of(np.repeat([0.0, 1.0], [6, 4]), np.ones(10, bool)).tolist() == [0] * 10
    assert strata_of(np.repeat([0.0, 1.0], [115, 5]), np.ones(120, bool)).tolist() == [0] * 120


def test_how_many_pairs_a_gold_pair_stands_for() -> None:
    """Guards both designs by hand, and the refusal where a label has no gold pair."""
    labels, drawn = np.array([0.0, 0, 0, 1, 1, 2]), np.array([1, 0, 0, 1, 1, 1], bool)
    assert expansion_of(labels, drawn, "random").tolist() == [6 / 4] * 6
    assert expansion_of(labels, drawn, "by-bronze").tolist() == [3, 3, 3, 1, 1, 1]
    drawn[-1] = False
    assert expansion_of(labels, drawn, "random").tolist() == [2] * 6
    with pytest.raises(tg.TruegainError, match=r"no gold pair has bronze label 2 \(16.7% of"):
        expansion_of(labels, drawn, "by-bronze")


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 3.0)])
@pytest.mark.parametrize(("value", "pairs"), [(0.02, 100), (0.5, 30), (0.97, 12)])
def test_intervals_near_bounds_by_hand(value: float, pairs: int, bounds: tuple[float, float]) -> None:
    """Guards the interval that joins t's and Wilson's: half a pair to either side, the size from the variance."""
    se, df = 0.04, 7
    least, most = bounds
    t = float(stats.t.ppf(0.95, df))
    p = (value - least) / (most - least)
    shrunk = (p * pairs + 0.5) / (pairs + 1)
    n = shrunk * (1 - shrunk) / (se / (most - least)) ** 2
    middle = (p + t**2 / (2 * n)) / (1 + t**2 / n)
    half = t / (1 + t**2 / n) * math.sqrt(p * (1 - p) / n + t**2 / (4 * n**2))
    wide = [least + (most - least) * (middle + s * half) for s in (-1, 1)]
    expected = (min(max(value - t * se, least), wide[0]), max(min(value + t * se, most), wide[1]))
    spread = Variance(np.array([se**2]), np.array([df]))
    low, high = joined_with_wilson(np.array([value]), spread, np.array([float(pairs)]), bounds, 0.9)
    assert (low[0], high[0]) == pytest.approx(expected, abs=1e-9)


# ------------------------------------------------------------------ rules and magnitudes


def test_limits_of_rules() -> None:
    """Guards both sides of every limit of a rule's parameters."""
    for p in (0, 1):
        Unanimity(p=p)
    Weighted(trim=0)
    Weighted(trim=0.49)
    Supermajority(share=0.01)
    Supermajority(share=1)
    Mace(starts=1, n_iter=1)
    for make, said in (
        (lambda: Unanimity(p=-0.01), "p is"),
        (lambda: Unanimity(p=1.01), "p is"),
        (lambda: Weighted(trim=-0.01), "trim"),
        (lambda: Weighted(trim=0.5), "trim"),
        (lambda: Supermajority(share=0), "share"),
        (lambda: Supermajority(share=1.01), "share"),
        (lambda: Mace(starts=0), "starts"),
        (lambda: Mace(n_iter=0), "n_iter"),
    ):
        with pytest.raises(tg.TruegainError, match=said):
            make()


def rated(rows: list[tuple[str, str, str, float]], **more: list[str]) -> Judgments:
    """Ratings: topic, document, assessor, label, and further columns."""
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    return tg.read_ratings(frame.with_columns(**{k: pl.Series(v) for k, v in more.items()}))


def test_a_hundred_categories_and_one_more() -> None:
    """Guards the most labels that a consensus model takes, and that one label alone is nothing to fit."""
    for levels, refused in ((100, None), (101, "there are 101"), (1, "nothing to fit")):
        table = rated([("1", f"d{i}", a, float(i % levels)) for i in range(101) for a in "xy"])
        if refused is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert len(tg.aggregate(table, "mace(n_iter=1,starts=1)")) == 101
            continue
        with pytest.raises(tg.TruegainError, match=refused):
            tg.aggregate(table, "mace(n_iter=1,starts=1)")


def test_trimmed_ranges_by_sorting() -> None:
    """Guards floor(trim N) ratings left out at either end, where trim N is whole and where it is not."""
    rng = np.random.default_rng(5)
    for n, trim in ((5, 0.2), (9, 0.2), (10, 0.2), (10, 0.1), (4, 0.49), (7, 0.0)):
        values = rng.integers(0, 5, n)
        values[0] = 4
        cut = math.floor(trim * n + 1e-9)
        left = sorted(values.tolist())[cut : n - cut]
        table = rated([("1", "d", f"a{i}", float(v)) for i, v in enumerate(values)])
        found = tg.aggregate(table, f"weighted(spread=trimmed,trim={trim})", scale="0:4").label.tolist()
        assert found == pytest.approx([(1 - (left[-1] - left[0]) / 4) * values.sum()])


@pytest.mark.parametrize("how", ["geometric", "median", "range"])
def test_magnitudes_of_units_by_hand(how: str) -> None:
    """Guards ln s - centre(unit) + centre(topic) by a loop, units named apart or by assessor, sizes odd and even."""
    rng = np.random.default_rng(6)
    rows = [(t, f"d{i}", a, float(rng.uniform(1, 90))) for t in "12" for a in "xyz" for i in range(3 + (a == "y"))]
    names = [f"u{i % 2}" for i in range(len(rows))]
    for table, key in (
        (rated(rows), [(t, a, "") for t, _, a, _ in rows]),
        (rated(rows, unit=names), [(t, a, u) for (t, _, a, _), u in zip(rows, names, strict=True)]),
    ):
        logs = np.log([r[3] for r in rows])
        across = np.median if how == "median" else np.mean
        expected = []
        for i, (t, *_) in enumerate(rows):
            unit = logs[[k == key[i] for k in key]]
            centre = (unit.max() + unit.min()) / 2 if how == "range" else float(across(unit))
            topic = logs[[r[0] == t for r in rows]]
            expected.append(math.exp(logs[i] - centre + across(topic)))
        assert normalized(table, how).label.tolist() == pytest.approx(expected)
        assert units(table)[1] == len(set(key))
