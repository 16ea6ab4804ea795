"""Small faults in measures that other tests let pass: limits, levels, parameters that are 1 by default.

Guards against a wrong constant, a limit moved by one, a dropped term; oracles are loops over the definition and values
by hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.worlds import there
from truegain.data.alignment import align
from truegain.data.judgments import Judgments
from truegain.data.pool import Pool, RankedGains
from truegain.data.runs import Runs
from truegain.measures.base import geometric_mean_of_rows, mean_of_rows, ratio
from truegain.measures.content import relevant_items
from truegain.measures.intents import IA, by_intent

Rows = Sequence[tuple[str, str, str, int]]
LABELS = [2, 0, 3, -1, 1, 0, 3, 1, 2, 0]


def frame(rows: Rows) -> pl.DataFrame:
    """Subtopic judgments: topic, subtopic, document, label."""
    return pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")


def aligned(run: dict[str, dict[str, float]], judgments: object) -> RankedGains:
    """The lists of one system beside the pool."""
    parts = Runs.of({"s": run}).parts
    return align(Pool.of(Judgments.of(judgments)), [lambda: parts])[0]


def one_list(labels: Sequence[int], measure: str, **options: Any) -> float:
    """A list with these labels from the first rank on; the value of one topic."""
    run = {"1": {f"d{i}": -float(i) for i in range(len(labels))}}
    judged = {"1": {f"d{i}": x for i, x in enumerate(labels)}}
    return there(tg.evaluate(run, judged, measure, scoring=tg.Scoring(**options)).mean())


# ------------------------------------------------------------------ C/W/L


def cwl(
    labels: Sequence[int], going: Callable[[int, Sequence[float]], float], low: float, high: float, k: int
) -> float:
    """The definition rank by rank: expected gain over expected number of documents inspected."""
    gain = [(min(max(x, low), high) - low) / (high - low) for x in labels[:k]] + [0.0] * (k - len(labels))
    reach, total, seen = 1.0, 0.0, 0.0
    for i in range(1, k + 1):
        total, seen = total + reach * gain[i - 1], seen + reach
        reach *= going(i, gain)
    return total / seen


def squared(x: float) -> float:
    """The user of INSQ."""
    return ((x - 1) / x) ** 2


GOING: dict[str, tuple[int, Callable[[int, Sequence[float]], float]]] = {
    "INSQ(T=3,{})": (1000, lambda i, _: squared(i + 6)),
    "INST(T=3,{})": (1000, lambda i, g: squared(i + 6 - sum(g[:i]))),
    "NERR8({})@7": (7, lambda i, g: 1 - g[i - 1]),
    "NERR9({})@7": (7, lambda i, g: i / (i + 1) * (1 - g[i - 1])),
    "NERR10(p=0.7,{})": (1000, lambda i, g: 0.7 * (1 - g[i - 1])),
    "NERR11(T=3,{})": (1000, lambda i, g: squared(i + 6) * (1 - g[i - 1])),
    "NERR11(T=0.5,{})": (1000, lambda i, g: squared(i + 1) * (1 - g[i - 1])),
    "BPM(T=1.5,{})@7": (7, lambda i, g: float(sum(g[:i]) < 1.5)),
    "SDCG({})@7": (7, lambda i, _: math.log2(i + 1) / math.log2(i + 2)),
}


@pytest.mark.parametrize("scale", [(0, 3), (1, 4), (1, 2)])
@pytest.mark.parametrize("name", GOING)
def test_cwl_measures_rank_by_rank(name: str, scale: tuple[int, int]) -> None:
    """Guards C(i) where goals and patience are not the default, and labels below min_rel and above max_rel."""
    depth, going = GOING[name]
    found = one_list(LABELS, name.format(f"min_rel={scale[0]},max_rel={scale[1]}"))
    by_hand = cwl([max(x, 0) for x in LABELS], going, *scale, depth)
    assert found == pytest.approx(by_hand, rel=1e-9)


def test_a_player_is_content_at_the_goal_itself() -> None:
    """Guards < in BPM: with exactly T found the user stops, one document earlier than just below it."""
    assert one_list([1, 1, 0, 0], "BPM(T=2,max_rel=1)@4") == pytest.approx(2 / 2)
    assert one_list([1, 1, 0, 0], "BPM(T=2.01,max_rel=1)@4") == pytest.approx(2 / 4)


# ------------------------------------------------------------------ average precision and its relatives


def test_inferred_ap_rank_by_rank() -> None:
    """Guards infAP by a loop: 1/i + share of the pool above x (r + e) / (r + s + 2e), unjudged outside the pool too."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        labels = {f"d{i}": int(rng.integers(-1, 2)) for i in range(12) if rng.random() < 0.8} | {"m": 1}
        ranking = [f"d{i}" for i in rng.permutation(12)]
        total, e = 0.0, 0.00001
        for i, doc in enumerate(ranking, start=1):
            if labels.get(doc) != 1:
                continue
            above = [labels[d] for d in ranking[: i - 1] if d in labels]
            r, s = above.count(1), above.count(0)
            total += 1 / i + (i - 1) / i * (len(above) / (i - 1)) * (r + e) / (r + s + 2 * e) if i > 1 else 1.0
        run = {"1": {d: -float(k) for k, d in enumerate(ranking)}}
        found = tg.evaluate(run, {"1": labels}, "infAP").mean()
        assert found == pytest.approx(total / list(labels.values()).count(1), rel=1e-9)


