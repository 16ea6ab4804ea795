"""Consensus models, ours and through crowd-kit, on simulated workers of known quality."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.aggregation.consensus import DawidSkene, Glad
from truegain.data.rating_groups import Grouped

pytestmark = pytest.mark.filterwarnings("ignore:(?!.*converged)")
without_crowdkit = pytest.mark.skipif(not find_spec("crowdkit"), reason="crowd-kit is not installed")
GLAD = pytest.param(Glad, marks=without_crowdkit)


def crowd(items: int = 300, seed: int = 1) -> tuple[pl.DataFrame, np.ndarray[Any, Any]]:
    """Three good workers and four who guess, on binary items; and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, items)
    rows = []
    for worker in range(7):
        right = rng.random(items) < (0.9 if worker < 3 else 0.5)
        said = np.where(right, truth, 1 - truth).tolist()
        rows += [("1", f"d{i}", f"w{worker}", float(value)) for i, value in enumerate(said)]
    return pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row"), truth


def accuracy(gains: tg.Judgments, truth: np.ndarray[Any, Any]) -> float:
    """Share of items on the right side of a half."""
    found = dict(zip(gains.docs.strings(), gains.label.tolist(), strict=True))
    return float(np.mean([(found[f"d{i}"] > 0.5) == t for i, t in enumerate(truth)]))


@pytest.mark.parametrize("rule", ["dawid-skene", pytest.param("glad", marks=without_crowdkit)])
def test_models_see_who_guesses(rule: str) -> None:
    """Guards both models end to end: where most workers guess they beat the majority clearly."""
    frame, truth = crowd()
    majority = accuracy(tg.aggregate(frame, "majority"), truth)
    gains = tg.aggregate(frame, rule)
    assert accuracy(gains, truth) > majority + 0.05
    assert ((gains.label >= 0) & (gains.label <= 1)).all()


def test_the_likeliest_label(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards take='label': labels that occur, on the same side as the mean."""
    frame, truth = crowd()
    mean, label = (tg.aggregate(frame, f"dawid-skene(take={t})") for t in ("mean", "label"))
    assert set(label.label.tolist()) == {0.0, 1.0}
    assert ((mean.label > 0.5) == (label.label == 1)).mean() > 0.99
    assert accuracy(label, truth) > 0.9


def test_no_convergence_is_told() -> None:
    """Guards a fit that was cut short: the user hears of it."""
    with pytest.warns(tg.DataWarning, match="had not converged after 1 steps"):
        tg.aggregate(crowd(60)[0], "dawid-skene(n_iter=1)")


@pytest.mark.parametrize("rule", [DawidSkene, GLAD])
def test_convergence_is_told_either_way(rule: Any) -> None:
    """Guards what a fit says of itself: settled, with its steps, or not; both warn or stay silent accordingly."""
    ratings = Grouped.of(tg.read_ratings(crowd()[0]))
    _, settled = rule(n_iter=100).fitted(ratings)
    assert settled.converged
    assert settled.change is not None
    assert settled.change < 1e-5
    assert str(settled) == f"converged after {settled.steps} steps"
    _, cut = rule(n_iter=2).fitted(ratings)
    assert (cut.converged, str(cut)) == (False, "not converged after 2 steps")
    with pytest.warns(tg.DataWarning, match="had not converged after 2 steps"):
        tg.aggregate(crowd()[0], f"{rule.NAME}(n_iter=2)")


@pytest.mark.parametrize("rule", [DawidSkene, GLAD])
def test_convergence_at_the_very_last_step_is_convergence(rule: Any) -> None:
    """Guards the border: a fit that settles in as many steps as it may take has settled, with one less it has not."""
    ratings = Grouped.of(tg.read_ratings(crowd()[0]))
    needed = rule(n_iter=100).fitted(ratings)[1].steps
    assert rule(n_iter=needed).fitted(ratings)[1].converged
    assert not rule(n_iter=needed - 1).fitted(ratings)[1].converged


@without_crowdkit
def test_what_does_not_fit_is_told() -> None:
    """Guards weights, constant ratings and magnitudes, which these models cannot take."""
    table = tg.read_ratings(crowd(5)[0])
    with pytest.raises(tg.TruegainError, match="takes no weights"):
        tg.aggregate(table, "glad", weights=np.full(len(table), 2.0))
    with pytest.raises(tg.TruegainError, match="nothing to fit"):
        tg.aggregate(table.frame().with_columns(pl.lit(1.0).alias("label")), "glad")
    many = pl.DataFrame({"topic": "1", "doc": [f"d{i}" for i in range(200)], "assessor": "x", "label": range(200)})
    with pytest.raises(tg.TruegainError, match="use the rule median"):
        tg.aggregate(many, "dawid-skene")
    with pytest.raises(tg.TruegainError, match="take is 'mode'"):
        tg.aggregate(table, "dawid-skene(take=mode)")


def test_how_a_fit_ended_is_told() -> None:
    """Guards convergence being told either way: a line where the fit settled, a warning where it did not."""
    table, told = tg.read_ratings(crowd()[0]), list[str]()
    tg.aggregate(table, "dawid-skene", report=told)
    assert len(told) == 1
    assert told[0].startswith("the rule dawid-skene converged after ")
    with pytest.warns(tg.DataWarning, match="had not converged after 2 steps"):
        tg.aggregate(table, "dawid-skene(n_iter=2)", report=told)
    assert len(told) == 1
