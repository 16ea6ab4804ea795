"""How good a cheap judge is, or each of several assessors: one question, whatever the data are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from truegain._version import __version__
from truegain.errors import MeasureError, TruegainError, check_one_of, some
from truegain.gains.judge import Judge
from truegain.gains.judge_table import count, label_table, share
from truegain.gains.pairs import Missing
from truegain.gains.scales import on_scale, scale_of
from truegain.inference.judges.assessors import assessor_table, bronze_of, is_ratings
from truegain.inference.judges.by_rank import rank_notes
from truegain.inference.judges.homogeneity import homogeneity
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.options import judges_of
from truegain.keywords import takes
from truegain.measures.base import mean_of_rows
from truegain.measures.evaluate import Options, aligned, at_level, matching_for
from truegain.measures.label_weights import level_of, levels_of
from truegain.measures.parse import MeasureLike, parse_measure
from truegain.message import Message, arg, value_of, with_marks
from truegain.sampling.designs import Design
from truegain.tables.checks import warn
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.read import NameBy
from truegain.tables.table import Cell, Table

ShowOf = Literal["labels", "topics", "systems", "assessors"]
WITHOUT_RUNS = "Give the runs as well to see whether the judge is equally good for the documents of all systems."


@takes()
def judges(
    judgments: JudgmentsLike,
    *,
    gold: JudgmentsLike | Judge,
    runs: RunsLike | None = None,
    measure: MeasureLike = "P@10",
    level: float | None = None,
    design: Design | None = None,
    show: ShowOf | None = None,
    rule: str | None = None,
    scale: str | Sequence[float] | None = None,
    gold_level: float | None = None,
    missing: Missing = "refuse",
    replicates: int = 2000,
    seed: int = 0,
    name_by: NameBy = "file",
    jobs: int | None = None,
) -> Table:
    """How good the judge is, where, whether the data fit together, and with `runs` whether it favours some systems.

    `judgments` are those of the cheap judge, or ratings by several assessors, of whom each is then measured, or with
    `rule` what is made of them (see `to_gains`); `gold` are trusted labels of some pairs, `design` how these were drawn
    (see `correct`), or a fitted `Judge`.  show: accuracy by gold label ('labels'), by topic, system or assessor (by
    default what the data allow, the last first).  measure: which documents of the runs count, and what is relevant;
    level: what is, where the measure does not say; gold_level: of gold labels, where their scale differs.  scale: the
    labels that there are, such as '0:3'.

    >>> import truegain as tg
    >>> bronze = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    >>> gold = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 1}}
    >>> tg.judges(bronze, gold=gold, design="random").columns
    ('gold label', 'pairs', 'bronze 0', 'bronze 1')
    """
    if show is not None:
        check_one_of("show", show, get_args(ShowOf))
    if show == "assessors" and rule is not None:
        raise TruegainError(
            f"{arg('rule')} makes one judge of all assessors, {arg('show', 'assessors')} keeps them apart; give one"
        )
    one = at_level(parse_measure(measure), Options(level=level).level)
    known = scale_of(scale)
    given = on_scale(Judgments.of(judgments), known)
    trusted = gold if isinstance(gold, Judge) else on_scale(Judgments.of(gold, "gold"), known)
    if show == "assessors" or (show is None and rule is None and is_ratings(given)):
        return assessor_table(given, trusted, design=design, levels=levels_of(one, gold_level))
    bronze, said = bronze_of(given, rule)
    if runs is not None and not one.linear_in_gains:
        raise MeasureError(
            f"{one} does not say which documents of a run count, and how much: the judge's accuracy by system needs a "
            "measure that weighs ranks, such as P@10, CG@10, DCG@10 or RBP"
        )
    labels = known if rule is None else None
    fitted = judges_of(trusted, bronze, design, one, gold_level, missing=missing, scale=labels)
    judge = fitted.single_for("accuracy by label, topic or system").at_levels(level_of(one), gold_level)
    inverted = judge.inverted()
    notes = [*said, str(judge), *judge.consistency(), *(() if inverted is None else (inverted,))]
    if judge.design == "topics":
        _tell_partly_judged(judge)
    if show == "systems" and runs is None:
        raise TruegainError("accuracy by system needs the runs; give them after the gold labels")
    if runs is None:
        notes += [] if design == "elsewhere" else [WITHOUT_RUNS]
    else:
        matching = matching_for([one], Options())
        ranked = aligned(runs, bronze, Options(), name_by=name_by, jobs=jobs, matching=matching)
        lists = JudgedLists.of(ranked, judge, one, gold_level=gold_level)
        for system, mean in zip(ranked.systems, mean_of_rows(lists.naive).tolist(), strict=True):
            notes += [Message(f"{system}: {with_marks(why)}") for why in lists.impossible_means(system, mean)]
        notes += rank_notes(lists, always=True, rectified=fitted.rectifier("default") is not None)
        if len(ranked.systems) > 1:
            found = homogeneity(lists, trials=replicates, seed=seed)
            if show in (None, "systems"):
                return replace(found.table(), notes=(*notes, *found.table().notes))
            notes.append(found.sentence)
    made_by = {"truegain": __version__, "design": judge.design, "levels": list(judge.levels)}
    chosen = accuracy_by_topic(judge) if show == "topics" else label_table(judge.confusion)
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
            f"only ({some(names)}); if pairs were drawn, say so ({arg('design', 'random')} or "
            f"{value_of('design', 'by-bronze')})"
        )


def accuracy_by_topic(judge: Judge) -> Table:
    """Where the judge is right: each gold topic's pairs and rates."""
    b = judge.binary
    rows: list[tuple[Cell, ...]] = []
    for topic, ((nn, nr), (rn, rr)) in zip(b.topics, b.table.tolist(), strict=True):
        rows.append((topic, count(rr + rn), share(rr, rr + rn), count(nn + nr), share(nn, nn + nr)))
    return Table(("topic", "gold relevant", "mR", "gold non-relevant", "mN"), rows, title="accuracy by topic")
