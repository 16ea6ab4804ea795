"""What to judge next, and scores with predicted labels."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import norm

import truegain as tg
from tests.worlds import there
from truegain.config import Scoring
from truegain.errors import MeasureError, TruegainError
from truegain.measures.catalogue import parse_measure
from truegain.pooling.next_to_judge import LEAST, Next, PairSoFar, next_to_judge, phi
from truegain.pooling.prediction import Fit, Prediction
from truegain.stats.rank_correlation import kendall_tau

Lists = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]
pytestmark = pytest.mark.filterwarnings("ignore::truegain.DataWarning")


def world(seed: int = 0, topics: int = 10, systems: int = 6) -> tuple[Lists, Labels]:
    """Systems of rising skill, and the labels of all documents."""
    rng = np.random.default_rng(seed)
    truth = {f"t{t}": {f"t{t}d{d}": int(rng.random() < 0.25) for d in range(60)} for t in range(topics)}
    runs = {
        f"s{k}": {t: {d: g * (0.4 + 0.3 * k) + float(rng.normal()) for d, g in row.items()} for t, row in truth.items()}
        for k in range(systems)
    }
    return runs, truth


def judged(truth: Labels, found: Next, before: Labels) -> Labels:
    """Labels with those of the documents listed."""
    out = {t: dict(row) for t, row in before.items()}
    for d in found.documents:
        out.setdefault(d.topic, {})[d.doc] = truth[d.topic][d.doc]
    return out


def test_phi_by_a_double_loop() -> None:
    """Guards the short cut over pairs: sum of k (w_a - w_b)^2, k from what is open between each two."""
    rng = np.random.default_rng(1)
    move = rng.random((12, 4)) * (rng.random((12, 4)) < 0.6)
    variance, means = rng.random(12) * 0.25, rng.random(4)
    expected = np.zeros(12)
    for a, b in combinations(range(4), 2):
        s = (variance * (move[:, a] - move[:, b]) ** 2).sum()
        expected += np.exp(-((means[a] - means[b]) ** 2) / (2 * s)) / np.sqrt(s) * (move[:, a] - move[:, b]) ** 2
    np.testing.assert_allclose(phi(csr_array(move), variance, means), variance * expected)


def test_identical_runs_ask_for_nothing() -> None:
    """Guards pairs without any difference: no division by 0, and no document is worth a label."""
    assert phi(csr_array(np.ones((3, 2))), np.full(3, 0.2), np.array([0.5, 0.5])).tolist() == [0, 0, 0]


@pytest.mark.parametrize("nothing", [None, {}, "empty"])
def test_from_nothing_two_a_topic_by_depth(nothing: Any, tmp_path: Path) -> None:
    """Guards the start: without a label each topic gets two of its highest documents, one a round."""
    runs, _ = world()
    if nothing == "empty":
        (tmp_path / "empty.qrels").write_text("")
        nothing = tmp_path / "empty.qrels"
    found = next_to_judge(runs, nothing, "P@10", most=20)
    assert [d.round for d in found.documents] == [1] * 10 + [2] * 10
    assert {d.why for d in found.documents} == {"seed"}
    for d in found.documents:
        first = {max(row[d.topic], key=row[d.topic].get) for row in runs.values()}  # type: ignore[arg-type]
        assert d.doc in first or len(first) == 1
    assert len({(d.topic, d.doc) for d in found.documents}) == 20
    assert len(next_to_judge(runs, nothing, "P@10").documents) == 10  # one round at a time


def test_the_two_of_a_topic_come_in_the_order_of_their_ranks() -> None:
    """Guards the start by depth: where all runs agree, the first document of a topic before its second."""
    runs, truth = world()
    alike = dict.fromkeys(("x", "y"), runs["s5"])
    found = next_to_judge(alike, None, "P@10", most=20).documents
    best = {t: sorted(row, key=lambda d: -row[d])[:2] for t, row in runs["s5"].items()}
    assert {(d.topic, d.doc, d.round) for d in found} == {(t, best[t][n], n + 1) for t in truth for n in (0, 1)}


def test_a_topic_without_its_two_gets_them_first() -> None:
    """Guards the trap of learning from what the order chose itself: topics with 0 or 1 judged start by depth."""
    runs, truth = world()
    labels = judged(truth, next_to_judge(runs, None, "P@10", most=40), {})
    highest = {t: [max(r[t], key=r[t].get) for r in runs.values()] for t in truth}  # type: ignore[arg-type]
    labels["t3"], labels["t7"] = {}, {highest["t7"][0]: 1}
    found = next_to_judge(
        runs, {t: row for t, row in labels.items() if row}, "P@10", most=24, unjudged_topics=True
    ).documents
    seeds = [(d.topic, d.round) for d in found if d.why == "seed"]
    assert sorted(seeds) == [("t3", 1), ("t3", 2), ("t7", 1)]
    assert all(d.doc in highest[d.topic] for d in found if d.why == "seed")


def test_one_a_topic_a_round_and_nothing_judged_again() -> None:
    """Guards the rounds: topics take turns, judged documents are gone, and every open one comes in the end."""
    runs, truth = world()
    labels = judged(truth, next_to_judge(runs, None, "P@5", most=20), {})
    found = next_to_judge(runs, labels, "P@5", most=10_000)
    names = [(d.topic, d.doc) for d in found.documents]
    tops = {(t, d) for run in runs.values() for t, row in run.items() for d in sorted(row, key=row.get)[-5:]}  # type: ignore[arg-type]
    assert set(names) == tops - {(t, d) for t, row in labels.items() for d in row}
    assert len(set(names)) == len(names) == found.open
    assert {d.why for d in found.documents} == {"ranking"}
    for n in range(1, 4):
        topics = [d.topic for d in found.documents if d.round == n]
        assert len(topics) == len(set(topics)) == 10
    assert [d.round for d in found.documents] == sorted(d.round for d in found.documents)


@pytest.mark.parametrize(("given", "asked"), [(2, 10), (8, 20), (16, 40)])
def test_how_many_before_asking_again(given: int, asked: int) -> None:
    """Guards the schedule: one round, two from 8 judged a topic on, four from 16."""
    runs, truth = world()
    labels = judged(truth, next_to_judge(runs, None, "P@10", most=given * 10), {})
    assert len(next_to_judge(runs, labels, "P@10").documents) == asked


def test_the_order_of_the_runs_does_not_matter() -> None:
    """Guards ties: the same documents in the same order, however the runs are named one after the other."""
    runs, truth = world()
    labels = judged(truth, next_to_judge(runs, None, "nDCG@5", most=25), {})
    there = next_to_judge(dict(reversed(runs.items())), labels, "nDCG@5", most=30)
    here = next_to_judge(runs, labels, "nDCG@5", most=30)
    assert [(d.topic, d.doc, d.round) for d in here.documents] == [(d.topic, d.doc, d.round) for d in there.documents]


def test_swaps_and_shift_by_scoring_again() -> None:
    """Guards what a label would move: for a measure linear in gain, the predicted means with either label."""
    runs, truth = world(systems=3)
    labels = judged(truth, next_to_judge(runs, None, "P@3", most=20), {})
    made = Prediction.of(runs, labels, parse_measure("P@3"), Scoring())
    v = made.chances(parse_measure("P@3")).chance[:, 0]
    pool, topics = made.filled.ranked.pool, made.filled.ranked.topics
    chance = dict(zip(zip((topics[t] for t in pool.topic), pool.docs.strings(), strict=True), v, strict=True))
    for found in next_to_judge(runs, labels, "P@3", most=15).documents:
        means = []
        for label in (1.0, 0.0):
            value = {**chance, (found.topic, found.doc): label}
            tops = [[(t, d) for t, row in r.items() for d in sorted(row, key=row.get)[-3:]] for r in runs.values()]  # type: ignore[arg-type]
            means.append(np.array([sum(value[x] for x in top) / 30 for top in tops]))
        change = means[0] - means[1]
        signs = [np.sign([round(m[a] - m[b], 9) for a, b in combinations(range(3), 2)]) for m in means]
        assert found.swaps == int((signs[0] != signs[1]).sum())
        assert found.shift == pytest.approx(change.max() - change.min())
        assert found.systems == int((change != 0).sum())
        assert found.predicted == pytest.approx(chance[found.topic, found.doc])


def test_a_certain_sign_is_certain() -> None:
    """Guards 'certain' against trying all labels: said where no labels change the sign, and only there."""
    rng, seen = np.random.default_rng(2), set()
    for _ in range(25):
        runs = {s: {t: {f"d{i}": float(rng.random()) for i in range(5)} for t in "12"} for s in "ab"}
        qrels = {t: {f"d{i}": int(rng.random() < 0.5) for i in range(5) if rng.random() < 0.6} for t in "12"}
        qrels["1"]["d0"], qrels["2"]["d1"] = 1, 1
        found = next_to_judge(runs, qrels, "P@2", pair=("a", "b"), until="certain").pair
        tops = {s: [(t, d) for t in "12" for d in sorted(runs[s][t], key=runs[s][t].get)[-2:]] for s in "ab"}  # type: ignore[arg-type]
        open_ = sorted({x for top in tops.values() for x in top if x[1] not in qrels[x[0]]})
        signs = set()
        for labels in product((0, 1), repeat=len(open_)):
            value = {
                **{(t, d): g for t, row in qrels.items() for d, g in row.items()},
                **dict(zip(open_, labels, strict=True)),
            }
            signs.add(int(np.sign(sum(value[x] for x in tops["a"]) - sum(value[x] for x in tops["b"]))))
        assert found is not None
        assert found.certain == (len(signs) == 1 and 0 not in signs)
        seen.add(found.certain)
    assert seen == {True, False}


def test_a_certain_sign_of_ndcg_is_that_of_the_bounds() -> None:
    """Guards 'certain' for a ratio: as `holes` of the two runs has it, down to the cutoff."""
    runs, truth = world(3, topics=6, systems=9)
    runs = {s: runs[s] for s in ("s0", "s8")}
    top = {t: {d for r in runs.values() for d in sorted(r[t], key=r[t].get)[-5:]} for t in truth}  # type: ignore[arg-type]
    cut = {s: {t: {d: x for d, x in row.items() if d in top[t]} for t, row in r.items()} for s, r in runs.items()}
    cut = {s: {t: dict(sorted(r.items(), key=lambda x: -x[1])[:5]) for t, r in rows.items()} for s, rows in cut.items()}
    seen = set()
    for n in range(1, 8):
        labels = {t: {d: truth[t][d] for d in sorted(top[t])[:n]} for t in truth}
        found = next_to_judge(runs, labels, "nDCG@5", pair=("s0", "s8")).pair
        far = tg.unjudged(cut, labels, "nDCG@5").greatest
        assert found is not None
        assert found.certain == bool(min(far[0, 1], far[1, 0]) < -1e-12)
        seen.add(found.certain)
    assert seen == {True, False}


def test_nothing_is_certain_before_a_relevant_document_is_known() -> None:
    """Guards against labels that only happen to be 0 so far: every score would be 0, whatever comes."""
    runs = {"a": {"1": {"x": 2.0}}, "b": {"1": {"y": 2.0}}}
    found = next_to_judge(runs, {"1": {"x": 0}}, "P@1", pair=("a", "b"))
    assert found.pair is not None
    assert not found.pair.certain


@pytest.mark.parametrize("until", ["sure", "certain"])
def test_a_pair_until_it_is_told_apart(until: str) -> None:
    """Guards the loop a user makes: list, labels, again; it ends, with the right sign, before all are judged."""
    runs, truth = world(4, topics=25)
    means = {s: there(tg.evaluate({s: runs[s]}, truth, "P@10").mean(s)) for s in ("s0", "s4")}
    assert means["s4"] > means["s0"]
    labels: Labels = {}
    for _ in range(40):
        found = next_to_judge(runs, labels, "P@10", pair=("s0", "s4"), until=until)  # type: ignore[arg-type]
        assert found.pair is not None
        if found.pair.enough:
            break
        assert all(d.shift != 0 for d in found.documents)
        labels = judged(truth, found, labels)
    assert found.pair is not None
    assert (found.pair.ahead, found.pair.enough) == ("s4", True)
    assert found.documents == ()
    spent = sum(map(len, labels.values()))
    assert LEAST <= spent < found.open + spent
    assert found.pair.certain == (until == "certain")


def test_how_sure_a_sign_is_by_hand() -> None:
    """Guards Phi(|D| / sqrt(2 (S + G))): documents' own chances, and coefficients that all of them share."""
    runs, truth = world(4)
    labels = judged(truth, next_to_judge(runs, None, "P@10", most=40), {})
    found = next_to_judge(runs, labels, "P@10", pair=("s0", "s4")).pair
    made = Prediction.of(runs, labels, parse_measure("P@10"), Scoring())
    chance, hole, pool = made.chances(parse_measure("P@10")).chance[:, 0], made.filled.unjudged, made.filled.ranked.pool
    at = {(pool.topics[t], d): i for i, (t, d) in enumerate(zip(pool.topic, pool.docs.strings(), strict=True))}
    s = np.zeros(len(chance))
    for name, sign in (("s0", 1), ("s4", -1)):
        for t, row in runs[name].items():
            for d in sorted(row, key=lambda x: -row[x])[:10]:
                s[at[t, d]] += sign / 100
    fit = Fit.of(made.predictor.votes, made.label)
    assert found is not None
    assert fit is not None
    spread = ((s**2 * chance * (1 - chance))[hole]).sum() + fit.variance(np.where(hole, s, 0.0))
    assert found.sure == pytest.approx(norm.cdf(abs(s @ chance) / np.sqrt(2 * spread)))
    assert found.difference == pytest.approx(abs(s @ chance))
    assert (found.open, found.judged) == (np.sum(hole & (s != 0)), np.sum(~hole & (s != 0)))
    assert 0.5 < found.sure < 1


