"""Lists of pairs to be gold-judged, written and read back."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truegain.data.judgments import Judgments, read_judgments
from truegain.data.label_list_reading import cannot_in, gold_list_of, labels_in, read_gold_list
from truegain.data.label_lists import GoldList
from truegain.data.writing import table_bytes
from truegain.errors import InputError, TruegainError
from truegain.io import formats, named_tables
from truegain.io.columns import Places
from truegain.io.named_tables import harmless, unguarded


def made(n: int = 6) -> GoldList:
    """A list of n pairs of two topics, nothing judged."""
    size = np.random.default_rng(n).uniform(0.1, 3, n)
    topics = [str(1 + i % 2) for i in range(n)]
    return GoldList.of(
        topics,
        [f"d{i}" for i in range(n)],
        np.array([float(i % 4) for i in range(n)]),
        size,
        "ordered",
        "P@10",
        (0.0, 3.0),
    )


def in_one_file(path: Path) -> Path:
    """A list as versions before wrote it: people's labels and the judge's in one file."""
    path.write_bytes(table_bytes(made()._columns(), "csv", path.name))
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    """Of a CSV file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def rewritten(path: Path, rows: list[dict[str, str]]) -> Path:
    """The same file with other rows."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_digest_is_made_once() -> None:
    """Guards large lists: every row of a sheet is held against it; a list with another order has its own."""
    one = made()
    assert one.digest is one.digest
    assert replace(one, docs=one.docs[::-1]).digest != one.digest


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".csv.gz", ".parquet"])
def test_a_list_comes_back_as_it_was_written(tmp_path: Path, ending: str) -> None:
    """Guards every format: rows, sizes, probabilities and the digest."""
    path = tmp_path / f"list{ending}"
    one = made().with_labels(np.array([1.0, 0.0, 2.5, np.nan, np.nan, np.nan]))
    one.write(path)
    back = read_gold_list(path)
    assert (back.topics, back.docs, back.design, back.measure, back.scale) == (
        one.topics, one.docs, "ordered", "P@10", (0.0, 3.0),
    )  # fmt: skip
    assert back.size.tolist() == one.size.tolist()
    assert back.digest == one.digest
    assert back.judged == 3
    assert back.judgments().label.tolist() == [1.0, 0.0, 2.5]


def test_is_told_from_plain_judgments(tmp_path: Path) -> None:
    """Guards that a CSV of judgments, or TREC lines, is not taken for a list."""
    made().write(tmp_path / "list.csv")
    (tmp_path / "gold.csv").write_text("topic,doc,label\n1,a,1\n")
    (tmp_path / "gold.qrels").write_text("1 0 a 1\n")
    made().write(tmp_path / "list.parquet")
    names = ("list.csv", "list.parquet", "gold.csv", "gold.qrels")
    assert [gold_list_of(tmp_path / name) is not None for name in names] == [True, True, False, False]
    assert gold_list_of(made()) is not None
    assert gold_list_of({"1": {"a": 1}}) is None


def test_labels_may_be_filled_in_by_a_spreadsheet(tmp_path: Path) -> None:
    """Guards that sizes cut to 6 decimals, 2.45E-03 and a trailing .0 are still the list that was drawn."""
    path = tmp_path / "list.csv"
    in_one_file(path)
    rows = rows_of(path)
    for row, label in zip(rows, ("1.0", "0", "", "", "", ""), strict=True):
        row["label"] = label
        row["bronze"] = f"{float(row['bronze']):.1f}"
        row["size"], row["probability"] = f"{float(row['size']):.6f}", f"{float(row['probability']):.3E}"
    assert read_gold_list(rewritten(path, rows)).judged == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("probability", 1, "0.9"),
            r"list.csv:3: size .* and probability 0.9 do not match .* the list was changed",
        ),
        (("size", 2, "0.5"), "the list was changed"),
        (("doc", 2, "other"), "the list was changed: its digest"),
        (("bronze", 0, "3"), "its digest"),
        (("order", 3, "7"), "list.csv:5: order 7 where 4 is expected"),
        (("design", 4, "random"), "list.csv:6: design differs from that of the other rows"),
        (("label", 2, "1"), r"list.csv:2: order 1 \(topic 1, document d0\) has no label, and order 3 has one"),
        (("label", 0, "7"), "list.csv:2: label 7 of topic 1, document d0 is not on the scale 0 to 3"),
        (("label", 0, "yes"), "list.csv:2: label is not a number: 'yes'"),
        (("label", 0, "nan"), "label is not a number"),
    ],
)
def test_a_list_that_was_changed_is_refused(tmp_path: Path, change: tuple[str, int, str], said: str) -> None:
    """Guards the design: an edited probability, size, document or order, a gap, a label off the scale are named."""
    path = tmp_path / "list.csv"
    in_one_file(path)
    rows = rows_of(path)
    name, at, value = change
    rows[at][name] = value
    with pytest.raises(InputError, match=said):
        read_gold_list(rewritten(path, rows))


def test_rows_out_of_order_are_refused(tmp_path: Path) -> None:
    """Guards against a list that was sorted by topic: how likely each row was rests on the order."""
    path = tmp_path / "list.csv"
    in_one_file(path)
    rows = sorted(rows_of(path), key=lambda r: r["topic"])
    with pytest.raises(InputError, match=r"order 3 where 2 is expected.*sort the rows by order"):
        read_gold_list(rewritten(path, rows))


def test_rows_that_were_cut_off_are_refused(tmp_path: Path) -> None:
    """Guards the sizes of the pairs that were not judged: without them the chances of the others are wrong."""
    path = tmp_path / "list.csv"
    in_one_file(path)
    with pytest.raises(InputError, match=r"rows are missing: the sizes of those there sum to 0\.\d+, not 1"):
        read_gold_list(rewritten(path, rows_of(path)[:4]))


def test_trec_lines_cannot_hold_a_list(tmp_path: Path) -> None:
    """Guards against a file that would lose the design."""
    with pytest.raises(TruegainError, match="a gold list has named columns"):
        made().write(tmp_path / "list.qrels")


def test_a_list_without_labels_says_so() -> None:
    """Guards the first use: nothing is judged yet."""
    with pytest.raises(InputError, match="no row of this list has a label yet"):
        made().judgments()


@given(st.integers(2, 40), st.integers(0, 40))
def test_any_first_labels_are_read_and_any_gap_is_refused(n: int, judged: int) -> None:
    """Guards the rule of prefixes for any length."""
    judged = min(judged, n)
    label = np.where(np.arange(n) < judged, 1.0, np.nan)
    assert made(n).with_labels(label).judged == judged
    if 0 < judged < n:
        label = label.copy()
        label[0] = np.nan
        label[n - 1] = 1.0
        with pytest.raises(InputError, match="has no label"):
            made(n).with_labels(label)


HIDDEN = {"bronze", "size", "probability", "design", "measure"}  # what tells the judge's label, or could


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_people_do_not_see_the_judges_labels(tmp_path: Path, ending: str) -> None:
    """Guards blind judging: the sheet has no bronze label, nor sizes that tell it; the key has no label to fill in."""
    path, key = tmp_path / f"list{ending}", tmp_path / f"list.key{ending}"
    made().with_texts({"1": "what is ir?", "2": "=cmd|'x'!A1"}, {f"d{i}": f"text {i}\nline" for i in range(6)}).write(
        path
    )
    names = {str(n) for n in frame_of(path).columns}
    assert not names & HIDDEN
    assert {"order", "topic", "question", "doc", "passage", "label", "scale", "digest"} == names
    assert {str(n) for n in frame_of(key).columns} > HIDDEN
    assert "label" not in frame_of(key).columns
    again = read_gold_list(path)
    assert again.bronze.tolist() == made().bronze.tolist()
    assert again.texts["passage"][1] == "text 1\nline"
    assert again.texts["question"][1] == "=cmd|'x'!A1"
    assert frame_of(path)["question"][1].startswith("'") == (ending in (".csv", ".tsv"))


def frame_of(path: Path) -> pl.DataFrame:
    """A file as people's own tools read it."""
    if path.suffix == ".jsonl":
        return pl.read_ndjson(path)
    if path.suffix == ".parquet":
        return pl.read_parquet(path)
    return pl.read_csv(path, separator="\t" if path.suffix == ".tsv" else ",")


