"""Legal but suspicious data is told of once, with counts; clean data is met with silence."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import truegain as tg

LABELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
SCORES = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0, "c": 0.5}}
TIED = {"1": {"a": 1.0, "b": 1.0}, "2": {"a": 0.0, "c": -0.0}}
CLOSE = {"1": {"a": 10.00000002, "b": 10.00000001}, "2": {"a": 1.0, "c": 0.5}}
Lists = dict[str, dict[str, float]]


def told(runs: object, judgments: object = LABELS, measures: object = "P@5", **options: object) -> list[str]:
    """What evaluate warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tg.evaluate(runs, judgments, measures, **options)  # type: ignore[arg-type]
    assert all(issubclass(w.category, tg.DataWarning) for w in caught)
    return [str(w.message) for w in caught]


def only(messages: list[str], *fragments: str) -> None:
    """Exactly one message, and it says all this."""
    assert len(messages) == 1
    for fragment in fragments:
        assert fragment in messages[0]


def test_clean_data_gives_no_warning(tmp_path: Path) -> None:
    """Guards against warnings that cry wolf."""
    (tmp_path / "r").write_text("1 Q0 a 1 2 s\n1 Q0 b 2 1 s\n2 Q0 a 1 1 s\n2 Q0 c 2 0.5 s\n")
    for runs in (SCORES, {"s": SCORES, "t": SCORES}, tmp_path / "r"):
        assert told(runs, measures=["P@5", "R@5", "nDCG@5", "RR"]) == []


def test_run_topics_without_judgments() -> None:
    """Guards the count of topics that are not scored, over all runs together."""
    extra: Lists = {"8": {"a": 1.0}, "9": {"a": 1.0}}
    only(
        told({"s": {**SCORES, **extra}, "t": {**SCORES, "9": {"a": 1.0}}, "u": SCORES}),
        "2 of 3 runs have topics without judgments",
        "2 topics (8, 9)",
    )
    only(told({**SCORES, "9": {"a": 1.0}}), "1 of 1 run has topics without judgments", "1 topic (9)")


def test_judged_topics_missing_from_a_run() -> None:
    """Guards the count of runs and topics that are left out of means."""
    only(
        told({"s": {"1": SCORES["1"]}, "t": SCORES}),
        "1 of 2 runs lacks judged topics",
        "most: 1 of 2, in s",
        "left out of the mean",
    )


def test_all_scores_tied() -> None:
    """Guards lists whose order is that of document ids; a list of one document is not suspicious."""
    only(told({"s": TIED, "t": SCORES}), "all scores are tied in 2 lists of 1 run (s)", "document ids")
    assert told({"1": {"a": 1.0}, "2": {"a": 1.0}}) == []


@pytest.mark.parametrize(
    ("ranks", "suspicious"),
    [
        ("1 2 3", False),
        ("0 1 2", False),
        ("0 0 0", False),
        ("10 20 30", False),
        ("x y z", False),
        ("1 1 1", False),
        ("3 2 1", True),
        ("1 3 2", True),
        ("2 1 3", True),
    ],
)
def test_rank_column_against_scores(ranks: str, suspicious: bool, tmp_path: Path) -> None:
    """Guards the rank column: told of where it contradicts the scores, wherever counting starts."""
    lines = zip("abc", ranks.split(), (3.0, 2.0, 1.0), strict=True)
    (tmp_path / "r").write_text("".join(f"1 Q0 {d} {rank} {score} s\n" for d, rank, score in lines))
    messages = told(tmp_path / "r", {"1": {"a": 1}})
    if suspicious:
        only(messages, "the rank column contradicts the scores in 1 list of 1 run (r)", "scores decide")
    else:
        assert messages == []


def test_ranks_within_ties_are_free(tmp_path: Path) -> None:
    """Guards ties: any rank among equal scores is fine, for trec_eval breaks them its own way."""
    (tmp_path / "r").write_text("1 Q0 a 1 2 s\n1 Q0 b 2 2 s\n1 Q0 c 3 1 s\n")
    assert told(tmp_path / "r", {"1": {"a": 1}}) == []


def test_level_never_reached() -> None:
    """Guards measures that can only be 0 since no label is that high."""
    only(told(SCORES, measures="P(rel=3)@5"), "no label reaches 3 (the highest is 1)", "all 0")


