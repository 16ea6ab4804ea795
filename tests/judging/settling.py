"""`truegain settle` with a team: the command as a process that is killed and started again, and people at its pages."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from random import Random
from subprocess import DEVNULL, STDOUT, Popen, run
from typing import NamedTuple, TypeVar

import httpx
from sqlalchemy import select

from tests.judging.served import Nest, Served, free_port
from tests.judging.visiting import HIDDEN
from truegain.judging.labels import labels_of_list
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.schema import answers, events, sessions, units
from truegain.judging.study.study import JudgingStudy, read_study
from truegain.planning.settle import Settling
from truegain.results.settlement import Label, Settlement
from truegain.study.study import Study

T = TypeVar("T")
MEASURE = "P@10"
TEXT = re.compile(r'<article [^>]*id="document"[^>]*>(.*?)</article>', re.DOTALL)
FORM = re.compile(r'<form[^>]*id="ask"[^>]*action="([^"]+)"')
HEADING = re.compile(r"<h1[^>]*>(.*?)</h1>", re.DOTALL)
TAG = re.compile(r"<[^>]+>")
LINK = re.compile(r"http://[^/\s]+(/s/\S+\?invitation=\S+)")
SECRET = re.compile(r"(/organize/\S+/decision)  password: (\S+)")
KNOWN = "Thank you, it is known"


def words_of(html: str) -> str:
    """Its text, spaces made one."""
    return " ".join(unescape(TAG.sub(" ", html)).split())


class Demo:
    """The files of `truegain demo`, and the truth: what is not in gold.qrels is 0."""

    def __init__(self, folder: Path) -> None:
        made = run([sys.executable, "-m", "truegain", "demo", str(folder)], capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        self.folder = folder
        rows = [line.split() for line in (folder / "gold.qrels").read_text().splitlines()]
        self.truth = {(topic, doc): int(label) for topic, _, doc, label in rows}

    def words(self, folder: Path, baseline: str, candidate: str, *more: object) -> list[str]:
        """The words of `truegain settle`."""
        files = [str(self.folder / name) for name in ("llm.qrels", "runs")]
        asked = ["--baseline", baseline, "--candidate", candidate, "-m", MEASURE, "--population", "fixed"]
        texts = ["--topics", str(self.folder / "queries.tsv"), "--docs", str(self.folder / "docs.jsonl")]
        return ["settle", *files, *asked, *texts, "--folder", str(folder), *map(str, more)]

    def settling(self, baseline: str, candidate: str) -> Settling:
        """The same question in Python."""
        runs = sorted(str(path) for path in (self.folder / "runs").iterdir())
        study = Study(runs, str(self.folder / "llm.qrels"), MEASURE)
        return Settling(study, baseline, [candidate], population="fixed")

    def label(self, topic: str, doc: str) -> int:
        """The true label."""
        return self.truth.get((topic, doc), 0)

    def undisturbed(self, baseline: str, candidate: str) -> Settlement:
        """The decision where one looks after every label, and people give true ones."""
        settling = self.settling(baseline, candidate)
        rows = [
            Label(t, d, (float(self.label(t, d)),))
            for t, d in zip(settling.listed.topics, settling.listed.docs, strict=True)
        ]
        return next(now for n in range(len(rows) + 1) if (now := settling.decide(rows[:n])).ended)


class Settled(Served):
    """`truegain settle` on one port, by one process after the other."""

    def __init__(self, nest: Nest, words: list[str], folder: Path, url: str = "") -> None:
        super().__init__(nest, folder, url or default_url(folder))
        self.words = [*words, "--port", str(self.port), "--database", self.url]

    def start(self) -> None:
        """Start it; it answers some seconds later."""
        self.process = int(self.nest.tell("start", self.words, str(self.log), "", None))

    @property
    def said(self) -> str:
        """All that its processes printed."""
        return self.failures()

    def links(self, number: int, seconds: float = 60.0) -> list[str]:
        """The links of people, once they are printed."""
        return waited(lambda: found if len(found := LINK.findall(self.said)) >= number else None, seconds, self.said)


class Running:
    """The command by itself, with its exit code."""

    def __init__(self, words: list[str], log: Path, port: int = 0) -> None:
        self.log, self.port = log, port or free_port()
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-m", "truegain", *words, "--port", str(self.port)]
        with log.open("ab") as out:
            self.process = Popen(command, stdin=DEVNULL, stdout=out, stderr=STDOUT, env=environment)

    @property
    def said(self) -> str:
        """All that it printed."""
        return self.log.read_text(errors="replace")

    @property
    def base(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def links(self, number: int) -> list[str]:
        """The links of people, once they are printed and the server answers."""
        links = waited(lambda: found if len(found := LINK.findall(self.said)) >= number else None, 60.0, self.said)
        waited(lambda: _answers(self.base) or None, 60.0, self.said)
        return [f"{self.base}{link}" for link in links]

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(30)


def _answers(base: str) -> bool:
    try:
        return httpx.get(base).status_code > 0
    except httpx.TransportError:
        return False


def waited(found: Callable[[], T | None], seconds: float, about: object = "") -> T:
    """What a function finds, once it finds something."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if (value := found()) is not None:
            return value
        time.sleep(0.05)
    raise TimeoutError(f"nothing in {seconds:g} s: {str(about)[-2000:]}")


