"""Tables for papers: one wide table, the best in bold, who is better than whom, other names of systems."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.cli.conftest import Run
from truegain.errors import TruegainError
from truegain.results.base import PaperStyle
from truegain.results.paper_table import Column, Wide
from truegain.results.table import BETTER, Marked
from truegain.stats.results import Comparison, Estimate, wide_comparisons, wide_estimates

TOPICS, DOCS = 14, 12
SKILLS = {"input.bm25": 0.2, "input.dense": 0.6, "input.mixed": 0.7, "input.none": 0.0}
MEASURES = ("-m", "AP", "-m", "P@3")
PLAIN = ("--test", "paired-t", "--adjust", "none")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments, a cheap judge's, and four runs of different skill."""
    folder = tmp_path_factory.mktemp("papers")
    rng = np.random.default_rng(11)
    label = rng.integers(0, 2, (TOPICS, DOCS))
    judged = np.where(rng.random(label.shape) < 0.9, label, 1 - label)
    for name, table in (("gold.qrels", label), ("llm.qrels", judged)):
        (folder / name).write_text("".join(f"{t} 0 d{d} {table[t, d]}\n" for t in range(TOPICS) for d in range(DOCS)))
    (folder / "runs").mkdir()
    for name, skill in SKILLS.items():
        score = rng.random(label.shape) + skill * label
        lines = (f"{t} Q0 d{d} 0 {score[t, d]:.6f} x\n" for t in range(TOPICS) for d in range(DOCS))
        (folder / "runs" / f"{name}.run").write_text("".join(lines))
    return folder


@pytest.fixture
def folder(study: Path) -> Path:
    """The study, which no test changes but for files of its own."""
    return study


def rows_of(latex: str) -> list[list[str]]:
    """The cells of a tabular, its head first."""
    return [line.removesuffix(r" \\").split(" & ") for line in latex.splitlines() if line.endswith(r" \\")]


def scores_of(study: Path) -> tg.Scores:
    """What the command scores."""
    return tg.evaluate(str(study / "runs"), str(study / "gold.qrels"), ["AP", "P@3"])


def test_superscripts_are_scipys(run: Run, study: Path) -> None:
    """Guards who beats whom on every measure: scipy's paired t test and the means, letter by letter."""
    code, out, _ = run("compare", "gold.qrels", "runs", *MEASURES, *PLAIN, "--format", "latex")
    assert code == 0
    head, *rows = rows_of(out)
    assert head == [r"\#", "system", "AP", "P@3"]
    letters = {name: letter for letter, name, *_ in rows}
    scores = scores_of(study)
    for m, measure in enumerate(("AP", "P@3")):
        x = dict(zip(scores.systems, scores.matrix(measure), strict=True))
        beaten: dict[str, set[str]] = {s: set() for s in x}
        for a, b in combinations(x, 2):
            if stats.ttest_rel(x[a], x[b]).pvalue < 0.05:
                better, worse = (a, b) if x[a].mean() > x[b].mean() else (b, a)
                beaten[better].add(letters[worse])
        assert any(beaten.values())
        for _, name, *cells in rows:
            found = re.search(r"textsuperscript\{([^}]*)\}", cells[m])
            assert set(found[1] if found else "") == beaten[name]
        best = [name for _, name, *cells in rows if "textbf" in cells[m]]
        assert best == [max(x, key=lambda s: x[s].mean())]


