"""What a study said of a contrast, beside the truth; and how a cell of many studies sums up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import truegain as tg
from benchmarks.study.nature import SYSTEMS, Array
from truegain.errors import TruegainError
from truegain.stats.contrasts import Contrasts
from truegain.study.decision import outcome_of

CONTRASTS: dict[str, tuple[int | None, int]] = {"score": (None, 1), "null": (0, 1), "real": (0, 2)}


@dataclass(frozen=True)
class Told:
    """One answer in one study."""

    value: float
    variance: float
    low: float
    high: float
    truth: float

    @property
    def inside(self) -> bool:
        """Whether the interval holds the truth, but for rounding."""
        return self.low - 1e-12 <= self.truth <= self.high + 1e-12

    @property
    def side(self) -> int:
        """1 where b is said to be better, -1 where worse, else 0."""
        said = outcome_of(self.low, self.high, 0.0, 0.0, 0.0)
        return {"better": 1, "worse": -1, "not better": -1, "inconclusive": 0}[said]


ResultList = dict[str, Told | None]


def asked_of(study: tg.Study, truth: Mapping[str, Array], method: str = "") -> ResultList:
    """A score, a null and a real pair by every measure of a study; None where it refuses.

    truth: of each system, by measure.
    """
    out: ResultList = {}
    for measure, right in truth.items():
        try:
            variance_model = study.variance_model(measure)
            scores, pairs = study.estimates(measure), study.compare(measure=measure)
        except TruegainError:
            out |= {answer_name(measure, contrast, method): None for contrast in CONTRASTS}
            continue
        spread = variance_model.variance(Contrasts.of(list(CONTRASTS.values()))).value
        for (contrast, (a, b)), variance in zip(CONTRASTS.items(), spread.tolist(), strict=True):
            key = answer_name(measure, contrast, method)
            if a is None:
                one = next(s for s in scores if s.system == SYSTEMS[b])
                out[key] = None if one.refused else Told(one.value, variance, one.low, one.high, float(right[b]))
                continue
            pair = next(p for p in pairs if (p.a, p.b) == (SYSTEMS[a], SYSTEMS[b]))
            if pair.low is None or pair.high is None:
                out[key] = None
            else:
                out[key] = Told(pair.difference, variance, pair.low, pair.high, float(right[b] - right[a]))
    return out


def refused(measures: Sequence[str], method: str = "") -> ResultList:
    """No answer at all."""
    return {answer_name(m, c, method): None for m in measures for c in CONTRASTS}


def answer_name(measure: str, contrast: str, method: str = "") -> str:
    """How a cell's answer is called."""
    return f"{measure}, {contrast}" + (f", {method}" if method else "")


@dataclass(frozen=True)
class Cell:
    """Many studies of one answer."""

    family: str
    world: str
    answer: str
    studies: int
    refused: int
    inside: float
    ratio: float  # mean V over the variance of the values
    better: float  # share of studies that say b is better
    worse: float

    @classmethod
    def of(cls, family: str, world: str, answer: str, ones: Sequence[Told | None]) -> Cell:
        """Sum up."""
        told = [one for one in ones if one is not None]
        if len(told) < 2:
            return cls(family, world, answer, len(ones), len(ones) - len(told), *[float("nan")] * 4)
        errors = np.array([one.value - one.truth for one in told])
        ratio = float(np.mean([one.variance for one in told])) / max(float(errors.var(ddof=1)), 1e-300)
        sides = np.array([one.side for one in told])
        inside = float(np.mean([one.inside for one in told]))
        return cls(
            family, world, answer, len(ones), len(ones) - len(told), inside, ratio, float((sides > 0).mean()),
            float((sides < 0).mean()),
        )  # fmt: skip

    @property
    def answered(self) -> int:
        """Studies that gave an interval."""
        return max(1, self.studies - self.refused)

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the share that holds the truth."""
        return float(np.sqrt(max(self.inside * (1 - self.inside), 0.25 / self.answered) / self.answered))

    @property
    def rival(self) -> bool:
        """Whether it is another method, shown beside."""
        return self.answer.count(", ") > 1

    @property
    def decides(self) -> bool:
        """Whether it is a pair that is equal, or is not, in every study alike."""
        return ", score" not in self.answer and "(these topics)" not in self.answer

    @property
    def low(self) -> bool:
        """Whether it holds the truth in fewer than 93 of 100, beyond Monte Carlo error."""
        return not self.rival and self.inside + 2 * self.error < 0.95 and self.inside < 0.93
