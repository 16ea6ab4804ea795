"""Every public answer shows itself in all the ways that every other does."""

from __future__ import annotations

import csv
import inspect
import io
import itertools
import json
import re
import sys
import types
import typing
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.data.label_lists import GoldList
from truegain.errors import TruegainError
from truegain.pooling.bounds import UnjudgedReport
from truegain.pooling.next_to_judge import Next
from truegain.reliability.agree import AgreementReport
from truegain.report.charts import render
from truegain.results.base import Result, Table
from truegain.stats.rank_correlation import RankAgreement
from truegain.stats.results import Comparison, Estimate, Plan, ResultList
from truegain.stats.significance.comparisons import Comparisons, ComparisonsByMeasure
from truegain.study.corrections import Corrections
from truegain.study.correlate import Correlation
from truegain.study.next_steps import Steps
from truegain.study.ranking import Ranking
from truegain.study.settled import SettleResult
from truegain.study.verdict import Verdict

NASTY = "<script>alert(1)</script>_a&b%c|d$e{f}~g^h#i\\j*k`l"
SYSTEMS = (NASTY, "b_m_25", "dense")
TOPICS = 12
DOCS = tuple("abcdef")


def _world() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Runs, gold labels and a cheap judge's; topics and systems with all that must be escaped."""
    rng = np.random.default_rng(5)
    topics = [f"t{i}<b>|_&%" for i in range(TOPICS)]
    gold = {t: {d: int(rng.random() < 0.5) for d in DOCS} for t in topics}
    judge = {t: {d: x if rng.random() < 0.85 else 1 - x for d, x in docs.items()} for t, docs in gold.items()}
    runs = {
        s: {t: {d: float(rng.random() + skill * gold[t][d]) for d in DOCS} for t in topics}
        for s, skill in zip(SYSTEMS, (0.9, 0.3, 0.1), strict=True)
    }
    return runs, gold, judge


RUNS, GOLD, JUDGE = _world()
HOLED = {t: dict(list(docs.items())[:4]) for t, docs in GOLD.items()}
RATINGS = pl.DataFrame(
    [(t, d, f"w{a}", min(3, x + (a + i) % 3)) for i, (t, docs) in enumerate(GOLD.items()) for d, x in docs.items()
     for a in range(3)],
    schema=["topic", "doc", "assessor", "label"], orient="row",
)  # fmt: skip

VOTES = [
    {"topic": t, "a": a, "b": b, "winner": ("a", "tie", "b", a, "both bad")[(7 * i + j) % 5], "first": "ab"[i % 2]}
    for i, t in enumerate(GOLD)
    for j, (a, b) in enumerate(itertools.combinations(SYSTEMS, 2))
]


def _study() -> tg.Study:
    return tg.Study(RUNS, JUDGE, ["P@3", "AP"])


