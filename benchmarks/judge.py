"""Coverage and width of corrected scores, ours beside the peers: `python -m benchmarks.judge [WHAT...]`.

paper: P = 0.4, mR = 0.9, mN = 0.8, n = 500, gold 250/250.  grid: prevalence, accuracy, sizes, gold designs, topics.
llmjudge, dl19, crowd: real labels from --data, skipped where they are not there.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np

from benchmarks import judge_real
from benchmarks.judge_draws import (
    Cheap,
    Interval,
    Tally,
    by_matrix,
    by_pairs,
    cheap,
    judgy,
    ours,
    ours_rectified,
    ppi_python,
    truescore,
    wilson,
)
from truegain.errors import TruegainError
from truegain.tables.table import Table

WHAT = ("paper", "grid", "llmjudge", "dl19", "crowd")
HEAD = ("method", "coverage", "mean width", "cpu ms a call", "refused", "draws")
PREVALENCES, ACCURACIES, SIZES, GOLD = (
    (0.02, 0.1, 0.4, 0.9),
    (0.1, 0.25, 0.5, 0.7, 0.9),
    (100, 500, 5000),
    (15, 50, 250),
)
CORRELATIONS, DESIGNS = (0.0, 0.1, 0.3), ("random", "by-bronze", "by-gold", "by-gold, shifted")
Key = tuple[str, float, float, int, int, float]


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


def grid(draws: int, seed: int) -> list[Table]:
    """Coverage of the default over the grid, by each factor, and the cells where it is lowest."""
    tallies: dict[Key, Tally] = {}
    cells = list(itertools.product(DESIGNS, PREVALENCES, ACCURACIES, SIZES, GOLD, CORRELATIONS))
    for key, child in zip(cells, np.random.SeedSequence(seed).spawn(len(cells)), strict=True):
        design, p, _, n, gold, _ = key
        if not design.startswith("by-gold") and 2 * gold > n:
            continue
        rng, tally = np.random.default_rng(child), Tally()
        for _ in range(draws):
            if design.startswith("by-gold"):
                tally.ask(lambda k=key, r=rng: by_matrix(r, k[1], k[2], k[3], k[4], k[5], "shifted" in k[0]), p)  # type: ignore[misc]
            else:
                tally.ask(lambda k=key, r=rng: by_pairs(r, k[1], k[2], k[3], k[4], k[0], k[5]), p)  # type: ignore[misc]
        tallies[key] = tally
    factors = ("gold design", "P", "D", "n", "gold per class", "intra-topic correlation")
    tables = [_by_factor(tallies, i, name) for i, name in enumerate(factors)]
    tables.append(_by_two(tallies))
    return [*tables, _worst(tallies, factors)]


def _merged(tallies: list[Tally]) -> tuple[float | None, float | None, float, int]:
    held, widths = sum(t.held for t in tallies), [w for t in tallies for w in t.widths]
    asked = sum(t.answers + t.refused for t in tallies)
    coverage, width = (held / len(widths), float(np.median(widths))) if widths else (None, None)
    return coverage, width, sum(t.refused for t in tallies) / max(asked, 1), asked


def _by_factor(tallies: dict[Key, Tally], factor: int, name: str) -> Table:
    levels = sorted({key[factor] for key in tallies}, key=lambda v: (str(type(v)), v))
    rows = [(str(level), *_merged([t for k, t in tallies.items() if k[factor] == level])) for level in levels]
    return Table((name, "coverage", "median width", "refused", "draws"), rows, title=f"grid, by {name}")


def _by_two(tallies: dict[Key, Tally]) -> Table:
    rows = [
        (
            design,
            f"{p:g}",
            f"{icc:g}",
            *_merged([t for k, t in tallies.items() if (k[0], k[1], k[5]) == (design, p, icc)]),
        )
        for design, p, icc in itertools.product(DESIGNS, PREVALENCES, CORRELATIONS)
    ]
    head = ("gold design", "P", "icc", "coverage", "median width", "refused", "draws")
    return Table(head, rows, title="grid, by design, prevalence and intra-topic correlation")


def _worst(tallies: dict[Key, Tally], factors: tuple[str, ...]) -> Table:
    """The lowest cells; with few draws a cell, chance alone puts some of them low."""
    answered = {k: t for k, t in tallies.items() if t.answers >= 10}
    lowest = sorted(answered.items(), key=lambda kt: kt[1].coverage or 0)[:15]
    rows = [(k[0], *(f"{v:g}" for v in k[1:]), t.coverage, t.answers, t.refused) for k, t in lowest]
    low = sum((t.coverage or 0) < 0.93 - 1.64 * np.sqrt(0.93 * 0.07 / t.answers) for t in answered.values())
    note = f"{low} of {len(answered)} cells are below 0.93 by more than chance (5%, one-sided) explains"
    notes = [note]
    if faults := sum(t.faults for t in tallies.values()):
        notes.append(f"{faults} of the refusals were not refusals but arithmetic errors")
    return Table((*factors, "coverage", "answers", "refused"), rows, title="grid, lowest cells", notes=tuple(notes))


def main(arguments: list[str] | None = None) -> None:
    """Run what is asked for and print its tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judge", description=__doc__)
    parser.add_argument("what", nargs="*", help=f"any of {', '.join(WHAT)}; all without any")
    parser.add_argument("--draws", type=int, help="draws a setting; defaults are kept affordable")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--format", choices=("text", "markdown"), default="text")
    given = parser.parse_args(arguments)
    unknown = set(given.what) - set(WHAT)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: give any of {', '.join(WHAT)}")
    print(_versions())
    for what in given.what or WHAT:
        try:
            if what in ("paper", "grid"):
                run, usual = {"paper": (paper, 1000), "grid": (grid, 25)}[what]
                tables = run(given.draws or usual, given.seed)
            else:
                tables = judge_real.tables(what, given.data, given.draws, given.seed)
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
