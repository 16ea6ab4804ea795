"""S3 as a server speaks it: run where moto and s3fs are installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import truegain as tg
from tests.remote.conftest import FILES
from tests.remote.test_remote_text import SMALL, corpus
from truegain.io.files import expand
from truegain.parallel.jobs import Local, run_on
from truegain.text.indexing import index

s3fs = pytest.importorskip("s3fs")
moto = pytest.importorskip("moto.server")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a bucket with the study in it."""
    running = moto.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    running.start()
    for name, value in {
        "AWS_ENDPOINT_URL": "http://{}:{}".format(*running.get_host_and_port()),
        "AWS_ACCESS_KEY_ID": "me",
        "AWS_SECRET_ACCESS_KEY": "word",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    fs = s3fs.S3FileSystem()
    fs.makedirs("study", exist_ok=True)
    for name, data in FILES.items():
        fs.pipe_file(f"study/{name}", data)
    yield "s3://study"
    running.stop()
    s3fs.S3FileSystem.clear_instance_cache()


def test_runs_judgments_and_documents_in_a_bucket(bucket: str, local: Path, tmp_path: Path) -> None:
    """Guards S3: folders, patterns, stretches and packed files give what local files give, in processes too."""
    assert expand([f"{bucket}/runs"]) == expand([f"{bucket}/runs/*"]) == [
        f"{bucket}/runs/best.run", f"{bucket}/runs/worst.run.gz"
    ]  # fmt: skip
    far = tg.evaluate(f"{bucket}/runs/", f"{bucket}/q.qrels", ["AP", "nDCG@3"])
    assert str(far) == str(tg.evaluate(f"{local}/runs", f"{local}/q.qrels", ["AP", "nDCG@3"]))
    names = ["docs.jsonl", "docs.jsonl.gz"]
    index([f"{local}/{name}" for name in names], tmp_path / "near", SMALL)
    index([f"{bucket}/docs.jsonl*"], tmp_path / "far", SMALL, jobs=2)
    with run_on(Local(2, "processes")):
        index([f"{bucket}/docs.jsonl*"], tmp_path / "processes", SMALL)
    assert corpus(tmp_path / "far") == corpus(tmp_path / "near") == corpus(tmp_path / "processes")


@pytest.mark.parametrize(("address", "says"), [("none.qrels", "no such file"), ("none/*.run", "no file matches")])
def test_what_is_not_in_a_bucket(address: str, says: str, bucket: str) -> None:
    """Guards messages of S3."""
    with pytest.raises(tg.InputError, match=says):
        tg.read_runs(f"{bucket}/{address}")


def test_a_bucket_without_credentials(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the message where nothing says who asks."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(tg.InputError, match="access was refused: no credentials were found"):
        tg.read_judgments(f"{bucket}/q.qrels")
