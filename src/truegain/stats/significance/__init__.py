"""Classical and published tests of systems over a matrix of scores, systems by topics.

`TESTS` is the catalogue; `run_test` puts pairs of systems to one of them by its name, `effort_of` tells how many trials
it takes.  The tests themselves are in `pairs` (one pair at a time: t, Wilcoxon, sign, randomization, bootstrap, Welch)
and `anova` (all pairs at once: analysis of variance, Tukey); `comparisons` has what a comparison gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError, check_one_of, counted, some, warn
from truegain.io.columns import Bools, Floats
from truegain.measures.base import mean_of_rows
from truegain.message import Message, arg, with_marks
from truegain.stats.contrasts import within
from truegain.stats.intervals import means_and_errors, student
from truegain.stats.multiple_testing import ENOUGH, MARGIN, Counting, Trials, check_trials, trials_needed
from truegain.stats.results import Estimate
from truegain.stats.significance.anova import Tukey, complete, randomized_tukey_hsd, tukey_hsd
from truegain.stats.significance.pairs import (
    SMALLEST_SPREAD,
    RowResults,
    bootstrap_p,
    flat_rows,
    is_exact,
    paired_t_rows,
    randomization_p,
    sign_rows,
    welch_rows,
    wilcoxon_rows,
)

# ---- The tests by name, one line each; a new test is one more line.


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
    resampled = bootstrap_p(z, how)
    margin = resampled.critical * z.std(axis=1, ddof=1) / np.sqrt(z.shape[1])
    return RowResults(resampled.p, z.mean(axis=1) - margin, z.mean(axis=1) + margin)


TESTS: dict[str, PairTest | FamilyTest] = {
    "tukey-hsd": FamilyTest(
        "all pairs at once, topics as blocks (two-way analysis of variance)",
        lambda x, s: tukey_hsd(x, confidence=s.confidence),
    ),
    "randomized-tukey-hsd": FamilyTest(
        "all pairs at once, scores permuted within each topic; no normal distribution", randomized_tukey_hsd, True
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
        question="wilcoxon tests whether the differences are symmetric about 0, not whether the means are equal: "
        "skewed differences with mean 0 can be significant; paired-t and tukey-hsd test means",
    ),
    "sign": PairTest(
        "how many topics go up, against a fair coin",
        lambda a, b, _: sign_rows(a, b),
        by_signs=True,
        question="sign tests whether as many topics go up as down (the median), not whether the means are equal: "
        "skewed differences with mean 0 can be significant; paired-t and tukey-hsd test means",
    ),
    "randomization": PairTest(
        "random signs of the differences (Fisher)",
        lambda a, b, s: RowResults(randomization_p(b - a, s)),
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


# ---- How many trials a comparison takes: enough that a p-value can pass the adjustment, or it is refused.

TRIALS = 10_000  # unless asked for others
MOST_WORK = 50_000_000_000  # pairs times trials, up to which trials grow unasked: some minutes on two cores


@dataclass(frozen=True)
class Effort:
    """Trials of all pairs, the most that pairs which are not settled get, and what must be told."""

    trials: int
    most: int
    notes: tuple[str, ...] = ()


def effort_of(
    test: str, trials: int | None, pairs: int, topics: int, how: str | None, alpha: float, counting: Counting
) -> Effort:
    """The trials that a test of so many pairs takes.

    One pair that differs must be able to pass: 1/(trials + 1) < alpha/pairs where p is adjusted, < alpha where not.
    With the least number hardly a pair passes that one trial reached, so fewer than MARGIN times as many become so
    many, whatever was asked for, for the pairs that are not settled before.  MOST_WORK is for trials that are drawn;
    all signs, counted by halves of the topics, are less work than as many trials.
    """
    chosen, drawn = find_test(test), check_trials(TRIALS if trials is None else trials)
    family = isinstance(chosen, FamilyTest)
    adjusted = pairs > 1 and how not in (None, "none")
    needed = trials_needed(pairs if adjusted else 1, alpha, how or "none")
    asks = f"{how} over {pairs:,} pairs requires p-values below {1 / needed:.1g}" if adjusted else ""
    most = drawn if counting == "published" else max(drawn, MARGIN * needed)
    if isinstance(chosen, PairTest) and chosen.by_signs and (not chosen.resamples or is_exact(topics, most)):
        return Effort(drawn, most, _few_topics(test, topics, needed, alpha, asks))
    if not chosen.resamples or drawn >= (needed if counting == "published" else most):
        return Effort(drawn, drawn)
    asks = asks or f"significance requires p below {alpha:g}"
    if counting == "published":
        warn(
            f"{asks}; {drawn:,} trials cannot distinguish such p-values from 0, and count/trials makes them 0: give "
            f"at least {needed:,} trials, or leave out {arg('counting', 'published')}"
        )
        return Effort(drawn, drawn)
    few = (
        f"{drawn:,} trials have none" if drawn < needed else f"one of {drawn:,} trials that reaches a pair is too many"
    )
    if needed * pairs > MOST_WORK and not family:
        if drawn >= needed:
            return Effort(
                drawn, drawn, (Message(f"{asks}, and {few}; {most:,} trials ({arg('resamples')}) may find more"),)
            )
        raise TruegainError(
            f"{asks}, which takes {needed:,} trials of {test}; give that many ({arg('resamples')}), or use "
            f"randomized-tukey-hsd, which tests all pairs at once, or compare with a {arg('baseline')}"
        )
    if family or not adjusted:
        return Effort(most, most, (f"{asks}, and {few}: {most:,} were drawn",))
    first = MARGIN * trials_needed(1, alpha) if drawn < trials_needed(1, alpha) else drawn
    note = f"{asks}, and {few}: pairs that fewer than {ENOUGH} of {first:,} trials reached got up to {most:,}"
    return Effort(first, most, (note,))


def _few_topics(test: str, topics: int, needed: int, alpha: float, asks: str) -> tuple[str, ...]:
    """A note where all signs of so few topics give no p-value that is small enough."""
    if 2 ** (topics - 1) > needed:
        return ()
    asks = asks or f"significance requires one below {alpha:g}"
    enough = math.floor(math.log2(needed)) + 2
    return (
        f"with {topics} topics no p-value of {test} is below {2.0 ** (1 - topics):.2g}, and {asks}: no pair can be "
        f"significant; use {enough} topics or more, or a test of means such as tukey-hsd",
    )


# ---- Many pairs put to a test: pair by pair over the topics both have, or all at once over the topics all have.

Places = npt.NDArray[Any]
CELLS = 2_000_000  # scores of pairs held at a time
LEAST_TOPICS, FEW_TOPICS = 3, 10  # refused below; a note below


class FamilyResults(NamedTuple):
    """For each pair the means, p, limits and effect (NaN where it has no value), and each system's mean and limits."""

    first: Floats
    second: Floats
    p: Floats
    low: Floats | None
    high: Floats | None
    effect: Floats
    effect_name: str
    n: Places
    means: Floats
    low_mean: Floats
    high_mean: Floats
    interval: str
    notes: tuple[str, ...] = ()

    def within(self, bounds: tuple[float, float]) -> FamilyResults:
        """These results with limits inside what the measure can be: means have its ends, differences their distance."""
        low_mean, high_mean = within(self.low_mean, self.high_mean, bounds, value=self.means)
        inside = self._replace(low_mean=low_mean, high_mean=high_mean)
        if self.low is None or self.high is None:
            return inside
        low, high = within(self.low, self.high, bounds, value=self.second - self.first, differences=True)
        return inside._replace(low=low, high=high)

    def estimates(self, systems: Sequence[str], measure: str, confidence: float) -> tuple[Estimate, ...]:
        """The mean of each system with its limits."""
        columns = self.means.tolist(), self.low_mean.tolist(), self.high_mean.tolist()
        return tuple(
            Estimate(s, measure, mean, low, high, confidence, method=self.interval)
            for s, mean, low, high in zip(systems, *columns, strict=True)
        )


