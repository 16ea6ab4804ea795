"""`truegain agree` as a user runs it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import truegain as tg
from tests.reliability.test_alpha import alpha
from truegain.cli.app import main
from truegain.experiments.worlds import magnitude_ratings
from truegain.report.agreement_figures import agreement_chart, documents_chart
from truegain.results.base import Table


def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run the command line in this process."""
    monkeypatch.setattr(sys, "argv", ["truegain", *words])
    try:
        main()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards the command on magnitudes with experts: tables for people, one part for programs, mistakes with 2."""
    monkeypatch.chdir(tmp_path)
    world = magnitude_ratings(topics=2, docs=14, workers=4, seed=1)
    tg.write_judgments(world.ratings, "ratings.csv")
    tg.write_judgments(world.expert, "expert.qrels")
    words = ["agree", "ratings.csv", "--scale", "ratio", "--normalize", "geometric", "--resamples", "100"]
    code, out, err = call(monkeypatch, capsys, *words, "--expert", "expert.qrels")
    assert (code, err) == (0, "")
    for part in (
        "alpha ratio",
        "median max/min ratio",
        "Agreement with experts",
        "By topic",
        "Assessors",
    ):
        assert part in out
    code, out, _ = call(monkeypatch, capsys, *words, "--show", "topics", "--format", "json")
    assert code == 0
    assert [row["topic"] for row in json.loads(out)["rows"]] == ["1", "2"]
    code, _, err = call(monkeypatch, capsys, *words, "--show", "experts")
    assert code == 2
    assert "needs --expert" in err


def test_whose_agreement_and_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards --over and --method: the limits of the same words in Python, what they mean told, mistakes with 2."""
    monkeypatch.chdir(tmp_path)
    world = magnitude_ratings(topics=1, docs=20, workers=4, seed=1)
    tg.write_judgments(world.ratings, "ratings.csv")
    words = ["agree", "ratings.csv", "--scale", "ratio", "--show", "overall", "--resamples", "100"]
    low = set()
    for more, asked, meant in (
        ([], {}, "these assessors"),
        (["--units", "items+assessors"], {"units": "items+assessors"}, "assessors like these"),
        (["--method", "bootstrap"], {"method": "bootstrap", "trials": 100}, "these assessors"),
    ):
        want = alpha(world.ratings, "ratio", **asked)
        _, out, _ = call(monkeypatch, capsys, *words, *more)
        assert f"intervals over other items, {meant}" in out
        _, out, _ = call(monkeypatch, capsys, *words, *more, "--format", "json")
        row = json.loads(out)["rows"][0]
        assert (row["value"], row["low"], row["high"]) == pytest.approx((want.value, want.low, want.high))
        low.add(row["low"])
    assert len(low) == 3
    code, _, err = call(monkeypatch, capsys, *words, "--method", "bootstrap", "--units", "items+assessors")
    assert code == 2
    assert "the bootstrap draws items only" in err


def test_undefined_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards against nan on the screen: where everybody says the same the table says so."""
    monkeypatch.chdir(tmp_path)
    Path("r.csv").write_text("topic,doc,ann,bob\n1,a,1,1\n1,b,1,1\n")
    code, out, _ = call(monkeypatch, capsys, "agree", "r.csv")
    assert code == 0
    assert "undefined: all ratings are 1" in out
    assert "nan" not in out


@pytest.mark.slow
def test_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards --figure: topics and assessors drawn, the lowest of many, by part; mistakes are told before any work."""
    monkeypatch.chdir(tmp_path)
    world = magnitude_ratings(topics=3, docs=26, workers=8, seed=1)
    tg.write_judgments(world.ratings, "ratings.csv")
    tg.write_judgments(world.expert, "expert.qrels")
    words = ["agree", "ratings.csv", "--scale", "ratio", "--resamples", "100", "--expert", "expert.qrels"]
    for part, panels in (
        ("all", ("Topics:", "correlation with the rest", "order as experts")),
        ("topics", ("Topics:",)),
    ):
        code, out, err = call(monkeypatch, capsys, *words, "--show", part, "--figure", "a.svg")
        assert (code, err) == (0, "")
        assert "By topic" in out
        drawn = Path("a.svg").read_text()
        for title in ("Agreement of", "95% intervals", *panels):
            assert title in drawn
        assert ("50 of 96 assessors: " in drawn) == (part == "all")
    for part, name, fault in (("all", "a.jpg", ".svg, .png, .pdf, .html"), ("experts", "a.svg", "has no figure")):
        code, _, err = call(monkeypatch, capsys, "agree", "nothing.csv", "--show", part, "--figure", name)
        assert code == 2
        assert fault in err


