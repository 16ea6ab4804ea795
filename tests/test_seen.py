"""What a person sees of an answer: the headline, the figure, the length of it."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import truegain as tg
from tests.test_answers import GOLD, HOLED, JUDGE, RATINGS, RUNS, SYSTEMS
from tests.worlds import study
from truegain.report.figures import _labels


def test_a_plan_that_nothing_meets_says_so() -> None:
    """Guards the headline of a plan: where no number of labels is enough it does not say that the gain is found."""
    runs, _, bronze = study(1, topics=10)
    out_of_reach = tg.plan_labels(runs, bronze, "P@10", config=tg.StudyConfig(min_effect=0.01))
    assert out_of_reach.needed == {}
    said = "b - a on P@10, for topics like these: "
    said += "no number of gold labels detects a true difference of 0.01 with 80% power"
    assert (str(out_of_reach), out_of_reach.table().title) == (said, said)
    assert repr(out_of_reach) == f"Plan({said})"
    assert said in out_of_reach._repr_html_()
    assert out_of_reach.plot().to_dict()["title"]["subtitle"] == said
    met = tg.plan_labels(runs, bronze, "P@10", config=tg.StudyConfig(population="fixed", min_effect=0.3))
    assert str(met).startswith(f"{met.needed['gold labels']} gold labels: b - a on P@10, for these topics only: a true")


def test_no_pair_of_a_plan_is_forgotten() -> None:
    """Guards the headline of many pairs: it counts those that no number of labels tells apart."""
    runs, _, bronze = study(1, topics=10)
    runs["c"] = {t: dict(list(row.items())[:10]) for t, row in runs["a"].items()}  # the same to P@10
    plan = tg.plan_labels(
        runs, bronze, "P@10", config=tg.StudyConfig(gold=tg.Gold(tg.sample_gold(runs, bronze, "P@10")), min_effect=0.01)
    )
    assert "no number of gold labels detects a true difference of 0.01 with 80% power for 2 of them" in str(plan)


def _values(chart: Any) -> Any:
    made = chart.to_dict()
    return made["data"]["values"] if "values" in made.get("data", {}) else made["layer"][0]["data"]["values"]


def test_the_figure_of_judges_is_favor_with_its_limits() -> None:
    """Guards the generic figure: limits are drawn beside the number that they belong to, not the first one."""
    runs, bronze, gold = study(1)
    made = tg.judge_quality(bronze, gold=tg.Gold(gold, design="random"), runs=runs)
    drawn = {row["name"]: row for row in _values(made.plot())}
    for row in made.records():
        assert row["favor"] is not None
        assert (drawn[row["system"]]["value"], drawn[row["system"]]["low"]) == (row["favor"], row["low"])


def test_the_figure_of_a_judge_is_all_of_its_matrix() -> None:
    """Guards the heat map: every gold label with every bronze label, as Judge.fit draws it."""
    one = _values(tg.judge_quality(JUDGE, gold=tg.Gold(GOLD, design="random")).plot())
    other = _values(tg.Judge.fit(JUDGE, GOLD, design="random").plot())
    assert one == other
    assert len(one) == 4


def test_the_figure_of_assessors_is_their_number_against_the_error() -> None:
    """Guards plan_assessors: one kind of number on each axis, the error asked for among them."""
    frame = pl.DataFrame({"topic": "1", "doc": list("aabb"), "assessor": list("xyxy"), "label": [0, 2, 1, 4]})
    for plan in (tg.plan_assessors(frame, error=1.0), tg.plan_assessors(error=1.0, sigma=2.0)):
        rows = _values(plan.plot())
        assert set(rows[0]) == {"error", "assessors", "line"}
        (first, *_) = dict.fromkeys(r["line"] for r in rows)
        mine = [r for r in rows if r["line"] == first]
        above = next(r for r in mine if r["error"] >= 1.0)
        below = next(r for r in mine[::-1] if r["error"] <= 1.0)
        assert above["assessors"] <= plan.needed["assessors"] <= below["assessors"]
        assert min(r["error"] for r in mine) < 1 < max(r["error"] for r in mine)


def test_ranks_have_no_halves_and_numbers_have_room() -> None:
    """Guards the axis: ranks are whole, and no more numbers stand on it than there is room for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranks = tg.Study(RUNS, GOLD, "P@3").best().plot().to_dict()["layer"]
    axes = [layer["encoding"]["x"]["axis"] for layer in ranks]
    assert all((a["tickMinStep"], a["format"]) == (1, "d") for a in axes)
    assert all(a["tickCount"] * 60 <= 420 for a in axes)


