"""Whose ratings count: identical assessors, mixed scales, whom to leave out, weights, the first ratings."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, kendalltau, pearsonr

import truegain as tg
from truegain.aggregation.assessors import Twin, chosen, row_weights, twins, weights_of
from truegain.data.judgments import Judgments, judgments_of_columns
from truegain.data.rating_groups import Grouped, read_names, read_weights
from truegain.data.ratings import mixed
from truegain.judge_error.judge_quality import assessor_table
from truegain.reliability.agree import agreement

Rows = list[tuple[str, str, float]]
pytestmark = pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")  # what is told is asked for by name


def rated(rows: Rows, topic: str = "1") -> Judgments:
    """Ratings of one topic from (doc, assessor, label)."""
    docs, who, labels = zip(*rows, strict=True)
    return judgments_of_columns(
        [topic] * len(rows), list(docs), np.array(labels, float), "ratings", assessors=list(who)
    )


def crowd(seed: int, careless: float = 0.0, workers: int = 20, levels: int = 4) -> tuple[dict[str, float], Rows]:
    """200 documents of known worth, five ratings each in units of 20 by workers who err; some see nothing."""
    rng = np.random.default_rng(seed)
    truth, sd = rng.normal(0, 1, 200), rng.uniform(0.4, 1.0, workers)
    blind, cuts = rng.random(workers) < careless, np.linspace(-1, 1, levels - 1)
    said: dict[tuple[int, int], float] = {}
    for unit in np.concatenate([rng.permutation(200) for _ in range(5)]).reshape(-1, 20):
        w = int(rng.integers(workers))
        for d in unit.tolist():
            seen = rng.normal() if blind[w] else truth[d] + sd[w] * rng.normal()
            said.setdefault((d, w), float(np.searchsorted(cuts, seen)))
    return {f"d{i}": float(t) for i, t in enumerate(truth)}, [(f"d{d}", f"w{w:02}", v) for (d, w), v in said.items()]


# ---------------------------------------------------------------------- identical assessors


def test_the_chance_of_a_twin_by_hand() -> None:
    """Guards q and the number of pairs: third ratings, the agreement of either, habit; recounted one by one."""
    rng = np.random.default_rng(3)
    said = {f"d{i}": rng.integers(0, 4, 4).tolist() for i in range(40)}
    rows: Rows = [(d, who, v) for d, row in said.items() for who, v in zip("abcd", row, strict=True)]
    rows += [(d, "e", row[0]) for d, row in list(said.items())[:25]]
    shared, labels = list(said)[:25], {(d, w): v for d, w, v in rows}
    third = [labels[d, w] == labels[d, "a"] for d in shared for w in "bcd"]
    of_a = [labels[d, w] == labels[d, "a"] for d in said for w in "bcd"]
    at_most = [binomtest(sum(x), len(x)).proportion_ci(method="wilson").high for x in (third, of_a)]
    share = np.unique([labels[d, "a"] for d in shared], return_counts=True)[1] / 25
    wanted = 10 * max(*at_most, float(share @ share)) ** 25  # five people are ten pairs
    (name, twin), *more = twins(Grouped.of(rated(rows))).items()
    assert (name, twin.other, twin.shared, more) == ("e", "a", 25, [])
    assert twin.chance == pytest.approx(wanted, rel=1e-3)  # 1.96 for the quantile


@pytest.mark.parametrize("levels", [2, 4])
def test_honest_assessors_are_nobodys_twin(levels: int) -> None:
    """Guards against false alarms: in 40 studies of honest assessors nobody is taken for another."""
    assert [twins(Grouped.of(rated(crowd(seed, levels=levels)[1]))) for seed in range(40)] == [{}] * 40


def test_copies_are_found() -> None:
    """Guards the power: of workers with 40 ratings or more who copy another, nearly all are told."""
    found, asked = 0, 0
    for seed in range(20):
        rows = crowd(seed)[1]
        for w in ("w00", "w01"):
            mine = [(d, f"{w}-copy", v) for d, who, v in rows if who == w]
            if len(mine) >= 40:
                asked += 1
                found += f"{w}-copy" in twins(Grouped.of(rated([*rows, *mine])))
    assert asked >= 12
    assert found / asked > 0.9


def test_what_says_nothing_of_copying() -> None:
    """Guards caution: two alone, two on documents that all agree on, two who nearly always say 1."""
    two: Rows = [(f"d{i}", w, float(i % 4)) for i in range(60) for w in "ab"]
    assert twins(Grouped.of(rated(two))) == {}
    assert twins(Grouped.of(rated([*two, *[(f"d{i}", w, float(i % 4)) for i in range(60) for w in "cd"]]))) == {}
    rng = np.random.default_rng(1)
    lazy: Rows = [(f"d{i}", w, 0.0 if i == 7 else 1.0) for i in range(40) for w in "ab"]
    assert (
        twins(Grouped.of(rated([*lazy, *[(f"d{i}", w, float(rng.integers(3))) for i in range(40) for w in "cde"]])))
        == {}
    )


def test_agree_tells_of_twins_and_one_of_them_stays() -> None:
    """Guards the way to the user: told in `look`, of raw magnitudes too; left out as flagged, but not both."""
    rows = [(d, w, 10.0**v + i % 7) for i, (d, w, v) in enumerate(crowd(2)[1])]
    mine = [(d, "z-copy", v) for d, w, v in rows if w == "w03"]
    table = rated([*rows, *mine])
    people = agreement(table, scale="ratio", normalize="geometric", resamples=0).assessors.records()
    look = {r["assessor"]: str(r["look"]) for r in people}
    assert f"same ratings as w03 on all {len(mine)} documents that both rated (chance" in look["z-copy"]
    assert "same ratings" not in look["w03"]
    with pytest.warns(tg.DataWarning, match=r"left out, worth a second look, with .* z-copy"):
        kept = chosen(table, drop_assessors="flagged", normalize="geometric", scale="ratio")
    assert kept.assessor is not None
    assert set(kept.assessor.values) == {name for name, why in look.items() if not why}


def test_a_copy_of_some_magnitudes_is_found_before_they_are_normalized() -> None:
    """Guards twins among raw numbers: who copied some of another's has another scale, and other normalized ones."""
    rows = [(d, w, 10.0**v + i % 7) for i, (d, w, v) in enumerate(crowd(2)[1])]
    mine = [(d, "z-copy", v) for d, w, v in rows if w == "w03" and v > 2]
    people = agreement(rated([*rows, *mine]), scale="ratio", normalize="geometric", resamples=0).assessors.records()
    looked = {r["assessor"] for r in people if "same ratings as" in str(r["look"])}
    assert looked == {"z-copy"}


