"""Scores of runs and judgments that do not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace

from truegain.config import Scoring
from truegain.errors import InputError
from truegain.measures.batch_scores import BatchScores, is_of_topics_alone
from truegain.measures.chosen import ChosenLabels
from truegain.measures.parse import NamedMeasure
from truegain.measures.scoring import at_level, levels_of, matching_for, scored, view_of
from truegain.tables.align import align
from truegain.tables.batches import Batches, batches_of
from truegain.tables.checks import Grades
from truegain.tables.first_fault import first_fault, first_fault_of_files
from truegain.tables.memory import MemoryLike
from truegain.tables.pool import Pool
from truegain.tables.runs import Runs
from truegain.tables.scores import Scores


def evaluate_in_batches(
    runs: object,
    judgments: object,
    asked: Sequence[NamedMeasure],
    scoring: Scoring,
    *,
    jobs: int,
    progress: Callable[[int], None] | None,
    memory: MemoryLike | None,
) -> Scores | None:
    """Scores, some topics at a time; None where files or measures do not allow it: tables, or the text of documents.

    They are those of `evaluate` to the last bit: a topic's value depends on the topic alone, topics come in the order
    of their bytes, and means are made of all of them at the end.
    """
    if not all(is_of_topics_alone(a.measure) for a in asked):
        return None
    with ExitStack() as open_files:
        try:
            batches = batches_of(runs, judgments, jobs=jobs, memory=memory, open_files=open_files)
        except InputError as error:
            if error.line is None:  # no fault of a line
                raise
            raise first_fault_of_files(runs, judgments, error, jobs, scoring.ties) from None
        return None if batches is None else _in_batches(batches, asked, scoring, jobs, progress)


def _in_batches(
    batches: Batches,
    asked: Sequence[NamedMeasure],
    scoring: Scoring,
    jobs: int,
    progress: Callable[[int], None] | None,
) -> Scores:
    """The scores of topics that do not all fit into memory."""
    chosen = [at_level(a.measure, scoring.relevant_from) for a in asked]
    levels, runs = levels_of(chosen), len(batches.runs)
    gathered, graded = BatchScores(runs), any(not m.of_subtopics for m in chosen)
    marked = {str(m): ChosenLabels() for m in chosen}
    trec_eval, matching = int(scoring.trec_eval), matching_for(chosen, scoring)
    try:
        for number, batch in enumerate(batches):
            gathered.look_at_labels(batch.judgments)
            ranked, systems = align(
                Pool.of(batch.judgments), batch.loaders, trec_eval=trec_eval, jobs=jobs, ties=scoring.ties,
                deepest=matching.deepest,
            )  # fmt: skip
            gathered.look_at_runs(systems, ranked.pool)
            if ranked.topics:
                grades = Grades.of(ranked, min(levels, default=None)) if graded else None
                gathered.add(scored(ranked, asked, scoring), grades)
                for m in chosen if batches.chosen_from is not None else ():
                    marked[str(m)] += ChosenLabels.of(view_of(ranked, m, scoring), m)
            if progress is not None:
                progress(runs * (number + 1) // len(batches) - runs * number // len(batches))
        batches.check_unchanged()
        batches.check_rows([bool(gathered.topics), *gathered.lists])
    except InputError as error:
        raise first_fault(batches, error, scoring.ties) from None
    Runs.check_names(batches.systems, [lines.file.file for lines in batches.runs])
    caveats = gathered.tell(batches.systems, asked, levels, scoring, matching)
    for m in chosen:
        marked[str(m)].refuse(m)
    found = gathered.scores(batches.systems, chosen, lambda m, values: m.summarise(values, ranked, scoring.all_topics))
    return replace(found, caveats=caveats)
