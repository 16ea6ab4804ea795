"""trec_eval 9.0.8 and 10.0: every value they print, through the public interface."""

from __future__ import annotations

import gzip
import lzma
import random
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.conftest import expected_values
from truegain.measures.catalogue import expanded

OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "l2": {"relevant_from": 2},
    "l3": {"relevant_from": 3},
    "J": {"judged_only": True},
    "M10": {"depth": 10},
    "c": {"all_topics": True},
    "J_l2": {"judged_only": True, "relevant_from": 2},
    "c_l2": {"all_topics": True, "relevant_from": 2},
    "c_M10": {"all_topics": True, "depth": 10},
    "J_M10": {"judged_only": True, "depth": 10},
}
CASES = range(len(expected_values("trec_eval")["cases"]))


def evaluate(runs: Any, qrels: Any, measures: Any, **options: Any) -> tg.Scores:
    """Evaluate data that is suspicious on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        return tg.evaluate(runs, qrels, measures, scoring=tg.Scoring(**options))


@pytest.mark.few(40)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("version", ["9.0.8", "10.0"])
@pytest.mark.parametrize("option", OPTIONS)
def test_every_value_of_trec_eval(case: int, version: str, option: str) -> None:
    """Guards every measure, option and version of trec_eval, per topic and summed up."""
    data = expected_values("trec_eval")["cases"][case]
    expected = data["expected"][f"trec_eval-{version}|{option}"]
    run = {topic: {doc: score for doc, _, score in docs} for topic, docs in data["run"].items()}
    qrels = data["qrels"]
    if version == "10.0" and "c" not in option.split("_"):  # the tool was run so
        qrels = {t: q for t, q in qrels.items() if t in run}
    names = list(dict.fromkeys(m for values in expected.values() for m in values))
    scores = evaluate(run, qrels, names, trec_eval=version, **OPTIONS[option])
    compared = 0
    for topic, values in expected.items():
        for name, value in values.items():
            ours = scores.mean("run", name) if topic == "all" else scores.by_topic("run", name)[topic]
            if value == "":  # trec_eval's text for a list that is not there
                ours = ours or ""
            if value is None:  # trec_eval divides 0 by 0 here; see the next test
                continue
            if isinstance(value, str):
                assert ours == value, (topic, name)
            else:
                assert ours == pytest.approx(value, abs=1e-9), (topic, name)
            compared += 1
    assert compared > 900


@pytest.mark.parametrize("seed", range(3))
def test_random_data_against_pytrec_eval(seed: int) -> None:
    """Guards ties, scores that are equal as float32 only, labels below 0 and topics of one side, as it has them."""
    pytrec_eval = pytest.importorskip("pytrec_eval")  # it has no wheel for Linux on ARM
    rng = random.Random(seed)
    docs, topics = [f"d{i:03}" for i in range(120)], [f"q{i}" for i in range(30)]
    near = [rng.choice([1.0, -3.5, 16777216.0, 0.1]) + rng.choice([0, 1e-9, 1, rng.random()]) for _ in range(40)]
    run = {t: {d: rng.choice(near) for d in rng.sample(docs, rng.randint(1, 110))} for t in topics[:28]}
    qrels = {t: {d: rng.choice([-1, 0, 0, 1, 2, 3]) for d in rng.sample(docs, 50)} | {"top": 1} for t in topics[2:]}
    logs, texts = {"gm_map", "gm_bpref"}, {"relstring", "runid"}  # means of logarithms have none of their own a topic
    names = pytrec_eval.supported_measures - logs - texts
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    ours = evaluate(run, qrels, sorted({name for values in theirs.values() for name in values}), trec_eval="9")
    for topic, values in theirs.items():
        for name, value in values.items():
            assert ours.by_topic("run", name)[topic] == pytest.approx(value, abs=1e-9), (topic, name)
    assert len(theirs) == 26
    assert len(theirs["q2"]) > 90


def test_an_empty_condensed_list_scores_zero_where_trec_eval_prints_nan() -> None:
    """Guards the documented sane value: -J may leave nothing, and nan must not enter the mean."""
    scores = evaluate(
        {"1": {"x": 1.0}, "2": {"a": 1.0}},
        {"1": {"a": 1}, "2": {"a": 1}},
        "11pt_avg",
        judged_only=True,
    )
    assert scores.by_topic() == {"1": 0.0, "2": pytest.approx(1.0)}
    assert scores.mean() == pytest.approx(0.5)


def test_a_topic_with_negative_labels_only_has_nothing_to_find() -> None:
    """Guards the topic that makes trec_eval end with an error or a segmentation fault."""
    scores = evaluate({"1": {"a": 1.0}, "2": {"a": 1.0}}, {"1": {"a": -2}, "2": {"a": 1}}, ["AP", "nDCG", "bpref"])
    assert scores.means("run") == {"AP": 0.5, "nDCG": 0.5, "Bpref": 0.5}


@pytest.mark.parametrize("name", ["adhoc-1", "adhoc-1-l2", "adhoc-1-J", "adhoc-1-v10"])
def test_worked_examples(examples: dict[str, dict[str, Any]], name: str) -> None:
    """Guards the examples people can follow by hand."""
    example = examples[name]
    data = examples[example["input"]["ref"]]["input"] if "ref" in example["input"] else example["input"]
    by_name: dict[str, dict[str, Any]] = {"adhoc-1-l2": {"relevant_from": 2}, "adhoc-1-J": {"judged_only": True}}
    options = by_name.get(name, {})
    names = [m for m in example["expected"] if expanded(m)]
    assert len(names) == len(example["expected"])
    version = "10" if name.endswith("v10") else "9"
    scores = evaluate({"1": dict(data["run"])}, {"1": data["qrels"]}, names, trec_eval=version, **options)
    for m in names:
        ours = scores.by_topic("run", m)["1"]
        value = example["expected"][m]
        assert ours == (value if isinstance(value, str) else pytest.approx(value, abs=1e-6)), m


@pytest.mark.parametrize(
    ("name", "options"),
    [("summary", {}), ("summary_c", {"all_topics": True}), ("summary_c_l2", {"all_topics": True, "relevant_from": 2})],
)
def test_summaries_over_missing_topics(
    examples: dict[str, dict[str, Any]], tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    """Guards which topics enter the mean: missing from the run, without relevant documents, not judged."""
    example = examples[name]
    (tmp_path / "qrels").write_text(example["input"]["qrels"])
    (tmp_path / "run").write_text(example["input"]["run"])
    names = list(example["expected"]["all"])
    scores = evaluate(tmp_path / "run", tmp_path / "qrels", names, trec_eval="9", **options)
    for topic, values in example["expected"].items():
        for m, value in values.items():
            ours = scores.mean("run", m) if topic == "all" else scores.by_topic("run", m)[topic]
            assert ours == pytest.approx(value, abs=1e-6), (topic, m)


@pytest.mark.slow
def test_all_129_trec8_runs_as_nist_printed_them(
    shared_data: Path, unpacked: Callable[[Path], Path], tmp_path: Path
) -> None:
    """Guards the whole road on real files: NIST's own per-topic output, at its printed precision.

    One run (uwmt8a0) has scores that differ only beyond float32: it comes out right with double precision alone,
    which is why that is the default.
    """
    folder = shared_data / "trec8_adhoc"
    runs = unpacked(folder / "inputs_129runs.tar.xz")
    (tmp_path / "qrels").write_bytes(gzip.decompress((folder / "trec8.qrels.gz").read_bytes()))
    official = lzma.decompress((folder / "official_trec_eval_pertopic_long.csv.xz").read_bytes()).decode()
    expected: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for line in official.splitlines()[1:]:
        system, topic, measure, value = line.split(",")
        expected[measure][system, topic] = float(value)
    names = [m for m in expected if expanded(m)]
    assert len(names) == len(expected), set(expected) - set(names)
    scores = evaluate(str(next(runs.rglob("input.*")).parent), tmp_path / "qrels", names)
    wrong: Counter[str] = Counter()
    for name in names:
        for (system, topic), printed in expected[name].items():
            run = f"input.{system}"
            found = scores.mean(run, name) if topic == "all" else scores.by_topic(run, name)[topic]
            wrong[name] += not np.isclose(float(found or 0.0), printed, rtol=0, atol=0.50001e-4)
    assert sum(len(v) for v in expected.values()) > 60_000
    assert +wrong == Counter()
