"""Server-sent events: who has the decision's page open is sent it anew when it changes.

One task asks the database for all listeners of a server process; a listener costs a connection and nothing else.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio.to_thread
from starlette.responses import StreamingResponse

from truegain.judging.server.security import ENDING

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

FAILED = logging.getLogger("truegain.judging.failed")
POLL = 1.0  # seconds between two questions to the database
HEARTBEAT = 15.0  # after so long without news a line says that the connection stands; proxies close silent ones
REFRESH = 15.0  # seconds after which all that is shown beside the decision is looked at, too
RETRY = 2_000  # milliseconds after which a browser that was cut off comes again
LISTENERS = 50  # of one server process
HEADERS = {"X-Accel-Buffering": "no"}  # nginx: pass on what there is
_LINES = re.compile(r"\r\n|\r|\n")

T = TypeVar("T")


def stamp_of(fragment: str) -> str:
    """Short for a fragment: two that differ have another one."""
    return hashlib.sha256(fragment.encode()).hexdigest()[:16]


def as_event(fragment: str, version: int, stamp: str) -> bytes:
    r"""A fragment as an event that a browser reads.

    >>> as_event("<p>\n</p>", 3, "ab")
    b'id: 3-ab\nevent: decision\ndata: <p>\ndata: </p>\n\n'
    """
    data = "".join(f"data: {line}\n" for line in _LINES.split(fragment))
    return f"id: {version}-{stamp}\nevent: decision\n{data}\n".encode()


def seen_of(text: str) -> tuple[int, str]:
    """Version and stamp of what a browser shows, as an event's id has them; (0, '') where it is none of ours.

    >>> seen_of("3-ab"), seen_of("x"), seen_of("")
    ((3, 'ab'), (0, ''), (0, ''))
    """
    version, _, stamp = text.partition("-")
    is_ours = version.isascii() and version.isdecimal() and len(version) < 16 and bool(stamp)
    return (int(version), stamp) if is_ours else (0, "")


@dataclass(eq=False)
class Listener:
    """Somebody who has the page open."""

    here: str  # the address of the pages, as this visitor sees it
    visit: str
    until: float  # when the visit ends, by the clock on the wall
    seen: tuple[int, str] = (0, "")
    is_over: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self) -> None:
        """Send nothing any more."""
        self.is_over = True
        self.news.set()


@dataclass(frozen=True)
class _News:
    version: int
    stamp: str
    event: bytes


class LiveDecision:
    """All listeners of one server process, and the task that asks for them.

    Parameters
    ----------
    version : callable
        The version of the stored decision: one cheap question to the database.
    render : callable
        Of the address of the pages, the version and the fragment to show.
    ended : callable
        Of visits, those that were ended.
    clock : callable, optional
        The time of day in seconds.

    """

    def __init__(
        self,
        version: Callable[[], int],
        render: Callable[[str], tuple[int, str]],
        ended: Callable[[Collection[str]], set[str]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._version, self._render, self._ended, self._clock = version, render, ended, clock
        self._listeners: set[Listener] = set()
        self._news: dict[str, _News] = {}
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_due = False
        self._has_failed = False

    @property
    def is_full(self) -> bool:
        """Whether there is no room for one more."""
        return len(self._listeners) >= LISTENERS

    def response(self, listener: Listener) -> StreamingResponse:
        """What is answered to a listener: it ends when they go, sign out, or the server ends."""
        return _EventStream(self, listener)

    def end_visit(self, visit: str) -> None:
        """Let who signed out listen no longer; from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            with suppress(RuntimeError):  # it closed in between
                self._loop.call_soon_threadsafe(self._end_those, {visit})

    # ------------------------------------------------------------------ listeners

    def join(self, listener: Listener) -> None:
        """Begin to listen; the first one starts the task."""
        self._listeners.add(listener)
        self._is_due = True
        if self._task is None or self._task.done() or self._loop is not asyncio.get_running_loop():
            self._loop = asyncio.get_running_loop()
            self._news = {}
            self._task = self._loop.create_task(self._watch())

    def leave(self, listener: Listener) -> None:
        """Listen no longer; with the last one the task ends."""
        self._listeners.discard(listener)
        if not self._listeners and self._task is not None:
            self._task.cancel()
            self._task = None

    async def events(self, listener: Listener) -> AsyncIterator[bytes]:
        """What is sent: the fragment when it changes, a comment when nothing does."""
        yield f"retry: {RETRY}\n\n".encode()
        while not listener.is_over:
            news = self._news.get(listener.here)
            if news is not None and news.version >= listener.seen[0] and (news.version, news.stamp) != listener.seen:
                listener.seen = (news.version, news.stamp)
                yield news.event
                continue
            listener.news.clear()
            try:
                async with asyncio.timeout(HEARTBEAT):
                    await listener.news.wait()
            except TimeoutError:
                yield b": nothing new\n\n"

    # ------------------------------------------------------------------ the task

    async def _watch(self) -> None:
        """Ask for the version again and again; render where it is another one, somebody came, or it is time."""
        shown, refreshed = -1, -REFRESH
        while True:
            try:
                version = await _in_thread(self._version)
                is_time = time.monotonic() - refreshed >= REFRESH
                if version != shown or self._is_due or is_time:
                    self._is_due, refreshed = False, time.monotonic()
                    shown = await self._tell()
                if is_time:
                    await self._send_off()
                self._has_failed = False
            except Exception as error:  # the task outlives a database that is away; pages say what is wrong
                if not self._has_failed:
                    self._has_failed = True
                    FAILED.error("the decision's page is not kept up to date: %s", type(error).__qualname__)
            await asyncio.sleep(POLL)

    async def _tell(self) -> int:
        """Render for each address that somebody listens at, and wake all; the version that was rendered."""
        version = 0
        for here in {listener.here for listener in self._listeners}:
            version, fragment = await _in_thread(partial(self._render, here))
            stamp = stamp_of(fragment)
            self._news[here] = _News(version, stamp, as_event(fragment, version, stamp))
        for listener in self._listeners:
            listener.news.set()
        return version

    async def _send_off(self) -> None:
        """Let those go whose visit is over."""
        now, visits = self._clock(), {listener.visit for listener in self._listeners}
        late = {listener.visit for listener in self._listeners if now >= listener.until}
        self._end_those(late | await _in_thread(partial(self._ended, visits)))

    def _end_those(self, visits: Collection[str]) -> None:
        for listener in self._listeners:
            if listener.visit in visits:
                listener.end()


class _EventStream(StreamingResponse):
    """Events until the listener's end; whatever ends it, the listener leaves."""

    media_type = "text/event-stream"

    def __init__(self, live: LiveDecision, listener: Listener, headers: Mapping[str, str] = HEADERS) -> None:
        self._live, self._listener = live, listener
        super().__init__(live.events(listener), headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        scope.get(ENDING, []).append(self._listener.end)
        self._live.join(self._listener)
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._live.leave(self._listener)


async def _in_thread(work: Callable[[], T]) -> T:
    """What a function returns that waits for the database; who is cancelled does not wait for it."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