def test_a_sheet_as_it_comes_back(tmp_path: Path) -> None:
    """Guards against asking for more than needed: sorted, cut, renamed, 001 made 1: the key knows what was drawn."""
    listed = GoldList.of(
        ["001", "002", "003"], ["01", "b", "c"], np.array([0.0, 1.0, 2.0]), np.ones(3), "ordered", "P@10", (0.0, 3.0)
    )
    listed.write(tmp_path / "list.csv")
    rows = rows_of(tmp_path / "list.csv")
    for row, label in zip(rows, ("1", "3.0", ""), strict=True):
        row |= {"label": label, "topic": str(int(row["topic"])), "doc": row["doc"].removeprefix("0")}
    back = rewritten(tmp_path / "from ann.csv", [rows[1], rows[0]])
    read = read_gold_list(back)
    assert (read.topics, read.docs, read.digest) == (listed.topics, listed.docs, listed.digest)
    assert read.label[:2].tolist() == [1.0, 3.0]
    labels = labels_in(back, listed)
    assert labels is not None
    assert labels.topic.strings() == ["001", "002"]
    with pytest.raises(InputError, match="a list of pairs for gold labels, not judgments"):
        read_judgments(back)


@pytest.mark.parametrize("lost", ["digest", "order"])
def test_a_sheet_that_lost_a_column_is_no_random_sample(tmp_path: Path, lost: str) -> None:
    """Guards the design: an ordered sample whose sheet lost a column was read as plain labels, with another answer."""
    listed = GoldList.of(["1", "2"], ["a", "b"], np.array([0.0, 1.0]), np.ones(2), "ordered", "P@10", (0.0, 3.0))
    listed.write(tmp_path / "list.csv")
    rows = [{n: x for n, x in row.items() if n != lost} | {"label": "1"} for row in rows_of(tmp_path / "list.csv")]
    back = rewritten(tmp_path / "back.csv", rows)
    with pytest.raises(
        InputError, match=rf"sheet of a gold list, and its column {lost} is missing: .*put the column back"
    ):
        read_judgments(back, missing="drop")
    assert listed.filled(labels_in(back, listed)).judged == 2
    others = rewritten(tmp_path / "own.csv", [{"topic": "1", "doc": "a", "label": "1", "order": "1", "scale": "5 cm"}])
    assert len(read_judgments(others)) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("doc", 2, "d5"), r"list.csv:4: order 3 is doc d2 in the key, and d5 here .*sort whole rows"),
        (("order", 3, "7"), r"list.csv:5: order 7 is not in the list, which has 1 to 6"),
        (
            ("digest", 0, "sha-0"),
            r"list.csv: the key of this list, sha-0, is not in its folder; list.key.csv belongs to an",
        ),
        (("label", 2, "1"), r"list.csv:2: order 1 \(topic 1, document d0\) has no label, and order 3 has one"),
        (("label", 0, "7"), "list.csv:2: label 7 of topic 1, document d0 is not on the scale 0 to 3"),
        (("label", 0, "yes"), "list.csv:2: label is not a number: 'yes'"),
    ],
)
def test_a_sheet_that_was_changed_is_refused(tmp_path: Path, change: tuple[str, int, str], said: str) -> None:
    """Guards the join: a row whose document is another's, a foreign key, a gap, a label off the scale are named."""
    path = tmp_path / "list.csv"
    made().write(path)
    rows = rows_of(path)
    name, at, value = change
    rows[at][name] = value
    with pytest.raises(InputError, match=said):
        read_gold_list(rewritten(path, rows))


