"""A PostgreSQL server of the tests' own: its files in a temporary folder, reached by a socket in it alone."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg
import pytest

PLACES = "/usr/lib/postgresql"
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "120",
    "deadlock_timeout": "200ms",
}  # fmt: skip


class Server:
    """A server that runs until it is stopped; it refuses root, who lends it another user."""

    def __init__(self, settings: Mapping[str, str] = SETTINGS, *, on_disk: bool = False) -> None:
        self._programs = programs()
        self._user = _user()
        self._settings = settings
        place = None if on_disk else memory()
        self.folder = Path(tempfile.mkdtemp(prefix="tg-pg-", dir=place))  # short: a socket's path has 107 characters
        if self._user:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self._process: subprocess.Popen[bytes] | None = None
        self._made = 0
        try:
            self._run("initdb", "-D", str(self.data), "-U", "judging", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
            self.start()
        except BaseException:
            self.stop()
            raise

    @property
    def data(self) -> Path:
        """Where its files lie."""
        return self.folder / "data"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        command = [str(self._programs / "postgres"), "-D", str(self.data), "-k", str(self.folder), *options]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", **self._as_user())  # type: ignore[call-overload]
        for _ in range(600):
            if self._process is not None and self._process.poll() is not None:
                break
            try:
                psycopg.connect(self.conninfo("postgres")).close()
                return
            except psycopg.OperationalError:
                time.sleep(0.05)
        raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def halt(self) -> None:
        """End it, so that it can be started again."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(2)  # SIGINT: who is connected is cut off
            self._process.wait(30)

    def stop(self) -> None:
        """End it, and take its files away."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(3)  # SIGQUIT: at once; nothing here is needed any more
            self._process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def process(self) -> int:
        """The number of its first process."""
        assert self._process is not None
        return self._process.pid

    def conninfo(self, name: str) -> str:
        """How psycopg reaches a database of it."""
        return f"host={self.folder} user=judging dbname={name}"

    def new(self) -> str:
        """The address of a new, empty database; a schema of its own in one database, which is made sooner."""
        self._made += 1
        name = f"study{self._made}"
        self.execute(f"CREATE SCHEMA {name}")
        return f"postgresql://judging@/postgres?host={self.folder}&options=-csearch_path%3D{name}"

    def execute(self, statement: str) -> None:
        """Run a statement outside of any study."""
        with psycopg.connect(self.conninfo("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _run(self, program: str, *arguments: str) -> None:
        command: Sequence[str] = [str(self._programs / program), *arguments]
        done = subprocess.run(command, capture_output=True, cwd="/", check=False, **self._as_user())  # type: ignore[call-overload]
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.decode()[-2000:]}")

    def _as_user(self) -> dict[str, object]:
        if self._user is None:
            return {}
        return {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}


def memory() -> str | None:
    """A folder in memory where there is room: the tests wait for no disk.  None: the usual place."""
    place = Path("/dev/shm")
    has_room = place.is_dir() and os.access(place, os.W_OK) and shutil.disk_usage(place).free > 1 << 30
    return str(place) if has_room else None


def programs() -> Path:
    """The folder of PostgreSQL's programs, the newest; skips where there are none."""
    found = sorted(Path(PLACES).glob("*/bin/postgres"), key=lambda p: int(p.parent.parent.name))
    if not found:
        on_path = shutil.which("postgres")
        if on_path is None:
            pytest.skip("no PostgreSQL server here: install it (Debian: apt-get install postgresql) to run these tests")
        return Path(on_path).resolve().parent
    return found[-1].parent


def _user() -> pwd.struct_passwd | None:
    """Whose rights the server gets: ours, or another's where we are root, whom it refuses."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("PostgreSQL refuses root, and there is no user postgres or nobody to run it as")
