"""What `truegain compare --gold` prints: pairs of systems without the errors of a cheap judge."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truegain.cli.bundles import fields_of
from truegain.cli.comparing import AskedPairs
from truegain.cli.gold import Correcting, GoldSample, Labelling
from truegain.measures.evaluate import Options, at_level
from truegain.measures.parse import parse_measures
from truegain.tables.runs import read_runs
from truegain.tables.sources import expand
from truegain.tables.table import joined

if TYPE_CHECKING:
    from truegain.tables.table import Table


def with_gold(
    asked: AskedPairs, gold: str, gold_sample: GoldSample, labelling: Labelling, correcting: Correcting
) -> Table:
    """The comparison without the judge's errors: the judge is fitted once, for all measures."""
    from truegain.inference.corrections.comparison import compare_each
    from truegain.inference.judges.options import fit_judge
    from truegain.inference.results import Answers

    read, level = labelling.both(asked.judgments, gold), Options(level=asked.scoring.level).level
    measures = [at_level(a.measure, level) for a in parse_measures(asked.measure or ["P@10"])]
    judge = fit_judge(
        read.bronze, read.gold, read.design, measures[0], labelling.gold_level, missing=labelling.unmatched,
        scale=read.scale,
    )  # fmt: skip
    runs = asked.writing.renamed(read_runs(expand(asked.runs), name_by=asked.scoring.name_by))
    options: dict[str, Any] = {**vars(correcting), **fields_of(asked.testing, leave_out=("counting",))}
    found = compare_each(
        runs, read.bronze, judge, measures, gold_level=labelling.gold_level, gold_sample=gold_sample,
        baseline=asked.baseline, jobs=asked.scoring.jobs, **options,
    )  # fmt: skip
    asked.printing.draw([c.pairs for c in found])
    table = joined([c.table() for c in found], tuple(map(str, measures)))
    if asked.wide:
        table = Answers.joined(found).paper(**asked.writing.style, intervals=asked.printing.with_intervals)
    return replace(table, notes=(*read.said, *table.notes))
