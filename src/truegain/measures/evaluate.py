"""From runs and judgments to scores."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from truegain._version import __version__
from truegain.cores import cores
from truegain.errors import TruegainError
from truegain.keywords import check_number, check_whole, takes
from truegain.measures.base import Measure
from truegain.measures.chosen import refuse_chosen
from truegain.measures.direct import measures_for
from truegain.measures.parse import MeasuresLike, NamedMeasure, parse_measures
from truegain.tables.align import align
from truegain.tables.checks import check_grades, check_labels, check_order, check_overlap, check_scores
from truegain.tables.intents import Intents, with_intents
from truegain.tables.judgments import Judgments
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains
from truegain.tables.read import NameBy
from truegain.tables.runs import Run, Runs, Ties, run_loaders
from truegain.tables.scores import Scores

if TYPE_CHECKING:
    from truegain.tables.likes import JudgmentsLike, RunsLike
    from truegain.text.corpus import CorpusLike

NoRelevant = Literal["zero", "skip"]
Version = Literal["9", "10"]


@dataclass(frozen=True)
class Options:
    """How scores are made; the defaults are those of trec_eval 10, except that missing topics only warn.

    complete: every judged topic counts; one that a run lacks counts 0 (trec_eval -c).
    level: smallest label that is relevant, for measures that do not say (trec_eval -l).
    depth: keep only the first so many documents of each list (trec_eval -M).
    judged_only: drop unjudged documents from the lists first (trec_eval -J).
    no_relevant: a topic with nothing to find counts 0 ('zero', trec_eval) or has no value ('skip', gdeval).
    trec_eval: '9' compares scores as float32 and interpolates precision as trec_eval 9 does, '10' as 10.0 does.
    ties: of equal scores the largest document id comes first ('descending', trec_eval, gdeval) or the smallest
        ('ascending', pyndeval).
    """

    complete: bool = False
    level: float | None = None
    depth: int | None = None
    judged_only: bool = False
    no_relevant: NoRelevant = "zero"
    trec_eval: Version = "10"
    ties: Ties = "descending"

    def __post_init__(self) -> None:
        if self.level is not None:
            check_number("level", self.level)
        if self.depth is not None:
            check_whole("depth", self.depth)
        if self.level is not None and not math.isfinite(self.level):
            raise TruegainError(f"level {self.level:g} is not a finite number; give the smallest relevant label")
        if self.level is not None and self.level < 0:
            raise TruegainError(f"level {self.level:g} is negative: unjudged documents would become relevant")
        if self.depth is not None and self.depth < 1:
            raise TruegainError(f"depth {self.depth} keeps no document; give at least 1")
        if self.trec_eval not in ("9", "10"):
            raise TruegainError(f"trec_eval version {self.trec_eval!r} is not known; give '9' or '10'")
        if self.ties not in ("descending", "ascending"):
            raise TruegainError(f"ties is {self.ties!r}; give 'descending' (trec_eval) or 'ascending' (pyndeval)")
        if self.no_relevant not in ("zero", "skip"):
            raise TruegainError(f"no_relevant is {self.no_relevant!r}; give 'zero' or 'skip'")


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


READING = ("jobs", "progress", "corpus", "judged_corpus", "intents")
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
    **options: Unpack[OptionWords],
) -> Scores:
    """Score runs against judgments as they are, unjudged documents counting 0; `tg.evaluate` says what is taken."""
    asked, given = parse_measures(measures), options_of(options)
    ranked = aligned_for(
        asked, runs, judgments, given, name_by=name_by, jobs=jobs, progress=progress, corpus=corpus,
        judged_corpus=judged_corpus,
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
    return with_text(aligned(runs, judgments, options, keep_top=keep, **reading), corpus, judged_corpus)


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
) -> RankedGains:
    """Read, order and match runs with judgments, warning about what is suspicious."""
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
    )
    Runs.check_names(ranked.systems, [s.source for s in systems])
    check_overlap(ranked, systems)
    check_scores(systems, ranked.trec_eval)
    return ranked


def score(ranked: RankedGains, asked: Sequence[NamedMeasure], options: Options | None = None) -> Scores:
    """Scores of ranked gains that are already aligned."""
    given = options or Options()
    chosen = [at_level(a.measure, given.level) for a in asked]
    levels = [float(level) for m in chosen if not m.of_subtopics and (level := getattr(m, "rel", None)) is not None]
    if any(not m.of_subtopics for m in chosen):
        check_grades(ranked, levels, given.no_relevant == "skip")
    values: dict[str, npt.NDArray[Any]] = {}
    summaries: dict[str, npt.NDArray[np.float64]] = {}
    for measure in chosen:
        view = view_of(ranked, measure, given)
        refuse_chosen(view, measure)
        matrix = _one(measure, view, given)
        values[str(measure)] = matrix
        if matrix.dtype == object:
            summaries[str(measure)] = np.full(len(ranked.systems), np.nan)
        else:
            summaries[str(measure)] = measure.summarise(matrix, view, given.complete)
    made_by = {"truegain": __version__, "measures": [str(m) for m in chosen], **given.__dict__}
    names = {name: str(m) for a, m in zip(asked, chosen, strict=True) for name in (str(a.measure), a.name)}
    return Scores(ranked.systems, ranked.topics, values, summaries, {str(m): m for m in chosen}, made_by, names)


def view_of(ranked: RankedGains, measure: Measure, options: Options) -> RankedGains:
    """The lists as the options want a measure to see them."""
    view = ranked.cut(options.depth)
    if not options.judged_only:
        return view
    return view.condensed_facets if measure.of_subtopics else view.condensed


def _one(measure: Measure, ranked: RankedGains, options: Options) -> npt.NDArray[Any]:
    matrix = measure.score(ranked)
    if matrix.dtype == object:
        return matrix
    if options.complete:
        matrix = np.where(np.isnan(matrix), measure.absent(ranked), matrix)
    if options.no_relevant == "skip":
        matrix = np.where(measure.defined(ranked), matrix, np.nan)
    return matrix


def at_level(measure: Measure, level: float | None) -> Measure:
    """The measure at another level of relevance, unless it names its own or has none."""
    if level is None or getattr(measure, "rel", None) != 1:
        return measure
    return replace(measure, rel=int(level) if float(level).is_integer() else level)  # type: ignore[call-arg]


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