class Acknowledged(NamedTuple):
    """A label whose submit was answered by a redirect that leads on."""

    token: str
    doc: str
    label: str
    undo: bool


@dataclass
class Worker:
    """One of a team over HTTP: labels what comes by the truth, and sends again what got no answer."""

    base: str
    link: str
    docs: Mapping[str, str]  # the documents by their texts
    label: Callable[[str], int]
    draws: Random
    every: float = 0.0  # seconds a label
    undo: float = 0.0  # share of labels that are wrong at first, and corrected
    patience: float = 60.0
    acknowledged: list[Acknowledged] = field(default_factory=list)
    troubles: Counter[str] = field(default_factory=Counter)
    waits: list[tuple[float, str, float]] = field(default_factory=list)  # when, what was asked, seconds to its answer
    ended: str = ""  # the heading of the last page
    stop: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.base, follow_redirects=False, timeout=20)
        self.response: httpx.Response
        self.at = ""

    def ask(self, method: str, path: str, fields: Mapping[str, str] | None = None) -> httpx.Response:
        """Send a request until it is answered, the same each time."""
        last = time.monotonic() + self.patience
        while True:
            began = time.perf_counter()
            try:
                answer = self.client.request(method, path, data=fields)
                if answer.status_code not in (429, 503):
                    self.waits.append((time.time(), method, time.perf_counter() - began))
                    return answer
                trouble = str(answer.status_code)
            except httpx.TransportError as error:
                trouble = type(error).__name__
            self.troubles[trouble] += 1
            assert time.monotonic() < last, f"{method} {path}: no answer in {self.patience:g} s, last {trouble}"
            time.sleep(0.05)

    def open(self, path: str) -> str:
        """Go to a page by all redirects; its heading."""
        self.at, self.response = path, self.ask("GET", path)
        while self.response.status_code == 303:
            self.at = self.response.headers["location"]
            self.response = self.ask("GET", self.at)
        assert self.response.status_code == 200, f"{self.at}: {self.response.status_code} {self.response.text[:300]}"
        found = HEADING.search(self.response.text)
        return words_of(found[1]) if found else ""

    def send(self, **fields: str) -> str:
        """Send the page's form; where that leads ('': nowhere, the page stays)."""
        found = FORM.search(self.response.text)
        action = found[1] if found else self.at
        hidden = {name: unescape(value) for name, value in HIDDEN.findall(self.response.text)}
        answer = self.ask("POST", action, {**hidden, **fields})
        assert answer.status_code == 303, f"{action}: {answer.status_code} {words_of(answer.text)[:300]}"
        return str(answer.headers["location"])

    @property
    def doc(self) -> str:
        """The document on the page."""
        found = TEXT.search(self.response.text)
        assert found, words_of(self.response.text)[:300]
        return self.docs[words_of(found[1])]

    def come(self) -> str:
        """By the link, and agree."""
        heading = self.open(self.link)
        if self.at.endswith("/consent"):
            heading = self.open(self.send(action="next", consent="yes"))
        return heading

    def give(self, label: int, *, undo: bool = False) -> str:
        """Label the document on the page; the heading of the page that follows."""
        token, doc = self.at.split("/")[2], self.doc
        to = self.send(label=str(label))
        self.acknowledged.append(Acknowledged(token, doc, str(label), undo))
        return self.open(to)

    def work(self) -> None:
        """Label until a page says that it is over."""
        heading = self.come()
        due = time.monotonic()
        while not self.stop.is_set():
            if not self.at.endswith("/doc/1"):
                if "no document for you" not in heading:
                    break
                self.stop.wait(0.3)
                heading = self.open(self.at)
                continue
            due = max(due, time.monotonic() - self.every) + self.every
            self.stop.wait(max(0.0, due - time.monotonic()))
            true = self.label(self.doc)
            if self.draws.random() < self.undo:
                before = self.doc
                heading = self.give(3 - true)
                if not self.at.endswith("/doc/1"):
                    break  # it was known in between
                heading = self.open(f"{self.at.rsplit('/doc', 1)[0]}/undo")
                if self.at.endswith("/undo") and self.doc == before:
                    heading = self.give(true, undo=True)
                continue
            heading = self.give(true)
        self.ended = heading
        self.client.close()


