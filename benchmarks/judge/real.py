"""Real labels: most of NIST's are hidden, the cheap judge is corrected with the rest, and NIST says what is true."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.judge.crowd import crowd
from benchmarks.judge.dl19 import dl19
from benchmarks.judge.icc import icc
from benchmarks.judge.llmjudge import llmjudge
from truegain.errors import TruegainError
from truegain.results.base import Table


def tables(what: str, data: Path, draws: int | None, seed: int) -> list[Table]:
    """The tables of one data set; a TruegainError where it is not there."""
    run: dict[str, tuple[Callable[[Path, int, int], list[Table]], str, int]] = {
        "llmjudge": (llmjudge, "llmjudge/test_labels_wide.csv.gz", 300),
        "dl19": (dl19, "dl_llm_judges/dl19_labels_wide.csv.xz", 3),
        "crowd": (crowd, "trec_rf10_crowd/trec-rf10-data.txt.xz", 400),
        "icc": (icc, "llmjudge/test_labels_wide.csv.gz", 1),
    }
    function, file, usual = run[what]
    if not (data / file).exists():
        raise TruegainError(f"{file} is not below {data}; give its folder with --data")
    return function(data / file, draws or usual, seed)
