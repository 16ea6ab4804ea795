"""Keywords that several functions share: named once, shown by help(), and checked where they are given."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Any, TypeVar

from truegain.config import CONFIGS, StudyConfig
from truegain.errors import KeywordError, TruegainError
from truegain.message import arg, argname
from truegain.settings import check_count, check_number, settings_of

F = TypeVar("F", bound=Callable[..., Any])
Check = Callable[[str, object], None]  # of a keyword's name and value


class Depends:
    """The default of a keyword that other arguments decide, such as a parameter of some rules alone.

    >>> Depends()
    <depends>
    """

    def __repr__(self) -> str:
        return "<depends>"


DEPENDS = Depends()


def checked_keywords(
    words: type | None = None,
    defaults: Mapping[str, object] | None = None,
    *,
    name: str = "",
    elsewhere: Mapping[str, str] | None = None,
) -> Callable[[F], F]:
    """The keywords of a TypedDict in place of **options: in the signature that help() shows, and in what is refused.

    Values of keywords that many functions have are checked, see CHECKS; without `words` this is all that is done.
    defaults: by keyword; one that is not named is shown to depend on other arguments.  name: of what users call, where
    that is not the function's.  elsewhere: what to say of keywords that only other functions have.

    >>> from typing import TypedDict
    >>> Words = TypedDict("Words", {"depth": int})
    >>> score = checked_keywords(Words, {"depth": 10})(lambda runs, **options: options)
    >>> inspect.signature(score), score(1, depth=3)
    (<Signature (runs, *, depth: int = 10)>, {'depth': 3})
    """

    def taking(function: F) -> F:
        signature = _signature(function, {} if words is None else words.__annotations__, defaults or {})
        called = name or function.__name__

        @wraps(function)
        def checked(*arguments: Any, **options: Any) -> Any:
            if unknown := [word for word in options if word not in signature.parameters]:
                raise KeywordError((elsewhere or {}).get(unknown[0]) or _refusal(called, unknown, signature.parameters))
            for word in CHECKS.keys() & options.keys():
                CHECKS[word](word, options[word])
            return function(*arguments, **options)

        checked.__signature__ = signature  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return taking


def check_pair(name: str, value: object, form: object = ("a", "b")) -> None:
    """Refuse what is not two names of systems, such as one name alone, which is a sequence of letters."""
    if not isinstance(value, list | tuple) or len(value) != 2 or value[0] == value[1]:
        raise TruegainError(f"{argname(name, value)}: give two systems, as in {arg(name, form)}")


def _unless_none(check: Check) -> Check:
    return lambda name, value: None if value is None else check(name, value)


CHECKS: dict[str, Check] = {  # by keyword, whichever function has it; how large is for the function to say
    "jobs": _unless_none(partial(check_count, least=1, own=True)),
    "seed": partial(check_count, least=0, own=True),
    "replicates": _unless_none(partial(check_count, own=True)),
    "resamples": _unless_none(partial(check_count, own=True)),
    "depth": _unless_none(partial(check_count, own=True)),
    "most": _unless_none(partial(check_count, least=1, own=True)),
    "level": _unless_none(partial(check_number, own=True)),
    "gold_relevant_from": _unless_none(partial(check_number, own=True)),
    "pair": _unless_none(check_pair),
}


def _signature(
    function: Callable[..., Any], words: Mapping[str, Any], defaults: Mapping[str, object]
) -> inspect.Signature:
    own = inspect.signature(function)
    plain = [p for p in own.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    more = [
        inspect.Parameter(
            word, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(word, DEPENDS),
            annotation=getattr(kind, "__forward_arg__", kind),
        )
        for word, kind in words.items()
    ]  # fmt: skip
    return own.replace(parameters=[*plain, *more])


def _refusal(name: str, unknown: Sequence[str], parameters: Mapping[str, inspect.Parameter]) -> str:
    """What is not taken, what was perhaps meant, and all that is taken."""
    names = [n for n, p in parameters.items() if n != "self" and p.kind is not inspect.Parameter.VAR_KEYWORD]
    close = difflib.get_close_matches(unknown[0], names, n=1)
    meant = _in_a_config(unknown[0], parameters) or (f"did you mean {close[0]}?" if close else "")
    return f"{name} has no option {', '.join(unknown)}{f'; {meant}' if meant else '.'} It has {', '.join(names)}"


def _in_a_config(word: str, parameters: Mapping[str, inspect.Parameter]) -> str:
    """Where to give an option of studies that is no keyword by itself; empty where that is nowhere.

    >>> def score(runs, judgments, *, gold=None, scoring=None): ...
    >>> for word in ("design", "depth", "judge_model"):
    ...     print(_in_a_config(word, inspect.signature(score).parameters))
    give gold=tg.Gold(labels, design=...).
    give scoring=tg.Scoring(depth=...).
    give judgments=tg.read_judgments(..., model=...).
    """
    if word == "judge_model":
        return "give judgments=tg.read_judgments(..., model=...)." if "judgments" in parameters else ""
    options = [*settings_of(StudyConfig)]
    for option in [s for s in options if word == s.name] or [s for s in options if word == s.field]:
        example, table = f"{option.field}=...", option.table
        if table:
            labels = "labels, " if table in ("gold", "unjudged") and option.field != "labels" else ""
            example = f"{table}=tg.{CONFIGS[table].__name__}({labels}{example})"
        if table in parameters:
            return f"give {example}."
        if "StudyConfig" in str(getattr(parameters.get("config"), "annotation", "")):
            return f"give config=tg.StudyConfig({example})."
    return ""
