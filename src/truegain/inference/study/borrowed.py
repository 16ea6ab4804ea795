"""Judge and system related: where a judge's calibration does not reach a system, it is borrowed."""

from __future__ import annotations

from truegain.inference.study.evidence import LEAST_GOLD
from truegain.sampling.designs import DESIGNS


def borrowed(
    system: str, model: str | None, design: str | None, labels: int | None, least: int = LEAST_GOLD
) -> list[str]:
    """Why the calibration of a system is borrowed, or its gold too little; nothing where it is its own and enough.

    model: that of the judge, where the system uses it too; design: how gold was drawn, None without; labels: how many
    gold labels its score stands on, None where they cannot be counted; least: how many it must stand on.

    >>> borrowed("rag", "gpt-4o", None, 0)
    ['calibration borrowed: rag uses gpt-4o, which also gave the judgments, and no gold label tells how it favours rag']
    >>> borrowed("bm25", None, "random", 40), borrowed("rag", "gpt-4o", "random", 40)
    ([], [])
    """
    few = design is not None and labels is not None and labels < least
    if model is not None and (design is None or not DESIGNS[design].here or few):
        known = "few gold labels tell" if few and labels else "no gold label tells"
        return [
            f"calibration borrowed: {system} uses {model}, which also gave the judgments, and {known} how it favours "
            f"{system}"
        ]
    if few:
        are = "is" if labels == 1 else "are"
        return [f"too few gold labels: {labels} {are} of what {system} retrieved, and {least} are needed"]
    return []
