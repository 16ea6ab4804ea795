"""Holes where a small fault would hide: how deep documents are in question, edges, and every kind of measure."""

from __future__ import annotations

import inspect
import warnings
from functools import cache
from itertools import product

import numpy as np
import pytest

import truegain as tg
from truegain.config import Scoring
from truegain.errors import DataWarning, TruegainError
from truegain.measures.parse import parse_measure
from truegain.pooling.next_to_judge import next_to_judge
from truegain.pooling.pools import Filled, leave_out, left_out_table

Lists = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]


def ordered(*docs: str) -> dict[str, float]:
    """A list with these documents from the top."""
    return {d: -float(i) for i, d in enumerate(docs)}


def questioned(measure: str, length: int, options: Scoring | None = None) -> tuple[int, int]:
    """Down to which depth documents are in question, and how many they are, in one list without a judged document."""
    runs = {"s": {"1": ordered(*(f"d{i}" for i in range(length)))}, "judged": {"1": ordered("elsewhere")}}
    filled = Filled.of(runs, {"1": {"elsewhere": 1}}, parse_measure(measure), options or Scoring())
    return filled.depth, int(filled.hole.sum())


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_how_deep_documents_are_in_question() -> None:
    """Guards the depth: 100, or the cutoff where that is lower down, or the whole list where there is no cutoff."""
    assert questioned("P@10", 130) == (100, 100)
    assert questioned("P@120", 130) == (120, 120)
    assert questioned("nDCG@10", 60) == (100, 60)
    assert questioned("nDCG", 130) == (130, 130)
    assert questioned("nDCG", 130, Scoring(depth=110)) == (110, 110)
    assert questioned("nDCG@10", 130, Scoring(depth=30)) == (100, 100)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_the_longest_list_says_how_deep_without_a_cutoff() -> None:
    """Guards the longest list over systems and topics, not the first one or all together."""
    runs = {"a": {"1": ordered("x"), "2": ordered("x", "y", "z")}, "b": {"1": ordered("x", "y")}}
    made = tg.unjudged(runs, {"1": {"x": 1}, "2": {"x": 1}}, "nDCG")
    assert Filled.of(runs, {"1": {"x": 1}, "2": {"x": 1}}, parse_measure("nDCG"), Scoring()).depth == 3
    assert made.depth == 3


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_which_depths_are_told() -> None:
    """Guards the shares: depths down to where documents are in question, and always the measure's own."""
    runs, qrels = {"s": {"1": ordered(*(f"d{i}" for i in range(130)))}}, {"1": {"d0": 1, "d2": 0}}
    assert sorted(tg.unjudged(runs, qrels, "P@7", depths=(5, 100, 101)).unjudged) == [5, 7, 100]
    assert sorted(tg.unjudged(runs, qrels, "nDCG", depths=(130, 131)).unjudged) == [130]
    made = tg.unjudged(runs, qrels)
    assert (made.measure, made.depth, sorted(made.unjudged)) == ("nDCG@10", 10, [1, 5, 10, 20, 50, 100])
    assert made.unjudged[5][0, 0] == pytest.approx(3 / 5)
    assert made.table().rows[0][1] == pytest.approx(8 / 10)
    for function in (tg.unjudged, next_to_judge, leave_out):
        assert inspect.signature(function).parameters["measure"].default == "nDCG@10"


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_the_level_is_that_of_all_measures_beside() -> None:
    """Guards Bpref and infAP at another level of relevance, which `eval` gives at the same one.

    Of infAP where the unjudged documents are pooled ones that nobody judged, which is a label of -1.
    """
    rng = np.random.default_rng(4)
    runs = {s: {t: {f"d{i}": float(x) for i, x in enumerate(rng.random(9))} for t in "123"} for s in "xy"}
    qrels = {t: {f"d{i}": int(rng.integers(0, 4)) for i in rng.choice(12, 8, replace=False)} for t in "123"}
    pooled = {t: {**{f"d{i}": -1 for i in range(9)}, **row} for t, row in qrels.items()}
    found = {level: tg.unjudged(runs, qrels, "P@3", scoring=tg.Scoring(relevant_from=level)) for level in (1, 2)}
    for level, made in found.items():
        for name, labels in (("Bpref", qrels), ("infAP", pooled)):
            np.testing.assert_allclose(
                made.beside[name], tg.evaluate(runs, labels, name, scoring=tg.Scoring(relevant_from=level)).matrix()
            )
        np.testing.assert_allclose(
            made.beside["condensed"],
            tg.evaluate(runs, qrels, "P@3", scoring=tg.Scoring(relevant_from=level, judged_only=True)).matrix(),
        )
    assert not np.allclose(found[1].beside["Bpref"], found[2].beside["Bpref"])


