"""Scores and differences rectified by gold labels: whole topics of which few are gold-judged, and single pairs.

Topics: gold and bronze scores of two systems within 0 to 1 come from one normal copula, so that every mean is known
exactly.  Differences: those of two systems themselves are drawn, multiples of .1 as those of P@10 or exponential, and
the judge's with a correlation rho; and whole studies of the world of `benchmarks.study`, by `tg.Study`.  Their width is
that over gold alone's, Student's t.  Pairs: every document is relevant with a chance that is a product of its topic's
and its place's, so that P@10 and DCG@10 are known exactly too; the judge's errors vary by topic and favor the first
system.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import special

import truegain as tg
from benchmarks import rectified
from benchmarks.coverage.worlds import Seen, World, held
from benchmarks.study import nature
from benchmarks.study.judged import bronze_of, labels_of, names_of, runs_of
from benchmarks.study.nature import MEASURES, SYSTEMS, any_kinds
from benchmarks.study.truth import right as true_means
from truegain.judge_error.pair_estimators import SampledPairs, strata_of
from truegain.sampling.catalogue import DESIGNS
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import quantile_of
from truegain.study.estimators import LEAST_GOLD

Array = npt.NDArray[np.float64]
GOLD = {25: (6, 10, 15, 20), 50: (6, 8, 10, 15, 20, 30), 100: (6, 10, 20, 30)}
BRONZE = {"good": 0.9, "weak": 0.5, "useless": 0.0}
# parameters of the beta distribution of a score, and of a better one
SHAPES = {
    "skewed": ((0.4, 2.0), (0.6, 2.0)),
    "like nDCG": ((1.2, 1.8), (1.6, 1.7)),
}
LEAN = 0.12  # of the judge to the second system
ALIKE = 0.6  # correlation of two systems over topics


def drawn_topics(rng: np.random.Generator, topics: int, bronze: float, shape: str) -> tuple[Array, Array]:
    """Bronze and gold scores of three systems, the first two equally good, the third better; bronze is too lenient."""
    both = np.sqrt(ALIKE) * rng.normal(size=topics) + np.sqrt(1 - ALIKE) * rng.normal(size=(3, topics))
    error = np.sqrt(0.5) * (rng.normal(size=topics) + rng.normal(size=(3, topics)))
    seen = bronze * both + np.sqrt(1 - bronze**2) * error
    plain, better = SHAPES[shape]
    gold = np.array(
        [special.betaincinv(*ab, special.ndtr(z)) for ab, z in zip((plain, plain, better), both, strict=True)]
    )
    said = special.betaincinv(plain[0] + 0.3, plain[1], special.ndtr(seen))
    return said, gold


def topics_study(rng: np.random.Generator, topics: int, bronze: float, shape: str) -> dict[str, Seen | None]:
    """A score, a null and a real difference, of topics like these and of these only, at every number of gold topics."""
    said, gold = drawn_topics(rng, topics, bronze, shape)
    order = rng.permutation(topics)
    means = [a / (a + b) for a, b in SHAPES[shape]]
    truth = {"score": means[0], "null": 0.0, "real": means[1] - means[0], "score, one system": means[0]}
    pairs = {"score": (0, None), "null": (1, 0), "real": (2, 0), "score, one system": (0, None)}
    seen: dict[str, Seen | None] = {}
    for n in GOLD[topics]:
        some = np.full(gold.shape, np.nan)
        some[:, order[:n]] = gold[:, order[:n]]
        for name, (a, b) in pairs.items():
            systems = 1 if "one" in name else len(gold)
            estimator = rectified.by_topics(said[:systems], some[:systems], (0.0, 1.0))
            of_topics = gold[a] if b is None else gold[a] - gold[b]
            ideal = 2 * 1.96 * float(of_topics.std()) / np.sqrt(n)
            for claim, these, aim, width in (
                ("", False, truth[name], ideal),
                (", these topics", True, float(of_topics.mean()), ideal * np.sqrt(1 - n / topics)),
            ):
                found = rectified.told(estimator, a, b, these=these)
                seen[f"{name}{claim}, {n} gold"] = held(found.low, found.high, aim, float(width))
    return seen


# ---------------------------------------------------------------------- differences, and what the judge knows of them

FEW = ((8, 50), (15, 50), (8, 25))  # gold topics, of all
KNOWN = (0.0, 0.4, 0.7, 0.9)  # correlation of bronze and gold differences
GAIN = 0.05


def differences_study(
    rng: np.random.Generator, gold: int, topics: int, known: float, shape: str
) -> dict[str, Seen | None]:
    """A difference by gold topics and the judge, and by gold topics alone; of topics like these, and of these only."""
    if shape == "exponential":
        true, noise = rng.exponential(size=topics) - 1, rng.normal(size=topics)
        right, said, aim = true, known * true + np.sqrt(1 - known**2) * noise, 0.0
    else:
        true, noise = rng.normal(size=(2, topics))
        seen = known * true + np.sqrt(1 - known**2) * noise
        right, said, aim = np.round(10 * GAIN + 2 * true) / 10, np.round(2 * seen + 0.3) / 10, GAIN
    some = np.where(np.arange(topics) < gold, right, np.nan)
    if np.ptp(right[:gold]) == 0:
        return dict.fromkeys(("difference", "gold alone", "these topics"))
    none = np.zeros(topics)
    estimator = rectified.by_topics(np.array([none, said]), np.array([np.where(np.isnan(some), np.nan, none), some]))
    found, alone = rectified.told(estimator, 1, 0), rectified.told(estimator.alone(), 1, 0)
    these, alone_here = rectified.told(estimator, 1, 0, these=True), rectified.gold_alone(some)
    return {
        "difference": held(found.low, found.high, aim, alone.high - alone.low),
        "gold alone": held(alone.low, alone.high, aim, alone.high - alone.low),
        "these topics": held(these.low, these.high, float(right.mean()), alone_here[1] - alone_here[0]),
    }


def whole_study(rng: np.random.Generator, gold: int, topics: int) -> dict[str, Seen | None]:
    """By `tg.Study`: equal systems, to one of which the judge leans, and unequal ones."""
    lists = nature.Lists.draw(any_kinds(topics, rng), rng)
    names, truth = names_of(lists), true_means().mean(axis=2)
    bronze, some = bronze_of(lists, rng, LEAN), rng.permutation(topics)[:gold]
    whole = labels_of(lists.right, names)
    study = tg.Study(
        runs_of(lists, names),
        labels_of(bronze, names),
        list(MEASURES),
        gold=tg.Gold({f"t{t:03d}": whole[f"t{t:03d}"] for t in some.tolist()}, design="topics"),
    )
    seen: dict[str, Seen | None] = {}
    for m, measure in enumerate(MEASURES):
        right = lists.measured(lists.right)[m][:, some]
        for name, a, b in (("null", 0, 1), ("real", 0, 2)):
            found = study.compare(SYSTEMS[a], SYSTEMS[b], measure)[0]
            apart = right[b] - right[a]
            alone = 2 * quantile_of(0.95, gold - 1.0) * float(apart.std(ddof=1)) / np.sqrt(gold)
            assert found.low is not None
            assert found.high is not None
            seen[f"{measure}, {name}"] = held(found.low, found.high, float(truth[m, b] - truth[m, a]), alone)
    return seen


# ---------------------------------------------------------------------- single gold pairs

PLACES = np.repeat([0.8, 0.55, 0.55, 0.2], (5, 5, 5, 25))  # chance of relevance: both lists, first, second, neither
POOL, TOPICS, LEVEL = len(PLACES), 50, 0.5


@dataclass(frozen=True)
class Lists:
    """What a document is worth in the two lists of ten, and by how much the second's own are more often relevant."""

    first: Array
    second: Array
    better: float