@pytest.mark.slow
def test_figure_of_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards figure 5 of the paper: documents by max/min, those in every unit apart; grades have no such figure."""
    monkeypatch.chdir(tmp_path)
    world = magnitude_ratings(topics=2, docs=26, workers=4, seed=1)
    tg.write_judgments(world.ratings, "ratings.csv")
    words = ["agree", "ratings.csv", "--resamples", "0", "--show", "documents", "--figure", "a.svg"]
    code, out, err = call(monkeypatch, capsys, *words, "--scale", "ratio", "--normalize", "geometric")
    assert (code, err) == (0, "")
    assert out.startswith("By document")
    drawn = Path("a.svg").read_text()
    for part in ("52 documents by max/min", "more than twice as many", "correlation of logarithms"):
        assert part in drawn
    code, _, err = call(monkeypatch, capsys, *words, "--scale", "interval")
    assert code == 2
    assert "give --scale ratio" in err


def test_points_of_documents_are_those_of_the_table() -> None:
    """Guards the points: every document with two numbers once, and color by how often it was rated."""
    columns = ("topic", "doc", "ratings", "max/min", "geometric sd")
    rows: list[tuple[float | int | str | None, ...]] = [("1", f"d{i}", 4, 2.0 + i, 1.5 + i / 10) for i in range(9)]
    rows += [("1", "Hk", 9, 80.0, 2.0), ("1", "alone", 1, None, None)]
    bars, points = documents_chart(Table(columns, rows)).to_dict()["vconcat"]
    assert [(r["doc"], r["ratio"], r["sd"]) for r in points["data"]["values"]] == [
        (r[1], r[3], r[4]) for r in rows[:10]
    ]
    assert [r["doc"] for r in points["data"]["values"] if r["kind"] != "as many ratings as usual"] == ["Hk"]
    assert sum(bar["documents"] for bar in bars["data"]["values"]) == 10


def test_of_very_many_assessors_the_notable_are_drawn() -> None:
    """Guards the figure of 2,000 assessors: those worth a second look, then the lowest; the rest told and counted."""
    columns = ("assessor", "ratings", "correlation", "low", "high", "look")
    rows: list[tuple[float | int | str | None, ...]] = [
        (f"w{i}", 40, i / 2000, i / 2000 - 0.1, min(1.0, i / 2000 + 0.1), "") for i in range(1999)
    ]
    rows[1900] = ("w1900", 40, 0.95, 0.9, 1.0, "takes less than a third of the usual time")
    rows.append(("same", 40, None, None, None, "gives every document the same rating"))
    chart = agreement_chart(None, Table(columns, rows)).to_dict()
    histogram, lines = chart["vconcat"]
    assert [r["name"] for r in lines["data"]["values"]] == [*(f"w{i}" for i in range(49)), "w1900"]
    assert histogram["title"]["subtitle"] == [
        "50 of 1,999 assessors: 1 worth a second look, and the lowest;",
        "the other 1,949 only in the histogram; 1 without (see the table)",
    ]
    assert sum(r["n"] for r in histogram["data"]["values"]) == 1999
    with pytest.raises(tg.TruegainError, match="no agreement that is defined to draw"):
        agreement_chart(None, Table(columns, rows[-1:]))


def test_of_many_assessors_the_first_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards the screen against thousands of lines: 50 assessors, the rest counted; formats for programs have all."""
    monkeypatch.chdir(tmp_path)
    rows = [f"1,d{d},w{w},{(d * w) % 3}" for d in range(3) for w in range(70)]
    Path("r.csv").write_text("\n".join(["topic,doc,assessor,label", *rows, ""]))
    for part in ("all", "assessors"):
        code, out, _ = call(monkeypatch, capsys, "agree", "r.csv", "--resamples", "0", "--show", part)
        assert code == 0
        assert sum(line.startswith("w") for line in out.splitlines()) == 50
        assert "20 more of 70 assessors: --show assessors --format csv has all" in out
    _, out, _ = call(
        monkeypatch, capsys, "agree", "r.csv", "--resamples", "0", "--show", "assessors", "--format", "csv"
    )
    assert len(out.splitlines()) == 71


def test_words_of_a_nominal_scale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards --scale nominal on words: alpha is that of any numbers for them, and the numbers are told."""
    monkeypatch.chdir(tmp_path)
    table = "topic,doc,assessor,label\n1,a,x,{0}\n1,a,y,{0}\n1,b,x,{1}\n1,b,y,{2}\n1,c,x,{2}\n1,c,y,{2}\n"
    Path("words.csv").write_text(table.format("relevant", "not", "partly"))
    Path("numbers.csv").write_text(table.format(7, 1, 4))
    words = ["--scale", "nominal", "--resamples", "0", "--show", "overall", "--format", "csv"]
    code, out, err = call(monkeypatch, capsys, "agree", "words.csv", *words)
    assert code == 0
    assert "not=0, partly=1, relevant=2" in err
    assert out == call(monkeypatch, capsys, "agree", "numbers.csv", *words)[1]
    code, _, err = call(monkeypatch, capsys, "aggregate", "words.csv", "--aggregate", "majority", "--scale", "nominal")
    assert code == 2
    assert "--values relevant=1" in err


def test_reading_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards the options of reading together: joined topics, chosen columns, dropped ratings; one topic for tasks."""
    monkeypatch.chdir(tmp_path)
    Path("r.csv").write_text("query,facet,doc,ann,bob,final\n1,f,a,2,1,2\n1,f,b,0,-1,0\n1,g,a,1,1,1\n")
    how = [
        "--assessors",
        "ann,bob",
        "--columns",
        "topic=query+facet",
        "--scale",
        "ordinal 0:3",
        "--out-of-range",
        "drop",
    ]
    code, out, err = call(monkeypatch, capsys, "agree", "r.csv", *how, "--resamples", "0")
    assert code == 0
    assert "Agreement of 5 ratings by 2 assessors" in out
    assert (
        "Agreement of 3 ratings by 1 assessor\n"
        in call(monkeypatch, capsys, "agree", "r.csv", "--assessors", "ann", *how[2:], "--resamples", "0")[1]
    )
    assert "1-g" in out
    assert err == "warning: 1 of 6 ratings lie outside the scale ordinal 0:3 and are dropped\n"
    Path("t.csv").write_text("task,worker,label\n17,x,1\n17,y,0\n18,x,1\n18,y,1\n")
    code, out, _ = call(monkeypatch, capsys, "agree", "t.csv", "--topic", "all", "--resamples", "0", "--show", "topics")
    assert code == 0
    assert "all " in out
