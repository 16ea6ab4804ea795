"""The plain install: every command works with numpy, scipy, typer and rich alone, and starts without them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

import truegain as tg
from tests.test_docs import ROOT, commands
from truegain.cli.commands import COMMANDS, build

EXTRAS = ("polars", "pandas", "pyarrow", "altair", "vl_convert", "crowdkit", "ir_datasets", "snowballstemmer")
FORBIDDEN = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
"""
RUN_ALL = """
import io, shlex
from contextlib import redirect_stdout
from truegain.cli.app import main
for line in {lines!r}:
    sys.argv = shlex.split(line, comments=True)
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    try:
        with redirect_stdout(out):
            main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    if code:
        print(line, "ended with", code)
"""


def without_extras(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python where none of the extras can be imported."""
    return subprocess.run([sys.executable, "-c", FORBIDDEN + code], cwd=folder, capture_output=True, text=True)


OTHERS = [
    "truegain judge check demo/llm.qrels demo/runs --gold demo/gold_sample.qrels --design random",
    "truegain correlate demo/llm.qrels demo/gold.qrels demo/runs -m P@10",
    "truegain agree demo/ratings.csv --expert demo/gold.qrels",
    "truegain aggregate demo/ratings.csv --aggregate mean -o gains.csv",
    "truegain plan topics demo/gold.qrels demo/runs -m P@10 --min-effect 0.05",
    "truegain eval demo/gold.qrels demo/runs -m P@10 --format json -o scores.json",
    "truegain experiment split-half demo/gold.qrels demo/runs",
    "truegain eval demo/gold.qrels demo/runs -m AP --intervals topics,collection",
    "truegain compare demo/gold.qrels demo/runs -m nDCG@10",
    "truegain verdict demo/ratings.csv demo/runs --aggregate mean --population topics,assessors --min-effect 0.02",
    "truegain unjudged demo/pooled.qrels demo/runs -m P@10 --show sample -o to_judge.csv",
    "truegain measures nDCG",
    "truegain doctor demo/gold.qrels demo/runs",
    "truegain init demo/llm.qrels demo/runs --gold demo/gold_topics.qrels -o study.toml",
    "truegain participants demo/gold.qrels demo/runs --teams demo/teams.csv -m P@10 -o pages",
    "truegain schema verdict",
    "truegain cite verdict",
]


@pytest.mark.slow
def test_every_command_runs_without_extras(tmp_path: Path) -> None:
    """Guards the plain install: no command of the README, and none of the verbs it leaves out, needs an extra."""
    readme = [line.replace("demo/runs/*.run", "demo/runs") for line in commands(ROOT / "README.md")]
    assert len(readme) > 5
    lines = [*readme, *OTHERS]
    assert {shlex.split(line)[1] for line in lines} >= set(COMMANDS) - {"text", "annotate"}
    done = without_extras(RUN_ALL.format(lines=lines), tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "", (done.stdout, done.stderr)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "code",
    [
        "tg.evaluate({'1': {'a': 1.0}}, {'1': {'a': 1}}, 'P@1').frame()",
        "tg.Runs.of({'1': {'a': 1.0}}).frame()",
        "tg.Judgments.of({'1': {'a': 1}}).frame()",
        "tg.write_judgments({'1': {'a': 1}}, 'q.parquet')",
        "open('q.parquet', 'wb').write(b'PAR1' + bytes(9)); tg.read_judgments('q.parquet')",
    ],
)
def test_what_needs_polars_says_what_to_install(code: str, tmp_path: Path) -> None:
    """Guards against a bare ModuleNotFoundError: frames and Parquet name the extra, and nothing is written."""
    said = "this needs polars; run: pip install 'truegain[frames]'"
    done = without_extras(f"import truegain as tg\ntry:\n    {code}\nexcept tg.TruegainError as e: print(e)", tmp_path)
    assert done.stdout.strip() == said, done.stderr


@pytest.mark.slow
def test_parquet_is_refused_before_the_work(tmp_path: Path) -> None:
    """Guards hours of work lost at their end: --format parquet without polars is told before anything is read."""
    line = "truegain eval no.qrels no.run --format parquet"
    done = without_extras(RUN_ALL.format(lines=[line]), tmp_path)
    assert "pip install 'truegain[frames]'" in done.stderr
    assert "ended with 2" in done.stdout


def test_help_names_the_commands_as_they_do_themselves() -> None:
    """Guards `truegain --help`, which imports no command: its lines are those of the commands' own help."""
    own = get_command(build()).commands  # type: ignore[attr-defined]
    listed = get_command(build("")).commands  # type: ignore[attr-defined]
    assert {verb: command.help for verb, command in listed.items()} == {
        v: " ".join(c.help.split("\n\n")[0].split()) for v, c in own.items()
    }
    assert list(listed) == list(COMMANDS)


def test_help_waits_for_nothing() -> None:
    """Guards the start: neither `import truegain` nor `truegain --help` loads numpy."""
    code = (
        "import sys; from truegain.cli.app import main; sys.argv = ['truegain', '--help']\n"
        "try: main()\nexcept SystemExit: pass\nprint('numpy' in sys.modules, 'scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False False"
    assert "eval" in done.stdout


@pytest.mark.slow
def test_eval_loads_what_it_needs(tmp_path: Path) -> None:
    """Guards the start of a small command: what plain scores do not need is not loaded, numpy's masked arrays too."""
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 2.5 x\n")
    code = (
        "import sys; from truegain.cli.app import main; early = 'typer' in sys.modules\n"
        "sys.argv = ['truegain', 'eval', 'q', 'r']; main()\n"
        "idle = {'numpy.ma', 'scipy', 'polars', 'rich', 'html', 'fsspec', 'concurrent'}\n"
        "idle |= {f'truegain.{part}' for part in ('study', 'sampling', 'judge_error', 'stats', 'io.logs')}\n"
        "print(early, *idle & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[1:] == ["r       1.0000   1.0000  0.1000  1.0000", "False"]


def test_dir_shows_the_public_names() -> None:
    """Guards completion: names that are loaded when asked for are listed before that."""
    assert set(dir(tg)) == set(tg.__all__)


def test_the_extra_all_has_all_for_users() -> None:
    """Guards `pip install 'truegain[all]'`: it names every extra but those of tests and documentation."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    inside = extras["all"][0].removeprefix("truegain[").removesuffix("]").split(",")
    assert sorted(inside) == sorted(set(extras) - {"all", "docs", "test"})


def test_what_is_to_be_installed_exists() -> None:
    """Guards messages that name an extra: each is one of pyproject's, and what the plain install has needs none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    texts = [path.read_text() for path in (ROOT / "src").rglob("*.py")]
    asked = [pair for text in texts for pair in re.findall(r'\bneeds\("([\w.]+)", "(\w+)"\)', text)]
    assert {extra for _, extra in asked} <= set(project["optional-dependencies"])
    base = {re.split(r"[>=<;\[ ]", name)[0] for name in project["dependencies"]}
    assert {library.split(".")[0] for library, _ in asked} & base == set()
    assert len(asked) > 5
