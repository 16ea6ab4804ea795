"""Files without a line of names, other names than ours, ranks without scores, semicolons, rows without a label."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truegain as tg
from tests.text.whole_inputs import all_pieces
from truegain.errors import InputError
from truegain.io.columns import number_of, plain_numbers
from truegain.io.file_options import FileOptions, Header, headers_of, read_with
from truegain.io.separated import csv_cells, even_cells
from truegain.judging.study.files import rows_of
from truegain.text import documents
from truegain.text.pieces import Kind

tokens = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=4)
rows = st.lists(st.tuples(tokens, tokens, st.integers(0, 9)), min_size=1, max_size=6, unique_by=lambda r: r[:2])


def listed(run: Any) -> list[tuple[str, str, float]]:
    """The rows of a run or of judgments."""
    values = run.score if hasattr(run, "score") else run.label
    return list(zip(run.topic.strings(), run.docs.strings(), values.tolist(), strict=True))


@settings(deadline=None, max_examples=80)
@given(rows, st.permutations(["topic", "doc", "label", "-"]), st.sampled_from(["\t", " ", ",", ";"]), st.booleans())
def test_files_without_names(data: list[tuple[str, str, int]], order: Sequence[str], between: str, run: bool) -> None:
    """Guards columns in any order, with any separator, and one that is not read: what was written is read."""
    value = "score" if run else "label"
    names = ",".join(value if name == "label" else name for name in order)
    cells = [{"topic": t, "doc": d, "label": str(x), "-": "x"} for t, d, x in data]
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        path = Path(folder) / "f.txt"
        path.write_text("".join(between.join(row[name] for name in order) + "\n" for row in cells))
        read = tg.read_runs(path, columns=names).parts[0] if run else tg.read_judgments(path, columns=names)
    assert listed(read) == [(t, d, float(x)) for t, d, x in data]


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.dictionaries(tokens, st.permutations("abcdef"), min_size=1, max_size=3), st.sampled_from([0, 1]), st.data())
def test_ranks_order_documents(lists: dict[str, Sequence[str]], first: int, data: st.DataObject) -> None:
    """Guards runs without scores: whatever the order of the lines, documents stand by rank, from 0 or from 1."""
    lines = [f"{t}\t{d}\t{rank}\n" for t, docs in lists.items() for rank, d in enumerate(docs, first)]
    shuffled = data.draw(st.permutations(lines))
    with TemporaryDirectory() as folder:
        path, table = Path(folder) / "f.tsv", Path(folder) / "t.tsv"
        path.write_text("".join(shuffled))
        table.write_text("qid\tdocid\trank\n" + "".join(shuffled))
        for runs in (tg.read_runs(path, columns="topic,doc,rank"), tg.read_runs(table)):
            ordered: dict[str, list[str]] = {}
            for topic, doc in runs.ordered_frame().select("topic", "doc").rows():
                ordered.setdefault(topic, []).append(doc)
            assert ordered == {t: list(docs) for t, docs in lists.items()}


@pytest.mark.parametrize(
    ("text", "columns", "said"),
    [
        ("1 a 1\n1 b 1\n", "topic,doc,rank", "f:2: rank 1 appears twice for topic 1, first on line 1"),
        ("1,a,1\n1,b,1\n", "topic,doc,rank", "f:2: rank 1 appears twice for topic 1, first on line 1"),
        ("1 a 0.53\n", "topic,doc,rank", "f:1: rank 0.53 is not a whole number of at least 0: '1 a 0.53'"),
        ("1 a -1\n", "topic,doc,rank", "rank -1 is not a whole number"),
        ("1 a x\n", "topic,doc,rank", "f:1: rank is not a number"),
        ("1 a 1 s\n", "topic,doc,rank", "f:1: a run line needs exactly 3 fields, this one has 4: '1 a 1 s'"),
        ("1,a,1,s\n", "topic,doc,rank", "f:1: 4 fields where columns= has 3"),
        ("topic,doc,rank\n1,a,1\n", "topic,doc,rank", "f:1: the first line names the columns, and so does columns="),
        ("topic\tdoc\trank\n1\ta\t1\n", "topic,doc,rank", "the first line names the columns"),
        ('{"topic": "1", "doc": "a", "score": 1}\n', "topic,doc,rank", "this file has its own"),
        ("1 a 1\n", "topic,doc", "do not name a score or a rank"),
        ("1 a 1\n", "topic,rank", "do not name a topic and a doc"),
        ("1 a 1\n", "topic,doc,qid", "topic is named twice"),
        ("topic,doc,bm25\n1,a,2\n", "score=bm52", "there is no column 'bm52' among topic, doc, bm25"),
        ("topic,doc,bm25\n1,a,2\n", "color=bm25", "truegain has no column named color"),
        ("1 Q0 a 1 2 s\n", "score=bm25", "f: there is no column 'bm25': this file has no header"),
        ("topic,doc,bm25\n1,a,2\n", "score=", "'score=' is not ours=theirs"),
        ("topic,doc,rank\n1,a,\n", None, "f:2: rank is missing"),
    ],
)
def test_mistakes_of_runs_are_told(text: str, columns: str | None, said: str, tmp_path: Path) -> None:
    """Guards the messages: where, what, and what to do; what is ambiguous is refused."""
    path = tmp_path / "f"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        tg.read_runs(path, columns=columns)
    assert said in str(caught.value)


def test_scores_that_are_ranks_are_told_once(tmp_path: Path) -> None:
    """Guards against ranks taken for scores: two runs, one warning with counts; falling scores are not suspicious."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("topic,doc,score\n1,x,1\n1,y,2\n2,x,1\n2,y,2\n")
    (tmp_path / "c.csv").write_text("topic,doc,score\n1,x,2\n1,y,1\n2,x,2\n2,y,1\n")
    qrels = {"1": {"x": 1}, "2": {"x": 1}}
    with pytest.warns(
        tg.DataWarning, match=r"rise 1, 2, 3, \.\.\. as ranks do in 4 lists of 2 runs \(a, b\)"
    ) as caught:
        tg.evaluate(tmp_path, qrels, "RR")
    assert len(caught) == 1


