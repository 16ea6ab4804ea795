"""Small faults in a judge's rates, tests and simulations: each held against a value found another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from truegain.errors import TruegainError
from truegain.gains.confusion import Confusion
from truegain.inference.judges.homogeneity import _permuted
from truegain.inference.judges.intervals import guarded, guarded_difference, lang_reiczigel, parametric_bootstrap
from truegain.inference.judges.linear_correction import LARGEST_CONDITION, bootstrap_linear
from truegain.inference.judges.rates import Rates, rates_of
from truegain.inference.judges.simulation import JudgeSimulation, simulate_judge
from truegain.tables.columns import Floats

COUNTS = tg.Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
BRONZE = {str(t): {d: (t * 5 + i * 3) % 4 for i, d in enumerate("abcdef")} for t in range(6)}
GOLD = {t: {d: (b + (d == "c")) % 4 for d, b in row.items()} for t, row in BRONZE.items()}


# ---------------------------------------------------------------------- simulation


def test_the_simulation_again_trial_by_trial() -> None:
    """Guards algorithm 2: every trial's naive and corrected value and both standard errors, drawn in two blocks."""
    p, n, trials, gold = np.array([0.7, 0.2, 0.1, 0.0]), 2000, 600, (90, 60)
    found = simulate_judge(p.tolist(), m_r=0.9, m_n=0.8, n=n, gold=gold, trials=trials, seed=4)
    rng = np.random.default_rng(np.random.SeedSequence(4))
    naive, errors = [], []
    for size in (500, 100):  # 4 million draws a block
        first, second = rng.random((size, n, 4)), rng.random((size, n, 4))
        for x, y in zip(first, second, strict=True):
            each = ((y < np.where(x < p, 0.9, 0.2)).sum(axis=1)) / 4
            naive.append(float(each.sum()) / n)
            errors.append(math.sqrt(float(((each - naive[-1]) ** 2).sum()) / (n - 1) / n))
    m_r, m_n = rng.binomial(90, 0.9, trials) / 90, rng.binomial(60, 0.8, trials) / 60
    assert found.truth == pytest.approx(0.25)
    assert found.naive == pytest.approx(np.array(naive), rel=1e-9)
    assert found.naive_se == pytest.approx(np.array(errors), rel=1e-9)
    for i in range(0, trials, 23):
        value = (naive[i] - 1 + m_n[i]) / (m_r[i] + m_n[i] - 1)
        slopes = np.array([1, -value, 1 - value]) / (m_r[i] + m_n[i] - 1)
        variances = np.array([errors[i] ** 2, m_r[i] * (1 - m_r[i]) / 90, m_n[i] * (1 - m_n[i]) / 60])
        assert found.corrected[i] == pytest.approx(value, rel=1e-9)
        assert found.corrected_se[i] == pytest.approx(math.sqrt(slopes**2 @ variances), rel=1e-9)


def test_coverage_counts_intervals_that_end_on_the_truth() -> None:
    """Guards value -+ z se, ends and all, naive first."""
    z, sure = stats.norm.ppf(0.95), np.zeros(4)
    around = 0.5 + z * np.array([0.0, 0.99, -0.99, 1.01])
    found = JudgeSimulation(0.5, np.array([0.5, 0.5, 0.6, 0.4]), sure, around, sure + 1.0)
    assert found.coverage(0.9) == (0.5, 0.75)


@pytest.mark.parametrize(
    ("relevance", "n", "gold"),
    [((), 5, (9, 9)), ((0.5,), 1, (9, 9)), ((0.5,), 5, (0, 9)), ((0.5,), 5, (9, 0)), ((-0.1, 0.5), 5, (9, 9)),
     ((0.5, 1.1), 5, (9, 9))],
)  # fmt: skip
def test_what_cannot_be_simulated(relevance: tuple[float, ...], n: int, gold: tuple[int, int]) -> None:
    """Guards each condition by itself; the least that is allowed is."""
    with pytest.raises(TruegainError, match="give probabilities"):
        simulate_judge(relevance, m_r=1.0, m_n=1.0, n=n, gold=gold, trials=5)
    least = simulate_judge([0.0, 1.0], m_r=1.0, m_n=1.0, n=2, gold=(1, 1), trials=5)
    assert least.corrected.tolist() == [0.5] * 5


