"""docs/howto/coming-from: what the pages say that other tools printed is what they printed."""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageNotFoundError, version
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

import pytest

from tests.conftest import expected_values
from tests.test_docs import commands, write_files
from truegain.cli.app import main

PAGES = Path(__file__).parent.parent / "docs" / "howto" / "coming-from"
TOOLS = {
    "trec_eval": "",
    "pytrec_eval": "pytrec-eval-terrier",
    "ir_measures": "ir-measures",
    "ranx": "ranx",
    "pyterrier": "pyterrier",
    "judgy": "judgy",
    "ppi_py": "ppi-python",
    "inspect_ai": "inspect-ai",
    "truescore": "truescore",
}


def page_of(tool: str) -> str:
    """The page of a tool."""
    return (PAGES / f"{tool}.md").read_text()


@pytest.mark.parametrize("tool", TOOLS)
def test_every_page_has_the_same_parts(tool: str) -> None:
    """Guards the pages: the same task with both, then what changes, what truegain adds and what it lacks."""
    text = page_of(tool)
    heads = re.findall(r"^## (.*)$", text, re.MULTILINE)
    wanted = ["What changes", "What truegain adds", "What it lacks"]
    assert [head for head in heads if head in wanted] == wanted
    assert len(heads) >= 4
    assert tool in (PAGES / "index.md").read_text()


@pytest.mark.parametrize("tool", [tool for tool, package in TOOLS.items() if package])
def test_the_version_on_the_page_is_the_one_that_runs(tool: str) -> None:
    """Guards versions: where the tool is installed, it is the one whose output the page shows."""
    try:
        installed = version(TOOLS[tool])
    except PackageNotFoundError:
        pytest.skip(f"{TOOLS[tool]} is not installed")
    named = re.search(r"^[\w `()-]+? (\d+(?:\.\d+)+)\b", page_of(tool), re.MULTILINE)
    assert named is not None
    assert (installed + ".").startswith(named[1] + ".")


def test_what_trec_eval_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards the page of trec_eval: its files and values (10.0) are stored ones, and ours are the same lines."""
    text = page_of("trec_eval")
    stored = expected_values("trec_eval")["cases"][1]
    monkeypatch.chdir(tmp_path)
    write_files(PAGES / "trec_eval.md", tmp_path)
    rows = [line.split() for line in (tmp_path / "bm25.run").read_text().splitlines()]
    for topic in ("3", "8"):
        assert [[d, int(r), float(s)] for t, _, d, r, s, _ in rows if t == topic] == stored["run"][topic]
    labels = [line.split() for line in (tmp_path / "labels.qrels").read_text().splitlines()]
    for topic in ("3", "8"):
        assert {d: int(x) for t, _, d, x in labels if t == topic} == stored["qrels"][topic]
    printed = re.findall(r"^    (\w+) +(\d) +([\d.]+)$", text, re.MULTILINE)
    assert len(printed) == 8
    for name, topic, value in printed:
        assert value == f"{stored['expected']['trec_eval-10.0|default'][topic][name]:.4f}"
    command = next(line for line in commands(PAGES / "trec_eval.md") if line.endswith("--format trec"))
    monkeypatch.setattr("sys.argv", command.split())
    main()
    assert [tuple(line.split()) for line in capsys.readouterr().out.splitlines()] == printed


def test_what_inspect_ai_printed(tmp_path: Path) -> None:
    """Guards the page of inspect_ai: its table, and the interval of two separate errors, follow from the two logs."""
    text = page_of("inspect_ai")
    write_files(PAGES / "inspect_ai.md", tmp_path)
    means, errors = {}, {}
    for name in ("prod", "new"):
        log = json.loads((tmp_path / f"{name}.json").read_text())
        values = [1.0 if s["scores"]["match"]["value"] == "C" else 0.0 for s in log["samples"] if s["scores"]]
        means[name], errors[name] = fmean(values), stdev(values) / sqrt(len(values))
        told = log["results"]["scores"][0]["metrics"]
        assert told["accuracy"]["value"] == pytest.approx(means[name], abs=1e-12)
        assert told["stderr"]["value"] == pytest.approx(errors[name], abs=1e-12)
        of = len(values) if len(values) == 24 else f"{len(values)} of 24"
        assert f"| {name} | {means[name]:.3f} | {errors[name]:.3f} | {of} |" in text
    gain, half = means["new"] - means["prod"], 1.96 * sqrt(sum(e * e for e in errors.values()))
    flat = " ".join(text.split())
    assert f"{gain:.4f} with a 95% interval from {gain - half:.3f} to {gain + half:.3f}" in flat
