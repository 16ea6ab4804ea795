"""What is written reads back the same, in every kind of file, and writing it again gives the same bytes."""

from __future__ import annotations

import gzip
import io
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import truegain as tg
from tests.data.nasty import finite, scores, table_ids, trec_ids, trec_topics
from truegain.data.judgments import Judgments
from truegain.data.run import run_of_columns
from truegain.data.runs import Runs
from truegain.io import files, formats, plain_text, trec
from truegain.io.columns import Coded, Ids, frozen

Label = tuple[str, str, str, float]
TABLES = ("csv", "tsv", "jsonl", "parquet")
PACKED = ("", ".gz", ".bz2", ".xz", ".zst")
bounded = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def judgments_of(rows: list[Label]) -> Judgments:
    """Judgments with subtopics from rows."""
    topics, subtopics, docs, labels = zip(*rows, strict=True)
    return Judgments(Coded.of(topics), Ids.of(docs), frozen(np.array(labels)), Coded.of(subtopics))


def rows_of(judgments: Judgments) -> list[tuple[str, str, str, str]]:
    """Rows with the label as text, so that -0.0 and 0.0 differ."""
    columns = (judgments.topic.strings(), judgments.subtopic.strings(), judgments.docs.strings())
    return list(zip(*columns, map(repr, judgments.label.tolist()), strict=True))


def runs_of(tables: dict[str, dict[str, dict[str, float]]]) -> Runs:
    """Runs from {system: {topic: {document: score}}}."""
    parts = []
    for system, topics in tables.items():
        rows = [(t, d, s) for t, docs in topics.items() for d, s in docs.items()]
        t, d, s = zip(*rows, strict=True)
        parts.append(run_of_columns(system, t, d, np.array(s), system))
    return Runs(tuple(parts))


def ordered(runs: Runs) -> list[tuple[object, ...]]:
    """Rows in evaluation order, scores as text."""
    return [(*row[:-1], repr(row[-1])) for row in runs.ordered_frame().rows()]


def lists(
    topics: st.SearchStrategy[str], docs: st.SearchStrategy[str]
) -> st.SearchStrategy[dict[str, dict[str, float]]]:
    """One system's lists."""
    return st.dictionaries(topics, st.dictionaries(docs, scores, min_size=1, max_size=8), min_size=1, max_size=4)


def labels(ids: st.SearchStrategy[str], topics: st.SearchStrategy[str]) -> st.SearchStrategy[list[Label]]:
    """Rows of judgments."""
    return st.lists(st.tuples(topics, st.sampled_from(["0", "1", "2", "x"]), ids, finite), min_size=1, max_size=12)


# ---------------------------------------------------------------------- judgments


@pytest.mark.slow
@bounded
@given(labels(trec_ids, trec_topics), st.sampled_from(PACKED))
def test_trec_judgments(rows: list[Label], packed: str) -> None:
    """Guards ids and labels in TREC qrels, subtopic qrels included, plain and compressed."""
    with TemporaryDirectory() as folder:
        first, again = Path(folder) / f"q{packed}", Path(folder) / f"again{packed}"
        tg.write_judgments(judgments_of(rows), first)
        back = tg.read_judgments(first)
        assert rows_of(back) == rows_of(judgments_of(rows))
        tg.write_judgments(back, again)
        assert again.read_bytes() == first.read_bytes()


@pytest.mark.slow
@bounded
@given(labels(table_ids, table_ids), st.sampled_from(TABLES), st.sampled_from(PACKED))
def test_table_judgments(rows: list[Label], kind: str, packed: str) -> None:
    """Guards ids that hold commas, quotes, blanks and line ends, and every label, in tables."""
    with TemporaryDirectory() as folder:
        first, again = Path(folder) / f"q.{kind}{packed}", Path(folder) / f"again.{kind}{packed}"
        tg.write_judgments(judgments_of(rows), first)
        back = tg.read_judgments(first)
        assert rows_of(back) == rows_of(judgments_of(rows))
        tg.write_judgments(back, again)
        assert again.read_bytes() == first.read_bytes()


