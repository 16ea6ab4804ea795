"""Options that say how ratings are read and made into gains, the same for every command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer

from truegain.cli.bundles import takes
from truegain.cli.options import study_or_judgments
from truegain.config import Ratings, settings_of
from truegain.errors import InputError, TruegainError
from truegain.gains.reading import RatingsAsked
from truegain.message import option
from truegain.tables.checks import warn
from truegain.tables.header import Missing, OutOfRange, Repeated
from truegain.tables.judgments import Judgments

RatingsFile = Annotated[
    str,
    typer.Argument(
        metavar="RATINGS",
        help="Ratings: topic, doc, assessor, label; task, worker, label; a column an assessor; an export of Label "
        "Studio or Prodigy; - is stdin. Or a file study.toml whose judgments are ratings.",
        is_eager=True,
        callback=study_or_judgments,
    ),
]
_HELP = {option.field: option.help for option in settings_of(Ratings)}
AggregateOption = Annotated[str | None, typer.Option("--aggregate", help=_HELP["aggregate"])]
NormalizeOption = Annotated[str | None, typer.Option("--normalize", help=_HELP["normalize"])]
WeightOption = Annotated[
    str | None,
    typer.Option(
        "--weight-assessors",
        help="How much each counts: agreement (by their correlation with the rest), or a file of assessor,weight.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Reading(RatingsAsked):
    """How a table of ratings is read: the options of every command that reads one."""

    scale: Annotated[
        str | None, typer.Option("--scale", help="Limits and level of the ratings: 0:3, ratio, 'ordinal 0:3'.")
    ] = None
    out_of_range: Annotated[OutOfRange, typer.Option("--out-of-range", help=_HELP["out_of_range"])] = "error"
    repeated: Annotated[Repeated, typer.Option("--repeated", help=_HELP["repeated"])] = "error"
    assessors: Annotated[
        str | None,
        typer.Option("--assessors", help="Columns of a wide table that hold ratings: ann,bob (default: all others)."),
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="Other names than ours: label=grade; topic=query+facet joins two; or all columns of a file without a "
            "line of names, topic,doc,assessor,label; of judgments and runs with ';' between.",
        ),
    ] = None
    missing: Annotated[
        Missing, typer.Option("--missing", help="Rows without a rating or label: stop, or leave out.")
    ] = "refuse"
    separator: Annotated[str | None, typer.Option("--separator", help="Between topic and document in a task.")] = None
    values: Annotated[str | None, typer.Option("--values", help="Numbers for words: relevant=2,partly=1.")] = None
    topic: Annotated[
        str | None, typer.Option("--topic", help="All ratings are of this one topic, where no column says it.")
    ] = None

    drop_assessors: Annotated[
        str | None,
        typer.Option(
            "--drop-assessors",
            help="Leave out: flagged (whom `agree` finds worth a second look), or a file of names or of `agree` or "
            "`judge check`.",
        ),
    ] = None
    first: Annotated[
        int | None, typer.Option("--first", min=1, help="Only the first so many ratings of each document.")
    ] = None

    @property
    def given(self) -> list[str]:
        """The options about ratings that differ from what they are by default, as the user writes them."""
        return [f"--{name.replace('_', '-')}" for name in self.asked]


reads_ratings = takes(reading=Reading)


@dataclass(frozen=True, kw_only=True)
class GainOptions:
    """How the ratings of a document become its gain."""

    aggregate: AggregateOption = None
    normalize: NormalizeOption = None
    weight_assessors: WeightOption = None

    def of(self, judgments: str, reading: Reading) -> Judgments | str:
        """The gains of ratings; judgments as they are where nothing says that they are ratings."""
        if self.aggregate is not None or self.normalize is not None:
            table = reading.load(judgments, normalize=self.normalize)
            return gains_of(
                table,
                self.aggregate,
                scale=reading.scale,
                normalize=self.normalize,
                weight_assessors=self.weight_assessors,
            )
        if names := [*(["--weight-assessors"] if self.weight_assessors else []), *reading.given]:
            raise TruegainError(
                f"{', '.join(map(option, names))}: this is about ratings; say how they become labels, as in "
                f"{option('--aggregate')} mean {option('--scale')} 0:3"
            )
        return judgments


def gains_of(
    table: Judgments, rule: str | None, *, scale: str | None, normalize: str | None, weight_assessors: str | None
) -> Judgments:
    """The gains of ratings by a rule, with what the rule needs told in the words of the command line."""
    from truegain.gains.catalogue import rule_of, usual_rule  # here: commands which make no gains start sooner
    from truegain.gains.magnitudes import normalized
    from truegain.gains.make import aggregate

    maker = rule_of(rule or usual_rule(normalize))
    if maker.NAME == "geometric" and normalize is None:
        _check_above_0(table)
    if maker.NAME == "majority":
        _tell_no_majority(table if normalize is None else normalized(table, normalize))
    report: list[str] = []
    gains = aggregate(table, maker, scale=scale, normalize=normalize, weight_assessors=weight_assessors, report=report)
    for line in report:
        typer.echo(f"note: {line}", err=True)
    return gains


def _check_above_0(table: Judgments) -> None:
    low = np.flatnonzero(table.label <= 0)
    if len(low):
        raise InputError(
            f"{len(low)} of {len(table)} ratings are not above 0 and have no logarithm, which the rule geometric takes "
            f"(the first is {table.label[low[0]]:g})",
            **table.where(int(low[0])),  # type: ignore[arg-type]
            hint="leave them out, or choose another rule, such as mean or median",
        )


def _tell_no_majority(table: Judgments) -> None:
    """Tell where a majority is of one: no document has two equal ratings."""
    from truegain.tables.grouped import item_keys

    key = item_keys(table)
    items = len(np.unique(key))
    if items == len(key):
        return
    order = np.lexsort((table.label, key))
    same = (np.diff(key[order]) == 0) & (np.diff(table.label[order]) == 0)
    if not same.any():
        warn(
            f"no two ratings of a document are equal ({items} documents, {len(key)} ratings), so none is the most "
            "frequent and every gain is settled as a tie; the rule median does not need equal ratings"
        )