def test_a_simulated_judge_at_chance() -> None:
    """Guards the count of judges whose D is 0 or less: of two gold pairs a half each makes 0."""
    rng = np.random.default_rng(np.random.SeedSequence(0))
    rng.random((2, 40, 2, 1))
    m_r, m_n = rng.binomial(2, 0.75, 40) / 2, rng.binomial(2, 0.75, 40) / 2
    at_most = int((m_r + m_n - 1 <= 0).sum())
    assert at_most > int((m_r + m_n - 1 < 0).sum()) > 0
    with pytest.raises(TruegainError, match=f"^{at_most} of 40 simulated"):
        simulate_judge([0.5], m_r=0.75, m_n=0.75, n=2, gold=(2, 2), trials=40)


# ---------------------------------------------------------------------- homogeneity


def test_permutations_one_at_a_time() -> None:
    """Guards the p value to the last trial, over two blocks, topics in any order, a topic without errors among them."""
    rng = np.random.default_rng(6)
    size, trials = 10_000, 250
    topic = rng.integers(0, 40, size)
    member: Floats = (rng.random((3, size)) < 0.3).astype(np.float64)
    member[2] = topic == 7  # who answers this topic alone cannot be off
    good: Floats = ((topic == 7) | (rng.random(size) < 0.7 + 0.006 * member[0])).astype(np.float64)
    found = _permuted(member, good, topic, trials, np.random.default_rng(1))
    order = np.argsort(topic, kind="stable")
    where = [np.flatnonzero(topic[order] == t) for t in range(40)]
    x, lists, draws = good[order], member[:2, order], np.random.default_rng(1)
    share = np.concatenate([np.full(len(w), x[w].mean()) for w in where])

    def statistic(labels: Floats) -> float:
        return float(sum((row @ (labels - share)) ** 2 / (row @ (share * (1 - share))) for row in lists))

    above = 0
    for _ in range(trials):
        keys = draws.random(size)
        above += statistic(np.concatenate([x[w[np.argsort(keys[w])]] for w in where])) >= statistic(x) - 1e-9
    assert found == (1 + above) / (1 + trials)
    assert 5 < above < trials - 5


def test_two_pairs_can_be_permuted() -> None:
    """Guards the least: of two pairs of a topic, one right, either order is as far off; one pair is no test."""
    two, one = np.eye(2), np.ones((2, 1))
    assert _permuted(two, np.array([1.0, 0.0]), np.array([3, 3]), 20, np.random.default_rng(1)) == 1.0
    assert _permuted(one, np.array([1.0]), np.array([3]), 20, np.random.default_rng(1)) is None


# ---------------------------------------------------------------------- intervals


def test_a_judge_that_did_not_pass_is_guarded_quietly() -> None:
    """Guards tails of more than 1, which are of a D below its bar: nothing is held by them, and nothing overflows."""
    poor = Rates(0.5, 0.52, 0.52, 1e-4, 0.25 / 4000, 0.25 / 4000, 2500, 4000, 4000)
    worse = Rates(0.5, 0.45, 0.45, 1e-4, 0.25 / 4000, 0.25 / 4000, 2500, 4000, 4000)
    assert poor.shrunk_d[0] > 0 > worse.shrunk_d[0]
    with np.errstate(over="raise"):
        assert guarded(worse, 1.0) == lang_reiczigel(worse, 1.0)
        assert guarded_difference(0.3, 1e-4, worse, 1.0) is None
        assert guarded_difference(0.3, 1e-4, poor, 1.0) is None  # 0.3 / D is above 1


def test_draws_of_a_bootstrap_one_by_one() -> None:
    """Guards algorithm 1 to the last digit: three binomials of rounded sizes, j of one label at the least."""
    r = Rates(0.4, 0.9, 0.85, 0.01, 0.0, 0.0, 0.2, 39.6, 60.4)
    rng = np.random.default_rng(5)
    j, m_r, m_n = rng.binomial(1, 0.4, 300) / 1, rng.binomial(40, 0.9, 300) / 40, rng.binomial(60, 0.85, 300) / 60
    found = parametric_bootstrap(r, trials=300, seed=5)
    assert found.spoilt == 0
    assert found.values == pytest.approx((j - 1 + m_n) / (m_r + m_n - 1))
    many = Rates(0.4, 0.9, 0.85, 0.01, 0.0, 0.0, 24.4, 39.6, 60.4)
    rng = np.random.default_rng(5)
    j = rng.binomial(24, 0.4, 300) / 24
    m_r, m_n = rng.binomial(40, 0.9, 300) / 40, rng.binomial(60, 0.85, 300) / 60
    assert parametric_bootstrap(many, trials=300, seed=5).values == pytest.approx((j - 1 + m_n) / (m_r + m_n - 1))


