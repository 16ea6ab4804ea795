"""Real labels as arrays, and what is counted over many splits of them."""

from __future__ import annotations

import csv
import gzip
import lzma
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.judge.draws import Array, Interval, Tally
from truegain.errors import needs

LEVEL = 2  # NIST's smallest relevant label for passages


@dataclass(frozen=True, eq=False)
class Labels:
    """Topic number and NIST's label of each pair, and what each judge says."""

    topic: npt.NDArray[np.int64]
    topics: tuple[str, ...]
    docs: tuple[str, ...]
    nist: Array
    judges: dict[str, Array]


def read_wide(path: Path) -> Labels:
    """A file with columns topic, doc, nist and one for each judge; blank is a pair the judge skipped (NaN)."""
    whole = path.read_bytes()
    text = (gzip.decompress(whole) if path.suffix == ".gz" else lzma.decompress(whole)).decode()
    head, *rows = csv.reader(text.splitlines())
    topics = tuple(sorted({r[0] for r in rows}, key=str.encode))
    number = {t: i for i, t in enumerate(topics)}
    rows.sort(key=lambda r: number[r[0]])
    columns = {n: np.array([float(r[i] or "nan") for r in rows]) for i, n in enumerate(head) if i > 1}
    nist = columns.pop("nist")
    return Labels(np.array([number[r[0]] for r in rows]), topics, tuple(r[1] for r in rows), nist, columns)


def t_interval(values: Array) -> Interval:
    """The mean of a few topics, with Student's interval."""
    half = (
        needs("scipy.special", "inference").stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / np.sqrt(len(values))
    )
    return float(values.mean() - half), float(values.mean() + half)


def median(widths: list[float]) -> float | None:
    """The median width; nothing where there is none."""
    return float(np.median(widths)) if widths else None


def pooled(several: Iterable[Tally]) -> tuple[float | None, float | None, float]:
    """Coverage, median width and share of refusals over several tallies."""
    tallies = list(several)
    widths = [w for t in tallies for w in t.widths]
    asked = len(widths) + sum(t.refused for t in tallies)
    coverage = sum(t.held for t in tallies) / len(widths) if widths else None
    return coverage, median(widths), sum(t.refused for t in tallies) / max(asked, 1)
