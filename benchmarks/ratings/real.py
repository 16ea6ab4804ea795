"""The tables of docs/evidence/assessors.md on real ratings: cystic fibrosis, CSFCube, and the slider of TREC 2011.

Agreement, RawG against UG at p = 0.1, 0.2 and 0.5 with runs ranked from the texts by `truegain.experiments.ranker`, and
the ways from slider positions to gains.  Nothing is written.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.content_real import MissingDataError, lines_of
from truegain.data.judgments import Judgments
from truegain.data.ratings import read_ratings
from truegain.data.run import run_of_columns
from truegain.data.runs import Runs
from truegain.errors import DataWarning
from truegain.experiments.magnitude_levels import ratios_table
from truegain.experiments.magnitude_units import magnitudes, numbers_table
from truegain.experiments.ranker import rank
from truegain.experiments.unanimity_gains import unanimity
from truegain.reliability.agree import AgreementReport, agreement
from truegain.results.base import Table

SENTENCE_LABEL = re.compile(r"\b(background|method|result|objective|other)_label:")


def real(data: Path) -> None:
    """Print every table; what is not there is told and skipped."""
    for name, tables in (("cystic_fibrosis", cystic), ("csfcube", csfcube), ("trec2011_crowd", slider)):
        try:
            show(name, tables, data)
        except MissingDataError as error:
            print(f"skipped {name}: {error}\n", flush=True)


def show(name: str, tables: Callable[[Path], Iterator[Table]], data: Path) -> None:
    """Print the tables of one collection."""
    print(f"# {name}\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # documents without judgments; dropped labels, told in the docs
        for table in tables(data):
            print(f"{table}\n", flush=True)


def agreed(found: AgreementReport) -> Iterator[Table]:
    """What the documentation quotes of agreement."""
    yield found.overall
    if len(found.assessors.rows) <= 10:
        yield found.assessors


def cystic(data: Path) -> Iterator[Table]:
    """Cystic fibrosis: four judges, 0 to 2."""
    folder = data / "cystic_fibrosis"
    records = csv.DictReader(lines_of(folder / "docs.tsv.xz"), delimiter="\t")
    texts = {r["recordnum"]: f"{r['title'] or ''}\n{r['abstract'] or ''}" for r in records}
    labels = pl.DataFrame(list(csv.DictReader(lines_of(folder / "judgments_4judges.csv.gz"))))
    judges = [name for name in labels.columns if name.startswith("judge")]
    ratings = read_ratings(labels, assessors=judges, scale="ordinal 0:2")
    yield from agreed(agreement(ratings, scale="ordinal 0:2"))
    queries = dict(line.rstrip("\n").split("\t", 1) for line in lines_of(folder / "queries.tsv.gz"))
    found = unanimity(ratings, rank(texts, queries), scale="0:2")
    yield from (found.rankings, found.changed)


def csfcube(data: Path) -> Iterator[Table]:
    """CSFCube: two annotators, 0 to 3, a query is a paper and a facet; labels of -1 are dropped.

    RawG against UG twice: without the labels of sentences in the texts, and with them.
    """
    folder = data / "csfcube"
    records = list(csv.DictReader(lines_of(folder / "docs.tsv.xz"), delimiter="\t"))
    rows = list(csv.DictReader(lines_of(folder / "judgments_long.csv.gz")))
    frame = pl.DataFrame(
        [(f"{r['query']}-{r['facet']}", r["doc"], r["ann1"], r["ann2"]) for r in rows],
        schema=["topic", "doc", "ann1", "ann2"],
        orient="row",
    )
    ratings = read_ratings(frame, assessors=["ann1", "ann2"], scale="ordinal 0:3", out_of_range="drop")
    yield from agreed(agreement(ratings, scale="ordinal 0:3"))
    papers = {f"{r['query']}-{r['facet']}": r["query"] for r in rows}
    for about, clean in (("", True), (", labels of sentences left in", False)):
        texts = {}
        for r in records:
            text = f"{r['title'] or ''}\n{r['abstract_with_sentence_labels'] or ''}"
            texts[r["paper_id"]] = SENTENCE_LABEL.sub(" ", text) if clean else text
        runs = _without(rank(texts, {topic: texts[paper] for topic, paper in papers.items()}), papers)
        found = unanimity(ratings, runs, scale="0:3")
        for table in (found.rankings, found.changed):
            yield Table(table.columns, table.rows, table.provenance, table.title + about, table.notes)


def slider(data: Path) -> Iterator[Table]:
    """TREC 2011: positions 0 to 100 plus 1 as magnitudes, the first where a worker gave two, held against NIST."""
    folder = data / "trec2011_crowd"
    rows = [r for r in csv.DictReader(lines_of(folder / "uc3m" / "judgments_long.csv.gz")) if r["run"] != "1"]
    frame = pl.DataFrame(
        [(r["topic"], r["doc"], r["worker"], float(r["rel"])) for r in rows],
        schema=["topic", "doc", "assessor", "label"],
        orient="row",
    )
    positions = read_ratings(frame, repeated="first")
    nist = pl.DataFrame(
        [
            (topic, doc, float(label))
            for _, topic, doc, label, *_ in csv.reader(
                lines_of(folder / "vuurens" / "task1_unlabeled_g_truth_cons_public.txt.gz"), delimiter="\t"
            )
            if label in ("0", "1", "2")
        ],
        schema=["topic", "doc", "label"],
        orient="row",
    )
    found = agreement(positions, scale="interval 0:100")
    yield from agreed(found)
    moved = read_ratings(frame.with_columns(pl.col("label") + 1), repeated="first")
    experts = Judgments.of(nist)
    compared = magnitudes(moved, experts)
    yield compared.combinations
    yield Table(compared.habits.columns, compared.habits.rows[-1:], compared.habits.provenance, compared.habits.title)
    yield numbers_table(moved)
    yield ratios_table(moved, experts)


def _without(runs: Runs, papers: Mapping[str, str]) -> Runs:
    """The same runs, no list holding the paper that is its query."""
    parts = []
    for run in runs.parts:
        topics, docs = run.topic.strings(), run.docs.strings()
        keep = np.array([papers[t] != d for t, d in zip(topics, docs, strict=True)])
        kept = np.flatnonzero(keep)
        parts.append(
            run_of_columns(run.system, [topics[i] for i in kept], [docs[i] for i in kept], run.score[kept], run.system)
        )
    return Runs(tuple(parts))
