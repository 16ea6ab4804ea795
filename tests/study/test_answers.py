"""Studies of answers: by values of a judge, with gold values or without, held against closed forms."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.cli.conftest import Run, commands, folder, run  # noqa: F401 (fixtures)
from tests.logs.made import inspect_header, inspect_sample
from truegain.data.item_reading import read_items
from truegain.data.items import Items
from truegain.data.judgments import Judgments
from truegain.io.columns import Floats
from truegain.io.logs.log import Row, ScoreRange
from truegain.measures.items import usual_ends
from truegain.study.item_inputs import answer_scores, items_in

pytestmark = pytest.mark.filterwarnings("ignore:with only [0-9]+ clusters:truegain.DataWarning")

T, CLUSTERS = 40, 8


def world(seed: int = 3) -> tuple[Floats, Floats]:
    """True values and a judge's, systems by topics; the judge is lenient to the second system."""
    rng = np.random.default_rng(seed)
    truth = np.clip(rng.normal([[0.5], [0.6]], 0.2, (2, T)), 0, 1)
    return truth, np.clip(truth + rng.normal([[0.0], [0.1]], 0.1, (2, T)), 0, 1)


def items_of(values: Floats) -> Items:
    """One score of two systems, in clusters of five topics."""
    rows = [
        Row(f"q{t}", "faith", float(values[s, t]), name, judge="gpt", line=t)
        for s, name in enumerate(("old", "new"))
        for t in range(T)
    ]
    return Items.of_rows(rows, clusters={"domain": {f"q{t}": f"d{t % CLUSTERS}" for t in range(T)}})


def test_a_verdict_is_the_paired_t_interval() -> None:
    """Guards scores of answers against the closed form over topics."""
    _, judge = world()
    verdict = tg.Study(items_of(judge), measures="faith").verdict("old", "new")
    test = stats.ttest_rel(judge[1], judge[0]).confidence_interval()
    assert verdict.comparison.difference == pytest.approx((judge[1] - judge[0]).mean())
    assert (verdict.low, verdict.high) == pytest.approx((test.low, test.high))
    assert "faith" in verdict.sentence


def test_clusters_have_the_closed_form_of_a_mean_of_clusters() -> None:
    """Guards topics that were sampled together: sqrt(G/(G-1) * sum of squared cluster totals)/n, as inspect_ai."""
    _, judge = world()
    d = judge[1] - judge[0]
    totals = np.bincount(np.arange(T) % CLUSTERS, d - d.mean())
    se = math.sqrt(CLUSTERS / (CLUSTERS - 1) * float(totals @ totals)) / T
    verdict = tg.Study(items_of(judge).clustered("domain"), measures="faith").verdict("old", "new")
    half = float(stats.t.ppf(0.975, CLUSTERS - 1)) * se
    by_topic = float(stats.t.ppf(0.975, T - 1)) * float(d.std(ddof=1)) / math.sqrt(T)
    wide = max(half, by_topic)  # never narrower than over topics alone
    assert (verdict.low, verdict.high) == pytest.approx((d.mean() - wide, d.mean() + wide))
    assert "from clusters like these 8" in verdict.sentence


