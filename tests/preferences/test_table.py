"""Preferences as they are read: words for the winner, who was first, answers of systems, and the app's own export."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.judging.made import WORTH, made_rows, made_study
from truegain.judging.export import rating_table
from truegain.preferences.table import holds_preferences, read_preferences


def row(winner: str, **more: Any) -> dict[str, Any]:
    """One vote of prod against new."""
    return {"topic": "1", "a": "prod", "b": "new", "winner": winner, **more}


@pytest.mark.parametrize(
    ("word", "wins"),
    [("a", 1.0), ("A", 1.0), ("model_a", 1.0), ("prod", 1.0), ("b", 0.0), ("system_b", 0.0), ("new", 0.0),
     ("tie", 0.5), ("Draw", 0.5), ("both bad", 0.5), ("tie (bothbad)", 0.5)],
)  # fmt: skip
def test_words_for_the_winner(word: str, wins: float) -> None:
    """Guards who won: places, names of columns and names of systems; both bad is a tie that is counted apart."""
    votes = read_preferences([row(word)])
    assert votes.wins.tolist() == [wins]
    assert bool(votes.both_bad[0]) == ("bad" in word)


def test_files_of_every_kind(tmp_path: Path) -> None:
    """Guards the ways in: CSV with other tools' names, JSONL, a frame; the same votes from each."""
    rows = [row("model_a", topic=str(t), first="prod" if t % 2 else "b", judge="ann") for t in range(4)]
    names = {"a": "model_a", "b": "model_b", "topic": "question_id"}
    frame = pl.DataFrame(rows).rename(names)
    frame.write_csv(tmp_path / "votes.csv")
    (tmp_path / "votes.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for data in (tmp_path / "votes.csv", tmp_path / "votes.jsonl", frame):
        votes = tg.read_preferences(data)
        assert (votes.systems, votes.assessors, votes.wins.tolist()) == (("prod", "new"), ("ann",), [1.0] * 4)
        assert votes.first.tolist() == [-1, 1, -1, 1]
    assert holds_preferences(str(tmp_path / "votes.csv"))
    (tmp_path / "labels.csv").write_text("topic,doc,label\n1,a,1\n")
    assert not holds_preferences(str(tmp_path / "labels.csv"))
    for name, separator in (("tabs.csv", "\t"), ("commas.tsv", ","), ("semicolons.csv", ";"), ("tabs.tsv", "\t")):
        frame.write_csv(tmp_path / name, separator=separator)
        assert holds_preferences(str(tmp_path / name)), name
        assert tg.read_preferences(tmp_path / name).wins.tolist() == [1.0] * 4
    shown = tg.read_preferences(frame)
    assert shown.frame().rows()[:2] == [
        ("0", "prod", "new", "prod", "new", "ann"),
        ("1", "prod", "new", "prod", "prod", "ann"),
    ]
    assert tg.read_preferences(shown.frame()).wins.tolist() == shown.wins.tolist()
    own = tg.read_preferences(frame.rename({"winner": "liked"}), columns={"winner": "liked"})
    assert own.wins.tolist() == [1.0] * 4


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([row("c3po")], r"row 1: 'c3po': winner is neither of the two systems nor a tie"),
        ([row("a", b="prod")], "prod is compared with itself"),
        ([row("a", first="old")], "first names neither system"),
        ([row("a", topic="")], "topic is missing"),
        ([row("b", a="b", b="x")], "ambiguous: it names a system and also means the"),
        ([{"topic": "1", "left": "x", "won": "x"}], "no column b, winner among topic, left, won"),
        ([row("")], "no row has a winner"),
        ([{"topic": "", "doc_a": "x", "doc_b": "y", "label": 1}], "topic is missing"),
        ([{"topic": "1", "doc_a": "x", "doc_b": "x", "label": 1}], r"x is compared with itself \(topic 1\)"),
        ([{"topic": "1", "doc_a": "x", "doc_b": "", "label": 1}], "b is missing"),
    ],
)
@pytest.mark.filterwarnings("ignore:preferences. 1 of 1 comparisons")
def test_what_cannot_be_read(rows: list[dict[str, Any]], says: str) -> None:
    """Guards messages: what is wrong, where, and what is allowed."""
    with pytest.raises(tg.InputError, match=says.replace("row 1: 'c3po': ", "")):
        read_preferences(rows)


