"""The rules against who bends them, on a server as it runs: clocks that are set, forged times, tabs, replays."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, TypeVar

import pytest

from tests.judging.served import Nest, Served
from tests.judging.visiting import Knowledge, Visitor, parts
from tests.judging.walking import check_invariants, rows
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, drafts, events, sent, sessions, units, visits
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import JudgingStudy, People, Rules

DAY = 86_400.0
T = TypeVar("T")


@pytest.fixture(scope="module")
def one_unit(tmp_path_factory: pytest.TempPathFactory) -> JudgingStudy:
    """A study of one unit of eight documents, under the paper's rules; a person may have one unit."""
    folder = tmp_path_factory.mktemp("one") / "study"
    study = simulated_study(folder, topics=1, docs=8, judgments=1, rules=Rules(check_tries=9), people=People(most=1))
    assert [len(unit.items) for unit in study.units] == [8]
    return study


class Place:
    """A served study, its clocks, its database, and someone who works on it."""

    def __init__(self, served: Served, study: JudgingStudy, database: Database) -> None:
        self.served, self.study, self.database = served, study, database
        self.wall = self.steady = 0.0
        self.visitor = self.person("p1")

    def person(self, name: str) -> Visitor:
        """Someone else."""
        return Visitor(self.served.port, Knowledge.of(self.study), name)

    def go(self, seconds: float) -> float:
        """Let time pass, without waiting for it."""
        self.step(seconds)
        self.steady += seconds
        self.served.set_clocks(self.wall, self.steady)
        return 0.0

    def step(self, seconds: float) -> None:
        """Set the wall clock."""
        self.wall += seconds
        self.served.set_clocks(self.wall, self.steady)

    def seconds(self) -> dict[int, int]:
        """Whole seconds on each document, as its last answer has them."""
        found = sorted(rows(self.database, answers, kind="item"), key=lambda a: a.revision)
        return {a.number: int(a.seconds) for a in found}

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run what someone does, and close their connection."""

        async def whole() -> T:
            try:
                return await work
            finally:
                await self.visitor.link.close()

        return asyncio.run(whole())


@pytest.fixture
def place(nest: Nest, one_unit: JudgingStudy, database_url: str) -> Iterator[Place]:
    """The study served, on either database."""
    with _served(nest, one_unit, database_url) as found:
        yield found
        check_invariants(found.database, one_unit)


@contextmanager
def _served(nest: Nest, study: JudgingStudy, url: str) -> Iterator[Place]:
    with Served(nest, study.folder, url, clocks=True) as served:
        database = Database(url)
        yield Place(served, study, database)
        database.close()


@pytest.mark.parametrize("steps", [(-DAY, DAY), (DAY, -DAY)])
def test_the_clock_is_set_by_a_day_and_back(place: Place, steps: tuple[float, float]) -> None:
    """Guards times and places where the server's clock is set: 25 s stay 25 s, and nobody loses the unit."""
    visitor, waits = place.visitor, iter(range(100))

    def wait() -> float:
        now = next(waits)
        if now in (6, 9):  # before the second document is sent, and before the fifth
            place.step(steps[now == 9])
        return place.go(25.0)

    async def work() -> str:
        visitor.pause = wait
        at = await visitor.unit(until=("doc", 4))
        other = place.person("p2")
        assert (await other.enter()).endswith("/none")
        await other.link.close()
        return await visitor.unit(at)

    code = place.run(work())
    assert visitor.codes[rows(place.database, sessions)[0].token] == code
    assert place.seconds() == dict.fromkeys(range(1, 9), 25)
    assert len(rows(place.database, answers, kind="item")) == 8
    assert {round(e.about["by"] / DAY) for e in rows(place.database, events, kind="clock")} <= {-1, 1}


def test_forged_times_and_an_early_jump(place: Place) -> None:
    """Guards against scripts: no field makes time, document 5 is neither shown nor taken before its turn."""
    visitor = place.visitor
    forged = {"seconds": "500", "began": "0", "at": "0", "served": "1", "late": "true", "number_of_visits": "9"}

    async def work() -> None:
        at = await visitor.unit(until=("doc", 1))
        page = (await visitor.link.ask("GET", at)).text
        form = visitor.knows.fill("doc", page, "early")
        for number in (5, 2, 8, 9, 0):
            ahead = at.replace("doc/1", f"doc/{number}")
            for answer in (await visitor.link.ask("GET", ahead), await visitor.link.ask("POST", ahead, form)):
                assert (answer.status, answer.location) == (303, at)
        assert {v.number for v in rows(place.database, visits)} == {1}
        assert rows(place.database, answers, kind="item") == []
        for _ in range(8):
            page = (await visitor.link.ask("GET", at)).text
            place.go(2.0)
            form = visitor.knows.fill("doc", page, "forged") | forged
            at = (await visitor.link.ask("POST", at, form, Date="Thu, 01 Jan 1970 00:00:00 GMT")).location
        assert parts(at)[1] == "revise"

    place.run(work())
    assert place.seconds() == dict.fromkeys(range(1, 9), 2)
    assert rows(place.database, sessions)[0].code is None


