"""Studies of nuggets: gold by single assignments, whole answers or whole topics; several measures; importance again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks import rectified
from benchmarks.coverage import nuggets as world

import truegain as tg
from truegain.data.items import Items
from truegain.io.columns import Floats, frozen
from truegain.io.logs.log import Row, ScoreRange
from truegain.study.gold import gold_estimator
from truegain.study.item_inputs import answer_scores

SYSTEMS = ("s0", "s1", "s2", "s3")


def drawn(seed: int, topics: int = 30) -> world.Drawn:
    """A study of the world of the coverage tables."""
    return world.drawn(np.random.default_rng(seed), world.USUAL, topics)


def items(one: world.Drawn, support: Floats, keep: np.ndarray | None = None) -> Items:
    """Its rows as `Items`."""
    answer = one.system * one.topics + one.topic
    place = np.arange(len(answer)) - np.searchsorted(answer, answer)
    rows = [
        Row(f"q{t:03}", "support", float(x), SYSTEMS[s], f"n{p:02}", float(w))
        for t, s, p, w, x in zip(one.topic, one.system, place, one.weight, support, strict=True)
    ]
    kept = rows if keep is None else [row for row, x in zip(rows, keep, strict=True) if x]
    return Items.of_rows(kept, scales={"support": ScoreRange(0.0, 1.0)}, source="nuggets", are_nuggets=True)


def study(one: world.Drawn, gold: np.ndarray, measures: str | list[str], design: str, **options: str) -> tg.Study:
    """A study by its arrays."""
    people = tg.Gold(items(one, one.people, gold), design=design)
    return tg.Study(items(one, one.judge), measures=measures, gold=people, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", ["V_strict", "W"])
@pytest.mark.parametrize("by", ["assignments", "answers", "topics"])
def test_a_study_says_what_the_tables_were_made_with(measure: str, by: str) -> None:
    """Guards the coverage tables of docs/howto/nuggets.md: arrays there, files here, the same intervals."""
    rng = np.random.default_rng([7, len(by)])
    one = world.drawn(rng, world.USUAL, 50)
    gold = world.chosen(rng, one, 0.15, by)
    design = {"assignments": "random"}.get(by, by)
    estimator = world.estimator_of(one, gold, measure, by)
    made = study(one, gold, measure, design)
    for a, b in ((0, 1), (0, 2)):
        found, right = made.compare(SYSTEMS[a], SYSTEMS[b])[0], rectified.told(estimator, b, a)
        assert (found.low, found.high) == pytest.approx(right.interval, abs=1e-9)
    scores = made.estimates()
    for s, name in enumerate(SYSTEMS):
        mine = next(e for e in scores if e.system == name)
        assert (mine.low, mine.high) == pytest.approx(rectified.told(estimator, s).interval, abs=1e-9)


def test_several_measures_share_the_labels() -> None:
    """Guards one study of several measures: each says what it says alone."""
    one = drawn(2)
    gold = world.chosen(np.random.default_rng(2), one, 0.2, "assignments")
    both = study(one, gold, ["V_strict", "A", "W"], "random")
    assert [str(m) for m in both.measures] == ["V_strict", "A", "W"]
    for m in ("V_strict", "A", "W"):
        alone = study(one, gold, m, "random").compare("s0", "s2")[0]
        found = both.compare("s0", "s2", m)[0]
        assert (found.low, found.high) == (alone.low, alone.high)
    assert str(tg.Study(items(one, one.judge)).measures[0]) == "V_strict"


def test_people_may_use_fewer_words_than_the_judge() -> None:
    """Guards partial support that only the judge gives: no other scale, and the labels of people count as they are."""
    one = drawn(3)
    people = replace(one, people=(one.people > 0).astype(np.float64))
    gold = world.chosen(np.random.default_rng(3), one, 0.2, "assignments")
    assert set(one.judge) == {0.0, 0.5, 1.0}
    assert study(people, gold, "V", "random").compare("s0", "s2")[0].low is not None


# ---------------------------------------------------------------------- whole answers


def test_gold_of_whole_answers_moves_as_one() -> None:
    """Guards the variance over gold: the moves of an answer's nuggets are summed before they are squared."""
    one = drawn(4)
    gold = world.chosen(np.random.default_rng(4), one, 0.2, "answers")
    made = study(one, gold, "V_strict", "answers")
    (m,) = made.measures
    assert made.judge is not None
    estimator = gold_estimator(made.ranked, m, made.judge, None)[0]
    single = gold_estimator(made.ranked, m, replace(made.judge, design="random"), None)[0]
    by_nugget, by_answer = single.by_gold(), estimator.by_gold()
    assert by_nugget is not None
    assert by_answer is not None
    sums: dict[str, Floats] = {}
    for name, row in zip(by_nugget.units, by_nugget.matrix, strict=True):
        answer = name.partition(":")[0]
        sums[answer] = sums.get(answer, 0.0) + row
    assert np.array([sums[name] for name in by_answer.units]) == pytest.approx(by_answer.matrix, abs=1e-15)
    assert len(by_answer.units) == len(np.unique((one.system * one.topics + one.topic)[gold]))
    assert estimator.label_facts.counts == single.label_facts.counts == (int(gold.sum()), len(gold))
    assert estimator.value.tolist() == single.value.tolist()


