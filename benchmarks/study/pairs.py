"""Two sources at once."""

from __future__ import annotations

from functools import partial

import numpy as np

import truegain as tg
from benchmarks.coverage.worlds import World
from benchmarks.study.alone import LEAN, SHARE, TOPICS, as_truth, elsewhere, study_of
from benchmarks.study.judged import HIT, Crowd, bronze_of, gold_pairs, labels_of, names_of, ratings_of, runs_of
from benchmarks.study.nature import Array, Lists, any_kinds, these_kinds
from benchmarks.study.rivals import drawn_answers, labels_as_they_are
from benchmarks.study.told import ResultList
from benchmarks.study.truth import by_majority, right

FEW = 0.06  # of pairs with gold labels, where they are few


def votes_of(precision: Array) -> Array:
    """CG@10 of mean votes where P@10 is so much: votes are linear in relevance."""
    return np.asarray(10 * (1 - HIT + (2 * HIT - 1) * precision))


def topics_collection(rng: np.random.Generator, topics: int) -> ResultList:
    """Other topics on other collections, right labels; what drawing both makes of it beside."""
    lists = Lists.draw(any_kinds(topics, rng), rng)
    names = names_of(lists)
    truth = right().mean(axis=2)
    told = study_of(
        runs_of(lists, names), labels_of(lists.right, names), as_truth(truth),
        population=["topics", "collection"],
    )  # fmt: skip
    label = lists.right
    return told | drawn_answers(lists, label, label, lists.there, None, truth[0], rng)


def topics_assessors(rng: np.random.Generator, topics: int, assessors: int) -> ResultList:
    """Other topics, other assessors."""
    lists = Lists.draw(any_kinds(topics, rng), rng)
    names = names_of(lists)
    runs = runs_of(lists, names)
    table = ratings_of(names, *Crowd.draw(assessors, rng).votes(lists.relevant, rng))
    over = ["topics", "assessors"]
    truth = {"CG@10": votes_of(right()[0].mean(axis=1))}
    return study_of(runs, table, truth, ratings=tg.Ratings("mean", scale="0:1"), population=over) | study_of(
        runs,
        table,
        as_truth(by_majority(assessors).mean(axis=2)),
        ratings=tg.Ratings("majority", scale="0:1"),
        population=over,
    )


def collection_assessors(rng: np.random.Generator, topics: int) -> ResultList:
    """The same topics on another collection, by other assessors."""
    kinds = these_kinds(topics)
    lists = Lists.draw(kinds, rng)
    names = names_of(lists)
    runs = runs_of(lists, names)
    table = ratings_of(names, *Crowd.draw(10, rng).votes(lists.relevant, rng))
    over = ["collection", "assessors"]
    truth = {"CG@10": votes_of(right()[0][:, kinds].mean(axis=1))}
    return study_of(runs, table, truth, ratings=tg.Ratings("mean", scale="0:1"), population=over) | study_of(
        runs,
        table,
        as_truth(by_majority(10)[:, :, kinds].mean(axis=2)),
        ratings=tg.Ratings("majority", scale="0:1"),
        population=over,
    )


def with_gold(rng: np.random.Generator, topics: int, design: str, over: str) -> ResultList:
    """A leaning judge and gold pairs; over topics, or over collections with the topics fixed."""
    kinds = any_kinds(topics, rng) if over == "topics" else these_kinds(topics)
    lists = Lists.draw(kinds, rng)
    names = names_of(lists)
    bronze = bronze_of(lists, rng, LEAN)
    kept = gold_pairs(bronze, lists, SHARE, design, rng)
    truth = right()[:1].mean(axis=2) if over == "topics" else right()[:1][:, :, kinds].mean(axis=2)
    runs, labels = runs_of(lists, names), labels_of(bronze, names)
    told = study_of(
        runs, labels, {"P@10": truth[0]}, gold=tg.Gold(labels_of(lists.right, names, kept), design),
        population=[over],
    )  # fmt: skip
    if over != "topics":
        return told
    told |= labels_as_they_are(runs, labels, truth[0])
    if design == "random":
        told |= drawn_answers(lists, bronze, lists.right, kept, None, truth[0], rng)
    return told


def with_few_gold(rng: np.random.Generator, topics: int) -> ResultList:
    """A good judge and few gold pairs, of which many agree by chance; over topics, and for these only."""
    lists = Lists.draw(any_kinds(topics, rng), rng)
    names = names_of(lists)
    bronze = bronze_of(lists, rng, 0.0, (0.02, 0.08))
    gold = labels_of(lists.right, names, gold_pairs(bronze, lists, FEW, "random", rng))
    runs, labels = runs_of(lists, names), labels_of(bronze, names)
    fixed = lists.measured(lists.right)[0].mean(axis=1)
    told = study_of(runs, labels, {"P@10": right()[0].mean(axis=1)}, gold=tg.Gold(gold, "random"))
    these = study_of(runs, labels, {"P@10": fixed}, gold=tg.Gold(gold, "random"), population="fixed")
    return told | {f"{name} (these topics)": one for name, one in these.items()}


def with_gold_topics(rng: np.random.Generator, topics: int, gold: int) -> ResultList:
    """A leaning judge and whole gold topics, over topics."""
    lists = Lists.draw(any_kinds(topics, rng), rng)
    names = names_of(lists)
    whole = labels_of(lists.right, names)
    return study_of(
        runs_of(lists, names), labels_of(bronze_of(lists, rng, LEAN), names), as_truth(right().mean(axis=2)),
        gold=tg.Gold({t: whole[t] for t in list(whole)[:gold]}, "topics"),
    )  # fmt: skip


def with_elsewhere(rng: np.random.Generator, topics: int) -> ResultList:
    """A judge whose rates are from gold of other topics, over topics."""
    lists = Lists.draw(any_kinds(topics, rng), rng)
    names = names_of(lists)
    judge = tg.Judge.fit(*elsewhere(rng), design="elsewhere")
    return study_of(
        runs_of(lists, names), labels_of(bronze_of(lists, rng, 0.0), names),
        as_truth(right().mean(axis=2), ("P@10", "nDCG@10")), gold=judge,
    )  # fmt: skip


WORLDS = (
    *(World(f"topics {n}, collection", partial(topics_collection, topics=n)) for n in TOPICS),
    *(
        World(f"topics {n}, assessors {a}", partial(topics_assessors, topics=n, assessors=a))
        for n, a in ((25, 6), (50, 6), (25, 10), (50, 10))
    ),
    *(World(f"collection, assessors 10, {n} topics fixed", partial(collection_assessors, topics=n)) for n in TOPICS),
    *(
        World(f"topics {n}, gold pairs {design}", partial(with_gold, topics=n, design=design, over="topics"))
        for n in TOPICS
        for design in ("random", "by-bronze")
    ),
    *(
        World(
            f"collection, gold pairs random, {n} topics fixed",
            partial(with_gold, topics=n, design="random", over="collection"),
        )
        for n in TOPICS
    ),
    *(World(f"topics {n}, few gold pairs, a good judge", partial(with_few_gold, topics=n)) for n in TOPICS),
    *(
        World(f"topics {n}, gold topics {g}", partial(with_gold_topics, topics=n, gold=g))
        for n, g in ((25, 8), (50, 8), (50, 20))
    ),
    *(World(f"topics {n}, gold elsewhere", partial(with_elsewhere, topics=n)) for n in TOPICS),
)
