"""Judges and repeats of answers as sources: closed forms of balanced designs, unequal numbers, refusals, words."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from benchmarks.coverage.answers import PANEL, REPEATS, Panel, checked_results, panel_results, print_row

import truegain as tg
from tests.cli.conftest import Run, commands, folder, run  # noqa: F401 (fixtures)
from truegain.data.items import Items
from truegain.io.logs.log import Row, ScoreRange
from truegain.stats.contrasts import Contrasts, Influence
from truegain.stats.student_t import quantiles_of
from truegain.study.answer_raters import AnswerRaters

Array = npt.NDArray[np.float64]
BOTH = Contrasts.of([(None, 0), (None, 1), (0, 1)])  # two scores, one difference


def made(values: Array, scales: ScoreRange | None = None) -> Items:
    """Items from values, systems x topics x judges x repeats; NaN: no such row."""
    rows = [
        Row(f"q{t:03d}", "s", float(values[s, t, j, r]), name, judge=f"j{j}", replicate=r + 1)
        for s, name in enumerate("ab")
        for t in range(values.shape[1])
        for j in range(values.shape[2])
        for r in range(values.shape[3])
        if not np.isnan(values[s, t, j, r])
    ]
    return Items.of_rows(rows, scales={"s": scales} if scales else {})


def drawn(topics: int, judges: int, repeats: int, seed: int, lenient: float = 2.0) -> Array:
    """Values with effects of topics, judges, judges on topics, repeats and single values, other ones in each system."""
    rng = np.random.default_rng([71, seed])
    shape = (2, topics, judges, repeats)
    value = rng.normal(size=shape) + rng.normal(size=(2, topics, 1, 1)) + rng.normal(size=(2, topics, 1, repeats))
    value += lenient * rng.normal(size=(2, 1, judges, 1)) + rng.normal(size=(2, topics, judges, 1))
    return np.asarray(value, np.float64)


def of_contrasts(values: Array) -> Array:
    """The same of both scores and of their difference."""
    return np.stack([values[0], values[1], values[1] - values[0]])


def variance(items: Items, population: Sequence[str]) -> Array:
    """The variance of both scores and of the difference."""
    study = tg.Study(items, measures="s", population=list(population))
    return study.variance_model().variance(BOTH).value


def test_repeats_of_a_judge_are_one_judge() -> None:
    """Guards how many items one judge alone valued, however often."""
    values = np.zeros((2, 12, 10, 4))
    values[0, :2, 1:] = np.nan  # two answers of system a have one judge, with four repeats each
    items = made(values + drawn(12, 10, 4, seed=3))
    with pytest.warns(tg.DataWarning, match="2 of 24 answers have no value of some of the 10 judges"):
        raters = tg.Study(items, measures="s", population=["topics", "assessors"]).raters
    assert isinstance(raters, AnswerRaters)
    assert raters.rated_once == 2


# ---- Closed forms of balanced designs.


def test_topics_and_judges_are_the_two_way_analysis_of_variance() -> None:
    """Guards topics crossed with judges: (MS topics + MS judges - MS residual)/(T J), as in a random-effects ANOVA."""
    values = drawn(15, 4, 1, seed=1)
    expected = []
    for y in of_contrasts(values)[..., 0]:
        topics, judges = y.shape
        by_topic, by_judge, mean = y.mean(axis=1), y.mean(axis=0), y.mean()
        ms_topic = judges * ((by_topic - mean) ** 2).sum() / (topics - 1)
        ms_judge = topics * ((by_judge - mean) ** 2).sum() / (judges - 1)
        residual = y - by_topic[:, None] - by_judge + mean
        ms_residual = (residual**2).sum() / ((topics - 1) * (judges - 1))
        expected.append((ms_topic + ms_judge - ms_residual) / y.size)
    assert variance(made(values), ["topics", "assessors"]) == pytest.approx(expected, rel=1e-9)


def test_judges_of_fixed_topics_are_the_variance_of_their_means() -> None:
    """Guards other judges of the same topics: the variance of the judges' means over J."""
    values = drawn(10, 5, 2, seed=2)
    expected = of_contrasts(values).mean(axis=(1, 3)).var(axis=1, ddof=1) / 5
    assert variance(made(values), ["assessors"]) == pytest.approx(expected.tolist(), rel=1e-9)


