"""Documents: from JSONL, CSV, TSV, Parquet, TREC SGML, a folder of text files or ir_datasets, piece by piece.

A *piece* is a stretch of one input that fits in memory; pieces follow from the inputs and the size of a piece alone, so
that a second reading finds the same ones.
"""

from __future__ import annotations

import csv
import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast, get_args

from truegain.errors import InputError, TruegainError, needs
from truegain.tables.guard import reading
from truegain.tables.packing import unpacking
from truegain.tables.sources import read_failures, shown_path
from truegain.tables.tabular import ending

Kind = Literal["jsonl", "csv", "tsv", "parquet", "trec", "folder", "irds"]
KINDS: tuple[str, ...] = get_args(Kind)
ID_FIELDS = ("doc", "doc_id", "docno", "docid", "document", "_id", "id", "pid")
TEXT_FIELDS = ("title", "headings", "abstract", "text", "contents", "content", "body", "passage", "segment")
IRDS = "irds:"
LARGEST = 1 << 28  # bytes of a document
_ENDINGS: dict[str, Kind] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet",
    ".trec": "trec", ".sgml": "trec", ".sgm": "trec",
}  # fmt: skip
_DOC = re.compile(rb"<DOC>(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
_DOCNO = re.compile(rb"<DOCNO>\s*(.*?)\s*</DOCNO>", re.DOTALL | re.IGNORECASE)
_HEADER = re.compile(rb"<DOCHDR>.*?</DOCHDR>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")

Documents = tuple[list[str], list[str]]  # ids and texts


@dataclass(frozen=True)
class Fields:
    """Which field is the id and which are the text; None is the first known name, and all known names."""

    id: str | None = None
    text: tuple[str, ...] | None = None

    def of(self, names: Sequence[str], file: str) -> tuple[str, tuple[str, ...]]:
        """The fields to read from a table with these columns."""
        ident = self.id or next((n for n in ID_FIELDS if n in names), None)
        if ident is None or ident not in names:
            wanted = self.id or " or ".join(ID_FIELDS)
            raise InputError(
                f"no field {wanted} among {', '.join(names) or 'none'}", file=file, hint="name it with --id-field"
            )
        text = self.text or tuple(n for n in TEXT_FIELDS if n in names)
        lost = [n for n in text if n not in names]
        if lost or not text:
            wanted = ", ".join(lost) or " or ".join(TEXT_FIELDS)
            raise InputError(f"no field {wanted} among {', '.join(names)}", file=file, hint="name it with --text-field")
        return ident, text


@dataclass(frozen=True)
class Piece:
    """A stretch of one input: bytes of a file, rows of a table, files of a folder, or what was unpacked from it."""

    file: str
    kind: Kind
    begin: int
    end: int
    data: Any = None

    def read(self, fields: Fields) -> Documents:
        """Ids and texts, in order."""
        if self.kind in ("csv", "tsv"):
            return cast("Documents", self.data)
        if self.kind == "parquet":
            return _parquet_rows(self, fields)
        if self.kind == "folder":
            return _text_files(self)
        if self.kind == "irds":
            return _irds_rows(self)
        return (_json_lines if self.kind == "jsonl" else _sgml)(self, self._bytes(), fields)

    def _bytes(self) -> bytes:
        if self.data is not None:
            return cast("bytes", self.data)
        with read_failures(shown_path(self.file)), Path(self.file).open("rb") as stream:
            stream.seek(self.begin)
            return stream.read(self.end - self.begin)


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
            "what kind of documents?", file=path, hint=f"end the name in {', '.join(_ENDINGS)}, or give --kind"
        )
    return kind


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
        yield from _parquet_pieces(path, size)
    elif kind in ("csv", "tsv"):
        yield from _separated_pieces(path, kind, fields, size)
    else:
        yield from _blocks(path, kind, size)


# ---------------------------------------------------------------------- lines and SGML: blocks of bytes


@contextmanager
def _opened(path: str) -> Iterator[tuple[BinaryIO, bool]]:
    """A stream of the unpacked bytes, and whether they are those of the file itself."""
    with read_failures(shown_path(path)), Path(path).open("rb") as stream:
        unpacked = unpacking(stream.peek(6), stream)
        yield (stream, True) if unpacked is None else (unpacked, False)


