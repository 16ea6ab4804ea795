"""The look after every label, in one process: what a new start makes of an end that was broken off, and of failures."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace as replaced
from pathlib import Path
from subprocess import PIPE, Popen
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from tests.judging.teaming import Member
from truegain.cli.settle import SettlePlace, SettleTexts, TerminalTeller, _check_team, _database, _make_study, reachable
from truegain.cli.settle_folder import Keeper, only_here
from truegain.config import StudyConfig
from truegain.data.label_list_reading import read_gold_list
from truegain.errors import InputError, TruegainError
from truegain.judging.labels import labels_of_list
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.decisions import stored_decision
from truegain.judging.store.schema import assessors
from truegain.judging.study.study import FILE, read_study
from truegain.judging.watch import Watch
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.organizer import OrganizerService
from truegain.judging.workflow.pausing import pause, pause_reason, resume
from truegain.judging.workflow.steps import PageStep, Person
from truegain.planning.settle import Settling
from truegain.results.settlement import FILLED, Label, Settlement, Status
from truegain.study.settled import LabelBudget
from truegain.study.study import Study

TOPICS, DOCS = [f"t{n:02d}" for n in range(12)], "abcdef"
UNDO = PageStep("undo")
GOOD = "def"  # documents of the candidate, all of them relevant


class Place:
    """A folder with a question of 72 rows, its app, and one person at it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        rows = [(t, f"{t}{d}") for t in TOPICS for d in DOCS]
        (folder / "llm.qrels").write_text(
            "".join(f"{t} 0 {d} {(n + int(t[1:])) % 2}\n" for n, (t, d) in enumerate(rows))
        )
        for name, docs in (("old", "abc"), ("new", GOOD)):
            lines = [f"{t} Q0 {t}{d} {r} {9 - r} {name}\n" for t in TOPICS for r, d in enumerate(docs, 1)]
            (folder / f"{name}.run").write_text("".join(lines))
        (folder / "topics.tsv").write_text("".join(f"{t}\tlamp {t}\n" for t in TOPICS))
        texts = [json.dumps({"id": d, "text": f"Text of {d} on the lamp."}) for _, d in rows]
        (folder / "docs.jsonl").write_text("\n".join(texts))
        self.texts = SettleTexts(topics=str(folder / "topics.tsv"), docs=str(folder / "docs.jsonl"))
        keeper = self.keeper()
        _make_study(keeper, self.texts, SettlePlace())
        keeper.begin()
        self.judging = read_study(folder / "g")
        self.database = Database(default_url(folder / "g"))
        self.service = AssessorService(self.judging, self.database)
        self.who = Member(self.service, OrganizerService(self.judging, self.database).invite(1)[0])

    def keeper(self, most: int | None = None, baseline: str = "old", candidate: str = "new") -> Keeper:
        """The question, as another start of the command has it."""
        runs = [str(self.folder / f"{name}.run") for name in ("new", "old")]
        study = Study(runs, str(self.folder / "llm.qrels"), "P@3")
        settling = Settling(study, baseline, [candidate], LabelBudget(most), "fixed")
        config = StudyConfig(population="topics")
        return Keeper(settling, self.folder / "g", str(self.folder / "llm.qrels"), runs, config, "by a team")

    def watch(self, most: int | None = None) -> Watch:
        """A new process's."""
        keeper = self.keeper(most)
        return Watch(keeper, self.judging, self.database, TerminalTeller(keeper), linger=600.0)

    def cannot(self, number: int) -> None:
        """One person says of so many rows that they cannot be judged."""
        self.label(0)
        for _ in range(number):
            self.who.cannot()

    def label(self, number: int, *, liar: bool = False) -> None:
        """One person labels so many rows."""
        if not self.who.token:
            entered = self.service.enter(Person("invitation", "somebody"), invitation=self.who.name)
            self.who.token = entered.token
            self.who.send(consent="yes")
        for _ in range(number):
            page = self.who.page()
            is_good = page.documents[0].text.split()[2][-1] in GOOD
            self.who.send(page, label=str(int(is_good != liar)))

    @property
    def paused(self) -> str | None:
        """Why people are stopped."""
        return self.database.read(pause_reason)

    @property
    def answer(self) -> Settlement | None:
        """What decision.json says."""
        path = self.folder / "g" / "decision.json"
        return Settlement.of_json(path.read_bytes()) if path.is_file() else None


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A question on SQLite."""
    found = Place(tmp_path)
    yield found
    found.database.close()


def test_documents_that_are_not_in_the_file_leave_no_folder(place: Place) -> None:
    """Guards the start: the file that lacks some is named, and the next start reads the one it is given."""
    keeper = replaced(place.keeper(), folder=place.folder / "other")
    short, lines = place.folder / "short.jsonl", (place.folder / "docs.jsonl").read_text().splitlines()
    short.write_text("\n".join(lines[:-3]))
    with pytest.raises(InputError, match=r"short.jsonl: 3 documents of the list are not in this file \(.*t11d"):
        _make_study(keeper, replaced(place.texts, docs=str(short)), SettlePlace())
    few, more = place.folder / "few.tsv", place.folder / "more.tsv"
    few.write_text("".join(f"{t}\tlamp {t}\n" for t in TOPICS[1:]))
    with pytest.raises(InputError, match=r"few.tsv: 1 topic of the list is not in this file \(t00\)"):
        _make_study(keeper, replaced(place.texts, topics=str(few)), SettlePlace())
    assert not keeper.folder.exists()
    more.write_text("".join(f"{t}\tlamp {t}\n" for t in [*TOPICS, "t99"]))  # a topic with nothing to label
    _make_study(keeper, replaced(place.texts, topics=str(more)), SettlePlace())
    assert len(read_study(keeper.folder).documents) == 72


def test_a_team_of_which_nobody_can_judge_stops_at_its_limit(place: Place) -> None:
    """Guards the cap: without one label collecting pauses, too, and an answer is written."""
    place.cannot(6)
    watch = place.watch(6)
    watch.look()
    assert place.paused == "given-up"
    answer = place.answer
    assert answer is not None
    assert (answer.status, answer.given, answer.stuck) == ("undecided", 6, 6)


def until_known(place: Place, watch: Watch) -> int:
    """Label after label; after how many it is known."""
    for n in range(1, 73):
        place.label(1)
        now = watch.keeper.settling.decide(labels_of_list(place.database, place.judging).labels)
        if now.ended:
            return n
    raise AssertionError("never known")


@pytest.mark.slow
def test_killed_between_pause_and_answer(place: Place) -> None:
    """Guards the end: paused without an answer and with a label more, the next process gives the look that decided."""
    watch = place.watch()
    n = until_known(place, watch)
    place.database.write(lambda c: pause(c, "known"))
    assert place.answer is None
    again = place.watch()
    again.look()
    assert place.answer is not None
    assert (place.answer.status, place.answer.labels) == ("better", n)
    stored = place.database.read(stored_decision)
    assert stored is not None
    assert stored.decision == place.answer
    assert read_gold_list(place.folder / "g" / FILLED).judged == n
    assert (place.folder / "g" / "report.html").is_file()


@pytest.mark.slow
def test_a_label_corrected_during_the_look_that_decides(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards what an answer rests on: a correction between the look's labels and the pause is looked at too."""
    n = until_known(place, place.watch())
    watch = place.watch()
    page, decide = place.who.page(UNDO), watch.keeper.settling.decide
    seen: list[str] = []

    def slow(rows: list[Label], top: int | None = None, given: int | None = None) -> Settlement:
        now = decide(rows, top, given)
        seen.append(now.status)
        if len(seen) == 1:
            place.who.send(page, UNDO, label=str(1 - int(page.fields["label"])))
        return now

    monkeypatch.setattr(watch.keeper.settling, "decide", slow)
    watch.look()
    assert seen == ["better", "open"]
    assert (place.answer, place.paused) == (None, None), "with the correction it is not known"
    while place.answer is None:
        place.label(1)
        watch.look()
    assert place.answer.labels > n
    kept = labels_of_list(place.database, place.judging).labels
    filled = read_gold_list(place.folder / "g" / FILLED)
    assert [label.labels for label in kept] == [(label,) for label in filled.label[: filled.judged]]


