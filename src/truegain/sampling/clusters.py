"""Clusters: groups of topics that were sampled together, such as the documents that questions were written from."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.errors import TruegainError
from truegain.message import arg
from truegain.sampling.source import Source

MARK = "::"  # between the cluster of a topic and its own name


def clustered(cluster: str, topic: str) -> str:
    """The name of a topic that belongs to a cluster.

    >>> clustered("billing", "q7")
    'billing::q7'
    """
    return f"{cluster.replace(MARK, ':')}{MARK}{topic}"


def clusters_of(topics: Sequence[str]) -> list[str]:
    """The cluster of each topic, which its name begins with.

    >>> clusters_of(["billing::q7", "billing::q9", "login::q1"])
    ['billing', 'billing', 'login']
    """
    if lost := [topic for topic in topics if MARK not in topic]:
        raise TruegainError(
            f"topic {lost[0]} belongs to no cluster; give {arg('cluster', 'COLUMN')}, a column of the log or table, or "
            f"leave 'clusters' out of {arg('population')}"
        )
    return [topic.partition(MARK)[0] for topic in topics]


CLUSTERS = Source(
    "clusters",
    "cluster",
    holds=("topics",),
    groups=clusters_of,
    claim="from clusters like these {n}",
    other="other clusters",
    cause="having few clusters",
    shown="clusters of topics",
    units="Clusters",
)
