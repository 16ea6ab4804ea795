"""Options that come together: a dataclass whose fields are options, given to a command as one thing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, get_type_hints

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


def changed(*bundles: Any, leave_out: tuple[str, ...] = ()) -> dict[str, str]:
    """The options of bundles that are not what they are by default: the name of the field, and the option's.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int = 1
    ...     bare_height: int = 2
    >>> changed(Size(), Size(bare_height=3)), changed(Size(5), leave_out=("width",))
    ({'bare_height': '--bare-height'}, {})
    """
    found: dict[str, str] = {}
    for bundle in bundles:
        names = [f.name for f in fields(bundle) if f.name not in leave_out and getattr(bundle, f.name) != f.default]
        hints = get_type_hints(type(bundle), include_extras=True) if names else {}
        found |= {name: option_of(name, hints[name]) for name in names}
    return found


def fields_of(bundle: Any, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of a bundle by their names, as keywords for a function that calls them the same."""
    return {name: value for name, value in vars(bundle).items() if name not in leave_out}


def option_of(name: str, annotation: Any) -> str:
    """The option behind a parameter, in its long form."""
    info = option_info(annotation)  # a name that stands alone is where typer has defaults
    names = [n for n in (info.default, *info.param_decls) if isinstance(n, str) and n.startswith("-")] if info else []
    return max(names, key=len, default=f"--{name.replace('_', '-')}")


def option_info(annotation: Any) -> Any:
    """What typer is told of an option; None for what is an argument, or none of its own."""
    return next((m for m in getattr(annotation, "__metadata__", ()) if type(m).__name__ == "OptionInfo"), None)
