"""Measures from text: ir_measures' strings, trec_eval's names, and trec_eval's names of several at once."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from textwrap import shorten

from truegain.errors import MeasureError
from truegain.measures.base import Measure
from truegain.measures.catalogue import ALIASES, CATALOGUE, expanded
from truegain.message import LIST_MEASURES

_FORM = re.compile(r"\s*(?P<name>[^\s(@]+)\s*(?:\((?P<params>.*)\))?\s*(?:@\s*(?P<at>[^\s@)]+))?\s*", re.DOTALL)

OF_NUGGETS = ("V_strict", "V", "A_strict", "A", "W", "W_strict")  # their class is in `nuggets`
_RBP = re.compile(r"rbp\.(\d+)")  # ranx
_LEVEL = re.compile(r"(?P<name>[a-z][a-z0-9_-]*?)(?P<at>@\d+)?-l(?P<level>\d+)")
_NUMBERS = ("rel", "p", "alpha", "beta", "base", "mult", "T", "q", "gamma")  # parameters that no word can stand for


@dataclass(frozen=True)
class NamedMeasure:
    """A measure and the name it was asked for by."""

    name: str
    measure: Measure


MeasureLike = str | Measure | type[Measure]  # those of ir_measures too, which have no types
MeasuresLike = MeasureLike | NamedMeasure | Iterable[MeasureLike | NamedMeasure]  # one or several


def parse_measure(text: MeasureLike) -> Measure:
    """Parse one measure.

    Parameters
    ----------
    text : str, Measure or measure of ir_measures
        Such as 'nDCG@10', "nDCG(dcg='exp-log2')@20", or a name of trec_eval such as 'ndcg_cut_20'.

    Returns
    -------
    Measure
        Prints back as it parses; equal parameters make equal measures.

    Examples
    --------
    >>> parse_measure("nDCG(dcg='exp-log2')@20"), parse_measure("ndcg_cut_20")
    (nDCG(dcg='exp-log2')@20, nDCG@20)
    """
    several = measures_in(text)
    if len(several) != 1:
        raise MeasureError(f"{text} stands for {len(several)} measures; name one, such as {several[0].measure}")
    return several[0].measure


def parse_measures(texts: MeasuresLike) -> list[NamedMeasure]:
    """Measures from one or several strings or measures, without repeats, in the order given.

    A measure of ir_measures stands for itself: it has no `__iter__`, yet `list` would ask it for its parts.
    """
    several = isinstance(texts, Iterable) and not isinstance(texts, str | bytes | Mapping | Measure | type)
    items: list[object] = list(texts) if several else [texts]  # type: ignore[arg-type]
    measures = list(dict.fromkeys(a for item in items for a in measures_in(item)))
    if not measures:
        raise MeasureError("no measure was given; name one, such as nDCG@10")
    return measures


def measures_in(text: object) -> list[NamedMeasure]:
    """The measures a text stands for: one, or several for trec_eval's names such as `official` or `P.5,10`."""
    if isinstance(text, NamedMeasure):
        return [text]
    if isinstance(text, Measure):
        return [NamedMeasure(str(text), text)]
    if isinstance(text, type) and issubclass(text, Measure):
        return measures_in(text())
    if not isinstance(text, str):
        if type(text).__module__.startswith("ir_measures"):
            return measures_in(str(text))
        if text is None:
            raise MeasureError("no measure was given; name one, such as nDCG@10")
        raise MeasureError(
            f"cannot read {shorten(repr(text), 60)} ({type(text).__name__}) as a measure; write it as text, such as "
            "'nDCG@10'"
        )
    trec = expanded(text)
    if trec:
        return [NamedMeasure(name, _canonical(form)) for name, form in trec]
    return [NamedMeasure(text, _canonical(text))]


