"""One table about a judge: its accuracy by label, topic or system, and what does not fit together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from truegain._version import __version__
from truegain.errors import MeasureError, TruegainError, some
from truegain.gains.judge import Judge
from truegain.gains.judge_table import count, label_table, share
from truegain.gains.pairs import Missing
from truegain.inference.judges.by_rank import rank_notes
from truegain.inference.judges.homogeneity import homogeneity
from truegain.inference.judges.label_weights import judges_of, level_of
from truegain.inference.judges.lists import JudgedLists
from truegain.measures.base import mean_of_rows
from truegain.measures.evaluate import Options, aligned
from truegain.measures.parse import MeasureLike, parse_measure
from truegain.sampling.designs import Design
from truegain.tables.checks import warn
from truegain.tables.judgments import Judgments
from truegain.tables.read import NameBy
from truegain.tables.table import Cell, Table

Show = Literal["labels", "topics", "systems"]


def judge_report(
    bronze: object,
    gold: object,
    runs: object = None,
    *,
    design: Design | None = None,
    measure: MeasureLike = "P@10",
    gold_level: float | None = None,
    missing: Missing = "refuse",
    labels: str | Sequence[float] | None = None,
    show: Show | None = None,
    trials: int = 2000,
    seed: int = 0,
    name_by: NameBy = "file",
    jobs: int | None = None,
) -> Table:
    """How good the bronze judge is: by gold label, by topic, or by system; and what the data say against themselves.

    >>> bronze = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    >>> gold = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 1}}
    >>> print(judge_report(bronze, gold, design="random").columns)
    ('gold label', 'pairs', 'bronze 0', 'bronze 1')
    """
    one, table = parse_measure(measure), Judgments.of(bronze)
    if runs is not None and not one.linear_in_gains:
        raise MeasureError(
            f"{one} does not say which documents of a run count, and how much: the judge's accuracy by system needs a "
            "measure that weighs ranks, such as P@10, CG@10, DCG@10 or RBP"
        )
    judges = judges_of(gold, table, design, one, gold_level, missing=missing, scale=labels)
    judge = judges.single_for("accuracy by label, topic or system").at_levels(level_of(one), gold_level)
    notes = [str(judge), *judge.consistency()]
    if (said := judge.inverted()) is not None:
        notes.append(said)
    if judge.design == "topics":
        _tell_partly_judged(judge)
    shown = show or ("labels" if runs is None else "systems")
    if shown == "systems" and runs is None:
        raise TruegainError("accuracy by system needs the runs; give them after the gold labels")
    lists = None
    if runs is not None:
        ranked = aligned(runs, table, Options(), name_by=name_by, jobs=jobs)
        lists = JudgedLists.of(ranked, judge, one, gold_level=gold_level)
        means = mean_of_rows(lists.naive)
        for system, mean in zip(ranked.systems, means, strict=True):
            notes += [f"{system}: {said}" for said in lists.impossible_means(system, float(mean))]
    if lists is not None:
        notes += rank_notes(lists, always=True, rectified=judges.rectifier("default") is not None)
    if lists is not None and len(lists.ranked.systems) > 1:
        found = homogeneity(lists, trials=trials, seed=seed)
        if shown == "systems":
            return replace(found.table(), notes=(*notes, *found.table().notes))
        notes.append(found.sentence)
    made_by = {"truegain": __version__, "design": judge.design, "levels": list(judge.levels)}
    chosen = accuracy_by_topic(judge) if shown == "topics" else label_table(judge.confusion)
    if lists is None and design != "elsewhere":
        notes.append("Give the runs as well to see whether the judge is equally good for the documents of all systems.")
    return replace(chosen, made_by=made_by, notes=tuple(notes))


def _tell_partly_judged(judge: Judge) -> None:
    """Warn of gold topics that are not whole: which of their pairs were judged is then part of the design."""
    pairs = judge.pairs
    if pairs is None or pairs.pool is None or pairs.item is None:
        return
    begin, has = pairs.pool.begin, np.bincount(pairs.pool.topic[pairs.item], minlength=len(pairs.pool.topics))
    partly = np.flatnonzero((has > 0) & (has < np.diff(begin)))
    if len(partly):
        names = [f"{pairs.pool.topics[t]}: {has[t]} of {np.diff(begin)[t]}" for t in partly]
        warn(
            f"the design is 'topics', but {len(partly)} of {int((has > 0).sum())} gold topics are gold-judged in part "
            f"only ({some(names)}); if pairs were drawn, say so (design='random' or 'by-bronze')"
        )


def accuracy_by_topic(judge: Judge) -> Table:
    """Where the judge is right: each gold topic's pairs and rates."""
    b = judge.binary
    rows: list[tuple[Cell, ...]] = []
    for topic, ((nn, nr), (rn, rr)) in zip(b.topics, b.table.tolist(), strict=True):
        rows.append((topic, count(rr + rn), share(rr, rr + rn), count(nn + nr), share(nn, nn + nr)))
    return Table(("topic", "gold relevant", "mR", "gold non-relevant", "mN"), rows, title="accuracy by topic")
