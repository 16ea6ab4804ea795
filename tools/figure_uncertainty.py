"""The figure of explanation/uncertainty.md: sources of uncertainty combined, against added up.

`python -m tools.figure_uncertainty [FOLDER]` draws it from the demo, whose seed is fixed, as uncertainty.svg into a
folder, docs/pictures without one.
"""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import truegain as tg

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "uncertainty.svg"
PAIR = ("system-5", "system-7")
NAMES = {"gold": "gold labels", "collection": "documents", "topics": "topics alone"}
FILLS = {"gold": "#1f4e79", "collection": "#2a7f62", "topics": "#7a4b08"}
WIDE, LEFT, TALL = 640, 20, 330
SPAN = 440  # pixels of the whole variance over topics, and of the longer bar


class Widths(NamedTuple):
    """Half widths of the 95% interval, and each source's share of the variance."""

    combined: float
    added: float
    shares: dict[str, float]


def half(low: float | None, high: float | None) -> float:
    """Half of the width between two limits, which the demo's verdict has."""
    if low is None or high is None:
        raise ValueError("the demo's verdict has no interval for one of its sources")
    return (high - low) / 2


def widths_of(folder: Path) -> Widths:
    """The half widths in the demo: of the verdict, and of the sources alone added up as if none held another."""
    study = tg.Study(
        folder / "runs",
        folder / "llm.qrels",
        "P@10",
        gold=tg.Gold(folder / "gold_sample.qrels", design="random"),
        population=["topics", "collection"],
    )
    verdict = study.verdict(*PAIR)
    halves = [half(x.low, x.high) for x in verdict.by_source if x.source in NAMES]
    shares = {name: share for name, share in study.shares(*PAIR, "P@10").items() if share is not None}
    if len(halves) != len(NAMES) or shares.keys() != NAMES.keys():
        raise ValueError(f"the demo's verdict has shares of {', '.join(shares)}, not of {', '.join(NAMES)}")
    return Widths(half(verdict.low, verdict.high), math.hypot(*halves), shares)


def picture(widths: Widths) -> str:
    """The figure as SVG: what lies within the variance over topics, then both half widths on one scale."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {TALL}" width="{WIDE}" height="{TALL}" '
        'role="img" font-family="sans-serif" font-size="14">',
        "<title>The variance over topics contains documents and gold labels; adding them again is too wide</title>",
        '<defs><pattern id="counted" width="8" height="8" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="8" height="8" fill="#fff"/>'
        '<line x1="0" y1="0" x2="0" y2="8" stroke="#8a8a8a" stroke-width="4"/></pattern></defs>',
        f'<rect width="{WIDE}" height="{TALL}" fill="#fff"/>',
        f'<text x="{LEFT}" y="26" fill="#222" font-weight="bold">Variance over topics</text>',
    ]
    x = float(LEFT)
    for name, label in NAMES.items():
        wide = SPAN * widths.shares[name]
        parts.append(
            f'<rect x="{x:.1f}" y="38" width="{wide:.1f}" height="84" fill="{FILLS[name]}" stroke="#fff" '
            'stroke-width="2"/>'
        )
        inside = wide > 90
        at, below = (x + wide / 2, 76) if inside else (x + wide / 2, 160)
        ink = "#fff" if inside else "#222"
        parts += [
            f'<text x="{at:.1f}" y="{below}" fill="{ink}" text-anchor="middle">{label}</text>',
            f'<text x="{at:.1f}" y="{below + 20}" fill="{ink}" text-anchor="middle">{widths.shares[name]:.0%}</text>',
        ]
        if not inside:
            parts.append(f'<line x1="{at:.1f}" y1="124" x2="{at:.1f}" y2="146" stroke="#222"/>')
        x += wide
    parts += [
        # Assessors are shared by topics: what they do on one topic is in the spread over topics, the rest is not.
        f'<rect x="{x - 26:.1f}" y="98" width="26" height="24" fill="url(#counted)" stroke="#222"/>',
        f'<rect x="{x:.1f}" y="98" width="130" height="24" fill="#fff" stroke="#222" stroke-dasharray="5 3"/>',
        f'<text x="{x + 65:.1f}" y="115" fill="#222" text-anchor="middle" font-size="13">assessors: added</text>',
        f'<text x="{x + 10:.1f}" y="62" fill="#222" font-size="13">hatched:</text>',
        f'<text x="{x + 10:.1f}" y="80" fill="#222" font-size="13">already counted</text>',
        f'<text x="{LEFT}" y="212" fill="#222" font-weight="bold">Half-width of the 95% interval</text>',
    ]
    for y, name, value, fill in (
        (224, "combined", widths.combined, "#1f4e79"),
        (276, "added up", widths.added, "#b5442e"),
    ):
        wide = SPAN * value / widths.added
        parts += [
            f'<rect x="{LEFT}" y="{y}" width="{wide:.1f}" height="34" fill="{fill}"/>',
            f'<text x="{LEFT + 12}" y="{y + 22}" fill="#fff">{name}</text>',
            f'<text x="{LEFT + wide + 10:.1f}" y="{y + 22}" fill="#222">{value:.4f}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def draw(path: Path = PICTURE) -> None:
    """Simulate the demo in a folder of its own, and write the figure."""
    with TemporaryDirectory() as folder:
        line = [sys.executable, "-m", "truegain", "demo", "demo"]
        subprocess.run(line, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        path.write_text(picture(widths_of(Path(folder) / "demo")))


if __name__ == "__main__":
    draw(Path(*sys.argv[1:2], PICTURE.name) if sys.argv[1:] else PICTURE)
