"""Scores of systems by topics, and what is drawn from them: for the races that test differences."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.racing.contest import kept

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


def _write(systems: int, topics: int, place: Path) -> dict[str, int]:
    import numpy as np

    rng = np.random.default_rng(0)
    logits = rng.normal(-1, 1, topics) + rng.normal(0, 0.4, systems)[:, None] + rng.normal(0, 0.6, (systems, topics))
    np.save(place / "scores.npy", 1 / (1 + np.exp(-logits)))
    return {"systems": systems, "topics": topics}


def made(folder: Path, systems: int = 129, topics: int = 50) -> Path:
    """Scores with topics and systems that matter."""
    parameters = {"systems": systems, "topics": topics, "seed": 0, "version": 1}
    return kept(folder / f"scores-{systems}x{topics}", parameters, partial(_write, systems, topics))


def scores_of(place: Path) -> Floats:
    """Read them."""
    import numpy as np

    found: Floats = np.load(place / "scores.npy")
    return found


def differences_of(x: Floats) -> Floats:
    """Of all pairs, the later minus the earlier."""
    import numpy as np

    first, second = np.triu_indices(len(x), 1)
    return x[second] - x[first]
