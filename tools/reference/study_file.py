"""The page of study files, from the options of a study: each key with its table, type, default and meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from tools.reference.commands import all_pages, facts
from tools.reference.markdown import NOTE, plain
from truegain.config import StudyConfig
from truegain.io.study_text import ELSEWHERE
from truegain.settings import Setting, settings_of
from truegain.study.study_file import kinds_of_file, without_none

EXAMPLE = """
# Which system, compared with which?
judgments = "demo/llm.qrels"
runs = "demo/runs"
measure = ["P@10", "DCG@10"]
baseline = "system-5"
candidate = "system-8"

# What should the answer hold for?
population = "topics"
min_effect = 0.01
confidence = 0.95

[gold]
labels = "demo/gold_sample.qrels"
design = "random"

[scoring]
relevant_from = 1

[resampling]
seed = 7
"""
INTRODUCTION = """
# Study files

A study file, `study.toml`, holds the judgments, the runs and every option of a study. `truegain init` writes one,
and `truegain init --schema` prints its JSON Schema, for editors and checkers.
`verdict`, `gate`, `compare`, `report`, `settle` and other commands take it in place of judgments and runs, and
[`tg.read_study`](api/truegain.read_study.md) reads it in Python: the same study, to the last digit.

```toml
{example}
```

- Paths are relative to the study file. A list stands for options that can be repeated.
- Keys are the options of the command line without dashes: `min_effect` or `min-effect`. Keys of a table can also stand
  at the top under the name of their option: `design = "random"`, `gold-relevant-from = 2`.
- Options on the command line come before those of the file.
- A command that lacks some options of a study takes the others, and says which ones it ignores.
- A mistake is an error with the line of the file, a misspelt key included.
"""
# heading: what stands there, and its keys; others come from the tables of configs
TOP: dict[str, tuple[str, tuple[str, ...]]] = {
    "Files": (
        "What is compared.",
        ("judgments", "runs", "columns", "values", "missing", "name-by", "names", "strip-prefix"),
    ),
    "Question": (
        "Which systems, on which measures, and what the answer should hold for.",
        (
            "measure", "pair", "baseline", "candidate", "population", "min-effect", "not-worse-by", "confidence",
            "costs", "unjudged",
        ),
    ),
    "Models": ("Which language models gave labels or answers.", ("judge-model", "system-models", "trust-judge")),
    "Answers": ("For logs of evaluation tools, and nuggets.", ("score", "less-is-better", "cluster", "empty")),
    "Assessors": (
        "How a table of ratings is read; its scale and rule are in `[ratings]`.",
        ("assessors", "separator", "topic", "drop-assessors", "first"),
    ),
    "Output": (
        "Heeded by the commands that have such an option.",
        ("title", "output", "format", "corpus", "judged-corpus", "truth", "teams", "memory", "run-on"),
    ),
}  # fmt: skip
TABLES = {
    "gold": 'Trusted labels of some of the judged pairs. `gold = "people.csv"` at the top is `labels`.',
    "unjudged": "Labels of a sample of the unjudged documents. At the top, `unjudged` is a word, and `unjudged_sample` "
    "the file.",
    "ratings": "The judgments are ratings by several assessors, and how these become labels.",
    "scoring": "Which labels are relevant, which topics and documents count, how ties are broken.",
    "resampling": "How many resamples, from which seed, on how many cores.",
}
WORDS = {
    "judgments": ("Relevance judgments, ratings, preferences or a log: a file or a URL.", "required"),
    "runs": ("Runs: files, folders or globs.", "required, unless the judgments are preferences or a log"),
}


def page() -> str:
    """The page of study files."""
    parts = [NOTE, INTRODUCTION.strip().format(example=EXAMPLE.strip()) + "\n"]
    settings = {s.name.replace("_", "-"): s for s in settings_of(StudyConfig) if not s.table}
    for heading, (about, keys) in TOP.items():
        parts += [f"## {heading}\n", f"{about}\n"]
        parts += [_setting(settings[key]) if key in settings else _option(key) for key in keys]
    for name, about in TABLES.items():
        parts += [f"## [{name}]\n", f"{about}\n"]
        parts += [_setting(s) for s in settings_of(StudyConfig) if s.table == name]
    return "\n".join(parts)


def keys() -> set[str]:
    """Every key that the page tells, as an option."""
    return {key for _, of in TOP.values() for key in of} | {s.name.replace("_", "-") for s in settings_of(StudyConfig)}


def known_keys() -> set[str]:
    """Every key that a study file may have."""
    return {*kinds_of_file(), *ELSEWHERE}


def _setting(setting: Setting) -> str:
    """A key of a config."""
    about, told = facts(setting.help)
    default = told.get("default", "" if setting.default is None else _toml(setting.default))
    kind = Literal[setting.choices] if setting.choices else setting.kind
    name = f"{setting.table}.{setting.field}" if setting.table else setting.field
    option = setting.name.replace("_", "-")
    return _key(name, about, _kind(kind, setting), default, option)


def _option(key: str) -> str:
    """A key that is an option of commands, with its help there."""
    if key in WORDS:
        about, default = WORDS[key]
        return _key(key, about, _kind(kinds_of_file()[key]), default, "")
    row = next(_rows(key))
    about, told = facts(row[3])
    kind = _kind(kinds_of_file()[key]) if key in kinds_of_file() else _typed(row[2])
    default = told.get("default", "")
    quoted = f'`"{default}"`' if kind.startswith("one of") and f'"{default}"' in kind else default
    return _key(key.replace("-", "_"), about, kind, quoted, key)


def _rows(key: str) -> Iterator[list[str]]:
    """The rows of help that an option has, those of commands that answer a whole study first."""
    pages = all_pages()
    for command in ("verdict", "gate", "report", *pages):
        for rows in pages[command][2].values():
            yield from (row for row in rows if f"--{key}" in row[1].split())


def _key(name: str, about: str, kind: str, default: str, option: str) -> str:
    lines = [f"```{{confval}} {name}", f":type: {kind}"]
    lines += [f":default: {default}"] if default else []
    typed = f" On the command line: `--{option}`." if option else ""
    return "\n".join([*lines, "", f"{plain(about)}{typed}", "```\n"])


def _kind(kind: Any, setting: Setting | None = None) -> str:
    """A type in the words of TOML."""
    kind = without_none(kind)
    if get_origin(kind) in (Union, UnionType):
        kind = next(part for part in get_args(kind) if get_origin(part) is Literal or part is str)
    if get_origin(kind) is Literal:
        return f"one of {_listed(get_args(kind))}"
    if get_origin(kind) is list:
        return "text, or a list of texts"
    words = {str: "text", bool: "true or false", int: "whole number", float: "number"}[kind]
    if setting is not None and setting.least is not None:
        words += f", at least {setting.least:g}"
    if setting is not None and setting.between is not None:
        words += f", between {setting.between[0]:g} and {setting.between[1]:g}"
    return words


def _typed(kind: str) -> str:
    """A type as a page of help shows it."""
    inner = kind.strip("<>")
    words = {"str": "text", "float": "number", "int": "whole number", "path": "text"}
    return f"one of {_listed(inner.split('|'))}" if "|" in inner else words[inner]


def _listed(choices: Iterable[object]) -> str:
    return ", ".join(f'`"{choice}"`' for choice in choices)


def _toml(value: object) -> str:
    """A default as the file would say it."""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:g}`" if isinstance(value, int | float) else f'`"{value}"`'
