"""Results as bytes: what comes back is what was written, of the types asked for, and nothing else ever does."""

from __future__ import annotations

import json
import math
import random
import zlib
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pytest

from tests.parallel.test_commands import works
from truegain.errors import DataWarning
from truegain.io.columns import Bools, Floats, Ints
from truegain.parallel.worker import answer_of, work_named
from truegain.pooling.bounds import OpenOrder
from truegain.pooling.next_to_judge import Next
from truegain.preferences.answers import PreferenceVerdict
from truegain.report import gather, study_facts
from truegain.report.facts import Check
from truegain.results.cache import Cache, sealed
from truegain.results.serialization import UnfitError, hints_of, packed, reader_of, unpacked
from truegain.stats.results import Estimate
from truegain.study.verdict import Verdict


class Pair(NamedTuple):
    """A named tuple."""

    name: str
    value: float | None = None


@dataclass(frozen=True)
class Leaf:
    """A small result."""

    name: str
    value: float
    kind: Literal["a", "b"] = "a"
    pairs: tuple[Pair, ...] = ()


@dataclass(frozen=True, eq=False)
class Tree:
    """A result of all that there is."""

    leaf: Leaf
    more: dict[str, tuple[Leaf, ...]]
    values: Floats
    ranks: Ints | None
    flags: Bools
    free: dict[str, object]
    count: int = 0
    text: bytes = b""
    same: Floats | None = None


def tree() -> Tree:
    """One of them."""
    values = np.linspace(0, 1, 12).reshape(3, 4)
    leaf = Leaf("d\u00e9\x1b\ud800", math.nan, "b", (Pair("x", 0.1 + 0.2), Pair("y")))
    free = {"list": [1, 2.0, "3", None, True], "tuple": (1, (2,)), "set": frozenset({"a"}), "number": np.float32(0.1)}
    return Tree(
        leaf, {"a": (leaf, Leaf("b", -math.inf))}, values, np.arange(5)[::2], np.array([True, False]), free, 7,
        b"\0\xff", values,
    )  # fmt: skip


def test_what_is_written_comes_back() -> None:
    """Guards every kind of value: the same bits, types and order in memory; an array that appears twice is one."""
    found = unpacked(packed(tree()), Tree)
    made = tree()
    assert (found.leaf.name, found.leaf.kind, found.leaf.pairs) == (made.leaf.name, "b", made.leaf.pairs)
    assert math.isnan(found.leaf.value)
    assert found.more["a"][1] == made.more["a"][1]
    assert type(found.leaf.pairs[0]) is Pair
    assert found.free == made.free
    assert [type(x) for x in found.free["list"]] == [int, float, str, type(None), bool]
    assert type(found.free["number"]) is np.float32
    assert found.values.tobytes() == made.values.tobytes()
    assert found.same is found.values
    assert found.values.flags.aligned
    assert found.ranks.tolist() == [0, 2, 4]
    assert (found.flags.dtype, found.count, found.text) == (np.bool_, 7, b"\0\xff")


def test_many_of_a_class_come_back() -> None:
    """Guards what is written by columns: the same values, whether all rows share them, some, or none."""
    leaf = Leaf("a", 0.5)
    for rows in ((leaf, leaf), (leaf, Leaf("b", 0.5)), (leaf, Leaf("a", math.inf, "b", (Pair("x"),))), (leaf,), ()):
        assert unpacked(packed(rows), tuple[Leaf, ...]) == rows
        assert unpacked(packed(list(rows)), list[Leaf]) == list(rows)
    for damaged in (("a", 0.5, "c"), ("a", "b"), (1, 0.5)):
        with pytest.raises(ValueError):
            unpacked(packed([Leaf(*damaged), Leaf(*damaged)]), list[Leaf])


def test_arrays_lie_as_they_did() -> None:
    """Guards bits: sums go through an array in the order in which it lies."""
    for array in (np.asfortranarray(np.ones((3, 4))), np.zeros((0, 5)), np.array(2.5), np.array(["a", "bc"])):
        found = unpacked(packed(array))
        assert found.flags.f_contiguous == array.flags.f_contiguous
        assert (found.dtype, found.shape, found.tolist()) == (array.dtype, array.shape, array.tolist())


