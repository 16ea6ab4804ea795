"""Charts are made above the answers that they show: answers have a socket here, the public face puts the plug in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from truegain.errors import TruegainError

Drawer = Callable[[Any, Any], Any]  # an answer, and the file that its chart goes to or None
_drawers: list[Drawer] = []


def plug(drawer: Drawer) -> None:
    """From now on this draws."""
    _drawers[:] = [drawer]


def draw(answer: Any, path: Any = None) -> Any:
    """The chart of an answer, also written to a file where one is named."""
    if not _drawers:
        raise TruegainError("nothing draws here yet; import truegain first")
    return _drawers[0](answer, path)
