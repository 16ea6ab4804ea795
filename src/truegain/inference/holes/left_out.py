"""Who is hurt by a pool it did not contribute to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from truegain.config import Scoring
from truegain.errors import TruegainError, some, there_are
from truegain.measures.base import Measure
from truegain.measures.evaluate import aligned, at_level, matching_for, score
from truegain.measures.parse import parse_measure, parse_measures
from truegain.tables.columns import Floats
from truegain.tables.judgments import Judgments
from truegain.tables.matched import UNCHECKED, Matching
from truegain.tables.runs import Run, Runs, ordered_columns
from truegain.tables.table import Table


@dataclass(frozen=True)
class LeftOutSystem:
    """A system's score with the judgments it alone brought to the pool, and without."""

    system: str
    score: float
    without: float
    rank: int
    rank_without: int
    lost: int  # judgments that it alone had in the pool
    lost_relevant: int


def leave_out(
    runs: object,
    judgments: object,
    measure: str | Measure = "nDCG@10",
    *,
    pool_depth: int,
    pooled: Collection[str] | None = None,
    scoring: Scoring | None = None,
    jobs: int | None = None,
) -> list[LeftOutSystem]:
    """What each pooled system would score had it not been pooled.

    The first `pool_depth` documents of the `pooled` systems (all by default) made the pool.  Judgments that one system
    alone brought in are taken away, and all systems are scored again: how far it falls is what a new system, which
    never had the chance to bring documents in, may lose.

    Zobel 1998, SIGIR.

    >>> runs = {"a": {"1": {"x": 3.0}}, "b": {"1": {"y": 3.0}}, "c": {"1": {"y": 1.0}}}
    >>> leave_out(runs, {"1": {"x": 1, "y": 1}}, "P@1", pool_depth=1)[0]
    LeftOutSystem(system='a', score=1.0, without=0.0, rank=1, rank_without=3, lost=1, lost_relevant=1)
    """
    loaded, table, how = Runs.of(runs), Judgments.of(judgments), scoring or Scoring()
    names = set(pooled) if pooled is not None else set(loaded.systems)
    if unknown := sorted(names - set(loaded.systems)):
        named = there_are(unknown, loaded.systems)
        raise TruegainError(f"pooled systems without a run: {some(unknown)}; give theirs too; {named}")
    tops = {part.system: _top(part, pool_depth, how) for part in loaded.parts if part.system in names}
    times = Counter(pair for top in tops.values() for pair in top)
    asked = parse_measures(at_level(parse_measure(measure), how.relevant_from))
    keys = list(zip(table.topic.strings(), table.docs.strings(), strict=True))

    def means(of: Judgments, matching: Matching) -> Floats:
        scores = score(aligned(loaded, of, how, jobs=jobs, matching=matching), asked, how)
        return next(iter(scores.summaries.values()))

    full = means(table, matching_for([a.measure for a in asked], how, "tell"))
    answers = []
    for number, system in enumerate(loaded.systems):
        if system not in tops:
            continue
        alone = np.array([key in tops[system] and times[key] == 1 for key in keys], np.bool_)
        gone = np.flatnonzero(alone)
        left = np.flatnonzero(~alone)
        without = means(table.take(left), UNCHECKED) if len(gone) and len(left) else full
        relevant = int(np.sum(table.label[gone] >= (getattr(asked[0].measure, "rel", None) or 1)))
        rank, rank_without = (int(np.sum(m > m[number])) + 1 for m in (full, without))
        scores = float(full[number]), float(without[number])
        answers.append(LeftOutSystem(system, *scores, rank, rank_without, len(gone), relevant))
    return answers


def _top(part: Run, depth: int, options: Scoring) -> set[tuple[str, str]]:
    columns = ordered_columns(part, options.trec_eval == "9", options.ties)
    rows = zip(columns["topic"], columns["doc"], columns["rank"].tolist(), strict=True)
    return {(topic, doc) for topic, doc, rank in rows if rank <= depth}


def left_out_table(found: Sequence[LeftOutSystem]) -> Table:
    """As a table, the system that loses most first."""
    ordered = sorted(found, key=lambda f: f.without - f.score)
    rows = [
        (f.system, f.score, f.without, f.without - f.score, f.rank, f.rank_without, f.lost, f.lost_relevant)
        for f in ordered
    ]
    columns = ("system", "score", "left out", "change", "rank", "rank left out", "judgments lost", "relevant lost")
    return Table(columns, rows, notes=("judgments that a system alone brought to the pool taken away",))
