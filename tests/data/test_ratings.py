"""Ratings in the shapes people have them in, and what is refused."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

import truegain as tg
from truegain.data.ratings import Scale

WANTED = {("1", "a", "ann", 2.0), ("1", "a", "bob", 1.0), ("2", "b", "ann", 0.0)}


def rows(ratings: tg.Judgments) -> set[tuple[str, str, str, float]]:
    """Ratings as a set of (topic, document, assessor, label)."""
    frame = ratings.frame()
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


@pytest.mark.filterwarnings("ignore:.*columns are taken as assessors")
@pytest.mark.parametrize("name", FILES)
def test_every_shape_gives_the_same_ratings(name: str, tmp_path: Path) -> None:
    """Guards the readers: one study in seven shapes is one set of ratings."""
    (tmp_path / name).write_text(FILES[name])
    assert rows(tg.read_ratings(tmp_path / name)) == WANTED


def test_frames_and_parquet(tmp_path: Path) -> None:
    """Guards frames in memory and Parquet files, wide and long."""
    wide = pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "b"], "ann": [2, 0], "bob": [1, None]})
    wide.write_parquet(tmp_path / "wide.parquet")
    who = ["ann", "bob"]
    assert rows(tg.read_ratings(wide, assessors=who)) == WANTED
    assert rows(tg.read_ratings(tmp_path / "wide.parquet", assessors=who)) == WANTED
    assert rows(tg.read_ratings(pd.DataFrame(wide.to_dict(as_series=False)), assessors=who)) == WANTED


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
        ("topic,doc,assessor,label\n1,a,x,good\n", {}, "values={'good': 1}"),
        ("topic,doc,assessor,label\n1,a,x,1/0\n", {}, "rating is not a number: '1/0'"),
        ("topic,doc,assessor,label\n1,a,x,\n", {}, "rating is missing"),
        ("topic,doc,label\n1,a,1\n", {}, "there is no assessor"),
        ("1,a,x,2\n", {}, "r.csv:1: the columns are not named: '1,a,x,2' (begin the table with"),
        ("", {}, "the file is empty"),
        ("topic doc assessor label\n1 a x 2\n", {}, "the columns are separated by blanks"),
        ("topic|doc|assessor|label\n1|a|x|2\n", {}, "the columns are separated by bars"),
        ("topicNr\tworkerID\tdocID\tlabel\n1\tx\ta\t2\n", {}, "columns='topic=topicNr,assessor=workerID'"),
        ("topicNr\tworkerID\tdocID\tlabel\n1\tx\ta\t2\n", {}, "no topic and no assessor among the columns topicNr, "),
        ("doc,assessor,label\na,x,1\n", {}, "give it a name with topic="),
        ("topic,doc,assessor\n1,a,x\n", {}, "there is no label among the columns topic, doc, assessor"),
        ("topic,doc,assessor,label\n1,a,x,NA\n", {}, "r.csv:2: rating is missing: 'NA' (leave out the row"),
        ("topic,doc,assessor,label\n1,a,x,nan\n", {}, "rating is missing: 'nan'"),
        ("topic,doc,ann\n1,a,NA\n", {"assessors": ["ann"]}, "rating in column 'ann' is missing: 'NA' (leave the cell"),
        ("topic,doc,ann,bob\n1,a,1,x\n", {"assessors": ["ann", "bob"]}, "in column 'bob' is not a number: 'x'"),
        ("topic,doc,assessor,label\n1,a,x,50%\n", {}, "is not a number: '50%' (write 50, without the sign)"),
        ("topic,doc,assessor,label\n1,a,x,good\n1,b,x,bad\n", {}, "1} of tg.read_ratings (words here: bad, good)"),
        ('{"topic": "1", "doc": "a", "assessor": "x", "label": [1]}\n', {}, "'[1]' (write one number, not a list"),
        ("topic,doc,assessor,label,seconds\n1,a,x,1,abc\n", {}, ":2: seconds is not a number of at least 0: 'abc'"),
        ("topic,doc,assessor,label,seconds\n1,a,x,1,-5\n", {}, "seconds is not a number of at least 0: '-5'"),
        ("topic,doc,ann,seconds\n1,a,1,-5\n", {"assessors": ["ann"]}, "seconds is not a number of at least 0: '-5'"),
        ("topic,doc,assessor,label,order\n1,a,x,1,2\n1,b,x,1,first\n", {}, "r.csv:3: order is not a number: 'first'"),
        ("topic,doc,assessor,label,order\n1,a,x,1,2\n1,b,x,1,\n", {}, "r.csv:3: order is missing"),
        ("task,worker,label\n17,x,1\n", {}, "(topic='NAME' of tg.read_ratings)"),
        ("topic,doc,assessor,label\n1,a,x,1\n", {"topic": "2"}, "there is a column 'topic'"),
        ("query,doc,x\n1,a,1\n", {"columns": {"topic": "query+facet"}}, "no column facet among query, doc, x, to join"),
        ("task,worker,label\n1a,x,1\n", {}, "separator=':'"),
        ("topic,doc\n1,a\n", {}, "no column that could be an assessor's"),
        ("topic,doc,x\n1,a,1\n", {"assessors": ["y"]}, "no column y"),
        ("topic,doc,x\n1,a,1\n", {"columns": {"subtopic": "facet"}}, "no column 'facet'"),
        ("topic,doc,x\n1,a,1\n", {"columns": {"color": "facet"}}, "no column named color"),
        ("topic,doc,x\n1,a,1\n", {"scale": "3:0"}, "leave fewer than two possible ratings"),
        ("topic,doc,x\n1,a,1\n", {"scale": "0:3:4"}, "cannot be read"),
        ("topic,doc,x\n1,a,1\n", {"scale": "cardinal"}, "cannot be read"),
        ("topic,doc,x\n1,a,1\n", {"scale": "0:inf"}, "not finite"),
        ("topic,doc,x\n1,a,1\n", {"repeated": "best"}, "give error or first or last or mean"),
        ("[{]", {}, "not readable JSON"),
        ('[{"a": 1}]', {}, "no topic and no doc among the columns a"),
        ('[{"annotations": 1}]', {}, "without a list of annotations"),
        (json.dumps([studio_task("1", "a", studio_rating("x", "choices", ["1", "2"]))]), {}, "contains 2 ratings"),
        (json.dumps([{"data": {"doc": "a"}, "annotations": [studio_rating("x", "number", 1)]}]), {}, "has no topic"),
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
        assert rows(tg.read_ratings(path, scale="0:3", out_of_range="drop")) == {("1", "b", "x", 2.0)}


@pytest.mark.parametrize(("which", "label"), [("first", 4.0), ("last", 3.0), ("mean", 3.0)])
def test_repeated_ratings_by_option(which: Any, label: float, tmp_path: Path) -> None:
    """Guards the three ways to settle repeats; other rows stay."""
    path = tmp_path / "r.csv"
    path.write_text("topic,doc,assessor,label\n1,a,x,4\n1,b,x,0\n1,a,x,2\n1,a,y,7\n1,a,x,3\n")
    with pytest.warns(tg.DataWarning, match=f"1 document was rated more than once by one assessor; the {which}"):
        found = rows(tg.read_ratings(path, repeated=which))
    assert found == {("1", "a", "x", label), ("1", "b", "x", 0.0), ("1", "a", "y", 7.0)}


def test_skipped_annotations_are_counted(tmp_path: Path) -> None:
    """Guards against taking a cancelled annotation or an ignored answer for a rating."""
    path = tmp_path / "s.json"
    cancelled = studio_rating("y", "number", 2, was_cancelled=True)
    path.write_text(json.dumps([studio_task("1", "a", studio_rating("x", "number", 1), cancelled)]))
    with pytest.warns(tg.DataWarning, match="1 annotation in .* was canceled"):
        assert len(tg.read_ratings(path)) == 1
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (*PRODIGY, {**PRODIGY[0], "answer": "ignore"})))
    with pytest.warns(tg.DataWarning, match="1 answer in .* is 'ignore'"):
        assert rows(tg.read_ratings(path)) == WANTED


def test_long_lists_are_cut_and_names_are_kept(tmp_path: Path) -> None:
    """Guards the list of what lies outside, five and a count; and the spelling of an assessor's column."""
    path = tmp_path / "r.csv"
    path.write_text("topic,doc,Ann B\n" + "".join(f"1,d{i},{i}\n" for i in range(9)))
    with pytest.raises(tg.InputError, match=r"7 of 9 .*: 2 \(line 4, assessor Ann B\), .*6 \(line 8.*\) and 2 more"):
        tg.read_ratings(path, scale="0:1", assessors=["Ann B"])


