"""The experiments of incomplete and disjoint judgments, on a simulated world."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.errors import TruegainError
from truegain.experiments import incomplete_collections as module
from truegain.experiments.disjoint_collections import by_md5, disjoint, in_part_b, own_part
from truegain.experiments.incomplete_collections import incomplete, incomplete_rankings, kept_items
from truegain.io.columns import Ids
from truegain.measures.content import Content, ContentScorer
from truegain.parallel.jobs import Local
from truegain.report.charts import curves_chart
from truegain.report.content_paper import impact_chart, incomplete_chart, ranks_chart
from truegain.stats.rank_correlation import kendall_tau
from truegain.text.divergence import RankedText

World = tuple[dict[str, dict[str, dict[str, float]]], pl.DataFrame, dict[str, str]]


@pytest.fixture(scope="module")
def world() -> World:
    """Systems of rising skill, documents that use the words of their subtopic, and judgments of all of them."""
    rng = np.random.default_rng(11)
    texts: dict[str, str] = {}
    rows: list[tuple[str, str, str, int]] = []
    runs: dict[str, dict[str, dict[str, float]]] = {f"s{k}": {} for k in range(8)}
    for t in range(8):
        quality = {}
        for d in range(60):
            name, good = f"t{t}d{d}", d < 15
            own = [f"topic{t}sub{d % 3}word{w}" for w in rng.integers(0, 6, 12)] if good else []
            texts[name] = " ".join([*own, *(f"common{w}" for w in rng.zipf(1.4, 25) if w < 500)])
            rows += [(str(t), str(s), name, int(good and s == d % 3)) for s in range(3)]
            quality[name] = float(good)
        for k in range(8):
            seen = {d: q * (0.3 + 0.25 * k) + float(rng.normal()) for d, q in quality.items()}
            runs[f"s{k}"][str(t)] = seen
    return runs, pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row"), texts


def test_the_spread_of_draws_is_that_of_a_sample(world: World) -> None:
    """Guards sd: over draws less 1, as in `disjoint`; blank of one draw, exactly 0 of equal ones."""
    runs, judgments, _ = world
    found = incomplete(runs, judgments, keep=[5, 100], repeat=3)
    rows = {(row["keep %"], row["way"]): row["sd"] for row in found.table().records()}
    assert rows[5, "raw"] == pytest.approx(statistics.stdev(found.tau[0, 0].tolist()))
    assert rows[100, "raw"] == 0
    alike = replace(found, tau=np.full_like(found.tau, 0.1))  # whose mean is not 0.1, by rounding
    assert {row["sd"] for row in alike.table().records()} == {0.0}
    single = replace(found, tau=found.tau[:, :, :1]).table()
    assert {row["sd"] for row in single.records()} == {None}
    assert "mean of 1 draw, " in single.notes[0]


def test_what_is_kept(world: World) -> None:
    """Guards the sampling: max(1, ceil(p%)) relevant and p% of the other documents of every topic."""
    runs, judgments, texts = world
    ranked = RankedText.of(aligned(runs, judgments, Scoring(), keep_top=5), texts)
    relevant = np.array([int(name.split("d")[1]) < 15 for name in ranked.pool.docs.strings()])
    for percent in (1.0, 15.0, 20.0, 100.0):
        kept = kept_items(ranked, relevant, percent, np.random.default_rng(0))
        for t in range(8):
            here = ranked.pool.topic == t
            assert kept[here & relevant].sum() == max(1, math.ceil(round(percent * 15 / 100, 9)))
            assert kept[here & ~relevant].sum() == round(percent * 45 / 100)


def test_all_judgments_give_what_eval_gives(world: World) -> None:
    """Guards the short cut for content measures: with everything kept, tau is that of plain scores."""
    runs, judgments, texts = world
    found = incomplete(runs, judgments, texts, keep=(100,), repeat=2)
    names = ["alpha_nDCG@20", "alpha_nDCG(judged_only=True)@20", "AbsRB@20", "DeltaRB@20"]
    scores = tg.evaluate(runs, judgments, names, corpus=texts)
    full = scores.summaries[names[0]]
    expected = [kendall_tau(full, scores.summaries[n], "b") for n in names]
    np.testing.assert_allclose(found.tau[:, 0, :], np.array([expected, expected]).T)
    assert found.ways == ("raw", "condensed", "AbsRB@20", "DeltaRB@20")


@pytest.mark.slow
def test_several_rankings_from_the_same_draws(world: World, graded: pl.DataFrame) -> None:
    """Guards the one pass: every ranking's taus are those of the experiment against it alone, bit for bit.

    Two levels of relevance draw different documents; the third measure has no scores with predicted labels.
    """
    runs, _, texts = world
    how = {"measures": ["AbsRB@20", "DeltaRB(rel=3)@20"], "keep": (10, 50), "repeat": 1, "seed": 5}
    names = ["ERR_IA@20", "alpha_nDCG(rel=3)@20", "NRBP", "alpha_nDCG@20"]
    several = incomplete_rankings(runs, graded, texts, against=names, **how)  # type: ignore[arg-type]
    for name, one in zip(names, several, strict=True):
        alone = incomplete(runs, graded, texts, against=name, **how)  # type: ignore[arg-type]
        np.testing.assert_array_equal(one.tau, alone.tau)
        assert one.table().rows == alone.table().rows
        assert one.table().notes == alone.table().notes
    plain = ["nDCG@20", "infAP"]
    for name, one in zip(
        plain, incomplete_rankings(runs, flat(graded), against=plain, keep=(50,), repeat=2), strict=True
    ):
        np.testing.assert_array_equal(one.tau, incomplete(runs, flat(graded), against=name, keep=(50,), repeat=2).tau)
    chart = incomplete_chart([replace(one, collection=year) for one in several for year in ("2009", "2010")]).to_dict()
    titles = [[panel["title"]["text"] for panel in row["hconcat"]] for row in chart["vconcat"]]
    assert titles == [[f"{name}, {year}" for year in ("2009", "2010")] for name in names]
    dashes = chart["vconcat"][0]["hconcat"][0]["layer"][2]["encoding"]["strokeDash"]["scale"]
    assert chart["vconcat"][0]["hconcat"][0]["layer"][2]["encoding"]["color"]["legend"]["symbolOpacity"] == 1
    assert dict(zip(dashes["domain"], dashes["range"], strict=True)) == {
        "raw": [5, 3], "condensed": [5, 3], "AbsRB@20": [1, 0], "DeltaRB(rel=3)@20": [1, 0],
    }  # fmt: skip


@pytest.mark.slow
def test_ranks_by_two_measures(world: World) -> None:
    """Guards figure 2: ranks counted by hand from plain scores, tau of them that of table 4; of A on B as table 1."""
    runs, judgments, texts = world
    found = disjoint(runs, judgments, texts)
    scores = tg.evaluate(runs, judgments, ["ERR_IA@20", "DeltaRB@20"], corpus=texts)
    (panel,) = (p for p in found.ranks() if (p.measure, p.other) == ("ERR_IA@20", "DeltaRB@20"))
    for name, ranks in (("ERR_IA@20", panel.ranks), ("DeltaRB@20", panel.other_ranks)):
        means = scores.summaries[name].tolist()
        assert list(ranks) == [1 + sum(other > mean for other in means) for mean in means]
    assert tuple(panel.systems) == tuple(scores.systems)
    for show in ("against", "reuse"):
        taus = {r["measure"]: r for r in getattr(found, show)().records()}
        for one in found.ranks(show):
            assert one.tau == taus[one.measure][one.other]
            assert kendall_tau(one.ranks, one.other_ranks, "b") == pytest.approx(one.tau)
    among = [(p.measure, p.other) for p in found.ranks("among")]
    assert among == [("ERR_IA@20", "alpha_nDCG@20"), ("NRBP", "alpha_nDCG@20"), ("NRBP", "ERR_IA@20")]
    years = [replace(one, collection=year) for year in ("2009", "2010") for one in found.ranks()]
    drawn = ranks_chart(years).to_dict()
    assert [len(row["hconcat"]) for row in drawn["vconcat"]] == [4, 4, 4]
    points = drawn["vconcat"][0]["hconcat"][0]["layer"][1]["data"]["values"]
    assert [sum(p["collection"] == year for p in points) for year in ("2009", "2010")] == [8, 8]
    boxes = impact_chart(found.impact()).to_dict()["data"]["values"]
    assert {(b["pair"], b["judgments"]): b["tau"] for b in boxes}["NRBP, AbsNB@20", "A on B"] == next(
        r["A on B"] for r in found.impact().records() if (r["measure"], r["content measure"]) == ("NRBP", "AbsNB@20")
    )


def test_predicted_labels_stand_beside_the_others(world: World) -> None:
    """Guards the third way: with all labels it is the plain score, with few it keeps the order better than raw."""
    runs, judgments, texts = world
    best = judgments.group_by("topic", "doc", maintain_order=True).agg(pl.col("label").max())
    found = incomplete(runs, best, texts, against="nDCG@20", keep=(15, 100), repeat=6)
    assert found.ways == ("raw", "condensed", "predicted", "AbsRB@20", "DeltaRB@20")
    raw, predicted = found.tau[0], found.tau[2]
    np.testing.assert_allclose(predicted[1], 1.0)
    assert predicted[0].mean() > raw[0].mean()


def test_without_text_the_other_ways_are_the_same(world: World) -> None:
    """Guards the experiment without a corpus: raw, condensed and predicted draw for draw as beside text."""
    runs, judgments, texts = world
    best = judgments.group_by("topic", "doc", maintain_order=True).agg(pl.col("label").max())
    beside = incomplete(runs, best, texts, against="nDCG@20", keep=(15, 100), repeat=3)
    alone = incomplete(runs, best, keep=(15, 100), repeat=3)
    assert (alone.against, alone.ways) == ("nDCG@20", ("raw", "condensed", "predicted"))
    np.testing.assert_array_equal(alone.tau, beside.tau[:3])
    assert not alone.unpredicted
    with pytest.raises(tg.TruegainError, match="AbsRB@20 reads text; give its corpus"):
        incomplete(runs, best, measures=["AbsRB@20"])


def test_why_nothing_is_predicted_is_told(world: World) -> None:
    """Guards the missing row: a measure that predicted labels do not serve is named in a note."""
    runs, judgments, _ = world
    by_subtopic = incomplete(runs, judgments, keep=(50,), repeat=1)
    assert by_subtopic.against == "alpha_nDCG@20"
    assert "alpha_nDCG@20 does not support them" in by_subtopic.table().notes[-1]


OWN = [
    "AbsRB@20", "AbsRB(rel=2)@20", "AbsRB(rel=3)@20", "AbsRB(theta=0.3)@20", "DeltaRB(rel=3)@20", "AbsNB(mu=100)@20",
    "AbsNB(mu=100,rel=2)@5", "DeltaNB(rel=2)@20", "DeltaNB(rel=2,mu=100)@20", "DeltaRB(theta=0.3,rel=3)@5",
]  # fmt: skip


@pytest.fixture(scope="module")
def graded(world: World) -> pl.DataFrame:
    """The same judgments with labels 1 to 3 for relevant documents; one topic has none above 1, another none at all."""
    grade = pl.col("doc").str.extract(r"d(\d+)$").cast(pl.Int64) // 3 % 3 + 1
    highest = pl.col("topic").replace_strict({"5": 1, "6": 0}, default=3)
    return world[1].with_columns(label=pl.col("label") * pl.min_horizontal(grade, highest))


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
def test_every_measure_is_read_by_its_own_parameters(world: World, graded: pl.DataFrame, share: float) -> None:
    """Guards the short cut of both experiments: with some documents kept, means are those of eval on their rows alone.

    It knew mu and the cutoff, and took rel=1 whatever the measure said.
    """
    runs, _, texts = world
    measures = [m for m in map(tg.parse_measure, OWN) if isinstance(m, Content)]
    ranked = RankedText.of(aligned(runs, graded, Scoring(), keep_top=20), texts)
    kept = np.random.default_rng(4).random(len(ranked.pool)) < share
    names = [d for d, k in zip(ranked.pool.docs.strings(), kept.tolist(), strict=True) if k]
    thin = graded.filter(pl.col("doc").is_in(names))
    expected = tg.evaluate(runs, thin, OWN, corpus=texts)
    means = ContentScorer.of(ranked, measures).means(kept)
    for name, found in zip(OWN, means, strict=True):
        np.testing.assert_allclose(found, expected.summaries[name], rtol=1e-12, err_msg=name)
    assert len({m.round(9).tobytes() for m in means}) == len(OWN)  # no two of them can stand for each other


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_levels_reach_both_experiments(world: World, graded: pl.DataFrame) -> None:
    """Guards the whole road: a row labeled rel=3 holds the tau of rel=3, in both experiments."""
    runs, _, texts = world
    against = "alpha_nDCG(rel=3)@20"
    scores = tg.evaluate(runs, graded, [against, *OWN], corpus=texts)
    expected = [kendall_tau(scores.summaries[against], scores.summaries[name], "b") for name in OWN]
    found = incomplete(runs, graded, texts, against=against, measures=OWN, keep=(100,), repeat=1)
    np.testing.assert_allclose(found.tau[2:, 0, 0], expected)
    row = disjoint(runs, graded, texts, established=[against], content=OWN).against().rows[0]
    assert row == (against, *map(pytest.approx, expected))
    assert len(set(expected)) > 3


def test_relevant_is_what_the_measure_calls_so(
    world: World, graded: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards which documents keep one label at least: those at the level of `against`, not at 1."""
    runs, _, texts = world
    seen = []

    def spy(ranked: RankedText, relevant: np.ndarray, *rest: object) -> np.ndarray:
        seen.append({d for d, good in zip(ranked.pool.docs.strings(), relevant.tolist(), strict=True) if good})
        return kept_items(ranked, relevant, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "kept_items", spy)
    half = graded.with_columns(label=pl.col("label") / 2)
    for against, table, level in (
        ("alpha_nDCG(rel=3)@20", graded, 3), ("alpha_nDCG@20", graded, 1), ("nDCG@20", flat(half), 0.5),
    ):  # fmt: skip
        incomplete(runs, table, texts, against=against, measures=[], keep=(5,), repeat=1)
        assert seen.pop() == set(table.filter(pl.col("label") >= level)["doc"])


