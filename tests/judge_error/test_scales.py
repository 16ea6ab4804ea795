"""Labels off the scale, labels that only one judge uses, and two different scales."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.worlds import study
from truegain.data.judgments import Judgments
from truegain.data.pool import Pool
from truegain.judge_error.gold_pairs import OffScaleLabels, different_scales, on_scale, pair_up, scale_of, tell_scales

Labels = dict[str, dict[str, float]]


def graded(stray: dict[str, float] | None = None) -> tuple[dict[str, dict[str, dict[str, float]]], Labels, Labels]:
    """Runs, bronze labels 0 to 3 of which some are replaced, and gold labels of a third of the pairs."""
    rng = np.random.default_rng(0)
    gold = {str(t): {f"d{i}": float(rng.integers(0, 4)) for i in range(30)} for t in range(20)}
    near = np.full((4, 4), 0.1) + 0.6 * np.eye(4)
    bronze = {t: {d: float(rng.choice(4, p=near[int(g)])) for d, g in row.items()} for t, row in gold.items()}
    bronze["0"] |= stray or {}
    runs = {s: {t: {f"d{i}": -float((i * k) % 30) for i in range(30)} for t in gold} for s, k in (("a", 1), ("b", 7))}
    some = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 3 == 0} for t, row in gold.items()}
    return runs, bronze, some


def test_how_a_scale_is_written() -> None:
    """Guards a scale: a range, a list, and what is neither."""
    assert scale_of("0:3") == scale_of("3,1,2,0") == scale_of([0, 1, 2, 3]) == (0.0, 1.0, 2.0, 3.0)
    assert scale_of(None) is None
    for wrong in ("3", "0:x", "3:0", "0:1:2", "0:0.5", "-1:2", "", "0:99999", "nan,1"):
        with pytest.raises(tg.TruegainError, match="labels"):
            scale_of(wrong)


def test_labels_off_the_scale_are_refused_or_dropped() -> None:
    """Guards both answers: refused with a list and a place, or not judged and counted; negative ones are neither."""
    table = tg.Judgments.of({"1": {"a": 0, "b": 10, "c": 5, "d": 5, "e": -1}})
    with pytest.raises(tg.InputError, match=r"3 of 5 labels are not on the scale 0, 1: 5 \(2 times\), 10 \(1 time\)"):
        on_scale(table, (0, 1))
    with pytest.warns(tg.DataWarning, match="3 of 5 labels .* count as not judged"):
        kept = on_scale(table, (0, 1), "drop")
    assert kept.label.tolist() == [0, -1, -1, -1, -1]
    with pytest.raises(tg.TruegainError, match="out_of_range is 'some'"):
        on_scale(table, (0, 1), "some")  # type: ignore[arg-type]


def test_stray_labels_are_told_once() -> None:
    """Guards the default: label, count and pairs; nothing where the labels are declared, or gold uses them."""
    _, bronze, gold = graded({"d1": 10.0, "d2": 10.0, "d4": 7.0})
    with pytest.warns(tg.DataWarning) as caught:
        pairs = pair_up(bronze, gold)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "3 of 600 bronze labels never occur in the gold labels: 7 (1 time), 10 (2 times)" in message
    assert "7: topic 0 document d4; 10: topic 0 document d1; 10: topic 0 document d2" in message
    assert pairs.off_scale is not None
    declared = pair_up(bronze, gold, scale=(0, 1, 2, 3, 7, 10))
    assert declared.off_scale is None
    assert pair_up(graded()[1], gold).off_scale is None


@pytest.mark.parametrize("design", ["random", "by-gold"])
@pytest.mark.parametrize("measure", ["DCG@10", "CG@10"])
def test_stray_labels_are_no_gains(design: str, measure: str) -> None:
    """Guards graded measures, rectified or by the matrix: refused with the list; binary ones are only told."""
    runs, bronze, gold = graded({"d1": 10.0})
    with pytest.warns(tg.DataWarning, match="never occur in the gold labels"):
        judge = tg.Judge.fit(bronze, gold, design=design)
    for ask in (
        lambda: tg.correct(runs, bronze, measure, gold=judge),
        lambda: tg.compare(runs, bronze, measure, gold=judge),
    ):
        with pytest.raises(tg.TruegainError, match=r"in the gold labels: 10 \(1 time\).*scale='0:3'"):
            ask()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)  # gold alone would be surer here
        assert not tg.correct(runs, bronze, "P@10", gold=judge, method="delta")[0].refused


def test_dropped_labels_leave_the_rest_as_it_is() -> None:
    """Guards --out-of-range drop to the end: a DCG is corrected, as it is where the labels were never there."""
    runs, bronze, gold = graded({"d1": 10.0})
    with pytest.warns(tg.DataWarning):
        kept = on_scale(tg.Judgments.of(bronze), (0, 1, 2, 3), "drop")
    without = {t: {d: x for d, x in row.items() if (t, d) != ("0", "d1")} for t, row in bronze.items()}
    answers = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)  # of the document that has no label now
        for labels in (kept, without):
            judge = tg.Judge.fit(labels, gold, design="by-gold", scale=(0, 1, 2, 3))
            answers.append(tg.correct(runs, labels, "DCG@10", gold=judge, method="delta")[0])
    assert (answers[0].value, answers[0].se) == pytest.approx((answers[1].value, answers[1].se))


def test_a_bronze_label_that_gold_never_uses_has_no_row() -> None:
    """Guards the message of the matrix: whose label it is, and what helps."""
    _, bronze, gold = graded()
    low = {t: {d: min(g, 2.0) for d, g in row.items()} for t, row in gold.items()}
    judge = tg.Judge.fit(bronze, low, design="by-gold")
    with pytest.raises(tg.InputError, match=r"3 \(\d+ of the gold pairs\): a bronze label that gold never uses"):
        judge.confusion.square()


@pytest.mark.parametrize(
    ("change", "gold_relevant_from", "labels", "told"),
    [
        (lambda g: g / 3, None, None, "bronze labels are 0, 1, 2, 3, gold labels 0, 0.333333, 0.666667, 1"),
        (lambda g: float(g > 1), None, None, "gold labels 0, 1; .*Gold\\(relevant_from="),
        (lambda g: g * 10, None, None, "gold labels 0, 10, 20, 30"),
        (lambda g: float(g > 1), 1.0, None, None),
        (lambda g: float(g > 1), None, "0:3", None),
        (lambda g: g, None, None, None),
    ],
)
def test_two_scales_are_told(
    change: object, gold_relevant_from: float | None, labels: str | None, told: str | None
) -> None:
    """Guards gold on another scale than bronze: both ranges are named, unless the user said where relevance begins."""
    _, bronze, gold = graded()
    other = {t: {d: change(g) for d, g in row.items()} for t, row in gold.items()}  # type: ignore[operator]
    levels = {"levels_given": gold_relevant_from is not None, "gold_relevant_from": gold_relevant_from}
    options = {"design": "random", "scale": labels, **levels}
    if told is None:
        tg.Judge.fit(bronze, other, **options)  # type: ignore[arg-type]
        return
    with pytest.warns(tg.DataWarning, match=told):
        tg.Judge.fit(bronze, other, **options)  # type: ignore[arg-type]


def test_strays_of_real_judges(shared_data: Path) -> None:
    """Guards the LLM judges of LLMJudge whose labels 10 and 5 are slips beside 0 to 3, and one that has none."""
    table = pl.read_csv(shared_data / "llmjudge" / "test_labels_wide.csv.gz").with_columns(
        pl.col("topic", "doc").cast(pl.String)
    )
    gold = table.select("topic", "doc", label="nist").gather_every(4)
    for judge, label, count in (("h2oloo-zeroshot2", 10, 1), ("RMITIR-llama70B", 5, 2)):
        bronze = table.select("topic", "doc", label=judge).drop_nulls()
        with pytest.warns(tg.DataWarning, match=rf"in the gold labels: {label} \({count} time"):
            pairs = pair_up(bronze, gold, unmatched="drop")
        assert pairs.off_scale is not None
        assert (pairs.off_scale.labels, pairs.off_scale.counts) == ((label,), (count,))


def test_inverted_labels_are_told() -> None:
    """Guards a judge that says the opposite: told as such, and a poor one is not."""
    _, bronze, gold = study(0)
    turned = {t: {d: 1 - b for d, b in row.items()} for t, row in bronze.items()}
    with pytest.warns(tg.DataWarning, match="clearly below 0: the bronze labels look inverted"):
        tg.Judge.fit(turned, gold, "random")
    rng = np.random.default_rng(0)
    coin = {t: {d: int(rng.random() < 0.5) for d in row} for t, row in bronze.items()}
    tg.Judge.fit(coin, gold, "random")


def test_strays_where_gold_has_fractions() -> None:
    """Guards what a stray is: beyond the highest gold label, or fractional where gold's are whole, never where not."""
    pool = Pool.of(tg.Judgments.of({"1": {"a": 0.25, "b": 1.0, "c": 2.5, "d": -1.0, "e": 2.0}}))
    assert OffScaleLabels.of(pool, np.array([0.0, 0.5, 2.0])).labels == (2.5,)
    assert OffScaleLabels.of(pool, np.array([0.0, 1.0, 3.0])).labels == (0.25, 2.5)
    assert OffScaleLabels.of(pool, np.array([0.0, 0.25, 2.5])).labels == ()
    found = OffScaleLabels.of(pool, np.array([0.0, 1.0, 2.0]))
    assert (found.labels, found.counts, found.total, found.share) == ((0.25, 2.5), (1, 1), 4, 0.5)


