"""Documents: from JSONL, CSV, TSV, Parquet, TREC SGML, a folder of text files or ir_datasets, piece by piece.

A *piece* is a stretch of one input that fits in memory; pieces follow from the inputs and the size of a piece alone, so
that a second reading finds the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from truegain.errors import InputError, TruegainError, needs
from truegain.tables.guard import reading
from truegain.tables.plain import plain_text
from truegain.tables.sources import read_failures, shown_path
from truegain.tables.tabular import ending
from truegain.text.line_documents import blocks, json_lines, sgml, tabbed, unnamed
from truegain.text.piece import IRDS, KINDS, NOT_UTF8, Documents, is_utf8
from truegain.text.piece import Fields as Fields
from truegain.text.piece import Kind as Kind
from truegain.text.piece import Piece as Piece
from truegain.text.table_documents import parquet_pieces, parquet_rows, separated_pieces

_ENDINGS: dict[str, Kind] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet",
    ".trec": "trec", ".sgml": "trec", ".sgm": "trec",
}  # fmt: skip


def kind_of(path: str) -> Kind:
    """The kind of documents behind a path.

    >>> kind_of("docs.jsonl.gz"), kind_of("irds:vaswani")
    ('jsonl', 'irds')
    """
    if path.startswith(IRDS):
        return "irds"
    if Path(path).is_dir():
        return "folder"
    kind = _ENDINGS.get(ending(path))
    if kind is None:
        raise InputError(
            "what kind of documents?", file=path, hint=f"end the name in {', '.join(_ENDINGS)}, or give kind="
        )
    return kind


def read(piece: Piece, fields: Fields) -> Documents:
    """Ids and texts, in order."""
    if piece.names:
        return tabbed(piece, piece.bytes(), fields)
    if piece.kind in ("csv", "tsv"):
        return cast("Documents", piece.data)
    if piece.kind == "parquet":
        return parquet_rows(piece, fields)
    if piece.kind == "folder":
        return _text_files(piece, fields)
    if piece.kind == "irds":
        return _irds_rows(piece)
    return (json_lines if piece.kind == "jsonl" else sgml)(piece, piece.bytes(), fields)


def pieces(path: str, kind: Kind, fields: Fields, size: int) -> Iterator[Piece]:
    """The pieces of one input, each about `size` bytes of text."""
    if kind not in KINDS:
        raise TruegainError(f"kind {kind!r} is not known; there are {', '.join(KINDS)}")
    if kind == "irds":
        yield from _irds_pieces(path, size)
    elif kind == "folder":
        yield from _folder_pieces(path, size)
    elif not Path(path).is_file():
        raise InputError("no such file", file=path, hint="check the path")
    else:
        reading(path, path)
        yield from _file_pieces(path, kind, fields, size)


def _file_pieces(path: str, kind: Kind, fields: Fields, size: int) -> Iterator[Piece]:
    if kind == "parquet":
        yield from parquet_pieces(path, size)
    elif kind == "tsv" and (names := unnamed(path, fields)):
        yield from blocks(path, kind, size, names)
    elif kind in ("csv", "tsv"):
        yield from separated_pieces(path, kind, fields, size)
    else:
        yield from blocks(path, kind, size)


# ---------------------------------------------------------------------- folders and ir_datasets


def _folder_pieces(path: str, size: int) -> Iterator[Piece]:
    """Every file below a folder is a document; its id is the path below it, without '.txt'."""
    root = Path(path)
    found = (
        p for p in root.rglob("*") if p.is_file() and not any(q.startswith(".") for q in p.relative_to(root).parts)
    )
    names = sorted((p.relative_to(root).as_posix() for p in found), key=str.encode)
    if not names:
        raise InputError("the folder holds no files", file=path, hint="name a folder of text files")
    first, held = 0, 0
    for i, name in enumerate(names):
        held += (root / name).stat().st_size
        if held >= size or i == len(names) - 1:
            yield Piece(path, "folder", first, i + 1, names[first : i + 1])
            first, held = i + 1, 0


def _text_files(piece: Piece, fields: Fields) -> Documents:
    names = cast("list[str]", piece.data)
    texts, replaced = [], 0
    for name in names:
        path = Path(piece.file) / name
        with read_failures(shown_path(path)):
            data = path.read_bytes()
        if is_utf8(data):
            texts.append(data.decode())
            continue
        if fields.errors == "refuse":
            plain_text(data, shown_path(path), hint=NOT_UTF8)
        replaced += 1
        texts.append(data.decode(errors="replace"))
    return Documents([name.removesuffix(".txt") for name in names], texts, replaced)


def _irds_pieces(path: str, size: int) -> Iterator[Piece]:
    dataset = needs("ir_datasets", "irds").load(path.removeprefix(IRDS))
    rows, step = int(dataset.docs_count()), max(1, size // 1024)
    for begin in range(0, rows, step):
        yield Piece(path, "irds", begin, min(rows, begin + step))


def _irds_rows(piece: Piece) -> Documents:
    dataset = needs("ir_datasets", "irds").load(piece.file.removeprefix(IRDS))
    documents = list(dataset.docs_iter()[piece.begin : piece.end])
    return Documents([d.doc_id for d in documents], [d.default_text() for d in documents])


def all_pieces(paths: Iterable[str], kind: Kind | None, fields: Fields, size: int) -> Iterator[Piece]:
    """The pieces of several inputs, one after the other."""
    for path in paths:
        yield from pieces(path, kind or kind_of(path), fields, size)
