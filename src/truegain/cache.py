"""Results kept in a folder by what they were made of; what is damaged is found, and made again."""

from __future__ import annotations

import builtins
import hashlib
import importlib
import io
import json
import pickle
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from truegain._version import __version__
from truegain.tables.checks import warn
from truegain.tables.sources import shown_path, write_bytes

Kept = TypeVar("Kept")
MARK = b"truegain kept\n"
ENDING = ".kept"
PLAIN = ("list", "dict", "set", "frozenset", "tuple", "complex", "slice", "range", "bytearray")
ARRAYS = {  # what numpy makes its arrays and numbers of
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
    ("types", "MappingProxyType"),
    ("collections", "OrderedDict"),
}


class Cache:
    """A folder of results, each under the digest of its key and of the version; without a folder nothing is kept.

    >>> import tempfile
    >>> cache = Cache(tempfile.mkdtemp())
    >>> cache.of({"question": 1}, lambda: [1, 2]), cache.of({"question": 1}, lambda: [3])
    ([1, 2], [1, 2])
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)
        self.damaged = 0

    def of(self, key: Mapping[str, object], make: Callable[[], Kept]) -> Kept:
        """What is kept under a key, or made and kept now."""
        if self.folder is None:
            return make()
        path = self.folder / f"{digest_of(key)}{ENDING}"
        if path.exists():
            try:
                return _loaded(path.read_bytes())  # type: ignore[no-any-return]
            except (OSError, ValueError, EOFError, AttributeError, ImportError, IndexError, TypeError, zlib.error):
                self._tell(path)
            except pickle.UnpicklingError:
                self._tell(path)
        made = make()
        self._keep(path, made)
        return made

    def _tell(self, path: Path) -> None:
        self.damaged += 1
        if self.damaged == 1:
            warn(f"{shown_path(path)}: what was kept is damaged; it is made again")

    def _keep(self, path: Path, made: object) -> None:
        assert self.folder is not None
        self.folder.mkdir(parents=True, exist_ok=True)
        ignored = self.folder / ".gitignore"
        if not ignored.exists():
            write_bytes(ignored, b"*\n")
        packed = zlib.compress(pickle.dumps(made, protocol=5), 1)
        write_bytes(path, MARK + hashlib.sha256(packed).digest() + packed)


def digest_of(key: Mapping[str, object]) -> str:
    """The digest of a key, the same for any order of its names.

    >>> digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1}) != digest_of({"a": 1, "b": 3})
    True
    """
    whole = json.dumps({"version": __version__, **key}, sort_keys=True, default=str)
    return hashlib.sha256(whole.encode()).hexdigest()


def _loaded(data: bytes) -> Any:
    """What the bytes of a file hold; ValueError where they are not what was written."""
    begin = len(MARK) + hashlib.sha256().digest_size
    packed = data[begin:]
    if data[: len(MARK)] != MARK or hashlib.sha256(packed).digest() != data[len(MARK) : begin]:
        raise ValueError
    return _Reader(io.BytesIO(zlib.decompress(packed))).load()


class _Reader(pickle.Unpickler):
    """Makes classes of ours, arrays and plain containers only: a file that asks for more is damaged."""

    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in PLAIN:
            return getattr(builtins, name)
        if (module, name) in ARRAYS:
            return getattr(importlib.import_module(module), name)
        if module.split(".")[0] == "truegain":
            found = getattr(importlib.import_module(module), name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name}")
