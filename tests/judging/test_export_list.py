"""Lists of pairs to judge come back with labels: from the top, and none that may still change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.judging.made import WORTH, made_rows, made_study
from tests.judging.test_export import changed
from truegain.data.label_lists import GoldList
from truegain.errors import InputError
from truegain.judging.export import Collected, fill_list
from truegain.judging.study.study import Rules


def test_a_list_is_filled_from_its_top() -> None:
    """Guards gold lists: a label that somebody gave, to the first pair that may still change; the rest is counted."""
    study = made_study("graded", topics=2, people=4)
    given = {"a": (2, 3, 2, 3), "b": (0, 0, 0, 1), "c": (1, 1, 1, 1), "d": (3, 3, 3, 3)}
    found = made_rows(study)
    orders = {s["id"]: (s["plan"]["order"], s["topic"], int(s["assessor"][2:])) for s in found.sessions}

    def value(r: dict[str, Any]) -> dict[str, Any] | None:
        order, _, who = orders[r["session"]]
        doc = list(WORTH)[order[r["number"] - 1]]
        return {"value": float(given[doc][who])} if doc in given else None

    found = changed(found, answers=value)
    pairs = [("1", "a1"), ("1", "b1"), ("2", "c2"), ("1", "d1")]

    def filled(*names: tuple[str, str], rows: Collected = found) -> tuple[list[float], int]:
        topics, docs = [t for t, _ in names], [d for _, d in names]
        listed = GoldList.of(topics, docs, np.zeros(len(docs)), np.ones(len(docs)), "random", "P@10", (0, 3))
        done, later = fill_list(listed, study, rows.ratings())
        return done.label[: done.judged].tolist(), later

    assert filled(*pairs) == ([2.0, 0.0, 1.0, 3.0], 0)
    going = changed(found, sessions=lambda r: {"outcome": None} if r["unit"] == "2-3" else None)
    assert filled(*pairs, rows=going) == ([2.0, 0.0], 1)
    out = changed(found, assessors=lambda r: {"excluded": "asked to"} if r["id"] == "a-0" else None)
    with pytest.raises(InputError, match="the first pair of the list is not ready"):
        filled(*pairs, rows=out)
    skipped = changed(found, answers=lambda r: {"value": None, "cannot": "other"} if r["session"] == "s0" else None)
    assert filled(*pairs, rows=skipped) == ([3.0, 0.0, 1.0, 3.0], 0)
    nobody = changed(
        found, answers=lambda r: {"value": None, "cannot": "other"} if orders[r["session"]][1] == "1" else None
    )
    listed = GoldList.of(
        [t for t, _ in pairs], [d for _, d in pairs], np.zeros(4), np.ones(4), "random", "P@10", (0, 3)
    )
    done, later = fill_list(listed, study, nobody.ratings())
    assert (done.judged, later, sorted(done.cannot), done.labeled.tolist()) == (4, 0, [0, 1, 3], [2])
    every = changed(found, answers=lambda _: {"value": None, "cannot": "other"})
    assert fill_list(listed, study, every.ratings())[0].judged == 4
    off = changed(found, answers=lambda _: {"value": 4.0})
    with pytest.raises(InputError, match="not on the scale"):
        filled(*pairs, rows=off)


def again(found: Collected, session: str, who: str, kind: str = "human") -> Collected:
    """The same rows, and a session once more by someone else: a model beside people, or who took a unit given free."""
    new = {"id": who, "platform": "open", "platform_id": f"p{who}", "kind": kind, "about": {}, "came": 0.0}
    own = next(s for s in found.sessions if s["id"] == session)
    copied = f"{session}-{who}"
    return replace(
        found,
        assessors=[*found.assessors, {**new, "excluded": None}],
        sessions=[*found.sessions, {**own, "id": copied, "assessor": who}],
        answers=[*found.answers, *({**a, "session": copied} for a in found.answers if a["session"] == session)],
    )


def test_a_pair_is_ready_when_people_finished_all_its_units() -> None:
    """Guards the verdict at every look: neither models nor a unit done twice stand in for a unit that goes on."""
    study = made_study("graded", topics=1, people=3)
    whole = made_rows(study)
    going = changed(whole, sessions=lambda r: {"outcome": None} if r["id"] != "s0" else None)
    models = again(again(going, "s0", "m-1", "model"), "s0", "m-2", "model")
    twice = again(changed(whole, sessions=lambda r: {"outcome": None} if r["id"] == "s2" else None), "s0", "a-7")
    out = changed(again(whole, "s0", "a-7"), assessors=lambda r: {"excluded": "why"} if r["id"] == "a-0" else None)
    listed = GoldList.of(["1"], ["a1"], np.zeros(1), np.ones(1), "random", "P@10", (0, 3))
    for found in (models, twice):
        with pytest.raises(InputError, match="the first pair of the list is not ready"):
            fill_list(listed, study, found.ratings())
    for found in (whole, out, again(whole, "s0", "a-7"), again(whole, "s0", "m-1", "model")):
        assert fill_list(listed, study, found.ratings())[0].judged == 1


def test_others_are_waited_for() -> None:
    """Guards what one cannot judge: not ready while a unit for others is open, unless the rules ask fewer by now."""
    study = made_study("graded", topics=1, people=1)
    whole = changed(made_rows(study), answers=lambda _: {"value": None, "cannot": "other"})
    more = replace(study.units[0], id="1-0+1", items=study.units[0].items[1:2])
    asked = replace(study, units=(*study.units, more), rules=Rules(others=2))
    listed = GoldList.of(["1"], ["a1"], np.zeros(1), np.ones(1), "random", "P@10", (0, 3))
    with pytest.raises(InputError, match="not ready"):
        fill_list(listed, asked, whole.ratings())
    fewer = replace(asked, rules=Rules(others=0))
    assert fill_list(listed, fewer, whole.ratings())[0].cannot == {0}
