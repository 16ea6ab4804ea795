"""Answers of the study go together: wider claims are not surer, rounding is no spread, nested assessors no source."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.flat import flat_study
from truegain.stats.contrasts import Contrasts, Variance

Runs = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]


def world(seed: int, topics: int = 12, docs: int = 40) -> tuple[Runs, Labels]:
    """Three systems, two of them close."""
    rng = np.random.default_rng(seed)
    labels = {str(t): {f"d{i}": int(rng.random() < 0.35) for i in range(docs)} for t in range(topics)}
    runs: Runs = {
        s: {t: {d: skill * g + rng.normal() for d, g in row.items()} for t, row in labels.items()}
        for s, skill in (("a", 0.5), ("b", 0.6), ("c", 1.2))
    }
    return runs, labels


def rated(labels: Labels, seed: int, people: int, times: int = 1, each: int = 2) -> pl.DataFrame:
    """Noisy ratings, so many people a document, each asked so many times."""
    rng = np.random.default_rng(seed)
    rows = [
        (t, d, f"w{k}", float(g + rng.integers(0, 3)))
        for t, row in labels.items()
        for d, g in row.items()
        for k in rng.choice(people, each, replace=False)
        for _ in range(times)
    ]
    return pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["nDCG@10", "RR"])
def test_topics_and_collection_are_what_topics_say(name: str) -> None:
    """Guards limits for topics like these on other collections: those over topics, which hold their documents.

    The wider of two estimates was taken: where topics hardly differ, or few documents are relevant, the noise of both.
    """
    wider = 0
    for seed in range(4):
        runs, labels = world(seed)
        both = tg.Study(runs, labels, name, population=["topics", "collection"], resampling=tg.Resampling(n=100))
        fixed = tg.Study(runs, labels, name, population=["collection"], resampling=tg.Resampling(n=100)).compare()
        topics = tg.Study(runs, labels, name)
        for wide, one, other in zip(both.compare(), fixed, topics.compare(), strict=True):
            assert (wide.difference, wide.low, wide.high, wide.p) == (other.difference, other.low, other.high, other.p)
            assert one.low is not None
            assert one.high is not None
            wider += one.high - one.low > (other.high or 0) - (other.low or 0)
        for score, alone in zip(both.estimates(), topics.estimates(), strict=True):
            assert (score.low, score.high) == (alone.low, alone.high)
    assert wider  # so there was something to take


@pytest.mark.parametrize(
    ("name", "resampling"),
    [(name, tg.Resampling(n=150, seed=2)) for name in ("AP", "RR", "R@5", "P@10")] + [("nDCG@10", None)],
)
def test_other_collections_are_the_same_in_study_intervals_and_compare(
    name: str, resampling: tg.Resampling | None
) -> None:
    """Guards one way to other collections: the same limits wherever they are asked for, R = 1 on four topics.

    Each drew another number of collections by default (1,000, 2,000 and 10,000): limits differed in the third decimal.
    """
    runs, labels = world(3)
    for t in list(labels)[:4]:
        labels[t] = {d: int(i == 5) for i, d in enumerate(labels[t])}
    study = tg.Study(runs, labels, name, population=["collection"], resampling=resampling)
    there = tg.intervals(runs, labels, name, population="collection", resampling=resampling)
    for one, other in zip(study.estimates(), there, strict=True):
        assert (one.value, one.low, one.high, one.se) == pytest.approx((other.value, other.low, other.high, other.se))
    apart = tg.compare(runs, labels, name, population="collection", resampling=resampling)
    for pair, same in zip(study.compare(), apart, strict=True):
        assert (pair.difference, pair.low, pair.high) == pytest.approx((same.difference, same.low, same.high))


def test_the_wider_of_two_spreads() -> None:
    """Guards the choice by limits of the confidence asked, not by variances: few degrees of freedom widen far out."""
    one, other = (
        Variance(np.array([1.0, 1.0]), np.array([50.0, 50.0])),
        Variance(np.array([0.9, 0.5]), np.array([2.0, 2.0])),
    )
    found = one.or_wider(other, 0.95)
    assert (found.value.tolist(), found.df.tolist()) == ([0.9, 0.5], [2.0, 2.0])
    near = one.or_wider(other, 0.5)  # 0.68 sqrt(1) and 0.82 sqrt(0.9) or 0.82 sqrt(0.5)
    assert (near.value.tolist(), near.df.tolist()) == ([0.9, 1.0], [2.0, 50.0])
    assert other.or_wider(one, 0.95).value.tolist() == [0.9, 0.5]
    few = Variance(np.array([0.1]), np.array([9.0]))
    assert Variance(np.array([1.0]), np.array([9.0])).or_wider(few, 0.95).value.tolist() == [1.0]


@pytest.mark.parametrize("measure", ["P@2", "P@5", "RR"])
def test_a_constant_difference_has_no_interval_whatever_its_rounding(measure: str) -> None:
    """Guards rounding against being taken for a spread."""
    labels = {str(t): {"r": 1, **{f"n{i}": 0 for i in range(9)}} for t in range(12)}
    first = {t: {d: float(d == "r") - 0.01 * i for i, d in enumerate(row)} for t, row in labels.items()}
    last = {t: {d: -float(d == "r") - 0.01 * i for i, d in enumerate(row)} for t, row in labels.items()}
    found = tg.Study({"last": last, "first": first}, labels, measure).compare("last", "first")[0]
    assert found.difference > 0
    assert (found.low, found.high, found.p) == (None, None, None)


def test_assessors_of_one_topic_each_are_nested() -> None:
    """Guards nested assessors, one or two a topic: the spread over topics holds them, and the study says so."""
    runs, labels = world(3)
    frame = rated(labels, 4, 2).with_columns(assessor=pl.col("assessor") + "-" + pl.col("topic"))
    with pytest.raises(tg.TruegainError, match="every assessor rated one topic only: assessors are nested in topics"):
        tg.Study(runs, frame, "nDCG@10", population=["topics", "assessors"], ratings="mean")


def test_what_assessors_add_is_known_no_worse_than_its_parts() -> None:
    """Guards the degrees of freedom of topics and assessors together: at least the fewer of both."""
    runs, labels = world(5)
    study = tg.Study(runs, rated(labels, 6, 7), "nDCG@10", population=["topics", "assessors"], ratings="mean")
    assert (study.variance_model().variance(Contrasts.all_pairs(3)).df >= 6).all()


def test_better_by_less_than_what_matters_is_not_better() -> None:
    """Guards the verdict where a gain is sure and surely too small."""
    runs, labels = world(7, topics=40)
    sure = tg.Study(runs, labels, "P@10").verdict("a", "c")
    assert sure.outcome == "better"
    small = tg.Study(runs, labels, "P@10", min_effect=0.9).verdict("a", "c")
    assert small.outcome == "not better"
    assert "c is better than a, but by less than 0.9: " in small.sentence


def test_a_constant_difference_of_topics_that_differ_is_no_spread() -> None:
    """Guards against cancellation: both systems vary over topics, their difference does not."""
    rng = np.random.default_rng(1)
    labels = {str(t): {f"d{i}": int(i < 1 + rng.integers(1, 8)) for i in range(20)} for t in range(25)}
    a = {t: {d: float(-i) for i, d in enumerate(row)} for t, row in labels.items()}
    worse = {t: {d: s if d != "d0" else -99.0 for d, s in row.items()} for t, row in a.items()}
    study = tg.Study({"worse": worse, "a": a}, labels, "P@10")
    found = study.compare("worse", "a")[0]
    assert found.difference == pytest.approx(0.1)
    assert found.low is None
    assert len(study.best().best) == 2


def test_ratings_of_other_topics_make_nobody_a_unit() -> None:
    """Guards assessors who rated nothing that the runs answer: same limits, same words, same refusal."""
    runs, labels = world(9)
    here = rated(labels, 1, 5)
    there = rated({f"x{t}": row for t, row in labels.items()}, 2, 20).with_columns(assessor=pl.col("assessor") + "x")
    options = {"aggregate": "mean", "population": ["topics", "assessors"]}
    alone = flat_study(runs, here, "CG@10", **options)
    with pytest.warns(tg.DataWarning, match="not answered by all systems"):
        more = flat_study(runs, pl.concat([here, there]), "CG@10", **options)
    assert more.population == alone.population
    for one, other in zip(alone.compare(), more.compare(), strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


def test_documents_with_one_rating_are_few_or_refused() -> None:
    """Guards the spread over assessors, which documents with one rating make too small."""
    runs, labels = world(11)
    frame = rated(labels, 3, 6, each=3)
    once = frame.unique(["topic", "doc"], keep="first", maintain_order=True).filter(pl.col("doc").str.ends_with("1"))
    mixed = pl.concat([frame.filter(~pl.col("doc").str.ends_with("1")), once])
    share = once.height / mixed.n_unique(["topic", "doc"])
    assert share == pytest.approx(0.1)
    tg.Study(runs, mixed, "CG@10", population=["assessors"], ratings="mean")
    more = mixed.filter(~pl.col("doc").is_in(["d0"]))
    with pytest.raises(tg.TruegainError, match="documents have one rating"):
        tg.Study(runs, more, "CG@10", population=["assessors"], ratings="mean")


def test_asking_again_is_counted_once() -> None:
    """Guards replicates beside assessors, topics fixed: an assessor left out takes the noise of his ratings along."""
    runs, labels = world(13)
    frame = rated(labels, 5, 6, times=2)
    widths = {}
    for over in (("assessors",), ("replicates",), ("assessors", "replicates")):
        with pytest.warns(tg.DataWarning, match="all ratings count"):
            study = tg.Study(runs, frame, "CG@10", population=over, ratings=tg.Ratings("mean", repeated="all"))
        widths[over] = [(c.high or 0) - (c.low or 0) for c in study.compare()]
    both = np.maximum(widths[("assessors",)], widths[("replicates",)])
    assert widths[("assessors", "replicates")] == pytest.approx(both.tolist(), rel=1e-9)
    for named in (
        ("topics", "replicates"),
        ("topics", "assessors", "replicates"),
        ("topics", "collection", "replicates"),
    ):
        with pytest.warns(tg.DataWarning, match="all ratings count"):
            study = tg.Study(
                runs,
                frame,
                "CG@10",
                population=named,
                ratings=tg.Ratings("mean", repeated="all"),
                resampling=tg.Resampling(n=100),
            )
        now, c = study.precision("a", "c"), study.compare("a", "c")[0]
        if "assessors" not in named:  # who may seem to add less than nothing
            assert now.half == pytest.approx(((c.high or 0) - (c.low or 0)) / 2, rel=1e-6)  # the parts are all of it
        assert 0 < now.parts["replicates"] < sum(now.parts.values())
        assert now.after(replicates=3) < now.half
    uneven = pl.concat([frame, frame.head(1)])
    with pytest.warns(tg.DataWarning), pytest.raises(tg.TruegainError, match="rated 2 to 3 times"):
        tg.Study(runs, uneven, "CG@10", population=["replicates"], ratings=tg.Ratings("mean", repeated="all"))


def test_the_order_of_files_and_rows_changes_nothing() -> None:
    """Guards every number against the order of runs and of ratings."""
    runs, labels = world(15)
    frame = rated(labels, 7, 6, each=3)
    over = ["collection", "assessors"]
    first = tg.Study(runs, frame, "CG@5", population=over, ratings="mean", resampling=tg.Resampling(n=200)).compare(
        "a", "c"
    )[0]
    again = tg.Study(
        runs,
        frame.sample(fraction=1.0, shuffle=True, seed=3),
        "CG@5",
        population=over,
        ratings="mean",
        resampling=tg.Resampling(n=200),
    )
    other = again.compare("a", "c")[0]
    assert (first.low, first.high) == pytest.approx((other.low, other.high), rel=1e-12)
    turned = dict(reversed(runs.items()))
    p = {frozenset((c.a, c.b)): c.p_adjusted for c in tg.Study(runs, labels, "P@10").compare()}
    q = {frozenset((c.a, c.b)): c.p_adjusted for c in tg.Study(turned, labels, "P@10").compare()}
    assert p == q


def test_what_stands_on_few_gold_labels_is_no_estimate() -> None:
    """Guards scores as differences: fewer than ten gold labels are told, and no value lies outside its measure."""
    runs, labels = world(17)
    bronze = {t: {d: g if i % 5 else 1 - g for i, (d, g) in enumerate(row.items())} for t, row in labels.items()}
    gold = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 20 == int(t) % 7} for t, row in labels.items()}
    found = tg.Study(runs, bronze, "P@10", gold=tg.Gold(gold, design="random")).estimates()
    assert any(e.refused for e in found)
    assert all("at least 10 are needed" in e.notes[0] if e.refused else 0 <= e.value <= 1 for e in found)


def test_one_system_for_the_next_step_is_refused() -> None:
    """Guards a name that would be ignored; and that buying nothing leaves the width as it is."""
    runs, labels = world(19)
    study = tg.Study(runs, labels, "P@10")
    with pytest.raises(tg.TruegainError, match="name two systems"):
        study.next_steps("a")
    standing = study.precision("a", "b")
    assert standing.after() == pytest.approx(standing.half)


def test_a_system_without_gold_stops_nobody_and_claims_nothing() -> None:
    """Guards a newcomer without gold labels: others are told apart as before, of it nothing is said."""
    runs, labels = world(21, topics=30)
    lists = {t: {d: float(-i) for i, d in enumerate(row)} for t, row in labels.items()}
    bronze = {t: {d: g if i % 5 else 1 - g for i, (d, g) in enumerate(row.items())} for t, row in labels.items()}
    tops = {t: set(sorted(row, key=lambda d: -row[d])[:10]) for t, row in lists.items()}
    gold = {
        t: {d: g for i, (d, g) in enumerate(row.items()) if d not in tops[t] and i % 2} for t, row in labels.items()
    }
    with_it = tg.Study({**runs, "new": lists}, bronze, "P@10", gold=tg.Gold(gold, design="random"))
    found = with_it.compare()
    alone = tg.Study(runs, bronze, "P@10", gold=tg.Gold(gold, design="random")).compare("a", "c")[0]
    again = found.between("a", "c")
    assert (again.low, again.high) == pytest.approx((alone.low, alone.high), rel=1e-9)
    for other in "abc":
        one = found.between(other, "new")
        assert one.low is None
        assert "there is no gold label of what new retrieved" in one.notes[0]
    told = with_it.verdict("a", "new")
    assert told.outcome == "inconclusive"
    assert "new retrieved 0 of the labeled documents" in told.sentence
    ranking = with_it.best()
    place = ranking.systems.index("new")
    assert (ranking.low[place], ranking.high[place]) == (1, 4)
