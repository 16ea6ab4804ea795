"""Answers as two orders of their systems: by two of their scores, or by the values of two judges."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truegain.data.item_reading import read_gold_items
from truegain.data.items import Items
from truegain.data.scores import Scores
from truegain.errors import InputError, TruegainError, counted, some, there_are, warn
from truegain.io.columns import Bools, Coded, frozen
from truegain.io.file_options import ASSESSOR, COLUMN, own_gold
from truegain.io.formats import system_name
from truegain.io.logs.log import ScoreRange
from truegain.measures.catalogue import MeasuresLike
from truegain.message import arg, argname, argvalue, by_surface
from truegain.pooling.answers import names_score, nugget_scores, score_names
from truegain.study.item_inputs import UNNAMED_SCORES, answer_scores

A_AND_B = ("a", "b")


@dataclass(frozen=True, eq=False)
class RankedAnswers:
    """The scores of answers by which systems are ordered.

    Attributes
    ----------
    scores : Scores
        Of the answers, over the topics that all systems have a value for by every score.
    against : Scores or None
        The same by a second judge, of the same systems.
    names : (str, str)
        What the two judges are called.
    """

    scores: Scores
    against: Scores | None = None
    names: tuple[str, str] = A_AND_B

    @property
    def caveats(self) -> tuple[str, ...]:
        """What must be said beside an order of the systems; nothing where people's values are held against it."""
        if self.against is None:
            return self.scores.caveats
        return (*self.scores.caveats, *self.against.caveats) if self.scores.caveats and self.against.caveats else ()


def ranked_answers(items: Items, measures: MeasuresLike | None, against: Any = None, *, several: bool) -> RankedAnswers:
    """Scores of answers, and those by a second judge.

    Parameters
    ----------
    items : Items
        The values.
    measures : str or list of str, optional
        The scores, or measures of nuggets; by default all where several are compared, else the only one.
    against : path, list of paths, frame, dict, Items or 'assessor:NAME', optional
        Values of the same answers by a second judge; those of one assessor in the same table by its name.
    several : bool
        Whether scores are compared with each other.

    Returns
    -------
    RankedAnswers
        The scores.
    """
    if items.cluster is not None:
        raise TruegainError(
            f"{argname('cluster')}: the interval of a rank correlation is over topics drawn one by one; leave it out"
        )
    if not names_score(items, measures):
        if against is not None:
            raise TruegainError(
                f"{argname('against')} applies to scores of answers; whether people and a judge assign nuggets alike "
                f"is told by {by_surface('tg.judge_quality', '`truegain judge check`')}"
            )
        return RankedAnswers(_complete(nugget_scores(items, measures), items))
    names = list(items.chosen(score_names(measures) or (list(items.scores) if several else None)))
    if several and len(names) < 2:
        raise TruegainError(
            f"{names[0]}: one score is named, and an order by it is compared with those by others; name several of "
            f"{some(items.scores, 10)}"
        )
    if against is None:
        return RankedAnswers(_in_common(items, names))
    items, other = _second(items, against, names)
    there = [dict.fromkeys(of.system.strings()) for of in (items, other)]
    kept = [system for system in there[0] if system in there[1]]
    if not kept:
        raise InputError(
            f"{argname('against')}: no system of {items.source} has values there; "
            f"{there_are(list(there[0]), list(there[1]))}", file=other.source, hint="use the same names of systems",
        )  # fmt: skip
    if lost := [system for system in there[0] | there[1] if system not in kept]:
        warn(f"{some(lost)} left out: only one of the two has values; systems that both have: {len(kept)}")
    both = [of.without(set(of.systems) - set(kept)) for of in (_of(items, names), _named(other, items, names))]
    scores, theirs = (_in_common(of, names) for of in both)
    who = (
        _who(both[0], "answers"),
        _who(both[1], system_name(against) if isinstance(against, str | os.PathLike) else ""),
    )
    return RankedAnswers(scores, theirs.of_systems(scores.systems), who if all(who) and who[0] != who[1] else A_AND_B)


def between_of(between: Any, measures: MeasuresLike | None, against: object) -> Any:
    """What is compared of answers where that was not said: two judges, or the scores that are named.

    Parameters
    ----------
    between : {'judgments', 'measures', 'halves'} or None
        What was said.
    measures : str or list of str, optional
        The scores.
    against : object
        The values of a second judge, or None.

    Returns
    -------
    {'judgments', 'measures', 'halves'}
        What is compared.

    Examples
    --------
    >>> between_of(None, ["faithfulness", "relevancy"], None), between_of(None, "faithfulness", "people.csv")
    ('measures', 'judgments')
    """
    if between is None and against is None and len(score_names(measures) or ()) > 1:
        return "measures"
    if against is None and between in (None, "judgments"):
        raise TruegainError(
            f"correlate what? Name two scores (as {arg('score', python='measures')}), give values of another judge or "
            f"of people ({arg('against')}), or {arg('between', 'halves')}"
        )
    return "judgments" if between is None else between


