"""From runs and judgments to scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from truegain.cores import cores
from truegain.errors import TruegainError
from truegain.keywords import takes
from truegain.measures.direct import measures_for
from truegain.measures.parse import MeasuresLike, NamedMeasure, parse_measures
from truegain.measures.scoring import NoRelevant as NoRelevant
from truegain.measures.scoring import Options as Options
from truegain.measures.scoring import Version as Version
from truegain.measures.scoring import at_level as at_level
from truegain.measures.scoring import matching_for as matching_for
from truegain.measures.scoring import score as score
from truegain.measures.scoring import view_of as view_of
from truegain.tables.align import align
from truegain.tables.checks import check_documents, check_labels, check_order, check_overlap, check_scores
from truegain.tables.header import told
from truegain.tables.intents import Intents, with_intents
from truegain.tables.judgments import Judgments
from truegain.tables.matched import EVERY_RANK, Matching
from truegain.tables.memory import MemoryLike, check_aligned, needs_batches, streams_copied
from truegain.tables.models_used import by_unchecked, unchecked_in
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains
from truegain.tables.read import NameBy
from truegain.tables.runs import Run, Runs, Ties, run_loaders
from truegain.tables.scores import Scores

if TYPE_CHECKING:
    from truegain.tables.likes import JudgmentsLike, RunsLike
    from truegain.text.corpus import CorpusLike


class OptionWords(TypedDict, total=False):
    """The keywords of functions that score: those of `Options`."""

    complete: bool
    level: float | None
    depth: int | None
    judged_only: bool
    no_relevant: NoRelevant
    trec_eval: Version | int
    ties: Ties


class ScoringWords(OptionWords, total=False):
    """The keywords of functions that read, match and score."""

    name_by: NameBy
    jobs: int | None
    progress: Callable[[int], None] | None
    corpus: CorpusLike | None
    judged_corpus: CorpusLike | None


class EvaluateWords(ScoringWords, total=False):
    """The keywords of functions that score as `evaluate` does."""

    intents: Intents | Mapping[str, Mapping[str, float]] | str | None
    memory: MemoryLike | None


READING = ("jobs", "progress", "corpus", "judged_corpus", "intents", "memory")
DEFAULTS: dict[str, object] = (
    {f.name: f.default for f in fields(Options)} | dict.fromkeys(READING) | {"name_by": "file"}
)


@takes(OptionWords, DEFAULTS)
def evaluate(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: MeasuresLike,
    *,
    intents: Intents | Mapping[str, Mapping[str, float]] | str | None = None,
    name_by: NameBy = "file",
    jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
    corpus: CorpusLike | None = None,
    judged_corpus: CorpusLike | None = None,
    memory: MemoryLike | None = None,
    judge_model: str | None = None,
    **options: Unpack[OptionWords],
) -> Scores:
    """Score runs against judgments as they are, unjudged documents counting 0; `tg.evaluate` says what is taken."""
    asked, given = parse_measures(measures), options_of(options)
    workers = jobs or cores()
    with ExitStack() as copies:
        if intents is None and corpus is None:
            copies.enter_context(streams_copied(runs, judgments, memory))
            if needs_batches(runs, judgments, workers, memory):
                from truegain.measures.in_batches import evaluate_in_batches

                found = evaluate_in_batches(
                    runs, judgments, asked, given, name_by=name_by, jobs=workers, progress=progress, memory=memory
                )
                if found is not None:
                    return replace(found, caveats=(*by_whom(None, judge_model), *found.caveats))
        ranked = aligned_for(
            asked, runs, judgments, given, name_by=name_by, jobs=jobs, progress=progress, corpus=corpus,
            judged_corpus=judged_corpus, memory=memory, judge_model=judge_model,
        )  # fmt: skip
    return score(with_intents(ranked, intents), measures_for(ranked, asked), given)


def aligned_for(
    asked: Sequence[NamedMeasure],
    runs: object,
    judgments: object,
    options: Options,
    *,
    corpus: object = None,
    judged_corpus: object = None,
    **reading: Any,
) -> RankedGains:
    """Runs matched with judgments, with as much text as the measures read; further keywords are those of `aligned`."""
    keep = max((getattr(a.measure, "cutoff", 0) for a in asked if a.measure.reads_text), default=0)
    matching = matching_for([a.measure for a in asked], options)
    ranked = aligned(runs, judgments, options, keep_top=keep, matching=matching, **reading)
    return with_text(ranked, corpus, judged_corpus)


def with_text(ranked: RankedGains, corpus: object, judged_corpus: object = None) -> RankedGains:
    """Ranked gains that know the text of their documents, where some measure reads it."""
    if corpus is None and judged_corpus is not None:
        raise TruegainError("a corpus of judged documents needs one of retrieved documents beside it; give corpus too")
    if corpus is None or ranked.top is None:
        return ranked
    from truegain.text.divergence import RankedText

    return RankedText.of(ranked, corpus, judged_corpus)


def aligned(
    runs: object,
    judgments: object,
    options: Options,
    *,
    name_by: NameBy = "file",
    jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
    keep_top: int = 0,
    keep_keys: int = 0,
    memory: MemoryLike | None = None,
    matching: Matching = EVERY_RANK,
    judge_model: str | None = None,
) -> RankedGains:
    """Read, order and match runs with judgments, warning about what is suspicious.

    matching: which ranks count for the measures asked for (`matching_for`; by default all), and whether a system
    without a judged document there is refused.  What takes more than `memory`, or than is there, is refused before it
    is read.  judge_model: the model that gave the labels, where no column says so.
    """
    check_aligned(runs, judgments, jobs or cores(), memory)
    table = Judgments.of(judgments)
    check_labels(table)
    ranked, systems = align(
        Pool.of(table),
        loaders_of(runs, table, name_by, jobs or cores()),
        trec_eval=int(options.trec_eval),
        jobs=jobs or cores(),
        progress=progress,
        keep_top=keep_top,
        keep_keys=keep_keys,
        ties=options.ties,
        deepest=matching.deepest,
    )
    Runs.check_names(ranked.systems, [s.source for s in systems])
    check_overlap(ranked.topics, systems, complete=options.complete)
    doubts, said = check_documents(systems, ranked.pool.ids_of, matching)
    check_scores(systems, ranked.trec_eval, options.ties)
    return replace(ranked, doubts=doubts, caveats=(*by_whom(table, judge_model), *said))


def by_whom(judgments: Judgments | None, judge_model: str | None) -> list[str]:
    """That a model gave the labels, and that nobody checked them; nothing where no model is named."""
    labels_by = unchecked_in(judgments, judge_model)
    if labels_by and told().unused_gold:
        return [f"by {labels_by} as they are: {told().unused_gold}"]
    return [by_unchecked(labels_by)] if labels_by else []


def options_of(given: Mapping[str, Any]) -> Options:
    """Options from keywords, refusing what is not one."""
    options = dict(given)
    unknown = set(options) - set(Options.__dataclass_fields__)
    if unknown:
        raise TruegainError(
            f"evaluate has no option {', '.join(sorted(unknown))}; it has {', '.join(Options.__dataclass_fields__)}"
        )
    if "trec_eval" in options:
        options["trec_eval"] = str(options["trec_eval"]).split(".")[0]
    return Options(**options)


def loaders_of(runs: object, judgments: Judgments, name_by: NameBy, jobs: int) -> list[Callable[[], Sequence[Run]]]:
    """Functions that give the runs; files are read only when their turn comes."""
    paths = isinstance(runs, str | os.PathLike) or (
        isinstance(runs, list | tuple) and runs and all(isinstance(r, str | os.PathLike) for r in runs)
    )
    if paths:
        return run_loaders(runs, name_by=name_by, jobs=jobs)  # type: ignore[arg-type]
    given = Runs.of(runs)
    check_order(given, judgments)
    return [lambda part=part: [part] for part in given.parts]  # type: ignore[misc]
