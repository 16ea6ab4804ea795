"""Options that say how ratings are read and made into gains, the same for every command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer

from truegain.cli.bundles import takes
from truegain.cli.options import study_or_judgments
from truegain.errors import InputError, TruegainError
from truegain.gains.reading import RatingsAsked
from truegain.message import option
from truegain.tables.checks import warn
from truegain.tables.header import Missing, Outside, Repeated
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
RuleOption = Annotated[
    str | None,
    typer.Option(
        "--rule",
        help="How ratings become a gain: sum, mean, median, geometric, majority, supermajority, unanimity, weighted, "
        "dawid-skene, glad, mace.",
    ),
]
POption = Annotated[
    float | None, typer.Option("--p", help="Rule unanimity: the weight of unanimity, 0 to 1 (default 0.2).")
]
SpreadOption = Annotated[
    str | None,
    typer.Option("--spread", help="Rules unanimity and weighted: range, trimmed, sd or entropy (default range)."),
]
ToleranceOption = Annotated[
    float | None,
    typer.Option(
        "--tolerance",
        help="Rules dawid-skene and mace: how far a chance of a label may still move when the fit ends (1e-4).",
    ),
]
NormaliseOption = Annotated[
    str | None, typer.Option("--normalise", help="Magnitudes: geometric, median, range or anchors.")
]
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
    outside: Annotated[Outside, typer.Option("--outside", help="Ratings outside the scale: an error, or dropped.")] = (
        "error"
    )
    repeated: Annotated[
        Repeated, typer.Option("--repeated", help="Several ratings of a document by one assessor: which counts.")
    ] = "error"
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
            "`judges`.",
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

    rule: RuleOption = None
    p: POption = None
    spread: SpreadOption = None
    tolerance: ToleranceOption = None
    normalise: NormaliseOption = None
    weight_assessors: WeightOption = None

    def of(self, judgments: str, reading: Reading) -> Judgments | str:
        """The gains of ratings; judgments as they are where nothing says that they are ratings."""
        about = given(p=self.p, spread=self.spread, tolerance=self.tolerance, weight_assessors=self.weight_assessors)
        if self.rule is not None or self.normalise is not None:
            table = reading.load(judgments, normalise=self.normalise)
            return gains_of(table, self.rule, scale=reading.scale, normalise=self.normalise, **about)
        if names := [*(f"--{name.replace('_', '-')}" for name in about), *reading.given]:
            raise TruegainError(
                f"{', '.join(map(option, names))}: this is about ratings; say how they become gains, as in "
                f"{option('--rule')} unanimity {option('--scale')} 0:3"
            )
        return judgments


def gains_of(
    table: Judgments,
    rule: str | None,
    *,
    scale: str | None = None,
    normalise: str | None = None,
    **parameters: Any,
) -> Judgments:
    """The gains of ratings by a rule, with what the rule needs told in the words of the command line."""
    from truegain.gains.catalogue import ALIASES  # here, so that commands which make no gains start sooner
    from truegain.gains.magnitudes import normalised
    from truegain.gains.make import to_gains
    from truegain.tables.scale import Scale

    name = ALIASES.get((rule or "").lower(), (rule or "").lower())
    declared = Scale.of(scale)
    if name in ("unanimity", "weighted") and declared.width is None:
        raise TruegainError(f"the rule {name} needs the limits of the scale; give them, as in {option('--scale')} 0:3")
    if name == "geometric" and normalise is None:
        _check_above_0(table)
    if name == "majority":
        _tell_no_majority(table if normalise is None else normalised(table, normalise))
    report: list[str] = []
    gains = to_gains(table, rule, scale=declared, normalise=normalise, report=report, **parameters)
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


def given(**options: Any) -> dict[str, Any]:
    """Only the options that were given."""
    return {name: value for name, value in options.items() if value is not None}
