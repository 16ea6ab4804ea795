"""What a source of uncertainty is: what was sampled, what holds it already, what it meets, and the words for it.

Topics, which every study has, are the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from truegain.io.columns import Bools, Floats, Ints

SourceName = str  # a name of the catalogue
Groups = Callable[[Sequence[str]], Sequence[str]]  # from the topics of a study, the unit that each belongs to
TopicUnits = Mapping[SourceName, Mapping[str, str]]  # by source, the unit of each topic, where a study is told


@dataclass(frozen=True)
class Source:
    """One thing that was sampled: how it stands to the others, and the words for it.

    Cameron, Gelbach and Miller 2011, Journal of Business and Economic Statistics 29(2).

    Attributes
    ----------
    name : str
        What users call it, as a name of `population`.
    unit : str
        One of its units.
    nested_in : tuple of str
        Sources whose units have units of this one of their own: their spread holds this one's already.
    holds : tuple of str
        The same seen from the other side, for a source that holds one declared before it; who names it, names these.
    crossed_with : tuple of str
        Sources that share its units; what a unit did on one of theirs alone (the cells) they hold, and only the rest is
        added; those that hold most come first.
    groups : callable, optional
        From the topics, the unit that each belongs to: for a source that holds topics, this is all that is needed.  It
        is not asked where a study is told the units.
    labels : bool
        Whether it is sampled labels, which count whatever is asked.
    widens : bool
        Whether limits are never narrower than over it alone, also where another source holds it.
    claim : str
        For what an answer holds that speaks of it, with {n} units.
    other : str
        What another sample of it would be: 'other topics'.
    uncovered : str
        What an answer that does not speak of it does not cover; empty where nothing is said of it.
    cause : str
        What makes limits wide where it has most of the variance.
    shown : str
        What a report calls it.
    within : str
        What the spread over a source that holds it is said to include.
    units : str
        What the units that move a difference most are called; empty where they are not named.
    all_known : str
        Why labels bring no variance where all are there.
    left_out : bool
        Whether its variance is a jackknife's.
    method : str
        What a paper's methods say of it, with {resamples} and {seed}.
    cites : tuple of str
        The papers that these cite.
    in_answers : mapping of str to str
        Other words for it where values of answers are scored, by attribute.
    """

    name: SourceName
    unit: str
    nested_in: tuple[SourceName, ...] = ()
    holds: tuple[SourceName, ...] = ()
    crossed_with: tuple[SourceName, ...] = ()
    groups: Groups | None = None
    labels: bool = False
    widens: bool = True
    claim: str = ""
    other: str = ""
    uncovered: str = ""
    cause: str = ""
    shown: str = ""
    within: str = ""
    units: str = ""
    all_known: str = ""
    left_out: bool = False
    method: str = ""
    cites: tuple[str, ...] = ()
    in_answers: Mapping[str, str] = field(default_factory=dict)

    def worded(self, answers: bool) -> Source:
        """The source in the words for values of answers, or for documents.

        >>> Source("assessors", "assessor", in_answers={"unit": "judge"}).worded(True).unit
        'judge'
        """
        changed: dict[str, Any] = dict(self.in_answers)
        return replace(self, **changed) if answers and changed else self

    def meets(self, over: Collection[str]) -> SourceName | None:
        """The source, of those spoken of, whose cells with this one must be taken off; None where there is none."""
        return next((s for s in self.crossed_with if s in over), None)


@dataclass(frozen=True, eq=False)
class SampledUnits:
    """The units of a source that were sampled, by name."""

    SOURCE: ClassVar[Source]
    units: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.units)


def never_empty(kept: Bools, item: Ints) -> Floats:
    """Weights of ratings, 1 for those that are kept; an item that would have none left keeps all of its own.

    >>> never_empty(np.array([True, False, False]), np.array([0, 0, 1])).tolist()
    [1.0, 0.0, 1.0]
    """
    left = np.bincount(item, kept) > 0
    return (kept | ~left[item]).astype(np.float64)


# ---- Topics: few, so each is left out once; they hold what every topic has of its own.

TOPICS = Source(
    "topics",
    "topic",
    claim="for topics like these {n}",
    other="other topics",
    uncovered="other topics",
    cause="having few topics",
    shown="topics",
    within="topics",
    units="Topics",
    left_out=True,
)


@dataclass(frozen=True, eq=False)
class Topics(SampledUnits):
    """The topics that scores are means over.

    >>> Topics(("1", "2", "3")).left_out().tolist()
    [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """

    SOURCE: ClassVar[Source] = TOPICS

    def left_out(self) -> Floats:
        """Rows of topic weights: each topic left out once."""
        return 1.0 - np.eye(len(self))

    @staticmethod
    def means_without(scores: Floats) -> Floats:
        """What these weights make of means: rows are scores by topic, columns the mean without each topic in turn.

        (sum x - x_t) / (n - 1), n the scores that are there; NaN where the topic has none anyway.

        >>> Topics.means_without(np.array([[0.0, 1.0, 5.0]]))
        array([[3. , 2.5, 0.5]])
        """
        n = (~np.isnan(scores)).sum(axis=1, keepdims=True)
        return np.asarray((np.nansum(scores, axis=1, keepdims=True) - scores) / np.maximum(n - 1, 1))
