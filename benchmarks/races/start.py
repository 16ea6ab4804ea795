"""How long it takes until a command can do anything: its help."""

from __future__ import annotations

import sys

from benchmarks.races.scoring import ours, program
from benchmarks.racing.contest import US, Command, Workload, silent, without_files

WORKLOAD = Workload(
    "start",
    "`--help`, and for libraries without a command their import",
    without_files,
    {
        US: Command(lambda _: ours("--help"), silent),
        f"{US} eval": Command(lambda _: ours("eval", "--help"), silent),
        f"import {US}": Command(lambda _: [sys.executable, "-c", f"import {US}"], silent),
        "python alone": Command(lambda _: [sys.executable, "-c", "pass"], silent),
        "ir_measures": Command(lambda _: [program("ir_measures"), "--help"], silent, ("ir_measures",)),
        "import pytrec_eval": Command(lambda _: [sys.executable, "-c", "import pytrec_eval"], silent, ("pytrec_eval",)),
        "import ranx": Command(lambda _: [sys.executable, "-c", "import ranx"], silent, ("ranx",)),
    },
)
