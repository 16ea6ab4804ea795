"""From ratings to gains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.catalogue import RULES, RuleWords, rule_of
from truegain.gains.choice import Drop, Weigh, chosen, row_weights, tell_weights, weights_of
from truegain.gains.consensus import Consensus
from truegain.gains.magnitudes import normalised
from truegain.gains.rules import Rule
from truegain.keywords import takes
from truegain.message import argname
from truegain.tables.grouped import Grouped
from truegain.tables.judgments import Judgments
from truegain.tables.likes import RatingsLike
from truegain.tables.mixed_scales import tell_mixed
from truegain.tables.ratings import Outside, Repeated, read_ratings
from truegain.tables.scale import Scale

if TYPE_CHECKING:
    import numpy.typing as npt


@takes(RuleWords, {"seed": 0})
def to_gains(
    ratings: RatingsLike,
    rule: str | Rule | None = None,
    *,
    scale: Scale | str | None = None,
    normalise: str | None = None,
    weights: npt.ArrayLike | None = None,
    outside: Outside = "error",
    repeated: Repeated = "error",
    report: list[str] | None = None,
    drop_assessors: Drop | None = None,
    weight_assessors: Weigh | None = None,
    first: int | None = None,
    **parameters: Unpack[RuleWords],
) -> Judgments:
    """One gain for each rated document: judgments, ready to be scored with.

    rule: how ratings become a gain, such as 'mean', 'median' or 'unanimity'; `parameters` are the rule's, as in p=0.2.
    scale: limits and level of the ratings, such as '0:3'; `outside` drops what lies outside instead of refusing it.
    normalise: for magnitudes, 'geometric', 'median', 'range' or 'anchors'; the rule is then 'median' by default.
    weights: how much each rating counts, one number for each row of judgments given.
    report: a list to which a rule that fits a model adds how the fit ended (one that did not converge is warned of).
    repeated: which rating counts where an assessor rated a document several times: 'first', 'last' or 'mean'.
    drop_assessors: names, a file of them, or 'flagged': those whom `agree` finds worth a second look.
    weight_assessors: 'agreement' with the others, a file of assessor and weight, or such a dict.
    first: only the first so many ratings of each document.

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("aabb"), "assessor": list("xyxy"), "label": [2, 2, 1, 3]})
    >>> tg.to_gains(frame, rule="unanimity", p=0.2, scale="0:3").label.round(4).tolist()
    [5.2, 4.4]
    """
    if rule is None and normalise is None:
        raise TruegainError(f"which gain rule? There are {', '.join(RULES)}")
    maker = rule_of("median" if rule is None else rule, **parameters)
    declared = Scale.of(scale)
    if weights is not None and not isinstance(ratings, Judgments):
        raise TruegainError(
            "weights need ratings whose rows are known: give Judgments, as tg.read_ratings returns them"
        )
    table = read_ratings(ratings, scale=declared, outside=outside, repeated=repeated)
    if weights is not None and len(table) != len(ratings):  # type: ignore[arg-type]
        raise TruegainError("weights cannot follow ratings that are dropped or merged; clean the ratings first")
    if drop_assessors is not None or first is not None:
        if weights is not None:
            raise TruegainError("weights cannot follow ratings that are left out; choose the ratings first")
        table = chosen(table, drop_assessors=drop_assessors, first=first, normalise=normalise, scale=declared)
    if normalise is not None:
        table = normalised(table, normalise)
    elif declared.level not in ("ratio", "nominal"):
        tell_mixed(table)
    grouped = Grouped.of(table, weights)  # type: ignore[arg-type]
    if weight_assessors is not None:
        if weights is not None:
            raise TruegainError(
                f"weights and {argname('weight_assessors')} both say how much a rating counts; give one"
            )
        grouped = _weighted(grouped, maker, weight_assessors, normalise is not None or declared.level == "ratio")
    with np.errstate(over="ignore", invalid="ignore"):
        fits = report is not None and isinstance(maker, Consensus)
        gain = maker.fit_and_report(grouped, report) if fits else maker.fit(grouped, declared)  # type: ignore[attr-defined]
        lost = np.flatnonzero(np.isinf(gain) | (np.isnan(gain) & ~np.isfinite(grouped.total(grouped.value))))
    if len(lost):
        rows = grouped.order[grouped.begin[lost[0]] : grouped.begin[lost[0] + 1]]
        doc, greatest = table.docs[int(rows[0])], table.label[rows][np.abs(table.label[rows]).argmax()]
        raise TruegainError(
            f"the rule {maker.NAME} goes beyond the greatest number for {len(lost)} of {len(gain)} documents, the "
            f"first {doc!r} of topic {table.topic.values[table.topic.code[rows[0]]]!r} with a rating of {greatest:g}; "
            "mend or leave out such ratings"
        )
    return grouped.labelled(gain)


def _weighted(ratings: Grouped, rule: Rule, weigh: Weigh, ratio: bool) -> Grouped:
    """The ratings with the weights of their assessors."""
    if isinstance(rule, Consensus):
        raise TruegainError(f"the rule {rule.NAME} weighs assessors itself; leave out {argname('weight_assessors')}")
    found = weights_of(ratings, weigh, logs=ratio and float(ratings.value.min()) > 0)
    tell_weights(found)
    return Grouped.of(ratings.judgments, row_weights(ratings, found))
