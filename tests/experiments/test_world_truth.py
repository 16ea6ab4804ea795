"""What is said to be true of the simulated world is true, and the judge leans as told."""

from __future__ import annotations

import numpy as np
import pytest

import truegain as tg
from truegain.experiments.worlds import leaning, simulate, true_scores


def simulated(systems: int, docs: int, topics: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard errors of P@10 and DCG@10 of each system, by a simulation that shares no code with ours."""
    rng = np.random.default_rng(seed)
    found = np.empty((systems, 2, topics))
    for t in range(topics):
        quality = rng.normal(-0.2 + rng.normal(0, 0.35), 1, docs)
        label = (quality[:, None] >= np.array([1.0, 1.6, 2.2])).sum(axis=1)
        for s in range(systems):
            skill = 0.45 + 0.35 * s / (systems - 1)
            belief = skill * quality + (1 - skill**2) ** 0.5 * rng.normal(size=docs)
            first = label[np.argsort(-belief)[:10]]
            found[s, 0, t] = np.mean(first >= 1)
            found[s, 1, t] = sum(g / np.log2(rank + 1) for rank, g in enumerate(first, 1))
    return found.mean(axis=2), found.std(axis=2, ddof=1) / topics**0.5


@pytest.mark.few(1)
@pytest.mark.parametrize(("systems", "docs", "seed"), [(3, 60, 1), (2, 400, 2)])
def test_true_scores_are_those_of_an_independent_simulation(systems: int, docs: int, seed: int) -> None:
    """Guards the integral over order statistics: within 3.5 standard errors of 4,000 topics simulated otherwise."""
    mean, error = simulated(systems, docs, 4000, seed)
    true = np.array([s.value for s in true_scores(systems=systems, docs=docs)]).reshape(systems, 2)
    assert (np.abs(mean - true) < 3.5 * error).all()
    assert (error < 0.03 * true).all()  # able to fail: neighbours of the eight are 7% apart or more


def test_true_scores_are_about_what_is_simulated_and_measured() -> None:
    """Guards names, measures and thresholds: the mean over 1,200 topics of `simulate`, scored by `evaluate`."""
    world = simulate(topics=1200, systems=4, docs=100, depth=10, pool_depth=10, seed=5)
    with pytest.warns(tg.DataWarning, match="no relevant document"):
        scores = tg.evaluate(world.runs, world.gold, ["P@10", "DCG@10"])
    for system, measure, value in true_scores(systems=4, docs=100):
        by_topic = scores.matrix(measure)[scores.systems.index(system)].astype(float)
        assert abs(by_topic.mean() - value) < 3.5 * by_topic.std() / len(by_topic) ** 0.5


def test_too_few_documents_are_refused() -> None:
    """Guards first tens that are none."""
    with pytest.raises(ValueError, match="9 documents have no first 10"):
        true_scores(docs=9)


def test_the_judge_leans_to_one_system_as_told() -> None:
    """Guards the judge that favors one: labels rise by 1, of its first ten alone, three times in ten."""
    world = simulate(seed=1)
    judged = leaning(world, seed=1)
    topics = [str(world.noisy.topic.values[c]) for c in world.noisy.topic.code.tolist()]
    pairs = list(zip(topics, world.noisy.docs.strings(), strict=True))
    before = dict(zip(pairs, world.noisy.label.tolist(), strict=True))
    rise = {pair: x - before[pair] for pair, x in zip(pairs, judged.label.tolist(), strict=True)}
    run = next(p for p in world.runs.parts if p.system == "system-4")
    own: dict[str, list[tuple[float, str]]] = {}
    for code, doc, score in zip(run.topic.code.tolist(), run.docs.strings(), run.score.tolist(), strict=True):
        own.setdefault(str(run.topic.values[code]), []).append((score, doc))
    first = {(t, d) for t, rows in own.items() for _, d in sorted(rows, reverse=True)[:10]}
    assert {k for k, x in rise.items() if x} <= first
    assert set(rise.values()) == {0.0, 1.0}
    could = [rise[pair] for pair in first if before[pair] < 3]
    assert abs(np.mean(could) - 0.3) < 4 * (0.21 / len(could)) ** 0.5
    assert leaning(world, seed=1).label.tolist() == judged.label.tolist() != leaning(world, seed=2).label.tolist()
