"""Pages and notebooks beside a peer that is not on every machine: what needs it is set apart, the rest is ours.

ir_measures computes most measures by pytrec_eval, which has no wheel for Linux on ARM; judgy, ppi_py, truescore and
PyTerrier need not be installed. Where one is absent, only the statements that need it are left out, so that our own
lines are run and compared on every machine.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from importlib.util import find_spec

NEEDS = {"ir_measures.calc": "pytrec_eval", "ir_measures.iter_calc": "pytrec_eval", "pt.Experiment": "pytrec_eval"}
IMPORTED = ("judgy", "ppi_py", "pyterrier", "pytrec_eval", "truescore")  # by pages, where they are installed
PEERS = {*NEEDS.values(), *IMPORTED}


def absent() -> set[str]:
    """The peers that are not installed."""
    return {peer for peer in PEERS if find_spec(peer) is None}


def imports(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """The packages that a statement imports, and the names that it binds to them.

    >>> imports(ast.parse("import pyterrier as pt").body[0])
    ({'pyterrier'}, {'pt'})
    """
    if isinstance(statement, ast.Import):
        packages = {alias.name.split(".")[0] for alias in statement.names}
    elif isinstance(statement, ast.ImportFrom):
        packages = {str(statement.module).split(".")[0]}
    else:
        return set(), set()
    return packages, {alias.asname or alias.name.split(".")[0] for alias in statement.names}


@dataclass
class Kept:
    """Pieces of code one after the other, without what needs a peer that is absent."""

    absent: set[str]
    lost: set[str] = field(default_factory=set)

    def split(self, code: str) -> tuple[str, str]:
        r"""The statements that can run, in their lines, and those that cannot: they need a peer, or what it made.

        >>> pieces = Kept({"pytrec_eval"})
        >>> pieces.split("asked = [P @ 10]\ntheirs = ir_measures.calc_aggregate(asked, qrels, run)")
        ('asked = [P @ 10]\n', 'theirs = ir_measures.calc_aggregate(asked, qrels, run)')
        >>> pieces.split("import pytrec_eval\npytrec_eval.RelevanceEvaluator(qrels, names)")
        ('\n', 'import pytrec_eval\npytrec_eval.RelevanceEvaluator(qrels, names)')
        >>> pieces.split("ours = tg.evaluate(run, qrels, asked)\nassert ours == theirs\nprint(ours)")
        ('ours = tg.evaluate(run, qrels, asked)\n\nprint(ours)', 'assert ours == theirs')
        """
        lines, left = code.split("\n"), []
        for statement in ast.parse(code).body:
            text = ast.unparse(statement)
            used = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
            bound = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            packages, names = imports(statement)
            bound |= names
            called = any(call in text and peer in self.absent for call, peer in NEEDS.items())
            if called or packages & self.absent or (used - bound) & self.lost:
                self.lost |= bound
                first, last = statement.lineno - 1, statement.end_lineno
                left += lines[first:last]
                lines[first:last] = [""] * len(lines[first:last])
            else:
                self.lost -= bound
        return "\n".join(lines), "\n".join(left)


def shows(code: str) -> bool:
    r"""Whether a piece of code shows something: it prints, or it ends with a value.

    >>> shows("x = 1"), shows("for y in x:\n    print(y)"), shows("x = 1\nx")
    (False, True, True)
    """
    body = ast.parse(code).body
    called = [n.func for statement in body for n in ast.walk(statement) if isinstance(n, ast.Call)]
    return any(isinstance(f, ast.Name) and f.id == "print" for f in called) or isinstance(
        body[-1] if body else None, ast.Expr
    )
