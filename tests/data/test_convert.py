"""The same runs and judgments in every shape people have them in give the same scores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

import truegain as tg
from truegain.data.judgments import Judgments
from truegain.data.run import Run
from truegain.data.runs import RunPaths, Runs

LABELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1, "d": 0}}
SCORES = {"1": {"a": 0.5, "b": 2.5, "x": 1.5}, "2": {"d": 3.0, "a": 1.0}}
MEASURES = ["P@2", "nDCG@3", "RR"]
COLUMNS: dict[str, list[Any]] = {
    "topic": [t for t, docs in LABELS.items() for _ in docs],
    "doc": [d for docs in LABELS.values() for d in docs],
    "label": [label for docs in LABELS.values() for label in docs.values()],
}
RUN_COLUMNS = {
    "qid": [t for t, docs in SCORES.items() for _ in docs],
    "docno": [d for docs in SCORES.values() for d in docs],
    "score": [s for docs in SCORES.values() for s in docs.values()],
}
QRELS_LINES = "".join(f"{t} 0 {d} {label}\n" for t, docs in LABELS.items() for d, label in docs.items())
RUN_LINES = "".join(f"{t} Q0 {d} 0 {s} tag\n" for t, docs in SCORES.items() for d, s in docs.items())

SEMICOLONS = "topic;doc;label\n" + "".join(f"{t};{d};{x}\n" for t, docs in LABELS.items() for d, x in docs.items())


class LikeArrow:
    """A table that has what a table of pyarrow has, where that is not there."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.data, self.column_names = columns, list(columns)
        self.columns = list(columns.values())  # of pyarrow these are not names

    def __getitem__(self, at: int) -> object:
        raise AssertionError("not asked for")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise AssertionError("not asked for")

    def column(self, at: int) -> Any:
        """A column that can be made a list."""
        values = list(self.data.values())[at]
        return type("Column", (), {"to_pylist": lambda _: values})()


