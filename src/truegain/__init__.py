"""truegain tells whether a search system's gain is true."""

from __future__ import annotations

from truegain import starting as starting  # before anything else

# isort: split

import importlib
from typing import TYPE_CHECKING, Any

from truegain._version import __version__
from truegain.drawing import plug
from truegain.errors import DataWarning, InputError, MeasureError, TruegainError
from truegain.lazy import loaded

if TYPE_CHECKING:
    from truegain.cluster.cluster import Cluster
    from truegain.config import Gold, Ratings, Resampling, Scoring, StudyConfig, UnjudgedSample
    from truegain.engine.choice import run_on
    from truegain.gains.judge import Judge
    from truegain.gains.make import aggregate
    from truegain.inference.agreement.agree import agreement
    from truegain.inference.agreement.plan import plan_assessors
    from truegain.inference.corrections.correct import correct
    from truegain.inference.differences.compare import compare
    from truegain.inference.differences.topic_plan import plan_topics
    from truegain.inference.holes.bounds import unjudged
    from truegain.inference.holes.evaluate import evaluate
    from truegain.inference.holes.listing import sample_unjudged
    from truegain.inference.holes.next import next_to_judge
    from truegain.inference.intervals.estimate import intervals
    from truegain.inference.judges.judges import judge_quality
    from truegain.inference.judges.options import PublishedTest
    from truegain.inference.labels.listing import sample_gold
    from truegain.inference.labels.planning import plan_labels
    from truegain.inference.ranks.correlate import correlate
    from truegain.inference.study.study import Study
    from truegain.inference.study_file.read import read_study
    from truegain.measures.listing import list_measures
    from truegain.measures.parse import parse_measure
    from truegain.measures.score_table import read_scores
    from truegain.report.write import write_report
    from truegain.tables.gold_list_read import read_gold_list
    from truegain.tables.intents import Intents, read_intents
    from truegain.tables.judgments import Judgments, read_judgments
    from truegain.tables.ratings import read_ratings
    from truegain.tables.runs import Runs, read_runs
    from truegain.tables.scores import Scores
    from truegain.tables.write import write_judgments, write_runs

__all__ = [
    "Cluster",
    "DataWarning",
    "Gold",
    "InputError",
    "Intents",
    "Judge",
    "Judgments",
    "MeasureError",
    "PublishedTest",
    "Ratings",
    "Resampling",
    "Runs",
    "Scores",
    "Scoring",
    "Study",
    "StudyConfig",
    "TruegainError",
    "UnjudgedSample",
    "__version__",
    "aggregate",
    "agreement",
    "compare",
    "correct",
    "correlate",
    "evaluate",
    "intervals",
    "judge_quality",
    "list_measures",
    "next_to_judge",
    "parse_measure",
    "plan_assessors",
    "plan_labels",
    "plan_topics",
    "read_gold_list",
    "read_intents",
    "read_judgments",
    "read_ratings",
    "read_runs",
    "read_scores",
    "read_study",
    "run_on",
    "sample_gold",
    "sample_unjudged",
    "unjudged",
    "write_judgments",
    "write_report",
    "write_runs",
]

_LAZY = {  # loaded when first asked for, so that `truegain --help` does not wait for numpy
    "Cluster": "truegain.cluster.cluster",
    "Gold": "truegain.config",
    "Intents": "truegain.tables.intents",
    "Judge": "truegain.gains.judge",
    "Judgments": "truegain.tables.judgments",
    "PublishedTest": "truegain.inference.judges.options",
    "Ratings": "truegain.config",
    "Resampling": "truegain.config",
    "Runs": "truegain.tables.runs",
    "Scores": "truegain.tables.scores",
    "Scoring": "truegain.config",
    "Study": "truegain.inference.study.study",
    "StudyConfig": "truegain.config",
    "UnjudgedSample": "truegain.config",
    "aggregate": "truegain.gains.make",
    "agreement": "truegain.inference.agreement.agree",
    "compare": "truegain.inference.differences.compare",
    "correct": "truegain.inference.corrections.correct",
    "correlate": "truegain.inference.ranks.correlate",
    "evaluate": "truegain.inference.holes.evaluate",
    "intervals": "truegain.inference.intervals.estimate",
    "judge_quality": "truegain.inference.judges.judges",
    "list_measures": "truegain.measures.listing",
    "next_to_judge": "truegain.inference.holes.next",
    "parse_measure": "truegain.measures.parse",
    "plan_assessors": "truegain.inference.agreement.plan",
    "plan_labels": "truegain.inference.labels.planning",
    "plan_topics": "truegain.inference.differences.topic_plan",
    "read_gold_list": "truegain.tables.gold_list_read",
    "read_intents": "truegain.tables.intents",
    "read_judgments": "truegain.tables.judgments",
    "read_ratings": "truegain.tables.ratings",
    "read_runs": "truegain.tables.runs",
    "read_scores": "truegain.measures.score_table",
    "read_study": "truegain.inference.study_file.read",
    "run_on": "truegain.engine.choice",
    "sample_gold": "truegain.inference.labels.listing",
    "sample_unjudged": "truegain.inference.holes.listing",
    "unjudged": "truegain.inference.holes.bounds",
    "write_judgments": "truegain.tables.write",
    "write_report": "truegain.report.write",
    "write_runs": "truegain.tables.write",
}

_ANSWERING = {  # their answers tell with what they were called
    "agreement", "compare", "correct", "correlate", "evaluate", "intervals", "judge_quality", "next_to_judge",
    "plan_assessors", "plan_labels", "plan_topics", "read_scores", "sample_gold", "sample_unjudged", "unjudged",
}  # fmt: skip


def __dir__() -> list[str]:
    """The public names, those that are loaded when first asked for as well, and no others."""
    return sorted(__all__)


plug(lambda answer, path: importlib.import_module("truegain.report.plot").plot(answer, path))


def __getattr__(name: str) -> Any:
    telling = importlib.import_module("truegain.made_by").telling if name in _ANSWERING else None
    return loaded(__name__, _LAZY, name, telling)