def test_a_design_that_contradicts_the_labels_is_told() -> None:
    """Guards --design: whole answers said to be drawn one by one, and the other way round; runs have no answers."""
    one, rng = drawn(5), np.random.default_rng(5)
    with pytest.warns(UserWarning, match=r"all those of 24 of 120 answers: whole answers seem to have been sampled"):
        study(one, world.chosen(rng, one, 0.2, "answers"), "V_strict", "random")
    with pytest.warns(UserWarning, match="says that whole answers were labeled, but .* are labeled only in part"):
        study(one, world.chosen(rng, one, 0.2, "assignments"), "V_strict", "answers")
    runs = {s: {str(t): {"a": 2.0, "b": 1.0} for t in range(12)} for s in "xy"}
    labels = {str(t): {"a": t % 2, "b": 1} for t in range(12)}
    gold = tg.Gold({str(t): {"a": 1} for t in range(12)}, design="answers")
    with pytest.raises(tg.TruegainError, match="is for values of the items of answers, such as nuggets"):
        tg.Study(runs, labels, "P@2", gold=gold).verdict("x", "y")


# ---------------------------------------------------------------------- importance judged again


def test_importance_that_people_judged_again_needs_whole_topics(tmp_path: Path) -> None:
    """Guards both parts of a share: scattered labels are refused, and whole topics count with people's importance."""
    one = drawn(6, 40)
    rng = np.random.default_rng(6)
    gold = np.isin(one.topic, rng.choice(40, 12, replace=False))
    judge, people = items(one, one.judge), items(one, one.people, gold)
    flipped = np.where((people.topic.code + people.item.code) % 5 == 0, 1.5 - people.weight, people.weight)
    again = replace(people, weight=frozen(flipped))
    with pytest.raises(tg.TruegainError, match=r"people judged the importance of nuggets again, .*design='topics'"):
        tg.Study(judge, measures="V", gold=tg.Gold(again, design="random"))
    with pytest.raises(tg.TruegainError, match="each measure has separate gold scores; give one"):
        tg.Study(judge, measures=["V", "A"], gold=tg.Gold(again, design="topics"))
    made = tg.Study(judge, measures="V", gold=tg.Gold(again, design="topics"))
    naive, right = np.full((4, 40), np.nan), np.full((4, 40), np.nan)
    answer = one.system * 40 + one.topic
    weight = np.full(len(gold), np.nan)
    weight[gold] = flipped
    for s in range(4):
        for t in range(40):
            rows = answer == s * 40 + t
            naive[s, t] = one.judge[rows & (one.weight == 1)].mean()
            if gold[rows].all():
                right[s, t] = one.people[rows & (weight == 1)].mean()
    expected = rectified.told(rectified.by_topics(naive, right, (0.0, 1.0)), 2, 0)
    found = made.compare("s0", "s2")[0]
    assert (found.low, found.high) == pytest.approx(expected.interval, abs=1e-9)
    same = tg.Study(judge, measures="V", gold=tg.Gold(people, design="topics")).compare("s0", "s2")[0]
    assert same.low != pytest.approx(found.low, abs=1e-3)


def test_gold_files_are_read_with_the_names_of_the_judge(tmp_path: Path) -> None:
    """Guards people's files: what the judge failed on is left out and told; strangers are refused."""
    one = drawn(8, 12)
    path = tmp_path / "people.jsonl"
    judge = items(one, one.judge)
    rows = [
        {"qid": t, "system": s, "nugget": n, "assignment": "support"}
        for t, s, n in zip(judge.topic.strings(), judge.system.strings(), judge.item.strings(), strict=True)
    ][::3]

    def answer(judged: Items, lines: list[dict[str, str]]) -> tg.Study:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in lines))
        return tg.Study(judged, measures="A", gold=tg.Gold(path, design="random"))

    made = answer(judge, rows)
    assert made.judge is not None
    assert made.judge.size == len(rows)
    failed = replace(judge, value=frozen(np.where(np.arange(len(judge)) == 3, np.nan, judge.value)))
    with pytest.warns(
        UserWarning, match="1 gold value left out, because the judge has no value there|values are missing"
    ):
        made = answer(failed, rows)
    assert made.judge is not None
    assert made.judge.size == len(rows) - 1
    for name, value, said in (("system", "who", "not a system of"), ("qid", "q99", "topic q99 is not in nuggets"),
                              ("nugget", "what", "'what' is not a nugget of topic")):  # fmt: skip
        with pytest.raises(tg.InputError, match=said):
            answer(judge, [*rows, {**rows[0], name: value}])


