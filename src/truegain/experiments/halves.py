"""Halves of the collection or of the topics: does an interval from one hold on the other."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegain.config import Scoring
from truegain.data.alignment import Lists, align
from truegain.data.id_matching import EVERY_RANK, Seen, check_matched
from truegain.data.judgments import JudgmentsLike, read_judgments
from truegain.data.pool import Pool, RankedGains
from truegain.data.runs import Run, RunsLike, read_runs
from truegain.errors import TruegainError
from truegain.io.columns import Bools, Floats, Ids
from truegain.measures.evaluate import evaluate
from truegain.parallel.jobs import Engine, Progress
from truegain.results.base import Table
from truegain.stats.collection_ap import EPSILON, METHODS, CollectionSpread, collection_spread
from truegain.stats.intervals import logit_delta, logits, means_and_errors, student
from truegain.stats.student_t import special

# ---- Does the interval hold on the other half?  The collection is split in two by document id, as Cormack and Lynam
# did.
#
# Intervals come from one half, AP from the other. Where both halves vary alike, AP of the other half falls inside a 95%
# interval with probability 83.5%, since the difference of two has sqrt(2) times the spread of one, and as often below
# as above.
#
# Cormack and Lynam 2006, SIGIR, sections 6 and 7.

ENOUGH = 5  # topics with more relevant documents than this are also told apart


@dataclass(frozen=True, eq=False)
class SplitHalf:
    """Both halves: what each says, and where the AP of the other falls."""

    halves: tuple[CollectionSpread, CollectionSpread]

    def shares(self, method: str, small_r: bool, half: int, enough: bool) -> tuple[float, float, float, int]:
        """Shares of lists whose AP on the other half lies below, inside, above the interval; and how many lists."""
        here, there = self.halves[half], self.halves[1 - half]
        low, high = here.interval(method, small_r)
        used = self.compared & ((here.relevant[None, :] > ENOUGH) if enough else True)
        value = there.ap
        below, above = (value < low)[used].mean(), (value > high)[used].mean()
        return float(below), float(1 - below - above), float(above), int(used.sum())

    @property
    def compared(self) -> Bools:
        """Lists that have an AP on both halves."""
        return ~np.isnan(self.halves[0].ap) & ~np.isnan(self.halves[1].ap)

    def normalized(self, half: int = 0, scale: str = "logit") -> Floats:
        """(other half - this half) in units of the predicted spread; standard normal if the model holds."""
        here, there = self.halves[half], self.halves[1 - half]
        if scale == "logit":
            difference, spread = logits(there.ap, EPSILON) - logits(here.ap, EPSILON), here.sd_logit
        else:
            difference, spread = there.ap - here.ap, here.sd
        used = self.compared & (spread > 1e-9)
        return np.asarray((difference[used]) / (np.sqrt(2) * spread[used]))

    def table(self) -> Table:
        """The paper's tables 1 and 2 in one: methods by half and by R, in percent."""
        confidence = self.halves[0].confidence
        rows: list[tuple[float | int | str | bool | None, ...]] = []
        for small_r in (False, True):
            for method in METHODS:
                for enough in (False, True):
                    for half in (0, 1):
                        below, within, above, n = self.shares(method, small_r, half, enough)
                        lists = f"R > {ENOUGH}" if enough else "all"
                        name = method + (" + small R" if small_r else "")
                        direction = "B in A's" if half == 0 else "A in B's"
                        rows.append((name, lists, direction, _percent(below), _percent(within), _percent(above), n))
        rows.append(("model", "", "", *_model(confidence), None))
        columns = ("method", "lists", "direction", "below %", "inside %", "above %", "n")
        here = self.halves[0]
        provenance = {"replicates": here.replicates, "confidence": confidence, "redrawn": here.redrawn}
        note = (
            f"{len(here.systems)} systems, {int(self.compared.sum()):,} lists with relevant documents in both "
            f"halves; {here.replicates:,} replicates, {sum(h.redrawn for h in self.halves)} draws repeated because "
            "they had no relevant document."
        )
        return Table(
            columns, rows, provenance, "AP of one half of the collection against intervals from the other half", (note,)
        )


def _percent(share: float) -> float:
    return round(100 * share, 2)


def _model(confidence: float) -> tuple[float, float, float]:
    """Percent below, inside and above an interval from the one half, where both halves vary alike."""
    inside = 2 * float(special().ndtr(special().ndtri(0.5 + confidence / 2) / np.sqrt(2))) - 1
    tail = _percent((1 - inside) / 2)
    return tail, _percent(inside), tail


