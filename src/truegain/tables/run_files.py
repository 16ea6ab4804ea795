"""One file of runs, or one table of them: lines, named columns, nested JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from truegain.errors import InputError
from truegain.tables import convert, tabular, trec
from truegain.tables.columns import Places
from truegain.tables.header import Header
from truegain.tables.json_files import nested, place_of
from truegain.tables.named import Columns, renamed
from truegain.tables.read import NameBy, layout_of, loaded
from truegain.tables.run import Run, ranked_run, run_of_columns, tell_ranks
from truegain.tables.separated import first_line, read_unnamed
from truegain.tables.sources import STANDARD_INPUT, system_name

MODELS = ("model", "system_models")  # columns that name the model a system uses


def read_run(path: str, name_by: NameBy, jobs: int, header: Header) -> list[Run]:
    """The runs of one file."""
    text, kind, file = loaded(path, header)
    name = "stdin" if path == STANDARD_INPUT else system_name(path)
    if kind == "nested":
        return _of_nested(nested(text, file), name, file, text)
    if kind:
        return runs_of_frame(tabular.read(text, kind, file), name, file, header)
    layout = run_layout(text, header, file)
    if layout is None:
        return runs_of_frame(read_unnamed(text, header.names, file), name, file)
    run = run_of_lines(text, layout, name, file, jobs)
    return [replace(run, system=tag_of(run.tags, file)) if name_by == "tag" and run.tags else run]


def run_layout(text: bytes, header: Header, file: str) -> trec.Layout | None:
    """How the lines of a run are cut, where the user may have named their columns; None where it is no such lines."""
    other = header.several is not None and len(first_line(text).split()) != len(header.names)
    if other and trec.looks_like(text, trec.RUN) and not header.fits_none(",".join(header.names), file):
        return trec.RUN  # the names are those of other files
    return layout_of(header, text, "run", ("score", "rank")) if header.names else trec.RUN


def run_of_lines(text: bytes, layout: trec.Layout, name: str, file: str, jobs: int) -> Run:
    """A run from lines without names, under those that the user gave, or those of TREC."""
    rows = trec.scan(text, layout, file, jobs)
    tags, wider = (rows.second.values, rows.wider) if layout is trec.RUN else ((), 0)
    run = Run(name, rows.topic, rows.docs, rows.value, rows.rank, file, tags, from_lines=True, wider=wider)
    if layout is trec.RUN:
        return run
    return ranked_run(run) if layout.value_name == "rank" else tell_ranks(run)


def tag_of(tags: Sequence[str], file: str) -> str:
    """The one tag of a run, which names its system."""
    if len(tags) > 1:
        raise InputError(
            f"the run has {len(tags)} different tags ({tags[0]}, {tags[1]}, ...)",
            file=file,
            hint="name systems by file, or give one file a system",
        )
    return tags[0]


def _of_nested(data: Mapping[str, Any], name: str, file: str, text: bytes) -> list[Run]:
    """Runs from {topic: {document: score}}, or the same below names of systems."""
    several = {name: data} if convert.is_one_run(data) else data
    found = []
    for system, run in several.items():
        if not isinstance(run, Mapping) or not run:
            raise InputError(
                f"{system} holds no topics", file=file, **place_of(text, system),  # type: ignore[arg-type]
                hint="write {topic: {document: score}}, or the same for each system",
            )  # fmt: skip
        topics, docs, scores = convert.flat(run, file, labels=False, text=text)
        if not topics:
            raise InputError("the run holds no rows", file=file, hint="give at least one document")
        made = run_of_columns(system, topics, docs, scores, file)
        found.append(replace(tell_ranks(made), bare=len(several) == 1))
    return found


def runs_of_frame(frame: Any, name: str, source: str, header: Header | None = None) -> list[Run]:
    """Runs from a frame with named columns; a column `system` splits it, one of MODELS names what a system uses.

    Where there is no score, the rank orders the documents.
    """
    columns = renamed(Columns(frame, source, "runs"), header)
    by_rank = "score" not in columns and "rank" in columns
    topics, docs, score = columns.ids("topic"), columns.ids("doc"), columns.numbers("rank" if by_rank else "score")
    ready = ranked_run if by_rank else tell_ranks
    if not topics:
        raise InputError("the run holds no rows", file=source, hint="give at least one document")
    models = columns.texts(MODELS)
    if "system" not in columns:
        run = run_of_columns(name, topics, docs, score, source, columns.places)
        return [replace(ready(run), models=tuple(dict.fromkeys(filter(None, models))))]
    places = columns.places or Places.rows(len(topics))
    rows_of: dict[str, list[int]] = {}
    for row, system in enumerate(columns.ids("system")):
        rows_of.setdefault(system, []).append(row)
    return [
        replace(
            ready(
                run_of_columns(
                    system, [topics[r] for r in rows], [docs[r] for r in rows], score[rows], source,
                    places.take(np.array(rows)),
                )
            ),
            models=tuple(dict.fromkeys(model for r in rows if (model := models[r]))),
        )
        for system, rows in rows_of.items()
    ]  # fmt: skip
