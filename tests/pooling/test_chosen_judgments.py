"""Judgments chosen to tell systems apart, and unjudged documents beside them."""

from __future__ import annotations

import itertools
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.pooling.test_next_to_judge import world
from truegain.cli.app import main
from truegain.data.batches import batches_of
from truegain.errors import InputError
from truegain.io.chunks import PartedFile, cuts_for
from truegain.pooling.next_to_judge import next_to_judge
from truegain.pooling.samples import draw_unjudged
from truegain.study.compare import compare

pytestmark = pytest.mark.filterwarnings("ignore::truegain.DataWarning")


def labeled(tmp_path: Path, most: int, why: bool = True) -> tuple[dict[str, dict[str, dict[str, float]]], str]:
    """Runs, and the list of what to judge next as a file, with labels; or the labels alone."""
    runs, truth = world()
    table = next_to_judge(runs, None, "P@10", most=most).table()
    rows = [[*map(str, row), str(truth[str(row[1])][str(row[2])])] for row in table.rows]
    keep = range(len(table.columns) + 1) if why else (1, 2, len(table.columns))
    lines = [",".join(row[k] for k in keep) for row in [[*table.columns, "label"], *rows]]
    (tmp_path / "next.csv").write_text("\n".join(lines) + "\n")
    return runs, str(tmp_path / "next.csv")


def test_unjudged_as_zero_is_refused(tmp_path: Path) -> None:
    """Guards every way from such judgments to a score with unjudged as 0: evaluate, compare, a study, correct."""
    runs, path = labeled(tmp_path, 60)
    given = tg.read_judgments(path)
    plain: dict[str, dict[str, float]] = {}
    for topic, doc, label in zip(given.topic.strings(), given.docs.strings(), given.label.tolist(), strict=True):
        plain.setdefault(topic, {})[doc] = label
    for refused in (
        lambda: tg.evaluate(runs, path, "P@10"),
        lambda: compare(runs, path, "P@10"),
        lambda: tg.intervals(runs, path, "P@10"),
        lambda: tg.Study(runs, path, "P@10").verdict("s0", "s1"),
        lambda: tg.correct(runs, path, "P@10", gold=tg.Gold(plain, design="random")),
        lambda: tg.Study(runs, path, "P@10").best(),
    ):
        said = r"chose 40 of the 60 labels .* 600 documents that P@10 counts are unjudged: .* fill='predicted'"
        with pytest.raises(InputError, match=said):
            refused()
    with pytest.raises(InputError, match=r"P@10, nDCG@10 or AP with fill='predicted' of tg.evaluate, which does not"):
        tg.evaluate(runs, path, "ERR@10")


def test_a_chosen_label_is_no_sample(tmp_path: Path) -> None:
    """Guards gold labels and samples of holes, which stand for what nobody saw, against labels of this list."""
    runs, path = labeled(tmp_path, 60)
    truth = world()[1]
    with pytest.raises(InputError, match="40 of the 60 gold labels are marked chosen=next"):
        tg.correct(runs, truth, "P@10", gold=tg.Gold(path, design="random"))
    seen = {t: {d: x for d, x in row.items() if d not in sorted(row)[::3]} for t, row in truth.items()}
    with pytest.raises(InputError, match="40 of the 60 labels of the sample are marked chosen=next"):
        tg.Study(runs, seen, "P@10", unjudged=path)


@pytest.mark.parametrize("name", ["j.qrels", "j.qrels.gz", "j.csv", "j.tsv", "j.jsonl", "j.parquet"])
def test_the_mark_stays_with_the_labels(tmp_path: Path, name: str) -> None:
    """Guards every kind of file that we write, gains made of ratings, and qrels that were put together."""
    _, path = labeled(tmp_path, 60)
    given, file = tg.read_judgments(path), tmp_path / name
    tg.write_judgments(given, file)
    read = tg.read_judgments(file)
    docs = {d for d, mark in zip(given.docs.strings(), given.chosen_rows, strict=True) if mark}
    assert int(given.chosen_rows.sum()) == 40
    assert {d for d, mark in zip(read.docs.strings(), read.chosen_rows, strict=True) if mark} == docs
    assert len(read) == 60


def test_lines_below_the_mark_are_marked(tmp_path: Path) -> None:
    """Guards qrels that were put together: what stands above the line was judged before."""
    (tmp_path / "all.qrels").write_text("1 0 a 1\n2 0 b 0\n#truegain: chosen = next\n1 0 c 1\n# done\n2 0 d 0\n")
    assert tg.read_judgments(tmp_path / "all.qrels").chosen_rows.tolist() == [False, False, True, True]
    (tmp_path / "other.qrels").write_text("# by truegain: chosen=next\n1 0 a 1\n")
    assert not tg.read_judgments(tmp_path / "other.qrels").chosen_rows.any()


