"""The true scores, where they are known: of a simulated world, or from labels far beyond those of the study."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

from truegain.errors import InputError, MeasureError, some
from truegain.measures.base import Measure
from truegain.measures.parse import parse_measure
from truegain.tables.raw import RawTable, number_of
from truegain.tables.separated import first_line, separated, separator_of
from truegain.tables.sources import read_bytes, shown_path

NAMES = ("system", "measure", "value")
BEGIN = "begin with a line of names: system,measure,value"


@dataclass(frozen=True)
class Truth:
    """What systems score in truth, by measure and system."""

    values: Mapping[tuple[str, str], float]
    file: str = ""

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, float]]) -> Truth:
        """From system, measure and value.

        >>> Truth.of([("bm25", "P@10", 0.4)]).score(parse_measure("P@10"), "bm25")
        0.4
        """
        return cls({(str(parse_measure(measure)), system): float(value) for system, measure, value in rows})

    def score(self, measure: Measure, system: str) -> float | None:
        """The true score; None where it is not known."""
        return self.values.get((str(measure), system))

    def check(self, systems: tuple[str, ...], measures: Sequence[Measure]) -> None:
        """Refuse a truth that is about nothing here."""
        if any(self.score(m, s) is not None for m in measures for s in systems):
            return
        asked = f"{some([str(m) for m in measures])} of {some(systems)}"
        known = dict.fromkeys(f"{m} of {s}" for m, s in self.values)
        raise InputError(f"no true score is about {asked}", file=self.file or None, hint=f"there is {some([*known])}")


def read_truth(path: str | PathLike[str]) -> Truth:
    """Read a table with the columns system, measure, value; other columns are not read."""
    file = shown_path(path)
    text = read_bytes(path)
    try:
        table = separated(text, "\t" if "\t" in first_line(text) else separator_of(first_line(text)), file)
    except UnicodeDecodeError:
        raise InputError("this is no text", file=file, hint="save it as UTF-8") from None
    names = [name.strip().lower() for name in table.columns]
    if missing := [name for name in NAMES if names.count(name) != 1]:
        words = "is named twice" if missing[0] in names else "is not named"
        raise InputError(f"column '{missing[0]}' {words}", file=file, line=1, text=first_line(text), hint=BEGIN)
    return Truth(_values(table, [names.index(name) for name in NAMES], file), file)


def _values(table: RawTable, at: Sequence[int], file: str) -> dict[tuple[str, str], float]:
    """Every row, checked."""
    found: dict[tuple[str, str], float] = {}
    for row, cells in enumerate(zip(*(table.column(i) for i in at), strict=True)):
        system, measure, value = (str(cell).strip() for cell in cells)
        line = table.places.of(row)["line"]
        number = number_of(value)
        if not system:
            raise InputError("no system is named", file=file, line=line, hint="write system,measure,value")
        if number is None or not math.isfinite(number):
            hint = "write a number, or leave out the line"
            raise InputError("the true score is no number", file=file, line=line, text=value, hint=hint)
        try:
            key = str(parse_measure(measure)), system
        except MeasureError as error:
            raise InputError(error.message, file=file, line=line) from None
        if key in found:
            raise InputError(f"{key[0]} of {system} stands here twice", file=file, line=line, hint="leave one line")
        found[key] = number
    if not found:
        raise InputError("there is no true score", file=file, hint="write lines of system,measure,value")
    return found
