"""The store of answers: what was paid for is committed, as it came, before anything is made of it.

A killed client cannot know whether a request in flight was answered, so at most as many answers as were in flight are
asked for again; no other is.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from truegain.errors import InputError, TruegainError
from truegain.io import formats
from truegain.io.files import PathLike, shown_path
from truegain.io.plain_text import COMPRESSED
from truegain.message import arg, by_surface

VERSION = 1
ON_WINDOWS = os.name == "nt"
ENDING = ".answers.sqlite"
_SCHEMA = """
CREATE TABLE answers (
    key BLOB NOT NULL,         -- digest of server, model, prompt, parameters, messages and replicate
    attempt INTEGER NOT NULL,  -- 0, and 1, 2, ... where the answer before held no label
    call TEXT NOT NULL,        -- what was asked about, for people: model, topic, what was judged, replicate
    http INTEGER NOT NULL,     -- status
    body BLOB NOT NULL,        -- the answer as it came, compressed by zlib
    model TEXT NOT NULL,       -- that was asked
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    at REAL NOT NULL,          -- seconds since 1970 when it came
    seconds REAL NOT NULL,     -- that it took
    PRIMARY KEY (key, attempt)
) WITHOUT ROWID;
CREATE TABLE ways (name TEXT PRIMARY KEY, value TEXT NOT NULL);      -- how each model is asked, as it was tried out
CREATE TABLE prompts (digest TEXT PRIMARY KEY, text TEXT NOT NULL);  -- words of the prompts, without texts to judge
"""


def beside(output: PathLike, ending: str) -> str:
    """A file beside the labels, by their name without its ending.

    >>> beside("labels/llm.v2.csv.gz", ".provenance.json")
    'labels/llm.v2.provenance.json'
    """
    name = os.fspath(output)
    packed = next((end for end in COMPRESSED if name.lower().endswith(end)), "")
    bare = name[: len(name) - len(packed)]
    return f"{bare[: len(bare) - len(formats.ending(bare))]}{ending}"


def in_json(whole: Any) -> bytes:
    """An object as compact JSON; halves of characters, which no text should have, as question marks."""
    try:
        return msgspec.json.encode(whole)
    except UnicodeEncodeError:
        return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def of_json(body: bytes) -> dict[str, Any] | None:
    """The object that some JSON is; None where it is none, or cut."""
    try:
        whole = msgspec.json.decode(body)
    except msgspec.DecodeError:
        try:
            whole = json.loads(body)  # which takes NaN and -Infinity, as some servers write them
        except (ValueError, RecursionError):
            return None
    return whole if isinstance(whole, dict) else None


def key_of(*parts: str | bytes | int) -> bytes:
    """The digest of what makes a call what it is.

    >>> key_of("localhost:8000", "m").hex()[:8], key_of("localhost:800", "0m").hex()[:8]
    ('55b2c827', '87138e59')
    """
    digest = hashlib.sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode(errors="replace")
        digest.update(b"%d:" % len(raw))
        digest.update(raw)
    return digest.digest()


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as it came."""

    key: bytes
    attempt: int
    call: str
    http: int
    body: bytes
    model: str
    tokens_in: int
    tokens_out: int
    at: float
    seconds: float

    def json(self) -> dict[str, Any]:
        """What the body says; nothing where it is no JSON object, as of some refusals."""
        return of_json(self.body) or {}


@dataclass(slots=True)
class _Waiting:
    """An answer that waits to be committed."""

    answer: StoredAnswer
    done: bool = False
    failure: BaseException | None = field(default=None)


