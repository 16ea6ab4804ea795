"""The commands that serve: a real process on a real port, its address, its log, its end, and what it refuses."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from truegain.judging.server.platforms import comer
from truegain.judging.server.serving import trusted
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import People


def started(*words: str) -> tuple[subprocess.Popen[str], str]:
    """A server that was started, and the address of its study, when it answers."""
    process = subprocess.Popen(
        [sys.executable, "-m", "truegain", "annotate", *words, "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"assessors \(\w+\): (\S+)", line):
            return process, found[1]
    raise AssertionError(process.communicate()[1])


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[subprocess.Popen[str], str, Path]]:
    """The demo in a folder, served by two processes."""
    folder = tmp_path_factory.mktemp("served") / "study"
    simulated_study(folder, topics=1, docs=8, judgments=1)
    process, url = started("serve", str(folder), "--workers", "2")
    yield process, url, folder
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_served_pages_answer_and_the_log_has_no_secrets(demo: tuple[subprocess.Popen[str], str, Path]) -> None:
    """Guards serving: two workers answer on this machine alone, the log tells no token, Ctrl-C ends it cleanly."""
    process, url, folder = demo
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/s/simulated/", url)
    with urllib.request.urlopen(url, timeout=60) as answer:
        assert "Welcome" in answer.read().decode()
        assert answer.headers.get("server") is None
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opener.open(url, data=b"action=next", timeout=60) as answer:
        token = answer.url.split("/")[4]
        assert "How relevant does it seem to you?" in answer.read().decode()
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 0, said
    assert "GET /u/*/consent 200" in said
    assert token not in said
    assert (folder / "judging.sqlite").is_file()


def cookie_of(url: str, source: str) -> str:
    """The cookie that a server sets for who comes from an address of this machine and says that TLS lies before it."""
    place = urllib.parse.urlsplit(url)
    link = http.client.HTTPConnection("127.0.0.1", place.port, timeout=60, source_address=(source, 0))
    link.request("POST", place.path, headers={"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"})
    answer = link.getresponse()
    link.close()
    return str(answer.headers["set-cookie"])


@pytest.mark.slow
@pytest.mark.parametrize(("proxies", "known"), [((), ""), (("127.0.0.2", "127.1.0.9/16"), "127.0.0.2 127.1.2.3")])
def test_a_proxy_is_believed_where_it_is_named(tmp_path: Path, proxies: tuple[str, ...], known: str) -> None:
    """Guards what proxies tell, such as that TLS lies before us: believed from named ones alone."""
    simulated_study(tmp_path / "study", topics=1, docs=8, judgments=1)
    process, url = started("serve", str(tmp_path / "study"), *(word for at in proxies for word in ("--proxy", at)))
    try:
        for source in ("127.0.0.1", "127.0.0.2", "127.1.2.3", "127.2.0.1"):
            believed = "secure" in cookie_of(url, source).lower()
            assert believed == (source in known.split()), source
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 0  # ended as by Ctrl-C: all is in the one file, and nobody else may read it
    assert not (tmp_path / "study" / "judging.sqlite-wal").exists()
    assert (tmp_path / "study" / "judging.sqlite").stat().st_mode & 0o077 == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("odd", "told"), [("proxy", "not the address"), ("0.0.0.0/0", "everyone"), ("", "not the address")]
)
def test_proxies_that_are_none_are_told(tmp_path: Path, odd: str, told: str) -> None:
    """Guards --proxy: what is no address, and what is all of them, is refused before anything is served."""
    simulated_study(tmp_path / "study", topics=1, docs=8, judgments=1)
    words = [
        sys.executable,
        "-m",
        "truegain",
        "annotate",
        "serve",
        str(tmp_path / "study"),
        "--proxy",
        odd,
        "--port",
        "0",
    ]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, told in " ".join(ended.stderr.split())) == (2, True), ended.stderr
    assert not ended.stdout
    assert not (tmp_path / "study" / "judging.sqlite").exists()


def test_addresses_of_proxies_in_both_forms() -> None:
    """Guards a socket of IPv6, which tells addresses of IPv4 as its own: a proxy is known by either."""
    assert trusted(["172.18.0.2"]) == ["172.18.0.2", "::ffff:172.18.0.2"]
    assert trusted([]) == []
    assert trusted(["172.18.7.1/16", "fd00::/8"])[-3:] == ["172.18.0.0/16", "::ffff:172.18.0.0/112", "fd00::/8"]


@pytest.mark.slow
def test_a_database_that_cannot_be_opened_is_told_alone(tmp_path: Path) -> None:
    """Guards the first lines: no address is given out for a study that is not served."""
    folder = tmp_path / "study"
    simulated_study(folder, topics=1, docs=8, judgments=1)
    (folder / "judging.sqlite").write_bytes(b"this is no database, " * 100)
    words = [sys.executable, "-m", "truegain", "annotate", "serve", str(folder), "--port", "0"]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (2, ""), ended.stderr
    assert "cannot open" in ended.stderr


@pytest.mark.slow
def test_port_in_use_is_told(tmp_path: Path) -> None:
    """Guards a second start: a sentence with what to do and exit code 2, before anything is made."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        words = [sys.executable, "-m", "truegain", "annotate", "demo", str(tmp_path / "new"), "--port", port]
        ended = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, "give another" in ended.stderr) == (2, True), ended.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_invitations_let_people_in(tmp_path: Path) -> None:
    """Guards invitations from the command line: each printed address holds one, and other studies need none."""
    folder = tmp_path / "study"
    simulated_study(folder, topics=1, docs=8, judgments=1, people=People("invitation"))
    words = [
        sys.executable,
        "-m",
        "truegain",
        "annotate",
        "invite",
        str(folder),
        "-n",
        "2",
        "--url",
        "https://a.example",
    ]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60)
    tokens = re.findall(r"^https://a\.example/s/simulated/\?invitation=(\S+)$", ended.stdout, re.M)
    assert len(set(tokens)) == 2, ended.stderr
    assert comer(People("invitation"), {"invitation": tokens[0]}).invitation == tokens[0]
    bad = subprocess.run([*words[:-1], "nowhere"], capture_output=True, text=True, timeout=60)
    assert (bad.returncode, "not the address of a server" in bad.stderr) == (2, True)


