"""How one option of a config is declared: its help, what it may be, and how a wrong value is refused."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import wraps
from importlib import import_module
from numbers import Integral, Real
from pkgutil import resolve_name
from typing import Any, NamedTuple, TypeVar

from truegain.errors import KeywordError, TruegainError, meant
from truegain.message import argname

Config = TypeVar("Config")
LARGEST = 2**63 - 1  # that arrays of whole numbers hold
# By option the function of a catalogue that knows what it may be.  Catalogues stand on a floor above, and are loaded
# when they are first needed: to score a run takes none of them.
CHOICES = {  # the names, and what each means
    "design": "truegain.sampling.catalogue:design_meanings",
    "draw": "truegain.sampling.catalogue:ways_to_draw",
    "population": "truegain.sampling.catalogue:population_meanings",
}
RULE_OF = "truegain.aggregation.aggregate:rule_of"  # refuses what is no rule


def choices_of(option: str) -> Mapping[str, str]:
    """What an option may name, and what each name means.

    >>> choices_of("design")["random"]
    'drawn at random'
    """
    known = resolve_name(CHOICES[option])()
    return known if isinstance(known, Mapping) else dict.fromkeys(known, "")


class Setting(NamedTuple):
    """One option: what it is called in each place, what it may be, and what it is for.

    Attributes
    ----------
    name : str
        Its name in messages, and with hyphens on the command line: `gold_relevant_from`.
    field : str
        Its name as a field of its config, which is also its key in the table of a study file: `relevant_from`.
    kind : type
        What a study file or the command line gives for it.
    default : object
        Its value where none is given.
    text : str
        What it is for, in a sentence or two; {names} and {meanings} stand for what it may be.
    advanced : bool
        Whether few need it.
    short : str
        Its name of one letter on the command line, if it has one: `-l`.
    table : str
        The table of a study file that it stands in: `gold`; none where it stands at the top.
    least : float, optional
        The smallest number that it may be.
    between : (float, float), optional
        Two numbers that it must lie between, itself neither of them.
    choose : bool
        Whether it is one of the names in a catalogue.
    """

    name: str
    field: str
    kind: Any
    default: Any
    text: str
    advanced: bool = False
    short: str = ""
    table: str = ""
    least: float | None = None
    between: tuple[float, float] | None = None
    choose: bool = False

    @property
    def help(self) -> str:
        """What it is for, with what it may be."""
        if "{" not in self.text:
            return self.text
        known = choices_of(self.name)
        meanings = "; ".join(f"{choice}: {words}" for choice, words in known.items())
        return self.text.replace("{names}", ", ".join(known)).replace("{meanings}", meanings)

    @property
    def choices(self) -> tuple[str, ...]:
        """What it may be, where it is one of the names in a catalogue."""
        return tuple(choices_of(self.name)) if self.choose else ()


def setting(
    default: Any = MISSING,
    *,
    help: str = "",  # noqa: A002 (as everywhere in argparse, click and typer)
    name: str = "",
    kind: Any = None,
    advanced: bool = False,
    short: str = "",
    least: float | None = None,
    between: tuple[float, float] | None = None,
    choose: bool = False,
    config: type[Any] | None = None,
) -> Any:
    """Declare a field of a config.

    Parameters
    ----------
    default : object, optional
        Without one the field must be given.
    help : str
        What it is for; {names} and {meanings} stand for what `choices_of` has of it.
    name : str, optional
        The option's name, where it is not the field's.
    kind : type, optional
        What a study file or the command line gives for it, where Python takes more than that.
    advanced : bool
        Whether few need it.
    short : str, optional
        Its name of one letter on the command line.
    least : float, optional
        The smallest number that it may be.
    between : (float, float), optional
        Two numbers that it must lie between.
    choose : bool
        Whether it is one of the names that `choices_of` has.
    config : type, optional
        The config that stands there; with `help` the field is an option of its own as well.
    """
    declared = {"name": name, "help": help, "kind": kind, "advanced": advanced, "short": short}
    return field(
        default=default, metadata={**declared, "least": least, "between": between, "choose": choose, "config": config}
    )


def settings_of(config: type[Any]) -> Iterator[Setting]:
    """The options that a config declares, in order.

    Those of a config within it stand in its place, with the table of a study file that they are of.

    >>> from truegain.config import Resampling, StudyConfig
    >>> [option.name for option in settings_of(Resampling)]
    ['resamples', 'seed', 'jobs']
    >>> [(option.table, option.field) for option in settings_of(StudyConfig) if option.name == "gold_relevant_from"]
    [('gold', 'relevant_from')]
    """
    for declared in fields(config):
        inner: type[Any] | None = declared.metadata["config"]
        if declared.metadata["help"]:
            yield _setting_of(config, declared)
        if inner is not None:
            yield from (option._replace(table=declared.name) for option in settings_of(inner))


def setting_of(config: type[Any], field: str) -> Setting:
    """The option that a field of a config declares.

    >>> from truegain.config import Resampling
    >>> setting_of(Resampling, "seed").default
    0
    """
    return _setting_of(config, next(declared for declared in fields(config) if declared.name == field))


def _setting_of(config: type[Any], declared: Field[Any]) -> Setting:
    more = declared.metadata
    known = vars(import_module(config.__module__))
    return Setting(
        more["name"] or declared.name,
        declared.name,
        kind=more["kind"] or eval(str(declared.type), known),  # a name of the config's module, or a builtin
        default=None if declared.default is MISSING else declared.default,
        text=more["help"],
        **{key: more[key] for key in ("advanced", "short", "least", "between", "choose")},
    )


def is_config(kind: type[Any]) -> bool:
    """Whether a class is a config: a dataclass whose fields were declared by `setting`.

    >>> from truegain.config import Scoring
    >>> is_config(Scoring), is_config(int)
    (True, False)
    """
    return is_dataclass(kind) and all("advanced" in declared.metadata for declared in fields(kind))


def changed_fields(bundle: Any, leave_out: Collection[str] = ()) -> list[str]:
    """The fields of a dataclass that are not what they are by default.

    >>> from truegain.config import Scoring
    >>> changed_fields(Scoring(depth=5, all_topics=True), leave_out=["depth"])
    ['all_topics']
    """
    return [f.name for f in fields(bundle) if f.name not in leave_out and getattr(bundle, f.name) != f.default]


def check_count(name: str, value: object, least: int | None = None, *, own: bool = False) -> None:
    """Refuse what is no whole number, one below the least, and one that arrays cannot hold (a seed may be any).

    own: it is a keyword of the function called, not of a config.

    >>> check_count("jobs", -3, 1)
    Traceback (most recent call last):
    truegain.errors.TruegainError: jobs -3: give a whole number of at least 1
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or (least is not None and value < least):
        limit = "" if least is None else f" of at least {least}"
        raise TruegainError(f"{argname(name, value, own=own)}: give a whole number{limit}")
    if abs(int(value)) > LARGEST and name != "seed":
        raise TruegainError(f"{argname(name, value, '', own=own)}: give a whole number of at most {LARGEST:,}")


