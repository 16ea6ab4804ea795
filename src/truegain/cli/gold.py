"""Options about gold labels, the same in every command that takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from truegain.cli.ratings import Reading
from truegain.config import Gold as GoldConfig
from truegain.errors import InputError, TruegainError
from truegain.gains.scales import scale_of
from truegain.message import option
from truegain.tables.judgments import Judgments
from truegain.tables.ratings import OutOfRange, Repeated

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
    float | None,
    typer.Option("--gold-relevant-from", help="Smallest relevant gold label (default: the measure's own)."),
]
GoldRelevantFrom = Annotated[
    float | None,
    typer.Option("--gold-relevant-from", help="Smallest relevant gold label (default: the measure's own)."),
]
GoldSample = Literal["shared", "separate"]
GoldSampleOption = Annotated[
    GoldSample, typer.Option("--gold-sample", help="One gold sample behind both systems, or one for each (eq. 10).")
]


@dataclass(frozen=True)
class BothLabels:
    """Bronze and gold labels as the options say, the scale that both are on, and what must be said about them."""

    bronze: Judgments
    gold: Judgments
    design: DesignName | None
    scale: tuple[float, ...] | None
    said: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Labelling:
    """What is known of bronze and gold labels: how gold was drawn, and what labels there are."""

    design: Design = None
    gold_relevant_from: GoldRelevantFrom = None
    unmatched: Annotated[
        Literal["refuse", "drop"],
        typer.Option("--unmatched", help="Gold pairs without a bronze label: stop, or leave out."),
    ] = "refuse"
    aggregate: Annotated[
        str | None,
        typer.Option(
            "--aggregate",
            help="Judgments by several assessors, beside --gold: how they become one label, such as majority.",
        ),
    ] = None
    scale: Annotated[
        str | None,
        typer.Option("--scale", help="The labels there are, bronze and gold: 0:3 or 0,1,2,3 (default: not checked)."),
    ] = None
    out_of_range: Annotated[
        OutOfRange, typer.Option("--out-of-range", help="Labels outside --scale: an error, or taken as not judged.")
    ] = "error"
    repeated: Annotated[
        Repeated,
        typer.Option("--repeated", help="Several ratings of a document by one assessor, beside --gold: which counts."),
    ] = "error"
    columns: Annotated[
        str | None, typer.Option("--columns", help="Columns of the judgments: assessor=workerID,label=grade.")
    ] = None

    @property
    def labels(self) -> tuple[float, ...] | None:
        """The labels there are, where a judge gives one of them; None: not known."""
        return scale_of(self.scale) if self.aggregate is None else None

    def both(self, judgments: str, gold: str) -> BothLabels:
        """Read both kinds of labels, make one bronze label of several ratings, and hold both to the scale."""
        from truegain.inference.judges.assessors import bronze_of

        bronze, said = bronze_of(self.bronze(judgments), self.aggregate)
        return BothLabels(bronze, *self.trusted(gold), self.labels, said)

    def trusted(self, gold: str) -> tuple[Judgments, DesignName | None]:
        """The gold labels held to the scale, and how they were drawn: as was said, or as a list of them knows."""
        from truegain.inference.study.trusted import listed_in

        given, design, listed = listed_in(GoldConfig(gold, self.design))
        if listed is not None and listed.design == "ordered":
            hint = (
                f"`truegain verdict` and `truegain report` take it ({option('--gold')}); `truegain judge check` rates "
                "the judge by it"
            )
            what = "a list of pairs drawn for differences, with unequal chances: its labels set no single score right"
            raise InputError(what, file=listed.source, hint=hint)
        return self.held(Judgments.of(given)), design

    def bronze(self, judgments: str) -> Judgments:
        """The bronze labels, of one judge or of several assessors, each on the scale."""
        if self.aggregate is None and self.repeated == "error" and "assessor" not in (self.columns or ""):
            return self.held(Judgments.of(judgments))
        scale = scale_of(self.scale)
        limits = None if scale is None else f"{scale[0]:g}:{scale[-1]:g}"
        reading = Reading(scale=limits, out_of_range=self.out_of_range, repeated=self.repeated, columns=self.columns)
        return self.held(reading.load(judgments), between=self.repeated == "mean")

    def held(self, table: Judgments, between: bool = False) -> Judgments:
        """The labels held to those of --scale; `between`: means of them are no slips."""
        from truegain.gains.scales import on_scale

        if self.scale is None and self.out_of_range != "error":
            raise TruegainError(
                f"{option('--out-of-range')} is about labels that are not on the scale; give it, such as "
                f"{option('--scale')} 0:3"
            )
        return on_scale(table, None if between else scale_of(self.scale), self.out_of_range)


@dataclass(frozen=True, kw_only=True)
class Correcting:
    """How scores are set right by gold labels."""

    method: Annotated[
        Literal["default", "lang-reiczigel", "fieller", "delta", "bootstrap", "rectify"],
        typer.Option("--method", help="How the interval is made (default: the one right for --design)."),
    ] = "default"
    accuracy: Annotated[
        Literal["system", "lists", "given", "assessor"] | None,
        typer.Option(
            "--accuracy",
            help="Judge measured on gold pairs each system retrieved, any did, or all of them; or each assessor on "
            "their own, for the topics they labeled.",
        ),
    ] = None
    clusters: Annotated[
        Literal["topics", "none"],
        typer.Option("--clusters", help="Topics are the clusters; none: pairs are independent."),
    ] = "topics"


def refuse(why: str, options: dict[str, str]) -> None:
    """Refuse options that would not be heeded, the first that is given."""
    for name in options.values():
        raise TruegainError(f"{option(name)} {why}")