def test_daggers_go_both_ways(run: Run) -> None:
    """Guards the baseline: first row without a mark, a dagger for better, a double one for worse, none for neither."""
    words = ("compare", "gold.qrels", "runs", "-m", "AP", "--baseline", "input.bm25", "--test", "paired-t")
    out = run(*words, "--format", "markdown")[1]
    marks = {row.split(" | ")[0].strip("| "): row.split(" | ")[1] for row in out.splitlines() if row.startswith("| i")}
    assert next(iter(marks)) == "input.bm25"
    assert "†" in marks["input.mixed"]
    assert "‡" in marks["input.none"]
    turned = run(*words[:3], "-m", "P@3", "--baseline", "input.mixed", "--test", "paired-t", "--format", "html")[1]
    assert turned.count("<sup>‡</sup>") == 2
    assert re.search(r"<td>input.dense</td><td>[\d.]+</td>", turned)  # neither better nor worse
    assert "‡: significantly worse, by paired t tests, Holm&#x27;s correction for 3 pairs, alpha = 0.05." in turned


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "by Tukey's HSD test of all pairs at once, topics as blocks, each measure by itself, alpha = 0.05."),
        (("--test", "paired-t", "--adjust", "bonferroni", "--confidence", "0.99"),
         "by paired t tests, Bonferroni's correction for 6 pairs of each measure, alpha = 0.01."),
        ((*PLAIN, "--with-intervals"),
         "no correction for 6 pairs of each measure, alpha = 0.05. Brackets: 95\\% intervals"),
        (("--test", "randomization", "--resamples", "2000"), "by paired randomization tests, Holm's correction for 6 "
         "pairs of each measure, 2,000 trials, alpha = 0.05."),
    ],
)  # fmt: skip
def test_the_caption_says_what_was_done(words: tuple[str, ...], said: str, run: Run) -> None:
    """Guards captions: test, correction, alpha and trials are those that were used."""
    out = run("compare", "gold.qrels", "runs", *MEASURES, *words, "--format", "latex")[1]
    caption = next(line for line in out.splitlines() if line.startswith(r"\caption"))
    assert said in caption
    assert f"AP and P@3 of 4 systems, means over {TOPICS} topics. Best in bold." in caption


def test_python_writes_what_the_command_writes(run: Run, study: Path) -> None:
    """Guards one way to a table: the command and Python give the same text, renamed and not."""
    words = ("compare", "gold.qrels", "runs", *MEASURES, "--format", "latex")
    made = tg.compare(scores_of(study), measures=["AP", "P@3"])
    assert run(*words)[1] == made.latex()
    style = ("--strip-prefix", "input.", "--digits", "3", "--label", "tab:x", "--caption", "Ours_1")
    assert run(*words, *style)[1] == made.latex(strip="input.", digits=3, label="tab:x", caption="Ours_1")
    assert run(*words[:-2], "--wide", "--format", "csv")[1] == made.paper().csv()
    scored = scores_of(study)
    assert run("eval", "gold.qrels", "runs", *MEASURES, "--format", "markdown")[1] == scored.markdown()
    assert run("eval", "gold.qrels", "runs", *MEASURES, "--format", "html", "--percent")[1] == scored.html(percent=True)


def test_one_row_a_run_with_all_its_intervals(run: Run) -> None:
    """Guards wide intervals: the numbers of the long rows, a run a row, in CSV as in LaTeX."""
    words = ("eval", "gold.qrels", "runs", *MEASURES, "--intervals", "topics,collection", "--resamples", "100")
    long = json.loads(run(*words, "--format", "json")[1])["rows"]
    wide = list(csv.DictReader(io.StringIO(run(*words, "--wide", "--format", "csv")[1])))
    assert len(wide) == 4
    for row in long:
        mine = next(w for w in wide if w["system"] == row["system"])
        name = f"{row['measure']}_{row['population']}"
        for part in ("", "_low", "_high"):
            assert float(mine[name + part]) == row[part.strip("_") or "value"]
    rows = rows_of(run(*words, "--format", "latex")[1])
    assert [len(r) for r in rows] == [5] * 5
    assert all("[" in cell for row in rows[1:] for cell in row[1:])


def test_wide_scores_for_programs(run: Run, study: Path) -> None:
    """Guards `eval --wide`: a column a measure, all digits; what was read is told in JSON."""
    out = run("eval", "gold.qrels", "runs", *MEASURES, "--wide", "--format", "json")[1]
    made = json.loads(out)
    scores = scores_of(study)
    assert made["rows"] == [{"system": s, **scores.means(s)} for s in scores.systems]
    assert "gold.qrels" in made["provenance"]["inputs"]