@pytest.mark.slow
def test_what_check_calls_wrong_is_not_served(tmp_path: Path) -> None:
    """Guards the promise of `check`: serve starts only where nothing is wrong, and tells what is, with exit code 2."""
    folder = tmp_path / "study"
    people = People(most=5)  # units of one topic: nobody sees one twice
    simulated_study(folder, task="graded", topics=1, docs=8, judgments=1, people=people)
    words = [sys.executable, "-m", "truegain", "annotate"]
    checked = subprocess.run([*words, "check", str(folder)], capture_output=True, text=True, timeout=60)
    assert (checked.returncode, "wrong: a person may take 5 units" in checked.stdout) == (2, True), checked.stderr
    ended = subprocess.run([*words, "serve", str(folder), "--port", "0"], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, "a person may take 5 units" in ended.stderr) == (2, True), ended.stderr
    assert ended.stdout == ""
    assert not (folder / "judging.sqlite").exists()


def test_the_help_and_the_docs_tell_the_limits() -> None:
    """Guards the numbers that organizers read: `serve --help` and the page have those that the server goes by."""
    from truegain.cli.annotate_serve import serve_command
    from truegain.judging.server import security, serving

    rates = security.RateLimits()
    numbers = {
        f"{security.LARGEST // 1024} KB", f"{serving.HEAD_SECONDS:.0f} s", f"{security.BODY_SECONDS:.0f} s",
        f"{serving.MOST:,} connections", f"{serving.PER_ADDRESS} from one address",
        f"{serving.READ_SECONDS:.0f} s", f"{rates.address_rate:.0f} requests a second",
        f"{rates.unit_rate:.0f} to one set", f"bursts of {rates.address_burst:.0f} and {rates.unit_burst:.0f}",
        f"every {1 / rates.begin_rate:.0f} s (bursts of {rates.begin_burst:.0f})",
    }  # fmt: skip
    told = " ".join((serve_command.__doc__ or "").split())
    assert [number for number in sorted(numbers) if number not in told] == []
    page = (Path(__file__).parents[2] / "docs" / "howto" / "annotate-serve.md").read_text()
    table = page[page.index("| sets held from one address") : page.index("Over a limit, the answer is")]
    assert [
        n for n in ("10 (`--per-address`)", "2,000", "250", "64 KB", "512 KB", "64 MB", "75 s") if n not in table
    ] == []
    said = f"{rates.address_burst:.0f} at once, then {rates.address_rate:.0f} a second; {rates.unit_burst:.0f}"
    assert said in table
