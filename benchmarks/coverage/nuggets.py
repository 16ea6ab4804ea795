"""Shares of nuggets that answers support, by a judge and by people who assigned some of them again.

Nature: 6 to 16 nuggets a topic, half of them vital, 4 systems, of which the first two are equally good.  An answer
supports a nugget with a chance that is logistic in the system, the topic, the nugget and the answer, so that every
share is known by quadrature; of what it supports, 15% is partial.  The judge errs more on some topics than on others,
and is lenient to the first system.  People assign 15% of the nuggets at random, or all of those of
15% of the answers, or all of some topics.

Rows: `judge`, the judge alone; `gold alone`, people's assignments by 1/chance, normalized; `plain`, the judge's value
and 1/chance of its error, Student's t over topics, as `prediction-powered inference` has it; `rectified`, what
`tg.Study` says.  `python -m benchmarks.coverage.nuggets` prints the tables of docs/evidence/nuggets.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import special

from benchmarks import rectified
from benchmarks.coverage.worlds import Seen, World, held
from truegain.judge_error.pair_estimators import SampledPairs, strata_of
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import quantile_of
from truegain.study.estimators import LEAST_GOLD, ByGoldPairs, ByGoldTopics

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int64]

SIZES = np.arange(6, 17)  # nuggets a topic
SPREAD = (0.8, 0.8, 0.5)  # of topics, nuggets and answers, in logits
PARTIAL = 0.15  # share of what is supported
VITAL = 0.3  # by how much vital nuggets are supported more often, in logits
GOLD_TOPICS = {25: 10, 50: 15, 100: 20}
ANSWERS = {"score": (0, None), "equal pair": (1, 0), "real pair": (2, 0)}


@dataclass(frozen=True)
class Nature:
    """How good systems are, in logits, and how often the judge errs."""

    level: tuple[float, float, float, float]
    error: float  # mean chance that the judge assigns another word
    lenient: float  # further chance that it sees support of the first system where there is none
    gold: float  # share of the assignments that people made


USUAL = Nature((-0.3, -0.3, 0.5, -0.9), error=0.16, lenient=0.12, gold=0.15)
HARD = Nature((-2.2, -2.2, -1.2, -2.6), error=0.16, lenient=0.12, gold=0.15)
NATURES = {"usual": USUAL, "seldom supported": HARD}


@dataclass(frozen=True)
class Drawn:
    """A study: one row a nugget of an answer."""

    topics: int
    topic: Codes
    system: Codes
    weight: Array  # 1 for vital, .5 for okay
    judge: Array  # support: 0, .5 or 1
    people: Array


def drawn(rng: np.random.Generator, nature: Nature, topics: int) -> Drawn:
    """Answers of four systems to some topics."""
    sizes = rng.choice(SIZES, topics)
    vital = sizes // 2
    systems = len(nature.level)
    topic = np.repeat(np.arange(topics), sizes)
    place = np.arange(len(topic)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    weight = np.where(place < vital[topic], 1.0, 0.5)
    by_topic, by_nugget, by_answer = SPREAD
    shared = by_topic * rng.normal(size=topics)[topic] + by_nugget * rng.normal(size=len(topic)) + VITAL * (weight == 1)
    answer = by_answer * rng.normal(size=(systems, topics))
    chance = special.expit(np.array(nature.level)[:, None] + shared + answer[:, topic])
    supported = rng.random(chance.shape) < chance
    partly = rng.random(chance.shape) < PARTIAL
    people = np.where(supported, np.where(partly, 0.5, 1.0), 0.0)
    wrong = rng.random(chance.shape) < nature.error * rng.uniform(0.3, 1.7, topics)[topic]
    other = np.where(rng.random(chance.shape) < 0.5, 0, 1)
    judge = np.where(wrong, _other(people, other), people)
    favored = (np.arange(systems) == 0)[:, None] & (judge < 1) & (rng.random(chance.shape) < nature.lenient)
    judge = np.where(favored, 1.0, judge)
    tiled = (np.tile(x, systems) for x in (topic, weight))
    rows, counts = tiled
    return Drawn(topics, rows, np.repeat(np.arange(systems), len(topic)), counts, judge.ravel(), people.ravel())


def _other(value: Array, which: npt.NDArray[np.int64]) -> Array:
    """One of the two other words."""
    first, second = np.where(value == 0, 0.5, 0.0), np.where(value == 1, 0.5, 1.0)
    return np.where(which == 0, first, second)


def truth(nature: Nature, measure: str) -> Array:
    """The share of each system over all topics, by Gauss-Hermite quadrature."""
    node, mass = np.polynomial.hermite_e.hermegauss(80)
    z = np.sqrt(np.square(SPREAD).sum()) * node
    mass = mass / mass.sum()
    full = 1 - PARTIAL if measure.endswith("strict") else 1 - PARTIAL / 2
    level = np.array(nature.level)[:, None]
    vital, okay = (full * special.expit(level + z + bonus) @ mass for bonus in (VITAL, 0.0))
    if measure.startswith("V"):
        return np.asarray(vital)
    share = np.mean([(n // 2) / (n // 2 + 0.5 * (n - n // 2)) for n in SIZES])
    return np.asarray(share * vital + (1 - share) * okay)


def chosen(rng: np.random.Generator, study: Drawn, gold: float, by: str) -> Mask:
    """Which assignments people made: any at random, or those of whole answers or topics."""
    if by == "assignments":
        unit = np.arange(len(study.topic))
    else:
        unit = study.system * study.topics + study.topic if by == "answers" else study.topic
    units = int(unit.max()) + 1
    n = GOLD_TOPICS[study.topics] if by == "topics" else round(gold * units)
    picked = np.zeros(units, np.bool_)
    picked[rng.choice(units, n, replace=False)] = True
    return np.asarray(picked[unit])


def shares(study: Drawn, measure: str) -> Array:
    """What each row counts in its answer."""
    counts = (study.weight == 1) * 1.0 if measure.startswith("V") else study.weight
    answer = study.system * study.topics + study.topic
    return np.asarray(counts / np.bincount(answer, counts)[answer])


def worths(study: Drawn, measure: str) -> tuple[Array, Array]:
    """What each row is worth by the judge, and by people."""
    if not measure.endswith("strict"):
        return study.judge, study.people
    return (study.judge >= 1).astype(np.float64), (study.people >= 1).astype(np.float64)


def by_topic(study: Drawn, values: Array) -> Array:
    """System x topic: sums."""
    systems = int(study.system.max()) + 1
    cell = study.system * study.topics + study.topic
    return np.asarray(np.bincount(cell, values, systems * study.topics).reshape(systems, -1), np.float64)


def t_limits(z: Array) -> tuple[float, float]:
    """Student's limits of a mean over topics."""
    n = len(z)
    half = quantile_of(0.95, n - 1.0) * float(z.std(ddof=1)) / np.sqrt(n)
    return float(z.mean()) - half, float(z.mean()) + half


