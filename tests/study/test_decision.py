"""One rule for all answers: better, worse, not better, not worse, inconclusive; alone, and of many claims at once."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import truegain as tg
from truegain.study import ranking
from truegain.study.decision import outcome_of

Runs = dict[str, dict[str, dict[str, float]]]
DEPTH = 10


def lists(systems: str, topics: int) -> Runs:
    """Each system has documents of its own, so that labels alone say how good it is."""
    return {s: {str(t): {f"{s}{i}": -float(i) for i in range(DEPTH)} for t in range(topics)} for s in systems}


def labels(relevant: dict[str, np.ndarray]) -> dict[str, dict[str, int]]:
    """So many of the ten documents of each system are relevant, topic by topic."""
    topics = len(next(iter(relevant.values())))
    return {
        str(t): {f"{s}{i}": int(i < n[t]) for s, n in relevant.items() for i in range(DEPTH)} for t in range(topics)
    }


@pytest.mark.parametrize(
    ("low", "high", "take", "give", "min_effect", "outcome"),
    [
        (0.0, 0.05, 0.0, 0.0, 0.0, "inconclusive"),  # above 0, not at it
        (0.02, 0.05, 0.0, 0.0, 0.02, "better"),  # at the smallest gain or above
        (0.019, 0.05, 0.0, 0.0, 0.02, "inconclusive"),
        (0.03, 0.05, -0.02, 0.0, 0.02, "inconclusive"),  # a hole may take what is needed
        (0.0, 0.0199, 0.0, 0.0, 0.02, "not better"),
        (-0.05, -0.01, 0.0, 0.02, 0.02, "not better"),  # holes may lift it above 0, not so far
        (-0.05, -0.01, 0.0, 0.0, 0.02, "worse"),
        (-0.05, 0.0, 0.0, 0.0, 0.0, "inconclusive"),
        (-0.02, 0.01, 0.0, 0.0, -0.02, "inconclusive"),  # not worse by 0.02 or more: above -0.02, not at it
        (-0.0199, 0.01, 0.0, 0.0, -0.02, "not worse"),
        (-0.0199, 0.01, -0.01, 0.0, -0.02, "inconclusive"),
        (-0.05, -0.021, 0.0, 0.0, -0.02, "worse"),
        (-0.05, -0.021, 0.0, 0.01, -0.02, "inconclusive"),
    ],
)
def test_the_borders_of_each_answer(
    low: float, high: float, take: float, give: float, min_effect: float, outcome: str
) -> None:
    """Guards which side of each limit an answer lies on, with what holes could do."""
    assert outcome_of(low, high, take, give, min_effect) == outcome


def test_a_verdict_says_what_the_gate_asks() -> None:
    """Guards 'holds' beside 'inconclusive': with a smallest gain, better is by that gain."""
    rng = np.random.default_rng(3)
    few = rng.binomial(DEPTH, 0.3, 30)
    judged = labels({"a": few, "b": np.minimum(few + rng.binomial(2, 0.5, 30), DEPTH)})
    runs = lists("ab", 30)
    sure = tg.Study(runs, judged, "P@10").verdict("a", "b")
    low, high = sure.comparison.low, sure.comparison.high
    assert low is not None
    assert high is not None
    outcomes = [
        tg.Study(runs, judged, "P@10", min_effect=s).verdict("a", "b").outcome
        for s in (0.0, low, (low + high) / 2, 2 * high)
    ]
    assert outcomes == ["better", "better", "inconclusive", "not better"]
    assert tg.Study(runs, judged, "P@10").verdict("b", "a").outcome == "worse"


def test_not_worse_is_another_claim() -> None:
    """Guards the sentence, the answer and the refusals of `not_worse_by`."""
    rng = np.random.default_rng(4)
    judged = labels({"a": rng.binomial(DEPTH, 0.5, 40), "b": rng.binomial(DEPTH, 0.5, 40)})
    study = tg.Study(lists("ab", 40), judged, "P@10")
    told = study.verdict("a", "b", not_worse_by=0.3)
    assert (told.outcome, told.to_dict()["not_worse_by"]) == ("not worse", 0.3)
    assert told.sentence.startswith("b is not worse than a by 0.3 or more: ")
    open_ = study.verdict("a", "b", not_worse_by=0.001)
    assert open_.outcome == "inconclusive"
    assert open_.sentence.startswith("Inconclusive: b scores ")
    assert open_.sentence.endswith(", but the interval includes -0.001.")
    for wrong in (0, -0.1, float("nan"), "much"):
        with pytest.raises(tg.TruegainError, match=r"not_worse_by .*: give how much worse it may be, a number above"):
            study.verdict("a", "b", not_worse_by=wrong)  # type: ignore[arg-type]
    with pytest.raises(tg.TruegainError, match="not_worse_by= and min_effect= set two different goals"):
        tg.Study(lists("ab", 40), judged, "P@10", min_effect=0.1).verdict("a", "b", not_worse_by=0.1)


@pytest.mark.slow
def test_one_that_is_worse_by_the_margin_seldom_passes() -> None:
    """Guards the error of 'not worse': a candidate worse by exactly the margin passes in about 2.5% of studies.

    Of 200, 2.5% are 5 with a standard error of 2.2: 13 would be more than 3 of them above.
    """
    rng, runs, passed = np.random.default_rng(26), lists("ab", 25), 0
    for _ in range(200):
        few = 2 + rng.binomial(6, 0.5, 25)
        study = tg.Study(runs, labels({"a": few, "b": few + rng.integers(-2, 2, 25)}), "P@10")  # by 0.05 on average
        passed += study.verdict("a", "b", not_worse_by=0.05).outcome == "not worse"
    assert 1 <= passed < 13


@pytest.mark.slow
def test_many_claims_at_once_are_seldom_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the headline: of 6 systems as good as the baseline any is told apart in about 5%, each alone in more."""
    monkeypatch.setattr(ranking, "DRAWS", (500, 500))
    rng, systems, runs = np.random.default_rng(5), "abcdefg", lists("abcdefg", 25)
    alone = at_once = 0
    for _ in range(200):
        easy = rng.beta(2, 2, 25)
        study = tg.Study(runs, labels({s: rng.binomial(DEPTH, easy) for s in systems}), "P@10")
        verdicts = [study.verdict("a", s) for s in systems[1:]]
        alone += any(v.settled for v in verdicts)
        at_once += any(outcome != "inconclusive" for outcome in study.together(verdicts))
    assert alone >= 25
    assert at_once <= 18  # 5% are 10, with a standard error of 3.1


