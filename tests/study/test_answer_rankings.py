"""Rank correlations of answers: two of their scores, two judges of the same answers, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.cli.conftest import Run, commands, folder, run  # noqa: F401 (fixtures)
from truegain.errors import DataWarning, InputError, TruegainError
from truegain.io.columns import Floats
from truegain.io.logs.log import ScoreRange

SYSTEMS = tuple("abcdefg")
Rows = list[dict[str, Any]]


def world(seed: int = 1, topics: int = 30) -> dict[str, Floats]:
    """Two scores of seven systems, which order these not quite alike."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(0.3, 0.7, len(SYSTEMS))[:, None]
    shape = len(SYSTEMS), topics
    return {
        name: np.clip(quality + rng.normal(0, spread, shape), 0, 1) for name, spread in (("faith", 0.3), ("rel", 0.5))
    }


def rows_of(values: dict[str, Floats], leave: Callable[[int, int], bool] = lambda s, t: False) -> Rows:
    """A table of them, without some."""
    n = next(iter(values.values())).shape[1]
    return [
        {"system": name, "topic": f"q{t}", **{score: float(x[s, t]) for score, x in values.items()}}
        for s, name in enumerate(SYSTEMS) for t in range(n) if not leave(s, t)
    ]  # fmt: skip


def write(path: Path, rows: Rows) -> Path:
    """The rows as CSV."""
    names = list(rows[0])
    path.write_text("\n".join([",".join(names), *(",".join(str(row[n]) for n in names) for row in rows)]) + "\n")
    return path


def test_two_scores_are_compared_over_the_same_topics() -> None:
    """Guards tau of two scores against scipy, and that a topic counts only where all have both."""
    values = world()
    holed = {name: x.copy() for name, x in values.items()}
    holed["faith"][0, 3] = holed["rel"][5, 7] = np.nan
    rows = [{n: (None if x != x else x) for n, x in row.items()} for row in rows_of(holed)]
    with pytest.warns(DataWarning) as told:
        found = tg.correlate(tg.read_items(rows), measures=["faith", "rel"])
    assert any("compared over the 28 topics that have all of faith, rel" in str(w.message) for w in told)
    kept = np.setdiff1d(np.arange(30), [3, 7])
    means = [values[name][:, kept].mean(axis=1) for name in ("faith", "rel")]
    one = found.agreements[0]
    assert one.tau_b == pytest.approx(stats.kendalltau(*means).statistic)
    assert np.allclose([one.scores_a, one.scores_b], means)
    assert one.over_topics is not None
    assert found.between == "measures"
    by_scores = tg.correlate(
        tg.evaluate(tg.read_items(rows_of({n: x[:, kept] for n, x in values.items()}))), between="measures"
    )
    assert by_scores.agreements[0].tau == one.tau


def test_all_scores_where_none_is_named() -> None:
    """Guards `between="measures"` of a log: every pair of its scores."""
    values = world()
    values["both"] = values["faith"] + values["rel"]
    found = tg.correlate(tg.read_items(rows_of(values)), between="measures")
    assert [(a.a, a.b) for a in found.agreements] == [("faith", "rel"), ("faith", "both"), ("rel", "both")]


@pytest.mark.parametrize("less", [False, True])
def test_values_of_people_beside_those_of_a_judge(less: bool, tmp_path: Path) -> None:
    """Guards two judges: tau over the topics and systems that both have, whatever people call the score."""
    values = world(2)
    people = {"human": np.round(4 * values["rel"]) + 1}
    items = tg.read_items(rows_of({"faith": values["faith"]}))
    if less:
        items = replace(items, scales={"faith": ScoreRange(0, 1, lower_is_better=True)})
    path = write(tmp_path / "people.csv", rows_of(people, lambda s, t: s == 6 or t >= 20))
    with pytest.warns(DataWarning) as told:
        one = tg.correlate(items, measures="faith", against=path).agreements[0]
    words = [str(w.message) for w in told]
    assert any("g left out: only one of the two has values; systems that both have: 6" in w for w in words)
    assert any("compared over the 20 that both have" in w for w in words)
    means = [x[:6, :20].mean(axis=1) * (-1 if less else 1) for x in (values["faith"], people["human"])]
    assert one.tau_b == pytest.approx(stats.kendalltau(*means).statistic)
    assert np.allclose([one.scores_a, one.scores_b], means)
    assert one.systems == SYSTEMS[:6]
    assert (one.a, one.b) == ("answers", "people")


