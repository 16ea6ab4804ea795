"""How judgments and runs are read, on the command line: columns, missing labels, gold labels among the ratings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.main import get_command

from tests.cli.conftest import Run
from truegain.cli.commands import build

TOPICS, DOCS = range(20), range(8)


def label(topic: int, doc: int) -> int:
    """A label that looks drawn."""
    return (topic * 5 + doc * 3 + topic * doc) % 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same judgments and runs as TREC lines and without names, and ratings with gold labels among them."""
    pairs = [(t, d) for t in TOPICS for d in DOCS]
    (tmp_path / "q.qrels").write_text("".join(f"{t} 0 d{d} {label(t, d)}\n" for t, d in pairs))
    (tmp_path / "q.tsv").write_text("".join(f"{t}\td{d}\t{label(t, d)}\n" for t, d in pairs))
    (tmp_path / "q.csv").write_text("frage,url,note\n" + "".join(f"{t},d{d},{label(t, d)}\n" for t, d in pairs))
    for name, step in (("a", 3), ("b", 5)):
        order = [(t, (d * step + t) % len(DOCS), d + 1) for t, d in pairs]
        (tmp_path / f"{name}.run").write_text("".join(f"{t} Q0 d{d} {r} {-r} {name}\n" for t, d, r in order))
        (tmp_path / "marco").mkdir(exist_ok=True)
        (tmp_path / "marco" / f"{name}.tsv").write_text("".join(f"{t}\td{d}\t{r}\n" for t, d, r in order))
    rated = [(t, d, who, (label(t, d) + (t + d + len(who)) % 2) % 3) for t, d in pairs for who in ("ann", "bobby")]
    gold = {(t, d): label(t, d) for t, d in pairs if (t + d) % 2}
    lines = "".join(f"{t},d{d},{who},{x},{gold.get((t, d), '')}\n" for t, d, who, x in rated)
    (tmp_path / "column.csv").write_text("topic,doc,assessor,label,truth\n" + lines)
    lines = "".join(f"{t},d{d},{who},{x}\n" for t, d, who, x in rated)
    (tmp_path / "ratings.csv").write_text("topic,doc,assessor,label\n" + lines)
    rows = "".join(f"{t},d{d},nist,{x}\n" for (t, d), x in gold.items())
    (tmp_path / "rows.csv").write_text("topic,doc,assessor,label\n" + lines + rows)
    (tmp_path / "gold.qrels").write_text("".join(f"{t} 0 d{d} {x}\n" for (t, d), x in gold.items()))
    return tmp_path


UNNAMED = ("--columns", "topic,doc,label;topic,doc,rank")


@pytest.mark.parametrize(
    "words",
    [
        ("eval", "-m", "AP", "-q", "--format", "csv"),
        ("compare", "-m", "AP", "--format", "csv"),
        ("unjudged", "-m", "P@3", "--format", "csv"),
        ("plan", "topics", "--min-effect", "0.1", "--format", "csv"),
    ],
    ids=lambda words: words[0],
)
def test_files_without_names_in_every_command(words: tuple[str, ...], run: Run) -> None:
    """Guards one option everywhere: judgments and runs without names give what TREC lines give."""
    verb = words[: 2 if words[0] == "plan" else 1]
    rest = words[len(verb) :]
    plain = run(*verb, "q.qrels", "a.run", "b.run", *rest)
    assert plain[0] == 0, plain[2]
    assert run(*verb, "q.tsv", "marco", *rest, *UNNAMED)[:2] == plain[:2]


def test_other_names_for_plain_judgments(run: Run) -> None:
    """Guards --columns without ratings: names of a table of judgments, while the runs stay TREC lines."""
    plain = run("eval", "q.qrels", "a.run", "-m", "AP", "--format", "csv")
    named = run("eval", "q.csv", "a.run", "-m", "AP", "--format", "csv", "--columns", "topic=frage,doc=url,label=note")
    assert named == plain


@pytest.mark.parametrize(
    "words",
    [
        ("correct", "--gold", "a.run", "b.run", "-m", "P@3", "--design", "random", "--aggregate", "majority"),
        ("judge", "check", "--gold", "a.run", "b.run", "--design", "random", "--aggregate", "majority"),
        ("verdict", "--gold", "a.run", "b.run", "-m", "P@3", "--design", "random", "--aggregate", "majority"),
        ("agree", "--expert"),
    ],
    ids=lambda words: words[0],
)
def test_gold_labels_in_the_ratings_own_file(words: tuple[str, ...], run: Run) -> None:
    """Guards column:NAME and assessor:NAME: what is told is what a file of its own with the same gold labels tells."""
    at = 2 if words[0] == "judge" else 1
    verb, (option, *rest) = words[:at], words[at:]
    apart = run(*verb, "ratings.csv", option, "gold.qrels", *rest)
    assert apart[0] == 0, apart[2]
    assert run(*verb, "column.csv", option, "column:truth", *rest)[:2] == apart[:2]
    assert run(*verb, "rows.csv", option, "assessor:nist", *rest)[:2] == apart[:2]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("assessor:eve", "rows.csv: there is no assessor eve (there are ann, bobby, nist)"),
        ("column:truth", "there is no column 'truth' among topic, doc, assessor, label"),
        ("column:", "--expert column:: name it, as in column:gold or assessor:ann"),
    ],
)
def test_gold_that_is_not_there(place: str, said: str, run: Run) -> None:
    """Guards names that are wrong: told with those there are, exit code 2."""
    code, _, err = run("agree", "rows.csv", "--expert", place)
    assert (code, said in err) == (2, True), err


