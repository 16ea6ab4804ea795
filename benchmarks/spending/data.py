"""Real labels: DL19 with its runs, DL20 and LLMJudge with rankings drawn from noisy labels."""

from __future__ import annotations

from benchmarks.study.real import Real, dl19, rankings, without_runs
from truegain.experiments.spending_again import Labeled


def worlds() -> list[Real]:
    """All of them."""
    return [dl19(), without_runs("dl20"), without_runs("llmjudge")]


def labeled(real: Real, judge: str, measure: str, seed: int) -> Labeled:
    """Pairs that both the judge and NIST have labeled."""
    return Labeled.of(real.runs or rankings(real, judge, seed), real.labels[judge], real.labels["nist"], measure)
