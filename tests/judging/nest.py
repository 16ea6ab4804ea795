"""A program that starts servers: it has loaded all that `truegain annotate serve` needs, and forks for each one.

Reads commands from its input, one JSON list a line: ["start", arguments, log, clocks, seed] answers the process's
number, ["wait", number] answers after that process has ended.  Each server is a process of its own that runs the
command from its start; loading the libraries, 1.6 s of its 1.9, and compiling the templates is all it is spared.
`clocks` names a file of two numbers, seconds by which the wall clock and the steady clock of the server are ahead; a
test may write others while it runs.  With a `seed` the orders that the server draws are the same every time.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import struct
import sys
import tempfile
import time
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

LOADED = (
    "truegain.cli.app",
    "truegain.cli.annotate_serve",
    "truegain.judging.server.app",
    "truegain.judging.server.api",
    "truegain.judging.server.serving",
    "truegain.judging.server.organizer",
    "truegain.judging.workflow.organizer",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "uvicorn.loops.asyncio",
    "uvicorn.protocols.http.h11_impl",
    "uvicorn.lifespan.on",
    "pydantic.v1",
    "importlib.resources.readers",
    "numpy.random",
)


def start(arguments: list[str], log: str, clocks: str, seed: int | None = None) -> int:
    """Fork a server; the number of its process."""
    number = os.fork()
    if number:
        return number
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        inputs, output = os.open(os.devnull, os.O_RDONLY), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(inputs, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        if clocks:
            set_clocks(clocks)
        if seed is not None:
            import_module("truegain.judging.workflow.assessor").SystemRandom = partial(Random, seed)  # type: ignore[attr-defined]
        sys.argv = ["truegain", *arguments]
        import_module("truegain.cli.app").main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(code)


def set_clocks(path: str) -> None:
    """Let the service's clocks go by the file's numbers; those of the libraries stay as they are."""
    with open(path, "rb") as file:  # noqa: PTH123
        ahead = mmap.mmap(file.fileno(), 16, prot=mmap.PROT_READ)
    clocks: Any = import_module("truegain.judging.workflow.sessions")
    shim = SimpleNamespace(
        time=lambda: time.time() + struct.unpack_from("d", ahead, 0)[0],
        monotonic=lambda: time.monotonic() + struct.unpack_from("d", ahead, 8)[0],
    )
    clocks.time = shim
    for module, name in (("assessor", "AssessorService"), ("organizer", "OrganizerService")):
        made = getattr(import_module(f"truegain.judging.workflow.{module}"), name)
        made.__init__.__kwdefaults__["clock"] = shim.time


def warm() -> None:
    """Compile the templates, and build an app once, which fills the caches of the libraries; nothing of it is kept."""
    templates = import_module("truegain.judging.server.render").templates()
    for name in templates.list_templates(extensions=["html"]):
        templates.get_template(name)
    simulated = import_module("truegain.judging.study.simulated").simulated_study
    store = import_module("truegain.judging.store.database")
    parts = import_module("truegain.cli.annotate_serve")
    with tempfile.TemporaryDirectory() as folder:
        study = simulated(Path(folder) / "study", topics=1, docs=3, judgments=1)
        database = store.Database(store.default_url(folder))
        import_module("truegain.judging.server.app").create_app(study, database, more=parts.parts_of(study))
        database.close()


def main() -> None:
    """Serve commands until the input ends, then end what is left."""
    for name in LOADED:
        import_module(name)
    warm()
    left: set[int] = set()
    print("ready", flush=True)
    for line in sys.stdin:
        what, *about = json.loads(line)
        if what == "start":
            number = start(*about)
            left.add(number)
            print(number, flush=True)
        else:
            os.waitpid(about[0], 0)
            left.discard(about[0])
            print("ended", flush=True)
    for number in left:
        os.kill(number, signal.SIGKILL)


if __name__ == "__main__":
    main()
