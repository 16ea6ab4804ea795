"""What `truegain compare --over collection` prints: pairs of systems on other collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from truegain._version import __version__
from truegain.cli.progress import Progress
from truegain.cli.writing import Writing
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

Meta = Literal["mean", "fixed", "random", "hartung-knapp", "paule-mandel"]
Scale = Literal["ap", "logit"]
Pairing = Literal["paired", "independent"]
MOST = 150  # systems whose pairs are all compared


@dataclass(frozen=True)
class _How:
    """How pairs are compared."""

    meta: Meta
    scale: Scale
    pairing: Pairing
    adjust: str
    replicates: int
    confidence: float
    seed: int
    jobs: int | None


def collection_answers(
    judgments: str,
    runs: list[str],
    measure: list[str] | None,
    *,
    writing: Writing,
    meta: Meta,
    scale: Scale,
    pairing: Pairing,
    adjust: str | None,
    by_topic: bool,
    baseline: str | None,
    level: float | None,
    name_by: Literal["file", "tag"],
    trec_eval: str,
    replicates: int,
    confidence: float,
    seed: int,
    jobs: int | None,
) -> Table | Answers[Comparison]:
    """Compare systems over collections, or one pair by topic; the same document has the same copies in both lists."""
    from truegain.inference.collection.expansion import keys_needed
    from truegain.inference.monte_carlo import check_replicates
    from truegain.inference.results import Answers
    from truegain.measures.evaluate import aligned
    from truegain.student import check_confidence

    check_replicates(replicates, check_confidence(confidence))
    asked = [at_level(a.measure, level) for a in parse_measures(measure or ["AP"])]
    how = _How(meta, scale, pairing, adjust or "holm", replicates, confidence, seed, jobs)
    _check(asked, how)
    files = expand(runs)
    options = options_of({"trec_eval": trec_eval, "level": level})
    with Progress(len(files), "runs read") as progress:
        ranked = aligned(
            writing.renamed(read_runs(files, name_by=name_by)) if writing.renames else files, judgments, options,
            name_by=name_by, jobs=jobs, progress=progress.advance,
            keep_keys=keys_needed(asked),
        )  # fmt: skip
    for one in asked:
        refuse_chosen(ranked, one)
    pairs = _pairs(ranked.systems, baseline)
    if by_topic and (len(pairs) > 1 or len(asked) > 1):
        raise TruegainError("-q shows one pair by topic; give two runs and one measure")
    if by_topic:
        return _by_topic(ranked, asked[0], pairs, how)
    found = [comparison for one in asked for comparison in _comparisons(ranked, one, pairs, how)]
    made_by = {
        "truegain": __version__, "seed": how.seed, "replicates": how.replicates, "confidence": how.confidence,
        "meta": how.meta, "scale": how.scale, "pairing": how.pairing, "adjust": how.adjust,
    }  # fmt: skip
    return Answers(tuple(found), {**made_by, "baseline": baseline})


def collection_table(answer: Table | Answers[Comparison]) -> Table:
    """The pairs, a row each; or one pair by topic."""
    from truegain.inference.results import table_of

    if isinstance(answer, Table):
        return answer
    made_by = {name: value for name, value in answer.made_by.items() if name != "baseline"}
    return table_of(list(answer), made_by=made_by, leave_out=("notes", "level"))


def _check(asked: Sequence[Measure], how: _How) -> None:
    from truegain.inference.collection.score import left_out_of

    if how.meta == "mean":
        if how.scale != "ap":
            raise TruegainError("--scale logit is for meta-analysis; give --meta random (or another) as well")
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
            ranked, pairs, level=measure.rel, scale=how.scale, confidence=how.confidence,  # type: ignore[attr-defined]
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
        ranked, pairs, level=measure.rel, scale=how.scale, confidence=how.confidence,  # type: ignore[attr-defined]
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