@pytest.mark.parametrize("judges", [1, 3])
def test_repeats_of_fixed_topics_are_the_variance_within_answers(judges: int) -> None:
    """Guards fresh repeats of the same topics: the sum over topics of s^2/k, over T^2; of several judges their mean."""
    values = drawn(9, judges, 4, seed=3)
    expected = (of_contrasts(values).mean(axis=2).var(axis=2, ddof=1) / 4).sum(axis=1) / 81
    assert variance(made(values), ["replicates"]) == pytest.approx(expected.tolist(), rel=1e-9)


def test_judges_and_repeats_of_fixed_topics_count_single_values_once() -> None:
    """Guards V(repeats) + V(judges) - V(single values), the last by the residual of each topic's judges and repeats."""
    judges, repeats, topics = 4, 3, 8
    values = of_contrasts(drawn(topics, judges, repeats, seed=4))
    of_judges = values.mean(axis=(1, 3)).var(axis=1, ddof=1) / judges
    of_repeats = (values.mean(axis=2).var(axis=2, ddof=1) / repeats).sum(axis=1) / topics**2
    residual = values - values.mean(axis=2, keepdims=True) - values.mean(axis=3, keepdims=True)
    residual += values.mean(axis=(2, 3), keepdims=True)
    single = (residual**2).sum(axis=(2, 3)) / ((judges - 1) * (repeats - 1)) / (judges * repeats)
    expected = of_judges + of_repeats - single.sum(axis=1) / topics**2
    found = variance(made(drawn(topics, judges, repeats, seed=4)), ["assessors", "replicates"])
    assert found == pytest.approx(expected.tolist(), rel=1e-9)


@pytest.mark.slow
def test_judges_and_repeats_of_fixed_topics_are_the_true_variance() -> None:
    """Guards what judges who saw the same repeats do not hold: the mean estimate is the variance of the scores."""
    rng, topics, judges, repeats = np.random.default_rng(72), 6, 4, 3
    fixed = rng.normal(size=(2, topics, 1, 1))
    value, estimate = [], []
    for _ in range(120):
        y = fixed + 0.5 * rng.normal(size=(2, 1, judges, 1)) + rng.normal(size=(2, topics, 1, repeats))
        y = y + rng.normal(size=(2, topics, judges, repeats))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            study = tg.Study(made(y), measures="s", population=["assessors", "replicates"])
        model = study.variance_model()
        value.append(model.estimator.value)
        estimate.append(model._all_sources(BOTH).value[:2])
    true = np.var(value, axis=0, ddof=1).mean()
    assert np.mean(estimate) / true == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("seed", range(3))
def test_repeats_are_counted_once_beside_topics(seed: int) -> None:
    """Guards topics with repeats: topics hold these, so the interval is that of topics, and shares add up to 1."""
    items = made(drawn(12, 1, 3, seed))
    alone = variance(items, ["topics"])
    assert variance(items, ["topics", "replicates"]) == pytest.approx(alone.tolist(), rel=1e-12)
    model = tg.Study(items, measures="s", population=["topics", "replicates"]).variance_model()
    parts = model.own_parts(BOTH)
    assert sum(parts.values()) == pytest.approx(alone.tolist(), rel=1e-12)
    fixed = variance(items, ["replicates"])
    assert parts["replicates"] == pytest.approx(np.minimum(fixed, alone).tolist(), rel=1e-12)


def test_a_score_that_is_better_where_it_is_less_has_the_same_variance() -> None:
    """Guards labels of the other sign: limits of the difference are mirrored."""
    values = drawn(10, 3, 2, seed=5)
    more = tg.Study(made(values), measures="s", population="topics,assessors,replicates").verdict("a", "b")
    scale = ScoreRange(lower_is_better=True)
    less = tg.Study(made(values, scale), measures="s", population="topics,assessors,replicates").verdict("a", "b")
    limits = [np.array([v.comparison.low, v.comparison.high], np.float64) for v in (more, less)]
    assert limits[1] == pytest.approx((-limits[0][::-1]).tolist(), rel=1e-12)


# ---- Unequal numbers.


