"""What a file holds: its text, and whether it is a table or TREC lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from truegain.addresses import is_web
from truegain.errors import InputError
from truegain.message import arg, argname
from truegain.tables import tabular
from truegain.tables.header import IDS, Header
from truegain.tables.plain import plain_text
from truegain.tables.raw import EXTRA, names_columns, our_name
from truegain.tables.separated import first_line, separator_of
from truegain.tables.sources import PathLike, read_bytes, shown_path
from truegain.tables.trec import Layout

NameBy = Literal["file", "tag"]  # what a system is named by


def loaded(path: PathLike, header: Header | None = None) -> tuple[bytes, tabular.Kind | None, str]:
    """The content of a file, its kind (None for lines without names), and its name for messages."""
    data, file = read_bytes(path), shown_path(path)
    text = data if tabular.is_parquet(data, tabular.ending(file)) else plain_text(data, file)
    return text, kind_of_file(text, file, header), file


def kind_of_file(text: bytes, file: str, header: Header | None = None) -> tabular.Kind | None:
    """The kind of a file whose text, or the beginning of it, is given; refused where `header` says otherwise."""
    if text[:300].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        hint = f"if it is a folder, write / at its end: {file}/" if is_web(file) else "name the file that it leads to"
        raise InputError("this is a web page, no table and no lines", file=file, hint=hint)
    kind = tabular.kind_of(text, file, header)
    if header and header.names and kind is not None and header.fits_none(",".join(header.names), file):
        raise InputError(
            f"the columns are to be {','.join(header.names)}, but this file names its own", file=file,
            hint=f"leave out {arg('columns')}, or write ours=theirs in it, such as label=grade",
        )  # fmt: skip
    theirs = [n for ours in header.renamed if ours not in IDS for n in header.names_of(ours)] if header else []
    lost = [name for name in theirs if header and kind in (None, "nested") and header.fits_none(name, file)]
    if lost:  # topic and doc may be those of another file
        raise InputError(
            f"there is no column '{lost[0]}': this file has no names of columns", file=file,
            hint=f"leave it out of {arg('columns')}, or name all columns of lines, as in "
                 f"{arg('columns', 'topic,doc,label')}",
        )  # fmt: skip
    return kind


def layout_of(header: Header, text: bytes, what: str, values: Sequence[str]) -> Layout | None:
    """How lines without names are cut, where tabs or blanks do it and there is no more than topic, document and value.

    values: our names of the number that is wanted, the first that is there being taken.
    """
    ours = [our_name(name) or name for name in header.names]
    value = next((name for name in values if name in ours), None)
    if value is None:
        raise InputError(
            f"{argname('columns', ','.join(header.names))} do not name a {' or a '.join(values)}",
            hint=f"{what} need one, as in topic,doc,{values[0]}",
        )
    first = first_line(text)
    plain = "\t" in first or separator_of(first) not in first
    if not plain or set(ours) & {"system", "assessor", *EXTRA} or names_columns(first.split()):
        return None
    second = ours.index("subtopic") if "subtopic" in ours else ours.index("topic")
    return Layout(
        what, " ".join(header.names), len(ours), len(ours), second, ours.index(value), -1, value,
        topic=ours.index("topic"), doc=ours.index("doc"),
    )  # fmt: skip
