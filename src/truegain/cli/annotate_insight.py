"""What a study says beyond counts: agreement and the verdict so far, for `status` and the organizer's page."""

from __future__ import annotations

import statistics
import threading
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from truegain.errors import DataWarning, InputError, TruegainError
from truegain.judging.export import Row
from truegain.judging.status import AgreementSoFar, Coefficient95, Insight, Look, Rating, VerdictSoFar

if TYPE_CHECKING:
    from truegain.data.judgments import Judgments
    from truegain.data.label_lists import GoldList
    from truegain.judging.study.study import JudgingStudy
    from truegain.reliability.agree import AgreementReport


LOOKS: dict[str, Look] = {  # as `aggregation.assessors` says it
    "gives every document the same rating": "same",
    "agrees with the rest far less than others do": "far",
    "takes less than a third of the usual time": "quick",
    "same ratings as": "twin",
}
ANYTIME = ("ordered", "unjudged")  # designs of lists for which it is known how wide an interval holds at every look
_one_at_a_time = threading.Lock()  # warnings are silenced for the whole process while it is held


def insight_of(study: JudgingStudy) -> Insight:
    """The functions that the organizer's page of a study calls."""
    return Insight(partial(agreement_so_far, level=study.task.level), partial(verdict_so_far, study))


# ---------------------------------------------------------------------- agreement


def agreement_so_far(ratings: Sequence[Rating], *, level: str) -> AgreementSoFar:
    """Krippendorff's alpha of people at the task's level, over all and by topic, and of each model with people.

    Magnitudes are brought to one scale first, by geometric averaging.  A model is held against what people together say
    of each item: the geometric mean of magnitudes, the mean on an interval scale, the median of grades, the most
    frequent label (items without one are left out).  Intervals are those of one look.
    """
    from truegain.aggregation.assessors import APART

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
    from truegain.reliability.agree import agreement

    report = agreement(_table(people), scale=level, normalize=_normalize(level))
    topics = {str(row["topic"]): _limits(row, f"alpha {level}") for row in report.topics.records()}
    persons = report.assessors.records()
    alike = {str(row["assessor"]): float(r) for row in persons if (r := row.get("correlation")) is not None}
    looks = {str(row["assessor"]): _looks(str(row["look"])) for row in persons if row["look"]}
    return _overall_alpha(report, level), topics, alike, looks


def _overall_alpha(report: AgreementReport, level: str) -> Coefficient95:
    return next(_limits(row, "value") for row in report.overall.records() if row["statistic"] == f"alpha {level}")


def _of_models(ratings: Sequence[Rating], level: str) -> dict[str, Coefficient95]:
    """Alpha of each model and people, as two raters of the items that both judged."""
    from truegain.aggregation.magnitudes import normalized
    from truegain.data.rating_groups import Grouped
    from truegain.reliability.alpha import Paired, alpha_of

    models = sorted({r.assessor for r in ratings if r.is_model})
    if not models:
        return {}
    how = _normalize(level)
    values = (_table(ratings) if how is None else normalized(_table(ratings), how)).label.tolist()
    by_item: dict[tuple[str, str], list[float]] = defaultdict(list)
    for rating, value in zip(ratings, values, strict=True):
        if not rating.is_model:
            by_item[rating.topic, rating.item].append(value)
    people = {item: together(values_of_item, level) for item, values_of_item in by_item.items()}
    alphas = {}
    for name in models:
        rows = []
        for rating, value in zip(ratings, values, strict=True):
            values_of_item = people.get((rating.topic, rating.item))
            if rating.assessor == name and values_of_item is not None:
                rows += [rating._replace(value=value), rating._replace(assessor="people", value=values_of_item)]
        if rows:
            alpha = alpha_of(Paired.of(Grouped.of(_table(rows))), level)
            alphas[name] = _limits({"value": alpha.value, "low": alpha.low, "high": alpha.high}, "value")
    return alphas


