"""Options about gold labels, the same in every command that takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from truegain.cli.ratings import Reading
from truegain.errors import TruegainError
from truegain.gains.scales import scale_of
from truegain.tables.judgments import Judgments
from truegain.tables.ratings import Outside as OutsideName
from truegain.tables.ratings import Repeated as RepeatedName

Gold = Annotated[
    str,
    typer.Option(
        "--gold",
        help="Labels of the trusted judge for some of the same pairs: a file, or column:NAME or assessor:NAME of the "
        "judgments' own.",
    ),
]
DesignName = Literal["random", "by-bronze", "topics", "by-gold", "elsewhere"]
Design = Annotated[
    DesignName | None,
    typer.Option(
        "--design",
        help="How gold was sampled: random pairs; by-bronze label; whole topics; by-gold label; or elsewhere.",
    ),
]
GoldLevel = Annotated[
    float | None, typer.Option("--gold-level", help="Smallest relevant gold label (default: the measure's own).")
]
Missing = Annotated[
    Literal["refuse", "drop"],
    typer.Option("--missing", help="Gold pairs without a bronze label, and rows without one: stop, or leave out."),
]
Method = Annotated[
    Literal["default", "lang-reiczigel", "fieller", "delta", "bootstrap", "rectify"],
    typer.Option("--method", help="The interval (default: the one right for --design)."),
]
Clusters = Annotated[
    Literal["topics", "none"], typer.Option("--clusters", help="Topics are the clusters; none: pairs are independent.")
]
Accuracy = Annotated[
    Literal["system", "lists", "given"] | None,
    typer.Option("--accuracy", help="Judge measured on gold pairs each system retrieved, any did, or all of them."),
]
Rule = Annotated[
    str | None,
    typer.Option("--rule", help="Bronze from several assessors: how their ratings become one label, such as majority."),
]


Labels = Annotated[
    str | None,
    typer.Option("--labels", help="The labels there are, bronze and gold: 0:3 or 0,1,2,3 (default: not checked)."),
]
Outside = Annotated[
    OutsideName, typer.Option("--outside", help="Labels that are not among --labels: an error, or taken as not judged.")
]
Repeated = Annotated[
    RepeatedName,
    typer.Option("--repeated", help="Bronze: several ratings of a document by one assessor: which counts."),
]
Columns = Annotated[
    str | None, typer.Option("--columns", help="Bronze: names of columns, such as assessor=workerID,label=grade.")
]


@dataclass(frozen=True)
class BothLabels:
    """Bronze and gold labels as the options say, the scale that both are on, and what must be said about them."""

    bronze: Judgments
    gold: Judgments
    labels: tuple[float, ...] | None
    said: tuple[str, ...]


def both_labels(
    judgments: str,
    gold: str,
    *,
    rule: str | None = None,
    labels: str | None = None,
    outside: OutsideName = "error",
    repeated: RepeatedName = "error",
    columns: str | None = None,
) -> BothLabels:
    """Read both kinds of labels, make one bronze label of several ratings, and hold both to the scale."""
    from truegain.inference.judges.assessors import bronze_of

    read = bronze_ratings(judgments, rule=rule, labels=labels, outside=outside, repeated=repeated, columns=columns)
    bronze, said = bronze_of(read, rule)
    trusted = on_labels(Judgments.of(gold), labels, outside)
    return BothLabels(bronze, trusted, scale_of(labels) if rule is None else None, said)


def bronze_ratings(
    judgments: str,
    *,
    rule: str | None = None,
    labels: str | None = None,
    outside: OutsideName = "error",
    repeated: RepeatedName = "error",
    columns: str | None = None,
) -> Judgments:
    """The bronze labels, of one judge or of several assessors, each on the scale."""
    scale = scale_of(labels)
    if rule is None and repeated == "error" and (columns is None or "assessor" not in columns):
        return on_labels(Judgments.of(judgments), labels, outside)
    limits = None if scale is None else f"{scale[0]:g}:{scale[-1]:g}"
    reading = Reading(scale=limits, outside=outside, repeated=repeated, columns=columns)
    return on_labels(reading.load(judgments), labels if repeated != "mean" else None, outside)


def on_labels(table: Judgments, labels: str | None, outside: OutsideName) -> Judgments:
    """The labels held to those of --labels."""
    from truegain.gains.scales import on_scale

    if labels is None and outside != "error":
        raise TruegainError("--outside is about labels that are not among --labels; give these, such as --labels 0:3")
    return on_scale(table, scale_of(labels), outside)


def refuse(why: str, /, **options: object) -> None:
    """Refuse options that would not be heeded, the first that is given; None and False are not given."""
    for name, value in options.items():
        if value:
            raise TruegainError(f"--{name.replace('_', '-')} {why}")
