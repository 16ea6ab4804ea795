"""Real crowd labels (TREC 2010 relevance feedback): many workers, of whom most met few pages with a NIST label."""

from __future__ import annotations

import csv
import lzma
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.judge.draws import Array, Interval, Tally
from benchmarks.judge.labels import pooled, t_interval
from benchmarks.rectified import by_topics, gold_alone, told
from truegain.experiments.judge_errors import BronzeMean, correct_mean
from truegain.judge_error.gold_pairs import Pairs
from truegain.judge_error.judge import Judge
from truegain.results.base import Table
from truegain.stats.student_t import quantile_of, satterthwaite

Whole = npt.NDArray[np.int64]
Which = npt.NDArray[np.bool_]
GOLD_TOPICS = (10, 20, 30)
SHRINK = 10.0  # labels of the whole crowd that are added to each worker's own
PRIOR = 0.5  # labels of a faultless judge, saying what the gold topics say on average, that are added to each topic's


@dataclass(frozen=True, eq=False)
class Votes:
    """One row a label: page, worker, and whether it says relevant; pages with topic and NIST's label."""

    page: Whole
    worker: Whole
    said: Array
    topic: Whole  # of each page, ascending
    true: Array  # of each page
    topics: int
    workers: int

    @cached_property
    def counts(self) -> Array:
        """By topic and worker: right and all labels of relevant pages, right and all of non-relevant ones."""
        cell = self.topic[self.page] * self.workers + self.worker
        true = self.true[self.page]
        kinds = (true * self.said, true, (1 - true) * (1 - self.said), 1 - true)
        flat = [np.bincount(cell, kind, self.topics * self.workers) for kind in kinds]
        return np.array(flat, np.float64).reshape(4, self.topics, self.workers)

    def accuracies(self, topics: Which) -> tuple[Array, Array, float]:
        """Accuracies mR and mN of every worker on the pages of some topics, drawn toward the whole crowd's; and P."""
        right_r, all_r, right_n, all_n = self.counts[:, topics].sum(axis=1)
        m_r, m_n = (right_r.sum() + 1) / (all_r.sum() + 2), (right_n.sum() + 1) / (all_n.sum() + 2)
        inside = topics[self.topic]
        share = (self.true[inside].sum() + 1) / (inside.sum() + 2)
        return (right_r + SHRINK * m_r) / (all_r + SHRINK), (right_n + SHRINK * m_n) / (all_n + SHRINK), float(share)

    def mean_by_topic(self, pages: Array) -> Array:
        """Mean over the pages of each topic."""
        return np.bincount(self.topic, pages, self.topics) / np.bincount(self.topic, minlength=self.topics)

    def weighted(self, m_r: Array, m_n: Array, share: float) -> Array:
        """How likely each page is relevant by all of its labels, each as telling as its worker is accurate."""
        m_r, m_n = (np.clip(m, 0.01, 0.99)[self.worker] for m in (m_r, m_n))
        telling = np.where(self.said == 1, np.log(m_r / (1 - m_n)), np.log((1 - m_r) / m_n))
        odds = math.log(share / (1 - share)) + np.bincount(self.page, telling, len(self.topic))
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30, 30))), np.float64)

    def corrected(self, m_r: Array, m_n: Array, share: float) -> Array:
        """Section 3.9 of the paper: each label corrected with its worker's accuracy, by topic.

        (label - 1 + mN) / D is right on average for every worker; with variances near 1/D^2 the mean with least
        variance is the sum of D (label - 1 + mN) over the sum of D^2; a topic of chance labels gets the share of all.
        """
        d = (m_r + m_n - 1)[self.worker]
        topic = self.topic[self.page]
        above = np.bincount(topic, d * (self.said - 1 + m_n[self.worker]), self.topics)
        below = np.bincount(topic, d * d, self.topics)
        return np.asarray((above + PRIOR * share) / (below + PRIOR), np.float64)


def read(path: Path) -> Votes:
    """Labels of pages that NIST has labeled as well, broken links left out; relevant is 1 or 2."""
    with lzma.open(path, "rt") as stream:
        rows = [r for r in csv.DictReader(stream, delimiter="\t") if int(r["gold"]) >= 0 and int(r["label"]) >= 0]
    pages = sorted({(r["topicID"], r["docID"]) for r in rows})
    topics = sorted({t for t, _ in pages})
    workers = sorted({r["workerID"] for r in rows})
    number, topic, worker = ({x: i for i, x in enumerate(names)} for names in (pages, topics, workers))
    page = np.array([number[r["topicID"], r["docID"]] for r in rows])
    true = np.zeros(len(pages))
    true[page] = [float(int(r["gold"]) >= 1) for r in rows]
    said = np.array([float(int(r["label"]) >= 1) for r in rows])
    of_page = np.array([topic[t] for t, _ in pages])
    return Votes(page, np.array([worker[r["workerID"]] for r in rows]), said, of_page, true, len(topics), len(workers))


