"""Coverage of the default interval over a grid of settings: prevalence, accuracy, sizes, gold designs, topics."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from benchmarks.judge.draws import Tally, by_matrix, by_pairs
from truegain.results.base import Table

DESIGNS = ("random", "by-bronze", "by-gold", "by-gold, shifted")
PREVALENCES = (0.02, 0.1, 0.4, 0.9)
ACCURACIES = (0.1, 0.25, 0.5, 0.7, 0.9)
SIZES, GOLD = (100, 500, 5000), (15, 50, 250)
CORRELATIONS = (0.0, 0.1, 0.3)
FACTORS = ("gold design", "P", "D", "n", "gold per class", "intra-topic correlation")
WANTED, SUSPECT = 0.93, 0.95
Key = tuple[str, float, float, int, int, float]
Cell = tuple[Key, int, np.random.SeedSequence]


def grid(draws: int, seed: int, again: int = 2000) -> list[Table]:
    """By each factor; then the cells that came out below 0.95, drawn `again` times more with seeds of their own.

    The lowest of many cells is low by chance; only the second, fresh draws say how low it is.
    """
    keys = [k for k in itertools.product(DESIGNS, PREVALENCES, ACCURACIES, SIZES, GOLD, CORRELATIONS) if possible(k)]
    first, second = np.random.SeedSequence(seed).spawn(2)
    tallies = drawn(keys, draws, first)
    suspects = [k for k, t in tallies.items() if t.coverage is not None and t.coverage < SUSPECT]
    fresh = drawn(suspects, again, second)
    factors = [_by_factor(tallies, i, name) for i, name in enumerate(FACTORS)]
    return [*factors, _by_three(tallies), _lowest(fresh, len(keys))]


def possible(key: Key) -> bool:
    """Gold drawn among the labeled pairs takes at most all of them."""
    design, _, _, n, gold, _ = key
    return design.startswith("by-gold") or 2 * gold <= n


def drawn(keys: list[Key], draws: int, seed: np.random.SeedSequence) -> dict[Key, Tally]:
    """So many draws of each cell, on all cores."""
    cells = [(key, draws, child) for key, child in zip(keys, seed.spawn(len(keys)), strict=True)]
    with ProcessPoolExecutor() as pool:
        return dict(zip(keys, pool.map(_cell, cells, chunksize=8), strict=True))


def _cell(cell: Cell) -> Tally:
    (design, p, d, n, gold, icc), draws, seed = cell
    rng, tally = np.random.default_rng(seed), Tally()
    for _ in range(draws):
        if design.startswith("by-gold"):
            tally.ask(lambda: by_matrix(rng, p, d, n, gold, icc, "shifted" in design), p)
        else:
            tally.ask(lambda: by_pairs(rng, p, d, n, gold, design, icc), p)
    return tally


def _merged(several: Iterable[Tally]) -> tuple[float | None, float | None, float, int]:
    tallies = list(several)
    held, widths = sum(t.held for t in tallies), [w for t in tallies for w in t.widths]
    asked = sum(t.answers + t.refused for t in tallies)
    coverage, width = (held / len(widths), float(np.median(widths))) if widths else (None, None)
    return coverage, width, sum(t.refused for t in tallies) / max(asked, 1), asked


def _by_factor(tallies: dict[Key, Tally], factor: int, name: str) -> Table:
    levels = sorted({key[factor] for key in tallies}, key=lambda v: (str(type(v)), v))
    rows = [(str(level), *_merged(t for k, t in tallies.items() if k[factor] == level)) for level in levels]
    return Table((name, "coverage", "median width", "refused", "draws"), rows, title=f"grid, by {name}")


def _by_three(tallies: dict[Key, Tally]) -> Table:
    rows = [
        (*map(str, chosen), *_merged(t for k, t in tallies.items() if (k[0], k[1], k[5]) == chosen))
        for chosen in itertools.product(DESIGNS, PREVALENCES, CORRELATIONS)
    ]
    head = ("gold design", "P", "icc", "coverage", "median width", "refused", "draws")
    return Table(head, rows, title="grid, by design, prevalence and intra-topic correlation")


def _lowest(fresh: dict[Key, Tally], cells: int) -> Table:
    answered = {k: t for k, t in fresh.items() if t.answers}
    lowest = sorted(answered.items(), key=lambda kt: kt[1].coverage or 0)
    rows = [
        (k[0], *(f"{v:g}" for v in k[1:]), t.coverage, np.sqrt(WANTED * (1 - WANTED) / t.answers), t.answers, t.refused)
        for k, t in lowest[:15]
    ]
    below = [t for t in answered.values() if (t.coverage or 0) < WANTED]
    surely = sum((t.coverage or 0) < WANTED - 1.645 * np.sqrt(WANTED * (1 - WANTED) / t.answers) for t in below)
    notes = [
        f"{cells} cells; {len(fresh)} came out below {SUSPECT} and were drawn again with fresh seeds: now {len(below)} "
        f"are below {WANTED}, {surely} of them by more than chance explains (5%, one-sided)"
    ]
    if faults := sum(t.faults for t in fresh.values()):
        notes.append(f"{faults} of the refusals were not refusals but arithmetic errors")
    columns = (*FACTORS, "coverage", "its error at 0.93", "answers", "refused")
    return Table(columns, rows, title="grid, lowest cells, fresh draws", notes=tuple(notes))
