"""What the user asked for, of a correction or a comparison, and by which judge."""

from __future__ import annotations

from dataclasses import dataclass

from truegain.errors import TruegainError
from truegain.gains.pairs import Design, Missing
from truegain.inference.judges.corrected import Method
from truegain.inference.judges.fitting import fitted_judge
from truegain.inference.judges.judge import Clusters, Judge
from truegain.inference.judges.lists import Accuracy
from truegain.inference.judges.panel import JudgePanel
from truegain.measures.base import Measure
from truegain.tables.judgments import Judgments

SAME_POPULATION = ("random", "by-bronze", "topics")


@dataclass(frozen=True)
class CorrectionOptions:
    """Options that a correction and a comparison share."""

    method: Method = "default"
    confidence: float = 0.95
    clusters: Clusters = "topics"
    trials: int = 2000
    seed: int = 0
    gold_level: float | None = None
    accuracy: Accuracy | None = None


def judge_of(
    judge: object,
    bronze: Judgments,
    design: Design | None,
    measure: Measure,
    gold_level: float | None,
    missing: Missing,
) -> Judge | JudgePanel:
    """The judge given, or one fitted on the gold labels given."""
    if isinstance(judge, Judge | JudgePanel):
        if design not in (None, judge.design):
            raise TruegainError(f"the judge was fitted with design {judge.design!r}, not {design!r}")
        return judge
    return fitted_judge(bronze, judge, measure, design=design, gold_level=gold_level, missing=missing)


def rectifies(judge: Judge | JudgePanel, method: Method) -> bool:
    """Whether the gold labels themselves set the scores right, rather than the confusion matrix."""
    wanted = method == "rectify" or (method == "default" and judge.design in SAME_POPULATION)
    if isinstance(judge, Judge) and judge.gold is not None:
        return wanted
    if method == "rectify":
        raise TruegainError("rectify needs the gold labels themselves: give them, or a Judge fitted on them")
    return False
