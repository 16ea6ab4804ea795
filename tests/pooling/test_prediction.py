"""Predicted relevance: the fit, its features, and what it must not see."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, logit

from truegain.pooling.prediction import RIDGE, Fit, Predictor, RunVotes, nearest, predicted, standard


def world(seed: int = 0, topics: int = 8, runs: int = 5) -> tuple[RunVotes, np.ndarray]:
    """Lists of ten by runs of rising skill; which documents are relevant."""
    rng = np.random.default_rng(seed)
    item: list[int] = []
    run: list[int] = []
    rank: list[int] = []
    topic: list[int] = []
    relevant: list[bool] = []
    for t in range(topics):
        good = rng.random(40) < 0.3
        first = len(topic)
        topic += [t] * 40
        relevant += good.tolist()
        for r in range(runs):
            order = np.argsort(-(good * (0.5 + 0.5 * r) + rng.normal(0, 1, 40)))[:10]
            item += (first + order).tolist()
            run += [r] * 10
            rank += list(range(1, 11))
    votes = RunVotes.of(np.array(item), np.array(run), np.array(rank), np.array(topic), runs)
    return votes, np.array(relevant, float)


def test_the_fit_is_the_maximum_that_a_general_search_finds() -> None:
    """Guards Newton's steps and the blocks of topics: an optimiser without derivatives of ours agrees."""
    votes, truth = world()
    label = np.where(np.random.default_rng(1).random(len(truth)) < 0.4, truth, np.nan)
    known = np.flatnonzero(~np.isnan(label) & votes.listed)
    x = np.column_stack([
        np.ones(len(truth)), votes.fixed, standard(votes.company(label), votes.listed), votes.share.toarray(),
        np.eye(votes.topics)[votes.topic],
    ])  # fmt: skip
    ridge = np.concatenate([[RIDGE["b0"]], [RIDGE["beta"]] * 4, [RIDGE["gamma"]] * 5, [RIDGE["topic"]] * 8])

    def loss(theta: np.ndarray) -> float:
        eta = x[known] @ theta
        return float((np.logaddexp(0, eta) - label[known] * eta).sum() + 0.5 * ridge @ theta**2)

    best = minimize(loss, np.zeros(x.shape[1]), method="BFGS", options={"gtol": 1e-7}).x
    expected = np.where(votes.listed, expit(x @ best), 0.0)
    np.testing.assert_allclose(predicted(votes, label), expected, atol=1e-5)


def test_what_coefficients_leave_open_by_differences() -> None:
    """Guards G = g' H^-1 g: H and g by differences of the slope of the likelihood, and of the sum."""
    votes, truth = world(3)
    label = np.where(np.random.default_rng(4).random(len(truth)) < 0.4, truth, np.nan)
    fit = Fit.of(votes, label)
    assert fit is not None
    pull = np.random.default_rng(5).normal(size=len(truth)) * np.isnan(label)
    x = np.hstack([fit.design.toarray(), np.eye(votes.topics)[votes.topic]])
    best, known = np.concatenate([fit.theta, fit.u]), fit.known
    ridge = np.concatenate([fit.ridge, np.full(votes.topics, RIDGE["topic"])])

    def slope(theta: np.ndarray) -> np.ndarray:
        return np.asarray(x[known].T @ (expit(x[known] @ theta) - label[known]) + ridge * theta)

    np.testing.assert_allclose(slope(best), 0, atol=1e-3)
    steps = 1e-5 * np.eye(len(best))
    curvature = np.array([(slope(best + e) - slope(best - e)) / 2e-5 for e in steps])
    g = np.array([pull @ (expit(x @ (best + e)) - expit(x @ (best - e))) / 2e-5 for e in steps])
    assert fit.variance(pull) == pytest.approx(g @ np.linalg.solve(curvature, g), rel=1e-5)


def test_coefficients_of_levels_go_together() -> None:
    """Guards graded labels: sds of levels add, one without a fit goes with the level below, none at all is open."""
    votes, truth = world()
    label = np.where(np.random.default_rng(8).random(len(truth)) < 0.5, truth, np.nan)
    label[np.flatnonzero(label == 1)[::2]] = 2
    label[np.flatnonzero(label == 2)[0]] = 3
    pull = np.random.default_rng(9).normal(size=(len(truth), 3)) * np.isnan(label)[:, None]
    predictor, known = Predictor(votes), ~np.isnan(label)
    fits = [Fit.of(votes, np.where(known, (label >= k).astype(float), np.nan)) for k in (1, 2, 3)]
    assert fits[0] is not None
    assert fits[1] is not None
    assert fits[2] is None
    by_hand = fits[0].variance(pull[:, 0]) ** 0.5 + fits[1].variance(pull[:, 1] + pull[:, 2]) ** 0.5
    assert predictor.unknown(label, np.array([1.0, 2.0, 3.0]), pull) == pytest.approx(by_hand**2)
    assert predictor.unknown(np.full(len(truth), np.nan), np.array([1.0]), pull[:, :1]) == np.inf


def test_company_by_a_plain_loop() -> None:
    """Guards q_st, q_s and g, all without the document's own label, against counting one by one."""
    votes, truth = world(3, topics=3, runs=3)
    label = np.where(np.random.default_rng(2).random(len(truth)) < 0.5, truth, np.nan)
    omega = votes.omega.toarray()
    found = votes.company(label)
    for d in np.flatnonzero(votes.listed)[:40].tolist():
        others = [i for i in np.flatnonzero(votes.listed) if i != d and not np.isnan(label[i])]
        g = (sum(label[i] for i in others) + 0.5) / (len(others) + 1)
        total = 0.0
        for s in np.flatnonzero(omega[d]):
            mine = [i for i in others if omega[i, s] > 0]
            here = [i for i in mine if votes.topic[i] == votes.topic[d]]
            q_s = (sum(label[i] for i in mine) + 5 * g) / (len(mine) + 5)
            total += omega[d, s] * (sum(label[i] for i in here) + 3 * q_s) / (len(here) + 3)
        assert found[d] == pytest.approx(logit(np.clip(total / omega[d].sum(), 0.01, 0.99)))


