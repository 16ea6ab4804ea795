"""`truegain init` promises no more than the files can hold."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.test_verdict import folder, world  # noqa: F401


def test_unjudged_documents_are_told(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards a plain yes: the holes of the system with the most are counted, measure by measure, and where to look."""
    runs, labels = world()
    for t, row in runs["good"].items():  # of the first ten of every topic three are judged by nobody
        for d in sorted(row, key=lambda d: -row[d])[:3]:
            del labels[t][d]
    tg.write_judgments(labels, folder / "few.qrels")
    holes = tg.evaluate(runs, labels, ["Unjudged@10"]).means("good")["Unjudged@10"]
    _, out, _ = run("init", "few.qrels", "runs")
    assert holes == pytest.approx(0.3)
    assert "  but  P@10, nDCG@10: 30% of the top 10 of good are unjudged (72 of 240), and 1% or more for 3 of 3" in out
    assert "  but  AP: " in out
    assert "for 3 of 3 systems: see `truegain unjudged -m nDCG@100`\n" in out  # bounds of AP are not known
    assert "  but  AP: " in out
    assert "but" not in run("init", "judgments.qrels", "runs", "-o", "whole.toml")[1].replace("Next", "")


def test_ties_are_told(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards lists whose order document ids decide: they are counted where the measure looks."""
    runs, _ = world()
    tied = {t: {d: float(round(x)) for d, x in row.items()} for t, row in runs["fair"].items()}
    tg.write_runs({"fair": tied}, folder / "runs" / "fair.run")
    _, out, _ = run("init", "judgments.qrels", "runs")
    assert "(24 of 24)" in out
    assert "document ids break the ties" in out


def test_few_topics_are_told(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards what docs/explanation/uncertainty.md promises: below 10 topics a warning, here too."""
    _, labels = world()
    tg.write_judgments({t: labels[t] for t in sorted(labels)[:5]}, folder / "five.qrels")
    assert "  but  with only 5 topics, " in run("init", "five.qrels", "runs")[1]


def test_a_measure_does_not_vanish(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards nDCG with gold pairs: refused with its reason, and not in the file; -m asks for others."""
    _, out, _ = run("init", "llm.qrels", "runs", "--gold", "pairs.qrels", "--design", "random", "-o", "one.toml")
    assert "nDCG@10: nDCG@10 cannot be corrected from scattered" in out
    assert tomllib.loads((folder / "one.toml").read_text())["measure"] == ["P@10", "DCG@10"]
    _, out, _ = run("init", "llm.qrels", "runs", "-m", "ERR@5", "-m", "map", "-o", "two.toml")
    assert "yes  for other topics like these: ERR@5, AP" in out
    assert tomllib.loads((folder / "two.toml").read_text())["measure"] == ["ERR@5", "AP"]
    assert run("init", "llm.qrels", "runs", "-m", "none", "-o", "three.toml")[0] == 2
    assert not (folder / "three.toml").exists()


def test_the_hints_are_those_of_the_data(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the comments of the file: the ends of the scale that was used, and every population that is supported."""
    run("init", "ratings.csv", "runs")
    text = (folder / "study.toml").read_text()
    assert '# scale = "0:2"' in text
    assert '# or ["topics", "collection"]; or ["topics", "assessors"]' in text


@pytest.mark.parametrize(("each", "said"), [(1, "may be of different scales (5 gold"), (20, "are of different scales")])
def test_few_gold_labels_are_no_other_scale(run: Run, folder: Path, each: int, said: str) -> None:  # noqa: F811
    """Guards a conclusion from five labels: that none is above 1 is luck there, and a sign where there are hundred."""
    _, labels = world()
    tg.write_judgments(
        {t: {d: g + i % 2 for i, (d, g) in enumerate(r.items())} for t, r in labels.items()}, folder / "b.qrels"
    )
    gold = {t: {d: i % 2 for i, d in enumerate(list(labels[t])[:each])} for t in sorted(labels)[:5]}
    gold[sorted(gold)[0]][next(iter(labels[sorted(gold)[0]]))] = 1
    tg.write_judgments(gold, folder / "g.qrels")
    assert said in run("init", "b.qrels", "runs", "--gold", "g.qrels", "--design", "random")[1]


@pytest.fixture
def mixed(folder: Path) -> str:  # noqa: F811
    """Ratings by five, one of whom goes up to 100."""
    lines = (folder / "ratings.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines]
    (folder / "mixed.csv").write_text(
        "\n".join(",".join([*r[:3], str(50 * int(r[3])) if r[2] == "v" else r[3]]) for r in rows) + "\n"
    )
    return "mixed.csv"


@pytest.mark.slow
def test_mixed_scales_are_told(run: Run, folder: Path, mixed: str) -> None:  # noqa: F811
    """Guards init, verdict and report, as agree and gains do: one assessor up to 100, four up to 2, in our words."""
    said = "4 of 5 assessors rate up to 2 (w, x, y and 1 more), others up to 100 on the same topics: scales seem to mix"
    advice = "--scale ratio and --normalize), or leave some out (--drop-assessors)"
    _, out, _ = run("init", mixed, "runs")
    assert f"  but  {said}" in out
    assert advice in out
    for verb in ("verdict", "report"):
        _, _, err = run(verb, mixed, "runs", "-m", "P@10", "--aggregate", "mean")
        assert err.count(said) == 1
        assert advice in err
    page = (folder / "report.html").read_text()
    assert "others up to 100 on the same topics: scales seem to mix" in page
    assert "scale='ratio'" not in page
    assert "scales seem to mix" not in run("verdict", mixed, "runs", "--aggregate", "mean", "--scale", "ratio")[2]


def test_columns_of_assessors_are_chosen_by_an_option(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards a wide table of ratings: init and the page of report name --assessors, and no argument of the library."""
    _, labels = world()
    rows = [f"{t},{d},{g},{g + i % 2}" for t, row in labels.items() for i, (d, g) in enumerate(row.items())]
    (folder / "wide.csv").write_text("\n".join(["topic,doc,Ann,Bob", *rows]) + "\n")
    code, out, err = run("init", "wide.csv", "runs")
    assert (code, "choose them with --assessors Ann,Bob" in err + out, "assessors=[" in err + out) == (0, True, False)
    run("report", "wide.csv", "runs", "-m", "P@10", "--aggregate", "mean")
    page = (folder / "report.html").read_text()
    assert "choose them with --assessors Ann,Bob" in page
    assert "assessors=[" not in page


def test_labels_of_a_model_are_told(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards an LLM judge nobody checked: init says what its labels will be worth."""
    lines = (folder / "judgments.qrels").read_text().split("\n")
    rows = [f"{t},{d},{x},m1" for t, _, d, x in (line.split() for line in lines if line)]
    (folder / "llm.csv").write_text("\n".join(["topic,doc,label,model", *rows]) + "\n")
    _, out, _ = run("init", "llm.csv", "runs", "-o", "model.toml")
    assert "verdicts are 'unchecked' until there are gold labels" in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "error: gold.csv: no such file"),
        ("topic,doc,label\n{t},{d},\n{t},{e},1\n", "error: gold.csv:2: label is missing (give a number, or leave out "
         "all rows without one: --missing drop)"),
        ("topic,doc,label\n{t},{d},yes\n{t},{e},1\n", "error: gold.csv:2: label is not a number: 'yes'"),
        ("topic,doc,human\n{t},{d},1\n{t},{e},0\n", "error: gold.csv: there is no column 'label'"),
    ],
)  # fmt: skip
def test_gold_that_cannot_be_read_is_refused(run: Run, folder: Path, text: str | None, said: str) -> None:  # noqa: F811
    """Guards what is written: it runs; gold that is not there, has gaps or unknown columns ends with 2 and no file."""
    if text is not None:
        rows = [line.split() for line in (folder / "llm.qrels").read_text().splitlines()[:2]]
        (folder / "gold.csv").write_text(text.format(t=rows[0][0], d=rows[0][2], e=rows[1][2]))
    code, _, err = run("init", "llm.qrels", "runs", "--gold", "gold.csv", "--design", "random")
    assert (code, err.startswith(said)) == (2, True), err
    assert not (folder / "study.toml").exists()


def test_a_run_with_own_names_is_taken_for_no_assessor(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards a run whose score has a name of its own: it is a run as --columns says, and no warning is about it."""
    (folder / "own").mkdir()
    for path in (folder / "runs").iterdir():
        rows = [line.split() for line in path.read_text().splitlines()]
        text = "".join(f"{r[0]},{r[2]},{r[4]},{r[3]}\n" for r in rows)
        (folder / "own" / f"{path.stem}.csv").write_text(f"topic,doc,closeness,place\n{text}")
    code, out, err = run("init", "llm.qrels", "own", "--columns", "runs:score=closeness")
    assert (code, err) == (0, "")
    assert f"{len(list((folder / 'own').iterdir()))} runs: " in out
    assert "What own/" not in out


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("bm25", "dense"), "--columns score=NAME with bm25 or dense for NAME)"),
        (("clicks", "votes"), "--columns score=NAME; its columns are query_id, doc_id, clicks, votes)"),
    ],
)
def test_a_results_table_without_a_score_is_named(
    run: Run, folder: Path, names: tuple[str, str], said: str  # noqa: F811
) -> None:  # fmt: skip
    """Guards "no run was given": the file, its columns and the option are told, be it scores or small numbers."""
    (folder / "own").mkdir()
    path = next((folder / "runs").iterdir())
    rows = [line.split() for line in path.read_text().splitlines()]
    small = names == ("clicks", "votes")
    cells = [(i % 3, i % 2) if small else (r[4], float(r[4]) / 3) for i, r in enumerate(rows)]
    text = "".join(f"{r[0]},{r[2]},{a},{b}\n" for r, (a, b) in zip(rows, cells, strict=True))
    (folder / "own" / "results.csv").write_text(f"query_id,doc_id,{','.join(names)}\n{text}")
    code, _, err = run("init", "llm.qrels", "own")
    assert (code, err.startswith("error: own/results.csv: ")) == (2, True), err
    assert said in err
    assert run("init", "llm.qrels", "own", "--columns", f"score={names[0]}")[0] == 0


def test_what_counts_as_relevant_is_told(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards labels in grades: the file says from which one a document is relevant, and the key does what it says."""
    runs, labels = world()
    graded = {t: {d: x * (1 + i % 2) for i, (d, x) in enumerate(row.items())} for t, row in labels.items()}
    tg.write_judgments(graded, folder / "graded.qrels")
    run("init", "graded.qrels", "runs")
    comment = "# relevant-from = 2  # the smallest label that P@10 and AP count as relevant (default: 1)\n"
    text = (folder / "study.toml").read_text()
    assert comment in text
    (folder / "study.toml").write_text(text.replace(comment, comment.removeprefix("# ")))
    gain = tg.compare({n: runs[n] for n in ("fair", "good")}, graded, "P@10", scoring=tg.Scoring(relevant_from=2))
    assert (
        f"{gain[0].difference:+.4f} P(rel=2)@10" in run("verdict", "study.toml", "-m", "P@10", "--pair", "fair,good")[1]
    )
    tg.write_judgments({t: {d: x / 3 for d, x in row.items()} for t, row in graded.items()}, folder / "soft.qrels")
    run("init", "soft.qrels", "runs", "-o", "soft.toml")
    assert "relevant-from" not in (folder / "soft.toml").read_text()
    run("init", "judgments.qrels", "runs", "-o", "binary.toml")
    assert "relevant-from" not in (folder / "binary.toml").read_text()