@pytest.mark.filterwarnings("ignore:.*lacks judged topics")
@pytest.mark.parametrize(("version", "absent"), [("9", 0.0), ("10", math.log(1 / 4))])
def test_log_odds_of_a_topic_that_is_not_there(version: str, absent: float) -> None:
    """Guards YAAP by hand: ln((1 + S) / (1 + R - S)), and an absent topic as each trec_eval counts it."""
    labels = {"1": {"a": 1, "b": 0, "c": 1, "m": 1}, "2": {"a": 1, "b": 1, "c": 1}}
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    s = 1 + 2 / 3
    there = math.log((1 + s) / (1 + 3 - s))
    found = tg.evaluate(run, labels, "YAAP", scoring=tg.Scoring(all_topics=True, trec_eval=version))  # type: ignore[arg-type]
    assert found.mean() == pytest.approx((there + absent) / 2)


def test_average_precision_over_the_smaller_of_cutoff_and_relevant() -> None:
    """Guards norm='min' on both sides of the cutoff, and that rank k itself counts."""
    assert one_list([1, 0, 1, 1], "AP(norm='min')@3") == pytest.approx((1 + 2 / 3) / 3)
    assert one_list([1, 0, 1, 1], "AP(norm='min')@2") == pytest.approx(1 / 2)
    assert one_list([1, 0, 1, 0], "AP(norm='min')@3") == pytest.approx((1 + 2 / 3) / 2)
    assert one_list([1, 0, 1, 1], "AP@3") == pytest.approx((1 + 2 / 3) / 3)
    assert one_list([1, 0, 1, 1], "AP@2") == pytest.approx(1 / 3)


def test_gains_at_the_end_of_lists() -> None:
    """Guards nDCGrel and RnDCG by hand where documents are missed, and where a list goes on past the relevant ones."""
    log2 = math.log2
    run = {"1": {"x": 3.0, "a": 2.0}}
    labels = {"1": {"a": 2, "b": 1, "c": 1}}
    dcg = 2 / log2(3)
    best = [2, 2 + 1 / log2(3), 2 + 1 / log2(3) + 1 / log2(4)]
    found = tg.evaluate(run, labels, ["nDCGrel", "RnDCG"]).means("run")
    assert found["nDCGrel"] == pytest.approx((dcg / best[1] + 2 * dcg / best[2]) / 3)
    assert found["RnDCG"] == pytest.approx((0 / best[0] + dcg / best[2]) / 2)  # the best gain drops after ranks 1 and 3
    for others, ends in ((3, 0), (4, 1)):  # one more value from the end where the list is longer than R + 1
        long = {"1": {"a": 9.0, **{f"x{i}": -float(i) for i in range(others)}}}
        points = [1.0, *[2 / best[2]] * (1 + ends)]
        assert tg.evaluate(long, labels, "RnDCG").mean() == pytest.approx(sum(points) / len(points))


def test_discounts_by_what_stands_above() -> None:
    """Guards binG and G by loops over the definition."""
    labels = [0, 2, 0, 1, 3, 0, 0, 1]
    relevant = [i for i, x in enumerate(labels, start=1) if x]
    by_hand = sum(1 / math.log2(2 + i - n) for n, i in enumerate(relevant, start=1)) / 4
    assert one_list(labels, "binG") == pytest.approx(by_hand)
    ideal = sorted(labels, reverse=True)
    graded = sum(
        x / math.log2(2 + sum(max(1, y) for y in ideal[:i]) - sum(labels[:i]))
        for i, x in enumerate(labels, start=1)
        if x
    )
    assert one_list(labels, "G") == pytest.approx(graded / sum(labels))


