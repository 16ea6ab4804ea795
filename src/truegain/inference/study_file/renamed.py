"""Other names of systems, asked for with a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from truegain.tables.renaming import read_names
from truegain.tables.runs import Runs


@dataclass(frozen=True, kw_only=True)
class Renamed:
    """Other names of systems: from a file, and without a prefix.

    >>> Renamed(strip_prefix="input.").called("input.bm25"), Renamed().called("bm25")
    ('bm25', 'bm25')
    """

    names: str | None = None
    strip_prefix: str = ""

    @property
    def renames(self) -> bool:
        """Whether systems get other names."""
        return self.names is not None or bool(self.strip_prefix)

    @cached_property
    def _new(self) -> Mapping[str, str]:
        return {} if self.names is None else read_names(self.names)

    def renamed(self, runs: Runs) -> Runs:
        """The runs under the names asked for."""
        return runs.renamed(self._new, self.strip_prefix) if self.renames else runs

    def called(self, name: str) -> str:
        """A system by the name that it has, whether it is given by the old one or the new one."""
        return self._new.get(name) or name.removeprefix(self.strip_prefix) or name

    @property
    def told(self) -> dict[str, str]:
        """What was asked for, to be told with the answers."""
        both = {"names": self.names, "strip_prefix": self.strip_prefix}
        return {name: value for name, value in both.items() if value}