def test_an_assessor_of_the_same_table() -> None:
    """Guards `against="assessor:NAME"`: the rows of one judge beside those of the other, each by its name."""
    values = world(3)
    rows = [
        {"system": row["system"], "topic": row["topic"], "judge": judge, "faith": row[name]}
        for row in rows_of(values) for judge, name in (("gpt", "faith"), ("ann", "rel"))
    ]  # fmt: skip
    items = tg.read_items(rows)
    one = tg.correlate(items, measures="faith", against="assessor:ann").agreements[0]
    assert (one.a, one.b, one.measure) == ("gpt", "ann", "faith")
    assert np.allclose([one.scores_a, one.scores_b], [values[n].mean(axis=1) for n in ("faith", "rel")])
    with pytest.raises(InputError, match=r"no value is by an assessor of that name; .*there are gpt, ann"):
        tg.correlate(items, measures="faith", against="assessor:bob")


def test_a_correlation_of_unchecked_models_says_so() -> None:
    """Guards the caveat: values of a model that no person checked, unless people's values are held against them."""
    values = world(4)
    items = tg.read_items(rows_of(values)).judged_by("gpt-5")
    said = "by values of gpt-5, which no person has checked"
    assert said in tg.correlate(items, measures=["faith", "rel"]).agreements[0].notes
    people = tg.read_items(rows_of({"faith": values["rel"]}))
    assert said not in tg.correlate(items, measures="faith", against=people).agreements[0].notes
    assert said in tg.correlate(items, measures="faith", against=people.judged_by("other")).agreements[0].notes


def test_halves_and_nuggets(tmp_path: Path) -> None:
    """Guards halves of the topics of a score, and measures of nuggets, which are those of `evaluate`."""
    items = tg.read_items(rows_of(world(5)))
    found = tg.correlate(items, measures="faith", between="halves")
    assert (found.halves[0].topics, found.halves[0].systems) == (15, 7)
    rng = np.random.default_rng(5)
    words = ("support", "partial_support", "not_support")
    rows = [
        {"qid": f"q{t}", "system": s, "nugget_id": f"n{n}", "importance": ("vital", "okay")[n % 2],
         "assignment": words[int(rng.integers(3))]}
        for t in range(8) for s in "abcd" for n in range(4)
    ]  # fmt: skip
    path = tmp_path / "nuggets.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    nuggets = tg.read_nuggets(path)
    one = tg.correlate(nuggets, measures=["V_strict", "A"]).agreements[0]
    scores = tg.evaluate(nuggets, measures=["V_strict", "A"])
    assert np.allclose(one.scores_a, list(scores.by_system("V_strict").values()))
    assert np.allclose(one.scores_b, list(scores.by_system("A").values()))
    with pytest.raises(TruegainError, match=r"tg\.judge_quality"):
        tg.correlate(nuggets, measures="A", against=path)


def test_nuggets_are_compared_over_the_same_topics(tmp_path: Path) -> None:
    """Guards orders by measures of nuggets where a measure cannot score an answer: all over the same topics."""
    rng = np.random.default_rng(3)
    words = ("support", "partial_support", "not_support")
    rows = [
        {"qid": f"q{t}", "system": s, "nugget_id": f"n{n}", "importance": "vital" if n < 5 and t != 3 else "okay",
         "assignment": "failed" if s == "c" and t == 2 and n < 5 else words[int(rng.integers(3))]}
        for t in range(8) for s in "abcd" for n in range(9)
    ]  # fmt: skip
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "kept.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows if row["qid"] not in ("q2", "q3"))
    )
    with pytest.warns(DataWarning) as told:
        one = tg.correlate(tg.read_nuggets(tmp_path / "all.jsonl"), measures=["V_strict", "A"]).agreements[0]
    said = [str(w.message) for w in told]
    assert any("compared over the 6 topics for which all have V_strict, A" in text for text in said)
    assert not any("all_topics" in text for text in said)  # which applies to runs
    kept = tg.evaluate(tg.read_nuggets(tmp_path / "kept.jsonl"), measures=["V_strict", "A"])
    for ours, measure in ((one.scores_a, "V_strict"), (one.scores_b, "A")):
        assert np.allclose(ours, list(kept.by_system(measure).values()))
    with pytest.warns(DataWarning) as told:
        tg.plan_topics(tg.read_nuggets(tmp_path / "all.jsonl"), measure="V_strict", min_effect=0.1)
    said = [str(w.message) for w in told]
    assert "1 of 7 topics are left out of the comparison: 1 of 4 systems have no score for some of them" in said


