"""What the user asked for, of a correction or a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from truegain.inference.judges.corrected import Method
from truegain.inference.judges.judge import Clusters
from truegain.inference.judges.lists import Accuracy


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