def test_gold_of_every_answer_gives_the_truth() -> None:
    """Guards the correction: where people judged all answers, their means are the scores."""
    truth, judge = world()
    study = tg.Study(items_of(judge), measures="faith", gold=tg.Gold(items_of(truth), "random"))
    assert [e.value for e in study.estimates()] == pytest.approx(truth.mean(axis=1).tolist())
    raw = tg.Study(items_of(judge), measures="faith").estimates()
    assert [e.value for e in raw] == pytest.approx(judge.mean(axis=1).tolist())


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("design", ["random", "topics"])
def test_corrected_scores_are_those_of_the_study(design: str, clustered: bool) -> None:
    """Guards the one engine: `correct` of answers says what `Study` says, and its differences are a verdict's."""
    truth, judge = world()
    rows = [
        Row(f"q{t}", "faith", float(truth[s, t]), n)
        for s, n in enumerate(("old", "new"))
        for t in range(T)
        if (t + s * (design == "random")) % 2
    ]
    some = Items.of_rows(rows)
    items, gold = items_of(judge), tg.Gold(some, design)
    items = items.clustered("domain") if clustered else items
    answer, study = tg.correct(items, measures="faith", gold=gold), tg.Study(items, measures="faith", gold=gold)
    for mine, theirs in zip(answer, study.estimates(), strict=True):
        assert (mine.value, mine.low, mine.high, mine.se) == (theirs.value, theirs.low, theirs.high, theirs.se)
        assert (mine.gold, mine.gold_pairs, mine.n, mine.refused) == (design, T // 2, T, False)
    assert [e.uncorrected for e in answer] == pytest.approx(judge.mean(axis=1).tolist())
    c = study.verdict("old", "new").comparison
    if design == "random":  # of whole topics each difference has a slope of its own
        assert answer["new", "faith"].value - answer["old", "faith"].value == pytest.approx(c.difference, abs=1e-12)
    assert c.p is not None
    sure = "Best on faith: new, significantly better than all others (95% confidence)."
    open_ = "Which system is best on faith is inconclusive: new, old may be (95% confidence)."
    assert answer.best == (sure if c.p < 0.05 else open_,)
    assert ("from clusters like these 8" in " ".join(answer.notes)) is clustered
    assert any(note.startswith("The judge's values lie ") for note in answer.notes)


def test_what_correct_has_no_use_for_of_answers_is_refused() -> None:
    """Guards options of runs and gold labels that are missing or few, of which nothing was said."""
    truth, judge = world()
    items, people = items_of(judge), items_of(truth)
    gold = tg.Gold(people, "random")
    for name, value, said in (
        ("method", "delta", "method"), ("clusters", "none", "clusters"), ("accuracy", "lists", "accuracy"),
        ("unmatched", "drop", "unmatched"), ("ratings", "mean", "aggregate"), ("ratings", tg.Ratings(scale="0:1"),
        "scale"), ("scoring", tg.Scoring(relevant_from=1), "relevant_from"), ("scoring", tg.Scoring(depth=1), "depth"),
        ("resampling", tg.Resampling(n=300), "n"), ("resampling", tg.Resampling(seed=9), "seed"),
        ("resampling", tg.Resampling(jobs=2), "jobs"), ("gold", replace(gold, relevant_from=0.5), "relevant_from"),
    ):  # fmt: skip
        with pytest.raises(tg.TruegainError, match=rf"^(\w+\.)?{said} does not apply to answers; leave it out"):
            tg.correct(items, measures="faith", **{"gold": gold, name: value})  # type: ignore[arg-type]
    with pytest.raises(tg.TruegainError, match=r"^Gold.relevant_from does not apply to answers; leave it out"):
        tg.Study(items, measures="faith", gold=replace(gold, relevant_from=0.5))
    for design in ("by-gold", "elsewhere"):
        with pytest.raises(tg.TruegainError, match=r"must be a sample of them: give random .*, by-bronze .*, top"):
            tg.correct(items, measures="faith", gold=tg.Gold(people, design))
    judged, labeled = (replace(x, value=np.round(x.value)) for x in (items, people))
    passed = tg.correct(judged, measures="faith", gold=tg.Gold(labeled, "by-gold"))  # pass and fail have error rates
    assert all(one.low <= one.value <= one.high for one in passed)
    with pytest.raises(tg.TruegainError, match=r"^gold: the labels are missing; give them"):
        tg.correct(items, measures="faith")
    with pytest.raises(tg.TruegainError, match=r"^measures: missing; runs are corrected by the bronze labels"):
        tg.correct({"a": {"q1": {"d": 1.0}}}, {"q1": {"d": 1}}, gold=tg.Gold({"q1": {"d": 1}}, "random"))
    few = tg.Gold(people.take(np.r_[:5, T + 5 : T + 10]), "random")
    with pytest.raises(tg.TruegainError, match=r"^old, faith: only 5 gold labels affect it; .* draw them from its ans"):
        tg.correct(items, measures="faith", gold=few)


def test_a_label_belongs_to_one_system() -> None:
    """Guards against one shared label: the same answer to the same question by two systems has two of its own."""
    _, judge = world()
    study = tg.Study(items_of(judge), measures="faith")
    assert len(study.ranked.pool) == 2 * T
    assert {*study.ranked.pool.docs.strings()} == {"old", "new"}


def test_less_is_better_counts_negative() -> None:
    """Guards the direction: the system with the lower toxicity is the better one."""
    _, judge = world()
    toxic = read_items(
        {"toxicity": {"old": {f"q{t}": float(judge[1, t]) for t in range(T)},
                      "new": {f"q{t}": float(judge[0, t]) for t in range(T)}}},
        scales={"toxicity": ScoreRange(0, 1, lower_is_better=True)},
    )  # fmt: skip
    verdict = tg.Study(toxic, measures="toxicity").verdict("old", "new")
    assert verdict.outcome == "better"
    assert verdict.comparison.difference == pytest.approx((judge[1] - judge[0]).mean())


def test_a_model_that_nobody_checked_decides_nothing() -> None:
    """Guards logs of LLM judges: without gold the verdict says whose values these are."""
    _, judge = world()
    items = Items.of_rows(
        [
            Row(f"q{t}", "faith", float(judge[s, t]), n, judge="gpt")
            for s, n in enumerate(("old", "new"))
            for t in range(T)
        ],
        models=frozenset({"gpt"}),
    )
    assert tg.Study(items, measures="faith").verdict("old", "new").outcome == "unchecked"
    assert tg.Study(items, measures="faith", trust_judge=True).verdict("old", "new").outcome == "better"


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ("topic,system,faith\nq1,other,0.5\n", "other: not a system of"),
        ("topic,system,faith\nq1,OLD,0.5\n", r"OLD: not a system of .*did you mean old\?"),
        (
            "topic,system,faith\nQ1,old,0.5\nQ2,old,0.5\n",
            "Q1 is not in .*, nor are 1 more of its 2 .*names: q1",
        ),
        ("topic,system,faith\n", "there is no row below the names of columns"),
        ("topic,faith\nq1,0.5\nq1,0.6\n", "gold.csv: no column names the system, .* name it in a column 'system'"),
        (
            "topic,system,faith,by\nq1,old,good,ann\n",
            "no column of numbers .*: faith has 'good' in line 2, by has 'ann'",
        ),
        ("topic,system,faith\nq99,old,0.5\n", "topic q99 is not in"),
        ("topic,system,faith\nq1,old,\n", "no column of numbers"),
    ],
)
def test_gold_that_does_not_fit(gold: str, message: str, tmp_path: Path) -> None:
    """Guards gold values of other systems and topics, and empty ones."""
    _, judge = world()
    (tmp_path / "gold.csv").write_text(gold)
    with pytest.raises(tg.InputError, match=message):
        tg.Study(items_of(judge), measures="faith", gold=tg.Gold(tmp_path / "gold.csv", "random"))


