"""Whole commands that no peer has: a verdict and a page on 129 runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.races.scoring import ours, trec_files
from benchmarks.racing.contest import US, Command, Workload, silent


def _verdict(place: Path) -> Sequence[str | Path]:
    words = ("-m", "AP", "-m", "nDCG@10", "--population", "topics,collection", "--unjudged", "non-relevant")
    return ours("verdict", str(place / "qrels.txt"), str(place / "runs"), *words)


def _report(place: Path) -> Sequence[str | Path]:
    words = ("-m", "AP", "-m", "nDCG@10", "--cache", "none", "-o", str(place / "report.html"))
    return ours("report", str(place / "qrels.txt"), str(place / "runs"), *words)


_MAKE = partial(trec_files, "large")
VERDICT = Workload(
    "verdict",
    "verdict over topics and collection on 129 runs, AP and nDCG@10; the whole command",
    _MAKE,
    {US: Command(_verdict, silent)},
    files="**/*.txt",
)
REPORT = Workload(
    "report",
    "the page of 129 runs, AP and nDCG@10; the whole command",
    _MAKE,
    {US: Command(_report, silent)},
    files="**/*.txt",
)
