"""Judge and system related: where a judge's calibration does not reach a system, it is borrowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truegain.errors import TruegainError, some
from truegain.inference.study.evidence import LEAST_GOLD

Uses = Mapping[str, str | Sequence[str]]


def models_of(uses: Uses | None, systems: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The models that each system uses.

    >>> models_of({"dense": "gpt-4o", "rag": ["gpt-4o", "e5"]}, ("dense", "rag", "bm25"))
    {'dense': ('gpt-4o',), 'rag': ('gpt-4o', 'e5')}
    """
    unknown = [s for s in uses or {} if s not in systems]
    if unknown:
        raise TruegainError(f"uses names {some(unknown)}, which is no system here; there are {some(systems)}")
    return {s: (models,) if isinstance(models, str) else tuple(models) for s, models in (uses or {}).items()}


def borrowed(system: str, model: str | None, design: str | None, labels: int | None) -> list[str]:
    """Why the calibration of a system is borrowed; nothing where it is its own.

    model: that of the judge, where the system uses it too; design: how gold was drawn, None without; labels: how many
    gold labels its score stands on, None where they cannot be counted.

    >>> borrowed("rag", "gpt-4o", None, 0)
    ['calibration borrowed: rag uses gpt-4o, which also gave the judgments, and no gold label tells how it favours rag']
    >>> borrowed("bm25", None, "random", 40), borrowed("rag", "gpt-4o", "random", 40)
    ([], [])
    """
    few = design is not None and labels is not None and labels < LEAST_GOLD
    if model is not None and (design is None or design == "elsewhere" or few):
        known = "few gold labels tell" if few else "no gold label tells"
        return [
            f"calibration borrowed: {system} uses {model}, which also gave the judgments, and {known} how it favours "
            f"{system}"
        ]
    if few:
        are = "label is" if labels == 1 else "labels are"
        return [f"calibration borrowed: {labels} gold {are} of what {system} retrieved, and {LEAST_GOLD} are needed"]
    return []