def test_answers_of_unequal_repeats_have_their_own_variances() -> None:
    """Guards lost repeats: each answer's s^2/k by its own k; one of a single repeat has the mean s^2 of its system."""
    values = drawn(12, 1, 4, seed=6)
    values[0, 0, 0, 3] = values[0, 1, 0, :2] = np.nan
    values[1, 2, 0, 1:] = np.nan
    expected = []
    for y in values[:, :, 0]:
        kept = [row[~np.isnan(row)] for row in y]
        spread = [float(np.var(row, ddof=1)) for row in kept if len(row) > 1]
        each = [float(np.var(row, ddof=1)) / len(row) if len(row) > 1 else np.mean(spread) for row in kept]
        expected.append(sum(each) / 144)
    with pytest.warns(tg.DataWarning, match="answers have 1 to 4 repeats: .* borrow the variance of the others"):
        found = variance(made(values), ["replicates"])
    assert found[:2] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("kept", "shared"), [((5, 3, 2), 0.0), ((5, 4, 4), 1.0)])
def test_judges_of_unequal_repeats_have_the_true_variance(kept: tuple[int, ...], shared: float) -> None:
    """Guards judges of k_j repeats: sum of s^2/k_j over J^2, and what judges share in a repeat, of 400 topics."""
    rng, topics = np.random.default_rng(75), 400
    values = rng.normal(size=(2, topics, 3, 5)) + shared * rng.normal(size=(2, topics, 1, 5))
    weight = np.zeros((3, 5))
    for j, k in enumerate(kept):
        values[:, :, j, k:], weight[j, :k] = np.nan, 1 / (3 * k)
    true = ((weight**2).sum() + shared**2 * (weight.sum(axis=0) ** 2).sum()) / topics
    with pytest.warns(tg.DataWarning, match=f"answers have {min(kept)} to 5 repeats"):
        found = variance(made(values), ["replicates"])
    assert found[:2] == pytest.approx([true, true], rel=0.12)


def test_a_judge_with_one_value_borrows_the_variance_of_others() -> None:
    """Guards values that stand alone in an answer that others repeated: the mean s^2 of the system, by hand."""
    values = drawn(10, 3, 4, seed=16)
    values[0, 0, 1, 1:] = values[0, 0, 2, 1:] = values[1, 4, 0, :3] = np.nan
    expected = []
    for y in values:
        n = (~np.isnan(y)).sum(axis=2)
        spread = np.array([[np.nanvar(c, ddof=1) if (~np.isnan(c)).sum() > 1 else np.nan for c in row] for row in y])
        lent = np.nanmean(spread)
        total = 0.0
        for t in range(10):
            about = (np.nanmean(y[t], axis=1, keepdims=True) - y[t]) / np.sqrt(n[t] * np.maximum(n[t] - 1, 1))[:, None]
            total += (np.nansum(about, axis=0) ** 2).sum() / 9 + (n[t] == 1).sum() * lent / 9
        expected.append(total / 100)
    with pytest.warns(tg.DataWarning, match="answers have 1 to 4 repeats: .* borrow the variance of the others"):
        found = variance(made(values), ["replicates"])
    assert found[:2] == pytest.approx(expected, rel=1e-9)


def test_answers_of_one_repeat_borrow_beside_judges_of_one_value() -> None:
    """Guards a table with gaps of both kinds: an answer that ran once has the mean of count x variance of the others.

    Of these each judge of k values has s^2/k, and one of a single value the mean s^2 of the system.
    """
    topics, judges = 13, 3
    values = drawn(topics, judges, 3, seed=23)
    values[0, 2, 1, 1:] = values[0, 2, 2, 1:] = values[1, 4, 0, 1:] = np.nan  # a judge's only value
    values[0, 7, :, 1:] = np.nan  # one repeat of the answer
    values[0, 3, 0, 2] = values[1, 9, 1, 0] = np.nan  # two of three
    values[0, 0, :, 2] = values[1, 1, :, 2] = values[1, 4, :, 2] = np.nan
    expected = []
    for y in values:
        n = (~np.isnan(y)).sum(axis=2)
        lent = np.mean([np.nanvar(y[t, j], ddof=1) for t, j in np.argwhere(n > 1)])
        held, count = np.zeros(topics), (~np.isnan(y)).any(axis=1).sum(axis=1)
        for t in np.flatnonzero(count > 1):
            for r in range(3):
                there = [j for j in range(judges) if n[t, j] > 1 and not np.isnan(y[t, j, r])]
                held[t] += (
                    sum((np.nanmean(y[t, j]) - y[t, j, r]) / (n[t, j] * (n[t, j] - 1)) ** 0.5 for j in there) ** 2
                )
            held[t] += (n[t] == 1).sum() * lent
        held[count == 1] = (count * held)[count > 1].mean()
        expected.append(held.sum() / judges**2 / topics**2)
    with pytest.warns(tg.DataWarning, match="answers have 1 to 3 repeats: .* borrow the variance of the others"):
        found = variance(made(values), ["replicates"])
    assert found[:2] == pytest.approx(expected, rel=1e-9)


