"""Options of every command that asks a study: what it is made of, and whom the answer is about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegain.cli.options import JudgeModel, NameBy
from truegain.cli.output import NewNames, StripPrefix
from truegain.cli.study_files import is_of_file, within_gold
from truegain.study.inputs import StudyInputs

if TYPE_CHECKING:
    from truegain.aggregation.reading import RatingsAsked
    from truegain.config import StudyConfig
    from truegain.study.study import Study


@dataclass(frozen=True, kw_only=True)
class Claims:
    """The systems that may be better, and those to compare them with."""

    baseline: Annotated[list[str] | None, typer.Option("--baseline", help="System to compare against. Repeatable.")] = (
        None
    )
    candidate: Annotated[
        str | None,
        typer.Option("--candidate", help="System that may be better than the baselines (default: every other one)."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class StudyOptions(StudyInputs):
    """What a study is made of, judgments, runs and its config aside."""

    names: NewNames = None
    strip_prefix: StripPrefix = ""
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--measure", help="Measure, with a verdict each. Repeatable (default: nDCG@10; with gold pairs P@10)."
        ),
    ] = None
    costs: Annotated[
        str | None,
        typer.Option("--costs", help="Prices, to find the cheapest next steps: topic=5,gold=1.5,rating=0.1."),
    ] = None
    system_models: Annotated[
        list[str] | None,
        typer.Option(
            "--system-models", help="LLM that a system uses: system=model, or a file of system,model. Repeatable."
        ),
    ] = None
    judge_model: JudgeModel = None
    name_by: NameBy = "file"

    def study_of(self, runs: Any, judgments: Any, config: StudyConfig, reading: RatingsAsked) -> Study:
        """The study of runs and judgments; measures of a file that gold labels cannot correct are left out."""
        if not is_of_file("measure"):
            return StudyInputs.study_of(self, runs, judgments, config, reading)
        inputs: Any = replace(self, measure=within_gold(self.measure or [], self.beyond_gold(config)))
        study = StudyInputs.study_of(inputs, runs, judgments, config, reading)
        measures = within_gold(inputs.measure, _beyond_list(study, inputs.measure))
        if measures == inputs.measure:
            return study
        return StudyInputs.study_of(replace(inputs, measure=measures), runs, judgments, config, reading)


def _beyond_list(study: Study, names: list[str]) -> dict[str, str]:
    """Which measures a list of gold labels was not drawn for, and why; none where it has what one of them needs."""
    from truegain.errors import InputError
    from truegain.measures.parse import parse_measures

    beyond: dict[str, str] = {}
    for parsed in parse_measures(names) if study.gold_list is not None and len(names) > 1 else ():
        try:
            study.variance_model(parsed.measure)
        except InputError as error:
            beyond[parsed.name] = error.problem
    return beyond if len(beyond) < len(names) else {}
