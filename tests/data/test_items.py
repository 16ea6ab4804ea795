"""Values of answers: tables in all shapes, names of systems, what is missing, clusters."""

from __future__ import annotations

import json
import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.data.item_reading import joined, read_items
from truegain.data.items import Items
from truegain.io.logs.log import Log, Row, ScoreRange, ToolMean

WIDE = "question_id,domain,faithfulness,relevancy\nq1,a,0.5,1\nq2,a,,0\nq3,b,1.0,1\n"
LONG = "system,topic,metric,value\nold,q1,f,0.5\nold,q2,f,0.25\nnew,q1,f,1\nnew,q2,f,\n"


def written(folder: Path, name: str, text: str) -> Path:
    """A file in a folder."""
    (folder / name).write_text(text)
    return folder / name


def test_a_table_of_scores_is_read_as_it_stands(tmp_path: Path) -> None:
    """Guards wide tables: a column of numbers is a score, an empty cell is missing, the file names the system."""
    items = tg.read_items([written(tmp_path, "old.csv", WIDE), written(tmp_path, "new.csv", WIDE)])
    assert (items.systems, items.scores) == (("old", "new"), ("faithfulness", "relevancy"))
    assert np.array_equal(items.matrix("faithfulness")[0], [0.5, math.nan, 1.0], equal_nan=True)
    assert items.missing("faithfulness") == {"old": {"missing": 1}, "new": {"missing": 1}}
    assert items.missing("relevancy") == {}
    assert items.clusters == {"domain": {"q1": "a", "q2": "a", "q3": "b"}}


def test_every_shape_says_the_same(tmp_path: Path) -> None:
    """Guards long files, frames and dicts."""
    rows: dict[str, list[Any]] = {
        "system": ["old", "old", "new", "new"], "topic": ["q1", "q2", "q1", "q2"], "f": [0.5, 0.25, 1.0, None],
    }  # fmt: skip
    shapes = [
        read_items(written(tmp_path, "long.csv", LONG)),
        read_items(pl.DataFrame(rows)),
        read_items({"f": {"old": {"q1": 0.5, "q2": 0.25}, "new": {"q1": 1.0, "q2": None}}}),
    ]
    for items in shapes:
        assert items.systems == ("old", "new")
        assert np.array_equal(items.matrix("f"), [[0.5, 0.25], [1.0, math.nan]], equal_nan=True)
    parts = [("system", "topic", "f"), ("old", "q1", 0.5), ("old", "q2", 0.25), ("new", "q1", 1.0), ("new", "q2", None)]
    each = read_items({str(c): x for c, x in zip(parts[0], part, strict=True)} for part in parts[1:])
    assert np.array_equal(each.matrix("f"), shapes[0].matrix("f"), equal_nan=True)
    again = read_items(shapes[0].frame())
    assert np.array_equal(again.matrix("f"), shapes[0].matrix("f"), equal_nan=True)


def test_several_paths_in_any_collection(tmp_path: Path) -> None:
    """Guards what a glob finds, sets and arrays of paths; arrays of numbers and nothing are refused in words."""
    files = {written(tmp_path, "old.csv", WIDE), written(tmp_path, "new.csv", WIDE)}
    for data in (tmp_path.glob("*.csv"), files, tuple(files), np.array(sorted(map(str, files)))):
        assert sorted(read_items(data).systems) == ["new", "old"]
    for nothing in (np.array([1, 2]), [1], None, b"abc"):
        with pytest.raises(tg.InputError, match=r"as values of answers \(give a path, a list of paths, a frame or"):
            read_items(nothing)  # type: ignore[arg-type]
    with pytest.raises(tg.InputError, match="there are no values"):
        read_items([])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("faithfulness\n1\n", "no column 'topic'"),
        ("topic,answer\nq1,yes it is\n", "no column of numbers among topic, answer"),
        ("topic,value\nq1,good\n", "value is not a number"),
        ("topic,value\nq1,inf\n", "value is not a number"),
        ("topic,value\n,0.5\n", "topic is missing"),
        ("topic,value,weight\nq1,0.5,-1\n", "weight is not a weight"),
        ("topic,value\nq1,0.5\nq1,0.6\n", "topic q1 appears twice; the first is in line 2"),
    ],
)
def test_what_is_refused(text: str, message: str, tmp_path: Path) -> None:
    """Guards messages: file, line, value and remedy."""
    with pytest.raises(tg.InputError, match=message) as error:
        read_items(written(tmp_path, "x.csv", text))
    assert "x.csv" in str(error.value)