def estimator_of(one: Drawn, gold: Mask, measure: str, by: str) -> ByGoldTopics | ByGoldPairs:
    """What `tg.Study` makes of these rows, without the detour over names."""
    judge, people = worths(one, measure)
    c, answer = shares(one, measure), one.system * one.topics + one.topic
    if by == "topics":
        whole = np.bincount(one.topic[gold], minlength=one.topics) > 0
        scores, right = by_topic(one, c * judge), by_topic(one, c * people)
        return rectified.by_topics(scores, np.where(whole, right, np.nan), (0.0, 1.0))
    pairs = SampledPairs(
        one.topic, strata_of(one.judge, gold), judge, np.where(gold, people, np.nan),
        np.where(gold, len(gold) / gold.sum(), 1.0), one.topics, answer if by == "answers" else None,
    )  # fmt: skip
    per_system = np.array([np.where(one.system == s, c, 0.0) for s in range(4)])
    return rectified.by_pairs(pairs, *per_system, bounds=(0.0, 1.0))


def study(
    rng: np.random.Generator, nature: Nature, topics: int, measure: str, by: str = "assignments"
) -> dict[str, Seen | None]:
    """A score, a difference of equal systems and a real one, each by four estimators; and of these topics only."""
    one, right = drawn(rng, nature, topics), truth(nature, measure)
    gold = chosen(rng, one, nature.gold, by)
    judge, people = worths(one, measure)
    c = shares(one, measure)
    naive, whole = by_topic(one, c * judge), by_topic(one, c * people)
    chance = np.bincount(one.system[gold], minlength=4) / np.bincount(one.system)
    plain = naive + by_topic(one, c * np.where(gold, people - judge, 0.0) / np.maximum(chance[one.system], 1e-9))
    estimator = estimator_of(one, gold, measure, by)
    seen: dict[str, Seen | None] = {}
    for name, (b, a) in ANSWERS.items():
        aim = float(right[b] - (0.0 if a is None else right[a]))
        of = whole[b] - (0.0 if a is None else whole[a])
        apart = (x[b] - (0.0 if a is None else x[a]) for x in (naive, plain))
        for row, z in zip(("judge", "plain"), apart, strict=True):
            if row == "judge" or by != "topics":
                seen[f"{row}, {name}"] = _seen(t_limits(np.asarray(z)), aim)
        if by != "topics" and _touching(estimator, b, a) < LEAST_GOLD:
            seen |= dict.fromkeys((f"gold alone, {name}", f"rectified, {name}", f"these topics, {name}"))
            continue
        for row, found in (("gold alone", estimator.alone()), ("rectified", estimator)):
            seen[f"{row}, {name}"] = _seen(rectified.told(found, b, a).interval, aim)
        here = rectified.told(estimator, b, a, these=True)
        seen[f"these topics, {name}"] = _seen(here.interval, float(np.mean(of)))
    return seen