@pytest.mark.slow
@pytest.mark.parametrize("then", ["open", "undecided"])
def test_a_label_on_its_way_takes_nothing_back(place: Place, monkeypatch: pytest.MonkeyPatch, then: Status) -> None:
    """Guards a decision whose process ended: labels that contradict it came in meanwhile, and the look stands.

    Neither does it matter that they were the last that may be given.
    """
    n = until_known(place, place.watch())
    place.label(4, liar=True)  # as if they had been on their way
    place.database.write(lambda c: pause(c, "known"))
    again = place.watch()
    decide = again.keeper.settling.decide

    def wavering(rows: list[Label], top: int | None = None, given: int | None = None) -> Settlement:
        """As over topics, whose limits may widen again."""
        now = decide(rows, top, given)
        if now.labels <= n + 1:
            return now
        return replace(now, status=then, pairs=tuple(replace(pair, status=then) for pair in now.pairs))

    monkeypatch.setattr(again.keeper.settling, "decide", wavering)
    again.look()
    assert place.answer is not None
    assert (place.answer.status, place.answer.labels) == ("better", n + 1), "the last look that decides"
    assert read_gold_list(place.folder / "g" / FILLED).judged == n + 1
    assert place.paused == "known"


def test_labels_that_do_not_count_were_given(place: Place) -> None:
    """Guards costs: a label that is withdrawn was paid for, and does not make room for another."""
    place.label(5)
    watch = place.watch(6)
    watch.look()
    assert watch.now is not None
    assert (watch.now.status, watch.now.given) == ("open", 5)
    place.label(1)
    organizer = OrganizerService(place.judging, place.database)
    assert organizer.withdraw(place.database.read(lambda c: c.execute(select(assessors.c.id)).scalar_one())) >= 6
    watch.look()
    assert watch.now is not None
    assert (watch.now.status, watch.now.given) == ("undecided", 6)
    assert watch.now.labels == 0