def test_gold_labels_that_contradict(run: Run, folder: Path) -> None:
    """Guards a column that says two things of one document: refused with the line of the second."""
    (folder / "two.csv").write_text("topic,doc,assessor,label,gold\n1,a,x,1,2\n1,a,y,1,1\n")
    code, _, err = run("agree", "two.csv", "--expert", "column:gold")
    assert code == 2
    assert "two.csv:3: topic 1, document a has the gold labels 2 and 1" in err


def test_empty_ratings_are_dropped_on_request(run: Run, folder: Path) -> None:
    """Guards --missing drop: one warning with counts, and the answer of the ratings that are there."""
    whole = (folder / "ratings.csv").read_text()
    (folder / "holes.csv").write_text(whole + "5,d7,cara,\n5,d6,cara,NA\n")
    code, _, err = run("aggregate", "holes.csv", "--aggregate", "mean")
    assert (code, "--missing drop" in err) == (2, True), err
    code, out, err = run("aggregate", "holes.csv", "--aggregate", "mean", "--missing", "drop")
    assert (code, out) == run("aggregate", "ratings.csv", "--aggregate", "mean")[:2]
    assert err.count("holes.csv: 2 of 322 rows have no label, and are left out") == 1
    (folder / "j.csv").write_text(
        "topic,doc,label\n" + (folder / "q.qrels").read_text().replace(" 0 ", ",").replace(" ", ",") + "0,zz,\n"
    )
    code, out, err = run("eval", "j.csv", "a.run", "-m", "AP", "--missing", "drop", "--format", "csv")
    assert (code, out) == run("eval", "q.qrels", "a.run", "-m", "AP", "--format", "csv")[:2]


def test_every_command_that_reads_takes_the_options() -> None:
    """Guards the commands to come: whatever takes judgments, ratings or runs takes --columns and --missing."""
    found = 0
    for name, command in _leaves(get_command(build())):
        names = {p.name for p in command.params}  # type: ignore[attr-defined]
        if names & {"judgments", "ratings", "runs"}:
            assert {"columns", "missing"} <= names, name
            found += 1
    assert found > 10


def _leaves(command: object, name: str = "") -> list[tuple[str, object]]:
    inner = getattr(command, "commands", None)
    return [(name, command)] if inner is None else [x for n, c in inner.items() for x in _leaves(c, f"{name} {n}")]


STUDIO = [
    {
        "id": i,
        "data": {"query_text": f"q{i % 2}", "passage": f"p{i}", "who": "eve"},
        "annotations": [
            {
                "completed_by": who,
                "result": [
                    {"from_name": "relevance", "value": {"choices": [str((i + who) % 3)]}},
                    {"from_name": "sure", "value": {"rating": 5}},
                ],
            }
            for who in (1, 2)
        ],
    }
    for i in range(4)
]


def test_exports_with_other_field_names(run: Run, folder: Path) -> None:
    """Guards exports of Label Studio and Prodigy whose tasks name topic, document and rating in their own way."""
    (folder / "s.json").write_text(json.dumps(STUDIO))
    code, _, err = run("aggregate", "s.json", "--aggregate", "sum")
    assert code == 2
    assert "task 1 has no topic: there is no field 'topic'; there are query_text, passage, who" in err
    names = "topic=query_text,doc=passage"
    code, _, err = run("aggregate", "s.json", "--aggregate", "sum", "--columns", names)
    assert (code, "contains 2 ratings" in err, "--columns label=relevance" in err) == (2, True, True), err
    code, out, err = run("aggregate", "s.json", "--aggregate", "sum", "--columns", f"{names},label=relevance")
    assert code == 0, err
    gains = {(t, d): int(x) for t, _, d, x in (line.split() for line in out.splitlines())}
    assert gains == {(f"q{i % 2}", f"p{i}"): (i + 1) % 3 + (i + 2) % 3 for i in range(4)}
    lines = [
        {"meta": {"query_text": f"q{i % 2}"}, "passage": f"p{i}", "grade": (i + who) % 3, "by": f"w{who}",
         "answer": "accept", "_task_hash": i} for i in range(4) for who in (1, 2)
    ]  # fmt: skip
    (folder / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run("aggregate", "p.jsonl", "--aggregate", "sum", "--columns", f"{names},label=grade,assessor=by")[1] == out


def test_the_one_name_is_printed(run: Run) -> None:
    """Guards output that others read: our one name is printed, whichever was asked for; trec_eval's stay in its own."""
    for form in ("csv", "trec", "json", "latex"):
        out = run("eval", "q.qrels", "a.run", "-m", "precision@5", "-m", "hit_rate@3", "--format", form)[1]
        assert "P@5" in out
        assert "Success@3" in out
        assert "precision" not in out.replace('"truegain"', "")
    assert "P_5 " in run("eval", "q.qrels", "a.run", "-m", "P_5", "--format", "trec")[1]
