"""Scores set right by gold pairs: against loops, copies, numerical influences and simulations with known truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from benchmarks.rectified import by_pairs, told
from scipy import stats

import truegain as tg
from truegain.data.items import Items
from truegain.io.columns import Floats
from truegain.judge_error.pair_estimators import PairFit, SampledPairs, slope_of, strata_of
from truegain.sampling.catalogue import DESIGNS
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import wilson

Array = npt.NDArray[np.float64]


def drawn(seed: int, design: str = "random", topics: int = 12, docs: int = 30) -> tuple[SampledPairs, Floats]:
    """Pairs of a pool, a third of them gold, and what they count for three systems."""
    rng = np.random.default_rng(seed)
    n = topics * docs
    gold = (rng.random(n) < 0.4).astype(float)
    bronze = np.where(rng.random(n) < 0.25, rng.integers(0, 3, n), 2 * gold)
    sampled = rng.random(n) < np.where(bronze > 0, 0.5, 0.25) if design == "by-bronze" else rng.random(n) < 0.33
    pairs = SampledPairs(
        np.repeat(np.arange(topics), docs), strata_of(bronze, sampled), bronze / 2, np.where(sampled, gold, np.nan),
        DESIGNS[design].expansion(np.zeros(len(bronze), np.int32), bronze, sampled), topics,
    )  # fmt: skip
    return pairs, np.where(rng.random((3, n)) < 0.4, rng.choice([0.1, 0.05, 0.2], (3, n)), 0.0)


def world(seed: int, topics: int = 30, pool: int = 30, depth: int = 10) -> tuple[SampledPairs, Array, Array]:
    """Pairs all gold-judged, what they count for two systems that find relevant documents, a judge that errs by topic.

    The judge favors the first system: it takes more of what that one retrieved for relevant.
    """
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(topics), pool)
    relevant = (rng.random(topics * pool) < rng.beta(2, 4, topics)[topic]).astype(np.float64)
    c = np.zeros((2, topics * pool))
    for system, skill in enumerate((1.5, 1.0)):
        score = (rng.gumbel(size=topics * pool) + skill * relevant).reshape(topics, pool)
        top = np.argsort(-score, axis=1)[:, :depth] + pool * np.arange(topics)[:, None]
        c[system, top.ravel()] = 1 / depth
    wrong = np.where(relevant == 1, 0.15, 0.15 + 0.15 * (c[0] > 0)) * rng.uniform(0.5, 1.5, topics)[topic]
    bronze = np.where(rng.random(topics * pool) < wrong, 1 - relevant, relevant)
    everything = SampledPairs(topic, bronze.astype(np.int64), bronze, relevant, np.ones(len(topic)), topics)
    return everything, c[0], c[1]


def sample(full: SampledPairs, gold: int, design: str, seed: int) -> SampledPairs:
    """The same pairs with gold labels for some only."""
    rng = np.random.default_rng(seed)
    chosen = np.zeros(len(full.topic), np.bool_)
    if design == "random":
        chosen[rng.choice(len(chosen), gold, replace=False)] = True
    else:
        for label in (0, 1):
            chosen[rng.choice(np.flatnonzero(full.bronze == label), gold // 2, replace=False)] = True
    expansion = DESIGNS[design].expansion(np.zeros(len(full.bronze), np.int32), full.bronze, chosen)
    some = np.where(chosen, full.gold, np.nan)
    return SampledPairs(full.topic, strata_of(full.bronze, chosen), full.bronze, some, expansion, full.topics)


def predicted(pairs: SampledPairs, weights: Array, i: int) -> float:
    """What pair i is worth by its bronze label, gold pair by gold pair, one copy of its own topic left out."""
    s = pairs.sampled
    copies = weights - np.minimum(weights, 1) * (np.arange(pairs.topics) == pairs.topic[i])
    e = copies[pairs.topic[s]] * pairs.expansion[s] / pairs.expansion[s].mean()
    above = pairs.gold[s] - pairs.slope * pairs.bronze[s]
    overall = (e * above).sum() / e.sum()
    alike = pairs.stratum[s] == pairs.stratum[i]
    return float(pairs.slope * pairs.bronze[i] + ((e * above)[alike].sum() + overall) / (e[alike].sum() + 1))


def valued(seed: int) -> tuple[SampledPairs, Floats]:
    """The pairs of `drawn` with bronze and gold values on a fine scale, and the line through them."""
    pairs, coefficients = drawn(seed, docs=20)
    rng = np.random.default_rng(seed)
    bronze = rng.beta(2, 2, len(pairs.gold))
    gold = np.where(pairs.sampled, 0.2 + 0.6 * bronze + 0.2 * rng.random(len(bronze)), np.nan)
    s = pairs.sampled
    slope = slope_of(bronze[s], gold[s], pairs.expansion[s])
    stratum = strata_of(bronze, s, least=15)
    return replace(pairs, bronze=bronze, gold=gold, stratum=stratum, are_values=True, slope=slope), coefficients


# ---------------------------------------------------------------------- values


@pytest.mark.parametrize("design", ["random", "by-bronze", "values"])
def test_values_equal_a_loop_over_pairs(design: str) -> None:
    """Guards predictions from other topics, sums by topic and stratum, and weights, against the formula at 1e-12."""
    pairs, coefficients = valued(1) if design == "values" else drawn(1, design, docs=20)
    weights = np.array([np.ones(12), 1.0 - (np.arange(12) == 3), [1.0, 2, 0, 0.5, 1, 3, 1, 1, 0, 1, 2, 1]])
    fit = PairFit.of(pairs, coefficients)
    found = fit.values(weights)
    for row, w in enumerate(weights):
        m = np.array([predicted(pairs, w, i) for i in range(len(pairs.topic))])
        each = w[pairs.topic]
        for system, c in enumerate(coefficients):
            used = pairs.sampled & (c != 0)
            load = (each * c * pairs.expansion)[used]
            missed = (load * (pairs.gold - m)[used]).sum() / load.sum()
            value = ((each * c * m).sum() + (each * c).sum() * missed) / w.sum()
            assert found[row, system] == pytest.approx(value, abs=1e-12)
            alone = (each * c).sum() * (load * pairs.gold[used]).sum() / load.sum() / w.sum()
            assert fit.alone().values(weights)[row, system] == pytest.approx(alone, abs=1e-12)
    assert fit.contributions().mean(axis=0) == pytest.approx(found[0], abs=1e-12)


def test_the_line_is_that_of_least_squares() -> None:
    """Guards the slope against numpy's weighted one, the shrinkage, and a judge who says the same everywhere."""
    rng = np.random.default_rng(3)
    x, y, w = rng.random(40), rng.random(40), rng.uniform(0.5, 3, 40)
    assert slope_of(x, y, w) == pytest.approx(np.polyfit(x, y, 1, w=np.sqrt(w))[0] * 40 / 41)
    assert slope_of(np.full(40, 0.3), y, w) == 0


