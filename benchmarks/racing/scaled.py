"""A ladder: the same work at sizes 1x, 2x, 4x, 8x, and how its time grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.racing.growth import growth
from benchmarks.racing.turns import Entry

STEPS = (1, 2, 4, 8)


@dataclass(frozen=True)
class Scaled:
    """What a ladder took: for each size, seconds and processor seconds of every repetition, and peak memory."""

    name: str
    what: str
    unit: str
    sizes: list[int]
    seconds: list[list[float]]
    cpu: list[list[float]]
    peak: list[float]
    fault: str | None = None

    @classmethod
    def of(cls, name: str, what: str, unit: str, sizes: Sequence[int], entries: Sequence[Entry]) -> Scaled:
        """From the repetitions; sizes that failed are left out, and told."""
        there = [(s, e) for s, e in zip(sizes, entries, strict=True) if e.took]
        faults = [f"{e.name}: {e.fault}" for e in entries if e.fault]
        return cls(
            name,
            what,
            unit,
            [s for s, _ in there],
            [[o.seconds for o in e.took] for _, e in there],
            [[o.cpu for o in e.took] for _, e in there],
            [e.peak for _, e in there],
            "; ".join(faults) or None,
        )

    def exponent(self, times: Sequence[Sequence[float]]) -> str:
        """Of the one clock or the other; every repetition is a point."""
        points = [(s, t) for s, several in zip(self.sizes, times, strict=True) for t in several]
        if len(set(self.sizes)) < 2:
            return "not measured"
        return str(growth([s for s, _ in points], [t for _, t in points]))


def growth_table(ladders: Sequence[Scaled]) -> list[str]:
    """In Markdown: a row a ladder, median seconds at each size, exponents with their standard errors."""
    lines = [
        "| growing | 1x | median s at 1x, 2x, 4x, 8x | exponent, clock | exponent, CPU | peak MB at 1x, 8x | work |",
        "|---|---:|---|---:|---:|---|---|",
    ]
    for s in ladders:
        if not s.sizes:
            lines.append(f"| {s.unit} | | | | | | {s.what}: {s.fault} |")
            continue
        times = ", ".join(f"{median(t):.3f}" for t in s.seconds)
        peaks = f"{s.peak[0]:,.0f}, {s.peak[-1]:,.0f}"
        said = s.what + (f" ({s.fault})" if s.fault else "")
        cells = (s.unit, f"{s.sizes[0]:,}", times, s.exponent(s.seconds), s.exponent(s.cpu), peaks, said)
        lines.append(f"| {' | '.join(cells)} |")
    return lines
