"""JSON that is one value: objects of objects as ranx and pytrec_eval have them, and lists of objects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truegain as tg
from tests.text.whole_inputs import all_pieces
from truegain.io.json_files import STRICT, RepeatedKeyError, repeated_key
from truegain.judging.study.files import rows_of
from truegain.text import documents

ids = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=4)
labels = st.dictionaries(ids, st.dictionaries(ids, st.integers(-2, 4), min_size=1, max_size=4), min_size=1, max_size=4)


def columns(table: tg.Judgments) -> list[tuple[str, str, float]]:
    """The rows of judgments."""
    return list(zip(table.topic.strings(), table.docs.strings(), table.label.tolist(), strict=True))


@settings(deadline=None, max_examples=60)
@given(labels, st.sampled_from([None, 0, 2]), st.booleans(), st.sampled_from(["", "\n", "\r\n \n"]))
def test_nested_files_are_what_the_dict_is(
    data: dict[str, dict[str, int]], indent: int | None, escaped: bool, end: str
) -> None:
    """Guards reading on one line and on many, with and without escapes: a file gives what its dict gives."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "qrels.json"
        path.write_text(json.dumps(data, indent=indent, ensure_ascii=escaped) + end)
        assert columns(tg.read_judgments(path)) == columns(tg.Judgments.of(data))
        path.write_text(json.dumps({"s": data}, indent=indent, ensure_ascii=escaped) + end)
        run = tg.read_runs(path).parts[0]
        assert (run.system, list(zip(run.topic.strings(), run.docs.strings(), run.score.tolist(), strict=True))) == (
            "s",
            columns(tg.Judgments.of(data)),
        )


def test_one_line_of_words_and_of_documents_without_a_label(tmp_path: Path) -> None:
    """Guards {topic: {document: label}} on the one line of a .jsonl: words and null were taken for fields of a row."""
    path = tmp_path / "q.jsonl"
    path.write_text('{"q1": {"d1": "rel", "d2": "No"}, "q2": {"d1": null}}\n')
    with pytest.warns(tg.DataWarning, match="1 of 3 rows has no label"):
        read = tg.read_judgments(path, values="rel=1,no=0", missing="drop")
    assert columns(read) == [("q1", "d1", 1.0), ("q1", "d2", 0.0)]
    path.write_text('{"q1": {"d1": 1, "d2": null}}\n')
    with pytest.raises(tg.InputError, match=r"label of topic q1, document d2 is not a number: 'null'"):
        tg.read_judgments(path)
    path.write_text('{"query": {"id": "q1"}, "hit": {"url": "d1", "grade": 1}}\n')
    named = tg.read_judgments(path, columns={"topic": "query.id", "doc": "hit.url", "label": "hit.grade"})
    assert columns(named) == [("q1", "d1", 1.0)]


@settings(deadline=None, max_examples=60)
@given(labels, st.sampled_from([None, 1]), st.booleans())
def test_lists_are_what_lines_are(data: dict[str, dict[str, int]], indent: int | None, ratings: bool) -> None:
    """Guards lists of objects: the same rows as one object per line gives, also as ratings."""
    rows = [
        {"query_id": t, "docid": d, "rating": x, "worker": "w"} for t, docs in data.items() for d, x in docs.items()
    ]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("truegain.data.ratings.tell_negative", lambda *_: None)
        path, lines = Path(folder) / "q.json", Path(folder) / "q.jsonl"
        path.write_text(json.dumps(rows, indent=indent))
        lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
        read = tg.read_ratings if ratings else tg.read_judgments
        assert columns(read(path)) == columns(read(lines))


