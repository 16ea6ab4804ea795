"""`python -m benchmarks.spending looks`: twenty looks at growing gold, plain intervals and confidence sequences.

An interval is ever wrong where it misses the truth at some look; a null pair (systems that differ by less than .005) is
decided with a wrong sign where some look says so.  Topics held fixed, and topics like these: there half of the topics
are drawn anew for every study, and the truth is that of all.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.spending.data import Labelled, worlds
from benchmarks.spending.labels import PAIR, sizes_of
from truegain.inference.study.anytime import at_every_look
from truegain.inference.study.evidence import LEAST_GOLD
from truegain.student import quantile_of, quantiles_of

LOOKS = tuple(range(25, 525, 25))


def looks(a: argparse.Namespace) -> None:
    """Print one table."""
    head = ("data", "judge", "topics", "plain: ever wrong", "Bonferroni", "anytime", "wrong sign: plain", "anytime",
            "anytime/plain width at 150", "labels to decide: Bonferroni", "anytime")  # fmt: skip
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for real in worlds():
        ranked = real.judges()
        for judge, _ in (ranked[0], ranked[-1]):
            known = Labelled.of(real, judge, "P(rel=2)@10", a.seed)
            for sampled in (False, True):
                print(f"| {real.name} | {judge} | {'sampled' if sampled else 'fixed'} | "
                      f"{' | '.join(_row(known, sampled, a))} |", flush=True)  # fmt: skip


def _row(known: Labelled, sampled: bool, a: argparse.Namespace) -> list[str]:
    rng = np.random.default_rng([a.seed, 12])
    wrong: list[list[bool]] = [[], [], []]
    signs: list[list[bool]] = [[], [], []]
    ratio, needed = [], [[], [], []]  # type: ignore[var-annotated]
    for first, second in known.pairs(a.pairs, a.seed):
        truth = known.truth(first, second)
        for _ in range(a.draws):
            part = _half(known, rng) if sampled else known
            sizes = sizes_of(part, "in proportion", first, second)
            value, half = _sequence(part, first, second, sizes, part.order(sizes, rng), sampled)
            for k in range(3):
                wrong[k].append(bool((np.abs(value - truth) > half[k] + 1e-12).any()))
                said = np.abs(value) > half[k]
                signs[k].append(bool((said & (np.sign(value) != np.sign(truth))).any()))
                needed[k].append(LOOKS[int(np.argmax(said))] if said.any() else np.inf)
            at = LOOKS.index(150)
            if 0 < half[0][at] < np.inf:
                ratio.append(half[2][at] / half[0][at])
    return [*(f"{np.mean(w):.3f}" for w in wrong), f"{np.mean(signs[0]):.3f}", f"{np.mean(signs[2]):.3f}",
            f"{np.median(ratio):.2f}", f"{np.median(needed[1]):.0f}", f"{np.median(needed[2]):.0f}"]  # fmt: skip


def _half(known: Labelled, rng: np.random.Generator) -> Labelled:
    """As many topics, drawn with replacement: each a topic of its own."""
    count = len(known.topics)
    chosen = rng.integers(0, count, count)
    rows = [np.flatnonzero(known.topic == t) for t in chosen]
    at = np.concatenate(rows)
    topic = np.repeat(np.arange(count), [len(r) for r in rows])
    names = tuple(map(str, range(count)))
    return Labelled(names, topic, known.stratum[at], known.gold[at], known.weight[:, at], known.scale)


def _sequence(
    known: Labelled, a: int, b: int, sizes: np.ndarray, order: np.ndarray, sampled: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Value at each look, and half widths: plain, Bonferroni, anytime; infinite where too few labels touch."""
    value, half = np.zeros(len(LOOKS)), np.full((3, len(LOOKS)), np.inf)
    for i, n in enumerate(LOOKS):
        found = known.evidence(a, b, sizes, order, n)
        if found.touching(PAIR)[0] < LEAST_GOLD:
            continue
        value[i] = found.value[1] - found.value[0]
        gold = found.over_gold(PAIR)
        whole = found.over_topics(PAIR) if sampled else gold
        for k, confidence in enumerate((0.95, 1 - 0.05 / len(LOOKS))):
            half[k, i] = (quantiles_of(confidence, whole.df) * np.sqrt(whole.variance))[0]
        spread = at_every_look(gold, whole if sampled else None, found.draws.information, 0.95)
        half[2, i] = quantile_of(0.95) * float(np.sqrt(spread.variance[0]))
    return value, half
