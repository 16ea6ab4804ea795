"""Whose ratings count: what leaving out and weighing assessors do to gains, and how often identical ones are found.

Simulated crowds of known truth: 200 documents of normal worth, five ratings each in units dealt to 25 workers (60 for
units of 8), on levels cut from what a worker sees, the worth with an error of their own; blind ones see nothing of it.
The share of pairs of documents in their true order is (1 + tau-b)/2.  Then TREC's crowd of 2010 against NIST's labels.
"""

from __future__ import annotations

import lzma
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

import truegain as tg
from truegain.aggregation.assessors import twins
from truegain.data.judgments import Judgments, judgments_of_columns
from truegain.data.rating_groups import Grouped
from truegain.errors import DataWarning
from truegain.io.columns import Floats
from truegain.results.base import Table
from truegain.results.table import Cell

WAYS: dict[str, dict[str, str]] = {
    "all alike": {},
    "flagged left out": {"drop_assessors": "flagged"},
    "weighed": {"weight_assessors": "agreement"},
    "both": {"drop_assessors": "flagged", "weight_assessors": "agreement"},
}
CROWDS: dict[str, dict[str, float]] = {
    "two in ten blind": {"blind": 0.2},
    "four in ten blind": {"blind": 0.4},
    "two in ten blind, units of 8": {"blind": 0.2, "unit": 8, "workers": 60},
    "none blind, errors 0.2 to 2": {"least": 0.2, "most": 2.0},
    "none blind, errors 0.5 to 1": {},
    "none blind, units of 8": {"unit": 8, "workers": 60},
}
COPIED: dict[str, dict[str, float]] = {
    "4 levels, units of 20": {"least": 0.3, "most": 1.5},
    "2 levels, units of 20": {"least": 0.3, "most": 1.5, "levels": 2},
    "2 levels, skewed": {"least": 0.3, "most": 1.5, "levels": 2, "mean": -1.5},
    "4 levels, 8 workers, units of 50": {"least": 0.3, "most": 1.5, "workers": 8, "unit": 50},
    "2 levels, 8 very good workers": {"least": 0.05, "most": 0.6, "workers": 8, "unit": 50, "levels": 2},
}


def crowd(seed: int, settings: Mapping[str, float], copies: int = 0) -> tuple[dict[str, float], Judgments]:
    """The worth of documents, and what workers say of them; the first `copies` workers are copied by others."""
    asked = {"blind": 0.0, "unit": 20, "workers": 25, "least": 0.5, "most": 1.0, "levels": 4, "mean": 0.0, **settings}
    rng, people = np.random.default_rng(seed), int(asked["workers"])
    worth, error = rng.normal(asked["mean"], 1, 200), rng.uniform(asked["least"], asked["most"], people)
    blind, cuts = rng.random(people) < asked["blind"], np.linspace(-1, 1, int(asked["levels"]) - 1)
    said: dict[tuple[int, int], float] = {}
    for unit in np.concatenate([rng.permutation(200) for _ in range(5)]).reshape(-1, int(asked["unit"])):
        w = int(rng.integers(people))
        for d in unit.tolist():
            seen = rng.normal(asked["mean"]) if blind[w] else worth[d] + error[w] * rng.normal()
            said.setdefault((d, w), float(np.searchsorted(cuts, seen)))
    rows = [(f"d{d}", f"w{w}", v) for (d, w), v in said.items()]
    rows += [(f"d{d}", f"copy-{w}", v) for (d, w), v in said.items() if w < copies]
    docs, who, values = (list(column) for column in zip(*rows, strict=True))
    ratings = judgments_of_columns(["1"] * len(rows), docs, np.array(values), "crowd", assessors=who)
    return {f"d{i}": float(v) for i, v in enumerate(worth)}, ratings


def ordered(gains: Judgments, truth: Mapping[tuple[str, str], float]) -> dict[str, float]:
    """By topic the share of pairs of documents in their true order, (1 + tau-b)/2; none where all are tied."""
    shares = {}
    for code, topic in enumerate(gains.topic.values):
        here = np.flatnonzero(gains.topic.code == code)
        pairs = [(float(gains.label[i]), truth[topic, d]) for i in here if (topic, d := gains.docs[int(i)]) in truth]
        if len({g for g, _ in pairs}) > 1 and len({t for _, t in pairs}) > 1:
            shares[topic] = float(1 + kendalltau(*zip(*pairs, strict=True)).statistic) / 2
    return shares


