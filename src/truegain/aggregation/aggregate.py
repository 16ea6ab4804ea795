"""From ratings to gains: the catalogue of rules, and the road from a table of ratings to judgments."""

from __future__ import annotations

import math
import re
from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from truegain.aggregation.assessors import Drop, Weigh, chosen, row_weights, tell_weights, weights_of
from truegain.aggregation.consensus import Consensus, DawidSkene, Glad, Mace
from truegain.aggregation.magnitudes import normalized
from truegain.aggregation.rules import (
    GeometricMean,
    Majority,
    Mean,
    Median,
    Rule,
    Sum,
    Supermajority,
    Unanimity,
    Weighted,
)
from truegain.config import OutOfRange, Repeated
from truegain.config import Ratings as Ratings  # the public name comes from here, so that it knows the rules
from truegain.data.judgments import Judgments
from truegain.data.rating_groups import Grouped
from truegain.data.ratings import RatingsLike, Scale, read_ratings, tell_mixed
from truegain.errors import TruegainError, there_are
from truegain.keywords import checked_keywords
from truegain.message import argname, argvalue, with_marks

if TYPE_CHECKING:
    import numpy.typing as npt

# ---- All gain rules: one line each.

RULES: dict[str, type[Rule]] = {
    "sum": Sum,
    "mean": Mean,
    "median": Median,
    "geometric": GeometricMean,
    "majority": Majority,
    "supermajority": Supermajority,
    "unanimity": Unanimity,
    "weighted": Weighted,
    "dawid-skene": DawidSkene,
    "glad": Glad,
    "mace": Mace,
}
ALIASES = {"rawg": "sum", "ug": "unanimity", "wg": "weighted", "arithmetic": "mean"}

SEED = "seed"  # of rules that draw: an argument of what is asked, not a parameter of the rule

_FORM = re.compile(r"\s*(?P<name>[^\s(),=]+)\s*(?:\((?P<inside>[^()]*)\))?\s*")


def rule_of(rule: str | Rule, *, seed: int = 0) -> Rule:
    """The rule that a text names, with its parameters in parentheses; `seed` is that of rules that draw.

    >>> rule_of("UG(p=0.1, spread=sd)")
    Unanimity(spread='sd', trim=0.2, p=0.1)
    >>> rule_of("mean(p=0.1)")
    Traceback (most recent call last):
    truegain.errors.TruegainError: the rule mean has no parameter p; it has none
    """
    if isinstance(rule, Rule):
        return rule
    form = _FORM.fullmatch(rule) if isinstance(rule, str) else None
    if form is None:
        raise TruegainError(
            f"cannot read the rule {argvalue('aggregate', rule, repr(rule))}; write it like 'mean' or "
            "'unanimity(p=0.1,spread=sd)'"
        )
    kind = _kind(form["name"], rule)
    values: dict[str, object] = {}
    for part in filter(None, map(str.strip, (form["inside"] or "").split(","))):
        name, value = _parameter(kind, part, rule)
        if name in values:
            raise _refusal(kind, rule, f" has {name} twice; give one")
        values[name] = value
    if any(f.name == SEED for f in fields(kind)):
        values[SEED] = seed
    try:
        return kind(**values)
    except TruegainError as error:  # says what is wrong with a value
        raise _refusal(kind, rule, with_marks(error).removeprefix(f"the rule {kind.NAME}")) from None


def usual_rule(normalize: str | None) -> str:
    """The rule where none is given: magnitudes have long tails, which the median does not follow."""
    return "mean" if normalize is None else "median"


def parameters_of(kind: type[Rule]) -> dict[str, object]:
    """The parameters that a rule has, with their defaults.

    >>> parameters_of(Mace)
    {'take': 'mean', 'n_iter': 10000, 'tolerance': 0.0001, 'starts': 10}
    """
    return {f.name: f.default for f in fields(kind) if f.name != SEED}


def rule_forms() -> list[str]:
    """Every rule as it is written, with its parameters and their defaults.

    >>> [form for form in rule_forms() if form.startswith(("mean", "un", "super"))]
    ['mean', 'supermajority(share=2/3)', 'unanimity(spread=range,trim=0.2,p=0.2)']
    """
    forms = []
    for name, kind in RULES.items():
        inside = ",".join(f"{key}={_written(value)}" for key, value in parameters_of(kind).items())
        forms.append(f"{name}({inside})" if inside else name)
    return forms


