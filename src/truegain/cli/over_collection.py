"""What `truegain compare --over collection` prints: pairs of systems on other collections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from truegain.cli.progress import Progress
from truegain.cli.writing import Writing
from truegain.errors import TruegainError
from truegain.measures.chosen import refuse_chosen
from truegain.measures.evaluate import at_level, options_of
from truegain.measures.parse import parse_measures
from truegain.tables.runs import read_runs
from truegain.tables.sources import expand
from truegain.tables.table import Table

if TYPE_CHECKING:
    from truegain.inference.results import Answers, Comparison

Meta = Literal["mean", "fixed", "random", "hartung-knapp", "paule-mandel"]
Scale = Literal["ap", "logit"]
Pairing = Literal["paired", "independent"]


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
    from truegain.inference.collection.pairs import CollectionPairs, pairs_of
    from truegain.measures.evaluate import aligned

    how = CollectionPairs(meta, scale, pairing, adjust or "holm", replicates, confidence, seed, jobs)
    asked = [at_level(a.measure, level) for a in parse_measures(measure or ["AP"])]
    how.check(asked)
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
    pairs = pairs_of(ranked.systems, baseline)
    if by_topic and (len(pairs) > 1 or len(asked) > 1):
        raise TruegainError("-q shows one pair by topic; give two runs and one measure")
    if by_topic:
        return how.by_topic(ranked, asked[0], pairs[0])
    with Progress(None, "pieces drawn") as progress:
        return how.answers(ranked, asked, pairs, baseline, progress.advance)


def collection_table(answer: Table | Answers[Comparison]) -> Table:
    """The pairs, a row each; or one pair by topic."""
    from truegain.inference.results import table_of

    if isinstance(answer, Table):
        return answer
    made_by = {name: value for name, value in answer.made_by.items() if name != "baseline"}
    return table_of(list(answer), made_by=made_by, leave_out=("notes", "level"))