def _canonical(text: str) -> Measure:
    form = _FORM.fullmatch(text)
    if form is None:
        raise MeasureError(f"cannot read the measure {text!r}; write it like nDCG(dcg='exp-log2')@10")
    if ranx := _of_ranx(form["name"], form["at"]):
        return _canonical(ranx)
    name = ALIASES.get(form["name"], form["name"])
    if "(" in name:  # an alias that sets a parameter, such as NumRelRet
        if form["params"]:
            raise MeasureError(f"{text}: {form['name']} is {name}; write that with the parameters you want")
        return _canonical(name if form["at"] is None else f"{name}@{form['at']}")
    if name in OF_NUGGETS:
        raise MeasureError(
            f"{name} is a measure of nuggets: give the nuggets and what answers support of them, not judgments and runs"
        )
    if name not in CATALOGUE:
        remedy = f"{_like(form['name'])}{LIST_MEASURES} lists all"
        raise MeasureError(
            f"there is no measure {form['name']!r}{remedy}", value=form["name"], remedy=remedy.removeprefix("; ")
        )
    kind = CATALOGUE[name]
    params = _params(text, form["params"], kind)
    try:
        measure = kind(**params)
    except TypeError as error:
        raise MeasureError(f"{text}: {error}") from None
    return (measure if form["at"] is None else measure @ _at(text, form["at"])).in_order(list(params))


def _of_ranx(name: str, at: str | None) -> str | None:
    """Names of ranx that hold a number, as ours: rbp.95, and the level of relevance in mrr-l2 and precision@10-l2.

    >>> _of_ranx("rbp.95", None), _of_ranx("mrr-l2", None), _of_ranx("precision", "10-l2")
    ('RBP(p=0.95)', 'RR(rel=2)', 'P(rel=2)@10')
    """
    if match := _RBP.fullmatch(name):
        return f"RBP(p=0.{match[1]})" + (f"@{at}" if at else "")
    match = _LEVEL.fullmatch(name if at is None else f"{name}@{at}")
    ours = ALIASES.get(match["name"], "") if match else ""
    if match is None or not ours or "(" in ours:
        return None
    return f"{ours}(rel={match['level']})" + (match["at"] or "")


def _params(text: str, inside: str | None, kind: type[Measure]) -> dict[str, object]:
    if not inside:
        return {}
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        assert isinstance(call, ast.Call)
        if call.args:
            raise ValueError
        params = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, ValueError, TypeError, AssertionError, MemoryError, RecursionError):
        raise MeasureError(
            f"cannot read the parameters of {text!r}; write them like (rel=2, judged_only=True)"
        ) from None
    defaults = {f.name: f.default for f in fields(kind)}
    for name, value in params.items():
        if name not in defaults:
            raise MeasureError(f"{text}: {kind.NAME} has no parameter {name!r}; it has {_listed(defaults)}")
        _check_kind(text, name, value, defaults[name])
        if isinstance(defaults[name], Measure):  # a measure of another measure, such as D(of='Q@10')
            params[name] = parse_measure(value)
    return params


def _check_kind(text: str, name: str, value: object, default: object) -> None:
    """A parameter must be of the kind of its default."""
    good = True
    if isinstance(default, bool):
        good = isinstance(value, bool)
    elif isinstance(default, int | float):
        good = isinstance(value, int | float | str) and not isinstance(value, bool)
        good = good and not (isinstance(value, str) and name in _NUMBERS)
    elif isinstance(default, str | Measure):
        good = isinstance(value, str) or (name == "max_rel" and isinstance(value, int | float))
    elif default is None:
        good = not isinstance(value, bool)
    if not good:
        raise MeasureError(f"{text}: {name} cannot be {value!r}")


def _at(text: str, at: str) -> float:
    try:
        return int(at)
    except ValueError:
        try:
            return float(at)
        except ValueError:
            raise MeasureError(f"{text}: {at!r} after @ is not a number; write it like P@10") from None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _like(name: str) -> str:
    """What may have been meant: a name that is near, or a known one and its cutoff, as in P5.

    >>> _like("ndcg_10"), _like("nDGC")
    ('; did you mean nDCG@10? ', '; did you mean nDCG or RnDCG? ')
    """
    lower = {n.lower(): n for n in [*ALIASES, *CATALOGUE]}
    if (deep := re.fullmatch(r"([a-z]+)[_.-]?([1-9]\d*)", name.lower())) and deep[1] in lower:
        ours = f"{ALIASES.get(lower[deep[1]], lower[deep[1]])}@{deep[2]}"
        with suppress(MeasureError):  # of a measure without a cutoff
            return f"; did you mean {_canonical(ours)}? "
    close = difflib.get_close_matches(name.lower(), lower, n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(lower[c] for c in close)}? " if close else "; "
