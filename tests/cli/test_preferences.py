"""`verdict`, `compare`, `gate` and `plan preferences` on preferences, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from truegain.preferences.simulated import simulated_votes, votes_as_csv


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Votes of a judge in both orders, and people's on half of its comparisons."""
    judge, people = simulated_votes(topics=40)
    (tmp_path / "prefs.csv").write_bytes(votes_as_csv(judge))
    (tmp_path / "people.csv").write_bytes(votes_as_csv(people))
    (tmp_path / "q.csv").write_text("topic doc label\n1 a 2\n")
    return tmp_path


def test_a_verdict_needs_no_runs(run: Run) -> None:
    """Guards the first command: a pair from a table of preferences, by a judge that nobody checked."""
    code, out, err = run("verdict", "prefs.csv", "--pair", "prod,new")
    assert (code, err) == (0, "")
    assert out.startswith("By judge-7b's preferences, which no person has checked, ")
    assert "only 4-9% narrower than people alone" in out


def test_with_gold_the_verdict_is_a_claim(run: Run) -> None:
    """Guards gold: corrected, with its share of the variance, in text and in JSON."""
    words = ("verdict", "prefs.csv", "--pair", "prod,new", "--gold", "people.csv", "--design", "random")
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert out.startswith("new is better than prod: +")
    assert "The judge agrees with people on" in out
    code, out, _ = run(*words, "-m", "bradley-terry", "-m", "davidson", "--format", "json")
    answer = json.loads(out)
    assert [v["measure"] for v in answer["verdicts"]] == ["Bradley-Terry", "Davidson"]
    assert set(answer["provenance"]["inputs"]) == {"prefs.csv", "people.csv"}
    assert (answer["provenance"]["design"], answer["provenance"]["votes"]) == ("random", 240)
    code, _, err = run(*words[:-2])
    assert code == 2
    assert "how were the gold pairs sampled? Give --design one of" in err


def test_all_systems_are_ranked(run: Run) -> None:
    """Guards `verdict` without a pair and `compare`: who may be best, all pairs, or all against one."""
    code, out, _ = run("verdict", "prefs.csv", "--trust-judge")
    assert code == 0
    assert "may be best on half-wins" in out
    assert "The two best, as if chosen in advance" in out
    assert out.count("votes are ties") == 1, "told once, with the ranking"
    code, out, err = run("compare", "prefs.csv", "--gold", "people.csv", "--design", "random")
    assert (code, err) == (0, "")
    assert "may be best on half-wins" in out.splitlines()[0]
    assert [line.split()[:2] for line in out.splitlines()[3:6]] == [["prod", "new"], ["prod", "old"], ["new", "old"]]
    code, out, _ = run("compare", "prefs.csv", "--baseline", "new", "-m", "win-rate", "--format", "csv")
    assert [line.split(",")[:3] for line in out.splitlines()[1:]] == [
        ["new", "prod", "win-rate"], ["new", "old", "win-rate"],
    ]  # fmt: skip
    code, out, _ = run("compare", "prefs.csv", "--groups")
    assert out.splitlines()[2].split() == ["system", "half-wins", "rank", "low", "rank", "high", "tier"]


def test_gate_decides_by_preferences(run: Run) -> None:
    """Guards continuous integration: the exit code, with gold and without."""
    gold = ("--gold", "people.csv", "--design", "random")
    assert run("gate", "prefs.csv", "--baseline", "old", "--candidate", "new", *gold)[0] == 0
    assert run("gate", "prefs.csv", "--baseline", "old", "--candidate", "new")[0] == 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("eval prefs.csv", "prefs.csv contains preferences, which `eval` does not read; these do: `truegain verdict`"),
        (
            "eval prefs.csv q.csv",
            "prefs.csv contains preferences, which `eval` does not read; these do: `truegain verdict`",
        ),
        (
            "judge check prefs.csv --gold people.csv",
            "prefs.csv contains preferences, which `judge check` does not read; these do: `truegain plan preferences`",
        ),
        ("plan labels prefs.csv", "which `plan labels` does not read; these do: `truegain plan preferences`"),
        ("plan topics prefs.csv --min-effect 1", "which `plan topics` does not read; these do: `truegain plan pref"),
        ("verdict prefs.csv --aggregate mean", "--aggregate applies to labels of documents, not to preferences"),
        ("verdict prefs.csv -m nDCG@10", "there is no measure of preferences 'nDCG@10'"),
        ("compare prefs.csv --test sign", "--test does not apply to preferences; leave it out"),
        ("compare prefs.csv --population collection", "--population does not apply to preferences"),
        ("verdict prefs.csv --population collection", "preferences show how answers vary over topics and assessors"),
        ("verdict prefs.csv prefs.csv", "prefs.csv contains preferences, which need no runs; leave them out"),
        (
            "verdict prefs.csv --gold q.csv --design random",
            "no column topic, a, b and 1 more among topic doc label",
        ),
        (
            "verdict prefs.csv --strip-prefix p",
            "--strip-prefix is about judgments and runs; change the names in",
        ),
        ("verdict prefs.csv --columns topic=t", "--columns is about judgments and runs"),
        ("compare prefs.csv --values a=1", "--values is about judgments and runs"),
        ("verdict lost.csv", "no such file"),
        ("plan preferences", "give either --agreement, or the judge's preferences and --gold"),
        ("plan preferences prefs.csv", "--gold is missing"),
        ("plan preferences --agreement 0.3", "--agreement 0.3: give a share from 0.5 to 1"),
        ("plan preferences --agreement 0.9 --gold-share 2", "--gold-share 2"),
    ],
)
def test_what_is_refused(run: Run, words: str, says: str) -> None:
    """Guards messages of the command line: options that preferences do not have are named."""
    code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert says in err


def test_what_a_judge_brings_before_it_is_bought(run: Run) -> None:
    """Guards the plan: by agreement, and measured on a pilot."""
    code, out, _ = run("plan", "preferences", "--agreement", "0.78")
    assert code == 0
    assert out.startswith("A judge that agrees with people on 78% of comparisons, 20% ties (r = 0.50)")
    code, out, _ = run(
        "plan", "preferences", "prefs.csv", "--gold", "people.csv", "--gold-share", "0.5", "--format", "csv"
    )
    assert code == 0
    share, width, _ = out.splitlines()[1].split(",")
    assert float(share) == 0.5
    assert 0.7 < float(width) < 1


@pytest.mark.parametrize(("votes", "words"), [("prefs.csv", ()), ("tied.csv", ()), ("tied.csv", ("--trust-judge",))])
def test_the_gate_says_trusted_of_what_is_trusted(run: Run, folder: Path, votes: str, words: tuple[str, ...]) -> None:
    """Guards 'trusted without a check', said where nobody gave --trust-judge; and the way out of unchecked ones."""
    rows = [f"{t},prod,new,{winner},m" for t in range(40) for winner in ("a" if t % 2 else "b",)]
    (folder / "tied.csv").write_text("topic,a,b,winner,model\n" + "\n".join(rows) + "\n")
    code, out, _ = run("gate", votes, "--baseline", "prod", "--candidate", "new", *words)
    assert (code, "trusted without a check" in out.splitlines()[0]) == (3, bool(words)), out
    doubt = "Have people compare some of these pairs, drawn at random, and give their preferences with `--gold`"
    assert (doubt in out) == (votes == "prefs.csv")
