"""Preferences between five systems: judge, people, gold and both, by the usual interval and by ours.

How much a person likes a's answer to a topic above b's is normal: the difference of the two strengths, which differ by
topic (sd 1.2 a system), and something of the comparison itself (sd 2.4).  A vote is Davidson's with that difference
(12% ties).  The judge sees it with an error of its own, leans .8 to the second of two equal systems, and by .7 to
what is shown first; it agrees with a person on 78% of the comparisons that neither calls a tie.  Gold is one vote on
25% of the comparisons.  The truth of each measure is its value for infinitely many topics: expected half-wins and ties
by quadrature, and the same fit.

Other worlds: four of ten pairs a topic; ten systems, three of 45 pairs a topic; whole gold topics; votes shown in one
order, chosen by chance, by people who lean to what comes first; eight or twelve assessors who each have a taste for
systems (sd .5), three a comparison; judges of 70%, 78% and 86%.
"""

from __future__ import annotations

import argparse
import zlib
from dataclasses import replace
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from benchmarks.coverage.worlds import Seen, World, held
from truegain.errors import TruegainError
from truegain.io.columns import Ints
from truegain.preferences.estimators import ByPreferences, assessor_moves, estimator_of
from truegain.preferences.fit import PairCells, Strengths
from truegain.preferences.gold import GoldComparisons, corrected_cells, correlation_of, expected_width
from truegain.preferences.measures import BradleyTerry, Davidson, HalfWins, PreferenceMeasure, WinRate
from truegain.stats.contrasts import Contrasts
from truegain.study.estimates import MeasureEstimates
from truegain.study.variance import CrossedSource, VarianceModel

Array = npt.NDArray[np.float64]
STRENGTH = np.array([0.3, 0.3, 1.2, -0.6, -1.2])  # the first two are equal
SYSTEMS = tuple("abcde")
A, B = np.triu_indices(len(STRENGTH), 1)
BY_TOPIC, BY_COMPARISON, TIES = 1.2, 2.4, 0.5
LEAN, FIRST = 0.8, 0.7  # of the judge: to the second system, and to what is shown first
JUDGE = (0.68, 2.0)  # how much of the difference the judge sees, and the error of its own
GOLD = 0.25
NAMED_FIRST = 0.75  # of comparisons that show a first, where they show one order
MEASURES: dict[str, PreferenceMeasure] = {
    "half-wins": HalfWins(), "Bradley-Terry": BradleyTerry(), "win rate": WinRate(), "Davidson": Davidson(),
}  # fmt: skip
QUESTIONS = {"score": (None, 0), "equal": (0, 1), "real": (0, 2)}


def chances(d: Array) -> tuple[Array, Array]:
    """Of a vote where the difference is d: the chance that a wins, and of a tie."""
    z = 2 * np.cosh(d / 2) + TIES
    return np.exp(d / 2) / z, TIES / z


def voted(rng: np.random.Generator, d: Array) -> Array:
    """Half-wins of a."""
    win, tie = chances(d)
    drawn = rng.random(d.shape)
    return np.where(drawn < win, 1.0, np.where(drawn < win + tie, 0.5, 0.0))


def liked(rng: np.random.Generator, topics: int) -> Array:
    """Topic x pair: how much people like a's answer above b's."""
    strength = STRENGTH + BY_TOPIC * rng.normal(size=(topics, len(STRENGTH)))
    return strength[:, A] - strength[:, B] + BY_COMPARISON * rng.normal(size=(topics, len(A)))


def judged(
    rng: np.random.Generator, d: Array, order: Array, sees: float = JUDGE[0], error: Array | None = None
) -> Array:
    """What the judge says where a is shown first (order 1) or second (-1)."""
    lean = LEAN * ((A == 1).astype(float) - (B == 1).astype(float))
    own = JUDGE[1] * rng.normal(size=d.shape) if error is None else error
    return voted(rng, sees * d + own + lean + FIRST * order)