@pytest.mark.parametrize(
    "what",
    [len, object(), Leaf, np.array([None]), np.array([1], "M8[s]"), 1j, [{"a": print}], np.zeros(1, "i4,f8")],
)
def test_what_is_no_data_is_not_written(what: object) -> None:
    """Guards against objects that only code could make again."""
    with pytest.raises(UnfitError):
        packed(what)


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("1", int), (True, int), (1, bool), (1.0, int), (1, str), (None, str), ("c", Literal["a", "b"]),
        ([1], tuple[int, ...]), ((1, 2), tuple[int, int, int]), ((1, "a"), tuple[int, ...]), ({1: 2}, dict[str, int]),
        ({"a": 1}, {"b": int}), ({"a": 1, "b": 2}, {"a": int}), (Leaf("a", 1.0), Estimate), ("a", Leaf), (["a"], Leaf),
        (Leaf("a", "b"), Leaf), (np.zeros(2), Ints), (np.zeros(2), float), (b"a", str), (np.float64(2), int),  # type: ignore[arg-type]
        ((Pair("a", "b"),), tuple[Pair, ...]), (Leaf("a", 1.0), Any), (Leaf("a", 1.0), dict[str, object]),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_other_types_are_refused(what: object, kind: Any) -> None:
    """Guards who reads: what has another type than was asked for does not come back."""
    with pytest.raises(ValueError):
        unpacked(packed(what), kind)


def test_numbers_of_numpy_are_numbers() -> None:
    """Guards results whose fields say `float` and hold numpy's: they come back as they were."""
    assert type(unpacked(packed(np.float64(0.5)), float)) is np.float64
    assert type(unpacked(packed(np.int64(5)), int | None)) is np.int64
    assert unpacked(packed(MappingProxyType({"a": 1})), dict[str, int]) == {"a": 1}


def raw(shape: object, data: bytes = b"") -> bytes:
    """Bytes whose JSON is this."""
    text = shape if isinstance(shape, bytes) else json.dumps(shape).encode()
    return len(text).to_bytes(8, "little") + text + bytes(-(8 + len(text)) % 16) + data


DEEP = 200_000
CRAFTED = {
    "nothing": b"",
    "not JSON": raw(b"\xff{"),
    "no arrays": raw([1]),
    "deep lists": raw(b"[" * DEEP + b"]" * DEEP),
    "deep nodes": raw(b'[' + b'["list",' * DEEP + b"1" + b"]" * DEEP + b",[]]"),
    "empty node": raw([[], []]),
    "a word that is a list": raw([[["list"], 1], []]),
    "no such array": raw([["array", 3], []]),
    "an array by name": raw([["array", "x"], []]),
    "objects": raw([["array", 0], [["|O8", [1], "C"]]], b"\0" * 8),
    "code for items": raw([["array", 0], [["__import__('os').system('true')", [1], "C"]]], b"\0" * 8),
    "records": raw([["array", 0], [["i4,f8", [1], "C"]]], b"\0" * 12),
    "more than there is": raw([["array", 0], [["<f8", [10**12], "C"]]], b"\0" * 8),
    "overflow": raw([["array", 0], [["<f8", [2**63, 2], "C"]]], b"\0" * 8),
    "huge and empty": raw([["array", 0], [["<f8", [0, 10**30], "C"]]]),
    "many dimensions": raw([["array", 0], [["<f8", [1] * 500, "C"]]], b"\0" * 8),
    "fewer than nothing": raw([["array", 0], [["<f8", [-1], "C"]]]),
    "half an item": raw([["array", 0], [["<f8", [1.5], "C"]]], b"\0" * 12),
    "wide text": raw([["array", 0], [["<U999999999", [1], "C"]]]),
    "too wide": raw([["array", 0], [["<f7", [1], "C"]]], b"\0" * 7),
    "neither true nor false": raw([["array", 0], [["|b1", [1], "C"]]], b"\2"),
    "a list as a key": raw([["dict", ["list"], 1], []]),
    "an odd dictionary": raw([["dict", "a"], []]),
    "bytes as an array": raw([["array", 0], [["", [1], ""]]], b"\0"),
    "rows of other lengths": raw([["rows", "list", [1.0, 2.0], [1.0]], []]),
    "rows of nothing": raw([["rows", "list"], []]),
    "rows by name": raw([["rows", "list", "ab", "cd"], []]),
    "more behind": raw([1, []]) + b"\0" * 16,
    "a large number": raw(b"[" + b"9" * 100_000 + b",[]]"),
    "a huge length": (2**63 - 1).to_bytes(8, "little") + b"[1,[]]",
}  # fmt: skip


@pytest.mark.parametrize("name", CRAFTED)
def test_what_somebody_crafts_is_damaged(name: str, tmp_path: Path) -> None:
    """Guards against a file that is written to do harm, with a right digest: told once, made again, no traceback."""
    Cache(tmp_path).of({"i": 1}, lambda: [1.5], list[float])
    (path,) = tmp_path.glob("*.kept")
    path.write_bytes(sealed(zlib.compress(CRAFTED[name]), path.stem))
    with pytest.warns(DataWarning, match="damaged; it is computed again") as caught:
        assert Cache(tmp_path).of({"i": 1}, lambda: [2.5], list[float]) == [2.5]
    assert len(caught) == 1
    with pytest.raises(Exception):  # noqa: B017
        unpacked(CRAFTED[name])


