"""Reading values of answers: logs of tools, tables and frames.

Files of one system each are named by what differs between them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from truegain.data.items import UNNAMED, VALUES, Items
from truegain.data.rating_columns import says_missing
from truegain.data.scores import ALL_TOPICS
from truegain.errors import InputError, TruegainError, an, counted, shorten, some, warn
from truegain.io import formats, named_tables, python_tables
from truegain.io.file_options import Role, file_options
from truegain.io.files import PathLike, can_be_read_again, is_paths, pieces_of, shown_path, start_of
from truegain.io.frames import TableLike, is_frame, opened
from truegain.io.logs.log import OK, Log, Row, ScoreRange, ToolMean
from truegain.io.logs.records import YES_NO, scalars
from truegain.io.named_tables import Columns, is_missing
from truegain.io.nugget_files import MODEL_COLUMNS
from truegain.message import arg, argname, with_marks

# Names of columns in tables that are no log of a tool, the first one ours.
NAMES: dict[str, tuple[str, ...]] = {
    "system": ("system", "run", "run_id", "system_id", "model_name", "pipeline", "variant"),
    "topic": ("topic", "topic_id", "query_id", "qid", "sample", "sample_id", "question_id", "id", "query", "question",
              "user_input", "input"),
    "item": ("item", "claim", "claim_id", "nugget", "nugget_id", "citation", "statement"),
    "score": ("score_name", "measure", "metric", "scorer"),
    "value": VALUES,
    "weight": ("weight", "importance"),
    "judge": ("judge", "assessor", "annotator", "judge_model", "grader"),
    "replicate": ("replicate", "epoch", "repeat", "trial"),
}  # fmt: skip
CALLED = {"topic": "topic", "system": "system", "label": "value", "assessor": "judge"}  # what `columns` may name
PEOPLES = ("human", "people", "gold", "expert")  # columns of values by people, whoever gave those beside them
NUMBERS_MAY_BE_SCORES = ("claim", "nugget", "citation", "statement")  # columns of items, unless of numbers
CLAIMS = frozenset(["claim", "claim_id", "statement", "citation"])  # columns of items that runs and judgments lack
SCORES_BY_THEMSELVES = frozenset(["true", "false", "pass", "fail"])  # words; yes and no may say anything of a topic
UNTOLD = ("value", "score")  # names of columns that do not tell what their values are
DIGITS = 3  # numbers of fewer are exact in a table: 0.2 and 0.75 are no 0.2000 and 0.7500
LOG_ENDINGS = (".eval", ".json", ".jsonl", ".ndjson", ".csv")  # of files that may be logs

ItemsLike = TableLike | Iterable[PathLike] | Iterable[Mapping[str, Any]] | Mapping[str, Any] | Items


def read_items(
    data: ItemsLike, *, scales: Mapping[str, ScoreRange] | None = None, names: Sequence[str] | None = None
) -> Items:
    """Read values of answers: logs of evaluation tools, tables, frames or dicts.

    Parameters
    ----------
    data : path-like, iterable of path-like, frame, list of dict or mapping
        Logs of inspect_ai, deepeval, ragas, promptfoo, phoenix or mlflow; tables with a column for the topic and one
        for each score, or with the columns topic, score_name and value; a column system where a file has several;
        or ``{score: {system: {topic: value}}}``, or ``{system: frame}``.
    scales : mapping of str to ScoreRange, optional
        Between which values scores lie, and which are better where they are less.
    names : sequence of str, optional
        The system of each file, where a file is about one.

    Returns
    -------
    Items
        What `Study` takes in place of runs.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"system": ["a", "b"], "topic": ["q1", "q1"], "faithfulness": [0.5, None]}
    >>> read_items(pl.DataFrame(rows)).matrix("faithfulness").tolist()
    [[0.5], [nan]]
    """
    if isinstance(data, Items):
        return data if not scales else replace(data, scales={**data.scales, **scales})
    items = _joined_with_care(_logs_of(data), names)
    return items if not scales else replace(items, scales={**items.scales, **scales})


def read_gold_items(data: ItemsLike, items: Items) -> Items:
    """Read people's values of some of the answers in `items`, which say whose answer each is."""
    if isinstance(data, Items):
        return data
    logs = _logs_of(data)
    for log, system in zip(logs, _systems(logs, None), strict=True):
        if not log.tool and system not in items.systems and any(not row.system for row in log.rows):
            fitting = [name for name, texts in log.may_name.items() if texts <= set(items.systems)]
            naming = _naming(log, fitting) or "name it in a column 'system'"
            raise InputError(
                f"no column names the system, and {items.source} has {some(items.systems)}", file=log.file,
                hint=f"an answer belongs to one system; {naming}",
            )  # fmt: skip
    return _joined_with_care(logs)


