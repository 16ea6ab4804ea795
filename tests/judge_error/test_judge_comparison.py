"""Comparisons without the judge's errors: coverage where the judge is poor, refusals, what stands beside the answer."""

from __future__ import annotations

import warnings
from typing import Any, cast

import numpy as np
import pytest

import truegain as tg
from tests.worlds import study
from truegain.experiments.judge_errors import BronzeMean, compare_means, correct_mean
from truegain.judge_error import judge
from truegain.study import compare

Labels = dict[str, dict[str, int]]


def world(seed: int, m_r: float, m_n: float, icc: float, gold_topics: int) -> tuple[dict[str, Labels], Labels, Labels]:
    """Two systems with P@10 of 0.3 and 0.7 on 50 topics; 50 gold pairs of each label from the first topics."""
    rng = np.random.default_rng(seed)
    gold: Labels = {}
    bronze: Labels = {}
    size = 1 / icc - 1 if icc else 0.0
    for t in range(50):
        r, n = (rng.beta(m * size, (1 - m) * size) if icc else m for m in (m_r, m_n))
        true = rng.random(20) < np.repeat([0.3, 0.7], 10)
        said = np.where(true, rng.random(20) < r, rng.random(20) >= n)
        gold[str(t)] = {f"d{i}": int(x) for i, x in enumerate(true)}
        bronze[str(t)] = {f"d{i}": int(x) for i, x in enumerate(said)}
    runs = {
        name: {t: {f"d{i}": 100 - i for i in docs} for t in gold}
        for name, docs in (("a", range(10)), ("b", range(10, 20)))
    }
    sample: Labels = {}
    for label in (0, 1):
        rows = [(t, d) for t in list(gold)[:gold_topics] for d, g in gold[t].items() if g == label]
        for i in rng.permutation(len(rows))[:50]:
            t, d = rows[i]
            sample.setdefault(t, {})[d] = label
    return runs, bronze, sample


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m_r", "m_n", "icc", "gold_topics"), [(0.65, 0.6, 0.0, 50), (0.8, 0.7, 0.3, 5)], ids=["poor", "few"]
)
def test_coverage_where_the_judge_is_poor_or_its_topics_are_few(
    m_r: float, m_n: float, icc: float, gold_topics: int
) -> None:
    """Guards the interval of d = (jb - ja)/D (0.89 by the plain sandwich): moderated, and guarded near the bar."""
    held = answers = 0
    for seed in range(250):
        runs, bronze, sample = world(seed, m_r, m_n, icc, gold_topics)
        try:
            found = tg.compare(
                runs,
                bronze,
                "P@10",
                gold=tg.Gold(sample, design="by-gold"),
                test=tg.PublishedTest(accuracy="given"),
                resampling=tg.Resampling(n=100),
            )
        except tg.TruegainError:
            continue
        pair = found.pairs[0]
        answers += 1
        assert pair.low is not None
        assert pair.high is not None
        held += pair.low <= 0.4 <= pair.high
    assert answers > 150
    assert held / answers > 0.93


def test_separate_gold_samples_are_those_of_two_judges() -> None:
    """Guards eq. 10 where it belongs: two judges, each value corrected with its own; nothing is shared there."""
    one = tg.Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
    two = tg.Judge.from_counts(relevant=(90, 100), nonrelevant=(95, 100))
    a, b = BronzeMean(0.6260, n=10278, sd=0.414), BronzeMean(0.6385, n=20604, sd=0.402)
    found = compare_means((one, two), a, b, gold="separate")
    assert found.difference == pytest.approx(correct_mean(two, b).value - correct_mean(one, a).value)
    assert found.p == pytest.approx(0.232, abs=0.001)
    with pytest.raises(tg.TruegainError, match="different judges"):
        compare_means((one, two), a, b)


def test_what_one_system_is_refused_a_pair_is_refused_too() -> None:
    """Guards against a comparison of numbers that cannot be: outside the scale, or accuracy known from one topic."""
    runs, bronze, _ = study(2)
    swapped = {t: dict.fromkeys(row, 1) for t, row in bronze.items()}
    sample = {str(t): {f"a{i}": i % 2 for i in range(12)} for t in range(12)}
    said = {t: {**swapped[t], **{f"a{i}": int(i % 2 == 1 and i < 6) for i in range(12)}} for t in swapped}
    same = pytest.warns(tg.DataWarning, match="the gold labels are of other topics")
    with same, pytest.raises(tg.TruegainError, match="lies clearly outside 0 to 1"):
        tg.compare(runs, said, "P@10", gold=tg.Gold(sample, design="elsewhere"))
    runs, bronze, gold = study(0)
    lone = {t: {d: g for d, g in row.items() if g == 0 or t == "3"} for t, row in gold.items()}
    same = pytest.warns(tg.DataWarning, match="the gold labels are of other topics")
    with same, pytest.raises(tg.TruegainError, match="gold-relevant pairs come from 1 topic"):
        tg.compare(runs, bronze, "P@10", gold=tg.Gold(lone, design="elsewhere"))


