"""The command `truegain judging status`: how a study goes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from truegain.cli.judging_open import DatabaseUrl, FolderOfStudy, open_collection
from truegain.cli.options import Output, OutputFormat
from truegain.cli.output import table_format_of, write_table
from truegain.tables.targets import write_bytes

if TYPE_CHECKING:
    from truegain.tables.judgments import Judgments


def status_command(
    folder: FolderOfStudy,
    show: Annotated[
        Literal["all", "progress", "assessors"],
        typer.Option("--show", help="Which table to print; formats for programs take one (default progress)."),
    ] = "all",
    output_format: OutputFormat = None,
    output: Output = "-",
    database: DatabaseUrl = None,
) -> None:
    """Tell how a study goes: progress by topic, agreement so far, cost, and assessors worth a second look."""
    opened = open_collection(folder, database)
    from truegain.judging.collected import collected
    from truegain.judging.status import figures

    level = opened.study.task.level
    told = partial(agreement_line, level), partial(far_people, level)
    found = figures(opened.study, collected(opened.database), *told)
    table = found.people if show == "assessors" else found.progress
    if show == "all" and table_format_of(output_format, output) == "table":
        write_bytes(output, f"{found}\n".encode())
    else:
        write_table(table, output_format, output)


def far_people(level: str, ratings: Judgments) -> tuple[list[str], str]:
    """Who agrees with the rest far less than others do, as `agree` and the organiser's page have it, and the rule."""
    from truegain.gains.assessors import FAR_LOOK, FAR_RULE, people_of

    people = people_of(ratings, normalise="geometric" if level == "ratio" else None)
    return [person.assessor for person in people if FAR_LOOK in person.look], FAR_RULE


def agreement_line(level: str, ratings: Judgments) -> str:
    """Krippendorff's alpha at the task's level, with its interval, in one line; magnitudes on one scale first."""
    from truegain.inference.agreement.agree import agree

    made = agree(ratings, scale=level, normalise="geometric" if level == "ratio" else None)
    row = next(row for row in made.overall.records() if row["statistic"] == f"alpha {level}")
    value, low, high = (row[name] for name in ("value", "low", "high"))
    if value is None or value != value:
        return "agreement: not yet (too few documents were judged twice, or all alike)"
    limits = "" if low is None or low != low else f", 95% interval {low:.2f} to {high:.2f}"
    return f"agreement: Krippendorff's alpha ({level}) {value:.2f}{limits}"
