"""What a study file said, so that a refusal of it names the file and the line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

NAMES = (  # keys whose values are told in refusals as they are: names and paths
    "judgments", "runs", "measure", "baseline", "candidate", "pair", "gold", "hole-sample", "truth", "uses", "corpus",
    "judged-corpus", "drop-assessors", "names", "strip-prefix",
)  # fmt: skip
WORDS = ("rule", "gold-rule", "normalise", "spread")  # keys whose values are words that may mean something else


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

    def place(self, message: str, pattern: Callable[[str], str]) -> tuple[int | None, str] | None:
        """The line of the key that a refusal is about, and the refusal, which names the key; None: about none.

        By what it names, as `pattern` says of an option, else by the value that it tells.

        >>> about = {"confidence": Key("confidence", 3, ("95",)), "measure": Key("measure", 4, ("nDGC@10",))}
        >>> said = FileWords("s.toml", about)
        >>> said.place("confidence 95 is not between 0 and 1", argument_of)
        (3, 'confidence 95 is not between 0 and 1')
        >>> said.place("there is no measure 'nDGC'", argument_of), said.place("2 topics are few", argument_of)
        ((4, "measure: there is no measure 'nDGC'"), None)
        """
        named = [(m.start(), key) for option, key in self.keys.items() if (m := re.search(pattern(option), message))]
        if named:
            _, key = min(named, key=lambda found: found[0])
            return key.at(message), message
        about = re.split(r"; (?:did you mean|there are) ", message)[0]  # not what is there to choose from
        told = [(at, key) for option, key in self.keys.items() if (at := _told(option, key, about)) is not None]
        if not told:
            return None
        _, key = min(told, key=lambda found: found[0])
        return key.at(message), f"{key.name}: {message}"


def argument_of(option: str) -> str:
    """How a message of the library names the argument behind an option."""
    name = re.escape(option.replace("-", "_"))
    return rf"(?<![\w./'\"-])(?<!\w\(){name}=|^{name}(?=: | '| -?[\d.])"


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
