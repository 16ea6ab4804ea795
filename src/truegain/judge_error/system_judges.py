"""Which judge corrects which system, when its matrix may be inverted, and how sure the gold labels alone would be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truegain.data.pool import RankedGains
from truegain.errors import TruegainError, check_one_of, warn
from truegain.io.columns import Bools, Floats, frozen
from truegain.judge_error.confusion import Clusters
from truegain.judge_error.gold_pairs import Pairs
from truegain.judge_error.judge import Judge
from truegain.judge_error.judges import Accuracy, Judges
from truegain.judge_error.label_tables import TopicMatrix
from truegain.judge_error.rectify import gold_of_items, refuse_strays, weights_in
from truegain.judge_error.topic_estimators import MatrixFit
from truegain.measures.base import Measure
from truegain.measures.label_weights import (
    LabelWeights,
    check_linear,
    label_weights,
    level_of,
    linear_parts,
    tell_unjudged,
)
from truegain.message import RECTIFY, Message, arg, value_of, with_marks
from truegain.sampling.catalogue import DESIGNS, is_sample
from truegain.sampling.gold import judged_whole
from truegain.stats.results import Estimate
from truegain.stats.student_t import quantile_of

# ---- Which judge corrects which system: measured on the gold pairs the system itself retrieved, or on more.


def refuse_unknown(judge: Judge, labels: Sequence[float], measure: Measure) -> None:
    """Refuse bronze labels that counts of a judge do not hold: how often it gives them is unknown."""
    unknown = [f"{label:g}" for label in labels if label not in judge.labels]
    if unknown:
        known = ", ".join(f"{label:g}" for label in judge.labels)
        raise TruegainError(
            f"{measure}: the bronze labels {', '.join(unknown)} are not among those that the judge was counted on "
            f"({known}); give counts of all labels (Judge.from_graded_counts), or use a binary measure such as P@10"
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
            if one.pairs is None:
                refuse_unknown(one, classes, measure)
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
        answered = np.asarray(~np.isnan(self.naive[list(systems)]).any(axis=0), np.bool_)
        if answered.sum() < 2:
            names = " and ".join(self.ranked.systems[s] for s in systems)
            who = f"{names}: " if len(systems) > 1 else ""  # of one system who asks says which
            raise TruegainError(f"{who}{int(answered.sum())} judged topics are answered; at least 2 are needed")
        return answered

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
                f"none of the {self.judges.size} gold pairs is a document that {names} retrieved where "
                f"{self.measure} looks; label some of these"
            )
        return Judges.of(self.judge_and_pairs[0].reweighted(counts))


# ---- When a judge's matrix may be inverted at all, and whether what comes out can be a score.

LEAST_OWN = 20  # gold labels of its own documents, by which the judge of a system is measured: fewer claim too much


def check_own(lists: JudgedLists, system: int) -> None:
    """Refuse to measure the judge on too few documents of a system: a rate of a handful passes as known too often.

    Of equal systems whose judge favors one (40 topics, 300 studies), with 10 gold labels of that one 7% of intervals
    lie on the wrong side of 0, with 20 2%; 2.5% are meant to.
    """
    if lists.accuracy != "system" or lists.judge_and_pairs is None:
        return
    own = int((lists.pair_counts([system]) > 0).sum())
    if own < LEAST_OWN:
        raise TruegainError(
            f"{own} gold {'label is' if own == 1 else 'labels are'} of what it retrieved where {lists.measure} "
            f"looks, and at least {LEAST_OWN} are needed: label more of these"
        )


def why_not(lists: JudgedLists, system: int, error: TruegainError) -> str:
    """Why a system cannot be corrected, and where its judge was measured; the system itself is not named."""
    name, message = lists.ranked.systems[system], with_marks(error)
    if lists.accuracy == "system":
        message += (
            f" (the judge was measured on the gold pairs that {name} retrieved; {arg('accuracy', 'lists')} or "
            f"{value_of('accuracy', 'given')} measures it on more)"
        )
    return Message(message)


def score_range(lists: JudgedLists, system: int, answered: Bools) -> tuple[float, float]:
    """The lowest and the highest score that a system can have, given how much of its lists is judged."""
    total = float(lists.weights.weight[system][answered].sum(axis=1).mean())
    value = lists.weights.value
    return total * min(0.0, float(value.min())), total * float(value.max())


def check_says_something(
    value: float, half: float, limits: tuple[float, float], matrices: Sequence[TopicMatrix]
) -> None:
    """Refuse an interval that leaves out nothing of what the value can be."""
    low, high = limits
    if value - half > low or value + half < high:
        return
    worst = max((matrix.confusion for matrix in matrices), key=lambda c: c.condition)
    fewest = int(worst.effective.argmin())
    raise TruegainError(
        f"the interval would run from {value - half:.3g} to {value + half:.3g} and leave out nothing of the "
        f"{low:.3g} to {high:.3g} that is possible, because these gold pairs say too little about how the judge "
        f"confuses labels (condition number {worst.condition:.3g}; gold label {worst.gold[fewest]:g} has the fewest "
        f"pairs, worth {worst.effective[fewest]:.0f}): add gold labels, merge labels, or use a binary measure such "
        "as P@10"
    )


def check_inside(value: float, half: float, limits: tuple[float, float]) -> tuple[float, float, float, tuple[str, ...]]:
    """Value and interval held inside the limits, with a note where this moved the value.

    Refused where the whole interval lies outside: then the gold pairs and the bronze labels do not fit together.
    """
    low, high = limits
    if value - half > high or value + half < low:
        raise TruegainError(
            f"the corrected value {value:z.3f} lies clearly outside {low:g} to {high:g}, so the gold pairs and the "
            "bronze labels contradict each other. Check that both come from the same judge, the same kind of "
            "documents and the same scale"
        )
    inside = min(high, max(low, value))
    notes = (
        ()
        if inside == value
        else (f"the plain value {value:z.3f} lies outside {low:g} to {high:g} and is set to the nearest bound",)
    )
    return inside, max(low, value - half), min(high, value + half), notes


# ---- How sure the gold labels alone would be, so that a correction that is worse can be told.


def gold_alone_widths(
    ranked: RankedGains, gold: Floats, weight: Floats, measure: Measure, confidence: float, *, whole_topics: bool
) -> list[float | None]:
    """Width of each system's interval from gold labels alone, by t over topics; None where these have no answer.

    Whole gold topics: the mean over them.  Gold pairs, each with a weight (pairs it stands for): a ratio of sums over
    topics, value = total weight * (sum of weight * gold value) / (sum of weight) over the gold-judged documents of
    the lists.  Cochran 1977, Sampling Techniques, section 6.3.
    """
    if whole_topics:
        whole, _ = judged_whole(ranked.pool.topic, ~np.isnan(gold), len(ranked.topics))
        scores = measure.score(ranked.with_gains(gold))[:, whole]
        return [_of_mean(row[~np.isnan(row)], confidence) for row in scores]
    has_gold = ~np.isnan(gold)
    labels = np.where(has_gold, gold, 0.0)
    parts = linear_parts(measure, np.concatenate([ranked.item_gain, labels]), int(ranked.rank.max(initial=1)))
    counts, topic = np.where(has_gold, weight, 0.0), ranked.pool.topic
    out: list[float | None] = []
    for s, c in enumerate(parts.coefficients(ranked)):
        below = np.bincount(topic, c * counts, len(ranked.topics)).astype(np.float64)
        above = np.bincount(topic, c * counts * parts.worth(labels), len(ranked.topics)).astype(np.float64)
        answered = int(ranked.present.reshape(len(ranked.systems), -1)[s].sum())
        out.append(_of_ratio(below, above, float(c.sum()) / max(1, answered), confidence))
    return out


def _of_mean(scores: Floats, confidence: float) -> float | None:
    n = len(scores)
    se = float(scores.std(ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    return 2 * quantile_of(confidence, n - 1.0) * se if se > 0 else None


def _of_ratio(below: Floats, above: Floats, total: float, confidence: float) -> float | None:
    used = int(np.count_nonzero(below))
    if used < 2:
        return None
    moves = total * (above - below * above.sum() / below.sum()) / below.sum()
    se = math.sqrt(float(moves @ moves) * used / (used - 1))
    return 2 * quantile_of(confidence, used - 1.0) * se if se > 0 else None


def warn_where_gold_alone_is_surer(
    ranked: RankedGains, judge: Judge, measure: Measure, answers: Sequence[Estimate], confidence: float
) -> None:
    """Tell where gold labels of the same population give a shorter interval without the bronze labels than with them.

    Gold stratified on the truth, or from elsewhere, has no answer alone.
    """
    if not is_sample(judge.design) or judge.gold is None or judge.pairs is None:
        return
    level = level_of(measure)
    gold = gold_of_items(ranked.pool, judge.at_levels(level, None), level)
    weight = weights_in(ranked.pool, judge.pairs)
    widths = gold_alone_widths(ranked, gold, weight, measure, confidence, whole_topics=DESIGNS[judge.design].whole)
    worse = [(a, w) for a, w in zip(answers, widths, strict=True) if w is not None and a.width > w]
    if worse:
        a, w = max(worse, key=lambda x: x[0].width / x[1])
        warn(
            f"{measure}: gold labels alone would be more precise for {len(worse)} of {len(answers)} systems (most "
            f"for {a.system}: width {w:.3f} against {a.width:.3f} corrected); rectify ({RECTIFY}), "
            "or use gold alone"
        )