def _endless(path: str) -> InputError:
    problem = f"no document ends within {LARGEST >> 20} MB"
    return InputError(problem, file=shown_path(path), hint="check that this is the right file, and its --kind")


def _blocks(path: str, kind: Kind, size: int) -> Iterator[Piece]:
    """Stretches that end with a line, or with a document of SGML."""
    boundary = b"\n" if kind == "jsonl" else b"</DOC>"
    begin, held = 0, b""
    with _opened(path) as (stream, plain):
        while True:
            data = held + stream.read(max(1, size - len(held)))
            at = data.rfind(boundary)
            while at < 0 and (more := stream.read(size)):
                data += more
                at = data.rfind(boundary)
                if at < 0 and len(data) > LARGEST:
                    raise _endless(path)
            last = not (following := stream.read(1))
            cut = len(data) if last or at < 0 else at + len(boundary)
            if cut:
                yield Piece(path, kind, begin, begin + cut, None if plain else data[:cut])
            begin, held = begin + cut, data[cut:] + following
            if last:
                return


def _json_lines(piece: Piece, data: bytes, fields: Fields) -> Documents:
    ids: list[str] = []
    texts: list[str] = []
    chosen: dict[tuple[str, ...], tuple[str, tuple[str, ...]]] = {}
    try:
        text_of_all = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        bad = data[data.rfind(b"\n", 0, error.start) + 1 :].split(b"\n", 1)[0]
        raise _bad_line(piece, data, bad, "not UTF-8 text") from None
    parse = json.JSONDecoder().raw_decode  # without the looks at encoding and white space that json.loads takes
    for padded in text_of_all.split("\n"):
        if not (stripped := padded.strip()):
            continue
        try:
            document, end = parse(stripped)
        except ValueError as error:
            raise _bad_line(piece, data, stripped.encode(), f"not JSON: {error}") from None
        if end != len(stripped):
            raise _bad_line(piece, data, stripped.encode(), "more than one JSON value")
        if not isinstance(document, dict):
            raise _bad_line(piece, data, stripped.encode(), "not a JSON object")
        names = tuple(document)
        if names not in chosen:
            chosen[names] = _fields_of_object(fields, names, piece, data, stripped.encode())
        ident, text = chosen[names]
        if document[ident] is None or document[ident] == "":
            raise _bad_line(piece, data, stripped.encode(), "the document has no id")
        ids.append(str(document[ident]))
        texts.append("\n".join([str(document[n]) for n in text if document.get(n) is not None]))
    return ids, texts


def _fields_of_object(
    fields: Fields, names: tuple[str, ...], piece: Piece, data: bytes, line: bytes
) -> tuple[str, tuple[str, ...]]:
    """As `Fields.of`, but an object without any text is a document whose text is missing, which is counted."""
    ident = fields.id or next((n for n in ID_FIELDS if n in names), None)
    if ident is None or ident not in names:
        raise _bad_line(piece, data, line, f"no field {fields.id or ' or '.join(ID_FIELDS)}")
    return ident, tuple(n for n in fields.text or TEXT_FIELDS if n in names)


def _bad_line(piece: Piece, data: bytes, line: bytes, problem: str) -> InputError:
    before = data[: data.find(line)].count(b"\n")
    if piece.data is None:
        with Path(piece.file).open("rb") as stream:
            left = piece.begin
            while left and (block := stream.read(min(left, 1 << 24))):
                before += block.count(b"\n")
                left -= len(block)
    place = {"line": before + 1} if piece.data is None or piece.begin == 0 else {}
    return InputError(problem, file=piece.file, text=line.decode(errors="replace"), **place)  # type: ignore[arg-type]


def _sgml(piece: Piece, data: bytes, fields: Fields) -> Documents:  # noqa: ARG001
    ids: list[str] = []
    texts: list[str] = []
    for match in _DOC.finditer(data):
        body = match.group(1)
        number = _DOCNO.search(body)
        if number is None:
            text = body[:80].decode(errors="replace").strip()
            raise InputError("a document without <DOCNO>", file=piece.file, text=text, hint="every <DOC> needs one")
        ids.append(number.group(1).decode(errors="replace"))
        rest = _HEADER.sub(b" ", body[: number.start()] + b" " + body[number.end() :])
        try:
            plain = rest.decode()
        except UnicodeDecodeError:
            plain = rest.decode("latin-1")  # the TREC disks are
        texts.append(html.unescape(_TAG.sub(" ", plain)))
    return ids, texts


