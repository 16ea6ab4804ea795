"""Every source alone: what is not named is the same in every study of a cell."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np

import truegain as tg
from benchmarks.coverage.worlds import World
from benchmarks.study.judged import (
    Crowd,
    Table,
    bronze_of,
    gold_pairs,
    labels_of,
    mean_vote,
    names_of,
    ratings_of,
    runs_of,
)  # fmt: skip
from benchmarks.study.nature import MEASURES, Array, Lists, any_kinds, these_kinds
from benchmarks.study.told import ResultList, asked_of, refused
from benchmarks.study.truth import fixed_lists, over_crowds, right
from truegain.errors import DataWarning, TruegainError

DRAWS = 200  # collections
SHARE = 0.25  # of pairs with gold labels
LEAN = 0.12  # of the judge to b
TOPICS = (25, 50)


def study_of(
    runs: Any, judgments: Any, truth: Mapping[str, Array], method: str = "", *, seed: int = 0, **config: Any
) -> ResultList:
    """The answers of one study; None for those it refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            study = tg.Study(runs, judgments, list(truth), resampling=tg.Resampling(DRAWS, seed), **config)
        except TruegainError:
            return refused(list(truth), method)
        return asked_of(study, truth, method)


def as_truth(scores: Array, measures: tuple[str, ...] = MEASURES) -> dict[str, Array]:
    """Measure x system as a dict."""
    return {m: scores[MEASURES.index(m)] for m in measures}


def topics_alone(rng: np.random.Generator, topics: int) -> ResultList:
    """Topics at random, right labels."""
    lists = Lists.draw(any_kinds(topics, rng), rng)
    names = names_of(lists)
    truth = as_truth(right().mean(axis=2))
    return study_of(runs_of(lists, names), labels_of(lists.right, names), truth)


def collection_alone(rng: np.random.Generator, topics: int) -> ResultList:
    """The same topics on another collection, right labels."""
    kinds = these_kinds(topics)
    lists = Lists.draw(kinds, rng)
    names = names_of(lists)
    return study_of(
        runs_of(lists, names), labels_of(lists.right, names), as_truth(right()[:, :, kinds].mean(axis=2)),
        population=["collection"], seed=int(rng.integers(1 << 30)),
    )  # fmt: skip


@cache
def held_fixed(topics: int) -> tuple[Lists, list[list[str]], dict[str, Table], dict[str, Array]]:
    """Lists, names, runs and true scores that are the same in every study."""
    lists = fixed_lists(topics)
    names = names_of(lists)
    return lists, names, runs_of(lists, names), as_truth(lists.measured(lists.right).mean(axis=2))


@cache
def fixed_bronze(topics: int) -> Array:
    """A leaning judge's labels of the fixed lists."""
    return bronze_of(held_fixed(topics)[0], np.random.default_rng([topics, 78]), LEAN)


def assessors_alone(rng: np.random.Generator, topics: int) -> ResultList:
    """Other assessors on the same documents: mean votes (CG@10), the majority's labels (the others)."""
    lists, names, runs, _ = held_fixed(topics)
    who, said = Crowd.draw(10, rng).votes(lists.relevant, rng)
    table = ratings_of(names, who, said)
    votes = 10 * lists.measured(mean_vote(lists.right))[0].mean(axis=1)
    over = ["assessors"]
    return study_of(runs, table, {"CG@10": votes}, ratings=tg.Ratings("mean", scale="0:1"), population=over) | study_of(
        runs, table, as_truth(over_crowds(topics)), ratings=tg.Ratings("majority", scale="0:1"), population=over
    )


def gold_alone(rng: np.random.Generator, topics: int, design: str) -> ResultList:
    """Other gold pairs, the judge's labels and the topics the same."""
    lists, names, runs, truth = held_fixed(topics)
    bronze = fixed_bronze(topics)
    gold = labels_of(lists.right, names, gold_pairs(bronze, lists, SHARE, design, rng))
    return study_of(runs, labels_of(bronze, names), truth, gold=tg.Gold(gold, design), population="fixed")


def gold_topics_alone(rng: np.random.Generator, topics: int, gold: int) -> ResultList:
    """Other topics gold-judged as a whole, for these topics only."""
    lists, names, runs, truth = held_fixed(topics)
    some = rng.choice(topics, gold, replace=False)
    whole = labels_of(lists.right, names)
    return study_of(
        runs, labels_of(fixed_bronze(topics), names), truth,
        gold=tg.Gold({f"t{t:03d}": whole[f"t{t:03d}"] for t in some.tolist()}, "topics"), population="fixed",
    )  # fmt: skip


def elsewhere(rng: np.random.Generator, topics: int = 40, share: float = SHARE) -> tuple[Table, Table]:
    """A judge without leaning and gold labels on topics of their own: bronze and gold."""
    lists = Lists.draw(any_kinds(topics, rng), rng)
    names = names_of(lists, "e")
    bronze = bronze_of(lists, rng, 0.0)
    kept = gold_pairs(bronze, lists, share, "random", rng)
    return labels_of(bronze, names, kept, "e"), labels_of(lists.right, names, kept, "e")


def elsewhere_alone(rng: np.random.Generator, topics: int) -> ResultList:
    """Rates from other topics; the judge labels these topics anew."""
    lists, names, runs, truth = held_fixed(topics)
    there, gold = elsewhere(rng)
    judge = tg.Judge.fit(there, gold, design="elsewhere")
    bronze = labels_of(bronze_of(lists, rng, 0.0), names)
    return study_of(runs, bronze, {m: truth[m] for m in ("P@10", "nDCG@10")}, gold=judge, population="fixed")


WORLDS = (
    *(World(f"topics, {n}", partial(topics_alone, topics=n)) for n in (3, 5, 10, *TOPICS)),
    *(World(f"collection, {n} topics fixed", partial(collection_alone, topics=n)) for n in TOPICS),
    *(World(f"assessors, 10, {n} topics fixed", partial(assessors_alone, topics=n)) for n in TOPICS),
    *(
        World(f"gold pairs, {design}, {n} topics fixed", partial(gold_alone, topics=n, design=design))
        for n in TOPICS
        for design in ("random", "by-bronze")
    ),
    *(
        World(f"gold topics, {g} of {n}, fixed", partial(gold_topics_alone, topics=n, gold=g))
        for n, g in ((25, 8), (50, 8), (50, 20))
    ),
    *(World(f"gold elsewhere, {n} topics fixed", partial(elsewhere_alone, topics=n)) for n in TOPICS),
)
