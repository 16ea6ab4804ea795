"""Differences of systems whose scores are corrected by confusion matrices: all pairs at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from truegain.contrasts import Contrasts
from truegain.errors import TruegainError
from truegain.gains.matrix_fit import MatrixFit
from truegain.gains.topic_matrix import TopicMatrix
from truegain.inference.judges.intervals import guarded_difference
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.options import CorrectionOptions, GoldSample
from truegain.inference.judges.soundness import check_inside, check_own, check_says_something, score_range, why_not
from truegain.inference.results import Comparison
from truegain.message import Message, with_marks
from truegain.moves import Spread, summed
from truegain.student import p_of, quantile_of
from truegain.tables.columns import Bools

Pair = tuple[int, int]
HOW = {"shared": "corrected, one gold sample for both", "separate": "corrected, a gold sample for each (eq. 10)"}


def differences_by_matrix(
    lists: JudgedLists, wanted: Iterable[Pair], gold_sample: GoldSample, options: CorrectionOptions
) -> tuple[dict[Pair, Comparison], dict[Pair, str]]:
    """The second system of each pair minus the first, on the topics that both answer; and why some have no answer."""
    groups: dict[bytes, tuple[Bools, list[Pair]]] = {}
    found: dict[Pair, Comparison] = {}
    why: dict[Pair, str] = {}
    for pair in wanted:
        try:
            answered = lists.answered(*pair)
            groups.setdefault(answered.tobytes(), (answered, []))[1].append(pair)
        except TruegainError as error:
            why[pair] = error.message
    for answered, pairs in groups.values():
        some, not_told = _on_topics(lists, answered, pairs, gold_sample, options)
        found |= some
        why |= not_told
    return found, why


def _on_topics(
    lists: JudgedLists, answered: Bools, pairs: Sequence[Pair], gold_sample: GoldSample, options: CorrectionOptions
) -> tuple[dict[Pair, Comparison], dict[Pair, str]]:
    """Pairs on the same topics: one fit of all their systems, less those that have no sound score themselves."""
    matrices: dict[int, list[TopicMatrix]] = {}
    scores: dict[int, Spread] = {}
    refused: dict[int, str] = {}
    for s in dict.fromkeys(s for pair in pairs for s in pair):
        try:
            of_system = lists.matrices(s, answered, options.clusters)
            scores[s] = _sound(lists, s, of_system, answered, options)
            check_own(lists, s)
            matrices[s] = of_system
        except TruegainError as error:
            refused[s] = Message(f"{lists.ranked.systems[s]}: {with_marks(why_not(lists, s, error))}")
    found: dict[Pair, Comparison] = {}
    why = {pair: refused[s] for pair in pairs for s in reversed(pair) if s in refused}
    asked = [pair for pair in pairs if pair not in why]
    if not asked:
        return found, why
    fit, column = lists.fit_with(matrices, answered), {s: i for i, s in enumerate(matrices)}
    contrasts = Contrasts.of([(column[a], column[b]) for a, b in asked])
    if gold_sample == "shared":
        spread = fit.over_topics(contrasts, clusters=options.clusters == "topics")
    for i, (a, b) in enumerate(asked):
        one = contrasts.some(i, i + 1)
        both = spread.some(i, i + 1) if gold_sample == "shared" else summed([scores[a], scores[b]])
        try:
            found[a, b] = _difference(lists, fit, one, both, answered, (a, b), gold_sample, options)
        except TruegainError as error:
            why[a, b] = error.message
    return found, why


def _sound(
    lists: JudgedLists, s: int, matrices: list[TopicMatrix], answered: Bools, options: CorrectionOptions
) -> Spread:
    """The variance of a system's corrected mean; refused where it cannot be supported, as it is by itself."""
    fit = lists.fit_with({s: matrices}, answered)
    spread = fit.over_topics(Contrasts.scores(1), clusters=options.clusters == "topics")
    half = quantile_of(options.confidence, float(spread.df[0])) * math.sqrt(float(spread.variance[0]))
    check_inside(float(fit.value[0]), half, score_range(lists, s, answered))
    return spread


def _difference(
    lists: JudgedLists,
    fit: MatrixFit,
    asked: Contrasts,
    spread: Spread,
    answered: Bools,
    pair: Pair,
    gold_sample: GoldSample,
    options: CorrectionOptions,
) -> Comparison:
    """One difference with its interval and p."""
    (a, b), variance, df = (lists.ranked.systems[s] for s in pair), float(spread.variance[0]), float(spread.df[0])
    if not variance > 0:
        raise TruegainError(f"{a} and {b} have the same scores everywhere")
    value_b, value_a = (float(x[0]) for x in asked.ends(fit.value))
    d, se, t = value_b - value_a, math.sqrt(variance), quantile_of(options.confidence, df)
    low, high = d - t * se, d + t * se
    if not lists.binary:
        matrices = [m for s in (int(asked.a[0]), int(asked.b[0])) for m in fit.matrices[s]]
        most = max(score_range(lists, s, answered)[1] for s in pair)
        try:
            check_says_something(d, t * se, (-most, most), matrices)
        except TruegainError as error:
            raise TruegainError(f"{b} - {a}, {lists.measure}: {with_marks(error)}") from None
    if gold_sample == "shared" and options.method == "default" and options.clusters == "topics":
        low, high = _guarded(lists, fit, asked, score_range(lists, pair[1], answered)[1], t, (low, high))
    return Comparison(
        a, b, str(lists.measure), value_a, value_b, d, low, high, p_of(d / se, df), test=HOW[gold_sample],
        confidence=options.confidence, n=len(fit.topics),
    )  # fmt: skip


def _guarded(
    lists: JudgedLists, fit: MatrixFit, asked: Contrasts, scale: float, t: float, plain: tuple[float, float]
) -> tuple[float, float]:
    """The interval, widened where one judge behind both systems passes as better than chance only just."""
    judge = lists.judges_of(0).single if lists.binary and lists.accuracy != "system" and scale > 0 else None
    if judge is None:
        return plain
    of_topics, d = float(asked.squares(fit.by_topic().matrix)[0]), judge.D / scale
    change = float(asked.values(fit.value)[0])
    found = guarded_difference(change * d, of_topics * d**2, judge.rates(), t)
    if found is None:
        return plain
    return min(plain[0], found[0] * scale), max(plain[1], found[1] * scale)