def test_other_questions_and_systems_without_gold_are_told() -> None:
    """Guards files about other questions, whose topics were all left out, and gold of one system alone."""
    truth, judge = world()
    rows = [Row(f"{s}{t}", "faith", 0.5, s) for s in ("old", "new") for t in range(5)]
    both = "two systems: old has old0, old1, old2 and 2 more; new has new0, new1"
    with pytest.warns(tg.DataWarning, match="5 absent"), pytest.raises(tg.InputError, match=both):
        tg.Study(Items.of_rows(rows), measures="faith")
    one = Items.of_rows([Row(f"q{t}", "faith", float(truth[0, t]), "old") for t in range(0, T, 2)])
    with pytest.raises(
        tg.TruegainError, match="no answer of new has a gold label, so nothing shows how the judge errs"
    ):
        tg.Study(items_of(judge), measures="faith", gold=tg.Gold(one, "random")).verdict("old", "new")


@pytest.mark.parametrize("few", [0, 2])
def test_one_system_without_gold_is_refused_alone(few: int) -> None:
    """Guards `correct`: a system of which nobody judged an answer refused all; one with few was a refused row."""
    truth, judge = world()
    rows = [Row(f"q{t}", "faith", float(judge[s, t]), name) for s, name in enumerate(("old", "new")) for t in range(T)]
    gold = [Row(f"q{t}", "faith", float(truth[s, t]), name) for s, name in enumerate(("old", "new"))
            for t in range(T) if (t + s) % 3 == 0]  # fmt: skip
    third = [Row(f"q{t}", "faith", 0.5 + t % 3 / 9, "third") for t in range(T)]
    people = Items.of_rows([*gold, *(Row(f"q{t}", "faith", 0.5, "third") for t in range(few))])
    answer = tg.correct(Items.of_rows([*third, *rows]), measures="faith", gold=tg.Gold(people, "random"))
    assert {a.system: (a.refused, a.gold_pairs) for a in answer} == {
        "old": (False, len(range(0, T, 3))), "new": (False, len(range(2, T, 3))), "third": (True, few),
    }  # fmt: skip
    refused = answer["third", "faith"]
    assert refused.uncorrected == pytest.approx(np.mean([row.value for row in third]))
    assert refused.n == T
    assert "Bonferroni over all 3 pairs" in answer.best[0]
    if few == 0:
        assert "no answer of third has a gold label" in refused.notes[0]
        alone = tg.correct(Items.of_rows(rows), measures="faith", gold=tg.Gold(people, "random"))
        assert [answer[s, "faith"].value for s in ("old", "new")] == [alone[s, "faith"].value for s in ("old", "new")]
        two = tg.correct(Items.of_rows([*third, *rows[:T]]), measures="faith", gold=tg.Gold(Items.of_rows(
            [row for row in gold if row.system == "old"]), "random"))  # fmt: skip
        assert [(a.system, a.refused) for a in two] == [("old", False), ("third", True)]
        assert two.best == ("Which system is best on faith is inconclusive: only old has an answer.",)
        blank = [*gold, *(Row(f"q{t}", "faith", math.nan, "third") for t in range(T))]
        sheet = tg.Gold(Items.of_rows(blank), "random")
        assert tg.correct(Items.of_rows([*third, *rows]), measures="faith", gold=sheet)[0] == answer[0]


