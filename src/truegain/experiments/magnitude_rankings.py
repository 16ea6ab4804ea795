"""What magnitudes change for systems: rankings by magnitude gains against rankings by experts' gains."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from truegain.aggregation.aggregate import aggregate
from truegain.aggregation.magnitudes import normalized
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.id_matching import UNCHECKED
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.pool import ABSENT, Pool, RankedGains
from truegain.data.ratings import RatingsLike
from truegain.data.runs import RunsLike
from truegain.errors import InputError, TruegainError, check_one_of, warn
from truegain.experiments.discriminative import jaccard, share_of, top_set
from truegain.experiments.magnitude_units import AGGREGATIONS, BEST, Units, read_magnitudes
from truegain.experiments.unanimity_gains import check_alpha
from truegain.io.columns import Bools, Coded, Floats, Ints, frozen
from truegain.measures.base import Measure
from truegain.measures.catalogue import parse_measures
from truegain.measures.scoring import matching_for
from truegain.message import argname
from truegain.parallel.jobs import Engine, engine_for
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.stats.multiple_testing import Trials
from truegain.stats.rank_correlation import kendall_tau, tau_interval
from truegain.stats.significance import LEAST_TOPICS, find_test, run_test

MAPPINGS = ("C", "100 C", "1 + C", "10 + C", "100 + C", "10^(1 + C)", "2^(1 + C)")  # table III of the paper
LONGEST = 100  # letters of a formula
_OPERATORS: dict[type[ast.operator], Callable[[Floats, Floats], Floats]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_TIMES = re.compile(r"(?<=[\d.)])\s*(?=C|\()|(?<=C)\s*(?=\()")  # 100 C, 2 (1 + C), C (1 + C)


def mapped_gains(formula: str, levels: Floats) -> Floats:
    """Gains by a formula of the level C: numbers, C, + - * / ^ and brackets; `100 C` is 100 times C.

    Maddalena et al. 2017, ACM TOIS 35(3), table III.

    >>> [mapped_gains(f, np.array([0.0, 1.0, 2.0])).tolist() for f in ("C", "100 C", "2^(1 + C)")]
    [[0.0, 1.0, 2.0], [0.0, 100.0, 200.0], [2.0, 4.0, 8.0]]
    """
    try:
        if len(formula) > LONGEST:
            raise ValueError(formula)
        tree = ast.parse(_TIMES.sub("*", formula.strip()).replace("^", "**"), mode="eval")
        with np.errstate(all="ignore"):
            gains = np.broadcast_to(np.asarray(_value(tree.body, levels), np.float64), levels.shape)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise TruegainError(
            f"{argname('mapping', formula)}: not a formula of the level C; write numbers, C, + - * / ^ and brackets, "
            "such as 2^(1 + C)"
        ) from None
    bad = np.flatnonzero(~(np.isfinite(gains) & (gains >= 0)))
    if len(bad):
        raise TruegainError(
            f"{argname('mapping', formula)} makes a gain of {gains[bad[0]]:g} of level {levels[bad[0]]:g}; gains are "
            "finite numbers of at least 0"
        )
    return gains


def _value(node: ast.expr, levels: Floats) -> Floats:
    """The value of a part of a formula; whatever is no arithmetic is refused, so that nothing is ever run."""
    if isinstance(node, ast.Name) and node.id == "C":
        return levels
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return np.asarray(float(node.value), np.float64)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, levels)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, levels), _value(node.right, levels))
    raise ValueError(ast.dump(node))


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


@dataclass(frozen=True, kw_only=True)
class RankingRules:
    """What the paper fixed when magnitudes rank systems; the defaults are the paper's.

    Parameters
    ----------
    best : int, default 3
        Units behind the gain of a document, those that agree best with the experts' order.
    wide_from : float, optional
        Hk/Nk from which on a unit is wide; the median by default, 5 in the paper.
    aggregate : {'median', 'geometric', 'arithmetic'}, default 'median'
        How the scores of a document become its gain.
    mappings : sequence of str
        Formulas of the experts' level C, for the table of mappings.
    test : str, default 'wilcoxon'
        The test that tells systems from the best; those out of it are not in the top set.
    alpha : float, default 0.05
        Its significance level.

    Examples
    --------
    >>> RankingRules(best=5, wide_from=5, test="paired-t").best
    5
    """

    best: int = BEST
    wide_from: float | None = None
    aggregate: str = "median"
    mappings: tuple[str, ...] = MAPPINGS
    test: str = "wilcoxon"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        check_one_of("aggregate", self.aggregate, AGGREGATIONS)
        find_test(self.test)
        for formula in self.mappings:
            mapped_gains(formula, np.array([0.0, 1.0]))

    def told(self) -> dict[str, object]:
        """The rules by name, for provenance."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "mappings"}


