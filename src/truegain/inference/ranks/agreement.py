"""Do two score vectors order the systems alike?  Every statistic of it in one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegain.errors import TruegainError, check_one_of
from truegain.inference.monte_carlo import check_replicates
from truegain.inference.ranks.rbo import check_p, rbo, top_overlap
from truegain.inference.ranks.tau import (
    METHODS,
    TauMethod,
    first_ranks,
    kendall_tau,
    paired,
    tau_ap_walking,
    tau_interval,
)
from truegain.inference.results import Estimate
from truegain.measures.topic_means import settled
from truegain.student import check_confidence
from truegain.tables.columns import Floats
from truegain.tables.table import Cell, Shown, Table

WIDE = (
    "measure", "a", "b", "systems", "tau", "variant", "low", "high", "confidence", "method", "tau_a", "tau_b",
    "tau_ap_walking_b", "tau_ap_walking_a", "rbo_p", "rbo", "rbo_min", "rbo_max", "top", "top_overlap",
    "pairs", "swapped", "tied",
)  # fmt: skip
MOVES = ("measure", "system", "rank_a", "rank_b", "moves", "score_a", "score_b")


@dataclass(frozen=True)
class RankOptions:
    """How two orders are compared: the interval of tau, how many systems the top holds, the p of RBO.

    method, confidence, replicates, seed: those of `tau_interval`.
    """

    method: TauMethod = "wilson"
    confidence: float = 0.95
    top: int = 10
    rbo_p: float = 0.9
    replicates: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if self.top < 1:
            raise TruegainError(f"the top {self.top} holds no system; give at least 1")
        check_p("rbo_p", self.rbo_p)
        check_one_of("interval of tau", self.method, METHODS)
        if self.method == "bootstrap":
            check_replicates(self.replicates, self.confidence)


@dataclass(frozen=True, eq=False, repr=False)
class RankAgreement(Shown):
    """How far `a` and `b` order the same systems alike.

    tau: Kendall's tau with its interval; tau_b and tau_a: both variants; tau_ap_walking_b: AP correlation when the
    ranking by b is walked, a being the truth, tau_ap_walking_a the other way round; rbo: rank-biased overlap of the
    rankings; top_overlap: share of the `top` best in common; swapped: pairs in opposite order; tied: pairs equal on
    one side or both.  Ranks start at 1; equal scores share the best of their ranks.
    """

    measure: str
    a: str
    b: str
    systems: tuple[str, ...]
    scores_a: Floats
    scores_b: Floats
    tau: Estimate  # its measure is tau-a or tau-b
    tau_b: float
    tau_a: float
    tau_ap_walking_b: float
    tau_ap_walking_a: float
    rbo: Estimate  # its limits are the least and the most there can be
    rbo_p: float
    top: int
    top_overlap: float
    swapped: int
    tied: int
    notes: tuple[str, ...] = ()

    @property
    def pairs(self) -> int:
        """All pairs of systems."""
        return len(self.systems) * (len(self.systems) - 1) // 2

    @property
    def in_common(self) -> int:
        """How many systems are among the best of both."""
        return round(self.top_overlap * self.top)

    def moves(self, most: int = 5) -> list[tuple[str, int, int]]:
        """The systems that change place most, with their ranks by a and by b."""
        a, b = first_ranks(self.scores_a), first_ranks(self.scores_b)
        order = np.lexsort((a, -np.abs(a - b)))[:most]
        return [(self.systems[i], int(a[i]), int(b[i])) for i in order if a[i] != b[i]]

    @property
    def made_by(self) -> dict[str, object]:
        """How it was made."""
        return {"method": self.tau.method, "confidence": self.tau.confidence, "top": self.top, "rbo_p": self.rbo_p}

    def in_short(self) -> str:
        """Tau with its interval, and how many pairs are swapped."""
        return str(self)

    def row(self) -> tuple[Cell, ...]:
        """All statistics in one row, under the names of `WIDE`."""
        t, r = self.tau, self.rbo
        return (
            self.measure, self.a, self.b, len(self.systems), t.value, t.measure[-1], t.low, t.high, t.confidence,
            t.method, self.tau_a, self.tau_b, self.tau_ap_walking_b, self.tau_ap_walking_a, self.rbo_p, r.value, r.low,
            r.high,
            self.top, self.top_overlap, self.pairs, self.swapped, self.tied,
        )  # fmt: skip

    def table(self) -> Table:
        """One statistic a row, for people."""
        t, r = self.tau, self.rbo
        about = f"{100 * t.confidence:g}% interval, {t.method}"
        rows: list[tuple[Cell, ...]] = [
            (t.measure, t.value, t.low, t.high, about),
            ("tau-a", self.tau_a, None, None, "") if t.measure == "tau-b" else ("tau-b", self.tau_b, None, None, ""),
            (f"tau_AP, {self.a} is true", self.tau_ap_walking_b, None, None, f"walks the ranking by {self.b}"),
            (f"tau_AP, {self.b} is true", self.tau_ap_walking_a, None, None, f"walks the ranking by {self.a}"),
            (f"RBO, p = {self.rbo_p:g}", r.value, r.low, r.high, "extrapolated, least and most"),
            (f"top {self.top} in common", self.top_overlap, None, None, f"{self.in_common} systems"),
            ("pairs swapped", self.swapped / self.pairs, None, None, f"{self.swapped} of {self.pairs}{self._tied()}"),
        ]
        of = f"{self.measure}: " if self.measure else ""  # two measures have their names as a and b
        title = f"{of}{len(self.systems)} systems by {self.a} and by {self.b}"
        return Table(("statistic", "value", "low", "high", "about"), rows, self.made_by, title, self.notes)

    def _tied(self) -> str:
        return f", {self.tied} tied" if self.tied else ""

    def moves_table(self, most: int = 5) -> Table:
        """The systems that change place most."""
        where = {s: i for i, s in enumerate(self.systems)}
        rows: list[tuple[Cell, ...]] = [
            (self.measure, s, a, b, f"{a - b:+d}", float(self.scores_a[where[s]]), float(self.scores_b[where[s]]))
            for s, a, b in self.moves(most)
        ]
        title = f"Largest changes of place from {self.a} to {self.b}"
        return Table(MOVES, rows, title=title)

    def __str__(self) -> str:
        of = f"{self.measure}, " if self.measure else ""  # two measures have their names as a and b
        how = f"{of}{self.a} and {self.b}, {len(self.systems)} systems"
        return f"{how}: {self.tau}; {self.swapped} of {self.pairs} pairs swapped"


def agreement(
    systems: Sequence[str],
    scores_a: Floats,
    scores_b: Floats,
    *,
    measure: str = "",
    names: tuple[str, str] = ("a", "b"),
    options: RankOptions | None = None,
) -> RankAgreement:
    """Compare the orders of systems by two score vectors; scores equal to 12 decimals tie.

    >>> found = agreement(["x", "y", "z", "w"], np.array([4.0, 3, 2, 1]), np.array([4.0, 2, 3, 1]), measure="AP")
    >>> print(found)
    AP, a and b, 4 systems: tau-b 0.6667 [-0.3421, 0.9615] 95% over systems, wilson; 1 of 6 pairs swapped
    """
    a, b = (settled(v) for v in paired(scores_a, scores_b, least=3))
    o = options or RankOptions()
    tau = tau_interval(a, b, o.method, confidence=o.confidence, replicates=o.replicates, seed=o.seed)
    first, second = ranking(systems, a), ranking(systems, b)
    upper = np.triu_indices(len(a), 1)
    da, db = ((v[:, None] - v[None, :])[upper] for v in (a, b))
    tied = int(((da == 0) | (db == 0)).sum())
    ties = [f"{n} by {name}" for v, name in ((a, names[0]), (b, names[1])) if (n := len(v) - len(np.unique(v)))]
    notes = list(tau.notes)
    if ties:
        notes.append(f"Some systems tie ({', '.join(ties)}): RBO and the top order them by name; the taus know ties.")
    kept = min(o.top, len(a))
    return RankAgreement(
        measure, *names, tuple(systems), a, b, tau, kendall_tau(a, b, "b"), kendall_tau(a, b, "a"),
        tau_ap_walking(a, b), tau_ap_walking(b, a), rbo(first, second, o.rbo_p), o.rbo_p, kept,
        top_overlap(first, second, kept), int((da * db < 0).sum()), tied, tuple(notes),
    )  # fmt: skip


def ranking(systems: Sequence[str], scores: Floats) -> list[str]:
    """Systems, best first; equal ones by name.

    >>> ranking(["b", "a", "c"], np.array([1.0, 1.0, 2.0]))
    ['c', 'a', 'b']
    """
    return [s for _, s in sorted(zip((-scores).tolist(), systems, strict=True))]