def flat(judgments: pl.DataFrame) -> pl.DataFrame:
    """One label for each document, the highest of its subtopics."""
    return judgments.group_by("topic", "doc", maintain_order=True).agg(pl.col("label").max())


def test_the_share_of_relevant_documents_is_told(world: World, graded: pl.DataFrame) -> None:
    """Guards the notes: documents count once, however many subtopics judge them; most of them relevant is warned of."""
    runs, judgments, texts = world
    measures = ["AbsRB(rel=2)@20"]
    found = incomplete(runs, graded, texts, measures=measures, keep=(100,), repeat=1)
    strict = flat(graded).filter(pl.col("label") >= 2).height / 480
    assert found.shares == {1: flat(graded).filter(pl.col("label") >= 1).height / 480, 2: strict}
    assert f"{strict:.0%} a label of at least 2" in found.wide().notes[1] == found.table().notes[1]
    two = disjoint(runs, graded, texts, content=measures)
    assert two.shares == found.shares
    assert all(found.table().notes[1] in t.notes for t in (two.reuse(), two.impact(), two.among(), two.against()))
    few = judgments.filter(pl.col("doc").str.extract(r"d(\d+)$").cast(pl.Int64) < 29)
    with pytest.warns(tg.DataWarning, match=r"52% of the judged documents are relevant to alpha_nDCG@20"):
        incomplete(runs, few, texts, measures=measures, keep=(100,), repeat=1)


