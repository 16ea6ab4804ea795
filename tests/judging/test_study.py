"""Studies: read from a folder and written into one, from the files that people have."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from truegain.errors import TruegainError
from truegain.judging.study.checking import _unknown_texts
from truegain.judging.study.create import toml_of
from truegain.judging.study.files import read_documents, read_topics
from truegain.judging.study.simulated import simulated_study, simulated_truth
from truegain.judging.study.study import JudgingSettings, People, Rules, Words, read_settings, read_study
from truegain.judging.study.units import Design
from truegain.judging.tasks.base import Question, Topic

TASKS = ("magnitude", "graded", "binary", "preference", "claim")


def written(folder: Path, name: str, text: str) -> Path:
    """A file with this text."""
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("task", TASKS)
def test_a_simulated_study_is_whole(tmp_path: Path, task: str) -> None:
    """Guards what everyone's tests stand on: units of each topic, whose documents are there, readable and different."""
    study = simulated_study(tmp_path / "s", task=task, topics=5, docs=12, judgments=3)
    assert study == read_study(tmp_path / "s")
    assert {unit.topic for unit in study.units} == set(study.topics)
    used = {doc for unit in study.units for item in unit.items for doc in item.docs}
    assert used == set(study.documents)
    assert len({d.text for d in study.documents.values()}) == len(used) == 60
    assert all(t.question and t.text and t.counts and t.counts_not for t in study.topics.values())
    for text in [*(d.text for d in study.documents.values()), *(t.text for t in study.topics.values())]:
        assert not set("{}<>") & set(text)
        assert text[0].isupper()
        assert text[-1] in ".?"
    assert all(bool(item.claim) is (task == "claim") for unit in study.units for item in unit.items)
    assert all(item.claim in item.answer for unit in study.units for item in unit.items)


def test_the_truth_can_be_read(tmp_path: Path) -> None:
    """Guards the truth: the more of what is asked a document tells, the more it is worth; Hk and Nk are its ends."""
    study = simulated_study(tmp_path, topics=4, docs=16, judgments=2)
    truth = simulated_truth(tmp_path)
    for topic in study.topics:
        own = {t.doc: t for t in truth if t.topic == topic}
        best, worst = max(own.values(), key=lambda t: t.worth), min(own.values(), key=lambda t: t.worth)
        told = study.documents[best.doc].text.split("\n\n")[1:-1]
        assert len(told) == 5
        shared = {d: sum(p in study.documents[d].text for p in told) for d in own}
        assert all(shared[d] == {80: 5, 60: 3, 40: 2, 20: 1}.get(int(t.worth), 0) for d, t in own.items())
        for unit in (u for u in study.units if u.topic == topic):
            assert unit.high is not None
            assert unit.low is not None
            assert unit.items[unit.high].docs == (best.doc,)
            assert own[unit.items[unit.low].docs[0]].worth == worst.worth
    assert [t.grade for t in sorted(truth, key=lambda t: t.worth)] == sorted(t.grade for t in truth)


def test_the_same_seed_gives_the_same_study(tmp_path: Path) -> None:
    """Guards digests: the same for the same seed, another for any change of what is judged."""
    one, two, other = (simulated_study(tmp_path / str(i), topics=2, docs=6, seed=s) for i, s in enumerate((0, 0, 1)))
    assert one.digest == two.digest != other.digest
    path = tmp_path / "0" / "docs.jsonl"
    path.write_text(path.read_text().replace("This page", "That page", 1))
    assert read_study(tmp_path / "0").digest != one.digest


def test_nothing_is_written_over(tmp_path: Path) -> None:
    """Guards a study that is there: another one does not take its place."""
    simulated_study(tmp_path, topics=1, docs=3)
    before = (tmp_path / "judging.toml").read_text()
    with pytest.raises(TruegainError, match=r"judging\.toml: this file exists already"):
        simulated_study(tmp_path, topics=2, docs=3)
    assert (tmp_path / "judging.toml").read_text() == before


