"""A team's study: the table [team], what does not go with it, and the way from a list to its labels."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import median_low

import pytest

from tests.judging.teaming import Member, doc_of, listed, team_folder, team_of
from tests.judging.test_list_to_verdict import Command, command  # noqa: F401
from tests.judging.walking import Time, service_of
from truegain.errors import TruegainError
from truegain.judging.labels import labels_of_list
from truegain.judging.store.database import Database, default_url
from truegain.judging.study.checking import check_study
from truegain.judging.study.create import toml_of
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import JudgingSettings, People, Rules, Team, Words, read_settings, read_study
from truegain.judging.study.units import Design

USUAL = '[team]\n[words]\ntitle = "T"\n'


def read(folder: Path, text: str) -> tuple[JudgingSettings, list[str]]:
    """What a file says, and what is wrong with it."""
    (folder / "judging.toml").write_text(text)
    faults: list[str] = []
    settings = read_settings(folder, faults)
    assert settings is not None
    return settings, faults


def test_read_as_written(tmp_path: Path) -> None:
    """Guards judging.toml: the table [team] is written and read back, and is not there without a team."""
    team = Team(0.25, 45.0, True)
    words, rules = Words("T"), Rules(0.0, reason=False, others=2)
    settings = JudgingSettings("s", "graded", design=Design(1, 1, "decisive"), words=words, rules=rules,
                               people=People("invitation", most_of_topic=None), team=team)  # fmt: skip
    assert read(tmp_path, toml_of(settings)) == (settings, [])
    assert "[team]" not in toml_of(JudgingSettings("s"))


def test_usual(tmp_path: Path) -> None:
    """Guards what is usual for a team: a row a unit in the list's order, no reason asked, short leases."""
    settings, faults = read(tmp_path, 'task = "graded"\n' + USUAL)
    assert faults == []
    assert (settings.design, settings.rules.reason, settings.team) == (Design(1, 1, "decisive"), False, Team())
    assert settings.team == Team(0.0, 120.0, False)
    assert read(tmp_path, 'task = "graded"\n')[0].team is None
    assert read(tmp_path, 'task = "graded"\n[team]\n[rules]\nreason = true\n')[0].rules.reason


@pytest.mark.parametrize(("text", "said"), [
    ("[team]\ndouble = 1.2", "judging.toml:2: double is 1.2 (give a share from 0 to 1)"),
    ("[team]\ndouble = true", "judging.toml:2: double is True (give a share from 0 to 1)"),
    ("[team]\nlease = 5", "judging.toml:2: lease is 5 (give a number of at least 20)"),
    ("[team]\ndoubled = 0.1", "judging.toml:2: 'doubled' is not a key of [team] (did you mean double?)"),
    ("team = true", "judging.toml:1: team is True (write a table [team])"),
])  # fmt: skip
def test_wrong_by_line(tmp_path: Path, text: str, said: str) -> None:
    """Guards who writes the table by hand: the line, the value, and what would be right."""
    assert [said in fault for fault in read(tmp_path, text)[1]] == [True]


@pytest.mark.parametrize(("text", "said"), [
    ("judgments = 3", "judgments is 3 in [units]: a [team] needs 1; double in [team] asks a second person"),
    ("size = 8", "size is 8 in [units]: a [team] needs 1"),
    ('order = "spread"', "order is 'spread' in [units]: a [team] needs 'decisive'"),
])  # fmt: skip
def test_units_that_do_not_fit(tmp_path: Path, text: str, said: str) -> None:
    """Guards the list's order: units of any other kind are refused, with what would fit."""
    team_folder(tmp_path / "s")
    path = tmp_path / "s" / "judging.toml"
    key = text.partition(" ")[0]
    lines = [text if line.startswith(f"{key} =") else line for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines))
    assert check_study(tmp_path / "s").faults == (said,)


def test_tasks_and_people_that_do_not_fit(tmp_path: Path) -> None:
    """Guards tasks without labels, platforms that pay sets, and a second person where there is one."""
    simulated_study(tmp_path / "m", topics=2, docs=5)
    path = tmp_path / "m" / "judging.toml"
    path.write_text(path.read_text() + "\n[team]\n")
    assert (
        "a [team] labels documents, and the task is magnitude: use graded or binary" in check_study(path.parent).faults
    )
    team_folder(tmp_path / "s", double=0.5)
    path = tmp_path / "s" / "judging.toml"
    path.write_text(path.read_text().replace('platform = "open"', 'platform = "mturk"\nnumber = 1'))
    said = " ".join(check_study(path.parent).faults)
    assert "platform is 'mturk' in [people]: it pays a set once" in said
    assert "double in [team] asks a second person, and there is 1 (number in [people])" in said


