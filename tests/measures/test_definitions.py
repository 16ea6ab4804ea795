"""Measures against loops over their definitions: holes, negative labels, documents not found, cutoffs, rounding."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import log2, prod
from typing import Any

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.worlds import there
from truegain.data.alignment import aligned
from truegain.data.judgments import Judgments
from truegain.measures.preferences import below_before

Labels = dict[str, int]


def world(seed: int) -> tuple[list[str], Labels]:
    """A list of ten documents, best first, and the labels of most of them and of four that it lacks."""
    rng = random.Random(seed)
    docs = [f"d{i:02d}" for i in range(14)]
    rng.shuffle(docs)
    labels = {d: rng.choice([-1, 0, 0, 1, 1, 2, 3]) for d in docs if rng.random() < 0.85}
    labels[docs[0]], labels[docs[11]], labels[docs[12]] = rng.choice([0, 2]), 3, 0
    return docs[:10], labels


def value(docs: Sequence[str], judgments: object, measure: str, **options: object) -> float:
    """The value of one list."""
    run = {"1": {d: -float(i) for i, d in enumerate(docs)}}
    return there(tg.evaluate(run, judgments, measure, **options).mean())  # type: ignore[arg-type]


def gain(labels: Labels, doc: str) -> int:
    """0 for what was not judged, or judged negative."""
    return max(labels.get(doc, 0), 0)


def blended(docs: Sequence[str], labels: Labels, rank: int, beta: float) -> float:
    """(C + beta cg) / (r + beta cg*) at a rank."""
    best = sorted((max(g, 0) for g in labels.values()), reverse=True)
    seen = [gain(labels, d) for d in docs[:rank]]
    return (sum(g > 0 for g in seen) + beta * sum(seen)) / (rank + beta * sum(best[:rank]))


SEEDS = range(6)


def cascade(gains: Sequence[int], utility: Callable[[int], float], stop: Callable[[int], float]) -> float:
    """Sum of utility x chance to stop there."""
    p = [stop(g) for g in gains]
    return sum(utility(i + 1) * p[i] * prod(1 - q for q in p[:i]) for i in range(len(p)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("rule", "cutoff"), [("exp", 10), ("exp", 3), ("gain", 10), ("gain", 4)])
def test_cascades_by_the_definition(seed: int, rule: str, cutoff: int) -> None:
    """Guards p by both rules and scales, what stopping is worth, the best list and the cutoff."""
    docs, labels = world(seed)
    own = max(labels.values())
    for named, top in (("5", 5), ("'topic'", own), ("'scale'", own)):

        def stop(g: int, top: int = top) -> float:
            return (2**g - 1) / 2**top if rule == "exp" else g / (top + 1)

        seen = [gain(labels, d) for d in docs[:cutoff]]
        best = sorted((max(g, 0) for g in labels.values()), reverse=True)[:cutoff]
        say = f"max_rel={named},rule='{rule}'"
        err = cascade(seen, lambda i: 1 / i, stop)
        assert value(docs, {"1": labels}, f"ERR({say})@{cutoff}") == pytest.approx(err, rel=1e-12)
        share = err / cascade(best, lambda i: 1 / i, stop)
        assert value(docs, {"1": labels}, f"nERR({say})@{cutoff}") == pytest.approx(share, rel=1e-12)
        blend = cascade(seen, lambda i: blended(docs, labels, i, 0.3), stop)
        assert value(docs, {"1": labels}, f"EBR({say},beta=0.3)@{cutoff}") == pytest.approx(blend, rel=1e-12)
        falling = cascade(seen, lambda i: 0.6**i, stop)
        assert value(docs, {"1": labels}, f"iRBU({say},q=0.6)@{cutoff}") == pytest.approx(falling, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_utilities_by_the_definition(seed: int) -> None:
    """Guards NCU with stop values of their own, of 0 too, which does not count, gamma, beta, what is divided by."""
    docs, labels = world(seed)
    stops = {0: 5, 1: 1, 2: 4, 3: 2}
    good = [i + 1 for i, d in enumerate(docs) if gain(labels, d) > 0]
    total = sum(stops[g] for g in labels.values() if g > 0)
    many = sum(g > 0 for g in labels.values())
    geometric = sum(0.7**i for i in range(many))
    for kind in ("P", "BR"):
        at = {r: sum(x <= r for x in good) / r if kind == "P" else blended(docs, labels, r, 0.4) for r in good}
        graded = sum(at[r] * stops[gain(labels, docs[r - 1])] for r in good) / total
        ranked = sum(at[r] * 0.7**i for i, r in enumerate(good)) / geometric
        assert value(docs, {"1": labels}, f"NCUgu_{kind}(beta=0.4,stops={stops})") == pytest.approx(graded, rel=1e-12)
        assert value(docs, {"1": labels}, f"NCUrb_{kind}(beta=0.4,gamma=0.7)") == pytest.approx(ranked, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cutoff", [2, 5, 10])
def test_blended_measures_by_the_definition(seed: int, cutoff: int) -> None:
    """Guards Q, O, P-measure and P+: the first relevant rank, the first of the best, the mean down to it."""
    docs, labels = world(seed)
    good = [i + 1 for i, d in enumerate(docs[:cutoff]) if gain(labels, d) > 0]
    ratios = {r: blended(docs, labels, r, 0.3) for r in good}
    many = min(cutoff, sum(g > 0 for g in labels.values()))
    first = min(good, key=lambda r: (-gain(labels, docs[r - 1]), r), default=0)
    wanted = {
        "Q": sum(ratios.values()) / many,
        "O": ratios[good[0]] if good else 0.0,
        "P-measure": ratios[first] if good else 0.0,
        "P+": sum(ratios[r] for r in good if r <= first) / max(1, sum(r <= first for r in good)),
    }
    for name, want in wanted.items():
        assert value(docs, {"1": labels}, f"{name}(beta=0.3)@{cutoff}") == pytest.approx(want, rel=1e-12)


def test_gains_below_0_take_nothing_from_the_best_list() -> None:
    """Guards Q where ratings became a gain below 0: it counts as 0, in the list and in the best one."""
    docs = ["x", "bad", "good"]
    tables = [Judgments.of({"1": {"good": 2.0, "bad": low, "missed": 1.0}}) for low in (-1.5, 0.0)]
    below, none = (value(docs, replace(table, are_gains=True), "Q@3") for table in tables)
    assert below == none == pytest.approx((1 + 2) / (3 + 3) / 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_preferences_by_the_definition(seed: int) -> None:
    """Guards penalties of documents that stand above, and what they are shares of."""
    docs, labels = world(seed)
    judged = [d for d in docs if labels.get(d, -1) >= 0]
    relevant, others = sum(g > 0 for g in labels.values()), sum(g == 0 for g in labels.values())
    total = sum(max(g, 0) for g in labels.values())
    wanted = dict.fromkeys(
        ("bpref_N", "bpref_R", "bpref_relative", "rpref_N(max_rel=4)", "rpref_relative", "rpref_relative2"), 0.0
    )
    for r, d in enumerate(judged, 1):
        g, above = labels[d], [labels[x] for x in judged[: r - 1]]
        if g == 0:
            continue
        bad, penalty = sum(x == 0 for x in above), sum((g - x) / g for x in above if x < g)
        wanted["bpref_N"] += (1 - bad / others) / relevant
        wanted["bpref_R"] += (1 - min(bad, relevant) / relevant) / relevant
        wanted["rpref_N(max_rel=4)"] += g * (1 - penalty / (relevant + others - total / 4)) / total
        wanted["rpref_relative2"] += g * (1 - penalty / r) / total
        if r > 1:
            wanted["bpref_relative"] += (1 - bad / (r - 1)) / relevant
            wanted["rpref_relative"] += g * (1 - penalty / (r - 1)) / total
    for name, want in wanted.items():
        assert value(docs, {"1": labels}, name) == pytest.approx(want, rel=1e-12), name


def test_lower_values_above_entry_by_entry() -> None:
    """Guards the merge sort turned sideways against loops: lists of any length, and values that tie."""
    rng = np.random.default_rng(8)
    runs = {"x": {f"t{n}": {f"d{i}": -float(i) for i in range(n)} for n in (1, 2, 5, 16, 33)}}
    judged = {t: {d: int(rng.integers(0, 4)) for d in row} for t, row in runs["x"].items()}
    ranked = aligned(runs, judged, tg.Scoring())
    count, total = below_before(ranked, ranked.gain)
    for entry, (own, rank, list_) in enumerate(zip(ranked.gain, ranked.rank, ranked.list, strict=True)):
        others = zip(ranked.gain, ranked.rank, ranked.list, strict=True)
        above = [g for g, r, other in others if other == list_ and r < rank]
        lower = [g for g in above if g < own]
        assert (count[entry], total[entry]) == (len(lower), sum(lower))


def facets(seed: int) -> tuple[list[str], dict[str, dict[str, int]]]:
    """A list of eight documents, and labels by subtopic (one of them never relevant) and document."""
    rng = random.Random(seed)
    docs = [f"d{i:02d}" for i in range(11)]
    rng.shuffle(docs)
    rows = {s: {d: rng.choice([-1, 0, 0, 1, 2]) for d in docs if rng.random() < 0.6} for s in ("2", "10", "x")}
    rows["x"] = {d: min(g, 0) for d, g in rows["x"].items()} | {docs[0]: 0}
    rows["2"][docs[9]], rows["10"][docs[2]] = 2, 1
    return docs[:8], rows


def frame(rows: dict[str, dict[str, int]]) -> pl.DataFrame:
    """Judgments by subtopic."""
    flat = [("1", s, d, g) for s, row in rows.items() for d, g in row.items()]
    return pl.DataFrame(flat, schema=["topic", "subtopic", "doc", "label"], orient="row")


def novel(order: Sequence[str], rows: dict[str, dict[str, int]], alpha: float, rel: int) -> list[float]:
    """The novelty-biased gain at each rank."""
    good = {s: {d for d, g in row.items() if g >= rel} for s, row in rows.items()}
    return [
        sum((1 - alpha) ** len(have & set(order[:i])) for have in good.values() if d in have)
        for i, d in enumerate(order)
    ]


def greedy(rows: dict[str, dict[str, int]], alpha: float, rel: int) -> list[float]:
    """Gains of the ideal list: most gain first, in a tie the largest id."""
    left = sorted({d for row in rows.values() for d in row}, reverse=True)
    order: list[str] = []
    while left:
        best = max(left, key=lambda d: (novel([*order, d], rows, alpha, rel)[-1], d))
        left.remove(best)
        order.append(best)
    return novel(order, rows, alpha, rel)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("alpha", "rel", "cutoff"), [(0.5, 1, 5), (0.25, 2, 8), (0.75, 1, 2)])
def test_novelty_by_the_definition(seed: int, alpha: float, rel: int, cutoff: int) -> None:
    """Guards how gain fades, the weights of ranks, the greedy ideal list and what shares are of."""
    docs, rows = facets(seed)
    seen, best = novel(docs, rows, alpha, rel), greedy(rows, alpha, rel)
    good = [{d for d, g in row.items() if g >= rel} for row in rows.values()]
    good = [g for g in good if g]
    n = len(good)
    weights: dict[str, Callable[[int], float]] = {"DCG": lambda i: 1 / log2(i + 1), "ERR": lambda i: 1 / i}
    wanted = {}
    for name, weight in weights.items():
        total = sum(weight(i) * x for i, x in enumerate(seen[:cutoff], 1))
        ideal = sum(weight(i) * x for i, x in enumerate(best[:cutoff], 1))
        all_ = sum(n * (1 - alpha) ** (i - 1) * weight(i) for i in range(1, cutoff + 1))
        say = f"(alpha={alpha},rel={rel})@{cutoff}"
        wanted[f"alpha_n{name}{say}" if name == "DCG" else f"n{name}_IA{say}"] = total / ideal if ideal else 0.0
        wanted[f"alpha_{name}{say}" if name == "DCG" else f"{name}_IA{say}"] = total / all_ if n else 0.0
    beta = 0.6
    falling, top = (sum(beta**i * x for i, x in enumerate(row)) for row in (seen, best))
    wanted[f"NRBP(alpha={alpha},rel={rel},beta={beta})"] = (1 - (1 - alpha) * beta) / n * falling if n else 0.0
    wanted[f"nNRBP(alpha={alpha},rel={rel},beta={beta})"] = falling / top if top else 0.0
    wanted[f"P_IA(rel={rel})@{cutoff}"] = sum(d in g for d in docs[:cutoff] for g in good) / (cutoff * max(n, 1))
    wanted[f"StRecall(rel={rel})@{cutoff}"] = sum(bool(g & set(docs[:cutoff])) for g in good) / max(n, 1)
    hits = [[i for i, d in enumerate(docs, 1) if d in g] for g in good]
    precisions = [sum((k + 1) / i for k, i in enumerate(h)) / len(g) for h, g in zip(hits, good, strict=True)]
    wanted[f"AP_IA(rel={rel})"] = sum(precisions) / max(n, 1)
    for name, want in wanted.items():
        assert value(docs, frame(rows), name) == pytest.approx(want, rel=1e-12, abs=1e-15), name


SHARES = {"2": 0.5, "10": 0.2, "x": 0.3}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cutoff", [2, 8])
def test_intents_by_the_definition(seed: int, cutoff: int) -> None:
    """Guards global gains, navigational intents served once, breadth, and means by probability."""
    docs, rows = facets(seed)
    intents = tg.Intents({"1": SHARES}, {"1": {"2": "nav", "10": "inf", "x": "inf"}})
    every = {d for row in rows.values() for d in row}

    def part(s: str, d: str) -> float:
        return SHARES[s] * gain(rows[s], d)

    whole = {d: sum(part(s, d) for s in rows) for d in every}
    once, served = [], False
    for d in docs[:cutoff]:
        first = not served and gain(rows["2"], d) > 0
        served = served or first
        once.append(sum(part(s, d) for s in ("10", "x")) + (part("2", d) if first else 0))

    def dcg(gains: Sequence[float]) -> float:
        return sum(g / log2(i + 2) for i, g in enumerate(gains[:cutoff]))

    best = dcg(sorted(whole.values(), reverse=True))
    plain, limited = dcg([whole.get(d, 0) for d in docs]) / best, dcg(once) / best
    breadth = sum(any(gain(rows[s], d) for d in docs[:cutoff]) for s in ("2", "10")) / 2
    aware = sum(
        SHARES[s] * dcg([gain(rows[s], d) for d in docs]) / dcg(sorted(max(g, 0) for g in rows[s].values())[::-1])
        for s in ("2", "10")
    )
    wanted = {
        f"D-nDCG@{cutoff}": plain,
        f"DIN-nDCG@{cutoff}": limited,
        f"I-rec@{cutoff}": breadth,
        f"D#-nDCG(gamma=0.3)@{cutoff}": 0.3 * breadth + 0.7 * plain,
        f"DIN#-nDCG(gamma=0.3)@{cutoff}": 0.3 * breadth + 0.7 * limited,
        f"IA-nDCG@{cutoff}": aware,
    }
    for name, want in wanted.items():
        assert value(docs, frame(rows), name, intents=intents) == pytest.approx(want, rel=1e-12, abs=1e-15), name


@pytest.mark.parametrize(("version", "x", "cut"), [
    ("10", 0.083, 2), ("10", 0.0834, 3), ("9", 0.069, 2), ("9", 0.0701, 3), ("10", 0.05, 2), ("10", 0.0, 1),
])  # fmt: skip
def test_recall_is_rounded_as_trec_eval_does(version: str, x: float, cut: int) -> None:
    """Guards round(x R) of version 10 and trunc(x R + 0.9) of 9, at R = 30, just below and above the step."""
    labels = {f"d{i}": int(i in (1, 4, 9)) for i in range(10)} | {f"m{i}": 1 for i in range(27)}
    run = {"1": {f"d{i}": -float(i) for i in range(10)}}
    found = tg.evaluate(run, {"1": labels}, f"IPrec@{x}", scoring=tg.Scoring(trec_eval=version)).mean()  # type: ignore[arg-type]
    precision = {1: 1 / 2, 2: 2 / 5, 3: 3 / 10}
    assert found == pytest.approx(max(p for c, p in precision.items() if c >= cut))


@pytest.mark.parametrize(("mult", "cut"), [(0.069, 2), (0.0701, 3), (0.1, 3), (1.0, 30)])
def test_multiples_of_r_are_rounded(mult: float, cut: int) -> None:
    """Guards trunc(mult R + 0.9) at R = 30."""
    labels = {f"d{i}": int(i != 1) for i in range(31)}
    run = {"1": {f"d{i}": -float(i) for i in range(31)}}
    assert tg.evaluate(run, {"1": labels}, f"Rprec(mult={mult})").mean() == pytest.approx((cut - 1) / cut)


def test_labels_as_characters() -> None:
    """Guards relstring: fractions cut, nines and tens apart, judged negative and unjudged apart, short lists."""
    labels = {"a": 9.0, "b": 10.0, "c": 9.9, "d": 0.5, "e": -0.5, "g": 1.0}
    run = {"1": {d: -float(i) for i, d in enumerate("abcdefg")}, "2": {"a": 1.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        scores = tg.evaluate(run, {"1": labels, "2": {"a": 3.0}}, ["RelString@9", "RelString@2", "RelString@1"])
    assert [v[0].tolist() for v in scores.values.values()] == [["9>90.-1", "3"], ["9>", "3"], ["9", "3"]]


LABELS = [2, 0, 3, -1, 1, 0, 3, 1, 2, 0]


def one_list(labels: Sequence[int], measure: str, **options: Any) -> float:
    """A list with these labels from the first rank on; the value of one topic."""
    run = {"1": {f"d{i}": -float(i) for i in range(len(labels))}}
    judged = {"1": {f"d{i}": x for i, x in enumerate(labels)}}
    return there(tg.evaluate(run, judged, measure, scoring=tg.Scoring(**options)).mean())


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
