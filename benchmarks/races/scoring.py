"""From files to the scores of every topic: one function a contestant, for the races that do that.

Each reads the files with the contestant's own readers, as its documentation shows.  Averages serve the check that all
agree, and are not timed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from benchmarks.racing.contest import US, Answer, Command, Inside, Job

MEASURES = ("AP", "nDCG@10", "P@10", "RR")
WITH_ERR = (*MEASURES, "ERR@20")
TREC_NAMES = {"AP": "map", "nDCG@10": "ndcg_cut.10", "P@10": "P.10", "RR": "recip_rank"}
RANX_NAMES = {"AP": "map", "nDCG@10": "ndcg@10", "P@10": "precision@10", "RR": "mrr"}


class Start(Protocol):
    """A contestant: files and measures."""

    def __call__(self, place: Path, measures: Sequence[str]) -> Job:
        """Give the job."""


def trec_files(name: str, folder: Path) -> Path:
    """The files of a workload of `workloads.py`."""
    from benchmarks.workloads import make  # numpy is for the process that makes files only

    return make(name, folder)


def files_of(place: Path, runs: int | None = None) -> tuple[Path, list[Path]]:
    """Judgments and runs of a workload, or only its first so many runs."""
    return place / "qrels.txt", sorted((place / "runs").glob("*.txt"))[:runs]


def truegain(place: Path, measures: Sequence[str], jobs: int | None = None, runs: int | None = None) -> Job:
    """All files at once, in as many threads as there are cores."""
    import truegain as tg

    evaluate = tg.evaluate  # loaded when first asked for

    def job() -> Callable[[], Answer]:
        qrels, paths = files_of(place, runs)
        scores = evaluate(list(paths), qrels, list(measures), jobs=jobs)
        return lambda: {f"{s} {m}": v for s in scores.systems for m, v in scores.means(s).items() if v is not None}

    return job


def pytrec_eval(place: Path, measures: Sequence[str]) -> Job:
    """The judgments once, then run by run."""
    import pytrec_eval

    def job() -> Callable[[], Answer]:
        qrels, runs = files_of(place)
        with qrels.open() as lines:
            judged = pytrec_eval.parse_qrel(lines)
        evaluator = pytrec_eval.RelevanceEvaluator(judged, {TREC_NAMES[m] for m in measures})
        scores = {}
        for path in runs:
            with path.open() as lines:
                scores[path.stem] = evaluator.evaluate(pytrec_eval.parse_run(lines))
        key = {m: TREC_NAMES[m].replace(".", "_") for m in measures}
        return lambda: {
            f"{system} {m}": _mean(values[key[m]] for values in topics.values())
            for system, topics in scores.items()
            for m in measures
        }

    return job


def ir_measures(place: Path, measures: Sequence[str]) -> Job:
    """The judgments once (an evaluator), then run by run."""
    import ir_measures

    def job() -> Callable[[], Answer]:
        qrels, runs = files_of(place)
        parsed = {ir_measures.parse_measure(m): m for m in measures}
        judged = ir_measures.read_trec_qrels(str(qrels))  # type: ignore[no-untyped-call]
        evaluator = ir_measures.evaluator(list(parsed), judged)
        scores = {}
        for path in runs:
            run = ir_measures.read_trec_run(str(path))  # type: ignore[no-untyped-call]
            scores[path.stem] = list(evaluator.iter_calc(run))
        return lambda: {
            f"{system} {name}": _mean(v.value for v in values if v.measure == m)
            for system, values in scores.items()
            for m, name in parsed.items()
        }

    return job


def ranx(place: Path, measures: Sequence[str]) -> Job:
    """The judgments once, then run by run, with the number of threads it chooses itself."""
    import ranx  # type: ignore[import-untyped]

    names = [RANX_NAMES[m] for m in measures]

    def job() -> Callable[[], Answer]:
        qrels, runs = files_of(place)
        judged = ranx.Qrels.from_file(str(qrels))
        scores = {
            path.stem: ranx.evaluate(judged, ranx.Run.from_file(str(path)), names, return_mean=False) for path in runs
        }
        return lambda: {f"{s} {m}": float(v[RANX_NAMES[m]].mean()) for s, v in scores.items() for m in measures}

    return job


def trec_eval(place: Path, measures: Sequence[str]) -> Job:
    """The program itself, once a run; its scores have four decimals."""
    options = [word for m in measures for word in ("-m", TREC_NAMES[m])]
    program = shutil.which("trec_eval") or "trec_eval"

    def job() -> Callable[[], Answer]:
        qrels, runs = files_of(place)
        printed = {}
        for path in runs:
            command: list[str | Path] = [program, "-q", *options, qrels, path]
            printed[path.stem] = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return lambda: _of_topics(printed, measures)

    return job


def _of_topics(printed: dict[str, str], measures: Sequence[str]) -> Answer:
    found = {}
    for system, text in printed.items():
        rows = [line.split() for line in text.splitlines()]
        for m in measures:
            name = TREC_NAMES[m].replace(".", "_")
            found[f"{system} {m}"] = _mean(float(row[2]) for row in rows if row[0] == name and row[1] != "all")
    return found


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


PEERS: dict[str, tuple[Start, tuple[str, ...]]] = {
    "pytrec_eval": (pytrec_eval, ("pytrec_eval",)),
    "ir_measures": (ir_measures, ("ir_measures", "pytrec_eval")),
    "ranx": (ranx, ("ranx",)),
    "trec_eval": (trec_eval, ("program:trec_eval",)),
}


def contestants(measures: Sequence[str], peers: Sequence[str] = tuple(PEERS)) -> dict[str, Inside | Command]:
    """Ours, with all cores and with one, and peers."""
    found: dict[str, Inside | Command] = {
        US: Inside(partial(truegain, measures=measures)),
        f"{US}, 1 thread": Inside(partial(truegain, measures=measures, jobs=1)),
    }
    for name in peers:
        start, needs = PEERS[name]
        found[name] = Inside(partial(start, measures=measures), needs)
    return found


# ---------------------------------------------------------------------- whole commands


def ours(*words: str) -> list[str | Path]:
    """A command of truegain, of whichever version the process that starts it finds."""
    return [sys.executable, "-m", "truegain", *words]


def program(name: str) -> str:
    """A console script, first of the environment this runs in."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else name


def printed_means(text: str, system: str = "sys001") -> Answer:
    """Means out of what a command printed: `measure value`, `measure all value`, or a head line of measures.

    >>> printed_means("map all 0.25")
    {'sys001 AP': 0.25}
    """
    rows = [line.split() for line in text.splitlines() if line.strip()]
    found: dict[str, float] = {}
    for head, row in pairwise(rows):
        if set(MEASURES) <= set(head) and len(row) == len(head):
            found.update({f"{system} {m}": float(row[head.index(m)]) for m in MEASURES})
    names = {name.replace(".", "_"): m for m, name in TREC_NAMES.items()}
    for row in rows:
        for word in row:
            measure = names.get(word, word)
            if measure in MEASURES and f"{system} {measure}" not in found and _is_number(row[-1]):
                found[f"{system} {measure}"] = float(row[-1])
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
