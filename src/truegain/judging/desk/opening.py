"""A study and its database meet: units are put in, and what was begun with is still what is judged."""

from __future__ import annotations

import json
import secrets
from typing import Any

from sqlalchemy import Connection, insert, select, update

from truegain.errors import InputError, some
from truegain.judging.store.database import insert_new
from truegain.judging.store.schema import events, settings, units
from truegain.judging.store.upgrade import guard
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.material import Item, Unit, base_of


def open_study(connection: Connection, study: JudgingStudy, at: float) -> bytes:
    """Put the units of a study into its database, and give back the secret that codes and signatures come from.

    Units may be added later, at the end; one that is there must be the same, or its judgments would be of something
    else.
    """
    guard(connection)
    insert_new(connection, settings, name="secret", value=secrets.token_hex(32))
    _add(connection, study)
    known = _setting(connection, "digest")
    if known != study.digest:
        if known is None:
            connection.execute(insert(settings).values(name="digest", value=study.digest))
        else:
            connection.execute(update(settings).where(settings.c.name == "digest").values(value=study.digest))
        about = {"name": study.name, "digest": study.digest, "before": known}
        connection.execute(insert(events).values(at=at, kind="study", about=about))
    return bytes.fromhex(_setting(connection, "secret"))


def _setting(connection: Connection, name: str) -> Any:
    return connection.execute(select(settings.c.value).where(settings.c.name == name)).scalar()


def _add(connection: Connection, study: JudgingStudy) -> None:
    rows = {row.id: row for row in connection.execute(select(units)).all()}
    wanted = {unit.id for unit in study.units}
    if gone := sorted(name for name in set(rows) - wanted if base_of(name) not in wanted):
        _refuse(study, f"units that the database has are gone: {some(gone)}")
    changed = [unit.id for unit in study.units if unit.id in rows and not _same(rows[unit.id], unit)]
    if changed:
        _refuse(study, f"units are not what they were: {some(changed)}")
    place = max((row.place for row in rows.values()), default=-1) + 1
    new = [unit for unit in study.units if unit.id not in rows]
    if new:
        connection.execute(insert(units), [unit_row(unit, place + i) for i, unit in enumerate(new)])


def _refuse(study: JudgingStudy, problem: str) -> None:
    hint = "judging goes on with what it began with: put the study back as it was, or take another database"
    raise InputError(problem, file=study.name, hint=hint)


def _same(row: Any, unit: Unit) -> bool:
    new = unit_row(unit, row.place)
    return all(getattr(row, name) == new[name] for name in ("topic", "high", "low", "items"))


def unit_row(unit: Unit, place: int) -> dict[str, Any]:
    """A unit as the database keeps it, free."""
    items = json.loads(json.dumps([item_row(item) for item in unit.items]))  # as the database gives it back
    row = {"id": unit.id, "topic": unit.topic, "place": place, "items": items, "high": unit.high, "low": unit.low}
    return {**row, "state": "free", "session": None}


def item_row(item: Item) -> dict[str, Any]:
    """An item as the database keeps it."""
    asked = {"chosen": item.chosen} if item.chosen else {}
    return {
        "docs": list(item.docs), "probability": item.probability, "claim": item.claim, "answer": item.answer, **asked
    }  # fmt: skip