def test_other_names_of_columns(tmp_path: Path) -> None:
    """Guards ours=theirs in Python: judgments and runs under names we do not know, joined ones too."""
    path = tmp_path / "f.csv"
    path.write_text("frage,teil,url,bm25,grade\n1,x,a,0.5,2\n")
    names = {"topic": "frage+teil", "doc": "url"}
    assert listed(tg.read_runs(path, columns={**names, "score": "bm25"}).parts[0]) == [("1-x", "a", 0.5)]
    assert listed(tg.read_judgments(path, columns={**names, "label": "grade"})) == [("1-x", "a", 2)]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(-1000, 1000).map(lambda x: round(x, 2)), min_size=1, max_size=6))
def test_semicolons_with_decimal_commas(values: list[float]) -> None:
    """Guards tables as spreadsheets of half of Europe write them: the numbers are those with points."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "f.csv"
        cells = [f"{value:.2f}".replace(".", ",") for value in values]
        path.write_text("topic;doc;label\n" + "".join(f"1;d{i},x;{cell}\n" for i, cell in enumerate(cells)))
        read = tg.read_judgments(path)
        assert read.label.tolist() == values
        assert read.docs.strings() == [f"d{i},x" for i in range(len(values))]


def test_a_comma_that_may_be_either_is_refused(tmp_path: Path) -> None:
    """Guards 1,234, which is one and a bit or a thousand: refused with its line, unless another cell decides it."""
    path = tmp_path / "f.csv"
    path.write_text("topic;doc;score\n1;a;1\n1;b;1,234\n")
    with pytest.raises(
        InputError, match=r"f\.csv:3: column 'score': a decimal comma, or one between thousands\?: '1,234'"
    ):
        tg.read_runs(path)
    path.write_text("topic;doc;score\n1;a;0,5\n1;b;1,234\n")
    assert tg.read_runs(path).parts[0].score.tolist() == [0.5, 1.234]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f.csv", 'topic,doc,{0}\n1,a,1\n1,b,"2,5"\n'),
        ("f.tsv", "topic\tdoc\t{0}\n1\ta\t1\n1\tb\t2,5\n"),
        ("f.qrels", "1 0 a 1\n1 0 b 2,5\n"),
    ],
)
def test_a_decimal_comma_elsewhere_is_named_as_one(name: str, text: str, tmp_path: Path) -> None:
    """Guards the remedy for 2,5, which was told as a word that needs a number."""
    path = tmp_path / name
    for value, reader in (("label", tg.read_judgments), ("score", tg.read_runs)):
        path.write_text(text.format(value) if value == "label" or "{0}" in text else "1 Q0 a 1 3 s\n1 Q0 b 2 2,5 s\n")
        with pytest.raises(InputError, match=rf"{value} is not a number: .*2,5") as met:
            reader(path)
        assert met.value.remedy == "write numbers with a decimal point and without thousands separators"


def test_rows_without_a_label(tmp_path: Path) -> None:
    """Guards empty cells: refused by default, with 'drop' left out and counted once, for judgments and for ratings."""
    path = tmp_path / "f.csv"
    path.write_text("topic,doc,assessor,label\n1,a,x,1\n1,b,x,\n1,c,x,NA\n")
    for read in (tg.read_judgments, tg.read_ratings):
        with pytest.raises(InputError, match=r"f\.csv:3: (label|rating) is missing"):
            read(path)
        with pytest.warns(tg.DataWarning, match=r"f\.csv: 2 of 3 rows have no label, and are left out") as caught:
            assert read(path, missing="drop").docs.strings() == ["a"]
        assert len(caught) == 1
    path.write_text("topic,doc,assessor,label\n1,a,x,\n")
    with pytest.raises(InputError, match="no row has a label"):
        tg.read_judgments(path, missing="drop")


@settings(deadline=None)
@given(st.text(st.sampled_from("topicdlabersn=,;-_+ "), max_size=30) | st.text(max_size=10))
def test_any_text_of_columns_is_understood_or_refused(text: str) -> None:
    """Guards the parser of --columns: whatever is written, it answers or raises an error of ours."""
    for parse in (Header.of, headers_of):
        with contextlib.suppress(InputError):
            parse(text)


def test_which_columns_are_of_which_file() -> None:
    """Guards one option for two kinds of files: told apart by what they name; what could be either is refused."""
    judged, ran, _ = headers_of("label=grade;score=bm25,topic=q")
    assert (judged.renamed, ran.renamed) == ({"label": "grade"}, {"score": "bm25", "topic": "q"})
    judged, ran, _ = headers_of("topic=q,doc=url")
    assert judged.renamed == ran.renamed == {"topic": "q", "doc": "url"}
    with pytest.raises(InputError, match="may be about judgments or about runs"):
        headers_of("topic,doc,number")


@pytest.mark.filterwarnings("ignore:.*known.csv. there is no column 'wort'; column 'score' is read instead")
def test_runs_with_names_of_their_own_stand_together(tmp_path: Path) -> None:
    """Guards several runs: a name counts for those that have it, others are read as they are, and no typo passes."""
    (tmp_path / "odd.csv").write_text("frage,stelle,wert\n1,a,2\n")
    (tmp_path / "other.csv").write_text("anfrage,ort,bm\n1,a,3\n")
    (tmp_path / "known.csv").write_text("qid,passage_id,score\n1,a,4\n")
    (tmp_path / "lines.run").write_text("1 Q0 a 1 5 x\n")
    (tmp_path / "bare.tsv").write_text("1\ta\t6\n")
    (tmp_path / "nested.json").write_text('{"1": {"a": 7}}')

    def scores(columns: str, *names: str) -> list[float]:
        with read_with(FileOptions("q", *headers_of(columns), columns=columns)):
            return [float(part.score[0]) for part in tg.read_runs([tmp_path / name for name in names]).parts]

    odd, others = "topic=frage,doc=stelle,score=wert", ("known.csv", "lines.run", "nested.json")
    assert scores(odd, "odd.csv", *others) == [2, 4, 5, 7]
    assert scores("topic,doc,score", "bare.tsv", *others) == [6, 4, 5, 7]
    assert scores(f"{odd};runs:topic=anfrage,doc=ort,score=bm", *others, "other.csv", "odd.csv") == [4, 5, 7, 3, 2]
    with pytest.raises(InputError, match=r"nested\.json: there is no column 'wort': this file is \{topic: "):
        scores("score=wort", *others)
    with pytest.raises(InputError, match=r"other\.csv: there is no column 'bm25' or 'wert' among anfrage, ort, bm"):
        scores(f"{odd};runs:topic=anfrage,doc=ort,score=bm25", "odd.csv", "other.csv", *others)
    with pytest.raises(InputError, match=r"known\.csv: there is no column 'wert' among qid, passage_id, score"):
        scores(odd, "known.csv")


LINES = st.lists(
    st.lists(st.text(st.sampled_from('ab1 \t";\u2028\xe9\x85\x0b\x00#'), max_size=3), min_size=1, max_size=4).map(
        ",".join
    ),
    max_size=5,
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(LINES, st.sampled_from(["\n", "\r\n", "\r", "\n\n"]), st.booleans(), st.integers(0, 3), st.booleans())
def test_cells_cut_at_once_are_those_of_the_csv_module(
    lines: list[str], newline: str, ended: bool, width: int, literal: bool
) -> None:
    """Guards the fast way through a table: it cuts as the csv module does, with the same lines, or not at all."""
    text = (newline.join(lines) + (newline if ended else "")).encode()
    found = even_cells(text, ",", width, literal)
    if found is not None:
        other = csv_cells(text, ",", "t.csv", ("a", "b", "c")[:width], literal)
        assert (found[0], found[1], list(np.asarray(found[2]))) == (other[0], other[1], list(np.asarray(other[2])))
    fields = {line.count(",") + 1 for line in lines}
    if newline in ("\n", "\r\n") and not set('"\x00') & set("".join(lines)) and len(fields) == 1 and fields != {1}:
        assert (found is not None) == (width in (0, *fields))


NUMBERS = [
    "1",
    " 1 ",
    "1e3",
    "inf",
    "-Infinity",
    "1e999",
    "nan",
    "1_0",
    "\u0661",
    "",
    "high",
    "0x1",
    None,
    2.0,
    b"1",
    True,
]


@given(st.lists(st.sampled_from(NUMBERS), max_size=4))
def test_numbers_at_once_are_those_one_by_one(values: list[Any]) -> None:
    """Guards the fast way to numbers: what `number_of` says of each, or none where one is no number."""
    found, each = plain_numbers(values), [number_of(value) for value in values]
    if found is not None:
        assert found.tolist() == each
    elif all(isinstance(value, str) for value in values):
        assert any(number is None or number != number for number in each)


HEAD = "topic\tdoc\tlabel\tcomment\n"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            '1\t"a\t1\t\n1\tb\t0\t\n1\tc"\t1\t\n',
            ":2: a quote opens a field here and closes only on line 4, with rows",
        ),
        ('1\ta\t1\t"good\n1\tb\t0\tbad"\n', ":2: a quote opens a field here and closes only on line 3, with rows"),
        ('"1\ta\t1\t\n1"\tb\t0\t\n', ":2: a quote opens a field here and closes only on line 3, with rows"),
        ('1\t"a\tb"\t"1\n1"\t"b\t0\tx"\n', ":2: a quote opens a field here and closes only on line 3, with rows"),
        ('"\t\t\t"\n', ":2: 1 fields where the header has 4"),
        ('1\ta\t1\t"x\n1"\tb\t0\t\n', ":2: 7 fields where the header has 4"),
        ('1\ta\t1\t\n1\t"b\t0\t\n1\tc\t0\t\n', ":3: not a readable table: a quote is never closed"),
        (
            '1\ta\t1\t\n1\t"b\t0\t\n1\t"c\t0\t\n',
            ":3: not a readable table: a quote opens a field in this row, and on line 4 ",
        ),
        ('1\t"a"b\t1\t\n', ":2: not a readable table: a tab is expected after a closing quote"),
    ],
)
def test_a_quote_in_tsv_swallows_no_row(rows: str, said: str, tmp_path: Path) -> None:
    """Guards ids and comments that begin with a quote: the rows up to the next one became one field, without a word."""
    path = tmp_path / "q.tsv"
    path.write_text(HEAD + rows)
    for read in (tg.read_judgments, tg.read_ratings):
        with pytest.raises(InputError, match=re.escape(said)):
            read(path)


def test_quotes_that_are_meant(tmp_path: Path) -> None:
    """Guards what csv writers make of quotes, tabs on one line and comments of several lines; and CSV's ids."""
    path = tmp_path / "q.tsv"
    path.write_text(HEAD + '1\t"""a"\t1\t"two\n\nlines,\ta tab"\n1\t"b\tc"\t0\tno\n1\td"e\t0\t"""x"",y"\n')
    assert tg.read_judgments(path).docs.strings() == ['"a', "b\tc", 'd"e']
    path.write_text(path.read_text().removeprefix(HEAD).replace("\n\nlines,\ta tab", "").replace("b\tc", "b"))
    assert tg.read_judgments(path, columns="topic,doc,label,-").docs.strings() == ['"""a"', '"b"', 'd"e']
    path.write_text('topic,doc,label,comment\n1,a,1,"one, two\nand three"\n')
    assert len(tg.read_judgments(path)) == 1
    path.write_text('topic,doc,label\n1,"a,1\n1,b,0\n1,c",1\n')
    with pytest.raises(InputError, match=":2: a quote opens a field here and closes only on line 4, with rows"):
        tg.read_judgments(path)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(st.text(st.sampled_from('ab"'), max_size=3), min_size=3, max_size=3), min_size=1, max_size=5))
