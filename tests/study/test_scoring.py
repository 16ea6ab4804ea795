"""A study scores lists as `evaluate` does: cut, without unjudged documents, ties broken otherwise; or says that not."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg

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


def by_hand(runs: Runs, labels: Labels, *, depth: int = 99, judged_only: bool = False) -> Runs:
    """The runs with nothing left in them but the documents that count, best first."""
    out: Runs = {}
    for s, lists in runs.items():
        out[s] = {}
        for t, row in lists.items():
            order = sorted(row, key=lambda d: (row[d], d), reverse=True)[:depth]
            order = [d for d in order if d in labels[t] or not judged_only]
            out[s][t] = {d: float(-i) for i, d in enumerate(order)}
    return out


@pytest.mark.parametrize("how", [{"depth": 3}, {"judged_only": True}, {"depth": 4, "judged_only": True}])
@pytest.mark.parametrize("unjudged", ["bound", "non-relevant"])
def test_documents_that_do_not_count_are_as_if_they_were_not_there(how: dict[str, Any], unjudged: Any) -> None:
    """Guards options that were taken and not heeded: estimates, interval and unjudged documents of runs cut by hand."""
    runs, labels = world()
    cut = by_hand(runs, labels, **how)
    for measure in MEASURES:
        one = tg.Study(runs, labels, measure, scoring=tg.Scoring(**how), unjudged=unjudged).verdict("a", "b")
        other = tg.Study(cut, labels, measure, unjudged=unjudged).verdict("a", "b")
        assert one.difference == pytest.approx(other.difference, abs=1e-12)
        assert one.interval == pytest.approx(other.interval, abs=1e-12)
        assert one.sentence == other.sentence
        whole = tg.Study(runs, labels, measure, unjudged=unjudged).verdict("a", "b")
        assert measure == "DCG@3" or one.difference != whole.difference


@pytest.mark.parametrize("how", [{"ties": "ascending"}, {"ties": "input"}, {"trec_eval": "9"}, {"depth": 2}])
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
    for how in ({"depth": 3}, {"ties": "ascending"}):
        with pytest.raises(tg.TruegainError, match=f"{next(iter(how))} and a list of gold labels"):
            tg.Study(runs, labels, "P@5", gold=listed, scoring=tg.Scoring(**how))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        holes = tg.sample_unjudged(runs, labels, "P@5")
    with pytest.raises(tg.TruegainError, match="depth and a sample of unjudged documents"):
        tg.Study(runs, labels, "P@5", unjudged=holes, scoring=tg.Scoring(depth=3))


@pytest.mark.parametrize("level", [-1.0, 0.0, 9.0])
def test_gold_labels_that_are_all_relevant_or_none_are_refused(level: float) -> None:
    """Guards a wrong smallest relevant label: every score would be 1 or 0, with a narrow interval."""
    runs, labels = world()
    full = {t: {d: labels[t].get(d, 0) for d in {*runs["a"][t], *runs["b"][t]}} for t in labels}
    gold = tg.Gold({t: full[t] for t in list(full)[:6]}, design="topics", relevant_from=level)
    with pytest.raises(tg.TruegainError, match=r"gold label is relevant then \(they are 0, 1, 2\)"):
        tg.Study(runs, full, "P@5", gold=gold)


def test_ratings_in_the_place_of_gold_labels_name_their_own_option(tmp_path: Path) -> None:
    """Guards a remedy that works: the rule is that of the gold labels, not that of the judgments."""
    runs, labels = world()
    rows = [f"{t},{d},{who},{x}" for t, row in labels.items() for d, x in row.items() for who in "xy"]
    (tmp_path / "people.csv").write_text("topic,doc,assessor,label\n" + "\n".join(rows) + "\n")
    gold = tg.Gold(tmp_path / "people.csv", design="random")
    with pytest.raises(tg.InputError, match=r"several assessors labeled.*aggregate='mean'"):
        tg.Study(runs, labels, "P@5", gold=gold)
