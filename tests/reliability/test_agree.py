"""Agreement with experts, assessors worth a second look, and the whole answer."""

from __future__ import annotations

import dataclasses
import lzma
import math
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.reliability.test_alpha import alpha, frame_of
from truegain.aggregation.assessors import Assessor, assessors, far_below
from truegain.aggregation.magnitudes import order_agreement
from truegain.data.rating_groups import Grouped
from truegain.experiments.worlds import magnitude_ratings, uniform_ratings
from truegain.reliability import agree
from truegain.reliability.agree import _candidates, agreement
from truegain.reliability.alpha import TAIL, USUAL, AlphaOptions, Coefficient, Paired


def test_order_agreement_by_counting() -> None:
    """Guards pairwise order agreement, by group and by pair of levels, against going through every pair."""
    rng = np.random.default_rng(1)
    value, group = rng.integers(0, 4, 60).astype(float), rng.integers(0, 5, 60)
    expert = np.where(rng.random(60) < 0.2, np.nan, rng.integers(0, 3, 60).astype(float))
    pairs = [
        (group[i], *sorted((expert[i], expert[j])), (value[i] - value[j]) * (expert[i] - expert[j]) >= 0)
        for i, j in combinations(range(60), 2)
        if group[i] == group[j] and expert[i] != expert[j] and expert[i] == expert[i] and expert[j] == expert[j]
    ]
    found = order_agreement(value, expert, group)
    assert len(found) == len(pairs)
    assert found.share == pytest.approx(np.mean([p[3] for p in pairs]))
    share, count = found.by_group(5)
    for g in range(5):
        mine = [p[3] for p in pairs if p[0] == g]
        assert share[g] == pytest.approx(np.mean(mine))
        assert count[g] == len(mine)
    for low, high, part, n in found.by_levels:
        mine = [p[3] for p in pairs if p[1:3] == (low, high)]
        assert part == pytest.approx(np.mean(mine))
        assert n == len(mine)


@pytest.mark.parametrize("levels", [2, 40, 10**9])
def test_order_agreement_of_one_large_group(levels: int) -> None:
    """Guards the counting of pairs by sorting: 15,000 documents of one topic, more pairs than could be listed."""
    rng = np.random.default_rng(levels)
    expert = rng.integers(0, levels, 15_000).astype(float)
    value = np.round(expert / levels + rng.normal(0, 0.3, 15_000), 2)
    found = order_agreement(value, expert, np.full(15_000, 3))
    right = every = 0
    for v, e in zip(value[::50].tolist(), expert[::50].tolist(), strict=True):  # a fiftieth of the pairs, one by one
        above, below = value[expert > e], value[expert < e]
        right += int((above >= v).sum() + (below <= v).sum())
        every += len(above) + len(below)
    assert found.share == pytest.approx(right / every, abs=0.02)
    _, sizes = np.unique(expert, return_counts=True)
    assert len(found) == 15_000 * 14_999 // 2 - int((sizes * (sizes - 1) // 2).sum())
    assert (sum(n for *_, n in found.by_levels) == len(found)) == (levels <= 50)


def test_order_agreement_is_exact_for_any_groups() -> None:
    """Guards the halving of groups of every size, ties in values and levels included, against going through pairs."""
    rng = np.random.default_rng(8)
    for n in (0, 1, 2, 3, 17, 64, 65, 130):
        value, group = rng.integers(0, 5, n).astype(float), rng.integers(0, 3, n)
        expert = rng.integers(0, 4, n).astype(float)
        right, count = order_agreement(value, expert, group).counted(3)
        for g in range(3):
            v, e = value[group == g], expert[group == g]
            apart = e[:, None] > e[None, :]
            assert count[g] == apart.sum()
            assert right[g] == (apart & (v[:, None] >= v[None, :])).sum()


