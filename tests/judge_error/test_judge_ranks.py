"""A judge whose accuracy changes with rank, with the label, or with the system: weighed, tested, told, refused."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.worlds import study, there
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.judge_error import diagnostics
from truegain.judge_error.diagnostics import (
    Homogeneity,
    RankShift,
    _favor,
    _shift,
    favors,
    homogeneity,
    rank_notes,
    rank_shifts,
)
from truegain.judge_error.favor import ONE_TOPIC, Favor
from truegain.judge_error.fits import JudgedLists, check_says_something
from truegain.stats.results import Estimate
from truegain.stats.student_t import p_of, quantile_of
from truegain.study.corrections import Corrections

Labels = dict[str, dict[str, int]]
Runs = dict[str, dict[str, dict[str, float]]]
NEAR = np.array([[0.62, 0.2, 0.12, 0.06], [0.25, 0.42, 0.21, 0.12], [0.12, 0.21, 0.42, 0.25], [0.06, 0.12, 0.2, 0.62]])


def lenient(seed: int, top: float, topics: int = 60, docs: int = 15, grades: int = 2) -> tuple[Runs, Labels, Labels]:
    """Two systems over shared documents; the judge raises the label of what ranks high with a chance up to `top`."""
    rng = np.random.default_rng(seed)
    runs: Runs = {"a": {}, "b": {}}
    bronze: Labels = {}
    gold: Labels = {}
    for t in range(topics):
        true = rng.integers(0, grades, docs)
        said = np.where(rng.random(docs) < 0.8, true, rng.integers(0, grades, docs))
        said = np.minimum(said + (rng.random(docs) < top * np.exp(-np.arange(docs) / 3)), grades - 1)
        gold[f"{t:03d}"] = {f"d{i:02d}": int(x) for i, x in enumerate(true)}
        bronze[f"{t:03d}"] = {f"d{i:02d}": int(x) for i, x in enumerate(said)}
        for s, noise in (("a", 2.0), ("b", 4.0)):
            score = -np.arange(docs) + rng.normal(0, noise, docs)
            runs[s][f"{t:03d}"] = {f"d{i:02d}": float(x) for i, x in enumerate(score)}
    return runs, bronze, gold


def lists_of(runs: Runs, bronze: Labels, gold: Any, measure: str, **options: Any) -> JudgedLists:
    """Ready to be corrected."""
    judge = gold if isinstance(gold, tg.Judge) else tg.Judge.fit(bronze, gold, design="by-gold")
    return JudgedLists.of(aligned(runs, bronze, Scoring()), judge, tg.parse_measure(measure), **options)


@pytest.mark.parametrize(("measure", "grades"), [("RBP", 2), ("DCG@10", 2), ("RBP", 4), ("DCG@10", 4), ("P@10", 4)])
def test_with_all_of_gold_the_corrected_score_is_the_gold_score(measure: str, grades: int) -> None:
    """Guards the weights of gold pairs: f C^-1 v is the gold score itself where every document of the lists is gold.

    This holds for any judge if C counts each pair as the score does, and for none that errs by rank otherwise.
    """
    runs, bronze, gold = lenient(1, 0.6, grades=grades)
    truth = tg.evaluate(runs, gold, measure)
    found = tg.correct(runs, bronze, measure, gold=tg.Gold(gold, design="by-gold"), method="delta")
    for answer in found:
        assert answer.value == pytest.approx(truth.mean(answer.system), abs=1e-9)
    both = tg.correct(runs, bronze, measure, gold=tg.Gold(gold, design="by-gold"), method="delta", accuracy="lists")
    means = [np.mean([truth.mean(a.system) for a in both]), np.mean([a.value or 0 for a in both])]
    assert means[0] == pytest.approx(means[1], abs=1e-9)
    pair = tg.compare(
        runs, bronze, measure, gold=tg.Gold(gold, design="by-gold"), resampling=tg.Resampling(n=100)
    ).pairs[0]
    assert pair.difference == pytest.approx(there(truth.mean("b")) - there(truth.mean("a")), abs=1e-9)


@pytest.mark.slow
def test_a_lenient_judge_is_covered_with_weights_and_not_without() -> None:
    """Guards coverage by simulation: RBP, a quarter of the pairs gold; accuracy 'given' counts them alike."""
    held = {"system": 0, "given": 0}
    for seed in range(40):
        runs, bronze, gold = lenient(100 + seed, 0.7, topics=60)
        rng = np.random.default_rng(seed)
        sample = {t: {d: g for d, g in row.items() if rng.random() < 0.4} for t, row in gold.items()}
        judge = tg.Judge.fit(bronze, sample, design="by-gold")
        for accuracy in held:
            one = tg.correct({"a": runs["a"]}, bronze, "RBP", gold=judge, accuracy=accuracy)[0]  # type: ignore[arg-type]
            assert not one.refused
            held[accuracy] += one.low <= 0.5 * (1 - 0.8**15) <= one.high
    assert held["system"] >= 35
    assert held["given"] <= 20


def test_accuracy_that_changes_with_rank_is_told() -> None:
    """Guards the note: shares, size, interval and p; silence where nothing rests on it; and its size by hand."""
    runs, bronze, gold = lenient(2, 0.6)
    with_weights, without = lists_of(runs, bronze, gold, "RBP"), lists_of(runs, bronze, gold, "RBP", accuracy="given")
    first = rank_shifts(with_weights)[0]
    assert first.gold == "gold-non-relevant"
    assert first.change > 0.05
    weights = 0.2 * 0.8 ** np.arange(15)
    below = above = 0.0
    for by_topic in runs.values():
        for t, row in by_topic.items():
            for r, d in enumerate(sorted(row, key=lambda d: -row[d])):
                if gold[t][d] == 0:
                    below, above = below + weights[r], above + weights[r] * bronze[t][d]
    wrong = [bronze[t][d] for t, row in gold.items() for d, g in row.items() if g == 0]
    assert (first.by_rank, first.unweighted) == pytest.approx((above / below, np.mean(wrong)))
    assert "Gold pairs are weighted by rank" in rank_notes(with_weights)[0]
    assert "accuracy='lists'" in rank_notes(without)[0]
    assert "Bonferroni over 2" in rank_notes(without)[0]
    runs, bronze, gold = lenient(3, 0.0)
    assert rank_notes(lists_of(runs, bronze, gold, "RBP")) == []
    assert "do not show that accuracy changes" in rank_notes(lists_of(runs, bronze, gold, "RBP"), always=True)[0]


def test_the_note_on_ranks_names_its_measure_and_claims_no_weighing_where_rectified() -> None:
    """Guards `correct` with several measures, and `judges` of a design whose scores are rectified by default."""
    runs, bronze, gold = lenient(2, 0.6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        notes = tg.correct(runs, bronze, ["P@5", "RBP"], gold=tg.Gold(gold, design="by-gold")).notes
        rectified, inverted = (
            " ".join(
                tg.judge_quality(
                    bronze, gold=tg.Gold(gold, design=d), runs=runs, measure="RBP", resampling=tg.Resampling(n=100)
                ).notes
            )
            for d in ("random", "by-gold")
        )
    assert {n.partition(":")[0] for n in notes if "with rank" in n} == {
        f"The judge's accuracy changes with rank ({m})" for m in ("P@5", "RBP")
    }
    assert "changes with rank (RBP)" in rectified
    assert "Gold pairs are weighted by rank" not in rectified
    assert "Gold pairs are weighted by rank." in inverted


def test_a_refusal_names_its_system_once() -> None:
    """Guards the notes below the table and the sentence: system and measure before the reason, never again in it."""
    runs, bronze, gold, _ = graded(1, 3)
    rng = np.random.default_rng(0)
    coin = {t: {d: int(rng.integers(0, 4)) for d in row} for t, row in bronze.items()}
    few = {t: {d: g for i, (d, g) in enumerate(row.items()) if i < 4} for t, row in list(gold.items())[:12]}
    with pytest.raises(tg.TruegainError, match=r"^a, DCG@10: the interval would run"):
        tg.correct(runs, coin, "DCG@10", gold=tg.Gold(few, design="by-gold"))
    base = Estimate(
        "a", "DCG@10", math.nan, math.nan, math.nan, uncorrected=3.0, method="refused", notes=("too little",)
    )
    both = Corrections((base, replace(base, system="b", value=1.0, low=0.0, high=2.0, notes=())))
    assert both.table().notes[0].endswith("it cannot be corrected (too little).")
    assert "a: too little" in both.table().notes
    assert [both.table().records()[0][c] for c in ("value", "low", "high", "se")] == [None] * 4
    several = Corrections((base, replace(base, measure="P@10", value=1.0, low=0.0, high=2.0, notes=())))
    assert "a, DCG@10: too little" in several.table().notes


@pytest.mark.slow
def test_the_test_of_rank_keeps_its_level() -> None:
    """Guards the p value: a judge alike at all ranks is told to change in about one of twenty studies."""
    found = 0
    for seed in range(60):
        shifts = rank_shifts(lists_of(*lenient(500 + seed, 0.0, topics=25), "RBP"))
        found += shifts[0].p(len(shifts)) < 0.05
    assert found <= 8


def test_gold_from_elsewhere_says_what_it_assumes() -> None:
    """Guards the note of gold without ranks: assumed, not tested; with ranks it is tested."""
    runs, bronze, gold = lenient(4, 0.5)
    other = {f"x{t}": row for t, row in bronze.items()}
    judge = tg.Judge.fit(other, {f"x{t}": row for t, row in gold.items()}, design="elsewhere")
    for text in (
        str(tg.correct(runs, bronze, "RBP", gold=judge)),
        str(tg.compare(runs, bronze, "RBP", gold=judge)),
        str(tg.correct(runs, bronze, "RBP", gold=tg.Judge.from_counts((80, 100), (80, 100)))),
    ):
        assert "Assumed, not tested" in text
    here = tg.Judge.fit(bronze, gold, design="elsewhere")
    with pytest.warns(
        tg.DataWarning, match="the gold labels are of other topics, but 60 of their topics are scored here"
    ):
        assert "accuracy changes with rank" in str(tg.correct(runs, bronze, "RBP", gold=here))


def graded(seed: int, judged: int) -> tuple[Runs, Labels, Labels, Labels]:
    """Labels 0 to 3 by a judge whose matrix has condition 6; so many gold pairs of each label."""
    rng = np.random.default_rng(seed)
    gold = {f"{t:03d}": {f"d{i:02d}": int(g) for i, g in enumerate(rng.integers(0, 4, 15))} for t in range(50)}
    bronze = {t: {d: int(rng.choice(4, p=NEAR[g])) for d, g in row.items()} for t, row in gold.items()}
    runs = {s: {t: dict(zip(row, rng.permutation(15) * 1.0, strict=True)) for t, row in gold.items()} for s in "ab"}
    sample: Labels = {}
    for label in range(4):
        rows = [(t, d) for t, row in gold.items() for d, g in row.items() if g == label]
        for i in rng.permutation(len(rows))[:judged]:
            sample.setdefault(rows[i][0], {})[rows[i][1]] = label
    return runs, bronze, gold, sample


@pytest.mark.slow
def test_graded_gold_by_label_is_answered_and_holds() -> None:
    """Guards against refusing a matrix of condition 6 by a rule of thumb: there are answers, and they hold."""
    assert 5 < np.linalg.cond(NEAR) < 7
    held = answers = 0
    for seed in range(20):
        runs, bronze, _, sample = graded(seed, 75)
        for answer in tg.correct(runs, bronze, "DCG@10", gold=tg.Gold(sample, design="by-gold")):
            if answer.low is None or answer.high is None:
                continue
            answers += 1
            held += answer.low <= 1.5 * (1 / np.log2(np.arange(2, 12))).sum() <= answer.high
    assert answers >= 36
    assert held >= 0.9 * answers


def test_graded_is_refused_where_the_interval_leaves_nothing_out() -> None:
    """Guards the refusal: the interval that would be, all that is possible, and why; for a score and a difference."""
    runs, bronze, gold, _ = graded(1, 3)
    rng = np.random.default_rng(0)
    coin = {t: {d: int(rng.integers(0, 4)) for d in row} for t, row in bronze.items()}
    few = {t: {d: g for i, (d, g) in enumerate(row.items()) if i < 4} for t, row in list(gold.items())[:12]}
    with pytest.raises(
        tg.TruegainError, match=r"leave out nothing of the 0 to 13\.6 that is possible.*condition number"
    ):
        tg.correct(runs, coin, "DCG@10", gold=tg.Gold(few, design="by-gold"))
    with pytest.raises(tg.TruegainError, match=r"b - a, DCG@10.*nothing of the -13\.6 to 13\.6"):
        tg.compare(runs, coin, "DCG@10", gold=tg.Gold(few, design="by-gold"), resampling=tg.Resampling(n=100))


def test_the_p_of_homogeneity_is_adjusted_and_says_so() -> None:
    """Guards the sentence: 0.047 of one of two tests is 0.094, by Bonferroni, and so shows nothing."""
    none = (Favor("a"), Favor("b"))
    found = Homogeneity(("a", "b"), np.ones((2, 2)), np.ones((2, 2)), 0.047, 0.6, 100, "P@10", none)
    assert not found.differs
    assert "specificity: p = 0.0940" in found.sentence
    assert "sensitivity: p = 1.0000" in found.sentence
    assert "Bonferroni over 2 tests" in found.sentence
    assert "How much it favors a system is unknown" in found.sentence
    alone = Homogeneity(("a", "b"), np.ones((2, 2)), np.ones((2, 2)), 0.047, None, 100, "P@10", none)
    assert alone.differs
    assert "sensitivity: not testable, specificity: p = 0.0470" in alone.sentence


def test_the_size_of_a_favor() -> None:
    """Guards favor and interval: a judge who calls 25% more of b's non-relevant documents relevant, 60% of them."""
    held = found = 0
    for seed in range(25):
        runs, bronze, gold = study(seed, topics=50, tilt=0.25)
        rng = np.random.default_rng(seed)
        sample = {t: {d: g for d, g in row.items() if rng.random() < 0.3} for t, row in gold.items()}
        a, b = favors(lists_of(runs, bronze, sample, "P@10"))
        assert b.value == pytest.approx(-(a.value or 0.0))
        assert b.low is not None
        assert b.high is not None
        held += b.low <= 0.25 * 0.6 <= b.high
        found += b.low > 0
    assert held >= 21
    assert found >= 17


