"""The pages of a track's participants as files: one, or one a team with an index over them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from truegain._version import __version__
from truegain.config import StudyConfig
from truegain.data.items import Items
from truegain.data.judgments import JudgmentsLike
from truegain.data.runs import RunsLike
from truegain.data.teams import TeamsLike
from truegain.errors import InputError, TruegainError, some
from truegain.io.files import STANDARD_INPUT, PathLike, shown_path, write_bytes
from truegain.io.remote import is_remote
from truegain.keywords import checked_keywords
from truegain.measures.catalogue import MeasuresLike
from truegain.message import argname
from truegain.report.html import (
    Section,
    cell,
    count,
    el,
    figure,
    file_name,
    head,
    heads,
    join,
    many,
    name,
    num,
    paragraph,
    plain,
    table,
    tr,
)
from truegain.report.page.page import ENDINGS, document
from truegain.report.page.participants import INDEX, PageStyle, participant_page
from truegain.report.participants import Track


def page_names(teams: Sequence[str]) -> dict[str, str]:
    """The file of each team's page: its letters and digits, numbered where two are alike.

    >>> page_names(["U. Twente", "u twente", "東京", "Index"])
    {'U. Twente': 'U-Twente.html', 'u twente': 'u-twente-2.html', '東京': 'team.html', 'Index': 'Index-2.html'}
    """
    names: dict[str, str] = {}
    taken = {"index"}
    for team in teams:
        stem = file_name(team) or "team"
        every = (stem if number == 1 else f"{stem}-{number}" for number in itertools.count(1))
        chosen = next(stem for stem in every if stem.lower() not in taken)
        taken.add(chosen.lower())
        names[team] = f"{chosen}.html"
    return names


def index_page(track: Track, teams: Sequence[str], style: PageStyle) -> str:
    """The page over all pages, for those who organize the track: it names every team."""
    files = page_names(track.teams.names)
    m = track.measures[0]
    rows, data = [], []
    for team in sorted(teams, key=lambda team: min(m.rank(run) for run in track.teams.runs_of(team))):
        runs = track.teams.runs_of(team)
        best = min(runs, key=m.rank)
        score = float(m.means[m.systems.index(best)])
        link = el("th", el("a", name(team), href=files[team]), scope="row")
        rows.append(tr(link, num(count(len(runs))), cell(name(best)), num(plain(score)), num(str(m.rank(best)))))
        data.append({"team": team, "page": files[team], "runs": list(runs), "best": best, "score": score})
    headline = f"{many(len(teams), 'page')} for the participants of {style.title or 'the track'}."
    top = [head("team"), head("runs", "n0"), head("best run"), *heads(m.name, "rank")]
    body = join(
        el("h1", headline, id="h-teams"),
        paragraph("This page names every team. It is for the organizers; send each team its own page.", class_="lede"),
        figure(table("Teams", top, rows, kind="loose", unseen=True), f"Teams by their best run's {m.name}."),
    )
    section = Section("teams", "Teams", "Teams", body, {"headline": headline, "teams": data}, heads=True)
    return document(
        [section], __version__, style.title or many(len(track.study.systems), "run"), "To the teams", "participants"
    )


def write_pages(
    track: Track, path: PathLike, teams: Collection[str] = (), style: PageStyle | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> list[Path]:  # fmt: skip
    """Write the page of one team into a file, or a page a team and an index into a folder.

    Parameters
    ----------
    track : Track
        All runs.
    path : path
        A file that ends in .html, for one team; else a folder, made where it is not there.
    teams : collection of str, optional
        The teams; by default all.
    style : PageStyle, optional
        Whether other runs are named, and a title.
    progress : callable, optional
        Told of each page.

    Returns
    -------
    list of Path
        The pages, the index last.
    """
    style, chosen = style or PageStyle(), list(dict.fromkeys(teams)) or list(track.teams.names)
    for team in chosen:
        track.teams.runs_of(team)  # refused before any work
    target = os.fspath(path)
    if is_page(target):
        write_bytes(path, participant_page(track, chosen[0], style).encode(errors="backslashreplace"))
        progress(1)
        return [Path(target)]
    folder = _folder(target)
    (folder / INDEX).unlink(missing_ok=True)  # an interrupted run leaves no index of pages that are not there
    files, written = page_names(track.teams.names), []
    for team in chosen:
        written.append(folder / files[team])
        write_bytes(written[-1], participant_page(track, team, style).encode(errors="backslashreplace"))
        progress(1)
    write_bytes(folder / INDEX, index_page(track, chosen, style).encode(errors="backslashreplace"))
    return [*written, folder / INDEX]


def is_page(target: str) -> bool:
    """Whether one page is written, not a folder of them.

    >>> is_page("ada.html"), is_page("pages/"), is_page("-")
    (True, False, True)
    """
    return target == STANDARD_INPUT or target.lower().endswith(ENDINGS)


def check_target(target: str, teams: Collection[str]) -> None:
    """Refuse, before any work, one file for several teams."""
    if is_page(target) and len(set(teams)) != 1:
        how_many = (
            "no team is named" if not teams else f"there are {len(set(teams))} teams ({some(sorted(set(teams)))})"
        )
        raise TruegainError(
            f"{argname('output', target)} is one page, and {how_many}; name one team with {argname('team')}, or name a "
            "folder for all pages"
        )


def _folder(target: str) -> Path:
    if is_remote(target):
        raise InputError("folders are written locally only", file=shown_path(target), hint="name a folder here")
    folder = Path(target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "a file already has this name" if folder.exists() else (error.strerror or str(error))
        raise InputError(
            f"no folder can be made here: {why}", file=str(folder), hint="name another, or one page, as team.html"
        ) from None
    return folder


@checked_keywords()
def write_participants(
    runs: RunsLike | Items,
    judgments: JudgmentsLike | None,
    measures: MeasuresLike | None,
    path: PathLike,
    *,
    teams: TeamsLike,
    team: str | Sequence[str] = (),
    pool_depth: int | None = None,
    named: bool = False,
    title: str = "",
    config: StudyConfig | None = None,
) -> list[Path]:
    """Write a page for each participant of a track: its runs against the median and the best, topic by topic.

    Parameters
    ----------
    runs, judgments, measures
        As those of `Study`: the runs of all teams.  `Items` need no judgments (None); measures are the name of a score,
        or measures of nuggets.
    path : path
        A folder for a page a team and an index, or a file that ends in .html for one team.
    teams : path-like, frame or mapping
        The team of each run, and which runs were pooled.
    team : str or list of str, optional
        The teams that get a page; by default all.
    pool_depth : int, optional
        Down to which rank pooled runs made the pool, to tell what a team alone brought in.
    named : bool, default False
        Name the best runs, even those of other teams.
    title : str, optional
        The title of the pages, such as the name of the track.
    config : StudyConfig, optional
        The other options of a study, without gold labels.

    Returns
    -------
    list of Path
        The pages, the index last.

    Examples
    --------
    >>> import tempfile, truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
    >>> runs = {"good": {str(t): {"a": 3.0, "c": 2.0, "b": 1.0} for t in range(12)},
    ...         "poor": {str(t): {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (t % 3 == 0)} for t in range(12)}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pages = tg.write_participants(runs, qrels, "P@2", folder, teams={"good": "ada", "poor": "bell"})
    >>> [page.name for page in pages]
    ['ada.html', 'bell.html', 'index.html']
    """
    chosen = (team,) if isinstance(team, str) else tuple(team)
    check_target(os.fspath(path), chosen)
    track = Track(runs, judgments, measures, teams=teams, pool_depth=pool_depth, config=config)
    return write_pages(track, path, chosen, PageStyle(named, title))
