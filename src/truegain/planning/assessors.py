"""How many assessors a document needs, and how many judges or repeats an answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from truegain.aggregation.magnitudes import normalized
from truegain.data.item_ratings import ratings_of_items
from truegain.data.items import Items
from truegain.data.rating_groups import Grouped
from truegain.data.ratings import RatingsLike, Scale, read_ratings
from truegain.errors import InputError, TruegainError
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.message import arg, argname
from truegain.results.base import Table
from truegain.results.table import Cell, cells
from truegain.stats.results import Plan
from truegain.stats.student_t import check_confidence, quantile_of

LEVEL = 0.95  # of the interval of sigma
LONG = 2.0  # times the middle sd, beyond which sigma of all is that of few documents
SHARES = ((0.5, "half"), (0.9, "nine tenths"))


class Rated(NamedTuple):
    """What gets several values, what these are called, and who gives them."""

    item: str = "document"
    value: str = "rating"
    who: str = "assessor"


def assessors_needed(sigma: float, error: float, confidence: float = 0.95) -> Plan:
    """Assessors for whom the mean rating of a document lies within `error` of the mean of all, with a confidence.

    n = ceil(z^2 sigma^2 / error^2), z the normal quantile at (1 + confidence)/2, sigma the standard deviation of the
    ratings of a document

    Maddalena et al. 2017, ACM TOIS 35(3), section 6.3; their table II says 95% and is at 99%.

    >>> print(assessors_needed(sigma=2, error=2, confidence=0.99))
    7 assessors: mean rating within 2 of the mean of all assessors, with 99% confidence
    """
    needed, aim = needed_within(sigma, error, confidence), _aim(error, confidence, Rated())
    columns = ("assessors", "sigma", "error", "confidence")
    table = Table(columns, [(needed, sigma, error, confidence)], notes=(aim,))
    return Plan({"assessors": needed}, aim, table)


def assessors_table(sigmas: Sequence[float], errors: Sequence[float], confidence: float = 0.95) -> Table:
    """Assessors needed for every error (rows) and sigma (columns), by the formula of `assessors_needed`.

    Maddalena et al. 2017, ACM TOIS 35(3), table II, which says 95% and is at 99%.

    >>> print(assessors_table([1, 2], [0.5, 2], confidence=0.99))
    Assessors per document
    <BLANKLINE>
     error  sigma 1  sigma 2
    0.5000       27      107
    2.0000        2        7
    <BLANKLINE>
    mean rating within the error of the mean of all assessors, with 99% confidence
    """
    rows: list[tuple[Cell, ...]] = [
        (float(error), *(needed_within(sigma, error, confidence) for sigma in sigmas)) for error in errors
    ]
    columns = ("error", *(f"sigma {sigma:g}" for sigma in sigmas))
    notes = (f"mean rating within the error of the mean of all assessors, with {100 * confidence:g}% confidence",)
    return Table(columns, rows, {"confidence": confidence}, "Assessors per document", notes)


def plan_assessors(
    ratings: RatingsLike | Items | None = None,
    *,
    error: float,
    sigma: float | None = None,
    confidence: float = 0.95,
    scale: Scale | str | None = None,
    normalize: str | None = None,
    by_topic: bool = False,
) -> Plan:
    """Plan how many assessors a document needs, from the spread of ratings at hand or from a given sigma.

    Of answers it plans how many judges give each a value; where one judge was asked again, how many repeats.

    Parameters
    ----------
    ratings : what `read_ratings` takes or Items, optional
        Ratings at hand, which tell sigma; or the values of one score of answers.
    error : float
        How far the mean rating of a document may lie from the mean of all assessors.
    sigma : float, optional
        The standard deviation of the ratings of a document, in place of ratings.
    confidence : float, default 0.95
        The chance to lie that close.
    scale : Scale or str, optional
        What a rating can be, or a value.
    normalize : {'geometric', 'median', 'range', 'anchors'}, optional
        Bring magnitudes to one scale first, as in `aggregate`.
    by_topic : bool, default False
        Also plan for each topic by itself.

    Returns
    -------
    Plan
        ``needed["assessors"]``; its table has a row for all documents together, for half and for nine tenths of them,
        and for each topic with `by_topic`: `for` (which documents), `documents`, `ratings`, `sigma`, `low` and `high`
        (its 95% interval over documents), and `assessors` needed.  Of answers these are `answers` (or `items` of
        answers), `values`, and `judges` or `repeats`.  With a given sigma: `assessors`, `sigma`, `error` and
        `confidence`.

    Notes
    -----
    n = ceil(z^2 sigma^2 / error^2), with sigma^2 = sum of (x - mean of its document)^2 over sum of (n - 1),
    over documents with n >= 2 ratings.  Its interval leaves out documents one by one (jackknife of its logarithm,
    Student's t); with 40 documents it holds in 94%, and in 91% where their spreads differ much.

    References
    ----------
    .. [1] E. Maddalena, S. Mizzaro, F. Scholer and A. Turpin, "On crowdsourcing relevance magnitudes for information
           retrieval evaluation", ACM Transactions on Information Systems 35(3), 2017, section 6.3.

    Examples
    --------
    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("aabb"), "assessor": list("xyxy"), "label": [0, 2, 1, 3]})
    >>> print(tg.plan_assessors(frame, error=1))
    8 assessors: mean rating within 1 of the mean of all assessors, with 95% confidence
    """
    if (ratings is None) == (sigma is None):
        raise TruegainError(f"give ratings, from which to estimate sigma, or {arg('sigma')}")
    if sigma is not None:
        if normalize or by_topic or scale is not None:
            raise TruegainError(
                f"normalize, scale and {argname('by_topic')} apply to ratings, which {arg('sigma')} replaces; leave "
                "them out"
            )
        return assessors_needed(sigma, error, confidence)
    assert ratings is not None
    of = Rated()
    if isinstance(ratings, Items):
        if normalize:
            raise TruegainError(f"{argname('normalize')} applies to magnitudes, not to values of answers; leave it out")
        rated = ratings_of_items(ratings)
        of = Rated("item" if any(ratings.item.values) else "answer", "value", rated.by)
        ratings = rated.ratings
    table = read_ratings(ratings, scale=scale)
    sigmas = Sigmas.of(Grouped.of(table if normalize is None else normalized(table, normalize)))
    if not len(sigmas.sds):
        raise InputError("no document has two ratings", file=table.source, hint=f"give {arg('sigma')} instead")
    if sigmas.sigma == 0:
        raise InputError(
            f"all {of.value}s of each {of.item} are equal, so that one {of.who} seems enough", file=table.source,
            hint=f"{of.value}s that all agree do not show how many are needed; give {arg('sigma')} instead",
        )  # fmt: skip
    needed = needed_within(sigmas.sigma, error, confidence)
    rows = [(f"{'a' if of.item == 'document' else 'an'} {of.item}, all together", *_row(sigmas, error, confidence))]
    count, each = len(sigmas.sds), sigmas.ratings
    for share, name in SHARES:
        sd = float(np.quantile(sigmas.sds, share))
        rows.append(
            (
                f"{name} of the {of.item}s",
                count,
                each,
                sd,
                None,
                None,
                needed_within(sd, error, confidence) if sd else 1,
            )
        )
    if by_topic:
        rows += [(f"topic {name}", *_row(part, error, confidence)) for name, part in sigmas.by_topic()]
    notes = [
        f"{_aim(error, confidence, of)}; sigma with its {LEVEL:.0%} interval over {of.item}s like these",
        f"each {of.item}'s standard deviation comes from {sigmas.typical:g} {of.value}s, so it also varies by chance",
    ]
    if (half := float(np.median(sigmas.sds))) and sigmas.sigma > LONG * half:
        notes.append(
            f"sigma of all is {sigmas.sigma / half:.1f} times that of half of the {of.item}s: a few {of.item}s "
            "dominate it; plan with the half, as Maddalena et al. do, or use medians"
        )
    provenance = {"error": error, "confidence": confidence, "normalize": normalize, "source": table.source}
    columns = ("for", f"{of.item}s", f"{of.value}s", "sigma", "low", "high", f"{of.who}s")
    details = Table(columns, rows, provenance, notes=tuple(notes))
    return Plan({f"{of.who}s": needed}, _aim(error, confidence, of), details)


@dataclass(frozen=True, eq=False)
class Sigmas:
    """How far ratings of the same document lie apart: squares about its mean, ratings less one, and its topic.

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("aab"), "assessor": list("xyx"), "label": [0, 2, 1]})
    >>> found = Sigmas.of(Grouped.of(tg.read_ratings(frame)))
    >>> found.sds.round(4).tolist(), round(found.sigma, 4)
    ([1.4142], 1.4142)
    """

    squares: Floats
    df: Floats
    topic: Ints
    topics: tuple[str, ...]

    @classmethod
    def of(cls, ratings: Grouped) -> Sigmas:
        """Documents with two ratings or more."""
        mean = np.add.reduceat(ratings.value, ratings.begin[:-1]) / ratings.count
        squares = np.add.reduceat((ratings.value - mean[ratings.item]) ** 2, ratings.begin[:-1])
        there = ratings.count >= 2
        df, topic = ratings.count[there].astype(np.float64) - 1, ratings.topic[there].astype(np.int64)
        return cls(frozen(squares[there]), frozen(df), frozen(topic), ratings.judgments.topic.values)

    @property
    def sds(self) -> Floats:
        """The standard deviation of every document's ratings."""
        return np.sqrt(self.squares / self.df)

    @property
    def sigma(self) -> float:
        """Of all documents together."""
        return math.sqrt(self.squares.sum() / self.df.sum())

    @property
    def ratings(self) -> int:
        """How many there are."""
        return int(self.df.sum()) + len(self.df)

    @property
    def typical(self) -> float:
        """The median number of ratings of a document."""
        return float(np.median(self.df)) + 1

    def limits(self) -> tuple[float, float]:
        """Limits of sigma over documents; not a number where there are fewer than three that differ."""
        rest = self.squares.sum() - self.squares
        if len(rest) < 3 or (rest <= 0).any():
            return math.nan, math.nan
        logs = np.log(rest / (self.df.sum() - self.df)) / 2
        error = math.sqrt((len(logs) - 1) * float(logs.var()))
        step = math.exp(quantile_of(LEVEL, len(logs) - 1) * error)
        return self.sigma / step, self.sigma * step

    def only(self, which: Bools) -> Sigmas:
        """Some documents."""
        return Sigmas(self.squares[which], self.df[which], self.topic[which], self.topics)

    def by_topic(self) -> list[tuple[str, Sigmas]]:
        """Every topic that has a document with two ratings."""
        return [(self.topics[t], self.only(self.topic == t)) for t in np.unique(self.topic).tolist()]


def _row(sigmas: Sigmas, error: float, confidence: float) -> tuple[Cell, ...]:
    needed = needed_within(sigmas.sigma, error, confidence) if sigmas.sigma else 1
    return len(sigmas.sds), sigmas.ratings, sigmas.sigma, *cells(sigmas.limits()), needed


def needed_within(sigma: float, error: float, confidence: float) -> int:
    """ceil(z^2 sigma^2 / error^2).

    >>> needed_within(2, 2, 0.99)
    7
    """
    check_confidence(confidence)
    for name, value in (("sigma", sigma), ("error", error)):
        if not (math.isfinite(value) and value > 0):
            raise TruegainError(f"{argname(name)} is {value:g}; give a finite number above 0")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    # exact in everything but z, so that a whole number is not pushed over by rounding
    return max(1, math.ceil(Fraction(z) ** 2 * Fraction(str(sigma)) ** 2 / Fraction(str(error)) ** 2))


def _aim(error: float, confidence: float, of: Rated) -> str:
    return f"mean {of.value} within {error:g} of the mean of all {of.who}s, with {100 * confidence:g}% confidence"
