"""Predictions of unjudged documents, corrected by a sample drawn in proportion to their uncertainty."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.spending.fill import MEASURE, Seen, _newcomer
from scipy import stats

import truegain as tg
from tests.flat import flat_study
from tests.study.test_unjudged_sample import Labels, Runs, drawn, world
from truegain.config import Scoring
from truegain.data.label_list_reading import read_gold_list
from truegain.data.label_lists import GoldList
from truegain.errors import InputError, TruegainError
from truegain.measures.catalogue import parse_measure
from truegain.pooling import samples
from truegain.pooling.prediction import Prediction
from truegain.stats.contrasts import Contrasts
from truegain.study.gold_lists import ByList
from truegain.study.unjudged_sample import tenths_of


def labeled(listed: GoldList, holes: Labels, first: int | None = None) -> GoldList:
    """The list with the labels of its first rows."""
    label = np.full(len(listed), np.nan)
    for i in range(len(listed) if first is None else first):
        label[i] = holes[listed.topics[i]][listed.docs[i]]
    return listed.with_labels(label)


@pytest.mark.parametrize("measure", ["P@5", "DCG@5", "P(rel=2)@5", "RBP(p=0.8)@5"])
def test_all_holes_judged_is_the_study_of_all_labels(measure: str) -> None:
    """Guards that a list judged to its end leaves nothing of the predictions: scores and limits to the digit."""
    runs, judged, holes = world()
    whole = tg.Study(runs, {t: judged[t] | holes[t] for t in judged}, measure)
    sample = labeled(tg.sample_unjudged(runs, judged, measure), holes)
    ours = tg.Study(runs, judged, measure, unjudged=tg.UnjudgedSample(sample, predicted=True))
    assert ours.variance_model().estimator.value == pytest.approx(whole.variance_model().estimator.value, abs=1e-12)
    for a, b in (("old", "new"), ("old", "other"), ("other", "new")):
        one, other = (s.compare(a, b)[0] for s in (whole, ours))
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-12)
    fixed = tg.Study(runs, judged, measure, population="fixed", unjudged=sample).compare("old", "new")[0]
    assert fixed.low == fixed.high == pytest.approx(whole.compare("old", "new")[0].difference, abs=1e-12)


def test_no_document_is_much_smaller_than_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the least size: what is predicted for sure may be wrong, and is drawn too."""
    runs, judged, _ = world()

    def sizes(least: float) -> dict[tuple[str, str], float]:
        monkeypatch.setattr(samples, "LEAST_SIZE", least)
        listed = tg.sample_unjudged(runs, judged, "P@5")
        return {(t, d): float(size) for t, d, size in zip(listed.topics, listed.docs, listed.size, strict=True)}

    plain, raised = sizes(0.0), sizes(0.9)
    least = 0.9 * float(np.mean([*plain.values()]))
    assert 0 < sum(size < least for size in plain.values()) < len(plain)
    wanted = {pair: max(size, least) for pair, size in plain.items()}
    assert raised == pytest.approx({pair: size / sum(wanted.values()) for pair, size in wanted.items()})


