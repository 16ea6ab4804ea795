"""Scores, differences and ranks from what a measure stands on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truegain.contrasts import Contrasts
from truegain.inference.limits import within
from truegain.inference.results import Comparison, Estimate
from truegain.inference.study.alike import ALIKE
from truegain.inference.study.anytime import nothing_in_common
from truegain.inference.study.hole_bounds import HoleBounds
from truegain.inference.study.lattice import Lattice
from truegain.inference.study.ranking import Ranking, freedom, largest_t
from truegain.measures.base import Measure
from truegain.moves import Spread
from truegain.student import p_of, p_values_of, quantiles_of, quantiles_of_p
from truegain.tables.columns import Bools, Floats, Ints, frozen

NO_DIFFERENCE = 1e-12  # of two scores that are exact
OF_DOCUMENTS = {"topics", "collection"}  # sources that bring other documents, not other labels alone
METHOD = "t, moves of all sources"
BY_WILSON = "wilson, moves of all sources"
EVERY_LOOK = "limits at every look"
AND_HOLES = " and holes"
LISTS = {"gold": "list of gold labels", "holes": "sample of unjudged documents"}
NOT_LISTED = "in the {}: it was drawn for other runs or another measure; draw one for these"
SCORE_NOT_LISTED = "in the {}, which was drawn for differences: the systems it was drawn for share {}"
NO_SCORES = "Scores are not estimated: the list of gold labels was drawn to estimate differences."
NO_WIDTH = (
    "all topics score exactly the same, so the interval would have no width, which is not credible; use more topics or "
    "another measure"
)
NO_SPREAD = 1e-10  # of a score: a standard error below is none


@dataclass(frozen=True, eq=False)
class Answering:
    """One measure of some systems: what it stands on, and how sure answers shall be."""

    systems: tuple[str, ...]
    measure: Measure
    lattice: Lattice
    confidence: float
    topics: int
    alike: Callable[[int, int], bool] | None = None  # whether two systems rank the judged documents alike, if known

    @property
    def note(self) -> str:
        """What the scores stand for, where they are not the measure itself."""
        return self.lattice.evidence.about.note

    @property
    def of_pairs(self) -> str:
        """How differences are told, where they are not those of the scores."""
        return self.lattice.evidence.about.pairs

    @property
    def name(self) -> str:
        """What is told: the measure, or what stands for it."""
        return self.lattice.evidence.about.name or str(self.measure)

    @cached_property
    def scores(self) -> Floats:
        """The score of each system; NaN where a list leaves some of its documents out, or too few labels tell it.

        A list of gold labels that is not judged to its end was drawn for differences, and tells no score by itself.
        """
        evidence, asked = self.lattice.evidence, Contrasts.scores(len(self.systems))
        lacking, touching = evidence.unlisted(asked), evidence.touching(asked)
        unknown = np.zeros(len(asked), np.bool_) if lacking is None else lacking > 0
        if touching is not None and not self.lattice.exact:
            unknown |= touching < evidence.least_gold
        if self._tells_differences:
            unknown[:] = True
        return np.where(unknown, np.nan, evidence.value)

    @property
    def _tells_differences(self) -> bool:
        about = self.lattice.evidence.about
        return about.source == "gold" and about.order is not None and not about.exact

    def estimates(self, over: str) -> list[Estimate]:
        """The score of every system."""
        spread = self.lattice.spread(Contrasts.scores(len(self.systems)), self.confidence)
        value = self.lattice.evidence.value
        low, high = self.lattice.score_limits(spread, self.measure.bounds(), self.confidence)
        touching = self.lattice.evidence.touching(Contrasts.scores(len(self.systems)))
        least, most = (-math.inf, math.inf) if self.note else self.measure.bounds()
        if (known_bounds := self.lattice.evidence.near_bounds()) is not None:
            least, most = max(least, known_bounds[1][0]), min(most, known_bounds[1][1])
        unlisted = self.lattice.evidence.unlisted(Contrasts.scores(len(self.systems)))
        known = _without_holes(self.lattice, Contrasts.scores(len(self.systems)))
        method = BY_WILSON if self.lattice.by_wilson(self.measure.bounds()) else METHOD
        out = []
        for s, system in enumerate(self.systems):
            few = None if touching is None else int(touching[s])
            notes = _unknown(False, few, self.lattice, "what it retrieved")
            if unlisted is not None and unlisted[s]:
                n = int(unlisted[s])
                why = SCORE_NOT_LISTED.format(LISTS[self.lattice.labels], "it" if n == 1 else "them")
                notes = (f"{_documents(n, f'of {system}')} {why}",)
            if not notes and not spread.variance[s] > NO_DIFFERENCE**2 and not self.lattice.exact and not known[s]:
                notes = (NO_WIDTH,)
            at = min(max(float(value[s]), least), most)
            held = (math.nan,) * 3 if notes else (at, min(float(low[s]), at), max(float(high[s]), at))
            out.append(
                Estimate(
                    system, self.name, *held, confidence=self.confidence, over=over, method=method,
                    se=None if notes else float(np.sqrt(spread.variance[s])), n=self.topics, notes=notes,
                )
            )  # fmt: skip
        return out

    def differences(self, asked: Contrasts) -> list[Comparison]:
        """The differences of pairs of systems; one that nothing moves has no interval.

        One that few gold labels touch, or that documents move which are not on the list, has no value either: NaN.
        """
        lattice = self.lattice
        spread, value = lattice.spread(asked, self.confidence), lattice.evidence.value
        naive, naive_spread = asked.values(lattice.naive.value), lattice.naive.over_topics(asked)
        touching, exact = lattice.evidence.touching(asked), lattice.exact
        own, unlisted = lattice.evidence.touching(Contrasts.scores(len(self.systems))), lattice.evidence.unlisted(asked)
        difference = lattice.evidence.values(asked)
        difference = np.where(np.abs(difference) < NO_DIFFERENCE, 0.0, difference) if exact else difference
        low, high = lattice.difference_limits(asked, difference, spread, self.confidence)
        stuck, t_of = lattice.evidence.stuck(asked), self._t(asked, spread, None)
        empty = low > high
        low, high = within(low, high, self.measure.bounds(), value=difference, differences=True)
        out = []
        for i, (a, b) in enumerate(zip(asked.a.tolist(), asked.b.tolist(), strict=True)):
            se, n = float(np.sqrt(spread.variance[i])), float(np.sqrt(naive_spread.variance[i]))
            still = se <= NO_SPREAD * max(abs(float(value[a])), abs(float(value[b]))) and not stuck[i]
            notes = () if exact else _unknown(still, None if touching is None else int(touching[i]), lattice)
            known = exact or still or not notes
            if still and not exact and self._same(a, b):
                notes = ("the two score the same in every topic",)
            near = not exact or difference[i] == 0  # whatever ranks alike scores alike: a look at each pair takes long
            alike = still and near and self.are_alike(a, b)
            if alike and not exact:
                notes = (f"{ALIKE}, so these data cannot separate them",)
            if own is not None and lattice.labels == "gold" and unlisted is None and not (exact or (own[a] and own[b])):
                notes = (f"no gold label is of what {self.systems[b if own[a] else a]} retrieved: draw some from it",)
                known = False
            if unlisted is not None and unlisted[i]:
                why = NOT_LISTED.format(LISTS[lattice.labels])
                affect = "affects" if unlisted[i] == 1 else "affect"
                notes, known = (f"{_documents(int(unlisted[i]), f'that {affect} this difference')} {why}",), False
            if empty[i] and not notes:
                notes = (nothing_in_common(self.confidence),)
            if alike and not lattice.over & OF_DOCUMENTS:  # whatever the labels are
                notes, known, difference[i], low[i], high[i] = (), True, 0.0, 0.0, 0.0
            t = t_of[i] if stuck[i] else difference[i] / se if se > 0 else 0.0
            out.append(
                Comparison(
                    self.systems[a], self.systems[b], self.name, float(self.scores[a]), float(self.scores[b]),
                    float(difference[i]) if known else math.nan, None if notes else float(low[i]),
                    None if notes else float(high[i]),
                    None if notes or exact or alike or lattice.looks or not se
                    else p_of(float(t), float(spread.df[i])),
                    test=METHOD if lattice.looks is None else EVERY_LOOK,
                    confidence=self.confidence, n=self.topics, naive=float(naive[i]),
                    naive_p=p_of(float(naive[i]) / n, float(naive_spread.df[i])) if n > 0 else None, notes=notes,
                )
            )  # fmt: skip
        return out

    def are_alike(self, a: int, b: int) -> bool:
        """Whether two systems rank the judged documents alike, and no unjudged one that a sample stands for differs."""
        if self.alike is None or not self.alike(a, b):
            return False
        return self.lattice.labels != "holes" or bool(self.lattice.evidence.unmoved(Contrasts.of([(a, b)]))[0])

    def _same(self, a: int, b: int) -> bool:
        by_topic = self._contributions
        return bool((by_topic[:, a] == by_topic[:, b]).all())

    @cached_property
    def _contributions(self) -> Floats:
        return self.lattice.evidence.contributions()

    def widened(self, asked: Contrasts, bounds: HoleBounds | None) -> list[Comparison]:
        """Differences whose limits and p hold whatever the labels of unjudged documents: see `HoleBounds`."""
        found = self.differences(asked)
        if bounds is None:
            return found
        spread, exact = self.lattice.spread(asked, self.confidence), self.lattice.exact
        fall, rise, *more = (np.maximum(side, 0.0) for side in bounds.sides(asked))
        variance = np.zeros(len(asked)) if exact else spread.variance
        wide = [np.sqrt(variance + x) - np.sqrt(variance) for x in more]
        quantiles, t = quantiles_of(self.confidence, spread.df), self._t(asked, spread, bounds)
        low = np.array([math.nan if c.low is None else c.low for c in found]) - fall - quantiles * wide[0]
        high = np.array([math.nan if c.high is None else c.high for c in found]) + rise + quantiles * wide[1]
        at = np.array([c.difference for c in found])
        low, high = within(low, high, self.measure.bounds(), value=at, differences=True)
        return [
            c if c.low is None or not (fall[i] or rise[i]) else replace(
                c, low=float(low[i]), high=float(high[i]), test=f"{c.test}{AND_HOLES}",
                p=None if c.p is None else p_of(float(t[i]), float(spread.df[i])),
            )
            for i, c in enumerate(found)
        ]  # fmt: skip

    def _t(self, asked: Contrasts, spread: Spread, bounds: HoleBounds | None) -> Floats:
        """|t| of each difference, after what holes and what nobody could judge may take from it.

        0 where nothing moves it, or these turn it.
        """
        difference = self.lattice.evidence.values(asked)
        variance, far = spread.variance, np.abs(difference)
        if bounds is not None:
            fall, rise, less, more = bounds.sides(asked)
            far = np.maximum(far - np.where(difference > 0, fall, rise), 0.0)
            variance = variance + np.where(difference > 0, less, more)
        far, variance = far.copy(), variance.copy()
        for i, worst, best in self.lattice.ends(asked, spread):
            value, wide = worst if difference[i] > 0 else best
            far[i] = max(far[i] - abs(float(difference[i] - value[0])), 0.0)
            variance[i] += max(0.0, float(wide.variance[0] - spread.variance[i]))
        return np.asarray(far / np.where(spread.variance > 0, np.sqrt(variance), np.inf))

    def all_differences(self, seed: int, bounds: HoleBounds | None = None) -> list[Comparison]:
        """Every pair of systems, p also adjusted for all of them: the share of draws whose largest |t| is no smaller.

        Westfall and Young 1993, Resampling-Based Multiple Testing, section 2.6; a pair without p stays in the family.
        """
        asked = Contrasts.all_pairs(len(self.systems))
        found, spread = self.widened(asked, bounds), self.lattice.spread(asked, self.confidence)
        if len(found) < 2:
            return found
        largest = np.sort(self._largest_t(spread, asked, seed))
        t = _on_one_scale(self._t(asked, spread, bounds), spread)
        above = len(largest) - np.searchsorted(largest, t, side="left")
        adjusted = (above + 1) / (len(largest) + 1)
        return [
            c if c.p is None else replace(c, p_adjusted=max(c.p, float(q)), adjustment="largest t")
            for c, q in zip(found, adjusted, strict=True)
        ]

    def ranking(self, seed: int, open_: Bools, notes: tuple[str, ...], bounds: HoleBounds | None = None) -> Ranking:
        """Which systems may be best, tiers and ranks with limits, all pairs at once.

        open_: systems that cannot be told from any other, such as those whose calibration is borrowed.
        bounds: what unjudged documents could do, where the answer shall hold whatever their labels.
        """
        asked = Contrasts.all_pairs(len(self.systems))
        spread, value = self.lattice.spread(asked, self.confidence), self.lattice.evidence.value
        quantile = float(np.quantile(self._largest_t(spread, asked, seed), self.confidence))
        difference, t = self.lattice.evidence.values(asked), _on_one_scale(self._t(asked, spread, bounds), spread)
        size = np.maximum(np.abs(value[asked.a]), np.abs(value[asked.b]))
        moves = np.sqrt(spread.variance) > NO_SPREAD * size
        sure = (t > quantile) & moves & ~open_[asked.a] & ~open_[asked.b]
        if self.lattice.exact:
            far = 0.0 if bounds is None else np.where(difference > 0, *bounds.sides(asked)[:2])
            sure = (np.abs(difference) - far > NO_DIFFERENCE) & ~open_[asked.a] & ~open_[asked.b]
        elif (touching := self.lattice.evidence.touching(asked)) is not None:
            sure &= touching >= self.lattice.evidence.least_gold
        if (lacking := self.lattice.evidence.unlisted(asked)) is not None:
            sure &= lacking == 0
        ahead = np.zeros((len(self.systems),) * 2, np.bool_)
        up, down = sure & (difference > 0), sure & (difference < 0)
        ahead[asked.b[up], asked.a[up]] = True
        ahead[asked.a[down], asked.b[down]] = True
        if self._tells_differences:
            notes = (*notes, NO_SCORES)
        found = Ranking.of(
            self.systems, value, ahead, measure=self.name, confidence=self.confidence, notes=notes, open_=open_
        )
        shown = dict(zip(self.systems, self.scores.tolist(), strict=True))
        unknown = tuple(s for s, lent in zip(self.systems, open_, strict=True) if lent)
        return replace(found, value=frozen(np.array([shown[s] for s in found.systems])), open=unknown)

    @cached_property
    def _drawn(self) -> dict[int, Floats]:
        """Draws of the largest |t| over all pairs, by seed: rankings and adjusted p ask for the same."""
        return {}

    def _largest_t(self, spread: Spread, asked: Contrasts, seed: int) -> Floats:
        """Draws of the largest |t| of all pairs, the systems by name: the order of files changes nothing."""
        if seed not in self._drawn:
            self._drawn[seed] = self._draw(spread, asked, seed)
        return self._drawn[seed]

    def _draw(self, spread: Spread, asked: Contrasts, seed: int) -> Floats:
        named = np.unique(np.concatenate([asked.a, asked.b]))
        order = np.array(sorted(named.tolist(), key=self.systems.__getitem__))
        place = np.zeros(len(self.systems), np.int64)
        place[order] = np.arange(len(order))
        return largest_t(self._covariance(order), spread, Contrasts(place[asked.a], place[asked.b]), seed)

    def _covariance(self, of: Ints) -> Floats:
        """Of the scores of some systems: from the variances of scores and of all differences."""
        alone = self.lattice.spread(Contrasts.scores(len(self.systems)), self.confidence).variance[of]
        pairs = Contrasts.all_pairs(len(of))
        out = np.diag(alone)
        differences = self.lattice.spread(Contrasts(of[pairs.a], of[pairs.b]), self.confidence).variance
        out[pairs.a, pairs.b] = out[pairs.b, pairs.a] = (alone[pairs.a] + alone[pairs.b] - differences) / 2
        return out

    def together(self, asked: Contrasts, seed: int) -> tuple[Floats, Floats, Floats]:
        """Standard errors to either side that hold each difference by itself and all at once, and its variance.

        All at once: the quantile of the largest |t| of these, as in `ranking`; where a standard error is less sure
        than all are taken to be, that with the same p.
        """
        spread = self.lattice.spread(asked, self.confidence)
        own = quantiles_of(self.confidence, spread.df)
        if len(asked) < 2 or self.lattice.exact or not (spread.variance > 0).any():
            return own, own, spread.variance
        largest = float(np.quantile(self._draw(spread, asked, seed), self.confidence))
        k = freedom(spread)
        all_ = np.full(len(asked), largest)
        for df in np.unique(spread.df[spread.df < k - 0.5]):
            all_[spread.df == df] = quantiles_of_p(p_values_of(largest, k), float(df))
        return own, np.maximum(own, all_), spread.variance


def _on_one_scale(t: Floats, spread: Spread) -> Floats:
    """|t| of differences, made smaller where the standard error is less sure than `largest_t` takes all to be.

    t' has as large a p with the freedom that all are drawn with as t has with its own.
    """
    k = freedom(spread)
    less = (spread.variance > 0) & (spread.df < k - 0.5)
    if not less.any():
        return t
    out = t.copy()
    out[less] = quantiles_of_p(p_values_of(t[less], spread.df[less]), k)
    return out


def _without_holes(lattice: Lattice, asked: Contrasts) -> Bools:
    """What is exact for these topics beside others that are not: no unjudged document moves it."""
    return np.zeros(len(asked), np.bool_) if lattice.over else lattice.evidence.unmoved(asked)


def _documents(n: int, which: str) -> str:
    """So many documents that are not where they should be.

    >>> _documents(1, "of bm25"), _documents(1200, "of bm25")
    ('1 document of bm25 is not', '1,200 documents of bm25 are not')
    """
    return f"{n:,} {'document' if n == 1 else 'documents'} {which} {'is' if n == 1 else 'are'} not"


def _unknown(
    still: bool, touching: int | None, lattice: Lattice, where: str = "what the two systems retrieved"
) -> tuple[str, ...]:
    """Why a difference has no interval: it is the same whatever is left out, but for rounding; or few labels tell."""
    notes, least = [], lattice.evidence.least_gold
    if still:
        notes.append("it is the same whichever unit is left out, so its uncertainty cannot be estimated")
    elif touching is not None and touching < least:
        kind = "gold label" if lattice.labels == "gold" else "label of the sample"
        order = lattice.evidence.about.order
        left = 0 if order is None else len(order.sizes) - order.n
        more = ": judge the next rows of the list" if left else f": draw them from {where}"
        if 0 < left <= least - touching:
            more = f", or all of the list: judge its last {'row' if left == 1 else f'{left} rows'}"
        kinds = "labels of the sample" if lattice.labels != "gold" else f"{kind}s"
        labels = f"only 1 {kind} affects it" if touching == 1 else f"only {touching} {kinds} affect it"
        labels = labels if touching else f"no {kind} affects it"
        notes.append(f"{labels}; at least {least} are needed{more}")
    return tuple(notes)
