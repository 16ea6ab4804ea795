"""Keys of LLM judges: one a judge, of which only the digest is kept; who a judge is follows from model and prompt."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from truegain.errors import TruegainError
from truegain.judging.desk.steps import Person
from truegain.message import argname

FILE = "judge_keys.jsonl"  # in the study's folder
PLATFORM = "model"
MARK = "tgj_"  # keys begin with it, so that a leaked one is told from other secrets
LONGEST = 200  # characters of a key that is looked at, of a model's name, of a parameter


@dataclass(frozen=True)
class LlmJudge:
    """An LLM judge: its model, the digest of its prompt, its parameters.  Another prompt is another judge.

    >>> one = LlmJudge.of("some-model", b"Is this relevant?", {"temperature": "0"})
    >>> one.id == LlmJudge.of("some-model", b"Is this relevant?", {"temperature": "0"}).id
    True
    >>> one.id == LlmJudge.of("some-model", b"Is that relevant?", {"temperature": "0"}).id
    False
    """

    model: str
    prompt: str  # sha256 of its bytes
    parameters: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, model: str, prompt: bytes, parameters: Mapping[str, str] | None = None) -> LlmJudge:
        """A judge by its prompt's bytes."""
        if not model.strip() or len(model) > LONGEST:
            raise TruegainError(f"{argname('model', model[:40])}: give the model's name, at most {LONGEST} characters")
        if not prompt.strip():
            raise TruegainError("the prompt is empty; give the file that holds what the judge is asked")
        return cls(model, f"sha256:{hashlib.sha256(prompt).hexdigest()}", dict(sorted((parameters or {}).items())))

    @property
    def id(self) -> str:
        """Names the judge: the same model, prompt and parameters are the same judge, however many keys it has."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def person(self) -> Person:
        """The judge as an assessor."""
        about = {"model": self.model, "prompt": self.prompt, "parameters": json.dumps(dict(self.parameters))}
        return Person(PLATFORM, self.id, "model", about)


class JudgeKeys:
    """The keys of a study: a file of digests, read again when it changes, so that a key counts from when it is made."""

    def __init__(self, folder: Path) -> None:
        self._path, self._lock = folder / FILE, threading.Lock()
        self._read_at: tuple[int, int] | None = None
        self._judges: dict[str, LlmJudge] = {}

    def make(self, judge: LlmJudge) -> str:
        """A new key of a judge, told once: the file keeps its digest."""
        key = MARK + secrets.token_urlsafe(32)
        line = json.dumps({"digest": _digest(key), **asdict(judge)}, ensure_ascii=False)
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as file:
            file.write(f"\n{line}\n" if file.tell() else f"{line}\n")  # a line that was cut short spoils none after it
            file.flush()
            os.fsync(file.fileno())
        return key

    def judge(self, key: str) -> LlmJudge | None:
        """Whose key this is; None where it is nobody's.  Digests are looked up, so time tells nothing of a key."""
        if not key or len(key) > LONGEST:
            return None
        return self._known().get(_digest(key))

    def _known(self) -> dict[str, LlmJudge]:
        with self._lock:
            try:
                found = self._path.stat()
            except FileNotFoundError:
                self._read_at, self._judges = None, {}
                return self._judges
            if (at := (found.st_mtime_ns, found.st_size)) != self._read_at:
                self._judges = dict(_read(self._path))
                self._read_at = at
            return self._judges


def _read(path: Path) -> list[tuple[str, LlmJudge]]:
    """Digests and their judges; a line that cannot be read lets nobody in."""
    found = []
    for line in path.read_text("utf-8", "replace").splitlines():
        with suppress(ValueError, KeyError, TypeError):
            row = json.loads(line)
            found.append((str(row["digest"]), LlmJudge(row["model"], row["prompt"], row["parameters"])))
    return found


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
