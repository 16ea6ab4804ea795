"""JSON lines whose values stand in objects and in lists, named by paths."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import truegain as tg
from tests.cli.conftest import Run

LABELS = [("q1", "a", 1), ("q1", "b", 0), ("q2", "a", 0), ("q2", "b", 2)]


def write(path: Path, rows: Iterable[object]) -> None:
    """A line a row."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def test_columns_within_objects(run: Run, folder: Path) -> None:
    """Guards JSON lines of nested objects: a path names what stands in them, as a column of a table does."""
    judged = [{"query": {"id": t, "text": "x"}, "hit": {"URL": d, "grade": g}} for t, d, g in LABELS]
    found = [{"query": {"id": t}, "hit": {"URL": d, "points": i / 7}} for i, (t, d, _) in enumerate(LABELS)]
    for name, rows in {"j.jsonl": judged, "r.jsonl": found}.items():
        write(folder / name, rows)
    (folder / "j.qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in LABELS))
    (folder / "r.run").write_text("".join(f"{t} Q0 {d} 1 {i / 7} r\n" for i, (t, d, _) in enumerate(LABELS)))
    words = ("-m", "nDCG@5", "-m", "P@1", "-q")
    columns = "topic=query.id,doc=hit.url,label=hit.grade,score=hit.points"
    assert run("eval", "j.jsonl", "r.jsonl", *words, "--columns", columns) == run("eval", "j.qrels", "r.run", *words)
    assert "r.jsonl: run: system r, 2 topics" in run("doctor", "j.jsonl", "r.jsonl", "--columns", columns)[1]
    lost = run("doctor", "j.jsonl", "r.jsonl")[1]
    assert "j.jsonl: not read: its values are nested in objects: query.id, query.text, hit.URL, hit.grade" in lost
    assert "--columns topic=query.id,doc=hit.URL,label=hit.grade" in lost
    _, _, unnamed = run("eval", "j.jsonl", "r.jsonl", *words)
    assert "topic is a dict" in unnamed
    assert "as in --columns topic=query.id" in unnamed
    _, _, wrong = run("eval", "j.jsonl", "r.jsonl", *words, "--columns", columns.replace("hit.url", "hit.urls"))
    assert "(did you mean hit.URL?)" in wrong
    code, _, order = run("eval", "r.jsonl", "j.jsonl", *words, "--columns", columns)
    assert (code, "this looks like a run" in order) == (2, True)
    beside = [{**row, "qid": "all", "doc_id": str(i)} for i, row in enumerate(judged)]
    write(folder / "j.jsonl", beside)
    for slip, meant in (("query.idd", "query.id"), ("qeury.id", "query.id"), ("query.number", "query.text")):
        code, out, err = run("eval", "j.jsonl", "r.jsonl", *words, "--columns", columns.replace("query.id", slip))
        assert (code, out) == (2, ""), "no other column may stand in for a path that was mistyped"
        assert f"there is no column '{slip}'" in err
        assert meant in err
    (folder / "j.jsonl").write_text('{"query": {"id": "q1", "ID": "q2"}, "hit": {"url": "a", "grade": 1}}\n' * 2)
    code, _, err = run("eval", "j.jsonl", "r.jsonl", *words, "--columns", columns)
    assert (code, "query.id matches both 'id' and 'ID'" in err) == (2, True), err


LISTS = "topic=query.id,doc=out.hits.id,label=out.hits.grade,score=out.hits.points"


def lists(folder: Path) -> None:
    """A line a query, with the list of its documents, as search services log them; TREC files of the same."""
    topics = {"q1": [("a", 1, 0.2), ("b", 0, 0.9)], "q2": [("b", 2, 0.8), ("a", 0, 0.3), ("c", 1, 0.1)], "q3": []}
    entries = {t: [{"id": d, "grade": g} for d, g, _ in of] for t, of in topics.items()}
    write(folder / "j.jsonl", ({"query": {"id": t}, "out": {"hits": of}} for t, of in entries.items()))
    entries = {t: [{"id": d, "points": p} for d, _, p in of] for t, of in topics.items()}
    write(folder / "r.jsonl", ({"query": {"id": t}, "out": {"hits": of}} for t, of in entries.items()))
    rows = [(t, *row) for t, of in topics.items() for row in of]
    (folder / "j.qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g, _ in rows))
    (folder / "r.run").write_text("".join(f"{t} Q0 {d} 1 {p} r\n" for t, d, _, p in rows))


def test_a_list_in_a_line_is_a_row_an_entry(run: Run, folder: Path) -> None:
    """Guards logs of a query and its documents: the same scores as from TREC files, and a place that can be found."""
    lists(folder)
    words = ("-m", "nDCG@5", "-m", "P@1", "-q")
    code, out, err = run("eval", "j.jsonl", "r.jsonl", *words, "--columns", LISTS)
    assert (code, out) == (0, run("eval", "j.qrels", "r.run", *words)[1]), err
    assert "q2" in out
    told = run("doctor", "j.jsonl", "r.jsonl")[1]
    assert "nested in objects: query.id, out.hits.id, out.hits.grade" in told
    told = run("doctor", "j.jsonl", "r.jsonl", "--columns", LISTS)[1]
    assert "r.jsonl: run: system r, 2 topics, 5 results" in told
    half = {"query": {"id": "q1"}, "out": {"hits": [{"id": "a", "grade": 1}, {"id": "b"}]}}
    write(folder / "j.jsonl", [half, half])
    code, _, err = run("eval", "j.jsonl", "r.jsonl", *words, "--columns", LISTS)
    assert (code, "j.jsonl:1, entry 2 of out.hits: label is missing" in err) == (2, True), err


def test_the_place_in_a_list_is_a_rank(run: Run, folder: Path) -> None:
    """Guards lists without scores: `#` is the place of an entry, from 1."""
    lists(folder)
    ranked = LISTS.replace("score=out.hits.points", "rank=out.hits.#")
    code, out, err = run("eval", "j.jsonl", "r.jsonl", "-m", "P@1", "-q", "--columns", ranked)
    assert (code, out.split()[3:]) == (0, ["r", "q1", "1.0000", "r", "q2", "1.0000", "r", "all", "1.0000"]), err


def test_two_lists_are_not_guessed_at(run: Run, folder: Path) -> None:
    """Guards a document of one list beside a label of another: refused, with both names."""
    write(folder / "j.jsonl", [{"q": "1", "hits": [{"id": "a"}], "votes": [{"grade": 1}, {"grade": 0}]}])
    (folder / "r.run").write_text("1 Q0 a 1 1 r\n")
    code, _, err = run("eval", "j.jsonl", "r.run", "--columns", "topic=q,doc=hits.id,label=votes.grade")
    assert (code, "--columns names fields of 2 lists, hits and votes (name fields of one list only)" in err) == (
        2,
        True,
    )


def test_lists_in_a_frame() -> None:
    """Guards Python: a frame of nested columns is read as the file is."""
    frame = pl.DataFrame({"q": ["1", "2"], "hits": [[{"id": "a", "g": 1}, {"id": "b", "g": 0}], [{"id": "a", "g": 2}]]})
    found = tg.read_judgments(frame, columns={"topic": "q", "doc": "hits.id", "label": "hits.g"})
    rows = list(zip(found.topic.strings(), found.docs.strings(), found.label.tolist(), strict=True))
    assert rows == [("1", "a", 1.0), ("1", "b", 0.0), ("2", "a", 2.0)]


def test_an_entry_alone_a_text_and_nothing(run: Run, folder: Path) -> None:
    """Guards silent loss: an object where others have a list is an entry, a text is refused, what lacks is counted."""
    (folder / "r.run").write_text("".join(f"{t} Q0 a 1 1 r\n" for t in "123"))
    columns = ("-m", "P@1", "-q", "--columns", "topic=q,doc=hits.id,label=hits.g")
    rows = [{"q": t, "hits": [{"id": "a", "g": 1}, {"id": "b", "g": 0}]} for t in "12"]
    write(folder / "j.jsonl", [*rows, {"q": "3", "hits": {"id": "a", "g": 1}}])
    assert "r       3      1.0000" in run("eval", "j.jsonl", "r.run", *columns)[1]
    write(folder / "j.jsonl", [*rows, {"q": "3", "hits": "TIMEOUT"}])
    code, _, err = run("eval", "j.jsonl", "r.run", *columns)
    assert (code, "j.jsonl:3: hits is a text here and a list in other rows: 'TIMEOUT'" in err) == (2, True), err
    write(folder / "j.jsonl", [*rows, {"q": "3"}])
    _, out, err = run("eval", "j.jsonl", "r.run", *columns)
    assert "j.jsonl: 1 row has no hits and no documents" in err
    assert " 3 " not in out


def test_only_lists_that_hold_documents_make_rows(run: Run, folder: Path) -> None:
    """Guards lists beside a document: names of another file, and those of further columns, drop no row."""
    write(folder / "j.jsonl", [{"q": t, "hits": [{"id": "a", "g": 1}, {"id": "b", "g": 0}]} for t in "12"])
    own = [{"topic": t, "doc": d, "score": x, "hits": []} for t in "12" for d, x in (("a", 2), ("b", 1))]
    own[0]["hits"] = [{"id": "z"}]
    write(folder / "r.jsonl", own)
    words = ("-m", "P@1", "--columns", "topic=q,doc=hits.id,label=hits.g")
    assert run("eval", "j.jsonl", "r.jsonl", *words)[1].split()[-1] == "1.0000"
    write(folder / "flat.jsonl", [{"topic": t, "doc": "a", "label": 1, "notes": []} for t in "12"])
    code, _, err = run("eval", "flat.jsonl", "r.jsonl", "-m", "P@1", "--columns", "comment=notes.text")
    assert (code, "there is no column 'notes.text'" in err) == (2, True), err


def test_doctor_reads_lists_as_other_commands_do(run: Run, folder: Path) -> None:
    """Guards what is looked at: an empty list first, labels of later entries, ranks by place, lists of other kinds."""
    lists(folder)
    rows = [json.loads(line) for line in (folder / "r.jsonl").read_text().splitlines()]
    write(folder / "r.jsonl", [{"query": {"id": "q0"}, "out": {"hits": []}}, *rows])
    assert "r.jsonl: run: system r, 2 topics" in run("doctor", "j.jsonl", "r.jsonl", "--columns", LISTS)[1]
    ranked = LISTS.replace("score=out.hits.points", "rank=out.hits.#")
    assert "r.jsonl: run: system r, 2 topics" in run("doctor", "j.jsonl", "r.jsonl", "--columns", ranked)[1]
    for name, field in (("k.jsonl", "votes"), ("s.jsonl", "hits")):
        write(folder / name, [{"q": "1", field: [{"id": "a", "g": 1, "s": 0.5}]}, {"q": "2", field: []}])
    both = "topic=q,doc=votes.id,label=votes.g;runs:doc=hits.id,score=hits.s"
    assert "s.jsonl: run: system s" in run("doctor", "k.jsonl", "s.jsonl", "--columns", both)[1]
    write(folder / "log.jsonl", [{"qid": t, "took_ms": 31.5, "hits": [{"id": "a", "sim": 0.5}]} for t in "12"])
    told = run("doctor", "log.jsonl")[1]
    assert "not read: its values are nested in objects: hits.id, hits.sim" in told, "times are no scores of answers"


def test_the_place_in_a_list_is_no_label(run: Run, folder: Path) -> None:
    """Guards suggestions: the place of an entry, which nobody named, was suggested as score and as label."""
    lists(folder)
    columns = LISTS.rpartition(",score")[0]
    code, _, err = run("eval", "j.jsonl", "r.jsonl", "-m", "P@1", "--columns", columns)
    assert (code, ".#" in err) == (2, False), err
    (folder / "ids.jsonl").write_text('{"query": "q1", "found": ["a", "b"]}\n{"query": "q2", "found": ["b"]}\n')
    words = ("eval", "j.qrels", "ids.jsonl", "-m", "P@1", "--columns")
    _, _, err = run(*words, "doc=found,score=found")
    assert "say --columns 'doc=found,score=found;runs:doc=found,rank=found.#'" in err
    assert run(*words, "doc=found,rank=found.#")[0] == 0


def test_lists_take_the_memory_of_their_rows(run: Run, folder: Path) -> None:
    """Guards --memory: the entries of lists are counted, not lines alone."""
    (folder / "j.qrels").write_text("1 0 d19999 1\n2 0 d19999 1\n")
    hits = [{"id": f"d{n}", "points": n / 7} for n in range(20_000)]
    write(folder / "r.jsonl", [{"q": t, "hits": hits} for t in "12"])
    words = ("eval", "j.qrels", "r.jsonl", "-m", "P@1", "--columns", "topic=q,doc=hits.id,score=hits.points")
    code, _, err = run(*words, "--memory", "15MB")
    assert (code, "this needs about" in err) == (2, True), err
    assert run(*words, "--memory", "60MB")[0] == 0


def test_scores_that_rise_along_the_lists_are_told(run: Run, folder: Path) -> None:
    """Guards distances given as scores: each list would be read from its end, without a word."""
    (folder / "j.qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    for name, second in (("far.jsonl", 0.9), ("mixed.jsonl", 0.1)):
        rows = [{"q": "1", "out": {"hits": [{"id": "a", "d": 0.2}, {"id": "b", "d": second}]}}]
        write(folder / name, [*rows, {"q": "2", "out": {"hits": [{"id": "a", "d": 0.3}, {"id": "b", "d": 0.8}]}}])
    words = ("-m", "P@1", "--columns", "topic=q,doc=out.hits.id,score=out.hits.d")
    _, out, err = run("eval", "j.qrels", "far.jsonl", *words)
    assert (
        "far.jsonl: out.hits.d rises along every list, so the last entry ranks first; if small values are best, " in err
    )
    assert "name out.hits.# as the rank and no score" in err
    assert out.split()[-1] == "0.0000"
    assert "rises" not in run("eval", "j.qrels", "mixed.jsonl", *words)[2]
    assert (
        run("eval", "j.qrels", "far.jsonl", *words[:3], "topic=q,doc=out.hits.id,rank=out.hits.#")[1].split()[-1]
        == "1.0000"
    )


def test_faults_in_a_list_name_the_entry(run: Run, folder: Path) -> None:
    """Guards places that can be found: of a list of a hundred documents the line alone says little."""
    (folder / "r.run").write_text("1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n")
    words = ("eval", "j.jsonl", "r.run", "-m", "P@1", "--columns", "topic=q,doc=hits.id,label=hits.g")
    good = [{"id": "a", "g": 1}]
    for fault, said in (
        ({"id": "b"}, "label is missing"),
        ({"id": "b", "g": "x"}, "label is not a number: 'x'"),
        ({"g": 1}, "doc is missing"),
        ({"id": 1.5, "g": 1}, "doc is a floating-point number: '1.5'"),
        (
            {"id": "a", "g": 0},
            "two labels (1 and 0) for topic 2, document a (keep one, this or line 2, entry 1 of hits; if",
        ),
    ):
        write(folder / "j.jsonl", [{"q": "1", "hits": good}, {"q": "2", "hits": [*good, fault]}])
        code, _, err = run(*words)
        assert (code, f"j.jsonl:2, entry 2 of hits: {said}" in err) == (2, True), err
    told = run("doctor", "j.jsonl", "--columns", words[-1])[1]
    assert "line 2, entry 2 of hits: two labels (1 and 0)" in told
    nested = [{"q": "1", "parts": [{"hits": good}, {"hits": [*good, {"id": "b"}]}]}]
    write(folder / "j.jsonl", nested)
    _, _, err = run(*words[:-1], "topic=q,doc=parts.hits.id,label=parts.hits.g")
    assert "j.jsonl:1, entry 2 of parts, entry 2 of parts.hits: label is missing" in err
    frame = pl.DataFrame({"q": ["1"], "hits": [[{"id": "a", "g": 1}, {"id": "b", "g": None}]]})
    with pytest.raises(tg.InputError, match=r"row 1, entry 2 of hits: label is missing") as met:
        tg.read_judgments(frame, columns={"topic": "q", "doc": "hits.id", "label": "hits.g"})
    assert (met.value.row, met.value.entry) == (1, "entry 2 of hits")


def test_a_document_twice_in_a_list(run: Run, folder: Path) -> None:
    """Guards what is said of it: it was told as two lines, of which there is one."""
    (folder / "j.qrels").write_text("1 0 a 1\n2 0 a 1\n")
    words = ("eval", "j.qrels", "r.jsonl", "-m", "P@1", "--columns")
    hits = [{"id": d, "s": 3 - i} for i, d in enumerate("aba")]
    write(folder / "r.jsonl", [{"q": "1", "hits": hits[:2]}, {"q": "2", "hits": hits}])
    for columns in ("topic=q,doc=hits.id,score=hits.s", "topic=q,doc=hits.id,rank=hits.#"):
        code, _, err = run(*words, columns)
        assert (code, err) == (
            2,
            "error: r.jsonl:2, entry 3 of hits: document a appears twice for topic 2 in system r, first as entry 1 of "
            "hits in the same line (keep one of the two entries)\n",
        )
    told = run("doctor", *words[1:3], "--columns", "topic=q,doc=hits.id,score=hits.s")[1]
    assert ("document a appears twice" in told, "truegain eval" in told) == (True, False)
    write(folder / "r.jsonl", [{"q": "1", "hits": hits[:2]}, {"q": "1", "hits": hits[:1]}])
    _, _, err = run(*words, "topic=q,doc=hits.id,score=hits.s")
    assert (
        "r.jsonl:2, entry 1 of hits: document a appears twice for topic 1 in system r, first on line 1, entry 1 of "
        "hits (keep one of the two entries)"
    ) in err


def test_one_line_of_objects(run: Run, folder: Path) -> None:
    """Guards a JSONL file of a single row: it was read as {topic: {document: number}}, or said to have no header."""
    (folder / "r.run").write_text("1 Q0 a 1 2 r\n")
    write(folder / "j.jsonl", [{"query": {"id": "1"}, "hit": {"url": "a", "grade": 1}}])
    told = run("doctor", "j.jsonl")[1]
    assert "j.jsonl: not read: its values are nested in objects: query.id, hit.url, hit.grade (name the col" in told
    _, _, err = run("eval", "j.jsonl", "r.run", "-m", "P@1")
    assert "topic is a dict" in err, "as of two lines"
    columns = ("--columns", "topic=query.id,doc=hit.url,label=hit.grade")
    for name, document in (("j.jsonl", "a"), ("j.ndjson", "a"), ("j.txt", "a"), ("j.jsonl", 7)):
        write(folder / name, [{"query": {"id": 1}, "hit": {"url": document, "grade": 1}}])
        (folder / "r.run").write_text(f"1 Q0 {document} 1 2 r\n")
        code, out, err = run("eval", name, "r.run", "-m", "P@1", *columns)
        assert (code, out.split()) == (0, ["system", "P@1", "r", "1.0000"]), err
        assert f"{name}: judgments: 1 topic, 1 judgment" in run("doctor", name, "r.run", *columns)[1]
    write(folder / "nested.jsonl", [{"1": {"a": 1, "b": 0}}])
    (folder / "r.run").write_text("1 Q0 a 1 2 r\n")
    assert run("eval", "nested.jsonl", "r.run", "-m", "P@1")[1].split()[-1] == "1.0000"
    assert "nested.jsonl: judgments: 1 topic, 2 judgments" in run("doctor", "nested.jsonl")[1]
    code, _, err = run("eval", "nested.jsonl", "r.run", "-m", "P@1", *columns)
    assert (code, err) == (
        2,
        "error: nested.jsonl: there is no column 'hit.grade': this file is {topic: {document: number}}, which has no "
        "columns (leave it out of --columns, or write one object per line, such as {'topic': '1', 'doc': 'a', 'label': "
        "1})\n",
    )


@pytest.mark.parametrize(
    ("row", "option"),
    [
        ({"query": {"id": "1"}, "hits": [{"id": "a", "score": 2.5}]}, "topic=query.id,doc=hits.id,score=hits.score"),
        ({"query": {"id": "1"}, "results": [{"doc_id": "a", "relevance_score": 0.83}]},
         "topic=query.id,doc=results.doc_id,score=results.relevance_score"),
        ({"query": {"id": "1"}, "results": [{"doc_id": "a", "relevance_score": 2}]},
         "topic=query.id,doc=results.doc_id,label=results.relevance_score"),
        ({"query": {"id": "1"}, "hits": [{"id": "a", "score": 2.5, "upgrade_date": "2024-01-02"}]},
         "topic=query.id,doc=hits.id,score=hits.score"),
        ({"q": "1", "results": [{"url": "a", "sim": 0.5}]}, "topic=q,doc=results.url,score=results.sim"),
        ({"query": {"id": "1", "text": "a b"}, "chunk": "a", "similarity_score": 0.83},
         "topic=query.id,doc=chunk,score=similarity_score"),
        ({"request": {"qid": "1"}, "docs": [{"doc": {"url": "a"}, "grade": 1}]},
         "topic=request.qid,doc=docs.doc.url,label=docs.grade"),
        ({"query": {"id": "1"}, "hit": {"url": "a", "points": 1}},
         "topic=query.id,doc=hit.url,label=hit.points; a run has a score in place of the label"),
        ({"query": {"id": "1"}, "a": [{"id": "a", "score": 1}], "b": [{"id": "b", "score": 1}]},
         "topic=NAME,doc=NAME,label=NAME with your fields for NAME, those of one list"),
        ({"query": {"id": "1"}, "product": {"sku": "a", "title": "a b"}, "assessment": {"esci": "Exact", "by": "ann"}},
         "topic=query.id,doc=product.sku,label=NAME with assessment.esci or assessment.by for NAME"),
    ],
    ids=["run", "reranked", "graded", "upgraded", "topic outside", "score outside", "judgments",
         "no value by its name", "two lists", "words"],
)  # fmt: skip
def test_doctor_names_the_paths_to_give(row: dict[str, Any], option: str, run: Run, folder: Path) -> None:
    """Guards the first look at nested files: the option that reads them, with NAME where that is not seen."""
    write(folder / "x.jsonl", [row, row])
    assert f"(name the columns: --columns {option}" in run("doctor", "x.jsonl")[1]
    write(folder / "r.run", [])
    if "a" not in row:
        asked = option.partition(" with ")[0].partition(";")[0]
        _, _, err = run("eval", "x.jsonl", "r.run", "-m", "P@1", "--columns", asked.partition(",")[0])
        assert (asked.partition(",")[2] in err, "hit.url" in err) == ("label" in option, "hit" in row), err


def test_a_time_outside_is_not_taken_for_the_score_in_a_list(run: Run, folder: Path) -> None:
    """Guards the option in the error: fields of lists are among those that may be the score."""
    (folder / "j.qrels").write_text("1 0 a 1\n2 0 a 0\n")
    rows = [{"query": {"id": t}, "took": 40 + i, "hits": [{"id": "a", "score": 2.5}]} for i, t in enumerate("12")]
    write(folder / "r.jsonl", rows)
    code, _, err = run("eval", "j.qrels", "r.jsonl", "-m", "P@1", "--columns", "topic=query.id,doc=hits.id")
    assert code == 2
    assert "say which it is: --columns topic=query.id,doc=hits.id,score=hits.score" in err
