"""Results as bytes, and back: JSON for their shape, arrays as they lie in memory.  Nothing in them can run.

The bytes hold no name of a class, a function or a module.  Who reads them says which type is expected, and the type
hints of its fields say the rest: what does not fit is refused, so that whoever wrote a file can at worst lie about
numbers and words.  No constructor is called.
"""

from __future__ import annotations

import json
import math
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AnySet
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from truegain.message import Message

Node = Any  # of JSON: a scalar as it is, all else a list that begins with the word for what it is
Buffers = Sequence[Any]  # arrays and bytes
Reader = Callable[[Node, Buffers], Any]

ITEMS = re.compile(r"[<>|][biufSU]\d{1,9}")  # of arrays: numbers and text, never objects
ALIGNED = 16  # bytes; arrays begin at multiples of these
SCALARS: dict[Any, tuple[type, ...]] = {
    bool: (bool,), int: (int,), float: (float, int), str: (str,), type(None): (type(None),),
}  # fmt: skip
NUMBERS: dict[Any, Any] = {bool: np.bool_, int: np.integer, float: np.number, str: (np.str_, Message)}
GROUPS: dict[str, Callable[[list[Any]], Any]] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


class UnfitError(ValueError):
    """Something that cannot be stored, or bytes that are not of the type that was asked for."""


# ---------------------------------------------------------------------- to bytes


def packed(what: object) -> bytes:
    """Something as bytes: plain values and containers, arrays, and dataclasses and named tuples of these.

    >>> unpacked(packed({"a": (1, 0.5, None), "b": np.arange(2)}))
    {'a': (1, 0.5, None), 'b': array([0, 1])}
    >>> packed(len)
    Traceback (most recent call last):
    truegain.results.serialization.UnfitError: builtin_function_or_method cannot be stored
    """
    writer = _Writer()
    shape = json.dumps([writer.node(what), writer.heads], separators=(",", ":")).encode()
    parts = [len(shape).to_bytes(8, "little"), shape]
    at = 8 + len(shape)
    for data in writer.data:
        parts += [bytes(-at % ALIGNED), data]
        at += -at % ALIGNED + len(data)
    return b"".join(parts)


class _Writer:
    """The arrays and bytes of a tree, each once however often it stands there."""

    def __init__(self) -> None:
        self.heads: list[tuple[str, tuple[int, ...], str]] = []
        self.data: list[bytes] = []
        self.number: dict[int, int] = {}
        self.held: list[object] = []  # lest another object gets the number of one that is gone

    def node(self, what: Any) -> Node:
        kind = type(what)
        if what is None or kind in (bool, int, float, str):
            return what
        if kind is Message:
            return ["message", what.marked]
        if kind in (list, tuple, set, frozenset):
            if kind in (list, tuple) and len(what) > 1 and is_dataclass(what[0]) and len(set(map(type, what))) == 1:
                names = [f.name for f in fields(what[0])]
                return ["rows", kind.__name__, *(self._column(what, name, name == names[0]) for name in names)]
            return [kind.__name__, *map(self.node, what)]
        if isinstance(what, np.ndarray | np.generic | bytes):
            word = "bytes" if isinstance(what, bytes) else "array" if isinstance(what, np.ndarray) else "number"
            return [word, self._buffer(what)]
        if is_dataclass(what) and not isinstance(what, type):
            return ["fields", *(self.node(getattr(what, f.name)) for f in fields(what))]
        if isinstance(what, tuple) and hasattr(what, "_fields"):
            return ["fields", *map(self.node, what)]
        if isinstance(what, Mapping):
            return ["dict", *(self.node(x) for pair in what.items() for x in pair)]
        raise UnfitError(f"{kind.__name__} cannot be stored")

    def _column(self, rows: Sequence[Any], name: str, whole: bool) -> list[Node]:
        """A field of all rows: a node for each, or but one where all have the same object in it."""
        values = [getattr(row, name) for row in rows]
        alike = not whole and all(x is values[0] for x in values)
        return list(map(self.node, values[:1] if alike else values))

    def _buffer(self, what: npt.NDArray[Any] | np.generic | bytes) -> int:
        if id(what) in self.number:
            return self.number[id(what)]
        head: tuple[str, tuple[int, ...], str]
        if isinstance(what, bytes):
            head, data = ("", (len(what),), ""), what
        else:
            array = np.asarray(what)
            if not ITEMS.fullmatch(array.dtype.str):
                raise UnfitError(f"an array of {array.dtype} cannot be stored")
            order: Literal["C", "F"] = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
            head, data = (array.dtype.str, array.shape, order), array.tobytes(order)
        self.number[id(what)] = len(self.data)
        self.held.append(what)
        self.heads.append(head)
        self.data.append(data)
        return len(self.data) - 1


# ---------------------------------------------------------------------- from bytes