def together(values: Sequence[float], level: str) -> float | None:
    """What several people say of an item, as one number of the level; None where two labels are as frequent.

    >>> round(together([1, 100], "ratio"), 9), together([0, 1, 3], "ordinal"), together([1, 2, 3], "interval")
    (10.0, 1, 2)
    >>> together([1, 1, 0], "nominal"), together([1, 0], "nominal")
    (1, None)
    """
    if level == "ratio":
        return statistics.geometric_mean(values)
    if level == "interval":
        return statistics.mean(values)
    if level == "ordinal":
        return statistics.median(values)
    first, *others = Counter(values).most_common(2)
    return None if others and others[0][1] == first[1] else first[0]


def _normalize(level: str) -> str | None:
    return "geometric" if level == "ratio" else None


def _table(ratings: Sequence[Rating]) -> Judgments:
    import numpy as np

    from truegain.data.judgments import judgments_of_columns

    columns = zip(*ratings, strict=True)
    topics, items, people, values, units, seconds, _ = (list(column) for column in columns)
    extra: Mapping[str, Sequence[object]] = {"unit": units, "seconds": seconds}
    return judgments_of_columns(topics, items, np.array(values), "the study", assessors=people, extra=extra)


def _limits(row: Mapping[str, Any], name: str) -> Coefficient95:
    limits = (row[name], row["low"], row["high"])
    return Coefficient95(*(None if x is None or x != x else float(x) for x in limits))


def _looks(text: str) -> tuple[Look, ...]:
    return tuple(look for words, look in LOOKS.items() if words in text)


def far_people(level: str, ratings: Judgments) -> tuple[list[str], str]:
    """Who agrees with the rest far less than others do, as `agree` and the organizer's page have it, and the rule."""
    from truegain.aggregation.assessors import FAR_LOOK, FAR_RULE, people_of

    people = people_of(ratings, normalize=_normalize(level))
    return [person.assessor for person in people if FAR_LOOK in person.look], FAR_RULE


def agreement_line(level: str, ratings: Judgments) -> str:
    """Krippendorff's alpha at the task's level, with its interval, in one line; magnitudes on one scale first."""
    from truegain.reliability.agree import agreement

    alpha = _overall_alpha(agreement(ratings, scale=level, normalize=_normalize(level)), level)
    if alpha.value is None:
        return "agreement: not yet (too few documents were judged twice, or all alike)"
    limits = "" if alpha.low is None else f", 95% interval {alpha.low:z.2f} to {alpha.high:z.2f}"
    return f"agreement: Krippendorff's alpha ({level}) {alpha.value:z.2f}{limits}"


# ---------------------------------------------------------------------- verdict


def verdict_so_far(study: JudgingStudy, rows: Sequence[Row]) -> tuple[VerdictSoFar, ...]:
    """Each later run against the first, with limits that hold at every look; or why there is no number.

    That is known for labels in the order of a drawn list alone.  Its pairs count from the top to the first that lacks
    one of its wanted judgments (`export.fill_list`): a label that may still change is none yet.
    """
    from truegain.data.label_list_reading import read_gold_list
    from truegain.judging.export import fill_list

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
    from truegain.config import Gold, StudyConfig, UnjudgedSample
    from truegain.study.study import Study

    if filled.design == "unjudged":
        config = StudyConfig(unjudged=UnjudgedSample(filled, sequential=True))
    else:
        config = StudyConfig(gold=Gold(filled, sequential=True))
    study = Study.configured(list(runs), bronze, filled.measure, config)
    first, *others = study.systems
    verdicts = []
    for other in others:
        verdict = study.verdict(first, other)
        c = verdict.comparison
        has_interval = c.low is not None and c.high is not None and c.difference == c.difference
        difference, low, high = (c.difference, c.low, c.high) if has_interval else (None, None, None)
        verdicts.append(
            VerdictSoFar(
                c.a,
                c.b,
                c.measure,
                difference,
                low,
                high,
                verdict.outcome,
                verdict.sentence,
                filled.judged,
                len(filled),
                "" if has_interval else "verdict.no_interval",
            )
        )
    return tuple(verdicts)


@contextmanager
def _quiet() -> Iterator[None]:
    """Warnings about suspicious data are for the command line; a page of figures has none."""
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield
