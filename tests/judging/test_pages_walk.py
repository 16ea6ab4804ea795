"""Whole ways through the pages by HTTP, at the real service on both databases, filling in only what pages show."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.judging.reading import Element, Html
from tests.judging.walking import Time
from truegain.judging.server.app import create_app
from truegain.judging.store.database import Database
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import JudgingStudy, People, Rules
from truegain.judging.workflow.assessor import AssessorService


class Browser:
    """A browser without script: it follows redirects, and sends what a form holds with the button that is pressed."""

    def __init__(self, study: JudgingStudy, service: AssessorService, **about: Any) -> None:
        self.client = TestClient(
            create_app(study, service.database, service=service, limits=None), follow_redirects=True, **about
        )
        self.study = study
        self.sizes: list[int] = []

    def get(self, path: str, **query: str) -> None:
        """Go to an address."""
        self._read(self.client.get(path, params=query or None))

    def press(self, button: str, **fields: str) -> None:
        """Fill in fields and press a button of the page."""
        found = next(b for b in self.page.find("button") if b.attributes.get("value") == button)
        form = self._form_of(found)
        known = {e.attributes.get("name") for e in self.page.all}
        assert set(fields) <= known, f"{self.path} has no {set(fields) - known}"
        sent = {**self.page.sent(form), **fields, "action": button}
        self._read(self.client.post(form.attributes["action"], data=sent))

    def _form_of(self, button: Element) -> Element:
        if named := button.attributes.get("form"):
            return self.page.one("form", id=named)
        return next(form for form in self.page.find("form") if button.within(form))

    def _read(self, answer: Any) -> None:
        assert answer.status_code == 200, (answer.status_code, answer.text)
        self.text, self.page = answer.text, Html(answer.text)
        self.path = re.sub("^/u/[^/]+", "", answer.url.path)
        self.token = answer.url.path.split("/")[2]

    def begin(self) -> None:
        """Come in by the open link, and agree."""
        self.get("/")
        self.press("next")
        assert self.path == "/consent"
        self.press("next", consent="yes")

    def practise(self, wrong: bool = False) -> None:
        """Give each line a number as long as it looks, or the other way round."""
        for _ in range(3):
            length = float(self.page.one("line").attributes["x2"])
            self.press("next", number=str(1000 - length if wrong else length))

    def answer_question(self, wrong: bool = False) -> None:
        """Choose the right option, or another."""
        asked = [topic.question for topic in self.study.topics.values() if topic.question]
        right = {question.options[question.right] for question in asked}
        labels = list(self.page.find("label", class_="pick"))
        found = {label.text.strip(): next(e for e in self.page.find("input") if e.within(label)) for label in labels}
        value = next(e.attributes["value"] for text, e in found.items() if (text in right) != wrong)
        self.press("next", choice=value)

    def judge(self, clock: Time, numbers: dict[str, float]) -> None:
        """Judge every document."""
        while self.path.startswith("/doc"):
            clock.go(30)
            self.press("next", number=f"{numbers[self.document()]:g}", reason="I read it")

    def document(self) -> str:
        """The id of the document that the page shows, by its whole text."""
        shown = "".join(self.page.one("article").text.split())
        texts = {"".join(f"{d.title}{d.source}{d.text}".split()): d.id for d in self.study.documents.values()}
        return texts[shown]


@pytest.fixture
def walked(tmp_path: Path) -> JudgingStudy:
    """A simulated study in which tries are two."""
    rules = Rules(practice_tries=2, question_tries=2)
    return simulated_study(tmp_path / "study", topics=2, docs=12, judgments=1, rules=rules)


@pytest.fixture
def browser(walked: JudgingStudy, database: Database, clock: Time) -> Browser:
    """Someone at the door."""
    return Browser(walked, AssessorService(walked, database, clock=clock))


def worth(study: JudgingStudy) -> dict[str, float]:
    """A number for every document of a study: Hk's the largest of its unit, Nk's the smallest."""
    high = {unit.items[unit.high].docs[0] for unit in study.units if unit.high is not None}
    low = {unit.items[unit.low].docs[0] for unit in study.units if unit.low is not None}
    return {doc: 90.0 if doc in high else 0.5 if doc in low else 10.0 for doc in study.documents}


@pytest.mark.smoke
def test_whole_unit(browser: Browser, walked: JudgingStudy, clock: Time) -> None:
    """Guards the flow from the link to the code, and that the code is on no page before, and the same on every look."""
    browser.begin()
    browser.practise()
    assert browser.path == "/topic"
    browser.answer_question()
    assert browser.path == "/doc/1"
    browser.judge(clock, worth(walked))
    assert browser.path == "/done"
    code = browser.page.one("p", id="code").text
    assert re.fullmatch(r"[A-Z2-7-]{19}", code)
    browser.get(f"/u/{browser.token}/")
    assert browser.page.one("p", id="code").text == code
    first = browser.token
    browser.press("next")  # another set
    assert (browser.path, browser.token != first) == ("/topic", True)  # consent and practice hold for it


def test_mistakes_are_told_and_what_was_typed_stays(browser: Browser) -> None:
    """Guards errors over HTTP: the page comes back with the sentence, the text, and a question of two readings."""
    browser.begin()
    browser.practise()
    browser.answer_question()
    browser.press("next", number="1,500", reason="typed")
    assert browser.path == "/doc/1"
    assert browser.page.one("title").text.startswith("Error: ")
    assert browser.page.one("textarea", id="reason").text.strip() == "typed"
    browser.press("next", number_meant="1.5")
    assert browser.path == "/doc/2"
    assert browser.page.one("p", id="saved").text == "Document 1 is saved."
    browser.press("cannot", number="7")
    assert "Choose what stops you" in browser.text
    assert browser.page.one("input", id="number").attributes["value"] == "7"
    browser.press("report", report="broken letters")
    assert "we received your report" in browser.text
    browser.press("cannot", cannot="language")
    assert browser.path == "/doc/3"
    browser.press("back", number="11")
    assert browser.path == "/doc/2"
    browser.press("next")  # cannot judge is what is stored; without it a number is wanted
    assert browser.page.find("div", class_="errors")
    browser.press("next", number="3", reason="now I can")
    assert browser.path == "/doc/3"
    assert browser.page.one("input", id="number").attributes["value"] == "11"


@pytest.mark.slow
def test_wrong_practice_and_question_twice_end_the_set(walked: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the tries: once more with new lines, then the end, with a page that blames nobody."""
    service = AssessorService(walked, database, clock=clock)
    one, other = Browser(walked, service), Browser(walked, service)
    one.begin()
    one.practise(wrong=True)
    assert one.path == "/practice/1"
    assert "you have one more try" in one.text
    one.practise(wrong=True)
    assert (one.path, one.page.one("h1").text) == ("/screened", "This set has ended")
    other.begin()
    other.practise()
    other.answer_question(wrong=True)
    assert "you have one more try" in other.text
    other.answer_question(wrong=True)
    assert other.path == "/screened"