@pytest.mark.parametrize("joined", [True, False])
def test_a_bootstrap_over_topics_one_by_one(joined: bool) -> None:
    """Guards which copies a gold topic gets: those of its scored topic, or its own; and each draw's mean."""
    rng = np.random.default_rng(2)
    drawn = np.stack([rng.multinomial(60, [0.7, 0.2, 0.05, 0.05], 7), rng.multinomial(60, [0.1, 0.2, 0.6, 0.1], 7)], 1)
    table = np.stack([drawn[:, 0, :3], drawn[:, 1, :3], drawn[:, 1, :3][:, [1, 0, 2]] + [0, 1, 30]], 1) * 1.0
    names = ("t0", "t1", "u0", "t2", "u1", "u2", "t4")
    c = Confusion((0.0, 1.0, 2.0), (0.0, 1.0, 2.0), names, table, table.sum(axis=0), int(table.sum()))
    weight, value = rng.random((5, 3)), np.array([0.0, 1.0, 3.0])
    topics = [f"t{i}" for i in range(5)]
    found = bootstrap_linear(weight, topics, c, value, trials=120, seed=9, joined=joined)
    draws = np.random.default_rng(np.random.SeedSequence(9))
    copies = draws.multinomial(5, np.full(5, 0.2), 120)
    alone = [i for i, t in enumerate(names) if t not in topics or not joined]
    own = draws.multinomial(len(alone), np.full(len(alone), 1 / len(alone)), 120)
    values = []
    for scored, other in zip(copies, own, strict=True):
        of_gold = [other[alone.index(i)] if i in alone else scored[topics.index(t)] for i, t in enumerate(names)]
        counts = sum(k * one for k, one in zip(of_gold, table, strict=True))
        matrix = counts / counts.sum(axis=1)[:, None]
        assert np.linalg.cond(matrix) < LARGEST_CONDITION
        shares = sum(k * w for k, w in zip(scored, weight, strict=True)) / 5
        values.append(float(shares @ np.linalg.inv(matrix) @ value))
    assert found.spoilt == 0
    assert found.values == pytest.approx(np.array(values), rel=1e-9)


def test_draws_that_cannot_be_inverted() -> None:
    """Guards what is set aside: a gold label that no topic drawn holds, a matrix near singular; 1% may be."""
    table = np.zeros((6, 2, 2))
    table[:, 0, 0], table[:4, 1, 1] = 10.0, 10.0
    table[4, 1] = [10.0, 0.0]  # of this topic alone C says 0 whatever the gold label; the last has no gold label 1
    c = Confusion((0.0, 1.0), (0.0, 1.0), tuple("abcdef"), table, table.sum(axis=0), 110)
    weight, value = np.ones((6, 2)), np.array([0.0, 1.0])

    def lost(seed: int) -> int:
        copies = np.random.default_rng(np.random.SeedSequence(seed)).multinomial(6, np.full(6, 1 / 6), 300)
        return int((copies[:, :4].sum(axis=1) == 0).sum())

    seeds = {lost(seed): seed for seed in range(400)}
    for some in (1, 3):
        draws = bootstrap_linear(weight, list("abcdef"), c, value, trials=300, seed=seeds[some])
        assert (draws.spoilt, len(draws.values)) == (some, 300 - some)
    table[2:4, 1] = 0.0
    with pytest.raises(TruegainError, match=r"of 300 bootstrap draws have a confusion matrix"):
        bootstrap_linear(weight, list("abcdef"), c, value, trials=300, seed=1)


# ---------------------------------------------------------------------- the judge itself


def test_levels_of_a_judge() -> None:
    """Guards one level for both judges, or one each, and how a measure's level meets the judge's."""
    judge = tg.Judge.fit(BRONZE, GOLD, design="by-gold", relevant=2)
    assert (judge.levels, judge.at(3).levels, judge.at((1, 2)).levels) == ((2, 2), (3, 3), (1, 2))
    assert judge.at_levels(None, 3.0) is judge
    assert judge.at_levels(2.0, None) is judge
    assert judge.at_levels(1.0, None).levels == (1.0, 1.0)
    assert judge.at_levels(1.0, 3.0).levels == (1.0, 3.0)
    assert judge.at((1, 3)).at_levels(2.0, None).levels == (2.0, 3)
    assert COUNTS.at_levels(2.0, None) is COUNTS  # of counts the level is not known
    cells = [(b >= 1, g >= 3) for t in GOLD for b, g in zip(BRONZE[t].values(), GOLD[t].values(), strict=True)]
    at = judge.at((1, 3))
    assert at.counts == tuple(
        float(sum(x)) for x in ((b and g for b, g in cells), (g for _, g in cells),
                                (not b and not g for b, g in cells), (not g for _, g in cells))
    )  # fmt: skip