def _in_common(items: Items, names: Sequence[str]) -> Scores:
    """The scores over the topics for which all systems have a value of each."""
    each = [answer_scores(items, name) for name in names]
    common = set(each[0].topics).intersection(*(scores.topics for scores in each))
    topics = [topic for topic in each[0].topics if topic in common]
    if not topics:
        raise InputError(
            f"no topic has values of {' and '.join(names)} for all systems", file=items.source,
            hint="give scores of the same samples",
        )  # fmt: skip
    if len(topics) < max(len(scores.topics) for scores in each):
        warn(f"systems are compared over the {counted(len(topics), 'topic')} that have all of {some(names)}")
    values = {m: s.values[m][:, [t in common for t in s.topics]] for s in each for m in s.measures}
    return replace(
        each[0], topics=tuple(topics), values=values, summaries={m: v.mean(axis=1) for m, v in values.items()},
        objects={m: s.objects[m] for s in each for m in s.measures},
        provenance={**each[0].provenance, "scores": list(names)},
        caveats=tuple(dict.fromkeys(caveat for s in each for caveat in s.caveats)),
    )  # fmt: skip


def _complete(scores: Scores, items: Items) -> Scores:
    """The scores by measures of nuggets over the topics that every measure can score for all systems."""
    there: Bools = np.all([~np.isnan(x).any(axis=0) for x in scores.values.values()], axis=0)
    names = list(scores.measures)
    if not there.any():
        raise InputError(
            f"no topic has values of {' and '.join(names)} for all systems", file=items.source,
            hint="check the assignments",
        )  # fmt: skip
    if there.all():
        return scores
    warn(f"systems are compared over the {counted(int(there.sum()), 'topic')} for which all have {some(names)}")
    topics = tuple(topic for topic, kept in zip(scores.topics, there.tolist(), strict=True) if kept)
    values = {m: frozen(x[:, there]) for m, x in scores.values.items()}
    return replace(scores, topics=topics, values=values, summaries={m: x.mean(axis=1) for m, x in values.items()})


def _second(items: Items, against: Any, names: Sequence[str]) -> tuple[Items, Items]:
    """The values of the first judge, and those of the second, who may be an assessor of the same table."""
    place = own_gold("against", against)
    if place is None:
        return items, read_gold_items(against, items)
    kind, _, name = place.partition(":")
    if f"{kind}:" == COLUMN:
        raise TruegainError(
            f"{argname('against', place)}: another column of the table is a score of its own; name both scores, "
            f"{names[0]} and {name}"
        )
    is_of = np.array([judge == name for judge in items.judge.values], np.bool_)[items.judge.code]
    if not is_of.any() or is_of.all():
        there = there_are([name], items.judges, 10) if items.judges else "its values name none"
        lack = "every value is by this assessor" if is_of.any() else f"no value is by an assessor of that name; {there}"
        raise InputError(
            f"{argvalue('against', place)}: {lack}", file=items.source,
            hint=f"name one of several after {ASSESSOR}, or give the other values in a separate file",
        )  # fmt: skip
    return items.take(np.flatnonzero(~is_of)), items.take(np.flatnonzero(is_of))


def _of(items: Items, names: Sequence[str]) -> Items:
    """The rows of some scores."""
    return items.take(np.flatnonzero([score in names for score in items.score.strings()]))


def _named(other: Items, items: Items, names: Sequence[str]) -> Items:
    """The second judge's values under the names of the scores, each better where that score is."""
    of = {}
    for name in names:
        (theirs,) = other.chosen([name] if name in other.scores or len(names) > 1 else None)
        if theirs != name and theirs not in UNNAMED_SCORES:
            warn(f"{other.source}: values named {theirs} are compared with {name}")
        of[theirs] = name
    kept = other.take(np.flatnonzero([score in of for score in other.score.strings()]))
    scales = {
        name: replace(
            other.scales.get(theirs, ScoreRange()),
            lower_is_better=items.scales.get(name, ScoreRange()).lower_is_better,
        )
        for theirs, name in of.items()
    }
    return replace(kept, score=Coded.of([of[score] for score in kept.score.strings()]), scales=scales, means=())


def _who(items: Items, otherwise: str) -> str:
    """Who gave the values, where one judge gave all and is known."""
    judges = set(items.judge.strings())
    return next(iter(judges)) if len(judges) == 1 and judges != {""} else otherwise
