"""Scores dealt to systems: every bit by hand, every order equally often, replicates in any pieces."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from truegain.io.columns import Floats
from truegain.sampling import _deals
from truegain.sampling.streams import stream_keys
from truegain.stats.multiple_testing import Trials
from truegain.stats.significance.anova import randomized_tukey_hsd

WORD = 2**64


def dealt(scores: Floats, replicates: int, first: int = 0, seed: int = 0) -> Floats:
    """Totals of systems by replicate, of scores by topic and system."""
    keys = stream_keys(seed, "systems", [str(topic) for topic in range(len(scores))])
    out = np.empty((replicates, scores.shape[1]))
    _deals.dealt(keys, first, scores, out)
    return out


def mixed(x: int) -> int:
    """The finaliser of splitmix64, in whole numbers."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % WORD
    return x ^ (x >> 31)


def by_hand(scores: Floats, replicate: int, seed: int, again: Counter[str]) -> list[float]:
    """Totals of one replicate; a word has up to eight places, while the product of their bounds is at most 2^57."""
    keys = stream_keys(seed, "systems", [str(topic) for topic in range(len(scores))]).tolist()
    golden, m = 0x9E3779B97F4A7C15, scores.shape[1]
    totals: list[float] = scores[0].tolist()
    for key, row in zip(keys[1:], scores[1:].tolist(), strict=True):
        state, last = mixed((key + (replicate + 1) * golden) % WORD), m - 1
        while last > 0:
            bounds: list[int] = []
            product = 1
            while last + 1 - len(bounds) > 1 and len(bounds) < 8 and product * (last + 1 - len(bounds)) <= 2**57:
                bounds.append(last + 1 - len(bounds))
                product *= bounds[-1]
            while True:
                state = (state + golden) % WORD
                rest, places = mixed(state), []
                for bound in bounds:
                    place, rest = divmod(rest * bound, WORD)
                    places.append(place)
                if rest >= WORD % product:
                    break
                again["words"] += 1
            for place in places:
                totals[last] += row[place]
                row[place] = row[last]
                last -= 1
        totals[0] += row[0]
    return totals


@pytest.mark.parametrize("systems", [1, 2, 3, 9, 10, 129, 300])
def test_every_bit_by_hand(systems: int) -> None:
    """Guards the generator, the draws without bias and the order of sums: a replicate is what its number says."""
    scores = np.random.default_rng(systems).random((6, systems))
    again: Counter[str] = Counter()
    found = dealt(scores, 60, first=5, seed=3)
    assert found.tolist() == [by_hand(scores, 5 + b, 3, again) for b in range(60)]
    assert bool(again["words"]) == (systems > 100), "words that are drawn again were not seen"


def test_machines_agree() -> None:
    """Guards bits between processors: a digest of 200 replicates, the same on x86-64 and ARM."""
    scores = np.arange(50 * 129).reshape(50, 129) * 7919 % 6449 / 6449
    digest = hashlib.sha256(dealt(scores, 200).astype("<f8").tobytes()).hexdigest()
    assert digest[:16] == "457277bde3bc7c5e"


@pytest.mark.parametrize("seed", [1, 2])
def test_every_order_is_as_likely(seed: int) -> None:
    """Guards uniformity: 24 orders of 4 scores, by topic and by replicate, and where each of 20 scores goes."""
    scores = np.zeros((3, 4))
    scores[1:] = [[1, 2, 3, 4], [10, 20, 30, 40]]
    orders = {order: number for number, order in enumerate(itertools.permutations((1, 2, 3, 4)))}
    totals = dealt(scores, 48_000, seed=seed).astype(int)
    ones = [orders[tuple(row)] for row in (totals % 10).tolist()]
    tens = [orders[tuple(row)] for row in (totals // 10).tolist()]
    for one in (ones, tens):
        assert stats.chisquare(np.bincount(one, minlength=24)).pvalue > 0.001
    both = np.bincount(np.array(ones) * 24 + tens, minlength=576)  # two topics are dealt apart
    after = np.bincount(np.array(ones[:-1]) * 24 + ones[1:], minlength=576)  # and two replicates
    assert min(stats.chisquare(both).pvalue, stats.chisquare(after).pvalue) > 0.001
    many = np.zeros((2, 20))
    many[1] = np.arange(20)
    got = dealt(many, 20_000, seed=seed).astype(int)
    assert (np.sort(got, axis=1) == np.arange(20)).all()
    cells = np.array([np.bincount(column, minlength=20) for column in got.T])
    expected = 1000.0  # rows and columns sum to it: 19 x 19 cells are free
    assert stats.chi2.sf(((cells - expected) ** 2 / expected).sum(), 19 * 19) > 0.001


def test_replicates_are_the_same_in_any_pieces() -> None:
    """Guards workers: replicates one by one, in odd pieces, and all at once have the same bits."""
    scores = np.random.default_rng(2).random((7, 33))
    whole = dealt(scores, 50)
    for size in (1, 3, 17):
        parts = [dealt(scores, min(size, 50 - first), first) for first in range(0, 50, size)]
        assert np.array_equal(np.concatenate(parts), whole)
    assert not np.array_equal(dealt(scores, 50, seed=1), whole)


def test_p_is_that_of_numpys_permutations() -> None:
    """Guards the test against the loop that one would write: p of every pair within four standard errors."""
    x = np.random.default_rng(5).random((8, 10)) + np.linspace(0, 0.25, 8)[:, None]
    found = randomized_tukey_hsd(x, Trials(trials=20_000, seed=8))
    rng, trials = np.random.default_rng(0), 20_000
    ranges = [np.ptp(rng.permuted(x.T, axis=1).mean(axis=0)) for _ in range(trials)]
    apart = np.abs(found.anova.means[:, None] - found.anova.means)
    p = (np.asarray(ranges)[:, None, None] >= apart - 1e-12).mean(axis=0)
    error = np.sqrt(2 * np.maximum(p * (1 - p), 1 / trials) / trials)
    assert (np.abs(found.p - p)[apart > 0] < 4 * error[apart > 0]).all()
    assert found.p[apart > 0].min() < 0.1 < found.p[apart > 0].max()


def test_arrays_that_do_not_fit_are_refused() -> None:
    """Guards memory: sizes that do not belong together, items of other widths, and what cannot be written."""
    keys, scores, out = np.zeros(3, np.uint64), np.zeros((3, 4)), np.zeros((5, 4))
    for wrong in [(keys[:2], scores, out), (keys[:0], scores, out), (keys, scores, out[:, :3].copy())]:
        with pytest.raises(ValueError, match="arrays do not fit together"):
            _deals.dealt(wrong[0], 0, *wrong[1:])
    with pytest.raises(TypeError, match="scores: expected items of 8 bytes"):
        _deals.dealt(keys, 0, scores.astype(np.float32), out)
    out.flags.writeable = False
    with pytest.raises((BufferError, ValueError)):
        _deals.dealt(keys, 0, scores, out)
