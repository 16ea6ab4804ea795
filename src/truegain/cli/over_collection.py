"""What `truegain compare --over collection` prints: pairs of systems on other collections."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

from truegain._version import __version__
from truegain.cli.progress import Progress
from truegain.errors import TruegainError
from truegain.measures.ap import AP
from truegain.measures.parse import parse_measures
from truegain.tables.table import Table

Meta = Literal["fixed", "random", "hartung-knapp", "paule-mandel"]
Scale = Literal["ap", "logit"]
Pairing = Literal["paired", "independent"]
MOST = 6  # systems whose pairs are all compared


def collection_table(
    judgments: str,
    runs: list[str],
    measure: list[str] | None,
    *,
    meta: Meta,
    scale: Scale,
    pairing: Pairing,
    by_topic: bool,
    baseline: str | None,
    level: float | None,
    name_by: Literal["file", "tag"],
    trec_eval: str,
    replicates: int,
    confidence: float,
    seed: int,
    jobs: int | None,
) -> Table:
    """Compare systems over drawn collections; the same document has the same copies in both lists."""
    from truegain.engine import Local, cores
    from truegain.inference.collection.difference import collection_difference
    from truegain.inference.replicates import check_confidence, check_replicates
    from truegain.inference.results import table_of
    from truegain.tables.pool import Pool
    from truegain.tables.read import read_judgments, read_runs

    check_replicates(replicates, check_confidence(confidence))
    _only_ap(measure)
    pool = Pool.of(read_judgments(judgments, jobs=jobs or cores()))
    parts = read_runs(runs, name_by=name_by, jobs=jobs or cores()).parts
    pairs = _pairs([p.system for p in parts], baseline)
    if by_topic and len(pairs) > 1:
        raise TruegainError("-q shows one pair by topic; give two runs")
    system = {p.system: p for p in parts}
    found = []
    with Progress(len(pairs), "pairs drawn") as progress:
        for a, b in pairs:
            found.append(
                collection_difference(
                    pool,
                    system[a],
                    system[b],
                    level=1 if level is None else level,
                    scale=scale,
                    single=trec_eval == "9",
                    replicates=replicates,
                    confidence=confidence,
                    seed=seed,
                    engine=Local(jobs),
                )
            )
            progress.advance()
    if by_topic:
        return found[0].table()
    made_by = {
        "truegain": __version__, "seed": seed, "replicates": replicates, "confidence": confidence, "meta": meta,
        "scale": scale, "pairing": pairing,
    }  # fmt: skip
    return table_of([d.comparison(meta, pairing) for d in found], made_by=made_by, leave_out=("notes", "level"))


def _only_ap(measure: list[str] | None) -> None:
    for asked in parse_measures(measure or ["AP"]):
        if type(asked.measure) is not AP or asked.measure.cutoff is not None:
            raise TruegainError(f"--over collection compares AP, not {asked.measure}; leave -m out or give -m AP")


def _pairs(systems: list[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is not None:
        if baseline not in systems:
            raise TruegainError(f"there is no system {baseline!r}; there are {', '.join(systems[:5])}")
        return [(baseline, s) for s in systems if s != baseline]
    if len(systems) < 2:
        raise TruegainError("one run cannot be compared; give two or more")
    if len(systems) > MOST:
        raise TruegainError(
            f"{len(systems)} systems make {len(systems) * (len(systems) - 1) // 2} pairs; name a --baseline, or give "
            f"at most {MOST} runs"
        )
    return list(combinations(systems, 2))
