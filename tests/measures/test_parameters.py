"""Measures away from their defaults, worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

import truegain as tg
from truegain.measures.dcg import CG

RUN = {"1": {"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0}}


def test_utility_counts_all_four_cells() -> None:
    """Guards each weight of Utility: 2 found, 2 not relevant, 1 missed, 20 + 2 - 4 - 3 neither."""
    judged = {"1": {"a": 1, "b": 1, "c": 1, "x": 0}}
    found = tg.evaluate(RUN, judged, "Utility(a=100,b=10,c=1000,d=1,docs=20)").mean()
    assert found == 100 * 2 + 10 * 2 + 1000 * 1 + 15


def test_a_highest_gain_below_one() -> None:
    """Guards rpref_N on a scale that ends below 1: b pays all of its gain for x above it, of R + N - cg*/max_rel."""
    judged = {"1": {"a": 0.5, "b": 0.25, "x": 0.0}}
    found = tg.evaluate(RUN, judged, "rpref_N(max_rel=0.5)").mean()
    assert found == pytest.approx((0.5 + 0.25 * (1 - 1 / (3 - 0.75 / 0.5))) / 0.75)
    with pytest.raises(tg.MeasureError, match="above max_rel"):
        tg.evaluate(RUN, judged, "rpref_N(max_rel=0.4)")


def test_a_judged_zero_of_an_intent_is_judged() -> None:
    """Guards label 0 of a subtopic: it is judged non-relevant for that intent, so Bpref counts it above a."""
    qrels = pl.DataFrame({"topic": "1", "subtopic": "i", "doc": ["a", "x"], "label": [1, 0]})
    run = {"1": {"x": 2.0, "a": 1.0}}
    assert tg.evaluate(run, qrels, "IA(of='Bpref')").mean() == 0
    assert tg.evaluate(run, qrels.filter(pl.col("label") > 0), "IA(of='Bpref')").mean() == 1


GOES_ON: dict[str, Callable[[int, float, float], float]] = {  # by rank, gain and gain so far
    "INSQ(T=2,max_rel=4)": lambda i, _, __: ((i + 3) / (i + 4)) ** 2,
    "INST(T=2,max_rel=4)": lambda i, _, total: ((i + 2 + 2 - total - 1) / (i + 2 + 2 - total)) ** 2,
    "NERR10(p=0.7,max_rel=4)": lambda _, gain, __: 0.7 * (1 - gain),
    "NERR11(T=2,max_rel=4)": lambda i, gain, _: ((i + 3) / (i + 4)) ** 2 * (1 - gain),
    "BPM(T=1.5,max_rel=4)@7": lambda i, _, total: float(total < 1.5 and i < 7),
    "NERR8(max_rel=4)@7": lambda i, gain, _: (1 - gain) * (i < 7),
    "NERR9(max_rel=4)@7": lambda i, gain, _: i / (i + 1) * (1 - gain) * (i < 7),
}


@pytest.mark.parametrize("measure", GOES_ON)
def test_users_who_go_on(measure: str) -> None:
    """Guards C/W/L measures away from T = 1 and p = 0.9, by walking down the list with the user."""
    labels = [3, 0, 1, 4, 2, 0, 1]
    run = {"1": {f"d{i}": -float(i) for i in range(7)}}
    reaches, gained, looked, total = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, 1001):
        gain = labels[rank - 1] / 4 if rank <= 7 else 0.0
        total += gain
        gained, looked = gained + reaches * gain, looked + reaches
        reaches *= GOES_ON[measure](rank, gain, total)
    found = tg.evaluate(run, {"1": {f"d{i}": g for i, g in enumerate(labels)}}, measure).mean()
    assert found == pytest.approx(gained / looked, rel=1e-9)


def test_limits_of_options() -> None:
    """Guards the level and the depth: 0 and one half are levels, 1 is a depth; less is refused."""
    for level in (0.0, 0.5, 1.0):
        tg.Scoring(relevant_from=level)
    tg.Scoring(depth=1)
    with pytest.raises(tg.TruegainError, match="negative"):
        tg.Scoring(relevant_from=-0.01)
    with pytest.raises(tg.TruegainError, match="keeps no document"):
        tg.Scoring(depth=0)


@pytest.mark.parametrize("name", ["nDCG(gains='exp2')@5", "CG(gains=3)@10", "ERR(gains='2')@5", "Q(gains='exp2')"])
def test_gains_are_a_table(name: str) -> None:
    """Guards gains that are no table, which ended in a ValueError, or were blamed on per_topic."""
    with pytest.raises(tg.MeasureError, match=r"gains is .*; give a table, as gains=\{1:1,2:3\}"):
        tg.evaluate(RUN, {"1": {"a": 1}}, name)
    with pytest.raises(tg.MeasureError, match=r"gains is \{'a': 1\}; give a table"):
        CG(gains={"a": 1})  # type: ignore[arg-type]
