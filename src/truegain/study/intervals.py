"""Every score with its interval: over topics, over the collection, or over both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truegain._version import __version__
from truegain.config import RESAMPLES, Resampling, Scoring
from truegain.data.judgments import JudgmentsLike
from truegain.data.pool import RankedGains
from truegain.data.runs import RunsLike
from truegain.data.scores import Scores
from truegain.errors import TruegainError
from truegain.io.memory import FLOOR, MemoryLike, check_memory, limit_of
from truegain.keywords import checked_keywords
from truegain.measures.average_precision import GMAP, LMAP
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasuresLike, NamedMeasure, parse_measures
from truegain.measures.evaluate import aligned_for, evaluate
from truegain.measures.scoring import at_level, measures_for, refuse_depth, score, view_of
from truegain.message import arg
from truegain.parallel.jobs import engine_for
from truegain.sampling.streams import BLOCK
from truegain.stats.collection_ap import (
    EPSILON,
    GEOMETRIC_METHODS,
    LOGISTIC_METHODS,
    MEAN_METHODS,
    METHODS,
    collection_spread,
    geometric_mean_estimates,
    logistic_mean_estimates,
    mean_estimates,
    paper_topic_estimates,
)
from truegain.stats.collection_intervals import (
    check_drawn_method,
    drawn_estimates,
    left_out_of,
    score_estimates,
    topic_estimates,
)
from truegain.stats.intervals import TOPIC_METHODS, WEIGHTS, topic_intervals
from truegain.stats.multiple_testing import check_replicates
from truegain.stats.other_collections import DrawWords, check_drawable, drawn_scores, keys_needed
from truegain.stats.results import Estimate, ResultList
from truegain.stats.student_t import check_confidence
from truegain.study.reading import FIXED, names_in
from truegain.text.corpus import CorpusLike

DRAWN, HELD = 24, 18  # bytes for each topic and draw of a block, and for each topic and system
OVER = ("topics", "collection", "topics+collection")
FIXED_NEEDS_SAMPLE = (
    f"{FIXED!r} means these topics only, whose scores are exact unless a sample estimates unjudged documents "
    f"({arg('unjudged_sample', python='unjudged=tg.UnjudgedSample(...) of tg.Study')}); choose from {', '.join(OVER)}"
)
TOPICS_HOLD = (
    "over topics and collection together: each topic has its own documents, so the variance over topics already "
    "contains that over collections; the interval is the one over topics."
)


@checked_keywords()
def intervals(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: MeasuresLike,
    *,
    population: str | Sequence[str] = "topics",
    method: str | None = None,
    confidence: float = 0.95,
    by_topic: bool = False,
    scoring: Scoring | None = None,
    resampling: Resampling | None = None,
    corpus: CorpusLike | None = None,
    judged_corpus: CorpusLike | None = None,
    memory: MemoryLike | None = None,
) -> ResultList[Estimate]:
    """Scores with intervals: how far they would move over other topics, other collections, or both.

    Parameters
    ----------
    runs, judgments, measures
        As `evaluate` takes them.
    population : str or list of str
        One, or several in a list or with commas, of 'topics' (the topics are a sample), 'collection' (the documents
        are, the topics held fixed) and 'topics+collection' (both are: every topic brings documents of its own, so the
        spread over topics holds that over collections already, and the interval is that over topics).
    method : str, optional
        Over topics one of those of `topic_intervals`, Wilson's by default, as in `Study.estimates`.  Over the
        collection 't' by default; the paper's own are 'linear' and 'parametric' for AP, 'bootstrap' and 'parametric'
        for LMAP; AP also has 'bootstrap' (on the logit of MAP), GMAP 'bootstrap', and all measures 'linear' and
        'percentile'.
    confidence : float
        How often the interval holds the score.
    by_topic : bool
        Intervals of each topic, over the collection.
    scoring : Scoring, optional
        How scores are made; a `depth` goes with intervals over topics only.
    resampling : Resampling, optional
        How often documents or topics are drawn again: 2,000 times unless it says otherwise.
    corpus, judged_corpus : path or corpus, optional
        Term statistics, for measures that read text; these have intervals over topics only.
    memory : str or int, optional
        Over topics alone, files that take more are read in batches.

    Returns
    -------
    ResultList of Estimate
        A row for each system, measure and population (and topic, with `by_topic`).  Columns: `system`, `measure`,
        `value` (the score), `low` and `high` (the interval), `confidence`, `population`, `method` (how the interval
        was made), `se` (standard error), `n` (topics), `topic` ('all', or the topic).

    See Also
    --------
    Study.estimates : the same over topics, with gold labels, assessors or unjudged documents taken into account.

    Notes
    -----
    Over topics the default is Wilson's interval with as many effective topics as the variance of the scores implies,
    and Student's t where a measure has no bounds.  Over collections each topic's relevant documents are left out once.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
           Statistical Association 22, 1927.
    .. [2] G. V. Cormack and T. R. Lynam, "Statistical precision of information retrieval evaluation", SIGIR 2006.

    Examples
    --------
    >>> import truegain as tg
    >>> runs = {str(t): {"a": 3.0, "b": 2.0, "c": 1.0} for t in range(8)}
    >>> qrels = {str(t): {"abc"[t % 3]: 1, "abc"[t % 2]: 1} for t in range(8)}
    >>> for estimate in intervals(runs, qrels, "AP", population=["topics", "collection"]):
    ...     print(estimate.population, round(estimate.value, 4), estimate.low < estimate.value < estimate.high)
    topics 0.8021 True
    collection 0.8021 True
    """
    how = IntervalSettings(
        tuple(names_in(population)),
        scoring or Scoring(),
        method,
        confidence,
        by_topic,
        resampling or Resampling(),
        None,
    )
    return made_intervals(runs, judgments, measures, how, corpus=corpus, judged_corpus=judged_corpus, memory=memory)


@dataclass(frozen=True)
class IntervalSettings:
    """What was asked for of every measure; `drawn` is told of pieces of collections that are drawn."""

    over: tuple[str, ...]
    scoring: Scoring
    method: str | None
    confidence: float
    by_topic: bool
    resampling: Resampling
    drawn: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        if unknown := [o for o in self.over if o not in OVER]:
            if unknown[0] == FIXED:
                raise TruegainError(FIXED_NEEDS_SAMPLE)
            raise TruegainError(f"cannot draw over {unknown[0]!r}; choose from {', '.join(OVER)}")
        if self.by_topic and self.over != ("collection",):
            raise TruegainError("intervals by topic are over the collection alone; give collection")
        check_confidence(self.confidence)
        check_replicates(self.replicates, self.confidence)

    @property
    def replicates(self) -> int:
        """How many collections or samples of topics are drawn."""
        return self.resampling.n or RESAMPLES

    @property
    def seed(self) -> int:
        """Where random numbers begin."""
        return self.resampling.seed

    @property
    def draws(self) -> DrawWords:
        """What functions that draw take."""
        engine = engine_for(self.resampling.jobs)
        return {"replicates": self.replicates, "seed": self.seed, "engine": engine, "progress": self.drawn}


def made_intervals(
    runs: RunsLike, judgments: JudgmentsLike, measures: MeasuresLike, how: IntervalSettings, **reading: Any
) -> ResultList[Estimate]:
    """Estimates as the settings say; further keywords are those of `evaluate` that say how to read."""
    named = parse_measures(measures)
    texts = [a.measure for a in named if a.measure.reads_text]
    if texts and set(how.over) != {"topics"}:
        raise TruegainError(f"{texts[0]} reads text, which is not resampled; give intervals over topics")
    jobs, memory = how.resampling.jobs, reading.get("memory")
    if "collection" in how.over:
        keys = keys_needed([a.measure for a in named])
        ranked = aligned_for(named, runs, judgments, how.scoring, keep_keys=keys, jobs=jobs, **reading)
        estimates = [estimate for one in measures_for(ranked, named) for estimate in _of_measure(ranked, one, how)]
        caveats = ranked.caveats
    else:
        scores = evaluate(runs, judgments, named, scoring=how.scoring, jobs=jobs, **reading)
        caveats = scores.caveats
        check_memory(_need(scores, how.method), max(limit_of(memory, 1.0), FLOOR))
        estimates = [estimate for one in named for estimate in _over_topics(scores, how, scores.aliases[one.name])]
    provenance = {"truegain": __version__, "seed": how.seed, "resamples": how.replicates, "confidence": how.confidence}
    usual = vars(Scoring())
    provenance |= {name: value for name, value in vars(how.scoring).items() if value != usual[name]}
    return ResultList(tuple(estimates), provenance, caveats)


def _of_measure(ranked: RankedGains, asked: NamedMeasure, how: IntervalSettings) -> list[Estimate]:
    measure = at_level(asked.measure, how.scoring.relevant_from)
    refuse_depth(how.scoring.depth, [measure], "other collections have other documents up to this depth")
    scores = score(ranked, [asked], how.scoring)  # which also tells what is suspicious
    found: list[Estimate] = []
    if {"topics", "topics+collection"} & set(how.over):
        found += _over_topics(scores, how)
    if "collection" in how.over:
        if how.scoring.all_topics or how.scoring.no_relevant == "skip":
            raise TruegainError(
                f"{arg('all_topics', True)} and {arg('no_relevant', 'skip')} go with intervals over topics only"
            )
        check_drawable(measure)
        found += _over_collection(view_of(ranked, measure, how.scoring), measure, how)
    return sorted(found, key=lambda e: how.over.index(e.population))


def _over_topics(scores: Scores, how: IntervalSettings, measure: str | None = None) -> list[Estimate]:
    """Over topics, and over topics and collection at once: the same limits, since topics hold their documents.

    `measure` is one of several, where there are.
    """
    joint = "topics+collection" in how.over
    if joint and how.method is not None and how.method not in TOPIC_METHODS:
        raise TruegainError(
            f"over topics and collection together the interval is that over topics, not {how.method!r}; "
            f"choose from {', '.join(TOPIC_METHODS)}"
        )
    limits = {"confidence": how.confidence, "replicates": how.replicates, "seed": how.seed}
    alone = topic_intervals(scores, measure, how.method, **limits)  # type: ignore[arg-type]
    both = [replace(e, population="topics+collection", notes=(*e.notes, TOPICS_HOLD)) for e in alone] if joint else []
    return (alone if "topics" in how.over else []) + both


def _need(scores: Scores, method: str | None) -> int:
    """The bytes that limits over topics take: those that are read off draws hold the weights of a block of them."""
    topics = len(scores.topics)
    weights = DRAWN * min(BLOCK * topics, max(WEIGHTS, topics)) if method not in (None, "wilson", "t") else 0
    return weights + HELD * len(scores.systems) * topics


def _over_collection(view: RankedGains, measure: Measure, how: IntervalSettings) -> list[Estimate]:
    method = how.method or "t"
    has_geometric = type(measure) is GMAP and measure.cutoff is None and not how.by_topic
    paper = left_out_of(measure) and method in (METHODS if how.by_topic else MEAN_METHODS)
    has_logistic = isinstance(measure, LMAP) and measure.cutoff is None and not how.by_topic
    logistic = has_logistic and method in LOGISTIC_METHODS
    if paper or logistic or (has_geometric and method in GEOMETRIC_METHODS):
        condensed = view.condensed if getattr(measure, "judged_only", False) else view
        level, epsilon = getattr(measure, "rel", 1), getattr(measure, "epsilon", EPSILON)
        spread = collection_spread(condensed, level=level, confidence=how.confidence, epsilon=epsilon, **how.draws)
        if how.by_topic:
            return paper_topic_estimates(spread, method)
        if logistic:
            return [replace(e, measure=str(measure)) for e in logistic_mean_estimates(spread, method)]
        return mean_estimates(spread, method) if paper else geometric_mean_estimates(spread)
    if how.by_topic:
        if method not in ("t", "wilson"):
            raise TruegainError(
                f"{measure} of a topic has no {method} interval over the collection; leave the method out, or for AP "
                f"choose from {', '.join(METHODS)}"
            )
        return topic_estimates(view, measure, how.confidence)
    if method == "t":
        return score_estimates(view, measure, confidence=how.confidence, **how.draws)
    if left_out_of(measure):
        raise TruegainError(
            f"AP has no {method} interval over the collection; choose from t, {', '.join(MEAN_METHODS)}"
        )
    others = LOGISTIC_METHODS if has_logistic else GEOMETRIC_METHODS if has_geometric else ()
    check_drawn_method(measure, method, others)
    return drawn_estimates(view, measure, drawn_scores(view, measure, **how.draws), method, how.confidence)
