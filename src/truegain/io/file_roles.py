"""Which role a file has where nobody says so: judgments, runs or gold labels, by names and values of its columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from truegain.errors import InputError, TruegainError, counted
from truegain.io.columns import is_number, names_columns, number_of, our_name, parts_of
from truegain.io.file_options import IDS, OF_JUDGMENTS, FileOptions, Header, KnownIds, Role, file_options, read_with
from truegain.io.files import STANDARD_INPUT, PathLike, can_be_read_again, expand, read_bytes, shown_path
from truegain.io.formats import NESTED, ending, marked, read, read_file
from truegain.io.json_files import is_nested, nested
from truegain.io.named_tables import Columns, inner_names, is_missing, renamed, with_inner
from truegain.io.remote import is_irds, is_remote
from truegain.io.separated import LEVELS, LOOKED_AT, is_sensible, read_unnamed, separator_of
from truegain.io.table_format import Beginning, first_line
from truegain.io.trec import JUDGMENTS, RUN, loaded, looks_like
from truegain.message import argname

# ---- Which file has the columns that the user names (`--columns`), and so its role.

VALUES: dict[Role, tuple[str, ...]] = {"judgments": ("label",), "gold": ("label",), "runs": ("score", "rank")}


@contextmanager
def role_by_columns(path: PathLike) -> Iterator[Role | None]:
    """The role of a file that is examined, by the names of columns that the user gave; they hold meanwhile.

    None where the file has none of these columns: then no names hold, and labels are taken for the judgments, unless
    the names of their columns were given.
    """
    options = file_options()
    role = _role(path, options) if options.columns else None
    is_other = role == "gold" or (role is None and bool(options.judgments_header.kinds & set(OF_JUDGMENTS)))
    own_options = replace(options, judgments=None if is_other or role == "runs" else os.fspath(path))
    if role is None:
        own_options = replace(
            own_options, judgments_header=Header(), runs_header=Header(role="runs"), gold_header=Header(role="gold")
        )
    with read_with(own_options):
        yield role


def _role(path: PathLike, options: FileOptions) -> Role | None:
    """What a file is by what was said of columns: it has all that is needed, some of it by the user's names."""
    try:
        text, kind = marked(read_bytes(path), shown_path(path))
        roles: dict[Role, Header] = {
            "judgments": options.judgments_header,
            "gold": options.gold_header,
            "runs": options.runs_header,
        }
        if kind is None and _is_nested(text, path):
            return None
        are_lines = kind is None and not first_line(text).startswith(("{", "["))
        if are_lines and (of_lines := _of_lines(text, roles)) is not None:
            return of_lines
        table, file = (read(text, kind, shown_path(path)), shown_path(path)) if kind else read_file(path)
    except TruegainError:  # told where the file is read
        return None
    fits = [(fit, one) for one, header in roles.items() if (fit := _fit(Columns(table, file, one), header))]
    return max(fits, key=lambda pair: pair[0])[1] if fits else None


def _is_nested(text: bytes, path: PathLike) -> bool:
    """Whether a text is {topic: {document: number}}, whatever the file is read as."""
    options, end = file_options(), ending(shown_path(path))
    return all(
        is_nested(Beginning(text, end, one))
        for one in (options.judgments_header, options.gold_header, options.runs_header)
    )


def _fit(columns: Columns, header: Header) -> tuple[bool, int] | None:
    """Whether a file has the value of its role, and how many columns by the user's names; None where it does not fit.

    Without a value it may be a wide table of ratings.
    """
    try:
        columns = with_inner(columns, header)
        names = set(columns.names)
        own = {ours for ours in header.theirs if any(set(parts_of(name)) <= names for name in _names_of(header, ours))}
        with_names = renamed(columns, header.of_files(2))  # what it lacks is another file's
    except InputError:
        return None
    if not own:
        return None
    value = any(ours in with_names for ours in VALUES[columns.role])
    return (value, len(own)) if all(ours in with_names for ours in IDS) else None


