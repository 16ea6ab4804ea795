"""The table of docs/howto/coming-from/index.md: the order of equal scores, missing topics, the depth of Compat."""

from __future__ import annotations

import json
import random
import shutil
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from ir_measures.providers import compat_provider

import truegain as tg

summed: Any = compat_provider.rbo
PAGE = Path(__file__).parent.parent.parent / "docs" / "howto" / "coming-from" / "index.md"


class Family(NamedTuple):
    """Measures that one provider of ir_measures computes, and the order of equal scores that it has."""

    provider: str
    module: str
    measures: tuple[str, ...]
    ties: Any
    trec_eval: str = "10"


FAMILIES = {
    "pytrec_eval": Family("pytrec_eval", "pytrec_eval", ("AP", "nDCG@5", "P@3", "RR", "Rprec"), "descending", "9"),
    "gdeval": Family("gdeval", "", ("ERR@5", "nDCG(dcg='exp-log2')@5"), "descending"),
    "msmarco": Family("msmarco", "", ("RR@3", "RR@10", "RR(rel=2)@10"), "ascending"),
    "judged": Family("judged", "", ("Judged@3", "Judged@10"), "ascending"),
    "compat": Family("compat", "", ("Compat", "Compat(p=0.8,normalize=False)"), "ascending"),
    "pyndeval": Family("pyndeval", "pyndeval", ("alpha_nDCG@5", "ERR_IA@5", "StRecall@3"), "ascending"),
    "cwl": Family("cwl_eval", "cwl", ("SDCG(max_rel=3)@5", "BPM(T=1.0,max_rel=3)@5", "INSQ(T=1.0,max_rel=3)"), "input"),
}


class World(NamedTuple):
    """Judgments and a run, most of whose scores are tied; one judged topic is not answered."""

    qrels: list[Any]
    run: dict[str, dict[str, float]]


def world(seed: int) -> World:
    """Topics of 30 judged documents, ascending in the judgments, and lists of 25 with four different scores."""
    rng = random.Random(seed)
    docs = [f"d{i:02}" for i in range(40)]
    qrels = [
        ir_measures.Qrel(t, d, rng.choice([0, 0, 1, 2, 3]), s)
        for t in ("1", "2", "3", "4")
        for d in sorted(rng.sample(docs, 30))
        for s in ("1", "2")[: 1 if seed % 2 else 2]
    ]
    run = {t: {d: float(rng.randint(1, 4)) for d in rng.sample(docs, 25)} for t in ("1", "2", "3")}
    return World(qrels, run)


def theirs(family: Family, given: World) -> dict[tuple[str, str], float]:
    """What a provider says, by measure and topic."""
    provider = ir_measures.providers.registry[family.provider]
    asked = [ir_measures.parse_measure(name) for name in family.measures]
    return {(str(m.measure), m.query_id): m.value for m in provider.iter_calc(asked, given.qrels, given.run)}


def ours(family: Family, given: World, **options: Any) -> dict[tuple[str, str], Any]:
    """What we say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        scores = tg.evaluate(
            given.run, given.qrels, list(family.measures), scoring=tg.Scoring(all_topics=True, **options)
        )
    return {
        (str(ir_measures.parse_measure(name)), topic): value
        for name in family.measures
        for topic, value in scores.by_topic("run", str(tg.parse_measure(name))).items()
    }


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> Family:
    """A family whose provider is here."""
    found = FAMILIES[request.param]
    if found.module:
        pytest.importorskip(found.module)
    if request.param == "gdeval" and shutil.which("perl") is None:
        pytest.skip("gdeval is a program in Perl")
    return found


def test_equal_scores_have_the_order_of_the_family(family: Family) -> None:
    """Guards the table: with the order that it names every value is theirs, a missing topic is 0; with others not."""
    differing = 0
    for seed in range(3):
        given = world(2 * seed + (family.provider != "pyndeval"))
        wanted = theirs(family, given)
        assert len(wanted) == 4 * len(family.measures)
        got = ours(family, given, ties=family.ties, trec_eval=family.trec_eval)
        off = 6e-6 if family.provider == "gdeval" else 1e-9  # which prints five digits
        assert got == pytest.approx(wanted, abs=off)
        assert all(wanted[name, "4"] == 0 for name, topic in wanted if topic == "4")
        for other in {"descending", "ascending", "input"} - {family.ties}:
            differing += ours(family, given, ties=other) != pytest.approx(wanted, abs=1e-4)
    assert differing >= 4, "the order of equal scores hardly matters here: nothing is tested"


def test_two_tied_documents() -> None:
    """Guards MS MARCO's measure: RR@10 of two tied documents is 0.5 here and 1.0 there, and 1.0 with the option."""
    run, labels = {"1": {"a": 1.0, "b": 1.0}}, {"1": {"a": 1}}
    asked = ir_measures.parse_measure("RR@10")
    assert ir_measures.calc_aggregate([asked], labels, run) == {asked: 1.0}
    with pytest.warns(tg.DataWarning, match="all scores are tied in 1 list of 1 run .*; their order is that of"):
        found = [
            tg.evaluate(run, labels, "RR@10", scoring=tg.Scoring(ties=ties)).mean()
            for ties in ("descending", "ascending")
        ]
    assert found == [0.5, 1.0]


