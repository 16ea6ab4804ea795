"""Many systems at once: which may be best, tiers, ranks, all with one error for the whole family."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.errors import some
from truegain.inference.study.contrasts import Contrasts
from truegain.inference.study.moves import Spread
from truegain.sampling.streams import stream_key
from truegain.tables.columns import Bools, Floats, Ints
from truegain.tables.table import Cell, Table

DRAWS = 20_000
BLOCK = 2_000_000  # numbers held at a time
NAMED = 10  # systems that the sentence names


def simultaneous_quantile(covariance: Floats, spread: Spread, asked: Contrasts, confidence: float, seed: int) -> float:
    """How many standard errors to either side hold all contrasts at once: a quantile of the largest |t|.

    Scores are drawn normal with the covariance of the study, divided by a chi of the median degrees of freedom
    (Dunnett and Sobel 1954, Biometrika 41; multivariate t), so systems that go together count together; no more than
    Sidak's. Contrasts that do not move are left out.
    """
    moving = spread.variance > 0
    if not moving.any():
        return 0.0
    rng = np.random.default_rng(stream_key(seed, "largest t", ""))
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    df = float(np.median(spread.df[moving]))
    at = np.flatnonzero(moving)
    se = np.sqrt(spread.variance[at])
    some = Contrasts(asked.a[at], asked.b[at])
    largest, rows = np.zeros(DRAWS), max(1, BLOCK // max(len(at), 1))
    for first in range(0, DRAWS, rows):
        count = min(rows, DRAWS - first)
        drawn = rng.normal(size=(count, len(root))) @ root.T
        largest[first : first + count] = (np.abs(some.values(drawn)) / se).max(axis=1)
    scale = np.sqrt(rng.chisquare(df, DRAWS) / df) if np.isfinite(df) else np.ones(DRAWS)
    return float(np.quantile(largest / scale, confidence))


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems, best first: how many are surely better and surely worse than each, tiers, and who may be best."""

    systems: tuple[str, ...]
    value: Floats
    low: Ints  # rank limits, from simultaneous intervals of the scores' differences
    high: Ints
    tier: Ints
    best: tuple[str, ...]
    measure: str = ""
    confidence: float = 0.95
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, systems: tuple[str, ...], value: Floats, ahead: Bools, *, measure: str = "", confidence: float = 0.95,
        notes: tuple[str, ...] = (),
    ) -> Ranking:  # fmt: skip
        """ahead[i, j]: whether system i is surely better than j, all pairs held at once.

        A system's rank lies between 1 + the number surely better and n - the number surely worse (Al Mohamad, Goeman
        and van Zwet 2022, Biometrika 109(1)); the first tier are those that none is surely better than, the second
        those of the rest that none of the rest is, and so on.

        >>> ahead = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0]], bool)
        >>> r = Ranking.of(("a", "b", "c"), np.array([0.1, 0.5, 0.45]), ahead)
        >>> r.best, r.tier.tolist(), r.low.tolist(), r.high.tolist()
        (('b', 'c'), [1, 1, 2], [1, 1, 3], [2, 2, 3])
        >>> print(r.sentence)
        2 of 3 systems may be best: b and c; the other one is worse (95%, all 3 pairs at once).
        """
        n = len(systems)
        order = np.argsort(-value, kind="stable")
        ahead = ahead[np.ix_(order, order)]
        tier, left, number = np.zeros(n, np.int64), np.ones(n, np.bool_), 0
        while left.any():
            number += 1
            top = left & ~(ahead & left[:, None]).any(axis=0)
            top = top if top.any() else left
            tier[top], left = number, left & ~top
        names = tuple(systems[i] for i in order)
        low, high = 1 + ahead.sum(axis=0), n - ahead.sum(axis=1)
        best = tuple(s for s, t in zip(names, tier, strict=True) if t == 1)
        return cls(names, value[order], low, high, tier, best, measure, confidence, notes)

    @property
    def sentence(self) -> str:
        """Who may be best, and no more than that."""
        n, k, on = len(self.systems), len(self.best), f" on {self.measure}" if self.measure else ""
        pairs = "the pair" if n == 2 else f"all {n * (n - 1) // 2} pairs at once"
        sure = f"({100 * self.confidence:g}%, {pairs})"
        if n == 1:
            return f"{self.systems[0]} is the only system."
        if k == n:
            return f"Any of the {n} systems may be best{on}: none is told apart from the best {sure}."
        named = f"{', '.join(self.best[:-1])} and {self.best[-1]}" if 1 < k <= NAMED else some(self.best, NAMED)
        first = f"Only {named} may be best" if k == 1 else f"{k} of {n} systems may be best"
        listed = "" if k == 1 else f": {named}"
        others = "the other one is worse" if n - k == 1 else "each of the others is worse than some other system"
        return f"{first}{on}{listed}; {others} {sure}."

    def table(self) -> Table:
        """A row a system, best first: its value, the limits of its rank, its tier."""
        rows: list[tuple[Cell, ...]] = [
            (s, float(v), int(low), int(high), int(tier))
            for s, v, low, high, tier in zip(
                self.systems, self.value, self.low, self.high, self.tier, strict=True
            )
        ]  # fmt: skip
        columns = ("system", self.measure or "value", "rank from", "rank to", "tier")
        return Table(columns, rows, {}, self.sentence, self.notes)

    def to_dict(self) -> dict[str, object]:
        """Everything, for programs."""
        rows = [
            {"system": s, "value": v, "rank_low": low, "rank_high": high, "tier": tier}
            for s, v, low, high, tier in self.table().rows
        ]
        return {"sentence": self.sentence, "measure": self.measure, "confidence": self.confidence,
                "best": list(self.best), "systems": rows, "notes": list(self.notes)}  # fmt: skip

    def __str__(self) -> str:
        return str(self.table())
