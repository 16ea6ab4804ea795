"""Options that come together: a dataclass whose fields are options, given to a command as one object.

The dataclass is one of the command line, whose fields are annotated with typer options, or a config of
`truegain.config`, whose fields declare themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from truegain.config import StudyConfig, is_config, settings_of

if TYPE_CHECKING:
    from truegain.config import Setting

Command = Callable[..., None]
ADVANCED = "Advanced"  # panel of options that few need


def takes(**bundles: type[Any]) -> Callable[[Command], Command]:
    """Give a command the options of some dataclasses; it takes each as one keyword.

    A config whose required field is not given is None.

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

    >>> from truegain.config import Gold
    >>> @takes(gold=Gold)
    ... def design(*, gold: Gold | None) -> None:
    ...     print(gold and gold.design)
    >>> design(gold="people.csv", design="random"), design()
    random
    None
    (None, None)
    """

    def decorated(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        options = {name: _parameters(bundle) for name, bundle in bundles.items()}

        @wraps(command)
        def called(**words: Any) -> None:
            values = {name: {p.name: words[p.name] for p in some if p.name in words} for name, some in options.items()}
            words = {name: value for name, value in words.items() if name in own}
            command(**words, **{name: _made(bundle, values[name]) for name, bundle in bundles.items()})

        own = {p.name: p for p in signature.parameters.values() if p.name not in bundles}
        shared = {p.name: p for some in options.values() for p in some}  # one option may serve several bundles
        every = [*({**shared, **own}[name] for name in {**own, **shared})]
        called.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
        called.__annotations__ = {p.name: p.annotation for p in every}
        return called

    return decorated


def option_for(config: type[Any], field: str) -> Any:
    """The typer option that a field of a config declares, for a command that takes this field alone.

    >>> from truegain.config import Scoring
    >>> option_of("level", Annotated[float | None, option_for(Scoring, "relevant_from")])
    '--relevant-from'
    """
    return _option(next(s for s in settings_of(config) if s.field == field))


def _option(declared: Setting) -> Any:
    import typer

    long = f"--{declared.name.replace('_', '-')}"
    names = (declared.short, long) if declared.short else (long,)
    return typer.Option(*names, help=declared.help, rich_help_panel=ADVANCED if declared.advanced else None)


def _parameters(bundle: type[Any]) -> list[inspect.Parameter]:
    """The parameters that a command needs for a bundle."""
    if not is_config(bundle):
        return [*inspect.signature(bundle, eval_str=True).parameters.values()]
    return [
        inspect.Parameter(
            s.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=s.default,
            annotation=Annotated[s.kind | None if s.default is None else s.kind, _option(s)],
        )
        for s in settings_of(bundle)
    ]


def _made(bundle: type[Any], values: dict[str, Any]) -> Any:
    """The bundle with these values of its options; None for a config that lacks what it requires."""
    if not is_config(bundle):
        return bundle(**values)
    if bundle is StudyConfig:
        return StudyConfig.from_options(values)
    field_of = {s.name: s.field for s in settings_of(bundle)}
    required = [f.name for f in fields(bundle) if f.default is MISSING]
    given = {field_of[name]: value for name, value in values.items()}
    return None if any(given.get(name) is None for name in required) else bundle(**given)


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
        if is_config(type(bundle)):
            found |= {s.field: f"--{s.name.replace('_', '-')}" for s in settings_of(type(bundle)) if s.field in names}
            continue
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
