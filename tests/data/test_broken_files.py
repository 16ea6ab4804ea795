"""Every broken input is refused with a message that names the place, the text and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

import truegain as tg
from tests.data.broken import BROKEN, QRELS, RUN, Broken
from truegain.data.runs import RunPaths


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.name)
def test_broken_input_is_refused(case: Broken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards that bad data never becomes a score or a traceback: an InputError says what, where and what to do."""
    monkeypatch.chdir(tmp_path)
    judgments, runs = case.lay_out(tmp_path)
    with pytest.raises(tg.InputError) as caught:
        tg.evaluate(RunPaths.of(runs, **case.options), judgments, case.measure)  # type: ignore[arg-type]
    message = str(caught.value)
    for fragment in case.says:
        assert fragment in message
    assert len(message) < 6000
    assert caught.value.__cause__ is None


def test_the_table_is_large_and_its_names_differ() -> None:
    """Guards the table itself: at least 45 cases, and no case hidden by another of its name."""
    assert len(BROKEN) >= 45
    assert len({case.name for case in BROKEN}) == len(BROKEN)


def test_the_sound_files_are_sound(tmp_path: Path) -> None:
    """Guards against cases that fail only because the file on the other side is broken."""
    (tmp_path / "q").write_bytes(QRELS)
    (tmp_path / "r").write_bytes(RUN)
    assert tg.evaluate(tmp_path / "r", tmp_path / "q", "P@1").mean() == 1.0


@pytest.mark.parametrize("case", [c for c in BROKEN if c.options == {} and c.measure == "P@5"], ids=lambda c: c.name)
def test_reading_alone_raises_nothing_but_input_errors(
    case: Broken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards read_judgments and read_runs: what they cannot read they refuse in the same way."""
    monkeypatch.chdir(tmp_path)
    judgments, runs = case.lay_out(tmp_path)
    message = ""
    try:
        tg.read_judgments(judgments)
        tg.read_runs(runs)
    except tg.InputError as error:
        message = str(error)
    assert not message or all(fragment in message for fragment in case.says)


def test_a_broken_late_line_is_no_sign_of_another_kind_of_file(tmp_path: Path) -> None:
    """Guards against "these look like judgments" for one damaged line of a run, and the other way round."""
    (tmp_path / "r").write_bytes(RUN + b"1 Q0 z 0.5\n")
    (tmp_path / "q").write_bytes(QRELS + b"1 0 z 1 1 1\n")
    with pytest.raises(tg.InputError) as run:
        tg.read_runs(tmp_path / "r")
    with pytest.raises(tg.InputError) as judged:
        tg.read_judgments(tmp_path / "q")
    assert "this one has 4" in str(run.value)
    assert "this one has 6" in str(judged.value)
    assert "look" not in str(run.value) + str(judged.value)