def test_the_same_bits_for_any_number_of_workers(world: World) -> None:
    """Guards the seeds: one worker and two give the same draws; another seed gives others."""
    runs, judgments, texts = world
    one, two, other = (
        incomplete(runs, judgments, texts, keep=(5, 20), repeat=3, seed=seed, engine=Local(jobs)).tau
        for jobs, seed in ((1, 0), (2, 0), (1, 1))
    )
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


def test_text_sees_what_labels_see(world: World) -> None:
    """Guards the direction of every tau: where relevant documents share words, text orders systems as labels do."""
    runs, judgments, texts = world
    found = incomplete(runs, judgments, texts, keep=(5, 100), repeat=5)
    mean = found.tau.mean(axis=2)
    assert mean[0, 1] == 1  # raw, all judgments
    assert mean[3, 1] > 0.7  # DeltaRB, all judgments
    assert np.all(mean[:, 1] > mean[:, 0])  # judgments help every way
    assert curves_chart(found.table()).to_dict()["data"]["values"][0]["keep"] == 5


def test_judgments_of_one_part_score_the_other(world: World) -> None:
    """Guards table 1: recomputed with eval alone, from runs and judgments cut by hand."""
    runs, judgments, texts = world
    found = disjoint(runs, judgments, texts)
    names = sorted(texts)
    in_b = dict(zip(names, by_md5(partial(in_part_b, share_a=0.5))(Ids.of(names)).tolist(), strict=True))
    assert 0.4 < np.mean(list(in_b.values())) < 0.6
    only_b = {s: {t: {d: x for d, x in r.items() if in_b[d]} for t, r in run.items()} for s, run in runs.items()}
    side = pl.col("doc").replace_strict(in_b)
    truth = tg.evaluate(only_b, judgments.filter(side), "alpha_nDCG@20").summaries["alpha_nDCG@20"]
    ours = tg.evaluate(only_b, judgments.filter(~side), "AbsRB@20", corpus=texts).summaries["AbsRB@20"]
    row = found.reuse().records()[0]
    assert row["AbsRB@20"] == pytest.approx(kendall_tau(truth, ours, "b"))
    assert [len(t.rows) for t in (found.reuse(), found.impact(), found.among(), found.against())] == [3, 12, 3, 3]
    assert found.among().records()[1]["ERR_IA@20"] == pytest.approx(1.0)
    # as in the paper, table 1 is a column of table 2 (there C on B), and table 4 another one (there A on A)
    cells = {(row["measure"], row["content measure"]): row for row in found.impact().records()}
    for table, column in ((found.reuse(), "A on B"), (found.against(), "all on all")):
        taus = {(row["measure"], name): row[name] for row in table.records() for name in found.content_measures}
        assert taus == {key: row[column] for key, row in cells.items()}


