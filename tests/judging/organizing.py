"""A study with its organizer's page, for tests: by HTTP, against the real service."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from argon2 import PasswordHasher
from sqlalchemy import func, select

from tests.judging.asgi import TestClient
from tests.judging.walking import Time, Walker
from truegain.cli.annotate_insight import insight_of
from truegain.judging.server.app import create_app
from truegain.judging.server.organizer import organizer_routes
from truegain.judging.status import Insight
from truegain.judging.store.database import Database
from truegain.judging.store.schema import units
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import DONE
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.assignment import FREE, HELD
from truegain.judging.workflow.organizer import OrganizerService

if TYPE_CHECKING:
    from httpx import Response

PASSWORD = "four words or more"


HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)  # a light one


AT = "/organize/small"


class TopicProgress(NamedTuple):
    """Units of a topic: how many there are, finished, with someone, and free."""

    topic: str
    units: int
    done: int
    held: int
    free: int


def progress(organizer: OrganizerService) -> list[TopicProgress]:
    """How far each topic is, in the study's order of topics."""
    query = select(units.c.topic, units.c.state, func.count()).group_by(units.c.topic, units.c.state)
    found: dict[str, Counter[str]] = {topic: Counter() for topic in organizer.study.topics}
    for topic, state, count in organizer.database.read(lambda c: c.execute(query).all()):
        found[topic][state] += count
    return [TopicProgress(t, n.total(), n[DONE], n[HELD], n[FREE]) for t, n in found.items() if n]


class House:
    """A study, its service and organizer, and the app with the organizer's page."""

    def __init__(
        self,
        study: JudgingStudy,
        database: Database,
        clock: Time,
        insight: Insight | None = None,
        results: Mapping[str, Path] | None = None,
    ) -> None:
        self.study, self.database, self.clock = study, database, clock
        self.service, self.organizer = (
            AssessorService(study, database, clock=clock),
            OrganizerService(study, database, clock=clock),
        )
        made = partial(organizer_routes, study, self.organizer, insight or insight_of(study), HASH, results)
        self.app = create_app(study, database, service=self.service, more=[lambda *_: made()], limits=None)
        self.client = self.visitor()

    def visitor(self) -> TestClient:
        """A browser that has not been here."""
        return TestClient(self.app, follow_redirects=False, base_url="https://testserver")

    def sign_in(self, password: str = PASSWORD) -> int:
        """Give a password; the status of the answer."""
        return int(self._sent(password).status_code)

    def signed_in_to(self) -> str:
        """Give the password; where that leads."""
        return str(self._sent(PASSWORD).headers["location"])

    def _sent(self, password: str) -> Response:
        page = self.client.get(f"{AT}/sign-in")
        answer: Response = self.client.post(f"{AT}/sign-in", data={"csrf": csrf(page.text), "password": password})
        return answer

    def walk(self, name: str) -> Walker:
        """Somebody who does a whole unit."""
        walker = Walker(self.service, self.clock, name)
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
