"""How many bronze and gold labels show a difference, and what is the cheapest way to have them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegain.errors import TruegainError, needs
from truegain.gains.rates import ICC, PRIOR
from truegain.student import quantile_of, quantiles_of
from truegain.tables.columns import Floats
from truegain.tables.table import Cell, Table

LEAST_OF_A_KIND = 20  # gold pairs, below which the judge's accuracy is anybody's guess
LEAST_GOLD_TOPICS = 8  # whole topics, below which a slope fitted on them says little
LEAST_LEFT = 0.1  # of the gold part, where gold pairs that are scored too seem to take the whole variance away
STEPS = 300  # numbers of gold pairs that are tried
MOST_TOPICS = 1e9


@dataclass(frozen=True)
class Prospect:
    """What a plan rests on: how noisy topics and gold pairs are, what they cost, and what is there already.

    topic_variance: of the per-topic difference of the bronze scores; less the covariance with the gold pairs where
    these are scored too, which may make it negative.  v_r, v_n: variance that a gold-relevant and a
    gold-non-relevant pair bring to mR and mN (mR(1 - mR) where pairs are independent), where one accuracy corrects both
    systems; fixed_r, fixed_n: variance they bring to the difference itself, where each system has an accuracy of its
    own, or gold pairs set its score right.  relevant: share of gold-relevant pairs among those drawn; None where the
    two kinds can be bought apart.  gold_share: largest share of the labelled pairs that gold can be; None where gold
    pairs are of other topics.  moderated: whether the test takes the gold part for larger than it is, to be safe.
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
    fixed_r: float = 0.0
    fixed_n: float = 0.0
    gold_share: float | None = None
    gold_topic: float | None = None  # pairs of a topic, where gold is whole topics and a slope is fitted on them
    moderated: bool = False

    def __post_init__(self) -> None:
        for name, cost in (("bronze", self.cost_bronze), ("gold", self.cost_gold)):
            if not (math.isfinite(cost) and cost > 0):
                raise TruegainError(f"the cost of a {name} label is {cost:g}; give one above 0 (--cost-{name})")


@dataclass(frozen=True)
class LabelPlan:
    """Topics and gold pairs in all, what is to be bought, the cost of that, and the power that it gives."""

    difference: float
    topics: int
    gold_relevant: int
    gold_nonrelevant: int
    new_bronze_labels: int
    new_gold_labels: int
    bronze_cost: float
    gold_cost: float
    power: float
    shares: tuple[float, float]  # of the variance: topics, gold

    @property
    def gold(self) -> int:
        """Gold pairs in all."""
        return self.gold_relevant + self.gold_nonrelevant

    @property
    def cost(self) -> float:
        """What the new labels cost."""
        return self.bronze_cost + self.gold_cost


def plan_labels(prospect: Prospect, difference: float, *, confidence: float = 0.95, power: float = 0.8) -> LabelPlan:
    """The cheapest numbers of topics and gold pairs that show a true difference with one gold sample for both systems.

    Where one accuracy corrects both systems, the test rejects where |jb - ja| / sqrt(S^2/n + d^2 V(D)) > t,
    d = (jb - ja)/D; with c = V(D)/D^2 that is where |jb - ja| sqrt(n)/S > t / sqrt(1 - c t^2), so that

        power = P(T > t / sqrt(1 - c t^2)),   T noncentral around d / sqrt(S^2/(n D^2) + F),   V(D) = vR/nR + vN/nN

    F = fR/nR + fN/nN being what gold pairs add whatever the difference.  For every number of gold pairs the fewest
    topics are found, and the cheapest number of gold pairs is searched for; what is there already is free.

    >>> p = Prospect(0.7, 0.2, 0.09, 0.16, 20, 0.4, cost_bronze=0.002, cost_gold=1.5)
    >>> plan = plan_labels(p, 0.05)
    >>> plan.topics, plan.gold, round(plan.cost), round(plan.power, 3)
    (1358, 50, 129, 0.8)
    """
    d = some_difference(difference)
    far = detectable_in_se(1 - confidence, power)
    most = max(100.0, 1000 * _of_a_pair(prospect, d) * (far / d) ** 2)
    tried = np.concatenate([[0.0], np.geomspace(1, most, STEPS)])
    best: LabelPlan | None = None
    for _ in range(2):  # the second time between the neighbours of the best
        n_r, n_n = _gold_of(prospect, d, tried)
        n = _topics_for(prospect, d, n_r, n_n, confidence, power)
        costs = [_price(prospect, *sizes) for sizes in zip(n, n_r, n_n, strict=True)]
        total = [math.inf if not math.isfinite(k) else b * prospect.cost_bronze + g * prospect.cost_gold
                 for k, (b, g) in zip(n, costs, strict=True)]  # fmt: skip
        at = int(np.argmin(total))
        if not math.isfinite(total[at]):
            raise TruegainError("no number of gold pairs makes this judge good enough; use a better bronze judge")
        found = _planned(prospect, d, int(n[at]), int(n_r[at]), int(n_n[at]), confidence)
        best = found if best is None or found.cost <= best.cost else best
        tried = np.linspace(tried[max(0, at - 1)], tried[min(len(tried) - 1, at + 1)], STEPS)
    assert best is not None
    return best


