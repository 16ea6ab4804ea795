"""Scores with intervals over collections, the topics held fixed: what holds with few relevant documents too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from truegain.contrasts import Contrasts
from truegain.errors import TruegainError
from truegain.inference.collection.expansion import Drawn, DrawWords, drawn_scores, least_relevant
from truegain.inference.collection.few import FEW_RELEVANT, FEW_TOPICS, Lone, mean_size, pooled, share_limits
from truegain.inference.collection.left_out import left_out_spreads
from truegain.inference.limits import linear, percentile, within
from truegain.inference.results import Estimate
from truegain.measures.ap import AP
from truegain.measures.base import Measure
from truegain.measures.judged import Judged, Unjudged
from truegain.measures.precision import F1, RR
from truegain.measures.sets import SetAP, SetF, SetP, SetR, Utility
from truegain.sampling.jackknife import document_spreads
from truegain.sampling.spread import TopicSpread
from truegain.student import quantile_of
from truegain.tables.columns import Floats, Ints
from truegain.tables.ranked import RankedGains

DRAWN_METHODS = ("linear", "percentile")


@dataclass(frozen=True, eq=False)
class Scored:
    """What intervals of one measure are made of: values by system and topic, their summaries, relevant documents."""

    measure: Measure
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats
    summaries: Floats
    relevant: Ints
    confidence: float

    @classmethod
    def of(cls, ranked: RankedGains, measure: Measure, confidence: float) -> Scored:
        """The scores of a measure on these lists."""
        values = np.asarray(measure.score(ranked), np.float64)
        summaries = measure.summarise(values, ranked, False)
        relevant = ranked.pool_relevant(least_relevant(measure))
        return cls(measure, ranked.systems, ranked.topics, values, summaries, relevant, confidence)

    def estimate(
        self, system: int, low: float, high: float, method: str, se: float | None, topic: int | None = None
    ) -> Estimate:
        """The answer for one system, or one topic of it, its limits within what the measure can be."""
        least, greatest = self.measure.bounds()
        topics = int((~np.isnan(self.values[system])).sum())
        if self.measure.mean == "total":
            least, greatest = least * topics if least else 0.0, greatest * topics
        name, value = (
            self.systems[system],
            float(self.summaries[system] if topic is None else self.values[system, topic]),
        )
        low, high = (float(end) for end in within(low, high, (least, greatest), value=value))
        return Estimate(name, str(self.measure), value, low, high, self.confidence, "collection", method, se, topics)

    def telling(self, *systems: int) -> int:
        """On how many topics with relevant documents these systems all have a value: only these can move."""
        there = ~np.isnan(self.values[list(systems)]).any(axis=0)
        return int(((self.relevant > 0) & there).sum())

    def sizes(self, system: int) -> Floats:
        """How many units each topic of a system rests on; a topic without relevant documents counts as one with one.

        R for AP; the weight of the ranks, (sum w)^2/sum w^2, for a sum over ranks; else min(R, k) of the first k.
        """
        relevant = np.maximum(self.relevant[~np.isnan(self.values[system])], 1).astype(np.float64)
        cutoff = getattr(self.measure, "cutoff", None)
        if self.measure.linear_in_gains:
            weights = self.measure.rank_weights(cutoff or 1000)
            return np.full(len(relevant), float(weights.sum() ** 2 / (weights**2).sum()))
        return np.asarray(np.minimum(relevant, cutoff or np.inf), np.float64)


def left_out_of(measure: Measure) -> bool:
    """Whether a measure's spread comes from leaving documents out alone: AP of whole lists."""
    return type(measure) is AP and measure.cutoff is None


@dataclass(frozen=True)
class SpreadRule:
    """How far a measure moves: the share that leaving documents out has beside drawing them, and the rule for R = 1."""

    left_out: float
    lone: Lone

    @property
    def how(self) -> str:
        """What was done with documents, in words."""
        return {0.0: "drawn", 1.0: "left out"}.get(self.left_out, "drawn and left out")