def test_the_report_shows_the_favor_and_the_ranks() -> None:
    """Guards `judges` with runs: size and limits by system, the sentence, and what was found of ranks."""
    runs, bronze, gold = study(7, topics=60, tilt=0.25)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        table = tg.judge_quality(
            bronze, gold=tg.Gold(gold, design="by-gold"), runs=runs, resampling=tg.Resampling(n=200)
        )
    assert table.columns[-3:] == ("favor", "low", "high")
    row = table.records()[1]
    lists = lists_of(runs, bronze, gold, "P@10")
    direct = homogeneity(lists, trials=200).favors[1]
    assert (row["favor"], row["low"], row["high"]) == pytest.approx((direct.value, direct.low, direct.high))
    other = homogeneity(lists, trials=200).favors[0]
    said = " ".join(table.notes)
    assert (
        f"scores b's P@10 {direct.value:.3f} higher than" in said
        or f"scores a's P@10 {-(other.value or 0):.3f} lower than" in said
    )
    assert any("accuracy changes with" in note for note in table.notes)


def test_a_favor_needs_gold_pairs_of_each_label_from_each_system() -> None:
    """Guards the None: a system without gold pairs of a label has no size, and the sentence says so."""
    runs, bronze, gold = study(1, topics=20)
    sample = {t: {d: g for d, g in row.items() if d[0] == "a" or g == 0} for t, row in gold.items()}
    found = homogeneity(lists_of(runs, bronze, sample, "P@10"), trials=100)
    assert [f.value for f in found.favors] == [None, None]
    assert "How much it favors a system is unknown" in found.sentence


