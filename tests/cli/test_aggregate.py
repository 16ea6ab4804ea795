"""`truegain aggregate`, and `truegain eval` on ratings, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.cli.conftest import Run
from truegain.aggregation.magnitudes import normalized
from truegain.data.judgments import Judgments
from truegain.experiments.magnitude_units import Units, read_magnitudes
from truegain.experiments.worlds import magnitude_ratings
from truegain.measures.catalogue import parse_measures
from truegain.measures.scoring import measures_for_gains

ITEMS = {"a": (2, 2, 2, 2, 2), "b": (1, 1, 2, 3, 3), "c": (0, 0, 0, 0, 1), "d": (0, 0, 0, 0, 0)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with ratings, magnitudes and a run."""
    rows = [f"1,{doc},w{k},{v}" for doc, item in ITEMS.items() for k, v in enumerate(item)]
    (tmp_path / "ratings.csv").write_text("\n".join(["topic,doc,assessor,label", *rows, ""]))
    (tmp_path / "magnitudes.csv").write_text("topic,doc,assessor,label\n1,a,x,1\n1,b,x,1/2\n1,a,y,40\n1,b,y,10\n")
    (tmp_path / "s.run").write_text("1 Q0 b 1 3 s\n1 Q0 a 2 2 s\n1 Q0 d 3 1 s\n")
    return tmp_path


def test_unanimity_to_a_qrels_file(run: Run) -> None:
    """Guards the command of the issue: gains of table 1 in a file that evaluates."""
    code, out, err = run(
        "aggregate", "ratings.csv", "--aggregate", "unanimity(p=0.2)", "--scale", "0:3", "-o", "g.qrels"
    )
    assert (code, out) == (0, "")
    assert "TREC qrels cannot say that these labels are gains" in err
    assert Path("g.qrels").read_text() == "1 0 a 13\n1 0 b 11\n1 0 c 3\n1 0 d 0\n"


def test_magnitudes(run: Run) -> None:
    """Guards the command for magnitudes, fractions included: ratios 2 and 4, whose median is 3 of equal centers."""
    code, out, _ = run("aggregate", "magnitudes.csv", "--normalize", "geometric", "--aggregate", "geometric")
    found = {line.split()[2]: float(line.split()[3]) for line in out.splitlines()}
    assert code == 0
    assert found["a"] / found["b"] == pytest.approx(8**0.5)


def test_eval_on_ratings(run: Run) -> None:
    """Guards the way from ratings to scores: the same as gains first, then direct-gain measures."""
    options = ["--aggregate", "unanimity", "--scale", "0:3"]
    wanted = ["-m", "nG@1", "-m", "P+", "-m", "nERR@10"]
    code, out, _ = run("eval", "ratings.csv", "s.run", *options, *wanted, "--format", "jsonl")
    assert code == 0
    found = {row["measure"].partition("(")[0]: row["value"] for row in map(json.loads, out.splitlines())}
    stop = {"a": 13 / 14, "b": 11 / 14, "c": 3 / 14}
    err = stop["b"] + (1 - stop["b"]) * stop["a"] / 2
    best = stop["a"] + (1 - stop["a"]) * (stop["b"] / 2 + (1 - stop["b"]) * stop["c"] / 3)
    assert found["nG@1"] == pytest.approx(11 / 13)
    assert found["P+"] == pytest.approx(((1 + 11) / (1 + 13) + (2 + 24) / (2 + 24)) / 2)
    assert found["nERR"] == pytest.approx(err / best)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
@pytest.mark.parametrize("rule", ["mean", "majority"])
def test_scores_do_not_depend_on_the_route(run: Run, folder: Path, ending: str, rule: str) -> None:
    """Guards gains that go through a file or through Python: nERR and the like as `eval --aggregate` has them.

    Whole numbers too: a rule's gains are no levels of a known scale even where they look like some.
    """
    wanted = ["-m", "nERR@10", "-m", "ERR@10", "-m", "EBR", "-m", "iRBU", "-m", "nDCG@10"]
    shown = [*wanted, "--format", "csv"]
    code, direct, _ = run("eval", "ratings.csv", "s.run", "--aggregate", rule, *shown)
    assert code == 0
    assert "nERR(max_rel='topic',rule='gain')@10" in direct
    code, _, err = run("aggregate", "ratings.csv", "--aggregate", rule, "-o", f"g.{ending}")
    assert (code, err) == (0, "")
    assert run("eval", f"g.{ending}", "s.run", *shown) == (0, direct, "")
    gains = tg.aggregate(str(folder / "ratings.csv"), rule)
    for given in (gains, gains.frame(), gains.take(np.arange(len(gains)))):
        scores = tg.evaluate(str(folder / "s.run"), given, wanted[1::2])
        assert [f"{v:.10f}" for v in scores.means().values()] == [
            f"{float(line.split(',')[-1]):.10f}" for line in direct.splitlines()[1:]
        ]
    over = tg.intervals(
        str(folder / "s.run"), gains, "nERR@10", population="collection", resampling=tg.Resampling(n=50)
    )
    assert over[0].measure == "nERR(max_rel='topic',rule='gain')@10"


