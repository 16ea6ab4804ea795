"""The tests by name, one line each; a new test is one more line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from truegain.errors import check_one_of
from truegain.inference.differences.resampled import bootstrap_p, randomisation_p
from truegain.inference.differences.rows import RowResults, paired_t_rows, sign_rows, welch_rows, wilcoxon_rows
from truegain.inference.differences.tukey import Tukey, randomised_tukey_hsd, tukey_hsd
from truegain.inference.monte_carlo import Trials
from truegain.tables.columns import Floats


@dataclass(frozen=True)
class PairTest:
    """A test of one pair at a time: takes the first and the second scores, pairs by topics, none missing.

    `by_signs` tells that p is a share of all 2^n signs of n differences, so that none is below 2^(1-n);
    `question` what is tested, where it is not the mean.
    """

    description: str
    run: Callable[[Floats, Floats, Trials], RowResults]
    paired: bool = True
    resamples: bool = False
    by_signs: bool = False
    question: str = ""


@dataclass(frozen=True)
class FamilyTest:
    """A test of all pairs at once: takes scores, systems by topics, and holds the chance of any false difference."""

    description: str
    run: Callable[[Floats, Trials], Tukey]
    resamples: bool = False
    own_topics: bool = False  # a system keeps topics that another lacks


def _bootstrap(first: Floats, second: Floats, how: Trials) -> RowResults:
    z = second - first
    found = bootstrap_p(z, how)
    margin = found.critical * z.std(axis=1, ddof=1) / np.sqrt(z.shape[1])
    return RowResults(found.p, z.mean(axis=1) - margin, z.mean(axis=1) + margin)


TESTS: dict[str, PairTest | FamilyTest] = {
    "tukey-hsd": FamilyTest(
        "all pairs at once, topics as blocks (two-way analysis of variance)",
        lambda x, s: tukey_hsd(x, confidence=s.confidence),
    ),
    "randomised-tukey-hsd": FamilyTest(
        "all pairs at once, scores dealt anew within each topic; no normal distribution", randomised_tukey_hsd, True
    ),
    "one-way-tukey-hsd": FamilyTest(
        "all pairs at once, topics as noise (scipy's and ranx's Tukey); misses most",
        lambda x, s: tukey_hsd(x, blocked=False, confidence=s.confidence),
        own_topics=True,
    ),
    "paired-t": PairTest("Student's t of the differences", lambda a, b, s: paired_t_rows(a, b, s.confidence)),
    "wilcoxon": PairTest(
        "signed ranks of the differences",
        lambda a, b, _: wilcoxon_rows(a, b),
        by_signs=True,
        question="wilcoxon asks whether the differences lie evenly about 0, not whether the means are equal: where "
        "they are skewed it also finds differences of mean 0; paired-t and tukey-hsd test means",
    ),
    "sign": PairTest(
        "how many topics go up, against a fair coin",
        lambda a, b, _: sign_rows(a, b),
        by_signs=True,
        question="sign asks whether as many topics go up as down (the median), not whether the means are equal: where "
        "differences are skewed it also finds differences of mean 0; paired-t and tukey-hsd test means",
    ),
    "randomisation": PairTest(
        "signs of the differences drawn anew (Fisher)",
        lambda a, b, s: RowResults(randomisation_p(b - a, s)),
        resamples=True,
        by_signs=True,
    ),
    "bootstrap": PairTest("t of resampled topics (Sakai 2006)", _bootstrap, resamples=True),
    "welch": PairTest(
        "t of two independent samples; for systems run on different topics",
        lambda a, b, s: welch_rows(a, b, s.confidence),
        paired=False,
    ),
}


def find_test(name: str) -> PairTest | FamilyTest:
    """The test of a name.

    >>> find_test("sign").description
    'how many topics go up, against a fair coin'
    """
    check_one_of("test", name, tuple(TESTS))
    return TESTS[name]
