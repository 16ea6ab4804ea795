"""Rows in Python, a dict each, and what is no row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg

NESTED = [{"q": {"id": "1"}, "h": {"id": "a", "l": 2}}, {"q": {"id": "1"}, "h": {"id": "b", "l": 0}}]
NAMES = {"topic": "q.id", "doc": "h.id", "label": "h.l"}


def test_rows_of_objects_are_read_as_in_files(tmp_path: Path) -> None:
    """Guards columns= of rows whose values are all objects: they were told to have no columns."""
    path = tmp_path / "q.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in NESTED))
    made, read = (tg.read_judgments(data, columns=NAMES).columns_of() for data in (NESTED, path))
    assert {name: list(of) for name, of in made.items()} == {name: list(of) for name, of in read.items()}


def test_an_empty_row_is_told() -> None:
    """Guards a row without anything, for which the whole list was refused as no rows."""
    with pytest.raises(tg.InputError, match="row 2: topic is missing"):
        tg.read_judgments([{"topic": "1", "doc": "a", "label": 1}, {}])


@pytest.mark.parametrize(("data", "said"), [([], "cannot read an empty list as"), (5, "cannot read an integer")])
def test_what_is_no_file_of_nuggets(data: Any, said: str) -> None:
    """Guards a list without files, of which it was said that these files assign nothing."""
    with pytest.raises(tg.InputError, match=said):
        tg.read_nuggets(data)


def test_gold_labels_of_nuggets_are_files(tmp_path: Path) -> None:
    """Guards gold labels that are no path, which were a TypeError."""
    head = "qid,system,nugget_id,importance,assignment\n"
    rows = [f"{t},{s},n,vital,{'support' if s == 'b' else 'not_support'}\n" for t in range(5) for s in "ab"]
    (tmp_path / "n.csv").write_text(head + "".join(rows))
    items = tg.read_nuggets(tmp_path / "n.csv")
    with pytest.raises(tg.InputError, match="cannot read an integer as gold labels of nuggets"):
        tg.Study(items, measures="V_strict", gold=tg.Gold(5, "random"))  # type: ignore[arg-type]


@pytest.mark.parametrize(("data", "said"), [(np.zeros(2), "a numpy array"), (b"x", "cannot read bytes as")])
def test_kinds_have_their_article(data: Any, said: str) -> None:
    """Guards 'a ndarray' and 'a bytes'."""
    with pytest.raises(tg.InputError, match=said):
        tg.read_items(data)
