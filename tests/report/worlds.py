"""Small studies of every kind, and facts made by hand for pages of many systems."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import truegain as tg
from tests.flat import flat_study
from truegain.data.judgments import Judgments
from truegain.data.runs import Runs
from truegain.experiments.worlds import noisy_ratings
from truegain.measures.catalogue import parse_measure
from truegain.report.facts import Facts, MeasureFacts
from truegain.report.gather import gather
from truegain.stats.results import Estimate
from truegain.study.ranking import Ranking

TOPICS, DOCS = 24, 40
World = tuple[Runs, Judgments]


@cache
def world(systems: int = 5, holes: int = 0, seed: int = 3) -> World:
    """Systems from weak to strong, and the true labels; of every `holes` documents one is not judged."""
    rng = np.random.default_rng(seed)
    runs: dict[str, dict[str, dict[str, float]]] = {f"sys-{i}": {} for i in range(1, systems + 1)}
    labels: dict[str, dict[str, int]] = {}
    for t in range(TOPICS):
        truth = (rng.random(DOCS) < 0.3).astype(int) * rng.integers(1, 3, DOCS)
        labels[f"{t:02}"] = {f"d{i:02}": int(g) for i, g in enumerate(truth) if not holes or i % holes}
        for k, name in enumerate(runs):
            score = (k / systems) * 2 * truth + rng.normal(size=DOCS)
            runs[name][f"{t:02}"] = {f"d{i:02}": float(x) for i, x in enumerate(score)}
    return Runs.of(runs), Judgments.of(labels)


def noisy(judgments: Judgments, seed: int = 8) -> tuple[Judgments, Judgments]:
    """What a judge that errs says of the labels, and the truth about some of them."""
    rng = np.random.default_rng(seed)
    n = len(judgments)
    wrong = rng.random(n) < 0.15
    said = np.where(wrong, np.where(judgments.label > 0, 0.0, 1.0), judgments.label)
    return replace(judgments, label=said), judgments.take(np.flatnonzero(rng.random(n) < 0.5))


def study_of(runs: Runs, judgments: Any, measures: Any = "P@10", **options: Any) -> tg.Study:
    """A study without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return flat_study(runs, judgments, measures, **options)


@cache
def plain(systems: int = 5, holes: int = 0, measures: tuple[str, ...] = ("P@10",)) -> tuple[tg.Study, Facts]:
    """A study over topics and its facts."""
    runs, judged = world(systems, holes)
    study = study_of(runs, judged, list(measures))
    return study, gather(study, runs, judged, messages=["something was odd"])


@cache
def with_gold() -> tuple[tg.Study, Facts]:
    """A judge that errs, and gold labels drawn at random."""
    runs, judged = world(4)
    bronze, gold = noisy(judged)
    study = study_of(runs, bronze, "P@10", gold=gold, design="random", min_effect=0.02)
    return study, gather(study, runs, bronze, baselines=["sys-2"], pairs=[("sys-1", "sys-4")])


@cache
def rated() -> tuple[tg.Study, Facts]:
    """Ratings by three assessors."""
    runs, judged = world(3)
    table = noisy_ratings(judged, assessors=3, highest=2, seed=5)
    study = study_of(runs, table, "nDCG@10", aggregate="mean", population="topics,assessors")
    return study, gather(study, runs, table, pairs=[("sys-1", "sys-3")])


def many(systems: int, seed: int = 1) -> Facts:
    """Facts of many systems, their scores and who is ahead made up; the rest as of a small study."""
    rng = np.random.default_rng(seed)
    _, facts = plain(3)
    value = np.sort(rng.random(systems))[::-1]
    far = value[:, None] - value[None, :]
    names = tuple(f"team{i % 40}-run-{i:04}" for i in range(systems))
    ranking = Ranking.of(names, value, far > 0.4 + 0.1 * rng.random((systems, systems)), measure="AP")
    assert ranking.ahead is not None
    alone = np.abs(far) > 0.2
    estimates = tuple(
        Estimate(s, "AP", float(v), float(v) - 0.05, float(v) + 0.05)
        for s, v in zip(ranking.systems, ranking.value, strict=True)
    )
    one = MeasureFacts(parse_measure("AP"), ranking, estimates, None, ranking.ahead, alone, ())
    claims = tuple(replace(c, verdicts=c.verdicts[:1]) for c in facts.claims)
    return replace(facts, systems=names, measures=(one,), claims=claims)
