"""From ratings to gains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.catalogue import rule_of, usual_rule
from truegain.gains.choice import Drop, Weigh, chosen, row_weights, tell_weights, weights_of
from truegain.gains.consensus import Consensus
from truegain.gains.magnitudes import normalized
from truegain.gains.rules import Rule
from truegain.keywords import takes
from truegain.message import argname
from truegain.tables.grouped import Grouped
from truegain.tables.judgments import Judgments
from truegain.tables.likes import RatingsLike
from truegain.tables.mixed_scales import tell_mixed
from truegain.tables.ratings import OutOfRange, Repeated, read_ratings
from truegain.tables.scale import Scale

if TYPE_CHECKING:
    import numpy.typing as npt


@takes()
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
    repeated : {'error', 'first', 'last', 'mean', 'all'}
        Which of several ratings of a document by one assessor count.
    out_of_range : {'error', 'drop'}
        Ratings outside the scale: refused, or left out.
    drop_assessors : sequence of str, path or 'flagged', optional
        Assessors to leave out, by name; 'flagged' are those whom `agreement` finds worth a second look.
    weight_assessors : 'agreement', path or dict, optional
        How much each assessor counts: by the correlation with the others, or as given.
    first : int, optional
        Only the first so many ratings of each document.
    weights : array, optional
        How much each rating counts, one number for each row of the Judgments given.
    seed : int
        Where the random numbers of a rule that draws begin.
    report : list, optional
        A rule that fits a model adds how the fit ended; one that did not converge is warned of.

    Returns
    -------
    Judgments
        One label for each rated document, ready to be scored with.

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
        raise TruegainError("weights cannot follow ratings that are dropped or merged; clean the ratings first")
    if drop_assessors is not None or first is not None:
        if weights is not None:
            raise TruegainError("weights cannot follow ratings that are left out; choose the ratings first")
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