@pytest.mark.parametrize("pair", [(0, 0), (-1, 5), (6, 5)])
def test_counts_that_are_none(pair: tuple[float, float]) -> None:
    """Guards what counts may be: right from 0 to all, of at least one; each kind by itself."""
    with pytest.raises(TruegainError, match=r"^relevant"):
        tg.Judge.from_counts(pair, (4, 5))
    with pytest.raises(TruegainError, match=r"^nonrelevant"):
        tg.Judge.from_counts((4, 5), pair)
    judge = tg.Judge.from_counts((5, 5), (0, 5))
    assert (judge.mR, judge.mN, judge.D, judge.counts) == (1.0, 0.0, 0.0, (5.0, 5.0, 0.0, 5.0))


def test_a_mean_given_as_a_figure() -> None:
    """Guards variance, size and degrees of freedom of summary figures: of P@1 by binomials, of P@k by sd and t."""
    found = COUNTS.correct(0.5, 40, method="delta")
    g, d = (0.5 - 17 / 84) / COUNTS.D, COUNTS.D
    v_r, v_n = 43 / 59 * 16 / 59 / 59, 67 / 84 * 17 / 84 / 84
    assert found.v_j == pytest.approx(0.25 / 40)
    assert (found.df, found.n) == (math.inf, 40)
    assert found.se == pytest.approx(math.sqrt(0.25 / 40 + g**2 * v_r + (1 - g) ** 2 * v_n) / d)
    spread = COUNTS.correct(0.5, 40, 0.3, method="delta")
    v_j = 0.09 / 40
    whole = v_j + g**2 * v_r + (1 - g) ** 2 * v_n
    assert spread.v_j == pytest.approx(v_j)
    assert spread.df == pytest.approx(39 * (whole / v_j) ** 2)
    t = stats.t.ppf(0.975, spread.df)
    assert spread.high - spread.value == pytest.approx(t * math.sqrt(whole) / d, rel=1e-6)
    above = COUNTS.correct(0.74, 40, 0.3)  # more labels than topics: 0.74 * 0.26 / v_j
    size = 0.74 * 0.26 / v_j
    assert above.value == 1.0
    assert any(note.startswith("the bronze mean 0.740 is above mR") for note in above.notes)
    assert lang_reiczigel(COUNTS.rates(0.74, v_j, size), stats.t.ppf(0.975, above.df))[0] == pytest.approx(
        COUNTS.correct(0.74, 40, 0.3, method="lang-reiczigel").low, rel=1e-6
    )
    for mean, n, sd in ((-0.1, 9, None), (1.1, 9, None), (0.5, 1, None), (0.5, math.inf, None), (0.5, 9, -0.1)):
        with pytest.raises(TruegainError):
            COUNTS.correct(mean, n, sd)
    assert COUNTS.correct(0.5, 2, 0.0, method="delta").v_j == 0.0


def test_a_bronze_mean_out_of_reach() -> None:
    """Guards both ends, which are within reach themselves."""
    judge = tg.Judge.from_counts((3, 4), (3, 4))
    assert [len(judge.out_of_reach(j)) for j in (0.25, 0.75, 0.5, 0.2499, 0.7501)] == [0, 0, 0, 1, 1]
    assert "is below 1 - mN = 0.250" in judge.out_of_reach(0.1)[0]


@pytest.mark.parametrize(("j", "told"), [(0.5, False), (0.41, False), (0.35, True), (0.65, True), (None, False)])
def test_gold_drawn_at_random_looks_like_the_whole(j: float | None, told: bool) -> None:
    """Guards the test of bronze shares of counts alone: 100 of 200 gold pairs relevant by bronze, normal at 1%."""
    judge = tg.Judge.from_counts((80, 100), (80, 100), design="random")
    p = 1.0 if j is None else 2 * stats.norm.sf(abs(0.5 - j) / math.sqrt(0.25 / 200))
    assert (p < 0.01) == told
    notes = judge.consistency(j)
    assert any("drawn at random" in note for note in notes) == told
    assert not tg.Judge.from_counts((80, 100), (80, 100)).consistency(0.65)


