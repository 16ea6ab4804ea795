"""Values of answers as ratings: who gave each answer which value, in the form in which agreement is measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from truegain.data.items import Items
from truegain.data.judgments import NO_SUBTOPIC, Judgments
from truegain.data.nuggets import NOT_ASSIGNED
from truegain.errors import InputError, TruegainError, counted, some, warn
from truegain.io.columns import Coded, Ids, Ints, frozen
from truegain.io.nugget_files import SCORE
from truegain.message import arg

UNNAMED = "unnamed judge"
MOST_LEVELS = 11  # values of a scale such as 0 to 10; more are numbers that are seldom equal


class RatedItems(NamedTuple):
    """Values of answers as ratings.

    Attributes
    ----------
    ratings : Judgments
        One row a value; documents are answers, or the items of answers.
    score : str
        What the values are of.
    by : str
        Who gave them: 'judge', or 'repeat' where one judge was asked again.
    scale : str or None
        Their level of measurement: 'nominal' of two values, 'interval' of numbers; None of nuggets, whose labels are
        in an order.
    notes : tuple of str
        What must be said of agreement of repeats, and of coefficients that count equal values.
    """

    ratings: Judgments
    score: str
    by: str
    scale: str | None
    notes: tuple[str, ...] = ()


def document_names(items: Items) -> tuple[list[str], list[str]]:
    """The topic of each row, and the document that its item is: the system, or system and item.

    >>> import truegain as tg
    >>> document_names(tg.read_items({"faith": {"old": {"q1": 0.5}}}))
    (['q1'], ['old'])
    """
    topics = items.topic.strings()
    both = list(zip(items.system.strings(), items.item.strings(), strict=True))
    docs = [f"{system}: {item}" if item else system for system, item in both]
    first: dict[str, tuple[str, str]] = {}
    for doc, pair in zip(docs, both, strict=True):
        if (before := first.setdefault(doc, pair)) != pair:
            raise InputError(
                f"system {before[0]!r} with item {before[1]!r} and system {pair[0]!r} with item {pair[1]!r} have the "
                f"same name, {doc!r}", file=items.source, hint="rename one of the systems",
            )  # fmt: skip
    return list(topics), docs


def ratings_of_items(items: Items) -> RatedItems:
    """The values of one score, each with who gave it; missing values are left out.

    Where some item has values of several judges, judges are compared, by the first value that each gave it.  Otherwise
    the repeats of one judge are.

    Parameters
    ----------
    items : Items
        The values of one score.

    Returns
    -------
    RatedItems
        The ratings, and what they are.

    Examples
    --------
    >>> import truegain as tg
    >>> rows = [{"system": "a", "topic": t, "faith": v, "judge": j} for t, *vs in (("1", 0.5, 0.4), ("2", 1, 0.9))
    ...         for j, v in zip(("ann", "bob"), vs)]
    >>> rated = ratings_of_items(tg.read_items(rows))
    >>> rated.by, rated.scale, rated.ratings.assessor.strings()
    ('judge', 'interval', ['ann', 'bob', 'ann', 'bob'])
    """
    names = list(dict.fromkeys(items.score.strings()))
    if len(names) > 1:
        one = arg("score", names[0], python=f"items.of_score({names[0]!r})")
        raise TruegainError(f"which score of {items.source}? There are {some(names, 10)}; choose by {one}")
    (name,), every = names, items
    known = every.take(np.flatnonzero(~np.isnan(every.value)))
    if not len(known):
        raise InputError(f"{name} has no value for any answer", file=items.source, hint="choose another score")
    asked = sum(why != NOT_ASSIGNED for why in every.status.strings())  # a nugget that a file does not list
    if lost := asked - len(known):
        warn(f"{name}: {lost:,} of {counted(asked, 'value')} are missing and left out, not counted as 0")
    topics, docs = document_names(known)
    item = _numbered(topics, docs)
    judges = [judge or UNNAMED for judge in known.judge.strings()]
    cell = _numbered(item.tolist(), judges)
    per_item = np.bincount(np.unique(np.stack([item, cell]), axis=1)[0])
    if (per_item > 1).any():
        rows = _first_of_each(cell, known.replicate)
        if again := len(cell) - len(rows):
            warn(
                f"{name}: {counted(again, 'value')} left out, because agreement is of single values: of several values "
                "of an answer by one judge the first counts"
            )
        who, by, notes = judges, "judge", list[str]()
    elif len(np.unique(cell)) < len(cell):
        rows, by = np.arange(len(cell), dtype=np.int64), "repeat"
        who = [f"repeat {number}" for number in known.replicate.tolist()]
        of = f" by one judge ({judges[0]})" if len(set(judges)) == 1 and judges[0] != UNNAMED else ""
        notes = [
            f"repeats{of}: how well values are reproduced, not whether they are right; where each repeat is of a new "
            "answer, answers differ, too"
        ]
    else:
        raise InputError(
            f"every value of {name} is the only one of its answer"
            f"{f', by {some(list(dict.fromkeys(judges)))}' if any(known.judge.strings()) else ''}, so there is nothing "
            "that could agree", file=items.source,
            hint="give values of several judges, with a column 'judge', or of several repeats, with a column "
            "'replicate'",
        )  # fmt: skip
    table = Judgments(
        Coded.of(topics), Ids.of(docs), known.value, Coded.of([NO_SUBTOPIC] * len(known)),
        assessor=Coded.of(who), source=items.source,
    )  # fmt: skip
    values = np.unique(known.value)
    scale = None if items.are_nuggets and name == SCORE else "nominal" if np.isin(values, (0, 1)).all() else "interval"
    if len(values) > MOST_LEVELS:
        notes.append(
            f"{len(values):,} different values: percent agreement, Fleiss' kappa and plain Cohen's kappa count exactly "
            "equal ones alone; alpha counts how far they are apart"
        )
    return RatedItems(table.take(rows), name, by, scale, tuple(notes))


def _numbered(*columns: Sequence[object]) -> Ints:
    """A number for each different row of columns."""
    number: dict[tuple[object, ...], int] = {}
    return frozen(np.array([number.setdefault(row, len(number)) for row in zip(*columns, strict=True)], np.int64))


def _first_of_each(cell: Ints, replicate: Ints) -> Ints:
    """The row of the lowest replicate of each cell, in the order of the rows."""
    order = np.lexsort((replicate, cell))
    new = np.concatenate([[True], np.diff(cell[order]) != 0])
    return np.sort(order[new])
