"""A server on this machine that plays an OpenAI-compatible endpoint, with the faults that real ones have."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

Body = dict[str, Any]


class Answer(NamedTuple):
    """What is sent: a status, a body, headers; `cut` ends the connection after so many bytes of the body."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = {}  # noqa: RUF012
    cut: int | None = None


Behavior = Callable[[Body, int], Answer | str | Body]


def completion(text: str | None, why: str = "stop", model: str = "judge-2026-01-01", **more: Any) -> Body:
    """The body of an answer, as servers write it."""
    message = {"role": "assistant", "content": text, **more.pop("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": why, **more.pop("choice", {})}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_790_000_000, "model": model, "choices": [choice],
        "usage": {"prompt_tokens": 300, "completion_tokens": 6}, "system_fingerprint": "fp_1", **more,
    }  # fmt: skip


def error(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    """A refusal, as servers write it."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": code}}).encode()
    return Answer(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def user_text(body: Body) -> str:
    """What the judge is asked, with how to answer."""
    return str(body["messages"][-1]["content"])


def labels_of(body: Body) -> list[str]:
    """The labels that the request lists last."""
    return user_text(body).rpartition("one of: ")[2].split(", ") if "one of: " in user_text(body) else (
        user_text(body).rpartition("nothing else: ")[2].split(", ")
    )  # fmt: skip


def label_for(body: Body) -> str:
    """A label that depends on what is asked, and on nothing else."""
    labels = labels_of(body)
    text = user_text(body).partition("Answer with")[0].partition("End your answer")[0]
    return labels[hashlib.sha256(text.encode()).digest()[0] % len(labels)]


def as_asked(body: Body, _: int) -> Body:
    """A judge without faults: answers in the way that it is asked."""
    label = label_for(body)
    if "response_format" in body:
        return completion(json.dumps({"label": label}))
    return completion(label if "guided_choice" in body else f"I looked at it.\n\nLabel: {label}")


class JudgeServer(ThreadingHTTPServer):
    """The endpoint; keeps every request with its headers."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, behave: Behavior = as_asked, delay: float = 0.0, idempotent: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behave, self.delay, self.idempotent = behave, delay, idempotent
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.known: dict[str, Answer] = {}
        self.paid = 0  # answers that were made, and not repeated by their Idempotency-Key
        self.in_flight = self.most_in_flight = 0
        self.making: set[str] = set()
        self.times: list[float] = []
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)

    @property
    def url(self) -> str:
        """Where it is asked."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that were killed are no fault."""

    def answer(self, body: Body, headers: dict[str, str]) -> Answer:
        """What is sent for a request."""
        name = headers.get("idempotency-key", "")
        with self.lock:
            number = len(self.requests)
            self.requests.append(body)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            while self.idempotent and name in self.making:  # the same request is being answered: one answer for both
                self.changed.wait()
            if self.idempotent and name in self.known:
                return self.known[name]
            self.making.add(name)
            self.in_flight += 1
            self.most_in_flight = max(self.in_flight, self.most_in_flight)
        time.sleep(self.delay)
        made = self.behave(body, number)
        made = completion(made) if isinstance(made, str) else made
        answer = made if isinstance(made, Answer) else Answer(200, json.dumps(made, ensure_ascii=False).encode())
        with self.lock:
            self.in_flight -= 1
            self.making.discard(name)
            self.paid += answer.status == 200
            if answer.status == 200:
                self.known[name] = answer
            self.changed.notify_all()
        return answer


class Handler(BaseHTTPRequestHandler):
    """One request, answered in one piece."""

    protocol_version = "HTTP/1.1"
    server: JudgeServer

    def do_POST(self) -> None:
        """Answer."""
        raw = self.rfile.read(int(self.headers["content-length"]))
        if self.path != "/v1/chat/completions":
            answer = error(404, "no such path")
        else:
            answer = self.server.answer(json.loads(raw), {k.lower(): v for k, v in self.headers.items()})
        head = f"HTTP/1.1 {answer.status} X\r\nContent-Type: application/json\r\nContent-Length: {len(answer.body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
        body = answer.body if answer.cut is None else answer.body[: answer.cut]
        self.wfile.write(head.encode() + b"\r\n" + body)
        self.close_connection = answer.cut is not None

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(behave: Behavior = as_asked, delay: float = 0.0, idempotent: bool = False) -> Iterator[JudgeServer]:
    """A server in a thread of this process."""
    server = JudgeServer(behave, delay, idempotent)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def write_study(folder: Path, topics: int = 3, docs: int = 4) -> None:
    """Topics, documents and a pool of all pairs."""
    lines = [json.dumps({"id": f"t{t}", "title": f"need number {t}"}) for t in range(topics)]
    (folder / "topics.jsonl").write_text("\n".join(lines) + "\n")
    lines = [
        json.dumps({"id": f"d{d}", "text": f"Text {d} says something about teas of hill {d}."}) for d in range(docs)
    ]
    (folder / "docs.jsonl").write_text("\n".join(lines) + "\n")
    rows = [f"t{t},d{d}\n" for t in range(topics) for d in range(docs)]
    (folder / "pool.csv").write_text("topic,doc\n" + "".join(rows))
