"""Gold labels alone, unjudged documents, whole topics, and judges that look odd."""

from __future__ import annotations

import math
import warnings
from typing import Any, cast

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.worlds import study
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.errors import DataWarning
from truegain.judge_error.fits import (
    _of_mean,
    _of_ratio,
    gold_alone_widths,
    gold_of_items,
    warn_where_gold_alone_is_surer,
)
from truegain.judge_error.judges import Judges
from truegain.measures.label_weights import tell_unjudged
from truegain.stats.results import Estimate
from truegain.stats.student_t import quantile_of

Labels = dict[str, dict[str, int]]


def sampled(design: str, gold: Labels, bronze: Labels) -> Labels:
    """Whole topics, pairs at random, or many of one bronze label and few of the other."""
    rng = np.random.default_rng(1)
    if design == "topics":
        return {t: row for t, row in gold.items() if int(t) % 2}
    rate = {"random": (0.4, 0.4), "by-bronze": (0.2, 0.7)}[design]
    kept = {t: {d: g for d, g in row.items() if rng.random() < rate[bronze[t][d]]} for t, row in gold.items()}
    return {t: row for t, row in kept.items() if row}


def width_by_hand(design: str, some: Labels, bronze: Labels, gold: Labels, t_of: float = 0.975) -> float:
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
def test_width_of_gold_alone(design: str) -> None:
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
def test_a_matrix_that_is_worse_than_gold_alone_is_told(design: str) -> None:
    """Guards the warning, with a poor judge and plenty of gold, and the silence with gold by gold label."""
    runs, bronze, gold = study(0, m_r=0.65, m_n=0.6, topics=60)
    some = sampled(design, gold, bronze)
    with pytest.warns(
        tg.DataWarning, match=r"gold labels alone would be more precise for \d of 2 systems .*method='rectify'"
    ):
        tg.correct(runs, bronze, "P@10", gold=tg.Gold(some, design=design), method="lang-reiczigel")
    tg.correct(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), method="lang-reiczigel")


def test_unjudged_documents_are_told() -> None:
    """Guards documents without a bronze label: their share of what the measure looks at, or nothing where it is 0."""
    runs, bronze, gold = study(0, topics=10)
    holes = {t: {d: b for d, b in row.items() if d not in ("a0", "a1")} for t, row in bronze.items()}
    ranked = aligned(runs, holes, Scoring())
    with pytest.warns(tg.DataWarning, match=r"P@10: 10.0% of what it counts has no bronze label"):
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
    with pytest.warns(tg.DataWarning, match="no bronze label and is treated as not relevant"):
        tg.correct(runs, holes, "P@10", gold=tg.Gold(some, design="by-gold"))


def test_topics_that_are_not_whole_are_told() -> None:
    """Guards `judges --design topics`: topics gold-judged in part are named; whole ones are fine."""
    _, bronze, gold = study(0, topics=12)
    whole = {t: row for t, row in gold.items() if int(t) < 6}
    tg.judge_quality(bronze, gold=tg.Gold(whole, design="topics"))
    part = {**whole, "0": {d: g for d, g in whole["0"].items() if d < "a5"}}
    with pytest.warns(
        tg.DataWarning, match=r"1 of 6 gold topics have gold labels for only some of their pairs \(0: 15 of 40\)"
    ):
        tg.judge_quality(bronze, gold=tg.Gold(part, design="topics"))


def test_judges_wants_a_measure_that_weighs_ranks() -> None:
    """Guards the message for measures that cannot say which documents count: nothing is corrected here."""
    runs, bronze, gold = study(0, topics=6)
    with pytest.raises(tg.MeasureError, match="AP does not weigh ranks"):
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
    with pytest.warns(tg.DataWarning, match="1 gold pair has no bronze label"):
        panel = Judges.fit(frame, more, "by-gold", unmatched="drop")
    assert panel.size == 1600
    with pytest.warns(tg.DataWarning, match="1 gold pair with a gold label below 0") as caught:
        Judges.fit(frame, {**gold, "0": {**gold["0"], "a0": -1}}, "by-gold")
    assert len(caught) == 1


