"""Every page in every language: whole, usable without a script, and silent about what it must not say."""

from __future__ import annotations

import inspect
import itertools
import re
from dataclasses import replace

import pytest

from tests.judging.pages import TOKEN, all_pages, item_page, made_study
from tests.judging.reading import Html
from truegain.judging.server.render import HTMX, Renderer
from truegain.judging.study.study import JudgingStudy, People, Platform, Rules, Team, Words
from truegain.judging.tasks import base, binary, claim, graded, magnitude, preference
from truegain.judging.tasks.catalogue import TASKS, task_of
from truegain.judging.texts import LANGUAGES, Wording, catalogue
from truegain.judging.workflow import steps, submissions
from truegain.judging.workflow.steps import Page, PageStep, StepName

PAGES = all_pages()
STUDIES = {
    (task, language): made_study(task, words=Words("Bridges", language, "study@example.org"))
    for task in TASKS
    for language in LANGUAGES
}
STUDIES |= {
    ("team", language): made_study(
        "graded",
        words=Words("Bridges", language, "study@example.org"),
        people=People("invitation"),
        rules=Rules(reason=False),
        team=Team(0.1),
    )
    for language in LANGUAGES
}
RENDERERS = {key: Renderer(study) for key, study in STUDIES.items()}


def rendered(name: str, language: str = "en") -> Html:
    """A page as a browser gets it."""
    task, page = PAGES[name]
    return Html(RENDERERS[task, language].page(page, TOKEN))


def named(text: str) -> set[str]:
    """The names that a text has filled in."""
    return set(re.findall(r"\{\w+\}", text))


def test_both_languages_have_every_text_with_the_same_names() -> None:
    """Guards the catalogue: a text that one language lacks would fail when its page is first needed."""
    english, german = catalogue("en"), catalogue("de")
    assert set(english) == set(german)
    assert [name for name in english if named(english[name]) != named(german[name])] == []
    assert [name for name in english if not name.endswith("_means") and not (english[name] and german[name])] == []


def test_every_error_that_the_server_names_has_a_text() -> None:
    """Guards the names between the rules and the catalogue: an unknown one would be a failure of ours on a page."""
    known = catalogue()
    sources = "".join(inspect.getsource(m) for m in (base, submissions, steps, magnitude, graded, preference, claim))
    quoted = set(
        re.findall(
            r"\"((?:number|reason|cannot|label|prefer|support|choice|question|consent|leave|text)\.\w+)\"", sources
        )
    )
    asked = (
        "number.empty number.zero number.negative number.unreadable number.comma number.size reason.empty cannot.empty"
    )
    quoted |= set(asked.split()) | {f"{name}.empty" for name in ("label", "prefer", "support", "choice", "consent")}
    assert quoted <= set(known), sorted(quoted - set(known))
    assert {f"cannot.{why}" for why in base.CANNOT} <= set(known)


@pytest.mark.parametrize("task", ["graded", "binary", "preference", "claim"])
def test_labels_of_tasks_are_translated_and_those_of_studies_are_not(task: str) -> None:
    """Guards that the English catalogue says what the tasks say: else their German would never be shown."""
    for option in task_of(task, {}).options:
        english = Wording("en").option(task, option.key, option.name, option.meaning)
        german = Wording("de").option(task, option.key, option.name, option.meaning)
        assert english == (option.name, option.meaning)
        assert german[0] == catalogue("de")[f"option.{task}.{option.key}"]
    assert Wording("de").option(task, "1", "Just so", "My own") == ("Just so", "My own")
    assert binary.LABELS[0].name == "Relevant"


def test_a_study_puts_texts_otherwise() -> None:
    """Guards a study's own wording, and that what it does not mention stays in its language."""
    study = made_study(words=Words("B", "de", texts={"magnitude.ask": "Wie gut <passt> das?"}))
    page = Renderer(study).page(item_page(), TOKEN)
    assert "Wie gut &lt;passt&gt; das?" in page
    assert "Warum diese Zahl?" in page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
