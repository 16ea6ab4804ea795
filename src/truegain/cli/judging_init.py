"""The command `truegain judging init`: make a study of topics, documents and what is to be judged."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from truegain.cli.options import Seed
from truegain.tables.gold_sheet import KEY
from truegain.tables.paper import counted
from truegain.tables.sources import shown_path

Platform = Literal["open", "invitation", "prolific", "mturk"]


def init_study_command(
    folder: Annotated[str, typer.Argument(help="The folder to make.", metavar="FOLDER")],
    topics: Annotated[str, typer.Option("--topics", help="Topics: JSONL, CSV, TSV, or TREC's own.")],
    docs: Annotated[str, typer.Option("--docs", help="Documents: JSONL (BEIR's, too), CSV, TSV (MS MARCO's, too).")],
    pool: Annotated[
        list[str],
        typer.Option("--pool", help="What is judged: qrels, runs, a list of plan labels or holes; several times."),
    ],
    task: Annotated[
        Literal["magnitude", "graded", "binary", "preference", "claim"], typer.Option("--task", help="What is asked.")
    ] = "magnitude",
    wanted: Annotated[
        int, typer.Option("--judgments", min=1, help="Of each document (or pair, or claim), at least.")
    ] = 10,
    size: Annotated[
        int | None,
        typer.Option(
            "--size",
            min=1,
            help="Items a unit, Hk and Nk (see --anchors) among them (default: 8; 1 if decisive without them).",
        ),
    ] = None,
    order: Annotated[
        Literal["spread", "decisive"],
        typer.Option("--order", help="All documents alike, or those first that come first in the pool."),
    ] = "spread",
    anchors: Annotated[
        str | None,
        typer.Option(
            "--anchors",
            help="Labels, where not those of the pool, to choose Hk and Nk by: a topic's known highly relevant and "
            "non-relevant document, which check attention.",
        ),
    ] = None,
    run_files: Annotated[
        list[str] | None, typer.Option("--runs", help="Runs, for the verdict so far; may be given several times.")
    ] = None,
    bronze: Annotated[
        str | None,
        typer.Option("--bronze", help="The judge's labels that a list was drawn with, for the verdict so far."),
    ] = None,
    depth: Annotated[
        int, typer.Option("-M", "--depth", min=1, help="Of runs in the pool, the first so many documents.")
    ] = 10,
    most: Annotated[int | None, typer.Option("--most", min=1, help="Judge the first so many rows of the pool.")] = None,
    usual: Annotated[
        Literal["text", "html"], typer.Option("--format", help="Of documents that do not say it in a field `format`.")
    ] = "text",
    title: Annotated[str | None, typer.Option("--title", help="What assessors read on top.")] = None,
    platform: Annotated[Platform, typer.Option("--platform", help="Where assessors come from.")] = "open",
    seed: Seed = 0,
) -> None:
    """Make a study: a folder with judging.toml, the topics, the documents that are judged, and the pool."""
    from truegain.judging.study.gathering import gather
    from truegain.judging.study.settings import (
        JudgingSettings,
        People,
        Rules,
        Words,
        name_of,
        usual_of_topic,
        usual_rules,
    )
    from truegain.judging.study.units import Design, usual_size
    from truegain.judging.study.writing import usual_labels, write_study
    from truegain.tables.gold_list_read import key_of, read_gold_list

    place = Path(folder)
    found = gather(topics, docs, pool, anchors=anchors, depth=depth, most=most, usual=usual)
    listed = read_gold_list(found.gold_list) if found.gold_list else None
    labels = usual_labels(task, listed.scale if listed else None)
    files = [(_copy(name), Path(name)) for name in filter(None, [found.gold_list])]
    files += [(_copy(key, "list.key"), Path(key)) for key in filter(None, [key_of(found.gold_list)])]
    two = 2 if platform == "prolific" else 1
    settings = JudgingSettings(
        name_of(place), task, format=usual, gold_list=files[0][0] if files else "", labels=labels,
        bronze=os.path.relpath(bronze, place) if bronze else "",
        runs=tuple(os.path.relpath(run, place) for run in run_files or ()),
        design=Design(wanted, size or usual_size(order, task == "magnitude"), order, seed),
        words=Words(title or place.resolve().name),
        rules=Rules(practice_tries=two, question_tries=two, **usual_rules(task, wanted)),
        people=People(platform, most_of_topic=usual_of_topic(task)),
    )  # fmt: skip
    write_study(place, settings, found.topics, found.documents, found.rows, files)
    many = f"{counted(len(found.topics), 'topic')}, {counted(len(found.documents), 'document')}"
    typer.echo(f"Written: {shown_path(place)}, {many}, {len(found.rows):,} to judge")
    for left in found.left_out:
        typer.echo(left)
    if listed is not None and labels:
        told = ", ".join(f"{label['name']} ({label['value']})" for label in labels)
        typer.echo(f"The list has the labels {listed.labels}; assessors choose from: {told}")
    typer.echo(f"Next: look at {shown_path(place / 'judging.toml')}, then truegain judging check {shown_path(place)}")


def _copy(name: str, called: str = "list") -> str:
    """The name of the list, or of its key, in the study's folder, with its ending."""
    ending = "".join(Path(name).suffixes[-2:])
    return called + ending.replace(KEY, "", 1)