@pytest.mark.parametrize("until", ["sure", "certain"])
def test_the_order_for_a_pair_by_hand(until: Any) -> None:
    """Guards what tells two systems apart first: s^2 p (1 - p), or |s| p or |s| (1 - p) until the sign is certain."""
    runs, truth = world(4, topics=6)
    labels = judged(truth, next_to_judge(runs, None, "P@10", most=30), {})
    made = Prediction.of(runs, labels, parse_measure("P@10"), Scoring())
    pool, p = made.filled.ranked.pool, made.chances(parse_measure("P@10")).chance[:, 0].tolist()
    chance = {(pool.topics[t], d): x for t, d, x in zip(pool.topic, pool.docs.strings(), p, strict=True)}
    for a, b in (("s0", "s4"), ("s4", "s0")):
        s: dict[tuple[str, str], float] = {}
        for name, sign in ((a, 1), (b, -1)):
            for t, row in runs[name].items():
                for d in sorted(row, key=lambda x: -row[x])[:10]:
                    s[t, d] = s.get((t, d), 0) + sign / 60
        ahead = np.sign(sum(x * chance[at] for at, x in s.items()))
        found = next_to_judge(runs, labels, "P@10", pair=(a, b), until=until, most=10_000).documents
        order = [(d.topic, d.doc) for d in found]
        assert sorted(order) == sorted(at for at, x in s.items() if x and at[1] not in labels.get(at[0], {}))
        if until == "sure":
            values = [s[at] ** 2 * chance[at] * (1 - chance[at]) for at in order]
        else:
            values = [abs(s[at]) * (chance[at] if s[at] * ahead > 0 else 1 - chance[at]) for at in order]
        assert np.all(np.diff(values) <= 1e-15)
        assert len(set(values)) > 10