@cache
def truth(name: str, spread: float = 0.0, first: float = 0.0) -> Array:
    """The score of each system for infinitely many topics.

    spread: variance that assessors add to a difference; first: how much votes lean to what is shown first, where
    that is a part of the fit.
    """
    x, w = np.polynomial.hermite_e.hermegauss(99)
    w = w / w.sum()
    sd = np.sqrt(2 * BY_TOPIC**2 + BY_COMPARISON**2 + spread)
    d = (STRENGTH[A] - STRENGTH[B])[:, None] + sd * x
    orders = {0.0: 1.0} if not first else {1.0: NAMED_FIRST, -1.0: 1 - NAMED_FIRST}
    wins, ties = [], []
    for order, share in orders.items():
        win, tie = chances(d + first * order)
        wins.append(share * ((win + tie / 2) @ w))
        ties.append(share * (tie @ w))
    kinds = len(A) * len(orders)
    cells = PairCells(
        SYSTEMS, ("1", "2"), np.tile(A, len(orders)), np.tile(B, len(orders)), np.repeat(list(orders), len(A)),
        np.repeat([0, 1], kinds), np.tile(np.arange(kinds), 2), np.tile(np.repeat(list(orders.values()), len(A)), 2),
        np.tile(np.concatenate(wins), 2), np.tile(np.concatenate(ties), 2),
    )  # fmt: skip
    return estimator_of(cells, MEASURES[name], position=bool(first)).value


def seen_by(
    estimator: ByPreferences,
    name: str,
    right: Array,
    makers: dict[str, object] | None = None,
    over: str = "topics",
    first: Ints | None = None,
) -> dict[str, Seen]:
    """A score, an equal pair and a real one, as the study answers them.

    first: the systems that are asked about come first in this order.
    """
    sources = frozenset([*filter(None, [over]), *(makers or ())])
    model = VarianceModel(estimator, estimator, sources, makers or {})  # type: ignore[arg-type]
    systems, place = estimator.cells.systems, np.arange(len(right)) if first is None else first
    answers = MeasureEstimates(systems, MEASURES[name], model, 0.95, len(estimator.cells.topics))
    score = answers.estimates("topics")[place[0]]
    seen = {"score": held(score.low, score.high, float(right[place[0]]))}
    for question, (a, b) in QUESTIONS.items():
        if a is not None:
            c = answers.differences(Contrasts.of([(int(place[a]), int(place[b]))]))[0]
            assert c.low is not None
            assert c.high is not None
            seen[question] = held(c.low, c.high, float(right[place[b]] - right[place[a]]))
    return seen


def usual(cells: PairCells, right: Array, votes: int = 1) -> dict[str, Seen]:
    """The same by the inverse Hessian, each vote taken as independent: what other tools print."""
    fit = Strengths.fit(cells)
    inverse = np.linalg.inv(fit.information - 1.0 + votes) / votes  # the block that holds sum theta stays as it is
    seen = {}
    for question, (a, b) in QUESTIONS.items():
        c = np.zeros(len(STRENGTH))
        c[b] = 1.0
        if a is None:
            c -= 1 / len(c)
        else:
            c[a] = -1.0
        value, half = float(c @ fit.theta), 1.96 * float(np.sqrt(c @ inverse @ c))
        seen[question] = held(value - half, value + half, float(c @ right))
    return seen


def cells_of(wins: Array, ties: Array | None = None) -> PairCells:
    """Cells of a matrix of half-wins."""
    return PairCells.of_matrices(SYSTEMS, [f"t{t}" for t in range(len(wins))], wins, ties)


def corrected(judge: PairCells, gold: PairCells, measure: PreferenceMeasure, tuned: bool = True) -> ByPreferences:
    """The judge corrected by gold."""
    cells, about = corrected_cells(judge, gold, tuned=tuned)
    return estimator_of(cells, measure, about)


def blind(judge: PairCells) -> PairCells:
    """A judge that calls everything a tie: what is left is gold alone."""
    return replace(judge, wins=np.full(len(judge.wins), 0.5), ties=np.ones(len(judge.ties)))


def told(seen: dict[str, Seen | None], answer: str, of: partial[dict[str, Seen]]) -> None:
    """Add what an answer gives to each question; None where it is refused."""
    try:
        found: dict[str, Seen | None] = dict(of())
    except TruegainError:
        found = dict.fromkeys(QUESTIONS)
    seen.update({f"{answer}, {question}": one for question, one in found.items()})


