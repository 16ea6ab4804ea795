"""Documents: from JSONL, CSV, TSV, Parquet, TREC SGML, a folder of text files or ir_datasets, piece by piece.

A *piece* is a stretch of one input that fits in memory; pieces follow from the inputs and the size of a piece alone, so
that a second reading finds the same ones.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from truegain.addresses import is_remote
from truegain.errors import InputError, TruegainError, needs
from truegain.message import arg, argname
from truegain.tables.guard import reading
from truegain.tables.packing import COMPRESSED, TOLD_BY, unpacking
from truegain.tables.plain import plain_text
from truegain.tables.remote import files_below, first_bytes, has_stretches
from truegain.tables.sources import is_folder, matched, shown_path
from truegain.tables.tabular import ending
from truegain.text.line_documents import blocks, json_lines, located, ranges, sgml, tabbed, unnamed
from truegain.text.piece import IRDS, KINDS, NOT_UTF8, Documents, absolute, is_utf8, opened, whole
from truegain.text.piece import Fields as Fields
from truegain.text.piece import Kind as Kind
from truegain.text.piece import Piece as Piece
from truegain.text.table_documents import fetched_pieces, parquet_pieces, parquet_rows, separated_pieces

_ENDINGS: dict[str, Kind] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet",
    ".trec": "trec", ".sgml": "trec", ".sgm": "trec",
}  # fmt: skip


def named_inputs(paths: Iterable[str]) -> list[str]:
    """The inputs behind paths, addresses and patterns."""
    return [name for path in paths for name in ([path] if path.startswith(IRDS) else matched(path))]


def kind_of(path: str) -> Kind:
    """The kind of documents behind a path.

    >>> kind_of("docs.jsonl.gz"), kind_of("irds:vaswani"), kind_of("s3://bucket/docs.csv")
    ('jsonl', 'irds', 'csv')
    """
    if path.startswith(IRDS):
        return "irds"
    kind = _ENDINGS.get(ending(shown_path(path)))
    if (kind is None or not is_remote(path)) and is_folder(path):
        return "folder"
    if kind is None:
        raise InputError(
            "what kind of documents?", file=path, hint=f"end the name in {', '.join(_ENDINGS)}, or give {arg('kind')}"
        )
    return kind


def read(piece: Piece, fields: Fields) -> Documents:
    """Ids and texts, in order."""
    if isinstance(piece.data, Documents):
        return piece.data
    if piece.kind == "parquet":
        return parquet_rows(piece, fields)
    if piece.kind == "folder":
        return _text_files(piece, fields)
    if piece.kind == "irds":
        return _irds_rows(piece)
    cut = tabbed if piece.names else json_lines if piece.kind == "jsonl" else sgml
    return cut(*located(piece), fields)


def apart(path: str, kind: Kind, fields: Fields, size: int) -> list[Piece] | None:
    """The pieces of one input, each about `size` bytes of text; None where it must be read from its beginning."""
    if kind not in KINDS:
        raise TruegainError(f"{argname('kind', kind)} is not known; there are {', '.join(KINDS)}")
    if kind == "irds":
        return list(_irds_pieces(path, size))
    if kind == "folder":
        return list(_folder_pieces(path, size))
    if not is_remote(path):
        if not Path(path).is_file():
            raise InputError("no such file", file=path, hint="check the path")
        reading(path, path)
    if kind == "parquet":
        return None if is_remote(path) else list(parquet_pieces(path, size))
    names = unnamed(path, fields) if kind == "tsv" else ()
    if (kind in ("csv", "tsv") and not names) or not _is_plain(path):
        return None
    return ranges(path, kind, size, names)


def in_order(path: str, kind: Kind, fields: Fields, size: int) -> Iterator[Piece]:
    """The pieces of an input that must be read from its beginning: packed, or with quotes that may hold line ends."""
    if kind == "parquet":
        yield from fetched_pieces(path, fields, size)
    elif kind == "tsv" and (names := unnamed(path, fields)):
        yield from blocks(path, kind, size, names)
    elif kind in ("csv", "tsv"):
        yield from separated_pieces(path, kind, fields, size)
    else:
        yield from blocks(path, kind, size)


def _is_plain(path: str) -> bool:
    """Whether a file is not packed, and bytes from its middle can be asked for."""
    if not is_remote(path):
        with opened(path) as (_, plain):
            return plain
    if shown_path(path).lower().endswith(COMPRESSED):  # there may be thousands of them: none is looked at
        return False
    return unpacking(first_bytes(path, TOLD_BY), io.BytesIO()) is None and has_stretches(path)


# ---------------------------------------------------------------------- folders and ir_datasets


def _folder_pieces(path: str, size: int) -> Iterator[Piece]:
    """Every file below a folder is a document; its id is the path below it, without '.txt'."""
    sizes = files_below(path) if is_remote(path) else _files_below(Path(path))
    if not sizes:
        raise InputError("the folder holds no files", file=path, hint="name a folder of text files")
    names = sorted(sizes, key=str.encode)
    first, held = 0, 0
    for i, name in enumerate(names):
        held += sizes[name]
        if held >= size or i == len(names) - 1:
            yield Piece(path, "folder", first, i + 1, names[first : i + 1], path=absolute(path))
            first, held = i + 1, 0


def _files_below(root: Path) -> dict[str, int]:
    """All files below a folder by their path in it, with their sizes; none that is hidden."""
    found = (
        p for p in root.rglob("*") if p.is_file() and not any(q.startswith(".") for q in p.relative_to(root).parts)
    )
    return {p.relative_to(root).as_posix(): p.stat().st_size for p in found}


def _text_files(piece: Piece, fields: Fields) -> Documents:
    names = cast("list[str]", piece.data)
    texts, replaced = [], 0
    for name in names:
        data, shown = whole(f"{piece.path.rstrip('/')}/{name}"), shown_path(f"{piece.file.rstrip('/')}/{name}")
        if is_utf8(data):
            texts.append(data.decode())
            continue
        if fields.errors == "refuse":
            plain_text(data, shown, hint=NOT_UTF8)
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
        of = kind or kind_of(path)
        found = apart(path, of, fields, size)
        yield from in_order(path, of, fields, size) if found is None else found
