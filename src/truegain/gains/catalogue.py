"""All gain rules: one line each."""

from __future__ import annotations

from dataclasses import fields
from numbers import Real
from typing import TypedDict

from truegain.errors import TruegainError
from truegain.gains.crowd import Glad
from truegain.gains.dawid_skene import DawidSkene
from truegain.gains.mace import Mace
from truegain.gains.majority import Majority, Supermajority
from truegain.gains.mean import GeometricMean, Mean
from truegain.gains.median import Median
from truegain.gains.rules import Rule
from truegain.gains.sum import Sum
from truegain.gains.unanimity import Unanimity, Weighted
from truegain.message import told_value


class FitWords(TypedDict, total=False):
    """The parameters of rules, each of which has some of them."""

    ties: str
    share: float
    spread: str
    trim: float
    p: float
    take: str
    n_iter: int
    tolerance: float
    starts: int


class RuleWords(FitWords, total=False):
    """The same, with the seed of rules that draw."""

    seed: int


RULES: dict[str, type[Rule]] = {
    "sum": Sum,
    "mean": Mean,
    "median": Median,
    "geometric": GeometricMean,
    "majority": Majority,
    "supermajority": Supermajority,
    "unanimity": Unanimity,
    "weighted": Weighted,
    "dawid-skene": DawidSkene,
    "glad": Glad,
    "mace": Mace,
}
ALIASES = {"rawg": "sum", "ug": "unanimity", "wg": "weighted", "arithmetic": "mean"}


def rule_of(name: str | Rule, **parameters: object) -> Rule:
    """A rule by its name and parameters.

    >>> rule_of("UG", p=0.1)
    Unanimity(spread='range', trim=0.2, p=0.1)
    """
    if isinstance(name, Rule):
        return name
    kind = RULES.get(ALIASES.get(name.lower(), name.lower()))
    if kind is None:
        raise TruegainError(
            f"there is no gain rule {told_value('rule', name, repr(name))}; there are {', '.join(RULES)}"
        )
    known = [f.name for f in fields(kind)]
    unknown = sorted(set(parameters) - set(known))
    if unknown:
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise TruegainError(f"the rule {kind.NAME} has no parameter {', '.join(unknown)}; {has}")
    for f in fields(kind):
        if f.name in parameters and isinstance(f.default, int | float) and not isinstance(parameters[f.name], Real):
            raise TruegainError(f"the rule {kind.NAME}: {f.name} is {parameters[f.name]!r}; give a number")
    return kind(**parameters)