class Stream:
    """What can do no more than hand its columns over as Arrow does."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def arrow() -> Any:
    """The package pyarrow, where it is there."""
    return pytest.importorskip("pyarrow")


def saved(path: Path, text: str) -> Path:
    """A file with this text."""
    path.write_text(text)
    return path


JUDGMENTS: dict[str, Callable[[Path], Any]] = {
    "dict": lambda _: LABELS,
    "dict with whole-number topics": lambda _: {int(t): docs for t, docs in LABELS.items()},
    "dict with numpy numbers": lambda _: {t: {d: np.int64(x) for d, x in docs.items()} for t, docs in LABELS.items()},
    "pandas": lambda _: pd.DataFrame(COLUMNS),
    "pandas with whole-number topics": lambda _: pd.DataFrame({**COLUMNS, "topic": [int(t) for t in COLUMNS["topic"]]}),
    "pandas of objects": lambda _: pd.DataFrame(COLUMNS, dtype=object),
    "pandas nullable": lambda _: pd.DataFrame(COLUMNS).convert_dtypes(),
    "polars": lambda _: pl.DataFrame(COLUMNS),
    "polars lazy": lambda _: pl.DataFrame(COLUMNS).lazy(),
    "pyarrow": lambda _: arrow().table(COLUMNS),
    "pyarrow batch": lambda _: arrow().table(COLUMNS).to_batches()[0],
    "pyarrow dictionary": lambda _: arrow().table(
        {**COLUMNS, "doc": arrow().array(COLUMNS["doc"]).dictionary_encode()}
    ),
    "what does as pyarrow": lambda _: LikeArrow(COLUMNS),
    "rows": lambda _: pl.DataFrame(COLUMNS).to_dicts(),
    "what streams as Arrow": lambda _: Stream(pl.DataFrame(COLUMNS)),
    "nested JSON": lambda folder: saved(folder / "n.json", json.dumps(LABELS)),
    "JSON list": lambda folder: saved(folder / "l.json", json.dumps(pl.DataFrame(COLUMNS).to_dicts())),
    "semicolons": lambda folder: saved(folder / "s.csv", SEMICOLONS),
    "ir_measures": lambda _: [ir_measures.Qrel(t, d, x) for t, docs in LABELS.items() for d, x in docs.items()],
    "generator": lambda _: (ir_measures.Qrel(t, d, x) for t, docs in LABELS.items() for d, x in docs.items()),
    "ranx": lambda _: of_ranx("Qrels", LABELS),
    "Path": lambda folder: folder / "qrels",
    "str": lambda folder: str(folder / "qrels"),
    "DirEntry": lambda folder: entry(folder, "qrels"),
    "Judgments": lambda folder: tg.read_judgments(folder / "qrels"),
}
RUNS: dict[str, Callable[[Path], Any]] = {
    "dict": lambda _: SCORES,
    "named dict": lambda _: {"s": SCORES},
    "pandas": lambda _: pd.DataFrame(RUN_COLUMNS),
    "polars": lambda _: pl.DataFrame(RUN_COLUMNS),
    "polars lazy": lambda _: pl.DataFrame(RUN_COLUMNS).lazy(),
    "pyarrow": lambda _: arrow().table(RUN_COLUMNS),
    "what does as pyarrow": lambda _: LikeArrow(RUN_COLUMNS),
    "rows": lambda _: pl.DataFrame(RUN_COLUMNS).to_dicts(),
    "rows with systems": lambda _: tuple({**row, "system": "s"} for row in pl.DataFrame(RUN_COLUMNS).to_dicts()),
    "named rows": lambda _: {"s": pl.DataFrame(RUN_COLUMNS).to_dicts()},
    "ranks": lambda _: pl.DataFrame({**{n: RUN_COLUMNS[n] for n in ("qid", "docno")}, "rank": [3, 1, 2, 1, 2]}),
    "nested JSON": lambda folder: saved(folder / "s.json", json.dumps(SCORES)),
    "nested JSON with systems": lambda folder: saved(folder / "n.json", json.dumps({"s": SCORES})),
    "named frame": lambda _: {"s": pl.DataFrame(RUN_COLUMNS)},
    "frame with systems": lambda _: pl.DataFrame({**RUN_COLUMNS, "system": ["s"] * 5}),
    "ir_measures": lambda _: [ir_measures.ScoredDoc(t, d, s) for t, docs in SCORES.items() for d, s in docs.items()],
    "named ir_measures": lambda _: {
        "s": [ir_measures.ScoredDoc(t, d, s) for t, docs in SCORES.items() for d, s in docs.items()]
    },
    "ranx": lambda _: of_ranx("Run", SCORES, "s"),
    "ranx without name": lambda _: {"s": of_ranx("Run", SCORES)},
    "list of one ranx": lambda _: [of_ranx("Run", SCORES, "s")],
    "list of one frame": lambda _: [pl.DataFrame(RUN_COLUMNS)],
    "list of one dict": lambda _: [SCORES],
    "generator of paths": lambda folder: folder.glob("*.run"),
    "named Runs": lambda folder: {"s": tg.read_runs(folder / "s.run")},
    "Path": lambda folder: folder / "s.run",
    "str": lambda folder: str(folder / "s.run"),
    "list of paths": lambda folder: [folder / "s.run"],
    "list of str": lambda folder: [str(folder / "s.run")],
    "named path": lambda folder: {"s": folder / "s.run"},
    "pattern": lambda folder: str(folder / "*.run"),
    "Runs": lambda folder: tg.read_runs(folder / "s.run"),
    "Run": lambda folder: tg.read_runs(folder / "s.run").parts[0],
    "named Run": lambda folder: {"s": tg.read_runs(folder / "s.run").parts[0]},
}


def entry(folder: Path, name: str) -> object:
    """A file as os.scandir gives it: a path that is neither str nor Path."""
    with os.scandir(folder) as entries:
        return next(e for e in list(entries) if e.name == name)


def of_ranx(kind: str, values: Mapping[str, Mapping[str, float]], name: str | None = None) -> Any:
    """A Qrels or a Run of ranx, filled number by number: the constructor gives the same, but may compile half a minute.

    What ranx warns about while it is imported is left out.
    """
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ranx  # type: ignore[import-untyped]

    made = getattr(ranx, kind)(name=name)
    for topic, docs in values.items():
        for doc, value in docs.items():
            made.add_score(topic, doc, value)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one run and one file of judgments."""
    (tmp_path / "qrels").write_text(QRELS_LINES)
    (tmp_path / "s.run").write_text(RUN_LINES)
    return tmp_path


def rows(scores: tg.Scores) -> list[tuple[object, ...]]:
    """All values, without the name of the system."""
    return [row[1:] for row in scores.rows()]


@pytest.mark.few(8)
@pytest.mark.parametrize("shape", JUDGMENTS)
def test_judgments_of_every_shape(shape: str, folder: Path) -> None:
    """Guards every kind of object that judgments may come in."""
    assert rows(tg.evaluate(SCORES, JUDGMENTS[shape](folder), MEASURES)) == rows(tg.evaluate(SCORES, LABELS, MEASURES))


