"""The judges behind labels, one or several, and the options of a correction by them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from truegain.config import RESAMPLES
from truegain.data.items import Items
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.label_lists import GoldList
from truegain.data.pool import Pool
from truegain.data.ratings import RatingsLike
from truegain.errors import InputError, TruegainError, check_one_of, counted, some, warn
from truegain.io.columns import Bools, Coded, Codes, frozen
from truegain.judge_error.confusion import Clusters
from truegain.judge_error.gold_pairs import Levels, Unmatched, both_levels, on_scale, scale_of
from truegain.judge_error.judge import Judge
from truegain.judge_error.label_tables import TopicMatrix
from truegain.measures.label_weights import levels_of
from truegain.message import AGGREGATE, arg, argname, gold_drawn, with_marks
from truegain.sampling.catalogue import DESIGNS, design_of, draws_pairs, is_sample
from truegain.sampling.gold import ANSWER, answers_of, chance_of_draw, judged_whole
from truegain.settings import changed_fields
from truegain.stats.collection_pairs import Meta, Pairing, PairScale
from truegain.stats.multiple_testing import Counting, check_counting

# ---- The judges behind bronze labels, one or several: every topic is corrected with its judge's accuracy.


@dataclass(frozen=True, eq=False)
class Judges:
    """Judges by name, and which of them labeled each topic; a judge alone labeled them all.

    Goldberg et al. 2018, ACM TOIS 36(4), section 3.9: with judges of different accuracy the corrected order of
    systems can differ from the bronze one.

    >>> strict, lenient = Judge.from_counts((70, 100), (95, 100)), Judge.from_counts((95, 100), (60, 100))
    >>> print(Judges({"x": strict, "y": lenient}, {"1": "x", "2": "x", "3": "y"}))
    2 judges: x (2 topics) sensitivity 0.700 specificity 0.950; y (1 topic) sensitivity 0.950 specificity 0.600
    """

    judges: Mapping[str, Judge]
    of_topic: Mapping[str, str] | None = None  # None: one judge labeled all

    def __post_init__(self) -> None:
        lost = sorted(set((self.of_topic or {}).values()) - set(self.judges))
        if lost or not self.judges:
            raise TruegainError(
                f"the accuracy of judge {some(lost)} is unknown; add gold labels for some of its labels"
            )
        if self.of_topic is None and len(self.judges) > 1:
            raise TruegainError(f"which of {len(self.judges)} judges labeled which topic? Give of_topic")
        if len({j.design for j in self.judges.values()}) > 1:
            raise TruegainError("the gold pairs of all judges must be sampled in the same way")

    @classmethod
    def of(
        cls,
        judge: Any,
        bronze: Any = None,
        relevant: Levels = 1,
        design: str | None = None,
        **options: Any,
    ) -> Judges:
        """The judges given, or one that is fitted on the gold labels given: see `Judge.fit`."""
        judges = cls({"": judge}) if isinstance(judge, Judge) else judge
        if not isinstance(judges, Judges):
            return cls({"": Judge.fit(bronze, judge, design, relevant, **options)})
        if design not in (None, judges.design):
            raise TruegainError(
                f"the judge was fitted with design {judges.design!r}, not {design!r}; leave the design out"
            )
        return judges

    @classmethod
    def fit(
        cls,
        bronze: object,
        gold: object,
        design: str | None = None,
        relevant: Levels = 1,
        *,
        gold_relevant_from: float | None = None,
        scale: str | Sequence[float] | None = None,
        unmatched: Unmatched = "refuse",
    ) -> Judges:
        """Fit every assessor named in the bronze labels on the gold pairs it labeled; one assessor a topic."""
        design_of(design)
        levels, labels = both_levels(relevant, gold_relevant_from), scale_of(scale)
        table, trusted = Judgments.of(bronze), Judgments.of(gold, "gold")
        for labeled in (table, trusted):
            on_scale(labeled, labels)  # others are refused
        if table.assessor is None:
            raise InputError("the bronze labels name no assessor", file=table.source, hint="add a column 'assessor'")
        who = np.unique(np.stack([table.topic.code, table.assessor.code]), axis=1)
        topics, first = np.unique(who[0], return_index=True)
        if len(topics) < who.shape[1]:
            twice = [table.topic.values[t] for t in topics[np.bincount(who[0])[topics] > 1]]
            raise InputError(
                f"several assessors labeled {counted(len(twice), 'topic')} ({some(twice)})",
                file=table.source,
                hint=f"aggregate their labels first ({arg('aggregate', 'majority')}, {AGGREGATE}) and fit that as one "
                "judge",
            )
        names = table.assessor.values
        of_topic = {table.topic.values[t]: names[a] for t, a in zip(topics, who[1][first], strict=True)}
        below = trusted.label < 0
        if below.any():
            warn(f"{counted(int(below.sum()), 'gold pair')} with a gold label below 0 (not judged) left out")
            trusted = trusted.take(np.flatnonzero(~below))
        judges = {
            name: Judge.fit(
                _rows(table, table.assessor.code == i), _rows_of(trusted, of_topic, name), design, levels,
                scale=labels, unmatched=unmatched,
            )
            for i, name in enumerate(names)
        }  # fmt: skip
        return cls(judges, of_topic)

    @property
    def single(self) -> Judge | None:
        """The one judge of all topics, where there is one."""
        return next(iter(self.judges.values())) if self.of_topic is None else None

    def single_for(self, what: str) -> Judge:
        """The one judge of all topics; refused for several."""
        if self.single is None:
            raise TruegainError(
                f"{what} is for one judge, not for several; aggregate their labels ({arg('aggregate')})"
            )
        return self.single

    def rectifier(self, method: str) -> Judge | None:
        """The judge whose gold labels themselves set the scores right; None where confusion matrices do."""
        if self.single is not None and self.single.gold is not None:
            rectifies = method == "rectify" or (method == "default" and is_sample(self.design))
            return self.single if rectifies else None
        if method == "rectify":
            raise TruegainError("rectify needs the gold labels: give them, or a Judge fitted on them")
        return None

    @property
    def design(self) -> str:
        """How gold was sampled."""
        return next(iter(self.judges.values())).design

    @property
    def size(self) -> int:
        """Gold pairs of all judges."""
        return sum(j.size for j in self.judges.values())

    @property
    def labels(self) -> tuple[float, ...]:
        """All labels of either kind of judge."""
        return tuple(sorted({x for j in self.judges.values() for x in j.labels}))

    def at_levels(self, level: float | None, gold_relevant_from: float | None) -> Judges:
        """These judges at another level of relevance."""
        return Judges({n: j.at_levels(level, gold_relevant_from) for n, j in self.judges.items()}, self.of_topic)

    def matrices(self, topics: Sequence[str], *, binary: bool, clusters: Clusters | None = None) -> list[TopicMatrix]:
        """Each judge's matrix with the topics it labeled, among those scored; `clusters` is heeded of one judge."""
        if self.single is not None:
            return [self.single.matrix_for(np.ones(len(topics), np.bool_), binary=binary, clusters=clusters)]
        assert self.of_topic is not None
        unknown = [t for t in topics if t not in self.of_topic]
        if unknown:
            raise TruegainError(
                f"unknown which judge labeled {counted(len(unknown), 'topic')} ({some(unknown)}); "
                "name one for each topic"
            )
        who = np.array([self.of_topic[t] for t in topics])
        matrices = []
        for name in (n for n in self.judges if n in who):
            try:
                matrices.append(self.judges[name].matrix_for(who == name, binary=binary))
            except TruegainError as error:
                raise TruegainError(f"judge {name}: {with_marks(error)}") from None
        return matrices

    def __str__(self) -> str:
        if self.of_topic is None:
            return str(self.single)
        labeled = list(self.of_topic.values())

        def one(name: str, judge: Judge) -> str:
            n = labeled.count(name)
            rates = f"sensitivity {judge.sensitivity:.3f} specificity {judge.specificity:.3f}"
            return f"{name} ({n} topic{'' if n == 1 else 's'}) {rates}"

        return f"{len(self.judges)} judges: " + "; ".join(one(n, j) for n, j in self.judges.items())


