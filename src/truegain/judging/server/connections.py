"""Connections that nobody can keep open for nothing: so many at once, and an end to every wait for a client.

uvicorn waits for ever for a request that was begun, and for a client that does not read.  The body of a request has its
own limit of time, with an answer, in `security.py`.
"""

from __future__ import annotations

import ipaddress
import logging
from collections import Counter
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from truegain.judging.server.security import address_of, network_of

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

FAILED = logging.getLogger("truegain.judging.failed")
HEAD_SECONDS = 20.0  # in which the head of a request is there, from its first byte or from the connection's begin
READ_SECONDS = 60.0  # in which a client takes what was written to it, 64 KB at a time
MOST = 2_000  # connections of one server process
PER_ADDRESS = 250  # of them from one address: a class of 40 with six each; named proxies and this machine have no limit
SPARE = 200  # files that the process keeps for its database, its pages and its log
HEAD_BYTES = 64 * 1024


class PatientProtocol(H11Protocol):
    """HTTP/1.1 by h11, whatever else is installed, with an end to every wait for the client."""

    _open: ClassVar[Counter[str]] = Counter()  # connections of this process by address
    _told = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None
        self._from = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are too many, and wait for its first request."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # `pause_writing` tells of every byte that is not taken
        host = self.client[0] if self.client else ""
        if not _is_exempt(host, tuple(self.config.forwarded_allow_ips or ())):
            self._from = network_of(host)
            self._open[self._from] += 1
        if len(self.connections) > files_at_most() or (self._from and self._open[self._from] > PER_ADDRESS):
            self._tell()
            transport.abort()
            return
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        if self._from:
            self._open[self._from] -= 1
            if self._open[self._from] <= 0:
                del self._open[self._from]
            self._from = ""
        self._wait_no_more("_head", "_reading")
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what comes; bytes alone keep no connection open, a whole request does."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Go on with the next request; where it is there in part, time runs."""
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._watch()

    def pause_writing(self) -> None:
        """What was written waits to be taken."""
        super().pause_writing()
        if self._reading is None:
            self._reading = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """All of it was taken."""
        super().resume_writing()
        self._wait_no_more("_reading")

    def _watch(self) -> None:
        """Wait for a head only so long; not while a request is being answered."""
        if self.transport.is_closing() or not self._is_waiting:
            self._wait_no_more("_head")
        elif self._head is None:
            self._head = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _wait_no_more(self, *timers: str) -> None:
        for name in timers:
            if (timer := getattr(self, name)) is not None:
                timer.cancel()
                setattr(self, name, None)

    @property
    def _is_waiting(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _give_up(self) -> None:
        self._head = None
        if self._is_waiting:
            self.transport.close()

    def _tell(self) -> None:
        cls = type(self)
        if not cls._told:
            cls._told = True
            FAILED.warning(
                "connections were refused: a server process takes %d, and %d from one address (this is told once)",
                files_at_most(), PER_ADDRESS,
            )  # fmt: skip


@cache
def files_at_most() -> int:
    """Connections that this process has files for; its limit is raised as far as it may be."""
    try:
        import resource
    except ImportError:  # pragma: no cover - not on Windows
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + SPARE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MOST if soft == resource.RLIM_INFINITY else max(1, min(MOST, soft - SPARE))


@lru_cache(maxsize=1024)
def _is_exempt(host: str, proxies: Sequence[str]) -> bool:
    """Whether connections are not counted by address: this machine's, and those of named proxies."""
    found = address_of(host)
    if found is None or found.is_loopback:
        return True
    networks = (ipaddress.ip_network(proxy, strict=False) for proxy in proxies)
    return any(found in network for network in networks if network.version == found.version)
