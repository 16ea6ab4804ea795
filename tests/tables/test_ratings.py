"""Ratings in the shapes people have them in, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

import truegain as tg
from truegain.tables.scale import Scale

WANTED = {("1", "a", "ann", 2.0), ("1", "a", "bob", 1.0), ("2", "b", "ann", 0.0)}


def rows(ratings: tg.Judgments) -> set[tuple[str, str, str, float]]:
    """Ratings as a set of (topic, document, assessor, label)."""
    frame = ratings.frame
    return set(zip(frame["topic"], frame["doc"], frame["assessor"], frame["label"], strict=True))


def studio_task(topic: str, doc: str, *annotations: dict[str, Any]) -> dict[str, Any]:
    """A task of a Label Studio export."""
    return {"id": 1, "data": {"topic": topic, "doc": doc, "text": "x"}, "annotations": list(annotations)}


def studio_rating(who: object, kind: str, value: object, **more: object) -> dict[str, Any]:
    """An annotation of a Label Studio export."""
    return {"completed_by": who, "lead_time": 3.5, "result": [{"type": kind, "value": {kind: value}}], **more}


STUDIO = [
    studio_task("1", "a", studio_rating({"email": "ann"}, "choices", ["2"]), studio_rating("bob", "number", 1)),
    studio_task("2", "b", studio_rating({"email": "ann"}, "rating", 0)),
]
PRODIGY: list[dict[str, Any]] = [
    {"topic": "1", "doc": "a", "accept": ["2"], "answer": "accept", "_annotator_id": "ann", "_session_id": "s-ann"},
    {"meta": {"topic": "1", "doc": "a"}, "answer": "accept", "label": "GOOD", "_session_id": "bob"},
    {"meta": {"topic": "2", "doc": "b"}, "answer": "reject", "label": "GOOD", "_session_id": "ann"},
]
FILES = {
    "long.csv": "topic,doc,worker,rating\n1,a,ann,2\n1,a,bob,1\n2,b,ann,0\n",
    "long.tsv": "qid\tdocno\tassessor\tlabel\n1\ta\tann\t2\n1\ta\tbob\t1.0\n2\tb\tann\t0\n",
    "crowdkit.csv": "task,worker,label\n1 a,ann,2\n1 a,bob,1\n2 b,ann,0\n",
    "wide.csv": "topic,doc,ann,bob\n1,a,2,1\n2,b,0,\n",
    "fractions.csv": "topic,doc,worker,rating\n1,a,ann,4/2\n1,a,bob,2 / 2\n2,b,ann,0\n",
    "studio.json": json.dumps(STUDIO),
    "prodigy.jsonl": "".join(json.dumps(line) + "\n" for line in PRODIGY),
}


@pytest.mark.parametrize("name", FILES)
def test_every_shape_gives_the_same_ratings(name: str, tmp_path: Path) -> None:
    """Guards the readers: one study in seven shapes is one set of ratings."""
    (tmp_path / name).write_text(FILES[name])
    assert rows(tg.read_ratings(tmp_path / name)) == WANTED


def test_frames_and_parquet(tmp_path: Path) -> None:
    """Guards frames in memory and Parquet files, wide and long."""
    wide = pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "b"], "ann": [2, 0], "bob": [1, None]})
    wide.write_parquet(tmp_path / "wide.parquet")
    assert rows(tg.read_ratings(wide)) == rows(tg.read_ratings(tmp_path / "wide.parquet")) == WANTED
    assert rows(tg.read_ratings(pd.DataFrame(wide.to_dict(as_series=False)))) == WANTED


def test_options_tell_the_shape(tmp_path: Path) -> None:
    """Guards what cannot be told from the file: separator, which columns rate, other names, words for numbers."""
    path = tmp_path / "r.csv"
    path.write_text("task,worker,label\n1:a,ann,good\n1:a,bob,bad\n2:b,ann,no\n")
    words = {"good": 2, "bad": 1, "no": 0}
    assert rows(tg.read_ratings(path, separator=":", values=words)) == WANTED
    path.write_text("query,facet,doc,ann,bob,final\n1,f,a,2,1,2\n2,f,b,0,,0\n")
    found = tg.read_ratings(path, assessors=["ann", "bob"], columns={"subtopic": "facet"})
    assert rows(found) == WANTED
    assert found.subtopic.values == ("f",)


def test_what_is_known_besides_is_kept(tmp_path: Path) -> None:
    """Guards unit, seconds and the like, which the diagnostics need."""
    path = tmp_path / "r.csv"
    path.write_text("topic,doc,assessor,label,unit,seconds\n1,a,ann,2,u1,20\n")
    assert tg.read_ratings(path).extra == {"unit": ["u1"], "seconds": ["20"]}
    (tmp_path / "s.json").write_text(json.dumps(STUDIO))
    assert tg.read_ratings(tmp_path / "s.json").extra["seconds"] == [3.5, 3.5, 3.5]


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("topic,doc,rater,label\n1,a,x,4\n1,b,x,2\n", {"scale": "0:3"}, "1 of 2 ratings lie outside the scale 0:3: 4"),
        ("topic,doc,assessor,label\n1,a,x,-4\n", {"scale": "ratio"}, "outside the scale ratio: -4"),
        ("topic,doc,assessor,label\n1,a,x,4\n1,a,x,2\n", {}, "assessor x rated topic 1, document a twice"),
        ("topic,doc,assessor,label\n1,a,x,good\n", {}, "--values 'good=1'"),
        ("topic,doc,assessor,label\n1,a,x,1/0\n", {}, "rating is not a number: '1/0'"),
        ("topic,doc,assessor,label\n1,a,x,\n", {}, "rating is missing"),
        ("topic,doc,label\n1,a,1\n", {}, "there is no assessor"),
        ("1 0 a 2\n", {}, "the columns 'topic' and 'doc' are not named"),
        ("task,worker,label\n1a,x,1\n", {}, "--separator ':'"),
        ("topic,doc\n1,a\n", {}, "no column that could be an assessor's"),
        ("topic,doc,x\n1,a,1\n", {"assessors": ["y"]}, "no column y"),
        ("topic,doc,x\n1,a,1\n", {"columns": {"subtopic": "facet"}}, "no column 'facet'"),
        ("topic,doc,x\n1,a,1\n", {"columns": {"colour": "facet"}}, "no column called colour"),
        ("topic,doc,x\n1,a,1\n", {"scale": "3:0"}, "hold no two ratings"),
        ("topic,doc,x\n1,a,1\n", {"scale": "0:3:4"}, "cannot be read"),
        ("topic,doc,x\n1,a,1\n", {"scale": "cardinal"}, "cannot be read"),
        ("topic,doc,x\n1,a,1\n", {"scale": "0:inf"}, "not finite"),
        ("topic,doc,x\n1,a,1\n", {"repeated": "best"}, "give error or first or last or mean"),
        ("[{]", {}, "not readable JSON"),
        ('[{"a": 1}]', {}, "without a list of annotations"),
        (json.dumps([studio_task("1", "a", studio_rating("x", "choices", ["1", "2"]))]), {}, "holds 2 ratings"),
        (json.dumps([{"data": {"doc": "a"}, "annotations": [studio_rating("x", "number", 1)]}]), {}, "its topic"),
    ],
)  # fmt: skip
def test_mistakes_are_told(text: str, options: dict[str, Any], said: str, tmp_path: Path) -> None:
    """Guards the messages: what is wrong, where, and what to do."""
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(tg.InputError) as caught:
        tg.read_ratings(path, **options)
    assert said in str(caught.value)


def test_outside_can_be_dropped_and_is_counted(tmp_path: Path) -> None:
    """Guards the option: what lies outside goes, and the user hears how much."""
    path = tmp_path / "r.csv"
    path.write_text("topic,doc,assessor,label\n1,a,x,4\n1,b,x,2\n1,c,x,-1\n")
    with pytest.warns(tg.DataWarning, match="2 of 3 ratings lie outside the scale 0:3"):
        assert rows(tg.read_ratings(path, scale="0:3", outside="drop")) == {("1", "b", "x", 2.0)}


@pytest.mark.parametrize(("which", "label"), [("first", 4.0), ("last", 3.0), ("mean", 3.0)])
def test_repeated_ratings_by_option(which: Any, label: float, tmp_path: Path) -> None:
    """Guards the three ways to settle repeats; other rows stay."""
    path = tmp_path / "r.csv"
    path.write_text("topic,doc,assessor,label\n1,a,x,4\n1,b,x,0\n1,a,x,2\n1,a,y,7\n1,a,x,3\n")
    with pytest.warns(tg.DataWarning, match=f"1 documents were rated more than once by one assessor; the {which}"):
        found = rows(tg.read_ratings(path, repeated=which))
    assert found == {("1", "a", "x", label), ("1", "b", "x", 0.0), ("1", "a", "y", 7.0)}


def test_skipped_annotations_are_counted(tmp_path: Path) -> None:
    """Guards against taking a cancelled annotation or an ignored answer for a rating."""
    path = tmp_path / "s.json"
    cancelled = studio_rating("y", "number", 2, was_cancelled=True)
    path.write_text(json.dumps([studio_task("1", "a", studio_rating("x", "number", 1), cancelled)]))
    with pytest.warns(tg.DataWarning, match="1 annotations"):
        assert len(tg.read_ratings(path)) == 1
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (*PRODIGY, {**PRODIGY[0], "answer": "ignore"})))
    with pytest.warns(tg.DataWarning, match="1 answers"):
        assert rows(tg.read_ratings(path)) == WANTED


def test_long_lists_are_cut_and_names_are_kept(tmp_path: Path) -> None:
    """Guards the list of what lies outside, five and a count; and the spelling of an assessor's column."""
    path = tmp_path / "r.csv"
    path.write_text("topic,doc,Ann B\n" + "".join(f"1,d{i},{i}\n" for i in range(9)))
    with pytest.raises(tg.InputError, match=r"7 of 9 .*: 2 \(line 4, assessor Ann B\), .*6 \(line 8.*\) and 2 more"):
        tg.read_ratings(path, scale="0:1")


def test_trec_lines_are_no_ratings(tmp_path: Path) -> None:
    """Guards against taking a qrels file for ratings of nobody."""
    (tmp_path / "qrels").write_text("1 0 a 2\n")
    with pytest.raises(tg.InputError, match="TREC lines, which do not say who rated"):
        tg.read_ratings(tmp_path / "qrels")
    with pytest.raises(tg.InputError, match="there is no assessor"):
        tg.read_ratings({"1": {"a": 2}})


def test_a_scale_prints_as_it_parses() -> None:
    """Guards the text form of scales."""
    for text in ("0:3", "ordinal 0:3", "ratio", "1:", ":5", "interval -1:1"):
        assert str(Scale.of(text)) == text
        assert Scale.of(str(Scale.of(text))) == Scale.of(text)
