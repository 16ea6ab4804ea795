"""Hui, Berberich and Mele 2017 held against what it prints: its design, and equations that slipped."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.experiments.disjoint_collections import CONTENT, ESTABLISHED
from truegain.experiments.incomplete_collections import KEEP
from truegain.text.corpus import Corpus

# Tables 1 and 4, 2012: a row alpha-nDCG, ERR-IA and NRBP, a column AbsNB, AbsRB, DeltaNB and DeltaRB.
REUSE = ".23 .40 .31 .51  .26 .44 .31 .54  .26 .45 .31 .54"
CORRELATION = ".87 .89 .71 .82  .85 .86 .69 .80  .84 .85 .68 .80"
# Table 2, of 2012: a row a cell of these, a column the source of labels (A, B, C) and the documents ranked (A, B, C).
IMPACT = """
.87 .89 .71 .79 .90 .73 .30 .23 .71
.89 .89 .71 .84 .89 .73 .43 .40 .71
.71 .79 .67 .61 .81 .67 .23 .31 .69
.82 .88 .69 .79 .88 .67 .41 .51 .70
.85 .87 .65 .81 .88 .69 .29 .26 .67
.86 .88 .69 .85 .89 .71 .43 .44 .68
.69 .75 .63 .60 .78 .60 .20 .31 .65
.80 .86 .65 .80 .87 .64 .41 .54 .66
.84 .83 .60 .82 .83 .64 .26 .26 .63
.85 .84 .64 .86 .85 .66 .40 .45 .63
.68 .70 .59 .61 .72 .55 .19 .31 .60
.80 .82 .60 .82 .84 .59 .39 .54 .61
"""


def test_the_design_is_the_papers() -> None:
    """Guards section 5.1 and tables 1 to 4: three established measures and four by text, at 20; from 1% on."""
    assert ESTABLISHED == ("alpha_nDCG@20", "ERR_IA@20", "NRBP")
    assert CONTENT == ("AbsNB@20", "AbsRB@20", "DeltaNB@20", "DeltaRB@20")
    assert (min(KEEP), max(KEEP), 15.0 in KEEP) == (1.0, 100.0, True)


def test_rows_of_2012_are_cells_of_table_2() -> None:
    """Guards the page on the paper: 2012 in table 1 is labels of C on B, in table 4 of A on A, all 24 as printed.

    `disjoint` shares these cells between its tables too: test_content_experiments.py.
    """
    table = np.array(IMPACT.split(), float).reshape(12, 3, 3)
    assert table[:, 2, 1].tolist() == [float(tau) for tau in REUSE.split()]
    assert table[:, 0, 0].tolist() == [float(tau) for tau in CORRELATION.split()]
    others = table.reshape(12, 9).T.tolist()
    assert [others.count(column) for column in others] == [1] * 9


def test_equation_3_counts_what_came_before() -> None:
    """Guards the errata: NRBP of a list whose every document is relevant to every subtopic is 1, as its factor means.

    With the printed exponent C(r), which counts the document itself, it would be 1 - alpha = 0.5.
    """
    docs = [f"d{i}" for i in range(40)]
    runs = {"x": {"1": {d: 40.0 - i for i, d in enumerate(docs)}}}
    judged = [{"topic": "1", "subtopic": s, "doc": d, "label": 1} for s in ("a", "b", "c") for d in docs]
    value = tg.evaluate(runs, pl.DataFrame(judged), "NRBP").mean()
    assert value == pytest.approx(1 - 0.25**40)
    beta = alpha = 0.5
    printed = (1 - (1 - alpha) * beta) * sum(beta ** (r - 1) * (1 - alpha) ** r for r in range(1, 41))
    assert printed == pytest.approx(0.5)


def test_equation_5_is_a_distribution_only_corrected() -> None:
    """Guards the errata: as printed, with mu and mu P(v) in each other's place, probabilities sum to far more than 1.

    The corrected form is the one that gives our scores: DeltaNB of one document is g(1, 1), counted here by hand.
    """
    texts = {"good": "jaguar cat cat", "seen": "jaguar cat car", "else": "tree car car"}
    counts = {name: {w: text.split().count(w) for w in set(text.split())} for name, text in texts.items()}
    vocabulary = sorted({w for c in counts.values() for w in c})
    total = sum(sum(c.values()) for c in counts.values())
    background = {w: sum(c.get(w, 0) for c in counts.values()) / total for w in vocabulary}
    mu = 2500.0

    def model(name: str) -> dict[str, float]:
        length = sum(counts[name].values())
        return {w: (counts[name].get(w, 0) + mu * background[w]) / (length + mu) for w in vocabulary}

    printed = [(counts["seen"].get(w, 0) + mu) / (3 + mu * background[w]) for w in vocabulary]
    assert sum(printed) > 10
    subtopic, list_model = model("good"), model("seen")
    assert sum(list_model.values()) == pytest.approx(1)

    def divergence(other: dict[str, float]) -> float:
        return float(sum(subtopic[w] * np.log(subtopic[w] / other[w]) for w in vocabulary))

    gain = max(0.0, 1 - divergence(list_model) / divergence(background))
    scores = tg.evaluate(
        {"x": {"1": {"seen": 1.0}}}, {"1": {"good": 1}}, ["DeltaNB@20", "DeltaRB@20"], corpus=Corpus.of(texts)
    )
    assert scores.means("x") == {"DeltaNB@20": pytest.approx(gain), "DeltaRB@20": pytest.approx(0.2 * gain)}
    assert gain > 0
