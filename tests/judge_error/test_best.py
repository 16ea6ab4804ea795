"""Which system is best: named only where it is significantly better; sentences say no more than their numbers."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.worlds import study
from truegain.stats.results import Estimate
from truegain.study.corrections import Leaders, leaders_of


def answers(*values: float | None) -> list[Estimate]:
    """Systems a, b, c ... with these corrected scores."""
    return [
        Estimate(name, "P@10", math.nan if v is None else v, 0.0, 1.0)
        for name, v in zip("abcdefgh", values, strict=False)
    ]


def test_the_number_of_all_pairs_is_heeded() -> None:
    """Guards the adjustment: with four systems p must be below .05/6, and equal to it is not."""
    four = answers(0.2, 0.9, 0.3, 0.4)
    below = leaders_of(four, lambda *_: (0.1, 0.05 / 6 * 0.999), 0.95)
    assert below is not None
    assert (below.systems, below.worse, below.pairs) == (("b",), 3, 6)
    assert (
        below.sentence
        == "Best on P@10: b, significantly better than all others (95% confidence, Bonferroni over all 6 pairs)."
    )
    above = leaders_of(four, lambda *_: (0.1, 0.05 / 6 * 1.001), 0.95)
    assert above is not None
    assert above.systems == ("b", "d", "c", "a")
    assert "Which system is best on P@10 is inconclusive: b, d, c, a may be (95%" in above.sentence
    sure = leaders_of(four, lambda *_: (0.1, 0.05 / 6 * 1.001), 0.9)
    assert sure is not None
    assert sure.systems == ("b",)


def test_differences_against_the_first_the_unknown_and_the_refused_may_be_best() -> None:
    """Guards what is not told apart: a difference of the other sign, and a pair that cannot be compared."""

    def difference(top: int, other: int) -> tuple[float, float]:
        assert top == 1
        if other == 0:
            raise tg.TruegainError("the same scores everywhere")
        return (-0.1, 1e-9) if other == 2 else (0.1, 1e-9)

    found = leaders_of(answers(0.2, 0.9, 0.3, 0.4, None), difference, 0.95)
    assert found is not None
    assert (set(found.systems), found.worse, found.refused, found.pairs) == ({"a", "b", "c"}, 1, 1, 10)
    assert "b, c, a may be; 1 other is worse than b" in found.sentence
    assert "without an answer, so compared with none: 1" in found.sentence
    assert leaders_of(answers(None, None), difference, 0.95) is None


def test_a_system_compared_with_nobody_is_not_called_the_best() -> None:
    """Guards systems without an answer: alone no system is the best, and among others only of those with one."""
    alone = leaders_of(answers(0.6, None), lambda *_: (0.1, 1e-9), 0.95)
    assert alone is not None
    assert alone.sentence == "Which system is best on P@10 is inconclusive: only a has an answer."
    two = leaders_of(answers(0.6, 0.2, None), lambda *_: (0.4, 1e-9), 0.95)
    assert two is not None
    assert two.sentence.startswith("Best on P@10 of those with an answer: a, significantly better than all others (")
    near = leaders_of(answers(0.6, 0.2, None), lambda *_: (0.4, 0.02), 0.95)  # 3 pairs, not 1
    assert near is not None
    assert near.systems == ("a", "b")


Runs = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]


def equal_systems(seed: int, systems: int = 8, topics: int = 25, docs: int = 8) -> tuple[Runs, Labels, Labels]:
    """Systems equally good, bronze labels with errors, and gold labels of 12 topics."""
    rng = np.random.default_rng(seed)
    runs: Runs = {f"s{i}": {} for i in range(systems)}
    bronze: Labels = {}
    gold: Labels = {}
    for t in map(str, range(topics)):
        true = rng.random((systems, docs)) < rng.beta(2, 2)
        said = np.where(rng.random(true.shape) < 0.2, ~true, true)
        for i in range(systems):
            runs[f"s{i}"][t] = {f"{i}-{d}": -float(d) for d in range(docs)}
        names = [f"{i}-{d}" for i in range(systems) for d in range(docs)]
        bronze[t] = dict(zip(names, said.ravel().astype(int).tolist(), strict=True))
        gold[t] = dict(zip(names, true.ravel().astype(int).tolist(), strict=True))
    return runs, bronze, {t: gold[t] for t in list(gold)[:12]}


@pytest.mark.slow
def test_equal_systems_have_no_best() -> None:
    """Guards the promise: of eight equal systems one is named in at most 5% of studies (here of 60, by chance 7)."""
    named = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        for seed in range(60):
            runs, bronze, gold = equal_systems(seed)
            (sentence,) = tg.correct(runs, bronze, "P@5", gold=tg.Gold(gold, design="topics")).best
            named += sentence.startswith("Best on")
    assert named <= 7


@pytest.mark.parametrize("design", ["random", "by-gold"])
def test_a_best_that_is_told_apart_is_named(design: str) -> None:
    """Guards the other side, for rectified scores and the matrix: a system far above the others is the best."""
    runs, bronze, gold = study(0, topics=60)
    swapped = {t: {**row, **{d: -100.0 for d in row if bronze[t].get(d)}} for t, row in runs["a"].items()}
    top = {t: {d: float(gold[t][d]) for d in gold[t]} for t in gold}
    found = tg.correct({"top": top, "low": swapped}, bronze, "P@10", gold=tg.Gold(gold, design=design))
    assert found.best == ("Best on P@10: top, significantly better than all others (95% confidence).",)
    assert found.best[0] in str(found)


def test_compare_does_not_advise_what_it_did() -> None:
    """Guards the note on a judge that favors a system: advice only where neither gold nor own accuracy corrects."""
    rng = np.random.default_rng(1)
    docs = [f"{s}{i}" for s in "ab" for i in range(10)]
    runs = {s: {str(t): {f"{s}{i}": -float(i) for i in range(10)} for t in range(40)} for s in "ab"}
    gold = {str(t): {d: int(rng.random() < 0.5) for d in docs} for t in range(40)}
    wrong = {"a": 0.05, "b": 0.45}
    bronze = {t: {d: 1 - g if rng.random() < wrong[d[0]] else g for d, g in row.items()} for t, row in gold.items()}
    some = {t: {d: g for d, g in row.items() if rng.random() < 0.5} for t, row in gold.items()}
    rectified = str(tg.compare(runs, bronze, "P@10", gold=tg.Gold(some, design="random")))
    by_gold = tg.Gold(some, design="by-gold")
    own = str(tg.compare(runs, bronze, "P@10", gold=by_gold))
    alike = str(tg.compare(runs, bronze, "P@10", gold=by_gold, test=tg.PublishedTest(accuracy="given")))
    for text, advised in ((rectified, False), (own, False), (alike, True)):
        assert "NOT equally accurate" in text
        assert ("Correct the scores" in text or "accuracy on its own documents" in text) == advised


def test_adjusted_p_are_called_so() -> None:
    """Guards the sentences of a comparison: which p is meant, and by which adjustment pairs differ."""
    runs, bronze, gold = study(0, topics=30)
    two = str(tg.compare(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold")))
    assert ", p = " in two
    assert "adjusted p" not in two
    more = {**runs, "c": {t: dict(zip(row, reversed(row.values()), strict=True)) for t, row in runs["a"].items()}}
    three = str(tg.compare(more, bronze, "P@5", gold=tg.Gold(gold, design="by-gold")))
    assert three.count("adjusted p = ") == 3
    more["d"] = {t: dict(zip(row, reversed(row.values()), strict=True)) for t, row in runs["b"].items()}
    four = str(tg.compare(more, bronze, "P@5", gold=tg.Gold(gold, design="by-gold")))
    assert "of 6 pairs differ once the judge's errors are corrected: adjusted p (holm) below 0.05." in four
    plain = str(tg.compare(more, bronze, "P@5", gold=tg.Gold(gold, design="by-gold"), adjust="none"))
    assert "p, not adjusted for their number, below 0.05." in plain


def test_how_bronze_scores_are_used_is_said() -> None:
    """Guards the sentence on gold topics in `correct` and `compare`, and silence of other designs."""
    runs, bronze, gold = equal_systems(3, systems=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        used = str(tg.correct(runs, bronze, "P@5", gold=tg.Gold(gold, design="topics")))
        compared = str(tg.compare(runs, bronze, "P@5", gold=tg.Gold(gold, design="topics")))
    for said in (used, compared):
        assert "topics have gold labels. Bronze scores get a weight from 0 to 1" in said
        assert "on the other gold topics. Weights of the scores: 0." in said
    with pytest.warns(tg.DataWarning, match="whole topics seem to have been sampled"):
        assert "slope" not in str(tg.correct(runs, bronze, "P@5", gold=tg.Gold(gold, design="random")))


ALPHA = 1 - 0.95  # as the code has it: a little above .05


def answer(system: str, value: float | None, **more: Any) -> Estimate:
    """A system with this corrected score."""
    plain = Estimate(
        system, "P@10", math.nan if value is None else value, 0.0, 1.0, uncorrected=0.5, gold="random", n=9
    )
    return replace(plain, **more)


def leaders(values: str, difference: tuple[float, float]) -> Leaders:
    """Of systems a, b, c ... scored by these digits, all differences being this one."""
    found = leaders_of(
        [answer(s, int(v) / 10) for s, v in zip("abcd", values, strict=False)], lambda *_: difference, 0.95
    )
    assert found is not None
    return found


def test_p_equal_to_the_level_tells_nothing_apart() -> None:
    """Guards the limit of the best system: p must be below alpha over the number of pairs, the difference above 0."""
    assert leaders("39", (0.1, ALPHA)).systems == ("b", "a")
    assert leaders("39", (0.1, np.nextafter(ALPHA, 0))).systems == ("b",)
    assert leaders("399", (0.1, ALPHA / 3)).systems == ("b", "c", "a")
    assert leaders("39", (0.0, 0.001)).systems == ("b", "a")


def test_one_system_alone_is_not_the_best() -> None:
    """Guards a single answer: one pair at least, nothing is said of Bonferroni, and there is no best."""
    one = leaders("3", (0.1, 0.5))
    assert (one.pairs, one.worse, one.refused) == (1, 0, 0)
    assert one.sentence == "Which system is best on P@10 is inconclusive: only a has an answer."
    assert (
        leaders("39", (0.1, 0.001)).sentence
        == "Best on P@10: b, significantly better than all others (95% confidence)."
    )
    two = replace(leaders("39", (0.1, 0.001)), refused=1, pairs=3)
    assert two.sentence == (
        "Best on P@10 of those with an answer: b, significantly better than all others (95% confidence, Bonferroni "
        "over all 3 pairs; without an answer, so compared with none: 1)."
    )
