"""JSON: one object a line, lists of objects, and {topic: {document: number}} as ranx and pytrec_eval have it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from truegain.errors import EmptyError, InputError
from truegain.io.columns import Places, RawTable, frozen, number_of, of_objects, parts_of
from truegain.io.file_options import file_options, number_of_word
from truegain.io.plain_text import NESTED, line_at, line_of
from truegain.io.table_format import Beginning, TableFormat

_LIST = re.compile(rb"\s*\[\s*[{\]]")
_TOKENS = re.compile(r'("(?:[^"\\]|\\.)*")(?=(\s*:)?)|[][{}]')
_BLANKS = re.compile(r"[ \t\r\n]*")
START = 65536  # bytes that tell what a file is
ROW = "{'topic': '1', 'doc': 'a', 'label': 1}"
ENDINGS = (".jsonl", ".ndjson")


class RepeatedKeyError(ValueError):
    """A key appears twice in one object: one of the two values would be lost."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise RepeatedKeyError
    return record


STRICT = json.JSONDecoder(object_pairs_hook=_once)  # one for all: json.loads would make one for every row


def repeated(text: bytes, file: str, line: int = 1, hint: str = "keep one: the other would be lost") -> InputError:
    """What is said of a text in which a key appears twice; `line` is that of the file on which the text begins."""
    whole = text.decode()
    place, key = repeated_key(whole)
    at = len(whole[:place].encode())
    problem = f"{key!r} appears twice in one object"
    return InputError(problem, file=file, line=line_of(text, at) + line - 1, text=line_at(text, at), hint=hint)


def repeated_key(text: str) -> tuple[int, str]:
    """The first key that an object has had before, and where it stands."""
    seen: list[set[str] | None] = []
    for token in _TOKENS.finditer(text):
        if (sign := token[0]) in ("{", "["):
            seen.append(set() if sign == "{" else None)
        elif sign in ("}", "]"):
            seen.pop()
        elif token[2] and seen and (keys := seen[-1]) is not None:
            if (key := json.loads(sign, strict=False)) in keys:
                return token.start(), key
            keys.add(key)
    raise ValueError("no key appears twice")


def is_list(text: bytes) -> bool:
    """Whether a text begins as a list of JSON objects does."""
    return _LIST.match(text[:START]) is not None


def is_nested(begun: Beginning) -> bool:
    r"""Whether a text is one JSON object of objects, on one line or many, and not one object a line.

    >>> is_nested(Beginning(b'{"q1": {"d1": 1}}', ".json"))
    True
    >>> is_nested(Beginning(b'{"meta": {"topic": 1}}\n{"meta": {"topic": 2}}\n', ".json"))
    False
    """
    text = begun.text
    if NESTED.match(text[:START]) is None:
        return False
    begin = len(text) - len(text.lstrip())
    end = text.find(b"\n", begin)
    if end < 0 or not text[end:].strip():
        return not _is_row(begun)
    try:
        return not isinstance(json.loads(text[begin:end]), dict)
    except (ValueError, RecursionError):
        return True


def _is_row(begun: Beginning) -> bool:
    """Whether an object of objects on a single line is a row: by the fields that the user names, or by what it holds.

    >>> _is_row(Beginning(b'{"query": {"id": "7"}, "hit": {"url": "a"}}', ".jsonl"))
    True
    """
    parts = [part for name in begun.header.theirs.values() for part in parts_of(name)]
    named = {part.partition(".")[0] for part in parts if "." in part}
    if not named and begun.ending not in ENDINGS:
        return False  # nor is a large file read twice
    try:
        whole = json.loads(begun.text)
    except (ValueError, RecursionError):
        return False  # it may be the beginning of a file
    return not named.isdisjoint(map(str.lower, whole)) or (begun.ending in ENDINGS and not _holds_labels(whole))


def _holds_labels(value: object) -> bool:
    """Whether all that stands in an object of objects is a number, a word that stands for one, or no label."""
    if isinstance(value, dict):
        return all(map(_holds_labels, value.values()))
    word = number_of_word(value, file_options().values)
    return value is None or word is not None or number_of(value) is not None


def nested(text: bytes, file: str) -> dict[str, Any]:
    """The object in a file of one; a key that appears twice in an object is refused, lest one of the two is lost."""
    try:
        whole = STRICT.decode(text.decode())
    except RepeatedKeyError:
        raise repeated(text, file, hint="keep one: a topic may appear once, and a document once per topic") from None
    except json.JSONDecodeError as error:
        raise _unreadable(text, file, error) from None
    except (ValueError, RecursionError):
        raise InputError("not readable JSON", file=file, hint="check that the file is complete") from None
    if not whole:
        raise EmptyError("the file has no topics", file=file, hint="write {topic: {document: number}}")
    return dict(whole)


