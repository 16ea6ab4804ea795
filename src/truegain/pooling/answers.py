"""Answers as lists of their items with values as labels, and the scores of answers by measures of nuggets.

An item belongs to one system, so its document is named by both, and no label is shared between systems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any

import numpy as np

from truegain.data.item_ratings import document_names
from truegain.data.items import Items
from truegain.data.judgments import NO_SUBTOPIC, Judgments
from truegain.data.runs import Runs, read_runs
from truegain.data.scores import Scores
from truegain.errors import InputError, TruegainError, counted, some, warn
from truegain.io.columns import Bools, Coded, Ids, Ints, frozen
from truegain.io.logs.log import ScoreRange
from truegain.io.nugget_files import SCORE, VITAL
from truegain.measures.base import mean_of_rows
from truegain.measures.catalogue import MeasuresLike
from truegain.measures.evaluate import evaluate
from truegain.measures.items import WEIGHT, ItemMean
from truegain.measures.nuggets import NuggetMeasure, nugget_measures
from truegain.message import arg, argname
from truegain.sampling.clusters import CLUSTER
from truegain.sampling.gold import ANSWER


def score_names(measures: Any) -> list[str] | None:
    """The names of scores, where some are given: one, or several in a sequence.

    >>> score_names(None), score_names("faith"), score_names(["faith", "support"])
    (None, ['faith'], ['faith', 'support'])
    """
    if measures is None:
        return None
    several = isinstance(measures, Iterable) and not isinstance(measures, str)
    return list(map(str, measures)) if several else [str(measures)]


def names_score(items: Items, measures: MeasuresLike | None) -> bool:
    """Whether scores by their names are meant, and not measures of nuggets; an empty list is refused."""
    refuse_none(items, measures)
    if not items.are_nuggets:
        return True
    names = score_names(measures) if isinstance(measures, str | Collection) else None
    return bool(names) and set(names or ()) <= set(items.scores)


def refuse_none(items: Items, measures: object, argument: str = "measures") -> None:
    """Refuse an empty list of scores or measures; argument: what the caller's is called."""
    if isinstance(measures, Sized) and not isinstance(measures, str) and not len(measures):
        known = ["V_strict", "A_strict"] if items.are_nuggets else list(items.scores)
        raise TruegainError(
            f"{argname(argument, measures)}: the list is empty; give the name of a score, such as {some(known, 5)}, "
            f"or leave {argname(argument)} out"
        )


def one_score(items: Items, measure: Any) -> MeasuresLike | None:
    """What a function about one score or measure is given of answers, by its name or in a list."""
    refuse_none(items, measure, "measure")
    if measure is None or isinstance(measure, list | tuple):
        return measure
    return str(measure)


def no_values(items: Items, name: str) -> InputError:
    """Why nothing can be compared: no value at all, none of some systems, or none of the same topics."""
    there: Bools = np.asarray(~np.isnan(items.matrix(name)).all(axis=1))
    if not there.any():
        reasons = dict.fromkeys(why for of in items.missing(name).values() for why in of)
        why = f" ({some(list(reasons))})" if reasons else ""
        return InputError(
            f"{name} has no value for any answer{why}", file=items.source,
            hint="run the evaluation again, or choose another score",
        )  # fmt: skip
    if not there.all():
        return none_of([s for s, has in zip(items.systems, there.tolist(), strict=True) if not has], items, name)
    return InputError(f"no topic has a value of {name} for all systems", file=items.source,
                      hint="give logs of the same samples")  # fmt: skip


def none_of(systems: Sequence[str], items: Items, name: str) -> InputError:
    """Systems all of whose values are missing."""
    reasons = Counter(why for system in systems for why in items.missing(name).get(system, {}))
    why = f" ({some(list(reasons))})" if reasons else ""
    near = [f"{system} has {like}" for system in systems if (like := items.likely_name(name, system))]
    have, their = ("has", "its") if len(systems) == 1 else ("have", "their")
    return InputError(
        f"{some(systems)} {have} no value of {name} for any of {their} answers{why}", file=items.source,
        hint=f"{some(near)}; did you mean that? If so, give the score one name in all files" if near else
        f"run {their} evaluation again, choose another score, or give another log in {their} place",
    )  # fmt: skip


def measure_of(name: str, scale: ScoreRange, by_rule: bool = False) -> ItemMean:
    """The score as a measure; one that is better where it is less counts negative, and is called so."""
    if scale.lower_is_better:
        return ItemMean(name=f"negative {name}", low=-scale.high, high=-scale.low, by_rule=by_rule, turned=True)
    return ItemMean(name=name, low=scale.low, high=scale.high, by_rule=by_rule)


