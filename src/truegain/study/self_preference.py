"""Judge and system of one model: whether gold labels show how far the judge favors it; if not, claims are withheld."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from truegain.sampling.catalogue import DESIGNS
from truegain.stats.results import Comparison, Estimate
from truegain.study.estimators import LEAST_GOLD

SELF_PREFERENCE = "possible self-preference"
TOO_FEW = "too few gold labels"
UNJUDGED_FIRST = "unjudged top documents"
MORE_LABELS = (
    "More topics would not help: label these documents. For a measure that is linear in gain, such as P@10, a random "
    "sample of them is enough, which `unjudged` draws."
)
T = TypeVar("T", Estimate, Comparison)


def borrowed(
    system: str, model: str | None, design: str | None, labels: int | None, least: int = LEAST_GOLD
) -> list[str]:
    """Why the calibration of a system is borrowed, or its gold too little; nothing where it is its own and enough.

    model: that of the judge, where the system uses it too; design: how gold was drawn, None without; labels: how many
    gold labels its score stands on, None where they cannot be counted; least: how many it must stand on.

    >>> borrowed("rag", "gpt-4o", None, 0)
    ['possible self-preference: rag uses gpt-4o, its judge, and no gold label shows how much that favors rag']
    >>> borrowed("bm25", None, "random", 40), borrowed("rag", "gpt-4o", "random", 40)
    ([], [])
    """
    few = design is not None and labels is not None and labels < least
    if model is not None and (design is None or not DESIGNS[design].here or few):
        known = "too few gold labels show" if few and labels else "no gold label shows"
        return [f"{SELF_PREFERENCE}: {system} uses {model}, its judge, and {known} how much that favors {system}"]
    if few:
        return [f"{TOO_FEW}: {system} retrieved {labels} of the labeled documents, and {least} are needed"]
    return []


def marked(found: Sequence[T], lent: Mapping[str, Sequence[str]]) -> list[T]:
    """Answers with why the calibration of their systems is borrowed, or their gold too little: such have no p.

    >>> c = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02)
    >>> [marked([c], {system: ["possible self-preference"]})[0].p for system in ("b", "x")]
    [None, 0.02]
    """
    return [_marked(one, lent) for one in found] if any(lent.values()) else list(found)


def _marked(one: T, lent: Mapping[str, Sequence[str]]) -> T:
    of = (one.system,) if isinstance(one, Estimate) else (one.a, one.b)
    why: list[str] = [said for system in of for said in lent.get(system, ())]
    if not why:
        return one
    notes = (*one.notes, *(said for said in why if not (one.notes and said.startswith(TOO_FEW))))  # is told already
    if isinstance(one, Estimate):
        return replace(one, notes=notes)
    return replace(one, notes=notes, p=None, p_adjusted=None, adjustment="")


def in_one(reasons: Sequence[str]) -> str:
    """Reasons in one clause: what they are is said once.

    >>> in_one(["possible self-preference: a uses m", "possible self-preference: b uses m"])
    'possible self-preference: a uses m; b uses m'
    """
    first, kind = reasons[0], reasons[0].partition(":")[0]
    return "; ".join([first, *(reason.removeprefix(f"{kind}: ") for reason in reasons[1:])])