# ---------------------------------------------------------------------- coverage


def test_one_study_of_the_coverage_world() -> None:
    """Guards the script behind the tables: every estimator answers, and the truth is that of many topics."""
    seen = world.study(np.random.default_rng(1), world.USUAL, 50, "V_strict")
    assert set(seen) == {f"{row}, {name}" for row in (*world.ROWS, "these topics") for name in world.ANSWERS}
    one = world.drawn(np.random.default_rng(2), world.USUAL, 6000)
    for measure in ("V_strict", "W"):
        people = (one.people >= 1) * 1.0 if measure == "V_strict" else one.people
        mean = world.by_topic(one, world.shares(one, measure) * people).mean(axis=1)
        assert mean == pytest.approx(world.truth(world.USUAL, measure), abs=0.012)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "by"), [("V_strict", "assignments"), ("W", "assignments"), ("V_strict", "answers")]
)
def test_intervals_hold_the_truth(measure: str, by: str) -> None:
    """Guards 95% intervals over topics in 200 studies of 50 topics, where those of the judge alone do not hold."""
    seen = [world.study(np.random.default_rng([11, i]), world.USUAL, 50, measure, by) for i in range(200)]

    def share(row: str, name: str) -> float:
        found = [one[f"{row}, {name}"] for one in seen]
        return float(np.mean([x.inside for x in found if x is not None]))

    for name in world.ANSWERS:
        assert 0.915 <= share("rectified", name) <= 0.99
    assert share("judge", "equal pair") < 0.85


# ---------------------------------------------------------------------- replicates and several judges


def test_strict_is_of_each_assignment_before_means() -> None:
    """Guards V_strict of replicates and judges: the mean over judges of the mean over replicates of strict values."""
    rng = np.random.default_rng(11)
    support = rng.choice([0.0, 0.5, 1.0], size=(2, 26, 4, 2, 3))  # system, topic, nugget, judge, replicate
    rows = [
        Row(f"q{t:02}", "support", float(support[s, t, n, j, r]), SYSTEMS[s], f"n{n}", 1.0, f"judge {j}", r + 1)
        for s, t, n, j, r in np.ndindex(support.shape)
        if j == 0 or r < 2  # a judge that was asked twice counts as one that was asked three times
    ]
    made = Items.of_rows(rows, scales={"support": ScoreRange(0.0, 1.0)}, are_nuggets=True)

    def by_hand(of: Floats) -> Floats:
        means = (of[:, :, :, 0].mean(axis=3) + of[:, :, :, 1, :2].mean(axis=3)) / 2
        return np.asarray(means.mean(axis=2))

    strict, loose = by_hand((support == 1).astype(np.float64)), by_hand(support)
    scores = answer_scores(made, ["V", "V_strict", "A_strict"])
    assert list(scores.values) == ["V", "V_strict", "A_strict"]
    assert scores.values["V"] == pytest.approx(loose)
    assert scores.values["V_strict"] == pytest.approx(strict)
    assert [scores.mean(s, "A_strict") for s in SYSTEMS[:2]] == pytest.approx(strict.mean(axis=1))
    one = tg.Study(made, measures="V_strict")
    assert [e.value for e in one.estimates()] == pytest.approx(strict.mean(axis=1))
    with pytest.raises(tg.TruegainError, match="give V_strict and V in separate studies"):
        tg.Study(made, measures=["V", "V_strict"])


def test_strict_gold_of_several_people() -> None:
    """Guards gold by several people: each assignment is strict, also where the judge was asked once."""
    one = drawn(12)
    judge = items(one, one.judge)
    keys = list(zip(judge.system.strings(), judge.topic.strings(), judge.item.strings(), strict=True))
    other = np.where(np.arange(len(keys)) % 2, np.minimum(one.people, 0.5), one.people)
    rows = [
        Row(t, "support", float(x), s, n, w, person)
        for person, values in (("ann", one.people), ("bob", other))
        for (s, t, n), w, x in zip(keys, judge.weight.tolist(), values, strict=True)
    ]
    made = tg.Study(judge, measures="V_strict", gold=tg.Gold(Items.of_rows(rows), design="topics"))
    by_hand = np.mean([answer_scores(items(one, x), "V_strict").summaries["V_strict"] for x in (one.people, other)], 0)
    assert [e.value for e in made.estimates()] == pytest.approx(by_hand)


