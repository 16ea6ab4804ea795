"""Small faults in what a judge is put behind: lists, panels, limits, reports."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.worlds import EBAY, study
from truegain.config import Scoring
from truegain.data.judgments import Judgments
from truegain.errors import InputError, MeasureError, TruegainError
from truegain.judge_error.diagnostics import homogeneity
from truegain.judge_error.judge import TopicMatrix
from truegain.judge_error.judges import accuracy_by_topic
from truegain.judge_error.panel import Judges
from truegain.judge_error.system_judges import JudgedLists, check_inside, check_says_something, score_range
from truegain.judge_error.topic_estimators import MatrixFit
from truegain.measures.evaluate import aligned
from truegain.measures.label_weights import label_weights, level_of, levels_of
from truegain.measures.parse import parse_measure
from truegain.stats.contrasts import Contrasts

P3 = parse_measure("P@3")
RUNS, BRONZE, GOLD = study(3, topics=12, docs=6)
RANKED = aligned(RUNS, BRONZE, Scoring())
JUDGE = tg.Judge.fit(BRONZE, GOLD, design="by-gold")


# ---------------------------------------------------------------------- lists


def test_what_a_pair_counts_is_the_sum_of_its_ranks() -> None:
    """Guards the weights of gold pairs by system and over all: DCG's discounts, 0 outside the cutoff."""
    lists = JudgedLists.of(RANKED, JUDGE, parse_measure("DCG@3"))
    assert JUDGE.pairs is not None
    assert (lists.accuracy, lists.same_topics, lists.binary) == ("system", True, True)
    counts = [lists.pair_counts([s]) for s in (0, 1)]
    for s, name in enumerate("ab"):
        worth = [sorted(RUNS[name][t], key=lambda d: -RUNS[name][t][d]) for t in sorted(RUNS[name])]
        total = sum(1 / math.log2(i + 2) for row in worth for i in range(min(3, len(row))))
        assert counts[s].sum() == pytest.approx(total)
        assert sorted(set(counts[s].round(9))) == pytest.approx([0, 0.5, 1 / math.log2(3), 1])
    assert lists.pair_counts() == pytest.approx(counts[0] + counts[1])
    assert lists.judges_of(0).size == 36
    wide = JudgedLists.of(RANKED, JUDGE, parse_measure("DCG@3"), accuracy="lists")
    assert wide.judges_of(0).size == wide.judges_of(1).size == 72
    assert JudgedLists.of(RANKED, JUDGE, P3, accuracy="given").judges_of(0).size == 144


def test_accuracy_that_cannot_be_had() -> None:
    """Guards the three words, what counts alone allow, and what is taken where nothing is said."""
    with pytest.raises(TruegainError, match="give one of system, lists, given"):
        JudgedLists.of(RANKED, JUDGE, P3, accuracy="all")  # type: ignore[arg-type]
    for accuracy in ("system", "lists"):
        with pytest.raises(TruegainError, match="needs gold pairs"):
            JudgedLists.of(RANKED, EBAY, P3, accuracy=accuracy)
    assert JudgedLists.of(RANKED, EBAY, P3).accuracy == "given"
    assert JudgedLists.of(RANKED, EBAY, P3, accuracy="given").judges_of(0) is not None
    elsewhere = tg.Judge.fit(BRONZE, GOLD, design="elsewhere")
    there = JudgedLists.of(RANKED, elsewhere, P3)
    assert (there.accuracy, there.same_topics) == ("given", False)
    with pytest.raises(MeasureError, match="is not linear"):
        JudgedLists.of(RANKED, JUDGE, parse_measure("AP"))


