"""How to index, and what a corpus will be made of."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from truegain._version import __version__
from truegain.addresses import is_remote
from truegain.errors import TruegainError
from truegain.tables.remote import about
from truegain.tables.sources import shown_path
from truegain.text.corpus import VERSION
from truegain.text.documents import Fields, Kind
from truegain.text.named import Named
from truegain.text.words import Cutting

PER_PIECE = 12  # memory over the bytes of a piece, measured: bytes, lines, texts, and what is counted
_LARGEST = 32 << 20
_LAYOUT = 2  # of what an unfinished corpus is made of


@dataclass(frozen=True)
class Settings:
    """How to index: cutting, fields, and bytes of text in a piece.

    `only` names the documents whose term counts are kept; frequencies are those of the whole collection all the same.
    """

    cutting: Cutting = field(default_factory=Cutting)
    fields: Fields = field(default_factory=Fields)
    kind: Kind | None = None
    piece: int = _LARGEST
    only: Named | None = None

    @classmethod
    def within(cls, memory: int, **rest: Any) -> Settings:
        """Settings for an amount of memory."""
        if memory < 64 * 10**6:
            raise TruegainError(f"{memory / 10**6:g} MB of memory is too little; give at least 64 MB")
        return cls(piece=min(_LARGEST, memory // (2 * PER_PIECE)), **rest)

    def plan(self, inputs: Sequence[str]) -> str:
        """A digest of all that decides what the corpus will be: two starts of one plan make the same corpus."""
        plan = {
            "version": VERSION,
            "layout": _LAYOUT,
            "truegain": __version__,
            "inputs": [[Path(shown_path(path)).name, *_fingerprint(path)] for path in inputs],
            "cutting": self.cutting.plain(),
            "fields": asdict(self.fields),
            "kind": self.kind,
            "piece": self.piece,
            "only": None if self.only is None else hashlib.sha256(self.only.text.tobytes()).hexdigest(),
        }
        return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()


def _fingerprint(path: str) -> list[object]:
    if is_remote(path):
        return [dict(about(path))]
    try:
        stat = os.stat(path)  # noqa: PTH116
    except OSError:
        return []
    return [stat.st_size, stat.st_mtime_ns]
