"""`truegain settle` killed again and again while a team labels: nothing lost, nothing twice, the same decision."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.judging.served import Nest
from tests.judging.settling import (
    KNOWN,
    Demo,
    Running,
    Settled,
    Worker,
    at_work,
    checked,
    label_of,
    texts_of,
    waited,
)
from truegain.judging.labels import labels_of_list
from truegain.judging.store.database import Database
from truegain.judging.store.decisions import stored_decision
from truegain.judging.study.study import read_study
from truegain.judging.workflow.pausing import pause_reason
from truegain.results.settlement import Settlement

KILLS = 30
PAIR = ("system-7", "system-8")  # of which about 190 labels decide


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo's files."""
    return Demo(tmp_path_factory.mktemp("settle") / "demo")


def answer_of(folder: Path) -> Settlement:
    """What is in the folder's decision.json."""
    return Settlement.of_json((folder / "decision.json").read_bytes())


@pytest.mark.slow
@pytest.mark.system
def test_killed_while_people_label(
    new_url: Callable[[], str], nest: Nest, demo: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards labels and the decision: 30 SIGKILLs, three people who go on, and what stored labels say in the end."""
    folder, url = tmp_path / "g", new_url()
    served = Settled(nest, demo.words(folder, *PAIR, "--people", 3, "--double", 0.1, "--linger", 3), folder, url)
    draws, kills, began = Random(31), 0, time.monotonic()
    with served:
        links, study = served.links(3), read_study(folder)
        base, texts, truth = f"http://127.0.0.1:{served.port}", texts_of(study), label_of(demo, study)
        workers = [Worker(base, link, texts, truth, Random(i), undo=0.1, every=0.05) for i, link in enumerate(links)]
        with at_work(workers) as threads:
            while kills < KILLS:
                enough = _given(workers) + draws.randint(1, 6)
                waited(lambda: True if _given(workers) >= enough else None, 60, served.said)  # noqa: B023
                time.sleep(draws.uniform(0, 0.4))  # anywhere between two labels, and in a look
                assert not (folder / "decision.json").exists(), f"decided before {KILLS} kills"
                served.kill()
                kills += 1
                served.start()
            for thread in threads:
                thread.join(180)
        waited(lambda: True if (folder / "decision.json").is_file() else None, 30, served.said)
        assert [worker.ended for worker in workers] == [KNOWN] * 3
    database = Database(url)
    found = checked(database, folder, workers)
    troubles = sum((worker.troubles for worker in workers), Counter[str]())
    answer = answer_of(folder)
    lasted, kind = time.monotonic() - began, database.url.get_backend_name()
    retries = f"retries {sum(troubles.values())} {dict(troubles)}"
    with capsys.disabled():
        print(f"\n{kind}: {kills} kills in {lasted:.0f} s, {found}, {retries}, {answer.status} after {answer.labels}")
    assert found.faults == 0, found
    undisturbed = demo.undisturbed(*PAIR)
    assert answer.status == undisturbed.status == "better"
    assert undisturbed.labels <= answer.labels <= undisturbed.labels + 40, "looks after every label, but for starts"
    listed = labels_of_list(database, study)
    settling = demo.settling(*PAIR)
    again = settling.decide(listed.labels, answer.labels)
    assert (again.status, again.sentence) == (answer.status, answer.sentence)
    assert again.pairs[0].now == answer.pairs[0].now
    stored = database.read(stored_decision)
    assert stored is not None
    assert stored.decision == answer
    database.close()


def _given(workers: list[Worker]) -> int:
    return sum(worker.given for worker in workers)


@pytest.mark.slow
@pytest.mark.system
def test_killed_before_the_answer_is_written(nest: Nest, demo: Demo, tmp_path: Path) -> None:
    """Guards the end: killed when collecting has paused and no answer is there, the next process writes it."""
    folder = tmp_path / "g"
    words = demo.words(folder, "system-5", "system-7", "--people", 2)
    served = Settled(nest, words, folder)
    with served:
        links, study = served.links(2), read_study(folder)
        base, texts, truth = f"http://127.0.0.1:{served.port}", texts_of(study), label_of(demo, study)
        workers = [Worker(base, link, texts, truth, Random(i)) for i, link in enumerate(links)]
        database = Database(served.url)
        with at_work(workers) as threads:
            last = time.monotonic() + 60
            while database.read(pause_reason) is None:
                assert time.monotonic() < last, served.said
                time.sleep(0.005)
            served.kill()
            assert not (folder / "decision.json").exists(), "killed too late"
            before = database.read(stored_decision)
            assert before is not None
            assert not before.decision.ended
            served.start()
            waited(lambda: True if (folder / "decision.json").is_file() else None, 60, served.said)
            for thread in threads:
                thread.join(30)
        assert [worker.ended for worker in workers] == [KNOWN] * 2
    answer = answer_of(folder)
    assert answer.status == "better"
    assert {path.name for path in folder.iterdir()} >= {"report.html", "labels.csv", "decision.json"}
    settling = demo.settling("system-5", "system-7")
    assert settling.decide(labels_of_list(database, study).labels, answer.labels).sentence == answer.sentence
    database.close()

    with Running(words, tmp_path / "again") as again:
        assert again.process.wait(60) == 0
        assert "settled before" in again.said
        assert answer.sentence in " ".join(again.said.split())
    other = demo.words(folder, "system-4", "system-7", "--people", 2)
    with Running(other, tmp_path / "other") as refused:
        assert refused.process.wait(60) == 2
        assert "this folder belongs to another question (baselines: " in " ".join(refused.said.split())
