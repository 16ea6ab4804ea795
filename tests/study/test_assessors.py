"""Assessors left out: what stands in for them, and what they add to the topics."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from benchmarks.study.judged import Crowd, names_of, ratings_of, runs_of
from benchmarks.study.nature import Lists, any_kinds

import truegain as tg
from truegain.aggregation.aggregate import rule_of
from truegain.data.ratings import Scale, read_ratings
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import quantiles_of
from truegain.study.assessors import Raters

Votes = tuple[int, ...]


def two_thirds(votes: Votes) -> float:
    """The highest value that two of three reach."""
    return float(max(x for x in votes if 3 * sum(y >= x for y in votes) >= 2 * len(votes)))


@pytest.mark.parametrize(
    ("rule", "by_hand"),
    [
        ("majority", lambda v: float(min(v, key=lambda x: (-v.count(x), x)))),
        ("median", lambda v: float(np.median(v))),
        ("supermajority", two_thirds),
    ],
)
def test_each_of_the_others_stands_in_for_the_one_left_out(rule: str, by_hand: Callable[[Votes], float]) -> None:
    """Guards votes of three on all documents there can be: by hand, each of the other two in turn votes twice."""
    documents = list(itertools.product((0, 1, 2), repeat=3))
    rows = [(f"d{i:02d}", f"w{k}", v) for i, votes in enumerate(documents) for k, v in enumerate(votes)]
    frame = pl.DataFrame(rows, schema=["doc", "assessor", "label"], orient="row").with_columns(topic=pl.lit("1"))
    raters = Raters.of(read_ratings(frame, scale=Scale.of("0:2")), rule_of(rule), Scale.of("0:2"))
    for name, weights in zip(raters.names, raters.people.left_out(), strict=True):
        out = int(name[1:])
        told = raters.gains_of(weights)
        for i, votes in enumerate(documents):
            others = votes[:out] + votes[out + 1 :]
            stand_in = sorted(by_hand((*others, again)) for again in others)
            assert sorted(float(gains[i]) for gains in told) == stand_in


def test_a_mean_is_fitted_once_to_the_ratings_left() -> None:
    """Guards smooth rules: no stand-in where a rating less makes no tie; a document of one assessor keeps its gain."""
    rows = [("a", "x", 0), ("a", "y", 1), ("a", "z", 2), ("b", "x", 2)]
    frame = pl.DataFrame(rows, schema=["doc", "assessor", "label"], orient="row").with_columns(topic=pl.lit("1"))
    raters = Raters.of(read_ratings(frame, scale=Scale.of("0:2")), rule_of("mean"), Scale.of("0:2"))
    told = raters.gains_of(list(raters.people.left_out())[raters.names.index("x")])
    assert [one.tolist() for one in told] == [[1.5, 2.0]]


def crowd_of(seed: int, rule: str, over: list[str], measure: str) -> tg.Study:
    """Six assessors of the same leniency, 12 topics."""
    rng = np.random.default_rng([36, seed])
    lists = Lists.draw(any_kinds(12, rng), rng)
    names = names_of(lists)
    table = ratings_of(names, *Crowd(np.zeros(6)).votes(lists.relevant, rng))
    return tg.Study(runs_of(lists, names), table, measure, population=over, ratings=tg.Ratings(rule, scale="0:1"))


@pytest.mark.parametrize("rule", ["mean", "majority"])
def test_topics_and_assessors_are_never_surer_than_topics(rule: str) -> None:
    """Guards what assessors add, which may come out below 0: then topics count, else the sum with its own freedom."""
    contrasts, below, above = Contrasts.all_pairs(3), 0, 0
    for seed in range(4):
        variance_model = crowd_of(seed, rule, ["topics", "assessors"], "AP").variance_model()
        people = variance_model.crossed()["assessors"]
        topics, who, cells = variance_model.estimator.over_topics(contrasts), people.who, people.by_topic
        seen = variance_model.variance(contrasts)
        of_who = who.variance(contrasts).value
        adds = (of_who - cells.variance(contrasts).value) * 12 / 11
        total = np.maximum(topics.value + adds, 0.0)
        df = np.maximum(total**2 / (topics.value**2 / 11 + of_who**2 / 5), 5)
        wide, narrow = (quantiles_of(0.95, d) * np.sqrt(v) for v, d in ((total, df), (topics.value, topics.df)))
        half = quantiles_of(0.95, seen.df) * np.sqrt(seen.value)
        assert half == pytest.approx(np.maximum(wide, narrow).tolist(), rel=1e-9)
        below, above = below + int((wide < narrow).sum()), above + int((wide > narrow).sum())
        assert variance_model.own_parts(contrasts)["assessors"] == pytest.approx(
            np.maximum(adds, 0.0).tolist(), abs=1e-15
        )
    assert min(below, above) > 0


def test_what_assessors_add_is_what_their_leniency_adds() -> None:
    """Guards T/(T - 1): where votes hold no chance and topics are alike, assessors add their leniency's variance."""
    rng = np.random.default_rng(37)
    leniency = rng.normal(size=5)
    rows = [(str(t), f"d{i}", f"w{k}", 5 + x) for t in range(4) for i in range(3) for k, x in enumerate(leniency)]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    runs = {s: {str(t): {f"d{i}": float(i + t % 2 * (s == "b")) for i in range(3)} for t in range(4)} for s in "ab"}
    with pytest.warns(tg.DataWarning):
        study = tg.Study(
            runs, frame, "CG@2", population=["topics", "assessors"], ratings=tg.Ratings("mean", scale="0:10")
        )
    added = study.variance_model().own_parts(Contrasts.of([(None, 0)]))["assessors"]
    assert added == pytest.approx([4 * leniency.var(ddof=1) / 5], rel=1e-9)