def _names_of(header: Header, ours: str) -> Sequence[str]:
    return header.names_of(ours) if ours in header.renamed else (header.theirs[ours],)


def _of_lines(text: bytes, roles: Mapping[Role, Header]) -> Role | None:
    """What lines without names are, by how many cells they have; labels are words, or small whole numbers, no ranks."""
    rows = _cut(text[:65536], LOOKED_AT)
    if names_columns(rows[0] if rows else []):
        return None
    fits: list[Role] = []
    for role, header in roles.items():
        ours = [our_name(name) or name for name in header.names]
        at = next((ours.index(value) for value in VALUES[role] if value in ours), None)
        cells = [row[at] for row in rows if at is not None and len(row) == len(ours)]
        numbers = [number_of(cell) for cell in cells]
        labels = all(number is None or (number.is_integer() and abs(number) <= LEVELS) for number in numbers)
        if cells and (labels if role != "runs" else None not in numbers):
            fits.append(role)
    if len(fits) > 1 and "runs" in fits and (is_of_run(text) or _are_ranked(_cut(text, MOST_LINES), roles["runs"])):
        return "runs"
    return fits[0] if fits else None


def is_of_run(text: bytes) -> bool:
    r"""Whether the first line is of a run as TREC has them, whatever separates its cells; those of judgments have four.

    >>> is_of_run(b"1,Q0,a,1,2.5,r\n"), is_of_run(b"1 Q0 a 1\n")
    (True, False)
    """
    cells = next(iter(_cut(text[:65536], 1)), [])
    return len(cells) > 4 and cells[1].strip().upper() == "Q0"


def _cut(text: bytes, most: int) -> list[list[str]]:
    """The cells of the first lines: between tabs, commas or semicolons, else between blanks."""
    first = first_line(text)
    separator = "\t" if "\t" in first else separator_of(first)
    lines = text.decode(errors="replace").splitlines()[:most]
    return [line.split(separator) if separator in first else line.split() for line in lines if line.strip()]


def _are_ranked(rows: Sequence[Sequence[str]], header: Header) -> bool:
    """Whether the column that is said to have ranks has 1, 2, 3, ... or 0, 1, 2, ... once each in most topics.

    Topics with one or two lines do not tell: labels of 1, or of 0 and 1, are as likely.
    """
    ours = [our_name(name) or name for name in header.names]
    if not {"topic", "rank"} <= set(ours):
        return False
    lists, rank = [at for at, name in enumerate(ours) if name in ("topic", "system")], ours.index("rank")
    of_topics: dict[tuple[str, ...], list[float | None]] = {}
    for row in rows:
        if len(row) == len(ours):
            of_topics.setdefault(tuple(row[at] for at in lists), []).append(number_of(row[rank]))
    long_topics = [numbers for numbers in of_topics.values() if len(numbers) > 2]
    ranked = [set(numbers) in ({*range(len(numbers))}, {*range(1, len(numbers) + 1)}) for numbers in long_topics]
    return 2 * sum(ranked) > len(long_topics)


def columns_in(path: PathLike) -> list[str]:
    """The names of the columns of a table, and paths into its objects, as they are written; none of another file.

    A file that is missing is refused: that it has no such column would mislead.
    """
    try:
        text, kind = marked(read_bytes(path), shown_path(path))
        if kind is None and (_is_nested(text, path) or not _has_names(text)):
            return []
        table = read(text, kind, shown_path(path)) if kind else read_file(path)[0]
    except TruegainError as error:
        if isinstance(error.__context__, FileNotFoundError):
            raise
        return []
    columns = Columns(table, shown_path(path))
    return [*columns.all_written, *inner_names(columns, places=True)]


def _has_names(text: bytes) -> bool:
    """Whether the first line may name columns, known ones or not: it is no line of TREC, and no cell is a number."""
    first = first_line(text)
    if first.startswith(("{", "[")):
        return True
    cells = [cell.strip().strip('"') for cell in next(iter(_cut(text[:65536], 1)), [])]
    blanks = len(cells) > 1 and not any(mark in first for mark in "\t,;")
    return not (blanks or any(looks_like(text, layout) for layout in (RUN, JUDGMENTS)) or any(map(is_number, cells)))


