"""The command `truegain judging withdraw`: whose a completion code is, and the end of what a person wrote."""

from __future__ import annotations

from typing import Annotated

import typer

from truegain.cli.judging_open import DatabaseUrl, FolderOfStudy, open_collection
from truegain.errors import TruegainError


def withdraw_command(
    folder: FolderOfStudy,
    who: Annotated[
        str,
        typer.Argument(help="A completion code, an assessor's id, or the platform's id of a person.", metavar="WHO"),
    ],
    erase: Annotated[
        bool, typer.Option("--erase", help="Erase all that the person wrote; without it nothing is changed.")
    ] = False,
    database: DatabaseUrl = None,
) -> None:
    """Tell whose a completion code or id is, and with --erase erase all that the person wrote, at their wish."""
    opened = open_collection(folder, database)
    from truegain.judging.desk.office import Office
    from truegain.judging.status import ends_told

    office = Office(opened.study, opened.database)
    found = office.owner(who)
    if found is None:
        raise TruegainError(
            f"nobody here has the completion code or id {who!r}; copy it again, or look for the assessor's id "
            "(truegain judging status --show assessors)"
        )
    person = next(person for person in office.assessors() if person.id == found)
    units = ends_told({None if end == "going" else end: count for end, count in person.outcomes.items()})
    typer.echo(f"{person.id} ({person.platform}): {units or 'no units'}")
    if not erase:
        typer.echo("Nothing was changed; --erase erases what they wrote, finished units too (their codes stay good)")
        return
    erased = office.withdraw(person.id)
    typer.echo(f"Erased: what {person.id} wrote in {erased:,} unit{'' if erased == 1 else 's'}; others can take them")
    opened.database.close()
