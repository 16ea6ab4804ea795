"""Keywords that several functions share: named once, shown by help(), and checked where they are given."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

from truegain.errors import TruegainError

F = TypeVar("F", bound=Callable[..., Any])


class KeywordError(TruegainError, TypeError):
    """A keyword that the function called does not have."""


def takes(
    words: type,
    defaults: Mapping[str, object] | None = None,
    *,
    name: str = "",
    elsewhere: Mapping[str, str] | None = None,
) -> Callable[[F], F]:
    """The keywords of a TypedDict in place of **options: in the signature that help() shows, and in what is refused.

    defaults: by keyword; `...` is shown where the default depends on other arguments.  name: of what users call, where
    that is not the function's.  elsewhere: what to say of keywords that only other functions have.

    >>> from typing import TypedDict
    >>> Words = TypedDict("Words", {"depth": int})
    >>> score = takes(Words, {"depth": 10})(lambda runs, **options: options)
    >>> inspect.signature(score), score(1, depth=3)
    (<Signature (runs, *, depth: int = 10)>, {'depth': 3})
    """

    def taking(function: F) -> F:
        shown = _signature(function, words.__annotations__, defaults or {})
        called = name or function.__name__

        @wraps(function)
        def checked(*given: Any, **options: Any) -> Any:
            if unknown := [word for word in options if word not in shown.parameters]:
                raise KeywordError((elsewhere or {}).get(unknown[0]) or _refusal(called, unknown, shown.parameters))
            return function(*given, **options)

        checked.__signature__ = shown  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return taking


def _signature(
    function: Callable[..., Any], words: Mapping[str, Any], defaults: Mapping[str, object]
) -> inspect.Signature:
    own = inspect.signature(function)
    plain = [p for p in own.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    more = [
        inspect.Parameter(
            word, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(word, ...),
            annotation=getattr(kind, "__forward_arg__", kind),
        )
        for word, kind in words.items()
    ]  # fmt: skip
    return own.replace(parameters=[*plain, *more])


def _refusal(name: str, unknown: Sequence[str], parameters: Mapping[str, inspect.Parameter]) -> str:
    """What is not taken, what was perhaps meant, and all that is taken."""
    known = [p.name for p in parameters.values() if p.name != "self"]
    close = difflib.get_close_matches(unknown[0], known, n=1)
    meant = f", did you mean {close[0]}" if close else ""
    taken = [p.name for p in parameters.values() if p.kind is inspect.Parameter.KEYWORD_ONLY]
    return f"{name} has no option {', '.join(unknown)}{meant}; it has {', '.join(taken)}"
