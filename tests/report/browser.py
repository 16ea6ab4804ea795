"""Pages in Debian's Chromium, over its DevTools protocol on a pipe: what they ask for, say, look like and print as.

`tests/report/install.sh` (which `make test` runs) brings Chromium and axe-core; where it did, a browser that is gone is
an error, and elsewhere a reason to skip.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]
INSTALLED = ROOT / "build" / "browser"
AXE = INSTALLED / "node_modules" / "axe-core" / "axe.min.js"
READY = INSTALLED / "ready"  # written by install.sh when all is there
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
    "--hide-scrollbars", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--force-color-profile=srgb", "--remote-debugging-pipe",
)  # fmt: skip
ON_3_AND_4 = "import os,sys; r,w=map(int,sys.argv[1:3]); os.dup2(r,13); os.dup2(w,14); os.dup2(13,3); os.dup2(14,4); "
EXEC = ON_3_AND_4 + "os.execvp(sys.argv[3],sys.argv[3:])"
PATIENCE = 120.0  # seconds for an answer: a dead browser must not hang the tests
Message = dict[str, Any]


class BrowserError(Exception):
    """The browser is gone, slow, or refused a command."""


def missing() -> str:
    """Why there is no browser to test with; empty where there is one."""
    absent = [name for name, there in (("chromium", shutil.which("chromium")), ("axe-core", AXE.exists())) if not there]
    return f"no {' and no '.join(absent)}; `make build/browser/ready` as root installs both" if absent else ""


class Chromium:
    """A browser with a profile of its own; every page gets a tab of its own."""

    def __init__(self) -> None:
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        words = [sys.executable, "-c", EXEC, str(theirs_in), str(theirs_out), "chromium", *FLAGS]
        self._process = subprocess.Popen(
            [*words, f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer = b""
        self._number = 0
        self.events: deque[Message] = deque()

    def call(self, method: str, session: str | None = None, **parameters: Any) -> Message:
        """The answer to a command; what happens meanwhile is kept in `events`."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while True:
            answer = self.receive(PATIENCE)
            if answer.get("id") == number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            self.events.append(answer)

    def receive(self, seconds: float) -> Message:
        """The next message."""
        until = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(0.0, until - time.monotonic()))[0]:
                raise BrowserError(f"no word from the browser for {seconds:.0f} s")
            more = os.read(self._in, 1 << 20)
            if not more:
                raise BrowserError("the browser is gone")
            self._buffer += more
        first, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(first))

    def close(self) -> None:
        """End the browser and drop its profile."""
        self._process.terminate()
        self._process.wait(30)
        os.close(self._in)
        os.close(self._out)
        self.profile.cleanup()


class Tab:
    """One page, of a file or an address; `requests` and `said` hold all it asked for and its console said."""

    def __init__(
        self, browser: Chromium, page: Path | str, width: int = 1200, height: int = 900, *, dark: bool = False,
        script: bool = True,
    ) -> None:  # fmt: skip
        self.browser = browser
        self.requests: list[str] = []
        self.said: list[str] = []
        self._target = str(browser.call("Target.createTarget", url="about:blank")["targetId"])
        self._session = str(browser.call("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"])
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.call("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        self._wait_for("Page.loadEventFired")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.browser.call("Target.closeTarget", targetId=self._target)
        self.browser.events.clear()

    def call(self, method: str, **parameters: Any) -> Message:
        """A command to this page."""
        answer = self.browser.call(method, self._session, **parameters)
        self._heed()
        return answer

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression (a promise is waited for); the page's policy does not bind it."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def axe(self, **options: Any) -> list[Message]:
        """What axe-core finds, with everything unfolded: id, impact, where; `options` are those of axe.run."""
        self.unfold()
        self.evaluate(f"{AXE.read_text(encoding='utf-8')};0")
        found = self.evaluate(
            f"axe.run(document, {json.dumps({'resultTypes': ['violations'], **options})})"
            ".then((r) => r.violations.map((v) => "
            "({id: v.id, impact: v.impact, help: v.help, times: v.nodes.length, "
            "nodes: v.nodes.slice(0, 5).map((n) => n.html.slice(0, 160) + ' ' + (n.any[0] ? n.any[0].message : ''))})))"
        )
        return list(found)

    def unfold(self) -> None:
        """Open all that folds."""
        self.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")

    def picture(self, png: Path, height: int | None = None) -> None:
        """A picture of the page from its top, of its whole height or of so much."""
        tall = self.evaluate("document.documentElement.scrollHeight") if height is None else height
        wide = self.evaluate("document.documentElement.clientWidth")
        clip = {"x": 0, "y": 0, "width": wide, "height": tall, "scale": 1}
        got = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        png.write_bytes(base64.b64decode(got["data"]))

    def pdf(self) -> bytes:
        """The page as it is printed, with its headings as an outline."""
        got = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True, generateDocumentOutline=True,
                        generateTaggedPDF=True)  # fmt: skip
        return base64.b64decode(got["data"])

    def _wait_for(self, method: str) -> None:
        until = time.monotonic() + PATIENCE
        while not self._heed(method):
            self.browser.events.append(self.browser.receive(until - time.monotonic()))

    def _heed(self, wanted: str = "") -> bool:
        """Sort what happened; whether it was what is waited for."""
        came = False
        while self.browser.events:
            event = self.browser.events.popleft()
            if event.get("sessionId") != self._session:
                continue
            method, about = event["method"], event["params"]
            came = came or method == wanted
            if method == "Network.requestWillBeSent":
                self.requests.append(about["request"]["url"])
            elif method == "Runtime.consoleAPICalled":
                self.said.append(f"{about['type']}: {[a.get('value', a.get('description')) for a in about['args']]}")
            elif method == "Runtime.exceptionThrown":
                self.said.append(f"exception: {json.dumps(about['exceptionDetails'])[:500]}")
            elif method == "Log.entryAdded":
                self.said.append(f"{about['entry']['level']}: {about['entry']['text']}")
        return came
