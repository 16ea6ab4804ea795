"""Options that come together: a dataclass whose fields are options, given to a command as one thing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

Command = Callable[..., None]


def takes(**bundles: type) -> Callable[[Command], Command]:
    """Give a command the options of some dataclasses; it takes each as one keyword.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int = 1
    ...     height: int = 2
    >>> @takes(size=Size)
    ... def area(*, size: Size) -> None:
    ...     print(size.width * size.height)
    >>> area(width=3, height=5), [*inspect.signature(area).parameters]
    15
    (None, ['width', 'height'])
    """

    def decorated(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        options = {name: inspect.signature(bundle, eval_str=True).parameters for name, bundle in bundles.items()}

        @wraps(command)
        def called(**words: Any) -> None:
            made = {name: bundles[name](**{o: words.pop(o) for o in some}) for name, some in options.items()}
            command(**words, **made)

        own = [p for p in signature.parameters.values() if p.name not in bundles]
        every = [*own, *(p for some in options.values() for p in some.values())]
        called.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
        called.__annotations__ = {p.name: p.annotation for p in every}
        return called

    return decorated
