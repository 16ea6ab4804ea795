"""What is told of a variance: the share and the interval of each source, and the units that influence it most."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from truegain.io.columns import Floats
from truegain.measures.base import Measure
from truegain.sampling.catalogue import SOURCES
from truegain.sampling.source import Source, SourceName
from truegain.sampling.streams import generator
from truegain.stats.contrasts import Contrasts, Influence, Variance, limits, within
from truegain.stats.results import Comparison
from truegain.study.variance import VarianceModel

SHARE_DRAWS = 2_000
SHARE_RANGE = 0.9
NOT_KNOWN = "not known"
TINY = 1e-24  # of the square of a difference: a variance that is rounding
TOGETHER = "all sources"


# ---- The share of each source in the variance.


class Share(NamedTuple):
    """The share of a source in the variance of a difference.

    Attributes
    ----------
    value : float
        The estimate.
    low, high : float
        The range that holds it in 9 of 10 studies.
    alone : bool
        It is not estimated: the only source has all of the variance, labels that are all known have none.
    """

    value: float
    low: float
    high: float
    alone: bool = False  # all or none, by what it is

    def __str__(self) -> str:
        """The range, out to tenths; never none and never all, which no estimate tells.

        >>> [str(Share(x, low, high)) for x, low, high in [(0.8, 0.63, 0.87), (0.0, 0.0, 0.07), (1.0, 0.72, 1.0)]]
        ['60-90%', '<10%', '>70%']
        >>> str(Share(0.5, 0.01, 0.98))
        'not known'
        """
        return self._range("<", ">")

    def _range(self, below: str, above: str) -> str:
        if self.alone:
            return "all" if self.value else "none"
        low, high = 10 * math.floor(round(10 * self.low, 6)), 10 * math.ceil(round(10 * self.high, 6))
        low, high = min(low, 90), max(high, 10)
        if low <= 0 or high >= 100:
            return f"{below}{high}%" if high < 100 else f"{above}{low}%" if low > 0 else NOT_KNOWN
        return f"{low}-{high}%"

    def __repr__(self) -> str:
        return f"Share({self})"

    @property
    def is_none(self) -> bool:
        """Whether the source cannot have a share, as where all labels are known."""
        return self.alone and self.value == 0

    @property
    def in_words(self) -> str:
        """The range as a sentence has it.

        >>> Share(0.8, 0.63, 0.87).in_words, Share(1.0, 0.72, 1.0).in_words
        ('60-90%', 'more than 70%')
        """
        return self._range("less than ", "more than ")

    @property
    def estimate(self) -> float | None:
        """To the nearest tenth; None where that is none or all, which no estimate tells, but for one source alone.

        >>> [Share(*x).estimate for x in [(0.62, 0.2, 0.9), (0.97, 0.6, 1.0), (0.0, 0.0, 0.3), (1.0, 1.0, 1.0, True)]]
        [0.6, None, None, 1.0]
        """
        near = round(self.value, 1)
        return near if 0 < near < 1 or self.alone else None

    @property
    def ends(self) -> tuple[float, float]:
        """The range, out to hundredths.

        >>> Share(0.998, 0.993, 0.9996).ends, Share(0.4, 0.2, 0.551).ends
        ((0.99, 1.0), (0.2, 0.56))
        """
        return math.floor(round(100 * self.low, 6)) / 100, math.ceil(round(100 * self.high, 6)) / 100


def shares_of(variance_model: VarianceModel, contrasts: Contrasts, seed: int = 0) -> dict[SourceName, Share]:
    """The share of each source in the variance of one contrast, the largest first; none where nothing moves it.

    A variance V of k degrees of freedom stands for V k/chi^2(k): drawn so, the middle 90% of the shares are their
    range, and hold the estimate.
    """
    parts = variance_model.own_parts(contrasts)
    total = float(sum(v[0] for v in parts.values()))
    if total == 0:
        return {}
    rng = generator(seed, "shares")

    def drawn(variance: Variance) -> Floats:
        k = max(float(variance.df[0]), 1.0)
        times = k / rng.chisquare(k, SHARE_DRAWS) if np.isfinite(k) else np.ones(SHARE_DRAWS)
        return float(variance.value[0]) * times

    maybe = variance_model.own_parts(contrasts, drawn)
    whole = np.sum(list(maybe.values()), axis=0)
    tail = (1 - SHARE_RANGE) / 2
    shares = {}
    without_variance = {
        s for s in parts if variance_model.estimator.label_facts.exact and SOURCES[s].labels and parts[s][0] == 0
    }
    for source in sorted(parts, key=lambda s: -parts[s][0]):
        share = float(parts[source][0]) / total
        low, high = np.quantile(maybe[source] / np.where(whole > 0, whole, 1.0), (tail, 1 - tail)).tolist()
        shares[source] = Share(
            share,
            min(low, share),
            max(high, share),
            source in without_variance or len(parts) - len(without_variance) == 1,
        )
    return shares


def largest_of(shares: Mapping[SourceName, Share] | Mapping[str, Share]) -> tuple[str, bool] | None:
    """The source with the largest share of several, and whether its range is above one half or above all others.

    None where no source is known to have most, as where its range is all from none to all.

    >>> little, half = Share(0.1, 0.0, 0.4), Share(0.4, 0.1, 0.8)
    >>> largest_of({"gold": Share(0.8, 0.63, 0.87), "topics": little})
    ('gold', True)
    >>> largest_of({"gold": Share(0.5, 0.2, 0.9), "topics": half}) is None
    True
    >>> largest_of({"gold": Share(0.6, 0.05, 0.95), "topics": half}) is None
    True
    """
    by_source = dict(shares.items())
    top, *others = sorted(by_source, key=lambda s: -by_source[s].value)
    most = by_source[top]
    if most.low > min(0.5, max(by_source[s].high for s in others)):
        return top, True
    return (top, False) if most.value > 0.5 and str(most) != NOT_KNOWN else None


def is_open_which(shares: Mapping[SourceName, Share] | Mapping[str, Share]) -> bool:
    """Whether the largest share by its estimate may be none or all: then it is not known which source has most.

    >>> few, half = Share(0.6, 0.05, 0.95), Share(0.4, 0.05, 0.95)
    >>> is_open_which({"topics": few, "clusters": half}), is_open_which({"topics": Share(0.5, 0.2, 0.9), "gold": half})
    (True, False)
    """
    return str(max(dict(shares.items()).values(), key=lambda share: share.value)) == NOT_KNOWN


def largest_in_words(shares: Mapping[SourceName, Share]) -> str:
    """The largest source: *probably* where its range is neither above one half nor above all others.

    >>> little, half = Share(0.1, 0.0, 0.4), Share(0.4, 0.1, 0.8)
    >>> largest_in_words({"gold": Share(0.8, 0.63, 0.87), "topics": little})
    'gold (60-90% of the variance)'
    >>> largest_in_words({"gold": Share(0.6, 0.21, 0.9), "topics": half})
    'probably gold (20-90% of the variance)'
    >>> largest_in_words({"topics": Share(0.5, 0.2, 0.9), "gold": half}), largest_in_words({"gold": Share(1, 1, 1)})
    ('not known', 'gold')
    """
    if len(shares) < 2:
        return next(iter(shares), "")
    if (largest := largest_of(shares)) is None:
        return NOT_KNOWN
    source, is_sure = largest
    by_source: dict[str, Share] = dict(shares.items())
    return f"{'' if is_sure else 'probably '}{source} ({by_source[source]} of the variance)"


# ---- The difference over each source, and the units that move it.


@dataclass(frozen=True)
class Line:
    """The difference over one source of uncertainty, or over all covered ones together.

    Attributes
    ----------
    source : str
        The source: 'topics', 'collection', 'assessors', 'replicates', 'gold' or 'unjudged' (a sample of the unjudged
        documents); 'all sources'; or, for labels as they are over topics, 'uncorrected', which is called 'topics alone'
        where nothing was corrected.
    low, high : float or None
        The confidence limits of the difference over this source alone.
    share : Share or None
        Its share of the variance of all together.
    why : str
        Why there is no interval.
    covered : bool
        Whether the verdict generalizes over this source.
    away : bool
        Whether it is gold of other topics.
    share_in : str
        The source whose share includes this one's.
    """

    source: str
    low: float | None
    high: float | None
    share: Share | None = None  # of the variance of all together
    why: str = ""  # where there is no interval
    covered: bool = True  # whether the verdict speaks of this source
    away: bool = False  # whether it is gold of other topics
    share_in: str = ""  # the source whose share holds this one's, where it has none of its own

    @property
    def name(self) -> str:
        """The source as tables for people have it."""
        return self.source if self.covered else f"{self.source} (not covered)"

    @property
    def excludes_zero(self) -> bool | None:
        """Whether the interval lies on one side of 0; None where there is none."""
        return None if self.low is None or self.high is None else self.low > 0 or self.high < 0

    @property
    def reason(self) -> str:
        """Why there is no interval, or no share."""
        return self.why or (f"its share is part of that of {self.share_in}" if self.share_in else "")

    @property
    def width(self) -> float:
        """Of the interval; 0 where there is none."""
        return 0.0 if self.low is None or self.high is None else self.high - self.low


def lines_of(
    variance_model: VarianceModel,
    contrasts: Contrasts,
    m: Measure,
    shares: Mapping[SourceName, Share],
    whole: Comparison,
) -> tuple[Line, ...]:
    """The interval over each source of which something can be said, asked for or not, and over all together."""
    value, lines = variance_model.estimator.values(contrasts), []
    for source, declared in SOURCES.items():
        asked_for = source in variance_model.over or declared.labels
        away = source == "gold" and variance_model.estimator.label_facts.of_other_topics
        holds = next((s for s in declared.nested_in if s in shares and s != "topics"), "")
        share_in = "" if not asked_for or source in shares else holds
        variance = (
            variance_model.over_source(contrasts, source) if asked_for or source in variance_model.makers else None
        )
        if variance is None:
            continue
        if not variance.value[0] > 0:
            why = (
                declared.all_known if declared.labels and variance_model.estimator.label_facts.exact else "no variation"
            )
            lines.append(Line(source, None, None, shares.get(source), why, asked_for))
            continue
        if whole.low is None:
            lines.append(Line(source, None, None, shares.get(source), "refused", asked_for))
            continue
        met = variance_model.difference_limits(contrasts, value, variance, whole.confidence, topics=source == "topics")
        low, high = within(*met, m.bounds(), value=value, differences=True)
        lines.append(Line(source, float(low[0]), float(high[0]), shares.get(source), "", asked_for, away, share_in))
    return (*lines, Line(TOGETHER, whole.low, whole.high, None, "" if whole.low is not None else "refused"))


def uncorrected_line(variance_model: VarianceModel, contrasts: Contrasts, m: Measure, confidence: float) -> Line:
    """Student's t over topics, the labels taken as they are; no interval where all topics have the same difference."""
    name = "topics alone" if variance_model.uncorrected is variance_model.estimator else "uncorrected"
    variance = variance_model.uncorrected.over_topics(contrasts)
    value = contrasts.values(variance_model.uncorrected.value)
    if not variance.value[0] > TINY * value[0] ** 2:
        return Line(name, None, None, why="no variation")
    low, high = within(*limits(value, variance, confidence), m.bounds(), value=value, differences=True)
    return Line(name, float(low[0]), float(high[0]))


