"""The commands `truegain annotate ...`: make a study, check it, look at what was collected, and export it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from truegain.cli.annotate_insight import agreement_line, far_people
from truegain.cli.annotate_serve import (
    DatabaseUrl,
    FolderOfStudy,
    TaskName,
    demo_study_command,
    invite_command,
    key_command,
    password_command,
    serve_command,
)
from truegain.cli.options import Seed, advanced, with_options
from truegain.cli.output import TableOutput
from truegain.data.label_lists import KEY
from truegain.errors import InputError, TruegainError, counted, needs
from truegain.io.files import shown_path
from truegain.message import option

if TYPE_CHECKING:
    from truegain.judging.export import Row
    from truegain.judging.store.database import Database
    from truegain.judging.study.study import JudgingStudy


class OpenedStudy(NamedTuple):
    """A study, and where its judgments are."""

    study: JudgingStudy
    database: Database


def open_collection(folder: str, database: str | None) -> OpenedStudy:
    """The study in a folder with the database that it was served with; none is made here.

    Its units are those of the database: judgments are of what was shown, whatever the files say by now.
    """
    needs("sqlalchemy", "judging")
    from sqlalchemy.engine import make_url

    from truegain.judging.export import units_given_out
    from truegain.judging.store.database import Database, default_url
    from truegain.judging.study.study import read_study

    study = read_study(folder)
    url = database or default_url(folder)
    if url.startswith("sqlite:") and not (file := Path(make_url(url).database or "")).is_file():
        raise TruegainError(
            f"nothing was collected yet: there is no {shown_path(file)}; serve the study first "
            f"(truegain annotate serve {shown_path(folder)}), or name its database (--database)"
        )
    opened = Database(url)
    return OpenedStudy(replace(study, units=units_given_out(opened) or study.units), opened)


# ---------------------------------------------------------------------- init


# of a command that is about nothing else: where others read, score or print, this says what people read and judge
collecting = partial(typer.Option, rich_help_panel="Collecting judgments")
Platform = Literal["open", "invitation", "prolific", "mturk"]


@dataclass(frozen=True, kw_only=True)
class Material:
    """What assessors read and judge."""

    topics: Annotated[str, collecting("--topics", help="Topics: JSONL, CSV, TSV or TREC format.")]
    docs: Annotated[str, typer.Option("--docs", help="Documents: JSONL (also BEIR's), CSV or TSV (also MS MARCO's).")]
    pool: Annotated[
        list[str],
        typer.Option(
            "--pool", help="What to judge: qrels, runs, or a list of `plan labels` or `unjudged`. Repeatable."
        ),
    ]
    anchors: Annotated[
        str | None,
        advanced(
            "--anchors",
            help="Labels that choose each topic's anchors: a highly relevant (Hk) and a non-relevant (Nk) document, "
            "used as attention checks (default: the labels of the pool).",
        ),
    ] = None
    depth: Annotated[int, collecting("-M", "--depth", min=1, help="Pool depth: documents of each run.")] = 10
    most: Annotated[int | None, collecting("--most", min=1, help="Judge only the first N rows of the pool.")] = None
    usual: Annotated[
        Literal["text", "html"], collecting("--format", help="Format of documents that have no field `format`.")
    ] = "text"


@dataclass(frozen=True, kw_only=True)
class UnitOptions:
    """How items are put into units of work."""

    n_judgments: Annotated[
        int | None,
        typer.Option(
            "--judgments", min=1, help="Minimum number of judgments of each item (default: 10; 1 for --teamwork)."
        ),
    ] = None
    team: Annotated[
        bool,
        typer.Option("--teamwork", help="A team labels the list in its order, one document after another."),
    ] = False
    double: Annotated[
        float | None,
        typer.Option("--double", min=0, max=1, help="With --teamwork: share of rows that a second person also labels."),
    ] = None
    size: Annotated[
        int | None,
        typer.Option(
            "--size",
            min=1,
            help="Items per unit, including anchors (default: 8; 1 for --order decisive without anchors).",
        ),
    ] = None
    order: Annotated[
        Literal["spread", "decisive"] | None,
        typer.Option(
            "--order",
            help="Judge all items evenly, or follow the order of the pool (default: spread; decisive for a list that "
            "`plan labels` or `unjudged` wrote).",
        ),
    ] = None
    seed: Seed = 0


@with_options(material=Material, units=UnitOptions)
def init_study_command(
    folder: Annotated[str, typer.Argument(help="Folder to create.", metavar="FOLDER")],
    task: TaskName = "magnitude",
    run_files: Annotated[
        list[str] | None, typer.Option("--runs", help="Runs to compare on the organizer's page. Repeatable.")
    ] = None,
    bronze: Annotated[
        str | None, advanced("--bronze", help="Labels that the list in --pool was drawn with, to compare runs.")
    ] = None,
    title: Annotated[str | None, collecting("--title", help="Title of the assessors' pages.")] = None,
    platform: Annotated[
        Platform | None,
        typer.Option("--platform", help="Where assessors come from (default: open; invitation for --teamwork)."),
    ] = None,
    *,
    material: Material,
    units: UnitOptions,
) -> None:
    """Create a study: a folder with judging.toml, topics, documents and the pool of items to judge.

    Examples:
        truegain annotate init study --topics demo/magnitude-topics.jsonl --docs demo/magnitude-docs.jsonl \
            --pool demo/expert.qrels
        truegain annotate init graded --topics demo/magnitude-topics.jsonl --docs demo/magnitude-docs.jsonl \
            --pool demo/magnitude-runs --depth 20 --task graded

    """
    from truegain.data.label_list_reading import key_of, read_gold_list
    from truegain.judging.study.create import gather, usual_labels, write_study
    from truegain.judging.study.study import (
        JudgingSettings,
        People,
        Rules,
        Team,
        Words,
        name_of,
        usual_of_topic,
        usual_rules,
    )
    from truegain.judging.study.units import Design, usual_size
    from truegain.judging.tasks.catalogue import task_of

    _check_team(task, units, platform)
    place, has_anchors = Path(folder), task_of(task).has_anchors  # a wrong task is refused before anything is read
    inputs = gather(**vars(material))
    team = Team(units.double or 0.0) if units.team else None
    is_listed = bool(inputs.gold_list) or units.team
    order = units.order or ("decisive" if is_listed else "spread")  # such a list counts from its top
    n_judgments = units.n_judgments or (1 if team else 10)
    platform = platform or ("invitation" if team else "open")
    size = units.size or usual_size(order, has_anchors)
    gold_list = read_gold_list(inputs.gold_list) if inputs.gold_list else None
    labels = usual_labels(task, gold_list.scale if gold_list else None)
    files = [(_copy(name), Path(name)) for name in filter(None, [inputs.gold_list])]
    files += [(_copy(key, "list.key"), Path(key)) for key in filter(None, [key_of(inputs.gold_list)])]
    tries = 2 if platform == "prolific" else 1
    settings = JudgingSettings(
        name_of(place),
        task,
        format=material.usual,
        gold_list=files[0][0] if files else "",
        labels=labels,
        bronze=os.path.relpath(bronze, place) if bronze else "",
        runs=tuple(os.path.relpath(run, place) for run in run_files or ()),
        design=Design(n_judgments, size, order, units.seed),
        words=Words(title or place.resolve().name),
        rules=Rules(practice_tries=tries, question_tries=tries, reason=team is None, **usual_rules(task, n_judgments)),
        people=People(platform, most_of_topic=usual_of_topic(task)),
        team=team,
    )
    write_study(place, settings, inputs.topics, inputs.documents, inputs.rows, files)
    many = f"{counted(len(inputs.topics), 'topic')}, {counted(len(inputs.documents), 'document')}"
    typer.echo(f"Written: {shown_path(place)}, {many}, {len(inputs.rows):,} to judge")
    for line in inputs.left_out:
        typer.echo(line)
    if gold_list is not None and labels:
        label_names = ", ".join(f"{label['name']} ({label['value']})" for label in labels)
        typer.echo(f"The list has the labels {gold_list.labels}; assessors choose from: {label_names}")
    typer.echo(f"Next: look at {shown_path(place / 'judging.toml')}, then truegain annotate check {shown_path(place)}")


def _check_team(task: str, units: UnitOptions, platform: str | None) -> None:
    """Refuse what does not go with a team, or goes with one alone."""
    if not units.team:
        if units.double is not None:
            raise TruegainError(f"{option('--double')} applies only to a team's list; add --teamwork")
        return
    if task not in ("graded", "binary"):
        raise TruegainError(f"{option('--teamwork')}: a team labels documents; add --task graded, or --task binary")
    if (units.n_judgments or 1) > 1:
        raise TruegainError(
            f"{option('--judgments')}: each row of a team's list has one label; --double 1 asks a second person about "
            "each"
        )
    if (units.size or 1) > 1 or units.order == "spread":
        raise TruegainError(
            f"{option('--size' if (units.size or 1) > 1 else '--order')}: a team labels the list in its order, row by "
            "row; leave it out"
        )
    if platform in ("prolific", "mturk"):
        raise TruegainError(
            f"{option('--platform')}: a team joins by invitation or openly, and {platform} pays by set; give another "
            "platform, or leave it out"
        )


def _copy(name: str, called: str = "list") -> str:
    """The name of the list, or of its key, in the study's folder, with its ending."""
    ending = "".join(Path(name).suffixes[-2:])
    return called + ending.replace(KEY, "", 1)


