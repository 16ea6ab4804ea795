"""The engine on Dask: the results of one machine, and clear words whatever happens to the cluster."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import dask
import numpy as np
import pytest

import truegain as tg
from tests.parallel import pieces
from tests.parallel.conftest import LONG, Started, distributed
from truegain.errors import TruegainError
from truegain.io.memory import cores
from truegain.parallel import cluster as job
from truegain.parallel import connection, worker
from truegain.parallel.cluster import Cluster, Sizes
from truegain.parallel.connection import heard_after
from truegain.parallel.finished_pieces import KeptPieces
from truegain.parallel.jobs import Engine, Interrupted, Local, PieceError, Progress, engine_for
from truegain.results.cache import sealed
from truegain.results.serialization import packed, unpacked


def done(folder: Path) -> list[int]:
    """The pieces that were done, as often as they were."""
    return sorted(int(line) for line in (folder / "done").read_text().split())


@pytest.mark.smoke
@pytest.mark.few(1)
@pytest.mark.parametrize("number", [7, 1, 300])
def test_results_are_those_of_one_machine(started: Started, number: int, kept: Path) -> None:
    """Guards reproducibility: the same bits, in order, each piece with its own seed, and progress for each."""
    told: list[int] = []
    with tg.run_on(Cluster(started.address)) as engine:
        assert engine_for(2) is engine
        found = list(engine.run(pieces.draw, range(number), shared=0.5, seed=11, progress=told.append))
        assert any(kept.iterdir())
    assert found == list(Local(1).run(pieces.draw, range(number), shared=0.5, seed=11))
    assert told == [1] * number
    assert not any(kept.iterdir()), "what is whole needs no pieces"


def test_arrays_lie_on_workers_as_they_do_here(started: Started) -> None:
    """Guards bits on machines with wide vectors: numpy adds in another order where an array is not aligned."""
    shared = tuple(np.arange(size, dtype=np.float64) for size in (3, 300, 5000))
    with tg.run_on(Cluster(started.address)) as engine:
        found = list(engine.run(pieces.is_aligned, range(40), shared=shared))
    assert len({worker for worker, _ in found}) == 2, "one worker did everything: nothing went from worker to worker"
    assert all(all(aligned) for _, aligned in found)


def test_a_piece_that_fails_is_named(started: Started) -> None:
    """Guards against a table with a hole: the error names the piece, in the words of one machine."""
    with tg.run_on(Cluster(started.address)) as engine:
        with pytest.raises(PieceError, match=r"system bm25, topic 3: ValueError: no documents"):
            list(engine.run(pieces.fail, range(6), name=lambda p: f"system bm25, topic {p}"))
        with pytest.raises(PieceError, match="topic 0: no relevant document"):
            list(engine.run(pieces.refuse, [0], name=lambda p: f"topic {p}"))


def test_a_worker_that_dies_costs_only_its_pieces(started: Started, tmp_path: Path) -> None:
    """Guards against preempted workers: a death in the middle of a piece, and the same results."""
    with tg.run_on(Cluster(started.address)) as engine:
        found = list(engine.run(pieces.die_at_first, range(9), shared=str(tmp_path)))
    assert found == [p * p for p in range(9)]
    assert (tmp_path / "3").exists()


def test_a_piece_that_kills_its_workers_is_named(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a job that never ends: after so many deaths the piece is held to be their cause."""
    monkeypatch.setattr(connection, "DEATHS", 0)
    with started.client() as client:
        client.run_on_scheduler(pieces.blame_at_once)
    with (
        tg.run_on(Cluster(started.address)) as engine,
        pytest.raises(PieceError, match="while they worked on topic 0 "),
    ):
        list(engine.run(pieces.die, [0], name=lambda p: f"topic {p}"))


