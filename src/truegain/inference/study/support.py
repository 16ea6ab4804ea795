"""What files can and cannot support: a study of each kind is asked for, and its refusal is the answer."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truegain.errors import DataWarning, TruegainError
from truegain.inference.study.study import Study
from truegain.tables.columns import Coded
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike
from truegain.tables.pool import Pool
from truegain.tables.runs import Runs

GRADED = ("nDCG@10", "P@10", "AP")
POPULATIONS = {
    "topics": "other topics like these",
    "topics,collection": "other topics and other collections",
    "topics,assessors": "other topics and other assessors",
}
BINARY = ("P@10", "nDCG@10", "AP")


@dataclass(frozen=True)
class Support:
    """What can be answered for one population: measures that can, and why others cannot."""

    population: str
    measures: tuple[str, ...]
    refused: Mapping[str, tuple[str, ...]]  # measures by the reason

    def __str__(self) -> str:
        lines = [f"yes  for {self.population}: {', '.join(self.measures)}"] if self.measures else []
        lines += [f"no   for {self.population}: {', '.join(names)}: {why}" for why, names in self.refused.items()]
        return "\n".join(lines)


def usual_measures(judgments: Judgments, gold: bool, design: str | None) -> tuple[str, ...]:
    """Measures in the order that labels call for: graded ones nDCG first; gold pairs set right what is linear."""
    if gold and design != "topics":
        return ("P@10", "DCG@10")
    label = np.asarray(judgments.label)
    return GRADED if len(np.unique(label[label > 0])) > 1 else BINARY


def whole_topics(judgments: Judgments, gold: Judgments) -> bool:
    """Whether gold labels cover all that is judged of every topic they are of, and not of all topics."""
    pool, trusted = Pool.of(judgments), Pool.of(gold)
    seen = trusted.find(_topics(pool), pool.docs) >= 0
    has = np.bincount(pool.topic[seen], minlength=len(pool.topics)) > 0
    return bool(has.any() and not has.all() and seen[has[pool.topic]].all())


def _topics(pool: Pool) -> Coded:
    return Coded(pool.topics, pool.topic)


def supported(
    runs: Runs, judgments: JudgmentsLike, options: Mapping[str, Any], measures: Sequence[str]
) -> list[Support]:
    """What a study of these files can say, by measure and by what it shall hold for.

    options: keywords of `tg.Study` that the files call for, such as gold and design, or rule.
    """
    over = ["topics", "topics,collection"]
    if options.get("rule") or options.get("gold_rule"):
        over.append("topics,assessors")
    return [_for(population, runs, judgments, options, measures) for population in over]


def _for(
    population: str, runs: Runs, judgments: JudgmentsLike, options: Mapping[str, Any], measures: Sequence[str]
) -> Support:
    possible, refused = [], dict[str, tuple[str, ...]]()
    for measure in measures:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # told when the files were read
            try:
                Study(runs, judgments, measure, generalise_to=population, **options).lattice(measure)
            except TruegainError as error:
                refused[str(error)] = (*refused.get(str(error), ()), measure)
            else:
                possible.append(measure)
    return Support(POPULATIONS[population], tuple(possible), refused)
