"""A judge's comparisons corrected by people's: sums of half-wins and ties are rectified, and the fit needs no more."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from truegain.errors import InputError, TruegainError
from truegain.io.columns import Floats, Ints, frozen
from truegain.preferences.fit import PairCells

LEAST_OF_PAIR = 2  # gold comparisons of a pair of systems from which on it has a share of its own
SPREAD = 1e-12  # of a judge's half-wins, below which it says the same of all


@dataclass(frozen=True, eq=False)
class GoldComparisons:
    """What gold comparisons say of a judge, and how each of them moved the corrected sums.

    Attributes
    ----------
    rows : ndarray of int
        The cells that have a gold comparison.
    wins, ties : ndarray of float
        How far the draw of each moved the sums of its pair, about their mean.
    by_system : ndarray of int
        How many of them touch each system.
    share : float
        Of all cells.
    slope : float
        What a half-win of the judge is worth; 1: plain.
    agreement : float
        With people, of comparisons that neither called a tie; NaN where there is none.
    untied : int
        How many of these there are.
    correlation : float
        Of the half-wins of the judge and of people, within pairs of systems.
    whole : bool
        Whether whole topics were drawn.
    by_pair : bool
        Whether every pair of systems has its own share of gold.
    """

    rows: Ints
    wins: Floats
    ties: Floats
    by_system: Ints
    share: float
    slope: float
    agreement: float
    untied: int
    correlation: float
    whole: bool
    by_pair: bool


def corrected_cells(
    judged: PairCells, gold: PairCells, *, tuned: bool = True, whole: bool = False, by_pair: bool = True
) -> tuple[PairCells, GoldComparisons]:
    """The judge's cells, with half-wins and ties that people's comparisons of some cells have corrected.

    With l the judge's half-win, h people's, and pi the share of a pair's cells that have gold, sums over

        y = 1/2 + lambda (l - 1/2) + G/pi (h - 1/2 - lambda (l - 1/2))

    estimate those of people.  lambda = 1 is the plain form; tuned, it is the slope of h on l about the means of each
    pair of systems, cut to 0-1.  Cells have what the sum loses without them, pi and the pair's mean error computed
    again: sums are the same, and leaving topics out is exact.

    judged, gold: of the same systems and topics, with one kind a pair.  whole: whether whole topics were drawn.
    by_pair: whether each pair of systems may have a share of its own.

    Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453.

    >>> judge = PairCells.of_matrices(["x", "y"], ["1", "2", "3", "4"], np.array([[1.0], [1.0], [1.0], [0.0]]))
    >>> some = PairCells.of_matrices(["x", "y"], ["1", "2", "3", "4"], np.array([[0.0], [1.0], [np.nan], [np.nan]]))
    >>> corrected_cells(judge, some, tuned=False)[0].sums()[1]  # 3, less the mean error of 1/2 on each of 4
    array([1.])
    """
    kinds = len(judged.a)
    key, theirs = judged.topic * kinds + judged.kind, gold.topic * kinds + gold.kind
    place = {int(k): i for i, k in enumerate(key)}
    rows = np.array([place[int(k)] for k in theirs], np.int64)
    if not len(rows):
        raise InputError("no gold comparison is of a topic and pair that the judge compared", hint="check their names")
    n, cells = np.bincount(judged.kind[rows], minlength=kinds), judged.counts
    by_pair = by_pair and bool((n[cells > 0] >= LEAST_OF_PAIR).all())
    slopes, made, moves = [], [], []
    for bronze, trusted, middle in ((judged.wins, gold.wins, 0.5), (judged.ties, gold.ties, 0.0)):
        slope = _slope(bronze[rows], trusted, judged.kind[rows], kinds)[0] if tuned else 1.0
        worth = middle + slope * (bronze - middle)
        error = trusted - worth[rows]
        brought, moved = _corrected(worth, error, rows, judged.kind, kinds, by_pair)
        slopes.append(slope)
        made.append(brought)
        moves.append(moved)
    sides = np.concatenate([judged.a[judged.kind[rows]], judged.b[judged.kind[rows]]])
    bronze, trusted = judged.wins[rows], gold.wins
    untied = (bronze != 0.5) & (trusted != 0.5)
    agree = ((bronze > 0.5) == (trusted > 0.5))[untied]
    about = GoldComparisons(
        frozen(rows), frozen(moves[0]), frozen(moves[1]), np.bincount(sides, minlength=len(judged.systems)),
        len(rows) / len(judged.topic), slopes[0], float(agree.mean()) if len(agree) else math.nan, len(agree),
        _slope(bronze, trusted, judged.kind[rows], kinds)[1], whole, by_pair,
    )  # fmt: skip
    return replace(judged, wins=frozen(made[0]), ties=frozen(made[1])), about


def _corrected(
    worth: Floats, error: Floats, rows: Ints, kind: Ints, kinds: int, by_pair: bool
) -> tuple[Floats, Floats]:
    """What each cell brings to the sum, and how far the draw of each gold cell moved it.

    The sum of a pair is sum of worth + N (mean error of its n gold cells); without a gold cell it is less by its worth,
    the mean error, and (N - 1)/(n - 1) times how far its error lies from the mean.  Where some pair has too few gold
    cells all pairs have one share pi, and the sum is that of worth + error/pi.
    """
    at = kind[rows]
    if not by_pair:
        share = len(rows) / len(worth)
        brought = worth.copy()
        np.add.at(brought, rows, error / share)
        return brought, error / share * math.sqrt(1 - share)
    cells, n = np.bincount(kind, minlength=kinds), np.bincount(at, minlength=kinds)
    mean = np.bincount(at, error, kinds) / np.maximum(n, 1)
    brought, about = worth + mean[kind], error - mean[at]
    np.add.at(brought, rows, (cells[at] - 1) / (n[at] - 1) * about)
    drawn = n[at] / cells[at]
    return brought, cells[at] / n[at] * about * np.sqrt((1 - drawn) * n[at] / (n[at] - 1))


def _slope(bronze: Floats, trusted: Floats, kind: Ints, kinds: int) -> tuple[float, float]:
    """The slope of gold values on the judge's within pairs of systems, cut to 0-1, and their correlation."""
    n = np.maximum(np.bincount(kind, minlength=kinds), 1)
    x, y = (v - (np.bincount(kind, v, kinds) / n)[kind] for v in (bronze, trusted))
    if x @ x < SPREAD or y @ y < SPREAD:
        return 0.0, 0.0
    return float(np.clip((x @ y) / (x @ x), 0.0, 1.0)), float((x @ y) / math.sqrt((x @ x) * (y @ y)))