def run_test(
    test: str, x: Floats, first: Places, second: Places, settings: Trials, systems: Sequence[str]
) -> FamilyResults:
    """Put the pairs first[i], second[i] of systems, rows of `x`, whose columns are topics, to a test of `TESTS`.

    >>> scores = np.array([[0.3, 0.1, 0.55, 0.25], [0.42, 0.15, 0.6, 0.2], [0.51, 0.12, 0.72, 0.41]])
    >>> first, second = np.triu_indices(3, 1)
    >>> run_test("tukey-hsd", scores, first, second, Trials(), "abc").p.round(4).tolist()
    [0.6023, 0.0377, 0.1319]
    >>> run_test("paired-t", scores, first, second, Trials(), "abc").p.round(4).tolist()
    [0.3112, 0.0431, 0.1438]
    """
    chosen = find_test(test)
    if isinstance(chosen, FamilyTest):
        results = _all_at_once(chosen, x, first, second, settings)
    else:
        results = _pair_by_pair(chosen, x, first, second, settings, systems)
    return _without_width(results, x, first, second, systems)


def _without_width(
    results: FamilyResults, x: Floats, first: Places, second: Places, systems: Sequence[str]
) -> FamilyResults:
    """Results without limits that have no width, as of two systems with the same score on every topic, and a note.

    Scores that agree on a few topics are no proof that they agree on all.
    """
    if results.low is None or results.high is None:
        return results
    size = np.nanmax(np.abs(x), axis=1)
    rounding = SMALLEST_SPREAD * np.maximum(size[first], size[second])
    flat = (results.high - results.low <= rounding) & (np.abs(results.second - results.first) <= rounding)
    if not flat.any():
        return results
    low, high = (np.where(flat, np.nan, limits) for limits in (results.low, results.high))
    pairs = [f"{systems[b]} - {systems[a]}" for a, b in zip(first[flat].tolist(), second[flat].tolist(), strict=True)]
    have = f"{counted(len(pairs), 'pair')} ({some(pairs)}) {'has' if len(pairs) == 1 else 'have'}"
    note = f"{have} the same score on every topic: without any variation there is no interval, and p is 1"
    return results._replace(low=low, high=high, notes=(*results.notes, note))


