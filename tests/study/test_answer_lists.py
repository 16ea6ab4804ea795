"""Lists of answers for people to label, from the draw to the verdict; and values below 0 as gold."""

from __future__ import annotations

import csv
import json
import re
import shlex
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.cli.conftest import Run, commands, folder, run  # noqa: F401 (fixtures)
from tests.logs.made import lines
from tests.logs.test_readers import as_csv, ragas_rows
from tests.study.test_answers import CLUSTERS, T, items_of, world
from truegain.data.items import Items
from truegain.data.label_lists import GoldList
from truegain.io.columns import Bools, Floats
from truegain.io.logs.log import ScoreRange

pytestmark = pytest.mark.filterwarnings("ignore:with only [0-9]+ clusters:truegain.DataWarning")

NAMES = ("old", "new")
LESS = {"faith": ScoreRange(0, 1, lower_is_better=True)}


def labeled(listed: GoldList, truth: Floats, n: int | None = None) -> GoldList:
    """The first so many answers of a list labeled by the truth."""
    label = np.full(len(listed), np.nan)
    for at, (topic, system) in enumerate(zip(listed.topics, listed.docs, strict=True)):
        if n is None or at < n:
            label[at] = truth[NAMES.index(system), int(topic.rpartition("q")[2])]
    return listed.with_labels(label)


@pytest.mark.parametrize("less", [False, True])
def test_a_whole_list_gives_the_truth(less: bool) -> None:
    """Guards the way from the draw to the verdict, in either direction: all labels there, the difference is exact."""
    truth, judge = world()
    items = items_of(judge)
    items = replace(items, scales=LESS) if less else items
    listed = tg.sample_gold(items, measure="faith")
    assert sorted(zip(listed.topics, listed.docs, strict=True)) == sorted((f"q{t}", s) for t in range(T) for s in NAMES)
    assert listed.scale == (0.0, 1.0)  # as people see the score, whatever counts as better
    assert sorted(listed.bronze.tolist()) == pytest.approx(sorted(judge.ravel().tolist()))
    study = tg.Study(items, measures="faith", gold=labeled(listed, truth), population="fixed")
    verdict = study.verdict("old", "new")
    difference = (truth[1] - truth[0]).mean()
    assert verdict.comparison.difference == pytest.approx(-difference if less else difference)
    assert verdict.exact


@pytest.mark.parametrize("n", [20, 60])
def test_less_is_better_is_the_mirror_image(n: int) -> None:
    """Guards a list of a score of which less is better: estimate and limits are those of the score with its sign."""
    truth, judge = world()
    found = {}
    for less in (False, True):
        items = items_of(0.25 + 0.5 * judge)
        items = replace(items, scales={"faith": ScoreRange(0.0, 1.0, lower_is_better=less)})
        listed = labeled(tg.sample_gold(items, measure="faith", pair=NAMES), 0.25 + 0.5 * truth, n)
        study = tg.Study(items, measures="faith", gold=tg.Gold(listed, sequential=True), population="fixed")
        found[less] = study.verdict("old", "new").comparison
    plain, turned = found[False], found[True]
    assert plain.low is not None
    assert plain.high is not None
    assert (turned.difference, turned.low, turned.high) == pytest.approx((-plain.difference, -plain.high, -plain.low))


def test_half_a_list_and_a_plan(tmp_path: Path) -> None:
    """Guards a list in files, half of it labeled: the verdict holds the truth, and the plan goes on from there."""
    truth, judge = world()
    items = items_of(judge)
    labeled(tg.sample_gold(items, measure="faith", pair=NAMES), truth, 50).write(tmp_path / "list.csv")
    study = tg.Study(items, measures="faith", gold=tmp_path / "list.csv")
    verdict = study.verdict("old", "new")
    assert verdict.low is not None
    assert verdict.high is not None
    assert verdict.low < (truth[1] - truth[0]).mean() < verdict.high
    plan = tg.plan_labels(
        items, measure="faith", config=tg.StudyConfig(gold=tg.Gold(tmp_path / "list.csv"), min_effect=0.1)
    )
    assert plan.details.provenance["judged"] == 50
    assert "80 answers can change" in str(plan.details)
    text = (tmp_path / "list.csv").read_text().splitlines()
    cells = text[1].split(",")
    (tmp_path / "list.csv").write_text("\n".join([text[0], ",".join([*cells[:3], "7", *cells[4:]]), *text[2:]]))
    with pytest.raises(tg.InputError, match=r"label 7 of .* is not on the scale 0 to 1"):
        tg.Study(items, measures="faith", gold=tmp_path / "list.csv")


