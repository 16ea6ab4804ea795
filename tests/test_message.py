"""Messages that know their arguments, and the errors and warnings that carry them."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import truegain as tg
import truegain.config
from truegain.errors import (
    DataWarning,
    EmptyError,
    InputError,
    MeasureError,
    PeerWarning,
    TruegainError,
    check_one_of,
    heard,
    tell,
    warn,
)
from truegain.message import Message, arg, argname, argvalue, by_surface, option, value_of, with_marks
from truegain.results.serialization import packed, unpacked

OPTIONS = {
    name: f"--{name.replace('_', '-')}"
    for name in ("gold_relevant_from", "aggregate", "system_models", "pair", "complete", "design")
}
MARKS = "".join(map(chr, range(0xFDD0, 0xFDF0)))


@pytest.mark.parametrize(
    ("said", "python", "command"),
    [
        (arg("aggregate"), "aggregate=", "--aggregate"),
        (arg("aggregate", "mean"), "aggregate='mean'", "--aggregate mean"),
        (arg("aggregate", "my own"), "aggregate='my own'", "--aggregate 'my own'"),
        (arg("aggregate", None), "aggregate=None", "--aggregate None"),
        (arg("gold_relevant_from", 0.5), "Gold(relevant_from=0.5)", "--gold-relevant-from 0.5"),
        (arg("complete", True), "complete=True", "--complete"),
        (arg("system_models", {"dense": "m1"}), "system_models={'dense': 'm1'}", "--system-models dense=m1"),
        (arg("pair", ("a", "b")), "pair=('a', 'b')", "--pair a,b"),
        (
            arg("system_models", ["a", "b"], of="tg.read_ratings"),
            "system_models=['a', 'b'] of tg.read_ratings",
            "--system-models a,b",
        ),
        (arg("columns", "a", of="tg.read_ratings"), "columns='a' of tg.read_ratings", "columns='a'"),
        (arg("complete", True, within=" unless ({})"), " unless (complete=True)", " unless (--complete)"),
        (arg("columns", True, within=" unless ({})"), " unless (columns=True)", ""),
        (argname("gold_relevant_from"), "Gold.relevant_from", "--gold-relevant-from"),
        (argname("gold_relevant_from", -1), "Gold.relevant_from -1", "--gold-relevant-from -1"),
        (argname("gold_relevant_from", 0.25, ".1f"), "Gold.relevant_from 0.2", "--gold-relevant-from 0.2"),
        (argname("gold_relevant_from", "x", own=True), "gold_relevant_from 'x'", "--gold-relevant-from x"),
        (argname("columns", of="Gold"), "Gold.columns", "Gold.columns"),
        (argname("aggregate", "best"), "aggregate 'best'", "--aggregate best"),
        (argname("aggregate", "it's"), 'aggregate "it\'s"', "--aggregate 'it'\"'\"'s'"),
        (argname("columns", "a"), "columns 'a'", "columns 'a'"),
        (value_of("design", "topics"), "'topics'", "topics"),
        (value_of("columns", "a"), "'a'", "'a'"),
        (argvalue("measure", "AP"), "AP", "AP"),
        (by_surface("tg.evaluate", "`truegain eval`"), "tg.evaluate", "`truegain eval`"),
        (option("--gold-relevant-from"), "--gold-relevant-from", "--gold-relevant-from"),
        (option("--other"), "--other", "--other"),
    ],
)
def test_each_reads_their_own_words(said: str, python: str, command: str) -> None:
    """Guards every form: Python names the argument, a command its option, or Python's where it has none."""
    whole = Message(f"before {said}, after")
    assert (str(whole), whole.words(OPTIONS)) == (f"before {python}, after", f"before {command}, after")
    assert type(str(whole)) is str


def test_data_is_left_alone() -> None:
    """Guards names of users that are spelt like arguments, and whatever else is not marked."""
    said = "gold_level, aggregate='mean' and gold_relevant_from=: {'aggregate': 'mean'}"
    assert Message(said).words(OPTIONS) == Message(said) == said
    assert Message(f"{arg('aggregate', said)}").words(OPTIONS).startswith("--aggregate 'gold_level, aggregate=")


@pytest.mark.parametrize(
    "odd", [MARKS, *MARKS[:4], f"a{MARKS[0]}b", f"{MARKS[0]}named{MARKS[1]}x{MARKS[2]}", MARKS * 3]
)
def test_marks_in_data_are_harmless(odd: str) -> None:
    """Guards ids and names that hold our marks: nothing is lost, nothing is taken for an argument."""
    assert Message(odd).about == ()
    assert str(Message(odd)) == Message(odd).words(OPTIONS) == odd
    said = Message(f"{arg('aggregate', odd)} {argvalue('measure', odd)} {odd}")
    assert [part.name for part in said.about] == ["aggregate", "measure"]
    assert said.words(OPTIONS).startswith("--aggregate ")
    error = InputError("bad", file="a.run", text=odd, hint=arg("aggregate"))
    assert (error.argument, error.message.words(OPTIONS)[-13:]) == ("aggregate", "(--aggregate)")


