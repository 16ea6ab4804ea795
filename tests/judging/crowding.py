"""A crowd whose truth is known, through the pages of a served study: shared by the tests and `benchmarks.judging`.

Documents have a worth, experts' levels and runs that rank them (`truegain.experiments.worlds`).  People come one
after the other by HTTP to `truegain annotate serve`, a process of its own whose clocks are set ahead while they read,
and fill in what pages show.  What they type is kept here, to be held against the export.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.judging.served import Served
from tests.judging.visiting import BODY, HIDDEN, LINE, OPTION, Knowledge, Visitor
from truegain.data.judgments import Judgments
from truegain.data.label_lists import GoldList
from truegain.data.runs import Runs
from truegain.data.writing import write_judgments, write_runs
from truegain.experiments.worlds import magnitude_ratings, meant, rounded, runs_over, second_expert
from truegain.judging.study.display import as_html
from truegain.judging.study.simulated import write_material
from truegain.judging.study.study import JudgingStudy

LIST = "list.csv"
DEPTH = 10  # of the pool, as in the paper
LATE = 2  # systems whose documents no expert looked at, unless others found them too
SPREAD = 3.0  # sd of the logarithms of numbers that have nothing to do with documents
KINDS = {  # how many of a hundred people are so
    "honest": 78,
    "careless": 8,  # numbers that have nothing to do with the documents, and no time for them
    "hasty": 6,  # honest, but too quick at first
    "blind": 3,  # cannot tell lines apart: fails practice
    "absent": 3,  # did not read the topic: fails the question
    "contrary": 2,  # rates upside down: never passes the final checks
}


@dataclass(frozen=True)
class World:
    """Files for a study in a folder, and the truth: the logarithm of worth by topic and document."""

    folder: Path
    worth: Mapping[tuple[str, str], float]
    init: tuple[str, ...]  # the words of `truegain annotate init`


def made_world(folder: Path, *, topics: int, docs: int, judgments: int, systems: int = 8, seed: int = 0) -> World:
    """Write topics.jsonl, docs.jsonl, runs/, expert.qrels (levels 0 to 3), second.qrels (0 and 1, who errs), list.csv.

    The list has what runs have among their first ten, drawn one after the other by sizes that differ.
    """
    made = magnitude_ratings(topics=topics, docs=docs, workers=1, seed=seed)
    worth = {(t, d): math.log(v) for t, d, v in _rows(made.truth)}
    write_material(made.expert, folder / "topics.jsonl", folder / "docs.jsonl", seed=seed)
    runs = runs_over(made.truth, systems=systems, depth=2 * DEPTH, seed=seed)
    write_runs(runs, f"{folder}/runs/")
    judged = _first(runs, systems - LATE)
    known = made.expert.take(np.array([k for k, (t, d, _) in enumerate(_rows(made.expert)) if (t, d) in judged]))
    write_judgments(known, folder / "expert.qrels")
    write_judgments(second_expert(known, seed=seed), folder / "second.qrels")
    drawn(sorted(_first(runs, systems)), seed).write(folder / LIST)
    words = f"init study --topics topics.jsonl --docs docs.jsonl --pool {LIST} --anchors expert.qrels --task magnitude"
    return World(folder, worth, (*words.split(), "--judgments", f"{judgments}", "--seed", f"{seed}"))


def drawn(pairs: Sequence[tuple[str, str]], seed: int) -> GoldList:
    """All pairs in an order in which each next one was drawn with a chance in proportion to its size."""
    draws = np.random.default_rng([seed, 5])
    size = draws.lognormal(0, 1, len(pairs))
    order = np.argsort(draws.exponential(size=len(pairs)) / size)
    topics, docs = zip(*(pairs[k] for k in order), strict=True)
    return GoldList.of(topics, docs, np.zeros(len(pairs)), size[order], "ordered", "P@10", (0, 3))


def _rows(table: Judgments) -> Iterator[tuple[str, str, float]]:
    topics = [table.topic.values[code] for code in table.topic.code]
    return zip(topics, table.docs.strings(), table.label.tolist(), strict=True)


def _first(runs: Runs, systems: int) -> set[tuple[str, str]]:
    """The documents that some systems have among their first ones."""
    found: set[tuple[str, str]] = set()
    for run in runs.parts[:systems]:
        topics, count = [run.topic.values[code] for code in run.topic.code], dict[str, int]()
        for topic, doc in zip(topics, run.docs.strings(), strict=True):
            count[topic] = count.get(topic, 0) + 1
            if count[topic] <= DEPTH:
                found.add((topic, doc))
    return found


class Typed(NamedTuple):
    """A number as it was typed, and what it means."""

    text: str
    value: float


class ServerTime:
    """The clocks of a server, which go on when told."""

    def __init__(self, served: Served) -> None:
        self.served, self.ahead = served, 0.0

    def go(self, seconds: float) -> None:
        """Let time pass."""
        self.ahead += seconds
        self.served.set_clocks(self.ahead, self.ahead)


@dataclass(frozen=True)
class Mind(Knowledge):
    """What one person knows, and how they are: fills in pages as they would, in their own time."""

    kind: str
    scale: float  # logarithm of a document of worth 1
    noise: float
    fractions: bool  # whether numbers below 1 are written as 1/2, 1/3
    back: float  # chance to look at the document before once more
    draws: np.random.Generator
    clock: ServerTime
    typed: dict[str, Typed] = field(default_factory=dict)  # by reason, which no two answers share
    tries: dict[str, int] = field(default_factory=dict)  # pages of documents seen, by what stands on them

    def fill(self, step: str, page: str, reason: str) -> dict[str, str]:
        """A page's form as this person fills it in."""
        form = {**dict(HIDDEN.findall(page)), "action": "next"}
        if step == "consent":
            form["consent"] = "yes"
        elif step == "practice":
            length = float(_found(LINE, page)) - 8
            form["number"] = f"{1000 - length if self.kind == 'blind' else length:.1f}"
        elif step == "topic":
            form["choice"] = next(
                key for key, text in OPTION.findall(page) if (unescape(text) in self.right) != (self.kind == "absent")
            )
        elif step == "doc":
            form |= self._judged(page, reason)
        return form

    def _judged(self, page: str, reason: str) -> dict[str, str]:
        text = _found(BODY, page)
        again = self.tries.get(text, 0)
        self.tries[text] = again + 1
        self.clock.go(self._seconds(again))
        if not again and 'value="back"' in page and self.draws.random() < self.back:
            return {"action": "back"}
        self.typed[reason] = said = self._number(self.worth[text])
        return {"number": said.text, "reason": reason}

    def _seconds(self, again: int) -> float:
        """Time on a page: above 20 for who reads, far less for who does not, until they are sent back."""
        if self.kind in ("hasty", "careless") and not again:
            return float(self.draws.uniform(4, 12))
        return float(21 + self.draws.gamma(2, 10))

    def _number(self, worth: float) -> Typed:
        true = np.array([-worth if self.kind == "contrary" else worth])
        logs = self.draws.normal(0, SPREAD, 1) if self.kind == "careless" else meant(true, self.draws, noise=self.noise)
        value = float(rounded(np.exp(self.scale + logs), self.draws)[0])
        if self.fractions and value < 1:
            return Typed(f"1/{round(1 / value)}", 1 / round(1 / value))
        text = np.format_float_positional(float(f"{value:.3g}"), trim="-")
        return Typed(text, float(text))


