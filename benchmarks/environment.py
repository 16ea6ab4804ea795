"""An environment for the peers: `python -m benchmarks.environment [build/bench-venv]`; `make bench` calls it.

Each peer is installed by itself, so that one that cannot be had here stops no other; which are there, in what version,
and why others are missing stands in peers.json in the environment, and from there in the results.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PINNED = ("-c", "constraints.txt", "-c", "benchmarks/constraints.txt")
PEERS = {  # module: what to install, with what options
    "polars": ("polars", ()),
    "pytrec_eval": ("pytrec-eval-terrier", ("--no-build-isolation",)),
    "ir_measures": ("ir-measures", ("--no-deps",)),  # it would not come without pytrec_eval
    "ir_datasets": ("ir-datasets", ()),  # of ir_measures
    "pyndeval": ("pyndeval", ("--no-build-isolation",)),
    "ranx": ("ranx", ()),
    "krippendorff": ("krippendorff", ()),
    "statsmodels": ("statsmodels", ()),
    "pandas": ("pandas", ()),
    "judgy": ("judgy", ()),
    "ppi_py": ("ppi-python", ()),
}


def reason_of(said: str) -> str:
    r"""What pip said, in one line: the last error of what it ran, else its own first one; no path or address.

    >>> reason_of("x\n      ValueError: no\n      [end of output]\nerror: metadata-generation-failed")
    'ValueError: no'
    >>> reason_of("ERROR: No matching distribution found for nothing")
    'No matching distribution found for nothing'
    """
    raised = re.findall(r"^\s*((?:\w+\.)*\w*(?:Error|Exception)): (.+)$", said, re.MULTILINE)
    plain = re.findall(r"^\s*(?:ERROR|error): (.+)$", said, re.MULTILINE)
    line = f"{raised[-1][0]}: {raised[-1][1]}" if raised else plain[0] if plain else "pip failed"
    return re.sub(r"\S*(?:/\S+){2,}|https?:\S+", "...", line).strip()


def pip(python: Path, *words: str) -> str | None:
    """Install; None, or why it could not be done."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINNED, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return reason_of(done.stdout + done.stderr) if done.returncode else None


def created(folder: Path) -> Path:
    """Its interpreter; a machine may have python3 and pip but not ensurepip."""
    python = folder / "bin" / "python"
    if not python.exists():
        try:
            venv.create(folder, with_pip=True)
        except subprocess.CalledProcessError:
            venv.create(folder, with_pip=False, clear=True)
            subprocess.run([sys.executable, "-m", "pip", "--python", str(python), "install", "pip"], check=True)
    return python


def set_up(folder: Path, peers: Sequence[str]) -> dict[str, dict[str, str]]:
    """Install truegain as it stands here, then every peer; what is there and what is not."""
    python = created(folder)
    for words in (["setuptools>=77", "wheel"], ["--no-build-isolation", "-e", ".[frames,text,plots,judging]"]):
        if reason := pip(python, *words):
            sys.exit(f"truegain itself cannot be installed: {reason}")
    missing, versions = {}, {}
    for module in peers:
        package, options = PEERS[module]
        if reason := pip(python, *options, package):
            missing[module] = f"{package} cannot be installed: {reason}"
        elif reason := unusable(python, module):
            missing[module] = f"{package} cannot be imported: {reason}"
        else:
            asked = [str(python), "-c", f"from importlib.metadata import version; print(version({package!r}))"]
            versions[package] = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
        print(f"  {package}: {missing.get(module) or versions[package]}", flush=True)
    told = {"versions": versions, "missing": missing}
    (folder / "peers.json").write_text(json.dumps(told, indent=1) + "\n")
    return told


def unusable(python: Path, module: str) -> str | None:
    """Why a module that is installed cannot be imported."""
    with tempfile.TemporaryDirectory() as elsewhere:
        command = [str(python), "-c", f"import {module}"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=elsewhere)
    return reason_of(done.stderr) if done.returncode else None


def main() -> None:
    """Set it up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "bench-venv")
    parser.add_argument("--peer", action="append", choices=list(PEERS), help="only this one; may be given again")
    given = parser.parse_args()
    set_up(given.folder.absolute(), given.peer or list(PEERS))


if __name__ == "__main__":
    main()
