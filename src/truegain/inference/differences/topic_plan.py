"""How many topics the next experiment needs, from the scores of one at hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, get_args

from truegain.config import Scoring
from truegain.errors import TruegainError, check_one_of
from truegain.inference.differences.anova import complete, one_way, two_way
from truegain.inference.differences.given import scores_of
from truegain.inference.differences.topic_sets import (
    Method,
    TopicSetSize,
    expected_width,
    power_of_anova,
    power_of_t,
    topics_for_anova,
    topics_for_paired_t,
    topics_for_width,
)
from truegain.inference.results import Plan
from truegain.keywords import check_number, takes
from truegain.measures.parse import MeasureLike
from truegain.message import argname
from truegain.student import check_confidence
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.scores import Scores
from truegain.tables.table import Table

Criterion = Literal["paired-t", "anova", "width"]
METHODS: dict[bool, Method] = {False: "exact", True: "approximate"}
POWERS = (0.7, 0.8, 0.9)
TIMES = (0.5, 1.0, 1.5, 2.0)


@takes()
def plan_topics(
    runs: RunsLike | Scores,
    judgments: JudgmentsLike | None = None,
    measure: MeasureLike | None = None,
    *,
    detect: float,
    power: float = 0.8,
    confidence: float = 0.95,
    criterion: Criterion = "paired-t",
    approximate: bool = False,
    scoring: Scoring | None = None,
    jobs: int | None = None,
) -> Plan:
    """How many topics are needed to detect a difference, with the variance of the scores at hand.

    `runs`, `judgments`, `scoring` and `jobs` are what `evaluate` takes; or `runs` is the `Scores` it gave, which can
    then also be of measures that read text.

    criterion: 'paired-t': two systems on the same topics; the variance of differences is the mean over all pairs, which
    is 2 V_E2.
    'anova': a best and a worst of as many systems as there are, in a one-way analysis; its variance is V_E1.
    'width': the interval of a mean difference is to be no wider than `detect`; variance as for 'paired-t'.
    approximate: the published approximations in place of noncentral distributions.

    Sakai 2016, Inf. Retr. J. 19(3).

    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    >>> good = {str(t): {"a": 2.0, "b": 1.0} for t in range(6)}
    >>> poor = {str(t): {"a": 1.0, "b": 2.0 if t < 5 else 0.0} for t in range(6)}
    >>> print(tg.plan_topics({"good": good, "poor": poor}, qrels, "AP", detect=0.1))
    35 topics: a difference of 0.1 in AP is found with power 0.8 at alpha 0.05 (paired-t)
    """
    given = {"scoring": scoring, "jobs": jobs}
    scores = scores_of(runs, judgments, measure, {name: x for name, x in given.items() if x is not None})
    alpha, method = round(1 - check_confidence(confidence), 12), METHODS[approximate]
    scores.check_judged()
    of: Any = measure if isinstance(runs, Scores) else None
    name = scores._measure(of)
    if scores.values[name].dtype == object:
        raise TruegainError(f"{name} gives text, not numbers; plan with another measure")
    scores.check_range(name)
    check_one_of("criterion", criterion, get_args(Criterion))
    check_number("detect", detect)
    if not 0 < detect < math.inf:
        raise TruegainError(
            f"{argname('detect', detect, 'g')}: this is nothing to detect; give a difference above 0, such as 0.03"
        )
    x = complete(scores.values[name])
    m, n = x.shape
    variance, source = _variance(x, criterion)
    sizes = {
        (times * detect, p): _size(criterion, times * detect, variance, m, alpha, p, method)
        for times in TIMES
        for p in ((power,) if criterion == "width" else sorted({*POWERS, power}))
    }
    found = sizes[detect, power]
    aim = f"a difference of {detect:g} in {name} is found with power {power:g} at alpha {alpha:g} ({criterion})"
    if criterion == "width":
        aim = f"the {1 - alpha:.0%} interval of a difference in {name} is expected to be {detect:g} wide or less"
    made_by = {
        "measure": name, "criterion": criterion, "variance": variance,
        "variance_from": f"{source}, {m} systems, {n} topics", "reached": found.reached, "topics_at_hand": n,
        "at_hand_detects": _detectable(criterion, variance, m, n, alpha, power, method),
    }  # fmt: skip
    return Plan(
        {"topics": found.topics}, aim, _table(sizes, f"{found.topics:,} topics: {aim}", made_by, scores.caveats)
    )


def _table(
    sizes: Mapping[tuple[float, float], TopicSetSize], title: str, made_by: Mapping[str, object],
    caveats: tuple[str, ...],
) -> Table:  # fmt: skip
    """Topics needed by difference (rows) and power (columns), with what went into them."""
    powers = sorted({p for _, p in sizes})
    width = made_by["criterion"] == "width"
    columns = ("width", "topics") if width else ("difference", *(f"power {p:g}" for p in powers))
    rows = [(d, *(sizes[d, p].topics for p in powers)) for d in sorted({d for d, _ in sizes})]
    does = "give an interval about {:.4f} wide" if width else "detect a difference of {:.4f}"
    notes = (
        *caveats,
        f"variance {made_by['variance']:.6g}: {made_by['variance_from']}",
        f"the {made_by['topics_at_hand']} topics at hand {does.format(made_by['at_hand_detects'])}",
    )
    return Table(columns, rows, made_by, title, notes)


def _variance(x: object, criterion: Criterion) -> tuple[float, str]:
    if criterion == "anova":
        return one_way(x).v_e, "V_E1, residual variance of the one-way analysis"  # type: ignore[arg-type]
    found = two_way(x)  # type: ignore[arg-type]
    if found.no_residual:
        raise TruegainError("every topic gives the same difference: there is no variance to plan with")
    return 2 * found.v_e, "2 V_E2, mean variance of the differences of two systems"


def _size(
    criterion: Criterion, size: float, variance: float, systems: int, alpha: float, power: float, method: Method
) -> TopicSetSize:
    if criterion == "paired-t":
        return topics_for_paired_t(size, variance, alpha=alpha, power=power, method=method)
    if criterion == "anova":
        return topics_for_anova(size, variance, systems, alpha=alpha, power=power, method=method)
    return topics_for_width(size, variance, alpha=alpha, method=method)


def _detectable(
    criterion: Criterion, variance: float, systems: int, topics: int, alpha: float, power: float, method: Method
) -> float:
    """The difference that so many topics find with the power asked for, or the width they give."""
    if criterion == "width":
        return expected_width(topics, variance, topics - 1, alpha, method)

    def reached(difference: float) -> float:
        if criterion == "paired-t":
            return power_of_t(math.sqrt(topics / variance) * difference, topics - 1, alpha, method)
        return power_of_anova(topics, systems, topics * difference**2 / (2 * variance), alpha, method)

    low, high = 0.0, math.sqrt(variance / topics)
    while reached(high) < power:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) < power else (low, middle)
    return high
