"""What magnitudes change for systems: rankings by magnitude gains against rankings by experts' gains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegain.aggregation.aggregate import aggregate
from truegain.aggregation.magnitudes import normalized
from truegain.config import Scoring
from truegain.data.id_matching import UNCHECKED
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.pool import ABSENT, Pool, RankedGains
from truegain.data.ratings import RatingsLike
from truegain.data.runs import RunsLike
from truegain.errors import InputError, TruegainError
from truegain.experiments.discriminative import jaccard, top_set
from truegain.experiments.magnitude_units import SOURCES, Units, read_magnitudes
from truegain.experiments.unanimity_gains import check_alpha
from truegain.io.column_names import Repeated
from truegain.io.columns import Bools, Coded, Floats, Ints, frozen
from truegain.io.warnings import warn
from truegain.measures.base import Measure
from truegain.measures.evaluate import aligned
from truegain.measures.parse import parse_measures
from truegain.measures.scoring import matching_for
from truegain.parallel.jobs import Engine, engine_for
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.stats.rank_correlation import kendall_tau, tau_interval
from truegain.stats.significance.pairs import wilcoxon_rows

# ---- One score drawn for each document, many times: how far a ranking by magnitudes depends on who was asked.

DRAWS = 50  # of one piece of work


@dataclass(frozen=True, eq=False)
class _Drawing:
    ranked: RankedGains
    value: Floats
    begin: Ints
    measures: dict[str, Measure]
    expert: dict[str, Floats]


def resampled_taus(
    ranked: RankedGains,
    moved: Judgments,
    measures: dict[str, Measure],
    expert: dict[str, Floats],
    trials: int,
    seed: int,
    engine: Engine,
) -> dict[str, Floats]:
    """Tau between experts' ranking and that by one drawn score for each document, sorted; NaN draws are left out."""
    item = ranked.pool.find(moved.topic, moved.docs)
    order = np.argsort(item, kind="stable")
    begin = np.searchsorted(item[order], np.arange(len(ranked.pool) + 1)).astype(np.int64)
    shared = _Drawing(ranked, moved.label[order], begin, measures, expert)
    pieces = [min(DRAWS, trials - first) for first in range(0, trials, DRAWS)]
    parts = list(engine.run(_drawn, pieces, shared=shared, seed=seed))
    by_name = {}
    for at, name in enumerate(measures):
        taus = np.concatenate([part[at] for part in parts])
        by_name[name] = frozen(np.sort(taus[~np.isnan(taus)]))
    return by_name


def _drawn(shared: _Drawing, draws: int, seed: np.random.SeedSequence) -> Floats:
    rng, count = np.random.default_rng(seed), np.diff(shared.begin)
    out = np.full((len(shared.measures), draws), np.nan)
    for d in range(draws):
        gains = shared.value[shared.begin[:-1] + (rng.random(len(count)) * count).astype(np.int64)]
        view = shared.ranked.with_gains(gains)
        for at, (name, measure) in enumerate(shared.measures.items()):
            means = measure.summarize(measure.score(view), view, False)
            if np.ptp(means) > 0 and np.ptp(shared.expert[name]) > 0:
                out[at, d] = kendall_tau(shared.expert[name], means)
    return out


# ---- Systems simulated from fully judged lists: each takes its list for a topic from some run.


def merged_systems(
    ranked: RankedGains, runs: object, levels: Judgments, depth: int, systems: int, seed: int, jobs: int | None
) -> RankedGains:
    """Systems whose list for each topic is that of a run drawn among those with all first documents judged."""
    full = _complete(ranked, depth)
    kept = [t for t, n in zip(ranked.topics, full.sum(axis=0), strict=True) if n >= 2]
    if len(kept) < 2:
        raise TruegainError(
            f"only {len(kept)} of {len(ranked.topics)} topics have two runs whose first {depth} documents all have a "
            "gain; simulated systems need at least 2 such topics"
        )
    rows = only_rows(levels, levels.topic.onto(kept) >= 0)
    view = aligned(runs, rows, Scoring(), jobs=jobs, matching=UNCHECKED).cut(depth)  # checked before on all topics
    full, topics = _complete(view, depth), len(view.topics)
    rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    drawn = np.stack([rng.choice(np.flatnonzero(full[:, t]), systems) for t in range(topics)], axis=1)
    lists = (drawn * topics + np.arange(topics)).ravel()
    size = np.diff(view.begin)[lists]
    begin = np.concatenate([[0], np.cumsum(size)])
    at = np.repeat(view.begin[lists] - begin[:-1], size) + np.arange(int(size.sum()))
    return replace(
        view,
        systems=tuple(f"merged-{s + 1}" for s in range(systems)),
        retrieved=frozen(view.retrieved[lists]),
        begin=frozen(begin),
        rank=frozen(view.rank[at]),
        item=frozen(view.item[at]),
    )