def test_a_system_of_single_values_borrows_from_the_other() -> None:
    """Guards a system that ran once beside one that was repeated: the mean s^2 of all, not 0."""
    rows = [(f"q{t:03d}", name, s, t) for s, name in enumerate("abcdefghijk") for t in range(12)]
    rng = np.random.default_rng(76)
    value = rng.normal(size=(11, 12, 3))
    table = [
        Row(q, "s", float(value[s, t, r]), name, judge="j", replicate=r + 1)
        for q, name, s, t in rows for r in range(1 if name == "k" else 3)
    ]  # fmt: skip
    with pytest.warns(tg.DataWarning, match="answers have 1 to 3 repeats"):
        study = tg.Study(Items.of_rows(table), measures="s", population=["replicates"])
    found = study.variance_model().variance(Contrasts.of([(None, 10)])).value
    assert found == pytest.approx([value[:10].var(axis=2, ddof=1).mean() / 12], rel=1e-9)


def test_judges_and_repeats_count_single_values_by_the_repeats_of_each_answer() -> None:
    """Guards answers with fewer repeats than others, the same for every judge: the closed form, topic by topic."""
    values = drawn(8, 4, 4, seed=18)
    values[:, :3, :, 2:] = np.nan
    judge_means = np.nanmean(values, axis=3)
    expected = judge_means.mean(axis=1).var(axis=1, ddof=1) / 4
    for t in range(8):
        y = values[:, t, :, : 2 if t < 3 else 4]
        k = y.shape[2]
        residual = (
            y - y.mean(axis=1, keepdims=True) - y.mean(axis=2, keepdims=True) + y.mean(axis=(1, 2), keepdims=True)
        )
        single = (residual**2).sum(axis=(1, 2)) / (3 * (k - 1) * 4 * k)
        expected += (y.mean(axis=1).var(axis=1, ddof=1) / k - single) / 64
    with pytest.warns(tg.DataWarning, match="answers have 2 to 4 repeats"):
        found = variance(made(values), ["assessors", "replicates"])
    assert found[:2] == pytest.approx(expected.tolist(), rel=1e-9)


def test_each_judge_counts_alike_however_often_repeated() -> None:
    """Guards the label of an answer, the mean of its judges' means, with and without the single values beside it."""
    values = drawn(10, 3, 3, seed=7)
    values[0, 0, 0, 1:] = values[1, 3, 2, 2] = np.nan
    items = made(values)
    with pytest.warns(tg.DataWarning, match="answers have 1 to 3 repeats: each answer is the mean of those it has"):
        rated = tg.Study(items, measures="s", population=["topics", "assessors", "replicates"])
    plain = tg.Study(items, measures="s")
    by_hand = np.nanmean(np.nanmean(values, axis=3), axis=2).mean(axis=1)
    found = rated.variance_model().estimator.value
    assert found == pytest.approx(by_hand.tolist(), rel=1e-12)
    assert found == pytest.approx(plain.variance_model().estimator.value.tolist(), rel=1e-12)
    refitted = rated._study_data._refitted(rated.measures[0], rated.raters, rated.raters.gains())  # type: ignore
    assert refitted.value == pytest.approx(by_hand.tolist(), rel=1e-12)