def test_labels_off_a_scale_are_counted() -> None:
    """Guards labels off a scale: 0 is on it, below 0 is not judged, the first is where it is said to be."""
    table = Judgments.of({"1": {"a": 0, "b": 5, "c": -1, "d": 7, "e": 5}})
    with pytest.raises(tg.InputError, match=r"3 of 5 labels are not on the scale 0, 1: 5 \(2 times\), 7 \(1 time\)"):
        on_scale(table, (0, 1))
    with pytest.warns(tg.DataWarning, match="3 of 5 labels are not on the scale 0, 1 and count as not judged"):
        assert on_scale(table, (0, 1), "drop").label.tolist() == [0.0, -1.0, -1.0, -1.0, -1.0]
    with pytest.raises(tg.InputError, match="1 of 1 labels"):
        on_scale(Judgments.of({"1": {"a": 0}}), (1, 2))
    assert on_scale(table, None, "drop") is table
    assert on_scale(table, (0, 5, 7)) is table
    with pytest.raises(tg.TruegainError, match="out_of_range is 'keep'"):
        on_scale(table, None, "keep")  # type: ignore[arg-type]
    assert scale_of([2, 0, 1.5]) == (0.0, 1.5, 2.0)
    assert scale_of("600:602") == (600.0, 601.0, 602.0)
    for wrong in ("0:1.5", "0:1:2", "3:1", "5:5", "a,b", "1"):
        with pytest.raises(tg.TruegainError, match="labels"):
            scale_of(wrong)


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
    assert (different_scales(np.array(bronze, float), np.array(gold, float)) is not None) == differ


