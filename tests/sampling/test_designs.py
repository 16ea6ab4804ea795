"""How gold is drawn: chances against every sample that there is, and what may be drawn next."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pytest

import truegain as tg
from truegain.io.columns import Bools
from truegain.sampling.catalogue import DESIGNS, design_of, draws_pairs, is_sample

TOPIC = np.array([0, 0, 1, 1, 1, 2, 3, 3], np.int32)
LABEL = np.array([0.0, 1, 0, 0, 1, 2, 2, 0])
WORTH = np.array([1.0, 3, -2, 5, 7, 11, 0.5, 4])


def samples(design: str) -> Iterator[Bools]:
    """Every sample that a design may give, all equally likely: 3 pairs, so many of each label, 2 whole topics."""
    if design in ("random", "answers"):  # here an answer has one item
        chosen: Iterator[tuple[int, ...]] = combinations(range(8), 3)
    elif design == "topics":
        chosen = (tuple(np.flatnonzero(np.isin(TOPIC, t)).tolist()) for t in combinations(range(4), 2))
    else:
        of_label = [np.flatnonzero(x == LABEL).tolist() for x in (0, 1, 2)]
        each = (combinations(rows, n) for rows, n in zip(of_label, (2, 1, 1), strict=True))
        chosen = (tuple(i for part in parts for i in part) for parts in product(*each))
    for rows in chosen:
        drawn = np.zeros(8, bool)
        drawn[list(rows)] = True
        yield drawn


@pytest.mark.parametrize("design", [d for d in DESIGNS if is_sample(d)])
def test_expansion_is_one_over_the_chance_to_be_drawn(design: str) -> None:
    """Guards every chance by counting all samples: 1/expansion is how often a pair is drawn, and totals come out."""
    all_samples = list(samples(design))
    found = [DESIGNS[design].expansion(TOPIC, LABEL, drawn) for drawn in all_samples]
    assert np.array(found) == pytest.approx(np.tile(1 / np.mean(all_samples, axis=0), (len(found), 1)))
    totals = [float((e * WORTH)[drawn].sum()) for e, drawn in zip(found, all_samples, strict=True)]
    assert np.mean(totals) == pytest.approx(WORTH.sum())


@pytest.mark.parametrize("design", [d for d in DESIGNS if is_sample(d)])
def test_weights_are_expansions_about_one(design: str) -> None:
    """Guards what a pair weighs beside the others: its expansion, 1 on average; all alike but by label."""
    for drawn in samples(design):
        weight = DESIGNS[design].weights(TOPIC, LABEL, drawn)
        assert weight.mean() == pytest.approx(1)
        whole = DESIGNS[design].expansion(TOPIC, LABEL, drawn)[drawn]
        assert weight / weight[0] == pytest.approx(whole / whole[0])
    assert DESIGNS["elsewhere"].weights(TOPIC, LABEL, drawn).tolist() == [1.0] * int(drawn.sum())


def test_what_is_known_of_each_design() -> None:
    """Guards the facts that others ask: what is a sample of the same population, and of what; the names in commands."""
    assert {d for d in DESIGNS if is_sample(d)} == {"random", "by-bronze", "topics", "answers"}
    assert {d for d in DESIGNS if draws_pairs(d)} == {"random", "by-bronze", "answers"}
    assert [d for d, x in DESIGNS.items() if not x.here] == ["elsewhere"]
    assert [d for d, x in DESIGNS.items() if x.equal] == ["random"]
    for design in ("by-gold", "elsewhere"):
        with pytest.raises(tg.TruegainError, match="the sampling probability of a pair is unknown"):
            DESIGNS[design].expansion(TOPIC, LABEL, LABEL > 0)
    with pytest.raises(tg.TruegainError, match=r"design 'guess' is not known; give one of random, by-bronze, "):
        design_of("guess")


def test_a_label_without_gold_is_named_with_its_share() -> None:
    """Guards the refusal, and that a fit says which file lacks the label."""
    with pytest.raises(tg.InputError, match=r"no gold pair has bronze label 1 \(25.0% .*\), 2 \(25.0% "):
        DESIGNS["by-bronze"].expansion(TOPIC, LABEL, LABEL == 0)
    bronze = {"1": {"a": 1, "b": 0, "c": 2}}
    with pytest.raises(tg.InputError, match=r"gold was sampled by bronze label, but .* 2 \(33.3% of the") as error:
        tg.Judge.fit(bronze, {"1": {"a": 1, "b": 0}}, design="by-bronze")
    assert error.value.file is not None


def test_how_many_pairs_a_gold_pair_stands_for() -> None:
    """Guards both designs by hand, and the refusal where a label has no gold pair."""
    labels, drawn = np.array([0.0, 0, 0, 1, 1, 2]), np.array([1, 0, 0, 1, 1, 1], bool)
    assert DESIGNS["random"].expansion(np.zeros(len(labels), np.int32), labels, drawn).tolist() == [6 / 4] * 6
    assert DESIGNS["by-bronze"].expansion(np.zeros(len(labels), np.int32), labels, drawn).tolist() == [3, 3, 3, 1, 1, 1]
    drawn[-1] = False
    assert DESIGNS["random"].expansion(np.zeros(len(labels), np.int32), labels, drawn).tolist() == [2] * 6
    with pytest.raises(tg.TruegainError, match=r"no gold pair has bronze label 2 \(16.7% of"):
        DESIGNS["by-bronze"].expansion(np.zeros(len(labels), np.int32), labels, drawn)
