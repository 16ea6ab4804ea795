"""truegain tells whether a search system's gain is true."""

from __future__ import annotations

from truegain._version import __version__
from truegain.errors import DataWarning, InputError, MeasureError, TruegainError
from truegain.measures.evaluate import Options, evaluate
from truegain.measures.parse import parse_measure
from truegain.tables.intents import Intents, read_intents
from truegain.tables.judgments import Judgments
from truegain.tables.read import read_judgments, read_runs
from truegain.tables.runs import Runs
from truegain.tables.scores import Scores
from truegain.tables.write import write_judgments, write_runs

__all__ = [
    "DataWarning",
    "InputError",
    "Intents",
    "Judgments",
    "MeasureError",
    "Options",
    "Runs",
    "Scores",
    "TruegainError",
    "__version__",
    "evaluate",
    "parse_measure",
    "read_intents",
    "read_judgments",
    "read_runs",
    "write_judgments",
    "write_runs",
]
