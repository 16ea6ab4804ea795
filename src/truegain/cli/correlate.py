"""The command `truegain correlate`: whether two sets of judgments, or measures, order the systems alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from truegain.cli.options import (
    PROPORTION,
    TABLES,
    AnswerOptions,
    Confidence,
    EmptyTopics,
    Inputs,
    JudgmentsOrAnswers,
    LessIsBetter,
    Seed,
    advanced,
    changed,
    refuse_for_answers,
    refuse_preferences,
    refuse_typed,
    refuse_unnamed_score,
    with_options,
)
from truegain.cli.output import FigureOutput
from truegain.cli.study_files import is_from_study_file, not_named
from truegain.config import Resampling, Scoring
from truegain.data.items import Items
from truegain.errors import TruegainError
from truegain.io.files import STANDARD_INPUT, expand, write_bytes
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
from truegain.study.item_inputs import measures_of

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


@dataclass(frozen=True, kw_only=True)
class RankedBy:
    """What systems are ordered by beside judgments: scores of answers, and whose values these are held against."""

    score: Annotated[
        list[str] | None,
        typer.Option(
            "--score",
            help="Score of answers in logs of evaluation tools or tables, such as faithfulness. Repeatable; several "
            "are compared with each other.",
        ),
    ] = None
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            help="Values of the same answers by people or another judge: a file (repeatable), or assessor:NAME in the "
            "same table. Of runs, the second set of judgments.",
        ),
    ] = None
    less_is_better: LessIsBetter = False
    empty: EmptyTopics = "skip"

    def items(self, files: list[str]) -> Items | None:
        """Values of answers, where files are logs of evaluation tools, or a score of theirs is named; else None."""
        if self.less_is_better and len(self.score or ()) > 1:
            raise TruegainError(f"{option('--less-is-better')} is of one score, and several are named; leave it out")
        name = self.score[0] if self.score else None
        return AnswerOptions(score=name, less_is_better=self.less_is_better).items(files)

    def of_answers(self, items: Items, measures: list[str] | None) -> Any:
        """The scores by their names, or measures of nuggets; others are refused."""
        if not items.are_nuggets and is_from_study_file("measure"):  # of runs, for other commands
            measures = None
        several = measures_of(items, None if self.score is None else self.score[0], measures, self.empty)
        return several if self.score is None else self.score

    def second(self) -> Any:
        """The values of a second judge, as Python takes them."""
        return self.against[0] if self.against is not None and len(self.against) == 1 else self.against


@with_options(answers=RankedBy, ranks=RankCorrelation, scoring=Scoring, inputs=Inputs, printing=CorrelationOutput)
def correlate_command(
    context: typer.Context,
    judgments: JudgmentsOrAnswers,
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
        typer.Option("-m", "--measure", help="Measure (default: nDCG@10). Repeatable, or with commas."),
    ] = None,
    between: Annotated[
        Between | None,
        typer.Option(
            "--between",
            help="What to compare: judgments (default), measures (of answers, their scores; default for several "
            "--score), or halves of the topics.",
        ),
    ] = None,
    resamples: Annotated[
        int | None,
        advanced("--resamples", min=1, help="Bootstrap resamples (default: 2000), or splits into halves (100)."),
    ] = None,
    seed: Seed = 0,
    *,
    answers: RankedBy,
    ranks: RankCorrelation,
    scoring: Scoring,
    inputs: Inputs,
    printing: CorrelationOutput,
) -> None:
    """Measure whether two sets of judgments, two measures or two halves of the topics rank systems alike.

    Prints rank correlations with their confidence intervals, which systems change rank, and whether both sets of
    judgments find the same pairs of systems significantly different. Of answers, it compares two of their scores, or
    the values of two judges (--against).

    Examples:
        truegain correlate demo/gold.qrels demo/llm.qrels demo/runs -m nDCG@10
        truegain correlate demo/gold.qrels demo/runs --between measures -m AP -m P@10

    """
    items = answers.items([judgments, *expand(files)])
    resampling = Resampling(resamples, seed, inputs.jobs)
    if items is not None:
        refuse_for_answers(changed(scoring, inputs, leave_out=("jobs",)))
        correlation = correlate(
            items, None, answers.of_answers(items, measure), against=answers.second(), between=between,
            resampling=resampling, **vars(ranks),
        ).showing(printing.show, printing.moves)  # fmt: skip
        _write(correlation, printing, same_scale=False)
        return
    refuse_unnamed_score(context, judgments)
    if judgments.endswith(TABLES):
        refuse_preferences("correlate", judgments)
    between = between or "judgments"
    against = _second_judgments(answers)
    if between == "judgments" and against is None and files:
        against, files = files[0], files[1:]
    runs = files
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
    _write(correlation, printing)


def _second_judgments(answers: RankedBy) -> str | None:
    """The second set of judgments, where runs are given; what is about answers is refused."""
    refuse_typed(
        "applies to scores of answers; leave it out",
        {} if answers.empty == "skip" else {"empty": "--empty"},
    )
    if answers.against is not None and len(answers.against) > 1:
        raise TruegainError(f"{option('--against')}: there is one second set of judgments; give one file")
    return None if answers.against is None else answers.against[0]


def _write(correlation: Correlation, printing: CorrelationOutput, *, same_scale: bool = True) -> None:
    """The tables and the figure; same_scale: whether both sets of judgments have the same labels."""
    if printing.figure is not None and len(correlation.agreements) != 1:
        raise _not_one(len(correlation.agreements))
    printing.draw(lambda: _chart(correlation, same_scale))
    tables = correlation.tables() if printing.format in PEOPLE else [correlation.table()]
    write_bytes(printing.output, b"\n".join(table.render(printing.format) for table in tables))


def _check_one(between: Between, measures: list[str]) -> None:
    """Refuse a figure of several agreements, or of halves."""
    n = len({str(a.measure) for a in parse_measures(measures)})
    count = {"judgments": n, "measures": n * (n - 1) // 2, "halves": 0}[between]
    if count != 1:
        raise _not_one(count)


def _not_one(count: int) -> TruegainError:
    return TruegainError(
        f"{option('--figure')} draws one agreement, and there are {count}; give one measure and two sets of judgments, "
        f"or two measures with {option('--between')} measures"
    )


def _chart(correlation: Correlation, same_scale: bool) -> Any:
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
        same_scale=same_scale and bool(agreement.measure),
        name_most=[system for system, _, _ in agreement.moves(8)],
    )
