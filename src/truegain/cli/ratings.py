"""Options that say how ratings are read and made into gains, the same for every command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from truegain.errors import TruegainError
from truegain.tables.judgments import Judgments
from truegain.tables.ratings import Outside, Repeated, read_ratings

RatingsFile = Annotated[
    str,
    typer.Argument(
        metavar="RATINGS",
        help="Ratings: topic, doc, assessor, label; task, worker, label; a column an assessor; an export of Label "
        "Studio or Prodigy; - is stdin.",
    ),
]
ScaleOption = Annotated[
    str | None, typer.Option("--scale", help="Limits and level of the ratings: 0:3, ratio, 'ordinal 0:3'.")
]
OutsideOption = Annotated[Outside, typer.Option("--outside", help="Ratings outside the scale: an error, or dropped.")]
RepeatedOption = Annotated[
    Repeated, typer.Option("--repeated", help="Several ratings of a document by one assessor: which counts.")
]
AssessorsOption = Annotated[
    str | None, typer.Option("--assessors", help="Columns of a wide table that hold ratings: ann,bob.")
]
ColumnsOption = Annotated[str | None, typer.Option("--columns", help="Names of columns: subtopic=facet,label=grade.")]
SeparatorOption = Annotated[str | None, typer.Option("--separator", help="Between topic and document in a task.")]
ValuesOption = Annotated[str | None, typer.Option("--values", help="Numbers for words: relevant=2,partly=1.")]
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
NormaliseOption = Annotated[
    str | None, typer.Option("--normalise", help="Magnitudes: geometric, median, range or anchors.")
]


def load(
    path: str,
    *,
    scale: str | None = None,
    outside: Outside = "error",
    repeated: Repeated = "error",
    assessors: str | None = None,
    columns: str | None = None,
    separator: str | None = None,
    values: str | None = None,
) -> Judgments:
    """Ratings as the options say."""
    return read_ratings(
        path,
        scale=scale,
        outside=outside,
        repeated=repeated,
        assessors=assessors.split(",") if assessors else None,
        columns=_pairs(columns, "--columns"),
        separator=separator,
        values={word: _number(text) for word, text in _pairs(values, "--values").items()},
    )


def given(**options: Any) -> dict[str, Any]:
    """Only the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def _pairs(text: str | None, option: str) -> Mapping[str, str]:
    pairs = {}
    for part in (text or "").split(",") if text else ():
        name, equals, value = part.partition("=")
        if not (name.strip() and equals and value.strip()):
            raise TruegainError(f"{option} {text!r}: {part!r} is not name=value; write a=b,c=d")
        pairs[name.strip()] = value.strip()
    return pairs


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise TruegainError(f"--values: {text!r} is not a number; write word=2") from None
