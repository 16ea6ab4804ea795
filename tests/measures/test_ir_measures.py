"""RBP, Judged, the C/W/L measures and Compat, against ir_measures and cwl."""

from __future__ import annotations

import random
import warnings
from collections.abc import Mapping
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truegain as tg


def means(run: Mapping[str, float], labels: Mapping[str, float], names: list[str], **options: Any) -> dict[str, float]:
    """Values for one topic, by canonical name; another has a judged document, without which the run is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        scores = tg.evaluate(
            {"1": run, "2": {"z": 1.0}}, {"1": labels, "2": {"z": 0}}, names, scoring=tg.Scoring(**options)
        )
    return {name: float(scores.matrix(name)[0, 0]) for name in scores.measures}


def one(run: Mapping[str, float], labels: Mapping[str, float], name: str, **options: Any) -> float:
    """One value for one topic."""
    (value,) = means(run, labels, [name], **options).values()
    return value


def ranked(docs: str) -> dict[str, float]:
    """A run of one-letter documents in that order."""
    return {doc: -float(i) for i, doc in enumerate(docs)}


# ---------------------------------------------------------------------- the conformance values


@pytest.mark.parametrize("number", range(10))
def test_every_value_of_ir_measures(conformance: Any, number: int) -> None:
    """Guards RBP, Judged, RR, C/W/L and Compat against ir_measures 0.4.3 and cwl-eval 1.0.12."""
    case = conformance("ir_measures")["cases"][number]
    got = means(dict(case["run"]), case["qrels"], list(case["expected"]))
    assert len(case["expected"]) == 19
    for name, wanted in case["expected"].items():
        assert got[str(tg.parse_measure(name))] == pytest.approx(wanted, abs=1e-9), name


def test_the_worked_example(examples: dict[str, Any]) -> None:
    """Guards the values that the documentation can show."""
    given = examples["adhoc-1"]["input"]
    run = {**dict(given["run"]), "c": 6.999}
    names = ["RBP(rel=1)", "RBP(rel=1,p=0.95)", "INST(max_rel=3)", "SDCG(max_rel=3)@5", "Compat"]
    names += ["Judged@10", "Judged@5", "Judged@20"]
    got = means(run, given["qrels"], names)
    for name in names:
        wanted = examples["irm-1"]["expected"][name]
        assert got[str(tg.parse_measure(name))] == pytest.approx(wanted, abs=5.1e-7), name


# ---------------------------------------------------------------------- the peers, live


@pytest.mark.parametrize("seed", range(4))
def test_random_data_against_ir_measures(seed: int) -> None:
    """Guards Compat and Judged over many topics at once, as ir_measures computes them today."""
    rng = random.Random(seed)
    docs = [f"d{i:02}" for i in range(80)]
    labels = {str(t): {d: rng.choice([-1, 0, 1, 2, 3]) for d in rng.sample(docs, 30)} for t in range(8)}
    run = {str(t): {d: 1.0 + i for i, d in enumerate(rng.sample(docs, rng.randint(1, 60)))} for t in range(8)}
    names = ["Compat", "Compat(p=0.5)", "Compat(p=0.8,normalize=False)", "Judged@1", "Judged@7", "Judged@100"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        scores = tg.evaluate(run, labels, names)
    count = 0
    for metric in ir_measures.iter_calc([ir_measures.parse_measure(n) for n in names], labels, run):
        got = scores.by_topic("run", str(tg.parse_measure(str(metric.measure))))[metric.query_id]
        assert got == pytest.approx(metric.value, abs=1e-9), metric
        count += 1
    assert count == 8 * len(names)


# ---------------------------------------------------------------------- RBP


gains = st.lists(st.floats(0, 8), min_size=8, max_size=8)


@pytest.mark.slow
@given(left=gains, right=gains, a=st.floats(0, 3), b=st.floats(0, 3), p=st.sampled_from([0.0, 0.5, 0.8, 0.95]))
def test_rbp_is_linear_in_gains(left: list[float], right: list[float], a: float, b: float, p: float) -> None:
    """Guards what corrections of judge error rely on: RBP of a x + b y is a RBP(x) + b RBP(y)."""
    docs = "abcdefgh"

    def rbp(values: list[float]) -> float:
        return one(ranked("xa" + docs[1:]), dict(zip(docs, values, strict=True)), f"RBP(p={p})")

    mixed = [a * x + b * y for x, y in zip(left, right, strict=True)]
    assert rbp(mixed) == pytest.approx(a * rbp(left) + b * rbp(right), abs=1e-9)


def test_rbp_scales() -> None:
    """Guards the divisor of the gain: a number, the highest label of all, the highest of the topic, or a table."""
    runs = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    labels = {"1": {"a": 1, "c": 2}, "2": {"a": 2, "b": 4}}
    wanted = {
        "RBP(p=0.5)": [0.5, 1.0],
        "RBP(p=0.5,max_rel=8)": [0.0625, 0.125],
        "RBP(p=0.5,max_rel='scale')": [0.125, 0.25],
        "RBP(p=0.5,max_rel='topic')": [0.25, 0.25],
        "RBP(p=0.5,gains={1:3,2:7})": [1.5, 3.5],
        "RBP(p=0.5,rel=2)": [0.0, 0.5],
    }
    scores = tg.evaluate(runs, labels, list(wanted))
    assert {m: scores.matrix(m)[0].tolist() for m in wanted} == wanted


def test_rbp_of_negative_labels_and_of_nothing_relevant_is_zero() -> None:
    """Guards max_rel='topic' against 0 / 0, and negative labels against a negative gain."""
    assert one(ranked("ab"), {"a": -2, "b": 0}, "RBP(max_rel='topic')") == 0
    assert one(ranked("ab"), {"a": -2, "b": 1}, "RBP(p=0.5)") == 0.25


def test_rbp_cutoff_and_condensed_list() -> None:
    """Guards @k, and judged_only, which moves judged documents up."""
    labels = {"a": 1, "b": 0, "c": 1}
    got = means(ranked("xabc"), labels, ["RBP(p=0.5)@2", "RBP(p=0.5,judged_only=True)"])
    assert list(got.values()) == [0.25, 0.625]


@given(
    labels=st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=1),
    n=st.integers(1, 8),
    p=st.sampled_from([0.0, 0.5, 0.9]),
    cutoff=st.sampled_from([None, 1, 3, 20]),
)
def test_rbp_residual_is_its_definition(labels: dict[str, float], n: int, p: float, cutoff: int | None) -> None:
    """Guards the closed form against the sum over unjudged ranks and the tail, and trec_eval's 0."""
    docs = "abcdefgh"[:n]
    at = "" if cutoff is None else f"@{cutoff}"
    seen = docs if cutoff is None else docs[:cutoff]
    unjudged = [i for i, doc in enumerate(seen) if labels.get(doc, -1) < 0]
    wanted = p ** len(seen) + (1 - p) * sum(p**i for i in unjudged)
    assert one(ranked(docs), labels, f"RBPResidual(p={p}){at}") == pytest.approx(wanted, abs=1e-12)
    trec = one(ranked(docs), labels, f"RBPResidual(p={p},trec_eval=True){at}")
    assert trec == (pytest.approx(wanted, abs=1e-12) if unjudged else 0)