def test_evaluate_takes_measures_of_nuggets() -> None:
    """Guards `tg.evaluate`, which knew the score behind them alone: the same values as a study and as by hand."""
    one = drawn(4)
    made = items(one, one.judge)
    scores = tg.evaluate(made, measures=["V_strict", "A"])
    study = tg.Study(made, measures=["V_strict", "A"])
    for m in ("V_strict", "A"):
        assert scores.summaries[m].tolist() == pytest.approx([e.value for e in study.estimates(m)])
    vital = made.take(np.flatnonzero((made.system.code == 0) & (made.weight == 1)))
    found = [(vital.value[vital.topic.code == t] >= 1).mean() for t in np.unique(vital.topic.code)]
    assert scores.mean("s0", "V_strict") == pytest.approx(np.mean(found))
    assert tuple(tg.evaluate(made).measures) == ("V_strict",)  # as a study of them
    assert tuple(tg.evaluate(made, measures="support").measures) == ("support",)


def test_ways_of_scoring_lists_mean_nothing_of_nuggets() -> None:
    """Guards a depth that cut answers to the first nuggets as they were read, and other options without effect."""
    one = drawn(1)
    made = items(one, one.judge)
    for how in ({"depth": 2}, {"judged_only": True}, {"relevant_from": 2}, {"ties": "input"}, {"trec_eval": "9"}):
        scoring = tg.Scoring(**how)
        for score in (tg.Study, tg.evaluate):
            with pytest.raises(tg.TruegainError, match=f"{next(iter(how))}: does not apply here"):
                score(made, scoring=scoring)
    with pytest.raises(tg.TruegainError, match="all_topics: a missing value never counts as 0"):
        tg.Study(made, scoring=tg.Scoring(all_topics=True))


def test_a_score_of_nuggets_may_stand_in_a_list() -> None:
    """Guards ["support"], which was refused as no measure of nuggets where "support" was taken."""
    one = drawn(1)
    made = items(one, one.judge)
    for several in (["support"], ("support",)):
        assert str(tg.evaluate(made, measures=several)) == str(tg.evaluate(made, measures="support"))
        assert str(tg.Study(made, measures=several)) == str(tg.Study(made, measures="support"))
    assert str(tg.Study(made, measures=["V_strict"]).measures[0]) == "V_strict"


def test_nuggets_are_compared_on_several_measures() -> None:
    """Guards a list of measures, which was taken for the name of one; an empty one ended in an IndexError."""
    one = drawn(2)
    given = items(one, one.judge)
    by_measure = tg.compare(given, measures=["V_strict", "A"])
    assert [of.measure for of in by_measure if (of.a, of.b) == ("s0", "s1")] == ["V_strict", "A"]
    for ask in (tg.Study, tg.evaluate, tg.compare):
        with pytest.raises(tg.TruegainError, match=r"^measures \(\): the list is empty; give the name"):
            ask(given, measures=())


@pytest.mark.parametrize("judges", [1, 2])
def test_partial_support_in_a_list_is_none_where_strict(judges: int) -> None:
    """Guards people's 0.5 in an ordered list of gold labels: for V_strict it is 0, and a whole list gives the truth."""
    one = drawn(13, topics=12)
    judge = items(one, one.judge)
    keys = list(zip(judge.topic.strings(), judge.system.strings(), judge.item.strings(), strict=True))
    rows = [
        Row(t, "support", value, s, n, w, f"judge-{j}")
        for j in range(judges)
        for (t, s, n), w, value in zip(keys, judge.weight.tolist(), one.judge.tolist(), strict=True)
    ]
    scale = {"support": ScoreRange(0.0, 1.0)}
    judge = Items.of_rows(rows, scales=scale, source="nuggets", are_nuggets=True)
    listed = tg.sample_gold(judge, measure="V_strict")
    truth = {(t, f"{s}: {n}"): x for (t, s, n), x in zip(keys, one.people.tolist(), strict=True)}
    label = np.array([truth[row] for row in zip(listed.topics, listed.docs, strict=True)])
    assert 0.5 in label
    full = tg.Study(judge, measures="V_strict", gold=tg.Gold(listed.with_labels(label)))
    by_hand = answer_scores(items(one, one.people), "V_strict").summaries["V_strict"]
    assert [e.value for e in full.estimates()] == pytest.approx(by_hand)
