"""What `truegain compare` prints of other topics: tests of pairs, or groups of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truegain.cli.comparing import AskedPairs
from truegain.cli.progress import Progress
from truegain.cli.scored import scored
from truegain.tables.table import joined

if TYPE_CHECKING:
    from truegain.tables.table import Table

FEW = 6  # systems whose pairs are all printed


def over_topics(asked: AskedPairs) -> Table:
    """Tests of all pairs, or of all systems with the baseline, on the topics at hand."""
    from truegain.inference.differences.by_measure import ComparisonsByMeasure
    from truegain.inference.differences.compare import compare

    scores = asked.writing.renamed(scored(asked.judgments, asked.runs, asked.measure, asked.scoring, asked.judge_model))
    systems = len(scores.systems)
    pairs = systems - 1 if asked.baseline else systems * (systems - 1) // 2
    with _progress(asked.testing.test, pairs * len(scores.measures)) as progress:
        found = [
            compare(
                scores, measures=name, baseline=asked.baseline, jobs=asked.scoring.jobs, tested=progress.advance,
                **vars(asked.testing),
            )
            for name in scores.measures
        ]  # fmt: skip
    asked.printing.draw([c.pairs for c in found], f"{found[0].in_short()}; best system first")
    if asked.wide:
        by_measure = ComparisonsByMeasure.of(found)
        return by_measure.paper(**asked.writing.style, intervals=asked.printing.with_intervals)
    in_groups = asked.printing.groups or (systems > FEW and asked.baseline is None and not asked.printing.pairs)
    return joined([c.group_table() if in_groups else c.table() for c in found], scores.measures)


def _progress(test: str | None, pairs: int) -> Progress:
    """AskedPairs compared; the randomised Tukey test draws for all pairs at once, and tells its draws."""
    return Progress(None, "permutations") if test == "randomised-tukey-hsd" else Progress(pairs, "pairs compared")
