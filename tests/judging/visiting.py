"""Simulated assessors who come by HTTP: they read pages, fill in forms, and send again what got no answer."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple
from urllib.parse import urlencode

from truegain.judging.study.display import as_html
from truegain.judging.study.simulated import simulated_truth
from truegain.judging.study.study import JudgingStudy

HIDDEN = re.compile(r'<input type="hidden" name="(csrf|once|slot)" value="([^"]*)">')
LINE = re.compile(r'<line x1="8" y1="20" x2="([0-9.]+)"')
OPTION = re.compile(r'<input type="radio" name="choice" value="([^"]*)"[^>]*><span>([^<]*)</span>')
HEAD = r'<article [^>]*>\s*(?:<h2[^>]*>[^<]*</h2>\s*)?(?:<p class="quiet"[^>]*>[^<]*</p>\s*)?'
BODY = re.compile(HEAD + r"(.*?)\s*</article>", re.DOTALL)
CODE = re.compile(r'<p class="code" id="code">([^<]*)</p>')
AGAIN = (429, 503)  # statuses that ask to try again


class Lost(Exception):  # noqa: N818
    """The connection broke before the answer was whole."""


class Answer(NamedTuple):
    """What a server answered."""

    status: int
    location: str
    text: str
    cookie: str = ""
    wait: str = ""  # seconds after which to try again


class Link:
    """A connection that stays open; one that broke is made anew for the next request."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self, method: str, path: str, fields: Mapping[str, str] | None = None, cookie: str = "", **headers: str
    ) -> Answer:
        """Send a request, and read the answer."""
        body = urlencode(fields).encode() if fields is not None else b""
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Content-Length: {len(body)}"]
        lines += ["Content-Type: application/x-www-form-urlencoded"] if fields is not None else []
        lines += [f"Cookie: {cookie}"] if cookie else []
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        try:
            if self._open and self._open[0].at_eof():  # the server closes what was idle for some seconds
                await self.close()
            if self._open is None:
                self._open = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            raise Lost("not reached") from None
        try:
            reader, writer = self._open
            writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
            return await _read(reader)
        except (OSError, asyncio.IncompleteReadError):
            await self.close()
            raise Lost("cut off") from None

    async def close(self) -> None:
        """Close it."""
        if self._open is not None:
            writer, self._open = self._open[1], None
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Answer:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    named = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    body = await reader.readexactly(int(named.get("content-length", "0")))
    return Answer(
        int(head[0].split()[1]),
        named.get("location", ""),
        body.decode(),
        named.get("set-cookie", ""),
        named.get("retry-after", ""),
    )


@dataclass(frozen=True)
class Knowledge:
    """What a good assessor of a simulated study knows: the right options, and what documents are worth."""

    study: str
    right: frozenset[str]
    worth: Mapping[str, float]

    @classmethod
    def of(cls, study: JudgingStudy) -> Knowledge:
        """That of a study."""
        truth = {(row.topic, row.doc): row.worth for row in simulated_truth(study.folder)}
        asked = [topic.question for topic in study.topics.values() if topic.question]
        worth = {
            str(as_html(study.documents[doc])): value for (_, doc), value in truth.items() if doc in study.documents
        }
        return cls(study.name, frozenset(question.options[question.right] for question in asked), worth)

    def fill(self, step: str, page: str, reason: str) -> dict[str, str]:
        """A page's form, filled in well."""
        form = {**dict(HIDDEN.findall(page)), "action": "next"}
        if step == "consent":
            form["consent"] = "yes"
        elif step == "practice":
            found = LINE.search(page)
            assert found, "a practice page without its line"
            form["number"] = f"{float(found[1]) - 8:.1f}"
        elif step == "topic":
            form["choice"] = next(key for key, text in OPTION.findall(page) if unescape(text) in self.right)
        elif step == "doc":
            found = BODY.search(page)
            assert found, "a page without its document"
            form |= {"number": f"{self.worth[found[1]]:g}", "reason": reason}
        return form


class Acked(NamedTuple):
    """A submit that was answered by a 303 which leads on: where it came from, and what was sent."""

    token: str
    step: str
    number: int
    fields: Mapping[str, str]


