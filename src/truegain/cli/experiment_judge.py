"""The command `truegain experiment judge`: a cheap judge's errors, by the formulas of the paper."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.cli.gold_options import Labeling
from truegain.cli.options import (
    PROPORTION,
    Confidence,
    NameBy,
    RelevantFrom,
    SeedAndJobs,
    advanced,
    changed,
    option_for,
    study_or_judgments,
    with_options,
)
from truegain.cli.output import FigureOutput, in_commands
from truegain.cli.paper_output import WholePaper, as_typed, folder_for, tell_idle, write_paper
from truegain.cli.streams import tell
from truegain.cli.study_files import is_from_study_file
from truegain.config import Gold as GoldConfig
from truegain.data.runs import RunPaths
from truegain.errors import TruegainError
from truegain.io.files import shown_path
from truegain.message import option
from truegain.results.base import Table

if TYPE_CHECKING:
    from truegain.report.judge_paper import JudgePaper

Show = Literal["all", "confusion", "accuracy", "corrected", "differences", "power", "simulation", "agreement", "dcg"]

OF_SIZES = ("power", "all")
HEEDED = {  # by which --show; others by each
    "alpha": OF_SIZES, "power": OF_SIZES, "shares": OF_SIZES, "resamples": ("corrected", "simulation", "dcg", "all"),
    "confidence": ("corrected", "differences", "simulation", "all"),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class JudgeFormulas(SeedAndJobs):
    """What the paper's formulas are asked."""

    accuracy: Annotated[
        Literal["system", "lists", "given", "assessor"] | None,
        advanced(
            "--accuracy",
            help="Gold pairs that estimate the judge's error rates: all (given, the default), those that each system "
            "retrieved (system), or those that any system retrieved (lists). assessor works in `truegain "
            "correct` only.",
        ),
    ] = None
    confidence: Confidence = 0.95
    alpha: Annotated[
        float, typer.Option("--alpha", click_type=PROPORTION, help="Significance level, for --show power.")
    ] = 0.05
    power: Annotated[
        float, typer.Option("--power", click_type=PROPORTION, help="Power, for --show power (the paper's is 0.5).")
    ] = 0.5
    shares: Annotated[
        str | None,
        advanced(
            "--shares",
            help="Shares of the allowed variance for topics, relevant and other gold pairs, for --show power "
            "(default: a third each).",
        ),
    ] = None
    resamples: Annotated[
        int, advanced("--resamples", min=100, help="Draws of the bootstrap and of the simulation.")
    ] = 10_000
    name_by: NameBy = "file"

    @property
    def measured_on(self) -> Literal["system", "lists", "given"]:
        """The gold pairs that measure the judge; the formulas have one."""
        if self.accuracy == "assessor":
            raise TruegainError(
                f"{option('--accuracy')} assessor: the formulas are for one judge; `truegain correct` corrects by "
                "assessor"
            )
        return self.accuracy or "given"

    def table_options(self) -> dict[str, Any]:
        """What the tables of the paper are told."""
        names = ("confidence", "alpha", "power", "seed")
        options = {name: getattr(self, name) for name in names}
        return {**options, "shares": self.three_shares(), "trials": self.resamples}

    def three_shares(self) -> tuple[float, float, float]:
        """The shares as numbers."""
        if self.shares is None:
            return 1 / 3, 1 / 3, 1 / 3
        try:
            f1, f2, f3 = map(float, self.shares.split(","))
        except ValueError:
            raise TruegainError(
                f"{option('--shares')} {self.shares}: give three numbers that add up to 1, such as 0.6,0.3,0.1"
            ) from None
        return f1, f2, f3


