"""Options that say how a table of systems by measures looks, the same for every command that writes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Annotated, Any

import typer

from truegain.cli.bundles import takes
from truegain.errors import TruegainError
from truegain.message import option
from truegain.tables.formats.catalogue import PAPER


def _option(*names: str, text: str) -> Any:
    return typer.Option(*names, help=text)


@dataclass(frozen=True, kw_only=True)
class Writing:
    """How a table of systems by measures is written."""

    wide: Annotated[
        bool, _option("--wide", text="One row a system, a column a measure (latex, markdown and html are, anyway).")
    ] = False
    names: Annotated[
        str | None, _option("--names", text="File of two columns: names of systems, and what they are called instead.")
    ] = None
    strip_prefix: Annotated[str, _option("--strip-prefix", text="Leave this out where names begin with it.")] = ""
    digits: Annotated[int | None, _option("--digits", text="Decimals (default 4).")] = None
    percent: Annotated[bool, _option("--percent", text="Scores times 100, with two decimals less.")] = False
    caption: Annotated[str | None, _option("--caption", text="In place of the one that says what was done.")] = None
    label: Annotated[str | None, _option("--label", text="Of the LaTeX table; '' leaves the bare tabular.")] = None

    def is_wide(self, chosen: str, *, else_shown: bool = False) -> bool:
        """Whether systems by measures are written: asked for, or in a paper's format where nothing else is shown."""
        wide = self.wide or (chosen in PAPER and not else_shown)
        if not wide and self._looks:
            raise TruegainError(
                f"{', '.join(map(option, self._looks))}: this is about tables of systems by measures; give "
                f"{option('--wide')}, or {option('--format')} {', '.join(PAPER)}"
            )
        return wide

    @property
    def style(self) -> dict[str, Any]:
        """What `paper` takes; systems have their names already."""
        words = {"digits": self.digits, "percent": self.percent, "caption": self.caption, "label": self.label}
        return {name: value for name, value in words.items() if value is not None}

    @property
    def _looks(self) -> list[str]:
        usual = Writing()
        names = [f.name for f in fields(self) if f.name not in ("wide", "names", "strip_prefix")]
        return [f"--{name}" for name in names if getattr(self, name) != getattr(usual, name)]

    @property
    def renames(self) -> bool:
        """Whether systems get other names."""
        return self.names is not None or bool(self.strip_prefix)

    @cached_property
    def new_names(self) -> Mapping[str, str] | None:
        """The names of the file, where there is one."""
        from truegain.tables.renaming import read_names

        return None if self.names is None else read_names(self.names)

    def renamed(self, answer: Any) -> Any:
        """Scores, answers or runs with the names asked for."""
        return answer.renamed(self.new_names, self.strip_prefix) if self.renames else answer

    def baseline(self, name: str | None) -> str | None:
        """A baseline by the name that it has, whether it was given by the old one or the new one."""
        if name is None or not self.renames:
            return name
        return (self.new_names or {}).get(name) or name.removeprefix(self.strip_prefix) or name


writes_papers = takes(writing=Writing)
