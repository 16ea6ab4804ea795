"""Levels of experts mapped to other gains, by formulas of C that people write."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

import numpy as np

from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.message import argname

MAPPINGS = ("C", "100 C", "1 + C", "10 + C", "100 + C", "10^(1 + C)", "2^(1 + C)")  # table III of the paper
LONGEST = 100  # letters of a formula
_OPERATORS: dict[type[ast.operator], Callable[[Floats, Floats], Floats]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_TIMES = re.compile(r"(?<=[\d.)])\s*(?=C|\()|(?<=C)\s*(?=\()")  # 100 C, 2 (1 + C), C (1 + C)


def mapped_gains(formula: str, levels: Floats) -> Floats:
    """Gains by a formula of the level C: numbers, C, + - * / ^ and brackets; `100 C` is 100 times C.

    Maddalena et al. 2017, ACM TOIS 35(3), table III.

    >>> [mapped_gains(f, np.array([0.0, 1.0, 2.0])).tolist() for f in ("C", "100 C", "2^(1 + C)")]
    [[0.0, 1.0, 2.0], [0.0, 100.0, 200.0], [2.0, 4.0, 8.0]]
    """
    try:
        if len(formula) > LONGEST:
            raise ValueError(formula)
        tree = ast.parse(_TIMES.sub("*", formula.strip()).replace("^", "**"), mode="eval")
        with np.errstate(all="ignore"):
            gains = np.broadcast_to(np.asarray(_value(tree.body, levels), np.float64), levels.shape)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise TruegainError(
            f"{argname('mapping', formula)}: not a formula of the level C; write numbers, C, + - * / ^ and brackets, "
            "such as 2^(1 + C)"
        ) from None
    bad = np.flatnonzero(~(np.isfinite(gains) & (gains >= 0)))
    if len(bad):
        raise TruegainError(
            f"{argname('mapping', formula)} makes a gain of {gains[bad[0]]:g} of level {levels[bad[0]]:g}; gains are "
            "finite numbers of at least 0"
        )
    return gains


def _value(node: ast.expr, levels: Floats) -> Floats:
    """The value of a part of a formula; whatever is no arithmetic is refused, so that nothing is ever run."""
    if isinstance(node, ast.Name) and node.id == "C":
        return levels
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return np.asarray(float(node.value), np.float64)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, levels)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, levels), _value(node.right, levels))
    raise ValueError(ast.dump(node))
