"""Limits of gain rules, of fits, of the confusion matrix and of gold pairs, by hand and against plain loops."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from scipy import stats

import truegain as tg
from truegain.aggregation import consensus as crowd_module
from truegain.aggregation import consensus as mace_module
from truegain.aggregation.consensus import DawidSkene, End, Glad, Mace, Trail, Votes, mace_climbed, settled, starts
from truegain.aggregation.rules import Majority, Supermajority
from truegain.aggregation.unanimity import Unanimity, Weighted
from truegain.data.judgments import Judgments
from truegain.data.pool import Pool
from truegain.data.rating_groups import Grouped
from truegain.judge_error.confusion import Confusion, bias, corrected, corrected_mean, rates_variance, variance
from truegain.judge_error.gold_pairs import Pairs, check_scale, on_scale, pair_up, scale_of
from truegain.stats.influence import Variance
from truegain.study.variance import joined_with_wilson

Array = npt.NDArray[np.float64]
NAMES = ["topic", "doc", "assessor", "label"]


def rated(rows: list[tuple[str, str, str, float]]) -> Judgments:
    """Ratings: topic, document, assessor, label."""
    return tg.read_ratings(pl.DataFrame(rows, schema=NAMES, orient="row"))


def said_by(people: int = 5, items: int = 12, seed: int = 1) -> Judgments:
    """Grades 0 to 2 by people who mostly agree, the last of whom says 1 throughout."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, items)
    rows = []
    for a in range(people):
        for i, t in enumerate(truth):
            right = rng.random() < 0.8
            label = 1 if a == people - 1 else t if right else rng.integers(0, 3)
            rows.append(("1", f"d{i:02}", f"a{a}", float(label)))
    return rated(rows)


# ------------------------------------------------------------------ fits


class Frame(dict[str, Any]):
    """A table as crowd-kit gives one back: chances by task and label."""

    def __init__(self, columns: dict[str, Any]) -> None:
        super().__init__(columns)


class Kit:
    """A model of crowd-kit: told what it was given, it answers with kept chances and losses."""

    def __init__(self, history: list[float], **given: Any) -> None:
        self.loss_history_ = history
        self.given = given
        self.frame: Any = None

    def fit_predict_proba(self, frame: Any) -> Any:
        """Chances: of the last task first, only labels 2 and 0."""
        self.frame = frame

        class Share(np.ndarray[Any, Any]):
            index = (1, 0)
            columns = (2, 0)

        return np.array([[0.25, 0.75], [0.5, 0.5]]).view(Share)