def test_ties_count_as_agreement() -> None:
    """Guards the paper's convention: someone who calls all documents equal contradicts nobody."""
    assert order_agreement(np.ones(4), np.arange(4.0), np.zeros(4, np.int64)).share == 1.0
    assert order_agreement(np.ones(2), np.array([1.0, 1.0]), np.zeros(2, np.int64)).share is None


def test_an_assessor_against_the_rest_by_hand() -> None:
    """Guards equal, bias and correlation with its interval against numpy and scipy, items rated unequally often."""
    rng = np.random.default_rng(2)
    matrix = rng.integers(0, 4, (5, 30)).astype(float)
    matrix[rng.random(matrix.shape) < 0.3] = np.nan
    matrix[:, 0] = [np.nan, np.nan, np.nan, 30.0, 20.0]  # a long tail of two: Fisher's is too short for them
    stats = pytest.importorskip("scipy.stats")
    found = {a.assessor: a for a in assessors(Grouped.of(tg.read_ratings(frame_of(matrix))), confidence=0.9)}
    longer = 0
    for person in range(5):
        others = np.delete(matrix, person, axis=0)
        both = ~np.isnan(matrix[person]) & (~np.isnan(others)).any(axis=0)
        mine, rest = matrix[person, both], np.nanmean(others[:, both], axis=0)
        same = np.nansum(others[:, both] == mine, axis=0) / (~np.isnan(others[:, both])).sum(axis=0)
        a = found[f"a{person}"]
        assert a.bias == pytest.approx((mine - rest).mean())
        assert a.equal == pytest.approx(same.mean())
        assert a.correlation == pytest.approx(np.corrcoef(mine, rest)[0, 1])
        fisher, n = stats.pearsonr(mine, rest).confidence_interval(0.9), len(mine)
        left = [np.arctanh(np.corrcoef(np.delete(mine, i), np.delete(rest, i))[0, 1]) for i in range(n)]
        error = ((n - 1) * np.var(left)) ** 0.5
        middle, step = np.arctanh(a.correlation or 0.0), stats.norm.ppf(0.95) * error
        if error > 1 / np.sqrt(n - 3):
            longer += 1
            assert (a.low, a.high) == pytest.approx((np.tanh(middle - step), np.tanh(middle + step)), abs=1e-9)
        else:
            assert (a.low, a.high) == pytest.approx((fisher.low, fisher.high), abs=1e-9)
    assert 0 < longer < 5