def test_a_twin_says_what_it_stands_on() -> None:
    """Guards the words."""
    assert str(Twin("ann", 30, 4e-6)) == "same ratings as ann on all 30 documents that both rated (chance 4e-06)"


# ---------------------------------------------------------------------- scales that mix


def test_scales_that_mix_are_told() -> None:
    """Guards 0-2 among 0-100, in gains and in agree; and silence where scales are alike or numbers are magnitudes."""
    rng = np.random.default_rng(0)
    long: Rows = [(f"d{i}", w, float(rng.integers(101))) for i in range(30) for w in "abc"]
    short: Rows = [(f"d{i}", w, float(rng.integers(3))) for i in range(30) for w in "xy"]
    table = rated([*long, *short])
    assert mixed(table) == (["x", "y"], 2.0, max(v for *_, v in long))
    with pytest.warns(tg.DataWarning, match=r"2 of 5 assessors rate up to 2 \(x, y\), others up to"):
        tg.aggregate(table, "mean")
    with pytest.warns(tg.DataWarning, match="scales seem to mix"):
        agreement(table, scale="interval 0:100", resamples=0)
    above = rated([(d, w, v + 1) for d, w, v in [*long, *short]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tg.aggregate(above, normalize="geometric")
        agreement(above, scale="ratio", normalize="geometric", resamples=0)
        tg.aggregate(rated(long), "mean")


def test_scales_that_only_look_short() -> None:
    """Guards against false alarms: few ratings, topics of nothing good, one rating throughout, honest crowds."""
    rng = np.random.default_rng(0)
    long: Rows = [(f"d{i}", w, float(rng.integers(101))) for i in range(30) for w in "abc"]
    assert mixed(rated([*long, ("d0", "x", 2.0), ("d1", "x", 1.0)])) is None
    assert mixed(rated([*long, *[(f"d{i}", "x", 2.0) for i in range(30)]])) is None
    poor: Rows = [(f"e{i}", w, float(rng.integers(3))) for i in range(30) for w in "abcx"]
    two = rated([*long, *poor])
    topics = ["1"] * len(long) + ["2"] * len(poor)
    split = judgments_of_columns(
        topics, two.docs.strings(), two.label, "ratings", assessors=[w for _, w, _ in [*long, *poor]]
    )
    assert mixed(split) is None
    alone: Rows = [(f"e{i}", "x", float(i % 3)) for i in range(30)]  # of a topic that nobody else rated
    topics = ["1"] * len(long) + ["2"] * len(alone)
    docs, people, labels = (list(column) for column in zip(*long, *alone, strict=True))
    assert mixed(judgments_of_columns(topics, docs, np.array(labels), "ratings", assessors=people)) is None
    assert [mixed(rated(crowd(seed)[1])) for seed in range(20)] == [None] * 20


# ---------------------------------------------------------------------- whom to leave out


FEW: Rows = [("a", "x", 1.0), ("a", "y", 2.0), ("a", "z", 3.0), ("b", "x", 0.0), ("b", "z", 2.0), ("c", "y", 1.0)]


def test_the_first_ratings_of_a_document() -> None:
    """Guards --first: in the order of the table, after those left out."""
    with pytest.warns(tg.DataWarning, match="the first 2 of each document count: 5 of 6 ratings"):
        kept = chosen(rated(FEW), first=2)
    assert kept.label.tolist() == [1, 2, 0, 2, 1]
    with pytest.warns(tg.DataWarning):
        kept = chosen(rated(FEW), drop_assessors=["x"], first=1)
    assert kept.label.tolist() == [2, 2, 1]
    with pytest.raises(tg.TruegainError, match="give 1 or more"):
        chosen(rated(FEW), first=0)


@pytest.mark.parametrize(
    ("some", "means"), [({"first": 1}, [1, 0, 1]), ({"drop_assessors": ["x"]}, [2.5, 2, 1])], ids=["first", "dropped"]
)
def test_either_choice_by_itself_reaches_the_labels(some: dict[str, Any], means: list[float]) -> None:
    """Guards tg.aggregate: the first ratings alone, or some assessors left out alone, change what is aggregated."""
    with pytest.warns(tg.DataWarning):
        labels = tg.aggregate(rated(FEW), "mean", **some)
    assert labels.label.tolist() == means


def test_what_is_left_out_is_gone_and_told() -> None:
    """Guards the table that remains: no assessor, topic or document that nobody rated any more."""
    table = judgments_of_columns(
        ["1", "1", "2"], ["a", "b", "c"], np.array([1.0, 2.0, 3.0]), "r", assessors=["x", "y", "y"]
    )
    with pytest.warns(tg.DataWarning, match="1 of 2 assessors left out with 2 of 3 ratings: y; 2 documents had"):
        kept = chosen(table, drop_assessors=["y"])
    assert kept.assessor is not None
    assert (kept.assessor.values, kept.topic.values, kept.docs.strings()) == (("x",), ("1",), ["a"])


def test_mistakes_about_whom_to_leave_out() -> None:
    """Guards names that are not there, and all of them."""
    with pytest.raises(tg.InputError, match="nobody: none of the assessors to leave out rated anything"):
        chosen(rated(FEW), drop_assessors=["nobody"])
    with pytest.raises(tg.InputError, match="all assessors are left out"):
        chosen(rated(FEW), drop_assessors=["x", "y", "z"])
    with pytest.warns(tg.DataWarning, match="1 assessor to leave out did not rate anything: nobody"):
        assert len(chosen(rated(FEW), drop_assessors=["nobody", "x"])) == 4
    with pytest.warns(tg.DataWarning, match="no assessor is left out"):
        assert len(chosen(rated(FEW), drop_assessors="flagged")) == 6


def test_flagged_are_those_whom_agree_prints() -> None:
    """Guards one rule: what `agree` marks is what is left out, for studies with careless people and with experts."""
    truth, rows = crowd(5)
    table = rated([(d, w, 3.0 if w == "w00" else 3 - v if w == "w01" else v) for d, w, v in rows])
    expert = Judgments.of({"1": {d: float(np.searchsorted([-0.5, 0.5], v)) for d, v in truth.items()}})
    for judged in (None, expert):
        look = agreement(table, judged, resamples=0).assessors.records()
        named = {r["assessor"] for r in look if r["look"]}
        assert named == {"w00", "w01"}
        with pytest.warns(tg.DataWarning):
            kept = chosen(table, drop_assessors="flagged", expert=judged)
        assert kept.assessor is not None
        assert set(kept.assessor.values) == {r["assessor"] for r in look} - named


def test_files_of_names(tmp_path: Path) -> None:
    """Guards lists one a line, tables, and what `agree` and `judges` write: only whom these mark."""
    plain = tmp_path / "names.txt"
    plain.write_text("# spammers\nann\n\n bob lee \n")
    assert read_names(plain) == ["ann", "bob lee"]
    (tmp_path / "t.tsv").write_text("worker\twhy\nann\tslow\nbob\t\n")
    assert read_names(tmp_path / "t.tsv") == ["ann", "bob"]
    (tmp_path / "look.csv").write_text("assessor,look\nann,\nbob,takes less than a third of the usual time\n")
    assert read_names(tmp_path / "look.csv") == ["bob"]
    gold = {"1": {f"d{i}": i % 2 for i in range(60)}}
    said = {"good": [0.0, 1.0], "spam": [1.0, 1.0], "not": [1.0, 0.0]}
    rows: Rows = [(f"d{i}", w, v[i % 2]) for i in range(60) for w, v in said.items()]
    table = assessor_table(rated([*rows, ("d0", "rare", 0.0)]), gold, design="random")
    (tmp_path / "judges.csv").write_bytes(table.render("csv"))
    assert sorted(read_names(tmp_path / "judges.csv")) == ["not", "spam"]
    plain.write_text("# none\n")
    with pytest.raises(tg.InputError, match="there is no assessor"):
        read_names(plain)


# ---------------------------------------------------------------------- how much each counts


def test_weights_by_agreement_by_hand() -> None:
    """Guards the formula: correlations by scipy, pooling and shrinking written out."""
    rows = crowd(5, careless=0.3)[1]
    table = rated(rows)
    by_doc: dict[str, dict[str, float]] = {}
    for d, w, v in rows:
        by_doc.setdefault(d, {})[w] = v
    names = sorted({w for _, w, _ in rows})
    seen, error = [], []
    for w in names:
        both = [(r[w], np.mean([v for o, v in r.items() if o != w])) for r in by_doc.values() if w in r and len(r) > 1]
        seen.append(np.arctanh(pearsonr(*zip(*both, strict=True)).statistic))
        error.append(1 / (len(both) - 3))
    z, e2 = np.array(seen), np.array(error)
    fixed = np.average(z, weights=1 / e2)
    t2 = max(0, (((z - fixed) ** 2 / e2).sum() - len(z) + 1) / ((1 / e2).sum() - (1 / e2**2).sum() / (1 / e2).sum()))
    m = np.average(z, weights=1 / (e2 + t2))
    raw = dict(zip(names, np.maximum(0, np.tanh(m + t2 / (t2 + e2) * (z - m))), strict=True))
    mean = np.mean([raw[w] for _, w, _ in rows])
    found = weights_of(Grouped.of(table), "agreement")
    assert found == pytest.approx({w: raw[w] / mean for w in names})
    assert min(found.values()) < 0.2 < 1 < max(found.values())


def test_an_assessor_who_says_the_opposite_counts_nothing() -> None:
    """Guards correlations of 1 and -1, which have no logarithmic odds: every weight is a number."""
    rows = [(f"d{i}", who, float(9 - i if who == "z" else i)) for i in range(10) for who in "wxyz"]
    found = weights_of(Grouped.of(rated(rows)), "agreement")
    assert found["z"] == 0
    assert found["w"] == found["x"] == found["y"] == pytest.approx(4 / 3)


def test_a_weighted_gain_by_hand() -> None:
    """Guards what weights do: weighted means; sums still of N ratings; no gain where nobody counts."""
    weights = {"x": 3.0, "y": 1.0, "z": 0.0}
    with pytest.warns(tg.DataWarning, match="count 0.00 to .* 1 of 3 have the weight 0"):
        mean = tg.aggregate(rated(FEW), "mean", weight_assessors=weights)
    total = tg.aggregate(rated(FEW), "sum", weight_assessors=weights)
    assert mean.label.tolist() == pytest.approx([1.25, 0.0, 1.0])
    assert total.label.tolist() == pytest.approx([3 * 1.25, 0.0, 1.0])
    with pytest.warns(tg.DataWarning, match="1 of 3 items get no label"):
        tg.aggregate(rated(FEW), "mean", weight_assessors={"x": 1.0, "y": 0.0, "z": 1.0})
    grouped = Grouped.of(rated(FEW))
    assert row_weights(grouped, dict.fromkeys("xyz", 2.0)).tolist() == [1.0] * 6


def test_mistakes_about_weights(tmp_path: Path) -> None:
    """Guards weights that lack somebody, are negative, twice, all 0, or given to a rule that weighs itself."""
    grouped, path = Grouped.of(rated(FEW)), tmp_path / "w.csv"
    path.write_text("assessor,weight\nx,1\ny,2\n")
    assert read_weights(path) == {"x": 1.0, "y": 2.0}
    with pytest.raises(tg.TruegainError, match="1 of 3 assessors have no weight: z"):
        weights_of(grouped, path)
    for text, match in (("x,-1", "at least 0"), ("x,1\nx,2", "two weights"), ("x,much", "not a number")):
        path.write_text(f"assessor,weight\n{text}\n")
        with pytest.raises(tg.InputError, match=match):
            read_weights(path)
    path.write_text("x\ny\n")
    with pytest.raises(tg.InputError, match="no columns 'assessor' and 'weight'"):
        read_weights(path)
    with pytest.raises(tg.TruegainError, match="not all 0"):
        weights_of(grouped, dict.fromkeys("xyz", 0.0))
    with pytest.raises(tg.TruegainError, match="0 assessors share 4 documents"):
        weights_of(grouped, "agreement")
    with pytest.raises(tg.TruegainError, match="mace weighs assessors itself"):
        tg.aggregate(rated(FEW), "mace", weight_assessors={"x": 1, "y": 1, "z": 1})


def test_weights_pay_where_some_are_careless() -> None:
    """Guards the use of it: with three in ten blind, documents come nearer to their true order in most worlds."""
    better = 0
    for seed in range(12):
        truth, rows = crowd(seed, careless=0.3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tg.DataWarning)
            made = [tg.aggregate(rated(rows), "mean", weight_assessors=w) for w in (None, "agreement")]
        plain, weighted = (kendalltau([truth[d] for d in g.docs.strings()], g.label).statistic for g in made)
        better += int(weighted > plain)
    assert better >= 11
