"""Halves of the collection or of the topics: does an interval from one hold on the other."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truegain.config import Scoring
from truegain.data.alignment import Lists, align, aligned
from truegain.data.id_matching import EVERY_RANK, SystemMatch, check_matched
from truegain.data.judgments import Judgments, JudgmentsLike, read_judgments
from truegain.data.pool import Pool, RankedGains
from truegain.data.run import Run
from truegain.data.runs import RunsLike, read_runs
from truegain.errors import TruegainError
from truegain.experiments.disjoint_collections import Cut, Own, cuts_of
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.evaluate import evaluate
from truegain.parallel.jobs import Engine, Progress
from truegain.results.base import Table
from truegain.stats.collection_ap import (
    EPSILON,
    METHODS,
    CollectionSpread,
    check_epsilon,
    collection_spread,
    geometric_mean_estimates,
    logistic_mean_estimates,
    mean_estimates,
)
from truegain.stats.intervals import inverse_logits, logit_delta, logits, means_and_errors, student
from truegain.stats.results import Estimate, ResultList
from truegain.stats.student_t import special

# ---- Does the interval hold on the other half?  The collection is split in two by document id, as Cormack and Lynam
# did.
#
# Intervals come from one half, scores from the other. Where both halves vary alike, the score of the other half falls
# inside a 95% interval with probability 83.4%, since the difference of two has sqrt(2) times the spread of one, and as
# often below as above. (The paper says 83.5% and 8.25%, from 1.96/sqrt(2) rounded to 1.39.)
#
# Cormack and Lynam 2006, SIGIR, sections 6 to 8.

ENOUGH = 5  # topics with more relevant documents than this are also told apart
SIDES = ("B in A's", "A in B's")
SHARES = ("below %", "inside %", "above %")
Halves = tuple[CollectionSpread, CollectionSpread]
Limited = tuple[Floats, Floats, Floats]  # values, lower and upper limits


@dataclass(frozen=True, eq=False)
class SplitHalf:
    """Both halves: what each says, and where the scores of the other fall.

    Attributes
    ----------
    halves : tuple of CollectionSpread
        The two halves of the first split.
    more : tuple of such tuples
        Those of the other splits, where the collection is split repeatedly.

    Examples
    --------
    >>> from truegain.experiments import simulate, split_half
    >>> world = simulate(topics=12, systems=3, docs=200, depth=100, pool_depth=40, seed=1)
    >>> halves = split_half(world.runs, world.gold, replicates=200)
    >>> halves.means().columns
    ('measure', 'method', 'table', 'direction', 'below %', 'inside %', 'above %', 'n')
    """

    halves: Halves
    more: tuple[Halves, ...] = ()

    @property
    def splits(self) -> tuple[Halves, ...]:
        """The halves of every split."""
        return (self.halves, *self.more)

    def in_interval_units(self, method: str = "bca", small_r: bool = False, half: int = 0) -> Floats:
        """Other half minus this half, such that the interval reaches from -1 to 1: the paper's figures 1 and 2.

        Parameters
        ----------
        method : {'linear', 'logit', 'percentile', 'bca'}
            How the interval was made.  For 'logit' both AP and the interval are logits.
        small_r : bool
            Whether it was widened where few documents are relevant.
        half : {0, 1}
            The half it is from.

        Returns
        -------
        ndarray of float
            One value a list of every split; infinite where the interval has no length on that side and AP differs.
        """
        return np.concatenate([_in_units(split, method, small_r, half) for split in self.splits])

    def table(self, more_than: int = ENOUGH) -> Table:
        """The paper's tables 1 and 2 in one: methods by half and by R, in percent.

        Parameters
        ----------
        more_than : int, optional
            Topics with more relevant documents than this are also told apart.

        Returns
        -------
        Table
            One row a method, set of lists and direction, and one for the model.
        """
        return self._listed([(m, small_r) for small_r in (False, True) for m in METHODS], (0, more_than), (0, 1))

    def pilot(self, more_than: int = ENOUGH) -> Table:
        """The paper's table 1: AP of B in intervals from A without the small-R limits, all lists and R above a cut.

        Parameters
        ----------
        more_than : int, optional
            The cut.

        Returns
        -------
        Table
            One row a method and set of lists, and one for the model.
        """
        return self._listed([(m, False) for m in METHODS], (0, more_than), (0,))

    def small_r(self) -> Table:
        """The paper's table 2: linear and logit intervals with the small-R limits, both directions.

        Returns
        -------
        Table
            One row a method and direction, and one for the model.
        """
        return self._listed([("linear", True), ("logit", True)], (0,), (0, 1))

    def _listed(self, methods: Sequence[tuple[str, bool]], cuts: Sequence[int], sides: Sequence[int]) -> Table:
        """Where AP of single lists falls, by method, cut and direction."""
        rows: list[tuple[float | int | str | bool | None, ...]] = []
        for method, small_r in methods:
            for cut in dict.fromkeys(cuts):
                for half in sides:
                    places = [_places(split, method, small_r, half, cut) for split in self.splits]
                    lists = f"R > {cut}" if cut else "all"
                    name = method + (" + small R" if small_r else "")
                    rows.append((name, lists, SIDES[half], *self._percents(places)))
        columns = ("method", "lists", "direction", *SHARES, *self._spread_name, "n")
        here = self.halves[0]
        lists_compared = int(sum(_compared(split).sum() for split in self.splits))
        note = (
            f"{len(here.systems)} systems, {lists_compared:,} lists with relevant documents in both "
            f"halves; {here.replicates:,} replicates, {self._redrawn} draws "
            "repeated because they had no relevant document."
        )
        title = "AP of one half of the collection against intervals from the other half"
        return self._answer(columns, rows, title, note)

    def means(self) -> Table:
        """The paper's tables 3 and 4: means over topics on one half against intervals from the other half.

        Returns
        -------
        Table
            One row a measure, method and direction, and one for the model.  The column `table` has the number of the
            paper's table; rows without one are not in the paper.
        """
        rows: list[tuple[float | int | str | bool | None, ...]] = []
        for measure, method, number in MEANS:
            for half in (0, 1):
                places = [_mean_places(split, measure, method, half) for split in self.splits]
                rows.append((measure, method, number, SIDES[half], *self._percents(places)))
        columns = ("measure", "method", "table", "direction", *SHARES, *self._spread_name, "n")
        note = (
            f"{len(self.halves[0].systems)} systems; each mean is over the topics of a system with relevant documents "
            "in both halves. Systems share topics and documents, so they are not independent."
        )
        title = "Means over topics on one half of the collection against intervals from the other half"
        return self._answer(columns, rows, title, note)

    def systems(self) -> Table:
        """The paper's figure 3 as a table: MAP and L-MAP of A with intervals, and those of B, in the first split.

        Returns
        -------
        Table
            One row a system, the highest MAP on A first.  MAP has parametric limits and L-MAP those of the bootstrap.
        """
        here, there = self.halves
        parts = []
        for measure, method in FIGURE_3:
            (value, low, high), (other, _, _) = _limited(here, measure, method), _limited(there, measure, method)
            parts.append((value, low, high, other, (low <= other) & (other <= high)))
        order = np.argsort(-parts[0][0], kind="stable").tolist()
        rows = [
            (here.systems[s], *(column[s].item() for part in parts for column in part))
            for s in order
            if not np.isnan(parts[0][0][s])
        ]
        columns = ("system", *(f"{m} {what}" for m, _ in FIGURE_3 for what in ("A", "low", "high", "B", "inside")))
        note = "MAP: parametric limits; L-MAP: mean of logit(AP), limits from the bootstrap; both computed from A."
        note += f" The first of {len(self.splits)} splits." if self.more else ""
        title = "MAP and L-MAP of one half of the collection, with those of the other half"
        return Table(columns, rows, self._provenance, title, (note,))

    def _percents(self, places: Sequence[Ints]) -> tuple[float | int | None, ...]:
        """Percent below, inside and above of all splits together, how far inside varies over splits, and counts."""
        counts = np.array(places)
        total = counts.sum(axis=0)
        if not total.sum():
            return (None, None, None, *([None] if self.more else []), 0)
        shares = [_percent(float(share)) for share in total / total.sum()]
        if not self.more:
            return (*shares, int(total.sum()))
        some = counts[counts.sum(axis=1) > 0]
        inside = 100 * some[:, 1] / some.sum(axis=1)
        return (*shares, round(float(inside.std(ddof=1)), 2) if len(inside) > 1 else None, int(total.sum()))

    @property
    def _spread_name(self) -> tuple[str, ...]:
        return ("sd of inside",) if self.more else ()

    @property
    def _provenance(self) -> dict[str, Any]:
        here = self.halves[0]
        return {"replicates": here.replicates, "confidence": here.confidence, "redrawn": self._redrawn} | (
            {"splits": len(self.splits)} if self.more else {}
        )

    @property
    def _redrawn(self) -> int:
        """Draws repeated because they had no relevant document, of all halves."""
        return sum(half.redrawn for split in self.splits for half in split)

    def _answer(self, columns: tuple[str, ...], rows: list[Any], title: str, note: str) -> Table:
        """A table that ends with the model's row."""
        model = _model(self.halves[0].confidence)
        words = columns.index("below %") - 1
        rows.append(("model", *[""] * words, *model, *[None] * (len(columns) - words - 1 - len(model))))
        notes = [note]
        if self.more:
            notes.append(
                f"{len(self.splits)} splits of the same documents; sd of inside is over splits, not over collections."
            )
        return Table(columns, rows, self._provenance, title, tuple(notes))


