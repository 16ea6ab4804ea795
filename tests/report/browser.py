"""A page in a browser, for tests that have one: pictures, print, and what stands there once the script has run.

No test here needs it; `find()` is None where there is no browser.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
LEAST = 500  # pixels: a headless window is no narrower


def find() -> str | None:
    """The browser, where there is one."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def open_page(page: Path, *flags: str, seconds: float = 90) -> subprocess.CompletedProcess[str]:
    """Open a page with a profile of its own; the messages of its console are on standard error."""
    browser = find()
    assert browser is not None, "no browser; install chromium"
    with tempfile.TemporaryDirectory() as profile:
        words = [browser, *FLAGS, f"--user-data-dir={profile}", "--enable-logging=stderr", *flags, page.as_uri()]
        return subprocess.run(words, capture_output=True, text=True, timeout=seconds, check=False)


def picture(
    page: Path, png: Path, width: int = 1200, height: int = 4000, *, dark: bool = False, script: bool = True
) -> None:
    """A picture of a page: of any width, in light or dark, with or without its script."""
    shown = page
    if width < LEAST or not script:
        sandbox = "" if script else ' sandbox="allow-same-origin"'
        shown = png.with_suffix(".frame.html")
        frame = f'<iframe{sandbox} src="{page.as_uri()}" width="{width}" height="{height}" style="border:0"></iframe>'
        shown.write_text(f"<!doctype html><body style='margin:0'>{frame}")
    done = open_page(
        shown, f"--window-size={width},{height}", f"--screenshot={png}", *(["--force-dark-mode"] if dark else [])
    )
    assert png.exists(), done.stderr


def print_pdf(page: Path, pdf: Path) -> None:
    """A page as it is printed."""
    done = open_page(page, "--no-pdf-header-footer", f"--print-to-pdf={pdf}")
    assert pdf.exists(), done.stderr


def after_script(page: Path) -> tuple[str, list[str]]:
    """The page once its script has run, and what its console says."""
    done = open_page(page, "--dump-dom")
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]
