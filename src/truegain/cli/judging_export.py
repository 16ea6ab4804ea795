"""The command `truegain judging export`: what was collected, as files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from truegain.cli.judging_open import DatabaseUrl, FolderOfStudy, open_collection
from truegain.errors import InputError, TruegainError
from truegain.message import option
from truegain.tables.paper import counted

if TYPE_CHECKING:
    from truegain.judging.collected import Row
    from truegain.judging.study.study import JudgingStudy

FileName = str | None
ADDS = {  # the option that exports what is left out
    "models": "--judges all", "people": "--judges all", "unfinished": "--unfinished", "excluded": "--excluded",
    "cannot": "--cannot",
}  # fmt: skip


def export_command(
    folder: FolderOfStudy,
    output: Annotated[
        str,
        typer.Option("-o", "--output", help="Ratings: a file that ends in .csv, .tsv, .jsonl or .parquet; - is CSV."),
    ] = "-",
    everything: Annotated[
        bool, typer.Option("--all", help="Also what --unfinished, --excluded, --cannot and --judges all add.")
    ] = False,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Also answers of units not finished, flagged.")
    ] = False,
    excluded: Annotated[bool, typer.Option("--excluded", help="Also answers of excluded assessors, flagged.")] = False,
    cannot: Annotated[
        bool, typer.Option("--cannot", help="Also what nobody could judge: an empty label (read with --missing drop).")
    ] = False,
    judges: Annotated[
        Literal["people", "models", "all"] | None,
        typer.Option("--judges", help="Whose ratings (default: people's, where there are any)."),
    ] = None,
    wins: Annotated[
        FileName, typer.Option("--wins", help="Preferences as ratings of documents: the share of comparisons each won.")
    ] = None,
    filled: Annotated[
        FileName, typer.Option("--filled", help="The list that the pool was made of, with its labels.")
    ] = None,
    audit: Annotated[FileName, typer.Option("--audit", help="The whole audit trail, as JSONL.")] = None,
    database: DatabaseUrl = None,
) -> None:
    """Write ratings as agree, gains, eval and verdict read them; and the audit trail, a filled list, or wins."""
    opened = open_collection(folder, database)
    from truegain.judging import collected
    from truegain.judging.export import TOLD, Wanted, check_ending, rating_table, win_table, write_audit

    study = opened.study
    if filled is not None and not study.gold_list:
        raise TruegainError(
            f"{option('--filled')}: the pool of this study was no list of `plan labels` or `holes`; leave it out"
        )
    for name in filter(None, (output, wins, filled)):
        check_ending(name)
    if audit is not None:  # there is one before anything counts
        events = write_audit(audit, collected.audit(opened.database))
        typer.echo(f"{counted(events, 'event')} in the audit trail", err=True)
    rows = collected.collected(opened.database).ratings()
    whose = "all" if everything and judges is None else judges
    wanted = Wanted(unfinished or everything, excluded or everything, cannot or everything, whose)
    tables = {output: rating_table(study, rows, wanted)}
    if wins is not None:
        tables[wins] = win_table(study, rows, wanted)
    for name, table in tables.items():
        table.write(name)
    left = ", ".join(f"{count:,} {TOLD[why]} ({ADDS[why]})" for why, count in tables[output].left_out.items())
    said = f"; left out: {left}" if left else ""
    typer.echo(f"{counted(len(tables[output]), 'rating')}{said}", err=True)
    if filled is not None:  # last: ratings are written whatever becomes of the list
        _write_filled(filled, study, rows, output)


def _write_filled(path: str, study: JudgingStudy, rows: Sequence[Row], ratings: str) -> None:
    """Write the list that the pool was made of with the labels that it has by now; ratings: where these are."""
    from truegain.judging.export import OffScaleError, fill_list
    from truegain.tables.gold_list_read import read_gold_list

    try:
        complete, later = fill_list(read_gold_list(study.gold_list), study, rows)
    except OffScaleError as error:
        where = "the file of -o" if ratings == "-" else ratings
        raise InputError(
            error.problem, file=error.file,
            hint=f"the ratings are written, the list is not; give these documents labels of the list in {where}, then "
            f"truegain plan fill {study.gold_list} {'RATINGS' if ratings == '-' else ratings} -o {path}",
        ) from None  # fmt: skip
    complete.write(path)
    rest = f"; {later:,} after the first that is not ready are left out" if later else ""
    stuck = len(complete.cannot)
    nobody = f", {stuck:,} could not be judged and count{'s' * (stuck == 1)} at worst and at best" if stuck else ""
    told = f"{complete.judged - stuck:,} of {len(complete):,} pairs of the list have a label"
    typer.echo(f"{told}{nobody}{rest}", err=True)
