"""A judge measured on what each system retrieved: too few gold labels of a system's own tell nothing of it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import truegain as tg
from tests.flat import flat_study
from truegain.errors import TruegainError

Lists = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]


def world(own: int, seed: int = 0, topics: int = 40) -> tuple[Lists, Labels, Labels]:
    """Equal systems; the judge calls half of what rag wrongly retrieved relevant; `own` gold labels are of rag's."""
    rng, bronze, gold, runs = np.random.default_rng(seed), {}, {}, {"bm25": {}, "rag": {}}  # type: ignore[var-annotated]
    for t in range(topics):
        truth = rng.random((2, 10)) < 0.5
        right, wrong = np.array([[0.9], [0.98]]), np.array([[0.1], [0.5]])
        said = np.where(truth, rng.random((2, 10)) < right, rng.random((2, 10)) < wrong)
        bronze[str(t)] = {f"{s}{i}": int(said[s, i]) for s in (0, 1) for i in range(10)}
        gold[str(t)] = {f"0{i}": int(truth[0, i]) for i in range(4)}
        gold[str(t)] |= {f"1{i}": int(truth[1, i]) for i in range(2) if 2 * t + i < own}
        for s, name in enumerate(runs):
            runs[name][str(t)] = {f"{s}{i}": 10.0 - i for i in range(10)}
    return runs, bronze, gold


def studied(own: int, seed: int, **words: object) -> tg.Study:
    """The study of these labels, drawn by gold label."""
    runs, bronze, gold = world(own, seed)
    return flat_study(runs, bronze, "P@10", gold=gold, design="by-gold", **words)


@cache
def seeds(own: int) -> list[int]:
    """The first studies that the judge's rates do not forbid."""
    found = []
    for seed in range(24):
        try:
            studied(own, seed).variance_model()
        except TruegainError:
            continue
        found.append(seed)
    return found[:4]


@pytest.mark.slow
def test_few_gold_labels_of_a_system_claim_nothing() -> None:
    """Guards 10 labels, which claimed a gain of equal systems in 7% of studies: no score, no difference, no rank."""
    for seed in seeds(10):
        study = studied(10, seed)
        told = study.verdict("bm25", "rag")
        assert told.outcome == "inconclusive"
        assert told.withheld == ("too few gold labels: rag retrieved 10 of the labeled documents, and 20 are needed",)
        assert "needs gold labels of at least 20 documents drawn at random" in str(told)
        assert [e.refused for e in study.estimates()] == [False, True]
        assert study.compare("bm25", "rag")[0].low is None
        assert study.best().open == ("rag",)
        lent = studied(10, seed, system_models={"rag": "gpt"}, judge_model="gpt").verdict("bm25", "rag")
        assert lent.withheld[0].startswith("possible self-preference: rag uses gpt, its judge, and too few")


def test_enough_gold_labels_of_a_system_tell() -> None:
    """Guards the bound from the other side: with 20 of its own a system is told, and related to no judge's model."""
    seed = seeds(20)[0]
    study = studied(20, seed, system_models={"rag": "gpt"}, judge_model="gpt")
    assert study.verdict("bm25", "rag").withheld == ()
    assert study.compare("bm25", "rag")[0].low is not None
    assert not any(e.refused for e in study.estimates())


def test_compare_refuses_too_few_too() -> None:
    """Guards `tg.compare`, which gave the same wrong answers: the reason, and what else could be asked."""
    few, enough = seeds(10)[0], seeds(20)[0]
    runs, bronze, gold = world(10, few)
    with pytest.raises(TruegainError, match=r"^rag - bm25, P@10: only 10 gold labels affect it; at least 20 are"):
        tg.compare(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), resampling=tg.Resampling(n=50))
    assert tg.compare(
        runs,
        bronze,
        "P@10",
        gold=tg.Gold(gold, design="by-gold"),
        test=tg.PublishedTest(accuracy="given"),
        resampling=tg.Resampling(n=50),
    )[0].low
    runs, bronze, gold = world(20, enough)
    assert (
        tg.compare(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), resampling=tg.Resampling(n=50))[0].low
        is not None
    )


def test_published_intervals_need_twenty_labels_of_its_own_too() -> None:
    """Guards `method` beside the usual one: 19 gold labels of a system's own are refused, 20 are not."""
    said = []
    for own in (19, 20):
        runs, bronze, gold = world(own, 1)
        said.append(tg.correct(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), method="delta")[1])
    assert [e.refused for e in said] == [True, False]
    assert (
        said[0]
        .notes[0]
        .startswith(
            "19 gold labels are of what it retrieved where P@10 looks, and at least 20 are needed: label more of these"
        )
    )


def test_no_label_of_its_own_is_told_without_words_a_study_does_not_know() -> None:
    """Guards the advice: a study has no `accuracy`; a comparison has."""
    runs, bronze, gold = world(0)
    with pytest.raises(TruegainError, match=r"rag, P@10: none of the 160 gold pairs .* label some of these$"):
        tg.Study(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold")).estimates()
    with pytest.raises(
        TruegainError, match=r"^rag - bm25, P@10: rag: none of the 160 gold pairs.*accuracy='lists' or 'given'"
    ):
        tg.compare(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), test=tg.PublishedTest(accuracy="system"))


def test_rates_without_documents_do_not_tell_of_a_related_system() -> None:
    """Guards a judge known by counts alone: whose documents these were is not known."""
    runs, bronze, _ = world(0)
    judge = tg.Judge.from_counts(relevant=(90, 100), nonrelevant=(80, 100))
    told = tg.Study(
        tg.read_runs(runs, models={"rag": "gpt"}), tg.read_judgments(bronze, model="gpt"), "P@10", gold=judge
    ).verdict("bm25", "rag")
    assert told.withheld[0].endswith("and no gold label shows how much that favors rag")
    assert tg.Study(runs, bronze, "P@10", gold=judge).verdict("bm25", "rag").withheld == ()


def test_correct_refuses_too_few_too() -> None:
    """Guards `tg.correct`: with 10 labels of a system's own 86% of intervals held its score, with 20 99%."""
    runs, bronze, gold = world(10, seeds(10)[0])
    bm25, rag = tg.correct(runs, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"))
    assert (bm25.refused, rag.refused) == (False, True)
    assert rag.notes[0].startswith("only 10 gold labels affect it; at least 20 are needed")
