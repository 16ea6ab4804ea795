"""Pools: what is judged, from the files that people have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from truegain.data.label_lists import GoldList
from truegain.errors import InputError
from truegain.judging.study.files import read_pool, write_pool
from truegain.judging.study.units import pairs_of
from truegain.judging.tasks.base import Item


def written(folder: Path, name: str, text: str) -> Path:
    """A file with this text."""
    path = folder / name
    path.write_text(text)
    return path


def test_qrels(tmp_path: Path) -> None:
    """Guards qrels: the order of the file and the labels are kept."""
    rows = read_pool([written(tmp_path, "q.qrels", "2 0 b 1\n1 0 a 3\n2 0 c 0\n")]).rows
    assert [(r.topic, r.item.docs, r.label) for r in rows] == [("2", ("b",), 1), ("1", ("a",), 3), ("2", ("c",), 0)]


def test_runs_to_a_depth(tmp_path: Path) -> None:
    """Guards pooling: the best ranks of all runs first, each document once, none below the depth."""
    written(tmp_path, "a.run", "1 Q0 x 1 9 a\n1 Q0 y 2 8 a\n1 Q0 z 3 7 a\n")
    written(tmp_path, "b.run", "1 Q0 y 1 9 b\n1 Q0 w 2 8 b\n1 Q0 x 3 7 b\n")
    made = read_pool([tmp_path / "a.run", tmp_path / "b.run"], depth=2)
    assert [r.item.docs[0] for r in made.rows] == ["x", "y", "w"]
    assert read_pool([str(tmp_path / "*.run")], depth=2) == read_pool([tmp_path], depth=2) == made


def test_runs_and_labels_together(tmp_path: Path) -> None:
    """Guards Hk and Nk of a pool of runs: a document of both files stands once, and has its label."""
    written(tmp_path, "a.run", "1 Q0 x 1 9 a\n1 Q0 y 2 8 a\n")
    written(tmp_path, "q.qrels", "1 0 y 2\n")
    rows = read_pool([tmp_path / "a.run", tmp_path / "q.qrels"]).rows
    assert {r.item.docs[0]: r.label for r in rows} == {"x": None, "y": 2}


def test_a_list_keeps_its_order_and_probabilities(tmp_path: Path) -> None:
    """Guards the design: what was drawn, and how likely, goes into the study as it was drawn."""
    topics, docs = ["1", "2", "1"], ["c", "a", "b"]
    listed = GoldList.of(topics, docs, np.array([1.0, 0, 1]), np.array([3.0, 2, 1]), "ordered", "P@10", (0, 1))
    listed.write(tmp_path / "next.csv")
    pool = read_pool([tmp_path / "next.csv"])
    assert pool.gold_list == str(tmp_path / "next.csv")
    assert [(r.topic, r.item.docs[0]) for r in pool.rows] == list(zip(topics, docs, strict=True))
    assert [r.item.probability for r in pool.rows] == pytest.approx(listed.probability.tolist())
    assert [r.label for r in pool.rows] == [None] * 3


def test_the_larger_probability_holds_whatever_the_order_of_files(tmp_path: Path) -> None:
    """Guards the design of two files: what one takes whole is certain to be judged, drawn by the other or not."""
    listed = GoldList.of(["1", "1"], ["a", "b"], np.zeros(2), np.array([1.0, 9.0]), "ordered", "P@10", (0, 1))
    listed.write(tmp_path / "next.csv")
    written(tmp_path, "q.qrels", "1 0 a 2\n")
    written(tmp_path, "drawn.jsonl", '{"topic": "1", "doc": "a", "probability": 0.5}\n')
    assert [r.item.probability for r in read_pool([tmp_path / "next.csv"]).rows] == [0.1, 1.0]
    for other, wanted in (("q.qrels", 1.0), ("drawn.jsonl", 0.5)):
        for files in (["next.csv", other], [other, "next.csv"]):
            rows = {r.item.docs[0]: r for r in read_pool([tmp_path / name for name in files]).rows}
            assert rows["a"].item.probability == wanted, files
            assert rows["a"].label == (2 if other == "q.qrels" else None)


def test_other_tables(tmp_path: Path) -> None:
    """Guards lists of `holes --show next`, pairs and claims: named columns, in the order of the file."""
    holes = written(tmp_path, "holes.csv", "order,topic,doc,round,why\n1,7,x,1,a\n2,7,y,1,b\n")
    assert [r.item.docs for r in read_pool([holes]).rows] == [("x",), ("y",)]
    pairs = written(tmp_path, "pairs.csv", "topic,doc_a,doc_b,probability\n7,x,y,0.5\n")
    assert read_pool([pairs]).rows[0].item == Item(("x", "y"), 0.5)
    said = '{"topic": 7, "doc": "x", "claim": "It rains.", "answer": "Look. It rains."}\n'
    claims = written(tmp_path, "claims.jsonl", said)
    found = read_pool([claims]).rows[0]
    assert (found.topic, found.item) == ("7", Item(("x",), 1.0, "It rains.", "Look. It rains."))


def test_written_and_read_again(tmp_path: Path) -> None:
    """Guards `pool.jsonl`: what is written is read as it was."""
    lines = (
        '{"topic": "1", "doc": "x", "probability": 0.25, "label": 0.0}\n'
        '{"topic": "1", "docs": ["x", "y"], "claim": "é", "answer": "b"}\n'
    )
    pool = read_pool([written(tmp_path, "p.jsonl", lines)])
    assert write_pool(pool.rows).decode() == lines


@pytest.mark.parametrize(("text", "said"), [
    ('{"topic": "1", "doc": "x", "probability": 0}\n', "p.jsonl:1: probability is 0"),
    ('{"topic": "1", "doc": "x", "probability": 2}\n', "p.jsonl:1: probability is 2"),
    ('{"topic": "1", "doc": "x"}\n{"topic": "1", "doc": ""}\n', "p.jsonl:2: a row without topic or document"),
    ('{"topic": "1", "doc": "x", "label": "high"}\n', "p.jsonl:1: label is not a number"),
    ('{"topic": "1", "doc": "x", "label": 1}\n{"topic": "1", "doc": "x", "label": 2}\n', "has the labels 1 and 2"),
])  # fmt: skip
def test_bad_rows_are_told(tmp_path: Path, text: str, said: str) -> None:
    """Guards against a design that is not one: the place and the value are told."""
    with pytest.raises(InputError) as error:
        read_pool([written(tmp_path, "p.jsonl", text)])
    assert said in str(error.value)


@pytest.mark.parametrize(("n", "opponents"), [(2, 4), (5, 4), (6, 4), (7, 2), (20, 4)])
def test_pairs_are_balanced(n: int, opponents: int) -> None:
    """Guards preferences: each document meets as many others, no pair twice, left as often as right."""
    made, problem = pairs_of("1", [Item((f"d{i}",)) for i in range(n)], opponents, 0)
    assert problem == ""
    each = min(opponents, n - 1)
    assert len({frozenset(item.docs) for item in made}) == len(made) == n * each // 2
    for i in range(n):
        left = sum(item.docs[0] == f"d{i}" for item in made)
        right = sum(item.docs[1] == f"d{i}" for item in made)
        assert left + right == each
        assert abs(left - right) <= each % 2
    assert {item.probability for item in made} == {len(made) / (n * (n - 1) / 2)}


def test_pairs_are_drawn_as_they_say() -> None:
    """Guards the probability of a pair: over many seeds, each is there as often as it says."""
    seeds = 400
    made = [pairs_of("1", [Item((d,)) for d in "abcdefgh"], 2, seed)[0] for seed in range(seeds)]
    share = sum(any(set(i.docs) == {"a", "e"} for i in pairs) for pairs in made) / seeds
    assert share == pytest.approx(2 / 7, abs=4 * np.sqrt(2 / 7 * 5 / 7 / seeds))


def test_drawn_documents_make_no_pairs() -> None:
    """Guards against probabilities that do not follow: pairs of sampled documents must be named."""
    made, problem = pairs_of("1", [Item(("a",), 0.5), Item(("b",))], 4, 0)
    assert made == []
    assert "name the pairs" in problem


def test_what_a_list_of_what_to_judge_next_asked_for_stays_marked(tmp_path: Path) -> None:
    """Guards the mark on its way into a study; one that another file has too is not chosen by it alone."""
    asked = "order,topic,doc,round,why,chosen\n1,1,x,1,ranking,next\n2,1,y,2,ranking,next\n3,1,z,2,seed,depth\n"
    files = [written(tmp_path, "next.csv", asked), written(tmp_path, "old.qrels", "1 0 y 1\n")]
    for order in (files, files[::-1]):
        rows = read_pool(order).rows
        assert {r.item.docs[0]: r.item.chosen for r in rows} == {"x": "next", "y": "", "z": ""}
        (tmp_path / "pool.jsonl").write_bytes(write_pool(rows))
        assert read_pool([tmp_path / "pool.jsonl"]).rows == rows
