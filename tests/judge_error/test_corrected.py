"""Corrected scores: the paper's numbers, coverage by simulation, brute force, refusals, real labels."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from tests.worlds import EBAY, study, there
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.experiments.judge_errors import BronzeMean, correct_mean, simulate_judge
from truegain.judge_error.confusion import Confusion, Rates, clearly_positive, corrected_mean
from truegain.judge_error.diagnostics import homogeneity
from truegain.judge_error.fits import JudgedLists
from truegain.judge_error.intervals import (
    bootstrap_over_topics,
    delta_se,
    fieller,
    guarded,
    lang_reiczigel,
    parametric_bootstrap,
)
from truegain.judge_error.judges import Judges
from truegain.judge_error.label_tables import PairCodes, TopicMatrix
from truegain.judge_error.topic_estimators import MatrixFit
from truegain.stats.contrasts import Contrasts
from truegain.study.corrections import sentence_of

Z = 1.959964


def test_ebay_corrected_values() -> None:
    """Guards section 7: 0.805 and 0.828 with standard errors 0.0903 and 0.0923."""
    a = correct_mean(EBAY, BronzeMean(0.6260, n=10278, sd=0.414))
    b = correct_mean(EBAY, BronzeMean(0.6385, n=20604, sd=0.402))
    assert (round(a.value, 3), round(b.value, 3)) == (0.805, 0.828)
    assert (round(a.se or 0, 4), round(b.se or 0, 4)) == (0.0903, 0.0923)


def test_section_6_naive_covers_5_percent_and_corrected_95() -> None:
    """Guards algorithm 2 and eq. 7: who holds the truth, and how often."""
    ranks = [0.49 - 0.02 * s for s in range(10)]
    naive, corrected = simulate_judge(ranks, m_r=0.9, m_n=0.8, n=50, gold=(250, 250), trials=4000).coverage()
    assert 0.03 < naive < 0.08
    assert 0.935 < corrected < 0.965


def test_algorithm_1_agrees_with_equation_7_where_the_ratio_is_nearly_linear() -> None:
    """Guards the parametric bootstrap against the closed form."""
    rates = Rates(0.5, 0.9, 0.8, 0.25 / 500, 0.09 / 2000, 0.16 / 2000, 500, 2000, 2000)
    assert parametric_bootstrap(rates, trials=100_000, seed=1).se == pytest.approx(delta_se(rates), rel=0.02)


def test_algorithm_1_does_not_blow_up_silently() -> None:
    """Guards draws with D* near 0: counted, and refused where there are many."""
    with pytest.raises(tg.TruegainError, match="bootstrap draws have an informedness"):
        parametric_bootstrap(Rates(0.5, 0.6, 0.6, 0.001, 0.016, 0.016, 250, 15, 15), trials=2000, seed=0)


@pytest.mark.few(9)
@pytest.mark.parametrize(("p", "d", "gold"), list(itertools.product((0.02, 0.4, 0.9), (0.1, 0.5, 0.9), (15, 250))))
def test_the_guarded_interval_covers_wherever_it_answers(p: float, d: float, gold: int) -> None:
    """Guards the default: at least about 93% of the answers hold the truth, however rarely there is one."""
    rng, m = np.random.default_rng(int(1000 * p + 10 * d + gold)), (1 + d) / 2
    held = answers = 0
    for _ in range(1500 if d < 0.3 else 500):
        j, r, s = rng.binomial(500, p * d + 1 - m) / 500, rng.binomial(gold, m) / gold, rng.binomial(gold, m) / gold
        rates = Rates(j, r, s, j * (1 - j) / 500, r * (1 - r) / gold, s * (1 - s) / gold, 500, gold, gold)
        try:
            clearly_positive(rates)
        except tg.TruegainError:
            continue
        low, high = guarded(rates, Z)
        answers += 1
        held += low - 1e-9 <= p <= high + 1e-9
    assert held >= 0.93 * answers - 2 * (0.95 * 0.05 * answers) ** 0.5


def test_intervals_agree_where_there_is_plenty_of_gold() -> None:
    """Guards the four intervals against one another, and the width asked for at P = 0.4 with 250 + 250 gold pairs."""
    j = 0.4 * 0.7 + 0.2
    rates = Rates(j, 0.9, 0.8, j * (1 - j) / 500, 0.09 / 250, 0.16 / 250, 500, 250, 250)
    low, high = guarded(rates, Z)
    assert high - low <= 0.158
    for other in (lang_reiczigel(rates, Z), fieller(rates, Z)):
        assert other == pytest.approx((low, high), abs=0.006)


def test_corrected_dcg_is_the_mean_over_all_gold_worlds() -> None:
    """Guards eq. 25 by brute force: the expected bronze weights of every gold assignment give back its DCG."""
    c = Confusion.of_counts([[70, 20, 10], [15, 60, 25], [5, 15, 80]])
    discount, value = 1 / np.log2(np.arange(2, 5)), np.array([0.0, 1.0, 3.0])
    for gold in itertools.product(range(3), repeat=3):
        truth = float(discount @ value[list(gold)])
        mean, expected = np.zeros(3), 0.0
        for bronze in itertools.product(range(3), repeat=3):
            chance = float(np.prod([c.matrix[g, b] for g, b in zip(gold, bronze, strict=True)]))
            weight = np.bincount(bronze, discount, minlength=3)
            mean += chance * weight
            expected += chance * corrected_mean(c, weight, value).value
        assert corrected_mean(c, mean, value).value == pytest.approx(truth)
        assert expected == pytest.approx(truth)


def test_dcg_of_runs_is_the_closed_form() -> None:
    """Guards the way from runs to eq. 25: label weights by hand, unjudged documents counting 0."""
    rng = np.random.default_rng(0)
    gold = {str(t): {f"d{i}": int(rng.integers(0, 3)) for i in range(30)} for t in range(30)}
    near = np.array([[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.05, 0.15, 0.8]])
    bronze = {t: {d: int(rng.choice(3, p=near[g])) for d, g in row.items()} for t, row in gold.items()}
    run = {t: {"unjudged": 99.0, **{f"d{i}": float(-i) for i in range(10)}} for t in gold}
    with pytest.warns(tg.DataWarning, match=r"33.9% of what it counts has no bronze label"):
        answer = tg.correct(run, bronze, "DCG@5", gold=tg.Gold(gold, design="by-gold"), accuracy="given")[0]
    c = tg.Judge.fit(bronze, gold, design="by-gold").confusion.matrix
    f = np.zeros(3)
    for t in gold:
        for i in range(4):
            f[bronze[t][f"d{i}"]] += 1 / np.log2(i + 3) / len(gold)
    assert answer.value == pytest.approx(f @ np.linalg.solve(c, [0, 1, 2]))
    truth = there(tg.evaluate(run, gold, "DCG@5").mean())
    assert answer.low < truth < answer.high


@pytest.mark.parametrize("design", ["random", "by-bronze", "by-gold", "elsewhere"])
def test_the_papers_correction_has_a_command(design: str) -> None:
    """Guards the page on Goldberg et al.: delta with all gold pairs is eq. 15, 24 and 25, however gold was drawn.

    Where it was drawn at random or by bronze label, the default is another estimator.
    """
    rng = np.random.default_rng(2)
    truth = {str(t): {f"d{i}": int(rng.integers(0, 3)) for i in range(20)} for t in range(30)}
    near = np.array([[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.05, 0.15, 0.8]])
    bronze = {t: {d: int(rng.choice(3, p=near[g])) for d, g in row.items()} for t, row in truth.items()}
    run = {t: {f"d{i}": float(-i) for i in range(20)} for t in truth}
    drawn = {t: {d: g for d, g in row.items() if rng.random() < 0.5} for t, row in truth.items()}
    table = np.zeros((3, 3))  # gold by bronze
    for t, row in drawn.items():
        for d, g in row.items():
            table[g, bronze[t][d]] += 1
    if design == "by-bronze":  # of each bronze label, those drawn stand for all
        table *= np.bincount([b for row in bronze.values() for b in row.values()]) / table.sum(axis=0)
    two = np.array([[table[0, 0], table[0, 1:].sum()], [table[1:, 0].sum(), table[1:, 1:].sum()]])
    shares = np.array([[bronze[t][f"d{i}"] == np.arange(3) for i in range(5)] for t in truth]).mean(axis=0)
    inverted = np.linalg.inv(table / table.sum(axis=1, keepdims=True)) @ [0, 1, 2]
    m_r, m_n = two[1, 1] / two[1].sum(), two[0, 0] / two[0].sum()
    expected = {
        "P@5": (shares[:, 1:].sum(axis=1).mean() - 1 + m_n) / (m_r + m_n - 1),  # eq. 15
        "CG@5": shares.sum(axis=0) @ inverted,  # eq. 24
        "DCG@5": (1 / np.log2(np.arange(2, 7))) @ shares @ inverted,  # eq. 25
    }
    gold = tg.Gold(drawn, design=design)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that gold labels alone may be more precise
        found = tg.correct(run, bronze, list(expected), gold=gold, method="delta", accuracy="given")
        usual = tg.correct(run, bronze, list(expected), gold=gold)
    assert {e.measure: e.value for e in found} == pytest.approx(expected)
    assert ([e.value for e in usual] == pytest.approx([*expected.values()], rel=1e-4)) == (design == "elsewhere")


def test_closed_form_variance_is_that_of_refits() -> None:
    """Guards the sandwich against refitting judge and mean together on resampled topics."""
    rng = np.random.default_rng(4)
    topics = tuple(map(str, range(60)))
    accuracy = np.clip(rng.normal(0.8, 0.08, 60), 0.5, 1)
    table = np.stack([np.array([[rng.binomial(8, a), 0], [0, rng.binomial(8, a)]], float) for a in accuracy])
    table[:, 0, 1], table[:, 1, 0] = 8 - table[:, 0, 0], 8 - table[:, 1, 1]
    confusion = Confusion((0.0, 1.0), (0.0, 1.0), topics, table, table.sum(axis=0), 960)
    j = np.clip(rng.normal(0.5, 0.15, 60) + accuracy - 0.8, 0, 1)
    weight, value = np.stack([1 - j, j], axis=1), np.array([0.0, 1.0])
    cell = np.repeat(np.tile(np.arange(4), 60), table.astype(int).ravel())
    topic = np.repeat(np.repeat(np.arange(60), 4), table.astype(int).ravel())
    pairs = PairCodes(np.arange(960), topic, cell // 2, cell % 2, np.ones(960))
    fit = MatrixFit(topics, weight[None], [[TopicMatrix(confusion, np.ones(60, bool), pairs)]], value)
    closed = fit.over_topics(Contrasts.scores(1)).value[0]
    refits = bootstrap_over_topics(fit, trials=8000, seed=1)
    assert np.sqrt(closed) == pytest.approx(refits.se, rel=0.08)


@pytest.mark.parametrize("method", ["default", "lang-reiczigel", "fieller", "delta", "bootstrap"])
def test_runs_by_every_method(method: str) -> None:
    """Guards `tg.correct`: naive is off, corrected is near, and the interval holds what all of gold says."""
    runs, bronze, gold = study(1)
    truth = tg.evaluate(runs, gold, "P@10")
    sample = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 3 == 0} for t, row in gold.items()}
    for answer in tg.correct(runs, bronze, "P@10", gold=tg.Gold(sample, design="by-gold"), method=method):  # type: ignore[arg-type]
        real = there(truth.mean(answer.system))
        assert answer.uncorrected is not None
        assert abs(answer.value - real) < abs(answer.uncorrected - real)
        assert answer.low < real < answer.high
        assert f"{answer.uncorrected:.3f}" in sentence_of(answer)


def test_intra_topic_correlation_is_covered_by_clusters_and_not_without() -> None:
    """Guards the clusters: with an accuracy that varies over topics, intervals for independent pairs are too short."""
    held = {"topics": 0, "none": 0}
    for seed in range(120):
        rng = np.random.default_rng(seed)
        lenient = np.clip(rng.normal(0.0, 0.1, 55), -0.19, 0.19)  # more relevant found, and more that is not
        m_r, m_n = 0.8 + lenient, 0.8 - lenient
        table = np.zeros((15, 2, 2))
        table[:, 0, 0], table[:, 1, 1] = rng.binomial(40, m_n[:15]), rng.binomial(40, m_r[:15])
        table[:, 0, 1], table[:, 1, 0] = 40 - table[:, 0, 0], 40 - table[:, 1, 1]
        names = tuple(f"g{i}" for i in range(15))
        confusion = Confusion((0.0, 1.0), (0.0, 1.0), names, table, table.sum(axis=0), 1200)
        judge = tg.Judge(confusion, (1, 1), "elsewhere")
        p = rng.beta(6, 4, 40)
        j = rng.binomial(20, p * m_r[15:] + (1 - p) * (1 - m_n[15:])) / 20
        for clusters in ("topics", "none"):
            rates = judge.rates(float(j.mean()), float(j.var(ddof=1) / 40), 800, clusters)
            low, high = lang_reiczigel(rates, 2.1 if clusters == "topics" else Z)
            held[clusters] += low <= 0.6 <= high
    assert held["topics"] > 0.9 * 120 > held["none"]


def test_each_system_has_its_own_accuracy() -> None:
    """Guards against judges that favor a system: pooled accuracy misleads, the system's own does not."""
    runs, bronze, gold = study(7, topics=150, tilt=0.25)
    truth = tg.evaluate(runs, gold, "P@10")
    own = tg.correct(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"))
    pooled = tg.correct(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), accuracy="given")
    off = [max(abs((a.value or 0) - there(truth.mean(a.system))) for a in c) for c in (own, pooled)]
    assert off[0] < 0.03 < off[1]


