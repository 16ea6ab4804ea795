"""What stands around every request: headers, limits, plain pages for failures, and a log without secrets."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response

from truegain.judging.server.platforms import MTURK_FRAMES, MTURK_HOSTS, Buckets
from truegain.judging.store.database import StoreError, UnreachableError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


ACCESS = logging.getLogger("truegain.judging.access")
FAILED = logging.getLogger("truegain.judging.failed")
LARGEST = 512 * 1024  # bytes of a request: some 100 times what a page asks for
KEPT = "public, max-age=31536000, immutable"  # of files whose address changes when they do
BASE = "truegain.base"
_SECRET = re.compile(r"[A-Za-z0-9_-]{16,}")
Fields = list[tuple[str, str]]
# a page by its status, below an address; fields of a form to send again, None where what was sent was not read
Plain = Callable[[int, str, Fields | None], str]
BODY = "truegain.body"
ENDING = "truegain.ending"  # functions to call when the server is told to end: who sends without end stops then
BODY_SECONDS = 60.0  # in which the whole body of a request is there
SMALL = 64 * 1024  # bytes of a body; those of what people type are fewer
MOST_READ = 64 * 1024 * 1024  # bytes of larger bodies that are being read at one moment, in one server process
MOST_SMALL = 128 * 1024 * 1024  # of small ones: as many as there are connections
SHARES = 8  # so many addresses fill either of them, not one
CUT = 499  # in the log: the client was gone before its request was whole, and nothing was done
FORWARDED = ("x-forwarded-for", "forwarded")  # headers by which a proxy says whom it speaks for
WAIT = "5"  # seconds after which what could not be answered may be sent again
MOST_FIELDS = 50  # of a form


@dataclass(frozen=True)
class RateLimits:
    """Requests that one unit, and one address, may send: so many at once, and then so many a second.

    Generous, since a class may share an address; what this machine itself asks has no such limit.  `begin`: people who
    come in from one address, each of whom is a row in the database.
    """

    unit_burst: float = 120.0
    unit_rate: float = 10.0
    address_burst: float = 600.0
    address_rate: float = 60.0
    begin_burst: float = 100.0
    begin_rate: float = 0.5
    remembered: int = 50_000  # units and addresses; beyond, the longest unseen are forgotten


def policy(mturk: bool) -> str:
    """The Content-Security-Policy: all from here, nothing inline, framed by Mechanical Turk alone where it is used."""
    forms = " ".join(("'self'", *(MTURK_HOSTS if mturk else ())))
    frames = " ".join(MTURK_FRAMES) if mturk else "'none'"
    return (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        f"form-action {forms}; frame-ancestors {frames}; base-uri 'none'"
    )


def logged_path(path: str) -> str:
    """An address as it may stand in a log: nothing in it opens anything.

    >>> logged_path("/u/Zk3J0x8mQ2pL7vR9tYwB/doc/3")
    '/u/*/doc/3'
    """
    parts = path[:400].split("/")
    parts = [*parts[:2], "*", *parts[3:]] if len(parts) > 2 and parts[1] == "u" else parts
    return "".join(sign if sign.isprintable() else "?" for sign in _SECRET.sub("*", "/".join(parts)))[:100]


class CutError(Exception):
    """The client was gone before its request was whole: it counts for nothing."""


class _RefusedError(Exception):
    """A request that is answered before anything is done."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


class BodiesRead:
    """Bytes of bodies that are being read: of small ones and of larger ones, by address ('': all together).

    Neither kind takes the other's room, and no address more than its share: nobody alone keeps others' answers out.
    """

    def __init__(self) -> None:
        self.held: Counter[tuple[bool, str]] = Counter()

    def grow(self, who: str, before: int, after: int) -> None:
        """Count a body that had so many bytes, and has so many now; 0: none any more."""
        for size, sign in ((before, -1), (after, 1)):
            for key in {(size > SMALL, ""), (size > SMALL, who)}:
                self.held[key] += sign * size
                if not self.held[key]:
                    del self.held[key]

    def refusal(self, who: str, size: int) -> int:
        """The status of a body for which there is no room; 0: there is."""
        is_large = size > SMALL
        most = MOST_READ if is_large else MOST_SMALL
        if who and self.held[is_large, who] > most // SHARES:
            return 429
        return 503 if self.held[is_large, ""] > most else 0