def _joined_with_care(logs: Sequence[Log], names: Sequence[str] | None = None) -> Items:
    """Logs as one table; where they ask different questions, the user is told."""
    items = joined(logs, names)
    for message in other_questions(logs):
        warn(f"{message}; check that both are of the same questions")
    return items


def _logs_of(data: Any) -> list[Log]:
    """Files, a frame or values in Python as logs, of which `joined` makes one table."""
    given: Any = data
    if isinstance(data, str | os.PathLike):
        given = [data]
    elif isinstance(data, Iterable) and not isinstance(data, Mapping) and not is_frame(data):
        given = list(data)  # what a glob finds, a set of paths, or rows one by one
    if isinstance(data, Mapping) and data and not is_frame(data) and all(map(is_frame, data.values())):
        logs = [table_log(Columns(opened(part), str(system))) for system, part in data.items()]
    elif isinstance(data, Mapping) and not is_frame(data):
        columns = Columns(python_tables.long_rows(data, ("score", "system", "topic", "value"), "items"), "items")
        logs = [_long(columns, {"score": "score", "system": "system", "topic": "topic", "value": "value"})]
    elif is_frame(given):
        logs = [table_log(Columns(opened(given), "items"))]
    elif is_paths(given) or given == []:
        logs = [_file_log(path) for path in _without_model_meta(given)]
    else:
        raise InputError(
            f"cannot read {an(data)} as values of answers",
            hint="give a path, a list of paths, a frame or a list of dicts",
        )
    return logs


def _without_model_meta(paths: Sequence[PathLike]) -> list[PathLike]:
    """The files without those in which mteb describes models beside its results, as a pattern takes them along."""
    meta = model_meta_of(paths)
    if meta:
        which = f"{counted(len(meta), 'file')} of MTEB ({some([shown_path(path) for path in meta])})"
        they = "are left out: they describe models and have"
        they = "is left out: it describes a model and has" if len(meta) == 1 else they
        warn(f"{which} {they} no scores")
    return [path for path in paths if path not in meta]


def model_meta_of(paths: Sequence[PathLike]) -> list[PathLike]:
    """The files that describe models, of which there are results of mteb among the others."""
    if len(paths) < 2:
        return []
    from truegain.io.logs.benchmarks import MTEB, describes_model  # by those who give several files

    objects = [path for path in paths if os.fspath(path).endswith(".json") and can_be_read_again(os.fspath(path))]
    begins = {path: start_of(path) for path in objects}
    results = {path for path, data in begins.items() if MTEB.recognizes(data, shown_path(path))}
    return [path for path, data in begins.items() if results and path not in results and describes_model(data)]


def is_log(path: PathLike) -> bool:
    """Whether a file is a log that a known evaluation tool wrote."""
    name = os.fspath(path)
    may_be = bool(file_options().board) or formats.ending(name) in LOG_ENDINGS or formats.may_be_board(path)
    if not may_be or not can_be_read_again(name):
        return False
    from truegain.io.logs.catalogue import log_format  # all readers: for those who give such a file

    return log_format(next(pieces_of(path), b""), shown_path(path)) is not None


