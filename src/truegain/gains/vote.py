"""One bronze label from several assessors: a vote that a document must win."""

from __future__ import annotations

import numpy as np

from truegain.errors import TruegainError
from truegain.tables.checks import warn
from truegain.tables.columns import Coded, frozen
from truegain.tables.judgments import NO_SUBTOPIC, Judgments
from truegain.tables.pool import Pool


def vote(
    ratings: object, *, relevant: float = 1, share: float = 2 / 3, votes: int | None = None, least: int = 1
) -> Judgments:
    """Label 1 where enough assessors found the document relevant, else 0.

    A document needs `votes` relevant ratings or, by default, a supermajority: at least ceil(share * n) of its n
    (two of three, two of two).  `share=0.5` with an odd n is the plain majority.  Documents with fewer than `least`
    ratings get no label.

    Carterette and Soboroff 2010, SIGIR; Goldberg et al. 2018 use at least two of three.

    >>> import polars as pl
    >>> said = {"a": (1, 1, 0), "b": (1, 0, 0)}
    >>> rows = [("1", doc, who, label) for doc, three in said.items() for who, label in zip("xyz", three)]
    >>> vote(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")).label.tolist()
    [1.0, 0.0]
    """
    if not 0 < share <= 1:
        raise TruegainError(f"share {share:g} must be above 0 and at most 1, such as 2/3")
    if votes is not None and votes < 1:
        raise TruegainError(f"votes {votes} makes every document relevant; give at least 1")
    table = Judgments.of(ratings)
    pool = Pool.of(table)
    judged = table.label >= 0
    n = np.bincount(pool.row_item[judged], minlength=len(pool))
    yes = np.bincount(pool.row_item[judged & (table.label >= relevant)], minlength=len(pool))
    needed = np.ceil(share * n - 1e-9) if votes is None else np.full(len(pool), votes)
    keep = np.flatnonzero(n >= max(1, least))
    if not len(keep):
        raise TruegainError(f"no document has {least} ratings; give a smaller least=")
    if len(keep) < len(pool):
        warn(f"{len(pool) - len(keep)} of {len(pool)} documents have fewer than {max(1, least)} ratings: no label")
    return Judgments(
        Coded(pool.topics, frozen(pool.topic[keep])),
        pool.docs.take(keep),
        frozen(((yes >= needed) & (n > 0))[keep].astype(np.float64)),
        Coded((NO_SUBTOPIC,), frozen(np.zeros(len(keep), np.int32))),
        source=f"vote over {table.source}",
    )
