"""Scores under cheap labels, set right with gold labels drawn from the same topics or pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from truegain.errors import MeasureError, TruegainError, some
from truegain.gains.rectify import Rectified, rectify_topics
from truegain.gains.rectify_pairs import PAIR_METHODS, PairMethod, SampledPairs, expansion_of, rectify_pairs, strata_of
from truegain.inference.results import Comparison, Estimate
from truegain.measures.base import Measure
from truegain.measures.linear import linear_parts
from truegain.tables.checks import warn
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains

DESIGNS = ("topics", "random", "by-bronze")
WIDER = "the interval is wider ({:.4f}) than that of the gold labels alone ({:.4f}): the bronze labels do not help here"


def rectified(
    bronze: RankedGains,
    gold_gains: Floats,
    measure: Measure,
    *,
    design: str,
    weights: Floats | None = None,
    confidence: float = 0.95,
    method: str = "auto",
) -> list[Estimate]:
    """What each system's score would be under gold labels, from bronze labels of all pairs and gold labels of some.

    gold_gains: a gold label for each item of `bronze.pool`, NaN where there is none.  design: how gold was drawn:
    'topics' (whole topics, any measure), 'random' (pairs of the pool) or 'by-bronze' (pairs, so many of each bronze
    label); pairs serve measures linear in gain only.  weights: how many pairs of the pool each gold pair stands for;
    without them the pool tells.  method: 'auto' is `rectify_topics` for whole topics and, for pairs,
    `rectify_pairs` 'calibrated'; 'difference' and 'post-stratified' are its alternatives.

    >>> from truegain.measures.parse import parse_measure
    >>> from truegain.tables.align import align
    >>> from truegain.tables.judgments import Judgments
    >>> from truegain.tables.pool import Pool
    >>> from truegain.tables.runs import Runs
    >>> labels = {str(t): {"a": 1, "b": t % 2} for t in range(8)}
    >>> run = Runs.of({str(t): {"a": 2.0, "b": 1.0} for t in range(8)})
    >>> ranked, _ = align(Pool.of(Judgments.of(labels)), [lambda: run.parts])
    >>> gold = np.array([1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1] + [np.nan] * 4)  # of a0 b0, a1 b1, ...
    >>> print(rectified(ranked, gold, parse_measure("P@2"), design="topics")[0])
    run P@2 0.6667 [0.2578, 1.0756] 95% over topics, rectified by gold topics
    """
    source = _source(bronze, gold_gains, measure, design, weights, method)
    answers = []
    for s, system in enumerate(bronze.systems):
        try:
            answers.append(source.estimate(s, None))
        except TruegainError as error:
            raise TruegainError(f"{system}, {measure}: {error}") from None
    notes = _notes(answers, confidence, list(bronze.systems))
    return [
        Estimate(
            system,
            str(measure),
            r.value,
            *r.interval(confidence),
            level=confidence,
            method=source.name,
            se=r.se,
            n=r.topics,
            notes=note,
        )
        for system, r, note in zip(bronze.systems, answers, notes, strict=True)
    ]


def rectified_difference(
    bronze: RankedGains,
    gold_gains: Floats,
    measure: Measure,
    *,
    a: int,
    b: int,
    design: str,
    weights: Floats | None = None,
    confidence: float = 0.95,
    method: str = "auto",
) -> Comparison:
    """System b minus system a under gold labels, as `rectified`; one gold sample serves both, so the variance is joint.

    >>> from truegain.measures.parse import parse_measure
    >>> from truegain.tables.align import align
    >>> from truegain.tables.judgments import Judgments
    >>> from truegain.tables.pool import Pool
    >>> from truegain.tables.runs import Runs
    >>> labels = {str(t): {"a": 1, "b": t % 2} for t in range(8)}
    >>> runs = Runs.of({n: {str(t): {n: 1.0} for t in range(8)} for n in "ab"})
    >>> ranked, _ = align(Pool.of(Judgments.of(labels)), [lambda: runs.parts])
    >>> gold = np.array([1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0] + [np.nan] * 4)
    >>> print(rectified_difference(ranked, gold, parse_measure("P@1"), a=0, b=1, design="topics"))
    b - a P@1 -0.3333 [-1.1511, 0.4844] p = 0.3496 (rectified by gold topics, n = 8)
    """
    source = _source(bronze, gold_gains, measure, design, weights, method)
    names = (bronze.systems[a], bronze.systems[b])
    try:
        r, first, second = source.estimate(b, a), source.estimate(a, None), source.estimate(b, None)
    except TruegainError as error:
        raise TruegainError(f"{names[1]} - {names[0]}, {measure}: {error}") from None
    low, high = r.interval(confidence)
    (note,) = _notes([r], confidence, [f"{names[1]} - {names[0]}"])
    return Comparison(
        *names,
        str(measure),
        first.value,
        second.value,
        r.value,
        low,
        high,
        r.p_value(),
        test=source.name,
        level=confidence,
        n=r.topics,
        notes=note,
    )


def _notes(answers: Sequence[Rectified], confidence: float, names: list[str]) -> list[tuple[str, ...]]:
    """How much gold there was, and where gold alone would do better, which is also told once for all."""
    notes, worse = [], []
    for name, r in zip(names, answers, strict=True):
        pairs = "" if r.gold_pairs is None else f"{r.gold_pairs} gold pairs in "
        note = [f"{pairs}{r.gold_topics} of {r.topics} topics; weight of the bronze score {r.tuning:.2f}"]
        if r.gold_se > 1e-12 and r.width(confidence) > r.gold_width(confidence) * (1 + 1e-9):
            note.append(WIDER.format(r.width(confidence), r.gold_width(confidence)))
            worse.append((name, r))
        notes.append(tuple(note))
    if worse:
        name, r = max(worse, key=lambda w: w[1].width(confidence) / w[1].gold_width(confidence))
        warn(
            f"bronze labels widen {len(worse)} of {len(answers)} intervals ({some([n for n, _ in worse])}); most for "
            f"{name}, {r.width(confidence):.4f} against {r.gold_width(confidence):.4f} from gold labels alone"
        )
    return notes


# ---------------------------------------------------------------------- where the numbers come from


@dataclass(frozen=True, eq=False)
class _Topics:
    """Scores by system and topic under bronze labels, and under gold ones where the topic is fully gold-judged."""

    bronze: Floats
    gold: Floats
    name: str = "rectified by gold topics"

    def estimate(self, system: int, against: int | None) -> Rectified:
        b, g = self.bronze[system], self.gold[system]
        if against is not None:
            b, g = b - self.bronze[against], g - self.gold[against]
        there = ~np.isnan(b)
        return rectify_topics(b[there], g[there])


@dataclass(frozen=True, eq=False)
class _Sample:
    """The pool as pairs, and per system what each pair counts."""

    pairs: SampledPairs
    coefficients: Floats
    present: Floats
    method: PairMethod
    bounds: tuple[float, float]

    @property
    def name(self) -> str:
        return f"rectified by gold pairs, {self.method}"

    def estimate(self, system: int, against: int | None) -> Rectified:
        there = self.present[system] if against is None else self.present[system] * self.present[against]
        other = None if against is None else self.coefficients[against]
        return rectify_pairs(
            self.pairs,
            self.coefficients[system],
            against=other,
            weights=there,
            method=self.method,
            bounds=self.bounds,
        )


def _source(
    bronze: RankedGains, gold_gains: Floats, measure: Measure, design: str, weights: Floats | None, method: str
) -> _Topics | _Sample:
    gold = np.asarray(gold_gains, np.float64)
    if design not in DESIGNS:
        raise TruegainError(
            f"gold design {design!r} cannot be rectified; give one of {', '.join(DESIGNS)} "
            "(gold stratified on the truth, or from elsewhere, needs the confusion matrix of a Judge)"
        )
    if len(gold) != len(bronze.pool):
        raise TruegainError(f"{len(gold)} gold gains for {len(bronze.pool)} judged pairs; give one each, NaN for none")
    if measure.of_subtopics or measure.is_count:
        raise MeasureError(f"{measure}: gold labels per document can rectify neither counts nor subtopic measures")
    if np.isnan(gold).all():
        raise TruegainError("there is no gold label for any judged pair; check that topics and documents match")
    if design == "topics":
        if method not in ("auto", "topics"):
            raise TruegainError(f"method {method!r} is for gold pairs; with whole gold topics leave it out")
        return _by_topics(bronze, gold, measure)
    chosen = "calibrated" if method == "auto" else method
    if chosen not in PAIR_METHODS:
        raise TruegainError(f"method {method!r} is not known; give auto, {', '.join(PAIR_METHODS)}")
    return _by_pairs(bronze, gold, measure, design, weights, next(m for m in get_args(PairMethod) if m == chosen))


def _by_topics(bronze: RankedGains, gold: Floats, measure: Measure) -> _Topics:
    missing = np.bincount(bronze.pool.topic[np.isnan(gold)], minlength=len(bronze.topics))
    whole = missing == 0
    partly = int((~whole & (missing < np.diff(bronze.pool.begin))).sum())
    if whole.sum() < 2:
        raise TruegainError(
            f"{int(whole.sum())} of {len(whole)} topics have a gold label for every judged pair, {partly} for some; "
            "at least two whole topics are needed (for a sample of pairs give design='random' or 'by-bronze')"
        )
    if partly:
        warn(f"{partly} topics are gold-judged in part only; their gold labels are not used")
    scores = measure.score(bronze)
    filled = np.where(np.isnan(gold), bronze.item_gain, gold)
    return _Topics(scores, np.where(whole[None, :], measure.score(bronze.with_gains(filled)), np.nan))


def _by_pairs(
    bronze: RankedGains, gold: Floats, measure: Measure, design: str, weights: Floats | None, method: PairMethod
) -> _Sample:
    if not measure.linear_in_gains:
        raise MeasureError(
            f"{measure} is not linear in gain, so single gold pairs cannot rectify it; gold-judge whole topics "
            "(design='topics'), or use P, DCG, RBP or SDCG"
        )
    labels = bronze.item_gain
    has = ~np.isnan(gold)
    expansion = expansion_of(labels, has, design) if weights is None else np.asarray(weights, np.float64)
    if len(expansion) != len(gold) or not np.all(expansion[has] > 0) or not np.all(np.isfinite(expansion[has])):
        raise TruegainError("weights must be one positive number a judged pair: 1 over its chance to be drawn")
    expansion = expansion * len(gold) / expansion[has].sum()
    said = np.where(has, gold, labels)
    parts = linear_parts(measure, np.concatenate([labels, said]), int(bronze.rank.max(initial=1)))
    pairs = SampledPairs(
        bronze.pool.topic.astype(np.int64),
        strata_of(labels, has),
        parts.worth(labels),
        np.where(has, parts.worth(said), np.nan),
        np.where(has, expansion, 1.0),
        len(bronze.topics),
    )
    present = bronze.present.reshape(len(bronze.systems), len(bronze.topics)).astype(np.float64)
    whole = float(parts.weight.sum())
    bounds = whole * min(0.0, float(parts.worths.min())), whole * float(parts.worths.max())
    return _Sample(pairs, parts.coefficients(bronze), present, method, bounds)
