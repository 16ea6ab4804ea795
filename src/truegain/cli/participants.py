"""The command `truegain participants`: a page for each team of a track."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from truegain.cli.options import (
    AnswerOptions,
    Confidence,
    Jobs,
    JudgeModel,
    JudgmentsOrAnswers,
    NameBy,
    RunFiles,
    Seed,
    advanced,
    changed,
    option_for,
    refuse_for_answers,
    with_options,
)
from truegain.cli.output import NewNames, StripPrefix, digests
from truegain.cli.streams import Progress
from truegain.config import Resampling, Scoring, StudyConfig, Unjudged
from truegain.data.items import Items
from truegain.data.judgments import read_judgments
from truegain.data.runs import read_runs
from truegain.data.teams import Teams, read_teams
from truegain.errors import TruegainError
from truegain.io.files import STANDARD_INPUT, expand, shown_path
from truegain.io.formats import system_name
from truegain.io.nugget_files import is_nuggets, read_nugget_file
from truegain.io.overwrite import unchanging
from truegain.message import option
from truegain.results.table import Renamed
from truegain.study.inputs import USUAL

if TYPE_CHECKING:
    from truegain.report.participants import Track

OF_ANSWERS = ("names", "strip_prefix", "judge_model", "all_topics", "confidence", "seed", "jobs")


@dataclass(frozen=True, kw_only=True)
class ParticipantPages:
    """Whose pages are written, and what they show."""

    teams: Annotated[
        str | None, typer.Option("--teams", help="Table of run, team and pooled: the team of each run. Required.")
    ] = None
    team: Annotated[
        list[str] | None, typer.Option("--team", help="Team to write a page for (default: every team). Repeatable.")
    ] = None
    named: Annotated[bool, typer.Option("--named", help="Name the best runs, even those of other teams.")] = False
    pool_depth: Annotated[
        int | None,
        advanced("--pool-depth", min=1, help="Pool depth: also show what only this team contributed to the pool."),
    ] = None
    title: Annotated[str, typer.Option("--title", help="Title of the pages, such as the name of the track.")] = ""
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder for the pages, or FILE.html for the page of one team.")
    ] = "participants"


@dataclass(frozen=True, kw_only=True)
class TrackOptions(Renamed):
    """How all runs are scored and compared."""

    names: NewNames = None
    strip_prefix: StripPrefix = ""
    name_by: NameBy = "file"
    judge_model: JudgeModel = None
    relevant_from: Annotated[float | None, option_for(Scoring, "relevant_from")] = None
    all_topics: Annotated[bool, option_for(Scoring, "all_topics")] = False
    unjudged: Annotated[Unjudged, option_for(StudyConfig, "unjudged")] = "bound"
    confidence: Confidence = 0.95
    seed: Seed = 0
    jobs: Jobs = None

    @property
    def config(self) -> StudyConfig:
        """The study of all runs."""
        return StudyConfig(
            scoring=Scoring(self.relevant_from, self.all_topics),
            unjudged=self.unjudged,
            confidence=self.confidence,
            resampling=Resampling(seed=self.seed, jobs=self.jobs),
        )


@with_options(page=ParticipantPages, options=TrackOptions, answers=AnswerOptions)
@unchanging()
def participants_command(
    judgments: JudgmentsOrAnswers,
    runs: RunFiles,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help=f"Measure (default: {USUAL}). Repeatable, or with commas."),
    ] = None,
    *,
    page: ParticipantPages,
    options: TrackOptions,
    answers: AnswerOptions,
) -> None:
    """Write a page for each participant of a track: its runs against the median and the best, topic by topic.

    Leaves other teams' runs unnamed, unless you give --named. In a folder, also writes an index for the organizers.
    Also reads nuggets or scores of answers, in place of judgments and runs.

    Examples:
        truegain participants demo/gold.qrels demo/runs --teams demo/teams.csv -m AP --pool-depth 10 -o pages
        truegain participants demo/rag-nuggets.jsonl demo/rag-assignments.jsonl --teams demo/teams.csv -m V_strict

    """
    from truegain.report.page.participant_files import check_target, is_page, write_pages
    from truegain.report.page.participants import PageStyle

    if page.teams is None:
        raise TruegainError(
            f"{option('--teams')} is missing; name a table of run and team, as {option('--teams')} teams.csv"
        )
    chosen = page.team or []
    check_target(page.output, chosen)
    files, teams = expand(runs), read_teams(page.teams).renamed(options.called)
    for team in chosen:
        teams.runs_of(team)  # now, not when the work is done
    items = answers.items([judgments, *files], options.called)
    if items is None:
        track = _of_runs(judgments, files, measure, page, options, teams)
        common, by_run = [judgments], {} if options.name_by == "tag" else _named_as_runs(files, options)
    else:
        track = _of_answers(items, measure, page, options, answers, teams)
        common = _of_all_runs([judgments, *files])
        by_run = _named_as_runs([path for path in (judgments, *files) if path not in common], options)
    read = digests([*common, *by_run.values()])
    own = {run: (shown_path(path), read[shown_path(path)]) for run, path in by_run.items()}
    style = PageStyle(page.named, page.title, own, {shown_path(path): read[shown_path(path)] for path in common})
    with Progress(len(chosen or track.teams.names), "pages written") as progress:
        written = write_pages(track, page.output, chosen, style, progress.advance)
    if page.output != STANDARD_INPUT:
        pages = len(written) if is_page(page.output) else len(written) - 1
        typer.echo(f"{shown_path(written[-1])}: {pages} page{'' if pages == 1 else 's'}")


def _of_runs(
    judgments: str,
    files: Sequence[str],
    measure: Sequence[str] | None,
    page: ParticipantPages,
    options: TrackOptions,
    teams: Teams,
) -> Track:
    """Runs of a track beside its judgments."""
    from truegain.report.participants import Track

    return Track(
        options.renamed(read_runs(files, name_by=options.name_by)),
        read_judgments(judgments, model=options.judge_model) if options.judge_model else read_judgments(judgments),
        list(measure or [USUAL]),
        teams=teams,
        pool_depth=page.pool_depth,
        config=options.config,
    )


def _of_answers(
    items: Items,
    measure: Sequence[str] | None,
    page: ParticipantPages,
    options: TrackOptions,
    answers: AnswerOptions,
    teams: Teams,
) -> Track:
    """Values of the answers of a track: options about runs and judgments are refused."""
    from truegain.report.participants import Track

    refuse_for_answers(changed(options, leave_out=OF_ANSWERS))
    if options.judge_model:
        items = items.judged_by(options.judge_model)
    measures = answers.chosen_measures(items, measure)
    return Track(items, None, measures, teams=teams, pool_depth=page.pool_depth, config=options.config)


def _named_as_runs(files: Sequence[str], options: Renamed) -> dict[str, str]:
    """The file of each run, by the name of the file."""
    return {options.called(system_name(path)): path for path in files}


def _of_all_runs(files: Sequence[str]) -> list[str]:
    """The files that hold all runs, or the nuggets of all; the names of others may be those of teams."""
    if len(files) == 1:
        return list(files)
    nuggets = [path for path in files if is_nuggets(path) and not read_nugget_file(path).assigns]
    return list(files) if len(nuggets) == len(files) - 1 else nuggets
