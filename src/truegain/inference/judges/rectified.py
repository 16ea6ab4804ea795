"""Scores under cheap labels, set right with gold labels drawn from the same topics or pairs."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.errors import TruegainError, some
from truegain.gains.rectified import Rectified
from truegain.gains.rectify import ENOUGH_SLOPE, LEAST_TO_TUNE
from truegain.inference.judges.sources import GoldPairs, GoldTopics, source_of
from truegain.inference.results import Comparison, Estimate
from truegain.measures.base import Measure
from truegain.tables.checks import warn
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains


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

    >>> import numpy as np
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
    run P@2 0.6667 [0.3016, 1.0000] 95% over topics, rectified by gold topics
    """
    source = source_of(bronze, gold_gains, measure, design, weights, method)
    return estimates_of(source, bronze.systems, measure, confidence)


def estimates_of(
    source: GoldTopics | GoldPairs, systems: Sequence[str], measure: Measure, confidence: float
) -> list[Estimate]:
    """The rectified score of each system; bronze labels that widen intervals are told."""
    answers = []
    for s, system in enumerate(systems):
        try:
            answers.append(source.estimate(s, None))
        except TruegainError as error:
            raise TruegainError(f"{system}, {measure}: {error}") from None
    tell_wider(answers, confidence, list(systems), f" of {measure}")
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
            notes=_note(r),
        )
        for system, r in zip(systems, answers, strict=True)
    ]


def differences_of(
    source: GoldTopics | GoldPairs,
    systems: Sequence[str],
    measure: Measure,
    wanted: Sequence[tuple[int, int]],
    confidence: float,
) -> tuple[list[Comparison], list[str]]:
    """The rectified difference of each pair (a, b) wanted, b - a, and why others cannot be told.

    One gold sample serves both, so the variance is joint.
    """
    found, answers, refused = [], [], []
    for a, b in wanted:
        names = (systems[a], systems[b])
        try:
            r, first, second = source.estimate(b, a), source.estimate(a, None), source.estimate(b, None)
        except TruegainError as error:
            refused.append(f"{names[1]} - {names[0]}, {measure}: {error}")
            continue
        answers.append(r)
        found.append(
            Comparison(
                *names, str(measure), first.value, second.value, r.value, *r.interval(confidence), r.p_value(),
                test=source.name, level=confidence, n=r.topics, notes=_note(r),
            )
        )  # fmt: skip
    if not found:
        raise TruegainError(refused[0])
    tell_wider(answers, confidence, [f"{c.b} - {c.a}" for c in found], f" of {measure}")
    return found, refused


def slope_notes(source: GoldTopics | GoldPairs, measure: Measure) -> list[str]:
    """Whether and how whole gold topics make use of bronze scores."""
    if not isinstance(source, GoldTopics):
        return []
    many = source.gold_topics >= LEAST_TO_TUNE
    own = "each score and difference with a slope of its own: a difference is not exactly that of the two scores"
    if len(source.bronze) == 1:
        used = "they are used, by that slope" if many else "they are used"
        return [
            f"Whether bronze scores help, {source.gold_topics} gold topics of one system cannot tell (slope of gold on "
            f"bronze {source.slope:.2f}; above {ENOUGH_SLOPE:g} they mostly shorten the interval); {used}."
        ]
    used = "so the gold topics stand alone"
    if source.helps:
        used = f"so bronze scores count, {own}" if many else "so bronze scores count in full"
    return [
        f"{measure}, {source.gold_topics} gold topics: over all systems the slope of gold on bronze scores is "
        f"{source.slope:.2f}, {used} (above {ENOUGH_SLOPE:g} they mostly shorten the interval). It is decided so for "
        "all systems at once; taking the shorter of the two intervals would be too sure."
    ]


def _note(r: Rectified) -> tuple[str]:
    """How much gold there was, and how much bronze scores count."""
    pairs = "" if r.gold_pairs is None else f"{r.gold_pairs} gold pairs in "
    return (f"{pairs}{r.gold_topics} of {r.topics} topics; weight of the bronze score {r.tuning:.2f}",)


def _wider(r: Rectified, confidence: float) -> bool:
    return r.tuning != 0 and r.gold_se > 1e-12 and r.width(confidence) > r.gold_width(confidence) * (1 + 1e-9)


def tell_wider(answers: Sequence[Rectified], confidence: float, names: list[str], what: str = "") -> None:
    """Warn, once, of all answers that gold labels alone would give with a shorter interval."""
    worse = [(name, r) for name, r in zip(names, answers, strict=True) if _wider(r, confidence)]
    if worse:
        name, r = max(worse, key=lambda w: w[1].width(confidence) / w[1].gold_width(confidence))
        warn(
            f"bronze labels widen {len(worse)} of {len(answers)} intervals{what} ({some([n for n, _ in worse])}); most "
            f"for {name}, {r.width(confidence):.4f} against {r.gold_width(confidence):.4f} from gold labels alone; "
            "to take the shorter is too sure"
        )
