"""Fits of consensus models go on until no chance of a label moves any more, and say so only then."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from truegain.tables.columns import Floats

TOLERANCE = 1e-4  # how far any chance of a label may still move where a fit has settled
CALM = 1e-4  # times this, a step may change a chance: thousands more may not add up to the tolerance
IN_A_ROW = 6  # plain steps by which is told how fast changes fall
GROWTH = 1e-4  # a share by which no chance may grow in a step: one near 0 that grows will matter, if late
NOTHING = 1e-10  # chances below do not count where growth is told
ROUNDING = 1e-13  # changes below are those of arithmetic
PLAIN = 20  # steps before the first leap, so that leaps stay on the hill where plain steps began to climb
FIRST_REACH, STRETCH = 4.0, 4.0  # how far leaps may go at first, and by how much more after one that went so far
KEPT = 0.1  # of a chance is left by a leap at least: one at 0 would stay there


@dataclass(frozen=True)
class Convergence:
    """How a fit ended: steps taken, whether it had settled, how much the last one did of what; and what else.

    `left` is about how far some chance still had to go, where that is known.

    >>> print(Convergence(12, True, 3e-6))
    converged after 12 steps
    """

    steps: int
    converged: bool
    change: float | None = None
    more: str = ""
    left: float | None = None
    did: str = "moved a chance of a label by"

    @property
    def last(self) -> str:
        """What the last step did, in brackets."""
        if self.change is None:
            return ""
        left = "" if self.left is None else f", and about {self.left:.2g} is left to go"
        return f" (the last {self.did} {self.change:.2g}{left})"

    def __str__(self) -> str:
        return f"{'converged' if self.converged else 'not converged'} after {self.steps} steps{self.more}"


@dataclass
class Trail:
    """The largest changes of any chance of a label, of plain steps in a row; whether they tell that a fit has settled.

    Where changes fall by a factor q a step, what is left to go after the last one, d, is d q/(1 - q).

    >>> trail = Trail(1e-4)
    >>> for i in range(9):
    ...     trail.add(np.array([0.5 + 0.5**i * 1e-7, 0.5]), np.array([0.5 + 0.5 ** (i + 1) * 1e-7, 0.5]))
    >>> trail.settled, f"{trail.left:.1e}"
    (True, '2.0e-10')
    """

    tolerance: float
    changes: list[float] = field(default_factory=list)
    growth: float = 0.0

    def add(self, before: Floats, after: Floats) -> None:
        """One more plain step."""
        moved = after - before
        self.changes.append(float(np.abs(moved).max()))
        self.growth = float((moved / (before + NOTHING)).max()) if self.calm else math.inf

    @property
    def calm(self) -> bool:
        """Whether the last step changed next to nothing."""
        return self.changes[-1] <= CALM * self.tolerance

    @property
    def left(self) -> float:
        """How far some chance is from where it goes; infinite where changes do not fall, or are too few to tell."""
        last = self.changes[-IN_A_ROW:]
        if last[-1] <= ROUNDING:
            return last[-1]
        if len(last) < 2 or last[-1] >= last[0]:
            return math.inf
        rate = (last[-1] / last[0]) ** (1 / (len(last) - 1))
        return float(last[-1] * rate / (1 - rate))

    @property
    def settled(self) -> bool:
        """Whether no chance moves by more than the tolerance any more, however many steps would follow."""
        enough = len(self.changes) >= IN_A_ROW and self.calm
        return enough and self.growth <= GROWTH and self.left <= self.tolerance

    def told(self, steps: int, more: str = "") -> Convergence:
        """How the fit ended after so many steps."""
        left = self.left if self.changes else math.inf
        last = self.changes[-1] if self.changes else None
        return Convergence(steps, self.settled, last, more, None if math.isinf(left) else left)


def climbed(
    step: Callable[[Floats], tuple[Floats, float]], share: Floats, tolerance: float, most: int
) -> tuple[Floats, int, Trail]:
    """Where steps of an EM lead that never let a likelihood fall: the chances, steps taken, and the last of the trail.

    `step` gives the next chances and the likelihood behind them.  After two plain steps, r and then r + v long, comes a
    leap to x + 2 a r + a^2 v with a = |r|/|v|, kept where the likelihood is no less than before
    the last plain step.

    Varadhan and Roland 2008, Scandinavian Journal of Statistics 35(2), scheme S3.
    """
    trail, steps, reach = Trail(tolerance), 0, FIRST_REACH
    before = share
    while steps < most:
        after, height = step(share)
        steps += 1
        trail.add(share, after)
        if trail.settled:
            return after, steps, trail
        origin, before, share = before, share, after
        if not PLAIN <= steps < most - IN_A_ROW or trail.calm or len(trail.changes) < 2:
            continue
        r = before - origin
        v = share - before - r
        bend = float(np.sqrt((v * v).sum()))
        length = min(float(np.sqrt((r * r).sum())) / bend, reach) if bend else reach
        reach *= STRETCH if length == reach else 1.0
        if length > 1:
            leap = np.maximum(origin + 2 * length * r + length**2 * v, KEPT * share)
            landed, there = step(leap / leap.sum(axis=1, keepdims=True))
            steps += 1
            if there >= height:
                share = landed
            else:
                reach = max(FIRST_REACH, length / STRETCH)
        trail = Trail(tolerance)
    return share, steps, trail