# ---------------------------------------------------------------------- Judged, Unjudged


def test_judged_and_unjudged_count_negative_labels_differently() -> None:
    """Guards a negative label: judged for ir_measures, unjudged for trec_eval; and the divisor of a short list."""
    got = means(ranked("abx"), {"a": -1, "b": 0}, ["Judged@2", "Judged@10", "Judged", "Unjudged@2", "Unjudged@10"])
    assert list(got.values()) == [1.0, 2 / 3, 2 / 3, 0.5, 0.2]


def test_judged_of_an_emptied_list_is_zero() -> None:
    """Guards 0 / 0 where dropping unjudged documents leaves nothing."""
    assert one(ranked("xy"), {"a": 1}, "Judged@5", judged_only=True) == 0


# ---------------------------------------------------------------------- C/W/L


CWL = ("SDCG(max_rel=2)@5", "BPM(max_rel=2,T=2)@5", "INST(max_rel=2)", "INSQ(max_rel=2,T=3)", "NERR8(max_rel=2)@5")
MORE_CWL = ("NERR9(max_rel=2)@5", "NERR10(max_rel=2,p=0.5)", "NERR11(max_rel=2)")


@pytest.mark.parametrize("name", [*CWL, *MORE_CWL])
def test_cwl_is_an_average_of_gains(name: str) -> None:
    """Guards the weights, which add up to 1: real labels of 1.5 from 0 to 2 at all ranks give 0.75."""
    run = {f"d{i:04}": float(-i) for i in range(1200)}
    assert one(run, dict.fromkeys(run, 1.5), name) == pytest.approx(0.75, abs=1e-12)


def test_cwl_clips_labels_to_the_range() -> None:
    """Guards min_rel and max_rel: below is worth 0, above is worth 1, and a negative label is a label of 0."""
    labels = {"a": 1, "b": 2, "c": 9, "d": -3}
    assert one(ranked("abcd"), labels, "BPM(min_rel=1,max_rel=3,T=9)@4") == pytest.approx((0 + 0.5 + 1 + 0) / 4)
    assert one(ranked("d"), labels, "BPM(min_rel=-1,max_rel=1)@1") == 0.5