def all_pairs(rng: np.random.Generator, topics: int) -> dict[str, Seen | None]:
    """Every topic has every pair."""
    d = liked(rng, topics)
    both = [judged(rng, d, np.full(d.shape, order)) for order in (1.0, -1.0)]
    votes = np.array([voted(rng, d) for _ in range(3)])
    drawn = rng.random(d.shape) < GOLD
    people = votes.mean(axis=0)
    ties = (votes == 0.5).mean(axis=0)
    judge = cells_of(np.mean(both, axis=0), np.mean([one == 0.5 for one in both], axis=0))
    gold = cells_of(np.where(drawn, votes[0], np.nan))
    seen: dict[str, Seen | None] = {}
    bt = truth("Bradley-Terry")
    told(seen, "judge, one order, Hessian", partial(usual, cells_of(both[0]), bt))
    told(seen, "people, 3 votes, Hessian", partial(usual, cells_of(people, ties), bt, 3))
    told(seen, "people, 1 vote, Hessian", partial(usual, cells_of(votes[0]), bt))
    told(seen, "rectified, Hessian", partial(usual, corrected_cells(judge, gold, tuned=False)[0], bt))

    def answer(name: str, kind: str) -> dict[str, Seen]:
        measure, right = MEASURES[name], truth(name)
        if kind == "judge":
            return seen_by(estimator_of(judge, measure), name, right)
        if kind.startswith("people"):
            cells = cells_of(people, ties) if "3" in kind else cells_of(votes[0])
            return seen_by(estimator_of(cells, measure), name, right)
        if kind == "gold":
            return seen_by(corrected(blind(judge), gold, measure), name, right)
        return seen_by(corrected(judge, gold, measure, tuned=kind == "tuned"), name, right)

    kinds = {"judge": "judge, both orders, topics", "people 3": "people, 3 votes, topics",
             "people 1": "people, 1 vote, topics", "gold": "gold alone, topics", "plain": "rectified, topics",
             "tuned": "rectified tuned, topics"}  # fmt: skip
    for name in MEASURES:
        for kind, words in kinds.items():
            told(seen, f"{name}: {words}", partial(answer, name, kind))
    return seen


def some_pairs(rng: np.random.Generator, topics: int) -> dict[str, Seen | None]:
    """Four of ten pairs a topic, one vote each; and the judge on these, corrected by gold."""
    d = liked(rng, topics)
    there = np.argsort(rng.random(d.shape), axis=1) < 4
    vote = np.where(there, voted(rng, d), np.nan)
    both = [judged(rng, d, np.full(d.shape, order)) for order in (1.0, -1.0)]
    judge = cells_of(np.where(there, np.mean(both, axis=0), np.nan), np.mean([one == 0.5 for one in both], axis=0))
    gold = cells_of(np.where(rng.random(d.shape) < 2 * GOLD, vote, np.nan))
    seen: dict[str, Seen | None] = {}
    for name in ("Bradley-Terry", "win rate"):
        right = truth(name)
        told(
            seen,
            f"{name}: judge, both orders, topics",
            partial(lambda n, r: seen_by(estimator_of(judge, MEASURES[n]), n, r), name, right),
        )
        told(
            seen,
            f"{name}: people, 1 vote, topics",
            partial(lambda n, r: seen_by(estimator_of(cells_of(vote), MEASURES[n]), n, r), name, right),
        )
        told(
            seen,
            f"{name}: rectified tuned, topics",
            partial(lambda n, r: seen_by(corrected(judge, gold, MEASURES[n]), n, r), name, right),
        )
    return seen


def one_order(rng: np.random.Generator, topics: int) -> dict[str, Seen | None]:
    """Votes by people who lean to what comes first, in one order each, with and without a column for it.

    One order is more frequent: the system that is named first comes first in three of four comparisons.
    """
    d = liked(rng, topics)
    order = np.where(rng.random(d.shape) < NAMED_FIRST, 1.0, -1.0)
    vote = voted(rng, d + FIRST * order)
    kinds, topic = len(A), np.repeat(np.arange(topics), len(A))
    kind = np.tile(np.arange(kinds), topics) + kinds * (order.ravel() < 0)
    cells = PairCells(
        SYSTEMS, tuple(f"t{t}" for t in range(topics)), np.tile(A, 2), np.tile(B, 2), np.repeat([1.0, -1.0], kinds),
        topic, kind, np.ones(len(kind)), vote.ravel(), (vote == 0.5).astype(float).ravel(),
    )  # fmt: skip
    seen: dict[str, Seen | None] = {}
    for name in ("Bradley-Terry", "Davidson"):
        right = truth(name, first=FIRST)
        told(
            seen,
            f"{name}: no column, topics",
            partial(lambda n, r: seen_by(estimator_of(cells_of(vote), MEASURES[n]), n, r), name, right),
        )
        told(
            seen,
            f"{name}: position column, topics",
            partial(lambda n, r: seen_by(estimator_of(cells, MEASURES[n], position=True), n, r), name, right),
        )
    return seen


