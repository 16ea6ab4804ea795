"""What a study file said, so that a refusal of it names the file and the line, not options that nobody typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from truegain.cli.streams import in_words
from truegain.errors import InputError, TruegainError

_read: list[tuple[Any, FileWords]] = []  # by the command that runs, with its context
NAMES = (  # keys whose values are told in refusals as they are: names and paths
    "judgments", "runs", "measure", "baseline", "candidate", "pair", "gold", "hole-sample", "truth", "uses", "corpus",
    "judged-corpus", "drop-assessors", "names", "strip-prefix",
)  # fmt: skip
WORDS = ("rule", "gold-rule", "normalise", "spread")  # keys whose values are words that may mean something else


ASIDE = {"study", "output", "format", "title", "cache", "jobs"}  # what may be typed beside a file that says the rest
EXAMPLES = {"runs": "runs", "judgments": "gold.qrels"}


@dataclass(frozen=True)
class Key:
    """A key of the file: where it stands, what it was given, and where the keys of its table stand."""

    name: str
    line: int | None
    values: tuple[str, ...] = ()
    inner: Mapping[str, int] = field(default_factory=dict)

    def at(self, message: str) -> int | None:
        """The line that a refusal is about: that of a key of the table, where it names one."""
        found = {m.start(): line for key, line in self.inner.items() if (m := re.search(_whole(key), message))}
        return found[min(found)] if found else self.line


@dataclass(frozen=True)
class FileWords:
    """A study file, and by option what it said."""

    file: str
    keys: Mapping[str, Key]

    def placed(self, message: str) -> str | None:
        """A refusal with the place of the key that it is about, by the option it names, else by the value it tells.

        >>> about = {"confidence": Key("confidence", 3, ("95",)), "measure": Key("measure", 4, ("nDGC@10",))}
        >>> said = FileWords("s.toml", about)
        >>> said.placed("--confidence 95 is not between 0 and 1")
        's.toml:3: --confidence 95 is not between 0 and 1'
        >>> said.placed("there is no measure 'nDGC'"), said.placed("2 topics are few")
        ("s.toml:4: measure: there is no measure 'nDGC'", None)
        """
        named = [(m.start(), key) for option, key in self.keys.items() if (m := re.search(_option(option), message))]
        if named:
            _, key = min(named, key=lambda found: found[0])
            return self._at(key.at(message), message)
        told = [(at, key) for option, key in self.keys.items() if (at := _told(option, key, message)) is not None]
        if not told:
            return None
        _, key = min(told, key=lambda found: found[0])
        return self._at(key.at(message), f"{key.name}: {message}")

    def _at(self, line: int | None, message: str) -> str:
        return f"{self.file}{'' if line is None else f':{line}'}: {message}"


def remember(context: Any, said: FileWords) -> None:
    """Keep what a file said to the command that begins."""
    _read[:] = [(context, said)]


def forget() -> None:
    """Know of no file: another command begins."""
    _read.clear()


def placed(error: TruegainError) -> TruegainError:
    """A refusal of what a study file said, with its place there; any other as it is."""
    if not _read or (isinstance(error, InputError) and not (error.line is None and error.row is None)):
        return error
    context, said = _read[0]
    typed = {
        _name(p) for p in context.command.params
        if getattr(context.get_parameter_source(p.name), "name", "") == "COMMANDLINE"
    } - ({"judgments"} if context.meta.get("study") else set())  # fmt: skip
    known = {_name(p) for p in context.command.params if p.name != "help"} - typed
    message = in_words(str(error))
    found = FileWords(said.file, {o: key for o, key in said.keys.items() if o not in typed}).placed(message)
    if found is None and not typed - ASIDE and any(re.search(_option(option), message) for option in known):
        found = f"{said.file}: {message}"
    if found is None:
        return error
    either = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    return TruegainError(re.sub(rf"(?<![\w-])--({either})(?![\w-])", r"\1", found))


def told_of_lack(error: Any) -> str | None:
    """What to say of a study file that names no runs; None where it is no such mistake."""
    parameter = getattr(error, "param", None)
    if not _read or parameter is None or type(error).__name__ != "MissingParameter":
        return None
    name = str(parameter.name)
    return f'{_read[0][1].file}: no {name} are named (write a line such as {name} = "{EXAMPLES.get(name, "file")}")'


def _name(parameter: Any) -> str:
    return str(max(parameter.opts, key=len).lstrip("-"))


def _option(option: str) -> str:
    return rf"(?<![\w-])--{re.escape(option)}(?![\w-])"


def _whole(text: str) -> str:
    return rf"(?<![\w./@-]){re.escape(text)}(?![\w/@-]|\.\w)"


def _told(option: str, key: Key, message: str) -> int | None:
    """Where a message tells a value of a key, or of a measure its name; None where it does not."""
    if option in NAMES:
        parts = [*key.values, *key.inner]
        if option == "measure":
            parts += [re.split(r"[@(]", value)[0] for value in key.values]
        if option == "pair":
            parts += [name.strip() for value in key.values for name in value.split(",")]
        patterns = [_whole(part) for part in parts if part]
    elif option in WORDS:
        patterns = [f"'{re.escape(value)}'" for value in key.values]
    else:
        return None
    return min((m.start() for p in patterns if (m := re.search(p, message))), default=None)
