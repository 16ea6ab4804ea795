"""A ranking that shows itself, and units that say what is left without them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from truegain.stats.contrasts import Contrasts, Influence, Variance
from truegain.study.estimates import MeasureEstimates
from truegain.study.gold_lists import spread_of_contrasts
from truegain.study.ranking import Ranking, freedom, largest_t, triangular
from truegain.study.unjudged import AllPairsBounds


def ranking(ahead: list[tuple[int, int]], n: int) -> Ranking:
    """Systems s0, s1, ..., best first, with pairs (better, worse) that are told apart."""
    sure = np.zeros((n, n), np.bool_)
    for better, worse in ahead:
        sure[better, worse] = True
    names = tuple(f"s{i}" for i in range(n))
    return Ranking.of(names, np.linspace(0.9, 0.1, n), sure, measure="AP", confidence=0.9, notes=("a note",))


@pytest.mark.parametrize(
    ("ahead", "n", "said"),
    [
        (
            [],
            3,
            "Any of the 3 systems may be best on AP: no two differ significantly (simultaneous 90% confidence for all "
            "3 pairs).",
        ),
        ([(0, 1)], 2, "Only s0 may be best on AP; the other one is worse (90% confidence)."),
        (
            [(0, 2), (1, 2), (0, 3)],
            4,
            "2 of 4 systems may be best on AP: s0 and s1; each of the others is worse than some other system "
            "(simultaneous 90% confidence for all 6 pairs).",
        ),
    ],
)
def test_the_sentence_names_who_may_be_best(ahead: list[tuple[int, int]], n: int, said: str) -> None:
    """Guards the words: all, one, some; a system none is surely better than is always named."""
    assert ranking(ahead, n).sentence == said


def test_long_lists_are_counted() -> None:
    """Guards the sentence of many systems: ten are named, the rest counted, the table has all."""
    made = ranking([(0, 19)], 20)
    assert "19 of 20 systems may be best on AP: s0, s1" in made.sentence
    assert "s9 and 9 more; the other one is worse" in made.sentence
    table = made.table()
    assert table.columns == ("system", "AP", "rank low", "rank high", "tier")
    assert table.rows[0] == ("s0", 0.9, 1, 19, 1)
    assert table.rows[-1][2:] == (2, 20, 2)
    assert str(made).startswith(made.sentence)
    assert str(made).endswith("a note")
    assert made.to_dict()["best"] == list(made.best)


@pytest.mark.parametrize("seed", range(20))
def test_each_below_is_surely_worse_than_the_heads_above(seed: int) -> None:
    """Guards tiers: what is said of a system of a lower tier is that it is surely worse than the best of each above."""
    rng, n = np.random.default_rng(seed), 8
    value = np.sort(rng.random(n))[::-1]
    sure = value[:, None] - value > rng.uniform(0.0, 0.6, (n, n))
    made = Ranking.of(tuple(f"s{i}" for i in range(n)), value, sure)
    heads = [made.systems.index(head) for head in made.heads]
    assert len(heads) == made.tier.max()
    for i, tier in enumerate(made.tier.tolist()):
        assert not sure[heads[tier - 1], i]  # not separated from its best
        assert all(sure[head, i] for head in heads[: tier - 1])
    assert set(made.best) == {s for i, s in enumerate(made.systems) if not sure[:, i].any()}


def test_a_system_told_from_none_heads_no_tier() -> None:
    """Guards tiers beside borrowed calibration: a system of which nothing is known does not join all in one tier."""
    sure = np.zeros((4, 4), np.bool_)
    sure[1, 3] = sure[2, 3] = True
    value, open_ = np.array([0.9, 0.8, 0.7, 0.1]), np.array([True, False, False, False])
    made = Ranking.of(("lent", "b", "c", "d"), value, sure, open_=open_)
    assert (made.tier.tolist(), made.heads) == ([1, 1, 1, 2], ("b", "d"))
    assert Ranking.of(("lent", "b", "c", "d"), value, sure).tier.tolist() == [1, 1, 1, 1]


def test_what_is_left_without_a_unit() -> None:
    """Guards moves that know the scores without each unit: exactly those, and None where nothing was fitted again."""
    without = np.array([[0.5, 0.6], [0.4, 0.7], [0.5, 0.5]])
    moves, contrasts = Influence.left_out("topics", ("1", "2", "3"), without), Contrasts.of([(0, 1)])
    named = [unit for unit, _ in moves.most_influential(contrasts)]
    left = dict(zip(named, moves.left_without(contrasts), strict=True))
    assert left == pytest.approx({"1": 0.1, "2": 0.3, "3": 0.0})
    assert set(Influence("gold", ("1", "2", "3"), moves.matrix, 2.0).left_without(contrasts)) == {None}


def test_one_pair_has_the_quantile_of_student() -> None:
    """Guards the largest |t| of one pair: Student's own quantile, within the error of the draws."""
    pair, spread = Contrasts.of([(0, 1)]), Variance(np.array([1.5]), np.array([9.0]))
    found = float(np.quantile(largest_t(np.array([[1.0, 0.25], [0.25, 1.0]]), spread, pair, 1), 0.95))
    assert found == pytest.approx(stats.t.ppf(0.975, 9), rel=0.03)


