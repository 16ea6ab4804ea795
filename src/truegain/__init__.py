"""truegain tells whether a search system's gain is real."""

from __future__ import annotations

from truegain.cli import starting as starting  # before anything else

# isort: split

import importlib
from typing import TYPE_CHECKING, Any

from truegain._version import __version__
from truegain.errors import DataWarning, InputError, MeasureError, TruegainError
from truegain.lazy import loaded, provide

if TYPE_CHECKING:
    from truegain import testing as testing
    from truegain.aggregation.aggregate import aggregate
    from truegain.config import Gold, Ratings, Resampling, Scoring, StudyConfig, UnjudgedSample
    from truegain.data.intents import Intents, read_intents
    from truegain.data.item_reading import read_items
    from truegain.data.items import Items
    from truegain.data.judgments import Judgments, read_judgments
    from truegain.data.label_list_reading import read_gold_list
    from truegain.data.nuggets import read_nuggets
    from truegain.data.ratings import read_ratings
    from truegain.data.runs import Runs, read_runs
    from truegain.data.scores import Scores
    from truegain.data.writing import write_judgments, write_runs
    from truegain.judge_error.judge import Judge
    from truegain.judge_error.judge_quality import judge_quality
    from truegain.judge_error.judges import PublishedTest
    from truegain.llm.judge import run_judge
    from truegain.measures.catalogue import list_measures, parse_measure
    from truegain.measures.score_table import read_scores
    from truegain.parallel.cluster import Cluster
    from truegain.parallel.jobs import run_on
    from truegain.planning.assessors import plan_assessors
    from truegain.planning.gold_sample import sample_gold
    from truegain.planning.labels import plan_labels
    from truegain.planning.topics import plan_topics
    from truegain.pooling.bounds import unjudged
    from truegain.pooling.evaluate import evaluate
    from truegain.pooling.next_to_judge import next_to_judge
    from truegain.pooling.samples import sample_unjudged
    from truegain.preferences.study import PreferenceStudy
    from truegain.preferences.table import Preferences, read_preferences
    from truegain.reliability.agree import agreement
    from truegain.report.page.page import write_report
    from truegain.report.page.participant_files import write_participants
    from truegain.study.compare import compare
    from truegain.study.corrected_scores import correct
    from truegain.study.correlate import correlate
    from truegain.study.experiment import Experiment
    from truegain.study.intervals import intervals
    from truegain.study.study import Study
    from truegain.study.study_file import read_study

__all__ = [
    "Cluster",
    "DataWarning",
    "Experiment",
    "Gold",
    "InputError",
    "Intents",
    "Items",
    "Judge",
    "Judgments",
    "MeasureError",
    "PreferenceStudy",
    "Preferences",
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
    "read_items",
    "read_judgments",
    "read_nuggets",
    "read_preferences",
    "read_ratings",
    "read_runs",
    "read_scores",
    "read_study",
    "run_judge",
    "run_on",
    "sample_gold",
    "sample_unjudged",
    "unjudged",
    "write_judgments",
    "write_participants",
    "write_report",
    "write_runs",
]

_LAZY = {  # loaded when first asked for, so that `truegain --help` does not wait for numpy
    "Cluster": "truegain.parallel.cluster",
    "Experiment": "truegain.study.experiment",
    "Gold": "truegain.config",
    "Intents": "truegain.data.intents",
    "Items": "truegain.data.items",
    "Judge": "truegain.judge_error.judge",
    "Judgments": "truegain.data.judgments",
    "PreferenceStudy": "truegain.preferences.study",
    "Preferences": "truegain.preferences.table",
    "PublishedTest": "truegain.judge_error.judges",
    "Ratings": "truegain.aggregation.aggregate",  # which checks the rule
    "Resampling": "truegain.config",
    "Runs": "truegain.data.runs",
    "Scores": "truegain.data.scores",
    "Scoring": "truegain.config",
    "Study": "truegain.study.study",
    "StudyConfig": "truegain.config",
    "UnjudgedSample": "truegain.config",
    "aggregate": "truegain.aggregation.aggregate",
    "agreement": "truegain.reliability.agree",
    "compare": "truegain.study.compare",
    "correct": "truegain.study.corrected_scores",
    "correlate": "truegain.study.correlate",
    "evaluate": "truegain.pooling.evaluate",
    "intervals": "truegain.study.intervals",
    "judge_quality": "truegain.judge_error.judge_quality",
    "list_measures": "truegain.measures.catalogue",
    "next_to_judge": "truegain.pooling.next_to_judge",
    "parse_measure": "truegain.measures.catalogue",
    "plan_assessors": "truegain.planning.assessors",
    "plan_labels": "truegain.planning.labels",
    "plan_topics": "truegain.planning.topics",
    "read_gold_list": "truegain.data.label_list_reading",
    "read_intents": "truegain.data.intents",
    "read_items": "truegain.data.item_reading",
    "read_judgments": "truegain.data.judgments",
    "read_nuggets": "truegain.data.nuggets",
    "read_preferences": "truegain.preferences.table",
    "read_ratings": "truegain.data.ratings",
    "read_runs": "truegain.data.runs",
    "read_scores": "truegain.measures.score_table",
    "read_study": "truegain.study.study_file",
    "run_judge": "truegain.llm.judge",
    "run_on": "truegain.parallel.jobs",
    "sample_gold": "truegain.planning.gold_sample",
    "sample_unjudged": "truegain.pooling.samples",
    "unjudged": "truegain.pooling.bounds",
    "write_judgments": "truegain.data.writing",
    "write_participants": "truegain.report.page.participant_files",
    "write_report": "truegain.report.page.page",
    "write_runs": "truegain.data.writing",
}

_ANSWERING = {  # their answers tell with what they were called
    "agreement", "compare", "correct", "correlate", "evaluate", "intervals", "judge_quality", "next_to_judge",
    "plan_assessors", "plan_labels", "plan_topics", "read_scores", "sample_gold", "sample_unjudged", "unjudged",
}  # fmt: skip


def __dir__() -> list[str]:
    """The public names, those that are loaded when first asked for as well, and no others."""
    return sorted(__all__)


provide(
    plot="truegain.report.plot:plot",
    write_report="truegain.report.page.page:write_report",
    settle="truegain.planning.settle:settle",
    favor_in="truegain.study.judge_by_system:favor_in",
)


def __getattr__(name: str) -> Any:
    if name == "testing":
        return importlib.import_module("truegain.testing")
    with_call = importlib.import_module("truegain.results.base").with_call if name in _ANSWERING else None
    return loaded(__name__, _LAZY, name, with_call)
