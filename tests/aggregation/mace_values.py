"""Writes mace.json: what crowd-kit's MACE gives for votes in which it numbers assessors and labels as they are sorted.

Elsewhere its M-step pairs an assessor's counts with another's parameters (groupby sorts, factorize does not), and all
its restarts begin alike; run with crowd-kit 1.4 installed: python -m tests.aggregation.mace_values
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

ITEMS, ASSESSORS, LEVELS = 14, 5, 3
STEPS = (1, 3, 50)
KEPT = Path(__file__).with_name("mace.json")


def votes() -> list[list[int]]:
    """Item, assessor and label; the first item has all assessors, and a label appears before any higher one."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, LEVELS, ITEMS)
    right = (0.85, 0.8, 0.7, 0.4, 0.35)
    rows = [
        [item, who, int(truth[item]) if rng.random() < right[who] else int(rng.integers(0, LEVELS))]
        for item in range(ITEMS)
        for who in range(ASSESSORS)
        if item == 0 or rng.random() < 0.8
    ]
    seen = list(dict.fromkeys(label for *_, label in rows))
    return [[item, who, seen.index(label)] for item, who, label in rows]


def start(seed: int) -> tuple[Any, ...]:
    """crowd-kit's random start."""
    from scipy.stats import uniform

    drawn = [uniform(1, 1.5).rvs(size=(ASSESSORS, n), random_state=seed) for n in (2, LEVELS)]
    return tuple(d / d.sum(axis=1, keepdims=True) for d in drawn)


def chances(seed: int, steps: int) -> list[list[float]]:
    """What crowd-kit says after so many steps."""
    aggregation, pandas = (importlib.import_module(name) for name in ("crowdkit.aggregation", "pandas"))

    frame = pandas.DataFrame(votes(), columns=["task", "worker", "label"])
    share = aggregation.MACE(n_restarts=1, n_iter=steps, random_state=seed).fit_predict_proba(frame)
    return [[float(v) for v in row] for row in share.sort_index()[list(range(LEVELS))].to_numpy()]


def main() -> None:
    """Write the file."""
    knows, habit = start(7)
    cases = {str(steps): chances(7, steps) for steps in STEPS}
    kept = {"votes": votes(), "knows": knows.tolist(), "habit": habit.tolist(), "chances": cases}
    KEPT.write_text(json.dumps(kept) + "\n")


if __name__ == "__main__":
    main()
