"""Ratings by 2,000 assessors, five for each document: for the races that read ratings."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from benchmarks.racing.contest import kept

MILLION = 1_000_000


def _write(ratings: int, kind: str, place: Path) -> dict[str, int]:
    import numpy as np

    rng = np.random.default_rng(0)
    assessors, each = 2000, 5
    docs = ratings // each
    said = rng.normal(size=docs)[:, None] + rng.normal(size=(docs, each))
    who = (rng.integers(0, assessors, docs)[:, None] + np.arange(each) * 37) % assessors
    values = {
        "grades": np.clip(np.round(said + 1.5), 0, 3),
        "slider": np.clip(np.round(20 * said + 50), 0, 100),
        "magnitudes": np.exp(said),  # all distinct
    }[kind]
    with (place / "ratings.csv").open("w") as stream:
        stream.write("topic,doc,assessor,label\n")
        for doc in range(docs):
            for a, v in zip(who[doc].tolist(), values[doc].tolist(), strict=True):
                stream.write(f"{doc % 100},d{doc},w{a},{v!r}\n")
    return {"ratings": docs * each, "assessors": assessors}


def made(folder: Path, kind: str = "grades", ratings: int = MILLION) -> Path:
    """ratings.csv of assessors who share a truth and add noise, on grades 0 to 3, a slider, or as magnitudes."""
    parameters = {"ratings": ratings, "kind": kind, "seed": 0, "version": 1}
    return kept(folder / f"{kind}-{ratings}", parameters, partial(_write, ratings, kind))
