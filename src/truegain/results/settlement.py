"""The decision that a study collects labels for: open, made, or out of reach; shown by the pages, kept by the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median_low
from typing import Literal

import msgspec

from truegain.errors import counted

Status = Literal["open", "better", "worse", "not-better", "undecided", "out-of-reach"]
DECIDED: tuple[Status, ...] = ("better", "worse", "not-better")
ENDED: tuple[Status, ...] = (*DECIDED, "undecided", "out-of-reach")
ANSWER, REPORT, FILLED = "decision.json", "report.html", "labels.csv"  # files that the answer is written to


Aggregate = Literal["median", "mean"]
AGGREGATES: Mapping[Aggregate, str] = {  # of labels that several people gave a row; and what counts where they differ
    "median": "the lower of the middle labels counts",
    "mean": "the mean of their labels counts",
}


def trusted_label(labels: Sequence[float], aggregate: Aggregate) -> float:
    """The label that counts, of those that people gave a row.

    >>> [trusted_label([2, 1], name) for name in AGGREGATES]
    [1, 1.5]
    """
    return fmean(labels) if aggregate == "mean" else median_low(labels)


class Label(msgspec.Struct, frozen=True):
    """A row of the list as people left it: the label of each who judged it; None: could not judge."""

    topic: str
    doc: str
    labels: tuple[float | None, ...]


class Interval(msgspec.Struct, frozen=True):
    """The interval of a difference after so many labels; None while there are too few."""

    labels: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None


class PairSettlement(msgspec.Struct, frozen=True):
    """One candidate against one baseline.

    status: 'better' or 'worse' once the interval excludes 0; 'not-better' once it lies below the smallest effect
    worth acting on; 'undecided' where labels or money ran out; 'out-of-reach' where no number of labels decides it.
    """

    baseline: str
    candidate: str
    status: Status
    sentence: str
    now: Interval
    looks: tuple[Interval, ...] = ()  # earlier ones, and the last
    likely: int | None = None  # rows in all after which it is decided with an even chance, if things go on like this
    latest: int | None = None  # with 90%
    forecast: bool = False  # whether it is out of reach by a forecast, and not for certain


def labels_in_words(rows: int, stuck: int = 0) -> str:
    """How many labels rows have, those apart that nobody could judge.

    >>> labels_in_words(12), labels_in_words(12, 2)
    ('12 labels', '10 labels and 2 documents that nobody could judge')
    """
    return counted(rows - stuck, "label") + (
        f" and {counted(stuck, 'document')} that nobody could judge" if stuck else ""
    )


def label_count(rows: int, double: float) -> int:
    """Labels that so many rows take, about, where a second person labels a share of them.

    >>> label_count(40, 0.0), label_count(40, 0.1), label_count(40, 1.0)
    (40, 44, 80)
    """
    return rows + round(rows * double)


class Settlement(msgspec.Struct, frozen=True):
    """All that the organizer's page, the terminal and the files tell of a study that is being decided.

    >>> pair = PairSettlement("prod", "new", "better", "new is better than prod.", Interval(40, 0.1, 0.02, 0.18))
    >>> decision = Settlement("better", "new is better than prod.", (pair,), "P@10", 40, 44, 512, 300)
    >>> decision.ended, Settlement.of_json(decision.to_json()) == decision
    (True, True)
    """

    status: Status
    sentence: str
    pairs: tuple[PairSettlement, ...]
    measure: str
    labels: int  # rows of the unbroken top of the list: those that count, with those that nobody could judge
    given: int  # answers that people gave in all: labels, and that they cannot judge
    listed: int  # rows of the list
    most: int | None = None  # labels after which it is given up
    min_effect: float = 0.0
    confidence: float = 0.95
    cost: float | None = None  # so far
    max_cost: float | None = None
    agreement: float | None = None  # of rows that two people labeled: share of equal labels
    doubled: int = 0  # rows that two people labeled
    notes: tuple[str, ...] = ()
    stuck: int = 0  # rows of the unbroken top that nobody could judge
    double: float = 0.0  # share of rows that a second person labels, too

    @property
    def in_words(self) -> str:
        """How many rows count, in words, and how many labels were given where these are more.

        >>> Settlement("open", "", (), "P@10", 64, 128, 830, double=1.0).in_words
        '64 labels count, of 128 given'
        """
        counting = labels_in_words(self.labels, self.stuck)
        return counting if self.given <= self.labels else f"{counting} count, of {self.given:,} given"

    @property
    def is_capped(self) -> bool:
        """Whether fewer labels may be given than the list takes."""
        return self.most is not None and self.most < self.label_count(self.listed)

    @property
    def most_rows(self) -> int | None:
        """Rows that the labels that may be given are enough for, where these are fewer than the list has.

        The most for which `label_count` stays within them, and 1 at least.

        >>> capped = [(330, 0.1), (5, 1.0), (1, 1.0)]
        >>> [Settlement("open", "", (), "P@10", 0, 0, 830, most, double=share).most_rows for most, share in capped]
        [300, 2, 1]
        """
        if self.most is None:
            return None
        rows = max(1, int(self.most / (1 + self.double)) + 2)
        while rows > 1 and self.label_count(rows) > self.most:
            rows -= 1
        return rows if rows < self.listed else None

    def label_count(self, rows: int) -> int:
        """Labels that so many rows take, about, those of a second person among them."""
        return label_count(rows, self.double)

    def is_beyond(self, rows: int) -> bool:
        """Whether so many rows take more labels than may be given, where two people label some of them."""
        return self.most is not None and self.is_capped and self.label_count(rows) > self.most

    @property
    def is_decided(self) -> bool:
        """Whether it is known for each pair."""
        return all(pair.status in DECIDED for pair in self.pairs)

    @property
    def ended(self) -> bool:
        """Whether no more labels are wanted."""
        return self.status in ENDED

    def to_json(self) -> str:
        """As the store and the result files keep it."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def of_json(cls, text: str | bytes) -> Settlement:
        """What `to_json` made."""
        return msgspec.json.decode(text, type=cls)
