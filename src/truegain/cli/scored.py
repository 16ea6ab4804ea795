"""Scores of runs as the options of a command say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from truegain.cli.options import Inputs
from truegain.cli.streams import Progress
from truegain.config import Scoring
from truegain.data.scores import Scores
from truegain.measures.evaluate import evaluate
from truegain.measures.parse import parse_measures


@dataclass(frozen=True, kw_only=True)
class Filling:
    """What unjudged documents count, if not 0."""

    fill: Annotated[
        Literal["predicted"] | None,
        typer.Option(
            "--fill",
            help="Unjudged documents by predicted relevance, not 0: to rank; with --unjudged-sample also limits.",
        ),
    ] = None
    unjudged_sample: Annotated[
        str | None,
        typer.Option(
            "--unjudged-sample", help="Labels of a sample of the unjudged documents (holes --show sample), for --fill."
        ),
    ] = None
    llm: Annotated[
        str | None, typer.Option("--llm", help="Labels of another judge that help to predict, for --fill predicted.")
    ] = None


def scored(judgments: str, runs: list[str], measure: list[str] | None, scoring: Scoring, inputs: Inputs) -> Scores:
    """Scores of the runs on the measures asked for, with the options of `eval`."""
    files = inputs.files(runs)
    with Progress(len(files), "runs scored") as progress:
        return evaluate(
            files, judgments, parse_measures(measure or ["AP"]), scoring=scoring, corpus=inputs.corpus,
            judged_corpus=inputs.judged_corpus, jobs=inputs.jobs, progress=progress.advance,
        )  # fmt: skip
