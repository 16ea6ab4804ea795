"""Documents by experts' level: their magnitudes, and what these say a level is worth."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np

from truegain.aggregation.aggregate import aggregate
from truegain.aggregation.magnitudes import MOST_LEVELS, expert_levels, normalized, order_agreement, units
from truegain.data.judgments import Judgments
from truegain.data.rating_groups import Grouped
from truegain.errors import InputError
from truegain.experiments.magnitude_units import nk_scores, no_anchors
from truegain.io.columns import Floats, Ints
from truegain.planning.assessors import Sigmas
from truegain.results.base import Table
from truegain.results.table import Cell, cells
from truegain.stats.student_t import p_of, satterthwaite

# ---- Documents by experts' level: their magnitudes, whether levels are told apart, sigma, and a second expert.

UNJUDGED = "unjudged"
ALL = "all"


def gains_by_level(table: Judgments, expert: Judgments, how: str) -> tuple[Judgments, Floats]:
    """The median normalized magnitude of each document, and its expert's level: not a number where there is none."""
    gains = aggregate(normalized(table, how), "median", scale="ratio")
    level = expert_levels(gains, expert)
    return gains, np.where(level < 0, np.nan, level)


def means_table(table: Judgments, expert: Judgments, how: str = "geometric") -> Table:
    """Documents by experts' level, over all topics and in each: mean, sd and quartiles of their median magnitudes.

    Documents that the experts did not judge are a level of their own.  Maddalena et al. 2017, ACM TOIS 35(3), figures 3
    and 4.

    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=2, docs=20, workers=5, seed=1)
    >>> [(row["topic"], row["level"]) for row in means_table(world.ratings, world.expert).records()][:5]
    [('all', '0'), ('all', '1'), ('all', '2'), ('all', '3'), ('1', '0')]
    """
    gains, level = gains_by_level(table, expert, how)
    rows: list[tuple[Cell, ...]] = []
    parts = [(ALL, np.ones(len(gains), np.bool_))]
    parts += [(name, gains.topic.code == code) for code, name in enumerate(gains.topic.values)]
    for topic, here in parts:
        levels = [(f"{at:g}", level == at) for at in np.unique(level[here & ~np.isnan(level)])]
        for name, mine in [*levels, (UNJUDGED, np.isnan(level))]:
            values = gains.label[here & mine]
            if len(values):
                sd = float(values.std(ddof=1)) if len(values) > 1 else None
                quartiles = [float(v) for v in np.quantile(values, (0.25, 0.5, 0.75))]
                rows.append((topic, name, len(values), float(values.mean()), sd, *quartiles))
    columns = ("topic", "level", "documents", "mean", "sd", "25%", "median", "75%")
    return Table(
        columns, rows, {"normalize": how}, f"Median magnitude of documents by experts' level, normalized: {how}"
    )


def apart_table(table: Judgments, expert: Judgments, how: str = "geometric") -> Table:
    """Whether magnitudes tell neighbouring levels of the experts apart: Welch's t and Mann and Whitney's U.

    Both compare documents' median magnitudes over all topics, two-sided, documents taken as independent as in the
    paper: t the means, U how often a document of the higher level has the higher magnitude (`higher first`, ties half).
    `in order` counts topics in which the median of the higher level is above that of the lower.

    Maddalena et al. 2017, ACM TOIS 35(3), section 5; Welch 1947, Biometrika 34; Mann and Whitney 1947, Annals of
    Mathematical Statistics 18.

    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=2, docs=20, workers=5, seed=1)
    >>> [(row["lower"], row["higher"]) for row in apart_table(world.ratings, world.expert).records()]
    [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]
    """
    gains, level = gains_by_level(table, expert, how)
    levels = np.unique(level[~np.isnan(level)]).tolist()
    if len(levels) < 2:
        raise InputError(
            "the experts' labels of these documents are all equal", file=expert.source, hint="give graded ones"
        )
    rows: list[tuple[Cell, ...]] = []
    for low, high in pairwise(levels):
        x, y = gains.label[level == low], gains.label[level == high]
        t, df, p = welch(x, y)
        u, p_u = mann_whitney(x, y)
        share = u / (len(x) * len(y))
        order, topics = _in_order(gains, level, low, high)
        counts = (len(x), len(y), float(x.mean()), float(y.mean()))
        rows.append((low, high, *counts, *cells((t, df, p)), u, *cells((p_u,)), share, order, topics))
    columns = ("lower", "higher", "documents lower", "documents higher", "mean lower", "mean higher", "t", "df",
               "p of t", "U", "p of U", "higher first", "in order", "topics")  # fmt: skip
    notes = ("p-values are of each pair alone; U's by the normal distribution, corrected for ties and continuity",)
    return Table(columns, rows, {"normalize": how}, f"Differences between neighboring levels, normalized: {how}", notes)


