"""`truegain report` with results that are kept: the same page as without, and never one of other inputs."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.report import worlds
from tests.test_cache import poison
from truegain.experiments.worlds import noisy_ratings
from truegain.report import gather
from truegain.results.cache import sealed, unsealed
from truegain.results.serialization import packed, unpacked

PLAIN = 'judgments = "true.qrels"\nruns = "runs"\n'
GOLD = 'judgments = "llm.qrels"\nruns = "runs"\ngold = "gold.qrels"\ndesign = "random"\n'
RATED = 'judgments = "ratings.csv"\nruns = "runs"\naggregate = "mean"\npopulation = "topics,assessors"\n'
HOLES = 'judgments = "true.qrels"\nruns = "runs"\nunjudged-sample = "holes.qrels"\n'
COLLECTION = 'judgments = "true.qrels"\nruns = "runs"\npopulation = "topics,collection"\nresamples = 100\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs, of which one lacks a topic, judgments with holes and labels of these, an erring judge's, gold, ratings."""
    runs, judged = worlds.world(4, 5)
    bronze, gold = worlds.noisy(judged)
    tg.write_runs(runs, f"{tmp_path}/runs/")
    short = tmp_path / "runs/sys-1.run"
    short.write_text("".join(x for x in short.read_text().splitlines(True) if not x.startswith("03 ")))
    whole = worlds.world(4)[1]
    lines = [x.split() for path in (tmp_path / "runs").iterdir() for x in path.read_text().splitlines()]
    first = {(x[0], x[2]) for x in lines if int(x[3]) <= 5 and int(x[2][1:]) % 5 == 0}  # unjudged
    pairs = zip(whole.topic.strings(), whole.docs.strings(), strict=True)
    holes = whole.take(np.flatnonzero([pair in first for pair in pairs])[::2])
    for name, labels in (("true", judged), ("llm", bronze), ("gold", gold), ("holes", holes)):
        tg.write_judgments(labels, tmp_path / f"{name}.qrels")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tg.write_judgments(noisy_ratings(judged, assessors=3, highest=2, seed=5), tmp_path / "ratings.csv")
    return tmp_path


def page(run: Run, folder: Path, *words: str, study: str | None = None) -> tuple[str, str]:
    """The page of a study but for the command, which names other words, and what was told."""
    if study is not None:
        (folder / "study.toml").write_text(study)
    code, out, err = run("report", "study.toml", "-o", "-", *words)
    assert code == 0, err
    return re.sub(r"truegain report study.toml[^<\"]*", "", out), err


def measured(study: str, *measures: str) -> str:
    """A study of these measures."""
    return f"{study}measure = {list(measures)}\n".replace("'", '"')


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("study", "first", "more"),
    [
        (PLAIN, ["AP", "nDCG@10"], ["P@20", "AP", "nDCG@10"]),
        (GOLD, ["P@10"], ["P@10", "DCG@10"]),
        (RATED, ["nDCG@10"], ["nDCG@10", "P@10"]),
        (COLLECTION, ["P@5"], ["P@5", "P@20"]),
        (HOLES, ["P@5"], ["P@5", "P@20"]),
    ],
)
def test_one_measure_more_has_the_page_of_both_at_once(
    run: Run, folder: Path, study: str, first: list[str], more: list[str]
) -> None:
    """Guards all that is kept for each measure: none of it depends on which others were asked for before."""
    page(run, folder, study=measured(study, *first))
    kept = page(run, folder, study=measured(study, *more))
    assert kept == page(run, folder, "--cache", "none")
    assert kept == page(run, folder)


