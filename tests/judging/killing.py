"""Faults under load, and what is left of what was acknowledged: shared by the tests and `benchmarks.judging`."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from random import Random

from tests.judging.served import Served
from tests.judging.visiting import Visitor, parts
from tests.judging.walking import rows
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, events, sessions, units
from truegain.judging.workflow.tokens import code_digest, visible_fields

HELD = ("topic", "doc", "revise", "done")  # pages of who holds a unit, or did it
KINDS = {"practice": "practice", "topic": "question", "doc": "item"}


@dataclass(frozen=True)
class Kept:
    """What a database has of what was acknowledged.

    acknowledged: answers whose submit got a 303 that leads on.  lost: of them, not in the database.  doubled: answers
    beyond the first of the same page and text.  without_event: answers that have no line of their own in the audit
    trail.  lone_events: lines that tell of an answer which is not there.  bad_codes: of those that assessors were
    shown, not those of a finished unit.  claims: units that assessors were led to.  claims_lost: of them, those that
    the database has no claim of, or that are neither held nor done by who was led there.  claims_doubled: claims beyond
    the first of one session, and units that two hold or did.
    """

    acknowledged: int
    stored: int
    lost: int
    doubled: int
    without_event: int
    lone_events: int
    bad_codes: int
    codes: int
    claims: int
    claims_lost: int
    claims_doubled: int

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing and nothing is too much."""
        answers = self.lost or self.doubled or self.without_event or self.lone_events or self.bad_codes
        return not (answers or self.claims_lost or self.claims_doubled)


def kept(database: Database, visitors: Sequence[Visitor]) -> Kept:
    """Compare what assessors were told with what the database has."""
    by_token = {row.token: row for row in rows(database, sessions)}
    stored = rows(database, answers)
    lines = {row.id: row for row in rows(database, events)}
    texts = Counter(_key(row.session, row.kind, row.number, row.fields) for row in stored)
    told = [a for visitor in visitors for a in visitor.acked if a.step in KINDS]
    lost = sum(not texts[_key(by_token[a.token].id, KINDS[a.step], a.number, visible_fields(a.fields))] for a in told)
    alone = 0
    for row in stored:
        line = lines.get(row.event)
        said = (line.session, line.kind, line.about.get("what"), line.about.get("number")) if line else None
        alone += said != (row.session, "late" if row.late else "answered", row.kind, row.number)
    own = {row.event for row in stored}
    claims = _claims(database, visitors)
    codes = [(token, code) for visitor in visitors for token, code in visitor.codes.items()]
    return Kept(
        acknowledged=len(told), stored=len(stored), lost=lost, doubled=sum(n - 1 for n in texts.values()),
        without_event=alone + len(stored) - len(own),
        lone_events=sum(line.kind in ("answered", "late") and line.id not in own for line in lines.values()),
        bad_codes=sum(by_token[token].code != code_digest(code) for token, code in codes), codes=len(codes),
        claims=claims[0], claims_lost=claims[1], claims_doubled=claims[2],
    )  # fmt: skip


def led_to(visitor: Visitor) -> set[str]:
    """The sets that an assessor was led to, by their tokens."""
    return {parts(at)[0] for method, at, _ in visitor.asked if method == "GET" and parts(at)[1] in HELD}


def _claims(database: Database, visitors: Sequence[Visitor]) -> tuple[int, int, int]:
    """Units that assessors were led to, those of them that are not theirs, and those that are somebody's twice.

    No lease ran out and nobody left: a unit is held by the session that claimed it, or done by it.
    """
    by_token = {row.token: row for row in rows(database, sessions)}
    claimed = Counter(row.session for row in rows(database, events, kind="claimed"))
    owner = {row.session: row for row in rows(database, units) if row.session is not None}
    led = {token for visitor in visitors for token in led_to(visitor)}
    mine = {token: row for token, row in by_token.items() if claimed[row.id] and row.id in owner}
    lost = sum(token not in mine or owner[mine[token].id].id != mine[token].unit for token in led)
    taken = Counter(s.unit for s in by_token.values() if claimed[s.id] and s.outcome in (None, "done"))
    return len(led), lost, sum(n - 1 for n in (*claimed.values(), *taken.values()))


def _key(session: str, kind: str, number: int, fields: object) -> str:
    number = 1 if kind == "question" else number
    return json.dumps([session, kind, number, fields], sort_keys=True)


async def work_on(visitor: Visitor) -> None:
    """One unit after the other, until there is none."""
    at = await visitor.enter()
    while at.startswith("/u/"):
        await visitor.unit(at)
        at = await visitor.another()


async def under_load(visitors: Sequence[Visitor], fault: asyncio.Task[None], *, after: float = 0.3) -> None:
    """Let assessors work while a fault is done to them, and a moment after; raises what either raises."""
    working = [asyncio.create_task(work_on(visitor)) for visitor in visitors]
    try:
        await asyncio.wait([fault, *working], return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(working, timeout=after, return_when=asyncio.FIRST_COMPLETED)
        for task in working:
            if task.done():
                task.result()
        assert fault.done(), "an assessor was through before the fault was"
        fault.result()
    finally:
        for task in [fault, *working]:
            task.cancel()
        await asyncio.gather(fault, *working, return_exceptions=True)
        for visitor in visitors:
            await visitor.link.close()


async def kill(served: Served, visitors: Sequence[Visitor], times: int, draws: Random, most: int = 6) -> None:
    """SIGKILL a server again and again, each time after it acknowledged 1 to `most` submits, and start it at once."""
    for _ in range(times):
        enough = sum(len(visitor.acked) for visitor in visitors) + draws.randint(1, most)
        while sum(len(visitor.acked) for visitor in visitors) < enough:
            await asyncio.sleep(draws.uniform(0, 0.02))
        served.kill()
        served.start()
    while not all(map(led_to, visitors)):  # on a slow machine some are still at the practice
        await asyncio.sleep(0.05)


def told(name: str, found: Kept, troubles: Counter[str], **more: object) -> str:
    """Figures on one line."""
    parts = [f"{k.replace('_', ' ')} {v}" for k, v in {**more, **asdict(found)}.items()]
    parts += [f"{name} {number}" for name, number in sorted(troubles.items())]
    return f"{name}: " + ", ".join(parts)
