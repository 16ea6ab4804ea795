"""Docstrings of what users call and get: numpydoc, whole, and true of signatures, attributes and columns."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from typing import Any

from tools.reference.api import PARTS

import truegain as tg
from tests.test_answers import ANSWERS
from truegain.measures.base import Measure
from truegain.results.base import Result
from truegain.results.table import plain_name

NAMES = [name for name in dir(tg) if name != "__version__"]
SECTIONS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "See Also", "Notes", "References", "Examples")
READERS = {"read_scores"}  # their answers tell how they were made, too, and no published method is behind them
COMPUTED = {"Judge", "PublishedTest", "Study", "aggregate"}  # published methods that answer by other means

# ---------------------------------------------------------------------- what there is


@cache
def classes() -> dict[str, type[Any]]:
    """Every class of the package by its name, which is its own (tests/test_house.py)."""
    found: dict[str, type[Any]] = {}
    for module in pkgutil.walk_packages(tg.__path__, "truegain."):
        if re.match(r"truegain\.(__main__|cli|judging|experiments|report)\b", module.name):
            continue
        values = vars(importlib.import_module(module.name)).values()
        found |= {x.__name__: x for x in values if inspect.isclass(x) and x.__module__.startswith("truegain.")}
    return found


def returned(function: Any) -> list[type[Any]]:
    """The classes of ours that a return annotation names."""
    words = re.findall(r"\w+", str(getattr(function, "__annotations__", {}).get("return", "")))
    return [classes()[word] for word in words if word in classes()]


def function_of(member: Any) -> Any:
    """The function behind a member of a class; None where there is none, as behind a plain value."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    member = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    return member if inspect.isfunction(member) else None


def members(kind: type[Any]) -> Iterator[tuple[type[Any], str, Any]]:
    """The public methods and properties of a class, with the class of ours that defines each."""
    for owner in kind.__mro__:
        if owner.__module__.startswith("truegain."):
            for name, member in vars(owner).items():
                if name[0] != "_" and function_of(member) is not None:
                    yield owner, name, member


@cache
def reachable() -> list[type[Any]]:
    """Public classes, and all that users get from public functions and methods, by return annotations.

    What parts of results are made of in turn is not followed: only results have further methods for users.
    """
    waiting = [getattr(tg, name) for name in NAMES]
    seen: dict[type[Any], None] = {}
    while waiting:
        one = waiting.pop()
        if not inspect.isclass(one):
            waiting += returned(one)
        elif one not in seen:
            seen[one] = None
            if one not in (getattr(tg, name) for name in NAMES) and not issubclass(one, Result):
                continue
            waiting += [kind for _, _, member in members(one) for kind in returned(function_of(member))]
            waiting += [owner for owner, _, _ in members(one)]
    return sorted(seen, key=lambda kind: (kind.__module__, kind.__qualname__))


def methods() -> dict[str, tuple[Any, bool]]:
    """Public methods and properties by their names, and whether a class above has already said what each is.

    A method with parameters says itself what they are, as `help` shows no other docstring; those of measures are the
    same in all of them.
    """
    found: dict[str, tuple[Any, bool]] = {}
    results = (kind for kind in classes().values() if issubclass(kind, Result))
    public = [kind for kind in reachable() if kind.__name__ in NAMES or issubclass(kind, Result | Measure)]
    for kind in dict.fromkeys((*public, *results)):
        for owner, name, member in members(kind):
            takes = len(inspect.signature(function_of(member)).parameters) > 1 and not issubclass(owner, Measure)
            above = not takes and any(name in vars(base) for base in owner.__mro__[1:-1])
            found[f"{owner.__name__}.{name}"] = member, above
    return found


# ---------------------------------------------------------------------- docstrings


def sections(doc: str) -> dict[str, str]:
    r"""The sections of a docstring by their headings; what stands before the first is ''.

    >>> sections('A sum.\n\nReturns\n-------\nfloat\n    It.')
    {'': 'A sum.', 'Returns': 'float\n    It.'}
    """
    parts = re.split(rf"^({'|'.join(SECTIONS)})\n-+\n", doc, flags=re.MULTILINE)
    return {
        "": parts[0].strip(),
        **{head: body.strip("\n") for head, body in zip(parts[1::2], parts[2::2], strict=True)},
    }


def entries(body: str) -> list[str]:
    r"""The names that a section explains, each at its line's beginning with text below it.

    >>> entries("a, b : int\n    Two numbers.\nc : float")
    ['a', 'b']
    """
    named = re.findall(r"^(\*{0,2}\w[\w, *]*?)(?: : .*)?\n(?=    \S)", body + "\n", flags=re.MULTILINE)
    return [name.strip(" *") for names in named for name in names.split(",")]


def text_of(thing: Any) -> str:
    """A docstring without its indentation; one of a dataclass that Python wrote is none."""
    doc = inspect.cleandoc(thing.__doc__ or "")
    return "" if inspect.isclass(thing) and doc.startswith(f"{thing.__name__}(") else doc


def summary_faults(doc: str) -> list[str]:
    """A docstring begins with one line, a sentence, and an empty line after it; headings stand alone."""
    first, _, rest = doc.partition("\n")
    if not first:
        return ["no docstring"]
    faults = {
        "the first line is no sentence": not first.rstrip().endswith("."),
        "no empty line after the first": bool(rest) and not rest.startswith("\n"),
        "text beside a heading": re.search(rf"^({'|'.join(SECTIONS)}) -", doc, re.MULTILINE) is not None,
    }
    return [fault for fault, there in faults.items() if there]