def check_number(name: str, value: object, *, own: bool = False) -> None:
    """Refuse what is no number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TruegainError(f"{argname(name, value, own=own)}: give a number")


def check_rule(rule: object) -> None:
    """Refuse now what could not be read later as a rule that aggregates ratings."""
    if rule is not None:
        resolve_name(RULE_OF)(rule)


def refusing_unknown(config: type[Config]) -> type[Config]:
    """A config whose refusals of unknown keywords, and of flags that are neither True nor False, name what it takes."""
    made = config.__init__
    declared = fields(config)  # type: ignore[arg-type]
    by_option = {one.metadata["name"]: one.name for one in declared if one.metadata["name"]}

    @wraps(made)
    def checking(self: Config, *values: Any, **options: Any) -> None:
        names = [one.name for one in declared]
        for unknown in (word for word in options if word not in names):
            close = by_option.get(unknown) or meant(unknown, names)
            raise KeywordError(
                f"{config.__name__} has no option {unknown}{f'; did you mean {close}?' if close else '.'} "
                f"It has {', '.join(names)}",
                argument=unknown, value=options[unknown], allowed=names,
            )  # fmt: skip
        made(self, *values, **options)
        for one in declared:
            value = getattr(self, one.name)
            if one.type == "bool" and not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
                of = "" if config.__name__ == "StudyConfig" else f"{config.__name__}."  # which users call Study
                raise TruegainError(f"{of}{one.name} {value!r}: give True or False")

    config.__init__ = checking  # type: ignore[assignment]
    return config
