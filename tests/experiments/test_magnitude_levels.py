"""Magnitudes by experts' level: means, tests, sigma by topic, normalized scores, and a second expert."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest, mannwhitneyu, ttest_ind

import truegain as tg
from truegain.aggregation.magnitudes import normalized
from truegain.cli.app import main
from truegain.data.judgments import Judgments
from truegain.experiments.magnitude_levels import (
    apart_table,
    document_sigmas,
    experts_table,
    mann_whitney,
    means_table,
    sigma_table,
    welch,
)
from truegain.experiments.magnitude_units import normalized_habits
from truegain.experiments.worlds import Magnitudes, magnitude_ratings
from truegain.results.base import Table


@pytest.fixture(scope="module")
def world() -> Magnitudes:
    """People's magnitudes of 26 documents on 6 topics."""
    return magnitude_ratings(topics=6, docs=26, workers=5, seed=2)


def medians(world: Magnitudes) -> dict[tuple[str, str], float]:
    """The median normalized magnitude of each topic and document, gathered one by one."""
    moved = normalized(world.ratings)
    by_doc: dict[tuple[str, str], list[float]] = {}
    for t, d, v in zip(moved.topic.strings(), moved.docs.strings(), moved.label.tolist(), strict=True):
        by_doc.setdefault((t, d), []).append(v)
    return {key: float(np.median(values)) for key, values in by_doc.items()}


def levels(judgments: Judgments) -> dict[tuple[str, str], float]:
    """Labels by topic and document."""
    rows = zip(judgments.topic.strings(), judgments.docs.strings(), judgments.label.tolist(), strict=True)
    return {(t, d): v for t, d, v in rows}


@pytest.mark.parametrize("seed", range(6))
def test_both_tests_are_scipys(seed: int) -> None:
    """Guards t, df, U and both p against scipy: samples of different size and spread, with ties and without."""
    rng = np.random.default_rng(seed)
    x, y = rng.gamma(2, 1, rng.integers(3, 40)), rng.gamma(3, 1, rng.integers(3, 40))
    if seed % 2:
        x, y = np.round(x), np.round(y)
    student, u = ttest_ind(y, x, equal_var=False), mannwhitneyu(y, x, method="asymptotic")
    assert welch(x, y) == pytest.approx((student.statistic, student.df, student.pvalue))
    assert mann_whitney(x, y) == pytest.approx((u.statistic, u.pvalue))


def test_what_has_no_test() -> None:
    """Guards single values and values that are all equal: not a number, never a p of 0."""
    one, same = np.array([1.0]), np.array([2.0, 2.0, 2.0])
    assert np.isnan(welch(one, same)).all()
    assert np.isnan(welch(same, same)).all()
    assert mann_whitney(same, same)[0] == 4.5
    assert np.isnan(mann_whitney(same, same)[1])


def test_neighbouring_levels_from_documents(world: Magnitudes) -> None:
    """Guards what is tested: medians of documents by level, over topics; and topics whose medians are in order."""
    worth, level = medians(world), levels(world.expert)
    rows = apart_table(world.ratings, world.expert).records()
    assert [(r["lower"], r["higher"]) for r in rows] == [(0, 1), (1, 2), (2, 3)]
    for row in rows:
        x, y = ([worth[k] for k in worth if level[k] == row[side]] for side in ("lower", "higher"))
        assert (row["documents lower"], row["documents higher"]) == (len(x), len(y))
        assert row["p of t"] == pytest.approx(ttest_ind(x, y, equal_var=False).pvalue)
        assert row["p of U"] == pytest.approx(mannwhitneyu(y, x, method="asymptotic").pvalue)
        assert row["higher first"] == pytest.approx(np.mean([(b > a) + (a == b) / 2 for a in x for b in y]))
        right = 0
        for t in {t for t, _ in worth}:
            low, high = ([worth[k] for k in worth if level[k] == row[s] and k[0] == t] for s in ("lower", "higher"))
            right += int(np.median(high) > np.median(low))
        assert (row["in order"], row["topics"]) == (right, 6)


def test_means_by_level_and_topic(world: Magnitudes) -> None:
    """Guards the means of figures 3 and 4, with a level of documents that experts did not judge."""
    some = {k: v for k, v in levels(world.expert).items() if not k[1].endswith(("003", "007"))}
    expert = Judgments.of({t: {d: v for (u, d), v in some.items() if u == t} for t, _ in some})
    worth, rows = medians(world), means_table(world.ratings, expert).records()
    for row in rows:
        level = None if row["level"] == "unjudged" else float(str(row["level"]))
        here = [v for k, v in worth.items() if row["topic"] in ("all", k[0]) and some.get(k) == level]
        assert row["documents"] == len(here)
        assert [row["mean"], row["median"]] == pytest.approx([np.mean(here), np.median(here)])
    assert sum(int(str(r["documents"])) for r in rows if r["topic"] == "all") == len(worth)
    assert {r["topic"] for r in rows} == {"all", *(str(t) for t in range(1, 7))}
    assert sum(r["level"] == "unjudged" for r in rows) == 7


