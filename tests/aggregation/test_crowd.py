"""Consensus models, ours and through crowd-kit, on simulated workers of known quality."""

from __future__ import annotations

from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.aggregation import consensus as crowd_module
from truegain.aggregation.consensus import DawidSkene, Glad
from truegain.data.judgments import Judgments
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


NAMES = ["topic", "doc", "assessor", "label"]


def rated(rows: list[tuple[str, str, str, float]]) -> Judgments:
    """Ratings: topic, document, assessor, label."""
    return tg.read_ratings(pl.DataFrame(rows, schema=NAMES, orient="row"))


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
