"""Measures of diversity, against ndeval and pyndeval."""

from __future__ import annotations

import importlib
import random
import tarfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truegain as tg
from tests.worlds import there

Facet = tuple[int, str, float]
Ranking = dict[str, dict[str, float]]

WITH_ALPHA = ("alpha-DCG", "alpha-nDCG", "ERR-IA", "nERR-IA")
CUT = ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec")


class Qrel(NamedTuple):
    """A judgment as ir_measures has it, the subtopic as iteration."""

    query_id: str
    doc_id: str
    relevance: float
    iteration: str


@pytest.fixture
def pyndeval() -> Any:
    """The peer: of the test environment on every machine, so that it is not skipped unnoticed."""
    return importlib.import_module("pyndeval")


def judgments(qrels: Mapping[str, Sequence[Facet]]) -> list[Qrel]:
    """Judgments by subtopic."""
    return [Qrel(topic, doc, label, str(sub)) for topic, rows in qrels.items() for sub, doc, label in rows]


def ours(name: str, alpha: float = 0.5, beta: float = 0.5) -> str:
    """The name ndeval gives a measure, with its parameters as ours are written."""
    kind, _, cutoff = name.partition("@")
    if kind in WITH_ALPHA:
        kind += f"(alpha={alpha})"
    elif kind in ("NRBP", "nNRBP"):
        kind += f"(alpha={alpha},beta={beta})"
    return kind + (f"@{cutoff}" if cutoff else "")


