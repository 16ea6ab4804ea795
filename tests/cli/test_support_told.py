"""What cannot be done is said once, shortly, and what is said to do can be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_kept_labels import PLAN, SAMPLE, folder  # noqa: F401

INIT = ("init", "llm.qrels", "x.run", "y.run")


def test_init_with_a_list_that_nobody_judged(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards init: one refusal for both populations, and no next step that would fail."""
    run(*PLAN, "-o", "list.csv")
    code, out, _ = run(*INIT, "--gold", "list.csv")
    assert code == 0
    assert out.count("no row of this list has a label yet") == 1
    assert "no   for other topics like these, and for other topics and other collections: P@10, DCG@10, " in out
    assert "Next:" not in out
    assert "Nothing can be told yet: mend what is refused above, then truegain verdict study.toml" in out
    assert 'measure = ["P@10", "DCG@10"]' in (folder / "study.toml").read_text()  # what such a list can tell


def test_init_cuts_a_long_refusal(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards init against a screen of the same words: scales that differ are told in one line, up to its first stop."""
    (folder / "llm.qrels").write_text("".join(f"{t} 0 {d} {i}\n" for t in range(12) for i, d in enumerate("abcd")))
    (folder / "gold.qrels").write_text(
        "".join(f"{t} 0 {d} {(t + i) % 2}\n" for t in range(12) for i, d in enumerate("ab"))
    )
    _, out, _ = run(*INIT, "--gold", "gold.qrels")
    said = [line for line in out.splitlines() if "of different scales" in line]
    assert len(said) == 1
    assert said[0].endswith("gold labels 0, 1 ...")


@pytest.mark.parametrize("more", [("--show", "next"), ("--show", "shares"), ()])
def test_until_is_about_a_pair(run: Run, more: tuple[str, ...]) -> None:
    """Guards --until: refused where nothing would heed it."""
    code, _, err = run(*SAMPLE[:-2], *more, "--until", "certain")
    assert code == 2
    assert "--until certain is about what tells two systems apart; give --show next --pair a,b" in err


def test_looking_often_at_a_sample_of_holes(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the advice: a sample of holes with equal chances is sent to the list of holes, not to plan labels."""
    run(*SAMPLE, "--share", "1", "-o", "sample.csv")
    text = (folder / "sample.csv").read_text().replace(",\n", ",0\n")
    (folder / "judged.csv").write_text(text)
    code, _, err = run("verdict", *INIT[1:], "-m", "P@4", "--hole-sample", "judged.csv", "--anytime")
    assert code == 2
    assert "`truegain holes --show sample --fill predicted -o sample.csv`" in err
    assert "plan labels" not in err


def test_a_warning_is_told_once(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards plan labels -o, which looks at the runs twice: what it warns of is told once, and again the next time."""
    near = "".join(f"{t} Q0 {d} 0 {9 + i * 1e-9:.12f} x\n" for t in range(12) for i, d in enumerate("edcba"))
    (folder / "x.run").write_text(near)
    for name in ("one.csv", "two.csv"):
        code, _, err = run(*PLAN, "-o", name)
        assert code == 0
        assert err.count("scores differ only beyond float32") == 1
