"""Whether a judge errs alike for all systems: permutations one at a time, tests together."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from truegain.io.columns import Floats
from truegain.judge_error.diagnostics import Homogeneity, _permuted
from truegain.judge_error.favor import Favor


def test_permutations_one_at_a_time() -> None:
    """Guards the p value to the last trial, over two blocks, topics in any order, a topic without errors among them."""
    rng = np.random.default_rng(6)
    size, trials = 10_000, 250
    topic = rng.integers(0, 40, size)
    member: Floats = (rng.random((3, size)) < 0.3).astype(np.float64)
    member[2] = topic == 7  # who answers this topic alone cannot be off
    good: Floats = ((topic == 7) | (rng.random(size) < 0.7 + 0.006 * member[0])).astype(np.float64)
    found = _permuted(member, good, topic, trials, np.random.default_rng(1))
    order = np.argsort(topic, kind="stable")
    where = [np.flatnonzero(topic[order] == t) for t in range(40)]
    x, lists, draws = good[order], member[:2, order], np.random.default_rng(1)
    share = np.concatenate([np.full(len(w), x[w].mean()) for w in where])

    def statistic(labels: Floats) -> float:
        return float(sum((row @ (labels - share)) ** 2 / (row @ (share * (1 - share))) for row in lists))

    above = 0
    for _ in range(trials):
        keys = draws.random(size)
        above += statistic(np.concatenate([x[w[np.argsort(keys[w])]] for w in where])) >= statistic(x) - 1e-9
    assert found == (1 + above) / (1 + trials)
    assert 5 < above < trials - 5


def test_a_p_value_of_just_a_twentieth() -> None:
    """Guards that p must lie below 0.05: 100 of 2,000 permutations make exactly that."""
    none, counts = (Favor("x"), Favor("y")), np.full((2, 2), 10.0)
    for above, yes in ((99, False), (98, True)):
        found = Homogeneity(("x", "y"), counts - 3, counts, None, (1 + above) / (1 + 1999), 1999, "P@5", none)
        assert found.differs == yes


def test_two_pairs_can_be_permuted() -> None:
    """Guards the least: of two pairs of a topic, one right, either order is as far off; one pair is no test."""
    two, one = np.eye(2), np.ones((2, 1))
    assert _permuted(two, np.array([1.0, 0.0]), np.array([3, 3]), 20, np.random.default_rng(1)) == 1.0
    assert _permuted(one, np.array([1.0]), np.array([3]), 20, np.random.default_rng(1)) is None


@pytest.mark.parametrize(
    ("lists", "right"),
    [(("01000000", "11111101", "10000100"), "10101011"), (("10110101", "10011101", "10000010"), "01011010")],
)
def test_the_permutation_test_against_all_permutations(lists: tuple[str, ...], right: str) -> None:
    """Guards the statistic, centered and scaled by system: p of all orders within topics, within chance."""
    member = np.array([[float(x) for x in row] for row in lists])
    topic, good = np.array([0, 0, 1, 1, 1, 1, 0, 0]), np.array([float(x) for x in right])
    where = [np.flatnonzero(topic == t) for t in (0, 1)]
    expected = np.array([good[topic == t].mean() for t in topic.tolist()])

    def statistic(x: Floats) -> float:
        total = 0.0
        for row in member:
            off = sum(row[i] * (x[i] - expected[i]) for i in range(8))
            total += off**2 / sum(row[i] * expected[i] * (1 - expected[i]) for i in range(8))
        return total

    observed, reached = statistic(good), []
    for one, two in product(permutations(where[0].tolist()), permutations(where[1].tolist())):
        x = good.copy()
        x[where[0]], x[where[1]] = good[list(one)], good[list(two)]
        reached.append(statistic(x) >= observed - 1e-9)
    p = float(np.mean(reached))
    found = _permuted(member, good, topic, 9999, np.random.default_rng(1))
    assert found is not None
    assert 0.02 < p < 0.98
    assert found == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 10_000) + 1e-4)
    few = _permuted(member, good, topic, 7, np.random.default_rng(1))
    assert few is not None
    assert (few * 8) % 1 == pytest.approx(0)  # (1 + above) / (1 + trials)
    assert _permuted(member[:, :1], good[:1], topic[:1], 9, np.random.default_rng(1)) is None
    assert _permuted(member, np.ones(8), topic, 9, np.random.default_rng(1)) is None


def test_three_tests_together() -> None:
    """Guards Bonferroni over the tests that there are, and over systems for the favor; the clearest; the verdict."""
    favors = (Favor("x", 0.1, 0.05, 20.0), Favor("y", -0.09, 0.03, 20.0), Favor("z"))
    counts = np.full((3, 2), 10.0)
    found = Homogeneity(tuple("xyz"), counts - 3, counts, 0.01, None, 100, "P@5", favors)
    assert found.clearest is favors[1]
    favor = 2 * stats.t.sf(3.0, 20)
    assert found.adjusted == {
        "sensitivity": None,
        "specificity": pytest.approx(0.02),
        "favor": pytest.approx(2 * 3 * favor, rel=1e-6),
    }
    assert found.differs
    two = Homogeneity(tuple("xy"), counts[:2] - 3, counts[:2], 0.3, 0.03, 100, "P@5", favors[:2])
    assert two.adjusted["favor"] == pytest.approx(3 * favor, rel=1e-6)
    assert two.adjusted["sensitivity"] == pytest.approx(0.09)
    even = Homogeneity(
        tuple("xy"), counts[:2] - 3, counts[:2], 0.3, 0.03, 100, "P@5", (Favor("x", 0.0, 0.03), favors[0])
    )
    assert even.clearest is favors[0]
    none = Homogeneity(tuple("xy"), counts[:2] - 3, counts[:2], 0.3, 0.026, 100, "P@5", (Favor("x"), Favor("y")))
    assert none.clearest is None
    assert not none.differs
    assert found.table().rows[0][1:6] == pytest.approx((10, 0.7, 10, 0.7, 0.4))
    assert replace(none, p_n=None, p_r=0.049).differs
    assert not replace(none, p_n=None, p_r=0.051).differs


def test_only_what_a_test_rejects_is_said() -> None:
    """Guards the sentence: which tests reject, a favored system only where favor does, advice that fits the design."""
    counts = np.full((3, 2), 20.0)
    weak = (Favor("x", -0.109, 0.06, 20.0), Favor("y", 0.05, 0.06, 20.0), Favor("z", 0.06, 0.06, 20.0))
    rates = Homogeneity(tuple("xyz"), counts - 3, counts, 0.001, 0.5, 100, "P@5", weak)
    assert rates.rejected == ("specificity",)
    assert "NOT equally accurate for all systems, by the test of specificity (" in rates.finding
    assert "No favored system is shown; the largest estimate has x's P@5 0.109 lower" in rates.finding
    assert "the judge scores" not in rates.finding
    clear = replace(rates, favors=(Favor("x", -0.109, 0.01, 20.0), *weak[1:]))
    assert clear.rejected == ("specificity", "favor")
    assert "by the tests of specificity and favor (" in clear.finding
    assert "the judge scores x's P@5 0.109 lower than that of the other systems" in clear.finding
    assert "shown" not in clear.finding
    assert replace(clear, p_r=0.001).finding.startswith(
        "The judge is NOT equally accurate for all systems, by the tests of sensitivity, specificity and favor ("
    )
    own = "on its own documents (accuracy='system' of tg.correct"
    assert clear.sentence.endswith("To account for this, correct the scores with these gold labels (tg.correct).")
    assert replace(clear, design="by-gold").sentence.endswith(f"{own}, the default).")
    assert replace(clear, design="elsewhere").sentence.endswith(f"{own}).")
