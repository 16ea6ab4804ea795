"""Documents from lines of JSON, from TREC SGML, and from lines with tabs and no names: blocks of bytes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from truegain.errors import InputError
from truegain.message import arg
from truegain.tables.json_files import STRICT, RepeatedKeyError, repeated_key
from truegain.tables.sources import shown_path
from truegain.text.piece import (
    ID_FIELDS,
    IDS_TOLD,
    TEXT_FIELDS,
    Documents,
    Fields,
    Kind,
    Piece,
    absolute,
    bad_line,
    decoded,
    endless,
    known,
    largest,
    likely_id,
    only_texts,
    opened,
    size_of,
    stretch,
)  # fmt: skip

_DOC = re.compile(rb"<DOC>(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
_DOCNO = re.compile(rb"<DOCNO>\s*(.*?)\s*</DOCNO>", re.DOTALL | re.IGNORECASE)
_HEADER = re.compile(rb"<DOCHDR>.*?</DOCHDR>", re.DOTALL | re.IGNORECASE)
_SLACK = 1 << 16  # bytes read beyond a stretch, in which its last document mostly ends
_TAG = re.compile(r"<[^<>]*>")


def ranges(path: str, kind: Kind, size: int, names: tuple[str, ...] = ()) -> list[Piece]:
    """Stretches of a plain file, without a look at it: who reads one finds the documents that are its own."""
    step, whole = max(size, len(_boundary(kind))), size_of(path)
    return [
        Piece(path, kind, at, min(whole, at + step), None, names, absolute(path), whole)
        for at in range(0, whole, step)
    ]  # fmt: skip


def located(piece: Piece) -> tuple[Piece, bytes]:
    """The documents of a stretch: from the first end of a document at its begin to the first one at its end."""
    if piece.data is not None:
        return piece, cast("bytes", piece.data)
    boundary = _boundary(piece.kind)
    origin = piece.begin - min(piece.begin, len(boundary))
    data = stretch(piece.path, origin, min(piece.size, piece.end + _SLACK))

    def after(place: int) -> int:
        """Where the first document ends that does so at a place or after it."""
        nonlocal data
        start = max(0, place - origin - len(boundary))
        while (found := data.find(boundary, start)) < 0:
            stop = origin + len(data)
            if stop >= piece.size:
                return len(data)
            if len(data) > largest():
                raise endless(piece.file)
            data += stretch(piece.path, stop, min(piece.size, stop + len(data)))
        return found + len(boundary)

    first = after(piece.begin) if piece.begin else 0
    last = after(piece.end) if piece.end < piece.size else len(data)
    return replace(piece, begin=origin + first, end=origin + last), data[first:last]


def _boundary(kind: Kind) -> bytes:
    """How a document ends."""
    return b"</DOC>" if kind == "trec" else b"\n"


def blocks(path: str, kind: Kind, size: int, names: tuple[str, ...] = ()) -> Iterator[Piece]:
    """Stretches of a packed file that end with a line, or with a document of SGML."""
    boundary = _boundary(kind)
    begin, held = 0, b""
    with opened(path) as (stream, _):
        while True:
            data = held + stream.read(max(1, size - len(held)))
            at = data.rfind(boundary)
            while at < 0 and (more := stream.read(size)):
                data += more
                at = data.rfind(boundary)
                if at < 0 and len(data) > largest():
                    raise endless(path)
            last = not (following := stream.read(1))
            cut = len(data) if last or at < 0 else at + len(boundary)
            if cut:
                yield Piece(path, kind, begin, begin + cut, data[:cut], names)
            begin, held = begin + cut, data[cut:] + following
            if last:
                return


def json_lines(piece: Piece, data: bytes, fields: Fields) -> Documents:
    """Documents of lines of JSON objects."""
    ids: list[str] = []
    texts: list[str] = []
    chosen: dict[tuple[str, ...], tuple[str, tuple[str, ...]]] = {}
    text_of_all, replaced = decoded(piece, data, fields)
    parse = STRICT.raw_decode  # without the looks at encoding and white space that json.loads takes
    for padded in text_of_all.split("\n"):
        if not (stripped := padded.strip()):
            continue
        try:
            document, end = parse(stripped)
        except RepeatedKeyError:
            twice = repeated_key(stripped)[1]
            raise bad_line(piece, data, stripped.encode(), f"{twice!r} stands twice in one object") from None
        except ValueError as error:
            raise bad_line(piece, data, stripped.encode(), f"not JSON: {error}") from None
        if end != len(stripped):
            raise bad_line(piece, data, stripped.encode(), "more than one JSON value")
        if not isinstance(document, dict):
            raise bad_line(piece, data, stripped.encode(), "not a JSON object")
        names = tuple(document)
        if names not in chosen:
            chosen[names] = _fields_of_object(fields, names, piece, data, stripped.encode())
        ident, text = chosen[names]
        if document[ident] is None or document[ident] == "":
            raise bad_line(piece, data, stripped.encode(), "the document has no id")
        ids.append(str(document[ident]))
        texts.append("\n".join([str(document[n]) for n in text if document.get(n) is not None]))
    return Documents(ids, texts, only_texts(piece, ids, replaced))


def _fields_of_object(
    fields: Fields, names: tuple[str, ...], piece: Piece, data: bytes, line: bytes
) -> tuple[str, tuple[str, ...]]:
    """As `Fields.of`, but an object without any text is a document whose text is missing, which is counted."""
    ident = fields.id_in(names)
    if ident is None:
        hint = f"say which it is: {arg('id', likely_id(names, list(STRICT.decode(line.decode()).values())))}"
        raise bad_line(piece, data, line, f"no field {fields.id or IDS_TOLD}", hint)
    return ident, tuple(n for n in fields.text if n in names) if fields.text else known(TEXT_FIELDS, names)


def sgml(piece: Piece, data: bytes, fields: Fields) -> Documents:  # noqa: ARG001
    """Documents of TREC SGML, without tags."""
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
    return Documents(ids, texts)


def unnamed(path: str, fields: Fields) -> tuple[str, ...]:
    """The names of the fields of a TSV that does not name them: those the user gave, or MS MARCO's id and text."""
    with opened(path) as (stream, _):
        first = stream.readline(1 << 20).decode("utf-8-sig", errors="replace").rstrip("\r\n").split("\t")
    if fields.columns is not None:
        check_unnamed(first, path)
        return fields.columns
    given = (fields.id, *(fields.text or ()))
    is_marco = len(first) == 2 and first[0].isascii() and first[0].isdigit() and not {*given} & {*first}
    return (fields.id or "id", *(fields.text or ("text",))) if is_marco and len(fields.text or "1") == 1 else ()


