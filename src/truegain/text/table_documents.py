"""Documents from tables: CSV and TSV with a line of names, and Parquet."""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import BinaryIO

from truegain.errors import InputError, needs
from truegain.tables.separated import check_spread, separator_of
from truegain.tables.sources import shown_path
from truegain.text.line_documents import check_unnamed
from truegain.text.piece import (
    NOT_UTF8,
    Documents,
    Errors,
    Fields,
    Kind,
    Piece,
    absolute,
    endless,
    largest,
    only_texts,
    opened,
)  # fmt: skip


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
            first, held, ids, texts, begin = 0, 0, list[str](), list[str](), reader.line_num + 1
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
                    raise InputError(f"{len(row)} fields, not {len(names)}", file=path, line=reader.line_num)
                ids.append(row[where])
                texts.append("\n".join([row[c] for c in columns if row[c]]))
                held += len(texts[-1])
                if held >= size:
                    yield Piece(path, kind, first, first + len(ids), lines.documents(ids, texts))
                    first, held, ids, texts = first + len(ids), 0, [], []
            if ids:
                yield Piece(path, kind, first, first + len(ids), lines.documents(ids, texts))
        except csv.Error as error:
            raise InputError(f"cannot be read: {error}", file=path, line=reader.line_num + 1) from None


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
        raise InputError(f"not a readable Parquet file: {reason}", file=path) from None
    unpacked = 4 * os.stat(place).st_size  # noqa: PTH116  text packs to about a quarter
    step = max(1, min(rows, rows * size // max(1, unpacked)))
    for begin in range(0, rows, step):
        yield Piece(path, "parquet", begin, min(rows, begin + step), path=place)


def fetched_pieces(path: str, fields: Fields, size: int) -> Iterator[Piece]:
    """The same of a file elsewhere, which is copied here as long as it is read: its columns lie all over it."""
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
