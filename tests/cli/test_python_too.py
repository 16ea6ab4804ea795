"""What the command line can do, Python can: the same answers by the functions of the public face."""

from __future__ import annotations

import inspect
import json
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from typer.main import get_command

import truegain as tg
from tests.cli.conftest import Run
from tests.worlds import study
from truegain.aggregation.reading import RatingReading
from truegain.cli.commands import build
from truegain.cli.output import Writing
from truegain.config import StudyConfig
from truegain.llm import Asking, JudgeCosts, JudgeSetup, Pace
from truegain.settings import settings_of

COMMON = ("llm.qrels", "a.run", "b.run")
RATED = "topic,doc,assessor,label\n" + "".join(
    f"{t},d{d},w{a},{(d + (a > 1) * t) % 3}\n" for t in range(1, 9) for d in range(6) for a in range(4)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with bronze labels, a gold sample, two runs and ratings."""
    runs, bronze, gold = study(0)
    sample = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 4 == 0} for t, row in gold.items()}
    tg.write_judgments(bronze, tmp_path / "llm.qrels")
    tg.write_judgments(sample, tmp_path / "gold.qrels")
    for name, lists in runs.items():
        tg.write_runs({name: lists}, tmp_path / f"{name}.run")
    (tmp_path / "ratings.csv").write_text(RATED)
    (tmp_path / "experts.qrels").write_text("".join(f"{t} 0 d{d} {d % 3}\n" for t in range(1, 9) for d in range(6)))
    return tmp_path


def rows(run: Run, *words: str) -> list[dict[str, Any]]:
    """The rows that a command writes as JSON."""
    code, out, err = run(*words, "--format", "json")
    assert code == 0, err
    found: list[dict[str, Any]] = json.loads(out)["rows"]
    return found


def said(found: tg.Scores | Any) -> list[dict[str, Any]]:
    """The rows of an answer, as JSON has them."""
    table = found.table() if not hasattr(found, "records") else found
    whole: list[dict[str, Any]] = json.loads(json.dumps(table.to_dict()["rows"]))
    return whole


def test_judges(run: Run, folder: Path) -> None:
    """Guards `tg.judge_quality`: by label, topic and system, each assessor of ratings, or what a rule makes of them."""
    bronze, gold = str(folder / "llm.qrels"), str(folder / "gold.qrels")
    files = [str(folder / "a.run"), str(folder / "b.run")]
    words = ("judge", "check", "llm.qrels", "--gold", "gold.qrels", "--design", "random")
    assert rows(run, *words) == said(tg.judge_quality(bronze, gold=tg.Gold(gold, design="random")))
    assert rows(run, *words, "--show", "topics") == said(
        tg.judge_quality(bronze, gold=tg.Gold(gold, design="random"), show="topics")
    )
    by_system = tg.judge_quality(
        bronze, gold=tg.Gold(gold, design="random"), runs=files, resampling=tg.Resampling(n=200, seed=3)
    )
    assert rows(run, *words, "a.run", "b.run", "--resamples", "200", "--seed", "3") == said(by_system)
    rated, experts = str(folder / "ratings.csv"), str(folder / "experts.qrels")
    words = ("judge", "check", "ratings.csv", "--gold", "experts.qrels", "--design", "random")
    found = tg.judge_quality(rated, gold=tg.Gold(experts, design="random"))
    assert rows(run, *words) == said(found)
    assert found.columns[0] == "assessor"
    of_all = tg.judge_quality(rated, gold=tg.Gold(experts, design="random"), aggregate="majority", scale="0:2")
    assert rows(run, *words, "--aggregate", "majority", "--scale", "0:2") == said(of_all)
    assert "the majority of its ratings" in of_all.notes[0]
    with pytest.raises(tg.TruegainError, match="show='assessors' rates each"):
        tg.judge_quality(rated, gold=experts, show="assessors", aggregate="mean")
    with pytest.raises(tg.TruegainError, match="not on the scale 0, 1"):
        tg.judge_quality(rated, gold=experts, scale=[0, 1])


@pytest.mark.slow
def test_compare_over_collections(run: Run, folder: Path) -> None:
    """Guards `compare` over collections: means, several measures, meta-analysis, a baseline; and refusals."""
    runs, qrels = [str(folder / "a.run"), str(folder / "b.run")], str(folder / "llm.qrels")
    words = ("compare", *COMMON, "--population", "collection", "--resamples", "200", "--seed", "1")
    shown: list[tuple[tuple[str, ...], dict[str, Any]]] = [
        (("-m", "AP", "-m", "P@5"), {"measures": ["AP", "P@5"]}),
        (
            ("--meta", "random", "--effect", "logit"),
            {"measures": "AP", "test": tg.PublishedTest(meta="random", effect="logit")},
        ),
        (
            ("--pairing", "independent", "-l", "1"),
            {"measures": "AP", "test": tg.PublishedTest(pairing="independent"), "scoring": tg.Scoring(relevant_from=1)},
        ),
        (("--baseline", "b"), {"measures": "AP", "baseline": "b"}),
    ]
    for more, options in shown:
        found = tg.compare(runs, qrels, **options, population="collection", resampling=tg.Resampling(n=200, seed=1))
        kept = [{n: x for n, x in row.items() if n != "confidence"} for row in said(found)]
        assert rows(run, *words, *more) == kept
    assert found.between("a", "b").difference == -found.between("b", "a").difference
    for options, why in (
        ({"gold": qrels}, "gold does not apply over collections"),
        ({"test": "sign"}, "test: does not apply"),
        ({"scoring": tg.Scoring(depth=3)}, "depth: does not apply"),
        ({"test": tg.PublishedTest(meta=cast("Any", "some"))}, "meta 'some'"),
        ({"test": tg.PublishedTest(effect="logit")}, "is for meta-analysis"),
        ({"baseline": "c"}, "baseline 'c' is not a system here"),
        ({"population": "assessors"}, "population 'assessors'"),
    ):
        words_: dict[str, Any] = {"population": "collection", "resampling": tg.Resampling(n=100), **options}
        with pytest.raises(tg.TruegainError, match=why):
            tg.compare(runs, qrels, "AP", **words_)
    with pytest.raises(tg.TruegainError, match="give the runs, the judgments and a measure"):
        tg.compare(tg.evaluate(runs, qrels, "AP"), population="collection")


def test_plans(run: Run, folder: Path) -> None:
    """Guards `tg.plan_topics`, of runs as of scores, and `tg.plan_assessors`, of ratings or with sigma."""
    runs, qrels = [str(folder / "a.run"), str(folder / "b.run")], str(folder / "llm.qrels")
    wanted = rows(run, "plan", "topics", *COMMON, "--min-effect", "0.1", "-m", "P@5", "--confidence", "0.9", "-l", "1")
    found = tg.plan_topics(runs, qrels, "P@5", min_effect=0.1, confidence=0.9, scoring=tg.Scoring(relevant_from=1))
    of_scores = tg.plan_topics(tg.evaluate(runs, qrels, ["AP", "P@5"]), measure="P@5", min_effect=0.1, confidence=0.9)
    assert wanted == said(found) == said(of_scores)
    wanted = rows(run, "plan", "assessors", "ratings.csv", "--error", "0.5", "-q")
    assert wanted == said(tg.plan_assessors(str(folder / "ratings.csv"), error=0.5, by_topic=True))
    wanted = rows(run, "plan", "assessors", "--sigma", "2", "--error", "0.5")
    assert wanted == said(tg.plan_assessors(sigma=2, error=0.5))
    for options, why in (
        ({}, "give ratings, from which to estimate sigma"),
        ({"sigma": 1, "by_topic": True}, "apply to ratings"),
        ({"sigma": 1, "ratings": str(folder / "ratings.csv")}, "give ratings, from which to estimate sigma"),
    ):
        with pytest.raises(tg.TruegainError, match=why):
            tg.plan_assessors(error=1, **options)


# a command: the functions that do the same in Python, and the options that neither they nor a config have
SAME: dict[str, tuple[tuple[Any, ...], set[str]]] = {
    "eval": ((tg.evaluate, tg.intervals, tg.aggregate), {"intervals"}),  # a function of its own
    "correct": ((tg.correct,), set()),
    "judge check": ((tg.judge_quality,), set()),
    "judge run": ((tg.run_judge, Asking, JudgeCosts, JudgeSetup, Pace), {"batch", "collect", "dry_run"}),  # its methods
    "compare": (  # corpora are of the scores that `compare` takes, teams of `truegain.data.teams`
        (tg.compare, tg.PublishedTest), {"corpus", "judged_corpus", "teams", "best_of_team"}
    ),
    "verdict": ((tg.Study, tg.Study.verdict), {"baseline", "candidate", "pair", "study"}),  # a and b; `read_study`
    "gate": ((tg.Study, tg.Study.verdict), {"baseline", "candidate"}),
    "report": ((tg.write_report,), {"cache", "candidate", "truth"}),
    "correlate": ((tg.correlate,), {"corpus", "judged_corpus"}),
    "agree": ((tg.agreement,), set()),
    "aggregate": ((tg.aggregate,), {"expert", "units"}),  # of the magnitudes' experiment
    "unjudged": (
        (tg.unjudged, tg.next_to_judge, tg.sample_unjudged), {"at", "fill", "pool_depth", "pooled", "share", "teams"}
    ),
    "plan topics": ((tg.plan_topics,), {"corpus", "judged_corpus"}),
    "plan labels": ((tg.plan_labels, tg.sample_gold), set()),
    "plan assessors": ((tg.plan_assessors,), set()),
}  # fmt: skip
CONFIGURED = {option.name for option in settings_of(StudyConfig)} | {f.name for f in fields(RatingReading)}
READ = {
    "columns",
    "missing",
    "values",
    "memory",
    "run_on",
    "score",
    "less_is_better",  # a scale of read_items
    "cluster",
    "empty",  # a parameter of measures of nuggets
    "name_by",
    "judge_model",
    "system_models",
}  # with the files
SHOWN = {f.name for f in fields(Writing)} | {  # by the result, or by the shell
    "format", "output", "figure", "help", "show", "by_topic", "sort", "no_summary", "pairs", "groups", "with_intervals",
    "moves", "table", "chart", "questions", "docs", "key",
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_arguments_have_the_names_of_options(name: str) -> None:
    """Guards one name for one thing: an option is an argument of the function (or its plural), or of a config."""
    functions, elsewhere = SAME[name]
    command: Any = get_command(build(name.split()[0]))
    for word in name.split():
        command = command.commands[word]
    options = {max(p.opts, key=len).lstrip("-").replace("-", "_") for p in command.params if p.opts[0].startswith("-")}
    arguments = {argument for function in functions for argument in inspect.signature(function).parameters}
    missing = {option for option in options if not {option, f"{option}s"} & arguments}
    assert missing - CONFIGURED - READ - SHOWN == elsewhere


def test_plans_say_what_the_command_says(run: Run, folder: Path) -> None:
    """Guards criterion and approximate of `tg.plan_topics`, and scale and earlier of `tg.sample_gold`."""
    runs, qrels = [str(folder / "a.run"), str(folder / "b.run")], str(folder / "llm.qrels")
    for criterion in ("paired-t", "anova", "width"):
        words = (
            "plan",
            "topics",
            *COMMON,
            *["--min-effect", "0.1", "-m", "P@5", "--approximate", "--criterion"],
            criterion,
        )
        found = tg.plan_topics(runs, qrels, "P@5", min_effect=0.1, criterion=criterion, approximate=True)
        assert rows(run, *words) == said(found)
    assert run("plan", "labels", *COMMON, "-m", "P@5", "--scale", "0:3", "-o", "list.csv")[0] == 0
    listed = tg.sample_gold(runs, qrels, "P@5", scale="0:3")
    written = tg.read_gold_list(folder / "list.csv")
    assert (written.docs, written.size.tolist(), written.scale) == (listed.docs, listed.size.tolist(), (0, 3))
    by_errors = tg.sample_gold(runs, qrels, "P@5", scale=(0, 3), earlier={0.0: 0.1, 1.0: 0.5})
    assert by_errors.scale == listed.scale
    assert by_errors.size.tolist() != listed.size.tolist()


@pytest.mark.slow
def test_correct_with_a_rule_and_by_assessor(run: Run, folder: Path) -> None:
    """Guards `tg.correct(rule=, by_assessor=, scale=)`: the command's numbers and notes, and its refusals."""
    runs, gold = [str(folder / "a.run"), str(folder / "b.run")], str(folder / "gold.qrels")
    labels = [line.split() for line in (folder / "llm.qrels").read_text().splitlines()]
    head = "topic,doc,assessor,label\n"
    several = [f"{t},{d},{who},{1 if who == 'spam' else x}\n" for t, _, d, x in labels for who in ("x", "y", "spam")]
    (folder / "several.csv").write_text(head + "".join(several))
    halves = [f"{t},{d},{'xy'[int(t) % 2]},{x}\n" for t, _, d, x in labels]
    (folder / "halves.csv").write_text(head + "".join(halves))
    words = ("a.run", "b.run", "--gold", "gold.qrels", "--design", "by-gold", "-m", "P@5", "-m", "P@10")
    options: dict[str, Any] = {"gold": tg.Gold(gold, design="by-gold")}
    asked: list[tuple[tuple[str, ...], dict[str, Any]]] = [
        (("several.csv", "--aggregate", "majority"), {"ratings": "majority"}),
        (("halves.csv", "--accuracy", "assessor"), {"accuracy": "assessor"}),
        (("halves.csv", "--scale", "0:1"), {"ratings": tg.Ratings(scale="0:1")}),
    ]
    for more, said_so in asked:
        found = tg.correct(runs, str(folder / more[0]), ["P@5", "P@10"], **options, **said_so)
        code, out, err = run("correct", more[0], *words, *more[1:], "--format", "json")
        assert code == 0, err
        whole = json.loads(out)
        assert (whole["rows"], whole["notes"]) == (said(found), list(found.table().notes))
    judge = tg.Judge.fit(str(folder / "llm.qrels"), gold, "by-gold")
    refused: list[tuple[dict[str, Any], str]] = [
        ({"ratings": "majority", "accuracy": "assessor"}, "aggregate= makes one judge of all assessors"),
        ({"method": "fieller", "accuracy": "assessor"}, "method='fieller' is for one judge"),
        ({"gold": judge, "accuracy": "assessor"}, "gold= is fitted; give the gold labels"),
        ({"ratings": tg.Ratings(scale=cast("Any", [0, 3]))}, "not on the scale 0, 3"),
    ]
    for said_so, why in refused:
        with pytest.raises(tg.TruegainError, match=why):
            tg.correct(runs, str(folder / "halves.csv"), "P@5", **{**options, **said_so})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_correlate_shows_what_the_command_shows(run: Run, folder: Path) -> None:
    """Guards `tg.correlate(...).showing(show, moves)`: table, frame and text are those of the command."""
    rng, labels = np.random.default_rng(4), study(0)[1]
    for n in range(5):
        skilled = {t: {d: float(n * x / 4 + rng.normal()) for d, x in row.items()} for t, row in labels.items()}
        tg.write_runs({f"c{n}": skilled}, folder / f"c{n}.run")
    flipped = {t: {d: int(x if rng.random() < 0.7 else 1 - x) for d, x in row.items()} for t, row in labels.items()}
    tg.write_judgments(flipped, folder / "other.qrels")
    names = [f"c{n}.run" for n in range(5)]
    runs, one, other = [str(folder / n) for n in names], str(folder / "llm.qrels"), str(folder / "other.qrels")
    both = ("correlate", "llm.qrels", "other.qrels", *names, "-m", "P@5", "--moves", "2")
    for show in (None, "agreement", "moves"):
        words = both if show is None else (*both, "--show", show)
        found = tg.correlate(runs, one, "P@5", against=other).showing(show, 2)
        assert rows(run, *words) == said(found) == json.loads(json.dumps(found.frame().to_dicts()))
        assert " ".join(run(*words)[1].split()) == " ".join(str(found).split())
    halved = ("correlate", "llm.qrels", *names, "-m", "P@5", "--between", "halves", "--show", "swap-rates")
    found = tg.correlate(runs, one, "P@5", between="halves").showing("swap-rates")
    assert rows(run, *halved) == said(found)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"between": "halves", "show": "moves"}, "no single rank change to show; leave out show='moves'"),
        ({"against": other, "show": "swap-rates"}, "swap rates are of halves; give between='halves'"),
        ({"against": other, "show": "all"}, "show 'all' is not known"),
        ({"against": other, "moves": -1}, "moves -1: give a whole number"),
    ]
    for options, why in refused:
        shown = {name: options.pop(name) for name in ("show", "moves") if name in options}
        with pytest.raises(tg.TruegainError, match=why):
            tg.correlate(runs, one, "P@5", **options).showing(**shown)