# ---------------------------------------------------------------------- check


def check_study_command(folder: FolderOfStudy) -> None:
    """Find every fault in a study, and estimate judgments, assessors, time and cost.

    Exit code 0: ready to serve. 2: the study has faults.

    Examples:
        truegain annotate check study
        truegain annotate check study && truegain annotate serve study

    """
    from truegain.judging.study.checking import check_study

    checked = check_study(folder)
    for line in checked.lines():
        typer.echo(line)
    if checked.faults:
        raise typer.Exit(2)
    typer.echo(f"\nNo faults. Next: truegain annotate serve {shown_path(folder)}")


# ---------------------------------------------------------------------- status


@with_options(printing=TableOutput)
def status_command(
    folder: FolderOfStudy,
    show: Annotated[
        Literal["all", "progress", "assessors"],
        typer.Option("--show", help="Tables to print; CSV and JSON contain one (default: progress)."),
    ] = "all",
    database: DatabaseUrl = None,
    *,
    printing: TableOutput,
) -> None:
    """Show progress by topic, agreement so far, cost, and assessors worth a second look.

    Examples:
        truegain annotate status study
        truegain annotate status study --show assessors --format csv -o assessors.csv

    """
    opened = open_collection(folder, database)
    from truegain.judging.export import collected
    from truegain.judging.status import figures

    level = opened.study.task.level
    insight = partial(agreement_line, level), partial(far_people, level)
    status = figures(opened.study, collected(opened.database), *insight)
    if show == "all" and printing.format == "table":
        printing.write_texts([status])
    else:
        printing.write(status.people if show == "assessors" else status.progress)


