"""Files with the names that a new user's own tools give to columns, from `init` to `gate`, and lists that are blind."""

from __future__ import annotations

import csv
import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run

TOPICS = [f"q{t}" for t in range(40)]
DOCS = 16


def world() -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """Two systems, the better one called dense; the truth, and an LLM that errs in a tenth of its labels."""
    rng = np.random.default_rng(27)
    truth = {t: {f"{t}-p{d}": int(rng.random() < 0.4) for d in range(DOCS)} for t in TOPICS}
    llm = {t: {d: int(1 - x if rng.random() < 0.1 else x) for d, x in row.items()} for t, row in truth.items()}
    runs = {
        name: {t: {d: float(signal * x + rng.normal()) for d, x in row.items()} for t, row in truth.items()}
        for name, signal in (("bm25", 0.2), ("dense", 2.5))
    }
    return runs, truth, llm


def rows_of(table: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str, float]]:
    """Topic, document and number."""
    return [(t, d, x) for t, row in table.items() for d, x in row.items()]


def jsonl(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """One object a line."""
    path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))


def table(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A CSV, or a TSV by its ending."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writerows([names, *rows])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a RAG engineer has: JSONL of an LLM's labels and of two retrievers, and 150 labels of people as CSV."""
    runs, truth, llm = world()
    (tmp_path / "runs").mkdir()
    for name, one in runs.items():
        jsonl(tmp_path / "runs" / f"{name}.jsonl", ("question_id", "passage_id", "score"), rows_of(one))
    jsonl(tmp_path / "llm.jsonl", ("question_id", "passage_id", "relevance"), rows_of(llm))
    order = np.random.default_rng(1).permutation(len(TOPICS) * DOCS)[:150].tolist()
    every = rows_of(truth)
    table(tmp_path / "labels.csv", ("question_id", "passage_id", "label"), [every[i] for i in order])
    jsonl(tmp_path / "questions.jsonl", ("question_id", "question"), [(t, f"what is {t}?") for t in TOPICS])
    texts = [(d, f"Passage {d}.\nIts second line.") for _, d, _ in every]
    jsonl(tmp_path / "passages.jsonl", ("passage_id", "passage"), texts)
    return tmp_path


def test_a_new_users_path(run: Run, folder: Path) -> None:
    """Guards the whole way with own names: init, verdict, report and gate, and not one refusal or warning."""
    said = ("--gold", "labels.csv", "--design", "random", "--judge-model", "gpt-4o", "-m", "P@10")
    for words in (
        ("init", "llm.jsonl", "runs", *said),
        ("verdict", "study.toml", "--pair", "bm25,dense"),
        ("report", "study.toml", "--baseline", "bm25", "-o", "report.html"),
        ("gate", "study.toml", "--baseline", "bm25", "--candidate", "dense"),
    ):
        code, out, err = run(*words)
        assert (code, err) == (0, ""), words
    assert "dense: passes" in out
    study = tomllib.loads((folder / "study.toml").read_text())
    assert study["columns"] == "topic=question_id,doc=passage_id,label=relevance"
    assert (study["judge-model"], study["gold"]["design"], study["gold"]["labels"]) == (
        "gpt-4o",
        "random",
        "labels.csv",
    )
    sentence = tg.read_study(folder / "study.toml").verdict("bm25", "dense").sentence
    assert sentence in run("verdict", "study.toml", "--pair", "bm25,dense")[1]


@pytest.mark.slow
def test_a_new_users_path_with_a_list(run: Run, folder: Path) -> None:
    """Guards buying the 150 labels: a blind list with texts, filled in a spreadsheet, is gold without more ado."""
    _, truth, _ = world()
    about = ("llm.jsonl", "runs", "-m", "P@10")
    code, out, err = run(
        "plan", "labels", *about, "--questions", "questions.jsonl", "--docs", "passages.jsonl", "-o", "list.csv"
    )
    assert (code, err) == (0, "")
    assert "The judge's labels are in list.key.csv" in out.replace("\n", " ")
    with (folder / "list.csv").open(newline="") as file:
        sheet = list(csv.DictReader(file))
    assert list(sheet[0]) == ["order", "topic", "question", "doc", "passage", "label", "scale", "digest"]
    assert sheet[0]["question"] == f"what is {sheet[0]['topic']}?"
    assert sheet[0]["passage"] == f"Passage {sheet[0]['doc']}.\nIts second line."
    filled = [{**row, "label": truth[row["topic"]][row["doc"]]} for row in sheet[:150]]
    table(folder / "from people.csv", list(sheet[0]), [list(row.values()) for row in filled])
    for words in (
        ("plan", "fill", "list.csv", "from people.csv", "-o", "judged.csv"),
        ("plan", "fill", "list.key.csv", "from people.csv", "-o", "again.csv"),
        ("verdict", *about, "--gold", "judged.csv"),
        ("verdict", *about, "--gold", "from people.csv"),
        ("init", *about, "--gold", "judged.csv", "--judge-model", "gpt-4o"),
        ("gate", "study.toml", "--baseline", "bm25", "--candidate", "dense"),
    ):
        code, out, err = run(*words)
        assert (code, err) == (0, ""), words
    assert "dense: passes" in out
    assert run("verdict", *about, "--gold", "judged.csv") == run("verdict", *about, "--gold", "from people.csv")


@pytest.mark.slow
def test_measures_of_init_are_no_wall_to_gold_that_comes_later(run: Run, folder: Path) -> None:
    """Guards the plain path: init before there is gold, a list, its labels; AP is left out with a note, not refused."""
    _, truth, _ = world()
    assert run("init", "llm.jsonl", "runs", "--judge-model", "gpt-4o")[0] == 0
    three = tomllib.loads((folder / "study.toml").read_text())["measure"]
    assert len(three) == 3
    for name in ("nDCG@10", "P@10"):
        assert run("plan", "labels", "study.toml", "-m", name, "-o", f"of {name}.csv")[0] == 0
        tg.read_gold_list(folder / f"of {name}.csv").filled(truth, 150).write(folder / f"{name}.csv")
    claim = ("--baseline", "bm25", "--candidate", "dense")
    said = "note: study.toml:5: 1 of 3 measures is left out: AP: cannot be corrected from scattered gold labels"
    for words in (("verdict",), ("gate", *claim), ("report", *claim)):
        code, _, err = run(words[0], "study.toml", "--gold", "nDCG@10.csv", *words[1:])
        assert (code, err.count("\n"), err.startswith(said)) == (0, 1, True), err
    code, _, err = run("verdict", "study.toml", "--gold", "P@10.csv")
    assert (code, err.splitlines()[0].startswith(said), err.count("\n")) == (0, True, 2)
    assert "1 of 2 measures is left out: nDCG@10: this list was sampled for other runs or another measure (P@10)" in err
    both = ("--gold", "labels.csv", "--design", "random")
    for verb in ("verdict", "compare"):
        code, out, err = run(verb, "study.toml", *both)
        assert code == 0, err
        assert "study.toml:5: 2 of 3 measures are left out: nDCG@10, AP: cannot be corrected from" in err
        assert "P@10" in out
        code, _, err = run(verb, "study.toml", *both, "-m", "P@10", "-m", "AP")  # typed, it is refused
        assert (code, "AP cannot be corrected" in err) == (2, True)
    file = folder / "study.toml"
    more = 'gold = "labels.csv"\ndesign = "random"\n'
    file.write_text(file.read_text() + more)
    with pytest.warns(tg.DataWarning, match=r"2 measures left out: .*AP cannot be corrected"):
        assert [str(m) for m in tg.read_study(file).measures] == ["P@10"]
    file.write_text(re.sub(r"measure = .*", 'measure = ["nDCG@10", "AP"]', file.read_text()))
    code, _, err = run("verdict", "study.toml")
    assert (code, err.startswith("error: study.toml:")) == (2, True)  # none is left
    assert "is not linear in gain" in err


def test_compare_takes_the_judge_that_a_study_names(run: Run, folder: Path) -> None:
    """Guards the study of README: with gold that checks the judge, its name in the file is no fault; typed it is."""
    said = ("--gold", "labels.csv", "--design", "random", "--judge-model", "gpt-4o")
    assert run("init", "llm.jsonl", "runs", *said)[0] == 0
    code, out, err = run("compare", "study.toml")
    assert (code, err) == (0, "")
    assert out.startswith("a ")  # two measures, and no empty titles of theirs
    assert "Corrected for the judge's errors, dense is better than bm25 on P@10" in out.replace("\n", " ")
    assert "--judge-model: gold labels check the judge" in run("compare", "study.toml", "--judge-model", "m")[2]


def test_names_reach_gold_and_runs(run: Run, folder: Path) -> None:
    """Guards one option for all files: names we do not know, said once, are those of judgments, runs and gold."""
    runs, _, llm = world()
    ask = ("--gold", "gold.csv", "--design", "random", "-m", "P@10")
    code, usual, _ = run("verdict", "llm.jsonl", "runs", *ask[:1], "labels.csv", *ask[2:])
    assert code == 0
    (folder / "own").mkdir()
    for name, one in runs.items():
        table(folder / "own" / f"{name}.csv", ("frage", "absatz", "score"), rows_of(one))
    table(folder / "llm.csv", ("frage", "absatz", "note"), rows_of(llm))
    lines = (folder / "labels.csv").read_text().splitlines()[1:]
    (folder / "gold.csv").write_text("\n".join(["frage,absatz,label", *lines, ""]))
    columns = "topic=frage,doc=absatz,label=note"
    assert run("verdict", "llm.csv", "own", *ask, "--columns", columns) == (0, usual, "")
    (folder / "gold.csv").write_text("\n".join(["frage,absatz,note", *lines, ""]))
    assert run("verdict", "llm.csv", "own", *ask, "--columns", columns) == (0, usual, "")
    (folder / "gold.csv").write_text("\n".join(["frage,absatz,mensch", *lines, ""]))
    assert run("verdict", "llm.csv", "own", *ask, "--columns", f"{columns};gold:label=mensch") == (0, usual, "")
    run("init", "llm.csv", "own", *ask, "--columns", f"{columns};gold:label=mensch")
    code, out, err = run("verdict", "study.toml")
    assert (code, out.splitlines()[0], err) == (0, usual.splitlines()[0], "")


def test_the_judges_label_is_not_taken_for_gold(run: Run, folder: Path) -> None:
    """Guards gold that is bronze: a file with both numbers is refused, and the option that says which is told."""
    _, truth, llm = world()
    table(folder / "llm.csv", ("topic", "doc", "llm_note"), rows_of(llm))
    both = [(t, d, llm[t][d], x) for t, d, x in rows_of(truth)[::4]]
    table(folder / "gold.csv", ("topic", "doc", "llm_note", "human_note"), both)
    words = ("verdict", "llm.csv", "runs", "--gold", "gold.csv", "--design", "random", "-m", "P@10")
    code, _, err = run(*words, "--columns", "label=llm_note")
    assert code == 2
    assert "which is the label: 'llm_note', as in the judgments, or human_note?" in err
    assert run(*words, "--columns", option_in(err))[0] == 0


def option_in(err: str) -> str:
    """What a refusal says that --columns should be."""
    found = re.search(r"--columns ('[^']+'|[^\s)]+)", err)
    assert found is not None, err
    return shlex.split(found[1])[0]


@pytest.mark.few(8)
@pytest.mark.parametrize(
    ("judgments", "run_names", "option", "asked"),
    [
        (None, ("question_id", "passage_id", "bm25", "pos"), "score=bm25", ""),  # the ranks would turn the run round
        (None, ("question_id", "passage_id", "ms", "pos"), "rank=pos", ""),
        (None, ("question_id", "passage_id", "bm25", "dense"), "score=NAME", "bm25 or dense"),
        (
            None,
            ("frage_nr", "absatz_nr", "cosinus", "rang"),
            "topic=frage_nr,doc=absatz_nr,score=cosinus",
            "",
        ),
        (("question_id", "passage_id", "llm_verdict", "tokens"), None, "label=llm_verdict", ""),
        (("question_id", "passage_id", "urteil", "llm_confidence"), None, "label=urteil", ""),
        (("frage", "absatz", "note", "sicherheit"), None, "topic=frage,doc=absatz,label=NAME", "note or sicherheit"),
        (("question_id", "passage_id", "llm_label", "old_label"), None, "label=NAME", "llm_label or old_label"),
        (("question_id", "passage_id", "latency", "cost"), None, "label=NAME", ""),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_a_number_that_may_be_another_is_asked_about(
    run: Run, folder: Path, judgments: Sequence[str] | None, run_names: Sequence[str] | None, option: str, asked: str,
    ending: str,
) -> None:  # fmt: skip
    """Guards wrong numbers in silence: no rank, cost or confidence is recommended, nor one of several numbers."""
    write = table if ending == ".csv" else jsonl
    rows = [(t, d, x, n) for n, (t, d, x) in enumerate(rows_of(world()[1]))]
    write(folder / f"own{ending}", judgments or run_names or (), rows)
    files = ("llm.jsonl", f"own{ending}") if judgments is None else (f"own{ending}", "runs/bm25.jsonl")
    code, _, err = run("eval", *files)
    assert (code, option_in(err)) == (2, option)
    assert (f" with {asked} for NAME" in err) if asked else " for NAME" not in err
    assert ("; if they are 2 assessors', aggregate their ratings: --aggregate mean" in err) == bool(asked and judgments)
    if "NAME" not in option:
        assert run("eval", *files, "--columns", option)[0] == 0


def test_a_column_an_assessor_is_no_label(run: Run, folder: Path) -> None:
    """Guards tables of assessors: no one of them is recommended as the label, also where one is called a judge."""
    rows = [(t, d, int(x), int(x), 1 - int(x)) for t, d, x in rows_of(world()[2])]
    table(folder / "wide.csv", ("question_id", "passage_id", "ann", "bob", "judge_carol"), rows)
    _, _, err = run("eval", "wide.csv", "runs/bm25.jsonl")
    assert (
        "--columns label=NAME with ann or bob or judge_carol for NAME; if they are 3 assessors', aggregate their" in err
    )
    words = ("judge", "check", "llm.jsonl", "runs", "--design", "random", "--gold", "wide.csv")
    assert "gold:label=NAME with ann or bob or judge_carol for NAME; if they are 3" in run(*words)[2]
    assert run("eval", "wide.csv", "runs/bm25.jsonl", "--aggregate", "mean")[0] == 0


NAMES = [  # of topic, doc and number: what a table calls them
    ("query-id", "corpus-id", "grade"),
    ("Question ID", "Passage ID", "Relevance"),
    ("frage", "absatz", "note"),
    ("suchanfrage_nr", "url", "bewertung"),
    ("my_query", "my_page", "gpt4_rating"),
]


@pytest.mark.few(5)
@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0])
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
def test_the_refusal_prints_the_option_that_works(run: Run, folder: Path, names: Sequence[str], ending: str) -> None:
    """Guards "name the column": judgments, runs and gold under odd names; each refusal's option is the next try."""
    runs, truth, llm = world()
    write = jsonl if ending == ".jsonl" else table
    (folder / "own").mkdir()
    more = ("some text", *names[:2], "other", names[2])

    def wide(rows: Iterable[tuple[str, str, float]]) -> list[Sequence[Any]]:
        return [(f"what is {t} about", t, d, "x", n) for t, d, n in rows]

    for name, one in runs.items():
        write(folder / "own" / f"{name}{ending}", (*more[:-1], "punkte"), wide(rows_of(one)))
    write(folder / f"llm{ending}", more, wide(rows_of(llm)))
    write(folder / f"gold{ending}", (*more[:-1], "mensch"), wide(rows_of(truth)[::4]))
    words = ["verdict", f"llm{ending}", "own", "--gold", f"gold{ending}", "--design", "random", "-m", "P@10"]
    columns: list[str] = []
    for _ in range(4):
        code, out, err = run(*words, *columns)
        if code != 2:
            break
        option = option_in(err)
        for ours, theirs in zip(("topic", "doc"), names, strict=False):  # what the user fills in
            option = option.replace(f"{ours}=NAME", f"{ours}={theirs}")
        columns = ["--columns", option]
    assert code == 0, err
    assert out.startswith("dense is better than bm25")


@pytest.mark.parametrize("by_doc", [False, True], ids=["by topic", "by doc"])
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
def test_content_tells_topics_from_documents(run: Run, folder: Path, ending: str, by_doc: bool) -> None:
    """Guards swapped columns in a suggestion: ids of files beside it tell, in whatever order rows stand."""
    runs, _, llm = world()
    write = jsonl if ending == ".jsonl" else table
    shared = {t: {d.partition("-")[2]: x for d, x in row.items()} for t, row in runs["dense"].items()}
    labels = {t: {d.partition("-")[2]: x for d, x in row.items()} for t, row in llm.items()}
    for name, own, value in (("run", shared, "punkte"), ("judged", labels, "note")):
        rows = sorted(((d, t, x) for t, d, x in rows_of(own)), key=lambda row: row[:2] if by_doc else row[1::-1])
        write(folder / f"{name}{ending}", ("absatz", "frage", value), rows)
    table(folder / "judged.known.csv", ("topic", "doc", "label"), rows_of(labels))
    table(folder / "run.known.csv", ("topic", "doc", "score"), rows_of(shared))
    for files, option in (
        (("judged.known.csv", f"run{ending}"), "topic=frage,doc=absatz,score=punkte"),
        ((f"judged{ending}", "run.known.csv"), "topic=frage,doc=absatz,label=note"),
        ((f"judged{ending}", f"run{ending}"), "topic=NAME,doc=NAME,label=note"),
    ):
        code, _, err = run("eval", *files, "-m", "P@5")
        assert (code, option_in(err)) == (2, option)
        assert "NAME" not in option or "absatz, frage, note" in err
        if "NAME" not in option:
            assert run("eval", *files, "-m", "P@5", "--columns", option)[0] == 0


def test_files_without_names(run: Run, folder: Path) -> None:
    """Guards a CSV whose first line is data: the refusal's option reads it, for judgments, gold and runs at once."""
    runs, truth, llm = world()
    (folder / "own").mkdir()
    for path, one in ((folder / "llm.csv", llm), (folder / "gold.csv", truth)):
        table(path, *_bare(rows_of(one)))
    for name, run_ in runs.items():
        table(folder / "own" / f"{name}.csv", *_bare(rows_of(run_)))
    words = ["verdict", "llm.csv", "own", "--gold", "gold.csv", "--design", "random", "-m", "P@10"]
    columns: list[str] = []
    for _ in range(4):
        code, _, err = run(*words, *columns)
        if code != 2:
            break
        columns = ["--columns", option_in(err)]
    assert code == 0, err


def _bare(rows: list[tuple[str, str, float]]) -> tuple[Sequence[Any], list[Sequence[Any]]]:
    return rows[0], [*rows[1:]]


@pytest.mark.few(1)
@pytest.mark.parametrize("ending", [".tsv", ".csv", ".jsonl", ".parquet"])
def test_qrels_of_beir(run: Run, folder: Path, ending: str) -> None:
    """Guards qrels/test.tsv as BEIR has it, header and all, in every command that reads judgments; a run is none."""
    _, truth, _ = world()
    names, path = ("query-id", "corpus-id", "score"), folder / f"test{ending}"
    if ending == ".parquet":
        pl = pytest.importorskip("polars")
        pl.DataFrame(rows_of(truth), schema=names, orient="row").write_parquet(path)
    else:
        (jsonl if ending == ".jsonl" else table)(path, names, rows_of(truth))
    tg.write_judgments(truth, folder / "test.qrels")
    for words in (
        ("eval", "{}", "runs", "-m", "P@10"),
        ("compare", "{}", "runs", "-m", "P@10"),
        ("verdict", "{}", "runs", "-m", "P@10"),
        ("unjudged", "{}", "runs", "-m", "P@10"),
        ("correct", "llm.jsonl", "runs", "--gold", "{}", "--design", "random", "-m", "P@10"),
        ("judge", "check", "llm.jsonl", "runs", "--gold", "{}", "--design", "random"),
    ):
        one, other = ([word.format(name) for word in words] for name in (f"test{ending}", "test.qrels"))
        found, wanted = run(*one), run(*other)
        assert found[0] == 0, found
        assert found[1].replace(f"test{ending}", "test.qrels") == wanted[1]
    (folder / "queries.jsonl").write_text("".join(f'{{"_id": "{t}", "text": "what is {t}?"}}\n' for t in TOPICS))
    init = ("annotate", "init", "app", "--topics", "queries.jsonl", "--docs", "passages.jsonl", "--task", "binary")
    code, out, err = run(*init, "--pool", f"test{ending}")
    assert code == 0, err
    assert f"{len(TOPICS) * DOCS:,} to judge" in out


def test_a_run_under_beirs_names_is_no_judgments(run: Run, folder: Path) -> None:
    """Guards swapped files: scores that are no whole numbers are no labels."""
    runs, _, _ = world()
    table(folder / "dense.tsv", ("query-id", "corpus-id", "score"), rows_of(runs["dense"]))
    code, _, err = run("eval", "dense.tsv", "runs")
    assert code == 2
    assert "this looks like a run" in err
    assert run("eval", "llm.jsonl", "dense.tsv")[0] == 0


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("Question_ID", "Passage_ID", "Score"), "label=Score"),
        (("Passage", "Question", "Score"), "topic=Question,doc=Passage,label=Score"),
    ],
)
def test_suggested_columns_are_the_files_own(names: tuple[str, str, str], options: str, run: Run, folder: Path) -> None:
    """Guards what users copy from an error: the file's own names, in its own letters, each for what it holds."""
    _, truth, _ = world()
    rows = [(t, d, x) if "Q" in names[0] else (d, t, x) for t, d, x in rows_of(truth)]
    table(folder / "judged.csv", names, rows)
    for words, prefix in (
        (["eval", "judged.csv", "runs", "-m", "P@10"], ""),
        (["correct", "llm.jsonl", "runs", "--gold", "judged.csv", "--design", "random", "-m", "P@10"], "gold:"),
    ):
        code, _, err = run(*words)
        assert code == 2
        assert f"--columns {prefix}{options})" in err
        assert run(*words, "--columns", f"{prefix}{options}")[0] == 0


