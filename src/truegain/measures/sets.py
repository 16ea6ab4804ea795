"""Measures of the retrieved set, whatever its order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truegain.measures.base import Binary, ratio
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, kw_only=True, repr=False)
class _OfSet(Binary):
    AT = None

    def counts(self, ranked: RankedGains) -> tuple[Floats, Floats, Floats]:
        """Relevant retrieved C(n), retrieved n, relevant R."""
        found = ranked.found(self.rel)
        possible = ranked.per_list(ranked.pool_relevant(self.rel)).astype(np.float64)
        return found.total(np.ones(len(found.rank))), ranked.depth.astype(np.float64), possible


@dataclass(frozen=True, kw_only=True, repr=False)
class SetP(_OfSet):
    """Share of the retrieved documents that are relevant (of the best share possible, if relative).

    SetP = C(n) / n; relative: C(n) / min(n, R)

    trec_eval set_P, set_relative_P.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1}}, "SetP").mean()
    0.5
    """

    relative: bool = False

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        found, retrieved, possible = self.counts(ranked)
        return ratio(found, np.minimum(retrieved, possible) if self.relative else retrieved)


@dataclass(frozen=True, kw_only=True, repr=False)
class SetR(_OfSet):
    """Share of the relevant documents that are retrieved.

    SetR = C(n) / R

    trec_eval set_recall.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "c": 1}}, "SetR").mean()
    0.5
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        found, _, possible = self.counts(ranked)
        return ratio(found, possible)


@dataclass(frozen=True, kw_only=True, repr=False)
class SetF(_OfSet):
    """Weighted harmonic mean of the set's precision and recall.

    SetF = (b + 1) P Rec / (b P + Rec); b = beta stands where beta squared does elsewhere, as in trec_eval

    trec_eval set_F.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "c": 1}}, "SetF").mean()
    0.5
    """

    beta: float = 1.0

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        found, retrieved, possible = self.counts(ranked)
        p, r = ratio(found, retrieved), ratio(found, possible)
        return ratio((self.beta + 1) * p * r, self.beta * p + r)


@dataclass(frozen=True, kw_only=True, repr=False)
class SetAP(_OfSet):
    """Precision times recall of the set.

    SetAP = C(n)^2 / (n R)

    trec_eval set_map.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "c": 1}}, "SetAP").mean()
    0.25
    """

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        found, retrieved, possible = self.counts(ranked)
        return ratio(found * found, retrieved * possible)


@dataclass(frozen=True, kw_only=True, repr=False)
class Utility(_OfSet):
    """Linear utility of the four cells relevant or not by retrieved or not.

    Utility = a C(n) + b (n - C(n)) + c (R - C(n)) + d (docs + C(n) - n - R), `docs` the size of the collection

    trec_eval utility.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 3.0, "b": 2.0, "x": 1.0}}, {"1": {"a": 1}}, "Utility").mean()
    -1.0
    """

    a: float = 1.0
    b: float = -1.0
    c: float = 0.0
    d: float = 0.0
    docs: int = 0

    def bounds(self) -> tuple[float, float]:
        """As far as the weights and the lists go."""
        return -math.inf, math.inf

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        found, retrieved, possible = self.counts(ranked)
        unseen = self.docs + found - retrieved - possible
        return self.a * found + self.b * (retrieved - found) + self.c * (possible - found) + self.d * unseen