ANSWERS: dict[str, tuple[type, Callable[[], Any]]] = {
    "runs": (tg.Runs, lambda: tg.Runs.of(RUNS)),
    "judgments": (tg.Judgments, lambda: tg.Judgments.of(GOLD)),
    "ratings": (tg.Judgments, lambda: tg.read_ratings(RATINGS)),
    "items": (tg.Items, lambda: tg.read_items({"faith": {"a": {"q1": 0.5, "q2": None}}})),
    "scores": (tg.Scores, lambda: tg.evaluate(RUNS, GOLD, ["AP", "P@3"])),
    "intervals": (ResultList, lambda: tg.intervals(RUNS, GOLD, ["AP", "P@3"], population=["topics", "collection"])),
    "estimate": (Estimate, lambda: tg.intervals(RUNS, GOLD, "AP")[0]),
    "compare": (Comparisons, lambda: tg.compare(RUNS, GOLD, "AP")),
    "compare with a baseline": (Comparisons, lambda: tg.compare(RUNS, GOLD, "AP", test="paired-t", baseline=NASTY)),
    "compare on several": (ComparisonsByMeasure, lambda: tg.compare(RUNS, GOLD, ["AP", "P@3"])),
    "compare with gold": (
        ResultList,
        lambda: tg.compare(RUNS, JUDGE, ["P@3", "CG@2"], gold=tg.Gold(GOLD, design="random")),
    ),
    "comparison": (Comparison, lambda: tg.compare(RUNS, GOLD, "AP")[0]),
    "correct": (Corrections, lambda: tg.correct(RUNS, JUDGE, "P@3", gold=tg.Gold(GOLD, design="random"))),
    "judge": (tg.Judge, lambda: tg.Judge.fit(JUDGE, GOLD, design="random")),
    "judge_quality": (Table, lambda: tg.judge_quality(JUDGE, gold=tg.Gold(GOLD, design="random"))),
    "assessors": (Table, lambda: tg.judge_quality(RATINGS, gold=tg.Gold(GOLD, design="random"))),
    "compare over collections": (ResultList, lambda: tg.compare(RUNS, GOLD, ["AP", "P@3"], population="collection")),
    "plan assessors": (Plan, lambda: tg.plan_assessors(RATINGS, error=0.5)),
    "correlate": (Correlation, lambda: tg.correlate(RUNS, GOLD, "AP", against=JUDGE, names=("<x>", "y_"))),
    "agreement of ranks": (RankAgreement, lambda: tg.correlate(RUNS, GOLD, "AP", against=JUDGE).agreements[0]),
    "correlate measures": (Correlation, lambda: tg.correlate(RUNS, GOLD, ["AP", "P@3", "RR"], between="measures")),
    "correlate halves": (
        Correlation,
        lambda: tg.correlate(RUNS, GOLD, "AP", between="halves", resampling=tg.Resampling(20)),
    ),
    "agree": (AgreementReport, lambda: tg.agreement(RATINGS, scale="ordinal 0:3", resamples=0)),
    "holes": (UnjudgedReport, lambda: tg.unjudged(RUNS, HOLED, "P@3")),
    "judge next": (Next, lambda: tg.next_to_judge(RUNS, HOLED, "P@3", most=5)),
    "gold list": (GoldList, lambda: tg.sample_gold(RUNS, JUDGE, "P@3")),
    "plan labels": (
        Plan,
        lambda: tg.plan_labels(RUNS, JUDGE, "P@3", pair=("b_m_25", NASTY), config=tg.StudyConfig(min_effect=0.3)),
    ),
    "plan topics": (Plan, lambda: tg.plan_topics(RUNS, GOLD, "AP", min_effect=0.2)),
    "study estimates": (ResultList, lambda: _study().estimates()),
    "study compare": (ResultList, lambda: _study().compare()),
    "steps": (Steps, lambda: _study().next_steps("dense", "b_m_25", "P@3")),
    "ranking": (Ranking, lambda: _study().best("P@3")),
    "verdict": (Verdict, lambda: _study().verdict("dense", NASTY, "P@3")),
    "preferences": (tg.Preferences, lambda: tg.read_preferences(VOTES)),
    "settled": (
        SettleResult,
        lambda: (
            _study().with_measures("P@3").settle(lambda t, d: GOLD[t].get(d, 0), baseline="dense", population="fixed")
        ),
    ),
    "verdict of preferences": (
        Verdict,
        lambda: tg.PreferenceStudy(VOTES, gold=VOTES[::2], design="random").verdict("dense", NASTY),
    ),
}
pytestmark = pytest.mark.filterwarnings("ignore::truegain.DataWarning")


@pytest.fixture(scope="module", params=ANSWERS)
def answer(request: pytest.FixtureRequest) -> Result:
    """One of each."""
    kind, make = ANSWERS[request.param]
    made = make()
    assert isinstance(made, kind)
    return typing.cast("Result", made)


class Page(HTMLParser):
    """Checks that tags close in order, and gathers tags and cells."""

    VOID = ("br", "hr", "meta", "img")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Opens."""
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        """Closes."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Text."""
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def test_repr_is_short(answer: Result) -> None:
    """Guards the prompt: what it is, in one or two lines of a screen, however much there is."""
    said = repr(answer)
    assert said.startswith(f"{type(answer).__name__}(")
    assert len(said) < 280
    assert "\n" not in said
    assert not re.search(r"(array|dtype|FamilyResults)\(?", said)


def test_a_notebook_sees_a_table(answer: Result) -> None:
    """Guards notebooks: HTML whose tags close, with nothing that could run, a table, and how it was made, folded."""
    page = Page(answer._repr_html_())
    assert "table" in page.tags
    assert "script" not in page.tags
    assert {"details", "summary"} <= set(page.tags)
    widths = {len(row) for row in page.rows}
    assert len(widths) == 1 or len(answer.tables()) > 1
    assert len(page.rows) <= 21 * len(answer.tables())


def test_html_is_well_formed(answer: Result) -> None:
    """Guards the plain table: as many rows and columns as `paper` has, names as they are once a browser reads them."""
    table, page = answer.paper(), Page(answer.html())
    assert len(page.rows) == 1 + len(table.rows)
    assert {len(row) for row in page.rows} == {len(table.columns)}
    assert "script" not in page.tags
    assert page.rows[0] == list(table.columns)