def test_init_writes_what_it_saw(run: Run, folder: Path) -> None:
    """Guards study.toml: the judge's model of a column, names of runs that differ, --missing; and it runs."""
    runs, _, llm = world()
    rows = [(t, d, x, "gpt-4o") for t, d, x in rows_of(llm)]
    jsonl(
        folder / "judged.jsonl",
        ("question_id", "passage_id", "grade", "model"),
        [*rows, ("q0", "none", None, "gpt-4o")],
    )
    (folder / "own").mkdir()
    for name, one in runs.items():
        table(folder / "own" / f"{name}.csv", ("query-id", "doc_id", "score"), rows_of(one))
    code, _, err = run("init", "judged.jsonl", "own", "--missing", "drop", "-m", "P@10")
    assert code == 0, err
    study = tomllib.loads((folder / "study.toml").read_text())
    assert study["columns"] == "topic=question_id,doc=passage_id,label=grade;runs:topic=query-id,doc=doc_id"
    assert (study["judge-model"], study["missing"]) == ("gpt-4o", "drop")
    code, out, _ = run("verdict", "study.toml")
    assert code == 0
    assert "gpt-4o" in out
    code, _, err = run("init", "judged.jsonl", "own", "--design", "random", "-o", "two.toml", "--missing", "drop")
    assert (code, "--design random applies to gold labels only; give them with --gold" in err) == (2, True)