def _written(value: object) -> str:
    """A default as it is typed: a share as a fraction, where that is shorter."""
    if not isinstance(value, float):
        return str(value)
    return min(repr(value), str(Fraction(value).limit_denominator(9)), key=len) if value > 0.01 else f"{value:g}"


def _kind(name: str, rule: str) -> type[Rule]:
    kind = RULES.get(ALIASES.get(name.lower(), name.lower()))
    if kind is None:
        raise TruegainError(
            f"there is no rule {argvalue('aggregate', rule, repr(name))}; {there_are([name], [*RULES], len(RULES))}",
            allowed=[*RULES],
        )
    return kind


def _parameter(kind: type[Rule], part: str, rule: str) -> tuple[str, object]:
    """The name and the value of a parameter, the value of the kind that its default is."""
    defaults = parameters_of(kind)
    name, has_value, text = (word.strip() for word in part.partition("="))
    if not has_value:
        example = next((f"{kind.NAME}({key}={_written(value)})" for key, value in defaults.items()), kind.NAME)
        raise _refusal(kind, rule, f": {part!r} names no parameter; write it like {example}")
    if name not in defaults:
        raise _refusal(kind, rule, f" has no parameter {name}; it has {', '.join(defaults) or 'none'}")
    text = text.strip("'\"")
    if isinstance(defaults[name], str):
        return name, text
    number = int if isinstance(defaults[name], int) else _number
    try:
        return name, number(text)
    except (ValueError, ZeroDivisionError):
        what = "a whole number" if number is int else "a number"
        raise _refusal(kind, rule, f": {name} is {text!r}; give {what}") from None


def _number(text: str) -> float:
    number = float(Fraction(text)) if "/" in text else float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _refusal(kind: type[Rule], rule: str, what: str) -> TruegainError:
    return TruegainError(f"the rule {argvalue('aggregate', rule, kind.NAME)}{what}")


# ---- From ratings to gains.


