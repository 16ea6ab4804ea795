"""Measures of diversity: 20 runs x 50 topics x 1,000 documents, eight subtopics a topic, files to scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from importlib import import_module
from pathlib import Path

from benchmarks.races.scoring import files_of
from benchmarks.racing.contest import US, Answer, Inside, Job, Workload, kept

NAMES = {"alpha_nDCG(alpha=0.5)@20": "alpha-nDCG@20", "ERR_IA(alpha=0.5)@20": "ERR-IA@20", "StRecall@20": "strec@20"}
SUBTOPICS = 8


def make(folder: Path) -> Path:
    """Runs and judgments as in `large`, but fewer, each judgment of some subtopics."""
    from benchmarks.workloads import AdHoc, write

    wanted = AdHoc(systems=20, written=20)

    def with_subtopics(place: Path) -> dict[str, int]:
        import numpy as np

        write(wanted, place / "plain")
        (place / "plain" / "runs").rename(place / "runs")
        rng = np.random.default_rng(3)
        rows = [line.split() for line in (place / "plain" / "qrels.txt").read_text().splitlines()]
        with (place / "qrels.txt").open("w") as stream:
            for topic, _, doc, label in rows:
                for subtopic in np.flatnonzero(rng.random(SUBTOPICS) < 0.25).tolist():
                    stream.write(f"{topic} {subtopic + 1} {doc} {min(int(label), 1)}\n")
        return {"runs": wanted.written, "lines": wanted.written * wanted.topics * wanted.depth}

    return kept(folder / "diversity", {**asdict(wanted), "subtopics": SUBTOPICS}, with_subtopics)


def truegain(place: Path, jobs: int | None = None) -> Job:
    """All files at once."""
    import truegain as tg

    evaluate = tg.evaluate

    def job() -> Callable[[], Answer]:
        qrels, runs = files_of(place)
        scores = evaluate(list(runs), qrels, list(NAMES), jobs=jobs)
        return lambda: {
            f"{s} {n}": v
            for s in scores.systems
            for n, v in zip(NAMES.values(), scores.means(s).values(), strict=True)
            if v is not None
        }

    return job


def pyndeval(place: Path) -> Job:
    """Judgments and runs by a reader of ten lines: it takes lists, and has no reader of its own."""
    pyndeval = import_module("pyndeval")

    def job() -> Callable[[], Answer]:
        qrels, runs = files_of(place)
        with qrels.open() as lines:
            rows = (line.split() for line in lines)
            judged = [pyndeval.SubtopicQrel(q, s, d, int(label)) for q, s, d, label in rows]
        evaluator = pyndeval.RelevanceEvaluator(judged, list(NAMES.values()))
        found = {}
        for path in runs:
            with path.open() as lines:
                parts = (line.split() for line in lines)
                found[path.stem] = evaluator.evaluate([pyndeval.ScoredDoc(p[0], p[2], float(p[4])) for p in parts])
        return lambda: {
            f"{system} {name}": sum(values[name] for values in topics.values()) / len(topics)
            for system, topics in found.items()
            for name in NAMES.values()
        }

    return job


WORKLOAD = Workload(
    "diversity",
    "20 runs x 50 topics x 1,000 documents, 8 subtopics; files to alpha-nDCG@20, ERR-IA@20 and subtopic recall",
    make,
    {
        US: Inside(truegain),
        f"{US}, 1 thread": Inside(partial(truegain, jobs=1)),
        "pyndeval": Inside(pyndeval, ("pyndeval",), note="read by a few lines of Python"),
    },
    files="**/*.txt",
)