class RequestGuard:
    """All of it, in one place: from outside in, the log, the headers, the limits, and what happens when ours fails."""

    def __init__(
        self,
        app: ASGIApp,
        plain: Plain,
        *,
        mturk: bool = False,
        limits: RateLimits | None = None,
        largest: int = LARGEST,
    ) -> None:
        self.app, self.plain, self.largest = app, plain, largest
        self.headers = _headers(mturk)
        self.rates = RequestRates(limits) if limits else None
        self.reading, self._warned = BodiesRead(), False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope[BASE] = scope.get("root_path", "").rstrip("/")
        scope[ENDING] = []
        began, status = time.perf_counter(), 0
        kept = KEPT if path_of(scope).startswith("/static/") and scope.get("query_string") else "no-store"

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._add_headers(MutableHeaders(scope=message), kept if status == 200 else "no-store")
            await send(message)

        try:
            await self._answer(scope, receive, sending)
        except CutError:  # there is nobody to answer, and nothing was done
            status = CUT
        except Exception as error:
            _log_failure(scope, error)
            if status:  # too late to say it
                raise
            await self._say(503 if _is_unreachable(error) else 500, scope, receive, sending)
        finally:
            ACCESS.info(
                "%s %s %d %.0f ms",
                scope["method"],
                logged_path(scope["path"]),
                status,
                1e3 * (time.perf_counter() - began),
            )

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._warn(scope)
        if self.rates and (wait := self.rates.wait(scope)):
            await self._say(429, scope, receive, send, {"Retry-After": str(wait)})
            return
        if odd := _odd_length(scope):
            await self._say(odd, scope, receive, send, {"Connection": "close"})
            return
        try:
            body = await self._body(scope, receive)
        except _RefusedError as refused:
            later = {"Retry-After": WAIT} if refused.status == 429 else {}
            await self._say(refused.status, scope, receive, send, {"Connection": "close", **later})
            return
        scope[BODY] = body
        sent = False

        async def replay() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, replay, send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body of a request; raises where it is too large, too slow, or ends before it is whole."""
        length = Headers(scope=scope).get("content-length", "")
        if length.isdecimal() and int(length) > self.largest:
            raise _RefusedError(413)
        size, who = 0, counted_as(scope)
        try:
            async with asyncio.timeout(BODY_SECONDS):
                parts = []
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise CutError
                    parts.append(message.get("body", b""))
                    before, size = size, size + len(parts[-1])
                    self.reading.grow(who, before, size)
                    if size > self.largest:
                        raise _RefusedError(413)
                    if not message.get("more_body"):  # what is whole takes no room for long
                        return b"".join(parts)
                    if status := self.reading.refusal(who, size):
                        raise _RefusedError(status)
        except TimeoutError:
            raise _RefusedError(408) from None
        finally:
            self.reading.grow(who, size, 0)

    def _warn(self, scope: Scope) -> None:
        """Tell once of a proxy on this machine that nobody named: its visitors share one address, and its limits."""
        if not self._warned and _is_unnamed_proxy(scope):
            self._warned = True
            FAILED.warning(
                "a proxy on this machine sends X-Forwarded-For, which is not trusted: everyone who comes through it "
                "counts as one address; to trust it: truegain annotate serve --proxy 127.0.0.1 (reported once)"
            )

    async def _say(
        self, status: int, scope: Scope, receive: Receive, send: Send, headers: dict[str, str] | None = None
    ) -> None:
        await failure(status, scope, self.plain, headers)(scope, receive, send)

    def _add_headers(self, headers: MutableHeaders, kept: str) -> None:
        for name, value in self.headers.items():
            headers.setdefault(name, value)
        headers["Cache-Control"] = kept


def base_of(scope: Scope) -> str:
    """What comes before our addresses where a proxy puts us below one; as it was when the request came in."""
    return str(scope.get(BASE, scope.get("root_path", "")))


def path_of(scope: Scope) -> str:
    """The address that is asked for, below that."""
    return str(scope["path"]).removeprefix(base_of(scope))


def failure(status: int, scope: Scope, plain: Plain, headers: dict[str, str] | None = None) -> Response:
    """A refusal as a plain page, or as JSON where a program asks."""
    base = base_of(scope)
    headers = {"Retry-After": WAIT, **(headers or {})} if status == 503 else headers
    if path_of(scope).startswith("/api/"):
        return JSONResponse({"detail": _NAMES.get(status, "refused")}, status, headers)
    return HTMLResponse(plain(status, base, _typed(scope) if status == 503 else []), status, headers)


def _typed(scope: Scope) -> Fields | None:
    """The form that a person sent from a page of their unit, so that they can send it again without a script.

    None: it was not read to its end.
    """
    if scope["method"] == "POST" and BODY not in scope:
        return None
    is_form = Headers(scope=scope).get("content-type", "").startswith("application/x-www-form-urlencoded")
    if scope["method"] != "POST" or not is_form or not path_of(scope).startswith("/u/"):
        return []
    try:
        text = scope[BODY].decode()
        return parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return []


_NAMES = {
    400: "not to be read",
    408: "too slow",
    411: "no Content-Length",
    413: "too large",
    429: "too many requests",
    500: "failed on our side",
    503: "not to be reached just now",
}


def _headers(mturk: bool) -> dict[str, str]:
    headers = {
        "Content-Security-Policy": policy(mturk),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Robots-Tag": "noindex, nofollow",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    return headers if mturk else headers | {"X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin"}


def _odd_length(scope: Scope) -> int:
    """The status of a request of which nobody can tell where its body ends; 0: all can.

    Of HTTP/1.0 the length must be told, or what was cut looks whole; told in two ways it is a request within another.
    """
    headers = Headers(scope=scope)
    lengths = sum(name in headers for name in ("content-length", "transfer-encoding"))  # headers that tell one
    if lengths == 2:
        return 400
    is_old = scope.get("http_version") == "1.0" and scope["method"] not in ("GET", "HEAD", "OPTIONS")
    return 411 if is_old and not lengths else 0


class RequestRates:
    """How much each unit and each address has left: a bucket that fills again as time goes by."""

    def __init__(self, limits: RateLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self._buckets = Buckets(limits.remembered, clock)

    def wait(self, scope: Scope) -> int:
        """Seconds to wait before the request is answered; 0: none."""
        limits = self.limits
        parts = path_of(scope).split("/")
        if parts[1:2] == ["static"]:
            return 0
        who = counted_as(scope)
        waits = [self._buckets.take(f"address {who}", limits.address_burst, limits.address_rate)] if who else []
        comes = parts[1:2] == ["s"] and (scope["method"] == "POST" or bool(scope.get("query_string")))
        if who and comes:
            waits.append(self._buckets.take(f"begin {who}", limits.begin_burst, limits.begin_rate))
        if parts[1:2] == ["u"] and len(parts) > 2:
            waits.append(self._buckets.take(f"unit {parts[2][:64]}", limits.unit_burst, limits.unit_rate))
        return max(waits, default=0)


def counted_as(scope: Scope) -> str:
    """Whom limits by address count a request to: the client's network; '' for this machine, which has none.

    A proxy on this machine that was not named is one client, whoever it says it asks for.
    """
    client = (scope.get("client") or ("",))[0]
    address = address_of(client)
    if address is None:
        return ""
    return network_of(client) if not address.is_loopback or _is_unnamed_proxy(scope) else ""


def _is_unnamed_proxy(scope: Scope) -> bool:
    """Whether this machine asks for another: of a proxy that was named the other's address would be the client's."""
    address = address_of((scope.get("client") or ("",))[0])
    headers = Headers(scope=scope)
    return address is not None and address.is_loopback and any(name in headers for name in FORWARDED)


def address_of(client: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """A client's address, of IPv4 also where a socket of IPv6 tells it; None where it is none."""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return None
    return (address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None) or address


