"""The server's start: its socket, its workers, and what it logs."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from inspect import signature
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from truegain.errors import TruegainError, why
from truegain.judging.server.connections import HEAD_BYTES, PatientProtocol, files_at_most
from truegain.message import argname

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
    found = []
    for given in proxies:
        try:
            network = ipaddress.ip_network(given.strip(), strict=False)
        except ValueError:
            raise TruegainError(
                f"{argname('proxies')}: {given!r} is no address of a proxy; give one such as 172.18.0.2, or a network "
                "such as 172.18.0.0/16"
            ) from None
        if network.prefixlen == 0:
            raise TruegainError(
                f"{argname('proxies')}: {given!r} is everyone: anybody could say that they are somebody else; name the "
                "proxy alone"
            )
        at = network.network_address
        length = "" if network.prefixlen == network.max_prefixlen else f"/{network.prefixlen}"
        found.append(f"{at}{length}")
        if network.version == 4:
            found.append(f"::ffff:{at}" + (f"/{network.prefixlen + 96}" if length else ""))
    return found


def run(factory: str, at: Listening, *, workers: int = 1, log: bool = True, proxies: Iterable[str] = ()) -> None:
    """Serve until told to end; `factory` names a function without arguments that makes the app, in each worker.

    Addresses of clients are taken from a proxy's headers where the proxy is one of `proxies`.
    """
    files_at_most()
    config = uvicorn.Config(
        factory, factory=True, workers=workers, access_log=False, log_level="warning", server_header=False,
        proxy_headers=True, forwarded_allow_ips=trusted(proxies), timeout_graceful_shutdown=SETTLE,
        timeout_keep_alive=KEEP_ALIVE, log_config=_logging(log), http=PatientProtocol, ws="none",
        h11_max_incomplete_event_size=HEAD_BYTES,
    )  # fmt: skip
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
