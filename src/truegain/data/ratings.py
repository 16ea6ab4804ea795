"""Ratings: judgments by several people, from the tables and exports that people have, on a declared scale."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from truegain.config import OutOfRange, Repeated
from truegain.data import rating_columns
from truegain.data.judgments import Judgments, JudgmentsLike, judgments_of_columns, without_gold
from truegain.data.rating_columns import answered_rows, check_extra, labeled_rows, numbers, worded
from truegain.data.rating_groups import item_keys, no_assessor
from truegain.errors import InputError, counted, some, warn
from truegain.io import annotation_exports, formats, named_tables
from truegain.io.columns import Bools, Floats, Ints, Places, frozen, place_in_words
from truegain.io.file_options import COLUMN, ColumnNames, Header, Missing, file_options
from truegain.io.files import read_bytes, shown_path
from truegain.io.frames import Numbers, is_frame, opened
from truegain.io.json_files import records
from truegain.io.named_tables import Columns, is_missing, renamed
from truegain.io.python_tables import is_one_run, long_rows
from truegain.io.separated import read_unnamed
from truegain.message import arg, argname

# ---- Scales that ratings are given on: what their numbers mean, and where they end.

ScaleLevel = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[str, ...] = get_args(ScaleLevel)
_HOW = "write limits such as 0:3, a level (nominal, ordinal, interval, ratio), or both: 'ordinal 0:3'"


@dataclass(frozen=True)
class Scale:
    """A declared scale: a level of measurement, a lowest and a highest rating, each perhaps not declared.

    >>> Scale.of("ordinal 0:3")
    Scale(level='ordinal', low=0.0, high=3.0)
    >>> str(Scale.of("0:3")), str(Scale.of("ratio")), str(Scale.of("1:"))
    ('0:3', 'ratio', '1:')
    """

    level: ScaleLevel | None = None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, text: Scale | str | None) -> Scale:
        """A scale from its text; no text declares nothing."""
        if isinstance(text, Scale):
            return text
        level: ScaleLevel | None = None
        low = high = None
        for word in (text or "").replace(",", " ").split():
            if word in LEVELS and level is None:
                level = word  # type: ignore[assignment]
            elif ":" in word and low is None and high is None:
                low, high = _limits(word)
            else:
                where = "" if word == text else f": {word!r}"
                raise InputError(f"{argname('scale', text)} cannot be read{where}", hint=_HOW)
        return cls(level, low, high)

    def __str__(self) -> str:
        limits = "" if self.low is None and self.high is None else f"{_end(self.low)}:{_end(self.high)}"
        return " ".join(part for part in (self.level or "", limits) if part) or "not declared"

    def outside(self, values: Floats) -> Bools:
        """Which ratings the scale does not hold; a ratio scale holds nothing below 0."""
        wrong: Bools = np.zeros(len(values), np.bool_)
        if self.low is not None:
            wrong |= values < self.low
        if self.high is not None:
            wrong |= values > self.high
        if self.level == "ratio":
            wrong |= values < 0
        return wrong

    @property
    def width(self) -> float | None:
        """The greatest possible difference of two ratings, where both limits are declared."""
        return None if self.low is None or self.high is None else self.high - self.low


def _limits(word: str) -> tuple[float | None, float | None]:
    try:
        low, high = (float(end) if end else None for end in word.split(":"))
    except ValueError:
        raise InputError(f"the limits {word!r} cannot be read", hint=_HOW) from None
    if any(end is not None and not np.isfinite(end) for end in (low, high)):
        raise InputError(f"the limits {word!r} are not finite", hint="leave an end out instead, as in 0:")
    if low is not None and high is not None and low >= high:
        raise InputError(
            f"the limits {word!r} leave fewer than two possible ratings", hint="write the lower end first, as in 0:3"
        )
    return low, high


def _end(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


# ---- Scales that mix: assessors who stay far below where the others go, on the same topics.

LEAST = 4  # ratings of an assessor before anything is said
LONGER = 5.0  # how many times longer the other scale must be: among labels 0 to 3 a strict assessor may stay at 1
SAME = 1e-3  # chance to stay below on the long scale, below which it is told


def mixed(ratings: Judgments) -> tuple[list[str], float, float] | None:
    """Assessors who seem to rate on a shorter scale than others, the top of theirs and that of the others.

    The greatest ratings of assessors are put in order and cut at the widest gap, where one is 5 times the one before it
    or more.  Of those below, with 4 ratings or more that are not all equal, the ones are told who would stay below with
    a chance of less than 1 in 1,000 if they rated as those above do: the product over their ratings of (k + 1)/(n + 1),
    k of the n ratings of that topic by those above being as low.

    >>> import polars as pl
    >>> rows = [(f"d{i}", "short", i % 3) for i in range(12)] + [(f"d{i}", "long", 45 * (i % 3)) for i in range(12)]
    >>> frame = pl.DataFrame(rows, schema=["doc", "assessor", "label"], orient="row").with_columns(topic=pl.lit("1"))
    >>> mixed(Judgments.of(frame))
    (['short'], 2.0, 90.0)
    """
    assert ratings.assessor is not None
    people, who = len(ratings.assessor.values), ratings.assessor.code
    count, top, least = np.bincount(who, minlength=people), np.full(people, -np.inf), np.full(people, np.inf)
    np.maximum.at(top, who, ratings.label)
    np.minimum.at(least, who, ratings.label)
    sound = (count >= LEAST) & (top > 0) & (least < top)
    tops = np.unique(top[sound])
    gaps = tops[1:] / tops[:-1]
    if not len(gaps) or gaps.max() < LONGER:
        return None
    low = float(tops[int(gaps.argmax())])
    chance = _chances(ratings, top > low, low)
    short = np.flatnonzero(sound & (top <= low) & (chance < np.log(SAME)))
    if not len(short):
        return None
    return [ratings.assessor.values[p] for p in short.tolist()], float(top[short].max()), float(top.max())


def _chances(ratings: Judgments, above: np.ndarray, low: float) -> Floats:
    """Per assessor the logarithm of the chance that all their ratings are so low, if they rated as those above do."""
    assert ratings.assessor is not None
    who, topic = ratings.assessor.code, ratings.topic.code
    theirs = above[who]
    n = np.bincount(topic[theirs], minlength=len(ratings.topic.values))
    k = np.bincount(topic[theirs & (ratings.label <= low)], minlength=len(ratings.topic.values))
    logs = np.log((k + 1) / (n + 1))
    return np.asarray(np.bincount(who, logs[topic], len(above)), np.float64)


def tell_mixed(ratings: Judgments) -> None:
    """Tell where assessors seem to have rated on scales of different length."""
    scales = mixed(ratings)
    if scales is None:
        return
    names, low, high = scales
    assert ratings.assessor is not None
    warn(
        f"{len(names)} of {len(ratings.assessor.values)} assessors rate up to {low:g} ({some(names)}), others up to "
        f"{high:g} on the same topics: scales seem to mix; convert them to one first (numbers on personal scales: "
        f"{arg('scale', 'ratio')} and {arg('normalize')}), or leave some out ({arg('drop_assessors')})"
    )


# ---- Ratings checked: those outside the scale, negative ones where none is declared, and several by one assessor.


def tell_negative(ratings: Judgments, scale: Scale) -> None:
    """Tell of ratings below 0 where no lowest rating is declared: often they mean that nothing was judged."""
    if scale.low is not None or scale.level not in (None, "ordinal"):
        return
    below, highest = int((ratings.label < 0).sum()), float(ratings.label.max())
    if not below:
        return
    level = f"{scale.level} 0:{highest:g}" if scale.level else f"0:{highest:g}"
    out = (
        f"declare {arg('scale', level)} and {arg('out_of_range', 'drop', of='tg.read_ratings')} to leave them out"
        if highest > 0
        else f"declare {arg('scale')}"
    )
    warn(
        f"{below} of {counted(len(ratings), 'rating')} are negative (lowest {float(ratings.label.min()):g}) and "
        f"counted as ratings; {out}"
    )


def within(ratings: Judgments, scale: Scale, out_of_range: str) -> Judgments:
    """The ratings on the scale; others are an error that lists them, or dropped and counted."""
    wrong = scale.outside(ratings.label)
    if not wrong.any():
        return ratings
    rows = np.flatnonzero(wrong)
    lie = f"{len(rows)} of {counted(len(ratings), 'rating')} lie outside"
    if out_of_range == "drop":
        warn(f"{lie} the scale {scale} and are dropped")
        if len(rows) == len(ratings):
            raise InputError(f"no rating lies on the scale {scale}", file=ratings.source, hint="check the scale")
        return ratings.take(np.flatnonzero(~wrong))
    listed = ", ".join(f"{ratings.label[r]:g} ({_place(ratings, int(r))})" for r in rows[:5].tolist())
    raise InputError(
        f"{lie} the scale {scale}: {listed}" + (f" and {len(rows) - 5} more" if len(rows) > 5 else ""),
        file=ratings.source,
        hint=f"correct them, declare another scale, or drop them ({arg('out_of_range', 'drop', of='tg.read_ratings')})",
    )


def _place(ratings: Judgments, row: int) -> str:
    where = place_in_words(ratings.where(row))
    return f"{where}, assessor {ratings.assessor.values[ratings.assessor.code[row]]}" if ratings.assessor else where


def settled(ratings: Judgments, repeated: str, warned: bool = False) -> Judgments:
    """One rating of a document by an assessor; several are an error, or the first, last or mean counts, or all do.

    warned: whether the user was warned of several before.
    """
    assert ratings.assessor is not None
    key = item_keys(ratings) * len(ratings.assessor.values) + ratings.assessor.code
    _, first, at, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(key):
        return ratings
    several = int((count > 1).sum())
    if repeated == "error" and _are_numbered(ratings, at):
        return ratings
    if repeated == "error":
        order = np.argsort(key, kind="stable")
        second = int(order[1:][key[order][1:] == key[order][:-1]].min())
        first_row = int(np.flatnonzero(key == key[second])[0])
        who = ratings.assessor.values[ratings.assessor.code[first_row]]
        topic = ratings.topic.values[ratings.topic.code[first_row]]
        raise InputError(
            f"assessor {who} rated topic {topic}, document {ratings.docs[first_row]} twice, and so for "
            f"{counted(several, 'pair')} in all",
            **ratings.where(second),
            hint=f"keep one, or choose which counts ({arg('repeated', 'first', of='tg.read_ratings')}; or last, mean, "
            "all)",
        )
    were = f"{counted(several, 'document')} {'was' if several == 1 else 'were'}"
    counts = "all ratings count" if repeated == "all" else f"the {repeated} counts"
    if not warned:
        warn(f"{were} rated more than once by one assessor; {counts}")
    if repeated == "all":
        return ratings
    if repeated == "mean":
        mean = np.bincount(at, weights=ratings.label) / count
        rows = np.sort(first)
        return replace(ratings.take(rows), label=frozen(mean[at[rows]]))
    if repeated == "last":
        last = np.zeros(len(first), np.int64)
        np.maximum.at(last, at, np.arange(len(key)))
        return ratings.take(np.sort(last))
    return ratings.take(np.sort(first))


def are_replicates(ratings: Judgments) -> bool:
    """Whether one assessor rated documents again and again, each time with a number in the column `replicate`."""
    if ratings.assessor is None or len(ratings.assessor.values) > 1:
        return False
    _, at, count = np.unique(item_keys(ratings), return_inverse=True, return_counts=True)
    return bool((count > 1).any()) and _are_numbered(ratings, at)


def _are_numbered(ratings: Judgments, rated: Ints) -> bool:
    """Whether a column `replicate` numbers all ratings of a document by one assessor, which are then no mistake.

    rated: by rating, the document and assessor that it is of.
    """
    numbers = [str(x).strip() for x in ratings.extra.get("replicate", ())]
    return bool(numbers) and all(numbers) and len(set(zip(rated.tolist(), numbers, strict=True))) == len(numbers)


# ---- Ratings: judgments by several people, from the tables and exports that people have.

RatingsLike = JudgmentsLike | Mapping[Any, Numbers]  # with a column for the assessor, or {assessor: judgments}
MOST_NAMED = 8  # columns that a message lists


def read_ratings(
    data: RatingsLike,
    *,
    scale: Scale | str | None = None,
    out_of_range: OutOfRange = "error",
    repeated: Repeated = "error",
    assessors: Sequence[str] | None = None,
    columns: ColumnNames | None = None,
    separator: str | None = None,
    values: Mapping[str, float] | None = None,
    topic: str | None = None,
    missing: Missing = "refuse",
) -> Judgments:
    """Read ratings by several assessors: long or wide tables, exports of annotation tools, or dicts.

    Known shapes: long tables (topic, doc, assessor, label) in CSV, TSV, JSONL, a JSON list, Parquet or a frame;
    crowd-kit's (task, worker, label); wide tables with a column an assessor; JSON exports of Label Studio; JSONL
    exports of Prodigy; and ``{assessor: {topic: {document: label}}}``.

    Parameters
    ----------
    data : path-like, frame, list of dict, mapping or Judgments
        The ratings.
    scale : Scale or str, optional
        What a rating can be: '0:3', 'ordinal 0:3', 'ratio' or 'nominal'.  Words are ratings of a nominal scale.
    out_of_range : {'error', 'drop'}, default 'error'
        Ratings outside the scale are refused and listed, or left out and counted.
    repeated : {'error', 'first', 'last', 'mean', 'all'}, default 'error'
        Which of several ratings of a document by one assessor count; 'all' for a judge that was asked several times.
    assessors : sequence of str, optional
        The columns of a wide table that hold ratings; by default all that have no other meaning, with a warning.
    columns : str, list of str or mapping, optional
        Other names of columns, such as ``{"subtopic": "facet"}``; ``{"topic": "query+facet"}`` joins two; or the names
        of all columns where no line has them, such as ``"topic,doc,assessor,label"``.  In exports they are fields of
        the task, and ``{"label": NAME}`` is the control or field that holds the rating.
    separator : str, optional
        What stands between topic and document in the name of a task; by default white space.
    values : mapping of str to float, optional
        Numbers for ratings that are words, such as ``{"relevant": 2}``.
    topic : str, optional
        The one topic that all ratings are about, where no column says it.
    missing : {'refuse', 'drop'}, default 'refuse'
        Rows without a rating are refused, or left out and counted; cells of a wide table may be empty.

    Returns
    -------
    Judgments
        One row a rating, with its assessor.

    Examples
    --------
    >>> import polars as pl
    >>> wide = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "ann": [2, 0], "bob": ["1/2", None]})
    >>> read_ratings(wide, assessors=["ann", "bob"])
    Judgments(3 labels, 1 topic, 2 assessors)
    """
    limited = (
        ("out_of_range", out_of_range, OutOfRange),
        ("repeated", repeated, Repeated),
        ("missing", missing, Missing),
    )
    for name, value, choices in limited:
        if value not in choices.__args__:  # type: ignore[attr-defined]
            raise InputError(f"{argname(name)} is {value!r}", hint=f"give {' or '.join(choices.__args__)}")  # type: ignore[attr-defined]
    declared = Scale.of(scale)
    words_rate = declared.level == "nominal" and declared.low is None and declared.high is None
    context = file_options()
    is_file = isinstance(data, str | os.PathLike)
    header = context.header_of(data) if columns is None and is_file else Header.of(columns)  # type: ignore[arg-type]
    gold = context.gold if is_file and context.is_judgments(data) else None  # type: ignore[arg-type]
    if gold is not None and gold.startswith(COLUMN):
        header = replace(header, renamed={**header.renamed, "gold": gold.removeprefix(COLUMN)})
    shape = _Shape(assessors, header, separator, values or {}, topic, words_rate, missing)
    ratings = _loaded(data, shape)
    if gold is not None:
        if values and "gold" in ratings.extra:
            ratings = replace(ratings, extra={**ratings.extra, "gold": worded(ratings.extra["gold"], values)})
        ratings = without_gold(ratings)
    if ratings.assessor is None:
        raise no_assessor(ratings)
    if not isinstance(data, Judgments):  # these were told of when they were read
        tell_negative(ratings, declared)
    warned = isinstance(data, Judgments) and repeated == "all"
    return settled(within(ratings, declared, out_of_range), repeated, warned=warned)


@dataclass(frozen=True)
class _Shape:
    """How the user told us to read a table."""

    assessors: Sequence[str] | None = None
    header: Header = field(default_factory=Header)
    separator: str | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    topic: str | None = None
    nominal: bool = False
    missing: Missing = "refuse"


def _loaded(data: object, shape: _Shape) -> Judgments:
    if isinstance(data, Judgments):
        return data
    if isinstance(data, str | os.PathLike):
        return _read(data, shape)
    if is_frame(data):
        return _tabled(opened(data), "ratings", shape)
    if isinstance(data, Mapping) and data and not is_one_run(data):
        return _tabled(long_rows(data, ("assessor", "topic", "doc", "label"), "ratings"), "ratings", shape)
    return Judgments.of(data)


def _read(path: str | os.PathLike[str], shape: _Shape) -> Judgments:
    file = shown_path(path)
    if shards := formats.shards_in(path):
        return _tabled(formats.read_shards(shards), file, shape)
    text, marked = formats.marked(read_bytes(path), file)
    if marked is not None:
        return _tabled(formats.read(text, marked, file), file, shape)
    if text[:65536].lstrip()[:1] in (b"[", b"{"):
        return _of_json(text, file, shape)
    if shape.header.names:
        return _tabled(rating_columns.stripped(read_unnamed(text, shape.header.names, file)), file, shape)
    kind = rating_columns.kind_of(text, file, shape.header.theirs)
    return _tabled(rating_columns.stripped(formats.read_text(text, kind, file)), file, shape)


def _of_json(text: bytes, file: str, shape: _Shape) -> Judgments:
    """Ratings from JSON lines or a JSON list: a table, or an export of Label Studio or Prodigy."""
    names = shape.header.renamed
    raw: named_tables.RawTable | None = None
    if text.lstrip().startswith(b"["):
        rows, places = records(text, file)
        if any("annotations" in row for row in rows):
            raw = annotation_exports.label_studio(rows, file, names)
        table = named_tables.of_objects(rows, places)
    else:
        table = formats.read_text(text, "jsonl", file)
        if annotation_exports.is_prodigy(table):
            raw = annotation_exports.prodigy(table, file, names)
    if raw is None:
        return _tabled(table, file, shape)
    rest = {ours: theirs for ours, theirs in names.items() if ours not in raw.columns}
    return _tabled(raw, file, replace(shape, header=Header(renamed=rest, role=shape.header.role)))


def _tabled(frame: Any, file: str, shape: _Shape) -> Judgments:
    columns = renamed(Columns(frame, file, shape.header.role), shape.header, strict=True)
    is_wide = shape.assessors is not None or ("label" not in columns and "assessor" not in columns)
    of_tasks = "topic" not in columns and "doc" not in columns and "task" in columns.names
    needed = () if of_tasks else ("doc",) if shape.topic is not None else ("topic", "doc")
    rating_columns.require(columns, (*needed, *(() if is_wide else ("assessor", "label"))))
    columns = columns if is_wide else answered_rows(columns)
    if shape.missing == "drop" and not is_wide:
        columns = labeled_rows(columns, values=shape.values)
    topics, docs = _about(columns, of_tasks, shape)
    subtopics = columns.ids("subtopic") if "subtopic" in columns else None
    if is_wide:
        return _of_wide(columns, topics, docs, subtopics, shape)
    extra = columns.extra()
    check_extra(extra, columns)
    return judgments_of_columns(
        topics,
        docs,
        numbers(columns._raw("label"), columns, shape.values, nominal=shape.nominal),
        file,
        subtopics=subtopics,
        assessors=columns.ids("assessor"),
        extra=extra,
        places=columns.places,
    )


def _about(columns: Columns, of_tasks: bool, shape: _Shape) -> tuple[list[str], list[str]]:
    """The topic and the document of every row."""
    if shape.topic is None:
        return _of_tasks(columns, shape.separator) if of_tasks else (columns.ids("topic"), columns.ids("doc"))
    if "topic" in columns:
        raise InputError(
            f"all ratings should be of topic {shape.topic}, but there is a column '{columns.matches['topic'][0]}'",
            file=columns.file,
            hint=f"leave out {arg('topic')}, or the column",
        )
    if of_tasks:
        columns.matches["doc"] = ["task"]
    docs = columns.ids("doc")
    return [shape.topic] * len(docs), docs


def _of_tasks(columns: Columns, separator: str | None) -> tuple[list[str], list[str]]:
    tasks = columns._column("task")
    topics, docs = [], []
    for row, task in enumerate(tasks):
        parts = str(task).split(separator, 1) if not is_missing(task) else []
        if len(parts) != 2 or not all(parts):
            what = "white space" if separator is None else repr(separator)
            raise columns._fault(
                f"the task is not a topic and a document separated by {what}",
                row,
                task,
                f"give the separator ({arg('separator', ':', of='tg.read_ratings')}), or where all tasks are documents "
                f"of one topic a name for it ({arg('topic', 'NAME', of='tg.read_ratings')}), or name columns topic and "
                "doc",
            )
        topics.append(parts[0])
        docs.append(parts[1])
    return topics, docs


def _of_wide(
    columns: Columns, topics: list[str], docs: list[str], subtopics: list[str] | None, shape: _Shape
) -> Judgments:
    rows, cells, names = [], [], []
    for name in _who(columns, shape.assessors):
        column = columns._column(name)
        rated = [r for r, value in enumerate(column) if not is_missing(value)]
        rows += rated
        cells += [column[r] for r in rated]
        names += [columns.written(name)] * len(rated)
    at = np.array(rows, np.int64)
    places = (columns.places or Places.rows(len(topics))).take(at)
    extra = columns.extra()
    check_extra(extra, columns)
    labels = Columns(named_tables.RawTable(["label"], [cells], places), columns.file)
    return judgments_of_columns(
        [topics[r] for r in rows],
        [docs[r] for r in rows],
        numbers(cells, labels, shape.values, nominal=shape.nominal, names=names),
        columns.file,
        subtopics=[subtopics[r] for r in rows] if subtopics is not None else None,
        assessors=names,
        extra={name: [values[r] for r in rows] for name, values in extra.items()},
        places=places,
    )


def _who(columns: Columns, assessors: Sequence[str] | None) -> list[str]:
    """The columns of a wide table that hold ratings: those asked for, else all that are not known, which is told."""
    if assessors is not None:
        who = [a.strip().lower() for a in assessors]
        lost = [a for a in who if a not in columns.names]
    else:
        other = {name for matched in columns.matches.values() for name in matched} | set(named_tables.EXTRA) | {"task"}
        who, lost = [n for n in columns.names if n not in other], []
    if lost or not who:
        what = f"no column {some(lost)}" if lost else "no column that could be an assessor's"
        raise InputError(
            f"there is {what} among {', '.join(columns.all_written)}",
            file=columns.file,
            hint="name the label's column 'label' and the assessor's 'assessor', or give one column per assessor",
        )
    if assessors is None:
        names = [columns.written(name) for name in who]
        words = "column is taken as an assessor" if len(names) == 1 else "columns are taken as assessors"
        warn(
            f"{columns.file}: {len(names)} {words}: {some(names, MOST_NAMED)} "
            f"(choose them with {arg('assessors', names[:2], of='tg.read_ratings')})"
        )
    return who
