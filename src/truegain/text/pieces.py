"""Pieces of documents that fit in memory: from lines of JSON, from TREC SGML, and from lines with tabs."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, cast, get_args

from truegain.errors import InputError, shorten
from truegain.io import remote
from truegain.io.columns import COLUMNS, plain_name
from truegain.io.files import read_failures, shown_path
from truegain.io.json_files import STRICT, RepeatedKeyError, repeated_key
from truegain.io.plain_text import TOLD_BY, unpacking
from truegain.io.remote import is_remote
from truegain.io.separated import LONG, NAME, STEMS
from truegain.message import arg

# ---- Pieces of documents: stretches of an input that fit in memory, and how their bytes become text.

Kind = Literal["jsonl", "csv", "tsv", "parquet", "trec", "folder", "irds"]
KINDS: tuple[str, ...] = get_args(Kind)
_LAST = ("document", "_id", "id", "pid")  # names of ids that may be something else beside a clearer one
ID_FIELDS = (*(name for name in COLUMNS["doc"] if name not in _LAST), *_LAST)
IDS_TOLD = f"{', '.join(ID_FIELDS[:6])} or another known name of ids"
TEXT_FIELDS = ("title", "headings", "abstract", "text", "contents", "content", "body", "passage", "segment")
LARGEST = 1 << 28  # bytes of a document
NOT_UTF8 = f"convert it to UTF-8, or have such bytes replaced and counted ({arg('errors', 'replace')})"
Errors = Literal["refuse", "replace"]  # bytes that are not UTF-8


class Documents(NamedTuple):
    """Ids and texts, and how many of these had bytes that are not UTF-8."""

    ids: list[str]
    texts: list[str]
    replaced: int = 0


@dataclass(frozen=True)
class Fields:
    """Which field is the id and which are the text; None is the first known name, and all known names.

    columns: the fields of a CSV or TSV in their order, where no line of it names them.
    errors: bytes of text that are not UTF-8 are refused, or replaced and their documents counted.
    """

    id: str | None = None
    text: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    errors: Errors = "refuse"

    def of(self, names: Sequence[str], file: str) -> tuple[str, tuple[str, ...]]:
        """The fields to read from a table with these columns."""
        ident, text = self.id_in(names), self.text or known(TEXT_FIELDS, names)
        lost = [n for n in text if n not in names]
        if ident is None:
            hint = f"say which it is: {arg('id', likely_id(names))}"
            if lost or not text:  # perhaps no names at all
                hint += (
                    f" and {arg('text', NAME)}, or name all columns where no line does, as in "
                    f"{arg('columns', 'id,text')}"
                )
            problem = f"no field {self.id or IDS_TOLD} among {shorten(', '.join(names)) or 'none'}"
            raise InputError(problem, file=file, hint=hint)
        if lost or not text:
            wanted = ", ".join(lost) or " or ".join(TEXT_FIELDS)
            hint = f"say which it is: {arg('text', NAME)}"
            raise InputError(f"no field {wanted} among {', '.join(names)}", file=file, hint=hint)
        return ident, text

    def id_in(self, names: Sequence[str]) -> str | None:
        """The field of the id; None where it is not there."""
        if self.id is not None:
            return self.id if self.id in names else None
        return next(iter(known(ID_FIELDS, names)), None)


def known(fields: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Names that are known, however they are written, in the order in which they are known."""
    there = {plain_name(name): name for name in reversed(names)}
    return tuple(there[field] for field in fields if field in there)


def likely_id(names: Sequence[str], values: Sequence[object] | None = None) -> str:
    """The field that is likely the id of a document, by its name and by one value of each; 'NAME' where none is.

    >>> likely_id(["seite", "url", "inhalt"]), likely_id(["nr", "inhalt"], ["s-1", "Das Wetter in Tokio"])
    ('url', 'nr')
    """
    cells = ["" if x is None else str(x) for x in values or [""] * len(names)]
    free = {n: cell for n, cell in zip(names, cells, strict=True) if plain_name(n) not in TEXT_FIELDS}
    could = [n for n, cell in free.items() if len(cell) <= LONG and " " not in cell.strip()]
    named = [n for n in could if plain_name(n).endswith("id") or any(stem in plain_name(n) for stem in STEMS["doc"])]
    candidates = named or (could if len(could) == 1 else [])
    return candidates[0].replace("'", "") if candidates else NAME


@dataclass(frozen=True)
class Piece:
    """A stretch of one input: bytes of a file, rows of a table, files of a folder, or what was unpacked from it.

    Of lines and SGML in a plain file it is the documents that end in the stretch, or first after it where it is the
    last byte of one that decides; who reads it finds where they begin and end.
    """

    file: str
    kind: Kind
    begin: int
    end: int
    data: Any = None
    names: tuple[str, ...] = ()  # of the fields of lines that a line of the file does not name
    path: str = ""  # of the file for whoever reads it, on whatever machine
    size: int = 0  # of the whole file


