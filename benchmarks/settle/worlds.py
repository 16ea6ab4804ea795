"""Worlds in which labels are asked for until it is known: two systems, a judge's labels of all, people's of all.

Own worlds: 50 topics, P@10, three to seven of each first ten in common, so that about 500 pairs of topic and document
differ.  A document of the candidate alone is relevant with the chance p + d/2, one of the baseline alone with p - d/2,
p and d by topic.  The judge errs more often in some topics than in others.  Topics fixed, the truth is the difference
by all labels of people; topics sampled, that of the population, half of the mean of d.

The constants of the bets (`HORIZONS`) were chosen in another world (other chances, a judge whose errors are alike in
all topics) and on DL19 with gpt-4o_umbrela.  Worlds, judges and seeds here were written down before the first result,
and nothing was changed after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np

import truegain as tg
from benchmarks.judge.labels import read_wide
from benchmarks.study.real import DATA, Labels, dl19
from truegain.experiments.spending_again import Labeled
from truegain.io.columns import Bools, Floats, Ints

TOPICS, DEPTH = 50, 10
JUDGES = ("gpt-4_umbrela", "llama3.2_umbrela", "flant5_Thomas")
LEAST_PAIRS = 150  # of DL19: two runs that differ in fewer need no plan


@dataclass(frozen=True, eq=False)
class Case:
    """Two systems, what a judge and people say of their documents, and the true difference."""

    known: Labeled
    truth: float
    cannot: Bools | None = None  # documents that nobody can judge
    level: int = 1  # the judge's smallest relevant label
    chance: Floats | None = None  # of each document to be relevant, given all but people's labels

    @property
    def weight(self) -> Floats:
        """What each document counts in the difference."""
        return np.asarray((self.known.weight[1] - self.known.weight[0]) / len(self.known.topics))

    @property
    def sizes(self) -> Floats:
        """How likely each is to be drawn."""
        return self.known.sizes("ordered", 0, 1)

    @property
    def pairs(self) -> int:
        """Documents that can change the difference."""
        return int((self.sizes > 0).sum())

    @property
    def by_judge(self) -> Floats:
        """The difference of each topic by the judge's labels."""
        known = self.known
        said = (known.stratum >= self.level).astype(float)
        d = np.bincount(known.topic, (known.weight[1] - known.weight[0]) * said, len(known.topics))
        return np.asarray(d, np.float64)

    def study(self) -> tg.Study:
        """The same as runs and judgments; documents are named by their number."""
        known = self.known
        llm: dict[str, dict[str, int]] = {t: {} for t in known.topics}
        runs: dict[str, dict[str, dict[str, float]]] = {s: {t: {} for t in known.topics} for s in known.systems}
        for i, t in enumerate(known.topic.tolist()):
            topic = known.topics[t]
            llm[topic][f"d{i}"] = int(known.stratum[i])
            for s, name in enumerate(known.systems):
                if known.weight[s, i] > 0:
                    runs[name][topic][f"d{i}"] = float(i + 1)
        return tg.Study(runs, llm, known.measure)

    def label(self, doc: str) -> float | None:
        """What people say of a document; None where they cannot judge it."""
        i = int(doc[1:])
        return None if self.cannot is not None and self.cannot[i] else float(self.known.gold[i])