def test_where_a_route_cannot_tell_it_says_so(run: Run, folder: Path) -> None:
    """Guards TREC lines: writing gains warns, reading fractions as levels warns, and what is written out is obeyed."""
    _, _, err = run("aggregate", "ratings.csv", "--aggregate", "mean", "-o", "g.qrels")
    assert "TREC qrels cannot say that these labels are gains" in err
    _, direct, _ = run("eval", "ratings.csv", "s.run", "--aggregate", "mean", "-m", "nERR@10", "--format", "csv")
    code, out, err = run("eval", "g.qrels", "s.run", "-m", "nERR@10", "-m", "nDCG@10", "--format", "csv")
    assert code == 0
    assert err == (
        "warning: 1 of 4 labels are not whole numbers, and nERR@10 takes them as levels; if they are gains, name their "
        "column 'gain', or write max_rel='topic',rule='gain'\n"
    )
    exact = ["-m", "nERR(max_rel='topic',rule='gain')@10", "--format", "csv"]
    assert run("eval", "g.qrels", "s.run", *exact) == (0, direct, "")
    _, out, err = run("eval", "g.qrels", "s.run", "-m", "nDCG@10", "--format", "csv")
    assert err == ""
    (folder / "levels.csv").write_text("topic,doc,label\n1,a,3\n1,b,1\n")
    _, out, err = run("eval", "levels.csv", "s.run", "-m", "nERR@10", "--format", "csv")
    assert (err, "max_rel" in out) == ("", False)
    (folder / "people.csv").write_text("topic,doc,assessor,gain\n1,a,x,3\n1,b,x,1\n")
    assert [tg.read_judgments(folder / f).are_gains for f in ("people.csv", "levels.csv")] == [False, False]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["aggregate", "ratings.csv", "--aggregate", "unanimty(p=0.1)"],
            "no rule 'unanimty'; did you mean unanimity? ",
        ),
        (["aggregate", "ratings.csv", "--aggregate", "unanimity(q=1)"], "has no parameter q; it has spread, trim, p"),
        (["aggregate", "ratings.csv", "--aggregate", "unanimity(p=x)"], "unanimity: p is 'x'; give a number"),
        (["aggregate", "ratings.csv", "--aggregate", "mace(n_iter=1.5)"], "n_iter is '1.5'; give a whole number"),
        (
            ["aggregate", "ratings.csv", "--aggregate", "mace(seed=1)"],
            "mace has no parameter seed; it has take, n_iter",
        ),
        (["aggregate", "ratings.csv", "--aggregate", "unanimity", "--scale", "0:2"], "3 (line"),
        (["aggregate", "ratings.csv", "--aggregate", "sum", "--values", "x"], "is not name=value"),
        (["aggregate", "ratings.csv", "--aggregate", "sum", "--values", "x=y"], "is not a number"),
        (["aggregate", "ratings.csv", "--aggregate", "unanimity"], "as in --scale 0:3"),
        (["aggregate", "ratings.csv", "--aggregate", "WG", "--scale", "ordinal"], "as in --scale 0:3"),
        (["aggregate", "ratings.csv", "--aggregate", "geometric"], "ratings.csv:12: 9 of 20 ratings are not above 0"),
        (["aggregate", "ratings.csv", "--units", "top3"], "needs --expert"),
        (
            ["eval", "ratings.csv", "s.run", "--scale", "0:3"],
            "--scale: this applies to ratings; choose how they become labels",
        ),
        (["eval", "ratings.csv", "s.run", "--repeated", "last", "--values", "a=1"], "--repeated: this applies"),
        (["eval", "ratings.csv", "s.run"], "these are ratings (combine them into one label a document"),
        (
            ["eval", "ratings.csv", "s.run", "-m", "nG@1"],
            "by mean, majority or another rule: --aggregate mean (of eval, verdict and others)",
        ),
    ],
)
def test_mistakes_end_with_2(run: Run, words: list[str], said: str) -> None:
    """Guards exit code and message."""
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err


def test_units_write_the_gains_of_the_experiment(run: Run, folder: Path) -> None:
    """Guards --units: normalized geometrically without being asked, as the experiment ranks; raw where asked for."""
    world = magnitude_ratings(topics=3, docs=20, workers=6, seed=1)
    expert, table = Judgments.of(world.expert), read_magnitudes(world.ratings)
    tg.write_judgments(world.ratings, folder / "m.csv")
    tg.write_judgments(world.expert, folder / "expert.qrels")
    found = {}
    for how in ("", "geometric", "none"):
        words = ["--normalize", how] if how else []
        code, out, _ = run("aggregate", "m.csv", "--units", "top3", "--expert", "expert.qrels", *words, "-o", "g.csv")
        assert (code, out) == (0, "")
        found[how] = tg.read_judgments(folder / "g.csv").label
        rows = normalized(table, how or "geometric").take(Units.of(table, expert).rows("top3"))
        assert found[how] == pytest.approx(tg.aggregate(rows, "median").label, rel=1e-12)
    assert found[""].tolist() == found["geometric"].tolist() != found["none"].tolist()


