"""Scores under cheap labels, set right with gold labels of the same topics: the answers of a study over topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truegain.config import Gold, Scoring
from truegain.contrasts import Contrasts
from truegain.errors import TruegainError, some
from truegain.gains.judge import Judge
from truegain.gains.panel import GoldLike
from truegain.inference.results import Comparison, Estimate
from truegain.inference.study.answers import Answering
from truegain.inference.study.evidence import ByGoldPairs, ByGoldTopics, Evidence
from truegain.inference.study.given import Given
from truegain.inference.study.lattice import Lattice
from truegain.inference.study.making import evidence_of, rectified
from truegain.measures.base import Measure
from truegain.measures.evaluate import aligned, matching_for
from truegain.message import Message, argname, with_marks
from truegain.tables.checks import check_order, warn
from truegain.tables.columns import Floats
from truegain.tables.judgments import Judgments
from truegain.tables.ranked import RankedGains
from truegain.tables.runs import Runs

NOTICED = 1.05  # times as wide as by gold labels alone: what is less need not be told


def bronze_labels(judgments: object, runs: object) -> Judgments:
    """The bronze labels; runs in their place are told as that, before a judge is measured on them."""
    table = Judgments.of(judgments)
    if isinstance(runs, Mapping):
        check_order(Runs.of(runs), table)
    return table


def gold_labels(gold: Gold) -> GoldLike:
    """The gold labels; options of them that a study alone heeds are refused."""
    if gold.aggregate is not None or gold.sequential:
        name = "gold_aggregate" if gold.aggregate is not None else "sequential"
        raise TruegainError(f"{argname(name)}: this is of a study; leave it out, or ask `Study`")
    if gold.labels is None:
        raise TruegainError(f"{argname('gold')}: the labels are missing; give them")
    return gold.labels


def in_line(
    runs: object, bronze: Judgments, judge: Judge | None, measures: Sequence[Measure], jobs: int | None
) -> RankedGains:
    """Runs in line with bronze labels; where gold labels of a judge rectify, on the topics that all systems answer."""
    matching = matching_for(measures, Scoring())
    if judge is None:
        return aligned(runs, bronze, Scoring(), jobs=jobs, matching=matching)
    return Given(runs, jobs=jobs, matching=matching).aligned(bronze, 0, False)[0]


@dataclass(frozen=True, eq=False)
class Rectified:
    """One measure of all systems, on topics that all of them answer, for topics like these."""

    evidence: ByGoldTopics | ByGoldPairs
    naive: Evidence
    systems: tuple[str, ...]
    measure: Measure
    judge: Judge  # at the levels of the measure
    gold: Floats  # the gold label of each item of the pool, NaN where there is none
    confidence: float

    @classmethod
    def of(
        cls,
        ranked: RankedGains,
        judge: Judge,
        measure: Measure,
        gold_relevant_from: float | None,
        confidence: float = 0.95,
    ) -> Rectified:
        """From ranked bronze labels and a judge with gold ones; what cannot be rectified is refused."""
        evidence, fitted, gold = rectified(ranked, measure, judge, gold_relevant_from)
        naive = evidence_of(ranked, measure, None, None)
        return cls(evidence, naive, ranked.systems, measure, fitted, gold, confidence)

    def _answering(self, evidence: Evidence) -> Answering:
        lattice = Lattice(evidence, self.naive, frozenset(["topics"]))
        return Answering(self.systems, self.measure, lattice, self.confidence, len(self.evidence.topics))

    def estimates(self) -> list[Estimate]:
        """The rectified score of each system; where gold pairs alone would be surer, that is told."""
        found = self._answering(self.evidence).estimates("topics")
        if all(e.refused for e in found):
            raise TruegainError(f"{found[0].system}, {self.measure}: {with_marks(found[0].notes[0])}")
        if isinstance(self.evidence, ByGoldPairs):
            alone = self._answering(self.evidence.alone()).estimates("topics")
            self._tell_wider(list(self.systems), [e.width for e in found], [e.width for e in alone])
        return [
            replace(
                e, naive=float(n), gold=self.judge.design, gold_pairs=int((~np.isnan(self.gold)).sum()),
                method="refused" if e.refused else self.evidence.NAME,
            )
            for e, n in zip(found, self.naive.value, strict=True)
        ]  # fmt: skip

    def compared(self, asked: Contrasts) -> list[Comparison]:
        """Rectified differences; where one cannot be told its notes say why."""
        return [replace(c, test=self.evidence.NAME) for c in self._answering(self.evidence).differences(asked)]

    def differences(self, wanted: Sequence[tuple[int, int]]) -> tuple[list[Comparison], list[str]]:
        """The rectified difference of each pair (a, b) wanted, b - a, and why others cannot be told."""
        asked = Contrasts.of(wanted)
        found = self.compared(asked)
        told = [c for c in found if not c.notes]
        refused: list[str] = [
            Message(f"{c.b} - {c.a}, {c.measure}: {'; '.join(map(with_marks, c.notes))}") for c in found if c.notes
        ]
        if not told:
            raise TruegainError(refused[0])
        if isinstance(self.evidence, ByGoldPairs):
            alone = self._answering(self.evidence.alone()).differences(asked)
            beside = [x for c, x in zip(found, alone, strict=True) if not c.notes]
            self._tell_wider([f"{c.b} - {c.a}" for c in told], [_width(c) for c in told], [_width(c) for c in beside])
        return told, refused

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], Comparison]:
        return {(c.a, c.b): c for c in self.compared(Contrasts.all_pairs(len(self.systems)))}

    def difference(self, a: int, b: int) -> tuple[float, float]:
        """Of two systems, the first less the second, with its p."""
        first, second = sorted((a, b))
        c = self._pairs[self.systems[first], self.systems[second]]
        if c.p is None:
            raise TruegainError("; ".join(map(with_marks, c.notes)))
        return (c.difference if a == second else -c.difference), c.p

    def notes(self) -> list[str]:
        """What was measured of the judge, and how whole gold topics make use of bronze scores."""
        about = [str(self.judge), *self.judge.consistency()]
        return [*about, _on_slopes(self.evidence, self.measure)] if isinstance(self.evidence, ByGoldTopics) else about

    def _tell_wider(self, names: list[str], widths: list[float], alone: list[float]) -> None:
        """Warn, once, of all answers that gold labels alone would give with a shorter interval."""
        more = np.array(widths) / np.array(alone)
        worse = np.flatnonzero(more > NOTICED)
        if len(worse):
            most = int(worse[np.argmax(more[worse])])
            warn(
                f"bronze labels widen {len(worse)} of {len(names)} intervals of {self.measure} "
                f"({some([names[i] for i in worse])}); most for {names[most]}, {widths[most]:.4f} against "
                f"{alone[most]:.4f} from gold labels alone; to take the shorter is too sure"
            )


def _width(c: Comparison) -> float:
    return float("nan") if c.low is None or c.high is None else c.high - c.low


def _on_slopes(evidence: ByGoldTopics, measure: Measure) -> str:
    """How much whole gold topics make use of bronze scores."""
    fit = evidence.fit
    if not fit.share:
        return f"{measure}: all {fit.n} topics are gold-judged, and bronze scores are not used."
    used = fit.slopes(Contrasts.scores(len(fit.bronze)))
    scores = f"for the score {used[0]:.2f}"
    if len(used) > 1:
        scores = f"for the scores {used.min():.2f} to {used.max():.2f}, median {np.median(used):.2f}"
    return (
        f"{measure}, {fit.n} of {fit.topics} topics gold: how much bronze scores count, 0 to 1, is asked of every "
        f"score and difference by itself, of each gold topic by the slope of gold on bronze over the others; {scores}."
    )