def test_files_are_told_apart_by_what_differs() -> None:
    """Guards names of systems: the first thing that differs between logs, never two systems under one name."""

    def log(path: str, **names: str) -> Log:
        return Log(path, "tool", [Row("q1", "s", 1.0)], names)

    one, other = log("a.json", model="m", label="x", file="a"), log("b.json", model="m", label="y", file="b")
    assert joined([one, other]).systems == ("x", "y")
    assert joined([one, other], names=["old", "new"]).systems == ("old", "new")
    with pytest.raises(tg.InputError, match=r"2 files give the same name to their system \(model: m\)"):
        joined([log("a.json", model="m"), log("b.json", model="m")])
    with pytest.raises(tg.TruegainError, match="1 name for 2 files"):
        joined([one, other], names=["old"])


def test_judges_and_replicates_count_once_each() -> None:
    """Guards means within an item: replicates of a judge first, then judges, then weighted items, then topics."""
    rows = [
        Row("q1", "s", 1.0, "a", judge="x", replicate=1), Row("q1", "s", 0.0, "a", judge="x", replicate=2),
        Row("q1", "s", 1.0, "a", judge="y"), Row("q1", "s", math.nan, "a", judge="z", status="failed"),
        Row("q2", "s", 1.0, "a", item="1", weight=3.0, judge="x"), Row("q2", "s", 0.0, "a", item="2", judge="x"),
    ]  # fmt: skip
    items = Items.of_rows(rows)
    assert items.by_item.value.tolist() == [0.75, 1.0, 0.0]
    assert items.matrix("s").tolist() == [[0.75, 0.75]]
    assert items.missing("s") == {"a": {"failed": 1}}
    assert items.by_item.status.values == ("ok",)


def test_failures_on_one_side_are_told() -> None:
    """Guards the warning of unequal missingness, by a difference above 2% and by the exact test."""

    def items(lost: int, n: int) -> Items:
        new = {f"q{t}": None if t < lost else 0.5 for t in range(n)}
        return read_items({"f": {"old": {f"q{t}": 0.5 for t in range(n)}, "new": new}})

    with pytest.warns(tg.DataWarning, match=r"new has no value for 3\.0% of the topics, old for 0\.0%"):
        items(3, 100).tell_missing("f")
    with pytest.warns(tg.DataWarning, match=r"new has no value for 1\.0% of the topics"):  # 10 of 10 on one side
        items(10, 1000).tell_missing("f")
    with pytest.warns(tg.DataWarning) as told:
        items(1, 100).tell_missing("f")
    assert [str(w.message) for w in told] == [
        "f: values are missing (new 1 missing); they are left out, not counted as 0"
    ]


def test_a_reason_of_failures_is_told_only_where_they_explain_the_mean() -> None:
    """Guards reasons of tools' means against systems without a failure, and means that failures cannot give."""

    def told(values: list[float], mean: float) -> bool:
        rows = [Row(f"q{t}", "s", x, "a", status="failed" if math.isnan(x) else "ok") for t, x in enumerate(values)]
        means = (ToolMean("s", mean, "a", reason="failures count 0", of_failed=True),)
        return "(failures count 0)" in Items.of_rows(rows, means=means).check_means()[0]

    assert told([1.0, 1.0, math.nan, math.nan], 0.5)
    assert not told([1.0, 1.0, 0.0, 0.0], 0.25)
    assert not told([1.0, 0.0, math.nan], 0.9)
    assert not told([1.0, 1.0, math.nan, math.nan], 0.1)