PAPER = RankingRules()


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
    seed: int = 0,
    jobs: int | None = None,
    rules: RankingRules = PAPER,
) -> SystemExperiment:
    """Rank systems by magnitudes and by experts' levels as gains, and tell how far the two rankings agree.

    sources: 'all' takes the median of all scores of a document, 'top3' that of the three units that agree best with
    the experts' order, 'narrow' and 'wide' of the three best among units of narrow and wide scales.  For each: tau-b
    with its 95% interval, and the top sets, systems that a paired Wilcoxon test does not tell from the best (p >= .05):
    `overlap`, the share of the experts' top set that is in the other, as in the paper, and `jaccard`.  `rules` have
    another aggregation, number of units, border of wide scales, test, alpha or list of mappings.  Then one score for
    each document is drawn, `replicates` times, and tau of each draw taken; and the experts' levels C are mapped to
    other gains.  DCG = G_1 + sum of G_i/log2 i, R(G) = (2^G - 1)/2^Gmax.

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
    table, judged = read_magnitudes(ratings), Judgments.of(expert)
    levels = _shared(table, judged)
    parsed = [a.measure for a in parse_measures(list(measures))]
    units = Units.of(table, levels, best=rules.best, wide_from=rules.wide_from)
    moved, chosen = normalized(table, normalize), tuple(sources or units.sources)
    depth = _depth(parsed)
    ranked = aligned(runs, levels, Scoring(), jobs=jobs, matching=matching_for(parsed, Scoring())).cut(depth)
    if simulated:
        ranked = merged_systems(ranked, runs, levels, depth, simulated, seed, jobs)
    if len(ranked.systems) < LEAST:
        raise TruegainError(f"{len(ranked.systems)} systems are too few to rank; give at least {LEAST} runs")
    has_gain = ranked.pool.find(table.topic, table.docs) >= 0
    rows = {source: units.rows(source) for source in chosen}
    gains = {source: _gains(moved.take(r[has_gain[r]]), ranked.pool, rules.aggregate) for source, r in rows.items()}
    by_name = dict(zip(measures, parsed, strict=True))
    by: dict[tuple[str, str], RankedSystems] = {}
    for name, measure in by_name.items():
        by["expert", name] = ranking(ranked, measure, ranked.item_gain, rules)
        for source in chosen:
            by[source, name] = ranking(ranked, measure, gains[source], rules)
    provenance = {
        "normalize": normalize,
        **rules.told(),
        "seed": seed,
        "replicates": replicates,
        "simulated": simulated,
    }
    means = {m: by["expert", m].means for m in by_name}
    drawn = moved.take(np.flatnonzero(has_gain))
    draws = resampled_taus(ranked, drawn, by_name, means, replicates, seed, engine_for(jobs))
    about = f"{len(ranked.systems)} systems, {len(ranked.topics)} topics, {len(ranked.pool):,} documents"
    return SystemExperiment(
        _rankings(by, chosen, list(by_name), provenance, units, about),
        _quantiles(draws, provenance, replicates),
        _mapped(ranked, by_name, rules, provenance),
        by,
        draws,
    )


def ranking(ranked: RankedGains, measure: Measure, gains: Floats, rules: RankingRules = PAPER) -> RankedSystems:
    """Mean scores under gains, one for each item of the pool, and the top set by a test of each system and the best."""
    view = ranked.with_gains(gains)
    matrix = measure.score(view)
    means = measure.summarize(matrix, view, False)
    best = int(np.argmax(means))
    others = np.flatnonzero(np.arange(len(means)) != best)
    p = np.ones(len(means))
    if matrix.shape[1] >= LEAST_TOPICS:  # of fewer no test tells any from the best
        p[others] = run_test(rules.test, matrix, np.full(len(others), best), others, Trials(), ranked.systems).p
    return RankedSystems(ranked.systems, frozen(means), top_set(ranked.systems, means, p, rules.alpha))


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


def _gains(rows: Judgments, pool: Pool, rule: str) -> Floats:
    """The gain of each document by a rule, such as the median of its scores, item by item of the pool."""
    made = aggregate(rows, rule, scale="ratio")
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
    """Tau with its interval, sizes of the top sets, the share of the first that the second keeps, and Jaccard."""
    rest = len(one.top), len(two.top), share_of(one.top, two.top), jaccard(one.top, two.top)
    if np.ptp(one.means) == 0 or np.ptp(two.means) == 0:
        return None, None, None, *rest
    tau = tau_interval(one.means, two.means)
    return tau.value, tau.low, tau.high, *rest


def _rankings(
    by: dict[tuple[str, str], RankedSystems],
    sources: Sequence[str],
    measures: Sequence[str],
    provenance: dict[str, object],
    units: Units,
    about: str,
) -> Table:
    rows = [(s, m, *_agreement(by["expert", m], by[s, m])) for s in sources for m in measures]
    columns = ("units", "measure", "tau", "low", "high", "top expert", "top magnitudes", "overlap", "jaccard")
    notes = [
        f"{about}; top sets: not significantly different from the best by {provenance['test']} at "
        f"{provenance['alpha']:g}",
        "overlap: share of the experts' top set that is in that by magnitudes, as in the paper; jaccard: of either set",
    ]
    if units.median_ratio is None:
        notes.append("narrow and wide units need a column 'anchor' that marks each unit's known documents")
    else:
        notes.append(f"narrow units: {units.about_cut}")
        lacking = [f"{units.lacking(s):.0%} have no {s} unit" for s in sources if s in ("narrow", "wide")]
        notes += [f"of the rated documents {', '.join(lacking)} and take the best of all"] if lacking else []
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


def _mapped(
    ranked: RankedGains, measures: dict[str, Measure], rules: RankingRules, provenance: dict[str, object]
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for measure in measures:
        plain = ranking(ranked, measures[measure], ranked.item_gain, rules)
        for name in rules.mappings:
            other = ranking(ranked, measures[measure], mapped_gains(name, ranked.item_gain), rules)
            rows.append((measure, name, *_agreement(plain, other)))
            if np.ptp(plain.means) == 0 or np.ptp(other.means) == 0:
                notes.append(_tied(f"{measure} by {name}"))
    columns = ("measure", "gain", "tau", "low", "high", "top C", "top gain", "overlap", "jaccard")
    return Table(columns, rows, provenance, "Experts' levels C mapped to other gains, against C itself", tuple(notes))
