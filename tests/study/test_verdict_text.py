"""What a verdict says, and that it says no more than its numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from truegain.sampling.source import SourceName
from truegain.stats.results import Comparison
from truegain.study.decision import gold_reasons, outcome_of
from truegain.study.documents import Outcome
from truegain.study.precision import CurrentPrecision, Step, steps_of
from truegain.study.study_data import Population
from truegain.study.unjudged import PairBounds
from truegain.study.variance_table import TOGETHER, InfluentialUnit, Line, Share, largest_in_words
from truegain.study.verdict import Verdict


def verdict(
    low: float, high: float, min_effect: float = 0.0, holes: tuple[float, float, int] = (0, 0, 0), **changes: object
) -> Verdict:
    """A verdict with these limits; what holes could take and give lies in one topic of ten."""
    middle = (low + high) / 2
    comparison = Comparison("a", "b", "P@10", 0.3, 0.3 + middle, middle, low, high, p=0.1, uncorrected=middle)
    least, most = np.zeros(10), np.zeros(10)
    least[0], most[0] = holes[:2]
    outcome: Outcome = outcome_of(low, high, holes[0], holes[1], min_effect)
    lines = (Line("topics", low, high, Share(1.0, 1.0, 1.0, alone=True)), Line(TOGETHER, low, high))
    made = Verdict(
        comparison, outcome, min_effect, "for topics like these 10", "the collection", lines,
        Line("naive: topics", low, high), "topics", {}, PairBounds(least, most, holes[2], 10),
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


FOUND = "for topics like these 10"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (verdict(0.01, 0.05), f"b is better than a: +0.0300 P@10, 95% CI [0.0100, 0.0500], {FOUND}."),
        (
            verdict(0.03, 0.05, 0.02),
            f"b is better than a by 0.02 or more: +0.0400 P@10, 95% CI [0.0300, 0.0500], {FOUND}.",
        ),
        (
            verdict(0.01, 0.03, 0.05),
            f"b is better than a, but by less than 0.05: +0.0200 P@10, 95% CI [0.0100, 0.0300], {FOUND}.",
        ),
        (
            verdict(0.01, 0.05, 0.02),
            "b is better than a, but whether by 0.02 or more is not known: +0.0300 P@10, 95% CI [0.0100, 0.0500], "
            f"{FOUND}.",
        ),
        (verdict(-0.05, -0.01), f"b is worse than a: -0.0300 P@10, 95% CI [-0.0500, -0.0100], {FOUND}."),
        (
            verdict(-0.03, 0.01, 0.02),
            f"b is not better than a by 0.02 or more: -0.0100 P@10, 95% CI [-0.0300, 0.0100], {FOUND}.",
        ),
        (
            verdict(-0.03, 0.01),
            "Inconclusive: b scores lower than a, -0.0100 P@10, 95% CI [-0.0300, 0.0100], "
            f"{FOUND}, but the interval includes 0.",
        ),
        (
            verdict(-0.01, 0.05, 0.02),
            "Inconclusive: b scores higher than a, +0.0200 P@10, 95% CI [-0.0100, 0.0500], "
            f"{FOUND}, but the interval includes both 0 and 0.02.",
        ),
    ],
)  # fmt: skip
def test_the_sentence_says_what_the_limits_say(given: Verdict, said: str) -> None:
    """Guards every kind of sentence, and what it says of the smallest gain that matters."""
    assert given.sentence == said


def test_holes_limit_what_is_said() -> None:
    """Guards words about holes: 'worse' and 'by 0.02 or more' only where no label of a hole could change it."""
    lifted = verdict(-0.05, -0.01, 0.05, holes=(0, 0.03, 4))  # below 0.05 for sure, below 0 only by the labels
    assert lifted.outcome == "not better"
    assert lifted.sentence.startswith("b is not better than a by 0.05 or more")
    taken = verdict(0.03, 0.05, 0.02, holes=(-0.02, 0, 4))
    assert taken.outcome == "inconclusive"
    known = "but whether by 0.02 or more is not known"
    assert taken.sentence.startswith(f"b is better than a, {known}: +0.0400 P@10, ")
    assert taken.sentence.endswith("; unjudged documents could reduce the gain.")
    assert taken.headline == f"b is better than a on P@10, {known}."
    both = verdict(0.01, 0.05, 0.02, holes=(-0.02, 0, 4))
    assert both.sentence.endswith(
        ", but the interval includes 0.02, and 4 unjudged documents could remove the whole gain."
    )
    undone = verdict(0.01, 0.05, holes=(-0.02, 0, 1))
    assert undone.outcome == "inconclusive"
    assert undone.sentence.endswith(", but 1 unjudged document could change that, on 1 or more of 10 topics.")
    risen = verdict(-0.05, -0.01, holes=(0, 0.02, 3))
    assert risen.sentence.startswith("Inconclusive: b scores lower than a, -0.0300 P@10, ")
    assert risen.sentence.endswith(", but 3 unjudged documents could add up to 0.0200.")
    assumed = replace(undone, outcome="better", unjudged_policy="non-relevant")
    assert assumed.sentence.endswith("; unjudged documents count as not relevant.")
    assert replace(assumed, unjudged_bounds=None, unjudged_policy="bound").sentence.endswith(
        "; unjudged documents count as not relevant."
    )
    assert replace(verdict(0.01, 0.05), unjudged_policy="non-relevant").sentence.endswith(f"{FOUND}.")  # there are none


def test_what_is_held_fixed_may_not_survive() -> None:
    """Guards 'shown for other topics, not for other assessors': of sources not asked about, one that takes it away."""
    topics, whole = verdict(0.01, 0.05).by_source
    held = Line("assessors", -0.01, 0.07, covered=False)
    lost = verdict(0.01, 0.05, by_source=(topics, held, whole))
    assert lost.sentence.endswith(f"{FOUND}; shown for other topics, not for other assessors.")
    assert [row[0] for row in lost.table().rows] == ["topics", "assessors (not covered)", TOGETHER]
    kept = verdict(0.01, 0.05, by_source=(topics, replace(held, low=0.005), whole))
    assert kept.sentence.endswith(f"{FOUND}.")
    asked = verdict(0.01, 0.05, by_source=(topics, replace(held, covered=True), whole))
    assert "not for other assessors" not in asked.sentence  # it holds for them, all sources together


def test_why_there_is_no_interval() -> None:
    """Guards refusals in a verdict: the reason of the comparison or of the calibration stands in the sentence, once."""
    none = replace(verdict(0.01, 0.05).comparison, low=None, high=None, p=None, notes=("nothing moves it",))
    refused = verdict(0.01, 0.05, comparison=none, outcome="inconclusive", by_source=())
    assert refused.sentence.endswith(f"+0.0300 P@10, {FOUND}; nothing moves it.")
    assert refused.text().count("nothing moves it") == 1
    lent = verdict(0.01, 0.05, outcome="inconclusive", reasons=tuple(gold_reasons("b", "m", None, 0)))
    assert lent.text().count("possible self-preference") == 1
    few = gold_reasons("b", None, "random", 1)
    assert str(*few) == "too few gold labels: b retrieved 1 of the labeled documents, and 10 are needed"
    assert "too few gold labels show" in gold_reasons("b", "m", "random", 3)[0].text
    assert gold_reasons("b", "m", "topics", None) == []
    assert gold_reasons("b", "m", "elsewhere", None) != []


def test_pulls_are_told_as_what_would_be_left() -> None:
    """Guards the units: what would be left without each where that was fitted again, else how far each pulls."""
    units = {
        "topics": (InfluentialUnit("7", 0.01, 0.0204), InfluentialUnit("9", -0.01, 0.0396)),
        "gold": (InfluentialUnit("7 d1", -0.002, None),),
    }
    text = verdict(0.01, 0.05, influential=units).text()
    assert "Most influential topics: 7 (difference without it: +0.0204), 9 (+0.0396)." in text
    assert "Most influential gold labels: 7 d1 (change in the difference: -0.0020)." in text


def test_the_cheapest_step_is_one_that_is_enough() -> None:
    """Guards next steps: those enough first, by price; the cheapest named only where all that are enough are priced."""
    now = CurrentPrecision({"topics": 4e-4, "gold": 1e-4}, topics=50, gold=10, pairs=50, labels=30.0, whole=True)
    steps = tuple(steps_of(now, 0.03, {"topics": 5.0, "gold": 1.5}))
    assert [(s.words, s.more, s.cost, s.enough) for s in steps] == [
        ("topics", 57, 57 * (5 + 1.5 * 10 * 30 / 50), True),  # (0.0196^2 x 5) / 0.03^2 times as many
        ("gold topics", 40, 40 * 30 * 1.5, False),
    ]
    text = verdict(0.01, 0.05, 0.03, steps=steps).text()
    assert "  40 more gold topics (50 in total): +-0.0392, cost 1,800; not enough alone\n" in text
    assert text.endswith("Cheapest for +-0.03: 57 more topics.\n")
    unpriced = tuple(steps_of(now, 0.03, {"gold": 1.5}))
    assert "Cheapest" not in verdict(0.01, 0.05, 0.03, steps=unpriced).text()
    assert verdict(0.01, 0.05, 0.03, steps=steps[1:]).text().endswith("None of these alone reaches +-0.03.\n")
    assert str(Step("assessors", 1.2, 5, 1, 0.05)) == "1 more assessor (6 in total): +-0.0500"


def test_population_in_words() -> None:
    """Guards what is not covered: each source either covered or named, never both."""
    labels = Population(frozenset(["topics"]), 50)
    assert (
        str(labels) == "For topics like these 50. Not covered: other document collections; mistakes in the judgments."
    )
    everything = Population(frozenset(["topics", "collection", "assessors"]), 50, 5)
    assert everything.not_covered == "nothing"
    assert Population(frozenset(), 9, 5, True).not_covered == (
        "other topics; other document collections; other assessors; mistakes in the gold labels"
    )
    assert Population(frozenset(), 9).holds_for == "for these 9 topics only"


def test_a_settled_claim_needs_nothing_more() -> None:
    """Guards next steps of a settled claim: no step is called too little for what is known already."""
    step = Step("topics", 2.0, 50, 50, 0.03, enough=False)
    assert str(step) == "50 more topics (100 in total): +-0.0300; not enough alone"
    assert step.to_dict() == {"what": "topics", "more": 50, "half_width": 0.03, "cost": None, "enough": False}
    settled = verdict(0.03, 0.09, 0.02, steps=(step,))
    assert settled.text().endswith(
        "The claim is settled; more data would only narrow the interval.\n"
        "To narrow the interval (now +-0.0300):\n"
        "  50 more topics (100 in total): +-0.0300\n"
    )
    assert "settled" not in verdict(0.01, 0.05, 0.02, steps=(step,)).text()  # whether by 0.02 or more is not known
    assert "None of these alone reaches +-0.02." in verdict(-0.01, 0.05, 0.02, steps=(step,)).text()


def test_an_exact_difference_has_no_limits() -> None:
    """Guards all labels gold and the topics held fixed: the sentence says so, better, worse or the same."""
    better, worse = verdict(0.05, 0.05, exact=True), verdict(-0.05, -0.05, exact=True)
    said = f"{FOUND}; exact, because all labels are gold."
    assert better.sentence == f"b is better than a: +0.0500 P@10, {said}"
    assert worse.sentence == f"b is worse than a: -0.0500 P@10, {said}"
    same = verdict(0.0, 0.0, outcome="not better", exact=True)
    assert same.sentence == f"b is not better than a; both score the same: +0.0000 P@10, {said}"


def test_the_largest_source_does_not_decide() -> None:
    """Guards words about several sources: the largest part of the variance is named as that, and no more."""
    _, whole = verdict(-0.01, 0.05).by_source
    small, large = Share(0.3, 0.1, 0.4), Share(0.7, 0.55, 0.9)
    lines = (Line("topics", -0.005, 0.045, small), Line("collection", 0.001, 0.04, large), whole)
    told = verdict(-0.01, 0.05, by_source=lines)
    assert told.sentence.endswith("includes 0; 50-90% of the variance comes from the choice of documents.")
    more = Line("gold", -0.001, 0.04, Share(0.7, 0.55, 1.0))
    few = verdict(-0.01, 0.05, by_source=(lines[0], more, whole), sizes={"gold": "150 gold labels"})
    assert few.sentence.endswith("includes 0; more than 50% of the variance comes from having only 150 gold labels.")
    wide = Line("collection", 0.001, 0.04, Share(0.6, 0.35, 0.9))
    unsure = verdict(-0.01, 0.05, by_source=(lines[0], wide, whole))
    part = "probably the largest part of the variance (30-90%)"
    assert unsure.sentence.endswith(f"; {part} comes from the choice of documents.")
    half = Line("collection", 0.001, 0.04, Share(0.5, 0.2, 0.9))
    unknown = verdict(-0.01, 0.05, by_source=(replace(lines[0], share=Share(0.5, 0.1, 0.8)), half, whole))
    assert unknown.sentence.endswith("includes 0; no single source dominates the variance.")
    most = (replace(lines[0], share=Share(0.7, 0.02, 0.98)), replace(half, share=Share(0.3, 0.02, 0.98)), whole)
    assert verdict(-0.01, 0.05, by_source=most).sentence.endswith(
        "includes 0; which source contributes most of the variance is unknown."  # not: probably topics (not known)
    )


def test_a_source_is_the_largest_where_its_range_says_so() -> None:
    """Guards 'the largest': above one half, or above all others; else probably, or not known."""
    third = Share(0.25, 0.2, 0.3)
    assert largest_in_words({}) == ""
    assert largest_in_words({"topics": Share(1.0, 1.0, 1.0)}) == "topics"
    narrow: dict[SourceName, Share] = {
        "topics": third,
        "gold": Share(0.45, 0.4, 0.5),
        "assessors": Share(0.3, 0.25, 0.35),
    }
    assert largest_in_words(narrow) == "gold (40-50% of the variance)"  # above all others
    wide: dict[SourceName, Share] = {"gold": Share(0.6, 0.21, 1.0), "topics": Share(0.4, 0.0, 0.79)}
    assert largest_in_words(wide) == "probably gold (>20% of the variance)"
    assert largest_in_words({**narrow, "assessors": Share(0.3, 0.2, 0.42)}) == "not known"
    assert largest_in_words({"gold": Share(0.6, 0.04, 1.0), "topics": Share(0.4, 0.0, 0.96)}) == "not known"
    assert largest_in_words({**wide, "gold": Share(0.6, 0.51, 1.0)}) == "gold (>50% of the variance)"


def test_no_share_is_all_or_nothing() -> None:
    """Guards 0% and 100% from an estimate: the table has ranges, and one source alone is all by what it is."""
    _, whole = verdict(-0.01, 0.05).by_source
    lines = (Line("topics", -0.01, 0.05, Share(1.0, 0.83, 1.0)), Line("gold", 0.01, 0.03, Share(0.0, 0.0, 0.17)), whole)
    told = verdict(-0.01, 0.05, by_source=lines)
    assert [row[4] for row in told.table().rows] == [">80%", "<20%", None]
    assert "100%" not in told.text()
    assert [row[8:11] for row in told.table(words=False).rows] == [(None, 0.83, 1.0), (None, 0.0, 0.17), (None,) * 3]
    assert told.to_dict()["by_source"][1]["share"] is None  # type: ignore[index]
    assert told.to_dict()["by_source"][1]["share_range"] == [0.0, 0.17]  # type: ignore[index]
    assert repr(lines[0].share) == "Share(>80%)"
    assert [row[4] for row in verdict(-0.01, 0.05).table().rows] == ["all"]


def test_shares_are_explained_where_there_are_some() -> None:
    """Guards the line on shares: none without shares, gold of other topics not called that of these; little."""
    whole = verdict(-0.01, 0.05).by_source[-1]
    topics, gold = Line("topics", -0.01, 0.05, Share(0.9, 0.8, 1.0)), Line("gold", 0.01, 0.03, Share(0.1, 0.0, 0.2))
    text = verdict(-0.01, 0.05, by_source=(topics, gold, whole)).text()
    assert "already includes the uncertainty from gold labels; its share is shown separately" in text
    assert "narrower" not in text
    wide, joint = replace(gold, low=-0.02, high=0.06), replace(whole, low=-0.02, high=0.06)
    assert (
        "over topics is the narrower; all sources use" in verdict(-0.02, 0.06, by_source=(topics, wide, joint)).text()
    )
    assert "over topics is the narrower." in verdict(-0.01, 0.05, by_source=(topics, wide, whole)).text()  # by rates
    away = verdict(-0.01, 0.05, by_source=(topics, replace(gold, away=True), whole)).text()
    assert "the uncertainty from gold labels of other topics; its" in away
    unknown = tuple(replace(x, share=Share(0.5, 0.0, 1.0)) for x in (topics, gold))
    text = verdict(-0.01, 0.05, by_source=(*unknown, whole)).text()
    assert "The row topics already includes the uncertainty from gold labels." in text
    assert "90% ranges" not in text
    none = tuple(replace(x, share=None) for x in (topics, gold, whole))
    assert "Shares" not in verdict(-0.01, 0.05, by_source=none).text()
    people = Line("assessors", -0.05, 0.09, Share(0.0, 0.0, 0.1))
    assert "Assessors seem to add little" in verdict(-0.01, 0.05, by_source=(topics, people, whole)).text()
    narrow = replace(people, low=0.019, high=0.021)
    assert "seem to add" not in verdict(-0.01, 0.05, by_source=(topics, narrow, whole)).text()


def test_unknown_holes_are_told_whatever_the_outcome() -> None:
    """Guards AP: unjudged documents count as not relevant, and that is said where nothing can be told too."""
    told = verdict(-0.01, 0.05, unjudged_bounds=None)
    assert told.sentence.endswith("includes 0; unjudged documents count as not relevant.")


def test_zero_has_one_sign() -> None:
    """Guards -0.0000: a difference of a rounding error is +0.0000, a limit 0.0000."""
    assert "b scores the same as a, +0.0000 P@10, 95% CI [-0.0300, 0.0300]" in verdict(-0.03, 0.03 - 1e-9).sentence
    assert "[0.0000, 0.0300]" in verdict(-1e-9, 0.03).sentence


def test_a_verdict_in_one_line_and_as_a_frame() -> None:
    """Guards repr and frame: the sentence, and rows that say what was asked and the outcome."""
    told = verdict(0.01, 0.05)
    assert repr(told) == f"Verdict({told.sentence})"
    about, limits = ("P@10", "a", "b", "better", "topics"), (pytest.approx(0.03), 0.01, 0.05)
    assert told.frame().row(0) == (*about, *limits, 1.0, 1.0, 1.0, True, True)


def test_the_numbers_of_the_sentence_are_its_own() -> None:
    """Guards `difference`, `low`, `high` and `p`: those that the sentence and `to_dict` have."""
    found = verdict(0.01, 0.05)
    numbers = {name: getattr(found, name) for name in ("difference", "low", "high", "p")}
    assert numbers == {name: found.to_dict()[name] for name in numbers}
    assert f"{found.difference:+.4f} P@10, 95% CI [{found.low:.4f}, {found.high:.4f}]" in found.sentence


def test_an_interval_that_includes_0_is_not_blamed_on_unjudged_documents() -> None:
    """Guards the cause: where the labels alone leave it open, labels of unjudged documents would not close it."""
    found = str(verdict(-0.02, 0.03, holes=(-0.01, 0.01, 4)))
    assert "but the interval includes 0" in found.partition("\n")[0]
    assert "4 unjudged documents" not in found.partition("\n")[0]
