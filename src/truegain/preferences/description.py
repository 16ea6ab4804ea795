"""What votes look like: who won against whom, a judge's beside people's, and what may be hidden in a table of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from truegain.errors import TruegainError, counted, warn
from truegain.io.columns import Bools, Ints, frozen
from truegain.judge_error.value_errors import ValueErrors
from truegain.preferences.fit import PairCells, Strengths
from truegain.preferences.measures import BradleyTerry, HalfWins, PreferenceMeasure
from truegain.preferences.table import Preferences
from truegain.stats.student_t import quantile_of

# ---- Before any model: who won against whom how often, and a judge's votes beside people's.

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


# ---- What a table may hide: unequal pairs, ties, flips when the order turns, and effects of position.

UNEQUAL = 0.25  # standard deviation over mean of the comparisons of pairs, above which pairs are unbalanced
FEW_IN_ONE_ORDER = 0.05  # of topics and pairs, as where a few votes are lost: half-wins stay the default


def default_measure(votes: Preferences, position: bool) -> tuple[PreferenceMeasure, str]:
    """Half-wins where every topic has every pair and (nearly) all were shown in both orders; why, where not.

    position: whether who was shown first can be a part of a model.
    """
    cells, n = votes.cells(), len(votes.systems)
    every, there = len(votes.topics) * n * (n - 1) // 2, len(cells.topic)
    if not cells.is_complete:
        lack = f"{every - there:,} of {every:,} topics and pairs have no vote."
        return BradleyTerry(), f"Bradley-Terry, not half-wins: {lack}"
    if not position:
        return HalfWins(), ""
    one = int(votes.in_one_order.sum())
    if one <= FEW_IN_ONE_ORDER * every:
        return HalfWins(), (
            f"{one:,} of {every:,} topics and pairs lack a vote in one of the two orders, which half-wins ignore; "
            "bradley-terry has a column for it."
        )
    alike = f"{one:,} of {every:,} topics and pairs were not shown in both orders alike."
    return BradleyTerry(), f"Bradley-Terry, not half-wins: {alike}"


def check_half_wins(cells: PairCells, position: bool) -> None:
    """Refuse half-wins where systems met different opponents, and tell where they met them in one order."""
    n = len(cells.systems)
    if not cells.is_complete:
        every = len(cells.topics) * n * (n - 1) // 2
        raise TruegainError(
            f"half-wins compare systems that met the same opponents, and {every - len(cells.topic):,} of {every:,} "
            "topics and pairs were not compared; use bradley-terry"
        )
    if position:
        warn("pairs were shown in one order, and half-wins ignore it; bradley-terry has a column for it")


def is_unequal(cells: PairCells) -> bool:
    """Whether some pairs were compared far more often than others; a pair that was never compared counts 0."""
    n = len(cells.systems)
    counts = np.append(cells.counts, np.zeros(n * (n - 1) // 2 - len(cells.counts)))
    return bool(counts.std() > UNEQUAL * counts.mean())


def tell_unequal(cells: PairCells) -> None:
    """Warn where some pairs were compared far more often than others: strengths hold for this mix of pairs."""
    if not is_unequal(cells):
        return
    n, counts = len(cells.systems), cells.counts
    every = n * (n - 1) // 2
    name = [f"{cells.systems[a]}|{cells.systems[b]}" for a, b in zip(cells.a, cells.b, strict=True)]
    most, least = int(np.argmax(counts)), int(np.argmin(counts))
    topics = counted(int(counts[most]), "topic")
    if counts[most] > counts[least]:
        most_and_least = f"{name[most]} on {topics}, {name[least]} on {int(counts[least])}"
    else:
        most_and_least = f"{name[0]} on {topics}" if len(counts) == 1 else f"{len(counts)} pairs on {topics} each"
    never = f"; {every - len(counts)} of {every} pairs never" if len(counts) < every else ""
    warn(
        f"pairs were compared unequally often ({most_and_least}{never}): "
        "if strengths differ by topic, they apply to this mix of pairs"
    )


def ties_note(votes: Preferences) -> str:
    """How many votes are ties, and how many of these call both bad; nothing where none is."""
    if not votes.ties.any():
        return ""
    bad = int(votes.both_bad.sum())
    ties = f"{int(votes.ties.sum()):,} of {counted(len(votes), 'vote')} are ties and count as half-wins"
    return f"{ties}, {bad:,} of them 'both bad'." if bad else f"{ties}."


def position_effect(fit: Strengths, confidence: float) -> tuple[float, float, float] | None:
    """What being shown first adds to the log-odds to win, with its limits over topics; None where it is no part."""
    if not fit.has_position:
        return None
    at, topics = len(fit.cells.systems), len(fit.cells.topics)
    without = fit.without_topics()[:, at]
    se = float(np.sqrt((topics - 1) / topics * ((without - without.mean()) ** 2).sum()))
    half = quantile_of(confidence, topics - 1.0) * se
    return fit.gamma, fit.gamma - half, fit.gamma + half


def position_note(fit: Strengths | None, confidence: float) -> str:
    """What being shown first adds, in words; nothing where it is no part of the model."""
    effect = None if fit is None else position_effect(fit, confidence)
    if effect is None:
        return ""
    return f"{position_words(*effect, confidence)}; scores are without it."


def position_words(gamma: float, low: float, high: float, confidence: float) -> str:
    """What being shown first adds over being shown second, which is twice what it adds over no order.

    >>> position_words(0.5, -0.25, 1.25, 0.95), position_words(-0.07, -0.57, 0.44, 0.95)[:64]
    ('Being shown first raises the log-odds of winning by 1.00 over being shown second (95% CI [-0.50, 2.50])', \
'Being shown first lowers the log-odds of winning by 0.14 below b')
    """
    change, low, high = 2 * gamma, 2 * low, 2 * high
    is_lower = round(change, 2) < 0
    how = (
        f"lowers the log-odds of winning by {-change:.2f} below"
        if is_lower
        else (f"raises the log-odds of winning by {max(0.0, change):.2f} over")
    )
    of = " of the change" if is_lower else ""
    return f"Being shown first {how} being shown second ({100 * confidence:g}% CI{of} [{low:z.2f}, {high:z.2f}])"


def orders_words(in_both: int, turned: int, tied: int) -> str:
    """How many comparisons changed with the order in which the two were shown.

    >>> orders_words(20, 3, 9)
    'the winner was reversed in 3 of 20 comparisons shown in both orders, and 9 became or ceased to be a tie'
    """
    shown = f"{counted(in_both, 'comparison')} shown in both orders"
    return f"the winner was reversed in {turned:,} of {shown}, and {tied:,} became or ceased to be a tie"


def flips_note(votes: Preferences, corrected: bool) -> str:
    """How many comparisons changed with the order in which the two were shown; nothing where none did."""
    (in_both, to_first, to_second), tied = votes.flips, votes.tied_in_one_order
    changed = to_first + to_second
    if not changed + tied:
        return ""
    words = orders_words(in_both, changed, tied)
    text = words[0].upper() + words[1:]
    if changed:
        way = "first" if to_first >= to_second else "second"
        text += f"; of those reversed, {max(to_first, to_second):,} favor the one shown {way}"
    by_order = changed > in_both / 2 and not corrected  # gold corrects what the judge makes of it
    return f"{text}: these preferences say little about the systems." if by_order else f"{text}."


def sign_note(cells: PairCells, a: str, b: str) -> str:
    """The exact sign test over topics, where all say the same and no interval can be estimated; else nothing."""
    one, two = sorted(map(cells.systems.index, (a, b)))
    own = (cells.a[cells.kind] == one) & (cells.b[cells.kind] == two)
    low, high = (int(x.sum()) for x in (cells.wins[own] > 0.5, cells.wins[own] < 0.5))
    if min(low, high) or not (n := low + high):
        return ""
    p = min(1.0, 2.0 ** (1 - n))
    winner = cells.systems[one if low else two]
    return (
        f"{winner} wins in all {counted(n, 'topic')} that are not tied: by the exact sign test p = {p:.2g}. An "
        "interval needs topics that differ; add some."
    )
