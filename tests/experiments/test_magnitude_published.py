"""The printed numbers of the magnitude paper (Maddalena et al. 2017, ACM TOIS 35(3)) against our functions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.conftest import folder as folder
from tests.cli.conftest import run as run
from tests.planning.test_assessor_plan import TABLE_2
from truegain.data.ratings import read_ratings
from truegain.experiments.discriminative import jaccard, share_of
from truegain.experiments.magnitude_rankings import MEASURES, magnitude_systems
from truegain.experiments.magnitude_units import collected_table, numbers_table
from truegain.experiments.worlds import magnitude_ratings, runs_over
from truegain.judging.study.units import Design, units_needed
from truegain.planning.assessors import assessors_table

# table I: documents, units, back 0, 1, 2+, failed 0, 1, 2+ of each topic
TABLE_1 = {
    "402": (278, 460, 452, 8, 0, 426, 18, 16), "403": (111, 182, 178, 4, 0, 120, 19, 43),
    "405": (214, 354, 347, 6, 1, 322, 20, 12), "407": (212, 350, 346, 3, 1, 324, 9, 17),
    "408": (188, 310, 306, 4, 0, 266, 16, 28), "410": (212, 350, 346, 4, 0, 326, 10, 14),
    "415": (179, 295, 289, 4, 2, 255, 23, 17), "416": (174, 287, 286, 1, 0, 267, 12, 8),
    "418": (243, 402, 394, 8, 0, 372, 15, 15), "420": (164, 270, 266, 4, 0, 256, 4, 10),
    "421": (342, 567, 554, 11, 2, 537, 16, 14), "427": (195, 322, 315, 7, 0, 214, 52, 56),
    "428": (253, 419, 412, 6, 1, 396, 13, 10), "431": (203, 335, 333, 2, 0, 296, 27, 12),
    "440": (264, 437, 427, 10, 0, 397, 19, 21), "442": (408, 677, 672, 5, 0, 629, 25, 23),
    "445": (210, 347, 334, 11, 2, 334, 10, 3), "448": (419, 695, 687, 8, 0, 652, 21, 22),
}  # fmt: skip
SUMS = (4269, 7059, 6944, 106, 9, 6389, 329, 341)

# table IV, top set: narrow, wide, all
TABLE_4 = {
    "TREC, nDCG@10": ("63.64", "72.73", "81.82"),
    "TREC, ERR@10": ("20.00", "60.00", "20.00"),
    "Sormunen-Simulated, nDCG@10": ("9.76", "68.29", "31.71"),
    "Sormunen-Simulated, ERR@10": ("68.18", "100.00", "68.18"),
}
# table III, top-set overlap of the mappings
TABLE_3 = {
    "nDCG@10": ("100", "100", "98", "95", "95", "66", "42"),
    "ERR@10": ("100", "100", "95", "91", "100", "100", "73"),
}


def fitting(size: int, printed: str) -> list[int]:
    """The sizes of the common part with which a share of `size` systems is printed so."""
    digits = len(printed.partition(".")[2])
    return [k for k in range(size + 1) if f"{100 * k / size:.{digits}f}" == printed]


@pytest.mark.parametrize(("row", "size"), list(zip(TABLE_4, (11, 5, 41, 22), strict=True)))
def test_top_sets_of_table_4_are_shares_of_the_experts(row: str, size: int) -> None:
    """Guards the overlap: one size of the experts' top set gives all three percentages of a row, as `share_of` does.

    By Jaccard the divisor is the size of both sets together, which would have to be the same for three rankings.
    """
    sizes = [n for n in range(1, 130) if all(fitting(n, printed) for printed in TABLE_4[row])]
    assert sizes[0] == size
    experts = {f"s{i}" for i in range(size)}
    for printed in TABLE_4[row]:
        (common,) = fitting(size, printed)
        for others in (0, 7):  # whatever else the other set holds
            other = {f"s{i}" for i in range(common)} | {f"other-{i}" for i in range(others)}
            assert f"{100 * share_of(experts, other):.2f}" == printed
        assert common == size or f"{100 * jaccard(experts, other):.2f}" != printed


def test_top_sets_of_table_3() -> None:
    """Guards the same of mappings: 22 systems by ERR fit all, 41 by nDCG all but 42%, which 17/41 = 41.46% is not.

    41.46 rounded twice, to 41.5 and to 42, is what was printed.
    """
    assert all(fitting(22, printed) for printed in TABLE_3["ERR@10"])
    assert [bool(fitting(41, printed)) for printed in TABLE_3["nDCG@10"]] == [True] * 6 + [False]
    assert f"{100 * 17 / 41:.1f}" == "41.5"
    assert f"{float('41.5'):.0f}" == "42"


def test_mappings_that_must_agree_do() -> None:
    """Guards table III where it follows from the formulas: nDCG of 100 C is that of C, ERR of 100 C that of 10^(1+C).

    Both are printed so, 1.000 and 0.698: by large gains R(G) is 1 for the best documents and 0 for all others.
    """
    world = magnitude_ratings(topics=10, docs=30, workers=4, seed=5)
    runs = runs_over(world.truth, systems=12, seed=5)
    found = magnitude_systems(world.ratings, world.expert, runs, sources=["all"], replicates=1)
    rows = {(r["measure"], r["gain"]): (r["tau"], r["overlap"], r["top gain"]) for r in found.mappings.records()}
    ndcg, err = MEASURES
    assert rows[ndcg, "100 C"] == rows[ndcg, "C"] == (1.0, 1.0, rows[ndcg, "C"][2])
    assert rows[err, "100 C"] == rows[err, "10^(1 + C)"]
    assert rows[err, "100 C"] != rows[err, "C"]


@pytest.mark.parametrize("topic", TABLE_1)
def test_units_of_table_1_are_those_of_our_design(topic: str) -> None:
    """Guards the design: ten judgments of each document in units of eight with Hk and Nk need the printed units."""
    documents, units, *counts = TABLE_1[topic]
    assert units_needed(documents - 2, Design(), True) == units
    assert sum(counts[:3]) == sum(counts[3:]) == units


def test_sums_of_table_1() -> None:
    """Guards `--show collected` on units with the printed counts: its sums are the printed ones.

    Percentages are printed as 98 2 0 and 90 5 5; 6389 of 7059 is 90.51%, which is 91: with it they would add to 101.
    """
    rows = []
    for topic, (documents, units, *counts) in TABLE_1.items():
        backs = np.repeat((0, 1, 2), counts[:3])
        failed = np.repeat((0, 1, 3), counts[3:])
        for unit in range(units):
            docs = ["h", "n", *(f"d{i}" for i in range(documents - 2) if i % units == unit)]
            rows += [(topic, doc, f"w{unit}", 1.0, f"{topic}-{unit}", {"h": "high", "n": "low"}.get(doc, ""),
                      int(backs[unit]), int(failed[unit])) for doc in docs]  # fmt: skip
    names = ["topic", "doc", "assessor", "label", "unit", "anchor", "backs", "sent_back"]
    table = collected_table(read_ratings(pl.DataFrame(rows, schema=names, orient="row")))
    found = {str(r[0]): (r[1], r[2], *r[5:]) for r in table.rows}
    assert found == {**TABLE_1, "all": SUMS}
    assert [round(100 * n / SUMS[1]) for n in SUMS[2:]] == [98, 2, 0, 91, 5, 5]


def test_table_2_whole(run: Run) -> None:
    """Guards `plan assessors` with several sigmas and errors: the sixty printed numbers in one call, at 99%."""
    errors = ",".join(f"{e:g}" for e in TABLE_2)
    code, out, _ = run(
        "plan", "assessors", "--sigma", "1,2,3,4,5,6", "--error", errors, "--confidence", "0.99", "--format", "csv"
    )
    assert code == 0
    head, *lines = out.splitlines()
    assert head == "error,sigma_1,sigma_2,sigma_3,sigma_4,sigma_5,sigma_6"
    assert {float(r.split(",")[0]): tuple(map(int, r.split(",")[1:])) for r in lines} == TABLE_2
    for words, fault in (
        (["--sigma", "1,x", "--error", "1"], "--sigma 1,x: give a number, or several with commas"),
        (["--sigma", "1,0", "--error", "1"], "give a finite number above 0"),
        (["ratings.csv", "--error", "1,2"], "several are for --sigma"),
    ):
        code, _, err = run("plan", "assessors", *words)
        assert code == 2
        assert fault in err


def test_table_2_is_not_at_95() -> None:
    """Guards what we say of table II: at the 95% of its caption only the five cells of one worker would come out."""
    table = assessors_table(range(1, 7), list(TABLE_2), 0.95)
    same = [
        n for row in table.rows for n, printed in zip(row[1:], TABLE_2[float(str(row[0]))], strict=True) if n == printed
    ]
    assert same == [1] * 5
    assert table.rows[3][2] == 4  # sigma 2, error 2: the paper says about 7


def test_equations_1_and_2() -> None:
    """Guards section 4.3: {1, 2, 3, 4} and {10, 20, 30, 40} have equal normalized values, with their ratios kept."""
    rows = [("1", doc, who, n * times) for who, times in (("a", 1), ("b", 10)) for n, doc in enumerate("wxyz", 1)]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    for rule in ("median", "geometric"):
        moved = tg.aggregate(frame, rule, normalize="geometric")
        assert moved.label / moved.label[0] == pytest.approx([1, 2, 3, 4])
    # equation 2: s gamma / gamma_u, gamma of the topic, gamma_u of the unit
    gamma_u, gamma = 24 ** (1 / 4), (24 * 24e4) ** (1 / 8)
    assert moved.label == pytest.approx([n * gamma / gamma_u for n in (1, 2, 3, 4)])


def test_equations_3_to_6() -> None:
    """Guards the four normalizations against the printed formulas, written out."""
    scores = {"a": {"h": 9.0, "x": 3.0, "y": 2.0, "n": 1.0}, "b": {"h": 40.0, "x": 25.0, "z": 10.0, "n": 5.0}}
    rows = [
        ("1", d, who, s, {"h": "high", "n": "low"}.get(d, "")) for who, its in scores.items() for d, s in its.items()
    ]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label", "anchor"], orient="row")
    logs = {who: {d: math.log(s) for d, s in its.items()} for who, its in scores.items()}
    everything = [v for its in logs.values() for v in its.values()]
    mean, middle = float(np.mean(everything)), float(np.median(everything))
    centers: dict[str, tuple[Callable[[dict[str, float]], float], float]] = {
        "geometric": (lambda u: float(np.mean(list(u.values()))), mean),  # equation 3
        "median": (lambda u: float(np.median(list(u.values()))), middle),  # 4
        "range": (lambda u: (max(u.values()) + min(u.values())) / 2, mean),  # 5
        "anchors": (lambda u: (u["h"] + u["n"]) / 2, mean),  # 6
    }
    for how, (unit, topic) in centers.items():
        want = {(d, who): math.exp(v - unit(u) + topic) for who, u in logs.items() for d, v in u.items()}
        for doc in ("y", "z"):  # each rated once: the gain is the normalized score
            gains = tg.aggregate(frame, "median", normalize=how)
            found = dict(zip(gains.docs.strings(), gains.label.tolist(), strict=True))[doc]
            assert found == pytest.approx(next(v for (d, _), v in want.items() if d == doc)), how


def test_dcg_and_err_of_section_7() -> None:
    """Guards the two measures of section 7.1 against their formulas on one list, gains 2, 3, 0, 1."""
    gains, rank = [2.0, 3.0, 0.0, 1.0], "abcd"
    runs = {"s": {"1": {d: float(9 - i) for i, d in enumerate(rank)}}}
    scores = tg.evaluate(runs, {"1": dict(zip(rank, gains, strict=True))}, list(MEASURES))
    dcg, ideal = (g[0] + sum(x / math.log2(i) for i, x in enumerate(g[1:], 2)) for g in (gains, sorted(gains)[::-1]))
    err, going = 0.0, 1.0
    for place, gain in enumerate(gains, 1):
        r = (2**gain - 1) / 2**3
        err, going = err + going * r / place, going * (1 - r)
    assert [float(scores.matrix(m)[0, 0]) for m in MEASURES] == pytest.approx([dcg / ideal, err])


def test_ratio_of_section_9() -> None:
    """Guards 54 and 76: a ratio of 1.407, which needs more than two figures."""
    assert f"{76 / 54:.3f}" == "1.407"
    frame = pl.DataFrame({"topic": "1", "doc": ["a", "b"], "assessor": "x", "label": [54.0, 76.0]})
    shares = {r["what"]: r["share"] for r in numbers_table(read_ratings(frame)).records()}
    assert shares["ratios of more than 2 figures"] == 1.0
    assert shares["units that follow ratios of 2 figures"] == 0.0
