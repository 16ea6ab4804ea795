"""All gain rules: one line each."""

from __future__ import annotations

import math
import re
from dataclasses import fields
from fractions import Fraction

from truegain.errors import TruegainError, there_are
from truegain.gains.crowd import Glad
from truegain.gains.dawid_skene import DawidSkene
from truegain.gains.mace import Mace
from truegain.gains.majority import Majority, Supermajority
from truegain.gains.mean import GeometricMean, Mean
from truegain.gains.median import Median
from truegain.gains.rules import Rule
from truegain.gains.sum import Sum
from truegain.gains.unanimity import Unanimity, Weighted
from truegain.message import told_value, with_marks

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

SEED = "seed"  # of rules that draw: an argument of what is asked, not a parameter of the rule

_FORM = re.compile(r"\s*(?P<name>[^\s(),=]+)\s*(?:\((?P<inside>[^()]*)\))?\s*")


def rule_of(rule: str | Rule, *, seed: int = 0) -> Rule:
    """The rule that a text names, with its parameters in parentheses; `seed` is that of rules that draw.

    >>> rule_of("UG(p=0.1, spread=sd)")
    Unanimity(spread='sd', trim=0.2, p=0.1)
    >>> rule_of("mean(p=0.1)")
    Traceback (most recent call last):
    truegain.errors.TruegainError: the rule mean has no parameter p; it has none
    """
    if isinstance(rule, Rule):
        return rule
    form = _FORM.fullmatch(rule) if isinstance(rule, str) else None
    if form is None:
        raise TruegainError(
            f"cannot read the rule {told_value('aggregate', rule, repr(rule))}; write it like 'mean' or "
            "'unanimity(p=0.1,spread=sd)'"
        )
    kind = _kind(form["name"], rule)
    values: dict[str, object] = {}
    for part in filter(None, map(str.strip, (form["inside"] or "").split(","))):
        name, value = _parameter(kind, part, rule)
        if name in values:
            raise _refusal(kind, rule, f" has {name} twice; give one")
        values[name] = value
    if any(f.name == SEED for f in fields(kind)):
        values[SEED] = seed
    try:
        return kind(**values)
    except TruegainError as error:  # says what is wrong with a value
        raise _refusal(kind, rule, with_marks(error).removeprefix(f"the rule {kind.NAME}")) from None


def usual_rule(normalize: str | None) -> str:
    """The rule where none is given: magnitudes have long tails, which the median does not follow."""
    return "mean" if normalize is None else "median"


def parameters_of(kind: type[Rule]) -> dict[str, object]:
    """The parameters that a rule has, with their defaults.

    >>> parameters_of(Mace)
    {'take': 'mean', 'n_iter': 10000, 'tolerance': 0.0001, 'starts': 10}
    """
    return {f.name: f.default for f in fields(kind) if f.name != SEED}


def rule_forms() -> list[str]:
    """Every rule as it is written, with its parameters and their defaults.

    >>> [form for form in rule_forms() if form.startswith(("mean", "un", "super"))]
    ['mean', 'supermajority(share=2/3)', 'unanimity(spread=range,trim=0.2,p=0.2)']
    """
    found = []
    for name, kind in RULES.items():
        inside = ",".join(f"{key}={_written(value)}" for key, value in parameters_of(kind).items())
        found.append(f"{name}({inside})" if inside else name)
    return found


def _written(value: object) -> str:
    """A default as it is typed: a share as a fraction, where that is shorter."""
    if not isinstance(value, float):
        return str(value)
    return min(repr(value), str(Fraction(value).limit_denominator(9)), key=len) if value > 0.01 else f"{value:g}"


def _kind(name: str, rule: str) -> type[Rule]:
    known = RULES.get(ALIASES.get(name.lower(), name.lower()))
    if known is None:
        raise TruegainError(
            f"there is no rule {told_value('aggregate', rule, repr(name))}; {there_are([name], [*RULES], len(RULES))}",
            allowed=[*RULES],
        )
    return known


def _parameter(kind: type[Rule], part: str, rule: str) -> tuple[str, object]:
    """The name and the value of a parameter, the value of the kind that its default is."""
    known = parameters_of(kind)
    name, has_value, text = (word.strip() for word in part.partition("="))
    if not has_value:
        example = next((f"{kind.NAME}({key}={_written(value)})" for key, value in known.items()), kind.NAME)
        raise _refusal(kind, rule, f": {part!r} names no parameter; write it like {example}")
    if name not in known:
        raise _refusal(kind, rule, f" has no parameter {name}; it has {', '.join(known) or 'none'}")
    text = text.strip("'\"")
    if isinstance(known[name], str):
        return name, text
    number = int if isinstance(known[name], int) else _number
    try:
        return name, number(text)
    except (ValueError, ZeroDivisionError):
        what = "a whole number" if number is int else "a number"
        raise _refusal(kind, rule, f": {name} is {text!r}; give {what}") from None


def _number(text: str) -> float:
    number = float(Fraction(text)) if "/" in text else float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _refusal(kind: type[Rule], rule: str, what: str) -> TruegainError:
    return TruegainError(f"the rule {told_value('aggregate', rule, kind.NAME)}{what}")
