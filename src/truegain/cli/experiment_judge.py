"""The command `truegain experiment judge`: a cheap judge's errors, by the formulas of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from truegain.cli.gold_options import Labeling
from truegain.cli.options import (
    PROPORTION,
    Confidence,
    RelevantFrom,
    SeedAndJobs,
    advanced,
    changed,
    option_for,
    study_or_judgments,
    takes,
)
from truegain.cli.output import FigureOutput, in_commands
from truegain.cli.streams import tell
from truegain.cli.study_files import is_of_file
from truegain.config import Gold as GoldConfig
from truegain.data.runs import RunPaths
from truegain.errors import TruegainError
from truegain.message import option
from truegain.results.base import Table

if TYPE_CHECKING:
    from truegain.experiments.judge_errors import JudgeSimulation

Show = Literal["all", "confusion", "accuracy", "corrected", "differences", "power", "simulation", "agreement", "dcg"]
OF_RUNS = ("confusion", "accuracy", "corrected", "differences", "power", "simulation", "dcg")


@dataclass(frozen=True, kw_only=True)
class JudgeFormulas(SeedAndJobs):
    """What the paper's formulas are asked."""

    accuracy: Annotated[
        Literal["system", "lists", "given", "assessor"] | None,
        advanced(
            "--accuracy",
            help="Gold pairs that measure the judge: all (given; default), those each system retrieved (system), or "
            "those any system retrieved (lists).",
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
            help="Shares of the allowed variance for topics, relevant and other gold pairs (default: a third each).",
        ),
    ] = None
    resamples: Annotated[
        int, advanced("--resamples", min=100, help="Draws of the bootstrap and of the simulation.")
    ] = 10_000

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


@takes(formulas=JudgeFormulas, labeling=Labeling, printing=FigureOutput)
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
    show: Annotated[Show, typer.Option("--show", help="Table to print; CSV, JSON and the like hold one.")] = "all",
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="Precision at a cutoff; for --show dcg DCG at one.")
    ] = "P@10",
    relevant_from: RelevantFrom = None,
    *,
    formulas: JudgeFormulas,
    labeling: Labeling,
    printing: FigureOutput,
) -> None:
    """Apply the published formulas for noisy judgments: corrected scores, power, simulation (Goldberg et al. 2018).

    Without judgments, the tables and figures are those of the paper, from its own counts.

    Examples:
        truegain experiment judge --show differences
        truegain experiment judge demo/llm.qrels demo/runs --gold demo/gold_sample.qrels --design random --show power

    """
    if judgments is None:
        of_data = changed(labeling) | ({"accuracy": "--accuracy"} if formulas.accuracy is not None else {})
        names = [*(["--gold"] if gold is not None else []), *of_data.values()]
        if names:
            raise TruegainError(
                f"{', '.join(map(option, names))}: this is about your data, and the paper's own counts are shown; give "
                "the labels of the cheap judge first, then the runs"
            )
        tables = _published(formulas)
    elif show == "dcg":
        tables = _dcg(judgments, runs or [], gold, measure, relevant_from, formulas, labeling)
    else:
        tables = _measured(judgments, runs or [], gold, measure, relevant_from, formulas, labeling)
    if show != "all" and show not in tables.tables:
        raise TruegainError(tables.lacking(show))
    if printing.figure is not None and not (show in ("all", "simulation") and "simulation" in tables.tables):
        raise TruegainError(
            f"{option('--show')} {show} is a table and has no figure; {option('--show')} simulation has figure 2"
        )
    if show == "all" and printing.format == "table":
        printing.write_texts([in_commands(make()) for make in tables.tables.values()])
    else:
        printing.write(tables.tables[next(iter(tables.tables)) if show == "all" else show]())
    printing.draw(tables.figure)


@dataclass(frozen=True)
class _Tables:
    """The tables there are, made when they are asked for."""

    tables: dict[str, Callable[[], Table]]
    figure: Callable[[], object]

    def lacking(self, show: str) -> str:
        """What must be given for a table."""
        if show in ("differences", "power") and self.tables.keys() & OF_RUNS:
            return f"{option('--show')} {show} compares systems: give two runs or more"
        if show in OF_RUNS:
            return f"{option('--show')} {show} needs runs and gold labels: give runs, and {option('--gold')}"
        return f"{option('--show')} {show} needs ratings by several assessors: give a file with a column assessor"


def _published(formulas: JudgeFormulas) -> _Tables:
    """The paper's own tables."""
    from truegain.experiments import judge_labels as of_labels
    from truegain.experiments import judge_tables as paper
    from truegain.report.judge_figures import simulation_chart

    worlds = cache(lambda: paper.simulations(trials=formulas.resamples, seed=formulas.seed))
    tables: dict[str, Callable[[], Table]] = {
        "corrected": lambda: paper.corrected_table(
            confidence=formulas.confidence, trials=formulas.resamples, seed=formulas.seed
        ),
        "differences": lambda: paper.difference_table(confidence=formulas.confidence),
        "confusion": paper.confusion_table,
        "accuracy": paper.accuracy_table,
        "power": lambda: paper.sizes_table(p=formulas.alpha, power=formulas.power, shares=formulas.three_shares()),
        "simulation": lambda: paper.simulation_table(worlds(), confidence=formulas.confidence),
        "agreement": of_labels.agreement_table,
        "dcg": of_labels.example_table,
    }
    return _Tables(tables, lambda: simulation_chart(worlds()))


