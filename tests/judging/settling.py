"""`truegain settle` with a team: the command as a process that is killed and started again, and people at its pages."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from random import Random
from subprocess import DEVNULL, STDOUT, Popen, run
from typing import Literal, NamedTuple, TypeVar

import httpx
from sqlalchemy import select

from tests.judging.served import Nest, Served, free_port
from tests.judging.visiting import HIDDEN
from truegain.judging.labels import labels_of_list
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.schema import answers, events, sessions, units
from truegain.judging.study.study import JudgingStudy, read_study
from truegain.judging.texts import catalogue
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
CORRECTED, TOO_LATE = catalogue()["team.corrected"], catalogue()["team.too_late"]


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


@dataclass
class Sent:
    """A label that was sent, or another in its place by Undo, and what the person was told of it.

    'unknown': no answer came, or one that says neither.  An Undo is such where the next page thanks for a decision: it
    came too late, or it was stored and that answer was killed.
    """

    token: str  # of the session that has the label
    doc: str
    label: str
    undo: bool = False
    told: Literal["acknowledged", "refused", "unknown"] = "unknown"


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
    sent: list[Sent] = field(default_factory=list)  # whatever came of it, noted before it is sent
    troubles: Counter[str] = field(default_factory=Counter)
    waits: list[tuple[float, str, float]] = field(default_factory=list)  # when, what was asked, seconds to its answer
    ended: str = ""  # the heading of the last page
    stop: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.base, follow_redirects=False, timeout=20)
        self.response: httpx.Response
        self.at = ""

    @property
    def given(self) -> int:
        """Labels and corrections that were acknowledged so far."""
        return sum(one.told == "acknowledged" for one in list(self.sent))

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

    def give(self, label: int, *, instead_of: Sent | None = None) -> str:
        """Label the document on the page, an Undo's `instead_of` what it corrects; the heading of what follows."""
        token = instead_of.token if instead_of else self.at.split("/")[2]
        one = Sent(token, self.doc, str(label), undo=instead_of is not None)
        self.sent.append(one)
        before, to = self.at, self.send(label=str(label))
        if not one.undo:  # any redirect that leads on says that it is stored; the same page again, that it is not
            one.told = "refused" if to == before else "acknowledged"
        heading = self.open(to)
        if one.undo:  # it leads to the same row in any case, whose page says what came of it
            text = words_of(self.response.text)
            one.told = "acknowledged" if CORRECTED in text else "refused" if TOO_LATE in text else "unknown"
        return heading

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
                heading = self.give(3 - true)
                if self.at.endswith("/doc/1"):  # else it was known in between, or there is no next row
                    heading = self._undo(self.sent[-1], true)
                continue
            heading = self.give(true)
        self.ended = heading
        self.client.close()

    def _undo(self, last: Sent, label: int) -> str:
        """Correct the last label, if that can be; the heading of what follows."""
        row = self.at
        heading = self.open(f"{row.rsplit('/doc', 1)[0]}/undo")
        if not self.at.endswith("/undo"):
            return heading
        return self.give(label, instead_of=last) if self.doc == last.doc else self.open(row)


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


class Differences(NamedTuple):
    """Between what was sent and what is stored: each is 0 where no label is lost, counted twice or made up."""

    lost: int = 0  # acknowledged, and not stored or not what counts
    doubled: int = 0  # stored more often than sent
    unsent: int = 0  # stored, and never sent or refused


def differences(sent: Sequence[Sent], stored: Sequence[str]) -> Differences:
    """Of one session: what a person sent of it, and the revisions that are stored, both oldest first.

    What was acknowledged is stored once, what was refused is not, and of what is unknown either may be.  The last
    revision counts: it is what was acknowledged last, or something unknown that was sent later.
    """
    sure = Counter(one.label for one in sent if one.told == "acknowledged")
    may = sure + Counter(one.label for one in sent if one.told == "unknown")
    have = Counter(stored)
    over = have - may
    unsent = sum(n for label, n in over.items() if label not in may)
    lost = (sure - have).total()
    last = max((at for at, one in enumerate(sent) if one.told == "acknowledged"), default=None)
    if last is not None and not lost:
        counts = {sent[last].label, *(one.label for one in sent[last:] if one.told == "unknown")}
        lost = int(stored[-1] not in counts)
    return Differences(lost, over.total() - unsent, unsent)


class Checked(NamedTuple):
    """What the database has of what people were told."""

    acknowledged: int  # labels, without Undo
    corrected: int  # by an Undo that was acknowledged
    refused: int
    unknown: int
    stored: int  # revisions
    late: int  # of them, after the row was given to someone else
    differences: Differences
    miscounted: int  # rows of which other labels count than people's last ones
    out_of_order: int

    @property
    def faults(self) -> int:
        """0: every acknowledged label is stored once and counts, nothing else is, and rows were given out in order."""
        return sum(self.differences) + self.miscounted + self.out_of_order


def checked(database: Database, folder: Path, workers: list[Worker]) -> Checked:
    """Hold what people sent against what is stored, what is stored against what counts, and claims against the list."""
    tables = (answers, sessions, units, events)
    every, had, rows, lines = database.read(lambda c: [c.execute(select(t).order_by(t.c.id)).all() for t in tables])
    stored = [row for row in every if row.kind == "item"]
    sent = [one for worker in workers for one in worker.sent]
    token = {row.id: row.token for row in had}
    given: dict[str, list[Sent]] = {}
    have: dict[str, list[str]] = {}
    for one in sent:
        given.setdefault(one.token, []).append(one)
    for row in stored:
        have.setdefault(token[row.session], []).append(row.typed)
    found = [differences(given.get(name, ()), have.get(name, ())) for name in {*given, *have}]
    people = Counter((row.assessor, row.unit) for row in had if row.outcome == "done")
    sums = Differences(*map(sum, zip(*found, strict=True))) if found else Differences()
    sums = sums._replace(doubled=sums.doubled + sum(n - 1 for n in people.values()))
    told = Counter((one.told, one.undo) for one in sent)
    study = read_study(folder)
    order = list(dict.fromkeys((one.topic, one.items[0].docs[0]) for one in study.units))
    place = {row.id: (row.topic, row.items[0]["docs"][0]) for row in rows}
    at = {row.id: place[row.unit] for row in had}
    done = {row.id for row in had if row.outcome == "done"}
    last = {row.session: row for row in stored if row.session in done and not row.late}
    counts = Counter((at[session], row.value) for session, row in last.items())
    kept = labels_of_list(database, study).labels
    counted = Counter(((label.topic, label.doc), value) for label in kept for value in label.labels)
    claimed = list(dict.fromkeys(at[line.session] for line in lines if line.kind == "claimed"))
    rank = {row: number for number, row in enumerate(order)}
    at_once = len(workers) - 1  # people who claim in the same moment may be told in another order
    out_of_order = sum(abs(rank[row] - number) > at_once for number, row in enumerate(claimed))
    out_of_order += sum((label.topic, label.doc) != row for label, row in zip(kept, order, strict=False))
    return Checked(
        told["acknowledged", False], told["acknowledged", True], told["refused", False] + told["refused", True],
        told["unknown", False] + told["unknown", True], len(stored), sum(row.late for row in stored), sums,
        len({row for row, _ in (counts - counted) + (counted - counts)}), out_of_order,
    )  # fmt: skip