def test_a_judge_who_lacks_some_answers_is_told() -> None:
    """Guards a panel with gaps: a warning counts the answers, and the study goes on."""
    values = drawn(20, 3, 1, seed=8)
    values[0, :2, 1] = np.nan
    with pytest.warns(tg.DataWarning, match="2 of 40 answers have no value of some of the 3 judges"):
        study = tg.Study(made(values), measures="s", population=["topics", "assessors"])
    assert study.verdict("a", "b").comparison.low is not None


def test_items_of_answers_keep_their_weights() -> None:
    """Guards claims of an answer that count unequally, also where a judge or a repeat is left out."""
    rng = np.random.default_rng(73)
    y, weight = rng.normal(size=(2, 8, 3, 2, 4)), np.array([1.0, 2.0, 5.0])  # systems, topics, items, judges, repeats
    rows = [
        Row(f"q{t}", "s", float(y[s, t, i, j, r]), name, f"c{i}", float(weight[i]), f"j{j}", r + 1)
        for s, name in enumerate("ab") for t in range(8) for i in range(3) for j in range(2) for r in range(4)
    ]  # fmt: skip
    answers = np.average(y, axis=2, weights=weight)
    expected = (of_contrasts(answers.mean(axis=2)).var(axis=2, ddof=1) / 4).sum(axis=1) / 64
    assert variance(Items.of_rows(rows), ["replicates"]) == pytest.approx(expected.tolist(), rel=1e-9)


def test_some_topics_and_systems_of_a_table_are_counted_by_hand() -> None:
    """Guards repeats of the answers that are asked about: values of other topics and systems count nowhere."""
    values = drawn(4, 3, 4, seed=21)
    values[0, 1, :, 2:] = values[0, 3, 1, 0] = values[1, 2, 0, 1:] = np.nan
    values[0, 2, :, 3] = np.nan
    with pytest.warns(tg.DataWarning):
        study = tg.Study(made(values), measures="s", population="topics,replicates")
    raters = study.raters
    assert isinstance(raters, AnswerRaters)
    for systems in (("a", "b"), ("b",), ("b", "a")):
        for topics in (("q000", "q001", "q002", "q003"), ("q003", "q001")):
            some = values[["ab".index(x) for x in systems]][:, [int(t[1:]) for t in topics]]
            there = ~np.isnan(some)  # system, topic, judge, repeat
            assert (raters._present(topics, systems) == np.einsum("stjr->rtsj", there).any(axis=3)).all()
            of_judges = there.sum(axis=(2, 3)) / there.any(axis=3).sum(axis=2)
            assert raters._mean_repeats(topics, systems) == pytest.approx(of_judges.T)


def test_degrees_of_freedom_of_repeats_and_of_single_values() -> None:
    """Guards t of few repeats: a judge's mean repeats less one, over topics; and times judges less one."""
    values = drawn(6, 3, 4, seed=22)
    values[0, :2, :, 2:] = values[1, 5, :, 3] = values[0, 3, :, 1:] = values[1, 3, :, 2:] = np.nan
    with pytest.warns(tg.DataWarning, match="answers have 1 to 4 repeats"):
        study = tg.Study(made(values), measures="s", population="assessors,replicates")
    made_of = study.variance_model().crossed()["assessors"]
    moves, cells = study.variance_model().made_for("replicates"), made_of.values
    k = np.array([[2, 4], [2, 4], [4, 4], [1, 2], [4, 4], [4, 3]])
    assert isinstance(moves, Influence)
    assert cells is not None
    assert moves.df == pytest.approx((k.mean(axis=1) - 1).sum())
    assert cells.df == pytest.approx(2 * (k.mean(axis=1) - 1).sum())
    assert len(moves.units) == len(moves.matrix) == 4 * 6 + 1
    assert moves.units[-1] == "the one repeat of a on q003"
    assert len(cells.units) == len(cells.matrix) == 3 * 4 * 6


# ---- What is refused.


@pytest.mark.parametrize(
    ("judges", "repeats", "population", "told"),
    [
        (1, 1, "replicates", "every answer has one value.*epochs of inspect_ai.*leave 'replicates' out"),
        (3, 1, "topics,replicates", "every answer has one value"),
        (1, 3, "assessors", "1 judge is too few to generalize to other judges; have at least 3"),
        (2, 3, "topics,assessors", "2 judges are too few"),
    ],
)
def test_one_of_a_kind_is_refused(judges: int, repeats: int, population: str, told: str) -> None:
    """Guards single values: nothing is known of others like them, and the message says what would help."""
    with pytest.raises(tg.TruegainError, match=told):
        tg.Study(made(drawn(10, judges, repeats, seed=9)), measures="s", population=population)


