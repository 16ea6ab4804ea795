"""One POST: to any OpenAI-compatible server, with a key that is shown nowhere, and tried again where that can help."""

from __future__ import annotations

import os
import random
import re
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from truegain._version import __version__
from truegain.errors import TruegainError, needs, shorten
from truegain.llm.connection import Connection
from truegain.llm.limits import Gate
from truegain.llm.store import of_json
from truegain.message import Message, arg, argname, by_surface

KEY = "TRUEGAIN_API_KEY"  # the variable that has the key by default
AGAIN = (408, 409, 425, 429)  # and 500 and above
SLOWER = (429, 503)  # of a server that has too much to do
MORE_TRIES = 5  # times as many where a server refuses for now (429) as where it fails
FIRST_TRIES = 1  # more tries of a server that never said anything, and may not be there
LONGEST_PAUSE = 60.0  # seconds, unless the server names a longer one
LONGEST_ASKED = 600.0  # seconds that we wait where a server asks for it; beyond that the run ends
FIRST_PAUSE = 0.5
CONNECT = 5.0  # seconds
LONG, FILTERED = 413, 451  # a prompt longer than the model takes; one that a filter refused
CUT, PAGE = "a body that is no whole answer", "a page of HTML"  # with status 200
IN_WORDS = {  # what httpx calls it
    "ConnectError": "no connection",
    "ConnectTimeout": "no connection",
    "ReadTimeout": "no answer within the time-out",
    "ReadError": "the connection broke",
    "RemoteProtocolError": "the connection broke",
    "ProxyError": "the proxy refuses",
}
CALL = by_surface("call", "command")
SILENT = ("ConnectError", "ConnectTimeout", "ReadTimeout")  # of a server that may not be there, or hangs
_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|maximum.{0,30}tokens|too (long|many tokens|large)|n_ctx|"
    r"tokens must be at least",
    re.I,
)
_FILTERED = re.compile(r"content.{0,3}(filter|policy|management)|safety|moderation", re.I)
_QUOTA = re.compile(
    r"insufficient.{0,3}(quota|balance|funds|credit)|exceeded your current quota|credit balance is", re.I
)
_LATER = re.compile(r"(?:try again in|retry in|retry_?delay\W{1,6})\s*((?:\d+(?:\.\d+)?(?:ms|h|m|s)\s*)+)", re.I)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_UNKNOWN_MODEL = re.compile(
    r"model.{0,80}(not (found|exist)|does not exist|unknown)|(unknown|no such|invalid) model", re.I
)


class AskingError(TruegainError):
    """The server refuses a request in a way that all of this run would be refused, so that it ends at once.

    server: what it says; may_adapt: whether a request that asks for less could be answered.
    """

    def __init__(self, message: str, server: str = "", *, may_adapt: bool = False) -> None:
        super().__init__(message, argument="url")
        self.server, self.may_adapt = server, may_adapt


class EndError(TruegainError):
    """The run ends early, and what was answered is kept.

    waits: whether the remedy is no more than the same call later.
    """

    def __init__(self, message: str, *, remedy: str, waits: bool = False) -> None:
        super().__init__(message, remedy=remedy)
        self.again = Message(f"{remedy[:1].upper()}{remedy[1:]}.")
        self.waits = waits


class QuotaError(EndError):
    """There is no money left, or no quota."""


class OutageError(EndError):
    """The server stopped answering."""


@dataclass(frozen=True, slots=True)
class ServerReply:
    """What a server answered to one request: a whole JSON object, or a refusal of this request alone."""

    http: int  # 200, or `LONG` or `FILTERED`
    body: bytes
    whole: Mapping[str, Any]  # the object that it holds
    seconds: float