@pytest.mark.parametrize("kind", TABLES)
def test_ratings_keep_all_columns(kind: str, tmp_path: Path) -> None:
    """Guards assessors and extra columns: missing ones stay missing, and the bytes are stable."""
    frame = pl.DataFrame(
        {
            "topic": ["1", "1"],
            "doc": ["a", "a"],
            "label": [2.0, 0.5],
            "assessor": ["ann", "bob"],
            "seconds": [1.5, None],
            "comment": ['said "no", left', None],
        }
    )
    tg.write_judgments(frame, tmp_path / f"r.{kind}")
    back = tg.read_judgments(tmp_path / f"r.{kind}")
    assert back.assessor is not None
    assert back.assessor.strings() == ["ann", "bob"]
    assert list(back.extra["comment"]) in (['said "no", left', None], ['said "no", left', ""])
    tg.write_judgments(back, tmp_path / f"s.{kind}")
    if kind != "parquet":  # text tables lose the type of extra columns, Parquet keeps it
        assert (tmp_path / f"r.{kind}").read_bytes() == (tmp_path / f"s.{kind}").read_bytes()
    else:
        assert pl.read_parquet(tmp_path / "r.parquet").equals(pl.read_parquet(tmp_path / "s.parquet"))


@pytest.mark.parametrize("kind", TABLES)
def test_a_quote_of_an_id_is_not_lost(kind: str, tmp_path: Path) -> None:
    """Guards two documents made one: readers of CSV take a quote before a formula away, so the writer adds one."""
    docs = ["-a", "'-a", "''=b", "'\t", "'c", "'", "=d"]
    tg.write_judgments({"'+1": dict.fromkeys(docs, 1)}, tmp_path / f"q.{kind}")
    tg.write_runs({"'@s": {"'+1": {doc: -float(i) for i, doc in enumerate(docs)}}}, tmp_path / f"r.{kind}")
    judgments, runs = tg.read_judgments(tmp_path / f"q.{kind}"), tg.read_runs(tmp_path / f"r.{kind}")
    assert (judgments.topic.values, judgments.docs.strings()) == (("'+1",), docs)
    assert [(s, t, d) for s, t, d, *_ in ordered(runs)] == [("'@s", "'+1", doc) for doc in docs]
    if kind == "csv":
        assert "''+1,-a,1\n" in (tmp_path / "q.csv").read_text()  # others find '-a' as it is


def test_labels_are_written_shortest(tmp_path: Path) -> None:
    """Guards the look of qrels: whole numbers without '.0', others in the fewest digits that read back."""
    tg.write_judgments({"1": {"a": 2, "b": 0.1, "c": -1, "d": 1e300, "e": -0.0}}, tmp_path / "q")
    assert (tmp_path / "q").read_text() == "1 0 a 2\n1 0 b 0.1\n1 0 c -1\n1 0 d 1e+300\n1 0 e -0\n"


# ---------------------------------------------------------------------- runs


@pytest.mark.slow
@bounded
@given(lists(trec_topics, trec_ids), st.sampled_from(PACKED))
def test_trec_run(table: dict[str, dict[str, float]], packed: str) -> None:
    """Guards ids, extreme scores, negative zero and ties in TREC runs."""
    runs = runs_of({"s": table})
    with TemporaryDirectory() as folder:
        first, again = Path(folder) / f"s.run{packed}", Path(folder) / f"again{packed}"
        tg.write_runs(runs, first)
        back = tg.read_runs(first)
        assert ordered(back) == ordered(runs)
        tg.write_runs(back, again)
        assert again.read_bytes() == first.read_bytes()


