"""The command `truegain participants`: a page for each team of a track."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from truegain.cli.options import (
    Confidence,
    Jobs,
    JudgeModel,
    NameBy,
    RunFiles,
    Seed,
    advanced,
    option_for,
    with_options,
)
from truegain.cli.options import Judgments as Judged
from truegain.cli.output import NewNames, StripPrefix, digests
from truegain.cli.streams import Progress
from truegain.config import Resampling, Scoring, StudyConfig, Unjudged
from truegain.data.judgments import read_judgments
from truegain.data.runs import read_runs
from truegain.data.teams import read_teams
from truegain.errors import TruegainError
from truegain.io.files import STANDARD_INPUT, expand, shown_path
from truegain.io.formats import system_name
from truegain.io.overwrite import unchanging
from truegain.io.trec import NameBy as NamedBy
from truegain.message import option
from truegain.results.table import Renamed
from truegain.study.inputs import USUAL


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


@with_options(page=ParticipantPages, options=TrackOptions)
@unchanging()
def participants_command(
    judgments: Judged,
    runs: RunFiles,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help=f"Measure (default: {USUAL}). Repeatable, or with commas."),
    ] = None,
    *,
    page: ParticipantPages,
    options: TrackOptions,
) -> None:
    """Write a page for each participant of a track: its runs against the median and the best, topic by topic.

    Leaves other teams' runs unnamed, unless you give --named. In a folder, also writes an index for the organizers.

    Examples:
        truegain participants demo/gold.qrels demo/runs --teams demo/teams.csv -m AP -m P@10 -o pages
        truegain participants demo/gold.qrels demo/runs --teams demo/teams.csv --team ada --pool-depth 10 -o ada.html

    """
    from truegain.report.page.participant_files import check_target, is_page, write_pages
    from truegain.report.page.participants import PageStyle
    from truegain.report.participants import Track

    if page.teams is None:
        raise TruegainError(
            f"{option('--teams')} is missing; name a table of run and team, as {option('--teams')} teams.csv"
        )
    chosen = page.team or []
    check_target(page.output, chosen)
    files, teams = expand(runs), read_teams(page.teams).renamed(options.called)
    for team in chosen:
        teams.runs_of(team)  # now, not when the work is done
    track = Track(
        options.renamed(read_runs(files, name_by=options.name_by)),
        read_judgments(judgments, model=options.judge_model) if options.judge_model else read_judgments(judgments),
        measure or [USUAL],
        teams=teams,
        pool_depth=page.pool_depth,
        config=options.config,
    )
    style = PageStyle(page.named, page.title, _digests(judgments, files, options, options.name_by))
    with Progress(len(chosen or track.teams.names), "pages written") as progress:
        written = write_pages(track, page.output, chosen, style, progress.advance)
    if page.output != STANDARD_INPUT:
        pages = len(written) if is_page(page.output) else len(written) - 1
        typer.echo(f"{shown_path(written[-1])}: {pages} page{'' if pages == 1 else 's'}")


def _digests(
    judgments: str, files: Sequence[str], options: Renamed, name_by: NamedBy
) -> dict[str, tuple[str, str | None]]:
    """The digest of the judgments, and of each run by its name; where runs are named by their tags none of theirs."""
    read = digests([judgments, *files])
    by_system = {} if name_by == "tag" else {options.called(system_name(path)): path for path in files}
    return {name: (shown_path(path), read[shown_path(path)]) for name, path in {"": judgments, **by_system}.items()}
