"""The style: text can be read in light and in dark, and nothing in it is left over."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

STYLE = files("truegain.report.page").joinpath("style.css").read_text(encoding="utf-8")
PAIRS = [
    ("ink", "bg"), ("ink", "card"), ("ink", "hi"), ("muted", "bg"), ("muted", "card"), ("muted", "hi"), ("acc", "bg"),
    ("acc", "card"), ("nai", "bg"), ("ok", "okbg"), ("no", "nobg"), ("un", "unbg"), ("on1", "m1"), ("on2", "m2"),
    ("ink", "m0"),
]  # fmt: skip


def colors(dark: bool) -> dict[str, str]:
    """The variables of a scheme."""
    light, other = re.findall(r":root\{([^}]*)\}", STYLE)[:2]
    return dict(re.findall(r"--(\w+):(#\w+)", other if dark else light))


def luminance(color: str) -> float:
    """As WCAG 2 has it."""
    digits = color[1:] if len(color) == 7 else "".join(2 * c for c in color[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_can_be_read(text: str, ground: str, dark: bool) -> None:
    """Guards the contrast of every text on every ground: 4.5 or more (WCAG 2, level AA)."""
    scheme = colors(dark)
    one, two = sorted(luminance(scheme[name]) for name in (text, ground))
    assert (two + 0.05) / (one + 0.05) >= 4.5


def test_dark_and_print_have_every_color() -> None:
    """Guards against a color that one scheme lacks: it would be that of another ground."""
    blocks = [set(re.findall(r"--(\w+):", b)) for b in re.findall(r":root\{([^}]*)\}", STYLE)]
    assert len(blocks) == 3
    assert blocks[0] == blocks[1] == blocks[2]


def test_braces_are_closed() -> None:
    """Guards the style sheet: one brace too few and half of it is lost."""
    assert STYLE.count("{") == STYLE.count("}")
