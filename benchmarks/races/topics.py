"""One run of 6,980 topics x 1,000 documents, one or two judgments a topic: files to the scores of every topic."""

from __future__ import annotations

from functools import partial

from benchmarks.races.scoring import MEASURES, contestants, trec_files
from benchmarks.racing.contest import Workload

WORKLOAD = Workload(
    "topics",
    "one run, 6,980 topics x 1,000 documents; files to the same scores",
    partial(trec_files, "topics"),
    contestants(MEASURES),
    files="**/*.txt",
)
