"""What is drawn for the judge benchmark, and how each contestant answers: an interval, or a refusal."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module

import numpy as np
import numpy.typing as npt

from benchmarks import rectified
from truegain.errors import TruegainError
from truegain.experiments.judge_errors import BronzeMean, correct_mean
from truegain.judge_error.gold_pairs import Pairs
from truegain.judge_error.judge import Judge
from truegain.judge_error.pair_estimators import SampledPairs, strata_of
from truegain.sampling.catalogue import DESIGNS

Array = npt.NDArray[np.float64]
Interval = tuple[float, float] | None
PER_TOPIC = 10


@dataclass(frozen=True)
class Cheap:
    """Labels of a cheap judge on n pairs, and gold labels of others: all 0 or 1."""

    bronze: Array
    gold: Array
    gold_bronze: Array

    @property
    def counts(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """(right, of) among the gold-relevant and among the gold-non-relevant."""
        right = self.gold == self.gold_bronze
        yes, no = self.gold == 1, self.gold == 0
        return (float(right[yes].sum()), float(yes.sum())), (float(right[no].sum()), float(no.sum()))


def cheap(rng: np.random.Generator, p: float, m_r: float, m_n: float, n: int, gold: Array) -> Cheap:
    """Draw n pairs, a share p of them relevant, and gold pairs with these labels, all judged with these accuracies."""

    def judged(true: Array) -> Array:
        right = rng.random(len(true)) < np.where(true == 1, m_r, m_n)
        return np.where(right, true, 1 - true)

    return Cheap(judged((rng.random(n) < p).astype(np.float64)), gold, judged(gold))


@dataclass
class Tally:
    """How often intervals held the truth, their widths, the processor time, and how often there was none."""

    held: int = 0
    widths: list[float] = field(default_factory=list)
    refused: int = 0
    faults: int = 0
    seconds: float = 0.0

    def ask(self, answer: Callable[[], Interval], truth: float) -> None:
        """Let the contestant answer once."""
        begin = time.process_time()
        try:
            interval = answer()
        except (TruegainError, ValueError, RuntimeError):
            interval = None
        except ArithmeticError:  # not a refusal: counted apart, and told
            self.faults += 1
            interval = None
        self.seconds += time.process_time() - begin
        self.add(interval, truth)

    def add(self, interval: Interval, truth: float) -> None:
        """Count one answer."""
        if interval is None:
            self.refused += 1
            return
        self.held += interval[0] <= truth <= interval[1]
        self.widths.append(interval[1] - interval[0])

    @property
    def answers(self) -> int:
        """How often it answered."""
        return len(self.widths)

    @property
    def coverage(self) -> float | None:
        """Share of the answers that held the truth."""
        return self.held / self.answers if self.answers else None

    def row(self, name: str) -> tuple[str | float | int | None, ...]:
        """Name, coverage, mean width, milliseconds a call, refusals, draws."""
        asked = self.answers + self.refused
        width = float(np.mean(self.widths)) if self.widths else None
        return name, self.coverage, width, 1000 * self.seconds / max(asked, 1), self.refused, asked


# ---------------------------------------------------------------------- contestants


def ours(method: str) -> Callable[[Cheap], Interval]:
    """The confusion matrix, from counts."""

    def answer(drawn: Cheap) -> Interval:
        relevant, nonrelevant = drawn.counts
        judge = Judge.from_counts(relevant=relevant, nonrelevant=nonrelevant)
        got = correct_mean(judge, BronzeMean(float(drawn.bronze.mean()), len(drawn.bronze)), method=method)
        return got.low, got.high

    return answer


def ours_rectified(drawn: Cheap) -> Interval:
    """The rectified mean, every pair a topic of its own, of the pairs and the gold pairs together."""
    bronze = np.concatenate([drawn.gold_bronze, drawn.bronze])
    gold = np.concatenate([drawn.gold, np.full(len(drawn.bronze), np.nan)])
    return rectified.told(rectified.by_topics(bronze, gold)).interval


def wilson(values: Array) -> Interval:
    """Wilson's interval of a share."""
    n, p, z2 = len(values), float(values.mean()), 1.959964**2
    middle, half = (
        (p + z2 / (2 * n)) / (1 + z2 / n),
        math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n),
    )
    return middle - half, middle + half


def judgy(iterations: int) -> Callable[[Cheap], Interval]:
    """judgy, with so many bootstrap iterations (its default is 20,000)."""
    peer = import_module("judgy")

    def answer(drawn: Cheap) -> Interval:
        _, low, high = peer.estimate_success_rate(
            drawn.gold.astype(int), drawn.gold_bronze.astype(int), drawn.bronze.astype(int), iterations
        )
        return low, high

    return answer