def test_the_line_is_worth_what_strata_lose_of_a_fine_judge() -> None:
    """Guards why there is a line: forty labels of a judge who errs by .04, over 200 draws, without it and with it.

    The judge's labels alone would be wrong by 0.1 between the two systems.
    """
    rng = np.random.default_rng(8)
    topics = 120
    quality = rng.beta(3, 2, (2, topics))
    judged = quality + rng.normal(0, 0.04, quality.shape) + np.array([[0.0], [0.1]])
    topic, c = np.tile(np.arange(topics), 2), np.kron(np.eye(2), np.ones(topics))
    errors: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(200):
        has = np.zeros(2 * topics, np.bool_)
        has[rng.choice(2 * topics, 40, replace=False)] = True
        gold: Array = np.where(has, quality.ravel(), np.nan)
        bronze, e = judged.ravel(), np.full(240, 6.0)
        for line in (False, True):
            slope = slope_of(bronze[has], gold[has], e[has]) if line else 0.0
            pairs = SampledPairs(topic, strata_of(bronze, has), bronze, gold, e, topics, None, True, slope)
            found = PairFit.of(pairs, np.asarray(c, np.float64)).values(np.ones((1, topics)))[0]
            errors[line].append(found[1] - found[0] - (quality[1] - quality[0]).mean())
    strata, with_line = (float(np.sqrt(np.mean(np.square(errors[line])))) for line in (False, True))
    assert with_line < 0.8 * strata
    assert abs(np.mean(errors[True])) < 0.2 * with_line


