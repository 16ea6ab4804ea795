"""Gold labels that exist already, spent again: which way of drawing them, and how many, until the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from truegain._version import __version__
from truegain.config import Scoring
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.pool import Pool
from truegain.data.runs import RunsLike
from truegain.errors import TruegainError, warn
from truegain.io.columns import Bools, Coded, Floats, Ids, Ints
from truegain.judge_error.pair_estimators import ListFit
from truegain.measures.base import Measure
from truegain.measures.catalogue import parse_measure
from truegain.measures.label_weights import StandIn
from truegain.measures.scoring import at_level, matching_for
from truegain.parallel.jobs import Engine, engine_for
from truegain.planning.gold_sample import LEAST_ERROR
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.sampling.gold import OrderedDraws
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import quantile_of, quantiles_of
from truegain.study.anytime import at_every_look
from truegain.study.estimators import LEAST_GOLD
from truegain.study.gold_lists import ByList, ListedPairs
from truegain.study.reading import RunsInput

WAYS = ("pool", "both lists", "ordered", "one list for all")
LABELS = (25, 50, 75, 100, 150, 200, 300, 400, 500)
PAIR = Contrasts.of([(0, 1)])
NONE = np.inf  # half the width where too few labels touch a difference
COLUMNS = ("drawn from", "gold labels", "half width", "holds", "right", "wrong", "undecided")


@dataclass(frozen=True, eq=False)
class Labeled:
    """Pairs that have both labels: topic, stratum of the bronze label, worth of the gold one, weight by system."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    topic: Ints
    stratum: Ints
    gold: Floats
    weight: Floats
    scale: tuple[float, float]
    measure: str

    @classmethod
    def of(
        cls,
        runs: RunsLike,
        bronze: JudgmentsLike,
        gold: JudgmentsLike,
        measure: str | Measure,
        *,
        relevant_from: float | None = None,
        jobs: int | None = None,
    ) -> Labeled:
        """Bronze labels without a gold one are left out, and told."""
        table, trusted = Judgments.of(bronze), Pool.of(Judgments.of(gold))
        both = np.asarray(trusted.find(Coded.of(table.topic.strings()), Ids.of(table.docs.strings())), np.int64)
        keep = (both >= 0) & (np.where(both >= 0, trusted.labels[both], -1.0) >= 0) & (table.label >= 0)
        if not keep.any():
            raise TruegainError("no pair has both a bronze and a gold label; check that the two files belong together")
        if lost := int((~keep).sum()):
            warn(f"{lost:,} of {len(keep):,} bronze labels have no gold label and are left out")
        matching = matching_for([chosen := at_level(parse_measure(measure), relevant_from)], Scoring())
        ranked, _ = RunsInput(runs, jobs=jobs, matching=matching).on_common_topics(
            table.take(np.flatnonzero(keep)), 0, False
        )
        pool, label = ranked.pool, ranked.item_gain
        true = trusted.labels[trusted.find(Coded(pool.topics, pool.topic), pool.docs)]
        stand_in = StandIn.of(chosen, ranked)
        parts = stand_in.parts(np.concatenate([label, true]), ranked)
        ends = float(parts.worths.min()), float(parts.worths.max())
        return cls(
            ranked.systems, ranked.topics, pool.topic.astype(np.int64), np.unique(label, return_inverse=True)[1],
            parts.worth(true), stand_in.weights(parts, ranked), ends,
            str(measure),
        )  # fmt: skip

    def pairs(self, most: int, seed: int) -> list[tuple[int, int]]:
        """So many pairs of systems, at random, that some document tells apart."""
        a, b = np.triu_indices(len(self.weight), 1)
        order = np.random.default_rng([seed, 3]).permutation(len(a)).tolist()
        there = [(int(a[i]), int(b[i])) for i in order if (self.weight[a[i]] != self.weight[b[i]]).any()]
        return there[:most]

    def errors(self) -> Floats:
        """The sd of gold worths at the bronze label of every pair, with its floor."""
        sd = np.array([self.gold[self.stratum == c].std() for c in range(int(self.stratum.max()) + 1)])
        return np.asarray(np.maximum(sd, LEAST_ERROR * sd.max())[self.stratum])

    def sizes(self, way: str, a: int, b: int) -> Floats:
        """How likely every pair is to be drawn, one way or another."""
        w = self.weight[b] - self.weight[a]
        if way == "pool":
            return np.ones(len(w))
        if way == "both lists":
            return np.asarray((self.weight[a] != 0) | (self.weight[b] != 0), np.float64)
        if way == "what differs":
            return np.asarray(np.abs(w) > 1e-12, np.float64)
        weight = np.abs(w) if way.startswith("ordered") else self.weight.std(axis=0)
        return np.asarray(weight * self.errors() if way.endswith("known errors") else weight)

    def truth(self, a: int, b: int) -> float:
        """The difference by all gold labels."""
        return float((self.weight[b] - self.weight[a]) @ self.gold) / len(self.topics)

    def order(self, sizes: Floats, rng: np.random.Generator) -> Ints:
        """A drawn order of the pairs of size above 0."""
        there = np.flatnonzero(sizes > 0)
        return np.asarray(there[np.argsort(rng.exponential(size=len(there)) / sizes[there])])

    def estimator(self, a: int, b: int, sizes: Floats, order: Ints, n: int) -> ByList:
        """What two systems stand on with the first n labels."""
        draws = OrderedDraws(sizes[order], min(n, len(order)))
        first = order[: draws.n]
        fit = ListFit(
            self.topic, self.stratum, len(self.topics), self.weight[[a, b]], first, self.gold[first], draws.expansion,
            self.scale,
        )  # fmt: skip
        listed = ListedPairs(order, sizes, float(sizes.sum()), len(self.topics), fit.coefficient, self.scale)
        return ByList(fit, draws, np.arange(draws.n), listed, self.topics, ("",) * draws.n)


