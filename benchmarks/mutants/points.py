"""Places in the source where a small fault can be put, and the source with it.

Only code that computes: no docstrings, messages, annotations, decorators, nor functions that return text.  What cannot
change an answer stays: a float below 1e-6, which is a guard against rounding, and whether a number may equal it; whole
numbers from 1,000 on, also as 1 << 16 (sizes of pieces of work); what a maximum over nothing is (`initial=`); and the 1
of -1 in `reshape`, where numpy takes every negative number alike.
"""

from __future__ import annotations

import ast
import copy
import difflib
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
NAMES = {"min": "max", "minimum": "maximum", "argmin": "argmax", "floor": "ceil", "any": "all"}
NAMES |= {b: a for a, b in NAMES.items()}
CONVERSIONS = {"float", "int", "bool", "str", "list", "tuple", "set", "asarray", "array", "ascontiguousarray", "frozen"}
TEXT = {"str", "str | None", "list[str]", "tuple[str, ...]", "Table", "None | str"}
TELLS = {"warn", "cast", "TypeVar", "counted", "format", "field", "fields"}
TOLD = {"note", "notes", "why", "about", "message", "said", "name", "label", "title", "initial"}
TURNED = (ast.Compare, ast.BoolOp, ast.UnaryOp)  # conditions with faults of their own
ROUNDING, LARGE = 1e-6, 1000


@dataclass(frozen=True)
class Point:
    """A fault: in which file and line, where its statement begins, and what stands from start to end instead.

    `loads`: the line runs when its module is loaded (a constant, a default), not when a function is called.
    """

    path: str
    line: int
    statement: int
    start: int
    end: int
    new: str
    loads: bool = False

    def applied(self, source: str) -> str:
        """The source with the fault in it; places are counted in bytes."""
        data = source.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()

    def diff(self, source: str) -> str:
        """The lines that change."""
        lines = difflib.unified_diff(source.splitlines(), self.applied(source).splitlines(), n=0, lineterm="")
        return "\n".join(x for x in lines if x[0] in "+-" and not x.startswith(("---", "+++")))


def points(path: str, source: str) -> list[Point]:
    r"""All faults that a file can be given, in the order of its lines.

    >>> text = "def mean(x: list[float]) -> float:\n    return sum(x) / len(x)\n"
    >>> [p.new for p in points("a.py", text)]
    ['(sum(x) * len(x))']
    """
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found, tree = [], ast.parse(source)
    idle = _idle(tree)
    conditions = {id(node.test) for node in ast.walk(tree) if isinstance(node, ast.If | ast.While)}
    for node, statement, loads in _computing(tree, 0, True):
        if id(node) in idle:
            continue
        turned = [ast.UnaryOp(ast.Not(), node)] if id(node) in conditions and not isinstance(node, TURNED) else []
        for other in (*_faults(node), *turned):
            first, last = starts[node.lineno - 1] + node.col_offset, starts[(node.end_lineno or 0) - 1]
            end = last + (node.end_col_offset or 0)
            found.append(Point(path, node.lineno, statement, first, end, f"({ast.unparse(other)})", loads))
    return sorted(found, key=lambda p: (p.start, p.end, p.new))


def _idle(tree: ast.Module) -> set[int]:
    r"""Expressions that a fault of their own changes, and no answer with them: sizes, strictness at rounding, reshape.

    >>> text = "TINY = 1e-12\nSIZE = 1 << 16\ndef f(x, n):\n    return x.reshape(-1, n) > TINY, x < -1e-9, x > 1 << n"
    >>> [p.new for p in points("a.py", text)]
    ['(1)', '(1e-09)', '(x >= 1 << n)', '(2)']
    """
    guards = {
        target.id for node in tree.body if isinstance(node, ast.Assign) and _is_guard(node.value, set())
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(
                left=ast.Constant(value=int(a)) as left, op=ast.LShift(), right=ast.Constant(value=int(b)) as n
            ):
                found |= {id(left), id(n)} if a << b >= LARGE else set()
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[right]):
                found |= {id(node)} if _is_guard(left, guards) or _is_guard(right, guards) else set()
            case ast.Call(func=ast.Attribute(attr="reshape"), args=args):
                sizes = [x for a in args for x in (a.elts if isinstance(a, ast.Tuple) else [a])]
                found |= {id(x.operand) for x in sizes if isinstance(x, ast.UnaryOp) and isinstance(x.op, ast.USub)}
    return found