def test_gold_values_below_zero_count() -> None:
    """Guards scores that may be negative: a constant added to all values moves no difference."""
    truth, judge = world()
    keep = [(t, s) for t in range(T) for s in range(2) if (t + s) % 3]

    def study(add: float) -> tg.Study:
        gold = {
            "faith": {n: {f"q{t}": float(truth[s, t] + add) for t, k in keep if k == s} for s, n in enumerate(NAMES)}
        }
        return tg.Study(items_of(judge + add), measures="faith", gold=tg.Gold(tg.read_items(gold), "random"))

    moved, plain = (study(add).verdict("old", "new").comparison for add in (-0.75, 0.0))
    assert (moved.difference, moved.low, moved.high) == pytest.approx((plain.difference, plain.low, plain.high))


def test_what_is_said_of_answers() -> None:
    """Guards the words: no collection of documents is spoken of, and too few labels are told as those of answers."""
    truth, judge = world()
    study = tg.Study(items_of(judge), measures="faith")
    assert study.not_covered == "errors of the judge"
    assert tg.Study(items_of(judge), measures="faith", gold=tg.Gold(items_of(truth), "random")).not_covered == (
        "mistakes in the gold labels"
    )
    few = {"faith": {"old": {f"q{t}": 0.5 for t in range(0, 30, 2)}, "new": {"q1": 0.5, "q2": 0.6, "q3": 0.7}}}
    gold = tg.Gold(tg.read_items(few), "random")
    verdict = tg.Study(items_of(judge), measures="faith", gold=gold).verdict("old", "new")
    assert "3 answers of new have a gold label, and 10 are needed" in verdict.text()
    one = {"faith": {"old": {f"q{t}": float(truth[0, t]) for t in range(20)}, "new": {"q1": 0.5}}}
    with pytest.raises(tg.TruegainError, match="answers of new have gold labels on one topic only"):
        tg.Study(items_of(judge), measures="faith", gold=tg.Gold(tg.read_items(one), "random")).verdict("old", "new")


def test_people_may_say_yes_or_no_to_values_between() -> None:
    """Guards labels of 0 and 1 beside a judge's fractions, which correct them; labels of 1 to 5 are told."""
    truth, judge = world()
    passed = (truth > 0.5).astype(float)
    study = tg.Study(items_of(judge), measures="faith", gold=tg.Gold(items_of(passed), "random"))
    assert study.verdict("old", "new").comparison.difference == pytest.approx((passed[1] - passed[0]).mean())
    with pytest.warns(tg.DataWarning, match="these seem to be two scales; corrected scores are on people's scale"):
        tg.Study(items_of(judge), measures="faith", gold=tg.Gold(items_of(1 + 4 * truth), "random")).estimates()


YES, CONSTANT = (0.0, 1.0), (0.5, 0.5)


@pytest.mark.parametrize(
    ("judge", "people", "differ"),
    [
        (CONSTANT, YES, False),  # a judge who always says 0.5, and people who say 0 or 1
        (YES, CONSTANT, False),
        (CONSTANT, (1.0, 5.0), True),  # 0.5 is no value of people's
        (YES, (-1.0, 1.0), True),  # people say no as -1
        ((-1.0, 1.0), YES, True),
        ((1.0, 1.0), (-1.0, 1.0), False),
        ((-0.1, 1.0), YES, False),  # a similarity reaches below 0 a little
        ((-0.9, -0.1), (0.0, 0.0), False),  # less is better, and people find nothing
        ((-1.0, 0.0), (-0.8, -0.1), False),
        (YES, (0.0, 2.0), True),
    ],
)
def test_when_values_are_of_two_scales(judge: tuple[float, float], people: tuple[float, float], differ: bool) -> None:
    """Guards single values, which show no scale, and values below 0, which only one of them gives."""
    truth, said = world()
    labels = [items_of(np.where(x > 0.5, ends[1], ends[0])) for x, ends in ((said, judge), (truth, people))]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tg.Study(labels[0], measures="faith", gold=tg.Gold(labels[1], "random")).estimates()
    assert any("two scales" in str(w.message) for w in told) == differ


