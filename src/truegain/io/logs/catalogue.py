"""All kinds of logs there are, a line each; and which one a file is."""

from __future__ import annotations

from truegain.io.files import PathLike, read_bytes, shown_path
from truegain.io.logs.log import Log, LogFormat

LOGS: dict[str, LogFormat] = {}


def log_format(data: bytes, file: str) -> LogFormat | None:
    """The kind of log that a file is; None where it is none."""
    return next((f for f in LOGS.values() if f.recognizes(data, file)), None)


def log_in(path: PathLike) -> Log | None:
    """A file as its tool wrote it; None where no tool is known that writes such a file."""
    data, file = read_bytes(path), shown_path(path)
    kind = log_format(data, file)
    return None if kind is None else kind.read(data, file)
