"""What may be given as a cluster: the address of a scheduler, which can be reached, or processes of this machine."""

from __future__ import annotations

import re
import socket
import time
from contextlib import suppress

from truegain.engine import cores
from truegain.errors import TruegainError, why
from truegain.message import argname
from truegain.tables.memory import available

ADDRESS = re.compile(r"(?:(?:tcp|tls)://)?([^\s/@?]+):(\d{1,5})")
LOCAL = re.compile(r"local(?::(.*))?", re.DOTALL | re.IGNORECASE)
PORTS = 65_535
TIMES = 8  # worker processes for each core, at most
WORKER = 150 << 20  # bytes of memory that a worker process takes before it has anything to do
SOON = 1.0  # seconds for a scheduler that was started together with the command
WEB = 2.0  # seconds until it is asked whether this is a web server, such as the scheduler's own page
SILENT = 10.0  # seconds until a machine that does not even refuse is held to be none
ANSWER = 30.0  # seconds until a scheduler that says nothing is held to be none


def checked_address(address: str) -> str:
    """An address that can be meant; 'local' with its number of processes.

    >>> checked_address("10.0.0.7:8786"), checked_address("local:2")
    ('10.0.0.7:8786', 'local:2')
    """
    address = address.strip()
    local, given = LOCAL.fullmatch(address), ADDRESS.fullmatch(address)
    if local is not None:
        return f"local:{_processes(local[1])}"
    if given is None or not 0 < int(given[2]) <= PORTS:
        shown = re.sub(r"//.*@", "//", address).partition("?")[0]  # no secrets
        raise TruegainError(
            f"{argname('cluster', shown)}: this is no address; give that of a scheduler, such as tcp://10.0.0.7:8786, "
            "or local:4 for 4 worker processes on this machine"
        )
    return address


def _processes(given: str | None) -> int:
    """How many worker processes are asked for: one for each core where nothing is said."""
    if given is None:
        return cores()
    if not re.fullmatch(r"0*[1-9]\d*", given, re.ASCII):
        raise TruegainError(
            f"{argname('cluster', f'local:{given}')}: give a number of worker processes from 1 on, such as "
            f"local:{cores()}, one for each core of this machine"
        )
    digits = given.lstrip("0")
    most = max(cores(), min(TIMES * cores(), available() // WORKER))
    if len(digits) > len(str(most)) or int(digits) > most:
        raise TruegainError(
            f"{argname('cluster', f'local:{given}')}: this machine has {cores()} cores and {available() / 1e9:.1f} GB "
            f"of free memory; more than {most} worker processes are of no use: give local:{cores()}, one for each core"
        )
    return int(digits)


def processes_of(address: str) -> int | None:
    """How many worker processes of this machine an address names; None where it is that of a scheduler.

    >>> processes_of("local:3"), processes_of("tcp://10.0.0.7:8786")
    (3, None)
    """
    return int(address.partition(":")[2]) if address.startswith("local:") else None


def check_reachable(address: str) -> None:
    """Connect, wait for a first sign and hang up: who is not there is told at once, where Dask tries for long.

    A scheduler speaks first, unless it waits for certificates.
    """
    given = ADDRESS.fullmatch(address)
    assert given is not None
    place = (given[1].strip("[]"), int(given[2]))
    until = time.monotonic() + SOON
    while True:
        try:
            with socket.create_connection(place, timeout=SILENT) as there:
                if not address.startswith("tls://") and not _first_byte(there, place, address):
                    raise no_scheduler(address, "it hangs up")
            return
        except TimeoutError:
            raise no_scheduler(address, "it says nothing; one with certificates is tls://, not tcp://") from None
        except (OSError, UnicodeError) as error:
            if not isinstance(error, ConnectionRefusedError) or time.monotonic() > until:
                raise no_scheduler(address, why(error) if isinstance(error, OSError) else str(error)) from None
        time.sleep(0.2)


def _first_byte(there: socket.socket, place: tuple[str, int], address: str) -> bytes:
    """What is said first; one who waits to be asked may be a web server, as at the port of the scheduler's page."""
    there.settimeout(WEB)
    with suppress(TimeoutError):
        return there.recv(1)
    with suppress(OSError), socket.create_connection(place, timeout=WEB) as web:
        web.sendall(b"HEAD / HTTP/1.0\r\n\r\n")
        if web.recv(5) == b"HTTP/":
            raise no_scheduler(address, "a web server does; the page of a scheduler has another port than itself")
    there.settimeout(ANSWER)
    return there.recv(1)


def no_scheduler(address: str, reason: str) -> TruegainError:
    """What to say where nobody answers, or somebody else does."""
    return TruegainError(
        f"{address}: no scheduler answers there ({reason}); start one with `dask scheduler`, or check the address"
    )
