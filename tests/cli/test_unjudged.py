"""Predicted labels corrected by a sample of unjudged documents: unjudged, plan fill, eval, verdict."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.worlds import there

RUNS = ("runs",)
DRAW = ("unjudged", "pool.qrels", *RUNS, "-m", "P@5", "--show", "sample", "--fill", "predicted")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three runs, what a shallow pool judged of them, and all labels."""
    rng = np.random.default_rng(3)
    labels = {f"t{t:02}": {f"d{i:02}": int(x) for i, x in enumerate(rng.random(25) < 0.35)} for t in range(20)}
    runs = {
        s: {t: {d: float(rng.normal() + skill * g) for d, g in row.items()} for t, row in labels.items()}
        for s, skill in (("weak", 0.5), ("good", 1.0), ("new", 1.0))
    }
    judged = {t: {d for s in runs for d in sorted(runs[s][t], key=lambda d: -runs[s][t][d])[:2]} for t in labels}
    tg.write_judgments(labels, tmp_path / "all.qrels")
    tg.write_judgments({t: {d: labels[t][d] for d in docs} for t, docs in judged.items()}, tmp_path / "pool.qrels")
    tg.write_runs(runs, f"{tmp_path}/runs/")
    return tmp_path


def test_from_a_pool_to_scores_and_a_verdict(run: Run, folder: Path) -> None:
    """Guards the road: draw, fill in, scores with intervals over topics or for these, a verdict, all near the truth."""
    code, out, err = run(*DRAW, "-o", "sample.csv")
    assert (code, err) == (0, "")
    assert "fill in `label` from the top and stop anywhere" in out
    code, out, _ = run("plan", "fill", "sample.csv", "all.qrels", "--rows", "60", "-o", "judged.csv")
    assert (code, out.startswith("60 of ")) == (0, True)
    words = ("pool.qrels", *RUNS, "-m", "P@5", "--unjudged-sample", "judged.csv")
    code, out, err = run("eval", *words, "--format", "json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    code, out, _ = run("eval", *words, "--intervals", "fixed", "--sort", "P@5")
    assert code == 0
    assert "For these 20 topics only, by a random sample of 60 of the " in out
    rows = {line.split()[0]: line.split() for line in out.splitlines() if " P@5 " in line}
    assert [float(rows[s][2]) for s in rows] == sorted((float(r[2]) for r in rows.values()), reverse=True)
    whole = tg.evaluate(f"{folder}/runs", f"{folder}/all.qrels", "P@5")
    for s, row in rows.items():
        assert float(row[3]) < there(whole.mean(s)) < float(row[4])
    assert {r["system"] for r in told["rows"]} == set(rows)
    assert all(r["population"] == "topics, unjudged" for r in told["rows"])
    code, out, _ = run("verdict", *words, "--pair", "weak,good", "--population", "fixed")
    assert code == 0
    assert "for these 20 topics only, by a random sample of 60 of the " in out.splitlines()[0]
    both = [
        tg.Study(
            f"{folder}/runs",
            f"{folder}/pool.qrels",
            "P@5",
            unjudged=tg.UnjudgedSample(f"{folder}/judged.csv", predicted=True),
        )
    ]
    found = {e.system: e.value for e in both[0].estimates()}
    assert {r["system"]: r["value"] for r in told["rows"]} == pytest.approx(found)


def test_a_list_for_a_pair_on_its_own_scale(run: Run, folder: Path) -> None:
    """Guards --pair, --scale and --seed of the draw: fewer rows, the scale in the file, another order."""
    run(*DRAW, "-o", "all.csv")
    code, _, err = run(*DRAW, "--pair", "weak,good", "--scale", "0:3", "--seed", "4", "-o", "two.csv")
    assert (code, err) == (0, "")
    whole, two = (rows_of(folder / n) for n in ("all.csv", "two.csv"))
    assert 0 < len(two) < len(whole)
    assert {row["scale"] for row in two} == {"0 to 3"}
    assert {row["design"] for row in rows_of(folder / "all.key.csv")} == {"unjudged"}


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV."""
    return list(csv.DictReader(path.read_text().splitlines()))


def edited(row: int, **cells: str) -> Callable[[list[dict[str, str]]], None]:
    """An editor of cells of a row."""
    return lambda rows: rows[row].update(cells)


@pytest.mark.few(6)
@pytest.mark.parametrize(
    ("name", "edit", "said"),
    [
        ("judged.csv", edited(3, label=""), "order 4 (topic"),
        ("judged.csv", edited(5, label="7"), "is not on the scale 0 to 1"),
        ("judged.csv", edited(5, doc="other"), "in the key, and other here"),
        ("judged.csv", edited(5, order="9"), "order 9 is "),
        ("judged.csv", edited(2, label="yes"), "label is not a number"),
        ("judged.key.csv", edited(5, probability="0.5"), "do not match each other and the other rows"),
        ("judged.key.csv", edited(5, doc="other"), "its digest does not match"),
        ("judged.key.csv", edited(5, order="9"), "order 9 where 6 is expected"),
        ("judged.key.csv", lambda rows: rows.pop(), "do not match each other and the other rows"),
    ],
)
def test_a_sample_that_was_changed_is_refused(
    run: Run, folder: Path, name: str, edit: Callable[[list[dict[str, str]]], None], said: str
) -> None:
    """Guards both files: a gap, chances, a label, a name, an order or a row that was changed ends with 2 and a line."""
    run(*DRAW, "-o", "sample.csv")
    run("plan", "fill", "sample.csv", "all.qrels", "--rows", "40", "-o", "judged.csv")
    rows = rows_of(folder / name)
    edit(rows)
    with (folder / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    for command, filling in (("eval", ("--fill", "predicted")), ("verdict", ("--predicted",))):
        words = ("-m", "P@5", *filling, "--unjudged-sample", "judged.csv")
        code, out, err = run(command, "pool.qrels", *RUNS, *words)
        assert (code, out) == (2, "")
        assert said in err
        assert "judged." in err


@pytest.mark.few(7)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (DRAW, "name it, as in -o sample.csv"),
        ((*DRAW, "-o", "x.csv", "--most", "9"), "--most and --fill predicted"),
        ((*DRAW, "-o", "x.csv", "--share", "0.2"), "--share and --fill predicted"),
        ((*DRAW, "-o", "x.txt"), "a gold list has named columns"),
        ((*DRAW, "-o", "x.csv", "--pair", "weak"), "--pair weak: name two systems"),
        ((*DRAW, "-o", "x.csv", "--unjudged-topics"), "--unjudged-topics: applies only to documents to judge next"),
        ((*(w.replace("P@5", "nDCG@10") for w in DRAW), "-o", "x.csv"), "nDCG@10 is not linear"),
        (("unjudged", "pool.qrels", *RUNS, "--fill", "predicted"), "--fill predicted applies to samples only"),
        (("unjudged", "pool.qrels", *RUNS, "--scale", "0:3"), "--scale applies to samples only"),
        (("unjudged", "pool.qrels", *RUNS, "--show", "sample", "--scale", "0:3", "-m", "P@5"), "give --fill predicted"),
        (
            ("unjudged", "pool.qrels", *RUNS, "--show", "sample", "--llm", "all.qrels", "-m", "P@5"),
            "--llm: applies only to",
        ),
        (("verdict", "pool.qrels", *RUNS, "-m", "P@5", "--predicted"), "predictions alone rank"),
        (
            ("eval", "pool.qrels", *RUNS, "-m", "P@5", "--fill", "predicted", "--intervals", "topics"),
            "--unjudged-sample",
        ),
        (
            ("eval", "pool.qrels", *RUNS, "-m", "P@5", "--unjudged-sample", "judged.csv", "-c"),
            "--all-topics cannot be combined with",
        ),
        (
            ("eval", "pool.qrels", *RUNS, "-m", "P@5", "--unjudged-sample", "judged.csv", "-q"),
            "--by-topic cannot be combined with",
        ),
        (
            ("eval", "pool.qrels", *RUNS, "-m", "P@5", "--unjudged-sample", "judged.csv", "--intervals", "collection"),
            "--intervals collection: with a sample",
        ),
        (("eval", "pool.qrels", *RUNS, "--unjudged-sample", "judged.csv", "-m", "AP"), "AP is not linear in gain"),
        (("eval", "pool.qrels", *RUNS, "-m", "P@5", "--unjudged-sample", "judged.csv", "--format", "trec"), "as trec"),
        (("eval", "all.qrels", *RUNS, "-m", "P@5", "--unjudged-sample", "judged.csv"), "leave --unjudged-sample out"),
        (("verdict", "pool.qrels", *RUNS, "-m", "P@5", "--gold", "judged.csv"), "give it as --unjudged-sample"),
        (
            ("eval", "pool.qrels", *RUNS, "-m", "P@5", "--fill", "predicted", "--unjudged-sample", "pool.qrels"),
            "predictions need a sample",
        ),
    ],
)
def test_what_does_not_go_together(run: Run, folder: Path, words: tuple[str, ...], said: str) -> None:
    """Guards refusals: exit 2, what is wrong and what to do in the words of the command, and nothing written."""
    run(*DRAW, "-o", "sample.csv")
    run("plan", "fill", "sample.csv", "all.qrels", "--rows", "40", "-o", "judged.csv")
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert not list(folder.glob("x.*"))


def test_evaluate_says_where_intervals_are(folder: Path) -> None:
    """Guards Python: scores have no intervals, and the error names what has."""
    with pytest.raises(tg.TruegainError, match=r"tg\.Study\(.*\)\.estimates\(\)"):
        tg.evaluate(f"{folder}/runs", f"{folder}/pool.qrels", "P@5", unjudged_sample="judged.csv")  # type: ignore[call-arg]