def test_the_largest_t_is_that_of_studies_drawn_anew() -> None:
    """Guards many pairs: the quantile is that of the largest paired t in 4,000 studies of 5 equal systems."""
    rng = np.random.default_rng(20261115)
    scores = rng.normal(size=(4000, 5, 12)) * np.array([1.0, 1, 2, 2, 3])[:, None] + rng.normal(size=(4000, 1, 12))
    pairs = Contrasts.all_pairs(5)
    differences = scores[:, pairs.b] - scores[:, pairs.a]
    t = differences.mean(axis=2) / (differences.std(axis=2, ddof=1) / np.sqrt(12))
    wanted = float(np.quantile(np.abs(t).max(axis=1), 0.95))
    covariance = (np.diag([1.0, 1, 4, 4, 9]) + 1) / 12
    of_pairs = spread_of_contrasts(covariance, pairs)
    spread = Variance(of_pairs, np.full(len(pairs), 11.0))
    assert float(np.quantile(largest_t(covariance, spread, pairs, 1), 0.95)) == pytest.approx(wanted, rel=0.03)


@pytest.mark.parametrize(
    ("freedom", "work", "draws"),
    [(9.0, 9000, 281), (2.0, 9000, 281), (1.0, 9000, 562), (9.0, 900, 70), (9.0, 90_000, 800)],
)
def test_draws_of_many_systems_are_fewer(
    freedom: float, work: int, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards the time that a ranking takes: work / (smaller of rank and freedom, times systems squared) draws."""
    monkeypatch.setattr("truegain.study.ranking.WORK", work)
    monkeypatch.setattr("truegain.study.ranking.DRAWS", (70, 800))
    root = np.array([[1.0, 0.5], [0.2, 1.5], [0.7, -0.4], [-0.3, 0.9]])  # four systems of rank two
    covariance, pairs = root @ root.T, Contrasts.all_pairs(4)
    spread = Variance(spread_of_contrasts(covariance, pairs), np.full(len(pairs), freedom))
    assert len(largest_t(covariance, spread, pairs, 5)) == draws


def test_two_nearly_equal_systems_leave_two_questions() -> None:
    """Guards how systems go together: b and c differ from a alike, and from each other by themselves (Sidak 1967)."""
    covariance = np.array([[1.0, 0.2, 0.2], [0.2, 2.0, 1.9999], [0.2, 1.9999, 2.0]]) / 50
    pairs = Contrasts.all_pairs(3)
    spread = Variance(spread_of_contrasts(covariance, pairs), np.full(3, 40.0))
    found = float(np.quantile(largest_t(covariance, spread, pairs, 3), 0.95))
    assert found == pytest.approx(stats.t.ppf((1 + np.sqrt(0.95)) / 2, 40), rel=0.02)
    some = Variance(np.array([0.0, *spread.value[1:]]), spread.df)  # a pair that does not move is no question
    assert float(np.quantile(largest_t(covariance, some, pairs, 3), 0.95)) == pytest.approx(found, rel=0.02)
    assert largest_t(covariance, Variance(np.zeros(3), spread.df), pairs, 3).tolist() == [0.0]


def test_all_pairs_are_drawn_with_the_freedom_of_the_middle_one() -> None:
    """Guards degrees of freedom of a family: the median of pairs that move, from 1 to 60."""
    df = np.array([99.0, 3.2, 8.0, 5.0, 14.0])
    assert freedom(Variance(np.array([0.0, 0.01, 0.4, 2.0, 0.03]), df)) == 6  # 6.5, to the even one
    assert freedom(Variance(np.array([0.02, 0.01, 0.4, 2.0, 0.03]), df)) == 8
    assert freedom(Variance(np.array([0.02, 0.0, 0.0, 0.0, 0.0]), df)) == 60
    assert freedom(Variance(np.full(2, 0.1), np.array([0.2, 0.3]))) == 1
    assert freedom(Variance(np.zeros(5), df)) == 60


@pytest.mark.parametrize("k", [2, 3, 9])
def test_triangular_draws_are_wishart(k: int) -> None:
    """Guards Bartlett's decomposition, with fewer degrees of freedom than systems too: mean k, variance k(1 + i=j)."""
    a = triangular(np.random.default_rng(k), 40_000, 3, k)
    wishart = a @ a.transpose(0, 2, 1)
    assert wishart.mean(axis=0) == pytest.approx(k * np.eye(3), abs=0.06 * np.sqrt(k))
    assert wishart.var(axis=0) == pytest.approx(k * (1 + np.eye(3)), rel=0.1)
    assert np.linalg.matrix_rank(wishart[0]) == min(k, 3)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_exact_scores_tell_every_pair_that_differs() -> None:
    """Guards rankings of these topics, all labels gold: ahead is who scores higher, whichever way the names go."""
    found = {"a": [2, 1, 0], "b": [2, 2, 2], "c": [0, 2, 1], "d": [1, 0, 0], "e": [2, 2, 1]}  # of two, by topic
    labels = {str(t): {"r0": 1, "r1": 1, "n0": 0, "n1": 0} for t in range(3)}
    runs = {s: {str(t): dict.fromkeys(["r0", "r1"][:k] + ["n0", "n1"][k:], 1.0) for t, k in enumerate(of)}
            for s, of in found.items()}  # fmt: skip
    gold = tg.Gold(labels, design="random")
    study = tg.Study(runs, labels, "P@2", population="fixed", gold=gold)
    made = study.best()
    assert made.systems == ("b", "e", "a", "c", "d")
    assert made.value == pytest.approx([1.0, 5 / 6, 0.5, 0.5, 1 / 6])
    assert made.ahead is not None
    assert (made.ahead == (made.value[:, None] > made.value + 1e-9)).all()
    assert (made.low.tolist(), made.high.tolist()) == ([1, 2, 3, 3, 5], [1, 2, 4, 4, 5])
    assert made.tier.tolist() == [1, 2, 3, 3, 4]
    rise = np.zeros((5, 5))  # what unjudged documents could add to the first, less what they add to the second
    rise[0, 1], rise[1, 0], rise[3, 4], rise[4, 1] = 0.51, 0.9, 0.6, 1 / 6 - 0.01
    estimates = MeasureEstimates(study.systems, study.measures[0], study.variance_model(), 0.95, 3)
    held = estimates.ranking(0, np.arange(5) == 2, (), AllPairsBounds(rise, np.zeros((5, 5))))
    wanted = made.ahead.copy()
    wanted[0, 2] = wanted[:, 3] = wanted[3, :] = False  # a may reach b; nothing is known of c
    wanted[1, 4] = True  # d falls short of e by .67, of which .6 may be added
    assert held.ahead is not None
    assert held.open == ("c",)
    assert (held.ahead == wanted).all()


def test_p_of_all_pairs_is_adjusted_by_the_largest_t() -> None:
    """Guards the adjusted p: no smaller than its own, below 5% exactly where the ranking tells a pair apart."""
    rng = np.random.default_rng(8)
    topics = {str(t): {f"d{i}": int(rng.random() < 0.4) for i in range(30)} for t in range(30)}
    runs = {
        s: {t: {d: skill * g + rng.normal() for d, g in row.items()} for t, row in topics.items()}
        for s, skill in (("a", 0.2), ("b", 0.4), ("c", 1.0), ("d", 1.4))
    }
    study = tg.Study(runs, topics, "P@10")
    found = study.compare()
    assert all(c.p is not None and c.p_adjusted is not None and c.p_adjusted >= c.p for c in found)
    ranking = study.best()
    place = {s: (int(low), int(high)) for s, low, high in zip(ranking.systems, ranking.low, ranking.high, strict=True)}
    surely_better = sum(c.p_adjusted is not None and c.p_adjusted < 0.05 for c in found)
    assert surely_better == sum(low - 1 for low, _ in place.values())
    assert 0 < surely_better < len(found)
    assert study.compare("a", "b")[0].p_adjusted is None
