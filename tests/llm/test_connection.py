"""A thread's own connection to a server: the same answers and the same errors as httpx's client gives."""

from __future__ import annotations

import gzip
import http.server
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from truegain.llm.client import Endpoint
from truegain.llm.connection import Connection
from truegain.llm.limits import Gate

BODY = b'{"choices": [{"message": {"content": "2"}}]}'
HEADERS = [(b"Content-Type", b"application/json"), (b"Authorization", b"Bearer secret")]
Serve = Callable[..., str]


def whole(body: bytes, status: bytes = b"200 OK", *heads: bytes) -> bytes:
    """An answer as it goes over the wire."""
    return b"\r\n".join([b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *heads, b"", body])


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server of canned answers, each with how often it is given before the connection is closed."""
    sockets = list[socket.socket]()

    def start(answer: bytes, times: int = 1_000_000, seen: list[bytes] | None = None) -> str:
        listening = socket.create_server(("127.0.0.1", 0))
        sockets.append(listening)

        def connection(stream: socket.socket) -> None:
            with stream:
                for _ in range(times):
                    waiting = b""
                    while not waiting.endswith(b"}"):
                        piece = stream.recv(1 << 16)
                        if not piece:
                            return
                        waiting += piece
                    if seen is not None:
                        seen.append(waiting)
                    stream.sendall(answer)

        def accept() -> None:
            try:
                while True:
                    threading.Thread(target=connection, args=(listening.accept()[0],), daemon=True).start()
            except OSError:
                return

        threading.Thread(target=accept, daemon=True).start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}/v1/chat/completions"

    yield start
    for one in sockets:
        one.close()


def asking(url: str, timeout: float = 5.0) -> Connection:
    """A connection as an endpoint makes it."""
    return Connection(url, HEADERS, httpx.Timeout(timeout).as_dict(), False, None)


@pytest.mark.parametrize(
    "answer",
    [
        whole(BODY),
        whole(gzip.compress(BODY), b"200 OK", b"Content-Encoding: gzip"),
        whole(b"wait", b"429 Too Many Requests", b"Retry-After: 7"),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY),
    ],
    ids=["plain", "gzip", "refused", "chunked"],
)
def test_answers_are_those_of_httpx(serve: Serve, answer: bytes) -> None:
    """Guards status, unpacked body and head of an answer, twice by one connection."""
    seen = list[bytes]()
    url, theirs = serve(answer, seen=seen), httpx.post(serve(answer), content=b"{}")
    connection = asking(url)
    for name in ("first", "second"):
        ours = connection.post(b"{}", name)
        assert (ours.status_code, ours.content) == (theirs.status_code, theirs.content)
        assert dict(ours.headers) == dict(theirs.headers)
    connection.close()
    for sent, request in zip(seen, (b"first", b"second"), strict=True):
        assert sent.startswith(b"POST /v1/chat/completions HTTP/1.1\r\n")
        assert f"\r\nHost: {url.split('/')[2]}\r\n".encode() in sent
        assert b"\r\nIdempotency-Key: %s\r\n" % request in sent
        assert b"\r\nAuthorization: Bearer secret\r\n" in sent


def test_a_connection_that_the_server_closed_is_made_anew(serve: Serve) -> None:
    """Guards servers that close idle connections: a request that was never read would be counted as one that failed."""
    connection = asking(serve(whole(BODY), 1))
    for _ in range(3):
        assert connection.post(b"{}", "x").content == BODY
        threading.Event().wait(0.05)  # the server's end arrives
    connection.close()


@pytest.mark.parametrize(
    "answer",
    [whole(BODY)[:-5], b"", b"no HTTP at all\r\n\r\n", whole(BODY, b"200 OK", b"Content-Encoding: gzip"), None, "slow"],
    ids=["cut", "closed", "nonsense", "not packed", "no server", "slow"],
)
def test_errors_are_those_of_httpx(serve: Serve, answer: bytes | str | None) -> None:
    """Guards what is told of a fault, and that the next request does not meet what is left of it."""
    if answer is None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    else:
        url = serve(b"", 1000) if answer == "slow" else serve(answer, 1)
    timeout = 0.2 if answer == "slow" else 5.0
    with pytest.raises(httpx.RequestError) as theirs:
        httpx.post(url, content=b"{}", timeout=timeout)
    connection = asking(url, timeout)
    for _ in range(2):
        with pytest.raises(httpx.RequestError) as ours:
            connection.post(b"{}", "x")
        assert type(ours.value) is type(theirs.value)
    connection.close()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_certificates_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards https: who is not trusted gets no request, and the message says what to set; with it, the answer."""
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", "key.pem", "-out", "cert.pem"]
    words += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(["openssl", *words], cwd=tmp_path, check=True, capture_output=True)
    asked = list[bytes]()

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", str(len(BODY)))
            self.end_headers()
            self.wfile.write(BODY)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    safe = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    safe.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    server.socket = safe.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"https://localhost:{server.server_port}/v1"
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    try:
        for trusted in (False, True):
            if trusted:
                monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
            endpoint = Endpoint(url, None, 5.0, 0)
            reply = endpoint.post(b"{}", "one", Gate(1), 1)
            assert (reply is not None, len(asked)) == (trusted, int(trusted))
            assert ("is not trusted: self-signed certificate" in endpoint.last_fault) is not trusted
            endpoint.close()
    finally:
        server.shutdown()
        server.server_close()


def test_a_proxy_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the message behind a proxy: which one did not answer, without its password."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("http_proxy", f"http://me:secret@127.0.0.1:{port}")
    monkeypatch.setenv("no_proxy", "")
    endpoint = Endpoint("http://model.example/v1", None, 5.0, 0)
    assert endpoint.post(b"{}", "one", Gate(1), 1) is None
    assert endpoint.last_fault == f"no connection; asked by the proxy 127.0.0.1:{port}"
    endpoint.close()
