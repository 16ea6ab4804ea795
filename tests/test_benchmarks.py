"""The runner of the benchmarks: turns, tables, growth, history."""

from __future__ import annotations

import doctest
import json
import math
import platform
import random
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from benchmarks import check, environment, run, scaling
from benchmarks.ladders import LADDERS
from benchmarks.races import scoring
from benchmarks.races.catalogue import RACES
from benchmarks.racing import calibration, contest, growth, history, page, turns
from benchmarks.racing.machine import about
from benchmarks.racing.outcome import Outcome, Row  # noqa: TC002
from benchmarks.racing.scaled import Scaled
from scipy.stats import linregress

TINY, CLIMBED = "tests.tiny_race:TINY", "tests.tiny_race:CLIMBED"


# ---------------------------------------------------------------------- the runner


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """The tiny workload, two turns."""
    return run.race(TINY, tmp_path_factory.mktemp("work"), 2)


def row(outcome: Outcome, name: str) -> Row:
    """Of a contestant."""
    return next(r for r in outcome.rows if r.contestant == name)


@pytest.mark.slow
def test_every_contestant_has_a_row(tiny: Outcome) -> None:
    """Guards who is told: those that ran as often as asked, those that failed or are missing with the reason."""
    assert {r.contestant: len(r.seconds) for r in tiny.rows} == {
        "truegain": 2, "double": 2, "half": 2, "failing": 0, "absent": 0, "no program": 0, "command": 2,
    }  # fmt: skip
    assert row(tiny, "failing").fault == "failed: ValueError: no tiny for me"
    assert row(tiny, "absent").fault == "missing: module no_such_module is not installed"
    assert row(tiny, "no program").fault == "missing: no no-such-program on the PATH"
    assert len(tiny.calibration) == 2
    assert tiny.facts["lines"] == 1


@pytest.mark.slow
def test_times_memory_and_answers(tiny: Outcome) -> None:
    """Guards the clocks: imports apart inside, in all for commands; a part is scaled up; other answers are told."""
    ours, double, half, command = (row(tiny, n) for n in ("truegain", "double", "half", "command"))
    assert min(double.cpu) > 1.2 * min(ours.cpu)
    assert min(half.cpu) > 0.6 * min(ours.cpu)  # half the rounds, divided by a half
    assert len(ours.start) == 2
    assert not command.start
    assert all(r.peak is not None and r.peak > 1 for r in (ours, double, command))
    assert tiny.differences == ["double has seven 8, truegain 7"]


def test_the_page(tiny: Outcome, tmp_path: Path) -> None:
    """Guards results.md: one table with ratios, peak memory and reasons; machine and versions; what differs."""
    told = about(2)
    page.kept(tmp_path / "results.json", told, outcomes=[tiny.to_dict()])
    ladder = Scaled("climb", "a loop", "rounds", [1, 2, 4], [[1.0], [2.0], [4.0]], [[1.0], [2.0], [4.0]], [9.0] * 3)
    page.kept(tmp_path / "scaling.json", told, ladders=[asdict(ladder)])
    page.write(tmp_path, tmp_path / "results.md")
    lines = (tmp_path / "results.md").read_text().splitlines()
    assert sum(line.startswith("| workload |") for line in lines) == 1
    first = next(line for line in lines if line.startswith("| `tiny` | truegain |"))
    assert first.split("|")[4].strip() == "1.00"
    assert "|  | absent | | | | | | | | missing: module no_such_module is not installed |" in lines
    assert "- `tiny`: double has seven 8, truegain 7" in lines
    assert "| rounds | 1 | 1.000, 2.000, 4.000 | 1.00 ± 0.00 | 1.00 ± 0.00 | 9, 9 | a loop |" in lines
    assert any("cores" in line and "load when it began" in line and "numpy" in line for line in lines)


def test_history_says_what_and_not_where(tiny: Outcome, tmp_path: Path) -> None:
    """Guards history.jsonl: commit, version, seconds and calibration loops of ours; no path, no name of the machine."""
    entry = history.entry_of([tiny], about(2))
    path = tmp_path / "history.jsonl"
    assert history.last(path) is None
    history.append({**entry, "commit": "old"}, path)
    history.append(entry, path)
    history.append({**entry, "workloads": {}}, path)  # nothing measured, nothing kept
    assert history.last(path) == entry
    ours = row(tiny, "truegain")
    ratios = [s / c for s, c in zip(ours.seconds, tiny.calibration, strict=True)]
    assert entry["workloads"]["tiny"]["loops"] == pytest.approx(sum(ratios) / 2, abs=1e-4)
    text = path.read_text()
    assert len(str(entry["commit"])) == 40
    assert not [word for word in (str(Path.home()), str(turns.ROOT), "/work", "/tmp") if word in text]
    assert json.dumps(platform.node()) not in text


