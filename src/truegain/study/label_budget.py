"""How far labeling may go: labels, money, and forecasts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from truegain.errors import TruegainError
from truegain.message import argname
from truegain.results.settlement import label_count
from truegain.settings import check_number


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
                f"{argname('max_cost', self.max_cost, 'g')} does not buy one label at {self.price:g}; give more"
            )

    @property
    def limit(self) -> int | None:
        """Labels that may be given; None: any number."""
        limits = [] if self.max_labels is None else [int(self.max_labels)]
        if self.max_cost is not None and self.price is not None:
            limits.append(int(self.max_cost / self.price + 1e-9))
        return min(limits, default=None)

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
