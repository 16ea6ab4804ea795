"""Small studies in known worlds, fixed seeds: what the intervals promise, and that each source is counted once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from benchmarks.study.alone import collection_alone, elsewhere, gold_alone, held_fixed, topics_alone
from benchmarks.study.joined import gold_by_crowd
from benchmarks.study.judged import Crowd, labels_of, names_of, ratings_of, runs_of
from benchmarks.study.nature import Lists, any_kinds, true_scores
from benchmarks.study.pairs import with_gold, with_gold_topics
from benchmarks.study.told import Cell, Told
from benchmarks.study.truth import right

import truegain as tg
from truegain.errors import TruegainError
from truegain.stats.contrasts import Contrasts, Influence

if TYPE_CHECKING:
    from benchmarks.coverage.worlds import Study

CONTRASTS = ("score", "null", "real")


def seen_of(study: Study, studies: int, seed: int) -> dict[str, list[Told | None]]:
    """Answers of so many studies."""
    seen: dict[str, list[Told | None]] = {}
    for number in range(studies):
        for answer, one in study(np.random.default_rng([seed, number])).items():
            seen.setdefault(answer, []).append(one)
    return seen


def cells_of(study: Study, studies: int, seed: int) -> dict[str, Cell]:
    """Answers of so many studies, summed up."""
    return {answer: Cell.of("", "", answer, ones) for answer, ones in seen_of(study, studies, seed).items()}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("study", "studies", "true"),
    [
        (
            partial(topics_alone, topics=25),
            16,
            {"P@10": (0.0449, 0.0376, 0.0305), "nDCG@10": (0.0445, 0.0419, 0.0325), "AP": (0.0398, 0.0341, 0.0272)},
        ),
        (
            partial(collection_alone, topics=25),
            6,
            {"P@10": (0.0324, 0.0262, 0.0256), "nDCG@10": (0.0267, 0.0268, 0.0262), "AP": (0.0232, 0.0218, 0.0216)},
        ),
        (partial(gold_alone, topics=25, design="random"), 12, {"P@10": (0.0396, 0.0365, 0.0345)}),
        (
            partial(with_gold, topics=25, design="by-bronze", over="topics"),
            16,
            {"P@10": (0.0582, 0.0503, 0.0456)},
        ),
        (
            partial(with_gold_topics, topics=25, gold=8),
            16,
            {"P@10": (0.0588, 0.0514, 0.0435), "nDCG@10": (0.0649, 0.0574, 0.0466), "AP": (0.0566, 0.0476, 0.0391)},
        ),
    ],
    ids=["topics", "collection", "gold pairs fixed", "topics and gold pairs", "gold topics"],
)
def test_intervals_hold_the_truth(study: Study, studies: int, true: dict[str, tuple[float, float, float]]) -> None:
    """Guards V and degrees of freedom: V is .7-1.4 of the true one, and 85 of 100 limits or more hold the truth.

    true: the standard deviation of the values over 800 to 3,000 other studies, whatever these said of it; the mean V of
    16 studies is off by a tenth.
    """
    seen, inside = seen_of(study, studies, 31), []
    for measure, deviations in true.items():
        for contrast, deviation in zip(CONTRASTS, deviations, strict=True):
            told = [one for one in seen[f"{measure}, {contrast}"] if one is not None]
            assert len(told) == studies
            ratio = float(np.mean([one.variance for one in told])) / deviation**2
            assert 0.7 < ratio < 1.4, (measure, contrast, ratio)
            inside += [one.inside for one in told]
    assert np.mean(inside) > 0.85


@pytest.mark.slow
def test_all_at_once_holds_where_labels_as_they_are_do_not() -> None:
    """Guards the join: gold labels by a crowd set a leaning judge right; without them the score is always missed."""
    cells = cells_of(partial(gold_by_crowd, topics=25, assessors=6), 12, 32)
    for contrast in CONTRASTS:
        assert cells[f"CG@10, {contrast}"].inside >= 0.7
    assert cells["CG@10, score, labels as they are"].inside < 0.4


def over_crowds(rule: str, measure: str, own: float) -> tuple[float, float, float]:
    """Mean V of the first score over crowds without leniency: of assessors, of their cells on topics and documents.

    own: how far an assessor is himself on a topic.
    """
    rng = np.random.default_rng(33)
    lists = Lists.draw(any_kinds(20, rng), rng)
    names = names_of(lists)
    runs, contrasts = runs_of(lists, names), Contrasts.of([(None, 0)])
    found = []
    for _ in range(16):
        on_topic = rng.uniform(-own, own, (20, 6))
        who, said = Crowd(np.zeros(6)).votes(lists.relevant, rng, own=on_topic)
        study = tg.Study(
            runs, ratings_of(names, who, said), measure, population=["assessors"], ratings=tg.Ratings(rule, scale="0:1")
        )
        variance_model = study.variance_model()
        people = variance_model.crossed()["assessors"]
        moves: list[Influence | None] = [people.who, people.by_topic, people.documents]
        found.append([float(m.variance(contrasts).value[0]) for m in moves if m is not None])
    first, second, third = np.mean(found, axis=0).tolist()
    return first, second, third


@pytest.mark.few(1)
@pytest.mark.parametrize(("rule", "measure"), [("mean", "CG@10"), ("majority", "P@10"), ("majority", "AP")])
def test_what_assessors_bring_to_one_topic_is_taken_off_once(rule: str, measure: str) -> None:
    """Guards the cells: where assessors have nothing in common with themselves elsewhere, none of V is left.

    A majority falls when one of three is left out, on every topic alike; taken about 0 the cells were near three V.
    """
    who, cells, documents = over_crowds(rule, measure, 0.0)
    assert cells / who == pytest.approx(1.0, abs=0.35)
    assert documents / who == pytest.approx(1.0, abs=0.4)


def test_what_assessors_are_on_a_topic_is_not_of_single_documents() -> None:
    """Guards the halves: an assessor's own way with a topic stays when the documents' share is taken off."""
    who, cells, documents = over_crowds("mean", "CG@10", 0.24)
    assert cells / who == pytest.approx(1.0, abs=0.35)
    assert documents / who < 0.85


def test_rates_from_elsewhere_are_refused_for_these_topics_only() -> None:
    """Guards a wrong claim: rates know how often labels err, not where; two equal systems were told apart always."""
    lists, names, runs, _ = held_fixed(25)
    judge = tg.Judge.fit(*elsewhere(np.random.default_rng(34)), design="elsewhere")
    study = tg.Study(runs, labels_of(lists.right, names), "P@10", gold=judge, population=[])
    with pytest.raises(TruegainError, match="how often the judge errs, not where"):
        study.compare("a", "b")


def test_the_true_scores_are_those_of_the_world() -> None:
    """Guards the file of truths against a change of the world: a small simulation comes within its error."""
    drawn = true_scores(300, 35)
    assert np.abs(drawn - right()).mean() < 0.012
    assert np.abs(drawn.mean(axis=2) - right().mean(axis=2)).max() < 0.01
    assert right()[:, 0].mean(axis=1) == pytest.approx(right()[:, 1].mean(axis=1), abs=1e-12)
