"""`benchmarks/history.jsonl`: a line each run; what was measured, of which commit, on what kind of machine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.racing.outcome import Outcome

HISTORY = Path(__file__).parents[1] / "history.jsonl"


def entry_of(outcomes: Sequence[Outcome], about: Mapping[str, Any]) -> dict[str, Any]:
    """A line; `about` is what `machine.about` told when the run began."""
    calibration = [s for o in outcomes for s in o.calibration]
    return {
        **{key: about[key] for key in ("date", "commit", "changed", "version", "machine", "repeat")},
        "calibration_seconds": round(median(calibration), 4) if calibration else None,
        "workloads": {o.workload: h for o in outcomes if (h := o.history())},
    }


def append(entry: Mapping[str, Any], path: Path = HISTORY) -> None:
    """Add a line, where anything was measured."""
    if entry["workloads"]:
        with path.open("a") as stream:
            stream.write(json.dumps(entry) + "\n")


def last(path: Path = HISTORY) -> dict[str, Any] | None:
    """The last line, or None."""
    lines = path.read_text().splitlines() if path.exists() else []
    found: dict[str, Any] | None = json.loads(lines[-1]) if lines else None
    return found
