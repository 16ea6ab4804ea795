"""People's votes on some of a judge's comparisons: read and checked, and the judge's sums corrected by them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from truegain.config import Gold
from truegain.errors import InputError, TruegainError, counted, some, warn
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.message import arg, argname, gold_drawn
from truegain.preferences.fit import PairCells
from truegain.preferences.table import Preferences, PreferencesLike, read_preferences
from truegain.sampling.assessors import Assessors
from truegain.sampling.catalogue import design_of, draws_topics
from truegain.sampling.source import SourceName
from truegain.study.assessors import LEAST, MOST_ALONE
from truegain.study.reading import FIXED

# ---- People's votes: read, brought in line with the judge's, and checked.

DESIGNS = ("random", "topics")  # of gold comparisons


def gold_config(gold: Gold | PreferencesLike | None, design: str | None) -> Gold | None:
    """People's preferences and how they were drawn, as a config."""
    if gold is None and design is not None:
        raise TruegainError(f"{argname('design', design)} applies to gold comparisons; give {arg('gold')}")
    if gold is None or isinstance(gold, Gold):
        return gold if gold is None or design is None else replace(gold, design=design)
    return Gold(gold, design)


def read_gold_votes(config: Gold, judged: Preferences) -> tuple[Preferences, str]:
    """People's votes on cells that the judge has, and how they were drawn, which must be said.

    Votes that no comparison of the judge's is about are left out with a warning.
    """
    design = _design(config)
    people = read_preferences(config.labels)  # type: ignore[arg-type]
    if people.models:
        warn(
            f"{people.source}: {people.by_models:,} of {counted(len(people), 'gold vote')} name a model "
            f"({some(people.models)}): gold comparisons are taken as people's, and a model's errors stay in the "
            "scores"
        )
    of_unknown = 0
    if unknown := [s for s in people.systems if s not in judged.systems]:
        warn(f"{people.source}: gold comparisons of {some(unknown)} are left out; the judge compared no such system")
        codes = [people.systems.index(s) for s in unknown]
        of_unknown = int((np.isin(people.a, codes) | np.isin(people.b, codes)).sum())
    some_votes = people.onto(judged.systems, judged.topics)
    there = np.isin(some_votes.cell, np.unique(judged.cell))
    lost = len(people) - int(there.sum()) - of_unknown
    if not there.any():
        raise InputError(
            "no gold comparison is of a topic and pair that the judge compared", file=people.source,
            hint="use the same names of topics and systems in both files",
        )  # fmt: skip
    if lost:
        warn(f"{people.source}: {lost} of {counted(len(people), 'gold vote')} are left out: the judge compared no "
             "such topic and pair")  # fmt: skip
    kept = _kept(some_votes, there)
    if draws_topics(design):
        _check_whole(kept, judged)
    return kept, design


def _design(config: Gold) -> str:
    if config.design is None:
        how = arg("design", python="design=, as in tg.Gold(labels, design='random'),")
        known = ", ".join(f"{name} ({design_of(name).drawn})" for name in DESIGNS)
        raise TruegainError(f"how were the gold pairs sampled? Give {how} one of {known}", allowed=DESIGNS)
    design_of(config.design)
    if config.design not in DESIGNS:
        raise TruegainError(
            f"{argname('design', config.design)}: gold comparisons are drawn at random ({gold_drawn('random')}) or "
            f"by whole topics ({gold_drawn('topics')})",
            remedy=f"give {gold_drawn('random')} or {gold_drawn('topics')}",
        )
    return str(config.design)