def test_gains_of_chosen_ratings_are_chosen() -> None:
    """Guards `gains`, and ratings that `annotate export` wrote: a document that the list asked for stays one."""
    rows = [("1", d, who, 1.0, mark) for who in "xy" for d, mark in (("a", "next"), ("b", ""), ("c", "depth"))]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label", "chosen"], orient="row")
    made = tg.aggregate(tg.read_ratings(frame), "mean")
    assert dict(zip(made.docs.strings(), made.chosen_rows.tolist(), strict=True)) == {"a": True, "b": False, "c": False}


def test_batches_know_the_mark(tmp_path: Path) -> None:
    """Guards `memory`: judgments that are read in parts have the same mark on the same rows, and are refused alike."""
    runs, path = labeled(tmp_path, 60)
    tg.write_judgments(tg.read_judgments(path), tmp_path / "j.qrels")
    tg.write_runs(runs, tmp_path / "runs/")
    files = sorted(map(str, (tmp_path / "runs").iterdir()))
    with ExitStack() as stack:
        found = batches_of(files, str(tmp_path / "j.qrels"), jobs=1, memory="100MB", open_files=stack)
        assert found is not None
        assert sum(int(batch.judgments.chosen_rows.sum()) for batch in found) == 40
    said = []
    for memory in (None, "1 kB"):
        with pytest.raises(InputError) as caught:
            tg.evaluate(files, tmp_path / "j.qrels", ["P@10", "AP"], memory=memory)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert "chose 40 of the 60 labels" in said[0]


def test_each_part_is_marked_below_the_line(tmp_path: Path) -> None:
    """Guards topics that stand on both sides of the mark, in parts of a file that is sorted and of one that is not."""
    early = [f"{t} 0 d{i} 1\n" for t in range(40) for i in range(900)]
    late = [f"{t} 0 e{i} 1\n" for i in range(3) for t in range(0, 40, 3)]
    (tmp_path / "j.qrels").write_text("".join([*early, "# truegain: chosen=next\n", *late]))
    (tmp_path / "a.run").write_text("".join(f"{t} Q0 d0 1 1.0 a\n" for t in range(40)))
    with ExitStack() as stack:
        found = batches_of(
            [str(tmp_path / "a.run")],
            str(tmp_path / "j.qrels"),
            jobs=2,
            memory="1 kB",
            open_files=stack,
        )
        assert found is not None
        found.cuts = cuts_for([found.judgments.topic, found.runs[0].topic], 5)
        found.parted = [PartedFile(*lines.topic, found.cuts, stack) for lines in (found.judgments, *found.runs)]
        parts = [found.judged(part) for part in range(len(found))]
    assert len(parts) > 1
    for part in parts:
        assert [d.startswith("e") for d in part.docs.strings()] == part.chosen_rows.tolist()
    assert sum(int(part.chosen_rows.sum()) for part in parts) == len(late)


def test_the_list_as_qrels_is_read_by_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards `holes --show next -o next.qrels`: unjudged lines below the mark, to be filled in, added and refused."""
    runs, truth = world()
    tg.write_runs(runs, tmp_path / "runs/")
    seen = {t: {d: x for d, x in row.items() if d in sorted(row)[::4]} for t, row in truth.items()}
    tg.write_judgments(seen, tmp_path / "pool.qrels")
    files, listed = (str(tmp_path / "pool.qrels"), str(tmp_path / "runs")), tmp_path / "next.qrels"
    words = ("unjudged", *files, "-m", "P@10", "--show", "next", "--most", "30", "-o", str(listed))
    assert ended(*words) == 0
    lines = listed.read_text().splitlines()
    assert lines[0] == "# truegain: chosen=next"
    assert len(lines) == 31
    assert all(line.endswith(" -1") for line in lines[1:])
    rows = [line.split() for line in lines[1:]]
    listed.write_text("\n".join([lines[0], *(f"{t} 0 {d} {truth[t][d]}" for t, _, d, _ in rows)]) + "\n")
    assert ended(*words) == 2  # no label is written over
    both = tmp_path / "both.qrels"
    both.write_text((tmp_path / "pool.qrels").read_text() + listed.read_text())
    capsys.readouterr()
    for command in (("eval",), ("compare",), ("verdict", "--pair", "s0,s1")):
        assert ended(command[0], str(both), files[1], "-m", "P@10", *command[1:]) == 2
        assert "a list of what to judge next chose 30 of the " in capsys.readouterr().err
    assert ended("eval", str(both), files[1], "-m", "P@10", "--fill", "predicted") == 0


def ended(*words: str) -> int:
    """The exit code of a command."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["truegain", *words])
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
    return 0