@dataclass(frozen=True)
class Own:
    """How own documents and labels come about.

    relevant: least and greatest chance p of a topic; effect: d of the study lies between minus and plus this; vary: and
    that of a topic as far from it; right: of the judge's labels; lean: of the candidate's documents that are not
    relevant, called relevant besides; apart: where given, how many relevant documents more one system has; cannot:
    share of the documents that speak for the candidate which nobody can judge.
    """

    relevant: tuple[float, float] = (0.25, 0.75)
    effect: float = 0.2
    vary: float = 0.25
    right: float = 0.8
    lean: float = 0.2
    apart: int | None = None
    cannot: float = 0.0
    exactly: float | None = None  # d itself, where the truth is that of a population of topics
    topics: int = TOPICS

    def draw(self, rng: np.random.Generator) -> Case:
        """One study."""
        common = rng.integers(3, 8, self.topics)
        d = rng.uniform(-self.effect, self.effect) if self.exactly is None else self.exactly
        topic, side = self._documents(common)
        p = rng.uniform(*self.relevant, self.topics)[topic]
        by_topic = d + rng.uniform(-self.vary, self.vary, self.topics)
        chance = np.clip(p + side * by_topic[topic] / 2, 0, 1)
        gold = (rng.random(len(topic)) < chance).astype(np.float64)
        if self.apart is not None:
            self._bring_together(gold, side, rng)
        bronze, likelier = self._judged(gold, side, topic, rng)
        weight = np.stack([side <= 0, side >= 0]) / DEPTH
        names = tuple(f"t{t:02d}" for t in range(self.topics))
        known = Labeled(("prod", "new"), names, topic, bronze, gold, weight, (0.0, 1.0), f"P@{DEPTH}")
        truth = float((weight[1] - weight[0]) @ gold) / self.topics if self.exactly is None else self.exactly / 2
        stuck = None
        if self.cannot:
            stuck = (side * (gold - 0.5) > 0) & (rng.random(len(gold)) < self.cannot)
        after = chance * likelier / (chance * likelier + 1 - chance)
        return Case(known, round(truth, 12), cannot=stuck, chance=after if self.apart is None else None)

    @staticmethod
    def _documents(common: Ints) -> tuple[Ints, Ints]:
        """Topic and side (1: the candidate's alone, -1: the baseline's, 0: both) of each document."""
        rows = [(t, s) for t, n in enumerate(common.tolist()) for s, k in ((0, n), (1, DEPTH - n), (-1, DEPTH - n))
                for _ in range(k)]  # fmt: skip
        topic, side = np.array(rows, np.int64).T
        return topic, side

    def _judged(self, gold: Floats, side: Ints, topic: Ints, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """The judge's labels, and how much likelier each is for a relevant document than for another."""
        wrong = rng.beta(20 * (1 - self.right), 20 * self.right, self.topics)[topic]
        if self.right == 0.5:
            wrong = np.full(len(gold), 0.5)
        said = np.where(rng.random(len(gold)) < wrong, 1 - gold, gold)
        leaning = (side > 0) & (gold == 0) & (rng.random(len(gold)) < self.lean)
        bronze = np.where(leaning, 1, said).astype(np.int64)
        false_positive = wrong + (1 - wrong) * self.lean * (side > 0)
        return bronze, np.where(bronze == 1, (1 - wrong) / false_positive, wrong / (1 - false_positive))

    def _bring_together(self, gold: Floats, side: Ints, rng: np.random.Generator) -> None:
        """Turn labels, drawn at random, until one system has so many relevant documents more."""
        assert self.apart is not None
        more = int(side @ gold) - int(rng.choice([-1, 1])) * self.apart
        turn = np.flatnonzero((side == np.sign(more)) & (gold == 1))
        gold[rng.choice(turn, abs(more), replace=False)] = 0.0


Draw = Callable[[np.random.Generator], Case]


@dataclass(frozen=True)
class World:
    """A name, how a study comes about, and whether its topics stand for others."""

    name: str
    about: str
    draw: Draw = field(compare=False)
    topics: bool = False
    real: bool = False


def _own(name: str, about: str, own: Own) -> World:
    return World(name, about, own.draw, own.exactly is not None)


@cache
def _dl19(judge: str) -> Labeled:
    wide = read_wide(DATA / "dl_llm_judges" / "dl19_labels_wide.csv.xz")
    tables: tuple[Labels, Labels] = {t: {} for t in wide.topics}, {t: {} for t in wide.topics}
    for t, doc, *both in zip(wide.topic.tolist(), wide.docs, wide.judges[judge], wide.nist, strict=True):
        for table, label in zip(tables, both, strict=True):
            if not np.isnan(label):
                table[wide.topics[t]][doc] = int(label)
    runs = dl19().runs
    assert runs is not None
    return Labeled.of(runs, *tables, "P(rel=2)@10")


def real_pair(judge: str, rng: np.random.Generator) -> Case:
    """Two of DL19's runs, NIST's labels from 2 as people's."""
    known = _dl19(judge)
    while True:
        a, b = rng.choice(len(known.systems), 2, replace=False).tolist()
        if known.sizes("ordered", a, b).astype(bool).sum() >= LEAST_PAIRS:
            break
    there = np.flatnonzero(known.weight[[a, b]].any(axis=0))
    both = replace(
        known, systems=(known.systems[a], known.systems[b]), topic=known.topic[there], stratum=known.stratum[there],
        gold=known.gold[there], weight=known.weight[[a, b]][:, there],
    )  # fmt: skip
    return Case(both, round(both.truth(0, 1), 12), level=2)


WORLDS = (
    _own("leans", "judge right about 80%, leans to the candidate", Own()),
    _own("coin", "judge is a coin", Own(right=0.5, lean=0.0)),
    _own("good", "judge right about 95%", Own(right=0.95, lean=0.0)),
    _own("few", "5% of the documents relevant", Own(relevant=(0.02, 0.08), effect=0.1, vary=0.04)),
    _own("tie", "true difference 0", Own(effect=0.0, apart=0)),
    _own("near-tie", "true difference .002: one document", Own(effect=0.0, apart=1)),
    _own("cannot", "nobody can judge 5% of what speaks for the candidate", Own(cannot=0.05)),
    _own("topics-0", "topics sampled, true difference 0", Own(exactly=0.0)),
    _own("topics-05", "topics sampled, true difference .05", Own(exactly=0.1)),
    _own("topics-10", "topics sampled, true difference .1", Own(exactly=0.2)),
    *(World(f"dl19-{j}", f"DL19, judge {j}", partial(real_pair, j), real=True) for j in JUDGES),
)


def there() -> Iterator[World]:
    """Those whose data is here."""
    data = (DATA / "dl19_runs").is_dir() and (DATA / "dl_llm_judges").is_dir()
    yield from (w for w in WORLDS if data or not w.real)
