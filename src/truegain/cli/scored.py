"""Scores of runs as the options of a command say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from truegain.cli.options import Inputs, advanced
from truegain.cli.streams import Progress
from truegain.config import Scoring
from truegain.data.scores import Scores
from truegain.measures.catalogue import parse_measures
from truegain.measures.evaluate import evaluate


@dataclass(frozen=True, kw_only=True)
class Filling:
    """What unjudged documents count, if not 0."""

    fill: Annotated[
        Literal["predicted"] | None,
        advanced(
            "--fill",
            help="Score unjudged documents by predicted relevance, not as 0; with --unjudged-sample also intervals.",
        ),
    ] = None
    unjudged_sample: Annotated[
        str | None,
        typer.Option(
            "--unjudged-sample",
            help="Labels of a random sample of unjudged documents, drawn by unjudged --show sample.",
        ),
    ] = None
    llm: Annotated[
        str | None, advanced("--llm", help="With --fill predicted: labels of another judge, which help to predict.")
    ] = None


def scored(judgments: str, runs: list[str], measure: list[str] | None, scoring: Scoring, inputs: Inputs) -> Scores:
    """Scores of the runs on the measures asked for, with the options of `eval`."""
    files = inputs.files(runs)
    with Progress(len(files), "runs scored") as progress:
        return evaluate(
            files,
            judgments,
            parse_measures(measure or ["AP"]),
            scoring=scoring,
            progress=progress.advance,
            **inputs.for_scores,
        )