def lists_of(discounts: Array, better: float) -> Lists:
    """Both lists: five documents in common at their tops, five of their own."""
    first, second = np.zeros((2, POOL))
    first[:10], second[np.r_[0:5, 10:15]] = discounts, discounts
    return Lists(first, second, better)


FLAT, FALLING = np.full(10, 0.1), 1 / np.log2(np.arange(2, 12))


def pairs_study(
    rng: np.random.Generator, discounts: Array, design: str, gold: int, errors: float, prevalence: float
) -> dict[str, Seen | None]:
    """A score, a null and a real difference from gold labels of so many pairs."""
    seen: dict[str, Seen | None] = dict.fromkeys(("null", "real", "score"))  # refused until answered
    for name, better in (("null", 0.0), ("real", 0.25)):
        lists = lists_of(discounts, better)
        chance = PLACES + better * (lists.second > 0) * (lists.first == 0)
        hard = rng.beta(2, 2 / prevalence - 2, TOPICS)
        topic = np.repeat(np.arange(TOPICS), POOL)
        relevant = (rng.random((TOPICS, POOL)) < hard[:, None] * chance).astype(np.float64)
        wrong = errors * rng.uniform(0.3, 1.7, (TOPICS, 1)) * (1 + 0.5 * (lists.first > 0) * (relevant == 0))
        bronze = np.where(rng.random((TOPICS, POOL)) < wrong, 1 - relevant, relevant).ravel()
        sample = sampled(rng, bronze, design, gold)
        if sample is None:
            continue
        pairs = SampledPairs(
            topic, strata_of(bronze, sample), bronze, np.where(sample, relevant.ravel(), np.nan),
            np.where(sample, DESIGNS[design].expansion(np.zeros(len(bronze), np.int32), bronze, sample), 1.0), TOPICS,
        )  # fmt: skip
        a, b = (np.tile(c, TOPICS) for c in (lists.first, lists.second))
        worth = prevalence * np.array([chance @ lists.first, chance @ lists.second])
        estimator = rectified.by_pairs(pairs, a, b, bounds=(0.0, float(discounts.sum())))
        touching = estimator.labels_for_rule(Contrasts.of([(0, 1), (None, 0)]))
        if touching[0] >= LEAST_GOLD:
            found = rectified.told(estimator, 1, 0)
            seen[name] = held(found.low, found.high, float(worth[1] - worth[0]))
        if name == "null" and touching[1] >= LEAST_GOLD:
            found = rectified.told(estimator)
            seen["score"] = held(found.low, found.high, float(worth[0]))
    return seen