def test_what_cannot_be_filled() -> None:
    """Guards refusals: nothing judged, and lists of which unjudged documents are taken out or topics added."""
    run = {"s": {"1": ordered("a", "b")}}
    for options, said in (
        (Scoring(judged_only=True), "has no holes"), (Scoring(all_topics=True), "leave all_topics"),
        (Scoring(no_relevant="skip"), "leave all_topics"),
    ):  # fmt: skip
        with pytest.raises(TruegainError, match=said):
            Filled.of(run, {"1": {"a": 1}}, parse_measure("P@2"), options)
    with pytest.raises(TruegainError, match="1 has a label below 0, which says that nobody judged it"):
        tg.unjudged(run, {"1": {"a": -1}}, "P@2")


def test_warnings_of_the_data_come_once() -> None:
    """Guards the second alignment: what the first one warned of is not told again."""
    runs = {"s": {"1": ordered("a", "b"), "2": ordered("a")}}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tg.unjudged(runs, {"1": {"a": 1}}, "P@2")
    assert len([w for w in caught if issubclass(w.category, DataWarning)]) == 1


# ---------------------------------------------------------------------- extremes, by every labelling

CASES: list[tuple[Lists, Labels]] = [
    (  # shared holes above and below judged ones, and a topic that one system lacks
        {"x": {"1": ordered("a", "b", "c", "d"), "2": ordered("e", "a")},
         "y": {"1": ordered("c", "a", "e", "b"), "2": ordered("b", "e", "c")},
         "z": {"1": ordered("d", "f", "a")}},
        {"1": {"b": 1, "d": 3, "q": 2}, "2": {"a": 1, "c": 0, "q": 3}},
    ),
    (  # nothing relevant found, a list of holes alone, and one without a hole
        {"x": {"1": ordered("a", "b", "c"), "2": ordered("a", "d")},
         "y": {"1": ordered("p", "q"), "2": ordered("d", "a", "q")},
         "z": {"1": ordered("p", "a", "q"), "2": ordered("q", "d")}},
        {"1": {"p": 0, "q": 0, "r": 2}, "2": {"q": 1, "p": 2}},
    ),
    (  # no hole is above the cutoff in any list
        {"x": {"1": ordered("p", "q", "r", "a")}, "y": {"1": ordered("q", "r", "p", "b")},
         "z": {"1": ordered("r", "p", "q", "a")}},
        {"1": {"p": 3, "q": 0, "r": 1}},
    ),
]  # fmt: skip
MEASURES = [
    "P@3", "P(rel=2)@2", "DCG@3", "RBP(p=0.6)@3", "RBP(max_rel='scale')@3", "R@2", "R(rel=2)@3", "RR", "RR(rel=3)@3",
    "ERR(max_rel=3)@3", "ERR(max_rel=4,rule='gain')@2", "nDCG@2", "nDCG@3", "nDCG", "nDCG(gains={1:1,2:1,3:4})@3",
    "MSnDCG@3",
]  # fmt: skip


@cache
def scored(case: int, topic: str) -> tg.Scores:
    """Scores of one topic under every labelling of its holes, each a topic of its own, by all measures."""
    runs, qrels = CASES[case]
    levels = sorted({0, *(g for row in qrels.values() for g in row.values())})
    holes = sorted({d for run in runs.values() for d in run.get(topic, {})} - set(qrels[topic]))
    judged = {
        f"{i:04d}": {**qrels[topic], **dict(zip(holes, labels, strict=True))}
        for i, labels in enumerate(product(levels, repeat=len(holes)))
    }
    lists = {s: {t: run[topic] for t in judged if topic in run} for s, run in runs.items()}
    for row in lists.values():  # a topic that keeps the highest label, which some measures scale by
        row["top"] = {"top": 1.0}
    return tg.evaluate(lists, {**judged, "top": {"top": levels[-1]}}, MEASURES)