def lists_of(items: Items) -> Runs:
    """A run of each system: of each topic the items of its answer, in the order in which they were read."""
    runs: dict[str, dict[str, dict[str, float]]] = {system: {} for system in items.systems}
    topics, docs = document_names(items)
    for system, topic, doc in zip(items.system.strings(), topics, docs, strict=True):
        answer = runs[system].setdefault(topic, {})
        answer[doc] = -float(len(answer))
    return read_runs({system: lists for system, lists in runs.items() if lists})


def judgments_of_items(items: Items, scale: ScoreRange) -> Judgments:
    """The values as labels, with what each item counts, which model gave it, and the cluster of its topic."""
    topics, docs = document_names(items)
    sign = -1.0 if scale.lower_is_better else 1.0
    extra: dict[str, Sequence[object]] = {WEIGHT: items.weight.tolist(), ANSWER: items.system.strings()}
    if items.models:
        extra["model"] = [judge if judge in items.models else None for judge in items.judge.strings()]
    if items.cluster is not None:
        extra[CLUSTER] = [items.cluster[topic] for topic in topics]
    return Judgments(
        Coded.of(topics), Ids.of(docs), frozen(sign * items.value), Coded.of([NO_SUBTOPIC] * len(items)),
        extra=extra, source=items.source, are_gains=True, turned=scale.lower_is_better is True,
    )  # fmt: skip


def nuggets_of(items: Items, measures: MeasuresLike | None) -> tuple[tuple[NuggetMeasure, ...], Items, Ints]:
    """The measures, the assignments, and the nuggets (rows of their `by_item`) of answers that all measures score."""
    chosen, items = _measured(items, measures)
    scored: Bools = np.asarray(_scored(items.by_item, chosen, of_all=True).all(axis=0))
    return chosen, items, _rows_of(items, scored)


def nugget_scores(items: Items, measures: MeasuresLike | None) -> Scores:
    """Scores by measures of nuggets, each of the answers that it can score.

    Of replicates and judges, strict measures have labels of their own.
    """
    chosen, items = _measured(items, measures)
    scored = _scored(items.by_item, chosen, of_all=False)
    rows = _rows_of(items, np.asarray(scored.any(axis=0)))
    groups: list[list[NuggetMeasure]] = [list(chosen)]
    if judged_again(items):
        strict = [replace(m, of_shares=True) for m in chosen if m.strict]
        groups = [group for group in (strict, [m for m in chosen if not m.strict]) if group]
    parts = []
    for group in groups:
        one = (strictly(items) if group[0].of_shares else items).by_item.take(rows)
        known = one.take(np.flatnonzero(~np.isnan(one.value)))
        parts.append(evaluate(lists_of(known), judgments_of_items(known, ScoreRange(0.0, 1.0)), group))
    scores = parts[0] if len(parts) == 1 else _merged(parts, [str(m) for m in chosen])
    by_name = dict(zip(map(str, chosen), scored, strict=True))
    _tell_partly(by_name, items)
    return _of_own_answers(scores, {name: by_name[name] for name in scores.measures}, items)


def _measured(items: Items, measures: MeasuresLike | None) -> tuple[tuple[NuggetMeasure, ...], Items]:
    """The measures, checked, and the assignments."""
    chosen = nugget_measures(usual_of_nuggets(items) if measures is None else measures)
    items = items.of_score(SCORE)
    one = items.by_item
    _check_importance(one, chosen)
    items.tell_missing(SCORE)
    if np.isnan(one.value).all():
        raise no_values(items, SCORE)
    return chosen, items


def _merged(parts: Sequence[Scores], names: Sequence[str]) -> Scores:
    """Scores of the same answers by several measures, put together in the order of some names."""
    merged: list[dict[str, Any]] = []
    for field_name in ("values", "summaries", "objects", "bounds", "aliases"):
        of_all = {name: x for part in parts for name, x in getattr(part, field_name).items()}
        merged.append({name: of_all[name] for name in [*names, *of_all] if name in of_all})
    values, summaries, objects, bounds, aliases = merged
    return replace(
        parts[0], values=values, summaries=summaries, objects=objects, bounds=bounds, aliases=aliases,
        provenance={**parts[0].provenance, "measures": names} if "measures" in parts[0].provenance
        else parts[0].provenance,
        caveats=tuple(dict.fromkeys(caveat for part in parts for caveat in part.caveats)),
    )  # fmt: skip