SHOWN = ("bronze", "predicted", "size", "probability", "swaps", "shift")  # what tells another judge's label, or could


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("plan", "labels", "few.qrels", "runs", "-m", "P@10"), True),
        (("plan", "labels", "few.qrels", "runs", "-m", "P@10", "--draw", "by-bronze"), True),
        (("unjudged", "few.qrels", "runs", "-m", "P@10", "--show", "sample"), False),
        (("unjudged", "few.qrels", "runs", "-m", "P@10", "--show", "sample", "--fill", "predicted"), True),
        (("unjudged", "few.qrels", "runs", "-m", "P@10", "--show", "next", "--llm", "llm.jsonl"), True),
    ],
    ids=["labels", "by-bronze", "sample", "predicted", "next"],
)
def test_no_sheet_shows_another_judges_label(run: Run, folder: Path, words: Sequence[str], key: bool) -> None:
    """Guards blind judging wherever a command writes what people fill in, with the texts that they read."""
    _, _, llm = world()
    tg.write_judgments({t: dict(list(row.items())[::2]) for t, row in llm.items()}, folder / "few.qrels")
    texts = ("--questions", "questions.jsonl", "--docs", "passages.jsonl")
    code, _, err = run(*words, *texts, "-o", "sheet.csv")
    assert code == 0, err
    with (folder / "sheet.csv").open(newline="") as file:
        sheet = list(csv.DictReader(file))
    assert not set(SHOWN) & set(sheet[0])
    assert all(row["label"] == "" and row["question"] and row["passage"].endswith("line.") for row in sheet)
    assert (folder / "sheet.key.csv").is_file() == key
    if key:
        with (folder / "sheet.key.csv").open(newline="") as file:
            assert set(SHOWN) & set(next(csv.DictReader(file)))


