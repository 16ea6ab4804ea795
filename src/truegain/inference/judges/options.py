"""What the user asked for, of a correction or a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from truegain.errors import check_one_of
from truegain.gains.judge import Judge
from truegain.gains.panel import Judges
from truegain.gains.rates import Clusters
from truegain.measures.label_weights import levels_of
from truegain.sampling.designs import Design
from truegain.tables.likes import JudgmentsLike

Method = Literal["default", "lang-reiczigel", "fieller", "delta", "bootstrap", "rectify"]
GoldSample = Literal["shared", "separate"]
Accuracy = Literal["system", "lists", "given"]


@dataclass(frozen=True)
class CorrectionOptions:
    """Options that a correction and a comparison share."""

    method: Method = "default"
    confidence: float = 0.95
    clusters: Clusters = "topics"
    replicates: int = 2000
    seed: int = 0
    gold_level: float | None = None
    accuracy: Accuracy | None = None

    def __post_init__(self) -> None:
        check_one_of("method", self.method, get_args(Method))
        check_one_of("clusters", self.clusters, get_args(Clusters))


def fit_judge(
    bronze: JudgmentsLike,
    gold: JudgmentsLike,
    design: Design | None,
    measure: Any,
    gold_level: float | None,
    **options: Any,
) -> Judge:
    """The judge at the levels of relevance of a measure; two scales are told where nobody gave gold's level."""
    levels = levels_of(measure, gold_level)
    return Judge.fit(bronze, gold, design, levels, levels_given=gold_level is not None, **options)


def judges_of(
    judge: object, bronze: Any, design: Design | None, measure: Any, gold_level: float | None, **options: Any
) -> Judges:
    """The judges given, or one that is fitted on the gold labels given: see `fit_judge`."""
    levels = levels_of(measure, gold_level)
    return Judges.of(judge, bronze, levels, design, levels_given=gold_level is not None, **options)
