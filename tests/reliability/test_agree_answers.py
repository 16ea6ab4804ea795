"""Agreement of values of answers and of preferences: alpha by its definition, over a matrix built from the rows."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.reliability.test_alpha import brute
from truegain.data.item_ratings import ratings_of_items

SUPPORT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
Rows = list[dict[str, Any]]


def matrix_of(rows: Iterable[Mapping[str, Any]], who: str, item: tuple[str, ...], value: str) -> Any:
    """Raters by items, from rows; NaN where there is none."""
    rows = [row for row in rows if row[value] is not None]
    raters = list(dict.fromkeys(row[who] for row in rows))
    items = list(dict.fromkeys(tuple(row[name] for name in item) for row in rows))
    matrix = np.full((len(raters), len(items)), np.nan)
    for row in rows:
        matrix[raters.index(row[who]), items.index(tuple(row[name] for name in item))] = row[value]
    return matrix


def judged(judges: tuple[str, ...] = ("ann", "bob", "gpt"), seed: int = 1, binary: bool = False) -> Rows:
    """Answers of three systems to twelve questions, each judged by some of the judges."""
    rng, rows = np.random.default_rng(seed), Rows()
    for t in range(12):
        for s in ("old", "new", "other"):
            truth = rng.random()
            for judge in judges:
                value: float | None = float(np.clip(truth + rng.normal(0, 0.2), 0, 1).round(2))
                value = None if rng.random() < 0.2 else float(value > 0.5) if binary else value  # type: ignore[operator]
                rows.append({"system": s, "topic": f"q{t}", "faith": value, "judge": judge})
    return rows


def value_of(report: Any, name: str) -> float:
    """A statistic of a report."""
    return float(next(row[1] for row in report.overall.rows if row[0] == name))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_alpha_of_judges_is_krippendorffs(seed: int) -> None:
    """Guards agreement of several judges: numbers at the interval level, missing values left out."""
    rows = judged(seed=seed)
    with pytest.warns(tg.DataWarning, match="values are missing and left out"):
        report = tg.agreement(tg.read_items(rows), resamples=0)
    matrix = matrix_of(rows, "judge", ("system", "topic"), "faith")
    assert value_of(report, "alpha interval") == pytest.approx(brute(matrix, "interval"), abs=1e-12)
    assert report.overall.title.endswith("values of faith by 3 judges")
    assert report.unit == "answer"
    assert {row[0] for row in report.overall.rows} >= {"Fleiss' kappa (pooled)", "mean Cohen's kappa"}
    with pytest.warns(tg.DataWarning, match="values are missing"):
        ordinal = tg.agreement(tg.read_items(rows), scale="ordinal 0:1", resamples=0)
    assert value_of(ordinal, "alpha ordinal") == pytest.approx(brute(matrix, "ordinal"), abs=1e-12)


@pytest.mark.filterwarnings("ignore:.*missing and left out:truegain.errors.DataWarning")
def test_pass_and_fail_are_nominal() -> None:
    """Guards the level of values of 0 and 1."""
    rows = judged(binary=True)
    report = tg.agreement(tg.read_items(rows), resamples=0)
    matrix = matrix_of(rows, "judge", ("system", "topic"), "faith")
    assert value_of(report, "alpha nominal") == pytest.approx(brute(matrix, "nominal"), abs=1e-12)
    assert not any("different values" in note for note in report.overall.notes)


def test_repeats_of_one_judge() -> None:
    """Guards repeats as raters where no answer has two judges, and that it is told what they are."""
    rng = np.random.default_rng(4)
    rows = [{"system": s, "topic": f"q{t}", "faith": round(float(rng.random()), 2), "judge": "gpt", "replicate": k}
            for t in range(10) for s in "ab" for k in (1, 2, 3)]  # fmt: skip
    report = tg.agreement(tg.read_items(rows), resamples=0)
    expected = brute(matrix_of(rows, "replicate", ("system", "topic"), "faith"), "interval")
    assert value_of(report, "alpha interval") == pytest.approx(expected, abs=1e-12)
    assert report.overall.title == "Agreement of 60 values of faith by 3 repeats"
    assert any(note.startswith("repeats by one judge (gpt)") for note in report.overall.notes)
    assert any("different values: percent agreement" in note for note in report.overall.notes)


def test_judges_who_were_asked_again() -> None:
    """Guards single values: of a judge's repeats the first counts, whatever the order of rows."""
    rows = [{"system": "a", "topic": f"q{t}", "faith": (t * k + len(judge)) % 5 / 4, "judge": judge, "replicate": k}
            for t in range(8) for judge in ("ann", "bobby") for k in (1, 2)]  # fmt: skip
    for given in (rows, [rows[0], *rows[:0:-1]]):  # repeats are numbered as they come
        with pytest.warns(tg.DataWarning, match="16 values left out, because agreement is of single values"):
            report = tg.agreement(tg.read_items(given), resamples=0)
        first = [row for row in rows if row["replicate"] == 1]
        expected = brute(matrix_of(first, "judge", ("system", "topic"), "faith"), "interval")
        assert value_of(report, "alpha interval") == pytest.approx(expected, abs=1e-12)


