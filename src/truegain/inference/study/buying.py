"""What a difference stands on now, and what more of each kind would bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from truegain.inference.study.contrasts import Contrasts
from truegain.inference.study.hidden import Hidden, sample_step
from truegain.inference.study.lattice import Lattice
from truegain.inference.study.material import Material
from truegain.inference.study.next_steps import Standing, Step, steps_of
from truegain.inference.study.verdict import outcome_of
from truegain.student import quantile_of


@dataclass(frozen=True, eq=False)
class Buying:
    """One measure: what a study is made of, and what is asked of its answers."""

    material: Material
    lattice: Lattice
    confidence: float
    smallest: float
    bound: bool  # whether unjudged documents hold a verdict back

    def steps(self, asked: Contrasts, prices: Mapping[str, float], hidden: Hidden | None) -> list[Step]:
        """What more topics, gold or assessors would bring; first a sample of the holes, where these alone decide."""
        steps, made = steps_of(self.standing(asked), self.smallest, prices), self.material
        if hidden is None or not self.bound or made.judge or made.raters or made.over - {"topics"}:
            return steps
        value, spread = float(asked.values(self.lattice.evidence.value)[0]), self.lattice.spread(asked, self.confidence)
        quantile = quantile_of(self.confidence, float(spread.df[0]))
        half = quantile * float(np.sqrt(spread.variance[0]))
        told = [
            outcome_of(value - half, value + half, *far, self.smallest)
            for far in ((0.0, 0.0), (hidden.least, hidden.most))
        ]
        if told[0] == "cannot be told" or told[1] != "cannot be told":
            return steps
        judging = sample_step(hidden, float(spread.variance[0]), quantile, self.smallest, prices.get("gold"))
        return steps if judging is None else [judging, *steps]

    def standing(self, asked: Contrasts) -> Standing:
        """Own parts of the variance, and how many topics, gold labels and assessors there are."""
        parts: dict[str, float] = {
            "gold" if s == "holes" else s: float(v[0]) for s, v in self.lattice.own_parts(asked).items()
        }
        made = self.material
        gold, pairs = made.gold_counts(self.lattice)
        whole = made.judge is not None and made.judge.design == "topics"
        people = 0 if made.raters is None else len(made.raters)
        return Standing(
            parts, len(made.ranked.topics), gold, pairs, people,
            0 if made.raters is None else round(len(made.raters.ratings.value) / people),
            quantile_of(self.confidence, float(self.lattice.spread(asked, self.confidence).df[0])),
            labels=made.judge.size / gold if whole and made.judge is not None else 1.0, whole=whole,
            unit="" if made.sample is None else "sampled hole",
        )  # fmt: skip
