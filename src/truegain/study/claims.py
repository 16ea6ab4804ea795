"""Several verdicts at once: whether a change passes, and what holds of many candidates jointly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from truegain.study.documents import GateResult, Outcome
    from truegain.study.study import Study
    from truegain.study.verdict import Verdict

# ---- The rule of a gate: `truegain gate` and `truegain.testing` decide by it, and by no other.

CODES: dict[Outcome, int] = {
    "better": 0,
    "not worse": 0,
    "worse": 1,
    "not better": 1,
    "inconclusive": 3,
    "unchecked": 3,
}  # 2 is a mistake in the input
_RESULTS: dict[int, GateResult] = {0: "passes", 1: "fails", 3: "inconclusive"}


def exit_code(outcomes: Sequence[Outcome]) -> Literal[0, 1, 3]:
    """The exit code of a gate: 0 if all outcomes are good, 1 if one is bad, else 3; the claim is about all of them.

    >>> exit_code(["better", "inconclusive"]), exit_code(["inconclusive", "worse"]), exit_code(["not worse"])
    (3, 1, 0)
    """
    codes = {CODES[outcome] for outcome in outcomes}
    return 1 if 1 in codes else 3 if 3 in codes else 0


def gate_result(outcomes: Sequence[Outcome]) -> GateResult:
    """What a gate says of several outcomes: 'unchecked' where only unchecked labels keep it from passing.

    >>> gate_result(["better", "unchecked"]), gate_result(["inconclusive", "unchecked"])
    ('unchecked', 'inconclusive')
    """
    code = exit_code(outcomes)
    return "unchecked" if code == CODES["unchecked"] and "inconclusive" not in outcomes else _RESULTS[code]


# ---- What can be said of many candidates.

ORDER = ("better", "not worse", "worse", "not better", "inconclusive", "unchecked")  # in which outcomes are listed


def each_alone(verdicts: Sequence[Verdict]) -> str:
    """A note on the confidence of the verdicts on many candidates; empty where there is one candidate."""
    candidates = {v.comparison.b for v in verdicts}
    return (
        f"Each of these {len(verdicts)} verdicts has its own confidence level, as if it were the only claim."
        if len(candidates) > 1
        else ""
    )


def joint_sentences(study: Study, verdicts: Sequence[Verdict]) -> list[str]:
    """What holds of many candidates at once, a sentence a measure; nothing where there is one candidate."""
    sentences = []
    for measure in dict.fromkeys(v.comparison.measure for v in verdicts):
        mine = [v for v in verdicts if v.comparison.measure == measure]
        if len({v.comparison.b for v in mine}) < 2:
            continue
        by_outcome: dict[str, list[str]] = {}
        several = len({v.comparison.a for v in mine}) > 1
        for v, outcome in zip(mine, study.together(mine), strict=True):
            c = v.comparison
            by_outcome.setdefault(outcome, []).append(f"{c.b} than {c.a}" if several else c.b)
        order = sorted(by_outcome, key=ORDER.index)
        outcomes = "; ".join(f"{outcome}: {', '.join(by_outcome[outcome])}" for outcome in order)
        sentences.append(
            f"All {len(mine)} jointly, on {measure} (simultaneous {100 * study.confidence:g}% confidence): {outcomes}."
        )
    return sentences
