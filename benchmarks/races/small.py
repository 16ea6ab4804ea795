"""One run of 50 topics x 1,000 documents: the whole command, start of the interpreter and imports included."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.races.scoring import MEASURES, PEERS, TREC_NAMES, files_of, ours, printed_means, program, trec_files
from benchmarks.racing.contest import US, Answer, Command, Inside, Workload

Words = Sequence[str | Path]


def _truegain(place: Path) -> Words:
    qrels, (run,) = files_of(place)
    return [*ours("eval", str(qrels), str(run)), *(word for m in MEASURES for word in ("-m", m))]


def _ir_measures(place: Path) -> Words:
    qrels, (run,) = files_of(place)
    return [program("ir_measures"), qrels, run, *MEASURES]


def _trec_eval(place: Path) -> Words:
    qrels, (run,) = files_of(place)
    return ["trec_eval", *(word for m in MEASURES for word in ("-m", TREC_NAMES[m])), qrels, run]


def _script(name: str, place: Path) -> Words:
    return [sys.executable, "-m", "benchmarks.racing.once", "benchmarks.races.small:SCRIPTS", place, name]


def _of_script(printed: str) -> Answer:
    answer: Answer = json.loads(printed)["answer"]
    return answer


WHAT = "one run, 50 topics x 1,000 documents; the whole command, its start included"
MAKE = partial(trec_files, "small")
_PEERS = {name: Inside(partial(PEERS[name][0], measures=MEASURES), PEERS[name][1]) for name in ("pytrec_eval", "ranx")}
SCRIPTS = Workload("small, scripts", WHAT, MAKE, {**_PEERS})
WORKLOAD = Workload(
    "small",
    WHAT,
    MAKE,
    {
        US: Command(_truegain, printed_means),
        "ir_measures": Command(_ir_measures, printed_means, ("ir_measures", "pytrec_eval")),
        "trec_eval": Command(_trec_eval, printed_means, ("program:trec_eval",)),
        **{
            name: Command(partial(_script, name), _of_script, peer.needs, "no command of its own: a script")
            for name, peer in _PEERS.items()
        },
    },
    files="**/*.txt",
)