def place_of(text: bytes, *keys: str) -> dict[str, Any]:
    """The line of a key within the objects of others, as `InputError` takes it; nothing where it is not found."""
    at = 0
    for key in keys:
        match = _key(key).search(text, at)
        if match is None:
            return {}
        at = match.start()
    return {"line": line_of(text, at)}


def _key(key: str) -> re.Pattern[bytes]:
    written = {json.dumps(key).encode(), json.dumps(key, ensure_ascii=False).encode(errors="backslashreplace")}
    return re.compile(b"(?:" + b"|".join(re.escape(w) for w in sorted(written)) + rb")\s*:")


def _unreadable(text: bytes, file: str, error: json.JSONDecodeError) -> InputError:
    at = len(error.doc[: error.pos].encode(errors="replace"))
    return InputError(
        f"not readable JSON: {error.msg}",
        file=file,
        line=error.lineno,
        text=line_at(text, min(at, max(0, len(text) - 1))),
        hint="check that the file is complete",
    )


def records(text: bytes, file: str) -> tuple[list[Mapping[str, Any]], Places]:
    """The objects of a JSON list, and the line each begins on, or its number where several stand on one line."""
    whole = text.decode()
    decode = STRICT.raw_decode
    rows: list[Mapping[str, Any]] = []
    starts: list[int] = []
    at = _after_blanks(whole, whole.index("[") + 1)
    try:
        while whole[at : at + 1] != "]":
            value, end = decode(whole, at)
            if not isinstance(value, dict):
                raise _no_object(file, len(rows) + 1, value)
            rows.append(value)
            starts.append(at)
            at = _after_blanks(whole, end)
            if whole[at : at + 1] == ",":
                at = _after_blanks(whole, at + 1)
            elif whole[at : at + 1] != "]":
                raise json.JSONDecodeError("Expecting ',' delimiter", whole, at)
        if whole[at + 1 :].strip():
            raise json.JSONDecodeError("Extra data", whole, at + 1)
    except RepeatedKeyError:
        raise repeated(text, file) from None
    except json.JSONDecodeError as error:
        raise _unreadable(text, file, error) from None
    except RecursionError:
        raise InputError("not readable JSON: nested too deeply", file=file, hint="check the file") from None
    if not rows:
        raise EmptyError("the list is empty", file=file, hint="give at least one object")
    ends = np.flatnonzero(np.frombuffer(whole.encode("utf-32-le"), np.uint32) == ord("\n"))
    lines = np.searchsorted(ends, starts).astype(np.int64) + 1
    if len(np.unique(lines)) == len(lines):
        return rows, Places("line", frozen(lines))
    return rows, Places.rows(len(rows))


def _after_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _no_object(file: str, row: int, value: object) -> InputError:
    return InputError(
        "not a JSON object", file=file, row=row, text=json.dumps(value, ensure_ascii=False),
        hint="write a list of objects, such as [{'topic': '1', 'doc': 'a', 'label': 1}]",
    )  # fmt: skip


def _json_lines(text: bytes, file: str) -> RawTable:
    rows: list[Mapping[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = STRICT.decode(line.decode())
        except RepeatedKeyError:
            raise repeated(line, file, number) from None
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise InputError(
                "not a JSON object",
                file=file,
                line=number,
                text=line[:1000].decode(errors="replace"),
                hint="write one object per line",
            )
        rows.append(row)
        lines.append(number)
    return of_objects(rows, Places("line", frozen(np.array(lines, np.int64))))


# ---- Tables: an object a line, and lists of objects.


def _is_lines(begun: Beginning) -> bool:
    return begun.first[1:].lstrip()[:1] in ("", '"', "}") and not is_nested(begun)


def _no_list(begun: Beginning, file: str) -> InputError | None:
    if not begun.first.startswith("["):
        return None
    hint = "write one object per line, or a list of objects"
    return InputError("a JSON list whose items are not objects", file=file, line=1, text=begun.first, hint=hint)


def _no_lines(begun: Beginning, file: str) -> InputError | None:
    error = _no_list(begun, file)
    if error is not None or begun.header.unnamed:
        return error
    hint = f"write one JSON object per line, such as {ROW}"
    problem = "the table has no header that names 'topic' and 'doc'"
    return InputError(problem, file=file, line=1, text=begun.first, hint=hint)


JSON = TableFormat(
    "json",
    "JSON",
    (".json",),
    lambda begun: is_list(begun.text),
    lambda text, file: of_objects(*records(text, file)),
    refusal=_no_list,
    row_mark=b"{",
    begins=(b"[",),
)
JSON_LINES = TableFormat(
    "jsonl", "JSONL", ENDINGS, _is_lines, _json_lines, refusal=_no_lines,
    row_mark=b"{", begins=(b"{",),  # lists in a line may be rows
)  # fmt: skip