def means_of_all(case: int, measure: str) -> tuple[np.ndarray, list[np.ndarray]]:
    """System by labelling: the mean over the topics it answers; and by topic the scores, one column a labelling."""
    runs, qrels = CASES[case]
    by_topic = []
    for t in qrels:
        found = scored(case, t)
        asked = str(parse_measure(measure))
        by_topic.append(found.matrix(asked)[:, [i for i, name in enumerate(found.topics) if name != "top"]])
    total = np.zeros((len(runs), 1))
    for scores in by_topic:
        total = (total[:, :, None] + np.nan_to_num(scores)[:, None, :]).reshape(len(runs), -1)
    return total / np.array([sum(t in run for t in qrels) for run in runs.values()])[:, None], by_topic


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("case", range(len(CASES)))
def test_extremes_are_those_of_every_labelling(case: int, measure: str) -> None:
    """Guards worst, best and greatest difference on fixed cases: ties, topics that a system lacks, no hole at all."""
    runs, qrels = CASES[case]
    made = tg.unjudged(runs, qrels, measure)
    means, by_topic = means_of_all(case, measure)
    assert made.kind == "exact"
    for t, scores in enumerate(by_topic):
        np.testing.assert_allclose(made.worst[:, t], scores.min(axis=1), atol=1e-12)
        np.testing.assert_allclose(made.best[:, t], scores.max(axis=1), atol=1e-12)
    far = (means[:, None] - means[None]).max(axis=2)
    np.testing.assert_allclose(made.greatest, far, atol=1e-12)
    rows = {(a, b): (low, high) for a, b, _, low, high, _, _ in made.pairs().rows}
    for a, b in (("x", "y"), ("x", "z"), ("y", "z")):
        i, j = "xyz".index(a), "xyz".index(b)
        assert rows[a, b] == pytest.approx((-far[i, j], far[j, i]), abs=1e-12)


# ---------------------------------------------------------------------- what to judge next, and who is left out


def test_who_is_left_out_of_a_pool_of_some() -> None:
    """Guards which judgments go where two of three systems were pooled, the level of relevance, and the order told."""
    runs = {"a": {"1": ordered("p", "q", "r")}, "b": {"1": ordered("q", "s", "p")}, "c": {"1": ordered("s", "p", "q")}}
    qrels = {"1": {"p": 1, "q": 2, "s": 2, "r": 2}}
    a, b = leave_out(runs, qrels, "P@3", pool_depth=2, pooled=["a", "b"])
    assert [(f.system, f.lost, f.lost_relevant) for f in (a, b)] == [("a", 1, 1), ("b", 1, 1)]
    assert (a.score, a.without) == pytest.approx((1.0, 2 / 3))
    a, b = leave_out(runs, qrels, "P@3", pool_depth=2, pooled=["a", "b"], scoring=tg.Scoring(relevant_from=2))
    assert [(f.lost, f.lost_relevant) for f in (a, b)] == [(1, 0), (1, 1)]
    assert [row[0] for row in left_out_table([a, b]).rows] == ["b", "a"]
    assert [row[3] for row in left_out_table([a, b]).rows] == pytest.approx([-1 / 3, 0.0])
    alone = leave_out({"a": runs["a"]}, {"1": {"p": 1, "q": 1}}, "P@2", pool_depth=2)[0]
    assert (alone.score, alone.without, alone.lost) == (1.0, 1.0, 2)  # nothing would be left to score by
    shared = leave_out({"a": runs["a"], "b": runs["a"]}, {"1": {"p": 1}}, "P@2", pool_depth=2)[0]
    assert (shared.score, shared.without, shared.lost) == (0.5, 0.5, 0)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize(("version", "first"), [("9", "b"), ("10", "a")])
def test_the_pool_is_made_of_lists_as_they_are_scored(version: str, first: str) -> None:
    """Guards ties in the pool: scores alike as float32 tie for trec_eval 9, and the larger name comes first."""
    runs = {"s": {"1": {"a": 1.00000001, "b": 1.0}}, "r": {"1": {"c": 1.0}}}
    qrels = {"1": {"a": 1, "c": 1}}
    found = leave_out(runs, qrels, "P@1", pool_depth=1, scoring=tg.Scoring(trec_eval=float(version)))[0]
    assert (found.system, found.lost) == ("s", int(first == "a"))