def test_texts_that_are_not_there_are_told(run: Run, folder: Path) -> None:
    """Guards a sheet of ids: it says which option puts texts in; documents that a file lacks are counted."""
    about = ("plan", "labels", "llm.jsonl", "runs", "-m", "P@10")
    out = run(*about, "-o", "ids.csv")[1]
    assert "It has no texts of questions and passages: add them with --questions and --docs" in " ".join(out.split())
    lines = (folder / "passages.jsonl").read_text().splitlines()
    (folder / "some.jsonl").write_text("\n".join(lines[:-20]) + "\n")
    _, out, err = run(*about, "--docs", "some.jsonl", "-o", "some.csv")
    assert re.search(r"some\.jsonl: \d+ of [\d,]+ documents are missing \(q\d+-p\d+", err)
    assert "It has no texts of questions: add them with --questions" in " ".join(out.split())
    assert run(*about, "--docs", "some.jsonl")[0] == 2
    assert run(*about[:-1], "P@5", "-o", "far.csv", "--key", "kept.csv")[0] == 0
    assert ((folder / "kept.csv").is_file(), (folder / "far.key.csv").exists()) == (True, False)
    code, _, err = run("verdict", *about[2:-1], "P@5", "--gold", "far.csv")
    assert code == 2
    assert "put its key file there (LIST.key.csv, by the name that the list was written with)" in err
    assert "`truegain plan fill KEY SHEET -o FILE`" in err


