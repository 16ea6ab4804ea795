"""From a pool to units: which items are judged, by how many, and which of them one assessor gets together."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truegain.errors import TruegainError, counted, some
from truegain.judging.study.files import PoolRow, TopicRow
from truegain.judging.tasks.base import Item, Task, Unit
from truegain.message import argname
from truegain.sampling.streams import generator

Order = Literal["spread", "decisive"]
ORDERS: tuple[Order, ...] = ("spread", "decisive")
SIZE = 8  # of a unit, as in the paper
SECOND = "-2"  # ends the name of a unit that asks a second person about a row
CHUNK = 2  # units' worth of items that are judged together where the order is decisive


@dataclass(frozen=True)
class Design:
    """How units are built: judgments an item, items a unit (anchors among them), and which come first."""

    judgments: int = 10
    size: int = SIZE
    order: Order = "spread"
    seed: int = 0


def build_units(
    items: Mapping[str, Sequence[Item]],
    design: Design,
    anchors: Mapping[str, tuple[Item, Item]] | None = None,
    ranks: Mapping[tuple[str, str], int] | None = None,
) -> tuple[Unit, ...]:
    """Units of all topics in the order in which they are given out.

    items: of each topic, anchors not among them.  anchors: Hk and Nk of each topic, which are put into every unit.
    ranks: the place of (topic, item's key) in the list; where the order is decisive, units follow it.

    Of n items a topic has U = ceil(n J / r) units, r the room that anchors leave; U r - n J items get one judgment more
    than the J wanted, and none twice from one unit.  A topic with fewer items than room has J units of all of them.

    >>> items = [Item((d,)) for d in "abcdef"]
    >>> units = build_units({"1": items}, Design(judgments=2, size=5), {"1": (Item(("high",)), Item(("low",)))})
    >>> len(units), sorted(d for u in units for i in u.items for d in i.docs if len(d) == 1)
    (4, ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd', 'e', 'e', 'f', 'f'])
    """
    _check(design, anchors)
    made: list[tuple[tuple[float, int], Unit]] = []
    for number, (topic, own) in enumerate(items.items()):
        pair = (anchors or {}).get(topic)
        blocks = _blocks(topic, own, design, room(len(own), design, bool(pair)))
        draws = generator(design.seed, f"places {topic}")
        for i, block in enumerate(blocks):
            unit = _unit(f"{topic}-{i + 1:03d}", topic, [own[k] for k in block], pair, draws)
            if design.order == "decisive" and ranks:
                first = float(min(ranks[topic, own[k].key] for k in block))
            else:
                first = (i + 0.5) / len(blocks)
            made.append(((first, number), unit))
    return tuple(unit for _, unit in sorted(made, key=lambda pair: pair[0]))


def rows_as_units(
    items: Mapping[str, Sequence[Item]], double: float, ranks: Mapping[tuple[str, str], int]
) -> tuple[Unit, ...]:
    """A unit of each row of a list, in the list's order; two of a row that a second person labels, too.

    Which rows these are depends on the row alone: a larger share adds some and takes none away.

    >>> items = {"1": [Item(("a",)), Item(("b",))], "2": [Item(("c",))]}
    >>> ranks = {("1", "a"): 0, ("2", "c"): 1, ("1", "b"): 2}
    >>> [unit.id for unit in rows_as_units(items, 0.5, ranks)]
    ['1-001', '1-001-2', '2-001', '1-002', '1-002-2']
    """
    made: list[tuple[int, int, Unit]] = []
    for topic, own in items.items():
        for i, item in enumerate(own):
            name, place = f"{topic}-{i + 1:03d}", ranks[topic, item.key]
            made.append((place, 1, Unit(name, topic, (item,))))
            if is_doubled(topic, item.key, double):
                made.append((place, 2, Unit(f"{name}{SECOND}", topic, (item,))))
    return tuple(unit for _, _, unit in sorted(made, key=lambda row: row[:2]))


def is_doubled(topic: str, key: str, share: float) -> bool:
    """Whether a second person labels a row, too: by a hash of it, which neither order nor time changes.

    >>> sum(is_doubled("7", str(doc), 0.1) for doc in range(1000))
    93
    """
    digest = hashlib.sha256(json.dumps([topic, key]).encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def room(items: int, design: Design, anchored: bool) -> int:
    """Items of a topic that a unit holds beside its anchors."""
    return min(items, design.size - 2 * anchored)


def units_needed(items: int, design: Design, anchored: bool) -> int:
    """Units that a topic of so many items needs: ceil(n J / r).

    >>> units_needed(18, Design(), True), units_needed(20, Design(judgments=3), True), units_needed(4, Design(), True)
    (30, 10, 10)
    """
    places = room(items, design, anchored)
    return -(-items * design.judgments // places) if places else 0


def usual_size(order: Order, has_anchors: bool) -> int:
    """Items a unit where nobody says: a list whose top decides is judged one by one, so that its top is complete first.

    >>> usual_size("spread", False), usual_size("decisive", False), usual_size("decisive", True)
    (8, 1, 8)
    """
    return 1 if order == "decisive" and not has_anchors else SIZE


def first_tenth(units: Sequence[Unit], ranks: Mapping[tuple[str, str], int]) -> float:
    """The share of all judgments after which the first tenth of a list is complete, units given out in their order.

    Hk and Nk, which every unit has, are left aside.

    >>> items, ranks = {"1": [Item((d,)) for d in "abcdefghij"]}, {("1", d): i for i, d in enumerate("abcdefghij")}
    >>> [first_tenth(build_units(items, Design(1, size, "decisive"), None, ranks), ranks) for size in (1, 5)]
    [0.1, 0.5]
    """
    early = [
        [(unit.topic, item.key) for place, item in enumerate(unit.items) if place not in (unit.high, unit.low)]
        for unit in units
    ]
    listed = sorted({ranks[key] for keys in early for key in keys if key in ranks})
    top = set(listed[: max(1, len(listed) // 10)])
    last = max((n for n, keys in enumerate(early, 1) if any(ranks.get(key) in top for key in keys)), default=0)
    return sum(map(len, early[:last])) / max(1, sum(map(len, early)))


def sharing(units: Sequence[Unit]) -> dict[str, frozenset[str]]:
    """Of each unit the others that ask about an item of it, Hk and Nk aside: nobody may have two of these.

    >>> one, two = Unit("1-001", "1", (Item(("a",)), Item(("b",)))), Unit("1-002", "1", (Item(("b",)), Item(("c",))))
    >>> sharing([one, two, Unit("1-003", "1", (Item(("d",)),))])["1-001"]
    frozenset({'1-002'})
    """
    units_of = holding(units)
    return {
        unit.id: frozenset(other for item in unit.judged_items for other in units_of[unit.topic, item.key]) - {unit.id}
        for unit in units
    }


def holding(units: Sequence[Unit]) -> dict[tuple[str, str], list[str]]:
    """Of each topic and item the units that ask about it, Hk and Nk aside."""
    units_of: dict[tuple[str, str], list[str]] = {}
    for unit in units:
        for item in unit.judged_items:
            units_of.setdefault((unit.topic, item.key), []).append(unit.id)
    return units_of


def given_out(units: Sequence[Unit], people: int, most: int | None, of_topic: int | None) -> int:
    """How many units so many people can take who come in turn, each given the next that they may have.

    most: units that one may take; of_topic: of one topic; None: any number.

    >>> units = [Unit(f"1-{i:03d}", "1", (Item((str(i),)),)) for i in range(10)]
    >>> given_out(units, 3, None, 1), given_out(units, 3, 2, None), given_out(units, 3, None, None)
    (3, 6, 10)
    """
    barred = sharing(units)
    free, left = list(units), list(range(min(people, len(units))))
    had: list[set[str]] = [set() for _ in left]
    topics: list[Counter[str]] = [Counter() for _ in left]
    while free and left:
        for who in tuple(left):
            mine, of = had[who], topics[who]
            allowed = (
                i
                for i, unit in enumerate(free)
                if (of_topic is None or of[unit.topic] < of_topic) and mine.isdisjoint(barred[unit.id])
            )
            at = next(allowed, None) if most is None or len(mine) < most else None
            if at is None:
                left.remove(who)
                continue
            unit = free.pop(at)
            mine.add(unit.id)
            of[unit.topic] += 1
    return len(units) - len(free)


def _check(design: Design, anchors: Mapping[str, tuple[Item, Item]] | None) -> None:
    least = 3 if anchors is not None else 1
    if design.judgments < 1:
        raise TruegainError(f"{argname('judgments', design.judgments, '')}: give at least 1 for each document")
    if design.size < least:
        needed = "Hk, Nk and at least one more document" if anchors is not None else "at least one"
        raise TruegainError(f"{argname('size', design.size, '')}: a unit needs {needed}, so give at least {least}")


def _blocks(topic: str, items: Sequence[Item], design: Design, size: int) -> list[list[int]]:
    """Places of items, unit by unit: rounds over all items are cut into units, and the last one is filled up.

    Within a round each item comes once; the next is the one that met those of the open unit least often so far.  A unit
    reaches over two rounds at most, since a round has no fewer items than a unit, so one that is not in it is left.
    """
    n = len(items)
    if not n:
        return []
    draws = generator(design.seed, f"units {topic}")
    met = np.zeros((n, n))
    blocks: list[list[int]] = [[]]

    def put(allowed: set[int]) -> int:
        """Add to the open unit the allowed item that met its items least often; ties by chance."""
        if len(blocks[-1]) == size:
            blocks.append([])
        block = blocks[-1]
        left = np.array(sorted(allowed - set(block)))
        seen = met[block].sum(axis=0)[left]
        chosen = int(left[np.argmin(seen + draws.random(len(left)))])
        met[chosen, block] += 1
        met[block, chosen] += 1
        block.append(chosen)
        return chosen

    for chunk in _chunks(n, size, design):
        for _ in range(design.judgments):
            left = set(chunk)
            while left:
                left.discard(put(left))
    more = set(range(n))
    while len(blocks[-1]) < size:
        more.discard(put(more))
    return blocks


def _chunks(n: int, size: int, design: Design) -> list[range]:
    """Items that are judged together: all; or, where the order is decisive, some units' worth after the other."""
    if design.order == "spread":
        return [range(n)]
    step = CHUNK * size
    starts = list(range(0, n, step))
    if len(starts) > 1 and n - starts[-1] < size:
        starts.pop()
    return [range(a, b) for a, b in zip(starts, [*starts[1:], n], strict=True)]


def _unit(name: str, topic: str, items: list[Item], pair: tuple[Item, Item] | None, draws: np.random.Generator) -> Unit:
    """A unit with its anchors at places drawn by chance."""
    if pair is None:
        return Unit(name, topic, tuple(items))
    order = np.argsort(draws.random(len(items) + 2)).tolist()
    every = [*items, *pair]
    high, low = order.index(len(items)), order.index(len(items) + 1)
    return Unit(name, topic, tuple(every[k] for k in order), high, low)


# ---------------------------------------------------------------------- items of a topic, and its Hk and Nk


Anchors = dict[str, tuple[Item, Item]]
ANCHORS = "a topic's known highly relevant and its known non-relevant document, which check attention"
SAY = "give labels (`truegain annotate init --anchors` takes a qrels file), or `high` and `low` of each topic"
LISTED = 5  # topics in a sentence


def anchors_of(
    topics: Sequence[TopicRow], pool: Mapping[str, Sequence[PoolRow]], labels: Sequence[PoolRow], faults: list[str]
) -> Anchors:
    """Hk and Nk of each topic: those that it names, else the first with the highest and the lowest label.

    labels: that they are chosen by, where not by those of the pool.
    """
    anchors: Anchors = {}
    bare: list[str] = []
    alike: list[str] = []
    for row in topics:
        topic, own = row.topic.id, pool.get(row.topic.id, ())
        high, low = row.high, row.low
        if bool(high) != bool(low):
            faults.append(f"{row.place}: topic {topic} names {'high' if high else 'low'} alone; name both Hk and Nk")
            continue
        if not high:
            labeled = [r for r in (labels or own) if r.label is not None and r.topic == topic]
            if not labeled:
                bare.append(topic)
                continue
            most, least = max(r.label or 0.0 for r in labeled), min(r.label or 0.0 for r in labeled)
            if most == least:
                alike.append(topic)
                continue
            high = next(r.item.docs[0] for r in labeled if r.label == most)
            low = next(r.item.docs[0] for r in labeled if r.label == least)
        if high == low:
            faults.append(f"{row.place}: topic {topic} has the same document, {high}, as Hk and as Nk")
            continue
        items = {r.item.docs[0]: r.item for r in own}
        anchors[topic] = (items.get(high, Item((high,))), items.get(low, Item((low,))))
    if bare:
        faults.append(
            f"Hk and Nk ({ANCHORS}) are unknown for {counted(len(bare), 'topic')}: {some(bare, LISTED)}; {SAY}"
        )
    if alike:
        many = counted(len(alike), "topic")
        faults.append(f"all labels are equal in {many}, so that Hk would equal Nk: {some(alike, LISTED)}; {SAY}")
    return anchors


def items_of(
    pool: Mapping[str, Sequence[PoolRow]],
    task: Task,
    opponents: int,
    seed: int,
    anchors: Anchors | None,
    faults: list[str],
) -> dict[str, list[Item]]:
    """The items of each topic, without its anchors.

    opponents: that each document is compared with, where two are asked about and the pool does not name pairs.
    """
    items_by_topic: dict[str, list[Item]] = {}
    for topic, rows in pool.items():
        items = [row.item for row in rows]
        problem = _problem(topic, items, task)
        if not problem and task.docs_per_item == 2 and len(items[0].docs) == 1:
            items, problem = pairs_of(topic, items, opponents, seed)
        if problem:
            faults.append(problem)
            continue
        pair = (anchors or {}).get(topic, ())
        left = [item for item in items if item.docs not in [a.docs for a in pair]]
        if not left:
            faults.append(f"topic {topic} has no document beside its Hk and Nk; add to the pool")
            continue
        items_by_topic[topic] = left
    return items_by_topic


def _problem(topic: str, items: Sequence[Item], task: Task) -> str:
    """What of the pool's rows does not fit the task."""
    sizes = {len(item.docs) for item in items}
    claims = sum(bool(item.claim) for item in items)
    if task.item == "claim" and claims < len(items):
        without = counted(len(items) - claims, "row")
        return f"topic {topic}: {without} of the pool without a `claim` beside the cited document"
    if task.item != "claim" and claims:
        return f"topic {topic}: {counted(claims, 'row')} of the pool with a claim, which {task.name} does not ask about"
    if sizes - {1, task.docs_per_item} or len(sizes) > 1:
        number = "one document" if task.docs_per_item == 1 else "two documents, or all of them one"
        return f"topic {topic}: each row of the pool must have {number}"
    if any(len(set(item.docs)) < len(item.docs) for item in items):
        return f"topic {topic}: a pair has the same document twice"
    return ""


def pairs_of(topic: str, items: Sequence[Item], opponents: int, seed: int) -> tuple[list[Item], str]:
    """Pairs in which each document meets so many others, as often on the left as on the right; or why there are none.

    Documents stand in a circle in an order drawn by chance, and each meets its nearest ones; so each pair there could
    be is among them with the chance k/(n - 1).

    >>> made, _ = pairs_of("1", [Item((d,)) for d in "abcdefg"], 4, 0)
    >>> len(made), made[0].probability == 4 / 6
    (14, True)
    """
    n = len(items)
    if n < 2:
        return [], f"topic {topic} has one document; a preference needs two"
    if any(item.probability < 1 for item in items):
        return [], (
            f"topic {topic}: documents were sampled with probabilities, which do not give those of pairs; name the "
            "pairs (doc_a, doc_b) with the probability of each"
        )
    order = np.argsort(generator(seed, f"pairs {topic}").random(n)).tolist()
    if n <= opponents + 1:
        near, chance = n // 2, 1.0
    else:
        near, chance = opponents // 2, opponents / (n - 1)
    made = []
    for step in range(1, near + 1):
        half = n == 2 * step  # the pairs across the circle are met from both ends
        for i in range(n // 2 if half else n):
            made.append(Item((items[order[i]].docs[0], items[order[(i + step) % n]].docs[0]), chance))  # noqa: PERF401
    return made, ""


def places_of(items: Mapping[str, Sequence[Item]], rows: Sequence[PoolRow]) -> dict[tuple[str, str], int]:
    """The place of each item in the list; of a pair that the list does not have, that of its first document."""
    first: dict[tuple[str, str], int] = {}
    for place, row in enumerate(rows):
        first.setdefault((row.topic, row.item.key), place)
    return {
        (topic, item.key): min(first[topic, key] for key in ([item.key] if (topic, item.key) in first else item.docs))
        for topic, own in items.items()
        for item in own
    }