def test_homogeneity_finds_a_judge_that_favors_a_system_and_keeps_its_level() -> None:
    """Guards the permutation test: p small with a tilt, uniform without."""
    measure = tg.parse_measure("P@10")

    def p_value(seed: int, tilt: float) -> tuple[float, str]:
        runs, bronze, gold = study(seed, topics=20, tilt=tilt)
        judge = tg.Judge.fit(bronze, gold, design="by-gold")
        found = homogeneity(JudgedLists.of(aligned(runs, bronze, Scoring()), judge, measure), trials=300, seed=1)
        assert found.p_n is not None
        return found.p_n, found.sentence

    p, sentence = p_value(0, 0.3)
    assert p < 0.01
    assert "NOT equally accurate" in sentence
    assert sum(p_value(seed, 0.0)[0] < 0.1 for seed in range(1, 21)) <= 6


def test_several_judges_are_each_corrected_with_their_own_accuracy() -> None:
    """Guards section 3.9: a panel equals correcting each judge's topics by themselves and averaging."""
    runs, bronze, gold = study(3)
    import polars as pl

    rows = [(t, d, "x" if int(t) % 2 else "y", g) for t, row in bronze.items() for d, g in row.items()]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    panel = Judges.fit(frame, gold, "by-gold")
    whole = tg.correct(runs, frame, "P@10", gold=panel)
    parts = []
    for odd in (0, 1):
        topics = [t for t in gold if int(t) % 2 == odd]
        some = {s: {t: row[t] for t in topics} for s, row in runs.items()}
        mine, theirs = {t: bronze[t] for t in topics}, {t: gold[t] for t in topics}
        parts.append(
            tg.correct(some, mine, "P@10", gold=tg.Gold(theirs, design="by-gold"), accuracy="given", method="delta")
        )
    for i in (0, 1):
        assert whole[i].value == pytest.approx(((parts[0][i].value or 0) + (parts[1][i].value or 0)) / 2)


