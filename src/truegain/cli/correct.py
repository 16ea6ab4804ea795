"""The command `truegain correct`: what the scores would be without the judge's errors."""

from __future__ import annotations

from typing import Annotated

import typer

from truegain.cli.bundles import takes
from truegain.cli.gold import Correcting, Gold, Labelling
from truegain.cli.options import Confidence, Jobs, Judgments, Level, NameBy, Output, OutputFormat, RunFiles, Seed
from truegain.cli.output import write_table
from truegain.tables.sources import expand


@takes(labelling=Labelling, correcting=Correcting)
def correct_command(
    judgments: Judgments,
    runs: RunFiles,
    gold: Gold,
    measure: Annotated[
        list[str] | None, typer.Option("-m", "--measure", help="A measure linear in gain, such as P@10 or DCG@10.")
    ] = None,
    by_assessor: Annotated[
        bool,
        typer.Option("--by-assessor", help="Correct each topic with the accuracy of the assessor who labelled it."),
    ] = False,
    level: Level = None,
    confidence: Confidence = 0.95,
    trials: Annotated[
        int, typer.Option("--replicates", "--trials", min=100, help="Replicates, where the method resamples.")
    ] = 2000,
    seed: Seed = 0,
    name_by: NameBy = "file",
    jobs: Jobs = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    labelling: Labelling,
    correcting: Correcting,
) -> None:
    """Correct scores for the errors of a cheap judge (crowd, LLM), measured on a sample of gold labels."""
    from truegain.inference.corrections.correct import correct

    trusted, design = labelling.trusted(gold)
    found = correct(
        expand(runs), labelling.bronze(judgments), measure or ["P@10"], gold=trusted, design=design,
        rule=labelling.rule, by_assessor=by_assessor, scale=labelling.labels, confidence=confidence,
        level=level, gold_level=labelling.gold_level, missing=labelling.unmatched, replicates=trials, seed=seed,
        name_by=name_by, jobs=jobs, **vars(correcting),
    )  # fmt: skip
    write_table(found.table(), output_format, output)
