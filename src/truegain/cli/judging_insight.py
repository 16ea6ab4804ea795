"""What the organiser's page of a study says beyond counts: agreement, and the verdict so far."""

from __future__ import annotations

import statistics
import threading
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from truegain.errors import DataWarning, InputError, TruegainError
from truegain.judging.collected import Row
from truegain.judging.insight import AgreementSoFar, Coefficient95, Insight, Look, Rating, VerdictSoFar

if TYPE_CHECKING:
    from truegain.judging.study.study import JudgingStudy
    from truegain.tables.gold_list import GoldList
    from truegain.tables.judgments import Judgments

LOOKS: dict[str, Look] = {  # as `gains.assessors` says it
    "gives every document the same rating": "same",
    "agrees with the rest far less than others do": "far",
    "takes less than a third of the usual time": "quick",
    "same ratings as": "twin",
}
ANYTIME = ("ordered", "holes")  # designs of lists for which it is known how wide an interval holds at every look
_one_at_a_time = threading.Lock()  # warnings are silenced for the whole process while it is held


def insight_of(study: JudgingStudy) -> Insight:
    """The functions that the organiser's page of a study calls."""
    return Insight(partial(agreement_so_far, level=study.task.level), partial(verdict_so_far, study))


# ---------------------------------------------------------------------- agreement


def agreement_so_far(ratings: Sequence[Rating], *, level: str) -> AgreementSoFar:
    """Krippendorff's alpha of people at the task's level, over all and by topic, and of each model with people.

    Magnitudes are brought to one scale first, by geometric averaging.  A model is held against what people together say
    of each item: the geometric mean of magnitudes, the mean on an interval scale, the median of grades, the most
    frequent label (items without one are left out).  Intervals are those of one look.
    """
    from truegain.gains.assessors import APART

    people = [r for r in ratings if not r.is_model]
    if not people:
        return AgreementSoFar(level)
    with _quiet():
        try:
            overall, topics, alike, looks = _of_people(people, level)
            models = _of_models(ratings, level)
        except TruegainError:  # too few, or nothing that differs: no number is shown
            return AgreementSoFar(level)
    return AgreementSoFar(level, overall, topics, models, alike, looks, APART)


def _of_people(
    people: Sequence[Rating], level: str
) -> tuple[Coefficient95, dict[str, Coefficient95], dict[str, float], dict[str, tuple[Look, ...]]]:
    from truegain.inference.agreement.agree import agree

    found = agree(_table(people), scale=level, normalise=_normalise(level))
    named = f"alpha {level}"
    overall = next(_limits(row, "value") for row in found.overall.records() if row["statistic"] == named)
    topics = {str(row["topic"]): _limits(row, named) for row in found.topics.records()}
    persons = found.assessors.records()
    alike = {str(row["assessor"]): float(r) for row in persons if (r := row.get("correlation")) is not None}
    looks = {str(row["assessor"]): _looks(str(row["look"])) for row in persons if row["look"]}
    return overall, topics, alike, looks


def _of_models(ratings: Sequence[Rating], level: str) -> dict[str, Coefficient95]:
    """Alpha of each model and people, as two raters of the items that both judged."""
    from truegain.gains.magnitudes import normalised
    from truegain.inference.agreement.alpha import alpha_of
    from truegain.inference.agreement.paired import Paired
    from truegain.tables.grouped import Grouped

    models = sorted({r.assessor for r in ratings if r.is_model})
    if not models:
        return {}
    how = _normalise(level)
    values = (_table(ratings) if how is None else normalised(_table(ratings), how)).label.tolist()
    by_item: dict[tuple[str, str], list[float]] = defaultdict(list)
    for rating, value in zip(ratings, values, strict=True):
        if not rating.is_model:
            by_item[rating.topic, rating.item].append(value)
    people = {item: together(said, level) for item, said in by_item.items()}
    found = {}
    for name in models:
        rows = []
        for rating, value in zip(ratings, values, strict=True):
            said = people.get((rating.topic, rating.item))
            if rating.assessor == name and said is not None:
                rows += [rating._replace(value=value), rating._replace(assessor="people", value=said)]
        if rows:
            alpha = alpha_of(Paired.of(Grouped.of(_table(rows))), level)
            found[name] = _limits({"value": alpha.value, "low": alpha.low, "high": alpha.high}, "value")
    return found