def _all_at_once(chosen: FamilyTest, x: Floats, first: Places, second: Places, settings: Trials) -> FamilyResults:
    """A Tukey test of systems by topics; topics that any system lacks are left out of all, unless each has its own."""
    if not chosen.own_topics or not np.isnan(x).any():
        x = complete(x, LEAST_TOPICS)
    tukey = chosen.run(x, settings)
    anova, means = tukey.anova, tukey.anova.means
    apart = means[second] - means[first]
    low, high = None, None
    if tukey.margin is not None:
        margin = np.broadcast_to(tukey.margin, tukey.p.shape)[first, second]
        low, high = apart - margin, apart + margin
    if not chosen.resamples:  # which tell themselves
        settings.progress(len(apart))
    low_mean, high_mean = anova.intervals(settings.confidence)
    interval = f"interval, from the residual variance of the {anova.layout} ANOVA"
    notes = []
    if tukey.trials is not None:
        notes.append(f"{tukey.trials:,} permutations, {'all there are' if tukey.exact else 'drawn at random'}")
    if anova.own is not None:
        notes.append(f"Tukey-Kramer: of {anova.own.min()} to {anova.own.max()} topics of each system; n is the fewer")
    residual = "V_E2" if anova.layout == "two-way" else "V_E1"
    return FamilyResults(
        means[first], means[second], tukey.p[first, second], low, high, anova.effects[first, second],
        f"ES_HSD ({residual})",
        np.minimum(anova.sizes[first], anova.sizes[second]), means, low_mean, high_mean, interval,
        tuple(notes),
    )  # fmt: skip


