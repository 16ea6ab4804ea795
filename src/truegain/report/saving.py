"""Charts into files: SVG, PNG, PDF, or HTML that needs no network."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from truegain.errors import TruegainError, needs
from truegain.tables.sources import PathLike
from truegain.tables.targets import write_bytes

ENDINGS = (".svg", ".png", ".pdf", ".html")
SCALE = 2.0  # pixels of a PNG for each unit of the chart


def check_ending(path: PathLike) -> str:
    """The ending of a figure's file, or an error where no figure can be written to it.

    >>> check_ending("plot.jpg")
    Traceback (most recent call last):
    ...
    truegain.errors.TruegainError: plot.jpg: a figure is written as .svg, .png, .pdf, .html; choose one of these endings
    """
    ending = Path(os.fspath(path)).suffix.lower()
    if ending not in ENDINGS:
        raise TruegainError(
            f"{os.fspath(path)}: a figure is written as {', '.join(ENDINGS)}; choose one of these endings"
        )
    return ending


def save(chart: Any, path: PathLike) -> None:
    """Write a chart, whole or not at all; an HTML file holds everything it needs to be seen without a network."""
    write_bytes(path, render(chart, check_ending(path)))


def render(chart: Any, ending: str) -> bytes:
    """A chart as the bytes of a .svg, .png, .pdf or .html file."""
    convert = needs("vl_convert", "plots")
    spec = chart.to_dict(validate=False)  # thousands of data rows would be checked one by one
    version = ".".join(needs("altair", "plots").SCHEMA_VERSION.lstrip("v").split(".")[:2])
    if ending == ".svg":
        return str(convert.vegalite_to_svg(spec, vl_version=version)).encode()
    if ending == ".png":
        return bytes(convert.vegalite_to_png(spec, vl_version=version, scale=SCALE))
    if ending == ".pdf":
        return bytes(convert.vegalite_to_pdf(spec, vl_version=version))
    return str(convert.vegalite_to_html(spec, vl_version=version, bundle=True)).encode()
