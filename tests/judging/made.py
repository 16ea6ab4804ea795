"""Studies and what was collected in them, made by hand: for tests of what is written and told about it."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from truegain.judging.export import Collected
from truegain.judging.study.study import JudgingStudy, People, Words
from truegain.judging.tasks.base import Document, Item, Topic, Unit
from truegain.judging.tasks.catalogue import task_of

WORTH = {"h": 80.0, "a": 40.0, "b": 20.0, "c": 10.0, "d": 5.0, "e": 3.0, "f": 2.0, "n": 1.0}
CLAIM = "The tower was moved in 2011, at night."


def made_study(task: str = "magnitude", topics: int = 3, people: int = 4, **settings: Any) -> JudgingStudy:
    """A study with one unit a person and topic, of eight documents; the probability of a document is its own."""
    names = [f"{t + 1}" for t in range(topics)]
    units = tuple(Unit(f"{t}-{k}", t, _items(task, t), *_anchors(task)) for k in range(people) for t in names)
    docs = {f"{d}{t}": Document(f"{d}{t}", "text") for t in names for d in WORTH}
    found = {t: Topic(t, f"Topic {t}", "what is asked") for t in names}
    pay = People(pay=1.5, currency="GBP")
    return JudgingStudy(
        Path("study"), "study", task_of(task, settings), found, docs, units, Words("A study"), people=pay
    )


def _items(task: str, topic: str) -> tuple[Item, ...]:
    docs = [f"{d}{topic}" for d in WORTH]
    if task == "preference":
        pairs = [(a, b) for a, b in itertools.pairwise(docs)]
        return tuple(Item(pair if i % 2 else pair[::-1], 0.5) for i, pair in enumerate(pairs))
    if task == "claim":
        return tuple(Item((doc,), 0.5, claim=CLAIM, answer=f"{CLAIM} It stood.") for doc in docs)
    return tuple(Item((doc,), round(0.1 * (i + 1), 1)) for i, doc in enumerate(docs))


def _anchors(task: str) -> tuple[int | None, int | None]:
    return (0, 7) if task == "magnitude" else (None, None)


def made_rows(study: JudgingStudy, seed: int = 0, spread: float = 0.1) -> Collected:
    """All units finished: each person has a scale of their own, and orders documents by their worth but for noise."""
    draws = np.random.default_rng(seed)
    units, sessions = [], []
    people: dict[str, dict[str, Any]] = {}
    answers: list[dict[str, Any]] = []
    for place, unit in enumerate(study.units):
        who = f"a-{unit.id.split('-')[1]}"
        people.setdefault(who, {"id": who, "platform": "open", "platform_id": f"p{who}", "kind": "human", "about": {},
                                "came": 0.0, "excluded": None})  # fmt: skip
        units.append({"id": unit.id, "topic": unit.topic, "place": place, "state": "done", "session": f"s{place}"})
        order = draws.permutation(len(unit.items)).tolist()
        sessions.append({"id": f"s{place}", "token": f"t{place}", "assessor": who, "unit": unit.id,
                         "topic": unit.topic, "state": "done", "outcome": "done",
                         "plan": {"order": order}, "tries": {"checks": 1},
                         "flags": [], "began": 0.0, "ended": 900.0})  # fmt: skip
        scale = float(np.exp(draws.normal(0, 1)))
        for number, at in enumerate(order, 1):
            noise = float(np.exp(draws.normal(0, spread)))
            value, typed = _value(study.task.name, unit.items[at], scale, noise)
            answers.append({"id": len(answers) + 1, "session": f"s{place}", "kind": "item", "number": number,
                            "revision": 1, "value": value, "typed": typed, "reason": f"reason {place} {number}",
                            "cannot": "", "note": "", "seconds": 30.0 + number, "late": False, "at": 0.0})  # fmt: skip
    return Collected(units, sessions, list(people.values()), answers)


def _value(task: str, item: Item, scale: float, noise: float) -> tuple[float, str]:
    worth = [WORTH[doc[0]] for doc in item.docs]
    if task == "magnitude":
        value = float(f"{worth[0] * scale * noise:.3g}")
        return value, f"{value}"
    if task == "preference":
        return (1.0, "left") if worth[0] * noise > worth[1] else (-1.0, "right")
    grade = float(np.searchsorted([4, 15, 50], worth[0] * noise))
    value = float(grade > 1) if task == "binary" else min(grade, 2.0) if task == "claim" else grade
    return value, f"{value:g}"