def _complete(ranked: RankedGains, depth: int) -> Bools:
    """Systems by topics: whether the first `depth` documents are there and all judged."""
    inside = np.bincount(ranked.list[ranked.rank <= depth], minlength=ranked.lists)
    full = (ranked.retrieved != ABSENT) & (inside == depth)
    return np.asarray(full.reshape(len(ranked.systems), len(ranked.topics)), np.bool_)


def only_rows(table: Judgments, keep: Bools) -> Judgments:
    """Some rows, and no topic that has none of them."""
    kept = table.take(np.flatnonzero(keep))
    used, code = np.unique(kept.topic.code, return_inverse=True)
    return replace(kept, topic=Coded(tuple(kept.topic.values[u] for u in used), frozen(code.astype(np.int32))))


# ---- What magnitudes change for systems: rankings by magnitude gains against rankings by experts' gains.

MEASURES = ("nDCG(dcg='jk')@10", "ERR(max_rel='topic')@10")
QUANTILES = (0.0, 0.025, 0.25, 0.5, 0.75, 0.975, 1.0)
LEAST = 3  # systems that have a ranking worth comparing
MAPPINGS: dict[str, Callable[[Floats], Floats]] = {
    "C": lambda c: c,
    "100 C": lambda c: 100 * c,
    "1 + C": lambda c: 1 + c,
    "10 + C": lambda c: 10 + c,
    "100 + C": lambda c: 100 + c,
    "10^(1 + C)": lambda c: np.asarray(10.0 ** (1 + c), np.float64),
    "2^(1 + C)": lambda c: np.asarray(2.0 ** (1 + c), np.float64),
}


@dataclass(frozen=True, eq=False)
class RankedSystems:
    """Systems under one source of gains by one measure: mean scores, and the systems that may be the best."""

    systems: tuple[str, ...]
    means: Floats
    top: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SystemExperiment:
    """Rankings by magnitudes against experts (table IV of the paper), by resampled scores, and by other mappings.

    `rankings` and `ranked` hold every source and measure, `draws` the tau of each resample by measure.
    """

    rankings: Table
    resampled: Table
    mappings: Table
    ranked: dict[tuple[str, str], RankedSystems]
    draws: dict[str, Floats]

    def __str__(self) -> str:
        return f"{self.rankings}\n\n{self.resampled}\n\n{self.mappings}"


