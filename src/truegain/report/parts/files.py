"""Files to take along: the data of a figure as CSV and the figure as SVG, both inside the page."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from truegain.report.parts.html import Html, el
from truegain.tables.table import Cell, separated

_AS_THEY_ARE = ",.:;/-_+()=!*'@"


def csv_link(file: str, columns: Sequence[str], rows: Iterable[tuple[Cell, ...]], words: str = "data (CSV)") -> Html:
    """A link that holds a table.

    >>> csv_link("a.csv", ("x",), [(1.5,)])
    '<a class="data" download="a.csv" href="data:text/csv;charset=utf-8,x%0A1.5%0A">data (CSV)</a>'
    """
    text = separated(tuple(columns), [tuple(map(_cell, row)) for row in rows], ",").encode(errors="backslashreplace")
    return el(
        "a", words, class_="data", download=file, href=f"data:text/csv;charset=utf-8,{quote(text, safe=_AS_THEY_ARE)}"
    )


def svg_link(file: str, svg: str, words: str = "figure (SVG)") -> Html:
    """A link that holds a drawing."""
    text = svg.replace('"', "'").encode(errors="backslashreplace")
    held = quote(text, safe=_AS_THEY_ARE + " ")
    return el("a", words, class_="data", download=file, href=f"data:image/svg+xml;charset=utf-8,{held}")


def links(*given: Html | None) -> Html:
    """Links to take along, after a caption."""
    return el("span", *[x for link in given if link for x in (" ", link)], class_="take")


def file_name(words: str) -> str:
    """Words as part of the name of a file.

    >>> file_name("nDCG(dcg='exp-log2')@10")
    'nDCG-dcg-exp-log2-10'
    """
    return "-".join(re.findall(r"[A-Za-z0-9]+", words))


def _cell(value: Cell) -> Cell:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def json_script(data: Mapping[str, Any], identifier: str) -> Html:
    r"""Data inside a page for programs; no text in it can end the script.

    >>> print(json_script({"a": "</script>", "b": float("nan")}, "d"))
    <script type="application/json" id="d">{"a":"\u003c/script\u003e","b":null}</script>
    """
    text = json.dumps(_sound(data), separators=(",", ":"), allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Html(f'<script type="application/json" id="{identifier}">{text}</script>')


def _sound(value: Any) -> Any:
    """The same with nothing in it that JSON cannot say."""
    if isinstance(value, Mapping):
        return {str(k): _sound(v) for k, v in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str | int | bool) or value is None:
        return value
    if isinstance(value, Iterable):
        return [_sound(v) for v in value]
    return str(value)
