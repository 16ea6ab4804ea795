"""The command `truegain judging invite`: addresses that let one person in each."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

import typer

from truegain.cli.judging_open import DatabaseUrl, FolderOfStudy
from truegain.errors import InputError, TruegainError, needs
from truegain.message import option
from truegain.tables.sources import shown_path


def invite_command(
    folder: FolderOfStudy,
    number: Annotated[int, typer.Option("--number", "-n", min=1, max=100_000, help="How many people to invite.")] = 1,
    url: Annotated[
        str, typer.Option("--url", help="Where people reach the server, such as https://judge.example.")
    ] = "http://127.0.0.1:8000",
    database: DatabaseUrl = None,
) -> None:
    """Make invitations, and print their addresses once: each lets one person in, and back in."""
    needs("sqlalchemy", "judging")
    from truegain.judging.desk.office import Office
    from truegain.judging.store.database import Database, default_url
    from truegain.judging.study.checking import check_study
    from truegain.judging.study.study import FILE, read_study

    study = read_study(folder)
    if study.people.platform != "invitation":
        raise InputError(
            f"people come from {study.people.platform}, and need no invitation", file=shown_path(study.folder / FILE),
            hint="set platform = 'invitation' in [people]",
        )  # fmt: skip
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise TruegainError(
            f"{option('--url')} {url!r} is no address of a server; give one such as https://judge.example"
        )
    store = Database(database or default_url(folder))
    office = Office(study, store)
    tokens = office.invite(number)
    invited = office.invited()
    store.close()
    needed = check_study(folder).needs
    if needed is not None and invited < needed.people:
        typer.echo(f"{invited:,} invited so far; {needed.people:,} are needed at least to "
                   f"judge all {needed.units:,} units (truegain judging check)", err=True)  # fmt: skip
    for token in tokens:
        typer.echo(f"{url.rstrip('/')}/s/{study.name}/?invitation={token}")
