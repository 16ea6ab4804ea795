"""A refusal of what a study file said names the file and the line, not options that nobody typed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from truegain.cli.naming import option_names
from truegain.cli.streams import tell
from truegain.errors import InputError, TruegainError, meant
from truegain.tables.study_words import key_of

if TYPE_CHECKING:
    from truegain.tables.study_words import FileWords

_read: list[tuple[Any, FileWords, Collection[str]]] = []  # a context, what a file said to it, and may say
_notes: list[Note] = []  # about what the file says
_unused: list[str] = []  # what the file says and the command cannot heed
ASIDE = {"study", "output", "format", "title", "cache", "jobs", "cluster"}  # may be typed beside a file with the rest
ENDING = ".toml"  # of the name of a study file
EXAMPLES = {"runs": "runs", "judgments": "gold.qrels", "gold": "gold.qrels", "measure": "P@10"}


@dataclass(frozen=True)
class Note:
    """What is to be told of a study that a command takes in part.

    of: the parameter whose typing makes it idle; only: a parameter and its value, without which it is told otherwise.
    """

    text: str
    of: str = ""
    only: tuple[str, str] | None = None
    otherwise: str = ""


def remember(
    context: Any, said: FileWords, may: Collection[str], notes: Sequence[Note] = (), unused: Collection[str] = ()
) -> None:
    """Keep what a file said to the command that begins, which options it may say, and what is to be told of it."""
    _read[:] = [(context, said, may)]
    _notes[:] = notes
    _unused[:] = unused


def tell_notes(given: Mapping[str, Any]) -> None:
    """Tell what a command makes of a study that it takes in part, unless the command line says it otherwise."""
    for note in _notes:
        if not note.of or not is_typed(_read[0][0], note.of):
            name, value = note.only or ("", None)
            if said := note.text if given.get(name) == value else note.otherwise:
                tell(said, "note")
    _notes.clear()


def is_unused(option: str) -> bool:
    """Whether the study file names something that the command does not heed."""
    return option in _unused


def is_of_file(name: str) -> bool:
    """Whether the study file gave an option its value."""
    return bool(_read) and getattr(_read[0][0].get_parameter_source(name), "name", "") == "DEFAULT_MAP"


def within_gold(measures: Sequence[str], beyond: Mapping[str, str]) -> list[str]:
    """The measures of a study file without those that gold labels cannot set right, of which it is told why."""
    left, lost = [m for m in measures if m not in beyond], [m for m in measures if m in beyond]
    if lost:
        why: dict[str, list[str]] = {}
        for name in lost:
            why.setdefault(beyond[name].partition(";")[0].removeprefix(f"{name} is "), []).append(name)
        said = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in why.items())
        are = "is" if len(lost) == 1 else "are"
        tell(f"{place_of('measure')}: {len(lost)} of {len(measures)} measures {are} left out: {said}", "note")
    return left


def place_of(option: str) -> str:
    """Where the study file says an option: the file and the line."""
    said = _read[0][1]
    line = said.keys[option].line if option in said.keys else None
    return said.file if line is None else f"{said.file}:{line}"


def forget() -> None:
    """Know of no file: another command begins."""
    _read.clear()
    _notes.clear()
    _unused.clear()


def is_typed(context: Any, name: str) -> bool:
    """Whether an option was given on the command line."""
    return getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"


def placed(error: TruegainError) -> TruegainError:
    """A refusal of what a study file said, with its place there; what to say instead is told as a line of the file."""
    if not _read:
        return error
    context, said, may = _read[0]
    aside = {"judgments"} if context.meta.get("study") else set()
    typed = {_name(p) for p in context.command.params if is_typed(context, p.name)} - aside
    known = {_name(p) for p in context.command.params if _name(p) in may} - typed
    options = option_names(context.command.params)
    keys = {name: said.name(option[2:]) if option[2:] in known else option for name, option in options.items()}
    message = error.message.lines(keys)
    if isinstance(error, InputError) and not (error.line is None and error.row is None):  # it has a place of its own
        return error if message == error.message.words(options) else error.at(None, None, message)
    found = replace(said, keys={o: key for o, key in said.keys.items() if o not in typed}).place(error)
    if found is None and not typed - ASIDE and any(key_of(part.name) in known for part in error.message.named):
        found = None, ""
    return error if found is None else error.at(said.file, found[0], f"{found[1]}{message}")


def lack_of(name: str) -> TruegainError:
    """What to say where neither the command line nor a study file names something that is needed."""
    if not _read:
        return TruegainError(f"no {name} are named; give them after the judgments, or study.toml that names both")
    are = "is" if name in ("gold", "measure") else "are"
    return InputError(f"no {name} {are} named", file=_read[0][1].file,
                      hint=f'write a line such as {name} = "{EXAMPLES[name]}"')  # fmt: skip


def check_there(path: str | None) -> None:
    """Refuse a file that is not there, with the names beside it that are like its own."""
    from pathlib import Path

    if path is None or path == "-" or ":" in path or Path(path).exists():
        return
    here = Path(path).parent
    others = [p.name for p in here.iterdir() if p.is_file()] if here.is_dir() else []
    like = meant(Path(path).name, others)
    hint = f"did you mean {here / like}?" if like else "check the path"
    raise InputError("no such file", file=path, hint=hint)


def told_of_lack(error: Any) -> str | None:
    """What to say of a study file that does not name what is needed; None where it is no such mistake."""
    name = getattr(getattr(error, "param", None), "name", None)
    is_lack = bool(_read) and type(error).__name__ == "MissingParameter" and name in EXAMPLES
    return str(lack_of(str(name))) if is_lack else None


def _name(parameter: Any) -> str:
    return str(max(parameter.opts, key=len).lstrip("-"))
