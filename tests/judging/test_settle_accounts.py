"""The accounts of the test that kills `truegain settle`: they find a lost label, and take no late Undo for one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Literal

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, select, update

from tests.judging.settling import KNOWN, Differences, Sent, Worker, checked, differences
from tests.judging.teaming import team_folder
from truegain.judging.server.app import create_app
from truegain.judging.store.schema import answers
from truegain.judging.workflow.organizer import OrganizerService
from truegain.judging.workflow.pausing import pause

if TYPE_CHECKING:
    from truegain.judging.store.database import Database

TOLD: Mapping[str, Literal["acknowledged", "refused", "unknown"]] = {
    "+": "acknowledged",
    "-": "refused",
    "?": "unknown",
}
ROWS = 9


@pytest.mark.parametrize(
    ("sent", "stored", "found"),
    [
        ("2+", "2", (0, 0, 0)),
        ("2+", "", (1, 0, 0)),
        ("2+", "22", (0, 1, 0)),
        ("2+", "1", (1, 0, 1)),
        ("2?", "", (0, 0, 0)),
        ("2?", "2", (0, 0, 0)),
        ("2-", "2", (0, 0, 1)),
        ("", "2", (0, 0, 1)),
        ("2+ 1+", "21", (0, 0, 0)),
        ("2+ 1+", "2", (1, 0, 0)),
        ("2+ 1+", "1", (1, 0, 0)),
        ("2+ 1+", "12", (1, 0, 0)),  # both are there, and the corrected one counts
        ("2+ 1+", "211", (0, 1, 0)),
        ("2+ 1?", "2", (0, 0, 0)),
        ("2+ 1?", "21", (0, 0, 0)),
        ("2+ 1?", "1", (1, 0, 0)),
        ("2+ 1?", "213", (1, 0, 1)),  # something else counts
        ("2+ 1-", "2", (0, 0, 0)),
        ("2+ 1-", "21", (1, 0, 1)),
    ],
)
def test_differences(sent: str, stored: str, found: tuple[int, int, int]) -> None:
    """Guards the accounts of one session: a label and its Undo, acknowledged (+), refused (-) or unknown (?)."""
    given = [Sent("token", "d", one[0], at > 0, TOLD[one[1]]) for at, one in enumerate(sent.split())]
    assert differences(given, list(stored)) == Differences(*found)


class Cut(TestClient):
    """A client that loses the answer of the next POST that it is told to."""

    cuts = 0

    def request(self, method, url, **more):  # type: ignore[no-untyped-def]
        """Send it; what it led to is done, and nobody is told."""
        answer = super().request(method, url, **more)
        if method == "POST" and self.cuts:
            self.cuts -= 1
            self.after()
            raise httpx.ReadError("killed")
        return answer

    def after(self) -> None:
        """What happens before it is sent again."""


def worker_at(folder: Path, database: Database) -> Worker:
    """Somebody at a list of nine rows, with consent given."""
    study = team_folder(folder, ROWS)
    study = replace(study, people=replace(study.people, platform="invitation"))
    link = f"/s/team/?invitation={OrganizerService(study, database).invite(1)[0]}"
    shown = {f"Title d{n:02d} Text of d{n:02d} on the lamp .": f"x{n:02d}" for n in range(ROWS)}
    worker = Worker("http://testserver", link, shown, lambda _: 1, Random(1))
    worker.client = Cut(create_app(study, database, limits=None), follow_redirects=False)
    worker.come()
    return worker


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("lost", "known", "told", "stored"),
    [
        (False, "", "acknowledged", ["2", "1"]),
        (True, "", "acknowledged", ["2", "1"]),
        (False, "before", "unknown", ["2"]),
        (True, "before", "unknown", ["2"]),
        (True, "between", "unknown", ["2", "1"]),
    ],
)
def test_an_undo_as_it_becomes_known(
    lost: bool, known: str, told: str, stored: list[str], database: Database, tmp_path: Path
) -> None:
    """Guards an Undo that came too late, or whose answer was lost: neither is a label that was lost."""
    worker = worker_at(tmp_path, database)
    client = worker.client
    assert isinstance(client, Cut)
    worker.give(2)
    label = worker.sent[-1]
    worker.open(f"{worker.at.rsplit('/doc', 1)[0]}/undo")

    def decided() -> None:
        database.write(lambda connection: pause(connection, "known"))

    if known == "before":
        decided()
    if known == "between":
        client.after = decided  # type: ignore[method-assign]
    client.cuts = int(lost)
    heading = worker.give(1, instead_of=label)
    assert worker.troubles.total() == lost
    assert (heading == KNOWN) == bool(known)
    assert [one.told for one in worker.sent] == ["acknowledged", told]
    typed = select(answers.c.typed).where(answers.c.kind == "item").order_by(answers.c.id)
    assert database.read(lambda c: c.execute(typed).scalars().all()) == stored
    found = checked(database, tmp_path, [worker])
    assert found.faults == 0, found


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("harm", "found"),
    [
        (delete(answers).where(answers.c.revision == 2), Differences(lost=1)),
        (update(answers).where(answers.c.revision == 2).values(typed="3"), Differences(lost=1, unsent=1)),
    ],
    ids=["lost", "changed"],
)
def test_a_lost_label_is_found(harm: object, found: Differences, database: Database, tmp_path: Path) -> None:
    """Guards the accounts against being too kind: what was acknowledged and is gone, or is another, is told."""
    worker = worker_at(tmp_path, database)
    for _ in range(3):
        worker.give(2)
    worker.open(f"{worker.at.rsplit('/doc', 1)[0]}/undo")
    worker.give(1, instead_of=worker.sent[-1])
    assert checked(database, tmp_path, [worker]).faults == 0
    database.write(lambda connection: connection.execute(harm))  # type: ignore[call-overload]
    assert checked(database, tmp_path, [worker]).differences == found
