"""Simulated ratings whose truth is known: on a scale, and magnitudes on personal scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.tables.columns import Floats
from truegain.tables.judgments import Judgments, judgments_of_columns
from truegain.tables.likes import JudgmentsLike
from truegain.tables.pool import Pool
from truegain.tables.runs import Runs, run_of_columns


@dataclass(frozen=True, eq=False)
class Magnitudes:
    """Simulated magnitudes: what people said, the worth behind it, experts' levels of it, and who was careless."""

    ratings: Judgments
    truth: Judgments
    expert: Judgments
    careless: tuple[str, ...]


def uniform_ratings(judgments: JudgmentsLike, *, assessors: int = 5, highest: int = 2, seed: int = 0) -> Judgments:
    """Ratings by N assessors behind given judgments: all 0 where the label is not above 0, else uniform on 0..Dmax.

    The worst case for unanimity, for nobody agrees but by chance.  Sakai 2017, EVIA, section 4.

    >>> uniform_ratings({"1": {"a": 2, "b": 0}}, assessors=3, highest=4, seed=1).label.tolist()
    [2.0, 2.0, 3.0, 0.0, 0.0, 0.0]
    """
    pool = Pool.of(Judgments.of(judgments))
    drawn = np.random.default_rng(np.random.SeedSequence(seed)).integers(0, highest + 1, (len(pool), assessors))
    return _rated(pool, np.where(pool.labels[:, None] > 0, drawn, 0))


def noisy_ratings(
    judgments: JudgmentsLike, *, assessors: int = 5, highest: int = 3, slip: float = 0.35, seed: int = 0
) -> Judgments:
    """Ratings by assessors who mean the given label and, with chance `slip`, say one more or one less.

    >>> noisy_ratings({"1": {"a": 2, "b": 0}}, assessors=3, slip=0, seed=1).label.tolist()
    [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]
    """
    pool = Pool.of(Judgments.of(judgments))
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    moved = np.where(rng.random((len(pool), assessors)) < slip, rng.choice([-1, 1], (len(pool), assessors)), 0)
    return _rated(pool, np.clip(pool.labels[:, None] + moved, 0, highest))


def _rated(pool: Pool, values: npt.NDArray[Any]) -> Judgments:
    """Ratings from a matrix of items by assessors."""
    docs, topics, people = pool.docs.strings(), [pool.topics[t] for t in pool.topic], values.shape[1]
    return judgments_of_columns(
        [t for t in topics for _ in range(people)],
        [d for d in docs for _ in range(people)],
        values.reshape(-1).astype(np.float64),
        "simulated ratings",
        assessors=[f"assessor-{a + 1}" for _ in docs for a in range(people)],
    )