def test_a_few_bytes_do_not_fill_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against what unpacks to more than memory holds."""
    from truegain.results import cache

    Cache(tmp_path).of({"i": 1}, lambda: 1)
    (path,) = tmp_path.glob("*.kept")
    path.write_bytes(sealed(zlib.compress(raw([1, []]) + bytes(10**6)), path.stem))
    whole = path.read_bytes()
    for name, limit in (("LARGEST", 1000), ("available", lambda: 2000)):
        path.write_bytes(whole)
        with monkeypatch.context() as patched:
            patched.setattr(cache, name, limit)
            with pytest.warns(DataWarning, match="damaged"):
                assert Cache(tmp_path).of({"i": 1}, lambda: 2) == 2
    monkeypatch.setattr(cache, "LARGEST", 1000)
    with pytest.warns(DataWarning, match=r"cannot cache list: [\d,]+ bytes are too many"):  # not written, either
        Cache(tmp_path).of({"i": 2}, lambda: [1] * 1000)
    assert len(list(tmp_path.glob("*.kept"))) == 1


def test_text_has_code_points_that_there_are() -> None:
    """Guards arrays of text that no string can be made of: damaged when read, not when looked at."""
    for order in "<>":
        for point in (0x10FFFF, 0x110000):
            data = np.array([point], f"{order}u4").tobytes()
            crafted = raw([["array", 0], [[f"{order}U1", [1], "C"]]])
            crafted += bytes(-len(crafted) % 16) + data
            if point > 0x10FFFF:
                with pytest.raises(UnfitError, match="no text"):
                    unpacked(crafted, np.ndarray)
            else:
                assert unpacked(crafted, np.ndarray).tolist() == ["\U0010ffff"]


def test_a_file_under_the_name_of_another_is_damaged(tmp_path: Path) -> None:
    """Guards results that were moved: each is bound to what it was made of."""
    keep = Cache(tmp_path)
    keep.of({"i": 1}, lambda: 1)
    (one,) = tmp_path.glob("*.kept")
    keep.of({"i": 2}, lambda: 2)
    (two,) = set(tmp_path.glob("*.kept")) - {one}
    one.write_bytes(two.read_bytes())
    with pytest.warns(DataWarning, match="damaged"):
        assert keep.of({"i": 1}, lambda: 3) == 3


def fits(found: Tree) -> bool:
    """Whether all of a tree has its type, as far as fields go."""
    return type(found.leaf) is Leaf and type(found.values) is np.ndarray and type(found.count) is int


def test_damage_of_any_kind_ends_in_an_exception_or_in_the_same_types() -> None:
    """Guards against crashes: flipped bits, cuts and exchanged values never give anything but what was asked for."""
    whole, rng = packed(tree()), random.Random(27)
    end = 8 + int.from_bytes(whole[:8], "little")
    shape = json.loads(whole[8:end])
    odd = [
        None,
        True,
        -1,
        10**40,
        1e400,
        "",
        "x" * 99,
        [],
        ["list"],
        ["dict", 1, 2],
        ["fields"],
        ["array", 0],
        ["bytes", 9],
    ]

    def exchanged() -> bytes:
        new = json.loads(json.dumps(shape))
        at = new
        while isinstance(at, list) and at and rng.random() < 0.9:
            place = rng.randrange(len(at))
            if not isinstance(at[place], list) or rng.random() < 0.2:
                at[place] = rng.choice(odd)
                break
            at = at[place]
        text = json.dumps(new).encode()
        return len(text).to_bytes(8, "little") + text + bytes(-(8 + len(text)) % 16) + whole[end + -end % 16 :]

    def flipped() -> bytes:
        new = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            new[rng.randrange(len(new))] ^= 1 << rng.randrange(8)
        return bytes(new)

    def cut() -> bytes:
        return whole[: rng.randrange(len(whole))]

    read = 0
    for _ in range(700):
        for damaged in (exchanged(), flipped(), cut()):
            try:
                found = unpacked(damaged, Tree)
            except Exception:
                continue
            assert fits(found)
            read += 1
    assert 0 < read < 2000, "the damage hits nothing, or everything"


def parts(kind: Any, seen: set[Any]) -> set[Any]:
    """All classes that a type names."""
    inner = kind.values() if isinstance(kind, dict) else get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind) and kind not in seen:
        seen.add(kind)
        inner = hints_of(kind).values()
    for one in inner:
        parts(one, seen)
    return seen


def test_all_that_is_kept_or_comes_back_is_data() -> None:
    """Guards new results: every type that a page keeps or a piece returns can be read without a class being named."""
    kept = [study_facts.SCORES, gather.COLUMNS, Verdict, PreferenceVerdict, OpenOrder, Next, Check]
    back = [answer_of(work_named(name)) for name in works()]
    assert len(back) >= 12
    for kind in [*kept, *back]:
        reader_of(kind)
    names = {kind.__name__ for kind in set().union(*(parts(kind, set()) for kind in [*kept, *back]))}
    assert {"Verdict", "Comparison", "Estimate", "Ranking", "Next", "TopicSpread", "CountedStretch"} <= names