NAMES = {
    "tab": "input.bm25\tBM25, ours\n\ninput.dense\tDense\n",
    "comma": 'input.bm25,"BM25, ours"\n# x\ninput.dense,Dense\n',
}


@pytest.mark.parametrize("kind", ["tab", "comma"])
def test_names_of_a_file(kind: str, run: Run, study: Path) -> None:
    """Guards renaming in every output: two columns, tabs or commas; others lose their prefix."""
    (study / "names.txt").write_text(NAMES[kind])
    renaming = ("--names", "names.txt", "--strip-prefix", "input.")
    expected = {"BM25, ours", "Dense", "mixed", "none"}
    base = ("--baseline", "Dense"), ("--baseline", "input.dense")
    gold = ("--gold", "gold.qrels", "--design", "random")
    commands: list[tuple[str, ...]] = [
        ("eval", "gold.qrels", "runs", "-m", "AP"),
        ("eval", "gold.qrels", "runs", "-m", "AP", "--intervals", "topics"),
        ("compare", "gold.qrels", "runs", "-m", "AP"),
        *(("compare", "gold.qrels", "runs", "-m", "AP", *one) for one in base),
        *(("compare", "llm.qrels", "runs", "-m", "P@3", *gold, *b) for b in base),
        *(
            ("compare", "gold.qrels", "runs", "-m", "AP", "--population", "collection", "--resamples", "100", *b)
            for b in base
        ),
    ]
    for words in commands:
        code, out, err = run(*words, *renaming, "--format", "csv")
        assert code == 0, err
        rows = list(csv.DictReader(io.StringIO(out)))
        assert {row.get("system") or row["b"] for row in rows} | {row.get("a", "Dense") for row in rows} == expected
        if "--baseline" in words:
            assert {row["a"] for row in rows} == {"Dense"}


@pytest.mark.parametrize(
    ("text", "words", "fault"),
    [
        ("input.bm25\n", (), "names.txt:1: not two names"),
        ("input.bm25\ta\tb\n", (), "names.txt:1: not two names"),
        ("input.bm25 a\ninput.bm25 b\n", (), "names.txt:2: input.bm25 has two new names, a and b"),
        ("# nothing\n", (), "there are no names"),
        ("other x\n", (), "none of other is a system"),
        ("input.bm25 X\ninput.dense X\n", (), "input.bm25, input.dense would all be called 'X'"),
        ("input.bm25 dense\n", ("--strip-prefix", "input."), "would all be called 'dense'"),
        ("input.bm25 b\n", ("--strip-prefix", "output."), "no system begins with 'output.'"),
    ],
)
def test_names_that_cannot_be(text: str, words: tuple[str, ...], fault: str, run: Run, study: Path) -> None:
    """Guards against two systems of one name and files that are no names: told, and nothing is written."""
    (study / "names.txt").write_text(text)
    code, out, err = run("compare", "gold.qrels", "runs", "-m", "AP", "--names", "names.txt", *words, "-o", "never.tex")
    assert (code, out) == (2, "")
    assert fault in err
    assert not (study / "never.tex").exists()


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("eval", "--wide", "-q"), "leave out -q and -n"),
        (("eval", "--wide", "--format", "trec"), "trec_eval's lines have one measure each"),
        (("eval", "--digits", "2"), "--digits: this applies to tables of systems by measures"),
        (("eval", "--digits", "2", "--format", "latex", "-q"), "--digits: this applies to tables of systems"),
        (("eval", "--intervals", "collection", "-q", "--wide"), "give one of them"),
        (("eval", "--format", "latex", "--digits", "99"), "digits 99: give a number of decimals"),
        (("compare", "--wide", "--pairs"), "--pairs and --wide choose different tables"),
        (("compare", "--pairs", "--groups"), "--pairs and --groups choose different tables"),
        (("compare", "--with-intervals"), "--with-intervals: intervals are part of tables of systems by measures"),
        (("compare", "--percent", "--pairs", "--format", "latex"), "--percent: this applies to tables"),
        (("compare", "--baseline", "nobody", "--format", "latex"), "--baseline nobody is not a system here"),
    ],
)
def test_what_does_not_go_together(words: tuple[str, ...], fault: str, run: Run) -> None:
    """Guards options that would not be heeded: refused, with what to do."""
    command, *rest = words
    code, out, err = run(command, "gold.qrels", "runs", "-m", "AP", *rest)
    assert (code, out) == (2, "")
    assert fault in err
    assert "Traceback" not in err


