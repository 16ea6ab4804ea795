"""Check files before a commit: one newline at the end, no blanks behind lines, YAML, TOML and JSON that can be read.

`python -m tools.files PATH...` prints each fault with its file and line, and ends with 1 where there is one.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

BLANKS_COUNT = {".md"}  # two blanks at the end of a line break it there


def _yaml(text: str) -> object:
    import yaml

    return yaml.safe_load(text)


READERS: dict[str, Callable[[str], object]] = {
    ".yml": _yaml,
    ".yaml": _yaml,
    ".cff": _yaml,
    ".toml": tomllib.loads,
    ".json": json.loads,
}


def faults(path: Path) -> Iterator[str]:
    """What is wrong with a file."""
    data = path.read_bytes()
    text = data.decode(errors="replace")
    if data and not data.endswith(b"\n"):
        yield f"{path}: no newline at the end"
    if data.endswith(b"\n\n"):
        yield f"{path}: blank lines at the end"
    if b"\r\n" in data and path.suffix in {".py", ".c", ".h", *READERS}:
        yield f"{path}: lines end as on Windows"
    if path.suffix not in BLANKS_COUNT:
        lines = enumerate(text.split("\n"), 1)
        yield from (f"{path}:{i}: blanks at the end of the line" for i, line in lines if line.rstrip(" \t") != line)
    try:
        READERS.get(path.suffix, str)(text)
    except Exception as error:  # whatever a reader raises is a fault of the file
        yield f"{path}: {' '.join(str(error).split())}"


def main() -> int:
    """Print the faults of all files that are named."""
    found = [fault for name in sys.argv[1:] for fault in faults(Path(name))]
    print(*found, sep="\n", end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
