"""What inference answers with: estimates and comparisons, plans, and one container of many; each shows itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Self, TypeVar, Unpack, overload

from truegain.errors import TruegainError, some
from truegain.inference.kinds import Comparison, Estimate, table_of
from truegain.inference.wide import wide_comparisons, wide_estimates
from truegain.tables.paper_style import PaperStyle, PaperWords
from truegain.tables.renaming import new_names
from truegain.tables.table import Shown, Table

__all__ = ["Answers", "Comparison", "Estimate", "Plan", "table_of"]

FEW = 2  # answers that a repr names


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Shown):
    """What to buy next: how many of what, for which aim; and a table of it, with other aims and what it rests on.

    Where no number is enough `needed` is empty, and the aim says so.

    >>> print(Plan({"topics": 35, "gold pairs": 1200}, "a difference of 0.1 is found", Table((), [])))
    35 topics, 1,200 gold pairs: a difference of 0.1 is found
    """

    needed: Mapping[str, int]
    aim: str
    details: Table

    @property
    def made_by(self) -> Mapping[str, object]:
        """How it was made, and what it rests on."""
        return self.details.made_by

    def table(self) -> Table:
        """What other numbers would bring."""
        return self.details

    def to_dict(self) -> dict[str, object]:
        """What is needed, for what, and the table."""
        return {"needed": dict(self.needed), "aim": self.aim, **super().to_dict()}

    def in_short(self) -> str:
        """What is needed, for what."""
        return str(self)

    def __str__(self) -> str:
        needed = ", ".join(f"{n:,} {kind}" for kind, n in self.needed.items())
        return f"{needed}: {self.aim}" if needed else self.aim


Answer = TypeVar("Answer", Estimate, Comparison)


@dataclass(frozen=True, repr=False)
class Answers(Shown, Sequence[Answer], Generic[Answer]):
    """Many answers of one kind, with how they were made and what holds for all of them.

    >>> one = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02, test="paired t", n=50)
    >>> Answers((one,)).between("a", "b").difference, Answers((one,)).between("b", "a").difference
    (0.05, -0.05)
    """

    items: Sequence[Answer]
    made_by: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.items)

    @overload
    def __getitem__(self, at: int | tuple[str, str]) -> Answer: ...

    @overload
    def __getitem__(self, at: slice) -> Answers[Answer]: ...

    def __getitem__(self, at: int | tuple[str, str] | slice) -> Answer | Answers[Answer]:
        """An answer by number, several by a slice, or an estimate by system and measure."""
        if isinstance(at, slice):
            return Answers(tuple(self.items[at]), self.made_by, self.notes)
        if not isinstance(at, tuple):
            return self.items[at]
        for one in self.items:
            if isinstance(one, Estimate) and (one.system, one.measure) == at:
                return one
        there = [f"{e.system}, {e.measure}" for e in self.items if isinstance(e, Estimate)]
        raise TruegainError(f"there is no answer for {at}; there are {some(there)}")

    @property
    def pairs(self) -> Sequence[Answer]:
        """The comparisons."""
        return self.items

    @property
    def significant(self) -> int:
        """How many of the pairs differ, by the adjusted p where there is one."""
        return sum(isinstance(one, Comparison) and one.differs for one in self.items)

    def between(self, a: str, b: str, measure: str | None = None) -> Answer:
        """The difference b - a as asked, in whichever order it was made; of several measures, that on one."""
        found = [one for one in self.items if isinstance(one, Comparison) and {one.a, one.b} == {a, b}]
        measures = list(dict.fromkeys(one.measure for one in found))
        if found and (len(measures) > 1 if measure is None else measure not in measures):
            raise TruegainError(f"on which measure? There are {', '.join(measures)}")
        for one in found:
            if measure in (None, one.measure):
                return one if one.a == a else one.turned()
        there = sorted({name for c in self.items if isinstance(c, Comparison) for name in (c.a, c.b)})
        raise TruegainError(f"{a} and {b} were not compared; there are {some(there)}")

    def table(self) -> Table:
        """A row an answer."""
        made: Table = table_of(self.items, made_by=self.made_by)
        return Table(made.columns, made.rows, made.made_by, made.title, (*self.notes, *made.notes))

    def paper(self, **style: Unpack[PaperWords]) -> Table:
        """Systems by measures: estimates with their intervals, comparisons with the systems that each one beats.

        >>> one = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02, test="paired-t", n=50)
        >>> print(Answers((one,)).markdown(caption=""))
        | # | system | AP |
        | --- | --- | --- |
        | a | b | **0.2500**<sup>b</sup> |
        | b | a | 0.2000 |
        <BLANKLINE>
        """
        estimates = [one for one in self.items if isinstance(one, Estimate)]
        if not self.items or any(e.topic != "all" for e in estimates):
            return super().paper(**style)
        if estimates:
            return wide_estimates(estimates, self.made_by, self.notes).table(PaperStyle.of(style))
        pairs = [one for one in self.items if isinstance(one, Comparison)]
        return wide_comparisons(pairs, self.made_by, self.notes).table(PaperStyle.of(style))

    @classmethod
    def joined(cls, parts: Sequence[Answers[Answer]]) -> Answers[Answer]:
        """The answers of several, such as of one measure each, one after the other."""
        notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
        made_by = {name: value for name, value in parts[0].made_by.items() if name != "measure"}
        items = tuple(one for part in parts for one in part)
        return Answers(items, {**made_by, "measures": list(dict.fromkeys(one.measure for one in items))}, notes)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that the answers are about, in their order."""
        named = ((one.system,) if isinstance(one, Estimate) else (one.a, one.b) for one in self.items)
        return tuple(dict.fromkeys(name for names in named for name in names))

    def renamed(self, names: Mapping[str, str] | None = None, strip: str = "") -> Self:
        """The same answers under other names of systems, and without a prefix of them.

        >>> Answers((Estimate("input.x", "AP", 0.2, 0.1, 0.3),)).renamed(strip="input.")[0].system
        'x'
        """
        new = new_names(self.systems, names, strip)
        items = tuple(_renamed(one, new) for one in self.items)
        baseline = self.made_by.get("baseline")
        made_by = {**self.made_by, "baseline": new[baseline]} if isinstance(baseline, str) else self.made_by
        return replace(self, items=items, made_by=made_by)

    def in_short(self) -> str:
        """How many, and the first of them."""
        if not self.items:
            return "none"
        kind = "comparison" if self.items and isinstance(self.items[0], Comparison) else "estimate"
        told = "; ".join(str(one) for one in self.items[:FEW])
        more = f" and {len(self) - FEW:,} more" if len(self) > FEW else ""
        return f"{len(self):,} {kind}{'' if len(self) == 1 else 's'}: {told}{more}"


def _renamed(one: Answer, new: Mapping[str, str]) -> Answer:
    if isinstance(one, Estimate):
        return replace(one, system=new[one.system])
    return replace(one, a=new[one.a], b=new[one.b])