def noted(engine: Engine, folder: Path, progress: Progress | None = None) -> tuple[list[float], list[str]]:
    """Results of 30 pieces that leave lines behind, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        found = list(engine.run(pieces.noted, range(30), shared=(str(folder), 0.01), progress=progress, seed=3))
    return found, [str(warning.message) for warning in caught]


def test_a_lost_scheduler_is_told_and_the_next_run_goes_on(started: Started, tmp_path: Path, kept: Path) -> None:
    """Guards hours of work: what was finished is not done again, and what it warned of is told as on one machine."""

    def gone(self: connection.Crew, *, at_once: bool = False) -> None:
        raise connection.LostError("nobody answers")

    with (
        pytest.MonkeyPatch.context() as patched,
        pytest.raises(TruegainError) as caught,
        tg.run_on(Cluster(started.address)) as engine,
    ):
        noted(engine, tmp_path, lambda _: patched.setattr(connection.Crew, "look", gone))
    said = rf"{started.address}: the scheduler was lost \(nobody answers\); (\d+) of 30 pieces .* {kept}: run the same"
    found = re.match(said, str(caught.value))
    assert found is not None, caught.value
    settled(started)
    number, before = int(found[1]), done(tmp_path)
    assert 0 < number < 30
    (tmp_path / "done").unlink()
    told: list[int] = []
    with tg.run_on(Cluster(started.address)) as engine:
        again = noted(engine, tmp_path, told.append)
    assert len(done(tmp_path)) == 30 - number
    assert set(done(tmp_path)) | set(before) == set(range(30))
    assert told == [1] * 30
    assert again == noted(Local(2), tmp_path)
    assert again[1] == ["odd pieces are suspicious"]
    assert not any(kept.iterdir())


def test_no_worker_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against waiting for ever: after a while it is told that nobody is there."""
    monkeypatch.setattr(connection, "QUIET", -1)  # told at the first look, however late the next one is
    monkeypatch.setattr(job, "TICK", 0.1)
    with distributed.LocalCluster(
        n_workers=0, protocol="tcp", host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as alone:
        with pytest.warns(tg.DataWarning, match=r"no worker has joined yet; waiting for one, 1 seconds at most"):
            said = forlorn(alone.scheduler_address)
        assert "no worker joined within 1 seconds; start some with `dask worker tcp" in said


def forlorn(address: str) -> str:
    """What is said to who waits for workers."""
    with pytest.raises(TruegainError) as caught, tg.run_on(Cluster(address, patience=1)) as engine:
        list(engine.run(pieces.draw, range(3), shared=1.0))
    return str(caught.value)


def test_no_scheduler_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards a wrong address: told before anything is read, and at once where it is plain; Dask tries for long."""
    monkeypatch.setattr(connection, "SOON", 0.2)
    monkeypatch.setattr(connection, "ANSWER", 0.2)
    monkeypatch.setattr(connection, "WEB", 0.2)
    monkeypatch.setattr(connection, "needs", lambda *_: pytest.fail("Dask was asked"))

    def nobody(at: str) -> str:
        with pytest.raises(TruegainError, match=f"{at}: no scheduler answers there .* or check the address") as told:
            Cluster(at).__enter__()
        return str(told.value)

    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        assert "(Connection refused)" in nobody(f"tcp://127.0.0.1:{silent.getsockname()[1]}")
        silent.listen()
        assert "(it does not respond; one with certificates is tls://" in nobody(
            f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        )
    assert "(encoding with 'idna' codec failed" in nobody("tcp://a..b:8786")
    monkeypatch.setattr(connection, "WEB", 1.0)
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as page:
        threading.Thread(target=page.serve_forever, args=(0.05,), daemon=True).start()
        assert "(a web server does; a scheduler's dashboard has" in nobody(f"127.0.0.1:{page.server_address[1]}")
        page.shutdown()


@pytest.mark.parametrize("given", ["scheduler", "tcp://host", "a b:1", "tcp://h:65536"])
def test_what_is_no_address(given: str) -> None:
    """Guards against a connection to something that was not meant."""
    with pytest.raises(TruegainError, match=f"run_on '{given}': not an address; give that of a scheduler"):
        Cluster(given)


@pytest.mark.parametrize("number", ["0", "-1", "many", "", "100000", "9" * 30])
def test_how_many_processes_cannot_be_meant(number: str) -> None:
    """Guards this machine against more processes than it can hold."""
    with pytest.raises(TruegainError, match=f"run_on 'local:{number}': .*give .*local:{cores()}, one for each core"):
        Cluster(f"local:{number}")
    assert repr(Cluster("local")) == repr(Cluster(f"local:0{cores()}")) == f"Cluster('local:{cores()}')"


def test_an_interrupt_tells_what_was_done_and_drops_the_rest(started: Started, tmp_path: Path, kept: Path) -> None:
    """Guards Ctrl-C: what was finished is counted and said to be kept, what waits on the cluster is cancelled."""

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    said = rf"^\d+ of 500 pieces were finished; all .* are kept in {kept}: run the same again to continue from there$"
    with pytest.raises(Interrupted, match=said), tg.run_on(Cluster(started.address)) as engine:
        list(engine.run(pieces.noted, range(500), shared=(str(tmp_path), 0.01), progress=stop))
    settled(started)
    assert len(done(tmp_path)) < 400


@pytest.mark.slow
def test_further_interrupts_lose_neither_words_nor_processes() -> None:
    """Guards who presses Ctrl-C again and again while the command leaves: where pieces are kept is said, none stays."""
    there: list[connection.Crew] = []

    def press(timeout: float) -> None:
        for _ in range(2):  # the second one is heard at once
            signal.raise_signal(signal.SIGINT)

    def stop(_: int) -> None:
        there.append(engine._crew)  # type: ignore[attr-defined]
        patched.setattr(there[0].client, "close", press)
        raise KeyboardInterrupt

    said = r"pieces were finished; .* are kept in .*: run the same again"
    with (
        pytest.MonkeyPatch.context() as patched,
        pytest.raises(Interrupted, match=said),
        tg.run_on(Cluster("local:1")) as engine,
    ):
        list(engine.run(pieces.draw, range(9), shared=1.0, progress=stop))
    there[0].client.close(timeout=5)
    started = there[0].processes
    assert started is not None
    assert [one.returncode for one in started.workers] == [-signal.SIGKILL]
    assert not Path(started.folder.name).exists()


def test_only_a_few_pieces_are_under_way(started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards memory: pieces are handed out as results are taken, not all at once."""
    monkeypatch.setattr(Sizes, "next", lambda *_: 1)
    with tg.run_on(Cluster(started.address)) as engine:
        results = engine.run(pieces.noted, range(10_000), shared=(str(tmp_path), 0.0))
        next(results)
        settled(started)
        assert len(done(tmp_path)) <= 1 + 4 * 2
        results.close()  # type: ignore[attr-defined]


def settled(cluster: Started) -> None:
    """Wait until no worker has anything to do at three looks: between two tasks it may seem so at one."""
    with cluster.client() as client:
        until, idle = time.monotonic() + LONG, 0
        while idle < 3:
            assert time.monotonic() < until
            idle = 0 if any(client.processing().values()) else idle + 1
            time.sleep(0.05)


def test_a_lambda_does_not_travel(started: Started) -> None:
    """Guards against what means something else elsewhere: the function, or whose data it is, is named."""

    def inner(shared: object, piece: int, seed: object) -> int:
        return piece

    with tg.run_on(Cluster(started.address)) as engine:
        for work, named in ((lambda shared, piece, seed: piece, "<lambda>"), (inner, "<locals>.inner")):
            with pytest.raises(
                TruegainError, match=rf"tests\.parallel\.test_cluster\..*{named} cannot run on a cluster"
            ):
                list(engine.run(work, [1]))
        with pytest.raises(TruegainError, match=r"what pieces of tests\.parallel.pieces:draw share cannot be sent"):
            list(engine.run(pieces.draw, [1], shared=lambda: 1))


def test_versions_are_compared(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the bits: another version on any machine is refused, with its name and both versions."""
    ours = worker.versions()
    monkeypatch.setattr(connection, "_ours", lambda: {**ours, "numpy": "1.0"})
    said = rf"the scheduler {started.address} differs from this machine: numpy {ours['numpy']}, here 1.0; results"
    with pytest.raises(TruegainError, match=said), tg.run_on(Cluster(started.address)):
        pytest.fail("they differ")
    monkeypatch.setattr(connection.Crew, "_check_scheduler", lambda self: None)
    said = rf"the worker tcp://\S+ differs from this machine: numpy {ours['numpy']}, here 1.0; results"
    with pytest.raises(TruegainError, match=said), tg.run_on(Cluster(started.address)):
        pytest.fail("they differ")


@pytest.mark.usefixtures("usual_interrupts")
def test_an_interrupt_is_heard_when_dask_is_done() -> None:
    """Guards Ctrl-C in the midst of Dask's code, after which a command hangs; who insists is heard at once."""
    woken: list[int] = []

    def press(times: int) -> None:
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        woken.append(times)

    with pytest.raises(KeyboardInterrupt), heard_after(lambda: woken.append(0)):
        press(1)
    with pytest.raises(KeyboardInterrupt), heard_after():
        press(2)
    assert woken == [0, 1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.slow
def test_processes_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards local:1, which starts for the first job, replaces a worker that dies, and leaves nobody and no file."""
    (tmp_path / "spare").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spare"))
    with tg.run_on(Cluster("local:1")) as engine:
        assert engine._crew is None  # type: ignore[attr-defined]
        assert list(engine.run(pieces.die_at_first, range(4), shared=str(tmp_path))) == [0, 1, 4, 9]
        there, client = engine._crew.processes, engine._crew.client  # type: ignore[attr-defined]
        limits = client.run(pieces.memory_limit)
    assert list(limits.values()) == [None], "it would pause there for ever"
    assert (tmp_path / "3").exists()
    assert [worker.returncode for worker in there.workers] == [-signal.SIGKILL]
    assert not any((tmp_path / "spare").iterdir())


def test_processes_that_cannot_start_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards a broken installation: the last words of the worker, and no waiting."""
    monkeypatch.setattr(connection, "PROGRAM", "raise OSError('no room')")
    said = r"local:1: the worker processes did not start \(OSError: no room\)"
    with pytest.raises(TruegainError, match=said), tg.run_on(Cluster("local:1")) as engine:
        list(engine.run(pieces.draw, [1], shared=1.0))


@pytest.mark.parametrize("refused", ["process", "scheduler", "folder"])
def test_a_machine_that_starts_no_more_is_told(refused: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards a full machine: what it refused, in our words, not a traceback."""
    where: dict[str, tuple[object, str, Exception]] = {
        "process": (subprocess, "Popen", BlockingIOError(11, "Resource temporarily unavailable")),
        "scheduler": (distributed, "LocalCluster", RuntimeError("can't start new thread")),
        "folder": (tempfile, "TemporaryDirectory", OSError(28, "No space left on device")),
    }
    place, name, error = where[refused]

    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(place, name, refuse)
    with pytest.raises(TruegainError) as told, tg.run_on(Cluster("local:2")) as engine:
        list(engine.run(pieces.draw, [1], shared=1.0))
    assert str(told.value) == f"local:2: the worker processes did not start ({type(error).__name__}: {error})"


@pytest.mark.slow
def test_a_worker_process_ends_with_who_started_it(tmp_path: Path) -> None:
    """Guards against processes, and a folder, that stay when the command is killed: there is no other sign of it."""
    folder = tmp_path / "of the command"
    (folder / "dask-scratch-space").mkdir(parents=True)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        at = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        words = [sys.executable, "-c", connection.PROGRAM, at, str(folder)]
        child = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        child.stdin.close()  # type: ignore[union-attr]
        assert child.wait(LONG) == connection.LEFT  # not 1, of one that gave up
    assert not folder.exists()


def test_outside_a_block_nothing_runs() -> None:
    """Guards against a job that goes nowhere."""
    with pytest.raises(TruegainError, match="within a block; write with run_on"):
        list(Cluster("tcp://127.0.0.1:9").run(pieces.draw, [1], shared=1.0))


def test_without_the_library_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards a small installation: how to get what is missing."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = r"pip install 'truegain\[cluster\]'"
    with pytest.raises(TruegainError, match=said), tg.run_on(Cluster("local:1")):
        pytest.fail("there is no such library")


def test_kept_pieces_that_are_damaged_are_left_out(tmp_path: Path) -> None:
    """Guards the results: what was written is read whole, or not at all, and none counts twice."""
    one = KeptPieces(tmp_path / "pieces", lambda _: None).job("f", "a", "b", 0, bytes)
    one.keep(0, [b"0", b"1"])
    one.keep(2, [b"2"])
    one.keep(4, [b"4", b"5"])
    (one.folder / "1-3.kept").write_bytes((one.folder / "0-2.kept").read_bytes())
    damaged = one.folder / "2-3.kept"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    told: list[str] = []
    again = KeptPieces(tmp_path / "pieces", told.append).job("f", "a", "b", 0, bytes)
    assert again.stretches(9) == [(0, 2), (4, 6)]
    assert len(told) == 1
    assert "damaged; they are computed again" in told[0]
    assert (again.load(4, 6), again.load(2, 3), again.count) == ([b"4", b"5"], None, 4)
    assert not damaged.exists()
    other = KeptPieces(tmp_path / "pieces", lambda _: None).job("f", "a", "b", 1, bytes)
    assert other.stretches(9) == []


def test_kept_pieces_run_nothing(tmp_path: Path) -> None:
    """Guards those whose folder others can write to: a pickle in it, around results or one of them, is damage."""
    evil = b"cposix\nsystem\n(V" + f"touch {tmp_path}/ran".encode() + b"\ntR."
    told: list[str] = []
    one = KeptPieces(tmp_path / "pieces", told.append).job("f", "a", "b", 0, partial(unpacked, kind=float))
    one.keep(0, [packed(0.5)])
    one.keep(1, [evil])
    (one.folder / "2-3.kept").write_bytes(sealed(evil, f"{one.folder.name}/2-3.kept"))
    assert one.stretches(9) == [(0, 1)]
    assert not (tmp_path / "ran").exists()
    assert len(told) == 1


def test_a_folder_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    """Guards full disks: the job goes on, and it is told that nothing is kept."""
    (tmp_path / "file").write_text("")
    told: list[str] = []
    one = KeptPieces(tmp_path / "file" / "pieces", told.append).job("f", "a", "b", 0, bytes)
    one.keep(0, [b"0"])
    one.keep(1, [b"1"])
    assert len(told) == 1
    assert "cannot be kept in" in told[0]
    assert one.count == 0


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:8787", "ucx://h:1", "tcp://ann:s3cret@h:1", "tcp://h:1?token=s3cret", "tcp://h:100000"],
)
def test_what_is_no_scheduler_is_refused_at_once(address: str) -> None:
    """Guards addresses that Dask waits for and then fails on, and secrets in them."""
    with pytest.raises(tg.TruegainError, match="not an address") as told:
        tg.Cluster(address)
    assert "s3cret" not in str(told.value)


def test_tls_needs_certificates() -> None:
    """Guards tls:// without them: told at once, where Dask ends with a TypeError and hangs."""
    with socket.create_server(("127.0.0.1", 0)) as there:
        at = f"tls://127.0.0.1:{there.getsockname()[1]}"
        with pytest.raises(tg.TruegainError, match="names no certificates"), tg.run_on(tg.Cluster(at)):
            pass


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")
def test_tls_works_with_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards docs/howto/cluster.md: with the certificates in Dask's configuration a job runs, the same bits."""
    new = ["-newkey", "rsa:2048", "-nodes", "-days", "2"]
    for words in (
        ["req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ours"],
        ["req", *new[:3], "-keyout", "key.pem", "-out", "asked.pem", "-subj", "/CN=node"],
        [
            "x509",
            "-req",
            "-in",
            "asked.pem",
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-out",
            "cert.pem",
        ],
    ):
        subprocess.run(["openssl", *words], cwd=tmp_path, check=True, capture_output=True)
    ca, cert, key = (str(tmp_path / name) for name in ("ca.pem", "cert.pem", "key.pem"))
    certified = ("--tls-ca-file", ca, "--tls-cert", cert, "--tls-key", key)
    found = Started(1, tmp_path, "--no-nanny", certified=certified)
    settings = {"ca-file": ca, "client.cert": cert, "client.key": key}
    try:
        with dask.config.set({f"distributed.comm.tls.{name}": value for name, value in settings.items()}):
            with found.client():
                pass
            with tg.run_on(Cluster(found.address)) as engine:
                assert list(engine.run(pieces.draw, range(3), shared=0.5)) == list(
                    Local(1).run(pieces.draw, range(3), shared=0.5)
                )
    finally:
        found.end()


def test_an_address_is_no_engine() -> None:
    """Guards `run_on("tcp://...")`: told what to write."""
    with pytest.raises(tg.TruegainError, match=r"give one such as tg\.Cluster"), tg.run_on("tcp://127.0.0.1:1"):  # type: ignore[arg-type]
        pass


def test_a_worker_without_truegain_is_refused(started: Started) -> None:
    """Guards a worker that cannot import us: a task would end it, and the command would wait for another."""
    said = r"the worker tcp://\S+ has no truegain of this version .* there"
    with started.stranger(), pytest.raises(TruegainError, match=said), tg.run_on(Cluster(started.address)):
        pytest.fail("it cannot work")


def test_what_could_not_be_kept_is_not_said_to_be(tmp_path: Path) -> None:
    """Guards against "all finished ones are kept" after a disk was full."""
    told: list[str] = []
    home = KeptPieces(tmp_path / "kept", told.append)
    job = home.job("work", "shared", "pieces", 0, bytes)
    job.keep(0, [b"a", b"b"])
    assert home.told_where("all of them").startswith("all of them are kept in ")
    home.cannot(OSError(28, "No space left on device"))
    assert home.told_where("all of them").startswith("of the finished pieces only 2 could be kept in ")
    job.count = 0
    assert home.told_where("all of them").endswith("run the same again, from the beginning")
    assert len(told) == 1
