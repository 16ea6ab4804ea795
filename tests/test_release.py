"""A release: one version and date everywhere, lower bounds in their file, and what workflows name is there."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version

import yaml
from tools.lowest import FILE, HEAD, lowest

from tests.test_docs import ROOT
from truegain._version import __date__, __version__
from truegain.report.references import PAPERS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FIVE = ("goldberg2018", "hui2017", "cormack2006", "sakai2017", "maddalena2017")


def test_one_version_and_date() -> None:
    """Guards releases: the code, the changelog's top, CITATION.cff, what is installed and --version say the same."""
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    top = re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert top is not None
    assert [(top[1], top[2]), (cff["version"], cff["date-released"])] == [(__version__, __date__)] * 2
    assert version("truegain") == __version__
    said = subprocess.run([sys.executable, "-m", "truegain", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"truegain {__version__}\n"


def test_the_changelog_has_one_fact_a_line() -> None:
    """Guards the changelog: versions with dates, newest first, and every entry on one line."""
    text = (ROOT / "CHANGELOG.md").read_text()
    dates = re.findall(r"^## \d+\.\d+\.\d+ \((\d{4}-\d\d-\d\d)\)$", text, re.MULTILINE)
    assert dates == sorted(dates, reverse=True)
    assert len(dates) == len(re.findall(r"^## ", text, re.MULTILINE)) >= 2
    assert [line for line in text.splitlines() if line.startswith(" ")] == []
    assert [line for line in text.splitlines() if line.startswith("- ") and not line.endswith(".")] == []


def test_citation_names_the_five_papers() -> None:
    """Guards CITATION.cff: its references are those of `truegain cite`, with the same year, authors and DOI."""
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cff["cff-version"] == "1.2.0"
    assert cff["license"] == PROJECT["project"]["license"]
    found = {one["title"]: one for one in cff["references"]}
    assert set(found) == {PAPERS[key].title for key in FIVE}
    for key in FIVE:
        paper, one = PAPERS[key], found[PAPERS[key].title]
        assert (one["year"], one.get("doi", "")) == (paper.year, paper.doi)
        names = re.findall(r"(?:[A-Z]\. )+([A-Z]\w+)", paper.authors)
        assert [author["family-names"] for author in one["authors"]] == names


def test_lowest_versions_are_up_to_date() -> None:
    """Guards constraints-lowest.txt: it says what pyproject.toml says, and every dependency has a lower bound."""
    assert FILE.read_text() == HEAD + lowest(PROJECT["project"])


def test_pythons_are_the_same_everywhere() -> None:
    """Guards the matrix: classifiers and workflows name the same versions of Python."""
    prefix = "Programming Language :: Python :: 3."
    named = [c.removeprefix(prefix) for c in PROJECT["project"]["classifiers"] if c.startswith(prefix)]
    assert PROJECT["project"]["requires-python"] == f">=3.{named[0]}"
    for name, job in (("ci", "tests"), ("release", "installed")):
        jobs = yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text())["jobs"]
        assert jobs[job]["strategy"]["matrix"]["python"] == [f"3.{minor}" for minor in named]


def test_workflows_may_do_little() -> None:
    """Guards rights: each workflow may read only; a job that may write says so itself, and uses no stored secret."""
    assert len(WORKFLOWS) == 3
    for path in WORKFLOWS:
        whole = yaml.safe_load(path.read_text())
        assert whole["permissions"] == {"contents": "read"}, path
        assert "secrets." not in path.read_text()
        for name, job in whole["jobs"].items():
            writes = {right for right, may in job.get("permissions", {}).items() if may == "write"}
            assert writes == ({"id-token", "attestations"} if name == "publish" else set()), (path, name)
            for step in job["steps"]:
                assert re.fullmatch(r"[\w./-]+@(v\d+|release/v\d+|v\d+\.\d+\.\d+)", step.get("uses", "a/b@v1")), step
                if step.get("uses", "").startswith("actions/checkout"):
                    assert step["with"]["persist-credentials"] is False, (path, name)


NODE_24 = {  # the first major version of each action that runs on Node 24; GitHub ended Node 20 in 2026
    "actions/checkout": 5, "actions/setup-python": 6, "actions/upload-artifact": 6, "actions/download-artifact": 7,
    "actions/attest": 3,
}  # fmt: skip
NO_NODE = {"pypa/gh-action-pypi-publish": "release/v1", "pypa/cibuildwheel": "v4"}  # a container, a script


def used(text: str) -> list[tuple[str, str]]:
    """The actions that a workflow uses, and the version of each."""
    return [(name, version) for name, version in re.findall(r"uses: (\S+)@(\S+)", text)]


def test_actions_run_on_the_node_there_is() -> None:
    """Guards workflows against versions that GitHub no longer runs: ours, and those that a how-to has people copy."""
    page = (ROOT / "docs" / "howto" / "gate.md").read_text(encoding="utf-8")
    found = [pair for path in WORKFLOWS for pair in used(path.read_text())]
    assert len(found) > 20
    old = [
        (name, at) for name, at in found + used(page) if name in NODE_24 and int(at[1:].split(".")[0]) < NODE_24[name]
    ]
    assert old == []
    assert {name for name, _ in found + used(page)} == {*NODE_24, *NO_NODE}
    assert [(name, at) for name, at in found if not at.startswith(NO_NODE.get(name, "v"))] == []
    assert set(used(page)) <= set(found)


def test_windows_reads_utf_8() -> None:
    """Guards Windows, where Python would read files in the encoding of the system: each workflow that runs there."""
    there = [path for path in WORKFLOWS if "windows-latest" in path.read_text()]
    assert {path.stem for path in there} == {"ci", "release"}
    assert [yaml.safe_load(path.read_text())["env"].get("PYTHONUTF8") for path in there] == ["1"] * 2


def test_the_hosted_site_is_built_as_here() -> None:
    """Guards Read the Docs: pinned versions, the Python of docs.yml, docs/conf.py, warnings as errors."""
    told = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text())
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "docs.yml").read_text())["jobs"]["build"]["steps"]
    python = next(step["with"]["python-version"] for step in steps if "setup-python" in step.get("uses", ""))
    assert told["build"]["tools"]["python"] == python
    (line,) = told["build"]["jobs"]["install"]
    assert line == "python -m pip install -c constraints.txt '.[test]'"
    assert told["sphinx"] == {"configuration": "docs/conf.py", "fail_on_warning": True}
    pinned = {
        row.partition("==")[0].lower().replace("_", "-") for row in (ROOT / "constraints.txt").read_text().split()
    }
    needed = [re.split(r"[<>=;\[]", one)[0].lower() for one in PROJECT["project"]["optional-dependencies"]["docs"]]
    assert [name for name in needed if name not in pinned] == []


def test_what_workflows_run_is_there() -> None:
    """Guards targets and files that workflows name; `site` comes with the documentation."""
    targets = set(re.findall(r"^([a-z-]+(?: [a-z-]+)*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    known = {word for names in targets for word in names.split()}
    for path in WORKFLOWS:
        for words in re.findall(r"\bmake ([a-z -]+)$", path.read_text(), re.MULTILINE):
            assert set(words.split()) - {"site"} <= known, (path, words)
        for script in re.findall(r"\btools/\w+\.py", path.read_text()):
            assert (ROOT / script).exists()
