"""A refusal of what a study file said names the file and the line, not options that nobody typed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truegain.cli.streams import in_words
from truegain.errors import InputError, TruegainError

if TYPE_CHECKING:
    from truegain.tables.study_words import FileWords

_read: list[tuple[Any, FileWords]] = []  # by the command that runs, with its context
ASIDE = {"study", "output", "format", "title", "cache", "jobs", "cluster"}  # may be typed beside a file with the rest
EXAMPLES = {"runs": "runs", "judgments": "gold.qrels"}


def remember(context: Any, said: FileWords) -> None:
    """Keep what a file said to the command that begins."""
    _read[:] = [(context, said)]


def forget() -> None:
    """Know of no file: another command begins."""
    _read.clear()


def is_typed(context: Any, name: str) -> bool:
    """Whether an option was given on the command line."""
    return getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"


def for_whom(generalise_to: str | None, topics: str) -> tuple[str | None, str]:
    """What a study shall hold for, and topics: whichever was typed comes before what a file says of topics."""
    if not _read or generalise_to is None or topics != "fixed":
        return generalise_to, topics
    typed = [is_typed(_read[0][0], name) for name in ("generalise_to", "topics")]
    names = [name.strip() for name in generalise_to.split(",")]
    if typed == [False, True]:
        return ",".join(name for name in names if name != "topics") or None, topics
    return generalise_to, "sampled" if typed == [True, False] and "topics" in names else topics


def placed(error: TruegainError) -> TruegainError:
    """A refusal of what a study file said, with its place there; any other as it is."""
    if not _read or (isinstance(error, InputError) and not (error.line is None and error.row is None)):
        return error
    context, said = _read[0]
    aside = {"judgments"} if context.meta.get("study") else set()
    typed = {_name(p) for p in context.command.params if is_typed(context, p.name)} - aside
    known = {_name(p) for p in context.command.params if p.name != "help"} - typed
    message = in_words(str(error))
    found = _placed(replace(said, keys={o: key for o, key in said.keys.items() if o not in typed}), message)
    if found is None and not typed - ASIDE and any(re.search(pattern_of(option), message) for option in known):
        found = f"{said.file}: {message}"
    if found is None:
        return error
    either = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    return TruegainError(re.sub(rf"(?<![\w-])--({either})(?![\w-])", r"\1", found))


def _placed(said: FileWords, message: str) -> str | None:
    """A refusal with the place of the key that it is about; None where it is about none.

    >>> from truegain.tables.study_words import FileWords, Key
    >>> _placed(FileWords("s.toml", {"confidence": Key("confidence", 3, ("95",))}), "--confidence 95 is too much")
    's.toml:3: --confidence 95 is too much'
    """
    found = said.place(message, pattern_of)
    return None if found is None else f"{said.file}{'' if found[0] is None else f':{found[0]}'}: {found[1]}"


def pattern_of(option: str) -> str:
    """How a message of the command line names an option."""
    return rf"(?<![\w-])--{re.escape(option)}(?![\w-])"


def told_of_lack(error: Any) -> str | None:
    """What to say of a study file that names no runs; None where it is no such mistake."""
    parameter = getattr(error, "param", None)
    if not _read or parameter is None or type(error).__name__ != "MissingParameter":
        return None
    name = str(parameter.name)
    return f'{_read[0][1].file}: no {name} are named (write a line such as {name} = "{EXAMPLES.get(name, "file")}")'


def _name(parameter: Any) -> str:
    return str(max(parameter.opts, key=len).lstrip("-"))