def magnitude_systems(
    ratings: RatingsLike,
    expert: JudgmentsLike,
    runs: RunsLike,
    *,
    normalize: str = "geometric",
    sources: Sequence[str] | None = None,
    measures: Sequence[str] = MEASURES,
    simulated: int = 0,
    replicates: int = 1000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int | None = None,
    repeated: Repeated = "error",
) -> SystemExperiment:
    """Rank systems by magnitudes and by experts' levels as gains, and tell how far the two rankings agree.

    sources: 'all' takes the median of all scores of a document, 'top3' that of the three units that agree best with
    the experts' order, 'narrow' and 'wide' of the three best among units of narrow and wide scales.  For each: tau-b
    with its 95% interval, and the overlap (Jaccard) of the top sets, systems that a paired Wilcoxon test does not tell
    from the best (p >= alpha).  Then one score for each document is drawn, `replicates` times, and tau of each draw
    taken; and the experts' levels C are mapped to other gains.  DCG = G_1 + sum of G_i/log2 i, R(G) = (2^G - 1)/2^Gmax.

    Only documents with a magnitude and an expert's level of at least 0 have gains, so that sources differ in gain only;
    units are chosen, told narrow from wide and normalized by all their documents, judged by experts or not.
    simulated: score so many merged systems instead, which take each topic's list from one of the runs whose first
    documents (as many as the measures read) are all judged.

    Maddalena et al. 2017, ACM TOIS 35(3), section 7, tables III and IV, figures 10 to 12.

    >>> from truegain.experiments.worlds import magnitude_ratings, runs_over
    >>> world = magnitude_ratings(topics=6, docs=20, workers=4, seed=1)
    >>> runs = runs_over(world.truth, systems=5, seed=1)
    >>> units = magnitude_systems(world.ratings, world.expert, runs, replicates=100)
    >>> [row["units"] for row in units.rankings.records()][::2]
    ['all', 'top3', 'narrow', 'wide']
    """
    if replicates < 1:
        raise TruegainError(f"{replicates} replicates are too few; give at least 1")
    check_alpha(alpha)
    table, judged = read_magnitudes(ratings, repeated), Judgments.of(expert)
    levels = _shared(table, judged)
    parsed = [a.measure for a in parse_measures(list(measures))]
    units, moved = Units.of(table, levels), normalized(table, normalize)
    chosen = tuple(sources) if sources else tuple(s for s in SOURCES if s in ("all", "top3") or units.has_anchors)
    depth = _depth(parsed)
    ranked = aligned(runs, levels, Scoring(), jobs=jobs, matching=matching_for(parsed, Scoring())).cut(depth)
    if simulated:
        ranked = merged_systems(ranked, runs, levels, depth, simulated, seed, jobs)
    if len(ranked.systems) < LEAST:
        raise TruegainError(f"{len(ranked.systems)} systems are too few to rank; give at least {LEAST} runs")
    has_gain = ranked.pool.find(table.topic, table.docs) >= 0
    rows = {source: units.rows(source) for source in chosen}
    gains = {source: _gains(moved.take(r[has_gain[r]]), ranked.pool) for source, r in rows.items()}
    by_name = dict(zip(measures, parsed, strict=True))
    by: dict[tuple[str, str], RankedSystems] = {}
    for name, measure in by_name.items():
        by["expert", name] = ranking(ranked, measure, ranked.item_gain, alpha)
        for source in chosen:
            by[source, name] = ranking(ranked, measure, gains[source], alpha)
    provenance = {
        "normalize": normalize,
        "alpha": alpha,
        "seed": seed,
        "replicates": replicates,
        "simulated": simulated,
    }
    means = {m: by["expert", m].means for m in by_name}
    drawn = moved.take(np.flatnonzero(has_gain))
    draws = resampled_taus(ranked, drawn, by_name, means, replicates, seed, engine_for(jobs))
    about = f"{len(ranked.systems)} systems, {len(ranked.topics)} topics, {len(ranked.pool):,} documents"
    return SystemExperiment(
        _rankings(by, chosen, list(by_name), provenance, alpha, units, about),
        _quantiles(draws, provenance, replicates),
        _mapped(ranked, by_name, alpha, provenance),
        by,
        draws,
    )


def ranking(ranked: RankedGains, measure: Measure, gains: Floats, alpha: float) -> RankedSystems:
    """Mean scores under gains, one for each item of the pool, and the top set by paired Wilcoxon tests."""
    view = ranked.with_gains(gains)
    matrix = measure.score(view)
    means = measure.summarize(matrix, view, False)
    best = int(np.argmax(means))
    p = [1.0 if s == best else _wilcoxon(matrix[best], matrix[s]) for s in range(len(means))]
    return RankedSystems(ranked.systems, frozen(means), top_set(ranked.systems, means, p, alpha))


def _wilcoxon(first: Floats, second: Floats) -> float:
    """Wilcoxon's p over the topics that both systems have."""
    there = ~(np.isnan(first) | np.isnan(second))
    if not there.all():
        warn(f"{int((~there).sum())} of {len(there)} topics have no score and are left out")
    return float(wilcoxon_rows(first[None, there], second[None, there]).p[0])


def _shared(table: Judgments, expert: Judgments) -> Judgments:
    """The levels of documents that have a magnitude too; how many documents have only one of both is told."""
    sound = expert.take(np.flatnonzero(expert.label >= 0))
    rated, pool = Pool.of(table), Pool.of(sound)
    in_expert, in_rated = pool.find(table.topic, table.docs) >= 0, rated.find(sound.topic, sound.docs) >= 0
    if not in_expert.any():
        raise InputError(
            "the experts judged none of the rated documents",
            file=expert.source,
            hint="check that both use the same topic and document ids",
        )
    lost, bare = len(np.unique(rated.row_item[~in_expert])), int((~in_rated).sum())
    lacking = [f"{lost} of {len(rated)} rated documents have no expert label"] * (lost > 0)
    lacking += [f"{bare} of {len(sound)} expert labels have no magnitude"] * (bare > 0)
    if lacking:
        warn(f"{', and '.join(lacking)}; these have no gain")
    return only_rows(sound, in_rated)


