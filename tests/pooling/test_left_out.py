"""Any measure on collections that lack one document each, and what topics with few relevant documents lend."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from benchmarks.coverage import few_relevant as worlds

import truegain as tg
from truegain.config import Scoring
from truegain.data.alignment import aligned, without_items
from truegain.data.judgments import judgments_of_columns
from truegain.data.teams import Teams
from truegain.io.columns import Floats
from truegain.measures.catalogue import parse_measures
from truegain.measures.scoring import scored
from truegain.parallel.jobs import Local
from truegain.pooling.pools import leave_out, left_out_table
from truegain.stats import other_collections
from truegain.stats.collection_intervals import Pooled, pooled, spread_rule, spreads_of
from truegain.stats.contrasts import Contrasts
from truegain.stats.other_collections import least_relevant, left_out_spreads, without_each

Lists = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]


def world() -> tuple[Lists, Labels]:
    """Three systems, topics with 1, 3 and 9 relevant documents of three labels, judged and unjudged others."""
    rng = np.random.default_rng(3)
    runs: Lists = {s: {} for s in "abc"}
    labels: Labels = {"top": {"z": 3}}
    for t, relevant in enumerate((1, 3, 9)):
        docs = [f"d{t}-{i}" for i in range(36)]
        labels[str(t)] = {d: int(rng.integers(1, 4)) for d in docs[:relevant]} | dict.fromkeys(docs[relevant:20], 0)
        for by_topic in runs.values():
            score = rng.normal(size=36) + 1.2 * (np.arange(36) < relevant)
            by_topic[str(t)] = {docs[i]: float(score[i]) for i in rng.permutation(36)[:28]}
    for by_topic in runs.values():
        by_topic["top"] = {"z": 1.0}
    return runs, labels


def by_hand(runs: Lists, labels: Labels, name: str, topic: str) -> tuple[Floats, Floats]:
    """Covariances from files without each document, scored anew."""
    level = least_relevant(tg.parse_measure(name))

    def scores(left: str) -> list[float]:
        lists = {s: {t: {d: x for d, x in docs.items() if d != left} for t, docs in r.items()} for s, r in runs.items()}
        found = tg.evaluate(
            lists, {t: {d: x for d, x in docs.items() if d != left} for t, docs in labels.items()}, name
        )
        values = [found.by_topic(s)[topic] for s in runs]
        assert None not in values
        return [float(x) for x in values if x is not None]

    good = [d for d, label in labels[topic].items() if label >= level]
    others = sorted({d for r in runs.values() for d in r[topic]} - set(good))
    own = np.array([scores(d) for d in good]) if len(good) > 1 else np.zeros((1, len(runs)))
    own = own - own.mean(axis=0)
    rest = np.array([scores(d) for d in others]) - scores("")
    return (len(good) - 1) / len(good) * own.T @ own, rest.T @ rest


MEASURES = [
    "nDCG@10", "nDCG", "RR", "RR@10", "ERR@10", "ERR(max_rel='scale')", "Rprec", "R@5", "SetF", "Bpref", "AP@10",
    "nDCG(judged_only=True)@5", "Q(beta=2)@10", "RR(rel=2)@10", "Compat", "Judged@10", "nERR@10",
]  # fmt: skip


@pytest.mark.few(2)
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("name", MEASURES)
def test_every_document_is_left_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards gaps, kinds of labels and closed forms: as if each document were taken from lists and judgments."""
    runs, labels = world()
    ranked, measure = aligned(runs, labels, Scoring(), keep_keys=sys.maxsize), tg.parse_measure(name)
    both = left_out_spreads(ranked, measure, pairs=True, engine=Local(2, kind="threads"))
    monkeypatch.setattr(other_collections, "ENTRIES", 40)  # many small collections are the same as one
    alone = left_out_spreads(ranked, measure)
    for topic in "012":
        own, others = by_hand(runs, labels, name, topic)
        at = ranked.topics.index(topic)
        assert both[at].own == pytest.approx(own, abs=1e-12)
        assert both[at].others == pytest.approx(others, abs=1e-12)
        assert alone[at].own == pytest.approx(np.diag(own), abs=1e-12)
        assert alone[at].others == pytest.approx(np.diag(others), abs=1e-12)


