"""A page for every command and subcommand, from the declarations that its help is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools.reference.markdown import NOTE, plain, table, title_of, toctree
from truegain.cli.commands import every_page
from truegain.cli.help import Page
from truegain.cli.schema import commands_with_json

# heading: the commands below it, in the order of the page of all commands
GROUPS = {
    "Decide": ("verdict", "gate", "settle", "compare"),
    "Score": ("eval", "correct", "correlate", "measures"),
    "Labels and judges": ("plan", "judge", "unjudged", "agree", "aggregate", "annotate"),
    "Reports": ("report", "participants", "cite"),
    "Files and settings": ("doctor", "init", "schema", "demo"),
    "Research": ("experiment", "text"),
}
# command: pages that tell more of it, those that are there; a subcommand without any has those of its group
MORE = {
    "verdict": ("howto/verdict", "explanation/uncertainty", "howto/unjudged", "howto/preferences", "howto/nuggets"),
    "gate": ("howto/gate", "howto/verdict", "howto/pipelines"),
    "settle": ("howto/settle", "evidence/settle"),
    "compare": ("explanation/tests", "howto/verdict", "howto/tables"),
    "eval": ("howto/tables", "howto/coming-from/index", "howto/peers", "evidence/speed"),
    "correct": ("explanation/correction", "explanation/designs", "howto/check-judge"),
    "correlate": ("explanation/tests", "howto/tables"),
    "measures": ("howto/coming-from/index", "howto/peers"),
    "plan": ("howto/plan", "howto/labels"),
    "plan labels": ("howto/labels", "explanation/designs", "howto/settle"),
    "plan fill": ("howto/labels",),
    "plan topics": ("howto/plan", "explanation/tests"),
    "plan assessors": ("howto/plan", "howto/assessors"),
    "plan preferences": ("howto/preferences", "explanation/preferences"),
    "judge": ("howto/check-judge", "howto/judge-run"),
    "judge check": ("howto/check-judge", "explanation/correction"),
    "judge run": ("howto/judge-run", "howto/check-judge"),
    "unjudged": ("howto/unjudged", "explanation/unjudged", "evidence/unjudged"),
    "agree": ("howto/assessors", "explanation/assessors", "evidence/assessors"),
    "aggregate": ("howto/assessors", "explanation/assessors"),
    "annotate": ("howto/annotate", "howto/teams"),
    "report": ("howto/report", "howto/answers", "howto/logs"),
    "participants": ("howto/teams", "howto/report"),
    "doctor": ("howto/logs", "start/first-verdict"),
    "init": ("start/first-verdict", "howto/verdict"),
    "schema": ("reference/json",),
    "demo": ("start/first-verdict", "start/index"),
    "experiment": ("explanation/collections", "evidence/papers/index", "explanation/errata"),
    "experiment judge": ("explanation/correction", "evidence/real-labels"),
    "experiment magnitudes": ("tutorials/magnitude", "explanation/assessors"),
    "experiment unanimity": ("explanation/assessors", "howto/assessors"),
    "experiment unanimity-grid": ("explanation/assessors", "howto/assessors"),
    "experiment split-half": ("explanation/collections", "evidence/coverage"),
    "experiment discriminative": ("explanation/tests",),
    "experiment incomplete": ("explanation/unjudged", "evidence/unjudged"),
    "experiment disjoint": ("explanation/unjudged", "evidence/unjudged"),
    "experiment spending": ("howto/labels", "evidence/real-labels"),
    "text": ("explanation/unjudged", "reference/formats"),
}
ALWAYS = {"2": "Bad input or a wrong option. The message names the place and says what to do.", "130": "Interrupted."}
USUAL = {"0": "Done."}
VERDICT = "A verdict was reached, whatever its outcome; `truegain gate` has codes by outcome."
KINDS = {"int": "whole number", "float": "number", "str": "text", "path": "path"}
LIMITS = re.compile(r" \[((?:default: |required|[-\d.]+<|x[<>]).*)\]$")


@cache
def all_pages() -> dict[str, Page]:
    """The help pages by command; reading all commands takes a second."""
    return dict(every_page())


def pages(docs: Path) -> dict[str, str]:
    """The pages of commands, by their names below the reference."""
    known = {name: page for name, page in all_pages().items() if name}
    made = {f"commands/{file_of(name)}": page_of(name, known, docs) for name in known}
    return {"commands/index.md": index(known), **made}


def file_of(command: str) -> str:
    """The name of a command's page: plan-labels.md."""
    return f"{command.replace(' ', '-')}.md"


