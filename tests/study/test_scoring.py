"""A study breaks ties as `evaluate` does, and refuses to cut lists or to leave unjudged documents out of them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run, commands, folder, run  # noqa: F401 (fixtures)

Runs = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]
MEASURES = ["P@5", "AP", "nDCG@5", "RR", "DCG@3"]
pytestmark = pytest.mark.filterwarnings("ignore::truegain.DataWarning")


def world(seed: int = 1) -> tuple[Runs, Labels]:
    """Two systems on 12 topics, many equal scores, some documents without a label."""
    rng = np.random.default_rng(seed)
    labels: Labels = {}
    runs: Runs = {"a": {}, "b": {}}
    for t in range(12):
        docs = [f"d{i}" for i in range(20)]
        grade = {d: int(rng.integers(0, 3)) for d in docs}
        labels[f"t{t}"] = {d: g for d, g in grade.items() if rng.random() < 0.7}
        for s in runs:
            kept = rng.choice(docs, 12, replace=False).tolist()
            runs[s][f"t{t}"] = {d: float(round(grade[d] * (s == "b") + 2 * rng.random())) for d in kept}
    return runs, labels


@pytest.mark.parametrize(
    ("measures", "how", "remedy"),
    [
        ("AP", {"depth": 10}, "AP@10"),
        ("P@20", {"depth": 10}, "P@10"),
        (["P@5", "nDCG"], {"depth": 10}, "nDCG@10"),
        ("P@5", {"depth": 10}, "leave it out, since P@5 counts no deeper"),
        ("Rprec", {"depth": 10}, "leave it out, or cut the runs"),
        ("P@5", {"judged_only": True}, "P(judged_only=True)@5"),
        ("AP", {"judged_only": True}, "AP(judged_only=True)"),
        ("Judged@5", {"judged_only": True}, "too; leave it out"),
    ],
)
@pytest.mark.parametrize("population", ["topics", "collection"])
def test_cut_lists_are_refused_with_a_measure_that_cuts(
    measures: Any, how: dict[str, Any], remedy: str, population: str
) -> None:
    """Guards caveats: in a list without unjudged documents none is seen, and other collections would lengthen it."""
    runs, labels = world()
    with pytest.raises(tg.TruegainError, match=f"{next(iter(how))}.*: a study looks at") as told:
        tg.Study(runs, labels, measures, scoring=tg.Scoring(**how), population=population)
    assert str(told.value).endswith(remedy)
    if "leave" not in remedy:
        tg.Study(runs, labels, remedy, population=population)


def test_cut_lists_are_refused_by_all_that_makes_a_study(tmp_path: Path) -> None:
    """Guards other ways in: plans before they draw anything, pages, and intervals over other collections."""
    runs, labels = world()
    config = tg.StudyConfig(scoring=tg.Scoring(depth=3))
    with pytest.raises(tg.TruegainError, match=r"depth 3: a study looks at whole lists; .* P@3"):
        tg.plan_labels(runs, labels, "P@5", pair=("a", "b"), config=config)
    with pytest.raises(tg.TruegainError, match="depth 3: a study looks at whole lists"):
        tg.write_report(runs, labels, "AP", tmp_path / "page.html", config=config)
    with pytest.raises(tg.TruegainError, match=r"depth 3: other collections have other documents .* AP@3"):
        tg.intervals(runs, labels, "AP", population="collection", scoring=config.scoring)
    (one, _) = tg.intervals(runs, labels, "AP", scoring=config.scoring)
    assert one.value == pytest.approx(tg.evaluate(runs, labels, "AP", scoring=config.scoring).mean("a"))


def test_cut_lists_are_refused_by_commands(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards the command line and study files: a gate passed on judgments of a pool, without a word of it."""
    runs, labels = world()
    lines = [f"{t} 0 {d} {x}" for t, row in labels.items() for d, x in row.items()]
    (folder / "q.qrels").write_text("\n".join(lines))
    for s, lists in runs.items():
        lines = [f"{t} Q0 {d} 0 {x} {s}" for t, row in lists.items() for d, x in row.items()]
        (folder / f"{s}.run").write_text("\n".join(lines))
    files = ("q.qrels", "a.run", "b.run", "-m", "P@5")
    gate = run("gate", *files, "--baseline", "a", "--candidate", "b", "-J")
    assert gate[0] == 2
    assert "--judged-only: a study looks at unjudged documents, too; give it to the measure, as in P(" in gate[2]
    for command in ("verdict", "report"):
        code, _, err = run(command, *files, "-M", "3", *(("-o", "r.html") if command == "report" else ()))
        assert (code, "--depth 3: a study looks at whole lists; give the cutoff" in err) == (2, True), err
    (folder / "s.toml").write_text('judgments = "q.qrels"\nruns = ["a.run", "b.run"]\nmeasure = "AP"\ndepth = 10\n')
    code, _, err = run("verdict", "s.toml")
    assert (code, "s.toml:4: depth 10: a study looks at whole lists" in err) == (2, True), err
    code, _, err = run("settle", *files, "--ties", "input", "--dry-run")
    assert (code, "--ties input: settling draws its list in trec_eval's order" in err) == (2, True), err


@pytest.mark.parametrize("how", [{"ties": "ascending"}, {"ties": "input"}, {"trec_eval": "9"}])
@pytest.mark.parametrize("measure", MEASURES)
def test_scores_are_those_of_evaluate(how: dict[str, Any], measure: str) -> None:
    """Guards one engine: the scores of a study are the means of those of `evaluate`, for every way of scoring."""
    runs, labels = world(2)
    scoring = tg.Scoring(**how)
    table = tg.evaluate(runs, labels, measure, scoring=scoring)
    study = tg.Study(runs, labels, measure, scoring=scoring)
    assert [e.value for e in study.estimates()] == pytest.approx([table.mean(s) for s in "ab"], abs=1e-12)
    name, value = next(iter(how.items()))
    assert study.provenance[name] == value


