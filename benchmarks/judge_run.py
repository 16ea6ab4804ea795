"""`python -m benchmarks.judge_run [PAIRS]`: what `truegain judge run` itself takes of each call, and its store of disk.

A server in another process answers at once, with bodies as providers send them (about 1 kB).  Our own time is the
processor time of the client's process, from reading the files to writing the labels, over the number of calls: it holds
the request, the commit to the store and the parsing, and nothing of the server.  The same for bare requests by httpx's
client, without anything of ours, stands beside it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import socket
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import httpx

from truegain.llm import Pace, run_judge

TOPICS = 100
WORDS = 250  # of a document
BODY = json.dumps(
    {
        "id": "chatcmpl-0123456789abcdef0123456789ab", "object": "chat.completion", "created": 1_790_000_000,
        "model": "judge-2026-01-01", "service_tier": "default", "system_fingerprint": "fp_0123456789",
        "choices": [{
            "index": 0, "logprobs": None, "finish_reason": "stop",
            "message": {"role": "assistant", "content": '{"label": "2"}', "refusal": None, "annotations": []},
        }],
        "usage": {
            "prompt_tokens": 640, "completion_tokens": 9, "total_tokens": 649,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0, "accepted_prediction_tokens": 0},
        },
    },
    indent=2,
).encode()  # fmt: skip
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


def serve(ports: Any) -> None:
    """Answer every request at once, in a process of its own."""
    listening = socket.create_server(("127.0.0.1", 0))
    ports.put(listening.getsockname()[1])
    while True:
        threading.Thread(target=_connection, args=(listening.accept()[0],), daemon=True).start()


def _connection(stream: socket.socket) -> None:
    waiting = b""
    while True:
        while b"\r\n\r\n" not in waiting:
            piece = stream.recv(1 << 16)
            if not piece:
                return
            waiting += piece
        head, _, rest = waiting.partition(b"\r\n\r\n")
        length = next(int(x.partition(b":")[2]) for x in head.lower().split(b"\r\n") if x.startswith(b"content-length"))
        while len(rest) < length:
            rest += stream.recv(1 << 16)
        waiting = rest[length:]
        stream.sendall(ANSWER)


def write_pool(folder: Path, pairs: int) -> None:
    """Topics, documents and all pairs of them."""
    docs = -(-pairs // TOPICS)
    topics = [json.dumps({"id": f"t{t}", "title": f"what is known of subject {t}"}) for t in range(TOPICS)]
    texts = [json.dumps({"id": f"d{d}", "text": f"{d} " + "lorem ipsum " * (WORDS // 2)}) for d in range(docs)]
    (folder / "topics.jsonl").write_text("\n".join(topics))
    (folder / "docs.jsonl").write_text("\n".join(texts))
    rows = [f"t{t},d{d}\n" for t in range(TOPICS) for d in range(docs)][:pairs]
    (folder / "pool.csv").write_text("topic,doc\n" + "".join(rows))


def bare(url: str, calls: int) -> float:
    """Processor time in milliseconds of one request by httpx alone."""
    data = json.dumps({"model": "judge", "messages": [{"role": "user", "content": "x" * 6 * WORDS}]}).encode()
    with httpx.Client(headers={"Content-Type": "application/json"}) as client:
        client.post(f"{url}/chat/completions", content=data)
        began = time.process_time()
        for _ in range(calls):
            client.post(f"{url}/chat/completions", content=data)
        return 1000 * (time.process_time() - began) / calls


def main() -> None:
    """Print our time a call and the size of the store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", nargs="?", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=8)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    ports: Any = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(ports,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ports.get()}/v1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pool(folder, given.pairs)
        alone = bare(url, min(2000, given.pairs))
        texts: dict[str, Any] = {
            "topics": folder / "topics.jsonl",
            "docs": folder / "docs.jsonl",
            "output": folder / "llm.csv",
        }
        wall, own = time.perf_counter(), time.process_time()
        run = run_judge(
            folder / "pool.csv", prompt="graded", models=["judge"], url=url, pace=Pace(given.concurrency), **texts
        )
        wall, own = time.perf_counter() - wall, time.process_time() - own
        size = sum(path.stat().st_size for path in folder.glob("llm.answers.sqlite*"))
        again = time.process_time()
        run_judge(folder / "pool.csv", prompt="graded", models=["judge"], url=url, **texts)
        again = time.process_time() - again
    server.terminate()
    print(f"{run.labels:,} labels, {run.requests:,} requests, {given.concurrency} at a time")
    print(
        f"own time: {1000 * own / run.requests:.3f} ms a call (httpx alone: {alone:.3f} ms); wall: {wall:.1f} s in all"
    )
    print(f"store: {size / 1e6:.2f} MB ({size / run.requests:,.0f} bytes an answer of {len(BODY):,})")
    print(f"all from the store: {again:.1f} s")


if __name__ == "__main__":
    main()