def test_the_scale_stays_whatever_is_left_out() -> None:
    """Guards measures that read a scale off the labels: the greatest, of another topic, is there in each collection."""
    docs = {"u": 0.9, "b": 0.8, "v": 0.7, "a": 0.6, "n": 0.5, "c": 0.4}
    runs: Lists = {"x": {"1": docs, "top": {"z": 1.0}}, "y": {"1": {d: -x for d, x in docs.items()}, "top": {"z": 1.0}}}
    labels: Labels = {"1": {"a": 1, "b": 2, "c": 1, "n": 0, "u": -2}, "top": {"z": 3}}  # u and v: not judged
    ranked = aligned(runs, labels, Scoring(), keep_keys=sys.maxsize)
    found = left_out_spreads(ranked, tg.parse_measure("ERR(max_rel='scale')"), pairs=True)[ranked.topics.index("1")]
    own, others = by_hand(runs, labels, "ERR(max_rel='scale')", "1")
    assert found.own == pytest.approx(own, abs=1e-12)
    assert found.others == pytest.approx(others, abs=1e-12)


@pytest.mark.parametrize("gains", ["{0:1,1:2,2:3}", "{-2:1}", "{0:1,1:2,-2:3}"])
def test_labels_that_a_table_gives_a_gain(gains: str) -> None:
    """Guards documents that are not relevant by their label, but worth something: each has its own place in a gap."""
    runs: Lists = {"x": {"1": ordered(*"nuvmwarobq")}, "y": {"1": ordered(*"bumnavorwq")}}
    labels: Labels = {"1": {"a": 1, "b": 2, "n": 0, "m": 0, "o": 0, "v": -2, "w": -2, "q": -2}}  # u and r: not judged
    name = f"ERR(gains={gains})"
    found = left_out_spreads(
        aligned(runs, labels, Scoring(), keep_keys=sys.maxsize), tg.parse_measure(name), pairs=True
    )
    own, others = by_hand(runs, labels, name, "1")
    assert found[0].own == pytest.approx(own, abs=1e-12)
    assert found[0].others == pytest.approx(others, abs=1e-12)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("name", ["nDCG@3", "RR(rel=2)", "nDCG(judged_only=True)@2", "SetP"])
