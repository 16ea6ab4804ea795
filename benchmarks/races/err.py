"""As large, with ERR@20 as a fifth measure, which of the peers only ir_measures has."""

from __future__ import annotations

from functools import partial

from benchmarks.races.scoring import WITH_ERR, contestants, trec_files
from benchmarks.racing.contest import Workload

WORKLOAD = Workload(
    "err",
    "as large, with ERR@20 too",
    partial(trec_files, "large"),
    contestants(WITH_ERR, peers=("ir_measures",)),
    files="**/*.txt",
)
