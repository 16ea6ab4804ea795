"""The command `truegain correlate`: whether two sets of judgments, or measures, order the systems alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from truegain.cli.options import (
    PROPORTION,
    Confidence,
    Inputs,
    Judgments,
    Seed,
    advanced,
    refuse_answers,
    with_options,
)
from truegain.cli.output import FigureOutput
from truegain.cli.study_files import not_named
from truegain.config import Resampling, Scoring
from truegain.errors import TruegainError
from truegain.io.files import STANDARD_INPUT, write_bytes
from truegain.measures.catalogue import parse_measures
from truegain.message import option
from truegain.stats.multiple_testing import check_replicates
from truegain.stats.rank_correlation import RankOptions, TauMethod
from truegain.study.correlate import (
    Between,
    Correlation,
    Show,
    check_measures,
    check_show,
    correlate,
    names_of,
    scored_by_both,
)

PEOPLE = ("table", "markdown", "latex", "html")


@dataclass(frozen=True, kw_only=True)
class RankCorrelation:
    """How two rankings are compared."""

    method: Annotated[
        TauMethod, advanced("--method", help="Interval of tau: wilson (stays within -1 and 1), or a published method.")
    ] = "wilson"
    confidence: Confidence = 0.95
    top: Annotated[int, advanced("--top", help="Number of best systems to compare.")] = 10
    rbo_p: Annotated[float, advanced("--rbo-p", click_type=PROPORTION, help="Persistence of RBO.")] = 0.9


@dataclass(frozen=True, kw_only=True)
class CorrelationOutput(FigureOutput):
    """Which tables are printed, and where they go."""

    show: Annotated[Show | None, typer.Option("--show", help="Table to print (default: all).")] = None
    moves: Annotated[int, advanced("--moves", min=0, help="Number of systems to list that change rank most.")] = 5


@with_options(ranks=RankCorrelation, scoring=Scoring, inputs=Inputs, printing=CorrelationOutput)
def correlate_command(
    context: typer.Context,
    judgments: Judgments,
    files: Annotated[
        list[str],
        typer.Argument(
            help="A second set of judgments, then runs; runs alone with --between measures or halves. Runs are not "
            "needed with study.toml.",
            metavar="[JUDGMENTS_B] [RUN...]",
            default_factory=list,
            show_default=False,
        ),
    ],
    measure: Annotated[
        list[str] | None, typer.Option("-m", "--measure", help="Measure (default: nDCG@10). Repeatable.")
    ] = None,
    between: Annotated[
        Between, typer.Option("--between", help="What to compare: judgments, measures, or halves of the topics.")
    ] = "judgments",
    resamples: Annotated[
        int | None,
        advanced("--resamples", min=1, help="Bootstrap resamples (default: 2000), or splits into halves (100)."),
    ] = None,
    seed: Seed = 0,
    *,
    ranks: RankCorrelation,
    scoring: Scoring,
    inputs: Inputs,
    printing: CorrelationOutput,
) -> None:
    """Measure whether two sets of judgments, two measures or two halves of the topics rank systems alike.

    Prints rank correlations with their confidence intervals, which systems change rank, and whether both sets of
    judgments find the same pairs of systems significantly different.

    Examples:
        truegain correlate demo/gold.qrels demo/llm.qrels demo/runs -m nDCG@10
        truegain correlate demo/gold.qrels demo/runs --between measures -m AP -m P@10

    """
    refuse_answers("correlate", judgments, *files[:1])
    against, runs = (files[0], files[1:]) if between == "judgments" and files else (None, files)
    runs = runs or context.meta.get("runs", [])
    if between == "judgments" and against is None:
        raise TruegainError(
            f"a second set of judgments is needed: name it after the first, or give {option('--between')} measures or "
            "halves"
        )
    if not runs and against is not None:
        raise TruegainError(
            f"no runs: {against} is read as the second set of judgments; name runs after it, or give "
            f"{option('--between')} measures or halves"
        )
    if not runs:
        raise not_named("runs")
    if against == judgments == STANDARD_INPUT:
        raise TruegainError("standard input cannot be both sets of judgments; name a file for one")
    measures = measure or ["nDCG@10"]
    if printing.figure is not None:
        _check_one(between, measures)
    check_show(between, printing.show)  # now, not when the work is done
    resampling = Resampling(resamples, seed, inputs.jobs)
    check_measures(between, measures, resampling)
    replicates = resamples or RankOptions().replicates
    if between != "halves":
        check_replicates(replicates, ranks.confidence)
    RankOptions(ranks.method, ranks.confidence, ranks.top, ranks.rbo_p, replicates)
    scores, other = scored_by_both(
        inputs.files(runs), judgments, against, measures, scoring=scoring, **inputs.for_scores
    )
    correlation = correlate(
        scores,
        against=other,
        between=between,
        names=None if against is None else names_of(judgments, against),
        resampling=resampling,
        **vars(ranks),
    ).showing(printing.show, printing.moves)
    printing.draw(lambda: _chart(correlation))
    tables = correlation.tables() if printing.format in PEOPLE else [correlation.table()]
    write_bytes(printing.output, b"\n".join(table.render(printing.format) for table in tables))


def _check_one(between: Between, measures: list[str]) -> None:
    """Refuse a figure of several agreements, or of halves."""
    n = len({str(a.measure) for a in parse_measures(measures)})
    count = {"judgments": n, "measures": n * (n - 1) // 2, "halves": 0}[between]
    if count != 1:
        raise TruegainError(
            f"{option('--figure')} draws one agreement, and there are {count}; give one measure and two sets of "
            f"judgments, or two measures with {option('--between')} measures"
        )


def _chart(correlation: Correlation) -> Any:
    from truegain.report.figures import scatter_chart

    agreement = correlation.agreements[0]
    a, b = (f"{agreement.measure} by {n}" if agreement.measure else n for n in (agreement.a, agreement.b))
    tau = agreement.tau
    return scatter_chart(
        agreement.systems,
        agreement.scores_a,
        agreement.scores_b,
        names=(a, b),
        title=f"{tau.measure} {tau.value:z.3f}, {agreement.swapped} of {agreement.pairs} pairs swapped",
        same_scale=bool(agreement.measure),
        name_most=[system for system, _, _ in agreement.moves(8)],
    )