def test_nothing_to_agree_with() -> None:
    """Guards refusals: one value an answer, a score that is not there, experts, a score of ratings."""
    rows = [{"system": s, "topic": t, "faith": 0.5, "judge": "gpt"} for s in "ab" for t in "123"]
    items = tg.read_items(rows)
    with pytest.raises(tg.InputError, match="is the only one of its answer, by gpt"):
        tg.agreement(items)
    with pytest.raises(tg.TruegainError, match=r"There are faith, tone; choose by items.of_score\('faith'\)"):
        tg.agreement(tg.read_items([{**row, "tone": 1} for row in rows]))
    with pytest.raises(tg.TruegainError, match="experts put documents of a topic in order"):
        tg.agreement(items, {"1": {"a": 1}})
    assert ratings_of_items(tg.read_items([*rows, {**rows[0], "judge": "ann"}])).by == "judge"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Nuggets assigned by two people, scores of judges in two files, votes of people."""
    bank, assigned = Rows(), Rows()
    rng = np.random.default_rng(5)
    for t in range(6):
        for j in range(5):
            nugget = f"q{t} fact {j}"
            bank.append({"qid": f"q{t}", "nugget": nugget, "importance": "vital"})
            for system in ("old", "new"):
                truth = int(rng.integers(0, 3))
                for who in ("ann", "bob"):
                    word = [*SUPPORT][int(np.clip(truth + rng.integers(-1, 2), 0, 2))]
                    word = "failed" if rng.random() < 0.1 else word
                    assigned.append(
                        {"qid": f"q{t}", "system": system, "nugget": nugget, "assignment": word, "assessor": who}
                    )
    for name, rows in (("nuggets.jsonl", bank), ("assigned.jsonl", assigned)):
        (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for system in ("old", "new"):
        lines = [f"{r['topic']},{'' if r['faith'] is None else r['faith']},{r['judge']}" for r in judged()
                 if r["system"] == system]  # fmt: skip
        (tmp_path / f"{system}.csv").write_text("\n".join(["topic,faith,judge", *lines, ""]))
    (tmp_path / "votes.csv").write_text(
        "\n".join(["topic,a,b,winner,assessor,first", *(",".join(map(str, v)) for v in votes()), ""])
    )
    (tmp_path / "ratings.csv").write_text("topic,doc,assessor,label\n1,a,x,1\n1,a,y,1\n1,b,x,0\n1,b,y,1\n")
    return tmp_path


def votes() -> list[tuple[str, str, str, str, str, str]]:
    """Three people on pairs of three systems; Ann sees each pair in both orders."""
    rng, rows = np.random.default_rng(6), []
    for t in range(10):
        for a, b in (("old", "new"), ("new", "third"), ("third", "old")):
            for who in ("ann", "bob", "cid"):
                for x, y in ((a, b), (b, a)) if who == "ann" else ((a, b),):
                    rows.append((f"q{t}", x, y, str(rng.choice([x, y, "tie"], p=[0.6, 0.2, 0.2])), who, x))
    return rows


def overall(out: str) -> dict[str, float]:
    """The statistics that a command printed as JSON."""
    return {row["statistic"]: row["value"] for row in json.loads(out)["rows"]}


def test_the_command_with_nuggets(run: Run, folder: Path) -> None:
    """Guards assignments by several people: labels in an order, alpha at every level, each by its definition."""
    code, out, err = run("agree", "nuggets.jsonl", "assigned.jsonl", "--resamples", "0", "--format", "json")
    assert code == 0
    assert "values are missing and left out" in err
    rows = [json.loads(line) for line in (folder / "assigned.jsonl").read_text().splitlines()]
    matrix = matrix_of(
        [{**row, "value": SUPPORT.get(row["assignment"])} for row in rows], "assessor", ("system", "nugget"), "value"
    )
    found = overall(out)
    for level in ("ordinal", "nominal", "interval"):
        assert found[f"alpha {level}"] == pytest.approx(brute(matrix, level), abs=1e-12)


def test_the_command_with_scores_in_several_files(run: Run, folder: Path) -> None:
    """Guards a file a system, documents by their system, and values outside the scale."""
    words = ("agree", "old.csv", "new.csv", "--score", "faith", "--resamples", "0")
    rows = [row for row in judged() if row["system"] != "other"]
    code, out, _ = run(*words, "--format", "json")
    assert code == 0
    expected = brute(matrix_of(rows, "judge", ("system", "topic"), "faith"), "interval")
    assert overall(out)["alpha interval"] == pytest.approx(expected, abs=1e-12)
    code, out, _ = run(*words, "--show", "documents", "--format", "json")
    assert {row["doc"] for row in json.loads(out)["rows"]} == {"old", "new"}
    code, _, err = run(*words, "--scale", "0:0.5")
    assert code == 2
    assert "--out-of-range drop" in err
    code, out, err = run(*words, "--scale", "0:0.5", "--out-of-range", "drop", "--format", "json")
    low = [{**row, "faith": None if row["faith"] is None or row["faith"] > 0.5 else row["faith"]} for row in rows]
    expected = brute(matrix_of(low, "judge", ("system", "topic"), "faith"), "interval")
    assert overall(out)["alpha interval"] == pytest.approx(expected, abs=1e-12)
    assert "lie outside the scale 0:0.5 and are dropped" in err


def test_the_command_with_preferences(run: Run, folder: Path) -> None:
    """Guards votes as nominal ratings of a pair on a topic; two orders of one person are one vote, or a tie."""
    code, out, _ = run("agree", "votes.csv", "--resamples", "0", "--format", "json")
    assert code == 0
    won: dict[tuple[str, str, frozenset[str]], list[float]] = {}
    for topic, a, b, winner, who, _ in votes():
        first = min(a, b)  # any order that a pair always has
        won.setdefault((who, topic, frozenset((a, b))), []).append({first: 1.0, "tie": 0.5}.get(winner, 0.0))
    # the sides of a pair are named by the order of systems in the file: old, new, third
    side = {frozenset(("old", "new")): -1, frozenset(("new", "third")): 1, frozenset(("third", "old")): 1}
    rows: Rows = [{"who": who, "item": (topic, pair), "x": side[pair] * float(np.sign(np.mean(of) - 0.5))}
                  for (who, topic, pair), of in won.items()]  # fmt: skip
    expected = brute(matrix_of(rows, "who", ("item",), "x"), "nominal")
    assert overall(out)["alpha nominal"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("agree", "old.csv"), "a table of scores? add --score faith"),
        (("agree", "old.csv", "--score", "faith", "--expert", "ratings.csv"), "`truegain judge check --gold FILE`"),
        (("agree", "old.csv", "--score", "faith", "--repeated", "mean"), "--repeated does not apply to answers"),
        (("agree", "votes.csv", "--scale", "0:1"), "--scale does not apply to preferences"),
        (("agree", "votes.csv", "--expert", "ratings.csv"), "--expert applies to ratings of documents"),
        (("agree", "ratings.csv", "votes.csv"), "only values of answers can come in several files"),
        (("agree", "nuggets.jsonl"), "list the nuggets, but not which of them the answers support"),
    ],
)
def test_what_is_refused(run: Run, folder: Path, words: tuple[str, ...], message: str) -> None:
    """Guards true reasons and remedies that work."""
    code, _, err = run(*words)
    assert code == 2
    assert message in err


def test_ratings_from_standard_input(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards `agree - --scale`: standard input can be read once, so nothing looks at its columns before."""
    data = (folder / "ratings.csv").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    words = ("--scale", "0:1", "--resamples", "0", "--format", "json")
    code, out, err = run("agree", "-", *words)
    assert code == 0, err
    assert overall(out) == overall(run("agree", "ratings.csv", *words)[1])


def test_votes_of_one_assessor() -> None:
    """Guards votes that nobody else gave, and votes of nobody in particular."""
    one = [{"topic": "1", "a": "x", "b": "y", "winner": "a"}]
    with pytest.raises(tg.InputError, match="no column tells whose each vote is"):
        tg.read_preferences(one).ratings()
    with pytest.raises(tg.InputError, match="all votes are by ann"):
        tg.read_preferences([{**one[0], "assessor": "ann"}]).ratings()