def _file_log(path: PathLike) -> Log:
    """A file as its tool wrote it, or as a table."""
    from truegain.io.logs.autojudge import refuse_unnamed
    from truegain.io.logs.catalogue import log_in

    log = None if formats.shards_in(path) else log_in(path)
    if log is not None:
        if file_options().is_judgments(path) and (
            file_options().judgments_header.names or file_options().judgments_header.renamed
        ):
            raise InputError(
                f"{argname('columns')} names columns, and this is a log of {log.tool}, whose columns are known",
                file=log.file, hint=f"leave {argname('columns')} out",
            )  # fmt: skip
        return log
    if can_be_read_again(os.fspath(path)):
        refuse_unnamed(start_of(path), shown_path(path))
    columns = named_tables.called_as(Columns(*formats.read_file(path)), path, CALLED)
    if not any(columns.all_written):
        raise InputError("the file is empty", file=columns.file, hint="write the file again")
    return table_log(columns)


def joined(logs: Sequence[Log], names: Sequence[str] | None = None) -> Items:
    """One table of several files; those about one system each are named by the first thing that differs.

    >>> one, other = (Log(f, "t", [Row("q1", "s", 1.0)], {"model": "m", "file": f}) for f in ("a", "b"))
    >>> joined([one, other]).systems
    ('a', 'b')
    """
    called = _systems(logs, names)
    rows: list[Row] = []
    seen: dict[tuple[str, ...], tuple[str, int]] = {}
    scales: dict[str, ScoreRange] = {}
    clusters: dict[str, dict[str, str]] = {}
    unlike: dict[str, str] = {}  # columns that say different things of a topic, so they group none
    for log, system in zip(logs, called, strict=True):
        for row in log.rows:
            named = row._replace(system=row.system or system, status=_status(row))
            key = (named.system, row.topic, row.item, row.score, row.judge, str(row.replicate))
            if key in seen:
                file, line = seen[key]
                before = f"line {line} of {file}" if line else file
                item = f", item {row.item}" if row.item else ""
                again = (
                    "where an answer was judged again, number the replicates in a column 'replicate', or name the "
                    "judges in a column 'judge'"
                )
                if file != log.file:
                    theirs = "; where the values of this file are by another judge, {}"
                    again += arg("against", log.file, of="tg.correlate", within=theirs)
                unnamed = not row.system and file == log.file
                if unnamed and (naming := _naming(log, [*log.may_name])):
                    hint = f"where these are values of several systems, {naming}; {again}; else keep one"
                else:
                    several = "two files are about different systems, name these"
                    if unnamed:
                        several = "these are values of several systems, name them in a column 'system'"
                    hint = f"keep one; {again}; where {several}"
                raise InputError(
                    f"{row.score} of system {named.system}, topic {row.topic}{item} appears twice; the first is in "
                    f"{before}", file=log.file, line=row.line or None, hint=hint,
                )  # fmt: skip
            seen[key] = (log.file, row.line)
            rows.append(named)
        for score in dict.fromkeys(row.score for row in log.rows):
            scale = log.scales.get(score, ScoreRange())
            scales[score] = _wider(scales[score], scale, score, log.file) if score in scales else scale
        for column, of in log.clusters.items():
            into = clusters.setdefault(column, {})
            for topic, value in of.items():
                if (before := into.setdefault(topic, value)) != value:
                    unlike.setdefault(column, f"topic {topic} has {before!r} and {value!r} there")
        for column, why in log.no_clusters.items():
            unlike.setdefault(column, why)
    means = tuple(
        replace(m, system=m.system or system) for log, system in zip(logs, called, strict=True) for m in log.means
    )
    tools = tuple(dict.fromkeys(log.tool for log in logs if log.tool))
    made = {"tools": list(tools), "logs": {log.file: dict(log.provenance) for log in logs if log.provenance}}
    known = {name: scale for name, scale in scales.items() if scale != ScoreRange()}
    return Items.of_rows(
        rows, clusters={c: of for c, of in clusters.items() if c not in unlike}, scales=known, means=means,
        source=some([log.file for log in logs]),
        notes=tuple(dict.fromkeys(note for log in logs for note in log.notes)), made=made, no_clusters=unlike,
        models=frozenset().union(*(_models(log) for log in logs)),
        no_scores={name: why for log in reversed(logs) for name, why in log.no_scores.items()},
        rules=frozenset(x for log in logs for x in log.rules if all(x in one.rules for one in logs if _has(one, x))),
    )  # fmt: skip