def test_topics_under_other_names(tmp_path: Path) -> None:
    """Guards the topics that people have: TREC's file, its names in JSON, queries with tabs, CSV."""
    faults: list[str] = []
    trec = "<top>\n<num> Number: 401\n<title> foreign minorities\n\n<desc> Description:\nWhat language?\n\n"
    trec += "<narr> Narrative:\nA relevant\ndocument says.\n</top>\n<top><num>402<title>genes</top>\n"
    first, second = read_topics(written(tmp_path, "t.trec", trec), faults)
    assert first.topic == Topic("401", "foreign minorities", "What language?", "A relevant document says.")
    assert (second.topic.id, second.topic.title, second.topic.text) == ("402", "genes", "")
    said = {"qid": 7, "query": "lamps", "description": "How to mend one?", "narrative": "Steps.", "high": 3, "low": "b"}
    (row,) = read_topics(written(tmp_path, "t.jsonl", json.dumps(said)), faults)
    assert row.topic == Topic("7", "lamps", "How to mend one?", "Steps.")
    assert (row.high, row.low) == ("3", "b")
    (row,) = read_topics(written(tmp_path, "queries.tsv", '121\twhat is a "lamp"\n'), faults)
    assert row.topic == Topic("121", 'what is a "lamp"', "")
    csv = "id,title,text,question,options,right\n1,a,b,Which?,w|x|y|z,y\n"
    (row,) = read_topics(written(tmp_path, "t.csv", csv), faults)
    assert row.topic.question == Question("Which?", ("w", "x", "y", "z"), 2)
    (row,) = read_topics(written(tmp_path, "q.jsonl", '{"_id": "1", "text": "only this"}'), faults)
    assert (row.topic.title, row.topic.text) == ("only this", "")
    assert faults == []


def test_documents_under_other_names(tmp_path: Path) -> None:
    """Guards BEIR's and MS MARCO's files: only what is wanted is kept, quotes in lines with tabs are quotes."""
    faults: list[str] = []
    beir = '{"_id": "a", "title": "T", "text": "x"}\n{"_id": "b", "title": "", "text": "y", "url": "u.example"}\n'
    found = read_documents(written(tmp_path, "corpus.jsonl", beir), faults, {"b"})
    assert {d: (x.title, x.source, x.text) for d, x in found.items()} == {"b": ("", "u.example", "y")}
    (tmp_path / "collection.tsv.gz").write_bytes(gzip.compress(b'0\tsays "no\n1\tyes\n'))
    assert [d.text for d in read_documents(tmp_path / "collection.tsv.gz", faults).values()] == ['says "no', "yes"]
    docs = written(tmp_path, "docs.tsv", "D1\thttps://a.example\tTitle\tBody\n")
    assert read_documents(docs, faults)["D1"].title == "Title"
    table = written(tmp_path, "docs.csv", 'id,title,text\n1,A,"two\nlines"\n')
    assert read_documents(table, faults)["1"].text == "two\nlines"
    assert faults == []


def test_all_that_is_wrong_with_rows_is_told(tmp_path: Path) -> None:
    """Guards the one look before people are paid: reading goes on after a fault, and each has its line."""
    faults: list[str] = []
    question = {"asked": "?", "options": ["a", "b", "c"], "right": "a"}
    lines = [
        "{", '{"title": "no id"}', '{"id": 1}', '{"id": 2, "title": "x"}', '{"id": 2, "title": "y"}',
        json.dumps({"id": 3, "title": "x", "question": question}),
        json.dumps({"id": 4, "title": "x", "question": question | {"options": ["a", "b", "c", "a"]}}),
        json.dumps({"id": 5, "title": "x", "question": question | {"options": ["b", "c", "d", "e"]}}),
    ]  # fmt: skip
    read_topics(written(tmp_path, "t.jsonl", "\n".join(lines)), faults)
    said = (
        "not a JSON object", "without an id", "topic 1 has no text", "topic 2 appears twice, first on line 4",
        "has 3 options, not 4", "the same option twice", "right option 'a', which is none",
    )  # fmt: skip
    assert len(faults) == len(said)
    for line, (fault, words) in zip((1, 2, 3, 5, 6, 7, 8), zip(faults, said, strict=True), strict=True):
        assert f"t.jsonl:{line}: " in fault
        assert words in fault


def test_settings_are_read_as_they_are_written(tmp_path: Path) -> None:
    """Guards judging.toml: every key that is written is read back."""
    settings = JudgingSettings(
        "s-1", "graded", gold_list="list.csv", runs=("a.run",), labels=({"value": 1, "name": 'a "b"'},),
        design=Design(3, 6, "decisive", 9), words=Words('T "t"\n', "de", "c", "a", {"page.next": "Weiter"}),
        rules=Rules(5.5, 2, 3, 4, 90.0, ",", True, False),
        people=People("prolific", {"completed": "A", "failed": "B"}, 1.25, "EUR", 7.0, 3, 40),
    )  # fmt: skip
    written(tmp_path, "judging.toml", toml_of(settings))
    faults: list[str] = []
    assert read_settings(tmp_path, faults) == settings
    assert faults == []


