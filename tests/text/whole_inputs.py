"""The pieces of several inputs, one after the other, as one process reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from truegain.text.documents import Fields, apart, in_order, kind_of
from truegain.text.pieces import Kind, Piece


def all_pieces(paths: Iterable[str], kind: Kind | None, fields: Fields, size: int) -> Iterator[Piece]:
    """The pieces of several inputs, one after the other."""
    for path in paths:
        of = kind or kind_of(path)
        found = apart(path, of, fields, size)
        yield from in_order(path, of, fields, size) if found is None else found