def _compared(split: Halves) -> Bools:
    return ~np.isnan(split[0].ap) & ~np.isnan(split[1].ap)


def _places(split: Halves, method: str, small_r: bool, half: int, more_than: int) -> Ints:
    """How many lists have an AP on the other half below, inside and above the interval."""
    here, there = split[half], split[1 - half]
    low, high = here.interval(method, small_r)
    used = _compared(split) & (here.relevant[None, :] > more_than)
    below, above = int((there.ap < low)[used].sum()), int((there.ap > high)[used].sum())
    return np.array([below, int(used.sum()) - below - above, above])


def _in_units(split: Halves, method: str, small_r: bool, half: int) -> Floats:
    here, there = split[half], split[1 - half]
    used = _compared(split)
    low, high = (end[used] for end in here.interval(method, small_r))
    value, other = here.ap[used], there.ap[used]
    if method == "logit":
        with np.errstate(divide="ignore"):  # a limit of 0 or 1 has no finite logit
            low, high = (special().logit(end) for end in (low, high))
        value, other = (logits(x, here.epsilon) for x in (value, other))
    step = np.where(other < value, value - low, high - value)
    difference = other - value
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0, 0.0, difference / step)


# What is compared of means over topics, and in which table of the paper.
MEANS = (
    ("MAP", "linear", "3"),
    ("L-MAP", "bootstrap", "3"),
    ("MAP", "parametric", "4"),
    ("L-MAP", "parametric", "4"),
    ("MAP", "bootstrap", ""),
    ("G-MAP", "bootstrap", ""),
)
FIGURE_3 = (("MAP", "parametric"), ("L-MAP", "bootstrap"))


