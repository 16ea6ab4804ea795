"""Measures as text: what parses, prints and is refused."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from math import log2
from typing import Any

import ir_measures
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import truegain as tg
from tests.worlds import there
from truegain.measures.base import Measure
from truegain.measures.catalogue import ALIASES, CATALOGUE, NUMBERED, PLAIN, parse_measures, split_measures
from truegain.measures.dcg import nDCG
from truegain.measures.precision import P


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
        ("set_F..5", "SetF(beta=0.5)"),
        ("iprec_at_recall..10", "IPrec@0.1"),
        ("iprec_at_recall_.1", "IPrec@0.1"),
        ("Rprec_mult..2", "Rprec(mult=0.2)"),
        ("utility.2,-1,0,0", "Utility(a=2)"),
        ("utility_1.0,-1,.5,-.25", "Utility(c=0.5,d=-0.25)"),
        ("ndcg.1=3.5,2=9.0,4=7", "nDCG(gains={1:3.5,2:9,4:7})"),
        ("ndcg_0=-1", "nDCG(gains={0:-1})"),
        ("rbp.p=.7", "RBP(p=0.7,max_rel='topic')"),
        ("rbp.1=2,p=.5", "RBP(p=0.5,gains={1:2},max_rel='topic')"),
        ("rbp_resid.p=0.7", "RBPResidual(p=0.7,trec_eval=True)"),
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


RANX = {  # what ranx 0.3.21 gives for the run and the judgments below
    "precision@3": 1 / 3, "recall@3": 5 / 12, "hit_rate@1": 0.5, "mrr@3": 0.75, "map@3": 7 / 24, "map": 0.6,
    "r-precision": 5 / 12, "ndcg@3": 0.4349092269150119, "ndcg_burges@3": 0.4595089385488188, "rbp.95": 0.20485015625,
    "bpref": 1 / 6, "dcg@3": 1.8154648767857289, "dcg_burges@3": 3.815464876785729, "mrr-l2": 0.625,
    "hits": 2.5, "hits@3": 1.0, "hits-l2": 1.5, "f1": 17 / 24, "f1@3": 11 / 30, "f1@10": 31 / 78, "f1@3-l2": 0.2,
}  # fmt: skip


def test_names_of_ranx_are_the_same_measures() -> None:
    """Guards names that people bring along: each gives ranx's own value, and is shown under the one name of ours."""
    qrels = {"1": {"a": 2, "b": 0, "c": 1, "e": 3}, "2": {"a": 1, "d": 0, "f": 2}}
    run = {"1": {"a": 0.5, "b": 2.5, "x": 1.5, "c": 0.25, "e": 3.5}, "2": {"d": 3.0, "a": 1.0, "y": 0.5, "f": 0.1}}
    scores = tg.evaluate(run, qrels, list(RANX))
    assert {name: scores.mean("run", name) for name in RANX} == pytest.approx(RANX)
    assert set(scores.measures) & set(RANX) == set()
    assert str(tg.parse_measure("precision@5")) == "P@5"
    assert str(tg.parse_measure("hit_rate@10")) == "Success@10"
    assert str(tg.parse_measure("precision@10-l2")) == "P(rel=2)@10"


@pytest.mark.parametrize("text", ["NumRelRet(rel=2)", "ndcg_burges(rel=2)@5"])
def test_a_name_that_sets_a_parameter_takes_no_other(text: str) -> None:
    """Guards against parameters that were silently dropped behind such a name."""
    with pytest.raises(tg.MeasureError, match="write that with the parameters you want"):
        tg.parse_measure(text)


