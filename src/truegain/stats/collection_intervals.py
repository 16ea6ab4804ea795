"""Scores with intervals over collections, the topics held fixed; what holds with few relevant documents too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Unpack

import numpy as np
import numpy.typing as npt

from truegain.data.pool import RankedGains
from truegain.errors import TruegainError
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.average_precision import AP
from truegain.measures.base import Measure
from truegain.measures.precision import F1, RR, Judged, SetAP, SetF, SetP, SetR, Unjudged, Utility
from truegain.sampling.jackknife import TopicSpread, document_spreads
from truegain.stats.contrasts import NONE, Contrasts, within
from truegain.stats.intervals import linear, percentile
from truegain.stats.other_collections import Drawn, DrawWords, drawn_scores, least_relevant, left_out_spreads
from truegain.stats.results import Estimate
from truegain.stats.student_t import check_confidence, p_values_of, quantile_of, quantiles_of, wilson

# ---- How sure a mean over topics is where a topic has few relevant documents: variances of topics put together.
#
# A collection is one sample of documents, so the relevant ones of a topic are the units, and there may be one or two of
# them: the bootstrap's variance is then half of the true one, and a normal quantile is too short.

Lone = Literal["own", "all", "near"]  # what a topic with one relevant document has in place of its own spread
FEW_TOPICS = 5  # below so many topics scores have Wilson's limits, and differences none
NEAR, LENDERS = 3, 3  # topics with up to so many relevant documents lend, or the nearest that make so many topics
FEW_RELEVANT = 6  # below this median of relevant documents a topic the papers' own intervals do not hold


class Pooled:
    """Variances of topics added up, topic by topic, for many systems or pairs at once.

    V = sum (own + others) ;  df = V^2 / (sum (c own)^2/(R + 1) + sum others^2/(R + 2)) - 2

    the degrees of freedom of a sum of variances with R - 1 and R each, the squares without their bias (Welch 1947,
    Biometrika 34).  A topic with one relevant document cannot tell how much these differ.  By `lone` it

    - "all": borrows s0^2 = sum (R - 1) R own / sum (R - 1) of all topics with two or more, where own falls as 1/R;
    - "near": borrows sum (R - 1) own / sum (R - 1) of those with two or three, or up to the least R that makes
      three topics, where a cutoff or a normalization ends the fall;
    - "own": has its own.

    L topics that borrow bring no estimate of their own: V is then sum (c own + others) over the others, c = 1 + L w /
    sum (R - 1) with w = R (R - 1) or R - 1 for topics that lend; else c = 1.

    >>> def of(lone):
    ...     pooled = Pooled(1, lone)
    ...     for relevant, own in ((3, 0.02), (1, 0.0)):
    ...         pooled.add(relevant, np.array([own]), np.zeros(1), np.ones(1, bool))
    ...     return [round(float(x[0]), 4) for x in pooled.total()]
    >>> of("all"), of("near")
    ([0.08, 2.0], [0.04, 2.0])
    """

    def __init__(self, size: int, lone: Lone = "all") -> None:
        self.lone = lone
        self.sum, self.weighted, self.weight, self.single, self.topics = np.zeros((5, size))
        self.squares = np.zeros((3, size))  # of V's parts: by powers of L / sum (R - 1)
        self.lenders: dict[int, Floats] = {}  # by R: topics, own, its square over the degrees of freedom

    def add(self, relevant: int, own: Floats, others: Floats, there: Bools) -> None:
        """One more topic; one without relevant documents counts as a topic and does not move."""
        self.topics += there
        if relevant == 0:
            return
        self.sum += np.where(there, others, 0.0)
        self.squares[0] += np.where(there, others**2 / (relevant + 2), 0.0)
        if relevant == 1 and self.lone != "own":
            self.single += there
            return
        self.sum += np.where(there, own, 0.0)
        square = np.where(there, own**2 / max(relevant + 1, 3), 0.0)
        if self.lone == "near":
            self.squares[0] += square
            sums = self.lenders.setdefault(relevant, np.zeros((3, len(self.sum))))
            sums += np.stack([there, np.where(there, own, 0.0), square])
            return
        self.weighted += np.where(there, (relevant - 1) * relevant * own, 0.0)
        self.weight += np.where(there, relevant - 1, 0)
        share = relevant * (relevant - 1)
        self.squares += np.array([1.0, 2.0 * share, share**2])[:, None] * square

    def total(self) -> tuple[Floats, Floats]:
        """V and its degrees of freedom; NaN where every topic has but one relevant document."""
        weight, weighted, squares = self._lent() if self.lone == "near" else (self.weight, self.weighted, self.squares)
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.where(self.single > 0, self.single / weight, 0.0)
            variance = self.sum + factor * weighted
            freedom = variance**2 / (squares[0] + factor * (squares[1] + factor * squares[2])) - 2
        return variance, np.where(variance > 0, freedom, np.inf)

    def _lent(self) -> tuple[Floats, Floats, Floats]:
        """The sums of R - 1 and of (R - 1) own over the topics that lend, and the squares of V's parts."""
        size, every = len(self.sum), sorted(self.lenders)
        sums = np.array([self.lenders[r] for r in every]).reshape(-1, 3, size)
        relevant = np.array(every, np.float64)[:, None]
        before = np.cumsum(sums[:, 0], axis=0) - sums[:, 0]  # topics with fewer relevant documents
        freedom = np.where((relevant <= NEAR) | (before < LENDERS), relevant - 1, 0.0)
        near = sums * freedom[:, None, :]
        more = np.stack([2 * near[:, 2], near[:, 2] * freedom]).sum(axis=1)
        return near[:, 0].sum(axis=0), near[:, 1].sum(axis=0), np.concatenate([self.squares[:1], more])


