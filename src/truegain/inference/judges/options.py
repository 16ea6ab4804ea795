"""What the user asked for, of a correction or a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from truegain.errors import check_one_of
from truegain.gains.rates import Clusters

Method = Literal["default", "lang-reiczigel", "fieller", "delta", "bootstrap", "rectify"]
GoldSample = Literal["shared", "separate"]
Accuracy = Literal["system", "lists", "given"]


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

    def __post_init__(self) -> None:
        check_one_of("method", self.method, get_args(Method))
        check_one_of("clusters", self.clusters, get_args(Clusters))