def _is_guard(node: ast.expr, names: set[str]) -> bool:
    """Whether it is a number below which there is only rounding, or the name or a power of one."""
    match node:
        case ast.Constant(value=float(value)):
            return 0 < value < ROUNDING
        case ast.UnaryOp(op=ast.USub(), operand=inner) | ast.BinOp(left=inner, op=ast.Pow()):
            return _is_guard(inner, names)
        case ast.Name(id=name):
            return name in names
    return False


def _computing(node: ast.AST, statement: int, loads: bool) -> Iterator[tuple[ast.expr, int, bool]]:
    """Expressions below a node whose values are numbers or decisions, where their statements begin, when they run."""
    for child in _children(node):
        early = loads and not (isinstance(node, ast.FunctionDef) and isinstance(child, ast.stmt))
        if isinstance(child, ast.expr):
            if isinstance(child, ast.JoinedStr) or (isinstance(child, ast.Call) and _name(child.func) in TELLS):
                continue
            yield child, statement, early
        yield from _computing(child, child.lineno if isinstance(child, ast.stmt) else statement, early)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.FunctionDef(returns=returns) if (
            returns is not None and ast.unparse(returns) in TEXT
        ) or node.name.endswith("repr__"):
            return
        case ast.FunctionDef(args=args, body=body):
            yield from (d for d in (*args.defaults, *args.kw_defaults) if d is not None)
            yield from body
        case ast.ClassDef(body=body):
            yield from body
        case ast.AnnAssign(value=value):
            if value is not None:
                yield value
        case ast.Raise() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return
        case ast.keyword(arg=arg) if arg in TOLD:
            return
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.IfExp(body=a, orelse=b) if _is_text(a) or _is_text(b):
            return
        case _:
            yield from ast.iter_child_nodes(node)


def _faults(node: ast.expr) -> Iterator[ast.expr]:
    """What may stand in place of an expression."""
    match node:
        case ast.BinOp(left=left, right=right, op=op) if type(op) in OPERATORS:
            if not (_is_text(left) or _is_text(right)):
                yield ast.BinOp(left, OPERATORS[type(op)](), right)
                if isinstance(op, ast.Add | ast.Sub):
                    yield left
        case ast.Compare(ops=[op], left=left, comparators=others) if type(op) in COMPARISONS:
            yield ast.Compare(left, [COMPARISONS[type(op)]()], others)
        case ast.Constant(value=int(value)) if not isinstance(value, bool) and value < LARGE:
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)) if abs(value) >= ROUNDING:
            yield from (ast.Constant(value * 1.05), ast.Constant(value * 0.5))
        case ast.Constant(value=float(value)) if value == 0:
            yield ast.Constant(1.0)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            yield operand
        case ast.IfExp(test=test, body=body, orelse=other):
            yield ast.IfExp(ast.UnaryOp(ast.Not(), test), body, other)
        case ast.Call():
            yield from _of_call(node)


def _of_call(call: ast.Call) -> Iterator[ast.expr]:
    name, kept = _name(call.func), [k for k in call.keywords if k.arg != "ddof"]
    if len(kept) < len(call.keywords):
        yield ast.Call(call.func, call.args, kept)
    if name in NAMES:
        other = copy.deepcopy(call)
        if isinstance(other.func, ast.Attribute):
            other.func.attr = NAMES[name]
        else:
            other.func = ast.Name(NAMES[name])
        yield other
    first = call.args[0] if call.args else None
    plain = (
        isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and call.func.value.id == "np"
    )
    if plain and isinstance(first, ast.Name | ast.BinOp | ast.Attribute) and name not in CONVERSIONS:
        yield first


def _name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