def magnitude_ratings(
    *,
    topics: int = 10,
    docs: int = 40,
    workers: int = 10,
    unit: int = 8,
    noise: float = 1.0,
    habit: float = 0.5,
    slip: float = 0.01,
    careless: float = 0.1,
    careless_spread: float = 3.0,
    scales: float = 1.5,
    seed: int = 0,
) -> Magnitudes:
    """Magnitudes by workers with scales of their own, about documents whose worth is known.

    Every topic has `docs` documents of log-normal worth, and experts' levels 0 to 3 by its quartiles.  A unit holds
    `unit` documents, the best ('high') and the worst ('low') of the topic always among them; units are dealt until
    every document has `workers` ratings.  A worker multiplies the worth by a scale of their own (log-normal, `scales`)
    and by noise (log-normal, `noise`), with chance `slip` writes a zero too many or too few, and with chance `habit`
    says a round number instead: one significant figure.  A share `careless` of units is filled with numbers that have
    nothing to do with the documents and range widely: `careless_spread` is the standard deviation of their logarithms,
    3 for numbers a few thousand times apart within a unit.  With the defaults, alpha (ratio) after geometric averaging
    is about that of real workers, 0.32 (Maddalena et al. 2017).

    >>> world = magnitude_ratings(topics=2, docs=14, workers=3, seed=1)
    >>> len(world.truth), world.ratings.extra["anchor"][:8].count("high")
    (28, 1)
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    rows: list[tuple[str, str, str, float, str, float]] = []
    worth, lazy = rng.normal(0, 1, (topics, docs)), []
    number = 0
    for topic in range(topics):
        best, worst = int(worth[topic].argmax()), int(worth[topic].argmin())
        others = [d for d in range(docs) if d not in (best, worst)]
        for _ in range(workers):
            dealt = rng.permutation(others)
            for begin in range(0, len(dealt), unit - 2):
                chosen = rng.permutation([best, worst, *dealt[begin : begin + unit - 2]])
                name, number = f"worker-{number + 1}", number + 1
                sloppy = rng.random() < careless
                if sloppy:
                    logs = rng.normal(0, careless_spread, len(chosen))
                    lazy.append(name)
                else:
                    logs = meant(worth[topic, chosen], rng, noise=noise, slip=slip)
                said = rounded(np.exp(rng.normal(2, scales) + logs), rng, habit=habit)
                marks = ["high" if d == best else "low" if d == worst else "" for d in chosen]
                times = rng.gamma(4, 2 if sloppy else 12, len(chosen))
                rows += [
                    (f"{topic + 1}", f"{topic + 1}-{d + 1:03}", name, s, m, round(float(t), 1))
                    for d, s, m, t in zip(chosen, said.tolist(), marks, times, strict=True)
                ]
    columns = [list(column) for column in zip(*rows, strict=True)]
    ratings = judgments_of_columns(
        columns[0],
        columns[1],
        np.array(columns[3], np.float64),
        "simulated magnitudes",
        assessors=columns[2],
        extra={"anchor": columns[4], "seconds": columns[5]},
    )
    names = [f"{t + 1}" for t in range(topics) for _ in range(docs)]
    ids = [f"{t + 1}-{d + 1:03}" for t in range(topics) for d in range(docs)]
    levels = np.array([np.searchsorted(np.quantile(row, [0.25, 0.5, 0.75]), row) for row in worth]).reshape(-1)
    truth = judgments_of_columns(names, ids, np.exp(worth).reshape(-1), "true worth")
    expert = judgments_of_columns(names, ids, levels.astype(np.float64), "simulated experts")
    return Magnitudes(ratings, truth, expert, tuple(lazy))


def second_expert(expert: Judgments, *, slip: float = 0.1, seed: int = 0) -> Judgments:
    """A second expert of the same documents, who says 1 from the first one's level 2 on and 0 below, and at times errs.

    slip: the chance to say the other.

    >>> second_expert(Judgments.of({"1": {"a": 3, "b": 2, "c": 1, "d": 0}}), slip=0).label.tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, 2]))
    said = (expert.label >= 2) != (rng.random(len(expert)) < slip)
    topics = [expert.topic.values[code] for code in expert.topic.code]
    return judgments_of_columns(topics, expert.docs.strings(), said.astype(np.float64), "a second expert")


def runs_over(truth: Judgments, *, systems: int = 8, depth: int = 20, seed: int = 0) -> Runs:
    """Runs that rank documents whose worth is known, by its logarithm seen through noise: sd 0.4 to 2.

    >>> world = magnitude_ratings(topics=2, docs=14, workers=3, seed=1)
    >>> runs_over(world.truth, systems=2, depth=5).systems
    ('system-1', 'system-2')
    """
    pool = Pool.of(truth)
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    docs, parts = pool.docs.strings(), []
    for system, noise in enumerate(np.linspace(0.4, 2, systems)):
        belief = np.round(np.log(pool.labels) + rng.normal(0, noise, len(pool)), 6)
        order = np.lexsort((-belief, pool.topic))
        order = order[np.arange(len(order)) - pool.begin[pool.topic[order]] < depth]
        name = f"system-{system + 1}"
        topics = [pool.topics[t] for t in pool.topic[order]]
        parts.append(run_of_columns(name, topics, [docs[i] for i in order], belief[order], name))
    return Runs(tuple(parts))


def meant(worth: Floats, rng: np.random.Generator, *, noise: float = 1.0, slip: float = 0.01) -> Floats:
    """Logarithms of what an honest worker means: the logarithms of worth with noise, at times ten times off.

    noise: its standard deviation.  slip: the chance of a zero too many or too few.

    >>> meant(np.array([0.0, 1.0]), np.random.default_rng(1), noise=0, slip=0).tolist()
    [0.0, 1.0]
    """
    logs = worth + rng.normal(0, noise, len(worth))
    zeros = rng.choice([-1, 1], len(worth)) * (rng.random(len(worth)) < slip)
    return np.asarray(logs + zeros * np.log(10), np.float64)


def rounded(said: Floats, rng: np.random.Generator, *, habit: float = 0.5) -> Floats:
    """Numbers as people write them: with the chance `habit` with one significant figure.

    >>> rounded(np.array([17.3, 0.0421]), np.random.default_rng(1), habit=1).tolist()
    [20.0, 0.04]
    """
    unit = 10.0 ** np.floor(np.log10(said))
    round_number = rng.random(len(said)) < habit
    return np.where(round_number, np.maximum(1, np.round(said / unit)) * unit, said)