def test_sigma_by_topic(world: Magnitudes) -> None:
    """Guards figure 9 by topic: the sds of documents, gathered one by one."""
    moved = normalized(world.ratings)
    by_doc: dict[tuple[str, str], list[float]] = {}
    for t, d, v in zip(moved.topic.strings(), moved.docs.strings(), moved.label.tolist(), strict=True):
        by_doc.setdefault((t, d), []).append(v)
    for row in sigma_table(world.ratings).records():
        here = [v for (t, _), v in by_doc.items() if row["topic"] in ("all", t)]
        pooled = sum(np.var(v) * len(v) for v in here) / sum(len(v) - 1 for v in here)
        assert row["sigma"] == pytest.approx(np.sqrt(pooled))
        assert row["median"] == pytest.approx(np.median([np.std(v, ddof=1) for v in here]))
    assert len(document_sigmas(world.ratings).sds) == 6 * 26


def test_normalized_scores_are_nearer_to_log_normal(world: Magnitudes) -> None:
    """Guards figure 2: the fit of each topic's normalized scores, its D by scipy."""
    rows, moved = normalized_habits(world.ratings).records(), normalized(world.ratings)
    for code, row in enumerate(rows[:-1]):
        logs = np.log(moved.label[moved.topic.code == code])
        assert (row["mean of ln"], row["sd of ln"]) == pytest.approx((logs.mean(), logs.std(ddof=1)))
        assert row["D of log-normal"] == pytest.approx(kstest(logs, "norm", (logs.mean(), logs.std(ddof=1))).statistic)


def second_of(world: Magnitudes) -> Judgments:
    """A second expert: levels 2 and 3 are relevant, one document in five seen otherwise."""
    labels = levels(world.expert)
    said = {k: float((v >= 2) != (i % 5 == 0)) for i, (k, v) in enumerate(labels.items())}
    return Judgments.of({t: {d: v for (u, d), v in said.items() if u == t} for t, _ in said})


def share(value: dict[tuple[str, str], float], level: dict[tuple[str, str], float], topic: str) -> float:
    """Pairs of a topic on different levels in whose order the values agree, equal ones too; one by one."""
    keys = [k for k in value if k in level and k[0] == topic]
    pairs = [(a, b) if level[a] > level[b] else (b, a) for a, b in combinations(keys, 2) if level[a] != level[b]]
    return float(np.mean([value[high] >= value[low] for high, low in pairs]))


def test_two_experts(world: Magnitudes) -> None:
    """Guards figure 7: magnitudes against each expert, by levels and all, and the experts against each other."""
    second = second_of(world)
    one, two, worth = levels(world.expert), levels(second), medians(world)
    rows = experts_table(world.ratings, world.expert, second).records()
    who = {"magnitudes": worth, "expert": one, "second": two}
    assert [(r["order of"], r["as"], r["levels"]) for r in rows[:2]] == [
        ("magnitudes", "expert", "0, 1"), ("magnitudes", "expert", "0, 2"),
    ]  # fmt: skip
    assert len(rows) == 6 + 1 + 1 + 2
    for row in rows:
        level = who[str(row["as"])]
        if row["levels"] != "all":
            level = {k: v for k, v in level.items() if f"{v:g}" in str(row["levels"]).split(", ")}
        shares = [share(who[str(row["order of"])], level, str(t)) for t in range(1, 7)]
        assert row["mean over topics"] == pytest.approx(np.mean(shares))
        assert (row["least"], row["greatest"]) == pytest.approx((min(shares), max(shares)))


def test_labels_below_0_are_no_judgments(world: Magnitudes) -> None:
    """Guards what is not judged: -1 by either expert is as if there were no label."""
    one, two = levels(world.expert), levels(second_of(world))

    def judged(labels: dict[tuple[str, str], float], out: str, value: float | None) -> Judgments:
        said = {k: value if k[1].endswith(out) else v for k, v in labels.items()}
        return Judgments.of({t: {d: v for (u, d), v in said.items() if u == t and v is not None} for t, _ in said})

    rows = [experts_table(world.ratings, judged(one, "3", v), judged(two, "7", v)).rows for v in (-1.0, None)]
    assert rows[0] == rows[1]


def test_a_second_expert_is_asked_for(
    world: Magnitudes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards --show experts without --second, and experts who say one thing only."""
    monkeypatch.chdir(tmp_path)
    tg.write_judgments(world.ratings, "m.csv")
    tg.write_judgments(world.expert, "e.qrels")
    monkeypatch.setattr(
        sys, "argv", ["truegain", "experiment", "magnitudes", "m.csv", "--expert", "e.qrels", "--show", "experts"]
    )
    with pytest.raises(SystemExit) as end:
        main()
    assert (end.value.code, "--second" in capsys.readouterr().err) == (2, True)
    flat = Judgments.of({t: dict.fromkeys([d for u, d in levels(world.expert) if u == t], 1) for t in ("1", "2")})
    with pytest.raises(tg.InputError, match="all equal"):
        apart_table(world.ratings, flat)
    assert isinstance(experts_table(world.ratings, world.expert, flat), Table)