def sampled(rng: np.random.Generator, bronze: Array, design: str, gold: int) -> npt.NDArray[np.bool_] | None:
    """Which pairs have a gold label: any at random, or half of them of each bronze label."""
    out = np.zeros(len(bronze), np.bool_)
    if design == "random":
        out[rng.choice(len(bronze), gold, replace=False)] = True
        return out
    for label in (0, 1):
        rows = np.flatnonzero(bronze == label)
        if len(rows) < gold // 2:
            return None
        out[rng.choice(rows, gold // 2, replace=False)] = True
    return out


WORLDS = (
    *(
        World(f"{n} topics, {kind} bronze, {shape}", partial(topics_study, topics=n, bronze=r, shape=shape))
        for n in GOLD
        for kind, r in BRONZE.items()
        for shape in SHAPES
    ),
    *(
        World(
            f"differences, {shape}, {n} of {topics} gold, rho {known:g}",
            partial(differences_study, gold=n, topics=topics, known=known, shape=shape),
        )
        for shape in ("tenths", "exponential")
        for n, topics in FEW
        for known in KNOWN
    ),
    *(World(f"study, {n} of {topics} gold", partial(whole_study, gold=n, topics=topics)) for n, topics in FEW),
    *(
        World(
            f"{gold} gold pairs, {design}, {measure}, {judge} judge, prevalence {prevalence:g}",
            partial(pairs_study, discounts=d, design=design, gold=gold, errors=e, prevalence=prevalence),
        )
        for gold in (100, 300)
        for design in ("random", "by-bronze")
        for measure, d in (("P@10", FLAT), ("DCG@10", FALLING))
        for judge, e in (("good", 0.1), ("weak", 0.3))
        for prevalence in (0.5, 0.1)
    ),
)