def shares(seed: int, strange: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """Bronze labels of ten topics and gold ones of the first documents, of which so many more are bronze-relevant."""
    rng = np.random.default_rng(seed)
    bronze = {
        str(t): {f"d{i}": int(rng.random() < 0.4) if i >= 8 else int(i < strange + t % 2) for i in range(40)}
        for t in range(10)
    }
    gold = {t: {d: 1 - b if d == "d3" else b for d, b in list(row.items())[:8]} for t, row in bronze.items()}
    return bronze, gold


@pytest.mark.parametrize(("strange", "told"), [(3, False), (4, True)])
def test_shares_of_bronze_labels_over_topics(strange: int, told: bool) -> None:
    """Guards the same test with topics as clusters: share in the gold pairs less that of all, t over topics."""
    bronze, gold = shares(1, strange)
    judge = tg.Judge.fit(bronze, gold, design="random")
    whole = np.mean([b for row in bronze.values() for b in row.values()])
    by_topic = [np.mean([bronze[t][d] for d in gold[t]]) for t in gold]
    p = stats.ttest_1samp(by_topic, whole).pvalue
    assert (p < 0.01) == told
    assert any("drawn at random" in note for note in judge.consistency()) == told
    if told:
        assert (
            f"calls {np.mean(by_topic):.1%} of the gold pairs relevant and {whole:.1%} of all" in judge.consistency()[0]
        )


def test_pairs_that_count_differently() -> None:
    """Guards weights by pair: ratios only, 0 leaves a pair out, beside its own weight; none at all is refused."""
    judge = tg.Judge.fit(BRONZE, GOLD, design="by-gold", weights=np.arange(1.0, 37))
    assert judge.pairs is not None
    counts = np.where(np.arange(36) % 5 == 0, 0.0, 1.0 + np.arange(36) % 3)
    found = judge.weighed(counts)
    heavy = judge.pairs.weight * counts
    for kind, rate in ((True, found.mR), (False, found.mN)):
        of = (judge.pairs.gold >= 1) == kind
        right = ((judge.pairs.bronze >= 1) == kind) & of
        assert rate == pytest.approx(heavy[right].sum() / heavy[of].sum())
    assert found.size == int((counts > 0).sum())
    assert found.counts == pytest.approx(judge.weighed(7 * counts).counts)
    with pytest.raises(TruegainError, match="none of the gold pairs"):
        judge.weighed(np.zeros(36))
    with pytest.raises(TruegainError, match="only counts are known"):
        COUNTS.weighed([1.0])


def test_tables_of_a_judge() -> None:
    """Guards what is shown: counts whole where they are, shares, levels that differ, topics where there are several."""
    judge = tg.Judge.fit(BRONZE, GOLD, design="by-gold", relevant=(1, 2), weights=np.full(36, 0.5))
    row = judge.by_topic().rows[0]
    relevant = [g >= 2 for g in GOLD["0"].values()]
    right = [b >= 1 for b in BRONZE["0"].values()]
    assert row[:2] == ("0", sum(relevant) / 2)
    assert row[2] == pytest.approx(sum(r and g for r, g in zip(right, relevant, strict=True)) / sum(relevant))
    assert "relevant from 2, by bronze from 1" in str(judge)
    assert "from 6 topics" in str(judge)
    assert "topics" not in str(COUNTS)
    assert "relevant from" not in str(COUNTS)
    assert "; relevant from 3)" in str(judge.at(3))
    of_label = judge.by_label().rows[2]
    mine = [b for t in GOLD for d, b in BRONZE[t].items() if GOLD[t][d] == 2]
    assert of_label[:2] == ("2", len(mine) / 2 if len(mine) % 2 else len(mine) // 2)
    assert of_label[2:] == pytest.approx([mine.count(k) / len(mine) for k in range(4)])


def test_pairs_of_a_label_from_one_topic_are_independent() -> None:
    """Guards the fallback of what is shown: without several topics of either kind the spread is a binomial one."""
    bronze = {"1": {"a": 1, "b": 0, "c": 0, "d": 1, "e": 0}, "2": {"a": 0, "b": 1}}
    one = tg.Judge.fit(bronze, {"1": {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}, "2": {"a": 0, "b": 0}}, design="by-gold")
    assert one._clusters == "none"
    two = tg.Judge.fit(bronze, {"1": {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}, "2": {"a": 0, "b": 1}}, design="by-gold")
    assert two._clusters == "topics"
    with pytest.raises(TruegainError, match="gold-relevant pairs come from 1 topic"):
        rates_of(one.binary, 0.5, 0.01, 10)
    plain = rates_of(one.binary, 0.5, 0.01, 10, over_topics=False)
    assert (plain.corr_rn, plain.df_r, plain.size_r, plain.size_n) == (0.0, math.inf, 2.0, 5.0)