def _pair_by_pair(
    chosen: PairTest, x: Floats, first: Places, second: Places, settings: Trials, systems: Sequence[str]
) -> FamilyResults:
    """Tests of pairs, each over the topics that both have; pairs that lack the same topics go together."""
    if np.isinf(x).any():
        raise TruegainError("there are infinite scores; a test needs finite ones")
    k = len(first)
    patterns = _topics_of_pairs(~np.isnan(x), first, second)
    n = np.empty(k, np.int64)
    for topics, here in patterns:
        n[here] = topics.sum()
    _warn_of_missing(n, x.shape[1], first, second, systems)
    p, low, high = np.ones(k), np.full(k, np.nan), np.full(k, np.nan)
    mean_first, mean_second, effect = np.zeros(k), np.zeros(k), np.full(k, np.nan)
    for topics, places in patterns:
        step = max(1, CELLS // int(topics.sum()))
        for here in (places[i : i + step] for i in range(0, len(places), step)):
            a, b = x[first[here]][:, topics], x[second[here]][:, topics]
            try:
                results = chosen.run(a, b, settings)
            except TruegainError as error:
                raise _named(error, b - a, first[here], second[here], systems) from error
            p[here] = results.p
            if results.low is not None and results.high is not None:
                low[here], high[here] = results.low, results.high
            mean_first[here], mean_second[here] = a.mean(axis=1), b.mean(axis=1)
            effect[here] = _dz(b - a) if chosen.paired else _hedges(a, b)
            if not chosen.resamples:  # which tell themselves
                settings.progress(len(here))
    has_limits = not np.isnan(low).all()
    means, low_mean, high_mean = _means(x, settings.confidence)
    return FamilyResults(
        mean_first, mean_second, p, low if has_limits else None, high if has_limits else None, effect,
        "dz" if chosen.paired else "Hedges g", n, means, low_mean, high_mean,
        "t interval of the system's own topics",
        (chosen.question,) if chosen.question else (),
    )  # fmt: skip


def _topics_of_pairs(answered: Bools, first: Places, second: Places) -> list[tuple[Bools, Places]]:
    """The sets of topics that pairs have, each with the places of its pairs."""
    packed = [row.tobytes() for row in np.packbits(answered, axis=1)]  # np.unique by rows makes a field of each topic
    numbers = {bits: number for number, bits in enumerate(sorted(set(packed)))}
    kind = np.array([numbers[bits] for bits in packed])
    kinds = answered[[packed.index(bits) for bits in numbers]]
    least, greatest = np.minimum(kind[first], kind[second]), np.maximum(kind[first], kind[second])
    codes, which, counts = np.unique(least * len(kinds) + greatest, return_inverse=True, return_counts=True)
    places = np.split(np.argsort(which, kind="stable"), np.cumsum(counts)[:-1])
    return [
        (kinds[code // len(kinds)] & kinds[code % len(kinds)], part)
        for code, part in zip(codes.tolist(), places, strict=True)
    ]


def _warn_of_missing(n: Places, topics: int, first: Places, second: Places, systems: Sequence[str]) -> None:
    short = n < topics
    if short.any():
        warn(
            f"{int(short.sum())} of {len(n)} pairs lack topics (most: {topics - int(n.min())} of {topics}), "
            f"which are left out of these pairs ({arg('all_topics', True)} counts them as 0)"
        )
    if n.min() < LEAST_TOPICS:
        i = int(np.argmin(n))
        raise TruegainError(
            f"{systems[first[i]]} and {systems[second[i]]} have {counted(int(n[i]), 'topic')} in common; "
            f"a test needs at least {LEAST_TOPICS}"
        )


def _named(error: TruegainError, z: Floats, first: Places, second: Places, systems: Sequence[str]) -> TruegainError:
    """An error with the names of the pair that cannot be tested."""
    flat = flat_rows(z, z.std(axis=1))
    if not flat.any():
        return error
    i = int(np.argmax(flat))
    return TruegainError(f"{systems[first[i]]} and {systems[second[i]]}: {with_marks(error)}")


def _dz(z: Floats) -> Floats:
    return _ratio(z.mean(axis=1), z.std(axis=1, ddof=1), np.abs(z).max(axis=1))


def _hedges(a: Floats, b: Floats) -> Floats:
    n = 2 * a.shape[1]
    pooled = np.sqrt((a.var(axis=1, ddof=1) + b.var(axis=1, ddof=1)) / 2)
    largest = np.maximum(np.abs(a).max(axis=1), np.abs(b).max(axis=1))
    g: Floats = (1 - 3 / (4 * n - 9)) * _ratio(b.mean(axis=1) - a.mean(axis=1), pooled, largest)
    return g


def _ratio(difference: Floats, spread: Floats, largest: Floats) -> Floats:
    """Difference over spread: 0 where there is no difference, NaN where there is no spread to divide by."""
    out: Floats = np.where(np.abs(difference) <= SMALLEST_SPREAD * largest, 0.0, np.nan)
    np.divide(difference, spread, out=out, where=spread > SMALLEST_SPREAD * largest)
    return out


def _means(x: Floats, confidence: float) -> tuple[Floats, Floats, Floats]:
    """Each system's mean with its own t interval."""
    means, (_, error) = mean_of_rows(x), means_and_errors(x)
    low, high, _ = student(means, error, (~np.isnan(x)).sum(axis=1) - 1, confidence)
    return means, low, high
