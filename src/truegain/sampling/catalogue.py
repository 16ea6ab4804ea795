"""All sources there are."""

from __future__ import annotations

from collections.abc import Collection

from truegain.sampling.assessors import ASSESSORS
from truegain.sampling.documents import COLLECTION
from truegain.sampling.gold import GOLD, HOLES
from truegain.sampling.replicates import REPLICATES
from truegain.sampling.source import Source, SourceName
from truegain.sampling.topics import TOPICS

SOURCES: dict[SourceName, Source] = {s.name: s for s in (TOPICS, COLLECTION, ASSESSORS, REPLICATES, GOLD, HOLES)}
LABELS: tuple[SourceName, ...] = tuple(name for name, s in SOURCES.items() if s.labels)
POPULATIONS: tuple[SourceName, ...] = tuple(name for name in SOURCES if name not in LABELS)
NESTED: tuple[SourceName, ...] = tuple(name for name, s in SOURCES.items() if "topics" in s.nested_in)


def apart(over: Collection[SourceName]) -> list[SourceName]:
    """What topics hold and nothing else that is spoken of does: with the topics held fixed these add up.

    >>> apart({"collection", "replicates"}), apart({"topics", "replicates"})
    (['collection', 'gold', 'holes'], ['replicates', 'gold', 'holes'])
    """
    asked = (*over, *LABELS)
    return [name for name in NESTED if name in asked and not SOURCES[name].held_by(over, fixed=("topics",))]
