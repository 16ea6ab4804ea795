"""What to buy next, as an answer that shows itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from truegain.errors import some
from truegain.inference.study.next_steps import Step
from truegain.tables.table import Cell, Shown, Table


@dataclass(frozen=True, eq=False, repr=False)
class Steps(Shown, Sequence[Step]):
    """What to buy next, those that alone are enough first, each group cheapest first.

    >>> print(Steps((Step("topics", 2.0, 50, 50, 0.0477),)))
    what    more  in all  half width
    topics    50     100      0.0477
    """

    items: tuple[Step, ...]
    made_by: Mapping[str, object] = field(default_factory=dict)
    title: str = ""

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, at: int) -> Step: ...

    @overload
    def __getitem__(self, at: slice) -> Steps: ...

    def __getitem__(self, at: int | slice) -> Step | Steps:
        return replace(self, items=self.items[at]) if isinstance(at, slice) else self.items[at]

    def table(self) -> Table:
        """A row a step; what it costs and whether it alone is enough, where that is known."""
        priced = any(s.cost is not None for s in self.items)
        aimed = any(s.enough is not None for s in self.items)
        known = [name for name, there in (("cost", priced), ("enough", aimed)) if there]
        columns = ("what", "more", "in all", "half width", *known)
        rows: list[tuple[Cell, ...]] = [
            (s.phrase or s.words, s.more, s.have + s.more, s.half, *((s.cost,) if priced else ()),
             *((None if s.enough is None else "yes" if s.enough else "not alone",) if aimed else ()))
            for s in self.items
        ]  # fmt: skip
        return Table(columns, rows, self.made_by, self.title)

    def in_short(self) -> str:
        """The steps, the first of them in full."""
        return some([str(step) for step in self.items], 2) or "nothing to buy"
