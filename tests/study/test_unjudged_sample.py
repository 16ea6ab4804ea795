"""A random sample of the unjudged documents represents the others; without one they are a bound."""

from __future__ import annotations

import re
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from benchmarks.study.holes import AS_ZERO, newcomer, newcomer_fixed, pooled
from benchmarks.study.judged import labels_of, names_of, runs_of
from benchmarks.study.nature import Lists, any_kinds

import truegain as tg
from tests.flat import flat_study
from tests.study.test_coverage import cells_of
from tests.worlds import there
from truegain.errors import TruegainError
from truegain.pooling.samples import draw_unjudged
from truegain.stats.contrasts import Contrasts

Labels = dict[str, dict[str, int]]
Runs = dict[str, dict[str, dict[str, float]]]
TOPICS, DEPTH = 12, 5


def world() -> tuple[Runs, Labels, Labels]:
    """Three systems, graded labels of what `old` and `other` have in their first five, and those of the holes."""
    rng = np.random.default_rng(41)
    runs: Runs = {"old": {}, "new": {}, "other": {}}
    judged: Labels = {}
    holes: Labels = {}
    for t in (f"t{i:02}" for i in range(TOPICS)):
        label = {f"d{i:02}": int(x) for i, x in enumerate(rng.integers(0, 3, 14))}
        for system in runs:
            noise = rng.normal(size=14)
            runs[system][t] = {d: float(x + 0.4 * g) for (d, g), x in zip(label.items(), noise, strict=True)}
        tops = {s: sorted(runs[s][t], key=lambda d: -runs[s][t][d])[:DEPTH] for s in runs}
        judged[t] = {d: label[d] for s in ("old", "other") for d in tops[s]}
        holes[t] = {d: label[d] for d in tops["new"] if d not in judged[t]}
    return runs, judged, holes


def drawn(holes: Labels, share: float, seed: int = 1) -> Labels:
    """A random share of the holes."""
    pairs = [(t, d) for t, row in holes.items() for d in row]
    chosen = np.random.default_rng(seed).permutation(len(pairs))[: round(share * len(pairs))]
    out: Labels = {}
    for t, d in (pairs[i] for i in sorted(chosen.tolist())):
        out.setdefault(t, {})[d] = holes[t][d]
    return out


@pytest.mark.parametrize("measure", ["P@5", "DCG@5", "P(rel=2)@5", "RBP(p=0.8)@5"])
def test_all_holes_judged_is_the_study_of_all_labels(measure: str) -> None:
    """Guards that judged documents count as they are, sampled ones as labeled: scores and limits to the digit."""
    runs, judged, holes = world()
    both = {t: judged[t] | holes[t] for t in judged}
    whole, by_holes = tg.Study(runs, both, measure), tg.Study(runs, judged, measure, unjudged=holes)
    assert by_holes.variance_model().estimator.value == pytest.approx(whole.variance_model().estimator.value, abs=1e-12)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        names = whole.systems[a], whole.systems[b]
        one, other = (s.compare(*names)[0] for s in (whole, by_holes))
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-12)


def by_hand(measure: str, runs: Runs, judged: Labels, holes: Labels, sample: Labels, topics: list[str]) -> float:
    """The score of `new` over some topics, P@5 or DCG@5, by loops: the ratio estimate of its holes."""
    weights = [0.2] * DEPTH if measure == "P@5" else [1 / np.log2(r + 1) for r in range(1, DEPTH + 1)]

    def worth(label: int) -> float:
        return float(label >= 1) if measure == "P@5" else float(label)

    def others(topic: str) -> float:
        """The prediction: mean worth of the sampled holes of other topics."""
        known = [worth(g) for t in topics if t != topic for g in sample.get(t, {}).values()]
        return (sum(known) + sum(known) / len(known)) / (len(known) + 1)

    total = predicted = error = drawn_weight = all_weight = 0.0
    for t in topics:
        top = sorted(runs["new"][t], key=lambda d: -runs["new"][t][d])[:DEPTH]
        for d, w in zip(top, weights, strict=True):
            if d in judged[t]:
                total += w * worth(judged[t][d])
                continue
            predicted += w * others(t)
            all_weight += w
            if d in sample.get(t, {}):
                error += w * (worth(sample[t][d]) - others(t))
                drawn_weight += w
    assert all(holes[t].keys().isdisjoint(judged[t]) for t in topics)
    return (total + predicted + all_weight * error / drawn_weight) / len(topics)