def test_a_key_is_not_lost(tmp_path: Path) -> None:
    """Guards labels that are still with people: the key of another list is not written over, a missing one is named."""
    path, key = tmp_path / "list.csv", tmp_path / "list.key.csv"
    made().write(path)
    made().write(path)  # the same list
    with pytest.raises(InputError, match=r"list\.key\.csv: this file exists and is the key of another list"):
        made(8).write(path)
    made(8).write(path, tmp_path / "elsewhere.csv")
    key.unlink()
    with pytest.raises(InputError, match=r"is not in its folder \(put its key file there \(LIST\.key\.csv, by the"):
        read_gold_list(path)
    assert read_gold_list(tmp_path / "elsewhere.csv").judged == 0


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_a_row_that_nobody_could_judge_holds_up_none(tmp_path: Path, ending: str) -> None:
    """Guards "cannot judge": a word in place of a label, in every format, and those below it count."""
    path = tmp_path / f"list{ending}"
    labels = {"1": {"d0": 1.0, "d2": 2.5}}
    one = made().filled(labels, cannot=[("2", "d1")])
    assert (one.judged, sorted(one.cannot), one.labeled.tolist()) == (3, [1], [0, 2])
    one.write(path)
    back = read_gold_list(path)
    assert (back.judged, sorted(back.cannot), back.digest) == (3, [1], one.digest)
    assert back.judgments().label.tolist() == [1.0, 2.5]
    back.write(path)  # over the same labels
    later = back.filled({"2": {"d1": 3.0, "d3": 0.0}})
    assert (later.judged, later.cannot) == (4, frozenset())
    with pytest.raises(InputError, match=r"order 1 .*has no label, and order 2 has one"):
        made().filled(None, cannot=[("2", "d1")])
    with pytest.raises(InputError, match="has 1 label that would be lost"):
        made().filled(labels | {"2": {"d1": 0.0}}).write(path)


def test_labels_that_say_cannot_are_filled_in(tmp_path: Path) -> None:
    """Guards lists that people fill in by hand: the word stands in the column `label`."""
    path = tmp_path / "labels.csv"
    path.write_text("topic,doc,label\n1,d0,2\n2,d1,Cannot\n1,d2,\n")
    filled = made().filled(labels_in(path), cannot=cannot_in(path))
    assert (filled.judged, sorted(filled.cannot)) == (2, [1])
    list_ = tmp_path / "list.csv"
    filled.write(list_)
    changed = rows_of(list_)
    changed[1]["label"] = "dunno"
    with pytest.raises(InputError, match="or cannot where people could not judge it"):
        read_gold_list(rewritten(list_, changed))