def _found(pattern: re.Pattern[str], page: str) -> str:
    found = pattern.search(page)
    assert found, "a page that does not show what it is about"
    return found[1]


@dataclass(frozen=True)
class Crowd:
    """Who came, with what they typed and what became of them."""

    visitors: list[Visitor]
    minds: list[Mind]
    ends: dict[str, int]  # units by how they ended

    @property
    def typed(self) -> dict[str, Typed]:
        """All numbers that were typed, by the reason that stood beside them."""
        return {reason: said for mind in self.minds for reason, said in mind.typed.items()}


async def judged(
    world: World,
    study: JudgingStudy,
    served: Served,
    *,
    noise: tuple[float, float] = (0.6, 1.2),
    scales: float = 1.5,
    back: float = 0.02,
    units: float = 3.0,
    seed: int = 0,
    kinds: Mapping[str, float] = KINDS,
    first: Sequence[str] = (),
    seen: Callable[[int], None] | None = None,
) -> Crowd:
    """Let people come, one after the other, until every unit is judged.

    noise: of the logarithms of a person's numbers, drawn between these.  scales: sd of the logarithms of people's
    scales.  units: that a person takes on the average, each of another topic.  kinds: people are drawn by; those of the
    first ones may be given.
    """
    draws = np.random.default_rng([seed, 3])
    clock = ServerTime(served)
    asked = [topic.question for topic in study.topics.values() if topic.question]
    right = frozenset(question.options[question.right] for question in asked)
    documents = {doc: str(as_html(document)) for doc, document in study.documents.items()}
    worth = {documents[doc]: value for (_, doc), value in world.worth.items() if doc in documents}
    assert len(worth) == len(documents), "two documents look alike"
    names, shares = list(kinds), np.array(list(kinds.values()), np.float64)
    crowd, done = Crowd([], [], {}), 0
    most = 20 * len(study.units)
    while done < len(study.units):
        number = len(crowd.visitors)
        assert number < most, f"{done} of {len(study.units)} units were judged by {most} people"
        drawn = names[int(draws.choice(len(names), p=shares / shares.sum()))]
        kind = first[number] if number < len(first) else drawn
        mind = Mind(
            study.name, right, worth, kind, float(draws.normal(2, scales)), float(draws.uniform(*noise)),
            bool(draws.random() < 0.1), back, np.random.default_rng([seed, 4, number]), clock,
        )  # fmt: skip
        visitor = Visitor(served.port, mind, f"p{number}")
        crowd.visitors.append(visitor)
        crowd.minds.append(mind)
        done += await _visit(visitor, int(draws.geometric(1 / units)), crowd.ends)
        if seen:
            seen(done)
    return crowd


async def _visit(visitor: Visitor, wanted: int, ends: dict[str, int]) -> int:
    """One person's units, to the last they want or get, or to the first that ends without a code; how many got one."""
    at = await visitor.enter()
    for place in range(wanted):
        end = await visitor.unit(await visitor.another() if place else at)
        name = "done" if len(visitor.codes) > place else end.split("/")[-1] if end.startswith("/u/") else "none"
        ends[name] = ends.get(name, 0) + 1
        if name != "done":
            break
    await visitor.link.close()
    return len(visitor.codes)
