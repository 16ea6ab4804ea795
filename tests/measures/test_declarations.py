"""What measures declare of themselves: kind of mean, bounds, rank weights and worth; and who was judged."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.pool import RankedGains
from truegain.errors import MeasureError
from truegain.io.columns import Floats
from truegain.measures.base import Measure
from truegain.measures.catalogue import CATALOGUE, parse_measure
from truegain.measures.label_weights import linear_parts

LINEAR = [
    "P@5", "P(rel=2)@3", "Hits", "Hits(rel=2)@4", "CG@4", "CG", "CG(gains={1:5,2:-2})@6", "DCG@5", "DCG",
    "DCG(dcg='exp-log2')@7", "DCG(dcg='jk',base=3)@8", "RBP", "RBP(p=0.5,rel=2)", "RBP(max_rel=3)@4",
    "SDCG(max_rel=3)@6", "INSQ(max_rel=3,T=2)",
]  # fmt: skip

Nested = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]


def world(seed: int, labels: tuple[int, ...] = (-1, 0, 1, 2, 3)) -> tuple[Nested, Labels]:
    """Runs of three systems on five topics, and judgments of some of their documents and of others."""
    rng = np.random.default_rng(seed)
    docs = [f"d{i:02}" for i in range(25)]
    runs = {
        f"s{s}": {str(t): {d: float(rng.random()) for d in rng.choice(docs, 12, replace=False)} for t in range(5)}
        for s in range(3)
    }
    judged = {str(t): {d: int(rng.choice(labels)) for d in rng.choice(docs, 15, replace=False)} for t in range(5)}
    return runs, judged


def ranked_world(seed: int) -> RankedGains:
    """The same, aligned."""
    return aligned(*world(seed), Scoring())


def every_measure() -> list[Measure]:
    """Every measure of the catalogue that needs no text, with what it needs to be scored."""
    found = []
    for name, kind in CATALOGUE.items():
        measure = kind() if "max_rel" not in kind.__dataclass_fields__ else kind(max_rel=3)  # type: ignore[call-arg]
        if measure.reads_text:
            continue
        if measure.NEEDS_AT:
            measure = measure @ (0.3 if measure.AT == "recall" else 5)
        assert name == measure.NAME
        found.append(measure)
    return [*found, *map(parse_measure, LINEAR)]


@pytest.mark.parametrize("measure", every_measure(), ids=str)
def test_no_value_leaves_the_bounds(measure: Measure) -> None:
    """Guards `bounds`, by which limits of intervals are cut: no topic of 30 random ones lies outside."""
    low, high = measure.bounds()
    for seed in range(2):
        values = measure.score(ranked_world(seed))
        if values.dtype != object:
            assert np.nanmin(values) >= low - 1e-12
            assert np.nanmax(values) <= high + 1e-12


@pytest.mark.parametrize(
    "text", ["AP", "nDCG@10", "P@5", "RR", "RBP(rel=1)", "ERR@5", "Bpref", "GMAP", "RBP(max_rel='scale')"]
)
def test_shares_are_bounded_by_one(text: str) -> None:
    """Guards against bounds so wide that they cut nothing."""
    assert parse_measure(text).bounds() == (0.0, 1.0)


def test_what_is_no_share_has_no_upper_bound() -> None:
    """Guards the exceptions: counts, sums of gains, log odds, negative gains, ndeval's undivided sum at k = 1."""
    for text in ("NumRet", "CG@5", "DCG@5", "RBP", "alpha_DCG@1"):
        assert parse_measure(text).bounds() == (0.0, math.inf)
    assert parse_measure("alpha_DCG@2").bounds() == (0.0, 1.0)
    assert parse_measure("YAAP").bounds() == (-math.inf, math.inf)
    assert parse_measure("nDCG(gains={0:-1})@5").bounds() == (-math.inf, 1.0)
    assert parse_measure("IA(of='DCG@5')").bounds() == (0.0, math.inf)
    assert parse_measure("AbsNB@20").bounds() == (0.0, 20.0)
    assert parse_measure("AbsRB@20").bounds()[1] == pytest.approx(1 - 0.8**20)


def test_the_kind_of_mean_is_declared() -> None:
    """Guards the summaries: each is what the measure declares, worked out here from the topics' values."""
    scores = tg.evaluate(*world(1), ["AP", "GMAP", "GMBpref", "NumRet(rel=1)", "NumQ", "nDCG@5"])
    for name, values in scores.values.items():
        kind = scores.objects[name].mean
        expected = {
            "arithmetic": values.mean(axis=1),
            "geometric": np.maximum(values, 1e-5).prod(axis=1) ** (1 / values.shape[1]),
            "total": values.sum(axis=1),
        }[kind]
        assert scores.summaries[name] == pytest.approx(expected)
    assert {n: scores.objects[n].mean for n in ("GMAP", "GMBpref")} == {"GMAP": "geometric", "GMBpref": "geometric"}
    assert scores.counts == {"NumRet(rel=1)", "NumQ"}