@pytest.mark.parametrize(
    ("history", "n_iter", "settled"),
    [
        ([1.0, 0.5], 3, True),  # ended before the last step
        ([1.0, 0.5, 0.5 + 0.9e-5], 3, True),
        ([1.0, 0.5, 0.5 + 1.02e-5], 3, False),
        ([1.0, 0.5, 0.5 - 0.6e-5], 3, True),
        ([1.0], 1, False),
        ([1.0], 2, True),
    ],
)
def test_what_crowd_kit_is_given_and_says(
    history: list[float], n_iter: int, settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards the way to crowd-kit and back without it: votes by number, chances in their cells, how the fit ended."""
    made: list[Kit] = []

    def model(**given: Any) -> Kit:
        made.append(Kit(history, **given))
        return made[-1]

    modules = {
        "pandas": SimpleNamespace(DataFrame=Frame),
        "crowdkit.aggregation": SimpleNamespace(GLAD=model),
    }
    monkeypatch.setattr(crowd_module, "needs", lambda name, extra: modules[name])
    table = rated([("1", "b", "y", 4.0), ("1", "a", "x", 0.0), ("1", "a", "y", 3.0), ("1", "b", "x", 4.0)])
    gain, progress = Glad(n_iter=n_iter).fitted(Grouped.of(table))
    assert made[-1].given == {"n_iter": n_iter, "tol": 1e-5, "silent": True}
    frame = made[-1].frame
    assert [frame[c].tolist() for c in ("task", "worker", "label")] == [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 2, 2]]
    # document b comes first in the file; task 1 has 0.25 at label 4 and 0.75 at label 0, task 0 a half each
    assert gain.tolist() == [1.0, 2.0]
    assert (progress.steps, progress.converged) == (len(history), settled)
    last = abs(history[-1] - history[-2]) if len(history) > 1 else None
    assert progress.change == (None if last is None else pytest.approx(last))
    with pytest.raises(tg.TruegainError, match="crowd-kit takes no weights"):
        tg.aggregate(table, "glad", weights=[1, 1, 2, 1])


def test_rules_where_nothing_is_said() -> None:
    """Guards the defaults of every rule's parameters."""
    assert (DawidSkene().n_iter, Glad().n_iter, Mace().n_iter, Mace().seed, Mace().starts) == (
        10_000,
        100,
        10_000,
        0,
        10,
    )
    assert (DawidSkene().tolerance, Mace().tolerance) == (1e-4, 1e-4)
    assert (Unanimity().p, Unanimity().trim, Weighted().trim, Supermajority().share) == (0.2, 0.2, 0.2, 2 / 3)
    assert (Mace().take, Majority().ties, Weighted().spread) == ("mean", "low", "range")


def test_random_starts_of_a_fit() -> None:
    """Guards the authors' starts: uniform from 1 to 2.5, made shares, first of knowing and then of labels."""
    votes = Votes.of(Grouped.of(said_by()))
    found = starts(votes, 3, 4)
    rng = np.random.default_rng(np.random.SeedSequence(4))
    assert [len(found), found[0].knows.tolist()] == [3, [[0.5, 0.5]] * 5]
    assert found[0].habit == pytest.approx(np.full((5, 3), 1 / 3))
    for state in found[1:]:
        for part, wide in ((state.knows, 2), (state.habit, 3)):
            drawn = rng.uniform(1, 2.5, (5, wide))
            assert part == pytest.approx(drawn / drawn.sum(axis=1)[:, None])


@pytest.mark.parametrize(("below", "reach"), [(0.9e-4, 3), (1.03e-4, 2), (0.6e-4, 3)])
def test_which_starts_came_to_one_top(below: float, reach: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards 1e-4 a rating: starts so near the best likelihood came to it, the best itself counts."""
    table = said_by()
    ends = iter([-9.0, -3.0, -3.0 - below * 60, -3.0 - 0.1e-4 * 60])
    chances = {-9.0: 0, -3.0: 1}

    def end(votes: Votes, *_: object) -> End:
        top = next(ends)
        share = np.zeros((votes.items, 3))
        share[:, chances.get(top, 2)] = 1
        return End(share, top, 7, 0.99e-5, (np.zeros(0), np.zeros(0)))

    def calm(_: object, end: End, *__: object) -> tuple[Array, int, Trail]:
        return end.share, 9, Trail(1e-4, [0.0] * 6)

    monkeypatch.setattr(mace_module, "mace_climbed", end)
    monkeypatch.setattr(mace_module, "settled", calm)
    gain, progress = Mace(starts=4).fitted(Grouped.of(table))
    assert gain.tolist() == [1.0] * 12  # of the second start, the best
    assert str(progress) == f"converged after 9 steps, the best of 4 starts, {reach} of which came to it"


def test_one_start_is_not_the_best_of_several_and_steps_are_counted() -> None:
    """Guards what one start tells; a step changes the likelihood by 1e-7 a rating, then chances settle."""
    table = said_by()
    votes = Votes.of(Grouped.of(table))
    start = starts(votes, 1, 0)[0]
    top = mace_climbed(votes, start, 500)
    assert top.change < 1e-7
    assert mace_climbed(votes, start, top.steps - 1).change >= 1e-7
    assert mace_climbed(votes, start, top.steps - 1).steps == top.steps - 1
    steps = settled(votes, top, 1e-4, 500)[1]
    assert steps >= top.steps + 6
    assert not settled(votes, top, 1e-4, steps - 1)[2].settled
    assert str(Mace(starts=1).fitted(Grouped.of(table))[1]) == f"converged after {steps} steps"
    one, two = (mace_climbed(votes, start, n)[1] for n in (2, 3))
    assert mace_climbed(votes, start, 3)[3] == pytest.approx(abs(two - one) / 60)


# ------------------------------------------------------------------ the confusion matrix


@pytest.mark.parametrize(("condition", "refused"), [(0.9e8, False), (0.6e8, False), (1.02e8, True)])
def test_from_when_on_a_matrix_has_no_inverse(condition: float, refused: bool) -> None:
    """Guards a condition number of 1e8: [[a, b], [b, a]] with a + b = 1 has 1/(a - b)."""
    a = 0.5 + 0.5 / condition
    made = Confusion.of_counts([[a, 1 - a], [1 - a, a]])
    assert made.condition == pytest.approx(condition, rel=1e-6)
    if refused:
        with pytest.raises(tg.TruegainError, match="no inverse"):
            made.square()
    else:
        assert made.square().gold == (0.0, 1.0)


def test_counts_that_are_no_table() -> None:
    """Guards refusals of counts, and that a single 0 is a count."""
    wrongs: list[Any] = [[1, 2], [[1, -1], [2, 3]], [[1, np.nan], [0, 1]], [[[1]]]]
    for wrong in wrongs:
        with pytest.raises(tg.TruegainError, match="counts must be a table"):
            Confusion.of_counts(wrong)
    made = Confusion.of_counts([[3, 0], [1, 4]])
    assert (made.pairs, made.clustered, made.topics) == (8, False, ())
    assert made.effective.tolist() == [3.0, 5.0]
    with pytest.raises(tg.InputError, match="no gold pair has gold label 1"):
        _ = Confusion.of_counts([[3, 1], [0, 0]]).matrix


def test_the_fit_pair_by_pair() -> None:
    """Guards counts, squares of weights and topics that have no pair, against a loop."""
    rng = np.random.default_rng(2)
    bronze = {f"t{t}": {f"d{i}": int(rng.integers(0, 3)) for i in range(9)} for t in range(5)}
    gold = {t: {d: int(np.clip(g + rng.integers(-1, 2), 0, 2)) for d, g in row.items()} for t, row in bronze.items()}
    gold["t2"] = dict.fromkeys(gold["t2"], -1)
    weights = rng.uniform(0.5, 2, 45)
    with pytest.warns(tg.DataWarning, match="9 of 45 gold pairs have a gold label below 0"):
        pairs = pair_up(bronze, gold, weights=weights)
    found = Confusion.fit(pairs)
    assert (found.topics, found.pairs, found.clustered) == (("t0", "t1", "t3", "t4"), 36, True)
    table, squares = np.zeros((5, 3, 3)), np.zeros((3, 3))
    for i, (t, d) in enumerate([(t, d) for t, row in gold.items() for d in row]):
        if gold[t][d] >= 0:
            table[int(t[1]), gold[t][d], bronze[t][d]] += weights[i]
            squares[gold[t][d], bronze[t][d]] += weights[i] ** 2
    assert found.table == pytest.approx(table[[0, 1, 3, 4]])
    assert found.squares == pytest.approx(squares)
    assert found.effective == pytest.approx(table.sum(axis=(0, 2)) ** 2 / squares.sum(axis=1))
    cut = found.binary(1, 2)
    assert cut.counts[1, 1] == pytest.approx(table[:, 2, 1:].sum())
    assert cut.squares == pytest.approx(
        np.array([[squares[:2, 0].sum(), squares[:2, 1:].sum()], [squares[2, 0], squares[2, 1:].sum()]])
    )
    again = found.reweighted([1, 0, 2, 1])
    assert again.counts == pytest.approx((table[[0, 1, 3, 4]] * np.array([1, 0, 2, 1])[:, None, None]).sum(axis=0))
    with pytest.raises(tg.TruegainError, match="one weight for each of the 4 gold topics"):
        found.reweighted([1, 0, 2])


def test_more_pairs_thought_to_be_there() -> None:
    """Guards the influence with pairs added to every bronze label: that of the matrix with these counts."""
    made = Confusion.of_counts([[30.0, 10.0], [5.0, 20.0]])
    part = corrected_mean(made, [0.3, 0.7], [0, 1])
    more = np.array([0.5, 1.5])
    counts = made.counts + more[:, None]
    total = counts.sum(axis=1)
    mean = (counts * part.worth).sum(axis=1) / total
    want = [[part.shares[g] / total[g] * (part.worth[b] - mean[g]) for b in (0, 1)] for g in (0, 1)]
    assert part.influence(more) == pytest.approx(np.array(want))
    assert part.influence(np.zeros(2)) == pytest.approx(part.influence())


def test_variance_and_bias_by_derivatives() -> None:
    """Guards eq. 7 and section 3.8 by numerical derivatives of eq. 5, and the judged share."""
    j, r, n, h = 0.65, 0.8, 0.7, 1e-4
    v_j, v_r, v_n = 0.01, 0.02, 0.03

    def at(*step: float) -> float:
        return corrected(j + step[0], r + step[1], n + step[2])

    first = [(at(*h * e) - at(*-h * e)) / (2 * h) for e in np.eye(3)]
    assert variance(j, r, n, v_j, v_r, v_n) == pytest.approx(float(np.array(first) ** 2 @ [v_j, v_r, v_n]), rel=1e-6)
    second = [(at(*h * e) - 2 * at(0, 0, 0) + at(*-h * e)) / h**2 for e in np.eye(3)[1:]]
    assert bias(j, r, n, v_r, v_n) == pytest.approx(float(np.array(second) @ [v_r, v_n]) / 2, rel=1e-4)
    assert rates_variance(30, 40, 10, 50) == pytest.approx((0.75 * 0.25 / 40, 0.2 * 0.8 / 50))
    assert corrected(j, r, n, 0.5) == pytest.approx((j - 0.5 * 0.3) / 0.5)


# ------------------------------------------------------------------ gold pairs and scales


def test_some_of_the_pairs_and_where_they_are() -> None:
    """Guards rows that stay together, and places in another pool: -1 where a pair is not there."""
    bronze = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1, "e": 2}}
    gold = {"1": {"a": 1, "c": 1}, "2": {"d": 0, "e": 2}}
    pairs = pair_up(bronze, gold, weights=[1, 2, 3, 4])
    left = pairs.only(np.array([False, True, True, False]))
    assert [left.topic.tolist(), left.bronze.tolist(), left.gold.tolist(), left.weight.tolist()] == [
        [0, 1],
        [2.0, 1.0],
        [1.0, 0.0],
        [2.0, 3.0],
    ]
    assert (len(left), pairs.weighted, left.weighted) == (2, True, True)
    other = Pool.of(Judgments.of({"2": {"e": 1, "d": 1}, "1": {"c": 0, "z": 1}}))
    found = pairs.items_in(other).tolist()
    names = [(other.topics[other.topic[i]], other.docs[int(i)]) if i >= 0 else None for i in found]
    assert names == [None, ("1", "c"), ("2", "d"), ("2", "e")]
    bare = Pairs(("1",), np.zeros(1, np.int64), np.ones(1), np.ones(1), np.ones(1), {1.0: 1.0})
    with pytest.raises(tg.TruegainError, match="do not say which documents"):
        bare.items_in(other)
    assert bare.only(np.array([True])).item is None


def test_weights_of_gold_pairs_that_are_none() -> None:
    """Guards the number of weights, finite ones, none below 0, and one above 0 at least."""
    bronze, gold = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1, "b": 1}}
    assert pair_up(bronze, gold, weights=[0, 1]).weight.tolist() == [0.0, 1.0]
    for wrong in ([1.0], [0, 0], [-1, 2], [np.inf, 1], [np.nan, 1]):
        with pytest.raises(tg.TruegainError, match="weights"):
            pair_up(bronze, gold, weights=wrong)


def test_pairs_that_have_no_bronze_label_left_out() -> None:
    """Guards what is counted: unmatched, not judged, shares of bronze labels among those judged."""
    bronze = {"1": {"a": 1, "b": 0, "c": 1, "d": -1, "e": 3}}
    with pytest.warns(tg.DataWarning, match="1 of 5 gold pairs have a bronze label below 0"):
        pairs = pair_up(bronze, {"1": {"x": 1, "a": 1, "d": 0, "y": 0, "e": 2}}, missing="drop", scale=range(4))
    assert (len(pairs), pairs.unmatched, pairs.unjudged, pairs.weighted) == (2, 2, 1, False)
    assert pairs.share == {0.0: 0.25, 1.0: 0.5, 3.0: 0.25}
    assert (pairs.scale, pairs.off_scale) == ((0.0, 1.0, 2.0, 3.0), None)
    with pytest.warns(tg.DataWarning), pytest.raises(tg.InputError, match="no gold pair has a bronze label"):
        pair_up(bronze, {"1": {"d": 1}})


def test_labels_off_a_scale_are_counted() -> None:
    """Guards labels off a scale: 0 is on it, below 0 is not judged, the first is where it is said to be."""
    table = Judgments.of({"1": {"a": 0, "b": 5, "c": -1, "d": 7, "e": 5}})
    with pytest.raises(tg.InputError, match=r"3 of 5 labels are not on the scale 0, 1: 5 \(2 times\), 7 \(1 time\)"):
        check_scale(table, (0, 1))
    with pytest.warns(tg.DataWarning, match="3 of 5 labels are not on the scale 0, 1 and count as not judged"):
        assert on_scale(table, (0, 1), "drop").label.tolist() == [0.0, -1.0, -1.0, -1.0, -1.0]
    with pytest.raises(tg.InputError, match="1 of 1 labels"):
        check_scale(Judgments.of({"1": {"a": 0}}), (1, 2))
    assert on_scale(table, None, "drop") is table
    assert on_scale(table, (0, 5, 7)) is table
    with pytest.raises(tg.TruegainError, match="out_of_range is 'keep'"):
        on_scale(table, None, "keep")  # type: ignore[arg-type]
    assert scale_of([2, 0, 1.5]) == (0.0, 1.5, 2.0)
    assert scale_of("600:602") == (600.0, 601.0, 602.0)
    for wrong in ("0:1.5", "0:1:2", "3:1", "5:5", "a,b", "1"):
        with pytest.raises(tg.TruegainError, match="labels"):
            scale_of(wrong)


# ------------------------------------------------------------------ an estimate set right


def test_limits_without_width_and_beyond_the_bounds() -> None:
    """Guards an interval without width inside its bounds, and a value beyond them: a proportion of 1."""
    value, spread = np.array([0.3, 1.2]), Variance(np.array([0.0, 0.05**2]), np.full(2, 9.0))
    low, high = joined_with_wilson(value, spread, np.full(2, 30.0), (0.0, 1.0), 0.95)
    assert (low[0], high[0]) == pytest.approx((0.3, 0.3))
    share, t = 30.5 / 31, float(stats.t.ppf(0.975, 9))  # a proportion of 1 has Wilson's low end at n / (n + t^2)
    size = share * (1 - share) / 0.05**2
    assert (low[1], high[1]) == pytest.approx((size / (size + t**2), 1.0))