def _rows(table: Judgments, keep: np.ndarray) -> Judgments:
    at = np.flatnonzero(keep)
    return Judgments(
        table.topic.take(at), table.docs.take(at), frozen(table.label[at]), table.subtopic.take(at), None, {},
        table.source,
    )  # fmt: skip


def _rows_of(gold: Judgments, of_topic: Mapping[str, str], name: str) -> Judgments:
    theirs = Coded(gold.topic.values, gold.topic.code)
    keep = np.array([of_topic.get(t) == name for t in theirs.values], np.bool_)[theirs.code]
    if not keep.any():
        raise InputError(
            f"no gold pair is from a topic that {name} labeled", file=gold.source, hint="have some of them judged"
        )
    return _rows(gold, keep)


GoldLike = RatingsLike | GoldList | Items | Judge | Judges  # trusted labels of some pairs, or what was fitted on them


# ---- What the user asked for, of a correction or a comparison.

Method = Literal["default", "lang-reiczigel", "fieller", "delta", "bootstrap", "rectify"]
GoldSample = Literal["shared", "separate"]
Accuracy = Literal["system", "lists", "given", "assessor"]
OVER_COLLECTIONS = ("meta", "effect", "pairing")
WITH_GOLD = ("method", "clusters", "accuracy", "unmatched", "gold_sample")
OF_TOPICS = ("name", "counting")


