"""Options that mean the same in every command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from truegain.cli.bundles import option_for
from truegain.cli.study_said import ENDING, check_there, lack_of
from truegain.config import Scoring
from truegain.tables.runs import RunPaths
from truegain.tables.table import Format


def study_or_judgments(context: typer.Context, value: str | None) -> str | None:
    """Judgments, or those that a study file names, which then says all that the command line does not."""
    if value is None or not value.lower().endswith(ENDING) or context.resilient_parsing:
        return value
    from truegain.cli.study_file import judgments_of  # read by those who give one

    return judgments_of(context, value)


def runs_named(context: typer.Context, value: list[str] | None) -> list[str] | None:
    """The runs of the command line or of the study file: one of the two must name some."""
    if not value and not context.resilient_parsing:
        check_there(context.params.get("judgments") or context.params.get("ratings"))
        raise lack_of("runs")
    return value


Judgments = Annotated[
    str,
    typer.Argument(
        help="Judgments: TREC qrels, subtopic qrels, CSV, JSON, JSONL or Parquet; a file, an address (s3://, "
        "https://), or - for stdin. Or a file study.toml that names them, the runs and the options.",
        metavar="JUDGMENTS",
        is_eager=True,
        callback=study_or_judgments,
    ),
]
RunFiles = Annotated[
    list[str],
    typer.Argument(
        help="Runs: files, folders or globs, here or at an address (s3://, https://); - is stdin. Not needed with a "
        "study file, which names them.",
        metavar="[RUN...]",
        default_factory=list,
        show_default=False,
        callback=runs_named,
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option("-m", "--measure", help="A measure, such as nDCG@10 or map; may be given several times."),
]
RelevantFrom = Annotated[float | None, option_for(Scoring, "relevant_from")]
AllTopics = Annotated[bool, option_for(Scoring, "all_topics")]
CorpusFolder = Annotated[
    str | None,
    typer.Option("--corpus", help="Term statistics (text index), for measures that read text, and for predictions."),
]
JudgedCorpus = Annotated[
    str | None, typer.Option("--judged-corpus", help="Corpus of the judged documents, where it is another one.")
]
JudgeModel = Annotated[str | None, typer.Option("--judge-model", help="The model that gave the judgments.")]
NameBy = Annotated[Literal["file", "tag"], typer.Option("--name-by", help="Name systems by file or by run tag.")]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, help="Threads (default: all cores).")]
ByTopic = Annotated[bool, typer.Option("-q", "--by-topic", help="Also print each topic.")]
Confidence = Annotated[float, typer.Option("--confidence", help="Level of the intervals; 1 - alpha of tests.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Same seed, same answer, on any number of cores.")]
OutputFormat = Annotated[
    Format | None, typer.Option("--format", help="How to print (default table, or by the ending of --output).")
]
Figure = Annotated[str | None, typer.Option("--figure", help="Also draw it: FILE.svg, .png, .pdf or .html.")]
Output = Annotated[str, typer.Option("-o", "--output", help="Where to print; - is stdout.")]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What is read beside judgments, and how."""

    corpus: CorpusFolder = None
    judged_corpus: JudgedCorpus = None
    name_by: NameBy = "file"
    jobs: Jobs = None

    def files(self, runs: Sequence[str]) -> RunPaths:
        """The files of the runs, read when they are needed."""
        return RunPaths.of(runs, self.name_by)
