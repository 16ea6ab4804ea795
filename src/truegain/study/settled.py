"""What labels settled, the answer of `Study.settle`, and how far labeling may go before."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from truegain.data.label_lists import GoldList
from truegain.errors import TruegainError, counted
from truegain.message import argname
from truegain.results.base import Result, Table
from truegain.results.settlement import Settlement, label_count
from truegain.results.table import Cell
from truegain.settings import check_number
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


class LabelError(TruegainError):
    """A label function of `Study.settle` that failed or gave what is no label; the labels before it are kept.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    filled : GoldList
        The list with the labels so far.
    value : object, optional
        What the function gave.

    Examples
    --------
    >>> import truegain as tg
    >>> llm = {str(t): {d: (i + t) % 2 for i, d in enumerate("abcdef")} for t in range(12)}
    >>> runs = {"old": {t: {"a": 3, "b": 2, "c": 1} for t in llm}, "new": {t: {"d": 3, "e": 2, "f": 1} for t in llm}}
    >>> study, kept, broken = tg.Study(runs, llm, "P@3"), {}, ["7"]
    >>> def label(topic, doc):
    ...     if (topic, doc) in kept:
    ...         return kept[topic, doc]
    ...     return float("nan") if topic in broken else float(doc in "def")
    >>> try:
    ...     settled = study.settle(label, population="fixed")
    ... except LabelError as error:
    ...     kept.update(error.labels)
    >>> broken.clear()
    >>> len(kept) > 0, study.settle(label, population="fixed").status
    (True, 'better')
    """

    def __init__(self, message: str, filled: GoldList, value: object = None) -> None:
        super().__init__(message, value=value)
        self.filled = filled

    @property
    def labels(self) -> dict[tuple[str, str], float | None]:
        """The labels so far, by topic and document; None where one cannot be judged."""
        return labels_by_document(self.filled)


def labels_by_document(filled: GoldList) -> dict[tuple[str, str], float | None]:
    """The labels at the top of a list, by topic and document; None where one cannot be judged."""
    rows = zip(filled.topics, filled.docs, filled.label.tolist(), strict=True)
    return {(t, d): None if math.isnan(x) else x for t, d, x in list(rows)[: filled.judged]}


@dataclass(frozen=True)
class LabelBudget:
    """How far labeling may go: labels, and money.

    >>> LabelBudget(300, 0.5, 120).most(500), LabelBudget().most(500), LabelBudget(price=0.5).cost(10)
    (240, 500, 5.0)
    >>> LabelBudget(double=0.1).most(500), LabelBudget(300, double=0.1).most(500), LabelBudget(double=1).label_count(40)
    (550, 300, 80)
    """

    max_labels: int | None = None
    price: float | None = None
    max_cost: float | None = None
    keep_going: bool = False  # though a forecast says that labels will not decide it
    double: float = 0.0  # share of rows that a second person labels, too

    def __post_init__(self) -> None:
        for name in ("max_labels", "price", "max_cost"):
            value = getattr(self, name)
            if value is None:
                continue
            check_number(name, value)
            if not 0 < value < math.inf:
                raise TruegainError(f"{argname(name, value, 'g')}: give a number above 0, or leave it out")
        if self.max_labels is not None and self.max_labels != int(self.max_labels):
            raise TruegainError(f"{argname('max_labels', self.max_labels, 'g')}: give a whole number")
        if self.max_cost is not None and self.price is None:
            raise TruegainError(f"{argname('max_cost')} needs the price of a label; give {argname('price')} too")
        if self.limit == 0:
            raise TruegainError(
                f"{argname('max_cost', self.max_cost, 'g')} does not pay for one label at {self.price:g}; give more"
            )

    @property
    def limit(self) -> int | None:
        """Labels that may be given; None: any number."""
        limits = [] if self.max_labels is None else [int(self.max_labels)]
        if self.max_cost is not None and self.price is not None:
            limits.append(int(self.max_cost / self.price + 1e-9))
        return min(limits, default=None)

    @property
    def binding(self) -> str:
        """The limit that is reached first, by its name; empty where there is none.

        >>> LabelBudget(300, 0.5, 120).binding, LabelBudget(300).binding, LabelBudget().binding
        ('max_cost', 'max_labels', '')
        """
        if self.limit is None:
            return ""
        return "max_labels" if self.limit == self.max_labels else "max_cost"

    def most(self, rows: int) -> int:
        """Labels after which it is given up, of a list of so many rows."""
        labels = self.label_count(rows)
        return labels if self.limit is None else min(labels, self.limit)

    def label_count(self, rows: int) -> int:
        """Labels that so many rows take, about."""
        return label_count(rows, self.double)

    def cost(self, labels: int) -> float | None:
        """What so many labels cost; None where no price is given."""
        return None if self.price is None else round(self.price * labels, 10)
