"""What scoring gives or says, at once and in batches, so that both can be held against one another."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import truegain as tg
from truegain.config import Scoring
from truegain.data import batches
from truegain.data.runs import RunPaths
from truegain.io import chunks

Outcome = tuple[object, ...]
SCORING = {field.name for field in fields(Scoring)}


@contextmanager
def tiny(part: int = 60, chunk: int = 50, stretches: int = 0) -> Iterator[None]:
    """Parts, chunks and stretches of so few bytes and lines that small files have many; 0 stretches: always a copy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "LEAST_PART", part)
        patch.setattr(chunks, "CHUNK", chunk)
        patch.setattr(chunks, "RUNS", 3)
        patch.setattr(chunks, "FEW_STRETCHES", stretches)
        patch.setattr(chunks, "LEAST_STRETCH", 1 << 40)
        yield


def outcome(runs: Sequence[str | Path], judgments: str | Path, measures: list[str], **options: Any) -> Outcome:
    """All scores to the last bit with all that was warned of, or what was refused and why."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            files = RunPaths.of(runs, options.pop("name_by", "file"))
            how = {name: options.pop(name) for name in SCORING & options.keys()}
            scores = tg.evaluate(files, str(judgments), measures, scoring=tg.Scoring(**how), **options)
        except tg.TruegainError as error:
            return type(error).__name__, str(error)
    told = tuple(str(w.message) for w in caught)
    values = tuple((name, _bits(matrix)) for name, matrix in scores.values.items())
    means = tuple((name, _bits(row)) for name, row in scores.summaries.items())
    provenance = {name: value for name, value in scores.provenance.items() if name != "memory"}
    return scores.systems, tuple(scores.topics), values, means, provenance, told


def _bits(values: Any) -> object:
    return values.tolist() if values.dtype == object else (values.shape, values.tobytes())