def together(said: Sequence[float], level: str) -> float | None:
    """What several people say of an item, as one number of the level; None where two labels are as frequent.

    >>> round(together([1, 100], "ratio"), 9), together([0, 1, 3], "ordinal"), together([1, 2, 3], "interval")
    (10.0, 1, 2)
    >>> together([1, 1, 0], "nominal"), together([1, 0], "nominal")
    (1, None)
    """
    if level == "ratio":
        return statistics.geometric_mean(said)
    if level == "interval":
        return statistics.mean(said)
    if level == "ordinal":
        return statistics.median(said)
    first, *others = Counter(said).most_common(2)
    return None if others and others[0][1] == first[1] else first[0]


def _normalise(level: str) -> str | None:
    return "geometric" if level == "ratio" else None


def _table(ratings: Sequence[Rating]) -> Judgments:
    import numpy as np

    from truegain.tables.judgments import judgments_of_columns

    columns = zip(*ratings, strict=True)
    topics, items, people, values, units, seconds, _ = (list(column) for column in columns)
    extra: Mapping[str, Sequence[object]] = {"unit": units, "seconds": seconds}
    return judgments_of_columns(topics, items, np.array(values), "the study", assessors=people, extra=extra)


def _limits(row: Mapping[str, Any], name: str) -> Coefficient95:
    found = (row[name], row["low"], row["high"])
    return Coefficient95(*(None if x is None or x != x else float(x) for x in found))


def _looks(said: str) -> tuple[Look, ...]:
    return tuple(look for words, look in LOOKS.items() if words in said)


# ---------------------------------------------------------------------- verdict


def verdict_so_far(study: JudgingStudy, rows: Sequence[Row]) -> tuple[VerdictSoFar, ...]:
    """Each later run against the first, with limits that hold at every look; or why there is no number.

    That is known for labels in the order of a drawn list alone.  Its pairs count from the top to the first that lacks
    one of its wanted judgments (`export.fill_list`): a label that may still change is none yet.
    """
    from truegain.judging.export import fill_list
    from truegain.tables.gold_list_read import read_gold_list

    if not study.runs:
        return (VerdictSoFar(why="verdict.no_runs"),)
    if not study.gold_list:
        return (VerdictSoFar(why="verdict.not_known"),)
    if not study.bronze:
        return (VerdictSoFar(why="verdict.no_bronze"),)
    with _quiet():
        try:
            drawn = read_gold_list(study.gold_list)
            if drawn.design not in ANYTIME:
                return (VerdictSoFar(why="verdict.design", about=drawn.design),)
            try:
                filled, _ = fill_list(drawn, study, rows)
            except InputError as error:
                if "not ready" not in error.problem:
                    raise
                return (VerdictSoFar(why="verdict.no_labels", rows=len(drawn)),)
            return _verdicts(study.runs, study.bronze, filled)
        except TruegainError as error:
            return (VerdictSoFar(why="verdict.refused", about=str(error)),)


def _verdicts(runs: Sequence[str], bronze: str, filled: GoldList) -> tuple[VerdictSoFar, ...]:
    from truegain.inference.study.study import Study

    given: dict[str, Any] = {"hole_sample" if filled.design == "holes" else "gold": filled}
    study = Study(list(runs), bronze, filled.measure, anytime=True, **given)
    first, *others = study.systems
    found = []
    for other in others:
        verdict = study.verdict(first, other)
        c = verdict.comparison
        known = c.low is not None and c.high is not None and c.difference == c.difference
        found.append(
            VerdictSoFar(
                c.a, c.b, c.measure, c.difference if known else None, c.low if known else None,
                c.high if known else None, verdict.outcome, verdict.sentence, filled.judged, len(filled),
                "" if known else "verdict.no_interval",
            )
        )  # fmt: skip
    return tuple(found)


class _quiet:
    """Warnings about suspicious data are for the command line; a page of figures tells none."""

    def __enter__(self) -> None:
        _one_at_a_time.acquire()
        self._caught = warnings.catch_warnings()
        self._caught.__enter__()
        warnings.simplefilter("ignore", DataWarning)

    def __exit__(self, *_: object) -> None:
        self._caught.__exit__(None, None, None)
        _one_at_a_time.release()
