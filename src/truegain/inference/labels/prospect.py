"""What a plan of labels starts from in real data: the variance of the very test that `compare` makes, in its parts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truegain.errors import TruegainError, some
from truegain.gains.graded import corrected_mean
from truegain.gains.pair_fit import PairFit
from truegain.gains.topic_fit import TopicFit
from truegain.inference.corrections.rectified import Rectified, why_not
from truegain.inference.judges.judge import Judge
from truegain.inference.judges.label_weights import level_of, tell_unjudged
from truegain.inference.judges.linear_correction import LinearEstimate, correct_linear
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.panel import Judges
from truegain.inference.labels.plan import Prospect
from truegain.inference.study.contrasts import Contrasts
from truegain.measures.base import Measure
from truegain.student import quantile_of
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains

WHAT = "a plan of labels"
LEAST_OF_GOLD = 0.1  # share of the variance that is left to the gold pairs
LEAST_OF_TOPICS = 0.05  # of the variance of bronze scores over topics that is left to the systems themselves
LEAST_SHARE = 0.01  # of a gold label among the documents scored
MOST_ALONE = 0.05  # other gold pairs in the topic of a gold pair, below which their likeness cannot be told
MOST_BY_KIND = 0.5  # share of the pairs that is gold-judged for a matrix: beyond, gold alone does better


@dataclass(frozen=True)
class Outlook:
    """What is known of two systems and their judge: the prospect, the difference so far, and the test planned for."""

    prospect: Prospect
    difference: float  # second less first
    se: float
    df: float
    largest: float  # difference that the measure allows
    test: str

    def interval(self, confidence: float) -> tuple[float, float]:
        """Of the difference so far."""
        half = quantile_of(confidence, self.df) * self.se
        return self.difference - half, self.difference + half


@dataclass(frozen=True)
class _Costs:
    bronze: float
    gold: float


def outlook_of(
    ranked: RankedGains,
    judge: Judge,
    measure: Measure,
    *,
    cost_bronze: float,
    cost_gold: float,
    gold_level: float | None = None,
) -> Outlook:
    """Take the variance of the corrected difference of two systems apart: what topics and what gold pairs bring.

    The parts add up to the variance that `compare` finds on the same data, and the test is the one it makes.
    """
    systems = ranked.systems
    if len(systems) != 2:
        given = "is one" if len(systems) == 1 else f"are {len(systems)}"
        raise TruegainError(f"a plan is for two systems, and there {given} ({some(systems)}); give two runs")
    costs = _Costs(cost_bronze, cost_gold)
    if Judges.of(judge).rectifier("default") is not None:
        tell_unjudged(ranked, measure)
        return _of_rectified(ranked, Rectified.of(ranked, judge, measure, gold_level), costs)
    lists = JudgedLists.of(ranked, judge, measure, gold_level=gold_level)
    return _of_lists(lists, costs)


# ---------------------------------------------------------------------- gold pairs or topics of the same population


def _of_rectified(ranked: RankedGains, made: Rectified, costs: _Costs) -> Outlook:
    asked = Contrasts.of([(0, 1)])
    (found,) = made.compared(asked)
    if found.notes:
        raise TruegainError(why_not(found))
    spread = made.lattice.spread(asked)
    variance, level, fit = float(spread.variance[0]), level_of(made.measure) or 1.0, made.evidence.fit
    share = _relevant(made.gold, level)
    if isinstance(fit, TopicFit):
        prospect = _of_topics(ranked, fit, asked, variance, share, costs)
    else:
        prospect = _of_pairs(fit, variance, share, costs)
    largest = fit.bounds[1] - fit.bounds[0]
    return Outlook(prospect, found.difference, math.sqrt(variance), float(spread.df[0]), largest, found.test)


def _relevant(gold: Floats, level: float) -> float:
    """Share of gold-relevant pairs, kept off 0 and 1."""
    known = gold[~np.isnan(gold)]
    return (float((known >= level).sum()) + 0.5) / (len(known) + 1)


def _of_pairs(fit: PairFit, variance: float, share: float, costs: _Costs) -> Prospect:
    """V = A/n + B/m for n topics and m gold pairs: B from the residuals of the gold pairs, A what is left of V.

    Gold is drawn from all that was labelled, not only from what the two retrieved: a sample of that alone would no
    longer be a random one for other systems.
    """
    n, m = fit.pairs.topics, int(fit.pairs.sampled.sum())
    moves = fit.load * fit.residuals()
    of_gold = float(((moves[:, 1] - moves[:, 0]) ** 2).sum()) / n**2
    a = min(max(n * (variance - of_gold), _of_predictions(fit)), n * variance * (1 - LEAST_OF_GOLD))
    b = m * (variance - a / n)
    return Prospect(
        1.0, a, 0.0, 0.0, len(fit.pairs.topic) / n, share, costs.bronze, costs.gold, n, m * share, m * (1 - share),
        b * share**2, b * (1 - share) ** 2, gold_share=1.0,
    )  # fmt: skip


def _of_predictions(fit: PairFit) -> float:
    """Variance over topics of the difference that the bronze labels predict: no less is left when all pairs are."""
    m = fit.expected(np.ones((1, fit.pairs.topics)))[0]
    by_topic = ((fit.whole[1] - fit.whole[0]) * m).sum(axis=1)
    return float(by_topic.var(ddof=1))


def _of_topics(
    ranked: RankedGains, fit: TopicFit, asked: Contrasts, variance: float, share: float, costs: _Costs
) -> Prospect:
    """V = A/n + B/g for n topics of which g are gold-judged as a whole; counted in pairs.

    With S^2 the variance of gold differences over topics, of which the bronze ones leave B: A = S^2 - B, and gold
    alone has S^2/g, so that A = (S^2/g - V) / (1/g - 1/n).
    """
    g, n = fit.n, fit.topics
    per_topic = len(ranked.pool) / n
    alone = float(asked.variances(fit.gold[:, fit.has])[0]) / g
    a = max(0.0, (alone - variance) / (1 / g - 1 / n)) if g < n else 0.0
    b = g * (variance - a / n)
    pairs = g * per_topic
    return Prospect(
        1.0, a, 0.0, 0.0, per_topic, share, costs.bronze, costs.gold, n, pairs * share, pairs * (1 - share),
        b * per_topic * share**2, b * per_topic * (1 - share) ** 2, gold_share=1.0, gold_topic=per_topic,
    )  # fmt: skip


# ---------------------------------------------------------------------- the confusion matrix inverted


def _of_lists(lists: JudgedLists, costs: _Costs) -> Outlook:
    there = lists.there(0, 1)
    topics = lists.names(there)
    value, weight = lists.weights.value, lists.weights.weight
    judges = [lists.judges_of(s) for s in (0, 1)]
    parts = [
        correct_linear(weight[s][there], topics, j.matrices(topics, binary=lists.binary), value, joined=lists.joined)
        for s, j in enumerate(judges)
    ]
    both = parts[1].less(parts[0])
    variance, df = both.variance()
    if not variance > 0:
        raise TruegainError(f"{' and '.join(lists.ranked.systems)} have the same scores everywhere; give other runs")
    union = np.unique(lists.weights.item)
    per_topic = int(there[lists.ranked.pool.topic[union]].sum()) / len(topics)
    largest = float(np.nanmax(weight.sum(axis=2))) * float(value.max())
    together = lists.judges_of(0, 1).only(WHAT)
    if lists.accuracy == "given" and lists.binary:
        prospect = _one_accuracy(lists, together, weight[1][there] - weight[0][there], per_topic, costs)
    else:
        prospect = _own_accuracies(lists, [j.only(WHAT) for j in judges], both, per_topic, costs)
    return Outlook(prospect, both.value, math.sqrt(variance), df, largest, "corrected, one gold sample for both")


def _one_accuracy(lists: JudgedLists, judge: Judge, f: Floats, per_topic: float, costs: _Costs) -> Prospect:
    """Both systems corrected with the same mR and mN, which cancel but for D."""
    c, scale = judge.binary, float(lists.weights.value[1])
    rates = judge.rates(0.5, 0.0, 1.0)
    n_r, n_n = float(c.effective[1]), float(c.effective[0])
    share = None if judge.design == "by-gold" else float(c.totals[1] / c.totals.sum())
    return Prospect(
        judge.D, float((f[:, 1] * scale).var(ddof=1)), rates.v_r * n_r, rates.v_n * n_n, per_topic, share,
        costs.bronze, costs.gold, len(f), n_r, n_n,
    )  # fmt: skip


def _own_accuracies(
    lists: JudgedLists, judges: list[Judge], both: LinearEstimate, per_topic: float, costs: _Costs
) -> Prospect:
    """Each system corrected with the accuracy on its own gold pairs: what the two kinds of these bring."""
    c = judges[0].binary if lists.binary else judges[0].confusion.square()
    relevant = np.array([g >= (1.0 if lists.binary else judges[0].levels[1]) for g in c.gold])
    n = len(both.topics)
    together = lists.judges_of(0, 1).only(WHAT)
    n_r, n_n = float(together.binary.effective[1]), float(together.binary.effective[0])
    share = None if together.design == "by-gold" else n_r / (n_r + n_n)
    if lists.joined:
        drawn = np.where(relevant, n_r, n_n)
        of_label = both.gold.of_pairs()
        a = _of_topics_and_errors(both, drawn * of_label, per_topic * _behind(lists, judges))
    else:  # gold topics are others than those scored
        a, of_label = (
            n * float(both.moves @ both.moves) * n / (n - 1),
            np.array([v for v, _ in both.gold.over_topics()[1]]),
        )
    fixed_r, fixed_n = float(of_label[relevant].sum()) * n_r, float(of_label[~relevant].sum()) * n_n
    return Prospect(
        1.0, a, 0.0, 0.0, per_topic, share, costs.bronze, costs.gold, n, n_r, n_n, fixed_r, fixed_n,
        gold_share=MOST_BY_KIND if lists.joined else None, moderated=lists.joined,
    )  # fmt: skip


def _behind(lists: JudgedLists, judges: list[Judge]) -> Floats:
    """The share of each gold label among the documents scored, over both systems, by the judge corrected for."""
    there, shares = lists.there(0, 1), []
    for s, judge in enumerate(judges):
        c = judge.binary if lists.binary else judge.confusion.square()
        f = lists.weights.weight[s][there].mean(axis=0)
        found = np.clip(corrected_mean(c, f, lists.weights.value).shares, LEAST_SHARE * f.sum(), None)
        shares.append(found / found.sum())
    mean: Floats = np.mean(shares, axis=0)
    return mean


def _of_topics_and_errors(both: LinearEstimate, v: Floats, documents: Floats) -> float:
    """The part of V that goes with 1/n, where gold pairs are drawn from the very documents scored.

    Bronze scores hold S^2 = T + sum of v_l (1 + (K_l - 1) r_l) / K_l over topics: T of the systems themselves, the rest
    errors of the judge on the K_l documents of gold label l, of which a gold pair shows v_l, alike within a topic by
    r_l.  Gold pairs, n_l of them, bring v_l / n_l + v_l r_l / n; and as they are among these documents, what they take
    away is what the errors brought: V = (S^2 + sum of v_l r_l - 2 sum of v_l (1 + (K_l - 1) r_l) / K_l) / n +
    sum of v_l / n_l.  A covariance taken over topics says the same on average, with far more noise.
    """
    n, m = len(both.moves), len(both.gold.topics)
    bronze = n * float(both.moves @ both.moves) * n / (n - 1)
    alike = _alike(both.gold.moves, both.gold.counts, both.gold.of_pairs(), m)
    errors = float((v * (1 + np.maximum(documents - 1, 0.0) * alike) / documents).sum())
    none_left = -float((v * (1 - alike) / documents).sum())  # T = 0: systems that do not differ by topic
    return max(bronze + float((v * alike).sum()) - 2 * errors, none_left + LEAST_OF_TOPICS * bronze)


def _alike(moves: Floats, counts: Floats, independent: Floats, topics: int) -> Floats:
    """How alike gold pairs of a label and topic move the difference, shrunk to 0 by what chance alone would show.

    Shrinkage: James and Stein 1961, Fourth Berkeley Symposium, positive part.
    """
    others = (counts**2).sum(axis=0) / np.maximum(counts.sum(axis=0), 1e-300) - 1
    seen = (moves**2).sum(axis=0) * topics / (topics - 1)
    found = (seen / np.maximum(independent, 1e-300) - 1) / np.maximum(others, 1e-9)
    chance = 2 / topics / np.maximum(others, 1e-9) ** 2
    kept = np.maximum(0.0, 1 - chance / np.maximum(found**2, 1e-300))
    usable: Floats = np.where((others > MOST_ALONE) & (independent > 0), np.clip(found * kept, -0.5, 1.0), 0.0)
    return usable