def _measured(
    judgments: str,
    runs: list[str],
    gold: str | None,
    measure: str,
    relevant_from: float | None,
    formulas: JudgeFormulas,
    labeling: Labeling,
) -> _Tables:
    """The same tables of the user's data, as far as these allow them."""
    from truegain.experiments import judge_labels as of_labels
    from truegain.experiments import judge_tables as paper
    from truegain.judge_error.judges import bronze_of, is_ratings
    from truegain.report.judge_figures import simulation_chart

    if formulas.accuracy == "assessor":
        raise TruegainError(
            f"{option('--accuracy')} assessor: the formulas are for one judge; `truegain correct` corrects by assessor"
        )
    bronze = labeling.bronze(judgments)
    tables: dict[str, Callable[[], Table]] = {}
    if bool(runs) != (gold is not None):
        raise _one_missing(gold)
    worlds: Callable[[], dict[str, JudgeSimulation]] = dict
    if gold is not None:
        trusted, design = labeling.trusted(gold)
        labels, _ = bronze_of(bronze, labeling.aggregate)
        study = paper.judge_study(
            RunPaths.of(runs),
            labels,
            GoldConfig(trusted, design, labeling.gold_relevant_from),
            _precision(measure) if is_of_file("measure") else measure,
            relevant_from=relevant_from,
            accuracy=formulas.accuracy or "given",
            scale=labeling.labels,
            unmatched=labeling.unmatched,
            jobs=formulas.jobs,
        )
        studies = (study,)
        worlds = cache(lambda: paper.simulations(study, trials=formulas.resamples, seed=formulas.seed))
        tables = {
            "corrected": lambda: paper.corrected_table(
                studies, confidence=formulas.confidence, trials=formulas.resamples, seed=formulas.seed
            ),
            "differences": lambda: paper.difference_table(studies, confidence=formulas.confidence),
            "confusion": lambda: paper.confusion_table(studies),
            "accuracy": lambda: paper.accuracy_table(studies),
            "power": lambda: paper.sizes_table(
                studies, p=formulas.alpha, power=formulas.power, shares=formulas.three_shares()
            ),
            "simulation": lambda: paper.simulation_table(worlds(), confidence=formulas.confidence),
        }
        if len(study.means) < 2:
            del tables["differences"], tables["power"]
    if is_ratings(bronze):
        tables["agreement"] = lambda: of_labels.agreement_table(bronze, relevant_from=relevant_from or 1)
    if not tables:
        raise TruegainError(
            f"nothing to show: give runs and {option('--gold')}, or ratings by several assessors (a column assessor)"
        )
    return _Tables(tables, lambda: simulation_chart(worlds()))


def _one_missing(gold: str | None) -> TruegainError:
    lacking = "the runs" if gold is not None else option("--gold")
    return TruegainError(f"{lacking} missing: corrected scores need runs and gold labels; give both")


def _dcg(
    judgments: str,
    runs: list[str],
    gold: str | None,
    measure: str,
    relevant_from: float | None,
    formulas: JudgeFormulas,
    labeling: Labeling,
) -> _Tables:
    """Corrected DCG of the user's data; precision at a cutoff stands for DCG at that cutoff."""
    from truegain.config import Ratings, Scoring
    from truegain.experiments.judge_labels import dcg_table
    from truegain.judge_error.judges import bronze_of
    from truegain.measures.parse import parse_measure
    from truegain.measures.precision import P

    if gold is None or not runs:
        raise _one_missing(gold)
    parsed = parse_measure(measure)
    labels, _ = bronze_of(labeling.bronze(judgments), labeling.aggregate)
    trusted, design = labeling.trusted(gold)
    table = dcg_table(
        RunPaths.of(runs),
        labels,
        GoldConfig(trusted, design, labeling.gold_relevant_from),
        f"DCG@{parsed.cutoff}" if isinstance(parsed, P) else measure,
        trials=formulas.resamples,
        seed=formulas.seed,
        accuracy=formulas.accuracy or "given",
        unmatched=labeling.unmatched,
        ratings=Ratings(scale=labeling.scale if labeling.aggregate is None else None),
        scoring=Scoring(relevant_from),
    )
    return _Tables({"dcg": lambda: table}, lambda: None)


def _precision(measure: str) -> str:
    """A study's measure; where it is no precision, the precision at its cutoff."""
    from truegain.measures.parse import parse_measure
    from truegain.measures.precision import P

    parsed = parse_measure(measure)
    cutoff = getattr(parsed, "cutoff", None)
    if isinstance(parsed, P) or cutoff is None:
        return measure
    tell(f"the formulas are for precision: `experiment judge` uses P@{cutoff}, not {parsed}; choose with -m", "note")
    return f"P@{cutoff}"
