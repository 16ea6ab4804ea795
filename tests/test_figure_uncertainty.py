"""The figure of explanation/uncertainty.md is that of today's code, and the page prints its numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.figure_uncertainty import PICTURE, Widths, draw, picture

PAGE = Path(__file__).parent.parent / "docs" / "explanation" / "uncertainty.md"


@pytest.mark.slow
def test_the_figure_is_drawn_from_the_demo(tmp_path: Path) -> None:
    """Guards a picture that no longer shows what the demo gives: drawn anew, it is the one in the pages."""
    draw(tmp_path / "new.svg")
    assert (tmp_path / "new.svg").read_text() == PICTURE.read_text()


def test_bars_are_on_one_scale_and_shares_fill_the_variance() -> None:
    """Guards the picture itself: with known numbers, widths of rectangles are in proportion."""
    svg = picture(Widths(0.1, 0.2, {"gold": 0.5, "collection": 0.25, "topics": 0.25}))
    assert [f'width="{w}"' in svg for w in ("220.0", "110.0", "440.0")] == [True] * 3
    assert svg.count('width="220.0"') == 2  # half of the variance, and the shorter bar


def test_the_page_prints_the_numbers_of_the_figure() -> None:
    """Guards a table beside a picture with other numbers."""
    text, svg = PAGE.read_text(), PICTURE.read_text()
    for number in ("0.1078", "0.1465", "60%", "30%", "10%"):
        assert number in text
        assert f">{number}<" in svg
