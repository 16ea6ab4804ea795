"""The picture of the front page: one comparison by an LLM's labels alone, and corrected with labels of people.

`python -m tools.one_picture docs/pictures` writes it, of the world that `truegain demo --kind rag` simulates.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.rag import by_question, interval_of

import truegain as tg
from truegain.experiments.worlds import LABELED, RETURNED, simulate_rag

NAME = "one-picture.svg"
WIDTH, HEIGHT = 600, 320
LEFT, RIGHT, LOW, HIGH = 24, 576, -0.15, 0.15  # the axis, in pixels and in P@5
TICKS = (-0.10, -0.05, 0.0, 0.05, 0.10)
INK, FAINT, WRONG, RIGHT_INK = "#1b1f24", "#59636e", "#b3261e", "#0b5cad"


def intervals() -> list[tuple[str, str, str, float, float, float]]:
    """A row each: who labeled, what a reader would conclude, the color, the difference and its interval."""
    world = simulate_rag()
    runs = {name: by_question(records, "similarity") for name, records in world.runs.items()}
    llm = by_question(world.llm, "relevant")
    gold = tg.Gold(by_question(world.people, "relevant"), design="random")
    alone = tg.Study(runs, llm, f"P@{RETURNED}").verdict("prod", "new")
    both = tg.Study(runs, llm, f"P@{RETURNED}", gold=gold).verdict("prod", "new")
    return [
        ("LLM alone", alone.outcome, WRONG, alone.difference, *interval_of(alone)),
        (f"+ {LABELED} human labels", both.outcome, RIGHT_INK, both.difference, *interval_of(both)),
    ]


def at(value: float) -> float:
    """Where a difference stands, in pixels."""
    return LEFT + (value - LOW) / (HIGH - LOW) * (RIGHT - LEFT)


def picture() -> str:
    """The picture, as SVG."""
    rows = intervals()
    said = "; ".join(f"{who}: {x:+.4f}, 95% CI {low:.4f} to {high:.4f}, {what}" for who, what, _, x, low, high in rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">',
        f"<title>{said}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#ffffff"/>',
        _text(24, 36, "Is the new retriever better?", size=20, weight=600),
        _text(24, 60, f"Difference in P@{RETURNED} and its 95% confidence interval", color=FAINT),
    ]
    for tick in TICKS:
        strong = tick == 0
        parts += [
            f'<line x1="{at(tick):.1f}" x2="{at(tick):.1f}" y1="112" y2="262" stroke="{INK if strong else "#d8dde3"}" '
            f'stroke-width="{1.5 if strong else 1}"/>',
            _text(at(tick), 282, f"{tick:+.2f}" if tick else "0", color=FAINT, anchor="middle"),
        ]
    for y, (who, what, color, x, low, high) in zip((106, 196), rows, strict=True):
        parts += [
            f'<rect x="20" y="{y - 20}" width="{WIDTH - 40}" height="26" fill="#ffffff"/>',  # lines end at words
            _text(24, y, f"{who}: {what}", size=17, weight=600, color=color),
            _text(RIGHT, y, f"{x:+.4f} [{low:.4f}, {high:.4f}]", size=15, color=color, anchor="end"),
            f'<line x1="{at(low):.1f}" x2="{at(high):.1f}" y1="{y + 34}" y2="{y + 34}" stroke="{color}" '
            'stroke-width="6" stroke-linecap="round"/>',
            f'<circle cx="{at(x):.1f}" cy="{y + 34}" r="9" fill="{color}"/>',
        ]
    parts += [_text(at(0), 306, "truth: both are equally good", weight=600, anchor="middle"), "</svg>"]
    return "\n".join(parts) + "\n"


def _text(
    x: float, y: float, words: str, size: int = 16, weight: int = 400, color: str = INK, anchor: str = "start"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{color}" '
        f'text-anchor="{anchor}">{words}</text>'
    )


if __name__ == "__main__":
    Path(sys.argv[1], NAME).write_text(picture(), encoding="utf-8")
