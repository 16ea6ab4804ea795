"""The store: whole answers or none, threads together, one command at a time, and files that are something else."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from truegain.errors import InputError
from truegain.llm.store import AnswerStore, StoredAnswer, key_of, store_for


def answer(key: bytes, attempt: int = 0, body: bytes = b"{}") -> StoredAnswer:
    """An answer."""
    return StoredAnswer(key, attempt, "m | t | d | 1", 200, body, "m", 10, 2, 1.5, 0.25)


def test_answers_of_many_threads_are_all_kept(tmp_path: Path) -> None:
    """Guards shared commits: what `put` returned for is in the file, byte for byte, when it is opened again."""
    path = tmp_path / "a.sqlite"
    bodies = {key_of(n): f'{{"n": {n}, "text": "caf\u00e9"}}'.encode() for n in range(200)}
    with AnswerStore(path) as store:
        items = list(bodies.items())

        def keep(part: list[tuple[bytes, bytes]]) -> None:
            for key, body in part:
                store.put(answer(key, 0, body))

        threads = [threading.Thread(target=keep, args=(items[n::8],)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with AnswerStore(path) as store:
        assert len(store) == 200
        assert {key: stored.body for key in bodies if (stored := store.get(key, 0))} == bodies
        assert store.get(items[0][0], 0) == answer(*items[0][:1], body=items[0][1])
        assert store.tokens() == {"m": (2000, 400)}


def test_the_first_answer_stays(tmp_path: Path) -> None:
    """Guards what was paid for: a second answer to the same call does not take its place."""
    with AnswerStore(tmp_path / "a.sqlite") as store:
        store.put(answer(b"k", body=b'{"a": 1}'))
        store.put(answer(b"k", body=b'{"a": 2}'))
        store.put(answer(b"k", 1, body=b'{"a": 3}'))
        found = [store.get(b"k", attempt) for attempt in (0, 1, 2)]
    assert [None if x is None else x.json() for x in found] == [{"a": 1}, {"a": 3}, None]


def test_one_command_at_a_time(tmp_path: Path) -> None:
    """Guards against two commands that would pay for the same answers."""
    path = tmp_path / "a.sqlite"
    with AnswerStore(path), pytest.raises(InputError, match="another command is using this store"):
        AnswerStore(path)


def test_other_files_are_not_touched(tmp_path: Path) -> None:
    """Guards files that are something else: told, and left as they are."""
    text, other = tmp_path / "labels.csv", tmp_path / "other.sqlite"
    text.write_text("topic,doc,label\n" * 100)
    with pytest.raises(InputError, match="not a store of answers"):
        AnswerStore(text)
    assert text.read_text() == "topic,doc,label\n" * 100
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="not a store of answers of this version"):
        AnswerStore(other)
    with pytest.raises(InputError, match="cannot be used"):
        AnswerStore(tmp_path / "no" / "folder.sqlite")


def test_ways_and_prompts_are_kept(tmp_path: Path) -> None:
    """Guards what was tried out: it is known the next time."""
    with AnswerStore(tmp_path / "a.sqlite") as store:
        store.keep_way("m", {"way": "line", "without": ["seed"]})
    with AnswerStore(tmp_path / "a.sqlite") as store:
        assert store.way("m") == {"way": "line", "without": ["seed"]}
        assert store.way("n") is None


def test_where_the_store_is() -> None:
    """Guards the default place: beside the labels, also of compressed ones."""
    assert [store_for(name, None) for name in ("x/llm.csv.gz", "llm.v2.csv")] == [
        "x/llm.answers.sqlite",
        "llm.v2.answers.sqlite",
    ]
    assert len({key_of("a", "b"), key_of("ab", ""), key_of("", "ab"), key_of("a", "b", 1)}) == 4
