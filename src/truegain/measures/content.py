"""Measures from the text of the judged documents, for lists whose own documents are mostly unjudged.

g(i, k) = max(0, 1 - KL(subtopic_i || top-k) / KL(subtopic_i || collection)), where subtopic_i is the text of all
documents relevant to subtopic i, top-k that of the first k documents of the list, and every language model is smoothed
with the collection: P(v | X) = (tf(v, X) + mu P(v | collection)) / (|X| + mu).  Without subtopics the topic is one.

Hui, Berberich and Mele 2017, ICTIR.  (Its equations 5 and 6 print mu and mu P(v | collection) in each other's place.)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegain.data.pool import RankedGains
from truegain.errors import MeasureError, warn
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.base import Measure, mean_of_rows
from truegain.message import arg
from truegain.text.divergence import RankedText, Texts, TopicText


@dataclass(frozen=True, kw_only=True, repr=False)
class Content(Measure):
    """What the four have in common: gain per rank from divergences, and a weight per rank.

    A rank without a document adds nothing; a document that the corpus lacks adds no words.  A topic that has relevant
    documents, but none with text, has no value.
    """

    of_subtopics = True
    reads_text = True
    unjudged_as_zero = False

    cutoff: int = 20
    mu: float = 2500.0
    rel: float = 1

    def check(self) -> None:
        """Smoothing needs some weight, and a negative level would make unjudged documents relevant."""
        self.require(self.mu > 0 and np.isfinite(self.mu), "mu must be positive and finite")
        self.require(self.rel >= 0, "rel must not be negative")
        self.require(0 <= getattr(self, "theta", 0) < 1, "theta must be at least 0 and below 1")

    @abstractmethod
    def gain(self, covered: Floats) -> Floats:
        """From g(i, k) by system, rank and subtopic to one gain per system and rank."""

    @abstractmethod
    def weight(self, rank: Floats) -> Floats:
        """The weight of each rank, from 1."""

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        if not isinstance(ranked, RankedText) or ranked.corpus is None or ranked.top is None:
            raise MeasureError(f"{self} reads the text of documents; give a corpus ({arg('corpus')})")
        if self.settings not in ranked.memory:
            ranked.memory[self.settings] = made = _covered(ranked, self.settings)
            if lost := sum(of_topic is not None and not of_topic.shape[2] for of_topic in made):
                warn(
                    f"{lost} of {len(made)} topics have relevant documents, but none whose text differs from the "
                    "collection's; content measures have no value there"
                )
        return self.of_topics(ranked.memory[self.settings], len(ranked.systems)).ravel()

    def bounds(self) -> tuple[float, float]:
        """A g of 1 at every rank at the most."""
        return 0.0, float(self.weight(np.arange(1.0, self.cutoff + 1)).sum())

    @property
    def settings(self) -> ContentSettings:
        """All parameters that g(i, k) depends on: measures that agree in them share it."""
        return ContentSettings(self.mu, self.cutoff, self.rel)

    def of_topics(self, covered: Sequence[Covered], systems: int) -> Floats:
        """Values by system and topic, from g(i, k) of each topic."""
        values = np.zeros((systems, len(covered)))
        for t, of_topic in enumerate(covered):
            if of_topic is not None and of_topic.shape[2]:
                values[:, t] = self.gain(of_topic) @ self.weight(np.arange(1.0, self.cutoff + 1))
            elif of_topic is not None:
                values[:, t] = np.nan
        return values


@dataclass(frozen=True)
class ContentSettings:
    """What g(i, k) depends on: smoothing, how far lists are read, and the smallest label that is relevant."""

    mu: float
    cutoff: int
    rel: float


# g(i, k) of a topic by system, rank and subtopic with text, 0 where there is no document; None if nothing is relevant
Covered = Floats | None


def _covered(ranked: RankedText, settings: ContentSettings) -> list[Covered]:
    """g(i, k) of every topic, the lists of one topic at a time in memory."""
    texts, groups = ranked.texts, relevant_items(ranked, settings.rel)
    return [
        covered_topic(texts, TopicText.of(texts, t, settings.mu, settings.cutoff), subtopics)
        for t, subtopics in enumerate(groups)
    ]


def covered_topic(texts: Texts, lists: TopicText, subtopics: list[Ints]) -> Covered:
    """g(i, k) of one topic, each subtopic given as its relevant documents."""
    return lists.gains(texts, subtopics) * lists.exists[:, :, None] if subtopics else None


@dataclass(frozen=True, eq=False)
class ContentScorer:
    """Lists read once for several content measures, and scored as often as judgments change."""

    ranked: RankedText
    measures: tuple[Content, ...]
    lists: dict[tuple[float, int], list[TopicText]]  # by mu and cutoff
    groups: dict[float, list[list[Ints]]]  # by level

    @classmethod
    def of(cls, ranked: RankedText, measures: Sequence[Content]) -> ContentScorer:
        """Read the lists as every measure wants them read."""
        texts, every = ranked.texts, {m.settings for m in measures}
        return cls(
            ranked,
            tuple(measures),
            {
                key: [TopicText.of(texts, t, *key) for t in range(len(ranked.topics))]
                for key in {(r.mu, r.cutoff) for r in every}
            },
            {rel: relevant_items(ranked, rel) for rel in {r.rel for r in every}},
        )

    def means(self, kept: Bools) -> list[Floats]:
        """The mean of each system by each measure, where only some items of the pool keep their labels."""
        covered = {settings: self._covered(settings, kept) for settings in {m.settings for m in self.measures}}
        systems = len(self.ranked.systems)
        there = self.ranked.present.reshape(systems, -1)
        values = (m.of_topics(covered[m.settings], systems) for m in self.measures)
        return [mean_of_rows(np.where(there, v, np.nan)) for v in values]

    def _covered(self, settings: ContentSettings, kept: Bools) -> list[Covered]:
        lists, texts = self.lists[settings.mu, settings.cutoff], self.ranked.texts
        groups = [[left for items in g if len(left := items[kept[items]])] for g in self.groups[settings.rel]]
        return [covered_topic(texts, of, g) for of, g in zip(lists, groups, strict=True)]


def relevant_items(ranked: RankedGains, rel: float) -> list[list[Ints]]:
    """For each topic and each of its subtopics with a relevant document, these documents (pool items); rel >= 0."""
    facets = ranked.facets
    good = np.flatnonzero(facets.label >= rel)
    item, subtopic = facets.item[good], facets.subtopic[good]
    topic = ranked.pool.topic[item]
    order = np.lexsort((item, subtopic, topic))
    item, key = item[order], topic[order].astype(np.int64) * max(1, len(facets.subtopics)) + subtopic[order]
    cuts = np.flatnonzero(np.diff(key)) + 1
    groups: list[list[Ints]] = [[] for _ in ranked.topics]
    for items in np.split(item, cuts) if len(item) else []:
        groups[int(ranked.pool.topic[items[0]])].append(items)
    return groups


class AbsNB(Content):
    """How well the first documents together cover the subtopic they cover best, summed over the ranks.

    AbsNB@k = sum over j <= k of max over i of g(i, j)

    Hui, Berberich and Mele 2017, ICTIR.

    >>> import truegain as tg
    >>> texts = {"a": "red roses bloom", "b": "red roses", "c": "roses bloom", "d": "the sky is blue and so is the sea"}
    >>> runs = {"s1": {"1": {"b": 2.0, "c": 1.0}}, "s2": {"1": {"d": 2.0, "b": 1.0}}}
    >>> print(tg.evaluate(runs, {"1": {"a": 1}}, "AbsNB(mu=10)@2", corpus=texts))
    system AbsNB(mu=10)@2
    s1             1.1641
    s2             0.0000
    """

    def gain(self, covered: Floats) -> Floats:
        """The best covered subtopic."""
        return np.asarray(covered.max(axis=2))

    def weight(self, rank: Floats) -> Floats:
        """All ranks alike."""
        return np.ones(len(rank))


@dataclass(frozen=True, kw_only=True, repr=False)
class AbsRB(AbsNB):
    """How well the first documents together cover the subtopic they cover best, ranks weighted as in RBP.

    AbsRB@k = (1 - theta) sum over j <= k of theta^(j - 1) max over i of g(i, j)

    Hui, Berberich and Mele 2017, ICTIR.

    >>> import truegain as tg
    >>> texts = {"a": "red roses bloom", "b": "red roses", "c": "roses bloom", "d": "the sky is blue and so is the sea"}
    >>> round(tg.evaluate({"1": {"b": 2.0, "c": 1.0}}, {"1": {"a": 1}}, "AbsRB(mu=10)@2", corpus=texts).mean(), 4)
    0.2019
    """

    theta: float = 0.8

    def weight(self, rank: Floats) -> Floats:
        """Geometric."""
        return np.asarray((1 - self.theta) * self.theta ** (rank - 1))


class DeltaNB(AbsNB):
    """How much each document adds to the subtopic it adds most to, summed over the ranks.

    DeltaNB@k = sum over j <= k of max(0, max over i of g(i, j) - g(i, j - 1)), g(i, 0) = 0

    Hui, Berberich and Mele 2017, ICTIR.

    >>> import truegain as tg
    >>> texts = {"a": "red roses bloom", "b": "red roses", "c": "roses bloom", "d": "the sky is blue and so is the sea"}
    >>> round(tg.evaluate({"1": {"b": 2.0, "c": 1.0}}, {"1": {"a": 1}}, "DeltaNB(mu=10)@2", corpus=texts).mean(), 4)
    0.7728
    """

    def gain(self, covered: Floats) -> Floats:
        """The largest growth."""
        return np.asarray(np.maximum(np.diff(covered, axis=1, prepend=0.0).max(axis=2), 0))


@dataclass(frozen=True, kw_only=True, repr=False)
class DeltaRB(DeltaNB):
    """How much each document adds to the subtopic it adds most to, ranks weighted as in RBP.

    DeltaRB@k = (1 - theta) sum over j <= k of theta^(j - 1) max(0, max over i of g(i, j) - g(i, j - 1)), g(i, 0) = 0

    Hui, Berberich and Mele 2017, ICTIR.

    >>> import truegain as tg
    >>> texts = {"a": "red roses bloom", "b": "red roses", "c": "roses bloom", "d": "the sky is blue and so is the sea"}
    >>> round(tg.evaluate({"1": {"b": 2.0, "c": 1.0}}, {"1": {"a": 1}}, "DeltaRB(mu=10)@2", corpus=texts).mean(), 4)
    0.1393
    """

    theta: float = 0.8

    def weight(self, rank: Floats) -> Floats:
        """Geometric."""
        return np.asarray((1 - self.theta) * self.theta ** (rank - 1))