def test_a_slip_of_the_judge_is_not_believed() -> None:
    """Guards a value of 85 for 0.85 that no gold label met, through the whole: the difference stays what it is."""
    rng = np.random.default_rng(4)
    true = np.clip(rng.beta(3, 2, (2, 100)) + np.array([[0.0], [0.05]]), 0, 1)
    judged = np.clip(true + rng.normal(0, 0.05, true.shape), 0, 1)
    kept = rng.random(true.shape) < 0.2
    slips = judged * np.where(np.arange(200).reshape(2, 100) == np.flatnonzero(~kept.ravel())[3], 100, 1)

    def items(values: Array, some: npt.NDArray[np.bool_]) -> Items:
        at = zip(*np.nonzero(some), strict=True)
        return tg.read_items([{"topic": f"q{t}", "system": "ab"[s], "f": float(values[s, t])} for s, t in at])

    def difference(values: Array) -> float:
        people = tg.Gold(items(true, kept), "random")
        study = tg.Study(items(values, kept | True), measures="f", gold=people, population="fixed")
        return study.compare("a", "b")[0].difference

    with pytest.warns(tg.DataWarning, match=r"^1 value of f is 88\.3778, .*: these seem to be two scales"):
        slipped = difference(slips)
    assert slipped == pytest.approx(difference(judged), abs=0.01)