@pytest.mark.parametrize("design", ["random", "by-gold"])
def test_two_scales_are_refused_for_graded_measures(design: str) -> None:
    """Guards gold 0 and 1 beside bronze 0 to 3: +0.403 beside +1.322 of another scale; a told scale goes."""
    runs, bronze, gold, _ = graded(3, 60)
    cut = {t: {d: int(g > 1) for d, g in row.items()} for t, row in gold.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        for ask in (
            lambda: tg.correct(runs, bronze, "DCG@10", gold=tg.Gold(cut, design=design)),
            lambda: tg.compare(runs, bronze, "DCG@10", gold=tg.Gold(cut, design=design)),
            lambda: tg.correct(runs, cut, "DCG@10", gold=tg.Gold(gold, design=design)),
        ):
            with pytest.raises(tg.TruegainError, match=r"of different scales: bronze labels are 0, 1.*Map one scale"):
                ask()
        assert not tg.correct(runs, bronze, "P(rel=2)@10", gold=tg.Gold(cut, design=design, relevant_from=1))[0].refused
    assert not tg.correct(runs, bronze, "DCG@10", gold=tg.Gold(gold, design=design))[0].refused
    declared = tg.Judge.fit(bronze, cut, design="random", scale=(0, 1, 2, 3))
    assert not tg.correct(runs, bronze, "DCG@10", gold=declared)[0].refused


def test_the_verdict_and_the_interval_of_a_favor_agree() -> None:
    """Guards the adjustment: the clearest of three systems, three tests; the interval leaves 0 out where p is below."""
    some = tuple(Favor(name, value, 0.01, 1e9) for name, value in (("a", -0.01), ("b", 0.03), ("c", 0.02)))
    nothing = np.ones((3, 2))
    found = Homogeneity(("a", "b", "c"), nothing, nothing, 0.5, 0.5, 100, "P@10", some)
    assert found.clearest is some[1]
    assert found.adjusted["favor"] == pytest.approx(9 * 0.0026998, rel=1e-4)
    assert found.differs
    assert (
        "the judge scores b's P@10 0.030 higher than that of the other systems (95% interval of the difference, "
        "adjusted: +0.002 to +0.058)" in found.sentence
    )
    assert "over 3 tests and 3 systems" in found.sentence
    less = replace(found, favors=(replace(some[1], value=-0.03), some[0], some[2]))
    assert (
        "scores b's P@10 0.030 lower than that of the other systems (95% interval of the difference, adjusted: -0.058"
        in less.sentence
    )
    two = Homogeneity(("a", "b"), nothing[:2], nothing[:2], 0.5, 0.5, 100, "P@10", some[:2])
    assert two.adjusted["favor"] == pytest.approx(3 * 0.0026998, rel=1e-4)
    assert (some[1].low, some[1].high) == pytest.approx((0.03 - 0.0195996, 0.03 + 0.0195996), rel=1e-4)


def test_an_interval_that_leaves_one_end_out_is_no_refusal() -> None:
    """Guards both ends of the refusal: either end left out says something, both reached says nothing."""
    matrices = [tg.Judge.from_counts((80, 100), (80, 100)).matrix_for(np.ones(2, np.bool_), binary=True)]
    for value, half in ((0.3, 0.6), (0.7, 0.6), (0.5, 0.49)):
        check_says_something(value, half, (0.0, 1.0), matrices)
    with pytest.raises(tg.TruegainError, match=r"^the interval would run from 0 to 1 .*gold label 0 .*worth 100"):
        check_says_something(0.5, 0.5, (0.0, 1.0), matrices)


def test_a_favor_that_rests_on_one_topic_has_no_size() -> None:
    """Guards the interval: nearly all of it in one topic leaves next to no freedom, and limits without end."""
    topic = np.repeat(np.arange(5), 4)
    moves = np.where(topic == 0, 1.0, 0.001) * np.tile([1.0, -1.0, 0.5, -0.4], 5)
    assert _favor("a", 0.1, moves, topic) == Favor("a", unknown=ONE_TOPIC)
    even = _favor("a", 0.1, np.tile([1.0, -1.0, 0.5, -0.4], 5), topic)
    assert even.df == pytest.approx(4)


def test_a_shift_with_rank_written_out() -> None:
    """Guards both shares, the standard error over topics and where there is none, with weights of pairs."""
    weight, counts = np.array([1.0, 2, 1, 1, 2, 1]), np.array([0.5, 0.0, 1.0, 0.25, 0.5, 1.0])
    says, topic = np.array([1, 0, 1, 0, 0, 1], bool), np.array([0, 0, 1, 1, 3, 3])
    found = _shift(weight, counts, says, cast("Any", topic), "g", "b")
    assert found is not None
    heavy = weight * counts
    w, a = (heavy * says).sum() / heavy.sum(), (weight * says).sum() / weight.sum()
    moves = heavy * (says - w) / heavy.sum() - weight * (says - a) / weight.sum()
    by_topic = np.array([moves[topic == t].sum() for t in (0, 1, 3)])
    assert (found.by_rank, found.unweighted, found.df) == pytest.approx((w, a, 2.0))
    assert found.se == pytest.approx(math.sqrt((by_topic**2).sum() * 3 / 2))
    assert found.change == pytest.approx(w - a)
    assert found.p(1) == pytest.approx(p_of((w - a) / found.se, 2.0))
    assert found.p(50) == 1.0
    half = quantile_of(1 - 0.05 / 4, 2.0) * found.se
    assert (
        f"interval {w - a - half:+.3f} to {w - a + half:+.3f}, p = {found.p(4):.4f}; Bonferroni over 4"
        in found.sentence(4)
    )
    assert _shift(weight, np.zeros(6), says, cast("Any", topic), "g", "b") is None
    assert _shift(weight, counts, says, cast("Any", topic * 0), "g", "b") is None
    assert _shift(weight, np.ones(6), says, cast("Any", topic), "g", "b") is None


def test_what_is_said_of_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards when a shift is told: where it is clear, where it is asked for, where something rests on it."""
    judge = tg.Judge.from_counts(relevant=(8, 10), nonrelevant=(8, 10))

    def said(p: float, accuracy: str, **words: bool) -> list[str]:
        t = -float(stats.t.ppf(p / 4, 9))
        shifts = (RankShift("g", "b", 0.5 + 0.1 * t, 0.5, 0.1, 9.0), RankShift("g", "c", 0.5, 0.5, 0.1, 9.0))
        monkeypatch.setattr(diagnostics, "rank_shifts", lambda _: shifts)
        return rank_notes(cast("Any", SimpleNamespace(accuracy=accuracy, measure="P@5", judge=judge)), **words)

    assert said(0.051, "system") == []
    assert said(0.051, "given")[0].startswith(
        "These gold pairs do not show that accuracy changes with the ranks that P@5"
    )
    assert said(0.051, "system", always=True) == said(0.051, "given")
    assert "p = 0.0510; Bonferroni over 2)." in said(0.051, "given")[0]
    assert said(0.049, "system")[0].startswith("The judge's accuracy changes with rank (P@5): of g documents")
    assert said(0.049, "system")[0].endswith(" Gold pairs are weighted by rank.")
    assert "corrected with the wrong accuracy: accuracy='lists'" in said(0.049, "given")[0]
    assert said(0.049, "given", rectified=True)[0].endswith("Bonferroni over 2).")