@pytest.mark.parametrize("measure", ["P@5", "DCG@5"])
def test_score_and_moves_are_those_written_out(measure: str) -> None:
    """Guards the estimator against one by loops: the score, and what it is without each topic."""
    runs, judged, holes = world()
    sample = drawn(holes, 0.5)
    study = tg.Study(runs, judged, measure, unjudged=sample)
    estimator, names = study.variance_model().estimator, sorted(judged)
    assert estimator.value[1] == pytest.approx(by_hand(measure, runs, judged, holes, sample, names), abs=1e-12)
    without = estimator.by_topic().without
    assert without is not None
    left = [by_hand(measure, runs, judged, holes, sample, [t for t in names if t != out]) for out in names]
    assert without[:, 1] == pytest.approx(left, abs=1e-12)
    assert estimator.contributions().mean(axis=0) == pytest.approx(estimator.value, abs=1e-12)
    pairs = np.array([[out not in (names[0], names[2 + k]) for out in names] for k in range(3)], np.float64)
    of_pairs = [by_hand(measure, runs, judged, holes, sample, [t for t, x in zip(names, row, strict=True) if x])
                for row in pairs]  # fmt: skip
    on = estimator.values_on(pairs)
    assert on is not None
    assert on[:, 1] == pytest.approx(of_pairs, abs=1e-12), "as clusters are left out, several topics at once"


def test_a_pair_without_holes_is_that_of_the_labels() -> None:
    """Guards that a sample of another system's holes changes nothing: the paired t test, to the digit."""
    runs, judged, holes = world()
    plain = tg.Study(runs, judged, "P@5").compare("old", "other")[0]
    other = tg.Study(runs, judged, "P@5", unjudged=drawn(holes, 0.5)).compare("old", "other")[0]
    assert (other.difference, other.low, other.high) == pytest.approx((plain.difference, plain.low, plain.high))


def test_holes_are_a_source_of_their_own() -> None:
    """Guards shares, most_influential labels, words, steps: all there is with topics fixed, and 0 at the end."""
    runs, judged, holes = world()
    sample = drawn(holes, 0.6)
    n, total = (sum(map(len, x.values())) for x in (sample, holes))
    study = tg.Study(runs, judged, "P@5", unjudged=sample)
    verdict = study.verdict("old", "new")
    assert f"by a random sample of {n} of the {total} unjudged documents" in verdict.sentence
    assert "unjudged documents that" not in str(verdict)
    assert "not relevant" not in str(study.best())
    assert set(study.shares("old", "new")) == {"topics", "unjudged"}
    unit, _ = study.influential("old", "new")["unjudged"][0]
    topic, doc = unit.split()
    assert doc in sample[topic]
    assert any("sampled unjudged document" in str(step) for step in study.next_steps("old", "new"))
    fixed = tg.Study(runs, judged, "P@5", population=[], unjudged=sample)
    assert fixed.shares("old", "new") == {"unjudged": 1.0}
    contrasts = Contrasts.of([(0, 1)])
    moves = fixed.variance_model().estimator.by_gold()
    assert moves is not None
    label_counts = fixed.variance_model().estimator.labels_for_rule(contrasts)
    assert label_counts is not None
    assert (
        fixed.variance_model().variance(contrasts).value
        >= moves.variance(contrasts).value * label_counts / (label_counts - 1) - 1e-15
    )
    all_known = tg.Study(runs, judged, "P@5", population=[], unjudged=holes)
    assert all_known.variance_model().variance(contrasts).value[0] == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"measures": "nDCG@5"}, "nDCG@5 is not linear in gain"),
        ({"measures": ["P@5", "AP"]}, "AP is not linear in gain"),
        ({"gold": {"t00": {"d00": 1}}, "design": "random"}, "unjudged and gold: a sample of the unjudged documents"),
        ({"aggregate": "mean"}, "unjudged and ratings"),
        ({"population": ["topics", "collection"]}, "unjudged and population 'collection'"),
        ({"unjudged": "non-relevant"}, "unjudged='non-relevant': a sample already"),
        ({"unjudged_sample": {"t00": {"nowhere": 1}}}, r"1 of 1 labels are not of unjudged documents .*t00 nowhere"),
        ({"unjudged_sample": "judged"}, r"(\d+) of \1 labels are not of unjudged documents"),
        ({"unjudged_sample": "few"}, "3 labels are; at least 10"),
        ({"unjudged_sample": "below"}, "has a label below 0"),
        ({"measures": "P@2", "unjudged_sample": "sample"}, "that P@2 counts in these runs"),
    ],
)  # fmt: skip
def test_what_is_refused(given: dict[str, object], said: str) -> None:
    """Guards refusals: each names what is wrong."""
    runs, judged, holes = world()
    samples = {"sample": drawn(holes, 0.5), "few": drawn(holes, 3 / sum(map(len, holes.values())))}
    samples["below"] = {t: dict.fromkeys(row, -1) for t, row in samples["sample"].items()}
    samples["judged"] = judged  # of the runs, but not unjudged
    asked: dict[str, object] = {"measures": "P@5", "unjudged_sample": "sample"} | given
    name = asked["unjudged_sample"]
    asked["unjudged_sample"] = samples[name] if isinstance(name, str) else name
    with pytest.raises(TruegainError, match=said):
        flat_study(runs, judged, asked.pop("measures"), **asked)


