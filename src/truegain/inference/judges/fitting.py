"""A judge fitted as a command asks for it: on one scale, at the levels of a measure, and told where it looks odd."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from truegain.errors import InputError
from truegain.gains.pairs import Design, Missing, check_design, pair_up
from truegain.gains.scales import scale_of
from truegain.inference.judges.judge import Judge
from truegain.inference.judges.panel import levels_of
from truegain.tables.checks import warn
from truegain.tables.judgments import Judgments


def fitted_judge(
    bronze: object,
    gold: object,
    measure: object,
    *,
    design: Design | None = None,
    gold_level: float | None = None,
    missing: Missing = "refuse",
    labels: str | Sequence[float] | None = None,
) -> Judge:
    """The judge behind bronze labels, measured on gold ones at the levels of relevance of a measure.

    `labels` lists the labels there are, such as '0:3'; see `on_scale` for labels off it.

    >>> bronze = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    >>> gold = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 1}}
    >>> fitted_judge(bronze, gold, "P@10", design="random", labels="0,1").counts
    (2.0, 3.0, 1.0, 2.0)
    """
    check_design(design)
    assert design is not None
    trusted = Judgments.of(gold)
    pairs = pair_up(
        bronze, trusted, design=design, scale=scale_of(labels), missing=missing, levels_given=gold_level is not None
    )
    if pairs.unmatched:
        warn(f"{pairs.unmatched} gold pairs have no bronze label and are left out of the judge's accuracy")
    judge = replace(Judge.of_pairs(pairs, design, levels_of(measure, gold_level)), gold=trusted)
    if said := inverted(judge):
        warn(said)
    return judge


def inverted(judge: Judge) -> str | None:
    """What to say where D is clearly below 0: the bronze judge says the opposite of the gold one.

    >>> inverted(Judge.from_counts(relevant=(10, 100), nonrelevant=(20, 100)))[:53]
    'D = mR + mN - 1 = -0.700 is clearly below 0: the bron'
    """
    try:
        rates = judge.rates(0.5, 0.0, 1.0, judge._clusters)
    except InputError:  # gold pairs of one kind only: told where it matters
        return None
    d, se = rates.shrunk_d
    if d >= -rates.bar * se:
        return None
    return (
        f"D = mR + mN - 1 = {judge.D:.3f} is clearly below 0: the bronze labels look inverted (is 0 the relevant one, "
        "or 1 the best grade of several?); turn them around before anything else"
    )
