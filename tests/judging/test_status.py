"""The status: counts against rows made by hand, and flags on people made to earn them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.judging.made import made_rows, made_study
from truegain.data.judgments import Judgments
from truegain.errors import TruegainError
from truegain.judging.export import Collected, rating_table
from truegain.judging.server.organizer_page import overview_of
from truegain.judging.status import AgreementSoFar, figures
from truegain.judging.study.study import JudgingStudy

Change = Callable[[dict[str, Any]], dict[str, Any] | None]


def changed(found: Collected, **changes: Change) -> Collected:
    """The same rows, some of them changed."""
    return replace(found, **{n: [{**r, **(f(dict(r)) or {})} for r in getattr(found, n)] for n, f in changes.items()})


def ended(outcome: str | None) -> dict[str, Any]:
    """A session that ended so; None: it goes on."""
    return {"outcome": outcome, "state": outcome or "doc"}


def flags(study: JudgingStudy, found: Collected, who: str) -> str:
    """What is said of a person."""
    return next(str(row[-1]) for row in figures(study, found).people.rows if row[0] == who)


def by(who: str, found: Collected, new: dict[str, Any]) -> Change:
    """A change of the answers of one person."""
    mine = {s["id"] for s in found.sessions if s["assessor"] == who}
    return lambda r: new if r["session"] in mine else None


def test_counts() -> None:
    """Guards every number of the first lines: units, judgments that count, sessions by their end, money."""
    study = made_study()
    found = changed(
        made_rows(study),
        units=lambda r: {"state": {"1-0": "held", "2-0": "free", "2-1": "free"}.get(r["id"], "done")},
        sessions=lambda r: ended({"1-0": None, "2-0": "failed", "2-1": "screened"}.get(r["unit"], "done")),
        answers=lambda r: {"value": None, "cannot": "other"} if r["session"] == "s2" and r["number"] == 1 else None,
    )
    said = figures(study, found)
    whose = next(s["assessor"] for s in found.sessions if s["id"] == "s2")
    assert said.lines == (
        "9 of 12 units finished (75%), 1 being judged",
        "71 judgments that count, 1 could not be judged; median time on one 34 s",
        "12 sessions: 9 finished, 1 in progress, 1 ended at practice or question, 1 ended at the checks",
        f"could not judge: {whose} 1",
        "13.50 GBP for finished units at 1.5; 18.00 GBP when all are finished",
    )
    assert said.progress.rows[:2] == [("1", "Topic 1", 4, 3, 1, 0), ("2", "Topic 2", 4, 2, 0, 2)]


def test_who_declined_is_named() -> None:
    """Guards the number of people: who only declined takes no part, and is told by name."""
    study = made_study()
    whole = made_rows(study)
    who = whole.sessions[0]["assessor"]
    found = changed(whole, sessions=lambda r: ended("declined") if r["assessor"] == who else None)
    said = figures(study, found)
    assert f"1 declined to take part: {who}" in said.lines
    assert who not in [row[0] for row in said.people.rows]
    assert not any("declined to" in line for line in figures(study, whole).lines)


def test_who_took_back_after_the_end_is_paid() -> None:
    """Guards the promise that paid work is paid: the code of a finished set stays good when its answers are erased."""
    study = made_study()
    whole = made_rows(study)
    found = changed(whole, sessions=lambda r: {"outcome": "withdrawn"} if r["id"] == "s0" else None)
    assert figures(study, found).lines[-1].split(";")[0] == figures(study, whole).lines[-1].split(";")[0]


def test_topics_stand_in_the_order_of_the_study() -> None:
    """Guards the table of twelve topics: 1, 2, 3, not 1, 10, 11."""
    study = made_study(topics=12, people=1)
    found = made_rows(study)
    found = replace(found, units=sorted(found.units, key=lambda row: row["id"]))
    assert [row[0] for row in figures(study, found).progress.rows] == [str(n) for n in range(1, 13)]


def test_excluded_and_models_cost_and_count_as_they_should() -> None:
    """Guards money and counts: who is excluded was paid and does not count; a model is not paid, and counts beside."""
    study = made_study()
    found = changed(
        made_rows(study),
        assessors=lambda r: (
            {"excluded": "asked to"} if r["id"] == "a-0" else {"kind": "model"} if r["id"] == "a-1" else None
        ),
    )
    lines = figures(study, found).lines
    assert lines[1] == "48 judgments that count; median time on one 34 s; 24 of models beside them"
    assert len(rating_table(study, found.ratings())) == 48
    alone = figures(study, changed(found, assessors=lambda _: {"kind": "model", "excluded": None})).lines
    assert alone[1] == "96 judgments that count, of models"
    shown = overview_of(study, found, {}, AgreementSoFar("ratio"), None)
    assert (shown.judgments, shown.cannot) == (48, 0)
    assert lines[-1].startswith("13.50 GBP for finished units")
    assert flags(study, found, "a-0") == "excluded: asked to"
    assert flags(study, found, "a-1") == "model"


def test_a_study_that_nobody_came_to() -> None:
    """Guards the first minute: no division by nothing."""
    study = made_study()
    units = [{"id": u.id, "topic": u.topic, "place": 0, "state": "free", "session": None} for u in study.units]
    said = figures(study, Collected(units, [], [], []), lambda _: "never")
    assert said.lines[:2] == ("0 of 12 units finished (0%), 0 being judged", "no judgments that count yet")
    assert said.lines[-1].startswith("agreement: not yet (there is nothing to export yet")
    assert figures(study, Collected([], [], [], [])).lines[0] == "0 of 12 units finished (0%), 0 being judged"
    assert "Assessors" in str(said)


@pytest.mark.parametrize(
    ("new", "flag"),
    [
        ({"seconds": 24.9}, "fast"), ({"seconds": 25.0}, ""), ({"seconds": 105.0}, ""), ({"seconds": 105.1}, "slow"),
        ({"value": 5.0}, "one number"), ({"reason": " The  same"}, "same reasons"),
        ({"value": None, "cannot": "other"}, "cannot judge"),
    ],
)  # fmt: skip
def test_flags(new: dict[str, Any], flag: str) -> None:
    """Guards each suspicion: the person made to earn it has it, nobody else has any."""
    study = made_study(people=8)
    found = made_rows(study)
    found = changed(found, answers=by("a-1", found, new))
    assert flags(study, found, "a-1") == flag
    people = figures(study, found).people
    assert [row[0] for row in people.rows if row[-1]] == ["a-1"] * bool(flag)
    assert people.rows[0][0] == ("a-1" if flag else "a-0")


def test_a_model_is_neither_fast_nor_slow() -> None:
    """Guards LLM judges, who are exempt from time."""
    study = made_study()
    found = made_rows(study)
    found = changed(
        found,
        answers=by("a-1", found, {"seconds": 1.0}),
        assessors=lambda r: {"kind": "model"} if r["id"] == "a-1" else None,
    )
    assert flags(study, found, "a-1") == "model"


def test_sets_sent_back() -> None:
    """Guards the count: sets that were sent and not accepted, the accepted one not among them."""
    study = made_study()
    found = changed(
        made_rows(study),
        sessions=lambda r: {"tries": {"checks": 3}, "flags": ["paste"]} if r["id"] == "s0" else {"tries": {}}
        if r["id"] == "s3" else {"tries": {"checks": 3}, "outcome": "failed"} if r["id"] == "s1" else None,
    )  # fmt: skip
    rows = {row[0]: row for row in figures(study, found).people.rows}
    assert [rows[who][5] for who in ("a-0", "a-1")] == [5, 0]
    assert rows["a-0"][-1] == "sent back, paste"


def test_who_agrees_far_less_is_named_with_the_rule() -> None:
    """Guards the flag that others' ratings make: it stands at its person, and the rule below the table."""
    study = made_study()
    found = made_rows(study)
    people = figures(study, found, far=lambda _: (["a-1"], "by the rule")).people
    assert [(row[0], row[-1]) for row in people.rows if row[-1]] == [("a-1", "far")]
    assert people.notes[-1] == "far: by the rule"
    assert not figures(study, found, far=lambda _: ([], "by the rule")).people.notes


def test_little_is_said_of_few_answers() -> None:
    """Guards newcomers: three quick answers make nobody suspicious."""
    study = made_study(topics=1)
    found = made_rows(study)
    mine = {s["id"] for s in found.sessions if s["assessor"] == "a-1"}
    few = [r for r in found.answers if r["session"] not in mine or r["number"] <= 3]
    found = replace(found, answers=few)
    found = changed(found, answers=by("a-1", found, {"seconds": 2.0, "value": 5.0, "reason": "x"}))
    assert flags(study, found, "a-1") == ""


def test_agreement_is_of_what_counts() -> None:
    """Guards the callable: it gets the ratings of the usual export, and its trouble is told, not raised."""
    study = made_study()
    found = changed(made_rows(study), sessions=lambda r: ended("failed") if r["id"] == "s0" else None)
    seen: list[Judgments] = []

    def agreement(ratings: Judgments) -> str:
        seen.append(ratings)
        if len(seen) > 1:
            raise TruegainError("too few")
        return "alpha 0.5"

    assert figures(study, found, agreement).lines[-1] == "alpha 0.5"
    assert len(seen[0]) == 88
    assert figures(study, found, agreement).lines[-1] == "agreement: not yet (too few)"
