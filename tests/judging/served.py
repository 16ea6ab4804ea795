"""Servers that tests start, kill and start again: `truegain annotate serve` in processes of their own."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

PORTS = range(20_000, 30_000)  # below those that the system gives to clients: none of them meets itself
DRAWN = random.SystemRandom()  # hypothesis seeds the common one alike in every process of the tests


class Nest:
    """Starts servers quickly (see nest.py)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        command = [sys.executable, str(Path(__file__).with_name("nest.py"))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._read()

    def tell(self, *command: object) -> str:
        """Give a command, and get its answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return self._read()

    def close(self) -> None:
        """End it, and all servers it started."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process.wait(30)

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line:
            raise RuntimeError("the starter of servers has ended")
        return line


class Served:
    """A study that is served on one port, by one process after the other."""

    def __init__(
        self, nest: Nest, folder: Path, url: str, *, port: int = 0, clocks: bool = False, seed: int | None = None
    ) -> None:
        self.seed = seed  # of the orders that it draws
        self.nest, self.folder, self.url = nest, folder, url
        self.port = port or free_port()
        self.process = 0
        self.log = nest.folder / f"log-{self.port}"
        self._clocks = nest.folder / f"clocks-{self.port}" if clocks else None
        if clocks:
            self.set_clocks(0.0, 0.0)

    def start(self) -> None:
        """Start the server; it answers a moment later."""
        arguments = ["annotate", "serve", str(self.folder), "--database", self.url, "--port", str(self.port), "--quiet"]
        self.process = int(self.nest.tell("start", arguments, str(self.log), str(self._clocks or ""), self.seed))

    def kill(self) -> None:
        """SIGKILL: no time for anything."""
        os.kill(self.process, signal.SIGKILL)
        self.nest.tell("wait", self.process)
        self.process = 0

    def answers(self, seconds: float = 60.0) -> None:
        """Wait until it answers."""
        last = time.monotonic() + seconds
        while time.monotonic() < last:
            try:
                socket.create_connection(("127.0.0.1", self.port), 5).close()
                return
            except OSError:
                time.sleep(0.01)
        raise RuntimeError(f"the server did not start: {self.failures()[-2000:]}")

    def set_clocks(self, wall: float, steady: float) -> None:
        """Set its clocks ahead, or back."""
        assert self._clocks is not None
        mode = "r+b" if self._clocks.exists() else "wb"
        with self._clocks.open(mode) as file:
            file.write(struct.pack("dd", wall, steady))

    def failures(self) -> str:
        """What it logged: failures alone."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def __enter__(self) -> Served:
        self.start()
        self.answers()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process:
            self.kill()


def free_port() -> int:
    """A port that nobody listens on."""
    while True:
        port = DRAWN.choice(PORTS)
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
