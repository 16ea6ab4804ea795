"""Any sequence of moves, by any number of people, at any time, keeps what must hold."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.judging.postgres import Server, memory
from tests.judging.walking import Time, Walker, check_invariants, rows, service_of, small_study
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.schema import answers, assessors, events, sessions
from truegain.judging.study.study import People, Rules
from truegain.judging.workflow.organizer import OrganizerService
from truegain.judging.workflow.steps import Elsewhere, Page, PageStep

PEOPLE = st.integers(0, 3)
ACTIONS = st.sampled_from(
    ["next", "next", "next", "back", "list", "cannot", "report", "leave", "decline", "stay", "withdraw"]
)
STEPS = st.sampled_from(
    [
        PageStep("consent"),
        PageStep("topic"),
        PageStep("revise"),
        PageStep("done"),
        PageStep("leave"),
        PageStep("practice", 2),
    ]
)
ORGANISED = st.sampled_from(["pause", "resume", "resume", "exclude", "readmit", "readmit", "withdraw"])
TIMES = st.sampled_from([1.0, 25.0, 3700.0, 3700.0, -86_400.0, 86_400.0])


class Judging(RuleBasedStateMachine):
    """Four people, a unit on each of two topics, tabs that stay open, replays, an organizer, a clock that is set."""

    new_url: ClassVar[Callable[[], str]]

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=memory()))
        self.clock = Time()
        rules = Rules(practice_tries=2, question_tries=2, check_tries=2)
        self.study = small_study(self.folder, topics=2, per_topic=1, size=2, rules=rules, people=People(most=3))
        self.database = Database(type(self).new_url())
        service = service_of(self.study, self.database, self.clock)
        self.organizer = OrganizerService(self.study, self.database, clock=self.clock)
        self.people = [Walker(service, self.clock, f"p{n}") for n in range(4)]
        self.tabs: list[tuple[int, str, Page]] = []
        self.known: dict[int, Any] = {}
        self.trail: dict[int, Any] = {}
        self.codes: dict[str, str] = {}

    @initialize()
    def someone_is_at_the_documents(self) -> None:
        """Begin where most can happen."""
        self.people[0].to_documents()

    @rule(who=PEOPLE)
    def enter(self, who: int) -> None:
        """Someone comes."""
        kept = self.people[who].token
        self.people[who].enter()
        self.people[who].token = self.people[who].token or kept

    @rule(who=PEOPLE)
    def open_page(self, who: int) -> None:
        """A page is opened, and its tab stays."""
        if self.people[who].token:
            self.tabs.append((who, self.people[who].token, self.people[who].page()))

    @rule(who=PEOPLE, step=STEPS | st.builds(PageStep, st.just("doc"), st.integers(-1, 4)))
    def open_any(self, who: int, step: PageStep) -> None:
        """Someone types an address."""
        walker = self.people[who]
        if walker.token:
            with contextlib.suppress(Elsewhere):
                self.tabs.append((who, walker.token, walker.page(step)))
                assert step == PageStep("leave") or walker.step == step

    @rule(who=PEOPLE, right=st.booleans())
    def go_on(self, who: int, right: bool) -> None:
        """Someone does what the page asks, rightly or wrongly."""
        walker = self.people[who]
        name = walker.step.name if walker.token else ""
        if name == "consent":
            walker.consent()
        elif name == "practice":
            walker.practise(right) if walker.step.number == 1 else walker.send(walker.page(), number="5")
        elif name == "topic":
            walker.choose(right)
        elif name == "revise":
            walker.send(walker.page())
        elif name == "doc":
            walker.judge("" if right else "5")

    @rule(who=PEOPLE, times=st.integers(2, 9))
    def walk(self, who: int, times: int) -> None:
        """Someone comes and does what is asked, for a while."""
        self.enter(who)
        for _ in range(times):
            self.go_on(who, True)

    @precondition(lambda self: self.tabs)
    @rule(
        data=st.data(),
        action=ACTIONS,
        number=st.sampled_from(["", "5", "70", "x"]),
        withdraw=st.sampled_from(["", "yes", "no"]),
    )
    def send_a_tab(self, data: st.DataObject, action: str, number: str, withdraw: str) -> None:
        """Some tab, old or new, is sent with anything in it."""
        who, token, page = data.draw(st.sampled_from(self.tabs))
        walker = self.people[who]
        now, walker.token = walker.token, token
        walker.send(page, action, number=number, reason=number, cannot=number, withdraw=withdraw, consent=number)
        walker.token = now

    @rule(who=PEOPLE, data=st.data())
    def replay(self, who: int, data: st.DataObject) -> None:
        """Something that was sent is sent again, by one who has another unit by now, or the same."""
        walker = self.people[who]
        if walker.sent:
            step, form, _ = data.draw(st.sampled_from(walker.sent))
            walker.post(step, form)

    @rule(seconds=TIMES)
    def time_passes(self, seconds: float) -> None:
        """Time passes, or the clock is set."""
        self.clock.go(seconds)

    @rule(what=ORGANISED, data=st.data())
    def organize(self, what: str, data: st.DataObject) -> None:
        """The organizer does something."""
        if what in ("pause", "resume"):
            getattr(self.organizer, what)()
        else:
            people = sorted(rows(self.database, assessors), key=lambda a: str(a.platform_id))
            person = data.draw(st.sampled_from(people)).id
            if what == "exclude":
                self.organizer.exclude(person, "odd")
            else:
                getattr(self.organizer, what)(person)

    @invariant()
    def all_holds(self) -> None:
        """Tables agree with one another; answers and events that were there are there, unchanged."""
        check_invariants(self.database, self.study)
        erased = {s.id for s in rows(self.database, sessions, outcome="withdrawn")}
        now = {a.id: a for a in rows(self.database, answers)}
        assert {i: a for i, a in self.known.items() if a.session not in erased}.items() <= now.items()
        trail = {e.id: (e.at, e.session, e.kind) for e in rows(self.database, events)}
        assert self.trail.items() <= trail.items()
        self.known, self.trail = now, trail
        for session in rows(self.database, sessions):
            page = self.people[0].service.page(session.token) if session.outcome else None
            if page:
                assert bool(page.code) == (session.state == "done")
                assert self.codes.setdefault(session.id, page.code) == page.code

    def teardown(self) -> None:
        """Close."""
        self.database.close()
        shutil.rmtree(self.folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def machine(request: pytest.FixtureRequest, sqlite_folder: Path) -> type[Judging]:
    """The machine on a database of either kind."""
    if request.param == "sqlite":
        url: Callable[[], str] = lambda: default_url(tempfile.mkdtemp(dir=sqlite_folder))  # noqa: E731
    else:
        server: Server = request.getfixturevalue("postgres_server")
        url = server.new
    return type("Machine", (Judging,), {"new_url": staticmethod(url)})


@pytest.mark.slow
def test_any_sequence_of_moves(machine: type[Judging]) -> None:
    """Guards all rules together: append only, an event for each answer, a code if and only if done, one holder."""
    often = 12 if "sqlite" in machine.new_url() else 4
    run_state_machine_as_test(
        machine, settings=settings(max_examples=often, stateful_step_count=25, deadline=None, derandomize=True)
    )
