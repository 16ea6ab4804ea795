"""What a study may be asked: numbers and words, refused where they cannot be meant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Literal

from truegain.errors import TruegainError, check_one_of
from truegain.inference.study.lattice import POPULATIONS, Source

LEAST_REPLICATES = 100
TopicsAs = Literal["sampled", "fixed"]


def smallest_of(value: object) -> float:
    """The smallest gain that matters.

    >>> smallest_of(None)
    Traceback (most recent call last):
    truegain.errors.TruegainError: smallest None: give the smallest gain that matters, a number of at least 0
    """
    if not (isinstance(value, Real) and math.isfinite(value) and float(value) >= 0):
        raise TruegainError(f"smallest {value}: give the smallest gain that matters, a number of at least 0")
    return float(value)


def count_of(name: str, value: object, least: int) -> int:
    """A whole number that is large enough.

    >>> count_of("replicates", 1, 100)
    Traceback (most recent call last):
    truegain.errors.TruegainError: replicates 1: give a whole number of at least 100
    """
    if not isinstance(value, Integral) or value < least:
        raise TruegainError(f"{name} {value}: give a whole number of at least {least}")
    return int(value)


def sources_of(names: str | Sequence[str] | None, topics: TopicsAs = "sampled") -> frozenset[Source]:
    """The sources that are named, in a list or with commas; None: topics, unless these are fixed.

    >>> sorted(sources_of("topics, collection")), sorted(sources_of(None, "fixed"))
    (['collection', 'topics'], [])
    """
    check_one_of("topics", topics, ("sampled", "fixed"))
    if names is None:
        return frozenset() if topics == "fixed" else frozenset(["topics"])
    given = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    found: set[Source] = set()
    for name in given:
        source = next((s for s in POPULATIONS if s == name), None)
        if source is None:
            raise TruegainError(f"generalise_to: {name!r} is not known; there are {', '.join(POPULATIONS)}")
        found.add(source)
    if topics == "fixed" and "topics" in found:
        raise TruegainError("topics='fixed' is about these topics only, generalise_to names topics; give one of them")
    return frozenset(found)
