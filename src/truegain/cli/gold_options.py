"""Options of gold labels, and how scores are corrected by them; the same in every command that takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from truegain.cli.options import Columns, advanced, option_for
from truegain.cli.rating_options import AggregateOption, RatingOptions
from truegain.config import Gold as GoldConfig
from truegain.config import OutOfRange, Ratings, Repeated
from truegain.data.judgments import Judgments
from truegain.errors import InputError, TruegainError
from truegain.judge_error.gold_pairs import on_scale, scale_of
from truegain.message import option

Gold = Annotated[str, option_for(GoldConfig, "labels")]
Design = Annotated[str | None, option_for(GoldConfig, "design")]
GoldRelevantFrom = Annotated[float | None, option_for(GoldConfig, "relevant_from")]
GoldSample = Literal["shared", "separate"]
GoldSampleOption = Annotated[
    GoldSample, advanced("--gold-sample", help="One gold sample for both systems, or one for each.")
]


@dataclass(frozen=True)
class BothLabels:
    """Bronze and gold labels as the options say, the scale that both are on, and what must be said about them."""

    bronze: Judgments
    gold: Judgments
    design: str | None
    scale: tuple[float, ...] | None
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Labeling:
    """What is known of bronze and gold labels: how gold was drawn, and what labels there are."""

    design: Design = None
    gold_relevant_from: GoldRelevantFrom = None
    unmatched: Annotated[
        Literal["refuse", "drop"],
        advanced("--unmatched", help="Gold pairs without a bronze label: refuse them, or drop them."),
    ] = "refuse"
    aggregate: AggregateOption = None
    scale: Annotated[
        str | None,
        typer.Option("--scale", help="Possible labels, bronze and gold: 0:3 or 0,1,2,3 (default: not checked)."),
    ] = None
    out_of_range: Annotated[
        OutOfRange, advanced("--out-of-range", help="Labels outside --scale: an error, or counted as unjudged.")
    ] = "error"
    repeated: Annotated[Repeated, option_for(Ratings, "repeated")] = "error"
    columns: Columns = None

    @property
    def labels(self) -> tuple[float, ...] | None:
        """The labels there are, where a judge gives one of them; None: not known."""
        return scale_of(self.scale) if self.aggregate is None else None

    def both(self, judgments: str, gold: str) -> BothLabels:
        """Read both kinds of labels, make one bronze label of several ratings, and hold both to the scale."""
        from truegain.judge_error.judge_quality import bronze_of

        bronze, notes = bronze_of(self.bronze(judgments), self.aggregate)
        return BothLabels(bronze, *self.trusted(gold), self.labels, notes)

    def trusted(self, gold: str) -> tuple[Judgments, str | None]:
        """The gold labels held to the scale, and how they were drawn: as was said, or as a list of them knows."""
        from truegain.study.gold import gold_and_design

        labels, design, gold_list = gold_and_design(GoldConfig(gold, self.design))
        if gold_list is not None and gold_list.design == "ordered":
            raise InputError(
                "this list was sampled for differences, with unequal probabilities, so its labels cannot correct "
                "single scores",
                file=gold_list.source,
                hint=f"`truegain verdict` and `truegain report` take it ({option('--gold')}); `truegain judge check` "
                "measures the judge with it",
            )
        return self.on_scale(Judgments.of(labels)), design

    def bronze(self, judgments: str) -> Judgments:
        """The bronze labels, of one judge or of several assessors, each on the scale."""
        if self.aggregate is None and self.repeated == "error" and "assessor" not in (self.columns or ""):
            return self.on_scale(Judgments.of(judgments))
        scale = scale_of(self.scale)
        limits = None if scale is None else f"{scale[0]:g}:{scale[-1]:g}"
        reading = RatingOptions(
            scale=limits, out_of_range=self.out_of_range, repeated=self.repeated, columns=self.columns
        )
        return self.on_scale(reading.load(judgments), between=self.repeated == "mean")

    def on_scale(self, table: Judgments, between: bool = False) -> Judgments:
        """The labels held to those of --scale; `between`: means of them are no slips."""
        if self.scale is None and self.out_of_range != "error":
            raise TruegainError(
                f"{option('--out-of-range')} applies to labels outside the scale; give the scale, such as "
                f"{option('--scale')} 0:3"
            )
        return on_scale(table, None if between else scale_of(self.scale), self.out_of_range)


@dataclass(frozen=True, kw_only=True)
class Correcting:
    """How scores are set right by gold labels."""

    method: Annotated[
        Literal["default", "lang-reiczigel", "fieller", "delta", "bootstrap", "rectify"],
        advanced("--method", show_default=False, help="Interval method (default: the one that is valid for --design)."),
    ] = "default"
    accuracy: Annotated[
        Literal["system", "lists", "given", "assessor"] | None,
        advanced(
            "--accuracy",
            help="Gold pairs that estimate the judge's confusion matrix (with --design by-gold or elsewhere, or "
            "--method delta or bootstrap): those that each system retrieved (system, the default), those that "
            "any system retrieved (lists), or all (given, the default for elsewhere). assessor: one matrix per "
            "assessor, for the topics that this assessor judged; needs judgments with a column assessor.",
        ),
    ] = None
    clusters: Annotated[
        Literal["topics", "none"],
        advanced("--clusters", help="Cluster gold pairs by topic; none: treat pairs as independent."),
    ] = "topics"
