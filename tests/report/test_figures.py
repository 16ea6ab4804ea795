"""Figures: what they show, that they stay readable with many systems, and that their files need no network."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truegain.errors import TruegainError
from truegain.report import figures
from truegain.report.charts import render, save
from truegain.stats.results import Comparison, Estimate

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


def many(count: int, over: str = "topics", measure: str = "AP") -> list[Estimate]:
    """Estimates of so many systems, worst first."""
    return [
        Estimate(f"system{i}", measure, i / count, i / count - 0.1, i / count + 0.1, population=over)
        for i in range(count)
    ]


RNG = np.random.default_rng(1)
NAMES = [f"system{i}" for i in range(129)]
P = RNG.uniform(size=(129, 129))
CHARTS: dict[str, Callable[[], Any]] = {  # one of each kind, large enough to be like a TREC track
    "intervals": lambda: figures.intervals_chart(many(129)),
    "tiers": lambda: figures.tiers_chart(many(129)[::-1], [1 + i // 10 for i in range(129)]),
    "two sources": lambda: figures.intervals_chart([*many(5), *many(5, "collection")]),
    "two measures": lambda: figures.intervals_chart([*many(5), *many(5, measure="P@10")]),
    "pairs": lambda: figures.pairs_chart(NAMES, P),
    "differences": lambda: figures.pairs_chart(NAMES[:9], P[:9, :9] - 0.5, "difference"),
    "errors": lambda: figures.errors_chart({"linear": P[0], "logit": P[1] - 0.5}),
    "asl": lambda: figures.asl_chart({"AP": P[:64].ravel(), "P@10": P[64:].ravel()}),
    "scatter": lambda: figures.scatter_chart(NAMES, P[0], P[1], name_most=NAMES[:3]),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_can_be_drawn(name: str) -> None:
    """Guards the specifications: the renderer accepts them and draws marks, as SVG."""
    svg = render(CHARTS[name](), ".svg").decode()
    assert svg.startswith("<svg")
    assert len(re.findall(r"<(path|text|rect|line)\b", svg)) > 20
    assert "NaN" not in svg


@pytest.mark.slow
def test_a_large_matrix_tells_places_and_what_it_is_of() -> None:
    """Guards the matrix of a track: no names, but the first and every tenth place on both sides, and the measure."""
    pairs = [Comparison(a, b, "AP", 0.2, 0.3, 0.1, None, None, p=0.01) for a, b in pairwise(NAMES)]
    svg = render(figures.comparisons_chart(pairs), ".svg").decode()
    assert [svg.count(f">{place}<") for place in (1, 10, 60, 120)] == [2, 2, 2, 2]
    assert ">AP: p-values of all pairs, best system first<" in svg
    assert "under the pointer" not in svg


@pytest.mark.slow
def test_all_129_systems_are_named_best_first() -> None:
    """Guards readability: no system's name is dropped, and the best stands on top."""
    svg = render(figures.intervals_chart(many(129)), ".svg").decode()
    named = re.findall(r">(system\d+)<", svg)
    assert len(named) == 129
    assert named[0] == "system128"
    assert svg.index(">system128<") < svg.index(">system0<")


@pytest.mark.slow
def test_files_are_what_their_ending_says(tmp_path: Path) -> None:
    """Guards saving: SVG, PNG, PDF and HTML, the HTML with all its scripts inside."""
    chart = figures.scatter_chart(["x", "y", "z"], [0.1, 0.2, 0.3], [0.2, 0.1, 0.3])
    for ending in ("svg", "png", "pdf", "html"):
        save(chart, tmp_path / f"figure.{ending}")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "figure.svg").read_text().startswith("<svg")
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")
    page = (tmp_path / "figure.html").read_text()
    assert not re.search(r"<(script|link)[^>]+(src|href)=", page)
    assert len(page) > 300_000
    with pytest.raises(TruegainError, match=r"choose one of these endings"):
        save(chart, tmp_path / "figure.jpg")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["figure.html", "figure.pdf", "figure.png", "figure.svg"]


def test_the_matrix_shows_each_pair_both_ways() -> None:
    """Guards signs and adjusted p: difference is row - column, and the adjusted p is the one shown."""
    pairs = [
        Comparison("a", "b", "AP", 0.2, 0.3, 0.1, None, None, p=0.01, p_adjusted=0.03),
        Comparison("a", "c", "AP", 0.2, 0.25, 0.05, None, None, p=0.2),
    ]
    cells = {
        (v["row"], v["column"]): v["value"]
        for v in figures.comparisons_chart(pairs, "difference").to_dict()["data"]["values"]
    }
    assert cells["b", "a"] == 0.1
    assert cells["a", "b"] == -0.1
    assert cells["b", "c"] is None
    shown = {
        (v["row"], v["column"]): (v["value"], v["shown"])
        for v in figures.comparisons_chart(pairs).to_dict()["data"]["values"]
    }
    assert shown["a", "b"] == shown["b", "a"] == (0.03, "0.01 to 0.05")
    assert shown["a", "c"] == (0.2, "0.1 or more")