# ------------------------------------------------------------------ content, and measures of intents


FACETS: Rows = [
    ("1", "i", "a", 1),
    ("1", "i", "b", 0),
    ("1", "i", "c", 2),
    ("1", "j", "b", -1),
    ("1", "j", "a", 2),
    ("2", "i", "a", 0),
    ("2", "i", "b", 3),
    ("2", "i", "c", -2),
]


@pytest.mark.parametrize("level", [0, 0.5, 1, 2, 3])
def test_documents_relevant_to_subtopics(level: float) -> None:
    """Guards the texts of content measures: labels that reach the level, none below 0, however low the level."""
    ranked = aligned({"1": {"a": 1.0}, "2": {"a": 1.0}}, frame(FACETS))
    for topic, groups in zip(ranked.topics, relevant_items(ranked, level), strict=True):
        found = [{str(ranked.pool.docs[int(i)]) for i in items} for items in groups]
        by_hand = [
            {d for t, s, d, x in FACETS if (t, s) == (topic, name) and x >= level and x >= 0} for name in ("i", "j")
        ]
        assert found == [docs for docs in by_hand if docs]


def test_a_document_judged_not_relevant_has_no_text_to_cover() -> None:
    """Guards content measures to the end: a label of 0 for a subtopic changes nothing."""
    texts = {"a": "red roses bloom", "b": "red roses", "c": "roses bloom", "d": "the sky is blue and so is the sea"}
    run = {"1": {"d": 2.0, "b": 1.0}}
    with_zero = frame([("1", "i", "a", 1), ("1", "i", "d", 0), ("1", "j", "d", 0)])
    names = ["AbsNB(mu=5)@2", "DeltaRB(mu=5)@2"]
    plain = tg.evaluate(run, frame([("1", "i", "a", 1)]), names, corpus=texts).means("run")
    assert tg.evaluate(run, with_zero, names, corpus=texts).means("run") == pytest.approx(plain)


def test_limits_of_content_measures() -> None:
    """Guards both sides of mu, rel and theta, and the greatest value: 1 at every rank, times its weight."""
    for text in ("AbsNB(mu=0.01)@2", "AbsNB(rel=0)@2", "AbsRB(theta=0)@2", "DeltaRB(theta=0.99)@2"):
        tg.parse_measure(text)
    for text, said in (
        ("AbsNB(mu=0)@2", "mu must be"),
        ("AbsNB(rel=-0.01)@2", "rel must not"),
        ("AbsRB(theta=-0.01)@2", "theta must"),
        ("DeltaRB(theta=1)@2", "theta must"),
    ):
        with pytest.raises(tg.MeasureError, match=said):
            tg.parse_measure(text)
    assert tg.parse_measure("AbsNB@7").bounds() == (0, 7)
    assert tg.parse_measure("AbsRB@3").bounds() == pytest.approx((0, 1 - 0.8**3))
    assert tg.parse_measure("DeltaRB(theta=0.5)@2").bounds() == pytest.approx((0, 0.75))


def test_what_an_intent_says_of_each_document() -> None:
    """Guards the views of intents: a label of 0 is a judgment, a negative or missing one is none."""
    ranked = aligned({"1": {"a": 1.0}, "2": {"a": 1.0}}, frame(FACETS))
    names = [(ranked.topics[t], str(ranked.pool.docs[i])) for i, t in enumerate(ranked.pool.topic.tolist())]
    views = list(by_intent(ranked))
    assert len(views) == 2
    for (view, share, target), subtopic in zip(views, ("i", "j"), strict=True):
        label = {(t, d): x for t, s, d, x in FACETS if s == subtopic and x >= 0}
        assert view.item_judged.tolist() == [n in label for n in names]
        assert [g for g, n in zip(view.item_gain.tolist(), names, strict=True) if n in label] == [
            label[n] for n in names if n in label
        ]
        assert share.tolist() == ([0.5, 1.0] if subtopic == "i" else [0.5, 0.0])
        assert not target.any()


