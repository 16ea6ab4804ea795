"""A small study on disk, for tests of files that are read in batches."""

from __future__ import annotations

import random
from pathlib import Path


def small_study(folder: Path) -> list[str]:
    """Judgments with subtopics' column, two runs; some topics of each on one side only."""
    rng = random.Random(8)
    (folder / "q").write_text(
        "".join(f"{t} 0 d{d} {rng.randint(0, 3)}\n" for t in range(20) for d in rng.sample(range(12), 6))
    )
    for name in ("a", "b"):
        rows = [f"{t} Q0 d{d} 1 {rng.random():.3f} {name}\n" for t in range(1, 21) for d in rng.sample(range(12), 8)]
        rng.shuffle(rows)
        (folder / f"{name}.run").write_text("".join(rows))
    return [str(folder / name) for name in ("q", "a.run", "b.run")]