def network_of(client: str) -> str:
    """What counts as one client: an address, and of IPv6 its network, since one person has all of that.

    >>> network_of("203.0.113.7"), network_of("2001:db8::7"), network_of("::ffff:203.0.113.7")
    ('203.0.113.7', '2001:db8::/64', '203.0.113.7')
    """
    address = address_of(client)
    if address is None or address.version == 4:
        return str(address or client)
    return str(ipaddress.ip_network(f"{address}/64", strict=False))


def _is_unreachable(error: Exception) -> bool:
    """Whether the database did not do what was asked, which another try may mend."""
    return isinstance(error, StoreError) or type(error).__module__.startswith("sqlalchemy")


def _log_failure(scope: Scope, error: Exception) -> None:
    """What failed and where; of an error of the database not its words, which may hold what was typed."""
    kind = type(error)
    if isinstance(error, UnreachableError):  # no fault of a place in the program
        FAILED.error("%s %s: the database cannot be reached", scope["method"], logged_path(scope["path"]))
        return
    is_of_store = isinstance(error, StoreError) or kind.__module__.startswith(("sqlalchemy", "psycopg", "sqlite3"))
    words = "" if is_of_store else _SECRET.sub("*", str(error))[:300]
    place = "".join(traceback.format_tb(error.__traceback__))
    FAILED.error("%s %s: %s %s\n%s", scope["method"], logged_path(scope["path"]), kind.__qualname__, words, place)