@bounded
@given(
    st.dictionaries(table_ids, lists(table_ids, table_ids), min_size=1, max_size=3),
    st.sampled_from(TABLES),
    st.sampled_from(PACKED),
)
def test_table_runs(tables: dict[str, dict[str, dict[str, float]]], kind: str, packed: str) -> None:
    """Guards several systems in one table, infinite scores in JSON included."""
    runs = runs_of(tables)
    with TemporaryDirectory() as folder:
        first, again = Path(folder) / f"r.{kind}{packed}", Path(folder) / f"again.{kind}{packed}"
        tg.write_runs(runs, first)
        back = tg.read_runs(first)
        assert ordered(back) == ordered(runs)
        tg.write_runs(back, again)
        assert again.read_bytes() == first.read_bytes()


def test_a_folder_holds_one_file_a_system(tmp_path: Path) -> None:
    """Guards folders, new and old: names.run, tag = system, ranks from 1, and reading the folder gives it all back."""
    runs = {"bm25.v2": {"2": {"x": 1.0}, "10": {"a": 1.0, "b": 3.0}}, "a.run": {"1": {"a": 0.5}}}
    for _ in range(2):
        tg.write_runs(runs, tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a.run.run", "bm25.v2.run"]
    text = (tmp_path / "out" / "bm25.v2.run").read_text()
    assert text == "10 Q0 b 1 3.0 bm25.v2\n10 Q0 a 2 1.0 bm25.v2\n2 Q0 x 1 1.0 bm25.v2\n"
    assert set(tg.read_runs(tmp_path / "out").systems) == {"bm25.v2", "a.run"}
    tg.write_runs({"one": {"1": {"a": 1.0}}}, f"{tmp_path}/new/deep/")
    assert (tmp_path / "new" / "deep" / "one.run").exists()


# ---------------------------------------------------------------------- what cannot be written


@pytest.mark.parametrize(
    ("topic", "doc", "says"),
    [
        ("1", "a b", "document 'a b'"),
        ("1", "a\tb", r"document 'a\tb'"),
        ("1", "", "document ''"),
        ("1 2", "a", "topic '1 2'"),
        ("", "a", "topic ''"),
        ("#1", "a", "topic '#1'"),
        ("1", "a\0", "document"),
        ('{"x', "a", "would not be read as a TREC line"),
        ("topic,doc,x", "a", "would not be read as a TREC line"),
        ("\ufeff1", "a", "would not be read as a TREC line"),
    ],
)
def test_ids_that_trec_lines_cannot_hold(topic: str, doc: str, says: str, tmp_path: Path) -> None:
    """Guards against files that read back as something else: an error names the id and proposes CSV."""
    cases: list[tuple[Any, Any]] = [
        (tg.write_judgments, {topic: {doc: 1}}),
        (tg.write_runs, {"s": {topic: {doc: 1.0}}}),
    ]
    for write, data in cases:
        with pytest.raises(tg.InputError, match="CSV") as caught:
            write(data, tmp_path / "out")
        assert says in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_what_else_cannot_be_written(tmp_path: Path) -> None:
    """Guards the other refusals: several systems in one TREC file, assessors in qrels, odd names, bad paths."""
    two = {"a": {"1": {"x": 1.0}}, "b": {"1": {"x": 1.0}}}
    ratings = pl.DataFrame({"topic": ["1"], "doc": ["a"], "label": [1], "assessor": ["ann"]})
    cases: list[tuple[Any, Any, str, str]] = [
        (tg.write_runs, two, "out.run", "contains one system, and there are 2"),
        (tg.write_runs, two, "-", "contains one system"),
        (tg.write_runs, {"a b": {"1": {"x": 1.0}}}, "out.run", "system name 'a b'"),
        (tg.write_runs, {"a/b": two["a"], "c": two["b"]}, "out", "cannot be a file name"),
        (tg.write_runs, {".a": two["a"], "c": two["b"]}, "out", "cannot be a file name"),
        (tg.write_judgments, ratings, "out", "assessor"),
        (tg.write_judgments, {"1": {"": 1}}, "out.csv", "empty doc"),
        (tg.write_judgments, {"1": {"a\0": 1}}, "out.csv", "NUL"),
        (tg.write_judgments, {"1": {"a": 1}}, "none/out", "cannot be written"),
        (tg.write_judgments, {"1": {"a": 1}}, "x" * 300, "cannot be written"),
        (tg.write_judgments, {"1": {"a": 1}}, ".", "this is a folder"),
        (tg.write_judgments, {"1": {"a": 1}}, "a\0b", "cannot be written"),
    ]
    for write, data, path, says in cases:
        with pytest.raises(tg.InputError) as caught:
            write(data, path if path == "-" else str(tmp_path / path))
        assert says in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("x")
    with pytest.raises(tg.InputError, match="folder"):
        tg.write_runs(two, tmp_path / "file")


def test_nothing_half_written(tmp_path: Path) -> None:
    """Guards the old file and the folder when writing fails midway."""
    path = tmp_path / "q"
    path.write_text("old")

    def fail_midway() -> None:
        with files.replaced(path) as stream:
            stream.write(b"new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_midway()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["q"]
    with pytest.raises(tg.InputError):
        tg.write_runs({"good": {"1": {"a": 1.0}}, "bad": {"1": {"a b": 1.0}}}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_links_and_devices_are_written_through(tmp_path: Path) -> None:
    """Guards /dev/null and links: an atomic rename must not put a file in their place."""
    (tmp_path / "link").symlink_to(tmp_path / "target")
    tg.write_judgments({"1": {"a": 1}}, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "1 0 a 1\n"
    tg.write_judgments({"1": {"a": 1}}, "/dev/null")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_file_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    """Guards files that others may not read, or may write: another content is not another file."""
    (tmp_path / "q").write_text("old")
    (tmp_path / "q").chmod(mode)
    tg.write_judgments({"1": {"a": 1}}, tmp_path / "q")
    assert (tmp_path / "q").read_text() == "1 0 a 1\n"
    assert (tmp_path / "q").stat().st_mode & 0o7777 == mode


def test_a_file_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards files without leave to write: a new one in their place would go round that."""
    (tmp_path / "q").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: (Path(path).name, mode) != ("q", os.W_OK))
    with pytest.raises(tg.InputError, match="q: cannot be written: Permission denied"):
        tg.write_judgments({"1": {"a": 1}}, tmp_path / "q")
    assert (tmp_path / "q").read_text() == "old"
    tg.write_judgments({"1": {"a": 1}}, tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "q"]


@pytest.mark.parametrize("name", ["a\ud800.run", "a\0.run"])
def test_paths_that_no_file_can_have(name: str) -> None:
    """Guards lone surrogates and NUL in a path given in Python: an InputError, which can be printed."""
    for call in (tg.read_runs, tg.read_judgments, lambda path: tg.write_judgments({"1": {"a": 1}}, path)):
        with pytest.raises(tg.InputError, match=r"'a\\\\?(ud800|x00)\.run' names no file") as caught:
            call(name)
        assert str(caught.value).isascii()


def test_closed_streams_are_told_from_other_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the reason: a closed standard input is called so, another ValueError is a fault of ours and is shown."""
    closed = io.TextIOWrapper(io.BytesIO(b"1 0 a 1\n"))
    closed.close()
    monkeypatch.setattr(sys, "stdin", closed)
    with pytest.raises(tg.InputError, match="standard input: cannot be read: it is closed"):
        tg.read_judgments("-")

    class Faulty(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise ValueError("another fault")

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Faulty()))
    with pytest.raises(ValueError, match="another fault"):
        tg.read_judgments("-")


# ---------------------------------------------------------------------- the same file, spelled otherwise

CLEAN_RUN = b"1 Q0 a 1 2.5 s\n1 Q0 b 2 1.5 s\n2 Q0 c 1 0.5 s\n"
CLEAN_QRELS = b"1 0 a 1\n1 0 b 0\n2 0 c 2\n"
SPELLINGS: dict[str, Callable[[bytes], bytes]] = {
    "tabs": lambda t: t.replace(b" ", b"\t"),
    "many blanks": lambda t: t.replace(b" ", b" \t  "),
    "leading and trailing blanks": lambda t: b"".join(b"  " + line + b" \t\n" for line in t.splitlines()),
    "CRLF": lambda t: t.replace(b"\n", b"\r\n"),
    "two CRs": lambda t: t.replace(b"\n", b"\r\r\n"),
    "no last newline": lambda t: t[:-1],
    "CRLF, no last newline": lambda t: t.replace(b"\n", b"\r\n")[:-1],
    "byte order mark": lambda t: b"\xef\xbb\xbf" + t,
    "blank lines": lambda t: b"\n\n" + t.replace(b"\n", b"\n \n"),
    "comments": lambda t: b"# made by hand\n" + t + b"  # the end",
    "vertical tabs and form feeds": lambda t: t.replace(b" ", b"\v\f"),
    "gzip": gzip.compress,
    "two gzip members": lambda t: gzip.compress(t[:10]) + gzip.compress(t[10:]),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_legal_spellings_are_equal(spelling: str, tmp_path: Path) -> None:
    """Guards what trec_eval and editors make of a file: blanks, line ends, comments, marks, compression."""
    (tmp_path / "q").write_bytes(SPELLINGS[spelling](CLEAN_QRELS))
    (tmp_path / "r").write_bytes(SPELLINGS[spelling](CLEAN_RUN))
    judgments, runs = tg.read_judgments(tmp_path / "q"), tg.read_runs(tmp_path / "r")
    assert rows_of(judgments) == [("1", "0", "a", "1.0"), ("1", "0", "b", "0.0"), ("2", "0", "c", "2.0")]
    assert runs.parts[0].docs.strings() == ["a", "b", "c"]
    assert runs.parts[0].score.tolist() == [2.5, 1.5, 0.5]
    assert runs.parts[0].tags == ("s",)


def test_more_than_six_fields_are_legal_in_runs(tmp_path: Path) -> None:
    """Guards trec_eval's 'qid iter docno rank sim runid [anything]'."""
    (tmp_path / "r").write_bytes(b"1 Q0 a 1 2.5 my tag and more\n")
    assert tg.read_runs(tmp_path / "r", name_by="tag").systems == ("my",)


@pytest.mark.slow
@bounded
@given(st.data())
def test_the_order_of_lines_does_not_matter(data: st.DataObject) -> None:
    """Guards evaluation against the order of lines, in runs and in judgments."""
    pairs = st.tuples(st.sampled_from("123"), st.sampled_from("abcdefgh"))
    labels = data.draw(st.dictionaries(pairs, st.integers(0, 2), min_size=3, max_size=20))
    scored = data.draw(st.dictionaries(pairs, st.sampled_from([0.5, 1.0, 2.0, -1.0]), min_size=3, max_size=20))
    labels.update({(t, "a"): 1 for t in "123"})
    scored.update({(t, "b"): 0.25 for t in "123"} | {("1", "a"): 0.125})  # a run without a judged one is refused
    qrels = [f"{t} 0 {d} {label}\n" for (t, d), label in labels.items()]
    run = [f"{t} Q0 {d} 0 {s} x\n" for (t, d), s in scored.items()]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("truegain.data.checks.warn", lambda message: None)
        seen = []
        for shuffle in (lambda lines: lines, lambda lines: data.draw(st.permutations(lines))):
            (Path(folder) / "q").write_text("".join(shuffle(qrels)))
            (Path(folder) / "r").write_text("".join(shuffle(run)))
            seen.append(list(tg.evaluate(Path(folder) / "r", Path(folder) / "q", ["P@5", "nDCG@5", "RR"]).rows()))
        assert seen[0] == seen[1]


# ---------------------------------------------------------------------- what kind of file it is


@pytest.mark.parametrize(
    ("content", "topics", "docs"),
    [
        (b"query\t0\tdoc\t1\nquery\t0\tdocument\t0\n", ["query", "query"], ["doc", "document"]),
        (b"topic,1 0 doc 1\n", ["topic,1"], ["doc"]),
        (b"{a} 0 d 1\n", ["{a}"], ["d"]),
        (b"PAR1 0 d 1\n", ["PAR1"], ["d"]),
        (b"[1] 0 d 1\n", ["[1]"], ["d"]),
        (b"007 0 00012 1\n", ["007"], ["00012"]),
        (b"topic,doc,label\n007,00012,1\n", ["007"], ["00012"]),
        (b'"qid","docno","rel"\r\n1,"a,b",1\r\n', ["1"], ["a,b"]),
        (b'topic,doc,label\n1,"a\nb",1\n\n\n2,"c\r\nd",0\n', ["1", "2"], ["a\nb", "c\r\nd"]),
        (b"Query_ID\tDoc_ID\tRelevance\n1\ta b\t1\n", ["1"], ["a b"]),
        (b"\xef\xbb\xbftopic,doc,label\n1,a,1\n", ["1"], ["a"]),
        (b"\n\ntopic,doc,label\n1,a,1\n", ["1"], ["a"]),
        (b'{"qid": 7, "docid": 12345678901234567890123, "rel": 1}', ["7"], ["12345678901234567890123"]),
        (b'\xef\xbb\xbf\n{"topic": "007", "doc": 3, "label": "1"}\r\n\r\n', ["007"], ["3"]),
        ('{"topic": "a", "doc": "x\u2028y", "label": 1}\n'.encode(), ["a"], ["x\u2028y"]),
        (b'{"topic": 1, "doc": "a", "label": 1}\n{"topic": "b", "doc": "c", "label": 0.5}\n', ["1", "b"], ["a", "c"]),
    ],
)  # fmt: skip
def test_the_kind_of_a_file_is_told_from_its_content(
    content: bytes, topics: list[str], docs: list[str], tmp_path: Path
) -> None:
    """Guards the header detection: a TREC file is never taken for a table, nor a table for TREC lines."""
    (tmp_path / "judgments").write_bytes(content)
    judgments = tg.read_judgments(tmp_path / "judgments")
    assert judgments.topic.strings() == topics
    assert judgments.docs.strings() == docs


def test_whole_numbers_in_parquet_are_ids(tmp_path: Path) -> None:
    """Guards integer and categorical columns as ids."""
    frame = pl.DataFrame({"topic": [7], "doc": pl.Series(["a"], dtype=pl.Categorical), "label": [True]})
    frame.write_parquet(tmp_path / "q")
    assert rows_of(tg.read_judgments(tmp_path / "q")) == [("7", "0", "a", "1.0")]


@pytest.mark.parametrize(
    ("file", "system"),
    [
        ("bm25.run", "bm25"),
        ("bm25.v2.run.gz", "bm25.v2"),
        ("a.csv.zst", "a"),
        ("input.bm25", "input.bm25"),
        (".run", ".run"),
        ("x.gz", "x"),
        ("x.trec.xz", "x"),
        ("x.y", "x.y"),
    ],
)
def test_system_names_come_from_files(file: str, system: str) -> None:
    """Guards how a system is named by its file."""
    assert formats.system_name(f"some/folder.run/{file}") == system


# ---------------------------------------------------------------------- standard input and output


class _Stream:
    """A text stream that has bytes below it."""

    def __init__(self, content: bytes = b"") -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("pack", [lambda t: t, gzip.compress], ids=["plain", "gzip"])
def test_standard_input(pack: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards '-' as judgments and as a run, plain and compressed, and what it is called in messages."""
    monkeypatch.setattr(sys, "stdin", _Stream(pack(CLEAN_RUN)))  # type: ignore[operator]
    assert tg.read_runs("-").systems == ("stdin",)
    monkeypatch.setattr(sys, "stdin", _Stream(pack(CLEAN_QRELS)))  # type: ignore[operator]
    assert len(tg.read_judgments("-")) == 3
    monkeypatch.setattr(sys, "stdin", _Stream(b"1 0\n"))
    with pytest.raises(tg.InputError, match=r"standard input:1: "):
        tg.read_judgments("-")
    with pytest.raises(tg.InputError, match="only one run"):
        tg.read_runs(["-", "-"])


def test_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards '-' as the place to write to."""
    out = _Stream()
    monkeypatch.setattr(sys, "stdout", out)
    tg.write_judgments({"1": {"a": 1}}, "-")
    tg.write_runs({"s": {"1": {"a": 0.5}}}, "-")
    assert out.buffer.getvalue() == b"1 0 a 1\n1 Q0 a 1 0.5 s\n"


# ---------------------------------------------------------------------- chunks


@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_chunks_give_the_same_table(chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards parallel reading: many chunks in many threads give what one chunk gives, comments and blanks included."""
    lines = [
        b"# comment\n" if i % 17 == 0 else b"\n" if i % 13 == 0
        else b"t%d Q0 d\xc3\xa9%d %d %r x%d\n" % (i // 30, i, i, i / 7, i // 50)
        for i in range(300)
    ]  # fmt: skip
    (tmp_path / "r").write_bytes(b"".join(lines))
    whole = tg.read_runs(tmp_path / "r").parts[0]
    monkeypatch.setattr(trec, "CHUNK", chunk)
    for jobs in (1, 4):
        parts = tg.read_runs(tmp_path / "r", jobs=jobs).parts[0]
        assert parts.topic.values == whole.topic.values
        assert parts.topic.code.tolist() == whole.topic.code.tolist()
        assert parts.tags == whole.tags
        assert parts.docs.strings() == whole.docs.strings()
        assert parts.score.tolist() == whole.score.tolist()
        assert parts.rank.tolist() == whole.rank.tolist()


@pytest.mark.parametrize("bad", [1, 2, 57, 99, 100])
@pytest.mark.parametrize("chunk", [1, 50, 1 << 23])
def test_faults_are_placed_right_across_chunks(
    bad: int, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards line numbers of faults in any chunk, of duplicates across chunks, and of text that is not UTF-8."""
    monkeypatch.setattr(trec, "CHUNK", chunk)
    monkeypatch.setattr(plain_text, "_DECODED", chunk)
    monkeypatch.setattr(files, "PIECE", chunk)
    lines = ["1 Q0 d\u00e9%d 1 %d s\n".encode() % (i, i) for i in range(1, 101)]
    for broken, says in ((b"1 Q0 x 1 high s\n", "not a number"), (b"1 Q0 \xe9 1 1 s\n", "not UTF-8")):
        (tmp_path / "r").write_bytes(b"".join([*lines[: bad - 1], broken, *lines[bad:]]))
        with pytest.raises(tg.InputError, match=f":{bad}: .*{says}"):
            tg.read_runs(tmp_path / "r", jobs=3)
    if bad > 1:
        (tmp_path / "r").write_bytes(b"".join([*lines[: bad - 1], lines[0], *lines[bad:]]))
        with pytest.raises(tg.InputError, match=f":{bad}: .* first on line 1"):
            tg.evaluate(tmp_path / "r", {"1": {"x": 1}}, "P@5")


def test_the_first_of_several_faults_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards determinism: with faults in several chunks the message is about the first one."""
    monkeypatch.setattr(trec, "CHUNK", 20)
    (tmp_path / "q").write_bytes(b"1 0 a 1\n" * 20 + b"1 0 b x\n" + b"1 0 a 1\n" * 20 + b"1 0\n")
    for _ in range(10):
        with pytest.raises(tg.InputError, match=":21: label is not a number"):
            tg.read_judgments(tmp_path / "q", jobs=8)


def test_infinite_scores_survive_json(tmp_path: Path) -> None:
    """Guards valid JSON: infinity is no JSON number, so it is written as text, and read as the number."""
    tg.write_runs({"s": {"1": {"a": math.inf, "b": -math.inf}}}, tmp_path / "r.jsonl")
    assert "Infinity" not in (tmp_path / "r.jsonl").read_text()
    assert tg.read_runs(tmp_path / "r.jsonl").parts[0].score.tolist() == [math.inf, -math.inf]
