"""What pages name is there: options, programs of the checkout, make targets, files, and parts of containers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.cli.test_help import NAMES, page
from tests.test_docs import PAGES, ROOT, name_of

SHOWN = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md", ROOT / "compose.yaml"]
EVERYWHERE = {"--help", "-h", "--version"}
THEIRS = {  # options of other programs, by the page that shows them
    "howto/annotate-serve.md": {"--build"},
    "howto/cluster.md": {
        "--no-nanny", "--nthreads", "--nworkers", "--protocol", "--tls-ca-file", "--tls-cert", "--tls-key",
    },
    "howto/coming-from/truescore.md": {
        "--cluster-column", "--gold-a", "--gold-b", "--judge", "--judge-a", "--judge-b", "--n-total", "--target",
    },
    "howto/gate.md": {
        "--body-file", "--create-if-none", "--data-urlencode", "--edit-last", "--fail", "--header", "--out", "--output",
        "--show-error", "--silent",
    },
    "howto/logs.md": {"--epochs"},
    "CONTRIBUTING.md": {"--hypothesis-profile", "--strict"},
    "compose.yaml": {"--build", "--dbname", "--username"},
}  # fmt: skip
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
PROGRAM = re.compile(r"-m ((?:benchmarks|tools)(?:\.[a-z]\w*)+)")
FOLDERS = ("src/", "tests/", "docs/", "benchmarks/", "tools/", ".github/")
INSIDE = (ROOT / "src", ROOT / "src" / "truegain")  # CONTRIBUTING.md and explanations name files from here


def lines(path: Path) -> Iterator[str]:
    """Code that a page shows: lines of its blocks, a command over several lines as one, and spans within lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".md":
        yield from (line.lstrip("# ") for line in text.splitlines())
        return
    blocks = re.findall(r"^ *(`{3,}|~{3,})[^\n]*\n(.*?)^ *\1", text, re.DOTALL | re.MULTILINE)
    for _, block in blocks:
        yield from re.sub(r" *\\\n *", " ", block).splitlines()
    rest = re.sub(r"^ *(`{3,}|~{3,}).*?^ *\1", "", text, flags=re.DOTALL | re.MULTILINE)
    yield from (" ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", rest))


def commands(line: str) -> Iterator[tuple[str, set[str]]]:
    """The commands of ours on a line, by the longest name that fits, each with the options it is given."""
    for found in re.finditer(r"(?<![\w./-])truegain ((?:[^|;&>#`]|&(?!&))*)", line):
        words = found[1].split()
        name = next((n for n in (" ".join(words[:2]), " ".join(words[:1])) if n in NAMES), None)
        if name:
            yield name, set(OPTION.findall(found[1]))


def options(name: str) -> set[str]:
    """The options on the help page of a command."""
    return {word for rows in page(name)[2].values() for row in rows for word in row[1].split() if word.startswith("-")}


def test_commands_have_the_options_they_are_shown_with() -> None:
    """Guards options that were renamed: each stands on the help page of the very command it is shown with."""
    seen, lost = 0, []
    for path in SHOWN:
        for line in lines(path):
            for name, given in commands(line):
                seen += len(given)
                lost += [f"{name_of(path)}: truegain {name} {o}" for o in given - options(name) - EVERYWHERE]
    assert seen > 500
    assert lost == []


def test_options_by_themselves_exist() -> None:
    """Guards options named in a sentence: some command has each, or a program of the checkout that the page names."""
    known = set().union(EVERYWHERE, *(options(name) for name in NAMES))
    made = (ROOT / "Makefile").read_text()
    lost = []
    for path in SHOWN:
        if name_of(path) == "reference/glossary.md":  # which lists names that went
            continue
        here = known | THEIRS.get(name_of(path), set())
        text = path.read_text(encoding="utf-8") + (made if "make bench" in path.read_text(encoding="utf-8") else "")
        read = "".join(sources(module) for module in set(PROGRAM.findall(text)))
        for line in lines(path):
            lost += [f"{name_of(path)}: {o}" for o in OPTION.findall(line) if o not in here and f'"{o}"' not in read]
    assert sorted(set(lost)) == []


def sources(module: str) -> str:
    """The source of a program of this checkout, with that of the modules that it takes its options from."""
    at = ROOT / Path(*module.split("."))
    text = "".join(f.read_text(encoding="utf-8") for f in (at.with_suffix(".py"), *at.glob("*.py")) if f.exists())
    named = {ROOT / Path(*name.split(".")) for name in re.findall(r"from (benchmarks\.\S+) import", text)}
    return text + "".join(at.with_suffix(".py").read_text() for at in named if at.with_suffix(".py").exists())


