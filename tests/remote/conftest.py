"""A web server on this machine, and a study in many places."""

from __future__ import annotations

import base64
import gzip
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cli.conftest import folder as folder
from tests.cli.conftest import run as run

QRELS = "".join(f"{t} 0 {d} {(t + n) % 3}\n" for t in range(1, 9) for n, d in enumerate("abcd"))
RUNS = {
    "best.run": "".join(f"{t} Q0 {d} 1 {9 - n} best\n" for t in range(1, 9) for n, d in enumerate("cabd")),
    "worst.run.gz": "".join(f"{t} Q0 {d} 1 {9 - n} worst\n" for t in range(1, 9) for n, d in enumerate("dxba")),
}
DOCS = "".join(f'{{"id": "{d}", "text": "word{n} and {d * n} of it"}}\n' for n, d in enumerate("abcdx" * 30))
FILES = {
    "q.qrels": QRELS.encode(),
    "docs.jsonl": DOCS.encode(),
    "docs.jsonl.gz": gzip.compress(DOCS.encode(), mtime=0),
    **{
        f"runs/{name}": gzip.compress(text.encode(), mtime=0) if name.endswith(".gz") else text.encode()
        for name, text in RUNS.items()
    },
}


class Handler(BaseHTTPRequestHandler):
    """Below /: files, listings and stretches.  /whole/: no stretches.  /locked/: with a password.  /cut/: not all."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str | None]] = []  # noqa: RUF012  shared on purpose

    def do_HEAD(self) -> None:
        """As GET, without the bytes."""
        self.answer(body=False)

    def do_GET(self) -> None:
        """A file, or what is in a folder."""
        self.answer(body=True)

    def answer(self, *, body: bool) -> None:
        """Find the file and send it the way its folder says."""
        path = urlsplit(self.path).path
        stretch = self.headers.get("Range")
        if body:
            self.asked.append((path, stretch))
        way, _, name = path[1:].partition("/") if path.startswith(("/whole/", "/locked/", "/cut/", "/refused/")) else (
            "", "", path[1:]
        )  # fmt: skip
        token = "Basic " + base64.b64encode(b"me:pass-word").decode()
        if way == "refused" or (way == "locked" and self.headers.get("Authorization") != token):
            self.reply(403 if way == "refused" else 401, b"", body)
        elif name == "" or name.endswith("/"):
            below = [f.removeprefix(name).split("/")[0] + ("/" if "/" in f.removeprefix(name) else "")
                     for f in FILES if f.startswith(name)]  # fmt: skip
            page = "".join(f'<a href="{link}">{link}</a>\n' for link in ["../", "?C=N;O=D", *dict.fromkeys(below)])
            self.reply(200, page.encode(), body)
        elif any(file.startswith(f"{name}/") for file in FILES):  # no slash: a page, as of most servers
            self.reply(200, b"<!DOCTYPE HTML>\n<title>Index</title>", body)
        elif name not in FILES:
            self.reply(404, b"", body)
        elif stretch and way != "whole" and way != "cut":
            first, _, last = stretch.removeprefix("bytes=").partition("-")
            data = FILES[name][int(first) : int(last) + 1]
            self.reply(206, data, body, f"bytes {first}-{int(first) + len(data) - 1}/{len(FILES[name])}")
        else:
            self.reply(200, FILES[name], body, cut=way == "cut")

    def reply(self, status: int, data: bytes, body: bool, place: str | None = None, *, cut: bool = False) -> None:
        """An answer; one that is cut has fewer bytes than it says."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        if place:
            self.send_header("Content-Range", place)
        self.end_headers()
        if body:
            self.wfile.write(data[: len(data) // 2] if cut else data)
        self.close_connection = cut

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a web server with the study on it."""
    pytest.importorskip("aiohttp")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture
def memory() -> Iterator[str]:
    """The address of the same study in fsspec's memory."""
    fsspec = pytest.importorskip("fsspec")
    fs = fsspec.filesystem("memory")
    for name, data in FILES.items():
        fs.pipe_file(f"/study/{name}", data)
    yield "memory://study"
    fs.rm("/study", recursive=True)


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """The same study on this machine."""
    folder = tmp_path / "study"
    for name, data in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def asked() -> Callable[[], list[tuple[str, str | None]]]:
    """What the web server was asked for since the last look."""

    def look() -> list[tuple[str, str | None]]:
        found = list(Handler.asked)
        Handler.asked.clear()
        return found

    look()
    return look