def spread_rule(measure: Measure) -> SpreadRule:
    """What was right for a measure in simulated worlds (docs/collection.md).

    A sum over ranks, a count, the precision of a set: documents drawn, and R = 1 tells its own.  A share of all R
    relevant documents (AP, SetR) falls with R and moves evenly with each of them: documents left out.  Others have a
    cutoff or a normalization: drawn, which is right where a score is a share of the best, too short for what the first
    relevant document decides (RR, ERR), too long for a set's F, where leaving documents out errs to the other side.
    """
    if measure.linear_in_gains or measure.mean == "total" or isinstance(measure, (SetP, Utility, Judged, Unjudged)):
        return SpreadRule(0.0, "own")
    if left_out_of(measure) or isinstance(measure, SetR):
        return SpreadRule(1.0, "all")
    if isinstance(measure, (SetF, SetAP)) or (isinstance(measure, F1) and measure.cutoff is None):  # F1 is SetF
        return SpreadRule(1 / 2, "near")
    return SpreadRule(1 / 3 if isinstance(measure, RR) or measure.cascades else 0.0, "near")


def spreads_of(
    ranked: RankedGains, measure: Measure, *, pairs: bool = False, **drawing: Unpack[DrawWords]
) -> list[TopicSpread]:
    """How far each topic moves over collections, with what few relevant documents hide put back.

    Documents drawn, times R/(R - 1) unless R = 1 tells its own spread (R copies have (R - 1)/R of the variance of R
    documents), or left out, or some of both: see `spread_rule`.
    """
    rule, engine, progress = spread_rule(measure), drawing.get("engine"), drawing.get("progress")
    left: list[TopicSpread] = []
    if left_out_of(measure):
        view = ranked.condensed if getattr(measure, "judged_only", False) else ranked
        left = document_spreads(view, least_relevant(measure), pairs=pairs, engine=engine, progress=progress)
    elif rule.left_out:
        left = left_out_spreads(ranked, measure, pairs=pairs, engine=engine, progress=progress)
    if rule.left_out == 1:
        return left
    drawn = drawn_scores(ranked, measure, pairs=pairs, **drawing).spreads
    if rule.lone != "own":
        drawn = [replace(s, own=s.own * s.relevant / (s.relevant - 1)) if s.relevant > 1 else s for s in drawn]
    return [one.mixed(other, rule.left_out) for one, other in zip(drawn, left, strict=True)] if left else drawn


def score_estimates(
    ranked: RankedGains, measure: Measure, *, confidence: float = 0.95, **drawing: Unpack[DrawWords]
) -> list[Estimate]:
    """The summary of every system with an interval over collections: mean +- t(df) sqrt(V) of `few.Pooled`.

    A geometric mean is handled in logarithms, a total as a sum.  With fewer than 5 topics with relevant documents, or
    where no document moves the score, means of scores from 0 to 1 have Wilson's limits for the units they rest on
    (`Scored.sizes`) instead, and others are refused.
    """
    scored = Scored.of(ranked, measure, confidence)
    few = np.array([scored.telling(s) < FEW_TOPICS for s in range(len(scored.systems))])
    if few.all() and measure.bounds() == (0.0, 1.0) and measure.mean == "arithmetic":
        return [_wilson(scored, s) for s in range(len(scored.systems))]
    spreads = spreads_of(ranked, measure, **drawing)
    total, freedom = pooled(spreads, Contrasts.scores(len(few)), spread_rule(measure).lone).total()
    return [_limits(scored, s, float(total[s]), float(freedom[s])) for s in range(len(scored.systems))]


def _limits(scored: Scored, system: int, variance: float, freedom: float) -> Estimate:
    measure, topics, telling = scored.measure, len(scored.sizes(system)), scored.telling(system)
    share = measure.bounds() == (0.0, 1.0) and measure.mean == "arithmetic"
    if telling < FEW_TOPICS or not variance > 0:
        if share and topics:
            return _wilson(scored, system)
        raise TruegainError(f"{measure} of {scored.systems[system]}: {_why_not(telling, variance)}")
    count = 1 if measure.mean == "total" else topics
    se = float(np.sqrt(variance)) / count
    step = quantile_of(scored.confidence, freedom) * se
    how = f"t, documents {spread_rule(measure).how}"
    value = float(scored.summaries[system])
    if measure.mean == "geometric":
        return scored.estimate(system, value * float(np.exp(-step)), value * float(np.exp(step)), how, None)
    return scored.estimate(system, value - step, value + step, how, se)


