"""Units: every item gets its wanted number of judgments, once a unit, beside changing neighbours."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truegain.errors import TruegainError
from truegain.judging.study.units import Design, build_units, first_tenth, units_needed
from truegain.judging.tasks.base import Item, Unit

ANCHORS = (Item(("high",), 0.5), Item(("low",), 0.25))


def items(n: int) -> list[Item]:
    """Documents with probabilities of their own."""
    return [Item((f"d{i}",), 1 / (i + 1)) for i in range(n)]


def counts(units: tuple[Unit, ...]) -> Counter[str]:
    """How many judgments each document gets."""
    return Counter(item.key for unit in units for item in unit.items)


designs = st.builds(
    Design, st.integers(1, 12), st.integers(3, 10), st.sampled_from(["spread", "decisive"]), st.integers(0, 3)
)


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(n=st.lists(st.integers(1, 40), min_size=1, max_size=3), design=designs, anchored=st.booleans())
def test_every_document_gets_its_judgments(n: list[int], design: Design, anchored: bool) -> None:
    """Guards the promise to who pays: J judgments of each, one more for as few as the division asks, none twice."""
    topics = {f"t{k}": items(size) for k, size in enumerate(n)}
    anchors = dict.fromkeys(topics, ANCHORS) if anchored else None
    ranks = {(t, i.key): place for t, own in topics.items() for place, i in enumerate(own)}
    units = build_units(topics, design, anchors, ranks)
    assert len({unit.id for unit in units}) == len(units)
    for topic, own in topics.items():
        mine = tuple(unit for unit in units if unit.topic == topic)
        room = min(len(own), design.size - 2 * anchored)
        assert len(mine) == units_needed(len(own), design, anchored) == -(-len(own) * design.judgments // room)
        found = counts(mine)
        more = [found[i.key] - design.judgments for i in own]
        assert set(more) <= {0, 1}
        assert sum(more) == len(mine) * room - len(own) * design.judgments < room
        for unit in mine:
            keys = [item.key for item in unit.items]
            assert len(keys) == len(set(keys)) == room + 2 * anchored
            assert {i.key: i.probability for i in [*own, *ANCHORS]}.items() >= {
                i.key: i.probability for i in unit.items
            }.items()
            if anchored:
                assert unit.high is not None
                assert unit.low is not None
                assert (keys[unit.high], keys[unit.low]) == ("high", "low")
            else:
                assert (unit.high, unit.low) == (None, None)


def test_neighbours_change() -> None:
    """Guards the spread: in 30 units of 18 documents all 153 pairs meet, none more than twice as often as is fair."""
    units = build_units({"1": items(18)}, Design(judgments=10), {"1": ANCHORS})
    met = Counter(
        pair
        for unit in units
        for pair in combinations(sorted(i.key for i in unit.items if i.key not in ("high", "low")), 2)
    )
    fair = 30 * 15 / 153
    assert len(met) == 153
    assert max(met.values()) <= 2 * fair


def test_anchors_stand_anywhere() -> None:
    """Guards Hk and Nk against being told by their places: each is found at each place of a unit."""
    units = build_units({"1": items(60)}, Design(judgments=10), {"1": ANCHORS})
    assert {unit.high for unit in units} == {unit.low for unit in units} == set(range(8))


def test_topics_take_turns() -> None:
    """Guards an early look: at half of the units, half of those of each topic were given out, however many it has."""
    units = build_units({"a": items(12), "b": items(36)}, Design(judgments=10, size=6))
    first = Counter(unit.topic for unit in units[: len(units) // 2])
    assert first == {"a": 10, "b": 30}


def test_small_units_fill_a_list_from_its_top() -> None:
    """Guards the top of a list over many topics: units of one document complete it in order, those of eight late."""
    draws = np.random.default_rng(1)
    rows = [(str(topic), f"{topic}-{i}") for topic in range(50) for i in range(10)]
    order = [rows[k] for k in draws.permutation(len(rows))]
    own: dict[str, list[Item]] = {}
    for topic, doc in order:
        own.setdefault(topic, []).append(Item((doc,)))
    ranks = {row: place for place, row in enumerate(order)}
    shares = {}
    for size in (1, 2, 8):
        units = build_units(own, Design(1, size, "decisive"), None, ranks)
        left, given, found = set(order[:50]), 0, 0
        for unit in units:  # by hand: judge unit after unit until the first fifty rows are all judged
            given += len(unit.items)
            left -= {(unit.topic, item.key) for item in unit.items}
            found = found or (given if not left else 0)
        shares[size] = first_tenth(units, ranks)
        assert shares[size] == found / given
    assert shares[1] == 0.1
    assert shares[1] < shares[2] < 0.3 < shares[8]
    high, low = Item((order[0][1],)), Item((order[1][1],))
    anchored = build_units({"1": [Item((f"x{i}",)) for i in range(20)]}, Design(1, 4, "decisive"), {"1": (high, low)},
                           {("1", f"x{i}"): i for i in range(20)})  # fmt: skip
    known = {("1", f"x{i}"): i + 2 for i in range(20)} | {("1", high.key): 0, ("1", low.key): 1}
    assert first_tenth(anchored, known) < 0.5  # Hk and Nk are in the last unit, too


def test_decisive_units_follow_the_list() -> None:
    """Guards `--order decisive`: what comes first in the list is judged to its number before what comes last begins."""
    own = items(48)
    ranks = {("1", item.key): place for place, item in enumerate(own)}
    units = build_units({"1": own}, Design(judgments=5, size=6, order="decisive"), None, ranks)
    early = counts(units[:10])
    assert {early[f"d{i}"] for i in range(12)} == {5}
    assert not any(early[f"d{i}"] for i in range(12, 48))


def test_a_seed_gives_the_same_units() -> None:
    """Guards a study that is opened again: its units are what they were; another seed draws others."""
    one, two, other = (build_units({"1": items(20)}, Design(seed=seed), {"1": ANCHORS}) for seed in (1, 1, 2))
    assert one == two
    assert one != other
    alone = build_units({"0": items(9), "1": items(20)}, Design(seed=1), {"0": ANCHORS, "1": ANCHORS})
    assert [u for u in alone if u.topic == "1"] == list(one)  # whatever stands beside


@pytest.mark.parametrize(("design", "anchored", "said"), [
    (Design(judgments=0), False, "judgments 0: give at least 1"),
    (Design(size=2), True, "size 2: a unit needs Hk, Nk and at least one more"),
])  # fmt: skip
def test_what_cannot_be_is_refused(design: Design, anchored: bool, said: str) -> None:
    """Guards numbers that no unit can have."""
    with pytest.raises(TruegainError, match=said):
        build_units({"1": items(5)}, design, {"1": ANCHORS} if anchored else None)
