"""Reasons to withhold a claim about a system: its ids are in doubt, its top is unjudged, the judge may favor it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from truegain.message import Message, by_surface
from truegain.sampling.catalogue import DESIGNS
from truegain.stats.results import Comparison, Estimate
from truegain.study.estimators import LEAST_GOLD

SELF_PREFERENCE = "possible self-preference"
TOO_FEW = "too few gold labels"
UNJUDGED_FIRST = "unjudged top documents"  # two more kinds are of ids: see `data.id_matching`
_SAMPLED = by_surface(
    "tg.sample_unjudged of P@10", "`truegain unjudged -m P@10 --show sample --fill predicted -o sample.csv`"
)
MORE_LABELS = Message(
    "More topics would not help: label these documents. For a measure that is linear in gain, such as P@10, a random "
    f"sample of them is enough, which {_SAMPLED} draws."
)
T = TypeVar("T", Estimate, Comparison)


@dataclass(frozen=True)
class Reason:
    """Why nothing is claimed of a system: the kind of reason, in two or three words, and what it is here.

    least: how many gold labels of the system a claim needs.
    """

    kind: str
    text: str
    least: int = LEAST_GOLD

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


Reasons = Mapping[str, Sequence[Reason]]  # by system


def gold_reasons(
    system: str, model: str | None, design: str | None, labels: int | None, least: int = LEAST_GOLD,
    of_answers: bool = False,
) -> list[Reason]:  # fmt: skip
    """Why gold labels do not show how the judge errs on a system; nothing where they do.

    model: that of the judge, where the system uses it too; design: how gold was drawn, None without; labels: how many
    gold labels its score stands on, None where they cannot be counted; least: how many it must stand on; of_answers:
    whether they are of its answers.

    >>> print(*gold_reasons("rag", "gpt-4o", None, 0))
    possible self-preference: rag uses gpt-4o, its judge, and no gold label shows how much that favors rag
    >>> gold_reasons("bm25", None, "random", 40), gold_reasons("rag", "gpt-4o", "random", 40)
    ([], [])
    """
    few = design is not None and labels is not None and labels < least
    if model is not None and (design is None or not DESIGNS[design].here or few):
        shows = "too few gold labels show" if few and labels else "no gold label shows"
        favors = f"{system} uses {model}, its judge, and {shows} how much that favors {system}"
        return [Reason(SELF_PREFERENCE, favors, least)]
    if few and of_answers:
        return [Reason(TOO_FEW, f"{labels} answers of {system} have a gold label, and {least} are needed", least)]
    if few:
        few_of = f"{system} retrieved {labels} of the labeled documents, and {least} are needed"
        return [Reason(TOO_FEW, few_of, least)]
    return []


def with_reasons(results: Sequence[T], withheld: Reasons) -> list[T]:
    """Results with why nothing is claimed of their systems: such comparisons have no p.

    >>> c = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02)
    >>> [with_reasons([c], {system: [Reason("ids in doubt", "...")]})[0].p for system in ("b", "x")]
    [None, 0.02]
    """
    return [_with_reasons(result, withheld) for result in results] if any(withheld.values()) else list(results)


def _with_reasons(result: T, withheld: Reasons) -> T:
    systems = (result.system,) if isinstance(result, Estimate) else (result.a, result.b)
    reasons = [reason for system in systems for reason in withheld.get(system, ())]
    if not reasons:
        return result
    # where there are notes, these say that gold labels are too few
    notes: tuple[str, ...] = tuple(str(r) for r in reasons if not (result.notes and r.kind == TOO_FEW))
    if isinstance(result, Estimate):
        return replace(result, notes=(*result.notes, *notes))
    return replace(result, notes=(*result.notes, *notes), p=None, p_adjusted=None, adjustment="")


def in_one(reasons: Iterable[Reason]) -> str:
    """Reasons in one clause, which names their kind once.

    >>> in_one([Reason(SELF_PREFERENCE, "a uses m"), Reason(SELF_PREFERENCE, "b uses m")])
    'possible self-preference: a uses m; b uses m'
    """
    first, *others = reasons
    return "; ".join([str(first), *(r.text if r.kind == first.kind else str(r) for r in others)])
