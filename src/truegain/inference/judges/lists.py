"""Which judge corrects which system: measured on the gold pairs the system itself retrieved, or on more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truegain.errors import TruegainError, check_one_of
from truegain.gains.judge import Judge
from truegain.gains.matrix_fit import MatrixFit
from truegain.gains.pairs import Pairs
from truegain.gains.panel import Judges
from truegain.gains.rates import Clusters
from truegain.gains.scales import MOST_OFF_SCALE, apart
from truegain.gains.topic_matrix import TopicMatrix
from truegain.inference.judges.options import Accuracy
from truegain.measures.base import Measure
from truegain.measures.label_weights import LabelWeights, check_linear, label_weights, level_of, tell_unjudged
from truegain.message import arg
from truegain.sampling.designs import DESIGNS
from truegain.tables.columns import Bools, Floats, frozen
from truegain.tables.ranked import RankedGains

LUCK = 1e-3  # chance from which on labels that are lacking are no sign of another scale


def refuse_strays(judge: Judge, measure: Measure | None) -> None:
    """Refuse a graded measure where labels are no gains on one scale: a few off gold's, or two scales altogether."""
    if judge.pairs is None:
        return
    off_scale, name = judge.pairs.off_scale, "a graded measure" if measure is None else str(measure)
    if off_scale is not None and off_scale.share <= MOST_OFF_SCALE:
        raise TruegainError(
            f"{name} would take labels as gains that may be slips: "
            f"{off_scale}. Say which labels there are: {arg('scale', '0:3')} if these are wrong, with "
            f"{arg('out_of_range', 'drop')} to take them as not judged; or a list with them if they are right"
        )
    said = apart(np.array([*judge.pairs.share]), judge.pairs.gold) if judge.pairs.scale is None else None
    if said is not None:
        n = len(judge.pairs.gold)
        seem = f"may be of different scales ({n} gold labels are too few to tell)" if _by_luck(judge) else (
            "are of different scales")  # fmt: skip
        raise TruegainError(
            f"{name} takes labels as gains, and the two judges' {seem}: {said}; the bronze score "
            "would stand beside a corrected one of another size. Map one scale onto the other first (such as bronze "
            "0 and 1 to 0, 2 and 3 to 1; or gold 1 to 3), use a binary measure such as P@10 and say where relevance "
            f"begins on each ({arg('gold_relevant_from')}), or, if both mean the same by a label, give the labels "
            "there "
            f"are ({arg('scale', '0:3')})"
        )


