"""How few unjudged documents can reverse a verdict: against all sets there are, and against labels filled in."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import truegain as tg
from truegain.stats.student_t import quantile_of
from truegain.study.decision import outcome_by_limits, undone_by
from truegain.study.unjudged import OverTopics, PairBounds, few_enough, fewest


def limit_of(parts: np.ndarray, quantile: float) -> float:
    """The lower limit of a mean over topics, its parts given; the variance never below that of the first parts."""
    return float(parts.sum() - quantile * np.sqrt(len(parts) * np.var(parts, ddof=1)))


@pytest.mark.parametrize("seed", range(12))
def test_by_trying_all_sets(seed: int) -> None:
    """Guards the count: some set of that size does it, and the fewest that do are at most one fewer."""
    rng = np.random.default_rng(seed)
    topics, n = 5, 9
    parts = rng.normal(0.05, 0.02, topics) / topics
    far, topic = rng.choice([0.002, 0.004, 0.008], n), rng.integers(0, topics, n)
    quantile = quantile_of(0.95, topics - 1)
    first = limit_of(parts, quantile)
    variance = topics * float(np.var(parts, ddof=1))

    def fallen(some: tuple[int, ...]) -> float:
        other = parts - np.bincount(topic[list(some)], far[list(some)], topics)
        return first - min(limit_of(other, quantile), float(other.sum() - quantile * np.sqrt(variance)))

    margin = 0.6 * max(fallen(some) for k in range(1, n + 1) for some in combinations(range(n), k))
    needed = next(k for k in range(1, n + 1) if max(map(fallen, combinations(range(n), k))) >= margin - 1e-12)
    found = few_enough(far, topic, margin, OverTopics(parts, variance, quantile))
    assert found is not None
    assert needed <= found <= needed + 1
    assert found <= (fewest(far, margin) or n)


@pytest.mark.parametrize(
    ("low", "high", "min_effect", "wanted"),
    [
        (0.09, 0.3, 0.0, 3),  # .05 + .03 are too little
        (0.09, 0.3, 0.02, 2),
        (0.02, 0.3, -0.04, 2),  # not worse by .04: .02 above, and .04 more
        (-0.3, -0.07, 0.02, 2),  # .06 + .04 lift it to .03
        (-0.3, -0.06, 0.0, 1),
        (-0.3, -0.11, 0.03, None),  # all .13 of them do not
        (-0.3, 0.1, 0.0, None),  # nothing is said
        (0.12, 0.3, 0.0, None),
    ],
)
def test_what_undoes_a_claim_written_out(low: float, high: float, min_effect: float, wanted: int | None) -> None:
    """Guards the margin that unjudged documents must take: from the lower limit down to the claim, or up to it."""
    none, falls, rises = np.zeros(4), np.array([0.01, 0.03, 0.02, 0.05]), np.array([0.02, 0.04, 0.01, 0.06])
    hidden = PairBounds(none, none, 4, 4, falls=falls, rises=rises)
    assert undone_by(hidden, low, high, min_effect) == wanted


@pytest.mark.parametrize("seed", range(4))
def test_rises_undo_as_falls_of_the_other_order_do(seed: int) -> None:
    """Guards both directions over topics: b less a that rises is a less b that falls, by as many documents."""
    rng = np.random.default_rng(seed)
    now = rng.normal(-0.06, 0.02, 7) / 7
    far, topic = rng.choice([0.002, 0.003, 0.005], 15), rng.integers(0, 7, 15)
    per_topic = np.bincount(topic, far, 7).astype(np.float64)
    up = PairBounds(np.zeros(7), per_topic, 15, 7, np.zeros(15), far, now=now, topic_of=topic)
    down = PairBounds(-per_topic, np.zeros(7), 15, 7, far, np.zeros(15), now=-now, topic_of=topic)
    variance = 7 * float(np.var(now, ddof=1))
    up, down = (x.with_limits(variance, 2.4) for x in (up, down))
    margin = 0.3 * far.sum()
    found = up.documents_to_undo(margin, falls=False)
    assert found is not None
    assert 1 < found < 15
    assert down.documents_to_undo(margin) == found
    assert up.documents_to_undo(margin) is None
    flat = PairBounds(np.zeros(7), per_topic, 15, 7, np.zeros(15), far)
    assert found <= (flat.documents_to_undo(margin, falls=False) or 0)


def test_limits_of_other_parts_by_their_own_variance() -> None:
    """Guards how much further out a limit lies: by the variance of the parts, written out; never nearer than it was."""
    parts, quantile = np.array([0.03, 0.01, 0.04, -0.01, 0.02]), 2.6
    variance = 0.9 * 5 * float(np.var(parts, ddof=1))  # what else is known of it
    over = OverTopics(parts, variance, quantile)
    for other in (parts - [0.05, 0.0, 0.0, 0.02, 0.0], parts - [-0.01, 0.0, -0.06, 0.0, 0.0], parts * 0.5):
        added = max(5 * float(np.var(other, ddof=1) - np.var(parts, ddof=1)), 0.0)
        wanted = quantile * (np.sqrt(variance + added) - np.sqrt(variance))
        found = over.wider(np.array([other @ other]), np.array([other.sum()]))
        assert found == pytest.approx([wanted], rel=1e-9, abs=1e-12)
    hidden = PairBounds(-parts, parts, 9, 5, more=(0.0003, 0.0007), now=parts).with_limits(0.002, quantile)
    assert hidden.wider == pytest.approx([quantile * (np.sqrt(0.002 + x) - np.sqrt(0.002)) for x in (0.0003, 0.0007)])
    assert hidden.over is not None
    assert (hidden.over.variance, hidden.over.quantile) == (0.002, quantile)


@pytest.mark.parametrize("seed", range(4))
def test_topics_that_undo_it_by_trying_all_sets(seed: int) -> None:
    """Guards on how many topics all unjudged documents must be relevant: of these topics, and of topics like these."""
    rng = np.random.default_rng(seed)
    now, low = rng.normal(0.05, 0.02, 6) / 6, -rng.choice([0.003, 0.004, 0.007], 6)
    quantile, variance = quantile_of(0.95, 5), 6 * float(np.var(now, ddof=1))
    hidden = PairBounds(low, np.zeros(6), 20, 6, now=now)

    def fallen(some: tuple[int, ...], over: bool) -> float:
        other = now.copy()
        other[list(some)] += low[list(some)]
        plain = float(now.sum() - other.sum())
        return max(plain, limit_of(now, quantile) - limit_of(other, quantile)) if over else plain

    for over, bounds in ((False, hidden), (True, hidden.with_limits(variance, quantile))):
        every = [[fallen(some, over) for some in combinations(range(6), k)] for k in range(7)]
        margin = 0.7 * max(map(max, every))
        needed = next(k for k in range(7) if max(every[k]) >= margin)
        found = bounds.to_undo(margin)
        assert found is not None
        assert needed <= found <= needed + over
        assert bounds.to_undo(1.01 * max(map(max, every))) is None


def test_what_the_sentence_names_undoes_it() -> None:
    """Guards "unless as few as": so many holes filled as relevant, on few topics, and the verdict is gone.

    Before, the largest falls were added up and the variance left as it was: 58 were named where 46 did.
    """
    rng = np.random.default_rng(3)
    topics, depth = 30, 10
    runs: dict[str, dict[str, dict[str, float]]] = {"a": {}, "b": {}}
    judged: dict[str, dict[str, int]] = {}
    for t in map(str, range(topics)):
        runs["a"][t] = {f"a{i}": float(-i) for i in range(depth)}
        runs["b"][t] = {f"b{i}": float(-i) for i in range(depth)}
        judged[t] = {f"b{i}": int(rng.random() < 0.5) for i in range(depth)}
        judged[t] |= {f"a{i}": int(rng.random() < 0.3) for i in range(depth - 4)} | {"never": 1}
    verdict = tg.Study(runs, judged, "P@10").verdict("a", "b")
    assert "but that would change if as few as" in verdict.sentence
    hidden = verdict.unjudged_bounds
    assert hidden is not None
    count = verdict.to_dict()["unjudged"]["documents_to_undo"]  # type: ignore[index]
    filled = {t: dict(row) for t, row in judged.items()}
    left = count
    order = np.argsort([sum(judged[t].get(d, 0) for d in runs["b"][t]) - sum(judged[t].get(d, 0) for d in runs["a"][t])
                        for t in map(str, range(topics))])  # fmt: skip
    for t in map(str, order):  # all four holes of the topics that are against it already
        for i in range(depth - 4, depth):
            filled[t][f"a{i}"] = int(left > 0)
            left -= 1
    after = tg.Study(runs, filled, "P@10").verdict("a", "b")
    assert after.outcome != "better"
    assert count < (fewest(hidden.falls, verdict.comparison.low or 0.0) or 10**6)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("min_effect", "said"),
    [(0.0, ", but that would"), (0.8, "; the gain is below 0.8 by the judged documents, but 48")],
)
def test_what_the_labels_say_is_what_they_say(min_effect: float, said: str) -> None:
    """Guards the reason where the judged documents say that the gain is too small."""
    runs, judged = _half_judged()
    with pytest.warns(tg.DataWarning, match="of a 12 are judged"):
        held_back = tg.Study(runs, judged, "P@4", min_effect=min_effect).verdict("a", "b")
    assert held_back.outcome == "inconclusive"
    labels = outcome_by_limits(held_back.comparison, None, "non-relevant", min_effect)
    assert labels == ("better" if min_effect == 0 else "not better")
    assert said in held_back.sentence
    assert any(note.startswith("Few judged documents: of the 48 documents") for note in held_back.notes)
    with pytest.warns(tg.DataWarning, match="of a 12 are judged"):
        counted = tg.Study(runs, judged, "P@4", unjudged="non-relevant", min_effect=min_effect).verdict("a", "b")
    assert counted.outcome == "inconclusive"
    assert "few judged documents: of the 48 documents in the first 4 ranks of a 12 are" in counted.sentence


def test_why_it_is_not_known_by_how_much() -> None:
    """Guards an interval above the smallest gain with "inconclusive" beside it, and no reason."""
    runs, judged = _half_judged(holes=1)
    found = tg.Study(runs, judged, "P@4", min_effect=0.3).verdict("a", "b")
    assert found.outcome == "inconclusive"
    assert (found.comparison.low or 0) > 0.3
    assert "but whether by 0.3 or more is not known: " in found.sentence
    assert found.sentence.endswith("; unjudged documents could reduce the gain.")


def _half_judged(holes: int = 3) -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]]]:
    """On 12 topics b finds about two relevant documents more than a; the last documents of both are unjudged."""
    rng = np.random.default_rng(8)
    names = [str(t) for t in range(12)]
    runs = {s: {t: {f"{s}{i}": float(-i) for i in range(4)} for t in names} for s in "ab"}
    judged = {t: {f"b{i}": int(i < 2 + rng.integers(0, 2)) for i in range(3)} for t in names}
    for row in judged.values():
        row |= {f"a{i}": 0 for i in range(4 - holes)}
    return runs, judged
