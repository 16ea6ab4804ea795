"""No plan asks for more gold labels than there are pairs that differ and have none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import truegain as tg
from tests.planning.test_label_plan import P5, judged, ranked_of, world
from truegain.planning.gold_sample import draw_list
from truegain.stats.contrasts import Contrasts
from truegain.study.precision import CurrentPrecision, cheapest, steps_of

NOW = CurrentPrecision({"topics": 0.0003, "gold": 0.003}, topics=50, gold=100, pairs=10_000, differ=60, open=45)


def test_steps_end_with_the_pairs_that_differ() -> None:
    """Guards the steps: 45 open pairs in place of thousands of the pool, at their price, with all that gold brings."""
    [step] = [s for s in steps_of(NOW, 0.035, {"gold": 2.0}) if s.what == "gold"]
    assert (step.more, step.cost, step.enough) == (45, 90.0, True)
    assert step.half == pytest.approx(1.96 * np.sqrt(0.0003))
    assert str(step).startswith("45 more gold labels (every pair that affects the difference): +-0.0339, cost 90")
    assert [s.more for s in steps_of(NOW, 0.0) if s.what == "gold"] == [45]
    many = replace(NOW, differ=5000, open=4950)
    assert [s.more for s in steps_of(many, 0.0) if s.what == "gold"] == [100, 300, 4950]
    assert not [s for s in steps_of(replace(NOW, open=0), 0.0) if s.what == "gold"]


def test_the_cheapest_mix_judges_no_more_than_differ() -> None:
    """Guards the mix: open pairs, and those of the new topics; far cheaper than labels of the whole pool."""
    costs = {"topics": 5.0, "gold": 1.5}
    free, held = cheapest(replace(NOW, differ=None), 0.03, costs), cheapest(NOW, 0.03, costs)
    assert free is not None
    assert held is not None
    assert held.more["gold"] <= 45 + np.ceil(60 * held.more["topics"] / 50) < free.more["gold"]
    assert held.cost < free.cost
    assert held.half <= 0.03


def test_pairs_that_differ_are_counted_by_hand() -> None:
    """Guards M and what is open of it: documents of one top five alone, less those with a gold label."""
    runs, bronze, gold = world()
    some = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 4 == 0} for t, row in gold.items()}
    top = {s: {(t, d) for t, row in lists.items() for d in sorted(row, key=lambda d: -row[d])[:5]}
           for s, lists in runs.items()}  # fmt: skip
    differ = top["s0"] ^ top["s1"]
    now = tg.Study(runs, bronze, "P@5", gold=tg.Gold(some, design="random")).precision("s0", "s1")
    assert (now.differ, now.open) == (len(differ), sum(d not in some[t] for t, d in differ))


def test_all_gold_leaves_what_the_judge_sees_of_topics() -> None:
    """Guards +-0.0000 over sampled topics, where V(topics) < V(gold) by chance: by hand from what labels are worth."""
    runs, bronze, gold = world()
    some = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + n) % 4 == 2}
            for n, (t, row) in enumerate(gold.items())}  # fmt: skip
    study = tg.Study(runs, bronze, "P@5", gold=tg.Gold(some, design="random"))
    variance_model, now, found = study.variance_model(), study.precision("s0", "s1"), study.compare("s0", "s1")[0]
    contrasts = Contrasts.of([(0, 1)])
    over_gold = variance_model.estimator.over_gold(contrasts)
    assert over_gold is not None
    assert variance_model.estimator.over_topics(contrasts).value[0] < over_gold.value[0]  # else it tries nothing
    assert found.low is not None
    assert found.high is not None
    assert now.half == pytest.approx((found.high - found.low) / 2)  # the interval is as it was
    brings = []
    for t, row in bronze.items():
        values = {h: [float(some[u][d] > 0) for u in some if u != t for d in some[u] if bronze[u][d] == h]
                  for h in range(3)}  # fmt: skip
        every = float(np.mean([x for v in values.values() for x in v]))
        worth = {h: (sum(v) + every) / (len(v) + 1) for h, v in values.items()}
        top = [sorted(runs[s][t], key=lambda d: -runs[s][t][d])[:5] for s in ("s0", "s1")]
        brings.append(sum(worth[row[d]] for d in top[1]) / 5 - sum(worth[row[d]] for d in top[0]) / 5)
    share = now.gold / now.pairs
    own = np.var(brings, ddof=1) / len(brings) + over_gold.value[0] * share / (1 - share)
    assert now.parts["topics"] == pytest.approx(own)
    assert now.after(gold=1 / share) >= 1.96 * np.sqrt(own)


def test_a_list_judged_to_its_end_plans_as_gold_labels_do() -> None:
    """Guards the next steps: the same interval as by gold labels themselves, so the same number of topics."""
    runs, bronze, gold = world()
    listed = draw_list(ranked_of(runs, bronze), P5)
    ours = tg.Study(runs, bronze, "P@5", gold=judged(listed, gold, len(listed))).next_steps("s0", "s1")
    theirs = tg.Study(runs, gold, "P@5").next_steps("s0", "s1")
    assert [(s.more, s.what) for s in ours] == [(s.more, s.what) for s in theirs]
    assert [s.half for s in ours] == pytest.approx([s.half for s in theirs])


def test_the_plan_and_the_steps_ask_for_the_same_labels() -> None:
    """Guards plan_labels: gold at hand is taken off, no row goes beyond, with all judged nothing is open."""
    runs, bronze, gold = world()
    some = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 4 == 0} for t, row in gold.items()}
    two = {s: runs[s] for s in ("s0", "s1")}
    now = tg.Study(two, bronze, "P@5", population="fixed", gold=tg.Gold(some, design="random")).precision("s0", "s1")
    plan = tg.plan_labels(
        two,
        bronze,
        "P@5",
        costs={"gold": 1.5},
        config=tg.StudyConfig(population="fixed", gold=tg.Gold(some, design="random"), min_effect=0.001),
    )
    assert plan.needed == {"gold labels": now.open}
    rows = plan.details.records()
    assert [rows[-1]["gold labels"], rows[-1]["half width"]] == [now.gold + now.open, 0.0]
    assert plan.provenance["mix"] == {"more": {"gold": now.open}, "half_width": 0.0, "cost": 1.5 * now.open}