def test_many_answers_without_a_second_repeat_are_refused() -> None:
    """Guards a log most of which ran once."""
    values = drawn(10, 1, 2, seed=10)
    values[0, :3, 0, 1] = np.nan
    with pytest.raises(tg.TruegainError, match="3 of 20 answers have one value, more than 10%"):
        tg.Study(made(values), measures="s", population="replicates")


def test_judges_who_were_asked_once_are_refused() -> None:
    """Guards two judges of one value beside one of five: their noise would count as 0."""
    values = drawn(10, 3, 5, seed=19)
    values[:, :, 1:, 1:] = np.nan
    told = "in 40 of 60 cases a judge gave an answer one value, more than 10%.*two or more repeats of every judge, or"
    with pytest.raises(tg.TruegainError, match=told):
        tg.Study(made(values), measures="s", population="replicates")


def test_judges_and_repeats_of_fixed_topics_need_full_tables() -> None:
    """Guards gaps in the table of judges and repeats, which would count as no noise; with topics they do no harm."""
    values = drawn(10, 3, 3, seed=20)
    values[0, 1, 2, 0] = values[1, 5, 0, 1] = np.nan
    told = "2 of 20 answers lack values of some judge in some repeat.*each of the 3 judges in each of its repeats, or"
    with pytest.raises(tg.TruegainError, match=told):
        tg.Study(made(values), measures="s", population="assessors,replicates")
    with pytest.warns(tg.DataWarning, match="answers have 2 to 3 repeats"):
        study = tg.Study(made(values), measures="s", population="topics,assessors,replicates")
    assert study.verdict("a", "b").comparison.low is not None


def test_each_judge_with_answers_of_his_own_is_refused() -> None:
    """Guards a panel that shared the work: nothing shows how judges differ on one answer."""
    values = drawn(12, 3, 1, seed=11)
    for t in range(12):
        values[:, t, [j for j in range(3) if j != t % 3]] = np.nan
    with pytest.raises(tg.TruegainError, match="every topic has one judge: judges are nested in topics"):
        tg.Study(made(values), measures="s", population="topics,assessors")


def test_a_rule_of_ratings_is_refused() -> None:
    """Guards options of ratings of documents, which would not be heeded."""
    with pytest.raises(tg.TruegainError, match="aggregate applies to ratings of documents; an answer is the mean"):
        tg.Study(made(drawn(10, 3, 1, seed=12)), measures="s", ratings="mean")


# ---- Words and commands.