def test_page_is_whole(name: str, language: str) -> None:
    """Guards what every page needs: one heading, unique ids, labels, links that lead somewhere, our policy."""
    page = rendered(name, language)
    assert page.one("html").attributes["lang"] == language
    assert len(page.find("h1")) == 1
    ids = [e.attributes["id"] for e in page.all if "id" in e.attributes]
    assert len(ids) == len(set(ids)), sorted(ids)
    for element in page.all:
        assert not {"style", "onclick", "onload", "onsubmit"} & set(element.attributes), element
        assert element.tag != "style"
        assert element.tag != "script" or element.attributes.get("src", "").startswith("/static/")
        for name_ in ("aria-describedby", "aria-labelledby", "for"):
            assert set(element.attributes.get(name_, "").split()) <= set(ids), element
        if element.attributes.get("href", "").startswith("#"):
            assert element.attributes["href"][1:] in ids, element
    labeled = {e.attributes.get("for") for e in page.find("label")}
    for box in [*page.find("input"), *page.find("textarea")]:
        if box.attributes.get("type") != "hidden":
            assert box.attributes.get("id") in labeled or any(e.tag == "label" for e in box.above), box
    levels = [int(e.tag[1]) for e in page.all if re.fullmatch("h[1-6]", e.tag)]
    below = levels[levels.index(1) :]
    assert all(b <= a + 1 for a, b in itertools.pairwise(below)), levels


@pytest.mark.parametrize("name", [name for name, (_, page) in PAGES.items() if page.errors])
def test_errors_come_first_and_stand_at_their_field(name: str) -> None:
    """Guards the summary: it takes the focus without a script, and says the same sentence as the field it links to."""
    page = rendered(name)
    summary = page.one("div", class_="errors")
    assert {"autofocus", "role", "tabindex"} <= set(summary.attributes)
    assert page.one("title").text.startswith("Error: ")
    said = [e.text for e in page.find("a") if e.within(summary)]
    at_fields = [e.text.removeprefix("Error: ") for e in page.find("p", class_="why")]
    assert said == at_fields
    assert all(page.find("label") or page.find("legend") for _ in said)


@pytest.mark.parametrize("task", TASKS)
def test_enter_presses_next(task: str) -> None:
    """Guards the order of buttons: Enter in a box presses the first of its form."""
    page = rendered("item" if task == "magnitude" else task)
    form = page.one("form", id="ask")
    buttons = [b.attributes["value"] for b in page.find("button") if b.within(form)]
    assert buttons == ["next", "back", "cannot", "report"]
    leave = page.one("button", value="leave")
    assert leave.attributes["form"] == "ask"
    assert leave.attributes["type"] == "submit"


def test_number_box_keeps_what_was_typed() -> None:
    """Guards the box: a number field of the browser would drop 1/2 and junk, and its own checks would speak first."""
    page = rendered("item-zero")
    box = page.one("input", id="number")
    assert (box.attributes["type"], box.attributes["value"], box.attributes["aria-invalid"]) == ("text", "0", "true")
    assert "novalidate" in page.one("form", id="ask").attributes
    typed = item_page(fields={"number": '"><script>', "reason": "\n<b>first line empty"})
    page = Html(RENDERERS["magnitude", "en"].page(typed, TOKEN))
    assert page.sent(page.one("form", id="ask"))["number"] == '"><script>'
    assert page.one("textarea", id="reason").text == "\n\n<b>first line empty"  # a browser drops the first newline


def test_readings_of_a_comma_are_offered_and_none_is_chosen() -> None:
    """Guards the question back: two radio buttons, neither checked, and the text itself to type again."""
    page = rendered("item-comma")
    picks = page.find("input", name="number_meant")
    assert [pick.attributes["value"] for pick in picks] == ["1.5", "1500"]
    assert not any("checked" in pick.attributes for pick in picks)
    assert page.one("input", id="number").attributes["value"] == "1,500"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_number_that_could_anchor(language: str) -> None:
    """Guards the paper's choice: practice and judging pages show no example number, a line no frame or length."""
    for name in ("practice", "practice-again", "item-first", "item", "item-zero"):
        page = rendered(name, language)
        form = page.one("form", id="ask")
        assert set(re.findall(r"\d+", form.text)) <= {"0"}, name
    line = rendered("practice", language).one("svg", role="img")
    assert not re.search(r"\d", line.attributes["aria-label"])


def test_first_document_has_its_own_hint() -> None:
    """Guards that nobody is asked to compare the first document with one before it."""
    first, later = rendered("item-first"), rendered("item")
    assert "You will compare the next document with it" in first.one("p", id="number-hint").text
    assert "Compare with the document before" in later.one("p", id="number-hint").text
    assert not first.find("button", value="back")
    assert rendered("item-last").one("button", value="next").text == "Send the set"