def test_names_in_a_scatter_leave_points_free() -> None:
    """Guards the names in a crowd: they stand beside it, not on it."""
    rows = [{"system": f"system-{i}", "a": 0.4 + 0.002 * i, "b": 0.5 + 0.001 * (i % 20)} for i in range(60)]
    named = {"system-10", "system-30"}
    found = _labels(rows, named, [0.0, 1.0], [0.0, 1.0])
    for label in found:
        long = 6.5 * len(label["system"]) / 440
        begin = label["to_a"] if label["align"] == "left" else label["to_a"] - long
        over = [r for r in rows if begin < r["a"] < begin + long and abs(r["b"] - label["to_b"]) < 8 / 440]
        assert over == []


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        (
            lambda: tg.evaluate(RUNS, GOLD, "AP", scoring=tg.Scoring(relevant_from=1)),
            {"runs", "judgments", "relevant_from"},
        ),
        (
            lambda: tg.intervals(RUNS, GOLD, "P@3", resampling=tg.Resampling(n=200)),
            {"runs", "judgments", "population", "by_topic", "resamples"},
        ),
        (lambda: tg.unjudged(RUNS, HOLED, "P@3"), {"runs", "judgments", "measure", "depths"}),
        (lambda: tg.next_to_judge(RUNS, HOLED, "P@3", most=3), {"runs", "judgments", "measure", "most", "until"}),
        (
            lambda: tg.judge_quality(JUDGE, gold=tg.Gold(GOLD, design="random")),
            {"judgments", "gold", "design", "measure"},
        ),
        (lambda: tg.plan_topics(RUNS, GOLD, "P@3", min_effect=0.1), {"runs", "judgments", "min_effect", "power"}),
        (lambda: tg.plan_assessors(RATINGS, error=0.5), {"ratings", "error", "confidence"}),
        (lambda: tg.agreement(RATINGS, resamples=20), {"ratings", "resamples", "seed", "confidence"}),
        (lambda: tg.sample_gold(RUNS, JUDGE, "P@3"), {"runs", "judgments", "measure", "design"}),
        (lambda: tg.compare(RUNS, GOLD, "P@3", test="randomization"), {"runs", "judgments", "resamples", "counting"}),
        (lambda: tg.correlate(RUNS, GOLD, ["AP", "P@3"], between="measures"), {"runs", "judgments", "between"}),
        (
            lambda: tg.correct(RUNS, JUDGE, "P@3", gold=tg.Gold(GOLD, design="random")),
            {"runs", "judgments", "gold", "design"},
        ),
        (
            lambda: tg.plan_labels(RUNS, JUDGE, "P@3", config=tg.StudyConfig(min_effect=0.2)),
            {"runs", "judgments", "min_effect", "power"},
        ),
        (lambda: tg.Study(RUNS, GOLD, "P@3").compare(), {"runs", "judgments", "resamples", "population", "min_effect"}),
    ],
)
def test_an_answer_tells_with_what_it_was_made(call: Callable[[], Any], asked: set[str]) -> None:
    """Guards provenance: the version, what was given, and every argument under its own name, ready for JSON."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        provenance = call().provenance
    assert asked | {"truegain"} <= set(provenance)
    assert "trials" not in provenance
    json.dumps(dict(provenance))
    assert provenance.get("runs", "3 in a dict").startswith("3 in a dict")


def test_files_are_told_by_name(tmp_path: Path) -> None:
    """Guards provenance against folders, which are no one's business, and against lists without end."""
    for s in SYSTEMS[1:]:
        (tmp_path / f"{s}.json").write_text(json.dumps(RUNS[s]))
    (tmp_path / "gold.json").write_text(json.dumps(GOLD))
    files = [tmp_path / f"{s}.json" for s in SYSTEMS[1:]]
    provenance = tg.evaluate(files, str(tmp_path / "gold.json"), "AP").provenance
    assert (provenance["runs"], provenance["judgments"]) == ("b_m_25.json, dense.json", "gold.json")
    assert inspect.signature(tg.evaluate).parameters["runs"].annotation == "RunsLike | Items"