def test_honest_refusals() -> None:
    """Guards against numbers that cannot be supported: each refusal says why and what helps."""
    runs, bronze, gold = study(0, topics=6)
    with pytest.raises(tg.TruegainError, match="how were the gold pairs sampled"):
        tg.correct(runs, bronze, "P@10", gold=gold)
    with pytest.raises(tg.TruegainError, match="not linear"):
        tg.correct(runs, bronze, "nDCG@10", gold=tg.Gold(gold, design="by-gold"))
    with pytest.raises(tg.TruegainError, match="give max_rel as a number"):
        tg.correct(runs, bronze, "RBP(max_rel='topic')", gold=tg.Gold(gold, design="by-gold"))
    coin = tg.Judge.from_counts(relevant=(15, 30), nonrelevant=(16, 30))
    with pytest.raises(tg.TruegainError, match="not clearly better than chance"):
        correct_mean(coin, BronzeMean(0.5, n=100))
    with pytest.raises(tg.TruegainError, match="no width"):
        correct_mean(tg.Judge.from_counts(relevant=(300, 1000), nonrelevant=(950, 1000)), BronzeMean(0.6, n=5000))
    with pytest.raises(tg.TruegainError, match="from 1 topic"):
        tg.correct(runs, bronze, "P@10", gold=tg.Gold({"0": gold["0"]}, design="by-gold"))


