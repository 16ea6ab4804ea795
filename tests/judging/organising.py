"""A study with its organiser's page, for tests: by HTTP, against the real desk."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from functools import partial
from typing import NamedTuple

from argon2 import PasswordHasher
from sqlalchemy import func, select

from tests.judging.asgi import TestClient
from tests.judging.walking import Time, Walker
from truegain.cli.judging_insight import insight_of
from truegain.judging.desk.desk import Desk
from truegain.judging.desk.leases import DONE, FREE, HELD
from truegain.judging.desk.office import Office
from truegain.judging.insight import Insight
from truegain.judging.server.app import create_app
from truegain.judging.server.organiser import organiser_routes
from truegain.judging.store.database import Database
from truegain.judging.store.schema import units
from truegain.judging.study.study import JudgingStudy

PASSWORD = "four words or more"


HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)  # a light one


AT = "/organise/small"


class TopicProgress(NamedTuple):
    """Units of a topic: how many there are, finished, with someone, and free."""

    topic: str
    units: int
    done: int
    held: int
    free: int


def progress(office: Office) -> list[TopicProgress]:
    """How far each topic is, in the study's order of topics."""
    query = select(units.c.topic, units.c.state, func.count()).group_by(units.c.topic, units.c.state)
    found: dict[str, Counter[str]] = {topic: Counter() for topic in office.study.topics}
    for topic, state, count in office.database.read(lambda c: c.execute(query).all()):
        found[topic][state] += count
    return [TopicProgress(t, n.total(), n[DONE], n[HELD], n[FREE]) for t, n in found.items() if n]


class House:
    """A study, its desk and office, and the app with the organiser's page."""

    def __init__(self, study: JudgingStudy, database: Database, clock: Time, insight: Insight | None = None) -> None:
        self.study, self.database, self.clock = study, database, clock
        self.desk, self.office = Desk(study, database, clock=clock), Office(study, database, clock=clock)
        made = partial(organiser_routes, study, self.office, insight or insight_of(study), HASH)
        self.app = create_app(study, database, desk=self.desk, more=[lambda *_: made()], limits=None)
        self.client = self.visitor()

    def visitor(self) -> TestClient:
        """A browser that has not been here."""
        return TestClient(self.app, follow_redirects=False, base_url="https://testserver")

    def sign_in(self, password: str = PASSWORD) -> int:
        """Give a password; the status of the answer."""
        page = self.client.get(f"{AT}/sign-in")
        answer = self.client.post(f"{AT}/sign-in", data={"csrf": csrf(page.text), "password": password})
        return int(answer.status_code)

    def walk(self, name: str) -> Walker:
        """Somebody who does a whole unit."""
        walker = Walker(self.desk, self.clock, name)
        assert walker.whole().name == "done"
        return walker


def csrf(page: str) -> str:
    """What the first form of a page carries."""
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None
    return found[1]


def table(house: House, name: str) -> list[dict[str, str]]:
    """A download as rows."""
    answer = house.client.get(f"{AT}/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment")
    return list(csv.DictReader(io.StringIO(answer.text)))
