"""The whole way: documents, a study, people at its pages by HTTP, the export, the figures of the magnitude paper."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import pytest
from benchmarks.judging.crowd import PAPER, Shown, against_export, recovered

from tests.judging.crowding import Crowd, World, judged, made_world
from tests.judging.postgres import memory
from tests.judging.served import Nest, Served
from tests.judging.visiting import parts
from truegain.cli.app import main
from truegain.judging.store.database import default_url
from truegain.judging.study.study import JudgingStudy, read_study

GUIDE = Path(__file__).parent.parent.parent / "docs" / "tutorials" / "magnitude.md"
FIRST = ("hasty", "blind", "absent", "contrary", "careless")  # each kind comes; whoever follows is honest
NOISE = 0.3
# Of 14 documents of log-normal worth (sd 1), each with 3 numbers of noise 0.3 beside what other documents of the unit
# do to its center (sd 0.22), medians err by about 0.26: tau of 0.84 is expected, and moves by 0.1 from topic to topic
# and with the orders in which documents are shown, which the server draws by a seed here; were the order of worth lost
# it would be 0 with a spread of 0.2.
# That is of honest people: the careless one's numbers have nothing to do with worth, and are left out.
LEAST, LEAST_MEAN = 0.6, 0.7
OF_MEASURES = ("figure 10", "figure 11", "figure 12", "table III", "table IV")


class Collected(NamedTuple):
    """A study that was judged and exported, in a folder."""

    folder: Path
    world: World
    study: JudgingStudy
    crowd: Crowd
    rows: list[dict[str, str]]

    def command(self, *words: str) -> str:
        """What a command of ours prints, in this process and in the folder; it must end well."""
        return command(self.folder, *words)


def command(folder: Path, *words: str) -> str:
    """The same, of any folder."""
    out, err = (io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["truegain", *words])
        try:
            main()
            code: object = 0
        except SystemExit as end:
            code = end.code or 0
    said, told = (stream.buffer.getvalue().decode() for stream in (out, err))
    assert code == 0, (words, told)
    return str(said)


@pytest.fixture(scope="module")
def collected() -> Iterator[Collected]:
    """A small study, judged through its pages by everybody whom it takes."""
    with tempfile.TemporaryDirectory(prefix="tg-crowd-", dir=memory()) as name:
        folder = Path(name)
        world = made_world(folder, topics=3, docs=14, judgments=3, seed=1)
        command(folder, "annotate", *world.init)
        assert "No faults" in command(folder, "annotate", "check", "study")
        study, nest = read_study(folder / "study"), Nest(folder)
        try:
            with Served(nest, study.folder, default_url(study.folder), clocks=True, seed=1) as served:
                crowd = asyncio.run(
                    judged(
                        world, study, served, noise=(NOISE, NOISE), back=0.05, kinds={"honest": 1}, first=FIRST, seed=1
                    )
                )
                assert "Traceback" not in (said := served.failures()), said
                assert len(said.splitlines()) == 3, said  # what it says at its start: all else is a failure
        finally:
            nest.close()
        command(folder, "annotate", "export", "study", "-o", "ratings.csv")
        with (folder / "ratings.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        yield Collected(folder, world, study, crowd, rows)


@pytest.mark.slow
def test_the_export_is_what_was_typed(collected: Collected) -> None:
    """Guards every number from the page to the file: as typed, once, with its reason, unit, order and probability."""
    rows, study = collected.rows, collected.study
    assert len(rows) == sum(len(unit.items) for unit in study.units) == 8 * 18
    assert against_export(collected.folder, collected.crowd) == (
        "144 rows; not as typed 0, twice 0, with another probability than the list's 0"
    )
    assert len({row["probability"] for row in rows}) > 30  # drawn, each with a chance of its own
    units = {unit.id: unit for unit in study.units}
    assert {(row["unit"], row["doc"]) for row in rows} == {(u.id, i.docs[0]) for u in study.units for i in u.items}
    for row in rows:
        unit = units[row["unit"]]
        place = next(k for k, item in enumerate(unit.items) if item.docs[0] == row["doc"])
        assert float(row["probability"]) == unit.items[place].probability
        assert row["anchor"] == {unit.high: "high", unit.low: "low"}.get(place, "")
    assert all(sorted(int(r["order"]) for r in rows if r["unit"] == name) == list(range(1, 9)) for name in units)


def test_only_who_passed_the_checks_is_in_it(collected: Collected) -> None:
    """Guards the rules over HTTP: who failed practice, question or checks left nothing that counts, others did."""
    crowd, rows = collected.crowd, collected.rows
    assert crowd.ends["screened"] == 2
    assert crowd.ends["failed"] >= 1
    assert crowd.ends["done"] == 18
    by = {row["comment"].split()[0]: row["assessor"] for row in rows}
    assert [by.get(f"p{place}") for place in (1, 2, 3)] == [None, None, None]  # blind, absent, contrary
    hasty = [row for row in rows if row["assessor"] == by["p0"]]
    assert hasty
    assert all(int(row["sent_back"]) >= 1 for row in hasty)
    for unit in {row["unit"] for row in rows}:
        numbers = {row["anchor"]: float(row["label"]) for row in rows if row["unit"] == unit and row["anchor"]}
        assert numbers["high"] > numbers["low"]
    assert all(float(row["seconds"]) >= 20 for row in rows)
    pairs = {(row["assessor"], row["topic"]) for row in rows}
    assert len(pairs) == len({row["unit"] for row in rows}), "somebody had a topic twice"


def test_the_known_order_comes_back(collected: Collected) -> None:
    """Guards the point of it all: `gains` of the export order documents as their worth does, topic by topic."""
    careless = {row["assessor"] for row in collected.rows if row["comment"].split()[0] == f"p{FIRST.index('careless')}"}
    (collected.folder / "careless.csv").write_text("assessor\n" + "".join(f"{who}\n" for who in careless))
    words = ("--normalize", "geometric", "--drop-assessors", "careless.csv", "-o", "gains.csv")
    collected.command("aggregate", "ratings.csv", *words)
    found = recovered(collected.folder, collected.world)
    assert [r.documents for r in found] == [14, 14, 14]
    assert min(r.tau for r in found) > LEAST, found
    assert mean(r.tau for r in found) > LEAST_MEAN, found


def test_systems_come_out_as_they_were_made(collected: Collected) -> None:
    """Guards eval and verdict on the export: the system that sees worth best wins over the one that sees it least."""
    said = ("ratings.csv", "runs/system-8.run", "runs/system-1.run", "--normalize", "geometric", "-m", "nDCG@10")
    lines = dict(line.split()[:2] for line in collected.command("eval", *said).splitlines()[1:3])
    assert float(lines["system-1"]) > float(lines["system-8"])
    verdict = collected.command("verdict", *said)  # on three topics it is not always sure
    assert re.match(r"(Inconclusive: )?system-1 (is better|scores higher) than system-8[:,] \+", verdict), verdict


@pytest.mark.few(2)
@pytest.mark.parametrize("shown", PAPER, ids=lambda shown: shown.name)
def test_every_figure_of_the_paper_is_drawn(collected: Collected, shown: Shown) -> None:
    """Guards the road to the paper: each figure and table comes from the export as it is, with numbers in it."""
    asked = shown
    if shown.name.startswith(OF_MEASURES):
        asked = shown._replace(words=f"{shown.words} --resamples 20")
    figure = f"{PAPER.index(shown)}.svg" if shown.drawn else ""
    rows = asked.run(collected.command, figure)
    assert any(character.isdigit() for character in asked.told(rows))
    if figure:
        assert (collected.folder / figure).read_text().startswith("<svg")


def test_table_one_counts_what_people_did(collected: Collected) -> None:
    """Guards table I against the requests that people sent: buttons pressed to go back, and sets that came back."""
    backs, again = [], []
    for visitor in collected.crowd.visitors:
        sent = [(parts(at), fields or {}) for method, at, fields in visitor.asked if method == "POST" and "/u/" in at]
        for done in visitor.codes:
            mine = [(step, fields.get("action")) for (token, step, _), fields in sent if token == done]
            backs.append(sum(action == "back" for _, action in mine))
            again.append(sum(step == "revise" for step, _ in mine))
    every = PAPER[0].run(collected.command)[-1]
    for name, counts in (("back", backs), ("failed", again)):
        assert sum(counts) > 0, name
        said = [int(every[f"{name}_{many}"]) for many in ("0", "1", "2+")]
        assert said == [[min(count, 2) for count in counts].count(n) for n in (0, 1, 2)], name


@pytest.mark.parametrize("shown", PAPER, ids=lambda shown: shown.name)
def test_the_guide_has_every_command(shown: Shown) -> None:
    """Guards the guide: its line about a figure names what draws it here, and it is among the commands that it runs."""
    lines = GUIDE.read_text().splitlines()
    name, words = re.sub(" (left|right|above|below)$", "", shown.name), shown.words.split()
    (line,) = [line for line in lines if line.startswith(f"| {name} |")]
    option = "--show" if "--show" in words else ""
    asked = f"{option} {words[words.index(option) + 1]}" if option else " ".join(words[:2])
    assert asked in line
    assert any(asked in line for line in lines if line.startswith("$ truegain"))