def by_hand(measure: Measure, ranked: RankedGains, weight: Floats) -> Floats:
    """The sum over documents of rank weight times worth, one document at a time."""
    out = np.zeros(ranked.lists)
    for lists, rank, label in zip(ranked.list.tolist(), ranked.rank.tolist(), ranked.gain.tolist(), strict=True):
        out[lists] += weight[rank - 1] * float(measure.worth(np.array([label]))[0])
    return out


@pytest.mark.parametrize("text", LINEAR)
def test_rank_weights_and_worth_make_the_score(text: str) -> None:
    """Guards both declarations of every measure linear in gain: their sum of products is its score."""
    measure, ranked = parse_measure(text), ranked_world(7)
    assert measure.linear_in_gains
    score = measure.score(ranked).ravel()
    assert by_hand(measure, ranked, measure.rank_weights(20)) == pytest.approx(score, abs=1e-12)
    parts = linear_parts(measure, ranked.item_gain, 20)
    assert parts.weight[0] == 1.0
    made = parts.coefficients(ranked) @ np.where(
        ranked.pool.topic[:, None] == np.arange(5), parts.worth(ranked.item_gain)[:, None], 0.0
    )
    assert made.ravel() == pytest.approx(score, abs=1e-12)


def test_every_linear_measure_of_the_catalogue_is_tried() -> None:
    """Guards the list above against a new linear measure that nobody tried."""
    linear = {name for name, kind in CATALOGUE.items() if kind.linear_in_gains}
    assert linear == {parse_measure(text).NAME for text in LINEAR}


def test_labels_below_the_cutoff_count_where_a_measure_needs_the_pool() -> None:
    """Guards `needs_pool` both ways: labels of documents that a list does not show change the score there alone."""
    runs, judged = world(11, labels=(0, 1, 2, 3))
    more = "iRBU(max_rel='topic')@4 RBP(max_rel='topic')@4 RBP(max_rel='scale')@4 iRBU(max_rel='scale')@4 EBR(beta=0)@4"
    measures = [m @ 4 if hasattr(m, "cutoff") else m for m in every_measure()] + [*map(parse_measure, more.split())]
    tried = [m for m in measures if not m.of_subtopics and not m.leaves_out_unjudged and m.mean != "none"]
    assert sum(not m.needs_pool for m in tried) > 20

    @cache
    def other(s: str, cutoff: int | None, label: int) -> RankedGains:
        shown = {t: sorted(row, key=lambda d: -row[d])[:cutoff] for t, row in runs[s].items()}
        labels = {
            t: {d: x if d in shown[t] else label for d, x in row.items()} | {"new": label} for t, row in judged.items()
        } | {"9": {"d": 3}}
        return aligned({s: {**runs[s], "9": {"d": 1.0}}}, labels, Scoring())

    as_judged = {s: aligned({s: runs[s]}, judged, Scoring()) for s in runs}
    for m in tried:
        cutoff, moved = getattr(m, "cutoff", None), False
        for s in runs:
            now = m.score(as_judged[s])
            for label in (0, 3):
                then = m.score(other(s, cutoff, label))[:, :5]
                moved |= not np.array_equal(now, then, equal_nan=True)
        if not m.needs_pool:
            assert not moved, str(m)
        assert moved or not m.needs_pool or cutoff is None, f"{m} could say that it does not need the pool"


def test_a_measure_that_is_not_linear_has_no_weights() -> None:
    """Guards the refusal, in its two forms: not linear at all, and a scale read off the labels."""
    for text in ("nDCG@5", "AP", "INST(max_rel=3)"):
        with pytest.raises(MeasureError, match="not linear in gain"):
            linear_parts(parse_measure(text), np.array([0.0, 1.0]), 5)
    with pytest.raises(MeasureError, match="reads its scale off the labels"):
        linear_parts(parse_measure("RBP(max_rel='scale')"), np.array([0.0, 1.0]), 5)


def two(first: float, second: float) -> RankedGains:
    """One list of two documents, with these gains: NaN is unjudged."""
    ranked = aligned({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 1, "c": 1}}, Scoring())
    return ranked.with_gains(np.array([first, second, 1.0]))


def test_a_negative_gain_counts() -> None:
    """Guards the mask: a gain that was worked out (a corrected label) may be negative, and is judged all the same."""
    gains = two(-0.2857, 1.1429)
    assert parse_measure("CG@2").score(gains)[0, 0] == pytest.approx(0.8572)
    assert parse_measure("DCG@2").score(gains)[0, 0] == pytest.approx(-0.2857 + 1.1429 / math.log2(3))
    assert parse_measure("RBP(p=0.5)").score(gains)[0, 0] == pytest.approx(0.5 * -0.2857 + 0.25 * 1.1429)
    assert parse_measure("Unjudged@2").score(gains)[0, 0] == 0.0
    assert len(gains.condensed.item) == 2


