"""What pages ask about, made of the pool: documents, pairs of them, claims; and the Hk and Nk of each topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from truegain.errors import some
from truegain.judging.study.pool import PoolRow
from truegain.judging.study.reading import TopicRow
from truegain.judging.tasks.material import Item
from truegain.judging.tasks.task import Task
from truegain.sampling.streams import generator
from truegain.tables.paper import counted

Anchors = dict[str, tuple[Item, Item]]
ANCHORS = "a topic's known highly relevant and its known non-relevant document, which check attention"
SAY = "give labels (`truegain judging init --anchors` takes a qrels file), or `high` and `low` of each topic"
LISTED = 5  # topics in a sentence


def anchors_of(
    topics: Sequence[TopicRow], pool: Mapping[str, Sequence[PoolRow]], labels: Sequence[PoolRow], faults: list[str]
) -> Anchors:
    """Hk and Nk of each topic: those that it names, else the first with the highest and the lowest label.

    labels: that they are chosen by, where not by those of the pool.
    """
    found: Anchors = {}
    bare: list[str] = []
    alike: list[str] = []
    for row in topics:
        topic, own = row.topic.id, pool.get(row.topic.id, ())
        high, low = row.high, row.low
        if bool(high) != bool(low):
            faults.append(f"{row.place}: topic {topic} names {'high' if high else 'low'} alone; name both Hk and Nk")
            continue
        if not high:
            known = [r for r in (labels or own) if r.label is not None and r.topic == topic]
            if not known:
                bare.append(topic)
                continue
            most, least = max(r.label or 0.0 for r in known), min(r.label or 0.0 for r in known)
            if most == least:
                alike.append(topic)
                continue
            high = next(r.item.docs[0] for r in known if r.label == most)
            low = next(r.item.docs[0] for r in known if r.label == least)
        if high == low:
            faults.append(f"{row.place}: topic {topic} has the same document, {high}, as Hk and as Nk")
            continue
        there = {r.item.docs[0]: r.item for r in own}
        found[topic] = (there.get(high, Item((high,))), there.get(low, Item((low,))))
    if bare:
        faults.append(
            f"Hk and Nk ({ANCHORS}) are not known of {counted(len(bare), 'topic')}: {some(bare, LISTED)}; {SAY}"
        )
    if alike:
        many = counted(len(alike), "topic")
        faults.append(f"all labels are alike in {many}, and Hk would be as Nk: {some(alike, LISTED)}; {SAY}")
    return found


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
    found: dict[str, list[Item]] = {}
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
        found[topic] = left
    return found


def _problem(topic: str, items: Sequence[Item], task: Task) -> str:
    """What of the pool's rows does not fit the task."""
    sizes = {len(item.docs) for item in items}
    claims = sum(bool(item.claim) for item in items)
    if task.name == "claim" and claims < len(items):
        without = counted(len(items) - claims, "row")
        return f"topic {topic}: {without} of the pool without a `claim` beside the cited document"
    if task.name != "claim" and claims:
        return f"topic {topic}: {counted(claims, 'row')} of the pool with a claim, which {task.name} does not ask about"
    if sizes - {1, task.docs_per_item} or len(sizes) > 1:
        wanted = "one document" if task.docs_per_item == 1 else "two documents, or all of them one"
        return f"topic {topic}: each row of the pool must have {wanted}"
    if any(len(set(item.docs)) < len(item.docs) for item in items):
        return f"topic {topic}: a pair is twice the same document"
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
            f"topic {topic}: documents were drawn with probabilities, and those of pairs do not follow from them; "
            "name the pairs (doc_a, doc_b) with the probability of each"
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
        (topic, item.key): first[topic, item.key]
        if (topic, item.key) in first
        else min(first[topic, doc] for doc in item.docs)
        for topic, own in items.items()
        for item in own
    }
