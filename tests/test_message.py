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
from truegain.errors import DataWarning, EmptyError, InputError, MeasureError, PeerWarning, TruegainError, check_one_of
from truegain.message import Message, arg, argname, by_surface, option, told_value, value_of, with_marks
from truegain.stored import packed, unpacked
from truegain.tables.notice import heard, tell, warn

OPTIONS = {name: f"--{name.replace('_', '-')}" for name in ("gold_level", "rule", "uses", "pair", "complete", "design")}
MARKS = "".join(map(chr, range(0xFDD0, 0xFDF0)))


@pytest.mark.parametrize(
    ("said", "python", "command"),
    [
        (arg("rule"), "rule=", "--rule"),
        (arg("rule", "mean"), "rule='mean'", "--rule mean"),
        (arg("rule", "my own"), "rule='my own'", "--rule 'my own'"),
        (arg("rule", None), "rule=None", "--rule None"),
        (arg("gold_level", 0.5), "gold_level=0.5", "--gold-level 0.5"),
        (arg("complete", True), "complete=True", "--complete"),
        (arg("uses", {"dense": "m1"}), "uses={'dense': 'm1'}", "--uses dense=m1"),
        (arg("pair", ("a", "b")), "pair=('a', 'b')", "--pair a,b"),
        (arg("uses", ["a", "b"], of="tg.read_ratings"), "uses=['a', 'b'] of tg.read_ratings", "--uses a,b"),
        (arg("columns", "a", of="tg.read_ratings"), "columns='a' of tg.read_ratings", "columns='a'"),
        (arg("complete", True, within=" unless ({})"), " unless (complete=True)", " unless (--complete)"),
        (arg("columns", True, within=" unless ({})"), " unless (columns=True)", ""),
        (argname("gold_level"), "gold_level", "--gold-level"),
        (argname("gold_level", -1), "gold_level -1", "--gold-level -1"),
        (argname("gold_level", 0.25, ".1f"), "gold_level 0.2", "--gold-level 0.2"),
        (argname("rule", "best"), "rule 'best'", "--rule best"),
        (argname("rule", "it's"), 'rule "it\'s"', "--rule 'it'\"'\"'s'"),
        (argname("columns", "a"), "columns 'a'", "columns 'a'"),
        (value_of("design", "topics"), "'topics'", "topics"),
        (value_of("columns", "a"), "'a'", "'a'"),
        (told_value("measure", "AP"), "AP", "AP"),
        (by_surface("tg.evaluate", "`truegain eval`"), "tg.evaluate", "`truegain eval`"),
        (option("--gold-level"), "--gold-level", "--gold-level"),
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
    said = "gold_level, rule='mean' and gold_level=: {'rule': 'mean'}"
    assert Message(said).words(OPTIONS) == Message(said) == said
    assert Message(f"{arg('rule', said)}").words(OPTIONS).startswith("--rule 'gold_level, rule=")


@pytest.mark.parametrize(
    "odd", [MARKS, *MARKS[:4], f"a{MARKS[0]}b", f"{MARKS[0]}named{MARKS[1]}x{MARKS[2]}", MARKS * 3]
)
def test_marks_in_data_are_harmless(odd: str) -> None:
    """Guards ids and names that hold our marks: nothing is lost, nothing is taken for an argument."""
    assert Message(odd).about == ()
    assert str(Message(odd)) == Message(odd).words(OPTIONS) == odd
    said = Message(f"{arg('rule', odd)} {told_value('measure', odd)} {odd}")
    assert [part.name for part in said.about] == ["rule", "measure"]
    assert said.words(OPTIONS).startswith("--rule ")
    error = InputError("bad", file="a.run", text=odd, hint=arg("rule"))
    assert (error.argument, error.message.words(OPTIONS)[-8:]) == ("rule", "(--rule)")


def test_an_error_carries_what_it_is_about() -> None:
    """Guards the attributes: argument, value, what is allowed, place and remedy."""
    with pytest.raises(TruegainError) as caught:
        check_one_of("design", "randm", ("random", "topics"))
    error = caught.value
    assert (error.argument, error.value, error.allowed) == ("design", "randm", ("random", "topics"))
    assert error.args == (str(error),) == ("design 'randm' is not known; give one of random, topics",)
    assert error.message.words(OPTIONS) == "--design randm is not known; give one of random, topics"
    placed = InputError("no such label", file="a.csv", line=3, text="x", hint=f"give {arg('rule', 'mean')}")
    assert (placed.file, placed.line, placed.text, placed.hint) == ("a.csv", 3, "x", "give rule='mean'")
    assert (placed.remedy, placed.argument, placed.value) == (placed.hint, "rule", "mean")
    assert placed.message.words(OPTIONS) == "a.csv:3: no such label: 'x' (give --rule mean)"
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
    said = f"{argname('rule', 'best')}: take {arg('design', 'topics')} ({by_surface('tg.x', '`truegain x`')})"
    if issubclass(kind, InputError):
        return kind(said, file="a.csv", line=2, text="1 2", hint=f"leave {arg('uses')} out")
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
    assert "--rule best: take --design topics (`truegain x`)" in error.message.words(OPTIONS)
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert asked(other) == asked(error)
    assert unpacked(packed([error.message, "x"]), list[str])[0].words(OPTIONS) == error.message.words(OPTIONS)
    assert json.loads(json.dumps([error.message])) == [str(error.message)]


def test_nothing_is_lost_between_processes() -> None:
    """Guards worker processes: an error comes back as it was raised."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as workers:
        error = workers.submit(raised, InputError).exception()
    assert asked(error) == asked(made(InputError))


def test_warnings_that_were_heard_are_told_again_whole() -> None:
    """Guards reports and clusters, which list warnings and tell them later."""
    with heard() as said:
        warn(f"few ({arg('rule', 'mean')})")
    assert said == ["few (rule='mean')"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tell(said)
    message: Any = caught[0].message
    assert (str(message), message.message.words(OPTIONS)) == ("few (rule='mean')", "few (--rule mean)")
    assert with_marks(TruegainError(message.message)) == message.message.marked


def test_a_value_that_python_reads_otherwise_leaves_no_mark() -> None:
    """Guards lines of a study file: a number of numpy is told as on the command line, without a mark."""
    said = Message(arg("level", np.float64(0.5))).lines({"level": "level"})
    assert "\ufdd3" not in said