def test_what_cannot_be_compared_is_refused() -> None:
    """Guards the words where nothing, too little or something else is given."""
    items = tg.read_items(rows_of(world(6)))
    cases: list[tuple[Callable[[], Any], str]] = [
        (lambda: tg.correlate(items, measures="faith"), r"correlate what\? Name two scores"),
        (lambda: tg.correlate(items, measures="faith", between="judgments"), r"correlate what\? Name two scores"),
        (lambda: tg.correlate(items, measures="faith", between="measures"), "one score is named, .*faith, rel"),
        (lambda: tg.correlate(items, measures=["faith", "x"]), "names no score"),
        (lambda: tg.correlate(items, {"q1": {"a": 1}}, "faith", between="halves"), "already judgments"),
        (lambda: tg.correlate(items.without("cdefg"), measures=["faith", "rel"]), "2; give values of at least 3 sys"),
        (lambda: tg.correlate(items, measures="faith", against="column:rel"), "name both scores, faith and rel"),
        (
            lambda: tg.correlate(replace(items, cluster=dict.fromkeys(items.topics, "d")), measures=["faith", "rel"]),
            "topics drawn one by one",
        ),
        (
            lambda: tg.correlate(items, measures="faith", against=tg.read_items({"f": {"z": {"q1": 1.0, "q2": 0.0}}})),
            "no system of items has values there",
        ),
    ]
    for call, said in cases:
        with pytest.raises(TruegainError, match=said):
            call()


def test_the_command_has_the_figures_of_python(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards `truegain correlate` of tables of scores: two scores, two judges, and what is missing, in words."""
    values = world(7)
    table = write(folder / "s.csv", rows_of(values))
    people = write(folder / "people.csv", rows_of({"human": np.round(4 * values["rel"])}))
    items = tg.read_items(table)

    def row(*words: str) -> dict[str, Any]:
        code, out, err = run("correlate", "s.csv", *words, "--format", "json")
        assert code == 0, err
        (found,) = json.loads(out)["rows"]
        return dict(found)

    for options, found in (
        (("--score", "faith", "--score", "rel"), tg.correlate(items, measures=["faith", "rel"])),
        (("--score", "faith", "--against", "people.csv"), tg.correlate(items, measures="faith", against=people)),
    ):
        told, one = row(*options), found.agreements[0]
        assert (told["tau"], told["low"], told["high"]) == pytest.approx((one.tau.value, one.tau.low, one.tau.high))
        assert (told["a"], told["b"], told["systems"]) == (one.a, one.b, 7)
    (folder / "our people, 2.csv").write_bytes(people.read_bytes())  # a file, and no measures with commas or spaces
    named = row("--score", "faith", "--against", "our people, 2.csv")
    assert (named["tau"], named["b"]) == (told["tau"], "our people, 2")
    refused: tuple[tuple[tuple[str, ...], str], ...] = (
        ((), "s.csv: a table of scores? add --score faith (or rel)"),
        (("--score", "faith"), "give values of another judge or of people (--against), or --between halves"),
        (("--score", "faith", "--score", "rel", "-m", "AP"), "these are values of answers, not runs"),
        (("--score", "faith", "--score", "rel", "--depth", "3"), "--depth does not apply to answers; leave it out"),
        (("--score", "faith", "--score", "rel", "--less-is-better"), "--less-is-better is of one score"),
        (("--score", "faith", "--score", "rel", "--show", "significant"), "leave out --show significant"),
    )
    for words, said in refused:
        code, out, err = run("correlate", "s.csv", *words)
        assert (code, out, said in err) == (2, "", True), err


def test_runs_take_their_second_judgments_as_an_option(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards `--against` of runs: the same as the second set of judgments after the first."""
    for name, good in (("gold", "ab"), ("llm", "ac")):
        text = "".join(f"{t} 0 {d} {d in good:d}\n" for t in (1, 2) for d in "abcd")
        (folder / f"{name}.qrels").write_text(text)
    for name, order in (("p", "abcd"), ("q", "acbd"), ("r", "cdab")):
        lines = (f"{t} Q0 {d} {i} {9 - i} {name}\n" for t in (1, 2) for i, d in enumerate(order))
        (folder / f"{name}.run").write_text("".join(lines))
    runs = ("p.run", "q.run", "r.run")
    placed = run("correlate", "gold.qrels", "llm.qrels", *runs, "-m", "AP")
    assert placed[0] == 0
    assert run("correlate", "gold.qrels", *runs, "--against", "llm.qrels", "-m", "AP") == placed
    code, _, err = run("correlate", "gold.qrels", *runs, "--against", "llm.qrels", "--against", "x.qrels")
    assert (code, "there is one second set of judgments" in err) == (2, True), err


def test_two_files_of_the_same_answers_are_told_of_against(run: Run, folder: Path, commands: None) -> None:  # noqa: F811
    """Guards the remedy for two judges in two files: the error named none, and only `correlate` has the option."""
    write(folder / "one.csv", rows_of(world(topics=4)))
    write(folder / "two.csv", rows_of(world(2, topics=4)))
    code, _, err = run("correlate", "one.csv", "two.csv", "--score", "faith")
    assert (code, "values of this file are by another judge, --against two.csv" in err) == (2, True), err
    code, _, err = run("verdict", "one.csv", "two.csv", "--score", "faith")
    assert (code, "appears twice" in err, "against" in err) == (2, True, False), err
