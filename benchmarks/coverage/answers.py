"""Answers scored by a judge who errs: how often 95% intervals of scores and differences hold the truth.

Three systems answer the same topics: a and b are equal, but the judge is lenient to b; c is better.  People judge a
random 40% of the answers (of fewer than 10 a system nothing is said).  Settings were chosen before any result was seen.

    python -m benchmarks.coverage.answers --studies 400
    python -m benchmarks.coverage.answers --studies 400 --panels --topics 25 100
    python -m benchmarks.coverage.answers --studies 400 --checked --topics 50 100

prints, for each world and number of topics, the coverage of a score, of the equal pair and of the real pair, and the
median width of the interval of the equal pair, by the judge alone, by the judge with topics that are taken as
independent where they are not, and corrected by the people's values.  With --panels: answers by several judges or in
several repeats, for judges and repeats like these, on topics like these or on these only.  With --checked: the same
answers judged by several or several times, all of them lenient to b, as they are and corrected by the people's values.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
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
    kind: str  # pass or fail, a grade, or a share
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
        if self.kind == "grade":
            return np.round(4 * _shares(quality)) / 4, np.round(4 * _shares(seen)) / 4
        return _shares(quality), _shares(seen)

    def truth(self) -> Array:
        """The mean of each system over all topics there could be."""
        return np.asarray(self.draw(MANY, np.random.default_rng(1))[0].mean(axis=1))


def _shares(quality: Array) -> Array:
    """Values from 0 to 1 in steps of 0.1, many of them 1."""
    return np.asarray(np.round(1 / (1 + np.exp(-1.5 * quality)), 1))


WORLDS = (
    World("pass or fail", "pass or fail"),
    World("five grades, skewed", "grade"),
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


# ---- Several judges of the same answers, and answers that were made and judged again.

LENIENCY, ON_TOPIC, ON_ANSWER, AGAIN = 0.4, 0.3, 0.5, 0.5  # sd: of judges, on topics, on single answers; of repeats


@dataclass(frozen=True)
class Panel:
    """Values of a skewed score by judges who differ, of answers that differ from repeat to repeat.

    A judge is lenient, or not, to all systems and to each, on all topics and on each; an answer of a repeat is better
    or worse for all its judges.  The truth is the mean over all judges and repeats there could be, and over all topics
    or those at hand.
    """

    name: str
    judges: int
    repeats: int

    def topics(self, n: int, rng: np.random.Generator) -> Array:
        """Latent quality, systems by topics."""
        return np.asarray(rng.normal(0.8, 1.0, n) + rng.normal(0, 0.8, (3, n)) + GAIN[:, None], np.float64)

    def answers(self, quality: Array, rng: np.random.Generator) -> Array:
        """Latent quality of the answers of each repeat, systems by topics by repeats."""
        return quality[:, :, None] + rng.normal(0, AGAIN, (*quality.shape, self.repeats))

    def values(self, answers: Array, rng: np.random.Generator) -> Array:
        """Values, systems by topics by judges by repeats."""
        s, t, repeats = answers.shape
        judges = self.judges
        judge = rng.normal(0, LENIENCY, (1, 1, judges, 1)) + rng.normal(0, LENIENCY / 2, (s, 1, judges, 1))
        judge = judge + rng.normal(0, ON_TOPIC, (1, t, judges, 1)) + rng.normal(0, ON_ANSWER, (s, t, judges, repeats))
        own = judge if judges > 1 else rng.normal(0, ON_ANSWER, (s, t, judges, repeats))
        return _shares(answers[:, :, None, :] + own)

    def truth(self, quality: Array, again: bool = True) -> Array:
        """What each answer is worth to all judges, and in all repeats (`again`): by the sum of all normal parts."""
        variance = ON_ANSWER**2 + again * AGAIN**2
        if self.judges > 1:
            variance += LENIENCY**2 * 1.25 + ON_TOPIC**2
        at, weight = np.polynomial.hermite_e.hermegauss(201)
        steps = _shares(quality[..., None] + np.sqrt(variance) * at)
        return np.asarray((steps * weight).sum(axis=-1) / weight.sum(), np.float64)


PANEL, REPEATS = Panel("3 judges", 3, 1), Panel("4 repeats", 1, 4)
CELLS = (
    (PANEL, "topics"),
    (PANEL, "topics,assessors"),
    (PANEL, "assessors"),
    (REPEATS, "topics,replicates"),
    (REPEATS, "replicates"),
    (Panel("3 judges, 4 repeats", 3, 4), "topics,assessors,replicates"),
    (Panel("3 judges, 4 repeats", 3, 4), "assessors,replicates"),
    (Panel("6 judges", 6, 1), "topics,assessors"),
)


def panel_items(values: Array) -> Items:
    """A log of three systems, several judges and repeats."""
    rows = [
        Row(f"q{t:03d}", "s", float(values[s, t, j, r]), name, judge=f"j{j}", replicate=r + 1)
        for s, name in enumerate(SYSTEMS)
        for t in range(values.shape[1])
        for j in range(values.shape[2])
        for r in range(values.shape[3])
    ]
    return Items.of_rows(rows)


def panel_results(world: Panel, population: str, topics: int, studies: int, seed: int) -> list[Result]:
    """What each of some studies says; for topics at hand, what is true of these."""
    rng = np.random.default_rng([seed, topics])
    everywhere = world.truth(world.topics(MANY // 20, np.random.default_rng(1))).mean(axis=1)
    results = []
    for _ in range(studies):
        quality = world.topics(topics, rng)
        answers = world.answers(quality, rng)
        study = tg.Study(panel_items(world.values(answers, rng)), measures="s", population=population)
        if "topics" in population:
            truth = everywhere
        elif "replicates" in population:
            truth = world.truth(quality).mean(axis=1)
        else:  # other judges of these answers
            truth = world.truth(answers, again=False).mean(axis=(1, 2))
        results.append(panel_held(study, truth))
    return results


def panel_held(study: tg.Study, truth: Array) -> Result:
    """As `held`, the equal pair by what is true: on the topics at hand two equal systems differ."""
    score = next(e for e in study.estimates() if e.system == "a")
    (equal,), (real,) = study.compare("a", "b"), study.compare("a", "c")
    asked: list[tuple[float | None, float | None, float]] = [(score.low, score.high, float(truth[0]))]
    asked += [(pair.low, pair.high, float(truth[s] - truth[0])) for s, pair in ((1, equal), (2, real))]
    limits = [(low, high, true) for low, high, true in asked if low is not None and high is not None]
    if len(limits) < len(asked):
        return None
    return [bool(low <= true <= high) for low, high, true in limits], limits[1][1] - limits[1][0]


# ---- The same with people's values of some answers, which the judges together are held against.

CHECKED = CELLS[:6]


def checked_results(
    world: Panel,
    population: str,
    topics: int,
    studies: int,
    seed: int,
    ways: Sequence[str] = ("judge alone", "corrected"),
) -> dict[str, list[Result]]:
    """What each of some studies says, by way: repeats are judgments of one answer, whose worth people know."""
    rng = np.random.default_rng([seed, topics, 2])
    everywhere = _shares(world.topics(MANY, np.random.default_rng(1))).mean(axis=1)
    results: dict[str, list[Result]] = {way: [] for way in ways}
    for _ in range(studies):
        quality = world.topics(topics, rng)
        seen = world.values(np.repeat((quality + LENIENT[:, None])[:, :, None], world.repeats, axis=2), rng)
        true = _shares(quality)
        people = items_of(true, rng.random(true.shape) >= GOLD)
        items, truth = panel_items(seen), everywhere if "topics" in population else true.mean(axis=1)
        for way in ways:
            gold = tg.Gold(people, "random") if way == "corrected" else None
            try:
                study = tg.Study(items, measures="s", population=population, gold=gold)
            except TruegainError:  # too few gold labels
                results[way].append(None)
                continue
            results[way].append(panel_held(study, truth))
    return results


def print_row(name: str, results: list[Result]) -> None:
    """A row of the table."""
    answered = [result for result in results if result is not None]
    cells, refused = "- | - | - | -", len(results) - len(answered)
    if answered:
        shares = np.array([x for x, _ in answered]).mean(axis=0)
        cells = " | ".join(f"{x:.3f}" for x in (*shares, np.median([w for _, w in answered])))
    print(f"{name} | {cells} | {refused}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--topics", type=int, nargs="+", default=[25, 50, 100])
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--panels", action="store_true", help="several judges and repeats, and nothing else")
    parser.add_argument("--checked", action="store_true", help="several judges and repeats corrected, and nothing else")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("world | topics | by | score | equal pair | real pair | width | refused")
    for panel, population in CHECKED if options.checked else CELLS if options.panels else ():
        for n in options.topics:
            asked = panel, population, n, options.studies, options.seed
            if not options.checked:
                print_row(f"{panel.name} | {n} | {population}", panel_results(*asked))
                continue
            for way, results in checked_results(*asked).items():
                print_row(f"{panel.name} | {n} | {population}, {way}", results)
    if options.panels or options.checked:
        return
    for world in WORLDS:
        truth = world.truth()
        for topics in options.topics:
            rng = np.random.default_rng([options.seed, topics])
            by_way: dict[str, list[Result]] = {}
            for _ in range(options.studies):
                for name, result in studied(world, topics, truth, rng).items():
                    by_way.setdefault(name, []).append(result)
            for name, all_results in by_way.items():
                print_row(f"{world.name} | {topics} | {name}", all_results)


if __name__ == "__main__":
    main()
