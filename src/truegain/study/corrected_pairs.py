"""Differences between systems without the judge's errors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import get_args

import numpy as np

from truegain._version import __version__
from truegain.config import Gold, Resampling
from truegain.data.id_matching import doubts_told
from truegain.data.pool import RankedGains
from truegain.errors import TruegainError, check_one_of
from truegain.io.columns import Floats
from truegain.judge_error.diagnostics import homogeneity, rank_notes
from truegain.judge_error.gold_pairs import Missing
from truegain.judge_error.intervals import differences_by_matrix
from truegain.judge_error.judge import Judge
from truegain.judge_error.panel import RESAMPLES, CorrectionOptions, GoldSample, Judges, PublishedTest, judges_of
from truegain.judge_error.system_judges import JudgedLists
from truegain.measures.base import Measure
from truegain.measures.label_weights import tell_unjudged
from truegain.message import Message, argname, with_marks
from truegain.stats.contrasts import place_of
from truegain.stats.multiple_testing import METHODS, adjust_asked
from truegain.stats.results import Comparison, ResultList
from truegain.stats.student_t import p_of
from truegain.study.corrected_scores import Rectified, bronze_labels, gold_labels, in_line

ROUNDING = 1e-12  # a standard error that is rounding only


def compare_each(
    runs: object,
    bronze: object,
    gold: Gold,
    measures: Sequence[Measure],
    how: PublishedTest,
    *,
    adjust: str | None = None,
    baseline: str | None = None,
    confidence: float = 0.95,
    resampling: Resampling | None = None,
) -> list[ResultList[Comparison]]:
    """Compare systems, all pairs or all against one, on scores without the bronze judge's errors: a measure an answer.

    gold_sample='shared' (the default): one gold sample stands behind both systems of a pair, so their corrections move
    together, topic by topic; 'separate' adds up the two variances (eq. 10 of the paper), which is right only where
    each system has a gold sample of its own.  Other options as in `correct`.  The runs are aligned and the judge is
    fitted once.
    """
    labels = gold_labels(gold)
    adjust, drawing, gold_sample = adjust or "holm", resampling or Resampling(), how.gold_sample
    asked = CorrectionOptions(
        how.method, confidence, how.clusters, drawing.n or RESAMPLES, drawing.seed, gold.relevant_from, how.accuracy
    )
    check_one_of("missing", how.missing, get_args(Missing))
    check_one_of("gold_sample", gold_sample, get_args(GoldSample))
    check_one_of("adjust", adjust, (*METHODS, "none"))
    if asked.method not in ("default", "delta", "rectify"):
        raise TruegainError(
            f"{argname('method', asked.method)} is an interval of one score; a difference has default, delta (the "
            "matrix) or rectify"
        )
    table = bronze_labels(bronze, runs)
    judges = judges_of(labels, table, gold.design, measures[0], asked.gold_relevant_from, missing=how.missing)
    rectifier = judges.rectifier(asked.method) if gold_sample == "shared" else None
    ranked = in_line(runs, table, rectifier, measures, drawing.jobs)
    if len(ranked.systems) < 2:
        raise TruegainError(f"a comparison needs at least 2 systems; there is 1 ({ranked.systems[0]})")
    wanted = _pairs(ranked.systems, baseline)
    out = []
    for measure in measures:
        if rectifier is not None:
            found, notes = _rectified(ranked, rectifier, measure, wanted, asked)
        else:
            found, notes = _by_matrices(ranked, judges, measure, wanted, gold_sample, asked)
        found = _finished(found, measure.score(ranked), ranked.systems, adjust, len(wanted))
        provenance = {
            "truegain": __version__, "measure": str(measure), "design": judges.design, "gold_sample": gold_sample,
            "adjust": adjust, "baseline": baseline, **vars(asked),
        }  # fmt: skip
        out.append(ResultList(tuple(found), provenance, (*doubts_told(ranked.doubts), *notes, *_sentences(found))))
    return out


def _by_matrices(
    ranked: RankedGains,
    judges: Judges,
    measure: Measure,
    wanted: Sequence[tuple[int, int]],
    gold_sample: GoldSample,
    options: CorrectionOptions,
) -> tuple[list[Comparison], list[str]]:
    """Differences set right by confusion matrices, and what is to be said; an error where none can be told."""
    lists = JudgedLists.of(
        ranked, judges, measure, gold_relevant_from=options.gold_relevant_from, accuracy=options.accuracy
    )
    found, why = differences_by_matrix(lists, wanted, gold_sample, options)
    if not found:
        raise TruegainError(why[wanted[0]])
    reasons = Counter(why[pair] for pair in wanted if pair in why)
    refused = [
        Message(f"{count} of {len(wanted)} pairs were not compared: {with_marks(reason)}")
        for reason, count in reasons.items()
    ]
    notes = [str(lists.judges), *refused, *rank_notes(lists), *_treats_alike(lists, options)]
    return [found[pair] for pair in wanted if pair in found], notes


def _rectified(
    ranked: RankedGains, judge: Judge, measure: Measure, wanted: Sequence[tuple[int, int]], options: CorrectionOptions
) -> tuple[list[Comparison], list[str]]:
    """Differences set right by the gold labels themselves, and what is to be said of the judge."""
    made = Rectified.of(ranked, judge, measure, options.gold_relevant_from, options.confidence)
    about = made.notes() + ([made.evidence.about.pairs] if made.evidence.about.pairs else [])
    found, refused = made.differences(wanted)
    if not measure.linear_in_gains:
        tell_unjudged(ranked, measure)
    else:
        lists = JudgedLists.of(
            ranked, judge, measure, gold_relevant_from=options.gold_relevant_from, accuracy=options.accuracy
        )
        about += _treats_alike(lists, options, rectified=True)
    if len(refused) > 1:
        refused = [f"{len(refused)} of {len(wanted)} pairs were not compared, such as {refused[0]}"]
    return found, [*about, *refused]


def _treats_alike(lists: JudgedLists, options: CorrectionOptions, *, rectified: bool = False) -> list[str]:
    """Whether the judge favours some of the systems, where this can be told; no advice where it was followed."""
    if lists.judge_and_pairs is None or not lists.same_topics:
        return []
    found = homogeneity(lists, trials=options.replicates, seed=options.seed)
    return [found.finding if rectified else found.sentence]


def _finished(
    found: Sequence[Comparison], scores: Floats, systems: Sequence[str], adjust: str, asked: int
) -> list[Comparison]:
    """With each difference its adjusted p, and what the bronze labels say, as if they were right: a paired t test."""
    shown: list[float | None] = [None] * len(found)
    if adjusts := adjust != "none" and asked > 1:
        p = np.full(asked, np.nan)  # pairs that were refused count too
        p[: len(found)] = [c.p for c in found]
        shown = adjust_asked(p, adjust)[: len(found)].tolist()
    out = []
    for c, q in zip(found, shown, strict=True):
        naive, naive_p = _naive(scores[systems.index(c.b)] - scores[systems.index(c.a)])
        how = adjust if adjusts else ""
        out.append(replace(c, p_adjusted=q, adjustment=how, naive=naive, naive_p=naive_p, notes=()))
    return out


def _naive(d: Floats) -> tuple[float, float | None]:
    """The mean difference over the topics that both answer, and its p; none without any spread."""
    d = d[~np.isnan(d)]
    mean, se = float(d.mean()), float(d.std(ddof=1)) / math.sqrt(len(d))
    return mean, p_of(mean / se, len(d) - 1.0) if se > ROUNDING else None


def _pairs(systems: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    if baseline is None:
        return list(combinations(range(len(systems)), 2))
    first = place_of(baseline, systems, " to be the baseline")
    return [(first, i) for i in range(len(systems)) if i != first]


def _sentences(found: Sequence[Comparison]) -> tuple[str, ...]:
    """What a manager can read, where there are few pairs."""
    if len(found) > 3:
        clear, c = sum(c.differs for c in found), found[0]
        how = f"adjusted p ({c.adjustment})" if c.adjustment else "p, not adjusted for their number,"
        return (
            f"{clear} of {len(found)} pairs differ without the judge's errors: {how} below {1 - c.confidence:.2g}.",
        )
    sentences = []
    for c in found:
        p = c.p_shown
        better, worse = (c.b, c.a) if c.difference > 0 else (c.a, c.b)
        verdict = f"{better} is better than {worse}" if c.differs else f"{c.b} and {c.a} cannot be told apart"
        so = f"(difference {c.difference:+.3f}, {'adjusted ' if c.adjustment else ''}p = {p:.3g}"
        by = "" if c.naive is None else f"; by the bronze labels {c.naive:+.3f}"
        by += "" if c.naive_p is None else f", p = {c.naive_p:.3g}{', not adjusted' if c.adjustment else ''}"
        sentences.append(f"Without the judge's errors {verdict} on {c.measure} {so}{by}).")
    return tuple(sentences)
