"""Documents whose words follow Zipf's law: for the races that read text."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.racing.contest import kept

if TYPE_CHECKING:
    import numpy as np

WORDS = 150  # of a document


def vocabulary(size: int, rng: np.random.Generator) -> list[str]:
    """Words of random letters, frequent letters more often."""
    letters = rng.choice(list("etaoinshrdlucmfwypvbgkjqxz"), (size, 11))
    return ["".join(row[:n]) for row, n in zip(letters, rng.integers(2, 12, size).tolist(), strict=True)]


def _write(megabytes: int, place: Path) -> dict[str, int]:
    import numpy as np

    rng = np.random.default_rng(0)
    words = np.array(vocabulary(500_000, rng), object)
    share = 1 / np.arange(3, len(words) + 3) ** 1.05
    cumulative = np.cumsum(share / share.sum())
    written = number = 0
    with (place / "docs.jsonl").open("w") as stream:
        while written < megabytes * 1_000_000:
            drawn = words[np.minimum(np.searchsorted(cumulative, rng.random(WORDS * 1000)), len(words) - 1)].tolist()
            for i in range(1000):
                text = " ".join(drawn[i * WORDS : (i + 1) * WORDS])
                written += stream.write(f'{{"id": "d{number}", "text": "{text}"}}\n')
                number += 1
    return {"documents": number, "megabytes": megabytes}


def made(folder: Path, megabytes: int = 100) -> Path:
    """docs.jsonl."""
    return kept(folder / f"text-{megabytes}", {"megabytes": megabytes, "version": 1}, partial(_write, megabytes))
