"""Values of answers as a study reads them: each answer is a list of its items, and each value the label of one.

An item belongs to one system, so its document is named by both, and no label is shared between systems.  All that a
study says of runs, with gold labels or without, it thereby says of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truegain.config import StudyConfig
from truegain.data.items import Items, is_log, read_items
from truegain.data.judgments import NO_SUBTOPIC, Judgments
from truegain.data.label_list_reading import gold_list_of
from truegain.data.runs import Runs, read_runs
from truegain.data.scores import Scores
from truegain.errors import InputError, TruegainError, some
from truegain.io.columns import Coded, Ids, frozen
from truegain.io.logs.log import ScoreRange
from truegain.measures.base import Measure
from truegain.measures.evaluate import evaluate
from truegain.measures.items import WEIGHT, ItemMean
from truegain.measures.parse import MeasuresLike
from truegain.message import arg, argname
from truegain.sampling.clusters import CLUSTERS, clustered
from truegain.study.config import names_in


def items_in(
    files: Sequence[str], score: str | None, cluster: str | None, called: Callable[[str], str] = str
) -> Items | None:
    """Values of answers, where files are logs of evaluation tools, or a score or cluster of theirs is named; else None.

    called: the name that a system has here, by the one in the files.
    """
    if not (score or cluster or is_log(files[0])):
        return None
    items = read_items(files)
    items = replace(items, system=replace(items.system, values=tuple(map(called, items.systems))))
    return items if cluster is None else items.clustered(cluster)


def answer_scores(items: Items, score: str | None) -> Scores:
    """The score of each system on each topic, as `evaluate` gives it for runs."""
    answers = answer_inputs(items, None, score, StudyConfig())
    return evaluate(answers.runs, answers.judgments, answers.measures)


@dataclass(frozen=True)
class AnswerInputs:
    """What a study is given of answers in place of runs and judgments, and the score as its measure."""

    runs: Runs
    judgments: Judgments
    measures: tuple[Measure, ...]
    config: StudyConfig


def answer_inputs(items: Items, judgments: object, measures: MeasuresLike | None, config: StudyConfig) -> AnswerInputs:
    """Answers as lists of their items, values as labels; gold values likewise.

    Parameters
    ----------
    items : Items
        The values.
    judgments : None
        Values are judgments already; others are refused.
    measures : str, optional
        Which score; not needed where there is one.
    config : StudyConfig
        The options of the study; gold labels are values of the same answers.

    Returns
    -------
    AnswerInputs
        What `Study` reads.
    """
    if judgments is not None:
        raise TruegainError(
            f"{argname('judgments')}: values of answers are judgments already; name the score by {arg('measures')}, as "
            "in tg.Study(items, measures='faithfulness'), and give trusted values as gold"
        )
    if not (measures is None or isinstance(measures, str)):
        raise TruegainError(f"{argname('measures', measures)}: a study of answers is about one score; give its name")
    (name,) = items.chosen(None if measures is None else [measures])
    items.tell_missing(name)
    one = items.of_score(name).by_item
    known = one.take(np.flatnonzero(~np.isnan(one.value)))
    if not len(known):
        reasons = dict.fromkeys(why for of in items.missing(name).values() for why in of)
        raise InputError(
            f"{name} has no value for any answer ({some(list(reasons))})", file=items.source,
            hint="run the evaluation again, or choose another score",
        )  # fmt: skip
    scale = items.scales.get(name, ScoreRange())
    if config.gold is not None:
        config = replace(config, gold=replace(config.gold, labels=_gold_labels(config.gold.labels, items, name, scale)))
    if items.cluster is not None:
        config = _over_clusters(config)
    return AnswerInputs(_lists(known), _labels(known, scale), (measure_of(name, scale),), config)


def measure_of(name: str, scale: ScoreRange) -> ItemMean:
    """The score as a measure; one that is better where it is less counts negative, and is called so."""
    if scale.lower_is_better:
        return ItemMean(name=f"negative {name}", low=-scale.high, high=-scale.low)
    return ItemMean(name=name, low=scale.low, high=scale.high)


def _over_clusters(config: StudyConfig) -> StudyConfig:
    """Answers hold for other clusters where topics were sampled in such, unless something else is asked for."""
    if names_in(config.population) == ["topics"]:
        return replace(config, population=CLUSTERS.name)
    return config


def _names(items: Items) -> tuple[list[str], list[str]]:
    """The topic of each row, in its cluster, and the document that its item is."""
    topics = items.topic.strings()
    if items.cluster is not None:
        topics = [clustered(items.cluster[topic], topic) for topic in topics]
    both = zip(items.system.strings(), items.item.strings(), strict=True)
    return topics, [f"{system}: {item}" if item else system for system, item in both]


def _lists(items: Items) -> Runs:
    """A run of each system: of each topic the items of its answer, in the order in which they were read."""
    runs: dict[str, dict[str, dict[str, float]]] = {system: {} for system in items.systems}
    topics, docs = _names(items)
    for system, topic, doc in zip(items.system.strings(), topics, docs, strict=True):
        answer = runs[system].setdefault(topic, {})
        answer[doc] = -float(len(answer))
    return read_runs({system: lists for system, lists in runs.items() if lists})


def _labels(items: Items, scale: ScoreRange) -> Judgments:
    """The values as labels, with what each item counts and which model gave it."""
    topics, docs = _names(items)
    sign = -1.0 if scale.lower_is_better else 1.0
    extra: dict[str, Sequence[object]] = {WEIGHT: items.weight.tolist()}
    if items.models:
        extra["model"] = [judge if judge in items.models else None for judge in items.judge.strings()]
    return Judgments(
        Coded.of(topics), Ids.of(docs), frozen(sign * items.value), Coded.of([NO_SUBTOPIC] * len(items)),
        extra=extra, source=items.source, are_gains=True,
    )  # fmt: skip


def _is_list(labels: Any) -> bool:
    """Whether gold labels are a list that was drawn to be labeled."""
    try:
        return gold_list_of(labels) is not None
    except InputError:  # a table of values, which has other columns
        return False


def _gold_labels(labels: Any, items: Items, score: str, scale: ScoreRange) -> Any:
    """Trusted values of some of the items, as labels; a list that was drawn to be labeled is one already."""
    if isinstance(labels, Judgments) or _is_list(labels):
        return labels
    gold = read_items(labels)
    (name,) = gold.chosen([score] if score in gold.scores else None)
    if strangers := [system for system in gold.systems if system not in items.systems]:
        raise InputError(
            f"{some(strangers)}: not a system of {items.source}, which has {some(items.systems)}", file=gold.source,
            hint="an answer belongs to one system; name it in a column 'system'",
        )  # fmt: skip
    known = gold.of_score(name).by_item
    known = known.take(np.flatnonzero(~np.isnan(known.value)))
    if not len(known):
        raise TruegainError(f"{argname('gold')}: {gold.source} has no values; fill in some, or leave {arg('gold')} out")
    if lost := [topic for topic in known.topics if topic not in set(items.topics)]:
        raise InputError(
            f"topic {lost[0]} is not in {items.source}", file=gold.source,
            hint=f"name topics as there: {some(items.topics)}",
        )  # fmt: skip
    return _labels(replace(known, cluster=items.cluster, models=frozenset()), scale)