def unpacked(data: bytes, kind: Any = Any) -> Any:
    """What the bytes hold, as the type that is asked for (`Any`: no classes); any exception is damage.

    A dictionary of names and types asks for a dictionary with exactly these.

    >>> unpacked(packed(("a", 2)), tuple[str, int]), unpacked(packed({"a": 2}), {"a": int})
    (('a', 2), {'a': 2})
    >>> unpacked(packed(("a", 2)), tuple[str, ...])
    Traceback (most recent call last):
    truegain.results.serialization.UnfitError: 2 is no str
    """
    end = 8 + int.from_bytes(data[:8], "little")
    tree, heads = json.loads(data[8:end])
    buffers = []
    for items, shape, order in heads:
        at = end + -end % ALIGNED
        buffer, end = _buffer(data, at, items, shape, order)
        buffers.append(buffer)
    if end != len(data):
        raise UnfitError("there is more, or less, than was written")
    return reader_of(kind)(tree, buffers)


def _buffer(data: bytes, at: int, items: str, shape: list[int], order: str) -> tuple[Any, int]:
    """An array, or bytes, and where they end."""
    if not all(type(n) is int and n >= 0 for n in shape) or (items and not ITEMS.fullmatch(items)):
        raise UnfitError("this is no array")
    kind = np.dtype(items or "u1")
    end = at + math.prod(shape) * kind.itemsize
    if end > len(data) or at > len(data):
        raise UnfitError("an array is cut")
    if not items:
        return data[at:end], end
    array = np.frombuffer(data, kind, math.prod(shape), at)
    if kind.kind == "b" and array.view("u1").max(initial=0) > 1:
        raise UnfitError("neither true nor false")
    if kind.kind == "U" and array.view(f"{items[0]}u4").max(initial=0) > sys.maxunicode:
        raise UnfitError("no text")
    return array.reshape(shape, order="F" if order == "F" else "C").copy("K"), end


def hints_of(kind: type, *, but: str = "") -> dict[str, Any]:
    """The types of a dataclass' fields by name, all or all but one, as `unpacked` takes them."""
    hints = get_type_hints(kind)
    return {f.name: hints[f.name] for f in fields(kind) if f.name != but}


def reader_of(kind: Any) -> Reader:
    """What reads a type; UnfitError where nothing of that type could be stored."""
    return _record(kind) if isinstance(kind, dict) else _reader(kind)


@cache
def _reader(kind: Any) -> Reader:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any or kind is object:
        return _plain
    if kind in SCALARS:
        return _Scalar((kind,))
    if origin is Literal:
        return _literal(inner)
    if origin in (Union, types.UnionType):
        return _Scalar(inner) if all(x in SCALARS for x in inner) else _either(tuple(map(_reader, inner)))
    if kind is bytes:
        return lambda node, buffers: _checked(_plain(node, buffers), bytes, kind)
    if origin is np.ndarray or kind is np.ndarray:
        return _array(*(get_args(inner[1]) if inner else (Any,)))
    base: Any = origin or kind
    if base is tuple and inner and inner[-1] is not Ellipsis:
        return _members("tuple", tuple(map(_reader, inner)), tuple)
    if isinstance(base, type):
        if is_dataclass(base):
            return _Dataclass(base)
        if issubclass(base, tuple) and hasattr(base, "_fields"):
            hints = get_type_hints(base)
            return _members("fields", tuple(_reader(hints[name]) for name in base._fields), getattr(base, "_make"))  # noqa: B009
        if issubclass(base, Mapping):
            return _mapping(*(map(_reader, inner or (Any, Any))))
        if issubclass(base, Sequence | AnySet):
            return _group(base, _reader(inner[0] if inner else Any))
    raise UnfitError(f"{kind} cannot be read")


def _plain(node: Node, buffers: Buffers) -> Any:
    """What is told by the node itself: anything but a class."""
    if not isinstance(node, list):
        return _checked(node, (type(None), bool, int, float, str), "plain value")
    word = node[0]
    if word in GROUPS:
        return GROUPS[word]([_plain(x, buffers) for x in node[1:]])
    if word == "dict":
        return dict(_pairs(node, _plain, _plain, buffers))
    if word == "message":
        return Message(_checked(node[1], str, word))
    value = buffers[_checked(node[1], int, "place")]
    if word == "number" and isinstance(value, np.ndarray):
        return value[()]
    return _checked(value, {"array": np.ndarray, "bytes": bytes}.get(word, ()), word)


class _Scalar:
    """Reads one of some scalars, or a column of them."""

    def __init__(self, kinds: tuple[Any, ...]) -> None:
        self.allowed = frozenset(t for kind in kinds for t in SCALARS[kind])
        self.numbers = tuple(NUMBERS[kind] for kind in kinds if kind in NUMBERS)
        self.name = " or ".join(kind.__name__ for kind in kinds)

    def __call__(self, node: Node, buffers: Buffers) -> Any:
        return node if type(node) in self.allowed else _checked(_plain(node, buffers), self.numbers, self.name)

    def column(self, nodes: list[Node], buffers: Buffers) -> list[Any]:
        return nodes if self.allowed.issuperset(map(type, nodes)) else [self(x, buffers) for x in nodes]


