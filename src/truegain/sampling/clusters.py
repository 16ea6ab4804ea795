"""Clusters: groups of topics that were sampled together, such as the documents that questions were written from."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.data.judgments import Judgments
from truegain.errors import InputError, TruegainError
from truegain.message import arg
from truegain.sampling.source import Source

CLUSTER = "cluster"  # the column of judgments that tells which cluster a topic belongs to


def clusters_by_topic(judgments: Judgments) -> dict[str, str] | None:
    """The cluster of each topic, by a column of the judgments; None where there is none."""
    column = judgments.extra.get(CLUSTER)
    if column is None:
        return None
    of: dict[str, str] = {}
    for topic, cluster in zip(judgments.topic.strings(), map(str, column), strict=True):
        if of.setdefault(topic, cluster) != cluster:
            raise InputError(
                f"topic {topic} belongs to two clusters, {of[topic]} and {cluster}", file=judgments.source,
                hint="name one cluster for each topic",
            )  # fmt: skip
    return of


def refuse_unclustered(topics: Sequence[str]) -> list[str]:
    """Names of topics do not tell their clusters, which a study is given beside them."""
    grouped = arg("cluster", "COLUMN", python="items.clustered('COLUMN')")
    raise TruegainError(
        f"topic {topics[0]} belongs to no cluster; group answers by {grouped}, a column of the log or table; of "
        f"judgments and runs, leave 'clusters' out of {arg('population')}"
    )


CLUSTERS = Source(
    "clusters",
    "cluster",
    holds=("topics",),
    groups=refuse_unclustered,
    claim="from clusters like these {n}",
    other="other clusters",
    cause="having few clusters",
    shown="clusters of topics",
    units="Clusters",
)
