"""129 runs x 50 topics x 1,000 documents, pools as deep as TREC's: files to the scores of every topic."""

from __future__ import annotations

from functools import partial

from benchmarks.races.scoring import MEASURES, contestants, trec_files
from benchmarks.racing.contest import Workload

WORKLOAD = Workload(
    "large",
    "129 runs x 50 topics x 1,000 documents; files to AP, nDCG@10, P@10 and RR of every topic",
    partial(trec_files, "large"),
    contestants(MEASURES),
    files="**/*.txt",
)