def found_already(prospect: Prospect, *, confidence: float = 0.95, power: float = 0.8) -> float | None:
    """The smallest true difference that the labels at hand find with this power; None where there is none.

    >>> p = Prospect(0.7, 0.2, 0.09, 0.16, 20, 0.4, 0.002, 1.5, topics=1358, gold_relevant=20, gold_nonrelevant=30)
    >>> round(found_already(p), 4)
    0.05
    """
    detectable_in_se(1 - confidence, power)
    if prospect.topics < 2 or min(prospect.gold_relevant, prospect.gold_nonrelevant) <= 0:
        return None
    low, high = 1e-9, 1e9
    n, n_r, n_n = prospect.topics, prospect.gold_relevant, prospect.gold_nonrelevant
    if _power_of(prospect, high, n, n_r, n_n, confidence) < power:
        return None
    while high / low > 1 + 1e-9:
        middle = math.sqrt(low * high)
        enough = _power_of(prospect, middle, n, n_r, n_n, confidence) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def _power(p: Prospect, d: float, n: Floats, n_r: Floats, n_n: Floats, confidence: float) -> Floats:
    """Chance that the test rejects: the noncentral t distribution by its normal approximation.

    P(T > t) = Phi((delta - t (1 - 1/(4 df))) / sqrt(1 + t^2/(2 df))).  Johnson and Welch 1940, Biometrika 31.
    """
    special = needs("scipy.special", "inference")
    of_topics, of_gold = p.topic_variance / p.D**2 / n, p.fixed_r / n_r + p.fixed_n / n_n
    if p.gold_topic is not None:  # what the slope, fitted on so few topics, adds
        of_gold = of_gold * (1 + 1 / np.maximum((n_r + n_n) / p.gold_topic - 3, 1))
    spread = np.maximum(np.maximum(of_topics + of_gold, LEAST_LEFT * of_gold), 1e-300)
    clusters = n_r + n_n if p.gold_topic is None else (n_r + n_n) / p.gold_topic
    clusters = clusters if p.gold_share is None else np.minimum(clusters, n)
    lost = 1 if p.gold_topic is None else 2
    df = (np.abs(of_topics) + of_gold) ** 2 / (of_topics**2 / (n - 1) + of_gold**2 / np.maximum(clusters - lost, 1))
    t = quantiles_of(confidence, df)
    if p.moderated:
        more = p.fixed_r / n_r * _moderation(n_r, n) + p.fixed_n / n_n * _moderation(n_n, n)
        t = t * np.sqrt(1 + more / spread)
    left = 1 - _relative(p, n_r, n_n) * t**2
    bar = t / np.sqrt(np.where(left > 0, left, np.nan))
    far = (d / np.sqrt(spread) - bar * (1 - 1 / (4 * df))) / np.sqrt(1 + bar**2 / (2 * df))
    reached: Floats = np.where(left > 0, special.ndtr(far), 0.0)
    return reached


def _moderation(pairs: Floats, topics: Floats) -> Floats:
    """How much larger, as a share, `compare` takes the variance of gold pairs that fall on so many topics at random.

    It averages the variance over topics with that of a usual judge and takes no less than independent pairs would have
    (`MatrixFit.gold_by_label`); the mean of a normal variable cut off from below is m Phi(m/s) + s phi(m/s).
    """
    special = needs("scipy.special", "inference")
    others = pairs / topics
    worth = pairs / (1 + others)  # topics that all hold as many would say as much
    mean = (1 + PRIOR * ICC * others) / (worth + PRIOR - 1)
    sd = np.sqrt(2 / worth) * worth / (worth + PRIOR - 1)
    at = mean / sd
    more: Floats = mean * special.ndtr(at) + sd * np.exp(-(at**2) / 2) / math.sqrt(2 * math.pi)
    return more


def _power_of(p: Prospect, d: float, n: float, n_r: float, n_n: float, confidence: float) -> float:
    return float(_power(p, d, np.array([float(n)]), np.array([float(n_r)]), np.array([float(n_n)]), confidence)[0])


def _topics_for(p: Prospect, d: float, n_r: Floats, n_n: Floats, confidence: float, power: float) -> Floats:
    """The fewest topics, at least those there are, for each number of gold pairs; infinite where none suffice."""
    least = np.full(len(n_r), max(2.0, p.topics))
    if p.gold_share is not None:
        least = np.maximum(least, np.ceil((n_r + n_n) / (p.labels_per_topic * p.gold_share) - 1e-9))
    at_once = _power(p, d, least, n_r, n_n, confidence) >= power
    most = np.where(at_once, least, np.maximum(2 * least, MOST_TOPICS))
    possible = _power(p, d, most, n_r, n_n, confidence) >= power
    low, high = least, most
    while (high - low > 1).any():
        middle = np.clip(np.floor(np.sqrt(low * high)), low + 1, high)
        enough = _power(p, d, middle, n_r, n_n, confidence) >= power
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(possible, high, np.inf)


