"""The command `truegain judges`: how good a cheap judge is, where, and whether the data fit together."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from truegain.cli.bundles import takes
from truegain.cli.gold import Gold, Labelling
from truegain.cli.options import Jobs, Judgments, Level, NameBy, Output, OutputFormat, Seed
from truegain.cli.output import write_table
from truegain.cli.streams import tell
from truegain.cli.study_said import is_of_file
from truegain.errors import TruegainError
from truegain.message import option
from truegain.tables.judgments import Judgments as LabelTable
from truegain.tables.sources import expand


@takes(labelling=Labelling)
def judges_command(
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
    level: Level = None,
    replicates: Annotated[
        int, typer.Option("--replicates", "--trials", min=100, help="Permutations of the test over systems.")
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
    from truegain.inference.judges.assessors import bronze_of
    from truegain.inference.judges.judges import judges
    from truegain.inference.study.trusted import listed_in
    from truegain.measures.evaluate import at_level
    from truegain.measures.parse import parse_measure
    from truegain.report.facts.judge import judges_by_list

    if show == "assessors" and labelling.rule is not None:
        raise TruegainError(
            f"{option('--rule')} makes one judge of all assessors, {option('--show')} assessors keeps them apart; give "
            "one"
        )
    measure = _weighing(measure) if runs and is_of_file("measure") else measure
    files = expand(runs) if runs else None
    bronze, (trusted, design, listed) = labelling.bronze(judgments), listed_in(gold, labelling.design)
    if listed is not None and listed.design == "ordered":
        one = at_level(parse_measure(measure), level)
        if show in ("topics", "assessors"):
            raise TruegainError(
                f"{option('--show')} {show}: labels drawn for differences tell it by label or system; give these"
            )
        if show == "systems" and files is None:
            raise TruegainError("accuracy by system needs the runs; give them after the gold labels")
        bronze = bronze_of(bronze, labelling.rule)[0]
        found = judges_by_list(listed, bronze, files, one, show, labelling.gold_level, replicates, seed, name_by, jobs)
        write_table(found, output_format, output)
        return
    found = judges(
        bronze, gold=labelling.held(LabelTable.of(trusted)), runs=files, measure=measure, level=level, design=design,
        show=show, rule=labelling.rule, scale=labelling.labels, gold_level=labelling.gold_level,
        missing=labelling.unmatched, replicates=replicates, seed=seed, name_by=name_by, jobs=jobs,
    )  # fmt: skip
    write_table(found, output_format, output)


def _weighing(measure: str) -> str:
    """A study's measure; where its ranks have no weights of their own, the precision at its cutoff."""
    from truegain.measures.parse import parse_measure

    one = parse_measure(measure)
    cutoff = getattr(one, "cutoff", None)
    if one.linear_in_gains or cutoff is None:
        return measure
    tell(f"{one} has no weights of ranks, by which documents count: judges takes P@{cutoff}; -m names another", "note")
    return f"P@{cutoff}"