def test_gold_pairs_that_no_list_holds() -> None:
    """Guards the refusals where gold lies below the cutoff: of one system, of all; and the test over systems."""
    low = {t: {d: g for d, g in row.items() if d in ("a5", "b0", "b1", "b5")} for t, row in GOLD.items()}
    lists = JudgedLists.of(RANKED, tg.Judge.fit(BRONZE, low, design="by-gold"), P3)
    assert lists.judges_of(1).size == 24
    with pytest.raises(TruegainError, match=r"none of the 48 gold pairs is a document that a retrieved where P@3"):
        lists.judges_of(0)
    assert lists.impossible_means("a", 0.5)[0].startswith("none of the 48")
    none = tg.Judge.fit(BRONZE, {t: {d: row[d] for d in ("a5", "b5")} for t, row in GOLD.items()}, design="by-gold")
    with pytest.raises(TruegainError, match="no gold pair was retrieved by any system where P@3"):
        homogeneity(JudgedLists.of(RANKED, none, P3))
    with pytest.raises(TruegainError, match="not counts"):
        homogeneity(JudgedLists.of(RANKED, EBAY, P3))
    one = JudgedLists.of(aligned({"a": RUNS["a"]}, BRONZE, Scoring()), JUDGE, P3)
    with pytest.raises(TruegainError, match="at least two"):
        homogeneity(one)


def test_topics_that_two_systems_answer() -> None:
    """Guards the least of two topics, for one system and for two together, and who is named."""
    runs = {"x": {t: RUNS["a"][t] for t in ("0", "1", "2")}, "y": {t: RUNS["b"][t] for t in ("1", "2", "3")}}
    runs["z"] = {t: RUNS["b"][t] for t in ("2", "5")}
    with pytest.warns(UserWarning, match="lack judged topics"):
        lists = JudgedLists.of(aligned(runs, BRONZE, Scoring()), JUDGE, P3)
    assert lists.topic_names(lists.answered(0, 1)) == ("1", "2")
    assert lists.answered(2).sum() == 2
    with pytest.raises(TruegainError, match=r"^x and z: 1 judged topics"):
        lists.answered(0, 2)


def test_out_of_reach_is_for_binary_measures() -> None:
    """Guards that a mean of graded gains is not held against mR."""
    graded = {t: {d: 2 * g for d, g in row.items()} for t, row in GOLD.items()}
    bronze = {t: {d: 2 * g for d, g in row.items()} for t, row in BRONZE.items()}
    lists = JudgedLists.of(aligned(RUNS, bronze, Scoring()), tg.Judge.fit(bronze, graded, design="by-gold"),
                           parse_measure("CG@3"))  # fmt: skip
    assert (lists.binary, lists.impossible_means("a", 5.0)) == (False, ())
    assert len(JudgedLists.of(RANKED, JUDGE, P3).impossible_means("a", 1.0)) == 1


# ---------------------------------------------------------------------- labels


def test_labels_as_classes() -> None:
    """Guards weights by class: their sum times value is the measure, up to twelve classes; levels of measures."""
    labels = {t: {d: i % 13 for i, d in enumerate(row)} for t, row in GOLD.items()}
    ranked = aligned(RUNS, labels, Scoring())
    measure = parse_measure("DCG@5")
    twelve = tuple(float(x) for x in range(12))
    found = label_weights(ranked, measure, twelve)
    assert (found.weight @ found.value) == pytest.approx(measure.score(ranked))
    assert found.judged.tolist() == [60, 60]
    with pytest.raises(MeasureError, match="13 different labels"):
        label_weights(ranked, measure, (*twelve, 12.0))
    binary = label_weights(ranked, parse_measure("P(rel=2)@5"), (*twelve, 12.0), level=2.0)
    assert binary.classes == (0.0, 1.0)
    assert (binary.weight @ binary.value) == pytest.approx(parse_measure("P(rel=2)@5").score(ranked))
    assert [level_of(parse_measure(m)) for m in ("P@3", "P(rel=3)@3", "DCG@3", "RBP(rel=2)")] == [1.0, 3.0, None, 2.0]
    assert (levels_of("DCG@3", None), levels_of("P(rel=2)@3", 3.0)) == ((1.0, 1.0), (2.0, 3.0))


