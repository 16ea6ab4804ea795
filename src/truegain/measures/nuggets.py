"""Measures of nuggets: how many of the facts that an answer should hold it supports.

Pradeep et al. 2024, Initial Nugget Evaluation Results for the TREC 2024 RAG Track with the AutoNuggetizer Framework
(arXiv 2411.09607); nuggetizer computes the first four.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from truegain.config import Empty
from truegain.errors import MeasureError
from truegain.io.columns import Bools, Floats
from truegain.io.nugget_files import VITAL
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasuresLike, NamedMeasure, split_measures
from truegain.measures.items import OfItems

_FORM = re.compile(r"\s*(?P<name>\w+)\s*(?:\(\s*empty\s*=\s*['\"](?P<empty>\w+)['\"]\s*\))?\s*")


@dataclass(frozen=True, kw_only=True, repr=False)
class NuggetMeasure(OfItems):
    """A share of the nuggets of a topic that an answer supports.

    Attributes
    ----------
    empty : {'skip', 'zero'}
        What a topic counts that has no nugget of the kind: it is left out, or 0 as in nuggetizer.
    of_shares : bool
        Whether labels are strict already: the share of replicates and judges that found full support.
    """

    strict: ClassVar[bool] = False  # whether only full support counts
    counted: ClassVar[Literal["vital", "all", "weighted"]] = "all"

    empty: Empty = "skip"
    of_shares: bool = False

    def __str__(self) -> str:
        return str(replace(self, of_shares=False)) if self.of_shares else super().__str__()

    __repr__ = __str__

    def check(self) -> None:
        """Refuse other words."""
        self.require(self.empty in get_args(Empty), f"empty must be one of {', '.join(get_args(Empty))}")

    def counts(self, weight: Floats) -> Floats:
        """Vital nuggets alone, all alike, or all by their weight."""
        if self.counted == "weighted":
            return weight
        return np.asarray(weight == VITAL, np.float64) if self.counted == "vital" else np.ones(len(weight))

    def worth(self, label: Floats, judged: Bools | None = None) -> Floats:
        """Support as it is, or full support alone; 0 where there is none."""
        strict = self.strict and not self.of_shares
        values = (label >= 1).astype(np.float64) if strict else np.asarray(label, np.float64)
        return values if judged is None else np.where(judged, values, 0.0)

    def without_items(self) -> float:
        """0 where topics without such nuggets count as 0, else none."""
        return 0.0 if self.empty == "zero" else math.nan


class V(NuggetMeasure):
    """Vital nuggets that an answer supports, partial support counting half.

    V = sum over vital nuggets of s / number of vital nuggets; s = 1 support, 1/2 partial support, 0 none

    >>> V(empty="zero")
    V(empty='zero')
    """

    counted = "vital"


class V_strict(V):
    """Vital nuggets that an answer supports in full: the main measure of the TREC RAG track.

    V_strict = number of vital nuggets with full support / number of vital nuggets
    """

    strict = True


class A(NuggetMeasure):
    """Nuggets that an answer supports, vital and okay alike, partial support counting half.

    A = sum over nuggets of s / number of nuggets; s = 1 support, 1/2 partial support, 0 none
    """


class A_strict(A):
    """Nuggets that an answer supports in full, vital and okay alike.

    A_strict = number of nuggets with full support / number of nuggets
    """

    strict = True


class W(NuggetMeasure):
    """Nuggets that an answer supports, okay ones and partial support counting half.

    W = sum over nuggets of w s / sum of w; w = 1 vital, 1/2 okay; s = 1 support, 1/2 partial support, 0 none
    """

    counted = "weighted"


class W_strict(W):
    """Nuggets that an answer supports in full, okay ones counting half.

    W_strict = sum of w over nuggets with full support / sum of w; w = 1 vital, 1/2 okay
    """

    strict = True


NUGGET_MEASURES: dict[str, type[NuggetMeasure]] = {m.NAME: m for m in (V_strict, V, A_strict, A, W, W_strict)}


def nugget_measures(measures: MeasuresLike, empty: Empty = "skip") -> tuple[NuggetMeasure, ...]:
    """Measures of nuggets from one or several names.

    Parameters
    ----------
    measures : str, Measure or list of them
        Such as 'V_strict' or ["V", "A(empty='zero')"].
    empty : {'skip', 'zero'}
        What a topic counts that has no such nugget, where a name does not tell.

    Returns
    -------
    tuple of NuggetMeasure
        Without repeats.

    Examples
    --------
    >>> nugget_measures(["V_strict", "W"], empty="zero")
    (V_strict(empty='zero'), W(empty='zero'))
    """
    several = isinstance(measures, Iterable) and not isinstance(measures, str | Measure | type)
    asked: Sequence[object] = list(measures) if several else [measures]  # type: ignore[arg-type]
    names = [part for one in asked for part in (split_measures(one) if isinstance(one, str) else [one])]
    return tuple(dict.fromkeys(_measure(one, empty) for one in names))


def _measure(text: object, empty: Empty) -> NuggetMeasure:
    if isinstance(text, NamedMeasure):
        text = text.measure
    if isinstance(text, NuggetMeasure):
        return text if empty == "skip" else replace(text, empty=empty)
    if isinstance(text, type) and issubclass(text, NuggetMeasure):
        return text(empty=empty)
    form = _FORM.fullmatch(str(text))
    kind = None if form is None else NUGGET_MEASURES.get(form["name"])
    if form is None or kind is None:
        known = ", ".join(NUGGET_MEASURES)
        raise MeasureError(f"{text} is not a measure of nuggets; there are {known}")
    return kind(empty=form["empty"] or empty)  # type: ignore[arg-type]