class AnswerStore:
    """Answers in one SQLite file, which one command at a time may use.

    Threads that put answers at the same time share one commit, and each returns when its answer is on the disk.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, AnswerStore(f"{folder}/a.sqlite") as store:
    ...     store.put(StoredAnswer(b"k", 0, "m 1 d 1", 200, b"{}", "m", 5, 1, 0.0, 0.1))
    ...     store.get(b"k", 0).body, store.get(b"k", 1), len(store)
    (b'{}', None, 1)
    """

    def __init__(self, path: PathLike) -> None:
        self.path = os.fspath(path)
        self._is_new = not Path(self.path).exists()
        self._lock = threading.Lock()  # of the connection
        self._queue, self._committing = threading.Lock(), threading.Lock()
        self._waiting: list[_Waiting] = []
        with self._failures():
            while not self._locked():
                self._connection.close()
            self._open()
            self._keys = {key for (key,) in self._connection.execute("SELECT key FROM answers")}  # nobody else adds any

    def _locked(self) -> bool:
        """Whether the file is ours now; not where who had it removed it, as it stayed empty, while we waited."""
        with suppress(OSError):
            Path(self.path).touch()
        before = self._number()
        self._connection = sqlite3.connect(self.path, timeout=0.2, check_same_thread=False, isolation_level=None)
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._connection.execute("BEGIN EXCLUSIVE")
        self._connection.execute("COMMIT")
        return self._number() == before

    def _number(self) -> int | None:
        """What tells the file from another at its place."""
        try:
            return Path(self.path).stat().st_ino
        except OSError:
            return None

    def _open(self) -> None:
        run = self._connection.execute
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        version = run("PRAGMA user_version").fetchone()[0]
        empty = not run("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if empty and not version:
            self._connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        elif version != VERSION:
            raise InputError(
                "this is not a store of answers of this version of truegain", file=shown_path(self.path),
                hint=f"name another file ({arg('store', 'FILE')})",
            )  # fmt: skip

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Tell what SQLite says with the name of the file."""
        file = shown_path(self.path)
        try:
            yield
        except sqlite3.DatabaseError as error:
            if "locked" in str(error):
                hint = "wait until it ends, or give this one a store of its own"
                raise InputError("another command is using this store of answers", file=file, hint=hint) from None
            if "not a database" in str(error):
                hint = f"name another file ({arg('store', 'FILE')})"
                raise InputError("this file is not a store of answers", file=file, hint=hint) from None
            raise InputError(
                f"the store of answers cannot be used: {error}", file=file, hint="check the path and the space left"
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the file to others."""
        with self._lock:
            leave = self._is_new and self._is_empty()
            if leave and not ON_WINDOWS:  # before others can open it: they look whether it is still there
                self._connection.execute("PRAGMA journal_mode = DELETE")  # and no log is left without its file
                self._remove()
            self._connection.close()
            if leave and ON_WINDOWS:  # which removes no file that is open
                self._remove()

    def _is_empty(self) -> bool:
        """Whether nothing is in it that a later run needs."""
        try:
            return not self._connection.execute(
                "SELECT EXISTS (SELECT 1 FROM answers) + EXISTS (SELECT 1 FROM ways)"
            ).fetchone()[0]
        except sqlite3.Error:
            return False

    def _remove(self) -> None:
        with suppress(OSError):
            Path(self.path).unlink()

    def __len__(self) -> int:
        with self._lock:
            return int(self._connection.execute("SELECT count(*) FROM answers").fetchone()[0])

    def get(self, key: bytes, attempt: int) -> StoredAnswer | None:
        """An answer, None where there is none yet."""
        if key not in self._keys:  # as of most calls of a new run, without a look at the file
            return None
        with self._lock:
            row = self._connection.execute(
                "SELECT * FROM answers WHERE key = ? AND attempt = ?", (key, attempt)
            ).fetchone()
        if row is None:
            return None
        try:
            body = zlib.decompress(row[4])
        except zlib.error:
            hint = "its answers were changed; restore a backup, or begin with another store"
            raise InputError("an answer in this store is damaged", file=shown_path(self.path), hint=hint) from None
        return StoredAnswer(*row[:4], body, *row[5:])  # type: ignore[call-arg]

    def put(self, answer: StoredAnswer) -> None:
        """Commit an answer; returns when it is on the disk."""
        own = _Waiting(answer)
        with self._queue:
            self._waiting.append(own)
        with self._committing:  # who comes in first commits for all who wait
            if not own.done:
                with self._queue:
                    batch, self._waiting = self._waiting, []
                with self._lock:
                    self._commit(batch)
        if own.failure is not None:
            with self._failures():
                raise own.failure

    def _commit(self, batch: Iterable[_Waiting]) -> None:
        rows = [
            (a.key, a.attempt, a.call, a.http, zlib.compress(a.body, 6), a.model, a.tokens_in, a.tokens_out, a.at,
             a.seconds)
            for a in (one.answer for one in batch)
        ]  # fmt: skip
        failure: BaseException | None = None
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self._connection.execute("COMMIT")
            self._keys.update(row[0] for row in rows)
        except sqlite3.Error as error:
            failure = error
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        for one in batch:
            one.done, one.failure = True, failure

    # ---- What is known of models and prompts.

    def way(self, name: str) -> dict[str, Any] | None:
        """How a model is asked, as it was tried out; None where it was not."""
        with self._lock:
            row = self._connection.execute("SELECT value FROM ways WHERE name = ?", (name,)).fetchone()
        return None if row is None else dict(json.loads(row[0]))

    def keep_way(self, name: str, way: Mapping[str, Any]) -> None:
        """Keep how a model is asked."""
        with self._failures(), self._lock:
            self._connection.execute("INSERT OR REPLACE INTO ways VALUES (?, ?)", (name, json.dumps(way)))

    def keep_prompt(self, digest: str, text: str) -> None:
        """Keep the words of a prompt."""
        with self._failures(), self._lock:
            self._connection.execute("INSERT OR IGNORE INTO prompts VALUES (?, ?)", (digest, text))

    def tokens(self) -> dict[str, tuple[int, int]]:
        """By model the tokens that all answers took, in and out."""
        query = "SELECT model, sum(tokens_in), sum(tokens_out) FROM answers GROUP BY model"
        with self._lock:
            return {model: (int(i), int(o)) for model, i, o in self._connection.execute(query)}

    def seconds(self) -> float | None:
        """What an answer took on average; None where there is none."""
        with self._lock:
            mean = self._connection.execute("SELECT avg(seconds) FROM answers WHERE http = 200").fetchone()[0]
        return None if mean is None else float(mean)


def store_for(output: str, store: PathLike | None) -> str:
    """The store of a run: the one that was named, or the one beside its output."""
    if store is not None:
        return os.fspath(store)
    if output == "-":
        name = by_surface("output='llm.csv'", "-o llm.csv")
        raise TruegainError(
            f"name an output file ({name}); the paid answers are kept beside it, or in {arg('store', 'FILE')}"
        )
    return beside(output, ENDING)
