"""Two systems on other collections: the same document has the same copies in both lists.

Every topic is a test of its own; meta-analysis puts them together.  Cormack and Lynam 2006, section 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegain.engine import Engine, Local, Progress
from truegain.errors import TruegainError
from truegain.inference.collection.spread import EPSILON
from truegain.inference.intervals.limits import logits
from truegain.inference.meta import Meta, MetaMethod, combine, combined_p
from truegain.inference.results import Comparison
from truegain.sampling.documents import paired_average_precisions
from truegain.tables.columns import Codes, Floats, Ids, Ints
from truegain.tables.pool import Pool
from truegain.tables.runs import Run
from truegain.tables.table import Table


@dataclass(frozen=True, eq=False)
class CollectionDifference:
    """AP of b minus AP of a by topic, with its standard deviation over collections, paired and not.

    Topics without spread (both systems score the same whatever is drawn) are told apart: they weigh infinitely in a
    meta-analysis and are left out of it.
    """

    systems: tuple[str, str]
    topics: tuple[str, ...]
    ap: Floats  # two rows
    difference: Floats
    paired: Floats
    independent: Floats
    scale: str
    replicates: int
    confidence: float
    redrawn: int

    def combined(self, method: MetaMethod = "random", pairing: str = "paired") -> Meta:
        """The differences of all topics put together."""
        sd = self.paired if pairing == "paired" else self.independent
        moving = sd > 1e-12
        if moving.sum() < 2:
            raise TruegainError(
                f"only {int(moving.sum())} topics move when documents are drawn; a meta-analysis needs two or more"
            )
        return combine(self.difference[moving], sd[moving] ** 2, method, self.confidence)

    def one_sided_p(self, pairing: str = "paired") -> float:
        """The paper's p that b is not better: 1 - Phi(sum of d_i / (sqrt(k) s_i))."""
        sd = self.paired if pairing == "paired" else self.independent
        moving = sd > 1e-12
        return combined_p(self.difference[moving], sd[moving])

    def comparison(self, method: MetaMethod = "random", pairing: str = "paired") -> Comparison:
        """The answer as a comparison of two systems."""
        meta = self.combined(method, pairing)
        still = int((self.paired <= 1e-12).sum())
        ratio = float(np.median(self.paired[self.paired > 1e-12] / self.independent[self.paired > 1e-12]))
        notes = [f"paired over documents: the spread is {ratio:.2f} times that of independent collections (median)."]
        if still:
            notes.append(f"{still} topics do not move when documents are drawn and are left out of the meta-analysis.")
        name = "AP" if self.scale == "ap" else "logit AP"
        value_a, value_b = (float(v) for v in self.ap.mean(axis=1))
        return Comparison(
            self.systems[0],
            self.systems[1],
            name,
            value_a,
            value_b,
            meta.value,
            meta.low,
            meta.high,
            meta.p,
            test=f"{method}-effects meta-analysis over topics, {pairing} collections",
            level=self.confidence,
            n=len(self.topics),
            notes=tuple(notes),
        )

    def table(self) -> Table:
        """Topic by topic."""
        rows = [
            (t, float(self.ap[0, i]), float(self.ap[1, i]), float(self.difference[i]), float(self.paired[i]),
             float(self.independent[i]))
            for i, t in enumerate(self.topics)
        ]  # fmt: skip
        columns = ("topic", self.systems[0], self.systems[1], "difference", "sd paired", "sd independent")
        made_by = {"replicates": self.replicates, "scale": self.scale, "redrawn": self.redrawn}
        return Table(columns, rows, made_by, "AP by topic, and its spread over collections")