TASTE = 0.5  # of an assessor for a system


def assessors(rng: np.random.Generator, topics: int, people: int) -> dict[str, Seen | None]:
    """Three of some assessors vote on each comparison; answers for topics and assessors like these."""
    d = liked(rng, topics)
    taste = TASTE * rng.normal(size=(people, len(STRENGTH)))
    votes = voted(rng, d + (taste[:, A] - taste[:, B])[:, None, :])
    asked = np.argsort(rng.random((people, *d.shape)), axis=0) < 3

    def without(code: int | None) -> PairCells:
        kept = asked & (np.arange(people) != code)[:, None, None]
        count = np.maximum(kept.sum(axis=0), 1)
        return cells_of((votes * kept).sum(axis=0) / count, ((votes == 0.5) * kept).sum(axis=0) / count)

    seen: dict[str, Seen | None] = {}
    for name in ("half-wins", "Bradley-Terry"):
        right = truth(name, spread=2 * TASTE**2)

        def crossed(name: str = name, right: Array = right) -> dict[str, Seen]:
            whole = estimator_of(without(None), MEASURES[name])
            moves = assessor_moves(
                tuple(map(str, range(people))), whole, lambda code: estimator_of(without(code), MEASURES[name])
            )
            return seen_by(whole, name, right, {"assessors": lambda: CrossedSource(*moves)})

        def alone(name: str = name, right: Array = right) -> dict[str, Seen]:
            return seen_by(estimator_of(without(None), MEASURES[name]), name, right)

        told(seen, f"{name}: topics only", partial(alone))
        told(seen, f"{name}: topics and assessors", partial(crossed))
    return seen


def gold_assessors(rng: np.random.Generator, topics: int, people: int, each: int) -> dict[str, Seen | None]:
    """A judge corrected by gold comparisons, on each of which some of the assessors vote; for topics and assessors."""
    d = liked(rng, topics)
    both = [judged(rng, d, np.full(d.shape, order)) for order in (1.0, -1.0)]
    judge = cells_of(np.mean(both, axis=0), np.mean([one == 0.5 for one in both], axis=0))
    taste = TASTE * rng.normal(size=(people, len(STRENGTH)))
    votes = voted(rng, d + (taste[:, A] - taste[:, B])[:, None, :])
    asked = (np.argsort(rng.random((people, *d.shape)), axis=0) < each) & (rng.random(d.shape) < GOLD)

    def without(code: int | None, measure: PreferenceMeasure) -> ByPreferences:
        kept = asked & (np.arange(people) != code)[:, None, None]
        count = kept.sum(axis=0)
        wins, ties = ((of * kept).sum(axis=0) / np.maximum(count, 1) for of in (votes, votes == 0.5))
        gold = cells_of(np.where(count > 0, wins, np.nan), np.where(count > 0, ties, np.nan))
        return corrected(judge, gold, measure)

    seen: dict[str, Seen | None] = {}
    for name in ("half-wins", "Bradley-Terry"):
        right = truth(name, spread=2 * TASTE**2)

        def crossed(name: str = name, right: Array = right) -> dict[str, Seen]:
            whole = without(None, MEASURES[name])
            moves = assessor_moves(tuple(map(str, range(people))), whole, lambda code: without(code, MEASURES[name]))
            return seen_by(whole, name, right, {"assessors": lambda: CrossedSource(*moves)})

        def alone(name: str = name, right: Array = right) -> dict[str, Seen]:
            return seen_by(without(None, MEASURES[name]), name, right)

        told(seen, f"{name}: topics only", partial(alone))
        told(seen, f"{name}: topics and assessors", partial(crossed))
    return seen