def test_no_row_of_a_tsv_is_lost(rows: list[list[str]]) -> None:
    """Guards the proof behind the rule: lines of three fields with quotes anywhere are as many rows, or refused."""
    text = "topic\tdoc\tlabel\n" + "".join("\t".join(row) + "\n" for row in rows)
    with contextlib.suppress(InputError):
        _, cells, lines = csv_cells(text.encode(), "\t", "q.tsv", (), literal=False)
        assert len(cells) == 3 * (len(rows) + 1) == 3 * len(np.asarray(lines))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "d.tsv",
            'id\ttext\n1\t"hello\n2\tworld"\n',
            "d.tsv:2: a quote opens a field here and closes only on line 3",
        ),
        ("d.tsv", 'id\ttext\n1\ta\n2\t"hello\n3\tworld\n', "d.tsv:3: a quote opens a field here that is never closed"),
        ("d.csv", 'id,text\n1,"hello\n2,world\n', "d.csv:2: a quote opens a field here that is never closed"),
    ],
)
def test_a_quote_in_documents_swallows_none(name: str, text: str, said: str, tmp_path: Path) -> None:
    """Guards tables of documents and of studies against the same: a document held all that followed it."""
    (tmp_path / name).write_text(text)
    kind = cast("Kind", name[2:])
    with pytest.raises(InputError, match=said):
        list(all_pieces([str(tmp_path / name)], kind, documents.Fields(), 1 << 20))
    faults: list[str] = []
    assert len(list(rows_of(tmp_path / name, faults, names={}))) < 2
    assert len(faults) == 1
    good = 'id\ttext\n1\t"Hello," he said\n2\t"two\nlines"\n3\tlast "word"'
    (tmp_path / "g.tsv").write_text(good)
    pieces = all_pieces([str(tmp_path / "g.tsv")], "tsv", documents.Fields(), 1 << 20)
    assert [piece.data.texts for piece in pieces] == [["Hello, he said", "two\nlines", 'last "word"']]


def test_words_of_labels_with_other_capitals(tmp_path: Path) -> None:
    """Guards sheets that people filled in: Relevant and relevant are one word, where no number tells them apart."""
    (tmp_path / "j.csv").write_text("topic,doc,label\n1,a,Relevant\n1,b,not RELEVANT \n1,c,relevant\n")
    read = tg.read_judgments(tmp_path / "j.csv", values="relevant=2,not relevant=0")
    assert read.label.tolist() == [2.0, 0.0, 2.0]
    rated = (tmp_path / "j.csv").read_text().replace("label\n", "label,assessor\n").replace("\n1", ",ann\n1")
    (tmp_path / "r.csv").write_text(rated.replace("label,assessor,ann", "label,assessor").rstrip() + ",ann\n")
    assert tg.read_ratings(tmp_path / "r.csv", values={"relevant": 2, "not relevant": 0}).label.tolist() == [2, 0, 2]
    (tmp_path / "k.csv").write_text("topic,doc,label\n1,a,RELEVANT\n")
    with pytest.raises(tg.TruegainError, match="label is not a number: 'RELEVANT'"):
        tg.read_judgments(tmp_path / "k.csv", values="relevant=2,Relevant=1")
