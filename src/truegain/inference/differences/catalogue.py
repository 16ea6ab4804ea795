"""The tests by name, one line each; a new test is one more line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from truegain.errors import TruegainError
from truegain.inference.differences.paired import Outcome, paired_t, sign_test, welch, wilcoxon
from truegain.inference.differences.resampled import bootstrap_p, randomisation_p
from truegain.inference.differences.tukey import Tukey, randomised_tukey_hsd, tukey_hsd
from truegain.tables.columns import Floats


@dataclass(frozen=True)
class Settings:
    """What tests may want to know."""

    trials: int = 10_000
    seed: int = 0
    confidence: float = 0.95
    jobs: int | None = None


@dataclass(frozen=True, eq=False)
class Pairs:
    """P-values of pairs, and limits of their differences where the test has an interval."""

    p: Floats
    low: Floats | None = None
    high: Floats | None = None


@dataclass(frozen=True)
class PairTest:
    """A test of one pair at a time: takes the first and the second scores, pairs by topics, none missing."""

    says: str
    run: Callable[[Floats, Floats, Settings], Pairs]
    paired: bool = True
    resamples: bool = False


@dataclass(frozen=True)
class FamilyTest:
    """A test of all pairs at once: takes scores, systems by topics, and holds the chance of any false difference."""

    says: str
    run: Callable[[Floats, Settings], Tukey]
    resamples: bool = False


def _each(one: Callable[[Floats, Floats, Settings], Outcome]) -> Callable[[Floats, Floats, Settings], Pairs]:
    """A test of two vectors as a test of many."""

    def run(first: Floats, second: Floats, settings: Settings) -> Pairs:
        found = [one(a, b, settings) for a, b in zip(first, second, strict=True)]
        p = np.array([f.p for f in found])
        low, high = [f.low for f in found], [f.high for f in found]
        if any(limit is None for limit in (*low, *high)):
            return Pairs(p)
        return Pairs(p, np.array(low, dtype=np.float64), np.array(high, dtype=np.float64))

    return run


def _randomisation(first: Floats, second: Floats, s: Settings) -> Pairs:
    return Pairs(randomisation_p(second - first, trials=s.trials, seed=s.seed, jobs=s.jobs))


def _bootstrap(first: Floats, second: Floats, s: Settings) -> Pairs:
    z = second - first
    found = bootstrap_p(z, trials=s.trials, seed=s.seed, confidence=s.confidence, jobs=s.jobs)
    margin = found.critical * z.std(axis=1, ddof=1) / np.sqrt(z.shape[1])
    return Pairs(found.p, z.mean(axis=1) - margin, z.mean(axis=1) + margin)


def _randomised_tukey(x: Floats, s: Settings) -> Tukey:
    return randomised_tukey_hsd(x, trials=s.trials, seed=s.seed, jobs=s.jobs)


TESTS: dict[str, PairTest | FamilyTest] = {
    "tukey-hsd": FamilyTest(
        "all pairs at once, topics as blocks (two-way analysis of variance)",
        lambda x, s: tukey_hsd(x, confidence=s.confidence),
    ),
    "randomised-tukey-hsd": FamilyTest(
        "all pairs at once, scores dealt anew within each topic; no normal distribution", _randomised_tukey, True
    ),
    "one-way-tukey-hsd": FamilyTest(
        "all pairs at once, topics as noise (scipy's and ranx's Tukey); misses most",
        lambda x, s: tukey_hsd(x, blocked=False, confidence=s.confidence),
    ),
    "paired-t": PairTest(
        "Student's t of the differences", _each(lambda a, b, s: paired_t(a, b, confidence=s.confidence))
    ),
    "wilcoxon": PairTest("signed ranks of the differences", _each(lambda a, b, _: wilcoxon(a, b))),
    "sign": PairTest("how many topics go up, against a fair coin", _each(lambda a, b, _: sign_test(a, b))),
    "randomisation": PairTest("signs of the differences drawn anew (Fisher)", _randomisation, True, True),
    "bootstrap": PairTest("t of resampled topics (Sakai 2006)", _bootstrap, True, True),
    "welch": PairTest(
        "t of two independent samples; for systems run on different topics",
        _each(lambda a, b, s: welch(a, b, confidence=s.confidence)),
        False,
    ),
}


def find_test(name: str) -> PairTest | FamilyTest:
    """The test of a name.

    >>> find_test("sign").says
    'how many topics go up, against a fair coin'
    """
    if name not in TESTS:
        raise TruegainError(f"there is no test {name!r}; there are {', '.join(TESTS)}")
    return TESTS[name]
