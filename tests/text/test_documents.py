"""Documents as people have them: without a line of names, with bytes that are not UTF-8, with semicolons."""

from __future__ import annotations

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.text.whole_inputs import all_pieces
from truegain.errors import InputError
from truegain.text.counting import Settings
from truegain.text.documents import read
from truegain.text.indexing import index
from truegain.text.pieces import Documents, Fields

line = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0\t\n\r"), max_size=20)


def all_of(path: Path, fields: Fields, size: int = 1 << 20) -> Documents:
    """All documents of a file, from pieces of a size."""
    parts = [read(piece, fields) for piece in all_pieces([str(path)], None, fields, size)]
    return Documents(
        [i for p in parts for i in p.ids], [t for p in parts for t in p.texts], sum(p.replaced for p in parts)
    )


@settings(deadline=None, max_examples=60)
@given(st.lists(line.filter(str.strip), min_size=1, max_size=8), st.sampled_from([10, 1 << 20]), st.booleans())
def test_ms_marcos_collection_is_read_as_it_stands(texts: list[str], size: int, packed: bool) -> None:
    """Guards collection.tsv: number, tab, passage; quotes mean nothing; the same in pieces of any size, and packed."""
    with TemporaryDirectory() as folder:
        data = "".join(f"{i}\t{text}\n" for i, text in enumerate(texts)).encode()
        path = Path(folder) / ("collection.tsv.gz" if packed else "collection.tsv")
        path.write_bytes(gzip.compress(data) if packed else data)
        assert all_of(path, Fields(), size) == ([str(i) for i in range(len(texts))], texts, 0)


def test_columns_of_files_without_names(tmp_path: Path) -> None:
    """Guards --columns of documents: MS MARCO's four, tabs or commas; a file that names its own refuses them."""
    four = Fields(columns=("docid", "url", "title", "body"))
    path = tmp_path / "docs.tsv"
    path.write_text('D1\thttp://x\tA "title\tThe body\nD2\thttp://y\t\tB\n')
    assert all_of(path, four) == (["D1", "D2"], ['A "title\nThe body', "B"], 0)
    with pytest.raises(InputError, match="as in columns='id,text'"):
        all_of(path, Fields())
    path = tmp_path / "docs.csv"
    path.write_text('D1,http://x,A title,"The, body"\n')
    assert all_of(path, four) == (["D1"], ["A title\nThe, body"], 0)
    for name, text in (("n.tsv", "id\ttext\n1\ta\n"), ("n.csv", "id,text\n1,a\n")):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=rf"{name}:1: the first line names the columns"):
            all_of(tmp_path / name, Fields(columns=("id", "text")))
    (tmp_path / "collection.tsv").write_text("1\ta\n2\tb\tc\n")
    with pytest.raises(InputError, match=r"collection\.tsv:2: 3 fields, not 2: '2\\tb\\tc'"):
        all_of(tmp_path / "collection.tsv", Fields())


def test_semicolons(tmp_path: Path) -> None:
    """Guards tables of documents as spreadsheets write them: more semicolons than commas in the line of names."""
    (tmp_path / "d.csv").write_text("id;title;text\n1;a, b;c\n")
    assert all_of(tmp_path / "d.csv", Fields()) == (["1"], ["a, b\nc"], 0)


BAD = {
    "d.jsonl": b'{"id": "1", "text": "caf\xe9"}\n{"id": "2", "text": "fine"}\n',
    "d.csv": b"id,text\n1,caf\xe9\n2,fine\n",
    "d.tsv": b"id\ttext\n1\tcaf\xe9\n2\tfine\n",
    "collection.tsv": b"1\tcaf\xe9\n2\tfine\n",
}


@pytest.mark.parametrize("name", [*BAD, "folder"])
def test_bytes_that_are_not_utf8(name: str, tmp_path: Path) -> None:
    """Guards text of another encoding: refused with its line and what to do; replaced and counted on request."""
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
        (path / "1.txt").write_bytes(b"caf\xe9")
        (path / "2.txt").write_bytes(b"fine")
    else:
        path.write_bytes(BAD[name])
    line = 2 if name in ("d.csv", "d.tsv") else 1
    with pytest.raises(InputError, match=rf":{line}: not UTF-8 text: .*errors='replace'"):
        all_of(path, Fields())
    asked = Fields(errors="replace")
    assert all_of(path, asked) == (["1", "2"], ["caf\ufffd", "fine"], 1)
    corpus = index([str(path)], tmp_path / "corpus", Settings(fields=asked))
    assert corpus.problems["replaced"] == 1


@pytest.mark.parametrize("name", ["d.jsonl", "d.csv", "d.tsv"])
def test_an_id_is_never_replaced(name: str, tmp_path: Path) -> None:
    """Guards ids: with a byte replaced they would name nothing, so they are refused all the same."""
    (tmp_path / name).write_bytes(BAD[name].replace(b"1", b"1\xff"))
    with pytest.raises(InputError, match="id is not UTF-8 text"):
        all_of(tmp_path / name, Fields(errors="replace"))
