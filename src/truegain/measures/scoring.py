"""How scores are made of ranked gains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from truegain._version import __version__
from truegain.errors import TruegainError
from truegain.keywords import check_number, check_whole
from truegain.measures.base import Measure
from truegain.measures.chosen import refuse_chosen
from truegain.measures.parse import NamedMeasure
from truegain.message import argname
from truegain.tables.checks import check_grades
from truegain.tables.matched import UNCHECKED, Matching, Unmatched
from truegain.tables.ranked import RankedGains
from truegain.tables.runs import TIES, Ties
from truegain.tables.scores import Scores

NoRelevant = Literal["zero", "skip"]
Version = Literal["9", "10"]


@dataclass(frozen=True)
class Options:
    """How scores are made; the defaults are those of trec_eval 10, except that missing topics only warn.

    complete: every judged topic counts; one that a run lacks counts 0 (trec_eval -c).
    level: smallest label that is relevant, for measures that do not say (trec_eval -l).
    depth: keep only the first so many documents of each list (trec_eval -M).
    judged_only: drop unjudged documents from the lists first (trec_eval -J).
    no_relevant: a topic with nothing to find counts 0 ('zero', trec_eval) or has no value ('skip', gdeval).
    trec_eval: '9' compares scores as float32 and interpolates precision as trec_eval 9 does, '10' as 10.0 does.
    ties: of equal scores the largest document id comes first ('descending', trec_eval, gdeval) or the smallest
        ('ascending', pyndeval; RR@k, Judged@k, Compat of ir_measures), or they stay in the order of the file, dict or
        frame that they came in ('input', cwl).
    """

    complete: bool = False
    level: float | None = None
    depth: int | None = None
    judged_only: bool = False
    no_relevant: NoRelevant = "zero"
    trec_eval: Version = "10"
    ties: Ties = "descending"

    def __post_init__(self) -> None:
        if self.level is not None:
            check_number("level", self.level)
        if self.depth is not None:
            check_whole("depth", self.depth)
        if self.level is not None and not math.isfinite(self.level):
            raise TruegainError(
                f"{argname('level', self.level, 'g')} is not a finite number; give the smallest relevant label"
            )
        if self.level is not None and self.level < 0:
            raise TruegainError(
                f"{argname('level', self.level, 'g')} is negative: unjudged documents would become relevant"
            )
        if self.depth is not None and self.depth < 1:
            raise TruegainError(f"{argname('depth', self.depth)} keeps no document; give at least 1")
        if self.trec_eval not in ("9", "10"):
            said = f"trec_eval version {self.trec_eval!r} is not known; give '9' or '10'"
            raise TruegainError(said, argument="trec_eval", value=self.trec_eval, allowed=("9", "10"))
        if self.ties not in TIES:
            known = "'descending' (trec_eval), 'ascending' (pyndeval) or 'input' (as given)"
            raise TruegainError(f"{argname('ties')} is {self.ties!r}; give {known}", value=self.ties, allowed=TIES)
        if self.no_relevant not in ("zero", "skip"):
            said = f"{argname('no_relevant')} is {self.no_relevant!r}; give 'zero' or 'skip'"
            raise TruegainError(said, value=self.no_relevant, allowed=("zero", "skip"))


def score(ranked: RankedGains, asked: Sequence[NamedMeasure], options: Options | None = None) -> Scores:
    """Scores of ranked gains that are already aligned."""
    given = options or Options()
    chosen = [at_level(a.measure, given.level) for a in asked]
    if any(not m.of_subtopics for m in chosen):
        check_grades(ranked, levels_of(chosen), given.no_relevant == "skip")
    for measure in chosen:
        refuse_chosen(view_of(ranked, measure, given), measure)
    return scored(ranked, asked, given)


def levels_of(measures: Sequence[Measure]) -> list[float]:
    """The levels from which on measures take documents as relevant."""
    return [float(level) for m in measures if not m.of_subtopics and (level := getattr(m, "rel", None)) is not None]


def matching_for(measures: Sequence[Measure], options: Options, unmatched: Unmatched = "refuse") -> Matching:
    """The ranks that count for measures, the deepest of them; none where they need no judged document.

    >>> from truegain.measures.parse import parse_measure
    >>> measures = [parse_measure(name) for name in ("P@10", "nDCG@20", "Judged@100")]
    >>> matching_for(measures, Options()).deepest, matching_for(measures[2:], Options()).unmatched
    (20, 'ignore')
    """
    needing = [m for m in measures if m.needs_judged]
    if not needing:
        return UNCHECKED
    cutoffs = [None if options.judged_only or m.leaves_out_unjudged else getattr(m, "cutoff", None) for m in needing]
    known = [c for c in cutoffs if c is not None]
    deepest = max(known) if len(known) == len(cutoffs) else None
    if options.depth is not None:
        deepest = options.depth if deepest is None else min(deepest, options.depth)
    left_out = options.judged_only or all(m.leaves_out_unjudged for m in needing)
    shallow = {c: str(m) for c, m in zip(cutoffs, needing, strict=True) if c is not None and (deepest or c + 1) > c}
    return Matching(deepest, unmatched, not left_out, tuple(sorted(shallow.items())))


def scored(ranked: RankedGains, asked: Sequence[NamedMeasure], given: Options) -> Scores:
    """Scores of ranked gains, without a look at what is suspicious in them."""
    chosen = [at_level(a.measure, given.level) for a in asked]
    values: dict[str, npt.NDArray[Any]] = {}
    summaries: dict[str, npt.NDArray[np.float64]] = {}
    for measure in chosen:
        view = view_of(ranked, measure, given)
        matrix = _one(measure, view, given)
        values[str(measure)] = matrix
        if matrix.dtype == object:
            summaries[str(measure)] = np.full(len(ranked.systems), np.nan)
        else:
            summaries[str(measure)] = measure.summarise(matrix, view, given.complete)
    made_by = {"truegain": __version__, "measures": [str(m) for m in chosen], **given.__dict__}
    names = {name: str(m) for a, m in zip(asked, chosen, strict=True) for name in (str(a.measure), a.name)}
    return Scores(
        ranked.systems, ranked.topics, values, summaries, {str(m): m for m in chosen}, made_by, names,
        caveats=ranked.caveats,
    )  # fmt: skip


def view_of(ranked: RankedGains, measure: Measure, options: Options) -> RankedGains:
    """The lists as the options want a measure to see them."""
    view = ranked.cut(options.depth)
    if not options.judged_only:
        return view
    return view.condensed_facets if measure.of_subtopics else view.condensed


def _one(measure: Measure, ranked: RankedGains, options: Options) -> npt.NDArray[Any]:
    matrix = measure.score(ranked)
    if matrix.dtype == object:
        return matrix
    if options.complete:
        matrix = np.where(np.isnan(matrix), measure.absent(ranked), matrix)
    if options.no_relevant == "skip":
        matrix = np.where(measure.defined(ranked), matrix, np.nan)
    return matrix


def at_level(measure: Measure, level: float | None) -> Measure:
    """The measure at another level of relevance, unless it names its own or has none."""
    if level is None or getattr(measure, "rel", None) != 1:
        return measure
    return replace(measure, rel=int(level) if float(level).is_integer() else level)  # type: ignore[call-arg]