def test_labels_are_of_rows(tmp_path: Path) -> None:
    """Guards studies of sets: their units are no rows, and that is said."""
    study = simulated_study(tmp_path / "s", task="graded", topics=2, docs=12)
    database = Database(default_url(tmp_path / "s"))
    with pytest.raises(TruegainError, match="hold more than one document"):
        labels_of_list(database, study)
    database.close()


def test_topic_page_where_asked(tmp_path: Path, clock: Time) -> None:
    """Guards studies that ask for it: a topic's own page comes before its documents, once while it stays the same."""
    study = team_folder(tmp_path / "s", rows=4, topic_page=True)
    database = Database(default_url(tmp_path / "s"))
    _, (one,) = team_of(study, database, clock, "p1")
    assert one.page().step.name == "topic"
    one.send(action="next")
    assert one.label() == "d00"
    assert one.page().step.name == "topic"
    database.close()


# ---------------------------------------------------------------------- the command, and the way to labels


INIT = "annotate init study --topics topics.jsonl --docs docs.jsonl --pool list.csv"


@pytest.mark.parametrize(("words", "said"), [
    ("--teamwork", "--teamwork: a team labels documents; add --task graded, or --task binary"),
    ("--task graded --double 0.1", "--double applies only to a team's list; add --teamwork"),
    ("--task graded --teamwork --judgments 2", "--judgments: each row of a team's list has one label; --double 1 asks"),
    ("--task graded --teamwork --size 4", "--size: a team labels the list in its order, row by row; leave"),
    ("--task graded --teamwork --order spread", "--order: a team labels the list in its order, row by row; leave"),
    ("--task graded --teamwork --platform prolific", "--platform: a team joins by invitation or openly, and prolific"),
])  # fmt: skip
def test_refused_options(command: Command, words: str, said: str) -> None:  # noqa: F811
    """Guards options that do not go together: told before anything is read, with what to do."""
    code, _, err = command(f"{INIT} {words}")
    assert code == 2
    assert said in err


@pytest.mark.slow
def test_from_a_list_to_labels(command: Command, clock: Time) -> None:  # noqa: F811
    """Guards the whole way: init --teamwork, two people, some rows for both; the filled list has their labels."""
    assert command("plan labels llm.qrels s0.run s1.run -m P@5 -o list.csv")[0] == 0
    code, out, _ = command(f"{INIT} --task graded --teamwork --double 0.5")
    assert code == 0, out
    assert 'platform = "invitation"' in Path("study/judging.toml").read_text()
    assert command("annotate check study")[0] == 0
    Path("study/judging.toml").write_text(Path("study/judging.toml").read_text().replace('"invitation"', '"open"'))
    study, database = read_study("study"), Database(default_url("study"))
    with Path("list.csv").open(newline="") as file:
        rows = [(row["topic"], row["doc"]) for row in csv.DictReader(file)]
    service = service_of(study, database, clock)
    one, two = Member(service, "p1"), Member(service, "p2")
    for member in (one, two):
        member.come()
    shown = [one.page().documents[0].text]
    for _ in range(20):
        one.send(label="1")
        two.send(label="0")
        shown.append(one.page().documents[0].text)
    found = listed(database, study)
    assert [(label.topic, label.doc) for label in found.labels] == rows[: len(found.labels)]
    assert found.top >= 15
    database.close()
    assert command("annotate export study -o ratings.csv --filled filled.csv")[0] == 0
    with Path("filled.csv").open(newline="") as file:
        filled = [row["label"] for row in csv.DictReader(file) if row["label"]]
    told = [f"{median_low([x for x in label.labels if x is not None]):g}" for label in found.labels[: found.top]]
    assert filled == told


def test_order_of_documents(tmp_path: Path, clock: Time) -> None:
    """Guards the pool's order: it is the order in which rows are given out."""
    study = team_folder(tmp_path / "s", rows=6)
    database = Database(default_url(tmp_path / "s"))
    _, (one,) = team_of(study, database, clock, "p1")
    assert [doc_of(one.page()), *(one.label() and doc_of(one.page()) for _ in range(5))] == [
        f"d{i:02d}" for i in range(6)
    ]
    database.close()
