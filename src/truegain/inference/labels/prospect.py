"""What a plan of labels starts from in real data: the variance of the very test that `compare` makes, in its parts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truegain.contrasts import Contrasts
from truegain.errors import TruegainError, some
from truegain.gains.judge import Judge
from truegain.gains.matrix_fit import MatrixFit
from truegain.gains.panel import Judges
from truegain.gains.rectified import Rectified
from truegain.gains.rectify_pairs import SampledPairs, calibrated
from truegain.inference.judges.by_matrix import HOW
from truegain.inference.judges.label_weights import level_of, tell_unjudged
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.sources import GoldPairs, GoldTopics, rectifying
from truegain.inference.labels.plan import Prospect
from truegain.measures.base import Measure
from truegain.student import quantile_of
from truegain.tables.columns import Bools, Floats
from truegain.tables.ranked import RankedGains

WHAT = "a plan of labels"
DIFFERENCE = Contrasts.of([(0, 1)])
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
        level = level_of(measure) or 1.0
        tell_unjudged(ranked, measure)
        source, _, gold = rectifying(ranked, judge, measure, gold_level)
        try:
            found = source.estimate(1, 0)
        except TruegainError as error:
            raise TruegainError(f"{systems[1]} - {systems[0]}, {measure}: {error}") from None
        if isinstance(source, GoldTopics):
            prospect = _of_topics(ranked, source, found, _relevant(gold, level), costs)
        else:
            counted = _counted(source)
            prospect = _of_pairs(source, found, counted, _relevant(gold[counted], level), costs)
        return Outlook(prospect, found.value, found.se, found.df, source.bounds[1] - source.bounds[0], source.name)
    lists = JudgedLists.of(ranked, judge, measure, gold_level=gold_level)
    return _of_lists(lists, costs)


def _relevant(gold: Floats, level: float) -> float:
    """Share of gold-relevant pairs, kept off 0 and 1."""
    known = gold[~np.isnan(gold)]
    return (float((known >= level).sum()) + 0.5) / (len(known) + 1)


# ---------------------------------------------------------------------- gold pairs or topics of the same population


def _counted(source: GoldPairs) -> Bools:
    """Pairs from which gold is drawn: all that were labelled of topics that both systems answer.

    Not only what the two retrieved: a sample of that alone would no longer be a random one for other systems.
    """
    return np.asarray((source.present[0] * source.present[1] > 0)[source.pairs.topic], np.bool_)


def _of_pairs(source: GoldPairs, found: Rectified, counted: Bools, share: float, costs: _Costs) -> Prospect:
    """V = A/n + B/m for n topics and m gold pairs: B from the residuals of the gold pairs, A what is left of V."""
    pairs, w = source.pairs, source.present[0] * source.present[1]
    n = int(w.sum())
    moves = [_gold_moves(pairs, c, w) for c in source.coefficients]
    m, per_topic = int((counted & pairs.sampled).sum()), int(counted.sum()) / n
    of_gold = float(((moves[1] - moves[0]) ** 2).sum()) / n**2
    a = min(max(n * (found.se**2 - of_gold), _of_predictions(source, w)), n * found.se**2 * (1 - LEAST_OF_GOLD))
    b = m * (found.se**2 - a / n)
    return Prospect(
        1.0, a, 0.0, 0.0, per_topic, share, costs.bronze, costs.gold, n, m * share, m * (1 - share), b * share**2,
        b * (1 - share) ** 2, gold_share=1.0,
    )  # fmt: skip


def _of_predictions(source: GoldPairs, w: Floats) -> float:
    """Variance over topics of the difference that the bronze labels predict: no less is left when all pairs are."""
    pairs, c = source.pairs, source.coefficients[1] - source.coefficients[0]
    by_topic = np.bincount(pairs.topic, c * calibrated(pairs, w), pairs.topics)[w > 0]
    return float(by_topic.var(ddof=1))


def _gold_moves(pairs: SampledPairs, coefficient: Floats, w: Floats) -> Floats:
    """How far each gold pair moves the sum of a system's rectified scores over topics."""
    counted = (coefficient != 0) & (w[pairs.topic] > 0)
    used: Bools = counted & pairs.sampled
    load = np.where(used, coefficient * pairs.expansion, 0.0)
    residual = np.where(used, pairs.gold - calibrated(pairs, w), 0.0)
    whole, drawn = float(coefficient[counted].sum()), float(load.sum())
    moves: Floats = whole / drawn * load * (residual - float(load @ residual) / drawn)
    return moves