def _gains(rows: Judgments, pool: Pool) -> Floats:
    """The median of each document's scores, item by item of the pool."""
    made = aggregate(rows, "median", scale="ratio")
    gains = np.zeros(len(pool))
    gains[pool.find(made.topic, made.docs)] = made.label
    return gains


def _depth(measures: Sequence[Measure]) -> int:
    cuts = [getattr(m, "cutoff", None) for m in measures]
    if any(c is None for c in cuts):
        raise TruegainError("this experiment needs measures with a cutoff, such as nDCG(dcg='jk')@10")
    return max(int(c) for c in cuts if c is not None)


# ---------------------------------------------------------------------- tables


def _agreement(one: RankedSystems, two: RankedSystems) -> tuple[Cell, ...]:
    """Tau with its interval, sizes of the top sets, their overlap."""
    rest = len(one.top), len(two.top), jaccard(one.top, two.top)
    if np.ptp(one.means) == 0 or np.ptp(two.means) == 0:
        return None, None, None, *rest
    tau = tau_interval(one.means, two.means)
    return tau.value, tau.low, tau.high, *rest


def _rankings(
    by: dict[tuple[str, str], RankedSystems],
    sources: Sequence[str],
    measures: Sequence[str],
    provenance: dict[str, object],
    alpha: float,
    units: Units,
    about: str,
) -> Table:
    rows = [(s, m, *_agreement(by["expert", m], by[s, m])) for s in sources for m in measures]
    columns = ("units", "measure", "tau", "low", "high", "top expert", "top magnitudes", "top sets")
    notes = [
        f"{about}; top sets: not significantly different from the best by Wilcoxon's test at {alpha:g}, and their "
        "overlap"
    ]
    if units.median_ratio is None:
        notes.append("narrow and wide units need a column 'anchor' that marks each unit's known documents")
    else:
        marked = int((~np.isnan(units.ratio)).sum())
        notes.append(f"narrow units: Hk/Nk below {units.median_ratio:g}, the median of {marked} units")
    notes += [_tied(f"{m} by {s}") for (s, m), each in by.items() if np.ptp(each.means) == 0]
    return Table(columns, rows, provenance, "Systems by magnitudes against experts", tuple(notes))


def _tied(what: str) -> str:
    return f"tau is undefined with {what}: all systems are tied"


def _quantiles(draws: dict[str, Floats], provenance: dict[str, object], trials: int) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for measure, taus in draws.items():
        values = [float(v) for v in np.quantile(taus, QUANTILES)] if len(taus) else [None] * len(QUANTILES)
        rows.append((measure, len(taus), float(taus.mean()) if len(taus) else None, *values))
    columns = ("measure", "draws", "mean", "least", "2.5%", "25%", "median", "75%", "97.5%", "greatest")
    few = min((len(t) for t in draws.values()), default=trials)
    notes: tuple[str, ...] = ()
    if few < trials:
        notes = (f"draws in which all systems are tied have no tau and are left out, {trials - few} at most",)
    return Table(columns, rows, provenance, f"Tau with one score drawn for each document, {trials} times", notes)


def _mapped(ranked: RankedGains, measures: dict[str, Measure], alpha: float, provenance: dict[str, object]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for measure in measures:
        plain = ranking(ranked, measures[measure], ranked.item_gain, alpha)
        for name, mapping in MAPPINGS.items():
            other = ranking(ranked, measures[measure], mapping(ranked.item_gain), alpha)
            rows.append((measure, name, *_agreement(plain, other)))
            if np.ptp(plain.means) == 0 or np.ptp(other.means) == 0:
                notes.append(_tied(f"{measure} by {name}"))
    columns = ("measure", "gain", "tau", "low", "high", "top C", "top gain", "top sets")
    return Table(columns, rows, provenance, "Experts' levels C mapped to other gains, against C itself", tuple(notes))