def _has(log: Log, score: str) -> bool:
    """Whether a log has a score."""
    return any(row.score == score for row in log.rows)


def _naming(log: Log, candidates: Sequence[str]) -> str:
    """How to say which column of a table names the system, by the first that may; empty where none does."""
    if not candidates:
        return ""
    first, options = candidates[0], file_options()
    others = f" (or: {some(candidates[1:])})" if len(candidates) > 1 else ""
    if options.columns is None:  # in Python nothing is said of columns
        return f"rename the column {first}{others} to 'system'"
    role: Role = "judgments" if options.judgments is None or shown_path(options.judgments) == log.file else "gold"
    said = options.option(role, {"system": first})
    return f"say which column names the system: {arg('columns', said)}{others}"


def other_questions(logs: Sequence[Log]) -> Iterator[str]:
    """Files about one system each that give one set of names to topics in which they ask different questions."""
    alone = [log for log in logs if any(not row.system for row in log.rows)]
    for one, other in combinations(alone, 2):
        inputs = [log.provenance.get("inputs") for log in (one, other)]
        topics = [{row.topic for row in log.rows} for log in (one, other)]
        if None not in inputs and inputs[0] != inputs[1] and one.tool == other.tool and topics[0] == topics[1]:
            yield f"{one.file} and {other.file} use the same topic names for different questions"


def _wider(one: ScoreRange, other: ScoreRange, score: str, file: str) -> ScoreRange:
    """What two files say of a score: the direction that either knows, and the widest ends."""
    known = {scale.lower_is_better for scale in (one, other)} - {None}
    if len(known) > 1:
        raise InputError(
            f"{score}: less is better here, and more in another file, or the other way round", file=file,
            hint="read them apart, or give the score of one another name",
        )  # fmt: skip
    return ScoreRange(min(one.low, other.low), max(one.high, other.high), known.pop() if known else None)


def _models(log: Log) -> frozenset[str]:
    """The judges of a log that are language models."""
    judges = frozenset(row.judge for row in log.rows if row.judge)
    return judges if log.models is None else judges & log.models


def _status(row: Row) -> str:
    if row.value == row.value:
        return OK
    return "missing" if row.status == OK else row.status


def _systems(logs: Sequence[Log], names: Sequence[str] | None) -> list[str]:
    """The system of each file that is about one; empty for a file that names its own."""
    alone = [log for log in logs if any(not row.system for row in log.rows)]
    if names is not None:
        if len(names) != len(alone):
            raise TruegainError(
                f"{argname('names')}: {counted(len(names), 'name')} for {counted(len(alone), 'file')} about one "
                "system; give a name for each"
            )
        name_of = dict(zip(map(id, alone), names, strict=True))
        return [name_of.get(id(log), "") for log in logs]
    if not alone:
        return ["" for _ in logs]
    keys = [key for key in alone[0].names if all(key in log.names for log in alone)]
    telling = next((key for key in keys if len({log.names[key] for log in alone}) == len(alone)), None)
    if telling is None and len(alone) > 1:
        values = {key: ", ".join(dict.fromkeys(log.names[key] for log in alone)) for key in keys}
        choices = "; ".join(f"{key}: {value}" for key, value in values.items()) or "neither file names it"
        raise InputError(
            f"{len(alone)} files give the same name to their system ({choices})", file=alone[1].file,
            hint="give each system one log, or rename one of the files",
        )  # fmt: skip
    return [log.names[telling] if telling and any(not row.system for row in log.rows) else "" for log in logs]