def test_a_level_that_all_reach_or_none_is_told_once() -> None:
    """Guards relevant_from=0, which scored every judged document as relevant without a word, and a study's levels."""
    labels = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 0, "b": 1, "c": 0}, "3": {"a": 1, "b": 0, "c": 1}}
    runs = {name: {t: {d: float(order.index(d)) for d in order} for t in labels} for name, order in
            (("x", "abc"), ("y", "cba"))}  # fmt: skip
    for level, said in ((0, "every label is relevant from 0 on (the lowest is 0)"), (9, "no label reaches 9")):
        how = tg.Scoring(relevant_from=level)
        for ask in (
            lambda how=how: tg.evaluate(runs, labels, ["P@2", "RR"], scoring=how),
            lambda how=how: tg.Study(runs, labels, ["P@2", "RR"], scoring=how),
        ):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                ask()
            messages = [str(w.message) for w in seen if "only 3 topics" not in str(w.message)]
            assert [m.startswith(said) for m in messages] == [True], messages
    positive = {t: {d: 1 for d, x in row.items() if x} for t, row in labels.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tg.evaluate(runs, positive, "P@2")


def test_topics_without_relevant_documents() -> None:
    """Guards the count of topics where there is nothing to find."""
    only(
        told(SCORES, {"1": {"a": 1}, "2": {"a": 0, "b": -1}}, ["P@5", "RR", "nDCG@5"]),
        "1 of 2 topics has no relevant document",
        "count as 0",
    )


def test_float32_ties() -> None:
    """Guards scores that trec_eval 9 cannot tell apart; not told of when its order is asked for."""
    only(told({"s": CLOSE, "t": SCORES}), "beyond float32 in 1 list of 1 run (s)", "trec_eval 9")
    only(told(CLOSE, scoring=tg.Scoring(trec_eval=9)), "all scores are tied in 1 list")
    assert (
        told({"1": {"a": 10.00000002, "b": 10.00000001, "c": 1.0}, "2": SCORES["2"]}, scoring=tg.Scoring(trec_eval=9))
        == []
    )


def test_each_is_told_once_for_many_runs() -> None:
    """Guards the reader of a hundred runs from a hundred warnings."""
    messages = told({f"s{i:02}": {**TIED, "9": {"a": 1.0}} for i in range(50)})
    assert len(messages) == 2
    assert any("100 lists of 50 runs (s00, s01, s02 and 47 more)" in m for m in messages)
    assert any("50 of 50 runs have topics without judgments" in m for m in messages)


def test_lines_with_more_than_six_fields(tmp_path: Path) -> None:
    """Guards fields behind the tag: trec_eval takes them, and one may be a score; counted over all runs."""
    wide = "1 Q0 a 1 2 s 0.5\n1 Q0 b 2 1 s\n2 Q0 a 1 1 s more of it\n2 Q0 c 2 0.5 s\n"
    for name in ("r", "t"):
        (tmp_path / name).write_text(wide)
    (tmp_path / "u").write_text("1 Q0 a 1 2 s\n2 Q0 a 1 1 s\t\r\n")
    paths = [str(tmp_path / name) for name in "rtu"]
    only(told(paths), "more than six fields in 4 lines of 2 runs (r, t)", "not read, as in trec_eval")
    assert told(paths[2]) == []


def test_infinite_scores() -> None:
    """Guards scores that order but are none; both infinities are counted, and order as they must."""
    run = {"1": {"a": float("-inf"), "b": float("inf"), "c": 0.0}, "2": {"a": 1.0}}
    only(told({"s": run, "t": SCORES}), "the score is infinite in 2 lines of 1 run (s)", "first or last")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert tg.evaluate(run, {"1": {"a": 1}, "2": {"a": 1}}, "RR").by_topic() == {"1": pytest.approx(1 / 3), "2": 1}


@pytest.mark.parametrize(("label", "suspicious"), [(2.0**53, False), (2.0**53 + 2, True), (-1e23, True)])
def test_labels_beyond_whole_numbers(label: float, suspicious: bool) -> None:
    """Guards labels that are ids or times: beyond 2^53 neighbours are one float."""
    messages = told(SCORES, {"1": {"a": label, "b": 1}, "2": {"a": 1}})
    if suspicious:
        only(messages, "1 of 3 labels is beyond 2^53", f"the first is {label:g}")
    else:
        assert messages == []


def test_labels_that_cannot_be_added_up() -> None:
    """Guards measures against overflow: refused with the row, where sums would be infinite."""
    with pytest.raises(tg.InputError, match="row 2: label 1e\\+200 is too large"):
        tg.evaluate(SCORES, {"1": {"a": 1, "b": 1e200}}, "P@5")


@pytest.mark.parametrize("level", [float("nan"), float("inf")])
def test_a_level_is_a_number(level: float) -> None:
    """Guards level=nan, which is not negative."""
    with pytest.raises(tg.TruegainError, match=f"relevant_from {level:g} is not a finite number"):
        tg.evaluate(SCORES, LABELS, "P@5", scoring=tg.Scoring(relevant_from=level))


def test_true_and_false_are_labels_but_no_scores() -> None:
    """Guards booleans: a document may be relevant or not; two scores order nothing and hide a mistaken column."""
    assert tg.evaluate(SCORES, {"1": {"a": True, "b": False}, "2": {"a": True}}, "P@1").mean() == 1
    with pytest.raises(tg.InputError, match="not a number: 'True'"):
        tg.evaluate({"1": {"a": True, "b": False}}, LABELS, "P@5")