def _of_topics(ranked: RankedGains, source: GoldTopics, found: Rectified, share: float, costs: _Costs) -> Prospect:
    """V = A/n + B/g for n topics of which g are gold-judged as a whole; counted in pairs.

    With S^2 the variance of gold differences over topics, of which the bronze ones leave B: A = S^2 - B, and gold
    alone has S^2/g, so that A = (S^2/g - V) / (1/g - 1/n).
    """
    gold = source.gold[1] - source.gold[0]
    there = ~np.isnan(source.bronze[1] - source.bronze[0])
    g, n = int((~np.isnan(gold) & there).sum()), int(there.sum())
    per_topic = len(ranked.pool) / len(ranked.topics)
    explained = max(0.0, (found.gold_se**2 - found.se**2) / (1 / g - 1 / n)) if g < n else 0.0
    a, b = explained, g * (found.se**2 - explained / n)
    pairs = g * per_topic
    return Prospect(
        1.0, a, 0.0, 0.0, per_topic, share, costs.bronze, costs.gold, n, pairs * share, pairs * (1 - share),
        b * per_topic * share**2, b * per_topic * (1 - share) ** 2, gold_share=1.0, gold_topic=per_topic,
    )  # fmt: skip


# ---------------------------------------------------------------------- the confusion matrix inverted


def _of_lists(lists: JudgedLists, costs: _Costs) -> Outlook:
    answered, weight = lists.answered(0, 1), lists.weights.weight
    fit = lists.fit((0, 1), answered)
    spread = fit.over_topics(DIFFERENCE)
    variance, df = float(spread.variance[0]), float(spread.df[0])
    if not variance > 0:
        raise TruegainError(f"{' and '.join(lists.ranked.systems)} have the same scores everywhere; give other runs")
    union = np.unique(lists.weights.item)
    per_topic = int(answered[lists.ranked.pool.topic[union]].sum()) / len(fit.topics)
    largest = float(np.nanmax(weight.sum(axis=2))) * float(lists.weights.value.max())
    together = lists.judges_of(0, 1).single_for(WHAT)
    if lists.accuracy == "given" and lists.binary:
        prospect = _one_accuracy(lists, together, weight[1][answered] - weight[0][answered], per_topic, costs)
    else:
        prospect = _own_accuracies(lists, fit, per_topic, costs)
    difference = float(DIFFERENCE.values(fit.value)[0])
    return Outlook(prospect, difference, math.sqrt(variance), df, largest, HOW["shared"])


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


def _own_accuracies(lists: JudgedLists, fit: MatrixFit, per_topic: float, costs: _Costs) -> Prospect:
    """Each system corrected with the accuracy on its own gold pairs: what the two kinds of these bring."""
    judge = lists.judges_of(0).single_for(WHAT)
    gold = fit.matrices[0][0].confusion.gold
    relevant = np.array([g >= (1.0 if lists.binary else judge.levels[1]) for g in gold])
    n = len(fit.topics)
    together = lists.judges_of(0, 1).single_for(WHAT)
    n_r, n_n = float(together.binary.effective[1]), float(together.binary.effective[0])
    share = None if together.design == "by-gold" else n_r / (n_r + n_n)
    if lists.same_topics:
        drawn = np.where(relevant, n_r, n_n)
        of_label = fit.gold_by_pair(DIFFERENCE)[:, 0]
        a = _of_topics_and_errors(fit, DIFFERENCE, drawn * of_label, per_topic * _behind(fit))
    else:  # gold topics are others than those scored
        a = n * float(DIFFERENCE.squares(fit.by_topic().matrix)[0])
        of_label = fit.gold_by_label(DIFFERENCE)[0][:, 0]
    fixed_r, fixed_n = float(of_label[relevant].sum()) * n_r, float(of_label[~relevant].sum()) * n_n
    return Prospect(
        1.0, a, 0.0, 0.0, per_topic, share, costs.bronze, costs.gold, n, n_r, n_n, fixed_r, fixed_n,
        gold_share=MOST_BY_KIND if lists.same_topics else None, moderated=lists.same_topics,
    )  # fmt: skip


def _behind(fit: MatrixFit) -> Floats:
    """The share of each gold label among the documents scored, over both systems, by the judge corrected for."""
    shares = []
    for f, (part,) in zip(fit.weight.mean(axis=1), fit.parts, strict=True):
        found = np.clip(part.shares, LEAST_SHARE * f.sum(), None)
        shares.append(found / found.sum())
    mean: Floats = np.mean(shares, axis=0)
    return mean


def _of_topics_and_errors(fit: MatrixFit, asked: Contrasts, v: Floats, documents: Floats) -> float:
    """The part of V that goes with 1/n, where gold pairs are drawn from the very documents scored.

    Bronze scores hold S^2 = T + sum of v_l (1 + (K_l - 1) r_l) / K_l over topics: T of the systems themselves, the rest
    errors of the judge on the K_l documents of gold label l, of which a gold pair shows v_l, alike within a topic by
    r_l.  Gold pairs, n_l of them, bring v_l / n_l + v_l r_l / n; and as they are among these documents, what they take
    away is what the errors brought: V = (S^2 + sum of v_l r_l - 2 sum of v_l (1 + (K_l - 1) r_l) / K_l) / n +
    sum of v_l / n_l.  A covariance taken over topics says the same on average, with far more noise.
    """
    bronze = len(fit.topics) * float(asked.squares(fit.by_topic().matrix)[0])
    moves, counts = (x[..., 0] for x in fit.gold_sums(asked))
    alike = _alike(moves, counts, fit.gold_by_pair(asked)[:, 0], len(fit.gold_topics))
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
