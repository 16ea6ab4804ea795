"""Gold values that stand in the table of the answers itself: in a column, or in the rows of one assessor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truegain.config import Gold
from truegain.data.items import Items
from truegain.errors import InputError, meant, some, there_are
from truegain.io.column_names import ASSESSOR, COLUMN, own_gold
from truegain.io.columns import Coded
from truegain.io.logs.records import UNNAMED
from truegain.message import told_value


def apart(items: Items, gold: Gold | None, score: str) -> tuple[Items, Gold | None]:
    """The values that are to be corrected, and gold with its values, where `gold` names them in the same table.

    A column holds what people say of the score, whatever it is called; rows of an assessor are of the score itself.
    """
    place = None if gold is None else own_gold("gold", gold.labels)
    if gold is None or place is None:
        return items, gold
    kind, _, name = place.partition(":")
    if f"{kind}:" == COLUMN:
        return items, replace(gold, labels=_of_column(items, name, place, score))
    is_of = np.array([judge == name for judge in items.judge.values], np.bool_)[items.judge.code]
    is_gold = is_of & (items.score.code == items.scores.index(score))
    if not is_gold.any():
        named = [judge for judge in items.judges if judge != UNNAMED]
        raise InputError(
            f"{told_value('gold', place)}: no value of {score} is by an assessor of that name; "
            f"{there_are([name], named, 10) if named else 'its values name none'}",
            file=items.source,
            hint=f"give one of these after {ASSESSOR}, or gold values in a file of their own" if named else
            "give gold values in a file of their own",
        )  # fmt: skip
    has_value = ~np.isnan(items.value) & (items.score.code == items.scores.index(score))
    if not (has_value & ~is_of).any():
        raise InputError(
            f"{told_value('gold', place)}: every value of {score} is by {name}; nothing is left to be corrected",
            file=items.source, hint="give the table with the values of the judge, too",
        )  # fmt: skip
    trusted = items.take(np.flatnonzero(is_gold))
    return items.take(np.flatnonzero(~is_of)), replace(gold, labels=trusted)


def _of_column(items: Items, name: str, place: str, score: str) -> Items:
    others = tuple(other for other in items.scores if other != score)
    if items.are_nuggets:
        raise InputError(
            f"{told_value('gold', place)}: assignments by people stand in rows, not in a column beside a model's",
            file=items.source,
            hint=f"put them into a file with the same columns, or name the assessor of their rows, as in {ASSESSOR}ann",
        )
    if name not in others:
        listed = f"he other columns are: {some(others, 10)}" if others else "here is no other column of values"
        near = None if name == score else meant(name, others)
        there = f"did you mean {near}? T{listed}" if near else f"t{listed}"
        what = "the study is about this score" if name == score else "there is no numeric column of that name"
        raise InputError(
            f"{told_value('gold', place)}: {what}; {there}", file=items.source,
            hint="name the column that people filled in, beside that of the score",
        )  # fmt: skip
    trusted = items.of_score(name)
    return replace(trusted, score=Coded.of([score] * len(trusted)))