UNJUDGED = ("n1", "n2", "x", "y", "z")


def test_who_has_no_score_has_bounds(tmp_path: Path) -> None:
    """Guards systems of which no document of their own was judged: lowest and highest, by brute force of all labels."""
    labels = {str(t): {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
    runs = {
        s: {str(t): {d: 9.0 - i for i, d in enumerate(docs)} for t in range(12)}
        for s, docs in {"x": "abcxyz", "y": "bacxyz", "z": "acbxyz", "new": ("a", "n1", "n2")}.items()
    }
    found = tg.evaluate(runs, labels, ["P@3", "AP@3", "R@3"], fill="predicted")
    assert np.isnan(found.matrix("P@3")[3]).all()
    assert found.bounds["P@3"]["new"] == pytest.approx((1 / 3, 1.0))
    for measure in ("AP@3", "R@3"):  # x, y, z, which stand below rank 3 in other lists, may be relevant, too
        full = [
            tg.evaluate(runs, {t: row | dict(zip(UNJUDGED, some, strict=True)) for t, row in labels.items()}, measure)
            for some in itertools.product((0, 1), repeat=len(UNJUDGED))
        ]
        by_topic = [scores.matrix()[3] for scores in full]
        wanted = np.min(by_topic, axis=0).mean(), np.max(by_topic, axis=0).mean()
        assert found.bounds[measure]["new"] == pytest.approx(wanted)
    assert "new has no score: P@3 is between 0.3333 and 1.0000" in found.table().notes[0]
    assert found.to_dict()["bounds"][0] == {
        "system": "new", "measure": "P@3", "low": found.bounds["P@3"]["new"][0], "high": 1.0
    }  # fmt: skip
    assert found.renamed({"new": "newer"}).bounds["P@3"].keys() == {"newer"}


def test_what_counts_no_unjudged_document_is_not_refused(tmp_path: Path) -> None:
    """Guards what may be done: predicted labels, condensed lists, Bpref, shares of judged documents, a sample."""
    runs, path = labeled(tmp_path, 60)
    tg.evaluate(runs, path, "P@10", fill="predicted")
    tg.evaluate(runs, path, ["P(judged_only=True)@10", "Bpref", "Judged@10", "NumRet"])
    tg.evaluate(runs, path, "P@10", scoring=tg.Scoring(judged_only=True))
    tg.Study(runs, path, "P(judged_only=True)@10").compare()
    sample = draw_unjudged(runs, path, "P@10", share=0.5)
    truth = world()[1]
    holes: dict[str, dict[str, int]] = {}
    for topic, doc, _ in sample.rows:
        holes.setdefault(str(topic), {})[str(doc)] = truth[str(topic)][str(doc)]
    tg.Study(runs, path, "P@10", unjudged=holes).compare()


def test_seeds_and_plain_labels_are_judgments_like_others(tmp_path: Path) -> None:
    """Guards against refusing what is known to be sound, documents by depth, or what nothing is known of."""
    runs, path = labeled(tmp_path, 20)
    tg.evaluate(runs, path, "P@10")
    tg.evaluate(*labeled(tmp_path, 60, why=False), "P@10")


def test_nothing_unjudged_nothing_refused(tmp_path: Path) -> None:
    """Guards the end of the list: with all documents judged the order does not matter."""
    runs, path = labeled(tmp_path, 10_000)
    truth = world()[1]
    assert tg.evaluate(runs, path, "P@10").means("s3") == tg.evaluate(runs, truth, "P@10").means("s3")


def test_the_command_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards exit 2 and the words of the command line."""
    runs, path = labeled(tmp_path, 60)
    for name, lists in runs.items():
        lines = [f"{t} Q0 {d} 1 {s} {name}\n" for t, row in lists.items() for d, s in row.items()]
        (tmp_path / name).write_text("".join(lines))
    monkeypatch.setattr(
        "sys.argv", ["truegain", "eval", path, str(tmp_path / "s0"), str(tmp_path / "s1"), "-m", "P@10"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert "verdict --unjudged-sample" in said
    assert "Traceback" not in said
