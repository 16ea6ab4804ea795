"""Judgments that were chosen to tell systems apart: unjudged documents must not count as not relevant beside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.errors import InputError, MeasureError
from truegain.measures.base import Measure
from truegain.message import FILL_OF_EVALUATE, HOLE_SAMPLE_OF_STUDY, SAMPLE_UNJUDGED
from truegain.tables.ranked import RankedGains


def refuse_chosen(ranked: RankedGains, measure: Measure) -> None:
    """Refuse to count unjudged documents as not relevant where a list of what to judge next chose the judged ones.

    It asks for documents that tell systems apart, and so more of some systems than of others: on TREC-8 800 judgments
    in this order rank systems hardly better than none (tau .68 after .63), with predicted labels .94.  Such labels are
    known by their mark (`Judgments.chosen_rows`), or by the columns of the list; copied without, they are not.
    """
    if not measure.leaves_out_unjudged and ranked.pool.judgments.chosen_rows.any():
        ChosenLabels.of(ranked, measure).refuse(measure)


@dataclass(frozen=True)
class ChosenLabels:
    """How many labels were chosen, and how many documents that a measure looks at are unjudged; batches add up."""

    chosen: int = 0
    labels: int = 0
    shown: int = 0
    unjudged: int = 0
    source: str = ""

    @classmethod
    def of(cls, ranked: RankedGains, measure: Measure) -> ChosenLabels:
        """Those of some topics."""
        table, cutoff = ranked.pool.judgments, getattr(measure, "cutoff", None)
        depth = ranked.depth if cutoff is None else np.minimum(ranked.depth, cutoff)
        shown = int(depth.sum())
        unjudged = shown - int((measure.within(ranked.rank) & ranked.judged).sum())
        return cls(int(table.chosen_rows.sum()), len(table), shown, unjudged, table.source)

    def __add__(self, other: ChosenLabels) -> ChosenLabels:
        return ChosenLabels(
            self.chosen + other.chosen, self.labels + other.labels, self.shown + other.shown,
            self.unjudged + other.unjudged, self.source or other.source,
        )  # fmt: skip

    def refuse(self, measure: Measure) -> None:
        """Refuse them where unjudged documents would count as not relevant."""
        if not self.chosen or not self.unjudged or measure.leaves_out_unjudged:
            return
        raise InputError(
            f"a list of what to judge next asked for {self.chosen:,} of the {self.labels:,} labels (marked "
            f"chosen=next), and {self.unjudged:,} of the {self.shown:,} documents that {measure} looks at are "
            "unjudged: counted as not relevant they would mislead",
            file=self.source,
            hint=f"{_predicted(measure)}, or leave unjudged documents out (judged_only=True as a parameter of the "
            f"measure); for an interval have a random sample of the rest judged, which {SAMPLE_UNJUDGED} draws, and "
            f"give it as {HOLE_SAMPLE_OF_STUDY}",
        )


def _predicted(measure: Measure) -> str:
    """How to score with predicted labels, by another measure where this one has no formula."""
    from truegain.measures.expected import check_expected  # most commands never come here

    try:
        check_expected(measure)
    except MeasureError:
        return f"score P@10, nDCG@10 or AP with {FILL_OF_EVALUATE}, which is not known for this measure"
    return f"score with {FILL_OF_EVALUATE}"