def evaluated(run: Any, rows: Any, names: list[str], **options: Any) -> tg.Scores:
    """Scores of legal but suspicious data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        return tg.evaluate(run, rows, names, scoring=tg.Scoring(**options))


def value(scores: tg.Scores, topic: str, name: str) -> float:
    """One value, 'amean' for the mean."""
    measure = str(tg.parse_measure(name))
    found = scores.mean("run", measure) if topic == "amean" else scores.by_topic("run", measure)[topic]
    assert isinstance(found, float)
    return found


def compared(
    scores: tg.Scores, expected: dict[str, dict[str, float | None]], alpha: float, beta: float, topics: int
) -> int:
    """Check all values; those of topics without judgments must be 0 there, and nan (nNRBP, N = 0) is 0 here.

    Where the mean is nan, it is checked against the sum of ndeval's values over the number of topics.
    """
    count = 0
    for topic, values in expected.items():
        if topic != "amean" and topic not in scores.topics:
            assert not any(values.values())
            continue
        for name, told in values.items():
            wanted = told or 0.0
            if told is None:
                assert name == "nNRBP"
                if topic == "amean":
                    wanted = sum(v[name] or 0.0 for t, v in expected.items() if t != "amean") / topics
            assert value(scores, topic, ours(name, alpha, beta)) == pytest.approx(wanted, abs=1e-9), (topic, name)
            count += 1
    return count


def by_rank(case: dict[str, Any]) -> Ranking:
    """A run in the order of its rank column."""
    return {t: {doc: -float(rank) for doc, rank, _ in rows} for t, rows in case["run"].items()}


def by_score(case: dict[str, Any]) -> Ranking:
    """A run in the order of its scores."""
    return {t: {doc: score for doc, _, score in rows} for t, rows in case["run"].items()}


def ties_ascending(run: Ranking) -> Ranking:
    """The same run with ties broken by ascending document id, as pyndeval does."""
    return {
        t: dict(zip(sorted(d, key=lambda x: (-d[x], x)), range(0, -len(d), -1), strict=True)) for t, d in run.items()
    }


# ---------------------------------------------------------------------- the conformance values


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
def test_every_value_of_ndeval(conformance: Any, number: int) -> None:
    """Guards all measures against ndeval 4.5: orders, -M, -c, six (alpha, beta), topics on one side only, N = 0."""
    case = conformance("ndeval")["cases"][number]
    count = 0
    for options, expected in case["expected_ndeval"].items():
        words = options.split()
        alpha, beta = float(words[1]), float(words[3])
        run = by_score(case) if "-traditional" in words else by_rank(case)
        names = [ours(n, alpha, beta) for n in expected["amean"]]
        scores = evaluated(
            run, judgments(case["qrels"]), names, depth=7 if "-M" in words else None, all_topics="-c" in words
        )
        count += compared(scores, expected, alpha, beta, topics=11 if "-c" in words else 10)
    assert count == 36 * 21 * 11  # 10 topics of both sides and the mean


@pytest.mark.few(2)
@pytest.mark.parametrize("number", range(3))
def test_every_value_of_pyndeval(conformance: Any, number: int) -> None:
    """Guards every cutoff from 1 to 20, the undivided @1 among them."""
    case = conformance("ndeval")["cases"][number]
    run = ties_ascending(by_score(case))
    for parameters, expected in case["expected_pyndeval"].items():
        alpha, beta = (float(p.split("=")[1]) for p in parameters.split(","))
        names = [ours(n, alpha, beta) for n in next(iter(expected.values()))]
        scores = evaluated(run, judgments(case["qrels"]), names)
        assert compared(scores, expected, alpha, beta, topics=10) == 10 * 123


@pytest.mark.parametrize(("example", "alpha", "beta"), [("diversity-1", 0.5, 0.5), ("diversity-1-params", 0.7, 0.9)])
def test_the_worked_examples(examples: dict[str, Any], example: str, alpha: float, beta: float) -> None:
    """Guards the values that the documentation can show."""
    given = examples["diversity-1"]["input"]
    run = {"1": {doc: -float(i) for i, doc in enumerate(given["ranking"])}}
    expected = examples[example]["expected"]
    names = [ours(n, alpha, beta) for n in expected]
    scores = evaluated(run, judgments({"1": given["qrels"]}), names)
    for name, wanted in expected.items():
        assert value(scores, "1", ours(name, alpha, beta)) == pytest.approx(wanted, abs=5.1e-7), name


# ---------------------------------------------------------------------- the peers, live


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(4))
def test_random_data_against_pyndeval(pyndeval: Any, seed: int) -> None:
    """Guards labels above 1, a level of 2 and many subtopics, as pyndeval computes them today."""
    rng = random.Random(seed)
    docs = [f"d{i:02}" for i in range(60)]
    qrels = {
        str(t): [(s, d, rng.choice([0, 0, 1, 2, 3])) for s in range(1, 8) for d in sorted(rng.sample(docs, 20))]
        for t in range(6)
    }
    run = {str(t): {d: float(i) for i, d in enumerate(rng.sample(docs, 40))} for t in range(6)}
    alpha, beta, level = rng.choice([0.5, 0.3, 0.9]), rng.choice([0.5, 0.8]), rng.choice([1, 2])
    names = [*(f"{kind}@{k}" for kind in CUT for k in (1, 3, 20)), "NRBP", "nNRBP", "MAP-IA"]
    rows = [(t, str(s), d, label) for t, facets in qrels.items() for s, d, label in facets]
    theirs = pyndeval.RelevanceEvaluator(rows, names, relevance_level=level, alpha=alpha, beta=beta).evaluate(
        [(t, d, s) for t, scored in run.items() for d, s in scored.items()]
    )
    scores = evaluated(run, judgments(qrels), [ours(n, alpha, beta) for n in names], relevant_from=level)
    for topic, values in theirs.items():
        for name, wanted in values.items():
            measure = [m for m in scores.measures if m == str(at_level(ours(name, alpha, beta), level))]
            assert scores.by_topic("run", measure[0])[topic] == pytest.approx(wanted, abs=1e-9), (topic, name)


@pytest.mark.parametrize(("seed", "alpha"), [(0, 0.3), (1, 0.7), (11, 0.7)])
def test_near_ties_of_the_ideal_list_fall_as_in_ndeval(pyndeval: Any, seed: int, alpha: float) -> None:
    """Guards the order of addition: 0.3 + 0.7 + ... ties or not by its last bit, so subtopic 10 must come after 9."""
    rng = random.Random(seed)
    docs = [f"d{i:02}" for i in range(40)]
    rows = [("1", str(s), d, 1) for s in range(1, 13) for d in rng.sample(docs, 12)]
    run = [("1", d, float(-i)) for i, d in enumerate(rng.sample(docs, 40))]
    theirs = pyndeval.RelevanceEvaluator(rows, ["alpha-nDCG@20"], alpha=alpha).evaluate(run)
    frame = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    scores = evaluated({"1": {d: s for _, d, s in run}}, frame, [f"alpha_nDCG(alpha={alpha})@20"])
    assert scores.mean() == pytest.approx(theirs["1"]["alpha-nDCG@20"], abs=1e-9)


def at_level(name: str, level: int) -> str:
    """A measure with its level of relevance written out."""
    parsed = str(tg.parse_measure(name))
    if level == 1:
        return parsed
    kind, _, cutoff = parsed.partition("@")
    kind = kind.replace("(", f"(rel={level},") if "(" in kind else f"{kind}(rel={level})"
    return kind + (f"@{cutoff}" if cutoff else "")


def test_judged_only_drops_documents_without_any_judgment() -> None:
    """Guards judged_only: a label of 0 keeps a document, as in ir_measures."""
    rows = judgments({"1": [(1, "a", 1), (2, "b", 1), (1, "c", 0)]})
    run = {"1": {"x": 4.0, "c": 3.0, "a": 2.0, "b": 1.0}}
    scores = evaluated(run, rows, ["P_IA@2", "P_IA(judged_only=True)@2"])
    assert scores.means() == {"P_IA@2": 0.0, "P_IA(judged_only=True)@2": 0.25}


# ---------------------------------------------------------------------- real data


WEB = ["alpha-nDCG@20", "ERR-IA@20", "NRBP", "nNRBP", "MAP-IA", "strec@20"]


def condensed(name: str) -> str:
    """A measure of lists without their unjudged documents."""
    kind, _, cutoff = str(tg.parse_measure(name)).partition("@")
    return f"{kind}(judged_only=True)" + (f"@{cutoff}" if cutoff else "")


@pytest.mark.slow
@pytest.mark.parametrize("judged_only", [False, True], ids=["raw", "condensed"])
def test_web_track_2012_against_pyndeval(pyndeval: Any, shared_data: Path, tmp_path: Path, judged_only: bool) -> None:
    """Guards real judgments and runs: 62,394 labels and 8 runs of the TREC 2012 web track, lists condensed or not."""
    folder = shared_data / "web_diversity"
    with tarfile.open(folder / "trec_web_2012_baseline_runs.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    files = sorted(tmp_path.rglob("results-*.txt"))
    assert len(files) == 8
    paths = [str(f.rename(tmp_path / f"{f.parent.name}-{f.name}")) for f in files]
    qrels = folder / "trec_web_2009_2014" / "2012" / "qrels-for-ndeval.txt.xz"
    ours = {name: condensed(name) if judged_only else str(tg.parse_measure(name)) for name in WEB}
    scores = evaluated(paths, str(qrels), list(ours.values()))
    table = tg.read_judgments(qrels).frame()
    rows = list(table.select("topic", "subtopic", "doc", pl.col("label").cast(pl.Int64)).iter_rows())
    peer = pyndeval.RelevanceEvaluator(rows, WEB)
    lists = tg.read_runs(paths).ordered_frame().select("system", "topic", "doc", -pl.col("rank").cast(pl.Float64))
    judged = {(topic, doc) for topic, _, doc, _ in rows}
    count = unjudged = 0
    for (system,), run in lists.group_by("system", maintain_order=True):
        whole = list(run.drop("system").iter_rows())
        kept = [row for row in whole if row[:2] in judged] if judged_only else whole
        unjudged += len(whole) - len(kept)
        for topic, values in peer.evaluate(kept).items():
            for name, wanted in values.items():
                got = scores.by_topic(str(system), ours[name])[topic]
                assert got == pytest.approx(wanted, abs=1e-9), (system, topic, name)
                count += 1
    assert count == 8 * 50 * len(WEB)
    assert (unjudged > 0) == judged_only


TIED = ["ERR-IA@10", "nERR-IA@5", "alpha-nDCG@10", "P-IA@5", "strec@5", "NRBP", "MAP-IA"]


def test_ties_as_pyndeval_breaks_them(pyndeval: Any) -> None:
    """Guards equal scores: with ascending ties all values are pyndeval's, by default they are not."""
    rng = random.Random(5)
    docs = [f"d{i}" for i in range(30)] + ["D1", "d", "\u00e9"]
    rows = [(t, str(s), d, rng.randint(0, 1)) for t in "12" for s in range(1, 5) for d in docs if rng.random() < 0.4]
    scored = [(t, d, float(rng.randint(0, 3))) for t in "12" for d in rng.sample(docs, 25)]
    run: dict[str, dict[str, float]] = {"1": {}, "2": {}}
    for topic, doc, score in scored:
        run[topic][doc] = score
    qrels = [Qrel(t, d, float(label), s) for t, s, d, label in rows]
    ascending, usual = (evaluated(run, qrels, TIED, ties=ties) for ties in ("ascending", "descending"))
    differing = 0
    for topic, values in pyndeval.RelevanceEvaluator(rows, TIED).evaluate(scored).items():
        for name, wanted in values.items():
            assert value(ascending, topic, name) == pytest.approx(wanted, abs=1e-9), name
            differing += abs(value(usual, topic, name) - wanted) > 1e-3
    assert differing > len(TIED)
    with pytest.raises(tg.TruegainError, match="ties 'rank' is not known"):
        evaluated(run, qrels, TIED, ties="rank")


