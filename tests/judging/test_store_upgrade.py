"""Versions of the database: a new one is made, an old one is copied and upgraded, a newer one is left alone."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, create_engine, insert, inspect, make_url, text

from tests.judging.test_claims import at_once
from tests.judging.walking import Time, Walker, rows, service_of
from truegain.errors import TruegainError
from truegain.judging.store import database as upgrading
from truegain.judging.store.database import VERSIONS, Database, StoreError, _script, current, default_url, upgrade
from truegain.judging.store.schema import answers, metadata, sessions, settings, units
from truegain.judging.study.study import JudgingStudy

NOW = _script(VERSIONS).get_current_head() or ""  # the newest version there is
NEXT = '''
"""A version to come."""
import sqlalchemy as sa
from alembic import op
revision = "9999"
down_revision = "NOW"

def upgrade() -> None:
    op.add_column("answers", sa.Column("mood", sa.Text))
    op.execute("UPDATE answers SET mood = 'calm'")
'''.replace("NOW", NOW)


OLD = (
    "INSERT INTO assessors VALUES ('a1', 'model', 'm1', 'model', '{}', 0, NULL)",
    "INSERT INTO assessors VALUES ('a2', 'open', 'p1', 'human', '{}', 0, NULL)",
    "INSERT INTO units VALUES ('u1', 't1', 0, '[]', NULL, NULL, 'held', 's1')",
    "INSERT INTO sessions VALUES ('s1', 'k1', 'a1', 'u1', 't1', '{}', 'doc', 1, '{}', '{}', '[]', 0, '', 0, 0, 0, '', "
    "'', NULL, NULL, NULL)",
)


KILLED = '''
import os, signal, sqlite3, sys
from pathlib import Path
from truegain.judging.store import database as upgrading
from truegain.judging.store.database import Database

class Dying(sqlite3.Connection):
    """Dies when half of a copy is written."""

    def backup(self, target, **_):
        super().backup(target, pages=1, progress=lambda *_: os.kill(os.getpid(), signal.SIGKILL))

database = Database(sys.argv[1])
connect = sqlite3.connect
upgrading.sqlite3.connect = lambda *given, **more: connect(*given, **more, factory=Dying)
upgrading.upgrade(database._engine, database.url, Path(sys.argv[2]))
'''


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """The versions of a truegain to come."""
    folder = tmp_path / "versions"
    shutil.copytree(VERSIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "v9999_mood.py").write_text(NEXT)
    return folder


def test_versions_make_the_tables(database: Database) -> None:
    """Guards the versions: what they make is what the program uses, column by column."""

    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    assert database.write(differences) == []


def test_checks_and_indexes_of_the_tables(database: Database) -> None:
    """Guards what the database itself refuses, which the comparison above does not see."""

    def found(connection: Connection) -> tuple[set[str | None], set[str | None]]:
        looked = inspect(connection)
        checks = {c["name"] for c in looked.get_check_constraints("sessions")}
        return checks, {i["name"] for i in looked.get_indexes("sessions") if i["unique"]}

    checks, unique = database.read(found)
    assert {"code_if_done", "ended_if_outcome"} <= checks
    assert {"one_at_a_unit", "one_a_person"} <= unique


def test_an_old_study_is_copied_and_upgraded(study: JudgingStudy, database_url: str, clock: Time, later: Path) -> None:
    """Guards upgrades: nothing of the old study is lost, and a copy of it as it was lies where we are told."""
    database = Database(database_url)
    walker = Walker(service_of(study, database, clock), clock)
    walker.whole()
    before = len(rows(database, answers))
    copy = upgrade(database._engine, database.url, later)
    assert upgrade(database._engine, database.url, later) == ""
    query = text("SELECT count(*) FROM answers WHERE mood = 'calm'")
    assert database.read(lambda c: c.execute(query).scalar()) == before
    assert database.read(current) == "9999"
    if database.is_sqlite:
        with sqlite3.connect(copy) as old:
            assert old.execute("SELECT count(*) FROM answers").fetchone() == (before,)
            assert old.execute("SELECT version_num FROM alembic_version").fetchone() == (NOW,)
        old.close()
    else:
        counted = text(f'SELECT count(*) FROM "{copy}".answers')
        assert database.read(lambda c: c.execute(counted).scalar()) == before
    database.close()


@pytest.mark.slow
def test_a_copy_is_whole_or_not_there(study: JudgingStudy, tmp_path: Path, later: Path, clock: Time) -> None:
    """Guards the copy: killed while it is made, no file has its name, and the next upgrade makes it whole."""
    url = default_url(tmp_path)
    database = Database(url)
    Walker(service_of(study, database, clock), clock).whole()
    before = len(rows(database, answers))
    database.close()
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, url, str(later)], capture_output=True, text=True, timeout=120
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    copy = tmp_path / f"judging.sqlite.before-{NOW}"
    assert not copy.exists()
    database = Database(url)
    assert upgrade(database._engine, database.url, later) == str(copy)
    with sqlite3.connect(copy) as old:
        assert old.execute("SELECT count(*) FROM answers").fetchone() == (before,)
    old.close()
    assert sorted(p.name for p in tmp_path.glob("judging.sqlite.before*")) == [copy.name]
    database.close()


def test_models_that_held_places_keep_them(database_url: str, tmp_path: Path) -> None:
    """Guards the way from the first version: a model's unit of then stays its unit; one beside it is let in now."""
    first = tmp_path / "first"
    first.mkdir()
    shutil.copy(VERSIONS / "v0001_first.py", first)
    url = make_url(database_url)
    engine = create_engine(url.set(drivername="postgresql+psycopg") if "postgres" in database_url else url)
    upgrade(engine, url, first)
    with engine.begin() as connection:
        for statement in OLD:
            connection.exec_driver_sql(statement)
    engine.dispose()
    database = Database(database_url)
    assert database.read(current) == NOW
    (session,) = rows(database, sessions)
    assert (session.id, session.beside) == ("s1", False)
    assert (session.topic, session.turn) == ("t1", "t1")
    again = "INSERT INTO sessions SELECT 's2', 'k2', 'a2', unit, turn, about, state, number, plan, tries, flags, began,"
    again += " notice, saved, lease, steady, boot, lease_key, ended, outcome, code, {}, NULL, topic"
    again += " FROM sessions WHERE id = 's1'"
    with pytest.raises(StoreError, match=r"(?i)unique"):
        database.write(lambda c: c.exec_driver_sql(again.format("false")))
    database.write(lambda c: c.exec_driver_sql(again.format("true")))
    database.close()


