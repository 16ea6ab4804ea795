"""Labels of a world's documents: a judge that leans to one system, gold ones, and ratings by a crowd."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from benchmarks.study.nature import DEPTH, SYSTEMS, Array, Ints, Lists, Mask

Table = dict[str, dict[str, float]]
LENIENT, ON_TOPIC, HIT, VOTES = 0.13, 0.05, 0.75, 3


def names_of(lists: Lists, at: str = "t") -> list[list[str]]:
    """Document names, topic by topic."""
    return [[f"{at}{t:03d}-{d:03d}" for d in range(n)] for t, n in enumerate(lists.there.sum(axis=1).tolist())]


def runs_of(lists: Lists, names: list[list[str]]) -> dict[str, Table]:
    """Runs as tg.Study reads them, whole lists."""
    return {
        system: {
            f"t{t:03d}": dict(zip(docs, row, strict=False))  # without what fills the row
            for t, (docs, row) in enumerate(zip(names, rows.tolist(), strict=True))
        }
        for system, rows in zip(SYSTEMS, lists.score, strict=True)
    }


def labels_of(label: Array, names: list[list[str]], kept: Mask | None = None, at: str = "t") -> Table:
    """Labels as tg.Study reads them, of the documents kept."""
    out: Table = {}
    for t, docs in enumerate(names):
        row = label[t].astype(int).tolist()
        some = range(len(docs)) if kept is None else np.flatnonzero(kept[t, : len(docs)]).tolist()
        if len(some):
            out[f"{at}{t:03d}"] = {docs[d]: row[d] for d in some}
    return out


def bronze_of(lists: Lists, rng: np.random.Generator, lean: float, wrong: tuple[float, float] = (0.05, 0.25)) -> Array:
    """A judge who is wrong on so many documents of either kind, uniform over topics.

    Where documents stand in b's first ten he takes them for relevant more often, by `lean`; in other lists he does not.
    """
    topics = len(lists.there)
    missed, taken = (rng.uniform(*wrong, (topics, 1)) for _ in range(2))
    chance = np.where(lists.relevant, 1 - missed, taken)
    if lean:
        chance = np.minimum(chance + lean * (lists.rank[1] < DEPTH), 0.97)
    return (rng.random(chance.shape) < chance).astype(np.float64)


def gold_pairs(bronze: Array, lists: Lists, share: float, design: str, rng: np.random.Generator) -> Mask:
    """Which pairs have gold labels: any of all pairs, or as many of either bronze label."""
    at = np.flatnonzero(lists.there)
    out = np.zeros(lists.there.size, np.bool_)
    count = round(share * len(at))
    if design == "random":
        out[rng.choice(at, count, replace=False)] = True
    else:
        for label in (0, 1):
            rows = at[bronze.ravel()[at] == label]
            out[rng.choice(rows, min(count // 2, len(rows)), replace=False)] = True
    return out.reshape(lists.there.shape)


@dataclass(frozen=True)
class Crowd:
    """Assessors of different leniency, three of whom rate a document, 0 or 1.

    An assessor says 1 with chance .75 where relevant and .25 where not, plus his leniency, uniform in +-.13, plus what
    he is on this topic, uniform in +-.05: chances stay within 0 and 1, so the mean vote is exactly linear.
    """

    leniency: Array

    @classmethod
    def draw(cls, assessors: int, rng: np.random.Generator) -> Crowd:
        """Assessors like these."""
        return cls(rng.uniform(-LENIENT, LENIENT, assessors))

    def votes(
        self, relevant: Mask, rng: np.random.Generator, lean: Array | float = 0.0, own: Array | float = 0.0
    ) -> tuple[Ints, Array]:
        """Who rated, topic x document x 3, and what they said.

        lean: what all of them add to a document; own: what each adds on a topic, topic x assessor.
        """
        topics, docs = relevant.shape
        who = np.argsort(rng.random((topics, docs, len(self.leniency))), axis=2)[:, :, :VOTES]
        on_topic = self.leniency + own + rng.uniform(-ON_TOPIC, ON_TOPIC, (topics, len(self.leniency)))
        chance = np.where(relevant, HIT, 1 - HIT)[:, :, None] + np.asarray(lean)[..., None]
        chance = chance + np.take_along_axis(on_topic[:, None, :], who, axis=2)
        return who, (rng.random(who.shape) < chance).astype(np.float64)


def ratings_of(names: list[list[str]], who: Ints, said: Array, kept: Mask | None = None) -> pl.DataFrame:
    """Ratings as a frame, of the documents kept."""
    there = np.zeros(who.shape[:2], np.bool_)
    for t, docs in enumerate(names):
        there[t, : len(docs)] = True
    topic, doc = np.nonzero(there if kept is None else there & kept)
    votes = who.shape[2]
    return pl.DataFrame({
        "topic": [f"t{t:03d}" for t in topic.tolist() for _ in range(votes)],
        "doc": [names[t][d] for t, d in zip(topic.tolist(), doc.tolist(), strict=True) for _ in range(votes)],
        "assessor": [f"w{w}" for w in who[topic, doc].ravel().tolist()],
        "label": said[topic, doc].ravel(),
    })  # fmt: skip


def mean_vote(relevant: Array) -> Array:
    """The expected vote of assessors like these: linear in leniency, whose mean is 0, and never cut at 0 or 1."""
    return np.asarray(np.where(relevant > 0, HIT, 1 - HIT), np.float64)