def test_nan_is_unjudged_whatever_else_is_negative() -> None:
    """Guards the other half: what has no gain counts nothing, and is no judged document."""
    gains = two(float("nan"), -0.5)
    assert gains.judged.tolist() == [False, True]
    assert parse_measure("CG@2").score(gains)[0, 0] == -0.5
    assert parse_measure("CG(gains={0:7})@2").score(gains)[0, 0] == -0.5
    assert parse_measure("Unjudged@2").score(gains)[0, 0] == 0.5
    assert parse_measure("NumNonrelJudgedRet").score(gains)[0, 0] == 1.0
    assert parse_measure("CG(judged_only=True)@1").score(gains)[0, 0] == -0.5


def test_a_negative_label_is_unjudged_as_in_trec_eval() -> None:
    """Guards labels as given: there the sign tells, unless a table gives the label a gain of its own."""
    run, labels = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": -1, "b": 2}}
    scores = tg.evaluate(run, labels, ["CG@2", "CG(gains={-1:4})@2", "DCG(gains={2:3})@2", "Unjudged@2"])
    assert list(scores.means().values()) == pytest.approx([2.0, 6.0, 3 / math.log2(3), 0.5])


def test_a_table_of_gains_may_hold_negative_ones() -> None:
    """Guards files: a column named gain holds what was worked out, and its sign does not mean unjudged."""
    rows = {"topic": ["1", "1"], "doc": ["a", "b"]}
    run, numbers = {"1": {"a": 2.0, "b": 1.0}}, [-0.2857, 1.1429]
    for name, counted, unjudged in (("gain", 0.8572, 0.0), ("label", 1.1429, 0.5)):
        found = tg.evaluate(run, pl.DataFrame({**rows, name: numbers}), ["CG@2", "Unjudged@2"])
        assert list(found.means().values()) == pytest.approx([counted, unjudged])


@pytest.mark.parametrize("topics", [1, 2])
def test_coefficients_of_documents(topics: int) -> None:
    """Guards what a worth of 1 adds at each rank, for two systems, with one topic and with two."""
    runs = {
        "x": {str(t): {"a": 3.0, "b": 2.0, "u": 1.0, "c": 0.5} for t in range(topics)},
        "y": {str(t): {"c": 2.0, "a": 1.0} for t in range(topics)},
    }
    labels = {str(t): {"a": 1, "b": 0, "c": 2} for t in range(topics)}
    ranked = aligned(runs, labels, Scoring())
    one = linear_parts(parse_measure("DCG@3"), np.array([0.0, 1.0, 2.0]), 3).coefficients(ranked)
    half, third = 1 / math.log2(3), 1 / math.log2(4)
    names = list(ranked.pool.docs.strings())
    wanted = {"x": {"a": 1.0, "b": half, "c": 0.0}, "y": {"a": half, "b": 0.0, "c": 1.0}}
    assert one.tolist() == [[pytest.approx(wanted[s][d]) for d in names] for s in "xy"]
    condensed = linear_parts(parse_measure("DCG(judged_only=True)@3"), np.array([0.0, 1.0, 2.0]), 3)
    assert condensed.coefficients(ranked)[0].tolist() == [
        pytest.approx({"a": 1.0, "b": half, "c": third}[d]) for d in names
    ]


def test_what_a_topic_can_have() -> None:
    """Guards bounds, by which limits of intervals are cut, of gains below 0 and of measures of measures."""
    no_end = math.inf
    wanted = {
        "CG(gains={0:-1})": (-no_end, no_end),
        "DCG(gains={0:-1})@3": (-no_end, no_end),
        "RBP(gains={0:-1},max_rel='scale')": (-no_end, 1.0),
        "RBP(max_rel=3)": (0.0, no_end),
        "CG(gains={0:0})": (0.0, no_end),
        "nDCG(gains={1:2})": (0.0, 1.0),
        "Utility": (-no_end, no_end),
        "alpha_nDCG@5": (0.0, no_end),
        "alpha_nDCG@1": (0.0, no_end),
        "nERR_IA": (0.0, no_end),
        "nNRBP": (0.0, no_end),
        "NRBP": (0.0, 1.0),
        "ERR_IA@1": (0.0, no_end),
        "IA(of='YAAP')": (-no_end, no_end),
        "IA": (0.0, 1.0),
        "P+Q@3": (0.0, 1.0),
        "D(of='CG')": (0.0, no_end),
        "D#-nDCG@3": (0.0, 1.0),
        "NumRel": (0.0, no_end),
    }
    assert {name: parse_measure(name).bounds() for name in wanted} == wanted
