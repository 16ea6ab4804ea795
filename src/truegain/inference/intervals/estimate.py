"""Every score with its interval: over topics, over the collection, or over both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from truegain.engine import Engine, Local
from truegain.errors import TruegainError
from truegain.inference.collection.expansion import collection_estimates, drawn_means
from truegain.inference.collection.means import mean_estimates, topic_estimates
from truegain.inference.collection.spread import collection_spread
from truegain.inference.intervals.topics import topic_intervals
from truegain.inference.replicates import check_confidence, check_replicates
from truegain.inference.results import Estimate
from truegain.measures.ap import AP
from truegain.measures.direct import fed_with
from truegain.measures.evaluate import Options, aligned, at_level, options_of, score, view_of, with_text
from truegain.measures.parse import Asked, parse_measures
from truegain.tables.ranked import RankedGains
from truegain.tables.read import NameBy

OVER = ("topics", "collection", "topics+collection")


def intervals(
    runs: object,
    judgments: object,
    measures: object,
    *,
    over: str | Sequence[str] = "topics",
    method: str | None = None,
    confidence: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    name_by: NameBy = "file",
    jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
    corpus: object = None,
    judged_corpus: object = None,
    drawn: Callable[[int], None] | None = None,
    by_topic: bool = False,
    **options: Any,
) -> list[Estimate]:
    """Scores with intervals: how far they would move over other topics, other collections, or both.

    `over` is one or several of 'topics' (bootstrap of the topics), 'collection' (documents copied Poisson(1) times,
    the topics held fixed) and 'topics+collection' (both drawn at once).  Over topics `method` is one of those of
    `topic_intervals` (studentised by default); over the collection AP takes 'bootstrap' (default), 'percentile' or
    'parametric', other measures 'linear' (default) or 'percentile'.  `corpus` and `judged_corpus` are those of
    `evaluate`; measures that read text have intervals over topics only.

    >>> import truegain as tg
    >>> runs = {str(t): {"a": 3.0, "b": 2.0, "c": 1.0} for t in range(8)}
    >>> qrels = {str(t): {"abc"[t % 3]: 1, "abc"[t % 2]: 1} for t in range(8)}
    >>> for estimate in intervals(runs, qrels, "AP", over=["topics", "collection"]):
    ...     print(estimate.over, round(estimate.value, 4), estimate.low < estimate.value < estimate.high)
    topics 0.8021 True
    collection 0.8021 True
    """
    wanted = [over] if isinstance(over, str) else list(over)
    unknown = [o for o in wanted if o not in OVER]
    if unknown:
        raise TruegainError(f"cannot draw over {unknown[0]!r}; choose from {', '.join(OVER)}")
    check_confidence(confidence)
    check_replicates(replicates, confidence)
    asked, given = parse_measures(measures), options_of(options)
    reading = [a.measure for a in asked if a.measure.reads_text]
    if reading and set(wanted) != {"topics"}:
        raise TruegainError(f"{reading[0]} reads text, and text is not drawn anew; give intervals over topics")
    keep = max((getattr(m, "cutoff", 0) for m in reading), default=0)
    plain = aligned(runs, judgments, given, name_by=name_by, jobs=jobs, progress=progress, keep_top=keep)
    ranked = with_text(plain, corpus, judged_corpus)
    found: list[Estimate] = []
    for one in fed_with(ranked, asked):
        found += _of_measure(
            ranked, one, wanted, given, method, confidence, replicates, seed, Local(jobs), drawn, by_topic
        )
    return found


def _of_measure(
    ranked: RankedGains,
    asked: Asked,
    wanted: Sequence[str],
    options: Options,
    method: str | None,
    confidence: float,
    replicates: int,
    seed: int,
    engine: Engine,
    progress: Callable[[int], None] | None,
    by_topic: bool,
) -> list[Estimate]:
    scores = score(ranked, [asked], options)
    found: list[Estimate] = []
    if "topics" in wanted:
        name = method or "studentised"
        found += topic_intervals(scores, None, name, confidence=confidence, replicates=replicates, seed=seed)  # type: ignore[arg-type]
    drawn = [o for o in wanted if o != "topics"]
    if by_topic and drawn != ["collection"]:
        raise TruegainError("intervals by topic are over the collection; a topic is one of the topics it is drawn from")
    if not drawn:
        return found
    if options.complete or options.no_relevant == "skip":
        raise TruegainError("-c and --no-relevant skip go with intervals over topics only")
    measure = at_level(asked.measure, options.level)
    view = view_of(ranked, measure, options)
    if isinstance(measure, AP) and type(measure) is AP and measure.cutoff is None and not measure.judged_only:
        spread = collection_spread(
            view,
            level=measure.rel,
            replicates=replicates,
            confidence=confidence,
            seed=seed,
            engine=engine,
            progress=progress,
        )
        if by_topic:
            return found + topic_estimates(spread, method or "logit")
        for o in drawn:
            found += mean_estimates(spread, method or "bootstrap", topics_too=o != "collection")
        return found
    if by_topic:
        raise TruegainError(f"intervals by topic are for AP over the collection, not for {measure}")
    draws = drawn_means(view, measure, replicates=replicates, seed=seed, engine=engine, progress=progress)
    values = scores.summaries[str(measure)]
    for o in drawn:
        too = o != "collection"
        found += collection_estimates(ranked.systems, str(measure), values, draws, confidence, too, method or "linear")
    return found
