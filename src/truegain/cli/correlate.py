"""The command `truegain correlate`: whether two sets of judgments, or measures, order the systems alike."""

from __future__ import annotations

from typing import Annotated

import typer

from truegain.cli.options import (
    PROPORTION,
    Confidence,
    Figure,
    Inputs,
    Judgments,
    Output,
    OutputFormat,
    Seed,
    advanced,
    fields_of,
    takes,
)
from truegain.cli.output import table_format_of
from truegain.cli.study_files import lack_of
from truegain.config import Resampling, Scoring
from truegain.errors import TruegainError
from truegain.io.files import STANDARD_INPUT, write_bytes
from truegain.measures.parse import parse_measures
from truegain.message import option
from truegain.report.charts import check_ending
from truegain.stats.correlate import (
    Between,
    Correlation,
    Show,
    check_measures,
    check_show,
    correlate,
    names_of,
    scored_by_both,
)
from truegain.stats.rank_correlation import RankOptions, TauMethod

PEOPLE = ("table", "markdown", "latex", "html")


@takes(scoring=Scoring, inputs=Inputs)
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
        list[str] | None,
        typer.Option("-m", "--measure", help="Measure (default: nDCG@10). Repeatable."),
    ] = None,
    between: Annotated[
        Between, typer.Option("--between", help="What to compare: judgments, measures, or halves of the topics.")
    ] = "judgments",
    method: Annotated[
        TauMethod,
        advanced("--method", help="Interval of tau: wilson (stays within -1 and 1), or a published method."),
    ] = "wilson",
    confidence: Confidence = 0.95,
    top: Annotated[int, advanced("--top", help="Number of best systems to compare.")] = 10,
    rbo_p: Annotated[float, advanced("--rbo-p", click_type=PROPORTION, help="Persistence of RBO.")] = 0.9,
    moves: Annotated[int, advanced("--moves", min=0, help="Number of systems to list that change rank most.")] = 5,
    resamples: Annotated[
        int | None,
        advanced("--resamples", min=1, help="Bootstrap resamples (default: 2000), or splits into halves (100)."),
    ] = None,
    seed: Seed = 0,
    show: Annotated[
        Show | None,
        typer.Option("--show", help="Table to print (default: all)."),
    ] = None,
    figure: Figure = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    scoring: Scoring,
    inputs: Inputs,
) -> None:
    """Measure whether two sets of judgments, two measures or two halves of the topics rank systems alike.

    Prints rank correlations with their confidence intervals, and which systems change rank.

    Examples:
        truegain correlate demo/gold.qrels demo/llm.qrels demo/runs -m nDCG@10
        truegain correlate demo/gold.qrels demo/runs --between measures -m AP -m P@10

    """
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
        raise lack_of("runs")
    if against == judgments == STANDARD_INPUT:
        raise TruegainError("standard input cannot be both sets of judgments; name a file for one")
    if figure is not None:
        check_ending(figure)
        _check_one(between, measure or ["nDCG@10"])
    check_show(between, show)  # now, not when the work is done
    asked = measure or ["nDCG@10"]
    resampling = Resampling(resamples, seed, inputs.jobs)
    check_measures(between, asked, resampling)
    RankOptions(method, confidence, top, rbo_p, resamples or 2000)
    scores, other = scored_by_both(
        inputs.files(runs), judgments, against, asked, scoring=scoring, **fields_of(inputs, leave_out=("name_by",))
    )
    found = correlate(
        scores,
        against=other,
        between=between,
        names=None if against is None else names_of(judgments, against),
        method=method,
        confidence=confidence,
        top=top,
        rbo_p=rbo_p,
        resampling=resampling,
    ).showing(show, moves)
    if figure is not None:
        _draw(found, figure)
    chosen = table_format_of(output_format, output)
    tables = found.tables() if chosen in PEOPLE else [found.table()]
    write_bytes(output, b"\n".join(table.render(chosen) for table in tables))


def _check_one(between: Between, measures: list[str]) -> None:
    """Refuse a figure of several agreements, or of halves."""
    asked = len({str(a.measure) for a in parse_measures(measures)})
    count = {"judgments": asked, "measures": asked * (asked - 1) // 2, "halves": 0}[between]
    if count != 1:
        raise TruegainError(
            f"{option('--figure')} draws one agreement, and there are {count}; give one measure and two sets of "
            f"judgments, or two measures with {option('--between')} measures"
        )


def _draw(found: Correlation, figure: str) -> None:
    from truegain.report.charts import save
    from truegain.report.figures import scatter_chart

    one = found.agreements[0]
    names = tuple(f"{one.measure} by {n}" if one.measure else n for n in (one.a, one.b))
    title = f"{one.tau.measure} {one.tau.value:.3f}, {one.swapped} of {one.pairs} pairs swapped"
    chart = scatter_chart(
        one.systems, one.scores_a, one.scores_b, names=(names[0], names[1]), title=title,
        same_scale=bool(one.measure), name_most=[s for s, _, _ in one.moves(8)],
    )  # fmt: skip
    save(chart, figure)