def test_planted_assessors_are_looked_at() -> None:
    """Guards the second look: one who repeats one rating, one who rates at random and fast; and nobody else."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, 120)
    rows = []
    for person in range(12):
        for item, t in enumerate(truth):
            value = (
                2 if person == 10 else rng.integers(0, 4) if person == 11 else np.clip(t + rng.integers(-1, 2), 0, 3)
            )
            rows.append(("1", f"d{item}", f"a{person}", float(value), 3.0 if person == 11 else 30.0))
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label", "seconds"], orient="row")
    looks = {a.assessor: a.look for a in assessors(Grouped.of(tg.read_ratings(frame)))}
    assert {name for name, look in looks.items() if look} == {"a10", "a11"}
    assert looks["a10"] == "gives every document the same rating"
    assert looks["a11"] == "agrees with the rest far less than others do, takes less than a third of the usual time"


def flagged(people: list[Assessor], careless: tuple[str, ...]) -> tuple[float, float]:
    """The share of careless and of honest workers who are worth a second look."""
    looks = [(a.assessor in careless, bool(a.look)) for a in people]
    return tuple(float(np.mean([look for bad, look in looks if bad is kind])) for kind in (True, False))  # type: ignore[return-value]


@pytest.mark.slow
def test_careless_workers_with_a_single_unit_are_looked_at() -> None:
    """Guards the second look where everybody rated 8 documents: careless ones are found, hardly an honest one.

    By correlation with the rest alone about half of them, with experts more, with times (they are quick) nearly all;
    of the honest below 2%, also in a world without careless workers.
    """
    shares: dict[str, list[tuple[float, float]]] = {"rest": [], "experts": [], "all": [], "none careless": []}
    for seed in range(3):
        world = magnitude_ratings(seed=seed)
        untimed = dataclasses.replace(world.ratings, extra={"anchor": world.ratings.extra["anchor"]})
        for name, table, expert in (
            ("rest", untimed, None),
            ("experts", untimed, world.expert),
            ("all", world.ratings, world.expert),
        ):
            shares[name].append(flagged(assessors(Grouped.of(table), expert, logs=True), world.careless))
        honest = magnitude_ratings(seed=seed, careless=0)
        found = assessors(Grouped.of(honest.ratings), honest.expert, logs=True)
        shares["none careless"].append((1.0, float(np.mean([bool(a.look) for a in found]))))
    means = {name: np.mean(each, axis=0) for name, each in shares.items()}
    assert means["rest"][0] > 0.45
    assert means["experts"][0] > means["rest"][0]
    assert means["all"][0] > 0.97
    assert max(each[1] for each in means.values()) < 0.02


def test_one_of_three_or_four_is_held_against_the_intervals_of_the_others() -> None:
    """Guards small panels: the judge at 0.3 beside three above 0.7 is told, near ones and few items are not."""
    assert far_below(np.array([0.77, 0.70, 0.76, 0.30]), np.full(4, 1239.0)).tolist() == [False, False, False, True]
    assert far_below(np.array([0.77, 0.70, 0.30]), np.full(3, 200.0)).tolist() == [False, False, True]
    assert not far_below(np.array([0.77, 0.70, 0.30]), np.full(3, 8.0)).any()
    assert not far_below(np.array([0.77, 0.70, 0.60]), np.full(3, 1e5)).any()
    assert not far_below(np.array([0.9, 0.1]), np.full(2, 1000.0)).any()


def test_a_wide_crowd_is_not_suspected() -> None:
    """Guards honest differences: where many differ, each known well, only one beyond their spread is told."""
    z = np.random.default_rng(4).normal(1.2, 0.3, 200)
    usual = np.tanh(z)
    assert far_below(np.append(usual, 0.0), np.full(201, 1e5)).nonzero()[0].tolist() == [200]
    assert far_below(np.append(np.tanh(1.2 + (z - 1.2) / 10), 0.5), np.full(201, 1e5)).nonzero()[0].tolist() == [200]


def test_the_fourth_judge_of_cystic_fibrosis(shared_data: Path) -> None:
    """Guards the finding on real data: judge 4 agrees with the three others far less than they among themselves."""
    rows, topic = [], ""
    with lzma.open(shared_data / "cystic_fibrosis" / "cfquery.xml.xz", "rt") as stream:
        for number, scores, doc in re.findall(
            r"<QueryNumber>(\d+)|<Item score=\"(\d{4})\">\s*(\d+)", stream.read(), re.IGNORECASE
        ):
            topic = number or topic
            rows += [(topic, doc, f"judge{j + 1}", float(s)) for j, s in enumerate(scores)]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row").unique(
        ["topic", "doc", "assessor"], keep="first", maintain_order=True
    )
    report = agreement(frame, scale="ordinal 0:2", resamples=0)
    found = report.assessors.records()
    assert len(found) == 4
    assert report.flagged == ("judge4",)
    assert [(r["assessor"], r["look"]) for r in found if r["look"]] == [
        ("judge4", "agrees with the rest far less than others do")
    ]
    assert float(found[0]["correlation"] or 1) < 0.35 < 0.65 < min(float(r["correlation"] or 0) for r in found[1:])


def test_equal_ratings_are_striking_only_where_others_vary() -> None:
    """Guards rare labels: whoever finds nothing relevant among six poor documents has done nothing wrong."""
    poor = np.zeros((5, 40))
    poor[:, :4] = 1
    poor[0, :4] = np.nan
    poor[0, 10:] = np.nan
    assert not any(a.look for a in assessors(Grouped.of(tg.read_ratings(frame_of(poor)))))
    varied = np.tile(np.arange(40) % 4, (5, 1)).astype(float)
    varied[0] = 2
    looks = [a.look for a in assessors(Grouped.of(tg.read_ratings(frame_of(varied))))]
    assert looks == ["gives every document the same rating", "", "", "", ""]


def test_experts_tell_the_careless() -> None:
    """Guards agreement with experts: on simulated magnitudes the careless order documents worse than the others."""
    world = magnitude_ratings(topics=6, docs=32, workers=6, noise=0.5, careless=0.2, seed=4)
    found = assessors(Grouped.of(world.ratings), world.expert, logs=True)
    careless = [a.order for a in found if a.assessor in world.careless and a.order is not None]
    careful = [a.order for a in found if a.assessor not in world.careless and a.order is not None]
    assert len(careless) > 10
    assert np.mean(careless) < 0.7 < 0.85 < np.mean(careful)


def test_the_whole_answer_holds_its_parts() -> None:
    """Guards `agree`: its alphas are those of the function, its topics those of each topic alone."""
    world = magnitude_ratings(topics=3, docs=20, workers=4, seed=5)
    found = agreement(world.ratings, world.expert, scale="ratio", resamples=200, seed=7)
    row = found.overall.records()[0]
    want = alpha(world.ratings, "ratio", trials=200, seed=7)
    assert (row["value"], row["low"], row["high"]) == (want.value, want.low, want.high)
    for topic in found.topics.records():
        rows = np.flatnonzero(np.array(world.ratings.topic.strings()) == topic["topic"])
        alone = alpha(world.ratings.take(rows), "ratio", trials=200, seed=7)
        assert [topic[c] for c in ("alpha ratio", "low", "high")] == pytest.approx([alone.value, alone.low, alone.high])
    assert found.experts is not None
    shares = found.experts.records()
    assert shares[0]["n"] == sum(int(r["n"] or 0) for r in shares[3:])  # pairs by levels are all pairs


@pytest.mark.slow
def test_topics_have_the_interval_of_each_alone_or_a_reason() -> None:
    """Guards the intervals by topic: also of 4 items and of 300 topics, by either way, and why where there is none."""
    rng = np.random.default_rng(9)
    rows = []
    for topic in range(300):
        for item in range(1 if topic == 7 else 4):
            level = 0 if topic == 8 else rng.integers(0, 4)
            for a in range(1 if topic == 9 else 3):
                value = 0 if topic == 8 else int(np.clip(level + rng.integers(-1, 2), 0, 3)) + (topic == 7) * a
                rows.append((f"{topic:03}", f"d{item}", f"a{a}", float(value)))
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    for method, fault in (("jackknife", "no interval: "), ("bootstrap", "single value")):
        found = agreement(frame, scale="ordinal 0:9", method=method, resamples=100)  # type: ignore[arg-type]
        records = found.topics.records()
        for record in records:
            if record["topic"] not in ("007", "008", "009"):
                assert record["low"] is not None or fault in str(record["note"])
                assert float(record["high"] or 0) <= 1
        assert [records[t]["note"] for t in (7, 8, 9)] == [
            "one item gives no interval", "undefined: all ratings are 0", "undefined: no item has two ratings",
        ]  # fmt: skip
        without = sum(r["low"] is None for r in records)
        parts = (f"{method} ({300 - without} topics)", f"none, see the note of each ({without} topics)")
        told = "; ".join(parts if without <= 150 else parts[::-1])
        assert found.topics.notes == (f"Intervals over other items, these assessors: {told}.",)


def test_what_intervals_mean_is_said_in_the_tables() -> None:
    """Guards the notes: these assessors or assessors like these, a condition told once, nothing without intervals."""
    world = magnitude_ratings(topics=2, docs=20, workers=4, seed=5)
    found = agreement(world.ratings, scale="interval", units="items+assessors")
    assert found.overall.notes == ("intervals over other items, assessors like these",)
    assert found.overall.records()[0]["note"] == TAIL
    assert found.topics.notes == (
        "Intervals over other items, assessors like these: jackknife (2 topics).",
        f"They are valid {TAIL}.",
    )
    assert "note" not in found.topics.columns
    assert (found.provenance["units"], found.provenance["method"]) == ("items+assessors", "jackknife")
    none = agreement(world.ratings, scale="interval", resamples=0)
    assert none.overall.notes == ()
    assert none.topics.notes == ("Intervals over other items, these assessors: not requested (2 topics).",)


def test_every_document_by_hand() -> None:
    """Guards the table by document: max/min, geometric sd and equal pairs of each, in the order of the file."""
    stats = pytest.importorskip("scipy.stats")
    world = magnitude_ratings(topics=2, docs=14, workers=3, seed=2)
    found = agreement(world.ratings, scale="ratio", resamples=0).documents.records()
    said: dict[tuple[str, str], list[float]] = {}
    rows = zip(world.ratings.topic.strings(), world.ratings.docs.strings(), world.ratings.label.tolist(), strict=True)
    for topic, doc, value in rows:
        said.setdefault((topic, doc), []).append(value)
    assert len(found) == len(said)
    for record in found:
        values = said[str(record["topic"]), str(record["doc"])]
        equal = np.mean([a == b for a, b in combinations(values, 2)])
        assert record["max/min"] == pytest.approx(max(values) / min(values))
        assert record["geometric sd"] == pytest.approx(stats.gstd(values))
        assert record["ratings"] == len(values)
        assert record["equal"] == pytest.approx(equal)
        assert record["median"] == pytest.approx(np.median(values))
    plain = agreement(frame_of([[0, 1], [0, None]]), scale="ordinal 0:3", resamples=0).documents
    assert "max/min" not in plain.columns
    assert plain.records()[1]["equal"] is None
    assert "1 document with one rating" in plain.notes[0]


@pytest.mark.parametrize("scale", [None, "ratio", "interval"])
def test_huge_ratings_give_no_infinite_number(scale: str | None) -> None:
    """Guards ratings of 1e308 and 1e-308: every number of every table is finite, what has none says why."""
    found = agreement(frame_of([[1e308, 1e-308, 1e-300], [1e308, 3.0, 1e308]]), scale=scale, resamples=100)
    for table in (*found.tables(), found.documents):
        assert all(np.isfinite(c) for row in table.rows for c in row if isinstance(c, float)), table.title
    if scale == "ratio":
        row = next(r for r in found.overall.records() if r["statistic"] == "median max/min ratio")
        assert (row["value"], row["note"]) == (None, "undefined: most ratios are too large for a floating-point number")


def test_ratios_of_0_are_said_to_be_undefined() -> None:
    """Guards a zero among magnitudes: the rows of ratios stay, and say why they are empty."""
    found = agreement(frame_of([[0, 2], [2, 3]]), scale="ratio", resamples=0)
    notes = [r["note"] for r in found.overall.records()]
    assert notes[1:] == ["undefined: a rating of 0 has no ratio"] * 2
    assert "no ratios: a rating is 0" in str(found.documents.notes)


def test_experts_without_two_levels_or_with_very_many() -> None:
    """Guards outside agreement that has no pairs, or too many pairs of levels to list."""
    ratings = frame_of([[1, 2], [1, 3]])
    one = agreement(ratings, {"1": {"d000000": 1, "d000001": 1}}, resamples=0)
    assert one.experts is not None
    assert "undefined: no unit has two documents" in one.experts.notes[1]
    assert one.topics.records()[0]["note"] == "no pair on different levels"
    many = frame_of(np.tile(np.arange(60.0), (2, 1)))
    two = agreement(many, {"1": {f"d{i:06}": i for i in range(60)}}, resamples=0)
    assert two.experts is not None
    assert two.experts.records()[0]["share"] == 1.0
    assert "60 levels, too many to list every pair" in two.experts.notes[1]


def test_weighted_kappas_are_in_the_answer() -> None:
    """Guards the overall table: plain, linear and quadratic kappa where the scale has an order, plain where not."""
    rows = agreement(frame_of([[0, 1, 3], [0, 2, 2]]), scale="ordinal 0:3", resamples=0).overall.records()
    assert [r["statistic"] for r in rows][-3:] == [f"Cohen's kappa{k}" for k in ("", " (linear)", " (quadratic)")]
    rows = agreement(frame_of([[0, 1, 3], [0, 2, 2]]), scale="nominal", resamples=0).overall.records()
    assert rows[-1]["statistic"] == "Cohen's kappa"


def test_normalizing_raises_agreement_on_personal_scales() -> None:
    """Guards the reason to normalize: with scales of their own people agree little, on one scale much."""
    world = magnitude_ratings(topics=4, docs=20, workers=5, noise=0.5, careless=0, seed=6)
    raw = agreement(world.ratings, scale="ratio", resamples=0).overall.records()[0]["value"]
    normalized = agreement(world.ratings, scale="ratio", normalize="geometric", resamples=0).overall.records()[0][
        "value"
    ]
    assert isinstance(raw, float)
    assert isinstance(normalized, float)
    assert raw < 0.3 < 0.5 < normalized


def test_uniform_ratings_do_not_agree() -> None:
    """Guards the simulator of UNANIMITY: zeros stay, the rest is uniform, so alpha among the relevant is about 0."""
    labels = {"1": {f"d{i}": i % 2 for i in range(2000)}}
    ratings = uniform_ratings(labels, assessors=5, highest=4, seed=8)
    relevant = np.array([int(d[1:]) % 2 == 1 for d in ratings.docs.strings()])
    assert (ratings.label[~relevant] == 0).all()
    counts = np.bincount(ratings.label[relevant].astype(int), minlength=5)
    assert counts == pytest.approx(np.full(5, relevant.sum() / 5), rel=0.1)
    found = alpha(ratings.take(np.flatnonzero(relevant)), "interval", trials=0).value
    assert found == pytest.approx(0, abs=0.04)


def test_experts_who_judged_nothing_of_it() -> None:
    """Guards ids that do not match: an error, not an empty table."""
    with pytest.raises(tg.InputError, match="judged none of the rated documents"):
        agreement(frame_of([[1, 2], [1, 3]]), {"9": {"x": 1}}, resamples=0)


def crowd(seed: int, traps: int, items: int = 60, uneven: bool = False) -> pl.DataFrame:
    """Labels of 0 to 3 that hardly agree, three or so an item, and trap items that all 199 workers rate alike."""
    rng = np.random.default_rng(seed)
    count = np.maximum(2, rng.geometric(0.25, items)) if uneven else np.full(items, 3)
    rows = [
        ("1", f"d{i}", f"w{w}", int(np.digitize(0.35 * quality + rng.normal(), [-1, 0, 1])))
        for i, quality in enumerate(rng.normal(size=items))
        for w in rng.choice(199, count[i], replace=False)
    ]
    rows += [(str(1 + t), f"trap{t}", f"w{w}", 3 * (t % 2)) for t in range(traps) for w in range(199)]
    return pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_what_was_asked_is_told() -> None:
    """Guards provenance: numbers and names stay what they are, lists and mappings are written, defaults left out."""
    frame = frame_of(np.array([[0.0, 1, 2, 2, 1], [0, 1, 2, 1, 1], [1, 1, 2, 0, 0]]))
    names = sorted(frame["assessor"].unique())
    weights = dict.fromkeys(names, 1.0)
    found = agreement(frame, scale="ordinal", resamples=0, first=2, drop_assessors=names[2:], weight_assessors=weights)
    assert {**found.provenance, "source": ""} == {
        "scale": "ordinal", "normalize": None, "units": "items", "method": "jackknife", "resamples": 0,
        "confidence": 0.95, "seed": 0, "source": "", "drop_assessors": str(names[2:]), "weight_assessors": str(weights),
        "first": 2,
    }  # fmt: skip
    assert "first" not in agreement(frame, scale="ordinal", resamples=0).provenance
    flagged = agreement(frame, scale="ordinal", resamples=0, drop_assessors="flagged")
    assert flagged.provenance["drop_assessors"] == "flagged"


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_few_items_that_carry_alpha_are_named(scale: str) -> None:
    """Guards the value of a crowd with traps: the items that carry it, their ratings, and alpha without them."""
    table = crowd(1, 2)
    found = agreement(table, scale=scale).overall
    without = agreement(table.filter(~pl.col("doc").str.starts_with("trap")), scale=scale).overall
    [note] = [n for n in found.notes if "carr" in n]
    assert f"398 of {len(table)} ratings" in note
    assert {*re.findall(r"topic (\d), document (trap\d)", note)} == {("1", "trap0"), ("2", "trap1")}
    value, low, high = without.rows[0][1:4]
    assert f"without them it is {value:.4f} [{low:.4f}, {high:.4f}], not {found.rows[0][1]:.4f}" in note
    assert not any("carr" in n for n in without.notes)
    one = agreement(table.filter(pl.col("doc") != "trap0"), scale=scale).overall.notes
    assert any("1 item carries" in n and "topic 2, document trap1, with 199 of" in n for n in one)


def test_items_with_twice_the_ratings_carry_nothing() -> None:
    """Guards what is called far more ratings than most: three times the median, and no less."""
    rows = [("1", f"d{i}", f"w{w}", w % 3) for i, n in enumerate([3, 2, 2, 2, 2, 2, 5, 6]) for w in range(n)]
    table = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    paired = Paired.of(Grouped.of(tg.read_ratings(table)))
    assert paired.count[_candidates(paired)].tolist() == [6]


@pytest.mark.parametrize(
    ("third", "found"),
    [(0.09, [3, 1, 2]), (0.11, [3, 1]), (0.06, [3, 1, 2])],  # it adds 0.06, 0.04 and 0.09
)
def test_items_are_left_out_as_long_as_alpha_moves(
    third: float, found: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards the steps of .05, on top of what items left out before moved; the one that moves alpha most goes first."""
    of_rest = {(1,): 0.6, (2,): 0.45, (3,): 0.3, (1, 3): 0.15, (2, 3): 0.35, (1, 2, 3): third}  # of all it is 0.5

    def without(_: Paired, level: str, out: list[int], each: np.ndarray) -> np.ndarray:
        assert level == "ordinal"
        return np.array([of_rest[tuple(sorted({*out, item}))] for item in each.tolist()])

    monkeypatch.setattr(agree, "_without", without)
    monkeypatch.setattr(agree, "_candidates", lambda _: np.array([1, 2, 3]))
    nobody = Paired.rows(np.zeros(2), np.zeros(2, np.int64), np.arange(2))
    assert agree._chosen(nobody, "ordinal", 0.5, 3) == found
    assert agree._chosen(nobody, "ordinal", 0.5, 1) == [3]
    of_rest[1, 3], of_rest[1, 2, 3] = 0.27, 0.2
    assert agree._chosen(nobody, "ordinal", 0.5, 3) == [3, 1, 2], "the second adds little, the third does"
    assert agree._chosen(nobody, "ordinal", 0.5, 2) == [3]
    of_rest[2,], of_rest[2, 3] = math.nan, math.nan  # no two of the rest differ
    assert agree._chosen(nobody, "ordinal", 0.5, 3) == [3, 1, 2]
    of_rest[1,] = of_rest[3,] = math.nan
    assert agree._chosen(nobody, "ordinal", 0.5, 3) == []


