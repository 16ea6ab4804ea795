"""Pairs of systems on other collections: the mean difference over topics, and how far it moves.

The same document has the same copies in both lists (or is left out of both), so what systems share cancels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from truegain.contrasts import Contrasts
from truegain.errors import TruegainError
from truegain.inference.collection.expansion import DrawWords, check_drawable
from truegain.inference.collection.few import FEW_TOPICS, pooled, two_sided
from truegain.inference.collection.score import Scored, spread_rule, spreads_of
from truegain.inference.limits import within
from truegain.inference.multiple import adjust_asked
from truegain.inference.results import Comparison
from truegain.measures.base import Measure
from truegain.sampling.spread import TopicSpread
from truegain.student import quantiles_of
from truegain.tables.columns import Bools, Floats, Ints
from truegain.tables.ranked import RankedGains
from truegain.tables.table import Table


@dataclass(frozen=True, eq=False)
class MeanDifferences:
    """Pairs of systems that share some topics, by topic, and how far each topic moves over collections."""

    scored: Scored
    pairs: tuple[tuple[int, int], ...]
    spreads: list[TopicSpread]
    paired: bool

    @property
    def sides(self) -> tuple[Ints, Ints]:
        """The systems a and b of all pairs."""
        a, b = np.array(self.pairs, np.int64).T
        return a, b

    def common(self) -> Bools:
        """Pairs by topics: where both systems have a value."""
        a, b = self.sides
        there = ~np.isnan(self.scored.values)
        return np.asarray(there[a] & there[b])

    def errors(self, paired: bool) -> tuple[Floats, Floats]:
        """The standard error of each mean difference, and its degrees of freedom."""
        asked = Contrasts(*self.sides)
        variance, freedom = pooled(self.spreads, asked, spread_rule(self.scored.measure).lone, paired).total()
        return np.sqrt(variance) / self.common().sum(axis=1), freedom

    def comparisons(self, adjustment: str = "holm") -> list[Comparison]:
        """Mean difference +- t(df) sqrt(V) of each pair, with p, adjusted for the number of pairs."""
        scored, common = self.scored, self.common()
        values = np.where(np.isnan(scored.values), 0.0, scored.values)
        a, b = self.sides
        count = common.sum(axis=1)
        value_a, value_b = ((values[side] * common).sum(axis=1) / count for side in (a, b))
        difference = ((values[b] - values[a]) * common).sum(axis=1) / count
        se, freedom = self.errors(self.paired)
        step = quantiles_of(scored.confidence, freedom) * se
        p = two_sided(difference, se, freedom)
        known = ~np.isnan(p)
        adjusted = adjust_asked(p, adjustment)
        how = spread_rule(scored.measure).how
        test = f"mean difference, t, {'paired' if self.paired else 'independent'} collections, documents {how}"
        low, high = within(
            difference - step, difference + step, scored.measure.bounds(), value=difference, differences=True
        )
        notes = self._notes(se, known, how)
        several = len(p) > 1
        found = []
        for i, (first, second) in enumerate(self.pairs):
            one, other, apart = (float(x[i]) for x in (value_a, value_b, difference))
            least, most, chance = (float(x[i]) if known[i] else None for x in (low, high, p))
            found.append(
                Comparison(
                    scored.systems[first], scored.systems[second], str(scored.measure), one, other, apart, least, most,
                    chance, p_adjusted=float(adjusted[i]) if known[i] and several else None, test=test,
                    adjustment=adjustment if several else "", confidence=scored.confidence, n=int(count[i]),
                    notes=notes,
                )
            )  # fmt: skip
        return found

    def _notes(self, se: Floats, known: Bools, how: str) -> tuple[str, ...]:
        notes = ["the topics are held fixed: other collections, the same topics; all topics weigh alike."]
        if self.paired and (se[known] > 0).any():
            alone, _ = self.errors(paired=False)
            moving = known & (se > 0)
            ratio = float(np.median(se[moving] / alone[moving]))
            notes.append(
                f"on the same collections the spread of a difference is {ratio:.2f} times that of independent ones"
                + (" (median of the pairs)." if moving.sum() > 1 else ".")
            )
        if unknown := int(np.isnan(se).sum()):
            notes.append(
                f"{unknown} pairs have topics with one relevant document only, which do not tell how far a difference "
                "moves; they have no interval."
            )
        if still := int((~known & (se == 0)).sum()):
            how = how.replace(" and ", " or ")
            notes.append(
                f"{still} pairs differ and no document {how} moves their difference, so how far it moves is not known; "
                "they have no interval."
            )
        return tuple(notes)

    def table(self) -> Table:
        """One pair topic by topic."""
        (first, second), values = self.pairs[0], self.scored.values
        a, b = self.sides
        rows: list[tuple[float | int | str | bool | None, ...]] = []
        for t in np.flatnonzero(self.common()[0]).tolist():
            spread = self.spreads[t]
            known = spread.relevant != 1 or spread_rule(self.scored.measure).lone == "own"
            variances = (np.add(*spread.of_pairs(a, b, paired))[0] for paired in (True, False))
            sds = [float(np.sqrt(variance)) if known else None for variance in variances]
            one, other = float(values[first, t]), float(values[second, t])
            rows.append((self.scored.topics[t], spread.relevant, one, other, other - one, *sds))
        systems = self.scored.systems
        columns = ("topic", "R", systems[first], systems[second], "difference", "sd paired", "sd independent")
        title = f"{self.scored.measure} by topic, and its spread over collections"
        return Table(columns, rows, {}, title, ("a topic with one relevant document does not tell its own spread.",))


def mean_differences(
    ranked: RankedGains,
    measure: Measure,
    pairs: Sequence[tuple[int, int]],
    *,
    paired: bool = True,
    confidence: float = 0.95,
    **drawing: Unpack[DrawWords],
) -> MeanDifferences:
    """Differences b - a of pairs of systems, by number, over collections; an error where topics are too few.

    How all systems move together is held for each topic: about 18 bytes x topics x systems^2 for AP, 28 for measures
    that are drawn, twice that for those of both, however few pairs are asked for.
    """
    check_drawable(measure)
    if measure.mean != "arithmetic":
        raise TruegainError(f"{measure} is not a mean over topics; differences over collections are of means")
    scored = Scored.of(ranked, measure, confidence)
    for a, b in pairs:
        if (shared := scored.telling(a, b)) < FEW_TOPICS:
            raise TruegainError(
                f"{ranked.systems[a]} and {ranked.systems[b]} share {shared} topics with relevant documents; that is "
                f"too few relevant documents to say how far a difference moves: give {FEW_TOPICS} topics or more"
            )
    return MeanDifferences(scored, tuple(pairs), spreads_of(ranked, measure, pairs=True, **drawing), paired)