def test_trec_lines_are_no_ratings(tmp_path: Path) -> None:
    """Guards against taking a qrels file for ratings of nobody."""
    (tmp_path / "qrels").write_text("1 0 a 2\n")
    with pytest.raises(tg.InputError, match="TREC lines, which do not name assessors"):
        tg.read_ratings(tmp_path / "qrels")
    with pytest.raises(tg.InputError, match="do not name assessors"):
        tg.read_ratings({"1": {"a": 2}})


def test_a_scale_prints_as_it_parses() -> None:
    """Guards the text form of scales."""
    for text in ("0:3", "ordinal 0:3", "ratio", "1:", ":5", "interval -1:1"):
        assert str(Scale.of(text)) == text
        assert Scale.of(str(Scale.of(text))) == Scale.of(text)


def test_columns_taken_as_assessors_are_told(tmp_path: Path) -> None:
    """Guards against a year that becomes an assessor unseen: the columns are named once, and how to choose them."""
    path = tmp_path / "r.csv"
    path.write_text("topic,doc,ann,bob,year\n1,a,2,1,2001\n2,b,0,,1999\n")
    said = r"r.csv: 3 columns are taken as assessors: ann, bob, year \(choose them with assessors=\['ann', 'bob'\] of"
    with pytest.warns(tg.DataWarning, match=said) as caught:
        assert len(tg.read_ratings(path)) == 5
    assert len(caught) == 1
    assert rows(tg.read_ratings(path, assessors=["ann", "bob"])) == WANTED


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        (None, "declare scale='0:2' and out_of_range='drop'"),
        ("ordinal", "declare scale='ordinal 0:2' and out_of_range='drop'"),
    ],
)
def test_negative_ratings_are_told(scale: str | None, said: str, tmp_path: Path) -> None:
    """Guards against averaging -2 for 'broken link' unseen: counted and told, unless the scale says what it is."""
    path = tmp_path / "r.csv"
    path.write_text("topic,doc,assessor,label\n1,a,x,-2\n1,b,x,2\n1,a,y,-1\n")
    with pytest.warns(tg.DataWarning, match="2 of 3 ratings are negative .lowest -2. and counted as ratings") as caught:
        ratings = tg.read_ratings(path, scale=scale)
    assert said in str(caught[0].message)
    assert len(tg.read_ratings(ratings)) == 3  # told when they were read, and not again
    for declared in ("interval", "-2:2", "interval -2:2"):
        assert len(tg.read_ratings(path, scale=declared)) == 3