def test_commands_take_tables_of_scores(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards verdict, compare, gate and report on files, with clusters and gold, against Python."""
    truth, judge = world()
    for s, name in enumerate(("old", "new")):
        rows = [f"q{t},d{t % CLUSTERS},{judge[s, t]}" for t in range(T)]
        (folder / f"{name}.csv").write_text("\n".join(["topic,domain,faith", *rows]))
    gold = [f"q{t},{n},{truth[s, t]}" for s, n in enumerate(("old", "new")) for t in range(T) if (t + s) % 3 == 0]
    (folder / "people.csv").write_text("\n".join(["topic,system,faith", *gold]))
    files = ("old.csv", "new.csv", "--score", "faith")
    code, out, err = run("verdict", *files, "--gold", "people.csv", "--design", "random", "--format", "json")
    assert code == 0, err
    answers = read_items([folder / "old.csv", folder / "new.csv"])
    by_hand = tg.Study(answers, measures="faith", gold=tg.Gold(folder / "people.csv", "random")).verdict("old", "new")
    assert json.loads(out)["verdicts"][0]["difference"] == pytest.approx(by_hand.comparison.difference)
    code, out, err = run("compare", *files, "--test", "paired-t", "--format", "json")
    assert code == 0, err
    assert json.loads(out)["rows"][0]["p"] == pytest.approx(stats.ttest_rel(judge[1], judge[0]).pvalue)
    code, out, err = run("compare", *files, "--cluster", "domain")
    assert (code, "from clusters like these 8" in out) == (0, True), err
    assert run("gate", *files, "--baseline", "old")[0] == 0
    code, _, err = run("report", *files, "-o", "page.html")
    assert code == 0, err
    assert "new is better than old" in (folder / "page.html").read_text()
    assert run("verdict", *files, "-m", "P@10")[::2] == (
        2,
        "error: --measure P@10: these are values of answers, not runs; name one of their scores with --score: faith\n",
    )  # fmt: skip


def test_a_cluster_left_out_is_the_difference_of_the_other_topics() -> None:
    """Guards the most influential clusters: by hand, the mean difference of the topics of all others."""
    truth, judge = world()
    d, of = judge[1] - judge[0], np.arange(T) % CLUSTERS
    verdict = tg.Study(items_of(judge).clustered("domain"), measures="faith").verdict("old", "new")
    for unit in verdict.influential["clusters"]:
        assert unit.without == pytest.approx(d[of != int(unit.unit[1:])].mean())
    assert "Most influential clusters: d" in str(verdict)
    assert "Most influential topics: q" in str(verdict)
    assert {unit.unit for unit in verdict.influential["topics"]} <= {f"q{t}" for t in range(T)}  # as in the log
    gold = items_of(np.where(np.random.default_rng(1).random((2, T)) < 0.6, truth, np.nan))
    study = tg.Study(items_of(judge).clustered("domain"), measures="faith", gold=tg.Gold(gold, "random"))
    unit = study.verdict("old", "new").influential["clusters"][0]
    kept = np.flatnonzero(of != int(unit.unit[1:]))
    assert unit.without is not None
    assert unit.without == pytest.approx((truth[1] - truth[0])[kept].mean(), abs=0.06)


def test_labels_tell_the_clusters_of_topics() -> None:
    """Guards what carries clusters into a study: one cluster a topic, and none where labels have no such column."""
    topics = [f"q{t}" for t in range(12)]
    runs = {s: {q: {"x": 1.0, "y": float(2 * (t % k == 0))} for t, q in enumerate(topics)}
            for s, k in (("old", 2), ("new", 5))}  # fmt: skip
    plain = Judgments.of({q: {"x": 1, "y": 0} for q in topics})
    clusters = [f"c{t // 3}" for t in range(12)]
    labels = replace(plain, extra={"cluster": [cluster for cluster in clusters for _ in "xy"]})
    study = tg.Study(runs, labels, "P@1", population="clusters")
    assert study.topic_units == {"clusters": dict(zip(topics, clusters, strict=True))}
    assert "from clusters like these 4" in study.verdict("old", "new").sentence
    odd = replace(plain, extra={"cluster": ["c9", *labels.extra["cluster"][1:]]})
    with pytest.raises(tg.TruegainError, match="topic q0 belongs to two clusters, c9 and c0"):
        tg.Study(runs, odd, "P@1", population="clusters").verdict("old", "new")
    with pytest.raises(tg.TruegainError, match=r"topic q0 belongs to no cluster; group answers by items\.clustered"):
        tg.Study(runs, plain, "P@1", population="clusters").verdict("old", "new")


def test_more_clusters_are_offered() -> None:
    """Guards next steps of topics in clusters: more clusters reduce what these bring, more of their topics do not."""
    from truegain.study.precision import CurrentPrecision, steps_of

    now = CurrentPrecision({"topics": 0.01, "clusters": 0.03}, topics=40, groups=8)
    halves = {(s.what, s.factor): s.half for s in steps_of(now, 0)}
    assert halves["clusters", 4.0] == pytest.approx(now.half / 2)
    assert halves["topics", 4.0] == pytest.approx(1.96 * math.sqrt(0.0325))
    _, judge = world()
    steps = tg.Study(items_of(judge).clustered("domain"), measures="faith").next_steps("old", "new")
    assert any("8 more clusters of about 5 topics (16 in total)" in str(s) for s in steps)


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_all_answers_of_few_topics_labeled_by_people_claim_as_their_labels_do() -> None:
    """Guards 6 answers that all have gold: they were too few, and 4 more were asked for that there are not."""
    gold = np.array([[0.0, 0.3, 0.1, 0.4, 0.2, 0.5], [0.5, 0.9, 0.8, 0.7, 0.9, 1.0]])
    judge = np.array([[1.0, 0.0, 1.0, 0.5, 0.5, 1.0], [0.0, 1.0, 0.5, 1.0, 1.0, 0.5]])
    six = items_of(np.hstack([judge, np.zeros((2, T - 6))])).take(np.flatnonzero(np.tile(np.arange(T) < 6, 2)))
    people = items_of(np.hstack([gold, np.full((2, T - 6), np.nan)]))
    verdict = tg.Study(six, measures="faith", gold=tg.Gold(people, "random")).verdict("old", "new")
    assert (verdict.outcome, verdict.withheld) == ("better", ())
    assert verdict.difference == pytest.approx((gold[1] - gold[0]).mean())
    half = stats.t.ppf(0.975, 5) * (gold[1] - gold[0]).std(ddof=1) / math.sqrt(6)
    assert (verdict.high or 0.0) - verdict.difference >= half - 1e-9  # no surer than the paired t of people's values
    assert [step.what for step in verdict.steps] == ["topics", "topics"]
    five = people.take(np.flatnonzero(~np.isnan(people.value))[1:])
    some = tg.Study(six, measures="faith", gold=tg.Gold(five, "random")).verdict("old", "new")
    assert some.withheld[0].startswith("too few gold labels: 5 answers of old have a gold label, and 10 are needed")
    assert "at least 10 answers of the system, drawn at random, or of all answers." in str(some)


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_a_system_without_a_value_is_told() -> None:
    """Guards two logs of which one failed: they were called one system, and another run was asked for."""
    _, judge = world()
    judge[0] = np.nan
    with pytest.raises(tg.TruegainError, match="items: old has no value of faith for any of"):
        tg.Study(items_of(judge), measures="faith")
    with pytest.raises(tg.TruegainError, match="items: old has no value of faith for any of"):
        tg.compare(items_of(judge), measures="faith")
    judge[0, : T // 2], judge[1, : T // 2] = judge[1, : T // 2], np.nan
    with pytest.raises(tg.TruegainError, match="items: no topic has a value of faith for all systems"):
        tg.compare(items_of(judge), measures="faith")
    with pytest.raises(tg.TruegainError, match="no value for any answer"):
        tg.Study(items_of(np.full((2, T), np.nan)), measures="faith")


def test_answers_have_no_collection() -> None:
    """Guards a population that answers do not have."""
    _, judge = world()
    study = tg.Study(items_of(judge), measures="faith", population="topics,collection")
    with pytest.raises(tg.TruegainError, match="answers have no document collection"):
        study.verdict("old", "new")


def test_a_constant_difference_has_no_interval() -> None:
    """Guards a difference that is the same on every topic: no limits beside a verdict that is refused."""
    values = np.vstack([np.zeros(T), np.ones(T)])
    verdict = tg.Study(items_of(values), measures="faith").verdict("old", "new")
    assert verdict.uncorrected.low is None
    assert "yes" not in {cell for row in verdict.table().rows for cell in row}


def test_measures_of_answers_in_a_list() -> None:
    """Guards lists: one name is that score, none is refused (nuggets ended in an IndexError, `evaluate` took all)."""
    _, judge = world()
    items = items_of(judge)
    (by_list,) = tg.compare(items, measures=["faith"])
    assert by_list == tg.compare(items, measures="faith").pairs[0]
    rows = [Row("q1", "support", 1.0, s, item=f"n{i}", weight=1.0) for s in ("old", "new") for i in range(2)]
    for given in (items, Items.of_rows(rows)):
        asks: tuple[Callable[..., object], ...] = (tg.Study, tg.evaluate, tg.compare)
        for ask in asks:
            with pytest.raises(tg.TruegainError, match=r"^measures \[\]: the list is empty; give the name of a"):
                ask(given, measures=[])
        plans: tuple[Callable[..., Any], ...] = (tg.plan_labels, tg.sample_gold)
        for plan in plans:
            with pytest.raises(tg.TruegainError, match=r"^measure \[\]: the list is empty; give the name of a score"):
                plan(given, measure=[])
    assert plans[1](items, measure=["faith"]).docs == plans[1](items, measure="faith").docs
    both = Items.of_rows([Row("q1", name, 0.5, "old") for name in ("faith", "help")])
    with pytest.raises(tg.TruegainError, match="answers are compared on one score; give one of these by itself"):
        tg.compare(both, measures=["faith", "help"])


def test_equal_scores_on_every_topic_are_no_proof_of_equality() -> None:
    """Guards two systems that score alike everywhere: no interval without a width, and no error with equal gold."""
    _, judge = world()
    items = items_of(np.vstack([judge[0], judge[0]]))
    verdict = tg.Study(items, measures="faith").verdict("old", "new")
    assert (verdict.outcome, verdict.low, verdict.uncorrected.low) == ("inconclusive", None, None)
    assert verdict.sentence.endswith("; the two score the same in every topic, so these data cannot separate them.")
    for test in ("tukey-hsd", "paired-t", "bootstrap"):
        compared = tg.compare(items, measures="faith", test=test)
        (one,) = compared.pairs
        assert (one.difference, one.low, one.high, one.p) == (0.0, None, None, 1.0)
        assert any(note.startswith("1 pair (new - old) has the same score on every topic") for note in compared.notes)
    rows = [Row(f"q{t}", "faith", t % 5 / 4, name) for name in ("old", "new") for t in range(T // 2)]
    with pytest.warns(tg.DataWarning, match="whole topics seem to have been sampled"):
        study = tg.Study(items, measures="faith", gold=tg.Gold(Items.of_rows(rows), "random"))
    verdict = study.verdict("old", "new")
    assert (verdict.outcome, verdict.comparison.difference) == ("inconclusive", 0.0)
    assert verdict.low is not None
    assert verdict.low < 0


def test_a_pair_of_equal_scores_leaves_the_limits_of_others() -> None:
    """Guards other pairs beside one that scores alike: theirs have limits."""
    _, judge = world()
    rows = [
        Row(f"q{t}", "faith", float(judge[s, t]), name)
        for s, name in ((0, "old"), (0, "copy"), (1, "new"))
        for t in range(T)
    ]
    compared = tg.compare(Items.of_rows(rows), measures="faith", test="paired-t")
    assert {(c.a, c.b): c.low is None for c in compared.pairs} == {
        ("old", "copy"): True, ("old", "new"): False, ("copy", "new"): False,
    }  # fmt: skip


def test_less_is_better_on_the_command_line(tmp_path: Path) -> None:
    """Guards --less-is-better: the score counts negative, and nuggets have no such direction."""
    for name, value in (("old", 0.6), ("new", 0.2)):
        rows = "".join(f"q{t},{value + t % 3 / 10:.1f}\n" for t in range(30))
        (tmp_path / f"{name}.csv").write_text(f"topic,toxicity\n{rows}")
    files = [str(tmp_path / "old.csv"), str(tmp_path / "new.csv")]
    items = items_in(files, "toxicity", None, less_is_better=True)
    assert items is not None
    scores = answer_scores(items, "toxicity")
    assert scores.means("new")["negative toxicity"] == pytest.approx(-0.3)
    assert scores.means("old")["negative toxicity"] == pytest.approx(-0.7)


JUDGED = (("match", ""), ("faith", "llm"))


def scored(name: str = "faith", systems: str = "ab", topics: int = 30) -> dict[str, dict[str, dict[str, float]]]:
    """Values of one score."""
    return {name: {s: {f"q{t}": (t * 7 + ord(s)) % 10 / 10 for t in range(topics)} for s in systems}}


def test_gold_of_another_score_is_not_taken() -> None:
    """Guards the name of gold values: another score of the items is refused, an unknown name is told."""
    items = read_items(scored() | scored("relevance"))
    with pytest.raises(tg.TruegainError, match="gold values are of relevance, but the study is about faith"):
        tg.Study(items, measures="faith", gold=tg.Gold(read_items(scored("relevance", topics=9)), design="topics"))
    with pytest.warns(UserWarning, match="gold values named fidelity are used as values of faith"):
        tg.Study(items, measures="faith", gold=tg.Gold(read_items(scored("fidelity", topics=9)), design="topics"))


def test_gold_where_the_judge_failed_is_left_out() -> None:
    """Guards gold of answers without a judge's value: a counted warning, as of nuggets, and not an error."""
    values = scored()
    values["faith"]["a"]["q3"] = math.nan
    del values["faith"]["b"]["q4"]
    left_out = pytest.warns(UserWarning, match="2 gold values left out, because the judge has no value there")
    words = r"values are missing .*; 2 of 30 topics \(q3, q4\) are left out, because"
    with pytest.warns(UserWarning, match=words), left_out:
        tg.Study(read_items(values), measures="faith", gold=tg.Gold(read_items(scored(topics=12)), design="topics"))


def test_rows_that_are_not_there_are_missing_too() -> None:
    """Guards unequal missingness: an absent row tells as much as an empty one."""
    values = scored()
    for t in range(6):
        del values["faith"]["b"][f"q{t}"]
    with pytest.warns(UserWarning, match=r"b 6 absent.*b has no value for 20.0% of the topics, a for 0.0%"):
        read_items(values).tell_missing("faith")


def test_a_score_called_support_is_a_score() -> None:
    """Guards tables whose score has the name that nuggets have: no measure of nuggets is meant."""
    items = read_items(scored("support"))
    assert not items.are_nuggets
    assert [str(m) for m in tg.Study(items).measures] == ["support"]


def test_models_are_those_of_the_score() -> None:
    """Guards a rule beside a judge: the values of the rule are no model's."""
    rows = [Row(f"q{t}", score, 0.5, s, judge=judge) for t in range(3) for s in "ab" for score, judge in JUDGED]
    items = replace(Items.of_rows(rows), models=frozenset(["llm"]))
    assert not answer_scores(items, "match").caveats
    assert "llm" in answer_scores(items, "faith").caveats[0]


def test_names_that_coincide_are_refused() -> None:
    """Guards documents named by system and item: two pairs with one name would share a label."""
    rows = [Row(f"q{t}", "s", 0.5, *pair) for t in range(30) for pair in (("a", "b: c"), ("a: b", "c"))]
    with pytest.raises(tg.TruegainError, match="have the same name, 'a: b: c'"):
        tg.Study(Items.of_rows(rows))


def test_a_judge_of_values_tells_its_mean_error() -> None:
    """Guards `study.judge` of fractions, which have no level of relevance: means, limits and systems by hand."""
    truth, judge = world()
    has = np.random.default_rng(1).random((2, T)) < 0.6
    people = [Row(f"q{t}", "faith", float(truth[s, t]), n, line=t) for s, n in enumerate(("old", "new"))
              for t in range(T) if has[s, t]]  # fmt: skip
    found = tg.Study(items_of(judge), measures="faith", gold=tg.Gold(Items.of_rows(people), "random")).judge
    assert found is not None
    rows = {row[0]: row for row in found.table().rows}
    assert list(rows) == ["all systems", "old", "new"]
    for s, name in enumerate(("old", "new")):
        assert rows[name][1:5] == pytest.approx(
            (has[s].sum(), judge[s][has[s]].mean(), truth[s][has[s]].mean(), (judge - truth)[s][has[s]].mean())
        )
    assert (
        str(found)
        == f"The judge's values lie {(judge - truth)[has].mean():.4f} above people's on average, by "
        + (str(found).partition(" by ")[2])
    )
    with pytest.raises(tg.TruegainError, match="not labels that are relevant or not"):
        found.sensitivity  # noqa: B018
    in_clusters = tg.Study(
        items_of(judge).clustered("domain"), measures="faith", gold=tg.Gold(Items.of_rows(people), "random")
    ).judge
    assert in_clusters is not None
    assert in_clusters.values is not None
    assert len(in_clusters.values.topics) == CLUSTERS


def test_values_of_many_kinds_are_corrected() -> None:
    """Guards against a table of all values by all values and topics: 520 fractions, no two alike, were refused."""
    rng, n = np.random.default_rng(4), 260
    truth = np.clip(rng.normal([[0.5], [0.6]], 0.2, (2, n)), 0, 1)
    judge = truth + rng.normal(0, 0.1, (2, n))
    has = rng.random((2, n)) < 0.9
    said = {"faith": {s: {f"q{t}": float(judge[i, t]) for t in range(n)} for i, s in enumerate("ab")}}
    people = {"faith": {s: {f"q{t}": float(truth[i, t]) for t in range(n) if has[i, t]} for i, s in enumerate("ab")}}
    study = tg.Study(read_items(said), measures="faith", gold=tg.Gold(read_items(people), "random"))
    assert [e.value for e in study.estimates()] == pytest.approx(truth.mean(axis=1).tolist(), abs=0.02)


def test_what_looks_wrong_in_logs_is_told_by_every_command(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards a mean that a tool printed and its values do not have, and other questions: only doctor told of them."""
    for system, printed in (("old", 0.5), ("new", 0.75)):
        metric = {"accuracy": {"name": "accuracy", "value": printed}}
        results = {"scores": [{"name": "match", "scorer": "match", "metrics": metric}]}
        samples = [inspect_sample(f"q{t}", 1, "CI"[t % 2], (t + len(system) * (t == 3)) / 20) for t in range(8)]
        header = inspect_header(system, results=results)
        (folder / f"{system}.json").write_text(json.dumps({**header, "samples": samples}))
    told = "warning: match of new: the tool printed 0.7500, the mean of its values is 0.5000 over 8 topics\n"
    for command in ("eval", "verdict", "compare"):
        options = () if command == "eval" else ("--score", "match", *(["--test", "sign"] * (command == "compare")))
        _, _, err = run(command, "old.json", "new.json", *options)
        assert err.count(told) == 1, (command, err)
        assert "of old: the tool printed" not in err
    assert "the tool printed" not in run("eval", "old.json", "new.json", "--score", "faith")[2]
    asked = json.loads((folder / "new.json").read_text())
    asked["samples"][0]["input"] = "something else?"
    (folder / "new.json").write_text(json.dumps(asked))
    for words in (("eval", "old.json", "new.json"), ("verdict", "old.json", "new.json", "--score", "faith")):
        assert run(*words)[2].count("old.json and new.json use the same topic names for different") == 1


def test_a_rules_scores_have_no_judge(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards exact matches beside a judge's values: "by values of the judge" and "errors of the judge" were said."""
    samples = [inspect_sample(f"q{t}", 1, "CI"[t % 2], (t + 1) / 20) for t in range(8)]
    for system in ("old", "new"):
        (folder / f"{system}.json").write_text(json.dumps({**inspect_header(system), "samples": samples}))
    files = "old.json new.json"
    assert "\nfaith: by values of mockllm/judge, which no person has checked" in run(*f"eval {files}".split())[1]
    for score, errors, told in (("match", "errors of the scoring rule", False), ("faith", "errors of the judge", True)):
        for command in ("eval {} --score {} --intervals topics", "verdict {} --score {}", "eval {} --score {}"):
            code, out, err = run(*command.format(files, score).split())
            assert code == 0, err
            assert (f"Not covered: {errors}." in out) is (command != "eval {} --score {}"), command
            assert ("mockllm/judge" in out) is told, command
    with_judge = inspect_header("new")
    with_judge["eval"]["scorers"][0]["options"] = {"model": "mockllm/judge"}  # of a scorer of that name a model
    (folder / "new.json").write_text(json.dumps({**with_judge, "samples": samples}))
    assert "errors of the judge" in run(*f"verdict {files} --score match".split())[1]


@pytest.mark.parametrize(
    "words", ["doctor", "gate --score good --baseline old --candidate new", "verdict --score good"]
)
def test_a_csv_of_promptfoo_tells_less(run: Run, folder: Path, commands: None, words: str) -> None:  # noqa: F811
    """Guards what results.json of the same run has more, told once by each command that reads the CSV."""
    cells = "Status,Score,Metric: good,Grader Reason"
    head = f"q,[old] {{{{q}}}},{cells},[new] {{{{q}}}},{cells}\n"
    rows = [f"question {t},x,PASS,1.00,0.{t}0,,y,PASS,1.00,0.{(t * 7) % 10}0,\n" for t in range(10)]
    (folder / "results.csv").write_text(head + "".join(rows))
    command, *options = words.split()
    code, out, err = run(command, "results.csv", *options)
    assert code in (0, 1, 3), err
    assert (out + err).count("the CSV of promptfoo names no judge") == 1
    assert (out + err).count("give results.json of the same run") == 1


def test_a_system_without_the_score_is_an_error_alone() -> None:
    """Guards `compare`: it warned that the system cannot be compared, and refused it then."""
    values = {"old": {f"q{t}": t / 10 for t in range(10)}, "new": {f"q{t}": t / 11 for t in range(10)}}
    found = read_items({"faith": values, "other": {"third": values["old"]}})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(tg.InputError, match="third has no value of faith for any of its answers"):
            tg.compare(found, measures="faith")
    with pytest.warns(tg.DataWarning, match="third has no value and cannot be compared"):  # a study goes on without it
        assert tg.Study(found, measures="faith").compare().systems == ("old", "new")


def test_values_are_told_as_they_were_given(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards a score of which less is better: lists said '-1 to 5', warnings "-5 to -0", and 0 became 1."""
    rng = np.random.default_rng(5)
    rows = [(s, f"q{t}", int(rng.integers(0, 6))) for s in ("old", "new") for t in range(30)]
    for name, times, kept in (("errors", 1, 1), ("people", 20, 2), ("zeros", 0, 2)):
        lines = [f"{s},{t},{x * times}" for i, (s, t, x) in enumerate(rows) if i % kept == 0 or rng.random() < 0.2]
        (folder / f"{name}.csv").write_text("\n".join(["system,topic,errors", *lines]))
    words = "errors.csv --score errors --less-is-better"
    assert run(*f"plan labels {words} -o list.csv".split())[0] == 0
    assert {line.split(",")[4] for line in (folder / "list.csv").read_text().splitlines()[1:]} == {"0 to 5"}
    code, out, err = run(*f"verdict {words} --gold people.csv --design random".split())
    assert code == 0, err
    assert "the judge's values are 0 to 5, people's 0 to 100: these seem to be two scales" in err
    code, out, err = run(*f"correct {words} --gold zeros.csv --design random --format jsonl".split())
    assert code == 0, err
    assert all(-1 <= json.loads(line)["low"] <= json.loads(line)["high"] <= 0 for line in out.splitlines())


def test_ends_of_negative_scores_are_those_of_the_score() -> None:
    """Guards that which way a score counts changes nothing: the ends mirror those of the values as they were given."""
    for least, greatest in ((0.0, 0.0), (0.2, 0.9), (0.0, 5.0), (2.0, 4.0), (1.0, 1.0)):
        low, high = usual_ends(least, greatest)
        assert usual_ends(-greatest, -least, turned=True) == (-high, -low)


def test_logs_and_tables_may_stand_together(tmp_path: Path) -> None:
    """Guards the warning of other questions: a table does not tell what was asked, and so it tells nothing."""
    (tmp_path / "old.csv").write_text("topic,match\nq0,1\nq1,0\n")
    samples = [inspect_sample(f"q{t}", 1, "C", 0.5) for t in range(2)]
    (tmp_path / "new.json").write_text(json.dumps({**inspect_header("new"), "samples": samples}))
    assert read_items([tmp_path / "old.csv", tmp_path / "new.json"]).systems == ("old", "new")