def test_verdict_page_and_plan_say_the_population(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards all places that say what is covered: sentence, sizes, steps, report, plan, gate, ranking."""
    values = drawn(12, 3, 4, seed=13, lenient=1.0)
    files = []
    for s, name in enumerate(("old", "new")):
        files.append(str(folder / f"{name}.csv"))
        rows = [f"q{t},j{j},{r + 1},{values[s, t, j, r]:.6f}" for t in range(12) for j in range(3) for r in range(4)]
        Path(files[-1]).write_text("\n".join(["question_id,judge,replicate,faith", *rows, ""]))
    asked = [*files, "--score", "faith", "--population", "topics,assessors,replicates"]
    claim = "for topics like these 12, by judges like these 3, in repeats like these 4"
    told = run("verdict", *asked)[1]
    assert claim in told
    assert "Not covered: errors that all judges share." in told
    assert "Most influential judges: " in told
    assert re.search(r"more repeats of each answer \(\d+ in total\)", told)
    assert "assessors" not in re.sub("^assessors .*$", "", told, flags=re.MULTILINE)
    verdict = json.loads(run("verdict", *asked, "--format", "json")[1])["verdicts"][0]
    assert verdict["holds_for"] == claim
    assert claim in run("gate", *asked)[1]
    page = str(folder / "page.html")
    run("report", *asked, "-o", page)
    text = re.sub("<[^>]*>", "", Path(page).read_text())
    assert claim in text
    assert "288 values by 3 judges, combined into one value per answer" in text
    gold = folder / "people.csv"
    labels = [f"q{t},{name},{values[s, t].mean():.3f}" for s, name in enumerate(("old", "new")) for t in range(12)]
    gold.write_text("\n".join(["question_id,system,faith", *labels, ""]))
    planned = run("plan", "labels", *asked, "--gold", str(gold), "--design", "random")[1]
    assert "for topics like these, by judges like these 3, in repeats like these 4" in planned
    code, _, refused = run("plan", "labels", *asked)
    assert code == 2
    assert "a list is drawn for one value per answer" in refused
    ranking = tg.Study(tg.read_items(files), measures="faith", population="topics,assessors").best()
    assert any("by judges like these 3" in note for note in ranking.notes)


def test_judges_that_are_models_are_unchecked() -> None:
    """Guards a panel of models: however many, no person has checked them."""
    items = made(drawn(10, 3, 1, seed=14))
    items = Items(**{**vars(items), "models": frozenset(items.judges)})
    verdict = tg.Study(items, measures="s", population="topics,assessors").verdict("a", "b")
    assert verdict.sentence.startswith("By the labels of j0, j1 and j2, which no person has checked")


def test_degrees_of_freedom_are_no_fewer_than_those_of_the_judges() -> None:
    """Guards t of few judges: Satterthwaite's df of topics and judges, by hand."""
    values = drawn(15, 3, 1, seed=15)
    model = tg.Study(made(values), measures="s", population=["topics", "assessors"]).variance_model()
    found, y = model.variance(BOTH), of_contrasts(values)[..., 0]
    topics, judges = y.mean(axis=2).var(axis=1, ddof=1) / 15, y.mean(axis=1).var(axis=1, ddof=1) / 3
    df = np.maximum(found.value**2 / (topics**2 / 14 + judges**2 / 2), 2)
    half = quantiles_of(0.95, found.df) * np.sqrt(found.value)
    assert half == pytest.approx((quantiles_of(0.95, df) * np.sqrt(found.value)).tolist(), rel=1e-9)


def test_nuggets_that_several_judged_have_judges() -> None:
    """Guards nuggets: strict support of each judge, and the same words."""
    rng = np.random.default_rng(74)
    support = rng.choice([0.0, 0.5, 1.0], size=(2, 10, 4, 3), p=[0.3, 0.2, 0.5])
    rows = [
        Row(f"q{t}", "support", float(support[s, t, i, j]), name, f"n{i}", 1.0, f"j{j}")
        for s, name in enumerate("ab") for t in range(10) for i in range(4) for j in range(3)
    ]  # fmt: skip
    items = Items(**{**vars(Items.of_rows(rows)), "are_nuggets": True})
    study = tg.Study(items, measures="A_strict", population=["assessors"])
    expected = of_contrasts((support >= 1).mean(axis=2)).mean(axis=1).var(axis=1, ddof=1) / 3
    assert study.variance_model().variance(BOTH).value == pytest.approx(expected.tolist(), rel=1e-9)
    assert (
        study.population
        == "For these 10 topics only, by judges like these 3. Not covered: errors that all judges share."
    )


@pytest.mark.parametrize(("world", "population"), [(PANEL, "topics,assessors"), (REPEATS, "topics,replicates")])
@pytest.mark.slow
def test_intervals_hold_the_truth(world: Panel, population: str) -> None:
    """Guards coverage in a small world of a skewed score: 40 studies of 25 topics, .95 - 3.5 standard errors."""
    results = [held for held in panel_results(world, population, topics=25, studies=40, seed=5) if held is not None]
    assert len(results) == 40
    assert np.mean([inside for inside, _ in results], axis=0).min() > 0.95 - 3.5 * np.sqrt(0.95 * 0.05 / 40)


def test_tables_of_coverage_have_a_naive_row_and_print_what_was_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Guards the evidence: beside the corrected panel the same values as they are, and rows of refused studies."""
    found = checked_results(PANEL, "topics", 25, 1, 7)
    assert [*found] == ["judge alone", "corrected"]
    assert found["judge alone"][0] is not None
    print_row("a world | 25 | corrected", [None, None])
    assert capsys.readouterr().out == "a world | 25 | corrected | - | - | - | - | 2\n"