def test_what_is_said_of_a_pair() -> None:
    """Guards the sentences: sure counts from 50 judged documents on, and not where certainty is asked."""
    few = PairSoFar("a", "b", 0.1, 0.97, False, 20, 9)
    assert not few.enough
    assert "which counts from 50 on" in str(few)
    assert PairSoFar("a", "b", 0.1, 0.97, False, 60, 9).enough
    assert not PairSoFar("a", "b", 0.1, 0.97, False, 60, 9, "certain").enough
    assert not PairSoFar("a", "b", 0.1, 0.94, False, 60, 9).enough
    assert "its sign is certain" in str(PairSoFar("a", "b", 0.1, 0.97, True, 60, 9))
    assert "equal" in str(PairSoFar("a", "b", 0.0, 1.0, False, 60, 0))


@pytest.mark.slow
def test_predictions_rank_better_than_zeros() -> None:
    """Guards the gain of it all: 6 documents a topic in our order, scored by prediction, against unjudged as 0."""
    filled: list[float] = []
    zero: list[float] = []
    for seed in range(4):
        runs, truth = world(seed, topics=20)
        full = [tg.evaluate(runs, truth, "P@10").mean(s) for s in runs]
        labels: Labels = {}
        for _ in range(6):
            labels = judged(truth, next_to_judge(runs, labels, "P@10"), labels)
        for kept, fill in ((filled, "predicted"), (zero, None)):
            scores = tg.evaluate(runs, labels, "P@10", fill=fill)  # type: ignore[arg-type]
            kept.append(kendall_tau(np.array(full), np.array([scores.mean(s) for s in runs]), "b"))
    assert np.mean(filled) > np.mean(zero) + 0.1
    assert np.mean(filled) > 0.8