def test_a_difference_is_settled_where_both_lists_are() -> None:
    """Guards what the sample leaves open: of one list it is open, whichever of the two it is."""
    runs, judged, holes = world()
    runs["rare"] = {t: row | ({"x": 99.0} if t < "t04" else {}) for t, row in runs["new"].items()}  # x is not sampled
    study = tg.Study(runs, judged, "P@5", unjudged=holes)
    estimator, whole, part = study.variance_model().estimator, study.systems.index("new"), study.systems.index("rare")
    pairs = Contrasts.of([(None, whole), (None, part), (whole, part), (part, whole), (part, part)])
    assert estimator._settled(pairs).tolist() == [True, False, False, False, True]  # type: ignore[attr-defined]


def test_few_sampled_labels_of_a_pair_give_no_interval() -> None:
    """Guards LEAST_GOLD: a system with one sampled hole of four has no interval, and the reason is said."""
    runs, judged, holes = world()
    runs["rare"] = {t: row | ({"x": 99.0} if t < "t04" else {}) for t, row in runs["old"].items()}
    sample = drawn(holes, 0.5)
    sample.setdefault("t00", {})["x"] = 1
    study = tg.Study(runs, judged, "P@5", unjudged=sample)
    with pytest.warns(tg.DataWarning, match="fewer than 10 sampled documents represent .* rare"):
        refused = study.compare("old", "rare")[0]
    assert refused.low is None
    assert refused.notes[0].startswith("only 1 label of the sample affects it; at least 10 are needed")
    assert study.compare("old", "new")[0].low is not None
    del sample["t00"]["x"]
    lacking = tg.Study(runs, judged, "P@5", unjudged=sample)
    with pytest.warns(tg.DataWarning, match="these scores have no interval"):
        score = next(e for e in lacking.estimates() if e.system == "rare")
    assert score.notes[0].startswith("no label of the sample affects it")
    assert lacking.compare("old", "new")[0].low is not None


@pytest.mark.slow
def test_a_sample_covers_where_zeros_never_do() -> None:
    """Guards the point of it: an equal newcomer, 37% holes, is always called worse by zeros, and not by a sample."""
    cells = cells_of(partial(newcomer, topics=50, share=0.25), 12, 42)
    for contrast in ("score", "null", "real"):
        assert cells[f"P@10, {contrast}"].inside >= 0.75
        assert cells[f"P@10, {contrast}, {AS_ZERO}"].inside == 0
    assert cells[f"P@10, null, {AS_ZERO}"].worse == 1
    assert cells["P@10, null"].worse <= 0.2


@pytest.mark.slow
def test_these_topics_only() -> None:
    """Guards 1 - f: other samples of the same holes, V within .4 and 2.5 times the true one."""
    cells = cells_of(partial(newcomer_fixed, topics=25, share=0.25), 16, 43)
    for contrast in ("score", "null", "real"):
        assert cells[f"P@10, {contrast}"].inside >= 0.8
        assert 0.4 < cells[f"P@10, {contrast}"].ratio < 2.5


