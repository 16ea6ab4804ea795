"""Do people's magnitudes agree beyond chance: Krippendorff's alpha, and its test against 0."""

from __future__ import annotations

import numpy as np

from truegain.aggregation.magnitudes import normalized
from truegain.data.judgments import Judgments
from truegain.data.pool import earlier
from truegain.data.rating_groups import Grouped, item_keys
from truegain.errors import InputError, TruegainError
from truegain.reliability.alpha import MANY, AlphaOptions, Paired, alpha_against_0, alpha_of
from truegain.results.base import Table
from truegain.results.table import Cell, cells

FIRST = 10  # ratings of a document that the paper's alpha rests on


def alpha_table(
    table: Judgments, how: str = "geometric", *, first: int = FIRST, replicates: int = 1000, seed: int = 0
) -> Table:
    """Krippendorff's alpha of magnitudes at the ratio level, with its interval and a test against 0.

    Of the first ratings of each document, as in the paper, and of all where some document has more.  The interval is
    the jackknife's, over documents; p is the bootstrap's, over documents.

    Maddalena et al. 2017, ACM TOIS 35(3), section 6.1: 0.323, p < 0.01.

    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=2, docs=20, workers=5, seed=1)
    >>> [(row["ratings of a document"], row["p"] < 0.01) for row in alpha_table(world.ratings).records()]
    [('first 10', True), ('all', True)]
    """
    if first < 2:
        raise TruegainError(f"the first {first} ratings of a document do not show agreement; take at least 2")
    moved = normalized(table, how)
    # units are normalized whole: the known documents, which all rate, belong to each unit's mean
    _, item = np.unique(item_keys(moved), return_inverse=True)
    parts = [(f"first {first}", moved.take(np.flatnonzero(earlier(item) < first)))]
    parts += [("all", moved)] if len(parts[0][1]) < len(moved) else []
    rows: list[tuple[Cell, ...]] = []
    documents: list[int] = []
    for name, ratings in parts:
        paired = Paired.of(Grouped.of(ratings))
        if not len(paired):
            raise InputError("no document has two magnitudes", file=table.source, hint="alpha needs several assessors")
        alpha = alpha_of(paired, "ratio", AlphaOptions(seed=seed))
        test = alpha_against_0(paired, "ratio", replicates, seed)
        limits = cells((alpha.value, alpha.low, alpha.high, test.p))
        rows.append((name, *limits, test.resamples, len(paired), len(paired.value)))
        documents.append(len(paired))
    columns = ("ratings of a document", "alpha ratio", "low", "high", "p", "resamples", "documents", "ratings")
    notes = ["interval: 95%, leaving out documents; p: of alpha = 0, two-sided, resampling documents"]
    if documents[0] < MANY:
        notes.append(f"with fewer than {MANY} documents the bootstrap's p is too small")
    provenance = {"normalize": how, "first": first, "replicates": replicates, "seed": seed, "source": table.source}
    return Table(columns, rows, provenance, f"Agreement beyond chance, normalized: {how}", tuple(notes))
