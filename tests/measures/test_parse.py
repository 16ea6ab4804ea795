"""Measures as text: what parses, prints and is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truegain as tg
from truegain.measures.base import Measure
from truegain.measures.catalogue import ALIASES, CATALOGUE
from truegain.measures.dcg import nDCG
from truegain.measures.parse import parse_measures
from truegain.measures.precision import P
from truegain.measures.trec_names import NUMBERED, PLAIN


@pytest.mark.parametrize("kind", CATALOGUE.values(), ids=lambda k: k.NAME)
def test_every_measure_prints_as_it_parses(kind: type[Measure]) -> None:
    """Guards one name for one thing: text -> measure -> text is the same for all of the catalogue."""
    text = kind.NAME + ({"cutoff": "@7", "recall": "@0.3"}[kind.AT] if kind.AT else "")
    assert str(tg.parse_measure(text)) == text


@given(
    cutoff=st.none() | st.integers(1, 10**6),
    dcg=st.sampled_from(["log2", "exp-log2", "jk", "exp-jk"]),
    judged_only=st.booleans(),
    gains=st.none() | st.dictionaries(st.integers(0, 5), st.floats(0, 100), min_size=1),
)
@settings(max_examples=60, deadline=None)
def test_parameters_come_back(cutoff: int | None, dcg: str, judged_only: bool, gains: dict[int, float] | None) -> None:
    """Guards the printed form of every kind of parameter: it parses to an equal measure."""
    measure = nDCG(cutoff=cutoff, dcg=dcg, judged_only=judged_only, gains=gains)  # type: ignore[arg-type]
    assert tg.parse_measure(str(measure)) == measure
    assert hash(tg.parse_measure(str(measure))) == hash(measure)


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("map", "AP"),
        ("ndcg_cut_10", "nDCG@10"),
        ("P_10", "P@10"),
        ("recip_rank", "RR"),
        ("recall_1000", "R@1000"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("set_F_0.5", "SetF(beta=0.5)"),
        ("Rprec_mult_1.20", "Rprec(mult=1.2)"),
        ("num_rel_ret", "NumRet(rel=1)"),
        ("NumRelRet", "NumRet(rel=1)"),
        ("MAP", "AP"),
        ("MRR@10", "RR@10"),
        (' nDCG( dcg = "exp-log2" ) @ 20 ', "nDCG(dcg='exp-log2')@20"),
        ("AP(rel=2, judged_only=True)@100", "AP(rel=2,judged_only=True)@100"),
        ("AP(rel=1)", "AP"),
    ],
)
def test_other_names(text: str, ours: str) -> None:
    """Guards trec_eval's names, ir_measures' aliases and free spacing."""
    assert str(tg.parse_measure(text)) == ours


def test_every_name_of_trec_eval_is_known() -> None:
    """Guards the table of names: each leads to a measure of the catalogue."""
    for name in [*PLAIN, *(n for n in NUMBERED if NUMBERED[n][1]), "official", "all_trec", "set"]:
        assert parse_measures(name), name
    for alias in ALIASES:
        assert tg.parse_measure(alias + "@5" if "@" not in alias and _takes_cutoff(alias) else alias)


def _takes_cutoff(alias: str) -> bool:
    return CATALOGUE[ALIASES[alias].split("(")[0].split("@")[0]].AT == "cutoff" and "(" not in ALIASES[alias]


def test_several_at_once() -> None:
    """Guards trec_eval's lists: sorted cutoffs, default cutoffs, no repeats."""
    assert [a.name for a in parse_measures("P.10,5")] == ["P_5", "P_10"]
    assert [str(a.measure) for a in parse_measures(["P", "P_5"])][:2] == ["P@5", "P@10"]
    assert len(parse_measures("ndcg_cut")) == 9


def test_measures_as_objects() -> None:
    """Guards Python's own way to write a measure."""
    assert str(nDCG @ 10) == "nDCG@10"
    assert P(rel=2) @ 5 == tg.parse_measure("P(rel=2)@5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", "did you mean nDCG"),
        ("nDCG@0", "at least 1"),
        ("nDCG@x", "not a number"),
        ("nDCG(", "cannot read"),
        ("nDCG(dcg=exp)@10", "cannot read the parameters"),
        ("nDCG(dcg='ln')@10", "dcg must be one of"),
        ("nDCG('log2')@10", "cannot read the parameters"),
        ("nDCG(cut=3)", "has no parameter 'cut'"),
        ("AP(rel=-1)", "must not be negative"),
        ("AP(rel='2')", "rel cannot be '2'"),
        ("AP(judged_only=1)", "judged_only cannot be 1"),
        ("Rprec@10", "takes no cutoff"),
        ("IPrec@1.5", "between 0 and 1"),
        ("P@2.5", "whole number"),
        ("", "cannot read"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, message: str) -> None:
    """Guards clear errors for measures that are misspelt or make no sense."""
    with pytest.raises(tg.MeasureError, match=message):
        tg.parse_measure(text)


@pytest.mark.parametrize(("text", "message"), [("official", "stands for"), ("P", "stands for 9 measures")])
def test_one_measure_is_one(text: str, message: str) -> None:
    """Guards parse_measure against names of several."""
    with pytest.raises(tg.MeasureError, match=message):
        tg.parse_measure(text)


def test_a_cutoff_that_is_needed_is_asked_for() -> None:
    """Guards P without a cutoff, which has no meaning."""
    with pytest.raises(tg.MeasureError, match="write P@10"):
        tg.evaluate({"1": {"a": 1.0}}, {"1": {"a": 1}}, P())