def test_topics_without_an_answer_count_where_all_topics_do() -> None:
    """Guards predicted labels beside all topics: one that a run lacks counts 0; and of how many documents is told."""
    runs, truth = world()
    labels = {t: dict(list(row.items())[:30]) for t, row in truth.items()}
    short = {**runs, "s2": {t: row for t, row in runs["s2"].items() if t not in ("t3", "t8")}}
    listed = {(t, d) for run in short.values() for t, row in run.items() for d in sorted(row, key=row.get)[-10:]}  # type: ignore[arg-type]
    unjudged = sum(d not in labels[t] for t, d in listed)
    with pytest.warns(match=rf"^{unjudged} of {len(listed)} documents have predicted labels"):
        found = tg.evaluate(short, labels, "P@10", fill="predicted")
    every = tg.evaluate(short, labels, "P@10", fill="predicted", scoring=Scoring(all_topics=True))
    lacks = np.isnan(found.matrix())
    assert np.argwhere(lacks).tolist() == [[2, 3], [2, 8]]
    np.testing.assert_array_equal(every.matrix(), np.where(lacks, 0.0, found.matrix()))
    assert there(every.mean("s2")) == pytest.approx(0.8 * there(found.mean("s2")))


def test_three_documents_of_a_newcomer_come_first() -> None:
    """Guards systems of whose own documents none is judged: their three highest, each the first of its topic."""
    runs, truth = world()
    labels = {t: dict(list(row.items())[:30]) for t, row in truth.items()}
    own = dict(zip(truth, (9, 5, 3, 8, 1, 6, 7, 2, 10, 4), strict=True))  # where it has a document of its own
    new = {}
    for t in truth:
        docs = sorted(runs["s0"][t], key=lambda d: -runs["s0"][t][d])[:9]
        docs.insert(own[t] - 1, f"{t} own")
        new[t] = {d: -float(i) for i, d in enumerate(docs)}
    found = next_to_judge({**runs, "new": new}, labels, "P@10", most=10_000).documents
    first = [(d.topic, d.doc, d.round) for d in found if d.why == "newcomer"]
    assert sorted(first) == [(t, f"{t} own", 1) for t in ("t2", "t4", "t7")]
    assert {d.why for d in found} == {"newcomer", "ranking"}
    assert sum(d.round == 1 for d in found) == 10