@with_options(formulas=JudgeFormulas, labeling=Labeling, printing=FigureOutput)
def judge_command(
    judgments: Annotated[
        str | None,
        typer.Argument(
            help="Labels of the cheap judge, or ratings by several (default: the paper's own counts). Or study.toml.",
            metavar="[JUDGMENTS]",
            is_eager=True,
            callback=study_or_judgments,
        ),
    ] = None,
    runs: Annotated[list[str] | None, typer.Argument(help="Runs: files, folders or globs.", metavar="[RUN...]")] = None,
    gold: Annotated[str | None, option_for(GoldConfig, "labels")] = None,
    show: Annotated[
        Show, typer.Option("--show", help="Table to print; CSV, JSON and similar formats contain one.")
    ] = "all",
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="Precision at a cutoff; for --show dcg DCG at one.")
    ] = "P@10",
    relevant_from: RelevantFrom = None,
    whole: WholePaper = False,
    *,
    formulas: JudgeFormulas,
    labeling: Labeling,
    printing: FigureOutput,
) -> None:
    """Apply the published formulas for noisy judgments: corrected scores, power, simulation (Goldberg et al. 2018).

    Without judgments, reproduces the tables and figures of the paper from the counts that it prints.

    Examples:
        truegain experiment judge --show differences
        truegain experiment judge demo/llm.qrels demo/runs --gold demo/gold_sample.qrels --design random --show power

    """
    from truegain.report.judge_paper import JudgePaper

    folder = folder_for(whole, show, printing)
    tell_idle(show, HEEDED, formulas)
    if judgments is None:
        of_data = changed(labeling) | {
            name: typed for name, typed in changed(formulas).items() if name in ("accuracy", "name_by")
        }
        options = {
            "--gold": gold,
            "--measure": measure if measure != "P@10" else None,
            "--relevant-from": relevant_from,
        }
        names = [*(name for name, value in options.items() if value is not None), *of_data.values()]
        if names:
            raise TruegainError(
                f"{', '.join(map(option, names))}: this is about your data, and the paper's own counts are shown; give "
                "the labels of the cheap judge first, then the runs"
            )
        paper = JudgePaper.of(**formulas.table_options())
    elif show == "dcg":
        paper = JudgePaper(_dcg(judgments, runs or [], gold, measure, relevant_from, formulas, labeling))
    else:
        of_systems = runs if gold is not None or show != "agreement" else []  # ratings agree, whatever was retrieved
        paper = _measured(judgments, of_systems or [], gold, measure, relevant_from, formulas, labeling)
    if folder is not None:
        if judgments is not None and gold is not None:
            dcg = _dcg(judgments, runs or [], gold, measure, relevant_from, formulas, labeling)
            paper = replace(paper, tables={**paper.tables, **dcg})
        typed = [shown_path(name) for name in (judgments, *(runs or ())) if name is not None]
        typed += ["--gold", shown_path(gold)] if gold is not None else []
        typed += ["--measure", measure] if measure != "P@10" else []
        typed += ["--relevant-from", f"{relevant_from:g}"] if relevant_from is not None else []
        _write_all(folder, paper, [*typed, *as_typed(formulas), *as_typed(labeling)], is_own=judgments is not None)
        return
    if show != "all" and show not in paper.tables:
        raise TruegainError(f"{option('--show')} {show} {paper.lacking(show)}")
    if printing.figure is not None and not (show in ("all", "simulation") and "simulation" in paper.tables):
        raise TruegainError(
            f"{option('--show')} {show} is a table and has no figure; {option('--show')} simulation has figure 2"
        )
    if show == "all" and printing.format == "table":
        printing.write_texts([in_commands(make()) for make in paper.tables.values()])
    else:
        printing.write(paper.tables[next(iter(paper.tables)) if show == "all" else show]())
    printing.draw(paper.figure)


def _write_all(folder: str, paper: JudgePaper, typed: Sequence[str], is_own: bool) -> None:
    """Every table and figure of the paper into a folder, and its page; `typed` are files and options for each."""
    about = [
        "D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, Further insights on drawing sound conclusions from noisy "
        "judgments, ACM Transactions on Information Systems 36(4), 2018: its tables and figures, of "
        + ("the judgments named in the commands below." if is_own else "the counts that the paper prints.")
    ]
    command = shlex.join(["truegain", "experiment", "judge", *typed])
    title = "Noisy judgments: tables and figures" + ("" if is_own else ", from the counts of the paper")
    write_paper(folder, title, paper.exhibits(command), about)