def test_cwl_looks_at_a_thousand_ranks() -> None:
    """Guards the depth of cwl: what stands at rank 1,001 does not count, what stands at 1,000 does."""
    run = {f"d{i:04}": float(-i) for i in range(1, 1102)}
    assert one(run, {"d1001": 1}, "INSQ(max_rel=1)") == 0
    assert one(run, {"d1000": 1}, "INSQ(max_rel=1)") > 0


def test_cwl_in_blocks_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the block boundaries: lists scored two at a time have the values they have all at once."""
    rng = random.Random(5)
    docs = [f"d{i}" for i in range(30)]
    run = {str(t): {d: rng.random() for d in rng.sample(docs, 12)} for t in range(7)}
    labels = {str(t): {d: rng.randint(0, 2) for d in rng.sample(docs, 12)} for t in range(7)}
    whole = tg.evaluate(run, labels, "INST(max_rel=2)").by_topic()
    monkeypatch.setattr("truegain.measures.user_models.BLOCK", 2)
    assert tg.evaluate(run, labels, "INST(max_rel=2)").by_topic() == whole
    assert len(set(whole.values())) == 7


@pytest.mark.parametrize("name", ["INST", "SDCG@10", "NERR11(min_rel=1)"])
def test_cwl_without_max_rel_says_what_to_write(name: str) -> None:
    """Guards against a scale that was guessed."""
    with pytest.raises(tg.MeasureError, match=r"needs max_rel.*write \w+\(max_rel=3\)"):
        one(ranked("a"), {"a": 1}, name)


# ---------------------------------------------------------------------- Compat


@given(
    labels=st.dictionaries(st.sampled_from("abcdefghij"), st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1),
    order=st.permutations("abcdefghij"),
    n=st.integers(1, 10),
)
def test_compat_is_one_for_the_ideal_order_only(labels: dict[str, float], order: list[str], n: int) -> None:
    """Guards the ideal list and its ties: any order that never puts a lower label first scores 1, others less."""
    run = ranked("".join(order[:n]))
    grades = [labels.get(doc, 0.0) for doc in order[:n]]
    good = sorted((v for v in labels.values() if v > 0), reverse=True)
    value = one(run, labels, "Compat")
    if not good:
        assert value == 0
    elif grades[: len(good)] == good:
        assert value == pytest.approx(1, abs=1e-12)
    else:
        assert value < 1 - 1e-9


# ---------------------------------------------------------------------- names and mistakes


@pytest.mark.parametrize(
    "name",
    [
        "RBP",
        "RBP(p=0.95,rel=1)",
        "RBP(max_rel='scale')@10",
        "RBP(p=0.9,gains={1:1,2:3},judged_only=True)@5",
        "RBPResidual(p=0.9,trec_eval=True)",
        "Judged",
        "Judged@10",
        "Unjudged@5",
        "SDCG(max_rel=3)@10",
        "BPM(min_rel=1,max_rel=3,T=2.5)@20",
        "INST(max_rel=3,T=2)",
        "INSQ(max_rel=0.5)",
        "NERR8(max_rel=3)@10",
        "NERR9(max_rel=3)@10",
        "NERR10(max_rel=3,p=0.8)",
        "NERR11(max_rel=3)",
        "Compat(p=0.8,normalize=False)",
    ],
)
def test_prints_as_it_parses(name: str) -> None:
    """Guards the canonical strings."""
    assert str(tg.parse_measure(name)) == name


@pytest.mark.parametrize(
    "name",
    [
        "RBP(p=1)",
        "RBP(p=-0.1)",
        "RBP(rel=-1)",
        "RBP(rel=1,max_rel=3)",
        "RBP(max_rel='most')",
        "RBP(max_rel=0)",
        "RBPResidual(p=1.5)",
        "Unjudged",
        "SDCG(max_rel=3)",
        "SDCG(max_rel=3,dcg='exp-log2')@5",
        "INST(max_rel=3,T=0)",
        "INST(min_rel=3,max_rel=3)",
        "INST(min_rel='a',max_rel=3)",
        "NERR8(max_rel=3)",
        "NERR10(max_rel=3,p=2)",
        "Compat(p=1.1)",
        "Compat@10",
    ],
)
def test_senseless_parameters_are_refused(name: str) -> None:
    """Guards against a number where none is defined."""
    with pytest.raises(tg.MeasureError):
        one(ranked("a"), {"a": 1}, name)
