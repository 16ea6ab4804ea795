"""Test an installed wheel with the tests of a checkout or an unpacked sdist, from a folder that has no source.

    python tools/test_wheel.py FOLDER [TESTS...]

Installs what the small tests import beside truegain, copies tests and docs away from `src`, and runs pytest.  Other
tests need what the extra `test` has.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SMALL = ("tests/data/test_hashes.py", "tests/data/test_scan.py", "tests/data/test_split.py",
         "tests/sampling/test_deals.py", "tests/sampling/test_copies.py", "tests/text/test_words.py",
         "tests/measures/test_trec_eval.py")  # fmt: skip
NEEDED = ("pytest", "hypothesis")
TAKEN = ("tests", "docs", "benchmarks", "tools", "pyproject.toml", "README.md", "CHANGELOG.md", "CITATION.cff",
         "CONTRIBUTING.md", "Makefile")  # fmt: skip


def main() -> int:
    """Run the tests; pytest's exit code."""
    source, chosen = Path(sys.argv[1]).resolve(), sys.argv[2:] or SMALL
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    subprocess.run([*pip, "-c", str(source / "constraints.txt"), *NEEDED], check=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in TAKEN:
            if (source / name).is_dir():
                shutil.copytree(source / name, Path(folder, name))
            elif (source / name).exists():
                shutil.copy(source / name, folder)
        place = "import truegain; print(truegain.__version__, truegain.__file__)"
        found = subprocess.run([sys.executable, "-c", place], cwd=folder, check=True, capture_output=True, text=True)
        print(sys.version.split()[0], "truegain", found.stdout.strip(), flush=True)
        assert "site-packages" in found.stdout or "dist-packages" in found.stdout, "this is not an installed wheel"
        quick = ["-m", "not slow and not system", "-p", "no:cacheprovider"]
        return subprocess.run([sys.executable, "-m", "pytest", *quick, *chosen], cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
