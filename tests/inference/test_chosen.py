"""Judgments chosen to tell systems apart, and unjudged documents beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

import truegain as tg
from tests.inference.test_next import world
from truegain.cli.app import main
from truegain.errors import InputError
from truegain.inference.differences.compare import compare
from truegain.inference.holes.next import judge_next
from truegain.inference.holes.sample import draw_holes

pytestmark = pytest.mark.filterwarnings("ignore::truegain.DataWarning")


def labelled(tmp_path: Path, most: int, why: bool = True) -> tuple[dict[str, dict[str, dict[str, float]]], str]:
    """Runs, and the list of what to judge next as a file, with labels; or the labels alone."""
    runs, truth = world()
    table = judge_next(runs, None, "P@10", most=most).table()
    rows = [[*map(str, row), str(truth[str(row[1])][str(row[2])])] for row in table.rows]
    keep = range(10) if why else (1, 2, 9)
    lines = [",".join(row[k] for k in keep) for row in [[*table.columns, "label"], *rows]]
    (tmp_path / "next.csv").write_text("\n".join(lines) + "\n")
    return runs, str(tmp_path / "next.csv")


def test_unjudged_as_zero_is_refused(tmp_path: Path) -> None:
    """Guards every way from such judgments to a score with unjudged as 0: evaluate, compare, a study, correct."""
    runs, path = labelled(tmp_path, 60)
    for refused in (
        lambda: tg.evaluate(runs, path, "P@10"),
        lambda: compare(runs, path, "P@10"),
        lambda: tg.intervals(runs, path, "P@10"),
        lambda: tg.Study(runs, path, "P@10").verdict("s0", "s1"),
        lambda: tg.correct(runs, path, "P@10", gold=path, design="random"),
    ):
        with pytest.raises(InputError, match=r"of the 600 that P@10 looks at are unjudged: .* fill='predicted'"):
            refused()


def test_what_counts_no_unjudged_document_is_not_refused(tmp_path: Path) -> None:
    """Guards what may be done: predicted labels, condensed lists, Bpref, shares of judged documents, a sample."""
    runs, path = labelled(tmp_path, 60)
    tg.evaluate(runs, path, "P@10", fill="predicted")
    tg.evaluate(runs, path, ["P(judged_only=True)@10", "Bpref", "Judged@10", "NumRet"])
    tg.evaluate(runs, path, "P@10", judged_only=True)
    tg.Study(runs, path, "P(judged_only=True)@10").compare()
    sample = draw_holes(runs, path, "P@10", share=0.5)
    truth = world()[1]
    holes: dict[str, dict[str, int]] = {}
    for topic, doc, _ in sample.rows:
        holes.setdefault(str(topic), {})[str(doc)] = truth[str(topic)][str(doc)]
    tg.Study(runs, path, "P@10", hole_sample=holes).compare()


def test_seeds_and_plain_labels_are_judgments_like_others(tmp_path: Path) -> None:
    """Guards against refusing what is known to be sound, documents by depth, or what nothing is known of."""
    runs, path = labelled(tmp_path, 20)
    tg.evaluate(runs, path, "P@10")
    tg.evaluate(*labelled(tmp_path, 60, why=False), "P@10")


def test_nothing_unjudged_nothing_refused(tmp_path: Path) -> None:
    """Guards the end of the list: with all documents judged the order does not matter."""
    runs, path = labelled(tmp_path, 10_000)
    truth = world()[1]
    assert tg.evaluate(runs, path, "P@10").means("s3") == tg.evaluate(runs, truth, "P@10").means("s3")


def test_the_command_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards exit 2 and the words of the command line."""
    runs, path = labelled(tmp_path, 60)
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
    assert "verdict --hole-sample" in said
    assert "Traceback" not in said