def test_votes_and_ranks_are_as_written() -> None:
    """Guards omega, a and the three features that no label changes."""
    votes = RunVotes.of(np.array([0, 0, 1, 2]), np.array([0, 1, 0, 1]), np.array([1, 4, 2, 3]), np.zeros(4, int), 2)
    np.testing.assert_allclose(votes.omega.toarray()[0], [1 / 11, 1 / 14])
    np.testing.assert_allclose(votes.share.toarray()[0], np.array([1 / 11, 1 / 14]) / (1 / 11 + 1 / 14))
    raw = [np.log(np.array([1 / 11 + 1 / 14, 1 / 12, 1 / 13]) / 2 + 0.001), np.array([1, 0.5, 0.5]), np.log([1, 2, 3])]
    for column, values in enumerate(raw):
        np.testing.assert_allclose(votes.fixed[:3, column], (values - values.mean()) / values.std())
    assert votes.listed.tolist() == [True, True, True, False]
    assert votes.fixed[3].tolist() == [0, 0, 0]


@pytest.mark.parametrize(("judged", "relevant", "cold"), [(9, 5, True), (10, 1, True), (10, 2, False)])
def test_where_nothing_is_fitted(judged: int, relevant: int, cold: bool) -> None:
    """Guards the cold start: below 10 judged or 2 relevant ones the votes alone speak."""
    votes, _ = world()
    label = np.full(len(votes.topic), np.nan)
    at = np.flatnonzero(votes.listed)[:judged]
    label[at] = np.arange(judged) < relevant
    rule = np.where(votes.listed, expit(-1.2 + 0.8 * votes.fixed[:, 0]), 0.0)
    assert np.array_equal(predicted(votes, label), rule) == cold


def test_predictions_beat_the_base_rate() -> None:
    """Guards the use of it all: in a known world unjudged documents are predicted better than by the mean label."""
    won = 0
    for seed in range(6):
        votes, truth = world(seed, topics=12)
        hidden = (np.random.default_rng(seed).random(len(truth)) < 0.6) & votes.listed
        label = np.where(hidden, np.nan, truth)
        p, base = predicted(votes, label), truth[~hidden & votes.listed].mean()
        won += np.mean((p - truth)[hidden] ** 2) < np.mean((base - truth)[hidden] ** 2)
    assert won == 6


def test_the_nearest_judged_documents_by_a_plain_loop() -> None:
    """Guards the label of the 5 nearest of the same topic, without the document's own."""
    rng = np.random.default_rng(5)
    units = rng.random((30, 6)) * (rng.random((30, 6)) < 0.5)
    units /= np.maximum(np.linalg.norm(units, axis=1, keepdims=True), 1e-9)
    topic, label = np.repeat([0, 1, 2], 10), np.where(rng.random(30) < 0.6, rng.integers(0, 2, 30), np.nan)
    found = nearest(csr_array(units), topic, label)
    for d in range(30):
        others = [i for i in range(30) if i != d and topic[i] == topic[d] and not np.isnan(label[i])]
        near = sorted(others, key=lambda i: -(units[d] @ units[i]))[:5]
        weight = np.array([units[d] @ units[i] for i in near])
        mean = weight @ label[near] / weight.sum() if weight.sum() > 1e-9 else np.mean(label[others])
        assert found[d] == pytest.approx(mean)


def test_chances_of_levels_fall() -> None:
    """Guards graded labels: no level is likelier than the one below, judged is 0 or 1, a rare one is a share."""
    votes, truth = world()
    rng = np.random.default_rng(8)
    label = np.where(rng.random(len(truth)) < 0.5, truth * rng.integers(1, 3, len(truth)), np.nan)
    label[np.flatnonzero(~np.isnan(label))[0]] = 3
    found = Predictor(votes).chances(label, np.array([1.0, 2.0, 3.0]))
    assert (np.diff(found, axis=1) <= 0).all()
    known = ~np.isnan(label)
    np.testing.assert_array_equal(found[known], label[known][:, None] >= [1, 2, 3])
    share = 1.5 / ((label[known] >= 2).sum() + 1)
    np.testing.assert_allclose(found[~known, 2], found[~known, 1] * share)
    label[np.flatnonzero(~np.isnan(label))[1]] = 3  # two are enough for a fit of their own
    found = Predictor(votes).chances(label, np.array([1.0, 2.0, 3.0]))
    fitted = predicted(votes, np.where(known, label >= 3, np.nan))
    np.testing.assert_allclose(found[~known, 2], np.minimum(fitted, found[:, 1])[~known])


def test_labels_of_another_judge_help() -> None:
    """Guards the further feature: a judge who is right four times in five makes better predictions."""
    votes, truth = world(2, topics=12)
    rng = np.random.default_rng(4)
    hidden = (rng.random(len(truth)) < 0.7) & votes.listed
    label, said = np.where(hidden, np.nan, truth), np.where(rng.random(len(truth)) < 0.8, truth, 1 - truth)
    plain, helped = (Predictor(votes, None, s).chances(label, np.array([1.0]))[:, 0] for s in (None, said))
    assert np.mean((helped - truth)[hidden] ** 2) < 0.9 * np.mean((plain - truth)[hidden] ** 2)
