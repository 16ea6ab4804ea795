"""What the user asked for, of a correction or a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from truegain.errors import TruegainError, check_one_of
from truegain.gains.judge import Judge
from truegain.gains.pairs import Missing
from truegain.gains.panel import Judges
from truegain.gains.rates import Clusters
from truegain.inference.collection.pairs import Meta, Pairing, PairScale
from truegain.inference.monte_carlo import Counting, check_counting
from truegain.measures.label_weights import levels_of
from truegain.message import arg, argname
from truegain.sampling.designs import Design
from truegain.tables.likes import JudgmentsLike

Method = Literal["default", "lang-reiczigel", "fieller", "delta", "bootstrap", "rectify"]
GoldSample = Literal["shared", "separate"]
Accuracy = Literal["system", "lists", "given", "assessor"]
RESAMPLES = 2000  # unless others are asked for
OVER_COLLECTIONS = ("meta", "effect", "pairing")
WITH_GOLD = ("method", "clusters", "accuracy", "missing", "gold_sample")
OF_TOPICS = ("name", "counting")


@dataclass(frozen=True)
class CorrectionOptions:
    """Options that a correction and a comparison share."""

    method: Method = "default"
    confidence: float = 0.95
    clusters: Clusters = "topics"
    replicates: int = RESAMPLES
    seed: int = 0
    gold_relevant_from: float | None = None
    accuracy: Accuracy | None = None

    def __post_init__(self) -> None:
        check_one_of("method", self.method, get_args(Method))
        check_one_of("clusters", self.clusters, get_args(Clusters))


def fit_judge(
    bronze: JudgmentsLike,
    gold: JudgmentsLike,
    design: Design | None,
    measure: Any,
    gold_relevant_from: float | None,
    **options: Any,
) -> Judge:
    """The judge at the levels of relevance of a measure; two scales are told where nobody gave gold's level."""
    levels = levels_of(measure, gold_relevant_from)
    return Judge.fit(bronze, gold, design, levels, levels_given=gold_relevant_from is not None, **options)


def judges_of(
    judge: object, bronze: Any, design: Design | None, measure: Any, gold_relevant_from: float | None, **options: Any
) -> Judges:
    """The judges given, or one that is fitted on the gold labels given: see `fit_judge`."""
    levels = levels_of(measure, gold_relevant_from)
    return Judges.of(judge, bronze, levels, design, levels_given=gold_relevant_from is not None, **options)


@dataclass(frozen=True)
class PublishedTest:
    """A test by name, and the knobs of published tests that few need.

    Parameters
    ----------
    name : str, optional
        The test, as `compare` names it.
    counting : {'plus-one', 'published'}
        p where a test resamples: (count + 1)/(B + 1), or count/B, which reproduces published values.
    meta : {'mean', 'fixed', 'random', 'hartung-knapp', 'paule-mandel'}
        Over collections: all topics weigh alike, or differences of AP are put together by meta-analysis.
    effect : {'ap', 'logit'}
        Meta-analysis of differences of AP, or of its logit.
    pairing : {'paired', 'independent'}
        Over collections: the same collection for both systems, or one for each.
    method : {'default', 'delta', 'rectify'}
        With gold labels: how differences are set right.
    clusters : {'topics', 'none'}
        With gold labels: topics are the clusters, or pairs are independent.
    accuracy : {'system', 'lists', 'given'}, optional
        With gold labels: on which of them the judge is measured.
    missing : {'refuse', 'drop'}
        Gold pairs without a bronze label: refused, or left out.
    gold_sample : {'shared', 'separate'}
        One gold sample stands behind both systems, or each has its own (eq. 10 of the paper).
    progress : callable, optional
        Told of pairs that are done, by the randomised Tukey test of permutations, over collections of pieces drawn.

    Examples
    --------
    >>> PublishedTest("randomisation", counting="published").name
    'randomisation'
    """

    name: str | None = None
    counting: Counting = "plus-one"
    meta: Meta = "mean"
    effect: PairScale = "ap"
    pairing: Pairing = "paired"
    method: Method = "default"
    clusters: Clusters = "topics"
    accuracy: Accuracy | None = None
    missing: Missing = "refuse"
    gold_sample: GoldSample = "shared"
    progress: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        check_counting(self.counting)

    def refuse(self, names: Sequence[str], why: str) -> None:
        """Refuse options that a kind of comparison would not heed."""
        usual = {f.name: f.default for f in fields(self)}
        if odd := [name for name in names if getattr(self, name) != usual[name]]:
            words = ", ".join(argname("test" if name == "name" else name) for name in odd)
            raise TruegainError(f"{words}: {why}")

    def check_over_collections(self) -> None:
        """Refuse what means nothing over collections."""
        self.refuse((*OF_TOPICS, *WITH_GOLD), "this has no place over collections; leave it out")

    def check_with_gold(self) -> None:
        """Refuse what means nothing beside gold labels."""
        if self.name is not None:
            raise TruegainError(
                f"{argname('test', self.name)}: with gold labels the corrected difference is tested; leave it out"
            )
        self.refuse(("counting", *OVER_COLLECTIONS), f"this has no place beside {arg('gold')}; leave it out")

    def check_of_topics(self) -> None:
        """Refuse what means nothing over topics by the judgments as they are."""
        self.refuse(
            OVER_COLLECTIONS, f"this goes with {arg('population', 'collection')}; give that as well, or leave it out"
        )
        self.refuse(WITH_GOLD, f"this goes with {arg('gold')}; give gold labels as well, or leave it out")