@dataclass(frozen=True)
class CorrectionOptions:
    """Options that a correction and a comparison share."""

    method: Method = "default"
    confidence: float = 0.95
    clusters: Clusters = "topics"
    resamples: int = RESAMPLES
    seed: int = 0
    gold_relevant_from: float | None = None
    accuracy: Accuracy | None = None

    def __post_init__(self) -> None:
        check_one_of("method", self.method, get_args(Method))
        check_one_of("clusters", self.clusters, get_args(Clusters))

    def check_by_gold(self, design: str) -> None:
        """Refuse what gold labels that set the scores right themselves would not heed."""
        if self.accuracy is not None:
            raise TruegainError(
                f"{arg('accuracy', self.accuracy)} chooses the gold pairs of a confusion matrix, and with "
                f"{arg('design', design)} the scores are corrected by the gold labels themselves; leave "
                f"{argname('accuracy')} out, or give {arg('method', 'delta')}, which inverts the matrix"
            )


def fit_judge(
    bronze: JudgmentsLike,
    gold: JudgmentsLike,
    design: str | None,
    measure: Any,
    gold_relevant_from: float | None,
    **options: Any,
) -> Judge:
    """The judge at the levels of relevance of a measure; two scales are told where nobody gave gold's level."""
    levels = levels_of(measure, gold_relevant_from)
    return Judge.fit(bronze, gold, design, levels, levels_given=gold_relevant_from is not None, **options)


def judges_of(
    judge: object, bronze: Any, design: str | None, measure: Any, gold_relevant_from: float | None, **options: Any
) -> Judges:
    """The judges given, or one that is fitted on the gold labels given: see `fit_judge`."""
    levels = levels_of(measure, gold_relevant_from)
    return Judges.of(judge, bronze, levels, design, levels_given=gold_relevant_from is not None, **options)


# ---- Whether the gold labels look as their design says.

NOT_BY_CHANCE = 1e-6


def tell_unlike_design(judge: Judge, scored: Collection[str] | None = None) -> None:
    """Tell where gold labels contradict how they are said to have been drawn; `scored`: topics, where there are runs.

    Pairs said to be drawn at random are held against the labels of the scored topics: whole topics and no others, or
    unlike them by topic or by bronze label.  Gold said to be from elsewhere may not be of the scored topics.
    """
    pairs = judge.pairs
    if pairs is None:
        return
    if not DESIGNS[judge.design].here and (same := len(set(pairs.topics) & set(scored or ()))):
        warn(
            f"{arg('design', 'elsewhere')} says that the gold labels are of other topics, but {same} of their topics "
            "are scored here; if their pairs were sampled from these labels, give that design"
        )
    if not draws_pairs(judge.design) or pairs.pool is None or pairs.item is None:
        return
    pool = pairs.pool
    drawn, is_scored = np.zeros(len(pool), np.bool_), np.array([scored is None or t in scored for t in pool.topics])
    drawn[pairs.item] = True
    if ANSWER in pool.judgments.extra and _tell_answers(pool, drawn, is_scored[pool.topic], judge.design):
        return
    if DESIGNS[judge.design].answers:
        return
    whole, partly = judged_whole(pool.topic, drawn, len(pool.topics))
    whole, partly = whole[is_scored], partly[is_scored]
    if not whole.all() and not partly.any() and (np.diff(pool.begin)[is_scored][whole] > 1).any():
        warn(
            f"the gold labels are all those of {whole.sum()} of {len(whole)} topics: whole topics seem to have been "
            f"sampled, not pairs; if so, give {gold_drawn('topics')}, or intervals are too narrow"
        )
    elif not pairs.weighted:
        _tell_uneven(pool, drawn, ((pool.labels >= 0) | pool.judgments.are_gains) & is_scored[pool.topic], judge.design)


def _tell_answers(pool: Pool, drawn: Bools, scored: Bools, design: str) -> bool:
    """Tell where answers were labeled as a whole though items are said to be drawn, or the other way round."""
    of, has = answers_of(pool)[scored], drawn[scored]
    _, answer, there = np.unique(of, return_inverse=True, return_counts=True)
    labeled = np.bincount(answer[has], minlength=len(there))
    partly = int(((labeled > 0) & (labeled < there)).sum())
    if DESIGNS[design].answers and partly:
        warn(
            f"{arg('design', design)} says that whole answers were labeled, but {partly:,} of {len(there):,} are "
            f"labeled only in part; if items were sampled one by one, give {gold_drawn('random')}"
        )
        return True
    whole = int((labeled == there).sum())
    if design == "random" and not partly and 0 < whole < len(there) and (there[labeled > 0] > 1).any():
        warn(
            f"the gold labels are all those of {whole:,} of {len(there):,} answers: whole answers seem to have been "
            f"sampled, not items; if so, give {gold_drawn('answers')}, or shares of the variance are wrong"
        )
        return True
    return False


