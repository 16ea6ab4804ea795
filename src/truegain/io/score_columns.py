"""Runs whose scores have a name that is not known: told from labels and ratings by what the column holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from truegain.errors import InputError
from truegain.io.columns import number_of
from truegain.io.named_tables import Columns, is_missing
from truegain.io.separated import LEVELS, is_sensible

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
