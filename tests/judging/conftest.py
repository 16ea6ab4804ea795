"""What the tests of judging share: a small study, both databases, a clock that goes when told."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.judging.browsing import Served, Visitor, chromium
from tests.judging.organizing import House
from tests.judging.postgres import Server, memory
from tests.judging.served import Nest
from tests.judging.walking import Time, small_study
from tests.judging.wire import faults_of
from truegain.judging.store import database as database_module
from truegain.judging.store.database import FILE, Database, default_url
from truegain.judging.study.study import JudgingStudy, People
from truegain.judging.tasks.catalogue import task_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from sqlalchemy import URL, Engine


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A real PostgreSQL server, started once."""
    server = Server()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def sqlite_folder() -> Iterator[Path]:
    """Where SQLite databases of the tests lie."""
    with tempfile.TemporaryDirectory(prefix="tg-sqlite-", dir=memory()) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def nest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nest]:
    """What starts servers quickly; each is a process of its own."""
    found = Nest(tmp_path_factory.mktemp("nest"))
    yield found
    found.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request: pytest.FixtureRequest, sqlite_folder: Path) -> Callable[[], str]:
    """A function that gives the address of a new, empty database; the test runs on either kind."""
    if request.param == "sqlite":
        return lambda: default_url(tempfile.mkdtemp(dir=sqlite_folder))
    server: Server = request.getfixturevalue("postgres_server")
    return server.new


@pytest.fixture
def database_url(new_url: Callable[[], str]) -> str:
    """The address of an empty database."""
    return new_url()


@pytest.fixture(autouse=True, scope="session")
def new_sqlite(sqlite_folder: Path) -> Iterator[None]:
    """Have new SQLite databases begin as a copy of one without rows: making tables takes ten times as long."""
    first, really, copying = sqlite_folder / FILE, database_module.upgrade, threading.Lock()
    Database(default_url(sqlite_folder)).close()

    def upgrade(engine: Engine, url: URL) -> str:
        place = Path(str(url.database))
        with copying:
            if url.get_backend_name() == "sqlite" and place.is_file() and not place.stat().st_size:  # just made
                shutil.copyfile(first, place)
        return really(engine, url)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database_module, "upgrade", upgrade)
        yield


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An empty database, opened."""
    found = Database(database_url)
    yield found
    found.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, one for all tests of a module; not longer, since an event loop runs beside it."""
    with chromium() as found:
        yield found


@pytest.fixture
def clock() -> Time:
    """A clock that goes when told."""
    return Time()


@pytest.fixture
def study(tmp_path: Path) -> JudgingStudy:
    """A small study of magnitudes: three topics, two units each, four documents a unit."""
    return small_study(tmp_path)


@pytest.fixture
def house(database: Database, clock: Time, tmp_path: Path) -> House:
    """A small study of magnitudes, paid, on either database."""
    people = People(pay=2.5, currency="EUR")
    return House(small_study(tmp_path, per_topic=3, people=people, task=task_of("magnitude")), database, clock)


@pytest.fixture
def lone(tmp_path: Path) -> Iterator[House]:
    """The same on SQLite alone, signed in."""
    database = Database(default_url(tmp_path))
    house = House(small_study(tmp_path, per_topic=3, task=task_of("magnitude")), database, Time())
    assert house.sign_in() == 303
    yield house
    database.close()


@pytest.fixture
def visitors(browser: Browser) -> Iterator[Callable[..., Visitor]]:
    """A function that brings somebody to a server; their wires are searched when the test is over."""
    came: list[Visitor] = []

    def one(served: Served, **about: Any) -> Visitor:
        came.append(Visitor(browser, served, **about))
        return came[-1]

    yield one
    assert faults_of(came) == []
