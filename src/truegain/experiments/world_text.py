"""Text for the simulated world: the better a document answers its topic, the more it uses the topic's words."""

from __future__ import annotations

import numpy as np

from truegain.experiments.world import THRESHOLDS, _quality

COMMON = 5000  # words that all topics share
OWN = 20  # words of each topic
LENGTH = 30


def texts(*, topics: int = 50, docs: int = 400, seed: int = 0) -> dict[str, str]:
    """The text of every document that `simulate` of the same numbers knows, judged or not.

    Each word is one of the topic's with probability 0.05, 0.2, 0.35 or 0.5 for a document of true label 0 to 3, and a
    common word, frequent ones more often, otherwise.

    >>> made = texts(topics=2, docs=3, seed=1)
    >>> sorted(made), len(made["d001-0"].split())
    (['d001-0', 'd001-1', 'd001-2', 'd002-0', 'd002-1', 'd002-2'], 30)
    """
    quality_seed = np.random.SeedSequence(seed).spawn(1)[0]
    label = np.searchsorted(THRESHOLDS, _quality(topics, docs, np.random.default_rng(quality_seed)))
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(4)[3])
    shape = (topics, docs, LENGTH)
    about = rng.random(shape) < 0.05 + 0.15 * label[:, :, None]
    own = rng.integers(0, OWN, shape)
    share = 1 / np.arange(3, COMMON + 3)
    common = np.searchsorted(np.cumsum(share / share.sum()), rng.random(shape))
    made: dict[str, str] = {}
    for t in range(topics):
        mine = np.array([f"topic{t + 1}word{w}" for w in range(OWN)], object)
        words = np.where(about[t], mine[own[t]], np.array([f"word{w}" for w in range(COMMON + 1)], object)[common[t]])
        made |= {f"d{t + 1:03d}-{d}": " ".join(row) for d, row in enumerate(words.tolist())}
    return made
