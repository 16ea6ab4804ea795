"""What the parser of the command line refuses, in the shape of all other errors: what is wrong, and what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from truegain.cli.streams import message_of_trec
from truegain.cli.study_files import message_of_not_named
from truegain.errors import TruegainError, meant
from truegain.message import option

NUMBERS = {"int": "whole number", "integer": "whole number", "float": "number"}
_QUOTED = re.compile(r"'([^']*)'")
_NO_NUMBER = re.compile(r"(?P<value>.*) is not a valid (?P<kind>int|integer|float)(?: range)?", re.DOTALL)


def in_our_words(error: Any) -> TruegainError | None:
    """An error of the parser as one of ours; None where it is the help page of a command without a word behind it."""
    kind = type(error).__name__
    if kind == "NoArgsIsHelpError":
        return None
    if own := message_of_trec(error) or message_of_not_named(error):
        return TruegainError(own)
    command = getattr(getattr(error, "ctx", None), "command_path", "truegain")
    if kind == "NoSuchOption":
        return _no_such_option(str(error.option_name), _options(error.ctx), command)
    if kind == "MissingParameter":
        return _missing(error.param, command)
    if kind == "BadParameter":
        return _not_valid(error.param, str(error.message).rstrip("."))
    return _misused(str(error.format_message()).rstrip("."), getattr(error, "ctx", None), command)


def _no_such_option(name: str, options: Sequence[str], command: str) -> TruegainError:
    """The refusal of an option that the command lacks, with those that were meant.

    >>> print(_no_such_option("--tis", ["--ties", "--seed"], "truegain verdict"))
    --tis: `truegain verdict` has no such option; did you mean --ties?
    >>> print(_no_such_option("--n", ["--ties", "--seed"], "truegain verdict"))
    --n: `truegain verdict` has no such option; see `truegain verdict -h` for its options
    """
    longer = [other for other in options if other.startswith(name) and name.startswith("--") and len(name) > 4]
    near = meant(name, options)
    if close := (longer if 0 < len(longer) < 4 else [near] if near else []):
        return TruegainError(f"{option(name)}: `{command}` has no such option; did you mean {' or '.join(close)}?")
    return TruegainError(f"{option(name)}: `{command}` has no such option; see `{command} -h` for its options")


def _missing(parameter: Any, command: str) -> TruegainError:
    """The refusal of a command without something that it needs."""
    name = _name(parameter)
    if parameter.param_type_name == "argument":
        return TruegainError(f"{name} is missing; give this argument: `{command} -h` says what it is")
    return TruegainError(f"{option(name)} is missing; give this option: `{command} -h` says what it is")


def _not_valid(parameter: Any, message: str) -> TruegainError:
    """The refusal of a value of an option or an argument."""
    name, kind = _name(parameter), getattr(parameter, "type", None)
    choices = [str(choice) for choice in getattr(kind, "choices", ())]
    value = re.match(r"(.*) is not one of ", message, re.DOTALL)
    if choices and value:
        remedy = f"one of {', '.join(choices)}"
        if near := meant(value[1].strip("'\""), choices):
            return TruegainError(f"{name}: {value[1]} is not {remedy}; did you mean {near}?", allowed=choices)
        return TruegainError(f"{name}: {value[1]} is not {remedy}", allowed=choices, remedy=remedy)
    if number := _NO_NUMBER.fullmatch(message):
        what = NUMBERS[number["kind"]]
        return TruegainError(f"{name}: {number['value']} is not a {what}; give a {what} in digits")
    if (low_high := _limits(kind)) and (value := re.match(r"(\S+) is not in the range ", message)):
        return TruegainError(f"{name} {value[1]}: give a number {low_high}")
    return TruegainError(f"{name}: {message}")


def _limits(kind: Any) -> str:
    """Which numbers an option takes, in words.

    >>> from types import SimpleNamespace as Kind
    >>> _limits(Kind(min=1, max=None, min_open=False)), _limits(Kind(min=0, max=1, min_open=True))
    ('of at least 1', 'between 0 and 1')
    """
    low, high = getattr(kind, "min", None), getattr(kind, "max", None)
    if low is None:
        return "" if high is None else f"of at most {high:g}"
    if high is None:
        return f"above {low:g}" if kind.min_open else f"of at least {low:g}"
    return f"between {low:g} and {high:g}" if kind.min_open else f"from {low:g} to {high:g}"


def _misused(message: str, context: Any, command: str) -> TruegainError:
    """The refusal of words that no option or argument takes."""
    quoted = _QUOTED.search(message)
    name = quoted[1] if quoted else ""
    if message.startswith("No such command"):
        names = context.command.list_commands(context) if context is not None else []
        if near := meant(name, names):
            return TruegainError(f"{name}: `{command}` has no such command; did you mean {near}?")
        return TruegainError(f"{name}: `{command}` has no such command; see `{command} -h` for its commands")
    if message.startswith("Option") and "requires" in message:
        return TruegainError(f"{option(name)} has no value; write a value behind the option")
    if message.startswith("Option") and "does not take a value" in message:
        return TruegainError(f"{option(name)} takes no value; leave the value out")
    if more := re.fullmatch(r"Got unexpected extra arguments? ?\(?s?\)? ?\((.*)\)", message, re.DOTALL):
        return TruegainError(
            f"{more[1]}: `{command}` takes no more arguments; leave this out, or put quotes around words with spaces"
        )
    return TruegainError(message)


def _options(context: Any) -> list[str]:
    """The options that a command shows."""
    shown = [p for p in context.command.get_params(context) if p.param_type_name == "option" and not p.hidden]
    return [name for p in shown for name in (*p.opts, *p.secondary_opts) if name.startswith("--")]


def _name(parameter: Any) -> str:
    """What a user calls an option or an argument."""
    if getattr(parameter, "param_type_name", "") == "option":
        return str(max(parameter.opts, key=len))
    return (
        str(getattr(parameter, "metavar", None) or getattr(parameter, "name", None) or "a value").upper().strip("[]{}.")
    )