def test_words_of_a_nominal_scale(tmp_path: Path) -> None:
    """Guards --scale nominal: words are ratings, numbered as told; words elsewhere, and missing ones, are refused."""
    path = tmp_path / "r.csv"
    path.write_text("topic,doc,assessor,label\n1,a,x,spam\n1,a,y,ad\n1,b,x,7\n")
    with pytest.warns(tg.DataWarning, match="the 3 words of the nominal scale are numbered .*: 7=0, ad=1, spam=2"):
        found = tg.read_ratings(path, scale="nominal")
    assert found.label.tolist() == [2, 1, 0]
    with pytest.warns(tg.DataWarning, match="the 2 words .*: 7=6, ad=7"):
        assert tg.read_ratings(path, scale="nominal", values={"spam": 5}).label.tolist() == [5, 7, 6]
    for scale in ("ordinal", "nominal 0:3"):
        with pytest.raises(tg.InputError, match="'spam'"):
            tg.read_ratings(path, scale=scale)
    path.write_text("topic,doc,assessor,label\n1,a,x,spam\n1,a,y,NA\n")
    with pytest.raises(tg.InputError, match=r"r.csv:3: rating is missing: 'NA'"):
        tg.read_ratings(path, scale="nominal")


def test_numbers_of_a_nominal_scale_stay(tmp_path: Path) -> None:
    """Guards nominal scales of numbers: nothing is numbered anew, nothing told."""
    path = tmp_path / "r.csv"
    path.write_text("topic,doc,assessor,label\n1,a,x,4\n1,a,y,-7\n")
    assert tg.read_ratings(path, scale="nominal").label.tolist() == [4, -7]


