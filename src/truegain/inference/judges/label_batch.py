"""What a plan of labels starts from in real data, and the pairs to send to the gold judge next."""

from __future__ import annotations

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.confusion import Confusion
from truegain.inference.judges.judge import Judge
from truegain.inference.judges.label_plan import Prospect
from truegain.inference.judges.linear_correction import correct_linear
from truegain.inference.judges.lists import JudgedLists
from truegain.tables.columns import Coded, frozen
from truegain.tables.judgments import NO_SUBTOPIC, Judgments

NOT_JUDGED = -1.0


def prospect_of(lists: JudgedLists, *, cost_bronze: float, cost_gold: float) -> tuple[Prospect, float]:
    """What is known of two systems and their judge, and the corrected difference (second less first) so far."""
    if len(lists.ranked.systems) != 2:
        raise TruegainError(f"a plan is for two systems; there are {len(lists.ranked.systems)}")
    if min(cost_bronze, cost_gold) <= 0:
        raise TruegainError("costs must be above 0; give --cost-bronze and --cost-gold, in any currency")
    if not lists.binary:
        raise TruegainError(f"{lists.measure} is graded; a plan of labels is for binary relevance, such as P@10")
    judge = lists.judge_of(0, 1)
    if not isinstance(judge, Judge):
        raise TruegainError("a plan of labels is for one judge")
    there = lists.there(0, 1)
    topics, scale = lists.names(there), float(lists.weights.value[1])
    f = (lists.weights.weight[1] - lists.weights.weight[0])[there]
    side = judge.sides(topics, binary=True)
    now = correct_linear(f, topics, side, lists.weights.value, joined=lists.joined).value
    c = judge.binary
    rates, _ = judge.rates(0.5, 0.0, 1.0)
    n_r, n_n = c.effective[1], c.effective[0]
    union = np.unique(lists.weights.item)
    prospect = Prospect(
        judge.D, float((f[:, 1] * scale).var(ddof=1)), rates.v_r * float(n_r), rates.v_n * float(n_n),
        len(union) / len(topics), None if judge.design == "by-gold" else _relevant(c), cost_bronze, cost_gold,
        len(topics), float(n_r), float(n_n),
    )  # fmt: skip
    return prospect, now


def _relevant(c: Confusion) -> float:
    return float(c.totals[1] / c.totals.sum())


def next_batch(lists: JudgedLists, size: int, *, seed: int = 0) -> Judgments:
    """Pairs for the gold judge: drawn at random from what the systems retrieved where the measure looks.

    Pairs that have a gold label are left out.  They come in random order, so that judging may stop anywhere; the
    label is -1, not judged.
    """
    judge, pool = lists.judge, lists.ranked.pool
    open_items = lists.retrieved(None)
    if isinstance(judge, Judge) and judge.pairs is not None:
        item = judge.pairs.items_in(pool)
        open_items[item[item >= 0]] = False
    candidates = np.flatnonzero(open_items)
    if not len(candidates) or size < 1:
        raise TruegainError("there is no pair left to send to the gold judge")
    chosen = np.random.default_rng(np.random.SeedSequence(seed)).permutation(candidates)[:size]
    return Judgments(
        Coded(pool.topics, frozen(pool.topic[chosen])), pool.docs.take(chosen),
        frozen(np.full(len(chosen), NOT_JUDGED)), Coded((NO_SUBTOPIC,), frozen(np.zeros(len(chosen), np.int32))),
        source="next batch",
    )  # fmt: skip