def check_columns_exist(options: FileOptions, named: Mapping[str, Sequence[str]]) -> None:
    """Refuse the name of a column that no file has.

    named: by file its columns.

    >>> check_columns_exist(FileOptions(runs_header=Header(renamed={"score": "bm52"})), {"a.csv": ["doc", "bm25"]})
    Traceback (most recent call last):
    truegain.errors.InputError: columns: no file has a column 'bm52' (check its name; columns of a.csv: doc, bm25)
    """
    there = {name.strip().lower() for names in named.values() for name in names}
    for header in (options.judgments_header, options.runs_header, options.gold_header):
        for ours in header.renamed:
            for name in header.names_of(ours):
                if not _is_among(name, there):
                    raise _no_file_has(name, named)


def _is_among(name: str, columns: Collection[str]) -> bool:
    return all(part in columns or part.partition(".")[0] in columns for part in parts_of(name))


MOST_FILES = 3  # whose columns a message lists


def _no_file_has(name: str, named: Mapping[str, Sequence[str]]) -> InputError:
    listed = [f"columns of {file}: {', '.join(names)}" for file, names in named.items()]
    rest = [counted(len(listed) - MOST_FILES, "more file")] if len(listed) > MOST_FILES else []
    there = "; ".join([*listed[:MOST_FILES], *rest])
    hint = f"check its name; {there}" if listed else "give tables that name their columns"
    return InputError(f"{argname('columns')}: no file has a column '{name}'", hint=hint)


def check_column_exists(values: Iterable[object], name: str) -> None:
    """Refuse the name of a column that none of the files has which a command was given.

    values: what options have; what names no file is passed over.
    """
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    named: dict[str, Sequence[str]] = {}
    for text in texts:
        if not isinstance(text, str) or is_irds(text):
            continue
        if text == STANDARD_INPUT or is_remote(text):
            return  # which may have it
        with suppress(TruegainError):
            for path in expand([text]):
                names = columns_in(path) if can_be_read_again(path) else []
                if _is_among(name, {one.strip().lower() for one in names}):
                    return
                named |= {shown_path(path): names} if names else {}
    raise _no_file_has(name, named)


# ---- Ids in the files beside one whose columns are not known: they tell its topics from its documents.

MOST_LINES = 200_000  # that are looked at


def ids_elsewhere(runs: Sequence[str], role: Role) -> KnownIds | None:
    """Topics and documents of the judgments, or for the judgments of a run; None where these cannot be read either."""
    options = file_options()
    with read_with(replace(options, elsewhere=lambda role: None)):  # noqa: ARG005  which would ask for this file's
        try:
            beside = [(path, options.runs_header) for path in expand(runs)] if role == "judgments" else []
            if role != "judgments" and options.judgments is not None:
                beside = [(options.judgments, options.judgments_header)]
            return next(filter(None, (ids_in(path, header) for path, header in beside)), None)
        except TruegainError:
            return None


def ids_in(path: str, header: Header) -> KnownIds | None:
    """Topics and documents of a file whose columns are known."""
    if not can_be_read_again(path) or is_irds(path):
        return None
    try:
        text, kind, file = loaded(path, header)
        if kind == NESTED:
            whole = nested(text, file)
            return {"topic": set(whole), "doc": {doc for of in whole.values() if isinstance(of, dict) for doc in of}}
        if kind is not None or header.names:
            table = read(text, kind, file) if kind is not None else read_unnamed(text, header.names, file)
            columns = renamed(Columns(table, file, header.role), header)
            return {ours: set(columns.any_ids(ours)) for ours in IDS}
    except TruegainError:
        return None
    if not any(looks_like(text, layout) for layout in (RUN, JUDGMENTS)):
        return None
    lines = [line.split() for line in text.decode(errors="replace").splitlines()[:MOST_LINES]]
    rows = [line for line in lines if len(line) > 3]
    return {"topic": {row[0] for row in rows}, "doc": {row[2] for row in rows}} if rows else None


