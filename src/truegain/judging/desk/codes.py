"""Secrets: tokens, completion codes, and the signatures of pages."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass
from typing import Any

from itsdangerous import Signer

from truegain.judging.tasks.forms import LONGEST
from truegain.judging.tasks.task import Fields

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
    text = json.dumps([*step, sorted(shown(fields).items())])
    return hashlib.sha256(text.encode()).hexdigest()


def shown(fields: Fields) -> dict[str, str]:
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
    known = {**MOST, field: SHORT}
    return cleaned({name: _cut(value, known[name]) for name, value in fields.items() if name in known})


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "\u2026"


def _clean(text: str) -> str:
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
