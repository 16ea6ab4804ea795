"""Several collections in one experiment: those that `--also` names beside the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from truegain.errors import TruegainError
from truegain.io.files import expand
from truegain.io.formats import system_name
from truegain.message import option

Also = Annotated[
    list[str] | None,
    typer.Option(
        "--also",
        help="Another collection, NAME=JUDGMENTS,RUNS or NAME=JUDGMENTS,RUNS,CORPUS (default: the same corpus). "
        "Repeatable.",
    ),
]


@dataclass(frozen=True)
class JudgedCollection:
    """One collection of an experiment: its name, judgments, runs and corpus."""

    name: str
    judgments: str
    runs: Sequence[str]
    corpus: str | None


def collections(
    judgments: str, runs: Sequence[str], corpus: str | None, also: Sequence[str] | None
) -> list[JudgedCollection]:
    """The first collection, named as its judgments where there are others, and those that `--also` names.

    >>> [c.name for c in collections("web/2009.qrels", ["a.run"], None, ["2010=b.qrels,b.run"])]
    ['2009', '2010']
    """
    judged = [JudgedCollection(system_name(judgments) if also else "", judgments, expand(runs), corpus)]
    for text in also or ():
        name, _, files = (part.strip() for part in text.partition("="))
        parts = [part.strip() for part in files.split(",")]
        if not name or len(parts) not in (2, 3) or not all(parts):
            raise TruegainError(
                f"{option('--also')} {text}: not a collection; write NAME=JUDGMENTS,RUNS or NAME=JUDGMENTS,RUNS,CORPUS"
            )
        if name in {one.name for one in judged}:
            raise TruegainError(f"{option('--also')} {text}: there is a collection {name} already; choose another name")
        judged.append(JudgedCollection(name, parts[0], expand([parts[1]]), parts[2] if len(parts) == 3 else corpus))
    return judged
