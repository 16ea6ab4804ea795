"""Pairs of systems on other collections: which are compared, how, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

from truegain._version import __version__
from truegain.config import Scoring
from truegain.contrasts import place_of
from truegain.engine import Progress, engine_for
from truegain.errors import TruegainError, check_one_of
from truegain.inference.collection.compare import mean_differences
from truegain.inference.collection.difference import collection_differences, combined_comparisons
from truegain.inference.collection.expansion import keys_needed
from truegain.inference.collection.score import left_out_of
from truegain.inference.monte_carlo import check_replicates
from truegain.inference.results import Answers, Comparison
from truegain.measures.base import Measure
from truegain.measures.chosen import refuse_chosen
from truegain.measures.evaluate import aligned, at_level, heeded, matching_for
from truegain.measures.parse import MeasuresLike, parse_measures
from truegain.message import arg
from truegain.student import check_confidence
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.ranked import RankedGains
from truegain.tables.table import Table

Meta = Literal["mean", "fixed", "random", "hartung-knapp", "paule-mandel"]
PairScale = Literal["ap", "logit"]
Pairing = Literal["paired", "independent"]
MOST = 150  # systems whose pairs are all compared
TRIALS = 10_000
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
    replicates: int = TRIALS
    confidence: float = 0.95
    seed: int = 0
    jobs: int | None = None

    def __post_init__(self) -> None:
        check_replicates(self.replicates, check_confidence(self.confidence))
        for name, known in (("meta", Meta), ("effect", PairScale), ("pairing", Pairing)):
            check_one_of(name, getattr(self, name), get_args(known))

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
    ) -> Answers[Comparison]:
        """Every pair on every measure, the measures one after the other."""
        found = [one for measure in measures for one in self._comparisons(ranked, measure, pairs, progress)]
        made_by = {
            "truegain": __version__, "seed": self.seed, "resamples": self.replicates, "confidence": self.confidence,
            "meta": self.meta, "scale": self.effect, "pairing": self.pairing, "adjust": self.adjust,
        }  # fmt: skip
        return Answers(tuple(found), {**made_by, "baseline": baseline}, ranked.caveats)

    def _comparisons(
        self, ranked: RankedGains, measure: Measure, pairs: Sequence[tuple[int, int]], progress: Progress | None
    ) -> list[Comparison]:
        if self.meta == "mean":
            paired = self.pairing == "paired"
            found = mean_differences(ranked, measure, pairs, paired=paired, **self._drawing(progress))
            return found.comparisons(self.adjust)
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
) -> Answers[Comparison]:
    """Compare systems over collections: `tg.compare(..., population='collection')`."""
    heeded(scoring, *HEEDED)
    asked = [at_level(a.measure, scoring.relevant_from) for a in parse_measures(measures)]
    how.check(asked)
    ranked = aligned(
        runs, judgments, scoring, jobs=how.jobs, keep_keys=keys_needed(asked), matching=matching_for(asked, scoring)
    )
    for one in asked:
        refuse_chosen(ranked, one)
    return how.answers(ranked, asked, pairs_of(ranked.systems, baseline), baseline, progress)


def pairs_of(systems: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """Pairs of systems by number: all in the order given, or the baseline with every other.

    >>> pairs_of(["a", "b", "c"], None), pairs_of(["a", "b", "c"], "b")
    ([(0, 1), (0, 2), (1, 2)], [(1, 0), (1, 2)])
    """
    if baseline is not None:
        base = place_of(baseline, systems, " to be the baseline")
        return [(base, s) for s in range(len(systems)) if s != base]
    if len(systems) < 2:
        raise TruegainError("one run cannot be compared; give two or more")
    if len(systems) > MOST:
        raise TruegainError(
            f"{len(systems)} systems make {len(systems) * (len(systems) - 1) // 2} pairs; name a baseline, or give "
            f"at most {MOST} runs"
        )
    return list(combinations(range(len(systems)), 2))