def test_a_cell_that_is_no_number_has_its_place_and_remedy(tmp_path: Path) -> None:
    """Guards against one cell that hides a column, alone or beside another score."""
    rows = "".join(f"q{t},{s},0.{t},{t}\n" for t in range(1, 6) for s in ("a", "b")).replace("0.3,", "80%,", 1)
    path = tmp_path / "a.csv"
    path.write_text("topic,system,faith,words\n" + rows)
    place = r"a\.csv:6: faith is not a number: '80%' \(write 0\.8, or nothing"
    with pytest.raises(tg.TruegainError, match=place):
        tg.Study(tg.read_items(path), measures="faith")
    assert tg.read_items(path).scores == ("words",)
    path.write_text("\n".join(line.rpartition(",")[0] for line in path.read_text().splitlines()))
    with pytest.raises(tg.TruegainError, match=place):
        tg.read_items(path)
    path.write_text("topic,system,faith\nq1,a,\nq1,b,maybe\n")
    with pytest.raises(tg.TruegainError, match=r"a\.csv:3: faith is not a number: 'maybe' \(give a number"):
        tg.read_items(path)


def test_the_tools_own_mean_is_checked() -> None:
    """Guards means of tools: one that is not that of its values is told with its reason."""
    rows = [Row(f"q{t}", "s", float(t % 2), "a") for t in range(4)]
    assert Items.of_rows(rows, means=(ToolMean("s", 0.5, "a"),)).check_means() == ()
    (told,) = Items.of_rows(rows, means=(ToolMean("s", 0.4, "a", reason="failures count 0"),)).check_means()
    assert told == (
        "s of a: the tool printed 0.4000, the mean of its values is 0.5000 over 4 topics (failures count 0)"
    )


def test_which_score_and_which_cluster() -> None:
    """Guards choices: a unique last part of a name will do, a wrong one is refused with what there is."""
    rows = [Row("q1", name, 1.0, "a") for name in ("rag/faith", "rag/relev")]
    items = Items.of_rows(rows, clusters={"metadata.topic": {"q1": "x"}}, source="a.eval")
    assert items.chosen(["faith"]) == ("rag/faith",)
    with pytest.raises(
        tg.TruegainError,
        match=r"which score of a\.eval. There are rag/faith, rag/relev.*choose by measures='rag/faith'",
    ):
        items.chosen(None)
    with pytest.raises(tg.TruegainError, match=r"score 'fiath' names no score of a\.eval"):
        items.chosen(["fiath"])
    assert items.clustered("topic").cluster == {"q1": "x"}
    with pytest.raises(tg.TruegainError, match=r"cluster 'tpoic' is not a column of a\.eval"):
        items.clustered("tpoic")
    half = Items.of_rows([*rows, Row("q2", "rag/faith", 1.0, "a")], clusters={"c": {"q1": "x"}})
    with pytest.raises(tg.TruegainError, match="1 of 2 topics have no value there"):
        half.clustered("c")
    whole = Items.of_rows([*rows, Row("q2", "rag/faith", 1.0, "a")], clusters={"meta.c": {"q1": "x", "q2": "x"}})
    with pytest.raises(tg.TruegainError, match=r"^cluster 'c': all 2 topics have one value; leave it out$") as refused:
        whole.clustered("c")
    assert (refused.value.argument, refused.value.value) == ("cluster", "c")