# ---- What gold comparisons will bring, before any is bought.


def correlation_of(agreement: float, ties: float = 0.0) -> float:
    """The correlation of half-wins of a judge and of people from how often they agree where neither calls a tie.

    ties: the share t of comparisons that either of them calls one.  With t_j that of the judge and t_p that of people,

        rho = (2 agreement - 1) (1 - t)/sqrt((1 - t_j) (1 - t_p))

    where both systems of a pair win alike.  Where one side alone calls ties, or each calls them whatever the other
    does, that is (2 agreement - 1) sqrt(1 - t).  Where both call the same comparisons ties it is larger; where one
    system of a pair wins more often, smaller.

    >>> correlation_of(0.78), round(correlation_of(0.78, ties=0.2), 3)
    (0.56, 0.501)
    """
    if not 0.5 <= agreement <= 1 or not 0 <= ties < 1:
        raise TruegainError(f"agreement {agreement:g} and ties {ties:g}: give shares, agreement from 0.5 to 1")
    return (2 * agreement - 1) * math.sqrt(1 - ties)


def expected_width(correlation: float, share: float) -> float:
    """The width of a corrected interval over that of the gold comparisons alone: sqrt(1 - rho^2 (1 - share)).

    share: of the comparisons that people make as well.  For a tuned correction, where comparisons of one topic have
    nothing else in common; `python -m benchmarks.coverage preferences` measures it.

    >>> round(expected_width(correlation_of(0.78, ties=0.2), 0.25), 3)
    0.901
    """
    return math.sqrt(1 - correlation**2 * (1 - share))


def without_judge(judged: PairCells) -> PairCells:
    """The judge's cells as if it called all of them a tie: corrected, they are the gold comparisons alone."""
    return replace(judged, wins=frozen(np.full(len(judged.wins), 0.5)), ties=frozen(np.ones(len(judged.ties))))