@pytest.mark.parametrize("measure", ["P@5", "RBP(p=0.5)", "AP@5", "P(judged_only=True)@5"])
def test_the_share_without_a_label(measure: str, recwarn: pytest.WarningsRecorder) -> None:
    """Guards the share told: by rank weights, or by places down to the cutoff; nothing where judged ones count."""
    holes = {t: {d: g for d, g in row.items() if d not in ("a0", "b3")} for t, row in BRONZE.items()}
    one = parse_measure(measure)
    tg.correct(RUNS, holes, one, gold=tg.Gold(GOLD, design="topics"), missing="drop")
    said = [str(w.message) for w in recwarn if "has no bronze label and counts" in str(w.message)]
    if "judged_only" in measure:
        assert not said
        return
    weight = np.array([0.5**i for i in range(6)]) if "RBP" in measure else np.array([1, 1, 1, 1, 1, 0])
    share = (weight[0] + weight[3]) / (2 * weight.sum())
    assert said[0].startswith(f"{one}: {share:.1%} of what it looks at")


# ---------------------------------------------------------------------- panels


def test_panels_that_do_not_fit() -> None:
    """Guards judges unknown, none, of several designs; topics of nobody; and one or several topics in words."""
    a, b = tg.Judge.fit(BRONZE, GOLD, design="by-gold"), tg.Judge.fit(BRONZE, GOLD, design="elsewhere")
    for judges, of in (({}, {}), ({"x": a}, {"1": "y"})):
        with pytest.raises(TruegainError, match="no accuracy is known"):
            Judges(judges, of)
    with pytest.raises(TruegainError, match="sampled in the same way"):
        Judges({"x": a, "y": b}, {})
    panel = Judges({"x": a, "y": a, "z": a}, {"0": "x", "1": "y", "2": "x"})
    assert str(panel).startswith("3 judges: x (2 topics) mR")
    assert "y (1 topic) mR" in str(panel)
    assert (panel.size, panel.labels, panel.design) == (3 * 144, (0.0, 1.0), "by-gold")
    matrices = panel.matrices(["0", "1", "2"], binary=True)
    assert [s.labelled.tolist() for s in matrices] == [[True, False, True], [False, True, False]]
    with pytest.raises(TruegainError, match=r"labelled 1 topics \(5\)"):
        panel.matrices(["0", "5"], binary=True)
    poor = Judges({"x": a, "y": tg.Judge.from_counts((6, 10), (5, 10))}, {"0": "x", "1": "y"})
    with pytest.raises(TruegainError, match=r"^judge y: the bronze judge is not clearly better"):
        poor.matrices(["0", "1"], binary=True)
    assert panel.at_levels(1.0, 2.0).judges["x"].levels == (1.0, 2.0)


def assessed(who: dict[str, str]) -> Any:
    """Bronze labels with an assessor for each topic."""
    import polars as pl

    rows = [(t, d, g, who[t]) for t, row in BRONZE.items() for d, g in row.items()]
    return pl.DataFrame(rows, schema=["topic", "doc", "label", "assessor"], orient="row")


def test_a_panel_is_its_judges_one_by_one() -> None:
    """Guards who is measured on which pairs, gold labels below 0, and the refusals of what names too many or nobody."""
    who = {t: "x" if int(t) < 5 else "y" for t in BRONZE}
    gold = {t: dict(row) for t, row in GOLD.items()}
    gold["0"]["a0"] = gold["7"]["a0"] = -1
    with pytest.warns(UserWarning, match=r"^2 gold pairs with a gold label below 0"):
        panel = Judges.fit(assessed(who), gold, "by-gold")
    for name in "xy":
        mine = {t: {d: g for d, g in gold[t].items() if g >= 0} for t in gold if who[t] == name}
        alone = tg.Judge.fit({t: BRONZE[t] for t in mine}, mine, design="by-gold")
        assert panel.judges[name].counts == alone.counts
    assert panel.of_topic == who
    with pytest.raises(InputError, match="no gold pair is from a topic that y labelled"):
        Judges.fit(assessed(who), {t: GOLD[t] for t in "012"}, "by-gold")
    with pytest.raises(InputError, match="name no assessor"):
        Judges.fit(BRONZE, GOLD, "by-gold")
    twice = assessed(who).with_columns(assessor=assessed(who)["doc"].str.slice(0, 1))
    with pytest.raises(InputError, match="12 topics were labelled by several"):
        Judges.fit(twice, GOLD, "by-gold")


