"""Which models systems use, and which one gave the judgments: as given, or as columns say."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from truegain.errors import TruegainError, some
from truegain.message import arg
from truegain.tables.checks import warn
from truegain.tables.frames import is_frame
from truegain.tables.judgments import Judgments
from truegain.tables.models_used import judge_in
from truegain.tables.run_files import MODELS
from truegain.tables.runs import Runs, models_by_system, models_in
from truegain.tables.sources import can_be_read_again, expand, pieces_of
from truegain.tables.tabular import ending

SystemModels = Mapping[str, str | Sequence[str]]
TABLES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet")  # endings of files whose columns have names
JUDGE_MODEL = arg("judge_model", python="`model` to tg.read_judgments")
BEGINNING = 65_536  # bytes in which a table names its columns


def models_of(
    system_models: SystemModels | None,
    judge: str | None,
    systems: tuple[str, ...],
    runs: object = None,
    labels: Judgments | None = None,
) -> tuple[dict[str, tuple[str, ...]], str | None]:
    """The models of each system and that of the judge: as given, else as columns of the runs and judgments say.

    Told where no system has the judge's model that was given, and where models of systems alone are named.

    >>> models_of({"dense": "gpt-4o", "rag": ["gpt-4o", "e5"]}, "gpt-4o", ("dense", "rag", "bm25"))
    ({'dense': ('gpt-4o',), 'rag': ('gpt-4o', 'e5')}, 'gpt-4o')
    """
    given = models_by_system("system_models", system_models or {}, systems)
    gave = () if labels is None or judge is not None else judge_in(labels)
    if judge is None and len(gave) != 1:
        if given:
            raise TruegainError(
                f"{arg('system_models')} says which models systems use; say with "
                f"{JUDGE_MODEL} which one gave the judgments"
            )
        _tell_not_asked(_columns(runs, systems) if _may_name_models(runs) else {}, gave)
        return {}, None
    found = (_columns(runs, systems) if judge is not None or _may_name_models(runs) else {}) | given
    if judge is None and not found:  # the judge's model is known, and that of no system
        return {}, gave[0]
    if not found:
        return {}, judge
    if judge is None:  # columns of either side: that they differ is as it should be
        return found, gave[0]
    # by a column too: it is spelled as it should be
    said_so = labels is not None and labels.model is None and is_of(judge, judge_in(labels))
    if not said_so and not any(is_of(judge, models) for models in found.values()):
        named = list(dict.fromkeys(model for models in found.values() for model in models))
        warn(f"no system uses {judge}, the judge's model; there are {some(named)}: check the spelling")
    return found, judge


def _tell_not_asked(columns: Mapping[str, tuple[str, ...]], gave: Sequence[str]) -> None:
    """Warn of columns that name models where nobody says which of them gave the judgments."""
    if not columns:
        return
    count = f"{len(columns)} {'system names' if len(columns) == 1 else 'systems name'}"
    which = f"the judgments name {len(gave)} ({some(gave)})" if gave else "nothing says which one gave the judgments"
    named = some(list(dict.fromkeys(model for models in columns.values() for model in models)))
    warn(
        f"{count} the model used ({named}), and {which}: whether a system is judged by its own model is not looked at; "
        f"give {JUDGE_MODEL}"
    )


def _columns(runs: object, systems: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The models that columns of the runs name."""
    found = {} if runs is None else models_in(runs)
    return {s: models for s, models in found.items() if s in systems}


def _may_name_models(runs: Any) -> bool:
    """Whether runs have such a column, told without reading them again: tables by the beginning of their files."""
    if isinstance(runs, str | os.PathLike):
        return any(_begins_with_models(file) for file in expand([runs]) if can_be_read_again(file))
    if isinstance(runs, Mapping | list | tuple):
        return any(_may_name_models(x) for x in (runs.values() if isinstance(runs, Mapping) else runs))
    if is_frame(runs):
        names = getattr(runs, "columns", getattr(runs, "column_names", ()))
        return any(str(name).strip().lower() in MODELS for name in names)
    if isinstance(runs, Runs):  # of files that are read when somebody looks at them, these alone are looked at
        files = getattr(runs, "files", None)
        return files is None or _may_name_models(files)
    return False


def _begins_with_models(file: str) -> bool:
    kind = ending(file)
    if kind not in TABLES:
        return False
    beginning = next(pieces_of(file), b"")[:BEGINNING].lower()
    first = beginning if kind not in (".csv", ".tsv") else beginning.partition(b"\n")[0]
    return kind == ".parquet" or any(name.encode() in first for name in MODELS)


def is_of(judge: str, models: Sequence[str]) -> bool:
    """Whether a model is among some, upper and lower case alike.

    >>> is_of("gpt-4o", ["e5", "GPT-4o"]), is_of("gpt-4o", ["gpt-4"])
    (True, False)
    """
    return judge.strip().casefold() in {model.strip().casefold() for model in models}
