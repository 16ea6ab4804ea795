"""Studies, plans and reports by the flat names of options, as the command line has them, for tests of many of them."""

from __future__ import annotations

from typing import Any

import truegain as tg
from truegain.config import StudyConfig
from truegain.settings import settings_of

OWN = ("pair", "power", "costs", "earlier", "pairs", "baselines", "title", "corpus", "judged_corpus")


def flat_config(options: dict[str, Any]) -> StudyConfig:
    """The config of options by their names, gold labels that are none yet among them."""
    options = {name: value for name, value in options.items() if name not in OWN}
    if unknown := options.keys() - {option.name for option in settings_of(StudyConfig)}:
        raise TypeError(f"no options of a study: {', '.join(sorted(unknown))}")
    return StudyConfig.from_options(options)


def flat_study(runs: Any, judgments: Any, measures: Any, **options: Any) -> tg.Study:
    """A study by the names of options; models of systems and of the judge are said with the runs and judgments."""
    models, model = options.pop("system_models", None), options.pop("judge_model", None)
    if models:
        runs = tg.read_runs(runs, models=models)
    if model:
        judgments = tg.read_judgments(judgments, model=model)
    return tg.Study.configured(runs, judgments, measures, flat_config(options))


def flat_plan(runs: Any, judgments: Any, measure: Any, **options: Any) -> Any:
    """A plan of labels by the names of options."""
    own = {name: value for name, value in options.items() if name in OWN}
    return tg.plan_labels(runs, judgments, measure, config=flat_config(options), **own)