# ---------------------------------------------------------------------- linear corrections


def test_the_variance_of_a_corrected_mean_is_no_less_than_a_quarter() -> None:
    """Guards the floor where topics and gold move against each other, and the sum where gold is of other topics."""
    f, value, score = np.random.default_rng(1).random((3, 2)), np.array([0.0, 1.0]), Contrasts.scores(1)
    matrices = Judges.of(JUDGE).matrices(["0", "1", "2"], binary=True)
    for same in (True, False):
        fit = MatrixFit(("0", "1", "2"), f[None], [matrices], value, same)
        assert len(fit.gold_topics) == 12
        moves = fit.by_topic().matrix[:, 0]
        of_topics, of_gold = float(moves @ moves), fit.over_gold(score).variance[0]
        by_topic = dict(zip((t for _, t in fit.gold_topics), fit.gold_sums(score)[0].sum(axis=1)[:, 0], strict=True))
        both = sum(m * by_topic[t] for m, t in zip(moves.tolist(), "012", strict=True)) * math.sqrt(12 / 11)
        plain = of_topics + of_gold + (2 * both if same else 0.0)
        assert fit.over_topics(score).variance[0] == pytest.approx(max(plain, 0.25 * max(of_topics, of_gold)))
        pairs = float(fit.gold_by_pair(score).sum())
        assert fit.over_topics(score, clusters=False).variance[0] == pytest.approx(of_topics + pairs)
    with pytest.raises(TruegainError, match="there is 1 topic"):
        MatrixFit(("0",), f[None, :1], [[TopicMatrix(JUDGE.binary, np.ones(1, np.bool_))]], value)
    two = MatrixFit(("0", "1"), f[None, :2], [Judges.of(JUDGE).matrices(["0", "1"], binary=True)], value)
    assert two.over_topics(score).variance[0] > 0


