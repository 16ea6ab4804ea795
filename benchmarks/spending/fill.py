"""`python -m benchmarks.spending fill`: predictions set right by a sample of the holes, and whether 95% means 95%.

TREC-8, 12 of 60 runs a draw, of which a shallow pool is judged: the first document of each, or the first ten of four of
them.  These topics only: the 50 as they are, other samples.  Topics like these: 50 drawn from the 50 with replacement,
each copy a topic of its own, so that the mean over the 50 is the truth.  Then the world of `benchmarks.study holes`, a
newcomer beside a pooled system, whose true scores are known.  Beside it as many labels drawn with equal chances.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import truegain as tg
from benchmarks.spending.next import labels_of as as_dicts
from benchmarks.spending.next import trec8
from benchmarks.study.alone import held_fixed
from benchmarks.study.holes import pooled
from benchmarks.study.judged import labels_of, names_of, runs_of
from benchmarks.study.nature import MEASURES, Lists, any_kinds
from benchmarks.study.truth import right
from truegain.data.judgments import Judgments
from truegain.data.runs import Runs
from truegain.io.columns import Bools, Floats
from truegain.pooling.samples import draw_unjudged
from truegain.stats.contrasts import Contrasts, limits
from truegain.study.estimators import LEAST_GOLD

Labels = dict[str, dict[str, float]]
Rankings = dict[str, Labels]
MEASURE, TOP, RUNS = "P@10", 10, 12


@dataclass(frozen=True)
class Case:
    """Runs, what is judged of them, the labels of all, and the true scores of the systems."""

    runs: Runs
    judged: Judgments
    truth: Labels
    scores: Floats


@dataclass
class Seen:
    """What intervals did: whether they hold the truth and how wide they are, of scores and of differences."""

    inside: dict[str, list[Bools]] = field(default_factory=dict)
    width: dict[str, list[Floats]] = field(default_factory=dict)

    def look(self, study: tg.Study, scores: Floats) -> None:
        """Add the intervals of one study."""
        variance_model, n = study.variance_model(), len(scores)
        for what, asked in (("score", Contrasts.scores(n)), ("difference", Contrasts.all_pairs(n))):
            spread, true = variance_model.variance(asked), asked.values(scores)
            low, high = limits(asked.values(variance_model.estimator.value), spread, 0.95)
            if what == "score":
                low, high = variance_model.score_limits(spread, (0.0, 1.0), 0.95)
            touching = variance_model.estimator.labels_for_rule(asked)
            told = (spread.value > 0) & (True if touching is None else touching >= LEAST_GOLD)
            self.inside.setdefault(what, []).append(((low <= true + 1e-9) & (true - 1e-9 <= high))[told])
            self.width.setdefault(what, []).append((high - low)[told] / 2)

    def covers(self, what: str) -> float:
        """The share of intervals that hold the truth."""
        return float(np.concatenate(self.inside[what]).mean())

    def half(self, what: str) -> float:
        """Half the width, in the median."""
        return float(np.median(np.concatenate(self.width[what])))


def fill(args: argparse.Namespace) -> None:
    """Print the table; `args` has draws (samples) and seed."""
    print("| world | topics | labels | covers: score | difference | +- score | difference | equal: covers | | +- | |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    runs, qrels = trec8()
    sixty = sorted(runs.parts, key=lambda part: part.system)[::2][:60]
    tops = {part.system: _tops(part) for part in sixty}
    labels = as_dicts(qrels)
    for name, pool in (("TREC-8, first documents judged", (RUNS, 1)), ("TREC-8, four runs judged", (4, TOP))):
        for fixed in (True, False):
            for a_topic in (8, 2):
                cases = (_case(tops, labels, pool, fixed, args.seed, n) for n in range(args.draws))
                row(name, cases, fixed, 50 * a_topic, None, args.seed)
    for fixed in (True, False):
        for share in (0.25, 0.1):
            cases = (_newcomer(fixed, args.seed, n) for n in range(args.draws))
            row("simulated newcomer", cases, fixed, 0, share, args.seed)


def row(name: str, cases: Iterator[Case], fixed: bool, labels: int, share: float | None, seed: int) -> None:
    """One line: so many labels, or a share of the holes, drawn in proportion and with equal chances."""
    ours, equal, spent = Seen(), Seen(), []
    for n, case in enumerate(cases):
        listed = tg.sample_unjudged(case.runs, case.judged, MEASURE, scale=(0, 1), seed=seed + n)
        first = min(labels or round((share or 0) * len(listed)), len(listed))
        label = np.full(len(listed), np.nan)
        pairs = list(zip(listed.topics, listed.docs, strict=True))[:first]
        label[:first] = [case.truth[t].get(d, 0) > 0 for t, d in pairs]
        drawn: Labels = {}
        for t, d, _ in draw_unjudged(case.runs, case.judged, MEASURE, most=first, seed=seed + n).rows:
            drawn.setdefault(str(t), {})[str(d)] = float(case.truth[str(t)].get(str(d), 0) > 0)
        kind: Any = "fixed" if fixed else "sampled"
        for seen, sample in ((ours, listed.with_labels(label)), (equal, drawn)):
            seen.look(
                tg.Study(
                    case.runs,
                    case.judged,
                    MEASURE,
                    population="fixed" if kind == "fixed" else "topics",
                    unjudged=sample,
                ),
                case.scores,
            )
        spent.append(first)
    what = ("score", "difference")
    cells = [*(f"{ours.covers(w):.3f}" for w in what), *(f"{ours.half(w):.3f}" for w in what),
             *(f"{equal.covers(w):.3f}" for w in what), *(f"{equal.half(w):.3f}" for w in what)]  # fmt: skip
    print(f"| {name} | {'these' if fixed else 'like these'} | {np.mean(spent):.0f} | {' | '.join(cells)} |", flush=True)


def _tops(part: object) -> Labels:
    """The first ten of each topic of a run."""
    out: dict[str, list[tuple[float, str]]] = {}
    for t, d, s in zip(part.topic.strings(), part.docs.strings(), part.score.tolist(), strict=True):  # type: ignore[attr-defined]
        out.setdefault(t, []).append((s, d))
    return {t: {d: s for s, d in sorted(rows, reverse=True)[:TOP]} for t, rows in out.items()}


def _case(tops: Rankings, labels: Labels, pool: tuple[int, int], fixed: bool, seed: int, n: int) -> Case:
    """Twelve runs, the first documents of some of them judged; topics as they are, or drawn with replacement."""
    rng = np.random.default_rng([seed, n // 10 if fixed else n])  # other samples of the same, ten times
    names = sorted(tops)
    chosen = [names[i] for i in np.sort(rng.choice(len(names), RUNS, replace=False))]
    topics = sorted(labels)
    drawn = topics if fixed else [topics[i] for i in rng.integers(len(topics), size=len(topics))]
    new = {f"{t}.{i}": t for i, t in enumerate(drawn)}
    runs = {s: {at: tops[s].get(t) or {"none": 1.0} for at, t in new.items()} for s in chosen}
    judged: Labels = {}
    for at, t in new.items():
        for s in chosen[: pool[0]]:
            first = sorted(runs[s][at], key=lambda d: (runs[s][at][d], d), reverse=True)[: pool[1]]
            judged.setdefault(at, {}).update({d: float(labels[t].get(d, 0) > 0) for d in first})
    hits = [[labels[t].get(d, 0) > 0 for t in topics for d in tops[s].get(t, ())] for s in chosen]
    scores = np.array([sum(found) / (TOP * len(topics)) for found in hits])
    return Case(Runs.of(runs), Judgments.of(judged), {at: labels[t] for at, t in new.items()}, scores)


def _newcomer(fixed: bool, seed: int, n: int) -> Case:
    """The world of `benchmarks.study holes`: b is as good as a, which was pooled, and c better."""
    if fixed:
        lists, names, runs, true = held_fixed(50)
        scores = np.asarray(true[MEASURE])
    else:
        rng = np.random.default_rng([seed, n])
        lists = Lists.draw(any_kinds(50, rng), rng)
        names, scores = names_of(lists), right().mean(axis=2)[MEASURES.index(MEASURE)]
        runs = runs_of(lists, names)
    judged = Judgments.of(labels_of(lists.right, names, pooled(lists)))
    return Case(Runs.of(runs), judged, labels_of(lists.right, names), scores)
