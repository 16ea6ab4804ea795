"""What `truegain compare --over collection` prints: pairs of systems on other collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from truegain.cli.comparing import AskedPairs, Collections
from truegain.cli.progress import Progress
from truegain.errors import TruegainError
from truegain.measures.base import Measure
from truegain.measures.chosen import refuse_chosen
from truegain.measures.evaluate import at_level, matching_for, options_of
from truegain.measures.parse import parse_measures
from truegain.tables.runs import read_runs
from truegain.tables.sources import expand
from truegain.tables.table import Table

if TYPE_CHECKING:
    from truegain.inference.results import Answers, Comparison
    from truegain.tables.ranked import RankedGains


def over_collections(asked: AskedPairs, collections: Collections) -> Table:
    """Compare systems over collections, or one pair by topic; the same document has the same copies in both lists."""
    from truegain.inference.collection.pairs import CollectionPairs, pairs_of
    from truegain.inference.differences.effort import TRIALS

    testing = asked.testing
    how = CollectionPairs(
        collections.meta, collections.effect, collections.pairing, testing.adjust or "holm",
        testing.replicates or TRIALS, testing.confidence, testing.seed, asked.scoring.jobs,
    )  # fmt: skip
    measures = [at_level(a.measure, asked.scoring.level) for a in parse_measures(asked.measure or ["AP"])]
    how.check(measures)
    ranked = _ranked(asked, measures)
    pairs = pairs_of(ranked.systems, asked.baseline)
    if asked.printing.by_topic:
        if len(pairs) > 1 or len(measures) > 1:
            raise TruegainError("-q shows one pair by topic; give two runs and one measure")
        table = how.by_topic(ranked, measures[0], pairs[0])
        return replace(table, notes=(*ranked.caveats, *table.notes))
    with Progress(None, "pieces drawn") as progress:
        found = how.answers(ranked, measures, pairs, asked.baseline, progress.advance)
    if asked.wide:
        return found.paper(**asked.writing.style, intervals=asked.printing.with_intervals)
    return collection_table(found)


def _ranked(asked: AskedPairs, measures: Sequence[Measure]) -> RankedGains:
    """The runs with their judgments beside them."""
    from truegain.inference.collection.expansion import keys_needed
    from truegain.measures.evaluate import aligned

    files, scoring, writing = expand(asked.runs), asked.scoring, asked.writing
    options = options_of({"trec_eval": scoring.trec_eval, "level": scoring.level})
    with Progress(len(files), "runs read") as progress:
        ranked = aligned(
            writing.renamed(read_runs(files, name_by=scoring.name_by)) if writing.renames else files, asked.judgments,
            options, name_by=scoring.name_by, jobs=scoring.jobs, progress=progress.advance,
            keep_keys=keys_needed(measures), matching=matching_for(measures, options), judge_model=asked.judge_model,
        )  # fmt: skip
    for one in measures:
        refuse_chosen(ranked, one)
    return ranked


def collection_table(answer: Answers[Comparison]) -> Table:
    """The pairs, a row each."""
    from truegain.inference.results import table_of

    made_by = {name: value for name, value in answer.made_by.items() if name != "baseline"}
    table = table_of(list(answer), made_by=made_by, leave_out=("notes", "confidence"))
    return replace(table, notes=(*answer.notes, *table.notes))
