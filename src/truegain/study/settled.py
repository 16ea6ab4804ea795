"""What labels settled: the answer of `Study.settle`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from truegain.data.label_lists import GoldList
from truegain.errors import counted
from truegain.results.base import Result, Table
from truegain.results.settlement import Settlement
from truegain.results.table import Cell
from truegain.study.verdict import Verdict


@dataclass(frozen=True, repr=False)
class SettleResult(Result):
    """What labels settled, or that they did not.

    Attributes
    ----------
    settlement : Settlement
        The status, the sentence, each pair with its intervals on the way, labels and cost.
    verdicts : tuple of Verdict
        Of each candidate against the baseline, with all details; empty where no label was given.
    filled : GoldList
        The list with its labels, the `gold` of a study.

    Notes
    -----
    Columns of `frame`, one row a look and pair: `baseline` and `candidate`; `labels`, how many there were;
    `difference`, the candidate less the baseline, and its limits `low` and `high`, missing while labels are too few.
    """

    settlement: Settlement
    verdicts: tuple[Verdict, ...]
    filled: GoldList

    @property
    def status(self) -> str:
        """'better', 'worse' or 'not-better' where it is decided; 'undecided' or 'out-of-reach' where it is not."""
        return self.settlement.status

    @property
    def sentence(self) -> str:
        """What is known, in words."""
        return self.settlement.sentence

    @property
    def labels(self) -> int:
        """How many rows of the list were labeled."""
        return self.settlement.labels

    @property
    def provenance(self) -> Mapping[str, object]:
        """How it was made."""
        return self.verdicts[0].provenance if self.verdicts else {}

    def table(self) -> Table:
        """The intervals on the way, a row a look and pair."""
        columns = ("baseline", "candidate", "labels", "difference", "low", "high")
        rows: list[tuple[Cell, ...]] = [
            (pair.baseline, pair.candidate, look.labels, look.difference, look.low, look.high)
            for pair in self.settlement.pairs
            for look in pair.looks
        ]
        return Table(columns, rows, self.provenance, self.sentence, self.settlement.notes)

    def in_short(self) -> str:
        """What is known, and after how many labels."""
        s = self.settlement
        return f"{s.sentence} {s.in_words}; the list has {counted(s.listed, 'document')}."

    def __str__(self) -> str:
        return "\n".join([self.in_short(), *self.settlement.notes])
