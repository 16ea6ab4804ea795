"""What verdicts and rankings are in JSON: the output and its published schema are made of these declarations."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Outcome = Literal["better", "worse", "not better", "not worse", "inconclusive", "unchecked"]
GateResult = Literal["passes", "fails", "inconclusive", "unchecked"]


class ProvenanceDocument(TypedDict, total=False):
    """How an answer was made, where it says so itself.

    Attributes
    ----------
    provenance : object
        How the study was made.
    """

    provenance: dict[str, Any]


class LimitsDocument(TypedDict):
    """Limits of a difference that hold whatever the labels of unjudged documents.

    Attributes
    ----------
    low, high : float or None
        The ends of the interval.
    p : float or None
        The p-value of no difference.
    """

    low: float | None
    high: float | None
    p: float | None


class SourceDocument(TypedDict):
    """A source of uncertainty.

    Attributes
    ----------
    source : str
        'topics', 'collection', 'assessors', 'replicates', 'gold', 'unjudged', or 'all sources'.
    low, high : float or None
        The ends of the interval of the difference over this source alone.
    share : float or None
        Its share of the variance, to the nearest tenth.
    share_range : list of float, or None
        The 90% range of the share.
    covered : bool
        Whether the verdict generalizes over it.
    why : str
        Why there is no interval; empty where there is one.
    """

    source: str
    low: float | None
    high: float | None
    share: float | None
    share_range: list[float] | None
    covered: bool
    why: str


class UncorrectedDocument(TypedDict):
    """The difference by the labels as they are, without gold labels.

    Attributes
    ----------
    difference : float or None
        b - a.
    low, high : float or None
        The ends of its interval over topics.
    p : float or None
        The p-value of no difference.
    """

    difference: float | None
    low: float | None
    high: float | None
    p: float | None


class UnitDocument(TypedDict):
    """A topic, document, gold label or assessor that moves the difference.

    Attributes
    ----------
    unit : str
        Its name.
    influence : float
        How far it moves the difference from its mean.
    without : float or None
        The difference without it.
    """

    unit: str
    influence: float
    without: float | None


class UnjudgedDocument(TypedDict):
    """What unjudged documents could change.

    Attributes
    ----------
    documents : int
        How many there are where the measure looks.
    low, high : float
        How far they could move the difference down and up.
    taken_as : str
        'bound' where they hold the verdict back, 'non-relevant' where they count as not relevant.
    documents_to_undo : int or None
        How many relevant ones would change the verdict, at the least.
    first_ranks : int
        Where bounds are of the first ranks alone: how many ranks.
    unjudged_below : int
        How many are unjudged below these.
    """

    documents: int
    low: float
    high: float
    taken_as: str
    documents_to_undo: int | None
    first_ranks: NotRequired[int]
    unjudged_below: NotRequired[int]


class StepDocument(TypedDict):
    """What to buy next.

    Attributes
    ----------
    what : str
        What to buy.
    more : int
        How many more.
    half_width : float
        The half-width of the interval then.
    cost : float or None
        What they cost, where prices are known.
    enough : bool or None
        Whether it is enough for the smallest difference that matters; None where there is none.
    """

    what: str
    more: int
    half_width: float
    cost: float | None
    enough: bool | None


class VerdictDocument(TypedDict):
    """Whether b is better than a.

    Attributes
    ----------
    outcome : str
        The decision.
    by_labels : str
        The decision by the labels of a model that no person checked.
    labels_by : str
        Whose labels these are.
    sentence : str
        The verdict in words.
    a, b : str
        The baseline and the candidate.
    measure : str
        The measure.
    value_a, value_b : float or None
        Their scores.
    difference : float or None
        b - a.
    low, high : float or None
        The ends of its confidence interval.
    p : float or None
        The p-value of no difference.
    with_unjudged : object
        Limits that hold whatever the labels of unjudged documents.
    confidence : float
        Of the intervals.
    min_effect : float
        The smallest difference that matters.
    not_worse_by : float
        The margin of a claim of non-inferiority.
    holds_for : str
        What the verdict generalizes to.
    not_covered : str
        What it does not generalize to.
    by_source : list
        Each source of uncertainty, and all together.
    uncorrected : object
        The difference without gold labels.
    largest_source : str
        The source with the largest share of the variance, in words.
    influential : object
        By source, the units that move the difference most.
    not_judgeable : int
        Documents that people could not judge.
    unjudged : object or None
        What unjudged documents could change.
    next_steps : list
        What to buy next.
    withheld : list of str
        Why no claim is made; empty where one is.
    notes : list of str
        What else must be said.
    provenance : object
        How the study was made.
    """

    outcome: Outcome
    by_labels: NotRequired[Outcome]
    labels_by: NotRequired[str]
    sentence: str
    a: str
    b: str
    measure: str
    value_a: float | None
    value_b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    with_unjudged: LimitsDocument
    confidence: float
    min_effect: float
    not_worse_by: NotRequired[float]
    holds_for: str
    not_covered: str
    by_source: list[SourceDocument]
    uncorrected: UncorrectedDocument
    largest_source: str
    influential: dict[str, list[UnitDocument]]
    not_judgeable: NotRequired[int]
    unjudged: UnjudgedDocument | None
    next_steps: list[StepDocument]
    withheld: list[str]
    notes: list[str]
    provenance: NotRequired[dict[str, Any]]


class RankedSystemDocument(TypedDict):
    """A system of a ranking.

    Attributes
    ----------
    system : str
        The system.
    value : float or None
        Its score.
    rank_low, rank_high : int
        The best and the worst rank that it may have.
    tier : int
        Its tier, from 1.
    """

    system: str
    value: float | None
    rank_low: int
    rank_high: int
    tier: int


class RankingDocument(TypedDict):
    """Which systems may be best.

    Attributes
    ----------
    sentence : str
        The ranking in words.
    measure : str
        The measure.
    confidence : float
        Of all ranks together.
    best : list of str
        The systems that may be best.
    heads : list of str
        The first system of each tier.
    systems : list
        All systems, best first.
    notes : list of str
        What else must be said.
    unchecked : bool
        Whether the labels are those of a model that no person checked.
    labels_by : str
        Whose labels these are, where that is so.
    provenance : object
        How the study was made.
    """

    sentence: str
    measure: str
    confidence: float
    best: list[str]
    heads: list[str]
    systems: list[RankedSystemDocument]
    notes: list[str]
    unchecked: NotRequired[bool]
    labels_by: NotRequired[str]
    provenance: NotRequired[dict[str, Any]]


class VerdictsDocument(TypedDict):
    """What `verdict` prints.

    Attributes
    ----------
    provenance : object
        How it was made: version, options, and the SHA-256 digest of each input.
    rankings : list
        Which systems may be best, one a measure; where no pair was named.
    about_the_pair : str
        What to keep in mind of a pair that was chosen by its scores.
    together : list of str
        What holds of many candidates jointly, a sentence a measure.
    verdicts : list
        The verdicts.
    """

    provenance: dict[str, Any]
    rankings: NotRequired[list[RankingDocument]]
    about_the_pair: NotRequired[str]
    together: NotRequired[list[str]]
    verdicts: list[VerdictDocument]


class GateDocument(TypedDict):
    """What `gate` prints.

    Attributes
    ----------
    provenance : object
        How it was made: version, options, and the SHA-256 digest of each input.
    gate : str
        Whether the candidate passes.
    exit_code : int
        The exit code: 0 passes, 1 fails, 3 not enough evidence.
    answers : list of str
        The outcome of each verdict.
    verdicts : list
        The verdicts.
    """

    provenance: dict[str, Any]
    gate: GateResult
    exit_code: Literal[0, 1, 3]
    answers: list[Outcome]
    verdicts: list[VerdictDocument]