def test_programs_of_the_checkout_exist() -> None:
    """Guards `python -m benchmarks.x`: the module is there, and so are scripts that pages start."""
    lost = []
    for path in SHOWN:
        for line in lines(path):
            for module in PROGRAM.findall(line):
                at = ROOT / Path(*module.split("."))
                lost += [] if at.with_suffix(".py").exists() or (at / "__main__.py").exists() else [f"{path}: {module}"]
    assert lost == []


def targets() -> set[str]:
    """The targets of the Makefile."""
    found = re.findall(r"^([\w./$()-]+(?: [\w./$()-]+)*):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return {word for names in found for word in names.split()}


def test_make_targets_exist() -> None:
    """Guards `make x`: each is a target of the Makefile, and its variables are the Makefile's."""
    known, variables = targets(), set(re.findall(r"\$\((\w+)\)", (ROOT / "Makefile").read_text()))
    seen, lost = set(), []
    for path in SHOWN:
        for line in lines(path):
            for found in re.finditer(r"(?:^|&& |\$ |[A-Z]=\S+ )make ((?:[^#;&|()]|\([^)]*\))*)", line.strip()):
                for word in shlex.split(found[1]):
                    name, given, _ = word.partition("=")
                    ok = name in variables | {"CHECK"} if given else word in known or word.startswith("-")
                    seen |= {word}
                    lost += [] if ok else [f"{name_of(path)}: make {word}"]
    assert {"demo", "test", "site", "papers", "dist", "dist-check"} <= seen
    assert lost == []


def test_files_of_the_checkout_exist() -> None:
    """Guards names of files of this project in sentences; those of a user's project are in blocks."""
    lost = []
    for path in SHOWN:
        text = re.sub(r"^ *```.*?^ *```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for span in re.findall(r"(?<!`)`([^`\s]+)`(?!`)", text):
            name = span.rstrip(":").split(":")[0]
            if re.fullmatch(
                r"Containerfile|compose\.yaml|Makefile|(?:\.?\w[\w.-]*/)+(?:[\w.-]+\.(?:py|c|h|md|yml|sh))", name
            ):
                ours = name.startswith(FOLDERS) or "/" not in name
                found = (
                    (ROOT / name).exists()
                    or any((at / name).exists() for at in INSIDE)
                    or (path.parent / name).exists()
                )
                lost += [f"{name_of(path)}: {name}"] if not found and (ours or path.name == "CONTRIBUTING.md") else []
    assert lost == []


# ---------------------------------------------------------------------- containers


def test_the_image_is_made_of_what_is_here() -> None:
    """Guards the Containerfile: what it copies is there and not ignored, its extra and its Python are ours."""
    text = (ROOT / "Containerfile").read_text().replace("\\\n", " ")
    ignored = (ROOT / ".dockerignore").read_text().split()
    copied = [w for words in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE) for w in words.split()[:-1]]
    copied = [word for word in copied if not word.startswith("--")]
    assert {"src", "pyproject.toml", "tools/serve.sh"} <= set(copied)
    assert [name for name in copied if not (ROOT / name).exists() or name.split("/")[0] in ignored] == []
    extra = re.search(r"'\.\[(\w+)\]'", text)
    assert extra is not None
    assert f"\n{extra[1]} = [" in (ROOT / "pyproject.toml").read_text()
    minors = re.findall(r"^FROM python:3\.(\d+)-slim", text, re.MULTILINE)
    assert len(minors) == 2
    assert all(f':: 3.{minor}"' in (ROOT / "pyproject.toml").read_text() for minor in minors)


def test_the_served_command_has_its_options() -> None:
    """Guards tools/serve.sh and compose.yaml: what they hand to `annotate serve`, and names they share."""
    script = (ROOT / "tools" / "serve.sh").read_text()
    found = [one for line in script.splitlines() for one in commands(line.replace("${DATABASE:+", ""))]
    starts = dict(found)["annotate serve"]
    app = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["app"]
    given = starts | set(OPTION.findall(script)) | {word for word in app["command"] if word.startswith("-")}
    assert {"--host", "--port", "--database", "--workers"} <= given
    assert given <= options("annotate serve")
    assert (ROOT / app["build"]["dockerfile"]).exists()
    whole = yaml.safe_load((ROOT / "compose.yaml").read_text())
    assert set(app["secrets"]) <= set(whole["secrets"])
    assert set(app["depends_on"]) <= set(whole["services"])
    for name in app["environment"]:
        assert f"${{{name}" in script
