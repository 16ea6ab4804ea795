"""`benchmarks/results.md`: what was measured last, races and growth, from what the runs left in the work folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.racing.outcome import Outcome, table
from benchmarks.racing.scaled import Scaled, growth_table

RESULTS = Path(__file__).parents[1] / "results.md"
HEAD = """# What was measured

Written by `make bench`; [README.md](README.md) says how, and how to read it. Ratios are to truegain, of medians: more
than 1 is slower than truegain.
"""


def described(told: Mapping[str, Any]) -> str:
    """On what, when, with which versions."""
    m = told["machine"]
    load = ", ".join(f"{x:.2f}" for x in m["load"])
    peers = ", ".join(f"{name} {version}" for name, version in told["versions"].items())
    changed = ", with changes that are not committed" if told["changed"] else ""
    return (
        f"{told['date']}; truegain {told['version']}, commit {told['commit'][:12]}{changed}; {m['system']}, processor "
        f"{m['processor']}, {m['cores']} cores, {m['memory_gb']} GB; load when it began {load}{busy(m)}; python "
        f"{m['python']}, {peers}; {told['repeat']} repetitions each."
    )


def busy(m: Mapping[str, Any]) -> str:
    """A word where others were at work: half a core or more in the minutes before."""
    said = " (the machine had other work: go by the CPU ratio, and measure again on a quiet one)"
    return said if m["load"][1] >= 0.5 else ""


def races(told: Mapping[str, Any]) -> list[str]:
    """The table of all contestants, what each workload is, and which answers differ."""
    outcomes = [Outcome.from_dict(o) for o in told["outcomes"]]
    differ = [f"- `{o.workload}`: {line}" for o in outcomes for line in o.differences]
    return [
        "## All peers, all workloads",
        "",
        described(told),
        "",
        *table(outcomes),
        "",
        *[f"- `{o.workload}`: {o.what}." for o in outcomes],
        "",
        *([f"Not measured yet: {', '.join(told['left'])}.", ""] if told.get("left") else []),
        *(["Answers that differ from truegain's by more than they may:", "", *differ] if differ else AGREE),
        "",
    ]


AGREE = ["The answers of all contestants agree."]


def growths(told: Mapping[str, Any]) -> list[str]:
    """The table of growth."""
    return [
        "## How time grows",
        "",
        described(told),
        "",
        *growth_table([Scaled(**s) for s in told["ladders"]]),
        "",
    ]


def text(folder: Path) -> str:
    """The whole page."""
    lines: list[str] = [HEAD]
    for name, part in (("results.json", races), ("scaling.json", growths)):
        if (folder / name).exists():
            lines += part(json.loads((folder / name).read_text()))
    return "\n".join(lines).rstrip() + "\n"


def write(folder: Path, path: Path = RESULTS) -> None:
    """Write it beside its place, then rename."""
    beside = path.with_suffix(".tmp")
    beside.write_text(text(folder))
    beside.replace(path)


def kept(path: Path, about: Mapping[str, Any], **more: Sequence[Any]) -> None:
    """What the page is made from: every single repetition."""
    path.write_text(json.dumps({**about, **more}, indent=1) + "\n")
