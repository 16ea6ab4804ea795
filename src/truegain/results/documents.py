"""What a table is in JSON, and JSON Schema from declarations: typed dicts, dataclasses, and columns by name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

from truegain.results.columns import COLUMNS, KINDS, Kind
from truegain.results.table import Cell

DRAFT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]

# ---- What a table is in JSON: `as_dict` makes it, and its schema is made of it.


class TitleDocument(TypedDict, total=False):
    """What the table shows, where it has a title."""

    title: str


class NotesDocument(TypedDict, total=False):
    """What must be said beside it, where there is something."""

    notes: list[str]


class TableDocument(TypedDict):
    """A table.

    Attributes
    ----------
    provenance : object
        How it was made: version, options, and the SHA-256 digest of each input where it is known.
    title : str
        What the table shows.
    notes : list of str
        What must be said beside it.
    rows : list
        One object a row.
    """

    provenance: dict[str, Any]
    title: NotRequired[str]
    notes: NotRequired[list[str]]
    rows: list[dict[str, Cell]]


# ---- JSON Schema of types.

_PLAIN: dict[object, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    NoneType: {"type": "null"},
    Any: {},
    object: {},
}
_SECTION = re.compile(r"^Attributes\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"^(\w[\w, ]*?)(?: : [^\n]*)?\n((?:    [^\n]*\n|\n)+)", re.MULTILINE)


def described(kind: type) -> dict[str, str]:
    """What the docstring of a class says of each attribute.

    >>> described(TableDocument)["rows"]
    'One object a row.'
    """
    section = _SECTION.search(inspect.cleandoc(kind.__doc__ or ""))
    about: dict[str, str] = {}
    for names, text in _ENTRY.findall(section[1] + "\n" if section else ""):
        about |= dict.fromkeys((name.strip() for name in names.split(",")), " ".join(text.split()))
    return about


def schema_of(hint: Any, defined: dict[str, Schema]) -> Schema:
    """The schema of a type; typed dicts are put into `defined` under their names, without 'Document'.

    >>> schema_of(list[float | None], {})
    {'type': 'array', 'items': {'anyOf': [{'type': 'number'}, {'type': 'null'}]}}
    """
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    origin, parts = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        name = hint.__name__.removesuffix("Document")
        if name not in defined:
            defined[name] = {}  # lest one that holds itself goes on for ever
            defined[name] = _object(hint, defined)
        return {"$ref": f"#/$defs/{name}"}
    if origin is NotRequired:
        return schema_of(parts[0], defined)
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(part, defined) for part in parts]}
    if origin in (list, tuple):
        return {"type": "array", "items": schema_of(parts[0], defined)}
    if origin is dict:
        values = schema_of(parts[1], defined)
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    raise TypeError(f"no schema of {hint}")


def _object(kind: type, defined: dict[str, Schema]) -> Schema:
    """The schema of a typed dict: its keys and no others."""
    about, hints = described(kind), get_type_hints(kind, include_extras=True)
    return {
        "description": inspect.cleandoc(kind.__doc__ or "").partition("\n")[0],
        "type": "object",
        "properties": {
            name: {**schema_of(hint, defined), **({"description": about[name]} if name in about else {})}
            for name, hint in hints.items()
        },
        "required": [name for name, hint in hints.items() if get_origin(hint) is not NotRequired],
        "additionalProperties": False,
    }


# ---- JSON Schema of the rows of a table, from the columns that it may have.


def columns_of(kind: type) -> dict[str, tuple[Kind, str]]:
    """The columns of a table whose rows are a dataclass: a column a field, with what its docstring says of it."""
    assert is_dataclass(kind)
    about, hints = described(kind), get_type_hints(kind)
    kinds: dict[object, Kind] = {str: "text", bool: "flag", int: "count", float: "number"}
    columns: dict[str, tuple[Kind, str]] = {}
    for f in fields(kind):
        plain = [part for part in get_args(hints[f.name]) or (hints[f.name],) if part in kinds]
        if plain:
            columns[f.name] = kinds[plain[0]], about.get(f.name, "")
    return columns


def rows_schema(columns: Sequence[str | type], more: str = "") -> Schema:
    """The schema of the rows of a table that may have these columns.

    columns: names of the catalogue, `name:kind` where the kind is another one, or dataclasses.  more: what columns are
    called after whose names are not ours, such as measures; empty where there are none.
    """
    known: dict[str, tuple[Kind, str]] = {}
    for column in columns:
        if isinstance(column, type):
            known |= columns_of(column)
        else:
            name, _, kind = column.partition(":")
            usual, about = COLUMNS[name]
            known[name] = (kind or usual, about)  # type: ignore[assignment]
    named = {name: about for name, about in known.items() if "*" not in name}
    patterns = {_pattern(name): about for name, about in known.items() if "*" in name}
    rows: Schema = {"type": "object", "properties": {n: _column(*x) for n, x in named.items()}}
    if patterns:
        rows["patternProperties"] = {pattern: _column(*x) for pattern, x in patterns.items()}
    rows["additionalProperties"] = {**KINDS["any"], "description": f"A column named after {more}."} if more else False
    return rows


def _pattern(name: str) -> str:
    r"""A regular expression of a name with stars.

    >>> _pattern("power_*")
    '^power_.+$'
    """
    return "^" + ".+".join(re.escape(part) for part in name.split("*")) + "$"


def _column(kind: Kind, about: str) -> Schema:
    return {**KINDS[kind], "description": about}


def table_schema(rows: Schema) -> Schema:
    """The schema of a table with such rows."""
    whole = _object(TableDocument, {})
    whole["properties"]["rows"] = {"type": "array", "items": rows, "description": described(TableDocument)["rows"]}
    return whole


def as_schema(title: str, about: str, forms: Sequence[Schema], defined: Mapping[str, Schema]) -> Schema:
    """A whole schema: of one form, or of one of several."""
    whole = {"$schema": DRAFT, "title": title, "description": about}
    (first, *others) = forms
    body = (
        {"anyOf": list(forms)} if others else {k: v for k, v in first.items() if k != "description" or "$ref" in first}
    )
    return {**whole, **body, **({"$defs": dict(defined)} if defined else {})}
