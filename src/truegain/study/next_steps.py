"""What to buy next: more topics, gold labels, assessors, or answers of the same judge."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

import numpy as np

from truegain.errors import some
from truegain.io.columns import Floats, frozen
from truegain.results.base import Result, Table
from truegain.results.table import Cell
from truegain.sampling.catalogue import draws_topics, population_groups
from truegain.sampling.gold import information_after
from truegain.stats.contrasts import Contrasts, within
from truegain.stats.student_t import quantile_of, quantiles_of
from truegain.study.anytime import LookErrors
from truegain.study.decision import could_move, outcome_of
from truegain.study.estimators import NO_WEIGHT
from truegain.study.precision import CurrentPrecision, Step, fewest_gold, steps_of
from truegain.study.study_data import StudyData
from truegain.study.unjudged import PairBounds, sample_step
from truegain.study.variance import VarianceModel


@dataclass(frozen=True, eq=False, repr=False)
class Steps(Result, Sequence[Step]):
    """What to buy next: those that alone are enough first, each group cheapest first.

    Attributes
    ----------
    items : tuple of Step
        The steps.
    provenance : mapping
        How the study was made.
    title : str
        The difference that they are about.

    Notes
    -----
    Columns of `frame`, one row a step: `what` to buy; `more`, how many; `in_all`, how many there would be;
    `half_width` of the interval then; `cost`, where prices are known; `enough`, 'yes' or 'not alone', where
    `min_effect` is set.

    Examples
    --------
    >>> print(Steps((Step("topics", 2.0, 50, 50, 0.0477),)))
    what    more  in all  half width
    topics    50     100      0.0477
    """

    items: tuple[Step, ...]
    provenance: Mapping[str, object] = field(default_factory=dict)
    title: str = ""

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, at: int) -> Step: ...

    @overload
    def __getitem__(self, at: slice) -> Steps: ...

    def __getitem__(self, at: int | slice) -> Step | Steps:
        return replace(self, items=self.items[at]) if isinstance(at, slice) else self.items[at]

    def table(self) -> Table:
        """A row a step; what it costs and whether it alone is enough, where that is known."""
        priced = any(s.cost is not None for s in self.items)
        aimed = any(s.enough is not None for s in self.items)
        more_columns = [name for name, there in (("cost", priced), ("enough", aimed)) if there]
        columns = ("what", "more", "in all", "half width", *more_columns)
        rows: list[tuple[Cell, ...]] = [
            (s.phrase or s.words, s.more, s.have + s.more, s.half, *((s.cost,) if priced else ()),
             *((None if s.enough is None else "yes" if s.enough else "not alone",) if aimed else ()))
            for s in self.items
        ]  # fmt: skip
        return Table(columns, rows, self.provenance, self.title)

    def in_short(self) -> str:
        """The steps, the first of them in full."""
        return some([str(step) for step in self.items], 2) or "nothing to buy"


# ---- What more of each kind would bring.

STUCK = (
    "More labels will not help: documents that people could not judge leave it open. Show them to other people, or in "
    "another way."
)
MOST_OF_TOPICS = 0.9  # of the variance: the gold labels at hand leave some


def _labels(n: int) -> str:
    return "The one label" if n == 1 else f"The {n:,} labels"


@dataclass(frozen=True, eq=False)
class StepPlanner:
    """Plans the next steps of a study on one measure: what more units of each source would bring."""

    study_data: StudyData
    variance_model: VarianceModel
    confidence: float
    min_effect: float  # gain that matters; below 0: how much worse it may be
    bound: bool  # whether unjudged documents hold a verdict back
    weights: Callable[[], Floats] | None = None  # system x pair: what each pair of the pool counts, where gold is drawn
    bounds: tuple[float, float] = (-math.inf, math.inf)  # of the measure

    def steps(
        self, contrasts: Contrasts, prices: Mapping[str, float], unjudged_bounds: PairBounds | None
    ) -> list[Step]:
        """What more of each kind would bring; first a sample of the unjudged documents, where these alone decide."""
        now, data = self.precision(contrasts), self.study_data
        steps = steps_of(now, self._aim(now, contrasts), prices)
        if unjudged_bounds is None or not self.bound or data.judge or data.raters or data.over - {"topics"}:
            return steps
        value, variance = (
            float(self.variance_model.estimator.values(contrasts)[0]),
            self.variance_model.variance(contrasts, self.confidence),
        )
        quantile = quantile_of(self.confidence, float(variance.df[0]))
        half = quantile * float(np.sqrt(variance.value[0]))
        outcomes = [
            outcome_of(value - half, value + half, *far, self.min_effect)
            for far in ((0.0, 0.0), could_move(unjudged_bounds, "bound"))
        ]
        if outcomes[0] == "inconclusive" or outcomes[1] != "inconclusive":
            return steps
        judging = sample_step(
            unjudged_bounds, float(variance.value[0]), quantile, abs(self.min_effect), prices.get("gold")
        )
        return steps if judging is None else [judging, *steps]

    def _aim(self, now: CurrentPrecision, contrasts: Contrasts) -> float:
        """Half of the width to bring the interval to: the smallest gain that matters.

        Where the interval is narrower already and the question is open, half of that gain: limits closer together
        cannot hold both no gain and this one.  Closer still, only whether the gain is as large is open: 0, any step.
        """
        value, half = float(self.variance_model.estimator.values(contrasts)[0]), now.cut_after()
        least = abs(self.min_effect)
        if least == 0 or half > least * (1 + 1e-9):
            return least
        if (
            value + half < self.min_effect or value - half >= self.min_effect
        ):  # settled, unless unjudged documents hold it back
            return least
        return least / 2 if half > least / 2 * (1 + 1e-9) else 0.0

    def until_decided(self, contrasts: Contrasts, unjudged_bounds: PairBounds | None = None) -> str:
        """How many more labels of a list may decide a difference, were it as it is now; empty where there is no list.

        That many bring the limits as far as the difference lies from what decides: an even chance.
        """
        still_open = self.variance_model.estimator.still_open(contrasts)
        if still_open is None or self.variance_model.estimator.label_facts.exact:
            return ""
        now, value = self.precision(contrasts), float(self.variance_model.estimator.values(contrasts)[0])
        unit = now.unit or "gold label"
        fall, rise = could_move(unjudged_bounds, "bound" if self.bound else "")
        far = max(value + fall - self.min_effect, self.min_effect - value - rise)  # that it is as large a gain, or none
        if far <= 0 and (fall or rise):
            return (
                f"If the difference stays as it is, more {unit}s will not settle it: unjudged documents leave it open."
            )
        open_ = int(still_open[0])
        if "topics" not in self.study_data.over and open_ <= 0:
            return STUCK if now.stuck else ""
        needed = fewest_gold(now, far) if far > 0 else None
        if needed is None and now.stuck and (far <= 0 or fewest_gold(replace(now, stuck=0.0), far) is not None):
            return STUCK
        if needed is not None and "topics" not in self.study_data.over and needed - now.gold > open_:
            return f"{_labels(open_)} still missing from the list for these two will settle it for these topics."
        if needed is None:
            last = now.cut_after(gold=now.pairs / now.gold)
            if last <= 0:
                return "If the difference stays as it is, all labels of the list are needed to settle it."
            return (
                f"If the difference stays as it is, more {unit}s will not settle it: with all {now.pairs:,} the "
                f"interval is still +-{last:.4f}. More topics are needed."
            )
        if needed <= now.gold:
            return ""
        return (
            f"If the difference stays as it is, about {needed - now.gold:,} more {unit}"
            f"{'s' if needed - now.gold > 1 else ''} would settle it with 50% power ({needed:,} in total)."
        )

    def _steadied(self, contrasts: Contrasts, parts: dict[str, Floats]) -> dict[str, Floats]:
        """Shrink the part of topics towards a lower bound by the judge's labels; the sum with gold's part stays.

        V(topics) - V(gold) is the difference of two estimates, may come out as 0, and is all that more gold labels
        leave.  What is known for every document is its bronze label.  What lies above that counts by the share that it
        is of both: the larger V(gold), the less is known of the difference, and the larger of two would be too large.
        Whole gold topics know how far gold scores lie apart, which no bronze score tells: all topics gold leave that.
        """
        facts = self.variance_model.estimator.label_facts
        if facts.exact or "topics" not in parts or "gold" not in parts:
            return parts
        least = self.variance_model.estimator.were_all_gold(contrasts)
        if least is None:
            if facts.order is None:
                return parts
            least = self.variance_model.uncorrected.over_topics(contrasts).value
        whole = parts["topics"] + parts["gold"]
        held = np.sum([v for s, v in parts.items() if s in ("collection", "replicates")], axis=0)
        least = np.minimum(least - held, MOST_OF_TOPICS * whole)
        share = np.divide(parts["topics"], whole, out=np.zeros(len(contrasts)), where=whole > 0)
        above = 0.0 if self._whole else share * np.maximum(parts["topics"] - least, 0.0)
        topics = np.maximum(least, 0.0) + above
        return {**parts, "topics": topics, "gold": whole - topics}

    @property
    def _whole(self) -> bool:
        """Whether gold comes by whole topics."""
        return self.study_data.judge is not None and draws_topics(self.study_data.judge.design)

    def _with_answers(self, contrasts: Contrasts, parts: dict[str, Floats]) -> dict[str, Floats]:
        """The noise of asking the judge again stands apart also where documents, topics or assessors hold it."""
        again = (
            self.variance_model.over_source(contrasts, "replicates") if "replicates" in self.study_data.over else None
        )
        if again is None or "replicates" in parts:
            return parts
        holder = next(s for s in ("collection", "topics", "assessors") if s in parts)
        noise = np.minimum(again.value, parts[holder])
        return {**parts, holder: parts[holder] - noise, "replicates": noise}

    def precision(self, contrasts: Contrasts) -> CurrentPrecision:
        """How precise one difference is now."""
        return self.precisions(contrasts)[0]

    def precisions(self, contrasts: Contrasts) -> list[CurrentPrecision]:
        """Own parts of the variance of each, and how many topics, gold labels and assessors there are.

        Together they are the variance of the interval, also where one source is wider than all that topics show.
        """
        own = self.variance_model.own_parts(contrasts)
        parts: dict[str, Floats] = {"gold" if s == "unjudged" else s: v for s, v in own.items()}
        parts = self._with_answers(contrasts, parts)
        variance, total = self.variance_model.variance(contrasts, self.confidence), np.sum(list(parts.values()), axis=0)
        facts, anytime = self.variance_model.estimator.label_facts, self.variance_model.anytime_confidence
        order, (gold, pairs) = facts.order, facts.counts
        data = self.study_data
        whole = self._whole
        if anytime is None:
            larger = np.divide(variance.value, total, out=np.ones(len(contrasts)), where=total > 0)
            parts = {s: v * np.maximum(larger, 1.0) for s, v in parts.items()}
        parts = self._steadied(contrasts, parts)
        people = 0 if data.raters is None else len(data.raters)
        confidence, alpha, tau = self.confidence, None, None
        if order is not None:
            sizes = order.sizes
            tau = frozen(np.concatenate([[0.0], information_after(sizes, np.arange(1, len(sizes) + 1))]))
            if anytime is not None:
                errors = LookErrors.of(anytime, "topics" in data.over)
                alpha, confidence = errors.gold, 1 - (errors.topics or errors.gold)
                variance = self.variance_model.estimator.over_topics(contrasts)
        now = CurrentPrecision(
            {}, len(data.ranked.topics), gold, pairs, people,
            0 if data.raters is None else round(len(data.raters.ratings.value) / people),
            times=len(data.raters.asked) if data.raters is not None and "replicates" in parts else 0,
            labels=data.judge.size / gold if whole and data.judge is not None else 1.0, whole=whole,
            unit="" if data.sample is None else "sampled unjudged document", information=tau, alpha=alpha,
            away=facts.of_other_topics,
            groups=min(population_groups(data.over, data.ranked.topics, data.topic_units).values(), default=0),
        )  # fmt: skip
        if (
            self.weights is not None
            and len(contrasts) == 1
            and (label_counts := self.variance_model.estimator.labels_for_rule(contrasts)) is not None
        ):
            differ = int(contrasts.moved(self.weights().T, NO_WEIGHT)[0])
            done = int(label_counts[0]) + int(self.variance_model.estimator.stuck(contrasts)[0])
            now = replace(now, differ=differ, open=max(0, differ - done))
        stuck = np.zeros(len(contrasts))
        for i, (worst, _), (best, _) in self.variance_model.at_ends(
            contrasts, self.variance_model.variance(contrasts, self.confidence)
        ):
            stuck[i] = (best[0] - worst[0]) / 2
        quantiles = quantiles_of(confidence, variance.df).tolist()
        values = self.variance_model.estimator.values(contrasts)
        low, high = within(-math.inf, math.inf, self.bounds, value=values, differences=True)
        below, above = (values - low).tolist(), (high - values).tolist()
        part_of = {s: v.tolist() for s, v in parts.items()}
        now = now if anytime is not None else replace(now, confidence=confidence)
        return [
            replace(
                now,
                parts={s: v[i] for s, v in part_of.items()},
                quantile=q,
                df=float(variance.df[i]),
                stuck=float(stuck[i]),
                room=(below[i], above[i]),
            )
            for i, q in enumerate(quantiles)
        ]