def paid(worlds: int) -> Table:
    """What each way of choosing does to the mean rating, in crowds of known truth."""
    rows: list[tuple[Cell, ...]] = []
    for name, settings in CROWDS.items():
        found = np.array([_one(*crowd(seed, settings)) for seed in range(worlds)])
        apart = (found - found[:, :1]).std(axis=0, ddof=1) / np.sqrt(worlds)
        rows.append((name, *found.mean(axis=0).tolist(), float(apart.max())))
    columns = ("crowd", *WAYS, "standard error")
    notes = (f"share of pairs in true order, mean over {worlds} worlds; the error is that of differences, the largest",)
    return Table(columns, rows, title="Whose ratings count", notes=notes)


def _one(worth: Mapping[str, float], ratings: Judgments) -> Floats:
    truth = {("1", d): v for d, v in worth.items()}
    made = [tg.aggregate(ratings, "mean", **way) for way in WAYS.values()]  # type: ignore[arg-type]
    return np.array([ordered(gains, truth)["1"] for gains in made])


def copied(worlds: int) -> Table:
    """How often honest assessors are taken for one another, and how many of those who copy are found."""
    rows: list[tuple[Cell, ...]] = []
    for name, settings in COPIED.items():
        wrong = sum(bool(twins(Grouped.of(crowd(seed, settings)[1]))) for seed in range(worlds))
        found = asked = 0
        for seed in range(worlds):
            ratings = crowd(seed, settings, copies=3)[1]
            told = twins(Grouped.of(ratings))
            assert ratings.assessor is not None
            there = [w for w in range(3) if f"copy-{w}" in ratings.assessor.values]
            asked += len(there)
            found += sum(f"copy-{w}" in told or f"w{w}" in told for w in there)
        rows.append((name, wrong, worlds, found, asked))
    columns = ("crowd", "studies with a false alarm", "studies", "copies found", "copies")
    return Table(columns, rows, title="Identical assessors")


def nist(data: Path) -> Table:
    """TREC's crowd of 2010, mean ratings against NIST's labels of the same documents, topic by topic."""
    place = data / "trec_rf10_crowd" / "trec-rf10-data.txt.xz"
    if not place.exists():
        raise FileNotFoundError(place)
    with lzma.open(place, "rt") as file:
        lines = [line.rstrip("\n").split("\t") for line in file][1:]
    truth = {(topic, doc): float(gold) for topic, _, doc, gold, _ in lines if int(gold) >= 0}
    kept = list({(t, w, d): (t, w, d, float(v)) for t, w, d, _, v in reversed(lines) if float(v) >= 0}.values())[::-1]
    topics, who, docs, values = (list(column) for column in zip(*kept, strict=True))
    ratings = judgments_of_columns(topics, docs, np.array(values), str(place), assessors=who)
    made = [ordered(tg.aggregate(ratings, "mean", **way), truth) for way in WAYS.values()]  # type: ignore[arg-type]
    topics = sorted(set.intersection(*(set(one) for one in made)))
    found = np.array([[one[t] for t in topics] for one in made])
    gain = found - found[0]
    error = gain.std(axis=1, ddof=1) / np.sqrt(len(topics))
    rows = list(zip(WAYS, found.mean(axis=1).tolist(), gain.mean(axis=1).tolist(), error.tolist(), strict=True))
    title = f"TREC 2010: {len(truth):,} documents with NIST's label, {len(topics)} topics"
    return Table(("ratings", "pairs as NIST", "gain", "standard error"), rows, title=title)


def choice(worlds: int, data: Path) -> None:
    """Print all tables."""
    tables: list[Callable[[], Table]] = [lambda: paid(worlds), lambda: copied(worlds), lambda: nist(data)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for table in tables:
            try:
                print(f"{table()}\n", flush=True)
            except FileNotFoundError as error:
                print(f"skipped: {error.args[0]} is not there\n", flush=True)
