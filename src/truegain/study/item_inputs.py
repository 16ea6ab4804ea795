"""Values of answers as a study reads them: each answer is a list of its items, and each value the label of one.

An item belongs to one system, so its document is named by both, and no label is shared between systems.  All that a
study says of runs, with gold labels or without, it thereby says of answers.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from truegain.config import Empty, Gold, StudyConfig
from truegain.data.item_reading import is_log, model_meta_of, read_gold_items, read_items
from truegain.data.item_scales import tell_scales
from truegain.data.items import Items
from truegain.data.judgments import Judgments
from truegain.data.label_list_reading import gold_list_of
from truegain.data.label_lists import GoldList
from truegain.data.nuggets import gold_nuggets, read_nuggets
from truegain.data.runs import Runs
from truegain.data.scores import Scores
from truegain.errors import InputError, TruegainError, counted, meant, some, there_are, warn
from truegain.io.columns import Bools, Coded, frozen
from truegain.io.file_options import ASSESSOR, COLUMN, own_gold
from truegain.io.files import pieces_of
from truegain.io.logs.autojudge import AS_TREC_EVAL
from truegain.io.logs.log import ScoreRange
from truegain.io.logs.promptfoo import LESS_IN_CSV
from truegain.io.logs.records import UNNAMED
from truegain.io.nugget_files import SCORE, is_nuggets
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasuresLike
from truegain.measures.items import LESS_IS_BETTER, ItemMean, scores_of_items
from truegain.measures.nuggets import NuggetMeasure, nugget_measures
from truegain.measures.scoring import heeded
from truegain.message import Message, arg, argname, argvalue, gold_drawn
from truegain.pooling.answers import (
    judged_again,
    judgments_of_items,
    lists_of,
    measure_of,
    names_score,
    no_values,
    none_of,
    nugget_scores,
    nuggets_of,
    score_names,
    strictly,
    usual_of_nuggets,
)
from truegain.sampling.assessors import ASSESSORS
from truegain.sampling.catalogue import design_of, draws_topics, samples_in_words
from truegain.sampling.clusters import CLUSTERS
from truegain.sampling.replicates import REPLICATES
from truegain.study.answer_raters import RatedAnswers
from truegain.study.reading import names_in, sources_of


def items_in(
    files: Sequence[str],
    score: str | None,
    cluster: str | None,
    called: Callable[[str], str] = str,
    less_is_better: bool = False,
) -> Items | None:
    """Values of answers, where files are logs of evaluation tools, or a score or cluster of theirs is named; else None.

    called: the name that a system has here, by the one in the files; less_is_better: whether the score is so.
    """
    meta = model_meta_of(files)
    first = next((file for file in files if file not in meta), files[0])
    nuggets = not score and is_nuggets(first)
    if not (nuggets or score or cluster or is_log(first)):
        if less_is_better:
            raise TruegainError(
                f"{argname('less_is_better')} applies to a score of answers; name it with {arg('score')}"
            )
        return None
    items = read_nuggets(files) if nuggets else read_items(files)
    if less_is_better:
        if nuggets:
            raise TruegainError(
                f"{argname('less_is_better')} applies to a score of answers, not to nuggets; leave it out"
            )
        (name,) = items.chosen([score] if score else None)
        of_score = replace(items.scales.get(name, ScoreRange()), lower_is_better=True)
        items = replace(items, scales={**items.scales, name: of_score})
    items = replace(items, system=replace(items.system, values=tuple(map(called, items.systems))))
    return items if cluster is None else items.clustered(cluster)


def measures_of(
    items: Items, score: str | None, measures: Sequence[str] | None, empty: Empty = "skip"
) -> MeasuresLike | None:
    """What is asked of answers: the score by its name, or measures of nuggets; others are refused.

    empty: what a topic counts that has no nugget of the kind that a measure counts.
    """
    if items.are_nuggets and not score:
        return nugget_measures(measures or [usual_of_nuggets(items)], empty)
    if measures:
        raise TruegainError(
            f"{argname('measure', measures[0])}: these are values of answers, not runs; name one of their scores with "
            f"{arg('score')}: {', '.join(items.scores)}"
        )
    if empty != "skip":
        raise TruegainError(f"{arg('empty', empty)} applies to measures of nuggets only; leave it out")
    return score


def answer_scores(items: Items, measures: MeasuresLike | None) -> Scores:
    """The scores of each system on each topic that all have a value for; one that is better where less is, negative."""
    if not names_score(items, measures):
        return nugget_scores(items, measures)
    chosen = items.chosen(score_names(measures))
    if len(chosen) > 1:
        raise TruegainError(
            f"{argname('measures', measures)}: answers are compared on one score; give one of these by itself"
        )
    (name,) = chosen
    there: Bools = np.asarray(~np.isnan(items.matrix(name)).any(axis=0))
    if not there.any():  # said once, before anything is told of missing values
        raise no_values(items, name)
    scores = scores_of_items(items, [name], in_common=True)
    values = scores.values[name]
    topics = tuple(topic for topic, keep in zip(items.topics, there.tolist(), strict=True) if keep)
    tell_scales(items, name)
    scale = items.scales.get(name, ScoreRange())
    kept, measure = (
        values[:, there] * (-1.0 if scale.lower_is_better else 1.0),
        measure_of(name, scale, name in items.rules),
    )
    caveats = tuple(caveat for caveat in scores.caveats if caveat != LESS_IS_BETTER.format(name))
    return replace(
        scores, topics=topics, values={str(measure): frozen(kept)}, summaries={str(measure): kept.mean(axis=1)},
        objects={str(measure): measure}, caveats=caveats,
    )  # fmt: skip


@dataclass(frozen=True)
class AnswerInputs:
    """What a study is given of answers in place of runs and judgments, and the score as its measure."""

    runs: Runs
    judgments: Judgments
    measures: tuple[Measure, ...]
    config: StudyConfig
    items: Items | None = None  # the values of the score, missing ones and replicates among them; None of nuggets
    scale: ScoreRange = field(default_factory=ScoreRange)

    def for_people_ends(self, ends: tuple[float, float]) -> tuple[float, float]:
        """The lowest and the highest label that people may give, as the study has them."""
        return (0.0 - ends[1], 0.0 - ends[0]) if self.scale.lower_is_better else ends

    def for_people(self, listed: GoldList) -> GoldList:
        """A list to be labeled as people read it: a score that is better where it is less has its own direction."""
        return _turned(listed) if self.scale.lower_is_better else listed


def answer_inputs(items: Items, judgments: object, measures: MeasuresLike | None, config: StudyConfig) -> AnswerInputs:
    """Answers as lists of their items, values as labels; gold values likewise.

    Parameters
    ----------
    items : Items
        The values.
    judgments : None
        Values are judgments already; others are refused.
    measures : str or list of str, optional
        Which score; not needed where there is one.  Of nuggets, measures such as 'V_strict'.
    config : StudyConfig
        The options of the study; gold labels are values of the same answers.

    Returns
    -------
    AnswerInputs
        What `Study` reads.
    """
    if judgments is not None:
        raise TruegainError(
            f"{argname('judgments')}: values of answers are already judgments; name the score with {arg('measures')}, "
            "as in tg.Study(items, measures='faithfulness'), and give trusted values as gold"
        )
    if config.scoring.all_topics:
        raise TruegainError(
            f"{argname('all_topics')}: a missing value never counts as 0; leave {argname('all_topics')} out"
        )
    heeded(config.scoring)
    if config.gold is not None and config.gold.relevant_from is not None:
        raise TruegainError(NOT_OF_ANSWERS.format(argname("gold_relevant_from")))
    if not names_score(items, measures):
        _check_design(config.gold, are_binary=False)
        return _nugget_inputs(items, measures, config)
    _check_ratings(config)
    names = score_names(measures)
    if names is not None and len(names) != 1:
        raise TruegainError(
            f"{argname('measures', measures)}: a study of answers takes one score; give only one of these"
        )
    (name,) = items.chosen(names)
    items, gold = _gold_of_table(items, config.gold, name)
    items.tell_missing(name, in_common=True)
    items.tell_means(name)
    tell_scales(items, name)
    if not SEVERAL & sources_of(config.population):
        items.tell_partial_judges(name)
    for note in (AS_TREC_EVAL, LESS_IN_CSV):
        if note in items.notes:
            warn(f"{items.source}: {note}")
    one = items.of_score(name).by_item
    known = one.take(np.flatnonzero(~np.isnan(one.value)))
    if not len(known):
        raise no_values(items, name)
    _check_design(config.gold, are_binary=bool(np.isin(known.value, (0.0, 1.0)).all()))
    _check_systems(items, known, name)
    _check_topics(items, name)
    scale = items.scales.get(name, ScoreRange())
    measure = measure_of(name, scale, name in items.rules)
    if gold is not None:
        trusted, ends = _gold_labels(gold.labels, items, name, scale)
        config = replace(config, gold=replace(gold, labels=trusted))
        measure = _on_peoples_scale(measure, trusted, ends)
    of_score = items.of_score(name)
    of_score = replace(of_score, score=Coded.of(of_score.score.strings()))
    config = _over_clusters(items, config)
    labels = _rated(known, of_score, scale, config)
    return AnswerInputs(lists_of(known), labels, (measure,), config, of_score, scale)


def who_is_unknown(items: Items | None, gold: Gold | None) -> str:
    """What is to be said of values that no gold labels correct, where nothing tells who gave them; else empty."""
    unknown = "" if items is None or gold is not None else items.who_is_unknown
    return Message(unknown) if unknown else ""


def _check_systems(items: Items, known: Items, name: str) -> None:
    """Refuse several systems of which one at most has values: nothing is left to compare it with."""
    there = set(known.system.strings())
    if len(there) < 2 <= len(items.systems):
        raise none_of([system for system in items.systems if system not in there], items, name)


def _check_topics(items: Items, name: str) -> None:
    """Refuse systems that were asked other questions: no topic has a value of two of them."""
    has_value = ~np.isnan(items.matrix(name))
    if len(items.systems) < 2 or (has_value.sum(axis=0) > 1).any():
        return
    topics = np.array(items.topics, dtype=object)
    of = [f"{s} has {some(topics[row].tolist())}" for s, row in zip(items.systems, has_value, strict=True) if row.any()]
    raise InputError(
        f"no topic has a value of {name} for two systems: {'; '.join(of[:3])}", file=items.source,
        hint="give values of the same questions, with the same ids in every file",
    )  # fmt: skip


def _with_gold(config: StudyConfig, labels: Any) -> StudyConfig:
    assert config.gold is not None
    return replace(config, gold=replace(config.gold, labels=labels))


def _over_clusters(items: Items, config: StudyConfig) -> StudyConfig:
    """Answers hold for other clusters where topics were sampled in such, unless something else is asked for."""
    names = names_in(config.population)
    if items.cluster is not None and "topics" in names:
        return replace(config, population=[CLUSTERS.name if name == "topics" else name for name in names])
    return config


def _rated(known: Items, values: Items, scale: ScoreRange, config: StudyConfig) -> Judgments:
    """The labels of items, beside the single values behind them where the population names judges or repeats."""
    labels = judgments_of_items(known, scale)
    if not SEVERAL & sources_of(config.population):
        return labels
    there = set(_keys(known))
    has_value = ~np.isnan(values.value)
    has_label = np.array([key in there for key in _keys(values)], np.bool_)
    single = values.take(np.flatnonzero(has_value & has_label))
    return RatedAnswers.beside(labels, judgments_of_items(single, scale), single.judge.strings(), single.replicate)


def _check_ratings(config: StudyConfig) -> None:
    """Refuse a rule: how values of judges and repeats become one is known."""
    if config.ratings.are_aggregated:
        name = "normalize" if config.ratings.aggregate is None else "aggregate"
        raise TruegainError(
            f"{argname(name)} applies to ratings of documents; an answer is the mean of its judges, each the mean of "
            f"its repeats; leave {argname(name)} out"
        )


def _check_design(gold: Gold | None, *, are_binary: bool) -> None:
    """Refuse gold that is no sample of the values scored, unless these are pass and fail, which have error rates."""
    if gold is not None and gold.design is not None and not design_of(gold.design).sample and not are_binary:
        raise TruegainError(
            f"{arg('design', gold.design)} corrects by the judge's error rates, which labels and scores of 0 and 1 "
            f"alone have; gold labels of other answers must be a sample of them: give {samples_in_words()}"
        )


def _gold_of_table(items: Items, gold: Gold | None, score: str) -> tuple[Items, Gold | None]:
    """The values that are to be corrected, and gold with its values, where `gold` names them in the same table.

    A column holds what people say of the score, whatever it is called; rows of an assessor are of the score itself.
    """
    place = None if gold is None else own_gold("gold", gold.labels)
    if gold is None or place is None:
        return items, gold
    kind, _, name = place.partition(":")
    if f"{kind}:" == COLUMN:
        return items, replace(gold, labels=_of_column(items, name, place, score))
    is_of = np.array([judge == name for judge in items.judge.values], np.bool_)[items.judge.code]
    is_gold = is_of & (items.score.code == items.scores.index(score))
    if not is_gold.any():
        named = [judge for judge in items.judges if judge != UNNAMED]
        raise InputError(
            f"{argvalue('gold', place)}: no value of {score} is by an assessor of that name; "
            f"{there_are([name], named, 10) if named else 'its values name none'}",
            file=items.source,
            hint=f"give one of these after {ASSESSOR}, or gold values in a separate file" if named else
            "give gold values in a separate file",
        )  # fmt: skip
    has_value = ~np.isnan(items.value) & (items.score.code == items.scores.index(score))
    if not (has_value & ~is_of).any():
        raise InputError(
            f"{argvalue('gold', place)}: every value of {score} is by {name}; no values are left to be corrected",
            file=items.source, hint="give the table with the values of the judge, too",
        )  # fmt: skip
    trusted = items.take(np.flatnonzero(is_gold))
    return items.take(np.flatnonzero(~is_of)), replace(gold, labels=trusted)


def _of_column(items: Items, name: str, place: str, score: str) -> Items:
    others = tuple(other for other in items.scores if other != score)
    if items.are_nuggets:
        raise InputError(
            f"{argvalue('gold', place)}: people's assignments must be rows, not a column next to a model's",
            file=items.source,
            hint=f"put them into a file with the same columns, or name the assessor of their rows, as in {ASSESSOR}ann",
        )
    if name not in others:
        listed = f"he other columns are: {some(others, 10)}" if others else "here is no other column of values"
        near = None if name == score else meant(name, others)
        there = f"did you mean {near}? T{listed}" if near else f"t{listed}"
        what = "the study is about this score" if name == score else "there is no numeric column of that name"
        raise InputError(
            f"{argvalue('gold', place)}: {what}; {there}", file=items.source,
            hint="name the column that people filled in, as well as the score's",
        )  # fmt: skip
    trusted = items.of_score(name)
    return replace(trusted, score=Coded.of([score] * len(trusted)))


NOT_OF_ANSWERS = "{} does not apply to answers; leave it out"
UNNAMED_SCORES = ("score", "value", "label", "rating", "gain", "gold", "people", "human")  # names that tell nothing
SEVERAL = frozenset([ASSESSORS.name, REPLICATES.name])  # sources that single values tell of, not their mean
MOST_OF_HEAD = 4096  # bytes in which a list names its columns


def _list_in(labels: Any) -> GoldList | None:
    """The list that was drawn to be labeled, where gold labels are one."""
    try:
        return gold_list_of(labels)
    except InputError:
        begin = next(pieces_of(labels), b"")[:MOST_OF_HEAD] if isinstance(labels, str | os.PathLike) else b""
        if b"digest" in begin and b"order" in begin:  # a list with a fault
            raise
        return None  # a log, or a table of values, which has other columns


def _turned(listed: GoldList) -> GoldList:
    """The list with all labels of the other sign."""
    low, high = listed.scale
    bronze, label = (frozen(0.0 - values) for values in (listed.bronze, listed.label))
    return replace(listed, bronze=bronze, label=label, scale=(0.0 - high, 0.0 - low))


def _on_peoples_scale(measure: ItemMean, labels: Any, ends: tuple[float, float]) -> ItemMean:
    """The score with the bounds of people's values, where these lie outside of the judge's."""
    if isinstance(labels, GoldList):
        return measure.corrected(labels.scale, declared=True)
    values = labels.label if isinstance(labels, Judgments) else np.zeros(0)
    if not len(values):
        return measure
    seen = float(values.min()), float(values.max())
    declared = -math.inf < ends[0] <= seen[0] <= seen[1] <= ends[1] < math.inf  # not where it is the judge's own
    return measure.corrected(ends if declared else seen, declared)


def _gold_labels(labels: Any, items: Items, score: str, scale: ScoreRange) -> tuple[Any, tuple[float, float]]:
    """Trusted values of some of the items, as labels, and the ends of their scale, infinite where nothing says so.

    A list that was drawn to be labeled is one already, and knows its scale.
    """
    unknown = -math.inf, math.inf
    if isinstance(labels, Judgments):
        return labels, unknown
    if (listed := _list_in(labels)) is not None:
        return _turned(listed) if scale.lower_is_better else listed, unknown
    gold = read_gold_items(labels, items)
    (name,) = gold.chosen([score] if score in gold.scores else None)
    if name != score and name in items.scores:
        raise InputError(
            f"gold values are of {name}, but the study is about {score}", file=gold.source,
            hint=f"give gold values of {score}, or the score {name}",
        )  # fmt: skip
    if name != score and name not in UNNAMED_SCORES:
        warn(f"{gold.source}: gold values named {name} are used as values of {score}")
    known = _without_failed(_known_gold(gold.of_score(name).by_item, items), items.of_score(score).by_item)
    theirs = replace(gold.scales.get(name, ScoreRange()), lower_is_better=scale.lower_is_better)
    trusted = judgments_of_items(replace(known, models=frozenset(), cluster=None), scale)
    return trusted, measure_of(name, theirs).bounds()


def _known_gold(gold: Items, items: Items) -> Items:
    """The gold values that there are; those of other systems or topics are refused."""
    known = gold.take(np.flatnonzero(~np.isnan(gold.value)))
    there = set(known.system.strings())
    if strangers := [system for system in gold.systems if system in there and system not in items.systems]:
        near = [name for name in (meant(system, items.systems) for system in strangers) if name]
        hint = f"did you mean {some(near)}? A" if near else "a"
        raise InputError(
            f"{some(strangers)}: not a system of {items.source}, which has {some(items.systems)}", file=gold.source,
            hint=f"{hint}n answer belongs to one system; name it in a column 'system', and give gold values of these "
            "systems alone",
        )  # fmt: skip
    if not len(known):
        raise TruegainError(f"{argname('gold')}: {gold.source} has no values; fill in some, or leave {arg('gold')} out")
    if lost := [topic for topic in known.topics if topic not in set(items.topics)]:
        others = f", nor are {len(lost) - 1:,} more of its {len(known.topics):,}" if len(lost) > 1 else ""
        alike = {topic.strip().casefold(): topic for topic in items.topics}
        like = next((alike[x] for topic in lost if (x := topic.strip().casefold()) in alike), "")
        raise InputError(
            f"topic {lost[0]} is not in {items.source}{others}", file=gold.source,
            hint=f"use the same topic names: {some([like] if like else items.topics)}"
            + (f", with these capitals, not {lost[0]}" if like else ""),
        )  # fmt: skip
    return known


def _without_failed(gold: Items, items: Items) -> Items:
    """Gold of items that the judge has a value for: where it failed there is nothing to be held against."""
    assigned = set(_keys(items.take(np.flatnonzero(~np.isnan(items.value)))))
    every = set(_keys(items))
    answers = {key[:2] for key in every}
    failed = [key not in assigned and (key in every or key[:2] not in answers) for key in _keys(gold)]
    if not any(failed):
        return gold
    if all(failed):
        raise InputError(
            f"no gold value belongs to an answer with a value by the judge in {items.source}", file=gold.source,
            hint="label answers that have a value by the judge",
        )  # fmt: skip
    warn(f"{gold.source}: {counted(sum(failed), 'gold value')} left out, because the judge has no value there")
    return gold.take(np.flatnonzero(~np.array(failed)))


# ---- Nuggets: several measures of the same labels, topics that lack a kind of nugget, importance judged again.


def _nugget_inputs(items: Items, measures: MeasuresLike | None, config: StudyConfig) -> AnswerInputs:
    """Answers as lists of nuggets, support as labels, and measures of nuggets."""
    _check_ratings(config)
    items, own = _gold_of_table(items, config.gold, SCORE)
    config = replace(config, gold=own)
    chosen, items, rows = nuggets_of(items, measures)
    config = _over_clusters(items, config)
    scale = ScoreRange(0.0, 1.0)
    labels = None if config.gold is None else config.gold.labels
    listed = labels if labels is None or isinstance(labels, Judgments) else _list_in(labels)
    gold, again = (None, False) if labels is None or listed is not None else gold_nuggets(labels, items)
    if judged_again(items) or (gold is not None and judged_again(gold)):
        chosen = _of_shares(chosen, items.source)
    shares = chosen[0].of_shares
    values = strictly(items) if shares else items
    one = values.by_item.take(rows)
    known = one.take(np.flatnonzero(~np.isnan(one.value)))
    _check_systems(items, known, SCORE)
    if left := known.left_out(SCORE):
        warn(left)
    rated = _rated(known, values, scale, config)
    if gold is None:
        config = _with_gold(config, _strict_list(listed)) if shares and listed is not None else config
        return AnswerInputs(lists_of(known), rated, chosen, config)
    trusted = _with_bronze(_known_gold((strictly(gold) if shares else gold).by_item, items), one)
    if not again:
        labels = judgments_of_items(replace(trusted, models=frozenset(), cluster=None), scale)
        return AnswerInputs(lists_of(known), rated, chosen, _with_gold(config, labels))
    if others := sorted(SEVERAL & sources_of(config.population)):
        raise TruegainError(
            f"{gold.source}: people judged the importance of nuggets again, so scores of whole answers are corrected, "
            f"which have no separate judges and repeats; leave {others[0]!r} out of {argname('population')}"
        )
    answers, right = _whole_answers(known, trusted, one, chosen, config)
    labels = judgments_of_items(replace(right, models=frozenset(), cluster=None), scale)
    measure = (ItemMean(name=str(chosen[0]), low=0.0, high=1.0),)
    return AnswerInputs(lists_of(answers), judgments_of_items(answers, scale), measure, _with_gold(config, labels))


def _strict_list(listed: Any) -> Any:
    """Labels of people, each full support or none, beside those of a judge that are so."""
    full = np.where(np.isnan(listed.label), np.nan, listed.label >= 1)
    return replace(listed, label=frozen(full.astype(np.float64)))


def _of_shares(measures: Sequence[NuggetMeasure], source: str) -> tuple[NuggetMeasure, ...]:
    """The measures, strict ones of labels that are strict already; a study has labels of one kind."""
    strict = [m for m in measures if m.strict]
    if strict and len(strict) < len(measures):
        other = next(m for m in measures if not m.strict)
        raise TruegainError(
            f"{source}: nuggets were assigned several times, so strict measures have separate labels; give "
            f"{strict[0]} and {other} in separate studies"
        )
    return tuple(replace(m, of_shares=m.strict) for m in measures)


def _with_bronze(gold: Items, items: Items) -> Items:
    """Gold of the nuggets that the judge assigned; a nugget that it failed on has nothing to be held against."""
    known = items.take(np.flatnonzero(~np.isnan(items.value)))
    assigned, answers = set(_keys(known)), {key[:2] for key in _keys(items)}
    keep = np.array([key in assigned for key in _keys(gold)], np.bool_)
    if lost := sum(key[:2] in answers and key not in assigned for key in _keys(gold)):
        warn(f"{gold.source}: {counted(lost, 'gold value')} left out, because the judge has no value there")
    if not keep.any():
        raise InputError(
            f"no gold value belongs to an answer in {items.source}", file=gold.source,
            hint="use the same names of systems, topics and nuggets",
        )  # fmt: skip
    return gold.take(np.flatnonzero(keep))


def _keys(items: Items) -> list[tuple[str, str, str]]:
    """System, topic and item of each row."""
    return list(zip(items.system.strings(), items.topic.strings(), items.item.strings(), strict=True))


def _whole_answers(
    known: Items, gold: Items, items: Items, measures: Sequence[NuggetMeasure], config: StudyConfig
) -> tuple[Items, Items]:
    """Scores of answers by the judge, and by people who judged importance again: both parts of the ratio change."""
    assert config.gold is not None
    if not draws_topics(config.gold.design):
        raise TruegainError(
            f"{gold.source}: people judged the importance of nuggets again, so both parts of a share change, and "
            f"single assignments cannot correct it; label all nuggets of some topics ({gold_drawn('topics')}), or "
            "leave the column importance out of the gold labels"
        )
    if len(measures) > 1:
        raise TruegainError(
            f"{gold.source}: people judged the importance of nuggets again, so each measure has separate gold "
            f"scores; give one {arg('measure')}"
        )
    (m,) = measures
    whole = _answers_all_in(gold, items)
    return _by_answer(known, m), _by_answer(gold.take(np.flatnonzero(whole)), m)


def _answers_all_in(gold: Items, items: Items) -> Bools:
    """Gold values of answers all of whose nuggets people assigned; others are no score."""
    there, has = (Counter(key[:2] for key in _keys(of)) for of in (items, gold))
    return np.array([has[key[:2]] == there[key[:2]] for key in _keys(gold)], np.bool_)


def _by_answer(items: Items, measure: NuggetMeasure) -> Items:
    """One item an answer: its score by a measure."""
    counts = measure.counts(items.weight)
    answer = items.system.code.astype(np.int64) * len(items.topics) + items.topic.code
    _, first, at = np.unique(answer, return_index=True, return_inverse=True)
    whole = np.bincount(at, counts, len(first))
    total = np.bincount(at, counts * measure.worth(items.value), len(first))
    score = np.divide(total, whole, out=np.full(len(first), measure.without_items()), where=whole > 0)
    kept = np.flatnonzero(~np.isnan(score))
    one = items.take(first[kept])
    blank = Coded.of([""] * len(one))
    return replace(one, item=blank, value=frozen(score[kept]), weight=frozen(np.ones(len(one))))