def index(known: dict[str, Page]) -> str:
    """The page of all commands."""
    parts = [
        NOTE,
        "# Commands\n",
        "Each command answers `--help`. `-` reads standard input or writes standard output. A [study file]"
        "(../study-file.md) can take the place of judgments, runs and options. [Exit codes and JSON](../json.md) are "
        "the same everywhere.\n",
    ]
    for heading, names in GROUPS.items():
        listed = [name for first in names for name in known if name == first or name.startswith(f"{first} ")]
        rows = [(f"[`truegain {name}`]({file_of(name)})", plain(lead(known[name])[0])) for name in listed]
        parts += [f"## {heading}\n", table(["command", "what it does"], rows)]
    tops = [name for names in GROUPS.values() for name in names]
    parts.append(toctree(file_of(name).removesuffix(".md") for name in tops))
    return "\n".join(parts)


def lead(page: Page) -> tuple[str, str, dict[str, str]]:
    """What a command is for, in a sentence; the rest of it; and its exit codes where it says them.

    >>> lead(("", "Check it. In one pass. Exit code 0: fine. 2: it has faults. That is all.", {}))
    ('Check it.', 'In one pass. That is all.', {'0': 'Fine.', '2': 'It has faults.'})
    """
    about = page[1]
    codes: dict[str, str] = {}
    if found := re.search(r"Exit code ((?:\d: [^.]*\.\s?)+)", about):
        codes = {n: f"{words[0].upper()}{words[1:]}." for n, words in re.findall(r"(\d): ([^.]*)\.", found[1])}
        about = about.replace(found[0], "").strip()
    first = re.match(r"(.*?\.)(?: (?=[A-Z`])|$)", about)
    return (first[1], about[first.end() :], codes) if first else (about, "", codes)


def page_of(name: str, known: dict[str, Page], docs: Path) -> str:
    """The page of a command."""
    usage, _, panels = known[name]
    first, rest, codes = lead(known[name])
    parts = [NOTE, f"# truegain {name}\n", f"{plain(first)}\n", "```text", _synopsis(usage, panels), "```\n"]
    parts += [f"{plain(rest)}\n"] if rest else []
    below = [other for other in known if other.startswith(f"{name} ")]
    if below:
        rows = [(f"[`{other}`]({file_of(other)})", plain(lead(known[other])[0])) for other in below]
        parts += ["## Commands\n", table(["command", "what it does"], rows)]
        parts.append(toctree(file_of(other).removesuffix(".md") for other in below))
    parts += _options(name, panels)
    if examples := [row[1] for row in panels.get("Examples", ())]:
        parts += ["## Examples\n", "```console", *(f"$ {line}" for line in examples), "```\n"]
    if not below:
        parts += _exit_codes({"0": VERDICT} if name == "verdict" else codes)
        parts += _json(name)
    if more := list(_see_also(name, docs)):
        parts += ["## See also\n", *more, ""]
    return "\n".join(parts)


def _synopsis(usage: str, panels: dict[str, list[list[str]]]) -> str:
    """How it is called; a study file stands for judgments and runs where the command reads one."""
    line = re.sub(r"[{}]", "", usage)
    if any("--study" in row[1] for rows in panels.values() for row in rows):
        words = line.split(" [OPTIONS]")[0]
        line += f"\n{words} [OPTIONS] STUDY.toml"
    return line


def _options(name: str, panels: dict[str, list[list[str]]]) -> Iterator[str]:
    """Arguments, then options by panel, those that few need at the end."""
    yield f"```{{program}} truegain {name}\n```\n"
    panels = {title: rows for title, rows in panels.items() if title not in ("Examples", "Commands")}
    for title in sorted(panels, key=lambda title: (title != "Arguments", title == "Options", title == "Advanced")):
        rows = [row for row in panels[title] if not row[1].startswith("--help")]
        if rows:
            yield f"## {title}\n"
            for row in rows:
                yield option(row)