@pytest.mark.parametrize("shape", RUNS)
def test_runs_of_every_shape(shape: str, folder: Path) -> None:
    """Guards every kind of object that runs may come in."""
    scores = tg.evaluate(RUNS[shape](folder), LABELS, MEASURES)
    assert rows(scores) == rows(tg.evaluate(SCORES, LABELS, MEASURES))
    assert scores.systems in (("s",), ("run",))


@pytest.mark.slow
def test_ranx_as_it_is_compiled() -> None:
    """Guards ranx as people have it, with dictionaries of numba; in this process it runs as plain Python."""
    code = """
from tests.data.test_convert import LABELS, MEASURES, SCORES, of_ranx, rows, tg
runs, labels = of_ranx("Run", SCORES, "s"), of_ranx("Qrels", LABELS)
assert type(runs.run).__module__.startswith("numba."), type(runs.run)
assert rows(tg.evaluate(runs, labels, MEASURES)) == rows(tg.evaluate(SCORES, LABELS, MEASURES))
"""
    root, compiled = Path(__file__).parent.parent.parent, {**os.environ, "NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run([sys.executable, "-c", code], cwd=root, env=compiled, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_names_of_systems(folder: Path) -> None:
    """Guards where names come from: the dict, the frame, the file or its tag."""
    both = {"x": SCORES, "y": folder / "s.run", "z": pl.DataFrame(RUN_COLUMNS)}
    assert Runs.of(both).systems == ("x", "y", "z")
    assert Runs.of({"y": tg.read_runs(folder / "s.run").parts[0]}).systems == ("y",)
    assert Runs.of(pl.DataFrame({**RUN_COLUMNS, "system": list("abaab")})).systems == ("a", "b")
    assert tg.read_runs(folder / "s.run", name_by="tag").systems == ("tag",)
    files = RunPaths.of(folder / "s.run", "tag")
    assert tg.read_runs(files).systems == Runs.of(files).systems == tg.evaluate(files, LABELS, "AP").systems == ("tag",)
    with pytest.raises(tg.InputError, match="cannot be named by 'x'"):
        tg.read_runs(folder / "s.run", name_by="x")  # type: ignore[arg-type]


def test_nothing_is_changed_and_the_same_object_is_kept() -> None:
    """Guards the caller's data, and that tables are not copied when they are tables already."""
    labels = {t: dict(docs) for t, docs in LABELS.items()}
    judgments = Judgments.of(labels)
    assert labels == LABELS
    assert Judgments.of(judgments) is judgments
    runs = Runs.of(SCORES)
    assert Runs.of(runs) is runs
    assert isinstance(runs.parts[0], Run)


@pytest.mark.parametrize(
    ("judgments", "says"),
    [
        (None, "cannot read None as judgments"),
        (7, "cannot read an integer as judgments"),
        (b"1 0 a 1", "cannot read bytes as judgments"),
        ([], "there are no rows"),
        ({}, "there are no judgments"),
        ({"1": {}}, "there are no judgments"),
        ([1, 2], "cannot read a list as judgments"),
        (["qrels"], "cannot read a list as judgments"),
        ({"1": 1}, "topic 1 is an integer, not a dict"),
        ({"1": ["a"]}, "topic 1 is a list, not a dict"),
        ({"1": {"a": "good"}}, "not a number: 'good'"),
        ({"1": {"a": None}}, "not a number: 'None'"),
        ({"1": {"a": 10**400}}, "not a number"),
        ({"1": {"a": float("nan")}}, "row 1: label is missing or NaN"),
        ({"1": {"a": 1, "b": float("inf")}}, "row 2: label is infinite"),
        ({1.5: {"a": 1}}, "topic is a float: '1.5'"),
        ({"1": {None: 1}}, "document is None"),
        ({"1": {b"a": 1}}, "document is bytes"),
        ({"1": {"\ud800": 1}}, "document is not valid Unicode"),
        ({"\udfff": {"a": 1}}, "topic is not valid Unicode"),
        (pl.DataFrame({"a": [1]}), "there is no column 'topic' (or query_id, qid"),
        (pl.DataFrame(RUN_COLUMNS), "there is no column 'label'"),
        (pl.DataFrame({**COLUMNS, "label": [None] * 5}), "row 1: label is missing"),
        (pl.DataFrame({**COLUMNS, "topic": [1.0] * 5}), "topic is a floating-point number"),
        (pl.DataFrame({**COLUMNS, "doc": [["a"]] * 5}), "doc is a list"),
        (pd.DataFrame({**COLUMNS, "label": [1, None, 1, 1, 1]}), "row 2: label is missing"),
        (pd.DataFrame({**COLUMNS, "doc": ["a", None, "c", "d", "e"]}), "row 2: doc is missing"),
        (pd.DataFrame({**COLUMNS, "doc": [pd.NA] * 5}), "row 1: doc is missing"),
        (pd.DataFrame({**COLUMNS, "label": [pd.NA] * 5}), "row 1: label is missing"),
        (pd.DataFrame([["1", "a", 1, 2]], columns=["topic", "doc", "label", "label"]), "two columns are named 'label'"),
        (pd.DataFrame({**COLUMNS, "topic": [pd.Timestamp(0)] * 5}), "topic is a Timestamp"),
    ],
)
def test_wrong_judgments_are_refused_in_plain_words(judgments: Any, says: str) -> None:
    """Guards the messages about objects that are no judgments."""
    with pytest.raises(tg.InputError) as caught:
        tg.evaluate(SCORES, judgments, "P@5")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        (None, "cannot read None as run"),
        (3.5, "cannot read a float as run"),
        ([], "no run was given"),
        ([SCORES, SCORES], "number 1 of the list, a dict, does not name its system (give a dict {name: run})"),
        ([{"s": SCORES}, pl.DataFrame(RUN_COLUMNS)], "number 2 of the list, a DataFrame, does not name its system"),
        ([("1", "a", 2.0)], "cannot read a list as run"),
        ({}, "the run has no rows"),
        ({"1": {}}, "the run has no rows"),
        ({"s": {"1": {}}}, "the run has no rows"),
        ({"s": 5}, "cannot read an integer as s"),
        ({"s": SCORES, "t": {"1": {"a": "x"}}}, "t, row 1: not a number"),
        ({"1": {"a": 1.0}, "2": 3}, "topic 2 is an integer, not a dict"),
        ({"1": {"a": float("nan")}}, "score is missing or NaN"),
        ({1: {"a": 1.0}, "1": {"a": 2.0}}, "document a appears twice for topic 1 in system run, first on row 1"),
        ({"judgments": {"1": {"a": True}}}, "judgments, row 1: not a number: 'True'"),
        ({"judgments": [ir_measures.ScoredDoc("1", "a", True)]}, "judgments, row 1: not a number: 'True'"),
        ({"s": {"1": {"\ud800": 1.0}}}, "document is not valid Unicode"),
        ({"\ud800": {"1": {"a": 1.0}}}, "system name is not valid Unicode"),
        (pl.DataFrame(COLUMNS), "there is no column 'score'"),
        (pl.DataFrame({**RUN_COLUMNS, "system": ["s", "t", None, "s", "s"]}), "row 3: system is missing"),
        (pl.DataFrame(RUN_COLUMNS).clear(), "the run has no rows"),
        (
            pl.DataFrame({"system": list("abab"), "topic": [1] * 4, "doc": list("xxyx"), "score": [1, 2, 3, 4]}),
            "row 4: document x appears twice for topic 1 in system b, first on row 2",
        ),
    ],
)  # fmt: skip
def test_wrong_runs_are_refused_in_plain_words(runs: Any, says: str) -> None:
    """Guards the messages about objects that are no runs, with rows counted in the frame that was given."""
    with pytest.raises(tg.InputError) as caught:
        tg.evaluate(runs, LABELS, "P@5")
    assert says in str(caught.value)


