"""Repeats every world's study and counts; the numbers do not depend on how many processes work at it."""

from __future__ import annotations

import argparse
import importlib
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.coverage.worlds import Seen, World
from truegain.parallel.jobs import Local

FAMILIES = (
    "topics",
    "collection",
    "few_relevant",
    "comparisons",
    "confusion",
    "gold_topics",
    "nuggets",
    "agreement",
    "preferences",
)  # a file of this folder each
BLOCK = 20  # studies in one piece of work
ACCEPTED = (0.92, 0.98)


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    family: str
    world: str
    answer: str
    studies: int
    refused: int
    inside: float
    width: float
    ratio: float = float("nan")  # variance over the true one, in the mean of the studies
    found: float = float("nan")  # share of the studies that told a real difference

    @property
    def out(self) -> bool:
        """Whether the cell lies outside of what 95% may mean."""
        return not ACCEPTED[0] <= self.inside <= ACCEPTED[1]

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the share."""
        answered = max(1, self.studies - self.refused)
        return float(np.sqrt(max(self.inside * (1 - self.inside), 0.25 / answered) / answered))


def asked(package: str, doc: str | None, families: Sequence[str], seed: int, *others: str) -> argparse.Namespace:
    """What the command line asks for: families of worlds (all without), or one of `others`; studies, seed, jobs."""
    parser = argparse.ArgumentParser(prog=f"python -m {package}", description=doc)
    known = (*families, *others)
    parser.add_argument("what", nargs="*", help=f"one or more of {', '.join(known)}; without, {', '.join(families)}")
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--only", default="", help="worlds whose name holds this text")
    given = parser.parse_args()
    if unknown := set(given.what) - set(known):
        parser.error(f"{', '.join(sorted(unknown))} is not known; there are {', '.join(known)}")
    given.what = given.what or list(families)
    return given


def worlds_of(family: str, package: str = "benchmarks.coverage") -> tuple[World, ...]:
    """The worlds of a file of a folder."""
    return tuple(importlib.import_module(f"{package}.{family}").WORLDS)


def coverage(families: Sequence[str], studies: int, seed: int, jobs: int | None, only: str = "") -> list[Row]:
    """Rows for every answer of every world, cells outside of 92-98% first."""
    seen = seen_in("benchmarks.coverage", families, studies, seed, jobs, only)
    return in_order(_row(*key, ones) for key, ones in seen.items())


def seen_in(
    package: str, families: Sequence[str], studies: int, seed: int, jobs: int | None, only: str = ""
) -> dict[tuple[str, str, str], list[Any]]:
    """What was seen in every study, by family, world and answer."""
    chosen = [(f, i) for f in families for i, w in enumerate(worlds_of(f, package)) if only in w.name]
    pieces = [(f, i, at, min(at + BLOCK, studies)) for f, i in chosen for at in range(0, studies, BLOCK)]
    engine = Local(jobs, kind="processes")
    seen: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
    for (family, index, *_), found in zip(pieces, engine.run(_work, pieces, shared=(package, seed)), strict=True):
        world = worlds_of(family, package)[index]
        for study in found:
            for answer, one in study.items():
                seen[family, world.name, answer].append(one)
    return seen


def _work(shared: tuple[str, int], piece: tuple[str, int, int, int], _: np.random.SeedSequence) -> list[dict[str, Any]]:
    (package, seed), (family, index, first, last) = shared, piece
    world = worlds_of(family, package)[index]
    name = zlib.crc32(f"{family}/{world.name}".encode())
    return [dict(world.study(np.random.default_rng([seed, name, number]))) for number in range(first, last)]


def _row(family: str, world: str, answer: str, ones: Sequence[Seen | None]) -> Row:
    told = [one for one in ones if one is not None]
    inside = float(np.mean([one.inside for one in told])) if told else float("nan")
    width = float(np.median([one.width for one in told])) if told else float("nan")
    ratio, found = (
        float(np.mean(x)) if told else float("nan") for x in ([o.ratio for o in told], [o.found for o in told])
    )
    return Row(family, world, answer, len(ones), len(ones) - len(told), inside, width, ratio, found)


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Cells outside of 92-98% first, the lowest coverage first; the others by family and world."""
    return sorted(rows, key=lambda r: (not r.out, r.inside if r.out else 0.0, r.family, r.world, r.answer))
