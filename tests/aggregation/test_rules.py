"""Gain rules: the paper's table, brute force, and weights as copies."""

from __future__ import annotations

import itertools
import math
import statistics
import warnings
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truegain as tg
from truegain.aggregation.aggregate import RULES
from truegain.aggregation.consensus import DawidSkene, Glad, Mace
from truegain.aggregation.rules import Majority, Supermajority, Unanimity, Weighted
from truegain.data.judgments import Judgments

# UNANIMITY, table 1: Dmax = 3, N = 5; RawG, WG, UG at p = 0.2 and at p = 0.1
TABLE_1 = {
    (2, 2, 2, 2, 2): (10, 10.0, 13, 11.5),
    (1, 1, 2, 3, 3): (10, 3.3, 11, 10.5),
    (0, 2, 2, 3, 3): (10, 0.0, 10, 10),
    (1, 1, 1, 1, 1): (5, 5.0, 8, 6.5),
    (0, 0, 0, 0, 3): (3, 0.0, 3, 3),
    (0, 0, 0, 0, 2): (2, 0.7, 3, 2.5),
    (0, 0, 0, 0, 1): (1, 0.7, 3, 2),
}
LOCAL = [name for name in RULES if name not in ("dawid-skene", "glad", "mace")]
Items = list[list[int]]
ITEMS = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=8), min_size=1, max_size=6)


def ratings(items: Any) -> tg.Judgments:
    """One document an item, an assessor for each place."""
    rows = [("1", f"d{i}", f"a{k}", float(v)) for i, item in enumerate(items) for k, v in enumerate(item)]
    return tg.read_ratings(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row"))


def by_doc(gains: tg.Judgments) -> list[float]:
    """Gains in the order of the documents d0, d1, ..."""
    found = dict(zip(gains.docs.strings(), gains.label.tolist(), strict=True))
    return [found[f"d{i}"] for i in range(len(found))]


@pytest.mark.parametrize(
    ("rule", "column"), [("rawg", 0), ("wg", 1), ("unanimity", 2), ("unanimity(p=0.1)", 3), ("UG( p = 1/10 , )", 3)]
)
def test_table_1_of_the_paper(rule: str, column: int) -> None:
    """Guards the formulas of RawG, WG and UG: Sakai 2017, table 1, and that p is 0.2 by default."""
    found = by_doc(tg.aggregate(ratings(TABLE_1), rule, scale="0:3"))
    assert [round(g, 1) for g in found] == [row[column] for row in TABLE_1.values()]


def test_all_zero_is_worth_nothing() -> None:
    """Guards the exception of UG: unanimous zeros get no upgrade."""
    assert by_doc(tg.aggregate(ratings([[0, 0, 0]]), "unanimity", scale="0:3")) == [0.0]


def brute(name: str, item: list[int]) -> float:
    """A rule written out plainly, with exact arithmetic where it matters."""
    counts = Counter(item)
    most = max(counts.values())
    top = Fraction(2, 3) * len(item)
    return {
        "sum": float(sum(item)),
        "mean": statistics.fmean(item),
        "median": statistics.median(item),
        "geometric": statistics.geometric_mean([v + 1 for v in item]),
        "majority": min(v for v, c in counts.items() if c == most),
        "supermajority": max(g for g in item if sum(v >= g for v in item) >= top),
        "unanimity": sum(item) + 0.2 * len(item) * (4 - max(item) + min(item)) if sum(item) else 0.0,
        "weighted": (1 - (max(item) - min(item)) / 4) * sum(item),
    }[name]


@pytest.mark.parametrize("name", LOCAL)
@given(items=ITEMS)
def test_rules_against_plain_python(name: str, items: Items) -> None:
    """Guards every rule against its definition, on items with unequal numbers of ratings."""
    table = ratings([[v + 1 for v in item] for item in items] if name == "geometric" else items)
    assert by_doc(tg.aggregate(table, name, scale="0:5" if name == "geometric" else "0:4")) == pytest.approx(
        [brute(name, item) for item in items], abs=1e-12
    )


@pytest.mark.few(8)
@pytest.mark.parametrize("spread", ["range", "trimmed", "sd", "entropy"])
@pytest.mark.parametrize("name", LOCAL)
@given(items=ITEMS, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_a_weight_is_so_many_copies(name: str, spread: str, items: Items, seed: int) -> None:
    """Guards weight-awareness, which resampling assessors needs: whole weights are copies, 0 is absence."""
    aware = name in ("unanimity", "weighted")
    if not aware and spread != "range":
        return
    rng = np.random.default_rng(seed)
    if name == "geometric":
        items = [[v + 1 for v in item] for item in items]
    weights = [rng.integers(0, 3, len(item)) for item in items]
    for w in weights:
        w[0] = max(1, w[0])
    copies = [np.repeat(item, w).tolist() for item, w in zip(items, weights, strict=True)]
    rule = f"{name}(spread={spread})" if aware else name
    weighted = tg.aggregate(ratings(items), rule, scale="0:5", weights=np.concatenate(weights))
    assert by_doc(weighted) == pytest.approx(by_doc(tg.aggregate(ratings(copies), rule, scale="0:5")), abs=1e-9)


def test_items_without_weight_stay_unjudged() -> None:
    """Guards against a gain of 0 where nobody counts: the item is unjudged, and that is told."""
    for name in LOCAL:
        with pytest.warns(tg.DataWarning, match="1 of 2 items get no label"):
            found = tg.aggregate(ratings([[1, 2], [3]]), name, scale="0:3", weights=[1, 1, 0])
        assert found.docs.strings() == ["d0"]


def test_spreads_by_hand() -> None:
    """Guards the variants: outliers trimmed, twice the standard deviation, entropy over the scale's levels."""
    items = [[0, 2, 2, 2, 3], [0, 0, 3, 3], [1, 1, 1, 1]]

    def apart(spread: str) -> list[float]:
        gains = by_doc(tg.aggregate(ratings(items), f"unanimity(p=1,spread={spread})", scale="0:3"))
        return [3 - (g - sum(i)) / len(i) for g, i in zip(gains, items, strict=True)]

    assert apart("range") == pytest.approx([3, 3, 0])
    assert apart("trimmed") == pytest.approx([0, 3, 0])
    assert apart("trimmed,trim=0.25") == pytest.approx([0, 3, 0])
    assert apart("sd") == pytest.approx([2 * statistics.pstdev(items[0]), 3, 0])
    half = 3 * np.log(2) / np.log(4)
    mixed = -3 * (0.6 * np.log(0.6) + 0.4 * np.log(0.2)) / np.log(4)
    assert apart("entropy") == pytest.approx([mixed, half, 0])


@given(items=st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=7), min_size=1, max_size=5))
@settings(max_examples=50, deadline=None)
def test_supermajority_of_binary_ratings_is_the_vote(items: Items) -> None:
    """Guards the vote behind bronze labels by counting: 1 where at least two thirds of an item's ratings say so."""
    expected = [float(3 * sum(said) >= 2 * len(said)) for said in items]
    assert by_doc(tg.aggregate(ratings(items), "supermajority")) == expected


