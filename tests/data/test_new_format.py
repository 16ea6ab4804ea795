"""An input format is one file and one line in the catalogue: a toy one goes through verdict and aggregate."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run, commands, folder, run  # noqa: F401 (fixtures)
from tests.worlds import study
from truegain.errors import InputError
from truegain.io.columns import Places, RawTable, frozen, of_objects
from truegain.io.formats import FORMATS, kind_of, system_name
from truegain.io.memory import taken
from truegain.io.table_format import TableFormat

# ---------------------------------------------------------------------- the whole of a new format's file

MARK = b"%cards\n"


def _cards(text: bytes, file: str) -> RawTable:
    """Blocks of `name: value` lines with blank lines between them, a row each."""
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    card: dict[str, Any] = {}
    for number, line in enumerate([*text.decode().split("\n")[1:], ""], 2):
        if line:
            name, colon, value = line.partition(": ")
            if not colon:
                raise InputError("no 'name: value'", file=file, line=number, text=line, hint="write 'doc: a'")
            lines += [] if card else [number]
            card[name] = value
        elif card:
            rows.append(card)
            card = {}
    return of_objects(rows, Places("line", frozen(np.array(lines, np.int64))))


CARDS = TableFormat(
    "cards",
    "cards",
    (".cards",),
    lambda begun: begun.text.startswith(MARK),
    _cards,
    marked=True,
    row_mark=b"\n\n",
)

# ---------------------------------------------------------------------- through every command

RUNS, LABELS, _ = study(seed=1, topics=12, docs=6)
WORDS = ("-m", "P@3", "--pair", "a,b", "--format", "json")


def cards(rows: Iterable[dict[str, Any]]) -> bytes:
    """Rows as a file of cards."""
    blocks = ["".join(f"{name}: {value}\n" for name, value in row.items()) for row in rows]
    return MARK + "\n".join(blocks).encode()


def judged() -> list[dict[str, Any]]:
    """The labels, a row each."""
    return [{"topic": t, "doc": d, "label": x} for t, docs in LABELS.items() for d, x in docs.items()]


@pytest.fixture(autouse=True)
def registered(folder: Path, commands: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """The runs and the labels as files of cards and of TREC lines, with the format in the catalogue."""
    monkeypatch.setitem(FORMATS, CARDS.name, CARDS)
    for system, lists in RUNS.items():
        rows = [{"topic": t, "doc": d, "score": s} for t, docs in lists.items() for d, s in docs.items()]
        (folder / f"{system}.cards").write_bytes(cards(rows))
        tg.write_runs({system: lists}, folder / f"{system}.run")
    (folder / "labels.cards.gz").write_bytes(gzip.compress(cards(judged())))
    tg.write_judgments(LABELS, folder / "labels.qrels")


def test_a_verdict_of_the_new_format(run: Run) -> None:  # noqa: F811
    """Guards runs and judgments, compressed too: the answer is that of TREC lines, and so are the systems' names."""
    code, out, err = run("verdict", "labels.cards.gz", "a.cards", "b.cards", *WORDS)
    assert code == 0, err
    _, lines, _ = run("verdict", "labels.qrels", "a.run", "b.run", *WORDS)
    found, wanted = json.loads(out)["verdicts"][0], json.loads(lines)["verdicts"][0]
    for name in ("a", "b", "value_a", "value_b", "difference", "low", "high", "p"):
        assert found[name] == wanted[name]
    assert system_name("runs/bm25.cards.gz") == "bm25"


def test_ratings_gold_and_other_names_of_columns(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the other readers: ratings by assessors, gold labels, and columns that are called otherwise."""
    said = [{"query": r["topic"], "doc": r["doc"], "grade": r["label"], "worker": w} for r in judged() for w in "xyz"]
    (folder / "ratings.cards").write_bytes(cards(said))
    columns = "topic=query,label=grade,assessor=worker"
    code, _, err = run("aggregate", "ratings.cards", "--aggregate", "mean", "--columns", columns, "-o", "gains.csv")
    assert code == 0, err
    gains, labels = (tg.read_judgments(folder / name) for name in ("gains.csv", "labels.qrels"))
    pairs = [{*zip(x.topic.strings(), x.docs.strings(), x.label.tolist(), strict=True)} for x in (gains, labels)]
    assert pairs[0] == pairs[1]
    (folder / "gold.cards").write_bytes(cards(judged()))
    words = ("--gold", "gold.cards", "--design", "random", *WORDS)
    code, out, err = run("verdict", "labels.qrels", "a.run", "b.run", *words)
    assert out, err
    assert json.loads(out)["provenance"]["gold"]


def test_what_is_said_of_the_new_format(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards errors: its reader's have file and line, and what is no format names it among those there are."""
    (folder / "bad.cards").write_bytes(MARK + b"topic: 1\ndoc\n")
    code, _, err = run("verdict", "labels.qrels", "bad.cards", "b.run", *WORDS)
    assert (code, "bad.cards:3: no 'name: value'" in err) == (2, True), err
    (folder / "odd.txt").write_text("what is this\n")
    code, _, err = run("verdict", "labels.qrels", "odd.txt", "b.run", *WORDS)
    assert (code, "a table (JSON, JSONL, CSV, TSV, Parquet, Arrow or cards)" in err) == (2, True), err
    assert kind_of(b"1 0 a 2\n", "x.cards") is None
    head = cards(judged())
    assert taken(head, "x.cards", judged=True) == pytest.approx(1 + 750 * head.count(b"\n\n") / len(head))
