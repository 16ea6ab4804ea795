"""Measures whose worst and best over all labels are not known: no verdict from unjudged documents in first ranks."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from tests.worlds import there
from truegain.cli.app import main
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.measures.catalogue import parse_measure
from truegain.pooling.first_ranks import FirstRanks, Held

pytestmark = pytest.mark.filterwarnings("ignore::truegain.DataWarning")
Lists = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]


def first_of(scores: dict[str, float], most: int = 10) -> list[str]:
    """The first documents of a list."""
    return sorted(scores, key=lambda d: -scores[d])[:most]


def one_topic(seed: int) -> tuple[Lists, dict[str, int], list[str]]:
    """Three lists of up to 14 documents, more or less alike; labels, and documents without one."""
    rng = np.random.default_rng([5, seed])
    depth = int(rng.integers(2, 15))
    docs = [f"d{i}" for i in range(depth + int(rng.integers(1, 8)))]
    base = rng.normal(size=len(docs))
    order = {s: np.argsort(base + rng.normal(size=len(docs)) * rng.choice([0.2, 1, 3]))[:depth] for s in "abc"}
    runs = {s: {"1": {docs[i]: float(-k) for k, i in enumerate(at.tolist())}} for s, at in order.items()}
    judged = {d: int(rng.random() < 0.4) * int(rng.integers(1, 3)) for d in docs} | {"never": 2}
    heads = {docs[at[0]] for at in order.values()}  # judged: a list without any judged document is refused
    shown = sorted({docs[i] for at in order.values() for i in at[:10].tolist()} - heads)
    holes = rng.choice(shown, min(len(shown), int(rng.integers(1, 6))), replace=False).tolist()
    return runs, {d: x for d, x in judged.items() if d not in holes}, holes


def scores_of(runs: Lists, judged: dict[str, int], some: list[str], measure: str) -> dict[str, list[float]]:
    """Scores of each system under all labels, 0 or 2, of some documents: each labeling is a topic, in one call."""
    every = [judged | dict(zip(some, labels, strict=True)) for labels in itertools.product((0, 2), repeat=len(some))]
    lists = {s: {str(i): row["1"] for i in range(len(every))} for s, row in runs.items()}
    table = tg.evaluate(lists, {str(i): labels for i, labels in enumerate(every)}, measure)
    rows = {s: table.by_topic(s) for s in runs}
    return {s: [float(row[str(i)] or 0.0) for i in range(len(every))] for s, row in rows.items()}


CUT = ["iRBU@3", "iRBU(max_rel='topic')@3", "EBR@3", "EBR(beta=0)@3", "BPM(max_rel=2)@3", "nERR@3", "Q@3", "F1@3"]


@pytest.mark.few(2)
@pytest.mark.parametrize("measure", ["AP", "AP(rel=2)", "AP@5", "AP(norm='min')@4", "Rprec", "Success@3", "Q", *CUT])
def test_no_labels_of_first_ranks_go_further(measure: str) -> None:
    """By brute force: bounds hold all labels of what two lists have in their first ten; of AP they are mostly exact."""
    m, exact, of = parse_measure(measure), 0, 0
    for seed in range(6):
        runs, judged, holes = one_topic(seed)
        first = FirstRanks(aligned(runs, {"1": judged}, Scoring(), keep_keys=100), m)
        told, now = first.greatest(0), first.score[:, 0][:, None] - first.score[:, 0]
        top = {s: set(first_of(row["1"])) for s, row in runs.items()}
        for a, b in itertools.permutations(range(3), 2):
            mine = [h for h in holes if h in top["abc"[a]] | top["abc"[b]]]
            scores = scores_of(runs, judged, mine, measure)
            most = max(x - y for x, y in zip(scores["abc"[a]], scores["abc"[b]], strict=True))
            assert told[a, b] >= most - 1e-9, (seed, a, b)
            if most > now[a, b] + 1e-9:
                of, exact = of + 1, exact + (told[a, b] < most + 1e-9)
    assert of > (4 if measure == "Success@3" else 10), of
    assert exact > 0.7 * of or not measure.startswith("AP")


@pytest.mark.parametrize(
    "measure", ["iRBU@3", "EBR(beta=0)@3", "BPM(max_rel=2)@3", "Success@3", "AP@3", "EBR@3", "F1@3"]
)
def test_ranks_below_the_cutoff_are_open_only_where_they_count(measure: str) -> None:
    """Guards cutoffs above the first ten ranks: a hole at rank 4 is none of iRBU@3, and one more to find for AP@3."""
    order = {"a": "xyzuv", "b": "yxwvu"}  # u is unjudged
    runs: Lists = {s: {"1": {d: -float(i) for i, d in enumerate(docs)}} for s, docs in order.items()}
    labels: Labels = {"1": {"x": 2, "y": 0, "z": 1, "w": 0, "v": 0}}
    m = parse_measure(measure)
    first = FirstRanks(aligned(runs, labels, Scoring(), keep_keys=100), m)
    (a, b), (a2, b2) = (
        [there(tg.evaluate(runs, {"1": labels["1"] | {"u": u}}, measure).mean(s)) for s in "ab"] for u in (0, 2)
    )
    assert m.needs_pool == ((a, b) != (a2, b2))
    assert first.greatest(0)[0, 1] == pytest.approx(a - b) or m.needs_pool
    assert first.greatest(0)[0, 1] >= a2 - b2 - 1e-12
    count, depth, below = first.documents(0, 1)
    assert (count, depth, below) == ((1, 10, 0) if m.needs_pool else (0, 3, 0))


@pytest.mark.few(1)
@pytest.mark.parametrize("measure", ["AP", "AP@5", "Rprec"])
def test_no_labels_further_down_go_further(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where documents below the first ranks are in question too."""
    for name, value in (("FIRST", 2), ("DEEP", 6), ("APART", 0.0)):
        monkeypatch.setattr(f"truegain.pooling.first_ranks.{name}", value)
    m = parse_measure(measure)
    for seed in range(8):
        runs, judged, holes = one_topic(seed)
        first = FirstRanks(aligned(runs, {"1": judged}, Scoring(), keep_keys=100), m)
        told, lowest = first.greatest(0), min(6, getattr(m, "cutoff", None) or 6)
        top = {s: set(first_of(row["1"], lowest)) for s, row in runs.items()}
        for a, b in itertools.permutations(range(3), 2):
            mine = [h for h in holes if h in top["abc"[a]] | top["abc"[b]]]
            scores = scores_of(runs, judged, mine, measure)
            most = max(x - y for x, y in zip(scores["abc"[a]], scores["abc"[b]], strict=True))
            assert told[a, b] >= most - 1e-9, (seed, a, b)