def by_hand(runs: Runs, judged: Labels, sample: GoldList, a: str, b: str) -> dict[str, float]:
    """DCG@5 of b - a by loops over rows, topics and ranks: value, variance over holes and over topics."""
    topics, n, sizes = sorted(judged), sample.judged, sample.size.tolist()
    weight = [1 / np.log2(r + 1) for r in range(1, 6)]

    def counts(t: str, d: str) -> float:
        out = 0.0
        for system, sign in ((b, 1), (a, -1)):
            top = sorted(runs[system][t], key=lambda x: -runs[system][t][x])[:5]
            out += sign * weight[top.index(d)] if d in top else 0.0
        return out

    left = [sum(sizes[i:]) for i in range(n)]
    q, worth = [sizes[i] / left[i] for i in range(n)], [(left[0] / left[i]) ** 2 for i in range(n)]
    share = [x / sum(worth) for x in worth]
    k = [share[i] / q[i] + sum(share[i + 1 :]) for i in range(n)]
    e = [x / (sum(k) / n) for x in k]
    stratum = tenths_of(sample.bronze).tolist()

    def m(topic: str, s: int) -> float:
        other = [i for i in range(n) if sample.topics[i] != topic]
        mine = [i for i in other if stratum[i] == s]
        overall = (sum(e[i] * sample.label[i] for i in other) + 1.0) / (sum(e[i] for i in other) + 1)  # labels 0 to 2
        return float((sum(e[i] * sample.label[i] for i in mine) + overall) / (sum(e[i] for i in mine) + 1))

    z = {t: sum(counts(t, d) * g for d, g in judged[t].items()) for t in topics}
    pull = []
    for i, (t, d) in enumerate(zip(sample.topics, sample.docs, strict=True)):
        w = counts(t, d)
        z[t] += w * m(t, stratum[i])
        if i < n:
            pull.append(w * (sample.label[i] - m(t, stratum[i])))
            z[t] += k[i] * pull[i]
    x = [(sum(pull[:i]) + pull[i] / q[i]) / len(topics) for i in range(n)]
    mean = sum(s * v for s, v in zip(share, x, strict=True))
    seen = sum(w * (v - mean) ** 2 for w, v in zip(worth, x, strict=True)) / (n - 1) / sum(worth)
    floor = 0.0
    for i, (t, d) in enumerate(zip(sample.topics, sample.docs, strict=True)):
        mine = [j for j in range(n) if stratum[j] == stratum[i]]
        total = sum(e[j] for j in mine) + 1
        first = (sum(e[j] * sample.label[j] for j in mine) + 0.5 * 2) / total
        second = (sum(e[j] * sample.label[j] ** 2 for j in mine) + 0.5 * 4) / total
        floor += (counts(t, d) / len(topics)) ** 2 * (second - first**2) / sizes[i]
    gold = max(seen, sum(sizes) * floor / sum(worth))
    values = np.array([z[t] for t in topics])
    return {"value": float(values.mean()), "holes": gold, "topics": max(gold, float(values.var(ddof=1) / len(topics)))}


@pytest.mark.parametrize("pair", [("old", "new"), ("other", "new")])
def test_score_and_variances_are_those_written_out(pair: tuple[str, str]) -> None:
    """Guards the estimator and both variances against loops: what each label stands for, m, floor, topics."""
    runs, judged, holes = world()
    listed = tg.sample_unjudged(runs, judged, "DCG@5", seed=5)
    sample = labeled(listed, holes, 18)
    assert len(listed) > 20
    due = by_hand(runs, judged, sample, *pair)
    estimator = tg.Study(runs, judged, "DCG@5", unjudged=sample).variance_model().estimator
    assert isinstance(estimator, ByList)
    systems = list(runs)
    contrasts = Contrasts.of([(systems.index(pair[0]), systems.index(pair[1]))])
    assert contrasts.values(estimator.value)[0] == pytest.approx(due["value"], abs=1e-12)
    assert estimator.over_gold(contrasts).value[0] == pytest.approx(due["holes"], abs=1e-12)
    assert estimator.over_topics(contrasts).value[0] == pytest.approx(due["topics"], abs=1e-12)
    assert estimator.contributions().mean(axis=0) == pytest.approx(estimator.value, abs=1e-12)


def test_sizes_are_those_written_out() -> None:
    """Guards size = max(u s, .2 mean): the root mean square of weights, the sd of the predicted label, the floor."""
    runs, judged, holes = world()
    listed = tg.sample_unjudged(runs, judged, "DCG@5")
    assert set(zip(listed.topics, listed.docs, strict=True)) == {(t, d) for t, row in holes.items() for d in row}
    made = Prediction.of(runs, judged, parse_measure("DCG@5"), Scoring())
    pool, chances = made.filled.ranked.pool, made.chances(parse_measure("DCG@5"))
    docs = pool.docs.strings()
    chance = {(pool.topics[pool.topic[i]], docs[i]): chances.chance[i] for i in range(len(docs))}
    raw, mean = [], []
    for t, d in zip(listed.topics, listed.docs, strict=True):
        p = [1 - chance[t, d][0], chance[t, d][0] - chance[t, d][1], chance[t, d][1]]
        tops = [sorted(run[t], key=lambda x: -run[t][x])[:5] for run in runs.values()]
        u = np.sqrt(sum((1 / np.log2(top.index(d) + 2)) ** 2 for top in tops if d in top) / 3)
        mean.append(p[1] + 2 * p[2])
        raw.append(u * np.sqrt(p[1] + 4 * p[2] - mean[-1] ** 2))
    due = np.maximum(raw, 0.2 * np.mean(raw))
    assert listed.size == pytest.approx(due / due.sum(), rel=1e-8)
    assert listed.bronze == pytest.approx(mean, abs=5.1e-5)