def test_a_newcomer_has_no_score() -> None:
    """Guards the refusal: a run whose own documents nobody judged is not ranked, the others are."""
    runs, truth = world(topics=12)
    new = {t: {f"{t}n{i}": float(-i) for i in range(10)} for t in truth}
    labels = {t: dict(list(row.items())[:30]) for t, row in truth.items()}
    with pytest.warns(match="no score for new"):
        scores = tg.evaluate({**runs, "new": new}, labels, ["P@10", "AP"], fill="predicted")
    assert scores.mean("new", "P@10") is None
    assert scores.means("new") == {"P@10": None, "AP": None}
    assert set(scores.by_topic("new", "AP").values()) == {None}
    assert there(scores.mean("s0", "AP")) > 0
    for t in list(truth)[:3]:
        labels[t] = {**labels[t], f"{t}n0": 0}
    assert there(tg.evaluate({**runs, "new": new}, labels, "P@10", fill="predicted").mean("new")) >= 0


def test_with_all_labels_predicted_scores_are_plain_ones() -> None:
    """Guards the fill itself: where nothing is unjudged nothing is predicted."""
    runs, truth = world()
    names = ["P@10", "nDCG@10", "AP@20", "R@10"]
    plain, filled = tg.evaluate(runs, truth, names), tg.evaluate(runs, truth, names, fill="predicted")
    for name in names:
        np.testing.assert_allclose(filled.matrix(name), plain.matrix(name), atol=1e-12)
    assert filled.provenance["fill"] == "predicted"