def split_half(
    runs: RunsLike,
    judgments: JudgmentsLike,
    *,
    relevant_from: float = 1,
    replicates: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
    jobs: int = 1,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> SplitHalf:
    """Split runs and judgments by document id, and draw intervals from both halves."""
    side, table, parts = Sides(), read_judgments(judgments, jobs=jobs), read_runs(runs, jobs=jobs).parts
    first_of_row = side.of(table.docs)
    pools = [Pool.of(table.take(np.flatnonzero(first_of_row == half))) for half in (True, False)]
    spreads = []
    of_run = [side.of(run.docs) for run in parts]
    (first, of_first), (second, of_second) = (
        _half(pool, parts, of_run, half, jobs) for pool, half in zip(pools, (True, False), strict=True)
    )
    ranked = [first, second]
    both = [Seen(a.system, a.matched + b.matched) for a, b in zip(of_first, of_second, strict=True)]
    check_matched(both, lambda topics: Pool.of(table).ids_of(topics), EVERY_RANK)
    topics = [t for t in ranked[0].topics if t in set(ranked[1].topics)]
    if not topics:
        raise TruegainError("no topic has judgments in both halves of the collection; there is nothing to compare")
    for half in (0, 1):
        spread = collection_spread(
            ranked[half],
            level=relevant_from,
            replicates=replicates,
            confidence=confidence,
            seed=seed + half,
            engine=engine,
            progress=progress,
        )
        spreads.append(_only_topics(spread, topics))
    return SplitHalf((spreads[0], spreads[1]))


def _half(
    pool: Pool, runs: Sequence[Run], sides: Sequence[Bools], half: bool, jobs: int
) -> tuple[RankedGains, list[Lists]]:
    parts = [run.take(np.flatnonzero(side == half)) for run, side in zip(runs, sides, strict=True)]
    return align(pool, [lambda part=part: [part] for part in parts], jobs=jobs, keep_keys=sys.maxsize)  # type: ignore[misc]


class Sides:
    """Which half a document belongs to: the lowest bit of the MD5 of its id."""

    def __init__(self) -> None:
        self.known: dict[bytes, bool] = {}

    def of(self, docs: Ids) -> Bools:
        """True for documents of the first half."""
        number, first = docs.numbered()
        text, start, end = docs.text, docs.start[first], (docs.start + docs.length)[first]
        sides = [self._side(text[a:b]) for a, b in zip(start.tolist(), end.tolist(), strict=True)]
        return np.array(sides, np.bool_)[number]

    def _side(self, doc: bytes) -> bool:
        if doc not in self.known:
            self.known[doc] = hashlib.md5(doc, usedforsecurity=False).digest()[-1] & 1 == 0
        return self.known[doc]


def _only_topics(spread: CollectionSpread, topics: list[str]) -> CollectionSpread:
    at = np.array([spread.topics.index(t) for t in topics])
    return replace(
        spread,
        topics=tuple(topics),
        ap=spread.ap[:, at],
        sd=spread.sd[:, at],
        sd_logit=spread.sd_logit[:, at],
        relevant=spread.relevant[at],
        depth=spread.depth[:, at],
        limits={name: (low[:, at], high[:, at]) for name, (low, high) in spread.limits.items()},
    )


# ---- Does an interval over topics hold on other topics?  The topics are split in two, again and again.

SPLITS = 200


def split_topics(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measure: str,
    *,
    relevant_from: float = 1,
    confidence: float = 0.95,
    splits: int = SPLITS,
    seed: int = 0,
    jobs: int | None = None,
) -> Table:
    """Intervals of each system's mean from a random half of the topics; where the mean of the other half falls.

    The model is that of the split collection: the other mean lies inside a 95% interval 83.5% of the time (a little
    less for Student's limits over few topics, whose width is itself uncertain).
    """
    scores = evaluate(runs, judgments, measure, scoring=Scoring(relevant_from), jobs=jobs)
    matrix = np.asarray(scores.matrix(), np.float64)
    if matrix.shape[1] < 6:
        raise TruegainError(f"{matrix.shape[1]} topics cannot be split in two; give at least 6")
    rng = np.random.default_rng(seed)
    methods = ("t", "logit") if (np.nanmin(matrix) >= 0 and np.nanmax(matrix) <= 1) else ("t",)
    counts = {m: np.zeros(3) for m in methods}
    for _ in range(splits):
        order = rng.permutation(matrix.shape[1])
        here, there = matrix[:, order[: len(order) // 2]], matrix[:, order[len(order) // 2 :]]
        for method in methods:
            counts[method] += _shares(method, here, there, confidence)
    rows: list[tuple[float | int | str | None, ...]] = [
        (m, *(_percent(float(c)) for c in counts[m] / counts[m].sum())) for m in methods
    ]
    rows.append(("model", *_model(confidence)))
    note = f"{len(scores.systems)} systems, {matrix.shape[1]} topics, {splits} random splits, {scores.measures[0]}."
    provenance = {"seed": seed, "splits": splits, "confidence": confidence}
    title = "Mean over one half of the topics against intervals from the other half"
    return Table(("method", "below %", "inside %", "above %"), rows, provenance, title, (note,))


def _shares(method: str, here: Floats, there: Floats, confidence: float) -> Floats:
    mean, se = means_and_errors(here)
    other, _ = means_and_errors(there)
    freedom = (~np.isnan(here)).sum(axis=1) - 1
    limits = student(mean, se, freedom, confidence) if method == "t" else logit_delta(mean, se, confidence)
    below, above = other < limits.low, other > limits.high
    return np.array([below.sum(), (~below & ~above).sum(), above.sum()], np.float64)
