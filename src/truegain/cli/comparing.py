"""Options of `truegain compare`, by what they are about, and all that is asked of its pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from truegain.cli.counting import CountingOption
from truegain.cli.options import Confidence, Figure, Output, OutputFormat, Scoring, Seed
from truegain.cli.output import table_format_of
from truegain.cli.writing import Writing
from truegain.errors import TruegainError
from truegain.message import option

if TYPE_CHECKING:
    from truegain.inference.results import Comparison

TestName = Literal[
    "tukey-hsd",
    "randomised-tukey-hsd",
    "one-way-tukey-hsd",
    "paired-t",
    "wilcoxon",
    "sign",
    "randomisation",
    "bootstrap",
    "welch",
]
Adjustment = Literal["holm", "bonferroni", "hochberg", "holm-sidak", "bh", "by", "none"]
Meta = Literal["mean", "fixed", "random", "hartung-knapp", "paule-mandel"]
Effect = Literal["ap", "logit"]
Pairing = Literal["paired", "independent"]


@dataclass(frozen=True, kw_only=True)
class Testing:
    """How differences are tested."""

    test: Annotated[
        TestName | None, typer.Option("--test", help="The test (default tukey-hsd, which sees all pairs at once).")
    ] = None
    adjust: Annotated[
        Adjustment | None,
        typer.Option("--adjust", help="For the number of pairs (default holm; Tukey's tests need none)."),
    ] = None
    replicates: Annotated[
        int | None,
        typer.Option(
            "--replicates",
            "--trials",
            min=1,
            help="Replicates, where the test resamples (default 10000; more where p could not pass).",
        ),
    ] = None
    counting: CountingOption = "plus-one"
    confidence: Confidence = 0.95
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class Collections:
    """What a comparison over other collections is like."""

    over: Annotated[
        Literal["topics", "collection"],
        typer.Option("--over", help="Other topics, or other collections of the same kind."),
    ] = "topics"
    meta: Annotated[
        Meta, typer.Option("--meta", help="How topics are put together, over collections: all alike, or weighed.")
    ] = "mean"
    effect: Annotated[Effect, typer.Option("--effect", help="Differences of AP or of its logit, over collections.")] = (
        "ap"
    )
    pairing: Annotated[
        Pairing, typer.Option("--pairing", help="The same collection for both systems, or one for each.")
    ] = "paired"


@dataclass(frozen=True, kw_only=True)
class PairsPrinting:
    """How pairs of systems are printed."""

    by_topic: Annotated[bool, typer.Option("-q", "--by-topic", help="One pair by topic, over collections.")] = False
    pairs: Annotated[bool, typer.Option("--pairs", help="Print all pairs, however many.")] = False
    groups: Annotated[bool, typer.Option("--groups", help="Print the groups, however few the systems.")] = False
    with_intervals: Annotated[
        bool,
        typer.Option("--with-intervals", help="Also the intervals of the means, in tables of systems by measures."),
    ] = False
    figure: Figure = None
    output_format: OutputFormat = None
    output: Output = "-"

    def is_wide(self, writing: Writing) -> bool:
        """Whether one table of systems by measures is written; of the ways to print only one may be asked for."""
        ways = {"--pairs": self.pairs, "--groups": self.groups, "--wide": writing.wide}
        asked = [name for name, given in ways.items() if given]
        if len(asked) > 1:
            raise TruegainError(f"{' and '.join(asked)} ask for different tables; give one of them")
        if self.by_topic and writing.wide:
            raise TruegainError(f"{option('--wide')} shows systems by measures, and -q shows topics; give one of them")
        shown = self.by_topic or self.pairs or self.groups
        wide = writing.is_wide(table_format_of(self.output_format, self.output), else_shown=shown)
        if self.with_intervals and not wide:
            raise TruegainError(
                f"{option('--with-intervals')}: these stand in tables of systems by measures; give {option('--wide')} "
                "as well"
            )
        return wide

    def draw(self, pairs: Sequence[Sequence[Comparison]], title: str = "") -> None:
        """The figure, where one is asked for; its title says which measure and which test."""
        if self.figure is None:
            return
        if len(pairs) > 1:
            raise TruegainError(f"a matrix of pairs shows one measure; give one -m with {option('--figure')}")
        from truegain.report.figures import comparisons_chart
        from truegain.report.saving import save

        save(comparisons_chart(pairs[0], title=title), self.figure)


@dataclass(frozen=True)
class AskedPairs:
    """All that is asked of pairs of systems, whatever they are compared over."""

    judgments: str
    runs: list[str]
    measure: list[str] | None
    baseline: str | None
    testing: Testing
    scoring: Scoring
    printing: PairsPrinting
    writing: Writing
    wide: bool
    judge_model: str | None = None
