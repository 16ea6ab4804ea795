"""`python -m tests.report.pictures docs/pictures`: the pictures of the documentation, from the simulated demo alone."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.report import studies
from tests.report.browser import Chromium, Tab

PICTURES = {  # name: width, height, dark
    "report": (1200, 1560, False),
    "report-dark": (1200, 1560, True),
    "report-400": (400, 1560, False),
}


def main(to: Path) -> None:
    """Take all pictures; a palette is enough for flat drawings and keeps them small."""
    to.mkdir(parents=True, exist_ok=True)
    browser = Chromium()
    with tempfile.TemporaryDirectory() as folder:
        page = studies.demo(Path(folder))
        for name, (width, height, dark) in PICTURES.items():
            png = to / f"{name}.png"
            with Tab(browser, page, width, dark=dark) as tab:
                tab.picture(png, height)
            with Image.open(png) as taken:
                small = taken.convert("RGB").quantize(256, dither=Image.Dither.NONE)
            small.save(png, optimize=True)
    browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
