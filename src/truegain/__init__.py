"""truegain tells whether a search system's gain is true."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from truegain._version import __version__
from truegain.drawing import plug
from truegain.errors import DataWarning, InputError, MeasureError, TruegainError
from truegain.gains.make import to_gains
from truegain.inference.holes.evaluate import evaluate
from truegain.measures.evaluate import Options
from truegain.measures.parse import parse_measure
from truegain.tables.intents import Intents, read_intents
from truegain.tables.judgments import Judgments, read_judgments
from truegain.tables.ratings import read_ratings
from truegain.tables.runs import Runs, read_runs
from truegain.tables.scores import Scores
from truegain.tables.write import write_judgments, write_runs

if TYPE_CHECKING:
    from truegain.gains.judge import Judge
    from truegain.inference.agreement.agree import agree
    from truegain.inference.corrections.correct import correct
    from truegain.inference.differences.compare import compare
    from truegain.inference.holes.bounds import holes
    from truegain.inference.holes.next import judge_next
    from truegain.inference.intervals.estimate import intervals
    from truegain.inference.labels.listing import gold_list
    from truegain.inference.labels.planning import plan_labels
    from truegain.inference.ranks.correlate import correlate
    from truegain.inference.study.study import Study

__all__ = [
    "DataWarning",
    "InputError",
    "Intents",
    "Judge",
    "Judgments",
    "MeasureError",
    "Options",
    "Runs",
    "Scores",
    "Study",
    "TruegainError",
    "__version__",
    "agree",
    "compare",
    "correct",
    "correlate",
    "evaluate",
    "gold_list",
    "holes",
    "intervals",
    "judge_next",
    "parse_measure",
    "plan_labels",
    "read_intents",
    "read_judgments",
    "read_ratings",
    "read_runs",
    "to_gains",
    "write_judgments",
    "write_runs",
]

_LAZY = {  # loaded when first asked for: they may need scipy
    "Study": "truegain.inference.study.study",
    "Judge": "truegain.gains.judge",
    "agree": "truegain.inference.agreement.agree",
    "compare": "truegain.inference.differences.compare",
    "correct": "truegain.inference.corrections.correct",
    "correlate": "truegain.inference.ranks.correlate",
    "holes": "truegain.inference.holes.bounds",
    "judge_next": "truegain.inference.holes.next",
    "intervals": "truegain.inference.intervals.estimate",
    "gold_list": "truegain.inference.labels.listing",
    "plan_labels": "truegain.inference.labels.planning",
}


def __dir__() -> list[str]:
    """The public names, those that are loaded when first asked for as well, and no others."""
    return sorted(__all__)


plug(lambda answer, path: importlib.import_module("truegain.report.plot").plot(answer, path))


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'truegain' has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name]), name)
