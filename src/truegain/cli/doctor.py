"""The command `truegain doctor`: what files are, which questions they can answer, and what is missing for others."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from truegain.cli.options import Columns, MissingLabels, Values
from truegain.cli.output import write_json
from truegain.cli.streams import in_words, use_option_names
from truegain.io.file_options import FileOptions, headers_of, read_with, values_of
from truegain.io.files import STANDARD_INPUT, write_bytes


def doctor_command(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Files or folders: logs of evaluation tools, runs, judgments, ratings, scores, tables of answers.",
            metavar="FILE...",
        ),
    ],
    columns: Columns = None,
    values: Values = None,
    missing: MissingLabels = "refuse",
    format_: Annotated[
        Literal["table", "json"], typer.Option("--format", help="Text for people, or JSON for scripts and agents.")
    ] = "table",
    output: Annotated[
        str, typer.Option("-o", "--output", help="File to write to (default: the terminal).", show_default=False)
    ] = STANDARD_INPUT,
) -> None:
    """Show what your files are and which questions they can answer.

    Lists a command for each question, what other questions still need, and what looks wrong. Reads logs of inspect_ai,
    deepeval, ragas, promptfoo, phoenix, mlflow and others. With --columns, --values and --missing it reads tables as
    the other commands do, and suggests commands with these options. Exit code 0: at least one file can be used. 2: none
    can.

    Examples:
        truegain doctor demo/llm.qrels demo/gold_sample.qrels demo/runs
        truegain doctor demo/ratings.csv --format json

    """
    from truegain.cli.diagnosis import diagnose

    suggested = ("columns", "values", "missing", "assessors", "name_by", "population", "test")
    use_option_names({name: f"--{name.replace('_', '-')}" for name in suggested})
    options = FileOptions(None, *headers_of(columns or ""), missing, columns=columns or "", values=values_of(values))
    with read_with(options):
        diagnosis = diagnose(files)
    if format_ == "json":
        write_json(diagnosis.to_dict(), output)
    else:
        write_bytes(output, in_words(diagnosis.text()).encode(errors="backslashreplace"))
    if not diagnosis.is_usable:
        raise typer.Exit(2)