def test_pairs_and_groups_are_still_there(run: Run) -> None:
    """Guards the other tables of `compare`: LaTeX of pairs and of groups, where asked for."""
    words = ("compare", "gold.qrels", "runs", "-m", "AP", "--format", "latex")
    assert rows_of(run(*words, "--pairs")[1])[0][:2] == ["a", "b"]
    assert rows_of(run(*words, "--groups")[1])[0][-2:] == ["group", r"differs\_from"]


def test_with_gold_and_over_collections(run: Run) -> None:
    """Guards wide tables of other comparisons: those without a judge's errors, and over collections."""
    gold = ("compare", "llm.qrels", "runs", "-m", "P@3", "-m", "CG@2", "--gold", "gold.qrels", "--design", "random")
    out = run(*gold, "--format", "latex")[1]
    assert rows_of(out)[0] == [r"\#", "system", "P@3", "CG@2"]
    assert "Holm's correction for 6 pairs of each measure, alpha = 0.05." in out
    assert "Scores are without the judge's errors (gold labels: random)." in out
    code, _, err = run(*gold, "--format", "latex", "--with-intervals")
    assert (code, "--with-intervals: these scores have none" in err) == (2, True)
    over = (
        "compare",
        "gold.qrels",
        "runs",
        "-m",
        "AP",
        "--population",
        "collection",
        "--resamples",
        "100",
        "--format",
        "latex",
    )
    assert len(rows_of(run(*over)[1])) == 5


def wide(n: int) -> Wide:
    """So many systems, each better than all further down."""
    systems = tuple(f"s{i}" for i in range(n))
    value: dict[str, Any] = {s: 0.9 - i / 1000 for i, s in enumerate(systems)}
    return Wide(systems, (Column("AP", value, beats={s: systems[i + 1 :] for i, s in enumerate(systems)}),), "AP.")


def test_more_systems_than_letters() -> None:
    """Guards tables past 26 systems: numbers, how many each beats, over several pages where they are many."""
    few, many = wide(26).table(PaperStyle()), wide(129).table(PaperStyle())
    assert (few.rows[0][0], few.rows[25][0]) == ("a", "z")
    assert isinstance(few.rows[23][2], Marked)
    assert few.rows[23][2].marks == "yz"
    assert (many.rows[0][0], many.rows[128][0]) == ("1", "129")
    assert isinstance(many.rows[0][2], Marked)
    assert many.rows[0][2].marks == "128"
    assert r"\begin{longtable}{lll}" in many.latex(label="tab:x")
    assert r"\begin{table}" in few.latex(label="tab:x")


def test_what_is_printed_alike_is_bold_alike() -> None:
    """Guards bold: all systems whose printed score is the best, none where there is one system, none of counts."""
    ap = Column("AP", {"x": 0.25001, "y": 0.25004, "z": 0.2})
    ret = Column("NumRet", {"x": 5.0, "y": 7.0, "z": 6.0}, count=True)
    table = Wide(("x", "y", "z"), (ap, ret), "AP.").table(PaperStyle())
    assert [isinstance(r[1], Marked) and r[1].best for r in table.rows] == [True, True, False]
    assert [r[2] for r in table.rows] == [5, 7, 6]
    exact = Wide(("x", "y", "z"), (ap,), "AP.").table(PaperStyle(digits=5))
    assert [isinstance(r[1], Marked) and r[1].best for r in exact.rows] == [False, True, False]
    alone = Wide(("x",), (ap,), "AP.").table(PaperStyle())
    assert "bold" not in alone.title
    assert "textbf" not in alone.latex()
    assert "bold" not in Wide(("x", "y"), (ap,), "AP.").table(PaperStyle(bold=False)).title