def parameter_faults(doc: str, function: Any) -> list[str]:
    """Parameters are those of the signature, in order, and a function that returns something says what."""
    parts, signature = sections(doc), inspect.signature(function)
    wanted = [name for name in signature.parameters if name not in ("self", "cls")]
    faults = []
    if entries(parts.get("Parameters", "")) != wanted:
        faults.append(f"Parameters: {entries(parts.get('Parameters', ''))} for {wanted}")
    if str(signature.return_annotation) not in ("None", "<class 'inspect._empty'>") and "Returns" not in parts:
        faults.append("no Returns")
    return faults


def class_faults(kind: type[Any]) -> list[str]:
    """A class explains each parameter or field; those of its own functions are told there."""
    parts = sections(text_of(kind))
    told = [*entries(parts.get("Parameters", "")), *entries(parts.get("Attributes", ""))]
    wanted = [f.name for f in fields(kind) if f.name[0] != "_"] if is_dataclass(kind) else []
    if not is_dataclass(kind) and "__init__" in vars(kind):
        wanted = [name for name in inspect.signature(kind).parameters if name not in ("args", "kwargs")]
    bases = [owner for owner in kind.__mro__ if owner.__module__.startswith("truegain.")]
    if kind.__name__ in NAMES:
        wanted += [name for owner in bases for name in inspect.get_annotations(owner) if name[0] != "_"]
    faults = [f"not explained: {', '.join(lacking)}"] if (lacking := [w for w in wanted if w not in told]) else []
    own = {name for _, name, _ in members(kind)} | set(inspect.get_annotations(kind))
    own |= {name for owner in bases for name in re.findall(r"self\.(\w+)", inspect.getsource(owner))}
    odd = [name for name in told if name not in wanted and name not in own]
    return faults + ([f"there is no {', '.join(odd)}"] if odd else [])


# ---------------------------------------------------------------------- what is guarded


def test_every_public_name_is_documented_whole() -> None:
    """Guards `help(tg.x)`: a sentence, Parameters as in the signature, Returns, and Examples that the tests run."""
    faults: dict[str, list[str]] = {}
    for name in NAMES:
        thing = getattr(tg, name)
        doc = text_of(thing)
        wrong = summary_faults(doc)
        wrong += class_faults(thing) if inspect.isclass(thing) else parameter_faults(doc, thing)
        wrong += [] if ">>> " in sections(doc).get("Examples", "") else ["no Examples"]
        if wrong:
            faults[name] = wrong
    assert faults == {}


def test_every_result_class_explains_its_attributes() -> None:
    """Guards what users get back: each class that a public function or method returns explains each attribute."""
    faults = {
        kind.__name__: wrong
        for kind in reachable()
        if kind.__name__ not in (*NAMES, *PARTS) and (wrong := summary_faults(text_of(kind)) + class_faults(kind))
    }
    assert faults == {}


def test_every_public_method_is_documented() -> None:
    """Guards methods, those that replace one of a class above, too; a property, and a measure's, has a sentence."""
    faults: dict[str, list[str]] = {}
    for name, (member, above) in methods().items():
        function = function_of(member)
        doc = text_of(function)
        wrong = summary_faults(doc)
        if not (above or isinstance(member, property | cached_property)):
            wrong += parameter_faults(doc, function)
        if wrong:
            faults[name] = wrong
    assert faults == {}


def test_published_methods_are_cited() -> None:
    """Guards References: whatever computes an answer says whose method it is, with author, year and place."""
    faults: dict[str, str] = {}
    for name in sorted({*tg._ANSWERING, *COMPUTED} - READERS):
        body = sections(text_of(getattr(tg, name))).get("References", "")
        cited = re.split(r"^\.\. \[\d+\] ", body, flags=re.MULTILINE)[1:]
        if not cited or not all(re.search(r"\b(19|20)\d\d\b", one) and one.strip().endswith(".") for one in cited):
            faults[name] = body or "no References"
    assert faults == {}


def test_every_column_of_a_frame_is_explained() -> None:
    """Guards frames: each column is named in the docstring of its class, or of the function that returns it."""
    faults: dict[str, list[str]] = {}
    for name, (_, make) in ANSWERS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tg.DataWarning)
            answer = make()
        explained = explained_for(type(answer))
        lacking = [c for c in answer.frame().columns if without_numbers(c) not in explained and not is_measure(c)]
        if lacking:
            faults[f"{name} ({type(answer).__name__})"] = lacking
    assert faults == {}


def explained_for(kind: type[Any]) -> set[str]:
    """Names that docstrings of a class, and of the functions that return it, explain, as frames have them."""
    functions = [getattr(tg, name) for name in NAMES]
    makers = [f for f in functions if not inspect.isclass(f) and set(returned(f)) & set(kind.__mro__)]
    docs = [text_of(thing) for thing in (*kind.__mro__[:-1], *makers)]
    named = [
        entry for doc in docs for part in ("Attributes", "Parameters") for entry in entries(sections(doc).get(part, ""))
    ]
    quoted = [name for doc in docs for name in re.findall(r"`([^`]+)`", doc.replace("``", ""))]
    return {without_numbers(plain_name(name.replace("\n", " "))) for name in (*named, *quoted)}


def without_numbers(name: str) -> str:
    """A name that holds for every number in it: columns of labels and powers are as many as there are."""
    return re.sub(r"\d+(\.\d+)?", "#", name)


def is_measure(name: str) -> bool:
    """Whether a column is named after a measure, whose docstring explains it."""
    try:
        tg.parse_measure(name)
    except tg.TruegainError:
        return False
    return True
