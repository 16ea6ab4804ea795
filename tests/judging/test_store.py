"""The database: transactions that are whole or not at all, and what happens when something is in the way."""

from __future__ import annotations

import contextlib
import socket
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, event, insert, select, text, update
from sqlalchemy.exc import OperationalError

from tests.judging.postgres import Server
from tests.judging.test_claims import at_once
from tests.judging.walking import Time, Walker, check_invariants, rows, service_of
from truegain.errors import TruegainError
from truegain.judging.store.database import Database, StoreError, default_url
from truegain.judging.store.schema import answers, settings
from truegain.judging.study.study import JudgingStudy
from truegain.judging.workflow.steps import PageStep


def put(connection: Connection, name: str, value: object) -> None:
    """Write a setting."""
    connection.execute(insert(settings).values(name=name, value=value))


def test_sqlite_is_set_up_to_lose_nothing(tmp_path: Path) -> None:
    """Guards SQLite's settings: a write-ahead log, commits that reach the disk, keys that are checked."""
    database = Database(default_url(tmp_path))
    found = database.read(lambda c: [c.execute(text(f"PRAGMA {n}")).scalar() for n in ("journal_mode", "synchronous")])
    assert found == ["wal", 2]
    assert database.read(lambda c: c.execute(text("PRAGMA foreign_keys")).scalar()) == 1
    database.close()


def test_an_error_leaves_nothing(database: Database) -> None:
    """Guards wholeness: what was written before an error is gone, and the next transaction is not in it."""

    def work(connection: Connection) -> None:
        put(connection, "half", 1)
        raise KeyError("half way")

    with pytest.raises(KeyError):
        database.write(work)
    assert rows(database, settings, name="half") == []
    database.write(lambda c: put(c, "whole", 1))
    assert len(rows(database, settings, name="whole")) == 1


def test_writers_wait_for_one_another(database_url: str) -> None:
    """Guards counters: 30 writers in two processes' worth of connections add up, none is lost and none fails."""
    servers = [Database(database_url), Database(database_url)]
    servers[0].write(lambda c: put(c, "count", 0))

    def add(connection: Connection) -> None:
        mine = settings.c.name == "count"
        value = connection.execute(select(settings.c.value).where(mine).with_for_update()).scalar_one()
        connection.execute(update(settings).where(mine).values(value=value + 1))

    at_once([lambda n=n: servers[n % 2].write(add) for n in range(30)])  # type: ignore[misc]
    assert rows(servers[0], settings, name="count")[0].value == 30
    for server in servers:
        server.close()


def test_deadlocks_are_tried_again(postgres_server: Server) -> None:
    """Guards PostgreSQL's own refusals: two transactions that wait for each other both succeed in the end."""
    database = Database(postgres_server.new())
    for name in "ab":
        database.write(lambda c, name=name: put(c, name, 0))  # type: ignore[misc]
    gate = threading.Barrier(2)
    runs: list[str] = []

    def crossing(first: str, second: str) -> None:
        def work(connection: Connection) -> None:
            runs.append(first)
            for name in (first, second):
                connection.execute(update(settings).where(settings.c.name == name).values(value=first))
                if name == first and len(runs) <= 2:
                    with contextlib.suppress(threading.BrokenBarrierError):
                        gate.wait(5)

        database.write(work)

    at_once([lambda: crossing("a", "b"), lambda: crossing("b", "a")])
    assert len(runs) == 3
    database.close()


def test_a_connection_that_is_cut_mid_submit(study: JudgingStudy, postgres_server: Server, clock: Time) -> None:
    """Guards lost connections: cut within the transaction, the submit runs again and is one revision."""
    database = Database(postgres_server.new())
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    page = walker.page()
    cuts: list[int] = []

    def cut(connection: Connection, *_: Any) -> None:
        statement = str(_[1])
        if statement.startswith("INSERT INTO answers") and len(cuts) < 2:
            pid = connection.connection.driver_connection.info.backend_pid  # type: ignore[union-attr]
            cuts.append(pid)
            with psycopg.connect(postgres_server.conninfo("postgres"), autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))

    event.listen(database._engine, "before_cursor_execute", cut)
    assert walker.send(page, number="5", reason="cut") == PageStep("doc", 2)
    assert len(cuts) == 2
    assert [a.revision for a in rows(database, answers, kind="item")] == [1]
    check_invariants(database, study)
    database.close()