def test_a_missing_score_is_not_zero() -> None:
    """Guards missing values: a dash in every format, never the best, and null for programs."""
    table = Wide(("x", "y", "z"), (Column("AP", {"x": None, "y": 0.2, "z": float("nan")}),), "").table(PaperStyle())
    assert [row["AP"] for row in table.records()] == [None, 0.2, None]
    assert rows_of(table.latex())[1] == ["x", "--"]
    assert "| x | - |" in table.markdown()
    assert "textbf" not in table.latex()


def test_systems_are_chosen_and_ordered(study: Path) -> None:
    """Guards `systems`: these alone, in this order, with letters of their own; others are refused."""
    found = tg.compare(scores_of(study), measures="AP", test="paired-t", adjust="none")
    table = found.paper(systems=["input.none", "input.mixed"], strip="input.")
    assert [row[:2] for row in table.rows] == [("a", "none"), ("b", "mixed")]
    assert isinstance(table.rows[1][2], Marked)
    assert table.rows[1][2].marks == "a"
    with pytest.raises(TruegainError, match="there is no nobody"):
        found.paper(systems=["nobody"])


def test_a_geometric_mean_is_shown_as_one(study: Path) -> None:
    """Guards GMAP, which is compared in logarithms: the table shows the geometric mean, with its limits around it."""
    scores = tg.evaluate(str(study / "runs"), str(study / "gold.qrels"), "GMAP")
    row = tg.compare(scores).renamed(strip="input.").paper(intervals=True).records()[0]
    assert row["GMAP"] == pytest.approx(scores.renamed(strip="input.").mean(str(row["system"])), rel=1e-9)
    assert float(str(row["GMAP low"])) < float(str(row["GMAP"])) < float(str(row["GMAP high"]))


def test_wins_are_counted(study: Path) -> None:
    """Guards wins, ties and losses against a count by hand."""
    scores = scores_of(study)
    a, b = (scores.by_topic(s, "P@3") for s in ("input.bm25", "input.mixed"))
    signs = [np.sign(float(str(b[t])) - float(str(a[t]))) for t in a]
    assert scores.wins("input.bm25", "input.mixed", "P@3") == (signs.count(1), signs.count(0), signs.count(-1))


def test_many_systems_are_counted_not_listed() -> None:
    """Guards a page of superscripts: beyond 26 systems each says how many it beats, and the caption that it does."""
    systems = tuple(f"s{i:02}" for i in range(40))
    value: dict[str, float | str | None] = {s: 1 - i / 100 for i, s in enumerate(systems)}
    beats = {s: systems[i + 1 :: 2] for i, s in enumerate(systems)}
    wide = Wide(systems, (Column("AP", value, beats=beats),), "AP.", marked="by a test")
    made = wide.table(PaperStyle())
    marks = {row[1]: row[2].marks for row in made.rows if isinstance(row[2], Marked)}
    assert marks == {s: str(len(beats[s]) or "") for s in systems}
    assert "Superscripts: how many of the other 39 systems it is significantly better than, by a test." in made.title
    assert max(len(line) for line in made.latex().splitlines()[9:-1]) < 60
    few = wide.table(PaperStyle(systems=systems[:3]))
    assert few.rows[0][2].marks == "b"  # type: ignore[union-attr]


def compared(a: str, b: str, measure: str, values: tuple[float, float], **more: Any) -> Comparison:
    """A pair by hand: its two scores, and p and the number of topics where they are given."""
    given = {"low": None, "high": None, "test": "paired-t", "adjustment": "holm", **more}
    return Comparison(a, b, measure, *values, difference=values[1] - values[0], **given)