def test_the_order_given_is_that_of_rows_wherever_they_come_from(tmp_path: Path) -> None:
    """Guards ties='input': a dict, frames, tuples, TREC, CSV and JSON files keep their rows, topics interleaved too."""
    rng = random.Random(3)
    rows = [(t, f"d{d}", float(rng.randint(1, 2))) for t in ("1", "2") for d in range(30)]
    rng.shuffle(rows)
    labels = {t: {"d3": 1, "d17": 1} for t in ("1", "2")}
    by_topic = {t: {d: s for topic, d, s in rows if topic == t} for t in ("1", "2")}
    (tmp_path / "a.run").write_text("".join(f"{t} Q0 {d} 0 {s} a\n" for t, d, s in rows))
    (tmp_path / "a.csv").write_text("topic,doc,score\n" + "".join(f"{t},{d},{s}\n" for t, d, s in rows))
    (tmp_path / "a.json").write_text(json.dumps(by_topic))
    frame = pd.DataFrame(rows, columns=["topic", "doc", "score"])
    tuples = [ir_measures.ScoredDoc(*row) for row in rows]
    given = [by_topic, frame, pl.from_pandas(frame), tuples, *(tmp_path / f"a.{end}" for end in ("run", "csv", "json"))]
    first = [[d for d, _ in sorted(by_topic[t].items(), key=lambda item: -item[1])] for t in ("1", "2")]
    wanted = sum(1 / (1 + min(docs.index("d3"), docs.index("d17"))) for docs in first) / 2
    for runs in given:
        found = [
            tg.evaluate(runs, labels, "RR", scoring=tg.Scoring(ties=ties)).mean()
            for ties in ("input", "descending", "ascending")
        ]
        assert found[0] == pytest.approx(wanted, abs=1e-12), runs
        assert len(set(found)) == 3


@pytest.mark.parametrize("p", [0.5, 0.95, 1.0])
@pytest.mark.parametrize("depth", [1, 3, 12, 30, 1000])
def test_compat_looks_as_deep_as_it_is_told(depth: int, p: float) -> None:
    """Guards the depth against ir_measures' own sum down to a depth: above, between and below the lengths of lists."""
    rng = random.Random(depth)
    docs = [f"d{i:02}" for i in range(30)]
    for _ in range(4):
        labels = {d: rng.choice([0, 1, 1, 2]) for d in rng.sample(docs, 20)}
        ranking = rng.sample(docs, rng.randint(2, 30))
        rank = {d: i for i, d in enumerate(ranking)}
        best = sorted((d for d in labels if labels[d]), key=lambda d: (-labels[d], rank.get(d, 99)))
        run = {"1": {d: -float(i) for d, i in rank.items()}}
        for normalize in (True, False):
            wanted = summed(ranking, best, p, depth) / (summed(best, best, p, depth) if normalize else 1.0)
            name = f"Compat(p={p},normalize={normalize},depth={depth})"
            assert tg.evaluate(run, {"1": labels}, name).mean() == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("depth", [0, -1, 1.5, "'all'", 1_000_001])
def test_a_depth_that_is_none_is_refused(depth: Any) -> None:
    """Guards mistakes in the depth of Compat."""
    with pytest.raises(tg.MeasureError, match="depth must be a whole number from 1 to 1,000,000, such as 1000"):
        tg.parse_measure(f"Compat(depth={depth})")


def test_the_page_has_every_family_with_its_option() -> None:
    """Guards the page: a row for each family that is tested here, with the option that the test took."""
    table = PAGE.read_text().split("## Equal scores, missing topics")[1].split("\n\n")[2]
    option = {"descending": "the default", "ascending": "`--ties ascending`", "input": "`--ties input`"}
    named = {"msmarco": "MS MARCO", "judged": "Judged@k", "compat": "Compat of ir_measures"}
    for key, tested in FAMILIES.items():
        rows = [row for row in table.splitlines() if named.get(key, key) in row.split("|")[1]]
        assert len(rows) == 1, key
        assert rows[0].split("|")[3].strip().startswith(option[tested.ties]), rows[0]
        assert "`-c`" in rows[0]