@pytest.mark.parametrize("command", ["verdict", "correct", "judge check", "report -o page.html"])
def test_every_command_tells_two_scales_once(command: str, folder: Path, run: Run) -> None:  # noqa: F811
    """Guards that a judge from 0 to 1 beside people from 1 to 5 is told by all commands that use both."""
    truth, judge = world()
    for name, values in (("judge", judge), ("people", 1 + 4 * truth)):
        cells = [f"q{t},{s},{values[i, t]}" for i, s in enumerate(NAMES) for t in range(T)]
        (folder / f"{name}.csv").write_text("\n".join(["topic,system,faith", *cells]))
    given = ("judge.csv", "--score", "faith", "--gold", "people.csv", "--design", "random")
    code, _, err = run(*command.split(), *given)
    assert (code, err.count("these seem to be two scales")) == (0, 1)


def model_items(values: Floats) -> Items:
    """The same, by a model."""
    return replace(items_of(values), models=frozenset({"gpt"}))


def test_compare_and_evaluate_take_items() -> None:
    """Guards tg.compare, tg.evaluate and tg.write_report on values of answers, against scipy and numpy."""
    truth, judge = world()
    items = items_of(judge)
    pair = tg.compare(items, measures="faith", test="paired-t").pairs[0]
    assert pair.p == pytest.approx(stats.ttest_rel(judge[1], judge[0]).pvalue)
    by_gold = tg.compare(items, measures="faith", gold=tg.Gold(items_of(truth), "random"))
    assert by_gold[0].difference == pytest.approx((truth[1] - truth[0]).mean())
    clustered = tg.compare(items.clustered("domain"), measures="faith", baseline="old")
    assert "clusters" in str(clustered)
    scores = tg.evaluate(items)
    assert scores.mean("new", "faith") == pytest.approx(judge[1].mean())
    assert scores.matrix("faith") == pytest.approx(judge)
    with pytest.raises(tg.TruegainError, match="values of answers are already judgments"):
        tg.evaluate(items, {"q1": {"a": 1}}, "AP")
    with pytest.raises(tg.TruegainError, match="a missing value never counts as 0"):
        tg.Study(items, measures="faith", scoring=tg.Scoring(all_topics=True))
    for how in ({"depth": 2}, {"judged_only": True}, {"relevant_from": 2}, {"ties": "input"}, {"trec_eval": "9"}):
        scoring = tg.Scoring(**how)
        asked: list[Callable[[], object]] = [
            partial(tg.Study, items, measures="faith", scoring=scoring),
            partial(tg.evaluate, items, measures="faith", scoring=scoring),
            partial(tg.sample_gold, items, measure="faith", scoring=scoring),
            partial(tg.compare, items, measures="faith", gold=tg.Gold(items_of(truth), "random"), scoring=scoring),
        ]
        for ask in asked:
            with pytest.raises(tg.TruegainError, match=f"{next(iter(how))}: does not apply here"):
                ask()
    others: dict[str, Any] = {
        "fill": "predicted", "llm": {}, "intents": {}, "corpus": {"a": "b"}, "judged_corpus": {}, "memory": "1GB",
    }  # fmt: skip
    for name, value in others.items():
        with pytest.raises(tg.TruegainError, match=f"{name}: does not apply to values of answers"):
            tg.evaluate(items, **{name: value})
    assert str(tg.Study(items, measures=["faith"]).measures[0]) == "faith"
    with pytest.raises(tg.TruegainError, match="draws documents, and answers have none"):
        tg.compare(items, measures="faith", population="collection")
    assert "tg.sample_gold(items, measure='faith', pair=('old', 'new'))" in (
        tg.Study(model_items(judge), measures="faith").verdict("old", "new").text()
    )


def files_of(folder: Path, judge: Floats) -> tuple[str, ...]:  # noqa: F811
    """Two tables of scores by a model, with a column of clusters."""
    for s, name in enumerate(NAMES):
        rows = [f"q{t},d{t % CLUSTERS},{judge[s, t]},gpt-4o" for t in range(T)]
        (folder / f"{name}.csv").write_text("\n".join(["topic,domain,faith,judge_model", *rows]))
    return "old.csv", "new.csv", "--score", "faith"


