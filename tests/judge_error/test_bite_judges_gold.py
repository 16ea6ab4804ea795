"""Small faults in scores set right by gold topics or gold pairs: each held against a value found another way."""

from __future__ import annotations

import math

import numpy as np
import pytest

import truegain as tg
from tests.worlds import EBAY, study
from truegain.config import Scoring
from truegain.data.judgments import Judgments
from truegain.errors import TruegainError
from truegain.judge_error.pair_estimators import PairFit
from truegain.judge_error.system_judges import expansion_by_judge, fit_of
from truegain.judge_error.topic_estimators import TopicFit
from truegain.measures.evaluate import aligned
from truegain.measures.parse import parse_measure

P3 = parse_measure("P@3")
RUNS, BRONZE, GOLD = study(3, topics=12, docs=6)
RANKED = aligned(RUNS, BRONZE, Scoring())
JUDGE = tg.Judge.fit(BRONZE, GOLD, design="by-gold")


def items(labels: dict[str, dict[str, int]]) -> np.ndarray:
    """Labels of the pool's items."""
    frame, out = Judgments.of(BRONZE), np.full(len(RANKED.pool), np.nan)
    where = RANKED.pool.find(frame.topic, frame.docs).tolist()
    for (topic, doc), at in zip(frame.frame().select("topic", "doc").iter_rows(), where, strict=True):
        out[at] = labels.get(topic, {}).get(doc, np.nan)
    return out


# ---------------------------------------------------------------------- gold topics and gold pairs


def test_gold_scores_of_whole_topics() -> None:
    """Guards gold scores by system and topic, NaN where a topic has none."""
    fit = fit_of(RANKED, items({t: row for t, row in GOLD.items() if int(t) < 8}), P3, "topics")
    assert isinstance(fit, TopicFit)
    for s, name in enumerate("ab"):
        truth = {t: np.mean([GOLD[t][f"{name}{i}"] for i in range(3)]) for t in GOLD}
        expected = [truth[t] if int(t) < 8 else math.nan for t in RANKED.topics]
        assert fit.gold[s] == pytest.approx(np.array(expected), nan_ok=True)


def test_whole_topics_are_six_or_all() -> None:
    """Guards the least of whole gold topics, topics judged in part, and bounds by labels where the measure has none."""
    six = {t: row for t, row in GOLD.items() if int(t) < 6}
    fit_of(RANKED, items(six), P3, "topics")
    five = {t: row for t, row in six.items() if int(t) < 5} | {"7": {"a0": 1}}
    with pytest.raises(TruegainError, match=r"^5 of 12 topics have a gold label for every judged pair, 1 for some"):
        fit_of(RANKED, items(five), P3, "topics")
    with pytest.warns(UserWarning, match=r"^1 topic is gold-judged in part"):
        fit_of(RANKED, items(six | {"7": {"a0": 1}}), P3, "topics")
    few = aligned({n: {t: RUNS[n][t] for t in "012"} for n in "ab"}, {t: BRONZE[t] for t in "012"}, Scoring())
    whole = fit_of(few, np.ones(len(few.pool)), P3, "topics")
    assert isinstance(whole, TopicFit)
    assert whole.n == 3
    total = 1 + 1 / math.log2(3) + 0.5
    for low, high, labels in ((0.0, 5.0, (2.0, 3.0)), (0.0, 5.0, (0.0, 2.0))):
        gold = np.where(np.arange(len(RANKED.pool)) % 2, labels[0], 5.0)
        shifted = aligned(RUNS, {t: {d: int(labels[g]) for d, g in r.items()} for t, r in BRONZE.items()}, Scoring())
        for design in ("topics", "random"):
            found = fit_of(shifted, gold, parse_measure("DCG@3"), design)
            assert found.bounds == pytest.approx((low * total, high * total))
    for measure in ("P@3", "RBP(rel=1)"):
        assert fit_of(RANKED, items(GOLD), parse_measure(measure), "topics").bounds == (0.0, 1.0)
    below = parse_measure("CG(gains={0:-1,1:2})@3")
    for design in ("topics", "random"):
        assert fit_of(RANKED, items(GOLD), below, design).bounds == pytest.approx((-3.0, 6.0))


@pytest.mark.parametrize(
    ("design", "measure", "said"),
    [("by-gold", "P@3", "cannot be rectified"), ("random", "AP", "not linear"), ("topics", "GMAP", "geometric mean"),
     ("random", "RBP(max_rel='scale')", "give max_rel as a number"), ("random", "P(rel=9)@5", "no label is worth")],
)  # fmt: skip
def test_what_cannot_be_rectified(design: str, measure: str, said: str) -> None:
    """Guards each refusal of design and measure."""
    with pytest.raises(TruegainError, match=said):
        fit_of(RANKED, items(GOLD), parse_measure(measure), design)


def test_gold_gains_must_fit_the_pool() -> None:
    """Guards length, emptiness and weights of what is given beside the pool."""
    gold = np.where(np.arange(len(RANKED.pool)) % 3 == 0, items(GOLD), np.nan)
    with pytest.raises(TruegainError, match="143 gold gains for 144"):
        fit_of(RANKED, gold[:-1], P3, "random")
    with pytest.raises(TruegainError, match="no gold label for any"):
        fit_of(RANKED, gold * np.nan, P3, "random")
    first = np.zeros(144)
    first[0] = 1.0
    for bad in (np.ones(143), np.zeros(144), np.full(144, np.inf), 1 - first, np.where(first, np.inf, 1.0)):
        with pytest.raises(TruegainError, match="weights must be one positive number"):
            fit_of(RANKED, gold, P3, "random", bad)
    free = np.where(np.isnan(gold), -1.0, 0.5)  # pairs without gold weigh nothing
    found, plain = fit_of(RANKED, gold, P3, "random", free), fit_of(RANKED, gold, P3, "random")
    assert isinstance(found, PairFit)
    assert isinstance(plain, PairFit)
    assert found.values(np.ones((1, 12))) == pytest.approx(plain.values(np.ones((1, 12))))
    assert found.pairs.expansion[~np.isnan(gold)] == pytest.approx(np.full(48, 3.0))


def test_weights_of_a_judge_as_expansion() -> None:
    """Guards weights where they were given, pair by pair; none elsewhere; whole topics have none."""
    some = {t: {d: g for d, g in row.items() if d in ("a0", "b1")} for t, row in GOLD.items()}
    weights = np.arange(1.0, 25)
    judge = tg.Judge.fit(BRONZE, some, design="random", weights=weights)
    found = expansion_by_judge(judge, RANKED.pool)
    assert found is not None
    assert judge.pairs is not None
    assert judge.pairs.item is not None
    assert found[judge.pairs.items_in(RANKED.pool)] == pytest.approx(judge.pairs.weight)
    assert found.sum() == pytest.approx(120 + judge.pairs.weight.sum())
    assert expansion_by_judge(tg.Judge.fit(BRONZE, some, design="random"), RANKED.pool) is None
    assert expansion_by_judge(EBAY, RANKED.pool) is None
    with pytest.raises(TruegainError, match="weights are for gold pairs"):
        expansion_by_judge(tg.Judge.fit(BRONZE, GOLD, design="topics", weights=np.ones(144)), RANKED.pool)
