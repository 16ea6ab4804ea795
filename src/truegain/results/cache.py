"""Results kept in a folder by what they were made of; what is damaged is found, and made again.

Files hold data only (see `stored`): they may come from anybody, and nothing in them is run.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from truegain._version import __version__
from truegain.errors import InputError, TruegainError, heard, tell, warn, why
from truegain.io.files import shown_path, write_bytes
from truegain.io.memory import available
from truegain.results.serialization import UnfitError, packed, unpacked

Kept = TypeVar("Kept")
MARK = b"truegain kept\n"
ENDING = ".kept"
CODE = (".py", ".so", ".pyd")
LARGEST = 512 * 2**20  # bytes of one result, before it is compressed
MOST = 256 * 2**20  # bytes that a folder holds; what was not asked for the longest goes first


class Cache:
    """A folder of results, each under the digest of its key and of the code; without a folder nothing is kept.

    >>> import tempfile
    >>> cache = Cache(tempfile.mkdtemp())
    >>> cache.of({"question": 1}, lambda: [1, 2], list[int]), cache.of({"question": 1}, lambda: [3], list[int])
    ([1, 2], [1, 2])
    """

    def __init__(self, folder: str | Path | None, most: int = MOST, tell: Callable[[str], None] = warn) -> None:
        self.folder = None if folder is None else Path(folder)
        self.most, self.tell, self.warned = most, tell, False
        self.hits, self.anew = 0, False  # how many results were read; nothing is read any more

    def of(self, key: Mapping[str, object], make: Callable[[], Kept], kind: Any = Any) -> Kept:
        """What is kept under a key and is of a kind (see `stored.unpacked`), or made and kept now."""
        if self.folder is None:
            return make()
        path = self.folder / f"{digest_of(key)}{ENDING}"
        try:
            if not self.anew:
                result: Kept = unpacked(_inflated(unsealed(path.read_bytes(), path.stem)), kind)
                with suppress(OSError):  # others' files may be read, and not touched
                    os.utime(path)
                self.hits += 1
                return result
        except (FileNotFoundError, NotADirectoryError):
            pass
        except Exception:  # whatever is wrong with it, it can be made again
            self._tell(f"{shown_path(path)}: the cached result is damaged; it is computed again")
        made = make()
        self._keep(path, made, kind)
        return made

    def whole(self, make: Callable[[], Kept]) -> Kept:
        """What is made of many kept results; where that fails, it is made again, and all of them are, too.

        A file of the right types may still hold numbers that fit nothing else.  Refusals are no such failure: they are
        about what was asked.
        """
        if self.folder is None or not self.folder.is_dir():
            return make()
        messages: list[str] = []
        try:
            with heard() as messages:  # lest it be told twice
                return make()
        except (TruegainError, MemoryError, OSError):  # no matter of what was kept
            raise
        except Exception:
            messages.clear()
            if not self.hits:
                raise
            self._tell(f"{shown_path(self.folder)}: the cache is damaged; everything is computed again")
        finally:
            tell(messages)
        self.anew = True
        return make()

    def _tell(self, message: str) -> None:
        if not self.warned:
            self.warned = True
            self.tell(message)

    def _keep(self, path: Path, made: object, kind: Any) -> None:
        try:
            data = packed(made)
            if len(data) > LARGEST:
                raise UnfitError(f"{len(data):,} bytes are too many")
            unpacked(data, kind)  # now, lest it be damaged at every reading
        except UnfitError as error:
            self._tell(f"cannot cache {type(made).__name__}: {error}")
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            ignored = path.parent / ".gitignore"
            if not ignored.exists():
                write_bytes(ignored, b"*\n")
            write_bytes(path, sealed(zlib.compress(data, 1), path.stem))
        except (OSError, InputError) as error:
            reason = why(error) if isinstance(error, OSError) else str(error)
            self._tell(f"cannot cache in {shown_path(path.parent)}: {reason}")
        else:
            with suppress(OSError):  # somebody else may remove them, too
                self._trim(path)

    def _trim(self, newest: Path) -> None:
        """Remove what was not asked for the longest until the rest is no more than `most`; the newest stays."""
        others = [(p.stat(), p) for p in newest.parent.glob(f"*{ENDING}") if p != newest]
        left = self.most - newest.stat().st_size
        for about, path in sorted(others, key=lambda each: -each[0].st_mtime_ns):
            left -= about.st_size
            if left < 0:
                path.unlink(missing_ok=True)


def digest_of(key: Mapping[str, object]) -> str:
    """The digest of a key, the same for any order of its names.

    >>> digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1}) != digest_of({"a": 1, "b": 3})
    True
    """
    whole = json.dumps({"version": __version__, "code": code_digest(CODE), **key}, sort_keys=True, default=str)
    return hashlib.sha256(whole.encode()).hexdigest()


@cache
def code_digest(endings: tuple[str, ...]) -> str:
    """The digest of all our code of some kinds: one version may have several, where it is worked on."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(Path(__file__).parents[1]):
        folders.sort()
        for name in sorted(files):
            if name.endswith(endings):
                digest.update(Path(folder, name).read_bytes())
    return digest.hexdigest()


def sealed(data: bytes, name: str) -> bytes:
    """Bytes for a file of a name that will tell whether they are still what was written there.

    >>> unsealed(sealed(b"abc", "one"), "one")
    b'abc'
    """
    return MARK + hashlib.sha256(name.encode() + data).digest() + data


def unsealed(data: bytes, name: str) -> bytes:
    """What was sealed; ValueError where it is not what was written there."""
    begin = len(MARK) + hashlib.sha256().digest_size
    inside = data[begin:]
    if data[: len(MARK)] != MARK or hashlib.sha256(name.encode() + inside).digest() != data[len(MARK) : begin]:
        raise ValueError
    return inside


def _inflated(data: bytes) -> bytes:
    """What was compressed; ValueError where it is more than we write or half the memory, as few bytes can ask for."""
    whole = zlib.decompressobj()
    content = whole.decompress(data, min(LARGEST, available() // 2))
    if not whole.eof or whole.unused_data:
        raise ValueError
    return content