def ap(docs: list[str], relevant: set[str], cutoff: int = 99, *, least: bool = False) -> float:
    """Average precision of a list by its definition; least: divided by no more than the cutoff."""
    ranks = [rank for rank, doc in enumerate(docs, 1) if doc in relevant]
    total = sum(n / rank for n, rank in enumerate(ranks, 1) if rank <= cutoff)
    return total / max(1, min(len(relevant), cutoff) if least else len(relevant))


def first_ranks(lists: dict[str, list[list[str]]], labels: list[dict[str, int]], measure: str) -> FirstRanks:
    """Of lists by system and topic, from the top."""
    runs: Lists = {
        s: {f"t{t}": {d: -float(i) for i, d in enumerate(docs)} for t, docs in enumerate(rows)}
        for s, rows in lists.items()
    }
    judged: Labels = {f"t{t}": row for t, row in enumerate(labels)}
    return FirstRanks(aligned(runs, judged, Scoring(), keep_keys=100), parse_measure(measure))


def ranks_in_question(monkeypatch: pytest.MonkeyPatch, first: int, deep: int, apart: float) -> None:
    """Fewer ranks, so that small lists do."""
    for name, value in (("FIRST", first), ("DEEP", deep), ("APART", apart)):
        monkeypatch.setattr(f"truegain.pooling.first_ranks.{name}", value)