def test_an_error_carries_what_it_is_about() -> None:
    """Guards the attributes: argument, value, what is allowed, place and remedy."""
    with pytest.raises(TruegainError) as caught:
        check_one_of("design", "randm", ("random", "topics"))
    error = caught.value
    assert (error.argument, error.value, error.allowed) == ("design", "randm", ("random", "topics"))
    assert error.args == (str(error),) == ("design 'randm' is not known; give one of random, topics",)
    assert error.message.words(OPTIONS) == "--design randm is not known; give one of random, topics"
    placed = InputError("no such label", file="a.csv", line=3, text="x", hint=f"give {arg('aggregate', 'mean')}")
    assert (placed.file, placed.line, placed.text, placed.hint) == ("a.csv", 3, "x", "give aggregate='mean'")
    assert (placed.remedy, placed.argument, placed.value) == (placed.hint, "aggregate", "mean")
    assert placed.message.words(OPTIONS) == "a.csv:3: no such label: 'x' (give --aggregate mean)"
    there = error.at("s.toml", 7, error.message.words({"design": "design"}))
    assert str(there) == "s.toml:7: design randm is not known; give one of random, topics"
    assert (there.line, there.argument, there.value, there.allowed) == (7, "design", "randm", error.allowed)
    assert MeasureError("there is no measure 'X'").argument == "measure"
    plain = TruegainError("nothing")
    assert (plain.argument, plain.value, plain.allowed, plain.remedy) == (None, None, None, None)


def test_errors_of_users_carry_it_too() -> None:
    """Guards the way from a call: what was wrong can be asked of the error, in Python."""
    with pytest.raises(TruegainError) as caught:
        tg.intervals({"a": {"1": {"x": 1.0}}}, {"1": {"x": 1}}, "P@1", confidence=95)
    assert (caught.value.argument, caught.value.value) == ("confidence", 95)


def made(kind: type[Any]) -> Any:
    """An error or a warning of each kind."""
    said = f"{argname('aggregate', 'best')}: take {arg('design', 'topics')} ({by_surface('tg.x', '`truegain x`')})"
    if issubclass(kind, InputError):
        return kind(said, file="a.csv", line=2, text="1 2", hint=f"leave {arg('system_models')} out")
    return kind(said)


KINDS = [TruegainError, InputError, EmptyError, MeasureError, DataWarning, PeerWarning]


def asked(error: Any) -> tuple[Any, ...]:
    """All that an error or a warning says."""
    names = ("argument", "value", "allowed", "remedy", "file", "line", "row", "text", "hint", "problem")
    about = tuple(getattr(error, name, None) for name in names)
    return type(error), str(error), error.args, error.message.words(OPTIONS), about


def raised(kind: type[Any]) -> None:
    """Raise one, in another process."""
    raise made(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_on_the_way(kind: type[Any]) -> None:
    """Guards errors and warnings of other processes and machines: pickled, copied, they say all that they said."""
    error = made(kind)
    assert "--aggregate best: take --design topics (`truegain x`)" in error.message.words(OPTIONS)
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert asked(other) == asked(error)
    assert unpacked(packed([error.message, "x"]), list[str])[0].words(OPTIONS) == error.message.words(OPTIONS)
    assert json.loads(json.dumps([error.message])) == [str(error.message)]


@pytest.mark.slow
def test_nothing_is_lost_between_processes() -> None:
    """Guards worker processes: an error comes back as it was raised."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as workers:
        error = workers.submit(raised, InputError).exception()
    assert asked(error) == asked(made(InputError))


def test_warnings_that_were_heard_are_told_again_whole() -> None:
    """Guards reports and clusters, which list warnings and tell them later."""
    with heard() as said:
        warn(f"few ({arg('aggregate', 'mean')})")
    assert said == ["few (aggregate='mean')"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tell(said)
    message: Any = caught[0].message
    assert (str(message), message.message.words(OPTIONS)) == ("few (aggregate='mean')", "few (--aggregate mean)")
    assert with_marks(TruegainError(message.message)) == message.message.marked


def test_a_value_that_python_reads_otherwise_leaves_no_mark() -> None:
    """Guards lines of a study file: a number of numpy is told as on the command line, without a mark."""
    said = Message(arg("level", np.float64(0.5))).lines({"level": "level"})
    assert "\ufdd3" not in said


def test_a_remedy_in_the_message_is_a_field_too() -> None:
    """Guards programs that read `remedy`: it is there though the message tells it, and is printed once."""
    with pytest.raises(MeasureError) as of_measure:
        tg.parse_measure("nDGC")
    assert (of_measure.value.argument, of_measure.value.value) == ("measure", "nDGC")
    with pytest.raises(TruegainError) as of_choice:
        tg.Scoring(ties="dice")  # type: ignore[arg-type]
    for error, begin in ((of_measure.value, "did you mean nDCG"), (of_choice.value, "give one of ")):
        assert error.remedy is not None
        assert error.remedy.startswith(begin)
        assert error.in_full == error.message