def test_one_name_for_several_systems(tmp_path: Path) -> None:
    """Guards {name: path} when the path holds more than one system."""
    tg.write_runs({"a": SCORES, "b": SCORES}, tmp_path / "both.csv")
    with pytest.raises(tg.InputError, match="one name, s, for 2 systems"):
        tg.evaluate({"s": tmp_path / "both.csv"}, LABELS, "P@5")


def rows_of(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of a table, without the values that are missing."""
    rows = pl.DataFrame(columns, strict=False).to_dicts()
    return [{name: x for name, x in row.items() if x is not None} for row in rows]


@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame, LikeArrow, lambda columns: arrow().table(columns), rows_of])
def test_ratings_of_every_frame(of: Callable[[Mapping[str, Any]], Any]) -> None:
    """Guards ratings in frames of pandas, polars and pyarrow: the same values from each, missing ones included."""
    wide = {"topic": ["1", "1"], "doc": ["a", "b"], "ann": [2, 0], "bob": ["1/2", None], "seconds": [1.5, None]}
    found = tg.read_ratings(of(wide), assessors=["ann", "bob"])
    assert found.label.tolist() == [2, 0, 0.5]
    assert found.assessor is not None
    assert found.assessor.strings() == ["ann", "ann", "bob"]
    long = {"topic": [1, 1], "doc": ["a", "b"], "worker": ["x", "y"], "label": [True, False]}
    assert tg.read_ratings(of(long)).label.tolist() == [1, 0]


def test_a_list_of_what_has_names(folder: Path) -> None:
    """Guards lists, as ranx.compare takes them: runs of ranx, frames with systems, dicts of systems, files; mixed."""
    framed = pl.DataFrame({**RUN_COLUMNS, "system": list("abaab")})
    several = [of_ranx("Run", SCORES, "x"), framed, {"y": SCORES}, folder / "s.run", tg.read_runs({"z": SCORES})]
    assert Runs.of(several).systems == ("x", "a", "b", "y", "s", "z")
    assert tg.evaluate(tuple(several), LABELS, "P@2").systems == ("x", "a", "b", "y", "s", "z")
    with pytest.raises(tg.InputError, match=r"number 2 of the list, a Run, does not name its system"):
        tg.evaluate([of_ranx("Run", SCORES, "x"), of_ranx("Run", SCORES)], LABELS, "P@2")


def test_all_that_read_take_files_frames_and_dicts(folder: Path) -> None:
    """Guards one way to read: `data` is a path, a frame or a dict, and columns and missing are said of frames too."""
    theirs = {"query": COLUMNS["topic"], "url": COLUMNS["doc"], "grade": [2, None, 1, 1, 0]}
    names = {"topic": "query", "doc": "url", "label": "grade"}
    with pytest.warns(tg.DataWarning, match="1 of 5 rows has no label, and is left out"):
        found = tg.read_judgments(pl.DataFrame(theirs, strict=False), columns=names, missing="drop")
    assert found.label.tolist() == [2, 1, 1, 0]
    with pytest.warns(tg.DataWarning, match="1 of 2 rows has no label"):
        assert tg.read_judgments({"1": {"a": None, "b": 1}}, missing="drop").label.tolist() == [1]  # type: ignore[arg-type]
    saved(folder / "null.json", '{"1": {"a": null, "b": 1}}')
    with pytest.warns(tg.DataWarning, match="1 of 2 rows has no label"):
        assert len(tg.read_judgments(folder / "null.json", missing="drop")) == 1
    frame = pl.DataFrame({"query": RUN_COLUMNS["qid"], "url": RUN_COLUMNS["docno"], "bm25": RUN_COLUMNS["score"]})
    names = {"topic": "query", "doc": "url", "score": "bm25"}
    assert tg.read_runs({"x": frame, "y": frame}, columns=names).systems == ("x", "y")
    assert len(tg.read_runs(frame, columns=names)) == 5
    saved(folder / "pt.json", json.dumps(SCORES))
    assert tg.read_runs({"x": folder / "pt.json"}).systems == ("x",)
    rated = tg.read_ratings({"ann": LABELS, "bob": LABELS})
    assert rated.assessor is not None
    assert (rated.assessor.values, len(rated)) == (("ann", "bob"), 10)
    scores = tg.read_scores({"AP": {"a": {"1": 0.5, "2": 1.0}}})
    assert scores.mean("a", "AP") == 0.75


def test_names_of_columns_are_for_what_has_columns() -> None:
    """Guards against columns= that nothing is done with: dicts have none, and frames name their own."""
    with pytest.raises(tg.InputError, match="a dict has none"):
        tg.read_judgments(LABELS, columns={"label": "grade"})
    with pytest.raises(tg.InputError, match="a dict has none"):
        tg.read_runs(SCORES, columns={"score": "bm25"})
    with pytest.raises(tg.InputError, match="this frame has its own"):
        tg.read_runs(pl.DataFrame(RUN_COLUMNS), columns="topic,doc,score")
    with pytest.raises(
        tg.InputError, match=r"ann contains no dict of topic and doc \(give {assessor: {topic: {doc: label}}}"
    ):
        tg.read_ratings({"ann": 3, "bob": LABELS})  # type: ignore[arg-type]
    with pytest.raises(tg.InputError, match="AP contains no dict of system and topic"):
        tg.read_scores({"AP": {"a": 0.5}})  # type: ignore[dict-item]
