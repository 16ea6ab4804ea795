"""What a race was: numbers that can be kept as JSON, and told in a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from benchmarks.racing.contest import US
from benchmarks.racing.turns import Entry


@dataclass(frozen=True)
class Row:
    """A contestant: seconds of every repetition, or why there are none."""

    contestant: str
    seconds: list[float]
    cpu: list[float]
    start: list[float]
    peak: float | None
    fault: str | None
    note: str

    @classmethod
    def of(cls, entry: Entry) -> Row:
        """From its repetitions."""
        starts = [o.start for o in entry.took if o.start is not None]
        peak = entry.peak if entry.took else None
        fault = entry.fault if not entry.took else None
        times = [o.seconds for o in entry.took], [o.cpu for o in entry.took]
        return cls(entry.name, *times, starts, peak, fault, entry.note)


@dataclass(frozen=True)
class Outcome:
    """A workload: who took part, what the calibration loop took in the same turns, and which answers differ."""

    workload: str
    what: str
    rows: list[Row]
    calibration: list[float]
    differences: list[str]
    facts: dict[str, float] = field(default_factory=dict)

    @property
    def ours(self) -> Row | None:
        """Our own row, where it ran."""
        return next((r for r in self.rows if r.contestant == US and r.seconds), None)

    def history(self) -> dict[str, float] | None:
        """What is kept of it: our seconds, and how many calibration loops they are."""
        if self.ours is None:
            return None
        loops = [s / c for s, c in zip(self.ours.seconds, self.calibration, strict=False)]
        assert self.ours.peak is not None
        return {
            "seconds": round(median(self.ours.seconds), 4),
            "cpu_seconds": round(median(self.ours.cpu), 4),
            "loops": round(median(loops), 4),
            "peak_mb": round(self.ours.peak),
        }

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> Outcome:
        """From JSON."""
        return cls(**{**told, "rows": [Row(**row) for row in told["rows"]]})


HEAD = ("workload", "contestant", "median s", "ratio", "min s", "CPU s", "CPU ratio", "import s", "peak MB", "")


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """One table in Markdown: a row a contestant, ratios to ours of medians; those missing with the reason."""
    lines = [f"| {' | '.join(HEAD)} |", "|---|---|" + "---:|" * 7 + "---|"]
    for outcome in outcomes:
        ours = outcome.ours
        for i, row in enumerate(outcome.rows):
            name = f"`{outcome.workload}`" if i == 0 else ""
            if not row.seconds:
                lines.append(f"| {name} | {row.contestant} | | | | | | | | {row.fault} |")
                continue
            ratio = _ratio(row.seconds, ours.seconds) if ours else "-"
            cpu_ratio = _ratio(row.cpu, ours.cpu) if ours else "-"
            start = f"{median(row.start):.2f}" if row.start else "in all"
            cells = (
                f"{median(row.seconds):.3f}", ratio, f"{min(row.seconds):.3f}", f"{median(row.cpu):.3f}", cpu_ratio,
                start, f"{row.peak:,.0f}", row.note,
            )  # fmt: skip
            lines.append(f"| {name} | {row.contestant} | {' | '.join(cells)} |")
    return lines


def _ratio(theirs: Sequence[float], ours: Sequence[float]) -> str:
    return f"{median(theirs) / median(ours):.2f}"
