"""Who takes part: one function a contestant, from files to the scores of every topic.

Each function reads the files with the contestant's own readers, as its documentation shows, and returns how to
average what it scored; the averages serve the check that all agree, and are not timed.  Kept light on purpose:
what this module imports, every contestant pays for.
"""

from __future__ import annotations

import importlib
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

MEASURES = ("AP", "nDCG@10", "P@10", "RR")
WITH_ERR = (*MEASURES, "ERR@20")

Means = dict[str, dict[str, float]]  # system -> measure -> mean over topics
Averages = Callable[[], Means]
TREC_NAMES = {"AP": "map", "nDCG@10": "ndcg_cut.10", "P@10": "P.10", "RR": "recip_rank"}
RANX_NAMES = {"AP": "map", "nDCG@10": "ndcg@10", "P@10": "precision@10", "RR": "mrr"}


def truegain(qrels: Path, runs: Sequence[Path], measures: Sequence[str], jobs: int | None = None) -> Averages:
    """All files at once, in as many threads as there are cores."""
    import truegain as tg

    scores = tg.evaluate(list(runs), qrels, list(measures), jobs=jobs)
    return lambda: {system: scores.means(system) for system in scores.systems}


def pytrec_eval(qrels: Path, runs: Sequence[Path], measures: Sequence[str]) -> Averages:
    """The judgments once, then run by run."""
    import pytrec_eval

    with qrels.open() as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), {TREC_NAMES[m] for m in measures})
    scores = {}
    for path in runs:
        with path.open() as lines:
            scores[path.stem] = evaluator.evaluate(pytrec_eval.parse_run(lines))

    def means() -> Means:
        return {
            system: {m: _mean(values[TREC_NAMES[m].replace(".", "_")] for values in topics.values()) for m in measures}
            for system, topics in scores.items()
        }

    return means


def ir_measures(qrels: Path, runs: Sequence[Path], measures: Sequence[str]) -> Averages:
    """The judgments once (an evaluator), then run by run."""
    import ir_measures

    parsed = {ir_measures.parse_measure(m): m for m in measures}
    judged = ir_measures.read_trec_qrels(str(qrels))  # type: ignore[no-untyped-call]
    evaluator = ir_measures.evaluator(list(parsed), judged)
    scores = {}
    for path in runs:
        run = ir_measures.read_trec_run(str(path))  # type: ignore[no-untyped-call]
        scores[path.stem] = list(evaluator.iter_calc(run))

    def means() -> Means:
        return {
            system: {name: _mean(v.value for v in values if v.measure == m) for m, name in parsed.items()}
            for system, values in scores.items()
        }

    return means


def ranx(qrels: Path, runs: Sequence[Path], measures: Sequence[str]) -> Averages:
    """The judgments once, then run by run, with the number of threads it chooses itself."""
    import ranx  # type: ignore[import-untyped]

    judged = ranx.Qrels.from_file(str(qrels))
    names = [RANX_NAMES[m] for m in measures]
    scores = {
        path.stem: ranx.evaluate(judged, ranx.Run.from_file(str(path)), names, return_mean=False) for path in runs
    }

    def means() -> Means:
        return {system: {m: float(values[RANX_NAMES[m]].mean()) for m in measures} for system, values in scores.items()}

    return means


def trec_eval(qrels: Path, runs: Sequence[Path], measures: Sequence[str]) -> Averages:
    """The program itself, once a run; its scores have four decimals."""
    options = [word for m in measures for word in ("-m", TREC_NAMES[m])]
    program = shutil.which("trec_eval") or "trec_eval"
    printed = {
        path.stem: subprocess.run(
            [program, "-q", *options, qrels, path], check=True, capture_output=True, text=True
        ).stdout
        for path in runs
    }

    def means() -> Means:
        found: Means = {}
        for system, text in printed.items():
            rows = [line.split() for line in text.splitlines()]
            found[system] = {
                m: _mean(float(row[2]) for row in rows if row[0] == TREC_NAMES[m].replace(".", "_") and row[1] != "all")
                for m in measures
            }
        return found

    return means


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


CONTESTANTS: dict[str, Callable[[Path, Sequence[Path], Sequence[str]], Averages]] = {
    "truegain": truegain,
    "truegain, 1 thread": partial(truegain, jobs=1),
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
    "trec_eval": trec_eval,
}
MODULES = {
    "truegain": "truegain",
    "truegain, 1 thread": "truegain",
    "trec_eval": None,
}  # imported before the clock runs


def files_of(folder: Path, runs: int | None = None) -> tuple[Path, list[Path]]:
    """Judgments and runs of a workload, or only its first so many runs."""
    return folder / "qrels.txt", sorted((folder / "runs").glob("*.txt"))[:runs]


def peak_megabytes() -> float:
    """The most memory this process held, or a program that it started if that held more."""
    held = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return held / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def cpu_seconds() -> float:
    """Processor time of this process and of programs it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def main(name: str, folder: str, runs: str, measures: str) -> None:
    """Let one contestant run once; one line of JSON tells what it took (`runs` 0: all of them)."""
    begin = time.perf_counter()
    if module := MODULES.get(name, name):
        importlib.import_module(module)
    imported, cpu = time.perf_counter(), cpu_seconds()
    averages = CONTESTANTS[name](*files_of(Path(folder), int(runs) or None), measures.split())
    scored = time.perf_counter()
    took = {
        "seconds": scored - imported,
        "cpu": cpu_seconds() - cpu,
        "import": imported - begin,
        "peak": peak_megabytes(),
    }
    print(json.dumps({**took, "means": averages()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