def test_topics_that_are_left_out_may_leave_one_cluster() -> None:
    """Guards that one cluster is refused by the name of its option, with no warning of few clusters before."""
    scores = {
        s: {f"q{t}": (None if s == "b" and t == 5 else t / 7 + k) for t in range(6)} for s, k in (("a", 0), ("b", 0.1))
    }
    items = replace(tg.read_items({"f": scores}), cluster={f"q{t}": "y" if t == 5 else "x" for t in range(6)})
    with warnings.catch_warnings(record=True, action="always") as told:
        study = tg.Study(items, measures="f")
        with pytest.raises(tg.TruegainError, match=r"^cluster: all 5 topics have one value; leave it out$"):
            study.verdict("a", "b")
    assert not any("cluster" in str(w.message) for w in told)


def test_ranges_are_kept() -> None:
    """Guards ends and direction of a score, from a log or given."""
    items = read_items({"toxicity": {"a": {"q1": 0.5}}}, scales={"toxicity": ScoreRange(0, 1, True)})
    assert items.scales["toxicity"].lower_is_better
    assert read_items(items) is items


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("system,topic,faithfulness,relevance,score\na,q1,0.5,1,0.7\na,q2,0.5,0,0.2\n", "faithfulness relevance score"),
        ("system,topic,faithfulness,label\na,q1,0.5,good\na,q2,1,bad\n", "faithfulness"),
        ("system,topic,citation,fluency\na,q1,0.5,1\na,q2,1,0\n", "citation fluency"),
        ("system,topic,score\na,q1,0.5\na,q2,1\n", "score"),
    ],
)
def test_scores_beside_a_column_called_score(text: str, scores: str, tmp_path: Path) -> None:
    """Guards wide tables: no column of numbers is lost, or taken as ids, because of what another is called."""
    items = read_items(written(tmp_path, "x.csv", text))
    assert set(items.scores) == set(scores.split())
    assert items.item.values == ("",)


def test_numbers_of_claims_are_items_where_answers_have_several(tmp_path: Path) -> None:
    """Guards claims numbered from 1."""
    items = read_items(written(tmp_path, "x.csv", "system,topic,claim,value\na,q1,1,0.5\na,q1,2,1\n"))
    assert items.item.values == ("1", "2")
    assert items.matrix("score").tolist() == [[0.75]]


def test_a_column_that_groups_no_topics_is_told(tmp_path: Path) -> None:
    """Guards --cluster: a column that contradicts itself, within a file or between files, or is empty, is there."""
    text = "system,topic,f,domain,kind\na,q1,0.5,x,\nb,q1,1,y,\na,q2,1,x,\nb,q2,1,x,\n"
    items = read_items(written(tmp_path, "x.csv", text))
    with pytest.raises(tg.TruegainError, match=r"groups no topics of .*: topic q1 has 'x' and 'y' there"):
        items.clustered("domain")
    with pytest.raises(tg.TruegainError, match=r"groups no topics of .*: it is empty"):
        items.clustered("kind")
    logs = [
        Log(f, "t", [Row("q1", "s", 1.0)], {"file": f}, {"metadata.part": {"q1": part}})
        for f, part in (("a", "x"), ("b", "y"))
    ]
    with pytest.raises(tg.TruegainError, match="groups no topics of a, b: topic q1 has 'x' and 'y' there"):
        joined(logs).clustered("part")


@pytest.mark.parametrize(
    ("text", "score", "values"),
    [
        ("system,topic,value\na,q1,pass\na,q2,FAIL\na,q3,\n", "score", [1, 0, math.nan]),
        ("system,topic,correct\na,q1,yes\na,q2,no\na,q3,Yes\n", "correct", [1, 0, 1]),
        ("system,topic,f,correct\na,q1,0.5,True\na,q2,0.25,False\na,q3,1,True\n", "correct", [1, 0, 1]),
    ],
)
def test_words_that_fill_a_column_are_scores(text: str, score: str, values: list[float], tmp_path: Path) -> None:
    """Guards pass and fail in long and wide tables, as in logs."""
    items = read_items(written(tmp_path, "x.csv", text))
    assert items.matrix(score)[0].tolist() == pytest.approx(values, nan_ok=True)


