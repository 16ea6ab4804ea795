"""Coverage and width of corrected scores, ours beside the peers: `python -m benchmarks.judge [WHAT...]`.

paper: P = 0.4, mR = 0.9, mN = 0.8, n = 500, gold 250/250.  grid: prevalence, accuracy, sizes, gold designs, topics.
together: resamples where gold is of the documents scored.
llmjudge, dl19, crowd, icc: real labels from --data, skipped where they are not there.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np

from benchmarks.judge import real
from benchmarks.judge.draws import (
    Cheap,
    Interval,
    Tally,
    cheap,
    judgy,
    ours,
    ours_rectified,
    ppi_python,
    truescore,
    wilson,
)
from benchmarks.judge.grid import grid
from benchmarks.judge.together import together
from truegain.errors import TruegainError
from truegain.results.base import Table

WHAT = ("paper", "grid", "together", "llmjudge", "dl19", "crowd", "icc")
HEAD = ("method", "coverage", "mean width", "cpu ms a call", "refused", "draws")


def contestants() -> dict[str, Callable[[Cheap], Interval]]:
    """All that can be had, by name; what is not installed is told."""
    known: dict[str, Callable[[Cheap], Interval]] = {
        "truegain, default": ours("default"),
        "truegain, lang-reiczigel": ours("lang-reiczigel"),
        "truegain, fieller": ours("fieller"),
        "truegain, delta (the paper's)": ours("delta"),
        "truegain, rectified": ours_rectified,
        "gold only": lambda d: wilson(d.gold),
        "uncorrected": lambda d: wilson(d.bronze),
    }
    peers: dict[str, Callable[[], Callable[[Cheap], Interval]]] = {
        "judgy": lambda: judgy(1000),
        "ppi-python": ppi_python,
        "truescore, rogan-gladen": lambda: truescore("rogan-gladen"),
        "truescore, ppi": lambda: truescore("ppi"),
    }
    for name, peer in peers.items():
        try:
            known[name] = peer()
        except (ImportError, AttributeError) as error:  # not installed, or broken by what is installed beside it
            print(f"{name} cannot be imported ({error}); it takes no part")
    return known


def paper(draws: int, seed: int) -> list[Table]:
    """The setting of the issue, with gold by class as given, and with gold drawn at random as PPI needs it."""
    tables = []
    for title, by_class in (("gold 250 relevant, 250 not", True), ("gold 500 at random", False)):
        tallies = {name: (answer, Tally()) for name, answer in contestants().items()}
        for child in np.random.SeedSequence(seed).spawn(draws):
            rng = np.random.default_rng(child)
            gold = np.repeat([1.0, 0.0], 250) if by_class else (rng.random(500) < 0.4).astype(np.float64)
            drawn = cheap(rng, 0.4, 0.9, 0.8, 500, gold)
            for answer, tally in tallies.values():
                tally.ask(lambda answer=answer, drawn=drawn: answer(drawn), 0.4)  # type: ignore[misc]
        rows = [tally.row(name) for name, (_, tally) in tallies.items()]
        tables.append(
            Table(HEAD, rows, title=f"P = 0.4, mR = 0.9, mN = 0.8, n = 500, {title}", notes=_judgy_time(seed))
        )
    return tables


def _judgy_time(seed: int) -> tuple[str, ...]:
    """How long judgy takes as it comes; in the table it has 1,000 iterations, so that all draws can be afforded."""
    try:
        answer = judgy(20_000)
    except ImportError:
        return ()
    rng, tally = np.random.default_rng(seed), Tally()
    for _ in range(3):
        drawn = cheap(rng, 0.4, 0.9, 0.8, 500, np.repeat([1.0, 0.0], 250))
        tally.ask(lambda drawn=drawn: answer(drawn), 0.4)  # type: ignore[misc]
    return (
        f"judgy has 1,000 bootstrap iterations here; with its default of 20,000 a call takes {tally.seconds / 3:.2f} s",
    )


MADE = {"paper": (paper, 1000), "grid": (grid, 200), "together": (together, 300)}


def main(arguments: list[str] | None = None) -> None:
    """Run what is asked for and print its tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judge", description=__doc__)
    parser.add_argument("what", nargs="*", help=f"any of {', '.join(WHAT)}; all without any")
    parser.add_argument("--draws", type=int, help="draws a setting; defaults are kept affordable")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared" / "data")
    parser.add_argument("--format", choices=("text", "markdown"), default="text")
    given = parser.parse_args(arguments)
    unknown = set(given.what) - set(WHAT)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: give any of {', '.join(WHAT)}")
    print(_versions())
    for what in given.what or WHAT:
        try:
            if what in MADE:
                run, usual = MADE[what]
                tables = run(given.draws or usual, given.seed)
            else:
                tables = real.tables(what, given.data, given.draws, given.seed)
        except TruegainError as error:
            print(f"{what}: skipped, {error}\n")
            continue
        for table in tables:
            print(table.markdown() if given.format == "markdown" else table.text(), flush=True)


def _versions() -> str:
    found = []
    for name in ("truegain", "judgy", "ppi-python", "truescore", "numpy", "scipy"):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found) + "\n"


if __name__ == "__main__":
    main()