def _measured(
    judgments: str,
    runs: list[str],
    gold: str | None,
    measure: str,
    relevant_from: float | None,
    formulas: JudgeFormulas,
    labeling: Labeling,
) -> JudgePaper:
    """The tables of the user's data, as far as these allow them."""
    from truegain.experiments.judge_tables import judge_study
    from truegain.judge_error.judge_quality import bronze_of, is_ratings
    from truegain.report.judge_paper import JudgePaper

    bronze = labeling.bronze(judgments)
    if bool(runs) != (gold is not None):
        raise _one_missing(gold)
    study = None
    if gold is not None:
        trusted, design = labeling.trusted(gold)
        labels, _ = bronze_of(bronze, labeling.aggregate)
        study = judge_study(
            RunPaths.of(runs, formulas.name_by),
            labels,
            GoldConfig(trusted, design, labeling.gold_relevant_from),
            _precision(measure) if is_from_study_file("measure") else measure,
            relevant_from=relevant_from,
            accuracy=formulas.measured_on,
            scale=labeling.labels,
            unmatched=labeling.unmatched,
            jobs=formulas.jobs,
        )
    ratings = bronze if is_ratings(bronze) else None
    if study is None and ratings is None:
        raise TruegainError(
            f"nothing to show: give runs and {option('--gold')}, or ratings by several assessors (a column assessor)"
        )
    level = 1 if relevant_from is None else relevant_from
    return JudgePaper.of(study, ratings, relevant_from=level, **formulas.table_options())


def _one_missing(gold: str | None) -> TruegainError:
    lacking = "no runs are given" if gold is not None else f"{option('--gold')} is not given"
    return TruegainError(f"{lacking}: corrected scores need runs and gold labels; ratings alone show their agreement")


def _dcg(
    judgments: str,
    runs: list[str],
    gold: str | None,
    measure: str,
    relevant_from: float | None,
    formulas: JudgeFormulas,
    labeling: Labeling,
) -> dict[str, Callable[[], Table]]:
    """Corrected DCG of the user's data; precision at a cutoff stands for DCG at that cutoff."""
    from truegain.config import Ratings, Scoring
    from truegain.experiments.judge_labels import dcg_table
    from truegain.judge_error.judge_quality import bronze_of
    from truegain.measures.catalogue import parse_measure
    from truegain.measures.precision import P

    if gold is None or not runs:
        raise _one_missing(gold)
    parsed = parse_measure(measure)
    labels, _ = bronze_of(labeling.bronze(judgments), labeling.aggregate)
    trusted, design = labeling.trusted(gold)
    make = partial(
        dcg_table,
        RunPaths.of(runs, formulas.name_by),
        labels,
        GoldConfig(trusted, design, labeling.gold_relevant_from),
        f"DCG@{parsed.cutoff}" if isinstance(parsed, P) else measure,
        trials=formulas.resamples,
        seed=formulas.seed,
        accuracy=formulas.measured_on,
        unmatched=labeling.unmatched,
        ratings=Ratings(scale=labeling.scale if labeling.aggregate is None else None),
        scoring=Scoring(relevant_from),
    )
    return {"dcg": make}


def _precision(measure: str) -> str:
    """A study's measure; where it is no precision, the precision at its cutoff."""
    from truegain.measures.catalogue import parse_measure
    from truegain.measures.precision import P

    parsed = parse_measure(measure)
    cutoff = getattr(parsed, "cutoff", None)
    if isinstance(parsed, P) or cutoff is None:
        return measure
    tell(f"the formulas are for precision: `experiment judge` uses P@{cutoff}, not {parsed}; choose with -m", "note")
    return f"P@{cutoff}"
