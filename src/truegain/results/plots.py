"""Charts and pages are made above what they show: answers have sockets here, the public face puts the plugs in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from truegain.errors import TruegainError

Drawer = Callable[[Any, Any], Any]  # an answer, and the file that its chart goes to or None
_drawers: list[Drawer] = []
_writers: list[Callable[..., Any]] = []  # of the page of a study
NOT_YET = "nothing {} here yet; import truegain first"


def plug(drawer: Drawer) -> None:
    """From now on this draws."""
    _drawers[:] = [drawer]


def draw(answer: Any, path: Any = None) -> Any:
    """The chart of an answer, also written to a file where one is named."""
    if not _drawers:
        raise TruegainError(NOT_YET.format("draws"))
    return _drawers[0](answer, path)


def plug_page(writer: Callable[..., Any]) -> None:
    """From now on this writes pages."""
    _writers[:] = [writer]


def write_page(study: Any, path: Any, **options: Any) -> None:
    """Write the page of a study."""
    if not _writers:
        raise TruegainError(NOT_YET.format("writes pages"))
    _writers[0](study, path, **options)