def check_unnamed(first: Sequence[str], path: str) -> None:
    """Refuse names of columns for a file that has a line of them."""
    if known(ID_FIELDS, first) and known(TEXT_FIELDS, first):
        raise InputError(
            f"the first line names the columns, and so does {arg('columns')}", file=shown_path(path), line=1,
            text="\t".join(first), hint=f"leave out {arg('columns')}",
        )  # fmt: skip


def tabbed(piece: Piece, data: bytes, fields: Fields) -> Documents:
    """Lines with tabs between fields, and no quotes that mean anything, as MS MARCO's collection.tsv."""
    ident, text = fields.of(piece.names, piece.file)
    where, columns = piece.names.index(ident), [piece.names.index(n) for n in text]
    ids: list[str] = []
    texts: list[str] = []
    whole, replaced = decoded(piece, data, fields)
    for line in whole.split("\n"):
        if not line.strip():
            continue
        cells = line.rstrip("\r").split("\t")
        if len(cells) != len(piece.names):
            problem = f"{len(cells)} fields, not {len(piece.names)}"
            raise bad_line(piece, data, line.encode(), problem, f"a line has {', '.join(piece.names)}")
        if not cells[where]:
            raise bad_line(piece, data, line.encode(), "the document has no id")
        ids.append(cells[where])
        texts.append("\n".join([cells[c] for c in columns if cells[c]]))
    return Documents(ids, texts, only_texts(piece, ids, replaced))
