"""A random sample of the unjudged documents, to be judged: it then stands for the others."""

from __future__ import annotations

import math

import numpy as np

from truegain.config import Scoring
from truegain.errors import MeasureError, TruegainError
from truegain.inference.holes.filled import Filled
from truegain.measures.base import Measure
from truegain.measures.evaluate import at_level
from truegain.measures.parse import parse_measure
from truegain.message import arg, argname
from truegain.sampling.streams import stream_key
from truegain.tables.columns import Bools
from truegain.tables.table import Table

DESIGN = "holes"  # of ordered lists of them
LEAST_SAMPLED = 10  # holes that a score or a difference must stand on
SHARE = 0.25


def looked_at(filled: Filled, m: Measure) -> Bools:
    """Per item of the pool: a hole that some list has where the measure looks."""
    out = np.zeros(len(filled.hole), np.bool_)
    out[filled.ranked.item[m.within(filled.ranked.rank)]] = True
    return out & filled.hole


def check_linear(m: Measure) -> None:
    """Refuse measures that a sample of the holes cannot set right."""
    if not m.linear_in_gains:
        raise MeasureError(
            f"{m} is not linear in gain, so a sample of the unjudged documents cannot set it right; use P, CG, DCG, "
            "RBP or SDCG, or leave the sample out: where their worst is known, the verdict takes it"
        )


def draw_holes(
    runs: object,
    judgments: object,
    measure: str | Measure = "P@10",
    *,
    share: float | None = None,
    most: int | None = None,
    seed: int = 0,
    scoring: Scoring | None = None,
    jobs: int | None = None,
) -> Table:
    """A random sample of the unjudged documents that all runs together have where a measure looks, without labels.

    A quarter of them, or the share or number asked for, and never fewer than 10 (or all).  A document is drawn by a
    number made of the seed, its topic and its name, so that a larger sample holds the smaller one whatever the runs'
    order; they stand in the order of that number, so that the first of them are a random sample too.

    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"z": 3.0, "x": 2.0}}}
    >>> draw_holes(runs, {"1": {"x": 1}}, "P@2").rows
    [('1', 'y', None), ('1', 'z', None)]
    """
    if share is not None and not 0 < share <= 1:
        raise TruegainError(
            f"{argname('share', share, 'g')}: give a share of the unjudged documents, above 0 and at most 1"
        )
    if share is not None and most is not None:
        raise TruegainError(f"{arg('share')} and {arg('most')} both say how many documents to draw; give one of them")
    how = scoring or Scoring()
    asked = at_level(parse_measure(measure), how.relevant_from)
    check_linear(asked)
    filled = Filled.of(runs, judgments, asked, how, jobs)
    items = np.flatnonzero(looked_at(filled, asked))
    if not len(items):
        raise TruegainError(f"no document that {asked} looks at is unjudged; there is nothing to draw")
    names = list(zip(*filled.ranked.pool.names(items), strict=True))
    key = {name: stream_key(seed, "holes", "\0".join(name)) for name in names}
    wanted = math.ceil((SHARE if share is None else share) * len(names) - 1e-9) if most is None else most
    drawn = sorted(names, key=key.__getitem__)[: max(wanted, LEAST_SAMPLED)]
    rows = [(*name, None) for name in drawn]
    note = (
        f"{len(rows):,} of the {len(names):,} unjudged documents that {asked} looks at in these runs, drawn at random "
        f"(seed {seed}); write their labels into the last column"
    )
    return Table(("topic", "doc", "label"), rows, notes=(note,))
