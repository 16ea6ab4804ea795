"""LLM judges by HTTP: the same service, keys, and an OpenAPI document that tells all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings

from tests.judging.asgi import TestClient
from tests.judging.organizing import progress
from tests.judging.walking import Time, Walker, check_invariants, rows, small_study
from truegain.judging.server.api import DETAILS, judge_routes
from truegain.judging.server.app import create_app
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.schema import answers, assessors, events, sessions, units
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import JudgingStudy, People, Rules
from truegain.judging.tasks.catalogue import task_of
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.organizer import OrganizerService
from truegain.judging.workflow.steps import PageStep, Person
from truegain.judging.workflow.tokens import KEY_FILE, JudgeKeys, LlmJudge

JUDGE = LlmJudge.of("some-model", b"Is it relevant?", {"temperature": "0"})


class Place:
    """A study with its service, keys and app, and a judge's client."""

    def __init__(self, study: JudgingStudy, database: Database, clock: Time | None = None) -> None:
        self.study, self.database = study, database
        self.clock = clock or Time()
        self.service = AssessorService(study, database, clock=self.clock)
        self.keys = JudgeKeys(study.folder)
        routes = [lambda study, service, _: judge_routes(study, service, self.keys)]
        self.app = create_app(study, database, service=self.service, more=routes, limits=None)
        self.key = self.keys.make(JUDGE)
        self.client = self.as_judge(self.key)
        self.at = f"/api/{study.name}"

    def as_judge(self, key: str) -> TestClient:
        """A client with a key."""
        return TestClient(self.app, headers={"Authorization": f"Bearer {key}"}, raise_server_exceptions=False)

    def judge(self, page: dict[str, Any], **given: object) -> Any:
        """Send an answer to a page."""
        body = {"csrf": page["csrf"], "once": page["once"], "reason": "because", **given}
        return self.client.post(f"{self.at}/units/{page['unit']}/{page['number']}", json=body)


@pytest.fixture
def place(study: JudgingStudy, database: Database, clock: Time) -> Place:
    """The small study of magnitudes, on either database."""
    return Place(study, database, clock)


@pytest.fixture
def lone(tmp_path: Path) -> Iterator[Place]:
    """The same on SQLite alone, for what no database changes."""
    database = Database(default_url(tmp_path))
    yield Place(small_study(tmp_path, task=task_of("magnitude")), database)
    database.close()


def worth(page: dict[str, Any]) -> str:
    """A number that passes the checks of the small study."""
    return str(100 - 10 * int(page["documents"][0]["text"][-2]))


def test_a_judge_goes_through_units_by_the_same_service(place: Place) -> None:
    """Guards the whole way: no practice, no question, no seconds; kept under model, prompt digest and parameters."""
    asked = place.client.get(place.at).json()
    assert (asked["task"], asked["field"], asked["reason"]) == ("magnitude", "number", True)
    done = []
    for _ in range(3):
        page = place.client.post(f"{place.at}/units").json()
        assert (page["where"], page["number"], page["total"]) == ("judge", 1, 4)
        while page["where"] == "judge":
            answer = place.judge(page, number=worth(page))
            assert answer.status_code == 200, answer.text
            page = answer.json()
        assert page["where"] == "done"
        done.append(page["unit"])
    assert place.client.post(f"{place.at}/units").json()["where"] == "none"
    assert len(set(done)) == 3
    (judge,) = rows(place.database, assessors)
    assert (judge.kind, judge.platform, judge.about["model"]) == ("model", "model", "some-model")
    assert judge.about["prompt"].startswith("sha256:")
    assert json.loads(judge.about["parameters"]) == {"temperature": "0"}
    assert len(rows(place.database, answers, kind="item")) == 12
    assert {s.outcome for s in rows(place.database, sessions)} == {"done"}


