"""The database of a study, on SQLite or PostgreSQL: its version, its connections, transactions that are tried again."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from alembic.config import Config
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, Select, Table, create_engine, event, inspect, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from truegain.errors import TruegainError

VERSIONS = Path(__file__).parent / "migrations"
LOCK, CORRECTIONS = 7_102_014, 7_102_015  # advisory locks of PostgreSQL


def upgrade(engine: Engine, url: URL, versions: Path = VERSIONS) -> str:
    """Bring a database to the newest version, and give back where the copy of the old one lies ('': there was none)."""
    script = _script(versions)
    head = script.get_current_head()
    with engine.connect() as connection, connection.begin():
        if current(connection) == head:
            return ""
    with engine.connect() as connection, connection.begin():
        _take_time(connection)
        guard(connection)
        context = MigrationContext.configure(connection)
        old = context.get_current_revision()
        if old == head:  # another server was first
            return ""
        revisions = {revision.revision for revision in script.walk_revisions()}
        if old is not None and old not in revisions:
            raise TruegainError(
                f"the database has version {old}, written by a newer truegain; install that one, or open another "
                "database"
            )
        copy = _copy(connection, url, old) if old is not None else ""
        with Operations.context(context):
            for revision in reversed(list(script.iterate_revisions("head", old or "base"))):
                revision.module.upgrade()
                context.stamp(script, revision.revision)
    return copy


def guard(connection: Connection) -> None:
    """Let one server at a time open a study: two that start together do it one after the other."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})


def guard_corrections(connection: Connection, *, shared: bool = False) -> None:
    """Let a decision wait for corrections of labels that are on their way, which are `shared`, and they for it.

    Else one that began before the decision could be stored after it, and change what it was made of.
    """
    if connection.dialect.name == "postgresql":  # SQLite: one writes at a time
        name = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
        connection.execute(text(f"SELECT {name}(:lock)"), {"lock": CORRECTIONS})


def _take_time(connection: Connection) -> None:
    """Set no limits on this transaction: an upgrade takes as long as the study is large, and others wait for it."""
    if connection.dialect.name == "postgresql":
        for name in ("lock_timeout", "statement_timeout"):
            connection.execute(text(f"SET LOCAL {name} = 0"))


def current(connection: Connection) -> str | None:
    """The version of a database; None where nothing was made in it yet."""
    return MigrationContext.configure(connection).get_current_revision()


@cache
def _script(versions: Path) -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(VERSIONS).replace("%", "%%"))
    config.set_main_option("version_locations", str(versions).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    return ScriptDirectory.from_config(config)


def _copy(connection: Connection, url: URL, old: str) -> str:
    """Copy all tables: SQLite into a file beside the database, PostgreSQL into a schema of the same database."""
    if connection.dialect.name == "sqlite":
        place = Path(str(url.database))
        target = _free(place.with_name(f"{place.name}.before-{old}"))
        _copy_file(place, target)
        return str(target)
    names = inspect(connection)
    schema = f"before_{old}"
    while names.has_schema(schema):
        schema += "_"
    connection.execute(text(f'CREATE SCHEMA "{schema}"'))
    for table in names.get_table_names():
        connection.execute(text(f'CREATE TABLE "{schema}"."{table}" AS TABLE "{table}"'))
    return schema


def _copy_file(place: Path, target: Path) -> None:
    """Copy what was committed; the copy has its name once it is whole, and a half one of a time before gives way."""
    half = target.with_name(f"{target.name}.half")
    parts = [half.with_name(half.name + more) for more in ("", "-journal", "-wal", "-shm")]
    for left in parts:
        left.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(place)) as source, closing(sqlite3.connect(half)) as copy:
            source.backup(copy)
        half.replace(target)
    finally:
        for left in parts:
            left.unlink(missing_ok=True)


