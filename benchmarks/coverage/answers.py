"""Answers scored by a judge who errs: how often 95% intervals of scores and differences hold the truth.

Three systems answer the same topics: a and b are equal, but the judge is lenient to b; c is better.  People judge a
random 40% of the answers (of fewer than 10 a system nothing is said).  Settings were chosen before any result was seen.

    python -m benchmarks.coverage.answers --studies 400

prints, for each world and number of topics, the coverage of a score, of the equal pair and of the real pair, and the
median width of the interval of the equal pair, by the judge alone, by the judge with topics that are taken as
independent where they are not, and corrected by the people's values.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import truegain as tg
from truegain.data.items import Items
from truegain.errors import TruegainError
from truegain.io.logs.log import Row

Array = npt.NDArray[np.float64]
SYSTEMS = ("a", "b", "c")
GAIN = np.array([0.0, 0.0, 0.6])  # on the scale of the latent quality
LENIENT = np.array([0.0, 0.5, 0.0])
GOLD, EACH = 0.4, 5  # share of answers that people judge; topics of a cluster
MANY = 400_000
Result = tuple[list[bool], float] | None


@dataclass(frozen=True)
class World:
    """How true and judged values come from latent qualities: systems by topics."""

    name: str
    kind: str  # pass or fail, or a share
    clusters: bool = False
    missing: float = 0.0

    def draw(self, topics: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """True values and the judge's."""
        ease = rng.normal(0.8, 1.0, topics)
        if self.clusters:
            ease = 0.8 + np.repeat(rng.normal(0, 0.8, -(-topics // EACH)), EACH)[:topics] + rng.normal(0, 0.6, topics)
        own = rng.normal(0, 0.8, (3, topics))
        if self.clusters:  # systems are good at some clusters
            own = 0.7 * np.repeat(rng.normal(0, 0.8, (3, -(-topics // EACH))), EACH, axis=1)[:, :topics] + 0.7 * own
        quality = ease + own + GAIN[:, None]
        seen = quality + LENIENT[:, None] + rng.normal(0, 0.9, quality.shape)
        if self.kind == "pass or fail":
            return np.asarray(quality > 0, np.float64), np.asarray(seen > 0, np.float64)
        return _shares(quality), _shares(seen)

    def truth(self) -> Array:
        """The mean of each system over all topics there could be."""
        return np.asarray(self.draw(MANY, np.random.default_rng(1))[0].mean(axis=1))


def _shares(quality: Array) -> Array:
    """Values from 0 to 1 in steps of 0.1, many of them 1."""
    return np.asarray(np.round(1 / (1 + np.exp(-1.5 * quality)), 1))


WORLDS = (
    World("pass or fail", "pass or fail"),
    World("shares, skewed", "share"),
    World("shares, 10% failed", "share", missing=0.1),
    World("pass or fail, clusters of 5", "pass or fail", clusters=True),
)


def items_of(values: Array, lost: npt.NDArray[np.bool_]) -> Items:
    """A log of three systems."""
    rows = [
        Row(f"q{t:03d}", "s", float("nan") if lost[s, t] else float(values[s, t]), name)
        for s, name in enumerate(SYSTEMS)
        for t in range(values.shape[1])
    ]
    clusters = {"cluster": {f"q{t:03d}": f"c{t // EACH:03d}" for t in range(values.shape[1])}}
    return Items.of_rows(rows, clusters=clusters)


def held(study: tg.Study, truth: Array) -> Result:
    """Whether the score of a, the equal and the real pair are inside, the width of the equal pair; None: refused."""
    score = next(e for e in study.estimates() if e.system == "a")
    pairs = {(c.a, c.b): c for c in study.compare()}
    equal, real = pairs["a", "b"], pairs["a", "c"]
    ends = [score.low, score.high, equal.low, equal.high, real.low, real.high]
    limits = [end for end in ends if end is not None and end == end]
    if len(limits) < len(ends):
        return None
    values = truth[0], 0.0, truth[2] - truth[0]
    inside = [low <= x <= high for low, high, x in zip(limits[::2], limits[1::2], values, strict=True)]
    return inside, limits[3] - limits[2]


def studied(world: World, topics: int, truth: Array, rng: np.random.Generator) -> dict[str, Result]:
    """One study by each way."""
    true, judged = world.draw(topics, rng)
    lost = rng.random(true.shape) < world.missing
    items = items_of(judged, lost)
    people = items_of(true, lost | (rng.random(true.shape) >= GOLD))
    ways: dict[str, tg.Study] = {}
    if world.clusters:
        ways["judge, topics as if independent"] = tg.Study(items, measures="s")
        items = items.clustered("cluster")
    ways["judge alone"] = tg.Study(items, measures="s")
    results = {name: held(study, truth) for name, study in ways.items()}
    try:
        corrected = tg.Study(items, measures="s", gold=tg.Gold(people, "random"))
        return results | {"corrected": held(corrected, truth)}
    except TruegainError:  # too few gold labels
        return results | {"corrected": None}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--topics", type=int, nargs="+", default=[25, 50, 100])
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("world | topics | by | score | equal pair | real pair | width | refused")
    for world in WORLDS:
        truth = world.truth()
        for topics in options.topics:
            rng = np.random.default_rng([options.seed, topics])
            results: dict[str, list[Result]] = {}
            for _ in range(options.studies):
                for name, result in studied(world, topics, truth, rng).items():
                    results.setdefault(name, []).append(result)
            for name, all_results in results.items():
                answered = [result for result in all_results if result is not None]
                cells = " | ".join(f"{x:.3f}" for x in np.array([x for x, _ in answered]).mean(axis=0))
                width, refused = float(np.median([w for _, w in answered])), len(all_results) - len(answered)
                print(f"{world.name} | {topics} | {name} | {cells} | {width:.3f} | {refused}", flush=True)


if __name__ == "__main__":
    main()
