"""Strengths against other tools and a general optimizer; moves of topics against fitting everything again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from truegain.errors import TruegainError
from truegain.preferences.fit import PairCells, Strengths, position_is_known, win_rate_slopes, win_rates

choix = pytest.importorskip("choix")
evalica = pytest.importorskip("evalica")
Array = npt.NDArray[np.float64]
THETA = np.array([0.1, 0.3, 0.8, -0.4, -0.8])
A, B = np.triu_indices(len(THETA), 1)


def votes(seed: int, topics: int = 30, ties: float = 0.0, lost: float = 0.3) -> Array:
    """Topic x pair: half-wins by known strengths, some not compared."""
    rng = np.random.default_rng(seed)
    d = THETA[A] - THETA[B] + 0.5 * rng.normal(size=(topics, len(A)))
    z = 2 * np.cosh(d / 2) + ties
    drawn = rng.random(d.shape)
    wins = np.where(drawn < np.exp(d / 2) / z, 1.0, np.where(drawn < (np.exp(d / 2) + ties) / z, 0.5, 0.0))
    return np.where(rng.random(d.shape) < lost, np.nan, wins)


def cells(wins: Array) -> PairCells:
    """Cells of the matrix."""
    return PairCells.of_matrices([f"s{s}" for s in range(len(THETA))], [f"t{t}" for t in range(len(wins))], wins)


def rows(wins: Array) -> list[tuple[int, int, float]]:
    """The comparisons that there are: two systems and the half-win of the first."""
    return [(int(A[k]), int(B[k]), float(wins[t, k])) for t, k in np.argwhere(~np.isnan(wins))]


@pytest.mark.parametrize("seed", [1, 2])
def test_bradley_terry_is_choix(seed: int) -> None:
    """Guards the fit: the maximum of the likelihood, as choix finds it by another method."""
    wins = votes(seed)
    won = [(a, b) if y else (b, a) for a, b, y in rows(wins)]
    theirs = choix.opt_pairwise(len(THETA), won, alpha=0.0, tol=1e-12)
    assert np.abs(Strengths.fit(cells(wins)).theta - (theirs - theirs.mean())).max() < 1e-6


def test_bradley_terry_with_ties_is_evalica() -> None:
    """Guards half-wins: a tie counts as half a win of each, as in evalica."""
    wins = votes(3, ties=0.5)
    found = rows(wins)
    assert any(y == 0.5 for _, _, y in found)
    winner = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    result = evalica.bradley_terry(
        [f"s{a}" for a, _, _ in found], [f"s{b}" for _, b, _ in found], [winner[y] for _, _, y in found],
        tolerance=1e-14, limit=100_000,
    )  # fmt: skip
    theirs = np.log([float(result.scores[f"s{s}"]) for s in range(len(THETA))])
    assert np.abs(Strengths.fit(cells(wins)).theta - (theirs - theirs.mean())).max() < 1e-6


def davidson_likelihood(x: Array, found: list[tuple[int, int, float]]) -> float:
    """Davidson's (1970) own form: pi_a/(pi_a + pi_b + nu sqrt(pi_a pi_b)); strengths, the first 0, and log nu."""
    pi, nu, total = np.exp(np.concatenate([[0.0], x[:-1]])), np.exp(x[-1]), 0.0
    for a, b, y in found:
        tie = nu * np.sqrt(pi[a] * pi[b])
        part = {1.0: pi[a], 0.0: pi[b], 0.5: tie}[y]
        total += float(np.log(part / (pi[a] + pi[b] + tie)))
    return total


def test_davidson_is_what_a_general_optimizer_finds() -> None:
    """Guards Davidson's fit and its gradient, against scipy on the likelihood in Davidson's own form."""
    from scipy import optimize

    search: Any = optimize
    wins = votes(4, ties=0.6)
    found = rows(wins)
    fit = Strengths.fit(cells(wins), ties=True)
    start = np.append(fit.theta[1:] - fit.theta[0], fit.parameters[-1])
    best = search.minimize(
        lambda x: -davidson_likelihood(x, found), np.zeros(len(THETA)), method="BFGS", jac="3-point",
        options={"gtol": 1e-7},
    )  # fmt: skip
    assert np.abs(best.x - start).max() < 1e-6
    elsewhere = replace(fit, parameters=fit.parameters + np.array([0.3, -0.1, -0.2, 0.0, 0.0, 0.4]))
    gradient = elsewhere._gradient(*elsewhere.cells.sums())
    at = np.append(elsewhere.theta[1:] - elsewhere.theta[0], elsewhere.parameters[-1])
    by_steps = search.approx_fprime(at, lambda x: davidson_likelihood(x, found), 1e-7)
    assert np.abs(gradient[1:] - by_steps).max() < 1e-4
    assert abs(gradient[: len(THETA)].sum()) < 1e-9


