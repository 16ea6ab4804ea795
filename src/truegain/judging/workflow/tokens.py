"""Secrets: tokens, completion codes, signatures of pages, and the keys of LLM judges."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from itsdangerous import Signer

from truegain.errors import TruegainError
from truegain.judging.tasks.base import LONGEST, Fields
from truegain.judging.workflow.steps import Person
from truegain.message import argname

TOKEN = re.compile(r"[A-Za-z0-9_-]{20,64}")
ONCE = re.compile(r"[A-Za-z0-9_-]{12,40}\.[0-9]{1,9}")
HIDDEN = ("csrf", "once")  # fields that are no part of what a person sent
SHORT = 1000  # characters of what is chosen, and of numbers
MOST = dict.fromkeys(("reason", "cannot_note", "report"), LONGEST) | dict.fromkeys(
    (*HIDDEN, "slot", "action", "consent", "number", "number_meant", "choice", "cannot", "withdraw"), SHORT
)


@dataclass(frozen=True)
class Keys:
    """What is derived from the study's secret, and from nothing that a browser sends."""

    secret: bytes

    def code(self, session: str) -> str:
        """The completion code of a session: the same whenever it is asked for, 80 bits.

        >>> Keys(b"secret").code("s1")
        'EYB2-S2UZ-4HZL-BJXT'
        """
        made = hmac.new(self.secret, b"code:" + session.encode(), hashlib.sha256).digest()
        text = base64.b32encode(made[:10]).decode()
        return "-".join(text[i : i + 4] for i in range(0, 16, 4))

    def sign(self, session: str, lease_key: str) -> str:
        """The signature that a page of this lease carries."""
        return self._signer().get_signature(f"{session}.{lease_key}").decode()

    def signed(self, session: str, lease_key: str, signature: str) -> bool:
        """Whether a page was one of this lease."""
        return self._signer().verify_signature(f"{session}.{lease_key}", signature.encode("utf-8", "replace"))

    def origin(self, network: str) -> str:
        """What is kept of an address while a unit is held: enough to count it, and nothing to read."""
        made = hmac.new(self.secret, b"origin:" + network.encode(), hashlib.sha256)
        return made.hexdigest()[:32] if network else ""

    def _signer(self) -> Signer:
        return Signer(self.secret, salt="truegain.judging.page", digest_method=hashlib.sha256)


def new_token() -> str:
    """192 random bits."""
    return secrets.token_urlsafe(24)


def new_once(basis: int) -> str:
    """The name of one rendered page; `basis` is the revision, or the try, that it was made from."""
    return f"{secrets.token_urlsafe(12)}.{basis}"


def basis_of(once: str) -> int | None:
    """What a page was made from; None where it is none of our pages.

    >>> basis_of(new_once(3)), basis_of("forged")
    (3, None)
    """
    return int(once.rpartition(".")[2]) if ONCE.fullmatch(once) else None


def digest(secret: str) -> str:
    """What is stored of an invitation: enough to know it again."""
    return hashlib.sha256(secret.encode()).hexdigest()


def code_digest(code: str) -> bytes:
    """What is stored of a completion code, however it is typed."""
    plain = "".join(sign for sign in code.upper() if sign.isalnum())
    return hashlib.sha256(plain.encode()).digest()


def content(step: tuple[Any, ...], fields: Fields) -> str:
    """Digest of what a person sent: two of the same are one."""
    text = json.dumps([*step, sorted(visible_fields(fields).items())])
    return hashlib.sha256(text.encode()).hexdigest()


def visible_fields(fields: Fields) -> dict[str, str]:
    """The fields that a person sees and fills."""
    return {name: value for name, value in fields.items() if name not in HIDDEN}


def cleaned(fields: Fields) -> dict[str, str]:
    r"""Fields as every database stores them: without NUL and halves of surrogate pairs.

    >>> cleaned({"reason": "a\x00b"})
    {'reason': 'a\ufffdb'}
    """
    return {_clean(str(name)): _clean(str(value)) for name, value in fields.items()}


def taken(fields: Fields, field: str) -> dict[str, str]:
    """Of what was sent, what pages ask for; `field` holds the task's judgment.

    No box takes more than is kept.  A text that is cut ends with a sign that says so, and is too long to count.

    >>> taken({"label": "2", "action": "next", "junk": "x" * 100_000}, "label")
    {'label': '2', 'action': 'next'}
    """
    limits = {**MOST, field: SHORT}
    return cleaned({name: _cut(value, limits[name]) for name, value in fields.items() if name in limits})


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "\u2026"


def _clean(text: str) -> str:
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


# ---------------------------------------------------------------------- keys of LLM judges


KEY_FILE = "judge_keys.jsonl"  # in the study's folder
PLATFORM = "model"
MARK = "tgj_"  # keys begin with it, so that a leaked one is told from other secrets
LONGEST_KEY = 200  # characters of a key that is looked at, of a model's name, of a parameter


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
        if not model.strip() or len(model) > LONGEST_KEY:
            raise TruegainError(
                f"{argname('model', model[:40])}: give the model's name, at most {LONGEST_KEY} characters"
            )
        if not prompt.strip():
            raise TruegainError("the prompt is empty; give the file with the judge's prompt")
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
        self._path, self._lock = folder / KEY_FILE, threading.Lock()
        self._read_at: tuple[int, int] | None = None
        self._judges: dict[str, LlmJudge] = {}

    def make(self, judge: LlmJudge) -> str:
        """A new key of a judge, told once: the file keeps its digest."""
        key = MARK + secrets.token_urlsafe(32)
        line = json.dumps({"digest": _key_digest(key), **asdict(judge)}, ensure_ascii=False)
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as file:
            file.write(f"\n{line}\n" if file.tell() else f"{line}\n")  # a line that was cut short spoils none after it
            file.flush()
            os.fsync(file.fileno())
        return key

    def judge(self, key: str) -> LlmJudge | None:
        """Whose key this is; None where it is nobody's.  Digests are looked up, so time tells nothing of a key."""
        if not key or len(key) > LONGEST_KEY:
            return None
        return self._current().get(_key_digest(key))

    def _current(self) -> dict[str, LlmJudge]:
        with self._lock:
            try:
                stat = self._path.stat()
            except FileNotFoundError:
                self._read_at, self._judges = None, {}
                return self._judges
            if (at := (stat.st_mtime_ns, stat.st_size)) != self._read_at:
                self._judges = dict(_read_keys(self._path))
                self._read_at = at
            return self._judges


def _read_keys(path: Path) -> list[tuple[str, LlmJudge]]:
    """Digests and their judges; a line that cannot be read lets nobody in."""
    keys = []
    for line in path.read_text("utf-8", "replace").splitlines():
        with suppress(ValueError, KeyError, TypeError):
            row = json.loads(line)
            keys.append((str(row["digest"]), LlmJudge(row["model"], row["prompt"], row["parameters"])))
    return keys


def _key_digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