def test_a_missing_winner_is_missing(tmp_path: Path) -> None:
    """Guards failures of a judge: left out and counted by system, never a tie."""
    (tmp_path / "votes.csv").write_text("topic,a,b,winner\n1,prod,new,a\n2,prod,new,\n3,old,new,b\n")
    with pytest.warns(tg.DataWarning, match=r"1 of 3 comparisons have no winner and are left out \(of prod 1, new 1\)"):
        votes = read_preferences(tmp_path / "votes.csv")
    assert votes.wins.tolist() == [1.0, 0.0]


def test_two_answers_of_one_system_are_refused() -> None:
    """Guards a mapping of answers: a system is not compared with itself by another name."""
    with pytest.raises(tg.InputError, match="prod is compared with itself"):
        read_preferences([row("a", a="x", b="y")], systems={"x": "prod", "y": "prod"})


def test_answers_that_contradict_each_other_are_told() -> None:
    """Guards averages that nobody asked for: one assessor, one order, two answers; a replicate tells them apart."""
    twice = [row("a", assessor="ann", first="a"), row("prod", a="new", b="prod", assessor="ann", first="b")]
    other = [row("b", assessor="ann", first="a"), row("a", topic="2")]
    with pytest.warns(
        tg.DataWarning, match=r"1 comparison with several answers of one assessor .*\(ann on prod and new"
    ):
        assert read_preferences([*twice, *other]).cells().wins.round(4).tolist() == [0.6667, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_preferences(twice)  # the same answer again
        read_preferences([{**r, "replicate": i} for i, r in enumerate([*twice, *other])])
        read_preferences([row("a"), row("b")])  # of two people, perhaps
        read_preferences([row("a", assessor="ann"), row("new", a="new", b="prod", assessor="ann")])  # two orders


def test_votes_of_a_comparison_count_as_one() -> None:
    """Guards weights: assessors alike, their two orders alike, repeated answers alike; a comparison is 1 in all."""
    rows = [row("a", judge="m", first="a"), row("a", judge="m", first="a"), row("b", judge="m", first="b")]
    rows += [row("new", a="new", b="prod", judge="n", first="a"), row("a", topic="2")]
    votes = read_preferences(rows)
    assert votes.weights().round(4).tolist() == [0.125, 0.125, 0.25, 0.5, 1.0]
    cells = votes.cells()
    assert (cells.weight.tolist(), cells.wins.tolist()) == ([1.0, 1.0], [0.25, 1.0])
    apart = votes.cells(position=True)
    assert sorted(zip(apart.first.tolist(), strict=True)) == [(-1.0,), (0.0,), (1.0,)]
    assert np.isclose(apart.sums()[0].sum(), 2.0)
    assert not votes.is_balanced
    assert read_preferences(rows[1:3]).is_balanced


def test_answers_that_contain_their_topic_are_of_systems() -> None:
    """Guards answers in place of systems: the topic is taken off where all have it, or a mapping says whose."""
    rows = [{"topic": t, "a": f"{t}-prod", "b": f"{t}-new", "winner": "a"} for t in ("q1", "q2")]
    assert read_preferences(rows).systems == ("prod", "new")
    whose = {f"{t}-{s}": s.upper() for t in ("q1", "q2") for s in ("prod", "new")}
    assert read_preferences(rows, systems=whose).systems == ("PROD", "NEW")
    with pytest.raises(tg.InputError, match="2 answers without a system: q2-new, q2-prod"):
        read_preferences(rows, systems={k: v for k, v in whose.items() if "q1" in k})


def test_what_the_app_exports(tmp_path: Path) -> None:
    """Guards the way from `annotate` to a verdict: pairs as exported, who stood left was first, models are named."""
    study = made_study("preference")
    exported = rating_table(study, made_rows(study).ratings())
    exported.write(tmp_path / "pairs.csv")
    assert holds_preferences(str(tmp_path / "pairs.csv"))
    votes = tg.read_preferences(tmp_path / "pairs.csv")
    assert set(votes.systems) == set(WORTH)  # answers are h1, h2, ...: the topic is taken off
    assert (len(votes), votes.topics, len(votes.assessors)) == (len(exported), ("1", "2", "3"), 4)
    left, a = exported.columns["left"], exported.columns["doc_a"]
    assert votes.first.tolist() == [1 if x == y else -1 for x, y in zip(left, a, strict=True)]
    assert votes.wins.tolist() == exported.columns["label"]
    assert votes.models == ()