def texts_of(study: JudgingStudy) -> dict[str, str]:
    """The documents of a study by what a page shows of them."""
    return {" ".join(f"{d.title} {d.source} {d.text}".split()): name for name, d in study.documents.items()}


def label_of(demo: Demo, study: JudgingStudy) -> Callable[[str], int]:
    """The truth by document; no document of the demo belongs to two topics."""
    topic = {unit.items[0].docs[0]: unit.topic for unit in study.units}
    return lambda doc: demo.label(topic[doc], doc)


@contextmanager
def at_work(workers: list[Worker]) -> Iterator[list[threading.Thread]]:
    """Let people work beside the block; what one of them raises is raised at its end."""
    raised: list[BaseException] = []

    def one(worker: Worker) -> None:
        try:
            worker.work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=one, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield threads
    finally:
        for worker in workers:
            worker.stop.set()
        for thread in threads:
            thread.join(90)
    if raised:
        raise raised[0]


class Checked(NamedTuple):
    """What the database has of what people were told."""

    acknowledged: int
    stored: int
    lost: int
    doubled: int
    out_of_order: int


def checked(database: Database, folder: Path, workers: list[Worker]) -> Checked:
    """Hold acknowledged labels against the stored ones, at their last revision, and claims against the list's order."""
    tables = (answers, sessions, units, events)
    stored, had, rows, lines = database.read(lambda c: [c.execute(select(t).order_by(t.c.id)).all() for t in tables])
    by_token = {row.token: row for row in had}
    last = {row.session: row.typed for row in stored if row.kind == "item"}
    given = {
        (a.token if not a.undo else _token_of(a, worker)): a.label for worker in workers for a in worker.acknowledged
    }
    lost = sum(last.get(by_token[token].id) != label for token, label in given.items())
    item = [row for row in stored if row.kind == "item"]
    undone = sum(a.undo for worker in workers for a in worker.acknowledged)
    unacknowledged = sum(row.session not in {by_token[t].id for t in given} for row in item)
    doubled = len(item) - unacknowledged - len(given) - undone
    people = Counter((row.assessor, row.unit) for row in had if row.outcome == "done")
    doubled += sum(n - 1 for n in people.values())
    place = {row.id: (row.topic, row.items[0]["docs"][0]) for row in rows}
    unit = {row.id: row.unit for row in had}
    claimed = list(dict.fromkeys(place[unit[line.session]] for line in lines if line.kind == "claimed"))
    study = read_study(folder)
    order = list(dict.fromkeys((one.topic, one.items[0].docs[0]) for one in study.units))
    rank = {row: at for at, row in enumerate(order)}
    at_once = len(workers) - 1  # people who claim in the same moment may be told in another order
    out_of_order = sum(abs(rank[row] - at) > at_once for at, row in enumerate(claimed))
    kept = labels_of_list(database, study).labels
    out_of_order += sum((label.topic, label.doc) != row for label, row in zip(kept, order, strict=False))
    return Checked(len(given), len(item), lost, doubled, out_of_order)


def _token_of(one: Acknowledged, worker: Worker) -> str:
    """The token of the label that was corrected: the last of the same document before."""
    at = worker.acknowledged.index(one)
    return next(a.token for a in reversed(worker.acknowledged[:at]) if a.doc == one.doc and not a.undo)