def table_log(columns: Columns) -> Log:
    """A table that no tool wrote: long, with a column of names of scores, or wide, with a column for each score."""
    named = {ours: next((n for n in theirs if n in columns.names), None) for ours, theirs in NAMES.items()}
    roles = {ours: name for ours, name in named.items() if name is not None}
    if "score" not in roles and roles.get("value") == "value" and "score" in columns.names:
        roles["score"] = "score"  # beside values it names them, as in our own tables
    if "topic" not in roles:
        others = ", ".join(NAMES["topic"][1:6])
        which = f", or say which it is: {arg('columns', 'topic=NAME')}" if file_options().columns is not None else ""
        raise InputError(
            f"there is no column 'topic' (or {others}, ...) among {', '.join(columns.all_written)}",
            file=columns.file,
            hint=f"name the samples in a column 'topic'{which}, and the scores in columns of their own or in "
            "'score_name' and 'value'",
        )
    roles = _with_scores(columns, roles)
    return _long(columns, roles) if "value" in roles else _wide(columns, roles)


def _with_scores(columns: Columns, roles: dict[str, str]) -> dict[str, str]:
    """What columns are, less those that are scores of their own beside others, whatever they are called."""
    if roles.get("item") in NUMBERS_MAY_BE_SCORES and _is_score(columns._column(roles["item"])):
        keys = [_text(columns, roles[n]) for n in ("system", "topic", "score", "replicate") if n in roles]
        keys += [_text(columns, roles["judge"], needed=False)] if "judge" in roles else []
        rows = list(zip(*keys, strict=True))
        if len(set(rows)) == len(rows):  # one a row: no answer has several items
            roles = {ours: name for ours, name in roles.items() if ours != "item"}
    if "value" in roles and "score" not in roles:
        taken = set(roles.values())
        if any(n not in taken and _is_score(columns._column(n)) for n in dict.fromkeys(columns.names)):
            roles = {ours: name for ours, name in roles.items() if ours != "value"}
    return roles


def _long(columns: Columns, roles: Mapping[str, str]) -> Log:
    cells = _cells(columns, roles)
    name = columns.written(roles["value"])
    own = UNNAMED if name.casefold() in UNTOLD else (name,)  # a column of labels, which no other names
    score = _text(columns, roles["score"]) if "score" in roles else [*own] * len(cells)
    numbers = _numbers(columns, roles["value"])
    rows = [
        Row(score=score[at], value=number, line=_line(columns, at), **of)
        for at, (of, number) in enumerate(zip(cells, numbers, strict=True))
    ]
    of_topics = [row for row in rows if row.topic != ALL_TOPICS]
    scales = dict.fromkeys(score, ScoreRange(0.0, 1.0)) if _is_yes_or_no(columns._column(roles["value"])) else {}
    if "score" not in roles or not of_topics:
        return replace(_table(columns, rows, roles), scales=scales)
    moved = _rounding(rows, columns._column(roles["value"]))
    means = [
        ToolMean(row.score, row.value, row.system, rounding=moved[row.score]) for row in rows if row.topic == ALL_TOPICS
    ]
    return replace(_table(columns, of_topics, roles), means=means, scales=scales)


