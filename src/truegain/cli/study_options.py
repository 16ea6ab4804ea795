"""Options of every command that asks a study: what it is made of, and whom the answer is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated

import typer

from truegain.cli.options import (
    ClusterColumn,
    EmptyTopics,
    JudgeModel,
    LessIsBetter,
    NameBy,
    ScoreName,
    changed,
    refuse_for_answers,
)
from truegain.cli.output import NewNames, StripPrefix
from truegain.cli.streams import tell
from truegain.cli.study_files import drop_uncorrectable, is_from_study_file, without_scale_of_file
from truegain.config import Scoring, StudyConfig
from truegain.data.models import models_named
from truegain.errors import InputError, TruegainError
from truegain.io.file_options import file_options
from truegain.message import arg, option
from truegain.study.inputs import USUAL, MeasureFilter, StudyInputs

if TYPE_CHECKING:
    from truegain.aggregation.reading import RatingReading
    from truegain.preferences.study import PreferenceStudy
    from truegain.study.item_inputs import AnswerInputs
    from truegain.study.study import Study


def check_typed(preferences: str, typed: Mapping[str, str | None]) -> None:
    """Refuse options about runs and judgments that preferences would not heed."""
    typed = {**typed, "--columns": file_options().columns, "--values": ",".join(file_options().values)}
    if names := [name for name, value in typed.items() if value]:
        raise TruegainError(f"{option(names[0])} is about judgments and runs; change the names in {preferences} itself")


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
            "-m",
            "--measure",
            help="Measure, with a verdict each. Repeatable, or with commas (default: nDCG@10; with gold pairs P@10).",
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
    score: ScoreName = None
    less_is_better: LessIsBetter = False
    cluster: ClusterColumn = None
    empty: EmptyTopics = "skip"

    def study_of_inputs(self, judgments: str, files: list[str], config: StudyConfig, reading: RatingReading) -> Study:
        """The study of these files: preferences, and a log of several systems, need no runs."""
        if not files and (preferences := self.study_of_preferences(judgments, config, reading)) is not None:
            return preferences
        try:
            study = self.study_of_files(judgments, files, config, reading, filter_for_study_file())
        except InputError:
            from truegain.preferences.table import holds_preferences  # needed where something is wrong

            if files and holds_preferences(judgments):
                raise TruegainError(f"{judgments} contains preferences, which need no runs; leave them out") from None
            raise
        tell_default_measure(study, self.measure)
        return study

    def check(self, config: StudyConfig, reading: RatingReading) -> None:
        """Refuse what is only of use with ratings; a `scale` of a study file may be that of `settle`."""
        rated = config.ratings.are_aggregated or (config.gold is not None and config.gold.aggregate is not None)
        super().check(config, reading if rated else without_scale_of_file(reading))

    def claims(
        self, systems: Sequence[str], pair: str | None, baselines: Sequence[str] | None, candidate: str | None,
        one_candidate: bool = False,
    ) -> list[tuple[str, str]]:  # fmt: skip
        """The claims that are asked about; of a study file that has several candidates for `settle`, none."""
        several = [self.called(name.strip()) for name in (candidate or "").split(",")]
        if is_from_study_file("candidate") and len(several) > 1 and set(several) <= set(systems):
            raise TruegainError(
                f"{arg('candidate')}: give one system, not {len(several)}; `truegain settle` takes several"
            )
        return super().claims(systems, pair, baselines, candidate, one_candidate)

    def study_of_preferences(
        self, judgments: str, config: StudyConfig, reading: RatingReading
    ) -> PreferenceStudy | None:
        """The study of a table of preferences; None where it is none."""
        from truegain.preferences.table import holds_preferences

        if not holds_preferences(judgments):
            return None
        from truegain.preferences.study import PreferenceStudy

        self.check(config, reading)
        check_typed(judgments, {"--names": self.names, "--strip-prefix": self.strip_prefix})
        models = {self.called(s): x for s, x in models_named(self.system_models).items()}
        return PreferenceStudy.from_config(judgments, self.measure, config, models, self.judge_model)

    def answers(self, files: Sequence[str], config: StudyConfig) -> AnswerInputs | None:
        """Values of answers; options about runs and judgments are refused, those of a study file have no weight."""
        of_runs = changed(config.scoring, leave_out=("all_topics",))
        own = ("name_by", "system_models")
        of_runs |= changed(self, leave_out=tuple(f.name for f in fields(self) if f.name not in own))
        scoring, gold = Scoring(all_topics=config.scoring.all_topics), config.gold
        if gold is not None and is_from_study_file("gold_relevant_from"):
            gold = replace(gold, relevant_from=None)
        answers = super().answers(files, replace(config, scoring=scoring, gold=gold))
        if answers is not None:
            refuse_for_answers(of_runs)
        return answers


def filter_for_study_file() -> MeasureFilter | None:
    """What leaves out measures of a study file that gold labels cannot correct; None: those typed are refused."""
    return drop_uncorrectable if is_from_study_file("measure") else None


def tell_default_measure(study: Study, measure: list[str] | None) -> None:
    """Tell where no measure was asked for, and the gold labels call for another than the usual one."""
    if not measure and study.items is None and (chosen := str(study.measures[0])) != USUAL:
        if study.of_items:
            tell(f"the default measure of nuggets is {chosen}; choose another with -m", "note")
            return
        labels = "gold labels of single documents" if study.config.gold else "a sample of unjudged documents"
        tell(f"the default measure is {chosen} here: {labels} cannot correct {USUAL}; choose another with -m", "note")
