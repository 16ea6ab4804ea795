"""The picture of the front page is what its script draws, and says what the pages say."""

from __future__ import annotations

from pathlib import Path

from tools.one_picture import NAME, picture

DOCS = Path(__file__).parent.parent / "docs"


def test_the_picture_is_that_of_its_script() -> None:
    """Guards a picture that went stale: `python -m tools.one_picture docs/pictures` draws it again."""
    assert (DOCS / "pictures" / NAME).read_text(encoding="utf-8") == picture()


def test_pages_tell_the_numbers_of_the_picture() -> None:
    """Guards the words below it: both intervals stand there as in the picture."""
    drawn = picture()
    for numbers in ("+0.0800 [0.0272, 0.1328]", "-0.0135 [-0.1289, 0.1019]"):
        assert numbers in drawn
        difference, interval = numbers.split(" ", 1)
        for page in (DOCS / "index.md", DOCS.parent / "README.md"):
            text = " ".join(page.read_text(encoding="utf-8").split())
            assert difference in text
            assert interval in text