def one_order(seed: int, topics: int = 40) -> PairCells:
    """Comparisons in one order each, drawn by chance, with a preference for what comes first."""
    rng = np.random.default_rng(seed)
    order = np.where(rng.random((topics, len(A))) < 0.7, 1.0, -1.0)
    d = THETA[A] - THETA[B] + 0.6 * order
    wins = (rng.random(d.shape) < 1 / (1 + np.exp(-d))).astype(np.float64)
    kinds = len(A)
    return PairCells(
        tuple(f"s{s}" for s in range(len(THETA))), tuple(f"t{t}" for t in range(topics)), np.tile(A, 2), np.tile(B, 2),
        np.repeat([1.0, -1.0], kinds), np.repeat(np.arange(topics), kinds),
        np.tile(np.arange(kinds), topics) + kinds * (order.ravel() < 0), np.ones(order.size), wins.ravel(),
        np.zeros(order.size),
    )  # fmt: skip


def test_position_is_a_logistic_regression() -> None:
    """Guards the column for who was shown first, against a general optimizer on a logistic regression."""
    from scipy import optimize

    search: Any = optimize
    found = one_order(5)
    fit = Strengths.fit(found, position=True)
    x = np.zeros((len(found.kind), len(THETA) + 1))
    rows_ = np.arange(len(x))
    x[rows_, found.a[found.kind]], x[rows_, found.b[found.kind]] = 1.0, -1.0
    x[:, -1] = found.first[found.kind]
    sign = 2 * found.wins - 1
    theirs = search.minimize(
        lambda beta: np.logaddexp(0.0, -sign * (x[:, 1:] @ beta)).sum(), np.zeros(len(THETA)), options={"gtol": 1e-9},
        jac=lambda beta: -(sign / (1 + np.exp(sign * (x[:, 1:] @ beta)))) @ x[:, 1:],
    ).x  # fmt: skip
    assert np.abs((fit.theta[1:] - fit.theta[0]) - theirs[:-1]).max() < 1e-6
    assert abs(fit.gamma - theirs[-1]) < 1e-6
    assert position_is_known(found)
    two = PairCells.of_matrices(["x", "y"], ["1", "2", "3"], np.array([[1.0], [0.0], [1.0]]))
    assert not position_is_known(replace(two, first=np.ones(1)))  # x is always first


@pytest.mark.parametrize(("ties", "position"), [(False, False), (True, False), (False, True)])
def test_moves_are_those_of_fits_without_each_topic(ties: bool, position: bool) -> None:
    """Guards the jackknife: one step of Newton's method is nearly the fit without the topic, by brute force."""
    found = one_order(6) if position else cells(votes(7, ties=0.6, topics=40))
    fit = Strengths.fit(found, ties=ties, position=position)
    steps = fit.without_topics()
    again = []
    for t in range(len(found.topics)):
        kept = found.topic != t
        some = replace(found, **{n: getattr(found, n)[kept] for n in ("topic", "kind", "weight", "wins", "ties")})
        again.append(Strengths.fit(some, ties=ties, position=position).parameters)
    far = np.abs(np.array(again) - fit.parameters).max()
    assert np.abs(steps - np.array(again)).max() < 0.05 * far
    variance = [((x - x.mean(axis=0)) ** 2).sum(axis=0) for x in (steps, np.array(again))]
    assert np.abs(variance[0] / variance[1] - 1).max() < 0.03


def test_win_rates_by_the_delta_method() -> None:
    """Guards the slopes of win rates, against differences of the rates themselves."""
    theta, step = THETA - THETA.mean(), 1e-6
    for s in range(len(theta)):
        up, down = theta.copy(), theta.copy()
        up[s], down[s] = up[s] + step, down[s] - step
        assert np.abs((win_rates(up) - win_rates(down)) / (2 * step) - win_rate_slopes(theta)[:, s]).max() < 1e-8


