"""An app behind the server's own protocol and socket, in a thread: for tests that speak to it byte by byte."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

import uvicorn

from truegain.judging.server.serving import HEAD_BYTES, PatientProtocol, listen

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closed at once, with a reset


class Listener:
    """The server's port, and how many connections it has."""

    def __init__(self, server: uvicorn.Server, port: int) -> None:
        self.server, self.port = server, port

    @property
    def connections(self) -> int:
        """That are open."""
        return len(self.server.server_state.connections)

    def connect(self, receive: int = 0) -> socket.socket:
        """A connection; `receive`: the size of its buffer, for who reads slowly."""
        made = socket.socket()
        if receive:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        made.settimeout(30)
        made.connect(("127.0.0.1", self.port))
        return made

    def say(self, data: bytes, *, reset: bool = False) -> None:
        """Send something, and be gone."""
        with self.connect() as link:
            link.sendall(data)
            if reset:
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    def ask(self, data: bytes) -> bytes:
        """Send something, and read until the server closes."""
        with self.connect() as link, contextlib.suppress(ConnectionError):
            link.sendall(data)
            return read_all(link)
        return b""

    def settle(self, seconds: float = 30.0) -> float:
        """Wait until no connection and no task is left; how long that took."""
        began = time.monotonic()
        while self.connections or self.server.server_state.tasks:
            assert time.monotonic() - began < seconds, f"{self.connections} connections stay"
            time.sleep(0.01)
        return time.monotonic() - began


def read_all(link: socket.socket) -> bytes:
    """What comes until the other side closes."""
    parts = []
    while part := link.recv(65_536):
        parts.append(part)
    return b"".join(parts)


@contextlib.contextmanager
def listening(app: Any) -> Iterator[Listener]:
    """Serve an app until the block ends."""
    at = listen("127.0.0.1", 0)
    config = uvicorn.Config(
        app, http=PatientProtocol, ws="none", log_config=None, access_log=False, lifespan="off",
        h11_max_incomplete_event_size=HEAD_BYTES, forwarded_allow_ips=[],
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [at.socket]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Listener(server, at.port)
    finally:
        server.should_exit = server.force_exit = True
        thread.join(30)
        at.socket.close()