def collection_difference(
    pool: Pool,
    a: Run,
    b: Run,
    *,
    level: float = 1,
    scale: str = "ap",
    single: bool = False,
    replicates: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> CollectionDifference:
    """Draw collections for two systems at once."""
    if scale not in ("ap", "logit"):
        raise TruegainError(f"scale {scale!r} is not known; give 'ap' or 'logit'")
    lists = _common_lists(pool, (a, b), level, single)
    if len(lists) < 2:
        raise TruegainError(
            f"{a.system} and {b.system} share {len(lists)} topics with relevant documents; two or more are needed"
        )
    results = list(
        (engine or Local()).run(
            _work,
            lists,
            shared=(scale, replicates),
            seed=seed,
            name=lambda piece: f"{a.system} and {b.system}, topic {piece.topic}",
            progress=progress,
        )
    )
    gathered = np.array([r[:5] for r in results]).T
    return CollectionDifference(
        (a.system, b.system),
        tuple(piece.topic for piece in lists),
        gathered[:2],
        gathered[2],
        gathered[3],
        gathered[4],
        scale,
        replicates,
        confidence,
        int(sum(r[5] for r in results)),
    )


@dataclass(frozen=True, eq=False)
class _Lists:
    topic: str
    begin: Ints
    document: Codes
    documents: int
    relevant: int


def _work(
    shared: tuple[str, int], piece: _Lists, seed: np.random.SeedSequence
) -> tuple[float, float, float, float, float, int]:
    scale, replicates = shared
    drawn, redrawn = paired_average_precisions(
        piece.begin, piece.document, piece.documents, piece.relevant, replicates, seed
    )
    ap = np.array([_average_precision(piece, side) for side in (0, 1)])
    values, observed = (drawn, ap) if scale == "ap" else (logits(drawn, EPSILON), logits(ap, EPSILON))
    paired = float((values[1] - values[0]).std(ddof=1))
    independent = float(np.sqrt(values.var(axis=1, ddof=1).sum()))
    return float(ap[0]), float(ap[1]), float(observed[1] - observed[0]), paired, independent, redrawn


def _average_precision(piece: _Lists, side: int) -> float:
    document = piece.document[piece.begin[side] : piece.begin[side + 1]]
    rank = np.flatnonzero(document < piece.relevant) + 1
    return float((np.arange(1, len(rank) + 1) / rank).sum() / piece.relevant)


def _common_lists(pool: Pool, runs: tuple[Run, Run], level: float, single: bool) -> list[_Lists]:
    """The topics both systems answer, with documents numbered: the relevant ones first."""
    number = _numbers_across(runs)
    items = [pool.find(run.topic, run.docs) for run in runs]
    rankings = [run.ranking(single) for run in runs]
    label = pool.labels
    found: list[_Lists] = []
    where = [{topic: t for t, topic in enumerate(run.topic.values)} for run in runs]
    for t, topic in enumerate(pool.topics):
        pooled = slice(int(pool.begin[t]), int(pool.begin[t + 1]))
        good = (label[pooled] >= level) & (label[pooled] >= 0)
        if not good.any() or any(topic not in w for w in where):
            continue
        rows = [r.order[r.begin[w[topic]] : r.begin[w[topic] + 1]] for r, w in zip(rankings, where, strict=True)]
        order = np.where(good, np.cumsum(good) - 1, -1)
        found.append(_numbered(topic, rows, items, number, pooled.start, order, int(good.sum())))
    return found


def _numbered(
    topic: str,
    rows: Sequence[Ints],
    items: Sequence[Codes],
    number: Sequence[Codes],
    first_item: int,
    order: Ints,
    relevant: int,
) -> _Lists:
    parts: list[Ints] = []
    for side in (0, 1):
        item = items[side][rows[side]]
        relevant_number = np.where(item >= 0, order[np.maximum(item - first_item, 0)], -1)
        parts.append(np.where(relevant_number >= 0, relevant_number, -1 - number[side][rows[side]].astype(np.int64)))
    both = np.concatenate(parts)
    _, others = np.unique(both[both < 0], return_inverse=True)
    both[both < 0] = relevant + others
    documents = relevant + (int(others.max()) + 1 if len(others) else 0)
    begin = np.array([0, len(parts[0]), len(both)], np.int64)
    return _Lists(topic, begin, both.astype(np.int32), documents, relevant)


def _numbers_across(runs: tuple[Run, Run]) -> list[Codes]:
    """A number for every document, the same in both runs."""
    a, b = (run.docs for run in runs)
    text = a.text + b.text
    start = np.concatenate([a.start, b.start + len(a.text)])
    code, _ = Ids.stretches(text, start, np.concatenate([a.length, b.length])).numbered()
    return [code[: len(a)], code[len(a) :]]
