"""What `truegain compare --over collection` prints: pairs of systems on other collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from truegain._version import __version__
from truegain.cli.comparing import AskedPairs, Collections, Effect, Meta, Pairing
from truegain.cli.progress import Progress
from truegain.errors import TruegainError
from truegain.measures.base import Measure
from truegain.measures.chosen import refuse_chosen
from truegain.measures.evaluate import at_level, options_of
from truegain.measures.parse import parse_measures
from truegain.tables.runs import read_runs
from truegain.tables.sources import expand
from truegain.tables.table import Table

if TYPE_CHECKING:
    from truegain.inference.results import Answers, Comparison
    from truegain.tables.ranked import RankedGains

MOST = 150  # systems whose pairs are all compared


@dataclass(frozen=True)
class _How:
    """How pairs are compared."""

    meta: Meta
    effect: Effect
    pairing: Pairing
    adjust: str
    replicates: int
    confidence: float
    seed: int
    jobs: int | None


def over_collections(asked: AskedPairs, collections: Collections) -> Table:
    """Compare systems over collections, or one pair by topic; the same document has the same copies in both lists."""
    from truegain.inference.differences.effort import TRIALS
    from truegain.inference.monte_carlo import check_replicates
    from truegain.student import check_confidence

    testing = asked.testing
    how = _How(
        collections.meta, collections.effect, collections.pairing, testing.adjust or "holm", testing.trials or TRIALS,
        testing.confidence, testing.seed, asked.scoring.jobs,
    )  # fmt: skip
    check_replicates(how.replicates, check_confidence(how.confidence))
    measures = [at_level(a.measure, asked.scoring.level) for a in parse_measures(asked.measure or ["AP"])]
    _check(measures, how)
    ranked = _ranked(asked, measures)
    pairs = _pairs(ranked.systems, asked.baseline)
    if asked.printing.by_topic:
        if len(pairs) > 1 or len(measures) > 1:
            raise TruegainError("-q shows one pair by topic; give two runs and one measure")
        return _by_topic(ranked, measures[0], pairs, how)
    found = _answers(ranked, measures, pairs, how, asked.baseline)
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
            keep_keys=keys_needed(measures),
        )  # fmt: skip
    for one in measures:
        refuse_chosen(ranked, one)
    return ranked


def _answers(
    ranked: RankedGains, measures: Sequence[Measure], pairs: list[tuple[int, int]], how: _How, baseline: str | None
) -> Answers[Comparison]:
    from truegain.inference.results import Answers

    found = [comparison for one in measures for comparison in _comparisons(ranked, one, pairs, how)]
    made_by = {
        "truegain": __version__, "seed": how.seed, "replicates": how.replicates, "confidence": how.confidence,
        "meta": how.meta, "scale": how.effect, "pairing": how.pairing, "adjust": how.adjust,
    }  # fmt: skip
    return Answers(tuple(found), {**made_by, "baseline": baseline})


def collection_table(answer: Answers[Comparison]) -> Table:
    """The pairs, a row each."""
    from truegain.inference.results import table_of

    made_by = {name: value for name, value in answer.made_by.items() if name != "baseline"}
    return table_of(list(answer), made_by=made_by, leave_out=("notes", "level"))


def _check(asked: Sequence[Measure], how: _How) -> None:
    from truegain.inference.collection.score import left_out_of

    if how.meta == "mean":
        if how.effect != "ap":
            raise TruegainError("--effect logit is for meta-analysis; give --meta random (or another) as well")
        return
    for measure in asked:
        if not left_out_of(measure):
            raise TruegainError(f"--meta {how.meta} compares AP, not {measure}; leave --meta out, or give -m AP")


def _comparisons(ranked: RankedGains, measure: Measure, pairs: list[tuple[int, int]], how: _How) -> list[Comparison]:
    from truegain.engine import Local
    from truegain.inference.collection.compare import mean_differences
    from truegain.inference.collection.difference import collection_differences, combined_comparisons

    with Progress(None, "pieces drawn") as progress:
        if how.meta == "mean":
            return mean_differences(
                ranked, measure, pairs, paired=how.pairing == "paired", confidence=how.confidence,
                replicates=how.replicates, seed=how.seed, engine=Local(how.jobs), progress=progress.advance,
            ).comparisons(how.adjust)  # fmt: skip
        drawn = collection_differences(
            ranked, pairs, level=measure.rel, scale=how.effect, confidence=how.confidence,  # type: ignore[attr-defined]
            replicates=how.replicates, seed=how.seed, engine=Local(how.jobs), progress=progress.advance,
        )  # fmt: skip
    return combined_comparisons(drawn, how.meta, how.pairing, how.adjust)


def _by_topic(ranked: RankedGains, measure: Measure, pairs: list[tuple[int, int]], how: _How) -> Table:
    from truegain.engine import Local
    from truegain.inference.collection.compare import mean_differences
    from truegain.inference.collection.difference import collection_differences

    if how.meta == "mean":
        found = mean_differences(
            ranked, measure, pairs, confidence=how.confidence, replicates=how.replicates, seed=how.seed,
            engine=Local(how.jobs),
        )  # fmt: skip
        return found.table()
    (drawn,) = collection_differences(
        ranked, pairs, level=measure.rel, scale=how.effect, confidence=how.confidence,  # type: ignore[attr-defined]
        replicates=how.replicates, seed=how.seed, engine=Local(how.jobs),
    )  # fmt: skip
    return drawn.table()


def _pairs(systems: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    if baseline is not None:
        if baseline not in systems:
            raise TruegainError(f"there is no system {baseline!r}; there are {', '.join(systems[:5])}")
        base = systems.index(baseline)
        return [(base, s) for s in range(len(systems)) if s != base]
    if len(systems) < 2:
        raise TruegainError("one run cannot be compared; give two or more")
    if len(systems) > MOST:
        raise TruegainError(
            f"{len(systems)} systems make {len(systems) * (len(systems) - 1) // 2} pairs; name a --baseline, or give "
            f"at most {MOST} runs"
        )
    return list(combinations(range(len(systems)), 2))
