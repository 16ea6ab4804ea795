"""With unjudged="bound" an answer holds whatever the labels of the unjudged documents are."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import truegain as tg
from tests.worlds import there
from truegain.config import Scoring
from truegain.data.alignment import aligned, of_systems
from truegain.data.pool import RankedGains
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.measures.catalogue import parse_measure
from truegain.measures.scoring import keys_in_question
from truegain.pooling.bounds import extremes_of
from truegain.pooling.pools import Filled
from truegain.study.unjudged import PairBounds, all_pairs_bounds, pair_bounds_of, sample_step

Labels = dict[str, dict[str, int]]
SYSTEMS = ("a", "b", "c", "d")


def small(
    seed: int, cutoff: int, most: int
) -> tuple[dict[str, dict[str, dict[str, float]]], Labels, list[tuple[str, str]]]:
    """Four systems, three topics; of what they show up to so many documents are unjudged."""
    rng = np.random.default_rng(seed)
    runs: dict[str, dict[str, dict[str, float]]] = {s: {} for s in SYSTEMS}
    judged: Labels = {}
    holes: list[tuple[str, str]] = []
    for t in ("1", "2", "3"):
        docs = [f"d{i}" for i in range(2 * cutoff)]
        judged[t] = {d: int(rng.choice([0, 1, 2], p=[0.4, 0.3, 0.3])) for d in docs}
        judged[t]["never"] = 2  # so that all labels are given and each topic has a best list
        judged[t]["nor"] = 1
        for s in SYSTEMS:
            worth = {d: 2.0 * (s != "d") * judged[t][d] * (0.3 + SYSTEMS.index(s)) + rng.normal() for d in docs}
            top = sorted(docs, key=worth.__getitem__, reverse=True)[:cutoff]
            runs[s][t] = {d: float(cutoff - i) for i, d in enumerate(top)}
        shown = sorted({d for s in SYSTEMS for d in runs[s][t]})
        for d in rng.choice(shown, min(2, most - len(holes)), replace=False).tolist():
            judged[t].pop(d)
            holes.append((t, d))
    return runs, judged, holes


def filled(judged: Labels, holes: list[tuple[str, str]], labels: tuple[int, ...]) -> Labels:
    """The same with a label for each hole."""
    out = {t: dict(row) for t, row in judged.items()}
    for (t, d), label in zip(holes, labels, strict=True):
        out[t][d] = label
    return out


def keyed(runs: object, judged: object, measure: str) -> RankedGains:
    """Runs against labels, whose documents are known by key."""
    keys = keys_in_question([parse_measure(measure)])
    return aligned(runs, judged, Scoring(), keep_keys=keys)


def deep(seed: int) -> tuple[dict[str, dict[str, dict[str, float]]], Labels]:
    """Five systems, four topics, lists of up to 130 documents, of which a third is judged, some below 0: unjudged."""
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(150)]
    judged = {t: {d: int(rng.integers(-1, 4)) for d in rng.permutation(docs)[:50]} for t in "1234"}
    runs = {
        s: {t: {d: float(rng.normal()) for d in rng.permutation(docs)[: rng.integers(5, 131)]} for t in "1234"}
        for s in "abcde"
    }
    return runs, judged


@pytest.mark.parametrize("measure", ["P@10", "DCG@120", "nDCG@10", "nDCG", "R@30", "RR", "ERR@5", "RBP"])
def test_documents_known_by_key_are_those_known_by_name(measure: str) -> None:
    """Guards the short way to the extremes of all pairs: runs read again and matched by name give the same."""
    m, (runs, judged) = parse_measure(measure), deep(3)
    for systems in ("abcde", "db"):
        some = {s: runs[s] for s in systems}
        named = Filled.of(some, judged, m, Scoring())
        known = Filled.by_key(of_systems(keyed(runs, judged, measure), ["abcde".index(s) for s in systems]), m)
        assert known.ranked.systems == named.ranked.systems
        assert known.levels.tolist() == named.levels.tolist()
        share = np.append(np.full(len(systems), 1 / 4), 1.0)
        for t in range(4):
            far = [extremes_of(x, m).greatest(x.topic(t, m.within(x.ranked.rank)), share) for x in (named, known)]
            assert far[1] == pytest.approx(far[0], abs=1e-12)
            assert np.ptp(far[0]) > 0
        assert m.score(known.ranked) == pytest.approx(m.score(named.ranked), abs=1e-12)


def test_lists_that_know_too_few_documents_are_refused() -> None:
    """Guards against holes that are passed over: keys down to 100 do not tell what stands below."""
    runs, judged = deep(3)
    with pytest.raises(tg.TruegainError, match="keys of fewer documents"):
        Filled.by_key(keyed(runs, judged, "P@10"), parse_measure("P@120"))


def test_some_systems_of_a_topic_are_what_they_are_among_all() -> None:
    """Guards `UnjudgedOfTopic.of_systems`: what two lists could do depends on the others by their holes alone."""
    runs, judged = deep(5)
    m = parse_measure("nDCG@10")
    filled, kept = Filled.by_key(keyed(runs, judged, "nDCG@10"), m), np.array([1, 4])
    extremes, share = extremes_of(filled, m), np.append(np.full(5, 1 / 4), 1.0)
    for t in range(4):
        topic = filled.topic(t, m.within(filled.ranked.rank))
        every = extremes.greatest(topic, share)[np.ix_(kept, kept)]
        assert extremes.greatest(topic.of_systems(kept), share[[1, 4, 5]])[:2, :2] == pytest.approx(every, abs=1e-12)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", [1, 2])
def test_bounds_are_what_all_labels_reach(seed: int) -> None:
    """By brute force: over every labeling of the holes no difference rises further, and some labels reach it."""
    measures = ["P(rel=1)@3", "DCG@3", "nDCG@3", "RR"]
    runs, judged, holes = small(seed, 3, 5)
    now = _gaps(tg.evaluate(runs, judged, measures), measures)
    every = [filled(judged, holes, labels) for labels in itertools.product((0, 1, 2), repeat=len(holes))]
    most = _gaps_of_all(runs, every, measures).max(axis=0)
    for i, measure in enumerate(measures):
        told = all_pairs_bounds(keyed(runs, judged, measure), parse_measure(measure), np.ones(4, np.bool_), True)
        assert told.rise == pytest.approx(most[i] - now[i], abs=1e-9)


def _gaps(table: tg.Scores, measures: list[str]) -> Floats:
    value = np.array([[table.mean(s, m) for s in SYSTEMS] for m in map(str, map(parse_measure, measures))])
    return np.asarray(value[:, :, None] - value[:, None, :])


def _gaps_of_all(runs: dict[str, dict[str, dict[str, float]]], every: list[Labels], measures: list[str]) -> Floats:
    """Differences under each set of labels, whose topics are scored beside those of all others: one call is fast."""
    topics = list(every[0])
    copies = {s: {f"{t} {i}": row[t] for i in range(len(every)) for t in topics} for s, row in runs.items()}
    table = tg.evaluate(copies, {f"{t} {i}": labels[t] for i, labels in enumerate(every) for t in topics}, measures)
    by_topic = [[table.by_topic(s, str(parse_measure(m))) for s in SYSTEMS] for m in measures]
    value = [[[[row[f"{t} {i}"] for t in topics] for i in range(len(every))] for row in rows] for rows in by_topic]
    mean = np.array(value, dtype=float).mean(axis=3)
    return np.asarray((mean[:, :, None] - mean[:, None, :]).transpose(3, 0, 1, 2))


def test_two_judged_lists_are_moved_by_what_a_third_shows_and_no_more() -> None:
    """Guards nDCG: a relevant hole of c lowers what a and b get of its topic; documents that nobody shows do not."""
    top = {"a": ["x", "y"], "b": ["y", "z"], "c": ["hole", "z"]}
    runs = {s: {t: {d: 9.0 - i for i, d in enumerate([*docs, f"deep{s}"])} for t in "12"} for s, docs in top.items()}
    judged = {"1": {"x": 1, "y": 0, "z": 0}, "2": {"x": 0, "y": 1, "z": 1}}
    judged["2"]["hole"] = 0  # judged there
    lists, own = keyed(runs, judged, "nDCG@2"), np.array([False, False, True])
    told = all_pairs_bounds(lists, parse_measure("nDCG@2"), own, True)
    score = {label: tg.evaluate(runs, {**judged, "1": {**judged["1"], "hole": label}}, "nDCG@2") for label in (0, 1)}
    gap = {label: there(table.mean("b")) - there(table.mean("a")) for label, table in score.items()}
    assert told.rise[1, 0] == pytest.approx(gap[1] - gap[0])
    assert told.rise[0, 1] == 0.0


@pytest.mark.parametrize("seed", range(6))
def test_best_tiers_and_ranks_hold_for_every_labeling(seed: int) -> None:
    """By brute force, these topics only, all labels gold: nobody may be best, or have a rank, that is ruled out."""
    runs, judged, holes = small(seed, 6, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = tg.Study(runs, judged, "P(rel=1)@6", population="fixed", gold=tg.Gold(judged, design="random"))
        ranking, naive = (
            study.best(),
            tg.Study(
                runs,
                judged,
                "P(rel=1)@6",
                population="fixed",
                gold=tg.Gold(judged, design="random"),
                unjudged="non-relevant",
            ).best(),
        )
        pairs = study.compare()
    assert ranking.ahead is not None
    assert naive.ahead is not None
    assert not (ranking.ahead & ~naive.ahead[np.ix_(*[[naive.systems.index(s) for s in ranking.systems]] * 2)]).any()
    for labels in itertools.product((0, 1), repeat=len(holes)):
        full = filled(judged, holes, labels)
        value = {s: np.mean([[full[t].get(d, 0) >= 1 for d in runs[s][t]] for t in full]) for s in SYSTEMS}
        assert set(ranking.best) >= {s for s in SYSTEMS if value[s] > max(value.values()) - 1e-9}
        for i, s in enumerate(ranking.systems):
            better = sum(v > value[s] + 1e-9 for v in value.values())
            worse = sum(v < value[s] - 1e-9 for v in value.values())
            assert ranking.low[i] <= 1 + better
            assert ranking.high[i] >= 4 - worse
            for j in np.flatnonzero(ranking.ahead[i]):
                assert value[s] > value[ranking.systems[j]]
        for c in pairs:
            assert c.low is not None
            assert c.high is not None
            assert c.low - 1e-9 <= value[c.b] - value[c.a] <= c.high + 1e-9


def newcomer(rng: np.random.Generator) -> tuple[dict[str, dict[str, dict[str, float]]], Labels]:
    """25 topics: new shows unjudged documents on a third of them, all relevant in truth, and so is as good as old.

    Of ten documents old has 4 or 5 relevant ones; new 2 or 3, and 6 relevant holes on one topic of three.
    """
    runs: dict[str, dict[str, dict[str, float]]] = {"old": {}, "new": {}}
    judged: Labels = {}
    for t in map(str, range(25)):
        own = {f"o{i}": int(i < rng.integers(4, 6)) for i in range(10)}
        held = rng.random() < 1 / 3
        theirs = {f"n{i}": int(i < rng.integers(2, 4)) for i in range(4 if held else 10)}
        judged[t] = own | theirs | {"seen": 1}
        runs["old"][t] = dict.fromkeys(own, 1.0)
        runs["new"][t] = dict.fromkeys([*theirs, *(f"h{i}" for i in range(6 if held else 0))], 1.0)
    return runs, judged


@pytest.mark.slow
def test_holes_on_few_topics_make_the_worst_case_less_sure() -> None:
    """Guards the error of a verdict, of best and of compare where all holes are relevant and the two equally good.

    By the standard error of labels alone old was better in about 3 of 10 studies; that of the worst case keeps 2.5%.
    """
    told = {"verdict": 0, "best": 0, "compare": 0}
    rng = np.random.default_rng(13)
    for _ in range(50):
        runs, judged = newcomer(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            study = tg.Study(runs, judged, "P@10")
            told["verdict"] += study.verdict("new", "old").outcome == "better"
            told["best"] += study.best().best == ("old",)
            low = study.compare("new", "old")[0].low
        assert low is not None
        told["compare"] += low > 0
    assert max(told.values()) <= 6, told


def test_the_best_the_verdict_and_the_differences_of_one_study_agree() -> None:
    """Guards the sentence, the notes and p: what holes could lift may be best, and no p says otherwise."""
    runs, judged = newcomer(np.random.default_rng(1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study, zero = (tg.Study(runs, judged, "P@10", unjudged=h) for h in ("bound", "non-relevant"))
        assert study.verdict("new", "old").outcome == "inconclusive"
        assert study.best().sentence == (
            "Either system may be best on P@10: the two do not differ significantly (95% confidence), because unjudged "
            "documents may be relevant."
        )
        assert study.best().notes[-1] == "If unjudged documents count as not relevant, only old may be best."
        assert zero.best().sentence.endswith("95% confidence); unjudged documents count as not relevant.")
        one, other = study.compare("new", "old"), zero.compare("new", "old")
        assert [c.p_shown for c in study.compare()] == [one[0].p]
        for of in (study, zero):  # one name for each of the two: by labels, and whatever holes are
            found = of.verdict("new", "old")
            assert found.with_unjudged == of.compare("new", "old")[0]
            assert found.comparison == zero.compare("new", "old")[0]
            assert found.to_dict()["with_unjudged"] == {
                k: getattr(found.with_unjudged, k) for k in ("low", "high", "p")
            }
    assert one[0].test == "t, all sources and unjudged documents"
    assert one[0].p is not None
    assert one[0].p > 0.05
    assert other[0].p is not None
    assert other[0].p < 1e-3
    assert "are unjudged: low, high and p hold whatever their labels" in one.notes[-1]
    assert "and count as not relevant here" in other.notes[-1]


@pytest.mark.parametrize(
    ("documents", "aim", "n", "enough"),
    [
        (60, 0.0, 15, None),  # a quarter
        (61, 0.0, 16, None),
        (30, 0.0, 10, None),  # and no fewer than 10
        (7, 0.0, 7, None),
        (60, 0.05, 23, True),
        (60, 0.09, 10, True),  # fewer would do, and tell little
        (7, 0.09, 7, True),
        (60, 0.0347, 60, True),
        (60, 0.0346, 60, False),
        (60, 0.02, 60, False),
    ],
)
def test_a_sample_of_the_unjudged_is_as_large_as_it_must_be(
    documents: int, aim: float, n: int, enough: bool | None
) -> None:
    """Guards how many of the unjudged documents to judge, and the width then: V + N/n times the spread of labels."""
    variance, quantile, spread = 1e-4, 2.0, 0.0002
    none = np.zeros(20)
    hidden = PairBounds(none, none, documents, 20, np.zeros(documents), np.zeros(documents), spread)
    step = sample_step(hidden, variance, quantile, aim, price=0.7)
    assert step is not None
    wide = [2.0 * np.sqrt(1e-4 + documents / k * 2e-4) for k in range(1, documents + 1)]
    if enough and n > min(10, documents):
        assert wide[n - 1] <= aim < wide[n - 2]  # no fewer do
    assert (step.what, step.factor, step.have, step.more, step.enough) == ("unjudged", 1.0, 0, n, enough)
    assert step.half == pytest.approx(wide[n - 1])
    assert step.cost == pytest.approx(0.7 * n)
    some = f"all {documents}" if n == documents else f"a random {n} of the {documents}"
    assert step.phrase == f"labels of {some} unjudged documents (not enough alone to decide)"
    unpriced = sample_step(hidden, variance, quantile, aim)
    assert unpriced is not None
    assert unpriced.cost is None
    assert sample_step(PairBounds(none, none, documents, 20, spread=spread), variance, quantile, aim) is None


def test_bounds_of_a_pair_need_every_topic_of_both() -> None:
    """Guards the refusal: a topic that one system lacks is no difference of 0."""
    runs, judged, _ = small(3, 3, 4)
    del runs["b"]["2"]
    with pytest.warns(match="lacks judged topics"):
        ranked = keyed({s: runs[s] for s in "ab"}, judged, "P@3")
    with pytest.raises(TruegainError, match="a system lacks a topic"):
        pair_bounds_of(ranked, parse_measure("P@3"))
