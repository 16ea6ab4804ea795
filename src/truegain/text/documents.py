"""Documents: from JSONL, CSV, TSV, Parquet, TREC SGML, a folder of text files or ir_datasets, piece by piece."""

from __future__ import annotations

import csv
import io
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

from truegain.errors import InputError, TruegainError, needs
from truegain.io.files import is_folder, matched, shown_path
from truegain.io.formats import ending
from truegain.io.overwrite import reading
from truegain.io.plain_text import COMPRESSED, TOLD_BY, plain_text, unpacking
from truegain.io.remote import IRDS, dataset_of, files_below, first_bytes, has_stretches, is_remote
from truegain.io.separated import check_spread, separator_of
from truegain.message import arg, argname
from truegain.text.pieces import (
    KINDS,
    NOT_UTF8,
    Documents,
    Errors,
    Kind,
    Piece,
    absolute,
    blocks,
    check_unnamed,
    endless,
    is_utf8,
    json_lines,
    largest,
    located,
    only_texts,
    opened,
    ranges,
    sgml,
    tabbed,
    unnamed,
    whole,
)
from truegain.text.pieces import Fields as Fields

# ---- Documents from tables: CSV and TSV with a line of names, and Parquet.


def separated_pieces(path: str, kind: Kind, fields: Fields, size: int) -> Iterator[Piece]:
    """Rows of a CSV or TSV; read in order, because a quoted field may hold a line end."""
    csv.field_size_limit(largest())
    with opened(path) as (stream, _):
        lines = _Lines(stream, path, fields.errors)
        top = next(lines, "")
        separator = "\t" if kind == "tsv" else separator_of(top)
        reader = csv.reader(chain([top], lines, [_END]), delimiter=separator)
        try:
            names = list(fields.columns or next(reader, []))
            if fields.columns is not None:
                check_unnamed([name.strip() for name in top.split(separator)], path)
            ident, text = fields.of(names, path)
            where, columns = names.index(ident), [names.index(n) for n in text]
            first, size_held, ids, texts, begin = 0, 0, list[str](), list[str](), reader.line_num + 1
            for row in reader:
                before, begin = begin, reader.line_num + 1
                if not row or row == [_END]:
                    continue
                if row[-1].endswith(_END):
                    problem, hint = "a quote opens a field here that is never closed", "close it, or double the quote"
                    raise InputError(
                        problem, file=path, line=before, text=separator.join(row).split("\n")[0], hint=hint
                    )
                if begin - 1 > before:
                    check_spread(row, [where], separator, path, before, begin - 1)
                if len(row) != len(names):
                    raise InputError(
                        f"{len(row)} fields, not {len(names)}",
                        file=path,
                        line=reader.line_num,
                        hint="write as many as the first line has; quote fields that contain separators",
                    )
                ids.append(row[where])
                texts.append("\n".join([row[c] for c in columns if row[c]]))
                size_held += len(texts[-1])
                if size_held >= size:
                    yield Piece(path, kind, first, first + len(ids), lines.documents(ids, texts))
                    first, size_held, ids, texts = first + len(ids), 0, [], []
            if ids:
                yield Piece(path, kind, first, first + len(ids), lines.documents(ids, texts))
        except csv.Error as error:
            raise InputError(
                f"cannot be read: {error}", file=path, line=reader.line_num + 1, hint="correct that line"
            ) from None


_END = "\3\3\3"  # a line after the last: a row of its own, unless a quote is still open


class _Lines:
    """The lines of a stream as text, counting those with bytes that are not UTF-8."""

    def __init__(self, stream: BinaryIO, path: str, errors: Errors) -> None:
        self.stream, self.path, self.errors, self.number, self.replaced = stream, path, errors, 0, 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self.stream.readline(largest() + 1)
        if not line:
            raise StopIteration
        self.number += 1
        if len(line) > largest():
            raise endless(self.path)
        try:
            return line.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = line.decode("utf-8-sig", errors="replace")
            if self.errors == "refuse":
                raise InputError(
                    "not UTF-8 text", file=shown_path(self.path), line=self.number, text=text, hint=NOT_UTF8
                ) from None
            self.replaced += 1
            return text

    def documents(self, ids: list[str], texts: list[str]) -> Documents:
        """The documents of a piece, with the lines of it that were mended."""
        replaced, self.replaced = self.replaced, 0
        return Documents(ids, texts, only_texts(Piece(self.path, "csv", 0, 0), ids, replaced))