def test_claims_at_once_go_with_their_own() -> None:
    """Guards `together`: one claim is as alone, what cannot be told stays so, measures are not mixed."""
    rng = np.random.default_rng(6)
    low, high = rng.binomial(DEPTH, 0.2, 30), rng.binomial(DEPTH, 0.8, 30)
    study = tg.Study(lists("abc", 30), labels({"a": low, "b": high, "c": low}), ["P@10", "RR"])
    verdicts = [study.verdict("a", s, "P@10") for s in "bc"]
    assert study.together(verdicts[:1]) == (verdicts[0].outcome,) == ("better",)
    assert study.together(verdicts) == ("better", "inconclusive")
    assert study.together([]) == ()
    with pytest.raises(tg.TruegainError, match="claims can be tested jointly on one measure"):
        study.together([verdicts[0], study.verdict("a", "b", "RR")])


def test_claims_at_once_are_of_their_measure() -> None:
    """Guards `together` in a study of several measures: as in a study of the claims' measure alone."""
    rng, runs = np.random.default_rng(7), lists("abc", 20)
    at_once = []
    for _ in range(12):
        truth = labels({s: rng.binomial(DEPTH, p, 20) for s, p in (("a", 0.4), ("b", 0.52), ("c", 0.5))})
        both, alone = (tg.Study(runs, truth, measures) for measures in (["RR", "P@10"], "P@10"))
        at_once.append(both.together([both.verdict("a", s, "P@10") for s in "bc"]))
        assert at_once[-1] == alone.together([alone.verdict("a", s) for s in "bc"])
    assert len(set(at_once)) > 2


def test_holes_hold_claims_at_once_back_too() -> None:
    """Guards unjudged documents in the headline: what they could take counts there as in the rows."""
    rng = np.random.default_rng(7)
    judged = labels({"a": rng.binomial(DEPTH, 0.2, 30), "b": rng.binomial(DEPTH, 0.45, 30), "c": np.full(30, 9)})
    open_ = {t: {d: x for d, x in row.items() if not (d[0] == "a" and int(d[1:]) >= 6)} for t, row in judged.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = tg.Study(lists("abc", 30), open_, "P@10")
        verdicts = [study.verdict("a", s) for s in "bc"]
        told = study.together(verdicts)
    assert (verdicts[0].outcome, told) == ("inconclusive", ("inconclusive", "better"))
