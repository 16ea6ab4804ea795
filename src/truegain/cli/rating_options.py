"""Options of ratings by several assessors, and how they become gains; the same in every command that takes them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer

from truegain.aggregation.reading import OF_ANY_JUDGMENTS, RatingReading
from truegain.cli.options import (
    Columns,
    MissingLabels,
    Values,
    advanced,
    changed,
    long_name,
    option_for,
    refuse_for_answers,
    study_or_judgments,
)
from truegain.cli.study_files import without_scale_of_file
from truegain.config import OutOfRange, Ratings, Repeated
from truegain.data.items import Items
from truegain.data.judgments import Judgments
from truegain.errors import InputError, TruegainError, counted, warn
from truegain.io.files import expand
from truegain.io.nugget_files import is_nuggets
from truegain.message import option
from truegain.settings import changed_fields

RatingsFile = Annotated[
    str,
    typer.Argument(
        metavar="RATINGS",
        help="Ratings by several assessors: a table of topic, doc, assessor, label, or of task, worker, label, or with "
        "one column per assessor; an export of Label Studio or Prodigy; - for stdin. Or study.toml, which names them.",
        is_eager=True,
        callback=study_or_judgments,
    ),
]
AggregateOption = Annotated[str | None, option_for(Ratings, "aggregate")]
NormalizeOption = Annotated[str | None, option_for(Ratings, "normalize")]
WeightOption = Annotated[
    str | None,
    advanced(
        "--weight-assessors",
        help="Weights of assessors: agreement (their correlation with the others), or a file of assessor,weight.",
    ),
]


def rule_in_words(ratings: Ratings, reading: RatingReading) -> str:
    """The options by which another command makes the same labels of ratings, after a space; nothing without ratings.

    How columns, words and empty labels are read is about every file, and said with these.

    >>> rule_in_words(Ratings("mean"), RatingReading(scale="0:2", repeated="all", first=3))
    ' --aggregate mean --scale 0:2 --repeated all --first 3'
    >>> rule_in_words(Ratings(), RatingReading(scale="0:2"))
    ''
    """
    if not ratings.are_aggregated:
        return ""
    given = {"aggregate": ratings.aggregate, "normalize": ratings.normalize}
    given |= {name: getattr(reading, name) for name in changed_fields(reading, OF_ANY_JUDGMENTS)}
    words = [word for name, value in given.items() if value is not None for word in (long_name(name), str(value))]
    return f" {shlex.join(words)}"


@dataclass(frozen=True, kw_only=True)
class RatingOptions(RatingReading):
    """How a table of ratings is read: the options of every command that reads one."""

    scale: Annotated[str | None, option_for(Ratings, "scale")] = None
    out_of_range: Annotated[OutOfRange, option_for(Ratings, "out_of_range")] = "error"
    repeated: Annotated[Repeated, option_for(Ratings, "repeated")] = "error"
    assessors: Annotated[
        str | None,
        advanced("--assessors", help="Columns of ratings, in a table with one per assessor: ann,bob (default: all)."),
    ] = None
    columns: Columns = None
    missing: MissingLabels = "refuse"
    separator: Annotated[
        str | None, advanced("--separator", help="Text that separates topic and document in task ids.")
    ] = None
    values: Values = None
    topic: Annotated[str | None, advanced("--topic", help="Topic of all ratings, if no column names it.")] = None
    drop_assessors: Annotated[
        str | None,
        advanced(
            "--drop-assessors",
            help="Assessors to leave out: flagged (those that `agree` flags), or a file of names, such as the output "
            "of `agree` or `judge check`.",
        ),
    ] = None
    first: Annotated[int | None, advanced("--first", min=1, help="Use only the first N ratings of each document.")] = (
        None
    )

    @property
    def changed_options(self) -> list[str]:
        """The options about ratings that differ from what they are by default, as the user writes them."""
        return [long_name(name) for name in changed_fields(self, OF_ANY_JUDGMENTS)]


@dataclass(frozen=True, kw_only=True)
class GainOptions:
    """How the ratings of a document become its gain."""

    aggregate: AggregateOption = None
    normalize: NormalizeOption = None
    weight_assessors: WeightOption = None

    def of(self, judgments: str, reading: RatingOptions) -> Judgments | str:
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
        reading = without_scale_of_file(reading)
        if names := [*(["--weight-assessors"] if self.weight_assessors else []), *reading.changed_options]:
            raise TruegainError(
                f"{', '.join(map(option, names))}: this applies to ratings; choose how they become labels, as in "
                f"{option('--aggregate')} mean {option('--scale')} 0:3"
            )
        return judgments


def gains_of(
    table: Judgments, rule: str | None, *, scale: str | None, normalize: str | None, weight_assessors: str | None
) -> Judgments:
    """The gains of ratings by a rule, with what the rule needs told in the words of the command line."""
    from truegain.aggregation.aggregate import (
        aggregate,
        rule_of,
        usual_rule,  # here: commands which make no gains start sooner
    )
    from truegain.aggregation.magnitudes import normalized

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
            f"{len(low)} of {len(table)} ratings are not above 0 and have no logarithm, which the rule geometric "
            f"needs (the first is {table.label[low[0]]:g})",
            **table.where(int(low[0])),
            hint="leave them out, or choose another rule, such as mean or median",
        )


def _tell_no_majority(table: Judgments) -> None:
    """Tell where a majority is of one: no document has two equal ratings."""
    from truegain.data.rating_groups import item_keys

    key = item_keys(table)
    items = len(np.unique(key))
    if items == len(key):
        return
    order = np.lexsort((table.label, key))
    same = (np.diff(key[order]) == 0) & (np.diff(table.label[order]) == 0)
    if not same.any():
        warn(
            f"no two ratings of a document are equal ({items} documents, {len(key)} ratings), so none is the most "
            "frequent and every label is a tie; the rule median does not need equal ratings"
        )


# ---- Values of answers in the place of ratings.

MoreAnswers = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE...]", help="More logs or tables of the same answers, or assignments after the nuggets."
    ),
]
OF_RATINGS = ("repeated", "assessors", "separator", "topic")  # how tables of ratings are read, which answers are not


def rated_answers(files: Sequence[str], score: str | None, reading: RatingOptions) -> Items | None:
    """The values of one score of answers, those outside the scale dropped if that is chosen; None of other files."""
    from truegain.data.item_reading import is_log

    if not (score or is_nuggets(files[0]) or is_log(files[0])):
        return None
    from truegain.study.item_inputs import items_in

    refuse_for_answers({name: typed for name, typed in changed(reading).items() if name in OF_RATINGS})
    items = items_in([files[0], *expand(files[1:])], score, None)
    assert items is not None
    return _on_scale(items.of_score(*items.chosen([score] if score else None)), reading)


def refuse_more(file: str, others: Sequence[str]) -> None:
    """Refuse files beside ratings of documents, which are in one file."""
    if others:
        raise TruegainError(
            f"only values of answers can come in several files (logs, nuggets, or tables with {option('--score')}); "
            f"put all ratings into {file}"
        )


def _on_scale(items: Items, reading: RatingOptions) -> Items:
    """Values of answers without those outside the scale, where these are to be dropped."""
    if reading.out_of_range != "drop":
        return items
    from truegain.data.ratings import Scale

    scale = Scale.of(reading.scale)
    wrong = scale.outside(items.value)
    if wrong.any():
        warn(f"{wrong.sum():,} of {counted(len(wrong), 'value')} lie outside the scale {scale} and are dropped")
    return items.take(np.flatnonzero(~wrong))
