"""All formats of tables there are, a line each; and what a file is, by its name and its beginning."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from truegain.errors import InputError
from truegain.io.arrow import ARROW, PARQUET
from truegain.io.columns import RawTable
from truegain.io.file_options import BOARD, Header
from truegain.io.files import PathLike, can_be_read_again, read_bytes, saved_parts, shown_path, start_of
from truegain.io.frames import Frame
from truegain.io.json_files import JSON, JSON_LINES, is_nested
from truegain.io.plain_text import COMPRESSED, plain_text
from truegain.io.remote import is_remote
from truegain.io.separated import CSV, TSV
from truegain.io.table_format import Beginning, TableFormat, first_line

FORMATS: dict[str, TableFormat] = {f.name: f for f in (JSON, JSON_LINES, CSV, TSV, PARQUET, ARROW)}
NESTED = "nested"  # {topic: {document: number}}, which is no table
LINES = (".txt", ".run", ".trec", ".res", ".qrels")  # endings of files of lines; the first, of others too


def ending(path: str) -> str:
    """The ending of a file name, below that of a compressed file.

    >>> ending("runs/bm25.CSV.gz")
    '.csv'
    """
    name = path.lower()
    for compressed in COMPRESSED:
        name = name.removesuffix(compressed)
    dot = name.rfind(".")
    return name[dot:] if dot > max(name.rfind("/"), name.rfind("\\")) else ""


def has_lines(path: str) -> bool:
    """Whether a file is called as only files of lines are: no table, and nothing that a tool wrote.

    >>> has_lines("runs/bm25.run.gz"), has_lines("bm25.txt")
    (True, False)
    """
    return ending(path) in LINES[1:]


def may_be_board(path: PathLike) -> bool:
    """Whether lines may be a leaderboard, whatever the file is called: no lines of judgments, which have whole labels.

    >>> may_be_board("none.txt")
    False
    """
    name = os.fspath(path)
    if ending(name) not in (".txt", "") or not can_be_read_again(name):
        return False
    cells = start_of(path).partition(b"\n")[0].split()
    return len(cells) == len(BOARD) - 1 or (len(cells) == len(BOARD) and b"." in cells[-1])


def endings() -> tuple[str, ...]:
    """The endings of files that are tables with named columns.

    >>> endings()
    ('.json', '.jsonl', '.ndjson', '.csv', '.tsv', '.parquet', '.arrow', '.feather')
    """
    return tuple(ending for f in FORMATS.values() for ending in f.endings)


def format_of_ending(path: str) -> TableFormat | None:
    """The format that the ending of a file's name stands for."""
    suffix = ending(path)
    return next((f for f in FORMATS.values() if suffix in f.endings), None)


def formats_in_words() -> str:
    """The formats of tables, for messages.

    >>> formats_in_words()
    'JSON, JSONL, CSV, TSV, Parquet or Arrow'
    """
    *others, last = [f.words for f in FORMATS.values()]
    return f"{', '.join(others)} or {last}"


def system_name(path: PathLike) -> str:
    """The file name without folder and known endings; of a part of a saved dataset, the folder's.

    >>> system_name("runs/bm25.v2.run.gz"), system_name("runs/dense/data-00000-of-00001.arrow")
    ('bm25.v2', 'dense')
    """
    whole = Path(shown_path(path))
    name = whole.parent.name if _PART.fullmatch(whole.name) and whole.parent.name else whole.name
    for group in (COMPRESSED, (*LINES, *endings())):
        for ending in group:
            if name.endswith(ending) and name != ending:
                name = name.removesuffix(ending)
                break
    return name


def marked(data: bytes, file: str) -> tuple[bytes, str | None]:
    r"""The text of a file, bytes as they are where it is none, and its format where its first bytes or its name tell.

    >>> marked(b"\xef\xbb\xbftopic,doc", "x.csv")
    (b'topic,doc', None)
    """
    begun = Beginning(data, ending(file))
    binary = next((f for f in FORMATS.values() if f.binary and f.fits(begun)), None)
    if binary is not None:
        return data, binary.name
    begun = Beginning(plain_text(data, file), begun.ending)
    return begun.text, next((f.name for f in FORMATS.values() if f.marked and f.fits(begun)), None)


def kind_of(text: bytes, file: str, header: Header | None = None) -> str | None:
    r"""The format of a table with named columns, or None for lines without names.

    header: what the user says of the columns: where he names them all, no line of the file need do so.

    >>> kind_of(b"topic,doc,label\n1,a,2\n", "x.csv"), kind_of(b"1 0 a 2\n", "qrels")
    ('csv', None)
    """
    begun = Beginning(text, ending(file), header)
    for f in FORMATS.values():
        if f.marked and f.fits(begun):
            return f.name
    if begun.first.startswith("{") and is_nested(begun):
        return NESTED
    for f in FORMATS.values():
        if not f.marked and f.fits(begun):
            return f.name
    for f in FORMATS.values() if begun.first else ():
        if begun.ending in f.endings and f.refusal is not None and (error := f.refusal(begun, file)) is not None:
            raise error
    return None


def read(text: bytes, kind: str, file: str) -> RawTable | Frame:
    """Read a table; every column of a CSV or TSV comes as text."""
    return FORMATS[kind].read(text, file)


def read_file(path: PathLike) -> tuple[RawTable | Frame, str]:
    """A table of any format, known by its first bytes, its name or its first line; and the file as messages name it."""
    file = shown_path(path)
    if shards := shards_in(path):
        return read_shards(shards), file
    text, kind = marked(read_bytes(path), file)
    if kind is None:
        first = first_line(text)
        kind = "json" if first.startswith("[") else "jsonl" if first.startswith("{") else "csv"
        kind = "tsv" if kind == "csv" and "\t" in first else kind
    return read(text, kind, file), file


SHARDS = (".arrow", ".parquet")  # endings of the parts of a dataset that is kept in a folder
_PART = re.compile(r"data-\d{5}-of-\d{5}\.arrow")  # as Hugging Face datasets calls them


def shards_in(path: PathLike) -> list[str]:
    """The parts of a table that a folder holds, as Hugging Face datasets writes it; none where it is no such folder."""
    name = os.fspath(path)
    if is_remote(name) or not os.path.isdir(name):  # noqa: PTH112  Path.is_dir fails on a very long name
        return []
    saved = saved_parts(name)
    if saved == []:
        raise InputError("the dataset has no rows", file=shown_path(name), hint="save it again")
    if saved is not None:
        return saved
    files = sorted(p for p in Path(name).iterdir() if p.is_file() and not p.name.startswith("."))
    parts = [str(p) for p in files if p.suffix in SHARDS]
    return parts if all(p.suffix in (*SHARDS, ".json", ".md", ".lock") for p in files) else []


def read_shards(parts: Sequence[str]) -> Frame:
    """One table from its parts, which have the same columns."""
    tables = [(read_file(part)[0], shown_path(part)) for part in parts]
    names = list(tables[0][0].columns)
    for table, file in tables[1:]:
        if list(table.columns) != names:
            raise InputError(
                f"its columns are {', '.join(table.columns)}, and those of {tables[0][1]} {', '.join(names)}",
                file=file,
                hint="keep the parts of one table in a folder",
            )
    return Frame(names, lambda at: [value for table, _ in tables for value in table.column(at)])


def read_text(text: bytes, kind: str, file: str) -> RawTable:
    """Read a table that is text."""
    table = read(text, kind, file)
    assert isinstance(table, RawTable)
    return table
