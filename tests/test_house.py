"""The house: which floor may import which, and what the public face shows."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import truegain as tg

SOURCE = Path(tg.__file__).parent
FLOORS = (
    ("cli",),
    ("report",),
    ("judging",),
    ("studies",),
    ("inference",),
    ("sampling", "gains", "measures"),
    ("text",),
    ("tables",),
    ("engine",),
    ("student",),
    ("errors", "_version"),
)
HEIGHT = {name: len(FLOORS) - i for i, floor in enumerate(FLOORS) for name in floor}
FACE = {
    "DataWarning",
    "InputError",
    "Intents",
    "Judge",
    "Judgments",
    "MeasureError",
    "Options",
    "Runs",
    "Scores",
    "Study",
    "TruegainError",
    "__version__",
    "compare",
    "correct",
    "correlate",
    "agree",
    "evaluate",
    "holes",
    "intervals",
    "parse_measure",
    "plan",
    "read_intents",
    "read_judgments",
    "read_ratings",
    "read_runs",
    "to_gains",
    "write_judgments",
    "write_runs",
}


def module_name(path: Path) -> str:
    """The dotted name of a file below the package, without the package itself."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> set[str]:
    """The modules of ours that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("truegain."):
            base = (node.module or "").removeprefix("truegain.")
            folder = SOURCE / base.replace(".", "/")
            found |= {f"{base}.{a.name}" if (folder / f"{a.name}.py").exists() else base for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "truegain":
            found |= {a.name for a in node.names}
    return found


FILES = sorted(p for p in SOURCE.rglob("*.py") if p.parent != SOURCE)


@pytest.mark.parametrize("path", FILES, ids=lambda p: module_name(p))
def test_imports_go_down_only(path: Path) -> None:
    """Guards the floors: a folder may import itself and what lies below it, never beside or above."""
    here = module_name(path).split(".")[0]
    for target in imports(path):
        there = target.split(".")[0]
        if there != here:
            assert HEIGHT[there] < HEIGHT[here], f"{path.name} imports {target}"


def test_there_are_no_cycles() -> None:
    """Guards against modules that need one another to be imported."""
    graph = {module_name(p): imports(p) for p in SOURCE.rglob("*.py") if p.name not in ("__main__.py",)}
    lazy_ok = {("tables.judgments", "tables.convert"), ("tables.runs", "tables.convert")}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name in done or name not in graph:
            return
        for target in graph[name]:
            if (name, target) not in lazy_ok:
                visit(target, (*trail, name))
        done.add(name)

    for name in graph:
        visit(name, ())


def test_the_public_face_is_what_we_promise() -> None:
    """Guards the names users rely on: none appears or goes by accident, all are documented."""
    assert set(tg.__all__) == FACE
    for name in FACE - {"__version__"}:
        assert getattr(tg, name).__doc__, name


def test_import_is_light() -> None:
    """Guards the first minute: importing truegain loads no table, plotting, web or cluster library."""
    heavy = ["polars", "pandas", "scipy", "rich", "typer", "altair", "fastapi", "dask", "numba", "statsmodels"]
    code = f"import sys, truegain; print([m for m in {heavy!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