def option(row: list[str]) -> str:
    """An option or an argument, with its type and default below what it is for."""
    needed, names, kind, about = row
    listed = [n for n in names.split() if n] if names.startswith("-") else [names.strip("[]")]
    listed.sort(key=lambda n: (n.startswith("--"), n))
    about, found = facts(about)
    shown, words = _kind(kind, found.pop("range", ""))
    value = f" <{shown}>" if shown and names.startswith("-") else ""
    told = [] if words == "text" else [words] if words else ["flag"] if names.startswith("-") else []
    told += ["required"] if needed else []
    told += ["repeatable"] if found.pop("repeatable", "") else []
    told += [f"default: {_default(found['default'])}"] if found.get("default") else []
    last = f"\n\n{'; '.join(told)[:1].upper()}{'; '.join(told)[1:]}." if told else ""
    return f"```{{option}} {', '.join(listed)}{value}\n{plain(about)}{last}\n```\n"


def facts(about: str) -> tuple[str, dict[str, str]]:
    """A help text without its default, limits and whether it is repeatable; and these.

    >>> facts("Seed. [default: 0; x>=0]"), facts("Runs, any. Repeatable (default: all of them).")
    (('Seed.', {'default': '0', 'range': 'x>=0'}), ('Runs, any.', {'default': 'all of them', 'repeatable': 'yes'}))
    """
    facts: dict[str, str] = {}
    if found := LIMITS.search(about):
        about = about[: found.start()]
        for part in found[1].split("; "):
            if part.startswith("default: "):
                facts["default"] = part.removeprefix("default: ")
            elif part != "required":
                facts["range"] = part
    if found := re.search(r" \(default: ((?:[^()]|\([^()]*\))*)\)", about):
        facts.setdefault("default", found[1])
        about = about.replace(found[0], "")
    if " Repeatable" in about:
        about, facts["repeatable"] = re.sub(r" Repeatable\.?", "", about), "yes"
    about = about.strip()
    return (about if about.endswith((".", "?", ")")) else f"{about}."), facts


def _kind(kind: str, limits: str) -> tuple[str, str]:
    """The value that stands behind an option, and its type in words."""
    inner = kind.strip("<>[]").removesuffix("...")
    if not inner:
        return "", ""
    if "|" in inner:
        return "choice", f"one of {', '.join(f'`{x}`' for x in inner.split('|'))}"
    words = KINDS.get(inner, inner)
    return words.replace("whole number", "number"), f"{words}{_limits(limits)}"


def _limits(text: str) -> str:
    """Limits of a number in words.

    >>> _limits("x>=0"), _limits("0<x<1"), _limits("1<=x<=64")
    (', at least 0', ', between 0 and 1', ', 1 to 64')
    """
    if found := re.fullmatch(r"x>=(.*)", text):
        return f", at least {found[1]}"
    if found := re.fullmatch(r"x>(.*)", text):
        return f", above {found[1]}"
    if found := re.fullmatch(r"(.*?)<=x<=(.*)", text):
        return f", {found[1]} to {found[2]}"
    if found := re.fullmatch(r"(.*?)<x<(.*)", text):
        return f", between {found[1]} and {found[2]}"
    return f", {text}" if text else ""


def _default(text: str) -> str:
    """A default: a value as code, words as words."""
    return plain(text) if " " in text and not text.startswith("-") else f"`{text}`"


def _exit_codes(codes: dict[str, str]) -> Iterator[str]:
    yield "## Exit codes\n"
    all_codes = {**USUAL, **ALWAYS, **codes}
    yield table(["code", "meaning"], [(code, plain(all_codes[code])) for code in sorted(all_codes, key=int)])


def _json(name: str) -> Iterator[str]:
    """Where the schema of its JSON is."""
    if name in commands_with_json():
        file = f"{name.replace(' ', '-')}.json"
        yield "## JSON\n"
        yield (
            f"`--format json` prints one document, described by [{file}](../schemas/{file}); `truegain schema {name}` "
            "prints that schema. [JSON output](../json.md) says what is the same in all commands.\n"
        )


def _see_also(name: str, docs: Path) -> Iterator[str]:
    """Pages that tell more, the group that it is of, and commands beside it."""
    for page in MORE.get(name, MORE.get(name.split(" ")[0], ())):
        path = docs / f"{page}.md"
        if path.exists():
            yield f"- [{title_of(path.read_text(encoding='utf-8'))}](../../{page}.md)"
    group = name.rpartition(" ")[0]
    beside = [group] if group else []
    beside += [x for names in GROUPS.values() if name in names for x in names if x != name]
    if beside:
        yield f"- {', '.join(f'[`truegain {x}`]({file_of(x)})' for x in beside)}"
