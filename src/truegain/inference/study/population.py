"""What the answers hold for, and what they do not cover, in words."""

from __future__ import annotations

from dataclasses import dataclass

from truegain.sampling.catalogue import POPULATIONS, SOURCES
from truegain.sampling.source import SourceName

OTHER = {"topics": "other topics", "collection": "other document collections"}


@dataclass(frozen=True)
class Population:
    """The sources that are spoken of, and how many topics and assessors stand for their like.

    >>> print(Population(frozenset(["topics"]), 50, gold=True))
    For topics like these 50. Not covered: other document collections; mistakes in the gold labels.
    """

    over: frozenset[SourceName]
    topics: int
    assessors: int = 0  # 0 where labels are taken as they are
    gold: bool = False
    gold_rated: bool = False  # whether the assessors are those of the gold labels
    sampled: tuple[int, int] | None = None  # unjudged documents judged at random, and of how many

    @property
    def holds_for(self) -> str:
        """For what the answers hold."""
        n = self.topics
        words = [] if "topics" in self.over else [f"for these {n} topics only"]
        counts = {"topics": n, "assessors": self.assessors}
        words += [SOURCES[s].claim.format(n=counts.get(s)) for s in POPULATIONS if s in self.over]
        if self.sampled is not None:
            n, holes = self.sampled
            some = f"a random sample of {n:,} of the {holes:,} unjudged documents"
            words.append(f"by {some if n < holes else f'labels of all {n:,} unjudged documents'}")
        return ", ".join(words)

    @property
    def held_fixed(self) -> str:
        """What the answers do not cover."""
        words = [OTHER[s] for s in ("topics", "collection") if s not in self.over]
        if "assessors" not in self.over and self.assessors:
            words.append("other assessors")
        elif not self.assessors and not self.gold:
            words.append("mistakes in the judgments")
        if self.gold and not self.gold_rated:
            words.append("mistakes in the gold labels")
        return "; ".join(words) or "nothing"

    def __str__(self) -> str:
        return f"{self.holds_for[0].upper()}{self.holds_for[1:]}. Not covered: {self.held_fixed}."
