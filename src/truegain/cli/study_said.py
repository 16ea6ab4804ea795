"""A refusal of what a study file said names the file and the line, not options that nobody typed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truegain.cli.streams import in_words, tell
from truegain.errors import InputError, TruegainError

if TYPE_CHECKING:
    from truegain.tables.study_words import FileWords

_read: list[tuple[Any, FileWords, Collection[str]]] = []  # a context, what a file said to it, and may say
_notes: list[tuple[str, str]] = []  # about what the file says, each with the parameter whose typing makes it idle
ASIDE = {"study", "output", "format", "title", "cache", "jobs", "cluster"}  # may be typed beside a file with the rest
ENDING = ".toml"  # of the name of a study file
EXAMPLES = {"runs": "runs", "judgments": "gold.qrels", "gold": "gold.qrels", "measure": "P@10"}


def remember(context: Any, said: FileWords, may: Collection[str], notes: Sequence[tuple[str, str]] = ()) -> None:
    """Keep what a file said to the command that begins, which options it may say, and what is to be told of it."""
    _read[:] = [(context, said, may)]
    _notes[:] = notes


def tell_notes() -> None:
    """Tell what a command makes of a study that it takes in part, unless the command line says it otherwise."""
    for name, note in _notes:
        if not name or not is_typed(_read[0][0], name):
            tell(note, "note")
    _notes.clear()


def is_of_file(name: str) -> bool:
    """Whether the study file gave an option its value."""
    return bool(_read) and getattr(_read[0][0].get_parameter_source(name), "name", "") == "DEFAULT_MAP"


def forget() -> None:
    """Know of no file: another command begins."""
    _read.clear()
    _notes.clear()


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
    context, said, may = _read[0]
    aside = {"judgments"} if context.meta.get("study") else set()
    typed = {_name(p) for p in context.command.params if is_typed(context, p.name)} - aside
    known = {_name(p) for p in context.command.params if _name(p) in may} - typed
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


LIKE = 0.8  # of 1, how like a name is that may be meant


def lack_of(name: str) -> TruegainError:
    """What to say where neither the command line nor a study file names something that is needed."""
    if not _read:
        return TruegainError(f"no {name} are named; give them after the judgments, or study.toml that names both")
    are = "is" if name in ("gold", "measure") else "are"
    return InputError(f"no {name} {are} named", file=_read[0][1].file,
                      hint=f'write a line such as {name} = "{EXAMPLES[name]}"')  # fmt: skip


def check_there(path: str | None) -> None:
    """Refuse a file that is not there, with the names beside it that are like its own."""
    from difflib import get_close_matches  # here, as only mistakes need it
    from pathlib import Path

    if path is None or path == "-" or ":" in path or Path(path).exists():
        return
    here = Path(path).parent
    others = [p.name for p in here.iterdir() if p.is_file()] if here.is_dir() else []
    like = [str(here / name) for name in get_close_matches(Path(path).name, others, 1, LIKE)]
    hint = f"did you mean {like[0]}?" if like else "check the path"
    raise InputError("no such file", file=path, hint=hint)


def told_of_lack(error: Any) -> str | None:
    """What to say of a study file that does not name what is needed; None where it is no such mistake."""
    name = getattr(getattr(error, "param", None), "name", None)
    is_lack = bool(_read) and type(error).__name__ == "MissingParameter" and name in EXAMPLES
    return str(lack_of(str(name))) if is_lack else None


def _name(parameter: Any) -> str:
    return str(max(parameter.opts, key=len).lstrip("-"))