def test_texts_of_a_sheet_stay(run: Run, folder: Path) -> None:
    """Guards a sheet that is written again without --questions and --docs: its texts stay, in any order of its rows."""
    about = ("plan", "labels", "llm.jsonl", "runs", "-m", "P@10", "-o", "list.csv")
    assert run(*about, "--questions", "questions.jsonl", "--docs", "passages.jsonl")[0] == 0
    first = (folder / "list.csv").read_text()
    with (folder / "list.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    with (folder / "list.csv").open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *reversed(rows[1:])])
    code, out, err = run(*about)
    assert (code, "It has no texts" in out) == (0, False), err
    assert (folder / "list.csv").read_text() == first


def test_a_workbook_is_told(run: Run, folder: Path) -> None:
    """Guards Excel's own files: a workbook is no zip archive to its owner."""
    (folder / "gold.xlsx").write_bytes(b"PK\x03\x04rest")
    err = run("eval", "gold.xlsx", "runs")[2]
    assert "gold.xlsx: this is a spreadsheet workbook (save the sheet as 'CSV UTF-8')" in err


def test_a_study_of_the_app_keeps_the_key(run: Run, folder: Path) -> None:
    """Guards annotate init from a sheet: the key goes with the list into the study's folder, and nothing is shown."""
    run("plan", "labels", "llm.jsonl", "runs", "-m", "P@10", "-o", "list.csv")
    init = ("annotate", "init", "app", "--topics", "questions.jsonl", "--docs", "passages.jsonl", "--task", "binary")
    code, _, err = run(*init, "--pool", "list.csv")
    assert code == 0, err
    assert tg.read_gold_list(folder / "app" / "list.csv").digest == tg.read_gold_list(folder / "list.csv").digest
    assert 'order = "decisive"' in (folder / "app" / "judging.toml").read_text()  # such a list counts from its top
    pool = [json.loads(line) for line in (folder / "app" / "pool.jsonl").read_text().splitlines()]
    assert not {"bronze", "label"} & {name for row in pool for name in row}


def test_text_index_knows_the_same_names(run: Run, folder: Path) -> None:
    """Guards own documents: names that judgments know are known, --columns is heeded, the option that is said works."""
    rows = [{"Passage-ID": f"d{i}", "text": f"words of {i}"} for i in range(3)]
    for name, ident in (("known.jsonl", "Passage-ID"), ("own.jsonl", "stelle")):
        lines = [json.dumps({ident: row["Passage-ID"], "text": row["text"]}) for row in rows]
        (folder / name).write_text("\n".join(lines) + "\n")
    (folder / "own.csv").write_text("url,text\nd0,words of\n")
    assert "3 documents" in run("text", "index", "known.jsonl", "-o", "c1")[1]
    for name, option in (("own.jsonl", "--id-field stelle"), ("own.csv", "--id-field url")):
        code, _, err = run("text", "index", name, "-o", "c2")
        assert (code, f"(say which it is: {option})" in err) == (2, True)
        code, _, err = run("text", "index", name, "-o", f"of-{name}", *option.split())
        assert code == 0, err
    assert "3 documents, 9 words" in run("text", "index", "own.jsonl", "-o", "c3", "--columns", "doc=stelle")[1]
    assert (
        "3 documents, 3 words" in run("text", "index", "own.jsonl", "-o", "c4", "--columns", "doc=text,text=stelle")[1]
    )
    code, _, err = run("text", "index", "own.jsonl", "-o", "c5", "--columns", "color=stelle")
    assert (code, "'color=stelle' is neither doc=NAME nor text=NAME" in err) == (2, True)


def test_a_run_without_the_column_that_was_named_is_told(run: Run, folder: Path) -> None:
    """Guards scores by another column than the one named: a file that lacks it is read by its own, and that is told."""
    (folder / "q.qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (folder / "one.csv").write_text("topic,doc,score,rerank\n1,a,1,9\n1,b,2,3\n")
    (folder / "two.csv").write_text("topic,doc,score,re_rank\n1,a,1,9\n1,b,2,3\n")
    code, _, err = run("eval", "q.qrels", "one.csv", "two.csv", "-m", "P@1", "--columns", "score=rerank")
    assert code == 0
    assert "warning: two.csv: there is no column 'rerank'; column 'score' is read instead" in err
    assert "one.csv" not in err
    words = ("q.qrels", "one.csv", "two.csv", "-m", "P@1", "--columns", "runs:score=score,system=which")
    (folder / "one.csv").write_text("topic,doc,score,which\n1,a,1,s\n1,b,2,s\n")
    assert "read instead" not in run("eval", *words)[2], "nothing stands in for a column that is not needed"


def test_a_word_has_one_number(run: Run, folder: Path) -> None:
    """Guards labels in words: a word with two numbers is refused, not the last one taken."""
    (folder / "w.csv").write_text("topic,doc,label\n1,a,yes\n1,b,no\n")
    (folder / "r.run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    code, _, err = run("eval", "w.csv", "r.run", "-m", "P@1", "--values", "yes=1,no=0,yes=0")
    assert (code, "'yes' has two numbers; give one" in err) == (2, True)


def test_a_pair_of_a_study_is_planned_for(run: Run, folder: Path) -> None:
    """Guards `plan labels study.toml`: its baseline and candidate are the pair, not all pairs of the runs."""
    docs = [f"d{i}" for i in range(12)]
    (folder / "q.qrels").write_text(
        "".join(f"{t} 0 {d} {(i + t) % 2}\n" for t in range(12) for i, d in enumerate(docs))
    )
    for k, name in enumerate("abc"):
        rows = (f"{t} Q0 {d} 1 {(i * (k + 3) + t) % 12} x\n" for t in range(12) for i, d in enumerate(docs))
        (folder / f"{name}.run").write_text("".join(rows))
    (folder / "s.toml").write_text(
        'judgments = "q.qrels"\nruns = ["a.run", "b.run", "c.run"]\nmeasure = "P@5"\nbaseline = "a"\ncandidate = "c"\n'
    )
    assert "c - a" in run("plan", "labels", "s.toml", "--min-effect", "0.1")[1]
    assert "b - a" in run("plan", "labels", "s.toml", "--min-effect", "0.1", "--pair", "a,b")[1]


def test_ids_that_may_be_either_are_not_guessed(run: Run, folder: Path) -> None:
    """Guards a swapped pair of columns, which gives wrong numbers in silence: numbers of users are those of films, too.

    The first user has no judgments, so that the first rows alone speak for the wrong column.
    """
    draw = np.random.default_rng(5)
    judged = [(u, i, 1) for u in range(2, 90) for i in draw.choice(150, 12, replace=False)]
    ranked = [(u, i, round(draw.random(), 4)) for u in range(1, 20) for i in draw.choice(range(2, 90), 60, False)]
    table(folder / "test.csv", ("topic", "doc", "label"), judged)
    table(folder / "run.csv", ("nutzer", "film", "punkte"), ranked)
    code, _, err = run("eval", "test.csv", "run.csv", "-m", "P@10")
    assert (code, "--columns topic=NAME,doc=NAME," in err, "for NAME: nutzer, film, punkte" in err) == (2, True, True)


def test_ids_of_all_rows_tell_topics_from_documents(run: Run, folder: Path) -> None:
    """Guards a guess by the first rows, often one topic's: here it has no judgments, and most topics have none either.

    Ranks have the numbers of all topics among them.
    """
    judged = [(t, f"d{t}-{i}", i % 2) for t in range(301, 311) for i in range(12)]
    ranked = [(f"d{t}-{i}", t, i + 1, 9 - i / 400) for t in range(290, 330) for i in range(400)]
    table(folder / "test.csv", ("topic", "doc", "label"), judged)
    table(folder / "part.csv", ("film", "nutzer", "punkte"), [(d, t, s) for d, t, _, s in ranked])
    assert "--columns topic=nutzer,doc=film,score=punkte)" in run("eval", "test.csv", "part.csv", "-m", "P@10")[2]
    both = [(d, t, i, s) for d, t, i, s in ranked if 300 < t < 311]
    table(folder / "ranks.csv", ("film", "nutzer", "platz", "punkte"), both)
    err = run("eval", "test.csv", "ranks.csv", "-m", "P@10")[2]
    assert "--columns topic=nutzer,doc=film,score=NAME with platz or punkte for NAME" in err


def test_topics_by_number_are_no_labels(run: Run, folder: Path) -> None:
    """Guards labels in words beside topics with numbers: the first rows have one topic, whose number is no label."""
    rows = [(f"{t:03}", f"d{t}-{i}", ("gut", "schlecht")[i % 2]) for t in range(1, 20) for i in range(60)]
    table(folder / "noten.csv", ("anfrage", "artikel", "note"), rows)
    table(folder / "s.csv", ("anfrage", "artikel", "bm25"), [(t, d, 2.5) for t, d, _ in rows])
    err = run("eval", "noten.csv", "s.csv", "-m", "P@10")[2]
    assert ("topic=NAME" in err, "label=anfrage" in err) == (True, False), err


def test_a_misspelled_column_and_an_empty_file(run: Run, folder: Path) -> None:
    """Guards the usual slips: the name that was meant is told, and an empty file is called empty."""
    (folder / "j.csv").write_text("query_no,url,grade_llm\n1,a,1\n1,b,0\n")
    (folder / "r.csv").write_text("query_no,url,points\n1,a,2.5\n1,b,1.5\n")
    (folder / "empty.csv").write_text("")
    names = "topic=query_no,doc=url,label={},score=points"
    code, _, err = run("eval", "j.csv", "r.csv", "--columns", names.format("grade_lm"))
    assert (code, "did you mean grade_llm?" in err) == (2, True), err
    code, _, err = run("eval", "j.csv", "empty.csv", "--columns", names.format("grade_llm"))
    assert (code, "empty.csv: the file is empty" in err) == (2, True), err


def test_a_run_with_named_columns_in_the_place_of_judgments(run: Run, folder: Path) -> None:
    """Guards the remedy: a run that was given first has no label, and the user is told of the order."""
    (folder / "j.csv").write_text("query_no,url,grade\n1,a,1\n1,b,0\n")
    (folder / "r.csv").write_text("query_no,url,points\n1,a,1.5\n1,b,0.5\n")
    columns = "topic=query_no,doc=url,label=grade,score=points"
    code, _, err = run("eval", "r.csv", "j.csv", "-m", "P@1", "--columns", columns)
    assert code == 2
    assert "this looks like a run: on the command line judgments come first" in err


def test_a_name_of_another_run_is_no_slip(run: Run, folder: Path) -> None:
    """Guards runs with names of their own: one that only some have is not taken for a mistyped name in the others."""
    (folder / "j.qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (folder / "r1.csv").write_text("topic,url,score\n1,a,2\n1,b,1\n")
    (folder / "r2.csv").write_text("topic,doc,urls,score\n1,a,x,1\n1,b,y,2\n")
    words = ("eval", "j.qrels", "r1.csv", "r2.csv", "-m", "P@1", "--columns")
    code, out, err = run(*words, "doc=url")
    assert (code, out.split()) == (0, ["system", "P@1", "r1", "1.0000", "r2", "0.0000"]), err
    assert run(*words, "doc=urll")[:2] == (2, "")


@pytest.mark.parametrize("known", ["query", "query_id", "topic"])
def test_joined_columns_with_names_of_ours(known: str, run: Run, folder: Path) -> None:
    """Guards topic=query+facet, which was passed over where the first column has a name that is known by itself."""
    rows = [(q, f, d, int(d == f"d{i % 3}")) for i, q in enumerate("123") for f in "xy" for d in ("d0", "d1", "d2")]
    (folder / "j.csv").write_text(f"{known},facet,doc,label\n" + "".join(f"{q},{f},{d},{x}\n" for q, f, d, x in rows))
    head = f"{known},facet,doc,score\n"
    scores = [ord(f) * i % 7 + 0.5 for i, (_, f, _, _) in enumerate(rows)]
    lines = (f"{q},{f},{d},{s}\n" for (q, f, d, _), s in zip(rows, scores, strict=True))
    (folder / "r.csv").write_text(head + "".join(lines))
    (folder / "j.qrels").write_text("".join(f"{q}-{f} 0 {d} {x}\n" for q, f, d, x in rows))
    (folder / "r.run").write_text(
        "".join(f"{q}-{f} Q0 {d} 1 {ord(f) * i % 7 + 0.5} r\n" for i, (q, f, d, _) in enumerate(rows))
    )
    words = ("-m", "AP", "-m", "NumQ", "-q")
    joined = run("eval", "j.csv", "r.csv", *words, "--columns", f"topic={known}+facet")
    assert joined == run("eval", "j.qrels", "r.run", *words)
    assert "6" in joined[1].splitlines()[-1]
    doctor = run("doctor", "j.csv", "r.csv", "--columns", f"topic={known}+facet")[1]
    assert "j.csv: judgments: 6 topics, 18 judgments" in doctor


def test_joined_documents(run: Run, folder: Path) -> None:
    """Guards doc=doc_id+part: two parts of a document are no document that stands twice."""
    (folder / "j.csv").write_text("topic,doc_id,part,label\n1,a,1,0\n1,a,2,1\n")
    (folder / "r.csv").write_text("topic,doc_id,part,score\n1,a,1,2\n1,a,2,1\n")
    code, out, _ = run("eval", "j.csv", "r.csv", "-m", "RR", "--columns", "doc=doc_id+part")
    assert code == 0
    assert "0.5000" in out


def test_a_mistyped_document_is_the_mistake(run: Run, folder: Path) -> None:
    """Guards doc=urll, for which another name was suggested beside it, and the typo kept."""
    (folder / "q.csv").write_text("query,url,rel\n1,a,1\n1,b,0\n2,a,1\n")
    (folder / "r.run").write_text("1 Q0 a 1 2.0 r\n2 Q0 a 1 2.0 r\n")
    code, _, err = run("eval", "q.csv", "r.run", "--columns", "doc=urll")
    assert (code, "no file has a column 'urll' (check its name; columns of q.csv: query, url, rel)" in err) == (2, True)
    assert run("eval", "q.csv", "r.run", "--columns", "doc=url")[0] == 0