def looked(
    pool: Labeled, a: int, b: int, sizes: Floats, order: Ints, labels: Sequence[int], *, fixed: bool = True
) -> tuple[Floats, Floats, Floats]:
    """Value, half the width of the 95% interval, and that of limits that hold at every look; for numbers of labels."""
    value, half, every = np.zeros(len(labels)), np.full(len(labels), NONE), np.full(len(labels), NONE)
    for i, n in enumerate(labels):
        estimator = pool.estimator(a, b, sizes, order, n)
        if estimator.labels_for_rule(PAIR)[0] < LEAST_GOLD and not estimator.draws.whole:
            continue
        value[i] = estimator.value[1] - estimator.value[0]
        gold = estimator.over_gold(PAIR)
        whole = None if fixed else estimator.over_topics(PAIR)
        spread = gold if whole is None else whole
        half[i] = (quantiles_of(0.95, spread.df) * np.sqrt(spread.value))[0]
        at_all = at_every_look(gold, whole, estimator.draws.information, 0.95)
        every[i] = quantile_of(0.95) * float(np.sqrt(at_all.value[0]))
    return value, half, every


@dataclass(frozen=True, eq=False)
class Spending:
    """What each way of drawing gold labels would have said, with how many of them."""

    measure: str
    ways: tuple[str, ...]
    labels: tuple[int, ...]
    half: Floats  # way x number of labels x draw
    holds: Bools
    right: Bools
    wrong: Bools
    until: Floats  # way x draw: labels until limits that hold at every look decide; infinite where never
    pairs: int
    most: Floats  # way x draw: labels there are
    provenance: dict[str, object]

    def table(self) -> Table:
        """A row a way and number of labels."""
        rows: list[tuple[Cell, ...]] = []
        for w, way in enumerate(self.ways):
            for i, n in enumerate(self.labels):
                has_limits = np.isfinite(self.half[w, i])
                rows.append((
                    way, n, float(np.median(self.half[w, i])) if has_limits.mean() > 0.5 else None,
                    float(self.holds[w, i][has_limits].mean()) if has_limits.any() else None,
                    float(self.right[w, i].mean()), float(self.wrong[w, i].mean()),
                    float(1 - (self.right[w, i] | self.wrong[w, i]).mean()),
                ))  # fmt: skip
        return Table(COLUMNS, rows, self.provenance, f"{self.measure}, these topics only", self._notes())

    def _notes(self) -> tuple[str, ...]:
        notes = [
            f"{self.pairs} pairs of systems, {self.half.shape[2] // self.pairs} draws each; right and wrong: claims "
            "from a single look at this many labels, compared with the sign of the difference under all gold labels. "
            "Where fewer than 10 labels affect a difference, no claim is made. Repeated looks use anytime-valid "
            "intervals."
        ]
        for w, way in enumerate(self.ways):
            decided = np.isfinite(self.until[w])
            middle = np.median(self.until[w])
            labels = (
                f"median {middle:,.0f} labels until decided"
                if np.isfinite(middle)
                else "more than half of the draws undecided"
            )
            notes.append(f"With a look after every label, {way}: {labels}; {decided.mean():.0%} of draws decided.")
        return tuple(notes)