def test_what_there_is_none_of_is_told_shortly() -> None:
    """Guards the prompt: no empty places before commas, no thousands of characters, nothing without a word."""
    assert repr(tg.correlate(RUNS, GOLD, ["AP", "P@3"], between="measures")).startswith("Correlation(AP and P@3, 3 ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = tg.Study(RUNS, GOLD, "P@3")
        assert repr(made.estimates()[:0]) == "ResultList(none)"
        assert repr(made.variance_model()) == "VarianceModel(3 systems, over topics; Plain)"
        steps = made.next_steps("b_m_25", "dense", costs={"topic": 2})
    assert repr(steps).startswith("Steps(12 more topics (24 in total): +-")
    assert steps.table().columns == ("what", "more", "in all", "half width", "cost")
    assert [steps[0], *steps[1:]] == list(steps)
    assert "24" in steps._repr_html_()


def test_a_long_list_is_cut_where_a_person_reads_it() -> None:
    """Guards str of a gold list: its first rows and how many more there are; its table has all."""
    listed = tg.sample_gold(RUNS, JUDGE, "P@3")
    assert len(listed) > 30
    assert len(str(listed).splitlines()) < 30
    assert f"and {len(listed) - 20} more rows" in str(listed)
    assert len(listed.table().rows) == len(listed)


def test_a_wide_table_says_once_what_all_rows_share() -> None:
    """Guards notebooks: columns that say the same in every row become a note, and cells are not broken."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = tg.compare(RUNS, JUDGE, "P@3", gold=tg.Gold(GOLD, design="random"))
    shown = found._repr_html_()
    assert len(found.table().columns) > 12
    assert shown.count("<th ") <= 12
    assert "all rows: measure P@3, " in shown
    assert "white-space:nowrap" in shown


def test_a_report_gives_its_path_back(tmp_path: Path) -> None:
    """Guards write_report: what was written can be opened."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert tg.write_report(RUNS, GOLD, "P@3", tmp_path / "page.html") == tmp_path / "page.html"


def test_files_of_ranx_and_pyterrier(tmp_path: Path) -> None:
    """Guards hints: lz4 says how to save, a Parquet file of labels called scores how to read it."""
    (tmp_path / "run.lz4").write_bytes(b"\x04\x22\x4d\x18@@")
    with pytest.raises(tg.InputError, match=r"compressed with lz4.*save it as \.json"):
        tg.read_runs(tmp_path / "run.lz4")
    frame = pl.DataFrame({"q_id": ["1"], "doc_id": ["a"], "score": [1]})
    frame.write_parquet(tmp_path / "qrels.parquet")
    with pytest.raises(tg.InputError, match="columns='label=score'"):
        tg.read_judgments(tmp_path / "qrels.parquet")
    assert len(tg.read_judgments(tmp_path / "qrels.parquet", columns="label=score")) == 1
    theirs = pl.DataFrame({"name": ["x"], "qid": ["1"], "measure": ["AP"], "value": [0.5]})
    assert tg.read_scores(theirs).mean("x", "AP") == 0.5