@pytest.mark.slow
def test_noise_of_single_ratings_counts_once() -> None:
    """Guards (A - r)/(r (A - 1)): two of six assessors a document, no leniency; without it V is 1.7 times too large.

    With it 1.06 times, and 1.24 as noise is never taken for more than the whole (800 draws).
    """
    documents, topics = 20, [str(t) for t in range(4)]
    order = np.random.default_rng(38).random((2, 4, documents))
    runs = {
        s: {t: {f"d{i}": float(x) for i, x in enumerate(row)} for t, row in zip(topics, rows, strict=True)}
        for s, rows in zip("ab", order, strict=True)
    }
    value, variance = [], []
    for seed in range(150):
        rng = np.random.default_rng([39, seed])
        rows = [
            (t, f"d{i}", f"w{k}", rng.uniform(0, 10))
            for t in topics
            for i in range(documents)
            for k in rng.choice(6, 2, replace=False)
        ]
        frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
        variance_model = tg.Study(
            runs, frame, "CG@10", population=["assessors"], ratings=tg.Ratings("mean", scale="0:10")
        ).variance_model()
        value.append(variance_model.estimator.value)
        variance.append(variance_model.variance(Contrasts.of([(None, 0), (None, 1)])).value)
    assert np.mean(variance) / np.var(value, axis=0, ddof=1).mean() == pytest.approx(1.2, abs=0.2)


def test_where_all_rate_all_nothing_counts_too_much() -> None:
    """Guards r = A, where leaving one out has the right factor already."""
    rows = [(f"d{i}", f"w{k}", (i + k) % 3) for i in range(4) for k in range(5)]
    frame = pl.DataFrame(rows, schema=["doc", "assessor", "label"], orient="row").with_columns(topic=pl.lit("1"))
    raters = Raters.of(read_ratings(frame, scale=Scale.of("0:2")), rule_of("mean"), Scale.of("0:2"))
    assert raters.noise_twice == pytest.approx(0.0, abs=1e-12)