def test_ties_of_a_majority() -> None:
    """Guards the three ways to settle a tie."""
    found = [by_doc(tg.aggregate(ratings([[0, 3, 3, 0, 1]]), f"majority(ties={t})")) for t in ("low", "high", "mean")]
    assert found == [[0.0], [3.0], [1.5]]


def test_a_tie_is_one_in_spite_of_rounding() -> None:
    """Guards votes of fractional weight: 0.1 three times is as much as 0.3 once, although not to the last bit."""
    assert 0.1 + 0.1 + 0.1 != 0.3
    weights = [0.3, 0.1, 0.1, 0.1]
    for ties, gain in (("low", 0.0), ("high", 3.0), ("mean", 1.5)):
        assert by_doc(tg.aggregate(ratings([[0, 3, 3, 3]]), f"majority(ties={ties})", weights=weights)) == [gain]


def test_subtopics_stay_apart() -> None:
    """Guards ratings of subtopics: a gain for each (topic, document, subtopic)."""
    rows = {"subtopic": ["1", "1", "2"], "assessor": ["x", "y", "x"], "label": [1, 3, 0]}
    frame = pl.DataFrame({"topic": "1", "doc": "a", **rows})
    found = tg.aggregate(frame, "mean").frame()
    assert found.select("subtopic", "gain").rows() == [("1", 2.0), ("2", 0.0)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"aggregate": "best"}, "no rule 'best'; there are sum"),
        ({"aggregate": "medain(p=1)"}, "no rule 'medain'; did you mean median? There are sum"),
        ({"aggregate": "sum(p=0.2)"}, "has no parameter p; it has none"),
        ({"aggregate": "unanimity(share=0.2)"}, "no parameter share; it has spread, trim, p"),
        ({"aggregate": "unanimity(p=0.1,p=0.2)"}, "the rule unanimity has p twice; give one"),
        ({"aggregate": "unanimity(0.1)"}, "'0.1' names no parameter; write it like unanimity(spread=range)"),
        ({"aggregate": "unanimity(p=0.1"}, "cannot read the rule 'unanimity(p=0.1'; write it like 'mean' or "),
        ({"aggregate": 3}, "cannot read the rule 3; write it like 'mean' or "),
        ({"aggregate": "supermajority(share=nan)"}, "share is 'nan'; give a number"),
        ({"aggregate": "supermajority(share=1/0)"}, "share is '1/0'; give a number"),
        ({"aggregate": "unanimity"}, "needs the limits of the scale"),
        ({"aggregate": "unanimity", "scale": "1:5"}, "subtract 1 from every rating and write 0:4"),
        ({"aggregate": "unanimity(p=2)", "scale": "0:5"}, "p is 2"),
        ({"aggregate": "unanimity(spread=iqr)", "scale": "0:5"}, "spread is 'iqr'"),
        ({"aggregate": "unanimity(trim=0.5)", "scale": "0:5"}, "trim 0.5"),
        ({"aggregate": "unanimity(spread=entropy)", "scale": "0:5.5"}, "whole numbers"),
        ({"aggregate": "majority(ties=random)"}, "ties is 'random'"),
        ({"aggregate": "supermajority(share=0)"}, "share 0"),
        ({"aggregate": "mean", "weights": [1.0]}, "1 weights for 2 ratings"),
        ({"aggregate": "mean", "weights": [1.0, -1.0]}, "negative"),
        ({"aggregate": "mean", "weights": [0, 0]}, "no item gets a label"),
        ({"normalize": "cubic"}, "no normalization 'cubic'"),
    ],
)
@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_mistakes_are_told(options: dict[str, Any], said: str) -> None:
    """Guards the messages for rules and parameters that do not exist or do not fit."""
    with pytest.raises(tg.TruegainError) as caught:
        tg.aggregate(ratings([[1, 2]]), **options)
    assert said in str(caught.value)