@contextmanager
def opened(path: str) -> Iterator[tuple[BinaryIO, bool]]:
    """A stream of the unpacked bytes, and whether they are those of the file itself."""
    with read_failures(shown_path(path)), _stream(path) as stream:
        unpacked = unpacking(stream.peek(TOLD_BY), stream)  # type: ignore[attr-defined]
        yield (stream, True) if unpacked is None else (unpacked, False)


@contextmanager
def _stream(path: str) -> Iterator[BinaryIO]:
    if is_remote(path):
        with remote.reading_from(path) as far:
            yield far
    else:
        with Path(path).open("rb") as near:
            yield near


def stretch(path: str, begin: int, end: int) -> bytes:
    """Some bytes of a plain file."""
    if is_remote(path):
        return remote.stretch(path, begin, end)
    with read_failures(shown_path(path)), Path(path).open("rb") as stream:
        stream.seek(begin)
        return stream.read(end - begin)


def whole(path: str) -> bytes:
    """All bytes of a file as they are."""
    with read_failures(shown_path(path)), _stream(path) as stream:
        return stream.read()


def absolute(path: str) -> str:
    """A path that means the same in another folder; an address as it is."""
    return path if is_remote(path) else os.path.abspath(path)  # noqa: PTH100  links are kept


def size_of(path: str) -> int:
    """Bytes of a file."""
    if is_remote(path):
        return int(remote.about(path)["size"])
    with read_failures(shown_path(path)):
        return Path(path).stat().st_size


def largest() -> int:
    """The most bytes a document may have."""
    return LARGEST


def endless(path: str) -> InputError:
    """What to say of a file whose first document does not end."""
    problem = f"no document ends within {LARGEST >> 20} MB"
    return InputError(problem, file=shown_path(path), hint=f"check that this is the right file, and its {arg('kind')}")


def decoded(piece: Piece, data: bytes, fields: Fields) -> tuple[str, int]:
    """Lines as text, and how many of them had bytes that are not UTF-8, which were replaced."""
    try:
        return data.decode("utf-8-sig"), 0
    except UnicodeDecodeError as error:
        if fields.errors == "refuse":
            bad = data[data.rfind(b"\n", 0, error.start) + 1 :].split(b"\n", 1)[0]
            raise bad_line(piece, data, bad, "not UTF-8 text", NOT_UTF8) from None
    return data.decode("utf-8-sig", errors="replace"), sum(not is_utf8(line) for line in data.split(b"\n"))


def is_utf8(line: bytes) -> bool:
    """Whether bytes are UTF-8 text."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def only_texts(piece: Piece, ids: list[str], replaced: int) -> int:
    """How many documents had bytes that are not UTF-8; one of them in an id is refused: it names nothing any more."""
    bad = next((name for name in ids if "\ufffd" in name), None) if replaced else None
    if bad is not None:
        raise InputError(
            "a document's id is not UTF-8 text", file=shown_path(piece.file), text=bad, hint="correct the id"
        )
    return replaced


def bad_line(piece: Piece, data: bytes, line: bytes, problem: str, hint: str = "correct the line") -> InputError:
    """A fault of a line, with its number in the whole file."""
    number: int | None = data[: data.find(line)].count(b"\n") + 1
    if piece.data is None:
        before = _lines_before(piece)
        number = None if before is None else before + number  # type: ignore[operator]
    elif piece.begin:
        number = None
    return InputError(problem, file=piece.file, line=number, text=line.decode(errors="replace"), hint=hint)


def _lines_before(piece: Piece) -> int | None:
    """Line ends before a piece; None where that would fetch much from elsewhere."""
    if is_remote(piece.path) and piece.begin > LARGEST:
        return None
    count = 0
    for begin in range(0, piece.begin, 1 << 24):
        count += stretch(piece.path, begin, min(piece.begin, begin + (1 << 24))).count(b"\n")
    return count


# ---- Documents from lines of JSON, from TREC SGML, and from lines with tabs and no names: blocks of bytes.

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
        while (end := data.find(boundary, start)) < 0:
            stop = origin + len(data)
            if stop >= piece.size:
                return len(data)
            if len(data) > largest():
                raise endless(piece.file)
            data += stretch(piece.path, stop, min(piece.size, stop + len(data)))
        return end + len(boundary)

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
            raise bad_line(piece, data, stripped.encode(), f"{twice!r} appears twice in one object") from None
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
    names = (fields.id, *(fields.text or ()))
    is_marco = len(first) == 2 and first[0].isascii() and first[0].isdigit() and not {*names} & {*first}
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
