"""What votes look like before any model: who won against whom how often, and a judge's votes beside people's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from truegain.io.columns import Bools, Ints, frozen
from truegain.judge_error.value_errors import ValueErrors
from truegain.preferences.fit import PairCells
from truegain.preferences.table import Preferences
from truegain.stats.student_t import quantile_of

HALF_WINS = "half-wins"


@dataclass(frozen=True)
class PairVotes:
    """The votes on one pair of systems.

    Attributes
    ----------
    a, b : str
        The systems.
    topics : int
        On how many topics the two were compared.
    wins, ties, losses : int
        Votes for a, for neither, and for b.
    half_wins : float
        The half-win of a, in the mean of the topics.
    """

    a: str
    b: str
    topics: int
    wins: int
    ties: int
    losses: int
    half_wins: float

    @property
    def votes(self) -> int:
        """How many there are."""
        return self.wins + self.ties + self.losses

    def of(self, system: str) -> PairVotes:
        """These votes as one of the two systems sees them.

        >>> PairVotes("x", "y", 2, 3, 0, 1, 0.75).of("y")
        PairVotes(a='y', b='x', topics=2, wins=1, ties=0, losses=3, half_wins=0.25)
        """
        if system == self.a:
            return self
        return PairVotes(self.b, self.a, self.topics, self.losses, self.ties, self.wins, 1 - self.half_wins)


def pair_votes(votes: Preferences) -> tuple[PairVotes, ...]:
    """Every pair that was compared, in the order of the systems.

    >>> from truegain.preferences.table import read_preferences
    >>> rows = [("1", "x", "y", "a"), ("1", "y", "x", "a"), ("2", "x", "y", "tie")]
    >>> pair_votes(read_preferences([dict(zip(("topic", "a", "b", "winner"), row)) for row in rows]))
    (PairVotes(a='x', b='y', topics=2, wins=1, ties=1, losses=1, half_wins=0.5),)
    """
    cells = votes.cells()
    pair, half, _ = votes._oriented
    of_kind = {int(k): i for i, k in enumerate((cells.a * len(votes.systems) + cells.b).tolist())}
    kind = np.array([of_kind[int(k)] for k in pair.tolist()], np.int64)
    wins, ties, losses = (np.bincount(kind[half == x], minlength=len(cells.a)) for x in (1.0, 0.5, 0.0))
    _, won, _ = cells.sums()
    return tuple(
        PairVotes(
            cells.systems[cells.a[k]], cells.systems[cells.b[k]], int(cells.counts[k]), int(wins[k]), int(ties[k]),
            int(losses[k]), float(won[k] / cells.counts[k]),
        )
        for k in range(len(cells.a))
    )  # fmt: skip


def agreeing_votes(votes: Preferences) -> tuple[int, int]:
    """Pairs of assessors who voted on the same topic and pair, and neither for a tie: how many agree, and of how many.

    >>> from truegain.preferences.table import read_preferences
    >>> rows = [("1", "a", "ann"), ("1", "a", "bob"), ("1", "b", "cy"), ("1", "tie", "dan")]
    >>> named = [{"topic": t, "a": "x", "b": "y", "winner": w, "assessor": who} for t, w, who in rows]
    >>> agreeing_votes(read_preferences(named))
    (1, 3)
    """
    if len(votes.assessors) < 2:
        return 0, 0
    _, wins, _ = votes._oriented
    whose, code = np.unique(votes.cell * len(votes.assessors) + votes.assessor, return_inverse=True)
    ahead = np.bincount(code, wins - 0.5)
    cell = np.unique(whose // len(votes.assessors), return_inverse=True)[1]
    count = int(cell.max(initial=-1)) + 1
    first, second = (np.bincount(cell[side], minlength=count) for side in (ahead > 0, ahead < 0))
    agree = (first * (first - 1) + second * (second - 1)) // 2
    return int(agree.sum()), int(((first + second) * (first + second - 1) // 2).sum())


# ---- A judge's votes beside people's on the same comparisons.


@dataclass(frozen=True)
class PairAgreement:
    """Gold comparisons of one pair of systems.

    Attributes
    ----------
    a, b : str
        The systems.
    gold : int
        How many there are.
    agree, untied : int
        Those on which judge and people agree, of those that neither calls a tie.
    judge, people : float
        Half-wins of a on these comparisons.
    """

    a: str
    b: str
    gold: int
    agree: int
    untied: int
    judge: float
    people: float


@dataclass(frozen=True, eq=False)
class JudgedVotes:
    """What a judge said where people compared, too.

    Attributes
    ----------
    counts : mapping of str to int
        Gold comparisons by what both said: 'same' and 'other' winner, 'judge ties' where people name a winner,
        'people tie' where the judge does, and 'both tie'.
    agreement : tuple of float and two limits or None
        The share of the same winner where neither calls a tie, with limits over topics; None for limits where topics
        do not differ.  NaN where there is no such comparison.
    pairs : tuple of PairAgreement
        By pair of systems.
    errors : ValueErrors
        Half-wins of each system by the judge and by people, two rows a gold comparison.
    by_system : mapping of str to int
        How many gold comparisons each system is in.
    slope, correlation, share : float
        What a half-win of the judge is worth, its correlation with people's, and the share of gold comparisons.
    """

    counts: Mapping[str, int]
    agreement: tuple[float, float | None, float | None]
    pairs: tuple[PairAgreement, ...]
    errors: ValueErrors
    by_system: Mapping[str, int]
    slope: float
    correlation: float
    share: float

    @property
    def gold(self) -> int:
        """How many gold comparisons there are."""
        return sum(self.counts.values())

    @property
    def untied(self) -> int:
        """How many of them neither calls a tie."""
        return self.counts["same"] + self.counts["other"]

    @property
    def better_than_chance(self) -> bool:
        """Whether the judge clearly agrees with people more often than a coin."""
        value, low, _ = self.agreement
        return low > 0.5 if low is not None else value == 1.0


def judged_votes(
    judged: PairCells, gold: PairCells, *, slope: float, correlation: float, confidence: float = 0.95
) -> JudgedVotes:
    """A judge's cells beside gold cells of the same systems, topics and kinds.

    >>> judge = PairCells.of_matrices(["x", "y"], ["1", "2", "3"], np.array([[1.0], [1.0], [0.5]]))
    >>> people = PairCells.of_matrices(["x", "y"], ["1", "2", "3"], np.array([[1.0], [0.0], [np.nan]]))
    >>> beside = judged_votes(judge, people, slope=1.0, correlation=0.0)
    >>> beside.counts["same"], beside.counts["other"], beside.agreement[0]
    (1, 1, 0.5)
    """
    kinds = len(judged.a)
    place = {int(k): i for i, k in enumerate((judged.topic * kinds + judged.kind).tolist())}
    rows = np.array([place[int(k)] for k in (gold.topic * kinds + gold.kind).tolist()], np.int64)
    judge, people, kind, topic = judged.wins[rows], gold.wins, gold.kind, gold.topic
    no_judge, no_people = judge == 0.5, people == 0.5
    untied, agree = ~no_judge & ~no_people, (judge > 0.5) == (people > 0.5)
    counts = {
        "same": untied & agree, "other": untied & ~agree, "judge ties": no_judge & ~no_people,
        "people tie": ~no_judge & no_people, "both tie": no_judge & no_people,
    }  # fmt: skip
    pairs = []
    for k in np.unique(kind).tolist():
        own = kind == k
        pairs.append(PairAgreement(
            judged.systems[judged.a[k]], judged.systems[judged.b[k]], int(own.sum()), int((own & counts["same"]).sum()),
            int((own & untied).sum()), float(judge[own].mean()), float(people[own].mean()),
        ))  # fmt: skip
    sides = np.concatenate([judged.a[kind], judged.b[kind]])
    there, system = np.unique(sides, return_inverse=True)
    of_gold, unit = np.unique(topic, return_inverse=True)
    errors = ValueErrors(
        tuple(judged.systems[s] for s in there.tolist()), tuple(judged.topics[t] for t in of_gold.tolist()),
        frozen(np.concatenate([judge, 1 - judge])), frozen(np.concatenate([people, 1 - people])),
        frozen(system.astype(np.int64)), frozen(np.tile(unit, 2).astype(np.int64)), np.ones(2 * len(rows)), HALF_WINS,
        confidence,
    )  # fmt: skip
    by_system = np.bincount(sides, minlength=len(judged.systems))
    return JudgedVotes(
        {name: int(x.sum()) for name, x in counts.items()}, share_over_topics(agree[untied], topic[untied], confidence),
        tuple(pairs), errors, dict(zip(judged.systems, by_system.tolist(), strict=True)), slope, correlation,
        len(rows) / len(judged.topic),
    )  # fmt: skip


def share_over_topics(hits: Bools, topic: Ints, confidence: float) -> tuple[float, float | None, float | None]:
    """A share with limits over topics: those of a mean over clusters, cut to 0-1; None where topics do not differ.

    With r_t the sum of (hit - share) over topic t, of which there are G, V = G/(G - 1) sum of r_t^2 / n^2.

    >>> share, low, high = share_over_topics(np.array([True, True, False, True]), np.arange(4), 0.95)
    >>> share, round(low, 3), high
    (0.75, 0.0, 1.0)
    """
    if not len(hits):
        return math.nan, None, None
    share = float(hits.mean())
    about = np.bincount(np.unique(topic, return_inverse=True)[1], hits - share)
    if (n := len(about)) < 2 or not (about**2).sum() > 0:
        return share, None, None
    half = quantile_of(confidence, n - 1.0) * math.sqrt(n / (n - 1) * float((about**2).sum())) / len(hits)
    return share, max(0.0, share - half), min(1.0, share + half)