def _rounding(rows: Sequence[Row], cells: Sequence[object]) -> dict[str, float]:
    """By score, how far printing may have moved a mean and the values behind it."""
    from truegain.io.logs.autojudge import half_unit

    texts: dict[tuple[str, bool], list[object]] = {}
    for row, cell in zip(rows, cells, strict=True):
        texts.setdefault((row.score, row.topic == ALL_TOPICS), []).append(cell)
    names = {row.score for row in rows}
    halves = {of: half_unit(printed, DIGITS) for of, printed in texts.items()}
    return {name: sum(halves.get((name, is_mean), 0.0) for is_mean in (True, False)) for name in names}


def _wide(columns: Columns, roles: Mapping[str, str]) -> Log:
    taken = set(roles.values())
    others = [n for n in dict.fromkeys(columns.names) if n not in taken]
    names = [n for n in others if _is_score(columns._column(n))]
    names = names or [n for n in others if _are_words(columns._column(n), YES_NO)]
    almost = [n for n in others if n not in names and _is_almost_score(columns._column(n))]
    only = others if len(others) == 1 and "system" in roles and not _is_empty(columns._column(others[0])) else []
    names = names or almost or only  # of those that hold no numbers alone, the cell that is none is refused below
    no_scores = {columns.written(n): why for n in almost if n not in names and (why := _no_number(columns, n))}
    if not names and not any(map(len, (columns._column(n) for n in dict.fromkeys(columns.names)))):
        raise InputError(
            "there is no row below the names of columns", file=columns.file, hint="run what writes the file again"
        )
    if not names:
        texts = [text for n in others if (text := _first_text(columns, n))]
        raise InputError(
            f"no column of numbers among {', '.join(columns.all_written)}{f': {some(texts, 4)}' if texts else ''}",
            file=columns.file,
            hint="give the scores in columns of their own, or in a column 'value', as numbers (0.5, with a point) or "
            "as pass and fail",
        )
    cells, rows = _cells(columns, roles), []
    peoples = _without_models(columns, roles, cells) if len(names) > 1 else cells
    for name in names:
        of_all = peoples if name in PEOPLES else cells
        for at, (of, number) in enumerate(zip(of_all, _numbers(columns, name), strict=True)):
            rows.append(Row(score=columns.written(name), value=number, line=_line(columns, at), **of))
    yes_or_no = [columns.written(n) for n in names if _is_yes_or_no(columns._column(n))]
    scales = dict.fromkeys(yes_or_no, ScoreRange(0.0, 1.0))
    return replace(_table(columns, rows, roles), no_scores=no_scores, scales=scales)


def _no_number(columns: Columns, name: str) -> str:
    """What is said of the first cell of a column that is no number."""
    try:
        _numbers(columns, name)
    except InputError as error:
        return with_marks(error)
    return ""


def _cells(columns: Columns, roles: Mapping[str, str]) -> list[dict[str, Any]]:
    """What each row says of system, topic, item, judge, weight and replicate."""
    topics = _text(columns, roles["topic"])
    of: dict[str, list[Any]] = {"topic": topics}
    for name in ("system", "item", "judge"):
        if name in roles:
            of[name] = _text(columns, roles[name], needed=name == "system")
    for name in _model_columns(columns, roles):  # a model's row may name nobody else
        models = _text(columns, name, needed=False)
        of["judge"] = [judge or model for judge, model in zip(of.get("judge", models), models, strict=True)]
    if "weight" in roles:
        of["weight"] = [
            _weight(columns, roles["weight"], at, c) for at, c in enumerate(columns._column(roles["weight"]))
        ]
    if "replicate" in roles:
        numbers = {text: at for at, text in enumerate(dict.fromkeys(_text(columns, roles["replicate"])), 1)}
        of["replicate"] = [numbers[text] for text in _text(columns, roles["replicate"])]
    return [dict(zip(of, row, strict=True)) for row in zip(*of.values(), strict=True)]