def test_the_first_comes_in_proportion_to_size() -> None:
    """Guards the draw: how often each document comes first over 600 seeds (chi-square), and any order of runs."""
    runs, judged, _ = world()
    listed, first = tg.sample_unjudged(runs, judged, "P@5"), Counter[str]()
    size = dict(zip(zip(listed.topics, listed.docs, strict=True), listed.size.tolist(), strict=True))
    for seed in range(600):
        listed = listed_again(listed, seed)
        first[f"{listed.topics[0]} {listed.docs[0]}"] += 1
    seen = np.array([first[f"{t} {d}"] for t, d in size])
    due = 600 * np.array(list(size.values()))
    assert stats.chi2.sf(((seen - due) ** 2 / due).sum(), len(due) - 1) > 0.001
    turned = dict(reversed(list(runs.items())))
    assert (
        tg.sample_unjudged(turned, judged, "P@5", seed=3).docs == tg.sample_unjudged(runs, judged, "P@5", seed=3).docs
    )


def listed_again(listed: GoldList, seed: int) -> GoldList:
    """The same sizes in another drawn order: what `sample_unjudged` does after predicting."""
    from truegain.sampling.gold import drawn_order

    names = [f"{t}\0{d}" for t, d in zip(listed.topics, listed.docs, strict=True)]
    order = drawn_order(listed.size, names, seed).tolist()
    return GoldList.of(
        [listed.topics[i] for i in order], [listed.docs[i] for i in order], listed.bronze[order], listed.size[order],
        listed.design, listed.measure, listed.scale,
    )  # fmt: skip


def test_a_file_is_the_list(tmp_path: Path) -> None:
    """Guards the one format: written, filled in, read back, the answers are the same; `fill` may be left out."""
    runs, judged, holes = world()
    listed = tg.sample_unjudged(runs, judged, "P@5")
    listed.write(tmp_path / "sample.csv")
    again = read_gold_list(tmp_path / "sample.csv")
    assert (again.digest, again.design) == (listed.digest, "unjudged")
    labeled(again, holes, 15).write(tmp_path / "judged.csv")
    one = tg.Study(runs, judged, "P@5", unjudged=str(tmp_path / "judged.csv")).compare("old", "new")[0]
    other = tg.Study(runs, judged, "P@5", unjudged=tg.UnjudgedSample(labeled(listed, holes, 15), predicted=True))
    same = other.compare("old", "new")[0]
    assert (one.difference, one.low, one.high) == pytest.approx((same.difference, same.low, same.high))
    assert f"by a random sample of 15 of the {len(listed)} unjudged documents" in other.population
    assert other.provenance["unjudged_sample"] == 15


def test_systems_without_holes_are_scored_as_ever() -> None:
    """Guards what a sample leaves alone: the paired t test over topics, and exact scores for these topics."""
    runs, judged, holes = world()
    sample = labeled(tg.sample_unjudged(runs, judged, "P@5"), holes, 15)
    plain = tg.Study(runs, judged, "P@5").compare("old", "other")[0]
    other = tg.Study(runs, judged, "P@5", unjudged=sample).compare("old", "other")[0]
    assert (other.difference, other.low, other.high) == pytest.approx((plain.difference, plain.low, plain.high))
    fixed = {e.system: e for e in tg.Study(runs, judged, "P@5", population="fixed", unjudged=sample).estimates()}
    assert fixed["old"].low == fixed["old"].value == fixed["old"].high == pytest.approx(plain.value_a)
    assert fixed["new"].low is not None
    assert fixed["new"].low < fixed["new"].value
    equal = tg.Study(runs, judged, "P@5", population="fixed", unjudged=drawn(holes, 0.5)).estimates()
    assert [e.value for e in equal if e.system == "old"] == pytest.approx([plain.value_a])