def spending(
    pool: Labeled,
    *,
    ways: Sequence[str] = WAYS,
    numbers: Sequence[int] = LABELS,
    pairs: int = 20,
    draws: int = 20,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Callable[[int], None] | None = None,
) -> Spending:
    """Replay old gold labels: draw some of them, each way, and look what they would have said of pairs of systems.

    ways: 'pool' (at random from all), 'both lists' (at random from what the two systems have where the measure looks),
    'what differs' (at random from what counts differently), 'ordered' (in proportion to what a label can move),
    'one list for all' (the same for all systems at once); the last two with ', known errors': by the judge's true
    error at each label too.  The truth is that of all gold labels, for these topics.
    """
    if len(pool.systems) < 2:
        raise TruegainError("spending compares systems and needs at least 2")
    chosen = pool.pairs(pairs, seed)
    if not chosen:
        raise TruegainError(
            f"all systems rank the same documents where {pool.measure} looks; nothing separates them; give other runs"
        )
    budgets = tuple(sorted(set(numbers)))
    pieces = [(way, a, b, r) for way in ways for a, b in chosen for r in range(draws)]
    results = list((engine or engine_for(1)).run(_one, pieces, shared=(pool, budgets), seed=seed, progress=progress))
    shape = len(ways), len(chosen) * draws, len(budgets)
    value, half, every = (np.array([f[k] for f in results]).reshape(shape) for k in range(3))
    truth = np.tile(np.repeat([pool.truth(a, b) for a, b in chosen], draws), (len(ways), 1))[:, :, None]
    claimed = np.abs(value) > half
    right = claimed & (np.sign(value) == np.sign(truth))
    decided = np.abs(value) > every
    until = np.where(decided.any(axis=2), np.array(budgets)[np.argmax(decided, axis=2)], NONE)
    provenance = {"truegain": __version__, "measure": pool.measure, "pairs": len(chosen), "draws": draws, "seed": seed}
    holds = np.abs(value - truth) <= half + 1e-12
    return Spending(
        pool.measure, tuple(ways), budgets, half.transpose(0, 2, 1), holds.transpose(0, 2, 1),
        right.transpose(0, 2, 1), (claimed & ~right).transpose(0, 2, 1), until, len(chosen),
        np.array([f[3] for f in results]).reshape(shape[:2]),
        provenance,
    )  # fmt: skip


def _one(
    shared: tuple[Labeled, tuple[int, ...]], piece: tuple[str, int, int, int], seed: np.random.SeedSequence
) -> tuple[Floats, Floats, Floats, int]:
    """One draw: value, half widths, and how many labels there are."""
    pool, labels = shared
    way, a, b, _ = piece
    sizes = pool.sizes(way, a, b)
    order = pool.order(sizes, np.random.default_rng(seed))
    return *looked(pool, a, b, sizes, order, labels), len(order)
