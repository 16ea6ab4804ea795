"""Normalized cumulative utility: a measure of utility averaged over where users may stop (NTCIREVAL)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from truegain.measures.base import Gains, Measure, ratio
from truegain.measures.blended import ANY, Blend
from truegain.measures.dcg import mapped, regained
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, kw_only=True, repr=False)
class _Utility(Measure):
    AT = None
    BLENDED = False

    gains: Gains | None = None
    beta: float = 1
    judged_only: bool = False

    def check(self) -> None:
        """A negative weight of gain could make the ratio infinite."""
        self.require(self.beta >= 0, "beta must not be negative")

    @abstractmethod
    def stopping(self, labelled: RankedGains, blend: Blend) -> tuple[Floats, Floats]:
        """The weight of stopping at each entry, and the sum of the weights of all relevant documents per topic."""

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = regained(ranked, self.gains)
        blend = Blend.of(view, self.beta)
        utility = blend.ratio if self.BLENDED else blend.found / view.rank
        weight, total = self.stopping(ranked, blend)
        return ratio(view.total(np.where(blend.relevant, utility * weight, 0.0)), view.per_list(total))


@dataclass(frozen=True, kw_only=True, repr=False)
class _GradedUniform(_Utility):
    stops: Gains | None = None

    def stopping(self, labelled: RankedGains, blend: Blend) -> tuple[Floats, Floats]:  # noqa: ARG002
        """In proportion to the stop value of the label, its gain unless `stops` says otherwise."""
        relevant = regained(labelled, self.gains).item_gain > 0
        table = self.gains if self.stops is None else self.stops
        weight = mapped(labelled.gain, table)
        return weight, labelled.pool_total(np.where(relevant, mapped(labelled.item_gain, table), 0.0))


@dataclass(frozen=True, kw_only=True, repr=False)
class _RankBiased(_Utility):
    gamma: float = 0.95

    def check(self) -> None:
        """A share."""
        super().check()
        self.require(0 < self.gamma <= 1, "gamma must be above 0 and at most 1")

    def stopping(self, labelled: RankedGains, blend: Blend) -> tuple[Floats, Floats]:
        """Falling by gamma from one relevant document to the next."""
        possible = regained(labelled, self.gains).pool_relevant(ANY)
        steps = np.cumsum(self.gamma ** np.arange(int(possible.max(initial=0))))
        total = np.concatenate([[0.0], steps])[possible]
        return np.asarray(self.gamma ** (blend.found - 1.0)), total


@dataclass(frozen=True, kw_only=True, repr=False)
class NCUguP(_GradedUniform):
    """Precision where the user stops, who stops at a relevant document in proportion to its grade.

    NCUgu_P = sum over relevant ranks r of (C(r)/r) s(r) / sum over all relevant documents of s

    `stops={1:1,2:1,3:5}` maps labels to stop values s; without it they are the gains.
    NTCIREVAL NCUgu,P.  Sakai and Robertson 2008, EVIA.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"x": 3.0, "a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "NCUgu_P").mean()
    0.625
    """

    NAME = "NCUgu_P"


@dataclass(frozen=True, kw_only=True, repr=False)
class NCUguBR(_GradedUniform):
    """Blended ratio where the user stops, who stops at a relevant document in proportion to its grade.

    NCUgu_BR = sum over relevant ranks r of BR(r) s(r) / sum over all relevant documents of s, BR as in Q

    `stops` as in NCUgu_P.  NTCIREVAL NCUgu,BR.  Sakai and Robertson 2008, EVIA.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "NCUgu_BR").mean()
    0.875
    """

    NAME = "NCUgu_BR"
    BLENDED = True


@dataclass(frozen=True, kw_only=True, repr=False)
class NCUrbP(_RankBiased):
    """Precision where the user stops, who goes from one relevant document to the next with probability gamma.

    NCUrb_P = sum over relevant ranks r of (C(r)/r) gamma^(C(r) - 1) / sum over i = 1..R of gamma^(i - 1)

    NTCIREVAL NCUrb,P.  Sakai and Robertson 2008, EVIA.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "x": 1.0}}, {"1": {"a": 1, "b": 3}}, "NCUrb_P(gamma=0.5)").mean()
    0.6666666666666666
    """

    NAME = "NCUrb_P"


@dataclass(frozen=True, kw_only=True, repr=False)
class NCUrbBR(_RankBiased):
    """Blended ratio where the user stops, who goes from one relevant document to the next with probability gamma.

    NCUrb_BR = sum over relevant ranks r of BR(r) gamma^(C(r) - 1) / sum over i = 1..R of gamma^(i - 1), BR as in Q

    NTCIREVAL NCUrb,BR.  Sakai and Robertson 2008, EVIA.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "NCUrb_BR(gamma=0.5)").mean()
    0.6666666666666666
    """

    NAME = "NCUrb_BR"
    BLENDED = True