def test_the_histories_kept() -> None:
    """Guards what is committed: every line of history.jsonl can be read, names a commit, and holds no path."""
    lines = history.HISTORY.read_text().splitlines() if history.HISTORY.exists() else []
    for line in lines:
        entry = json.loads(line)
        assert len(entry["commit"]) == 40
        assert entry["workloads"]
        assert "/" not in line.replace(entry["machine"]["processor"], "")  # some processors are "with / without"


def test_files_are_made_once(tmp_path: Path) -> None:
    """Guards kept files: made again only where parameters are others."""
    made: list[int] = []

    def write(place: Path) -> dict[str, int]:
        made.append(len(list(place.iterdir())))
        return {"files": 0}

    for seed in (1, 1, 2):
        contest.kept(tmp_path / "files", {"seed": seed, "pair": (1, 2)}, write)
    assert made == [0, 0]


def test_the_catalogue() -> None:
    """Guards the list: every workload is found by its name and has ours first; finding them all loads no numpy."""
    for name, address in RACES.items():
        found = contest.find(address)
        assert (found.name, next(iter(found.contestants))) == (name, contest.US)
    assert [contest.find(f"benchmarks.ladders:{n.upper()}").name for n in LADDERS] == list(LADDERS)
    code = "import sys; import benchmarks.run as r, benchmarks.scaling; from benchmarks.racing.contest import find; "
    code += "[find(a) for a in r.RACES.values()]; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=turns.ROOT).returncode == 0


@pytest.mark.parametrize("module", [contest, calibration, growth, environment, scoring])
def test_examples(module: object) -> None:
    """Guards the examples in docstrings, which are not among the tests of src."""
    done = doctest.testmod(module)  # type: ignore[arg-type]
    assert (done.failed, done.attempted > 0) == (0, True)


def test_reasons_hold_no_path_or_address() -> None:
    """Guards what is told of peers that cannot be had: one line, nothing of this machine or of a registry."""
    place, address = "/".join(["", "some", "folder", "y.c"]), "https:" + "//elsewhere/why"
    said = f"  File x\nOSError: [Errno 2] No such file: {place}\nerror: see {address}"
    assert environment.reason_of(said) == "OSError: [Errno 2] No such file: ..."
    assert environment.reason_of("") == "pip failed"


# ---------------------------------------------------------------------- growth


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_the_exponent_of_synthetic_times(exponent: float) -> None:
    """Guards the fit: exact on exact times; with noise near the truth, its error as scipy's least squares has it."""
    sizes = [1, 2, 4, 8] * 3
    exact = growth.growth(sizes, [3 * s**exponent for s in sizes])
    assert (exact.exponent, exact.error) == pytest.approx((exponent, 0), abs=1e-9)
    noise = random.Random(5)
    times = [3 * s**exponent * math.exp(noise.gauss(0, 0.05)) for s in sizes]
    found = growth.growth(sizes, times)
    assert abs(found.exponent - exponent) < 4 * found.error
    fit = linregress([math.log(x) for x in sizes], [math.log(t) for t in times])
    assert (found.exponent, found.error) == pytest.approx((fit.slope, fit.stderr), rel=1e-9)


def test_no_exponent_from_one_size() -> None:
    """Guards a fit to nothing."""
    with pytest.raises(ValueError, match="two sizes"):
        growth.growth([2, 2], [1, 1])
    assert str(growth.growth([1, 2], [1, 2])) == "1.00"


@pytest.mark.slow
def test_a_ladder_that_is_linear(tmp_path: Path) -> None:
    """Guards a ladder from the workload to the fitted exponent: a loop of n rounds takes time linear in n."""
    from tests.tiny_race import CLIMB

    entries = turns.entered(CLIMBED, CLIMB.workload, turns.made(CLIMBED, CLIMB.workload, tmp_path))
    turns.interleaved(entries, 1)
    found = Scaled.of("climb", "a loop", "rounds", CLIMB.sizes, entries)
    assert found.sizes == [40_000, 80_000, 160_000, 320_000]
    points = growth.growth(found.sizes, [t[0] for t in found.cpu])
    assert 0.6 < points.exponent < 1.5


def test_unknown_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Guards typing errors: named, with what there is."""
    for main in (run.main, scaling.main, check.main):
        with pytest.raises(SystemExit) as end:
            main(["nothing-like-it"])
        assert end.value.code == 2
        assert "nothing-like-it; there are" in capsys.readouterr().err
