"""A simulated crowd judges a study through its pages; the export gives back the truth, and every figure of the paper.

The study is made by `annotate init`, served by `annotate serve`, judged by HTTP (`tests.judging.crowding`), and written
by `annotate export`; nothing is done to the file by hand.  `PAPER` names the command of each figure and table of
Maddalena et al. 2017, ACM TOIS 35(3); `docs/tutorials/magnitude.md` shows them one by one.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from scipy.stats import kendalltau, spearmanr
from tests.judging.crowding import LIST, Crowd, World, judged, made_world
from tests.judging.served import Nest, Served

from benchmarks.judging.load import machine
from truegain.data.label_list_reading import read_gold_list
from truegain.judging.store.database import default_url
from truegain.judging.study.study import read_study

Records = Sequence[Mapping[str, str]]
Command = Callable[..., str]  # the words of a command of ours -> what it prints
RATINGS, GAINS = "ratings.csv", "gains.csv"
SEVERAL = "experiment magnitudes ratings.csv"
GRADED, BINARY = "--expert expert.qrels", "--expert second.qrels"
MERGED = "--simulated 100"


class Shown(NamedTuple):
    """A figure or table of the paper: its command, and the numbers in it that are worth a line."""

    name: str
    words: str
    told: Callable[[Records], str]
    drawn: bool = True

    def run(self, command: Command, figure: str = "") -> Records:
        """Its table, and where a file is named its figure."""
        words = [*self.words.split(), "--format", "csv", *(["--figure", figure] if figure else [])]
        return list(csv.DictReader(command(*words).splitlines()))


def _each(name: str, value: str, among: str = "", where: str = "") -> Callable[[Records], str]:
    """One number a row, behind the row's name; of the rows alone whose column `among` says `where`."""
    return lambda rows: ", ".join(
        f"{row[name]} {float(row[value]):.3g}" for row in rows if row[value] and (not among or row[among] == where)
    )


def _middle(name: str) -> Callable[[Records], str]:
    return lambda rows: f"median {name} {median(float(row[name]) for row in rows if row[name]):.3g} of {len(rows)}"


def _collected(rows: Records) -> str:
    every = rows[-1]
    back, failed = (int(every[f"{name}_1"]) + int(every[f"{name}_2+"]) for name in ("back", "failed"))
    return f"{every['documents']} documents, {every['units']} units, {back} used the back button, {failed} sent back"


def _alpha(rows: Records) -> str:
    row = next(row for row in rows if row["statistic"] == "alpha ratio")
    return f"alpha {float(row['value']):.3f} [{float(row['low']):.3f}, {float(row['high']):.3f}]"


def _taus(rows: Records) -> str:
    return ", ".join(f"{row['units']} {row['measure'].partition('(')[0]} {float(row['tau']):.2f}" for row in rows)


def _best(rows: Records) -> str:
    best = max(rows, key=lambda row: float(row["mean_over_topics"]))
    return f"best {best['normalize']}, {best['aggregate']}: {float(best['mean_over_topics']):.3f}"


PAPER = (
    Shown("table I", f"{SEVERAL} {GRADED} --show collected", _collected, drawn=False),
    Shown("figure 1", f"{SEVERAL} {GRADED} --show habits", _each("topic", "D_of_log-normal")),
    Shown("figure 2", f"{SEVERAL} {GRADED} --show normalized", _each("topic", "D_of_log-normal")),
    Shown("figures 3, 4 left", f"{SEVERAL} {GRADED} --show means", _each("level", "median", "topic", "all")),
    Shown("figures 3, 4 right", f"{SEVERAL} {BINARY} --show means", _each("level", "median", "topic", "all")),
    Shown("section 5, tests", f"{SEVERAL} {GRADED} --show tests", _each("higher", "p_of_t")),
    Shown("figure 5", "agree ratings.csv --normalize geometric --scale ratio --show documents", _middle("max/min")),
    Shown("section 6.1, alpha", "agree ratings.csv --normalize geometric --scale ratio --show overall --first 10",
          _alpha, drawn=False),
    Shown("figure 6 left", f"{SEVERAL} {BINARY} --show units", _middle("agreement")),
    Shown("figure 6 right", f"{SEVERAL} {GRADED} --show units", _middle("agreement")),
    Shown("figure 7", f"{SEVERAL} {GRADED} --second second.qrels --show experts",
          lambda rows: ", ".join(f"{r['order_of']} as {r['as']} {float(r['mean_over_topics']):.3f}" for r in rows
                                 if r["levels"] == "all")),
    Shown("figure 8", f"{SEVERAL} {GRADED} --show combinations", _best),
    Shown("figure 9", f"{SEVERAL} {GRADED} --show sigma", _each("topic", "sigma", "topic", "all")),
    Shown("table II", "plan assessors --sigma 2 --error 2 --confidence 0.99", _each("error", "assessors"), drawn=False),
    Shown("figure 10", f"{SEVERAL} runs {BINARY} --show systems --units top3", _taus),
    Shown("figure 11", f"{SEVERAL} runs {GRADED} --show systems --units top3 {MERGED}", _taus),
    Shown("figure 12 left", f"{SEVERAL} runs {BINARY} --show resampled", _each("measure", "median")),
    Shown("figure 12 right", f"{SEVERAL} runs {GRADED} --show resampled {MERGED}", _each("measure", "median")),
    Shown("table III", f"{SEVERAL} runs {GRADED} --show mappings {MERGED}", _each("gain", "tau")),
    Shown("table IV above", f"{SEVERAL} runs {BINARY} --show systems", _taus),
    Shown("table IV below", f"{SEVERAL} runs {GRADED} --show systems {MERGED}", _taus),
    Shown("figure 13", f"{SEVERAL} {GRADED} --show units", _middle("Hk/Nk")),
    Shown("figure 14", f"{SEVERAL} {GRADED} --show profile", _each("level", "median")),
    Shown("figure 15", f"{SEVERAL} {GRADED} --show ratios", _each("ratio", "median")),
    Shown("sections 4.3, 9.2", f"{SEVERAL} {GRADED} --show numbers", _each("what", "share")),
    Shown("section 6.1, extremes", f"{SEVERAL} {GRADED} --show extremes", _middle("max/min")),
)  # fmt: skip


