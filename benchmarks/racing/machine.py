"""What a run was made on: enough to compare, nothing that names the machine."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from benchmarks.racing.turns import ROOT

PACKAGES = (
    "numpy", "scipy", "polars", "pytrec-eval-terrier", "ir-measures", "pyndeval", "ranx", "numba",
    "krippendorff", "statsmodels", "pandas", "judgy", "ppi-python",
)  # fmt: skip


def machine() -> dict[str, object]:
    """System, processor, cores, memory, load at this moment, and Python."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "load": [round(x, 2) for x in os.getloadavg()],
        "python": platform.python_version(),
    }


def _processor() -> str:
    """Its model, where the system tells; on ARM the numbers of maker and part."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    told = dict(line.replace("\t", "").split(":", 1) for line in lines if ":" in line)
    if "model name" in told:
        return told["model name"].strip()
    return f"implementer{told.get('CPU implementer', ' ?')}, part{told.get('CPU part', ' ?')}"


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Of all peers that are there."""
    found = {}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def commit(root: Path = ROOT) -> dict[str, object]:
    """What was measured: the commit, and whether files of src/ differ from it."""
    told = git("rev-parse", "HEAD", root=root).strip()
    return {"commit": told, "changed": bool(git("status", "--porcelain", "--", "src", root=root).strip())}


def git(*words: str, root: Path = ROOT) -> str:
    """What git prints."""
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout


def today() -> str:
    """Date and time, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M %z")


def about(repeat: int) -> dict[str, object]:
    """All of it, told when a run begins."""
    from truegain import __version__

    told = {"date": today(), **commit(), "version": __version__, "machine": machine()}
    return {**told, "versions": versions(), "repeat": repeat}