def test_widths_of_a_mean_and_of_a_ratio() -> None:
    """Guards both intervals of gold alone at their limits: two topics are enough, no spread is no answer."""
    assert _of_mean(np.array([0.2, 0.6]), 0.9) == pytest.approx(2 * quantile_of(0.9, 1.0) * 0.2)
    assert _of_mean(np.array([0.2]), 0.9) is None
    assert _of_mean(np.array([0.5, 0.5]), 0.9) is None
    assert _of_mean(np.array([]), 0.9) is None
    below, above = np.array([2.0, 0.0, 3.0, 1.0]), np.array([1.0, 0.0, 0.5, 1.0])
    moves = 1.5 * (above - below * 2.5 / 6) / 6
    assert _of_ratio(below, above, 1.5, 0.9) == pytest.approx(
        2 * quantile_of(0.9, 2.0) * math.sqrt((moves**2).sum() * 3 / 2)
    )
    assert _of_ratio(np.array([2.0, 0, 1]), np.array([1.0, 0, 0]), 1.0, 0.9) is not None
    assert _of_ratio(np.array([2.0, 0, 0]), np.array([1.0, 0, 0]), 1.0, 0.9) is None
    assert _of_ratio(np.array([2.0, 4.0]), np.array([1.0, 2.0]), 1.0, 0.9) is None


def test_gold_alone_of_a_system_that_lacks_topics() -> None:
    """Guards what a whole list counts: over the topics that are answered, not over all."""
    runs, bronze, gold = study(3, topics=12, docs=6)
    runs["a"] = {t: row for t, row in runs["a"].items() if int(t) % 3}
    sample = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 2} for t, row in gold.items()}
    with pytest.warns(DataWarning, match="lacks judged topics"):
        ranked = aligned(runs, bronze, Scoring())
    judge = tg.Judge.fit(bronze, sample, design="random")
    labels = gold_of_items(ranked.pool, judge, 1.0)
    width = gold_alone_widths(ranked, labels, np.ones(len(labels)), tg.parse_measure("P@4"), 0.95, whole_topics=False)
    top = [f"a{i}" for i in range(4)]
    seen = {t: [sample[t][d] for d in top if d in sample[t]] for t in runs["a"]}
    below = np.array([len(row) for row in seen.values()], float)
    above = np.array([sum(row) for row in seen.values()], float)
    assert width[0] == pytest.approx(_of_ratio(below, above, 1.0, 0.95))


def test_gold_labels_of_the_pool() -> None:
    """Guards gold labels by item: none where there is none or it is below 0, 0 and the level where scales differ."""
    bronze = {"1": {"a": 1, "b": 0, "c": 1, "d": 1}, "2": {"a": 0}}
    gold = {"1": {"a": 3, "b": 1, "c": -1, "z": 2}, "2": {"a": 2}}
    ranked = aligned({"s": {"1": {"a": 1.0}, "2": {"a": 1.0}}}, bronze, Scoring())
    with pytest.warns(DataWarning):
        judge = tg.Judge.fit(bronze, gold, "random", gold_relevant_from=2, unmatched="drop")

    def labels(level: float | None) -> dict[str, float]:
        found = gold_of_items(ranked.pool, judge, level)
        names = [
            f"{ranked.topics[t]}{d}"
            for t, d in zip(ranked.pool.topic, list(cast("Any", ranked.pool.docs)), strict=True)
        ]
        return {n: x for n, x in zip(names, found.tolist(), strict=True) if not math.isnan(x)}

    assert labels(1.0) == {"1a": 1.0, "1b": 0.0, "2a": 1.0}
    assert labels(2.0) == {"1a": 3.0, "1b": 1.0, "2a": 2.0}


def test_only_a_shorter_interval_of_gold_alone_is_told(recwarn: pytest.WarningsRecorder) -> None:
    """Guards the warning: which systems, which of them most, and nothing where gold alone is as wide."""
    runs, bronze, gold = study(2, topics=10, docs=6)
    ranked, judge = aligned(runs, bronze, Scoring()), tg.Judge.fit(bronze, gold, "topics")
    measure = tg.parse_measure("P@6")
    widths = gold_alone_widths(
        ranked, gold_of_items(ranked.pool, judge, 1.0), np.ones(len(ranked.pool)), measure, 0.95, whole_topics=True
    )

    def told(*factors: float) -> list[str]:
        recwarn.clear()
        answers = [Estimate(s, "P@6", 0.5, 0.0, (w or 0.0) * f) for s, w, f in zip("ab", widths, factors, strict=True)]
        warn_where_gold_alone_is_surer(ranked, judge, measure, answers, 0.95)
        return [str(w.message) for w in recwarn]

    assert told(1.0, 1.0) == []
    assert told(0.9, 0.5) == []
    assert "more precise for 1 of 2 systems (most for b: width" in told(0.9, 1.2)[0]
    width = widths[0] or 0.0
    of_a = f"width {width:.3f} against {1.3 * width:.3f}"
    assert f"more precise for 2 of 2 systems (most for a: {of_a}" in told(1.3, 1.2)[0]
