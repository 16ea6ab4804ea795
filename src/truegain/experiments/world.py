"""A simulated search evaluation whose truth is known: topics, systems, true labels and a noisy judge's labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from truegain.config import Scoring
from truegain.measures.evaluate import aligned
from truegain.tables.columns import Floats, Ints, frozen
from truegain.tables.judgments import Judgments, judgments_of_columns
from truegain.tables.runs import Run, Runs, run_of_columns

# P(label of the noisy judge | true label): lenient on the border, as LLM judges are.
CONFUSION = np.array(
    [
        [0.80, 0.14, 0.04, 0.02],
        [0.25, 0.50, 0.20, 0.05],
        [0.08, 0.22, 0.50, 0.20],
        [0.02, 0.08, 0.25, 0.65],
    ]
)
THRESHOLDS = (1.0, 1.6, 2.2)  # latent quality at which the true label becomes 1, 2, 3
FAVOURED, RAISED = "system-4", 0.3  # whom the leaning judge favours, and how often it adds 1 to a label for that
LEVEL, DIFFICULTY = -0.2, 0.35  # mean quality of a topic's documents, and its standard deviation over topics


@dataclass(frozen=True, eq=False)
class World:
    """What was simulated: runs, true labels of the pool, the noisy judge's, and the true ones of a random fifth."""

    runs: Runs
    gold: Judgments
    noisy: Judgments
    sample: Judgments


def simulate(
    *,
    topics: int = 50,
    systems: int = 8,
    docs: int = 400,
    depth: int = 100,
    pool_depth: int = 30,
    seed: int = 0,
) -> World:
    """Draw a world.

    Every topic has `docs` candidate documents of a latent quality, which thresholds turn into labels 0 to 3; a
    system sees quality with its own skill and noise and ranks by what it sees.  The pool is the union of the first
    `pool_depth` documents of all systems.

    >>> world = simulate(topics=3, systems=2, docs=20, depth=10, pool_depth=5, seed=1)
    >>> world.runs.systems, len(world.gold.topic.values)
    (('system-1', 'system-2'), 3)
    """
    quality_seed, view_seed, judge_seed, sample_seed = np.random.SeedSequence(seed).spawn(4)
    quality = _quality(topics, docs, np.random.default_rng(quality_seed))
    views = _views(quality, systems, np.random.default_rng(view_seed))
    order = np.argsort(-views, axis=2)[:, :, :depth]
    names = [f"{t + 1:03d}" for t in range(topics)]
    runs = Runs(tuple(_run(f"system-{s + 1}", names, order[s], views[s]) for s in range(systems)))
    pooled = np.zeros((topics, docs), np.bool_)
    for s in range(systems):
        np.put_along_axis(pooled, order[s, :, :pool_depth], True, axis=1)
    topic, doc = np.nonzero(pooled)
    label = np.searchsorted(THRESHOLDS, quality[topic, doc])
    gold = _judgments(names, topic, doc, label.astype(np.float64), "gold")
    chosen = np.random.default_rng(sample_seed).permutation(len(label))[: max(1, len(label) // 5)]
    return World(
        runs,
        gold,
        _judgments(names, topic, doc, noisy(label, np.random.default_rng(judge_seed)), "noisy"),
        gold.take(np.sort(chosen)),
    )


def newcomer(world: World, depth: int = 10, seed: int = 0) -> tuple[Judgments, Judgments]:
    """The true labels had the last system not been pooled, and those of a random quarter of its holes.

    The pool is the union of the first `depth` documents of the other systems; the holes are what the last one has
    there beside them.

    >>> pooled, sample = newcomer(simulate(topics=3, systems=2, docs=20, depth=10, pool_depth=5, seed=1), depth=5)
    >>> len(pooled), len(sample)
    (15, 2)
    """
    ranked = aligned(world.runs, world.gold, Scoring())
    top = ranked.rank <= depth
    last = ranked.list // len(ranked.topics) == len(ranked.systems) - 1
    row = np.empty(len(ranked.pool), np.int64)
    row[ranked.pool.find(world.gold.topic, world.gold.docs)] = np.arange(len(world.gold))
    pooled, own = (np.unique(row[ranked.item[top & side]]) for side in (~last, last))
    holes = np.setdiff1d(own, pooled)
    chosen = np.random.default_rng([seed, 35]).permutation(holes)[: max(1, len(holes) // 4)]
    return world.gold.take(pooled), world.gold.take(np.sort(chosen))


def leaning(
    world: World, favoured: str = FAVOURED, chance: float = RAISED, depth: int = 10, seed: int = 0
) -> Judgments:
    """What the noisy judge says where it favours a system: a label of its first `depth` documents is one more at times.

    Each of them, whatever its true label, is raised by 1 with the same chance; the highest label stays.

    >>> world = simulate(topics=3, systems=2, docs=20, depth=10, pool_depth=5, seed=1)
    >>> raised = leaning(world, "system-1", chance=1.0, depth=5).label - world.noisy.label
    >>> sorted(set(raised.tolist())), int(raised.sum())
    ([0.0, 1.0], 14)
    """
    ranked = aligned(world.runs, world.noisy, Scoring())
    own = ranked.list // len(ranked.topics) == ranked.systems.index(favoured)
    row = np.empty(len(ranked.pool), np.int64)
    row[ranked.pool.find(world.noisy.topic, world.noisy.docs)] = np.arange(len(world.noisy))
    theirs = np.unique(row[ranked.item[own & (ranked.rank <= depth)]])
    drawn = np.random.default_rng([seed, 36]).random(len(theirs)) < chance
    label = world.noisy.label.copy()
    label[theirs[drawn]] = np.minimum(label[theirs[drawn]] + 1, len(THRESHOLDS))
    return replace(world.noisy, label=frozen(label))


def skills(systems: int) -> Floats:
    """How well each system sees quality, from the weakest to the best: its correlation with what it believes."""
    return np.linspace(0.45, 0.8, systems)


def _quality(topics: int, docs: int, rng: np.random.Generator) -> Floats:
    """Latent quality: normal, with topics that have many good documents and topics that have few."""
    return rng.normal(size=(topics, docs)) + rng.normal(0, DIFFICULTY, size=(topics, 1)) + LEVEL


def _views(quality: Floats, systems: int, rng: np.random.Generator) -> Floats:
    """What each system believes: quality seen through its skill, with noise of its own."""
    skill = skills(systems)[:, None, None]
    noise = rng.normal(size=(systems, *quality.shape))
    return np.asarray(np.round(skill * quality + np.sqrt(1 - skill**2) * noise, 4))


def _run(system: str, topics: list[str], order: Ints, view: Floats) -> Run:
    depth = order.shape[1]
    names = [t for t in topics for _ in range(depth)]
    docs = [f"d{t}-{d}" for t, d in zip(names, order.ravel().tolist(), strict=True)]
    return run_of_columns(system, names, docs, np.take_along_axis(view, order, axis=1).ravel(), system)


def noisy(gold: Ints, rng: np.random.Generator) -> Floats:
    """Labels of a judge that errs as CONFUSION says."""
    cumulative = np.cumsum(CONFUSION, axis=1)
    draws = rng.random(len(gold))
    return np.asarray((draws[:, None] > cumulative[gold, :-1]).sum(axis=1), np.float64)


def _judgments(topics: list[str], topic: Ints, doc: Ints, label: Floats, source: str) -> Judgments:
    names = [topics[t] for t in topic.tolist()]
    return judgments_of_columns(names, [f"d{t}-{d}" for t, d in zip(names, doc.tolist(), strict=True)], label, source)
