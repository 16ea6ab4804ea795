"""Many systems at once: which may be best, tiers, ranks, all with one error for the whole family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from truegain.contrasts import Contrasts
from truegain.errors import some
from truegain.moves import Spread
from truegain.sampling.streams import generator
from truegain.tables.columns import Bools, Floats, Ints, frozen
from truegain.tables.models_used import by_unchecked
from truegain.tables.table import Cell, Shown, Table

DRAWS = (2_000, 20_000)  # fewest and most
WORK = 2_000_000_000  # products that all draws may take, above the fewest
MOST_FREEDOM = 60  # beyond which standard errors are as good as known
NO_VARIANCE = 1e-12  # of the largest: what is below is rounding
BLOCK = 2_000_000  # numbers held at a time
NAMED = 10  # systems that the sentence names
TIERS = "A tier holds its best system and every system that is not significantly worse than that one."
ZERO = "; unjudged documents count as not relevant"
PICKED = (
    "These two were chosen by their scores, but this verdict is for a pair chosen in advance. The ranking allows for "
    "all pairs."
)
# there are none; whatever their labels; so of those in the first ranks alone; counted as not relevant
HolesHeld = Literal["", "bound", "first", "zero"]


def largest_t(covariance: Floats, spread: Spread, asked: Contrasts, seed: int) -> Floats:
    """Draws of the largest |t| of all contrasts, were none of them different from 0.

    A quantile of it is how many standard errors to either side hold all contrasts at once.

    Scores are drawn normal with the covariance V of the study, and each contrast is divided by a standard error of its
    own from as many units as there are degrees of freedom k (their median):

        t_c = c'z / sqrt(c'Wc),  z ~ N(0, V),  W ~ Wishart(k, V)/k

    so systems that go together count together, and each pair errs in its own standard error: 8 equal systems on 25
    topics were told apart in 6.3% of 600 studies at 95%, with one standard error for all (the multivariate t of Dunnett
    and Sobel 1954, Biometrika 41) in 7.8%. Contrasts that do not move are left out.
    """
    moving = np.flatnonzero(spread.variance > 0)
    if not len(moving):
        return np.zeros(1)
    some = Contrasts(asked.a[moving], asked.b[moving])
    values, vectors = np.linalg.eigh(covariance)
    kept = values > NO_VARIANCE * values.max()
    root = (vectors[:, kept] * np.sqrt(values[kept])).T
    k = freedom(spread)
    systems = root.shape[1]
    draws = int(np.clip(WORK // (k * systems**2), *DRAWS))
    rng = generator(seed, "largest t")
    largest, rows = np.zeros(draws), max(1, BLOCK // max((k + 1) * systems, systems**2, len(moving)))
    for first in range(0, draws, rows):
        drawn = rng.normal(size=(min(rows, draws - first), k + 1, len(root))) @ root
        units = drawn[:, 1:]
        within = units.transpose(0, 2, 1) @ units / k
        own = within[:, some.b, some.b] + within[:, some.a, some.a] - 2 * within[:, some.a, some.b]
        t = np.abs(some.values(drawn[:, 0])) / np.sqrt(np.maximum(own, NO_VARIANCE * values.max()))
        largest[first : first + rows] = t.max(axis=1)
    return largest


def freedom(spread: Spread) -> int:
    """Degrees of freedom that all contrasts are drawn with: the median of those that move."""
    moving = spread.df[spread.variance > 0]
    return int(np.clip(np.round(np.median(moving)), 1, MOST_FREEDOM)) if len(moving) else MOST_FREEDOM


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Shown):
    """Systems, best first: how many are surely better and surely worse than each, tiers, and who may be best.

    A tier holds its head, the best by score of those left, and all that are not surely worse than its head.  Each
    system of a lower tier is surely worse than the heads of all tiers above, and of no other system there is it said.
    """

    systems: tuple[str, ...]
    value: Floats
    low: Ints  # rank limits, from simultaneous intervals of the scores' differences
    high: Ints
    tier: Ints
    best: tuple[str, ...]
    measure: str = ""
    confidence: float = 0.95
    notes: tuple[str, ...] = ()
    ahead: Bools | None = None  # [i, j]: whether i is surely better than j, in this order
    made_by: Mapping[str, object] = field(default_factory=dict)
    holes: HolesHeld = ""
    held: str = ""  # down to which ranks, in words, where it holds whatever the labels in the first ones alone
    open: tuple[str, ...] = ()  # systems of which no pair can be told, such as those of the judge's own model
    why_open: Mapping[str, str] = field(default_factory=dict)  # of these, in two or three words
    labels_by: str = ""  # whose labels these are, where a model gave them and no person checked it
    heads: tuple[str, ...] = ()  # of the tiers: each system of a lower one is surely worse than these

    @classmethod
    def of(
        cls, systems: tuple[str, ...], value: Floats, ahead: Bools, *, measure: str = "", confidence: float = 0.95,
        notes: tuple[str, ...] = (), open_: Bools | None = None,
    ) -> Ranking:  # fmt: skip
        """ahead[i, j]: whether system i is surely better than j, all pairs held at once; open_: those told from none.

        A system's rank lies between 1 + the number surely better and n - the number surely worse (Al Mohamad, Goeman
        and van Zwet 2018, arXiv:1812.05507); best may be those that none is surely better than.

        >>> ahead = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0]], bool)
        >>> r = Ranking.of(("a", "b", "c"), np.array([0.1, 0.5, 0.45]), ahead)
        >>> r.best, r.tier.tolist(), r.low.tolist(), r.high.tolist()
        (('b', 'c'), [1, 1, 2], [1, 1, 3], [2, 2, 3])
        >>> r.ahead.astype(int).tolist()
        [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
        >>> print(r.sentence)
        2 of 3 systems may be best: b and c; the other one is worse (simultaneous 95% confidence for all 3 pairs).
        >>> r = Ranking.of(("a", "b"), np.array([0.5, 0.4]), np.array([[0, 0], [1, 0]], bool))  # b, by the difference
        >>> r.best, r.heads, r.tier.tolist()
        (('b',), ('b', 'a'), [2, 1])
        """
        n = len(systems)
        order = np.argsort(-value, kind="stable")
        ahead = ahead[np.ix_(order, order)]
        known = np.ones(n, np.bool_) if open_ is None else ~open_[order]
        tier, left, heads = np.zeros(n, np.int64), np.ones(n, np.bool_), []
        while left.any():
            free = left & ~(ahead & left[:, None]).any(axis=0)  # differences need not be those of the scores
            heads.append(int(np.argmax(next(some for some in (free & known, left & known, left) if some.any()))))
            here = left & ~ahead[heads[-1]]
            tier[here], left = len(heads), left & ~here
        names = tuple(systems[i] for i in order)
        low, high = 1 + ahead.sum(axis=0), n - ahead.sum(axis=1)
        best = tuple(s for s, first in zip(names, low, strict=True) if first == 1) or (names[heads[0]],)
        return cls(
            names, value[order], low, high, tier, best, measure, confidence, notes, ahead=frozen(ahead),
            heads=tuple(names[i] for i in heads),
        )  # fmt: skip

    @property
    def certainty(self) -> str:
        """How sure the ranking is, in words."""
        n, level = len(self.systems), f"{100 * self.confidence:g}% confidence"
        return level if n == 2 else f"simultaneous {level} for all {n * (n - 1) // 2:,} pairs"

    @property
    def sentence(self) -> str:
        """Who may be best, and no more than that; by whose labels, where no person has checked them."""
        if not self.labels_by:
            return self._sentence
        return by_unchecked(self.labels_by, f": {self._sentence}")

    @property
    def _sentence(self) -> str:
        n, k, on = len(self.systems), len(self.best), f" on {self.measure}" if self.measure else ""
        sure = f"({self.certainty})"
        if n == 1:
            return f"{self.systems[0]} is the only system."
        if k == n:
            may_be = ", because unjudged documents may be relevant"
            open_ = {"": "", "bound": may_be, "first": may_be, "zero": ZERO}[self.holes]
            open_ = "" if self.why_open else open_  # the notes say why
            any_, no_two = ("Either", "the two do not") if n == 2 else (f"Any of the {n}", "no two")
            system = "system" if n == 2 else "systems"
            return f"{any_} {system} may be best{on}: {no_two} differ significantly {sure}{open_}."
        named = f"{', '.join(self.best[:-1])} and {self.best[-1]}" if 1 < k <= NAMED else some(self.best, NAMED)
        first = f"Only {named} may be best" if k == 1 else f"{k} of {n} systems may be best"
        listed = "" if k == 1 else f": {named}"
        others = "the other one is worse" if n - k == 1 else "each of the others is worse than some other system"
        bound, below = ", whatever the labels of unjudged documents", "; those below count as not relevant"
        of_first = f", whatever the labels of unjudged documents in {self.held}{below}"
        held = {"": "", "bound": bound, "first": of_first, "zero": ZERO}[self.holes]
        return f"{first}{on}{listed}; {others} {sure}{held}."

    def table(self) -> Table:
        """A row a system, best first: its value where any is known, the limits of its rank, its tier."""
        known = not np.isnan(self.value).all()
        rows: list[tuple[Cell, ...]] = [
            (s, *((v,) if known else ()), *ranks)
            for s, v, *ranks in self.rows()
        ]  # fmt: skip
        columns = ("system", *((self.measure or "value",) if known else ()), "rank low", "rank high", "tier")
        return Table(columns, rows, self.made_by, self.sentence, (TIERS, *self.notes))

    def rows(self) -> list[tuple[str, float | None, int, int, int]]:
        """System, value, limits of its rank and tier, best first; no value where it is not known."""
        return [
            (s, None if np.isnan(v) else float(v), int(low), int(high), int(tier))
            for s, v, low, high, tier in zip(self.systems, self.value, self.low, self.high, self.tier, strict=True)
        ]

    def to_dict(self) -> dict[str, object]:
        """Everything, for programs."""
        rows = [
            {"system": s, "value": v, "rank_low": low, "rank_high": high, "tier": tier}
            for s, v, low, high, tier in self.rows()
        ]
        return {"sentence": self.sentence, "measure": self.measure, "confidence": self.confidence,
                "best": list(self.best), "heads": list(self.heads), "systems": rows, "notes": list(self.notes),
                **({"unchecked": True, "labels_by": self.labels_by} if self.labels_by else {}),
                "made_by": dict(self.made_by)}  # fmt: skip

    def in_short(self) -> str:
        """Who may be best."""
        return self.sentence