def test_eight_tabs(place: Place) -> None:
    """Guards against tabs: eight documents open for 25 s are 25 s on one of them; eight answers to one page are one."""
    visitor = place.visitor

    async def work() -> None:
        visitor.pause = lambda: place.go(1.0)
        at = await visitor.unit(until=("revise", 0))
        page = (await visitor.link.ask("GET", at)).text
        at = (await visitor.link.ask("POST", at, visitor.knows.fill("revise", page, ""))).location
        every = [at.replace("doc/1", f"doc/{number}") for number in range(1, 9)]
        tabs = [(await visitor.link.ask("GET", tab)).text for tab in every]
        place.go(25.0)
        for tab, page in zip(every, tabs, strict=True):
            await visitor.link.ask("POST", tab, visitor.knows.fill("doc", page, f"tab {tab[-1]}"))
        assert place.seconds() == {**dict.fromkeys(range(1, 8), 1), 8: 26}
        people = [place.person("p1") for _ in range(8)]
        at = (await visitor.link.ask("GET", at[: at.index("/doc")])).location
        page = (await visitor.link.ask("GET", at)).text
        at = (await visitor.link.ask("POST", at, visitor.knows.fill("revise", page, ""))).location
        same = [(await person.link.ask("GET", at)).text for person in people]
        forms = [visitor.knows.fill("doc", page, f"at once {n}") for n, page in enumerate(same)]
        found = await asyncio.gather(*(p.link.ask("POST", at, form) for p, form in zip(people, forms, strict=True)))
        assert {answer.status for answer in found} == {303}
        for person in people:
            await person.link.close()

    place.run(work())
    given = rows(place.database, answers, kind="item", number=1)
    assert [a.revision for a in sorted(given, key=lambda a: a.revision)] == [1, 2, 3]
    assert sum(a.reason.startswith("at once") for a in given) == 1
    told = [e.about["fields"]["reason"] for e in rows(place.database, events, kind="twice")]
    assert len(told) == 7, "what the other tabs sent is kept"


def test_every_request_replayed(place: Place) -> None:
    """Guards replays: all requests of a whole unit once more, in order and shuffled; no row changes anywhere."""
    visitor = place.visitor
    tables = (answers, drafts, sent, sessions, units, visits)

    def state(*more: Any) -> list[Any]:
        return [rows(place.database, table) for table in (*tables, *more)]

    async def replay(asked: list[tuple[str, str, dict[str, str] | None]]) -> set[int]:
        found, cookie = set[int](), f"truegain-{place.study.name}={visitor.name}"
        for request in asked:
            while (answer := await visitor.link.ask(*request, cookie)).status == 429:  # the server's own limit
                await asyncio.sleep(0.1)
            found.add(answer.status)
        return found

    async def work() -> None:
        visitor.pause = lambda: place.go(25.0)
        at = await visitor.unit(until=("doc", 5))
        page = (await visitor.ask("GET", at)).text
        wrong = visitor.knows.fill("doc", page, "a reason") | {"number": "-1"}
        assert (await visitor.ask("POST", at, wrong)).location == at
        page = (await visitor.ask("GET", at)).text
        await visitor.ask("POST", at, visitor.knows.fill("doc", page, "another") | {"action": "back"})
        await visitor.ask("POST", at[: at.index("doc")] + "notice", {"kind": "paste", "field": "reason"})
        posts = [request for request in visitor.asked if request[0] == "POST" and "notice" not in request[1]]
        before, draws = state(events), Random(3)
        for order in (posts, draws.sample(posts, len(posts))):
            assert await replay(order) == {303}
            assert state(events) == before
        code = await visitor.unit(at)
        assert "/" not in code
        before = state()
        entered = len(rows(place.database, events))
        for order in (visitor.asked, draws.sample(visitor.asked, len(visitor.asked))):
            assert await replay(list(order)) <= {200, 204, 303}
            assert state() == before
        new = rows(place.database, events)[entered:]
        assert {event.kind for event in new} <= {"entered"}, "the audit trail has who came, and nothing else"

    place.run(work())
    assert len(rows(place.database, answers, kind="item")) == 8
