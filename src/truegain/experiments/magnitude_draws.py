"""One score drawn for each document, many times: how far a ranking by magnitudes depends on who was asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.engine import Engine
from truegain.inference.ranks.tau import kendall_tau
from truegain.measures.base import Measure
from truegain.tables.columns import Floats, Ints, frozen
from truegain.tables.judgments import Judgments
from truegain.tables.ranked import RankedGains

DRAWS = 50  # of one piece of work


@dataclass(frozen=True, eq=False)
class _Drawing:
    ranked: RankedGains
    value: Floats
    begin: Ints
    measures: dict[str, Measure]
    expert: dict[str, Floats]


def resampled_taus(
    ranked: RankedGains,
    moved: Judgments,
    measures: dict[str, Measure],
    expert: dict[str, Floats],
    trials: int,
    seed: int,
    engine: Engine,
) -> dict[str, Floats]:
    """Tau between experts' ranking and that by one drawn score for each document, sorted; NaN draws are left out."""
    item = ranked.pool.find(moved.topic, moved.docs)
    order = np.argsort(item, kind="stable")
    begin = np.searchsorted(item[order], np.arange(len(ranked.pool) + 1)).astype(np.int64)
    shared = _Drawing(ranked, moved.label[order], begin, measures, expert)
    pieces = [min(DRAWS, trials - first) for first in range(0, trials, DRAWS)]
    parts = list(engine.run(_drawn, pieces, shared=shared, seed=seed))
    found = {}
    for at, name in enumerate(measures):
        taus = np.concatenate([part[at] for part in parts])
        found[name] = frozen(np.sort(taus[~np.isnan(taus)]))
    return found


def _drawn(shared: _Drawing, draws: int, seed: np.random.SeedSequence) -> Floats:
    rng, count = np.random.default_rng(seed), np.diff(shared.begin)
    out = np.full((len(shared.measures), draws), np.nan)
    for d in range(draws):
        gains = shared.value[shared.begin[:-1] + (rng.random(len(count)) * count).astype(np.int64)]
        view = shared.ranked.with_gains(gains)
        for at, (name, measure) in enumerate(shared.measures.items()):
            means = measure.summarise(measure.score(view), view, False)
            if np.ptp(means) > 0 and np.ptp(shared.expert[name]) > 0:
                out[at, d] = kendall_tau(shared.expert[name], means)
    return out