def _estimates(spread: CollectionSpread, measure: str, method: str) -> list[Estimate]:
    """A mean over topics with its interval; parametric ones combine the intervals widened where R is small."""
    if measure == "MAP":
        return mean_estimates(spread, method, widened_sd=True)
    if measure == "L-MAP":
        return logistic_mean_estimates(spread, method, small_r=True)
    return geometric_mean_estimates(spread)


def _limited(spread: CollectionSpread, measure: str, method: str) -> Limited:
    return _in_columns(_estimates(spread, measure, method))


def _in_columns(estimates: Sequence[Estimate]) -> Limited:
    value, low, high = np.array([(e.value, e.low, e.high) for e in estimates], np.float64).reshape(-1, 3).T
    return value, low, high


def _mean_places(split: Halves, measure: str, method: str, half: int) -> Ints:
    """How many systems have a mean on the other half below, inside and above the interval."""
    _, low, high = _limited(split[half], measure, method)
    other, _, _ = _limited(split[1 - half], measure, method)
    below, above, there = int((other < low).sum()), int((other > high).sum()), int((~np.isnan(other)).sum())
    return np.array([below, there - below - above, above])


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
    epsilon: float = EPSILON,
    part_a: Own | None = None,
    repeat: int = 1,
    seed: int = 0,
    jobs: int = 1,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> SplitHalf:
    """Split runs and judgments by document id, and draw intervals from both halves.

    Parameters
    ----------
    runs, judgments
        What `tg.evaluate` takes.
    relevant_from : float, optional
        The lowest label that is relevant.
    replicates : int, optional
        Collections drawn of each half.
    confidence : float, optional
        Of the intervals.
    epsilon : float, optional
        AP is kept between epsilon and 1 - epsilon where its logit is taken.
    part_a : str, path or sequence of str, optional
        The documents of half A, ids or a file of one a line; one that ends in * is the beginning of ids.  By default
        those whose MD5 is even.
    repeat : int, optional
        How many times to split; the first time by the MD5 of ids, then of ids behind a text made of seed and number.
    seed, jobs, engine, progress
        Of the draws, and how they are run.

    Returns
    -------
    SplitHalf
        With `table()`, `pilot()`, `small_r()`, `means()`, `systems()`, and `in_interval_units()` for figures.
    """
    check_epsilon(epsilon)
    cuts = cuts_of(part_a, repeat, seed, in_half_b)
    table, parts = read_judgments(judgments, jobs=jobs), read_runs(runs, jobs=jobs).parts
    draws: dict[str, Any] = {"level": relevant_from, "replicates": replicates, "confidence": confidence}
    draws |= {"epsilon": epsilon, "engine": engine, "progress": progress}
    splits = [_split(table, parts, cut, jobs, seed + 2 * number, draws) for number, cut in enumerate(cuts)]
    return SplitHalf(splits[0], tuple(splits[1:]))


