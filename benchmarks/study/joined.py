"""All at once: topics, documents, a judge who leans to b, 25% gold, three of ten assessors a document.

In one world the assessors give the gold labels, and a judge all others; in the other the assessors are the judge, and
gold labels are right.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import truegain as tg
from benchmarks.coverage.worlds import World
from benchmarks.study.alone import LEAN, SHARE, TOPICS, study_of
from benchmarks.study.judged import Crowd, bronze_of, gold_pairs, labels_of, names_of, ratings_of, runs_of
from benchmarks.study.nature import DEPTH, Lists, any_kinds
from benchmarks.study.pairs import votes_of
from benchmarks.study.rivals import drawn_answers, labels_as_they_are
from benchmarks.study.told import ResultList
from benchmarks.study.truth import majority, right

if TYPE_CHECKING:
    import numpy as np

CROWD_LEANS = 0.06
OVER = ["topics", "collection", "assessors"]


def gold_by_crowd(rng: np.random.Generator, topics: int, assessors: int) -> ResultList:
    """A judge labels all, assessors a quarter: the mean vote of assessors like these is the truth."""
    lists = Lists.draw(any_kinds(topics, rng), rng)
    names = names_of(lists)
    bronze = bronze_of(lists, rng, LEAN)
    kept = gold_pairs(bronze, lists, SHARE, "random", rng)
    who, said = Crowd.draw(assessors, rng).votes(lists.relevant, rng)
    truth = votes_of(right()[0].mean(axis=1))
    runs, labels = runs_of(lists, names), labels_of(bronze, names)
    told = study_of(
        runs, labels, {"CG@10": truth}, gold=tg.Gold(ratings_of(names, who, said, kept), "random", aggregate="mean"),
        ratings=tg.Ratings(scale="0:1"), population=OVER,
    )  # fmt: skip
    told |= labels_as_they_are(runs, labels, truth, "CG@10")
    return told | drawn_answers(lists, bronze, said.mean(axis=2), kept, (who, said), truth, rng, "CG@10")


def crowd_as_judge(rng: np.random.Generator, topics: int) -> ResultList:
    """Assessors who lean to b label all by majority, a quarter is gold."""
    lists = Lists.draw(any_kinds(topics, rng), rng)
    names = names_of(lists)
    lean = CROWD_LEANS * (lists.rank[1] < DEPTH)
    who, said = Crowd.draw(10, rng).votes(lists.relevant, rng, lean)
    label = majority(said)
    kept = gold_pairs(label, lists, SHARE, "random", rng)
    truth = right()[0].mean(axis=1)
    runs = runs_of(lists, names)
    told = study_of(
        runs, ratings_of(names, who, said), {"P@10": truth},
        gold=tg.Gold(labels_of(lists.right, names, kept), "random"),
        ratings=tg.Ratings("majority", scale="0:1"), population=OVER,
    )  # fmt: skip
    return told | labels_as_they_are(runs, labels_of(label, names), truth)


WORLDS = (
    *(
        World(f"all: gold by {a} assessors, {n} topics", partial(gold_by_crowd, topics=n, assessors=a))
        for n, a in ((50, 10), (25, 10), (50, 6), (25, 6))
    ),
    *(World(f"all: assessors as judge, {n} topics", partial(crowd_as_judge, topics=n)) for n in TOPICS),
)
