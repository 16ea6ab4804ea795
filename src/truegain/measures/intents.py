"""Measures of diversity that know how probable each intent is: those of NTCIR INTENT, and intent-aware means."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from truegain.data.pool import RankedGains
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.base import Measure, ratio
from truegain.measures.dcg import nDCG
from truegain.measures.q_measure import ANY, PPlus, Q
from truegain.measures.user_models import ERR, nERR

# ---- Measures of diversity that know how probable each intent is (NTCIR INTENT).

NDCG = nDCG()


@dataclass(frozen=True, kw_only=True, repr=False)
class _Intents(Measure):
    of_subtopics = True

    cutoff: int | None = None
    judged_only: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class _OfMeasure(_Intents):
    """What takes another measure, of one label per document."""

    of: Measure = NDCG

    def check(self) -> None:
        """A measure of one label per document."""
        plain = isinstance(self.of, Measure) and not self.of.of_subtopics
        self.require(plain, "`of` must be a measure without intents, such as nDCG@10")

    def inner(self) -> Measure:
        """The measure given."""
        return self.of


class _Global(_Intents):
    NAVIGATIONAL = False  # whether a navigational intent counts for the first document only

    @abstractmethod
    def inner(self) -> Measure:
        """The measure that scores the global gains."""

    def bounds(self) -> tuple[float, float]:
        """Those of the measure that scores the global gains."""
        return self.inner().bounds()

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        view = with_global_gains(ranked.cut(self.cutoff), self.NAVIGATIONAL)
        inner = self.inner()
        if getattr(inner, "rel", None) == 1:  # any global gain makes a document relevant
            inner = replace(inner, rel=ANY)  # type: ignore[call-arg]
        return np.asarray(inner.score(view), np.float64).ravel()


@dataclass(frozen=True, kw_only=True, repr=False)
class D(_OfMeasure, _Global):
    """Any measure, scored on global gains: the gains of a document for each intent, weighted by its probability.

    D(of=M) = M with gain GG(d) = sum over intents i of P(i) g_i(d); with a cutoff the list is cut first

    A document with any global gain is relevant, unless M names another level than 1.
    NTCIREVAL glabel and gcompute.  Sakai and Song 2011, SIGIR.

    >>> import truegain as tg
    >>> import polars as pl
    >>> qrels = pl.DataFrame({"topic": ["1", "1"], "subtopic": ["i", "j"], "doc": ["a", "b"], "label": [1, 3]})
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, qrels, "D(of='nG@1')", intents={"1": {"i": 0.5, "j": 0.5}}).mean()
    0.3333333333333333
    """


class DIN(D):
    """D where only the first document of a list that serves a navigational intent gains by it.

    DIN(of=M) = M with gain sum over informational i of P(i) g_i(d) + sum over navigational j not served above of
    P(j) g_j(d); the best list is that of D

    NTCIREVAL dinlabel.  Sakai 2012, WWW.

    >>> import truegain as tg
    >>> import polars as pl
    >>> qrels = pl.DataFrame({"topic": ["1", "1"], "subtopic": ["i", "i"], "doc": ["a", "b"], "label": [1, 1]})
    >>> navigational = tg.Intents({"1": {"i": 1.0}}, {"1": {"i": "nav"}})
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, qrels, "DIN(of='nG@2')", intents=navigational).mean()
    0.5
    """

    NAVIGATIONAL = True


class DnDCG(_Global):
    """nDCG of global gains: D(of='nDCG@k')@k.

    D-nDCG@k = nDCG@k with gain GG(d) = sum over intents i of P(i) g_i(d)

    Sakai and Song 2011, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "D-nDCG@1").mean()
    0.3333333333333333
    """

    NAME = "D-nDCG"

    def inner(self) -> Measure:
        """Discount log2(i + 1), as MSnDCG."""
        return nDCG(cutoff=self.cutoff)


@dataclass(frozen=True, kw_only=True, repr=False)
class DQ(_Global):
    """Q of global gains: D(of='Q@k')@k.

    D-Q@k = Q@k with gain GG(d) = sum over intents i of P(i) g_i(d)

    Sakai and Song 2011, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "D-Q@1").mean()
    0.5
    """

    NAME = "D-Q"

    beta: float = 1

    def check(self) -> None:
        """As Q checks it."""
        self.require(self.beta >= 0, "beta must not be negative")

    def inner(self) -> Measure:
        """Q cut at the same rank."""
        return Q(cutoff=self.cutoff, beta=self.beta)


class DINnDCG(DnDCG):
    """D-nDCG where only the first document that serves a navigational intent gains by it: DIN(of='nDCG@k')@k.

    Sakai 2012, WWW.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "DIN-nDCG@1").mean()
    0.3333333333333333
    """

    NAME = "DIN-nDCG"
    NAVIGATIONAL = True


class DINQ(DQ):
    """D-Q where only the first document that serves a navigational intent gains by it: DIN(of='Q@k')@k.

    Sakai 2012, WWW.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "DIN-Q@1").mean()
    0.5
    """

    NAME = "DIN-Q"
    NAVIGATIONAL = True


class Irec(_Intents):
    """Share of the intents that the first k documents serve.

    I-rec@k = intents with a relevant document among the first k / intents with a relevant document at all;
    I-rec without a cutoff takes k = the number of the latter, NTCIREVAL's I-rec@n

    Sakai and Song 2011, SIGIR; Zhai, Cohen and Lafferty 2003, SIGIR.

    >>> import truegain as tg
    >>> import polars as pl
    >>> qrels = pl.DataFrame({"topic": ["1", "1"], "subtopic": ["i", "j"], "doc": ["a", "b"], "label": [1, 3]})
    >>> tg.evaluate({"1": {"a": 2.0, "x": 1.0}}, qrels, "I-rec@10").mean()
    0.5
    """

    NAME = "I-rec"

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        facets, many = ranked.facets, ranked.per_list(served(ranked))
        entry, row = met(ranked)
        last = many if self.cutoff is None else np.full(ranked.lists, self.cutoff)
        good = (facets.label[row] > 0) & (ranked.rank <= last[ranked.list])[entry]
        width = max(1, len(facets.subtopics))
        distinct = np.unique(ranked.list[entry[good]] * width + facets.subtopic[row[good]])
        return ratio(np.bincount(distinct // width, minlength=ranked.lists), many)


@dataclass(frozen=True, kw_only=True, repr=False)
class _Sharp(_Global):
    NEEDS_AT = True

    gamma: float = 0.5

    def check(self) -> None:
        """A share."""
        super().check()
        self.require(0 <= self.gamma <= 1, "gamma must be from 0 to 1")

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        breadth = Irec(cutoff=self.cutoff).per_topic(ranked)
        return self.gamma * breadth + (1 - self.gamma) * super().per_topic(ranked)


@dataclass(frozen=True, kw_only=True, repr=False)
class DSharpnDCG(_Sharp, DnDCG):
    """Breadth and depth in one number: I-rec mixed with D-nDCG.

    D#-nDCG@k = gamma I-rec@k + (1 - gamma) D-nDCG@k

    Sakai and Song 2011, SIGIR.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "D#-nDCG@1").mean(), 6)
    0.666667
    """

    NAME = "D#-nDCG"


@dataclass(frozen=True, kw_only=True, repr=False)
class DSharpQ(_Sharp, DQ):
    """Breadth and depth in one number: I-rec mixed with D-Q.

    D#-Q@k = gamma I-rec@k + (1 - gamma) D-Q@k

    Sakai and Song 2011, SIGIR.

    >>> import truegain as tg
    >>> tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "D#-Q@1").mean()
    0.75
    """

    NAME = "D#-Q"


@dataclass(frozen=True, kw_only=True, repr=False)
class DINSharpnDCG(_Sharp, DINnDCG):
    """I-rec mixed with DIN-nDCG.

    DIN#-nDCG@k = gamma I-rec@k + (1 - gamma) DIN-nDCG@k

    Sakai 2012, WWW.

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 3}}, "DIN#-nDCG@1").mean(), 6)
    0.666667
    """

    NAME = "DIN#-nDCG"


def with_global_gains(ranked: RankedGains, navigational: bool) -> RankedGains:
    """The lists with gain sum over intents of P(i) g_i(d), a navigational intent for its first document only."""
    facets = ranked.facets
    worth = probability(ranked) * np.maximum(facets.label, 0.0)
    gains = np.bincount(facets.item, weights=worth, minlength=len(ranked.pool)).astype(float)
    if not navigational or ranked.navigational is None:
        return ranked.with_gains(gains)
    entry, row = met(ranked)
    once = np.flatnonzero(ranked.navigational[row] & (facets.label[row] > 0))
    key = ranked.list[entry[once]] * max(1, len(facets.subtopics)) + facets.subtopic[row[once]]
    counts = np.ones(len(row), np.bool_)
    counts[once] = False
    counts[once[np.unique(key, return_index=True)[1]]] = True
    own = np.bincount(entry, weights=np.where(counts, worth[row], 0.0), minlength=len(ranked.item)).astype(float)
    return ranked.with_gains(gains, own)


def met(ranked: RankedGains) -> tuple[Ints, Ints]:
    """Every judgment by subtopic that a list meets, in rank order: its entry, and its row of the facets."""
    first = ranked.facets.begin[ranked.item]
    many = ranked.facets.begin[ranked.item + 1] - first
    entry = np.repeat(np.arange(len(many)), many)
    row = np.arange(len(entry)) + np.repeat(first - (np.cumsum(many) - many), many)
    return entry, row


def served(ranked: RankedGains) -> Ints:
    """The number of intents of each topic that some document is relevant to."""
    facets = ranked.facets
    width, good = max(1, len(facets.subtopics)), facets.label > 0
    distinct = np.unique(ranked.pool.topic[facets.item[good]].astype(np.int64) * width + facets.subtopic[good])
    return np.bincount(distinct // width, minlength=len(ranked.topics))


def probability(ranked: RankedGains) -> Floats:
    """Of each facet row's intent; without any given, all those of a topic that can be served are equally probable."""
    if ranked.intents is not None:
        return ranked.intents
    return ratio(np.ones(1), served(ranked)[ranked.pool.topic[ranked.facets.item]])


# ---- Intent-aware measures: the mean of a measure over the intents, each scored by its own judgments.


class _Aware(_Intents):
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
class IA(_OfMeasure, _Aware):
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