def _split(
    table: Judgments,
    parts: Sequence[Run],
    cut: Cut,
    jobs: int,
    seed: int,
    draws: dict[str, Any],
) -> Halves:
    """One split: both halves, with the topics and lists that both have."""
    first_of_row = ~cut(table.docs)
    if first_of_row.all() or not first_of_row.any():
        raise TruegainError("all judgments are in one half of the collection; split it another way")
    pools = [Pool.of(table.take(np.flatnonzero(first_of_row == half))) for half in (True, False)]
    of_run = [~cut(run.docs) for run in parts]
    (first, of_first), (second, of_second) = (
        _half(pool, parts, of_run, half, jobs) for pool, half in zip(pools, (True, False), strict=True)
    )
    both = [SystemMatch(a.system, a.matched + b.matched) for a, b in zip(of_first, of_second, strict=True)]
    check_matched(both, lambda topics: Pool.of(table).ids_of(topics), EVERY_RANK)
    topics = [t for t in first.topics if t in set(second.topics)]
    if not topics:
        raise TruegainError("no topic has judgments in both halves of the collection; there is nothing to compare")
    ranked = (first, second)
    at = [np.array([half.topics.index(t) for t in topics]) for half in ranked]
    there = [_answered(half, draws["level"])[:, where] for half, where in zip(ranked, at, strict=True)]
    compared = there[0] & there[1]
    spreads = []
    for half, where in enumerate(at):
        averaged = np.zeros((len(first.systems), len(ranked[half].topics)), np.bool_)
        averaged[:, where] = compared
        spread = collection_spread(ranked[half], seed=seed + half, averaged=averaged, **draws)
        spreads.append(_only(spread, where, compared))
    return spreads[0], spreads[1]


