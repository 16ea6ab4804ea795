"""Ranks of systems on a measure: which may be best, with one error for the whole family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from truegain.data.models import by_unchecked
from truegain.errors import some
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.results.base import Result, Table
from truegain.results.table import Cell, listed
from truegain.sampling.streams import generator
from truegain.stats.contrasts import Contrasts, Variance, tiers_of
from truegain.study.documents import ProvenanceDocument, RankedSystemDocument, RankingDocument
from truegain.study.unjudged import UnjudgedTreatment

DRAWS = (2_000, 20_000)  # fewest and most
WORK = 2_000_000_000  # products that all draws may take, above the fewest
MOST_FREEDOM = 60  # beyond which standard errors are as good as known
NO_VARIANCE = 1e-12  # of the largest: what is below is rounding
BLOCK = 200_000  # numbers held at a time; draws depend on it
NAMED = 10  # systems that the sentence names
TIERS = "A tier has its best system and every system that is not significantly worse."
ZERO = "; unjudged documents count as not relevant"
PICKED = (
    "These two were chosen by their scores, but this verdict is for a pair chosen in advance. The ranking allows for "
    "all pairs."
)


def largest_t(covariance: Floats, variance: Variance, contrasts: Contrasts, seed: int) -> Floats:
    """Draws of the largest |t| of all contrasts, were none of them different from 0.

    A quantile of it is how many standard errors to either side hold all contrasts at once.

    Scores are drawn normal with the covariance V of the study, and each contrast is divided by a standard error of its
    own from as many units as there are degrees of freedom k (their median):

        t_c = c'z / sqrt(c'Wc),  z ~ N(0, V),  W ~ Wishart(k, V)/k

    W by Bartlett's decomposition (1933, Proceedings of the Royal Society of Edinburgh 53): RAA'R'/k with V = RR' and A
    triangular, which takes far fewer random numbers than the k units that it stands for.

    So systems that go together count together, and each pair errs in its own standard error: 8 equal systems on 25
    topics were told apart in 6.3% of 600 studies at 95%, with one standard error for all (the multivariate t of Dunnett
    and Sobel 1954, Biometrika 41) in 7.8%. Contrasts that do not move are left out.
    """
    moving = np.flatnonzero(variance.value > 0)
    if not len(moving):
        return np.zeros(1)
    some = Contrasts(contrasts.a[moving], contrasts.b[moving])
    values, vectors = np.linalg.eigh(covariance)
    kept = values > NO_VARIANCE * values.max()
    root = vectors[:, kept] * np.sqrt(values[kept])
    k = freedom(variance)
    systems, rank = root.shape
    draws = int(np.clip(WORK // (min(rank, k) * systems**2), *DRAWS))
    rng = generator(seed, "largest t")
    largest, rows = np.zeros(draws), max(1, BLOCK // max(systems**2, len(moving)))
    for first in range(0, draws, rows):
        n = min(rows, draws - first)
        scores = rng.normal(size=(n, rank)) @ root.T
        factor = root @ triangular(rng, n, rank, k)
        within = (factor @ factor.transpose(0, 2, 1) / k).reshape(n, -1)
        alone = within[:, :: systems + 1]  # the diagonal
        own = alone.take(some.a, 1) + alone.take(some.b, 1) - 2 * within.take(some.a * systems + some.b, 1)
        t = np.abs(some.values(scores)) / np.sqrt(np.maximum(own, NO_VARIANCE * values.max()))
        largest[first : first + n] = t.max(axis=1)
    return largest


def triangular(rng: np.random.Generator, draws: int, size: int, k: int) -> Floats:
    """Draws of Bartlett's A: AA' is Wishart with k degrees of freedom."""
    columns = min(size, k)
    a = np.zeros((draws, size, columns))
    below, diagonal = np.tril_indices(size, -1, columns), np.arange(columns)
    a[:, below[0], below[1]] = rng.normal(size=(draws, len(below[0])))
    a[:, diagonal, diagonal] = np.sqrt(rng.chisquare(k - diagonal, size=(draws, columns)))
    return a


def freedom(variance: Variance) -> int:
    """Degrees of freedom that all contrasts are drawn with: the median of those that move."""
    moving = variance.df[variance.value > 0]
    return int(np.clip(np.round(np.median(moving)), 1, MOST_FREEDOM)) if len(moving) else MOST_FREEDOM


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Result):
    """Which systems may be best: ranks with simultaneous limits, and tiers.

    A tier holds its head, the best by score of those left, and all that are not significantly worse than its head.
    Each system of a lower tier is significantly worse than the heads of all tiers above.

    Attributes
    ----------
    systems : tuple of str
        Best first by score.
    value : ndarray of float
        The score of each; NaN where only differences are known.
    low, high : ndarray of int
        Limits of the rank of each, simultaneous for all systems.
    tier : ndarray of int
        The tier of each, from 1.
    best : tuple of str
        The systems that may be best: no system is significantly better.
    measure : str
        The measure.
    confidence : float
        Of all pairs at once.
    notes : tuple of str
        What must be said beside it.
    ahead : ndarray of bool or None
        Whether system i is significantly better than j, in the order of `systems`.
    provenance : mapping
        How the study was made.
    unjudged_policy : {'', 'bound', 'first', 'zero'}
        '': there are no unjudged documents.  'bound': the ranking holds whatever their labels.  'first': whatever the
        labels of those in the first ranks.  'zero': they count as not relevant.
    first_ranks : str
        Which ranks these are, in words.
    open : tuple of str
        Systems of which no pair can be told, such as those that use the judge's model.
    why_open : mapping of str to str
        Why, in a few words.
    labels_by : str
        Whose labels these are, where a model gave them and no person checked them.
    heads : tuple of str
        The head of each tier.

    Notes
    -----
    Columns of `frame`, one row a system, best first: `system`; its score, under the name of the measure; `rank_low` and
    `rank_high`, the limits of its rank; `tier`.

    References
    ----------
    .. [1] D. Al Mohamad, J. J. Goeman and E. W. van Zwet, "Simultaneous confidence intervals for ranks with application
           to ranking institutions", arXiv:1812.05507, 2018.
    .. [2] P. H. Westfall and S. S. Young, "Resampling-Based Multiple Testing", Wiley, 1993.
    """

    systems: tuple[str, ...]
    value: Floats
    low: Ints  # rank limits, from simultaneous intervals of the scores' differences
    high: Ints
    tier: Ints
    best: tuple[str, ...]
    measure: str = ""
    confidence: float = 0.95
    notes: tuple[str, ...] = ()
    ahead: Bools | None = None  # [i, j]: whether i is surely better than j, in this order
    provenance: Mapping[str, object] = field(default_factory=dict)
    unjudged_policy: UnjudgedTreatment = ""
    first_ranks: str = ""  # down to which ranks, in words, where it holds whatever the labels in the first ones alone
    open: tuple[str, ...] = ()  # systems of which no pair can be told, such as those of the judge's own model
    why_open: Mapping[str, str] = field(default_factory=dict)  # of these, in two or three words
    labels_by: str = ""  # whose labels these are, where a model gave them and no person checked it
    heads: tuple[str, ...] = ()  # of the tiers: each system of a lower one is surely worse than these

    @classmethod
    def of(
        cls, systems: tuple[str, ...], value: Floats, ahead: Bools, *, measure: str = "", confidence: float = 0.95,
        notes: tuple[str, ...] = (), open_: Bools | None = None,
    ) -> Ranking:  # fmt: skip
        """A ranking from scores and the pairs that differ significantly.

        A system's rank lies between 1 + the number of significantly better systems and n - the number of significantly
        worse ones.

        Parameters
        ----------
        systems : tuple of str
            The systems.
        value : ndarray of float
            Their scores.
        ahead : ndarray of bool
            Whether system i is significantly better than j, all pairs at once.
        measure : str, optional
            The measure.
        confidence : float, default 0.95
            Of all pairs at once.
        notes : tuple of str, optional
            What must be said beside it.
        open_ : ndarray of bool, optional
            Systems of which no pair can be told.

        Returns
        -------
        Ranking
            Best first.

        Examples
        --------
        >>> ahead = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0]], bool)
        >>> r = Ranking.of(("a", "b", "c"), np.array([0.1, 0.5, 0.45]), ahead)
        >>> r.best, r.tier.tolist(), r.low.tolist(), r.high.tolist()
        (('b', 'c'), [1, 1, 2], [1, 1, 3], [2, 2, 3])
        >>> r.ahead.astype(int).tolist()
        [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
        >>> print(r.sentence)
        2 of 3 systems may be best: b and c; the other one is worse (simultaneous 95% confidence for all 3 pairs).
        >>> r = Ranking.of(("a", "b"), np.array([0.5, 0.4]), np.array([[0, 0], [1, 0]], bool))  # b, by the difference
        >>> r.best, r.heads, r.tier.tolist()
        (('b',), ('b', 'a'), [2, 1])
        """
        n = len(systems)
        order = np.argsort(-value, kind="stable")
        ahead = ahead[np.ix_(order, order)]
        tier, heads = tiers_of(ahead, None if open_ is None else ~open_[order])
        names = tuple(systems[i] for i in order)
        low, high = 1 + ahead.sum(axis=0), n - ahead.sum(axis=1)
        best = tuple(s for s, first in zip(names, low, strict=True) if first == 1) or (names[heads[0]],)
        return cls(
            names, value[order], low, high, tier, best, measure, confidence, notes, ahead=frozen(ahead),
            heads=tuple(names[i] for i in heads),
        )  # fmt: skip

    @property
    def certainty(self) -> str:
        """How sure the ranking is, in words."""
        n, level = len(self.systems), f"{100 * self.confidence:g}% confidence"
        return level if n == 2 else f"simultaneous {level} for all {n * (n - 1) // 2:,} pairs"

    @property
    def sentence(self) -> str:
        """Who may be best, and no more than that; by whose labels, where no person has checked them."""
        if not self.labels_by:
            return self._sentence
        words = self._sentence
        words = words[:1].lower() + words[1:] if words.startswith(("Only ", "Any ", "None ")) else words
        return by_unchecked(self.labels_by, f", {words}")

    @property
    def _sentence(self) -> str:
        n, k, on = len(self.systems), len(self.best), f" on {self.measure}" if self.measure else ""
        sure = f"({self.certainty})"
        if n == 1:
            return f"{self.systems[0]} is the only system."
        if k == n:
            may_be = ", because unjudged documents may be relevant"
            open_ = {"": "", "bound": may_be, "first": may_be, "zero": ZERO}[self.unjudged_policy]
            open_ = "" if self.why_open else open_  # the notes say why
            any_, no_two = ("Either", "the two do not") if n == 2 else (f"Any of the {n}", "no two")
            system = "system" if n == 2 else "systems"
            return f"{any_} {system} may be best{on}: {no_two} differ significantly {sure}{open_}."
        named = listed(self.best) if k <= NAMED else some(self.best, NAMED)
        first = f"Only {named} may be best" if k == 1 else f"{k} of {n} systems may be best"
        names = "" if k == 1 else f": {named}"
        others = "the other one is worse" if n - k == 1 else "each of the others is worse than some other system"
        bound, below = ", whatever the labels of unjudged documents", "; those below count as not relevant"
        of_first = f", whatever the labels of unjudged documents in {self.first_ranks}{below}"
        held = {"": "", "bound": bound, "first": of_first, "zero": ZERO}[self.unjudged_policy]
        return f"{first}{on}{names}; {others} {sure}{held}."

    def table(self) -> Table:
        """A row a system, best first: its value where any is known, the limits of its rank, its tier."""
        has_values = not np.isnan(self.value).all()
        rows: list[tuple[Cell, ...]] = [
            (s, *((v,) if has_values else ()), *ranks)
            for s, v, *ranks in self.rows()
        ]  # fmt: skip
        columns = ("system", *((self.measure or "value",) if has_values else ()), "rank low", "rank high", "tier")
        return Table(columns, rows, self.provenance, self.sentence, (TIERS, *self.notes))

    def rows(self) -> list[tuple[str, float | None, int, int, int]]:
        """The systems, best first.

        Returns
        -------
        list of tuple
            (system, score or None, lower rank, upper rank, tier).
        """
        return [
            (s, None if np.isnan(v) else float(v), int(low), int(high), int(tier))
            for s, v, low, high, tier in zip(self.systems, self.value, self.low, self.high, self.tier, strict=True)
        ]

    def to_dict(self) -> dict[str, object]:
        """Everything, for programs."""
        return {**self.document(provenance=True)}

    def document(self, provenance: bool = False) -> RankingDocument:
        """The ranking as its JSON schema declares it.

        Parameters
        ----------
        provenance : bool, default False
            Whether it says how the study was made.

        Returns
        -------
        RankingDocument
            What `to_dict` holds.
        """
        made: ProvenanceDocument = {"provenance": dict(self.provenance)} if provenance else {}
        rows: list[RankedSystemDocument] = [
            {"system": s, "value": v, "rank_low": low, "rank_high": high, "tier": tier}
            for s, v, low, high, tier in self.rows()
        ]
        unchecked: _UncheckedRanking = {"unchecked": True, "labels_by": self.labels_by} if self.labels_by else {}
        return {
            "sentence": self.sentence,
            "measure": self.measure,
            "confidence": self.confidence,
            "best": list(self.best),
            "heads": list(self.heads),
            "systems": rows,
            "notes": list(self.notes),
            **unchecked,
            **made,
        }

    def in_short(self) -> str:
        """Who may be best."""
        return self.sentence


class _UncheckedRanking(TypedDict, total=False):
    """What a ranking by labels of a model has beside the others."""

    unchecked: bool
    labels_by: str