def _relative(p: Prospect, n_r: Floats, n_n: Floats) -> Floats:
    """V(D) / D^2."""
    return (p.v_r / n_r + p.v_n / n_n) / p.D**2


def _weights(p: Prospect, d: float) -> tuple[float, float]:
    """Variance of the difference that a gold-relevant and a gold-non-relevant pair bring."""
    return p.fixed_r + d**2 * p.v_r / p.D**2, p.fixed_n + d**2 * p.v_n / p.D**2


def _of_a_pair(p: Prospect, d: float) -> float:
    """The same of a gold pair, drawn or chosen for the least variance."""
    r, n = _weights(p, d)
    return (math.sqrt(r) + math.sqrt(n)) ** 2 if p.relevant is None else r / p.relevant + n / (1 - p.relevant)


def _gold_of(p: Prospect, d: float, pairs: Floats) -> tuple[Floats, Floats]:
    """Gold pairs of each kind: so many in all where the kinds are bought apart, else so many more than there are."""
    have_r, have_n = math.floor(p.gold_relevant), math.floor(p.gold_nonrelevant)
    if p.relevant is None:
        r, n = (math.sqrt(w) for w in _weights(p, d))
        n_r, n_n = pairs * r / (r + n), pairs * n / (r + n)
    else:
        lacking = max((LEAST_OF_A_KIND - have_r) / p.relevant, (LEAST_OF_A_KIND - have_n) / (1 - p.relevant), 0.0)
        drawn = np.maximum(pairs, math.ceil(lacking - 1e-9))
        if p.gold_topic is not None:  # in whole topics, and some of these
            more = max(LEAST_GOLD_TOPICS - (have_r + have_n) / p.gold_topic, 0.0)
            drawn = np.ceil(np.maximum(drawn / p.gold_topic, more) - 1e-6) * p.gold_topic
        n_r, n_n = have_r + drawn * p.relevant, have_n + drawn * (1 - p.relevant)
    return (
        np.maximum(np.ceil(n_r - 1e-9), max(LEAST_OF_A_KIND, have_r)),
        np.maximum(np.ceil(n_n - 1e-9), max(LEAST_OF_A_KIND, have_n)),
    )


def _price(p: Prospect, n: float, n_r: float, n_n: float) -> tuple[float, float]:
    """New bronze labels and new gold labels."""
    more = max(0.0, n - p.topics) * p.labels_per_topic
    bronze = math.ceil(more - 1e-9) if math.isfinite(more) else math.inf
    return bronze, max(0.0, n_r - math.floor(p.gold_relevant)) + max(0.0, n_n - math.floor(p.gold_nonrelevant))


def _planned(p: Prospect, d: float, n: int, n_r: int, n_n: int, confidence: float) -> LabelPlan:
    bronze, gold = (int(x) for x in _price(p, n, n_r, n_n))
    reached = _power_of(p, d, n, n_r, n_n, confidence)
    r, s = _weights(p, d)
    of_topics, of_gold = p.topic_variance / p.D**2 / n, r / n_r + s / n_n
    all_ = max(of_topics, 0.0) + max(of_gold, 1e-300)
    return LabelPlan(
        d, n, n_r, n_n, bronze, gold, bronze * p.cost_bronze, gold * p.cost_gold, reached,
        (max(of_topics, 0.0) / all_, of_gold / all_),
    )  # fmt: skip


def plan_table(
    prospect: Prospect, differences: Sequence[float], *, confidence: float = 0.95, power: float = 0.8
) -> Table:
    """Cost against detectable difference: a row a difference."""
    columns = ("difference", "topics", "gold relevant", "gold non-relevant", "new bronze", "new gold", "bronze cost",
               "gold cost", "cost", "power")  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for d in differences:
        p = plan_labels(prospect, d, confidence=confidence, power=power)
        rows.append((p.difference, p.topics, p.gold_relevant, p.gold_nonrelevant, p.new_bronze_labels,
                     p.new_gold_labels, p.bronze_cost, p.gold_cost, p.cost, p.power))  # fmt: skip
    return Table(columns, rows, title=f"labels for {power:.0%} power at {confidence:.0%} confidence")


def from_scratch(prospect: Prospect) -> Prospect:
    """The same prospect with nothing bought yet."""
    return replace(prospect, topics=0, gold_relevant=0, gold_nonrelevant=0)


def detectable_in_se(p: float, power: float) -> float:
    """The difference, in standard errors, that a test at level p finds with this power: z_{p/2} + z_{1-power}."""
    if not 0 < power < 1:
        raise TruegainError(f"power {power:g} must lie between 0 and 1, such as 0.8")
    special = needs("scipy.special", "inference")
    far = quantile_of(1 - p) + float(special.ndtri(power))
    if far <= 0:
        raise TruegainError(f"power {power:g} is below the level of the test; give a higher power")
    return far


def some_difference(difference: float) -> float:
    """How large a difference is; refused where there is none."""
    if not abs(difference) > 1e-12:
        raise TruegainError("a difference of 0 needs infinitely many labels; say which difference matters to you")
    return abs(difference)
