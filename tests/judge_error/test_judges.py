"""Several judges: which fit, who is measured on which pairs, and when gold labels rectify."""

from __future__ import annotations

from typing import Any

import pytest

import truegain as tg
from tests.worlds import study
from truegain.data.judgments import Judgments
from truegain.errors import InputError, TruegainError
from truegain.judge_error.judges import Judges

RUNS, BRONZE, GOLD = study(3, topics=12, docs=6)


JUDGE = tg.Judge.fit(BRONZE, GOLD, design="by-gold")


def test_panels_that_do_not_fit() -> None:
    """Guards judges unknown, none, of several designs; topics of nobody; and one or several topics in words."""
    a, b = tg.Judge.fit(BRONZE, GOLD, design="by-gold"), tg.Judge.fit(BRONZE, GOLD, design="elsewhere")
    for judges, of in (({}, {}), ({"x": a}, {"1": "y"})):
        with pytest.raises(TruegainError, match="the accuracy"):
            Judges(judges, of)
    with pytest.raises(TruegainError, match="sampled in the same way"):
        Judges({"x": a, "y": b}, {})
    panel = Judges({"x": a, "y": a, "z": a}, {"0": "x", "1": "y", "2": "x"})
    assert str(panel).startswith("3 judges: x (2 topics) sensitivity")
    assert "y (1 topic) sensitivity" in str(panel)
    assert (panel.size, panel.labels, panel.design) == (3 * 144, (0.0, 1.0), "by-gold")
    matrices = panel.matrices(["0", "1", "2"], binary=True)
    assert [s.labeled.tolist() for s in matrices] == [[True, False, True], [False, True, False]]
    with pytest.raises(TruegainError, match=r"labeled 1 topic \(5\)"):
        panel.matrices(["0", "5"], binary=True)
    poor = Judges({"x": a, "y": tg.Judge.from_counts((6, 10), (5, 10))}, {"0": "x", "1": "y"})
    with pytest.raises(TruegainError, match=r"^judge y: the bronze judge is not clearly better"):
        poor.matrices(["0", "1"], binary=True)
    assert panel.at_levels(1.0, 2.0).judges["x"].levels == (1.0, 2.0)


def assessed(who: dict[str, str]) -> Any:
    """Bronze labels with an assessor for each topic."""
    import polars as pl

    rows = [(t, d, g, who[t]) for t, row in BRONZE.items() for d, g in row.items()]
    return pl.DataFrame(rows, schema=["topic", "doc", "label", "assessor"], orient="row")


def test_a_panel_is_its_judges_one_by_one() -> None:
    """Guards who is measured on which pairs, gold labels below 0, and the refusals of what names too many or nobody."""
    who = {t: "x" if int(t) < 5 else "y" for t in BRONZE}
    gold = {t: dict(row) for t, row in GOLD.items()}
    gold["0"]["a0"] = gold["7"]["a0"] = -1
    with pytest.warns(UserWarning, match=r"^2 gold pairs with a gold label below 0"):
        panel = Judges.fit(assessed(who), gold, "by-gold")
    for name in "xy":
        mine = {t: {d: g for d, g in gold[t].items() if g >= 0} for t in gold if who[t] == name}
        alone = tg.Judge.fit({t: BRONZE[t] for t in mine}, mine, design="by-gold")
        assert panel.judges[name].counts == alone.counts
    assert panel.of_topic == who
    with pytest.raises(InputError, match="no gold pair is from a topic that y labeled"):
        Judges.fit(assessed(who), {t: GOLD[t] for t in "012"}, "by-gold")
    with pytest.raises(InputError, match="name no assessor"):
        Judges.fit(BRONZE, GOLD, "by-gold")
    twice = assessed(who).with_columns(assessor=assessed(who)["doc"].str.slice(0, 1))
    with pytest.raises(InputError, match="several assessors labeled 12 topics"):
        Judges.fit(twice, GOLD, "by-gold")


def test_when_gold_labels_rectify() -> None:
    """Guards the table of designs and methods, and what lacks gold labels."""
    for design, yes in (("random", True), ("by-bronze", True), ("topics", True), ("by-gold", False)):
        judge = tg.Judge.fit(BRONZE, GOLD, design=design)
        known = Judges.of(judge)
        assert [known.rectifier(m) is judge for m in ("default", "rectify", "delta")] == [
            yes,
            True,
            False,
        ]
    counts = tg.Judge.from_counts((43, 59), (67, 84), design="random")
    assert Judges.of(counts).rectifier("default") is None
    with pytest.raises(TruegainError, match="needs the gold labels"):
        Judges.of(counts).rectifier("rectify")
    table = Judgments.of(BRONZE)
    assert Judges.of(JUDGE, table, 1).single is JUDGE
    assert Judges.of(JUDGE, table, 1, "by-gold").single is JUDGE
    with pytest.raises(TruegainError, match="fitted with design 'by-gold', not 'random'"):
        Judges.of(JUDGE, table, 1, "random")
