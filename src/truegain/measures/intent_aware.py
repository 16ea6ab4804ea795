"""Intent-aware measures: the mean of a measure over the intents, each scored by its own judgments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from truegain.measures.base import Measure
from truegain.measures.blended import PPlus, Q
from truegain.measures.dcg import nDCG
from truegain.measures.err import ERR, nERR
from truegain.measures.intents import NDCG, probability
from truegain.tables.columns import Bools, Floats
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, kw_only=True, repr=False)
class _Aware(Measure):
    of_subtopics = True

    cutoff: int | None = None
    judged_only: bool = False

    @abstractmethod
    def inner(self) -> Measure:
        """The measure that scores each intent."""

    def navigational(self) -> Measure:
        """The measure that scores a navigational intent."""
        return self.inner()

    def bounds(self) -> tuple[float, float]:
        """A weighted mean of what the intents' measures give, with weights that add up to 1 at the most."""
        low, high = zip(self.inner().bounds(), self.navigational().bounds(), strict=True)
        return min(0.0, *low), max(0.0, *high)

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        total = np.zeros(ranked.lists)
        inner, navigational = self.inner(), self.navigational()
        for view, share, target in by_intent(ranked.cut(self.cutoff)):
            value = inner.score(view)
            if navigational != inner and target.any():
                value = np.where(target, navigational.score(view), value)
            total += (share * value).ravel()
        return total


@dataclass(frozen=True, kw_only=True, repr=False)
class IA(_Aware):
    """Any measure, scored for each intent by its judgments alone and averaged by the intents' probabilities.

    IA(of=M) = sum over intents i of P(i) M_i; with a cutoff the list is cut first

    Intents without a relevant document add 0 and keep their probability.  NTCIREVAL IA-eval.
    Agrawal, Gollapudi, Halverson and Ieong 2009, WSDM.

    >>> import truegain as tg
    >>> import polars as pl
    >>> qrels = pl.DataFrame({"topic": ["1", "1"], "subtopic": ["i", "j"], "doc": ["a", "b"], "label": [1, 3]})
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, qrels, "IA(of='RR')", intents={"1": {"i": 0.6, "j": 0.4}}).mean()
    0.8
    """

    of: Measure = NDCG

    def check(self) -> None:
        """A measure of one label per document."""
        plain = isinstance(self.of, Measure) and not self.of.of_subtopics
        self.require(plain, "`of` must be a measure without intents, such as nDCG@10")

    def inner(self) -> Measure:
        """The measure given."""
        return self.of


@dataclass(frozen=True, kw_only=True, repr=False)
class IAnDCG(_Aware):
    """Intent-aware nDCG: IA(of='nDCG@k').

    IA-nDCG@k = sum over intents i of P(i) nDCG_i@k

    NTCIREVAL IA-MSnDCG.  Agrawal et al. 2009, WSDM.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "IA-nDCG@1").mean()
    0.3333333333333333
    """

    NAME = "IA-nDCG"

    def inner(self) -> Measure:
        """Discount log2(i + 1), as MSnDCG."""
        return nDCG(cutoff=self.cutoff)


@dataclass(frozen=True, kw_only=True, repr=False)
class IAERR(_Aware):
    """Intent-aware ERR, each intent with its own highest gain: IA(of="ERR(max_rel='topic',rule='gain')@k").

    IA-ERR@k = sum over intents i of P(i) ERR_i@k, p = gain / (highest gain of the intent + 1)

    NTCIREVAL IA-ERR.  Chapelle et al. 2009, CIKM.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "IA-ERR@1").mean()
    0.25
    """

    NAME = "IA-ERR"

    def inner(self) -> Measure:
        """Stops in proportion to gain."""
        return ERR(cutoff=self.cutoff, rule="gain", max_rel="topic")


@dataclass(frozen=True, kw_only=True, repr=False)
class IAnERR(_Aware):
    """Intent-aware nERR, each intent with its own highest gain: IA(of="nERR(max_rel='topic',rule='gain')@k").

    IA-nERR@k = sum over intents i of P(i) nERR_i@k, p = gain / (highest gain of the intent + 1)

    NTCIREVAL IA-nERR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "IA-nERR@1").mean()
    0.3333333333333333
    """

    NAME = "IA-nERR"

    def inner(self) -> Measure:
        """Stops in proportion to gain."""
        return nERR(cutoff=self.cutoff, rule="gain", max_rel="topic")


@dataclass(frozen=True, kw_only=True, repr=False)
class PPlusQ(_Aware):
    """Q for informational intents and P+ for navigational ones, averaged by the intents' probabilities.

    P+Q@k = sum over informational i of P(i) Q_i@k + sum over navigational j of P(j) P+_j, the list cut at k first

    Sakai 2012, WWW.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "P+Q@1").mean()
    0.5
    """

    NAME = "P+Q"

    beta: float = 1

    def check(self) -> None:
        """As Q checks it."""
        self.require(self.beta >= 0, "beta must not be negative")

    def inner(self) -> Measure:
        """Q cut at the same rank."""
        return Q(cutoff=self.cutoff, beta=self.beta)

    def navigational(self) -> Measure:
        """The user stops at the best document."""
        return PPlus(beta=self.beta)


def by_intent(ranked: RankedGains) -> Iterator[tuple[RankedGains, Floats, Bools]]:
    """The first intent of every topic, then the second, and so on: its gains, its probability, is it navigational.

    A document that has no label for the intent, or a negative one, is unjudged.
    """
    facets, topics = ranked.facets, len(ranked.topics)
    share, topic = probability(ranked), ranked.pool.topic[facets.item]
    key = topic.astype(np.int64) * max(1, len(facets.subtopics)) + facets.subtopic
    distinct, which = np.unique(key, return_inverse=True)
    its_topic = distinct // max(1, len(facets.subtopics))
    turn = (np.arange(len(distinct)) - np.searchsorted(its_topic, its_topic))[which]
    for number in range(int(turn.max(initial=-1)) + 1):
        rows = turn == number
        gains, probabilities, navigational = np.full(len(ranked.pool), np.nan), np.zeros(topics), np.zeros(topics, bool)
        gains[facets.item[rows]] = np.where(facets.label[rows] >= 0, facets.label[rows], np.nan)
        probabilities[topic[rows]] = share[rows]
        if ranked.navigational is not None:
            navigational[topic[rows]] = ranked.navigational[rows]
        yield ranked.with_gains(gains), probabilities, navigational
