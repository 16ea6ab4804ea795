"""Real labels as arrays: every system's weight on every labelled pair, the judge's label and the gold one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.study.real import Real, dl19, rankings, without_runs
from truegain.gains.list_fit import ListFit
from truegain.inference.labels.listing import LEAST_ERROR
from truegain.inference.study.by_list import ByList
from truegain.measures.evaluate import Options, aligned
from truegain.measures.linear import linear_parts
from truegain.measures.parse import parse_measure
from truegain.sampling.ordered import OrderedDraws
from truegain.tables.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Labelled:
    """Pairs of the pool: topic, stratum of the judge's label, gold worth, weight in each system's score."""

    topics: tuple[str, ...]
    topic: np.ndarray
    stratum: np.ndarray
    gold: np.ndarray
    weight: np.ndarray
    scale: tuple[float, float]

    @classmethod
    def of(cls, real: Real, judge: str, measure: str, seed: int = 1) -> Labelled:
        """With its own runs, or with rankings drawn from noisy labels."""
        nist = real.labels["nist"]
        bronze = {
            t: {d: x for d, x in row.items() if d in nist.get(t, {})}
            for t, row in real.labels[judge].items()
            if t in nist
        }
        ranked = aligned(real.runs or rankings(real, judge, seed), Judgments.of(bronze), Options())
        pool, label = ranked.pool, ranked.item_gain
        gold = np.array(
            [nist[ranked.topics[t]][d] for t, d in zip(pool.topic.tolist(), pool.docs.strings(), strict=True)], float
        )
        parts = linear_parts(parse_measure(measure), np.concatenate([label, gold]), int(ranked.rank.max()))
        _, stratum = np.unique(label, return_inverse=True)
        ends = float(parts.worths.min()), float(parts.worths.max())
        return cls(ranked.topics, pool.topic.astype(np.int64), stratum, parts.worth(gold), parts.coefficients(ranked),
                   ends)  # fmt: skip

    def pairs(self, most: int, seed: int) -> list[tuple[int, int]]:
        """So many pairs of systems, at random."""
        a, b = np.triu_indices(len(self.weight), 1)
        some = np.random.default_rng([seed, 3]).permutation(len(a))[:most]
        return list(zip(a[some].tolist(), b[some].tolist(), strict=True))

    def errors(self) -> np.ndarray:
        """The sd of gold worths at the judge's label, of every pair, with its floor."""
        n = int(self.stratum.max()) + 1
        sd = np.array([self.gold[self.stratum == c].std() for c in range(n)])
        return np.maximum(sd, LEAST_ERROR * sd.max())[self.stratum]

    def truth(self, a: int, b: int) -> float:
        """The difference by all gold labels."""
        return float((self.weight[b] - self.weight[a]) @ self.gold) / len(self.topics)

    def order(self, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A drawn order of the pairs of size above 0."""
        there = np.flatnonzero(sizes > 0)
        return there[np.argsort(rng.exponential(size=len(there)) / sizes[there])]

    def evidence(self, a: int, b: int, sizes: np.ndarray, order: np.ndarray, n: int) -> ByList:
        """What two systems stand on with the first n labels."""
        draws = OrderedDraws(sizes[order], min(n, len(order)))
        first = order[: draws.n]
        fit = ListFit(self.topic, self.stratum, len(self.topics), self.weight[[a, b]], first, self.gold[first],
                      draws.expansion, self.scale)  # fmt: skip
        return ByList(fit, draws, np.arange(draws.n), sizes, self.topics, tuple(map(str, first.tolist())))


def worlds() -> list[Real]:
    """DL19 with its runs, DL20 and LLMJudge with drawn rankings."""
    return [dl19(), without_runs("dl20"), without_runs("llmjudge")]
