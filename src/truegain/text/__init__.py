"""Document text to term counts and language models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truegain.lazy import loaded

if TYPE_CHECKING:
    from truegain.text.corpus import Corpus
    from truegain.text.counting import Settings
    from truegain.text.indexing import index
    from truegain.text.pieces import Fields
    from truegain.text.words import Cutting

__all__ = [
    "Corpus",
    "Cutting",
    "Fields",
    "Settings",
    "index",
]

_LAZY = {  # by the module that has it
    "Corpus": "truegain.text.corpus",
    "Cutting": "truegain.text.words",
    "Fields": "truegain.text.pieces",
    "Settings": "truegain.text.counting",
    "index": "truegain.text.indexing",
}


def __dir__() -> list[str]:
    """The public names and no others."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _LAZY, name)