# ---------------------------------------------------------------------- laws


labels = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from("abcdefgh"), st.sampled_from([0.0, 0.5, 1.0, 2.0])),
    min_size=1,
    unique_by=lambda row: row[:2],
)


def greedy(rows: list[Facet], alpha: float) -> list[str]:
    """The greedy ideal list, written out plainly."""
    left = sorted({doc for _, doc, label in rows if label >= 1}, reverse=True)
    worth = {sub: 1.0 for sub, _, _ in rows}
    order = []
    while left:
        gain = {d: sum(worth[s] for s, doc, label in sorted(rows) if doc == d and label >= 1) for d in left}
        best = max(left, key=gain.__getitem__)
        for sub, doc, label in rows:
            if doc == best and label >= 1:
                worth[sub] *= 1 - alpha
        left.remove(best)
        order.append(best)
    return order


@pytest.mark.slow
@given(rows=labels, alpha=st.sampled_from([0.0, 0.5, 0.8]))
def test_the_greedy_list_has_the_best_scores(rows: list[Facet], alpha: float) -> None:
    """Guards the ideal list: the one written out plainly scores 1 at every cutoff, or 0 with nothing to find."""
    order = greedy(rows, alpha)
    found = order or [rows[0][1]]  # a run without a judged document is refused
    run = {"1": {doc: -float(i) for i, doc in enumerate([*found, "z"])}}
    names = [f"{kind}(alpha={alpha})@{k}" for kind in ("alpha_nDCG", "nERR_IA") for k in (1, 2, 3, 5, 20)]
    scores = evaluated(run, judgments({"1": rows}), [*names, f"nNRBP(alpha={alpha})", f"alpha_nDCG(alpha={alpha})"])
    assert list(scores.means().values()) == pytest.approx([1.0 if order else 0.0] * len(scores.measures))


