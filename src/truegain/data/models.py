"""Models behind systems and judges: which language model each system uses, and which one gave the labels."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from typing import Any

from truegain.data.judgments import Judgments
from truegain.data.run import MODELS, read_run
from truegain.data.runs import Runs, models_by_system
from truegain.errors import InputError, TruegainError, counted, some, warn
from truegain.io.columns import Ints
from truegain.io.file_options import file_options
from truegain.io.files import can_be_read_again, expand, is_paths, pieces_of, read_bytes, shown_path
from truegain.io.formats import format_of_ending
from truegain.io.frames import is_frame
from truegain.io.named_tables import is_missing
from truegain.io.python_tables import is_one_run
from truegain.io.remote import is_irds
from truegain.io.trec import loaded
from truegain.message import arg, argname, with_marks

# ---- The models that systems use, from words and from files of system,model; and those that gave the labels.


def models_named(system_models: Sequence[str] | None) -> dict[str, list[str]]:
    """The models of each system, from system=model and from files of system,model.

    >>> models_named(["dense=gpt-4o", "dense=e5"])
    {'dense': ['gpt-4o', 'e5']}
    """
    models: dict[str, list[str]] = {}
    for text in system_models or ():
        for system, model in [_named(text)] if "=" in text else _from_file(text):
            models.setdefault(system, []).append(model)
    return models


def _named(text: str) -> tuple[str, str]:
    system, _, model = (part.strip() for part in text.rpartition("="))
    if not (system and model):
        raise TruegainError(
            f"{argname('system_models', text)} is not system=model, such as {arg('system_models', {'dense': 'gpt-4o'})}"
        )
    return system, model


def _from_file(name: str) -> list[tuple[str, str]]:
    try:
        rows = list(csv.reader(io.StringIO(read_bytes(name).decode())))
    except UnicodeDecodeError:
        raise InputError("this is no text", file=shown_path(name), hint="give lines of system,model") from None
    except InputError as error:
        raise TruegainError(
            f"{argname('system_models', name)} is neither system=model nor a file that can be read: "
            f"{with_marks(error)}; write system=model"
        ) from None
    pairs = []
    for line, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (line == 1 and cells == ["system", "model"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise InputError(
                "a line should be system,model", file=shown_path(name), line=line, text=",".join(row),
                hint="write two fields, the system named as its run",
            )  # fmt: skip
        pairs.append((cells[0], cells[1]))
    return pairs


def judge_in(labels: Judgments) -> tuple[str, ...]:
    """The models that gave the judgments, as these were read, or as a column 'model' of them says.

    >>> import polars as pl
    >>> judge_in(Judgments.of(pl.DataFrame({"topic": ["1"], "doc": ["a"], "label": [1], "model": ["gpt-4o"]})))
    ('gpt-4o',)
    """
    return (labels.model,) if labels.model else tuple(dict.fromkeys(filter(None, _gave(labels))))


def rated_alone(ratings: Judgments, item: Ints) -> list[str]:
    """For every item, to which each rating belongs, the models behind it; none where people rated it, too.

    Nothing where no rating names a model.
    """
    gave, by_row = _gave(ratings), dict[int, dict[str, None]]()
    if not any(gave):
        return []
    for at, model in zip(item.tolist(), gave, strict=True):
        by_row.setdefault(at, {})[model] = None
    return ["" if "" in by_row[at] else " and ".join(by_row[at]) for at in sorted(by_row)]


def _gave(labels: Judgments) -> list[str]:
    """The model behind each label, empty where none is named; nothing where no column names any."""
    return ["" if is_missing(x) else str(x).strip() for x in labels.extra.get("model", ())]


def unchecked_in(labels: Judgments | None, judge: str | None, rated: bool = False) -> str:
    """Whose labels these are, where a model gave them, in words for `by_unchecked`; empty where none is named.

    labels: None where they have no columns that could name one.  Ratings (`rated`) are checked by people where somebody
    else rated each document, too.

    >>> import polars as pl
    >>> rows = {"topic": ["1", "1"], "doc": ["a", "b"], "label": [1, 0]}
    >>> labels = Judgments.of(pl.DataFrame(rows | {"model": ["m1", "m2"]}))
    >>> unchecked_in(labels, None), unchecked_in(None, "gpt-4o")
    ('the labels of m1 and m2', "gpt-4o's labels")
    >>> unchecked_in(Judgments.of(pl.DataFrame(rows | {"model": ["m1", None]})), None)
    'labels of which m1 gave 1 of 2'
    >>> rows = {"topic": ["1"] * 3, "doc": ["a", "a", "b"], "label": [1, 0, 1], "assessor": ["m1", "x", "m1"]}
    >>> unchecked_in(Judgments.of(pl.DataFrame(rows | {"model": ["m1", None, "m1"]})), None, rated=True)
    'ratings that m1 alone gave to 1 of 2 documents'
    """
    named = (judge or "").strip() or (labels.model if labels is not None else "")  # an empty name is none
    models = (named,) if named else () if labels is None else judge_in(labels)
    if not models:
        return ""
    names = some(models) if len(models) > 3 else " and ".join(filter(None, [", ".join(models[:-1]), models[-1]]))
    by_row = [] if named or labels is None else _gave(labels)
    if rated and labels is not None and not all(by_row):
        rows = list(zip(labels.topic.code.tolist(), labels.docs.strings(), strict=True))
        by_people = {row for row, model in zip(rows, by_row, strict=True) if not model}
        every = len(set(rows))
        by_models = every - len(by_people)
        return f"ratings that {names} alone gave to {by_models:,} of {counted(every, 'document')}" if by_models else ""
    if not all(by_row):
        return f"labels of which {names} gave {sum(map(bool, by_row)):,} of {len(by_row):,}"
    return f"{names}'s labels" if len(models) == 1 else f"the labels of {names}"


def by_unchecked(labels_by: str, sentence: str = "") -> str:
    """What is said, begun with whose labels say so; a note where nothing is said.

    labels_by: the words of `unchecked_in`; sentence: what follows, with the sign before it.

    >>> by_unchecked("m1's labels"), by_unchecked("m1's labels", ": only a may be best.")
    ("by m1's labels, which no person has checked", "By m1's labels, which no person has checked: only a may be best.")
    """
    return f"{'By' if sentence else 'by'} {labels_by}, which no person has checked{sentence}"


# ---- Which models systems use, and which one gave the judgments: as given, or as columns say.

SystemModels = Mapping[str, str | Sequence[str]]
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
    named_models = models_by_system("system_models", system_models or {}, systems)
    gave = () if labels is None or judge is not None else judge_in(labels)
    if judge is None and len(gave) != 1:
        if named_models:
            raise TruegainError(
                f"{arg('system_models')} says which models systems use; say with "
                f"{JUDGE_MODEL} which one gave the judgments"
            )
        _tell_not_asked(_columns(runs, systems) if _may_name_models(runs) else {}, gave)
        return {}, None
    known_models = (_columns(runs, systems) if judge is not None or _may_name_models(runs) else {}) | named_models
    if judge is None and not known_models:  # the judge's model is known, and that of no system
        return {}, gave[0]
    if not known_models:
        return {}, judge
    if judge is None:  # columns of either side: that they differ is as it should be
        return known_models, gave[0]
    # by a column too: it is spelled as it should be
    said_so = labels is not None and labels.model is None and is_of(judge, judge_in(labels))
    if not said_so and not any(is_of(judge, models) for models in known_models.values()):
        named = list(dict.fromkeys(model for models in known_models.values() for model in models))
        warn(f"no system uses {judge}, the judge's model; there are {some(named)}: check the spelling")
    return known_models, judge


def _tell_not_asked(columns: Mapping[str, tuple[str, ...]], gave: Sequence[str]) -> None:
    """Warn of columns that name models where nobody says which of them gave the judgments."""
    if not columns:
        return
    count = f"{len(columns)} {'system names' if len(columns) == 1 else 'systems name'}"
    which = f"the judgments name {len(gave)} ({some(gave)})" if gave else "it is unknown which one gave the judgments"
    named = some(list(dict.fromkeys(model for models in columns.values() for model in models)))
    warn(f"{count} the model used ({named}), and {which}: self-preference is not checked; give {JUDGE_MODEL}")


def _columns(runs: object, systems: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The models that columns of the runs name."""
    by_system = {} if runs is None else models_in(runs)
    return {s: models for s, models in by_system.items() if s in systems}