# ---------------------------------------------------------------------- export


FileName = str | None
ADDS = {  # the option that exports what is left out
    "models": "--judges all",
    "people": "--judges all",
    "unfinished": "--unfinished",
    "excluded": "--excluded",
    "cannot": "--cannot",
}


def export_command(
    folder: FolderOfStudy,
    output: Annotated[
        str, typer.Option("-o", "--output", help="File of ratings: .csv, .tsv, .jsonl or .parquet; - prints CSV.")
    ] = "-",
    everything: Annotated[
        bool, typer.Option("--all", help="Include everything: same as --unfinished --excluded --cannot --judges all.")
    ] = False,
    unfinished: Annotated[bool, advanced("--unfinished", help="Include answers of unfinished units, flagged.")] = False,
    excluded: Annotated[bool, advanced("--excluded", help="Include answers of excluded assessors, flagged.")] = False,
    cannot: Annotated[
        bool, advanced("--cannot", help='Include items marked "cannot judge", with an empty label.')
    ] = False,
    judges: Annotated[
        Literal["people", "models", "all"] | None,
        typer.Option("--judges", help="Whose ratings to export (default: people's, if there are any)."),
    ] = None,
    wins: Annotated[
        FileName, advanced("--wins", help="Also write preferences as ratings: the share of comparisons won.")
    ] = None,
    filled: Annotated[
        FileName, typer.Option("--filled", help="Also write the list that the pool was made from, with labels.")
    ] = None,
    audit: Annotated[FileName, advanced("--audit", help="Also write the audit trail, as JSONL.")] = None,
    database: DatabaseUrl = None,
) -> None:
    """Write the collected ratings to a file that agree, aggregate, eval and verdict read.

    Examples:
        truegain annotate export study -o ratings.csv
        truegain annotate export study -o ratings.csv --filled gold.csv --audit audit.jsonl

    """
    opened = open_collection(folder, database)
    from truegain.judging.export import (
        OMITTED,
        Wanted,
        audit_trail,
        check_ending,
        collected,
        rating_table,
        win_table,
        write_audit,
    )

    study = opened.study
    if filled is not None and not study.gold_list:
        raise TruegainError(
            f"{option('--filled')}: the pool of this study is not a list of `plan labels` or `unjudged`; leave it out"
        )
    for name in filter(None, (output, wins, filled)):
        check_ending(name)
    if audit is not None:  # there is one before anything counts
        events = write_audit(audit, audit_trail(opened.database))
        typer.echo(f"{counted(events, 'event')} in the audit trail", err=True)
    rows = collected(opened.database).ratings()
    whose = "all" if everything and judges is None else judges
    included = Wanted(unfinished or everything, excluded or everything, cannot or everything, whose)
    tables = {output: rating_table(study, rows, included)}
    if wins is not None:
        tables[wins] = win_table(study, rows, included)
    for name, table in tables.items():
        table.write(name)
    counts = ", ".join(f"{count:,} {OMITTED[why]} ({ADDS[why]})" for why, count in tables[output].left_out.items())
    omitted = f"; left out: {counts}" if counts else ""
    typer.echo(f"{counted(len(tables[output]), 'rating')}{omitted}", err=True)
    if filled is not None:  # last: ratings are written whatever becomes of the list
        _write_filled(filled, study, rows, output)