def _check_whole(people: Preferences, judged: Preferences) -> None:
    """Refuse gold topics that lack a comparison of the judge's: what was drawn were no whole topics then."""
    by_topic = [
        np.bincount(np.unique(votes.cell) // len(judged.systems) ** 2, minlength=len(judged.topics))
        for votes in (people, judged)
    ]
    if partly := [judged.topics[t] for t in np.flatnonzero((by_topic[0] > 0) & (by_topic[0] < by_topic[1])).tolist()]:
        raise InputError(
            f"{len(partly)} of {counted(int((by_topic[0] > 0).sum()), 'gold topic')} lack some of the judge's "
            f"pairs ({some(partly)})", file=people.source,
            hint=f"complete or drop them, or say {gold_drawn('random')} where single comparisons were drawn",
        )  # fmt: skip


def _kept(votes: Preferences, there: Bools) -> Preferences:
    """Some of the votes, and the assessors who gave them."""
    rows = np.flatnonzero(there)
    by_vote = ("topic", "a", "b", "wins", "both_bad", "first")
    some_votes = replace(votes, **{name: getattr(votes, name)[rows] for name in by_vote})
    if not votes.assessors:
        return some_votes
    codes, assessor = np.unique(votes.assessor[rows], return_inverse=True)
    return replace(
        some_votes, assessors=tuple(votes.assessors[c] for c in codes.tolist()), assessor=assessor.astype(np.int64)
    )


def on_judged(gold: PairCells, judged: PairCells) -> PairCells:
    """Gold cells, their pairs numbered as the judge's are."""
    n = len(judged.systems)
    place = {int(k): i for i, k in enumerate(judged.a * n + judged.b)}
    kind = np.array([place[int(k)] for k in gold.a * n + gold.b], np.int64)
    return replace(gold, a=judged.a, b=judged.b, first=judged.first, kind=kind[gold.kind])


# ---- Who voted, and whether that shows how others would.


def check_population(over: frozenset[SourceName], votes: Preferences, gold: bool) -> None:
    """Refuse what preferences do not tell of; of gold comparisons see `check_gold_people`."""
    if others := sorted(over - {"topics", "assessors"}):
        raise TruegainError(
            f"{argname('population')} {others[0]!r}: preferences show how answers vary over topics and assessors; "
            f"leave {others[0]!r} out"
        )
    if not over and not gold:
        raise TruegainError(
            f"With {arg('population', FIXED)}, nothing here is uncertain. For an interval, use "
            f"{arg('population', 'topics')} or {arg('population', 'assessors')}, or give {arg('gold')}."
        )
    if "assessors" not in over:
        return
    if gold and "topics" not in over:
        raise TruegainError(
            f"{argname('population')} 'assessors' and {arg('gold')}: for these topics only, the noise of a vote would "
            f"count twice, as a draw of gold and as a draw of assessors; say {arg('population', 'topics,assessors')}"
        )
    if not gold and (why := why_not_assessors(votes)):
        raise TruegainError(f"{why}; leave 'assessors' out of {argname('population')}")


def check_gold_people(people: Preferences) -> None:
    """Refuse gold comparisons that do not show how other assessors would vote."""
    if why := _why_not(people, "gold vote"):
        raise TruegainError(f"{people.source}: {why}; leave 'assessors' out of {argname('population')}")


def why_not_assessors(votes: Preferences) -> str:
    """Why votes do not show how other assessors would vote; nothing where they do."""
    if why := _why_not(votes, "vote"):
        return why
    cells = len(np.unique(votes.cell))
    if (alone := crossed(votes).rated_once) > MOST_ALONE * cells:
        return f"{alone} of {cells} topics and pairs have one vote, which does not show how assessors differ"
    return ""


def _why_not(votes: Preferences, unit: str) -> str:
    people = len(votes.assessors)
    if people < LEAST:
        return f"{counted(people, 'assessor')} named, and at least {LEAST} are needed to generalize to others"
    if "" in votes.assessors:
        unnamed = int((votes.assessor == votes.assessors.index("")).sum())
        return f"{counted(unnamed, unit)} of {len(votes):,} without an assessor"
    if why := crossed(votes).nested_because:
        return f"{why}: assessors are nested in topics, whose variance already includes theirs"
    return ""


def crossed(votes: Preferences) -> Assessors:
    """Who voted on which topic and pair."""
    cells, item = np.unique(votes.cell, return_inverse=True)
    topic = (cells // len(votes.systems) ** 2).astype(np.int32)
    return Assessors(votes.assessors, votes.assessor.astype(np.int32), item, topic)


# ---- Sums of half-wins and ties are rectified, and the fit needs no more.

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