def test_lines_are_counted_only_for_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards large files of labels: the line of every row was counted from the first one (200,000 rows took 208 s)."""
    path = tmp_path / "all.qrels"
    path.write_text("1 0 d0 2\n2 0 d1 1\n9 0 other 1\n")
    with monkeypatch.context() as patch:
        patch.setattr(Judgments, "where", lambda *_: pytest.fail("a line was counted"))
        assert made().filled(path, rows=2).judged == 2
    with pytest.raises(InputError, match="not on the list") as refused:
        made().filled(path)
    assert refused.value.line == 3


RUN_BY_SPREADSHEETS = ("@d4", "'@d4", "-a", "''=b", "-12", "'-12", "'d7")


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
def test_ids_that_a_spreadsheet_would_run_come_back(tmp_path: Path, ending: str) -> None:
    """Guards labels that fit no row: ids guarded in a sheet and copied from it, and those with own quotes."""
    n = len(RUN_BY_SPREADSHEETS)
    listed = GoldList.of(["=1"] * n, list(RUN_BY_SPREADSHEETS), np.zeros(n), np.ones(n), "ordered", "P@10", (0.0, 1.0))
    listed = replace(listed, texts={"question": ["=what"] * n, "passage": list(RUN_BY_SPREADSHEETS)})
    path, other = tmp_path / f"list{ending}", tmp_path / f"labels{ending}"
    listed.write(path)
    written = formats.read(path.read_bytes(), ending[1:], path.name)
    names = ("topic", "doc", "label")
    cells = {name: written.column(written.columns.index(name)) for name in names[:2]}
    if ending != ".jsonl":
        assert [x for x in cells["doc"] if x[0] in "=+-@"] == ["-12"]  # a number, which is no formula
        assert len(set(cells["doc"])) == n
    labels = [1, 0, 1, "cannot", 1, 0, 1]
    other.write_bytes(table_bytes({**cells, "label": list(map(str, labels))}, ending[1:], other.name))
    filled = listed.filled(labels_in(other), cannot=cannot_in(other))
    assert [*filled.label[[0, 1, 2, 4, 5, 6]], *filled.cannot] == [1, 0, 1, 1, 0, 1, 3]
    filled.write(path)
    again = read_gold_list(path)
    assert (again.docs, again.texts) == (listed.docs, listed.texts)
    again.write(path)  # over its own labels, which are not lost
    assert read_gold_list(path).texts == listed.texts
    assert set(again.judgments().docs.strings()) == {*RUN_BY_SPREADSHEETS} - {"''=b"}


def test_only_tables_with_separators_have_guarded_ids(tmp_path: Path) -> None:
    """Guards two documents made one: a quote in JSONL, Parquet and frames belongs to the id."""
    rows = {"topic": ["1", "1"], "doc": ["-a", "'-a"], "label": [1, 0]}
    for ending in (".jsonl", ".parquet"):
        path = tmp_path / f"j{ending}"
        path.write_bytes(table_bytes(rows, ending[1:], path.name))
        assert read_judgments(path).docs.strings() == ["-a", "'-a"]
    assert Judgments.of(pl.DataFrame(rows)).docs.strings() == ["-a", "'-a"]
    (tmp_path / "j.csv").write_text("topic,doc,label\n1,'-a,1\n1,''-a,0\n1,'b,0\n")
    assert read_judgments(tmp_path / "j.csv").docs.strings() == ["-a", "'-a", "'b"]


@given(st.text(min_size=1))
def test_the_guard_gives_every_id_back(text: str) -> None:
    """Guards ids that begin with quotes and signs, whichever and however many."""
    table = named_tables.RawTable([], [], Places.rows(0), guarded=True)
    assert unguarded(table, [harmless(text)]) == [text]


def test_a_sheet_of_nothing_but_cannot(tmp_path: Path) -> None:
    """Guards people who could judge none so far: that is an answer, unlike an empty sheet."""
    path = tmp_path / "list.csv"
    made().write(path)
    rows = rows_of(path)
    with pytest.raises(InputError, match="no row has a label"):
        labels_in(path, made())
    for row in rows[:2]:
        row["label"] = "cannot"
    for back in (rewritten(tmp_path / "sheet.csv", rows), tmp_path / "plain.csv"):
        (tmp_path / "plain.csv").write_text("topic,doc,label\n1,d0,cannot\n2,d1,cannot\n")
        assert labels_in(back, made()) is None
        filled = made().filled(labels_in(back, made()), cannot=cannot_in(back, made()))
        assert (filled.judged, sorted(filled.cannot)) == (2, [0, 1])
    with pytest.raises(InputError, match="topic 1, document d9 is not on the list"):
        made().filled(None, cannot=[("1", "d9")])