def test_some_of_the_runs_may_be_asked_about() -> None:
    """Guards a list drawn for more systems: rows of others are passed over, as if it had been drawn for these alone."""
    runs, judged, holes = world()
    two = {s: runs[s] for s in ("old", "new")}
    runs = runs | {"late": {t: {f"x{t}": 99.0} | row for t, row in runs["old"].items()}}
    holes = {t: row | {f"x{t}": int(t[1:]) % 2} for t, row in holes.items()}
    listed = tg.sample_unjudged(runs, judged, "P@5", seed=2)
    own = [i for i, d in enumerate(listed.docs) if not d.startswith("x")]
    alone = GoldList.of(
        [listed.topics[i] for i in own], [listed.docs[i] for i in own], listed.bronze[own], listed.size[own],
        "unjudged", "P@5", listed.scale,
    )  # fmt: skip
    tenth = int(np.flatnonzero(np.cumsum([not d.startswith("x") for d in listed.docs]) == 15)[0]) + 1
    found = []
    for sample, first in ((listed, tenth), (alone, 15)):
        study = tg.Study(two, judged, "P@5", population="fixed", unjudged=labeled(sample, holes, first))
        assert f"a random sample of 15 of the {len(own)} unjudged" in study.population
        found.append(study.compare("old", "new")[0])
    assert found[0].difference == pytest.approx(found[1].difference, abs=0.02)  # tenths of other predictions
    every = tg.Study(two, judged, "P@5", population="fixed", unjudged=labeled(listed, holes, own[-1] + 1))
    exact = every.compare("old", "new")[0]
    assert exact.low == exact.high == exact.difference


def test_a_list_for_a_pair_tells_that_pair() -> None:
    """Guards `pair`: what differs alone is on it, another pair or a score has no interval, and the reason is said."""
    runs, judged, holes = world()
    runs = runs | {"late": {t: {f"x{t}": 99.0} | row for t, row in runs["new"].items()}}
    holes = {t: row | {f"x{t}": int(t[1:]) % 2} for t, row in holes.items()}
    listed = tg.sample_unjudged(runs, judged, "P@5", pair=("old", "new"))
    assert not any(d.startswith("x") for d in listed.docs)
    study = tg.Study(runs, judged, "P@5", unjudged=labeled(listed, holes, 20))
    assert study.compare("old", "new")[0].low is not None
    refused = study.compare("old", "late")[0]
    assert refused.low is None
    assert "are not in the sample of unjudged documents: it was sampled for other runs" in refused.notes[0]
    for pair, said in ((("old", "none"), "pair 'none' is not a system here"), (("old", "old"), "give two systems")):
        with pytest.raises(TruegainError, match=said):
            tg.sample_unjudged(runs, judged, "P@5", pair=pair)
    assert f"a random sample of 20 of the {len(listed)} unjudged documents" in study.population  # whoever else is there
    late = study.estimates()["late", "P@5"]
    assert f"{len(judged)} documents of late are not in the sample of unjudged documents" in late.notes[0]


def test_limits_at_every_look_are_wider() -> None:
    """Guards anytime for a list of holes: known, and wider than those of one look."""
    runs, judged, holes = world()
    sample = labeled(tg.sample_unjudged(runs, judged, "P@5"), holes, 18)
    once, ever = (
        tg.Study(runs, judged, "P@5", unjudged=tg.UnjudgedSample(sample, sequential=x)).compare("old", "new")[0]
        for x in (False, True)
    )
    assert once.low is not None
    assert ever.low is not None
    assert ever.low < once.low


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"measures": "nDCG@5"}, "nDCG@5 is not linear in gain"),
        ({"unjudged_sample": None}, "predictions alone rank systems and have no interval"),
        ({"unjudged_sample": "equal"}, "drawn in proportion"),
        ({"unjudged_sample": "few"}, "9 labels are of the .* at least 10"),
        ({"unjudged_sample": "none"}, "no row of this list has a label yet"),
        ({"unjudged_sample": "gold"}, "this is a list of gold labels .*give it as gold="),
        ({"unjudged_sample": None, "predicted": False, "gold": "sample"}, "sample of unjudged documents.*unjudged="),
        ({"measures": "P@6"}, "for other runs, other judgments or another measure"),
        ({"judgments": "more"}, r"order 1 \(topic t\d\d, document d\d\d\) of the sample has a label in the judgments"),
        ({"judgments": "fewer"}, "unjudged documents that P@5 counts are not on it"),
        ({"runs": "other"}, "unjudged documents that P@5 counts are not on it"),
    ],
)  # fmt: skip
def test_what_is_refused(given: dict[str, object], said: str) -> None:
    """Guards refusals: each names what is wrong and what to do."""
    runs, judged, holes = world()
    listed = tg.sample_unjudged(runs, judged, "P@5")
    first = {listed.topics[0]: {listed.docs[0]: 1}}
    rng = np.random.default_rng(9)
    some: dict[str, object] = {
        "sample": labeled(listed, holes, 15), "equal": drawn(holes, 0.5), "few": labeled(listed, holes, 9),
        "none": listed, "gold": tg.sample_gold(runs, judged, "P@5"),
        "more": {t: row | first.get(t, {}) for t, row in judged.items()},
        "fewer": {t: dict(list(row.items())[1:]) for t, row in judged.items()},
        "other": {s: {t: {d: float(rng.normal()) for d in row} for t, row in runs[s].items()} for s in ("old", "new")},
    }  # fmt: skip
    words = {
        "measures": "P@5",
        "unjudged_sample": "sample",
        "predicted": True,
        "runs": None,
        "judgments": None,
    } | given
    asked = {name: some.get(str(value), value) for name, value in words.items()}
    with pytest.raises(TruegainError, match=said):
        flat_study(
            asked.pop("runs") or runs, asked.pop("judgments") or judged, asked.pop("measures"), **asked
        ).variance_model()


