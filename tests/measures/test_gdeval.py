"""gdeval: every value of the real tool."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import truegain as tg

CUTOFFS = (1, 3, 5, 10, 20, 100)
NAMES = {f"ndcg@{k}": f"nDCG(dcg='exp-log2')@{k}" for k in CUTOFFS} | {f"err@{k}": f"ERR@{k}" for k in CUTOFFS}


def scores(case: dict[str, Any], measures: list[str], **options: Any) -> tg.Scores:
    """Evaluate a case of the conformance file; its data is legal but looks odd, so warnings are expected."""
    runs = {t: {doc: score for doc, _, score in rows} for t, rows in case["run"].items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        return tg.evaluate(runs, case["qrels"], measures, scoring=tg.Scoring(**options))


@pytest.mark.parametrize("option", ["default", "c"])
def test_every_value_of_gdeval(conformance: Any, option: str) -> None:
    """Guards gain, discount, stop probability, ties, and which topics gdeval prints and averages over."""
    compared = 0
    for case in conformance("gdeval")["cases"]:
        found = scores(case, list(NAMES.values()), no_relevant="skip", all_topics=option == "c")
        expected = case["expected"][option]
        for name, ours in NAMES.items():
            by_topic = {t: v for t, v in found.by_topic("run", ours).items() if t in case["run"] and v is not None}
            want = {t: values[name] for t, values in expected.items() if t != "amean"}
            assert by_topic == pytest.approx(want, abs=1e-9), (case["id"], name)
            assert found.mean("run", ours) == pytest.approx(expected["amean"][name], abs=1e-9), (case["id"], name)
            compared += len(want) + 1
    assert compared > 300


def test_topics_gdeval_does_not_print_count_zero_by_default(conformance: Any) -> None:
    """Guards the values ir_measures gives to topics that gdeval skips."""
    compared = 0
    for case in conformance("gdeval")["cases"]:
        for topic, values in case["expected"]["ir_measures_extra"].items():
            found = scores(case, list(values), all_topics=True)
            for measure, want in values.items():
                assert found.by_topic("run", measure)[topic] == pytest.approx(want, abs=1e-9)
                compared += 1
    assert compared > 10


def test_the_worked_example(examples: dict[str, dict[str, Any]]) -> None:
    """Guards the example of the definitions, six decimals."""
    given, want = examples["adhoc-1"]["input"], examples["gdeval-1"]["expected"]
    found = tg.evaluate({"1": dict(given["run"])}, {"1": given["qrels"]}, [NAMES[name] for name in want])
    for name, value in want.items():
        assert found.mean("run", NAMES[name]) == pytest.approx(value, abs=5.1e-7), name


def test_a_label_above_the_highest_is_refused() -> None:
    """Guards against ERR above 1: gdeval dies on such a label, and so do we, naming it and the way out."""
    run, qrels = {"1": {"a": 1.0}}, {"1": {"a": 5}}
    with pytest.raises(tg.MeasureError, match=r"label 5 is above max_rel=4; write max_rel=5, or max_rel='scale'"):
        tg.evaluate(run, qrels, "ERR@10")
    assert tg.evaluate(run, qrels, "ERR(max_rel=5)@10").mean() == pytest.approx(31 / 32)
    assert tg.evaluate(run, qrels, "ERR(max_rel='scale')@10").mean() == pytest.approx(31 / 32)


def test_highest_label_of_all_judgments_or_of_the_topic() -> None:
    """Guards 'scale' against 'topic': a topic whose best label is below the scale's differs."""
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    qrels = {"1": {"a": 1}, "2": {"a": 3}}
    found = tg.evaluate(run, qrels, ["ERR(max_rel='scale')", "ERR(max_rel='topic')"])
    assert found.by_topic("run", "ERR(max_rel='scale')") == pytest.approx({"1": 1 / 8, "2": 7 / 8})
    assert found.by_topic("run", "ERR(max_rel='topic')") == pytest.approx({"1": 1 / 2, "2": 7 / 8})


@pytest.mark.parametrize("top", [0.37, 1000.0, 5000.0])
def test_real_valued_and_huge_gains_do_not_overflow(top: float) -> None:
    """Guards 2^(g - max) - 2^-max, which stays finite where 2^g does not."""
    run, qrels = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": top, "b": top / 2}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        value = tg.evaluate(run, qrels, "ERR(max_rel='scale')").mean()
    p = [1 - 2**-top, 2 ** (-top / 2) - 2**-top]
    assert value == pytest.approx(p[0] + (1 - p[0]) * p[1] / 2, abs=1e-12)