def gold_topics(rng: np.random.Generator, topics: int) -> dict[str, Seen | None]:
    """Gold on all pairs of a quarter of the topics, corrected for topics like these and for these only.

    For these topics only the truth is what the person would have said of all of them.
    """
    d = liked(rng, topics)
    both = [judged(rng, d, np.full(d.shape, order)) for order in (1.0, -1.0)]
    vote = voted(rng, d)
    judge = cells_of(np.mean(both, axis=0), np.mean([one == 0.5 for one in both], axis=0))
    some = rng.permutation(topics)[: round(GOLD * topics)]
    by_topic = np.where(np.isin(np.arange(topics), some)[:, None], vote, np.nan)
    by_pair = np.where(rng.random(d.shape) < GOLD, vote, np.nan)
    seen: dict[str, Seen | None] = {}
    for name in ("half-wins", "Bradley-Terry"):
        here = estimator_of(cells_of(vote), MEASURES[name]).value

        def alone(over: str, right: Array, name: str = name) -> dict[str, Seen]:
            return seen_by(estimator_of(judge, MEASURES[name]), name, right, over=over)

        told(seen, f"{name}: judge alone, topics", partial(alone, "topics", truth(name)))
        for gold, whole, words in ((by_topic, True, "whole topics"), (by_pair, False, "pairs")):

            def answer(
                over: str, right: Array, name: str = name, gold: Array = gold, whole: bool = whole
            ) -> dict[str, Seen]:
                cells, about = corrected_cells(judge, cells_of(gold), whole=whole)
                return seen_by(estimator_of(cells, MEASURES[name], about), name, right, over=over)

            if whole:
                told(seen, f"{name}: gold {words}, topics", partial(answer, "topics", truth(name)))
            told(seen, f"{name}: gold {words}, these topics", partial(answer, "", here))
    return seen


MANY = np.linspace(-1.2, 1.2, 10)
MANY[4] = MANY[5]  # equal


def arena(rng: np.random.Generator, topics: int) -> dict[str, Seen | None]:
    """Ten systems, three of 45 pairs a topic, gold on 30%: most pairs have too little gold for a share of their own."""
    a, b = np.triu_indices(len(MANY), 1)
    strength = MANY + BY_TOPIC * rng.normal(size=(topics, len(MANY)))
    d = strength[:, a] - strength[:, b] + BY_COMPARISON * rng.normal(size=(topics, len(a)))
    there = np.argsort(rng.random(d.shape), axis=1) < 3
    lean = LEAN * ((a == 5).astype(float) - (b == 5).astype(float))
    seen_d = JUDGE[0] * d + JUDGE[1] * rng.normal(size=d.shape) + lean
    judge = np.mean([voted(rng, seen_d + FIRST * order) for order in (1.0, -1.0)], axis=0)
    vote = np.where(there, voted(rng, d), np.nan)
    names = [f"s{i}" for i in range(len(MANY))]
    ids = [f"t{t}" for t in range(topics)]
    x, w = np.polynomial.hermite_e.hermegauss(99)
    win, tie = chances((MANY[a] - MANY[b])[:, None] + np.sqrt(2 * BY_TOPIC**2 + BY_COMPARISON**2) * x)
    expected = np.tile((win + tie / 2) @ (w / w.sum()), (2, 1))
    right = Strengths.fit(PairCells.of_matrices(names, ["1", "2"], expected)).theta
    order = np.array([4, 5, 9, 0, 1, 2, 3, 6, 7, 8])  # the equal pair and a better system first
    seen: dict[str, Seen | None] = {}

    def answer(cells: PairCells, about: GoldComparisons | None = None) -> dict[str, Seen]:
        return seen_by(estimator_of(cells, BradleyTerry(), about), "Bradley-Terry", right, first=order)

    judged_cells = PairCells.of_matrices(names, ids, np.where(there, judge, np.nan))
    gold = PairCells.of_matrices(names, ids, np.where(rng.random(d.shape) < 0.3, vote, np.nan))
    told(seen, "Bradley-Terry: people, 1 vote, topics", partial(answer, PairCells.of_matrices(names, ids, vote)))
    told(seen, "Bradley-Terry: judge, both orders, topics", partial(answer, judged_cells))
    told(seen, "Bradley-Terry: rectified tuned, topics", partial(answer, *corrected_cells(judged_cells, gold)))
    return seen


# ---------------------------------------------------------------------- how much a judge narrows


def narrowing(rng: np.random.Generator, topics: int, sees: float, share: float) -> dict[str, Seen | None]:
    """The width of the tuned interval over that of gold alone, and what is predicted, by agreement and by correlation.

    `width` is the ratio (or the agreement, where that is named); `holds` means nothing here.
    """
    d = liked(rng, topics)
    both = [judged(rng, d, np.full(d.shape, order), sees) for order in (1.0, -1.0)]
    vote = voted(rng, d)
    gold = cells_of(np.where(rng.random(d.shape) < share, vote, np.nan))
    judge = cells_of(np.mean(both, axis=0))
    about = corrected_cells(judge, gold)[1]
    pair = Contrasts.of([(0, 1)])
    widths = [np.sqrt(corrected(one, gold, BradleyTerry()).over_topics(pair).value[0]) for one in (judge, blind(judge))]
    ties = 1 - (judge.wins != 0.5).mean() * (vote != 0.5).mean()  # that either calls one, each by itself
    return {
        "agreement": Seen(True, about.agreement),
        "measured": Seen(True, widths[0] / widths[1]),
        "predicted by correlation": Seen(True, expected_width(about.correlation, about.share)),
        "predicted by agreement and ties": Seen(
            True, expected_width(correlation_of(max(about.agreement, 0.5), float(ties)), about.share)
        ),
    }