def _literal(words: tuple[Any, ...]) -> Reader:
    def read(node: Node, buffers: Buffers) -> Any:  # noqa: ARG001
        if not any(type(node) is type(word) and node == word for word in words):
            raise UnfitError(f"{node!r} is none of {words}")
        return node

    return read


def _either(readers: tuple[Reader, ...]) -> Reader:
    def read(node: Node, buffers: Buffers) -> Any:
        for reader in readers[:-1]:
            try:
                return reader(node, buffers)
            except UnfitError:
                continue
        return readers[-1](node, buffers)

    return read


def _array(items: Any) -> Reader:
    expected = None if items is Any else np.dtype(items)

    def read(node: Node, buffers: Buffers) -> Any:
        array = _checked(_plain(node, buffers), np.ndarray, "array")
        if expected is not None and array.dtype != expected:
            raise UnfitError(f"{array.dtype} is not {expected}")
        return array

    return read


def _members(word: str, readers: tuple[Reader, ...], make: Callable[[list[Any]], Any]) -> Reader:
    def read(node: Node, buffers: Buffers) -> Any:
        _check_word(node, word, len(readers))
        return make([reader(x, buffers) for reader, x in zip(readers, node[1:], strict=True)])

    return read


class _Dataclass:
    """Reads a dataclass, or many of them, a column a field."""

    def __init__(self, kind: type) -> None:
        hints = hints_of(kind)
        self.kind, self.names, self.readers = kind, list(hints), list(map(_reader, hints.values()))

    def __call__(self, node: Node, buffers: Buffers) -> Any:
        _check_word(node, "fields", len(self.names))
        return self.made([reader(x, buffers) for reader, x in zip(self.readers, node[1:], strict=True)])

    def made(self, values: Iterable[Any]) -> Any:
        made: Any = object.__new__(self.kind)
        made.__dict__.update(zip(self.names, values, strict=True))  # also of frozen ones
        return made

    def rows(self, columns: list[list[Node]], buffers: Buffers) -> list[Any]:
        whole = [self._column(reader, x, buffers) for reader, x in zip(self.readers, columns, strict=True)]
        filled = [x * len(whole[0]) if len(x) == 1 else x for x in whole]
        return [self.made(values) for values in zip(*filled, strict=True)]

    @staticmethod
    def _column(reader: Reader, nodes: list[Node], buffers: Buffers) -> list[Any]:
        return reader.column(nodes, buffers) if isinstance(reader, _Scalar) else [reader(x, buffers) for x in nodes]


def _group(base: type, reader: Reader) -> Reader:
    """Of a list, a tuple or a set; what is asked for as a sequence may be a list or a tuple."""

    def read(node: Node, buffers: Buffers) -> Any:
        if isinstance(reader, _Dataclass) and type(node) is list and node[:1] == ["rows"]:
            return _checked(GROUPS[node[1]](reader.rows(node[2:], buffers)), base, base.__name__)
        _check_word(node, *GROUPS)
        return _checked(GROUPS[node[0]]([reader(x, buffers) for x in node[1:]]), base, base.__name__)

    return read


def _mapping(key: Reader, value: Reader) -> Reader:
    return lambda node, buffers: dict(_pairs(node, key, value, buffers))


def _record(hints: dict[str, Any]) -> Reader:
    readers = {name: reader_of(kind) for name, kind in hints.items()}

    def read(node: Node, buffers: Buffers) -> Any:
        _check_word(node, "dict")
        if node[1::2] != list(readers):
            raise UnfitError(f"other names than {', '.join(readers)}")
        return {name: reader(x, buffers) for (name, reader), x in zip(readers.items(), node[2::2], strict=True)}

    return read


def _pairs(node: Node, key: Reader, value: Reader, buffers: Buffers) -> list[tuple[Any, Any]]:
    _check_word(node, "dict")
    return [(key(k, buffers), value(v, buffers)) for k, v in zip(node[1::2], node[2::2], strict=True)]


def _check_word(node: Node, *words: str | int) -> None:
    """Refuse a node that does not begin with one of some words, or has not as many members."""
    counts = [n for n in words if type(n) is int]
    if type(node) is not list or not node or node[0] not in words or (counts and len(node) != counts[0] + 1):
        raise UnfitError(f"this is no {words[0]}")


def _checked(value: Any, kinds: Any, name: object) -> Any:
    if not isinstance(value, kinds):
        raise UnfitError(f"{value!r} is no {name}")
    return value
