"""Tables as they stand in files: columns of cells under the names their owner gave, and the names that we know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.tables.columns import Places

COLUMNS: dict[str, tuple[str, ...]] = {
    "topic": (
        "topic", "query_id", "qid", "topic_id", "q_id", "question_id", "queryid", "questionid", "topicid", "query",
    ),
    "doc": (
        "doc", "doc_id", "docno", "docid", "passage_id", "document_id", "corpus_id", "passageid", "documentid",
        "corpusid", "document", "pid", "chunk_id", "chunkid",
    ),
    "label": ("label", "relevance", "rel", "grade", "gain", "judgment", "rating", "value"),
    "score": ("score", "sim"),
    "rank": ("rank", "position"),
    "system": ("system", "run", "run_id"),
    "subtopic": ("subtopic", "iteration", "intent"),
    "assessor": ("assessor", "worker", "judge", "rater", "annotator"),
}  # fmt: skip
_OURS = {theirs: ours for ours, names in COLUMNS.items() for theirs in names}
BEIR = {"query_id", "corpus_id", "score"}  # all columns of its qrels, where a score is a label
# what else may be known of a judgment; backs and sent_back are of its unit: uses of the back button, failed checks;
# chosen says what asked for it, see `chosen_rows` of `Judgments`
EXTRA = ("unit", "seconds", "comment", "order", "gold", "anchor", "backs", "sent_back", "model", "chosen")


@dataclass(frozen=True, eq=False)
class RawTable:
    """Columns as lists, in the order of the file, and the line each row begins on."""

    columns: list[str]
    values: list[list[Any]]
    places: Places
    guarded: bool = False  # of CSV and TSV: ids that a spreadsheet would run have a quote before them, see `harmless`

    def column(self, at: int) -> list[Any]:
        """The values of one column."""
        return self.values[at]


def plain_name(name: str) -> str:
    """A column's name as it is looked up: query-id and "Query ID" are query_id.

    >>> plain_name(" Query-ID ")
    'query_id'
    """
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def our_name(name: str) -> str | None:
    """Our name of a column that its owner calls otherwise; None where we know no such name.

    >>> our_name("Passage-ID"), our_name("grade"), our_name("url")
    ('doc', 'label', None)
    """
    return _OURS.get(plain_name(name))


def names_columns(cells: Sequence[str], renamed: Mapping[str, str] | None = None) -> bool:
    """Whether the cells of a line are names of columns, a topic's and a document's among them, perhaps other ones."""
    names = {name.strip().strip('"').lower() for name in cells}
    ours = {our_name(name) for name in names}
    found = (o in ours or names & {*parts_of((renamed or {}).get(o, ""))} for o in ("topic", "doc"))
    return all(found) and not any(map(is_number, names))


def parts_of(name: str) -> list[str]:
    """The columns that a name such as query+facet joins."""
    return [part.strip().lower() for part in name.split("+")] if name else []


def of_objects(rows: Sequence[Mapping[str, Any]], places: Places) -> RawTable:
    """A table of objects, a column for every name that one of them has."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return RawTable(names, [[row.get(name) for row in rows] for name in names], places)


def number_of(value: Any) -> float | None:
    """A number, or text that is one as in a TREC file, as float; None for everything else."""
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def plain_numbers(values: Sequence[Any]) -> npt.NDArray[np.float64] | None:
    """What `number_of` says of each value, at once, where all are text of a number; None where one is not, or is NaN.

    >>> plain_numbers(["1", "2.5"]), plain_numbers(["1", "high"])
    (array([1. , 2.5]), None)
    """
    try:
        text = "".join(values)
        found = np.fromiter(map(float, values), np.float64, len(values))
    except (TypeError, ValueError):
        return None
    return None if "_" in text or not text.isascii() or np.isnan(found).any() else found


def is_bool(value: object) -> bool:
    """Whether a value is true or false, which can be a label and not a score."""
    return isinstance(value, bool | np.bool_)


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    return number_of(text) is not None
