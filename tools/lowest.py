"""Write constraints-lowest.txt: every dependency of pyproject.toml at its lower bound.

python -m tools.lowest            # write the file
python -m tools.lowest --check    # exit with 1 where it is not up to date
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE = ROOT / "constraints-lowest.txt"
HEAD = "# The lowest versions that the project works with, by pyproject.toml: python -m tools.lowest\n"
NOT_OURS = ("test", "all", "docs")  # what no user installs, and what names other extras


def lowest(project: dict[str, object]) -> str:
    """The text of the file.

    >>> print(lowest({"dependencies": ["numpy>=2.0", "typer>=0.19,<0.29"], "optional-dependencies": {}}), end="")
    numpy==2.0
    typer==0.19
    """
    extras: dict[str, list[str]] = project["optional-dependencies"]  # type: ignore[assignment]
    needed: list[str] = list(project["dependencies"])  # type: ignore[call-overload]
    needed += [one for name, several in extras.items() if name not in NOT_OURS for one in several]
    found: dict[str, str] = {}
    for one in needed:
        parts = re.match(r"([\w.-]+)(?:\[\w+\])?>=([\w.]+)(?:,<[\w.]+)?(?:\s*;\s*(.*))?$", one)
        if parts is None:
            raise SystemExit(f"{one}: give it a lower bound, as name>=1.0")
        found[parts[1]] = f"{parts[1]}=={parts[2]}" + (f" ; {parts[3]}" if parts[3] else "")
    return "".join(f"{found[name]}\n" for name in sorted(found, key=str.lower))


def main() -> int:
    """Write or check the file."""
    text = HEAD + lowest(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"])
    if "--check" in sys.argv:
        return int(not FILE.exists() or FILE.read_text() != text)
    FILE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