def base_url(url: str) -> str:
    """An address as it is asked, without the slash at its end; what cannot be one is refused.

    >>> base_url("http://localhost:8000/v1/")
    'http://localhost:8000/v1'
    """
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not host:
        raise TruegainError(
            f"{argname('url', _bare(url))} is not the address of a server; give one such as "
            f"{arg('url', 'http://localhost:8000/v1')}"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise TruegainError(
            f"{argname('url', _bare(url))}: a URL is shown and stored, so it must not contain a user, password or "
            f"query; put the key into the environment ({KEY}, or a name of your own: {arg('key_env', 'NAME')})"
        )
    return url.strip().rstrip("/").removesuffix("/chat/completions")


def _bare(url: str) -> str:
    """An address without what may be a secret."""
    scheme, mark, rest = url.strip().partition("://")
    return f"{scheme}{mark}{re.split('[?#]', rest)[0].rpartition('@')[2]}"


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address, as https_proxy, unless no_proxy names the host."""
    parts, proxies = urlsplit(url), getproxies()
    if proxy_bypass(parts.netloc):
        return None
    return proxies.get(parts.scheme) or proxies.get("all")


def is_open(url: str) -> bool:
    """Whether what is sent to an address can be read on its way: without https, and not on this machine.

    >>> is_open("http://example.org/v1"), is_open("http://localhost:8000/v1"), is_open("https://example.org/v1")
    (True, False, False)
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    return parts.scheme == "http" and not (host in ("localhost", "::1") or host.startswith("127."))


def host_alias(url: str) -> str:
    """The server's name in keys of answers: without the path, which may change with versions.

    >>> host_alias("http://LOCALHOST:8000/v1")
    'localhost:8000'
    """
    return urlsplit(url).netloc.lower()


def key_from(variable: str | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """The key in the environment; None where there is none, as servers on this machine need none."""
    name = variable or KEY
    key = environment.get(name, "").strip()
    if not key:
        if variable is not None:
            raise TruegainError(f"{argname('key_env', variable)}: there is no such variable in the environment; set it")
        return None
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise TruegainError(f"the key in {name} has characters that no key can have; set it again, without quotes")
    return key


class Endpoint:
    """A server, and how it is asked; each thread has a connection of its own."""

    def __init__(self, url: str, key: str | None, timeout: float, retries: int) -> None:
        self.httpx = needs("httpx", "llm")
        self.url, self.retries = base_url(url), retries
        self._key, self._local = key, threading.local()
        self._connections: list[Connection] = []
        self._proxy = proxy_for(self.url)
        self._patience = self.httpx.Timeout(timeout, connect=CONNECT).as_dict()
        headers = {"Content-Type": "application/json", "User-Agent": f"truegain/{__version__}"}
        headers |= {"Accept": "application/json", "Accept-Encoding": "gzip, deflate"}
        headers |= {} if key is None else {"Authorization": f"Bearer {key}"}
        self._headers = [(header.encode(), value.encode()) for header, value in headers.items()]
        # one for all threads, as it takes long to make; without https nothing is verified
        self._trusted: Any = self.httpx.create_ssl_context() if self.url.startswith("https:") else False
        self._random = random.Random()  # of pauses alone
        self.requests = self.repeated = 0
        self.answered, self.last_fault = False, ""  # whether it ever did; why a request was tried again
        self._counting = threading.Lock()

    def __repr__(self) -> str:
        return f"Endpoint({self.url!r})"

    def _answer(self, body: bytes, name: str) -> Any:
        """The answer to one request, read to its end."""
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            address = f"{self.url}/chat/completions"
            connection = Connection(address, self._headers, self._patience, self._trusted, self._proxy)
            self._local.connection = connection
            self._connections.append(connection)
        return connection.post(body, name)

    def _in_words(self, error: BaseException) -> str:
        """Why there is no answer: what people can change, the certificate or the proxy, is named."""
        kind, cause = type(error).__name__, error.__cause__
        while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
            cause = cause.__cause__
        if cause is not None:
            return (
                f"its certificate is not trusted: {cause.verify_message}; if it is your own, name the file that holds "
                "it in SSL_CERT_FILE"
            )
        words = IN_WORDS.get(kind, kind)
        if self._proxy is None or kind not in (*SILENT, "ProxyError"):
            return words
        return f"{words}; asked by the proxy {urlsplit(self._proxy).netloc.rpartition('@')[2]}"  # without its password

    def close(self) -> None:
        """Close all connections."""
        for connection in self._connections:
            connection.close()

    def scrubbed(self, body: bytes) -> bytes:
        """What the server says without our key, which some servers repeat."""
        return body if self._key is None else body.replace(self._key.encode(), b"***")

    def post(self, body: bytes, name: str, gate: Gate, tokens: int) -> ServerReply | None:
        """Ask once, and again where that can help; None where the server did not answer, or the gate was closed.

        name: by which the server may know a request that it has answered (Idempotency-Key).  A server that only asks us
        to be slower is asked more often than one that fails.
        """
        failures = refusals = 0
        while gate.enter(tokens):
            began, unused, answer, whole, reached = time.monotonic(), 0, None, None, True
            with self._counting:
                self.requests += 1
                self.repeated += failures + refusals > 0
            try:
                answer = self._answer(body, name)
                whole = of_json(self.scrubbed(answer.content)) if answer.status_code == 200 else None
                unused = tokens - sum(usage_of(whole or {}) or (tokens, 0))
            except self.httpx.RequestError as error:  # no connection, no answer in time, or a body that was cut
                self.last_fault, reached = self._in_words(error), type(error).__name__ not in SILENT
            finally:
                gate.leave(unused)
            if answer is not None and (reply := self._looked_at(answer, whole, time.monotonic() - began)) is not None:
                gate.went_well()
                self.answered = True
                return reply
            pause = self._pause(failures + refusals, answer)
            if answer is None:
                gate.went_too_fast(0.0)
            elif answer.status_code in SLOWER or "retry-after" in answer.headers:
                gate.went_too_fast(pause)
            if answer is not None and answer.status_code == 429:
                refusals += 1
            else:
                failures += 1
            most = self.retries if reached or self.answered else min(self.retries, FIRST_TRIES)
            if failures > most or refusals > self.retries * MORE_TRIES or not gate.pause(pause):
                return None
        return None

    def _pause(self, at: int, answer: Any) -> float:
        """Seconds before the next try: what the server asks for, else twice as long each time, at random."""
        wait = asked_to_wait(answer, answer.content) if answer is not None else None
        usual = min(LONGEST_PAUSE, FIRST_PAUSE * 2**at)
        return usual * self._random.uniform(0.5, 1.0) if wait is None else wait + self._random.uniform(0, 0.1 * usual)

    def _looked_at(self, answer: Any, whole: dict[str, Any] | None, seconds: float) -> ServerReply | None:
        """An answer that counts; None where it is to be asked for again."""
        status, body = answer.status_code, self.scrubbed(answer.content)
        if status == 200:
            if whole is None or not isinstance(whole.get("choices"), list):  # cut, or a page of something in between
                self.last_fault = PAGE if body.lstrip()[:1] == b"<" else CUT
                return None
            return ServerReply(status, body, whole, seconds)
        message = error_of(body)
        self.last_fault = _reason(status, message)
        wait = asked_to_wait(answer, body)
        if status == 402 or (status in (403, 429) and wait is None and _QUOTA.search(message)):
            raise QuotaError(f"the server has no quota left for this key ({self.last_fault})", remedy="add credit")
        if status in AGAIN or status >= 500:
            if wait is not None and wait > LONGEST_ASKED:
                raise QuotaError(
                    f"the server asks to wait {wait / 60:,.0f} minutes ({self.last_fault})",
                    remedy=f"run the same {CALL} then",
                    waits=True,
                )
            return None
        alone = refused_alone(status, body, seconds)
        if alone is not None:
            return alone
        may_adapt = status in (400, 422) and not _UNKNOWN_MODEL.search(message)
        raise AskingError(f"{self.url}: {_remedy(status, message)}", message, may_adapt=may_adapt)


def refused_alone(status: int, body: bytes, seconds: float = 0.0) -> ServerReply | None:
    """A refusal of one request for its texts, which are too long or were filtered; None for all others.

    >>> refused_alone(400, b'{"error": {"message": "context length exceeded"}}').http
    413
    >>> refused_alone(400, b'{"error": {"message": "in this context max_tokens is wrong"}}') is None
    True
    """
    message = error_of(body)
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(message)):
        return ServerReply(LONG, body, {}, seconds)
    if status in (400, 403, 422) and _FILTERED.search(message):
        return ServerReply(FILTERED, body, {}, seconds)
    return None


def _reason(status: int, message: str) -> str:
    """The status of a refusal, with what it says."""
    return f"HTTP {status}: {message}" if message else f"HTTP {status}"


def _remedy(status: int, message: str) -> str:
    """What a refusal of all requests means, and what to do."""
    reason = _reason(status, message)
    if status == 401 or status == 403:
        return (
            f"the server does not accept the key ({reason}); set {KEY}, or name its variable ({arg('key_env', 'NAME')})"
        )
    if status == 404 and not _UNKNOWN_MODEL.search(message):
        return f"there is no /chat/completions ({reason}); addresses mostly end in /v1 ({argname('url')})"
    if status in (400, 404, 422) and _UNKNOWN_MODEL.search(message):
        return f"the server has no such model ({reason}); check {argname('model')}"
    if 300 <= status < 400:
        return f"the server sends us elsewhere ({reason}); give the address that it names ({argname('url')})"
    return f"the server refuses the request ({reason}); check model and options"


def error_of(body: bytes) -> str:
    """What the body of a refusal says, in short.

    >>> error_of(b'{"error": {"message": "no such model", "code": "model_not_found"}}')
    'no such model (model_not_found)'
    """
    whole = of_json(body) or {}
    error = whole.get("error", whole)
    if isinstance(error, Mapping):
        code = error.get("code") or error.get("type")
        text = str(error.get("message") or error.get("detail") or "")
        text = f"{text} ({code})" if code and str(code) not in text else text
    else:
        text = str(error)
    text = text or ("" if of_json(body) == {} else body.decode(errors="replace"))
    return shorten(" ".join(text.split()), 300)


def asked_to_wait(answer: Any, body: bytes) -> float | None:
    """Seconds that a refusal asks us to wait, in its header or in its text; None where it does not."""
    in_header = retry_after(answer.headers, time.time)
    return seconds_in(body.decode(errors="replace")) if in_header is None else in_header


def seconds_in(text: str) -> float | None:
    """Seconds that a text asks us to wait, as some servers write it; None where it does not.

    >>> seconds_in("Please try again in 7m12s."), seconds_in('"retryDelay": "18s"'), seconds_in("Slow down.")
    (432.0, 18.0, None)
    """
    match = _LATER.search(text)
    if match is None:
        return None
    parts = re.findall(r"([\d.]+)(ms|h|m|s)", match[1].lower())
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def retry_after(headers: Mapping[str, str], clock: Callable[[], float]) -> float | None:
    """Seconds that a server asks to wait, as a number or a date; None where it does not.

    >>> retry_after({"retry-after": "7"}, lambda: 0.0), retry_after({}, lambda: 0.0)
    (7.0, None)
    >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}, lambda: 10.0)
    20.0
    """
    text = headers.get("retry-after-ms")
    try:
        if text is not None:
            return max(0.0, float(text) / 1000)
        text = headers.get("retry-after")
        if text is None:
            return None
        if re.fullmatch(r"\s*\d+(\.\d+)?\s*", text):
            return float(text)
        return max(0.0, parsedate_to_datetime(text).timestamp() - clock())
    except (ValueError, TypeError):
        return None


def usage_of(whole: Mapping[str, Any]) -> tuple[int, int] | None:
    """Tokens in and out that a server counted; None where it does not say.

    >>> usage_of({"usage": {"prompt_tokens": 12, "completion_tokens": 3}}), usage_of({})
    ((12, 3), None)
    """
    usage = whole.get("usage")
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")] if isinstance(usage, Mapping) else []
    if len(counts) == 2 and all(isinstance(n, int) and n >= 0 for n in counts):
        return int(counts[0] or 0), int(counts[1] or 0)
    return None
