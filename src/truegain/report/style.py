"""What all figures share: colours, data inside the chart, titles."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from truegain.errors import TruegainError, needs
from truegain.report.saving import render

INK, SOFT, BAD = "#1f4e79", "#8aa4bd", "#b5442e"
GRID = "#e6e6e6"
# Room for words is measured here, and a browser draws them with the fonts that it has: the widest of the usual ones
# comes first, so that none is cut.
FONT = "DejaVu Sans, Verdana, sans-serif"
COLOURS = ["#1f4e79", "#d1812b", "#2a7f62", "#b5442e", "#7a5195", "#5b8ba0", "#8c6d31", "#c2679b"]


def altair() -> Any:
    """The library, or how to get it."""
    return needs("altair", "plots")


def data_of(rows: list[Any]) -> Any:
    """Rows inside a chart; not checked one by one, which would take seconds for the pairs of a TREC track."""
    with needs("altair.utils.schemapi", "plots").debug_mode(False):
        return altair().Data(values=rows)


def dressed(chart: Any, title: str, subtitle: str = "") -> Any:
    """A chart with its title and the quiet colours of all our figures."""
    alt = altair()
    if title or subtitle:
        text = alt.TitleParams(title, subtitle=subtitle) if subtitle else title
        chart = chart.properties(title=text)
    return _shown_as_svg(
        chart.configure(font=FONT)
        .configure_view(stroke="#ccc")
        .configure_axis(gridColor=GRID, labelColor="#333", titleColor="#333", titleFontWeight="normal")
        .configure_title(anchor="start", fontSize=14, subtitleColor="#555")
        .configure_legend(labelColor="#333", titleFontWeight="normal")
    )


class _Svg:
    """A chart that a notebook shows as SVG, which needs no network; by altair's way where the user chose one."""

    def _repr_mimebundle_(self, *given: Any, **options: Any) -> Any:
        if altair().renderers.active == "default" and find_spec("vl_convert") is not None:
            return {"image/svg+xml": render(self, ".svg").decode()}
        return super()._repr_mimebundle_(*given, **options)  # type: ignore[misc]


@cache
def _svg_of(kind: type) -> type:
    return type(kind.__name__, (_Svg, kind), {})


def _shown_as_svg(chart: Any) -> Any:
    """The same chart; copies of it are shown alike."""
    kind: Any = type(chart)
    object.__setattr__(chart, "__class__", _svg_of(kind))  # altair's own is for what is drawn
    return chart


def check_some(things: Any, what: str) -> None:
    """Refuse to draw nothing."""
    if not len(things):
        raise TruegainError(f"no {what} to draw")