def test_files_of_ranx_and_pytrec_eval(tmp_path: Path) -> None:
    """Guards what those tools take and write: ranx's save gives dicts so indented; the scores are pytrec_eval's."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}}
    run = {"q1": {"a": 0.2, "b": 0.9, "c": 0.5}, "q2": {"b": 1.0, "a": 0.5}}
    (tmp_path / "qrels.json").write_text(json.dumps(qrels, indent=2))
    (tmp_path / "bm25.json").write_text(json.dumps(run, indent=2))
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut_2"}).evaluate(run)
    ours = tg.evaluate(tmp_path / "bm25.json", tmp_path / "qrels.json", ["map", "ndcg_cut_2"])
    assert ours.systems == ("bm25",)
    for name in ("map", "ndcg_cut_2"):
        assert ours.by_topic("bm25", name) == pytest.approx({t: v[name] for t, v in theirs.items()})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n "q1": {"a": 1},\n "q2": {"b": "x"}\n}', "f.json:3: {} of topic q2, document b is not a number: '\"x\"'"),
        ('{"q1": {"a": 1, "a": 2}}', "f.json:1: 'a' appears twice in one object"),
        ('{"q1": {"a": 1},\n"q1": {"b": 2}}', "f.json:2: 'q1' appears twice in one object"),
        ('{"q1": {"a": 1},\n"q2": {"a": 2},\n"q3": {"a": 2,\n"\\u0061": 0}}', "f.json:4: 'a' appears twice"),
        ('{"q1": {"a": 1},\n"q2": 3}', "f.json:2: topic q2 is an integer, not a dict"),
        ('{"q1": {"a": 1},\n"q2": {"a": 1}', "f.json:2: not readable JSON"),
        ('{"q1": {"a": NaN}}', "f.json:1: {} of topic q1, document a is not a number: 'NaN'"),
        ('[{"topic": "1", "doc": "a", "label": 1, "score": 1},\n 3]', "row 2: not a JSON object: '3'"),
        ('[{"topic": "1", "doc": "a"}\n {"topic": "1"}]', "f.json:2: not readable JSON: Expecting ','"),
        ('[{"topic": "1", "doc": "a", "label": 1, "score": 1}] x', "f.json:1: not readable JSON: Extra data"),
        ("[]", "the list is empty"),
        ("[1, 2]", "f.json:1: a JSON list whose items are not objects"),
        ('[{"topic": "1", "doc": "a", "label": 1, "score": 1},\n{"topic": "1", "doc": "b", "label": "x", "score": '
         '"x"}]', "f.json:2: {} is not a number: 'x'"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["label", "score"])
def test_mistakes_are_told(text: str, said: str, kind: str, tmp_path: Path) -> None:
    """Guards the messages: file, line or row, value and fault, for judgments and for runs."""
    path = tmp_path / "f.json"
    path.write_text(text)
    read: Any = tg.read_judgments if kind == "label" else tg.read_runs
    with pytest.raises(tg.InputError) as caught:
        read(path)
    assert said.format(kind) in str(caught.value)


@pytest.mark.slow
def test_one_long_line_of_json_is_read(tmp_path: Path) -> None:
    """Guards ranx's files, which are one line: more than the 1 MB that other lines may have."""
    path = tmp_path / "long.json"
    path.write_text(json.dumps({"q": {f"document-{i}": i for i in range(60_000)}}))
    assert path.stat().st_size > 1 << 20
    assert len(tg.read_runs(path)) == 60_000


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ('{"topic": "1", "doc": "a", "label": 1}\n{"topic": "1", "doc": "b", "label": 0, "label": 2}\n', 2, "label"),
        ('\n{"topic": "1", "doc": "a", "label": 1, "topic": "1"}\n', 2, "topic"),
        ('[{"topic": "1", "doc": "a", "label": 1},\n {"topic": "1", "doc": "b",\n  "doc": "c", "label": 0}]', 3, "doc"),
        ('{"topic": "1", "doc": "a", "label": 1, "m": {"a": [{"x": "}", "y": 1, "x": 2}]}}\n', 1, "x"),
        ('{"topic": "1", "doc": "\\"label\\":{", "label": 1, "la\\u0062el": 1}\n', 1, "label"),
    ],
)
@pytest.mark.parametrize("read", [tg.read_judgments, tg.read_ratings])
def test_a_key_twice_in_a_row_is_refused(
    text: str, line: int, key: str, read: Callable[[Path], object], tmp_path: Path
) -> None:
    """Guards rows of JSON, one a line or in a list: of a key that appears twice the last won, without a word."""
    path = tmp_path / "q.json"
    path.write_text(text)
    with pytest.raises(tg.InputError, match=rf"q.json:{line}: '{key}' appears twice in one object"):
        read(path)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(st.recursive(st.sampled_from(["1", '"a"', '"b\\n"', '"}"', "null"]), lambda x: st.lists(x, max_size=3).map(
    lambda some: "[" + ",".join(some) + "]"
) | st.lists(st.tuples(st.sampled_from(["a", "b", "\\u0061", "{", "[,", ':"'.replace('"', '\\"')]), x), max_size=3).map(
    lambda some: "{" + ", ".join(f'"{k}" : {v}' for k, v in some) + "}"
), max_leaves=12))  # fmt: skip
def test_where_a_key_stands_twice(text: str) -> None:
    """Guards the strict decoder and the place it names, by counting keys in what Python's own decoder gives."""
    twice: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice.extend(k for k, n in Counter(k for k, _ in pairs).items() if n > 1)
        return dict(pairs)

    whole = json.loads(text, object_pairs_hook=look)
    if not twice:
        assert STRICT.decode(text) == whole
        return
    with pytest.raises(RepeatedKeyError):
        STRICT.decode(text)
    at, key = repeated_key(text)
    assert key in twice
    assert json.JSONDecoder().raw_decode(text, at)[0] == key


def test_documents_and_topics_of_a_study_have_no_key_twice(tmp_path: Path) -> None:
    """Guards the other readers of JSON rows: documents to be indexed, and files of a judging study."""
    (tmp_path / "d.jsonl").write_text('{"id": "a", "text": "one"}\n{"id": "b", "text": "two", "text": "three"}\n')
    [piece] = all_pieces([str(tmp_path / "d.jsonl")], "jsonl", documents.Fields(), 1 << 20)
    with pytest.raises(tg.InputError, match=r"d\.jsonl:2: 'text' appears twice in one object"):
        documents.read(piece, documents.Fields())
    faults: list[str] = []
    assert len(list(rows_of(tmp_path / "d.jsonl", faults, names={}))) == 1
    assert len(faults) == 1
    assert "d.jsonl:2: 'text' appears twice in one object" in faults[0]
    (tmp_path / "d.json").write_text('[{"id": "a", "text": "one"},\n{"id": "b", "id": "c"}]')
    assert not list(rows_of(tmp_path / "d.json", faults, names={}))
    assert "d.json:2: 'id' appears twice in one object" in faults[1]
