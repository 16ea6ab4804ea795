"""What the files of the package import, define and say: each is parsed once for all tests that ask, and let go."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import truegain

SOURCE = Path(truegain.__file__).parent


class Said(NamedTuple):
    """A text, or a text with values put in: its pieces, None for a value."""

    line: int
    pieces: tuple[str | None, ...]
    is_joined: bool  # with values put in
    is_statement: bool  # alone on its lines, as a docstring
    is_piece: bool  # of a text with values put in
    is_inside: bool  # anywhere in such a text, in what computes a value as well
    given_to: str  # the function that is called with it, by place
    place: int  # among what is given to it

    @property
    def text(self) -> str:
        """As it is read, with {} for values."""
        return "".join("{}" if piece is None else piece for piece in self.pieces)


class Facts(NamedTuple):
    """What tests ask of a file."""

    imports: tuple[ast.Import | ast.ImportFrom, ...]
    by_name: tuple[str, ...]  # modules of ours that are loaded by a text
    type_imports: tuple[ast.Import | ast.ImportFrom, ...]  # those among them below an `if` of the module itself
    classes: tuple[str, ...]
    functions: tuple[tuple[str, int], ...]  # with the count of their parameters
    said: tuple[Said, ...]


@cache
def package_facts() -> dict[Path, Facts]:
    """Every file of the package; trees are not kept, they are half a gigabyte."""
    was_on = gc.isenabled()
    gc.disable()  # trees have no cycles, and looking for some takes longer than parsing
    try:
        return {path: facts_of(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}
    finally:
        if was_on:
            gc.enable()


def facts_of(text: str) -> Facts:
    r"""What a file of this text imports, defines and says.

    >>> facts = facts_of('def f(a, *, b=1):\n    "Say it."\n    return say(f"{a} is {b}", "so")')
    >>> facts.functions
    (('f', 2),)
    >>> [(said.text, said.is_statement, said.given_to, said.place) for said in facts.said if not said.is_piece]
    [('Say it.', True, '', -1), ('{} is {}', False, 'say', 0), ('so', False, 'say', 1)]
    """
    tree = ast.parse(text)
    imports: list[ast.Import | ast.ImportFrom] = []
    classes: list[str] = []
    functions: list[tuple[str, int]] = []
    by_name: list[str] = []
    said: list[tuple[int, int, Said]] = []
    for node, above, place, is_inside in _walk(tree):
        match node:
            case ast.Constant(value=str()) | ast.JoinedStr():
                said.append((node.lineno, node.col_offset, _said(node, above, place, is_inside)))
            case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if _called(func) == "import_module":
                by_name += [name] if name.startswith("truegain.") else []
            case ast.Import() | ast.ImportFrom():
                imports.append(node)
            case ast.ClassDef(name=name):
                classes.append(name)
            case ast.FunctionDef(name=name, args=args):
                functions.append((name, len(args.posonlyargs + args.args + args.kwonlyargs)))
    for_types = {id(n) for node in tree.body if isinstance(node, ast.If) for n in ast.walk(node)}
    return Facts(
        tuple(imports),
        tuple(by_name),
        tuple(node for node in imports if id(node) in for_types),
        tuple(classes),
        tuple(functions),
        tuple(one for *_, one in sorted(said, key=lambda found: found[:2])),
    )


def _called(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _walk(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.AST, int, bool]]:
    """Every node but names, with what it is in, its place in a list there, and whether a text with values holds it."""
    waiting: list[tuple[ast.AST, ast.AST, int, bool]] = [(tree, tree, -1, False)]
    while waiting:
        found = waiting.pop()
        yield found
        node = found[0]
        is_inside = found[3] or type(node) is ast.JoinedStr
        for value in node.__dict__.values():
            if isinstance(value, list):
                waiting += [
                    (v, node, i, is_inside) for i, v in enumerate(value) if isinstance(v, ast.AST) and v._fields
                ]
            elif isinstance(value, ast.AST) and value._fields and type(value) is not ast.Name:
                waiting.append((value, node, -1, is_inside))


def _said(node: ast.Constant | ast.JoinedStr, above: ast.AST, place: int, is_inside: bool) -> Said:
    values = node.values if isinstance(node, ast.JoinedStr) else [node]
    pieces = tuple(str(v.value) if isinstance(v, ast.Constant) else None for v in values)
    by_place = isinstance(above, ast.Call) and place >= 0
    return Said(
        node.lineno,
        pieces,
        isinstance(node, ast.JoinedStr),
        isinstance(above, ast.Expr),
        isinstance(above, ast.JoinedStr),
        is_inside,
        getattr(above.func, "id", "") if by_place and isinstance(above, ast.Call) else "",
        place if by_place else -1,
    )