def test_units_that_were_held_before_consent_are_free(database_url: str, tmp_path: Path) -> None:
    """Guards the way from version 2: who is before consent or practice holds nothing now, who is at work keeps all."""
    before = tmp_path / "before"
    before.mkdir()
    for name in ("v0001_first.py", "v0002_beside.py"):
        shutil.copy(VERSIONS / name, before)
    url = make_url(database_url)
    engine = create_engine(url.set(drivername="postgresql+psycopg") if "postgres" in database_url else url)
    upgrade(engine, url, before)
    with engine.begin() as connection:
        for n, step in enumerate(("consent", "practice", "topic", "doc")):
            session = OLD[3].replace("'s1', 'k1', 'a1', 'u1', 't1'", f"'s{n}', 'k{n}', 'a{n}', 'u{n}', 't{n}'")
            connection.exec_driver_sql(
                f"INSERT INTO assessors VALUES ('a{n}', 'open', '{n}', 'human', '{{}}', 0, NULL)"
            )
            connection.exec_driver_sql(OLD[2].replace("'u1', 't1'", f"'u{n}', 't{n}'").replace("'s1'", f"'s{n}'"))
            connection.exec_driver_sql(session.replace("'doc'", f"'{step}'").replace("NULL)", "NULL, false)"))
    engine.dispose()
    database = Database(database_url)
    found = {row.id: (row.state, row.session) for row in rows(database, units)}
    assert found == {"u0": ("free", None), "u1": ("free", None), "u2": ("held", "s2"), "u3": ("held", "s3")}
    assert {(row.id, row.topic, row.turn) for row in rows(database, sessions)} == {
        (f"s{n}", f"t{n}", f"t{n}") for n in range(4)
    }
    database.close()