def _why_not(telling: int, variance: float) -> str:
    """Why a score has no interval over collections, and what to do."""
    if telling >= FEW_TOPICS and variance == 0:
        still = "no other collection of these documents moves it, so how far it moves is not known"
        return f"{still}; take a mean from 0 to 1"
    few = "topics with one relevant document each"
    if telling < FEW_TOPICS:
        few = f"{telling} topics with relevant documents"
    return (
        f"{few} are too few to say how far it moves over collections; give {FEW_TOPICS} topics or more, or a measure "
        "from 0 to 1"
    )


def _wilson(scored: Scored, system: int) -> Estimate:
    n = mean_size(scored.sizes(system))
    low, high = share_limits(scored.summaries[system], n, scored.confidence, student=not left_out_of(scored.measure))
    return scored.estimate(system, float(low), float(high), f"Wilson, n = {n:.3g}", None)


def topic_estimates(ranked: RankedGains, measure: Measure, confidence: float = 0.95) -> list[Estimate]:
    """Every system and topic with Wilson's interval over collections, for scores from 0 to 1.

    Nothing is drawn: one topic's documents cannot tell both its score and how far it moves.
    """
    if measure.bounds() != (0.0, 1.0) or measure.of_subtopics or measure.reads_text:
        raise TruegainError(f"intervals by topic over the collection are for scores from 0 to 1, not for {measure}")
    scored = Scored.of(ranked, measure, confidence)
    found = []
    for s in range(len(scored.systems)):
        at = np.flatnonzero(~np.isnan(scored.values[s]))
        sizes = scored.sizes(s)
        low, high = share_limits(scored.values[s, at], sizes, confidence, student=not left_out_of(measure))
        for i, t in enumerate(at.tolist()):
            whole = scored.estimate(s, float(low[i]), float(high[i]), f"Wilson, n = {sizes[i]:.3g}", None, t)
            found.append(replace(whole, n=int(scored.relevant[t]), topic=scored.topics[t]))
    return found


def check_drawn_method(measure: Measure, method: str) -> None:
    """Refuse what is no interval of drawn scores, before anything is drawn."""
    if method not in DRAWN_METHODS:
        raise TruegainError(
            f"{measure} has no {method} interval over the collection; choose from t, {', '.join(DRAWN_METHODS)}"
        )


def drawn_estimates(
    ranked: RankedGains, measure: Measure, draws: Drawn, method: str, confidence: float
) -> list[Estimate]:
    """Intervals from the drawn summaries alone: 'linear' (value +- z s, s their spread) or 'percentile'.

    Copies of a document stand side by side, so measures of the first k score a little lower on drawn collections than
    on the real one; the linear interval is free of that shift, the percentile one is not.
    """
    check_drawn_method(measure, method)
    scored = Scored.of(ranked, measure, confidence)
    spread = draws.summaries.std(axis=1, ddof=1)
    if method == "percentile":
        low, high, _ = percentile(draws.summaries, confidence)
    elif measure.mean == "geometric":
        logs = linear(np.log(scored.summaries), np.log(draws.summaries).std(axis=1, ddof=1), confidence)
        low, high = np.exp(logs.low), np.exp(logs.high)
    else:
        low, high, _ = linear(scored.summaries, spread, confidence)
    ends = zip(low.tolist(), high.tolist(), spread.tolist(), strict=True)
    found = [scored.estimate(s, least, most, method, se) for s, (least, most, se) in enumerate(ends)]
    return [replace(e, notes=few_relevant(scored.relevant, method)) for e in found]


def few_relevant(relevant: Ints, method: str) -> tuple[str, ...]:
    """What to say of an interval that does not hold where relevant documents are few."""
    some = relevant[relevant > 0]
    middle = float(np.median(some)) if len(some) else 0.0
    if middle >= FEW_RELEVANT:
        return ()
    return (
        f"half of the topics have {middle:g} relevant documents or fewer: there {method} limits hold the score less "
        f"often than they say (docs/collection.md); the default is made for this.",
    )