@pytest.mark.slow
def test_own_parts(world: World, tmp_path: Path) -> None:
    """Guards part_a: the same tables as the cut by MD5 whose documents are named, from ids, a file and beginnings."""
    runs, judgments, texts = world
    usual = disjoint(runs, judgments, texts)
    names = sorted(texts)
    in_a = [
        n for n, b in zip(names, by_md5(partial(in_part_b, share_a=0.5))(Ids.of(names)).tolist(), strict=True) if not b
    ]
    (tmp_path / "a.txt").write_text("# part A\n" + "\n".join(in_a) + "\n")
    for own in (in_a, tmp_path / "a.txt"):
        found = disjoint(runs, judgments, texts, part_a=own)
        assert found.reuse().rows == usual.reuse().rows
        assert found.impact().rows == usual.impact().rows
    cut = own_part(["t0d1*", "t1d3"])
    assert cut(Ids.of(["t0d1", "t0d12", "t0d2", "t1d3", "t1d30"])).tolist() == [False, False, True, False, True]


@pytest.mark.slow
def test_draws_and_their_spread(world: World) -> None:
    """Guards repeat: the first cut is the usual one; mean, sd and ends are those of the cuts taken one by one."""
    runs, judgments, texts = world
    found = disjoint(runs, judgments, texts, repeat=3, seed=5)
    names = sorted(texts)
    taus: list[float] = []
    for before in ("", "5/1/", "5/2/"):
        side = by_md5(partial(in_part_b, share_a=0.5), before)(Ids.of(names))
        own = [n for n, b in zip(names, side.tolist(), strict=True) if not b]
        one = disjoint(runs, judgments, texts, part_a=own).reuse().records()[0]["DeltaRB@20"]
        assert isinstance(one, float)
        taus.append(one)
    (row,) = (
        r for r in found.reuse().records() if (r["measure"], r["content measure"]) == ("alpha_nDCG@20", "DeltaRB@20")
    )
    assert taus[0] == disjoint(runs, judgments, texts).reuse().records()[0]["DeltaRB@20"]
    wanted = [np.mean(taus), np.std(taus, ddof=1), min(taus), max(taus), 3]
    assert [row[c] for c in ("tau", "sd", "least", "greatest", "draws")] == pytest.approx(wanted)
    assert len(found.reuse().rows) == 12
    assert len(found.impact().rows) == 9 * 12
    assert [len(t.rows) for t in (found.among(), found.against())] == [3, 3]


