"""How scores are made of ranked gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain._version import __version__
from truegain.config import Scoring
from truegain.errors import TruegainError
from truegain.measures.base import Measure
from truegain.measures.chosen import refuse_chosen
from truegain.measures.parse import NamedMeasure
from truegain.message import argname
from truegain.tables.checks import check_grades
from truegain.tables.matched import UNCHECKED, Matching, Unmatched
from truegain.tables.ranked import RankedGains
from truegain.tables.scores import Scores


def score(ranked: RankedGains, asked: Sequence[NamedMeasure], scoring: Scoring | None = None) -> Scores:
    """Scores of ranked gains that are already aligned."""
    how = scoring or Scoring()
    chosen = [at_level(a.measure, how.relevant_from) for a in asked]
    if any(not m.of_subtopics for m in chosen):
        check_grades(ranked, levels_of(chosen), how.no_relevant == "skip")
    for measure in chosen:
        refuse_chosen(view_of(ranked, measure, how), measure)
    return scored(ranked, asked, how)


def levels_of(measures: Sequence[Measure]) -> list[float]:
    """The levels from which on measures take documents as relevant."""
    return [float(level) for m in measures if not m.of_subtopics and (level := getattr(m, "rel", None)) is not None]


def matching_for(measures: Sequence[Measure], scoring: Scoring, unmatched: Unmatched = "refuse") -> Matching:
    """The ranks that count for measures, the deepest of them; none where they need no judged document.

    >>> from truegain.measures.parse import parse_measure
    >>> measures = [parse_measure(name) for name in ("P@10", "nDCG@20", "Judged@100")]
    >>> matching_for(measures, Scoring()).deepest, matching_for(measures[2:], Scoring()).unmatched
    (20, 'ignore')
    """
    needing = [m for m in measures if m.needs_judged]
    if not needing:
        return UNCHECKED
    cutoffs = [None if scoring.judged_only or m.leaves_out_unjudged else getattr(m, "cutoff", None) for m in needing]
    known = [c for c in cutoffs if c is not None]
    deepest = max(known) if len(known) == len(cutoffs) else None
    if scoring.depth is not None:
        deepest = scoring.depth if deepest is None else min(deepest, scoring.depth)
    left_out = scoring.judged_only or all(m.leaves_out_unjudged for m in needing)
    shallow = {c: str(m) for c, m in zip(cutoffs, needing, strict=True) if c is not None and (deepest or c + 1) > c}
    return Matching(deepest, unmatched, not left_out, tuple(sorted(shallow.items())))


def scored(ranked: RankedGains, asked: Sequence[NamedMeasure], scoring: Scoring) -> Scores:
    """Scores of ranked gains, without a look at what is suspicious in them."""
    chosen = [at_level(a.measure, scoring.relevant_from) for a in asked]
    values: dict[str, npt.NDArray[Any]] = {}
    summaries: dict[str, npt.NDArray[np.float64]] = {}
    for measure in chosen:
        view = view_of(ranked, measure, scoring)
        matrix = _one(measure, view, scoring)
        values[str(measure)] = matrix
        if matrix.dtype == object:
            summaries[str(measure)] = np.full(len(ranked.systems), np.nan)
        else:
            summaries[str(measure)] = measure.summarise(matrix, view, scoring.all_topics)
    made_by = {"truegain": __version__, "measures": [str(m) for m in chosen], **vars(scoring)}
    names = {name: str(m) for a, m in zip(asked, chosen, strict=True) for name in (str(a.measure), a.name)}
    return Scores(
        ranked.systems, ranked.topics, values, summaries, {str(m): m for m in chosen}, made_by, names,
        caveats=ranked.caveats,
    )  # fmt: skip


def view_of(ranked: RankedGains, measure: Measure, scoring: Scoring) -> RankedGains:
    """The lists as a measure is to see them."""
    view = ranked.cut(scoring.depth)
    if not scoring.judged_only:
        return view
    return view.condensed_facets if measure.of_subtopics else view.condensed


def _one(measure: Measure, ranked: RankedGains, scoring: Scoring) -> npt.NDArray[Any]:
    matrix = measure.score(ranked)
    if matrix.dtype == object:
        return matrix
    if scoring.all_topics:
        matrix = np.where(np.isnan(matrix), measure.absent(ranked), matrix)
    if scoring.no_relevant == "skip":
        matrix = np.where(measure.defined(ranked), matrix, np.nan)
    return matrix


def at_level(measure: Measure, level: float | None) -> Measure:
    """The measure at another level of relevance, unless it names its own or has none."""
    if level is None or getattr(measure, "rel", None) != 1:
        return measure
    return replace(measure, rel=int(level) if float(level).is_integer() else level)  # type: ignore[call-arg]


def heeded(scoring: Scoring | None, *names: str) -> Scoring:
    """How scores are made, where only some of it means something; what else is asked for is refused.

    >>> heeded(Scoring(relevant_from=2), "relevant_from").relevant_from
    2
    >>> heeded(Scoring(depth=5), "relevant_from")
    Traceback (most recent call last):
    truegain.errors.TruegainError: depth: this has no place here; leave it out
    """
    how = scoring or Scoring()
    if odd := [f.name for f in fields(how) if f.name not in names and getattr(how, f.name) != f.default]:
        raise TruegainError(f"{', '.join(map(argname, odd))}: this has no place here; leave it out")
    return how