def test_one_topic_for_all(tmp_path: Path) -> None:
    """Guards tasks that are plain ids, and tables without topics: all of the topic that is named."""
    path = tmp_path / "r.csv"
    wanted = {("t", "17", "x", 1.0), ("t", "18", "y", 0.0)}
    for text in ("task,worker,label\n17,x,1\n18,y,0\n", "doc,worker,label\n17,x,1\n18,y,0\n"):
        path.write_text(text)
        assert rows(tg.read_ratings(path, topic="t")) == wanted


def test_columns_are_joined(tmp_path: Path) -> None:
    """Guards topics of two columns, in a file and in a frame; the columns joined are no assessors."""
    text = "query,facet,doc,ann1,ann2,adjudicated\n1,f,a,2,1,2\n1,g,a,0,,0\n"
    path = tmp_path / "r.csv"
    path.write_text(text)
    options: dict[str, Any] = {"assessors": ["ann1", "ann2"], "columns": {"topic": "query+facet"}}
    wanted = {("1-f", "a", "ann1", 2.0), ("1-f", "a", "ann2", 1.0), ("1-g", "a", "ann1", 0.0)}
    assert rows(tg.read_ratings(path, **options)) == wanted
    assert rows(tg.read_ratings(pl.read_csv(path), **options)) == wanted
    path.write_text("query,facet,doc,ann1\n1,f,a,2\n")
    with pytest.warns(tg.DataWarning, match="1 column is taken as an assessor: ann1"):
        tg.read_ratings(path, columns={"topic": "query+facet"})


def test_blanks_around_cells_do_not_count(tmp_path: Path) -> None:
    """Guards tables written with a blank after every comma: cells are as their headers."""
    path = tmp_path / "r.csv"
    path.write_text("topic, doc, assessor, label\n1, a, ann, 2\n1,a,bob , 1\n2, b,ann, 0\n")
    assert rows(tg.read_ratings(path)) == WANTED


def test_csfcube_is_read_as_given(shared_data: Path) -> None:
    """Guards the walk of the documentation: two annotators beside an adjudicated column, topics of query and facet."""
    with pytest.warns(tg.DataWarning, match="17 of 12,488 ratings lie outside the scale 0:3 and are dropped"):
        found = tg.read_ratings(
            shared_data / "csfcube" / "judgments_long.csv.gz",
            assessors=["ann1", "ann2"],
            columns={"topic": "query+facet"},
            scale="0:3",
            out_of_range="drop",
        )
    assert len(found.topic.values) == 50
    assert found.assessor is not None
    assert found.assessor.values == ("ann1", "ann2")


@pytest.mark.parametrize(
    "call", [tg.agreement, lambda r: tg.aggregate(r, "mean"), lambda r: tg.plan_assessors(r, error=1)]
)
@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("topic,doc,assessor,label\n1,a,x,2\n1,b,x,\n", "missing"),
        ("topic,doc,assessor,label\n1,a,x,good\n1,b,x,bad\n", "values"),
        ("query,doc,who,label\n1,a,x,1\n1,b,x,2\n", "columns"),
        ("topic,doc,assessor,label\n1,a,x,2\n1,a,x,1\n", "repeated"),
        ("task,worker,label\n17,x,1\n", "separator"),
    ],
)
def test_hints_name_arguments_that_are_taken(
    call: Callable[[object], object], text: str, argument: str, tmp_path: Path
) -> None:
    """Guards what a user does next: an argument is named with the function that has it."""
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(tg.InputError, match=rf"\b{argument}=[^;)]* of tg.read_ratings"):
        call(path)
    assert argument in inspect.signature(tg.read_ratings).parameters
