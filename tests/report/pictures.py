"""`python -m tests.report.pictures docs/pictures`: the pictures of the documentation, from the simulated demo alone."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.report import studies
from tests.report.browser import Chromium, Tab

PICTURES = {  # name: what makes the page, width, height, dark
    "report": (studies.demo, 1200, 1560, False),
    "report-dark": (studies.demo, 1200, 1560, True),
    "report-400": (studies.demo, 400, 1560, False),
    "participant": (studies.participant, 1200, 1900, False),
}


def main(to: Path) -> None:
    """Take all pictures; a palette is enough for flat drawings and keeps them small."""
    to.mkdir(parents=True, exist_ok=True)
    browser = Chromium()
    with tempfile.TemporaryDirectory() as folder:
        pages = {make: make(Path(folder)) for make, *_ in PICTURES.values()}
        for name, (make, width, height, dark) in PICTURES.items():
            png, page = to / f"{name}.png", pages[make]
            with Tab(browser, page, width, dark=dark) as tab:
                tab.picture(png, height)
            with Image.open(png) as taken:
                small = taken.convert("RGB").quantize(256, dither=Image.Dither.NONE)
            small.save(png, optimize=True)
    browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
