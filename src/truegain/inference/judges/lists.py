"""Which judge corrects which system: measured on the gold pairs the system itself retrieved, or on more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.pairs import Pairs
from truegain.gains.scales import MOST_OFF_SCALE, apart
from truegain.inference.judges.judge import Judge
from truegain.inference.judges.label_weights import LabelWeights, check_linear, label_weights, level_of, tell_unjudged
from truegain.inference.judges.options import Accuracy
from truegain.inference.judges.panel import Judges
from truegain.measures.base import Measure
from truegain.tables.columns import Bools, Floats, frozen
from truegain.tables.ranked import RankedGains


def refuse_strays(judge: Judge, measure: Measure | None) -> None:
    """Refuse a graded measure where labels are no gains on one scale: a few off gold's, or two scales altogether."""
    if judge.pairs is None:
        return
    off_scale, name = judge.pairs.off_scale, "a graded measure" if measure is None else str(measure)
    if off_scale is not None and off_scale.share <= MOST_OFF_SCALE:
        raise TruegainError(
            f"{name} would take labels as gains that may be slips: "
            f"{off_scale}. Say which labels there are: --labels 0:3 (scale= of Judge.fit) if these are wrong, with "
            "--outside drop to take them as not judged; or a list with them if they are right"
        )
    said = apart(np.array([*judge.pairs.share]), judge.pairs.gold) if judge.pairs.scale is None else None
    if said is not None:
        raise TruegainError(
            f"{name} takes labels as gains, and the two judges' are of different scales: {said}; the bronze score "
            "would stand beside a corrected one of another size. Map one scale onto the other first (such as bronze "
            "0 and 1 to 0, 2 and 3 to 1; or gold 1 to 3), use a binary measure such as P@10 and say where relevance "
            "begins on each (gold_level=), or, if both mean the same by a label, give the labels there "
            "are (--labels 0:3, scale= of Judge.fit)"
        )


@dataclass(frozen=True, eq=False)
class JudgedLists:
    """Runs, a measure and a judge, ready to be corrected: label weights by system and topic, and a judge for each."""

    ranked: RankedGains
    measure: Measure
    judges: Judges
    weights: LabelWeights
    naive: Floats  # system x topic
    binary: bool
    accuracy: Accuracy

    @classmethod
    def of(
        cls,
        ranked: RankedGains,
        judge: Judge | Judges,
        measure: Measure,
        *,
        gold_level: float | None = None,
        accuracy: Accuracy | None = None,
    ) -> JudgedLists:
        """Put a judge behind ranked bronze labels.

        accuracy: 'system' measures the judge, for each system, on the gold pairs that this system retrieved where
        the measure looks, each counting what its rank counts there (the default where these are known and not from
        elsewhere); 'lists' on those that any of the systems retrieved, each counting its mean over the systems;
        'given' on all gold pairs alike.
        """
        if accuracy is not None and accuracy not in get_args(Accuracy):
            raise TruegainError(f"accuracy {accuracy!r} is not known; give one of {', '.join(get_args(Accuracy))}")
        check_linear(measure)
        judges = Judges.of(judge)
        known = judges.alone is not None and judges.alone.pairs is not None
        if accuracy not in (None, "given") and not known:
            raise TruegainError(f"accuracy={accuracy!r} needs gold pairs of the documents retrieved; give 'given'")
        level = level_of(measure)
        classes = tuple(sorted({*ranked.item_gain[ranked.item_judged].tolist(), *judges.labels}))
        # labels 0 and 1 are relevance only where 0 is worth nothing: not with gains={0:-1,1:2}
        binary = level is not None or (classes == (0.0, 1.0) and not measure.worth(np.zeros(1)).any())
        cut = level if level is not None else 1.0 if binary else None
        for one in () if binary else judges.judges.values():
            refuse_strays(one, measure)
        weights = label_weights(ranked, measure, classes, level=cut)
        tell_unjudged(ranked, measure)
        chosen: Accuracy = accuracy or ("system" if known and judges.design != "elsewhere" else "given")
        at_levels = judges.at_levels(level, gold_level)
        return cls(ranked, measure, at_levels, weights, frozen(measure.score(ranked)), binary, chosen)

    @property
    def known(self) -> tuple[Judge, Pairs] | None:
        """The judge alone and its gold pairs; None of several judges, and where only counts are known."""
        judge = self.judges.alone
        return None if judge is None or judge.pairs is None else (judge, judge.pairs)

    @property
    def joined(self) -> bool:
        """Whether a gold topic and a scored topic of the same name are the same."""
        return self.judges.design != "elsewhere"

    def there(self, *systems: int) -> Bools:
        """Topics that all these systems answer; refused where there are fewer than two."""
        there = np.asarray(~np.isnan(self.naive[list(systems)]).any(axis=0), np.bool_)
        if there.sum() < 2:
            names = " and ".join(self.ranked.systems[s] for s in systems)
            who = f"{names}: " if len(systems) > 1 else ""  # of one system who asks says which
            raise TruegainError(f"{who}{int(there.sum())} judged topics are answered; at least 2 are needed")
        return there

    def names(self, there: Bools) -> list[str]:
        """The topics by name."""
        return [t for t, x in zip(self.ranked.topics, there, strict=True) if x]

    def pair_counts(self, systems: Sequence[int] | None = None) -> Floats:
        """What each gold pair counts in the scores of these systems (or of all): the sum of the weights of its ranks.

        A score is the sum over ranks of weight times worth, so the accuracy that moves it is that of its documents,
        each weighing what its rank does; a pair that no list holds where the measure looks moves nothing.
        """
        assert self.known is not None
        rows = np.isin(self.weights.system, np.arange(len(self.ranked.systems)) if systems is None else systems)
        of_item = np.bincount(self.weights.item[rows], self.weights.counts[rows], len(self.ranked.pool))
        item = self.known[1].items_in(self.ranked.pool)
        return frozen(np.where(item >= 0, of_item[item], 0.0))

    def impossible_means(self, system: str, mean: float) -> tuple[str, ...]:
        """Whether a system's bronze mean is impossible for the judge that would correct it."""
        if not self.binary:
            return ()
        try:
            judge = self.judges_of(self.ranked.systems.index(system)).alone
            return () if judge is None else judge.impossible(mean)
        except TruegainError as error:
            return (str(error),)

    def judges_of(self, *systems: int) -> Judges:
        """The judges that correct a system, or a pair of systems together."""
        if self.accuracy == "given" or self.known is None:
            return self.judges
        counts = self.pair_counts(None if self.accuracy == "lists" else systems)
        if not counts.any():
            names = " and ".join(self.ranked.systems[s] for s in systems)
            raise TruegainError(
                f"none of the {self.judges.size} gold pairs is a document that {names} retrieved where {self.measure} "
                "looks; judge some of these, or give accuracy='lists' or 'given'"
            )
        return Judges.of(self.known[0].weighed(counts))