@dataclass
class Visitor:
    """An assessor: takes units and fills them in, keeps what the server acknowledged, and counts what went wrong."""

    port: int
    knows: Knowledge
    name: str
    patience: float = 30.0  # seconds in which a request is sent again and again
    pause: Callable[[], float] | None = None  # seconds before a page is sent
    acked: list[Acked] = field(default_factory=list)
    codes: dict[str, str] = field(default_factory=dict)
    troubles: Counter[str] = field(default_factory=Counter)
    asked: list[tuple[str, str, dict[str, str] | None]] = field(default_factory=list)  # every request
    submits: list[float] = field(default_factory=list)  # seconds until each was answered
    pages: list[float] = field(default_factory=list)
    on_trouble: Callable[[str, Mapping[str, str]], None] | None = None  # told of a submit that was not acknowledged
    _sent: int = 0

    def __post_init__(self) -> None:
        self.link = Link(self.port)

    @property
    def home(self) -> str:
        """Where people come in."""
        return f"/s/{self.knows.study}/"

    async def ask(self, method: str, path: str, fields: dict[str, str] | None = None) -> Answer:
        """Send a request until it is answered: what got lost, or was put off, is sent again as it was."""
        self.asked.append((method, path, fields))
        last = time.monotonic() + self.patience
        while True:
            began = time.perf_counter()
            try:
                answer = await self.link.ask(method, path, fields, f"truegain-{self.knows.study}={self.name}")
                if answer.status not in AGAIN:
                    (self.submits if method == "POST" else self.pages).append(time.perf_counter() - began)
                    return answer
                trouble = str(answer.status)
            except Lost as error:
                trouble = str(error)
            self.troubles[trouble] += 1
            if method == "POST" and fields and self.on_trouble:
                self.on_trouble(trouble, fields)
            if time.monotonic() > last:
                raise TimeoutError(f"{method} {path}: no answer in {self.patience:g} s, last {trouble}")
            await asyncio.sleep(0.1)

    async def enter(self) -> str:
        """Come in; the address of the unit, or of the page that says why there is none."""
        answer = await self.ask("GET", self.home)
        if answer.status == 200:  # the first time: the page that greets
            answer = await self.ask("POST", self.home, {"action": "next"})
        assert answer.status == 303, f"{self.name} could not come in: {answer.status}"
        return answer.location

    async def another(self) -> str:
        """Ask for one more unit, by the button on the last page of the one before."""
        answer = await self.ask("POST", f"/u/{list(self.codes)[-1]}/another", {"action": "next"})
        assert answer.status == 303, f"{self.name} asked for another: {answer.status}"
        return answer.location

    async def unit(self, at: str = "", *, until: tuple[str, int] | None = None) -> str:
        """A whole unit: its code, or where it ended otherwise; or the address of the step where to stop."""
        at = at or await self.enter()
        while True:
            if not at.startswith("/u/"):
                return at
            answer = await self.ask("GET", at)
            if answer.status == 303:
                at = answer.location
                continue
            assert answer.status == 200, f"GET {at}: {answer.status}"
            token, step, number = parts(at)
            if step == "done":
                code = CODE.search(answer.text)
                assert code, "done, and no code"
                self.codes[token] = code[1]
                return code[1]
            if (step, number) == until or step not in ("consent", "practice", "topic", "doc", "revise"):
                return at
            if self.pause:
                await asyncio.sleep(self.pause())
            at = await self.send(at, answer.text)

    async def send(self, at: str, page: str) -> str:
        """Fill a page in and send it; where that leads."""
        token, step, number = parts(at)
        self._sent += 1
        form = self.knows.fill(step, page, f"{self.name} says {self._sent}")
        answer = await self.ask("POST", at, form)
        assert answer.status == 303, f"POST {at}: {answer.status}"
        if answer.location != at:
            self.acked.append(Acked(token, step, number, form))
        return answer.location


def parts(at: str) -> tuple[str, str, int]:
    """Token, step and number of an address."""
    _, _, token, *step = at.split("/")
    return token, step[0] if step else "", int(step[1]) if len(step) > 1 else 0
