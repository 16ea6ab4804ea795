"""Listening: sockets, connections that do not hold the server up, and uvicorn's processes.

uvicorn waits for ever for a request that was begun, and for a client that does not read.  The body of a request has its
own limit of time, with an answer, in `security.py`.
"""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from truegain.errors import TruegainError, why
from truegain.judging.server.security import ENDING, address_of, network_of
from truegain.message import argname

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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
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

    def shutdown(self) -> None:
        """The server ends: what is being answered is finished; answers that have no end are told to."""
        super().shutdown()
        scope: Any = self.scope or {}
        for end in scope.get(ENDING, ()):
            end()

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
                "connections were refused: a server process takes %d, and %d from one address (reported once)",
                files_at_most(),
                PER_ADDRESS,
            )


@cache
def files_at_most() -> int:
    """Connections that this process has files for; its limit is raised as far as it may be."""
    try:
        import resource
    except ImportError:  # pragma: no cover - not on Windows
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = MOST + SPARE
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MOST if soft == resource.RLIM_INFINITY else max(1, min(MOST, soft - SPARE))


@lru_cache(maxsize=1024)
def _is_exempt(host: str, proxies: Sequence[str]) -> bool:
    """Whether connections are not counted by address: this machine's, and those of named proxies."""
    address = address_of(host)
    if address is None or address.is_loopback:
        return True
    networks = (ipaddress.ip_network(proxy, strict=False) for proxy in proxies)
    return any(address in network for network in networks if network.version == address.version)


# ---------------------------------------------------------------------- the server


BACKLOG = 2048
KEEP_ALIVE = 75  # seconds idle; longer than proxies and browsers keep a connection, so that they close it and not we
SETTLE = 20  # seconds in which what was begun is answered when the server is told to end


@dataclass(frozen=True)
class Listening:
    """A socket that is bound, and the address that people type."""

    socket: socket.socket
    host: str
    port: int

    @property
    def url(self) -> str:
        """The address of the root."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def is_open(self) -> bool:
        """Whether others than this machine can reach it."""
        try:
            return not ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host != "localhost"


def listen(host: str, port: int) -> Listening:
    """Bind the address, or say why it cannot be; port 0 is any that is free."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        made = socket.socket(family)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(BACKLOG)  # from here on who comes waits, and is not refused
    except OSError as error:
        raise TruegainError(
            f"cannot listen on {host}, port {port}: {why(error)}; give another port (0: any that is free) or host"
        ) from None
    made.set_inheritable(True)
    return Listening(made, host, made.getsockname()[1])


def trusted(proxies: Iterable[str]) -> list[str]:
    """Whose word counts on where a request comes from: that of proxies, by address or network, and nobody else's.

    A socket of IPv6 tells addresses of IPv4 as its own, so those are known in both forms.

    >>> trusted(["172.18.0.0/16"])
    ['172.18.0.0/16', '::ffff:172.18.0.0/112']
    """
    networks = []
    for proxy in proxies:
        try:
            network = ipaddress.ip_network(proxy.strip(), strict=False)
        except ValueError:
            raise TruegainError(
                f"{argname('proxies')}: {proxy!r} is not the address of a proxy; give one such as 172.18.0.2, or a "
                "network such as 172.18.0.0/16"
            ) from None
        if network.prefixlen == 0:
            raise TruegainError(
                f"{argname('proxies')}: {proxy!r} is everyone: anybody could pose as somebody else; name only the proxy"
            )
        at = network.network_address
        length = "" if network.prefixlen == network.max_prefixlen else f"/{network.prefixlen}"
        networks.append(f"{at}{length}")
        if network.version == 4:
            networks.append(f"::ffff:{at}" + (f"/{network.prefixlen + 96}" if length else ""))
    return networks


def run(factory: str, at: Listening, *, workers: int = 1, log: bool = True, proxies: Iterable[str] = ()) -> None:
    """Serve until told to end; `factory` names a function without arguments that makes the app, in each worker.

    Addresses of clients are taken from a proxy's headers where the proxy is one of `proxies`.
    """
    files_at_most()
    config = uvicorn.Config(
        factory,
        factory=True,
        workers=workers,
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=True,
        forwarded_allow_ips=trusted(proxies),
        timeout_graceful_shutdown=SETTLE,
        timeout_keep_alive=KEEP_ALIVE,
        log_config=_logging(log),
        http=PatientProtocol,
        ws="none",
        h11_max_incomplete_event_size=HEAD_BYTES,
    )
    server = uvicorn.Server(config)
    if workers > 1:
        old = {"target": server.run} if "target" in signature(Multiprocess).parameters else {}  # before uvicorn 0.50
        supervisor: Any = Multiprocess
        supervisor(config, sockets=[at.socket], **old).run()
    else:
        server.run(sockets=[at.socket])
    at.socket.close()


def _logging(log: bool) -> dict[str, object]:
    """Our own lines, which hold no secrets, in place of uvicorn's, which hold addresses in full."""
    level = "INFO" if log else "WARNING"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"format": "%(asctime)s %(message)s"}},
        "handlers": {"error": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}},
        "loggers": {
            "truegain.judging": {"handlers": ["error"], "level": level, "propagate": False},
            "uvicorn": {"handlers": ["error"], "level": "WARNING", "propagate": False},
        },
    }
