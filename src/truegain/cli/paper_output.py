"""`--all -o FOLDER`: every table and figure of a paper, the same for every experiment that has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from truegain.cli.options import changed
from truegain.cli.output import FigureOutput
from truegain.cli.streams import in_words, tell
from truegain.cli.study_files import is_from_study_file
from truegain.errors import TruegainError, needs
from truegain.io.files import STANDARD_INPUT
from truegain.message import option

if TYPE_CHECKING:
    from truegain.report.paper_folder import Exhibit

WholePaper = Annotated[
    bool, typer.Option("--all", help="Write every table and figure of the paper, and a page, into folder -o.")
]


def folder_for(whole: bool, show: str, printing: FigureOutput) -> str | None:
    """The folder for every table and figure, where all are asked for; refused beside what asks for one of them."""
    if not whole:
        return None
    if printing.output == STANDARD_INPUT:
        raise TruegainError(
            f"{option('--all')} writes a folder of every table and figure; name it, as in {option('--output')} paper"
        )
    for name, value in (("--show", show != "all"), ("--figure", printing.figure), ("--format", printing.output_format)):
        if value:
            raise TruegainError(
                f"{option('--all')} writes every table as CSV and every figure; leave {option(name)} out"
            )
    needs("altair", "plots")  # now, not when the work is done
    return printing.output


def tell_idle(show: str, heeded: Mapping[str, Sequence[str]], *bundles: object) -> None:
    """Tell which options that were typed have no part in the table that is shown; others may be given for any.

    heeded: by the field of an option the tables that heed it.
    """
    for name, named in changed(*bundles).items():
        shows = heeded.get(name, (show,))
        if show not in shows and not is_from_study_file(name):
            tell(f"{option(named)} does not apply to {option('--show')} {show}, only to {', '.join(shows)}", "note")


def write_paper(folder: str, title: str, exhibits: Iterable[Exhibit], about: Sequence[str]) -> None:
    """Write the folder and its page, and say so."""
    from truegain.report.paper_folder import write_folder

    typer.echo(f"Written: {write_folder(folder, title, exhibits, about, in_words)}")


def as_typed(bundle: object, leave_out: tuple[str, ...] = ()) -> list[str]:
    """The options of a bundle that were given, as they are typed, for the commands that a page shows.

    >>> from truegain.cli.options import SeedAndJobs
    >>> as_typed(SeedAndJobs(seed=3))
    ['--seed', '3']
    """
    words: list[str] = []
    for field, name in changed(bundle, leave_out=leave_out).items():
        value = getattr(bundle, field)
        for each in value if isinstance(value, list) else [value]:
            words += [name] if each is True else [name, str(each)]
    return words