def ppi_python() -> Callable[[Cheap], Interval]:
    """ppi-python, power-tuned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = import_module("ppi_py")

    def answer(drawn: Cheap) -> Interval:
        low, high = peer.ppi_mean_ci(drawn.gold, drawn.gold_bronze, drawn.bronze, alpha=0.05)
        return float(np.squeeze(low)), float(np.squeeze(high))

    return answer


def truescore(kind: str) -> Callable[[Cheap], Interval]:
    """The correction of truescore, 'rogan-gladen' or 'ppi'."""
    peer = import_module("truescore")
    estimate = peer.rogan_gladen_estimate if kind == "rogan-gladen" else peer.ppi_estimate

    def answer(drawn: Cheap) -> Interval:
        everything = np.concatenate([drawn.gold_bronze, drawn.bronze])
        got = estimate(everything, drawn.gold, np.arange(len(drawn.gold)))
        return got.low, got.high

    return answer


# ---------------------------------------------------------------------- the grid


def _rates(rng: np.random.Generator, mean: float, icc: float, topics: int) -> Array:
    if icc == 0:
        return np.full(topics, mean)
    size = 1 / icc - 1
    return rng.beta(mean * size, (1 - mean) * size, topics)


def labels(
    rng: np.random.Generator, p: float, d: float, topics: int, icc: float
) -> tuple[npt.NDArray[np.int64], Array, Array]:
    """Topic, gold and bronze label of ten pairs a topic; prevalence varies with `icc`, accuracy with half of it."""
    topic = np.repeat(np.arange(topics), PER_TOPIC)
    m = (1 + d) / 2
    prevalence, m_r, m_n = (_rates(rng, x, c, topics)[topic] for x, c in ((p, icc), (m, icc / 2), (m, icc / 2)))
    true = (rng.random(len(topic)) < prevalence).astype(np.float64)
    right = rng.random(len(topic)) < np.where(true == 1, m_r, m_n)
    return topic, true, np.where(right, true, 1 - true)


def by_pairs(rng: np.random.Generator, p: float, d: float, n: int, gold: int, design: str, icc: float) -> Interval:
    """Gold drawn among the n pairs, at random (2 gold) or by bronze label (gold of each), at most half: rectified."""
    topic, true, bronze = labels(rng, p, d, n // PER_TOPIC, icc)
    drawn = np.zeros(n, np.bool_)
    if design == "random":
        drawn[rng.choice(n, min(2 * gold, n // 2), replace=False)] = True
    else:
        for label in (0, 1):
            rows = np.flatnonzero(bronze == label)
            drawn[rng.choice(rows, min(gold, (len(rows) + 1) // 2), replace=False)] = True
    some = np.where(drawn, true, np.nan)
    expansion = DESIGNS[design].expansion(np.zeros(len(bronze), np.int32), bronze, drawn)
    pairs = SampledPairs(topic, strata_of(bronze, drawn), bronze, some, expansion, n // PER_TOPIC)
    return rectified.told(rectified.by_pairs(pairs, np.full(n, 1 / PER_TOPIC), bounds=(0.0, 1.0))).interval


def by_matrix(rng: np.random.Generator, p: float, d: float, n: int, gold: int, icc: float, shift: bool) -> Interval:
    """Gold of each class from other topics (where half are relevant, with a shift): the confusion matrix."""
    _, _, bronze = labels(rng, p, d, n // PER_TOPIC, icc)
    per_topic = bronze.reshape(-1, PER_TOPIC).mean(axis=1)
    topic, true, said = labels(rng, 0.5 if shift else p, d, _topics_for(gold, 0.5 if shift else p), icc)
    rows = np.concatenate([np.flatnonzero(true == label)[:gold] for label in (0, 1)])
    names = tuple(map(str, range(int(topic.max()) + 1)))
    pairs = Pairs(names, topic[rows], said[rows], true[rows], np.ones(len(rows)), {0.0: 0.5, 1.0: 0.5})
    judge = Judge.fit(pairs, None, "by-gold")
    bronze_mean = BronzeMean(float(per_topic.mean()), len(per_topic), float(per_topic.std(ddof=1)))
    got = correct_mean(judge, bronze_mean)
    return got.low, got.high


def _topics_for(gold: int, p: float) -> int:
    """Topics enough to hold so many pairs of the rarer class."""
    return max(4, math.ceil(2 * gold / (min(p, 1 - p) * PER_TOPIC)))
