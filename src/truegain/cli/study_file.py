"""Study files on the command line: what the command line says itself comes first."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer

from truegain.cli.study_said import is_typed, remember
from truegain.errors import InputError
from truegain.tables.sources import shown_path
from truegain.tables.study_text import StudyText
from truegain.tables.study_words import FileWords, Key

ENDING = ".toml"
NOT_THERE = ("study", "help", "cache")


def read_study(context: typer.Context, path: str | None) -> str | None:
    """Take what a study file says for everything that the command line does not say."""
    if path is None or context.resilient_parsing:
        return path
    known = {max(p.opts, key=len).lstrip("-"): p for p in context.command.params if p.name not in NOT_THERE}
    text = StudyText.of(path)
    found: dict[str, Any] = {}
    keys: dict[str, Key] = {}
    for option, key, value, line in text.options(known, str(context.info_name)):
        parameter = known[option]
        told = text.told(option, key, line, getattr(parameter, "multiple", False) or parameter.nargs == -1)
        text.check_kind(key, getattr(parameter.type, "name", "").removesuffix(" range"), line)
        _check(context, parameter, told, f"{key} is {value!r}", text.file, line)
        found[str(parameter.name)] = told
        keys[option] = text.key(option, key, line, told)
    context.default_map = found
    remember(context, FileWords(text.file, keys))
    return path


def study_or_judgments(context: typer.Context, value: str | None) -> str | None:
    """Judgments, or those that a study file names, which then says all that the command line does not."""
    if value is None or not value.lower().endswith(ENDING) or context.resilient_parsing:
        return value
    read_study(context, value)
    context.meta["study"] = value
    said = (context.default_map or {}).get("judgments")
    if said is None:
        hint = 'write a line such as judgments = "gold.qrels"'
        raise InputError("no judgments are named", file=shown_path(value), hint=hint)
    return str(said)


def claims_said(
    context: typer.Context, pair: str | None, baseline: list[str] | None, candidate: str | None
) -> tuple[str | None, list[str] | None, str | None]:
    """The claims that are asked about: a pair typed comes before baselines of the file, and these before its pair."""
    typed = {name for name in ("pair", "baseline", "candidate") if is_typed(context, name)}
    if "pair" in typed and not typed & {"baseline", "candidate"}:
        return pair, None, None
    if typed & {"baseline", "candidate"} and "pair" not in typed:
        return None, baseline, candidate
    return pair, baseline, candidate


def _check(context: typer.Context, parameter: Any, told: Any, problem: str, file: str, line: int | None) -> None:
    """Have the option itself read the value, so that the file and the line are told where it cannot."""
    try:
        parameter.type_cast_value(context, told)
    except Exception as error:  # click's, which typer carries under a name of its own
        if not hasattr(error, "format_message"):
            raise
        hint = re.sub(r"^Invalid value for [^:]*: ", "", error.format_message().rstrip("."))
        raise InputError(problem, file=file, line=line, hint=hint) from None


StudyFile = Annotated[
    str | None,
    typer.Option(
        "--study",
        is_eager=True,
        callback=read_study,
        help="A file study.toml of judgments, runs and options by their names; the command line comes first.",
    ),
]
JudgmentsOrStudy = Annotated[
    str,
    typer.Argument(
        help="Judgments, one file; or a file study.toml that names them, the runs and the options.",
        metavar="JUDGMENTS",
        is_eager=True,
        callback=study_or_judgments,
    ),
]