def _by_luck(judge: Judge) -> bool:
    """Whether so few gold labels may well lack the higher labels of bronze: with a chance of 1 in 1,000 or more."""
    assert judge.pairs is not None
    gold = judge.pairs.gold
    lower = sum(share for label, share in judge.pairs.share.items() if label <= gold.max())
    return max(judge.pairs.share) > gold.max() and lower ** len(gold) >= LUCK


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
        gold_relevant_from: float | None = None,
        accuracy: Accuracy | None = None,
    ) -> JudgedLists:
        """Put a judge behind ranked bronze labels.

        accuracy: 'system' measures the judge, for each system, on the gold pairs that this system retrieved where
        the measure looks, each counting what its rank counts there (the default where these are known and not from
        elsewhere); 'lists' on those that any of the systems retrieved, each counting its mean over the systems;
        'given' on all gold pairs alike.
        """
        check_one_of("accuracy", "given" if accuracy is None else accuracy, ("system", "lists", "given"))
        check_linear(measure)
        judges = Judges.of(judge)
        has_pairs = judges.single is not None and judges.single.pairs is not None
        if accuracy not in (None, "given") and not has_pairs:
            raise TruegainError(
                f"{arg('accuracy', accuracy)} needs gold pairs of the documents retrieved; give 'given'"
            )
        level = level_of(measure)
        classes = tuple(sorted({*ranked.item_gain[ranked.item_judged].tolist(), *judges.labels}))
        # labels 0 and 1 are relevance only where 0 is worth nothing: not with gains={0:-1,1:2}
        binary = level is not None or (classes == (0.0, 1.0) and not measure.worth(np.zeros(1)).any())
        cut = level if level is not None else 1.0 if binary else None
        for one in () if binary else judges.judges.values():
            refuse_strays(one, measure)
        weights = label_weights(ranked, measure, classes, level=cut)
        tell_unjudged(ranked, measure)
        chosen: Accuracy = accuracy or ("system" if has_pairs and DESIGNS[judges.design].here else "given")
        at_levels = judges.at_levels(level, gold_relevant_from)
        return cls(ranked, measure, at_levels, weights, frozen(measure.score(ranked)), binary, chosen)

    @property
    def judge_and_pairs(self) -> tuple[Judge, Pairs] | None:
        """The one judge and its gold pairs; None of several judges, and where only counts are known."""
        judge = self.judges.single
        return None if judge is None or judge.pairs is None else (judge, judge.pairs)

    @property
    def same_topics(self) -> bool:
        """Whether a gold topic and a scored topic of the same name are the same."""
        return DESIGNS[self.judges.design].here

    def answered(self, *systems: int) -> Bools:
        """Topics that all these systems answer; refused where there are fewer than two."""
        found = np.asarray(~np.isnan(self.naive[list(systems)]).any(axis=0), np.bool_)
        if found.sum() < 2:
            names = " and ".join(self.ranked.systems[s] for s in systems)
            who = f"{names}: " if len(systems) > 1 else ""  # of one system who asks says which
            raise TruegainError(f"{who}{int(found.sum())} judged topics are answered; at least 2 are needed")
        return found

    def topic_names(self, answered: Bools) -> tuple[str, ...]:
        """Topics by name."""
        return tuple(t for t, x in zip(self.ranked.topics, answered, strict=True) if x)

    def matrices(self, system: int, answered: Bools, clusters: Clusters | None = None) -> list[TopicMatrix]:
        """The matrices that correct a system on some topics."""
        return self.judges_of(system).matrices(self.topic_names(answered), binary=self.binary, clusters=clusters)

    def fit(self, systems: Sequence[int], answered: Bools, clusters: Clusters | None = None) -> MatrixFit:
        """Systems corrected by confusion matrices, on topics that all of them answer."""
        return self.fit_with({s: self.matrices(s, answered, clusters) for s in systems}, answered)

    def fit_with(self, matrices: Mapping[int, list[TopicMatrix]], answered: Bools) -> MatrixFit:
        """The same with the matrices of each system at hand."""
        weight = self.weights.weight[list(matrices)][:, answered]
        return MatrixFit(
            self.topic_names(answered), weight, list(matrices.values()), self.weights.value, self.same_topics
        )

    def pair_counts(self, systems: Sequence[int] | None = None) -> Floats:
        """What each gold pair counts in the scores of these systems (or of all): the sum of the weights of its ranks.

        A score is the sum over ranks of weight times worth, so the accuracy that moves it is that of its documents,
        each weighing what its rank does; a pair that no list holds where the measure looks moves nothing.
        """
        assert self.judge_and_pairs is not None
        rows = np.isin(self.weights.system, np.arange(len(self.ranked.systems)) if systems is None else systems)
        of_item = np.bincount(self.weights.item[rows], self.weights.counts[rows], len(self.ranked.pool))
        item = self.judge_and_pairs[1].items_in(self.ranked.pool)
        return frozen(np.where(item >= 0, of_item[item], 0.0))

    def impossible_means(self, system: str, mean: float) -> tuple[str, ...]:
        """Whether a system's bronze mean is impossible for the judge that would correct it."""
        if not self.binary:
            return ()
        try:
            judge = self.judges_of(self.ranked.systems.index(system)).single
            return () if judge is None else judge.impossible(mean)
        except TruegainError as error:
            return (error.message,)

    def judges_of(self, *systems: int) -> Judges:
        """The judges that correct a system, or a pair of systems together."""
        if self.accuracy == "given" or self.judge_and_pairs is None:
            return self.judges
        counts = self.pair_counts(None if self.accuracy == "lists" else systems)
        if not counts.any():
            names = " and ".join(self.ranked.systems[s] for s in systems)
            raise TruegainError(
                f"none of the {self.judges.size} gold pairs is a document that {names} retrieved where {self.measure} "
                "looks; judge some of these"
            )
        return Judges.of(self.judge_and_pairs[0].reweighted(counts))
