"""What a study file said, so that a refusal of it names the file and the line."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from truegain.errors import InputError, TruegainError
from truegain.message import OF_CONFIGS, TOLD

NAMES = (  # keys whose values refusals tell without naming the key: names, paths, and words of our own
    "judgments",
    "runs",
    "measure",
    "baseline",
    "candidate",
    "pair",
    "gold",
    "unjudged-sample",
    "truth",
    "system-models",
    "corpus",
    "judged-corpus",
    "drop-assessors",
    "names",
    "strip-prefix",
    "aggregate",
    "gold-aggregate",
    "normalize",
)


@dataclass(frozen=True)
class Key:
    """A key of the file: where it stands, what it was given, and where the keys of its table stand."""

    name: str
    line: int | None
    values: tuple[str, ...] = ()
    inner: Mapping[str, int] = field(default_factory=dict)

    def at(self, told: Collection[str]) -> int | None:
        """The line that a refusal is about: that of a key of the table, where it tells one."""
        return next((self.inner[name] for name in told if name in self.inner), self.line)

    def says(self, told: Collection[str]) -> bool:
        """Whether a value that a refusal tells stands here, or a part of it: a system of a pair, a key of the table."""
        parts = [*self.values, *self.inner, *(part.strip() for value in self.values for part in value.split(","))]
        return bool({*parts} & {*told})


@dataclass(frozen=True)
class FileWords:
    """A study file, and by option what it said."""

    file: str
    keys: Mapping[str, Key]
    tables: Collection[str] = ()  # of configs, that stand there

    def name(self, option: str) -> str:
        """The key for an option: as it stands there, or as it would in the table of its config, if this does.

        >>> import truegain.config
        >>> FileWords("s.toml", {}, {"gold"}).name("gold-relevant-from"), FileWords("s.toml", {}).name("design")
        ('gold.relevant_from', 'design')
        """
        table, field = field_of(option.replace("-", "_"))
        if option in self.keys or table not in self.tables:
            return self.keys[option].name if option in self.keys else option
        return f"{table}.{field}"

    def place(self, error: TruegainError) -> tuple[int | None, str] | None:
        """The line of the key that a refusal is about, and what is to be said before it; None: about none.

        By the arguments that it names, else by the values that it tells.

        >>> from truegain.errors import MeasureError
        >>> from truegain.message import argname
        >>> about = {"confidence": Key("confidence", 3, ("95",)), "measure": Key("measure", 4, ("nDGC@10",))}
        >>> said = FileWords("s.toml", about)
        >>> said.place(TruegainError(f"{argname('confidence', 95)} is not between 0 and 1"))
        (3, '')
        >>> said.place(MeasureError("there is no measure 'nDGC'")), said.place(TruegainError("few topics"))
        ((4, 'measure: '), None)
        """
        told = [str(part.value) for part in error.message.about if part.kind == TOLD]
        named = [self.keys[key] for part in error.message.named if (key := key_of(part.name)) in self.keys]
        if named:
            return named[0].at(told), ""
        if isinstance(error, InputError) and error.file is not None:
            told.append(error.file)
        own = self.keys.get(key_of(error.argument or ""))
        about = [] if own is None else [own]
        about += [key for option, key in self.keys.items() if option in NAMES and key.says(told)]
        return (about[0].at(told), f"{about[0].name}: ") if about else None


def field_of(option: str) -> tuple[str, str]:
    """The table of a study file that an option of a config may stand in, and its key there.

    >>> import truegain.config
    >>> field_of("gold_relevant_from"), field_of("measure")
    (('gold', 'relevant_from'), ('', 'measure'))
    """
    return next(((one.table, one.field) for one in OF_CONFIGS if one.name == option), ("", option))


def key_of(argument: str) -> str:
    """The key, and the option without its dashes, behind an argument."""
    return argument.replace("_", "-")
