"""A study and its database, opened by commands that only look at what was collected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from truegain.errors import TruegainError, needs
from truegain.tables.sources import shown_path

if TYPE_CHECKING:
    from truegain.judging.store.database import Database
    from truegain.judging.study.study import JudgingStudy

FolderOfStudy = Annotated[str, typer.Argument(help="The folder of a study, with judging.toml in it.", metavar="FOLDER")]
DatabaseUrl = Annotated[
    str | None,
    typer.Option("--database", help="Where judgments are kept: postgresql://... (default: SQLite in the folder)."),
]


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

    from truegain.judging.collected import units_given_out
    from truegain.judging.store.database import Database, default_url
    from truegain.judging.study.study import read_study

    study = read_study(folder)
    url = database or default_url(folder)
    if url.startswith("sqlite:") and not (file := Path(make_url(url).database or "")).is_file():
        raise TruegainError(
            f"nothing was collected yet: there is no {shown_path(file)}; serve the study first "
            f"(truegain judging serve {shown_path(folder)}), or say where its judgments are (--database)"
        )
    opened = Database(url)
    return OpenedStudy(replace(study, units=units_given_out(opened) or study.units), opened)
