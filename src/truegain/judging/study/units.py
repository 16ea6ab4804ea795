"""Units: every item gets its wanted number of judgments, anchors stand in each, and neighbours change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truegain.errors import TruegainError
from truegain.judging.tasks.material import Item, Unit
from truegain.message import argname
from truegain.sampling.streams import generator

Order = Literal["spread", "decisive"]
ORDERS: tuple[Order, ...] = ("spread", "decisive")
SIZE = 8  # of a unit, as in the paper
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


def room(items: int, design: Design, anchored: bool) -> int:
    """Items of a topic that a unit holds beside its anchors."""
    return min(items, design.size - 2 * anchored)


def units_needed(items: int, design: Design, anchored: bool) -> int:
    """Units that a topic of so many items needs: ceil(n J / r).

    >>> units_needed(18, Design(), True), units_needed(20, Design(judgments=3), True), units_needed(4, Design(), True)
    (30, 10, 10)
    """
    held = room(items, design, anchored)
    return -(-items * design.judgments // held) if held else 0


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
    asked = [
        [(unit.topic, item.key) for place, item in enumerate(unit.items) if place not in (unit.high, unit.low)]
        for unit in units
    ]
    listed = sorted({ranks[key] for keys in asked for key in keys if key in ranks})
    top = set(listed[: max(1, len(listed) // 10)])
    last = max((n for n, keys in enumerate(asked, 1) if any(ranks.get(key) in top for key in keys)), default=0)
    return sum(map(len, asked[:last])) / max(1, sum(map(len, asked)))


def sharing(units: Sequence[Unit]) -> dict[str, frozenset[str]]:
    """Of each unit the others that ask about an item of it, Hk and Nk aside: nobody may have two of these.

    >>> one, two = Unit("1-001", "1", (Item(("a",)), Item(("b",)))), Unit("1-002", "1", (Item(("b",)), Item(("c",))))
    >>> sharing([one, two, Unit("1-003", "1", (Item(("d",)),))])["1-001"]
    frozenset({'1-002'})
    """
    found = holding(units)
    return {
        unit.id: frozenset(other for item in unit.asked for other in found[unit.topic, item.key]) - {unit.id}
        for unit in units
    }


def holding(units: Sequence[Unit]) -> dict[tuple[str, str], list[str]]:
    """Of each topic and item the units that ask about it, Hk and Nk aside."""
    found: dict[tuple[str, str], list[str]] = {}
    for unit in units:
        for item in unit.asked:
            found.setdefault((unit.topic, item.key), []).append(unit.id)
    return found


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
            may = most is None or len(mine) < most
            at = next((i for i, unit in enumerate(free) if (of_topic is None or of[unit.topic] < of_topic)
                       and mine.isdisjoint(barred[unit.id])), None) if may else None  # fmt: skip
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
        said = "Hk, Nk and at least one more document" if anchors is not None else "at least one"
        raise TruegainError(f"{argname('size', design.size, '')}: a unit needs {said}, so give at least {least}")


def _blocks(topic: str, items: Sequence[Item], design: Design, held: int) -> list[list[int]]:
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
        if len(blocks[-1]) == held:
            blocks.append([])
        block = blocks[-1]
        left = np.array(sorted(allowed - set(block)))
        seen = met[block].sum(axis=0)[left]
        chosen = int(left[np.argmin(seen + draws.random(len(left)))])
        met[chosen, block] += 1
        met[block, chosen] += 1
        block.append(chosen)
        return chosen

    for chunk in _chunks(n, held, design):
        for _ in range(design.judgments):
            left = set(chunk)
            while left:
                left.discard(put(left))
    more = set(range(n))
    while len(blocks[-1]) < held:
        more.discard(put(more))
    return blocks


def _chunks(n: int, held: int, design: Design) -> list[range]:
    """Items that are judged together: all; or, where the order is decisive, some units' worth after the other."""
    if design.order == "spread":
        return [range(n)]
    step = CHUNK * held
    starts = list(range(0, n, step))
    if len(starts) > 1 and n - starts[-1] < held:
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
