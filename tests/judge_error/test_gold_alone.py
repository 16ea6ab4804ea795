"""Gold labels alone, unjudged documents, whole topics, and judges that look odd."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.worlds import study
from truegain.config import Scoring
from truegain.judge_error.panel import Judges
from truegain.judge_error.system_judges import gold_alone_widths, gold_of_items
from truegain.measures.evaluate import aligned
from truegain.measures.label_weights import tell_unjudged
from truegain.sampling.designs import Design

Labels = dict[str, dict[str, int]]


def sampled(design: Design, gold: Labels, bronze: Labels) -> Labels:
    """Whole topics, pairs at random, or many of one bronze label and few of the other."""
    rng = np.random.default_rng(1)
    if design == "topics":
        return {t: row for t, row in gold.items() if int(t) % 2}
    rate = {"random": (0.4, 0.4), "by-bronze": (0.2, 0.7)}[design]
    kept = {t: {d: g for d, g in row.items() if rng.random() < rate[bronze[t][d]]} for t, row in gold.items()}
    return {t: row for t, row in kept.items() if row}


def width_by_hand(design: Design, some: Labels, bronze: Labels, gold: Labels, t_of: float = 0.975) -> float:
    """The interval of system a's P@10 from gold labels alone, by a loop."""
    top = [f"a{i}" for i in range(10)]
    if design == "topics":
        means = [np.mean([some[t][d] for d in top]) for t in some]
        return float(2 * stats.t.ppf(t_of, len(means) - 1) * np.std(means, ddof=1) / math.sqrt(len(means)))
    all_ = [b for row in bronze.values() for b in row.values()]
    mine = [bronze[t][d] for t, row in some.items() for d in row]
    w = {b: all_.count(b) / len(all_) * len(mine) / mine.count(b) if design == "by-bronze" else 1.0 for b in (0, 1)}
    above = np.array([sum(w[bronze[t][d]] * g for d, g in some.get(t, {}).items() if d in top) for t in gold])
    below = np.array([sum(w[bronze[t][d]] for d in some.get(t, {}) if d in top) for t in gold])
    moves = (above - below * above.sum() / below.sum()) / below.sum()
    used = int((below > 0).sum())
    return float(2 * stats.t.ppf(t_of, used - 1) * math.sqrt(moves @ moves * used / (used - 1)))


@pytest.mark.parametrize("design", ["random", "by-bronze", "topics"])
def test_width_of_gold_alone(design: Design) -> None:
    """Guards the widths that a correction is held against, for every design in which gold alone has an answer."""
    runs, bronze, gold = study(0)
    some = sampled(design, gold, bronze)
    judge = tg.Judge.fit(bronze, some, design=design)
    ranked = aligned(runs, bronze, Scoring())
    measure = tg.parse_measure("P@10")
    assert judge.pairs is not None
    weight = np.ones(len(ranked.pool))
    weight[judge.pairs.items_in(ranked.pool)] = judge.pairs.weight
    widths = gold_alone_widths(
        ranked, gold_of_items(ranked.pool, judge, 1.0), weight, measure, 0.95, whole_topics=design == "topics"
    )
    assert widths[0] == pytest.approx(width_by_hand(design, some, bronze, gold))


@pytest.mark.parametrize("design", ["random", "by-bronze", "topics"])
def test_a_matrix_that_is_worse_than_gold_alone_is_told(design: Design) -> None:
    """Guards the warning, with a poor judge and plenty of gold, and the silence with gold by gold label."""
    runs, bronze, gold = study(0, m_r=0.65, m_n=0.6, topics=60)
    some = sampled(design, gold, bronze)
    with pytest.warns(tg.DataWarning, match=r"gold labels alone would be surer for \d of 2 systems .*method='rectify'"):
        tg.correct(runs, bronze, "P@10", gold=tg.Gold(some, design=design), method="lang-reiczigel")
    tg.correct(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), method="lang-reiczigel")


