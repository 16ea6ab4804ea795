"""The command `truegain judging check`: all that is wrong with a study, and what it takes."""

from __future__ import annotations

from typing import Annotated

import typer

from truegain.tables.sources import shown_path

StudyFolder = Annotated[str, typer.Argument(help="The folder of a study, with judging.toml in it.", metavar="FOLDER")]


def check_study_command(folder: StudyFolder) -> None:
    """Tell everything that is wrong with a study, then its judgments, people, minutes and cost; 2 where anything is."""
    from truegain.judging.study.checking import check_study

    found = check_study(folder)
    for line in found.lines():
        typer.echo(line)
    if found.faults:
        raise typer.Exit(2)
    typer.echo(f"\nNothing is wrong. Next: truegain judging serve {shown_path(folder)}")