def welch(x: Floats, y: Floats) -> tuple[float, float, float]:
    """Welch's t of mean(y) - mean(x), its degrees of freedom and two-sided p; not a number below two values each.

    >>> t, df, p = welch(np.array([1.0, 2.0, 3.0, 4.0]), np.array([3.0, 4.0, 5.0, 7.0]))
    >>> print(f"{t:.3f} {df:.2f} {p:.4f}")
    2.102 5.58 0.0837
    """
    if min(len(x), len(y)) < 2:
        return math.nan, math.nan, math.nan
    parts = [(float(v.var(ddof=1)) / len(v), len(v) - 1.0) for v in (x, y)]
    spread, apart = math.sqrt(sum(v for v, _ in parts)), float(y.mean() - x.mean())
    if spread == 0:
        return math.nan, math.nan, math.nan
    df = satterthwaite(parts)
    return apart / spread, df, p_of(apart / spread, df)


def mann_whitney(x: Floats, y: Floats) -> tuple[float, float]:
    """U, the pairs in which y is above x, ties half, and its two-sided p: not a number where all are equal.

    p by the normal distribution with mean n m/2 and variance n m/12 ((N + 1) - sum (t^3 - t)/(N (N - 1))), t the sizes
    of ties, half a pair nearer to the mean (continuity).

    >>> u, p = mann_whitney(np.array([1.0, 2.0, 3.0, 4.0]), np.array([3.0, 4.0, 5.0, 7.0]))
    >>> print(f"{u:g} {p:.4f}")
    14 0.1081
    """
    n, m = len(x), len(y)
    ordered = np.sort(x)
    below, upto = np.searchsorted(ordered, y), np.searchsorted(ordered, y, side="right")
    u, size = float((below + upto).sum()) / 2, n + m
    ties = np.unique(np.concatenate([x, y]), return_counts=True)[1].astype(np.float64)
    variance = n * m / 12 * ((size + 1) - float((ties**3 - ties).sum()) / (size * (size - 1)))
    if variance <= 0:
        return u, math.nan
    return u, p_of(max(0.0, abs(u - n * m / 2) - 0.5) / math.sqrt(variance))


def _in_order(gains: Judgments, level: Floats, low: float, high: float) -> tuple[int, int]:
    """Topics in which the median of the higher level is above that of the lower, and topics that have both."""
    right = topics = 0
    for code in range(len(gains.topic.values)):
        here = gains.topic.code == code
        x, y = gains.label[here & (level == low)], gains.label[here & (level == high)]
        if len(x) and len(y):
            topics += 1
            right += int(np.median(y) > np.median(x))
    return right, topics


# ---------------------------------------------------------------------- sigma


def sigma_table(table: Judgments, how: str = "geometric") -> Table:
    """How far people's magnitudes of one document lie apart, by topic: sigma, and quartiles of documents' sds.

    Maddalena et al. 2017, ACM TOIS 35(3), section 6.3, figure 9; `plan_assessors` takes sigma from here.

    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=2, docs=20, workers=5, seed=1)
    >>> [row["topic"] for row in sigma_table(world.ratings).records()]
    ['1', '2', 'all']
    """
    sigmas = document_sigmas(table, how)
    parts = sigmas.by_topic()
    rows: list[tuple[Cell, ...]] = []
    for name, part in [*parts, *([(ALL, sigmas)] if len(parts) > 1 else [])]:
        quartiles = [float(v) for v in np.quantile(part.sds, (0.25, 0.5, 0.75))]
        rows.append((name, len(part.sds), part.ratings, part.sigma, *cells(part.limits()), *quartiles))
    columns = ("topic", "documents", "ratings", "sigma", "low", "high", "25%", "median", "75%")
    notes = ("sigma: of all documents together, with its 95% interval; quartiles: of the sds of single documents",)
    return Table(columns, rows, {"normalize": how}, f"Sigma of a document's magnitudes, normalized: {how}", notes)