def crowd(path: Path, draws: int, seed: int) -> list[Table]:
    """The share of relevant pages a topic, corrected with NIST's labels of 10, 20 or 30 other topics."""
    votes = read(path)
    rng = np.random.default_rng(seed)
    count = np.bincount(votes.page)
    most = (np.bincount(votes.page, votes.said) / count > 0.5).astype(np.float64)
    order = rng.permutation(len(votes.page))
    one = np.empty(len(votes.topic))
    one[votes.page[order]] = votes.said[order]
    rows: list[tuple[Any, ...]] = []
    for gold_topics in GOLD_TOPICS:
        tallies: dict[tuple[str, str], Tally] = {}
        for child in np.random.SeedSequence(seed).spawn(draws):
            gold = np.zeros(votes.topics, np.bool_)
            gold[np.random.default_rng(child).choice(votes.topics, gold_topics, replace=False)] = True
            _split(votes, most, one, gold, lambda *key: tallies.setdefault(key, Tally()))  # noqa: B023
        rows += [(gold_topics, *key, *pooled([tally])) for key, tally in tallies.items()]
    note = (
        f"{len(votes.topic)} pages of {votes.topics} topics with NIST labels, {len(votes.page)} labels by "
        f"{votes.workers} workers; {draws} splits; the truth is NIST's share of relevant pages, mean over the topics "
        f"without gold. Workers' mR and mN are drawn toward the whole crowd's by {SHRINK:g} labels; for a gold topic "
        "they come from the other gold topics.",
    )
    head = ("gold topics", "bronze", "method", "coverage", "median width", "refused")
    return [Table(head, rows, title="TREC 2010 relevance feedback, crowd labels", notes=note)]


def _split(votes: Votes, most: Array, one: Array, gold: Which, tally: Callable[[str, str], Tally]) -> None:
    """One choice of gold topics: ask every method."""
    y = votes.mean_by_topic(votes.true)
    truth, some = float(y[~gold].mean()), np.where(gold, y, np.nan)

    def rectified(f: Array) -> Interval:
        return told(by_topics(f, some, others=True), these=True).interval

    tally("(none)", "gold only").ask(lambda: gold_alone(some, others=True), truth)
    for name, pages in (("majority of all workers", most), ("one worker a page", one)):
        f = votes.mean_by_topic(pages)
        tally(name, "rectified").ask(lambda f=f: rectified(f), truth)  # type: ignore[misc]
        tally(name, "matrix").ask(lambda p=pages: _matrix(votes, p, gold), truth)  # type: ignore[misc]
        tally(name, "uncorrected").ask(lambda f=f: t_interval(f[~gold]), truth)  # type: ignore[misc]
    weighted, each = "weighted by worker", "each worker's own accuracy"
    own = _Own.of(votes, gold)
    f, voted = votes.mean_by_topic(own.pages), (own.pages > 0.5).astype(np.float64)
    tally(weighted, "rectified").ask(lambda: rectified(f), truth)
    tally(weighted, "matrix").ask(lambda: _matrix(votes, voted, gold), truth)
    tally(weighted, "uncorrected").ask(lambda: t_interval(f[~gold]), truth)
    tally(each, "rectified").ask(lambda: rectified(own.scores), truth)
    tally(each, "corrected (3.9)").ask(lambda: own.interval(gold), truth)


def _matrix(votes: Votes, pages: Array, gold: Which) -> Interval:
    """The confusion matrix of a vote inverted, its accuracy measured on the gold topics."""
    inside = gold[votes.topic]
    names = tuple(str(t) for t in range(votes.topics))
    pairs = Pairs(
        names, votes.topic[inside], pages[inside], votes.true[inside], np.ones(inside.sum()), {0.0: 0.5, 1.0: 0.5}
    )
    there = votes.mean_by_topic(pages)[~gold]
    bronze = BronzeMean(float(np.clip(there.mean(), 0, 1)), len(there), there.std(ddof=1))
    found = correct_mean(Judge.fit(pairs, None, "elsewhere"), bronze)
    return found.low, found.high


@dataclass(frozen=True, eq=False)
class _Own:
    """What each worker's own accuracy makes of the labels; on gold topics, of the accuracy on the *other* gold topics.

    pages: weighted votes.  scores: corrected scores by topic.  without: their mean over the topics without gold, each
    gold topic left out in turn.
    """

    pages: Array
    scores: Array
    without: Array

    @classmethod
    def of(cls, votes: Votes, gold: Which) -> _Own:
        m_r, m_n, share = votes.accuracies(gold)
        pages, scores = votes.weighted(m_r, m_n, share), votes.corrected(m_r, m_n, share)
        without = []
        for t in np.flatnonzero(gold):
            others = gold.copy()
            others[t] = False
            m_r, m_n, share = votes.accuracies(others)
            again, inside = votes.corrected(m_r, m_n, share), votes.topic == t
            pages[inside] = votes.weighted(m_r, m_n, share)[inside]
            scores[t] = again[t]
            without.append(again[~gold].mean())
        return cls(pages, scores, np.array(without))

    def interval(self, gold: Which) -> Interval:
        """Mean over the topics without gold; variance over these, and over gold topics by the jackknife."""
        there, g = self.scores[~gold], len(self.without)
        of_topics = there.var(ddof=1) / len(there)
        of_gold = (g - 1) * self.without.var()
        df = satterthwaite([(float(of_topics), len(there) - 1.0), (float(of_gold), g - 1.0)])
        half = quantile_of(0.95, df) * math.sqrt(of_topics + of_gold)
        return max(0.0, float(there.mean() - half)), min(1.0, float(there.mean() + half))