@pytest.mark.parametrize("measure", ["P@3", "DCG@3"])
def test_fewest_documents_that_undo_a_margin_by_trying_all(measure: str) -> None:
    """Guards `documents_to_undo`: scored anew with the highest label, no smaller set of holes does it."""
    rng = np.random.default_rng(44)
    docs = [f"d{i}" for i in range(6)]
    runs = {s: {t: dict(zip(docs, rng.permutation(6).astype(float), strict=True)) for t in "123"} for s in "ab"}
    judged = {t: {d: int(rng.integers(0, 3)) for d in docs[:3]} for t in "123"}
    for row in judged.values():
        row["d0"] = 2  # so that no topic is without
    with pytest.warns(tg.DataWarning):
        study = tg.Study(runs, judged, measure)
    hidden, _ = study._unjudged.of_pair(study.measures[0], study._pair("a", "b"))
    assert hidden is not None
    assert hidden.falls is not None
    assert hidden.rises is not None
    assert hidden.falls.sum() == pytest.approx(-hidden.least)
    assert hidden.rises.sum() == pytest.approx(hidden.most)

    def difference(found: tuple[tuple[str, str], ...]) -> float:
        labels = {t: dict(row) for t, row in judged.items()}
        for t, d in found:
            labels[t][d] = 2
        scores = tg.evaluate(runs, labels, measure)
        return there(scores.mean("b")) - there(scores.mean("a"))

    holes = [(t, d) for t in "123" for d in docs[3:]]
    start, fewest = difference(()), hidden.documents_to_undo(0.6 * -hidden.least)
    aim = start + 0.6 * hidden.least + 1e-12
    assert fewest == next(k for k in range(1, 10) if min(map(difference, combinations(holes, k))) <= aim)
    assert hidden.documents_to_undo(1.1 * -hidden.least) is None


def test_judging_a_sample_is_offered_where_holes_alone_hold_back() -> None:
    """Guards the step: offered, priced as gold labels, near the width that comes; not where it would not help."""
    rng = np.random.default_rng(45)
    lists = Lists.draw(any_kinds(50, rng), rng)
    names, judged = names_of(lists), pooled(lists)
    runs = {s: run for s, run in runs_of(lists, names).items() if s != "c"}
    labels = labels_of(lists.right, names, judged)
    verdict = tg.Study(runs, labels, "P@10").verdict("a", "b", costs="gold=2")
    first = verdict.steps[0]
    assert re.search(r"could add up to 0.\d+.*; as few as \d+ relevant ones would change the verdict", verdict.sentence)
    assert str(first).startswith(f"labels of a random {first.more} of the ")
    assert first.cost == 2 * first.more
    at = np.flatnonzero((lists.rank[1] < 10) & ~judged)
    kept = np.isin(np.arange(judged.size), rng.choice(at, first.more, replace=False)).reshape(judged.shape)
    then = tg.Study(runs, labels, "P@10", unjudged=labels_of(lists.right, names, kept)).compare("a", "b")[0]
    assert then.low is not None
    assert then.high is not None
    assert 0.8 < first.half / ((then.high - then.low) / 2) < 1.25
    for other in ({"unjudged": "non-relevant"}, {"population": ["topics", "collection"]}):
        steps = flat_study(runs, labels, "P@10", **other).next_steps("a", "b")
        assert all(step.what != "unjudged" for step in steps)


@pytest.mark.slow
def test_the_sample_that_is_drawn_is_one_of_the_holes() -> None:
    """Guards `draw_unjudged`: every hole as likely as another, larger samples hold smaller ones, any order of runs."""
    runs, judged, holes = world()
    there = {(t, d) for t, row in holes.items() for d in row}
    times = dict.fromkeys(there, 0)
    for seed in range(200):
        rows = [(str(t), str(d)) for t, d, _ in draw_unjudged(runs, judged, "P@5", share=0.5, seed=seed).rows]
        assert len(rows) == -(-len(there) // 2)
        for name in rows:
            times[name] += 1
    assert all(70 <= n <= 130 for n in times.values())  # 100 +- 4.2 standard deviations
    few, many = (draw_unjudged(runs, judged, "P@5", most=n, seed=3).rows for n in (12, 20))
    assert set(few) < set(many)
    turned = dict(reversed(list(runs.items())))
    assert draw_unjudged(turned, judged, "P@5", most=12, seed=3).rows == few
    with pytest.raises(TruegainError, match="nDCG@5 is not linear in gain"):
        draw_unjudged(runs, judged, "nDCG@5")
    sample: Labels = {}
    for t, d in ((str(t), str(d)) for t, d, _ in many):
        sample.setdefault(t, {})[d] = holes[t][d]
    assert tg.Study(runs, judged, "P@5", unjudged=sample).compare("old", "new")[0].low is not None


def test_a_measure_without_ends_is_held_back_by_unjudged_first_documents() -> None:
    """Guards utility, which no label bounds: no estimate where first documents are unjudged, and one where none is."""
    runs, judged, holes = world()
    open_ = tg.Study(runs, judged, "utility").estimates()
    assert all("Utility has no smallest or no largest value" in str(e.notes) for e in open_)
    retrieved = {t: {d: 0 for lists in runs.values() for d in lists[t]} for t in judged}
    whole = tg.Study(runs, {t: retrieved[t] | judged[t] | holes[t] for t in judged}, "utility").estimates()
    assert all(e.low is not None and not e.notes for e in whole)