def document_sigmas(table: Judgments, how: str = "geometric") -> Sigmas:
    """How far the normalized magnitudes of each document lie apart."""
    sigmas = Sigmas.of(Grouped.of(normalized(table, how)))
    if not len(sigmas.sds):
        raise InputError("no document has two magnitudes", file=table.source, hint="sigma needs several assessors")
    return sigmas


# ---------------------------------------------------------------------- two experts


def experts_table(table: Judgments, expert: Judgments, second: Judgments, how: str = "geometric") -> Table:
    """How often median magnitudes order two documents of a topic as each of two experts does, and they each other.

    Pairs are those on different levels of whom the row names last; equal values count as agreement.  Every two levels,
    and all; mean over topics, the least and the greatest topic, and over all pairs.

    Maddalena et al. 2017, ACM TOIS 35(3), section 6.1.2, figure 7.

    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=2, docs=20, workers=5, seed=1)
    >>> rows = experts_table(world.ratings, world.expert, world.expert).records()
    >>> [(row["order of"], row["as"]) for row in rows if row["levels"] == "all"]
    [('magnitudes', 'expert'), ('magnitudes', 'second'), ('second', 'expert'), ('expert', 'second')]
    """
    gains, one = gains_by_level(table, expert, how)
    two = expert_levels(gains, second)
    two = np.where(two < 0, np.nan, two)
    topic, count = gains.topic.code.astype(np.int64), len(gains.topic.values)
    rows: list[tuple[Cell, ...]] = []
    for name, level in (("expert", one), ("second", two)):
        levels = np.unique(level[~np.isnan(level)]).tolist()
        if 2 < len(levels) <= MOST_LEVELS:
            for low, high in combinations(levels, 2):
                these = np.where(np.isin(level, (low, high)), level, np.nan)
                rows.append(("magnitudes", name, f"{low:g}, {high:g}", *_shares(gains.label, these, topic, count)))
        rows.append(("magnitudes", name, ALL, *_shares(gains.label, level, topic, count)))
    both = ~np.isnan(one) & ~np.isnan(two)
    for by, name, value, level in (("second", "expert", two, one), ("expert", "second", one, two)):
        rows.append((by, name, ALL, *_shares(value[both], level[both], topic[both], count)))
    columns = ("order of", "as", "levels", "mean over topics", "least", "greatest", "topics", "all pairs", "pairs")
    notes = ("two documents of a topic on different levels, ordered alike; equal values count as agreement",)
    return Table(columns, rows, {"normalize": how}, "Documents ordered as two experts do", notes)


def _shares(value: Floats, level: Floats, topic: Ints, topics: int) -> tuple[Cell, ...]:
    pairs = order_agreement(value, level, topic)
    share, _ = pairs.by_group(topics)
    defined = share[~np.isnan(share)]
    if not len(defined):
        return None, None, None, 0, None, 0
    return float(defined.mean()), float(defined.min()), float(defined.max()), len(defined), pairs.share, len(pairs)


# ---- Gain profiles: what people's magnitudes say a level of the experts is worth.

SPREAD = (0.05, 0.25, 0.5, 0.75, 0.95)
BEYOND_PROFILE, BEYOND_RATIO = 20.0, 3.5  # where the paper's figures end
BOX = ("5%", "25%", "median", "75%", "95%")


def levels_table(table: Judgments, expert: Judgments, how: str = "geometric") -> Table:
    """Normalized magnitudes by experts' level: how many, and their quantiles (the paper's boxplots).

    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=3, docs=20, workers=5, seed=1)
    >>> [row["level"] for row in levels_table(world.ratings, world.expert).records()]
    [0.0, 1.0, 2.0, 3.0]
    """
    values, level = normalized(table, how).label, expert_levels(table, expert)
    rows = [(at, len(v), *_quantiles(v)) for at, v in _by_level(values, level)]
    return Table(
        ("level", "scores", *BOX), rows, {"normalize": how}, f"Magnitudes by experts' level, normalized: {how}"
    )