def test_prolific_has_two_tries(tmp_path: Path) -> None:
    """Guards Prolific's rules, which want two tries, unless the study says how many."""
    written(tmp_path, "judging.toml", '[people]\nplatform = "prolific"\n[rules]\nquestion_tries = 1\n')
    found = read_settings(tmp_path, [])
    assert found is not None
    assert (found.rules.practice_tries, found.rules.question_tries) == (2, 1)
    assert found.name == tmp_path.name.strip("-_")


@pytest.mark.parametrize(("text", "said"), [
    ("name = 'a b'", "judging.toml:1: name is 'a b' (it is part of addresses"),
    ("\n[rules]\nseconds = -1", "judging.toml:3: seconds is -1 (give a number of at least 0)"),
    ("[rules]\nsecond = 1", "judging.toml:2: 'second' is not a key of [rules] (did you mean seconds?)"),
    ("seconds = 1", "judging.toml:1: 'seconds' is not a key (it belongs in [rules])"),
    ("[units]\nsize = 2.5", "judging.toml:2: size is 2.5 (give a whole number of at least 1)"),
    ("[units]\norder = 'first'", "judging.toml:2: order is 'first' (give one of 'spread', 'decisive')"),
    ("[people]\nplatform = 'x'", "judging.toml:2: platform is 'x' (give one of 'open'"),
    ("[people.codes]\ndone = 'x'", "judging.toml:1: codes is {'done': 'x'} ('done' is unknown"),
    ("rules = 3", "judging.toml:1: rules is 3 (write a table [rules])"),
    ("[rules]\nreason = 1", "judging.toml:2: reason is 1 (give true or false)"),
    ("[texts]\npage.next = 3", "judging.toml:2: page.next is 3 (give a text)"),
    ("a = ", "judging.toml:1: not valid TOML: Invalid value"),
])  # fmt: skip
def test_wrong_settings_are_told_by_line(tmp_path: Path, text: str, said: str) -> None:
    """Guards who writes judging.toml by hand: the line, the value, and what would be right."""
    written(tmp_path, "judging.toml", text)
    faults: list[str] = []
    read_settings(tmp_path, faults)
    assert len(faults) == 1
    assert said in faults[0]


def test_a_study_with_faults_is_not_opened(tmp_path: Path) -> None:
    """Guards the server: it does not start on what check would refuse, and says how many faults there are."""
    simulated_study(tmp_path, topics=2, docs=5)
    text = (tmp_path / "judging.toml").read_text()
    (tmp_path / "judging.toml").write_text(
        text.replace("size = 8", "size = 0").replace("seconds = 20", "seconds = 'x'")
    )
    with pytest.raises(TruegainError, match=r"size is 0.*; and 1 more: truegain annotate check"):
        read_study(tmp_path)
    with pytest.raises(TruegainError, match=r"is not a study.*annotate init"):
        read_study(tmp_path / "none")


def test_texts_that_no_page_has_are_told(tmp_path: Path) -> None:
    """Guards a study's own texts: a name that no page asks for, and words in braces that nothing fills in."""
    written(
        tmp_path, "judging.toml",
        '[texts]\n"team.wait_someone" = "We wait."\n"team.waits_someone" = "For {who}: {n}, {total}, {time}."\n'
        '"team.waits_someone_one" = "We wait: {n}."\n"page.next" = "On {page}"\n"ask" = "How {good}?"\n',
    )  # fmt: skip
    settings = read_settings(tmp_path, [])
    assert settings is not None
    assert _unknown_texts(settings) == [
        "[texts] team.wait_someone: no page has such a text; did you mean team.waits_someone?",
        "[texts] team.waits_someone: nothing is filled in for {who}, and people read it as it stands "
        "(there: {n}, {time}, {total})",
        "[texts] page.next: nothing is filled in for {page}, and people read it as it stands (there: none)",
        "[texts] ask: no page has such a text",
    ]


def test_texts_of_a_study(tmp_path: Path) -> None:
    """Guards translations: nested and quoted names are the same."""
    written(tmp_path, "judging.toml", '[texts]\n"page.back" = "B"\n[texts.page]\nnext = "N"\n')
    found = read_settings(tmp_path, [])
    assert found is not None
    assert found.words == replace(found.words, texts={"page.back": "B", "page.next": "N"})