def test_what_cannot_be_drawn() -> None:
    """Guards refusals of the draw: other measures, no cutoff, nothing judged, nothing open."""
    runs, judged, holes = world()
    for measure, said in (("AP", "AP is not linear"), ("RBP(p=0.8)", "give a cutoff"), ("P@1", "nothing to sample")):
        with pytest.raises(TruegainError, match=said):
            tg.sample_unjudged({s: runs[s] for s in ("old", "other")} if measure == "P@1" else runs, judged, measure)
    with pytest.raises(TruegainError, match=r"none of the .* is judged .*judged are elsewhere"):
        tg.sample_unjudged(runs, {t: {"elsewhere": 1} for t in judged}, "P@5")
    with pytest.raises(InputError, match=r"label 3 .* is not on the scale 0 to 2"):
        labeled(tg.sample_unjudged(runs, judged, "P@5"), {t: dict.fromkeys(row, 3) for t, row in holes.items()}, 12)
    assert tg.sample_unjudged(runs, judged, "P@5", scale=(0, 3)).labels == "0 to 3"


@pytest.mark.few(1)
@pytest.mark.parametrize(("fixed", "seed"), [(True, 71), (False, 72)])
def test_a_sample_covers(fixed: bool, seed: int) -> None:
    """Guards coverage of scores and differences, a newcomer beside a pooled system, a quarter of the holes judged.

    24 studies with 72 intervals of each kind, not independent: 95% may come out as .83.
    """
    seen = Seen()
    for n in range(24):
        case = _newcomer(fixed, seed, n)
        listed = tg.sample_unjudged(case.runs, case.judged, MEASURE, scale=(0, 1), seed=n)
        first = len(listed) // 4
        truth = {t: {d: int(x > 0) for d, x in row.items()} for t, row in case.truth.items()}
        study = tg.Study(
            case.runs,
            case.judged,
            MEASURE,
            population="fixed" if fixed else "topics",
            unjudged=labeled(listed, truth, first),
        )
        seen.look(study, case.scores)
    assert seen.covers("score") >= 0.83
    assert seen.covers("difference") >= 0.83
    assert seen.half("difference") < 0.1


@pytest.mark.filterwarnings("ignore:with only 8 topics")
@pytest.mark.parametrize("topics", [8, 20])
def test_limits_of_scores_hold_what_nobody_could_judge(topics: int) -> None:
    """Guards scores with few topics: their limits hold those of a list with all such documents at either end."""
    rng = np.random.default_rng(topics)
    true: Labels = {str(t): {f"d{i}": int(rng.random() < 0.4) for i in range(40)} for t in range(topics)}
    judged: Labels = {t: {d: x for d, x in row.items() if rng.random() < 0.4} for t, row in true.items()}
    runs: Runs = {s: {t: {d: by * x + rng.normal() for d, x in row.items()} for t, row in true.items()}
                  for s, by in (("a", 0.3), ("b", 1.0))}  # fmt: skip
    listed = tg.sample_unjudged(runs, judged, "P@10")
    some = labeled(listed, true, len(listed) * 7 // 10)
    stuck = list(range(0, some.judged, 3))

    def limits(end: float) -> list[tuple[float, float]]:
        label = some.label.copy()
        label[stuck] = end
        cannot = frozenset(stuck) if np.isnan(end) else frozenset[int]()
        study = tg.Study(runs, judged, "P@10", unjudged=replace(some, label=label, cannot=cannot))
        return [(e.low, e.high) for e in study.estimates("P@10")]

    for open_, worst, best in zip(limits(np.nan), limits(0.0), limits(1.0), strict=True):
        assert open_[0] <= worst[0] + 0.01
        assert open_[1] >= best[1] - 0.01