def test_who_is_better_is_who_differs_significantly_and_by_what_sign() -> None:
    """Guards marks of significance: none for p above 1 - confidence, nor for a significant test of equal means."""
    ap = {"w": 0.1, "x": 0.2, "y": 0.4, "z": 0.7}
    p = {("w", "x"): 0.2, ("w", "y"): 0.03, ("z", "w"): 0.001, ("y", "x"): 0.049, ("x", "z"): 0.051, ("y", "z"): 0.9}
    pairs = [compared(a, b, "AP", (ap[a], ap[b]), p=q, n=30) for (a, b), q in p.items()]
    pairs += [
        compared("w", "x", "RR", (0.5, 0.5), p=0.01, n=28),  # ranks may differ where means do not
        compared("x", "z", "RR", (0.5, 0.3), p=0.9, p_adjusted=0.02, n=28),
        compared("y", "w", "RR", (0.4, 0.5), p=0.02, p_adjusted=0.9, n=28),
    ]
    table = wide_comparisons(pairs, {}).table(PaperStyle())
    assert [row[:2] for row in table.rows] == [("a", "z"), ("b", "y"), ("c", "x"), ("d", "w")]
    assert [row[2].marks for row in table.rows if isinstance(row[2], Marked)] == ["d", "cd", "", ""]
    assert [row[3].marks for row in table.rows if isinstance(row[3], Marked)] == ["", "", "a", ""]
    assert [row[2:] for row in table.rows] == [(0.7, 0.3), (0.4, 0.4), (0.2, 0.5), (0.1, 0.5)]
    assert "AP and RR of 4 systems, means over 28 to 30 topics." in table.title
    assert "by paired t tests, Holm's correction for 6 pairs of each measure, alpha = 0.05." in table.title
    about = wide_comparisons(pairs[:6], {"baseline": "x", "design": "random"})
    assert about.systems == ("x", "z", "y", "w")
    assert about.about == (
        "AP of 4 systems, means over 30 topics. Scores are without the judge's errors (gold labels: random)."
    )
    assert about.marked == "by paired t tests, Holm's correction for 6 pairs, alpha = 0.05"
    marks = [row[1].marks for row in about.table(PaperStyle()).rows if isinstance(row[1], Marked)]
    assert marks == ["", "", BETTER, ""]  # z against x: p = 0.051


def test_a_column_for_each_source_and_for_what_nothing_corrected() -> None:
    """Guards tables of intervals: which value, which limits and which sentence stand for which source."""
    one = Estimate("x", "AP", 0.3, 0.2, 0.45, method="t", uncorrected=0.5)
    two = replace(one, system="y", value=0.25, low=0.1, high=0.35, uncorrected=None)
    other = replace(one, low=0.15, high=0.5, population="collection", method="drawn", uncorrected=None)
    table = wide_estimates([one, two, other], {"design": "topics"}).table(PaperStyle())
    assert table.columns == ("system", "AP (topics) uncorrected", "AP (topics)", "AP (collection)")
    assert table.records() == [
        {"system": "x", "AP (topics) uncorrected": 0.5, "AP (topics)": 0.3, "AP (topics) low": 0.2,
         "AP (topics) high": 0.45, "AP (collection)": 0.3, "AP (collection) low": 0.15, "AP (collection) high": 0.5},
        {"system": "y", "AP (topics) uncorrected": None, "AP (topics)": 0.25, "AP (topics) low": 0.1,
         "AP (topics) high": 0.35, "AP (collection)": None, "AP (collection) low": None, "AP (collection) high": None},
    ]  # fmt: skip
    assert "AP of 2 systems. Scores are without the judge's errors (gold labels: topics)." in table.title
    assert "Brackets: 95% intervals over topics (t) and over collection (drawn)." in table.title
    assert wide_estimates([one, two], {}).table(PaperStyle()).columns == ("system", "AP uncorrected", "AP")


def test_defaults_are_those_of_python() -> None:
    """Guards defaults that the command line declares again, so that help pages load no numbers: they are Python's."""
    from inspect import signature

    from truegain.cli.experiment_collection import Splitting, split_half_command
    from truegain.experiments.halves import ENOUGH, split_half
    from truegain.stats.collection_ap import EPSILON

    command, function = signature(split_half_command).parameters, signature(split_half).parameters
    assert (Splitting().more_than, Splitting().epsilon) == (ENOUGH, EPSILON)
    for name in ("relevant_from", "replicates", "confidence", "seed"):
        assert command[name].default == function[name].default