def _free(path: Path) -> Path:
    """A name that no file has yet."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


# ---------------------------------------------------------------------- connections and transactions


T = TypeVar("T")
FILE = "judging.sqlite"  # in the study's folder, unless another database is given
TRIES = 8
PATIENCE = 40  # seconds after which there is no further try: the last ends before the page stops waiting
BUSY_MILLISECONDS = 30_000  # SQLite
CONNECT_SECONDS = 10  # PostgreSQL, as all below: a server that does not answer is not waited for
LOCK_MILLISECONDS = 10_000
STATEMENT_MILLISECONDS = 120_000
IDLE_MILLISECONDS = 300_000  # of a transaction in which nothing is asked
AGAIN = {"40001", "40P01", "55P03"}  # serialization failure, deadlock, lock not available
GONE = ("08", "57P")  # connection failures; the server goes down or comes up


class StoreError(TruegainError):
    """The database did not do what was asked; nothing of it was stored, or nobody was told that it was."""


class UnreachableError(StoreError):
    """The database could not be reached at all: nothing was asked of it."""


def default_url(folder: str | Path) -> str:
    """The address of the database that lies in a study's folder.

    >>> default_url("study")
    'sqlite:///study/judging.sqlite'
    """
    return f"sqlite:///{(Path(folder) / FILE).as_posix()}"


class Database:
    """A study's database, opened and brought up to date.

    `write` runs a function in one transaction and gives back what it returned after commit; where another transaction
    was in the way or the connection was lost, the function runs again, so it must bear being run twice: what it stores
    has a name of its own (a page's `once`, a person's identity), under which it is found the second time.
    """

    def __init__(self, url: str) -> None:
        self.url = _parsed(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._writing = threading.Lock()  # of this process; SQLite's own lock polls, and starves who comes first
        self._engine = _engine(self.url, self.is_sqlite)
        try:
            upgrade(self._engine, self.url)
        except BaseException as error:
            self._engine.dispose()
            if isinstance(error, DBAPIError):
                raise StoreError(f"cannot open {self}: {_cause(error)}; check its address, and that it runs") from None
            raise

    def __str__(self) -> str:
        return self.url.render_as_string(hide_password=True)

    def write(self, work: Callable[[Connection], T]) -> T:
        """What a function returns that reads and writes, after its transaction was committed."""
        with self._writing if self.is_sqlite else contextlib.nullcontext():
            return self._tried(work, writes=True)

    def read(self, work: Callable[[Connection], T]) -> T:
        """What a function returns that only reads, of one state of the database."""
        return self._tried(work, writes=False)

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()

    @contextlib.contextmanager
    def _transaction(self, writes: bool) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            if not self.is_sqlite and not writes:
                connection.execution_options(isolation_level="REPEATABLE READ")
            elif self.is_sqlite:
                connection.info["begin"] = "BEGIN IMMEDIATE" if writes else "BEGIN"
            with connection.begin():
                yield connection

    def _tried(self, work: Callable[[Connection], T], *, writes: bool) -> T:
        until = time.monotonic() + PATIENCE
        for attempt in range(1, TRIES + 1):
            try:
                with self._transaction(writes) as connection:
                    return work(connection)
            except DBAPIError as error:
                is_last = attempt == TRIES or time.monotonic() > until
                if is_last and _is_unreached(error):
                    raise UnreachableError(f"{self}: {_cause(error)}; nothing was stored; try again") from None
                if is_last or not _passes(error):
                    raise StoreError(f"{self}: {_cause(error)}; nothing was stored; check the database") from error
            except PoolTimeout as error:
                raise StoreError(f"{self}: no connection is free; try again") from error
            time.sleep(random.random() * 0.01 * 2**attempt)
        raise AssertionError("the last try returns or raises")


def lock(query: Select[Any], *, of: Table, skip: bool = False) -> Select[Any]:
    """A query whose rows nobody else can lock or change until the transaction's end (SQLite: one writes at a time).

    Rows that refer to them may come in meanwhile (FOR NO KEY UPDATE): two who begin with one unit, and then claim it,
    would else wait for one another.
    """
    return query.with_for_update(of=of, skip_locked=skip, key_share=True)


def insert_new(connection: Connection, table: Table, **values: Any) -> bool:
    """Insert a row unless its name is taken; whether it was inserted."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    new = dialect.insert(table).values(**values).on_conflict_do_nothing().returning(*table.primary_key)
    return connection.execute(new).first() is not None  # the count of rows is not promised of an INSERT