def _touching(estimator: ByGoldTopics | ByGoldPairs, b: int, a: int | None) -> int:
    count = estimator.labels_for_rule(Contrasts.of([(a, b)]))
    return LEAST_GOLD if count is None else int(count[0])


def _seen(interval: tuple[float, float], aim: float) -> Seen:
    low, high = interval
    one = held(low, high, aim)
    return Seen(one.inside, one.width, found=float(not low <= 0 <= high))


WORLDS = (
    *(
        World(
            f"{kind}, {n} topics, {measure}, gold by {by}",
            partial(study, nature=nature, topics=n, measure=measure, by=by),
        )
        for kind, nature in NATURES.items()
        for n in (25, 50, 100)
        for measure in ("V_strict", "W")
        for by in ("assignments", "answers", "topics")
    ),
)


# ---- The tables of docs/evidence/nuggets.md.

ROWS = ("judge", "gold alone", "plain", "rectified")


def table(seen: Mapping[str, Sequence[Mapping[str, Seen | None]]], rows: Sequence[str]) -> list[str]:
    """Coverage of score, equal pair and real pair, and the median width of the equal pair; a column a world."""
    out = [f"| | {' | '.join(seen)} |", "|---" * (len(seen) + 1) + "|"]
    for row in rows:
        cells = []
        for studies in seen.values():
            found = [[s[f"{row}, {name}"] for s in studies if s.get(f"{row}, {name}")] for name in ANSWERS]
            if not all(found):
                cells.append("-")
                continue
            held_in = " ".join(f"{np.mean([x.inside for x in of if x]):.3f}".lstrip("0") for of in found)
            width = float(np.median([x.width for x in found[1] if x]))
            cells.append(f"{held_in} ({width:.2f})")
        out.append(f"| {row} | {' | '.join(cells)} |")
    return out


def kappa(nature: Nature) -> float:
    """Cohen's kappa of judge and people, whether a nugget is supported in full, over 20,000 topics."""
    one = drawn(np.random.default_rng(0), nature, 20000)
    judge, people = one.judge >= 1, one.people >= 1
    by_luck = judge.mean() * people.mean() + (1 - judge.mean()) * (1 - people.mean())
    return float(((judge == people).mean() - by_luck) / (1 - by_luck))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage.nuggets", description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20261117)
    given = parser.parse_args()
    wanted = [
        ("usual", "V_strict", "assignments"),
        ("usual", "W", "assignments"),
        ("usual", "V_strict", "answers"),
        ("usual", "V_strict", "topics"),
        ("seldom supported", "V_strict", "assignments"),
    ]
    for kind, nature in NATURES.items():
        print(f"{kind}: kappa {kappa(nature):.2f}, V_strict {truth(nature, 'V_strict').round(3)}")
    for at, (kind, measure, by) in enumerate(wanted):
        seen: dict[str, list[dict[str, Seen | None]]] = {}
        for n in (25, 50, 100):
            rngs = (np.random.default_rng([given.seed, at, n, i]) for i in range(given.studies))
            seen[f"{n} topics"] = [study(rng, NATURES[kind], n, measure, by) for rng in rngs]
        print(f"\n{measure}, {kind}, gold by {by}, {given.studies} studies")
        print("\n".join(table(seen, (*ROWS, "these topics"))), flush=True)
        told = {n: np.mean([s["judge, equal pair"].found for s in of]) for n, of in seen.items()}  # type: ignore[union-attr]
        print("judge alone tells equal systems apart:", ", ".join(f"{n} {share:.0%}" for n, share in told.items()))


if __name__ == "__main__":
    main()