@pytest.mark.slow
def test_a_screened_submission_has_its_code_and_no_other_set(
    walked: JudgingStudy, database: Database, clock: Time
) -> None:
    """Guards work for nothing: who is shown a submission's last code is not invited to start again under it."""
    study = replace(walked, people=People("prolific", {"completed": "CDONE", "screened": "CSCREEN", "failed": "CFAIL"}))
    browser = Browser(study, AssessorService(study, database, clock=clock))
    browser.get("/s/simulated/", PROLIFIC_PID="5f0c", STUDY_ID="s", SESSION_ID="x")
    browser.press("next", consent="yes")
    browser.practise(wrong=True)
    browser.practise(wrong=True)
    assert (browser.path, browser.page.one("p", id="code").text) == ("/screened", "CSCREEN")
    assert "another topic" not in browser.text
    assert not browser.page.find("form")
    one = Browser(walked, AssessorService(walked, database, clock=clock))
    one.begin()
    one.practise(wrong=True)
    one.practise(wrong=True)
    assert "You may start again with another topic." in one.text  # where nothing is paid by submission


@pytest.mark.slow
def test_both_failures_of_checks_look_the_same(walked: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the neutral message: Hk below Nk and too little time give the same bytes but for the page's names."""
    texts = []
    for hurried in (True, False):
        study = replace(walked, people=replace(walked.people, most=None))
        browser = Browser(study, AssessorService(study, database, clock=clock))
        browser.begin()
        browser.practise()
        browser.answer_question()
        still = Time()
        numbers = worth(walked) if hurried else {doc: 1 / number for doc, number in worth(walked).items()}
        browser.judge(still if hurried else clock, numbers)
        assert browser.path == "/revise"
        names = {"csrf", "once"}
        hidden = [e.attributes["value"] for e in browser.page.find("input") if e.attributes.get("name") in names]
        text = browser.text.replace(browser.token, "")
        for value in hidden:
            text = text.replace(value, "")
        assert len(re.findall(r">Document \d: <bdi>[^<]+</bdi></a></li>", text)) == len(walked.units[0].items)
        texts.append(re.sub(r">(Document \d): <bdi>[^<]+<", r">\1<", text))  # each has documents of their own
        browser.press("next")
        assert browser.path == "/doc/1"
        assert browser.page.one("textarea", id="reason").text.strip() == "I read it"
    assert texts[0] == texts[1]


@pytest.mark.slow
def test_leaving_from_a_document_keeps_what_was_typed(browser: Browser) -> None:
    """Guards who wants to stop: staying gives all back, leaving asks what to keep, withdrawing says it is erased."""
    browser.begin()
    browser.practise()
    browser.answer_question()
    browser.press("leave", number="40", reason="half a thou")
    assert browser.path == "/leave"
    browser.press("leave")
    assert "Choose what should happen to your answers" in browser.text
    browser.press("stay")
    assert browser.path == "/doc/1"
    assert browser.page.one("input", id="number").attributes["value"] == "40"
    browser.press("leave")
    browser.press("leave", withdraw="yes")
    assert (browser.path, browser.page.one("h1").text) == ("/left", "You have left this set")
    browser.get(f"/u/{browser.token}/doc/1")
    assert browser.path == "/left"


@pytest.mark.slow
def test_taking_back_after_the_end(browser: Browser, walked: JudgingStudy, clock: Time) -> None:
    """Guards what consent promises: from the page with the code to a question, and back to the code; all is erased."""
    browser.begin()
    browser.practise()
    browser.answer_question()
    browser.judge(clock, worth(walked))
    code = browser.page.one("p", id="code").text
    browser.get(next(a.attributes["href"] for a in browser.page.find("a") if a.text == "Withdraw my answers"))
    assert (browser.path, browser.page.one("h1").text) == ("/leave", "Do you want to withdraw your answers?")
    browser.press("stay")
    assert (browser.path, "answers are stored" in browser.text) == ("/done", True)
    browser.get(f"/u/{browser.token}/leave")
    browser.press("leave", withdraw="yes")
    assert (browser.path, browser.page.one("p", id="code").text) == ("/done", code)
    assert "We erased what you sent" in browser.text
    assert "are stored" not in browser.text
    assert "Withdraw my answers" not in browser.text


def test_declining(browser: Browser) -> None:
    """Guards the right to say no."""
    browser.get("/")
    browser.press("next")
    browser.press("decline")
    assert (browser.path, browser.page.one("h1").text) == ("/declined", "You chose not to take part")


@pytest.mark.slow
def test_pages_tell_nothing_before_its_time(walked: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards what is never sent: ids, later documents, anchors, codes, rules; on every page of a unit."""
    study = replace(walked, people=People("prolific", {"completed": "CDONE", "screened": "CSCREEN", "failed": "CFAIL"}))
    browser = Browser(study, AssessorService(study, database, clock=clock))
    browser.get("/s/simulated/", PROLIFIC_PID="5f0c", STUDY_ID="s", SESSION_ID="x")
    seen: list[str] = [browser.text]
    browser.press("next", consent="yes")
    seen.append(browser.text)
    browser.practise()
    seen.append(browser.text)
    browser.answer_question()
    shown = 0
    while browser.path.startswith("/doc"):
        seen.append(browser.text)
        shown += 1
        clock.go(30)
        browser.press("next", number=f"{worth(study)[browser.document()]:g}", reason="I read it")
    assert (shown, browser.path) == (8, "/done")
    assert "https://app.prolific.com/submissions/complete?cc=CDONE" in browser.text
    for text in seen:
        assert not re.search("CDONE|CSCREEN|CFAIL|5f0c|probability|anchor|seconds", text)
        assert not any(doc in text for doc in study.documents)
        assert not any(unit.id in text for unit in study.units)


@pytest.mark.slow
def test_who_comes_back_to_a_finished_submission_finds_its_code(
    walked: JudgingStudy, database: Database, clock: Time
) -> None:
    """Guards pay: the platform's link leads to the code again, not to another set; a new submission begins one."""
    study = replace(walked, people=People("prolific", {"completed": "CDONE"}))
    browser = Browser(study, AssessorService(study, database, clock=clock))
    link = {"PROLIFIC_PID": "5f0c", "STUDY_ID": "s", "SESSION_ID": "x"}
    browser.get("/s/simulated/", **link)
    browser.press("next", consent="yes")
    browser.practise()
    browser.answer_question()
    browser.judge(clock, worth(study))
    done = browser.token
    browser.get("/s/simulated/", **link)
    assert (browser.token, browser.path) == (done, "/done")
    browser.get("/s/simulated/", **{**link, "SESSION_ID": "y"})
    assert (browser.token != done, browser.path) == (True, "/consent")


@pytest.mark.slow
def test_mechanical_turk_without_cookies(walked: JudgingStudy, database: Database, clock: Time) -> None:
    """Guards the frame without cookies, and that work is handed in under the assignment that was last taken."""
    study = replace(walked, people=People("mturk"))
    browser = Browser(study, AssessorService(study, database, clock=clock))
    where = {"hitId": "H1", "workerId": "W1", "turkSubmitTo": "https://workersandbox.mturk.com"}
    browser.get("/s/simulated/", assignmentId="A1", **where)
    browser.client.cookies.clear()
    browser.press("next", consent="yes")
    browser.practise()
    first = browser.token
    browser.get("/s/simulated/", assignmentId="A2", **where)
    assert (browser.token, browser.path) == (first, "/topic")
    browser.answer_question()
    browser.judge(clock, worth(study))
    form = next(f for f in browser.page.find("form") if "mturk" in f.attributes["action"])
    assert form.attributes["action"] == "https://workersandbox.mturk.com/mturk/externalSubmit"
    code = browser.page.one("p", id="code").text
    assert browser.page.sent(form) == {"assignmentId": "A2", "code": code}


@pytest.mark.few(1)
@pytest.mark.parametrize("task", ["graded", "binary", "preference", "claim"])
def test_other_tasks(task: str, tmp_path: Path, database: Database, clock: Time) -> None:
    """Guards the way through a unit of every task: no practice, labels chosen from the page, and a code."""
    study = simulated_study(tmp_path / "study", task=task, topics=1, docs=8, judgments=1)
    browser = Browser(study, AssessorService(study, database, clock=clock))
    browser.begin()
    assert browser.path == "/topic"
    browser.answer_question()
    while browser.path.startswith("/doc"):
        clock.go(30)
        names = {"label", "prefer", "support"}
        first = next(e for e in browser.page.find("input") if e.attributes.get("name") in names)
        browser.press("next", **{first.attributes["name"]: first.attributes["value"], "reason": "so it is"})
    assert browser.path == "/done"