def test_several_at_once() -> None:
    """Guards trec_eval's lists: sorted cutoffs, default cutoffs, no repeats; several names in one text."""
    assert [a.name for a in parse_measures("P.10,5,AP ndcg.1=3,2=9, 11pt_avg")] == [
        "P_5", "P_10", "AP", "ndcg_1=3,2=9", "11pt_avg",
    ]  # fmt: skip
    given = "D(of='Q@10,AP')@10 nDCG(gains={1:1, 2:3})@5,utility.1,-1,0,0, P @ 10"
    assert split_measures(given) == ["D(of='Q@10,AP')@10", "nDCG(gains={1:1, 2:3})@5", "utility.1,-1,0,0", "P @ 10"]
    assert [a.name for a in parse_measures("P.10,5")] == ["P_5", "P_10"]
    assert [str(a.measure) for a in parse_measures(["P", "P_5"])][:2] == ["P@5", "P@10"]
    assert len(parse_measures("ndcg_cut")) == 9


def test_parameters_as_trec_eval_writes_them() -> None:
    """Guards names with parameters: printed as trec_eval prints them, with the values of its formulas."""
    names = ["iprec_at_recall..20,.10", "utility.2,-1,.5,0", "ndcg.1=3,2=9", "set_F..5"]
    found = {a.name: a.measure for a in parse_measures(names)}
    assert list(found) == [
        "iprec_at_recall_0.10",
        "iprec_at_recall_0.20",
        "utility_2,-1,.5,0",
        "ndcg_1=3,2=9",
        "set_F_.5",
    ]
    qrels = {"1": {"a": 2, "b": 1, "c": 0, "d": 3}}
    run = {"1": {"b": 4.0, "x": 3.0, "a": 2.0, "c": 1.0}}
    values = tg.evaluate(run, qrels, names).means()
    assert values[str(found["utility_2,-1,.5,0"])] == 2 * 2 - 1 * 2 + 0.5 * 1
    ideal = 9 + 3 / log2(3) + 3 / log2(4)  # level 3 keeps its gain of 3
    assert values[str(found["ndcg_1=3,2=9"])] == pytest.approx((3 + 9 / log2(4)) / ideal)
    for name in found:
        assert [a.measure for a in parse_measures(name)] == [found[name]], "what is printed can be asked for"


def test_all_trec_is_that_of_trec_eval_10() -> None:
    """Guards the list behind the name: rbp is in it, yaap is not."""
    names = [a.name for a in parse_measures("all_trec")]
    assert names[-6:] == ["num_nonrel_judged_ret", "rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"]
    assert "yaap" not in names


@pytest.mark.parametrize("name", [*ir_measures.measures.registry])
def test_every_name_of_ir_measures_is_known(name: str) -> None:
    """Guards the names of the other tool: each is a measure of ours, perhaps with a cutoff."""
    with contextlib.suppress(tg.MeasureError):
        assert tg.parse_measure(name)
        return
    assert tg.parse_measure(f"{name}@5")


@settings(deadline=None)
@given(st.lists(st.sampled_from([None, 0, 1, 2]), min_size=1, max_size=12), st.integers(1, 14), st.sampled_from([1, 2]))
def test_accuracy_is_that_of_ir_measures(labels: list[int | None], cutoff: int, rel: int) -> None:
    """Guards Accuracy against the tool it is from, and against counting pairs."""
    assume(any(x is not None for x in labels[:cutoff]))  # else the run is refused
    qrels = {"1": {"other": 2, **{f"d{i}": x for i, x in enumerate(labels) if x is not None}}}
    run = {"1": {f"d{i}": float(-i) for i in range(len(labels))}}
    for at in (None, cutoff):
        name = f"Accuracy(rel={rel})" + ("" if at is None else f"@{at}")
        ours = tg.evaluate(run, qrels, name).by_topic().get("1")
        top = labels[:at]
        good = [x is not None and x >= rel for x in top]
        pairs = [not second for i, first in enumerate(good) for second in good[i + 1 :] if first != second and first]
        every = sum(good) * (len(good) - sum(good))
        if not any(good):
            assert ours is None
        elif not every:
            assert ours == 1
        else:
            assert ours == pytest.approx(len(pairs) / every)
            theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(name)], qrels, run)
            assert ours == pytest.approx(next(iter(theirs.values())))