def test_zero_has_no_geometric_mean() -> None:
    """Guards against a silent minus infinity."""
    with pytest.raises(tg.TruegainError, match="rating 0 has no logarithm"):
        tg.aggregate(ratings([[0, 2]]), "geometric")


@pytest.mark.parametrize("rule", ["sum", "mean", "unanimity", "weighted"])
def test_gains_beyond_the_greatest_number_are_refused(rule: str) -> None:
    """Guards against infinite gains: refused with the rule, the document and the rating, and no warning of numpy."""
    frame = pl.DataFrame({"topic": "7", "doc": list("abb"), "assessor": list("xxy"), "label": [1.0, 1.5e308, 1.5e308]})
    with pytest.raises(
        tg.TruegainError, match=rf"the rule {rule} .*for 1 of 2 documents.*'b' of topic '7'.*1\.5e\+308"
    ):
        tg.aggregate(frame, rule, scale="0:1.6e308")
    assert tg.aggregate(frame, "median").label.tolist() == [1.0, 1.5e308]


def test_every_rule_is_in_the_catalogue_under_its_name() -> None:
    """Guards the catalogue, and that every rule is documented with an example."""
    for name, kind in RULES.items():
        assert name == kind.NAME
        assert callable(kind.fit)
        assert ">>>" in (kind.__doc__ or "")


def test_rules_where_nothing_is_said() -> None:
    """Guards the defaults of every rule's parameters."""
    assert (DawidSkene().n_iter, Glad().n_iter, Mace().n_iter, Mace().seed, Mace().starts) == (
        10_000,
        100,
        10_000,
        0,
        10,
    )
    assert (DawidSkene().tolerance, Mace().tolerance) == (1e-4, 1e-4)
    assert (Unanimity().p, Unanimity().trim, Weighted().trim, Supermajority().share) == (0.2, 0.2, 0.2, 2 / 3)
    assert (Mace().take, Majority().ties, Weighted().spread) == ("mean", "low", "range")


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