# ---- Runs whose scores have a name that is not known: told from labels and ratings by what the column holds.

DIFFERENT = 0.8  # of the values of a topic, at least, where they are scores
BEST_IS_LEAST = ("distance", "dist", "loss", "perplexity", "rmse")  # parts of names of columns that order upward


@dataclass(frozen=True)
class OrderColumns:
    """The columns of a table that may order the documents of a run: scores, or ranks from 0 or 1.

    labels: other columns that have few values, as labels do; then it may be a table of judgments.
    """

    scores: tuple[str, ...] = ()
    ranks: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.scores or self.ranks)

    @property
    def only(self) -> tuple[str, str] | None:
        """Our name and the file's of the one column that can order documents; None where it must be asked."""
        if self.labels or any(part in name.lower() for name in self.scores for part in BEST_IS_LEAST):
            return None
        if len(self.scores) == 1:
            return "score", self.scores[0]
        return ("rank", self.ranks[0]) if not self.scores and len(self.ranks) == 1 else None


def order_columns(columns: Columns) -> OrderColumns:
    """The columns that may order documents, where a table names topics and documents, and no label or assessor.

    Scores mostly differ within a topic, and are more than the levels of a scale, or all different and not whole.

    >>> from truegain.io.columns import Places, RawTable
    >>> cells = [["1", "1", "2", "2"], ["a", "b", "a", "c"], ["7.5", "6.1", "9.2", "3.3"], ["1", "0", "1", "1"]]
    >>> order_columns(Columns(RawTable(["qid", "docid", "bm25", "clicked"], cells, Places.rows(4)), "a.csv"))
    OrderColumns(scores=('bm25',), ranks=(), labels=('clicked',))
    """
    if not ("topic" in columns and "doc" in columns) or "label" in columns or "assessor" in columns:
        return OrderColumns()
    known = {name for matched in columns.matches.values() for name in matched}
    try:
        topics = columns.any_ids("topic")
        cells = {name: columns._column(name) for name in columns.names if name not in known}
    except InputError:  # two columns of one name, which is told where they are read
        return OrderColumns()
    scores, ranks, labels = [], [], []
    for name, column in cells.items():
        by_topic: dict[str, list[float]] = {}
        for topic, cell in zip(topics, column, strict=True):
            number = None if is_missing(cell) else number_of(cell)
            if number is None or number != number:
                break
            by_topic.setdefault(topic, []).append(number)
        else:
            if _are_ranks(list(by_topic.values())):
                ranks.append(columns.written(name))
                continue
            if is_sensible(name) and _are_scores(list(by_topic.values())):
                scores.append(columns.written(name))
                continue
        values = {str(cell).strip() for cell in column if not is_missing(cell)}
        if 1 < len(values) <= LEVELS and 2 * len(values) <= len(column):
            labels.append(columns.written(name))
    return OrderColumns(tuple(scores), tuple(ranks), tuple(labels))


def _are_ranks(lists: Sequence[Sequence[float]]) -> bool:
    """Whether most lists of several hold the numbers from 0 or from 1 on, each once."""
    longer = [sorted(one) for one in lists if len(one) > 1]
    rise = [one for one in longer if one[0] in (0, 1) and one == [one[0] + at for at in range(len(one))]]
    return bool(longer) and len(rise) >= DIFFERENT * len(longer) and max(map(len, longer)) > 2


def _are_scores(lists: Sequence[Sequence[float]]) -> bool:
    longer = [one for one in lists if len(one) > 1]
    rows = sum(map(len, longer))
    if not longer or sum(len(set(one)) for one in longer) < DIFFERENT * rows:
        return False
    every = [number for one in lists for number in one]
    different = len(set(every))
    return different > LEVELS or (different == len(every) and not all(map(float.is_integer, every)))