def _of_own_answers(scores: Scores, scored: Mapping[str, Bools], items: Items) -> Scores:
    """Scores without values of answers that a measure cannot score, as those of a topic without vital nuggets."""
    system, topic = ({name: at for at, name in enumerate(names)} for names in (items.systems, items.topics))
    at = np.ix_([system[name] for name in scores.systems], [topic[name] for name in scores.topics])
    shape = len(items.systems), len(items.topics)
    values = {name: np.where(scored[name].reshape(shape)[at], x, np.nan) for name, x in scores.values.items()}
    return replace(scores, values=values, summaries={name: mean_of_rows(x) for name, x in values.items()})


def judged_again(items: Items) -> bool:
    """Whether some nugget of an answer was assigned several times: in replicates, or by several judges."""
    return int((~np.isnan(items.value)).sum()) > int((~np.isnan(items.by_item.value)).sum())


def strictly(items: Items) -> Items:
    """Full support alone, of each single assignment: a mean of several is the share that found it."""
    full = np.where(np.isnan(items.value), np.nan, items.value >= 1)
    return replace(items, value=frozen(full.astype(np.float64)))


def usual_of_nuggets(items: Items) -> str:
    """The measure where none is asked for: that of vital nuggets, unless nobody said which are."""
    return "V_strict" if (items.weight == VITAL).any() else "A_strict"


def _check_importance(items: Items, measures: Sequence[NuggetMeasure]) -> None:
    for m in measures:
        if not (m.counts(items.weight) > 0).any():
            unknown = not items.weight.any()
            raise InputError(
                f"{m}: " + ("the importance of no nugget is known" if unknown else "no nugget is vital"),
                file=items.source,
                hint="add the file that says which nuggets are vital or okay, or give A or A_strict, which need none"
                if unknown else "give A or W, or check the importance of the nuggets",
            )  # fmt: skip


def _tell_partly(scored: Mapping[str, Bools], items: Items) -> None:
    """Tell which answers a measure cannot score that others can, of topics on which it scores other systems."""
    shape = len(items.systems), len(items.topics)
    some_do = np.any(list(scored.values()), axis=0).reshape(shape)
    for name, row in scored.items():
        does = row.reshape(shape)
        lost = [f"{items.systems[s]} on topic {items.topics[t]}" for s, t in np.argwhere(some_do & ~does & does.any(0))]
        if lost:
            warn(
                f"{name}: {counted(len(lost), 'answer')} ({some(lost)}) left out of the mean, because every nugget "
                "that it counts failed there"
            )


def _rows_of(items: Items, scored: Bools) -> Ints:
    """The rows of `by_item` that belong to some answers; of none there is nothing to score."""
    if not scored.any():
        raise InputError("no answer can be scored", file=items.source, hint="check the assignments")
    one = items.by_item
    return np.flatnonzero(scored[one.system.code.astype(np.int64) * len(items.topics) + one.topic.code])


def _scored(items: Items, measures: Sequence[NuggetMeasure], of_all: bool) -> Bools:
    """Which answers (columns) each measure (rows) can score; topics that lack its kind of nugget are told.

    of_all: whether an answer will count only where all measures score it.
    """
    size = len(items.systems) * len(items.topics)
    topic = items.topic.code.astype(np.int64)
    answer = items.system.code.astype(np.int64) * len(items.topics) + topic
    known = ~np.isnan(items.value)
    scored = np.ones((len(measures), size), np.bool_)
    empty: dict[tuple[str, ...], list[NuggetMeasure]] = {}
    for m, row in zip(measures, scored, strict=True):
        counts = m.counts(items.weight) > 0
        has = np.bincount(answer[counts & known], minlength=size) > 0
        there = np.bincount(topic[counts], minlength=len(items.topics)) > 0
        if not there.all():
            lacking = tuple(t for t, x in zip(items.topics, there.tolist(), strict=True) if not x)
            empty.setdefault((m.empty, *lacking), []).append(m)
        row[:] = has if m.empty == "skip" else has | np.tile(~there, len(items.systems))
    for (_, *topics), of in empty.items():
        _tell_empty(of, topics, of_all and len(measures) > len(of))
    return scored


def _tell_empty(measures: Sequence[NuggetMeasure], topics: Sequence[str], others: bool) -> None:
    """Tell which topics lack the nuggets that some measures count; others: whether other measures lose them, too."""
    measure, names = measures[0], " and ".join(map(str, measures))
    have, are = ("1 topic has", "is") if len(topics) == 1 else (f"{len(topics)} topics have", "are")
    kind = "vital nugget" if measure.counted == "vital" else "nugget of known importance"
    if measure.empty == "zero":
        warn(f"{names}: {have} no {kind} ({some(topics)}), which is 0 for every system")
        return
    of_all = " of all measures" if others else ""
    warn(
        f"{names}: {have} no {kind} ({some(topics)}) and {are} left out{of_all}; nuggetizer counts 0 there: "
        f"{arg('empty', 'zero')}"
    )
