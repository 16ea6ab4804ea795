"""All sources of uncertainty and all designs of gold labels there are, a line each."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from truegain.errors import TruegainError, check_one_of
from truegain.message import arg
from truegain.sampling.assessors import ASSESSORS
from truegain.sampling.clusters import CLUSTERS
from truegain.sampling.documents import COLLECTION
from truegain.sampling.gold import (
    BY_BRONZE,
    BY_GOLD,
    ELSEWHERE,
    GOLD,
    RANDOM,
    UNJUDGED,
    WHOLE_ANSWERS,
    WHOLE_TOPICS,
    GoldDesign,
)
from truegain.sampling.replicates import REPLICATES
from truegain.sampling.source import TOPICS, Source, SourceName, TopicUnits

SOURCES: dict[SourceName, Source] = {
    s.name: s for s in (TOPICS, COLLECTION, ASSESSORS, REPLICATES, CLUSTERS, GOLD, UNJUDGED)
}


def populations() -> tuple[SourceName, ...]:
    """The sources that users name; sampled labels count by themselves."""
    return tuple(name for name, s in SOURCES.items() if not s.labels)


def population_meanings() -> dict[str, str]:
    """The sources that users name, and what each means."""
    return {name: SOURCES[name].claim for name in populations()}


def holders(name: SourceName) -> set[SourceName]:
    """The sources whose spread holds that of one, those that hold its holders among them.

    >>> sorted(holders("replicates")), holders("topics")
    (['assessors', 'clusters', 'collection', 'topics'], {'clusters'})
    """
    direct = {*SOURCES[name].nested_in, *(other for other, s in SOURCES.items() if name in s.holds)}
    return direct.union(*map(holders, direct))


def with_held(over: Collection[SourceName]) -> frozenset[SourceName]:
    """Sources that are named, with those that they say they hold: who speaks of other days speaks of other topics."""
    return frozenset(over).union(*(with_held(SOURCES[name].holds) for name in over))


def groups_of(source: SourceName, topics: Sequence[str], grouped: TopicUnits) -> list[str]:
    """The unit of a source that each topic belongs to: as a study was told, or as the source tells from its name.

    >>> groups_of("clusters", ["q7", "q9"], {"clusters": {"q7": "billing", "q8": "login", "q9": "billing"}})
    ['billing', 'billing']
    """
    if source in grouped:
        return [grouped[source][topic] for topic in topics]
    groups = SOURCES[source].groups
    assert groups is not None
    return list(groups(topics))


def population_groups(
    over: Collection[SourceName], topics: Sequence[str], grouped: TopicUnits
) -> dict[SourceName, int]:
    """How many units there are of each source that is spoken of and groups topics."""
    return {s: len({*groups_of(s, topics, grouped)}) for s in over if SOURCES[s].groups is not None}


def counted_sources(over: Collection[SourceName]) -> list[SourceName]:
    """The sources that answers generalize over, and sampled labels; those that are crossed with others aside."""
    return [name for name, s in SOURCES.items() if (name in over or s.labels) and not s.crossed_with]


def outermost(over: Collection[SourceName]) -> list[SourceName]:
    """The counted sources that no other one holds: together these are all of the variance.

    >>> outermost({"collection", "replicates"}), outermost({"topics", "replicates"})
    (['collection', 'gold', 'unjudged'], ['topics'])
    """
    return [name for name in counted_sources(over) if not holders(name) & {*over}]


def inside_first(over: Collection[SourceName]) -> list[SourceName]:
    """What has a share of its own, each before what holds it; what another one below the topics holds has none.

    >>> inside_first({"collection", "replicates"}), inside_first({"topics", "replicates"})
    (['gold', 'unjudged', 'collection'], ['gold', 'unjudged', 'replicates', 'topics'])
    """
    above = {"topics", *holders("topics")}
    below = outermost({*over} - above)
    labels, others = ([name for name in below if SOURCES[name].labels is kind] for kind in (True, False))
    return [*labels, *others, *sorted(above & {*over}, key=lambda name: len(holders(name)), reverse=True)]


# ---- Designs of gold labels.

DESIGNS: dict[str, GoldDesign] = {
    d.name: d for d in (RANDOM, BY_BRONZE, WHOLE_TOPICS, WHOLE_ANSWERS, BY_GOLD, ELSEWHERE)
}


def design_meanings() -> dict[str, str]:
    """The names of all designs, and what each means."""
    return {name: d.drawn for name, d in DESIGNS.items()}


def design_of(name: str | None) -> GoldDesign:
    """The design of this name; how gold was sampled is never guessed."""
    if name is not None:
        check_one_of("design", name, tuple(DESIGNS))
        return DESIGNS[name]
    known = ", ".join(f"{one} ({d.drawn})" for one, d in DESIGNS.items())
    design = arg("design", python="design=, as in tg.Gold(labels, design='random'),")
    raise TruegainError(f"how were the gold pairs sampled? Give {design} one of {known}", allowed=tuple(DESIGNS))


def is_sample(design: str | None) -> bool:
    """Whether gold drawn so is a sample of the pairs that are scored; of what is no design it is not.

    >>> [is_sample(name) for name in ("random", "topics", "by-gold", None)]
    [True, True, False, False]
    """
    return design in DESIGNS and DESIGNS[design].sample


def samples_in_words() -> str:
    """The designs whose gold is a sample of what is scored, and what each means."""
    return ", ".join(f"{name} ({d.drawn})" for name, d in DESIGNS.items() if d.sample)


def draws_topics(design: str | None) -> bool:
    """Whether whole topics were drawn."""
    return design in DESIGNS and DESIGNS[design].whole


def draws_pairs(design: str | None) -> bool:
    """Whether gold drawn so is a sample of single pairs.

    >>> [draws_pairs(name) for name in ("random", "topics", "by-gold", None)]
    [True, False, False, False]
    """
    return is_sample(design) and not draws_topics(design)


def ways_to_draw() -> tuple[str, ...]:
    """How a list of pairs to be gold-judged may be drawn: ordered by what a label can move, or by a design."""
    return ("ordered", *(name for name, d in DESIGNS.items() if d.sample and not d.answers))