class InfluentialUnit(NamedTuple):
    """A topic, document, gold label or assessor that moves a difference.

    Attributes
    ----------
    unit : str
        Its name.
    influence : float
        How far it moves the difference from its mean.
    without : float or None
        The difference without it, where everything was fitted again.
    """

    unit: str
    influence: float
    without: float | None

    @classmethod
    def most_of(cls, influence: Influence, contrasts: Contrasts, most: int = 5) -> tuple[InfluentialUnit, ...]:
        """The units of a source that move a difference most."""
        named, left = influence.most_influential(contrasts, most), influence.left_without(contrasts, most)
        return tuple(cls(unit, far, x) for (unit, far), x in zip(named, left, strict=True))


def influential_units_of(
    variance_model: VarianceModel, contrasts: Contrasts, documents: Influence | None, most: int = 5
) -> dict[str, tuple[InfluentialUnit, ...]]:
    """The units that change a difference most, by source; `documents` is the influence on these two systems alone."""
    one = Contrasts.scores(len(contrasts))
    influence = [(variance_model.estimator.by_gold(), contrasts), (documents, Contrasts.of([(0, 1)]))]
    if "topics" in variance_model.over:
        influence.append((variance_model.estimator.topics_of(contrasts), one))
    influence += [
        (variance_model.influence_of_groups(s, contrasts), one)
        for s in SOURCES
        if s in variance_model.over and SOURCES[s].groups is not None
    ]
    influence += [(crossed.who, contrasts) for crossed in variance_model.crossed().values()]
    by_source = {x.source: InfluentialUnit.most_of(x, of, most) for x, of in influence if x is not None}
    shown = sorted(SOURCES.values(), key=lambda s: bool(s.crossed_with))
    return {s.name: by_source[s.name] for s in shown if s.units and s.name in by_source}


def influential_in_words(source: Source, units: tuple[InfluentialUnit, ...]) -> str:
    """The most influential units: what the difference would be without each, or by how much each changes it."""
    refitted = all(x.without is not None for x in units)
    what = "difference without it" if refitted else "change in the difference"
    first, *rest = [(x.unit, signed(x.without if refitted else x.influence)) for x in units]
    named = [f"{first[0]} ({what}: {first[1]})", *(f"{unit} ({number})" for unit, number in rest)]
    bronze = ", by the uncorrected labels" if source.name == "collection" and units[0].without is None else ""
    return f"Most influential {source.units.lower()}{bronze}: {', '.join(named)}."


def signed(x: float | None) -> str:
    """Four digits with a sign; 0 is +0.0000, from whichever side.

    >>> signed(-0.00001), signed(-0.0123), unsigned(-0.00001)
    ('+0.0000', '-0.0123', '0.0000')
    """
    return "" if x is None else f"{x:+z.4f}"


def unsigned(x: float) -> str:
    """Four digits; 0 has no sign."""
    return f"{x:z.4f}"
