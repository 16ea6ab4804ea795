"""Agreement of assessors: alpha with few items, for these raters and for raters like these, and a correlation.

An item has a value, a rater a bias (an accuracy, where labels are names), a rating some noise; 20% are missing.  The
truth is alpha of infinitely many such items, by quadrature: for the raters of the study, or for infinitely many.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri

from benchmarks.coverage.worlds import Seen, World, held
from truegain.aggregation.assessors import assessors
from truegain.data.judgments import judgments_of_columns
from truegain.data.rating_groups import Grouped
from truegain.io.columns import Floats
from truegain.reliability.alpha import AlphaOptions, Coefficient, Paired, alpha_of

MISSING = 0.2
EVERYBODY = (np.arange(200) + 0.5) / 200  # quantiles of the biases of all raters there could be
NODES, SHARES = np.polynomial.hermite_e.hermegauss(81)
SHARES = SHARES / SHARES.sum()


@dataclass(frozen=True)
class Kind:
    """How ratings come about: their level, how raters differ (sd of biases), and noise, items having sd 1."""

    level: str
    bias: float = 0.3
    noise: float = 0.7
    cuts: tuple[float, ...] = ()
    tail: float = 0.0  # item values are exp(tail z), where it is above 0

    def biases(self, raters: int, rng: np.random.Generator) -> Floats:
        """Raters of a study: what they add to every item; where labels are names, how often they look."""
        return rng.beta(8, 2, raters) if self.level == "nominal" else self.bias * rng.normal(size=raters)

    @cache  # noqa: B019  a handful of kinds
    def truth_of_all(self) -> float:
        """Alpha of raters like these: of very many, evenly by the quantiles of their biases."""
        biases = betaincinv(8, 2, EVERYBODY) if self.level == "nominal" else self.bias * ndtri(EVERYBODY)
        return self.truth(np.asarray(biases))

    def ratings(self, items: int, bias: Floats, rng: np.random.Generator) -> Floats:
        """Raters by items, not a number where somebody did not rate; every item has two ratings or more."""
        z = rng.normal(size=items)
        noise = rng.normal(size=(len(bias), items))
        if self.level == "nominal":
            names = np.searchsorted((0.5, 0.8), ndtr(z))
            guess = np.searchsorted((0.5, 0.8), ndtr(noise))
            found = np.where(rng.random(noise.shape) < bias[:, None], names, guess).astype(np.float64)
        elif self.level == "ratio":
            found = np.exp(z + bias[:, None] + self.noise * noise)
        elif self.tail:
            found = np.exp(self.tail * z) + self.tail * (bias[:, None] + self.noise * noise)
        else:
            found = z + bias[:, None] + self.noise * noise
        if self.cuts:
            found = np.searchsorted(self.cuts, found).astype(np.float64)
        if len(bias) > 2:
            order = rng.random(found.shape).argsort(axis=0)
            found[(rng.random(found.shape) < MISSING) & (order >= 2)] = np.nan
        return found

    def truth(self, bias: Floats) -> float:
        """Alpha of infinitely many items by these raters."""
        if self.level == "nominal":
            return self._of_names(bias)
        if self.cuts:
            return self._of_grades(bias)
        if self.level == "ratio":
            return self._of_ratios(bias)
        spread = float(np.exp(self.tail**2) * np.expm1(self.tail**2)) if self.tail else 1.0
        unit = self.tail or 1.0
        own, noise = unit**2 * bias.var(), unit**2 * self.noise**2
        return float(1 - (own * len(bias) / (len(bias) - 1) + noise) / (own + noise + spread))

    def _of_names(self, look: Floats) -> float:
        return float((look.sum() ** 2 - (look**2).sum()) / (len(look) * (len(look) - 1)))  # both look

    def _of_grades(self, bias: Floats) -> float:
        edges = np.concatenate([[-np.inf], self.cuts, [np.inf]])
        upto = ndtr((edges[:, None, None] - NODES[:, None] - bias) / self.noise)
        chance = np.diff(upto, axis=0)  # grade, item, rater
        share = SHARES @ chance.mean(axis=2).T
        rank = np.cumsum(share) - share / 2
        first, second = np.tensordot(rank, chance, 1), np.tensordot(rank**2, chance, 1)
        n = len(bias)
        own = 2 * (second - first**2).sum(axis=1)  # a rater asked twice
        mean = first.mean(axis=1)
        both = 2 * (second.mean(axis=1) - mean**2)  # two raters, perhaps the same
        within = SHARES @ (both * n**2 - own) / (n * (n - 1))
        among = 2 * (SHARES @ second.mean(axis=1) - (SHARES @ mean) ** 2)
        return float(1 - within / among)

    def _of_ratios(self, bias: Floats) -> float:
        gaps = (bias[:, None] - bias)[..., None]

        def apart(sd: float) -> Floats:
            return np.asarray(np.tanh((gaps + sd * NODES) / 2) ** 2 @ SHARES)

        within, among = apart(np.sqrt(2) * self.noise), apart(np.sqrt(2 * (1 + self.noise**2)))
        off = ~np.eye(len(bias), dtype=bool)
        return float(1 - within[off].mean() / among.mean())


KINDS = {
    "nominal": Kind("nominal"),
    "ordinal": Kind("ordinal", cuts=(-0.8, 0.0, 0.8)),
    "ordinal skewed": Kind("ordinal", cuts=(0.8, 1.4, 2.0)),
    "ordinal, raters apart": Kind("ordinal", bias=0.6, cuts=(-0.8, 0.0, 0.8)),
    "interval": Kind("interval"),
    "ratio": Kind("ratio"),
    "interval, long tail (warned)": Kind("interval", noise=1.2, tail=0.8),
}


def _pairs(matrix: Floats) -> Paired:
    rater, item = np.nonzero(~np.isnan(matrix))
    return Paired.rows(matrix[rater, item], item, rater)


def _seen(found: Coefficient, truth: float) -> Seen | None:
    return None if math.isnan(found.low) else held(found.low, found.high, truth)


def study(kind: str, items: int, raters: int, trials: int, rng: np.random.Generator) -> Mapping[str, Seen | None]:
    """Alpha of one study: for these raters, for raters like these, and by the bootstrap."""
    world = KINDS[kind]
    bias = world.biases(raters, rng)
    pairs = _pairs(world.ratings(items, bias, rng))
    seen = {"alpha, these raters": _seen(alpha_of(pairs, world.level), world.truth(bias))}
    if raters > 2:
        like = alpha_of(pairs, world.level, AlphaOptions(units="items+assessors"))
        seen["alpha, raters like these"] = _seen(like, world.truth_of_all())
    if trials:
        drawn = alpha_of(
            pairs, world.level, AlphaOptions(method="bootstrap", trials=trials, seed=int(rng.integers(2**31)))
        )
        seen["alpha, bootstrap by name"] = _seen(drawn, world.truth(bias))
    return seen


def correlation(tail: float, items: int, rng: np.random.Generator) -> Mapping[str, Seen | None]:
    """The correlation of one of five raters with the mean of the others."""
    z, noise = rng.normal(size=items), 0.7 * rng.normal(size=(5, items))
    value = np.exp(tail * z) if tail else z
    spread = float(np.exp(tail**2) * np.expm1(tail**2)) if tail else 1.0
    said = value + np.sqrt(spread) * noise
    truth = 1 / np.sqrt((1 + 0.7**2) * (1 + 0.7**2 / 4))
    docs, people = (
        np.tile(np.arange(items), 5).astype(str).tolist(),
        np.repeat(np.arange(5), items).astype(str).tolist(),
    )
    table = judgments_of_columns(["1"] * len(docs), docs, said.ravel(), "ratings", assessors=people)
    one = assessors(Grouped.of(table))[0]
    assert one.low is not None
    assert one.high is not None
    return {"an assessor's correlation with the rest": held(one.low, one.high, float(truth))}


WORLDS = (
    *(
        World(f"{kind}, {items} items, {raters} raters", partial(study, kind, items, raters, 200 * (raters == 5)))
        for kind in KINDS
        for items, raters in ((6, 5), (8, 2), (8, 3), (10, 5), (10, 10), (20, 2), (20, 3), (20, 5), (60, 3), (60, 5))
    ),
    *(
        World(f"correlation{', long tail' * (tail > 0)}, {items} items", partial(correlation, tail, items))
        for tail in (0.0, 0.8)
        for items in (6, 10, 20, 60)
    ),
)