def test_measures_as_objects() -> None:
    """Guards Python's own way to write a measure."""
    assert str(nDCG @ 10) == "nDCG@10"
    assert P(rel=2) @ 5 == tg.parse_measure("P(rel=2)@5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", "did you mean nDCG"),
        ("P5", r"did you mean P@5\?"),
        ("Rprec5", "did you mean Rprec or"),  # which has no cutoff
        ("recall100", r"did you mean R@100\?"),
        ("nDCG@0", "at least 1"),
        ("nDCG@x", "not a number"),
        ("nDCG(", "cannot read"),
        ("nDCG(dcg=exp)@10", "cannot read the parameters"),
        ("nDCG(dcg='ln')@10", "dcg must be one of"),
        ("nDCG('log2')@10", "cannot read the parameters"),
        ("P(rel={{}})@10", "cannot read the parameters"),
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("official", "stands for"),
        ("P", "stands for 9 measures"),
        ("P@5 AP", "one is wanted here; name one, such as P@5"),
    ],
)
def test_one_measure_is_one(text: str, message: str) -> None:
    """Guards parse_measure against names of several."""
    with pytest.raises(tg.MeasureError, match=message):
        tg.parse_measure(text)


def test_a_cutoff_that_is_needed_is_asked_for() -> None:
    """Guards P without a cutoff, which has no meaning."""
    with pytest.raises(tg.MeasureError, match="write P@10"):
        tg.evaluate({"1": {"a": 1.0}}, {"1": {"a": 1}}, P())


def test_one_measure_of_ir_measures() -> None:
    """Guards a measure of ir_measures given alone, cut or not: `list` of one asks it for its parts, and fails."""
    for theirs in (ir_measures.nDCG @ 10, ir_measures.AP, ir_measures.P(rel=2) @ 5):
        assert [str(a.measure) for a in parse_measures(theirs)] == [str(theirs)]  # type: ignore[arg-type]
    both = parse_measures([ir_measures.AP, "P@5"])  # type: ignore[list-item]
    assert [str(a.measure) for a in both] == ["AP", "P@5"]


@pytest.mark.parametrize("odd", [None, 3, [3], b"AP", {"AP": 1}, [["AP"]], []], ids=str)
def test_what_is_no_measure(odd: object) -> None:
    """Guards a clear error, and no TypeError, where measures are None, a number, bytes, a dict or a list of lists."""
    with pytest.raises(tg.MeasureError, match=r"such as '?nDCG@10"):
        tg.evaluate({"a": {"1": {"x": 1.0}}}, {"1": {"x": 1}}, odd)  # type: ignore[arg-type]


def one_list(labels: Sequence[int], measure: str, **options: Any) -> float:
    """A list with these labels from the first rank on; the value of one topic."""
    run = {"1": {f"d{i}": -float(i) for i in range(len(labels))}}
    judged = {"1": {f"d{i}": x for i, x in enumerate(labels)}}
    return there(tg.evaluate(run, judged, measure, scoring=tg.Scoring(**options)).mean())


def test_limits_of_cutoffs() -> None:
    """Guards the least cutoff: 1 is one, 0, True and 1.5 are none; rank k counts and k + 1 does not."""
    assert one_list([0, 1], "RR@2") == 0.5
    assert one_list([0, 1], "RR@1") == 0
    for wrong in (0, -1, True, 1.5):
        with pytest.raises(tg.MeasureError, match="whole number of at least 1"):
            tg.parse_measure("P@5") @ wrong


def test_numbers_in_names_of_measures() -> None:
    """Guards how gains print: whole numbers without a point, others with it, and back again."""
    for text in ("nDCG(gains={1:2,3:0.5})", "CG(gains={0:1,1:1000000})@5"):
        assert str(tg.parse_measure(text)) == text