def _answered(ranked: RankedGains, level: float) -> Bools:
    """Systems by topics: the lists that have an AP."""
    present = np.asarray(ranked.present).reshape(len(ranked.systems), len(ranked.topics))
    return np.asarray(present & (ranked.pool_relevant(level) > 0)[None, :])


def _half(
    pool: Pool, runs: Sequence[Run], sides: Sequence[Bools], half: bool, jobs: int
) -> tuple[RankedGains, list[Lists]]:
    parts = [run.take(np.flatnonzero(side == half)) for run, side in zip(runs, sides, strict=True)]
    return align(pool, [lambda part=part: [part] for part in parts], jobs=jobs, keep_keys=sys.maxsize)  # type: ignore[misc]


def in_half_b(digest: bytes) -> bool:
    """Whether a document is in the second half: by the lowest bit of its MD5."""
    return digest[-1] & 1 == 1


def _only(spread: CollectionSpread, at: Ints, compared: Bools) -> CollectionSpread:
    """These topics, and AP where both halves have one."""
    return replace(
        spread,
        topics=tuple(spread.topics[t] for t in at.tolist()),
        ap=np.where(compared, spread.ap[:, at], np.nan),
        sd=spread.sd[:, at],
        sd_logit=spread.sd_logit[:, at],
        relevant=spread.relevant[at],
        depth=spread.depth[:, at],
        limits={name: (low[:, at], high[:, at]) for name, (low, high) in spread.limits.items()},
    )


def whole_collection(
    runs: RunsLike,
    judgments: JudgmentsLike,
    *,
    relevant_from: float = 1,
    replicates: int = 2000,
    confidence: float = 0.95,
    epsilon: float = EPSILON,
    seed: int = 0,
    jobs: int = 1,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> ResultList[Estimate]:
    """MAP and L-MAP of every system on the whole collection: the paper's figure 4.

    Parameters
    ----------
    runs, judgments
        What `tg.evaluate` takes.
    relevant_from, replicates, confidence, epsilon, seed, jobs, engine, progress
        As in `split_half`.

    Returns
    -------
    ResultList of Estimate
        MAP with parametric limits and L-MAP with those of the bootstrap, the highest MAP first.

    Examples
    --------
    >>> from truegain.experiments import simulate, whole_collection
    >>> world = simulate(topics=12, systems=2, docs=200, depth=100, pool_depth=40, seed=1)
    >>> [(e.system, e.measure) for e in whole_collection(world.runs, world.gold, replicates=200)][:2]
    [('system-2', 'MAP'), ('system-1', 'MAP')]
    """
    scoring = Scoring(relevant_from)
    ranked = aligned(read_runs(runs, jobs=jobs), read_judgments(judgments, jobs=jobs), scoring, keep_keys=sys.maxsize)
    spread = collection_spread(
        ranked,
        level=relevant_from,
        replicates=replicates,
        confidence=confidence,
        epsilon=epsilon,
        seed=seed,
        engine=engine,
        progress=progress,
    )
    by_measure = [(measure, _estimates(spread, measure, method)) for measure, method in FIGURE_3]
    (value, *_), (_, low, high) = (_in_columns(estimates) for _, estimates in by_measure)
    order = np.argsort(-value, kind="stable").tolist()
    items = [replace(estimates[s], measure=measure) for measure, estimates in by_measure for s in order]
    of_map = float(np.nanmedian([e.high - e.low for e in items[: len(order)]]))
    of_logits = float(np.nanmedian(inverse_logits(high) - inverse_logits(low)))
    note = f"median width: MAP {of_map:.3f}, L-MAP on AP's scale {of_logits:.3f}"
    provenance = {"replicates": replicates, "confidence": confidence, "epsilon": epsilon, "seed": seed}
    return ResultList(items, provenance, (note,))


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

    The model is that of the split collection: the other mean lies inside a 95% interval 83.4% of the time (a little
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