def _may_name_models(runs: Any) -> bool:
    """Whether runs have such a column, told without reading them again: tables by the beginning of their files."""
    if isinstance(runs, str | os.PathLike):
        return any(_begins_with_models(file) for file in expand([runs]) if can_be_read_again(file))
    if isinstance(runs, Mapping):
        return not is_one_run(runs) and any(map(_may_name_models, runs.values()))
    if isinstance(runs, list | tuple):  # the rows of ir_measures have no such column
        return not any(hasattr(x, "query_id") for x in runs[:1]) and any(map(_may_name_models, runs))
    if is_frame(runs):
        names = getattr(runs, "columns", getattr(runs, "column_names", ()))
        return any(str(name).strip().lower() in MODELS for name in names)
    if isinstance(runs, Runs):  # of files that are read when somebody looks at them, these alone are looked at
        files = getattr(runs, "files", None)
        return files is None or _may_name_models(files)
    return False


def _begins_with_models(file: str) -> bool:
    table = format_of_ending(file)
    if table is None:
        return False
    beginning = next(pieces_of(file), b"")[:BEGINNING].lower()
    first = beginning.partition(b"\n")[0] if table.named_first else beginning
    return table.binary or any(name.encode() in first for name in MODELS)


def is_of(judge: str, models: Sequence[str]) -> bool:
    """Whether a model is among some, upper and lower case alike.

    >>> is_of("gpt-4o", ["e5", "GPT-4o"]), is_of("gpt-4o", ["gpt-4"])
    (True, False)
    """
    return judge.strip().casefold() in {model.strip().casefold() for model in models}


def models_in(runs: object) -> dict[str, tuple[str, ...]]:
    """The models that systems use, where a table of runs has a column for it; TREC lines have none, and are not read.

    >>> rows = [{"system": "rag", "topic": "1", "doc": "a", "score": 1.0, "model": "gpt-4o"}]
    >>> import polars as pl
    >>> models_in(pl.DataFrame(rows))
    {'rag': ('gpt-4o',)}
    """
    if isinstance(runs, str | os.PathLike) or is_paths(runs):
        several = [runs] if isinstance(runs, str | os.PathLike) else list(runs)  # type: ignore[call-overload]
        files = expand(several)
        header = file_options().runs_header.of_files(len(files))
        tables = [file for file in files if can_be_read_again(file) and not is_irds(file) and loaded(file, header)[1]]
        parts = [run for file in tables for run in read_run(file, "file", 1, header)]
    else:
        parts = list(Runs.of(runs).parts)
    return {run.system: run.models for run in parts if run.models}
