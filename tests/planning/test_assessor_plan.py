"""How many assessors a document needs."""

from __future__ import annotations

import contextlib
import sys

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest

import truegain as tg
from truegain.cli.app import main
from truegain.data.judgments import Judgments, judgments_of_columns
from truegain.data.rating_groups import Grouped
from truegain.planning.assessors import Sigmas, assessors_needed, plan_assessors

# MAGNITUDE, table II: rows are the error, columns sigma = 1 to 6; at 99%, though its caption says 95%
TABLE_2 = {
    0.5: (27, 107, 239, 425, 664, 956),
    1.0: (7, 27, 60, 107, 166, 239),
    1.5: (3, 12, 27, 48, 74, 107),
    2.0: (2, 7, 15, 27, 42, 60),
    2.5: (2, 5, 10, 17, 27, 39),
    3.0: (1, 3, 7, 12, 19, 27),
    3.5: (1, 3, 5, 9, 14, 20),
    4.0: (1, 2, 4, 7, 11, 15),
    4.5: (1, 2, 3, 6, 9, 12),
    5.0: (1, 2, 3, 5, 7, 10),
}


def test_table_2_of_the_paper() -> None:
    """Guards the formula: all sixty numbers of table II, at 99%."""
    for error, row in TABLE_2.items():
        found = tuple(assessors_needed(sigma, error, 0.99).needed["assessors"] for sigma in range(1, 7))
        assert found == row, error


def test_so_many_are_enough_and_fewer_are_not() -> None:
    """Guards what the number promises, on simulated ratings: coverage reached with n, missed with half of it."""
    n = assessors_needed(3, 1, 0.95).needed["assessors"]
    rng = np.random.default_rng(1)

    def covered(count: int) -> float:
        return float((np.abs(rng.normal(0, 3, (20_000, count)).mean(axis=1)) <= 1).mean())

    assert covered(n) >= 0.945
    assert covered(n // 2) < 0.9


@pytest.mark.parametrize(
    ("sigma", "error", "confidence"), [(0, 1, 0.9), (1, 0, 0.9), (1, 1, 99), (float("nan"), 1, 0.9)]
)
def test_mistakes_are_told(sigma: float, error: float, confidence: float) -> None:
    """Guards against dividing by nothing and percentages for shares."""
    with pytest.raises(tg.TruegainError):
        assessors_needed(sigma, error, confidence)


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards `truegain plan assessors` as the paper uses it: seven workers."""
    words = ["plan", "assessors", "--sigma", "2", "--error", "2", "--confidence", "0.99"]
    monkeypatch.setattr(sys, "argv", ["truegain", *words])
    with contextlib.suppress(SystemExit):
        main()
    assert capsys.readouterr().out.splitlines()[1].split()[0] == "7"


def drawn(seed: int, docs: int, sigma: float | None = 1.5, least: int = 1) -> Judgments:
    """Ratings of documents on three topics, one to six each, about a mean of their own; sigma differs if None."""
    rng, rows = np.random.default_rng(seed), []
    for d in range(docs):
        spread = sigma or float(rng.gamma(4, 0.25))
        rows += [(str(d % 3), f"d{d}", f"w{w}", rng.normal(d % 5, spread)) for w in range(rng.integers(least, 7))]
    topics, names, who, values = (list(column) for column in zip(*rows, strict=True))
    return judgments_of_columns(topics, names, np.array(values), "drawn", assessors=who)


def test_sigma_is_that_of_an_analysis_of_variance() -> None:
    """Guards the pooled sigma: the residual of statsmodels' one-way layout, documents with one rating left out."""
    from statsmodels.formula.api import ols  # type: ignore[import-untyped]  # takes a second

    table = drawn(1, 40)
    fitted = ols("label ~ C(doc)", pd.DataFrame({"label": table.label, "doc": table.docs.strings()})).fit()
    assert Sigmas.of(Grouped.of(table)).sigma == pytest.approx(float(np.sqrt(fitted.mse_resid)))


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "least"), [(1.5, 0.91), (None, 0.87)])
def test_the_interval_of_sigma_holds(sigma: float | None, least: float) -> None:
    """Guards its limits on 400 studies of 40 documents and known sigma: 94% hold, 91% where sds differ."""
    truth = sigma or float(np.sqrt(4 * 0.25**2 + 1))
    limits = [Sigmas.of(Grouped.of(drawn(seed, 40, sigma))).limits() for seed in range(400)]
    held = float(np.mean([low <= truth <= high for low, high in limits]))
    assert least <= held <= 0.975


def test_a_plan_from_ratings() -> None:
    """Guards the table: pooled, half and nine tenths of the documents, then each topic, by the same formula."""
    table = drawn(2, 60, None, least=2)
    found = plan_assessors(table, error=0.5, confidence=0.9, by_topic=True)
    rows = found.details.records()
    by_doc: dict[tuple[str, str], list[float]] = {}
    for t, d, v in zip(table.topic.strings(), table.docs.strings(), table.label.tolist(), strict=True):
        by_doc.setdefault((t, d), []).append(v)

    def pooled(rows: list[list[float]]) -> float:
        return float(np.sqrt(sum(np.var(r) * len(r) for r in rows) / sum(len(r) - 1 for r in rows)))

    single = [float(np.std(r, ddof=1)) for r in by_doc.values()]
    sds = [pooled(list(by_doc.values())), *np.quantile(single, [0.5, 0.9]).tolist()]
    sds += [pooled([r for (t, _), r in by_doc.items() if t == name]) for name in ("0", "1", "2")]
    assert [r["sigma"] for r in rows] == pytest.approx(sds)
    assert [r["assessors"] for r in rows] == [assessors_needed(s, 0.5, 0.9).needed["assessors"] for s in sds]
    assert [r["for"] for r in rows][3:] == ["topic 0", "topic 1", "topic 2"]
    assert found.needed == {"assessors": rows[0]["assessors"]}


def test_what_tells_no_sigma() -> None:
    """Guards one rating a document, ratings that all agree, and few documents that decide."""
    alone = judgments_of_columns(["1", "1"], ["a", "b"], np.array([1.0, 2.0]), "r", assessors=["x", "y"])
    with pytest.raises(tg.InputError, match="no document has two ratings"):
        plan_assessors(alone, error=1)
    same = judgments_of_columns(["1", "1"], ["a", "a"], np.array([1.0, 1.0]), "r", assessors=["x", "y"])
    with pytest.raises(tg.InputError, match="are equal, so that one assessor seems enough"):
        plan_assessors(same, error=1)
    both = judgments_of_columns(["1"] * 4, list("aabb"), np.array([0.0, 1, 0, 3]), "r", assessors=["x", "y"] * 2)
    assert np.isnan(Sigmas.of(Grouped.of(both)).limits()).all()  # of two documents there is no spread to speak of
    docs, values = [f"d{i // 2}" for i in range(40)], np.array([i % 2 for i in range(38)] + [0, 500.0])
    wild = judgments_of_columns(["1"] * 40, docs, values, "r", assessors=["x", "y"] * 20)
    assert "a few documents dominate it" in plan_assessors(wild, error=1).details.notes[-1]


@pytest.mark.parametrize("words", ["--error 1", "r.csv --sigma 1 --error 1", "--sigma 1 --error 1 --first 2"])
def test_sigma_or_ratings(words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards against both, neither, and options of ratings without any."""
    monkeypatch.setattr(sys, "argv", ["truegain", "plan", "assessors", *words.split()])
    with pytest.raises(SystemExit) as end:
        main()
    assert (end.value.code, "--sigma" in capsys.readouterr().err) == (2, True)