def test_systems_that_nothing_connects_are_refused_by_name() -> None:
    """Guards strengths on separate scales: the groups are named; so is a topic that alone connects two."""
    wins = np.full((4, len(A)), np.nan)
    wins[:, 0], wins[:, [k for k in range(len(A)) if (A[k], B[k]) == (2, 3)]] = [1.0, 0.0, 1.0, 0.0], 0.5
    wins[:, [k for k in range(len(A)) if (A[k], B[k]) == (3, 4)]] = 0.5
    with pytest.raises(TruegainError, match=r"no comparison connects \{s2, s3, s4\} and \{s0, s1\}"):
        Strengths.fit(cells(wins))
    wins[2, [k for k in range(len(A)) if (A[k], B[k]) == (1, 2)]] = 1.0
    with pytest.raises(TruegainError, match=r"only topic t2 connects \{s2, s3, s4\} and \{s0, s1\}"):
        Strengths.fit(cells(wins))


def test_a_system_that_won_everything_has_no_strength() -> None:
    """Guards against a number that grows with the steps: no finite maximum, and it is said of whom."""
    wins = votes(8, lost=0.0)
    wins[:, A == 2], wins[:, B == 2] = 1.0, 0.0
    with pytest.raises(TruegainError, match=r"s2 won \(nearly\) all its comparisons"):
        Strengths.fit(cells(wins))
    with pytest.raises(TruegainError, match="there is no tie; use bradley-terry"):
        Strengths.fit(cells(votes(8)), ties=True)


def in_order(firsts: list[int], wins: list[float]) -> PairCells:
    """Comparisons of x and y, one a topic: 1 where x was shown first, and its half-wins."""
    n, first = len(firsts), np.array(firsts)
    return PairCells(
        ("x", "y"), tuple(f"t{t}" for t in range(n)), np.zeros(2, np.int64), np.ones(2, np.int64),
        np.array([1.0, -1.0]), np.arange(n), (first < 0).astype(np.int64), np.ones(n), np.array(wins),
        (np.array(wins) == 0.5).astype(float),
    )  # fmt: skip


@pytest.mark.parametrize(("ties", "tied"), [(False, 0), (False, 1), (True, 1)])
@pytest.mark.parametrize("favors", [1, -1])
def test_a_position_that_decides_everything_is_refused(ties: bool, tied: int, favors: int) -> None:
    """Guards an endless effect of the position: refused as that, not as a system's, and no singular matrix."""
    firsts = [1 if t % 2 else -1 for t in range(25)]
    wins = [0.5] * tied + [float(f * favors > 0) for f in firsts[tied:]]
    place = "first" if favors > 0 else "second"
    with pytest.raises(TruegainError, match=rf"what was shown {place} won \(nearly\) always: nothing can be said"):
        Strengths.fit(in_order(firsts, wins), ties=ties, position=True)


def test_an_order_that_few_topics_have_is_not_called_a_bias() -> None:
    """Guards the words: where y wins both times it is first, and half of the others, first is not best."""
    cells = in_order([1] * 28 + [-1] * 2, [1.0, 0.0] * 14 + [0.0] * 2)
    with pytest.raises(TruegainError, match="in one order what was shown first won all comparisons"):
        Strengths.fit(cells, position=True)


def test_a_position_that_one_topic_alone_shows_is_not_known() -> None:
    """Guards leaving topics out: without the one topic in the other order, the position has no value."""
    wins = [1.0, 0.0, 1.0] * 10
    assert not position_is_known(in_order([1] * 29 + [-1], wins))
    assert position_is_known(in_order([1] * 28 + [-1] * 2, wins))
    with pytest.raises(TruegainError, match="one system of each pair was always shown first, or on all topics but one"):
        Strengths.fit(in_order([1] * 29 + [-1], wins), position=True)


def test_ties_that_gold_corrected_away_are_told() -> None:
    """Guards Davidson's refusal: where the judge had ties and gold left none, that is said."""
    found = cells(votes(8, ties=0.5))
    gone = replace(found, ties=np.where(np.arange(len(found.ties)) % 2, 0.2, -0.2))
    with pytest.raises(TruegainError, match="gold comparisons leave none of the judge's; use bradley-terry"):
        Strengths.fit(replace(gone, ties=gone.ties - 0.1), ties=True)


def test_ties_that_gold_nearly_corrected_away_are_refused() -> None:
    """Guards an endless log nu: a sum of ties just above 0 has no share that Davidson's model could use."""
    found = cells(votes(8, ties=0.5))
    with pytest.raises(TruegainError, match=r"\(nearly\) no comparison is a tie: Davidson's model has no finite value"):
        Strengths.fit(replace(found, ties=np.full(len(found.ties), 1e-9)), ties=True)