def test_the_enterprise_table_does_not_fit_together() -> None:
    """Guards the diagnosis of section 8: 0.527 against mR = 0.447."""
    judge = tg.Judge.from_counts(relevant=(17, 38), nonrelevant=(216, 262))
    assert "0.527, but this judge calls only 0.447 of the relevant" in judge.consistency(0.527)[0]
    answer = correct_mean(judge, BronzeMean(0.527, n=50, sd=0.240))
    assert answer.value == 1.0
    assert any("constrained maximum likelihood" in note for note in answer.notes)


def test_gold_alone_being_surer_is_told() -> None:
    """Guards the warning: a poor judge and much gold."""
    runs, bronze, gold = study(2, m_r=0.6, m_n=0.6, topics=80)
    with pytest.warns(tg.DataWarning, match=r"gold labels alone would be more precise for . of 2 systems"):
        tg.correct(runs, bronze, "P@10", gold=tg.Gold(gold, design="random"), method="lang-reiczigel")


@pytest.mark.slow
def test_real_labels_of_an_llm(shared_data: Path, tmp_path: Path) -> None:
    """Guards the whole way on TREC DL 2019: 20% of NIST's labels as gold, GPT-4o as bronze, truth by all of NIST's."""
    import io
    import lzma
    import tarfile
    import warnings

    import polars as pl

    with tarfile.open(shared_data / "dl19_runs" / "dl19_runs_top100_judgedtopics.tar.xz") as tar:
        tar.extractall(tmp_path, filter="data")
    raw = lzma.decompress((shared_data / "dl_llm_judges" / "dl19_labels_wide.csv.xz").read_bytes())
    table = pl.read_csv(io.BytesIO(raw), infer_schema_length=20_000)
    keep = np.random.default_rng(7).random(len(table)) < 0.2

    def column(frame: pl.DataFrame, name: str) -> pl.DataFrame:
        return frame.select("topic", "doc", pl.col(name).cast(pl.Float64).alias("label")).drop_nulls()

    nist, bronze = column(table, "nist"), column(table, "gpt-4o_umbrela")
    gold, runs = column(table.filter(pl.Series(keep)), "nist"), sorted(p for p in tmp_path.rglob("*") if p.is_file())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        truth = tg.evaluate(runs, nist, "P(rel=2)@10")
        answers = tg.correct(runs, bronze, "P(rel=2)@10", gold=tg.Gold(gold, design="by-gold"))
    given = [a for a in answers if not a.refused]
    held = [a.low <= there(truth.mean(a.system)) <= a.high for a in given]
    assert len(given) > 30
    assert np.mean(held) > 0.85


def test_a_judge_no_better_than_chance_is_refused_not_divided_by() -> None:
    """Guards D = 0 exactly: a refusal with what would help, never a division by zero."""
    with pytest.raises(tg.TruegainError, match="sensitivity"):
        correct_mean(tg.Judge.from_counts((8, 15), (7, 15)), BronzeMean(0.5, 50, 0.2))