def parquet_pieces(path: str, size: int, copy: str | None = None) -> Iterator[Piece]:
    """Rows of a Parquet file, about as many as have so many bytes of text; of a copy where it lies elsewhere."""
    pl = needs("polars", "frames")

    place = copy or absolute(path)
    try:
        rows = int(pl.scan_parquet(place).select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = (str(error).splitlines() or ["unknown reason"])[0]
        raise InputError(
            f"not a readable Parquet file: {reason}", file=path, hint="write it again, or give JSONL"
        ) from None
    unpacked = 4 * os.stat(place).st_size  # noqa: PTH116  text packs to about a quarter
    step = max(1, min(rows, rows * size // max(1, unpacked)))
    for begin in range(0, rows, step):
        yield Piece(path, "parquet", begin, min(rows, begin + step), path=place)


def fetched_pieces(path: str, fields: Fields, size: int) -> Iterator[Piece]:
    """Rows of a Parquet file elsewhere, which is copied here as long as it is read: its columns lie all over it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy.parquet")  # noqa: PTH118
        with opened(path) as (stream, _), open(copy, "wb") as out:  # noqa: PTH123
            shutil.copyfileobj(stream, out, 1 << 20)
        for piece in parquet_pieces(path, size, copy):
            yield replace(piece, data=parquet_rows(piece, fields))


def parquet_rows(piece: Piece, fields: Fields) -> Documents:
    """Documents of rows of a Parquet file."""
    pl = needs("polars", "frames")

    table = pl.scan_parquet(piece.path)
    ident, text = fields.of(table.collect_schema().names(), piece.file)
    part = table.slice(piece.begin, piece.end - piece.begin).select(
        pl.col(ident).cast(pl.String).alias("id"),
        pl.concat_str([pl.col(n).cast(pl.String) for n in text], separator="\n", ignore_nulls=True).alias("text"),
    )
    frame = part.collect()
    if frame["id"].null_count():
        raise InputError("a document has no id", file=piece.file, hint="every row needs one")
    return Documents(frame["id"].to_list(), frame["text"].fill_null("").to_list())


# ---- Documents: from JSONL, CSV, TSV, Parquet, TREC SGML, a folder of text files or ir_datasets, piece by piece.
#
# A *piece* is a stretch of one input that fits in memory; pieces follow from the inputs and the size of a piece alone,
# so that a second reading finds the same ones.

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
        raise TruegainError(f"{argname('kind', kind)} is unknown; there are {', '.join(KINDS)}")
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
        raise InputError("the folder has no files", file=path, hint="name a folder of text files")
    names = sorted(sizes, key=str.encode)
    first, held = 0, 0
    for i, name in enumerate(names):
        held += sizes[name]
        if held >= size or i == len(names) - 1:
            yield Piece(path, "folder", first, i + 1, names[first : i + 1], path=absolute(path))
            first, held = i + 1, 0


def _files_below(root: Path) -> dict[str, int]:
    """All files below a folder by their path in it, with their sizes; none that is hidden."""
    files = (
        p for p in root.rglob("*") if p.is_file() and not any(q.startswith(".") for q in p.relative_to(root).parts)
    )
    return {p.relative_to(root).as_posix(): p.stat().st_size for p in files}


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
    dataset = dataset_of(path)
    rows, step = int(dataset.docs_count()), max(1, size // 1024)
    for begin in range(0, rows, step):
        yield Piece(path, "irds", begin, min(rows, begin + step))


def _irds_rows(piece: Piece) -> Documents:
    dataset = dataset_of(piece.file)
    documents = list(dataset.docs_iter()[piece.begin : piece.end])
    return Documents([d.doc_id for d in documents], [d.default_text() for d in documents])