@pytest.mark.parametrize(
    ("measure", "cutoff", "least"), [("AP", 99, False), ("AP(norm='min')@6", 6, True), ("AP@3", 3, False)]
)
def test_a_few_documents_are_told_exactly(
    measure: str, cutoff: int, least: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards each number of the bound: where the first list has the one or two unjudged documents, labels reach it.

    It has them in its first ranks, or one right below them.  Lists and topics are many, of unequal lengths.
    """
    rng = np.random.default_rng(11)
    pool, of = [f"d{i}" for i in range(9)], 0
    for number in range(6):
        deep = 4 + number % 2 * 2  # all of ranks 5 and 6 are judged then, and change nothing
        ranks_in_question(monkeypatch, 4, deep, 0.0)
        lists: dict[str, list[list[str]]] = {s: [] for s in "abc"}
        labels: list[dict[str, int]] = []
        for t in range(4):
            row = {d: int(rng.random() < 0.5) for d in (*pool, "never", "once")} | {"once": 1}
            mine = [f"u{i}" for i in range(t % 3)]  # documents without a label: none, one, two, none
            for s in "abc":
                docs = rng.choice(pool, 8 - t % 2, replace=False).tolist()
                for u in mine:
                    docs[int(rng.integers(0, 4))] = u
                docs = list(dict.fromkeys(docs))
                if deep == 4 and len(mine) == 2 and s == "a" and mine[1] not in docs:
                    docs.insert(4, mine[1])
                lists[s].append(docs)
            labels.append(row)
        first = first_ranks(lists, labels, measure)
        for t, row in enumerate(labels):
            told, judged = first.greatest(t), {d for d, x in row.items() if x}
            for a, b in itertools.permutations(range(3), 2):
                one, two = lists["abc"[a]][t], lists["abc"[b]][t]
                open_ = {d for d in {*one[:4], *two[:4]} if d not in row}
                there_ = [one.index(d) + 1 if d in one else 99 for d in open_]
                if any(rank > 4 for rank in there_) and (len(open_) > 1 or there_ != [5]):
                    continue  # a bound only
                of += len(open_)
                most = max(
                    ap(one, judged | set(more), cutoff, least=least) - ap(two, judged | set(more), cutoff, least=least)
                    for n in range(len(open_) + 1)
                    for more in itertools.combinations(open_, n)
                )
                assert told[a, b] == pytest.approx(most, abs=1e-12), (t, a, b)
    assert of > 40, of


def test_documents_that_only_raise_what_is_divided_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards all documents of both lists together: below the cutoff they add nothing, and a list behind is less so."""
    ranks_in_question(monkeypatch, 5, 5, 2.0)
    lists = {"a": [["n1", "n2", "n3", "u1", "u2"]], "b": [["r1", "n1", "n2", "u3", "u4"]]}
    told = first_ranks(lists, [{"r1": 1, "r2": 1, "n1": 0, "n2": 0, "n3": 0}], "AP@3").greatest(0)
    assert told.tolist() == [[0, pytest.approx(-1 / 6)], [pytest.approx(1 / 2), 0]]


def test_documents_further_down_are_told_exactly_where_the_second_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the bound of many ranks: by brute force where all unjudged documents are the first list's."""
    ranks_in_question(monkeypatch, 2, 7, 0.0)
    rng = np.random.default_rng(12)
    reached = behind = 0
    for measure, cutoff, least in (("AP", 99, False), ("AP@9", 9, False), ("AP(norm='min')@5", 5, True)):
        lists: dict[str, list[list[str]]] = {s: [] for s in "abc"}
        labels: list[dict[str, int]] = []
        for t in range(9):
            row = {f"d{i}": int(rng.random() < 0.4) for i in range(12)} | {"never": 1}
            for s in "abc":
                lists[s].append([f"d{i}" for i in rng.permutation(12)[: 6 + t % 4].tolist()])
            for u in range(1 + t % 4):
                lists["a"][t][int(rng.integers(2, 6))] = f"u{u}"
            lists["a"][t] = list(dict.fromkeys(lists["a"][t]))
            labels.append(row)
        first = first_ranks(lists, labels, measure)
        assert first.apart.all()
        for t, row in enumerate(labels):
            told, judged = first.greatest(t), {d for d, x in row.items() if x}
            open_ = [d for d in lists["a"][t][: min(7, cutoff)] if d not in row]
            for b in (1, 2):
                two = lists["abc"[b]][t]
                most = max(
                    ap(lists["a"][t], judged | set(more), cutoff, least=least)
                    - ap(two, judged | set(more), cutoff, least=least)
                    for n in range(len(open_) + 1)
                    for more in itertools.combinations(open_, n)
                )
                if most > 0:
                    reached += 1
                    assert told[0, b] == pytest.approx(most, abs=1e-12), (measure, t, b)
                else:
                    behind += 1
                    assert most - 1e-12 <= told[0, b] <= 0, (measure, t, b)
    assert min(reached, behind) > 5, (reached, behind)


def test_documents_further_down_of_both_lists_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the bound of many ranks where the second list has unjudged documents, too: they stand right below."""
    ranks_in_question(monkeypatch, 2, 4, 0.0)
    lists = {
        "a": [["n", "r"], ["r1", "n1", "u1", "u2", "r2", "n2"]],
        "b": [["r", "n"], ["n1", "n2", "u3", "u4", "r1"]],
        "c": [["n", "r"], ["n1", "n2", "u5"]],
    }
    labels = [{"n": 0, "r": 1}, {"r1": 1, "r2": 1, "r3": 1, "n1": 0, "n2": 0}]
    first = first_ranks(lists, labels, "AP")
    assert first.greatest(0)[:2, :2].tolist() == [[0, -0.5], [0.5, 0]]
    told = first.greatest(1)
    # a over b: sums of precisions 1 + 2/5 and 1/5; u1 at rank 3 adds 2/3 + 1/5, u2 at rank 4 2/4 + 1/5 + 1/4 for u1,
    # and b's two right below, at rank 5, 3/5 + 2/5 and 3/5 + 3/5: with all four most
    assert told[0, 1] == pytest.approx((1.4 - 0.2 + 13 / 15 + 19 / 20 + 1 + 6 / 5) / 7)
    # b over a: u3 at rank 3 adds 1/3 + 1/5, u4 at rank 4 1/4 + 1/5 + 1/4, a's two right below 2/5 + 2/5 and 2/5 + 3/5
    assert told[1, 0] == pytest.approx((0.2 - 1.4 + 8 / 15 + 7 / 10 + 4 / 5 + 1) / 7)
    # c over a: the list ends at u5, which adds 1/3; it stays behind, and all four that two lists can have are relevant
    assert told[2, 0] == pytest.approx((0 - 1.4 + 1 / 3) / 7)


def test_what_is_in_question_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards how many unjudged documents two lists have, down to which rank, and which lists differ by a fifth there.

    The shares of ranks 11 to 20 are 3 of 10, 1 of 10, 2 of 5 and 0 of 0, and to rank 15 they are 2, 0 and 2 of 5.
    """
    ranks_in_question(monkeypatch, 10, 20, 0.2)
    judged = [f"d{i}" for i in range(30)]

    def of(length: int, **at: int) -> list[str]:
        docs = judged[:length]
        for doc, rank in at.items():
            docs[rank - 1] = doc
        return docs

    lists = {
        "a": [of(22, u0=2, u1=9, u2=12, u3=15, u4=16, u9=21), of(3)],
        "b": [of(22, u1=4, u5=10, u6=16, u10=21, u11=22), of(3)],
        "c": [of(15, u7=11, u8=14), of(2)],
        "d": [of(10), of(1)],
    }
    labels = [dict.fromkeys(judged, 1), dict.fromkeys(judged, 1)]
    a, b, c, d = range(4)
    first = first_ranks(lists, labels, "AP")
    assert np.argwhere(first.apart).tolist() == [[a, b], [a, d], [b, a], [b, c], [c, b], [c, d], [d, a], [d, c]]
    assert first.documents(a, b) == (7, 20, 3)
    assert first.documents(a, c) == (2, 10, 6)
    assert first.documents(b, d) == (2, 10, 3)
    assert first.documents(c, d) == (2, 20, 0)
    assert first.held(np.array([a, a, b]), np.array([b, c, d])) == Held(10, 20, 1, 3)
    assert first.held(np.array([d]), np.array([c])) == Held(10, 20, 1, 1, below=False)
    assert first_ranks({"c": lists["c"], "e": [of(11, u12=11), of(2)]}, labels, "AP").apart[0, 1]  # 2 of 5, 1 of 1
    cut = first_ranks(lists, labels, "Success@15")
    assert np.argwhere(cut.apart).tolist() == [[a, b], [a, d], [b, a], [b, c], [c, b], [c, d], [d, a], [d, c]]
    assert cut.documents(a, b) == (5, 15, 0)
    assert cut.documents(a, c) == (2, 10, 4)
    assert cut.greatest(0).tolist() == [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]
    assert cut.greatest(1).tolist() == [[0] * 4] * 4


def newcomer(rng: np.random.Generator, topics: int = 30) -> tuple[Lists, Labels, Labels]:
    """Two systems as good as each other; a third of what new has alone is unjudged, in its first ten too.

    Returns runs, the labels of the pool, and all labels.
    """
    runs: Lists = {"old": {}, "new": {}}
    pooled: Labels = {}
    truth: Labels = {}
    for t in map(str, range(topics)):
        relevant = rng.random(150) < rng.beta(2, 10)
        relevant[0] = True
        common = rng.normal(size=150)
        for s in runs:
            score = 1.5 * relevant + 0.4 * common + 0.9 * rng.normal(size=150)
            runs[s][t] = {f"d{i}": float(score[i]) for i in np.argsort(-score)[:50].tolist()}
        truth[t] = {f"d{i}": int(relevant[i]) for i in range(150)}
        unseen = {d for d in runs["new"][t] if d not in runs["old"][t] and rng.random() < 0.8}
        pooled[t] = {d: x for d, x in truth[t].items() if d not in unseen}
    return runs, pooled, truth


@pytest.mark.slow
def test_a_newcomer_as_good_as_the_pooled_system_is_not_worse() -> None:
    """Guards the error of AP: unjudged as 0 makes it worse in most studies, with bounds it is hardly ever told so."""
    told = {"bound": 0, "non-relevant": 0}
    rng = np.random.default_rng(31)
    for _ in range(40):
        runs, pooled, _ = newcomer(rng)
        for holes in told:
            found = tg.Study(runs, pooled, "AP", unjudged=holes).verdict("old", "new")
            told[holes] += found.outcome != "inconclusive"
    assert told["non-relevant"] > 20, told
    assert told["bound"] <= 2, told


def test_all_labels_decide_as_before() -> None:
    """Guards what is sound: with every document judged bounds change nothing, and nothing is said of any."""
    runs, _, truth = newcomer(np.random.default_rng(2))
    runs["poor"] = {t: dict(zip(row, reversed(row.values()), strict=True)) for t, row in runs["old"].items()}
    both = [tg.Study(runs, truth, "AP", unjudged=h).verdict("poor", "new") for h in ("bound", "non-relevant")]
    assert [v.comparison for v in both] == [both[0].comparison] * 2
    assert [v.outcome for v in both] == [both[0].outcome] * 2 != ["inconclusive"] * 2
    assert "count as" not in both[0].sentence


@pytest.mark.parametrize("measure", ["AP", "Rprec", "YAAP"])
def test_all_roads_agree(measure: str) -> None:
    """Guards verdict, differences and ranking against one that decides by unjudged documents as 0."""
    runs, pooled, _ = newcomer(np.random.default_rng(31))
    zero = tg.Study(runs, pooled, measure, unjudged="non-relevant")
    assert zero.verdict("old", "new").outcome != "inconclusive"
    assert zero.best().best == ("old",)
    study = tg.Study(runs, pooled, measure)
    found = study.verdict("old", "new")
    assert found.outcome == "inconclusive"
    assert "label these documents" in " ".join(found.about)
    assert set(study.best().best) == {"old", "new"}
    for c in (*study.compare("old", "new"), *study.compare()):
        assert c.p is None or c.p > 0.05
        assert measure == "YAAP" or (c.low is not None and c.low < 0 < (c.high or 0))


def test_the_sentence_says_what_counts_as_not_relevant() -> None:
    """Guards the assumption that is left: of unjudged documents below the first ranks."""
    runs, pooled, truth = newcomer(np.random.default_rng(31))
    even = {t: {d: x for d, x in row.items() if d in runs["new"][t]} for t, row in runs["old"].items()}
    even = {t: row | {f"o{i}": -9.0 - i for i in range(20)} for t, row in even.items()}
    found = tg.Study({"old": even, "new": runs["new"]}, pooled, "AP").verdict("old", "new")
    assert found.unjudged_bounds is not None
    assert found.unjudged_bounds.first == 10
    assert f"{found.unjudged_bounds.documents} unjudged documents in the first 10 ranks" in found.sentence
    assert found.sentence.endswith("; unjudged documents below rank 10 count as not relevant.")
    top = {t: first_of(row) for t, row in runs["new"].items()}
    filled = {t: row | {d: truth[t][d] for d in top[t]} for t, row in pooled.items()}
    deeper = tg.Study(runs, filled, "AP").verdict("old", "new")  # far more of new than of old is open further down
    assert deeper.outcome == "inconclusive"
    assert deeper.unjudged_bounds is not None
    assert (deeper.unjudged_bounds.first, deeper.unjudged_bounds.below) == (100, 0)
    cut = {t: {d: x for d, x in row.items() if d in runs["old"][t] or d in top[t]} for t, row in runs["new"].items()}
    for t in list(cut)[:8]:
        cut[t] |= {f"u{i}": -99.0 - i for i in range(3)}  # a few, at the end
    assert len(cut) == 30
    few = tg.Study({**runs, "new": cut}, filled, "AP").verdict("old", "new")
    assert few.unjudged_bounds is not None
    assert (few.unjudged_bounds.documents, few.unjudged_bounds.below, few.unjudged_bounds.least) == (0, 24, 0.0)
    assert "unjudged documents below rank 10 count as not relevant" in few.sentence


@pytest.mark.slow
def test_the_words_name_the_ranks_that_were_held() -> None:
    """Guards verdict, notes and ranking: a hundred ranks where one lacks labels there, ten for other pairs."""
    runs, pooled, _ = newcomer(np.random.default_rng(31))
    for s, lists in runs.items():  # ends of lists that nobody judged, below rank 100
        runs[s] = {t: row | {f"{s}{i}": -99.0 - i for i in range(60)} for t, row in lists.items()}
    for t, row in runs["old"].items():
        top = sorted(row, key=lambda d: -row[d])[:50]
        pooled[t] |= {f"old{i}": 0 for i in range(50)}
        runs.setdefault("third", {})[t] = {
            d: -float(i) for i, d in enumerate((*top[::-1], *(f"old{i}" for i in range(60))))
        }
    study = tg.Study(runs, pooled, "AP")
    depth = {}
    for a, b in itertools.combinations(("old", "new", "third"), 2):
        hidden = study.verdict(a, b).unjudged_bounds
        assert hidden is not None
        depth[a, b] = hidden.first
        held = f"whatever the labels of those in the first {hidden.first} ranks; those below"
        assert held in " ".join(study.compare(a, b).notes)
    assert depth == {("old", "new"): 100, ("old", "third"): 10, ("new", "third"): 100}
    told = "the first 10 ranks (the first 100 for 2 of 3 pairs)"
    assert told in " ".join(study.compare().notes)
    best = study.best()
    assert told in " ".join(best.notes)
    assert f"whatever the labels of unjudged documents in {told}; those below count as not relevant" in best.sentence
    two = tg.Study({s: runs[s] for s in ("old", "third")}, pooled, "AP").best()
    assert "in the first 10 ranks; those below count as not relevant" in two.sentence


def test_nothing_below_is_spoken_of_where_nothing_is() -> None:
    """Guards short lists: where all ranks are held, none counts as not relevant."""
    runs, pooled, _ = newcomer(np.random.default_rng(31))
    runs["third"] = {t: dict(zip(row, reversed(row.values()), strict=True)) for t, row in runs["old"].items()}
    study = tg.Study({s: runs[s] for s in ("new", "third")}, pooled, "AP")
    found = study.verdict("new", "third")
    assert found.unjudged_bounds is not None
    assert (found.unjudged_bounds.first, found.unjudged_bounds.below) == (100, 0)
    assert "count as not relevant" not in found.sentence + study.best().sentence
    assert "low, high and p hold whatever their labels" in " ".join(study.compare().notes)


def test_the_gate_does_not_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards exit 3 where a pooled system looks better than one whose first documents nobody judged."""
    runs, pooled, _ = newcomer(np.random.default_rng(31))
    for s, lists in runs.items():
        lines = [f"{t} Q0 {d} 0 {x} {s}\n" for t, row in lists.items() for d, x in row.items()]
        (tmp_path / f"{s}.run").write_text("".join(lines))
    labels = [f"{t} 0 {d} {x}\n" for t, row in pooled.items() for d, x in row.items()]
    (tmp_path / "pooled.qrels").write_text("".join(labels))
    monkeypatch.chdir(tmp_path)
    asked = ["gate", "pooled.qrels", "new.run", "old.run", "-m", "AP", "--baseline", "new", "--candidate", "old"]
    monkeypatch.setattr("sys.argv", ["truegain", *asked, "--unjudged", "non-relevant"])
    main()
    assert "old: passes" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["truegain", *asked, "--format", "json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    assert json.loads(capsys.readouterr().out)["verdicts"][0]["unjudged"]["first_ranks"] == 100
