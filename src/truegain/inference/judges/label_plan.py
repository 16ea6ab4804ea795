"""How many bronze and gold labels show a difference, and what is the cheapest way to have them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegain.errors import TruegainError, needs
from truegain.inference.judges.intervals import quantile_of
from truegain.inference.judges.judge import Judge
from truegain.tables.table import Cell, Table

LEAST_OF_A_KIND = 10  # gold pairs, below which the judge's accuracy is anybody's guess


def naive_topics(difference: float, sd_a: float, sd_b: float, *, p: float = 0.05, power: float = 0.5) -> float:
    """Topics for each of two systems to differ significantly if there were no judge errors.

    n = (z_{p/2} + z_{1-power})^2 (sa^2 + sb^2) / (ja - jb)^2;  the published form is at 50% power, where z is 0.

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 26.

    >>> int(naive_topics(0.527 - 0.513, 0.240, 0.260))
    2453
    """
    return _reach(p, power) ** 2 * (sd_a**2 + sd_b**2) / _some(difference) ** 2


def published_sizes(
    means: tuple[float, float],
    sds: tuple[float, float],
    judges: tuple[Judge, Judge],
    *,
    shares: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3),
    p: float = 0.05,
    power: float = 0.5,
) -> dict[str, float]:
    """The paper's sizes for two systems, each with a gold sample of its own: n, and nR and nN of a and of b.

    With s0 = |Ga - Gb| / (z_{p/2} + z_{1-power}), m = D of each and V = s^2:
    n = (Va mb^2 + Vb ma^2) / (f1 ma^2 mb^2 s0^2), and so on; f1 + f2 + f3 = 1 share the allowed variance out.

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 27 to 31.

    >>> judge = Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
    >>> sizes = published_sizes((0.626, 0.6385), (0.414, 0.402), (judge, judge))
    >>> {name: round(size) for name, size in sizes.items()}
    {'n': 24561, 'nR_a': 18340, 'nN_a': 882, 'nR_b': 20616, 'nN_b': 722}
    """
    if not math.isclose(sum(shares), 1) or min(shares) <= 0:
        raise TruegainError(f"shares {shares} must be positive and add up to 1")
    (j_a, j_b), (v_a, v_b), (a, b) = means, (sds[0] ** 2, sds[1] ** 2), judges
    g_a, g_b = (j_a - 1 + a.mN) / a.D, (j_b - 1 + b.mN) / b.D
    allowed = (_some(g_a - g_b) / _reach(p, power)) ** 2
    both = v_a * b.D**2 + v_b * a.D**2
    f1, f2, f3 = shares
    sizes = {"n": both / (f1 * a.D**2 * b.D**2 * allowed)}
    for name, j, v, judge, other in (("a", j_a, v_a, a, b), ("b", j_b, v_b, b, a)):
        below = v * other.D**2 * judge.D**4 * allowed
        sizes[f"nR_{name}"] = judge.mR * (1 - judge.mR) * both * (j - 1 + judge.mN) ** 2 / (f2 * below)
        sizes[f"nN_{name}"] = judge.mN * (1 - judge.mN) * both * (judge.mR - j) ** 2 / (f3 * below)
    return sizes


@dataclass(frozen=True)
class Prospect:
    """What a plan rests on: how noisy topics and gold pairs are, what they cost, and what is there already.

    topic_variance: of the per-topic difference of the bronze scores.  v_r, v_n: variance that a gold-relevant and a
    gold-non-relevant pair bring (mR(1 - mR) where pairs are independent).  relevant: share of gold-relevant pairs
    among those drawn; None where the two kinds can be bought apart.
    """

    D: float
    topic_variance: float
    v_r: float
    v_n: float
    labels_per_topic: float
    relevant: float | None
    cost_bronze: float
    cost_gold: float
    topics: int = 0
    gold_relevant: float = 0
    gold_nonrelevant: float = 0


@dataclass(frozen=True)
class LabelPlan:
    """Topics and gold pairs in all, what is to be bought, the cost of that, and the power that it gives."""

    difference: float
    topics: int
    gold_relevant: int
    gold_nonrelevant: int
    new_bronze_labels: int
    new_gold_labels: int
    cost: float
    power: float
    shares: tuple[float, float]  # of the variance: topics, gold

    @property
    def gold(self) -> int:
        """Gold pairs in all."""
        return self.gold_relevant + self.gold_nonrelevant


def plan_labels(prospect: Prospect, difference: float, *, confidence: float = 0.95, power: float = 0.8) -> LabelPlan:
    """The cheapest numbers of topics and gold pairs that show a true difference with one gold sample for both systems.

    The test rejects where |jb - ja| / sqrt(S^2/n + d^2 V(D)) > z, d = (jb - ja)/D; with c = V(D)/D^2, that is where
    |jb - ja| sqrt(n)/S > z / sqrt(1 - c z^2), so that

        power = Phi(d D sqrt(n)/S - z / sqrt(1 - c z^2)),   V(D) = vR/nR + vN/nN

    which at 50% power is Var d = S^2/(n D^2) + d^2 V(D)/D^2 = (d/z)^2.  For every c the fewest topics and the cheapest
    gold pairs are known, and the cheapest c is searched for; what is there already is free.

    >>> p = Prospect(0.7, 0.2, 0.09, 0.16, 20, 0.4, cost_bronze=0.002, cost_gold=1.5)
    >>> plan = plan_labels(p, 0.05)
    >>> plan.topics, plan.gold, round(plan.cost), round(plan.power, 3)
    (1497, 20, 90, 0.8)
    """
    d = _some(difference)
    _reach(1 - confidence, power)
    z = quantile_of(confidence)
    z_power = float(needs("scipy.special", "inference").ndtri(power))
    best: tuple[float, int, int, int] | None = None
    for c in _uncertainties(prospect, z):
        n_r, n_n = _gold_for(prospect, c)
        left = 1 - _relative(prospect, n_r, n_n) * z**2
        if left <= 0:
            continue
        root = max(0.0, z / math.sqrt(left) + z_power) * math.sqrt(prospect.topic_variance) / (d * prospect.D)
        n = max(2, math.ceil(root**2 - 1e-9), prospect.topics)
        cost = _price(prospect, n, n_r, n_n)[2]
        if best is None or cost < best[0]:
            best = (cost, n, n_r, n_n)
    if best is None:
        raise TruegainError("no number of gold pairs makes this judge good enough; use a better bronze judge")
    return _planned(prospect, d, *best[1:], confidence)


def _uncertainties(p: Prospect, z: float) -> list[float]:
    """Values of c = V(D)/D^2 to try, the one that the gold pairs at hand give among them."""
    grid = [float(x) / z**2 for x in np.geomspace(1e-5, 0.97, 400)]
    if min(p.gold_relevant, p.gold_nonrelevant) > 0:
        have = _relative(p, p.gold_relevant, p.gold_nonrelevant)
        grid = [c for c in grid if c < have] + [have]
    return grid


def _relative(p: Prospect, n_r: float, n_n: float) -> float:
    return (p.v_r / n_r + p.v_n / n_n) / p.D**2


def _gold_for(p: Prospect, c: float) -> tuple[int, int]:
    """The fewest gold pairs of each kind that leave V(D)/D^2 = c, at least what is there."""
    allowed = c * p.D**2
    if p.relevant is None:
        both = math.sqrt(p.v_r) + math.sqrt(p.v_n)
        n_r, n_n = (math.sqrt(v) * both / allowed for v in (p.v_r, p.v_n))
    else:
        total = (p.v_r / p.relevant + p.v_n / (1 - p.relevant)) / allowed
        n_r, n_n = total * p.relevant, total * (1 - p.relevant)
    least = LEAST_OF_A_KIND
    return (
        max(least, math.ceil(n_r - 1e-6), math.floor(p.gold_relevant)),
        max(least, math.ceil(n_n - 1e-6), math.floor(p.gold_nonrelevant)),
    )


def _price(p: Prospect, n: int, n_r: int, n_n: int) -> tuple[int, int, float]:
    """New bronze labels, new gold labels, and what they cost."""
    bronze = math.ceil(max(0, n - p.topics) * p.labels_per_topic - 1e-9)
    gold = max(0, n_r - math.floor(p.gold_relevant)) + max(0, n_n - math.floor(p.gold_nonrelevant))
    return bronze, gold, bronze * p.cost_bronze + gold * p.cost_gold


def _planned(p: Prospect, d: float, n: int, n_r: int, n_n: int, confidence: float) -> LabelPlan:
    bronze, gold, cost = _price(p, n, n_r, n_n)
    z, c = quantile_of(confidence), _relative(p, n_r, n_n)
    of_topics, of_gold = p.topic_variance / p.D**2 / n, d**2 * c
    far = math.inf if of_topics == 0 else d / math.sqrt(of_topics)
    reached = float(needs("scipy.special", "inference").ndtr(far - z / math.sqrt(1 - c * z**2)))
    shares = (of_topics / (of_topics + of_gold), of_gold / (of_topics + of_gold))
    return LabelPlan(d, n, n_r, n_n, bronze, gold, cost, reached, shares)


def plan_table(
    prospect: Prospect, differences: Sequence[float], *, confidence: float = 0.95, power: float = 0.8
) -> Table:
    """Cost against detectable difference: a row a difference."""
    columns = ("difference", "topics", "gold relevant", "gold non-relevant", "new bronze labels", "new gold labels",
               "cost", "power")  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for d in differences:
        p = plan_labels(prospect, d, confidence=confidence, power=power)
        rows.append((p.difference, p.topics, p.gold_relevant, p.gold_nonrelevant, p.new_bronze_labels,
                     p.new_gold_labels, round(p.cost, 2), p.power))  # fmt: skip
    return Table(columns, rows, title=f"labels for {power:.0%} power at {confidence:.0%} confidence")


def from_scratch(prospect: Prospect) -> Prospect:
    """The same prospect with nothing bought yet."""
    return replace(prospect, topics=0, gold_relevant=0, gold_nonrelevant=0)


def _reach(p: float, power: float) -> float:
    """z_{p/2} + z_{1-power}."""
    if not 0 < power < 1:
        raise TruegainError(f"power {power:g} must lie between 0 and 1, such as 0.8")
    special = needs("scipy.special", "inference")
    reach = quantile_of(1 - p) + float(special.ndtri(power))
    if reach <= 0:
        raise TruegainError(f"power {power:g} is below the level of the test; give a higher power")
    return reach


def _some(difference: float) -> float:
    if not abs(difference) > 1e-12:
        raise TruegainError("a difference of 0 needs infinitely many labels; say which difference matters to you")
    return abs(difference)