def test_labels_on_their_way_at_the_end_are_counted(place: Place) -> None:
    """Guards costs: what people still send once it is known is paid for, and decision.json has it."""
    place.label(6)
    watch = place.watch(6)
    watch.look()
    assert place.answer is not None
    now = place.answer
    assert now.given == 6
    place.database.write(lambda connection: resume(connection))
    place.label(2)
    place.database.write(lambda connection: pause(connection, "given-up"))
    watch._count_later(now)
    assert (place.answer.given, place.answer.labels, place.answer.status) == (8, 6, "undecided")


def test_a_late_count_never_takes_the_place_of_a_newer_one(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards costs: a count whose writing failed is written later, and an older one of another process never."""
    place.label(6)
    watch, other = place.watch(6), place.watch(6)
    watch.look()
    now = place.answer
    assert now is not None
    place.database.write(lambda connection: resume(connection))
    place.label(2)
    place.database.write(lambda connection: pause(connection, "given-up"))
    write, failing = watch.keeper.write_answer, [OSError(28, "No space left on device")]

    def full(known: Settlement) -> None:
        if failing:
            raise failing.pop()
        write(known)

    monkeypatch.setattr("truegain.judging.watch.AFTER_FAILURE", 0.01)
    watch.keeper = SimpleNamespace(settling=watch.keeper.settling, write_answer=full)
    watch.now = now
    watch._count_later(watch.now)
    assert place.answer == now, "could not be written"
    watch._count_later(watch.now)
    assert place.answer.given == 8
    monkeypatch.setattr("truegain.judging.watch.labels_of_list", lambda *_: SimpleNamespace(total=7))
    other.now = now
    other._count_later(other.now)  # read 7 before the other had 8
    stored = place.database.read(stored_decision)
    assert stored is not None
    assert (stored.decision.given, place.answer.given) == (8, 8)


@pytest.mark.slow
def test_more_labels_than_before(place: Place) -> None:
    """Guards a higher limit: what was given up goes on, people are let in again, and the labels count on."""
    place.label(12)
    watch = place.watch(12)
    watch.look()
    assert place.answer is not None
    assert (place.answer.status, place.paused) == ("undecided", "given-up")
    assert place.keeper(12).known() == place.answer
    more = place.watch(60)
    assert place.keeper(60).known() is None, "a higher limit opens it again"
    more.look()
    assert more.now is not None
    assert (more.now.status, place.paused) == ("open", None)
    stored = place.database.read(stored_decision)
    assert stored is not None
    assert not stored.decision.ended
    place.label(30)
    more.look()
    assert place.answer.status == "better"
    assert place.answer.labels > 12


@pytest.mark.slow
def test_pause_of_the_organizer_stays(place: Place) -> None:
    """Guards an organizer's pause: a look does not let people in again."""
    place.label(3)
    place.database.write(lambda c: pause(c, "organizer"))
    place.watch().look()
    assert place.paused == "organizer"


@pytest.mark.slow
def test_a_look_that_fails_is_made_again(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards the thread: whatever a look raises, it is told once and looked at again."""
    monkeypatch.setattr("truegain.judging.watch.AFTER_FAILURE", 0.01)
    monkeypatch.setattr("truegain.judging.watch.LISTEN", 0.01)
    watch, failures = place.watch(), [RuntimeError("odd"), RuntimeError("odd"), TruegainError("no connection")]
    look = watch.look

    def fail_first() -> None:
        if failures:
            raise failures.pop(0)
        look()
        watch._ended.set()

    monkeypatch.setattr(watch, "look", fail_first)
    watch.start()
    watch.join(30)
    assert watch.now is not None
    said = " ".join(capsys.readouterr().err.split())
    assert said.count("RuntimeError: odd; labels are kept, and looked at again") == 1
    assert "no connection; labels are kept" in said


@pytest.mark.slow
def test_a_start_that_was_broken_off(tmp_path: Path) -> None:
    """Guards the first start: killed while the study is written, the next one writes the rest; others' files stay."""
    place = Place(tmp_path)
    place.database.close()
    folder = tmp_path / "g"
    whole = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith("judging.sqlite")}
    for kept in (("topics.jsonl",), ("topics.jsonl", "docs.jsonl", "pool.jsonl", "list.key.csv", "list.csv")):
        for path in folder.iterdir():
            if path.name not in kept:
                path.unlink()
        _make_study(place.keeper(), place.texts, SettlePlace())
        assert all((folder / name).read_bytes() == whole[name] for name in (*kept, FILE))
    (folder / FILE).unlink()
    (folder / "topics.jsonl").write_text("mine")
    with pytest.raises(InputError, match="this file exists already"):
        _make_study(place.keeper(), place.texts, SettlePlace())
    assert (folder / "topics.jsonl").read_text() == "mine"


def test_another_question(place: Place) -> None:
    """Guards the folder: another question is refused, whether it is decided or not."""
    with pytest.raises(InputError, match=r"belongs to another question \(baselines: "):
        place.keeper(baseline="new", candidate="old").known()


def test_what_differs_from_the_first_start(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards options of a folder that was begun: none is ignored without a word."""
    _check_team(place.judging, SettlePlace())
    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match=r"started with --double 0, and now it is 0\.1"):
        _check_team(place.judging, SettlePlace(double=0.1))
    with pytest.raises(
        InputError, match=r"started with --team-aggregate median, and now it is mean: intervals are not valid if"
    ):
        _check_team(place.judging, SettlePlace(team_aggregate="mean"))
    _check_team(place.judging, SettlePlace(people=3))
    assert "started with --people 1, and now it is 3: the new ones get links" in capsys.readouterr().err
    elsewhere = replaced(place.keeper(), database="postgresql://host/labels")
    with pytest.raises(InputError, match=r"in another database \(SQLite in the folder; now it is postgresql://host"):
        elsewhere.known()


def test_the_database_is_named_without_its_password() -> None:
    """Guards the folder: no password is written into it, and the database of the folder itself has no name."""
    assert _database(SettlePlace(database="postgresql://me:word@host/labels")) == "postgresql://host/labels"
    assert _database(SettlePlace(database=default_url("settle"))) == _database(SettlePlace()) == ""


def test_the_address_is_one_that_others_can_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards links of a server that listens at every address of its machine: they have the machine's name."""
    monkeypatch.setattr("socket.gethostname", lambda: "lab7")
    assert [reachable(f"http://{host}:81") for host in ("0.0.0.0", "[::]", "10.0.0.3")] == [
        "http://lab7:81", "http://lab7:81", "http://10.0.0.3:81"
    ]  # fmt: skip


def test_one_server_a_folder(tmp_path: Path) -> None:
    """Guards labels: a second process is refused while the first lives, and let in when that was killed."""
    code = (
        "import sys, time; from pathlib import Path; from truegain.cli.settle_folder import only_here\n"
        "with only_here(Path(sys.argv[1]), 'in use', ''): print('held', flush=True); time.sleep(60)"
    )
    with Popen([sys.executable, "-c", code, str(tmp_path)], stdout=PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(InputError, match="in use"), only_here(tmp_path, "in use", ""):
            pass
        other.kill()
        other.wait(30)
    with only_here(tmp_path, "in use", ""):
        pass