def profile_table(table: Judgments, expert: Judgments) -> Table:
    """Magnitudes over the unit's Nk score by experts' level, beside the linear and the exponential gain profile.

    linear: 1, 2, 3, 4; exponential: 2, 4, 8, 16, from the lowest level up.  Units without a document marked 'low' in
    the column `anchor` are left out.  Maddalena et al. 2017, ACM TOIS 35(3), section 8, figure 14.

    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=3, docs=20, workers=5, seed=1)
    >>> [(row["linear"], row["exponential"]) for row in profile_table(world.ratings, world.expert).records()]
    [(1, 2), (2, 4), (3, 8), (4, 16)]
    """
    base = nk_scores(table)
    there = ~np.isnan(base)
    if not there.any():
        raise no_anchors(table)
    level = expert_levels(table, expert)
    rows: list[tuple[Cell, ...]] = []
    for place, (at, values) in enumerate(_by_level((table.label / base)[there], level[there])):
        beyond = int((values > BEYOND_PROFILE).sum())
        rows.append((at, len(values), *_quantiles(values), beyond, place + 1, 2 ** (place + 1)))
    columns = ("level", "scores", *BOX, f"above {BEYOND_PROFILE:g}", "linear", "exponential")
    left = int((~there).sum())
    notes = (f"{left} scores of units without a document marked 'low' are left out",) if left else ()
    return Table(columns, rows, {"source": table.source}, "Gain profile: magnitudes over the unit's Nk score", notes)


def ratios_table(table: Judgments, expert: Judgments) -> Table:
    """Ratios of magnitudes within a unit between the experts' highest levels H, R and (where there is one) M below.

    Every pair of documents of a unit counts.  M is ignored (H/R), folded up into R (H over R and M), or stays below
    while R is folded up into H (H and R over M); the last two only in units that hold an M.  The lowest level is never
    M.  Maddalena et al. 2017, ACM TOIS 35(3), section 8, figure 15.

    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=3, docs=20, workers=5, seed=1)
    >>> [row["ratio"] for row in ratios_table(world.ratings, world.expert).records()]
    ['H / R', 'H / (R, M)', '(H, R) / M']
    """
    level = expert_levels(table, expert)
    levels = np.unique(level[~np.isnan(level)])
    if len(levels) < 3:
        raise InputError(
            f"experts use {len(levels)} levels, {', '.join(f'{v:g}' for v in levels)}; ratios of highly relevant to "
            "relevant documents need at least 3",
            file=expert.source,
            hint="give graded judgments",
        )
    unit, _ = units(table)
    high, middle = float(levels[-1]), float(levels[-2])
    kinds: list[tuple[str, set[float], set[float], float | None]] = [("H / R", {high}, {middle}, None)]
    names = f"H is level {high:g}, R {middle:g}"
    if len(levels) > 3:
        low = float(levels[-3])
        kinds += [("H / (R, M)", {high}, {middle, low}, low), ("(H, R) / M", {high, middle}, {low}, low)]
        names += f", M {low:g}"
    rows: list[tuple[Cell, ...]] = []
    for name, above, below, must in kinds:
        ratio, among = within_units(table.label, level, unit, above, below, must)
        beyond, mean = int((ratio > BEYOND_RATIO).sum()), float(ratio.mean()) if len(ratio) else None
        rows.append((name, len(ratio), among, *_quantiles(ratio), mean, beyond))
    columns = ("ratio", "pairs", "units", *BOX, "mean", f"above {BEYOND_RATIO:g}")
    return Table(columns, rows, {"source": table.source}, "Ratios within units between experts' levels", (names,))


def within_units(
    value: Floats, level: Floats, unit: Ints, above: set[float], below: set[float], must: float | None
) -> tuple[Floats, int]:
    """Ratios of all documents on levels `above` to all on levels `below` of the same unit, and how many units have one.

    Only units that hold a document on level `must` count, where it is given.
    """
    order = np.argsort(unit, kind="stable")
    cuts = np.flatnonzero(np.diff(unit[order])) + 1
    ratios: list[Floats] = []
    for rows in np.split(order, cuts):
        here, scores = level[rows], value[rows]
        if must is not None and must not in here:
            continue
        top, bottom = scores[np.isin(here, list(above))], scores[np.isin(here, list(below))]
        if len(top) and len(bottom):
            ratios.append((top[:, None] / bottom[None, :]).ravel())
    return (np.concatenate(ratios) if ratios else np.empty(0)), len(ratios)


def _by_level(values: Floats, level: Floats) -> list[tuple[float, Floats]]:
    return [(float(at), values[level == at]) for at in np.unique(level[~np.isnan(level)])]


def _quantiles(values: Floats) -> list[Cell]:
    if not len(values):
        return [None] * len(SPREAD)
    return [float(v) for v in np.quantile(values, SPREAD)]
