"""One relevant document a topic: what other collections would do is not known, and nothing claims that it is."""

from __future__ import annotations

import re

import numpy as np
import pytest

import truegain as tg
from truegain.data.runs import Runs
from truegain.errors import TruegainError
from truegain.study.feasibility import supported

TOPICS = 20
OTHERS = "other collections"
Lists = dict[str, dict[str, dict[str, float]]]


def world(several: int = 0) -> tuple[Lists, dict[str, dict[str, int]]]:
    """Three systems that find one document a topic at some rank; `several` topics have two relevant ones."""
    rng, docs = np.random.default_rng(1), [f"d{i}" for i in range(40)]
    qrels = {str(t): {d: int(d == "d0" or (t < several and d == "d1")) for d in docs} for t in range(TOPICS)}
    runs: Lists = {}
    for name, q in (("good", 0.6), ("poor", 0.2), ("mid", 0.35)):
        for t in range(TOPICS):
            rest, rank = rng.permutation(docs[1:]).tolist(), int(min(39, rng.geometric(q) - 1))
            order = [*rest[:rank], "d0", *rest[rank:]]
            runs.setdefault(name, {})[str(t)] = {d: 100.0 - i for i, d in enumerate(order)}
    return runs, qrels


def printed(study: tg.Study, measure: str) -> str:
    """All that a study says of a measure."""
    told = study.verdict("poor", "good", measure)
    return "\n".join(
        map(str, [
            told, told.to_dict(), told.largest_source, study.estimates(measure), study.compare(measure=measure),
            study.compare("poor", "good", measure), study.best(measure), study.shares("poor", "good", measure),
            study.influential("poor", "good", measure), study.next_steps("poor", "good", measure), study.next_steps(
                measure=measure, costs="topic=5"), study.estimates(measure).table().text(),
        ])
    )  # fmt: skip


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RR"])
def test_other_collections_are_left_out_and_the_study_says_why(measure: str) -> None:
    """Guards all that is printed: no NaN, no claim for other collections, the reason told; else as by topics."""
    runs, qrels = world()
    study = tg.Study(runs, qrels, measure, population="topics,collection", resampling=tg.Resampling(n=100))
    said = printed(study, measure)
    assert not re.search(r"\bnan\b", said, re.IGNORECASE)
    assert f"{measure} is not generalized to {OTHERS}: no topic has more than one relevant document" in said
    assert OTHERS not in said.replace(f"not generalized to {OTHERS}", "")
    assert "no variation" not in said
    assert OTHERS not in study.population
    plain = tg.Study(runs, qrels, measure)
    ours, theirs = (s.verdict("poor", "good") for s in (study, plain))
    assert (ours.sentence, ours.not_covered) == (theirs.sentence, theirs.not_covered)
    assert [s.half for s in ours.steps] == [s.half for s in theirs.steps]


@pytest.mark.parametrize("measure", ["AP", "nDCG@10"])
def test_other_collections_alone_are_refused(measure: str) -> None:
    """Guards topics held fixed: no interval of NaN, the reason and what to do instead."""
    runs, qrels = world()
    study = tg.Study(runs, qrels, measure, population="collection", resampling=tg.Resampling(n=100))
    for ask in (study.estimates, study.compare, study.best, lambda: study.verdict("poor", "good")):
        with pytest.raises(TruegainError, match=f"{measure} over {OTHERS}: no topic has more than one relevant .*P@10"):
            ask()


def test_a_measure_that_can_be_told_is_told_beside_one_that_cannot() -> None:
    """Guards several measures: P@10 stands on all documents, nDCG@10 does not, and each says so."""
    runs, qrels = world()
    study = tg.Study(runs, qrels, ["P@10", "nDCG@10"], population="topics,collection", resampling=tg.Resampling(n=100))
    assert OTHERS in study.verdict("poor", "good", "P@10").sentence
    assert OTHERS not in study.verdict("poor", "good", "nDCG@10").sentence
    assert {(e.measure, e.population) for e in study.estimates()} == {
        ("P@10", "topics, collection"), ("nDCG@10", "topics")}  # fmt: skip
    assert any(note.startswith(f"nDCG@10 is not generalized to {OTHERS}") for note in study.estimates().notes)


def test_two_relevant_documents_in_a_topic_tell() -> None:
    """Guards the rule: a topic with one relevant document borrows the spread of those with two."""
    runs, qrels = world(several=4)
    study = tg.Study(runs, qrels, "nDCG@10", population="topics,collection", resampling=tg.Resampling(n=100))
    assert OTHERS in study.verdict("poor", "good").sentence
    assert not study.left_out()


def test_what_files_support_says_so_too() -> None:
    """Guards `supported`: nDCG@10 is named for topics, and refused for other collections."""
    runs, qrels = world()
    topics, both = supported(Runs.of(runs), qrels, tg.StudyConfig(), ["nDCG@10"])
    assert topics.measures == ("nDCG@10",)
    assert not both.measures
    assert "one relevant document per topic does not show" in next(iter(both.refused))
