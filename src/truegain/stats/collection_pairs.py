"""Pairs of systems on other collections: which are compared, how, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, Unpack, get_args

import numpy as np

from truegain._version import __version__
from truegain.config import RESAMPLES, Scoring
from truegain.data.alignment import aligned
from truegain.data.judgments import JudgmentsLike
from truegain.data.pool import RankedGains
from truegain.data.runs import RunsLike
from truegain.errors import TruegainError, check_one_of
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasuresLike, parse_measures
from truegain.measures.scoring import at_level, heeded, matching_for, refuse_chosen
from truegain.message import arg
from truegain.parallel.jobs import Progress, engine_for
from truegain.results.base import Table
from truegain.sampling.jackknife import TopicSpread
from truegain.stats.collection_ap import collection_differences, combined_comparisons
from truegain.stats.collection_intervals import (
    FEW_TOPICS,
    Scored,
    left_out_of,
    pooled,
    spread_rule,
    spreads_of,
    two_sided,
)
from truegain.stats.contrasts import Contrasts, place_of, within
from truegain.stats.multiple_testing import adjust_asked, check_replicates
from truegain.stats.other_collections import DrawWords, check_drawable, keys_needed
from truegain.stats.results import Comparison, ResultList
from truegain.stats.student_t import check_confidence, quantiles_of

# ---- Pairs of systems on other collections: the mean difference over topics, and how far it moves.
#
# The same document has the same copies in both lists (or is left out of both), so what systems share cancels.


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
        contrasts = Contrasts(*self.sides)
        variance, freedom = pooled(self.spreads, contrasts, spread_rule(self.scored.measure).lone, paired).total()
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
        has_p = ~np.isnan(p)
        adjusted = adjust_asked(p, adjustment)
        how = spread_rule(scored.measure).how
        test = f"mean difference, t, {'paired' if self.paired else 'independent'} collections, documents {how}"
        low, high = within(
            difference - step, difference + step, scored.measure.bounds(), value=difference, differences=True
        )
        notes = self._notes(se, has_p, how)
        several = len(p) > 1
        comparisons = []
        for i, (first, second) in enumerate(self.pairs):
            one, other, apart = (float(x[i]) for x in (value_a, value_b, difference))
            least, most, chance = (float(x[i]) if has_p[i] else None for x in (low, high, p))
            comparisons.append(
                Comparison(
                    scored.systems[first], scored.systems[second], str(scored.measure), one, other, apart, least, most,
                    chance, p_adjusted=float(adjusted[i]) if has_p[i] and several else None, test=test,
                    adjustment=adjustment if several else "", confidence=scored.confidence, n=int(count[i]),
                    notes=notes,
                )
            )  # fmt: skip
        return comparisons

    def _notes(self, se: Floats, has_p: Bools, how: str) -> tuple[str, ...]:
        notes = ["for other collections and the same topics; all topics weigh the same."]
        if self.paired and (se[has_p] > 0).any():
            unpaired_se, _ = self.errors(paired=False)
            moving = has_p & (se > 0)
            ratio = float(np.median(se[moving] / unpaired_se[moving]))
            notes.append(
                "with the same resampled collections for both systems, the standard deviation of a difference is "
                f"{ratio:.2f} times that with independent collections"
                + (" (median of the pairs)." if moving.sum() > 1 else ".")
            )
        if unknown := int(np.isnan(se).sum()):
            notes.append(
                f"{unknown} of {len(se)} pairs have only topics with one relevant document, which do not show how a "
                "difference varies; they have no interval."
            )
        if still := int((~has_p & (se == 0)).sum()):
            how = how.replace(" and ", " or ")
            notes.append(
                f"{still} of {len(se)} pairs differ and no document {how} changes their difference, so its variance is "
                "unknown; they have no interval."
            )
        return tuple(notes)

    def table(self) -> Table:
        """One pair topic by topic."""
        (first, second), values = self.pairs[0], self.scored.values
        a, b = self.sides
        rows: list[tuple[float | int | str | bool | None, ...]] = []
        for t in np.flatnonzero(self.common()[0]).tolist():
            spread = self.spreads[t]
            has_sd = spread.relevant != 1 or spread_rule(self.scored.measure).lone == "own"
            variances = (np.add(*spread.of_pairs(a, b, paired))[0] for paired in (True, False))
            sds = [float(np.sqrt(variance)) if has_sd else None for variance in variances]
            one, other = float(values[first, t]), float(values[second, t])
            rows.append((self.scored.topics[t], spread.relevant, one, other, other - one, *sds))
        systems = self.scored.systems
        columns = ("topic", "R", systems[first], systems[second], "difference", "sd paired", "sd independent")
        title = f"{self.scored.measure} by topic, and its standard deviation over collections"
        return Table(
            columns, rows, {}, title, ("a topic with one relevant document has no standard deviation of its own.",)
        )


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
        raise TruegainError(
            f"{measure} is not a mean over topics; differences over collections are of means; "
            "choose another, such as AP"
        )
    scored = Scored.of(ranked, measure, confidence)
    for a, b in pairs:
        if (shared := scored.telling(a, b)) < FEW_TOPICS:
            raise TruegainError(
                f"{ranked.systems[a]} and {ranked.systems[b]} share {shared} of the topics with relevant documents; "
                f"too few relevant documents to estimate the variance of a difference: give {FEW_TOPICS} topics or more"
            )
    return MeanDifferences(scored, tuple(pairs), spreads_of(ranked, measure, pairs=True, **drawing), paired)


# ---- Pairs of systems on other collections: which are compared, how, and what is refused.

Meta = Literal["mean", "fixed", "random", "hartung-knapp", "paule-mandel"]
PairScale = Literal["ap", "logit"]
Pairing = Literal["paired", "independent"]
MOST = 150  # systems whose pairs are all compared
HEEDED = ("relevant_from", "trec_eval")  # of how scores are made: what means something here


@dataclass(frozen=True)
class CollectionPairs:
    """How pairs are compared: topics all alike or weighed, differences of AP or of its logit, the same collections.

    meta: 'mean' (all topics weigh alike, any measure), or by meta-analysis of AP: 'fixed', 'random', 'hartung-knapp',
    'paule-mandel'; effect: 'logit' for differences of its logit; pairing: 'paired' for the same collection for both
    systems, 'independent' for one each.
    """

    meta: Meta = "mean"
    effect: PairScale = "ap"
    pairing: Pairing = "paired"
    adjust: str = "holm"
    replicates: int = RESAMPLES
    confidence: float = 0.95
    seed: int = 0
    jobs: int | None = None

    def __post_init__(self) -> None:
        check_replicates(self.replicates, check_confidence(self.confidence))
        for name, allowed in (("meta", Meta), ("effect", PairScale), ("pairing", Pairing)):
            check_one_of(name, getattr(self, name), get_args(allowed))

    def check(self, measures: Sequence[Measure]) -> None:
        """Refuse measures that meta-analysis has no differences of, and a scale that nothing heeds."""
        if self.meta == "mean":
            if self.effect != "ap":
                raise TruegainError(
                    f"{arg('effect', 'logit')} is for meta-analysis; give {arg('meta', 'random')} (or another) as well"
                )
            return
        for measure in measures:
            if not left_out_of(measure):
                raise TruegainError(
                    f"{arg('meta', self.meta)} compares AP, not {measure}; leave {arg('meta')} out, or take AP"
                )

    def answers(
        self,
        ranked: RankedGains,
        measures: Sequence[Measure],
        pairs: Sequence[tuple[int, int]],
        baseline: str | None = None,
        progress: Progress | None = None,
    ) -> ResultList[Comparison]:
        """Every pair on every measure, the measures one after the other."""
        comparisons = [one for measure in measures for one in self._comparisons(ranked, measure, pairs, progress)]
        provenance = {
            "truegain": __version__, "seed": self.seed, "resamples": self.replicates, "confidence": self.confidence,
            "meta": self.meta, "scale": self.effect, "pairing": self.pairing, "adjust": self.adjust,
        }  # fmt: skip
        return ResultList(tuple(comparisons), {**provenance, "baseline": baseline}, ranked.caveats)

    def _comparisons(
        self, ranked: RankedGains, measure: Measure, pairs: Sequence[tuple[int, int]], progress: Progress | None
    ) -> list[Comparison]:
        if self.meta == "mean":
            paired = self.pairing == "paired"
            differences = mean_differences(ranked, measure, pairs, paired=paired, **self._drawing(progress))
            return differences.comparisons(self.adjust)
        level: float = measure.rel  # type: ignore[attr-defined]
        drawn = collection_differences(ranked, pairs, level=level, scale=self.effect, **self._drawing(progress))
        return combined_comparisons(drawn, self.meta, self.pairing, self.adjust)

    def by_topic(self, ranked: RankedGains, measure: Measure, pair: tuple[int, int]) -> Table:
        """One pair topic by topic."""
        if self.meta == "mean":
            return mean_differences(ranked, measure, [pair], **self._drawing()).table()
        level: float = measure.rel  # type: ignore[attr-defined]
        (drawn,) = collection_differences(ranked, [pair], level=level, scale=self.effect, **self._drawing())
        return drawn.table()

    def _drawing(self, progress: Progress | None = None) -> dict[str, Any]:
        return {
            "confidence": self.confidence, "replicates": self.replicates, "seed": self.seed,
            "engine": engine_for(self.jobs), "progress": progress,
        }  # fmt: skip


def compare_over_collection(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: MeasuresLike,
    how: CollectionPairs,
    scoring: Scoring,
    baseline: str | None = None,
    progress: Progress | None = None,
) -> ResultList[Comparison]:
    """Compare systems over collections: `tg.compare(..., population='collection')`."""
    heeded(scoring, *HEEDED)
    chosen = [at_level(a.measure, scoring.relevant_from) for a in parse_measures(measures)]
    how.check(chosen)
    ranked = aligned(
        runs, judgments, scoring, jobs=how.jobs, keep_keys=keys_needed(chosen), matching=matching_for(chosen, scoring)
    )
    for measure in chosen:
        refuse_chosen(ranked, measure)
    return how.answers(ranked, chosen, pairs_of(ranked.systems, baseline), baseline, progress)


def pairs_of(systems: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """Pairs of systems by number: all in the order given, or the baseline with every other.

    >>> pairs_of(["a", "b", "c"], None), pairs_of(["a", "b", "c"], "b")
    ([(0, 1), (0, 2), (1, 2)], [(1, 0), (1, 2)])
    """
    if baseline is not None:
        base = place_of(baseline, systems, "baseline")
        return [(base, s) for s in range(len(systems)) if s != base]
    if len(systems) < 2:
        raise TruegainError("one run cannot be compared; give two or more")
    if len(systems) > MOST:
        raise TruegainError(
            f"{len(systems)} systems make {len(systems) * (len(systems) - 1) // 2} pairs; name a baseline, or give "
            f"at most {MOST} runs"
        )
    return list(combinations(range(len(systems)), 2))
