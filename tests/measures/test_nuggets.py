"""Shares of nuggets: held against nuggetizer's own scores, and against sums written out."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from truegain.measures.catalogue import OF_NUGGETS
from truegain.measures.label_weights import linear_parts
from truegain.measures.nuggets import NUGGET_MEASURES, A, V, V_strict, nugget_measures

pytestmark = pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")  # few topics, and what failed
Record = dict[str, Any]
WORDS = ("support", "partial_support", "not_support")


def answers(seed: int, topics: int = 12, failed: float = 0.0, none_vital: int = 0) -> list[Record]:
    """Records as nuggetizer writes them: three systems, the same nuggets of a topic for all."""
    rng, out = np.random.default_rng(seed), []
    for t in range(topics):
        n = int(rng.integers(1, 9))
        kinds = ["okay"] * n if t < none_vital else ["vital", *rng.choice(["vital", "okay"], n - 1).tolist()]
        for run in ("a", "b", "c"):
            words = rng.choice(WORDS, n).tolist()
            words = ["failed" if rng.random() < failed else word for word in words]
            nuggets = [
                {"text": f"fact {i}", "importance": kind, "assignment": word}
                for i, (kind, word) in enumerate(zip(kinds, words, strict=True))
            ]
            out.append({"query": f"question {t}", "qid": f"q{t:02}", "run_id": run, "nuggets": nuggets})
    return out


def written(records: list[Record], folder: Path) -> Path:
    """A file of them."""
    path = folder / "assignments.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def scores(path: Path, *measures: str, empty: str = "skip") -> dict[str, dict[tuple[str, str], float]]:
    """By measure, the score of each system and topic."""
    study = tg.Study(tg.read_nuggets(path), measures=nugget_measures(measures, empty))  # type: ignore[arg-type]
    return {
        type(m).__name__: {
            (system, topic): float(value)
            for system, row in zip(study.systems, m.score(study.ranked), strict=True)
            for topic, value in zip(study.topics, row, strict=True)
        }
        for m in study.measures
    }


def by_hand(name: str, nuggets: list[dict[str, str]]) -> float:
    """A share as exact sums, from its definition; NaN where no nugget counts."""
    half = Fraction(1, 2)
    worth = {"support": Fraction(1), "partial_support": Fraction(0) if name.endswith("strict") else half}
    weigh = {"V": {"vital": Fraction(1)}, "A": {"vital": Fraction(1), "okay": Fraction(1)}, "W": {
        "vital": Fraction(1), "okay": half}}[name[0]]  # fmt: skip
    known = [n for n in nuggets if n["assignment"] != "failed"]
    above = sum(weigh.get(n["importance"], 0) * worth.get(n["assignment"], 0) for n in known)
    below = sum(weigh.get(n["importance"], 0) for n in known)
    return float(above / below) if below else math.nan


@pytest.mark.parametrize("failed", [0.0, 0.1])
def test_every_share_is_that_of_its_definition(failed: float, tmp_path: Path) -> None:
    """Guards all six measures at 1e-12; what the judge failed to assign is left out and never 0."""
    records = answers(5, failed=failed)
    found = scores(written(records, tmp_path), *NUGGET_MEASURES)
    assert set(found) == set(NUGGET_MEASURES) == set(OF_NUGGETS)
    there = next(iter(found.values()))
    assert len(there) >= 3 * 9
    for name, values in found.items():
        right = {(r["run_id"], r["qid"]): by_hand(name, r["nuggets"]) for r in records}
        assert {key: values[key] for key in there} == pytest.approx({key: right[key] for key in there}, abs=1e-12)


def test_shares_are_those_of_nuggetizer(tmp_path: Path) -> None:
    """Guards V, V_strict, A and A_strict against the tool itself, also where topics have no vital nugget."""
    try:
        theirs = import_module("nuggetizer.core.metrics").calculate_nugget_scores
    except ImportError:
        pytest.skip("nuggetizer is not installed")
    records = answers(8, topics=30, none_vital=4)
    for record in records[-6:]:  # what nobody weighed counts in A alone
        record["nuggets"][0]["importance"] = "failed"
    path = written(records, tmp_path)
    with pytest.warns(UserWarning, match="no vital nugget|importance of"):
        found = scores(path, "V_strict", "V", "A_strict", "A", empty="zero")
    names = {"V_strict": "strict_vital_score", "V": "vital_score", "A_strict": "strict_all_score", "A": "all_score"}
    assert len(found["V"]) == 90
    for record in records:
        told = theirs(record["qid"], record["nuggets"])
        for ours, name in names.items():
            assert found[ours][record["run_id"], record["qid"]] == pytest.approx(getattr(told, name), abs=1e-12)


def test_the_log_of_nuggetizer_says_the_same(tmp_path: Path) -> None:
    """Guards one meaning of a name: `--score V` of a log is `-m V` of nuggets, also where importance failed."""
    records = answers(9, topics=14, failed=0.05, none_vital=2)
    for record in records[:9]:
        record["nuggets"][0]["importance"] = "failed"
    path = written(records, tmp_path)
    log = tg.read_items(path)
    for name in NUGGET_MEASURES:
        matrix = log.matrix(name)
        for (system, topic), value in scores(path, name)[name].items():
            of_log = matrix[log.systems.index(system), log.topics.index(topic)]
            assert value == pytest.approx(of_log, abs=1e-12), name


def test_topics_without_a_vital_nugget_are_left_out_unless_they_count_as_zero(tmp_path: Path) -> None:
    """Guards the default against zeros that say nothing of a system: the mean is over the other topics."""
    path = written(answers(3, topics=10, none_vital=3), tmp_path)
    with pytest.warns(
        UserWarning, match=r"V_strict: 3 topics have no vital nugget \(q00, q01, q02\) and are left out;"
    ):
        left = scores(path, "V_strict")["V_strict"]
    with pytest.warns(UserWarning, match="which is 0 for every system"):
        zero = scores(path, "V_strict", empty="zero")["V_strict"]
    assert len(left) == 3 * 7
    assert len(zero) == 3 * 10
    assert {key: value for key, value in zero.items() if key in left} == left
    assert {value for key, value in zero.items() if key not in left} == {0.0}
    with pytest.warns(UserWarning, match="left out of all measures"):
        both = scores(path, "V_strict", "A")
    assert both["V_strict"] == left
    assert len(both["A"]) == 21
    assert len(scores(path, "A")["A"]) == 30


def test_what_failed_is_not_a_topic_without_nuggets(tmp_path: Path) -> None:
    """Guards `empty='zero'`: where the judge failed on all vital nuggets of one answer, nobody knows its score."""
    records = answers(3, topics=10)
    for nugget in records[0]["nuggets"]:
        nugget["assignment"] = "failed"
    with pytest.warns(UserWarning, match="left out, not counted as 0|failures are rarely random"):
        found = scores(written(records, tmp_path), "V", empty="zero")["V"]
    assert {topic for _, topic in found} == {f"q{t:02}" for t in range(1, 10)}


def test_measures_are_named_and_print_as_they_parse() -> None:
    """Guards the names, the parameter and what is said of others; on runs they are refused in words."""
    assert nugget_measures("V_strict") == (V_strict(),)
    assert nugget_measures(["V", "A(empty='zero')", V]) == (V(), A(empty="zero"))
    assert str(nugget_measures("V", "zero")[0]) == "V(empty='zero')"
    assert nugget_measures(str(V(empty="zero"))) == (V(empty="zero"),)
    assert V() != V_strict()
    for wrong in ("nDCG@10", "V_Strict", "V@10"):
        with pytest.raises(tg.MeasureError, match="is not a measure of nuggets; there are V_strict, V, A_strict"):
            nugget_measures(wrong)
    with pytest.raises(tg.MeasureError, match="empty must be one of skip, zero"):
        nugget_measures("V(empty='one')")
    with pytest.raises(tg.MeasureError, match="V_strict is a measure of nuggets: give the nuggets"):
        tg.parse_measure("V_strict")


def test_an_unjudged_nugget_is_worth_nothing() -> None:
    """Guards what is worth nothing because nobody judged it, whatever label stands there."""
    labels, judged = np.array([1.0, 0.5, 1.0]), np.array([True, True, False])
    assert V().worth(labels, judged).tolist() == [1.0, 0.5, 0.0]
    assert V_strict().worth(labels, judged).tolist() == [1.0, 0.0, 0.0]


def test_an_answer_without_counted_nuggets_weighs_nothing(tmp_path: Path) -> None:
    """Guards what a label counts in an answer none of whose nuggets is vital: 0, and no missing number."""
    measures = nugget_measures(("V",), "zero")
    study = tg.Study(tg.read_nuggets(written(answers(3, none_vital=4), tmp_path)), measures=measures)
    entries = linear_parts(study.measures[0], np.array([0.0, 0.5, 1.0]), 1).of_entries(study.ranked)
    assert np.isfinite(entries).all()
    assert 0 < study.ranked.total(entries).sum() < study.ranked.lists