@pytest.mark.parametrize(("size", "share"), [(1.0, 0.1), (1.5, 0.1), (1.0, 1.0)])
def test_topics_that_move_against_their_gold_leave_a_quarter(
    size: float, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards the floor itself: scored topics whose moves are those of their gold pairs turned around."""
    names, score = JUDGE.binary.topics, Contrasts.scores(1)
    matrices, value = Judges.of(JUDGE).matrices(names, binary=True), np.array([0.0, 1.0])
    gold = MatrixFit(names, np.full((1, 12, 2), 0.5), [matrices], value).gold_sums(score)[0].sum(axis=1)[:, 0]
    f = 0.5 - size * 12 * JUDGE.D * gold
    fit = MatrixFit(names, np.stack([1 - f, f], axis=1)[None], [matrices], value)
    variance, df = fit.gold_by_label(score)  # as large as it is, or hardly any
    monkeypatch.setattr(MatrixFit, "gold_by_label", staticmethod(lambda _: (share * variance, df)))
    of_topics, of_gold = float((fit.by_topic().matrix[:, 0] ** 2).sum()), fit.over_gold(score).variance[0]
    both = (fit.by_topic().matrix[:, 0] * fit.gold_sums(score)[0].sum(axis=1)[:, 0]).sum() * math.sqrt(12 / 11)
    whole, least = of_topics + of_gold + 2 * both, max(of_topics, of_gold) / 4
    assert (whole < least) == (share < 1)  # both cases are seen
    assert fit.over_topics(score).variance[0] == pytest.approx(max(whole, least))


# ---------------------------------------------------------------------- limits


def test_limits_of_a_corrected_score() -> None:
    """Guards lowest and highest: the judged weight times the least worth (never above 0) and the greatest."""
    lists = JudgedLists.of(RANKED, JUDGE, parse_measure("DCG@3"))
    total = 1 + 1 / math.log2(3) + 0.5
    assert score_range(lists, 0, lists.answered(0)) == pytest.approx((0.0, total))
    three = {t: {d: g + 2 for d, g in row.items()} for t, row in BRONZE.items()}
    gold = {t: {d: g + 2 for d, g in row.items()} for t, row in GOLD.items()}
    high = JudgedLists.of(aligned(RUNS, three, Scoring()), tg.Judge.fit(three, gold, design="by-gold", relevant=3),
                          parse_measure("DCG@3"))  # fmt: skip
    assert score_range(high, 0, high.answered(0)) == pytest.approx((0.0, 3 * total))


def test_an_interval_that_says_nothing() -> None:
    """Guards both ends: refused where both limits lie within, ends and all; the worst matrix and its rarest label."""
    matrices = Judges.of(JUDGE).matrices(["0"], binary=True)
    for value, half in ((0.5, 0.49), (0.3, 0.6), (0.7, 0.6)):
        check_says_something(value, half, (0.0, 1.0), matrices)
    rare = "1" if JUDGE.binary.effective[1] < JUDGE.binary.effective[0] else "0"
    with pytest.raises(TruegainError, match=f"gold label {rare} has the fewest pairs"):
        check_says_something(0.5, 0.5, (0.0, 1.0), matrices)
    poor = tg.Judge.from_counts((6, 10), (7, 10)).binary
    with pytest.raises(TruegainError, match=rf"condition number {poor.condition:.3g}"):
        check_says_something(0.5, 0.6, (0.0, 1.0), [*matrices, TopicMatrix(poor, np.ones(1, np.bool_)), *matrices])
    assert "0.5 to 2" in check_inside(0.4, 0.2, (0.5, 2.0))[3][0]


# ---------------------------------------------------------------------- wishes and reports


def test_when_gold_labels_rectify() -> None:
    """Guards the table of designs and methods, and what lacks gold labels."""
    for design, yes in (("random", True), ("by-bronze", True), ("topics", True), ("by-gold", False)):
        judge = tg.Judge.fit(BRONZE, GOLD, design=design)  # type: ignore[arg-type]
        known = Judges.of(judge)
        assert [known.rectifier(m) is judge for m in ("default", "rectify", "delta")] == [
            yes,
            True,
            False,
        ]
    counts = tg.Judge.from_counts((43, 59), (67, 84), design="random")
    assert Judges.of(counts).rectifier("default") is None
    with pytest.raises(TruegainError, match="needs the gold labels"):
        Judges.of(counts).rectifier("rectify")
    table = Judgments.of(BRONZE)
    assert Judges.of(JUDGE, table, 1).single is JUDGE
    assert Judges.of(JUDGE, table, 1, "by-gold").single is JUDGE
    with pytest.raises(TruegainError, match="fitted with design 'by-gold', not 'random'"):
        Judges.of(JUDGE, table, 1, "random")


def test_a_report_of_a_judge_given() -> None:
    """Guards that a fitted judge is shown as it is: by label, by topic, by system, with its means out of reach."""
    assert tg.judge_quality(BRONZE, gold=JUDGE, measure="P@3").rows == JUDGE.table().rows
    assert tg.judge_quality(BRONZE, gold=JUDGE, measure="P@3", show="topics").rows == accuracy_by_topic(JUDGE).rows
    by_system = tg.judge_quality(BRONZE, gold=JUDGE, runs=RUNS, measure="P@3", resampling=tg.Resampling(n=100))
    assert [r[0] for r in by_system.rows] == ["a", "b"]
    ones = {t: {d: int(d[1] < "3" or g) for d, g in row.items()} for t, row in BRONZE.items()}
    odd = {t: {d: int(GOLD[t][d] and d[1] > "0") for d in row if d[1] < "3"} for t, row in ones.items()}
    said = tg.judge_quality(
        ones, gold=tg.Gold(odd, design="by-gold"), runs={"a": RUNS["a"]}, measure="P@3", show="labels"
    ).notes
    assert sum("a: " in note[:3] for note in said) <= 1