def _parsed(url: str) -> URL:
    """The address of a database, with the driver that we use."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise TruegainError(f"{url!r} is not the address of a database; give {_FORMS}") from None
    backend = parsed.drivername.partition("+")[0]
    if backend == "sqlite":
        if not parsed.database or parsed.database == ":memory:":
            raise TruegainError("a database in memory is lost when the server ends; give sqlite:///file")
        return parsed.set(drivername="sqlite+pysqlite")
    if backend in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    raise TruegainError(f"{backend!r} databases are not supported; give {_FORMS}")


_FORMS = "sqlite:///file or postgresql://user:password@host/name"


def _engine(url: URL, is_sqlite: bool) -> Engine:
    options: dict[str, Any] = {"pool_size": 10, "max_overflow": 40, "pool_timeout": 30}
    try:
        if not is_sqlite:
            connecting = {} if "connect_timeout" in url.query else {"connect_timeout": CONNECT_SECONDS}
            engine = create_engine(
                url, **options, pool_recycle=1800, isolation_level="READ COMMITTED", connect_args=connecting
            )
            event.listen(engine, "connect", _limit)
            return engine
        folder = Path(url.database or "").resolve().parent
        if not folder.is_dir():
            raise TruegainError(f"cannot open {url.database}: there is no folder {folder.name!r}")
        with contextlib.suppress(OSError):  # it is there, or SQLite says what is wrong
            os.close(os.open(url.database or "", os.O_CREAT | os.O_EXCL, 0o600))  # people's judgments: for nobody else
        engine = create_engine(url, **options, connect_args={"check_same_thread": False})
    except NoSuchModuleError as error:
        raise TruegainError(
            f"cannot open {url.get_backend_name()}: {error}; give sqlite:///... or postgresql://..."
        ) from None
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    """Settings of a connection to SQLite: readers do not stop the writer, and commits outlive a power cut."""
    connection.isolation_level = None  # transactions are begun by us alone
    cursor = connection.cursor()
    for name, value in (
        ("busy_timeout", BUSY_MILLISECONDS),
        ("journal_mode", "WAL"),
        ("synchronous", "FULL"),
        ("foreign_keys", "ON"),
        ("secure_delete", "ON"),  # what was withdrawn is overwritten
    ):
        _set(cursor, f"PRAGMA {name} = {value}")
    cursor.close()


def _set(cursor: Any, pragma: str) -> None:
    """Set something; who finds the file locked tries again: the first switch to WAL does not wait by itself."""
    until = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            cursor.execute(pragma)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(random.uniform(0.005, 0.02))


def _limit(connection: Any, _record: object) -> None:
    """Limits of a connection to PostgreSQL, where neither the server nor the address sets any."""
    limits = {
        "lock_timeout": LOCK_MILLISECONDS,
        "statement_timeout": STATEMENT_MILLISECONDS,
        "idle_in_transaction_session_timeout": IDLE_MILLISECONDS,
    }
    rows = ", ".join(f"('{name}', '{value}')" for name, value in limits.items())
    chosen = f"SELECT set_config(name, value, false) FROM (VALUES {rows}) AS ours (name, value) "
    connection.autocommit = True  # or it would be undone with the first transaction that is
    connection.execute(f"{chosen} WHERE current_setting(name) = '0'")
    connection.autocommit = False


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.info.get("begin", "BEGIN IMMEDIATE"))


def _is_unreached(error: DBAPIError) -> bool:
    """Whether no connection to a server could be made: it is down, starts, or has no room for one more."""
    is_server = type(error.orig).__module__.partition(".")[0] == "psycopg"
    return is_server and isinstance(error, OperationalError) and error.statement is None


def _passes(error: DBAPIError) -> bool:
    """Whether the same work may succeed a moment later."""
    state = getattr(error.orig, "sqlstate", None)
    if _is_unreached(error) or error.connection_invalidated or (state and (state in AGAIN or state.startswith(GONE))):
        return True
    name = getattr(error.orig, "sqlite_errorname", "") or ""
    return name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _cause(error: DBAPIError) -> str:
    """The database's own words on one line, without the statement and its values."""
    return " ".join(str(error.orig).split())
