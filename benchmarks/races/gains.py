"""A million ratings become gains: the whole command, which no peer has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.races.ratings_files import made
from benchmarks.races.scoring import ours
from benchmarks.racing.contest import US, Command, Workload, silent


def _words(place: Path, options: Sequence[str]) -> Sequence[str | Path]:
    return ours("aggregate", str(place / "ratings.csv"), *options, "-o", str(place / "gains.qrels"))


def _workload(name: str, what: str, kind: str, *options: str) -> Workload:
    entrant = Command(partial(_words, options=options), silent)
    return Workload(name, what, partial(made, kind=kind), {US: entrant})


GRADES = _workload(
    "gains",
    "a million grades by 2,000 assessors become gains by unanimity; the whole command",
    "grades",
    *("--aggregate", "unanimity", "--scale", "ordinal 0:3"),
)
MAGNITUDES = _workload(
    "magnitudes",
    "a million magnitudes, all distinct, become gains; the whole command",
    "magnitudes",
    *("--normalize", "geometric"),
)