def test_when_a_few_items_are_told_to_carry_alpha(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards each condition: no more than three and a twentieth, .1 apart, outside the interval of the rest."""
    frame = frame_of(np.array([np.arange(80) % 3, np.arange(80) % 2], np.float64))
    ratings, asked = Grouped.of(tg.read_ratings(frame)), []
    whole = dataclasses.replace(Coefficient.of("alpha ordinal", 0.5, 80, 160), low=0.4, high=0.6)

    def chosen(_: Paired, level: str, value: float, most: int) -> list[int]:
        asked.append((level, value, most))
        return list(range(most))

    def rest(paired: Paired, level: str, how: AlphaOptions) -> Coefficient:
        asked.append((level, len(paired), how.trials))
        return found

    monkeypatch.setattr(agree, "_chosen", chosen)
    monkeypatch.setattr(agree, "alpha_of", rest)
    for value, low, high, told in (
        (0.397, 0.3, 0.49, True), (0.603, 0.51, 0.7, True), (0.402, 0.35, 0.45, False), (0.2, 0.1, 0.5, False),
        (0.2, 0.1, 0.499, True), (0.8, 0.5, 0.9, False), (0.8, 0.501, 0.9, True),
    ):  # fmt: skip
        found = dataclasses.replace(whole, value=value, low=low, high=high)
        few = agree.carried(ratings, whole, "ordinal", dataclasses.replace(USUAL, trials=200))
        assert (few is not None) == told
        assert few is None or (few.ratings, few.whole, few.rest) == (6, whole, found)
    assert asked[:2] == [("ordinal", 0.5, 3), ("ordinal", 77, 1000)]
    agree.carried(ratings, whole, "ordinal", dataclasses.replace(USUAL, trials=3000))
    assert asked[-1] == ("ordinal", 77, 3000)
    before = len(asked)
    assert agree.carried(ratings, Coefficient.of("alpha ordinal", why="all ratings are 1"), "ordinal", USUAL) is None
    assert len(asked) == before


def test_a_hundred_items_with_the_most_ratings_are_tried() -> None:
    """Guards the order of those that may carry alpha: most ratings first, then by name, and no more than 100."""
    count = np.array([2] * 110 + [6 + 7 * i % 20 for i in range(105)])
    item = np.repeat(np.arange(215), count)
    paired = Paired.rows(np.zeros(len(item)), item, np.arange(len(item)))
    assert _candidates(paired).tolist() == sorted(range(110, 215), key=lambda i: (-count[i], i))[:100]


def test_no_more_than_a_twentieth_of_the_items_carry_alpha() -> None:
    """Guards what is called few: of 39 items one may be left out, of 40 two."""
    for items, words in ((37, "1 item carries"), (38, "2 items carry")):
        notes = agreement(crowd(1, 2, items=items), scale="ordinal").overall.notes
        assert [words in n for n in notes if "carr" in n] == [True]


@pytest.mark.slow
def test_an_even_crowd_is_carried_by_no_item() -> None:
    """Guards against alarms: none in 20 crowds without traps (9 of 8,000 in a larger simulation), nor with few items.

    Traps among items rated as often as they are have no more weight than any.
    """
    for seed in range(10):
        for uneven in (False, True):
            notes = agreement(crowd(seed, 0, uneven=uneven), scale="ordinal").overall.notes
            assert not any("carr" in n for n in notes)
    assert not any("carr" in n for n in agreement(crowd(1, 1, items=18), scale="ordinal").overall.notes)


def test_items_of_subtopics_that_carry_alpha() -> None:
    """Guards the names: the order of rows does not matter, items with one rating do not shift them."""
    table = crowd(2, 1).with_columns(pl.lit("s").alias("subtopic"))
    lone = pl.DataFrame({"topic": "0", "doc": ["a", "b"], "assessor": "w1", "label": 1, "subtopic": "t"})
    mixed = pl.concat([table, lone.cast(table.schema)])
    for some in (mixed, mixed.sample(fraction=1, shuffle=True, seed=1)):
        notes = agreement(some, scale="ordinal").overall.notes
        assert any("topic 1, document trap0, subtopic s, with 199 of" in n for n in notes)