def test_tiers_are_drawn_with_means_and_intervals() -> None:
    """Guards the chart of tiers: best first, its mean, limits and tier of each; of one measure only."""
    chart = figures.tiers_chart(many(4)[::-1], [1, 1, 2, 3]).to_dict()
    values = chart["data"]["values"]
    assert [(v["system"], v["number"]) for v in values] == [(f"system{3 - i}", t) for i, t in enumerate("1123")]
    assert [(v["value"], v["low"], v["high"]) for v in values][3] == pytest.approx((0.0, -0.1, 0.1))
    colors = chart["layer"][0]["encoding"]["color"]["scale"]
    assert colors["domain"] == ["tier 1", "tier 2", "tier 3"]
    assert len(set(colors["range"])) == 3
    with pytest.raises(TruegainError, match="one measure"):
        figures.tiers_chart([*many(2), *many(2, measure="P@5")], [1, 1, 1, 1])


def test_errors_are_counted_whole() -> None:
    """Guards the histogram: it integrates to 1, outliers included, and says what lies outside."""
    panel = figures.errors_chart({"logit": [*np.linspace(-1, 1, 97), 40, -3, 3]}).to_dict()
    first = panel["vconcat"][0]["layer"][0]["data"]["values"]
    assert sum(bar["count"] for bar in first) == 100
    assert sum(bar["density"] * (bar["to"] - bar["from"]) for bar in first) == pytest.approx(1)
    assert "below 1.0%, inside ±1.96 97.0%, above 2.0%" in panel["vconcat"][0]["title"]["subtitle"]


def test_names_in_a_scatter_do_not_meet() -> None:
    """Guards legibility: points at one place have their names below one another, inside the frame."""
    names = [f"system{i}" for i in range(6)]
    chart = figures.scatter_chart([*names, "far"], [*[0.9] * 6, 0.0], [*[0.9] * 6, 0.0], name_most=names).to_dict()
    labels = chart["layer"][1]["data"]["values"]
    heights = sorted(v["to_b"] for v in labels)
    assert min(np.diff(heights)) > 0.02
    assert {v["align"] for v in labels} == {"right"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.intervals_chart([]), "no estimates to draw"),
        (lambda: figures.pairs_chart(["a"], [[1.0, 2.0]]), "square of values"),
        (lambda: figures.comparisons_chart([]), "no comparisons"),
        (lambda: figures.errors_chart({"x": [float("nan")]}), "no errors of x"),
        (lambda: figures.asl_chart({"AP": []}), "no p-values of AP"),
        (lambda: figures.scatter_chart([], [], []), "no systems"),
    ],
)
def test_mistakes_are_told(call: Any, message: str) -> None:
    """Guards the messages: nothing to draw is an error, not an empty picture."""
    with pytest.raises(TruegainError, match=message):
        call()


def test_a_notebook_needs_no_network() -> None:
    """Guards figures offline: a notebook is given SVG, also of what is made of a chart, and fetches no script."""
    formatted = pytest.importorskip("IPython.core.formatters").DisplayFormatter().format
    alt = pytest.importorskip("altair")
    chart = Estimate("bm25", "AP", 0.25, 0.2, 0.31, method="percentile").plot()
    for shown in (chart, chart.properties(width=200)):
        drawn = formatted(shown)[0]
        assert drawn["image/svg+xml"].startswith("<svg")
        assert "text/html" not in drawn
        assert "<script" not in drawn["image/svg+xml"]
    with alt.renderers.enable("html"):  # which the user chose
        assert "text/html" in formatted(chart)[0]


def test_answers_hold_95_percent_unless_told() -> None:
    """Guards the levels of answers that nobody gave one, and the words of those without limits or value."""
    one, two = Estimate("a", "AP", 0.2, 0.1, 0.3), Comparison("a", "b", "AP", 0.2, 0.3, 0.1, None, None, None)
    assert (one.confidence, two.confidence) == (0.95, 0.95)
    assert str(one) == "a AP 0.2000 [0.1000, 0.3000] 95% over topics, "
    assert str(two) == "b - a AP +0.1000 ()"
    assert str(replace(one, low=math.nan, high=math.nan)) == "a AP 0.2000"
    assert str(replace(one, value=math.nan, notes=("no gold", "no topics"))) == "a AP: undefined, no gold; no topics"
