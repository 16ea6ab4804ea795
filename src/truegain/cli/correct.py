"""The command `truegain correct`: what the scores would be without the judge's errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from truegain.cli.bundles import takes
from truegain.cli.gold import Correcting, Gold, Labelling
from truegain.cli.options import Confidence, Jobs, Judgments, Level, NameBy, Output, OutputFormat, RunFiles, Seed
from truegain.cli.output import write_table
from truegain.errors import TruegainError
from truegain.measures.evaluate import Options, at_level
from truegain.measures.parse import parse_measures
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
    from truegain.gains.judge import Judge
    from truegain.gains.panel import Judges
    from truegain.inference.corrections.correct import correct
    from truegain.inference.judges.label_weights import fit_judge, levels_of

    if by_assessor:
        _check_by_assessor(labelling.rule, correcting.method)
    read = labelling.both(judgments, gold)
    heeded = Options(level=level).level
    asked, said = [at_level(a.measure, heeded) for a in parse_measures(measure or ["P@10"])], read.said
    design, gold_level, missing = labelling.design, labelling.gold_level, labelling.unmatched
    judge: Judge | Judges
    if by_assessor:
        levels = levels_of(asked[0], gold_level)
        judge = Judges.fit(read.bronze, read.gold, design, levels, missing=missing, scale=read.scale)
        said = ("Each topic is corrected with the confusion matrix of its assessor, whatever the gold design.",)
    else:
        judge = fit_judge(read.bronze, read.gold, design, asked[0], gold_level, missing=missing, scale=read.scale)
    found = correct(
        expand(runs), read.bronze, asked, gold=judge, design=design, confidence=confidence, gold_level=gold_level,
        missing=missing, replicates=trials, seed=seed, name_by=name_by, jobs=jobs, **vars(correcting),
    )  # fmt: skip
    write_table(replace(found, notes=(*said, *found.notes)).table(), output_format, output)


def _check_by_assessor(rule: str | None, method: str) -> None:
    if rule is not None:
        raise TruegainError("--rule makes one judge of all assessors, --by-assessor keeps them apart; give one")
    if method not in ("default", "delta"):
        raise TruegainError(
            f"--method {method} is for one judge; with --by-assessor the interval is delta's (leave --method out)"
        )