def test_a_majority_of_one_is_told(run: Run) -> None:
    """Guards --aggregate majority on numbers of which no two are equal: every gain would be a tie settled by rank."""
    said = "no two ratings of a document are equal (2 documents, 4 ratings)"
    code, _, err = run("aggregate", "magnitudes.csv", "--aggregate", "majority", "--normalize", "geometric")
    assert code == 0
    assert said in err
    code, _, err = run("aggregate", "ratings.csv", "--aggregate", "majority", "-o", "g.csv")
    assert (code, err) == (0, "")


def test_eval_reads_ratings_as_every_command(run: Run, folder: Path) -> None:
    """Guards the options of reading and a rule's parameters on `eval --aggregate`: scores of the gains they make."""
    (folder / "w.csv").write_text(
        "query,part,doc,ann,bob,year\n1,f,a,yes,no,2001\n1,f,b,yes,yes,1999\n1,f,c,no,7,1999\n"
    )
    (folder / "w.run").write_text("1-f Q0 a 1 3 s\n1-f Q0 b 2 2 s\n")
    how = [
        "--columns",
        "topic=query+part",
        "--assessors",
        "ann,bob",
        "--values",
        "yes=1,no=0",
        "--out-of-range",
        "drop",
    ]
    how += ["--aggregate", "unanimity(p=0.5,spread=sd)", "--scale", "0:1"]
    code, out, err = run("eval", "w.csv", "w.run", *how, "-m", "nG@1", "--format", "csv")
    assert code == 0
    assert err == "warning: 1 of 6 ratings lie outside the scale 0:1 and are dropped\n"
    assert float(out.splitlines()[1].split(",")[-1]) == pytest.approx(1 / 3)  # UG of a 1 + 0, of b 2 + 0.5 * 2 * 1


def test_tolerance_of_a_fit(run: Run) -> None:
    """Guards a parameter of rules that fit: a looser one ends sooner, others have none."""
    steps = []
    for tolerance in ("0.1", "1e-8"):
        code, _, err = run("aggregate", "ratings.csv", "--aggregate", f"dawid-skene(tolerance={tolerance})")
        assert code == 0
        steps.append(int(err.split("converged after ")[1].split()[0]))
    assert steps[0] < steps[1]
    code, _, err = run("eval", "ratings.csv", "s.run", "--aggregate", "dawid-skene(tolerance=2)", "-m", "nDCG")
    assert code == 2
    assert "the rule dawid-skene: tolerance 2 must lie between 0 and 1, such as 0.0001" in err
    code, _, err = run("aggregate", "ratings.csv", "--aggregate", "mean(tolerance=0.1)")
    assert code == 2
    assert "the rule mean has no parameter" in err


@pytest.mark.parametrize("cutoff", [5, 10, 20])
@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_direct_gains_as_ntcireval(conformance: Any, cutoff: int) -> None:
    """Guards direct-gain mode from rule to measure: sums weighted by intent, as the real tool scores them.

    An intent is an assessor whose ratings weigh its probability; the sum rule then gives NTCIREVAL's global gain.
    """
    names = {"P-plus": "P+", "Q-measure": "Q", **{f"{m}@{cutoff:04}": f"{m}@{cutoff}" for m in ("nERR", "ERR")}}
    compared = 0
    for case in conformance("ntcireval")["diversity"]:
        rows = [("1", doc, str(intent), float(label)) for intent, doc, label in case["qrels"]]
        frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
        weights = [case["intent_prob"][intent] for _, _, intent, _ in rows]
        gains = tg.aggregate(tg.read_ratings(frame), "sum", weights=weights)
        run = {"1": {doc: float(-rank) for rank, doc in enumerate(case["res"])}}
        measures = [a.measure for a in measures_for_gains(parse_measures(list(names.values())))]
        if not {doc for _, doc, _ in case["qrels"]} & set(case["res"][:cutoff]):  # theirs is 0
            with pytest.raises(tg.InputError, match="is judged"):
                tg.evaluate(run, gains, measures, scoring=tg.Scoring(depth=cutoff))
            compared += len(names)
            continue
        found = tg.evaluate(run, gains, measures, scoring=tg.Scoring(depth=cutoff)).means()
        for theirs, value in zip(names, found.values(), strict=True):
            assert value == pytest.approx(case["expected"][str(cutoff)]["D"][theirs], abs=1e-9), (case["id"], theirs)
            compared += 1
    assert compared == 80