def test_words_beside_numbers_are_no_scores(tmp_path: Path) -> None:
    """Guards yes and no that say something of topics, and a column of both numbers and words."""
    text = "system,topic,f,easy\na,q1,0.5,yes\na,q2,0.25,no\na,q3,1,yes\n"
    items = read_items(written(tmp_path, "x.csv", text))
    assert (items.scores, list(items.clusters)) == (("f",), ["easy"])
    with pytest.raises(tg.InputError, match=r"y\.csv:3: value is not a number: 'fail'.*must fill the whole column"):
        read_items(written(tmp_path, "y.csv", "system,topic,value\na,q1,0.5\na,q2,fail\n"))


def test_a_table_of_values_needs_no_name_of_a_score(tmp_path: Path) -> None:
    """Guards system, topic and value beside other numbers, which are scores of their own where they are named."""
    text = "system,topic,value,seconds\na,q1,0.5,3\na,q2,0.25,4\n"
    items = read_items(written(tmp_path, "x.csv", text))
    assert (items.chosen(None), items.chosen(["seconds"])) == (("value",), ("seconds",))
    other = read_items(written(tmp_path, "y.csv", text.replace("value", "faith")))
    with pytest.raises(tg.TruegainError, match="which score"):
        other.chosen(None)


@pytest.mark.parametrize(("few", "told"), [(4, True), (19, False), (0, False)])
def test_a_judge_of_few_answers_is_told(few: int, told: bool, recwarn: pytest.WarningsRecorder) -> None:
    """Guards people's values that stand beside a judge's without --gold: they were averaged with it without a word."""
    places = [(at, s, t) for at, s in enumerate("ab") for t in range(10)]
    rows: list[dict[str, object]] = [
        {"system": s, "topic": f"q{t}", "f": (t + at) % 5 / 4, "judge": "gpt"} for at, s, t in places
    ]
    people = [{**row, "f": 0.5, "judge": "ann"} for row in rows[:few]]
    tg.Study(read_items([*rows, *people]), measures="f").compare()
    messages = [str(w.message) for w in recwarn if "averaged" in str(w.message)]
    assert len(messages) == told
    said = "f: ann gave values of 4 of 20 answers, which are averaged with those of gpt"
    assert not told or messages[0].startswith(said)


@pytest.mark.parametrize("cell", ["{{}}", "{[1]: 2}", r"{'a': '\d+'}", "{" * 9000 + "}" * 9000, "{x"])
def test_texts_in_braces_are_texts(cell: str, tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """Guards templates and patterns in a column: they ended in a traceback, or in a warning of Python."""
    table = [("system", "topic", "f", "note"), *((s, f"q{t}", t / 9, cell) for s in "ab" for t in range(4))]
    lines = "".join(",".join(f'"{value}"' for value in row) + "\n" for row in table)
    items = read_items(written(tmp_path, "s.csv", lines))
    assert (items.scores, len(items), recwarn.list) == (("f",), 8, [])


@pytest.mark.parametrize("cells", [("pass", "fail", ""), ("true", "FALSE", "true"), (True, False, None)])
def test_pass_and_fail_lie_between_0_and_1(tmp_path: Path, cells: tuple[object, ...]) -> None:
    """Guards limits: intervals of yes and no reached below 0 and above 1; of numbers nobody says their ends."""
    of_rows = [{"topic": f"q{at}", "ok": cell} for at, cell in enumerate(cells)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in of_rows))
    assert dict(read_items(tmp_path / "a.jsonl").scales) == {"ok": ScoreRange(0.0, 1.0)}
    long = [{"topic": f"q{at}", "score_name": "ok", "value": cell} for at, cell in enumerate(cells)]
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in long))
    assert dict(read_items(tmp_path / "b.jsonl").scales) == {"ok": ScoreRange(0.0, 1.0)}