@pytest.mark.parametrize("cluster", [(), ("--cluster", "domain")])
def test_the_printed_advice_is_a_command_that_runs(
    cluster: tuple[str, ...],
    run: Run,  # noqa: F811
    folder: Path,  # noqa: F811
    commands: None,  # noqa: F811
) -> None:
    """Guards the walk of somebody with a model's scores: the verdict names a command, its list becomes gold labels."""
    truth, judge = world()
    files = (*files_of(folder, judge), *cluster)
    code, out, err = run("verdict", *files)
    assert code == 0, err
    assert "no person has checked" in out
    command = shlex.split(re.findall(r"`truegain ([^`]+)`", out)[0])
    code, out, err = run(*command)
    assert code == 0, err
    assert "80 answers in the order to judge" in out
    with (folder / "LIST.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert {row["doc"] for row in rows} == {*NAMES}
    for row in rows:
        row["label"] = str(truth[NAMES.index(row["doc"]), int(row["topic"].rpartition("q")[2])])
    with (folder / "LIST.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    code, out, err = run("verdict", *files, "--gold", "LIST.csv")
    assert code == 0, err
    assert f"{(truth[1] - truth[0]).mean():+.4f} faith" in out
    code, out, err = run("judge", "check", *files, "--gold", "LIST.csv")
    assert code == 0, err
    assert f"{(judge - truth).mean():.4f}" in out


def test_eval_and_plan_topics_of_tables(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards means, topics, intervals and plans of tables of scores."""
    _, judge = world()
    files = files_of(folder, judge)
    code, out, err = run("eval", *files)
    assert code == 0, err
    assert f"{judge[1].mean():.4f}" in out
    code, out, err = run("eval", *files, "-q", "--format", "csv")
    assert out.splitlines()[1] == f"old,q0,faith,{judge[0, 0]}"
    code, out, err = run("eval", *files, "--intervals", "topics")
    low = stats.ttest_1samp(judge[0], 0).confidence_interval().low
    assert (code, f"{low:.4f}" in out) == (0, True), err
    assert run("eval", *files, "-m", "AP")[0] == 2
    code, out, err = run("plan", "topics", *files, "--min-effect", "0.1")
    assert (code, "in faith is detected with power 0.8" in out) == (0, True), err


def half_width(truth: Floats, judge: Floats, keep: Bools) -> tuple[float, bool]:
    """Half the interval of the corrected difference, and whether it holds the true one, 0.1."""
    gold = {n: {f"q{t}": float(truth[s, t]) for t in range(T) if keep[s, t]} for s, n in enumerate(NAMES)}
    labels = tg.Gold(tg.read_items({"faith": gold}), "random")
    verdict = tg.Study(items_of(judge), measures="faith", gold=labels).verdict("old", "new")
    assert verdict.low is not None
    assert verdict.high is not None
    return (verdict.high - verdict.low) / 2, verdict.low <= 0.1 <= verdict.high


def followed(rng: np.random.Generator) -> tuple[Floats, Floats, Bools]:
    """People's values, those of a judge that follows them closely, lenient to one system, and which have a label."""
    truth = rng.normal([[0.5], [0.6]], 0.15, (2, T)) + rng.normal(0, 0.1, T)
    drawn = np.asarray(rng.random((2, T)) < 0.5)
    return truth, truth + rng.normal([[0.0], [0.1]], 0.05, (2, T)), drawn


def test_a_judge_that_follows_people_saves_labels() -> None:
    """Guards the worth of values of many levels: half of the answers labeled are nearly as good as all of them.

    Values made up at the ends of the scale, as labels of 0 and 1 need them, made such intervals twice as wide.
    """
    truth, judge, keep = followed(np.random.default_rng(2))
    whole = stats.ttest_rel(truth[1], truth[0]).confidence_interval()
    assert half_width(truth, judge, keep)[0] < 1.4 * (whole.high - whole.low) / 2


@pytest.mark.slow
def test_corrected_differences_of_values_are_covered() -> None:
    """Guards their intervals: 400 worlds of 40 topics, half of the answers labeled."""
    rng = np.random.default_rng(3)
    held = [half_width(*followed(rng))[1] for _ in range(400)]
    assert 0.93 <= np.mean(held) <= 0.985


def projected(truth: Floats, judge: Floats, keep: Bools) -> float:
    """Half the interval that all remaining gold labels are said to leave."""
    gold = {n: {f"q{t}": float(truth[s, t]) for t in range(T) if keep[s, t]} for s, n in enumerate(NAMES)}
    labels = tg.Gold(tg.read_items({"faith": gold}), "random")
    steps = tg.Study(items_of(judge), measures="faith", gold=labels).next_steps("old", "new")
    return [step.half for step in steps if step.what == "gold"][-1]


def test_all_labels_leave_what_was_projected() -> None:
    """Guards the worth of more gold labels: with all of them filled in, the interval is as wide as was said.

    Values made up at the ends of the scale left nearly all of the width to the topics (9/10 of its variance).
    """
    rng = np.random.default_rng(5)
    worlds = [followed(rng) for _ in range(5)]
    filled = [stats.ttest_rel(truth[1], truth[0]).confidence_interval() for truth, _, _ in worlds]
    ratios = [projected(*w) * 2 / (x.high - x.low) for w, x in zip(worlds, filled, strict=True)]
    assert 0.85 < float(np.median(ratios)) < 1.15


def test_a_plan_counts_clusters() -> None:
    """Guards plans of topics in clusters: all labeled, the interval is that of the verdict over clusters."""
    rng = np.random.default_rng(4)
    shift = rng.normal(0, 0.3, CLUSTERS)[np.arange(T) % CLUSTERS]
    values = rng.normal(0.5, 0.05, (2, T)) + np.vstack([np.zeros(T), shift])
    items = items_of(values).clustered("domain")
    verdict = tg.Study(items, measures="faith").verdict("old", "new")
    assert verdict.low is not None
    assert verdict.high is not None
    details = tg.plan_labels(items, measure="faith").details
    assert details.rows[-1][1] == pytest.approx((verdict.high - verdict.low) / 2, rel=1e-6)
    assert "from clusters like these 8" in details.title
    alone = tg.plan_labels(items_of(values), measure="faith").details
    assert float(str(alone.rows[-1][1])) < 0.7 * (verdict.high - verdict.low) / 2


def test_plan_topics_of_clusters(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards `plan topics --cluster`: it plans clusters, with the figures of Python, and has none for an ANOVA."""
    _, judge = world()
    words = ("plan", "topics", *files_of(folder, judge), "--min-effect", "0.1", "--cluster", "domain")
    code, out, err = run(*words, "--format", "json")
    assert code == 0, err
    plan = tg.plan_topics(items_of(judge).clustered("domain"), min_effect=0.1)
    assert [row["power_0.8"] for row in json.loads(out)["rows"]] == [row[2] for row in plan.details.rows]
    assert json.loads(out)["provenance"]["clusters_at_hand"] == CLUSTERS
    found = run(*words)
    assert found[1].startswith(f"{plan.needed['clusters']:,} clusters, {plan.needed['topics']:,} topics: a difference")
    assert f"with only {CLUSTERS} clusters" in found[2]
    code, out, err = run(*words, "--criterion", "anova")
    assert (code, "--criterion anova: its F test is of topics drawn one by one" in err) == (2, True), err
    assert "give paired-t or width, or leave --cluster out" in err


GIVEN = ("--gold", "people.csv", "--design", "random")


@pytest.mark.parametrize(
    "options",
    [
        ("--population", "collection"),
        ("--relevant-from", "2"),
        ("--no-relevant", "skip"),
        ("--cluster", "domain", "--resamples", "100"),
        ("--cluster", "domain", "--aggregate", "mean"),
        ("--cluster", "domain", "--method", "delta"),
        (*GIVEN, "--method", "delta"),
        (*GIVEN, "--groups"),
        (*GIVEN, "--gold-relevant-from", "1"),
    ],
)
def test_compare_refuses_what_it_does_not_heed(
    run: Run,  # noqa: F811
    folder: Path,  # noqa: F811
    commands: None,  # noqa: F811
    options: tuple[str, ...],
) -> None:
    """Guards options of `compare` on answers that would change nothing."""
    truth, judge = world()
    rows = [f"q{t},{n},{truth[s, t]}" for s, n in enumerate(NAMES) for t in range(0, T, 2)]
    (folder / "people.csv").write_text("\n".join(["topic,system,faith", *rows]))
    options = tuple(str(folder / x) if x == "people.csv" else x for x in options)
    code, _, err = run("compare", *files_of(folder, judge), *options)
    name = next(x for x in options if x.startswith("--") and x not in ("--cluster", "--gold", "--design"))
    assert (code, f"error: {name} " in err) == (2, True), err


def test_compare_of_clusters_and_of_a_model(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards `compare` of answers: nothing uncorrected where nothing is corrected, and the model that is named."""
    _, judge = world()
    code, out, err = run("compare", *files_of(folder, judge), "--cluster", "domain")
    assert (code, "uncorrected" in out) == (0, False), err
    code, out, err = run("compare", *files_of(folder, judge), "--judge-model", "gpt-5")
    assert (code, "by values of gpt-5" in out) == (0, True), err


def test_csv_logs_need_no_score_as_json_logs(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards several CSV files of a tool: they were taken for tables of scores, of which one must be named."""
    for name, right in (("old", 0.25), ("new", 0.5)):
        rows = [row | {"faithfulness": right, "fine": right / 2} for row in ragas_rows()]
        (folder / f"{name}.csv").write_bytes(as_csv(rows))
        (folder / f"{name}.jsonl").write_bytes(lines(rows))
    answers = [run("eval", f"old.{form}", f"new.{form}") for form in ("csv", "jsonl")]
    assert answers[0] == answers[1]
    assert [line.split() for line in answers[0][1].splitlines()[:3]] == [
        ["system", "faithfulness", "fine"], ["old", "0.2500", "0.1250"], ["new", "0.5000", "0.2500"],
    ]  # fmt: skip
    code, _, err = run("verdict", "old.csv", "new.csv")
    assert (code, "which score of old.csv, new.csv? There are faithfulness, fine" in err) == (2, True), err


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("verdict", "old.csv", "new.csv"), "old.csv: a table of scores? add --score faith"),
        (("verdict", "old.csv"), "old.csv: a table of scores? add --score faith"),
        (
            ("correct", "old.csv", "new.csv", "--gold", "old.csv", "--design", "random"),
            "a table of scores? add --score faith",
        ),
        (("init", "old.csv", "new.csv"), "`truegain doctor` shows"),
        (("verdict", "pairs.csv"), "there is no column winner among topic, a, b"),
    ],
)
def test_what_a_table_lacks_is_told(
    run: Run,  # noqa: F811
    folder: Path,  # noqa: F811
    commands: None,  # noqa: F811
    command: tuple[str, ...],
    told: str,
) -> None:
    """Guards tables of scores without --score, commands that do not read them, and preferences without a winner."""
    files_of(folder, world()[1])
    (folder / "pairs.csv").write_text("topic,a,b\n1,x,y\n2,x,y\n")
    code, _, err = run(*command)
    assert (code, told in err) == (2, True), err


def test_parts_of_answers_are_called_items(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards the words of a plan for claims, which are neither answers nor documents."""
    rng = np.random.default_rng(3)
    rows = [f"{s},q{t},c{c},{int(rng.random() < 0.6)}" for s in ("old", "new") for t in range(20) for c in range(3)]
    (folder / "claims.csv").write_text("\n".join(["system,topic,claim,supported", *rows]))
    code, out, err = run(*["plan", "labels", "claims.csv", "--score", "supported", "-o", "list.csv"])
    assert code == 0, err
    assert "120 of the 120 items can change the difference new - old on supported" in out
    assert "120 items in the order to judge" in out


def verdict_of(judge: Floats, gold: dict[tuple[int, int], float]) -> tg.Verdict:
    """The corrected verdict of two systems."""
    people = {n: {f"q{t}": x for (of, t), x in gold.items() if of == s} for s, n in enumerate(NAMES)}
    labels = tg.Gold(tg.read_items({"faith": people}), "random")
    return tg.Study(items_of(judge), measures="faith", gold=labels).verdict("old", "new")


def test_a_turned_scale_turns_the_answer() -> None:
    """Guards strata of values without steps: joined from below, they made 1 - x another difference than that of x."""
    truth, judge, keep = followed(np.random.default_rng(4))
    judge = np.round(judge, 2)
    gold = {(s, t): round(float(truth[s, t]), 1) for s in (0, 1) for t in range(T) if keep[s, t]}
    one = verdict_of(judge, gold)
    other = verdict_of(1 - judge, {at: 1 - x for at, x in gold.items()})
    assert one.interval is not None
    assert other.interval is not None
    assert (other.difference, *other.interval[::-1]) == pytest.approx((-one.difference, *(-x for x in one.interval)))


def test_few_levels_are_about_as_sharp_as_many() -> None:
    """Guards a cliff: with ten levels of gold values intervals were twice as wide as with eleven."""
    truth, judge, keep = followed(np.random.default_rng(5))
    width = []
    for levels in (8, 9, 11, 1000):
        gold = {(s, t): round(float(truth[s, t]) * levels) / levels for s in (0, 1) for t in range(T) if keep[s, t]}
        low, high = verdict_of(judge, gold).interval or (0.0, 0.0)
        width.append(high - low)
    assert max(width) < 1.3 * min(width), width