def test_unjudged_documents_are_told() -> None:
    """Guards documents without a bronze label: their share of what the measure looks at, or nothing where it is 0."""
    runs, bronze, gold = study(0, topics=10)
    holes = {t: {d: b for d, b in row.items() if d not in ("a0", "a1")} for t, row in bronze.items()}
    ranked = aligned(runs, holes, Scoring())
    with pytest.warns(tg.DataWarning, match=r"P@10: 10.0% of what it looks at has no bronze label"):
        tell_unjudged(ranked, tg.parse_measure("P@10"))
    discount = [1 / math.log2(i + 2) for i in range(10)]
    share = sum(discount[:2]) / sum(discount) / 2
    with pytest.warns(tg.DataWarning, match=rf"DCG@10: {share:.1%} of what"):
        tell_unjudged(ranked, tg.parse_measure("DCG@10"))
    with pytest.warns(tg.DataWarning, match=r"nDCG@5: 20.0% of what"):
        tell_unjudged(ranked, tg.parse_measure("nDCG@5"))
    last = {t: {d: b for d, b in row.items() if (t, d) != ("0", "a9")} for t, row in bronze.items()}
    assert last != bronze
    deep = aligned(runs, last, Scoring())
    tell_unjudged(deep, tg.parse_measure("RBP(p=0.4)"))  # 0.6 * 0.4**9 / 20 is 0.0%
    with pytest.warns(tg.DataWarning, match=r"P@10: 0.5% of what"):
        tell_unjudged(deep, tg.parse_measure("P@10"))
    tell_unjudged(ranked, tg.parse_measure("P(judged_only=True)@10"))
    tell_unjudged(aligned(runs, bronze, Scoring()), tg.parse_measure("P@10"))
    some = {t: {d: g for d, g in row.items() if d in holes[t]} for t, row in gold.items()}
    with pytest.warns(tg.DataWarning, match="no bronze label and counts as non-relevant"):
        tg.correct(runs, holes, "P@10", gold=tg.Gold(some, design="by-gold"))


def test_topics_that_are_not_whole_are_told() -> None:
    """Guards `judges --design topics`: topics gold-judged in part are named; whole ones are fine."""
    _, bronze, gold = study(0, topics=12)
    whole = {t: row for t, row in gold.items() if int(t) < 6}
    tg.judge_quality(bronze, gold=tg.Gold(whole, design="topics"))
    part = {**whole, "0": {d: g for d, g in whole["0"].items() if d < "a5"}}
    with pytest.warns(tg.DataWarning, match=r"1 of 6 gold topics are gold-judged in part only \(0: 15 of 40\)"):
        tg.judge_quality(bronze, gold=tg.Gold(part, design="topics"))


def test_judges_wants_a_measure_that_weighs_ranks() -> None:
    """Guards the message for measures that cannot say which documents count: nothing is corrected here."""
    runs, bronze, gold = study(0, topics=6)
    with pytest.raises(tg.MeasureError, match="AP does not say which documents of a run count"):
        tg.judge_quality(bronze, gold=tg.Gold(gold, design="random"), runs=runs, measure="AP")
    assert "gold label" in tg.judge_quality(bronze, gold=tg.Gold(gold, design="random"), measure="AP").columns


def test_the_note_of_an_inverted_judge() -> None:
    """Guards the table about a judge whose labels are turned around."""
    _, bronze, gold = study(0)
    turned = {t: {d: 1 - b for d, b in row.items()} for t, row in bronze.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        notes = tg.judge_quality(turned, gold=tg.Gold(gold, design="random")).notes
    assert any("look inverted" in note for note in notes)


def test_a_panel_heeds_missing_and_negative_labels() -> None:
    """Guards --by-assessor: gold pairs without a bronze label are dropped where asked for, negative ones are told."""
    import polars as pl

    _, bronze, gold = study(0)
    frame = pl.DataFrame(
        [(t, d, "x" if int(t) % 2 else "y", b) for t, row in bronze.items() for d, b in row.items()],
        schema=["topic", "doc", "assessor", "label"],
        orient="row",
    )
    more = {**gold, "0": {**gold["0"], "new": 1}}
    with pytest.raises(tg.InputError, match="1 of 801 gold pairs have no bronze label"):
        Judges.fit(frame, more, "by-gold")
    with pytest.warns(tg.DataWarning, match="1 gold pairs have no bronze label"):
        panel = Judges.fit(frame, more, "by-gold", missing="drop")
    assert panel.size == 1600
    with pytest.warns(tg.DataWarning, match="1 gold pair with a gold label below 0") as told:
        Judges.fit(frame, {**gold, "0": {**gold["0"], "a0": -1}}, "by-gold")
    assert len(told) == 1