def test_latex_has_its_columns(answer: Result) -> None:
    """Guards LaTeX: every row has as many cells as the tabular has columns, and no special character is bare."""
    text = answer.latex()
    found = re.search(r"\\begin\{tabular\}\{([lr]*)\}\n(.*)\\end\{tabular\}", text, re.DOTALL)
    assert found is not None
    kinds, body = found.groups()
    lines = [line for line in body.splitlines() if line.endswith(r" \\")]
    assert len(lines) == 1 + len(answer.paper().rows)
    for line in lines:
        assert len(re.split(r"(?<!\\)&", line)) == len(kinds)
    outside = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    plain = re.sub(r"\\label\{[^}]*\}", "", outside)
    assert not re.search(r"(?<!\\)[%#_]|[<>|~^]", plain)
    assert plain.count("{") - plain.count(r"\{") == plain.count("}") - plain.count(r"\}")
    assert re.sub(r"\\\$", "", plain).count("$") % 2 == 0


def test_markdown_has_its_rows(answer: Result) -> None:
    """Guards Markdown: a real reader of it sees the table's rows and columns, and names as they are."""
    table = answer.paper()
    markdown = pytest.importorskip("markdown_it", reason="no reader of Markdown is installed")
    page = Page(markdown.MarkdownIt("gfm-like", {"linkify": False}).render(answer.markdown()))
    assert page.tags.count("table") == 1
    assert len(page.rows) == 1 + len(table.rows)
    assert {len(row) for row in page.rows} == {len(table.columns)}
    assert page.rows[0] == list(table.columns)
    assert [[c.strip() for c in row] for row in page.rows[1:]] == [
        [re.sub(r"\s+", " ", str(cell)).strip() for cell in row] for row in _as_shown(table)
    ]


def _as_shown(table: Table) -> list[list[str]]:
    """The cells of a table as Markdown shows them, without what makes them bold."""
    page = Page(table.html())
    return page.rows[1:]


def test_frames_have_the_rows(answer: Result) -> None:
    """Guards polars and pandas: the same columns and rows, null where there is no value."""
    frame, other = answer.frame(), answer.to_pandas()
    assert isinstance(frame, pl.DataFrame)
    assert list(frame.columns) == list(other.columns)
    assert len(frame) == len(other) > 0
    assert not [name for name in frame.columns if " " in name]
    assert answer.table().csv().splitlines()[0].count(" ") == 0
    assert not {"level", "corrected", "gold pairs"} & set(frame.columns)
    assert int(frame.null_count().sum_horizontal()[0]) == int(other.isna().sum().sum())


def test_a_dict_is_json(answer: Result) -> None:
    """Guards programs: `to_dict` is of plain values, and says how it was made."""
    whole = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    assert whole["provenance"]
    assert dict(answer.provenance)  # type: ignore[attr-defined]


@pytest.mark.few(3)
def test_everything_can_be_drawn(answer: Result) -> None:
    """Guards `plot`: a chart that the renderer draws, without a NaN, names inside as text."""
    pytest.importorskip("vl_convert")
    svg = render(answer.plot(), ".svg").decode()
    assert svg.startswith("<svg")
    assert len(re.findall(r"<(path|text|rect|line)\b", svg)) > 5
    assert "NaN" not in svg
    assert "<script" not in svg


@pytest.mark.slow
def test_many_pairs_are_a_matrix() -> None:
    """Guards charts of many pairs: a matrix a measure, side by side; lines where there are few, or a baseline."""
    pytest.importorskip("vl_convert")
    rng = np.random.default_rng(3)
    runs = {f"s{i}": {t: {d: float(rng.random()) for d in DOCS} for t in GOLD} for i in range(10)}
    scores = tg.evaluate(runs, GOLD, ["AP", "P@3"])
    several = tg.compare(scores, measures=["AP", "P@3"])
    for answer, panels in ((several, 2), (several.on("AP"), 1), (several[:], 2), (several.on("AP")[:], 1)):
        svg = render(answer.plot(), ".svg").decode()
        assert len(re.findall(r'class="mark-rect role-mark', svg)) == panels
        assert "NaN" not in svg
    lines = render(tg.compare(scores, measures="AP", baseline="s3").plot(), ".svg").decode()
    assert "s1 - s3" in lines


def test_a_slice_shows_itself() -> None:
    """Guards slices: some of the answers are answers too, with how they were made."""
    found = tg.compare(RUNS, GOLD, "AP")
    part = found[:2]
    assert isinstance(part, ResultList)
    assert (len(part), list(part), part.provenance) == (2, [found[0], found[1]], found.provenance)