WORLDS = (
    *(World(f"all pairs, {n} topics", partial(all_pairs, topics=n)) for n in (25, 50, 100)),
    *(World(f"4 of 10 pairs, {n} topics", partial(some_pairs, topics=n)) for n in (50, 100)),
    *(World(f"one order, {n} topics", partial(one_order, topics=n)) for n in (25, 50, 100)),
    *(World(f"gold topics, {n} topics", partial(gold_topics, topics=n)) for n in (50, 100)),
    *(World(f"ten systems, {n} topics", partial(arena, topics=n)) for n in (100, 200)),
    *(World(f"{p} assessors, {n} topics", partial(assessors, topics=n, people=p)) for p in (8, 12) for n in (50, 100)),
    *(
        World(f"gold by {k} of {p} assessors, {n} topics", partial(gold_assessors, topics=n, people=p, each=k))
        for k in (1, 3)
        for p in (5, 8, 12)
        for n in (50, 100)
    ),
)
JUDGES = {"70%": 0.4, "78%": JUDGE[0], "86%": 2.0}  # by agreement: how much of a difference the judge sees


def main() -> None:
    """Print the tables of docs/evidence/preferences.md: coverage by row and world, and how much a judge narrows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage.preferences", description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20261117)
    parser.add_argument("--only", default="", help="worlds whose name holds this text")
    given = parser.parse_args()
    for family in (
        "all pairs",
        "4 of 10 pairs",
        "one order",
        "gold topics",
        "ten systems",
        "8 assessors",
        "12 assessors",
        *(f"gold by {k} of {p} assessors" for k in (1, 3) for p in (5, 8, 12)),
    ):
        worlds = [w for w in WORLDS if w.name.startswith(family) and given.only in w.name]
        if worlds:
            print(
                f"\n{family}, {given.studies} studies, seed {given.seed}", *lines(worlds, given), sep="\n", flush=True
            )
    if given.only in "narrowing":
        print("\n| judge agrees | gold | measured | by correlation | by agreement and ties |\n|---|---|---|---|---|")
        for words, sees in JUDGES.items():
            for share in (0.1, 0.25, 0.5):
                studies = [narrowing(rng, 100, sees, share) for rng in streams(f"{words}{share}", given, 4)]
                agrees, *ratios = np.mean([[one.width for one in x.values() if one] for x in studies], axis=0)
                print(f"| {agrees:.2f} | {share:.0%} | {' | '.join(f'{r:.3f}' for r in ratios)} |", flush=True)


def streams(name: str, given: argparse.Namespace, fewer: int = 1) -> list[np.random.Generator]:
    """A generator a study."""
    code = zlib.crc32(name.encode())
    return [np.random.default_rng([given.seed, code, n]) for n in range(max(1, given.studies // fewer))]


def lines(worlds: list[World], given: argparse.Namespace) -> list[str]:
    """A row an answer: coverage of the score, the equal pair and the real one, and the width of the equal pair."""
    by_world = [[dict(w.study(rng)) for rng in streams(w.name, given)] for w in worlds]
    answers = dict.fromkeys(name.rpartition(", ")[0] for name in by_world[0][0])
    out = [f"| | {' | '.join(w.name.rpartition(', ')[2] for w in worlds)} |", "|---|" + "---|" * len(worlds)]
    for answer in answers:
        cells = []
        for studies in by_world:
            seen = {q: [x[f"{answer}, {q}"] for x in studies if x[f"{answer}, {q}"] is not None] for q in QUESTIONS}
            refused = 1 - len(seen["equal"]) / len(studies)
            if refused == 1:
                cells.append("refused")
                continue
            shares = " ".join(f"{np.mean([one.inside for one in ones]):.3f}".lstrip("0") for ones in seen.values())
            width = np.median([one.width for one in seen["equal"]])
            cells.append(f"{shares} ({width:.2f})" + (f", refused {refused:.1%}" if refused else ""))
        out.append(f"| {answer} | {' | '.join(cells)} |")
    return out


if __name__ == "__main__":
    main()
