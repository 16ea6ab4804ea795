"""Scores, differences and ranks from what a measure stands on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truegain.contrasts import Contrasts
from truegain.inference.limits import within
from truegain.inference.results import Comparison, Estimate
from truegain.inference.study.by_list import ByList
from truegain.inference.study.evidence import LEAST_GOLD, ByGoldPairs
from truegain.inference.study.lattice import Lattice, limits
from truegain.inference.study.ranking import Ranking, largest_t
from truegain.measures.base import Measure
from truegain.moves import Spread
from truegain.student import p_of
from truegain.tables.columns import Bools, Floats, Ints, frozen

TINY = 1e-12
METHOD = "t, moves of all sources"
EVERY_LOOK = "limits at every look"
NOT_LISTED = (
    "are not on the list of gold labels: it was drawn for other runs or another measure; draw one for these (truegain "
    "plan labels)"
)
SCORE_NOT_LISTED = "are not on the list of gold labels, which tells differences: the systems it was for share them"
NO_WIDTH = (
    "all topics say exactly the same, so the interval would have no width, which is not to be believed; use more "
    "topics or another measure"
)
ROUNDING = 1e-10  # of a score: a standard error below is none


@dataclass(frozen=True, eq=False)
class Answering:
    """One measure of some systems: what it stands on, and how sure answers shall be."""

    systems: tuple[str, ...]
    measure: Measure
    lattice: Lattice
    confidence: float
    topics: int

    @property
    def note(self) -> str:
        """What the scores stand for, where they are not the measure itself."""
        return self.lattice.evidence.note if isinstance(self.lattice.evidence, ByList) else ""

    @property
    def name(self) -> str:
        """What is told: the measure, or what stands for it."""
        evidence = self.lattice.evidence
        return (evidence.listed.name if isinstance(evidence, ByList) else "") or str(self.measure)

    @cached_property
    def scores(self) -> Floats:
        """The score of each system; NaN where documents that a list leaves out make it unknown."""
        lacking = _unlisted(self.lattice, Contrasts.scores(len(self.systems)))
        value = self.lattice.evidence.value
        return value if lacking is None else np.where(lacking > 0, np.nan, value)

    def estimates(self, over: str) -> list[Estimate]:
        """The score of every system."""
        spread = self.lattice.spread(Contrasts.scores(len(self.systems)), self.confidence)
        value = self.lattice.evidence.value
        low, high = self.lattice.score_limits(spread, self.measure.bounds(), self.confidence)
        touching = self.lattice.evidence.touching(Contrasts.scores(len(self.systems)))
        least, most = (-math.inf, math.inf) if self.note else self.measure.bounds()
        unlisted = _unlisted(self.lattice, Contrasts.scores(len(self.systems)))
        out = []
        for s, system in enumerate(self.systems):
            few = None if touching is None else int(touching[s])
            notes = _unknown(False, few, self.lattice.labels, "what it retrieved")
            if unlisted is not None and unlisted[s]:
                notes = (f"{unlisted[s]:,} of its documents {SCORE_NOT_LISTED}",)
            if not notes and not spread.variance[s] > TINY**2 and not _exact(self.lattice):
                notes = (NO_WIDTH,)
            held = (math.nan,) * 3 if notes else (min(max(float(value[s]), least), most), float(low[s]), float(high[s]))
            out.append(
                Estimate(
                    system, self.name, *held, level=self.confidence, over=over, method=METHOD,
                    se=None if notes else float(np.sqrt(spread.variance[s])), n=self.topics, notes=notes,
                )
            )  # fmt: skip
        return out

    def differences(self, asked: Contrasts) -> list[Comparison]:
        """The differences of pairs of systems; one that nothing moves, or few gold labels touch, has no interval."""
        lattice = self.lattice
        spread, value = lattice.spread(asked, self.confidence), lattice.evidence.value
        naive, naive_spread = asked.values(lattice.naive.value), lattice.naive.over_topics(asked)
        touching, exact = lattice.evidence.touching(asked), _exact(lattice)
        own, unlisted = lattice.evidence.touching(Contrasts.scores(len(self.systems))), _unlisted(lattice, asked)
        difference = asked.values(value)
        difference = np.where(np.abs(difference) < TINY, 0.0, difference) if exact else difference
        low, high = within(*limits(difference, spread, self.confidence), self.measure.bounds(), differences=True)
        out = []
        for i, (a, b) in enumerate(zip(asked.a.tolist(), asked.b.tolist(), strict=True)):
            se, n = float(np.sqrt(spread.variance[i])), float(np.sqrt(naive_spread.variance[i]))
            still = se <= ROUNDING * max(abs(float(value[a])), abs(float(value[b])))
            notes = () if exact else _unknown(still, None if touching is None else int(touching[i]), lattice.labels)
            if still and not exact and self._same(a, b):
                notes = ("the two score the same in every topic",)
            if own is not None and lattice.labels == "gold" and unlisted is None and not (exact or (own[a] and own[b])):
                notes = (f"no gold label is of what {self.systems[b if own[a] else a]} retrieved: draw some from it",)
            if unlisted is not None and unlisted[i]:
                notes = (f"{unlisted[i]:,} documents that move this difference {NOT_LISTED}",)
            t = difference[i] / se if se > 0 else 0.0
            out.append(
                Comparison(
                    self.systems[a], self.systems[b], self.name, float(self.scores[a]), float(self.scores[b]),
                    float(difference[i]), None if notes else float(low[i]), None if notes else float(high[i]),
                    None if notes or exact or lattice.looks else p_of(float(t), float(spread.df[i])),
                    test=METHOD if lattice.looks is None else EVERY_LOOK,
                    level=self.confidence, n=self.topics, naive=float(naive[i]),
                    naive_p=p_of(float(naive[i]) / n, float(naive_spread.df[i])) if n > 0 else None, notes=notes,
                )
            )  # fmt: skip
        return out

    def _same(self, a: int, b: int) -> bool:
        by_topic = self._contributions
        return bool((by_topic[:, a] == by_topic[:, b]).all())

    @cached_property
    def _contributions(self) -> Floats:
        return self.lattice.evidence.contributions()

    def all_differences(self, seed: int) -> list[Comparison]:
        """Every pair of systems, p also adjusted for all of them: the share of draws whose largest |t| is no smaller.

        Westfall and Young 1993, Resampling-Based Multiple Testing, section 2.6; a pair without p stays in the family.
        """
        asked = Contrasts.all_pairs(len(self.systems))
        found, spread = self.differences(asked), self.lattice.spread(asked, self.confidence)
        if len(found) < 2:
            return found
        largest = np.sort(self._largest_t(spread, asked, seed))
        error = np.where(spread.variance > 0, np.sqrt(spread.variance), np.inf)
        t = np.abs(asked.values(self.lattice.evidence.value)) / error
        above = len(largest) - np.searchsorted(largest, t, side="left")
        adjusted = (above + 1) / (len(largest) + 1)
        return [
            c if c.p is None else replace(c, p_adjusted=max(c.p, float(q)), adjustment="largest t")
            for c, q in zip(found, adjusted, strict=True)
        ]

    def ranking(self, seed: int, open_: Bools, notes: tuple[str, ...]) -> Ranking:
        """Which systems may be best, tiers and ranks with limits, all pairs at once.

        open_: systems that cannot be told from any other, such as those whose calibration is borrowed.
        """
        asked = Contrasts.all_pairs(len(self.systems))
        spread, value = self.lattice.spread(asked, self.confidence), self.lattice.evidence.value
        quantile = float(np.quantile(self._largest_t(spread, asked, seed), self.confidence))
        difference, half = asked.values(value), quantile * np.sqrt(spread.variance)
        size = np.maximum(np.abs(value[asked.a]), np.abs(value[asked.b]))
        moves = np.sqrt(spread.variance) > ROUNDING * size
        sure = (np.abs(difference) > half) & moves & ~open_[asked.a] & ~open_[asked.b]
        if _exact(self.lattice):
            sure = (np.abs(difference) > TINY) & ~open_[asked.a] & ~open_[asked.b]
        elif (touching := self.lattice.evidence.touching(asked)) is not None:
            sure &= touching >= LEAST_GOLD
        if (lacking := _unlisted(self.lattice, asked)) is not None:
            sure &= lacking == 0
        ahead = np.zeros((len(self.systems),) * 2, np.bool_)
        up, down = sure & (difference > 0), sure & (difference < 0)
        ahead[asked.b[up], asked.a[up]] = True
        ahead[asked.a[down], asked.b[down]] = True
        found = Ranking.of(self.systems, value, ahead, measure=self.name, confidence=self.confidence, notes=notes)
        shown = dict(zip(self.systems, self.scores.tolist(), strict=True))
        unknown = tuple(s for s, lent in zip(self.systems, open_, strict=True) if lent)
        return replace(found, value=frozen(np.array([shown[s] for s in found.systems])), open=unknown)

    def _largest_t(self, spread: Spread, asked: Contrasts, seed: int) -> Floats:
        """Draws of the largest |t|, the systems by name, so that the order of files changes nothing."""
        order = np.array(sorted(range(len(self.systems)), key=self.systems.__getitem__))
        place = np.argsort(order)
        covariance = self._covariance()[np.ix_(order, order)]
        return largest_t(covariance, spread, Contrasts(place[asked.a], place[asked.b]), seed)

    def _covariance(self) -> Floats:
        """Of all scores: from the variances of scores and of all differences."""
        n = len(self.systems)
        alone = self.lattice.spread(Contrasts.scores(n), self.confidence).variance
        pairs = Contrasts.all_pairs(n)
        out = np.diag(alone)
        both = (alone[pairs.a] + alone[pairs.b] - self.lattice.spread(pairs, self.confidence).variance) / 2
        out[pairs.a, pairs.b] = out[pairs.b, pairs.a] = both
        return out


def _exact(lattice: Lattice) -> bool:
    """Whether all labels are gold and nothing else is spoken of."""
    evidence = lattice.evidence
    if lattice.over:
        return False
    if isinstance(evidence, ByList):
        return evidence.draws.whole
    return isinstance(evidence, ByGoldPairs) and not evidence.fit.unseen.any()


def _unlisted(lattice: Lattice, asked: Contrasts) -> Ints | None:
    """Documents that move each contrast and that a list of gold labels leaves out; None where there is no list."""
    return lattice.evidence.unlisted(asked) if isinstance(lattice.evidence, ByList) else None


def _unknown(
    still: bool, touching: int | None, what: str = "gold", where: str = "what the two systems retrieved"
) -> tuple[str, ...]:
    """Why a difference has no interval: it is the same whatever is left out, but for rounding; or few labels tell."""
    notes = []
    if still:
        notes.append("no unit moves this difference, so how sure it is cannot be told")
    elif touching is not None and touching < LEAST_GOLD:
        kind = "gold label" if what == "gold" else "sampled hole"
        labels = f"1 {kind} touches it" if touching == 1 else f"{touching} {kind}s touch it"
        notes.append(f"{labels}; at least {LEAST_GOLD} are needed: draw them from {where}")
    return tuple(notes)
