"""The command that erases what a person wrote, and tells whose a code is before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judging.test_collected import walk
from tests.judging.walking import Time, check_invariants, service_of
from truegain.cli.annotate import withdraw_command
from truegain.errors import TruegainError
from truegain.judging.export import collected
from truegain.judging.store.database import Database, default_url
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import Rules
from truegain.judging.workflow.organizer import OrganizerService
from truegain.judging.workflow.steps import Person


def test_withdraw_tells_whose_it_is_and_erases_when_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards the promise of the consent page: by code, id or the platform's id, one person's data and no other's."""
    folder = tmp_path / "study"
    study = simulated_study(folder, task="graded", topics=2, docs=4, judgments=2, size=2, rules=Rules(seconds=0))
    database, clock = Database(default_url(folder)), Time()
    service = service_of(study, database, clock)
    worth = dict.fromkeys((document.text for document in study.documents.values()), 1.0)
    assert [walk(study, service, clock, name, worth) for name in ("ann", "bob")] == [True, True]
    code = service.page(service.enter(Person("open", "ann")).token).code
    before = collected(database).ratings()
    mine, other = (person.id for person in OrganizerService(study, database, clock=clock).assessors())
    for name in (code, code.lower().replace("-", " "), mine, "ann"):
        withdraw_command(str(folder), name)
        told = capsys.readouterr().out
        assert told.startswith(f"{mine} (open): 1 finished\nNothing was changed"), name
    assert collected(database).ratings() == before
    with pytest.raises(TruegainError, match="no assessor has the completion code or id 'eve'"):
        withdraw_command(str(folder), "eve", erase=True)
    withdraw_command(str(folder), code, erase=True)
    assert f"Erased the answers of {mine} in 1 unit; others can take these units" in capsys.readouterr().out
    assert collected(database).ratings() == [row for row in before if row["assessor"] == other]
    check_invariants(database, study)
    withdraw_command(str(folder), "ann", erase=True)
    assert "in 0 units" in capsys.readouterr().out
    database.close()
