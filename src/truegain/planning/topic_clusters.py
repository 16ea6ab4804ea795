"""Topics that are drawn in clusters: what a cluster brings to a mean, and how many topics so many clusters have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truegain.errors import TruegainError, counted, warn
from truegain.io.columns import Floats, Ints
from truegain.message import arg, argname, value_of
from truegain.stats.significance.anova import two_way
from truegain.study.estimators import FEW_TOPICS

FLAT = 1e-24  # of the squares of the scores: what is left of them by rounding alone


@dataclass(frozen=True, eq=False)
class TopicClusters:
    """The cluster of each topic.

    Attributes
    ----------
    code : ndarray of int
        By topic the number of its cluster.
    sizes : ndarray of int
        By cluster the number of its topics.
    """

    code: Ints
    sizes: Ints

    @classmethod
    def of(cls, topics: Sequence[Any], cluster: Mapping[Any, str]) -> TopicClusters:
        """The clusters of these topics; one alone is refused, and few are warned of.

        Parameters
        ----------
        topics : sequence of str
            The topics that are compared.
        cluster : mapping of str to str
            By topic the name of its cluster.

        Returns
        -------
        TopicClusters
            In the order of these topics.

        Examples
        --------
        >>> clusters = TopicClusters.of(range(30), {t: str(t % 12) for t in range(30)})
        >>> len(clusters), clusters.mean_size, clusters.topics_of(48)
        (12, 2.5, 120)
        """
        code, sizes = np.unique([cluster[t] for t in topics], return_inverse=True, return_counts=True)[1:]
        if len(sizes) < 2:
            raise TruegainError(
                f"{argname('cluster')}: all {counted(len(topics), 'topic')} that can be compared have one value, and "
                "the variance over clusters needs two; leave it out, or give topics of other clusters"
            )
        if len(sizes) < FEW_TOPICS:
            warn(
                f"with only {counted(len(sizes), 'cluster')}, the variance that is planned with is hardly known; have "
                "25 or more"
            )
        return cls(code, sizes)

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def mean_size(self) -> float:
        """The mean number of topics of a cluster."""
        return float(self.sizes.mean())

    def topics_of(self, clusters: int) -> int:
        """About how many topics so many clusters have, at the mean size of these.

        Parameters
        ----------
        clusters : int
            How many there shall be.

        Returns
        -------
        int
            Rounded up.
        """
        return math.ceil(clusters * len(self.code) / len(self.sizes))

    def totals(self, x: Floats) -> Floats:
        """What each cluster brings to the mean of each system: a matrix whose means vary as these means do.

        y_sj = (sum over the topics t of cluster j of (x_st - mean_s)) / (mean size).  The variance over clusters of
        y_a - y_b, divided by their number J, is the clustered variance of a difference of means,
        J/(J - 1) sum over j of (sum over its topics of (d_t - mean d))^2/T^2, with J - 1 degrees of freedom.  Where
        each cluster has one topic it is x as it is.

        Liang and Zeger 1986, Biometrika 73(1).

        Parameters
        ----------
        x : ndarray of float
            Systems by topics.

        Returns
        -------
        ndarray of float
            Systems by clusters.

        Examples
        --------
        >>> clusters = TopicClusters(np.array([0, 0, 1]), np.array([2, 1]))
        >>> clusters.totals(np.array([[0.5, 0.5, 0.8]])).round(4)
        array([[-0.1333,  0.1333]])
        """
        if len(self.sizes) == len(self.code):
            return x
        totals = np.zeros((len(x), len(self.sizes)))
        np.add.at(totals.T, self.code, (x - x.mean(axis=1, keepdims=True)).T)
        return totals / self.mean_size

    def variance(self, x: Floats) -> float:
        """The mean clustered variance of the difference between two systems, times the number of clusters.

        Parameters
        ----------
        x : ndarray of float
            Systems by topics.

        Returns
        -------
        float
            0 where every cluster gives the same difference.

        Examples
        --------
        >>> clusters = TopicClusters(np.array([0, 0, 1, 1]), np.array([2, 2]))
        >>> round(clusters.variance(np.array([[0.5, 0.5, 0.5, 0.5], [0.6, 0.5, 0.5, 0.5]])), 6)
        0.00125
        """
        variance = 2 * two_way(self.totals(x)).v_e
        return 0.0 if variance <= FLAT * float((x**2).sum()) else variance

    def like_these(self) -> str:
        """What is taken of the clusters to come.

        Returns
        -------
        str
            A note for the plan.
        """
        least, most = int(self.sizes.min()), int(self.sizes.max())
        sizes = (
            counted(most, "topic") if least == most else f"{least} to {most} topics ({self.mean_size:.3g} on average)"
        )
        return f"the number of topics is for clusters like these, of {sizes}; the table counts clusters"


def refuse_anova(criterion: str) -> None:
    """Refuse the one-way analysis of clusters, whose test is of topics drawn one by one."""
    if criterion == "anova":
        raise TruegainError(
            f"{arg('criterion', criterion)}: its F test is of topics drawn one by one, and those of a cluster are "
            f"drawn together; give {value_of('criterion', 'paired-t')} or {value_of('criterion', 'width')}, or leave "
            f"{argname('cluster')} out"
        )