@pytest.mark.parametrize("accuracy", ["system", "lists", "given"])
def test_accuracy_that_gold_labels_would_not_heed_is_refused(accuracy: Any) -> None:
    """Guards accuracy= beside a sample that corrects by itself: refused with what to type; a matrix heeds it."""
    runs, bronze, gold = study(4, topics=40)
    some, test = tg.Gold(gold, design="random"), tg.PublishedTest(accuracy=accuracy)
    says = f"^accuracy='{accuracy}' chooses .* with design='random' .* leave accuracy out, or give method='delta'"
    with pytest.raises(tg.TruegainError, match=says):
        tg.correct(runs, bronze, ["P@10", "P@5"], gold=some, accuracy=accuracy)
    with pytest.raises(tg.TruegainError, match=says):
        tg.compare(runs, bronze, "P@10", gold=some, test=test)
    with pytest.warns(tg.DataWarning, match="gold labels alone would be more precise"):
        assert len(tg.correct(runs, bronze, "P@10", gold=some, accuracy=accuracy, method="delta")) == 2
    assert tg.compare(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), test=test).pairs


def test_naive_stands_beside_corrected_and_the_judge_is_described() -> None:
    """Guards what a reader needs to see what the correction did: bronze difference and p, judge, favoritism."""
    runs, bronze, gold = study(7, topics=60, tilt=0.25)
    sample = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 3 == 0} for t, row in gold.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        found = tg.compare(runs, bronze, "P@10", gold=tg.Gold(sample, design="random"))
    scores = tg.evaluate(runs, bronze, "P@10").matrix("P@10")
    pair, plain = found.pairs[0], tg.compare(runs, bronze, "P@10", test="paired-t", adjust="none").pairs[0]
    assert pair.uncorrected == pytest.approx((scores[1] - scores[0]).mean())
    assert pair.uncorrected_p == pytest.approx(plain.p)
    text = str(found)
    assert "bronze judge on" in text
    assert "NOT equally accurate" in text
    assert f"uncorrected {pair.uncorrected:+.3f}" in text


def test_values_that_are_not_known_are_refused() -> None:
    """Guards against a typing error that computes something else."""
    runs, bronze, gold = study(0)
    for name, value in (("gold_sample", "foo"), ("clusters", "foo"), ("adjust", "foo"), ("method", "foo")):
        words = {name: value} if name == "adjust" else {"test": tg.PublishedTest(**{name: cast("Any", value)})}
        with pytest.raises(tg.TruegainError, match=f"{name} 'foo' is not known"):
            tg.compare(runs, bronze, "P@10", gold=tg.Gold(gold, design="random"), **cast("Any", words))
    with pytest.raises(tg.TruegainError, match="interval of one score"):
        tg.compare(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), test=tg.PublishedTest(method="fieller"))
    for name in ("clusters", "unmatched"):
        with pytest.raises(tg.TruegainError, match=f"{name} 'foo' is not known"):
            tg.correct(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), **{name: "foo"})  # type: ignore[arg-type]


@pytest.mark.parametrize(("method", "design"), [("delta", "by-gold"), ("rectify", "random")])
def test_refused_pairs_stay_in_the_family(method: str, design: str) -> None:
    """Guards adjustment: three pairs asked for are three, also where one (a system and its copy) is refused."""
    runs, bronze, sample = world(3, 0.9, 0.9, 0.0, 50)
    found = tg.compare(
        {**runs, "copy": runs["b"]},
        bronze,
        "P@10",
        gold=tg.Gold(sample, design=cast("Any", design)),
        adjust="bonferroni",
        test=tg.PublishedTest(method=cast("Any", method), accuracy="given" if method == "delta" else None),
        resampling=tg.Resampling(n=100),
    )
    assert [(c.a, c.b) for c in found.pairs] == [("a", "b"), ("a", "copy")]
    for c in found.pairs:
        assert c.p is not None
        assert c.p_adjusted == pytest.approx(min(1.0, 3 * c.p))
        assert c.adjustment == "bonferroni"


def test_several_measures_are_aligned_and_paired_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards `compare_corrected`: one alignment and one fit for all measures, each answered as it is by itself."""
    runs, bronze, gold = study(4, topics=20)
    calls: list[str] = []

    def count(module: Any, name: str) -> None:
        made = getattr(module, name)

        def counted(*given: Any, **more: Any) -> Any:
            calls.append(name)
            return made(*given, **more)

        monkeypatch.setattr(module, name, counted)

    count(compare, "in_line")
    count(judge, "pair_up")
    measures = [tg.parse_measure(m) for m in ("P@10", "DCG@10", "P@5")]
    few = tg.Resampling(n=100)
    found = compare.compare_corrected(
        runs, bronze, tg.Gold(gold, design="random"), measures, tg.PublishedTest(), resampling=few
    )
    assert calls == ["pair_up", "in_line"]
    for one, measure in zip(found, measures, strict=True):
        alone = tg.compare(runs, bronze, measure, gold=tg.Gold(gold, design="random"), resampling=tg.Resampling(n=100))
        assert (alone.items, alone.notes) == (one.items, one.notes)