class Recovered(NamedTuple):
    """How far the gains of a topic's documents are in the order of their worth."""

    topic: str
    documents: int
    tau: float
    rho: float


def recovered(folder: Path, world: World) -> list[Recovered]:
    """Kendall's tau-b and Spearman's rho of gains and worth, topic by topic."""
    with (folder / GAINS).open(newline="") as file:
        rows = [(row["topic"], row["doc"], float(row["gain"])) for row in csv.DictReader(file)]
    found = []
    for topic in dict.fromkeys(topic for topic, _, _ in rows):
        pairs = [(gain, world.worth[topic, doc]) for t, doc, gain in rows if t == topic]
        gains, worth = (list(part) for part in zip(*pairs, strict=True))
        tau, rho = (float(f(gains, worth).statistic) for f in (kendalltau, spearmanr))
        found.append(Recovered(topic, len(pairs), tau, rho))
    return found


def against_export(folder: Path, crowd: Crowd) -> str:
    """How many rows of the export there are; of these, not as typed, twice, or with a chance that is not the design's.

    Hk and Nk that the list does not have were chosen, not drawn: their probability is 1.
    """
    with (folder / RATINGS).open(newline="") as file:
        rows = list(csv.DictReader(file))
    typed = crowd.typed
    wrong = sum((row["typed"], float(row["label"])) != tuple(typed.get(row["comment"], ("", np.nan))) for row in rows)
    twice = len(rows) - len({(row["unit"], row["doc"], row["assessor"]) for row in rows})
    listed = read_gold_list(folder / LIST)
    design = dict(zip(zip(listed.topics, listed.docs, strict=True), listed.probability.tolist(), strict=True))
    other = sum(float(row["probability"]) != design.get((row["topic"], row["doc"]), 1.0) for row in rows)
    return f"{len(rows):,} rows; not as typed {wrong}, twice {twice}, with another probability than the list's {other}"


async def _people(world: World, folder: Path, served: Served, seed: int) -> Crowd:
    study = read_study(folder / "study")

    def seen(done: int) -> None:
        print(f"\r{done:,} of {len(study.units):,} units", end="", file=sys.stderr, flush=True)

    crowd = await judged(world, study, served, seed=seed, seen=seen)
    print(file=sys.stderr)
    return crowd


def crowd(asked: argparse.Namespace) -> None:
    """Print what was found."""
    print(machine(), flush=True)
    place = nullcontext(asked.folder) if asked.folder else tempfile.TemporaryDirectory(prefix="truegain-crowd-")
    with place as name:
        folder = Path(name)
        folder.mkdir(exist_ok=True)
        _run(folder, asked)


def _run(folder: Path, asked: argparse.Namespace) -> None:
    def command(*words: str) -> str:
        line = [sys.executable, "-W", "ignore", "-m", "truegain", *words]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    world = made_world(folder, topics=asked.topics, docs=asked.docs, judgments=asked.judgments, seed=asked.seed)
    print(command("annotate", *world.init).partition("\n")[0])
    print(command("annotate", "check", "study"))
    nest = Nest(folder)
    try:
        with Served(nest, folder / "study", default_url(folder / "study"), clocks=True) as served:
            people = asyncio.run(_people(world, folder, served, asked.seed))
    finally:
        nest.close()
    print(f"{len(people.visitors)} people came; units ended: {people.ends}")
    print(command("annotate", "status", "study").partition("\n\n")[0])
    command("annotate", "export", "study", "-o", RATINGS)
    print(against_export(folder, people), end="\n\n")
    command("aggregate", RATINGS, "--normalize", "geometric", "-o", GAINS)
    print("| topic | documents | tau of gains and worth | rho |\n|---|---:|---:|---:|")
    found = recovered(folder, world)
    print("".join(f"| {r.topic} | {r.documents} | {r.tau:.3f} | {r.rho:.3f} |\n" for r in found), end="")
    print(f"| mean | | {np.mean([r.tau for r in found]):.3f} | {np.mean([r.rho for r in found]):.3f} |\n")
    (folder / "figures").mkdir(exist_ok=True)
    print("| paper | command | main numbers |\n|---|---|---|")
    for shown in PAPER:
        file = f"figures/{shown.name.replace(' ', '-').replace(',', '')}.svg" if shown.drawn else ""
        print(f"| {shown.name} | `truegain {shown.words}` | {shown.told(shown.run(command, file))} |", flush=True)
    print()
    print(command("eval", GAINS, "runs", "-m", "nDCG@10"))
    best, worst = "runs/system-1.run", f"runs/system-{len(list((folder / 'runs').iterdir()))}.run"
    print(command("verdict", RATINGS, worst, best, "--normalize", "geometric", "-m", "nDCG@10"))