def test_many_weights_are_worked_out_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards studies of thousands of topics, whose weights do not fit in memory at once."""
    pairs, coefficients = drawn(1, docs=20)
    fit, weights = PairFit.of(pairs, coefficients), np.random.default_rng(1).random((50, 12))
    whole = fit.values(weights)
    monkeypatch.setattr("truegain.judge_error.pair_estimators.MOST_CELLS", 7 * fit.count.size)
    assert fit.values(weights) == pytest.approx(whole, abs=1e-12)


def by_definition(fit: PairFit, weights: Floats) -> list[float]:
    """The score of every system for one row of weights, topic by topic, as the docstring of the fit has it."""
    topics, once = range(len(weights)), np.minimum(weights, 1.0)
    m = []
    for t in topics:
        count, total = (sum(weights[u] * x[u] for u in topics) - once[t] * x[t] for x in (fit.count, fit.gold))
        m.append((total + (total.sum() / count.sum() if count.sum() > 1e-9 else 0.0)) / (count + 1))
    m = m if fit.predicts else [np.zeros(fit.count.shape[1])] * len(m)
    scores = []
    for s in range(len(fit.whole)):
        predicted = sum(weights[t] * (fit.whole[s, t] @ m[t] + fit.line[s, t]) for t in topics)
        right = sum(weights[t] * (fit.drawn_gold[s, t] - fit.drawn[s, t] @ m[t]) for t in topics)
        share = sum(weights[t] * fit.drawn[s, t].sum() for t in topics)
        whole = sum(weights[t] * fit.whole[s, t].sum() for t in topics)
        scores.append((predicted + (whole * right / share if share else 0.0)) / weights.sum())
    return scores


@pytest.mark.parametrize("labeled", [12, 5, 1])
def test_topics_without_gold_pairs_are_worked_out_together(labeled: int) -> None:
    """Guards the short way for thousands of topics of which few have a gold label: it is the long one, exactly."""
    full, coefficients = drawn(3, docs=20)
    pairs = replace(full, gold=np.where(full.topic < labeled, full.gold, np.nan))
    fit, rng = PairFit.of(pairs, coefficients), np.random.default_rng(2)
    assert int(fit.count.any(axis=1).sum()) == labeled
    for one in (fit, fit.alone()):
        weights = rng.integers(0, 4, (6, 12)).astype(float)
        weights[:, 0] += 1.0
        assert one.values(weights, 0.0) == pytest.approx(np.array([by_definition(one, w) for w in weights]), abs=1e-12)
        rows = 1.0 - np.eye(12)
        right = np.array([by_definition(one, w) for w in rows])
        assert one.without_each(0.0) == pytest.approx(right, abs=1e-12)


def test_weights_are_copies() -> None:
    """Guards refits: topics with whole weights are the topics repeated, those without are not there."""
    full, a, b = world(5, topics=10)
    pairs = sample(full, 120, "random", 3)
    weights = np.array([1, 2, 0, 1, 3, 1, 1, 1, 2, 1.0])
    copies = [np.flatnonzero(pairs.topic == t) for t in np.repeat(np.arange(10), weights.astype(int))]
    rows = np.concatenate(copies)
    topic = np.repeat(np.arange(len(copies)), [len(c) for c in copies])
    again = SampledPairs(
        topic, pairs.stratum[rows], pairs.bronze[rows], pairs.gold[rows], pairs.expansion[rows], len(copies)
    )
    one = PairFit.of(pairs, np.array([a, b])).values(weights[None])
    two = PairFit.of(again, np.array([a[rows], b[rows]])).values(np.ones((1, len(copies))))
    assert one == pytest.approx(two, abs=1e-12)


def test_all_pairs_gold_give_the_gold_score_and_its_paired_t_test() -> None:
    """Guards the end of the road at 1e-9: whatever bronze says, the gold difference; topics alone bring variance."""
    full, a, b = world(1)
    d = np.bincount(full.topic, (b - a) * full.gold)
    found = told(by_pairs(full, a, b), 1, 0)
    assert found.value == pytest.approx(d.mean(), abs=1e-12)
    assert found.se**2 == pytest.approx(np.var(d, ddof=1) / 30, rel=1e-9)
    off = d - d.mean()
    tails = 30 * (off**4).sum() / (off**2).sum() ** 2
    assert found.df == pytest.approx(min(29, 60 / (tails - 1)), rel=1e-9)


# ---------------------------------------------------------------------- variances


def test_a_gold_pair_moves_what_another_label_of_it_would() -> None:
    """Guards load and residual of a gold pair against the value with its weight a millionth higher, at 1e-6."""
    pairs, coefficients = drawn(5)
    fit = PairFit.of(pairs, coefficients)
    at = np.flatnonzero(pairs.sampled)
    step = 1e-6
    for k in (0, 7, 31):
        more = pairs.expansion.copy()
        more[at[k]] *= 1 + step
        mean = pairs.expansion[pairs.sampled].mean() / more[pairs.sampled].mean()
        other = PairFit.of(SampledPairs(pairs.topic, pairs.stratum, pairs.bronze, pairs.gold, more, 12), coefficients)
        assert mean == pytest.approx(1, abs=1e-6)
        fixed = fit.expected(np.ones((1, 12)))  # the predictions as they are: only the correction is moved
        moved = _with(other, fixed) - _with(fit, fixed)
        assert moved / step == pytest.approx((fit.load * fit.residuals())[k] / 12, abs=2e-6)


def test_limits_do_not_depend_on_where_the_scale_begins() -> None:
    """Guards labels that do not begin at 0: limits from strata are those of the same labels, all lowered by one."""
    full, a, b = world(3)
    pairs = sample(full, 300, "random", 4)
    raised = replace(pairs, bronze=pairs.bronze + 1, gold=pairs.gold + 1)
    quantile = np.array([1.96, 1.96])
    one, two = (PairFit.of(p, np.array([a, b])).by_stratum(quantile) for p in (pairs, raised))
    assert np.array(two) == pytest.approx(np.array(one), rel=1e-9)


def graded(seed: int) -> tuple[SampledPairs, Floats]:
    """Pairs of three bronze labels whose gold values have many levels, a third of them gold, for three systems."""
    pairs, coefficients = drawn(seed)
    rng = np.random.default_rng(seed)
    values = (pairs.gold + rng.beta(2, 3, len(pairs.gold))) / 2
    bronze = pairs.bronze + 0.1 * rng.random(len(values))  # fine, so that the strata of a line have ends of their own
    return replace(pairs, gold=values, bronze=bronze, are_values=True, slope=0.4), coefficients


def ends_of(pairs: SampledPairs, h: int) -> tuple[float, float]:
    """How far a value of stratum h may lie below and above the line."""
    labels = [*pairs.gold[pairs.sampled], *pairs.bronze]
    line = [pairs.slope * b for b, at in zip(pairs.bronze, pairs.stratum, strict=True) if at == h]
    return min(labels) - max(line), max(labels) - min(line)


@pytest.mark.parametrize("many", [False, True], ids=["0 and 1", "many levels"])
def test_the_variance_that_few_pairs_must_have_written_out(many: bool) -> None:
    """Guards `by_chance` against loops: n values that touch a contrast and four as the stratum has them."""
    pairs, coefficients = graded(3) if many else drawn(3)
    fit = PairFit.of(pairs, coefficients)
    at = np.flatnonzero(pairs.sampled)
    load = fit.load[:, 1] - fit.load[:, 0]
    above = pairs.gold - pairs.slope * pairs.bronze
    variance = 0.0
    for h in set(pairs.stratum[at].tolist()):
        low, high = ends_of(pairs, h)
        rows = [k for k in range(len(at)) if pairs.stratum[at[k]] == h]
        values = [above[at[k]] for k in rows]
        touched = [above[at[k]] for k in rows if load[k] != 0]
        if many:
            mean, square, least = np.mean(values), np.mean(np.square(values)), 0.0
        else:
            (means, squares), odd = pairs.moments(), 0.5 / (len(rows) + 1)
            mean, square, least = means[h], squares[h], (high - low) ** 2 * odd * (1 - odd)
        first = (sum(touched) + 4 * mean) / (len(touched) + 4)
        spread = (sum(x * x for x in touched) + 4 * square) / (len(touched) + 4) - first**2
        if many:
            spread *= len(values) / (len(values) - 1)
            spread += max(pairs.gold[at].var() - spread, 0) / (len(at) + 1)
        open_ = sum((1 - 1 / pairs.expansion[at[k]]) * load[k] ** 2 for k in rows)
        variance += max(float(spread), least) * open_
    assert fit.by_chance(load[:, None])[0] == pytest.approx(variance / 12**2, rel=1e-9)


def test_limits_by_label_written_out() -> None:
    """Guards `by_stratum` with values of many levels against its formula, stratum by stratum and system by system."""
    pairs, coefficients = graded(4)
    fit, t = PairFit.of(pairs, coefficients), 2.1
    down, up = fit.by_stratum(np.full(3, t))
    at = np.flatnonzero(pairs.sampled)
    above, of_all = pairs.gold[at] - pairs.slope * pairs.bronze[at], fit.expected(np.ones((1, 12)))[0]
    for s in range(3):
        load, whole = fit.load[:, s], fit.whole[s]
        error = sum(x * (g - of_all[pairs.topic[k], pairs.stratum[k]]) for x, g, k in zip(load, above, at, strict=True))
        sums = [0.0, 0.0]
        for h in range(whole.shape[1]):
            low, high = ends_of(pairs, h)
            width = high - low
            gold, m = (above - low) / width, (of_all - low) / width
            rows = [i for i, k in enumerate(at) if pairs.stratum[k] == h]
            weight = sum(load[i] for i in rows)
            p = sum(load[i] * gold[i] for i in rows) / weight
            square = sum(load[i] * gold[i] ** 2 for i in rows) / weight
            open_ = sum((1 - 1 / pairs.expansion[at[i]]) * load[i] ** 2 for i in rows)
            n = weight**2 * max((p - p**2) / (square - p**2), 1) / open_
            a, b = (float(x) for x in wilson(p, n, t))
            share = whole[:, h].sum()
            predicted = min(max((whole[:, h] @ m[:, h]) / share + error / load.sum() / width, 0), 1)
            sums[0] += (width * max(weight * (p - a) + (share - weight) * (predicted - a), 0)) ** 2
            sums[1] += (width * max(weight * (b - p) + (share - weight) * (b - predicted), 0)) ** 2
        wanted = np.sqrt(sums) / 12
        assert (down[s], up[s]) == pytest.approx(tuple(wanted), rel=1e-9)


def _with(fit: PairFit, m: Floats) -> Floats:
    share, whole = fit.drawn.sum(axis=(1, 2)), fit.whole.sum(axis=(1, 2))
    right = fit.drawn_gold.sum(axis=1) - (fit.drawn * m[0]).sum(axis=(1, 2))
    return np.asarray(((fit.whole * m[0]).sum(axis=(1, 2)) + whole * right / share) / fit.pairs.topics)


def test_the_variance_over_topics_is_that_of_the_linearised_form() -> None:
    """Guards moves of topics, predictions held, within the few percent by which refits differ from influence."""
    pairs, coefficients = drawn(3, topics=40)
    estimator = by_pairs(pairs, *coefficients)
    contrasts = Contrasts.of([(None, 0), (0, 1), (1, 2)])
    fit, linear = estimator.fit, []
    m = fit.expected(np.ones((1, 40)))[0]
    for c in coefficients:
        used = pairs.sampled & (c != 0)
        load = c * pairs.expansion
        scale = c.sum() / load[used].sum()
        e = np.where(used, pairs.gold - m[pairs.topic, pairs.stratum], 0.0)
        mean = (load * e)[used].sum() / load[used].sum()
        z = np.bincount(pairs.topic, c * (m[pairs.topic, pairs.stratum] + mean))
        linear.append(z + np.bincount(pairs.topic, scale * np.where(used, load * (e - mean), 0.0)))
    known = contrasts.values(np.array(linear).T).var(axis=0, ddof=1) / 40
    assert np.sqrt(estimator.over_topics(contrasts).value) == pytest.approx(np.sqrt(known), rel=0.08)


def test_the_spread_within_strata_has_half_a_pair_at_either_end() -> None:
    """Guards the moments of gold values: the ends are those of bronze and gold together."""
    gold = np.array([1.0, 2, np.nan, 2, 2, np.nan])
    bronze = np.array([1.0, 2, 0, 3, 1, 2])
    pairs = SampledPairs(np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 0, 1, 1]), bronze, gold, np.ones(6), 2)
    mean, square = pairs.moments()
    for stratum, values in ((0, [1.0, 2, 2]), (1, [2.0])):
        weight = np.r_[np.ones(len(values)), 0.5, 0.5]
        every = np.r_[values, 0.0, 3.0]
        assert mean[stratum] == pytest.approx(np.average(every, weights=weight))
        assert square[stratum] == pytest.approx(np.average(every**2, weights=weight))


def test_the_floor_of_the_gold_part_by_hand() -> None:
    """Guards the least variance of gold pairs that all agree: half a value is added at either end of the scale."""
    topic = np.repeat(np.arange(6), 10)
    gold = np.where(np.arange(60) % 10 == 0, 1.0, np.nan)
    low = np.r_[0.0, np.ones(59)]  # the scale reaches to 0 by one bronze label
    pairs = SampledPairs(topic, np.zeros(60, int), low, gold, np.full(60, 10.0), 6)
    spread = 0.5 / 7 * 6.5 / 7  # six times 1, and half at either end
    least = 6 * (60 * 0.1 / 6) ** 2 * 0.9 * spread / 36  # load 1 each, 9 of 10 pairs unseen
    estimator = by_pairs(pairs, np.full(60, 0.1))
    assert estimator.over_topics(Contrasts.scores(1)).value == pytest.approx(least, rel=1e-9)
    assert estimator.over_gold(Contrasts.scores(1)).value == pytest.approx(least, rel=1e-9)


def test_a_variance_that_one_topic_carries_is_badly_known() -> None:
    """Guards the freedom by tails: 2 T / (kurtosis - 1) of the scores; one topic of twenty has all."""
    gold = np.r_[1.0, np.zeros(19)]
    pairs = SampledPairs(np.arange(20), np.zeros(20, int), gold, gold, np.ones(20), 20)
    tails = stats.kurtosis(gold, fisher=False)
    found = by_pairs(pairs, np.ones(20)).over_topics(Contrasts.scores(1))
    assert found.df == pytest.approx(40 / (tails - 1), rel=1e-9)


@pytest.mark.parametrize("n", [7, 41])
def test_a_gross_error_among_exact_values_leaves_little_freedom(n: int) -> None:
    """Guards the freedom of values by hand: the error 1, what is predicted of others 1/(n - 1), so moves are these.

    2 n/(kurtosis - 1) for 7 gold values; for 41 that is 2, and a quarter of the 40 degrees is left.
    """
    bronze = np.linspace(0, 1, 2 * n)
    gold = np.where(np.arange(2 * n) % 2 == 0, bronze, np.nan)
    gold[4] += 0.3
    pairs = SampledPairs(
        np.arange(2 * n), np.zeros(2 * n, int), bronze, gold, np.full(2 * n, 2.0), 2 * n, None, True, 1.0
    )
    moves = np.r_[1.0, np.full(n - 1, -1 / (n - 1))]
    kurtosis = n * (moves**4).sum() / (moves**2).sum() ** 2
    wanted = {7: 14 / (kurtosis - 1), 41: 10.0}[n]
    assert by_pairs(pairs, np.ones(2 * n)).over_gold(Contrasts.scores(1)).df == pytest.approx(wanted)
    labels = replace(pairs, are_values=False)
    assert by_pairs(labels, np.ones(2 * n)).over_gold(Contrasts.scores(1)).df == pytest.approx(n - 1)


def test_few_gold_pairs_make_a_wide_interval() -> None:
    """Guards against false certainty: three gold pairs that agree with bronze do not make a narrow interval."""
    full, c, _ = world(4)
    right = np.flatnonzero((c > 0) & (full.gold == full.bronze) & (full.gold == 1))
    pick = right[np.unique(full.topic[right], return_index=True)[1]][:3]
    elsewhere = np.flatnonzero((c == 0) & (full.gold == full.bronze))[:60]
    chosen = np.isin(np.arange(len(c)), np.r_[pick, elsewhere])
    some = np.where(chosen, full.gold, np.nan)
    expansion = DESIGNS["random"].expansion(np.zeros(len(full.bronze), np.int32), full.bronze, chosen)
    pairs = SampledPairs(full.topic, strata_of(full.bronze, chosen), full.bronze, some, expansion, full.topics)
    estimator = by_pairs(pairs, c)
    assert estimator.labels_for_rule(Contrasts.scores(1)).tolist() == [3]
    assert told(estimator).high - told(estimator).low > 0.3


def test_a_document_that_both_rank_alike_touches_no_difference() -> None:
    """Guards the count of gold labels behind a difference: calibration leaves a load on all, own weights on two."""
    full, a, _ = world(4)
    b, own = a.copy(), np.flatnonzero(a > 0)[:2]
    b[own] = 0.0
    b[np.flatnonzero(a == 0)[:3]] = a.max()
    chosen = (np.arange(len(a)) % 3 == 0) | np.isin(np.arange(len(a)), own)
    chosen[np.flatnonzero(a == 0)[:3]] = False
    pairs = SampledPairs(
        full.topic, strata_of(full.bronze, chosen), full.bronze, np.where(chosen, full.gold, np.nan),
        DESIGNS["random"].expansion(np.zeros(len(full.bronze), np.int32), full.bronze, chosen), full.topics,
    )  # fmt: skip
    estimator, contrasts = by_pairs(pairs, a, b), Contrasts.of([(0, 1)])
    assert contrasts.moved(estimator.fit.load, 1e-15)[0] > 10
    assert estimator.labels_for_rule(contrasts).tolist() == [2]
    assert estimator.over_gold(contrasts).df.tolist() == [1.0]


# ---------------------------------------------------------------------- known truth


@pytest.mark.few(1)
@pytest.mark.parametrize("design", ["random", "by-bronze"])
def test_differences_are_unbiased_and_covered(design: str) -> None:
    """Guards bias, spread and level where the judge errs by topic and favors a system; bronze alone is far off."""
    truth = np.mean([np.bincount(f.topic, (b - a) * f.gold).mean() for f, a, b in map(world, range(5000, 5200))])
    found, naive = [], []
    for seed in range(300):
        full, a, b = world(seed)
        found.append(told(by_pairs(sample(full, 250, design, seed), a, b), 1, 0))
        naive.append(np.bincount(full.topic, (b - a) * full.bronze).mean())
    value = np.array([f.value for f in found])
    assert value.mean() == pytest.approx(truth, abs=4 * float(value.std()) / np.sqrt(300))
    assert abs(np.mean(naive) - truth) > 0.02
    assert 0.92 <= np.mean([f.low <= truth <= f.high for f in found]) <= 0.995
    assert 1 - 3 * np.sqrt(2 / 300) < np.mean([f.se**2 for f in found]) / value.var() < 1.6  # floors make it large


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.03, 0.95])
def test_scores_near_a_bound_are_covered(rate: float) -> None:
    """Guards Wilson's part: near 0 and 1, with 60 gold pairs, t alone covers too seldom."""
    rng = np.random.default_rng(11)
    held, by_t = 0, 0
    for _ in range(300):
        topic = np.repeat(np.arange(30), 10)
        true = (rng.random(300) < rate).astype(np.float64)
        bronze = np.where(rng.random(300) < 0.2, 1 - true, true)
        chosen = np.isin(np.arange(300), rng.choice(300, 60, replace=False))
        gold, expansion = np.where(chosen, true, np.nan), np.full(300, 5.0)
        pairs = SampledPairs(topic, strata_of(bronze, chosen), bronze, gold, expansion, 30)
        found, plain = (told(by_pairs(pairs, np.full(300, 0.1), bounds=b)) for b in ((0.0, 1.0), (-np.inf, np.inf)))
        assert 0 <= found.low < found.high <= 1
        held += found.low <= rate <= found.high
        by_t += plain.low <= rate <= plain.high
    assert by_t < held
    assert held / 300 >= 0.93