def _model_columns(columns: Columns, roles: Mapping[str, str]) -> list[str]:
    """The columns that name the model which gave a value.

    Beside a judge, 'model' is that of the judge; without one it may be that of the system, unless all have the same.
    """
    there = [
        name
        for name in MODEL_COLUMNS
        if name in columns.names and name not in set(roles.values()) - {roles.get("judge")}
    ]
    if "model" in there and "judge" not in roles and len({*_text(columns, "model", needed=False)}) > 1:
        there.remove("model")
    return there


def _without_models(
    columns: Columns, roles: Mapping[str, str], cells: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """What rows say of values beside those of the model that they name: these are nobody's that is known."""
    models = [_text(columns, name, needed=False) for name in _model_columns(columns, roles)]
    return [{**of, "judge": ""} if any(names) else of for of, *names in zip(cells, *models, strict=True)]


def _models_in(columns: Columns, roles: Mapping[str, str]) -> frozenset[str]:
    """The judges that are models: those of rows that name one."""
    judges = [str(of.get("judge", "")) for of in _cells(columns, roles)]
    models = [_text(columns, name, needed=False) for name in _model_columns(columns, roles)]
    return frozenset(judge for column in models for judge, model in zip(judges, column, strict=True) if model)


def _text(columns: Columns, name: str, needed: bool = True) -> list[str]:
    cells = columns._column(name)
    for at, cell in enumerate(cells) if needed else ():
        if is_missing(cell) or not str(cell).strip():
            raise columns._fault(f"{columns.written(name)} is missing", at, cell, "every row needs one")
    return ["" if is_missing(cell) else str(cell).strip() for cell in cells]


def _weight(columns: Columns, name: str, at: int, cell: object) -> float:
    number = named_tables.number_of(cell)
    if number is None or not (math.isfinite(number) and number >= 0):
        raise columns._fault(f"{columns.written(name)} is not a weight", at, cell, "give a number of at least 0")
    return float(number)


def _numbers(columns: Columns, name: str) -> list[float]:
    """The values of a column: numbers, or words such as pass and fail throughout."""
    cells = columns._column(name)
    if _are_words(cells, YES_NO):
        return [math.nan if says_missing(cell) else YES_NO[str(cell).strip().lower()] for cell in cells]
    return [_number(columns, name, at, cell) for at, cell in enumerate(cells)]


def _number(columns: Columns, name: str, at: int, cell: object) -> float:
    if says_missing(cell):
        return math.nan
    if named_tables.is_bool(cell):
        return float(bool(cell))
    number = named_tables.number_of(cell)
    if number is None or math.isinf(number):
        raise columns._fault(
            f"{columns.written(name)} is not a number",
            at,
            cell,
            f"{_share_of(cell)}, or nothing where there is none; words such as pass and fail must fill the whole "
            "column",
        )
    return float(number)


def _are_words(cells: Iterable[object], words: Collection[str]) -> bool:
    """Whether a column holds these words or nothing, and some word."""
    known = [cell for cell in cells if not says_missing(cell)]
    return bool(known) and all(isinstance(c, str) and c.strip().lower() in words for c in known)


def _is_yes_or_no(cells: Sequence[object]) -> bool:
    """Whether a column holds nothing but true and false, or such words: its values lie between 0 and 1."""
    known = [cell for cell in cells if not says_missing(cell)]
    return _are_words(known, YES_NO) or (bool(known) and all(map(named_tables.is_bool, known)))


def _is_score(cells: Sequence[object]) -> bool:
    """Whether a column holds numbers or nothing, and some number; or words that are nothing but a score."""
    known = [cell for cell in cells if not says_missing(cell)]
    numbers = all(named_tables.is_bool(c) or named_tables.number_of(c) is not None for c in known)
    return (bool(known) and numbers) or _are_words(known, SCORES_BY_THEMSELVES)


def _is_empty(cells: Sequence[object]) -> bool:
    return all(says_missing(cell) for cell in cells)


def _is_almost_score(cells: Sequence[object]) -> bool:
    """Whether most cells that say something are numbers, or words of a score: the others are likely mistakes."""
    known = [cell for cell in cells if not says_missing(cell)]
    fitting = sum(_is_score([cell]) or _are_words([cell], YES_NO) or _is_per_cent(cell) for cell in known)
    return 2 * fitting > len(known)


def _first_text(columns: Columns, name: str) -> str:
    """What a column that is no score holds, by its first cell; empty where it is empty."""
    cells = columns._column(name)
    at = next((at for at, cell in enumerate(cells) if not says_missing(cell)), None)
    return f"{columns.written(name)} is empty" if at is None else (
        f"{columns.written(name)} has {shorten(str(cells[at]))!r} in line {_line(columns, at)}"
    )  # fmt: skip


def _share_of(cell: object) -> str:
    """What to write for a cell that is no number."""
    return f"write {float(str(cell).strip()[:-1]) / 100:g}" if _is_per_cent(cell) else "give a number"


def _is_per_cent(cell: object) -> bool:
    """Whether a cell is a number of per cent.

    >>> _is_per_cent("80 %"), _is_per_cent("most")
    (True, False)
    """
    return str(cell).strip().endswith("%") and named_tables.number_of(str(cell).strip()[:-1]) is not None


def _line(columns: Columns, at: int) -> int:
    return int(next(iter(columns.places.of(at).values()))) if columns.places is not None else at + 1


def _table(columns: Columns, rows: Sequence[Row], roles: Mapping[str, str]) -> Log:
    topics = _text(columns, roles["topic"])
    scored = {row.score for row in rows}
    others = [n for n in dict.fromkeys(columns.names) if n not in roles.values() and columns.written(n) not in scored]
    clusters: dict[str, dict[str, str]] = {}
    no_clusters: dict[str, str] = {}
    may_name: dict[str, frozenset[str]] = {}
    keys = [] if "system" in roles else _keys_of(columns, roles)
    for name, cells in _texts_in(columns, others):  # a column that says one thing of each topic may group them
        if keys and _tells_apart(cells, keys):
            may_name[name] = frozenset(cells)
        of = dict(zip(topics, cells, strict=True))
        two = next(((t, c) for t, c in zip(topics, cells, strict=True) if of[t] != c), None)
        if two is not None:
            no_clusters[name] = f"topic {two[0]} has {two[1]!r} and {of[two[0]]!r} there"
        elif 1 < len({*of.values()}) < len(of):
            clusters[name] = of
        elif {*of.values()} == {""}:
            no_clusters[name] = "it is empty"
    names = {"file": formats.system_name(shown_path(columns.file))}
    return Log(
        columns.file, "", rows, names, clusters, models=_models_in(columns, roles), no_clusters=no_clusters,
        may_name=may_name,
    )  # fmt: skip


def _tells_apart(cells: Sequence[str], keys: Sequence[tuple[str, ...]]) -> bool:
    """Whether texts that repeat tell rows apart that have the same key, as names of systems do."""
    repeat = 2 * len({*cells}) <= len(cells) and "" not in cells
    return repeat and len({*zip(keys, cells, strict=True)}) == len(cells)


def _keys_of(columns: Columns, roles: Mapping[str, str]) -> list[tuple[str, ...]]:
    """What tells the values of one system apart, of each row."""
    told = ("topic", "item", "judge", "replicate", "score")
    return list(zip(*(_text(columns, roles[name], needed=False) for name in told if name in roles), strict=True))


def _texts_in(columns: Columns, names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Columns as texts by their written names; of objects in their cells each field, such as metadata.topic."""
    for name in names:
        cells, written = columns._column(name), columns.written(name)
        fields = [scalars({written: cell}, "") for cell in cells]
        inner = dict.fromkeys(field for row in fields for field in row if field != written)
        if inner:
            yield from ((field, [row.get(field, "").strip() for row in fields]) for field in inner)
        else:
            yield written, ["" if is_missing(cell) else str(cell).strip() for cell in cells]