@pytest.mark.few(1)
@pytest.mark.parametrize("mark", [".", ","])
def test_numbers_may_be_json_numbers(tmp_path: Path, mark: Literal[".", ","]) -> None:
    """Guards what clients send first: a JSON number counts, by its own digits, whatever the study's decimal mark is."""
    database = Database(default_url(tmp_path))
    study = replace(small_study(tmp_path, task=task_of("magnitude", {"decimal": mark})), rules=Rules(decimal=mark))
    place = Place(study, database)
    page = place.client.post(f"{place.at}/units").json()
    at = f"{place.at}/units/{page['unit']}/"
    for number, digits in enumerate(("3", "1.500", "2.50e1"), start=1):
        said = json.dumps({"csrf": page["csrf"], "once": page["once"], "reason": "because", "number": 0})
        body = said.replace('"number": 0', f'"number": {digits}')
        answer = place.client.post(f"{at}{number}", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 200, answer.text
        page = answer.json()
    kept = rows(database, answers, kind="item")
    assert [(a.typed, a.value) for a in kept] == [("3", 3), (f"1{mark}500", 1.5), (f"2{mark}50e1", 25)]
    assert [a.fields["number"] for a in kept] == [a.typed for a in kept]
    for wrong in ({"number": True}, {"number": [1]}, {"number": None}, {"reason": 3, "number": 3}, {"number": 10**300}):
        assert place.judge(page, **wrong).status_code == 422
    assert place.judge(page, number=0).json()["errors"][0]["text"] == "number.zero"
    fields = place.client.get("/api/openapi.json").json()["components"]["schemas"]["ApiAnswer"]["properties"]
    for name in ("number", "label"):
        assert fields[name]["type"] == ["string", "number"]
    assert fields["reason"]["type"] == "string"
    database.close()


def test_a_label_may_be_a_json_number(tmp_path: Path) -> None:
    """Guards graded studies, whose keys look like numbers."""
    database = Database(default_url(tmp_path))
    place = Place(small_study(tmp_path, task=task_of("graded")), database)
    page = place.client.post(f"{place.at}/units").json()
    assert place.judge(page, label=2).status_code == 200
    assert [(a.typed, a.value) for a in rows(database, answers, kind="item")] == [("2", 2)]
    database.close()


def test_nothing_of_the_design_is_told(place: Place) -> None:
    """Guards what a judge sees: neither ids of documents nor Hk, Nk, probabilities or documents ahead."""
    page = place.client.post(f"{place.at}/units").json()
    assert len(page["documents"]) == 1
    for hidden in ("secret", "t1u1", "probability", "0.5", '"high"', '"low"', "right"):
        assert hidden not in json.dumps(page)


def test_the_same_page_sent_again_counts_once(place: Place) -> None:
    """Guards retries: one revision and the same reply; another answer on the same page is refused, the first counts."""
    page = place.client.post(f"{place.at}/units").json()
    replies = [place.judge(page, number="7") for _ in range(3)]
    assert {r.status_code for r in replies} == {200}
    assert {r.json()["number"] for r in replies} == {2}
    other = place.judge(page, number="8")
    assert other.status_code == 409
    (kept,) = rows(place.database, answers, kind="item")
    assert (kept.value, kept.revision) == (7.0, 1)


def test_a_unit_is_its_judges_own(place: Place) -> None:
    """Guards units: another judge's key, even of one who may judge, neither sees nor answers them; nor a person's."""
    page = place.client.post(f"{place.at}/units").json()
    person = place.service.enter(Person("open", "p1")).token
    place.service.send(person, PageStep("consent"), {"action": "decline"})
    other, before = small_key(place), rows(place.database, events)
    body = {"csrf": page["csrf"], "once": page["once"], "number": "7", "reason": "because"}
    for token, client in ((page["unit"], other), (person, other), (person, place.client), ("A" * 32, place.client)):
        at = f"{place.at}/units/{token}"
        for answer in (client.get(at), client.post(f"{at}/1", json=body), client.post(f"{at}/1", json={})):
            assert (answer.status_code, answer.json()["detail"]) == (404, DETAILS[404])
    assert rows(place.database, events) == before
    assert place.as_judge(place.keys.make(JUDGE)).get(f"{place.at}/units/{page['unit']}").json()["number"] == 1
    assert place.judge(page, number="7").status_code == 200


def test_models_take_nobodys_place(place: Place) -> None:
    """Guards places: models judge beside people, spread over units; people's units stay theirs, and `most` too."""
    study = replace(place.study, people=People(most=1))
    clock = place.clock
    service = AssessorService(study, place.database, clock=clock)
    walker = Walker(service, clock)
    walker.to_documents()
    judges = [Person("model", f"m{n}", "model", {"model": f"m{n}"}) for n in range(4)]
    tokens = [service.enter(judge).token for judge in judges]
    assert {s.unit for s in rows(place.database, sessions, beside=True)} == {"t1u1", "t1u2", "t2u1", "t2u2"}
    robot = Walker(service, clock)
    for _ in study.topics:  # each topic once, whoever has its units
        robot.token = service.enter(judges[0]).token
        assert robot.rest() == PageStep("done")
    assert service.enter(judges[0]).reason == "none"
    assert tokens[0] != robot.token
    held = [unit.session for unit in rows(place.database, units) if unit.state != "free"]
    assert held == [s.id for s in rows(place.database, sessions, token=walker.token)]
    check_invariants(place.database, study)
    assert walker.rest() == PageStep("done")
    organizer = OrganizerService(study, place.database, clock=clock)
    model = next(a for a in organizer.assessors() if a.kind == "model")
    organizer.exclude(model.id, "odd")
    organizer.readmit(model.id)
    assert [p.done for p in progress(organizer)] == [1, 0, 0]
    check_invariants(place.database, study)


def test_a_models_lease_that_ran_out(place: Place) -> None:
    """Guards who judges beside people and pauses: the unit goes on, and a person took it meanwhile."""
    page = place.client.post(f"{place.at}/units").json()
    place.clock.go(4000)
    walker = Walker(place.service, place.clock)
    walker.to_documents()
    (unit,) = {s.unit for s in rows(place.database, sessions)}
    old = place.judge(page, number="7")
    assert (old.status_code, old.json()["page"]["notice"]) == (409, "resumed")
    assert place.judge(old.json()["page"], number="7").status_code == 200
    assert rows(place.database, units, id=unit)[0].session == rows(place.database, sessions, token=walker.token)[0].id
    assert walker.rest() == PageStep("done")
    check_invariants(place.database, place.study)


def test_wrong_answers_are_told_and_can_be_put_right(lone: Place) -> None:
    """Guards faults of an answer: 422 with field and name of the fault, and the page to send again."""
    page = lone.client.post(f"{lone.at}/units").json()
    for number, text in (("0", "number.zero"), ("", "number.empty")):
        answer = lone.judge(page, number=number)
        assert answer.status_code == 422
        problem = answer.json()
        assert problem["errors"][0]["field"] == "number"
        assert problem["errors"][0]["text"].startswith("number."), text
        page = problem["page"]
    answer = lone.judge(page, number="1", reason="")
    assert [e["field"] for e in answer.json()["errors"]] == ["reason"]
    assert lone.judge(answer.json()["page"], number="1").json()["number"] == 2


def test_items_ahead_and_old_pages_are_refused(lone: Place) -> None:
    """Guards order: an item that is not asked is 409 with the page that is, and nothing is stored."""
    page = lone.client.post(f"{lone.at}/units").json()
    ahead = lone.judge({**page, "number": 3}, number="7")
    assert ahead.status_code == 409
    assert ahead.json()["page"]["number"] == 1
    forged = lone.judge({**page, "csrf": "forged"}, number="7")
    assert forged.status_code == 409
    assert forged.json()["page"]["notice"] == "resumed"
    assert rows(lone.database, answers, kind="item") == []
    assert lone.judge(forged.json()["page"], number="7").status_code == 200


def test_cannot_judge_report_and_back(lone: Place) -> None:
    """Guards the other moves: what cannot be judged has no value and a reason, back goes back."""
    page = lone.client.post(f"{lone.at}/units").json()
    page = lone.judge(page, action="cannot", cannot="language", cannot_note="Dutch").json()
    assert page["number"] == 2
    page = lone.judge(page, action="back").json()
    assert page["number"] == 1
    page = lone.judge(page, action="report", report="empty").json()
    assert (page["number"], page["notice"]) == (1, "reported")
    (kept,) = rows(lone.database, answers, kind="item")
    assert (kept.value, kept.cannot, kept.note) == (None, "language", "Dutch")


def test_a_set_that_fails_the_checks_is_asked_again(lone: Place) -> None:
    """Guards check (c) for models: sent back without saying why, limited tries, then it ends."""
    page = lone.client.post(f"{lone.at}/units").json()
    seen = []
    while page["where"] == "judge":
        seen.append((page["number"], page["again"]))
        page = lone.judge(page, number="5").json()
    assert page == {**page, "where": "ended", "outcome": "failed"}
    assert seen.count((1, True)) == lone.study.rules.check_tries - 1
    assert "order" not in json.dumps(page)


def test_keys_let_in_who_has_one(lone: Place) -> None:
    """Guards keys: none, another's, a changed one are 401; a key made later counts at once; only digests are kept."""
    for client in (TestClient(lone.app), lone.as_judge("tgj_wrong"), lone.as_judge(lone.key + "x"), lone.as_judge("")):
        for answer in (client.get(lone.at), client.post(f"{lone.at}/units"), client.get(f"{lone.at}/units/abc")):
            assert answer.status_code == 401
            assert answer.headers["WWW-Authenticate"] == "Bearer"
            assert answer.json()["detail"]
    key = lone.keys.make(LlmJudge.of("another", b"Is it relevant?"))
    assert lone.as_judge(key).get(lone.at).status_code == 200
    kept = lone.study.folder / KEY_FILE
    assert kept.stat().st_mode & 0o077 == 0
    assert key not in kept.read_text()
    assert lone.key not in kept.read_text()


def test_identity_is_model_prompt_and_parameters(tmp_path: Path) -> None:
    """Guards who judged: two keys of one judge are one assessor, another prompt or parameter is another."""
    keys = JudgeKeys(tmp_path)
    same = [LlmJudge.of("m", b"p", {"b": "2", "a": "1"}), LlmJudge.of("m", b"p", {"a": "1", "b": "2"})]
    others = [LlmJudge.of("m", b"q"), LlmJudge.of("n", b"p"), LlmJudge.of("m", b"p", {"a": "1"})]
    made = [keys.make(judge) for judge in (*same, *others)]
    found = [keys.judge(key) for key in made]
    assert len({judge.person.id for judge in found if judge}) == 4
    assert keys.judge("") is None
    (tmp_path / KEY_FILE).write_text((tmp_path / KEY_FILE).read_text()[:-20] + "\nnot json\n{}\n")  # cut short
    assert keys.judge(made[0]) is not None
    assert keys.judge(made[-1]) is None
    assert keys.judge(keys.make(LlmJudge.of("late", b"p"))) is not None


def test_an_excluded_judge_and_a_pause_are_told(place: Place) -> None:
    """Guards the organizer's word: 403 for who is excluded, `paused` for who comes meanwhile."""
    organizer = OrganizerService(place.study, place.database)
    organizer.pause()
    assert place.client.post(f"{place.at}/units").json()["where"] == "paused"
    organizer.resume()
    assert place.client.post(f"{place.at}/units").json()["where"] == "judge"
    organizer.exclude(rows(place.database, assessors)[0].id, "tests only")
    page = place.client.post(f"{place.at}/units")
    assert (page.status_code, page.json()["detail"]) == (403, "This judge is excluded from the study.")
    other = small_key(place)
    assert other.post(f"{place.at}/units").json()["where"] == "judge"


def small_key(place: Place) -> TestClient:
    """Another judge."""
    return place.as_judge(place.keys.make(LlmJudge.of("another", b"other")))


@pytest.mark.few(2)
@pytest.mark.parametrize("task", ["graded", "binary", "preference", "claim"])
def test_every_task_names_its_field(tmp_path: Path, task: str) -> None:
    """Guards the other tasks: the field that the study names takes one of its options."""
    database = Database(default_url(tmp_path))
    try:
        made = simulated_study(tmp_path / "study", task="graded", topics=1, docs=4, judgments=1, size=2)
        study = JudgingStudy(made.folder, "s", task_of(task), made.topics, made.documents, made.units, made.words)
        place = Place(study, database)
        asked = place.client.get(place.at).json()
        page = place.client.post(f"{place.at}/units").json()
        answer = place.judge(page, **{asked["field"]: asked["options"][0]["key"]})
        assert (answer.status_code, answer.json()["number"]) == (200, 2)
    finally:
        database.close()


ODD = [
    b"", b"{", b"[]", b"null", b'"x"', b"[" * 3_000, b"\xff\xfe", b'{"csrf": "\\ud800", "once": "a"}',
    b'{"csrf": "a", "once": "b", "number": "\\u0000"}', b'{"csrf": "a", "once": "b", "more": 1}',
    b'{"csrf": "a", "once": "b", "number": 5}', b'{"csrf": "a", "once": "b", "action": "leave"}',
    json.dumps({"csrf": "a", "once": "b", "reason": "x" * 10_001}).encode(),
]  # fmt: skip


@pytest.mark.few(3)
@pytest.mark.parametrize("body", ODD)
def test_odd_bodies_are_refused_in_our_words(lone: Place, body: bytes) -> None:
    """Guards against 5xx and echoes: halves of surrogates, NUL, deep nesting, other types, unknown fields."""
    page = lone.client.post(f"{lone.at}/units").json()
    headers = {"Content-Type": "application/json"}
    answer = lone.client.post(f"{lone.at}/units/{page['unit']}/1", content=body, headers=headers)
    assert answer.status_code in (400, 409, 422)
    assert isinstance(answer.json()["detail"], str)
    assert rows(lone.database, answers, kind="item") == []


def test_the_document_tells_every_status(lone: Place) -> None:
    """Guards OpenAPI: every operation has its limits, models for every status, and the key as its security."""
    document = lone.client.get("/api/openapi.json").json()
    paths = {path: ops for path, ops in document["paths"].items() if path.startswith(lone.at)}
    assert set(paths) == {lone.at, *(f"{lone.at}/units{end}" for end in ("", "/{unit}", "/{unit}/{number}"))}
    for ops in paths.values():
        for op in ops.values():
            assert {"200", "401", "422", "429", "503"} <= set(op["responses"])
            assert op["security"] == [{"HTTPBearer": []}]
            for status, answer in op["responses"].items():
                name = answer["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
                assert name == "ApiProblem" or status == "200"
    answer = document["components"]["schemas"]["ApiAnswer"]
    assert answer["additionalProperties"] is False
    assert all("maxLength" in p or "enum" in p for p in answer["properties"].values())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_schemathesis_finds_nothing(lone: Place) -> None:
    """Guards the whole interface: whatever is sent, no 5xx, no status and no answer that the document does not have."""
    import schemathesis  # here, since it takes long to load and other tests do without it
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks as conformance

    page = lone.client.post(f"{lone.at}/units").json()
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", lone.app).include(path_regex=f"^{lone.at}")
    checks = (
        not_a_server_error, conformance.status_code_conformance, conformance.content_type_conformance,
        conformance.response_schema_conformance,
    )  # fmt: skip
    tried = 0

    def check(case: Any) -> None:
        nonlocal tried
        tried += 1
        if tried % 2 and "unit" in (case.path_parameters or {}):
            case.path_parameters["unit"] = page["unit"]
        headers = {"Authorization": f"Bearer {lone.key}"} if tried % 5 else {}
        answer = case.call(headers=headers)
        case.validate_response(answer, checks=checks)

    wanted: Any = settings(
        max_examples=7, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    for result in schema.get_all_operations():
        operation: Any = result.ok()  # type: ignore[union-attr]
        for mode in schemathesis.GenerationMode:
            made: Any = given(operation.as_strategy(generation_mode=mode))
            wanted(made(check))()
    assert tried > 40
