"""Other names for systems: by a list of them, or without a prefix."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence

from truegain.errors import InputError, TruegainError, some, there_are
from truegain.message import argname
from truegain.tables.plain import plain_text
from truegain.tables.sources import PathLike, read_bytes, shown_path


def new_names(systems: Sequence[str], names: Mapping[str, str] | None = None, strip: str = "") -> dict[str, str]:
    """The new name of each system: what `names` says, else its own without the prefix `strip`.

    >>> new_names(["input.bm25", "input.dense"], {"input.dense": "Dense (ours)"}, strip="input.")
    {'input.bm25': 'bm25', 'input.dense': 'Dense (ours)'}
    """
    given = dict(names or {})
    if given and not given.keys() & set(systems):
        raise TruegainError(
            f"{argname('names')}: none of {some(list(given))} is a system; {there_are(list(given), systems)}"
        )
    if strip and not any(s.startswith(strip) for s in systems):
        raise TruegainError(f"no system begins with {strip!r}; there are {some(list(systems))}")
    found = {s: given.get(s) or s.removeprefix(strip) or s for s in systems}
    twice = [name for name, n in Counter(found.values()).items() if n > 1]
    if twice:
        both = [s for s, name in found.items() if name == twice[0]]
        raise TruegainError(f"{some(both)} would all be called {twice[0]!r}; give each a name of its own")
    return found


def read_names(path: PathLike) -> dict[str, str]:
    """Names from a file of two columns, old and new: separated by a tab, else a comma, else the first blank.

    Lines that begin with # and empty lines are skipped.
    """
    file = shown_path(path)
    found: dict[str, str] = {}
    for number, line in enumerate(plain_text(read_bytes(path), file).decode().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in _parts(line)]
        if len(parts) != 2 or not all(parts):
            raise InputError(
                "not two names", file=file, line=number, text=line, hint="write the old name, a tab, the new name"
            )
        old, new = parts
        if found.setdefault(old, new) != new:
            raise InputError(f"{old} has two new names, {found[old]} and {new}", file=file, line=number, text=line)
    if not found:
        raise InputError("there are no names", file=file, hint="write a line a system: the old name, a tab, the new")
    return found


def _parts(line: str) -> list[str]:
    if "\t" in line:
        return line.split("\t")
    return next(csv.reader([line])) if "," in line else line.split(None, 1)
