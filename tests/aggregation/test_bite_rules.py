"""Rules where weights are fractions: a share reached to the last bit is reached, whatever rounding made of it."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.aggregation import consensus as mace_module
from truegain.aggregation.consensus import Votes, mace_climbed, starts
from truegain.data.judgments import Judgments
from truegain.data.rating_groups import Grouped


def ratings(items: list[list[float]]) -> Judgments:
    """Documents d0, d1, ..., each rated so."""
    rows = [("1", f"d{i}", f"a{k}", float(v)) for i, item in enumerate(items) for k, v in enumerate(item)]
    return tg.read_ratings(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row"))


def exact(weights: tuple[int, ...]) -> list[Fraction]:
    """What is reached with each rating, in tenths."""
    return [Fraction(sum(weights[: i + 1]), 10) for i in range(len(weights))]


def test_medians_of_fractional_weights_are_exact() -> None:
    """Guards half of the weight in spite of rounding: all weights of tenths against exact fractions."""
    weights = [w for n in (2, 3, 4) for w in itertools.product((1, 2, 3, 4, 6, 7), repeat=n)]
    items = [[float(2**i) for i in range(len(w))] for w in weights]
    given = [w / 10 for one in weights for w in one]
    expected = []
    for one, values in zip(weights, items, strict=True):
        reached, half = exact(one), Fraction(sum(one), 20)
        lower = next(v for v, r in zip(values, reached, strict=True) if r >= half)
        upper = next(v for v, r in zip(values, reached, strict=True) if r > half)
        expected.append((lower + upper) / 2)
    assert tg.aggregate(ratings(items), "median", weights=given).label.tolist() == expected


@pytest.mark.parametrize("share", ["0.2", "0.3", "0.5", "0.7", "0.8", "0.9", "1.0"])
def test_supermajorities_are_exact(share: str) -> None:
    """Guards the share in spite of rounding: nine of ten reach 0.9; and a share of fractional weights."""
    weights = [w for n in (1, 2, 3, 4) for w in itertools.product((1, 2, 3, 4, 6, 7), repeat=n)]
    weights += [(10,) * n for n in range(1, 21)]
    items = [[float(i) for i in range(len(w))] for w in weights]
    given = [w / 10 for one in weights for w in one]
    found = tg.aggregate(ratings(items), f"supermajority(share={float(share)})", weights=given).label.tolist()
    expected = []
    for one in weights:
        least = Fraction(share) * Fraction(sum(one), 10)
        expected.append(max(i for i in range(len(one)) if Fraction(sum(one[i:]), 10) >= least))
    assert found == expected


def test_trimmed_ranges_of_fractional_weights_are_exact() -> None:
    """Guards floor(trim N) at either end in spite of rounding: what stands wholly within is left out."""
    parts = [w for n in (1, 2, 3) for w in itertools.product((1, 2, 3, 4, 6, 7, 10), repeat=n) if sum(w) == 10]
    parts += [(2, 4, 3, 1), (4, 2, 3, 1), (2, 2, 2, 4)]  # these are not 1 to the last bit
    weights = [(*a, 10, 10, 10, *b) for a in parts for b in parts]
    items = [[float(i) for i in range(len(w))] for w in weights]
    given = [w / 10 for one in weights for w in one]
    found = tg.aggregate(ratings(items), "weighted(spread=trimmed,trim=0.2)", scale="0:10", weights=given).label
    for one, values, gain in zip(weights, items, found.tolist(), strict=True):
        total, cut = Fraction(sum(one), 10), 1
        left = [v for v, w, r in zip(values, one, exact(one), strict=True)
                if r > cut and r - Fraction(w, 10) < total - cut]  # fmt: skip
        raw = sum(v * w for v, w in zip(values, one, strict=True)) / 10
        assert gain == pytest.approx((1 - (max(left) - min(left)) / 10) * raw)


def test_ratings_without_weight_do_not_count() -> None:
    """Guards weights of 0 at either end and in the middle, for every rule that sorts."""
    values, weights = [9.0, 0.0, 2.0, 5.0, 1.0, 7.0], [0, 0, 1, 0, 2, 1]
    kept = [v for v, w in zip(values, weights, strict=True) for _ in range(w)]
    aware = ("weighted", "weighted(spread=trimmed,trim=0.25)", "unanimity(spread=sd)", "unanimity(spread=entropy)")
    for rule in ("median", "majority", "supermajority", "sum", "mean", *aware):
        one = tg.aggregate(ratings([values]), rule, weights=weights, scale="0:9").label.tolist()
        assert one == pytest.approx(tg.aggregate(ratings([kept]), rule, scale="0:9").label.tolist())


def test_all_zero_and_scales_of_the_aware_rules() -> None:
    """Guards 0 for what nobody finds relevant, and a gain however small where somebody does."""
    table = ratings([[0, 0, 0], [0, 0, 0.5], [3, 3, 3]])
    assert tg.aggregate(table, "unanimity(p=1)", scale="0:3").label.tolist() == pytest.approx([0, 8, 18])
    assert tg.aggregate(table, "weighted", scale="0:3").label.tolist() == pytest.approx([0, 0.5 * 2.5 / 3, 9])
    with pytest.raises(tg.TruegainError, match="whole numbers"):
        tg.aggregate(table, "unanimity(spread=entropy)", scale="0:3")
    with pytest.raises(tg.TruegainError, match="whole numbers"):
        tg.aggregate(ratings([[1, 2]]), "unanimity(spread=entropy)", scale="0:2.5")


def test_gains_beyond_the_greatest_number_are_counted() -> None:
    """Guards the refusal: how many documents, the first of them and its greatest rating."""
    table = ratings([[1, 2], [1.7e308, 1.0, 1.7e308], [5], [1e308, 1e308]])
    with pytest.raises(tg.TruegainError, match=r"for 2 of 4 documents, the first 'd1' of topic '1' .* of 1.7e\+308"):
        tg.aggregate(table, "sum")
    assert tg.aggregate(table, "median").label.tolist() == [1.5, 1.7e308, 5.0, 1e308]


def test_weights_need_rows_that_stay() -> None:
    """Guards weights of ratings that are dropped, or whose rows are not known; and who is told of a fit."""
    table = ratings([[1, 2], [3, 9]])
    with pytest.raises(tg.TruegainError, match="weights need ratings whose rows are known"):
        tg.aggregate(table.frame(), "mean", weights=[1] * 4)
    with pytest.warns(tg.DataWarning), pytest.raises(tg.TruegainError, match="dropped or merged"):
        tg.aggregate(table, "mean", weights=[1] * 4, scale="0:3", out_of_range="drop")
    told: list[str] = []
    tg.aggregate(table, "mace(starts=1)", report=told)
    assert len(told) == 1
    tg.aggregate(table, "mean", report=told)
    assert len(told) == 1


def test_a_start_ends_near_its_top(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards when a start of MACE stops: after the first step that changes less than that, to a part in a thousand."""
    rng = np.random.default_rng(3)
    said = np.where(rng.random((30, 5)) < 0.7, rng.integers(0, 3, (30, 1)), rng.integers(0, 3, (30, 5)))
    votes = Votes.of(Grouped.of(ratings(said.astype(float).tolist())))
    start = starts(votes, 1, 0)[0]
    change = mace_climbed(votes, start, 4)[3]
    assert change < min(mace_climbed(votes, start, steps)[3] for steps in (1, 2, 3))
    for factor, steps in ((1.001, 4), (0.999, 5)):
        monkeypatch.setattr(mace_module, "NEAR_TOP", change * factor)
        assert mace_climbed(votes, start, 500)[2] == steps
