"""Measures against loops over their definitions, on random lists with holes, negative labels and unfound documents.

Guards formulas of measures that few other tests reach: cascades, preferences, utilities, novelty, intents.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import log2, prod

import polars as pl
import pytest

import truegain as tg
from tests.worlds import there

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

# ------------------------------------------------------------------ cascades


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


# ------------------------------------------------------------------ utilities and blended ratios


@pytest.mark.parametrize("seed", SEEDS)
def test_utilities_by_the_definition(seed: int) -> None:
    """Guards NCU with stop values of their own, gamma, beta, and what is divided by."""
    docs, labels = world(seed)
    stops = {1: 1, 2: 4, 3: 2}
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


# ------------------------------------------------------------------ preferences


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


# ------------------------------------------------------------------ novelty


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


# ------------------------------------------------------------------ intents


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
