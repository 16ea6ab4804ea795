"""How good a cheap judge is, or each of several assessors: one question, whatever the data are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from truegain.errors import TruegainError, check_one_of
from truegain.gains.judge import Judge
from truegain.gains.pairs import Missing
from truegain.gains.scales import on_scale, scale_of
from truegain.inference.judges.assessors import assessor_table, bronze_of, is_ratings
from truegain.inference.judges.label_weights import levels_of
from truegain.inference.judges.report import judge_report
from truegain.keywords import takes
from truegain.measures.parse import MeasureLike
from truegain.sampling.designs import Design
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.read import NameBy
from truegain.tables.table import Table

ShowOf = Literal["labels", "topics", "systems", "assessors"]


@takes()
def judges(
    judgments: JudgmentsLike,
    *,
    gold: JudgmentsLike | Judge,
    runs: RunsLike | None = None,
    measure: MeasureLike = "P@10",
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
    gold_level: what is, of gold labels, where their scale differs.  scale: the labels that there are, such as '0:3'.

    >>> import truegain as tg
    >>> bronze = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    >>> gold = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 1}}
    >>> tg.judges(bronze, gold=gold, design="random").columns
    ('gold label', 'pairs', 'bronze 0', 'bronze 1')
    """
    if show is not None:
        check_one_of("show", show, get_args(ShowOf))
    if show == "assessors" and rule is not None:
        raise TruegainError("rule= makes one judge of all assessors, show='assessors' keeps them apart; give one")
    known = scale_of(scale)
    given = on_scale(Judgments.of(judgments), known)
    trusted = gold if isinstance(gold, Judge) else on_scale(Judgments.of(gold, "gold"), known)
    if show == "assessors" or (show is None and rule is None and is_ratings(given)):
        return assessor_table(given, trusted, design=design, levels=levels_of(measure, gold_level))
    bronze, said = bronze_of(given, rule)
    table = judge_report(
        bronze, trusted, runs, design=design, measure=measure, gold_level=gold_level, missing=missing,
        labels=known if rule is None else None, show=show, trials=replicates, seed=seed, name_by=name_by, jobs=jobs,
    )  # fmt: skip
    return replace(table, notes=(*said, *table.notes))
