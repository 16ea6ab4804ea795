"""Many names in little memory: one text, and where each name begins in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import overload

import numpy as np

from truegain.tables.columns import Ints

AT_ONCE = 1 << 16  # names made into strings together


class Names(Sequence[str]):
    """A sequence of names that takes their bytes and 8 more for each, where a tuple of strings takes about 60 more.

    >>> names = Names.of(["101", "102", "é"])
    >>> len(names), names[2], names[:2], list(names) == ["101", "102", "é"], names == ("101", "102", "é")
    (3, 'é', ('101', '102'), True, True)
    """

    def __init__(self, text: bytes, start: Ints) -> None:
        self.text, self.start = text, start

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """From strings."""
        encoded = [name.encode() for name in names]
        return cls(b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.int64))

    @classmethod
    def joined(cls, parts: Sequence[Names]) -> Names:
        """The names of several, one after the other."""
        sizes = np.cumsum([0, *(len(part.text) for part in parts)])
        starts = [part.start[:-1] + size for part, size in zip(parts, sizes.tolist(), strict=False)]
        return cls(b"".join(part.text for part in parts), np.concatenate([*starts, sizes[-1:]]))

    def __len__(self) -> int:
        return len(self.start) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...

    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        place = range(len(self))[at]
        return self.text[int(self.start[place]) : int(self.start[place + 1])].decode()

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), AT_ONCE):
            ends = self.start[first : first + AT_ONCE + 1].tolist()
            for begin, end in pairwise(ends):
                yield self.text[begin:end].decode()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Names | tuple) or len(self) != len(other):
            return False
        return all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]