def test_topics_of_before_are_turns(database_url: str, tmp_path: Path) -> None:
    """Guards the way from version 3: topics stand as they were, and what nobody has twice is a turn."""
    before = tmp_path / "before"
    before.mkdir()
    for name in ("v0001_first.py", "v0002_beside.py", "v0003_later.py"):
        shutil.copy(VERSIONS / name, before)
    url = make_url(database_url)
    engine = create_engine(url.set(drivername="postgresql+psycopg") if "postgres" in database_url else url)
    upgrade(engine, url, before)
    with engine.begin() as connection:
        for statement in OLD[:3]:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql(OLD[3].replace("NULL)", "NULL, false, 'where')"))
        connection.exec_driver_sql("UPDATE sessions SET outcome = 'left', ended = 1")
    engine.dispose()
    database = Database(database_url)
    assert database.read(current) == NOW
    (session,) = rows(database, sessions)
    assert (session.topic, session.turn, session.origin) == ("t1", "t1", "where")
    again = {**session._asdict(), "id": "s2", "token": "k2"}
    with pytest.raises(StoreError, match=r"(?i)unique"):
        database.write(lambda c: c.execute(insert(sessions).values(**again)))
    database.write(lambda c: c.execute(insert(sessions).values(**again | {"turn": "u1"})))
    assert [row.topic for row in rows(database, sessions)] == ["t1", "t1"]
    database.close()


def test_an_upgrade_that_fails_changes_nothing(database: Database, later: Path) -> None:
    """Guards a broken upgrade: the study is as it was."""
    (later / "v9999_mood.py").write_text(f"{NEXT}\n    op.execute('SELECT no_such_column FROM answers')\n")
    database.write(lambda c: c.execute(insert(settings).values(name="kept", value=1)))
    with pytest.raises(Exception, match="no_such_column"):
        upgrade(database._engine, database.url, later)
    assert database.read(current) == NOW
    columns = database.read(lambda c: {col["name"] for col in inspect(c).get_columns("answers")})
    assert "mood" not in columns
    assert len(rows(database, settings, name="kept")) == 1


def test_a_newer_study_is_left_alone(database_url: str, later: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards old programs: a study of a newer version is refused with what to do."""
    database = Database(database_url)
    upgrade(database._engine, database.url, later)
    database.close()
    with pytest.raises(TruegainError, match="version 9999, written by a newer truegain"):
        Database(database_url)


def test_two_servers_start_together(
    study: JudgingStudy, database_url: str, clock: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards the first start: servers that open a new database at one moment make its tables and units once."""
    monkeypatch.setattr(upgrading, "upgrade", upgrade)  # which makes tables, where other tests copy them
    servers = at_once([lambda: Database(database_url)] * 4)
    at_once([lambda s=s: service_of(study, s, clock) for s in servers])  # type: ignore[misc]
    assert len(rows(servers[0], settings, name="secret")) == 1
    for server in servers:
        server.close()


def test_copies_do_not_overwrite_one_another(tmp_path: Path) -> None:
    """Guards copies: a name that is taken is not taken again."""
    (tmp_path / "x").touch()
    (tmp_path / "x-2").touch()
    assert upgrading._free(tmp_path / "x") == tmp_path / "x-3"
    assert default_url(tmp_path).endswith("judging.sqlite")