def test_a_chart_goes_to_a_file(tmp_path: Path) -> None:
    """Guards figures of papers: one call draws and writes; an ending that is none is refused before drawing."""
    pytest.importorskip("vl_convert")
    scores = tg.evaluate(RUNS, GOLD, "AP")
    scores.plot(tmp_path / "f.pdf")
    assert (tmp_path / "f.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(TruegainError, match=r"f\.jpg: a figure is written as"):
        scores.plot(tmp_path / "f.jpg")


@pytest.mark.parametrize(("library", "ask"), [("polars", "frame"), ("altair", "plot"), ("pandas", "to_pandas")])
def test_what_is_not_installed_is_named(library: str, ask: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the plain install: where a library is missing, the error says what to run."""
    estimate = Estimate("a", "AP", 0.2, 0.1, 0.3)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(TruegainError, match=rf"this needs {library}; run: pip install"):
        getattr(estimate, ask)()


def test_all_answers_of_the_face_are_here() -> None:
    """Guards this test: what public functions and studies return is shown, unless it is data, or parts of an answer."""
    data = {tg.Intents, tg.Scoring, type(None), str, int, float, bool, tuple, dict, list, Iterator}  # of run_on
    found: set[type] = set()
    asked = [getattr(tg, n) for n in tg.__all__ if inspect.isfunction(getattr(tg, n))]
    asked += [f for name, f in inspect.getmembers(tg.Study, inspect.isfunction) if not name.startswith("_")]
    for function in asked:
        for one in (inspect.unwrap(function), *typing.get_overloads(inspect.unwrap(function))):
            hint = eval(one.__annotations__["return"], inspect.unwrap(one).__globals__)
            parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
            found |= {typing.get_origin(part) or part for part in parts if part is not None}
    odd = {f for f in found if f not in data and not issubclass(f, Result)}
    assert {f.__name__ for f in odd} == {
        "Measure",
        "VarianceModel",
        "CurrentPrecision",
        "Study",
        "PathLike",
        "JudgeRun",
    }
    assert {f for f in found if issubclass(f, Result)} <= {kind for kind, _ in ANSWERS.values()}


def test_dir_is_the_public_face() -> None:
    """Guards completion: names that are loaded late are seen, and nothing but the public names is."""
    assert dir(tg) == sorted(tg.__all__)
    assert "compare" in dir(tg)
    with pytest.raises(AttributeError):
        tg.no_such_name  # noqa: B018


def test_many_rows_are_cut() -> None:
    """Guards notebooks with 129 systems: twenty rows and how many more there are."""
    table = Table(("system",), [(f"s{i}",) for i in range(129)])
    assert len(Page(table._repr_html_()).rows) == 21
    assert "and 109 more" in table._repr_html_()
    assert repr(table) == "Table(129 rows: system)"


def test_runs_and_judgments_are_shown_as_answers_are() -> None:
    """Guards tables of millions of rows: a person sees the first twenty and how many more, programs have all."""
    runs, judged = tg.Runs.of(RUNS), tg.Judgments.of({"1": {f"d{i}": i % 3 for i in range(25)}})
    assert (len(runs.frame()), len(runs.to_pandas()), len(runs.to_dict()["rows"])) == (len(runs),) * 3
    assert runs.frame().row(0) == tuple(runs.to_dict()["rows"][0].values()) == runs.table().rows[0]
    assert len(Page(runs._repr_html_()).rows) == 21
    assert f"and {len(runs) - 20:,} more rows" in runs._repr_html_()
    assert [repr(judged), len(str(judged).splitlines())] == ["Judgments(25 labels, 1 topic)", 25]
    assert judged.frame()["label"].to_list() == [i % 3 for i in range(25)]
    assert judged.to_dict()["rows"][24] == {"topic": "1", "subtopic": "0", "doc": "d24", "label": 0.0}
    assert len(judged.paper().rows) == 25


def test_separated_values_are_read_back() -> None:
    """Guards CSV: a reader of it finds nasty names as they are, and limits and marks in columns of their own."""
    table = tg.compare(RUNS, GOLD, "AP").paper(intervals=True)
    rows = list(csv.reader(io.StringIO(table.csv())))
    assert rows[0] == ["#", "system", "AP", "AP_low", "AP_high", "AP_marks"]
    assert {row[1] for row in rows[1:]} == set(SYSTEMS)
    assert all(float(row[3]) < float(row[2]) < float(row[4]) for row in rows[1:])