@pytest.mark.slow
@given(rows=labels, order=st.permutations("abcdefgh"))
def test_subtopic_recall_grows_with_k(rows: list[Facet], order: list[str]) -> None:
    """Guards the first-hit count of StRecall: deeper never covers less, and all documents cover all."""
    run = {"1": {doc: -float(i) for i, doc in enumerate(order)}}
    means = evaluated(run, judgments({"1": rows}), [*(f"StRecall@{k}" for k in range(1, 9)), "StRecall"]).means()
    values = [there(value) for value in means.values()]
    assert values == sorted(values)
    assert values[-1] == (1.0 if any(label >= 1 for _, _, label in rows) else 0.0)


def test_the_ideal_list_of_a_long_pool_is_cut_without_loss() -> None:
    """Guards the depth to which nNRBP builds its ideal list: the full list gives the same number."""
    rows: list[Facet] = [(s, f"d{i:03}", 1) for i in range(80) for s in (1 + i % 3, 4)]
    docs = greedy(rows, 0.1)
    run = {"1": {doc: -float(i) for i, doc in enumerate(docs)}}
    scores = evaluated(run, judgments({"1": rows}), ["nNRBP(alpha=0.1,beta=0.3)", "nNRBP(alpha=0.1,beta=0.95)"])
    assert list(scores.means().values()) == pytest.approx([1.0, 1.0], abs=1e-14)


# ---------------------------------------------------------------------- names and mistakes


@pytest.mark.parametrize(
    "name",
    [
        "alpha_nDCG@20",
        "alpha_DCG(rel=2,judged_only=True,alpha=0.7)@5",
        "ERR_IA(alpha=0.2)@20",
        "nERR_IA@3",
        "NRBP(alpha=0.7,beta=0.9)",
        "nNRBP",
        "AP_IA(rel=2)",
        "P_IA(judged_only=True)@10",
        "StRecall@5",
    ],
)
def test_prints_as_it_parses(name: str) -> None:
    """Guards the canonical strings."""
    assert str(tg.parse_measure(name)) == name


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("alpha-nDCG@20", "alpha_nDCG@20"),
        ("alpha-DCG@5", "alpha_DCG@5"),
        ("\u03b1_nDCG@10", "alpha_nDCG@10"),
        ("\u03b1_DCG@10", "alpha_DCG@10"),
        ("ERR-IA@10", "ERR_IA@10"),
        ("nERR-IA@10", "nERR_IA@10"),
        ("MAP-IA", "AP_IA"),
        ("MAP_IA", "AP_IA"),
        ("P-IA@5", "P_IA@5"),
        ("strec@5", "StRecall@5"),
    ],
)
def test_names_of_ndeval(alias: str, name: str) -> None:
    """Guards the names that ndeval and ir_measures print."""
    assert str(tg.parse_measure(alias)) == name


@pytest.mark.parametrize("name", ["alpha_nDCG(alpha=1.5)@5", "NRBP(beta=-0.1)", "P_IA", "ERR_IA", "P_IA(rel=-1)@5"])
def test_senseless_parameters_are_refused(name: str) -> None:
    """Guards against a number where none is defined."""
    with pytest.raises(tg.MeasureError):
        evaluated({"1": {"a": 1.0}}, judgments({"1": [(1, "a", 1)]}), [name])