def test_ties_move_scores_here() -> None:
    """Guards the tests above: the order of equal scores matters in this world."""
    runs, labels = world(2)
    orders = {
        tg.evaluate(runs, labels, "AP", scoring=tg.Scoring(ties=t)).mean("b") for t in ("descending", "ascending")
    }
    assert len(orders) == 2


def test_what_a_study_cannot_follow_is_refused() -> None:
    """Guards against options without effect: topics without a score, lists and samples drawn from whole lists."""
    runs, labels = world()
    with pytest.raises(tg.TruegainError, match="no_relevant 'skip': a study needs a score for each topic"):
        tg.Study(runs, labels, "AP", scoring=tg.Scoring(no_relevant="skip"))
    listed = tg.sample_gold(runs, labels, "P@5")
    listed = listed.with_labels(np.ones(len(listed)))
    ties = tg.Scoring(ties="ascending")
    for how in (ties, tg.Scoring(trec_eval="9")):
        with pytest.raises(tg.TruegainError, match=r"a list of gold labels is drawn in trec_eval's order of equal"):
            tg.Study(runs, labels, "P@5", gold=listed, scoring=how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        holes = tg.sample_unjudged(runs, labels, "P@5")
    with pytest.raises(tg.TruegainError, match="ties 'ascending': a sample of unjudged documents is drawn in trec"):
        tg.Study(runs, labels, "P@5", unjudged=holes, scoring=ties)
    with pytest.raises(tg.TruegainError, match="ties 'ascending': a plan draws its list of gold labels in trec_eval's"):
        tg.plan_labels(runs, labels, "P@5", config=tg.StudyConfig(scoring=ties))
    with pytest.raises(tg.TruegainError, match="ties 'ascending': settling draws its list in trec_eval's order"):
        tg.Study(runs, labels, "P@5", scoring=ties).settle(lambda topic, doc: 1)


def test_whole_topics_have_no_order() -> None:
    """Guards a list of topics against a refusal: all documents of each are on it, whatever their order in the runs."""
    runs, labels = world()
    listed = tg.sample_gold(runs, labels, "P@5", draw="topics")
    gold = listed.with_labels(listed.bronze)
    ties = tg.Scoring(ties="ascending")
    found = tg.Study(runs, labels, "P@5", gold=gold, scoring=ties).verdict("a", "b")
    assert found.difference == pytest.approx(tg.Study(runs, labels, "P@5", scoring=ties).verdict("a", "b").difference)


@pytest.mark.parametrize("level", [-1.0, 0.0, 9.0])
def test_gold_labels_that_must_all_be_relevant_or_none_are_refused(level: float) -> None:
    """Guards a wrong smallest relevant label: every score would be 1 or 0, with a narrow interval."""
    runs, labels = world()
    full = {t: {d: labels[t].get(d, 0) for d in {*runs["a"][t], *runs["b"][t]}} for t in labels}
    gold = tg.Gold({t: full[t] for t in list(full)[:6]}, design="topics", relevant_from=level)
    with pytest.raises(tg.TruegainError, match=r"gold label is relevant then \(labels are 0, 1, 2\)"):
        tg.Study(runs, full, "P@5", gold=gold)


@pytest.mark.parametrize(("label", "level"), [(1, 1), (2, 2), (0, 1), (0, 3)])
def test_gold_labels_may_all_be_relevant_or_none_by_chance(label: int, level: int) -> None:
    """Guards small samples: the first labels of a list, of a scale 0 to 3, happen to be alike."""
    runs, labels = world()
    listed = tg.sample_gold(runs, labels, "P@5", scale="0:3")
    seen = np.where(np.arange(len(listed)) < 12, float(label), np.nan)
    gold = tg.Gold(listed.with_labels(seen), relevant_from=level)
    assert tg.Study(runs, labels, "P@5", gold=gold).judge is not None
    if level < 3:  # the labels of the judge
        full = {t: {d: labels[t].get(d, 0) for d in {*runs["a"][t], *runs["b"][t]}} for t in labels}
        topics = {t: dict.fromkeys(full[t], label) for t in list(full)[:6]}
        assert tg.Study(runs, full, "P@5", gold=tg.Gold(topics, "topics", level)).judge is not None


def test_ratings_in_the_place_of_gold_labels_name_their_own_option(tmp_path: Path) -> None:
    """Guards a remedy that works: the rule is that of the gold labels, not that of the judgments."""
    runs, labels = world()
    rows = [f"{t},{d},{who},{x}" for t, row in labels.items() for d, x in row.items() for who in "xy"]
    (tmp_path / "people.csv").write_text("topic,doc,assessor,label\n" + "\n".join(rows) + "\n")
    gold = tg.Gold(tmp_path / "people.csv", design="random")
    with pytest.raises(tg.InputError, match=r"several assessors labeled.*aggregate='mean'"):
        tg.Study(runs, labels, "P@5", gold=gold)
    table = [{"topic": "t0", "doc": "d0", "label": x, "assessor": f"p{x}"} for x in (0, 1)]
    with pytest.raises(tg.InputError, match=r"^gold, row 2: several assessors labeled.*aggregate='mean'"):
        tg.Study(runs, labels, "P@5", gold=tg.Gold(table, design="random"))