def test_a_commit_whose_answer_is_lost(
    study: JudgingStudy, database: Database, clock: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards the worst moment: committed, but the connection broke before we knew; trying again doubles nothing."""
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    page = walker.page()
    broken: list[bool] = []
    whole = Database._transaction

    @contextlib.contextmanager
    def breaking(self: Database, writes: bool) -> Iterator[Connection]:
        with whole(self, writes) as connection:
            yield connection
        if writes and not broken:
            broken.append(True)
            raise OperationalError("COMMIT", {}, Exception("connection lost"), connection_invalidated=True)

    monkeypatch.setattr(Database, "_transaction", breaking)
    assert walker.send(page, number="5", reason="unknown") == PageStep("doc", 2)
    assert broken
    assert [a.revision for a in rows(database, answers, kind="item")] == [1]
    check_invariants(database, study)


def test_a_full_disk(study: JudgingStudy, tmp_path: Path, clock: Time) -> None:
    """Guards a full disk: the submit is refused whole, nothing is half stored, and it counts once there is room."""
    database = Database(default_url(tmp_path))
    walker = Walker(service_of(study, database, clock), clock)
    walker.to_documents()
    page = walker.page()
    form = walker.fill(page, number="5", reason="long", report="long " * 100_000)
    full = [True]

    def limit(connection: Any, *_: Any) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0] if full else 1_000_000
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(database._engine, "checkout", limit)
    before = rows(database, answers)
    with pytest.raises(StoreError, match=r"full.*nothing was stored"):
        walker.post(page.step, form)
    assert rows(database, answers) == before
    full.clear()
    assert walker.post(page.step, form) == PageStep("doc", 2)
    check_invariants(database, study)
    database.close()


def test_a_file_that_another_program_holds(study: JudgingStudy, tmp_path: Path, clock: Time) -> None:
    """Guards SQLite's lock: a writer elsewhere is waited for."""
    database = Database(default_url(tmp_path))
    walker = Walker(service_of(study, database, clock), clock)
    other = sqlite3.connect(tmp_path / "judging.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.2, lambda: other.execute("COMMIT"))
    timer.start()
    assert walker.enter() == ""
    timer.join()
    other.close()
    database.close()


def test_addresses_that_are_none(tmp_path: Path, postgres_server: Server) -> None:
    """Guards errors of opening: what is wrong and what to do, never a password."""
    (tmp_path / "text.sqlite").write_text("this is no database, but a text of some length\n" * 100)
    cases = {
        "nonsense": "not the address of a database",
        "mysql://u:hidden@h/x": "'mysql' databases are not supported",
        "sqlite://": "lost when the server ends",
        "sqlite:///:memory:": "lost when the server ends",
        f"sqlite:///{tmp_path}/none/x.sqlite": "there is no folder 'none'",
        f"sqlite:///{tmp_path}/text.sqlite": "not a database",
        f"postgresql://judging:hidden@/none?host={postgres_server.folder}": "does not exist",
        "postgresql://u:hidden@127.0.0.1:1/x": "cannot open",
    }
    for url, told in cases.items():
        with pytest.raises(TruegainError, match=told) as error:
            Database(url)
        assert "hidden" not in str(error.value)
        assert "\n" not in str(error.value)


def told(database: Database, name: str, *, writes: bool) -> str:
    """A setting of PostgreSQL, as a transaction of ours has it."""
    run = database.write if writes else database.read
    return str(run(lambda c: c.execute(text("SELECT current_setting(:name)"), {"name": name}).scalar_one()))


def test_isolation_is_ours_and_not_the_servers(postgres_server: Server) -> None:
    """Guards claims against a server set to another isolation: writes see what was committed, reads see one state."""
    url = postgres_server.new()
    strict = f"{url}%20-cdefault_transaction_isolation%3Dserializable"
    database = Database(strict)
    assert told(database, "default_transaction_isolation", writes=True) == "serializable"
    assert told(database, "transaction_isolation", writes=True) == "read committed"
    assert told(database, "transaction_isolation", writes=False) == "repeatable read"
    assert told(database, "transaction_isolation", writes=True) == "read committed"
    database.close()


@pytest.mark.parametrize(("limit", "value"), [("TRIES", 2), ("PATIENCE", 0.2)])
def test_nothing_waits_for_ever(
    postgres_server: Server, monkeypatch: pytest.MonkeyPatch, limit: str, value: float
) -> None:
    """Guards against a lock that nobody gives back: tries and time end, it is told, the next finds a connection."""
    monkeypatch.setattr("truegain.judging.store.database.LOCK_MILLISECONDS", 50)
    monkeypatch.setattr("truegain.judging.store.database.TRIES", 10_000)
    monkeypatch.setattr(f"truegain.judging.store.database.{limit}", value)
    url = postgres_server.new()
    database, other = Database(url), Database(url)
    database.write(lambda c: put(c, "count", 0))
    change = update(settings).where(settings.c.name == "count")

    def blocked(connection: Connection) -> None:
        connection.execute(change.values(value=1))
        with pytest.raises(StoreError, match=r"lock.*nothing was stored"):
            other.write(lambda c: c.execute(change.values(value=2)))

    database.write(blocked)
    other.write(lambda c: c.execute(change.values(value=3)))
    assert rows(database, settings, name="count")[0].value == 3
    for server in (database, other):
        server.close()


def test_time_limits_are_set_and_can_be_chosen(postgres_server: Server) -> None:
    """Guards waiting: limits on connecting, locks, statements and idle transactions; those of the address win."""
    url = postgres_server.new()
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    database = Database(url)
    assert [told(database, name, writes=True) for name in names] == ["10s", "2min", "5min"]
    assert told(database, "search_path", writes=True) in url, "what the address sets stays"
    database.close()
    chosen = Database(f"{url}%20-cstatement_timeout%3D7min")
    assert [told(chosen, name, writes=False) for name in names] == ["10s", "7min", "5min"]
    chosen.close()


def test_a_server_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards connecting: a place that takes the connection and says nothing is told after a while, not waited for."""
    monkeypatch.setattr("truegain.judging.store.database.CONNECT_SECONDS", 2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(StoreError, match="cannot open"):
            Database(f"postgresql://u@127.0.0.1:{silent.getsockname()[1]}/x")
