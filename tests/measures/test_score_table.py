"""Scores as tables: what `eval` writes is read back, from any frame."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

import truegain as tg
from tests.data.test_convert import LikeArrow, arrow
from truegain.measures.base import geometric_mean_of_rows, mean_of_rows, ratio
from truegain.measures.evaluate import scores_of
from truegain.measures.scoring import settled
from truegain.results.formats import separated

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}, "3": {"z": 1}}
RUNS = {"s": {"1": {"a": 1.0, "b": 2.0}, "2": {"a": 1.0}}, "t": {"1": {"a": 2.0}, "2": {"b": 1.0, "a": 0.5}}}


@pytest.fixture
def scores() -> tg.Scores:
    """Scores with a topic that no system answers, a mean, a geometric mean and a count."""
    with pytest.warns(tg.DataWarning):
        return tg.evaluate(RUNS, QRELS, ["AP", "GMAP", "NumRet", "nDCG@2"])


def same(one: tg.Scores, other: tg.Scores) -> None:
    """Two scores hold the same values."""
    assert (one.systems, one.measures) == (other.systems, other.measures)
    for measure in one.measures:
        np.testing.assert_allclose(one.matrix(measure), other.matrix(measure)[:, : len(one.topics)])
        np.testing.assert_allclose(one.summaries[measure], other.summaries[measure])
    assert one.counts == other.counts


@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame, LikeArrow, lambda columns: arrow().table(columns)])
@pytest.mark.parametrize("summary", [True, False])
def test_frames_give_the_scores_back(
    of: Callable[[dict[str, list[Any]]], Any], summary: bool, scores: tg.Scores
) -> None:
    """Guards the round trip: values, missing ones and summaries, these also where their rows are not there."""
    rows = list(scores.rows(summary=summary))
    columns = {name: [row[at] for row in rows] for at, name in enumerate(("system", "topic", "measure", "value"))}
    same(scores, tg.read_scores(of(columns)))


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_files_give_the_scores_back(ending: str, scores: tg.Scores, tmp_path: Path) -> None:
    """Guards the files of `eval -q -o`: read as they are written."""
    path, names = tmp_path / f"s.{ending}", ("system", "topic", "measure", "value")
    frame = scores.frame()
    if ending in ("csv", "tsv"):
        path.write_text(separated(names, list(scores.rows()), "," if ending == "csv" else "\t"))
    elif ending == "jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_parquet(path)
    same(scores, tg.read_scores(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("system,topic,value\na,1,0\n", "s.csv: there is no column measure among system, topic, value"),
        ("system,topic,measure,value\na,1,P@5,x\n", "s.csv:2: value is not a number: 'x'"),
        ("system,topic,measure,value\na,1,P@5,0\na,2,P@5,inf\n", "s.csv:3: value is not a number: 'inf'"),
        (
            "system,topic,measure,value\na,1,P@5,1\na,1,precision@5,1\n",
            "s.csv:3: P@5 of system a, topic 1 appears twice",
        ),
        ("system,topic,measure,value\na,1,NoSuch,1\n", "there is no measure 'NoSuch'"),
        ("system,topic,measure,value\n", "there are no rows"),
    ],
)
def test_mistakes_are_told(text: str, said: str, tmp_path: Path) -> None:
    """Guards the messages: file, line and value."""
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(tg.TruegainError) as caught:
        tg.read_scores(tmp_path / "s.csv")
    assert said in str(caught.value)


def test_a_score_of_0_is_a_score(tmp_path: Path) -> None:
    """Guards 0 against what is missing."""
    (tmp_path / "s.csv").write_text("system,topic,measure,value\na,1,P@5,0\na,2,P@5,0.4\nb,1,P@5,\nb,2,P@5,0.2\n")
    found = tg.read_scores(tmp_path / "s.csv")
    np.testing.assert_array_equal(found.matrix("P@5"), [[0, 0.4], [math.nan, 0.2]])
    assert found.summaries["P@5"].tolist() == [0.2, 0.2]


def test_scores_take_no_judgments_and_no_options(scores: tg.Scores) -> None:
    """Guards scores that are made: judgments would be ignored, and so would options but that of threads."""
    assert scores_of(scores, None, None, {"jobs": 1}) is scores
    given: list[tuple[Any, dict[str, Any]]] = [(QRELS, {}), (None, {"trec_eval": 9}), (QRELS, {"jobs": 1})]
    for judgments, options in given:
        with pytest.raises(tg.TruegainError, match="these are scores already"):
            scores_of(scores, judgments, None, options)


def test_means_are_settled_to_twelve_decimals() -> None:
    """Guards ties of means: what differs in the 13th decimal ties, what differs in the 12th does not."""
    assert settled(np.array([0.3, 0.3 + 2e-13])).tolist() == [0.3, 0.3]
    first, second = settled(np.array([0.3, 0.3 + 2e-12])).tolist()
    assert first < second


def test_means_of_rows() -> None:
    """Guards means over the values that are there, and the least value of a geometric mean, 0.00001."""
    nan = math.nan
    values = np.array([[1.0, nan, 3.0], [nan, nan, nan], [0.0, 0.0, 6.0]])
    assert mean_of_rows(values).tolist() == pytest.approx([2, nan, 2], nan_ok=True)
    some = np.array([[0.0, 1.0, nan], [0.25, 1.0, 0.25], [nan, nan, nan]])
    assert geometric_mean_of_rows(some).tolist() == pytest.approx([1e-5**0.5, 0.0625 ** (1 / 3), nan], nan_ok=True)
    assert ratio(np.array([1.0, 2.0, 0.0, -3.0]), np.array([2, 0, 0, -1])).tolist() == [0.5, 0, 0, 3]