def test_documents_judged_for_an_intent_count_as_judged() -> None:
    """Guards a label of 0 in IA by hand: for intent i x alone is unjudged, for intent j b, of label -1, is as well."""
    run, probable = {"1": {"b": 3.0, "a": 2.0, "x": 1.0}}, {"1": {"i": 0.75, "j": 0.25}}
    found = tg.evaluate(run, frame(FACETS[:5]), "IA(of='Unjudged@3')", intents=probable).mean()
    assert found == pytest.approx(0.75 / 3 + 0.25 * 2 / 3)


def test_only_measures_are_averaged_over_intents() -> None:
    """Guards IA(of=...): what is no measure, and a measure of intents, are refused as such."""
    for wrong in (3, tg.parse_measure("I-rec@5")):
        with pytest.raises(tg.MeasureError, match="measure without intents"):
            IA(of=wrong)  # type: ignore[arg-type]


# ------------------------------------------------------------------ options and what all measures share


def test_limits_of_options() -> None:
    """Guards the least level and depth that have a meaning, by what they do, and the next ones, which are refused."""
    assert one_list([0, 1, 2], "P@3", relevant_from=0) == 1
    assert one_list([0, 1, 2], "P@3", relevant_from=0.5) == pytest.approx(2 / 3)
    assert one_list([0, 1, 2], "P@3", relevant_from=2) == pytest.approx(1 / 3)
    assert one_list([1, 1, 2], "P@3", depth=1) == pytest.approx(1 / 3)
    assert one_list([1, 1, 2], "P@3", depth=2) == pytest.approx(2 / 3)
    for options, said in (
        ({"relevant_from": -0.01}, "is negative"),
        ({"relevant_from": math.inf}, "not a finite number"),
        ({"depth": 0}, "keeps no document"),
        ({"trec_eval": "8"}, "trec_eval '8' is not known"),
        ({"ties": "up"}, "ties 'up' is not known"),
        ({"no_relevant": "one"}, "no_relevant 'one' is not known"),
    ):
        with pytest.raises(tg.TruegainError, match=said):
            one_list([1], "P@3", **options)


def test_limits_of_cutoffs() -> None:
    """Guards the least cutoff: 1 is one, 0, True and 1.5 are none; rank k counts and k + 1 does not."""
    assert one_list([0, 1], "RR@2") == 0.5
    assert one_list([0, 1], "RR@1") == 0
    for wrong in (0, -1, True, 1.5):
        with pytest.raises(tg.MeasureError, match="whole number of at least 1"):
            tg.parse_measure("P@5") @ wrong


def test_means_of_rows() -> None:
    """Guards means over the values that are there, and the least value of a geometric mean, 0.00001."""
    nan = math.nan
    values = np.array([[1.0, nan, 3.0], [nan, nan, nan], [0.0, 0.0, 6.0]])
    assert mean_of_rows(values).tolist() == pytest.approx([2, nan, 2], nan_ok=True)
    some = np.array([[0.0, 1.0, nan], [0.25, 1.0, 0.25], [nan, nan, nan]])
    assert geometric_mean_of_rows(some).tolist() == pytest.approx([1e-5**0.5, 0.0625 ** (1 / 3), nan], nan_ok=True)
    assert ratio(np.array([1.0, 2.0, 0.0, -3.0]), np.array([2, 0, 0, -1])).tolist() == [0.5, 0, 0, 3]


@pytest.mark.filterwarnings("ignore:.*no relevant document")
def test_topics_with_nothing_to_find_are_left_out_on_demand() -> None:
    """Guards no_relevant='skip': a topic counts where a label reaches the level, or is above 0 for graded measures."""
    labels = {"1": {"a": 2}, "2": {"a": 1}, "3": {"a": 0}}
    run = {t: {"a": 1.0} for t in labels}

    def topics(measure: str) -> list[bool]:
        found = tg.evaluate(run, labels, measure, scoring=tg.Scoring(no_relevant="skip")).by_topic()
        return [found[t] is not None for t in labels]

    assert topics("AP") == topics("nDCG") == [True, True, False]
    assert topics("AP(rel=2)") == [True, False, False]


def test_numbers_in_names_of_measures() -> None:
    """Guards how gains print: whole numbers without a point, others with it, and back again."""
    for text in ("nDCG(gains={1:2,3:0.5})", "CG(gains={0:1,1:1000000})@5"):
        assert str(tg.parse_measure(text)) == text