def _write_filled(path: str, study: JudgingStudy, rows: Sequence[Row], ratings: str) -> None:
    """Write the list that the pool was made of with the labels that it has by now; ratings: where these are."""
    from truegain.data.label_list_reading import read_gold_list
    from truegain.judging.export import OffScaleError, fill_list

    try:
        complete, later = fill_list(read_gold_list(study.gold_list), study, rows)
    except OffScaleError as error:
        where = "the file of -o" if ratings == "-" else ratings
        raise InputError(
            error.problem,
            file=error.file,
            hint=f"the ratings are written, but not the list; give these documents labels of the list in {where}, "
            f"then truegain plan fill {study.gold_list} {'RATINGS' if ratings == '-' else ratings} -o {path}",
        ) from None
    complete.write(path)
    rest = f"; {later:,} after the first that is not ready are left out" if later else ""
    stuck = len(complete.cannot)
    nobody = f", {stuck:,} could not be judged and count{'s' * (stuck == 1)} at worst and at best" if stuck else ""
    summary = f"{complete.judged - stuck:,} of {len(complete):,} pairs of the list have a label"
    typer.echo(f"{summary}{nobody}{rest}", err=True)


# ---------------------------------------------------------------------- withdraw


def withdraw_command(
    folder: FolderOfStudy,
    who: Annotated[
        str, typer.Argument(help="Completion code, assessor id, or the platform's id of a person.", metavar="WHO")
    ],
    erase: Annotated[
        bool, typer.Option("--erase", help="Erase all answers of this person. Without it, nothing changes.")
    ] = False,
    database: DatabaseUrl = None,
) -> None:
    """Find the assessor behind a completion code or id, and erase their answers on request (--erase).

    Examples:
        truegain annotate withdraw study EYB2-S2UZ-4HZL-BJXT
        truegain annotate withdraw study EYB2-S2UZ-4HZL-BJXT --erase

    """
    opened = open_collection(folder, database)
    from truegain.judging.status import outcome_counts
    from truegain.judging.workflow.organizer import OrganizerService

    organizer = OrganizerService(opened.study, opened.database)
    assessor = organizer.owner(who)
    if assessor is None:
        raise TruegainError(
            f"no assessor has the completion code or id {who!r}; check it, or look the assessor up "
            "(truegain annotate status --show assessors)"
        )
    person = next(person for person in organizer.assessors() if person.id == assessor)
    units = outcome_counts({None if end == "going" else end: count for end, count in person.outcomes.items()})
    typer.echo(f"{person.id} ({person.platform}): {units or 'no units'}")
    if not erase:
        typer.echo("Nothing was changed. --erase erases their answers, also in finished units; their codes stay valid.")
        return
    erased = organizer.withdraw(person.id)
    typer.echo(f"Erased the answers of {person.id} in {counted(erased, 'unit')}; others can take these units")
    opened.database.close()


# ---------------------------------------------------------------------- the group


annotate = typer.Typer(name="annotate", no_args_is_help=True)


@annotate.callback()
def annotate_root() -> None:
    """Collect relevance judgments from people and LLM judges, on web pages that you serve.

    A study is a folder: init makes it, check finds its faults, serve puts it online, export writes the ratings.

    Examples:
        truegain annotate demo
        truegain annotate init study --topics demo/magnitude-topics.jsonl --docs demo/magnitude-docs.jsonl \
            --pool demo/magnitude-runs --anchors demo/expert.qrels

    """


SUBCOMMANDS: dict[str, Callable[..., None]] = {
    "init": init_study_command,
    "check": check_study_command,
    "serve": serve_command,
    "invite": invite_command,
    "status": status_command,
    "export": export_command,
    "withdraw": withdraw_command,
    "key": key_command,
    "password": password_command,
    "demo": demo_study_command,
}
for _name, _command in SUBCOMMANDS.items():
    annotate.command(_name)(_command)
