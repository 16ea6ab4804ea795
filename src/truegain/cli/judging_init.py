"""The command `truegain judging init`: make a study of topics, documents and what is to be judged."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from truegain.cli.options import Seed
from truegain.errors import InputError, some
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
            "--size", min=1, help="Items a unit, Hk and Nk among them (default: 8; 1 if decisive without them)."
        ),
    ] = None,
    order: Annotated[
        Literal["spread", "decisive"],
        typer.Option("--order", help="All documents alike, or those first that come first in the pool."),
    ] = "spread",
    anchors: Annotated[
        str | None, typer.Option("--anchors", help="Labels that Hk and Nk are chosen by, where not those of the pool.")
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
    title: Annotated[str | None, typer.Option("--title", help="What assessors read on top.")] = None,
    platform: Annotated[Platform, typer.Option("--platform", help="Where assessors come from.")] = "open",
    seed: Seed = 0,
) -> None:
    """Make a study: a folder with judging.toml, the topics, the documents that are judged, and the pool."""
    from truegain.judging.study.items import anchors_of
    from truegain.judging.study.pool import JudgingPool, read_pool
    from truegain.judging.study.reading import read_documents, read_topics
    from truegain.judging.study.rows import refuse
    from truegain.judging.study.settings import JudgingSettings, People, Rules, Words, name_of
    from truegain.judging.study.units import Design, usual_size
    from truegain.judging.study.writing import write_study

    place = Path(folder)
    faults: list[str] = []
    found = read_pool(pool, depth=depth)
    rows, known = found.rows[:most], read_topics(topics, faults)
    names = {t.topic.id for t in known}
    kept = [row for row in rows if row.topic in names]
    refuse(faults)
    if not kept:
        hint = f"the pool has {some(sorted({r.topic for r in rows}))}, the topics are {some(sorted(names))}"
        raise InputError("no topic of the pool is among the topics", file=shown_path(topics), hint=hint)
    judged = {row.topic for row in kept}
    used = [t for t in known if t.topic.id in judged]
    if anchors:
        chosen = anchors_of(used, JudgingPool(tuple(kept)).by_topic(), read_pool([anchors]).rows, faults)
        refuse(faults)
        used = [replace(t, high=chosen[t.topic.id][0].docs[0], low=chosen[t.topic.id][1].docs[0]) for t in used]
    ids = {doc for row in kept for doc in row.item.docs} | {x for t in used for x in (t.high, t.low)}
    documents = read_documents(docs, faults, ids)
    refuse(faults)
    files = [(_copy(name), Path(name)) for name in filter(None, [found.gold_list])]
    two = 2 if platform == "prolific" else 1
    settings = JudgingSettings(
        name_of(place), task, gold_list=files[0][0] if files else "",
        bronze=os.path.relpath(bronze, place) if bronze else "",
        runs=tuple(os.path.relpath(run, place) for run in run_files or ()),
        design=Design(wanted, size or usual_size(order, task == "magnitude"), order, seed),
        words=Words(title or place.resolve().name),
        rules=Rules(practice_tries=two, question_tries=two), people=People(platform),
    )  # fmt: skip
    write_study(place, settings, used, documents.values(), kept, files)
    typer.echo(
        f"Written: {shown_path(place)}, {len(used)} topics, {len(documents):,} documents, {len(kept):,} to judge"
    )
    if left := len(rows) - len(kept):
        typer.echo(f"{left:,} rows of the pool are of topics that {shown_path(topics)} does not have, and left out")
    if idle := len(known) - len(used):
        typer.echo(f"{idle:,} topics have nothing in the pool, and are left out")
    typer.echo(f"Next: look at {shown_path(place / 'judging.toml')}, then truegain judging check {shown_path(place)}")


def _copy(name: str) -> str:
    """The name of the list in the study's folder, with its ending."""
    return "list" + "".join(Path(name).suffixes[-2:])
