"""Scores without a judge's errors: the confusion matrix and rectified pairs, for judges whose accuracy moves with rank.

A topic has 20 documents, those that look good first.  Three systems rank by looks and noise: a and b alike, c with
more.  The judge errs by gold label, by topic a little, and, where it is lenient, more on what looks good; a judge that
favors a system says relevant of more of what c alone has in its first ten.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

import truegain as tg
from benchmarks.coverage.worlds import Seen, World, held
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.judge_error.diagnostics import homogeneity
from truegain.judge_error.fits import JudgedLists

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Labels = dict[str, dict[str, float]]

DOCS, TOP, DEPTH, SYSTEMS = 20, 10, 15, "abc"  # RBP reads lists of 15
NOISE = (4.0, 4.0, 8.0)  # of each system's ranking
CHUNKS, CHUNK = 12, 5_000  # topics from which the truth is found
GRADES = np.array(
    [[0.70, 0.18, 0.08, 0.04], [0.20, 0.55, 0.18, 0.07], [0.06, 0.18, 0.56, 0.20], [0.03, 0.07, 0.20, 0.70]]
)


@dataclass(frozen=True)
class Setting:
    """What a world is made of."""

    measure: str
    judge: str  # constant, lenient (at high ranks), favors (system c)
    design: str
    topics: int
    gold: int
    graded: bool = False

    @property
    def name(self) -> str:
        """As it stands in the table."""
        kind = "graded" if self.graded else "binary"
        return f"{self.measure}, {kind} judge {self.judge}, gold {self.design} {self.gold}, {self.topics} topics"


@dataclass(frozen=True)
class Drawn:
    """Topics by documents: gold and bronze labels; systems by topics by ranks: the documents in order."""

    gold: Ints
    bronze: Ints
    order: Ints


def draw(rng: np.random.Generator, setting: Setting, topics: int) -> Drawn:
    """Topics with their documents, rankings and labels."""
    looks = np.exp(-np.arange(DOCS) / 5)
    easy = rng.normal(0, 0.6, (topics, 1))
    chance = 1 / (1 + np.exp(-(-1.6 + 2.2 * looks + easy)))
    u = rng.random((topics, DOCS))
    gold = (u < chance).astype(np.int64)
    if setting.graded:
        gold += (u < 0.55 * chance).astype(np.int64) + (u < 0.25 * chance)
    place = np.arange(DOCS) + rng.normal(0, 1, (len(NOISE), topics, DOCS)) * np.array(NOISE)[:, None, None]
    order = np.argsort(place, axis=2)
    return Drawn(gold, said(rng, setting, gold, order, looks), order)


def said(rng: np.random.Generator, setting: Setting, gold: Ints, order: Ints, looks: Floats) -> Ints:
    """The judge's labels: a chance of erring by gold label, moved by looks, by topic and by the system favored."""
    topics = len(gold)
    lenient = rng.normal(0, 0.04, (topics, 1)) + np.zeros((topics, DOCS))
    if setting.judge == "lenient":
        lenient += 0.35 * looks
    if setting.judge == "favors":
        lenient += 0.25 * only_last(order)
    v = rng.random((topics, DOCS))
    if setting.graded:  # a grade by the matrix, raised by one with the chance of leniency, lowered where it is below 0
        cut = np.cumsum(GRADES, axis=1)
        label = (v[..., None] > cut[gold]).sum(axis=2)
        move = np.sign(lenient) * (rng.random((topics, DOCS)) < np.abs(lenient))
        return np.asarray(np.clip(label + move, 0, 3), np.int64)
    yes = np.where(gold == 1, 0.80, 0.15) + lenient * np.where(gold == 1, 0.5, 1.0)
    return (v < np.clip(yes, 0.01, 0.99)).astype(np.int64)


def only_last(order: Ints) -> npt.NDArray[np.bool_]:
    """Topic by document: in the first ten of the last system and of no other."""
    inside = np.zeros((order.shape[0], order.shape[1], DOCS), np.bool_)
    np.put_along_axis(inside, order[:, :, :TOP], True, axis=2)
    return np.asarray(inside[-1] & ~inside[:-1].any(axis=0))


def rank_weights(measure: str) -> Floats:
    """What each rank counts."""
    ranks = np.arange(1, DOCS + 1)
    if measure.startswith("P@"):
        return np.where(ranks <= TOP, 1 / TOP, 0.0)
    if measure.startswith("DCG"):
        return np.where(ranks <= TOP, 1 / np.log2(ranks + 1), 0.0)
    return np.where(ranks <= DEPTH, 0.2 * 0.8 ** (ranks - 1), 0.0)


def worth(labels: Ints, setting: Setting) -> Floats:
    """What labels count: as they are for DCG, else 0 and 1."""
    return labels.astype(np.float64) if setting.measure.startswith("DCG") else (labels > 0).astype(np.float64)


@dataclass(frozen=True)
class Truth:
    """Mean score of each system, and how much more of its score than of the others' (by gold label) is leniency."""

    scores: Floats
    favor: Floats


@lru_cache(maxsize=64)
def truth(measure: str, judge: str, graded: bool) -> Truth:
    """By many topics, the error of which is far below that of a study."""
    setting, weight = Setting(measure, judge, "random", 0, 0, graded), rank_weights(measure)
    scores, found = np.zeros(3), np.zeros((3, 2, 2))  # system x gold label x (weight, weight of wrong)
    for chunk in range(CHUNKS):
        world = draw(np.random.default_rng([7, chunk]), setting, CHUNK)
        for s in range(3):
            gold = np.take_along_axis(world.gold, world.order[s], axis=1)
            bronze = np.take_along_axis(world.bronze, world.order[s], axis=1)
            scores[s] += (worth(gold, setting) @ weight).mean() / CHUNKS
            for label in (0, 1):
                of = weight[None, :] * ((gold > 0) == label)
                found[s, label] += of.sum(), (of * ((bronze > 0) * 1.0 - (gold > 0))).sum()
    rate = found[:, :, 1] / found[:, :, 0]
    others = (rate.sum(axis=0) - rate) / 2
    share = found[:, :, 0].sum(axis=0) / found[:, :, 0].sum()
    return Truth(scores, (rate - others) @ share * weight.sum())


