"""Who may see the organiser's page: a password kept as an argon2 hash, a signed cookie, a token in every form."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError
from itsdangerous import BadData, URLSafeSerializer

from truegain.errors import TruegainError

HOURS = 12.0  # that one stays signed in
TRIES = 5  # passwords that one address may try ...
WINDOW = 60.0  # ... within so many seconds
ADDRESSES = 10_000  # that are remembered; beyond, the oldest is forgotten
AT_ONCE = 2  # passwords hashed at a time: each takes 64 MB
SHORTEST, LONGEST = 10, 1024  # characters of a password


class TooManyTriesError(Exception):
    """One address tried too many passwords; `wait` seconds until the next is looked at."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"too many tries; wait {wait:.0f} s")
        self.wait = wait


def password_hash_of(password: str) -> str:
    """The argon2id hash of a password, which alone is kept.

    >>> password_hash_of("a long enough one").partition("$v")[0]
    '$argon2id'
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise TruegainError(
            f"the password has {len(password)} characters; take {SHORTEST} or more (at most {LONGEST:,}), such as four "
            "words that do not belong together"
        )
    return PasswordHasher().hash(password)


@dataclass(frozen=True)
class Pass:
    """What the cookie says: a random id, whether the password was given, and until when it counts."""

    id: str
    known: bool
    until: float


class PasswordTries:
    """How often each address may try a password: `TRIES` in any `WINDOW`, by a clock that never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._made: OrderedDict[str, list[float]] = OrderedDict()

    def count(self, address: str) -> None:
        """Count a try before the password is looked at, so that tries side by side count too."""
        now = self._clock()
        with self._lock:
            made = [t for t in self._made.pop(address, []) if now - t < WINDOW]
            self._made[address] = made
            if len(made) >= TRIES:
                raise TooManyTriesError(WINDOW - (now - made[0]))
            made.append(now)
            if len(self._made) > ADDRESSES:
                self._made.popitem(last=False)

    def forget(self, address: str) -> None:
        """A right password clears the count."""
        with self._lock:
            self._made.pop(address, None)


class Door:
    """Lets in who knows the password; what it hands out is signed with the database's secret and the password's hash.

    So a new password ends every visit, who can read the hash alone cannot sign, and several server processes at one
    database need share nothing else.  Tries are counted by each process.  `is_out` tells of a visit whether it was
    ended: a copy of its cookie opens nothing any more.
    """

    def __init__(
        self,
        password_hash: str,
        secret: bytes,
        *,
        is_out: Callable[[str], bool] = lambda _: False,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        try:
            extract_parameters(password_hash)
        except InvalidHashError:
            raise TruegainError(
                "the organiser's password is not kept as an argon2 hash; set it again with `truegain judging password`"
            ) from None
        self._is_out = is_out
        self._hash, self._clock, self._tries = password_hash, clock, PasswordTries(steady)
        self._secret = hmac.new(secret, b"truegain organiser: " + password_hash.encode(), hashlib.sha256).digest()
        self._cookies = URLSafeSerializer(self._secret, "cookie", signer_kwargs={"digest_method": hashlib.sha256})
        self._hashing = threading.BoundedSemaphore(AT_ONCE)

    def opens(self, password: str, address: str) -> bool:
        """Whether this is the password; as long for every wrong one as for the right one."""
        self._tries.count(address)
        with self._hashing:
            try:
                PasswordHasher().verify(self._hash, password[: LONGEST + 1])
            except (VerificationError, UnicodeEncodeError):
                return False
        self._tries.forget(address)
        return True

    def visit(self, cookie: str | None) -> Pass | None:
        """The visit that a cookie of ours speaks of; None where it is another's, changed, too old, or signed out."""
        try:
            found = self._cookies.loads(cookie or "")
            visit = Pass(str(found["id"]), found["known"] is True, float(found["until"]))
        except (BadData, KeyError, TypeError, ValueError):
            return None
        if self._clock() >= visit.until or (visit.known and self._is_out(visit.id)):
            return None
        return visit

    def begin(self, *, known: bool) -> Pass:
        """A new visit; signing in begins another one, so that nobody can hand a visit to somebody else."""
        return Pass(secrets.token_urlsafe(24), known, self._clock() + HOURS * 3600)

    def cookie(self, visit: Pass) -> str:
        """The cookie of a visit, signed."""
        return str(self._cookies.dumps({"id": visit.id, "known": visit.known, "until": visit.until}))

    def token(self, visit: Pass) -> str:
        """What every form of this visit carries: nobody else's page can know it."""
        return hmac.new(self._secret, f"form {visit.id}".encode(), hashlib.sha256).hexdigest()

    def trusts(self, visit: Pass, token: str) -> bool:
        """Whether a form is one of ours, of this visit."""
        return hmac.compare_digest(self.token(visit).encode(), token.encode("utf-8", "replace"))
