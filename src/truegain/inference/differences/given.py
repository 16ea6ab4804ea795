"""Scores: those that are given, or made of runs and judgments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truegain.errors import TruegainError
from truegain.measures.evaluate import evaluate
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.scores import Scores


def scores_of(
    runs: RunsLike | Scores, judgments: JudgmentsLike | None, measure: Any, options: Mapping[str, Any]
) -> Scores:
    """Scores as they are given, or of runs and judgments with the options of `evaluate`."""
    if isinstance(runs, Scores):
        if judgments is not None or options.keys() - {"jobs"}:
            raise TruegainError("scores are made already: judgments and options of evaluate have no place here")
        runs.check_judged()
        return runs
    if judgments is None:
        raise TruegainError("judgments are missing; give them after the runs, or give Scores")
    if measure is None:
        raise TruegainError("which measure? Give one, such as 'AP'")
    return evaluate(runs, judgments, measure, **options)