def sample(rng: np.random.Generator, setting: Setting, world: Drawn) -> npt.NDArray[np.bool_]:
    """Which pairs are gold-judged."""
    n, flat = world.gold.size, np.zeros(world.gold.size, np.bool_)
    if setting.design == "random":
        flat[rng.choice(n, min(setting.gold, n), replace=False)] = True
    else:
        by = (world.bronze if setting.design == "by-bronze" else world.gold).ravel()
        labels = np.unique(by)
        for label in labels:
            rows = np.flatnonzero(by == label)
            flat[rng.choice(rows, min(setting.gold // len(labels), len(rows)), replace=False)] = True
    return flat.reshape(world.gold.shape)


def labels_of(labels: Ints, keep: npt.NDArray[np.bool_] | None = None, prefix: str = "t") -> Labels:
    """As a dictionary."""
    out: Labels = {}
    for t, row in enumerate(labels.tolist()):
        kept = range(DOCS) if keep is None else np.flatnonzero(keep[t]).tolist()
        if picked := {f"d{i}": row[i] for i in kept}:
            out[f"{prefix}{t}"] = picked
    return out


def judge_of(rng: np.random.Generator, setting: Setting, world: Drawn, bronze: tg.Judgments) -> tg.Judge:
    """The judge, measured on gold pairs of these topics or of others."""
    if setting.design != "elsewhere":
        return tg.Judge.fit(bronze, labels_of(world.gold, sample(rng, setting, world)), design=setting.design)
    other = draw(rng, setting, max(25, setting.topics // 2))
    gold = labels_of(other.gold, sample(rng, setting, other), "e")
    return tg.Judge.fit(labels_of(other.bronze, None, "e"), gold, design="elsewhere")


def runs_of(world: Drawn) -> tg.Runs:
    """The three systems' lists."""
    return tg.Runs.of(
        {
            name: {f"t{t}": {f"d{d}": float(-r) for r, d in enumerate(row)} for t, row in enumerate(lists.tolist())}
            for name, lists in zip(SYSTEMS, world.order[:, :, :DEPTH], strict=True)
        }
    )


def study(rng: np.random.Generator, setting: Setting) -> dict[str, Seen | None]:
    """A system's score, an equal pair and an unequal one; and how much the judge favors the last system."""
    world, right = draw(rng, setting, setting.topics), truth(setting.measure, setting.judge, setting.graded)
    found: dict[str, Seen | None] = dict.fromkeys(("score", "equal pair", "unequal pair"))
    runs, bronze = runs_of(world), tg.Judgments.of(labels_of(world.bronze))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judge = judge_of(rng, setting, world, bronze)
        try:
            answer = tg.correct(runs, bronze, setting.measure, gold=judge, resampling=tg.Resampling(jobs=1))[
                "a", setting.measure
            ]
            if not answer.refused:
                found["score"] = held(answer.low, answer.high, float(right.scores[0]))
        except tg.TruegainError:
            pass
        try:
            pairs = tg.compare(
                runs, bronze, setting.measure, gold=judge, adjust="none", resampling=tg.Resampling(n=100, jobs=1)
            )
            for name, b in (("equal pair", 1), ("unequal pair", 2)):
                pair = pairs.between("a", SYSTEMS[b])
                if pair.low is not None and pair.high is not None:
                    found[name] = held(pair.low, pair.high, float(right.scores[b] - right.scores[0]))
        except tg.TruegainError:
            pass
        if setting.design != "elsewhere" and not setting.graded:
            found["favor"] = favor(runs, bronze, judge, setting.measure, float(right.favor[-1]))
    return found


def favor(runs: tg.Runs, bronze: tg.Judgments, judge: tg.Judge, measure: str, right: float) -> Seen | None:
    """The size of the judge's favor for the last system."""
    try:
        lists = JudgedLists.of(aligned(runs, bronze, Scoring(), jobs=1), judge, tg.parse_measure(measure))
        found = homogeneity(lists, trials=100).favors[-1]
    except (tg.TruegainError, AttributeError):
        return None
    return None if found.low is None or found.high is None else held(found.low, found.high, right)


def settings() -> Iterator[Setting]:
    """Chosen before any was run."""
    for judge in ("lenient", "constant", "favors"):
        for measure in ("P@10", "RBP", "DCG@10"):
            yield Setting(measure, judge, "by-gold", 200, 800)
    for judge in ("lenient", "constant"):
        yield Setting("RBP", judge, "elsewhere", 200, 800)
    for design in ("random", "by-bronze"):
        yield Setting("RBP", "lenient", design, 200, 800)
    for topics, gold in ((25, 100), (50, 100), (50, 300), (200, 300)):
        yield Setting("RBP", "lenient", "by-gold", topics, gold)
    yield Setting("P@10", "favors", "by-gold", 50, 300)
    for topics, gold in ((25, 100), (50, 300), (200, 800)):
        yield Setting("DCG@10", "constant", "by-gold", topics, gold, graded=True)
    yield Setting("DCG@10", "lenient", "by-gold", 200, 800, graded=True)
    yield Setting("DCG@10", "constant", "elsewhere", 50, 300, graded=True)


WORLDS = tuple(World(s.name, partial(study, setting=s)) for s in settings())
