"""Many pairs put to a test: pair by pair over the topics both have, or all at once over the topics all have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.inference.differences.anova import complete
from truegain.inference.differences.catalogue import FamilyTest, PairTest
from truegain.inference.differences.rows import SMALLEST_SPREAD, flat_rows
from truegain.inference.intervals.topics import means_and_errors
from truegain.inference.limits import student, within
from truegain.inference.monte_carlo import Trials
from truegain.inference.results import Estimate
from truegain.measures.base import mean_of_rows
from truegain.message import arg, with_marks
from truegain.tables.checks import warn
from truegain.tables.columns import Bools, Floats

Places = npt.NDArray[Any]
CELLS = 2_000_000  # scores of pairs held at a time
LEAST, FEW = 3, 10  # topics: refused below, told below


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
        """The same with limits inside of what the measure can be: means have its ends, differences their distance."""
        low_mean, high_mean = within(self.low_mean, self.high_mean, bounds, value=self.means)
        found = self._replace(low_mean=low_mean, high_mean=high_mean)
        if self.low is None or self.high is None:
            return found
        low, high = within(self.low, self.high, bounds, value=self.second - self.first, differences=True)
        return found._replace(low=low, high=high)

    def estimates(self, systems: Sequence[str], measure: str, confidence: float) -> tuple[Estimate, ...]:
        """The mean of each system with its limits."""
        columns = self.means.tolist(), self.low_mean.tolist(), self.high_mean.tolist()
        return tuple(
            Estimate(s, measure, mean, low, high, confidence, method=self.interval)
            for s, mean, low, high in zip(systems, *columns, strict=True)
        )


def all_at_once(chosen: FamilyTest, x: Floats, first: Places, second: Places, settings: Trials) -> FamilyResults:
    """A Tukey test of systems by topics; topics that any system lacks are left out of all, unless each has its own."""
    if not chosen.own_topics or not np.isnan(x).any():
        x = complete(x, LEAST)
    found = chosen.run(x, settings)
    anova, means = found.anova, found.anova.means
    apart = means[second] - means[first]
    low, high = None, None
    if found.margin is not None:
        margin = np.broadcast_to(found.margin, found.p.shape)[first, second]
        low, high = apart - margin, apart + margin
    if not chosen.resamples:  # which tell themselves
        settings.progress(len(apart))
    low_mean, high_mean = anova.intervals(settings.confidence)
    interval = f"interval, residual variance of the {anova.layout} analysis"
    notes: tuple[str, ...] = ()
    if found.trials is not None:
        notes = (f"{found.trials:,} permutations, {'all there are' if found.exact else 'drawn at random'}",)
    if anova.own is not None:
        notes = (
            *notes,
            f"Tukey-Kramer: of {anova.own.min()} to {anova.own.max()} topics of each system; n is the fewer",
        )
    residual = "V_E2" if anova.layout == "two-way" else "V_E1"
    return FamilyResults(
        means[first], means[second], found.p[first, second], low, high, anova.effects[first, second],
        f"ES_HSD ({residual})",
        np.minimum(anova.sizes[first], anova.sizes[second]), means, low_mean, high_mean, interval, notes,
    )  # fmt: skip


def pair_by_pair(
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
    _tell_missing(n, x.shape[1], first, second, systems)
    p, low, high = np.ones(k), np.full(k, np.nan), np.full(k, np.nan)
    mean_first, mean_second, effect = np.zeros(k), np.zeros(k), np.full(k, np.nan)
    for topics, places in patterns:
        step = max(1, CELLS // int(topics.sum()))
        for here in (places[i : i + step] for i in range(0, len(places), step)):
            a, b = x[first[here]][:, topics], x[second[here]][:, topics]
            try:
                found = chosen.run(a, b, settings)
            except TruegainError as error:
                raise _named(error, b - a, first[here], second[here], systems) from error
            p[here] = found.p
            if found.low is not None and found.high is not None:
                low[here], high[here] = found.low, found.high
            mean_first[here], mean_second[here] = a.mean(axis=1), b.mean(axis=1)
            effect[here] = _dz(b - a) if chosen.paired else _hedges(a, b)
            if not chosen.resamples:  # which tell themselves
                settings.progress(len(here))
    known = not np.isnan(low).any()
    means, low_mean, high_mean = _means(x, settings.confidence)
    return FamilyResults(
        mean_first, mean_second, p, low if known else None, high if known else None, effect,
        "dz" if chosen.paired else "Hedges g", n, means, low_mean, high_mean,
        "t interval of the system's own topics",
        (chosen.question,) if chosen.question else (),
    )  # fmt: skip


def _topics_of_pairs(there: Bools, first: Places, second: Places) -> list[tuple[Bools, Places]]:
    """The sets of topics that pairs have, each with the places of its pairs."""
    packed = [row.tobytes() for row in np.packbits(there, axis=1)]  # np.unique by rows makes a field of each topic
    numbers = {bits: number for number, bits in enumerate(sorted(set(packed)))}
    kind = np.array([numbers[bits] for bits in packed])
    kinds = there[[packed.index(bits) for bits in numbers]]
    one, two = np.minimum(kind[first], kind[second]), np.maximum(kind[first], kind[second])
    codes, which = np.unique(one * len(kinds) + two, return_inverse=True)
    ordered = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(codes)))
    parts = np.split(ordered, ends[:-1])
    return [
        (kinds[code // len(kinds)] & kinds[code % len(kinds)], part)
        for code, part in zip(codes.tolist(), parts, strict=True)
    ]


def _tell_missing(n: Places, topics: int, first: Places, second: Places, systems: Sequence[str]) -> None:
    short = n < topics
    if short.any():
        warn(
            f"{int(short.sum())} of {len(n)} pairs lack topics (most: {topics - int(n.min())} of {topics}), "
            f"which are left out of these pairs ({arg('all_topics', True)} counts them as 0)"
        )
    if n.min() < LEAST:
        i = int(np.argmin(n))
        raise TruegainError(
            f"{systems[first[i]]} and {systems[second[i]]} have {int(n[i])} topics in common; "
            f"a test needs at least {LEAST}"
        )


def _named(error: TruegainError, z: Floats, first: Places, second: Places, systems: Sequence[str]) -> TruegainError:
    """The same error, with the names of the pair that cannot be tested."""
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
