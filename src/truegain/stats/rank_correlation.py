"""Rank correlation of two score vectors: Kendall's tau with intervals, AP correlation, rank-biased overlap; or all."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError, check_one_of, some
from truegain.io.columns import Floats, Ints
from truegain.measures.scoring import settled
from truegain.message import argname
from truegain.results.base import Result, Table
from truegain.results.table import Cell
from truegain.sampling.streams import blocks, bootstrap_weights
from truegain.stats.multiple_testing import check_replicates
from truegain.stats.results import Estimate
from truegain.stats.student_t import check_confidence, quantile_of, wilson

# ---- Rank correlation of two score vectors: Kendall's, with intervals by named methods, and AP correlation.

Variant = Literal["a", "b"]
TauMethod = Literal["wilson", "hollander-wolfe", "long-cliff", "bootstrap"]
METHODS: tuple[str, ...] = get_args(TauMethod)


def kendall_tau(x: npt.ArrayLike, y: npt.ArrayLike, variant: Variant = "b") -> float:
    """How far two score vectors put the same systems in the same order, from -1 to 1.

    With C concordant and D discordant of the T = n(n-1)/2 pairs, and n_x and n_y pairs tied in x and in y,

        tau-a = (C - D) / T        tau-b = (C - D) / sqrt((T - n_x)(T - n_y))

    Kendall 1938, Biometrika 30; tau-b: Kendall 1945, Biometrika 33.

    >>> kendall_tau([0.9, 0.8, 0.8, 0.5, 0.4], [0.7, 0.7, 0.6, 0.5, 0.1], "a")
    0.8
    """
    return _tau(*_signs(*paired(x, y)), variant)


ALL_AGREE = (
    "at |tau| = 1, Wilson's interval uses the smallest possible number of pairs, the {} that share no system, so it "
    "may be wider than that of a tau just below 1"
)


def tau_interval(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    method: TauMethod = "wilson",
    *,
    confidence: float = 0.95,
    quantile: Literal["z", "t"] = "z",
    replicates: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Kendall's tau with an interval over systems like these, by a method that is named in the answer.

    'wilson': Wilson's limits of the share of concordant pairs (1 + tau-b)/2, moved back to [-1, 1], as if there were
    N = (1 - tau^2)/s^2 pairs, s^2 that of Hollander and Wolfe; where |tau| is 1 N = floor(n/2), the
    pairs that share no system, the least that N can be (Wilson 1927, JASA 22; Hoeffding 1948, Ann. Math. Statist. 19).
    'hollander-wolfe': with c_i = sum over k of sgn(x_i - x_k) sgn(y_i - y_k),
    s^2 = 2/(n(n-1)) [2(n-2)/(n(n-1)) var(c) + 1 - tau^2], interval tau-b +- z s (Hollander, Wolfe and Chicken 2014,
    as kendall.ci of R's NSM3).
    'long-cliff': V = (4(n-2) s_i^2 + 2 s_ij^2)/(n(n-1)) with s_i^2 the variance of t_i = c_i/(n-1) and s_ij^2 that of
    the products of signs, interval tau-a +- z sqrt(V), or with quantile='t' the t quantile of n-2 degrees of freedom
    (Long and Cliff 1997, Br. J. Math. Stat. Psychol. 50; t as in Wilcox's code).
    'bootstrap': tau-b of systems drawn with replacement; limits are the k-th smallest and largest of B,
    k = floor((B+1)(1-confidence)/2), as NSM3 takes them.

    'hollander-wolfe' and 'long-cliff' may leave [-1, 1] and have no width where all pairs agree, as published.

    >>> x, y = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [0.62, 0.7, 0.55, 0.58, 0.3, 0.35]
    >>> print(tau_interval(x, y))
    tau-b 0.6000 [0.0963, 0.8590] 95% over systems, wilson
    >>> print(tau_interval(x, y, "hollander-wolfe"))
    tau-b 0.6000 [0.1952, 1.0048] 95% over systems, hollander-wolfe
    >>> print(tau_interval(x, y, "long-cliff"))
    tau-a 0.6000 [0.1882, 1.0118] 95% over systems, long-cliff z
    """
    check_one_of("interval of tau", method, METHODS)
    check_one_of("quantile", quantile, ("z", "t"))
    check_confidence(confidence)
    sx, sy = _signs(*paired(x, y, least=3))
    n, variant = len(sx), "a" if method == "long-cliff" else "b"
    value = _tau(sx, sy, variant)  # type: ignore[arg-type]
    name, notes, se = method, (), None  # type: tuple[str, tuple[str, ...], float | None]
    if method == "bootstrap":
        draws, redrawn = _bootstrap(sx, sy, check_replicates(replicates, confidence), seed)
        k = max(1, math.floor((len(draws) + 1) * (1 - confidence) / 2 + 1e-9))  # 1 - 0.9 is a little below 0.1
        low, high, se = float(draws[k - 1]), float(draws[-k]), float(np.std(draws, ddof=1))
        if redrawn:
            notes = (f"{redrawn} resamples in which one side was all tied were drawn again",)
    elif method == "wilson":
        low, high, se = _wilson(value, _hollander_wolfe(sx, sy), n, quantile_of(confidence))
        notes = (ALL_AGREE.format(n // 2),) if abs(value) == 1 else ()
    else:
        se = math.sqrt(_hollander_wolfe(sx, sy) if method == "hollander-wolfe" else _long_cliff(sx, sy))
        freedom = n - 2 if (method, quantile) == ("long-cliff", "t") else math.inf
        step = quantile_of(confidence, freedom) * se
        low, high = value - step, value + step
        name = f"long-cliff {quantile}" if method == "long-cliff" else method
    low, high = min(low, value), max(high, value)
    if low == high:
        notes = (*notes, f"the {name} interval has no width, because no pair of these systems is in dispute")
    return Estimate("", f"tau-{variant}", value, low, high, confidence, "systems", name, se, n, notes=notes)


def paired(x: npt.ArrayLike, y: npt.ArrayLike, least: int = 2) -> tuple[Floats, Floats]:
    """Two score vectors of the same systems, or an error where they are not that.

    >>> paired([1, 2], [1, 2, 3])
    Traceback (most recent call last):
    ...
    truegain.errors.TruegainError: 2 scores cannot be paired with 3; give both for the same systems in the same order
    """
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise TruegainError(
            f"{a.size} scores cannot be paired with {b.size}; give both for the same systems in the same order"
        )
    if len(a) < least:
        raise TruegainError(f"too few systems to compare orders: {len(a)}; give at least {least}")
    missing = int((np.isnan(a) | np.isnan(b)).sum())
    if missing:
        raise TruegainError(f"{missing} of {len(a)} systems have no score on one side; leave them out")
    return a, b


def tau_ap_walking(other: npt.ArrayLike, walked: npt.ArrayLike) -> float:
    """AP correlation, mistakes at the top weighing more: walk one ranking, ties and all, and ask of the other.

        2/m sum over systems i below the top group of c_i/(p_i - 1)  -  1

    p_i is the rank of the first system tied with i in the walked ranking, c_i how many of the p_i - 1 above it are
    strictly above i in the other, m the number of systems below the top group.  Not symmetric: exchange the arguments
    to walk the other ranking.  Without ties this is tau_AP of Yilmaz, Aslam and Robertson 2008, SIGIR, the walked
    ranking being the estimated one.

    >>> round(tau_ap_walking([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [0.62, 0.7, 0.55, 0.58, 0.3, 0.35]), 6)
    0.386667
    """
    x, y = paired(other, walked)
    first = first_ranks(y)
    above = ((y[None, :] > y[:, None]) & (x[None, :] > x[:, None])).sum(axis=1)  # in both rankings
    below = first > 1
    if not below.any():
        raise TruegainError("all systems are tied in the walked scores, so there is no order to compare")
    return 2 * float((above[below] / (first[below] - 1)).mean()) - 1


def tau_ap_b(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """AP correlation of two score vectors that may both tie: the mean of both directions of `tau_ap_walking`.

    Urbano and Marrero 2017, ICTIR.  Symmetric.

    >>> tau_ap_b([3, 2, 2, 1], [3, 2, 1, 1])
    0.7222222222222222
    """
    return (tau_ap_walking(x, y) + tau_ap_walking(y, x)) / 2


def first_ranks(scores: Floats) -> Ints:
    """One more than the number of systems strictly above, so that ties share their first rank."""
    return np.asarray(1 + (scores[None, :] > scores[:, None]).sum(axis=1), np.int64)


# ---------------------------------------------------------------------- the arithmetic


def _signs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Matrices of sgn(x_i - x_k) and sgn(y_i - y_k)."""
    sx, sy = np.sign(x[:, None] - x[None, :]), np.sign(y[:, None] - y[None, :])
    for name, signs in (("first", sx), ("second", sy)):
        if not signs.any():
            raise TruegainError(f"all systems are tied in the {name} scores, so there is no order to compare")
    return sx, sy


def _tau(sx: Floats, sy: Floats, variant: Variant) -> float:
    """The sums run over ordered pairs, so that numerator and denominator are both doubled."""
    check_one_of("variant of tau", variant, ("a", "b"))
    n = len(sx)
    agree = float((sx * sy).sum())
    if variant == "a":
        return agree / (n * (n - 1))
    return agree / math.sqrt(float(np.abs(sx).sum()) * float(np.abs(sy).sum()))


def _hollander_wolfe(sx: Floats, sy: Floats) -> float:
    n = len(sx)
    pairs = n * (n - 1)
    spread = float(np.var((sx * sy).sum(axis=1), ddof=1))
    return max(0.0, 2 / pairs * (2 * (n - 2) / pairs * spread + 1 - _tau(sx, sy, "b") ** 2))


def _wilson(tau: float, variance: float, n: int, z: float) -> tuple[float, float, float]:
    """Limits of tau as of 2 share - 1, and its standard error; roots of (tau - x)^2 = z^2 (1 - x^2)/N."""
    pairs = n // 2 if 1 - tau**2 <= 1e-12 else (1 - tau**2) / variance
    low, high = (2 * float(end) - 1 for end in wilson((tau + 1) / 2, pairs, z))
    return low, high, math.sqrt(variance)


def _long_cliff(sx: Floats, sy: Floats) -> float:
    n = len(sx)
    pairs, products = n * (n - 1), sx * sy
    tau = _tau(sx, sy, "a")
    of_systems = float(((products.sum(axis=1) / (n - 1) - tau) ** 2).sum()) / (n - 1)
    of_pairs = (float((products**2).sum()) - pairs * tau**2) / (pairs - 1)
    return max(0.0, (4 * (n - 2) * of_systems + 2 * of_pairs) / pairs)


def _bootstrap(sx: Floats, sy: Floats, replicates: int, seed: int) -> tuple[Floats, int]:
    """Sorted tau-b of resampled systems: with w_i copies of system i, w'Sw / sqrt(w'|Sx|w w'|Sy|w)."""
    products, untied_x, untied_y = sx * sy, np.abs(sx), np.abs(sy)
    taus: list[Floats] = []
    redrawn = 0
    for rng, count in blocks(replicates, seed, "systems"):
        got, kept = 0, []
        while got < count:
            w = bootstrap_weights(len(sx), count - got, rng)
            agree, x, y = (((w @ m) * w).sum(axis=1) for m in (products, untied_x, untied_y))
            sound = (x > 0) & (y > 0)
            kept.append(agree[sound] / np.sqrt(x[sound] * y[sound]))
            got += int(sound.sum())
            redrawn += int((~sound).sum())
        taus += kept
    return np.sort(np.concatenate(taus)), redrawn


# ---- Overlap of two rankings: rank-biased, of rankings that may be cut off and of different lengths; and of the
# top.


def check_p(name: str, p: float) -> None:
    """Refuse what is no chance to go on."""
    if not 0 < p < 1:
        raise TruegainError(
            f"{argname(name, p, 'g')} is not between 0 and 1; give the probability of continuing to the next rank, "
            "such as 0.9"
        )


def rbo(a: Sequence[Hashable], b: Sequence[Hashable], p: float = 0.9) -> Estimate:
    """Overlap of two rankings for a reader who goes on to the next depth with probability p.

    The value is ext, if both go on as they began; the limits, at least min and at most max, are sure.
    RBO = (1-p) sum over depths d of p^(d-1) X_d/d, X_d the overlap of the first d of both.  With s <= l the lengths,
    f = l + s - X_l, and for d > s the overlap of all of the shorter with the first d of the longer as X_d:

        min = (1-p)/p [sum_{d<=l} X_d/d p^d + X_l (ln 1/(1-p) - sum_{d<=l} p^d/d)]
        ext = (1-p)/p [sum_{d<=l} X_d/d p^d + sum_{s<d<=l} X_s(d-s)/(sd) p^d] + ((X_l - X_s)/l + X_s/s) p^l
        max = (1-p)/p [sum_{d<=s} X_d/d p^d + sum_{s<d<=l} (X_d+d-s)/d p^d
                       + sum_{l<d<=f} (2d-l-s+X_l)/d p^d + p^(f+1)/(1-p)]

    Webber, Moffat and Zobel 2010, ACM TOIS 28(4).

    >>> print(rbo("abcdefg", "bazcqdf", p=0.9))
    RBO(p=0.9) 0.6570 [0.4907, 0.7877] 100% over ranks not seen, extrapolated
    """
    check_p("p", p)
    short, long = sorted((_distinct(a), _distinct(b)), key=len)
    s, n = len(short), len(long)
    overlap = overlaps(short, long)
    d = np.arange(1, n + 1)
    weight = p**d
    x_s, x_l = float(overlap[s - 1]), float(overlap[-1])
    seen = float((overlap / d * weight).sum())
    least = (1 - p) / p * (seen + x_l * (-math.log1p(-p) - float((weight / d).sum())))
    past = d > s
    going_on = float((x_s * (d[past] - s) / (s * d[past]) * weight[past]).sum())
    ext = (1 - p) / p * (seen + going_on) + ((x_l - x_s) / n + x_s / s) * p**n
    all_in = n + s - int(x_l)
    best = float(((overlap[past] + d[past] - s) / d[past] * weight[past]).sum())
    later = np.arange(n + 1, all_in + 1)
    best += float(((2 * later - n - s + x_l) / later * p**later).sum()) + p ** (all_in + 1) / (1 - p)
    most = (1 - p) / p * (float((overlap / d * weight)[~past].sum()) + best)
    return Estimate("", f"RBO(p={p:g})", ext, min(least, ext), max(most, ext), 1.0, "ranks not seen", "extrapolated")


def top_overlap(a: Sequence[Hashable], b: Sequence[Hashable], k: int) -> float:
    """Share of the first k of one ranking that are among the first k of the other: |A_k & B_k|/k.

    >>> round(top_overlap("abcdefg", "bazcqdf", 3), 6)
    0.666667
    """
    if not 1 <= k <= min(len(a), len(b)):
        raise TruegainError(f"the top {k} of rankings of {len(a)} and {len(b)} cannot be compared; give a smaller one")
    return len(set(a[:k]) & set(b[:k])) / k


def overlaps(short: Sequence[Hashable], long: Sequence[Hashable]) -> Floats:
    """X_d for d = 1..length of the longer: how many of the first d (at most all) of both are the same.

    >>> overlaps("ab", "bca")
    array([0., 1., 2.])
    """
    place = {item: rank for rank, item in enumerate(short)}
    met = np.zeros(max(len(long), len(short)))
    for rank, item in enumerate(long):
        if item in place:
            met[max(rank, place[item])] += 1
    return np.cumsum(met)


def _distinct(ranking: Sequence[Hashable]) -> list[Hashable]:
    items = list(ranking)
    if not items:
        raise TruegainError("a ranking is empty; give at least one item")
    if len(set(items)) < len(items):
        seen: set[Hashable] = set()
        twice = [str(i) for i in items if i in seen or seen.add(i)]  # type: ignore[func-returns-value]
        raise TruegainError(f"{some(twice)} appears twice in a ranking; each item must have one rank")
    return items


# ---- Do two score vectors order the systems alike?  Every statistic of it in one answer.

WIDE = (
    "measure", "a", "b", "systems", "tau", "variant", "low", "high", "confidence", "method", "tau_a", "tau_b",
    "tau_ap_walking_b", "tau_ap_walking_a", "rbo_p", "rbo", "rbo_min", "rbo_max", "top", "top_overlap",
    "pairs", "swapped", "tied", "topics_low", "topics_high",
)  # fmt: skip
MOVES = ("measure", "system", "rank_a", "rank_b", "moves", "score_a", "score_b")


@dataclass(frozen=True)
class RankOptions:
    """How two orders are compared: the interval of tau, how many systems the top holds, the p of RBO.

    method, confidence, replicates, seed: those of `tau_interval`.
    """

    method: TauMethod = "wilson"
    confidence: float = 0.95
    top: int = 10
    rbo_p: float = 0.9
    replicates: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if self.top < 1:
            raise TruegainError(f"{argname('top', self.top)} keeps no system; give at least 1")
        check_p("rbo_p", self.rbo_p)
        check_one_of("interval of tau", self.method, METHODS)
        if self.method == "bootstrap":
            check_replicates(self.replicates, self.confidence)


@dataclass(frozen=True, eq=False, repr=False)
class RankAgreement(Result):
    """How far two score vectors, a and b, order the same systems alike.

    Attributes
    ----------
    measure : str
        The measure; empty where two measures are compared.
    a, b : str
        The names of the two orders.
    systems : tuple of str
        The systems.
    scores_a, scores_b : ndarray of float
        Their scores.
    tau : Estimate
        Kendall's tau with its interval; its `measure` is 'tau-a' or 'tau-b'.
    tau_b, tau_a : float
        Both variants of tau.
    tau_ap_walking_b : float
        AP correlation down the ranking by b, a being the truth.
    tau_ap_walking_a : float
        The same down the ranking by a, b being the truth.
    rbo : Estimate
        Rank-biased overlap; its limits are the least and the most it can be.
    rbo_p : float
        Its persistence.
    top : int
        How many of the best systems are compared.
    top_overlap : float
        The share of them in common.
    swapped : int
        Pairs of systems in opposite order.
    tied : int
        Pairs that tie in one order or both.
    notes : tuple of str
        What must be said beside it.
    over_topics : Estimate or None
        Tau with its interval over topics; None where scores by topic are not known, or topics are too few.

    Notes
    -----
    Columns of `frame`: `statistic`, `value`, `low`, `high` and `about`, one row a statistic.
    """

    measure: str
    a: str
    b: str
    systems: tuple[str, ...]
    scores_a: Floats
    scores_b: Floats
    tau: Estimate  # its measure is tau-a or tau-b
    tau_b: float
    tau_a: float
    tau_ap_walking_b: float
    tau_ap_walking_a: float
    rbo: Estimate  # its limits are the least and the most there can be
    rbo_p: float
    top: int
    top_overlap: float
    swapped: int
    tied: int
    notes: tuple[str, ...] = ()
    over_topics: Estimate | None = None

    @property
    def pairs(self) -> int:
        """All pairs of systems."""
        return len(self.systems) * (len(self.systems) - 1) // 2

    @property
    def in_common(self) -> int:
        """How many systems are among the best of both."""
        return round(self.top_overlap * self.top)

    def moves(self, most: int = 5) -> list[tuple[str, int, int]]:
        """The systems that change rank most.

        Parameters
        ----------
        most : int, default 5
            How many.

        Returns
        -------
        list of (str, int, int)
            A system, and its ranks by a and by b; equal scores share the best of their ranks.
        """
        a, b = first_ranks(self.scores_a), first_ranks(self.scores_b)
        order = np.lexsort((a, -np.abs(a - b)))[:most]
        return [(self.systems[i], int(a[i]), int(b[i])) for i in order if a[i] != b[i]]

    @property
    def provenance(self) -> dict[str, object]:
        """How it was made."""
        return {"method": self.tau.method, "confidence": self.tau.confidence, "top": self.top, "rbo_p": self.rbo_p}

    def in_short(self) -> str:
        """Tau with its interval, and how many pairs are swapped."""
        return str(self)

    def row(self) -> tuple[Cell, ...]:
        """All statistics in one row.

        Returns
        -------
        tuple
            The columns of `Correlation`.
        """
        t, r = self.tau, self.rbo
        return (
            self.measure, self.a, self.b, len(self.systems), t.value, t.measure[-1], t.low, t.high, t.confidence,
            t.method, self.tau_a, self.tau_b, self.tau_ap_walking_b, self.tau_ap_walking_a, self.rbo_p, r.value, r.low,
            r.high,
            self.top, self.top_overlap, self.pairs, self.swapped, self.tied,
            *((None, None) if self.over_topics is None else (self.over_topics.low, self.over_topics.high)),
        )  # fmt: skip

    def table(self) -> Table:
        """One statistic a row, for people."""
        t, r = self.tau, self.rbo
        over = "" if self.over_topics is None else " over systems"
        about = f"{100 * t.confidence:g}% interval{over}, {t.method}"
        swaps = f"{self.swapped} of {self.pairs}" + (f", {self.tied} tied" if self.tied else "")
        topics = self.over_topics
        rows: list[tuple[Cell, ...]] = [
            (t.measure, t.value, t.low, t.high, about),
            *(
                []
                if topics is None
                else [(f"{t.measure} over topics", t.value, topics.low, topics.high, topics.method)]
            ),
            ("tau-a", self.tau_a, None, None, "") if t.measure == "tau-b" else ("tau-b", self.tau_b, None, None, ""),
            (f"tau_AP, {self.a} is true", self.tau_ap_walking_b, None, None, f"mean over the ranks by {self.b}"),
            (f"tau_AP, {self.b} is true", self.tau_ap_walking_a, None, None, f"mean over the ranks by {self.a}"),
            (f"RBO, p = {self.rbo_p:g}", r.value, r.low, r.high, "extrapolated, with its lower and upper bound"),
            (f"top {self.top} in common", self.top_overlap, None, None, f"{self.in_common} systems"),
            ("pairs swapped", self.swapped / self.pairs, None, None, swaps),
        ]
        of = f"{self.measure}: " if self.measure else ""  # two measures have their names as a and b
        title = f"{of}{len(self.systems)} systems by {self.a} and by {self.b}"
        return Table(("statistic", "value", "low", "high", "about"), rows, self.provenance, title, self.notes)

    def moves_table(self, most: int = 5) -> Table:
        """The systems that change rank most, as a table.

        Parameters
        ----------
        most : int, default 5
            How many.

        Returns
        -------
        Table
            Columns as those of `Correlation.moves_table`.
        """
        where = {s: i for i, s in enumerate(self.systems)}
        rows: list[tuple[Cell, ...]] = [
            (self.measure, s, a, b, f"{a - b:+d}", float(self.scores_a[where[s]]), float(self.scores_b[where[s]]))
            for s, a, b in self.moves(most)
        ]
        title = f"Largest rank changes from {self.a} to {self.b}"
        return Table(MOVES, rows, title=title)

    def __str__(self) -> str:
        of = f"{self.measure}, " if self.measure else ""  # two measures have their names as a and b
        how = f"{of}{self.a} and {self.b}, {len(self.systems)} systems"
        return f"{how}: {self.tau}; {self.swapped} of {self.pairs} pairs swapped"


def agreement(
    systems: Sequence[str],
    scores_a: Floats,
    scores_b: Floats,
    *,
    measure: str = "",
    names: tuple[str, str] = ("a", "b"),
    options: RankOptions | None = None,
) -> RankAgreement:
    """Compare the orders of systems by two score vectors; scores equal to 12 decimals tie.

    >>> ranks = agreement(["x", "y", "z", "w"], np.array([4.0, 3, 2, 1]), np.array([4.0, 2, 3, 1]), measure="AP")
    >>> print(ranks)
    AP, a and b, 4 systems: tau-b 0.6667 [-0.3421, 0.9615] 95% over systems, wilson; 1 of 6 pairs swapped
    """
    a, b = (settled(v) for v in paired(scores_a, scores_b, least=3))
    o = options or RankOptions()
    tau = tau_interval(a, b, o.method, confidence=o.confidence, replicates=o.replicates, seed=o.seed)
    first, second = ranking(systems, a), ranking(systems, b)
    da, db = differences(a), differences(b)
    ties = [f"{n} by {name}" for v, name in ((a, names[0]), (b, names[1])) if (n := len(v) - len(np.unique(v)))]
    notes = list(tau.notes)
    if ties:
        notes.append(
            f"Some systems tie ({', '.join(ties)}): RBO and the top order them by name; the taus allow for ties."
        )
    kept = min(o.top, len(a))
    return RankAgreement(
        measure, *names, tuple(systems), a, b, tau, kendall_tau(a, b, "b"), kendall_tau(a, b, "a"),
        tau_ap_walking(a, b), tau_ap_walking(b, a), rbo(first, second, o.rbo_p), o.rbo_p, kept,
        top_overlap(first, second, kept), int((da * db < 0).sum()),
        int(((da == 0) | (db == 0)).sum()), tuple(notes),
    )  # fmt: skip


def differences(scores: Floats) -> Floats:
    """Of each pair of systems once, the earlier minus the later."""
    return np.asarray((scores[:, None] - scores[None, :])[np.triu_indices(len(scores), 1)])


def ranking(systems: Sequence[str], scores: Floats) -> list[str]:
    """Systems, best first; equal ones by name.

    >>> ranking(["b", "a", "c"], np.array([1.0, 1.0, 2.0]))
    ['c', 'a', 'b']
    """
    return [s for _, s in sorted(zip((-scores).tolist(), systems, strict=True))]
