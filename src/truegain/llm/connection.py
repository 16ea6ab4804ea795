"""The connection of one thread to a server: by httpcore, whose requests take a third of the processor time of httpx's.

httpx's client looks for cookies, redirects and passwords, its transport for a free connection in a pool; a thread that
asks one server one thing at a time needs neither.  Errors, addresses and packed answers are those of httpx.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truegain.errors import needs

IDLE = 5.0  # seconds after which an unused connection is made anew, as httpx does
Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that was read to its end.

    >>> Answered(200, b"{}", ((b"Retry-After", b"7"),)).headers["retry-after"]
    '7'
    """

    status_code: int
    content: bytes
    raw: Headers

    @property
    def headers(self) -> Mapping[str, str]:
        """By name what stands in its head, upper and lower case alike."""
        found: Mapping[str, str] = needs("httpx", "llm").Headers(list(self.raw))
        return found


class Connection:
    """One connection at a time to one address, made anew where it was closed or a request failed.

    trusted: the certificates, as httpx takes them; proxy: the address of a proxy, by which httpx itself asks.
    """

    def __init__(self, url: str, headers: Headers, timeout: Mapping[str, Any], trusted: Any, proxy: str | None) -> None:
        self._httpx, self._core = needs("httpx", "llm"), needs("httpcore", "llm")
        self._address, self._headers, self._trusted = self._httpx.URL(url), list(headers), trusted
        self._patience = {"timeout": dict(timeout)}
        self._transport = None if proxy is None else self._httpx.HTTPTransport(verify=trusted, proxy=proxy)
        core, at = self._core, self._address
        port = at.port or {"http": 80, "https": 443}[at.scheme]
        self._origin = core.Origin(at.raw_scheme, at.raw_host, port)
        self._target = core.URL(scheme=at.raw_scheme, host=at.raw_host, port=port, target=at.raw_path)
        self._faults = core.TimeoutException, core.NetworkError, core.ProtocolError, core.ConnectionNotAvailable
        self._open: Any = None

    def post(self, body: bytes, name: str) -> Any:
        """The answer to one request, read to its end; what fails is told by httpx's errors.

        name: what the server may know the request by (Idempotency-Key).
        """
        headers = [*self._headers, (b"Idempotency-Key", name.encode())]
        if self._transport is not None:
            request = self._httpx.Request(
                "POST", self._address, headers=headers, content=body, extensions=self._patience
            )
            answer = self._transport.handle_request(request)
            answer.read()
            return answer
        headers = [(b"Host", self._address.netloc), (b"Content-Length", b"%d" % len(body)), *headers]
        request = self._core.Request(b"POST", self._target, headers=headers, content=body, extensions=self._patience)
        try:
            answer = self._usable().handle_request(request)
            try:
                content = answer.read()
            finally:
                answer.close()
            if any(header.lower() == b"content-encoding" for header, _ in answer.headers):
                return self._httpx.Response(answer.status, headers=answer.headers, content=content)  # which unpacks it
        except self._faults as error:
            self._drop()
            kind = getattr(self._httpx, type(error).__name__, self._httpx.NetworkError)
            raise kind(str(error)) from error
        except BaseException:
            self._drop()
            raise
        return Answered(answer.status, content, answer.headers)

    def _usable(self) -> Any:
        """The connection that is open, or another where the server closed it meanwhile."""
        one = self._open
        if one is None or one.is_closed() or one.has_expired():
            self._drop()
            one = self._open = self._core.HTTPConnection(
                self._origin, ssl_context=self._trusted or None, keepalive_expiry=IDLE
            )
        return one

    def _drop(self) -> None:
        """Close the connection that is open."""
        if self._open is not None:
            self._open.close()
        self._open = None

    def close(self) -> None:
        """Close it; what is asked next opens another."""
        self._drop()
        if self._transport is not None:
            self._transport.close()