def test_tied_systems_have_no_tau(world: World) -> None:
    """Guards what is not there: without a relevant document above its level all systems are tied, which is not 0."""
    runs, judgments, texts = world
    measure = "alpha_nDCG(rel=2)@20"
    rows = disjoint(runs, judgments, texts, established=[measure], content=["AbsRB@20"]).reuse().rows
    assert rows == [(measure, None)]


def test_nonsense_is_refused(world: World) -> None:
    """Guards messages for what cannot be studied."""
    runs, judgments, texts = world
    with pytest.raises(TruegainError, match="reads no text"):
        incomplete(runs, judgments, texts, measures=["AP"])
    with pytest.raises(TruegainError, match="not a percentage"):
        incomplete(runs, judgments, texts, keep=[0])
    with pytest.raises(TruegainError, match="has no condensed form"):
        incomplete(runs, judgments, texts, against="AbsRB@20")
    with pytest.raises(TruegainError, match="condensed already"):
        incomplete(runs, judgments, texts, against="alpha_nDCG(judged_only=True)@20")
    with pytest.raises(TruegainError, match="nothing to compare"):
        disjoint(runs, judgments, texts, content=[])
    with pytest.raises(TruegainError, match="leaves a part empty"):
        disjoint(runs, judgments, texts, share_a=1)
    with pytest.raises(TruegainError, match="give 1 or more"):
        disjoint(runs, judgments, texts, repeat=0)
    with pytest.raises(TruegainError, match="leave out repeat"):
        disjoint(runs, judgments, texts, part_a=["t0d1"], repeat=2)
    with pytest.raises(TruegainError, match="has no document in part A"):
        disjoint(runs, judgments, texts, part_a=["nothing"])