def test_practice_without_sight() -> None:
    """Guards the other form of practice: a word in place of the line, and the form goes on with words."""
    task, page = PAGES["practice"]
    html = Html(RENDERERS[task, "en"].page(page, TOKEN, words=True))
    assert html.one("p", class_="word").text == "badefi"
    assert not html.find("line")
    assert html.one("form", id="ask").attributes["action"].endswith("/practice/1?words=1")


def test_message_after_failed_checks_tells_nothing_of_them() -> None:
    """Guards the neutral message: no number, time or order is named, whatever failed."""
    text = rendered("revise").one("main").text
    assert "This set cannot be accepted yet" in text
    assert "You can send the set 2 more times." in text
    assert not re.search("second|fast|order|larger", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_document_that_is_revised_leads_back_to_the_list(language: str) -> None:
    """Guards the way back: a button of the form, so that what was typed goes along; none where there is no list."""
    button = rendered("item-revised", language).one("button", value="list")
    assert button.text == {"en": "Back to the list", "de": "Zurück zur Liste"}[language]
    assert not rendered("item", language).find("button", value="list")


def test_two_answers_to_one_page_are_shown_and_either_can_be_sent() -> None:
    """Guards the page sent twice: the other text is shown, and a form of its own sends it."""
    page = rendered("item-twice")
    assert "21" in page.one("div", role="alert").text
    other, main = page.find("form")
    assert page.sent(other) == {"csrf": "csrf", "once": "once", "slot": "3", "number": "21", "reason": "b"}
    assert page.sent(main)["number"] == "12"


def test_end_leads_back_to_the_platform() -> None:
    """Guards the three ways back: Prolific's address with its code, Mechanical Turk's form, and nowhere."""
    done = Page(
        PageStep("done"),
        code="OUR-CODE",
        redirect="https://workersandbox.mturk.com/mturk/externalSubmit?assignmentId=A1",
    )
    turk = replace(made_study(), people=replace(made_study().people, platform="mturk"))
    form = Html(Renderer(turk).page(done, TOKEN)).one("form")
    assert form.attributes["action"] == "https://workersandbox.mturk.com/mturk/externalSubmit"
    assert form.attributes["hx-boost"] == "false"
    page = Html(Renderer(turk).page(done, TOKEN))
    assert page.sent(page.one("form")) == {"assignmentId": "A1", "code": "OUR-CODE"}
    elsewhere = replace(done, redirect="https://evil.example/mturk/externalSubmit?assignmentId=A1")
    assert Html(Renderer(turk).page(elsewhere, TOKEN)).find("form") == []
    link = rendered("done").one("a", class_="button")
    assert link.attributes["href"] == "https://app.prolific.com/submissions/complete?cc=C1"
    alone = replace(made_study(), people=replace(made_study().people, platform="open"))
    assert "prolific" not in Renderer(alone).page(Page(PageStep("done"), code="X"), TOKEN)


@pytest.mark.parametrize("platform", ["open", "invitation", "prolific"])
def test_a_code_is_folded_where_one_goes_on_and_it_pays_nothing(platform: Platform) -> None:
    """Guards a list judged one by one: the way on is first; a code that pays, or is the last, stands in the open."""
    done = Page(PageStep("done"), "csrf", "once", 1, code="C-1", more=True)
    for pay, more in ((None, True), (2.0, True), (None, False)):
        study = made_study("graded", people=People(platform, pay=pay))
        text = Renderer(study).page(replace(done, more=more), TOKEN)
        page = Html(text)
        code, folds = page.one("p", id="code"), list(page.find("details"))
        assert code.text == "C-1"
        is_folded = platform != "prolific" and pay is None and more
        assert any(code.within(fold) for fold in folds) == is_folded
        assert ("This is your completion code:" in text) != is_folded


def test_consent_says_for_how_many_sets_it_holds() -> None:
    """Guards consent that is asked once: the page says so, unless a submission or a person has one set."""
    consent = Page(PageStep("consent"), "csrf", "once", 1)
    for people, holds in (
        (People("open"), True), (People("invitation"), True), (People("open", most=1), False), (People("mturk"), False),
    ):  # fmt: skip
        page = Renderer(made_study("graded", people=people)).page(consent, TOKEN)
        assert ("covers all of them, until you withdraw" in page) == holds


def test_every_step_has_a_page() -> None:
    """Guards that the flow and the templates name the same steps."""
    shown = {page.step.name for _, page in PAGES.values()}
    assert shown == set(StepName.__args__)  # type: ignore[attr-defined]


def test_htmx_is_told_to_keep_to_our_policy() -> None:
    """Guards the vendored script's settings: no inline style, no eval, no copies of pages in the browser's storage."""
    assert HTMX["includeIndicatorStyles"] is False
    assert HTMX["allowEval"] is False
    assert HTMX["historyCacheSize"] == 0
    assert "htmx-config" in RENDERERS["magnitude", "en"].page(item_page(), TOKEN)


@pytest.mark.parametrize("name", ["welcome", "preview", "instructions"])
def test_pages_beside_the_flow(name: str) -> None:
    """Guards the pages that need no unit."""
    for renderer in RENDERERS.values():
        assert len(Html(renderer.before(name, here="/s/x/")).find("h1")) == 1


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("asks", [True, False])
def test_practice_is_named_where_there_is_one(task: str, language: str, asks: bool) -> None:
    """Guards consent and the end: neither speaks of a practice or a question that the study does not have."""
    study = STUDIES[task, language]
    topics = {name: topic if asks else replace(topic, question=None) for name, topic in study.topics.items()}
    renderer = Renderer(replace(study, topics=topics))
    pages = [renderer.page(replace(PAGES[name][1], more=False), TOKEN) for name in ("consent", "screened")]
    consent, screened = (Html(page).one("main").text.replace("Fragen Sie sich", "") for page in pages)
    practice, question = {"en": ("ractice", "question"), "de": ("bung", "Frage")}[language]
    assert (practice in consent) == study.task.has_practice
    assert (question in consent) == asks
    if asks or study.task.has_practice:  # else nobody can be screened out
        assert ((practice in screened), (question in screened)) == (study.task.has_practice, asks)
    assert "{" not in consent + screened


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_one_item_is_spoken_of_as_one(task: str, language: str) -> None:
    """Guards units of one document: no page counts "1 documents" or bids to go through them."""
    study = STUDIES[task, language]
    renderer = Renderer(replace(study, units=tuple(replace(u, items=u.items[:1]) for u in study.units)))
    one = replace(PAGES["consent"][1], total=1)
    pages = (one, replace(one, step=PageStep("done")), replace(one, step=PageStep("revise"), tries=1))
    texts = [" ".join(Html(renderer.page(page, TOKEN)).one("main").text.split()) for page in pages]
    assert not re.search(
        r"\b1 (kurze|short|Dok|doc|Paar|pair|Auss|claim|Ant|ans)|Alle 1|All 1|die 1 |the 1 ", " ".join(texts)
    )
    assert [Wording(language).counted("done.stored", n) in texts[1] for n in (1, 8)] == [True, False]
    assert Wording(language)(f"consent.intro_{task}_one") in texts[0]


def test_a_study_that_puts_a_count_otherwise_is_kept_to() -> None:
    """Guards a study's own wording against our singular."""
    own = {"done.stored": "We have {total}."}
    assert Wording("en", own).counted("done.stored", 1) == "We have 1."
    assert Wording("en", {**own, "done.stored_one": "We have it."}).counted("done.stored", 1) == "We have it."


def test_consent_says_how_often_one_may_try() -> None:
    """Guards what people are told before they agree: as often as the rules say."""
    said = {}
    for tries in (1, 2, 5):
        study: JudgingStudy = made_study()
        study = replace(study, rules=replace(study.rules, practice_tries=tries, question_tries=tries))
        said[tries] = Renderer(study).page(PAGES["consent"][1], TOKEN)
    assert "goes wrong, the set ends there" in said[1]
    assert "goes wrong twice" in said[2]
    assert "goes wrong too often" in said[5]


def test_titles_have_a_direction_of_their_own() -> None:
    """Guards documents in Arabic or Hebrew: neither a Latin title nor the source turns the text round, nor it them."""
    article = rendered("preference").find("article")[0]
    assert article.attributes["dir"] == "auto"
    page = rendered("preference")
    told = [e for e in page.all if e.attributes.get("id", "").endswith("-title") and e.tag == "h2"]
    told += [e for e in page.all if e.attributes.get("class") in ("tag", "quiet") and e.attributes.get("dir")]
    assert len(told) >= 4
    assert {e.attributes.get("dir") for e in told} == {"auto"}