def test_how_labels_are_listed() -> None:
    """Guards six labels one by one, and seven as a range."""
    six, seven = np.arange(6.0), np.arange(7.0)
    assert different_scales(six, six / 2) == "bronze labels are 0, 1, 2, 3, 4, 5, gold labels 0, 0.5, 1, 1.5, 2, 2.5"
    assert (
        different_scales(seven, seven / 2) == "bronze labels are 0 to 6 (7 different), gold labels 0 to 3 (7 different)"
    )


def test_strays_are_beyond_gold_and_the_rarest_are_shown() -> None:
    """Guards labels, counts, share and examples by hand: gold's highest is none, three examples, the rarest first."""
    found = OffScaleLabels.of(pool_of([3, 3, 4, 4, 4, 5, 0, -1, 1.5, 6, 6]), np.array([0.0, 3.0]))
    assert (found.labels, found.counts, found.total) == ((1.5, 4.0, 5.0, 6.0), (1, 3, 1, 2), 10)
    assert found.share == pytest.approx(0.7)
    assert [e.split(":")[0] for e in found.examples] == ["5", "1.5", "6"]
    assert OffScaleLabels((), (), (), 0).share == 0


@pytest.mark.parametrize(("lowest", "step"), [(0, 1), (2, -1)])
def test_rated_gold_that_reaches_beyond_the_judge(lowest: int, step: int) -> None:
    """Guards means of ratings, which may lie between the judge's labels, yet not beyond them at either end."""
    topics, docs = [f"t{t}" for t in range(30)], [f"d{i}" for i in range(6)]
    bronze = {t: {d: lowest + (n + i) % 3 for i, d in enumerate(docs)} for n, t in enumerate(topics)}
    runs = {
        s: {t: {d: float((n * 7 + i * k) % 11) for i, d in enumerate(docs)} for n, t in enumerate(topics)}
        for s, k in (("a", 3), ("b", 5))
    }
    ratings = {
        "xyz"[who]: {t: {d: bronze[t][d] + step * ((n * i + who) % 3 > 0) for i, d in enumerate(docs)}
                     for n, t in enumerate(topics)}
        for who in range(3)
    }  # fmt: skip
    with pytest.warns(tg.DataWarning, match="the two judges seem to use different scales"):
        tg.Study(runs, bronze, "DCG@5", gold=tg.Gold(ratings, "random", aggregate="mean"))