def test_report(run: Run, folder: Path) -> None:
    """Guards `tg.write_report`: the page of the command but for how it was made, warnings told and kept, refusals."""
    runs, qrels = [str(folder / "a.run"), str(folder / "b.run")], str(folder / "llm.qrels")
    words = ("--gold", "gold.qrels", "--design", "random", "-m", "P@10", "--pair", "b,a", "--title", "x")
    assert run("report", *COMMON, *words, "-o", "page.html")[0] == 0
    path, gold = folder / "python.html", str(folder / "gold.qrels")
    tg.write_report(
        runs,
        qrels,
        "P@10",
        path,
        pairs=[("b", "a")],
        title="x",
        config=tg.StudyConfig(gold=tg.Gold(gold, design="random")),
    )

    def numbers(file: Path) -> dict[str, Any]:
        text = file.read_text().partition('id="truegain-data"')[2].partition(">")[2].partition("</script>")[0]
        parts: dict[str, Any] = json.loads(text, object_hook=lambda d: {k: d[k] for k in d if k != "provenance"})[
            "sections"
        ]
        return {name: part for name, part in parts.items() if name != "made"}

    assert numbers(path) == numbers(folder / "page.html")
    with pytest.raises(tg.TruegainError, match=r"end its name in \.html"):
        tg.write_report(runs, qrels, "P@10", folder / "page.txt")
    with pytest.raises(tg.TruegainError, match="there is 1"):
        tg.write_report(runs[0], qrels, "P@10", folder / "one.html")
    assert not (folder / "one.html").exists()
    lacking = {t: row for t, row in study(0)[0]["a"].items() if t != "3"}
    with pytest.warns(tg.DataWarning, match="lack") as caught:
        tg.write_report({"a": lacking, "b": study(0)[0]["b"]}, qrels, "P@10", folder / "lack.html")
    assert {w.filename for w in caught} == {__file__}
    tg.write_report(tg.read_runs(runs, name_by="tag"), qrels, "P@10", folder / "tags.html")


def test_measures_and_lists(run: Run) -> None:
    """Guards `tg.list_measures`: every measure that the command lists, with the same words."""
    code, out, _ = run("measures")
    assert code == 0
    for row in tg.list_measures().records():
        assert any(line.startswith(f"{row['measure']} ") and line.endswith(str(row["what it is"])) for line in
                   out.splitlines())  # fmt: skip