def _tell_uneven(pool: Pool, drawn: Bools, there: Bools, design: str) -> None:
    """Tell where pairs said to be drawn with equal chances cannot have been: by topics, or by bronze labels."""
    stratum = DESIGNS[design].stratum(pool.topic, pool.labels)
    groups = [there & (stratum == k) for k in range(int(stratum.max()) + 1)]
    label = np.unique(pool.labels, return_inverse=True)[1].astype(np.int32)
    kinds: dict[str, Codes] = {"topics": pool.topic, "bronze labels": label}
    odd = [x for x, kind in kinds.items() if any(chance_of_draw(kind[g], drawn[g]) < NOT_BY_CHANCE for g in groups)]
    if odd:
        warn(
            f"{arg('design', design)} says that every pair was equally likely to be labeled, but the "
            f"{' and the '.join(odd)} of the {int((drawn & there).sum()):,} gold labels contradict it: intervals are "
            "valid only if the design is right"
        )


@dataclass(frozen=True)
class PublishedTest:
    """A test by name, and the options of published tests that few need.

    Parameters
    ----------
    name : str, optional
        The test, as `compare` names it.
    counting : {'plus-one', 'published'}, default 'plus-one'
        p where a test resamples: (count + 1)/(B + 1), or count/B, which reproduces published values.
    meta : {'mean', 'fixed', 'random', 'hartung-knapp', 'paule-mandel'}, default 'mean'
        Over collections: all topics weigh alike, or differences of AP are combined by meta-analysis.
    effect : {'ap', 'logit'}, default 'ap'
        Meta-analysis of differences of AP, or of its logit.
    pairing : {'paired', 'independent'}, default 'paired'
        Over collections: the same collection for both systems, or one for each.
    method : {'default', 'delta', 'rectify'}, default 'default'
        With gold labels: how differences are corrected.
    clusters : {'topics', 'none'}, default 'topics'
        With gold labels: topics are the clusters, or pairs are independent.
    accuracy : {'system', 'lists', 'given'}, optional
        With gold labels: on which of them the judge is measured.
    unmatched : {'refuse', 'drop'}, default 'refuse'
        Gold pairs without a bronze label: refused, or left out.
    gold_sample : {'shared', 'separate'}, default 'shared'
        One gold sample stands behind both systems, or each has its own ([1]_, eq. 10).
    progress : callable, optional
        Called with the number of pairs that are done; of permutations in the randomized Tukey test; of pieces drawn
        over collections.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018.
    .. [2] G. V. Cormack and T. R. Lynam, "Statistical precision of information retrieval evaluation", SIGIR 2006.
    .. [3] B. A. Carterette, "Multiple testing in statistical analysis of systems-based information retrieval
           experiments", ACM Transactions on Information Systems 30(1), 2012.
    .. [4] A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic, "Prediction-powered inference",
           Science 382(6671), 2023.

    Examples
    --------
    >>> PublishedTest("randomization", counting="published").name
    'randomization'
    """

    name: str | None = None
    counting: Counting = "plus-one"
    meta: Meta = "mean"
    effect: PairScale = "ap"
    pairing: Pairing = "paired"
    method: Method = "default"
    clusters: Clusters = "topics"
    accuracy: Accuracy | None = None
    unmatched: Unmatched = "refuse"
    gold_sample: GoldSample = "shared"
    progress: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        check_counting(self.counting)

    def refuse(self, names: Sequence[str], why: str) -> None:
        """Refuse options that a kind of comparison would ignore.

        Parameters
        ----------
        names : sequence of str
            Options that must have their defaults.
        why : str
            The rest of the error.
        """
        changed = changed_fields(self)
        if odd := [name for name in names if name in changed]:
            words = ", ".join(argname("test" if name == "name" else name) for name in odd)
            raise TruegainError(f"{words}: {why}")

    def check_over_collections(self) -> None:
        """Refuse what means nothing over collections."""
        self.refuse((*OF_TOPICS, *WITH_GOLD), "does not apply over collections; leave it out")

    def check_with_gold(self) -> None:
        """Refuse what means nothing beside gold labels."""
        if self.name is not None:
            raise TruegainError(
                f"{argname('test', self.name)}: with gold labels the corrected difference is tested; leave it out"
            )
        self.refuse(("counting", *OVER_COLLECTIONS), f"cannot be combined with {arg('gold')}; leave it out")

    def check_of_topics(self) -> None:
        """Refuse what means nothing over topics by the judgments as they are."""
        self.refuse(
            OVER_COLLECTIONS, f"this goes with {arg('population', 'collection')}; give that as well, or leave it out"
        )
        self.refuse(WITH_GOLD, f"this goes with {arg('gold')}; give gold labels as well, or leave it out")