def joined(labels: list[int], sampled: list[bool], least: int) -> list[int]:
    """The strata by plain steps: labels upwards, a new stratum once the last has enough; the top joins down."""
    least = max(least, sum(sampled) // 20)
    groups: list[list[int]] = [[]]

    def held(group: list[int]) -> int:
        return sum(s for x, s in zip(labels, sampled, strict=True) if x in group)

    for value in sorted(set(labels)):
        if held(groups[-1]) >= least:
            groups.append([])
        groups[-1].append(value)
    if len(groups) > 1 and held(groups[-1]) < least:
        top = groups.pop()
        groups[-1] += top
    return [next(i for i, g in enumerate(groups) if x in g) for x in labels]


def test_strata_by_plain_steps() -> None:
    """Guards how labels are joined, with few gold pairs and with so many that a twentieth of them is the least."""
    rng = np.random.default_rng(8)
    for n, least in [(12, 2), (30, 5), (60, 5), (200, 5), (400, 5)] * 8:
        labels, sampled = rng.integers(0, 6, n), rng.random(n) < rng.choice([0.1, 0.5, 0.9])
        sampled[0] = True
        found = strata_of(labels.astype(float), sampled, least)
        assert found.tolist() == joined(labels.tolist(), sampled.tolist(), least)
    assert strata_of(np.repeat([0.0, 1.0], 5), np.ones(10, bool)).tolist() == [0] * 5 + [1] * 5
    assert strata_of(np.repeat([0.0, 1.0], [6, 4]), np.ones(10, bool)).tolist() == [0] * 10
    assert strata_of(np.repeat([0.0, 1.0], [115, 5]), np.ones(120, bool)).tolist() == [0] * 120