def test_text_and_another_judge_are_used() -> None:
    """Guards the further evidence: words that give relevance away, and right labels, bring tau to 1."""
    runs, truth = world(7, topics=15)
    texts = {d: f"word{t} good fine" if g else f"word{t} bad poor" for t, row in truth.items() for d, g in row.items()}
    labels: Labels = {}
    for _ in range(8):
        labels = judged(truth, next_to_judge(runs, labels, "P@10"), labels)
    full = tg.evaluate(runs, truth, "P@10").summaries["P@10"]
    far = {}
    known: dict[str, dict[str, Any]] = {"votes": {}, "text": {"corpus": texts}, "llm": {"llm": truth}}
    for name, more in known.items():
        far[name] = np.abs(tg.evaluate(runs, labels, "P@10", fill="predicted", **more).summaries["P@10"] - full).mean()
    assert far["text"] < 0.7 * far["votes"]
    assert far["llm"] < 0.6 * far["votes"]
    assert next_to_judge(runs, labels, "P@10", corpus=texts, llm=truth).documents


def test_topics_without_judgments() -> None:
    """Guards which topics are asked about: those of the judgments, all of the runs on request."""
    runs, truth = world()
    one = {"t0": truth["t0"]}
    assert {d.topic for d in next_to_judge(runs, one, "P@10", most=50).documents} <= {"t0"}
    assert {d.topic for d in next_to_judge(runs, one, "P@10", most=50, unjudged_topics=True).documents} == set(
        truth
    ) - {"t0"}


def test_what_is_refused() -> None:
    """Guards against answers that nothing supports."""
    runs, truth = world()
    few = {t: dict(list(row.items())[:20]) for t, row in truth.items()}
    filled = tg.evaluate(runs, few, "P@10", fill="predicted")
    with pytest.raises(TruegainError, match="no interval and no p-value"):
        tg.compare(filled)
    with pytest.raises(TruegainError, match="fill='predicted' as well"):
        tg.evaluate(runs, few, "P@10", llm=truth)
    with pytest.raises(TruegainError, match="'zero' is unknown"):
        tg.evaluate(runs, few, "P@10", fill="zero")  # type: ignore[arg-type]
    with pytest.raises(TruegainError, match=r"none of the .* is judged.*: it has .*, and judged are elsewhere"):
        tg.evaluate(runs, {t: {"elsewhere": 1} for t in truth}, "P@10", fill="predicted")
    positive = {t: {d: x for d, x in docs.items() if x > 0} for t, docs in truth.items()}
    with pytest.raises(TruegainError, match="nothing shows what is not relevant for P@10"):
        tg.evaluate(runs, positive, "P@10", fill="predicted")  # all others would be predicted relevant
    with pytest.raises(TruegainError, match="none of the 1 labels"):
        next_to_judge(runs, few, "P@10", llm={"t0": {"elsewhere": 1}})
    with pytest.raises(MeasureError, match="with AP"):
        tg.evaluate(runs, few, "RR", fill="predicted")
    with pytest.raises(MeasureError, match="sign is certain"):
        next_to_judge(runs, few, "AP", pair=("s0", "s1"), until="certain")
    with pytest.raises(TruegainError, match="pair 'x' is not a system here"):
        next_to_judge(runs, few, "P@10", pair=("s0", "x"))
    with pytest.raises(TruegainError, match="give at least two"):
        next_to_judge({"s0": runs["s0"]}, few, "P@10")
    for wrong in (("s0", "s0"), ("s0", "s1", "s0"), ("s0",)):
        with pytest.raises(TruegainError, match=r"give two systems, as in pair=\('a', 'b'\)"):
            next_to_judge(runs, few, "P@10", pair=wrong)  # type: ignore[arg-type]
    with pytest.raises(tg.InputError, match="none of the"):
        next_to_judge(runs, few, "P@10", corpus={"elsewhere": "a word"})