# ---------------------------------------------------------------------- tables


def _separated_pieces(path: str, kind: Kind, fields: Fields, size: int) -> Iterator[Piece]:
    """Rows of a CSV or TSV; read in order, because a quoted field may hold a line end."""
    csv.field_size_limit(LARGEST)
    with _opened(path) as (stream, _):
        reader = csv.reader(_lines(stream, path), delimiter="," if kind == "csv" else "\t")
        try:
            names = next(reader, [])
            ident, text = fields.of(names, path)
            where, columns = names.index(ident), [names.index(n) for n in text]
            first, held, ids, texts = 0, 0, list[str](), list[str]()
            for row in reader:
                if not row:
                    continue
                if len(row) != len(names):
                    raise InputError(f"{len(row)} fields, not {len(names)}", file=path, line=reader.line_num)
                ids.append(row[where])
                texts.append("\n".join([row[c] for c in columns if row[c]]))
                held += len(texts[-1])
                if held >= size:
                    yield Piece(path, kind, first, first + len(ids), (ids, texts))
                    first, held, ids, texts = first + len(ids), 0, [], []
            if ids:
                yield Piece(path, kind, first, first + len(ids), (ids, texts))
        except (csv.Error, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {error}", file=path, line=reader.line_num + 1) from None


def _lines(stream: BinaryIO, path: str) -> Iterator[str]:
    while line := stream.readline(LARGEST + 1):
        if len(line) > LARGEST:
            raise _endless(path)
        yield line.decode("utf-8-sig")


def _parquet_pieces(path: str, size: int) -> Iterator[Piece]:
    pl = needs("polars", "frames")

    try:
        rows = int(pl.scan_parquet(path).select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = (str(error).splitlines() or ["unknown reason"])[0]
        raise InputError(f"not a readable Parquet file: {reason}", file=path) from None
    unpacked = 4 * os.stat(path).st_size  # noqa: PTH116  text packs to about a quarter
    step = max(1, min(rows, rows * size // max(1, unpacked)))
    for begin in range(0, rows, step):
        yield Piece(path, "parquet", begin, min(rows, begin + step))


def _parquet_rows(piece: Piece, fields: Fields) -> Documents:
    pl = needs("polars", "frames")

    table = pl.scan_parquet(piece.file)
    ident, text = fields.of(table.collect_schema().names(), piece.file)
    part = table.slice(piece.begin, piece.end - piece.begin).select(
        pl.col(ident).cast(pl.String).alias("id"),
        pl.concat_str([pl.col(n).cast(pl.String) for n in text], separator="\n", ignore_nulls=True).alias("text"),
    )
    frame = part.collect()
    if frame["id"].null_count():
        raise InputError("a document has no id", file=piece.file, hint="every row needs one")
    return frame["id"].to_list(), frame["text"].fill_null("").to_list()


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


def _text_files(piece: Piece) -> Documents:
    names = cast("list[str]", piece.data)
    texts = []
    for name in names:
        path = Path(piece.file) / name
        with read_failures(shown_path(path)):
            texts.append(path.read_bytes().decode(errors="replace"))
    return [name.removesuffix(".txt") for name in names], texts


def _irds_pieces(path: str, size: int) -> Iterator[Piece]:
    dataset = needs("ir_datasets", "irds").load(path.removeprefix(IRDS))
    rows, step = int(dataset.docs_count()), max(1, size // 1024)
    for begin in range(0, rows, step):
        yield Piece(path, "irds", begin, min(rows, begin + step))


def _irds_rows(piece: Piece) -> Documents:
    dataset = needs("ir_datasets", "irds").load(piece.file.removeprefix(IRDS))
    documents = list(dataset.docs_iter()[piece.begin : piece.end])
    return [d.doc_id for d in documents], [d.default_text() for d in documents]


def all_pieces(paths: Iterable[str], kind: Kind | None, fields: Fields, size: int) -> Iterator[Piece]:
    """The pieces of several inputs, one after the other."""
    for path in paths:
        yield from pieces(path, kind or kind_of(path), fields, size)
