"""The versions of a database: an old one is upgraded in one transaction, after a copy of it was made."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from alembic.config import Config
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, inspect, text

from truegain.errors import TruegainError

VERSIONS = Path(__file__).parent / "migrations"
LOCK = 7_102_014  # an advisory lock of PostgreSQL


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
        known = {revision.revision for revision in script.walk_revisions()}
        if old is not None and old not in known:
            raise TruegainError(
                f"the database has version {old}, which this truegain does not know: a newer one wrote it; "
                "install that one, or open another database"
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


def _take_time(connection: Connection) -> None:
    """Set no limits on this transaction: an upgrade takes as long as the study is large, and others wait for it."""
    if connection.dialect.name == "postgresql":
        for name in ("lock_timeout", "statement_timeout"):
            connection.execute(text(f"SET LOCAL {name} = 0"))


def current(connection: Connection) -> str | None:
    """The version of a database; None where nothing was made in it yet."""
    return MigrationContext.configure(connection).get_current_revision()


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
    number, found = 1, path
    while found.exists():
        number += 1
        found = path.with_name(f"{path.name}-{number}")
    return found
