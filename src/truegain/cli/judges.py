"""The commands `truegain judge ...`: how good a cheap judge is, where, and whether the data fit together."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from truegain import config
from truegain.cli.label_options import Gold, Labelling
from truegain.cli.options import Jobs, Judgments, NameBy, Output, OutputFormat, RelevantFrom, Seed, takes
from truegain.cli.output import write_table
from truegain.cli.streams import tell
from truegain.cli.study_files import is_of_file
from truegain.config import Gold as GoldConfig
from truegain.data.judgments import Judgments as LabelTable
from truegain.data.runs import RunPaths
from truegain.errors import TruegainError
from truegain.message import option

judge = typer.Typer(name="judge", help="How good a judge is, such as an LLM or a crowd.", no_args_is_help=True)


@judge.callback()
def judge_root() -> None:
    """How good a judge is, such as an LLM or a crowd."""


@judge.command("check")
@takes(labelling=Labelling)
def check_command(
    judgments: Judgments,
    gold: Gold,
    runs: Annotated[
        list[str] | None, typer.Argument(help="Runs, to see whether the judge favours some.", metavar="[RUN...]")
    ] = None,
    show: Annotated[
        Literal["labels", "topics", "systems", "assessors"] | None,
        typer.Option(
            "--show",
            help="Accuracy by gold label, topic, system or assessor (default: what the data allow, the last first).",
        ),
    ] = None,
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="Which documents of the runs count, and what is relevant.")
    ] = "P@10",
    relevant_from: RelevantFrom = None,
    replicates: Annotated[
        int, typer.Option("--resamples", min=100, help="Permutations of the test over systems.")
    ] = 2000,
    seed: Seed = 0,
    name_by: NameBy = "file",
    jobs: Jobs = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    labelling: Labelling,
) -> None:
    """Tell how good the judge is, where, whether the data fit together, and whether it favours some systems."""
    from truegain.judge_error.judges import bronze_of, judge_quality
    from truegain.measures.parse import parse_measure
    from truegain.measures.scoring import at_level
    from truegain.report.gather import judges_by_list
    from truegain.study.gold import listed_in

    if show == "assessors" and labelling.aggregate is not None:
        raise TruegainError(
            f"{option('--aggregate')} makes one judge of all assessors, {option('--show')} assessors keeps them apart; "
            "give one"
        )
    measure = _weighing(measure) if runs and is_of_file("measure") else measure
    files = RunPaths.of(runs, name_by) if runs else None
    bronze, (trusted, design, listed) = labelling.bronze(judgments), listed_in(GoldConfig(gold, labelling.design))
    if listed is not None and listed.design == "ordered":
        one = at_level(parse_measure(measure), relevant_from)
        if show in ("topics", "assessors"):
            raise TruegainError(
                f"{option('--show')} {show}: labels drawn for differences tell it by label or system; give these"
            )
        if show == "systems" and files is None:
            raise TruegainError("accuracy by system needs the runs; give them after the gold labels")
        bronze = bronze_of(bronze, labelling.aggregate)[0]
        found = judges_by_list(listed, bronze, files, one, show, labelling.gold_relevant_from, replicates, seed, jobs)
        write_table(found, output_format, output)
        return
    found = judge_quality(
        bronze,
        gold=config.Gold(labelling.held(LabelTable.of(trusted)), design, labelling.gold_relevant_from),
        runs=files,
        measure=measure,
        scoring=config.Scoring(relevant_from),
        show=show,
        aggregate=labelling.aggregate,
        scale=labelling.labels,
        missing=labelling.unmatched,
        resampling=config.Resampling(replicates, seed, jobs),
    )
    write_table(found, output_format, output)


def _weighing(measure: str) -> str:
    """A study's measure; where its ranks have no weights of their own, the precision at its cutoff."""
    from truegain.measures.parse import parse_measure

    one = parse_measure(measure)
    cutoff = getattr(one, "cutoff", None)
    if one.linear_in_gains or cutoff is None:
        return measure
    tell(
        f"{one} has no weights of ranks, by which documents count: `judge check` takes P@{cutoff}; -m names another",
        "note",
    )
    return f"P@{cutoff}"