def pooled(spreads: Sequence[TopicSpread], contrasts: Contrasts, lone: Lone, paired: bool = True) -> Pooled:
    """The topics put together, for scores and differences of systems on the same collections (or on one each)."""
    total, score = Pooled(len(contrasts), lone), contrasts.a == NONE
    first, only = np.maximum(contrasts.a, 0), bool(score.all())
    for topic in spreads:
        of_scores = (x[contrasts.b] for x in topic.of_systems())
        if only:
            own, others = of_scores
        else:
            pair = topic.of_pairs(first, contrasts.b, paired)
            own, others = (np.where(score, x, y) for x, y in zip(of_scores, pair, strict=True))
        total.add(topic.relevant, own, others, topic.there[contrasts.b] & (score | topic.there[first]))
    return total


def share_limits(
    value: npt.ArrayLike, size: npt.ArrayLike, confidence: float = 0.95, student: bool = False
) -> tuple[Floats, Floats]:
    """Wilson's limits of a share seen in n units, with t of n degrees of freedom in place of z where asked for.

    >>> low, high = share_limits(0.35, 20)
    >>> print(f"{low:.4f} {high:.4f}")
    0.1812 0.5671
    """
    return wilson(value, size, quantiles_of(check_confidence(confidence), size if student else np.inf))


def mean_size(sizes: Floats) -> float:
    """The units a mean of T topics rests on: T^2 / sum(1/n), n those of each topic.

    >>> mean_size(np.array([2.0, 2.0, 1.0]))
    4.5
    """
    return float(len(sizes) ** 2 / (1 / sizes).sum())


def two_sided(difference: Floats, error: Floats, freedom: Floats) -> Floats:
    """The p of no difference by Student's t; 1 where nothing differs nor moves.

    NaN where it differs without moving, or how far it moves is not known (NaN).
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        p = p_values_of(difference / error, freedom)
    return np.where(error > 0, p, np.where((error == 0) & (difference == 0), 1.0, np.nan))


# ---- Scores with intervals over collections, the topics held fixed: what holds with few relevant documents too.

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
        summaries = measure.summarize(values, ranked, False)
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
        return {0.0: "drawn", 1.0: "left out"}.get(self.left_out, "resampled and left out")


def spread_rule(measure: Measure) -> SpreadRule:
    """What was right for a measure in simulated worlds (docs/explanation/collections.md).

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
    """The summary of every system with an interval over collections: mean +- t(df) sqrt(V) of `Pooled`.

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
        still = "no resampled collection changes it, so its variance is unknown"
        return f"{still}; take a mean from 0 to 1"
    few = "topics with one relevant document each"
    if telling < FEW_TOPICS:
        few = f"{telling} topics with relevant documents"
    return (
        f"{few} are too few to estimate its variance over collections; give {FEW_TOPICS} topics or more, or a "
        "measure from 0 to 1"
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
    estimates = []
    for s in range(len(scored.systems)):
        at = np.flatnonzero(~np.isnan(scored.values[s]))
        sizes = scored.sizes(s)
        low, high = share_limits(scored.values[s, at], sizes, confidence, student=not left_out_of(measure))
        for i, t in enumerate(at.tolist()):
            whole = scored.estimate(s, float(low[i]), float(high[i]), f"Wilson, n = {sizes[i]:.3g}", None, t)
            estimates.append(replace(whole, n=int(scored.relevant[t]), topic=scored.topics[t]))
    return estimates


def check_drawn_method(measure: Measure, method: str, others: Sequence[str] = ()) -> None:
    """Refuse what is no interval of drawn scores, before anything is drawn; `others` are those that it has besides."""
    if method not in DRAWN_METHODS:
        known = ", ".join(("t", *others, *DRAWN_METHODS))
        raise TruegainError(f"{measure} has no {method} interval over the collection; choose from {known}")


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
    estimates = [scored.estimate(s, least, most, method, se) for s, (least, most, se) in enumerate(ends)]
    return [replace(e, notes=few_relevant(scored.relevant, method)) for e in estimates]


def few_relevant(relevant: Ints, method: str) -> tuple[str, ...]:
    """What to say of an interval that does not hold where relevant documents are few."""
    some = relevant[relevant > 0]
    middle = float(np.median(some)) if len(some) else 0.0
    if middle >= FEW_RELEVANT:
        return ()
    return (
        f"half of the topics have {middle:g} relevant documents or fewer: there {method} intervals cover less often "
        "than they claim (docs/explanation/collections.md); the default is made for this.",
    )
