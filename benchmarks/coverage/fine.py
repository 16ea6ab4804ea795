"""Differences of answers by few gold labels and a judge that gives fine values: errors and coverage.

Two systems answer the same 100 topics, b better by 0.05.  A judge gives every answer a value, people value some: a
random sample (`random`), or the first rows of a drawn list (`list`).  Worlds were chosen before any result was seen.

    python -m benchmarks.coverage.fine --studies 400

prints, for each judge and number of gold labels, the root mean square error of the difference on these topics, by
people alone, by the judge plus the mean of people's values less the judge's, and corrected; then the coverage of the
corrected 95% intervals: for topics like these, for these only, and of a list, for these only.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import numpy.typing as npt

import truegain as tg
from benchmarks.coverage.levels import rows_of

Array = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def slipped(true: Array, rng: np.random.Generator) -> Array:
    """1, and 10 for one value in a hundred."""
    return np.where(rng.random(true.shape) < 0.01, 10.0, 1.0)


JUDGES = {  # the judge's values of true ones
    "fine": lambda true, rng: true + rng.normal(0, 0.05, true.shape),
    "fine, favors b": lambda true, rng: (
        0.2 + 0.7 * true + 0.08 * np.array([[0], [1]]) + rng.normal(0, 0.05, true.shape)
    ),
    "noisy": lambda true, rng: true + rng.normal(0, 0.3, true.shape),
    "4% gross errors": lambda true, rng: np.where(rng.random(true.shape) < 0.04, rng.random(true.shape), true),
    "12% gross errors": lambda true, rng: np.where(rng.random(true.shape) < 0.12, rng.random(true.shape), true),
    "root": lambda true, rng: np.sqrt(true) + rng.normal(0, 0.04, true.shape),
    "above 0.6 or not": lambda true, rng: (true > 0.6) * 0.8 + rng.normal(0, 0.02, true.shape),
    "fine, 1% times ten": lambda true, rng: np.clip(true + rng.normal(0, 0.05, true.shape), 0, 1) * slipped(true, rng),
    "useless": lambda true, rng: rng.beta(2, 2, true.shape),
}
TOPICS, GAIN = 100, 0.05
LABELS = (20, 40, 80)


def draw(judge: str, rng: np.random.Generator, topics: int = TOPICS) -> tuple[Array, Array]:
    """True values and the judge's, systems by topics."""
    ease = rng.beta(3, 2, topics)
    true = np.clip(0.6 * ease + 0.4 * rng.beta(2, 2, (2, topics)) + np.array([[0.0], [GAIN]]), 0, 1)
    return true, np.clip(JUDGES[judge](true, rng), 0, 10 if "ten" in judge else 1)


def drawn(n: int, rng: np.random.Generator) -> Bools:
    """Which answers people value."""
    kept = np.zeros(2 * TOPICS, np.bool_)
    kept[rng.choice(2 * TOPICS, n, replace=False)] = True
    return kept.reshape(2, TOPICS)


def inside(study: tg.Study, truth: float) -> float:
    """Whether the interval of the difference holds the truth: 1 or 0, NaN where it is refused."""
    pair = study.compare("a", "b")[0]
    if pair.low is None or pair.high is None:
        return float("nan")
    return float(pair.low - 1e-9 <= truth <= pair.high + 1e-9)


def one(judge: str, n: int, seed: int, everywhere: float) -> tuple[list[float], list[float]]:
    """Errors by each way and what intervals held."""
    rng = np.random.default_rng([seed, n])
    true, seen = draw(judge, rng)
    kept, truth = drawn(n, rng), float(np.diff(true.mean(axis=1))[0])
    items, gold = tg.read_items(rows_of(seen, np.ones_like(kept))), tg.read_items(rows_of(true, kept))
    here = tg.Study(items, measures="value", gold=tg.Gold(gold, "random"), population="fixed")
    like = tg.Study(items, measures="value", gold=tg.Gold(gold, "random"))
    people, off = (float(np.diff([values[s][kept[s]].mean() for s in (0, 1)])[0]) for values in (true, true - seen))
    corrected = here.compare("a", "b")[0].difference
    errors = [people - truth, float(np.diff(seen.mean(axis=1))[0]) + off - truth, corrected - truth]
    values = {(f"q{t}", "ab"[s]): true[s, t] for s in (0, 1) for t in range(TOPICS)}
    listed = tg.sample_gold(items, measure="value", seed=seed)
    labels: dict[str, dict[str, float]] = {}
    for topic, doc in zip(listed.topics[:n], listed.docs[:n], strict=True):
        labels.setdefault(topic, {})[doc] = float(values[topic, doc])
    by_list = tg.Study(items, measures="value", gold=listed.filled(labels), population="fixed")
    return errors, [inside(like, everywhere), inside(here, truth), inside(by_list, truth)]


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.coverage.fine", description=__doc__)
    asked.add_argument("--studies", type=int, default=400)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--judge", action="append", choices=list(JUDGES))
    given = asked.parse_args()
    warnings.simplefilter("ignore")
    true = draw("fine", np.random.default_rng(1), 400_000)[0].mean(axis=1)
    print("| judge | gold labels | people alone | judge + mean difference | corrected | topics | these topics | list |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for judge in given.judge or JUDGES:
        for n in LABELS:
            found = [one(judge, n, given.seed + i, float(true[1] - true[0])) for i in range(given.studies)]
            errors = np.sqrt(np.mean(np.square([e for e, _ in found]), axis=0))
            held = np.nanmean([h for _, h in found], axis=0)
            cells = [*(f"{x:.4f}" for x in errors), *(f"{x:.3f}" for x in held)]
            print(f"| {judge} | {n} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