def test_what_each_document_moves(name: str) -> None:
    """Guards the documents a difference hangs on: which are tried, and both means of files without each of them."""
    rng = np.random.default_rng(16)
    docs = {"1": list("abcdefgh"), "2": list("pqrs")}
    runs: Lists = {
        s: {t: dict(zip(ds, rng.permutation(len(ds)) + 1.0, strict=True)) for t, ds in docs.items()} for s in "xyz"
    }
    del runs["x"]["1"]["c"], runs["z"]["1"]["c"], runs["z"]["1"]["e"]
    labels: Labels = {"1": {"a": 1, "b": 2, "c": 1, "d": 0, "e": 3, "f": 0, "h": -1}, "2": {"p": 0, "r": 2, "s": 1}}
    measure = tg.parse_measure(name)
    ranked = aligned(runs, labels, Scoring(), keep_keys=sys.maxsize)
    names, moved = without_each(ranked, measure, (2, 0))

    def means(left: tuple[str, str] | None) -> Floats:
        def kept(table: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
            return {t: {d: x for d, x in row.items() if (t, d) != left} for t, row in table.items()}

        found = tg.evaluate({s: kept(runs[s]) for s in "zx"}, kept(labels), name)
        return np.array([found.mean("z"), found.mean("x")])

    cutoff, level = getattr(measure, "cutoff", None) or 20, least_relevant(measure)
    expected: dict[str, Floats] = {}
    for topic, row in labels.items():
        lists = [sorted(runs[s][topic], key=lambda d: -runs[s][topic][d]) for s in "zx"]
        if getattr(measure, "judged_only", False):
            lists = [[d for d in ranks if row.get(d, -1) >= 0] for ranks in lists]
        near = {d for ranks in lists for d in ranks[:cutoff]}
        for doc in [d for d, label in row.items() if label >= level or d in near]:
            expected[f"{topic} {doc}"] = means(None) - means((topic, doc))
    assert sorted(names) == sorted(expected)
    assert moved == pytest.approx(np.array([expected[n] for n in names]), abs=1e-12)
    assert np.ptp(moved) > 0.1
    far = ordered(*(f"d{i}" for i in range(30)))  # one judged document, beyond where it is looked for
    nothing = aligned({"x": {"1": far}, "y": {"1": far}}, {"1": {"d25": 0}}, Scoring(), keep_keys=sys.maxsize)
    names, moved = without_each(nothing, tg.parse_measure("nDCG@3"), (0, 1))
    assert (names, moved.shape) == ([], (0, 2))


@pytest.mark.parametrize("pairs", [False, True])
def test_a_topic_without_relevant_documents_does_not_move(pairs: bool) -> None:
    """Guards topics that no document can move: systems that have them have a variance of 0 there."""
    runs, labels = world()
    labels["none"] = {"x": 0, "y": 0}
    for system in "ab":
        runs[system]["none"] = {"x": 2.0, "y": 1.0}
    with pytest.warns(tg.DataWarning, match="lacks judged topics"):
        ranked = aligned(runs, labels, Scoring(), keep_keys=sys.maxsize)
    still = left_out_spreads(ranked, tg.parse_measure("nDCG@10"), pairs=pairs)[ranked.topics.index("none")]
    assert still.own.tolist() == still.others.tolist() == np.zeros((3,) * (1 + pairs)).tolist()
    assert still.there.tolist() == [True, True, False]


def test_near_topics_lend() -> None:
    """Guards who lends to topics with one relevant document: those with 2 or 3, weights R - 1, or the nearest three."""
    near = Pooled(2, "near")
    topics = ((1, 9.0), (1, 9.0), (2, 0.5), (5, 0.2), (8, 0.1), (40, 0.01))
    for relevant, own in topics:
        there = np.array([True, relevant != 2])
        near.add(relevant, np.full(2, own), np.full(2, 0.03), there)
    lent = (1 * 0.5 + 4 * 0.2 + 7 * 0.1) / 12, (4 * 0.2 + 7 * 0.1 + 39 * 0.01) / 50
    variance, freedom = near.total()
    assert variance.tolist() == pytest.approx([0.81 + 2 * lent[0] + 0.18, 0.31 + 2 * lent[1] + 0.15])
    c = {r: 1 + 2 * (r - 1) / 12 for r in (2, 5, 8)} | {40: 1.0}
    below = sum((c[r] * own) ** 2 / (r + 1) for r, own in topics[2:]) + sum(0.03**2 / (r + 2) for r, _ in topics)
    assert freedom[0] == pytest.approx(variance[0] ** 2 / below - 2)
    three = Pooled(1, "near")
    for relevant, own in ((1, 0.0), (2, 0.5), (3, 0.2), (3, 0.4), (3, 0.3), (4, 0.1)):
        three.add(relevant, np.array([own]), np.zeros(1), np.ones(1, np.bool_))
    assert three.total()[0][0] == pytest.approx(1.5 + (0.5 + 2 * 0.9) / 7)
    alone = Pooled(1, "near")
    alone.add(1, np.zeros(1), np.array([0.1]), np.ones(1, np.bool_))
    assert np.isnan(alone.total()[0][0])


FAMILIES = [
    ("R skewed, mean 5", "nDCG@10"), ("R 1-4", "nDCG"), ("R skewed, mean 5", "RR"), ("R skewed, mean 5", "ERR@10"),
    ("R 1-4", "Rprec"), ("R 1-4", "R@10"), ("R skewed, mean 5", "SetP"), ("R skewed, mean 5", "SetF"),
]  # fmt: skip


@pytest.mark.few(1)
@pytest.mark.parametrize(("kind", "name"), FAMILIES)
def test_variances_are_near_the_true_ones(kind: str, name: str) -> None:
    """Guards V over collections by family where a quarter of the topics has R = 1: it was 1.5 to 15 times the true one.

    Of a score, an equal pair and a real pair, in the mean of eight collections; seconds, so the bounds are wide.
    """
    true, measure = worlds.truth(kind, 25, 60), tg.parse_measure(name)
    m, ratios = (*worlds.RANKED, *worlds.SETS).index(name), []
    contrasts = Contrasts.of([(a, b) for _, a, b in worlds.PAIRS])
    for number in range(8):
        ranked = worlds.collected(true.topics, np.random.default_rng([5, number])).of(name)
        spreads = spreads_of(ranked, measure, pairs=True, replicates=60, engine=Local(1))
        ratios.append(pooled(spreads, contrasts, spread_rule(measure).lone).total()[0] / 25**2 / true.variance[m])
    assert np.mean(ratios, axis=0) == pytest.approx(1.0, abs=0.45), name


def ordered(*docs: str) -> dict[str, float]:
    """A list with these documents from the top."""
    return {d: -float(i) for i, d in enumerate(docs)}


@pytest.mark.filterwarnings("ignore:.* of pooled runs (is|are) unjudged:truegain.DataWarning")
def test_who_is_left_out_of_a_pool_of_some() -> None:
    """Guards which judgments go where two of three systems were pooled, the level of relevance, and the order told."""
    runs = {"a": {"1": ordered("p", "q", "r")}, "b": {"1": ordered("q", "s", "p")}, "c": {"1": ordered("s", "p", "q")}}
    qrels = {"1": {"p": 1, "q": 2, "s": 2, "r": 2}}
    a, b = leave_out(runs, qrels, "P@3", pool_depth=2, pooled=["a", "b"])
    assert [(f.system, f.lost, f.lost_relevant) for f in (a, b)] == [("a", 1, 1), ("b", 1, 1)]
    assert (a.score, a.without) == pytest.approx((1.0, 2 / 3))
    a, b = leave_out(runs, qrels, "P@3", pool_depth=2, pooled=["a", "b"], scoring=tg.Scoring(relevant_from=2))
    assert [(f.lost, f.lost_relevant) for f in (a, b)] == [(1, 0), (1, 1)]
    assert [row[0] for row in left_out_table([a, b]).rows] == ["b", "a"]
    assert [row[3] for row in left_out_table([a, b]).rows] == pytest.approx([-1 / 3, 0.0])
    alone = leave_out({"a": runs["a"]}, {"1": {"p": 1, "q": 1}}, "P@2", pool_depth=2)[0]
    assert (alone.score, alone.without, alone.lost) == (1.0, 1.0, 2)  # nothing would be left to score by
    shared = leave_out({"a": runs["a"], "b": runs["a"]}, {"1": {"p": 1}}, "P@2", pool_depth=2)[0]
    assert (shared.score, shared.without, shared.lost) == (0.5, 0.5, 0)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize(("version", "first"), [("9", "b"), ("10", "a")])
def test_the_pool_is_made_of_lists_as_they_are_scored(version: str, first: str) -> None:
    """Guards ties in the pool: scores alike as float32 tie for trec_eval 9, and the larger name comes first."""
    runs = {"s": {"1": {"a": 1.00000001, "b": 1.0}}, "r": {"1": {"c": 1.0}}}
    qrels = {"1": {"a": 1, "c": 1}}
    found = leave_out(runs, qrels, "P@1", pool_depth=1, scoring=tg.Scoring(trec_eval=float(version)))[0]
    assert (found.system, found.lost) == ("s", int(first == "a"))


def test_ranks_and_relevant_judgments_lost() -> None:
    """Guards ranks with and without, which equal scores share, and the judgments lost that are relevant."""
    runs = {"a": {"1": {"x": 3.0, "w": 2.0}}, "b": {"1": {"y": 3.0, "v": 2.0}}, "c": {"1": {"y": 3.0, "x": 2.0}}}
    a, b, c = leave_out(runs, {"1": {"x": 1, "y": 2, "w": 0, "v": 1}}, "P@2", pool_depth=2)
    assert (a.lost, a.lost_relevant, b.lost, b.lost_relevant, c.lost) == (1, 0, 1, 1, 0)
    assert (a.rank, b.rank, c.rank) == (3, 1, 1)
    assert (b.rank_without, b.score, b.without) == (2, 1.0, 0.5)


def track(seed: int = 5) -> tuple[Lists, Labels, dict[str, str]]:
    """Six runs of three teams, those of one team alike, and the labels of the first four documents of each."""
    rng = np.random.default_rng(seed)
    teams = {f"{team}-{n}": team for team in "abc" for n in (1, 2)}
    runs: Lists = {run: {} for run in teams}
    labels: Labels = {}
    for topic in ("1", "2", "3"):
        for team in "abc":
            taste = rng.normal(size=20)
            for n in (1, 2):
                docs = [f"{topic}-{d}" for d in np.argsort(-(taste + 0.2 * rng.normal(size=20)))]
                runs[f"{team}-{n}"][topic] = ordered(*docs)
                labels.setdefault(topic, {}).update({d: int(d[2:]) % 3 for d in docs[:4]})
    return runs, labels, teams


@pytest.mark.parametrize("pooled", [None, ["a-1", "b-1", "b-2", "c-2"]])
def test_a_team_is_left_out_as_a_whole(pooled: list[str] | None) -> None:
    """Guards leave-one-team-out against pools built anew without each team, and that it costs more than by run."""
    runs, labels, teams = track()
    names = pooled or list(runs)
    found = leave_out(runs, labels, "nDCG@10", pool_depth=4, pooled=pooled, teams=teams)
    assert [f.system for f in found] == names
    for f in found:
        others = [run for run in names if teams[run] != f.team]
        mine = [run for run in names if teams[run] == f.team]

        def brought(by: list[str], topic: str) -> set[str]:
            return {d for run in by for d in list(runs[run][topic])[:4]}

        gone = {t: brought(mine, t) - brought(others, t) for t in labels}
        left = {t: {d: x for d, x in docs.items() if d not in gone[t]} for t, docs in labels.items()}
        assert f.without == pytest.approx(tg.evaluate(runs, left, "nDCG@10").mean(f.system, "nDCG@10"), abs=1e-12)
        assert (f.team, f.lost) == (teams[f.system], sum(map(len, gone.values())))
    by_run = leave_out(runs, labels, "nDCG@10", pool_depth=4, pooled=pooled)
    assert np.mean([f.without - f.score for f in found]) < np.mean([f.without - f.score for f in by_run])
    table = left_out_table(found)
    assert table.columns[:2] == ("system", "team")
    worst = min(f.without - f.score for f in found)
    assert f"{len(names)} systems, 3 teams: mean " in table.notes[1]
    assert f"worst {worst:+.4f} ({table.rows[0][0]})" in table.notes[1]


def test_teams_say_who_was_pooled() -> None:
    """Guards the column pooled: runs without it brought nothing; a second list of pooled runs is refused."""
    runs, labels, teams = track()
    known = Teams(teams, frozenset(set(teams) - {"c-1", "c-2"}))
    assert leave_out(runs, labels, pool_depth=4, teams=known) == leave_out(
        runs, labels, pool_depth=4, teams=teams, pooled=sorted(known.pooled)
    )
    with pytest.raises(tg.TruegainError, match="which runs were pooled"):
        leave_out(runs, labels, pool_depth=4, teams=known, pooled=["a-1"])
    with pytest.raises(tg.TruegainError, match="none of the runs was pooled"):
        leave_out(runs, labels, pool_depth=4, teams=Teams(teams, frozenset()))


@pytest.mark.parametrize("name", ["nDCG@3", "AP", "alpha_nDCG@3", "Bpref"])
def test_a_smaller_pool_is_that_of_fewer_judgments(name: str) -> None:
    """Guards lists against a smaller pool: the same scores as of judgments that lack these documents.

    The documents of one topic are all gone.
    """
    rng = np.random.default_rng(5)
    subtopics = ["1", "2"] if name.startswith("alpha") else ["0"]
    rows = [(str(t), s, f"d{d}", int(rng.integers(0, 2))) for t in range(6) for d in range(8) for s in subtopics]
    runs = {s: {str(t): {f"d{d}": float(rng.random()) for d in range(12)} for t in range(6)} for s in "ab"}
    table = judgments_of_columns(
        [r[0] for r in rows], [r[2] for r in rows], np.array([float(r[3]) for r in rows]), "rows",
        subtopics=[r[1] for r in rows],
    )  # fmt: skip
    gone = {("3", f"d{d}") for d in range(8)} | {("1", "d2"), ("5", "d7"), ("0", "d0")}
    ranked, measures = aligned(runs, table, tg.Scoring()), parse_measures(name)
    topics, docs = ranked.pool.names(np.arange(len(ranked.pool)))
    items = np.array([i for i, pair in enumerate(zip(topics, docs, strict=True)) if pair in gone])
    kept = np.array([i for i, r in enumerate(rows) if (r[0], r[2]) not in gone])
    made = scored(without_items(ranked, items), measures, tg.Scoring())
    again = scored(aligned(runs, table.take(kept), tg.Scoring()), measures, tg.Scoring())
    assert made.topics == again.topics
    np.testing.assert_array_equal(made.matrix(), again.matrix())
    means, means_again = (next(iter(x.summaries.values())) for x in (made, again))
    np.testing.assert_array_equal(means, means_again)