@pytest.mark.slow
def test_nothing_is_read_again(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the second page: runs are not read for it, of a measure more two files alone; warnings are told again."""
    before = page(run, folder, study=measured(PLAIN, "P@10"))
    assert "not answered by all systems" in before[1]
    monkeypatch.setattr(gather, "read_runs", lambda *_, **__: pytest.fail("read again"))
    assert page(run, folder) == before
    page(run, folder, study=measured(PLAIN, "P@10", "P@5"))


def swapped(folder: Path) -> None:
    """Another order of documents in a run: as many bytes, and the same times."""
    path = folder / "runs/sys-4.run"
    about = path.stat()
    path.write_text("".join(x.replace(" d00 ", " d?? ").replace(" d01 ", " d00 ").replace(" d?? ", " d01 ")
                            for x in path.read_text().splitlines(True)))  # fmt: skip
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert path.stat().st_size == about.st_size


def relabeled(folder: Path) -> None:
    """Another label of a document in each kind of judgments."""
    for name in ("true.qrels", "llm.qrels", "gold.qrels"):
        lines = (folder / name).read_text().splitlines()
        head, _, label = lines[7].rpartition(" ")
        lines[7] = f"{head} {2 - int(float(label))}" if label.strip() != "1" else f"{head} 2"
        (folder / name).write_text("\n".join(lines) + "\n")


@pytest.mark.few(1)
@pytest.mark.parametrize(("study", "change"), [(PLAIN, swapped), (PLAIN, relabeled), (GOLD, relabeled)])
def test_a_file_that_changed_is_seen(run: Run, folder: Path, study: str, change: Callable[[Path], None]) -> None:
    """Guards against a stale page: content decides, not size, time or name."""
    before = page(run, folder, study=measured(study, "P@10"))
    change(folder)
    after = page(run, folder)
    assert after != before
    assert after == page(run, folder, "--cache", "none")


@pytest.mark.slow
def test_names_of_assessors_are_of_what_was_read(run: Run, folder: Path) -> None:
    """Guards a file that an option names: with other names in it the page is another."""
    names = folder / "names.txt"
    study = measured(f'{RATED}drop-assessors = "names.txt"\n', "P@10").replace(",assessors", "")
    names.write_text("assessor-1\n")
    before = page(run, folder, study=study)
    names.write_text("assessor-2\n")
    after = page(run, folder)
    assert after != before
    assert after == page(run, folder, "--cache", "none")


def test_what_can_be_read_only_once_is_not_kept(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards runs from standard input: they have no digest, so nothing may stand for them."""
    (folder / "study.toml").write_text(measured('judgments = "true.qrels"\nruns = ["runs/sys-4.run", "-"]\n', "P@10"))
    pages = []
    for name in ("sys-1", "sys-3"):
        text = io.TextIOWrapper(io.BytesIO((folder / f"runs/{name}.run").read_bytes()))
        monkeypatch.setattr(sys, "stdin", text)
        pages.append(page(run, folder)[0])
    assert pages[0] != pages[1]
    assert not (folder / ".truegain").exists()


@pytest.mark.slow
def test_how_columns_are_named_is_of_the_key(run: Run, folder: Path) -> None:
    """Guards --columns, which say what a file holds: another column of the same runs is another order."""
    for path in (folder / "runs").iterdir():
        lines = [x.split() for x in path.read_text().splitlines()]
        rows = "".join(f"{x[0]},{x[2]},{x[4]},{-float(x[4])}\n" for x in lines)
        (folder / f"{path.stem}.csv").write_text("topic,doc,one,two\n" + rows)
    study = measured('judgments = "true.qrels"\nruns = "sys-*.csv"\n', "P@10")
    page(run, folder, "--columns", "score=one", study=study)
    after = page(run, folder, "--columns", "score=two")
    assert after == page(run, folder, "--columns", "score=two", "--cache", "none")


@pytest.mark.slow
def test_a_damaged_table_is_made_again(run: Run, folder: Path) -> None:
    """Guards every kept file: cut in half it is told, and the page is the same."""
    before = page(run, folder, study=measured(PLAIN, "P@10"))
    files = sorted((folder / ".truegain").glob("*.kept"))
    assert len(files) >= 4
    for path in files:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    after, told = page(run, folder)
    assert after == before[0]
    assert told.count("damaged; it is computed again") == 1
    assert page(run, folder) == before


@pytest.mark.slow
def test_poisoned_files_run_nothing(run: Run, folder: Path) -> None:
    """Guards who gets a folder from somebody else: a pickle in every file runs no command, and the page is the same."""
    whole, _ = page(run, folder, study=measured(PLAIN, "P@10"))
    for path in (folder / ".truegain").glob("*.kept"):
        for data in (poison(f"touch {folder}/ran"), zlib.compress(poison(f"touch {folder}/ran"))):
            path.write_bytes(sealed(data, path.stem))
    again, told = page(run, folder)
    assert again == whole
    assert told.count("damaged; it is computed again") == 1
    assert not (folder / "ran").exists()


def no_systems(tree: Any, arrays: list[np.ndarray]) -> Any:
    """Names of systems that are gone, wherever they stand."""
    if isinstance(tree, list):
        if tree[:1] == ["tuple"] and any(isinstance(x, str) and x.startswith("sys-") for x in tree[1:]):
            return ["tuple"]
        return [no_systems(x, arrays) for x in tree]
    return tree


def far_items(tree: Any, arrays: list[np.ndarray]) -> Any:
    """Whole numbers that are far too large, in every array."""
    for array in arrays:
        if array.dtype.str == "<i4":
            array[:] = 2**30
    return tree


def long_lists(tree: Any, arrays: list[np.ndarray]) -> Any:
    """Stretches of far more entries than there are."""
    for array in arrays:
        if array.dtype.str == "<i8" and array.ndim == 1:
            array[-1:] = 2**40
    return tree


def crafted(data: bytes, change: Callable[[Any, list[np.ndarray]], Any]) -> bytes:
    """What is kept, with right types and digests, and other contents."""
    end = 8 + int.from_bytes(data[:8], "little")
    tree, heads = json.loads(data[8:end])
    arrays = []
    for items, shape, _ in heads:
        end += -end % 16
        found = np.frombuffer(data, items or "u1", int(np.prod(shape)), end).copy()
        arrays.append(found)
        end += found.nbytes
    shape = json.dumps([change(tree, arrays), heads], separators=(",", ":")).encode()
    out = len(shape).to_bytes(8, "little") + shape
    for found in arrays:
        out += bytes(-len(out) % 16) + found.tobytes()
    return out


@pytest.mark.few(1)
@pytest.mark.parametrize("change", [no_systems, far_items, long_lists])
def test_files_of_right_types_and_wrong_contents(
    run: Run, folder: Path, change: Callable[[Any, list[np.ndarray]], Any]
) -> None:
    """Guards crafted files that pass as what they should be: no traceback, told once, the same page, and kept anew."""
    before = page(run, folder, study=measured(GOLD, "P@10", "DCG@10"))
    for path in (folder / ".truegain").glob("*.kept"):
        data = zlib.decompress(unsealed(path.read_bytes(), path.stem))
        path.write_bytes(sealed(zlib.compress(crafted(data, change)), path.stem))
    after, told = page(run, folder)
    assert after == before[0]
    lines = [line for line in told.splitlines() if "damaged" in line]
    assert lines == ["warning: .truegain: the cache is damaged; everything is computed again"]
    assert [line for line in told.splitlines() if line not in lines] == before[1].splitlines()  # nothing twice
    assert page(run, folder) == before


def test_a_refusal_is_not_taken_for_damage(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards a mistyped pair: it is refused with what was warned of, and nothing is read again."""
    _, told = page(run, folder, study=measured(PLAIN, "P@10"))
    monkeypatch.setattr(gather, "read_runs", lambda *_, **__: pytest.fail("read again"))
    code, _, err = run("report", "study.toml", "-o", "-", "--pair", "sys-1,nobody")
    assert code == 2
    assert err.startswith(told)
    assert "nobody" in err.splitlines()[-1]


def test_a_file_that_changes_meanwhile_is_refused(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards digests: what is told and kept is of the bytes that were read, or there is no page and nothing kept."""
    read = tg.read_runs

    def later(files: list[str], **words: Any) -> Any:
        swapped(folder)
        return read(files, **words)

    monkeypatch.setattr(gather, "read_runs", later)
    (folder / "study.toml").write_text(measured(PLAIN, "P@10"))
    code, out, err = run("report", "study.toml", "-o", "-")
    assert (code, out) == (2, "")
    assert "runs/sys-4.run: the file changed while it was being read" in err
    assert not list(folder.glob(".truegain/*.kept"))


def test_kept_tables_cannot_be_written_to(folder: Path) -> None:
    """Guards arrays that come back from a file: read-only, as those that were made."""

    def keep(what: tuple[object, ...], make: Callable[[], Any], kind: Any) -> Any:
        return unpacked(packed(make()), kind)

    given = gather.Filed.of([str(p) for p in sorted((folder / "runs").iterdir())], "file", 1, keep)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranked, labels = given.on_common_topics(tg.read_judgments(folder / "true.qrels"), 0, False)
    assert not ranked.rank.flags.writeable
    assert "03" not in ranked.topics
    assert "03" not in labels.topic.values