@checked_keywords()
def aggregate(
    ratings: RatingsLike,
    aggregate: str | Rule | None = None,
    *,
    scale: Scale | str | None = None,
    normalize: str | None = None,
    repeated: Repeated = "error",
    out_of_range: OutOfRange = "error",
    drop_assessors: Drop | None = None,
    weight_assessors: Weigh | None = None,
    first: int | None = None,
    weights: npt.ArrayLike | None = None,
    seed: int = 0,
    report: list[str] | None = None,
) -> Judgments:
    """Make one label of each document's ratings.

    Parameters
    ----------
    ratings : path, frame, mapping or Judgments
        Ratings by several assessors, as `read_ratings` reads them.
    aggregate : str, optional
        The rule, with its parameters in parentheses: 'sum', 'mean', 'median', 'geometric', 'majority(ties=low)',
        'supermajority(share=2/3)', 'unanimity(p=0.2,spread=range)', 'weighted(spread=sd)', 'dawid-skene', 'glad' or
        'mace(starts=10)'.  By default the mean, of normalized ratings the median.
    scale : str or Scale, optional
        What a rating can be: '0:3', '0,1,2,3', 'ratio' or 'nominal'.
    normalize : {'geometric', 'median', 'range', 'anchors'}, optional
        How magnitudes of different assessors are made comparable.
    repeated : {'error', 'first', 'last', 'mean', 'all'}, default 'error'
        Which of several ratings of a document by one assessor count.
    out_of_range : {'error', 'drop'}, default 'error'
        Ratings outside the scale: refused, or left out.
    drop_assessors : 'flagged', path-like or sequence of str, optional
        Assessors to leave out, by name; 'flagged' are those whom `agreement` finds worth a second look.
    weight_assessors : 'agreement', path-like or mapping of str to float, optional
        How much each assessor counts: by the correlation with the others, or as given.
    first : int, optional
        Only the first so many ratings of each document.
    weights : array, optional
        How much each rating counts, one number for each row of the Judgments given.
    seed : int, default 0
        Where the random numbers of a rule that draws begin.
    report : list, optional
        A rule that fits a model adds how the fit ended; one that did not converge is warned of.

    Returns
    -------
    Judgments
        One label for each rated document, ready to be scored with.

    References
    ----------
    .. [1] A. P. Dawid and A. M. Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm",
           Journal of the Royal Statistical Society C 28(1), 1979.
    .. [2] J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma and J. Movellan, "Whose vote should count more: optimal
           integration of labels from labelers of unknown expertise", NIPS 2009.
    .. [3] D. Hovy, T. Berg-Kirkpatrick, A. Vaswani and E. Hovy, "Learning whom to trust with MACE", NAACL 2013.
    .. [4] T. Sakai, "Unanimity-aware gain for highly subjective assessments", EVIA 2017.
    .. [5] E. Maddalena, S. Mizzaro, F. Scholer and A. Turpin, "On crowdsourcing relevance magnitudes for information
           retrieval evaluation", ACM Transactions on Information Systems 35(3), 2017.

    Examples
    --------
    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("aabb"), "assessor": list("xyxy"), "label": [2, 2, 1, 3]})
    >>> tg.aggregate(frame, "unanimity(p=0.2)", scale="0:3").label.round(4).tolist()
    [5.2, 4.4]
    """
    maker = rule_of(usual_rule(normalize) if aggregate is None else aggregate, seed=seed)
    declared = Scale.of(scale)
    if weights is not None and not isinstance(ratings, Judgments):
        raise TruegainError(
            "weights need ratings whose rows are known: give Judgments, as tg.read_ratings returns them"
        )
    table = read_ratings(ratings, scale=declared, out_of_range=out_of_range, repeated=repeated)
    if weights is not None and len(table) != len(ratings):  # type: ignore[arg-type]
        raise TruegainError("weights cannot be matched to ratings that are dropped or merged; clean the ratings first")
    if drop_assessors is not None or first is not None:
        if weights is not None:
            raise TruegainError("weights cannot be matched to ratings that are left out; choose the ratings first")
        table = chosen(table, drop_assessors=drop_assessors, first=first, normalize=normalize, scale=declared)
    if normalize is not None:
        table = normalized(table, normalize)
    elif declared.level not in ("ratio", "nominal"):
        tell_mixed(table)
    grouped = Grouped.of(table, weights)  # type: ignore[arg-type]
    if weight_assessors is not None:
        if weights is not None:
            raise TruegainError(
                f"weights and {argname('weight_assessors')} both say how much a rating counts; give one"
            )
        grouped = _weighted(grouped, maker, weight_assessors, normalize is not None or declared.level == "ratio")
    with np.errstate(over="ignore", invalid="ignore"):
        fits = report is not None and isinstance(maker, Consensus)
        gain = maker.fit_and_report(grouped, report) if fits else maker.fit(grouped, declared)  # type: ignore[attr-defined]
        lost = np.flatnonzero(np.isinf(gain) | (np.isnan(gain) & ~np.isfinite(grouped.total(grouped.value))))
    if len(lost):
        rows = grouped.order[grouped.begin[lost[0]] : grouped.begin[lost[0] + 1]]
        doc, greatest = table.docs[int(rows[0])], table.label[rows][np.abs(table.label[rows]).argmax()]
        raise TruegainError(
            f"the rule {maker.NAME} overflows for {len(lost)} of {len(gain)} documents, the first {doc!r} of topic "
            f"{table.topic.values[table.topic.code[rows[0]]]!r} with a rating of {greatest:g}; correct or drop such "
            "ratings"
        )
    return grouped.labeled(gain)


def _weighted(ratings: Grouped, rule: Rule, weigh: Weigh, ratio: bool) -> Grouped:
    """The ratings with the weights of their assessors."""
    if isinstance(rule, Consensus):
        raise TruegainError(f"the rule {rule.NAME} weighs assessors itself; leave out {argname('weight_assessors')}")
    weights = weights_of(ratings, weigh, logs=ratio and float(ratings.value.min()) > 0)
    tell_weights(weights)
    return Grouped.of(ratings.judgments, row_weights(ratings, weights))
