"""How good a cheap judge is, or each of several assessors: one question, whatever the data are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from truegain._version import __version__
from truegain.config import Gold, Resampling, Scoring
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
from truegain.measures.evaluate import aligned, at_level, heeded, matching_for
from truegain.measures.label_weights import level_of, levels_of
from truegain.measures.parse import MeasureLike, parse_measure
from truegain.message import Message, arg, argname, value_of, with_marks
from truegain.tables.checks import warn
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.table import Cell, Table

ShowOf = Literal["labels", "topics", "systems", "assessors"]
PERMUTATIONS = 2000  # of the test over systems
WITHOUT_RUNS = "Give the runs as well to see whether the judge is equally good for the documents of all systems."


@takes()
def judge_quality(
    judgments: JudgmentsLike,
    *,
    gold: JudgmentsLike | Judge | Gold,
    runs: RunsLike | None = None,
    measure: MeasureLike = "P@10",
    scoring: Scoring | None = None,
    show: ShowOf | None = None,
    aggregate: str | None = None,
    scale: str | Sequence[float] | None = None,
    missing: Missing = "refuse",
    resampling: Resampling | None = None,
) -> Table:
    """Tell how good a judge is, where, whether the data fit together, and whether it favors some systems.

    Parameters
    ----------
    judgments : path, frame, mapping or Judgments
        The labels of the judge, or ratings by several assessors, of whom each is then measured.
    gold : Gold, path, frame, mapping, Judgments or Judge
        Trusted labels of some pairs and how these were sampled, `Gold("people.csv", design="random")`; or a judge that
        was fitted on such labels.
    runs : path, frame or mapping, optional
        The systems' rankings, to tell whether the judge is equally good for the documents of all.
    measure : str or Measure
        Which documents of the runs count, and what is relevant.
    scoring : Scoring, optional
        The smallest label that counts as relevant (`relevant_from`), where the measure does not say.
    show : {'labels', 'topics', 'systems', 'assessors'}, optional
        Accuracy by gold label, topic, system or assessor; by default what the data allow, the last first.
    aggregate : str, optional
        The rule that makes one label of several assessors' ratings, who are then one judge; see `aggregate`.
    scale : str or sequence of float, optional
        The labels that there are, such as '0:3'.
    missing : {'refuse', 'drop'}
        Gold pairs that the judge did not label: refused, or left out.
    resampling : Resampling, optional
        Permutations of the test over systems (2,000 by default), their seed, and processes.

    Returns
    -------
    Table
        A row for each label, topic, system or assessor; what is found of the whole stands in `notes`.

    Examples
    --------
    >>> import truegain as tg
    >>> bronze = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    >>> gold = tg.Gold({"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 1}}, design="random")
    >>> tg.judge_quality(bronze, gold=gold).columns
    ('gold label', 'pairs', 'bronze 0', 'bronze 1')
    """
    sample = gold if isinstance(gold, Gold) else Gold(gold)
    design, gold_relevant_from, draws = sample.design, sample.relevant_from, resampling or Resampling()
    for name, is_given in (("gold_aggregate", sample.aggregate is not None), ("sequential", sample.sequential)):
        if is_given:
            raise TruegainError(f"{argname(name)} is for a study; the quality of a judge is measured without it")
    if show is not None:
        check_one_of("show", show, get_args(ShowOf))
    if show == "assessors" and aggregate is not None:
        raise TruegainError(
            f"{arg('aggregate')} makes one judge of all assessors, {arg('show', 'assessors')} keeps them apart; give "
            "one"
        )
    one = at_level(parse_measure(measure), heeded(scoring, "relevant_from").relevant_from)
    known = scale_of(scale)
    given = on_scale(Judgments.of(judgments), known)
    labels: Any = sample.labels
    trusted = labels if isinstance(labels, Judge) else on_scale(Judgments.of(labels, "gold"), known)
    if show == "assessors" or (show is None and aggregate is None and is_ratings(given)):
        return assessor_table(given, trusted, design=design, levels=levels_of(one, gold_relevant_from))
    bronze, said = bronze_of(given, aggregate)
    if runs is not None and not one.linear_in_gains:
        raise MeasureError(
            f"{one} does not say which documents of a run count, and how much: the judge's accuracy by system needs a "
            "measure that weighs ranks, such as P@10, CG@10, DCG@10 or RBP"
        )
    allowed = known if aggregate is None else None
    fitted = judges_of(trusted, bronze, design, one, gold_relevant_from, missing=missing, scale=allowed)
    judge = fitted.single_for("accuracy by label, topic or system").at_levels(level_of(one), gold_relevant_from)
    inverted = judge.inverted()
    notes = [*said, str(judge), *judge.consistency(), *(() if inverted is None else (inverted,))]
    if judge.design == "topics":
        _tell_partly_judged(judge)
    if show == "systems" and runs is None:
        raise TruegainError("accuracy by system needs the runs; give them after the gold labels")
    if runs is None:
        notes += [] if design == "elsewhere" else [WITHOUT_RUNS]
    else:
        matching = matching_for([one], Scoring())
        ranked = aligned(runs, bronze, Scoring(), jobs=draws.jobs, matching=matching)
        lists = JudgedLists.of(ranked, judge, one, gold_relevant_from=gold_relevant_from)
        for system, mean in zip(ranked.systems, mean_of_rows(lists.naive).tolist(), strict=True):
            notes += [Message(f"{system}: {with_marks(why)}") for why in lists.impossible_means(system, mean)]
        notes += rank_notes(lists, always=True, rectified=fitted.rectifier("default") is not None)
        if len(ranked.systems) > 1:
            found = homogeneity(lists, trials=draws.n or PERMUTATIONS, seed=draws.seed)
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
